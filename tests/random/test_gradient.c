// SPDX-License-Identifier: Apache-2.0
// test_gradient.c - random differentiable funcs: the value of the reverse transform is the func's own, bit for bit, and
// the gradient is that of 4th-order central differences in f64, whatever the policies of loops are.
//
// usage: test_gradient [FIRST_SEED [COUNT]]. Differences are taken with two steps; where those two disagree the func
// bends too much for them and the element is not judged. At most a tenth of the elements may be such.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "gen/gen.h"

typedef struct family {
    const char *name;
    ch__gen_options o;
} family;
static const family families[] = {
    {"straight lines", {.max_ops = 16, .differentiable = true}},
    {"symbolic sizes", {.max_ops = 16, .differentiable = true, .symbolic = true}},
    {"sizes that may be 0", {.max_ops = 20, .differentiable = true, .symbolic = true, .zero_sizes = true}},
    {"branches and calls", {.max_ops = 24, .differentiable = true, .symbolic = true, .branches = true, .calls = true}},
    {"loops",
     {.max_ops = 24, .differentiable = true, .symbolic = true, .branches = true, .calls = true, .loops = true}},
};
enum { FAMILIES = sizeof families / sizeof *families };

typedef struct job {
    uint64_t seed;
    const ch__gen_options *o;
    char what[512]; // what went wrong; empty: nothing
    int64_t judged, bent;
} job;

static double value_of(ch__arena *a, const ch_func *f, const ch__array *in) {
    ch__array *out;
    if (ch__gen_run(a, f, in, &out) != CH_OK) ch__raise_current();
    return *(double *)out[0].data;
}

// (f(x-2h) - 8 f(x-h) + 8 f(x+h) - f(x+2h)) / 12h, at one element.
static double slope(ch__arena *a, const ch_func *f, const ch__array *in, double *x, double h) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double old = *x, sum = 0;
    for (int i = 0; i < 4; i++) {
        *x = old + at[i] * h;
        sum += weight[i] * value_of(a, f, in);
    }
    *x = old;
    return sum / (12 * h);
}

static void judge(job *j, ch__arena *a, const ch_func *f, const ch__array *in, int param, const ch__array *g) {
    int64_t n;
    if (!ch__numel(in[param].rank, in[param].dims, &n) || n == 0) return;
    for (int k = 0; k < 2; k++) {
        int64_t i = (int64_t)((j->seed * 7 + (uint64_t)k * 5) % (uint64_t)n);
        double *x = (double *)in[param].data + i, got = ((double *)g->data)[i];
        double coarse = slope(a, f, in, x, 4e-4), fine = slope(a, f, in, x, 2e-4);
        double scale = fmax(1, fabs(fine));
        j->judged++;
        if (!(fabs(coarse - fine) < 1e-8 * scale))
            j->bent++;
        else if (!(fabs(got - fine) < 1e-7 * scale))
            snprintf(j->what, sizeof j->what, "param %d, element %lld: gradient %.17g, differences %.17g", param,
                     (long long)i, got, fine);
    }
}

// ---------------------------------------------------------------- policies
typedef struct {
    ch__arena *arena;
    uint64_t seed;
    bool any;
} policy_state;

// Every loop gets a policy drawn from the seed.
static void set_policy(void *arg, ch__op *op) {
    static const char *const words[] = {"store", "recompute", "sqrt", "revolve(1)", "revolve(3)"};
    policy_state *s = arg;
    if (op->code != CH_OP_for && op->code != CH_OP_while) return;
    s->seed = ch__hash_u64(s->seed + 1);
    op->attrs = CH_NEW(s->arena, ch__attr);
    op->attrs[0] = ch__attr_str(CH__ATTR_policy, words[s->seed % 5]);
    op->n_attrs = 1;
    s->any = true;
}

// The gradient is the same with policies on the loops.
static void judge_policies(job *j, ch__arena *a, const ch_func *f, const ch__array *in, int n, const int *wrt,
                           const ch__array *want) {
    ch_func *p = ch__func_clone(f);
    policy_state s = {.arena = p->module->arena, .seed = j->seed};
    for (ch_func *g = p->module->first; g != NULL; g = g->next) ch__walk(g->body, set_policy, &s);
    ch__verify_module(p->module);
    if (s.any) {
        ch__array *out;
        ch_func *g = ch__reverse(p, &(ch__reverse_options){.n_wrt = n, .wrt = wrt});
        ch__verify_module(g->module);
        if (ch__gen_run(a, g, in, &out) != CH_OK) ch__raise_current();
        for (int k = 0; k < n; k++) {
            int64_t size;
            if (!ch__numel(out[k].rank, out[k].dims, &size)) continue;
            for (int64_t i = 0; i < size; i++) {
                double x = ((double *)want[k].data)[i], y = ((double *)out[k].data)[i];
                if (!(fabs(x - y) <= 1e-12 * fmax(1, fabs(x))) && !(isnan(x) && isnan(y)))
                    snprintf(j->what, sizeof j->what, "gradient %.17g stored, %.17g by policies", x, y);
            }
        }
        ch__module_destroy(g->module);
    }
    ch__module_destroy(p->module);
}

static void compare(job *j, const ch_func *f) {
    ch__arena *a = ch__arena_create();
    ch__array *in = ch__gen_inputs(a, j->seed, f, j->o), *own, *out;
    int *wrt, n = 0;
    n = ch__parse_wrt(a, f, NULL, &wrt);
    ch_func *g = ch__reverse(f, &(ch__reverse_options){.n_wrt = n, .wrt = wrt, .include_value = true});
    ch__verify_module(g->module);
    if (ch__gen_run(a, f, in, &own) != CH_OK || ch__gen_run(a, g, in, &out) != CH_OK) ch__raise_current();
    if (!ch__gen_same(&own[0], &out[0])) snprintf(j->what, sizeof j->what, "the value differs from the func's own");
    for (int k = 0; k < n && !j->what[0]; k++) judge(j, a, f, in, wrt[k], &out[1 + k]);
    if (!j->what[0]) judge_policies(j, a, f, in, n, wrt, &out[1]);
    ch__module_destroy(g->module);
    ch__arena_destroy(a);
}

typedef struct attempt {
    job *j;
    const ch_func *f;
} attempt;

static void try_it(void *arg) {
    attempt *t = arg;
    compare(t->j, t->f);
}

// A func whose inputs all miss its result has no gradient to speak of: refused by name, as it should be.
static bool breaks(void *arg, const ch_func *f) {
    attempt t = {arg, f};
    t.j->what[0] = 0;
    if (ch__protect(try_it, &t) != CH_OK && strcmp(ch_error_id(), "gradient_detached") != 0)
        snprintf(t.j->what, sizeof t.j->what, "%s", ch_error_message());
    return t.j->what[0] != 0;
}

// While shrinking: still a scalar function, and wrong in its numbers (not refused for another reason).
static bool still_breaks(void *arg, const ch_func *f) {
    const ch__type *t = f->body->n_results ? f->body->results[0]->type : NULL;
    return t && t->dtype == CH_F64 && t->rank == 0 && breaks(arg, f);
}

static void one(void *arg) {
    job *j = arg;
    ch_func *f = ch__gen_func(j->seed, j->o);
    if (breaks(j, f)) {
        printf("# seed %" PRIu64 ": %s\n", j->seed, j->what);
        ch_func *small = ch__gen_shrink(f, still_breaks, j);
        breaks(j, small);
        printf("# shrunk: %s\n", j->what);
        ch__gen_keep(small, "tests/golden/found", "gradient", j->seed);
        snprintf(j->what, sizeof j->what, "kept");
    }
    ch__module_destroy(f->module);
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 200;
    int failed = 0;
    int64_t judged = 0, bent = 0;
    for (int k = 0; k < FAMILIES; k++) {
        int bad = 0;
        for (uint64_t i = 0; i < count && bad < 3; i++) {
            job j = {.seed = first + i, .o = &families[k].o};
            ch_status s = ch__protect(one, &j);
            if (s != CH_OK) printf("# seed %" PRIu64 ": %s\n", j.seed, ch_error_message());
            bad += s != CH_OK || j.what[0];
            judged += j.judged;
            bent += j.bent;
        }
        printf("%s %d - reverse against differences, %s\n", bad ? "not ok" : "ok", k + 1, families[k].name);
        fflush(stdout);
        failed += bad;
    }
    bool enough = judged > 0 && bent * 10 <= judged;
    printf("# %lld elements, %lld of them bent too much\n", (long long)judged, (long long)bent);
    printf("%s %d - nine elements in ten can be judged\n1..%d\n", enough ? "ok" : "not ok", FAMILIES + 1, FAMILIES + 1);
    return failed || !enough ? 1 : 0;
}
