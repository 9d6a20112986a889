// SPDX-License-Identifier: Apache-2.0
// infer.c - the types of an op's results: the checks every op shares, then the shape rule of its row.
//
// In this order, so that a message speaks of the first thing that is wrong: the number of operands; tapes and reserved
// dtypes; the dtypes the row allows; the attributes the row allows, each with a value of its kind; the number of given
// result types; the rule (infer_*.c). All of it comes from ops.def and attrs.def.
#include "ir/infer.h"

#include <string.h>

static void (*const infer_rules[])(ch__infer *) = {
#define OP(name, operands, dtypes, attrs, opt, rule, reads, flags) ch__infer_##rule,
#include "ir/ops.def"
#undef OP
};

int ch__infer_max_results(ch__opcode code, int n_operands) {
    if (code == CH_OP_if || code == CH_OP_call || code == CH_OP_composite) return 0;
    return n_operands < 2 ? 2 : n_operands;
}

const ch__attr *ch__infer_attr(const ch__infer *in, ch__attr_id id) {
    for (int i = 0; i < in->n_attrs; i++)
        if (in->attrs[i].id == id) return &in->attrs[i];
    return NULL;
}

// ---------------------------------------------------------------- operands
static void check_operand_count(const ch__infer *in, const ch__op_info *info) {
    int n = in->n_operands;
    if (n >= info->min_operands && (info->max_operands < 0 || n <= info->max_operands)) return;
    const char *plural = n == 1 ? "" : "s";
    if (info->max_operands < 0)
        ch__raise(CH__E_arity, "%s: given %d operand%s — takes %d or more: %s", info->name, n, plural,
                  info->min_operands, info->operands);
    if (!info->max_operands) ch__raise(CH__E_arity, "%s: given %d operand%s — takes none", info->name, n, plural);
    ch__raise(CH__E_arity, "%s: given %d operand%s — takes %d: %s", info->name, n, plural, info->max_operands,
              info->operands);
}

static bool takes_tapes(ch__opcode code) {
    switch (code) {
    case CH_OP_push:
    case CH_OP_pop:
    case CH_OP_for:
    case CH_OP_while:
    case CH_OP_composite:
    case CH_OP_barrier: return true;
    default: return false;
    }
}

static void check_usable(const ch__infer *in, const ch__type *t, bool tapes) {
    if (t->tape && !tapes) ch__infer_bad(in, CH__E_dtype_mismatch, "takes arrays, a tape goes to push and pop");
    char class = ch__dtype_class(t->dtype);
    if (class == 'r')
        ch__infer_bad(in, CH__E_unsupported, "%s is reserved: complex numbers and 4-bit integers are refused for now",
                      ch_dtype_name(t->dtype));
    if (!class) ch__infer_bad(in, CH__E_dtype_mismatch, "%d is the number of no dtype", (int)t->dtype);
}

static const char *class_word(char class) {
    switch (class) {
    case 'f': return "floating";
    case 'i': return "signed";
    case 'u': return "unsigned";
    case 'b': return "bool";
    default: return "storage";
    }
}

// "floating, signed and unsigned" for "fiu".
static const char *class_list(ch__arena *a, const char *classes) {
    ch__text t;
    ch__text_init(&t, a);
    int n = (int)strlen(classes);
    for (int i = 0; i < n; i++) {
        if (i) ch__put(&t, i == n - 1 ? " and " : ", ");
        ch__put(&t, class_word(classes[i]));
    }
    return t.data;
}

static void check_operand_dtypes(const ch__infer *in, const ch__op_info *info) {
    bool tapes = takes_tapes(in->code);
    for (int i = 0; i < in->n_operands; i++) check_usable(in, in->operands[i], tapes);
    for (int i = 0; i < in->n_results; i++) check_usable(in, in->results[i], in->code == CH_OP_tape_new);
    if (info->dtypes[0] == '-') return;
    for (int i = 1; i < in->n_operands; i++)
        if (in->operands[i]->dtype != in->operands[0]->dtype)
            ch__infer_bad(in, CH__E_dtype_mismatch, "dtypes differ: convert one of them");
    if (info->dtypes[0] == '*' || !in->n_operands) return;
    char class = ch__dtype_class(in->operands[0]->dtype);
    if (strchr(info->dtypes, class)) return;
    if (class == 's')
        ch__infer_bad(in, CH__E_dtype_mismatch, "%s is for storage: convert first",
                      ch_dtype_name(in->operands[0]->dtype));
    ch__infer_bad(in, CH__E_dtype_mismatch, "takes %s dtypes", class_list(in->arena, info->dtypes));
}

// ---------------------------------------------------------------- attributes
static int64_t last_word(ch__attr_kind k) {
    switch (k) {
    case CH__AK_BOOL: return 1;
    case CH__AK_KIND: return CH__MUL;
    case CH__AK_DIR: return CH__GE;
    case CH__AK_ORDER: return CH__SEQ;
    case CH__AK_TIE: return CH__ALL;
    case CH__AK_BOUNDS: return CH__C;
    case CH__AK_PRECISION: return CH__HIGHEST;
    default: return -1;
    }
}

// A value of its kind. The id fixes the kind, so what can be wrong is a number outside the words, or nothing there.
static void check_attr_value(const ch__infer *in, const ch__attr *a) {
    const char *name = ch__attr_name(a->id);
    ch__attr_kind kind = ch__attr_kind_of(a->id);
    switch (kind) {
    case CH__AK_BOOL:
    case CH__AK_KIND:
    case CH__AK_DIR:
    case CH__AK_ORDER:
    case CH__AK_TIE:
    case CH__AK_BOUNDS:
    case CH__AK_PRECISION:
        if (a->i < 0 || a->i > last_word(kind))
            ch__infer_bad_attr(in, "%s is number %" PRId64 ", the words end at %" PRId64, name, a->i, last_word(kind));
        break;
    case CH__AK_DTYPE:
        if (a->i <= 0 || a->i >= CH__DTYPE_COUNT || !ch__dtype_class((ch_dtype)a->i))
            ch__infer_bad_attr(in, "%s is %" PRId64 ", which is the number of no dtype", name, a->i);
        if (ch__dtype_class((ch_dtype)a->i) == 'r')
            ch__infer_bad_attr(in, "%s is %s, which is reserved", name, ch_dtype_name((ch_dtype)a->i));
        break;
    case CH__AK_INTS:
    case CH__AK_DIMS:
    case CH__AK_PAIRS:
        if (a->n < 0 || (a->n > 0 && !a->ints)) ch__infer_bad_attr(in, "%s holds no list", name);
        break;
    case CH__AK_ROWS: {
        int at = 0;
        while (a->ints && at < a->n && a->ints[at] >= 0 && a->ints[at] < a->n - at) at += 1 + (int)a->ints[at];
        if (a->n < 0 || at != a->n) ch__infer_bad_attr(in, "%s holds no list of lists", name);
        break;
    }
    case CH__AK_STR:
        if (!a->s) ch__infer_bad_attr(in, "%s holds no text", name);
        break;
    case CH__AK_ARRAY:
        if (!a->array) ch__infer_bad_attr(in, "%s holds no data", name);
        break;
    case CH__AK_FUNC:
        if (!a->func) ch__infer_bad_attr(in, "%s names no func", name);
        break;
    case CH__AK_INT:
    case CH__AK_DIM: break;
    }
}

static const char *attr_list(ch__arena *a, uint64_t set) {
    ch__text t;
    ch__text_init(&t, a);
    for (int id = 0; id < CH__ATTR_COUNT; id++)
        if (set >> id & 1) ch__putf(&t, "%s%s", t.n ? " " : "", ch__attr_name((ch__attr_id)id));
    return t.n ? t.data : "none";
}

static void check_op_attrs(const ch__infer *in, const ch__op_info *info) {
    uint64_t seen = 0;
    for (int i = 0; i < in->n_attrs; i++) {
        const ch__attr *a = &in->attrs[i];
        if ((unsigned)a->id >= CH__ATTR_COUNT) ch__infer_bad_attr(in, "%d is the number of no attribute", (int)a->id);
        uint64_t bit = UINT64_C(1) << a->id;
        if (!((info->attrs | info->opt) & bit))
            ch__infer_bad_attr(in, "%s is not one of its attributes — it takes %s", ch__attr_name(a->id),
                               attr_list(in->arena, info->attrs | info->opt));
        if (seen & bit) ch__infer_bad_attr(in, "%s is given twice", ch__attr_name(a->id));
        seen |= bit;
        check_attr_value(in, a);
    }
    if (info->attrs & ~seen)
        ch__infer_bad_attr(in, "%s is missing — it takes %s", attr_list(in->arena, info->attrs & ~seen),
                           attr_list(in->arena, info->attrs | info->opt));
    const ch__attr *nowrap = ch__infer_attr(in, CH__ATTR_nowrap);
    if (nowrap && nowrap->i && in->n_operands && !ch__is_int(in->operands[0]->dtype))
        ch__infer_bad_attr(in, "nowrap is given for %s, it is for integers", ch_dtype_name(in->operands[0]->dtype));
}

// ---------------------------------------------------------------- results
static void check_given_sizes(ch__infer *in, const ch__type *t) {
    ch__dim zero = ch__dim_const(0);
    for (int i = 0; i < t->rank; i++) {
        ch__answer r = ch__infer_le(in, zero, t->dims[i]);
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_shape_mismatch, zero, t->dims[i],
                            "axis %d of the result is %s, at least 0 is wanted", i, ch__infer_dim_text(in, t->dims[i]));
    }
}

static void check_given(ch__infer *in, const ch__op_info *info) {
    if (!info->typed) return;
    for (int i = 0; i < in->n_results; i++) check_given_sizes(in, in->results[i]);
    if (in->code == CH_OP_top_k && (in->n_results == 0 || in->n_results == 2)) return;
    int want = in->code == CH_OP_top_k ? 2 : 1;
    if (in->n_results == want) return;
    ch__raise(CH__E_arity, "%s: given %d result type%s — takes %d", info->name, in->n_results,
              in->n_results == 1 ? "" : "s", want);
}

void ch__infer_types(ch__infer *in) {
    const ch__op_info *info = ch__op_info_of(in->code);
    check_operand_count(in, info);
    check_operand_dtypes(in, info);
    check_op_attrs(in, info);
    check_given(in, info);
    if (!in->results) {
        int room = ch__infer_max_results(in->code, in->n_operands);
        in->results = CH_NEW_ARRAY(in->arena, const ch__type *, room < 1 ? 1 : room);
    }
    infer_rules[in->code](in);
}
