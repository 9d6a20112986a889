// SPDX-License-Identifier: Apache-2.0
// hlo/emit_tape.c - tapes as arrays: a buffer with room for the most a tape ever holds, and how many values it holds.
//
//     push  buffer' = dynamic_update_slice buffer, reshape value, n, 0...;  n' = n + 1
//     pop   n' = n - 1;  value = reshape (dynamic_slice buffer, n', 0...)
//
// StableHLO has no arrays that grow. The room is the `capacity` of the tape, or what is put on it in all turns of the
// loops between it and its pushes, whose turns follow from ranges of the integers in the func. A tape goes through
// loops and branches as several values of the IR; they share one buffer type (a union of values). One walk for the
// ranges and the unions, one for the pushes: linear in the program. A tape whose maximum is not known is refused.
#include "hlo/emit.h"

#include <string.h>

// INT64_MIN and INT64_MAX: not known, any number of the dtype.
typedef struct {
    int64_t lo, hi;
} emit_tape_range;

typedef struct {
    ch__emit *e;
    emit_tape_range *of; // by value id
    int32_t *up;         // by value id: a tape it is the same as
    // by value id of those on top
    int64_t *pushed;   // put on it in all; -1: not known
    int64_t *capacity; // the largest that is said; -1: none
    bool *open;        // one of the values it starts from says none
    bool any;
} emit_tape_job;

static const emit_tape_range emit_tape_unknown = {INT64_MIN, INT64_MAX};

// ---------------------------------------------------------------- ranges

static int64_t emit_tape_sum(int64_t a, int64_t b, int64_t unknown) {
    int64_t r;
    return a == unknown || b == unknown || !ch__add_i64(a, b, &r) ? unknown : r;
}

static emit_tape_range emit_tape_negated(emit_tape_range x) {
    return (emit_tape_range){x.hi == INT64_MAX ? INT64_MIN : -x.hi, x.lo == INT64_MIN ? INT64_MAX : -x.lo};
}

static emit_tape_range emit_tape_plus(emit_tape_range x, emit_tape_range y) {
    return (emit_tape_range){emit_tape_sum(x.lo, y.lo, INT64_MIN), emit_tape_sum(x.hi, y.hi, INT64_MAX)};
}

static emit_tape_range emit_tape_times(emit_tape_range x, emit_tape_range y) {
    int64_t p[4];
    if (x.lo == INT64_MIN || x.hi == INT64_MAX || y.lo == INT64_MIN || y.hi == INT64_MAX) return emit_tape_unknown;
    if (!ch__mul_i64(x.lo, y.lo, &p[0]) || !ch__mul_i64(x.lo, y.hi, &p[1]) || !ch__mul_i64(x.hi, y.lo, &p[2]) ||
        !ch__mul_i64(x.hi, y.hi, &p[3]))
        return emit_tape_unknown;
    emit_tape_range r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        if (p[i] < r.lo) r.lo = p[i];
        if (p[i] > r.hi) r.hi = p[i];
    }
    return r;
}

// What is not known of an integer of so many bits is one of its ends: a sum that stays within them does not wrap.
static emit_tape_range emit_tape_ends(emit_tape_range x, int bits) {
    int64_t top = bits < 64 ? (INT64_C(1) << (bits - 1)) - 1 : INT64_MAX;
    return (emit_tape_range){x.lo == INT64_MIN ? -top - 1 : x.lo, x.hi == INT64_MAX ? top : x.hi};
}

static bool emit_tape_within(int64_t r, int bits) {
    return bits == 64 || (r >= -(INT64_C(1) << (bits - 1)) && r < INT64_C(1) << (bits - 1));
}

// x + y, or x - y, in an integer of so many bits, which wraps. An end that is not known stays so.
static emit_tape_range emit_tape_sum_of(emit_tape_range x, emit_tape_range y, bool minus, int bits) {
    emit_tape_range a = emit_tape_ends(x, bits), b = emit_tape_ends(y, bits);
    bool no_lo = x.lo == INT64_MIN || (minus ? y.hi == INT64_MAX : y.lo == INT64_MIN);
    bool no_hi = x.hi == INT64_MAX || (minus ? y.lo == INT64_MIN : y.hi == INT64_MAX);
    int64_t lo, hi;
    if (minus && b.lo == INT64_MIN) return emit_tape_unknown; // it has no negative
    if (minus) b = (emit_tape_range){-b.hi, -b.lo};
    if (!ch__add_i64(a.lo, b.lo, &lo) || !ch__add_i64(a.hi, b.hi, &hi)) return emit_tape_unknown;
    if (!emit_tape_within(lo, bits) || !emit_tape_within(hi, bits)) return emit_tape_unknown;
    return (emit_tape_range){no_lo ? INT64_MIN : lo, no_hi ? INT64_MAX : hi};
}

static emit_tape_range emit_tape_product(emit_tape_range x, emit_tape_range y, int bits) {
    emit_tape_range r = emit_tape_times(x, y);
    bool known = r.lo != INT64_MIN && r.hi != INT64_MAX && emit_tape_within(r.lo, bits) && emit_tape_within(r.hi, bits);
    return known ? r : emit_tape_unknown;
}

static emit_tape_range emit_tape_computed(const emit_tape_job *j, const ch__op *op) {
    const ch__type *type = op->results[0].type;
    int bits = 8 * (int)ch_dtype_size(type->dtype);
    if (type->rank != 0 || !ch__is_int(type->dtype) || !ch__is_signed(type->dtype)) return emit_tape_unknown;
    emit_tape_range x = op->n_operands > 0 ? j->of[op->operands[0]->id] : emit_tape_unknown;
    emit_tape_range y = op->n_operands > 1 ? j->of[op->operands[1]->id] : emit_tape_unknown;
    double v;
    switch ((ch__opcode)op->code) {
    case CH_OP_const:
        if (!ch__const_splat_f64(&op->results[0], &v) || v < -4e15 || v > 4e15) return emit_tape_unknown;
        return (emit_tape_range){(int64_t)v, (int64_t)v};
    case CH_OP_dim: {
        int64_t n = ch__op_attr(op, CH__ATTR_e)->dim.val;
        return (emit_tape_range){n, n};
    }
    case CH_OP_add: return emit_tape_sum_of(x, y, false, bits);
    case CH_OP_sub: return emit_tape_sum_of(x, y, true, bits);
    case CH_OP_mul: return emit_tape_product(x, y, bits);
    case CH_OP_neg: return emit_tape_sum_of((emit_tape_range){0, 0}, x, true, bits);
    case CH_OP_min: return (emit_tape_range){x.lo < y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi};
    case CH_OP_max: return (emit_tape_range){x.lo > y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi};
    case CH_OP_convert: { // what does not fit wraps
        const ch__type *from = op->operands[0]->type;
        bool wider = ch__is_signed(from->dtype) && ch_dtype_size(type->dtype) >= ch_dtype_size(from->dtype);
        bool fits = ch__is_signed(from->dtype) && emit_tape_within(x.lo, bits) && emit_tape_within(x.hi, bits);
        return wider || fits ? x : emit_tape_unknown;
    }
    case CH_OP_select: {
        emit_tape_range z = j->of[op->operands[2]->id];
        return (emit_tape_range){y.lo < z.lo ? y.lo : z.lo, y.hi > z.hi ? y.hi : z.hi};
    }
    default: return emit_tape_unknown;
    }
}

// Turns of a for at most; -1: not known.
static int64_t emit_tape_turns(const emit_tape_job *j, const ch__op *loop) {
    emit_tape_range lo = j->of[loop->operands[0]->id], hi = j->of[loop->operands[1]->id];
    emit_tape_range step = j->of[loop->operands[2]->id];
    if (step.lo != step.hi || step.lo == 0) return -1;
    int64_t size = step.lo > 0 ? step.lo : -step.lo;
    int64_t span =
        step.lo > 0 ? emit_tape_plus(hi, emit_tape_negated(lo)).hi : emit_tape_plus(lo, emit_tape_negated(hi)).hi;
    if (span == INT64_MAX) return -1;
    return span <= 0 ? 0 : (span - 1) / size + 1;
}

static void emit_tape_see_counter(const emit_tape_job *j, const ch__op *loop) {
    emit_tape_range lo = j->of[loop->operands[0]->id], hi = j->of[loop->operands[1]->id];
    emit_tape_range step = j->of[loop->operands[2]->id], one = {1, 1};
    emit_tape_range *counter = &j->of[loop->regions[0]->params[0]->id];
    if (step.lo != step.hi || step.lo == 0) return;
    if (step.lo > 0)
        *counter = (emit_tape_range){lo.lo, emit_tape_plus(hi, emit_tape_negated(one)).hi};
    else
        *counter = (emit_tape_range){emit_tape_plus(hi, one).lo, lo.hi};
}

// ---------------------------------------------------------------- one tape, several values

static int32_t emit_tape_top(const emit_tape_job *j, int32_t id) {
    while (j->up[id] != id) id = j->up[id] = j->up[j->up[id]];
    return id;
}

static void emit_tape_join(emit_tape_job *j, const ch__value *x, const ch__value *y) {
    if (!x->type->tape || !y->type->tape) return;
    int32_t a = emit_tape_top(j, x->id), b = emit_tape_top(j, y->id);
    if (a < b)
        j->up[b] = a;
    else
        j->up[a] = b;
}

static void emit_tape_see(void *arg, ch__op *op) {
    emit_tape_job *j = arg;
    for (int i = 0; i < op->n_results; i++) j->any = j->any || op->results[i].type->tape;
    if (op->n_regions == 0 && op->n_results == 1) j->of[op->results[0].id] = emit_tape_computed(j, op);
    if (op->code == CH_OP_for) emit_tape_see_counter(j, op);
    if (op->code == CH_OP_push || op->code == CH_OP_pop) emit_tape_join(j, op->operands[0], &op->results[0]);
    int skip = op->code == CH_OP_for ? 3 : 0, counter = op->code == CH_OP_for;
    bool loop = op->code == CH_OP_for || op->code == CH_OP_while;
    for (int i = 0; i < op->n_results && (loop || op->code == CH_OP_barrier); i++)
        emit_tape_join(j, op->operands[skip + i], &op->results[i]);
    for (int r = 0; r < op->n_regions; r++) {
        const ch__region *region = op->regions[r];
        bool condition = op->code == CH_OP_while && r == 0;
        for (int i = 0; loop && i < op->n_results; i++) emit_tape_join(j, region->params[counter + i], &op->results[i]);
        for (int i = 0; !condition && i < op->n_results; i++) emit_tape_join(j, region->results[i], &op->results[i]);
    }
}

// ---------------------------------------------------------------- room

static void emit_tape_see_new(void *arg, ch__op *op) {
    emit_tape_job *j = arg;
    if (op->code != CH_OP_tape_new) return;
    const ch__attr *capacity = ch__op_attr(op, CH__ATTR_capacity);
    int32_t top = emit_tape_top(j, op->results[0].id);
    if (!capacity)
        j->open[top] = true;
    else if (j->capacity[top] < capacity->dim.val)
        j->capacity[top] = capacity->dim.val;
}

// What one push puts on the tape in all turns of the loops around it.
static void emit_tape_see_push(void *arg, ch__op *op) {
    emit_tape_job *j = arg;
    if (op->code != CH_OP_push) return;
    int32_t top = emit_tape_top(j, op->operands[0]->id);
    int64_t times = 1, *pushed = &j->pushed[top];
    for (const ch__op *at = op->parent->owner; at && times >= 0; at = at->parent->owner) {
        bool carried = false;
        for (int i = 0; i < at->n_results; i++)
            carried = carried || (at->results[i].type->tape && emit_tape_top(j, at->results[i].id) == top);
        if (!carried) break; // the tape is made inside
        int64_t turns = at->code == CH_OP_for ? emit_tape_turns(j, at) : at->code == CH_OP_if ? 1 : -1;
        if (turns < 0 || !ch__mul_i64(times, turns, &times)) times = -1;
    }
    if (*pushed < 0 || times < 0 || !ch__add_i64(*pushed, times, pushed)) *pushed = -1;
}

// The most that a tape holds: what is said, or where one of the values it starts from says nothing, what is put on it.
static int64_t emit_tape_room(const emit_tape_job *j, int32_t top) {
    int64_t room = j->capacity[top], pushed = j->pushed[top];
    if (j->open[top] && (pushed < 0 || pushed > room)) room = pushed;
    return room == 0 ? 1 : room; // a slice of one has to fit
}

static void emit_tape_refuse(void *arg, ch__op *op) {
    emit_tape_job *j = arg;
    if (op->code != CH_OP_tape_new) return;
    const ch__type *type = op->results[0].type;
    int64_t room = ch__emit_room(j->e, &op->results[0]), all = room;
    for (int i = 0; i < type->rank && all >= 0; i++)
        if (!ch__mul_i64(all, type->dims[i].val, &all)) all = -1;
    if (room < 0 || all < 0)
        ch__emit_refuse(j->e, op->loc, "tape_new",
                        "how many values it holds at most is not known — a loop that counts, or a capacity, says it");
    else if (type->rank == CH__MAX_RANK)
        ch__emit_refuse(j->e, op->loc, "tape_new", "its values have as many dimensions as an array can have");
}

void ch__emit_tapes(ch__emit *e, const ch_func *f, bool refuse) {
    emit_tape_job j = {.e = e};
    j.of = CH_NEW_ARRAY(e->scratch, emit_tape_range, f->n_values + 1);
    j.up = CH_NEW_ARRAY(e->scratch, int32_t, f->n_values + 1);
    for (int32_t i = 0; i < f->n_values; i++) {
        j.of[i] = emit_tape_unknown;
        j.up[i] = i;
    }
    e->room = NULL;
    ch__walk(f->body, emit_tape_see, &j);
    if (!j.any) return;
    j.pushed = CH_NEW_ARRAY(e->scratch, int64_t, f->n_values + 1);
    j.capacity = CH_NEW_ARRAY(e->scratch, int64_t, f->n_values + 1);
    j.open = CH_NEW_ARRAY(e->scratch, bool, f->n_values + 1);
    for (int32_t i = 0; i < f->n_values; i++) j.capacity[i] = -1;
    ch__walk(f->body, emit_tape_see_new, &j);
    ch__walk(f->body, emit_tape_see_push, &j);
    e->room = CH_NEW_ARRAY(e->scratch, int64_t, f->n_values + 1);
    e->counts = CH_NEW_ARRAY(e->scratch, ch__emit_ref, f->n_values + 1);
    for (int32_t i = 0; i < f->n_values; i++) e->room[i] = emit_tape_room(&j, emit_tape_top(&j, i));
    if (refuse) ch__walk(f->body, emit_tape_refuse, &j);
}

int64_t ch__emit_room(const ch__emit *e, const ch__value *v) { return e->room[v->id]; }

// ---------------------------------------------------------------- values as references

const ch__type *ch__emit_value_type(ch__emit *e, const ch__value *v) {
    const ch__type *t = v->type;
    if (!t->tape) return t;
    ch__dim dims[CH__MAX_RANK];
    dims[0] = ch__dim_const(e->room[v->id]);
    for (int i = 0; i < t->rank; i++) dims[i + 1] = t->dims[i];
    return ch__type_make(e->scratch, t->dtype, t->rank + 1, dims, NULL);
}

int ch__emit_flat(ch__emit *e, int n, ch__value *const *values, ch__emit_ref *out) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        out[k++] = e->refs[values[i]->id];
        if (values[i]->type->tape) out[k++] = e->counts[values[i]->id];
    }
    return k;
}

int ch__emit_flat_set(ch__emit *e, const ch__value *v, const ch__emit_ref *refs) {
    e->refs[v->id] = refs[0];
    if (v->type->tape) e->counts[v->id] = refs[1];
    return v->type->tape ? 2 : 1;
}

int ch__emit_flat_types(ch__emit *e, const ch__op *op, const ch__type **out) {
    int k = 0;
    for (int i = 0; i < op->n_results; i++) {
        out[k++] = ch__emit_value_type(e, &op->results[i]);
        if (op->results[i].type->tape) out[k++] = ch__type_scalar(CH_I64);
    }
    return k;
}

// ---------------------------------------------------------------- operations

static ch__emit_ref emit_tape_step(ch__emit *e, const char *name, ch__emit_ref n) {
    ch__emit_ref in[2] = {n, ch__emit_i64(e, 1)};
    return ch__emit_line1(e, name, CH__EMIT_SAME, 2, in, n.type);
}

// One value as an array of one.
static const ch__type *emit_tape_row(ch__emit *e, const ch__type *value) {
    ch__dim dims[CH__MAX_RANK];
    dims[0] = ch__dim_const(1);
    for (int i = 0; i < value->rank; i++) dims[i + 1] = value->dims[i];
    return ch__type_make(e->scratch, value->dtype, value->rank + 1, dims, NULL);
}

// n, 0...
static int emit_tape_starts(ch__emit *e, ch__emit_ref n, int rank, ch__emit_ref *out) {
    ch__emit_ref zero = rank > 0 ? ch__emit_i64(e, 0) : n;
    out[0] = n;
    for (int i = 0; i < rank; i++) out[1 + i] = zero;
    return 1 + rank;
}

static void emit_tape_new(ch__emit *e, const ch__op *op) {
    uint64_t zero = 0;
    const ch__type *type = ch__emit_value_type(e, &op->results[0]);
    ch__emit_ref out[2];
    out[0] = ch__emit_const(e, &(ch__array){.dtype = type->dtype, .data = &zero, .splat = true}, type);
    out[1] = ch__emit_i64(e, 0);
    ch__emit_flat_set(e, &op->results[0], out);
}

static void emit_tape_push(ch__emit *e, const ch__op *op) {
    ch__emit_ref in[CH__MAX_RANK + 2], tape[2], value = ch__emit_in(e, op, 1);
    ch__emit_flat(e, 1, op->operands, tape);
    in[0] = tape[0];
    in[1] = ch__emit_line1(e, "stablehlo.reshape", CH__EMIT_FUNC, 1, &value, emit_tape_row(e, value.type));
    int n = emit_tape_starts(e, tape[1], value.type->rank, in + 2);
    tape[0] = ch__emit_line1(e, "stablehlo.dynamic_update_slice", CH__EMIT_FUNC, n + 2, in, tape[0].type);
    tape[1] = emit_tape_step(e, "stablehlo.add", tape[1]);
    ch__emit_flat_set(e, &op->results[0], tape);
}

static void emit_tape_pop(ch__emit *e, const ch__op *op) {
    ch__emit_ref in[CH__MAX_RANK + 1], tape[2], row;
    const ch__value *value = &op->results[1];
    ch__emit_flat(e, 1, op->operands, tape);
    tape[1] = emit_tape_step(e, "stablehlo.subtract", tape[1]);
    ch__emit_flat_set(e, &op->results[0], tape);
    if (e->uses[value->id] == 0) return;
    int64_t sizes[CH__MAX_RANK];
    sizes[0] = 1;
    for (int i = 0; i < value->type->rank; i++) sizes[1 + i] = value->type->dims[i].val;
    in[0] = tape[0];
    int n = emit_tape_starts(e, tape[1], value->type->rank, in + 1);
    ch__emit_attr_ints(e, "sizes", "slice_sizes", n, sizes);
    row = ch__emit_line1(e, "stablehlo.dynamic_slice", CH__EMIT_FUNC, n + 1, in, emit_tape_row(e, value->type));
    ch__emit_set(e, value, ch__emit_line1(e, "stablehlo.reshape", CH__EMIT_FUNC, 1, &row, value->type));
}

bool ch__emit_tape_op(ch__emit *e, const ch__op *op) {
    switch ((ch__opcode)op->code) {
    case CH_OP_tape_new: emit_tape_new(e, op); return true;
    case CH_OP_push: emit_tape_push(e, op); return true;
    case CH_OP_pop: emit_tape_pop(e, op); return true;
    default: return false;
    }
}
