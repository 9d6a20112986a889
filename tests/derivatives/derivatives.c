// SPDX-License-Identifier: Apache-2.0
// derivatives.c - reverse mode against 4th-order central differences, through the interpreter in f64.
//
// A file of cases holds IR texts, each after `// case: NAME`, with a line for each param:
//   // in x: real LO HI        uniform in [LO, HI]
//   // in x: gap LO HI         the same, any two elements at least 0.2 (HI-LO)/count apart: no ties, no kink of a max
//   // in x: off LO HI V       uniform, at least 0.05 away from V
//   // in x: int LO HI         integers in [LO, HI]
//   // in x: perm              0 .. count-1 in random order
//   // in x: bool              both values
//   // in x: spd               symmetric positive definite matrices
//   // in x: tri               triangular-friendly matrices: the diagonal away from 0
//   // size n = 3              the value of a size
//   // once                    no second derivative (said why in the file)
//   // forwards                forward mode alone, against differences along a random direction, and again
// Each is checked at 20 seeded points: with v a random seed for every floating result, the adjoints of ch_vjp must be
// the gradient of <v, f(x)>, |error| <= 1e-8 max(1, |g|). Then ch_vjp is taken of the adjoints themselves (reverse over
// reverse) and checked the same way at 3 points. The last case: every op with a derivative stands in some case.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "interp/interp.h"

enum { POINTS = 20, POINTS_AGAIN = 3, MAX_PARAMS = 32, MAX_TEXT = 1 << 16 };

static int ran, failed;
static char detail[4096];
static bool op_seen[CH_OP_COUNT];

static void report(bool ok, const char *name) {
    printf("%s %d - %s\n", ok ? "ok" : "not ok", ++ran, name);
    if (!ok) {
        failed++;
        printf("# %s\n", detail);
    }
    fflush(stdout);
}

// ---------------------------------------------------------------- numbers
static uint64_t state;
static double uniform(double lo, double hi) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    return lo + (hi - lo) * (double)(ch__hash_u64(state) >> 11) * 0x1p-53;
}

typedef struct {
    char name[32], kind[8];
    double a, b, c;
} input_spec;
typedef struct {
    char name[64];
    char text[MAX_TEXT];
    input_spec in[MAX_PARAMS];
    int n_in;
    const char *sizes[4];
    char size_names[4][16];
    int64_t size_values[4];
    int n_sizes;
    bool once, forwards;
} test_case;

static void shuffle(double *x, int64_t n) {
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t k = (int64_t)uniform(0, (double)i + 0.999999);
        double t = x[i];
        x[i] = x[k];
        x[k] = t;
    }
}

static void fill_matrix(const input_spec *s, double *x, const int64_t *dims, int rank, int64_t n) {
    int64_t m = dims[rank - 1];
    for (int64_t at = 0; at < n; at += m * m) {
        double raw[64];
        for (int64_t i = 0; i < m * m; i++) raw[i] = uniform(-1, 1);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++) {
                double v = raw[i * m + j];
                if (s->kind[0] == 's') {
                    v = i == j ? 2 : 0;
                    for (int64_t k = 0; k < m; k++) v += raw[i * m + k] * raw[j * m + k];
                } else if (i == j) {
                    v = v < 0 ? v - 1 : v + 1;
                }
                x[at + i * m + j] = v;
            }
    }
}

static void fill(const input_spec *s, double *x, const int64_t *dims, int rank, int64_t n) {
    if (strcmp(s->kind, "spd") == 0 || strcmp(s->kind, "tri") == 0) {
        fill_matrix(s, x, dims, rank, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        if (strcmp(s->kind, "real") == 0)
            x[i] = uniform(s->a, s->b);
        else if (strcmp(s->kind, "gap") == 0)
            x[i] = s->a + (s->b - s->a) * ((double)i + uniform(0.1, 0.9)) / (double)n;
        else if (strcmp(s->kind, "int") == 0)
            x[i] = floor(uniform(s->a, s->b + 0.999999));
        else if (strcmp(s->kind, "perm") == 0)
            x[i] = (double)i;
        else if (strcmp(s->kind, "bool") == 0)
            x[i] = uniform(0, 1) < 0.5;
        else
            do x[i] = uniform(s->a, s->b);
            while (fabs(x[i] - s->c) < 0.05);
    }
    if (strcmp(s->kind, "gap") == 0 || strcmp(s->kind, "perm") == 0) shuffle(x, n);
}

// ---------------------------------------------------------------- running
typedef struct {
    ch_func *f;
    const ch__program *program;
    ch__arena *arena;
} runner;

static void prepare(void *arg) {
    runner *r = arg;
    ch__verify_module(r->f->module);
    r->arena = ch__arena_create();
    r->program = ch__interp_prepare(r->arena, r->f);
    ch__arena_keep(r->arena);
}

// Values are f64 on this side; slots hold them in their own dtype.
typedef struct {
    ch__slot slot;
    double *x;
    int64_t n;
} value;

static void store(value *v) {
    for (int64_t i = 0; i < v->n; i++) switch (v->slot.dtype) {
        case CH_F64: ((double *)v->slot.data)[i] = v->x[i]; break;
        case CH_F32: ((float *)v->slot.data)[i] = (float)v->x[i]; break;
        case CH_I64: ((int64_t *)v->slot.data)[i] = (int64_t)v->x[i]; break;
        case CH_I32: ((int32_t *)v->slot.data)[i] = (int32_t)v->x[i]; break;
        case CH_BOOL: ((uint8_t *)v->slot.data)[i] = v->x[i] != 0; break;
        default: abort();
        }
}

static void value_make(value *v, ch_dtype d, int rank, const int64_t *dims) {
    v->slot = (ch__slot){.dtype = d, .rank = rank};
    v->n = 1;
    for (int i = 0; i < rank; i++) v->n *= v->slot.dims[i] = dims[i];
    v->x = calloc((size_t)v->n + 1, sizeof *v->x);
    v->slot.data = calloc((size_t)v->n + 1, 8);
}

static void value_free(value *v) {
    free(v->x);
    free(v->slot.data);
}

// Runs r on the inputs; results as f64 in out (their x to be freed).
static bool run(const runner *r, int n_in, value *in, value *out) {
    ch__slot slots[MAX_PARAMS], results[MAX_PARAMS] = {0};
    int n_out = r->f->body->n_results;
    for (int i = 0; i < n_in; i++) {
        store(&in[i]);
        slots[i] = in[i].slot;
    }
    ch__limits none = {0};
    if (ch__interp_run(r->program, &none, n_in, slots, n_out, results) != CH_OK) {
        snprintf(detail, sizeof detail, "run: %s", ch_error_message());
        return false;
    }
    for (int i = 0; i < n_out; i++) {
        value *v = &out[i];
        v->slot = results[i];
        v->n = 1;
        for (int k = 0; k < results[i].rank; k++) v->n *= results[i].dims[k];
        v->x = calloc((size_t)v->n + 1, sizeof *v->x);
        for (int64_t k = 0; k < v->n; k++)
            v->x[k] =
                ch__elem_f64(results[i].dtype, (char *)results[i].data + (size_t)k * ch_dtype_size(results[i].dtype));
        ch__free_aligned(results[i].data);
        v->slot.data = NULL;
    }
    return true;
}

// <v, f(x)> over the floating results.
static bool project(const runner *r, int n_in, value *in, const value *seeds, double *sum) {
    value out[MAX_PARAMS];
    if (!run(r, n_in, in, out)) return false;
    *sum = 0;
    for (int i = 0, k = 0; i < r->f->body->n_results; i++) {
        if (ch__is_float(out[i].slot.dtype)) {
            for (int64_t j = 0; j < out[i].n; j++) *sum += seeds[k].x[j] * out[i].x[j];
            k++;
        }
        value_free(&out[i]);
    }
    return true;
}

// d <v, f(x)> / d x[e] of input p: h is a power of two, so that x +- h lose nothing.
static bool difference(const runner *r, int n_in, value *in, const value *seeds, int p, int64_t e, double *out) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double x = in[p].x[e], h = 0x1p-10, sum = 0;
    for (int i = 0; i < 4; i++) {
        double y;
        in[p].x[e] = x + at[i] * h;
        if (!project(r, n_in, in, seeds, &y)) return false;
        sum += weight[i] * y;
    }
    in[p].x[e] = x;
    *out = sum / (12 * h);
    return true;
}

// ---------------------------------------------------------------- one check
// Adjoints of g (= vjp of f over all floating params, value left out) at one point against differences of f.
static bool check_point(const runner *f, const runner *g, int n_in, value *in, const value *seeds, int n_seeds) {
    value all[MAX_PARAMS], bars[MAX_PARAMS];
    for (int i = 0; i < n_in; i++) all[i] = in[i];
    for (int i = 0; i < n_seeds; i++) all[n_in + i] = seeds[i];
    if (!run(g, n_in + n_seeds, all, bars)) return false;
    bool ok = true;
    for (int p = 0, k = 0; p < n_in; p++) {
        if (!ch__is_float(in[p].slot.dtype)) continue;
        for (int64_t e = 0; ok && e < in[p].n; e++) {
            double want = 0, got = bars[k].x[e];
            if (!difference(f, n_in, in, seeds, p, e, &want)) ok = false;
            if (ok && !(fabs(got - want) <= 1e-8 * fmax(1, fabs(got)))) {
                snprintf(detail, sizeof detail, "%s[%lld] at %.17g: adjoint %.17g, difference %.17g",
                         f->f->body->params[p]->name, (long long)e, in[p].x[e], got, want);
                ok = false;
            }
        }
        k++;
    }
    for (int i = 0; i < g->f->body->n_results; i++) value_free(&bars[i]);
    return ok;
}

// <seeds, J v> (j = jvp of f, value left out) against <bars, v> where bars = J' seeds (g = vjp of f).
static bool check_modes(const runner *j, const runner *g, int n_in, value *in, const value *seeds, int n_seeds,
                        const value *dots, int n_dots) {
    value all[MAX_PARAMS], bars[MAX_PARAMS], outs[MAX_PARAMS];
    memcpy(all, in, (size_t)n_in * sizeof *in);
    memcpy(all + n_in, seeds, (size_t)n_seeds * sizeof *seeds);
    if (!run(g, n_in + n_seeds, all, bars)) return false;
    memcpy(all + n_in, dots, (size_t)n_dots * sizeof *dots);
    if (!run(j, n_in + n_dots, all, outs)) return false;
    double forward = 0, reverse = 0, size = 1;
    for (int i = 0; i < n_seeds; i++)
        for (int64_t e = 0; e < seeds[i].n; e++) {
            forward += seeds[i].x[e] * outs[i].x[e];
            size += fabs(seeds[i].x[e] * outs[i].x[e]);
        }
    for (int i = 0; i < n_dots; i++)
        for (int64_t e = 0; e < dots[i].n; e++) {
            reverse += bars[i].x[e] * dots[i].x[e];
            size += fabs(bars[i].x[e] * dots[i].x[e]);
        }
    for (int i = 0; i < n_seeds; i++) value_free(&outs[i]);
    for (int i = 0; i < n_dots; i++) value_free(&bars[i]);
    if (fabs(forward - reverse) <= 1e-12 * size) return true;
    snprintf(detail, sizeof detail, "<seeds, J v> is %.17g forwards and %.17g in reverse", forward, reverse);
    return false;
}

// <seeds, J v> against differences of <seeds, f(x + h v)>.
static bool check_along(const runner *f, const runner *j, int n_in, value *in, const value *seeds, const value *dots,
                        int n_dots) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    value all[MAX_PARAMS], outs[MAX_PARAMS];
    memcpy(all, in, (size_t)n_in * sizeof *in);
    memcpy(all + n_in, dots, (size_t)n_dots * sizeof *dots);
    if (!run(j, n_in + n_dots, all, outs)) return false;
    double got = 0, want = 0, h = 0x1p-10;
    for (int i = 0; i < j->f->body->n_results; i++) {
        for (int64_t e = 0; e < outs[i].n; e++) got += seeds[i].x[e] * outs[i].x[e];
        value_free(&outs[i]);
    }
    for (int i = 0; i < 4; i++) {
        double y;
        for (int step = 0; step < 2; step++) { // there, and after the run back
            for (int p = 0, k = 0; p < n_in; p++) {
                if (!ch__is_float(in[p].slot.dtype)) continue;
                for (int64_t e = 0; e < in[p].n; e++) {
                    double *base = &((double *)dots[k].slot.data)[e]; // dots' slots hold the old x for the while
                    if (step == 0) *base = in[p].x[e];
                    in[p].x[e] = step == 0 ? *base + at[i] * h * dots[k].x[e] : *base;
                }
                k++;
            }
            if (step == 0 && !project(f, n_in, in, seeds, &y)) return false;
        }
        want += weight[i] * y / (12 * h);
    }
    if (fabs(got - want) <= 1e-8 * fmax(1, fabs(got))) return true;
    snprintf(detail, sizeof detail, "<seeds, J v> is %.17g, differences say %.17g", got, want);
    return false;
}

static int64_t size_of(const test_case *c, ch__dim d) {
    const char *names[4];
    for (int i = 0; i < c->n_sizes; i++) names[i] = c->size_names[i];
    ch__dim_env env = {c->n_sizes, names, c->size_values};
    int64_t v = -1;
    if (ch__dim_eval(d, &env, &v) != CH_OK) snprintf(detail, sizeof detail, "%s", ch_error_message());
    return v;
}

static bool value_of_type(const test_case *c, const ch__type *t, value *v) {
    int64_t dims[CH__MAX_RANK];
    for (int i = 0; i < t->rank; i++)
        if ((dims[i] = size_of(c, t->dims[i])) < 0) return false;
    value_make(v, t->dtype, t->rank, dims);
    return true;
}

static const input_spec *spec_of(const test_case *c, const char *name) {
    for (int i = 0; i < c->n_in; i++)
        if (strcmp(c->in[i].name, name) == 0) return &c->in[i];
    return NULL;
}

// Params that the case does not name (seeds of the first vjp) are uniform in [-1, 1].
// j NULL: g against differences of f; g NULL: j against them; else one against the other.
static bool check_points(const test_case *c, const runner *f, const runner *g, const runner *j, int points) {
    const ch__region *body = f->f->body;
    static const input_spec seed_spec = {"", "real", -1, 1, 0};
    bool ok = true;
    for (int k = 0; ok && k < points; k++) {
        value in[MAX_PARAMS] = {0}, seeds[MAX_PARAMS] = {0}, dots[MAX_PARAMS] = {0};
        int n_seeds = 0, n_dots = 0;
        state = ch__hash_str(c->name) + (uint64_t)k * 977;
        for (int i = 0; ok && i < body->n_params; i++) {
            const input_spec *s = spec_of(c, body->params[i]->name);
            ok = value_of_type(c, body->params[i]->type, &in[i]);
            if (ok) fill(s != NULL ? s : &seed_spec, in[i].x, in[i].slot.dims, in[i].slot.rank, in[i].n);
        }
        for (int i = 0; ok && i < body->n_results; i++) {
            if (!ch__is_float(body->results[i]->type->dtype)) continue;
            ok = value_of_type(c, body->results[i]->type, &seeds[n_seeds]);
            if (ok) fill(&seed_spec, seeds[n_seeds].x, NULL, 0, seeds[n_seeds].n);
            n_seeds++;
        }
        for (int i = 0; ok && i < body->n_params; i++) {
            if (!ch__is_float(in[i].slot.dtype)) continue;
            value_make(&dots[n_dots], in[i].slot.dtype, in[i].slot.rank, in[i].slot.dims);
            fill(&seed_spec, dots[n_dots].x, NULL, 0, dots[n_dots].n);
            n_dots++;
        }
        if (ok && g == NULL) ok = check_along(f, j, body->n_params, in, seeds, dots, n_dots);
        if (ok && g != NULL && j == NULL) ok = check_point(f, g, body->n_params, in, seeds, n_seeds);
        if (ok && g != NULL && j != NULL) ok = check_modes(j, g, body->n_params, in, seeds, n_seeds, dots, n_dots);
        for (int i = 0; i < MAX_PARAMS; i++) {
            value_free(&in[i]);
            value_free(&seeds[i]);
            value_free(&dots[i]);
        }
    }
    return ok;
}

static bool vjp(const ch_func *f, runner *out) {
    if (ch_vjp(f, NULL, 0, &out->f) != CH_OK || ch__protect(prepare, out) != CH_OK) {
        snprintf(detail, sizeof detail, "%s", ch_error_message());
        return false;
    }
    return true;
}

static bool jvp(const ch_func *f, runner *out) {
    if (ch_jvp(f, NULL, 0, &out->f) != CH_OK || ch__protect(prepare, out) != CH_OK) {
        snprintf(detail, sizeof detail, "%s", ch_error_message());
        return false;
    }
    return true;
}

static void drop(runner *r) {
    ch__arena_destroy(r->arena);
    ch_func_destroy(r->f);
}

static void see_op(void *arg, ch__op *op) {
    (void)arg;
    op_seen[op->code] = true;
}

// ---------------------------------------------------------------- policies
// The text with `policy` on every loop; false when it has none.
static bool with_policy(const char *text, const char *policy, char *out) {
    bool any = false;
    for (const char *p = text; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        bool loop = n > 3 && strncmp(p + n - 3, ") {", 3) == 0 && memchr(p, '%', n) != NULL &&
                    strstr(p, "iter(") != NULL && strstr(p, "iter(") < p + n;
        if (loop) {
            out += sprintf(out, "%.*s {policy = \"%s\"} {", (int)(n - 2), p, policy);
            any = true;
        } else {
            out += sprintf(out, "%.*s", (int)n, p);
        }
        p += n;
        if (*p == '\n') *out++ = *p++;
    }
    *out = '\0';
    return any;
}

// Adjoints of x and y (vjps of one func) are equal to 1e-13.
static bool same_adjoints(const test_case *c, const runner *f, const runner *x, const runner *y, int points) {
    static const input_spec seed_spec = {"", "real", -1, 1, 0};
    const ch__region *body = f->f->body, *all = x->f->body;
    bool ok = true;
    for (int k = 0; ok && k < points; k++) {
        value in[MAX_PARAMS] = {0}, a[MAX_PARAMS] = {0}, b[MAX_PARAMS] = {0};
        state = ch__hash_str(c->name) + (uint64_t)k * 977;
        for (int i = 0; ok && i < all->n_params; i++) {
            const input_spec *s = i < body->n_params ? spec_of(c, body->params[i]->name) : NULL;
            ok = value_of_type(c, all->params[i]->type, &in[i]);
            if (ok) fill(s != NULL ? s : &seed_spec, in[i].x, in[i].slot.dims, in[i].slot.rank, in[i].n);
        }
        ok = ok && run(x, all->n_params, in, a) && run(y, all->n_params, in, b);
        for (int i = 0; ok && i < all->n_results; i++)
            for (int64_t e = 0; ok && e < a[i].n; e++) {
                ok = fabs(a[i].x[e] - b[i].x[e]) <= 1e-13 * fmax(1, fabs(a[i].x[e]));
                if (!ok) snprintf(detail, sizeof detail, "adjoint %d: %.17g and %.17g", i, a[i].x[e], b[i].x[e]);
            }
        for (int i = 0; i < MAX_PARAMS; i++) {
            value_free(&in[i]);
            free(a[i].x);
            free(b[i].x);
        }
    }
    return ok;
}

static void check_policies(const test_case *c, const runner *g) {
    static const char *const policies[] = {"store", "recompute", "sqrt", "revolve(1)", "revolve(3)"};
    static char text[2 * MAX_TEXT];
    char name[96];
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        runner f = {0}, p = {0}, pp = {0};
        if (!with_policy(c->text, policies[i], text)) return;
        bool ok = ch_func_parse(text, c->name, &f.f) == CH_OK && ch__protect(prepare, &f) == CH_OK;
        if (!ok) snprintf(detail, sizeof detail, "%s", ch_error_message());
        ok = ok && vjp(f.f, &p) && same_adjoints(c, &f, g, &p, 5);
        if (ok && !c->once) ok = vjp(p.f, &pp) && check_points(c, &p, &pp, NULL, 1);
        snprintf(name, sizeof name, "%s, %s", c->name, policies[i]);
        report(ok, name);
        drop(&f);
        drop(&p);
        drop(&pp);
    }
}

// ---------------------------------------------------------------- Jacobians
// Blocks of the Jacobian j of f against the adjoints of g = vjp of f: <seeds, J> is each adjoint.
static bool check_blocks(const test_case *c, const runner *f, const runner *g, const runner *j, int points) {
    static const input_spec seed_spec = {"", "real", -1, 1, 0};
    const ch__region *body = f->f->body;
    bool ok = true;
    for (int k = 0; ok && k < points; k++) {
        value in[2 * MAX_PARAMS] = {0}, bars[MAX_PARAMS] = {0}, blocks[MAX_PARAMS] = {0};
        state = ch__hash_str(c->name) + (uint64_t)k * 977;
        for (int i = 0; ok && i < g->f->body->n_params; i++) {
            const input_spec *s = i < body->n_params ? spec_of(c, body->params[i]->name) : NULL;
            ok = value_of_type(c, g->f->body->params[i]->type, &in[i]);
            if (ok) fill(s != NULL ? s : &seed_spec, in[i].x, in[i].slot.dims, in[i].slot.rank, in[i].n);
        }
        int n_wrt = g->f->body->n_results, n_seeds = g->f->body->n_params - body->n_params;
        ok = ok && run(g, g->f->body->n_params, in, bars) && run(j, body->n_params, in, blocks);
        for (int w = 0; ok && w < n_wrt; w++)
            for (int64_t e = 0; ok && e < bars[w].n; e++) {
                double sum = 0, size = 1;
                for (int r = 0; r < n_seeds; r++)
                    for (int64_t o = 0; o < in[body->n_params + r].n; o++) {
                        double each = in[body->n_params + r].x[o] * blocks[r * n_wrt + w].x[o * bars[w].n + e];
                        sum += each;
                        size += fabs(each);
                    }
                ok = fabs(sum - bars[w].x[e]) <= 1e-11 * size;
                if (!ok) snprintf(detail, sizeof detail, "adjoint %d: %.17g, by blocks %.17g", w, bars[w].x[e], sum);
            }
        for (int i = 0; i < 2 * MAX_PARAMS; i++) value_free(&in[i]);
        for (int i = 0; i < MAX_PARAMS; i++) {
            value_free(&bars[i]);
            value_free(&blocks[i]);
        }
    }
    return ok;
}

static void check_jacobian(const test_case *c, const runner *f, const runner *g, const char *what, int points) {
    char name[96];
    runner j = {0};
    int n_out = g->f->body->n_params - f->f->body->n_params;
    if (n_out * g->f->body->n_results > MAX_PARAMS || g->f->body->n_params > MAX_PARAMS) return;
    ch_status s = ch_jacobian(f->f, NULL, &j.f);
    if (s != CH_OK && strcmp(ch_error_id(), "limit") == 0) return; // more axes than an array can have
    bool ok = s == CH_OK && ch__protect(prepare, &j) == CH_OK;
    if (!ok) snprintf(detail, sizeof detail, "%s", ch_error_message());
    snprintf(name, sizeof name, "%s, %s", c->name, what);
    report(ok && check_blocks(c, f, g, &j, points), name);
    drop(&j);
}

static void check_case(const test_case *c) {
    char name[96];
    runner f = {0}, g = {0}, h = {0}, j = {0}, jg = {0}, gj = {0}, jj = {0};
    bool ok = ch_func_parse(c->text, c->name, &f.f) == CH_OK && ch__protect(prepare, &f) == CH_OK;
    if (!ok) snprintf(detail, sizeof detail, "%s", ch_error_message());
    if (ok) {
        for (ch_func *each = f.f->module->first; each != NULL; each = each->next) ch__walk(each->body, see_op, NULL);
    }
    if (ok && c->forwards) {
        report(jvp(f.f, &j) && check_points(c, &f, NULL, &j, POINTS), c->name);
        snprintf(name, sizeof name, "%s, again", c->name);
        if (!c->once) report(j.f != NULL && jvp(j.f, &jj) && check_points(c, &j, NULL, &jj, POINTS_AGAIN), name);
        drop(&f);
        drop(&j);
        drop(&jj);
        return;
    }
    if (ok) ok = vjp(f.f, &g) && check_points(c, &f, &g, NULL, POINTS);
    report(ok, c->name);
    snprintf(name, sizeof name, "%s, forwards", c->name);
    if (ok) report(jvp(f.f, &j) && check_points(c, &f, &g, &j, POINTS), name);
    if (ok && !c->once) {
        bool again = vjp(g.f, &h) && check_points(c, &g, &h, NULL, POINTS_AGAIN);
        snprintf(name, sizeof name, "%s, again", c->name);
        report(again, name);
        snprintf(name, sizeof name, "%s, forward over reverse", c->name);
        report(again && jvp(g.f, &jg) && check_points(c, &g, &h, &jg, POINTS_AGAIN), name);
        snprintf(name, sizeof name, "%s, over forward", c->name);
        report(again && j.f != NULL && vjp(j.f, &gj) && check_points(c, &j, &gj, NULL, POINTS_AGAIN) && jvp(j.f, &jj) &&
                   check_points(c, &j, &gj, &jj, POINTS_AGAIN),
               name);
    }
    if (ok && g.f != NULL) check_policies(c, &g);
    if (ok && g.f != NULL) check_jacobian(c, &f, &g, "Jacobian", POINTS_AGAIN);
    if (ok && !c->once && h.f != NULL) check_jacobian(c, &g, &h, "Jacobian of the adjoints", 1);
    runner *all[] = {&f, &g, &h, &j, &jg, &gj, &jj};
    for (int i = 0; i < 7; i++) drop(all[i]);
}

// ---------------------------------------------------------------- files
static bool directive(test_case *c, const char *line) {
    if (strncmp(line, "// in ", 6) == 0) {
        input_spec *s = &c->in[c->n_in++];
        return sscanf(line, "// in %31[^:]: %7s %lf %lf %lf", s->name, s->kind, &s->a, &s->b, &s->c) >= 2;
    }
    if (strncmp(line, "// size ", 8) == 0) {
        long long v;
        if (sscanf(line, "// size %15s = %lld", c->size_names[c->n_sizes], &v) != 2) return false;
        c->size_values[c->n_sizes++] = v;
        return true;
    }
    if (strncmp(line, "// once", 7) == 0) c->once = true;
    if (strncmp(line, "// forwards", 11) == 0) c->forwards = true;
    return true;
}

static void run_file(const char *path, const char *only) {
    static test_case c;
    char line[1024];
    FILE *f = fopen(path, "r");
    bool open = false;
    snprintf(detail, sizeof detail, "%s: cannot be opened", path);
    if (f == NULL) {
        report(false, path);
        return;
    }
    for (;;) {
        bool more = fgets(line, sizeof line, f) != NULL;
        if (!more || strncmp(line, "// case: ", 9) == 0) {
            if (open && (only == NULL || strcmp(only, c.name) == 0)) check_case(&c);
            if (!more) break;
            memset(&c, 0, sizeof c);
            sscanf(line, "// case: %63[^\n]", c.name);
            strcpy(c.text, "chaac-ir 1\n");
            open = true;
        } else if (!directive(&c, line)) {
            snprintf(detail, sizeof detail, "%s: not understood: %s", path, line);
            report(false, c.name);
        } else if (open && strncmp(line, "//", 2) != 0) {
            if (strlen(c.text) + strlen(line) + 1 < sizeof c.text) strcat(c.text, line);
        }
    }
    fclose(f);
}

static bool differentiable(ch__opcode code) {
    const ch__rule *r = ch__rules[code];
    if (ch__is_collective((ch__opcode)code)) return false; // tests/unit/test_collective.c runs replicas
    return r->reverse != NULL && r->blocks != UINT32_MAX && code != CH_OP_const;
}

static void check_complete(void) {
    size_t n = 0;
    detail[0] = '\0';
    for (int code = 0; code < CH_OP_COUNT; code++) {
        bool none = strncmp(ch__op_info_of((ch__opcode)code)->reads, "none: ", 6) == 0;
        if (none != (ch__rules[code]->reverse == NULL))
            n += (size_t)snprintf(detail + n, sizeof detail - n, "%s: ops.def and its rule disagree; ",
                                  ch__op_name((ch__opcode)code));
        if (differentiable((ch__opcode)code) && !op_seen[code])
            n += (size_t)snprintf(detail + n, sizeof detail - n, "no case has %s; ", ch__op_name((ch__opcode)code));
    }
    report(n == 0, "every op with a derivative has a case");
}

int main(int argc, char **argv) {
    const char *only = argc > 2 && strncmp(argv[argc - 1], "--case=", 7) == 0 ? argv[--argc] + 7 : NULL;
    for (int i = 1; i < argc; i++) run_file(argv[i], only);
    if (only == NULL) check_complete();
    printf("1..%d\n", ran);
    return failed != 0;
}
