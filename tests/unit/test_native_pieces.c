// SPDX-License-Identifier: Apache-2.0
// test_native_pieces.c - gradients of slices that are put together at once: bits beside the interpreter, zeros with
// signs, NaN and infinite numbers among them, and whether the array is written once, as ch_explain lists it.
#include "../near.h"
#include "native_main.h"
#include "unit.h"

#include <math.h>
#include <string.h>

#include "rt/rt.h"

static int end_pieces(void **state) {
    (void)state;
    ch_thread_end();
    return 0;
}

// Multiples of 1/8, whose sums are exact, and what is special.
static float piece_number(int64_t i) {
    static const float special[] = {-0.0f, 0.0f, INFINITY, -INFINITY, NAN};
    uint64_t r = ch__hash_u64((uint64_t)i + 17);
    return r % 7 == 0 ? special[r / 7 % 5] : (float)(r % 63) / 8 - 4;
}

static bool same_float(float x, float y) { return isnan(x) ? isnan(y) : memcmp(&x, &y, sizeof x) == 0; }

static void same_bits(const ch_func *f, int64_t n, const char *what) {
    ch__slot in[8] = {{0}}, out[2][2] = {{{0}}};
    int n_in = f->body->n_params, n_out = f->body->n_results;
    for (int i = 0; i < n_in; i++) {
        int64_t count = near_input(f, i, n, &in[i]);
        float *p = malloc((size_t)count * sizeof *p + 1);
        for (int64_t x = 0; x < count; x++) p[x] = piece_number(x + 1000 * i);
        in[i].data = p;
    }
    for (int k = 0; k < 2; k++) {
        ch_exec *e = NULL;
        if (ch__compile(f, k == 0 ? "interp" : "native", &e) != CH_OK) fail_msg("%s: %s", what, ch_error_message());
        if (ch__exec_run(e, NULL, n_in, in, n_out, out[k]) != CH_OK) fail_msg("%s: %s", what, ch_error_message());
        ch__exec_release(e);
    }
    for (int i = 0; i < n_out; i++) {
        const float *x = out[0][i].data, *y = out[1][i].data;
        int64_t count = 1;
        for (int k = 0; k < out[0][i].rank; k++) count *= out[0][i].dims[k];
        for (int64_t k = 0; k < count; k++)
            if (!same_float(x[k], y[k]))
                fail_msg("%s, n = %lld: result %d at %lld is %a instead of %a", what, (long long)n, i, (long long)k,
                         (double)y[k], (double)x[k]);
        for (int k = 0; k < 2; k++) ch__free_aligned(out[k][i].data);
    }
    for (int i = 0; i < n_in; i++) free(in[i].data);
}

typedef struct {
    const char *what, *text;
    bool together;
} pieces_case;

#define FUNC "chaac-ir 1\nfunc @f(%x: f32[n,4], %y: f32[n,4], %z: f32[n,4]) -> (f32[n,12]) {\n"
#define ZERO "  %0 = const {value = 0} : f32[]\n  %i = const {value = 0} : i64[]\n"
#define PADDED "  %a = pad %x, %0 {lo = [0,8], hi = [0,0]} : f32[n,12]\n"
#define PUT(TO, WHOLE, SLICE, SUM, FROM, END, X, AT)                                                                   \
    "  " AT " = const {value = " FROM "} : i64[]\n  " SLICE " = slice " WHOLE " {start = [0," FROM                     \
    "], limit = [n," END "]} : f32[n,4]\n  " SUM " = add " SLICE ", " X " : f32[n,4]\n  " TO                           \
    " = dynamic_update_slice " WHOLE ", " SUM ", %i, " AT " {bounds = known} : f32[n,12]\n"

static const pieces_case cases[] = {
    {"three thirds",
     FUNC ZERO PADDED PUT("%b", "%a", "%s", "%t", "4", "8", "%y", "%j")
         PUT("%c", "%b", "%u", "%v", "0", "4", "%z", "%k") "  return %c\n}\n",
     true},
    {"a gap between two",
     FUNC ZERO PADDED PUT("%b", "%a", "%s", "%t", "1", "5", "%y",
                          "%j") "  %w = add %b, %b : f32[n,12]\n  return %w\n}\n",
     true},
    {"places that meet",
     FUNC ZERO PADDED PUT("%b", "%a", "%s", "%t", "6", "10", "%y", "%j")
         PUT("%c", "%b", "%u", "%v", "0", "4", "%z", "%k") "  return %c\n}\n",
     false},
    {"what is not 0 around it",
     "chaac-ir 1\nfunc @f(%x: f32[n,4], %y: f32[n,4]) -> (f32[n,12]) {\n  %i = const {value = 0} : i64[]\n"
     "  %0 = const {value = 1} : f32[]\n  %a = pad %x, %0 {lo = [0,8], hi = [0,0]} : f32[n,12]\n" PUT(
         "%b", "%a", "%s", "%t", "4", "8", "%y", "%j") "  return %b\n}\n",
     false},
    {"heads side by side",
     "chaac-ir 1\nfunc @f(%x: f32[2,2,n,3], %y: f32[2,n,2,3], %w: f32[15,5]) -> (f32[2,n,5]) {\n"
     "  %0 = const {value = 0} : f32[]\n  %i = const {value = 0} : i64[]\n  %j = const {value = 9} : i64[]\n"
     "  %p = transpose %x {perm = [0,2,1,3]} : f32[2,n,2,3]\n  %q = reshape %p : f32[2,n,6]\n"
     "  %r = reshape %y : f32[2,n,6]\n  %a = pad %q, %0 {lo = [0,0,3], hi = [0,0,6]} : f32[2,n,15]\n"
     "  %s = slice %a {start = [0,0,9], limit = [2,n,15]} : f32[2,n,6]\n  %t = add %r, %s : f32[2,n,6]\n"
     "  %b = dynamic_update_slice %a, %t, %i, %i, %j {bounds = known} : f32[2,n,15]\n"
     "  %d = dot %b, %w {contract = [2]x[0]} : f32[2,n,5]\n  return %d\n}\n",
     true},
};

static void put_together(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        ch_func *f = NULL;
        char *text = NULL;
        size_t size = 0;
        if (ch_func_parse(cases[c].text, "t.ir", &f) != CH_OK) fail_msg("%s: %s", cases[c].what, ch_error_message());
        FILE *file = open_memstream(&text, &size);
        assert_int_equal(ch_explain(f, file), CH_OK);
        fclose(file);
        bool together = strstr(strstr(text, "  native: "), "dynamic_update_slice") == NULL;
        if (together != cases[c].together) fail_msg("%s\n%s", cases[c].what, text);
        free(text);
        for (int64_t n = 0; n < 20; n += n < 2 ? 1 : 11) same_bits(f, n, cases[c].what);
        ch_func_destroy(f);
    }
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(put_together, end_pieces)};
    return cmocka_run_group_tests_name("native_pieces", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
