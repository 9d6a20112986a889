// SPDX-License-Identifier: Apache-2.0
// rule.c - the table of rules, one per row of ops.def, and what rules are written with.
//
// A rule sees the op through accessors that hold it to its row: it may read only what the column `reads` names, because
// only that is kept or computed again. What it contributes is summed here, in the operand's dtype and with its axis
// names.
#include "diff/rules.h"

#define OP(name, ...) extern const ch__rule ch__rule_##name;
#include "ir/ops.def"
#undef OP

const ch__rule *const ch__rules[CH_OP_COUNT] = {
#define OP(name, ...) [CH_OP_##name] = &ch__rule_##name,
#include "ir/ops.def"
#undef OP
};

bool ch__rule_flows(const ch__op *op, int i, int j) {
    if (op->code == CH_OP_cmath) return ch__libm_flows(op, i, j);
    if (ch__has_rules(op))
        return ch__is_float(op->operands[i]->type->dtype) && ch__is_float(op->results[j].type->dtype);
    const ch__rule *rule = ch__rules[op->code];
    if (rule->pairwise && i != j) return false;
    return !(rule->blocks >> (i < 31 ? i : 31) & 1);
}

static const char *why_none(const ch__op *op, bool none) {
    if (none) {
        const char *why = ch__op_info_of(op->code)->reads;
        return strncmp(why, "none: ", 6) == 0 ? why + 6 : "no derivative";
    }
    if (op->code == CH_OP_cmath) return ch__libm_missing(op);
    if (op->code == CH_OP_convert && ch__dtype_class(op->results[0].type->dtype) == 's')
        return "an f8 value is for storage and carries no derivative";
    return NULL;
}

const char *ch__rule_missing(const ch__op *op) {
    if (ch__has_rules(op) && ch__composite_rule(op, CH__RULE_VJP) == NULL)
        return "its custom rule has no reverse mode — give one by ch_custom_vjp, or take the jvp";
    return why_none(op, ch__rules[op->code]->reverse == NULL);
}

const char *ch__rule_missing_forward(const ch__op *op) {
    if (ch__has_rules(op) && ch__composite_rule(op, CH__RULE_JVP) == NULL)
        return "its custom rule has no forward mode — give one by ch_custom_jvp, or take the gradient";
    return why_none(op, ch__rules[op->code]->forward == NULL);
}

// ---------------------------------------------------------------- reading
static bool may_read(const ch__vjp *c, int bit) { return c->s->reads[c->op->code] >> bit & 1; }

ch__value *ch__vjp_operand(ch__vjp *c, int i) {
    assert(may_read(c, i < 30 ? i : 30) && "the rule reads an operand that its row of ops.def does not name");
    ch__value *back = c->s->restored != NULL ? c->s->restored[c->key->operands[i]->id] : NULL;
    return back != NULL ? back : c->op->operands[i];
}

ch__value *ch__vjp_result(ch__vjp *c, int j) {
    assert(may_read(c, 31) && "the rule reads a result although its row of ops.def does not say so");
    ch__value *back = c->s->restored != NULL ? c->s->restored[c->key->results[j].id] : NULL;
    return back != NULL ? back : (ch__value *)&c->op->results[j];
}

ch__value *ch__vjp_adjoint(const ch__vjp *c, int j) {
    if (c->along != NULL) return j == c->to ? c->along : NULL;
    return c->s->adjoint[c->key->results[j].id];
}

const ch__type *ch__vjp_type(const ch__vjp *c, int i) { return c->op->operands[i]->type; }

bool ch__vjp_wants(const ch__vjp *c, int i) {
    if (c->along != NULL) return i == c->from;
    if (!(c->s->use->bits[c->key->operands[i]->id] & CH__ACTIVE)) return false;
    for (int j = 0; j < c->key->n_results; j++)
        if (c->s->use->bits[c->key->results[j].id] & CH__ACTIVE && ch__rule_flows(c->key, i, j)) return true;
    return false;
}

// ---------------------------------------------------------------- summing
ch_dtype ch__adjoint_dtype(const ch__value *v) {
    ch_dtype d = v->type->dtype;
    if (v->op == NULL || v->op->code != CH_OP_convert) return d;
    ch_dtype from = v->op->operands[0]->type->dtype;
    return ch__is_float(from) && ch_dtype_size(from) > ch_dtype_size(d) ? from : d;
}

// v with k's dtype of adjoints and its axis names.
static ch__value *sweep_fit(ch__sweep *s, const ch__value *k, ch__value *v) {
    ch__value *held = k->id < s->map.n && s->map.to[k->id] != NULL ? s->map.to[k->id] : (ch__value *)k;
    v = ch__b_convert(&s->b, v, ch__adjoint_dtype(k));
    const ch__type *want = held->type;
    if (v->type == want) return v;
    if (want->dtype != v->type->dtype) want = ch__type_with_dtype(ch__builder_arena(&s->b), want, v->type->dtype);
    // Sizes that are equal only in value (floordiv of a sum) are said to be equal by a requires clause of the reshape.
    return ch__type_equal(v->type, want) ? v : ch__b_reshape(&s->b, v, want);
}

void ch__sweep_add(ch__sweep *s, const ch__value *k, ch__value *v, bool masked) {
    assert(s->use->bits[k->id] & CH__ACTIVE);
    v = sweep_fit(s, k, v);
    ch__value *sum = s->adjoint[k->id];
    if (sum != NULL) {
        ch__value *xs[2] = {sum, v};
        const ch__type *t = sum->type;
        v = &ch__build_raw(&s->b, CH_OP_add, 2, xs, 0, NULL, 1, &t, 0, NULL)->results[0];
    }
    s->adjoint[k->id] = v;
    s->masked[k->id] |= masked;
}

void ch__vjp_give(ch__vjp *c, int i, ch__value *v) {
    assert(ch__vjp_wants(c, i));
    if (c->along != NULL) {
        c->sum = c->sum == NULL ? v : d_add(c, c->sum, v);
        return;
    }
    ch__sweep_add(c->s, c->key->operands[i], v, c->masked);
}

ch__value *ch__vjp_take(ch__vjp *c, int i) {
    const ch__value *k = c->key->operands[i];
    ch__value *sum = c->s->adjoint[k->id];
    c->s->adjoint[k->id] = NULL;
    if (sum != NULL) return sum;
    const ch__type *t = ch__vjp_type(c, i);
    if (ch__adjoint_dtype(k) != t->dtype) t = ch__d_like(c, t, ch__adjoint_dtype(k));
    return ch__d_zeros(c, t);
}

void ch__vjp_put(ch__vjp *c, int i, ch__value *v) {
    assert(c->s->adjoint[c->key->operands[i]->id] == NULL);
    ch__vjp_give(c, i, v);
}

// ---------------------------------------------------------------- strong zeros
ch__value *ch__vjp_guard(ch__vjp *c, ch__value *adj, ch__value *v) {
    if (!(c->masked || c->guards) || c->along != NULL) return v; // in forward mode only symbolic zeros are zero
    ch__value *nothing = d_compare(c, CH__EQ, adj, d_num(c, adj, 0.0));
    return d_select(c, nothing, d_num(c, v, 0.0), v);
}

// A finite number of the program's text, or an integer, cannot make 0 * d anything but 0.
static bool is_finite_factor(const ch__value *v) {
    double x;
    if (v->op != NULL && v->op->code == CH_OP_convert && ch__is_int(v->op->operands[0]->type->dtype))
        return ch_dtype_size(v->type->dtype) >= 4; // f16 has no room for large ones
    return ch__const_splat_f64(v, &x) && isfinite(x);
}

void ch__vjp_times(ch__vjp *c, int i, ch__value *d) {
    ch__value *adj = ADJ(c), *v = d_mul(c, adj, d);
    ch__vjp_give(c, i, is_finite_factor(d) ? v : ch__vjp_guard(c, adj, v));
}

// ---------------------------------------------------------------- shared pieces
const ch__type *ch__d_like(ch__vjp *c, const ch__type *t, ch_dtype d) {
    return ch__type_with_dtype(ch__builder_arena(B(c)), t, d);
}

ch__value *ch__d_sum(ch__vjp *c, ch__value *x, int n, const int64_t *dims) {
    return n == 0 ? x : ch__b_reduce(B(c), CH__SUM, x, n, dims);
}

ch__value *ch__d_zeros(ch__vjp *c, const ch__type *t) { return ch__b_splat(B(c), t, 0.0); }

ch__value *ch__d_pad_to(ch__vjp *c, ch__value *x, const ch__dim *lo, const int64_t *interior, const ch__dim *want) {
    ch__arena *a = ch__builder_arena(B(c));
    ch__dim hi[CH__MAX_RANK];
    int rank = x->type->rank;
    for (int i = 0; i < rank; i++) {
        // As the shape rule of pad says it, so that the sizes come out the same: no gaps where there are no elements.
        ch__dim n = x->type->dims[i], gaps = ch__dim_const(0);
        if (interior != NULL && interior[i] != 0) {
            ch__dim between = ch__dim_max(a, ch__dim_sub(a, n, ch__dim_const(1)), ch__dim_const(0));
            gaps = ch__dim_mul(a, between, ch__dim_const(interior[i]));
        }
        hi[i] = ch__dim_sub(a, want[i], ch__dim_add(a, ch__dim_add(a, n, gaps), lo[i]));
    }
    ch__value *zero = ch__b_splat(B(c), ch__type_scalar(x->type->dtype), 0.0);
    return ch__b_pad(B(c), x, zero, lo, hi, interior);
}

ch__value *ch__d_unslice(ch__vjp *c, ch__value *adj, const ch__type *t, const ch__dim *start, const int64_t *stride) {
    int64_t interior[CH__MAX_RANK];
    for (int i = 0; i < t->rank; i++) interior[i] = stride == NULL ? 0 : stride[i] - 1;
    return ch__d_pad_to(c, adj, start, interior, t->dims);
}

ch__value *ch__d_spread(ch__vjp *c, ch__value *v, const ch__type *t, int n, const int64_t *dims) {
    int64_t kept[CH__MAX_RANK];
    int n_kept = 0;
    for (int i = 0, k = 0; i < t->rank; i++) {
        if (k < n && dims[k] == i) {
            k++;
        } else {
            kept[n_kept++] = i;
        }
    }
    if (t->dtype != v->type->dtype) t = ch__d_like(c, t, v->type->dtype);
    return ch__b_broadcast(B(c), v, t, kept);
}

const int64_t *ch__d_ints(ch__vjp *c, const ch__op *op, ch__attr_id id, int n, int64_t absent) {
    const ch__attr *a = ch__op_attr(op, id);
    if (a != NULL) return a->ints;
    int64_t *v = CH_NEW_ARRAY(ch__builder_arena(B(c)), int64_t, n);
    for (int i = 0; i < n; i++) v[i] = absent;
    return v;
}
