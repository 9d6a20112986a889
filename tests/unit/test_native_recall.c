// SPDX-License-Identifier: Apache-2.0
// test_native_recall.c - code that is found by its func: what it takes to be the same func, and what is not believed.
#include "native_main.h"
#include "unit.h"

#include "rt/rt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ch_exec *native(const char *text, const char *file) {
    ch_func *f = NULL;
    ch_exec *e = NULL;
    if (ch_func_parse(text, file, &f) != CH_OK || ch_compile(f, "native", NULL, &e) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
    return e;
}

// The sum over y of one run with x = 1, 2, 3, 4 (a second input: 10, 20, 30, 40).
static double run(ch_exec *e, int n_in) {
    ch_tensor *in[2] = {ch_from_f32((float[]){1, 2, 3, 4}, 1, (int64_t[]){4}),
                        ch_from_f32((float[]){10, 20, 30, 40}, 1, (int64_t[]){4})};
    ch_tensor *out[1] = {NULL};
    float y[4];
    if (ch_exec_run(e, n_in, in, 1, out) != CH_OK || ch_read_f32(out[0], y, 4) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_release(out[0]);
    return (double)y[0] + (double)y[1] + (double)y[2] + (double)y[3];
}

// Compiles text and runs it; how often a compiler ran and code was recalled since the last time.
static double compiled(const char *text, int n_in, int *compiles, int *recalls) {
    static int64_t c, r;
    ch_scope scope = ch_scope_begin();
    ch_exec *e = native(text, "t.ir");
    double y = run(e, n_in);
    ch_exec_release(e);
    assert_int_equal(ch_scope_end(scope), CH_OK);
    *compiles = (int)(ch__native_compiles() - c);
    *recalls = (int)(ch__native_recalls() - r);
    c += *compiles;
    r += *recalls;
    return y;
}

static void is_compiled(const char *text, int n_in, double want, int compiles, int recalls) {
    int c, r;
    assert_true(compiled(text, n_in, &c, &r) == want);
    assert_int_equal(c, compiles);
    assert_int_equal(r, recalls);
}

#define TWICE                                                                                                          \
    "chaac-ir 1\nfunc @f(%x: f32[n]) -> f32[n] {\n  %k = const {value = 2} : f32[n]\n  %y = mul %x, %k : f32[n]\n"     \
    "  return %y\n}\n"
#define MINUS(A, B)                                                                                                    \
    "chaac-ir 1\nfunc @f(%x: f32[n], %z: f32[n]) -> f32[n] {\n  %y = sub " A ", " B " : f32[n]\n  return %y\n}\n"
#define CALLED(FIRST, SECOND)                                                                                          \
    "chaac-ir 1\nfunc @a(%x: f32[n]) -> f32[n] {\n  %y = " FIRST " %x, %x : f32[n]\n  return %y\n}\n\n"                \
    "func @b(%x: f32[n]) -> f32[n] {\n  %y = " SECOND " %x, %x : f32[n]\n  return %y\n}\n\n"                           \
    "func @f(%x: f32[n]) -> f32[n] {\n  %y = call @a(%x) : f32[n]\n  %z = call @b(%y) : f32[n]\n  return %z\n}\n"

static const char twice[] = TWICE;

static void the_same_func_is_recalled(void **state) {
    (void)state;
    is_compiled(twice, 1, 20, 1, 0);
    is_compiled(twice, 1, 20, 0, 1);
    is_compiled(twice, 1, 20, 0, 1);
}

// Captured from other lines it is the same.
static ch_status thrice_here(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_mul(in[0], ch_scalar(CH_F32, 3));
    return CH_OK;
}
static ch_status thrice_there(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_mul(in[0], ch_scalar(CH_F32, 3));
    return CH_OK;
}

static void places_do_not_matter(void **state) {
    (void)state;
    const ch_tensor_fn bodies[2] = {thrice_here, thrice_there};
    int64_t before = ch__native_recalls();
    for (int i = 0; i < 2; i++) {
        ch_scope scope = ch_scope_begin();
        ch_func *f = NULL;
        ch_exec *e = NULL;
        assert_int_equal(ch_capture(bodies[i], NULL, "x: f32[n]", 1, &f), CH_OK);
        assert_int_equal(ch_compile(f, "native", NULL, &e), CH_OK);
        assert_true(run(e, 1) == 30);
        assert_int_equal(ch__native_recalls() - before, i);
        ch_exec_release(e);
        ch_func_destroy(f);
        assert_int_equal(ch_scope_end(scope), CH_OK);
    }
    int c, r;
    compiled(twice, 1, &c, &r); // the counts of the next test begin here
}

// What differs in a constant, in the order of operands, in what is called, or in what is written over is another func.
static void other_funcs_are_not(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int n_in;
        double want;
    } rows[] = {
        {"chaac-ir 1\nfunc @f(%x: f32[n]) -> f32[n] {\n  %k = const {value = 2.5} : f32[n]\n"
         "  %y = mul %x, %k : f32[n]\n  return %y\n}\n",
         1, 25},
        {"chaac-ir 1\nfunc @f(%x: f32[4]) -> f32[4] {\n  %k = const {value = [1, 0, 0, 2]} : f32[4]\n"
         "  %y = mul %x, %k : f32[4]\n  return %y\n}\n",
         1, 9},
        {"chaac-ir 1\nfunc @f(%x: f32[4]) -> f32[4] {\n  %k = const {value = [1, 0, 0, 3]} : f32[4]\n"
         "  %y = mul %x, %k : f32[4]\n  return %y\n}\n",
         1, 13},
        {MINUS("%x", "%z"), 2, -90},
        {MINUS("%z", "%x"), 2, 90},
        {CALLED("add", "mul"), 1, 120},
        {CALLED("mul", "add"), 1, 60},
        {"chaac-ir 1\nfunc @f(%x: inout(0) f32[n]) -> f32[n] {\n  %k = const {value = 2} : f32[n]\n"
         "  %y = mul %x, %k : f32[n]\n  return %y\n}\n",
         1, 20},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) is_compiled(rows[i].text, rows[i].n_in, rows[i].want, 1, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) is_compiled(rows[i].text, rows[i].n_in, rows[i].want, 0, 1);
}

// ---------------------------------------------------------------- entries that are not believed
static ch__native_memory memory_of(const char *text) {
    ch_func *f = NULL;
    ch__native_memory m;
    assert_int_equal(ch_func_parse(text, "t.ir", &f), CH_OK);
    ch__native_memory_of(f, &m);
    assert_true(m.used);
    ch_func_destroy(f);
    return m;
}

static char *entry_of(const ch__native_memory *m, size_t *n) {
    void *data = NULL;
    assert_true(ch__cache_get(&ch__cache_funcs, &m->key, &data, n));
    return data;
}

// The two funcs have no op that the pipeline changes, so that their keys are those of their texts.
static void what_does_not_hold_is_printed(void **state) {
    (void)state;
    ch__native_memory m = memory_of(twice), other = memory_of(MINUS("%x", "%z"));
    size_t n, n_other;
    char *good = entry_of(&m, &n), *of_other = entry_of(&other, &n_other);
    assert_true(n >= CH__BUILD_ID + 36);
    // Another build's: printed, and from then on recalled.
    good[3] ^= 1;
    ch__cache_put(&ch__cache_funcs, &m.key, good, n);
    good[3] ^= 1;
    is_compiled(twice, 1, 20, 0, 0);
    is_compiled(twice, 1, 20, 0, 1);
    // Of another length than its arrays take, empty, or with fewer arrays than none.
    ch__cache_put(&ch__cache_funcs, &m.key, good, n - 1);
    is_compiled(twice, 1, 20, 0, 0);
    ch__cache_put(&ch__cache_funcs, &m.key, good, 0);
    is_compiled(twice, 1, 20, 0, 0);
    int32_t fewer = -1, had;
    memcpy(&had, good + CH__BUILD_ID, sizeof had);
    memcpy(good + CH__BUILD_ID, &fewer, sizeof fewer);
    ch__cache_put(&ch__cache_funcs, &m.key, good, n);
    memcpy(good + CH__BUILD_ID, &had, sizeof had);
    is_compiled(twice, 1, 20, 0, 0);
    // Under another func's key: a sum over the key is in every entry, so that a file that was renamed is found out.
    char from[128], to[128], name[65], name_other[65];
    for (int i = 0; i < 32; i++) {
        snprintf(name + 2 * i, 3, "%02x", m.key.b[i]);
        snprintf(name_other + 2 * i, 3, "%02x", other.key.b[i]);
    }
    snprintf(from, sizeof from, "%s/%s.func", ch_cache_folder(), name_other);
    snprintf(to, sizeof to, "%s/%s.func", ch_cache_folder(), name);
    assert_int_equal(rename(from, to), 0);
    is_compiled(twice, 1, 20, 0, 0);
    is_compiled(twice, 1, 20, 0, 1);
    ch__free(good);
    ch__free(of_other);
}

// A bit changed anywhere: the entry is removed, the func printed, and the entry written again.
static void changed_entries_are_printed(void **state) {
    (void)state;
    ch__native_memory m = memory_of(twice);
    char path[128], *good;
    int at = snprintf(path, sizeof path, "%s/", ch_cache_folder());
    for (int i = 0; i < 32; i++) at += snprintf(path + at, 3, "%02x", m.key.b[i]);
    snprintf(path + at, sizeof path - (size_t)at, ".func");
    size_t n;
    assert_int_equal(ch__file_read(path, 0, &good, &n), CH_OK);
    for (size_t i = 0; i < n; i += 7) {
        good[i] ^= (char)(1 << i % 8);
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(good, 1, n, f), n);
        assert_int_equal(fclose(f), 0);
        good[i] ^= (char)(1 << i % 8);
        is_compiled(twice, 1, 20, 0, 0);
        is_compiled(twice, 1, 20, 0, 1);
    }
    ch__free(good);
}

static void remove_code(void *user, const char *name, int64_t bytes, int64_t used, const char *wrong) {
    char path[256];
    (void)user, (void)bytes, (void)used, (void)wrong;
    if (strstr(name, ".code") == NULL) return;
    snprintf(path, sizeof path, "%s/%s", ch_cache_folder(), name);
    assert_int_equal(unlink(path), 0);
}

static void without_its_code_it_is_compiled(void **state) {
    (void)state;
    assert_int_equal(ch_cache_list(remove_code, NULL), CH_OK);
    is_compiled(twice, 1, 20, 1, 0);
    is_compiled(twice, 1, 20, 0, 1);
}

// ---------------------------------------------------------------- what has no entry
static ch_status weighted(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    int n = *(const int *)user;
    float *w = calloc((size_t)n, sizeof *w);
    assert_non_null(w);
    for (int i = 0; i < n; i++) w[i] = (float)(i % 5);
    ch_tensor *all = ch_from_f32(w, 2, (int64_t[]){n / 4, 4});
    free(w);
    out[0] = ch_mul(in[0], ch_sum_all(ch_mul(all, in[0])));
    return CH_OK;
}

// Constants that the code is given when it is loaded, few and many numbers.
static void constants_that_are_handed_over(void **state) {
    (void)state;
    for (int n = 300; n <= 30000; n *= 100) {
        int64_t before = ch__native_recalls();
        double want = 0;
        for (int i = 0; i < n; i++) want += 10.0 * (i % 5) * (1 + i % 4);
        for (int turn = 0; turn < 2; turn++) {
            ch_scope scope = ch_scope_begin();
            ch_func *f = NULL;
            ch_exec *e = NULL;
            assert_int_equal(ch_capture(weighted, &n, "x: f32[4]", 1, &f), CH_OK);
            assert_int_equal(ch_compile(f, "native", NULL, &e), CH_OK);
            assert_true(run(e, 1) == want); // a whole number below 2^24
            ch_exec_release(e);
            ch_func_destroy(f);
            assert_int_equal(ch_scope_end(scope), CH_OK);
        }
        assert_int_equal(ch__native_recalls() - before, 0);
    }
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_func_is_recalled),
        cmocka_unit_test(places_do_not_matter),
        cmocka_unit_test(other_funcs_are_not),
        cmocka_unit_test(what_does_not_hold_is_printed),
        cmocka_unit_test(changed_entries_are_printed),
        cmocka_unit_test(without_its_code_it_is_compiled),
        cmocka_unit_test(constants_that_are_handed_over),
    };
    return cmocka_run_group_tests_name("native_recall", tests, NULL, NULL);
}

int main(void) { return native_main_alone(run_all); }
