// SPDX-License-Identifier: Apache-2.0
// test_forward.c - random differentiable funcs: the tangent of the first result along a random direction is that of
// differences and, where reverse mode is there, the gradient times the direction; a Hessian-vector product is the
// difference of two gradients.
//
// usage: test_forward [FIRST_SEED [COUNT]]. Differences are taken with two steps; where those two disagree the func
// bends too much for them and is not judged. At most a tenth may be such.
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
    int64_t judged, bent, reversed;
} job;

// ---------------------------------------------------------------- points
typedef struct point {
    int n, n_wrt, *wrt;
    ch__array *in; // params of f, then a tangent for each wrt
} point;

static int64_t count(const ch__array *x) {
    int64_t n = 0;
    return ch__numel(x->rank, x->dims, &n) ? n : 0;
}

static point point_make(ch__arena *a, const job *j, const ch_func *f) {
    point p = {.n = f->body->n_params};
    ch__array *in = ch__gen_inputs(a, j->seed, f, j->o);
    p.n_wrt = ch__parse_wrt(a, f, NULL, &p.wrt);
    p.in = CH_NEW_ARRAY(a, ch__array, p.n + p.n_wrt);
    memcpy(p.in, in, (size_t)p.n * sizeof *in);
    for (int k = 0; k < p.n_wrt; k++) {
        ch__array *v = &p.in[p.n + k];
        *v = in[p.wrt[k]];
        double *x = CH_NEW_ARRAY(a, double, count(v) + 1);
        for (int64_t i = 0; i < count(v); i++)
            x[i] = (double)(int64_t)(ch__hash_u64(j->seed * 31 + (uint64_t)(k * 977 + i)) % 2001) / 1000 - 1;
        v->data = x;
    }
    return p;
}

// f at p moved by t along the direction; the first result, or <first n_wrt results, direction>.
static double value_at(ch__arena *a, const ch_func *f, const point *p, double t, bool project) {
    ch__array *in = ch__arena_dup(a, p->in, (size_t)(p->n + p->n_wrt) * sizeof *in), *out;
    for (int k = 0; k < p->n_wrt; k++) {
        ch__array *x = &in[p->wrt[k]], *v = &in[p->n + k];
        x->data = ch__arena_dup(a, x->data, (size_t)(count(x) + 1) * sizeof(double));
        for (int64_t i = 0; i < count(x); i++) ((double *)x->data)[i] += t * ((double *)v->data)[i];
    }
    if (ch__gen_run(a, f, in, &out) != CH_OK) ch__raise_current();
    if (!project) return *(double *)out[0].data;
    double sum = 0;
    for (int k = 0; k < p->n_wrt; k++)
        for (int64_t i = 0; i < count(&out[k]); i++)
            sum += ((double *)out[k].data)[i] * ((double *)p->in[p->n + k].data)[i];
    return sum;
}

static double slope(ch__arena *a, const ch_func *f, const point *p, double h, bool project) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += weight[i] * value_at(a, f, p, at[i] * h, project);
    return sum / (12 * h);
}

static void judge(job *j, ch__arena *a, const ch_func *f, const point *p, bool project, double got, const char *what) {
    double coarse = slope(a, f, p, 2e-4, project), fine = slope(a, f, p, 1e-4, project), scale = fmax(1, fabs(fine));
    j->judged++;
    if (!(fabs(coarse - fine) < 1e-7 * scale))
        j->bent++;
    else if (!(fabs(got - fine) < 1e-6 * scale))
        snprintf(j->what, sizeof j->what, "%s %.17g, differences %.17g", what, got, fine);
}

// ---------------------------------------------------------------- one func
static void compare(job *j, const ch_func *f) {
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
    if (!j->what[0]) judge(j, a, f, &p, false, tangent, "tangent");
    bool reverse = ch__can_differentiate(f, p.n_wrt, p.wrt, false);
    if (!reverse) snprintf(j->what, sizeof j->what, "reverse mode is not there");
    if (!j->what[0] && reverse) {
        ch_func *g = ch__reverse(f, &(ch__reverse_options){.n_wrt = p.n_wrt, .wrt = p.wrt});
        double backward = value_at(a, g, &p, 0, true);
        j->reversed++;
        if (!(fabs(tangent - backward) <= 1e-10 * fmax(1, fabs(tangent))) && !(isnan(tangent) && isnan(backward)))
            snprintf(j->what, sizeof j->what, "tangent %.17g, gradient times direction %.17g", tangent, backward);
        ch_func *h = ch__hvp(f, p.n_wrt, p.wrt);
        ch__verify_module(h->module);
        if (!j->what[0]) judge(j, a, g, &p, true, value_at(a, h, &p, 0, true), "curvature");
        ch__module_destroy(h->module);
        ch__module_destroy(g->module);
    }
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

// A func whose inputs all miss its results has no derivative to speak of: refused by name, as it should be.
static bool breaks(void *arg, const ch_func *f) {
    attempt t = {arg, f};
    t.j->what[0] = 0;
    if (ch__protect(try_it, &t) != CH_OK && strcmp(ch_error_id(), "gradient_detached") != 0)
        snprintf(t.j->what, sizeof t.j->what, "%s", ch_error_message());
    return t.j->what[0] != 0;
}

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
        ch__gen_keep(small, "tests/golden/found", "forward", j->seed);
        snprintf(j->what, sizeof j->what, "kept");
    }
    ch__module_destroy(f->module);
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, n = argc > 2 ? strtoull(argv[2], NULL, 10) : 120;
    int failed = 0;
    int64_t judged = 0, bent = 0;
    for (int k = 0; k < FAMILIES; k++) {
        int bad = 0;
        int64_t reversed = 0;
        for (uint64_t i = 0; i < n && bad < 3; i++) {
            job j = {.seed = first + i, .o = &families[k].o};
            ch_status s = ch__protect(one, &j);
            if (s != CH_OK) printf("# seed %" PRIu64 ": %s\n", j.seed, ch_error_message());
            bad += s != CH_OK || j.what[0];
            judged += j.judged;
            bent += j.bent;
            reversed += j.reversed;
        }
        printf("# %s: %lld of %lld funcs in both modes\n", families[k].name, (long long)reversed, (long long)n);
        printf("%s %d - forward against differences and reverse, %s\n", bad ? "not ok" : "ok", k + 1, families[k].name);
        fflush(stdout);
        failed += bad;
    }
    bool enough = judged > 0 && bent * 10 <= judged;
    printf("# %lld slopes, %lld of them bent too much\n", (long long)judged, (long long)bent);
    printf("%s %d - nine slopes in ten can be judged\n1..%d\n", enough ? "ok" : "not ok", FAMILIES + 1, FAMILIES + 1);
    return failed || !enough ? 1 : 0;
}
