// SPDX-License-Identifier: Apache-2.0
// test_native_masked.c - rows that a question may leave out, of 1 to 8 elements each: of these gcc 12 made vectors that
// read by the wrong mask (src/cgen/masked.c). Pads, windows and both added, for every width of elements and numbers of
// rows from 0 on, against the interpreter, byte by byte.

#include "native_main.h"
#include "unit.h"

#include <stdlib.h>

#include "cgen/native.h"
#include "ir/ir.h"
#include "rt/rt.h"

enum { WIDEST = 8, MOST_ROWS = 13, EACH = 3, RESULTS = EACH * WIDEST };

// Of each width k: x between rows of 7, sums of two rows, and the sum of a row and the one before.
static const char *text_of(ch__arena *a, const char *type) {
    ch__text t;
    ch__text_init(&t, a);
    ch__put(&t, "chaac-ir 1\nfunc @f(");
    for (int k = 1; k <= WIDEST; k++) ch__putf(&t, "%s%%x%d: %s[n,%d]", k > 1 ? ", " : "", k, type, k);
    ch__put(&t, ") -> (");
    for (int k = 1; k <= WIDEST; k++)
        ch__putf(&t, "%s%s[n + 3,%d], %s[n + 1,%d], %s[n + 1,%d]", k > 1 ? ", " : "", type, k, type, k, type, k);
    bool whole = type[0] != 'f';
    ch__putf(&t, ") {\n  %%z = const {value = %s} : %s[]\n  %%o = const {value = %s} : %s[]\n", whole ? "7" : "7.0",
             type, whole ? "0" : "0.0", type);
    for (int k = 1; k <= WIDEST; k++) {
        ch__putf(&t, "  %%p%d = pad %%x%d, %%z {lo = [1,0], hi = [2,0]} : %s[n + 3,%d]\n", k, k, type, k);
        ch__putf(&t, "  %%w%d = reduce_window %%x%d {kind = sum, window = [2,1], pad_lo = [1,0], pad_hi = [1,0]} : ", k,
                 k);
        ch__putf(&t, "%s[n + 1,%d]\n", type, k);
        ch__putf(&t, "  %%a%d = pad %%x%d, %%o {lo = [1,0], hi = [0,0]} : %s[n + 1,%d]\n", k, k, type, k);
        ch__putf(&t, "  %%b%d = pad %%x%d, %%o {lo = [0,0], hi = [1,0]} : %s[n + 1,%d]\n", k, k, type, k);
        ch__putf(&t, "  %%c%d = add %%a%d, %%b%d : %s[n + 1,%d]\n", k, k, k, type, k);
    }
    ch__put(&t, "  return ");
    for (int k = 1; k <= WIDEST; k++) ch__putf(&t, "%s%%p%d, %%w%d, %%c%d", k > 1 ? ", " : "", k, k, k);
    ch__put(&t, "\n}\n");
    return t.data;
}

// Row 2 of what is given is the first one: what a wrong mask reads is there, and is not zero.
static void put_numbers(unsigned char *to, ch_dtype d, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        int64_t v = 1 + i % 50;
        double f64 = (double)v;
        float f32 = (float)v;
        if (d == CH_F64)
            memcpy(to + 8 * i, &f64, 8);
        else if (d == CH_F32)
            memcpy(to + 4 * i, &f32, 4);
        else
            memcpy(to + (int64_t)ch_dtype_size(d) * i, &v, ch_dtype_size(d)); // the low bytes
    }
}

typedef unsigned char row_space[(MOST_ROWS + 3) * WIDEST * 8];
static row_space in[WIDEST], out[2][RESULTS];

static void run_rows(ch_exec *e, ch_dtype d, int64_t n, row_space *to) {
    ch__slot from[WIDEST], results[RESULTS];
    for (int k = 0; k < WIDEST; k++) {
        from[k] = (ch__slot){.dtype = d, .rank = 2, .dims = {n, k + 1}, .data = in[k] + 2 * (k + 1) * ch_dtype_size(d)};
        for (int i = 0; i < EACH; i++)
            results[EACH * k + i] =
                (ch__slot){.dtype = d, .rank = 2, .dims = {n + (i == 0 ? 3 : 1), k + 1}, .data = to[EACH * k + i]};
    }
    if (ch__exec_run(e, NULL, WIDEST, from, RESULTS, results) != CH_OK) fail_msg("%s", ch_error_message());
}

static void rows_left_out(void **state) {
    (void)state;
    static const ch_dtype dtypes[] = {CH_F64, CH_F32, CH_I64, CH_I32, CH_I16, CH_U8};
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++) {
        ch__arena *arena = ch__arena_create();
        ch_func *f = NULL;
        ch_exec *native = NULL, *interp = NULL;
        if (ch_func_parse(text_of(arena, ch_dtype_name(dtypes[d])), "t.ir", &f) != CH_OK)
            fail_msg("%s", ch_error_message());
        if (ch__compile(f, "native", &native) != CH_OK) fail_msg("%s", ch_error_message());
        if (ch__compile(f, "interp", &interp) != CH_OK) fail_msg("%s", ch_error_message());
        for (int k = 0; k < WIDEST; k++) put_numbers(in[k], dtypes[d], (MOST_ROWS + 2) * (k + 1));
        for (int64_t n = 0; n <= MOST_ROWS - 1; n++) {
            memset(out, 0, sizeof out);
            run_rows(native, dtypes[d], n, out[0]);
            run_rows(interp, dtypes[d], n, out[1]);
            for (int i = 0; i < RESULTS; i++)
                if (memcmp(out[0][i], out[1][i], sizeof out[0][i]) != 0)
                    fail_msg("%s: %d rows of %d, result %d", ch_dtype_name(dtypes[d]), (int)n, i / EACH + 1, i % EACH);
        }
        ch__exec_release(native);
        ch__exec_release(interp);
        ch_func_destroy(f);
        ch__arena_destroy(arena);
    }
}

// Which loops are concerned.
static void found_in_text(void **state) {
    (void)state;
#define OUTER "    for (int64_t i = lo; i < hi; i++)"
    assert_true(ch__cg_is_masked(OUTER "\n        for (int64_t j = 0; j < 2; j++) y[j] = i > 0 ? x[i] : 0;\n"));
    assert_true(ch__cg_is_masked(OUTER " {\n        for (int64_t j = 0; j < 3; j++) {\n            if (i > 0) s += "
                                       "x[i * 3 + j];\n        }\n    }\n"));
    assert_true(ch__cg_is_masked(OUTER " {\n        for (int64_t j = 0; j < 3; j++) {\n            if (i > 0) {\n"
                                       "                s += x[i * 3 + j];\n            }\n        }\n    }\n"));
    assert_true(ch__cg_is_masked(OUTER " for (int64_t j = 1; j < 5; j++) y[j] = i > 0 && x[i];\n"));
    // One loop; many turns, or nobody knows how many; a loop that stays one; no question, or one about the read number.
    assert_false(ch__cg_is_masked("    for (int64_t j = 0; j < 2; j++) y[j] = i > 0 ? x[i] : 0;\n"));
    assert_false(ch__cg_is_masked(OUTER "\n        for (int64_t j = 0; j < 40; j++) y[j] = i > 0 ? x[i] : 0;\n"));
    assert_false(ch__cg_is_masked(OUTER "\n        for (int64_t j = 0; j < n; j++) y[j] = i > 0 ? x[i] : 0;\n"));
    assert_false(ch__cg_is_masked(OUTER
                                  "\n        #pragma omp simd\n        for (int64_t j = 0; j < 2; j++) y[j] = i > "
                                  "0 ? x[i] : 0;\n"));
    assert_false(ch__cg_is_masked(OUTER "\n        for (int64_t j = 0; j < 2; j++) y[j] = x[i];\n"));
    assert_false(ch__cg_is_masked(OUTER
                                  " {\n        for (int64_t j = 0; j < 2; j++) y[j] = 0;\n        if (i > 0) y[0] "
                                  "= x[i];\n    }\n"));
    assert_false(ch__cg_is_masked(OUTER "\n        for (int64_t j = 0; j < 2; j++) y[j] = x[i] > 0 ? 1 : 2;\n"));
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_left_out), cmocka_unit_test(found_in_text)};
    return cmocka_run_group_tests_name("native_masked", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
