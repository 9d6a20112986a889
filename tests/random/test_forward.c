// SPDX-License-Identifier: Apache-2.0
// test_forward.c - random differentiable funcs: the tangent of the first result along a random direction is that of
// differences and the gradient times the direction; a Hessian-vector product is the difference of two gradients.
//
// usage: test_forward [FIRST_SEED [COUNT]] (differentiate.h).
#include "differentiate.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- points
typedef struct point {
    int n, n_wrt, *wrt;
    ch__array *in; // params of f, then a tangent for each wrt
} point;

static point point_make(ch__arena *a, const diff_job *j, const ch_func *f) {
    point p = {.n = f->body->n_params};
    ch__array *in = ch__gen_inputs(a, j->seed, f, j->o);
    p.n_wrt = ch__parse_wrt(a, f, NULL, &p.wrt);
    p.in = CH_NEW_ARRAY(a, ch__array, p.n + p.n_wrt);
    memcpy(p.in, in, (size_t)p.n * sizeof *in);
    for (int k = 0; k < p.n_wrt; k++) {
        ch__array *v = &p.in[p.n + k];
        *v = in[p.wrt[k]];
        double *x = CH_NEW_ARRAY(a, double, diff_count(v) + 1);
        for (int64_t i = 0; i < diff_count(v); i++)
            x[i] = (double)(int64_t)(ch__hash_u64(j->seed * 31 + (uint64_t)(k * 977 + i)) % 2001) / 1000 - 1;
        v->data = x;
    }
    return p;
}

// A func along the direction of a point: its first result, or <first n_wrt results, direction>.
typedef struct line {
    ch__arena *a;
    const ch_func *f;
    const point *p;
    bool project;
} line;

static double on_line(void *arg, double at) {
    const line *l = arg;
    const point *p = l->p;
    ch__array *in = ch__arena_dup(l->a, p->in, (size_t)(p->n + p->n_wrt) * sizeof *in), *out;
    for (int k = 0; k < p->n_wrt; k++) {
        ch__array *x = &in[p->wrt[k]], *v = &in[p->n + k];
        x->data = ch__arena_dup(l->a, x->data, (size_t)(diff_count(x) + 1) * sizeof(double));
        for (int64_t i = 0; i < diff_count(x); i++) ((double *)x->data)[i] += at * ((double *)v->data)[i];
    }
    if (ch__gen_run(l->a, l->f, in, &out) != CH_OK) ch__raise_current();
    if (!l->project) return *(double *)out[0].data;
    double sum = 0;
    for (int k = 0; k < p->n_wrt; k++)
        for (int64_t i = 0; i < diff_count(&out[k]); i++)
            sum += ((double *)out[k].data)[i] * ((double *)p->in[p->n + k].data)[i];
    return sum;
}

// ---------------------------------------------------------------- one func
static void compare_reverse(diff_job *j, ch__arena *a, const ch_func *f, const point *p, double tangent) {
    ch_func *g = ch__reverse(f, &(ch__reverse_options){.n_wrt = p->n_wrt, .wrt = p->wrt});
    line gradient = {a, g, p, true};
    double backward = on_line(&gradient, 0);
    if (!(fabs(tangent - backward) <= 1e-10 * fmax(1, fabs(tangent))) && !(isnan(tangent) && isnan(backward)))
        snprintf(j->what, sizeof j->what, "tangent %.17g, gradient times direction %.17g", tangent, backward);
    ch_func *h = ch__hvp(f, p->n_wrt, p->wrt);
    ch__verify_module(h->module);
    if (!j->what[0]) {
        double got = on_line(&(line){a, h, p, true}, 0);
        diff_judge(j, on_line, &gradient, 2e-4, 1e-7, 1e-6, got, "curvature");
    }
    ch__module_destroy(h->module);
    ch__module_destroy(g->module);
}

static void compare(diff_job *j, const ch_func *f) {
    ch__arena *a = ch__arena_create();
    point p = point_make(a, j, f);
    ch__array *own, *out;
    ch_func *d = ch__forward(f, &(ch__forward_options){.n_wrt = p.n_wrt, .wrt = p.wrt, .include_value = true});
    ch__verify_module(d->module);
    if (ch__gen_run(a, f, p.in, &own) != CH_OK || ch__gen_run(a, d, p.in, &out) != CH_OK) ch__raise_current();
    for (int i = 0; i < f->body->n_results; i++)
        if (!ch__gen_same(&own[i], &out[i])) snprintf(j->what, sizeof j->what, "a value differs from the func's own");
    double tangent = *(double *)out[f->body->n_results].data;
    ch__module_destroy(d->module);
    if (!j->what[0]) diff_judge(j, on_line, &(line){a, f, &p, false}, 2e-4, 1e-7, 1e-6, tangent, "tangent");
    if (!j->what[0] && !ch__can_differentiate(f, p.n_wrt, p.wrt, false))
        snprintf(j->what, sizeof j->what, "reverse mode is not there");
    if (!j->what[0]) compare_reverse(j, a, f, &p, tangent);
    ch__arena_destroy(a);
}

int main(int argc, char **argv) {
    return diff_main(argc, argv, &(diff_test){"forward", "forward against differences and reverse", 200, compare});
}
