// SPDX-License-Identifier: Apache-2.0
// small_llama.h - the network of tiny_llama.json and charlm.json: a Llama of hidden size 64, 2 layers, 256 tokens, with
// the weights of the reference scripts' formula; and rows of text for it (tests/data/charlm_rows.bin).
#ifndef CHAAC_TESTS_UNIT_SMALL_LLAMA_H
#define CHAAC_TESTS_UNIT_SMALL_LLAMA_H

#include "chaac/chaac.h"

#include "reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

// ---- weights of the formula, as dtype; owned by the caller
static inline ch_tensor *weight(uint64_t seed, double bound, double offset, ch_dtype dtype, int rank,
                                const int64_t *dims) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    float *v = malloc((size_t)(n + 1) * sizeof *v);
    for (int64_t i = 0; i < n; i++) {
        v[i] = reference_uniform(seed, i, bound);
        if (offset != 0) v[i] = (float)(offset + (double)v[i]);
    }
    ch_scope s = ch_scope_begin();
    ch_tensor *t = ch_convert(ch_from_f32(v, rank, dims), dtype);
    if (ch_realize(t) != CH_OK) fail_msg("%s", ch_error_message());
    ch_keep(t);
    assert_int_equal(ch_scope_end(s), CH_OK);
    free(v);
    return t;
}

static inline void add(ch_model *m, const char *name, ch_tensor *t) {
    if (ch_model_add(m, name, t) != CH_OK) fail_msg("%s", ch_error_message());
}

// ---- the small Llama: hidden 64, 2 layers, 4 heads, 2 of keys, inner 128, 256 tokens. Weights [out, in], as its files
enum { HIDDEN = 64, LAYERS = 2, INNER = 128, VOCAB = 256, PER_LAYER = 9, RANK = 8 };
enum { BASE = 3 + LAYERS * PER_LAYER };
static const char *const layer_names[PER_LAYER] = {
    "self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight",
    "self_attn.o_proj.weight", "mlp.gate_proj.weight",    "mlp.up_proj.weight",
    "mlp.down_proj.weight",    "input_layernorm.weight",  "post_attention_layernorm.weight"};

static inline ch_tensor *turned(ch_tensor *w) { return ch_transpose(w, 2, NULL); }

// w x + 2 B A x, when there are A and B
static inline ch_tensor *adapted(ch_tensor *w, ch_tensor *const *ab) {
    if (ab == NULL) return turned(w);
    return turned(ch_add(w, ch_mul(ch_dot(ab[1], ab[0]), ch_full_like(w, 2))));
}

// user: not NULL for adapters on q and v, which follow the parameters: A, B of each layer's q, then v
static inline ch_tensor *llama_forward(void *user, ch_tensor *const *p, ch_tensor *ids) {
    ch_tensor *h = ch_embedding(p[0], ids, -1);
    ch_tensor *const *ab = user == NULL ? NULL : p + BASE;
    for (int l = 0; l < LAYERS; l++) {
        ch_tensor *const *w = p + 1 + l * PER_LAYER, *const *own = ab == NULL ? NULL : ab + 4 * l;
        const ch_block_weights b = {.norm1 = w[7],
                                    .norm2 = w[8],
                                    .attention = {.wq = adapted(w[0], own),
                                                  .wk = turned(w[1]),
                                                  .wv = adapted(w[2], own == NULL ? NULL : own + 2),
                                                  .wo = turned(w[3])},
                                    .w_gate = turned(w[4]),
                                    .w_up = turned(w[5]),
                                    .w_down = turned(w[6])};
        const ch_block_layer o = {
            .struct_size = sizeof o,
            .epsilon = 1e-5,
            .attention = {
                .struct_size = sizeof o.attention, .heads = 4, .kv_heads = 2, .causal = 1, .rope_base = 10000}};
        h = ch_transformer_block(h, NULL, NULL, &b, &o);
    }
    return ch_dense(ch_rms_norm(h, p[BASE - 2], 1e-5), turned(p[BASE - 1]), NULL);
}

static inline ch_model *llama(ch_dtype dtype, bool adapters) {
    static int yes;
    const int64_t shapes[PER_LAYER][2] = {{64, 64},    {32, 64},    {32, 64},   {64, 64},
                                          {INNER, 64}, {INNER, 64}, {64, INNER}};
    ch_model *m = NULL;
    uint64_t seed = 1;
    assert_int_equal(ch_model_create(llama_forward, adapters ? &yes : NULL, NULL, &m), CH_OK);
    add(m, "model.embed_tokens.weight", weight(seed++, 1, 0, dtype, 2, (int64_t[]){VOCAB, HIDDEN}));
    for (int l = 0; l < LAYERS; l++)
        for (int i = 0; i < PER_LAYER; i++, seed++) {
            char name[96];
            snprintf(name, sizeof name, "model.layers.%d.%s", l, layer_names[i]);
            add(m, name,
                i >= 7 ? weight(seed, 0.1, 1, dtype, 1, (int64_t[]){HIDDEN})
                       : weight(seed, 1 / sqrt((double)shapes[i][1]), 0, dtype, 2, shapes[i]));
        }
    add(m, "model.norm.weight", weight(seed++, 0.1, 1, dtype, 1, (int64_t[]){HIDDEN}));
    add(m, "lm_head.weight", weight(seed++, 1 / 8.0, 0, dtype, 2, (int64_t[]){VOCAB, HIDDEN}));
    for (int i = 0; adapters && i < 2 * LAYERS; i++) {
        char name[96];
        snprintf(name, sizeof name, "lora.%d.A", i);
        add(m, name, weight((uint64_t)(1000 + i), 1 / 8.0, 0, dtype, 2, (int64_t[]){RANK, HIDDEN}));
        snprintf(name, sizeof name, "lora.%d.B", i);
        add(m, name, weight(1, 0, 0, dtype, 2, (int64_t[]){i % 2 == 0 ? 64 : 32, RANK}));
    }
    return m;
}

// ---- rows of 129 bytes: those of 600 steps of 8, then those of the test
enum { ROW = 129, TEXT_STEPS = 600, TEST = 64 };
static inline ch_tensor *given_targets(ch_tensor *logits, ch_tensor *y) { return ch_cross_entropy(logits, y); }

// Rows as inputs and what follows each.
static inline void rows_of(const char *bytes, int n, ch_tensor **x, ch_tensor **y) {
    int32_t ids[TEST * ROW];
    for (int i = 0; i < n * ROW; i++) ids[i] = (uint8_t)bytes[i];
    ch_tensor *rows = ch_from_i32(ids, 2, (int64_t[]){n, ROW});
    *x = ch_slice_axis(rows, 1, 0, ROW - 1);
    *y = ch_slice_axis(rows, 1, 1, ROW);
}

static inline double test_loss(ch_trainer *t, const char *bytes) {
    ch_tensor *x, *y, *logits = NULL;
    double loss = 0;
    rows_of(bytes, TEST, &x, &y);
    if (ch_trainer_predict(t, x, &logits) != CH_OK || ch_item(ch_cross_entropy(logits, y), &loss) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_release(logits);
    return loss;
}

#endif
