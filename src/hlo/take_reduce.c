// SPDX-License-Identifier: Apache-2.0
// hlo/take_reduce.c - StableHLO to IR: reduce, reduce_window, sort, map.
//
// A region that is one operation is a kind of the IR. Any other region is applied to arrays: a reduction becomes a loop
// over what is reduced, whose body is the region on whole slices; a window one over the places in the window; an order
// that is no comparison of keys is found by counting, for each element, those that come before it.
#include "hlo/hlo.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- kinds and what they start from

int ch__hlo_reduce_kind(const char *op, ch_dtype d) {
    bool b = d == CH_BOOL;
    if (!op) return -1;
    if (strcmp(op, "stablehlo.add") == 0) return b ? CH__OR : CH__SUM;
    if (strcmp(op, "stablehlo.multiply") == 0) return b ? CH__AND : CH__PROD;
    if (strcmp(op, "stablehlo.maximum") == 0) return CH__MAX;
    if (strcmp(op, "stablehlo.minimum") == 0) return CH__MIN;
    if (ch__is_float(d)) return -1;
    if (strcmp(op, "stablehlo.and") == 0) return CH__AND;
    if (strcmp(op, "stablehlo.or") == 0) return CH__OR;
    return -1;
}

// The value of no elements, as bits.
uint64_t ch__hlo_identity(ch__kind kind, ch_dtype d) {
    if (kind == CH__SUM || kind == CH__OR) return 0;
    if (d == CH_BOOL) return kind == CH__MIN || kind == CH__AND || kind == CH__PROD;
    if (kind == CH__AND) return UINT64_MAX >> (64 - 8 * ch_dtype_size(d));
    if (kind == CH__PROD) return ch__element_bits(d, 1);
    return ch__element_bits(d, kind == CH__MAX ? -(double)INFINITY : (double)INFINITY); // integers: their ends
}

static bool hlo_reduce_starts_plain(ch__kind kind, const ch__value *init) {
    uint64_t bits, want = ch__hlo_identity(kind, init->type->dtype);
    return ch__hlo_scalar(init, &bits) && bits == want;
}

ch__value *ch__hlo_combine(ch__hlo_take *t, ch__kind kind, ch__value *init, ch__value *v) {
    static const ch__opcode codes[] = {CH_OP_add, CH_OP_mul, CH_OP_min, CH_OP_max, CH_OP_and, CH_OP_or};
    return ch__b_binary(&t->b, codes[kind], ch__b_broadcast_to(&t->b, init, v->type), v);
}

static ch__value *hlo_reduce_plain(ch__hlo_take *t, ch__kind kind, ch__value *x, int n, const int64_t *dims) {
    ch__attr attrs[6] = {ch__attr_int(CH__ATTR_kind, kind), ch__attr_ints(CH__ATTR_dims, n, dims)};
    int n_attrs = 2;
    if (kind == CH__SUM || kind == CH__PROD) n_attrs = ch__hlo_sums(t, x->type->dtype, attrs, n_attrs);
    if (kind == CH__MIN || kind == CH__MAX) n_attrs = ch__hlo_tie(t, attrs, n_attrs);
    return ch__hlo_build1(t, CH_OP_reduce, 1, &x, n_attrs, attrs, NULL);
}

// ---------------------------------------------------------------- any region: a loop

typedef struct {
    int n;                 // arrays
    ch__value **x, **init; // what is reduced, what it starts from
    const ch__type **type; // of a result
    const ch__hlo_region *region;
} hlo_reduce_job;

ch__op *ch__hlo_loop(ch__hlo_take *t, int64_t count, int n, ch__value *const *init, ch__hlo_loop_body *fn, void *arg) {
    ch__value **operands = CH_NEW_ARRAY(t->scratch, ch__value *, 3 + n);
    operands[0] = ch__hlo_i64(t, 0);
    operands[1] = ch__hlo_i64(t, count);
    operands[2] = ch__hlo_i64(t, 1);
    for (int k = 0; k < n; k++) operands[3 + k] = init[k];
    ch__region *body = ch__region_create(t->b.func, NULL);
    ch__builder outer = t->b;
    ch__value *i = ch__region_add_param(body, NULL, ch__type_scalar(CH_I64));
    ch__value **given = CH_NEW_ARRAY(t->scratch, ch__value *, n + 1),
              **out = CH_NEW_ARRAY(t->scratch, ch__value *, n + 1);
    for (int k = 0; k < n; k++) given[k] = ch__region_add_param(body, NULL, init[k]->type);
    t->b = ch__builder_at_end(body);
    t->b.loc = outer.loc;
    fn(t, arg, i, given, out);
    ch__region_set_results(body, n, out);
    t->b = outer;
    return ch__build(&t->b, CH_OP_for, 3 + n, operands, 0, NULL, 0, NULL, 1, &body);
}

// acc = region(acc..., element(i)...)
typedef void hlo_reduce_element(ch__hlo_take *t, const hlo_reduce_job *j, void *arg, ch__value *i, ch__value **out);
typedef struct {
    const hlo_reduce_job *j;
    hlo_reduce_element *element;
    void *arg;
} hlo_reduce_turn;

static void hlo_reduce_step(ch__hlo_take *t, void *arg, ch__value *i, ch__value *const *given, ch__value **out) {
    const hlo_reduce_turn *turn = arg;
    const hlo_reduce_job *j = turn->j;
    ch__value **args = CH_NEW_ARRAY(t->scratch, ch__value *, 2 * j->n + 1);
    memcpy(args, given, (size_t)j->n * sizeof *args);
    turn->element(t, j, turn->arg, i, args + j->n);
    ch__hlo_apply(t, j->region, args, j->type[0], out);
}

static ch__op *hlo_reduce_loop(ch__hlo_take *t, const hlo_reduce_job *j, int64_t count, hlo_reduce_element *element,
                               void *arg) {
    ch__value **init = CH_NEW_ARRAY(t->scratch, ch__value *, j->n + 1);
    for (int k = 0; k < j->n; k++) init[k] = ch__b_broadcast_to(&t->b, j->init[k], j->type[k]);
    return ch__hlo_loop(t, count, j->n, init, hlo_reduce_step, &(hlo_reduce_turn){j, element, arg});
}

// Element i of what is reduced: x is [count, kept...].
static void hlo_reduce_row(ch__hlo_take *t, const hlo_reduce_job *j, void *arg, ch__value *i, ch__value **out) {
    (void)arg;
    ch__value *starts[CH__MAX_RANK + 1];
    for (int k = 0; k < j->n; k++) {
        int rank = j->x[k]->type->rank;
        ch__dim sizes[CH__MAX_RANK];
        starts[0] = j->x[k];
        for (int d = 0; d < rank; d++) {
            sizes[d] = d ? j->x[k]->type->dims[d] : ch__dim_const(1);
            starts[1 + d] = d ? ch__hlo_i64(t, 0) : i;
        }
        ch__attr a = ch__attr_dims(CH__ATTR_sizes, rank, sizes);
        ch__value *row = ch__hlo_build1(t, CH_OP_dynamic_slice, 1 + rank, starts, 1, &a, NULL);
        out[k] = ch__b_reshape(&t->b, row, j->type[k]);
    }
}

// The reduced axes in front, as one.
static ch__value *hlo_reduce_fronted(ch__hlo_take *t, ch__value *x, int n, const int64_t *dims, int64_t *count) {
    int64_t perm[CH__MAX_RANK], sizes[CH__MAX_RANK];
    uint32_t gone = 0;
    int rank = x->type->rank, k = 0;
    *count = 1;
    for (int i = 0; i < n; i++) {
        gone |= 1u << dims[i];
        perm[k++] = dims[i];
        *count *= ch__hlo_dim(x, (int)dims[i]);
    }
    sizes[0] = *count;
    int out = 1;
    for (int i = 0; i < rank; i++) {
        if (gone >> i & 1) continue;
        perm[k++] = i;
        sizes[out++] = ch__hlo_dim(x, i);
    }
    ch__value *v = ch__b_transpose(&t->b, x, perm);
    return ch__b_reshape(&t->b, v, ch__hlo_shape(t, x->type->dtype, out, sizes));
}

static void hlo_reduce_general(ch__hlo_take *t, int n_arrays, int n, const int64_t *dims) {
    hlo_reduce_job j = {.n = n_arrays, .region = t->op->regions[0]};
    j.x = CH_NEW_ARRAY(t->scratch, ch__value *, n_arrays);
    j.init = CH_NEW_ARRAY(t->scratch, ch__value *, n_arrays);
    j.type = CH_NEW_ARRAY(t->scratch, const ch__type *, n_arrays);
    int64_t count = 1;
    for (int k = 0; k < n_arrays; k++) {
        j.x[k] = hlo_reduce_fronted(t, ch__hlo_in(t, k), n, dims, &count);
        j.init[k] = ch__hlo_in(t, n_arrays + k);
        j.type[k] = ch__hlo_result_type(t, k);
    }
    ch__op *loop = hlo_reduce_loop(t, &j, count, hlo_reduce_row, NULL);
    for (int k = 0; k < n_arrays; k++) ch__hlo_out(t, k, &loop->results[k]);
}

// ---------------------------------------------------------------- reduce

// argmax: values from -inf, positions from the iota along the axis.
static bool hlo_reduce_arg(ch__hlo_take *t, int n, const int64_t *dims) {
    ch__kind kind;
    const ch__value *positions = t->op->operands[1]->value;
    if (n != 1 || !positions->op || positions->op->code != CH_OP_iota) return false;
    if (ch__op_int(positions->op, CH__ATTR_dim, -1) != dims[0]) return false;
    if (!ch__hlo_region_arg(t->op->regions[0], &kind)) return false;
    ch__value *x = ch__hlo_in(t, 0);
    uint64_t bits;
    if (ch__hlo_dim(x, (int)dims[0]) < 1 || !ch__is_int(positions->type->dtype)) return false;
    if (!hlo_reduce_starts_plain(kind, ch__hlo_in(t, 2)) || !ch__hlo_scalar(ch__hlo_in(t, 3), &bits) || bits != 0)
        return false;
    ch__attr attrs[2] = {ch__attr_int(CH__ATTR_kind, kind), ch__attr_int(CH__ATTR_dim, dims[0])};
    ch__hlo_out(t, 0, hlo_reduce_plain(t, kind, x, 1, dims));
    ch__hlo_out(t, 1, ch__hlo_build1(t, CH_OP_arg_reduce, 1, &x, 2, attrs, ch__hlo_result_type(t, 1)));
    return true;
}

static void hlo_reduce_check(ch__hlo_take *t, int n_arrays, int rank, int n, const int64_t *dims) {
    uint32_t seen = 0;
    for (int i = 0; i < n; i++) {
        if (dims[i] < 0 || dims[i] >= rank || seen >> dims[i] & 1)
            ch__hlo_fail(t, CH__E_rank, "dimension %lld — each of 0 to %d at most once", (long long)dims[i], rank - 1);
        seen |= 1u << dims[i];
    }
    for (int k = 0; k < n_arrays; k++) {
        const ch__type *x = t->op->operands[k]->value->type, *i = t->op->operands[n_arrays + k]->value->type;
        if (!ch__type_same_shape(x, t->op->operands[0]->value->type))
            ch__hlo_fail(t, CH__E_shape_mismatch, "operand %d has another shape than operand 0", k);
        if (i->rank != 0 || i->dtype != x->dtype)
            ch__hlo_fail(t, CH__E_shape_mismatch, "operand %d is %s and starts from %s — a scalar of the same dtype", k,
                         t->op->operands[k]->type->text, t->op->operands[n_arrays + k]->type->text);
    }
}

static int hlo_reduce_arrays(ch__hlo_take *t) {
    const ch__hlo_op *op = t->op;
    int n = op->n_operands / 2;
    if (op->n_operands % 2 || op->n_results != n)
        ch__hlo_fail(t, CH__E_arity, "%d operands and %d results — as many arrays, values to start from, and results",
                     op->n_operands, op->n_results);
    if (op->n_regions != 1 && !op->string) ch__hlo_fail(t, CH__E_arity, "%d regions — it has one", op->n_regions);
    if (op->n_regions == 1 && (op->regions[0]->n_params != 2 * n || op->regions[0]->last->n_operands != n))
        ch__hlo_fail(t, CH__E_arity, "its region takes %d values and yields %d — %d and %d", op->regions[0]->n_params,
                     op->regions[0]->last->n_operands, 2 * n, n);
    return n;
}

// `applies NAME` with an operation that is no kind of reduction: the region that it is short for.
static void hlo_reduce_applies(ch__hlo_take *t) {
    ch__hlo_type *type = CH_NEW(t->scratch, ch__hlo_type);
    ch__hlo_region *region = CH_NEW(t->scratch, ch__hlo_region);
    ch__hlo_op *op = CH_NEW(t->scratch, ch__hlo_op), *end = CH_NEW(t->scratch, ch__hlo_op);
    if (t->op->n_results != 1) ch__hlo_fail(t, CH__E_arity, "it applies %s to several arrays", t->op->string);
    *type = *t->op->results[0]->type;
    type->type = ch__type_scalar(type->type->dtype);
    ch__hlo_value **values = CH_NEW_ARRAY(t->scratch, ch__hlo_value *, 3);
    for (int i = 0; i < 3; i++) {
        values[i] = CH_NEW(t->scratch, ch__hlo_value);
        *values[i] = (ch__hlo_value){.name = "", .at = t->op->at, .type = type};
    }
    *op = (ch__hlo_op){.next = end, .name = t->op->string, .at = t->op->at, .n_operands = 2, .n_results = 1};
    op->operands = values;
    op->results = values + 2;
    *end = (ch__hlo_op){.name = "stablehlo.return", .at = t->op->at, .n_operands = 1, .operands = values + 2};
    *region = (ch__hlo_region){.at = t->op->at, .n_params = 2, .n_ops = 2, .params = values, .first = op, .last = end};
    t->op->regions = CH_NEW_ARRAY(t->scratch, ch__hlo_region *, 1);
    t->op->regions[0] = region;
    t->op->n_regions = 1;
}

void ch__hlo_take_reduce(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    int n_arrays = hlo_reduce_arrays(t), n;
    int64_t *dims = ch__hlo_ints(t, "dimensions", NULL, &n);
    ch__value *x = ch__hlo_in(t, 0);
    hlo_reduce_check(t, n_arrays, x->type->rank, n, dims);
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && dims[k] < dims[k - 1]; k--) {
            int64_t d = dims[k];
            dims[k] = dims[k - 1];
            dims[k - 1] = d;
        }
    int kind = -1;
    if (n_arrays == 1)
        kind = ch__hlo_reduce_kind(t->op->n_regions ? ch__hlo_region_op(t->op->regions[0]) : t->op->string,
                                   x->type->dtype);
    if (kind >= 0) {
        ch__value *init = ch__hlo_in(t, 1), *v = hlo_reduce_plain(t, (ch__kind)kind, x, n, dims);
        if (!hlo_reduce_starts_plain((ch__kind)kind, init)) v = ch__hlo_combine(t, (ch__kind)kind, init, v);
        ch__hlo_out(t, 0, v);
        return;
    }
    if (t->op->n_regions == 0) hlo_reduce_applies(t);
    if (n_arrays == 2 && hlo_reduce_arg(t, n, dims)) return;
    hlo_reduce_general(t, n_arrays, n, dims);
}

// ---------------------------------------------------------------- windows

static int64_t *hlo_reduce_window_list(ch__hlo_take *t, const char *name, int rank, int64_t absent) {
    int n;
    int64_t *v = ch__hlo_ints(t, name, NULL, &n);
    if (v && n != rank) ch__hlo_fail(t, CH__E_attribute, "%s has %d entries — the rank is %d", name, n, rank);
    if (v) return v;
    v = CH_NEW_ARRAY(t->scratch, int64_t, rank + 1);
    for (int i = 0; i < rank; i++) v[i] = absent;
    return v;
}

ch__hlo_windows ch__hlo_read_windows(ch__hlo_take *t, int rank) {
    ch__hlo_windows w = {.rank = rank};
    int n;
    w.window = hlo_reduce_window_list(t, "window_dimensions", rank, 1);
    w.strides = hlo_reduce_window_list(t, "window_strides", rank, 1);
    w.lhs = hlo_reduce_window_list(t, "base_dilations", rank, 1);
    w.rhs = hlo_reduce_window_list(t, "window_dilations", rank, 1);
    int64_t *pad = ch__hlo_ints(t, "padding", NULL, &n);
    if (pad && n != 2 * rank)
        ch__hlo_fail(t, CH__E_attribute, "padding has %d numbers — two a dimension: %d", n, 2 * rank);
    w.lo = CH_NEW_ARRAY(t->scratch, int64_t, rank + 1);
    w.hi = CH_NEW_ARRAY(t->scratch, int64_t, rank + 1);
    for (int i = 0; pad && i < rank; i++) {
        w.lo[i] = pad[2 * i];
        w.hi[i] = pad[2 * i + 1];
    }
    for (int i = 0; i < rank; i++)
        if (w.window[i] < 1 || w.strides[i] < 1 || w.lhs[i] < 1 || w.rhs[i] < 1)
            ch__hlo_fail(t, CH__E_attribute, "sizes, strides and dilations of windows are at least 1");
    return w;
}

static bool hlo_reduce_ones(const int64_t *v, int n) {
    for (int i = 0; i < n; i++)
        if (v[i] != 1) return false;
    return true;
}

static bool hlo_reduce_zeros(const int64_t *v, int n) {
    for (int i = 0; i < n; i++)
        if (v[i] != 0) return false;
    return true;
}

// A window over a whole axis, moved along it: the axis, and from which end. -1: another window.
static int hlo_reduce_running(const ch__hlo_windows *w, const ch__type *x, bool *backwards) {
    int axis = -1;
    if (!hlo_reduce_ones(w->strides, w->rank) || !hlo_reduce_ones(w->lhs, w->rank) || !hlo_reduce_ones(w->rhs, w->rank))
        return -1;
    for (int i = 0; i < w->rank; i++) {
        if (w->window[i] == 1 && w->lo[i] == 0 && w->hi[i] == 0) continue;
        int64_t n = x->dims[i].val;
        bool forward = w->lo[i] == n - 1 && w->hi[i] == 0, back = w->lo[i] == 0 && w->hi[i] == n - 1;
        if (axis >= 0 || w->window[i] != n || !(forward || back)) return -1;
        axis = i;
        *backwards = !forward;
    }
    return axis;
}

int ch__hlo_window_attrs(const ch__hlo_windows *w, ch__attr *attrs, int n) {
    attrs[n++] = ch__attr_ints(CH__ATTR_window, w->rank, w->window);
    if (!hlo_reduce_ones(w->strides, w->rank)) attrs[n++] = ch__attr_ints(CH__ATTR_strides, w->rank, w->strides);
    if (!hlo_reduce_zeros(w->lo, w->rank) || !hlo_reduce_zeros(w->hi, w->rank)) {
        attrs[n++] = ch__attr_ints(CH__ATTR_pad_lo, w->rank, w->lo);
        attrs[n++] = ch__attr_ints(CH__ATTR_pad_hi, w->rank, w->hi);
    }
    if (!hlo_reduce_ones(w->lhs, w->rank)) attrs[n++] = ch__attr_ints(CH__ATTR_lhs_dilation, w->rank, w->lhs);
    if (!hlo_reduce_ones(w->rhs, w->rank)) attrs[n++] = ch__attr_ints(CH__ATTR_rhs_dilation, w->rank, w->rhs);
    return n;
}

// The type that windows over x have, by the shape rule of the operation that takes those of one kind.
const ch__type *ch__hlo_window_type(ch__hlo_take *t, const ch__type *x, const ch__hlo_windows *w) {
    ch__attr attrs[8] = {ch__attr_int(CH__ATTR_kind, CH__MAX)};
    ch__infer in = {.arena = t->module->arena,
                    .code = CH_OP_reduce_window,
                    .n_operands = 1,
                    .operands = &x,
                    .n_attrs = ch__hlo_window_attrs(w, attrs, 1),
                    .attrs = attrs,
                    .who = t->op->name};
    ch__infer_types(&in);
    return in.results[0];
}

static ch__value *hlo_reduce_window_plain(ch__hlo_take *t, ch__kind kind, ch__value *x, const ch__hlo_windows *w) {
    ch__attr attrs[12];
    int n = 0;
    bool backwards = false;
    attrs[n++] = ch__attr_int(CH__ATTR_kind, kind);
    if (kind == CH__SUM || kind == CH__PROD) n = ch__hlo_sums(t, x->type->dtype, attrs, n);
    const ch__hlo_attr *tie = ch__hlo_attr_of(t, "chaac.tie");
    int axis = ch__hlo_attr_of(t, "chaac.windows") || kind == CH__AND || kind == CH__OR
                   ? -1
                   : hlo_reduce_running(w, x->type, &backwards);
    bool extremum = kind == CH__MIN || kind == CH__MAX;
    if (extremum && (axis >= 0 || tie)) n = ch__hlo_tie(t, attrs, n);
    if (extremum && axis < 0 && !tie) attrs[n++] = ch__attr_int(CH__ATTR_tie, CH__FIRST); // as select_and_scatter
    if (axis >= 0) {
        attrs[n++] = ch__attr_int(CH__ATTR_dim, axis);
        if (backwards) attrs[n++] = ch__attr_int(CH__ATTR_reverse, 1);
        return ch__hlo_build1(t, CH_OP_cumulative, 1, &x, n, attrs, NULL);
    }
    n = ch__hlo_window_attrs(w, attrs, n);
    return ch__hlo_build1(t, CH_OP_reduce_window, 1, &x, n, attrs, NULL);
}

// The k-th place of every window: x is padded and dilated already, `out` the type of the windows.
ch__value *ch__hlo_window_place(ch__hlo_take *t, const ch__hlo_windows *w, ch__value *x, const ch__type *out,
                                ch__value *k) {
    ch__value *starts[CH__MAX_RANK + 1];
    ch__dim sizes[CH__MAX_RANK], zero[CH__MAX_RANK];
    int64_t step = 1;
    starts[0] = x;
    for (int d = w->rank - 1; d >= 0; d--) {
        ch__value *at = ch__b_div(&t->b, k, ch__hlo_i64(t, step));
        at = ch__b_binary(&t->b, CH_OP_rem, at, ch__hlo_i64(t, w->window[d]));
        starts[1 + d] = ch__b_mul(&t->b, at, ch__hlo_i64(t, w->rhs[d]));
        step *= w->window[d];
        sizes[d] = ch__dim_const((out->dims[d].val - 1) * w->strides[d] + 1);
        zero[d] = ch__dim_const(0);
    }
    ch__attr a = ch__attr_dims(CH__ATTR_sizes, w->rank, sizes);
    ch__value *block = ch__hlo_build1(t, CH_OP_dynamic_slice, 1 + w->rank, starts, 1, &a, NULL);
    return ch__b_slice(&t->b, block, zero, sizes, w->strides);
}

static void hlo_reduce_place(ch__hlo_take *t, const hlo_reduce_job *j, void *arg, ch__value *k, ch__value **out) {
    for (int i = 0; i < j->n; i++) out[i] = ch__hlo_window_place(t, arg, j->x[i], j->type[0], k);
}

static void hlo_reduce_window_general(ch__hlo_take *t, int n_arrays, const ch__hlo_windows *w) {
    hlo_reduce_job j = {.n = n_arrays, .region = t->op->regions[0]};
    j.x = CH_NEW_ARRAY(t->scratch, ch__value *, n_arrays);
    j.init = CH_NEW_ARRAY(t->scratch, ch__value *, n_arrays);
    j.type = CH_NEW_ARRAY(t->scratch, const ch__type *, n_arrays);
    ch__dim lo[CH__MAX_RANK], hi[CH__MAX_RANK];
    int64_t interior[CH__MAX_RANK], count = 1, places = 1;
    for (int d = 0; d < w->rank; d++) {
        lo[d] = ch__dim_const(w->lo[d]);
        hi[d] = ch__dim_const(w->hi[d]);
        interior[d] = w->lhs[d] - 1;
        if (!ch__mul_i64(count, w->window[d], &count)) ch__hlo_fail(t, CH__E_dim_overflow, "the window is too large");
    }
    const ch__type *floats = ch__type_with_dtype(t->module->arena, ch__hlo_in(t, 0)->type, CH_F32);
    const ch__type *shape = ch__hlo_window_type(t, floats, w); // the rule is for numbers, the region for any dtype
    for (int k = 0; k < n_arrays; k++) {
        j.init[k] = ch__hlo_in(t, n_arrays + k);
        j.type[k] = ch__type_with_dtype(t->module->arena, shape, j.init[k]->type->dtype);
        j.x[k] = ch__b_pad(&t->b, ch__hlo_in(t, k), j.init[k], lo, hi, interior);
    }
    for (int d = 0; d < w->rank; d++) places *= shape->dims[d].val > 0;
    ch__op *loop = places ? hlo_reduce_loop(t, &j, count, hlo_reduce_place, (void *)(uintptr_t)w) : NULL;
    for (int k = 0; k < n_arrays; k++)
        ch__hlo_out(t, k, loop ? &loop->results[k] : ch__b_broadcast_to(&t->b, j.init[k], j.type[k]));
}

void ch__hlo_take_reduce_window(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    int n_arrays = hlo_reduce_arrays(t);
    ch__value *x = ch__hlo_in(t, 0);
    hlo_reduce_check(t, n_arrays, x->type->rank, 0, NULL);
    ch__hlo_windows w = ch__hlo_read_windows(t, x->type->rank);
    int kind = n_arrays == 1 && x->type->dtype != CH_BOOL // the IR's windows are of numbers
                   ? ch__hlo_reduce_kind(ch__hlo_region_op(t->op->regions[0]), x->type->dtype)
                   : -1;
    bool padded = !hlo_reduce_zeros(w.lo, w.rank) || !hlo_reduce_zeros(w.hi, w.rank) || !hlo_reduce_ones(w.lhs, w.rank);
    if (kind >= 0) {
        ch__value *init = ch__hlo_in(t, 1);
        bool plain = hlo_reduce_starts_plain((ch__kind)kind, init);
        bool again = kind != CH__SUM && kind != CH__PROD; // as often as it likes
        if (plain || !padded || again) {
            ch__value *v = hlo_reduce_window_plain(t, (ch__kind)kind, x, &w);
            ch__hlo_out(t, 0, plain ? v : ch__hlo_combine(t, (ch__kind)kind, init, v));
            return;
        }
    }
    hlo_reduce_window_general(t, n_arrays, &w);
}

// ---------------------------------------------------------------- sort

static void hlo_reduce_sort_out(ch__hlo_take *t, ch__value **in, int n, int keys, bool descending, int64_t dim,
                                const int *place) {
    ch__attr attrs[3] = {ch__attr_int(CH__ATTR_dim, dim)};
    int n_attrs = 1;
    if (descending) attrs[n_attrs++] = ch__attr_int(CH__ATTR_descending, 1);
    if (keys != 1) attrs[n_attrs++] = ch__attr_int(CH__ATTR_keys, keys);
    ch__op *op = ch__build(&t->b, CH_OP_sort, n, in, n_attrs, attrs, 0, NULL, 0, NULL);
    for (int i = 0; i < t->op->n_operands; i++) ch__hlo_out(t, i, &op->results[place[i]]);
}

// Keys in front, each operand once; place[i] is where operand i went.
static void hlo_reduce_sort_keys(ch__hlo_take *t, const int *keys, int n_keys, bool descending, int64_t dim) {
    int n = t->op->n_operands, k = 0;
    ch__value **in = CH_NEW_ARRAY(t->scratch, ch__value *, n);
    int *place = CH_NEW_ARRAY(t->scratch, int, n);
    for (int i = 0; i < n; i++) place[i] = -1;
    for (int i = 0; i < n_keys; i++) {
        if (place[keys[i]] >= 0) continue;
        in[k] = ch__hlo_in(t, keys[i]);
        place[keys[i]] = k++;
    }
    int distinct = k;
    for (int i = 0; i < n; i++) {
        if (place[i] >= 0) continue;
        in[k] = ch__hlo_in(t, i);
        place[i] = k++;
    }
    hlo_reduce_sort_out(t, in, n, distinct, descending, dim, place);
}

// Any order: the place of element i is the number of j that come before it, or equal it and stand before it.
static void hlo_reduce_sort_count(ch__hlo_take *t, int64_t dim) {
    enum { MOST = 4096 };
    int n = t->op->n_operands, rank = ch__hlo_in(t, 0)->type->rank;
    int64_t size = ch__hlo_dim(ch__hlo_in(t, 0), (int)dim), sizes[CH__MAX_RANK], of_i[CH__MAX_RANK], of_j[CH__MAX_RANK];
    if (size > MOST || rank == CH__MAX_RANK) {
        ch__hlo_refuse(
            t->r, t->op->at,
            "%s of %lld elements by this order is not taken — comparisons of keys are, and up to %d elements",
            t->op->name, (long long)size, MOST);
        return;
    }
    for (int i = 0; i < rank; i++) {
        sizes[i] = ch__hlo_dim(ch__hlo_in(t, 0), i);
        of_i[i] = i;
        of_j[i] = i == dim ? rank : i;
    }
    sizes[rank] = size;
    ch__value **args = CH_NEW_ARRAY(t->scratch, ch__value *, 2 * n), *before[2];
    const ch__type *shape = ch__hlo_shape(t, CH_BOOL, rank + 1, sizes);
    for (int turn = 0; turn < 2; turn++) { // j before i; i before j
        for (int k = 0; k < n; k++) {
            ch__value *x = ch__hlo_in(t, k);
            const ch__type *wide = ch__type_with_dtype(t->module->arena, shape, x->type->dtype);
            args[2 * k + turn] = ch__b_broadcast(&t->b, x, wide, of_j);
            args[2 * k + 1 - turn] = ch__b_broadcast(&t->b, x, wide, of_i);
        }
        ch__hlo_apply(t, t->op->regions[0], args, shape, &before[turn]);
    }
    const ch__type *ints = ch__type_with_dtype(t->module->arena, shape, CH_I64);
    ch__value *earlier = ch__b_compare(&t->b, CH__LT, ch__b_iota(&t->b, ints, rank), ch__b_iota(&t->b, ints, (int)dim));
    ch__value *equal = ch__b_binary(&t->b, CH_OP_and, ch__b_unary(&t->b, CH_OP_not, before[1]), earlier);
    ch__value *counts = ch__b_convert(&t->b, ch__b_binary(&t->b, CH_OP_or, before[0], equal), CH_I64);
    int64_t last[1] = {rank};
    ch__value **in = CH_NEW_ARRAY(t->scratch, ch__value *, n + 1);
    int *place = CH_NEW_ARRAY(t->scratch, int, n);
    in[0] = ch__b_reduce(&t->b, CH__SUM, counts, 1, last);
    for (int k = 0; k < n; k++) {
        in[k + 1] = ch__hlo_in(t, k);
        place[k] = k + 1;
    }
    hlo_reduce_sort_out(t, in, n + 1, 1, false, dim, place);
}

void ch__hlo_take_sort(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    const ch__hlo_op *op = t->op;
    if (op->n_regions != 1 || op->n_results != op->n_operands)
        ch__hlo_fail(t, CH__E_arity, "%d results and %d regions — as many results as operands, and one region",
                     op->n_results, op->n_regions);
    const ch__hlo_region *r = op->regions[0];
    if (r->n_params != 2 * op->n_operands || r->last->n_operands != 1)
        ch__hlo_fail(t, CH__E_arity, "its region takes %d values and yields %d — two an operand, and one", r->n_params,
                     r->last->n_operands);
    int64_t rank = ch__hlo_in(t, 0)->type->rank, dim = ch__hlo_int(t, "dimension", NULL, -1);
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank) ch__hlo_fail(t, CH__E_rank, "there is no dimension %lld", (long long)dim);
    for (int i = 1; i < op->n_operands; i++)
        if (!ch__type_same_shape(ch__hlo_in(t, i)->type, ch__hlo_in(t, 0)->type))
            ch__hlo_fail(t, CH__E_shape_mismatch, "operand %d is %s — operand 0 is %s", i, op->operands[i]->type->text,
                         op->operands[0]->type->text);
    int *keys = CH_NEW_ARRAY(t->scratch, int, op->n_operands + 1), n_keys;
    bool descending, total;
    if (ch__hlo_region_keys(r, op->n_operands, keys, &n_keys, &descending, &total) && !total)
        hlo_reduce_sort_keys(t, keys, n_keys, descending, dim);
    else
        hlo_reduce_sort_count(t, dim);
}

// ---------------------------------------------------------------- map

void ch__hlo_take_map(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    const ch__hlo_op *op = t->op;
    if (op->n_operands < 1 || op->n_regions != 1 || op->regions[0]->n_params != op->n_operands ||
        op->regions[0]->last->n_operands != 1)
        ch__hlo_fail(t, CH__E_arity, "its region takes as many values as it has operands, and yields one");
    ch__value **in = CH_NEW_ARRAY(t->scratch, ch__value *, op->n_operands), *out;
    for (int i = 0; i < op->n_operands; i++) in[i] = ch__hlo_in(t, i);
    ch__hlo_apply(t, op->regions[0], in, in[0]->type, &out);
    ch__hlo_out(t, 0, out);
}
