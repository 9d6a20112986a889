// SPDX-License-Identifier: Apache-2.0
// order.c - sort and top_k: a stable merge sort of positions, with the comparison of the op written out.
//
// -0 equals +0, NaN comes after every number (before them when descending), equal keys keep their order: any stable
// sort by that order gives the interpreter's positions.
#include "cgen/emit.h"

// May b stand before a, by one key of dtype d? And do they differ?
static void put_key(cg *g, ch_dtype d, const char *x, const char *y, bool descending) {
    const char *sign = descending ? ">" : "<";
    if (ch__is_float(d)) {
        ch__cg_line(g, "if (%s != %s || %s != %s) {", x, x, y, y);
        g->indent++;
        ch__cg_line(g, "if ((%s != %s) != (%s != %s)) return %s %s %s;", x, x, y, y, x, descending ? "!=" : "==", x);
        g->indent--;
        ch__cg_line(g, "} else if (%s != %s) {", x, y);
        g->indent++;
        ch__cg_line(g, "return %s %s %s;", x, sign, y);
        g->indent--;
        ch__cg_line(g, "}");
        return;
    }
    if (d == CH_BOOL) {
        x = ch__arena_printf(g->a, "(int)%s", x);
        y = ch__arena_printf(g->a, "(int)%s", y);
    }
    ch__cg_line(g, "if (%s != %s) return %s %s %s;", x, y, x, sign, y);
}

// A static function that sorts positions 0 .. n-1 of a line by the keys; gives its name.
static const char *sorter(cg *g, int n_keys, const ch_dtype *dtypes, bool descending) {
    ch__text text, *saved = g->out;
    int indent = g->indent;
    ch__text_init(&text, g->a);
    const char *before = ch__cg_file_name(g->file, g, "before"), *sort = ch__cg_file_name(g->file, g, "sort_positions");
    ch__text params, args;
    ch__text_init(&params, g->a);
    ch__text_init(&args, g->a);
    for (int k = 0; k < n_keys; k++) {
        ch__putf(&params, ", const %s *key%d", ch__cg_ctype(dtypes[k]), k);
        ch__putf(&args, ", key%d", k);
    }
    g->out = &text;
    g->indent = 0;
    ch__cg_line(g, "/* may position b of a line stand before position a? */");
    ch__cg_line(g, "static int %s(int64_t b, int64_t a, int64_t step%s)", before, params.data);
    ch__cg_line(g, "{");
    g->indent++;
    for (int k = 0; k < n_keys; k++) {
        bool half = dtypes[k] == CH_F16 || dtypes[k] == CH_BF16;
        ch_dtype d = half ? CH_F32 : dtypes[k];
        const char *type = ch__cg_ctype(d);
        for (int i = 0; i < 2; i++) {
            cx e = ch__cx(ch__arena_printf(g->a, "key%d[%s * step]", k, i ? "a" : "b"), CX_PRIM);
            ch__cg_line(g, "const %s %s%d = %s;", type, i ? "y" : "x", k, ch__cg_convert(g, e, dtypes[k], d).s);
        }
    }
    for (int k = 0; k < n_keys; k++) {
        ch_dtype d = dtypes[k] == CH_F16 || dtypes[k] == CH_BF16 ? CH_F32 : dtypes[k];
        put_key(g, d, ch__arena_printf(g->a, "x%d", k), ch__arena_printf(g->a, "y%d", k), descending);
    }
    ch__cg_line(g, "return 0;");
    g->indent--;
    ch__cg_line(g, "}\n");
    ch__cg_line(g, "/* positions 0 .. n-1 in order; room for n more at tmp; merge sort, stable */");
    ch__cg_line(g, "static void %s(int64_t n, int64_t *pos, int64_t *tmp, int64_t step%s)", sort, params.data);
    ch__cg_line(g, "{");
    static const char *const body[] = {
        "    for (int64_t i = 0; i < n; i++) pos[i] = i;",
        "    for (int64_t width = 1; width < n; width *= 2) {",
        "        for (int64_t lo = 0; lo < n; lo += 2 * width) {",
        "            const int64_t mid = lo + width < n ? lo + width : n, hi = mid + width < n ? mid + width : n;",
        "            int64_t a = lo, b = mid, k = lo;",
        "            while (a < mid && b < hi) {",
    };
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) ch__cg_line(g, "%s", body[i]);
    ch__cg_line(g, "                tmp[k++] = %s(pos[b], pos[a], step%s) ? pos[b++] : pos[a++];", before, args.data);
    static const char *const rest[] = {
        "            }",
        "            while (a < mid) tmp[k++] = pos[a++];",
        "            while (b < hi) tmp[k++] = pos[b++];",
        "        }",
        "        for (int64_t i = 0; i < n; i++) pos[i] = tmp[i];",
        "    }",
        "}\n",
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) ch__cg_line(g, "%s", rest[i]);
    g->out = saved;
    g->indent = indent;
    CH_PUSH(g->file->a, &g->file->pieces, (piece){sort, text.data, NULL, 1, false});
    return sort;
}

static store *sort_room(cg *g, const ch__op *op, ch__dim n) {
    ch__value *like = CH_NEW(g->a, ch__value);
    ch__dim twice = ch__dim_mul(g->a, n, ch__dim_const(2));
    like->type = ch__type_make(g->a, CH_I64, 1, &twice, NULL);
    like->id = op->results[0].id;
    return ch__cg_new_store(g, like, "pos");
}

static const char *line_at(cg *g, const char *p, ch__dim offset) {
    if (ch__dim_is_const(offset) && offset.val == 0) return p;
    return ch__arena_printf(g->a, "%s + %s", p, ch__cg_dim_text(g, offset, CX_ADD));
}

void ch__cg_sort(cg *g, const ch__op *op) {
    const ch__type *t = op->operands[0]->type;
    int dim = (int)ch__op_int(op, CH__ATTR_dim, 0), n_keys = (int)ch__op_int(op, CH__ATTR_keys, 1), n = 0;
    ch_dtype *dtypes = CH_NEW_ARRAY(g->a, ch_dtype, op->n_operands);
    const char **from = CH_NEW_ARRAY(g->a, const char *, op->n_operands);
    store **to = CH_NEW_ARRAY(g->a, store *, op->n_operands);
    if (n_keys > 64) ch__cg_refuse(op, "there are more than 64 keys — that is the limit");
    for (int k = 0; k < op->n_operands; k++) {
        dtypes[k] = op->operands[k]->type->dtype;
        to[k] = val_of(g, &op->results[k])->uses > 0 ? ch__cg_result_store(g, op, k) : NULL;
        if (k < n_keys || to[k]) from[k] = ch__cg_pointer(g, op->operands[k]);
    }
    const char *sort = sorter(g, n_keys, dtypes, ch__op_int(op, CH__ATTR_descending, 0) != 0);
    store *pos = sort_room(g, op, t->dims[dim]);
    ch__dim at[CH__MAX_RANK], step = ch__dim_const(1);
    for (int i = dim + 1; i < t->rank; i++) step = ch__dim_mul(g->a, step, t->dims[i]);
    for (int i = 0; i < t->rank; i++) {
        at[i] = ch__dim_const(0);
        if (i == dim || (ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1)) continue;
        at[i] = ch__cg_for(g, t->dims[i]);
        n++;
    }
    ix line = {.at = at};
    ch__dim base = ch__cg_offset(g, &line, t);
    const char *length = ch__cg_dim_text(g, t->dims[dim], CX_ADD);
    ch__text call;
    ch__text_init(&call, g->a);
    ch__putf(&call, "%s(%s, %s, %s + %s, %s", sort, length, pos->name, pos->name, length, ch__cg_dim_text(g, step, 0));
    for (int k = 0; k < n_keys; k++) ch__putf(&call, ", %s", line_at(g, from[k], base));
    ch__cg_line(g, "%s);", call.data);
    at[dim] = ch__cg_for(g, t->dims[dim]);
    const char *there = ch__cg_dim_text(g, ch__cg_offset(g, &line, t), 0), *i = ch__cg_dim_text(g, at[dim], 0);
    at[dim] = ch__cg_opaque(g, ch__cx(ch__arena_printf(g->a, "%s[%s]", pos->name, i), CX_PRIM));
    const char *source = ch__cg_dim_text(g, ch__cg_offset(g, &line, t), 0);
    for (int k = 0; k < op->n_operands; k++)
        if (to[k]) ch__cg_line(g, "%s[%s] = %s[%s];", to[k]->name, there, from[k], source);
    ch__cg_for_end(g, n + 1);
    for (int k = 0; k < op->n_operands; k++)
        if (to[k]) ch__cg_hold(g, &op->results[k], to[k]);
}

void ch__cg_top_k(cg *g, const ch__op *op) {
    const ch__value *x = op->operands[0], *values = &op->results[0], *where = &op->results[1];
    const ch__type *t = x->type;
    int last = t->rank - 1, n = 0;
    ch_dtype d = t->dtype;
    const char *from = ch__cg_pointer(g, x), *sort = sorter(g, 1, &d, true);
    store *v = val_of(g, values)->uses > 0 ? ch__cg_result_store(g, op, 0) : NULL;
    store *w = val_of(g, where)->uses > 0 ? ch__cg_result_store(g, op, 1) : NULL;
    store *pos = sort_room(g, op, t->dims[last]);
    ch__dim at[CH__MAX_RANK];
    for (int i = 0; i < last; i++) {
        at[i] = ch__dim_const(0);
        if (ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1) continue;
        at[i] = ch__cg_for(g, t->dims[i]);
        n++;
    }
    at[last] = ch__dim_const(0);
    ix line = {.at = at};
    const char *length = ch__cg_dim_text(g, t->dims[last], CX_ADD);
    ch__dim base = ch__cg_offset(g, &line, t);
    ch__cg_line(g, "%s(%s, %s, %s + %s, 1, %s);", sort, length, pos->name, pos->name, length, line_at(g, from, base));
    ch__dim i = ch__cg_for(g, values->type->dims[last]);
    const char *p = ch__arena_printf(g->a, "%s[%s]", pos->name, ch__cg_dim_text(g, i, 0));
    at[last] = i;
    const char *there = ch__cg_dim_text(g, ch__cg_offset(g, &line, values->type), 0);
    at[last] = ch__cg_opaque(g, ch__cx(p, CX_PRIM));
    if (v) ch__cg_line(g, "%s[%s] = %s[%s];", v->name, there, from, ch__cg_dim_text(g, ch__cg_offset(g, &line, t), 0));
    if (w)
        ch__cg_line(g, "%s[%s] = %s;", w->name, there,
                    ch__cg_convert(g, ch__cx(p, CX_PRIM), CH_I64, where->type->dtype).s);
    ch__cg_for_end(g, n + 1);
    if (v) ch__cg_hold(g, values, v);
    if (w) ch__cg_hold(g, where, w);
}
