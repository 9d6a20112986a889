// SPDX-License-Identifier: Apache-2.0
// test_native_halves.c - attention of bf16 and f16 by blocks of rows: kernels and memory as ch_explain says them, and
// values and gradients beside the interpreter, at sizes 0, 1, odd and larger than a block, numbers that are not finite
// among them; what its blocks call.

#include "../near.h"
#include "../precision.h"
#include "native_main.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "rt/rt.h"

static int end_halves(void **state) {
    (void)state;
    ch_thread_end();
    return 0;
}

typedef struct {
    int causal;
    int64_t window;
} half_options;

static ch_status half_layer(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const half_options *l = user;
    const ch_attention_options o = {.struct_size = sizeof o, .causal = l->causal, .window = l->window};
    (void)n_in, (void)n_out;
    out[0] = ch_attention(in[0], in[1], in[2], NULL, &o);
    return CH_OK;
}

enum { VALUE, GRADIENT, BOTH };

// Attention of params whose types follow `of` ("bf16"), which a signature has as %s.
static ch_func *attention_in(const half_options *o, int what, const char *of, const char *signature) {
    char text[256];
    ch_func *f = NULL, *g = NULL;
    snprintf(text, sizeof text, signature, of, of, of);
    if (ch_capture(half_layer, (void *)(uintptr_t)o, text, 1, &f) != CH_OK) fail_msg("%s", ch_error_message());
    if (what == VALUE) return f;
    if (ch_vjp(f, "q,k,v", what == BOTH, &g) != CH_OK) fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
    return g;
}

static const char *const half_names[] = {"bf16", "f16"};

// ---------------------------------------------------------------- kernels and memory
static char *half_explained(const ch_func *f) {
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    assert_int_equal(ch_explain(f, file), CH_OK);
    fclose(file);
    return text;
}

static int64_t half_number(const char *text, const char *after) {
    const char *s = strstr(text, after);
    if (s == NULL) fail_msg("no \"%s\" in %s", after, text);
    return atoll(s + strlen(after));
}

static void linear_memory(void **state) {
    (void)state;
    for (int causal = 0; causal < 2; causal++)
        for (int what = VALUE; what <= BOTH; what++)
            for (int of = 0; of < 2; of++) {
                const half_options o = {causal, 0};
                int64_t bytes[2];
                for (int k = 0; k < 2; k++) {
                    ch_func *f = attention_in(&o, what, half_names[of],
                                              k == 0 ? "q: %s[1,8,1000,8], k: %s[1,4,1000,8], v: %s[1,4,1000,8]"
                                                     : "q: %s[1,8,4000,8], k: %s[1,4,4000,8], v: %s[1,4,4000,8]");
                    char *text = half_explained(f);
                    int expected = what == BOTH ? 2 : 1;
                    if (half_number(text, "  native: ") != expected) fail_msg("not %d kernels: %s", expected, text);
                    if (strstr(text, causal ? ", by 32 rows, " : ", by 32 rows\n") == NULL) fail_msg("%s", text);
                    bytes[k] = half_number(text, "  arena of a run: ");
                    free(text);
                    ch_func_destroy(f);
                }
                assert_true(bytes[1] <= 4 * bytes[0] + 4096);
                assert_true(bytes[1] < INT64_C(2) * 8 * 4000 * 4000 / 4); // the scores of all rows and heads
            }
}

// ---------------------------------------------------------------- values
static uint64_t half_seed = 21;

static float half_next(void) {
    half_seed = ch__hash_u64(half_seed);
    return (float)((int64_t)(half_seed % 2001) - 1000) / 400;
}

typedef struct {
    int64_t n, m;
    int which; // an input that has an odd number; -1: none
    float odd;
} half_input;

static ch_tensor *half_tensor(const ch_func *f, int i, const half_input *b) {
    const ch__type *t = f->body->params[i]->type;
    int64_t dims[8], count = 1;
    for (int k = 0; k < t->rank; k++) {
        dims[k] = ch__dim_is_const(t->dims[k])                        ? t->dims[k].val
                  : t->dims[k].sym->terms[0].atoms[0]->name[0] == 'm' ? b->m
                                                                      : b->n;
        count *= dims[k];
    }
    float *x = malloc((size_t)count * sizeof *x + 1);
    for (int64_t k = 0; k < count; k++) x[k] = half_next();
    if (b->which == i && count > 40) x[count - 40] = b->odd;
    ch_tensor *r = ch_convert(ch_from_f32(x, t->rank, dims), t->dtype);
    assert_int_equal(ch_realize(r), CH_OK);
    free(x);
    return r;
}

static int64_t same_halves(const ch_func *f, ch_exec *const *e, const half_input *b) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *in[4], *out[2][4] = {{NULL}};
    int n_in = f->body->n_params, n_out = f->body->n_results;
    int64_t odd = 0;
    for (int i = 0; i < n_in; i++) in[i] = half_tensor(f, i, b);
    for (int k = 0; k < 2; k++)
        if (ch_exec_run(e[k], n_in, in, n_out, out[k]) != CH_OK) fail_msg("%s", ch_error_message());
    for (int i = 0; i < n_out; i++) {
        ch_dtype d = ch_tensor_dtype(out[0][i]);
        int64_t count = ch_tensor_numel(out[0][i]);
        const void *x = ch_data(out[0][i]), *y = ch_data(out[1][i]);
        for (int64_t k = 0; k < count; k++) odd += !isfinite(near_item(d, x, k));
        int64_t at = near_differs(d, count, x, y, ch_test_limit("native", "program", ch_dtype_name(d), "size"));
        if (at >= 0)
            fail_msg("n = %lld, m = %lld: result %d, element %lld: %.9g instead of %.9g", (long long)b->n,
                     (long long)b->m, i, (long long)at, near_item(d, y, at), near_item(d, x, at));
        for (int k = 0; k < 2; k++) ch_release(out[k][i]);
    }
    assert_int_equal(ch_scope_end(scope), CH_OK);
    return odd;
}

static void compile_halves(const ch_func *f, ch_exec **e) {
    if (ch_compile(f, "interp", NULL, &e[0]) != CH_OK || ch_compile(f, "native", NULL, &e[1]) != CH_OK)
        fail_msg("%s", ch_error_message());
}

static void release_halves(ch_func *f, ch_exec **e) {
    for (int k = 0; k < 2; k++) ch_exec_release(e[k]);
    ch_func_destroy(f);
}

static void beside_the_interpreter(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{0, 0}, {1, 1}, {0, 3}, {3, 0}, {7, 1}, {33, 33}, {70, 130}, {131, 131}};
    for (int of = 0; of < 2; of++)
        for (int what = VALUE; what <= BOTH; what++)
            for (int causal = 0; causal < 2; causal++) {
                const half_options o = {causal, causal && what == BOTH ? 40 : 0};
                ch_func *f = attention_in(&o, what, half_names[of], "q: %s[2,6,n,8], k: %s[2,2,m,8], v: %s[2,2,m,5]");
                ch_exec *e[2];
                compile_halves(f, e);
                for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                    half_input b = {sizes[k][0], sizes[k][1], -1, 0};
                    assert_int_equal(same_halves(f, e, &b), 0);
                }
                release_halves(f, e);
            }
}

static void numbers_that_are_not_finite(void **state) {
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY, 60000};
    for (int of = 0; of < 2; of++)
        for (int what = VALUE; what <= BOTH; what++) {
            const half_options o = {1, 0};
            ch_func *f = attention_in(&o, what, half_names[of], "q: %s[1,2,n,8], k: %s[1,2,m,8], v: %s[1,2,m,5]");
            ch_exec *e[2];
            int64_t none = 0;
            compile_halves(f, e);
            for (int which = 0; which < f->body->n_params; which++)
                for (int k = 0; k < 4; k++) {
                    half_input b = {100, 120, which, odd[k]};
                    none += same_halves(f, e, &b);
                }
            assert_true(none > 100);
            release_halves(f, e);
        }
}

// ---------------------------------------------------------------- what blocks call
static uint16_t half_of(ch_dtype d, float x) { return d == CH_BF16 ? ch__f32_to_bf16(x) : ch__f32_to_f16(x); }
static double of_half(ch_dtype d, uint16_t x) { return d == CH_BF16 ? ch__bf16_to_f32(x) : ch__f16_to_f32(x); }

// A product of halves with a widened operand, and one whose sums are f32, in every order of both operands.
static void products_of_halves(void **state) {
    (void)state;
    enum { MOST = 40 * 40 };
    static const int64_t sizes[][3] = {{3, 2, 5}, {1, 40, 40}, {33, 40, 7}, {32, 32, 32}, {0, 3, 3}, {3, 3, 0}};
    static uint16_t a[MOST], b[MOST], c[MOST];
    static float sums[MOST];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int turned = 0; turned < 4; turned++)
            for (int of = 0; of < 2; of++) {
                ch_dtype d = of == 0 ? CH_BF16 : CH_F16;
                int64_t m = sizes[i][0], n = sizes[i][1], k = sizes[i][2];
                int64_t am = turned & 1 ? 1 : k, ak = turned & 1 ? m : 1, bk = turned & 2 ? 1 : n,
                        bn = turned & 2 ? k : 1;
                for (int x = 0; x < MOST; x++) {
                    a[x] = half_of(d, half_next()), b[x] = half_of(d, half_next());
                    c[x] = 0xffff, sums[x] = 1000;
                }
                float *wide = NULL;
                assert_int_equal(
                    ch__native_widen(d, turned & 2 ? n : k, turned & 2 ? k : n, turned & 2 ? k : n, 1, b, &wide), 0);
                assert_int_equal(ch__native_dot_wide(d, m, n, k, a, am, ak, wide, bk, bn, c), 0);
                assert_int_equal(ch__native_dot_add(d, m, n, k, a, am, ak, b, bk, bn, sums, n), 0);
                ch__native_drop(wide);
                for (int64_t x = 0; x < m; x++)
                    for (int64_t y = 0; y < n; y++) {
                        double sum = 0, size = 1e-30;
                        for (int64_t z = 0; z < k; z++) {
                            double term = of_half(d, a[x * am + z * ak]) * of_half(d, b[z * bk + y * bn]);
                            sum += term, size += fabs(term);
                        }
                        double limit = ch_test_limit("native", "dot", ch_dtype_name(d), "size");
                        assert_true(fabs(of_half(d, c[x * n + y]) - sum) <= size * limit);
                        assert_true(fabs((double)sums[x * n + y] - 1000 - sum) <= 1e-3);
                    }
                assert_true(c[m * n] == 0xffff && sums[m * n] == 1000);
            }
    assert_int_equal(ch__native_dot_wide(CH_BF16, 1, 1, 1, a, 1, 1, NULL, 1, 1, c), CH__NATIVE_NO_MEMORY);
    assert_int_equal(ch__native_dot_add(CH_BF16, 1, 1, 1, a, 1, 1, b, 1, 1, NULL, 1), CH__NATIVE_NO_MEMORY);
    a[0] = half_of(CH_F16, -3.5f), a[1] = half_of(CH_F16, 2);
    assert_true(ch__native_largest(CH_F16, 1, 2, a, 2, 1) == 3.5);
    a[1] = half_of(CH_F16, NAN);
    assert_true(isinf(ch__native_largest(CH_F16, 2, 1, a, 1, 2)));
    a[1] = half_of(CH_BF16, -INFINITY);
    assert_true(isinf(ch__native_largest(CH_BF16, 1, 2, a, 2, 1)));
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(linear_memory, end_halves),
        cmocka_unit_test_teardown(beside_the_interpreter, end_halves),
        cmocka_unit_test_teardown(numbers_that_are_not_finite, end_halves),
        cmocka_unit_test_teardown(products_of_halves, end_halves),
    };
    return cmocka_run_group_tests_name("native_halves", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
