// SPDX-License-Identifier: Apache-2.0
// main.c - the chaac command: finds the command and runs it; the help; what the commands share.
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

extern char **environ;

static const command commands[] = {
#define COMMAND(name, usage, what) {#name, usage, what, cmd_##name},
#define OPTION(command, option, what)
#define EXAMPLE(command, line)
#include "commands.def"
#undef COMMAND
#undef OPTION
#undef EXAMPLE
};

// The options of all commands, then their examples (with an empty `what`).
static const struct {
    const char *command, *text, *what;
} details[] = {
#define COMMAND(name, usage, what)
#define OPTION(command, option, what) {#command, option, what},
#define EXAMPLE(command, line) {#command, line, ""},
#include "commands.def"
#undef COMMAND
#undef OPTION
#undef EXAMPLE
};
enum { N_DETAILS = sizeof details / sizeof details[0] };

const command *command_at(int i) {
    return i >= 0 && (size_t)i < sizeof commands / sizeof commands[0] ? &commands[i] : NULL;
}

const command *command_find(const char *name) {
    for (int i = 0; command_at(i) != NULL; i++)
        if (strcmp(command_at(i)->name, name) == 0) return command_at(i);
    return NULL;
}

// A long usage hides the sentence above it: what has to be given is enough.
static void put_usage(FILE *file, const command *c) {
    const char *rest = strlen(c->usage) > 320 ? strchr(c->usage, '[') : NULL;
    if (rest == NULL)
        fprintf(file, "chaac %s %s\n", c->name, c->usage);
    else
        fprintf(file, "chaac %s %.*s[OPTION...]\n", c->name, (int)(rest - c->usage), c->usage);
}

int usage_error(const char *cmd, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fprintf(stderr, "chaac %s: ", cmd);
    vfprintf(stderr, format, ap);
    va_end(ap);
    const command *c = command_find(cmd);
    fprintf(stderr, "\n%s", c == NULL ? "" : "usage: ");
    if (c != NULL) put_usage(stderr, c);
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

int run_program(const char *cmd, const char *const *argv) {
    pid_t pid;
    int e = posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ), status = 0;
    if (e != 0) {
        fprintf(stderr, "chaac %s: %s: %s\n", cmd, argv[0], strerror(e));
        return FAILED;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

static bool is_pass(const char *name, size_t n) {
    for (int i = 0; ch_pass_name(i) != NULL; i++)
        if (strlen(ch_pass_name(i)) == n && strncmp(ch_pass_name(i), name, n) == 0) return true;
    return false;
}

int run_passes(const char *cmd, const char *passes, ch_func **f) {
    for (const char *p = passes == NULL ? "" : passes; *p != '\0';) {
        size_t n = strcspn(p, ",");
        char name[64];
        ch_func *next = NULL, *old = *f;
        if (n >= sizeof name || !is_pass(p, n)) {
            ch_func_destroy(*f);
            *f = NULL;
            fprintf(stderr, "chaac %s: there is no pass \"%.*s\" — there are:\n", cmd, (int)n, p);
            for (int i = 0; ch_pass_name(i) != NULL; i++)
                fprintf(stderr, "  %-10s %s\n", ch_pass_name(i), ch_pass_what(i));
            return USAGE;
        }
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        ch_status s = ch_func_run_pass(old, name, &next);
        ch_func_destroy(old);
        *f = next;
        if (s != CH_OK) return library_error();
        p += n + (p[n] == ',');
    }
    return OK;
}

void json_text(const char *s) {
    putchar('"');
    for (; *s != '\0'; s++) {
        if (*s == '\n')
            printf("\\n");
        else if ((unsigned char)*s < ' ')
            printf("\\u%04x", (unsigned char)*s);
        else if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else
            putchar(*s);
    }
    putchar('"');
}

const char *color_code(color c) {
    static const char *const codes[] = {
        [PLAIN] = "\033[0m", [GOOD] = "\033[32m", [BAD] = "\033[33m", [DIM] = "\033[2m"};
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    bool shown = isatty(STDOUT_FILENO) && (no == NULL || no[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
    return shown ? codes[c] : "";
}

// ---- help
static void help_details(const char *name, bool of_options) {
    bool any = false;
    for (int i = 0; i < N_DETAILS; i++) {
        if (strcmp(details[i].command, name) != 0 || (details[i].what[0] != '\0') != of_options) continue;
        if (!any) printf(of_options ? "\noptions\n" : "\nexamples\n");
        any = true;
        if (of_options)
            printf("  %-22s %s\n", details[i].text, details[i].what);
        else
            printf("  %s\n", details[i].text);
    }
}

static int help_command(const char *name) {
    const command *c = command_find(name);
    if (c == NULL) return usage_error("help", "there is no command \"%s\" — `chaac help` lists them", name);
    put_usage(stdout, c);
    printf("\n%s\n", c->what);
    help_details(name, true);
    help_details(name, false);
    return OK;
}

static void help_list(void) {
    printf("chaac COMMAND [ARGUMENT...]\n\n");
    for (int i = 0; command_at(i) != NULL; i++) printf("  %-8s %s\n", command_at(i)->name, command_at(i)->what);
    printf("\nchaac help COMMAND says more. chaac --version prints the version.\n");
}

static void help_json(void) {
    printf("{\"version\": \"%s\", \"commands\": [", ch_version());
    for (int i = 0; command_at(i) != NULL; i++) {
        const command *c = command_at(i);
        printf("%s\n  {\"name\": \"%s\", \"usage\": ", i > 0 ? "," : "", c->name);
        json_text(c->usage);
        printf(", \"what\": ");
        json_text(c->what);
        printf(", \"options\": [");
        const char *comma = "";
        for (int k = 0; k < N_DETAILS; k++) {
            if (strcmp(details[k].command, c->name) != 0 || details[k].what[0] == '\0') continue;
            printf("%s\n    {\"option\": ", comma);
            json_text(details[k].text);
            printf(", \"what\": ");
            json_text(details[k].what);
            printf("}");
            comma = ",";
        }
        printf("]}");
    }
    printf("\n]}\n");
}

int cmd_help(int argc, char **argv) {
    const char *name = NULL;
    bool json = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (argv[i][0] == '-' || name != NULL)
            return usage_error("help", "\"%s\" is not known here", argv[i]);
        else
            name = argv[i];
    }
    if (json)
        help_json();
    else if (name != NULL)
        return help_command(name);
    else
        help_list();
    return OK;
}

// Warnings, and what CHAAC_DEBUG asks for.
static void show_notice(void *user, int level, const char *message) {
    (void)user;
    if (level != 1) fprintf(stderr, "chaac: %s\n", message);
}

int main(int argc, char **argv) {
    ch_set_log(show_notice, NULL);
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
    bool asks = argc == 3 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0);
    int status = asks ? help_command(c->name) : c->run(argc - 1, argv + 1);
    ch_thread_end();
    if (fflush(stdout) == 0) return status;
    fprintf(stderr, "chaac: writing to standard output failed\n");
    return FAILED;
}
