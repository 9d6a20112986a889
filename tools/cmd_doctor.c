// SPDX-License-Identifier: Apache-2.0
// cmd_doctor.c - chaac doctor and env: what this machine has, what is missing and how to get it; the configuration.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

typedef struct {
    const char *what;
    char found[512];
    const char *install;
    bool needed;
} finding;

static bool in_path(const char *program, char *out, size_t cap) {
    const char *path = getenv("PATH");
    for (const char *p = path == NULL ? "" : path; *p != '\0';) {
        size_t n = strcspn(p, ":");
        snprintf(out, cap, "%.*s/%s", (int)n, p, program);
        if (access(out, X_OK) == 0) return true;
        p += n + (p[n] == ':');
    }
    out[0] = '\0';
    return false;
}

static void look_for_program(finding *f, const char *const *names) {
    for (int i = 0; names[i] != NULL; i++)
        if (in_path(names[i], f->found, sizeof f->found)) return;
}

static void look_for_file(finding *f, const char *path) {
    if (access(path, R_OK) == 0) snprintf(f->found, sizeof f->found, "%s", path);
}

static void json_text(const char *s) {
    putchar('"');
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\') putchar('\\');
        if ((unsigned char)*s >= ' ') putchar(*s);
    }
    putchar('"');
}

static void print_json(const finding *f, int n) {
    printf("{\"version\": \"%s\", \"engines\": [", ch_version());
    for (int i = 0; ch_engine_name(i) != NULL; i++) printf("%s\"%s\"", i > 0 ? ", " : "", ch_engine_name(i));
    printf("], \"found\": [");
    for (int i = 0; i < n; i++) {
        printf("%s\n  {\"what\": ", i > 0 ? "," : "");
        json_text(f[i].what);
        printf(", \"path\": ");
        if (f[i].found[0] == '\0')
            printf("null");
        else
            json_text(f[i].found);
        printf(", \"install\": ");
        json_text(f[i].install);
        printf("}");
    }
    printf("\n]}\n");
}

static void print_text(const finding *f, int n) {
    printf("chaac %s\n\nengines\n", ch_version());
    for (int i = 0; ch_engine_name(i) != NULL; i++) printf("  %-8s %s\n", ch_engine_name(i), ch_engine_what(i));
    printf("\nfound here\n");
    for (int i = 0; i < n; i++) {
        if (f[i].found[0] != '\0')
            printf("  %-28s %s\n", f[i].what, f[i].found);
        else
            printf("  %-28s missing — %s\n", f[i].what, f[i].install);
    }
}

static int only_json(int argc, char **argv, bool *json) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") != 0) return usage_error(argv[0], "\"%s\" is not known here", argv[i]);
        *json = true;
    }
    return OK;
}

int cmd_doctor(int argc, char **argv) {
    bool json = false;
    int status = only_json(argc, argv, &json);
    if (status != OK) return status;
    finding found[] = {
        {.what = "C compiler", .install = "apt-get install gcc"},
        {.what = "Fashion-MNIST data", .install = "apt-get install dataset-fashion-mnist"},
    };
    look_for_program(&found[0], (const char *[]){"cc", "gcc", "clang", NULL});
    look_for_file(&found[1], "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz");
    int n = (int)(sizeof found / sizeof found[0]);
    if (json)
        print_json(found, n);
    else
        print_text(found, n);
    return OK;
}

int cmd_env(int argc, char **argv) {
    bool json = false;
    int status = only_json(argc, argv, &json);
    if (status != OK) return status;
    if (json) printf("{");
    for (int i = 0; ch_config_name(i) != NULL; i++) {
        const char *set = ch_config_value(i), *value = set == NULL ? ch_config_default(i) : set;
        if (json) {
            printf("%s\n  \"%s\": {\"value\": ", i > 0 ? "," : "", ch_config_name(i));
            json_text(value);
            printf(", \"source\": \"%s\"}", set == NULL ? "default" : "environment");
        } else {
            printf("%-20s %-10s %-12s %s\n", ch_config_name(i), value, set == NULL ? "default" : "environment",
                   ch_config_what(i));
        }
    }
    if (json) printf("\n}\n");
    return OK;
}
