// SPDX-License-Identifier: Apache-2.0
// test_nn_text.c - the small Llama learns text: 600 steps on the native engine, against the curve that PyTorch gives.
//
// The loss of the test after each 100 steps is within 0.03 of the reference; the losses of the first 20 steps within
// 1e-4 (products are summed in another order than the interpreter's, which test_nn_models.c holds to 2e-6). Then it
// goes on with a text, greedily, as the reference does.
#include "base/base.h"
#include "chaac/chaac.h"
#include "native/native.h"

#include "unit.h"

#include "small_llama.h"

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

// What the network goes on with after `text`, byte by byte, the likeliest each time. Attention is causal: what stands
// behind the bytes so far changes nothing, so one shape serves all of them.
static void go_on(ch_trainer *t, char *text, int to) {
    int32_t ids[ROW - 1] = {0};
    int n = (int)strlen(text);
    for (int i = 0; i < n; i++) ids[i] = (uint8_t)text[i];
    for (; n < to; n++) {
        ch_scope s = ch_scope_begin();
        ch_tensor *x = ch_from_i32(ids, 2, (int64_t[]){1, ROW - 1}), *logits = NULL;
        if (ch_trainer_predict(t, x, &logits) != CH_OK) fail_msg("%s", ch_error_message());
        ch_tensor *row = ch_slice(logits, 3, (int64_t[]){0, n - 1, 0}, (int64_t[]){1, n, CH_END}, NULL);
        ch_tensor *best = ch_convert(ch_argmax(ch_reshape(row, 1, (int64_t[]){VOCAB}), 0), CH_I32);
        if (ch_read_i32(best, &ids[n], 1) != CH_OK) fail_msg("%s", ch_error_message());
        text[n] = (char)ids[n];
        ch_release(logits);
        assert_int_equal(ch_scope_end(s), CH_OK);
    }
    text[n] = '\0';
}

// The text that transformers' generate gives for the network it trained, byte for byte, as long as the likeliest byte
// is ahead of the next by 1e-3, which the reference scripts ask for.
enum { GREEDY = 126, PROMPT = 6 };
static void goes_on_as_the_reference(ch_trainer *t, const char *reference) {
    double want[GREEDY];
    char text[ROW] = {0};
    int32_t ids[ROW - 1] = {0};
    reference_numbers(reference, "greedy", want, GREEDY);
    for (int i = 0; i < GREEDY; i++) ids[i] = (int32_t)want[i];
    for (int i = 0; i < PROMPT; i++) text[i] = (char)ids[i];
    go_on(t, text, GREEDY);
    ch_scope s = ch_scope_begin();
    ch_tensor *logits = NULL;
    if (ch_trainer_predict(t, ch_from_i32(ids, 2, (int64_t[]){1, ROW - 1}), &logits) != CH_OK)
        fail_msg("%s", ch_error_message());
    static float rows[(ROW - 1) * VOCAB];
    assert_int_equal(ch_read_f32(logits, rows, (ROW - 1) * VOCAB), CH_OK);
    ch_release(logits);
    assert_int_equal(ch_scope_end(s), CH_OK);
    double least = INFINITY;
    int same = GREEDY;
    for (int i = GREEDY - 1; i >= PROMPT; i--) {
        const float *row = rows + (i - 1) * VOCAB;
        double ahead = INFINITY;
        for (int c = 0; c < VOCAB; c++)
            if (c != ids[i]) ahead = fmin(ahead, (double)row[ids[i]] - (double)row[c]);
        assert_true(ahead > -0.05); // the reference's byte is the likeliest here too, or as good as
        least = fmin(least, ahead);
        if (ahead < 1e-3) same = i;
    }
    for (int i = 0; i < same; i++) assert_int_equal(text[i], (char)ids[i]);
    for (char *c = text; *c; c++) *c = *c == '\n' ? '/' : *c;
    print_message("# it goes on: %s\n# %d bytes compared; the likeliest is ahead by at least %.2g\n", text, same,
                  least);
    assert_true(same >= 12);
}

static void the_whole_curve(void **state) {
    (void)state;
    if (ch__native_compiler() == NULL) CH_SKIP("no C compiler; the interpreter takes a quarter of an hour");
    char *reference = reference_read("tests/data/charlm.txt"), *bytes = NULL;
    size_t n = 0;
    assert_int_equal(ch__file_read("tests/data/charlm_rows.bin", 0, &bytes, &n), CH_OK);
    assert_int_equal(n, (TEXT_STEPS * 8 + TEST) * ROW);
    ch_trainer *t = NULL;
    ch_model *m = llama(CH_F32, false);
    const ch_param_group norms = {"*norm*", 1, 0};
    const ch_trainer_options o = {
        .struct_size = sizeof o, .engine = "native", .clip_norm = 1, .n_groups = 1, .groups = &norms};
    ch_optimizer adamw = ch_adamw(3e-3, 0.1);
    adamw.beta2 = 0.99;
    if (ch_trainer_create_with(m, given_targets, adamw, &o, &t) != CH_OK) fail_msg("%s", ch_error_message());
    double first[20], worst = 0;
    reference_numbers(reference, "first20 f32", first, 20);
    for (int i = 0; i < TEXT_STEPS; i++) {
        double loss = 0;
        ch_tensor *x, *y;
        ch_scope s = ch_scope_begin();
        rows_of(bytes + i * 8 * ROW, 8, &x, &y);
        if (ch_trainer_step(t, x, y, &loss) != CH_OK) fail_msg("%s", ch_error_message());
        if (i < 20) worst = fmax(worst, fabs(loss - first[i]));
        if ((i + 1) % 100 == 0) {
            char key[32];
            double want, got = test_loss(t, bytes + TEXT_STEPS * 8 * ROW);
            snprintf(key, sizeof key, "test %d", i + 1);
            reference_numbers(reference, key, &want, 1);
            print_message("# loss of the test after %d steps: %.4f, the reference %.4f\n", i + 1, got, want);
            assert_true(fabs(got - want) <= 0.03);
        }
        assert_int_equal(ch_scope_end(s), CH_OK);
    }
    print_message("# largest distance of 20 losses: %.2g\n", worst);
    assert_true(worst <= 1e-4);
    goes_on_as_the_reference(t, reference);
    ch_trainer_destroy(t);
    ch_model_destroy(m);
    ch__free(bytes);
    ch__free(reference);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(the_whole_curve, end_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
