// SPDX-License-Identifier: Apache-2.0
// test_simplify.c - random funcs: every pass that changes no bit gives a func that verifies and has the same results,
// bit for bit, on random inputs with zeros of both signs, infinities, NaN, subnormals and extreme integers.
//
// usage: test_simplify [FIRST_SEED [COUNT]]. One TAP case a pass and family of options.
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "opt/opt.h"

typedef struct family {
    const char *name;
    ch__gen_options o;
} family;
static const family families[] = {
    {"straight lines", {.max_ops = 30, .zero_sizes = true}},
    {"symbolic sizes, branches, calls", {.max_ops = 40, .symbolic = true, .branches = true, .calls = true}},
    {"sizes that may be 0", {.max_ops = 30, .symbolic = true, .zero_sizes = true, .branches = true, .loops = true}},
    {"loops and tapes",
     {.max_ops = 40, .symbolic = true, .branches = true, .calls = true, .loops = true, .tapes = true}},
};
enum { FAMILIES = sizeof families / sizeof *families };

typedef struct job {
    uint64_t seed;
    const ch__gen_options *o;
    const char *pass; // NULL: the whole pipeline
    const char *what; // what went wrong, or NULL
    char detail[512];
} job;

static void run_pass(ch_func *f, const char *pass) {
    if (pass)
        (void)ch__pass_find(pass)->run(f);
    else
        (void)ch__optimize(f);
    ch__verify(f);
}

// What differs between f and f after the pass, or NULL.
static const char *difference(job *j, const ch_func *f) {
    ch__arena *a = ch__arena_create();
    ch__array *in = ch__gen_inputs(a, j->seed, f, j->o), *before, *after;
    ch_func *g = ch__func_clone(f);
    const char *what = NULL;
    run_pass(g, j->pass);
    if (ch__gen_run(a, f, in, &before) != CH_OK)
        what = "the func does not run";
    else if (ch__gen_run(a, g, in, &after) != CH_OK)
        what = "the func after the pass does not run";
    if (what) snprintf(j->detail, sizeof j->detail, "%s", ch_error_message());
    for (int i = 0; !what && i < f->body->n_results; i++) {
        if (ch__gen_same(&before[i], &after[i])) continue;
        what = "results differ";
        snprintf(j->detail, sizeof j->detail, "result %d", i);
    }
    ch__module_destroy(g->module);
    ch__arena_destroy(a);
    return what;
}

typedef struct attempt {
    job *j;
    const ch_func *f;
    const char *what;
} attempt;

static void try_it(void *arg) {
    attempt *t = arg;
    t->what = difference(t->j, t->f);
}

static bool breaks(void *arg, const ch_func *f) {
    attempt t = {.j = arg, .f = f};
    if (ch__protect(try_it, &t) != CH_OK) {
        t.what = "the pass fails";
        snprintf(t.j->detail, sizeof t.j->detail, "%s", ch_error_message());
    }
    t.j->what = t.what;
    return t.what != NULL;
}

static void one(void *arg) {
    job *j = arg;
    ch_func *f = ch__gen_func(j->seed, j->o);
    if (breaks(j, f)) {
        const char *what = j->what;
        printf("# seed %" PRIu64 ": %s: %s\n", j->seed, what, j->detail);
        ch_func *small = ch__gen_shrink(f, breaks, j);
        breaks(j, small);
        printf("# shrunk: %s: %s\n", j->what, j->detail);
        ch__gen_keep(small, "tests/golden/found", j->pass ? j->pass : "optimize", j->seed);
        j->what = what;
    }
    ch__module_destroy(f->module);
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 200;
    static const char *const passes[] = {NULL, "inline", "fold", "cse", "dce", "simplify"};
    int failed = 0, n = 0;
    for (size_t p = 0; p < sizeof passes / sizeof *passes; p++) {
        for (int k = 0; k < FAMILIES; k++) {
            int bad = 0;
            for (uint64_t i = 0; i < count && bad < 3; i++) {
                job j = {.seed = first + i, .o = &families[k].o, .pass = passes[p]};
                ch_status s = ch__protect(one, &j);
                if (s != CH_OK) printf("# seed %" PRIu64 ": %s\n", j.seed, ch_error_message());
                bad += s != CH_OK || j.what;
            }
            printf("%s %d - %s, %s\n", bad ? "not ok" : "ok", ++n, passes[p] ? passes[p] : "the pipeline",
                   families[k].name);
            fflush(stdout);
            failed += bad;
        }
    }
    printf("1..%d\n", n);
    return failed ? 1 : 0;
}
