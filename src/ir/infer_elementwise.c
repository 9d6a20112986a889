// SPDX-License-Identifier: Apache-2.0
// infer_elementwise.c - shape rules of ops that work element by element: one shape in, the same shape out.
//
// Operands have equal dims (IR has no implicit broadcasting; only select's pred and clamp's limits may be rank 0). The
// result has the dims of the first operand as they are written there, and the joint axis names of all.
#include "ir/infer.h"

#include <string.h>

// Joint type of operands from..to-1, whose dims must be equal; dtypes are the caller's business.
static const ch__type *joint_of(ch__infer *in, int from, int to) {
    const ch__type *t = in->operands[from];
    for (int i = from + 1; i < to; i++)
        t = ch__infer_joint(in, t, ch__side_operand(from), in->operands[i], ch__side_operand(i));
    return t;
}

void ch__infer_same(ch__infer *in) {
    if (in->code == CH_OP_polygamma && ch__infer_int(in, CH__ATTR_n, 0) < 0)
        ch__infer_bad_attr(in, "n is %" PRId64 ", at least 0 is wanted", ch__infer_int(in, CH__ATTR_n, 0));
    ch__infer_one(in, joint_of(in, 0, in->n_operands));
}

void ch__infer_predicate(ch__infer *in) {
    ch__infer_one(in, ch__type_with_dtype(in->arena, joint_of(in, 0, in->n_operands), CH_BOOL));
}

void ch__infer_select(ch__infer *in) {
    const ch__type *pred = in->operands[0];
    if (pred->dtype != CH_BOOL)
        ch__infer_bad(in, CH__E_dtype_mismatch, "pred is %s, bool is wanted", ch_dtype_name(pred->dtype));
    if (in->operands[1]->dtype != in->operands[2]->dtype)
        ch__infer_bad(in, CH__E_dtype_mismatch, "dtypes of on_true and on_false differ: convert one of them");
    const ch__type *t = joint_of(in, 1, 3);
    if (pred->rank) t = ch__infer_joint(in, t, ch__side_operand(1), pred, ch__side_operand(0));
    ch__infer_one(in, t);
}

void ch__infer_clamp(ch__infer *in) {
    const ch__type *t = in->operands[1];
    for (int i = 0; i < 3; i += 2)
        if (in->operands[i]->rank)
            t = ch__infer_joint(in, t, ch__side_operand(1), in->operands[i], ch__side_operand(i));
    ch__infer_one(in, t);
}

void ch__infer_typed_convert(ch__infer *in) {
    ch__infer_one(in, ch__infer_joint(in, in->results[0], CH__SIDE_RESULT, in->operands[0], ch__side_operand(0)));
}

void ch__infer_typed_bitcast(ch__infer *in) {
    const ch__type *x = in->operands[0], *r = in->results[0];
    if (x->dtype == CH_BOOL || r->dtype == CH_BOOL) {
        if (x->dtype != r->dtype)
            ch__infer_bad(in, CH__E_dtype_mismatch, "the result is %s: bool is one bit, convert or compare instead",
                          ch_dtype_name(r->dtype));
    } else if (ch_dtype_size(x->dtype) != ch_dtype_size(r->dtype)) {
        ch__infer_bad(in, CH__E_dtype_mismatch, "the result is %s: %s has %zu bytes an element, %s has %zu",
                      ch_dtype_name(r->dtype), ch_dtype_name(x->dtype), ch_dtype_size(x->dtype),
                      ch_dtype_name(r->dtype), ch_dtype_size(r->dtype));
    }
    ch__infer_one(in, ch__infer_joint(in, r, CH__SIDE_RESULT, x, ch__side_operand(0)));
}

// ---------------------------------------------------------------- cmath
static const char *row_list(ch__arena *a) {
    ch__text t;
    ch__text_init(&t, a);
    const ch__libm_row *row;
    for (int i = 0; (row = ch__libm_at(i)); i++) ch__putf(&t, " %s", row->name);
    return t.data;
}

// A form such as "di_d": operands, '_', results; d the float dtype, i i32, l i64.
void ch__infer_cmath(ch__infer *in) {
    const char *fn = ch__infer_attr(in, CH__ATTR_fn)->s;
    const ch__libm_row *row = ch__libm_find(fn);
    if (!row) ch__infer_bad_attr(in, "fn is %s, which is no row of libm.def:%s", fn, row_list(in->arena));
    const char *outs = strchr(row->form, '_') + 1;
    int want = (int)(outs - row->form) - 1;
    if (in->n_operands != want)
        ch__infer_bad(in, CH__E_arity, "%s takes %d operand%s, given %d", fn, want, want == 1 ? "" : "s",
                      in->n_operands);
    const ch__type *real = NULL;
    for (int i = 0; i < want; i++) {
        const ch__type *t = in->operands[i];
        if (row->form[i] == 'i') {
            if (t->dtype != CH_I32)
                ch__infer_bad(in, CH__E_dtype_mismatch, "operand %d of %s is i32, given %s", i, fn,
                              ch_dtype_name(t->dtype));
            continue;
        }
        if (!ch__is_float(t->dtype))
            ch__infer_bad(in, CH__E_dtype_mismatch, "operand %d of %s takes floating dtypes, given %s", i, fn,
                          ch_dtype_name(t->dtype));
        if (real && real->dtype != t->dtype)
            ch__infer_bad(in, CH__E_dtype_mismatch, "dtypes differ: convert one of them");
        if (!real) real = t;
    }
    const ch__type *shape = joint_of(in, 0, want);
    in->n_results = 0;
    for (const char *p = outs; *p; p++) {
        ch_dtype d = *p == 'i' ? CH_I32 : *p == 'l' ? CH_I64 : real->dtype;
        in->results[in->n_results++] = d == shape->dtype ? shape : ch__type_with_dtype(in->arena, shape, d);
    }
}
