// SPDX-License-Identifier: Apache-2.0
// infer_rows.h - rows that say what a shape rule gives or why it refuses, and what runs one row.
//
// operands and given are types with ';' between; attrs as in IR text. Two notations of its own: reserved dtypes (c64)
// may be written; attrs of const is the type of its data, "splat f32" or "f32[2,3]".
#ifndef CHAAC_TESTS_INFER_ROWS_H
#define CHAAC_TESTS_INFER_ROWS_H

#include "unit.h"

#include "ir/ir.h"

typedef struct infer_good {
    const char *op, *operands, *attrs, *given, *want;
} infer_good;
// message: the whole sentence; id: the row of errors.def.
typedef struct infer_bad {
    const char *op, *operands, *attrs, *given, *id, *message;
} infer_bad;

typedef struct infer_run {
    const char *op, *operands, *attrs, *given;
    ch_func *func;
    char text[2048]; // the result types, ';' between
} infer_run;

static const ch__type *infer_row_type(ch__arena *a, const char *text) {
    static const ch_dtype reserved[] = {CH_C64, CH_C128, CH_I4, CH_U4};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        size_t n = strlen(ch_dtype_name(reserved[i]));
        if (strncmp(text, ch_dtype_name(reserved[i]), n) == 0 && text[n] == '[')
            return ch__type_with_dtype(a, ch__parse_type(a, ch__arena_printf(a, "f32%s", text + n)), reserved[i]);
    }
    return ch__parse_type(a, text);
}

static int infer_row_types(ch__arena *a, const char *text, const ch__type **out) {
    int n = 0;
    while (*text) {
        size_t len = strcspn(text, ";");
        while (*text == ' ') text++, len--;
        out[n++] = infer_row_type(a, ch__arena_strndup(a, text, len));
        text += len + (text[len] == ';');
    }
    return n;
}

static const ch__array *infer_row_data(ch__arena *a, const char *text) {
    ch__array *d = CH_NEW(a, ch__array);
    d->splat = strncmp(text, "splat ", 6) == 0;
    if (d->splat) {
        d->dtype = (ch_dtype)ch_dtype_from_name(text + 6);
        d->data = ch__arena_alloc(a, 16);
        return d;
    }
    const ch__type *t = ch__parse_type(a, text);
    int64_t *dims = CH_NEW_ARRAY(a, int64_t, t->rank + 1), n = 1;
    for (int i = 0; i < t->rank; i++) n *= dims[i] = t->dims[i].val;
    d->dtype = t->dtype;
    d->rank = t->rank;
    d->dims = dims;
    d->data = ch__arena_alloc(a, (size_t)n * ch_dtype_size(t->dtype) + 1);
    return d;
}

static void infer_row_run(void *arg) {
    infer_run *r = arg;
    ch__arena *a = ch__arena_create();
    const ch__type *operands[64], *given[64];
    ch__attr *attrs = NULL, data;
    int code = ch__op_find(r->op, strlen(r->op));
    if (code < 0) ch__raise(CH__E_unknown_op, "no op %s", r->op);
    ch__infer in = {.arena = a, .func = r->func, .code = (ch__opcode)code, .operands = operands};
    in.n_operands = infer_row_types(a, r->operands, operands);
    in.n_results = infer_row_types(a, r->given, given);
    if (code == CH_OP_const) {
        data = ch__attr_array(CH__ATTR_value, infer_row_data(a, r->attrs));
        in.attrs = &data;
        in.n_attrs = 1;
    } else {
        in.n_attrs = ch__parse_attrs(a, in.code, r->attrs, &attrs);
        in.attrs = attrs;
    }
    int room = ch__infer_max_results(in.code, in.n_operands);
    const ch__type **results = CH_NEW_ARRAY(a, const ch__type *, room > in.n_results ? room : in.n_results + 1);
    for (int i = 0; i < in.n_results; i++) results[i] = given[i];
    in.results = results;
    ch__infer_types(&in);
    ch__text t;
    ch__text_init(&t, a);
    for (int i = 0; i < in.n_results; i++) {
        if (i) ch__put(&t, "; ");
        ch__type_print(&t, in.results[i]);
    }
    snprintf(r->text, sizeof r->text, "%s", t.n ? t.data : "");
    ch__arena_destroy(a);
}

// Both give the number of rows that are not as they say, each printed.
static int infer_check_good(const infer_good *rows, size_t n, ch_func *func) {
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        infer_run r = {rows[i].op, rows[i].operands, rows[i].attrs, rows[i].given, func, ""};
        const char *got = ch__protect(infer_row_run, &r) == CH_OK ? r.text : ch_error_message();
        if (strcmp(got, rows[i].want) == 0) continue;
        print_error("%s(%s) {%s} given %s\n  wanted %s\n  got    %s\n", rows[i].op, rows[i].operands, rows[i].attrs,
                    rows[i].given, rows[i].want, got);
        wrong++;
    }
    return wrong;
}

static int infer_check_bad(const infer_bad *rows, size_t n, ch_func *func) {
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        infer_run r = {rows[i].op, rows[i].operands, rows[i].attrs, rows[i].given, func, ""};
        bool ok = ch__protect(infer_row_run, &r) == CH_OK;
        const char *got = ok ? r.text : ch_error_message(), *id = ok ? "no error" : ch_error_id();
        if (!ok && strcmp(got, rows[i].message) == 0 && strcmp(id, rows[i].id) == 0) continue;
        print_error("%s(%s) {%s} given %s\n  wanted %s: %s\n  got    %s: %s\n", rows[i].op, rows[i].operands,
                    rows[i].attrs, rows[i].given, rows[i].id, rows[i].message, id, got);
        wrong++;
    }
    return wrong;
}

#endif
