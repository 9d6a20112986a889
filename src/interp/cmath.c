// SPDX-License-Identifier: Apache-2.0
// cmath.c - the functions of C's libm that libm.def names, called as C calls them.
//
// Each row becomes two small functions, one for f64 and one for the f form; f16 and bf16 go through f32. Functions with
// an
// integer result (ilogb, lrint, isnan ...) give the same for a float and for the same number as a double, so they have
// one. signbit, isnan and isinf give 0 or 1.
#include <math.h>

#include "interp/exec.h"

// GNU's, which the headers show only to those who ask for everything.
double exp10(double x);
float exp10f(float x);

typedef struct {
    double x, y;  // floating operands in order
    int n;        // integer operand
    double r, r2; // floating results
    int64_t i;    // integer result
} cmath_call;

#define CMATH_d_d(name)                                                                                                \
    static void cm_##name(cmath_call *c) { c->r = name(c->x); }                                                        \
    static void cmf_##name(cmath_call *c) { c->r = name##f((float)c->x); }
#define CMATH_dd_d(name)                                                                                               \
    static void cm_##name(cmath_call *c) { c->r = name(c->x, c->y); }                                                  \
    static void cmf_##name(cmath_call *c) { c->r = name##f((float)c->x, (float)c->y); }
#define CMATH_di_d(name)                                                                                               \
    static void cm_##name(cmath_call *c) { c->r = name(c->x, c->n); }                                                  \
    static void cmf_##name(cmath_call *c) { c->r = name##f((float)c->x, c->n); }
#define CMATH_id_d(name)                                                                                               \
    static void cm_##name(cmath_call *c) { c->r = name(c->n, c->x); }                                                  \
    static void cmf_##name(cmath_call *c) { c->r = name##f(c->n, (float)c->x); }
#define CMATH_d_di(name)                                                                                               \
    static void cm_##name(cmath_call *c) {                                                                             \
        int e = 0;                                                                                                     \
        c->r = name(c->x, &e);                                                                                         \
        c->i = e;                                                                                                      \
    }                                                                                                                  \
    static void cmf_##name(cmath_call *c) {                                                                            \
        int e = 0;                                                                                                     \
        c->r = name##f((float)c->x, &e);                                                                               \
        c->i = e;                                                                                                      \
    }
#define CMATH_d_dd(name)                                                                                               \
    static void cm_##name(cmath_call *c) { c->r = name(c->x, &c->r2); }                                                \
    static void cmf_##name(cmath_call *c) {                                                                            \
        float whole;                                                                                                   \
        c->r = name##f((float)c->x, &whole);                                                                           \
        c->r2 = whole;                                                                                                 \
    }
#define CMATH_dd_di(name)                                                                                              \
    static void cm_##name(cmath_call *c) {                                                                             \
        int q = 0;                                                                                                     \
        c->r = name(c->x, c->y, &q);                                                                                   \
        c->i = q;                                                                                                      \
    }                                                                                                                  \
    static void cmf_##name(cmath_call *c) {                                                                            \
        int q = 0;                                                                                                     \
        c->r = name##f((float)c->x, (float)c->y, &q);                                                                  \
        c->i = q;                                                                                                      \
    }
#define CMATH_d_l(name)                                                                                                \
    static void cm_##name(cmath_call *c) { c->i = name(c->x); }                                                        \
    static void cmf_##name(cmath_call *c) { c->i = name(c->x); }
#define CMATH_d_i(name)                                                                                                \
    static void cm_##name(cmath_call *c) { c->i = cm_int_##name(c->x); }                                               \
    static void cmf_##name(cmath_call *c) { c->i = cm_int_##name(c->x); }

static int cm_int_ilogb(double x) { return ilogb(x); }
static int cm_int_signbit(double x) { return signbit(x) != 0; }
static int cm_int_isnan(double x) { return isnan(x) != 0; }
static int cm_int_isinf(double x) { return isinf(x) != 0; }

#define LIBM(name, form, derivative) CMATH_##form(name)
#include "ir/libm.def"
#undef LIBM

typedef struct {
    const char *name, *form;
    void (*f64)(cmath_call *), (*f32)(cmath_call *);
} cmath_row;
static const cmath_row cmath_rows[] = {
#define LIBM(name, form, derivative) {#name, #form, cm_##name, cmf_##name},
#include "ir/libm.def"
#undef LIBM
};

static const cmath_row *cmath_find(const char *name) {
    for (size_t i = 0; i < sizeof cmath_rows / sizeof cmath_rows[0]; i++)
        if (strcmp(cmath_rows[i].name, name) == 0) return &cmath_rows[i];
    return NULL;
}

static void read_operand(cmath_call *c, const ch__cell *x, int64_t i, char kind, int *n_floats) {
    if (kind == 'i') {
        c->n = (int)ch__index_at(x, i);
        return;
    }
    double v;
    ch__convert_n(&v, CH_F64, (const char *)ch__data(x) + i * x->esize, (ch_dtype)x->dtype, 1);
    if ((*n_floats)++ == 0)
        c->x = v;
    else
        c->y = v;
}

ch_status ch__do_cmath(ch__frame *fr, const ch__instr *s) {
    const char *fn = ch__op_attr(s->op, CH__ATTR_fn)->s;
    const cmath_row *row = cmath_find(fn);
    if (!row) return ch__op_fail(s, CH__E_attribute, "%s is not a row of libm.def", fn);
    const char *outs = strchr(row->form, '_') + 1;
    bool is64 = false;
    for (int k = 0; k < s->n_in; k++) is64 = is64 || CH__IN(k)->dtype == CH_F64;
    for (int k = 0; k < s->n_out; k++) CH_TRY(ch__result_new(fr, s, k));
    int64_t n = CH__OUT(0)->numel;
    for (int k = 0; k < s->n_in; k++)
        if (CH__IN(k)->numel != n && CH__IN(k)->rank != 0)
            return ch__op_fail(s, CH__E_shape_mismatch, "operands of %s differ in size", fn);
    for (int64_t i = 0; i < n; i++) {
        cmath_call c = {0};
        int n_floats = 0;
        for (int k = 0; k < s->n_in; k++)
            read_operand(&c, CH__IN(k), CH__IN(k)->numel == 1 ? 0 : i, row->form[k], &n_floats);
        (is64 ? row->f64 : row->f32)(&c);
        n_floats = 0;
        for (int k = 0; k < s->n_out; k++) {
            ch__cell *o = CH__OUT(k);
            char *to = (char *)ch__data(o) + i * o->esize;
            if (outs[k] == 'd')
                ch__convert_n(to, (ch_dtype)o->dtype, n_floats++ == 0 ? &c.r : &c.r2, CH_F64, 1);
            else
                ch__convert_n(to, (ch_dtype)o->dtype, &c.i, CH_I64, 1);
        }
    }
    return CH_OK;
}
