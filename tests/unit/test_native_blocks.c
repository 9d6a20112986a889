// SPDX-License-Identifier: Apache-2.0
// test_native_blocks.c - attention by blocks of rows: masks of many kinds at many sizes, beside the interpreter; what
// is left out of them as ch_explain counts it; and that nothing is left out where it would show.

#include "../near.h"
#include "../precision.h"
#include "native_main.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "rt/rt.h"

static int end_blocks(void **state) {
    (void)state;
    ch_thread_end();
    return 0;
}

// ---------------------------------------------------------------- attentions, written out
typedef enum {
    SEE_ALL,
    SEE_CAUSAL,  // j <= i
    SEE_LATER,   // j >= i
    SEE_WINDOW,  // i - 7 < j <= i + 2
    SEE_PREFIX,  // j <= i or j < 5
    SEE_DENIED,  // not (j > i), and where it does not hold comes first
    SEE_ALIGNED, // j <= i + keys - queries: the last row sees all
    SEE_GIVEN,   // a mask of the caller's and j <= i
    SEE_ADDED,   // a mask of the caller's that is added, then j <= i
    SEE_OTHERS,  // j != i
    SEE_TURNED   // i < j + 3, the other way round
} seen_kind;

typedef struct {
    seen_kind kind;
    ch_dtype index;
    double low; // what masked scores are
    bool plain; // softmax: rows of which nothing is seen are NaN; else zeros
} seen_case;

static ch_tensor *index_of(const seen_case *c, ch_tensor *s, int axis) { return ch_iota_like(s, c->index, axis); }
static ch_tensor *whole(const seen_case *c, double n) { return ch_scalar(c->index, n); }

static ch_tensor *seen_where(const seen_case *c, ch_tensor *s, ch_tensor *mask) {
    ch_tensor *i = index_of(c, s, 2), *j = index_of(c, s, 3);
    switch (c->kind) {
    case SEE_LATER: return ch_ge(j, i);
    case SEE_WINDOW: return ch_and(ch_gt(ch_add(j, whole(c, 7)), i), ch_le(j, ch_add(i, whole(c, 2))));
    case SEE_PREFIX: return ch_or(ch_le(j, i), ch_lt(j, whole(c, 5)));
    case SEE_DENIED: return ch_gt(j, i);
    case SEE_ALIGNED: return ch_le(j, ch_add(i, ch_sub(ch_size_of(s, 3), ch_size_of(s, 2))));
    case SEE_GIVEN: return ch_and(ch_gt(ch_broadcast_like(mask, s), ch_zeros_like(s)), ch_le(j, i));
    case SEE_OTHERS: return ch_ne(j, i);
    case SEE_TURNED: return ch_lt(i, ch_add(j, whole(c, 3)));
    default: return ch_le(j, i);
    }
}

static ch_tensor *weights_of(const seen_case *c, ch_tensor *s) {
    const int last = 3;
    if (c->plain) return ch_softmax(s, -1);
    ch_tensor *most = ch_amax(s, 1, &last);
    most = ch_select(ch_is_finite(most), most, ch_zeros_like(most));
    ch_tensor *e = ch_exp(ch_sub(s, ch_broadcast_like(ch_expand_dims(most, -1), s)));
    ch_tensor *sum = ch_sum(e, 1, &last);
    sum = ch_select(ch_eq(sum, ch_zeros_like(sum)), ch_ones_like(sum), sum);
    return ch_div(e, ch_broadcast_like(ch_expand_dims(sum, -1), s));
}

// q [b,h,n,d], k and v [b,h,m,d], mask [n,m]
static ch_status attend(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const seen_case *c = user;
    (void)n_in, (void)n_out;
    ch_tensor *s = ch_dot_general(in[0], in[1], 1, (int[]){3}, (int[]){3}, 2, (int[]){0, 1}, (int[]){0, 1});
    s = ch_mul(s, ch_full_like(s, 0.25));
    if (c->kind == SEE_ADDED) s = ch_add(s, ch_broadcast_like(in[3], s));
    ch_tensor *low = ch_full_like(s, c->low);
    if (c->kind == SEE_DENIED)
        s = ch_select(seen_where(c, s, in[3]), low, s);
    else if (c->kind != SEE_ALL)
        s = ch_select(seen_where(c, s, in[3]), s, low);
    out[0] = ch_dot_general(weights_of(c, s), in[2], 1, (int[]){3}, (int[]){2}, 2, (int[]){0, 1}, (int[]){0, 1});
    return CH_OK;
}

static ch_func *attention_of(const seen_case *c, const char *signature) {
    ch_func *f = NULL;
    if (ch_capture(attend, (void *)(uintptr_t)c, signature, 1, &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

// ---------------------------------------------------------------- both engines
static uint64_t blocks_seed = 11;

static double next_number(void) {
    blocks_seed = ch__hash_u64(blocks_seed);
    return (double)((int64_t)(blocks_seed % 2001) - 1000) / 400;
}

typedef struct {
    int64_t n, m; // of the sizes of these names
    int which;    // an input that has an odd number, or -1
    int64_t at;   // ... counted from its end, as far as it is so long
    double odd;
} blocks_input;

static ch_tensor *input_of(const ch_func *f, int i, const blocks_input *b) {
    const ch__type *t = f->body->params[i]->type;
    int64_t dims[8], count = 1;
    for (int k = 0; k < t->rank; k++) {
        dims[k] = b->n;
        if (ch__dim_is_const(t->dims[k]))
            dims[k] = t->dims[k].val;
        else if (t->dims[k].sym->terms[0].atoms[0]->name[0] == 'm')
            dims[k] = b->m;
        count *= dims[k];
    }
    float *x = malloc((size_t)count * sizeof *x + 1);
    double *wide = malloc((size_t)count * sizeof *wide + 1);
    for (int64_t k = 0; k < count; k++) wide[k] = next_number();
    if (b->which == i && b->at < count) wide[count - 1 - b->at] = b->odd;
    for (int64_t k = 0; k < count; k++) x[k] = (float)wide[k];
    ch_tensor *r = t->dtype == CH_F32 ? ch_from_f32(x, t->rank, dims) : ch_from_f64(wide, t->rank, dims);
    assert_int_equal(ch_realize(r), CH_OK);
    free(x);
    free(wide);
    return r;
}

// How many of the results are NaN; they are so in both.
static int64_t same_results(const ch_func *f, ch_exec *const *e, const blocks_input *b, const char *what) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *in[8], *out[2][8] = {{NULL}};
    int n_in = f->body->n_params, n_out = f->body->n_results;
    int64_t none = 0;
    for (int i = 0; i < n_in; i++) in[i] = input_of(f, i, b);
    for (int k = 0; k < 2; k++)
        if (ch_exec_run(e[k], n_in, in, n_out, out[k]) != CH_OK) fail_msg("%s: %s", what, ch_error_message());
    for (int i = 0; i < n_out; i++) {
        ch_dtype d = ch_tensor_dtype(out[0][i]);
        int64_t count = ch_tensor_numel(out[0][i]);
        const void *x = ch_data(out[0][i]), *y = ch_data(out[1][i]);
        for (int64_t k = 0; k < count; k++) none += isnan(near_item(d, x, k));
        int64_t at = near_differs(d, count, x, y, ch_test_limit("native", "sum", ch_dtype_name(d), "size"));
        if (at >= 0)
            fail_msg("%s, n = %lld, m = %lld: result %d, element %lld: %.9g instead of %.9g", what, (long long)b->n,
                     (long long)b->m, i, (long long)at, near_item(d, y, at), near_item(d, x, at));
        for (int k = 0; k < 2; k++) ch_release(out[k][i]);
    }
    assert_int_equal(ch_scope_end(scope), CH_OK);
    return none;
}

static void compile_both(const ch_func *f, ch_exec **e) {
    if (ch_compile(f, "interp", NULL, &e[0]) != CH_OK || ch_compile(f, "native", NULL, &e[1]) != CH_OK)
        fail_msg("%s", ch_error_message());
}

static void release_both(ch_func *f, ch_exec **e) {
    for (int k = 0; k < 2; k++) ch_exec_release(e[k]);
    ch_func_destroy(f);
}

static const int64_t blocks_sizes[][2] = {{0, 0},   {1, 1},   {0, 3},    {3, 0},    {1, 7},     {7, 1},    {63, 63},
                                          {64, 64}, {65, 65}, {67, 130}, {130, 67}, {131, 131}, {70, 257}, {200, 3}};

static char *explained(const ch_func *f) {
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    assert_int_equal(ch_explain(f, file), CH_OK);
    fclose(file);
    return text;
}

static bool leaves_out(const ch_func *f) {
    char *text = explained(f);
    bool does = strstr(text, ", what the mask leaves of them") != NULL;
    if (strstr(text, "  native: 1 kernel ") == NULL || strstr(text, ", by 32 rows") == NULL) fail_msg("%s", text);
    free(text);
    return does;
}

static const struct {
    seen_case c;
    bool less;
    const char *what;
} seen_cases[] = {
    {{SEE_ALL, CH_I64, -INFINITY, false}, false, "all"},
    {{SEE_CAUSAL, CH_I64, -INFINITY, false}, true, "causal"},
    {{SEE_CAUSAL, CH_I64, -INFINITY, true}, true, "causal, plain"},
    {{SEE_LATER, CH_I64, -INFINITY, true}, true, "later"},
    {{SEE_WINDOW, CH_I64, -INFINITY, false}, true, "window"},
    {{SEE_WINDOW, CH_I64, -INFINITY, true}, true, "window, plain"},
    {{SEE_PREFIX, CH_I64, -INFINITY, false}, true, "prefix"},
    {{SEE_DENIED, CH_I64, -INFINITY, false}, true, "denied"},
    {{SEE_ALIGNED, CH_I64, -INFINITY, false}, true, "aligned"},
    {{SEE_ALIGNED, CH_I64, -INFINITY, true}, true, "aligned, plain"},
    {{SEE_GIVEN, CH_I64, -INFINITY, false}, true, "given"},
    {{SEE_ADDED, CH_I64, -INFINITY, false}, true, "added"},
    {{SEE_TURNED, CH_I64, -INFINITY, false}, true, "turned"},
    {{SEE_OTHERS, CH_I64, -INFINITY, false}, false, "others"},
    {{SEE_CAUSAL, CH_I32, -INFINITY, false}, false, "i32, which may wrap"},
    {{SEE_CAUSAL, CH_I64, -1e9, false}, false, "finite"},
};
enum { N_SEEN = sizeof seen_cases / sizeof seen_cases[0], N_SIZES = sizeof blocks_sizes / sizeof blocks_sizes[0] };

static void masks(void **state) {
    (void)state;
    for (int i = 0; i < N_SEEN; i++) {
        ch_func *f =
            attention_of(&seen_cases[i].c, i % 4 == 3 ? "q: f64[2,1,n,6], k: f64[2,1,m,6], v: f64[2,1,m,3], w: f64[n,m]"
                                                      : "q: f32[1,2,n,8], k: f32[1,2,m,8], v: f32[1,2,m,5], "
                                                        "w: f32[n,m]");
        ch_exec *e[2];
        if (leaves_out(f) != seen_cases[i].less) fail_msg("%s: leaves out %d", seen_cases[i].what, leaves_out(f));
        compile_both(f, e);
        for (int k = 0; k < N_SIZES; k++) {
            blocks_input b = {blocks_sizes[k][0], blocks_sizes[k][1], -1, 0, 0};
            (void)same_results(f, e, &b, seen_cases[i].what);
        }
        release_both(f, e);
    }
}

// Numbers that are not finite: in values that no row of a block sees, in keys, queries, masks; scores beyond f32.
static void odd_numbers(void **state) {
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 3e38};
    static const int of[] = {1, 2, 4, 11};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        ch_func *f =
            attention_of(&seen_cases[of[i]].c, "q: f32[2,2,n,8], k: f32[2,2,m,8], v: f32[2,2,m,5], w: f32[n,m]");
        ch_exec *e[2];
        int64_t none = 0;
        compile_both(f, e);
        for (int which = 0; which < 4; which++)
            for (int k = 0; k < 4; k++)
                for (int64_t at = 0; at < 2000; at += 997) {
                    blocks_input b = {150, 170 - 20 * (int64_t)i, which, at, odd[k]};
                    none += same_results(f, e, &b, seen_cases[of[i]].what);
                }
        assert_true(none > 1000); // some were seen
        release_both(f, e);
    }
}

// Rows of which nothing is seen: zeros, or NaN, as the program says.
static void rows_without(void **state) {
    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        seen_case c = {SEE_ALIGNED, CH_I64, -INFINITY, plain != 0};
        ch_func *f = attention_of(&c, "q: f32[1,2,n,8], k: f32[1,2,m,8], v: f32[1,2,m,5], w: f32[n,m]");
        ch_exec *e[2];
        compile_both(f, e);
        blocks_input b = {200, 60, -1, 0, 0};
        assert_int_equal(same_results(f, e, &b, "rows of which nothing is seen"), plain ? 2 * 140 * 5 : 0);
        release_both(f, e);
    }
}

// What is computed, of sizes that are known.
static void counted(void **state) {
    (void)state;
    static const struct {
        seen_case c;
        const char *signature, *note;
    } rows[] = {
        {{SEE_CAUSAL, CH_I64, -INFINITY, false},
         "q: f32[1,2,128,8], k: f32[1,2,128,8], v: f32[1,2,128,8], w: f32[1,1]",
         "10240 of 16384 scores each"},
        {{SEE_CAUSAL, CH_I32, -INFINITY, true},
         "q: f32[1,2,512,8], k: f32[1,2,512,8], v: f32[1,2,512,8], w: f32[1,1]",
         "139264 of 262144 scores each"},
        {{SEE_WINDOW, CH_I64, -INFINITY, false},
         "q: f32[1,2,130,8], k: f32[1,2,300,8], v: f32[1,2,300,8], w: f32[1,1]",
         "4948 of 39000 scores each"},
        {{SEE_ALL, CH_I64, -INFINITY, false},
         "q: f32[1,2,128,8], k: f32[1,2,128,8], v: f32[1,2,128,8], w: f32[1,1]",
         ", by 32 rows\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ch_func *f = attention_of(&rows[i].c, rows[i].signature);
        char *text = explained(f);
        if (strstr(text, rows[i].note) == NULL) fail_msg("%s: %s", rows[i].note, text);
        free(text);
        ch_exec *e[2];
        compile_both(f, e);
        blocks_input b = {0, 0, -1, 0, 0};
        (void)same_results(f, e, &b, rows[i].note);
        release_both(f, e);
    }
}

// ---------------------------------------------------------------- gradients
static ch_func *gradient_of(const seen_case *c, const char *signature, bool value) {
    ch_func *f = attention_of(c, signature), *g = NULL;
    // the adjoint alone, or the result too: scores are computed again then
    ch_status s = ch_vjp(f, "q,k,v", value, &g);
    if (s != CH_OK) fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
    return g;
}

static int64_t kernels_in(const ch_func *f, int *out_rows, bool *out_less, int64_t *out_bytes) {
    char *text = explained(f), *arena = strstr(text, "  arena of a run: "), *native = strstr(text, "  native: ");
    *out_rows = 0;
    for (const char *s = text; (s = strstr(s, ", by 32 rows")) != NULL; s++) ++*out_rows;
    *out_less = strstr(text, ", by 32 rows, ") != NULL;
    *out_bytes = arena != NULL ? atoll(arena + strlen("  arena of a run: ")) : -1;
    int64_t n = native != NULL ? atoll(native + strlen("  native: ")) : -1;
    free(text);
    return n;
}

static void gradients(void **state) {
    (void)state;
    static const int of[] = {1, 8, 10, 5, 7, 11};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        for (int value = i < 3 ? 0 : 1; value < 2; value++) {
            ch_func *f = gradient_of(&seen_cases[of[i]].c,
                                     i % 3 == 2 ? "q: f64[1,2,n,6], k: f64[1,2,m,6], v: f64[1,2,m,3], w: f64[n,m]"
                                                : "q: f32[2,2,n,8], k: f32[2,2,m,8], v: f32[2,2,m,5], w: f32[n,m]",
                                     value != 0);
            ch_exec *e[2];
            compile_both(f, e);
            for (int k = 0; k < N_SIZES; k++) {
                blocks_input b = {blocks_sizes[k][0], blocks_sizes[k][1], -1, 0, 0};
                (void)same_results(f, e, &b, seen_cases[of[i]].what);
            }
            release_both(f, e);
        }
}

// The library's own attention, with groups of heads too: one kernel forward, one backward, whose memory grows with the
// number of tokens; the scores that a mask leaves out are left out of both.
typedef struct {
    int causal;
    int64_t window;
} layer_options;

static ch_status layer(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const layer_options *l = user;
    const ch_attention_options o = {.struct_size = sizeof o, .causal = l->causal, .window = l->window};
    (void)n_in, (void)n_out;
    out[0] = ch_attention(in[0], in[1], in[2], NULL, &o);
    return CH_OK;
}

static ch_func *layer_gradient(const layer_options *o, const char *signature, bool value) {
    ch_func *f = NULL, *g = NULL;
    if (ch_capture(layer, (void *)(uintptr_t)o, signature, 1, &f) != CH_OK || ch_vjp(f, "q,k,v", value, &g) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
    return g;
}

static void layers(void **state) {
    (void)state;
    for (int causal = 0; causal < 2; causal++)
        for (int value = 0; value < 2; value++) {
            const layer_options o = {causal, causal && value ? 100 : 0};
            int rows;
            bool less;
            int64_t bytes[2];
            for (int k = 0; k < 2; k++) {
                ch_func *f = layer_gradient(&o,
                                            k == 0 ? "q: f32[1,8,1000,8], k: f32[1,4,1000,8], v: f32[1,4,1000,8]"
                                                   : "q: f32[1,8,4000,8], k: f32[1,4,4000,8], v: f32[1,4,4000,8]",
                                            value != 0);
                assert_int_equal(kernels_in(f, &rows, &less, &bytes[k]), 1 + value);
                assert_int_equal(rows, 1 + value);
                assert_int_equal(less, causal);
                ch_func_destroy(f);
            }
            print_message("# attention's gradient over 1000 tokens: %lld bytes; 4000: %lld\n", (long long)bytes[0],
                          (long long)bytes[1]);
            assert_true(bytes[1] <= 4 * bytes[0] + 4096);
            assert_true(bytes[1] < INT64_C(4) * 8 * 4000 * 4000 / 8);
            ch_func *f = layer_gradient(&o, "q: f32[2,6,n,8], k: f32[2,2,n,8], v: f32[2,2,n,5]", value != 0);
            ch_exec *e[2];
            compile_both(f, e);
            for (int64_t n = 0; n < 200; n = 2 * n + 1) {
                blocks_input b = {n, n, -1, 0, 0};
                (void)same_results(f, e, &b, "groups of heads");
            }
            release_both(f, e);
        }
}

static void odd_gradients(void **state) {
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e30};
    for (int value = 0; value < 2; value++) {
        const layer_options o = {1, value ? 40 : 0};
        ch_func *f = layer_gradient(&o, "q: f32[1,2,n,8], k: f32[1,2,m,8], v: f32[1,2,m,5]", value != 0);
        ch_exec *e[2];
        int rows;
        bool less;
        int64_t none = 0, bytes;
        (void)kernels_in(f, &rows, &less, &bytes);
        assert_true(rows == 1 + value && less);
        compile_both(f, e);
        for (int which = 0; which < 4; which++)
            for (int k = 0; k < 4; k++)
                for (int64_t at = 0; at < 1000; at += 331) {
                    blocks_input b = {100, 120 - 20 * value, which, at, odd[k]};
                    none += same_results(f, e, &b, "the layer's gradient");
                }
        assert_true(none > 1000);
        release_both(f, e);
    }
}

// ---------------------------------------------------------------- what blocks call
static void check_sums(int64_t m, int64_t n, int64_t k, int turned) {
    enum { MOST = 64 * 70 };
    static float a[MOST], b[MOST], c[MOST];
    static double a64[MOST], b64[MOST], c64[MOST], expected[MOST];
    int64_t cm = n + 3, am = turned & 1 ? 1 : k, ak = turned & 1 ? m : 1, bk = turned & 2 ? 1 : n,
            bn = turned & 2 ? k : 1;
    for (int x = 0; x < MOST; x++) {
        a64[x] = a[x] = (float)next_number(), b64[x] = b[x] = (float)next_number();
        expected[x] = c64[x] = c[x] = (float)x;
    }
    assert_int_equal(ch__native_dot_add(CH_F32, m, n, k, a, am, ak, b, bk, bn, c, cm), 0);
    assert_int_equal(ch__native_dot_add(CH_F64, m, n, k, a64, am, ak, b64, bk, bn, c64, cm), 0);
    for (int64_t x = 0; x < m; x++)
        for (int64_t y = 0; y < n; y++)
            for (int64_t z = 0; z < k; z++) expected[x * cm + y] += a64[x * am + z * ak] * b64[z * bk + y * bn];
    for (int x = 0; x < MOST; x++) // what lies beside the result stays
        assert_true(fabs(c64[x] - expected[x]) <= 1e-10 && fabs((double)c[x] - expected[x]) <= 1e-2);
}

static void sums_of_products(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{3, 2, 5}, {1, 40, 40}, {33, 40, 7}, {64, 32, 64}, {0, 3, 3}, {3, 3, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int turned = 0; turned < 4; turned++) check_sums(sizes[i][0], sizes[i][1], sizes[i][2], turned);
}

static void largest_numbers(void **state) {
    (void)state;
    enum { STEP = 50, ROWS = 5 };
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    float a[STEP * ROWS] = {0};
    double wide[STEP * ROWS];
    assert_true(ch__native_largest(CH_F32, ROWS, 0, a, STEP, 1) == 0);
    for (int64_t n = 1; n < 40; n += 13) {
        for (int x = 0; x < STEP * ROWS; x++) wide[x] = a[x] = 0.5f;
        wide[n] = a[n] = NAN; // beside the matrix
        wide[3 * STEP + n - 1] = a[3 * STEP + n - 1] = -7;
        assert_true(ch__native_largest(CH_F32, ROWS, n, a, STEP, 1) == 7);
        assert_true(ch__native_largest(CH_F32, n, ROWS, a, 1, STEP) == 7);
        assert_true(ch__native_largest(CH_F64, ROWS, n, wide, STEP, 1) == 7);
        assert_true(ch__native_largest(CH_F32, 3, n, a, STEP, 1) == 0.5);
        for (int k = 0; k < 3; k++) {
            wide[n - 1] = odd[k], a[n - 1] = (float)odd[k];
            assert_true(isinf(ch__native_largest(CH_F32, ROWS, n, a, STEP, 1)));
            assert_true(isinf(ch__native_largest(CH_F64, ROWS, n, wide, STEP, 1)));
        }
    }
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(masks, end_blocks),
        cmocka_unit_test_teardown(odd_numbers, end_blocks),
        cmocka_unit_test_teardown(rows_without, end_blocks),
        cmocka_unit_test_teardown(counted, end_blocks),
        cmocka_unit_test_teardown(sums_of_products, end_blocks),
        cmocka_unit_test_teardown(largest_numbers, end_blocks),
        cmocka_unit_test_teardown(gradients, end_blocks),
        cmocka_unit_test_teardown(layers, end_blocks),
        cmocka_unit_test_teardown(odd_gradients, end_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
