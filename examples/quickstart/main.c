// SPDX-License-Identifier: Apache-2.0
// main.c - the first half hour with Chaac: a gradient, a mistake and its message, a captured func for every size.
//
//     cc main.c $(pkg-config --cflags --libs chaac) && ./a.out
#include <chaac/chaac.h>
#include <stdio.h>
#include <string.h>

// 1. Operations build expressions; reading runs them. The gradient is an expression too.
static ch_status first_gradient(void) {
    const float data[] = {1, 2, 3, 4};
    ch_tensor *a = ch_from_f32(data, 2, (const int64_t[]){2, 2});
    ch_tensor *g = ch_grad(ch_sum_all(ch_dot(a, a)), a);
    float out[4];
    CH_TRY(ch_read_f32(g, out, 4));
    printf("gradient of sum(a.a): %g %g %g %g\n", out[0], out[1], out[2], out[3]);
    return CH_OK;
}

// 2. A wrong shape is reported by the one check at the end, with the line that made it.
static ch_status shape_mistake(void) {
    ch_tensor *a = ch_zeros(CH_F32, 2, (const int64_t[]){2, 2});
    ch_tensor *b = ch_zeros(CH_F32, 2, (const int64_t[]){3, 2});
    ch_tensor *y = ch_relu(ch_dot(a, b)); // 2 columns meet 3 rows
    if (ch_realize(y) == CH_OK) return CH_INTERNAL;
    const char *place = strstr(ch_error_message(), "main.c:"); // without the folder it was compiled in
    printf("%s\n", place ? place : ch_error_message());
    printf("%s: %s\n", ch_error_id(), ch_status_name(ch_check(y)));
    return CH_OK;
}

// 3. Captured once, a function over tensors is a program: it is differentiated, printed and run for any n.
static ch_status squares(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    ch_tensor *miss = ch_sub(ch_dot(in[0], in[2]), in[1]);
    out[0] = ch_sum_all(ch_mul(miss, miss));
    return CH_OK;
}

static ch_status capture(void) {
    ch_func *loss = NULL, *step = NULL;
    ch_exec *exec = NULL;
    CH_TRY(ch_capture(squares, NULL, "x: f64[n,2], y: f64[n], w: f64[2]", 1, &loss));
    CH_TRY(ch_value_and_grad(loss, "w", &step));
    CH_TRY(ch_compile(step, "interp", NULL, &exec));
    const double x[] = {1, 0, 0, 1, 1, 1}, y[] = {1, 2, 3}, w[] = {0, 0};
    for (int64_t n = 2; n <= 3; n++) {
        ch_tensor *in[] = {ch_from_f64(x, 2, (const int64_t[]){n, 2}), ch_from_f64(y, 1, &n),
                           ch_from_f64(w, 1, (const int64_t[]){2})};
        ch_tensor *out[2] = {NULL, NULL};
        double value, gradient[2];
        CH_TRY(ch_exec_run(exec, 3, in, 2, out));
        CH_TRY(ch_read_f64(out[0], &value, 1));
        CH_TRY(ch_read_f64(out[1], gradient, 2));
        printf("%d rows: loss %g, gradient %g %g\n", (int)n, value, gradient[0], gradient[1]);
        ch_release(out[0]);
        ch_release(out[1]);
    }
    ch_exec_release(exec);
    ch_func_destroy(step);
    ch_func_destroy(loss);
    return CH_OK;
}

int main(void) {
    if (first_gradient() != CH_OK || shape_mistake() != CH_OK || capture() != CH_OK) {
        fprintf(stderr, "%s\n", ch_error_message());
        return 1;
    }
    ch_thread_end();
    printf("quickstart OK\n");
    return 0;
}
