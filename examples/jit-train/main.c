// SPDX-License-Identifier: Apache-2.0
// main.c - a training step written as it is thought of: a loss, its gradient, assignments to the weights. A jit makes
// one program of it that is run for each batch; noise for the inputs comes from a random source that goes on from
// call to call.     cc main.c $(pkg-config --cflags --libs chaac) -lm
#include <chaac/chaac.h>
#include <stdio.h>

enum { BATCH = 32, STEPS = 300 };

typedef struct {
    ch_tensor *w, *b;
    ch_rng *noise;
} model;

// Learns y = 3 x0 - 2 x1 + 0.5 from points with noise.
static ch_status step(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                      ch_tensor **out) {
    (void)n_in, (void)n_vars, (void)vars, (void)n_out;
    model *m = user;
    ch_tensor *jitter = ch_rng_normal_like(ch_rng_key(m->noise), in[0]);
    ch_tensor *x = ch_add(in[0], ch_mul(jitter, ch_scalar(CH_F32, 0.01)));
    ch_tensor *error = ch_sub(ch_add(ch_dot(x, m->w), m->b), in[1]);
    ch_tensor *loss = ch_mean_all(ch_mul(error, error)), *of[2] = {m->w, m->b}, *grads[2];
    ch_grads(loss, 2, of, grads);
    for (int i = 0; i < 2; i++) CH_TRY(ch_assign(of[i], ch_sub(of[i], ch_mul(grads[i], ch_scalar(CH_F32, 0.1)))));
    out[0] = loss;
    return CH_OK;
}

static ch_status train(model *m, ch_rng *points) {
    ch_jit *jit = ch_jit_create("step", step, m, 1);
    ch_tensor *loss[1] = {NULL};
    if (jit == NULL) return CH_RESOURCE_EXHAUSTED;
    for (int i = 0; i < STEPS; i++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *x = ch_rng_normal(ch_rng_key(points), CH_F32, 2, (int64_t[]){BATCH, 2});
        ch_tensor *true_w = ch_from_f32((float[]){3, -2}, 1, (int64_t[]){2});
        ch_tensor *batch[2] = {x, ch_add(ch_dot(x, true_w), ch_scalar(CH_F32, 0.5))};
        CH_TRY(ch_jit_call(jit, 2, batch, 0, NULL, loss));
        CH_TRY(ch_scope_end(scope));
    }
    double last, w[2], b;
    CH_TRY(ch_item(loss[0], &last));
    CH_TRY(ch_read_f64(ch_convert(m->w, CH_F64), w, 2));
    CH_TRY(ch_item(m->b, &b));
    printf("w = %.1f %.1f, b = %.1f, loss below 0.01: %s\n", w[0], w[1], b, last < 0.01 ? "yes" : "no");
    ch_release(loss[0]);
    ch_jit_destroy(jit);
    return CH_OK;
}

int main(void) {
    ch_rng *points = NULL;
    model m = {ch_keep(ch_zeros(CH_F32, 1, (int64_t[]){2})), ch_keep(ch_zeros(CH_F32, 0, NULL)), NULL};
    ch_status s = ch_rng_create(1, &points);
    if (s == CH_OK) s = ch_rng_create(2, &m.noise);
    if (s == CH_OK) s = train(&m, points);
    if (s != CH_OK) fprintf(stderr, "%s\n", ch_error_message());
    ch_rng_destroy(points);
    ch_rng_destroy(m.noise);
    ch_release(m.w);
    ch_release(m.b);
    ch_thread_end();
    return s != CH_OK;
}
