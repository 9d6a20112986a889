// SPDX-License-Identifier: Apache-2.0
// main.c - the loss of a model and its gradient as funcs that can be read, then descent by hand.
//     cc main.c $(pkg-config --cflags --libs chaac)
#include <chaac/chaac.h>
#include <stdio.h>

static ch_tensor *loss(void *user, const ch_model *m, ch_tensor *const *params, int n_in, ch_tensor *const *in) {
    (void)user, (void)n_in;
    return ch_mse(ch_model_forward_with(m, params, in[0]), in[1]);
}

static ch_status run(ch_model *m) {
    ch_step *s;
    CH_TRY(ch_step_capture(m, "x: f32[n,1], y: f32[n,1]", NULL, loss, NULL, &s)); // inputs, then parameters
    const ch_func *g = ch_step_gradient(s);                                       // ch_func_print(g, stdout) shows it
    for (int i = 0; i < ch_func_num_results(g); i++)
        printf("%s: %s\n", ch_func_result_name(g, i), ch_func_result_type(g, i));
    ch_tensor *x = ch_from_f32((float[]){-1, 0, 1, 2}, 2, (int64_t[]){4, 1});
    ch_tensor *y = ch_from_f32((float[]){-1, 1, 3, 5}, 2, (int64_t[]){4, 1}); // y = 2 x + 1
    ch_tensor *grads[2] = {NULL};
    double value = 0;
    for (int i = 0; i < 200; i++) {
        CH_TRY(ch_step_run(s, m, (ch_tensor *[]){x, y}, &value, grads));
        for (int p = 0; p < ch_step_num_grads(s); p++) {
            ch_scope scope = ch_scope_begin();
            ch_tensor *better = ch_sub(ch_model_param(m, p), ch_mul(grads[p], ch_scalar(CH_F32, 0.2)));
            CH_TRY(ch_realize(better));
            CH_TRY(ch_model_set(m, p, ch_keep(better)));
            CH_TRY(ch_scope_end(scope));
        }
    }
    double weight, bias;
    CH_TRY(ch_item(ch_model_param(m, 0), &weight));
    CH_TRY(ch_item(ch_model_param(m, 1), &bias));
    printf("loss %.6f: y = %.3f x + %.3f\n", value, weight, bias);
    for (int p = 0; p < 2; p++) ch_release(grads[p]);
    ch_step_destroy(s);
    return CH_OK;
}

int main(void) {
    ch_model *m = ch_mlp((int64_t[]){1, 1}, 2, CH_IDENTITY, ch_key_make(1));
    ch_status s = m == NULL ? CH_INTERNAL : run(m);
    if (s != CH_OK) fprintf(stderr, "%s\n", ch_error_message());
    ch_model_destroy(m);
    ch_thread_end();
    return s == CH_OK ? 0 : 1;
}
