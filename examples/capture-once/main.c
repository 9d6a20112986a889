// SPDX-License-Identifier: Apache-2.0
// main.c - capture once, compile once, run every step, for every batch size.
//     cc main.c $(pkg-config --cflags --libs chaac)
#include <chaac/chaac.h>
#include <stdio.h>

static ch_status loss(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    ch_tensor *h = ch_relu(ch_add(ch_dot(in[0], in[2]), in[3])); // in: x y w1 b1 w2 b2
    ch_tensor *logits = ch_add(ch_dot(h, in[4]), in[5]);
    out[0] = ch_cross_entropy(logits, in[1]);
    return CH_OK;
}

static ch_tensor *numbers(int64_t rows, int64_t columns) { // 0.1 0.2 ... 0.9 0.1 ...
    float v[64];
    for (int i = 0; i < rows * columns; i++) v[i] = 0.1f * (float)(i % 9 + 1);
    return ch_from_f32(v, columns == 1 ? 1 : 2, (int64_t[]){rows, columns});
}

static ch_status run(void) {
    const char *signature = "x: f32[n,4], y: i32[n], w1: f32[4,8], b1: f32[8], w2: f32[8,3], b2: f32[3]";
    ch_func *f, *step;
    ch_exec *exec;
    CH_TRY(ch_capture(loss, NULL, signature, 1, &f));
    CH_TRY(ch_value_and_grad(f, "w1, b1, w2, b2", &step)); // a func like any other
    printf("%lld operations give the loss, %lld the loss and its gradient\n", (long long)ch_func_num_ops(f),
           (long long)ch_func_num_ops(step));
    CH_TRY(ch_compile(step, "interp", NULL, &exec));
    ch_tensor *out[5] = {NULL}; // NULL allocates; given, they are written into
    for (int64_t n = 1; n <= 3; n++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *y = ch_from_i32((int32_t[]){0, 2, 1}, 1, &n);
        ch_tensor *in[6] = {numbers(n, 4), y, numbers(4, 8), numbers(8, 1), numbers(8, 3), numbers(3, 1)};
        CH_TRY(ch_exec_run(exec, 6, in, 5, out));
        double value;
        CH_TRY(ch_item(out[0], &value));
        printf("batch of %lld: loss %.4f\n", (long long)n, value);
        CH_TRY(ch_scope_end(scope));
    }
    for (int i = 0; i < 5; i++) ch_release(out[i]);
    ch_exec_release(exec);
    ch_func_destroy(step);
    ch_func_destroy(f);
    return CH_OK;
}

int main(void) {
    ch_status s = run();
    if (s != CH_OK) fprintf(stderr, "%s\n", ch_error_message());
    ch_thread_end();
    return s == CH_OK ? 0 : 1;
}
