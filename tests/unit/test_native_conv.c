// SPDX-License-Identifier: Apache-2.0
// test_native_conv.c - convolutions on the native engine against the interpreter: sizes, strides, paddings, dilations,
// groups, views and what follows, with the gradients by lhs and rhs.
//
// f32 goes to oneDNN where that is found and takes the case, f64 always to columns and matrix products.

#include "../near.h"
#include "../precision.h"
#include "native_main.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "rt/rt.h"

static uint64_t seed = 7;

static int64_t under(int64_t n) {
    seed = ch__hash_u64(seed);
    return (int64_t)(seed % (uint64_t)n);
}

static ch_func *func_of(const char *text) {
    ch_func *f = NULL;
    if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s\n%s", ch_error_message(), text);
    return f;
}

// Numbers in thirds, so that sums round; poison: what every tenth element is, 0: none.
static ch__slot *inputs_of(const ch_func *f, double poison) {
    int n = f->body->n_params;
    ch__slot *in = calloc((size_t)n + 1, sizeof *in);
    for (int i = 0; i < n; i++) {
        const ch__type *t = f->body->params[i]->type;
        int64_t count = 1;
        in[i].dtype = t->dtype;
        in[i].rank = t->rank;
        for (int k = 0; k < t->rank; k++) count *= in[i].dims[k] = ch__dim_is_const(t->dims[k]) ? t->dims[k].val : 5;
        in[i].data = malloc((size_t)count * 8 + 8);
        for (int64_t k = 0; k < count; k++) {
            double v = (double)(under(61) - 30) / 3;
            if (poison != 0 && under(10) == 0) v = poison;
            if (t->dtype == CH_F32)
                ((float *)in[i].data)[k] = (float)v;
            else
                ((double *)in[i].data)[k] = v;
        }
    }
    return in;
}

static void one(const ch_func *f, double poison, const char *text) {
    ch_exec *e[2];
    ch__slot *in = inputs_of(f, poison), out[2][4] = {{{0}}};
    int n = f->body->n_results;
    for (int k = 0; k < 2; k++) {
        if (ch__compile(f, k == 0 ? "interp" : "native", &e[k]) != CH_OK) fail_msg("%s\n%s", ch_error_message(), text);
        if (ch__exec_run(e[k], NULL, f->body->n_params, in, n, out[k]) != CH_OK)
            fail_msg("%s\n%s", ch_error_message(), text);
    }
    for (int i = 0; i < n; i++) {
        ch_dtype d = out[0][i].dtype;
        int64_t count = 1;
        for (int k = 0; k < out[0][i].rank; k++) count *= out[0][i].dims[k];
        const void *x = out[0][i].data, *y = out[1][i].data;
        int64_t at = near_differs(d, count, x, y, ch_test_limit("native", "conv", ch_dtype_name(d), "size"));
        if (at >= 0)
            fail_msg("result %d, element %lld: %.9g instead of %.9g\n%s", i, (long long)at, near_item(d, y, at),
                     near_item(d, x, at), text);
        for (int k = 0; k < 2; k++) ch__free_aligned(out[k][i].data);
    }
    for (int i = 0; i < f->body->n_params; i++) free(in[i].data);
    free(in);
    for (int k = 0; k < 2; k++) ch__exec_release(e[k]);
}

typedef struct {
    int spatial;
    int64_t n, c, o, groups, batch_groups;
    int64_t in[3], k[3], stride[3], lo[3], hi[3], base[3], dilation[3], out[3];
} config;

static void put_ints(char *s, const char *name, int n, const int64_t *v) {
    s += strlen(s);
    s += sprintf(s, ", %s = [", name);
    for (int i = 0; i < n; i++) s += sprintf(s, "%s%lld", i > 0 ? "," : "", (long long)v[i]);
    sprintf(s, "]");
}

static void put_dims(char *s, int64_t a, int64_t b, int spatial, const int64_t *v, const char *type) {
    s += strlen(s);
    s += sprintf(s, "%s[%lld,%lld", type, (long long)a, (long long)b);
    for (int i = 0; i < spatial; i++) s += sprintf(s, ",%lld", (long long)v[i]);
    sprintf(s, "]");
}

static bool fit(config *c) {
    for (int i = 0; i < c->spatial; i++) {
        int64_t whole = c->in[i] > 0 ? (c->in[i] - 1) * c->base[i] + 1 : 0, reach = (c->k[i] - 1) * c->dilation[i] + 1;
        int64_t room = whole + c->lo[i] + c->hi[i] - (c->k[i] > 0 ? reach : 0);
        if (room < 0) return false;
        c->out[i] = room / c->stride[i] + 1;
    }
    return true;
}

static config any_config(int spatial) {
    config c = {.spatial = spatial, .groups = 1, .batch_groups = 1};
    do {
        static const int64_t features[] = {1, 2, 3, 4, 8, 16, 17};
        int64_t which = under(6);
        c.groups = which == 0 ? 1 + under(4) : 1;
        c.batch_groups = which == 1 ? 1 + under(3) : 1;
        c.n = c.batch_groups * (1 + under(5));
        c.c = c.groups * features[under(7)];
        c.o = c.groups * c.batch_groups * features[under(7)];
        for (int i = 0; i < spatial; i++) {
            c.in[i] = 1 + under(spatial == 3 ? 6 : 12);
            c.k[i] = 1 + under(4);
            c.stride[i] = under(3) > 0 ? 1 : 1 + under(3);
            c.lo[i] = under(3);
            c.hi[i] = under(3);
            c.base[i] = under(4) > 0 ? 1 : 1 + under(3);
            c.dilation[i] = under(3) > 0 ? 1 : 1 + under(2);
        }
    } while (!fit(&c));
    return c;
}

static void write_conv(const config *c, const char *type, char *text) {
    char x[128] = "", w[128] = "", out[128] = "", attrs[512] = "";
    put_dims(x, c->n, c->c, c->spatial, c->in, type);
    put_dims(w, c->o, c->c / c->groups, c->spatial, c->k, type);
    put_dims(out, c->n / c->batch_groups, c->o, c->spatial, c->out, type);
    put_ints(attrs, "strides", c->spatial, c->stride);
    put_ints(attrs, "pad_lo", c->spatial, c->lo);
    put_ints(attrs, "pad_hi", c->spatial, c->hi);
    put_ints(attrs, "lhs_dilation", c->spatial, c->base);
    put_ints(attrs, "rhs_dilation", c->spatial, c->dilation);
    sprintf(text,
            "chaac-ir 1\nfunc @f(%%x: %s, %%w: %s) -> %s {\n"
            "  %%y = conv %%x, %%w {acc = f64, order = any, groups = %lld, batch_groups = %lld%s} : %s\n"
            "  return %%y\n}\n",
            x, w, out, (long long)c->groups, (long long)c->batch_groups, attrs, out);
}

// The sum of squares of y's half, so that gradients depend on everything.
static void with_gradient(const config *c, const char *type, char *text) {
    char *ret = strstr(text, "  return"), dims[32] = "0", out[128] = "";
    put_dims(out, c->n / c->batch_groups, c->o, c->spatial, c->out, type);
    for (int i = 1; i < c->spatial + 2; i++) sprintf(dims + strlen(dims), ",%d", i);
    sprintf(ret,
            "  %%q = mul %%y, %%y : %s\n  %%s = reduce %%q {kind = sum, dims = [%s], acc = f64, order = any} : %s[]\n"
            "  return %%s\n}\n",
            out, dims, type);
    char *arrow = strstr(text, "-> "), *brace = strstr(text, " {\n");
    memmove(arrow + 3 + strlen(type) + 2, brace, strlen(brace) + 1);
    memcpy(arrow + 3, type, strlen(type));
    memcpy(arrow + 3 + strlen(type), "[]", 2);
}

static void values(void **state) {
    (void)state;
    char text[2048];
    for (int i = 0; i < 45; i++) {
        config c = any_config(1 + i % 3);
        write_conv(&c, i % 2 == 0 ? "f32" : "f64", text);
        ch_func *f = func_of(text);
        one(f, 0, text);
        ch_func_destroy(f);
    }
    print_message("# oneDNN: %s\n", ch__native_has_dnnl() ? "found" : "not here");
}

static void gradients(void **state) {
    (void)state;
    char text[2048];
    for (int i = 0; i < 36; i++) {
        config c = any_config(1 + i % 2);
        const char *type = i % 4 < 2 ? "f32" : "f64";
        write_conv(&c, type, text);
        with_gradient(&c, type, text);
        ch_func *f = func_of(text), *g = NULL;
        if (ch_value_and_grad(f, "x,w", &g) != CH_OK) fail_msg("%s\n%s", ch_error_message(), text);
        one(g, 0, text);
        ch_func_destroy(g);
        ch_func_destroy(f);
    }
}

// With an infinite weight, padding is left out and the program's own zeros are not.
static void not_finite(void **state) {
    (void)state;
    char text[2048];
    for (int i = 0; i < 36; i++) {
        config c = any_config(1 + i % 2);
        const char *type = i % 4 < 2 ? "f32" : "f64";
        write_conv(&c, type, text);
        if (i % 3 == 0) with_gradient(&c, type, text);
        ch_func *f = func_of(text), *g = f;
        if (i % 3 == 0) assert_int_equal(ch_value_and_grad(f, "x,w", &g), CH_OK);
        one(g, i % 5 == 0 ? (double)NAN : (double)INFINITY, text);
        if (g != f) ch_func_destroy(g);
        ch_func_destroy(f);
    }
}

static void nothing_there(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "func @f(%x: f32[0,3,8,8], %w: f32[4,3,3,3]) -> f32[0,4,6,6] {\n  %y = conv %x, %w {order = any} : "
        "f32[0,4,6,6]\n",
        "func @f(%x: f32[2,0,8,8], %w: f32[40,0,3,3]) -> f32[2,40,6,6] {\n  %y = conv %x, %w {order = any} : "
        "f32[2,40,6,6]\n",
        "func @f(%x: f64[2,3,0,8], %w: f64[40,3,1,3]) -> f64[2,40,4,6] {\n"
        "  %y = conv %x, %w {order = any, pad_lo = [2,0], pad_hi = [2,0]} : f64[2,40,4,6]\n",
        "func @f(%x: f64[2,3,8,8], %w: f64[0,3,3,3]) -> f64[2,0,6,6] {\n  %y = conv %x, %w {order = any} : "
        "f64[2,0,6,6]\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        char text[600];
        snprintf(text, sizeof text, "chaac-ir 1\n%s  return %%y\n}\n", bodies[i]);
        ch_func *f = func_of(text);
        one(f, 0, text);
        ch_func_destroy(f);
    }
}

// Views of operands and result, bias, relu: taken over by the call, with symbolic sizes too.
static const char around[] =
    "chaac-ir 1\n"
    "func @f(%x: f32[7,9,3,5], %w: f32[3,16,3,3], %b: f32[16]) -> f32[5,16,9,11] {\n"
    "  %z = const {value = 0} : f32[]\n"
    "  %t = transpose %x {perm = [3,2,0,1]} : f32[5,3,7,9]\n"
    "  %p = pad %t, %z {lo = [0,0,2,1], hi = [0,0,2,3], interior = [0,0,0,0]} : f32[5,3,11,13]\n"
    "  %u = transpose %w {perm = [1,0,3,2]} : f32[16,3,3,3]\n"
    "  %v = reverse %u {dims = [2]} : f32[16,3,3,3]\n"
    "  %c = conv %p, %v {acc = f64, order = any} : f32[5,16,9,11]\n"
    "  %bb = broadcast %b {dims = [1]} : f32[5,16,9,11]\n"
    "  %y = add %c, %bb : f32[5,16,9,11]\n"
    "  %zz = broadcast %z {dims = []} : f32[5,16,9,11]\n"
    "  %r = max %y, %zz : f32[5,16,9,11]\n"
    "  return %r\n}\n";

// relu as two ops, the first of which has another reader; reshapes; products of transposes, transposed.
static const char around_more[] =
    "chaac-ir 1\n"
    "func @f(%x: f32[n,64], %w: f32[4,1,3,3], %b: f32[4], %v: f32[10,256]) -> (f32[n,10], f32[n,4,8,8], f32[256,n]) {\n"
    "  %i = reshape %x : f32[n,1,8,8]\n"
    "  %c = conv %i, %w {acc = f64, order = any, pad_lo = [1,1], pad_hi = [1,1]} : f32[n,4,8,8]\n"
    "  %r = reshape %b : f32[4,1,1]\n"
    "  %bb = broadcast %r {dims = [1,2,3]} : f32[n,4,8,8]\n"
    "  %y = add %c, %bb : f32[n,4,8,8]\n"
    "  %z = const {value = 0} : f32[n,4,8,8]\n"
    "  %m = compare %y, %z {dir = le} : bool[n,4,8,8]\n"
    "  %h = select %m, %z, %y : f32[n,4,8,8]\n"
    "  %e = exp %h : f32[n,4,8,8]\n"
    "  %g = select %m, %z, %e : f32[n,4,8,8]\n"
    "  %flat = reshape %h : f32[n,256]\n"
    "  %vt = transpose %v {perm = [1,0]} : f32[256,10]\n"
    "  %out = dot %flat, %vt {contract = [1]x[0], acc = f64, order = any} : f32[n,10]\n"
    "  %back = dot %out, %vt {contract = [1]x[1], acc = f64, order = any} : f32[n,256]\n"
    "  %bt = transpose %back {perm = [1,0]} : f32[256,n]\n"
    "  return %out, %g, %bt\n}\n";

static void what_is_around(void **state) {
    (void)state;
    ch_func *more = func_of(around_more);
    one(more, 0, around_more);
    one(more, (double)NAN, around_more);
    ch_func_destroy(more);
    ch_func *f = func_of(around);
    one(f, 0, around);
    one(f, (double)NAN, around); // max gives NaN on
    ch_func_destroy(f);
}

// Images go some at a time, with some left over; relu and bias with each; by data too.
static const char many_images[] =
    "chaac-ir 1\n"
    "func @f(%x: f32[37,3,24,24], %w: f32[16,3,3,3], %b: f32[16], %v: f32[16,3,3,3]) -> (f32[37,16,24,24], "
    "f32[37,3,48,48]) {\n"
    "  %c = conv %x, %w {acc = f64, order = any, pad_lo = [1,1], pad_hi = [1,1]} : f32[37,16,24,24]\n"
    "  %bb = broadcast %b {dims = [1]} : f32[37,16,24,24]\n"
    "  %y = add %c, %bb : f32[37,16,24,24]\n"
    "  %z = const {value = 0} : f32[37,16,24,24]\n"
    "  %r = max %y, %z : f32[37,16,24,24]\n"
    "  %t = transpose %v {perm = [1,0,2,3]} : f32[3,16,3,3]\n"
    "  %u = reverse %t {dims = [2,3]} : f32[3,16,3,3]\n"
    "  %d = conv %r, %u {acc = f64, order = any, lhs_dilation = [2,2], pad_lo = [1,1], pad_hi = [2,2]} : "
    "f32[37,3,48,48]\n"
    "  return %r, %d\n}\n";

static void images_in_turns(void **state) {
    (void)state;
    ch_func *f = func_of(many_images);
    one(f, 0, many_images);
    ch_func_destroy(f);
}

static void memory_ends(void **state) {
    (void)state;
    ch_func *f = func_of(around);
    ch_exec *e;
    ch__slot *in = inputs_of(f, 0);
    assert_int_equal(ch__compile(f, "native", &e), CH_OK);
    int failures = 0;
    for (int n = 1; n < 50; n++) {
        ch__slot out[1] = {{0}};
        ch__alloc_fail_at(n, true);
        ch_status s = ch__exec_run(e, NULL, 3, in, 1, out);
        ch__alloc_fail_at(0, false);
        ch__free_aligned(out[0].data);
        if (s == CH_OK) break;
        assert_int_equal(s, CH_RESOURCE_EXHAUSTED);
        failures++;
    }
    assert_true(failures > 0);
    for (int i = 0; i < 3; i++) free(in[i].data);
    free(in);
    ch__exec_release(e);
    ch_func_destroy(f);
}

// Maxima and minima of windows of two by two, and who gets the adjoint: rows of any length, equals, NaN, infinities.
static void pairs_of_rows(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{2, 2},  {4, 6},    {2, 14},   {14, 14}, {8, 28},
                                       {6, 66}, {2, 1024}, {2, 1026}, {3, 7}};
    const double poisons[] = {0, NAN, INFINITY, -INFINITY, -0.0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < 2; kind++) {
            char text[900];
            const char *word = kind == 0 ? "max" : "min";
            long long h = (long long)sizes[i][0], w = (long long)sizes[i][1], hh = h / 2, ww = w / 2;
            snprintf(
                text, sizeof text,
                "chaac-ir 1\nfunc @f(%%x: f32[n,3,%lld,%lld], %%s: f32[n,3,%lld,%lld]) -> (f32[n,3,%lld,%lld], "
                "f32[n,3,%lld,%lld]) {\n  %%y = reduce_window %%x {kind = %s, window = [1,1,2,2], tie = first, "
                "strides = [1,1,2,2]} : f32[n,3,%lld,%lld]\n  %%g = select_and_scatter %%x, %%s {kind = %s, window "
                "= [1,1,2,2], strides = [1,1,2,2]} : f32[n,3,%lld,%lld]\n  return %%y, %%g\n}\n",
                h, w, hh, ww, hh, ww, h, w, word, hh, ww, word, h, w);
            ch_func *f = func_of(text);
            for (size_t p = 0; p < sizeof poisons / sizeof *poisons; p++) one(f, poisons[p], text);
            ch_func_destroy(f);
        }
}

static const char one_plane[] =
    "chaac-ir 1\n"
    "func @f(%x: f32[40,9], %s: f32[20,5]) -> (f32[20,5], f32[40,9]) {\n"
    "  %y = reduce_window %x {kind = max, window = [3,3], strides = [2,2], pad_lo = [1,1], pad_hi = [0,1]} : "
    "f32[20,5]\n"
    "  %g = select_and_scatter %x, %s {kind = max, window = [3,3], strides = [2,2], pad_lo = [1,1], pad_hi = [0,1]} : "
    "f32[40,9]\n"
    "  return %y, %g\n}\n";

// Windows that overlap, leave gaps or reach over the edges, some of them lying outside wholly.
static void rows_of_windows(void **state) {
    (void)state;
    static const struct {
        int64_t h, w, size[2], step[2], lo[2], hi[2];
    } forms[] = {
        {8, 8, {3, 3}, {2, 2}, {1, 1}, {1, 1}},  {7, 9, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
        {6, 11, {2, 5}, {1, 3}, {0, 2}, {1, 0}}, {5, 5, {1, 3}, {1, 1}, {0, 0}, {0, 0}},
        {5, 4, {4, 1}, {2, 1}, {3, 0}, {0, 0}},  {4, 6, {2, 2}, {3, 3}, {0, 0}, {2, 0}},
        {5, 70, {3, 3}, {2, 2}, {4, 4}, {4, 4}}, {3, 3, {3, 3}, {4, 4}, {0, 5}, {0, 9}},
    };
    const double poisons[] = {0, NAN, INFINITY, -INFINITY, -0.0};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int kind = 0; kind < 4; kind++) {
            char text[1600], x[64], y[64], how[256];
            const char *word = kind % 2 == 0 ? "max" : "min", *d = kind < 2 ? "f32" : "f64";
            long long out[2];
            for (int k = 0; k < 2; k++)
                out[k] = ((k == 0 ? forms[i].h : forms[i].w) + forms[i].lo[k] + forms[i].hi[k] - forms[i].size[k]) /
                             forms[i].step[k] +
                         1;
            snprintf(x, sizeof x, "%s[n,3,%lld,%lld]", d, (long long)forms[i].h, (long long)forms[i].w);
            snprintf(y, sizeof y, "%s[n,3,%lld,%lld]", d, out[0], out[1]);
            snprintf(
                how, sizeof how,
                "{kind = %s, window = [1,1,%lld,%lld], strides = [1,1,%lld,%lld], pad_lo = [0,0,%lld,%lld], pad_hi "
                "= [0,0,%lld,%lld]}",
                word, (long long)forms[i].size[0], (long long)forms[i].size[1], (long long)forms[i].step[0],
                (long long)forms[i].step[1], (long long)forms[i].lo[0], (long long)forms[i].lo[1],
                (long long)forms[i].hi[0], (long long)forms[i].hi[1]);
            snprintf(text, sizeof text,
                     "chaac-ir 1\nfunc @f(%%x: %s, %%s: %s) -> (%s, %s) {\n  %%y = reduce_window %%x %s : %s\n"
                     "  %%g = select_and_scatter %%x, %%s %s : %s\n  return %%y, %%g\n}\n",
                     x, y, y, x, how, y, how, x);
            ch_func *f = func_of(text);
            char *told = NULL;
            size_t n = 0;
            FILE *file = open_memstream(&told, &n);
            assert_int_equal(ch_explain(f, file), CH_OK);
            fclose(file);
            if (strstr(told, "other loops 0, library calls 0") == NULL) fail_msg("%s\n%s", told, text);
            free(told);
            for (size_t p = 0; p < sizeof poisons / sizeof *poisons; p++) one(f, poisons[p], text);
            ch_func_destroy(f);
        }
    ch_func *f = func_of(one_plane);
    for (size_t p = 0; p < sizeof poisons / sizeof *poisons; p++) one(f, poisons[p], one_plane);
    ch_func_destroy(f);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),        cmocka_unit_test(gradients),       cmocka_unit_test(not_finite),
        cmocka_unit_test(nothing_there), cmocka_unit_test(what_is_around),  cmocka_unit_test(memory_ends),
        cmocka_unit_test(pairs_of_rows), cmocka_unit_test(images_in_turns), cmocka_unit_test(rows_of_windows),
    };
    return cmocka_run_group_tests_name("native_conv", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
