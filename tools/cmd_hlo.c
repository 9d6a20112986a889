// SPDX-License-Identifier: Apache-2.0
// cmd_hlo.c - chaac hlo: any program as StableHLO text, or what a plugin makes of that.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "sizes.h"
#include "source.h"

enum { MOST = 64 };

static const char *const valued[] = {"--func", "--after", "--size", "--target", "--alias", NULL};

typedef struct {
    const char *file, *func, *after;
    sizes given;
    const char *alias_names[MOST];
    int64_t alias_results[MOST];
    int n_aliases;
    bool notes, optimized;
    ch_hlo_options o;
} arguments;

// NAME=NUMBER: the name, cut off, and the number.
static bool pair(const char *text, const char **name, int64_t *value) {
    char *t = (char *)(uintptr_t)text, *equals = strchr(t, '=');
    if (equals == NULL || !whole_number(equals + 1, value)) return false;
    *equals = '\0';
    *name = t;
    return true;
}

static int take_argument(arguments *a, const char *arg, const char *value) {
    if (strcmp(arg, "--generic") == 0)
        a->o.generic = 1;
    else if (strcmp(arg, "--bare") == 0)
        a->o.bare = 1;
    else if (strcmp(arg, "--notes") == 0)
        a->notes = true;
    else if (strcmp(arg, "--optimized") == 0)
        a->optimized = true;
    else if (strcmp(arg, "--composites") == 0)
        a->o.composites = 1;
    else if (arg[0] == '-' && value == NULL)
        return usage_error("hlo", "\"%s\" is unknown or needs a value", arg);
    else if (strcmp(arg, "--func") == 0)
        a->func = value;
    else if (strcmp(arg, "--after") == 0)
        a->after = value;
    else if (strcmp(arg, "--target") == 0)
        a->o.target = value;
    else if (strcmp(arg, "--size") == 0)
        return add_size("hlo", (char *)(uintptr_t)value, &a->given);
    else if (strcmp(arg, "--alias") == 0) {
        if (a->n_aliases == MOST || !pair(value, &a->alias_names[a->n_aliases], &a->alias_results[a->n_aliases]))
            return usage_error("hlo", "--alias %s — write a parameter and the number of a result, as in --alias w=0",
                               value);
        a->n_aliases++;
    } else if (a->file == NULL)
        a->file = arg;
    else
        return usage_error("hlo", "\"%s\" is one argument too many", arg);
    return OK;
}

static int set_aliases(arguments *a, const ch_func *f, int *aliases) {
    int n = ch_func_num_params(f);
    if (a->n_aliases == 0) return OK;
    if (n > MOST) return usage_error("hlo", "--alias: @%s has more than %d parameters", ch_func_name(f), MOST);
    for (int i = 0; i < n; i++) aliases[i] = -1;
    for (int k = 0; k < a->n_aliases; k++) {
        int i = 0;
        while (i < n && strcmp(ch_func_param_name(f, i), a->alias_names[k]) != 0) i++;
        if (i == n)
            return usage_error("hlo", "--alias %s: @%s has no such parameter", a->alias_names[k], ch_func_name(f));
        aliases[i] = a->alias_results[k] < 0 || a->alias_results[k] > 1000000 ? 1000000 : (int)a->alias_results[k];
    }
    a->o.aliases = aliases;
    return OK;
}

static void say_bytes(const char *what, int64_t bytes) {
    if (bytes < 0)
        fprintf(stderr, "%-10s not reported\n", what);
    else
        fprintf(stderr, "%-10s %" PRId64 " bytes\n", what, bytes);
}

// What a plugin's compiler makes of the text: its program to stdout (for the tools of XLA, not for people), its memory
// to stderr.
static int write_optimized(const ch_func *f, const ch_hlo_options *o) {
    ch_session_options where = {.struct_size = sizeof where};
    where.target = o->target == NULL ? (ch_target)0 : (ch_target)ch_target_from_name(o->target); // 0: the environment
    ch_session *s = NULL;
    ch_program_info info;
    char *text = NULL, *bytes = NULL;
    size_t n = 0;
    int status = OK;
    if (ch_hlo_to_text(f, o, &text) != CH_OK || ch_session_open(&where, &s) != CH_OK ||
        ch_session_program_info(s, text, &info) != CH_OK || ch_session_optimized(s, text, &bytes, &n) != CH_OK)
        status = library_error();
    if (status == OK) {
        say_bytes("arguments", info.argument_bytes);
        say_bytes("results", info.output_bytes);
        say_bytes("aliased", info.alias_bytes);
        say_bytes("temporary", info.temp_bytes);
        if (fwrite(bytes, 1, n, stdout) != n) status = FAILED;
    }
    ch_string_free(bytes);
    ch_string_free(text);
    ch_session_close(s);
    return status;
}

int cmd_hlo(int argc, char **argv) {
    arguments a = {.o = {.struct_size = sizeof(ch_hlo_options)}};
    options o = {argc, argv, 1};
    const char *value;
    int aliases[MOST];
    for (const char *arg; (arg = next_argument(&o, valued, &value)) != NULL;) {
        int status = take_argument(&a, arg, value);
        if (status != OK) return status;
    }
    if (a.file == NULL) return usage_error("hlo", "no file is named");
    a.o.n_sizes = a.given.n;
    a.o.size_names = a.given.names;
    a.o.size_values = a.given.values;
    ch_func *f = NULL;
    if (load_source(a.file, a.func, &f) != CH_OK) return library_error();
    if (a.notes) fputs(ch_hlo_notes(f), stderr);
    int status = run_passes("hlo", a.after, &f);
    if (status != OK) return status;
    status = set_aliases(&a, f, aliases);
    if (status == OK && a.optimized)
        status = write_optimized(f, &a.o);
    else if (status == OK && ch_hlo_emit(f, &a.o, stdout) != CH_OK)
        status = library_error();
    ch_func_destroy(f);
    return status;
}
