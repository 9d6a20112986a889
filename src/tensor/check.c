// SPDX-License-Identifier: Apache-2.0
// check.c - derivatives against differences of the values.
//
// The quantity compared is s(x) = <w, f(x)> with w = 1 for a gradient and random weights for a vector-Jacobian product.
// Its derivative along one element, or along a direction d, is estimated by central differences at steps h, h/2, h/4...
// with Richardson extrapolation: row k of the tableau has D(h_k), then combinations that cancel h^2, h^4, ...; the entry
// whose neighbours differ least from it is the estimate, and that difference its error (Ridders 1982). The first step is
// 2^-7 max(1, |x|); values that are not finite leave a row out. Differences are summed per result element, so that
// large results do not drown small ones.

#include "chaac/check.h"

#include <math.h>
#include <string.h>

#include "tensor/tensor.h"

enum { ROWS = 9 };

typedef struct {
    const char *name; // of the param
    double error, got, expected;
    int64_t index; // -1: along a random direction
} check_row;

typedef struct {
    const char *who;
    ch_check_options o;
    int n_in, n_out, n_wrt, n_weights;
    int *wrt;
    ch_func *wide, *derivative;
    ch_exec *value, *reverse;
    ch__slot *in;      // n_in of the func, then a seed per floating result
    double **data;     // the floating ones as f64, ours; NULL: the tensor's own
    double **weights;  // a result's; NULL: not floating
    double **gradient; // per wrt
    ch__slot *plus, *minus;
    uint64_t random;
} check_job;

// ---------------------------------------------------------------- drawn numbers (splitmix64)
static uint64_t check_bits(check_job *j) {
    uint64_t z = j->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// In [-1, 1), away from 0 so that nothing is left out by chance.
static double check_draw(check_job *j) {
    double u = (double)(check_bits(j) >> 11) * 0x1p-53;
    return u < 0.5 ? u - 1 : u;
}

// ---------------------------------------------------------------- running
static int64_t slot_numel(const ch__slot *s) {
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) n *= s->dims[i];
    return n;
}

static void drop_results(ch__slot *s, int n) {
    for (int i = 0; s != NULL && i < n; i++) {
        ch__free_aligned(s[i].data);
        memset(&s[i], 0, sizeof s[i]);
    }
}

static ch_status run_value(check_job *j, ch__slot *out) {
    drop_results(out, j->n_out);
    return ch__exec_run(j->value, NULL, j->n_in, j->in, j->n_out, out);
}

// s(x + h d) - s(x - h d) from two runs.
static double weighted_difference(const check_job *j) {
    double sum = 0;
    for (int i = 0; i < j->n_out; i++) {
        if (j->weights[i] == NULL) continue;
        const double *plus = j->plus[i].data, *minus = j->minus[i].data;
        int64_t n = slot_numel(&j->plus[i]);
        for (int64_t k = 0; k < n; k++) sum += j->weights[i][k] * (plus[k] - minus[k]);
    }
    return sum;
}

// ---------------------------------------------------------------- differences
// Where to step: element `at` of input x, or along `direction` from `base` when at is -1.
typedef struct {
    double *x, *base, *direction;
    int64_t n, at;
    double scale; // of the first step
} check_path;

// x at distance h; what distance that is, after rounding.
static double step_to(const check_path *p, double h) {
    if (p->at >= 0) {
        volatile double moved = p->base[p->at] + h;
        p->x[p->at] = moved;
        return moved - p->base[p->at];
    }
    for (int64_t k = 0; k < p->n; k++) p->x[k] = p->base[k] + h * p->direction[k];
    return h;
}

static void step_back(const check_path *p) {
    if (p->at >= 0)
        p->x[p->at] = p->base[p->at];
    else
        memcpy(p->x, p->base, (size_t)p->n * sizeof *p->x);
}

static ch_status central(check_job *j, const check_path *p, double h, double *out) {
    double up = step_to(p, h);
    CH_TRY(run_value(j, j->plus));
    double down = step_to(p, -h);
    CH_TRY(run_value(j, j->minus));
    *out = weighted_difference(j) / (up - down);
    return CH_OK;
}

static ch_status estimate(check_job *j, const check_path *p, double *out, double *error) {
    double table[ROWS][ROWS];
    int rows = 0;
    *out = NAN;
    *error = INFINITY;
    double h = 0x1p-7 * p->scale;
    for (int k = 0; k < ROWS; k++, h /= 2) {
        double *row = table[rows], factor = 4;
        CH_TRY(central(j, p, h, &row[0]));
        if (!isfinite(row[0])) {
            rows = 0; // the steps before were across a pole or outside the domain
            continue;
        }
        for (int m = 1; m <= rows; m++, factor *= 4) {
            row[m] = (factor * row[m - 1] - table[rows - 1][m - 1]) / (factor - 1);
            double e = fmax(fabs(row[m] - row[m - 1]), fabs(row[m] - table[rows - 1][m - 1]));
            if (e > *error) continue;
            *error = e;
            *out = row[m];
        }
        rows++;
        if (rows > 2 && *error <= 1e-11 * fabs(*out)) break;
    }
    step_back(p);
    return CH_OK;
}

// ---------------------------------------------------------------- comparing
static void compare(check_row *row, int64_t index, double got, double expected, double error, double floor) {
    double size = fmax(fmax(fabs(got), fabs(expected)), floor);
    double off = fabs(got - expected);
    double relative = off == 0 ? 0 : fmax(0, off - fmin(2 * error, 1e-3 * size)) / size;
    if (!isfinite(got) || !isfinite(expected)) relative = got == expected ? 0 : INFINITY;
    if (row->index != -2 && relative <= row->error) return;
    *row = (check_row){row->name, relative, got, expected, index};
}

static ch_status check_input(check_job *j, int w, check_row *row) {
    int input = j->wrt[w];
    int64_t n = slot_numel(&j->in[input]), most = j->o.most_elements;
    double *x = j->data[input], *base = ch__alloc((size_t)(2 * n + 1) * sizeof *base), largest = 0;
    if (base == NULL) return ch__fail_oom(j->who);
    memcpy(base, x, (size_t)n * sizeof *base);
    const double *g = j->gradient[w];
    for (int64_t k = 0; k < n; k++)
        if (isfinite(g[k])) largest = fmax(largest, fabs(g[k]));
    double floor = fmax(1e-4 * largest, 1e-8), expected, error;
    *row = (check_row){.name = ch_func_param_name(j->wide, input), .index = -2};
    ch_status s = CH_OK;
    for (int64_t c = 0; s == CH_OK && c < n && c < most; c++) {
        int64_t at = n <= most ? c : (int64_t)(check_bits(j) % (uint64_t)n);
        check_path p = {x, base, NULL, n, at, fmax(1, fabs(base[at]))};
        s = estimate(j, &p, &expected, &error);
        if (s == CH_OK) compare(row, at, g[at], expected, error, floor);
    }
    if (s == CH_OK && n > most) {
        check_path p = {x, base, base + n, n, -1, 1};
        double along = 0, size = 0;
        for (int64_t k = 0; k < n; k++) {
            p.direction[k] = check_draw(j) * fmax(1, fabs(base[k]));
            along += g[k] * p.direction[k];
            size += fabs(g[k] * p.direction[k]);
        }
        s = estimate(j, &p, &expected, &error);
        if (s == CH_OK) compare(row, -1, along, expected, error, fmax(1e-4 * size, 1e-8));
    }
    ch__free(base);
    return s;
}

// ---------------------------------------------------------------- setting up
struct derive_args {
    check_job *j;
    const ch_func *f;
    bool seeds;
};

static void derive(void *arg) {
    struct derive_args *p = arg;
    check_job *j = p->j;
    ch_func *wide = ch__func_clone(p->f);
    for (ch_func *g = wide->module->first; g != NULL; g = g->next) ch__widen(g);
    int *wrt;
    j->n_wrt = ch__parse_wrt(wide->module->arena, wide, j->o.wrt, &wrt);
    j->wrt = wrt;
    ch__reverse_options o = {.n_wrt = j->n_wrt, .wrt = wrt, .seeds = p->seeds};
    ch_func *derivative = ch__reverse(wide, &o);
    ch__arena_keep(wide->module->arena);
    ch__arena_keep(derivative->module->arena);
    wide->owns_module = derivative->owns_module = true;
    j->wide = wide;
    j->derivative = derivative;
}

static void *list(int64_t n, size_t size) { return ch__calloc((size_t)n + 1, size); }

static ch_status make_lists(check_job *j) {
    j->n_out = j->wide->body->n_results;
    j->in = list(j->n_in + j->n_out, sizeof *j->in);
    j->data = list(j->n_in, sizeof *j->data);
    j->weights = list(j->n_out, sizeof *j->weights);
    j->gradient = list(j->n_wrt, sizeof *j->gradient);
    j->plus = list(j->n_out, sizeof *j->plus);
    j->minus = list(j->n_out, sizeof *j->minus);
    if (j->in && j->data && j->weights && j->gradient && j->plus && j->minus) return CH_OK;
    return ch__fail_oom(j->who);
}

// Floating inputs are copied as f64, where steps can be taken.
static ch_status check_inputs(check_job *j, const ch_func *f, ch_tensor *const *in) {
    for (int i = 0; i < j->n_in; i++) {
        if (ch_data(in[i]) == NULL) return ch__err_status(ch__error_current());
        const ch__type *want = f->body->params[i]->type;
        ch__tensor_slot(in[i], &j->in[i]);
        ch__slot *s = &j->in[i];
        if (s->dtype != want->dtype || s->rank != want->rank) {
            char got[256];
            ch_tensor_type(in[i], got, sizeof got);
            return ch__fail(CH__E_dtype_mismatch, "%s: input '%s' is %s — it has to be %s", j->who,
                            ch_func_param_name(f, i), got, ch_func_param_type(f, i));
        }
        if (!ch__is_float(s->dtype)) continue;
        int64_t n = slot_numel(s);
        j->data[i] = list(n, sizeof(double));
        if (j->data[i] == NULL) return ch__fail_oom(j->who);
        for (int64_t k = 0; k < n; k++) j->data[i][k] = ch__element_f64(s->dtype, s->data, k);
        s->dtype = CH_F64;
        s->data = j->data[i];
    }
    return CH_OK;
}

// Weights of the results; they are the seeds of the derivative, after the inputs.
static ch_status take_weights(check_job *j, bool seeds) {
    CH_TRY(run_value(j, j->plus));
    j->n_weights = 0;
    for (int i = 0; i < j->n_out && (seeds || i == 0); i++) {
        if (j->plus[i].dtype != CH_F64) continue;
        int64_t n = slot_numel(&j->plus[i]);
        j->weights[i] = list(n, sizeof(double));
        if (j->weights[i] == NULL) return ch__fail_oom(j->who);
        for (int64_t k = 0; k < n; k++) j->weights[i][k] = seeds ? check_draw(j) : 1;
        if (!seeds) continue;
        ch__slot *s = &j->in[j->n_in + j->n_weights++];
        *s = j->plus[i];
        s->data = j->weights[i];
    }
    return CH_OK;
}

static ch_status take_gradient(check_job *j) {
    ch__slot *out = list(j->n_wrt, sizeof *out);
    if (out == NULL) return ch__fail_oom(j->who);
    ch_status s = ch__exec_run(j->reverse, NULL, j->n_in + j->n_weights, j->in, j->n_wrt, out);
    for (int i = 0; s == CH_OK && i < j->n_wrt; i++) j->gradient[i] = out[i].data;
    ch__free(out);
    return s;
}

static void finish(check_job *j) {
    drop_results(j->plus, j->n_out);
    drop_results(j->minus, j->n_out);
    for (int i = 0; j->data != NULL && i < j->n_in; i++) ch__free(j->data[i]);
    for (int i = 0; j->weights != NULL && i < j->n_out; i++) ch__free(j->weights[i]);
    for (int i = 0; j->gradient != NULL && i < j->n_wrt; i++) ch__free_aligned(j->gradient[i]);
    ch__free(j->in);
    ch__free(j->data);
    ch__free(j->weights);
    ch__free(j->gradient);
    ch__free(j->plus);
    ch__free(j->minus);
    ch__exec_release(j->value);
    ch__exec_release(j->reverse);
    ch_func_destroy(j->wide);
    ch_func_destroy(j->derivative);
}

// ---------------------------------------------------------------- telling
// "element [1,2]", "the number" or "a random direction".
static const char *index_text(const ch__slot *s, int64_t index, char *buf, size_t cap) {
    if (index == -2) {
        snprintf(buf, cap, "no element");
    } else if (index < 0) {
        snprintf(buf, cap, "a random direction");
    } else if (s->rank == 0) {
        snprintf(buf, cap, "the number");
    } else {
        int64_t at[CH__MAX_RANK];
        for (int i = s->rank; i-- > 0; index /= s->dims[i]) at[i] = index % s->dims[i];
        size_t n = (size_t)snprintf(buf, cap, "element [");
        for (int i = 0; i < s->rank && n < cap; i++)
            n += (size_t)snprintf(buf + n, cap - n, "%s%" PRId64, i ? "," : "", at[i]);
        if (n < cap) snprintf(buf + n, cap - n, "]");
    }
    return buf;
}

// A number so that it reads back, in every locale.
static const char *number_text(double v, char buf[CH__NUM_CHARS]) {
    ch__format_f64(buf, v);
    return buf;
}

static ch_status tell(const check_job *j, const check_row *rows, FILE *report) {
    const check_row *worst = NULL;
    int at = 0;
    char where[256], a[CH__NUM_CHARS], b[CH__NUM_CHARS], c[CH__NUM_CHARS], d[CH__NUM_CHARS];
    for (int i = 0; i < j->n_wrt; i++) {
        const ch__slot *s = &j->in[j->wrt[i]];
        if (report != NULL)
            fprintf(report, "%s: %s of %" PRId64 ": %s, the derivative gives %s, differences %s\n", rows[i].name,
                    index_text(s, rows[i].index, where, sizeof where), slot_numel(s),
                    rows[i].error <= j->o.tolerance ? "agrees" : "differs", number_text(rows[i].got, a),
                    number_text(rows[i].expected, b));
        if (rows[i].error <= j->o.tolerance || (worst != NULL && rows[i].error <= worst->error)) continue;
        worst = &rows[i];
        at = i;
    }
    if (worst == NULL) return CH_OK;
    return ch__fail(
        CH__E_derivative_mismatch,
        "%s: @%s, input '%s', %s: the derivative gives %s, differences of the values %s — relative error %s, "
        "up to %s is allowed",
        j->who, ch_func_name(j->wide), worst->name, index_text(&j->in[j->wrt[at]], worst->index, where, sizeof where),
        number_text(worst->got, a), number_text(worst->expected, b), number_text(worst->error, c),
        number_text(j->o.tolerance, d));
}

// ---------------------------------------------------------------- all of it
static ch_status check_all(check_job *j, const ch_func *f, bool seeds, ch_tensor *const *in, FILE *report) {
    struct derive_args args = {j, f, seeds};
    CH_TRY(ch__protect(derive, &args));
    CH_TRY(make_lists(j));
    CH_TRY(ch__compile(j->wide, "interp", &j->value));
    CH_TRY(ch__compile(j->derivative, "interp", &j->reverse));
    CH_TRY(check_inputs(j, f, in));
    CH_TRY(take_weights(j, seeds));
    CH_TRY(take_gradient(j));
    check_row *rows = list(j->n_wrt, sizeof *rows);
    if (rows == NULL) return ch__fail_oom(j->who);
    ch_status s = CH_OK;
    for (int i = 0; s == CH_OK && i < j->n_wrt; i++) s = check_input(j, i, &rows[i]);
    if (s == CH_OK) s = tell(j, rows, report);
    ch__free(rows);
    return s;
}

static ch_status check_with(const char *who, const ch_func *f, bool seeds, int n_in, ch_tensor *const *in,
                            const ch_check_options *options, FILE *report) {
    if (f == NULL) return ch__fail(CH__E_argument, "%s: the func is NULL — give a func", who);
    if (n_in != f->body->n_params)
        return ch__fail(CH__E_arity, "%s: %d inputs given — @%s takes %d", who, n_in, f->name, f->body->n_params);
    if (options != NULL && options->struct_size != sizeof *options)
        return ch__fail(CH__E_argument, "%s: options.struct_size is %zu — set it to sizeof(ch_check_options), %zu", who,
                        options->struct_size, sizeof *options);
    check_job j = {.who = who, .n_in = n_in};
    if (options != NULL) j.o = *options;
    if (!(j.o.tolerance > 0)) j.o.tolerance = 1e-6;
    if (j.o.most_elements <= 0) j.o.most_elements = 64;
    j.random = j.o.seed;
    ch_status s = check_all(&j, f, seeds, in, report);
    finish(&j);
    return s;
}

ch_status ch_check_grad(const ch_func *f, int n_in, ch_tensor *const *in, const ch_check_options *options,
                        FILE *report) {
    return check_with("check_grad", f, false, n_in, in, options, report);
}

ch_status ch_check_vjp(const ch_func *f, int n_in, ch_tensor *const *in, const ch_check_options *options,
                       FILE *report) {
    return check_with("check_vjp", f, true, n_in, in, options, report);
}
