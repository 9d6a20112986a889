// SPDX-License-Identifier: Apache-2.0
// test_capture.c - capture: one func for every size; constants, requires, mistakes.
#include "base/base.h"
#include "chaac/chaac.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static ch_status mlp_loss(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    ch_tensor *h = ch_relu(ch_add(ch_dot(in[0], in[2]), in[3])); // in: x y w1 b1 w2 b2
    ch_tensor *logits = ch_add(ch_dot(h, in[4]), in[5]);
    out[0] = ch_cross_entropy(logits, in[1]);
    return CH_OK;
}

static const char mlp_signature[] = "x: f32[n,7], y: i32[n], w1: f32[7,5], b1: f32[5], w2: f32[5,3], b2: f32[3]";

static ch_tensor *wave(double phase, int rank, const int64_t *dims) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    float *v = malloc((size_t)n * sizeof *v + 1);
    for (int64_t i = 0; i < n; i++) v[i] = (float)sin(phase + 1.7 * (double)i);
    ch_tensor *t = ch_from_f32(v, rank, dims);
    free(v);
    return t;
}

static void one_capture_serves_every_batch_size(void **state) {
    (void)state;
    ch_func *f = NULL, *step = NULL;
    ch_exec *exec = NULL;
    assert_int_equal(ch_capture(mlp_loss, NULL, mlp_signature, 1, &f), CH_OK);
    assert_int_equal(ch_func_num_params(f), 6);
    assert_string_equal(ch_func_param_type(f, 0), "f32[n,7]");
    assert_string_equal(ch_func_size_name(f, 0), "n");
    assert_int_equal(ch_value_and_grad(f, "w1, b1, w2, b2", &step), CH_OK);
    assert_int_equal(ch_func_num_results(step), 5);
    assert_int_equal(ch_compile(step, "interp", NULL, &exec), CH_OK);
    for (int64_t n = 1; n <= 9; n += 4) {
        int32_t labels[9] = {0, 1, 2, 2, 1, 0, 0, 2, 1};
        ch_tensor *in[6] = {wave(0, 2, (int64_t[]){n, 7}), ch_from_i32(labels, 1, &n),    wave(1, 2, (int64_t[]){7, 5}),
                            wave(2, 1, (int64_t[]){5}),    wave(3, 2, (int64_t[]){5, 3}), wave(4, 1, (int64_t[]){3})};
        ch_tensor *out[5] = {NULL}, *lazy, *grads[4];
        if (ch_exec_run(exec, 6, in, 5, out) != CH_OK) fail_msg("%s", ch_error_message());
        assert_int_equal(mlp_loss(NULL, 6, in, 1, &lazy), CH_OK);
        double a, b;
        assert_int_equal(ch_item(out[0], &a), CH_OK);
        assert_int_equal(ch_item(lazy, &b), CH_OK);
        assert_true(fabs(a - b) < 1e-6);
        ch_grads(lazy, 4, in + 2, grads);
        for (int g = 0; g < 4; g++) {
            int64_t count = ch_tensor_numel(out[1 + g]);
            const float *p = ch_data(out[1 + g]), *q = ch_data(grads[g]);
            assert_non_null(q);
            for (int64_t i = 0; i < count; i++) assert_true(fabsf(p[i] - q[i]) < 1e-6f);
        }
        // given outputs are written into, and say so when they do not fit
        const void *memory = ch_data(out[1]);
        assert_int_equal(ch_exec_run(exec, 6, in, 5, out), CH_OK);
        assert_ptr_equal(ch_data(out[1]), memory);
        ch_tensor *swapped[5] = {out[0], out[2], out[1], out[3], out[4]};
        assert_int_equal(ch_exec_run(exec, 6, in, 5, swapped), CH_INVALID_ARGUMENT);
        for (int i = 0; i < 5; i++) ch_release(out[i]);
    }
    ch_exec_release(exec);
    ch_func_destroy(step);
    ch_func_destroy(f);
}

static void text_of_a_capture_reads_back(void **state) {
    (void)state;
    ch_func *f = NULL, *g = NULL, *back = NULL;
    char *a = NULL, *b = NULL;
    assert_int_equal(ch_capture(mlp_loss, NULL, mlp_signature, 1, &f), CH_OK);
    assert_int_equal(ch_value_and_grad(f, NULL, &g), CH_OK);
    assert_int_equal(ch_func_to_text(g, &a), CH_OK);
    if (ch_func_parse(a, "g.ir", &back) != CH_OK) fail_msg("%s\n%s", ch_error_message(), a);
    assert_int_equal(ch_func_to_text(back, &b), CH_OK);
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "test_capture.c")); // where each operation was written
    ch_string_free(a);
    ch_string_free(b);
    ch_func_destroy(f);
    ch_func_destroy(g);
    ch_func_destroy(back);
}

static ch_status with_constant(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    out[0] = ch_sum_all(ch_mul(in[0], user));
    return CH_OK;
}

static ch_status one_composite(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_silu_at("a.c:1", in[0]);
    return CH_OK;
}

static void a_composite_takes_its_operands(void **state) {
    (void)state;
    ch_func *f = NULL;
    char *text = NULL;
    assert_int_equal(ch_capture(one_composite, NULL, "x: f32[n]", 1, &f), CH_OK);
    assert_int_equal(ch_func_to_text(f, &text), CH_OK);
    assert_non_null(strstr(text, "composite \"silu\"(%x0 = %x) {"));
    ch_string_free(text);
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- sizes that stand in no axis alone
// Over n + m rows, or n * m of them: what a piece of program is traced for knows the sizes of what is around it.
static ch_status tanh_of(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_out;
    out[0] = ch_tanh(in[n_in - 1]); // of `for` the state, behind the counter
    return CH_OK;
}

static ch_status tanh_back(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out; // in: x, y, y's adjoint
    out[0] = ch_mul(in[2], ch_sub(ch_ones_like(in[1]), ch_mul(in[1], in[1])));
    return CH_OK;
}

enum { WITH_COMPOSITE, WITH_FOR, WITH_IF, WITH_REMAT, WITH_RULE, WITH_GRADIENT, WITH_TANGENT, WAYS };

static ch_status of_all_rows(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_out;
    ch_tensor *x = n_in == 2 ? ch_concat(2, (ch_tensor *[]){in[0], in[1]}, 0) : ch_merge_axes(in[0], 0, 2), *y = NULL;
    ch_tensor *zero = ch_scalar(CH_I64, 0), *one = ch_scalar(CH_I64, 1);
    switch (*(const int *)user) {
    case WITH_COMPOSITE: y = ch_softmax(ch_gelu(x), -1); break;
    case WITH_FOR: ch_for(zero, ch_scalar(CH_I64, 2), one, tanh_of, NULL, 1, &x, &y); break;
    case WITH_IF: ch_if(ch_gt(ch_sum_all(x), ch_scalar(CH_F32, 0)), tanh_of, tanh_of, NULL, 1, &x, 1, &y); break;
    case WITH_REMAT: ch_remat("again", tanh_of, NULL, 1, &x, 1, &y); break;
    case WITH_RULE: ch_custom_vjp("ruled", tanh_of, tanh_back, NULL, 1, &x, 1, &y); break;
    case WITH_GRADIENT: y = ch_grad(ch_sum_all(ch_mul(ch_relu(x), x)), x); break;
    default: y = ch_tangent(ch_mul(ch_relu(x), x), 1, &x, &x); break;
    }
    out[0] = ch_sum(ch_mul(y, x), 1, (int[]){1});
    return CH_OK;
}

static void sizes_that_stand_in_no_axis(void **state) {
    (void)state;
    static const char *const signatures[] = {"x: f32[n,3], y: f32[m,3]", "x: f32[n,m,3]"};
    static const int64_t sizes[][2] = {{2, 3}, {0, 1}, {5, 1}};
    for (int way = 0; way < WAYS; way++)
        for (int s = 0; s < 2; s++) {
            ch_func *f = NULL, *g = NULL;
            ch_exec *e = NULL;
            if (ch_capture(of_all_rows, &way, signatures[s], 1, &f) != CH_OK || ch_vjp(f, NULL, 1, &g) != CH_OK ||
                ch_compile(g, "interp", NULL, &e) != CH_OK)
                fail_msg("way %d: %s", way, ch_error_message());
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                int64_t n = sizes[k][0], m = sizes[k][1], rows = s == 0 ? n + m : n * m;
                ch_tensor *x[2] = {s == 0 ? wave(0.3, 2, (int64_t[]){n, 3}) : wave(0.3, 3, (int64_t[]){n, m, 3})};
                if (s == 0) x[1] = wave(0.7, 2, (int64_t[]){m, 3});
                ch_tensor *in[3] = {x[0], x[1]}, *lazy = NULL, *out[3] = {NULL}, *expected[3] = {NULL};
                in[2 - s] = ch_ones(CH_F32, 1, &rows);
                assert_int_equal(of_all_rows(&way, 2 - s, x, 1, &lazy), CH_OK); // every size known
                expected[0] = lazy;
                ch_grads(ch_sum_all(lazy), 2 - s, x, expected + 1);
                if (ch_exec_run(e, 3 - s, in, 3 - s, out) != CH_OK) fail_msg("way %d: %s", way, ch_error_message());
                for (int i = 0; i < 3 - s; i++) {
                    const float *p = ch_data(out[i]), *q = ch_data(expected[i]);
                    if (q == NULL) fail_msg("way %d: %s", way, ch_error_message());
                    assert_true(ch_tensor_numel(out[i]) == ch_tensor_numel(expected[i]));
                    for (int64_t j = 0; j < ch_tensor_numel(out[i]); j++)
                        if (!(fabsf(p[j] - q[j]) < 1e-6f))
                            fail_msg("way %d, result %d: %g, not %g", way, i, p[j], q[j]);
                    ch_release(out[i]);
                }
            }
            ch_exec_release(e);
            ch_func_destroy(f);
            ch_func_destroy(g);
        }
}

static void constants_from_outside(void **state) {
    (void)state;
    ch_tensor *outside = ch_from_f32_at("mine.c:3", (float[]){1, 2, 3}, 1, (int64_t[]){3});
    ch_func *f = NULL;
    assert_int_equal(ch_capture(with_constant, outside, "x: f32[3]", 1, &f), CH_OK);
    FILE *file = tmpfile();
    char text[2048];
    assert_int_equal(ch_explain(f, file), CH_OK);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "1 constants captured from outside"));
    assert_non_null(strstr(text, "f32[3], 12 bytes, made at mine.c:3"));
    ch_func_destroy(f);
    ch_capture_options strict = {.struct_size = sizeof strict, .strict = 1};
    assert_int_equal(ch_capture_with(&strict, with_constant, outside, "x: f32[3]", 1, &f), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_message(),
                        "capture: a tensor f32[3] made at mine.c:3 is reached that is not an input — pass it as an "
                        "input, or capture without strict to make it a constant");
    assert_string_equal(ch_error_id(), "capture_constant");
}

static ch_status reads_inside(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_neg(in[0]);
    return ch_realize(out[0]);
}

static ch_status leaves_null(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)in, (void)n_out, (void)out;
    return CH_OK;
}

static ch_tensor *leaked;
static ch_status leaks(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = leaked = ch_keep(ch_neg(in[0]));
    return CH_OK;
}

static ch_status wrong_shape(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_dot_at("body.c:5", in[0], in[1]);
    return CH_OK;
}

static ch_status own_failure(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)in, (void)n_out, (void)out;
    return ch_error_set("file", "settings.txt: not found");
}

static ch_status no_reason(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)in, (void)n_out, (void)out;
    return CH_ABORTED;
}

static ch_status leaves_scope_open(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    if (ch_scope_begin().token == 0) return CH_RESOURCE_EXHAUSTED;
    out[0] = ch_neg(in[0]);
    return CH_OK;
}

static ch_status ends_the_thread(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    ch_thread_end();
    out[0] = ch_neg(in[0]);
    return CH_OK;
}

static void mistakes(void **state) {
    (void)state;
    ch_func *f = NULL;
    assert_int_equal(ch_capture(reads_inside, NULL, "x: f32[n]", 1, &f), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_id(), "not_realized");
    assert_non_null(strstr(ch_error_message(), "input 0 of a capture has no data"));
    assert_int_equal(ch_capture(leaves_null, NULL, "x: f32[n]", 1, &f), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_message(), "capture: the function left result 0 NULL — set all 1 of out");
    assert_int_equal(ch_capture(wrong_shape, NULL, "x: f32[n,2], y: f32[3,n]", 1, &f), CH_INVALID_ARGUMENT);
    assert_string_equal(
        ch_error_message(),
        "body.c:5: dot: f32[n,2] and f32[3,n] — contracted dims differ: lhs dim 1 is 2, rhs dim 0 is 3");
    assert_int_equal(ch_capture(own_failure, NULL, "x: f32[n]", 1, &f), CH_NOT_FOUND);
    assert_string_equal(ch_error_message(), "settings.txt: not found");
    assert_int_equal(ch_capture(no_reason, NULL, "x: f32[n]", 1, &f), CH_ABORTED);
    assert_string_equal(ch_error_message(), "capture: the function gave ABORTED and no reason — ch_error_set one");
    assert_int_equal(ch_capture(NULL, NULL, "x: f32[n]", 1, &f), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "capture: the function is NULL — a function and a place for the func are needed");
    assert_int_equal(ch_capture(leaves_null, NULL, "x: f32[n]", 1, NULL), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_capture(ends_the_thread, NULL, "x: f32[n]", 1, &f), CH_OK);
    ch_func_destroy(f);
    ch_scope outer = ch_scope_begin();
    assert_int_equal(ch_capture(leaves_scope_open, NULL, "x: f32[n]", 1, &f), CH_OK);
    assert_int_equal(ch_scope_end(outer), CH_OK); // the open one ended with the capture
    ch_func_destroy(f);
    assert_int_equal(ch_capture(leaks, NULL, "x: f32[n,2] y", 1, &f), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_id(), "signature");
    assert_int_equal(ch_capture(leaks, NULL, NULL, 1, &f), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_capture(leaks, NULL, "x: f32[n]", 1, &f), CH_OK);
    assert_int_equal(ch_realize(leaked), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_id(), "capture_state");
    ch_release(leaked);
    ch_func_destroy(f);
}

static void without_a_callback(void **state) {
    (void)state;
    ch_trace *t = NULL, *inner = NULL;
    ch_func *f = NULL;
    assert_int_equal(ch_trace_begin("x: f64[n], k: f64[]", &t), CH_OK);
    ch_tensor *y = ch_mul(ch_trace_input(t, 0), ch_trace_input(t, 1));
    assert_int_equal(ch_trace_begin("z: f64[]", &inner), CH_OK);
    assert_int_equal(ch_trace_end(t, 1, &y, &f), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_message(),
                        "trace_end: the trace is not the innermost of this thread — end the one begun last first");
    ch_trace_abandon(inner);
    assert_int_equal(ch_trace_end(t, 1, &y, &f), CH_OK);
    ch_tensor *in[2] = {ch_from_f64((double[]){1, 2, 3}, 1, (int64_t[]){3}), ch_from_f64((double[]){2}, 0, NULL)},
              *out[1];
    ch_func_apply(f, 2, in, 1, out);
    double v[3], d;
    assert_int_equal(ch_read_f64(out[0], v, 3), CH_OK);
    assert_true(v[2] == 6);
    assert_int_equal(ch_item(ch_grad(ch_sum_all(out[0]), in[1]), &d), CH_OK);
    assert_true(d == 6);
    ch_func_destroy(f);
}

static ch_status two_sizes(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_sum_all(ch_mul(in[0], in[1])); // n and m: equal or refused when it runs
    return CH_OK;
}

static void sizes_that_have_to_be_equal(void **state) {
    (void)state;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    assert_int_equal(ch_capture(two_sizes, NULL, "x: f32[n], y: f32[m]", 1, &f), CH_OK);
    assert_int_equal(ch_compile(f, "interp", NULL, &e), CH_OK);
    ch_tensor *three = ch_ones(CH_F32, 1, (int64_t[]){3}), *four = ch_ones(CH_F32, 1, (int64_t[]){4}), *out[1] = {NULL};
    assert_int_equal(ch_exec_run(e, 2, (ch_tensor *[]){three, three}, 1, out), CH_OK);
    double v;
    assert_int_equal(ch_item(out[0], &v), CH_OK);
    assert_true(v == 3);
    assert_int_not_equal(ch_exec_run(e, 2, (ch_tensor *[]){three, four}, 1, out), CH_OK);
    assert_string_equal(ch_error_id(), "requires");
    ch_release(out[0]);
    ch_exec_release(e);
    ch_func_destroy(f);
}

static ch_status twice(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_add(in[0], in[1]);
    return CH_OK;
}

// Only memory that is the given tensor's alone is written; a gradient does not take its old contents for the new ones.
static void outputs_own_their_memory(void **state) {
    (void)state;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    assert_int_equal(ch_capture(twice, NULL, "x: f32[n], y: f32[n]", 1, &f), CH_OK);
    assert_int_equal(ch_compile(f, "interp", NULL, &e), CH_OK);
    float mine[2] = {7, 7}, got[2];
    ch_tensor *x = ch_from_f32((float[]){1, 2}, 1, (int64_t[]){2}), *in[2] = {x, x};
    ch_tensor *out[1] = {ch_borrow(CH_F32, mine, 1, (int64_t[]){2}, NULL, NULL)};
    assert_int_equal(ch_exec_run(e, 2, in, 1, out), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "run: @captured out[0] is borrowed memory, which is only read — give a "
                                            "tensor with memory of its own, or NULL for a new one");
    assert_true(mine[0] == 7);
    ch_tensor *w = ch_neg(x), *copy = ch_detach(w);
    out[0] = w;
    assert_int_equal(ch_exec_run(e, 2, in, 1, out), CH_INVALID_ARGUMENT);
    assert_non_null(strstr(ch_error_message(), "out[0] shares its memory with another tensor"));
    assert_int_equal(ch_read_f32(copy, got, 2), CH_OK);
    assert_true(got[0] == -1);
    out[0] = ch_mul(x, x);
    assert_int_equal(ch_realize(out[0]), CH_OK);
    assert_int_equal(ch_exec_run(e, 2, in, 1, out), CH_OK);
    assert_int_not_equal(ch_check(ch_grad(ch_sum_all(out[0]), x)), CH_OK);
    assert_string_equal(ch_error_id(), "gradient_detached");
    ch_exec_release(e);
    ch_func_destroy(f);
}

static void donated_inputs_are_gone(void **state) {
    (void)state;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    assert_int_equal(ch_capture(twice, NULL, "x: f32[n], y: f32[n]", 1, &f), CH_OK);
    assert_int_equal(ch_compile(f, "interp", NULL, &e), CH_OK);
    float big[300];
    for (int i = 0; i < 300; i++) big[i] = (float)i;
    ch_tensor *x = ch_from_f32_at("x.c:1", big, 1, (int64_t[]){300}), *y = ch_from_f32(big, 1, (int64_t[]){300});
    ch_tensor *alias = ch_detach(y), *out[1] = {NULL};
    ch_run_options o = {.struct_size = sizeof o, .donate = (unsigned char[]){1, 1}};
    assert_int_equal(ch_exec_run_with(e, &o, 2, (ch_tensor *[]){x, x}, 1, out), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "run: @captured input 0 is donated and given again as input 1 — donate what is given once");
    assert_int_equal(ch_exec_run_with(e, &o, 2, (ch_tensor *[]){x, y}, 1, out), CH_OK);
    const float *sum = ch_data(out[0]), *kept = ch_data(alias);
    for (int i = 0; i < 300; i++) assert_true(sum[i] == 2 * big[i] && kept[i] == big[i]); // shared memory was only read
    assert_int_not_equal(ch_realize(ch_neg(x)), CH_OK);
    assert_string_equal(
        ch_error_message(),
        "x.c:1: this tensor was donated as input 0 of @captured — its memory was reused; keep a copy if it is needed");
    ch_release(out[0]);
    ch_exec_release(e);
    ch_func_destroy(f);
}

static char notices[65536];
static void on_notice(void *user, int level, const char *message) {
    (void)user, (void)level;
    strncat(notices, message, sizeof notices - strlen(notices) - 1);
}

static void the_pipeline_shows_its_passes(void **state) {
    (void)state;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    assert_int_equal(ch_capture(mlp_loss, NULL, mlp_signature, 1, &f), CH_OK);
    ch_set_log(on_notice, NULL);
    assert_int_equal(ch_compile(f, "interp", NULL, &e), CH_OK);
    ch_set_log(NULL, NULL);
    assert_non_null(strstr(notices, "after composites:\nfunc @captured"));
    assert_null(strstr(notices, "after optimize:")); // CHAAC_DEBUG of main
    assert_null(strstr(notices, "composite \""));
    ch_exec_release(e);
    ch_func_destroy(f);
}

static ch_status whole_mlp(void) {
    ch_scope s = ch_scope_begin();
    ch_func *f = NULL, *g = NULL;
    ch_exec *e = NULL;
    char *text = NULL;
    int64_t n = 2;
    ch_tensor *in[6] = {wave(0, 2, (int64_t[]){2, 7}), ch_from_i32((int32_t[]){0, 1}, 1, &n),
                        wave(1, 2, (int64_t[]){7, 5}), wave(2, 1, (int64_t[]){5}),
                        wave(3, 2, (int64_t[]){5, 3}), wave(4, 1, (int64_t[]){3})};
    ch_tensor *out[5] = {NULL};
    ch_status status = ch_capture(mlp_loss, NULL, mlp_signature, 1, &f);
    if (status == CH_OK) status = ch_value_and_grad(f, "w1, b1, w2, b2", &g);
    if (status == CH_OK) status = ch_func_to_text(g, &text);
    if (status == CH_OK) status = ch_compile(g, "interp", NULL, &e);
    if (status == CH_OK) status = ch_exec_run(e, 6, in, 5, out);
    for (int i = 0; i < 5; i++) ch_release(out[i]);
    ch_string_free(text);
    ch_exec_release(e);
    ch_func_destroy(g);
    ch_func_destroy(f);
    (void)ch_scope_end(s);
    ch_thread_end();
    return status;
}

// The n-th allocation fails, for every n, in capture, gradient, text, compile and run: a status each time, nothing
// kept.
static void memory_ends_anywhere(void **state) {
    (void)state;
    assert_int_equal(whole_mlp(), CH_OK);
    int64_t live = ch__alloc_live();
    int64_t n = 1;
    for (;; n++) {
        ch__alloc_fail_at(n, false);
        ch_status s = whole_mlp();
        ch__alloc_fail_at(0, false);
        if (s == CH_OK && n > 100) break;
        if (s != CH_OK && s != CH_RESOURCE_EXHAUSTED) fail_msg("allocation %d: %s", (int)n, ch_error_message());
        if (ch__alloc_live() != live)
            fail_msg("allocation %d: %d blocks are left", (int)n, (int)(ch__alloc_live() - live));
    }
    assert_true(n > 100);
}

int main(void) {
    setenv("CHAAC_DEBUG", "cse,composites", 1); // before the first use of the library
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_capture_serves_every_batch_size, end_thread),
        cmocka_unit_test_teardown(text_of_a_capture_reads_back, end_thread),
        cmocka_unit_test_teardown(a_composite_takes_its_operands, end_thread),
        cmocka_unit_test_teardown(sizes_that_stand_in_no_axis, end_thread),
        cmocka_unit_test_teardown(constants_from_outside, end_thread),
        cmocka_unit_test_teardown(mistakes, end_thread),
        cmocka_unit_test_teardown(without_a_callback, end_thread),
        cmocka_unit_test_teardown(sizes_that_have_to_be_equal, end_thread),
        cmocka_unit_test_teardown(the_pipeline_shows_its_passes, end_thread),
        cmocka_unit_test_teardown(outputs_own_their_memory, end_thread),
        cmocka_unit_test_teardown(donated_inputs_are_gone, end_thread),
        cmocka_unit_test_teardown(memory_ends_anywhere, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
