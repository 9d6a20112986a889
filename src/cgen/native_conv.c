// SPDX-License-Identifier: Apache-2.0
// native_conv.c - convolutions as calls of the engine's conv: what they read in place of views, what follows them.
//
// Before anything is planned (on the printer's own clone), each convolution that the library is to compute takes over
// what is around it: transposes and reversals of its operands become strides, zeros put around or between the elements
// of lhs become padding, a bias along the features and max(., 0) are done by the call, a transpose of the result
// becomes strides of the result. What is left without a reader is not computed.
#include "cgen/emit.h"

typedef struct conv_side { // axis i of the operand as the op sees it
    const ch__type *type;  // what its memory holds
    int axis[CH__MAX_RANK];
    bool turned[CH__MAX_RANK], padded[CH__MAX_RANK];
    ch__dim lo[CH__MAX_RANK], whole[CH__MAX_RANK];
    int64_t step[CH__MAX_RANK];
} conv_side;

struct conv_call {
    conv_side side[2];
    int out[CH__MAX_RANK]; // axis of the result that is written
    const ch__type *type;  // of the op's own result
    bool bias, relu;
};

static bool conv_axis_is_one(ch__dim d) { return ch__dim_is_const(d) && d.val == 1; }

static bool is_zero_dim(ch__dim d) { return ch__dim_is_const(d) && d.val == 0; }

static bool is_zero_const(const ch__value *v) {
    while (v->op && v->op->code == CH_OP_broadcast) v = v->op->operands[0];
    const ch__array *a = ch__const_of(v);
    if (!a || !ch__is_float(a->dtype) || (!a->splat && v->type->rank > 0)) return false;
    double x = 1;
    if (a->dtype == CH_F32) {
        float f;
        memcpy(&f, a->data, sizeof f);
        x = (double)f;
    } else if (a->dtype == CH_F64) {
        memcpy(&x, a->data, sizeof x);
    }
    return x == 0;
}

// ---------------------------------------------------------------- operands
static bool is_known_not_negative(ch__arena *a, ch__dim d) {
    int c = ch__dim_cmp(a, d, ch__dim_const(0));
    return c == 0 || c == 1;
}

// The pad below the op's axis list as zeros of lhs; false: it has to be computed.
static bool take_pad(ch__arena *a, const ch__op *conv, const ch__op *pad, conv_side *s) {
    const ch__attr *lo = ch__op_attr(pad, CH__ATTR_lo), *hi = ch__op_attr(pad, CH__ATTR_hi),
                   *interior = ch__op_attr(pad, CH__ATTR_interior), *base = ch__op_attr(conv, CH__ATTR_lhs_dilation);
    if (!is_zero_const(pad->operands[1])) return false;
    for (int i = 0; i < pad->operands[0]->type->rank; i++) {
        int axis = s->axis[i];
        int64_t step = interior ? interior->ints[axis] + 1 : 1;
        if (is_zero_dim(lo->dims[axis]) && is_zero_dim(hi->dims[axis]) && step == 1) continue;
        if (i < 2 || s->padded[i] || s->turned[i] || (base && base->ints[i - 2] != 1)) return false;
        if (!is_known_not_negative(a, lo->dims[axis]) || !is_known_not_negative(a, hi->dims[axis])) return false;
    }
    for (int i = 2; i < pad->operands[0]->type->rank; i++) {
        int axis = s->axis[i];
        int64_t step = interior ? interior->ints[axis] + 1 : 1;
        if (is_zero_dim(lo->dims[axis]) && is_zero_dim(hi->dims[axis]) && step == 1) continue;
        s->padded[i] = true;
        s->lo[i] = lo->dims[axis];
        s->step[i] = step;
    }
    return true;
}

static void take_views(ch__arena *a, ch__op *conv, int side, conv_side *s) {
    ch__value *v = conv->operands[side];
    for (int i = 0; i < v->type->rank; i++) {
        s->axis[i] = i;
        s->lo[i] = ch__dim_const(0);
        s->step[i] = 1;
        s->whole[i] = v->type->dims[i];
    }
    for (; v->op; v = v->op->operands[0]) {
        const ch__op *op = v->op;
        if (op->code == CH_OP_transpose) {
            const ch__attr *perm = ch__op_attr(op, CH__ATTR_perm);
            for (int i = 0; i < v->type->rank; i++) s->axis[i] = (int)perm->ints[s->axis[i]];
        } else if (op->code == CH_OP_reverse) {
            const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
            for (int i = 0; i < v->type->rank; i++)
                if (ch__cg_among(dims, s->axis[i])) s->turned[i] = !s->turned[i];
        } else if (op->code != CH_OP_pad || side != 0 || !take_pad(a, conv, op, s)) {
            break;
        }
    }
    s->type = v->type;
    ch__cg_take_reshapes(&v);
    conv->operands[side] = v;
}

// ---------------------------------------------------------------- what follows
typedef struct {
    cg_file *file;
    ch_func *f;
    int32_t *uses;
    ch__value **to; // replaced values
} conv_marks;

// The op that is the only one to read v, in v's region; NULL: there is another reader, or none.
static ch__op *only_reader(const conv_marks *m, const ch__value *v) {
    if (m->uses[v->id] != 1) return NULL;
    for (ch__op *op = v->op->next; op; op = op->next)
        for (int j = 0; j < op->n_operands; j++)
            if (op->operands[j] == v) return op;
    return NULL;
}

// The result of `next` is the op's from here on; it stands where next stood.
static void take_result(conv_marks *m, ch__op *conv, ch__op *next) {
    ch__value *v = &next->results[0];
    ch__op_move_before(conv, next);
    m->to[v->id] = &conv->results[0];
    m->uses[conv->results[0].id] = m->uses[v->id];
    conv->results[0].type = v->type;
    if (v->name) conv->results[0].name = v->name;
    for (ch__op *op = next->next; op; op = op->next) // readers in this region, so that only_reader finds them
        for (int j = 0; j < op->n_operands; j++)
            if (op->operands[j] == v) op->operands[j] = &conv->results[0];
}

// v is a vector along the features, spread over all the rest: the vector.
static ch__value *bias_of(const ch__value *v, ch__dim features) {
    if (!v->op || v->op->code != CH_OP_broadcast) return NULL;
    const ch__attr *dims = ch__op_attr(v->op, CH__ATTR_dims);
    ch__value *b = v->op->operands[0];
    bool found = false;
    for (int i = 0; i < b->type->rank; i++) {
        if (conv_axis_is_one(b->type->dims[i]) && !(dims->ints[i] == 1 && conv_axis_is_one(features))) continue;
        if (dims->ints[i] != 1 || found) return NULL;
        found = true;
    }
    if (!found || b->type->rank == 0) return NULL;
    ch__cg_take_reshapes(&b);
    return b;
}

// y <= 0 ? 0 : y in two ops. What else asks whether y <= 0 may ask the result.
static bool take_select(conv_marks *m, ch__op *conv) {
    ch__value *y = &conv->results[0];
    ch__op *compare = NULL, *select = NULL;
    if (m->uses[y->id] != 2) return false;
    for (ch__op *op = conv->next; op; op = op->next)
        for (int j = 0; j < op->n_operands; j++) {
            if (op->operands[j] != y) continue;
            if (op->code == CH_OP_compare && j == 0) compare = op;
            if (op->code == CH_OP_select && j == 2) select = op;
        }
    if (!compare || !select || select->operands[0] != &compare->results[0] || !is_zero_const(select->operands[1]) ||
        !is_zero_const(compare->operands[1]) || ch__op_int(compare, CH__ATTR_dir, 0) != CH__LE)
        return false;
    m->uses[compare->results[0].id]--;
    ch__value *r = &select->results[0];
    m->to[r->id] = y;
    m->uses[y->id] = m->uses[r->id] + 1;
    if (r->name) y->name = r->name;
    ch__op_move_before(conv, compare);
    return true;
}

static void take_bias_and_relu(conv_marks *m, ch__op *conv, struct conv_call *call) {
    ch__op *next = only_reader(m, &conv->results[0]);
    if (next && next->code == CH_OP_add && next->operands[0] != next->operands[1]) {
        ch__value *b = bias_of(next->operands[next->operands[0] == &conv->results[0] ? 1 : 0], call->type->dims[1]);
        if (b) {
            ch__value **both = CH_NEW_ARRAY(m->file->a, ch__value *, 3);
            both[0] = conv->operands[0];
            both[1] = conv->operands[1];
            both[2] = b;
            conv->operands = both;
            conv->n_operands = 3;
            call->bias = true;
            take_result(m, conv, next);
            next = only_reader(m, &conv->results[0]);
        }
    }
    if (next && next->code == CH_OP_max && next->operands[0] != next->operands[1] &&
        is_zero_const(next->operands[next->operands[0] == &conv->results[0] ? 1 : 0])) {
        call->relu = true;
        take_result(m, conv, next);
    } else if (take_select(m, conv)) {
        call->relu = true;
    }
}

static void take_transpose(conv_marks *m, ch__op *conv, struct conv_call *call) {
    ch__op *next = only_reader(m, &conv->results[0]);
    if (!next || next->code != CH_OP_transpose) return;
    const ch__attr *perm = ch__op_attr(next, CH__ATTR_perm);
    for (int i = 0; i < perm->n; i++) call->out[perm->ints[i]] = i;
    take_result(m, conv, next);
}

// ---------------------------------------------------------------- which
static bool conv_should_call(const ch__op *op) {
    const ch__type *x = op->operands[0]->type, *w = op->operands[1]->type, *t = op->results[0].type;
    ch_dtype d = t->dtype;
    if ((d != CH_F32 && d != CH_F64) || x->dtype != d || w->dtype != d || t->rank < 3 || t->rank > 5) return false;
    if (ch__op_int(op, CH__ATTR_order, CH__ANY) != CH__ANY) return false;
    int64_t work = 1; // of a few elements: loops
    for (int i = 0; i < t->rank; i++)
        if (!ch__dim_is_const(t->dims[i]) || !ch__mul_i64(work, t->dims[i].val, &work)) return true;
    for (int i = 1; i < t->rank; i++)
        if (!ch__dim_is_const(w->dims[i]) || !ch__mul_i64(work, w->dims[i].val, &work)) return true;
    return work > 4096;
}

static void mark_conv(void *arg, ch__op *op) {
    conv_marks *m = arg;
    if (op->code != CH_OP_conv || op->mark == CG_CALLED || !conv_should_call(op)) return;
    struct conv_call *call = CH_NEW(m->file->a, struct conv_call);
    call->type = op->results[0].type;
    for (int i = 0; i < call->type->rank; i++) call->out[i] = i;
    op->mark = CG_CALLED;
    for (int side = 0; side < 2; side++) take_views(m->file->a, op, side, &call->side[side]);
    take_bias_and_relu(m, op, call);
    if (!call->bias && !call->relu) take_transpose(m, op, call);
    ch__cg_keep_call(m->file, op, call);
}

void ch__cg_native_conv_marks(cg_file *file, ch_func *f) {
    conv_marks m = {file, f, ch__use_counts(file->a, f), CH_NEW_ARRAY(file->a, ch__value *, f->n_values)};
    ch__walk(f->body, mark_conv, &m);
    ch__replace_uses(f, m.to);
}

// ---------------------------------------------------------------- the call
// Strides of an array's axes, row-major.
static void array_steps(cg *g, const ch__type *t, ch__dim *out) {
    ch__dim n = ch__dim_const(1);
    for (int i = t->rank - 1; i >= 0; i--) {
        out[i] = n;
        n = ch__dim_mul(g->a, n, ch__cg_size(g, t->dims[i], true));
    }
}

void ch__cg_conv_call(cg *g, const ch__op *op) {
    const struct conv_call *call = ch__cg_call_of(g->file, op);
    const char *from[3] = {NULL, NULL, "0"};
    for (int j = 0; j < op->n_operands; j++) from[j] = ch__cg_pointer(g, op->operands[j]);
    store *st = ch__cg_result_store(g, op, 0);
    const ch__type *x = call->side[0].type, *w = call->side[1].type, *t = call->type;
    ch__dim steps[3][CH__MAX_RANK];
    array_steps(g, x, steps[0]);
    array_steps(g, w, steps[1]);
    array_steps(g, op->results[0].type, steps[2]);
    ch__text s;
    ch__text_init(&s, g->a);
    ch__putf(&s, "%d, %d, %" PRId64 ", %" PRId64 ", %d", (int)t->dtype, t->rank - 2, ch__op_int(op, CH__ATTR_groups, 1),
             ch__op_int(op, CH__ATTR_batch_groups, 1), (int)call->relu);
    for (int i = 0; i < t->rank; i++) {
        const ch__type *types[2] = {x, w};
        ch__put(&s, ",\n        ");
        for (int side = 0; side < 2; side++) {
            const conv_side *c = &call->side[side];
            ch__putf(&s, "%s, %s%s, ", ch__cg_dim_text(g, types[side]->dims[c->axis[i]], CX_ADD),
                     c->turned[i] ? "-" : "", ch__cg_dim_text(g, steps[side][c->axis[i]], CX_UNARY));
        }
        ch__putf(&s, "%s, %s", ch__cg_dim_text(g, t->dims[i], CX_ADD),
                 ch__cg_dim_text(g, steps[2][call->out[i]], CX_ADD));
    }
    for (int i = 0; i < t->rank - 2; i++) {
        const conv_side *c = &call->side[0];
        ch__putf(&s, ",\n        %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %s, %" PRId64 ", %s",
                 ch__op_entry(op, CH__ATTR_strides, i, 1), ch__op_entry(op, CH__ATTR_pad_lo, i, 0),
                 ch__op_entry(op, CH__ATTR_lhs_dilation, i, 1), ch__op_entry(op, CH__ATTR_rhs_dilation, i, 1),
                 ch__cg_dim_text(g, c->lo[2 + i], CX_ADD), c->step[2 + i], ch__cg_dim_text(g, c->whole[2 + i], CX_ADD));
    }
    g->fails = g->needs_memory = true;
    ch__cg_note(g, CG_LIBRARY, t, 1, &op, call->relu ? ", bias and relu with it" : "");
    ch__cg_block(g);
    ch__cg_line(g, "const int64_t chaac_sizes[] = {%s};", s.data);
    ch__cg_open(g, "if (chaac_conv(chaac_sizes, %s, %s, %s, %s) != 0)", from[0], from[1], from[2], st->name);
    ch__cg_line(g, "status = 1;");
    ch__cg_line(g, "goto done;");
    ch__cg_close(g);
    ch__cg_close(g);
    ch__cg_hold(g, &op->results[0], st);
}
