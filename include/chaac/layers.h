// SPDX-License-Identifier: Apache-2.0
// layers.h - layers of neural networks as functions of tensors and weights: convolution, pooling, normalization,
// dropout, embedding, recurrence, attention.
//
// A layer owns nothing: weights, running statistics and random keys are arguments, what changes is a result. Each is a
// composite of that name over primitives, so it is differentiated by the rules there are and stands as one operation
// in the IR. All floating operands of a call have one dtype (f16, bf16, f32, f64), which is the result's; sums
// accumulate in f64. Sizes that stand for batches, and wherever it says so others, may be symbolic in a capture.
// Mistakes are error tensors with the caller's line: shape_mismatch, rank or dtype_mismatch from the operation that
// does not fit, argument for options that cannot be. Options are zero-initialized structs with struct_size set; zero
// fields mean the default.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_tensor *x = ch_ones(CH_F32, 4, (int64_t[]){2, 3, 8, 8}), *w = ch_ones(CH_F32, 4, (int64_t[]){4, 3, 3, 3});
//     ch_tensor *y = ch_conv2d(x, w, NULL, &(ch_conv_layer){.struct_size = sizeof(ch_conv_layer),
//                                                           .padding = CH_PAD_SAME, .stride = {2, 2}});
//     char type[64];
//     ch_tensor_type(ch_adaptive_avg_pool(y, 2, (int64_t[]){1, 1}), type, sizeof type);
//     printf("%s\n", type);   // f32[2,4,1,1]
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_LAYERS_H
#define CHAAC_LAYERS_H

#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- dense
// x [..., in] times w [in, out] plus b [out]; b may be NULL.
CH_API ch_tensor *ch_dense_at(const char *where, ch_tensor *x, ch_tensor *w, ch_tensor *b);
#define ch_dense(...) ch_dense_at(CH_WHERE, __VA_ARGS__)
typedef enum ch_activation { CH_IDENTITY, CH_RELU, CH_GELU, CH_GELU_TANH, CH_SILU, CH_TANH, CH_SIGMOID } ch_activation;
CH_API ch_tensor *ch_activate_at(const char *where, ch_tensor *x, ch_activation a);
#define ch_activate(...) ch_activate_at(CH_WHERE, __VA_ARGS__)

// ---- convolution (LeCun et al. 1989): no reversal of the kernel, as every framework
typedef enum ch_padding {
    CH_PAD_EXPLICIT, // by pad; none when it is zero
    CH_PAD_VALID,    // none
    CH_PAD_SAME      // so that the result has ceil(size / stride) entries; the odd one at the end
} ch_padding;
typedef enum ch_pad_mode {
    CH_PAD_ZEROS,
    CH_PAD_CIRCULAR, // what comes from the other end; at most the size
    CH_PAD_REFLECT,  // mirrored at the border element, which is not repeated; less than the size
    CH_PAD_REPLICATE // the border element repeated
} ch_pad_mode;
typedef struct ch_conv_layer {
    size_t struct_size; // sizeof(ch_conv_layer)
    ch_padding padding;
    ch_pad_mode mode;
    int64_t pad[3][2];              // before and after, for each spatial axis
    int64_t stride[3], dilation[3]; // 0: 1
    int64_t groups;                 // 0: 1
    int64_t output_padding[3];      // transposed only
} ch_conv_layer;
// x [batch, in, length], w [out, in / groups, width], b [out] or NULL: [batch, out, length']. Sizes of x may be
// symbolic, but with CH_PAD_SAME and a stride the length; the width of w may not. options may be NULL.
CH_API ch_tensor *ch_conv1d_at(const char *where, ch_tensor *x, ch_tensor *w, ch_tensor *b,
                               const ch_conv_layer *options);
#define ch_conv1d(...) ch_conv1d_at(CH_WHERE, __VA_ARGS__)
// The same over rows and columns: x [batch, in, rows, columns], w [out, in / groups, height, width].
CH_API ch_tensor *ch_conv2d_at(const char *where, ch_tensor *x, ch_tensor *w, ch_tensor *b,
                               const ch_conv_layer *options);
#define ch_conv2d(...) ch_conv2d_at(CH_WHERE, __VA_ARGS__)
// Transposed convolution over n = 1 to 3 spatial axes: the adjoint of the convolution with these options, plus b. x
// [batch, in, ...], w [in, out / groups, ...]; each axis gets (size - 1) stride - pad + dilation (width - 1) +
// output_padding + 1 entries (Dumoulin and Visin 2016). Padding is explicit and of zeros.
CH_API ch_tensor *ch_conv_transpose_at(const char *where, ch_tensor *x, ch_tensor *w, ch_tensor *b,
                                       const ch_conv_layer *options);
#define ch_conv_transpose(...) ch_conv_transpose_at(CH_WHERE, __VA_ARGS__)

// ---- pooling over the last n axes, n 1 to 3
typedef struct ch_pool_layer {
    size_t struct_size; // sizeof(ch_pool_layer)
    int64_t window[3];
    int64_t stride[3];   // 0: the window
    int64_t pad[3][2];   // before and after; less than the window
    int64_t dilation[3]; // 0: 1
    int count_padding;   // averages: padded places count as elements (of value 0); 0: they do not
} ch_pool_layer;
// The largest element of each window; the derivative goes to the first of equals.
CH_API ch_tensor *ch_pool_max_at(const char *where, ch_tensor *x, int n, const ch_pool_layer *options);
#define ch_pool_max(...) ch_pool_max_at(CH_WHERE, __VA_ARGS__)
// The mean of each window.
CH_API ch_tensor *ch_pool_avg_at(const char *where, ch_tensor *x, int n, const ch_pool_layer *options);
#define ch_pool_avg(...) ch_pool_avg_at(CH_WHERE, __VA_ARGS__)
// Windows chosen so that the result has the given sizes: entry i of an axis covers floor(i size / out) to ceil((i + 1)
// size / out). The pooled sizes of x are known numbers, unless out is 1.
CH_API ch_tensor *ch_adaptive_avg_pool_at(const char *where, ch_tensor *x, int n, const int64_t *out);
#define ch_adaptive_avg_pool(...) ch_adaptive_avg_pool_at(CH_WHERE, __VA_ARGS__)
CH_API ch_tensor *ch_adaptive_max_pool_at(const char *where, ch_tensor *x, int n, const int64_t *out);
#define ch_adaptive_max_pool(...) ch_adaptive_max_pool_at(CH_WHERE, __VA_ARGS__)

// ---- normalization; along the last axis: ch_layer_norm and ch_rms_norm of ops.h
// x [batch, features, ...] by given statistics mean and var [features]: (x - mean) / sqrt(var + epsilon) gain + bias,
// both [features] (Ioffe and Szegedy 2015). For use after training.
CH_API ch_tensor *ch_batch_norm_at(const char *where, ch_tensor *x, ch_tensor *gain, ch_tensor *bias, ch_tensor *mean,
                                   ch_tensor *var, double epsilon);
#define ch_batch_norm(...) ch_batch_norm_at(CH_WHERE, __VA_ARGS__)
// By the statistics of the batch itself. out: the result, then the running mean and variance for the next step, (1 -
// momentum) running + momentum of the batch (the variance with n - 1; a batch of one value a feature makes it
// infinite). No gradient passes to the running statistics.
CH_API void ch_batch_norm_train_at(const char *where, ch_tensor *x, ch_tensor *gain, ch_tensor *bias, ch_tensor *mean,
                                   ch_tensor *var, double momentum, double epsilon, ch_tensor *out[3]);
#define ch_batch_norm_train(...) ch_batch_norm_train_at(CH_WHERE, __VA_ARGS__)
// x [batch, features, ...] by mean and variance of each of `groups` groups of features of each example; gain and bias
// [features] (Wu and He 2018). groups = features: instance norm; 1: layer norm over all.
CH_API ch_tensor *ch_group_norm_at(const char *where, ch_tensor *x, int64_t groups, ch_tensor *gain, ch_tensor *bias,
                                   double epsilon);
#define ch_group_norm(...) ch_group_norm_at(CH_WHERE, __VA_ARGS__)

// ---- dropout and embedding
// Each element 0 with probability rate, else divided by 1 - rate (Srivastava et al. 2014); which ones, the key (u32[2])
// says: the same key drops the same. rate from 0 up to, not including, 1.
CH_API ch_tensor *ch_dropout_at(const char *where, ch_tensor *x, ch_tensor *key, double rate);
#define ch_dropout(...) ch_dropout_at(CH_WHERE, __VA_ARGS__)
// Rows of table [entries, dim] by integers [...]: [..., dim]. The row `padding` (negative: none) gets no gradient.
// Numbers that are no row are clamped.
CH_API ch_tensor *ch_embedding_at(const char *where, ch_tensor *table, ch_tensor *ids, int64_t padding);
#define ch_embedding(...) ch_embedding_at(CH_WHERE, __VA_ARGS__)

// ---- recurrence: a `for` over the steps of x [batch, steps, in]; both sizes may be symbolic
typedef struct ch_recurrent_weights {
    ch_tensor *w_in;         // [in, gates * hidden], the gates side by side
    ch_tensor *w_hid;        // [hidden, gates * hidden]
    ch_tensor *b_in, *b_hid; // [gates * hidden], or both NULL
} ch_recurrent_weights;
typedef struct ch_recurrent_layer {
    size_t struct_size; // sizeof(ch_recurrent_layer)
    int backwards;      // from the last step to the first; results lie at the steps they are of
    const char *policy; // of the loop for gradients: ch_for_policy; NULL: store
} ch_recurrent_layer;
// Gates reset, update, new (Cho et al. 2014): r = s(a_r + b_r), z = s(a_z + b_z), n = tanh(a_n + r b_n), h' = (1 - z)
// n + z h, with a = x w_in + b_in, b = h w_hid + b_hid. h0 [batch, hidden], NULL: zeros. out: all h [batch, steps,
// hidden], the last h. options may be NULL.
CH_API void ch_gru_at(const char *where, ch_tensor *x, ch_tensor *h0, const ch_recurrent_weights *weights,
                      const ch_recurrent_layer *options, ch_tensor *out[2]);
#define ch_gru(...) ch_gru_at(CH_WHERE, __VA_ARGS__)
// Gates input, forget, cell, output (Hochreiter and Schmidhuber 1997; Gers et al. 2000): c' = s(f) c + s(i) tanh(g),
// h' = s(o) tanh(c'). h0 and c0 [batch, hidden], NULL: zeros. out: all h, the last h, the last c.
CH_API void ch_lstm_at(const char *where, ch_tensor *x, ch_tensor *h0, ch_tensor *c0,
                       const ch_recurrent_weights *weights, const ch_recurrent_layer *options, ch_tensor *out[3]);
#define ch_lstm(...) ch_lstm_at(CH_WHERE, __VA_ARGS__)

// ---- attention (Vaswani et al. 2017)
typedef struct ch_attention_options {
    size_t struct_size; // sizeof(ch_attention_options)
    int causal;         // query i of the last ones sees keys up to its own place
    int64_t window;     // and this many at most, its own among them; 0: all
    double scale;       // 0: 1 / sqrt(dim)
} ch_attention_options;
// q [batch, heads, queries, dim], k [batch, kv, keys, dim], v [batch, kv, keys, dim_v]: [batch, heads, queries,
// dim_v]; kv divides heads, neighbouring heads share keys (Ainslie et al. 2023). mask, NULL or broadcast to [batch,
// heads, queries, keys]: bool, where it holds is seen; or floating, added to the scores. A query that sees nothing
// gives 0. f16 and bf16 have their softmax in f32. All sizes but heads, kv and dim may be symbolic; options may be
// NULL.
CH_API ch_tensor *ch_attention_at(const char *where, ch_tensor *q, ch_tensor *k, ch_tensor *v, ch_tensor *mask,
                                  const ch_attention_options *options);
#define ch_attention(...) ch_attention_at(CH_WHERE, __VA_ARGS__)
// Rotary positions (Su et al. 2021): x [..., steps, dim], dim even; pairs (i, i + dim / 2), or (2 i, 2 i + 1) when
// interleaved, turned by position * base^(-2 i / dim), in f64. positions integers [steps] or [batch, steps] (the first
// axis of x), NULL: 0, 1, ...
CH_API ch_tensor *ch_rope_at(const char *where, ch_tensor *x, ch_tensor *positions, double base, int interleaved);
#define ch_rope(...) ch_rope_at(CH_WHERE, __VA_ARGS__)

typedef struct ch_attention_weights {
    ch_tensor *wq, *wk, *wv, *wo; // [in, heads dim], [in, kv dim], [in, kv dim], [heads dim, out]
    ch_tensor *bq, *bk, *bv, *bo; // biases, any of them NULL
    ch_tensor *q_norm, *k_norm;   // gains [dim] of an rms norm of each query and key, or NULL
} ch_attention_weights;
typedef struct ch_attention_layer {
    size_t struct_size;      // sizeof(ch_attention_layer)
    int64_t heads, kv_heads; // kv_heads 0: heads
    int causal;
    int64_t window;
    double scale;
    double rope_base; // 0: no rotary positions
    int rope_interleaved;
    double epsilon; // of the norms; 0: 1e-6
} ch_attention_layer;
// Self-attention of x [batch, steps, in], or of x to memory [batch, keys, in] (NULL: x): projections, norms, rotary
// positions, attention, output projection. mask and positions as above, NULL: none and 0, 1, ...
CH_API ch_tensor *ch_multi_head_attention_at(const char *where, ch_tensor *x, ch_tensor *memory, ch_tensor *mask,
                                             ch_tensor *positions, const ch_attention_weights *weights,
                                             const ch_attention_layer *options);
#define ch_multi_head_attention(...) ch_multi_head_attention_at(CH_WHERE, __VA_ARGS__)

// ---- transformer block
// silu(gate) * up (Shazeer 2020).
CH_API ch_tensor *ch_swiglu_at(const char *where, ch_tensor *gate, ch_tensor *up);
#define ch_swiglu(...) ch_swiglu_at(CH_WHERE, __VA_ARGS__)
// swiglu(x w_gate, x w_up) w_down; w_gate and w_up [in, hidden], w_down [hidden, out].
CH_API ch_tensor *ch_swiglu_mlp_at(const char *where, ch_tensor *x, ch_tensor *w_gate, ch_tensor *w_up,
                                   ch_tensor *w_down);
#define ch_swiglu_mlp(...) ch_swiglu_mlp_at(CH_WHERE, __VA_ARGS__)
typedef struct ch_block_weights {
    ch_tensor *norm1, *norm1_bias, *norm2, *norm2_bias; // gains [in]; with biases: layer norm, without: rms norm
    ch_attention_weights attention;
    ch_tensor *w_gate, *w_up, *w_down; // w_gate NULL: activation(x w_up + b_up) w_down + b_down
    ch_tensor *b_up, *b_down;          // NULL: none
} ch_block_weights;
typedef struct ch_block_layer {
    size_t struct_size; // sizeof(ch_block_layer)
    ch_attention_layer attention;
    double epsilon;           // of norm1 and norm2; 0: 1e-5
    ch_activation activation; // without w_gate
} ch_block_layer;
// h = x + attention(norm1 x); h + mlp(norm2 h): norms before, as in Llama and GPT-2. x [batch, steps, in].
CH_API ch_tensor *ch_transformer_block_at(const char *where, ch_tensor *x, ch_tensor *mask, ch_tensor *positions,
                                          const ch_block_weights *weights, const ch_block_layer *options);
#define ch_transformer_block(...) ch_transformer_block_at(CH_WHERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
