// SPDX-License-Identifier: Apache-2.0
// layers.c - dense layers, activations, losses, and the multilayer perceptron.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

ch_tensor *ch__num_like(const char *where, ch_tensor *like, double v) {
    ch_dtype d = ch_tensor_dtype(like);
    return d == 0 ? like : ch_scalar_at(where, d, v);
}
ch_tensor *ch__as_like(const char *where, ch_tensor *x, ch_tensor *like) {
    ch_dtype d = ch_tensor_dtype(like);
    return d == 0 ? like : d == ch_tensor_dtype(x) ? x : ch_convert_at(where, x, d);
}

static int is_floating(ch_dtype d) { return d >= CH_F16 && d <= CH_F64; }

ch_tensor *ch__layer_operands(const char *where, const char *what, int n, ch_tensor *const *in) {
    for (int i = 0; i < n; i++)
        if (ch_check(in[i]) != CH_OK) return in[i] == NULL ? ch_error_tensor_at(where) : in[i];
    for (int i = 0; i < n; i++) {
        if (is_floating(ch_tensor_dtype(in[i])) && ch_tensor_dtype(in[i]) == ch_tensor_dtype(in[0])) continue;
        char a[256], b[256];
        ch_tensor_type(in[0], a, sizeof a);
        ch_tensor_type(in[i], b, sizeof b);
        ch_error_set("dtype_mismatch", "%s: %s%s%s — takes floating operands of one dtype; use ch_convert", what, a,
                     i > 0 ? " and " : "", i > 0 ? b : "");
        return ch_error_tensor_at(where);
    }
    return NULL;
}

ch_tensor *ch__layer(const char *where, const char *name, const char *args, ch_tensor_fn body, void *user, int n,
                     ch_tensor *const *in) {
    ch_tensor *out = NULL;
    ch_composite_at(where, name, args, body, user, n, in, 1, &out);
    return out;
}

ch_tensor *ch_dense_at(const char *where, ch_tensor *x, ch_tensor *w, ch_tensor *b) {
    ch_tensor *y = ch_dot_at(where, x, w); // [..., in] . [in, out]
    return b == NULL ? y : ch_add_at(where, y, b);
}

ch_tensor *ch_activate_at(const char *where, ch_tensor *x, ch_activation a) {
    switch (a) {
    case CH_IDENTITY: return x;
    case CH_RELU: return ch_relu_at(where, x);
    case CH_GELU: return ch_gelu_at(where, x);
    case CH_GELU_TANH: return ch_gelu_tanh_at(where, x);
    case CH_SILU: return ch_silu_at(where, x);
    case CH_TANH: return ch_tanh_at(where, x);
    case CH_SIGMOID: return ch_sigmoid_at(where, x);
    }
    return x;
}

// ---- losses as trainers take them: the place is the trainer's
static _Thread_local const char *here = "loss";
const char *ch__here(void) { return here; }
const char *ch__set_here(const char *where) {
    const char *before = here;
    here = where;
    return before;
}
ch_tensor *ch_softmax_cross_entropy(ch_tensor *logits, ch_tensor *labels) {
    return ch_cross_entropy_at(ch__here(), logits, labels);
}
ch_tensor *ch_mean_squared_error(ch_tensor *prediction, ch_tensor *target) {
    return ch_mse_at(ch__here(), prediction, target);
}

// ---- multilayer perceptron
typedef struct {
    const char *where; // ch_mlp's caller: what does not fit a layer is said of that line
    int n_layers;
    ch_activation between;
} mlp;

static ch_tensor *mlp_forward(void *user, ch_tensor *const *params, ch_tensor *x) {
    const mlp *m = user;
    for (int i = 0; i < m->n_layers; i++) {
        x = ch_dense_at(m->where, x, params[2 * i], params[2 * i + 1]);
        if (i + 1 < m->n_layers) x = ch_activate_at(m->where, x, m->between);
    }
    return x;
}

static ch_status add_layer(const char *where, ch_model *m, int i, int64_t in, int64_t out, ch_key key) {
    char name[64];
    snprintf(name, sizeof name, "dense%d.weight", i);
    ch_key own = ch_key_fold(key, (uint64_t)i);
    CH_TRY(ch_model_add(m, name,
                        ch_init_tensor_at(where, CH_INIT_LECUN_UNIFORM, 1, own, CH_F32, 2, (int64_t[]){in, out})));
    snprintf(name, sizeof name, "dense%d.bias", i);
    return ch_model_add(m, name, ch_init_tensor_at(where, CH_INIT_ZEROS, 1, own, CH_F32, 1, &out));
}

ch_model *ch_mlp_at(const char *where, const int64_t *sizes, int n, ch_activation between, ch_key key) {
    if (n < 2 || sizes == NULL) {
        ch_error_set("argument", "mlp: %d sizes%s — give at least 2, the input's and the output's", n,
                     sizes == NULL ? ", NULL" : "");
        return NULL;
    }
    for (int i = 0; i < n; i++)
        if (sizes[i] < 0) {
            ch_error_set("argument", "mlp: size %d is %" PRId64 " — at least 0 is allowed", i, sizes[i]);
            return NULL;
        }
    if (between < CH_IDENTITY || between > CH_SIGMOID) {
        ch_error_set("argument", "mlp: activation %d — give one of ch_activation", (int)between);
        return NULL;
    }
    mlp *user = ch_memory_alloc(sizeof *user);
    ch_model *m = NULL;
    if (user == NULL) {
        ch_error_set("out_of_memory", "mlp: no memory");
        return NULL;
    }
    *user = (mlp){where, n - 1, between};
    if (ch_model_create(mlp_forward, user, ch_memory_free, &m) != CH_OK) {
        ch_memory_free(user);
        return NULL;
    }
    for (int i = 0; i + 1 < n; i++) {
        if (add_layer(where, m, i, sizes[i], sizes[i + 1], key) == CH_OK) continue;
        ch_model_destroy(m);
        return NULL;
    }
    return m;
}
