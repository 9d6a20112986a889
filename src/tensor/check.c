// SPDX-License-Identifier: Apache-2.0
// check.c - derivatives against differences of the values.
//
// The quantity compared is s(x) = <w, f(x)> with w = 1 for a gradient and random weights for a vector-Jacobian product.
// Its derivative along one element, or along a direction d, is estimated by central differences at steps h, h/2, h/4...
// with Richardson extrapolation: row k of the tableau has D(h_k), then combinations that cancel h^2, h^4, ... The entry
// whose neighbours differ least from it is the estimate, that difference its error (Ridders 1982). The first step is
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

typedef enum { CHECK_GRAD, CHECK_VJP, CHECK_JVP } check_mode;

typedef struct {
    const char *who;
    ch_check_options o;
    int n_in, n_out, n_wrt, n_weights;
    int *wrt;
    check_mode mode;
    ch_func *wide, *backwards, *forwards; // forwards: of check_jvp, or for the identity; may be NULL
    ch_exec *value, *reverse, *forward;
    ch__slot *in;      // n_in of the func, then a seed per floating result
    ch__slot *along;   // n_in of the func, then a tangent per wrt
    double **tangent;  // those, per wrt
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

// A number so that it reads back, in every locale.
static const char *number_text(double v, char buf[CH__NUM_CHARS]) {
    ch__format_f64(buf, v);
    return buf;
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

// <w, J t> of the tangents t there are.
static ch_status run_forward(check_job *j, double *out) {
    double sum = 0;
    drop_results(j->plus, j->n_out);
    CH_TRY(ch__exec_run(j->forward, NULL, j->n_in + j->n_wrt, j->along, j->forwards->body->n_results, j->plus));
    for (int i = 0, n = 0; i < j->n_out; i++) {
        if (j->weights[i] == NULL) continue;
        const ch__slot *s = &j->plus[n++];
        const double *v = s->data;
        for (int64_t k = 0, m = slot_numel(s); k < m; k++) sum += j->weights[i][k] * v[k];
    }
    *out = sum;
    return CH_OK;
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
static void check_compare(check_row *row, int64_t index, double got, double expected, double error, double floor) {
    double size = fmax(fmax(fabs(got), fabs(expected)), floor);
    double off = fabs(got - expected);
    double relative = off == 0 ? 0 : fmax(0, off - fmin(2 * error, 1e-3 * size)) / size;
    if (!isfinite(got) || !isfinite(expected)) relative = got == expected ? 0 : INFINITY;
    if (row->index != -2 && relative <= row->error) return;
    *row = (check_row){row->name, relative, got, expected, index};
}

// The derivative's number along element `at` of wrt w, or along `direction`: from the gradient, or by a run forwards.
static ch_status derivative_along(check_job *j, int w, int64_t at, const double *direction, int64_t n, double *got) {
    if (j->mode != CHECK_JVP) {
        *got = at >= 0 ? j->gradient[w][at] : 0;
        for (int64_t k = 0; at < 0 && k < n; k++) *got += j->gradient[w][k] * direction[k];
        return CH_OK;
    }
    double *t = j->tangent[w];
    for (int64_t k = 0; k < n; k++) t[k] = at >= 0 ? k == at : direction[k];
    ch_status s = run_forward(j, got);
    memset(t, 0, (size_t)n * sizeof *t);
    return s;
}

static ch_status check_element(check_job *j, int w, const check_path *p, double floor, check_row *row) {
    double got, expected, error;
    CH_TRY(derivative_along(j, w, p->at, p->direction, p->n, &got));
    CH_TRY(estimate(j, p, &expected, &error));
    check_compare(row, p->at, got, expected, error, floor);
    return CH_OK;
}

static ch_status check_input(check_job *j, int w, check_row *row) {
    int input = j->wrt[w];
    int64_t n = slot_numel(&j->in[input]), most = j->o.most_elements;
    double *x = j->data[input], *base = ch__alloc((size_t)(2 * n + 1) * sizeof *base), largest = 0;
    if (base == NULL) return ch__fail_oom(j->who);
    memcpy(base, x, (size_t)n * sizeof *base);
    const double *g = j->gradient[w];
    for (int64_t k = 0; g != NULL && k < n; k++)
        if (isfinite(g[k])) largest = fmax(largest, fabs(g[k]));
    double floor = fmax(1e-4 * largest, 1e-8);
    *row = (check_row){.name = ch_func_param_name(j->wide, input), .index = -2};
    ch_status s = CH_OK;
    for (int64_t c = 0; s == CH_OK && c < n && c < most; c++) {
        int64_t at = n <= most ? c : (int64_t)(check_bits(j) % (uint64_t)n);
        s = check_element(j, w, &(check_path){x, base, NULL, n, at, fmax(1, fabs(base[at]))}, floor, row);
    }
    if (s == CH_OK && n > most) {
        double *direction = base + n, size = 0;
        for (int64_t k = 0; k < n; k++) {
            direction[k] = check_draw(j) * fmax(1, fabs(base[k]));
            size += g == NULL ? 0 : fabs(g[k] * direction[k]);
        }
        s = check_element(j, w, &(check_path){x, base, direction, n, -1, 1}, fmax(1e-4 * size, 1e-8), row);
    }
    ch__free(base);
    return s;
}

// ---------------------------------------------------------------- setting up
struct derive_args {
    check_job *j;
    const ch_func *f;
};

static ch_func *check_kept(ch_func *f) {
    ch__arena_keep(f->module->arena);
    f->owns_module = true;
    return f;
}

static void derive_wide(void *arg) {
    struct derive_args *p = arg;
    check_job *j = p->j;
    ch_func *wide = ch__func_clone(p->f);
    for (ch_func *g = wide->module->first; g != NULL; g = g->next) ch__widen(g);
    j->n_wrt = ch__parse_wrt(wide->module->arena, wide, j->o.wrt, &j->wrt);
    j->wide = check_kept(wide);
}

static void derive_backwards(void *arg) {
    check_job *j = arg;
    j->backwards = check_kept(
        ch__reverse(j->wide, &(ch__reverse_options){.n_wrt = j->n_wrt, .wrt = j->wrt, .seeds = j->mode == CHECK_VJP}));
}

static void derive_forwards(void *arg) {
    check_job *j = arg;
    ch__forward_options o = {.n_wrt = j->n_wrt, .wrt = j->wrt, .lenient = j->mode == CHECK_VJP};
    j->forwards = check_kept(ch__forward(j->wide, &o));
}

// The derivatives and the code of all. Forward mode is for the identity only when reverse mode is what is checked:
// where it has no rule there is none.
static ch_status derive(check_job *j, const ch_func *f) {
    CH_TRY(ch__protect(derive_wide, &(struct derive_args){j, f}));
    CH_TRY(ch__compile(j->wide, "interp", &j->value));
    if (j->mode != CHECK_JVP) {
        CH_TRY(ch__protect(derive_backwards, j));
        CH_TRY(ch__compile(j->backwards, "interp", &j->reverse));
    }
    if (j->mode == CHECK_GRAD) return CH_OK;
    ch_status s = ch__protect(derive_forwards, j);
    if (s != CH_OK && j->mode == CHECK_VJP && ch__error_current() == CH__E_not_differentiable) return CH_OK;
    return s == CH_OK ? ch__compile(j->forwards, "interp", &j->forward) : s;
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
    j->along = list(j->n_in + j->n_wrt, sizeof *j->along);
    j->tangent = list(j->n_wrt, sizeof *j->tangent);
    if (j->in && j->data && j->weights && j->gradient && j->plus && j->minus && j->along && j->tangent) return CH_OK;
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
static ch_status take_weights(check_job *j) {
    bool seeds = j->mode != CHECK_GRAD;
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
    if (j->mode == CHECK_JVP) return CH_OK;
    ch__slot *out = list(j->n_wrt, sizeof *out);
    if (out == NULL) return ch__fail_oom(j->who);
    ch_status s = ch__exec_run(j->reverse, NULL, j->n_in + j->n_weights, j->in, j->n_wrt, out);
    for (int i = 0; s == CH_OK && i < j->n_wrt; i++) j->gradient[i] = out[i].data;
    ch__free(out);
    return s;
}

// Zero tangents.
static ch_status take_tangents(check_job *j) {
    if (j->forward == NULL) return CH_OK;
    memcpy(j->along, j->in, (size_t)j->n_in * sizeof *j->along);
    for (int i = 0; i < j->n_wrt; i++) {
        ch__slot *s = &j->along[j->n_in + i];
        *s = j->in[j->wrt[i]];
        s->data = j->tangent[i] = list(slot_numel(s), sizeof(double));
        if (s->data == NULL) return ch__fail_oom(j->who);
    }
    return CH_OK;
}

// <w, J t> = <J' w, t> for a random t, up to rounding.
static ch_status check_identity(check_job *j, FILE *report) {
    if (j->forward == NULL || j->mode != CHECK_VJP) return CH_OK;
    double forward, reverse = 0, size = 0;
    for (int i = 0; i < j->n_wrt; i++)
        for (int64_t k = 0, n = slot_numel(&j->in[j->wrt[i]]); k < n; k++) {
            double t = j->tangent[i][k] = check_draw(j), term = t * j->gradient[i][k];
            reverse += term;
            size += fabs(term);
        }
    CH_TRY(run_forward(j, &forward));
    char a[CH__NUM_CHARS], b[CH__NUM_CHARS];
    bool agrees = fabs(forward - reverse) <= 1e-9 * size || !isfinite(size);
    if (report != NULL)
        fprintf(report, "forward and reverse mode: %s, along a random direction %s and %s\n",
                agrees ? "agree" : "differ", number_text(forward, a), number_text(reverse, b));
    if (agrees) return CH_OK;
    return ch__fail(
        CH__E_derivative_mismatch,
        "%s: @%s, along a random direction: forward mode gives %s, reverse mode %s — the two are one number "
        "but for rounding",
        j->who, ch_func_name(j->wide), number_text(forward, a), number_text(reverse, b));
}

static void check_finish(check_job *j) {
    drop_results(j->plus, j->n_out);
    drop_results(j->minus, j->n_out);
    for (int i = 0; j->data != NULL && i < j->n_in; i++) ch__free(j->data[i]);
    for (int i = 0; j->weights != NULL && i < j->n_out; i++) ch__free(j->weights[i]);
    for (int i = 0; j->gradient != NULL && i < j->n_wrt; i++) ch__free_aligned(j->gradient[i]);
    for (int i = 0; j->tangent != NULL && i < j->n_wrt; i++) ch__free(j->tangent[i]);
    ch__free(j->along);
    ch__free(j->tangent);
    ch__free(j->in);
    ch__free(j->data);
    ch__free(j->weights);
    ch__free(j->gradient);
    ch__free(j->plus);
    ch__free(j->minus);
    ch__exec_release(j->value);
    ch__exec_release(j->reverse);
    ch__exec_release(j->forward);
    ch_func_destroy(j->wide);
    ch_func_destroy(j->backwards);
    ch_func_destroy(j->forwards);
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
static ch_status check_all(check_job *j, const ch_func *f, ch_tensor *const *in, FILE *report) {
    CH_TRY(derive(j, f));
    CH_TRY(make_lists(j));
    CH_TRY(check_inputs(j, f, in));
    CH_TRY(take_weights(j));
    CH_TRY(take_gradient(j));
    CH_TRY(take_tangents(j));
    check_row *rows = list(j->n_wrt, sizeof *rows);
    if (rows == NULL) return ch__fail_oom(j->who);
    ch_status s = CH_OK;
    for (int i = 0; s == CH_OK && i < j->n_wrt; i++) s = check_input(j, i, &rows[i]);
    if (s == CH_OK) s = tell(j, rows, report);
    ch__free(rows);
    return s == CH_OK ? check_identity(j, report) : s;
}

static ch_status check_with(const char *who, check_mode mode, const ch_func *f, int n_in, ch_tensor *const *in,
                            const ch_check_options *options, FILE *report) {
    if (f == NULL) return ch__fail(CH__E_argument, "%s: the func is NULL — give a func", who);
    if (n_in != f->body->n_params)
        return ch__fail(CH__E_arity, "%s: %d inputs given — @%s takes %d", who, n_in, f->name, f->body->n_params);
    if (options != NULL && options->struct_size != sizeof *options)
        return ch__fail(CH__E_argument, "%s: options.struct_size is %zu — set it to sizeof(ch_check_options), %zu", who,
                        options->struct_size, sizeof *options);
    check_job j = {.who = who, .n_in = n_in, .mode = mode};
    if (options != NULL) j.o = *options;
    if (!(j.o.tolerance > 0)) j.o.tolerance = 1e-6;
    if (j.o.most_elements <= 0) j.o.most_elements = 64;
    j.random = j.o.seed;
    ch_status s = check_all(&j, f, in, report);
    check_finish(&j);
    return s;
}

ch_status ch_check_grad(const ch_func *f, int n_in, ch_tensor *const *in, const ch_check_options *options,
                        FILE *report) {
    return check_with("check_grad", CHECK_GRAD, f, n_in, in, options, report);
}

ch_status ch_check_vjp(const ch_func *f, int n_in, ch_tensor *const *in, const ch_check_options *options,
                       FILE *report) {
    return check_with("check_vjp", CHECK_VJP, f, n_in, in, options, report);
}

ch_status ch_check_jvp(const ch_func *f, int n_in, ch_tensor *const *in, const ch_check_options *options,
                       FILE *report) {
    return check_with("check_jvp", CHECK_JVP, f, n_in, in, options, report);
}
