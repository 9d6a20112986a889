// SPDX-License-Identifier: Apache-2.0
// native_gpt.h - the small GPT of bench_native: width 128, 4 heads, 128 tokens, vocabulary 256, batch 8.
//
// Blocks with the norms before, biases, learned positions, gelu in its tanh form, a head of its own without a bias.
#ifndef CHAAC_NATIVE_GPT_H
#define CHAAC_NATIVE_GPT_H

#include "native_bench.h"

typedef struct gpt_spec {
    int layers;
} gpt_spec;

enum { GPT_WIDTH = 128, GPT_HEADS = 4, GPT_TOKENS = 128, GPT_WORDS = 256, GPT_BATCH = 8, GPT_A_LAYER = 12 };

ch_model *gpt_create(const gpt_spec *spec); // spec is borrowed; NULL or a model that cannot be used: the error is set
ch_tensor *gpt_forward(void *spec, ch_tensor *const *params, ch_tensor *tokens);
ch_tensor *gpt_tokens(int from); // 0: what is read, 1: what comes next
// Attention of heads GPT_HEADS over x [.., tokens, 3 width] with queries, keys and values side by side.
ch_tensor *gpt_attention(ch_tensor *qkv);

#endif
