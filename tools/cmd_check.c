// SPDX-License-Identifier: Apache-2.0
// cmd_check.c - chaac check: the derivatives of a func against differences of its values, at a random point.
//
// Floats are drawn from -1 to 1, or from what an argument x=0.5..2 says; integers and bool from 0 and 1.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "sizes.h"
#include "source.h"

enum { MOST = 64 };

typedef struct {
    const char *file, *func_name;
    ch_check_options options;
    bool forward;
    sizes given;
    char *ranges[MOST];
    int n_ranges;
    ch_func *func;
    ch_tensor *in[MOST];
} job;

static const char *const valued[] = {"--func", "--wrt", "--size", "--seed", "--tolerance", "--mode", NULL};

static int take_option(job *j, const char *arg, char *value) {
    int64_t seed = 0;
    char *end;
    if (strcmp(arg, "--func") == 0) {
        j->func_name = value;
    } else if (strcmp(arg, "--wrt") == 0) {
        j->options.wrt = value;
    } else if (strcmp(arg, "--mode") == 0) {
        j->forward = strcmp(value, "jvp") == 0;
        if (!j->forward && strcmp(value, "vjp") != 0)
            return usage_error("check", "--mode=%s — vjp and jvp are known", value);
    } else if (strcmp(arg, "--size") == 0) {
        return add_size("check", value, &j->given);
    } else if (strcmp(arg, "--seed") == 0) {
        if (!whole_number(value, &seed)) return usage_error("check", "--seed %s — write a whole number", value);
        j->options.seed = (uint64_t)seed;
    } else {
        j->options.tolerance = strtod(value, &end);
        if (*end != '\0' || !(j->options.tolerance > 0))
            return usage_error("check", "--tolerance %s — write a number above 0", value);
    }
    return OK;
}

static int read_arguments(int argc, char **argv, job *j) {
    options o = {argc, argv, 1};
    const char *value;
    for (const char *arg; (arg = next_argument(&o, valued, &value)) != NULL;) {
        int status = OK;
        if (arg[0] == '-')
            status = value == NULL ? usage_error("check", "\"%s\" is unknown or needs a value", arg)
                                   : take_option(j, arg, (char *)(uintptr_t)value);
        else if (j->file == NULL)
            j->file = arg;
        else if (strchr(arg, '=') == NULL || strstr(arg, "..") == NULL || j->n_ranges == MOST)
            status = usage_error("check", "\"%s\" — write a range as in x=0.5..2", arg);
        else
            j->ranges[j->n_ranges++] = (char *)(uintptr_t)arg;
        if (status != OK) return status;
    }
    return j->file == NULL ? usage_error("check", "no file is named") : OK;
}

// Where the floats of a param lie.
static int find_range(const job *j, const char *name, double *lo, double *hi) {
    size_t n = strlen(name);
    *lo = -1;
    *hi = 1;
    for (int i = 0; i < j->n_ranges; i++) {
        if (strncmp(j->ranges[i], name, n) != 0 || j->ranges[i][n] != '=') continue;
        char *at = j->ranges[i] + n + 1, *dots = strstr(at, ".."), *end, *last;
        *dots = '\0'; // "1..2" would be read as "1." and ".2"
        *lo = strtod(at, &end);
        *hi = strtod(dots + 2, &last);
        bool read = end == dots && end != at && *last == '\0' && last != dots + 2 && *lo <= *hi;
        *dots = '.';
        if (!read) return usage_error("check", "\"%s\" — write a range as in x=0.5..2", j->ranges[i]);
    }
    return OK;
}

// splitmix64
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int make_input(job *j, int i, uint64_t *state) {
    const char *name = ch_func_param_name(j->func, i);
    int rank = 0, status;
    int64_t dims[MOST_RANK], n = 1;
    double lo, hi;
    if ((status = find_range(j, name, &lo, &hi)) != OK) return status;
    status = param_dims("check", j->func, i, &j->given, INT64_C(1) << 32, &rank, dims, &n);
    if (status != OK) return status;
    ch_dtype dtype = ch_func_param_dtype(j->func, i);
    bool floats = dtype >= CH_F16 && dtype <= CH_F64;
    double *v = calloc((size_t)n + 1, sizeof *v);
    if (v == NULL) {
        fprintf(stderr, "chaac check: no memory for input %s\n", name);
        return FAILED;
    }
    for (int64_t k = 0; k < n; k++) {
        double u = (double)(draw(state) >> 11) * 0x1p-53;
        v[k] = floats ? lo + (hi - lo) * u : u < 0.5 ? 0 : 1;
    }
    j->in[i] = ch_keep(ch_convert(ch_from_f64(v, rank, dims), dtype));
    free(v);
    return OK;
}

static int check(job *j) {
    if (load_source(j->file, j->func_name, &j->func) != CH_OK) return library_error();
    int n = ch_func_num_params(j->func);
    if (n > MOST) {
        fprintf(stderr, "chaac check: @%s takes %d inputs; up to %d are drawn here\n", ch_func_name(j->func), n, MOST);
        return FAILED;
    }
    int status = check_sizes("check", j->func, &j->given);
    if (status != OK) return status;
    uint64_t state = j->options.seed;
    for (int i = 0; i < n; i++) {
        status = make_input(j, i, &state);
        if (status != OK) return status;
    }
    ch_status s = j->forward ? ch_check_jvp(j->func, n, j->in, &j->options, stdout)
                             : ch_check_vjp(j->func, n, j->in, &j->options, stdout);
    return s == CH_OK ? OK : library_error();
}

int cmd_check(int argc, char **argv) {
    static job j;
    j.options.struct_size = sizeof j.options;
    int status = read_arguments(argc, argv, &j);
    if (status == OK) status = check(&j);
    for (int i = 0; i < MOST; i++) ch_release(j.in[i]);
    ch_func_destroy(j.func);
    return status;
}
