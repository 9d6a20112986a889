// SPDX-License-Identifier: Apache-2.0
// cmd_draw.c - chaac draw: a func as a picture.
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "source.h"

static const char *const valued[] = {"--func", "--after", "--format", "--out", NULL};

static int cannot_write(const char *path) {
    fprintf(stderr, "chaac draw: %s: %s\n", path, strerror(errno));
    return FAILED;
}

static int draw(const char *path, const char *name, const char *after, const char *format, const char *out) {
    ch_func *f = NULL;
    if (load_source(path, name, &f) != CH_OK) return library_error();
    int status = run_passes("draw", after, &f);
    if (status != OK) return status;
    FILE *file = out == NULL ? stdout : fopen(out, "w");
    if (file == NULL) {
        status = cannot_write(out);
    } else if (ch_func_draw(f, format, file) != CH_OK) {
        status = library_error();
    }
    ch_func_destroy(f);
    if (out == NULL || file == NULL || fclose(file) == 0) return status;
    return cannot_write(out);
}

int cmd_draw(int argc, char **argv) {
    const char *path = NULL, *name = NULL, *after = NULL, *format = "svg", *out = NULL, *value;
    options o = {argc, argv, 1};
    for (const char *arg; (arg = next_argument(&o, valued, &value)) != NULL;) {
        if (arg[0] == '-' && value == NULL) return usage_error("draw", "\"%s\" is unknown or needs a value", arg);
        if (strcmp(arg, "--func") == 0)
            name = value;
        else if (strcmp(arg, "--after") == 0)
            after = value;
        else if (strcmp(arg, "--format") == 0)
            format = value;
        else if (strcmp(arg, "--out") == 0)
            out = value;
        else if (path == NULL)
            path = arg;
        else
            return usage_error("draw", "\"%s\" is one argument too many", arg);
    }
    if (path == NULL) return usage_error("draw", "no file is named");
    if (strcmp(format, "svg") != 0 && strcmp(format, "dot") != 0)
        return usage_error("draw", "--format=%s — svg and dot are known", format);
    return draw(path, name, after, format, out);
}
