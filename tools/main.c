// SPDX-License-Identifier: Apache-2.0
// main.c - the chaac command: finds the command and runs it.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const command commands[] = {
#define COMMAND(name, usage, what) {#name, usage, what, cmd_##name},
#include "commands.def"
#undef COMMAND
};

const command *command_at(int i) {
    return i >= 0 && (size_t)i < sizeof commands / sizeof commands[0] ? &commands[i] : NULL;
}

const command *command_find(const char *name) {
    for (int i = 0; command_at(i) != NULL; i++)
        if (strcmp(command_at(i)->name, name) == 0) return command_at(i);
    return NULL;
}

int usage_error(const char *cmd, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fprintf(stderr, "chaac %s: ", cmd);
    vfprintf(stderr, format, ap);
    va_end(ap);
    const command *c = command_find(cmd);
    fprintf(stderr, "\nusage: chaac %s %s\n", cmd, c == NULL ? "" : c->usage);
    return USAGE;
}

int library_error(void) {
    fprintf(stderr, "chaac: %s [%s]\n", ch_error_message(), ch_error_id());
    return FAILED;
}

bool whole_number(const char *text, int64_t *out) {
    char *end;
    *out = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

const char *next_argument(options *o, const char *const *valued, const char **value) {
    *value = NULL;
    if (o->at >= o->argc) return NULL;
    char *a = o->argv[o->at++];
    if (strncmp(a, "--", 2) != 0) return a;
    char *equals = strchr(a, '=');
    size_t n = equals == NULL ? strlen(a) : (size_t)(equals - a);
    for (int i = 0; valued[i] != NULL; i++) {
        if (strlen(valued[i]) != n || strncmp(valued[i], a, n) != 0) continue;
        if (equals != NULL)
            *value = equals + 1;
        else if (o->at < o->argc)
            *value = o->argv[o->at++];
        return valued[i];
    }
    return a;
}

int cmd_help(int argc, char **argv) {
    if (argc > 1) {
        const command *c = command_find(argv[1]);
        if (c == NULL) return usage_error("help", "there is no command \"%s\"", argv[1]);
        printf("chaac %s %s\n\n%s\n", c->name, c->usage, c->what);
        return OK;
    }
    printf("chaac COMMAND [ARGUMENT...]\n\n");
    for (int i = 0; command_at(i) != NULL; i++) printf("  %-8s %s\n", command_at(i)->name, command_at(i)->what);
    printf("\nchaac help COMMAND says more. chaac --version prints the version.\n");
    return OK;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        cmd_help(1, argv);
        return USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("chaac %s\n", ch_version());
        return OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return cmd_help(1, argv);
    const command *c = command_find(argv[1]);
    if (c == NULL) {
        fprintf(stderr, "chaac: there is no command \"%s\" — `chaac help` lists them\n", argv[1]);
        return USAGE;
    }
    int status = c->run(argc - 1, argv + 1);
    ch_thread_end();
    if (fflush(stdout) == 0) return status;
    fprintf(stderr, "chaac: writing to standard output failed\n");
    return FAILED;
}
