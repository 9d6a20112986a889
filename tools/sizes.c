// SPDX-License-Identifier: Apache-2.0
// sizes.c - values of symbolic sizes from the command line, and what the parameters of a func measure with them.
#include "sizes.h"

#include <string.h>

int add_size(const char *cmd, char *text, sizes *s) {
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || s->n == MOST_SIZES || !whole_number(equals + 1, &s->values[s->n]))
        return usage_error(cmd, "--size %s — write a name and a whole number, as in --size n=4, once for each size",
                           text);
    *equals = '\0';
    for (int k = 0; k < s->n; k++)
        if (strcmp(s->names[k], text) == 0) return usage_error(cmd, "--size %s is given twice", text);
    s->names[s->n++] = text;
    return OK;
}

static bool has_value(const sizes *s, const char *name) {
    for (int k = 0; k < s->n; k++)
        if (strcmp(s->names[k], name) == 0) return true;
    return false;
}

int check_sizes(const char *cmd, const ch_func *f, const sizes *s) {
    for (int k = 0; k < s->n; k++) {
        int i = 0;
        const char *name;
        while ((name = ch_func_size_name(f, i)) != NULL && strcmp(name, s->names[k]) != 0) i++;
        if (name == NULL) return usage_error(cmd, "--size %s: @%s has no such size", s->names[k], ch_func_name(f));
    }
    return OK;
}

int param_dims(const char *cmd, const ch_func *f, int i, const sizes *s, int64_t most, int *rank, int64_t *dims,
               int64_t *n) {
    const char *name = ch_func_param_name(f, i);
    if (ch_func_param_dims(f, i, s->n, s->names, s->values, rank, dims) != CH_OK) {
        if (strcmp(ch_error_id(), "unknown_name") != 0) return library_error();
        fprintf(stderr, "chaac %s: input %s is %s: give its sizes, as in", cmd, name, ch_func_param_type(f, i));
        for (int k = 0; (name = ch_func_size_name(f, k)) != NULL; k++)
            if (!has_value(s, name)) fprintf(stderr, " --size %s=4", name);
        fprintf(stderr, "\n");
        return FAILED;
    }
    *n = 1;
    for (int d = 0; d < *rank; d++) {
        if (dims[d] < 0 || (dims[d] > 0 && *n > most / dims[d])) {
            fprintf(stderr, "chaac %s: input %s is too large to be made here\n", cmd, name);
            return FAILED;
        }
        *n *= dims[d];
    }
    return OK;
}
