// SPDX-License-Identifier: Apache-2.0
// bench_native.c - the native engine on programs that other libraries are measured with: NAME..., --list names them.
//
// native_functions.c has chains of elementwise operations, rows, sums, products, what a call costs; native_training.c
// whole training steps; native_serving.c a GPT's logits, requests of many lengths, compile time, the first result;
// native_jit.c replays of jits.
// Inputs and checksums are those of the other libraries' programs (`./run bench native` runs both where it finds them).
// One thread unless CHAAC_NUM_THREADS says otherwise. One JSON line a result; a wrong checksum ends the program with 1.
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "native_bench.h"

static double budget = 1; // seconds of timed runs

// ---------------------------------------------------------------- results
double bench_sum_abs(int n, ch_tensor *const *out) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double part = 0;
        ch_scope s = ch_scope_begin();
        if (ch_item(ch_sum_all(ch_abs(ch_convert(out[i], CH_F64))), &part) != CH_OK) part = NAN;
        (void)ch_scope_end(s);
        sum += part;
    }
    return sum;
}

// All threads; of a loaded machine it says more than the clock on the wall.
static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool bench_repeat(bench_result *r, bench_step *step, void *arg) {
    enum { MOST_RUNS = 20000, LEAST_RUNS = 5 };
    static double runs[MOST_RUNS];
    bool good = true;
    double cpu = cpu_seconds(), began = bench_now();
    r->runs = runs;
    for (r->n_runs = 0; good && r->n_runs < MOST_RUNS; r->n_runs++) {
        if (r->n_runs >= LEAST_RUNS && bench_now() - began > budget) break;
        double from = bench_now();
        good = step(arg);
        runs[r->n_runs] = bench_now() - from;
    }
    r->cpu = cpu_seconds() - cpu;
    return good;
}

typedef struct {
    ch_exec *e;
    int n_in, n_out;
    ch_tensor *const *in;
    ch_tensor **out;
} exec_run;

static bool run_exec(void *arg) {
    const exec_run *x = arg;
    return ch_exec_run(x->e, x->n_in, x->in, x->n_out, x->out) == CH_OK;
}

bool bench_repeat_exec(bench_result *r, ch_exec *e, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    return bench_repeat(r, run_exec, &(exec_run){e, n_in, n_out, in, out});
}

int bench_kernels(const ch_func *f) {
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    if (file == NULL) return -1;
    ch_status s = ch_explain(f, file);
    fclose(file);
    const char *line = s == CH_OK ? strstr(text, "  native: ") : NULL;
    int kernels = line != NULL ? atoi(line + strlen("  native: ")) : -1;
    free(text);
    return kernels;
}

int bench_line(const char *name, bool good, bench_result *r, double check) {
    struct rusage use;
    if (!good) {
        fprintf(stderr, "bench_native: %s: %s\n", name, ch_error_message());
        return 1;
    }
    bool right = check == 0 || fabs(r->check - check) <= 2e-5 * fabs(check);
    getrusage(RUSAGE_SELF, &use);
    printf("{\"name\": \"%s\"", name);
    if (r->n_runs > 0) {
        qsort(r->runs, (size_t)r->n_runs, sizeof *r->runs, bench_order);
        printf(", \"min\": %.4g, \"median\": %.4g, \"runs\": %d", r->runs[0], r->runs[r->n_runs / 2], r->n_runs);
    }
    printf(", \"unit\": \"s\", \"first\": %.3g, \"check\": %.9g, \"right\": %s", r->first, r->check,
           right ? "true" : "false");
    if (r->cpu > 0 && r->n_runs > 0) printf(", \"cpu\": %.4g", r->cpu / r->n_runs);
    if (r->kernels >= 0) printf(", \"kernels\": %d", r->kernels);
    if (r->flops > 0 && r->n_runs > 0) printf(", \"gflops\": %.4g", r->flops / r->runs[0] * 1e-9);
    if (r->and != NULL) printf(", %s", r->and);
    printf(", \"peak_mb\": %.1f}\n", (double)use.ru_maxrss / 1024);
    fflush(stdout);
    if (!right) fprintf(stderr, "bench_native: %s: checksum %.9g instead of %.9g\n", name, r->check, check);
    return right ? 0 : 1;
}

// ---------------------------------------------------------------- which
static const char *name_at(const void *table, size_t i, size_t bytes) {
    const char *name;
    memcpy(&name, (const char *)table + i * bytes, sizeof name);
    return name;
}

int bench_find(const char *name, const void *table, size_t n, size_t bytes) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(name_at(table, i, bytes), name) == 0) return (int)i;
    return -1;
}

void bench_put_names(const void *table, size_t n, size_t bytes) {
    for (size_t i = 0; i < n; i++) puts(name_at(table, i, bytes));
}

static int run_named(const char *name) {
    int s = bench_functions(name);
    if (s < 0) s = bench_training(name);
    if (s < 0) s = bench_serving(name);
    if (s < 0) s = bench_jits(name);
    if (s < 0) fprintf(stderr, "bench_native: %s is no workload; --list names them\n", name);
    return s != 0;
}

// Names: only those; none: all, each in a process of its own by native.py, here one after the other.
int main(int argc, char **argv) {
    int failed = 0, named = 0;
    const char *seconds = getenv("BENCH_BUDGET");
    if (seconds != NULL) budget = atof(seconds);
    setenv("CHAAC_NUM_THREADS", "1", 0);
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        bench_names_functions();
        bench_names_training();
        bench_names_serving();
        bench_names_jits();
        return 0;
    }
    for (int k = 1; k < argc; k++, named++) failed += run_named(argv[k]);
    if (named == 0) {
        fprintf(stderr, "usage: bench_native NAME... (--list: the names)\n");
        return 1;
    }
    ch_thread_end();
    return failed > 0;
}
