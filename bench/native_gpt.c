// SPDX-License-Identifier: Apache-2.0
// native_gpt.c - the small GPT of bench_native (native_gpt.h), in the public API.
#include "native_gpt.h"

#include <math.h>
#include <string.h>

static const char *const layer_names[GPT_A_LAYER] = {"ln1g", "ln1b", "qkvw", "qkvb", "projw", "projb",
                                                     "ln2g", "ln2b", "fcw",  "fcb",  "outw",  "outb"};

// Part i of three of the last axis, as [batch, heads, tokens, width / heads].
static ch_tensor *heads_of(ch_tensor *qkv, int i) {
    ch_tensor *x = ch_slice_axis(qkv, 2, (int64_t)i * GPT_WIDTH, (int64_t)(i + 1) * GPT_WIDTH);
    x = ch_split_axis(x, 2, 2, (int64_t[]){GPT_HEADS, GPT_WIDTH / GPT_HEADS});
    return ch_swap_axes(x, 1, 2);
}

ch_tensor *gpt_attention(ch_tensor *qkv) {
    const ch_attention_options causal = {.struct_size = sizeof causal, .causal = 1};
    ch_tensor *q = heads_of(qkv, 0), *k = heads_of(qkv, 1), *v = heads_of(qkv, 2);
    return ch_merge_axes(ch_swap_axes(ch_attention(q, k, v, NULL, &causal), 1, 2), 2, 2);
}

ch_tensor *gpt_forward(void *spec, ch_tensor *const *p, ch_tensor *tokens) {
    const gpt_spec *s = spec;
    ch_tensor *h = ch_add(ch_embedding(p[0], tokens, -1), p[1]);
    p += 2;
    for (int k = 0; k < s->layers; k++, p += GPT_A_LAYER) {
        ch_tensor *qkv = ch_dense(ch_layer_norm(h, p[0], p[1], 1e-5), p[2], p[3]);
        h = ch_add(h, ch_dense(gpt_attention(qkv), p[4], p[5]));
        ch_tensor *inner = ch_gelu_tanh(ch_dense(ch_layer_norm(h, p[6], p[7], 1e-5), p[8], p[9]));
        h = ch_add(h, ch_dense(inner, p[10], p[11]));
    }
    return ch_dot(ch_layer_norm(h, p[0], p[1], 1e-5), p[2]);
}

static ch_tensor *parameter(const char *kind, uint32_t seed) {
    enum { D = GPT_WIDTH };
    static const struct {
        const char *name;
        int64_t dims[2];
    } shapes[] = {{"wte", {GPT_WORDS, D}},   {"wpe", {GPT_TOKENS, D}}, {"qkvw", {D, 3 * D}},
                  {"projw", {D, D}},         {"fcw", {D, 4 * D}},      {"outw", {4 * D, D}},
                  {"headw", {D, GPT_WORDS}}, {"qkvb", {3 * D, 0}},     {"fcb", {4 * D, 0}}};
    int64_t dims[2] = {D, 0};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(shapes[i].name, kind) == 0) memcpy(dims, shapes[i].dims, sizeof dims);
    bool table = kind[0] == 'w';
    if (dims[1] > 0) return bench_uniform(seed, CH_F32, 2, dims, table ? 0.02 : 1 / sqrt((double)dims[0]), 0);
    ch_tensor *t = ch_full(CH_F32, kind[strlen(kind) - 1] == 'g' ? 1 : 0, 1, dims);
    return ch_realize(t) == CH_OK ? ch_keep(t) : NULL;
}

ch_model *gpt_create(const gpt_spec *spec) {
    ch_model *m = NULL;
    uint32_t seed = 100;
    char name[32];
    ch_status s = ch_model_create(gpt_forward, (void *)(uintptr_t)spec, NULL, &m);
    if (s == CH_OK) s = ch_model_add(m, "wte", parameter("wte", seed++));
    if (s == CH_OK) s = ch_model_add(m, "wpe", parameter("wpe", seed++));
    for (int k = 0; k < spec->layers; k++)
        for (int i = 0; s == CH_OK && i < GPT_A_LAYER; i++) {
            snprintf(name, sizeof name, "h%d.%s", k, layer_names[i]);
            s = ch_model_add(m, name, parameter(layer_names[i], seed++));
        }
    static const char *const last[] = {"lnfg", "lnfb", "headw"};
    for (int i = 0; s == CH_OK && i < 3; i++) s = ch_model_add(m, last[i], parameter(last[i], seed++));
    return m;
}

ch_tensor *gpt_tokens(int from) {
    int32_t v[GPT_BATCH * GPT_TOKENS];
    for (uint32_t i = 0; i < GPT_BATCH; i++)
        for (uint32_t k = 0; k < GPT_TOKENS; k++)
            v[i * GPT_TOKENS + k] = (int32_t)(hashed(1, i * (GPT_TOKENS + 1) + k + (uint32_t)from) % GPT_WORDS);
    ch_tensor *t = ch_from_i32(v, 2, (int64_t[]){GPT_BATCH, GPT_TOKENS});
    return ch_realize(t) == CH_OK ? ch_keep(t) : NULL;
}
