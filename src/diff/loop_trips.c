// SPDX-License-Identifier: Apache-2.0
// loop_trips.c - how often a loop goes round, and the bounds of the loop that goes the other way.
//
// for i = lo to hi step s: ceil((hi - lo) / s) iterations, 0 when that is negative; the other way round i starts from
// lo + (trips - 1) s and stops at lo - s, which is not reached. Where the bounds are sizes and the step is a number the
// trips are a size too, and a tape can be made as large as it will be.
#include "diff/loops.h"

#include <string.h>

enum { DIM_OF_DEPTH = 8 }; // of sums in a bound: deeper ones are computed when the program runs

// v as a size.
static bool dim_within(ch__arena *a, const ch__value *v, int depth, ch__dim *out) {
    if (v->op == NULL || depth > DIM_OF_DEPTH) return false;
    const ch__op *op = v->op;
    ch__dim x, y;
    switch ((ch__opcode)op->code) {
    case CH_OP_const: {
        const ch__array *k = ch__op_attr(op, CH__ATTR_value)->array;
        if (k->dtype != CH_I64) return false;
        memcpy(&out->val, k->data, sizeof out->val);
        out->sym = NULL;
        return true;
    }
    case CH_OP_dim: *out = ch__op_attr(op, CH__ATTR_e)->dim; return true;
    case CH_OP_add:
    case CH_OP_sub:
        if (!dim_within(a, op->operands[0], depth + 1, &x) || !dim_within(a, op->operands[1], depth + 1, &y))
            return false;
        *out = op->code == CH_OP_add ? ch__dim_add(a, x, y) : ch__dim_sub(a, x, y);
        return true;
    default: return false;
    }
}

static bool dim_of(ch__arena *a, const ch__value *v, ch__dim *out) { return dim_within(a, v, 0, out); }

// The number of iterations as a size, when the bounds are sizes and the step is a number.
bool ch__loop_trips_of(ch__arena *a, ch__value *const *xs, ch__dim *lo, int64_t *step, ch__dim *trips) {
    ch__dim hi, by;
    if (!dim_of(a, xs[0], lo) || !dim_of(a, xs[1], &hi) || !dim_of(a, xs[2], &by)) return false;
    if (!ch__dim_is_const(by) || by.val == 0 || by.val == INT64_MIN) return false;
    // Numbers near the ends of int64 are left to arithmetic that wraps.
    int64_t most = INT64_MAX / 8;
    if (by.val > most || by.val < -most) return false;
    if (ch__dim_is_const(*lo) && (lo->val > most || lo->val < -most)) return false;
    if (ch__dim_is_const(hi) && (hi.val > most || hi.val < -most)) return false;
    ch__dim span = by.val > 0 ? ch__dim_sub(a, hi, *lo) : ch__dim_sub(a, *lo, hi);
    int64_t size = by.val > 0 ? by.val : -by.val;
    ch__dim up = ch__dim_floordiv(a, ch__dim_add(a, span, ch__dim_const(size - 1)), ch__dim_const(size));
    *trips = ch__dim_max(a, up, ch__dim_const(0));
    *step = by.val;
    return true;
}

bool ch__loop_trips(const ch__loop *l, ch__dim *lo, int64_t *step, ch__dim *trips) {
    return l->counted && ch__loop_trips_of(l->s->func->module->arena, l->op->operands, lo, step, trips);
}

ch__value *ch__loop_int(ch__builder *b, ch__opcode code, ch__value *x, ch__value *y) {
    ch__value *xs[2] = {x, y};
    return &ch__build_raw(b, code, 2, xs, 0, NULL, 1, &x->type, 0, NULL)->results[0];
}

ch__value *ch__loop_const(ch__builder *b, int64_t v) {
    ch__array k = {.dtype = CH_I64, .splat = true, .data = &v};
    ch__attr value = ch__attr_array(CH__ATTR_value, &k);
    const ch__type *t = ch__type_scalar(CH_I64);
    return ch__build(b, CH_OP_const, 0, NULL, 1, &value, 1, &t, 0, NULL)->results;
}

ch__value *ch__loop_dim(ch__builder *b, ch__dim d) {
    return ch__dim_is_const(d) ? ch__loop_const(b, d.val) : ch__b_dim(b, d);
}

static bool trip_step_is(const ch__value *v, int64_t want) {
    double x;
    return ch__const_splat_f64(v, &x) && x == (double)want;
}

// last, the counter's last value, down to where it stops: lo - step, which is not reached.
void ch__loop_bounds_of(ch__builder *b, ch__value *const *xs, ch__value **out) {
    ch__arena *a = ch__builder_arena(b);
    ch__value *lo = xs[0], *hi = xs[1], *step = xs[2];
    ch__dim dlo, trips;
    int64_t by;
    if (ch__loop_trips_of(a, xs, &dlo, &by, &trips)) {
        ch__dim d = ch__dim_const(by), stop = ch__dim_sub(a, dlo, d);
        out[0] = ch__loop_dim(b, ch__dim_add(a, stop, ch__dim_mul(a, trips, d)));
        out[1] = ch__loop_dim(b, stop);
        out[2] = ch__loop_const(b, -by);
        return;
    }
    if (trip_step_is(step, 1) || trip_step_is(step, -1)) {
        bool up = trip_step_is(step, 1);
        ch__value *one = ch__loop_const(b, up ? 1 : -1);
        out[0] = ch__loop_int(b, CH_OP_sub, ch__loop_int(b, up ? CH_OP_max : CH_OP_min, hi, lo), one);
        out[1] = ch__loop_int(b, CH_OP_sub, lo, one);
        out[2] = ch__loop_const(b, up ? -1 : 1);
        return;
    }
    // trips = max(0, (hi - lo + step - sign(step)) / step)
    ch__value *zero = ch__loop_const(b, 0);
    ch__value *sign = &ch__build_raw(b, CH_OP_sign, 1, &step, 0, NULL, 1, &step->type, 0, NULL)->results[0];
    ch__value *up =
        ch__loop_int(b, CH_OP_sub, ch__loop_int(b, CH_OP_add, ch__loop_int(b, CH_OP_sub, hi, lo), step), sign);
    ch__value *n = ch__loop_int(b, CH_OP_max, ch__loop_int(b, CH_OP_div, up, step), zero);
    out[1] = ch__loop_int(b, CH_OP_sub, lo, step);
    out[0] = ch__loop_int(b, CH_OP_add, out[1], ch__loop_int(b, CH_OP_mul, n, step));
    out[2] = &ch__build_raw(b, CH_OP_neg, 1, &step, 0, NULL, 1, &step->type, 0, NULL)->results[0];
}

void ch__loop_bounds(const ch__loop *l, ch__value **out) { ch__loop_bounds_of(&l->s->b, l->op->operands, out); }
