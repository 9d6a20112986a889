// SPDX-License-Identifier: Apache-2.0
// main.c - a transformer layer that decodes one position after another: its keys and values stay in a cache that is
// written in place, and the place is a variable of a jit. One capture serves all 200 positions.
//     cc main.c $(pkg-config --cflags --libs chaac) -lm
#include <chaac/chaac.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 16, POSITIONS = 200 };

typedef struct {
    ch_tensor *query, *key, *value, *up, *down; // weights
    ch_tensor *keys, *values;                   // the cache: f32[POSITIONS,WIDTH]
    int runs;
} layer;

static ch_tensor *weights(ch_rng *r, int64_t rows, int64_t columns) {
    ch_tensor *w = ch_rng_normal(ch_rng_key(r), CH_F32, 2, (int64_t[]){rows, columns});
    return ch_keep(ch_mul(w, ch_scalar(CH_F32, 1 / sqrt((double)rows))));
}

// What x, f32[n,WIDTH], makes of the keys and values it may see; the same code for one position and for all of them.
static ch_tensor *attend(const layer *l, ch_tensor *x, ch_tensor *keys, ch_tensor *values, ch_tensor *mask) {
    ch_tensor *scores = ch_mul(ch_dot(ch_dot(x, l->query), ch_transpose(keys, 2, (int[]){1, 0})),
                               ch_scalar(CH_F32, 1 / sqrt((double)WIDTH)));
    if (mask != NULL) scores = ch_select(mask, scores, ch_scalar(CH_F32, -1e30));
    ch_tensor *h = ch_add(x, ch_dot(ch_softmax(scores, 1), values));
    return ch_add(h, ch_dot(ch_tanh(ch_dot(h, l->up)), l->down));
}

static ch_status decode(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                        ch_tensor **out) {
    (void)n_in, (void)n_vars, (void)n_out;
    layer *l = user;
    l->runs++;
    CH_TRY(ch_assign(ch_bind_slice(l->keys, 0, vars[0], 1), ch_dot(in[0], l->key)));
    CH_TRY(ch_assign(ch_bind_slice(l->values, 0, vars[0], 1), ch_dot(in[0], l->value)));
    out[0] = attend(l, in[0], ch_bind_first(l->keys, 0, vars[1]), ch_bind_first(l->values, 0, vars[1]), NULL);
    return CH_OK;
}

// All positions at once, each seeing itself and those before it.
static ch_tensor *whole(const layer *l, ch_tensor *x) {
    int64_t square[2] = {POSITIONS, POSITIONS};
    ch_tensor *sees = ch_ge(ch_iota(CH_I32, 2, square, 0), ch_iota(CH_I32, 2, square, 1));
    return attend(l, x, ch_dot(x, l->key), ch_dot(x, l->value), sees);
}

static ch_status decode_all(layer *l, ch_tensor *x, double *most) {
    ch_var *at = ch_var_create("at", 0, POSITIONS - 1), *length = ch_var_create("length", 1, POSITIONS);
    ch_jit *jit = ch_jit_create("decode", decode, l, 1);
    ch_tensor *out[1] = {NULL}, *expected = whole(l, x);
    if (at == NULL || length == NULL || jit == NULL) return CH_RESOURCE_EXHAUSTED;
    CH_TRY(ch_realize(expected));
    for (int i = 0; i < POSITIONS; i++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *row = ch_add(ch_slice_axis(x, 0, i, i + 1), ch_scalar(CH_F32, 0)); // a tensor of its own
        ch_bind vars[2] = {ch_bind_value(at, i), ch_bind_value(length, i + 1)};
        CH_TRY(ch_jit_call(jit, 1, &row, 2, vars, out));
        double difference;
        CH_TRY(ch_item(ch_amax(ch_abs(ch_sub(out[0], ch_slice_axis(expected, 0, i, i + 1))), 2, (int[]){0, 1}),
                       &difference));
        if (difference > *most) *most = difference;
        CH_TRY(ch_scope_end(scope));
    }
    ch_release(out[0]);
    ch_jit_destroy(jit);
    ch_var_destroy(at);
    ch_var_destroy(length);
    return CH_OK;
}

int main(void) {
    ch_rng *r;
    if (ch_rng_create(1, &r) != CH_OK) return 1;
    const int64_t cache[2] = {POSITIONS, WIDTH};
    layer l = {weights(r, WIDTH, WIDTH),
               weights(r, WIDTH, WIDTH),
               weights(r, WIDTH, WIDTH),
               weights(r, WIDTH, 4 * WIDTH),
               weights(r, 4 * WIDTH, WIDTH),
               ch_keep(ch_zeros(CH_F32, 2, cache)),
               ch_keep(ch_zeros(CH_F32, 2, cache)),
               0};
    ch_tensor *x = ch_rng_normal(ch_rng_key(r), CH_F32, 2, cache);
    double most = 0;
    if (decode_all(&l, x, &most) != CH_OK) {
        fprintf(stderr, "%s\n", ch_error_message());
        return 1;
    }
    printf("%d positions, the function ran %d times\n", POSITIONS, l.runs);
    printf("all positions at once differ by less than 1e-5: %s\n", most < 1e-5 ? "yes" : "no");
    ch_tensor *kept[] = {l.query, l.key, l.value, l.up, l.down, l.keys, l.values};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) ch_release(kept[i]);
    ch_rng_destroy(r);
    ch_thread_end();
    return most < 1e-5 && l.runs == 2 ? 0 : 1;
}
