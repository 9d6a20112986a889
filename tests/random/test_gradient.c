// SPDX-License-Identifier: Apache-2.0
// test_gradient.c - random differentiable funcs: the value of the reverse transform is the func's own, bit for bit, and
// the gradient is that of 4th-order central differences in f64, whatever the policies of loops are.
//
// usage: test_gradient [FIRST_SEED [COUNT]] (differentiate.h).
#include "differentiate.h"

#include <math.h>
#include <string.h>

// The func along one element of one input.
typedef struct line {
    ch__arena *a;
    const ch_func *f;
    const ch__array *in;
    double *x, from;
} line;

static double on_line(void *arg, double at) {
    line *l = arg;
    *l->x = l->from + at;
    double y = diff_value(l->a, l->f, l->in);
    *l->x = l->from;
    return y;
}

static void judge(diff_job *j, ch__arena *a, const ch_func *f, const ch__array *in, int param, const ch__array *g) {
    int64_t n = diff_count(&in[param]);
    for (int k = 0; k < 2 && n > 0; k++) {
        int64_t i = (int64_t)((j->seed * 7 + (uint64_t)k * 5) % (uint64_t)n);
        double *x = (double *)in[param].data + i;
        char what[64];
        snprintf(what, sizeof what, "param %d, element %lld: gradient", param, (long long)i);
        diff_judge(j, on_line, &(line){a, f, in, x, *x}, 4e-4, 1e-8, 1e-7, ((double *)g->data)[i], what);
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
static void judge_policies(diff_job *j, ch__arena *a, const ch_func *f, const ch__array *in, int n, const int *wrt,
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
        for (int k = 0; k < n; k++)
            for (int64_t i = 0; i < diff_count(&out[k]); i++) {
                double x = ((double *)want[k].data)[i], y = ((double *)out[k].data)[i];
                if (!(fabs(x - y) <= 1e-12 * fmax(1, fabs(x))) && !(isnan(x) && isnan(y)))
                    snprintf(j->what, sizeof j->what, "gradient %.17g stored, %.17g by policies", x, y);
            }
        ch__module_destroy(g->module);
    }
    ch__module_destroy(p->module);
}

static void compare(diff_job *j, const ch_func *f) {
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

int main(int argc, char **argv) {
    return diff_main(argc, argv, &(diff_test){"gradient", "reverse against differences", 200, compare});
}
