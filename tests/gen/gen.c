// SPDX-License-Identifier: Apache-2.0
// gen.c - random funcs from a seed: numbers, the pool of values, types, whole funcs and their inputs.
//
// A func is grown op by op. The pool holds every value that may be used at the place where the builder stands; each
// step picks a kind of op, values it can work on, and adds what it gives. With `differentiable` an interval is known
// for every value, from the inputs' on, and a step takes only values whose interval keeps clear of the op's kinks and
// poles, or shifts and scales them first.
#include "gen/gen_internal.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- numbers

// Steele, Lea, Flood: SplitMix64 (2014).
static uint64_t splitmix(uint64_t *s) {
    uint64_t z = *s += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t gen_u64(gen *g) { return splitmix(&g->state); }
int gen_int(gen *g, int n) { return (int)(gen_u64(g) % (uint64_t)n); }
bool gen_one_in(gen *g, int n) { return gen_int(g, n) == 0; }
double gen_real(gen *g, double lo, double hi) { return lo + (hi - lo) * (double)(gen_u64(g) >> 11) * 0x1p-53; }

// ---------------------------------------------------------------- the pool

void gen_add(gen *g, ch__value *v, double lo, double hi) { CH_PUSH(g->arena, &g->pool, (gen_val){v, lo, hi}); }
void gen_add_any(gen *g, ch__value *v) { gen_add(g, v, -INFINITY, INFINITY); }

// Half of the picks look at the newest values, so that funcs get deep and not only wide.
gen_val *gen_pick(gen *g, bool (*ok)(const gen *, const gen_val *, const void *), const void *arg) {
    int64_t n = g->pool.n, from = n > 6 && gen_one_in(g, 2) ? n - 6 : 0;
    if (n == 0) return NULL;
    int64_t start = from + gen_int(g, (int)(n - from));
    for (int64_t i = 0; i < n; i++) {
        gen_val *v = &g->pool.data[(start + i) % n];
        if (ok(g, v, arg)) return v;
    }
    return NULL;
}

static bool is_type(const gen *g, const gen_val *v, const void *t) {
    (void)g;
    return ch__type_equal(v->v->type, t);
}

gen_val *gen_pick_type(gen *g, const ch__type *t) { return gen_pick(g, is_type, t); }

typedef struct class_wish {
    const char *classes;
    int min_rank;
} class_wish;

static bool is_class(const gen *g, const gen_val *v, const void *arg) {
    const class_wish *w = arg;
    const ch__type *t = v->v->type;
    (void)g;
    return !t->tape && t->rank >= w->min_rank && strchr(w->classes, ch__dtype_class(t->dtype));
}

gen_val *gen_pick_class(gen *g, const char *classes, int min_rank) {
    return gen_pick(g, is_class, &(class_wish){classes, min_rank});
}

gen_val *gen_pick_float(gen *g, int min_rank) { return gen_pick_class(g, "f", min_rank); }

// ---------------------------------------------------------------- sizes and types

static const char *const gen_symbols[] = {"n", "m"};

ch__dim gen_dim(gen *g) {
    if (g->o->symbolic && g->f->dims.n > 0 && gen_one_in(g, 2))
        return ch__dim_symbol(g->arena, g->f->dims.data[gen_int(g, (int)g->f->dims.n)].name);
    if (g->o->zero_sizes && gen_one_in(g, 12)) return ch__dim_const(0);
    static const int sizes[] = {1, 2, 2, 3, 3, 4, 7, 8, 17, 32, 64, 101, 257};
    return ch__dim_const(sizes[gen_int(g, g->o->large ? 13 : 6)]);
}

static int64_t most_symbol(const ch__gen_options *o) { return o->large ? 130 : 5; }

// Sizes grow with their symbols here, but for differences: those are taken at both ends.
static int64_t dim_at(const gen *g, ch__dim d, int64_t at) {
    const char *names[16];
    int64_t values[16], out;
    int n = (int)g->f->dims.n;
    for (int i = 0; i < n && i < 16; i++) {
        names[i] = g->f->dims.data[i].name;
        values[i] = at;
    }
    if (ch__dim_eval(d, &(ch__dim_env){n, names, values}, &out) != CH_OK) return INT32_MAX; // a local symbol
    return out;
}

int64_t gen_most(const gen *g, ch__dim d) {
    if (ch__dim_is_const(d)) return d.val;
    int64_t lo = dim_at(g, d, 0), hi = dim_at(g, d, most_symbol(g->o));
    return lo > hi ? lo : hi;
}

int64_t gen_least(const gen *g, ch__dim d) {
    if (ch__dim_is_const(d)) return d.val;
    int64_t lo = dim_at(g, d, g->o->zero_sizes ? 0 : 1), hi = dim_at(g, d, most_symbol(g->o));
    if (lo == INT32_MAX) return 0;
    return lo < hi ? lo : hi;
}

bool gen_fits(const gen *g, int rank, const ch__dim *dims) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) {
        int64_t d = gen_most(g, dims[i]);
        if (d < 0 || d > (g->o->large ? 70000 : 1000)) return false;
        n *= d > 0 ? d : 1;
        if (n > (g->o->large ? 200000 : 3000)) return false;
    }
    return rank <= 5;
}

const ch__type *gen_type(gen *g, ch_dtype d, int rank, const ch__dim *dims) {
    return ch__type_make(g->arena, d, rank, dims, NULL);
}

ch_dtype gen_float(const gen *g) { return g->o->single ? CH_F32 : CH_F64; }

ch_dtype gen_dtype(gen *g) {
    static const ch_dtype all[] = {CH_F32, CH_F32, CH_F64, CH_F64, CH_F16, CH_BF16, CH_I32,
                                   CH_I64, CH_I8,  CH_U8,  CH_U32, CH_I16, CH_U64,  CH_BOOL};
    if (g->o->differentiable) return gen_float(g);
    return all[gen_int(g, (int)(sizeof all / sizeof *all))];
}

const ch__type *gen_random_type(gen *g, int max_rank) {
    ch__dim dims[8];
    int rank = gen_int(g, max_rank + 1);
    for (int i = 0; i < rank; i++) dims[i] = gen_dim(g);
    return gen_type(g, gen_dtype(g), rank, dims);
}

ch__value *gen_splat(gen *g, const ch__type *t, double v) {
    g->budget--;
    return ch__b_splat(&g->b, t, v);
}

ch__value *gen_i64(gen *g, int64_t v) { return gen_splat(g, ch__type_scalar(CH_I64), (double)v); }

gen_val gen_scaled(gen *g, gen_val x, double mag) {
    double most = fmax(fabs(x.lo), fabs(x.hi));
    if (!g->o->differentiable || most <= mag) return x;
    double by = mag / most;
    ch__value *c = gen_splat(g, x.v->type, by);
    g->budget--;
    return (gen_val){ch__b_mul(&g->b, x.v, c), x.lo * by, x.hi * by};
}

ch__op *gen_op(gen *g, ch__opcode code, int n, ch__value *const *operands, int n_attrs, const ch__attr *attrs,
               const ch__type *type) {
    g->budget--;
    return ch__build(&g->b, code, n, operands, n_attrs, attrs, type ? 1 : 0, type ? &type : NULL, 0, NULL);
}

// ---------------------------------------------------------------- steps

bool gen_step(gen *g) {
    const ch__gen_options *o = g->o;
    switch (gen_int(g, 26)) {
    case 0:
    case 1:
    case 2:
    case 3: return gen_unary(g);
    case 4:
    case 5:
    case 6:
    case 7: return gen_binary(g);
    case 8: return gen_choose(g);
    case 9: return o->differentiable ? o->in_place && g->depth == 0 && gen_in_place(g) : gen_types(g);
    case 10:
        if (!o->differentiable) return gen_cmath(g);
        if (o->recursion && g->depth == 0 && gen_one_in(g, 3)) return gen_recursive(g);
        return o->libm && gen_libm(g);
    case 11: return gen_make(g);
    case 12:
    case 13:
    case 14: return gen_shape(g);
    case 15: return gen_indexed(g);
    case 16:
    case 17: return gen_reduce(g);
    case 18: return gen_window(g);
    case 19: return gen_dot(g);
    case 20: return gen_one_in(g, 2) ? gen_conv(g) : gen_factor(g);
    case 21: return gen_order(g);
    case 22: return o->branches && g->depth < 3 && gen_branch(g);
    case 23: return o->calls && g->depth < 3 && gen_call(g);
    case 24: return o->loops && (gen_one_in(g, 2) ? gen_element(g) : g->depth < 2 && gen_loop(g));
    default: return o->tapes && (o->differentiable ? gen_popped(g) : gen_tape(g));
    }
}

void gen_body(gen *g, int ops) {
    int end = g->budget - ops;
    for (int tries = 0; g->budget > end && tries < 20 * ops; tries++) gen_step(g);
}

// ---------------------------------------------------------------- whole funcs

// Params: the first holds every symbol, so that all are bound; one of each kind that ops like.
static void make_params(gen *g) {
    ch__dim dims[4];
    int rank = 0;
    if (g->o->symbolic)
        for (int i = 0; i < 1 + gen_int(g, 2); i++) {
            ch__func_add_dim(g->f, gen_symbols[i], 0, INT64_MAX);
            dims[rank++] = ch__dim_symbol(g->arena, gen_symbols[i]);
        }
    while (rank < 2) dims[rank++] = gen_dim(g);
    int n = 2 + gen_int(g, 3);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        ch_dtype first = g->o->differentiable ? gen_float(g) : gen_one_in(g, 2) ? CH_F32 : CH_F64;
        const ch__type *t = i ? gen_random_type(g, 3) : gen_type(g, first, rank, dims);
        gen_add(g, ch__func_add_param(g->f, name, t), 0.29, 1.31);
    }
    gen_add_any(g, ch__func_add_param(g->f, "at", ch__type_scalar(CH_I64)));
    if (g->o->branches) gen_add_any(g, ch__func_add_param(g->f, "flag", ch__type_scalar(CH_BOOL)));
}

static bool is_result(const gen *g, const gen_val *v, const void *arg) {
    (void)arg;
    const ch__type *t = v->v->type;
    for (int i = 0; i < t->rank; i++)
        if (gen_most(g, t->dims[i]) == INT32_MAX) return false; // a size known only inside
    return !t->tape && v->v->op != NULL;
}

// The sum of a few values: a scalar that much of the func goes into.
static ch__value *make_loss(gen *g) {
    ch__value *loss = NULL;
    for (int i = 0; i < 3; i++) {
        gen_val *x = gen_pick_float(g, 0);
        ch__value *s = gen_scaled(g, *x, 2).v;
        int64_t dims[CH__MAX_RANK];
        for (int k = 0; k < s->type->rank; k++) dims[k] = k;
        if (s->type->rank) s = ch__b_reduce(&g->b, CH__SUM, s, s->type->rank, dims);
        loss = loss ? ch__b_add(&g->b, loss, s) : s;
    }
    return loss;
}

static void make_results(gen *g) {
    ch__value *results[4];
    int n = 0;
    if (g->o->differentiable) results[n++] = make_loss(g);
    for (int i = 0; i < 3; i++) {
        gen_val *v = gen_pick(g, is_result, NULL);
        if (v) results[n++] = v->v;
    }
    if (n == 0) results[n++] = g->f->body->params[0];
    const char *names[4] = {gen_one_in(g, 2) ? "first" : NULL, NULL, gen_one_in(g, 2) ? "third" : NULL, NULL};
    ch__func_set_results(g->f, n, results, names);
}

// Some values get names, as those of captured and read funcs have.
static void give_name(void *arg, ch__op *op) {
    gen *g = arg;
    static const char *const names[] = {"a", "h", "x0", "loss", "a_1"};
    for (int i = 0; i < op->n_results; i++)
        if (gen_one_in(g, 4)) op->results[i].name = names[gen_int(g, 5)];
}

ch_func *ch__gen_func(uint64_t seed, const ch__gen_options *o) {
    ch__module *m = ch__module_create();
    gen g = {.state = seed * UINT64_C(0xd1342543de82ef95) + 1, .o = o, .arena = m->arena};
    g.f = ch__func_create(m, "f");
    g.b = ch__builder_at_end(g.f->body);
    g.budget = o->max_ops > 0 ? o->max_ops : 24;
    make_params(&g);
    for (int tries = 0; o->control && tries < 5; tries++) {
        if (o->in_place && gen_one_in(&g, 2) && gen_in_place(&g)) break;
        if (o->recursion && gen_one_in(&g, 3) && gen_recursive(&g)) break;
        if (o->loops && !gen_one_in(&g, 3) ? gen_loop(&g) : gen_branch(&g)) break;
    }
    gen_body(&g, 1 + gen_int(&g, g.budget > 0 ? g.budget : 1));
    make_results(&g);
    ch__walk(g.f->body, give_name, &g);
    if (m->first != m->last) { // what is called was made later: the func itself stands last
        m->first = g.f->next;
        m->last->next = g.f;
        m->last = g.f;
        g.f->next = NULL;
    }
    ch__verify_module(m);
    return g.f;
}

// ---------------------------------------------------------------- inputs

static uint64_t input_bits(uint64_t *s, ch_dtype d) {
    uint64_t r = splitmix(s), pick = splitmix(s) % 40;
    size_t size = ch_dtype_size(d);
    if (d == CH_BOOL) return r & 1;
    if (ch__is_int(d)) {
        if (pick == 0) return UINT64_C(1) << (8 * size - 1); // the smallest
        if (pick == 1) return UINT64_MAX;
        return pick < 30 ? r % 7 : r;
    }
    double v = (double)(r >> 11) * 0x1p-52 * 4 - 4;
    if (pick == 0) v = INFINITY;
    if (pick == 1) v = NAN;
    if (pick == 2) v = -0.0;
    if (pick == 3) v = r & 1 ? 1e-310 : 1e-40;
    if (pick == 4) v = (double)((int)(r % 9) - 4);
    uint64_t bits = 0;
    if (d == CH_F64) memcpy(&bits, &v, 8);
    float f = (float)v;
    if (d == CH_F32) memcpy(&bits, &f, 4);
    if (d == CH_F16) bits = ch__f64_to_f16(v);
    if (d == CH_BF16) bits = ch__f64_to_bf16(v);
    return bits;
}

ch__array *ch__gen_inputs(ch__arena *a, uint64_t seed, const ch_func *f, const ch__gen_options *o) {
    uint64_t s = seed ^ UINT64_C(0x5851f42d4c957f2d);
    const char *names[64];
    int64_t values[64];
    int n = (int)f->dims.n;
    for (int i = 0; i < n && i < 64; i++) {
        names[i] = f->dims.data[i].name;
        values[i] = (int64_t)(splitmix(&s) % (uint64_t)(most_symbol(o) + o->zero_sizes)) + !o->zero_sizes;
    }
    ch__array *out = CH_NEW_ARRAY(a, ch__array, f->body->n_params + 1);
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__type *t = f->body->params[i]->type;
        int64_t *dims = CH_NEW_ARRAY(a, int64_t, t->rank + 1), count;
        for (int k = 0; k < t->rank; k++)
            CH_RAISE_IF(ch__dim_eval(t->dims[k], &(ch__dim_env){n, names, values}, &dims[k]));
        if (!ch__numel(t->rank, dims, &count)) ch__raise(CH__E_dim_overflow, "an input is too large");
        size_t size = ch_dtype_size(t->dtype);
        uint8_t *data = ch__arena_array(a, (size_t)count + 1, size);
        for (int64_t k = 0; k < count; k++) {
            uint64_t bits;
            double v = 0.3 + (double)(splitmix(&s) >> 11) * 0x1p-53;
            if (o->differentiable && t->dtype == CH_F64)
                memcpy(&bits, &v, 8);
            else if (o->differentiable && t->dtype == CH_F32)
                memcpy(&bits, &(float){(float)v}, 4);
            else if (o->differentiable && ch__is_int(t->dtype))
                bits = splitmix(&s) % 4;
            else
                bits = input_bits(&s, t->dtype);
            memcpy(data + (size_t)k * size, &bits, size); // little endian
        }
        out[i] = (ch__array){.dtype = t->dtype, .rank = t->rank, .dims = dims, .data = data};
    }
    return out;
}
