// SPDX-License-Identifier: Apache-2.0
// hlo/emit_line.c - one operation of StableHLO as text, in the pretty or the generic form.
//
//   pretty   %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<2x4xf32>
//   generic  %2 = "stablehlo.broadcast_in_dim"(%1) {broadcast_dimensions = array<i64: 0>} : (...) -> ...
//
// Attributes are put before the line is written, with their name in both forms; those of this project (chaac.acc)
// stand in braces in both, where every reader of MLIR keeps or drops them. Operations that have regions use the
// generic form in either, as JAX prints them, but for while and plain reductions.
#include "hlo/emit.h"

#include <string.h>

void ch__emit_indent(ch__emit *e) {
    for (int i = 0; i < e->indent; i++) ch__put(e->t, "  ");
}

// A string of MLIR: what is no letter of it stands as two hex digits, \0D.
void ch__emit_quoted(ch__text *t, const char *s) {
    ch__putc(t, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7F)
            ch__putf(t, "\\%02X", c);
        else
            ch__putc(t, *s);
    }
    ch__putc(t, '"');
}

const char *ch__hlo_dtype(ch_dtype d) {
    static const struct {
        ch_dtype dtype;
        const char *name;
    } rows[] = {
#define HLO_DTYPE(name, dtype, pjrt) {dtype, name},
#include "hlo/dtypes.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].dtype == d) return rows[i].name;
    return NULL;
}

void ch__emit_type(ch__text *t, const ch__type *type) {
    ch__put(t, "tensor<");
    for (int i = 0; i < type->rank; i++) {
        ch__put_i64(t, type->dims[i].val);
        ch__putc(t, 'x');
    }
    const char *name = ch__hlo_dtype(type->dtype);
    ch__put(t, name != NULL ? name : ch_dtype_name(type->dtype));
    ch__putc(t, '>');
}

void ch__emit_put_ref(ch__emit *e, ch__emit_ref r) {
    ch__putc(e->t, '%');
    if (r.name) {
        ch__put(e->t, r.name);
        return;
    }
    ch__put_i64(e->t, r.number - 1);
    if (r.sub < 0) return;
    ch__putc(e->t, '#');
    ch__put_i64(e->t, r.sub);
}

void ch__emit_refs(ch__emit *e, int n, const ch__emit_ref *refs) {
    for (int i = 0; i < n; i++) {
        if (i) ch__put(e->t, ", ");
        ch__emit_put_ref(e, refs[i]);
    }
}

void ch__emit_types(ch__emit *e, int n, const ch__emit_ref *refs, bool parens) {
    if (parens) ch__putc(e->t, '(');
    for (int i = 0; i < n; i++) {
        if (i) ch__put(e->t, ", ");
        ch__emit_type(e->t, refs[i].type);
    }
    if (parens) ch__putc(e->t, ')');
}

void ch__emit_results(ch__emit *e, int n, const ch__type *const *types, ch__emit_ref *out) {
    ch__emit_indent(e);
    if (n == 0) return;
    int32_t number = ++e->next;
    for (int i = 0; i < n; i++) out[i] = (ch__emit_ref){NULL, number, n > 1 ? i : -1, types[i]};
    ch__putf(e->t, "%%%d", (int)number - 1);
    if (n > 1) ch__putf(e->t, ":%d", n);
    ch__put(e->t, " = ");
}

// ---------------------------------------------------------------- attributes

static void hlo_emit_comma(ch__text *t) {
    if (t->n) ch__put(t, ", ");
}

void ch__emit_attr(ch__emit *e, const char *pretty, const char *generic) {
    if (pretty && !e->generic) {
        if (*pretty == 0) return;
        ch__put(&e->pretty, ", ");
        ch__put(&e->pretty, pretty);
        return;
    }
    hlo_emit_comma(&e->inherent);
    ch__put(&e->inherent, generic);
}

void ch__emit_attr_int(ch__emit *e, const char *pretty, const char *generic, int64_t v) {
    const char *p = pretty ? ch__arena_printf(e->scratch, "%s = %lld", pretty, (long long)v) : NULL;
    ch__emit_attr(e, p, ch__arena_printf(e->scratch, "%s = %lld : i64", generic, (long long)v));
}

void ch__emit_attr_ints(ch__emit *e, const char *pretty, const char *generic, int n, const int64_t *v) {
    ch__text t;
    ch__text_init(&t, e->scratch);
    bool short_form = pretty && !e->generic;
    ch__putf(&t, short_form ? "%s = [" : "%s = array<i64", short_form ? pretty : generic);
    for (int i = 0; i < n; i++) {
        ch__put(&t, i ? ", " : short_form ? "" : ": ");
        ch__put_i64(&t, v[i]);
    }
    ch__putc(&t, short_form ? ']' : '>');
    ch__emit_attr(e, short_form ? t.data : NULL, t.data);
}

void ch__emit_extra(ch__emit *e, const char *name, const char *value) {
    hlo_emit_comma(&e->extra);
    ch__putf(&e->extra, "chaac.%s = ", name);
    ch__emit_quoted(&e->extra, value);
}

static void hlo_emit_clear(ch__text *t) {
    t->n = 0;
    if (t->data) t->data[0] = 0;
}

// {inherent, extra}
static void hlo_emit_braces(ch__emit *e) {
    if (e->inherent.n || e->extra.n) {
        ch__put(e->t, " {");
        if (e->inherent.n) ch__put(e->t, e->inherent.data);
        if (e->inherent.n && e->extra.n) ch__put(e->t, ", ");
        if (e->extra.n) ch__put(e->t, e->extra.data);
        ch__putc(e->t, '}');
    }
    hlo_emit_clear(&e->pretty);
    hlo_emit_clear(&e->inherent);
    hlo_emit_clear(&e->extra);
}

// ---------------------------------------------------------------- lines

static void hlo_emit_out_types(ch__emit *e, int n, const ch__type *const *types) {
    if (n != 1) ch__putc(e->t, '(');
    for (int i = 0; i < n; i++) {
        if (i) ch__put(e->t, ", ");
        ch__emit_type(e->t, types[i]);
    }
    if (n != 1) ch__putc(e->t, ')');
}

void ch__emit_line(ch__emit *e, const char *name, ch__emit_form form, int n, const ch__emit_ref *in, int n_out,
                   const ch__type *const *types, ch__emit_ref *out) {
    ch__emit_results(e, n_out, types, out);
    bool quoted = e->generic || form == CH__EMIT_GENERIC;
    ch__putf(e->t, quoted ? "\"%s\"(" : n || e->pretty.n ? "%s " : "%s", name);
    ch__emit_refs(e, n, in);
    if (quoted) ch__putc(e->t, ')');
    if (!quoted && e->pretty.n) ch__put(e->t, e->pretty.data + (n ? 0 : 2));
    hlo_emit_braces(e);
    ch__put(e->t, " : ");
    if (form == CH__EMIT_SAME && !quoted) {
        ch__emit_type(e->t, types[0]);
    } else {
        ch__emit_types(e, n, in, quoted || form != CH__EMIT_ARROW);
        ch__put(e->t, " -> ");
        hlo_emit_out_types(e, n_out, types);
    }
    ch__putc(e->t, '\n');
}

ch__emit_ref ch__emit_line1(ch__emit *e, const char *name, ch__emit_form form, int n, const ch__emit_ref *in,
                            const ch__type *type) {
    ch__emit_ref out;
    ch__emit_line(e, name, form, n, in, 1, &type, &out);
    return out;
}

// ---------------------------------------------------------------- lines with regions

void ch__emit_open(ch__emit *e, const char *name, int n, const ch__emit_ref *in) {
    ch__putf(e->t, "\"%s\"(", name);
    ch__emit_refs(e, n, in);
    ch__put(e->t, ") ({\n");
}

void ch__emit_block(ch__emit *e, int n, const ch__emit_ref *params) {
    if (n == 0) return;
    ch__emit_indent(e);
    ch__put(e->t, "^bb0(");
    for (int i = 0; i < n; i++) {
        if (i) ch__put(e->t, ", ");
        ch__emit_put_ref(e, params[i]);
        ch__put(e->t, ": ");
        ch__emit_type(e->t, params[i].type);
    }
    ch__put(e->t, "):\n");
}

void ch__emit_close(ch__emit *e, int n, const ch__emit_ref *in, int n_out, const ch__type *const *types) {
    ch__emit_indent(e);
    ch__put(e->t, "})");
    hlo_emit_braces(e);
    ch__put(e->t, " : ");
    ch__emit_types(e, n, in, true);
    ch__put(e->t, " -> ");
    hlo_emit_out_types(e, n_out, types);
    ch__putc(e->t, '\n');
}

void ch__emit_yield(ch__emit *e, int n, const ch__emit_ref *refs) {
    ch__emit_indent(e);
    ch__put(e->t, e->generic ? "\"stablehlo.return\"(" : n ? "stablehlo.return " : "stablehlo.return");
    ch__emit_refs(e, n, refs);
    if (e->generic) ch__putc(e->t, ')');
    if (n || e->generic) {
        ch__put(e->t, " : ");
        ch__emit_types(e, n, refs, e->generic);
        if (e->generic) ch__put(e->t, " -> ()");
    }
    ch__putc(e->t, '\n');
}

ch__emit_ref ch__emit_param(ch__emit *e, const ch__type *type) { return (ch__emit_ref){NULL, ++e->next, -1, type}; }

const ch__type *ch__emit_of_dtype(ch__emit *e, const ch__type *t, ch_dtype d) {
    return ch__type_with_dtype(e->scratch, t, d);
}
