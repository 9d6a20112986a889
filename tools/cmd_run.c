// SPDX-License-Identifier: Apache-2.0
// cmd_run.c - chaac run, profile: a func on inputs from the command line, from npy files, or from a pattern.
//
// The pattern makes any program run without data: element k of an input has v = (7 k + 3) mod 11; floats are 0.5 (v -
// 5), signed integers v - 5, unsigned v, bool k mod 3 = 0.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "sizes.h"
#include "source.h"

enum { MOST = 256 };

typedef struct {
    const char *file, *func_name, *engine, *out;
    bool pattern, json, profile;
    const char *command;
    int64_t runs; // of a profile
    sizes given;
    const char *inputs[MOST];
    char *made[MOST]; // inputs of --input, written as the others are
    int n_inputs, n_made;
    ch_func *func;
    ch_exec *exec;
    ch_tensor *in[MOST], *result[MOST];
} job;

static const char *const valued[] = {"--func", "--engine", "--size", "--out", "--runs", "--input", NULL};

// run and profile are read alike; not all that one knows is for the other.
static bool is_of_the_other(const job *j, const char *arg) {
    if (!j->profile) return strcmp(arg, "--runs") == 0;
    return strcmp(arg, "--engine") == 0 || strcmp(arg, "--out") == 0 || strcmp(arg, "--pattern") == 0;
}

static int add_input(job *j, const char *text) {
    if (j->n_inputs == MOST) return usage_error(j->command, "more than %d inputs", MOST);
    j->inputs[j->n_inputs++] = text;
    return OK;
}

// --input=[NAME=]FILE.npy,...: each as the input @FILE.npy or NAME=@FILE.npy.
static int add_files(job *j, const char *value) {
    for (const char *at = value;; at++) {
        int n = (int)strcspn(at, ","), name = (int)strcspn(at, "=");
        if (name >= n || at[0] == '@') name = -1;
        const char *file = at + name + 1;
        int length = n - name - 1;
        if (length > 0 && file[0] == '@') {
            file++;
            length--;
        }
        if (length == 0 || name == 0) return usage_error(j->command, "--input=%s — write [NAME=]FILE.npy,...", value);
        size_t room = (size_t)n + 3;
        if (j->n_made == MOST) return usage_error(j->command, "more than %d inputs", MOST);
        char *text = malloc(room);
        if (text == NULL) return FAILED;
        snprintf(text, room, "%.*s@%.*s", name + 1, at, length, file);
        j->made[j->n_made++] = text;
        int status = add_input(j, text);
        if (status != OK || at[n] == '\0') return status;
        at += n;
    }
}

static int read_arguments(int argc, char **argv, job *j) {
    options o = {argc, argv, 1};
    const char *value;
    for (const char *arg; (arg = next_argument(&o, valued, &value)) != NULL;) {
        int status = OK;
        bool number = arg[0] == '-' && arg[1] != '-'; // a negative number is an input
        if (is_of_the_other(j, arg))
            status = usage_error(j->command, "\"%s\" is not known here", arg);
        else if (strcmp(arg, "--pattern") == 0)
            j->pattern = true;
        else if (strcmp(arg, "--json") == 0)
            j->json = true;
        else if (arg[0] == '-' && !number && value == NULL)
            status = usage_error(j->command, "\"%s\" is unknown or needs a value", arg);
        else if (strcmp(arg, "--func") == 0)
            j->func_name = value;
        else if (strcmp(arg, "--engine") == 0)
            j->engine = value;
        else if (strcmp(arg, "--out") == 0)
            j->out = value;
        else if (strcmp(arg, "--input") == 0)
            status = add_files(j, value);
        else if (strcmp(arg, "--runs") == 0) {
            if (!whole_number(value, &j->runs) || j->runs < 1)
                status = usage_error("profile", "--runs=%s — write a number of runs", value);
        } else if (strcmp(arg, "--size") == 0)
            status = add_size(j->command, (char *)(uintptr_t)value, &j->given);
        else if (j->file == NULL)
            j->file = arg;
        else
            status = add_input(j, arg);
        if (status != OK) return status;
    }
    return j->file == NULL ? usage_error(j->command, "no file is named") : OK;
}

// ---- inputs
static bool is_float(ch_dtype d) { return (d >= CH_F16 && d <= CH_F64) || d == CH_F8E4M3 || d == CH_F8E5M2; }

// n numbers in f64 (floats) or i64 (others), converted by the library to dtype.
static ch_tensor *from_numbers(ch_dtype dtype, const double *v, const int64_t *whole, int rank, const int64_t *dims) {
    ch_tensor *t = is_float(dtype) ? ch_from_f64(v, rank, dims) : ch_from_i64(whole, rank, dims);
    return ch_convert(t, dtype);
}

static ch_tensor *pattern_input(ch_dtype dtype, int rank, const int64_t *dims, int64_t n) {
    double *v = calloc((size_t)n + 1, sizeof *v);
    int64_t *whole = calloc((size_t)n + 1, sizeof *whole);
    ch_tensor *t = NULL;
    for (int64_t k = 0; v != NULL && whole != NULL && k < n; k++) {
        int64_t p = (k * 7 + 3) % 11;
        v[k] = 0.5 * (double)(p - 5);
        whole[k] = dtype == CH_BOOL ? k % 3 == 0 : dtype >= CH_I8 && dtype <= CH_I64 ? p - 5 : p;
    }
    if (v != NULL && whole != NULL) t = from_numbers(dtype, v, whole, rank, dims);
    free(v);
    free(whole);
    return t;
}

static bool read_number(const char **p, double *v, int64_t *whole) {
    char *end;
    *whole = strtoll(*p, &end, 10);
    if (end != *p && (*end == ',' || *end == '\0')) {
        *v = (double)*whole;
        *p = end;
        return true;
    }
    if (strncmp(*p, "true", 4) == 0 || strncmp(*p, "false", 5) == 0) {
        *whole = **p == 't';
        *v = (double)*whole;
        *p += **p == 't' ? 4 : 5;
        return true;
    }
    *v = strtod(*p, &end); // the command never calls setlocale: a point is a point
    *whole = isfinite(*v) && fabs(*v) < 9e18 ? (int64_t)*v : 0;
    bool read = end != *p;
    *p = end;
    return read && (*end == ',' || *end == '\0');
}

static int number_input(const job *j, const char *text, const char *name, ch_dtype dtype, int rank, const int64_t *dims,
                        int64_t n, ch_tensor **out) {
    double *v = calloc((size_t)n + 1, sizeof *v);
    int64_t *whole = calloc((size_t)n + 1, sizeof *whole);
    int64_t count = 0;
    const char *p = text;
    int status = v == NULL || whole == NULL ? FAILED : OK;
    while (status == OK && *p != '\0') {
        double value;
        int64_t w;
        if (!read_number(&p, &value, &w))
            status = usage_error(j->command, "input %s: \"%s\" is not a list of numbers", name, text);
        else if (count < n) {
            v[count] = value;
            whole[count] = w;
        }
        count++;
        if (*p == ',') p++;
    }
    if (status == OK && count != n)
        status = usage_error(j->command, "input %s: %lld numbers are given, its type holds %lld", name,
                             (long long)count, (long long)n);
    if (status == OK) *out = from_numbers(dtype, v, whole, rank, dims);
    free(v);
    free(whole);
    return status;
}

// An input without a name: a path after @ may hold a '='.
static bool is_plain(const char *input) { return input[0] == '@' || strchr(input, '=') == NULL; }

// The text for parameter i: NAME=... wins over the i-th input without a name.
static const char *input_text(const job *j, int i) {
    const char *name = ch_func_param_name(j->func, i);
    size_t n = strlen(name);
    int plain = 0, nth = 0;
    const char *found = NULL;
    for (int k = 0; k < j->n_inputs; k++)
        if (strncmp(j->inputs[k], name, n) == 0 && j->inputs[k][n] == '=') return j->inputs[k] + n + 1;
    for (int p = 0; p < i; p++) { // parameters before i that are not given by name
        const char *other = ch_func_param_name(j->func, p);
        bool by_name = false;
        for (int k = 0; k < j->n_inputs; k++)
            by_name =
                by_name || (strncmp(j->inputs[k], other, strlen(other)) == 0 && j->inputs[k][strlen(other)] == '=');
        nth += !by_name;
    }
    for (int k = 0; k < j->n_inputs && found == NULL; k++)
        if (is_plain(j->inputs[k]) && plain++ == nth) found = j->inputs[k];
    return found;
}

static bool names_param(const job *j, const char *input, int i) {
    const char *name = ch_func_param_name(j->func, i);
    return strncmp(input, name, strlen(name)) == 0 && input[strlen(name)] == '=';
}

// What is given has to be for something: no input is left over, every name and size is one of the func's.
static int check_given(const job *j) {
    int n_in = ch_func_num_params(j->func), open = n_in, plain = 0;
    for (int k = 0; k < j->n_inputs; k++) {
        if (is_plain(j->inputs[k])) {
            plain++;
            continue;
        }
        int i = 0;
        while (i < n_in && !names_param(j, j->inputs[k], i)) i++;
        if (i == n_in) return usage_error(j->command, "%s: @%s has no such input", j->inputs[k], ch_func_name(j->func));
        for (int m = 0; m < k; m++)
            if (names_param(j, j->inputs[m], i))
                return usage_error(j->command, "input %s is given twice", ch_func_param_name(j->func, i));
        open--;
    }
    if (plain > open)
        return usage_error(j->command, "%d inputs are given, @%s takes %d", j->n_inputs, ch_func_name(j->func), n_in);
    return check_sizes(j->command, j->func, &j->given);
}

static int make_input(job *j, int i) {
    const char *text = input_text(j, i), *name = ch_func_param_name(j->func, i);
    if (text != NULL && text[0] == '@') return ch_npy_load(text + 1, &j->in[i]) == CH_OK ? OK : library_error();
    int rank = 0;
    int64_t dims[MOST_RANK], n = 1;
    int status = param_dims(j->command, j->func, i, &j->given, INT64_C(1) << 40, &rank, dims, &n);
    if (status != OK) return status;
    ch_dtype dtype = ch_func_param_dtype(j->func, i);
    if (text != NULL) {
        status = number_input(j, text, name, dtype, rank, dims, n, &j->in[i]);
        if (status != OK) return status;
    } else if (j->pattern) {
        j->in[i] = pattern_input(dtype, rank, dims, n);
    } else {
        return usage_error(j->command, "input %s (%s) is not given — give numbers, --input=FILE.npy or --pattern", name,
                           ch_func_param_type(j->func, i));
    }
    if (j->in[i] == NULL) {
        fprintf(stderr, "chaac %s: no memory for input %s\n", j->command, name);
        return FAILED;
    }
    ch_keep(j->in[i]);
    return OK;
}

// ---- results
static void json_number(ch_dtype dtype, double v) {
    if (isnan(v))
        printf("\"nan\"");
    else if (isinf(v))
        printf(v > 0 ? "\"inf\"" : "\"-inf\"");
    else if (dtype == CH_F64)
        printf("%.17g", v);
    else
        printf("%.9g", v);
}

static int print_json(const job *j, int n) {
    printf("{\"results\": [");
    for (int i = 0; i < n; i++) {
        printf("%s\n  {\"name\": \"%s\", \"type\": \"%s\", \"dims\": [", i > 0 ? "," : "",
               ch_func_result_name(j->func, i), ch_func_result_type(j->func, i));
        for (int d = 0; d < ch_tensor_rank(j->result[i]); d++)
            printf("%s%lld", d > 0 ? ", " : "", (long long)ch_tensor_dim(j->result[i], d));
        printf("], \"data\": [");
        ch_dtype dtype = ch_tensor_dtype(j->result[i]);
        int64_t count = ch_tensor_numel(j->result[i]);
        bool whole = !is_float(dtype);
        ch_tensor *t = ch_convert(j->result[i], whole ? CH_I64 : CH_F64);
        const void *data = ch_data(t);
        if (data == NULL) return library_error();
        for (int64_t k = 0; k < count; k++) {
            if (k > 0) printf(", ");
            if (dtype == CH_BOOL)
                printf(((const int64_t *)data)[k] != 0 ? "true" : "false");
            else if (dtype == CH_U64)
                printf("%llu", (unsigned long long)((const int64_t *)data)[k]);
            else if (whole)
                printf("%lld", (long long)((const int64_t *)data)[k]);
            else
                json_number(dtype, ((const double *)data)[k]);
        }
        printf("]}");
    }
    printf("\n]}\n");
    return OK;
}

static int print_text(const job *j, int n) {
    for (int i = 0; i < n; i++) {
        if (ch_func_result_name(j->func, i)[0] != '\0') printf("%s: ", ch_func_result_name(j->func, i));
        fflush(stdout);
        if (ch_print(j->result[i], stdout) != CH_OK) return library_error();
    }
    return OK;
}

static int write_files(const job *j, int n) {
    if (mkdir(j->out, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "chaac run: %s: %s\n", j->out, strerror(errno));
        return FAILED;
    }
    for (int i = 0; i < n; i++) {
        char path[1024];
        const char *name = ch_func_result_name(j->func, i);
        if (name[0] != '\0')
            snprintf(path, sizeof path, "%s/%s.npy", j->out, name);
        else
            snprintf(path, sizeof path, "%s/result%d.npy", j->out, i);
        if (ch_npy_save(path, j->result[i]) != CH_OK) return library_error();
        fprintf(stderr, "wrote %s\n", path);
    }
    return OK;
}

// One run before the clock matters, for what is set up once.
static int profile(job *j, int n_in, int n_out) {
    ch_profile_begin();
    ch_status s = ch_compile(j->func, "native", NULL, &j->exec);
    if (s == CH_OK) s = ch_exec_run(j->exec, n_in, j->in, n_out, j->result);
    ch_profile_begin();
    for (int64_t i = 0; i < j->runs && s == CH_OK; i++) s = ch_exec_run(j->exec, n_in, j->in, n_out, j->result);
    if (s == CH_OK) s = ch_profile_end(stdout, j->json);
    return s == CH_OK ? OK : library_error();
}

static int run(job *j) {
    if (load_source(j->file, j->func_name, &j->func) != CH_OK) return library_error();
    int n_in = ch_func_num_params(j->func), n_out = ch_func_num_results(j->func);
    if (n_in > MOST || n_out > MOST) {
        fprintf(stderr, "chaac %s: @%s takes %d inputs and gives %d results; up to %d of each are run here\n",
                j->command, ch_func_name(j->func), n_in, n_out, MOST);
        return FAILED;
    }
    int status = check_given(j);
    if (status != OK) return status;
    for (int i = 0; i < n_in; i++) {
        status = make_input(j, i);
        if (status != OK) return status;
    }
    if (j->profile) return profile(j, n_in, n_out);
    if (ch_compile(j->func, j->engine, NULL, &j->exec) != CH_OK ||
        ch_exec_run(j->exec, n_in, j->in, n_out, j->result) != CH_OK)
        return library_error();
    if (j->out != NULL) return write_files(j, n_out);
    return j->json ? print_json(j, n_out) : print_text(j, n_out);
}

static int run_or_profile(int argc, char **argv, bool timed) {
    static job j; // large
    j.command = timed ? "profile" : "run";
    j.profile = j.pattern = timed;
    j.runs = 20;
    int status = read_arguments(argc, argv, &j);
    if (status == OK) status = run(&j);
    for (int i = 0; i < MOST; i++) {
        ch_release(j.in[i]);
        ch_release(j.result[i]);
    }
    for (int i = 0; i < j.n_made; i++) free(j.made[i]);
    ch_exec_release(j.exec);
    ch_func_destroy(j.func);
    return status;
}

int cmd_run(int argc, char **argv) { return run_or_profile(argc, argv, false); }

int cmd_profile(int argc, char **argv) { return run_or_profile(argc, argv, true); }
