// SPDX-License-Identifier: Apache-2.0
// train_model.c - the models of chaac train: mlp, cnn, char-lm, or a func in the IR.
//
//     mlp      dense layers of --hidden sizes with the activation between
//     cnn      for each of --hidden: convolution 3x3 to that many channels, activation, maximum of 2x2; then dense
//     char-lm  an embedding of bytes, a GRU and a dense layer, as wide as --hidden says
//     FILE.ir[:FUNC]   the first parameter is the batch, the others are learnt: with two axes and more they begin
//              uniform in the bound of LeCun, with fewer as 0, or as 1 when the name ends in "gain"
//
// --standardize puts the mean and the deviation of the training rows before the model, as buffers.
#include <stdlib.h>
#include <string.h>

#include "train.h"

typedef ch_tensor *(*layers_fn)(const void *spec, ch_tensor *const *params, ch_tensor *x);
typedef struct spec {
    layers_fn layers;
    int n; // of sizes
    int64_t sizes[MOST_HIDDEN + 2];
    ch_activation between;
    bool standardize;
    ch_func *func;
} spec;

static void spec_free(void *user) {
    spec *p = user;
    ch_func_destroy(p->func);
    free(p);
}

static ch_tensor *forward(void *user, ch_tensor *const *params, ch_tensor *x) {
    const spec *p = user;
    if (!p->standardize) return p->layers(p, params, x);
    return p->layers(p, params + 2, ch_div(ch_sub(x, params[0]), params[1]));
}

// ---- forward functions
static ch_tensor *flat(ch_tensor *x) { return ch_tensor_rank(x) > 2 ? ch_flatten(x, 1) : x; }

static ch_tensor *mlp_layers(const void *user, ch_tensor *const *w, ch_tensor *x) {
    const spec *p = user;
    ch_tensor *h = flat(x);
    for (int i = 0; i + 1 < p->n; i++) {
        if (i > 0) h = ch_activate(h, p->between);
        h = ch_dense(h, w[2 * i], w[2 * i + 1]);
    }
    return h;
}

static ch_tensor *cnn_layers(const void *user, ch_tensor *const *w, ch_tensor *x) {
    const spec *p = user;
    const ch_conv_layer conv = {.struct_size = sizeof conv, .padding = CH_PAD_SAME};
    const ch_pool_layer pool = {.struct_size = sizeof pool, .window = {2, 2}};
    ch_tensor *h = ch_tensor_rank(x) == 3 ? ch_expand_dims(x, 1) : x;
    for (int i = 0; i + 2 < p->n; i++)
        h = ch_pool_max(ch_activate(ch_conv2d(h, w[2 * i], w[2 * i + 1], &conv), p->between), 2, &pool);
    return ch_dense(flat(h), w[2 * (p->n - 2)], w[2 * (p->n - 2) + 1]);
}

static ch_tensor *text_layers(const void *user, ch_tensor *const *w, ch_tensor *x) {
    (void)user;
    const ch_recurrent_weights gates = {w[1], w[2], w[3], w[4]};
    ch_tensor *out[2];
    ch_gru(ch_embedding(w[0], x, -1), NULL, &gates, NULL, out);
    return ch_dense(out[0], w[5], w[6]);
}

static ch_tensor *func_layers(const void *user, ch_tensor *const *w, ch_tensor *x) {
    const spec *p = user;
    int n = ch_func_num_params(p->func);
    ch_tensor **in = ch_memory_alloc((size_t)n * sizeof *in), *out = NULL;
    if (in == NULL) {
        ch_error_set("out_of_memory", "train: no memory");
        return ch_error_tensor();
    }
    for (int i = 0; i < n; i++) in[i] = i == 0 ? x : w[i - 1];
    ch_func_apply(p->func, n, in, 1, &out);
    ch_memory_free(in);
    return out;
}

// ---- parameters: each has a key of its own, of the seed and its number
typedef struct builder {
    ch_model *m;
    ch_key key;
} builder;

static ch_status add(builder *b, const char *name, int i, ch_init init, bool conv, int rank, const int64_t *dims) {
    char text[256];
    snprintf(text, sizeof text, i < 0 ? "%s" : "%s%d.weight", name, i);
    if (i >= 0 && rank == 1) snprintf(text, sizeof text, "%s%d.bias", name, i);
    ch_key key = ch_key_fold(b->key, (uint64_t)ch_model_num_params(b->m));
    return ch_model_add(b->m, text,
                        conv ? ch_init_conv(init, 1, key, CH_F32, rank, dims)
                             : ch_init_tensor(init, 1, key, CH_F32, rank, dims));
}

static ch_status add_dense(builder *b, const char *name, int i, int64_t in, int64_t out) {
    CH_TRY(add(b, name, i, CH_INIT_LECUN_UNIFORM, false, 2, (int64_t[]){in, out}));
    return add(b, name, i, CH_INIT_ZEROS, false, 1, &out);
}

static ch_status add_mlp(builder *b, const spec *p) {
    for (int i = 0; i + 1 < p->n; i++) CH_TRY(add_dense(b, "dense", i, p->sizes[i], p->sizes[i + 1]));
    return CH_OK;
}

static ch_status add_cnn(builder *b, const spec *p, int64_t height, int64_t width) {
    for (int i = 0; i + 2 < p->n; i++) {
        CH_TRY(add(b, "conv", i, CH_INIT_LECUN_UNIFORM, true, 4, (int64_t[]){p->sizes[i + 1], p->sizes[i], 3, 3}));
        CH_TRY(add(b, "conv", i, CH_INIT_ZEROS, false, 1, &p->sizes[i + 1]));
        height /= 2;
        width /= 2;
    }
    return add_dense(b, "dense", 0, p->sizes[p->n - 2] * height * width, p->sizes[p->n - 1]);
}

static ch_status add_text(builder *b, int64_t wide) {
    int64_t gates = 3 * wide;
    CH_TRY(add(b, "embedding", -1, CH_INIT_LECUN_NORMAL, false, 2, (int64_t[]){256, wide}));
    CH_TRY(add(b, "gru.w_in", -1, CH_INIT_LECUN_UNIFORM, false, 2, (int64_t[]){wide, gates}));
    CH_TRY(add(b, "gru.w_hid", -1, CH_INIT_LECUN_UNIFORM, false, 2, (int64_t[]){wide, gates}));
    CH_TRY(add(b, "gru.b_in", -1, CH_INIT_ZEROS, false, 1, &gates));
    CH_TRY(add(b, "gru.b_hid", -1, CH_INIT_ZEROS, false, 1, &gates));
    return add_dense(b, "dense", 0, wide, 256);
}

static ch_status add_func(builder *b, const ch_func *f) {
    for (int i = 1; i < ch_func_num_params(f); i++) {
        const char *name = ch_func_param_name(f, i);
        size_t n = strlen(name);
        int rank = 0;
        int64_t dims[16];
        CH_TRY(ch_func_param_dims(f, i, 0, NULL, NULL, &rank, dims));
        bool gain = n >= 4 && strcmp(name + n - 4, "gain") == 0;
        ch_init init = rank >= 2 ? CH_INIT_LECUN_UNIFORM : gain ? CH_INIT_ONES : CH_INIT_ZEROS;
        ch_key key = ch_key_fold(b->key, (uint64_t)ch_model_num_params(b->m));
        ch_dtype dtype = ch_func_param_dtype(f, i);
        CH_TRY(ch_model_add(b->m, name,
                            rank == 4 ? ch_init_conv(init, 1, key, dtype, rank, dims)
                                      : ch_init_tensor(init, 1, key, dtype, rank, dims)));
    }
    return CH_OK;
}

// Mean and deviation of each column over the training rows (0 and 1 when there are none: a checkpoint brings its own);
// what never changes keeps its size.
static ch_status add_statistics(ch_model *m, const dataset *d) {
    int axis = 0;
    ch_tensor *x = d->train.x != NULL ? d->train.x : d->held.x, *mean = ch_mean(x, 1, &axis);
    ch_tensor *deviation = ch_sqrt(ch_var(x, 1, &axis));
    deviation = ch_where(ch_eq(deviation, ch_zeros_like(deviation)), ch_ones_like(deviation), deviation);
    CH_TRY(ch_realize(mean));
    CH_TRY(ch_realize(deviation));
    CH_TRY(ch_model_add_buffer(m, "input.mean", ch_keep(mean)));
    return ch_model_add_buffer(m, "input.deviation", ch_keep(deviation));
}

// ---- what the flags ask for
static int of_sizes(const settings *s, const dataset *d, const char *hidden, int64_t first, spec *p) {
    p->sizes[0] = first;
    int n = hidden_sizes(s->hidden != NULL ? s->hidden : hidden, p->sizes + 1);
    const part *any = d->train.x != NULL ? &d->train : &d->held;
    p->sizes[n + 1] = d->labels ? s->classes : ch_tensor_dim(any->y, 1);
    p->n = n + 2;
    return n;
}

static int not_images(const char *cmd, const ch_tensor *x, int poolings) {
    char type[256];
    ch_tensor_type(x, type, sizeof type);
    fprintf(stderr,
            "chaac %s: cnn: x is %s — images are [rows, height, width] or [rows, channels, height, width], "
            "of a height and width that can be halved %d times\n",
            cmd, type, poolings);
    return FAILED;
}

static int wants_images(const char *cmd, const ch_tensor *x, int n) {
    int rank = ch_tensor_rank(x);
    if (rank != 3 && rank != 4) return not_images(cmd, x, n);
    for (int i = 1; i <= 2; i++)
        if (ch_tensor_dim(x, rank - i) >> n == 0) return not_images(cmd, x, n);
    return OK;
}

static int load_func(const char *cmd, const settings *s, spec *p) {
    char path[PATH_MOST];
    snprintf(path, sizeof path, "%s", s->model);
    char *colon = strstr(path, ".ir:");
    if (colon != NULL) colon[3] = '\0';
    if (ch_func_load(path, colon == NULL ? NULL : colon + 4, &p->func) != CH_OK) return library_error();
    if (ch_func_num_params(p->func) >= 2 && ch_func_num_results(p->func) == 1) return OK;
    fprintf(stderr,
            "chaac %s: @%s takes %d and gives %d — a model takes the batch, then what it learns, and gives the "
            "prediction\n",
            cmd, ch_func_name(p->func), ch_func_num_params(p->func), ch_func_num_results(p->func));
    return FAILED;
}

// What a func gives for a row has to be as wide as the data wants it: losses broadcast, and would not complain.
static int check_width(const char *cmd, const settings *s, const dataset *d, const ch_func *f) {
    const char *type = ch_func_result_type(f, 0), *comma = strrchr(type, ',');
    const part *any = d->train.x != NULL ? &d->train : &d->held;
    int64_t width = comma == NULL ? 0 : strtoll(comma + 1, NULL, 10);
    int64_t wanted = d->labels ? s->classes : ch_tensor_dim(any->y, 1);
    if (d->labels ? width >= wanted : width == wanted) return OK;
    fprintf(stderr, "chaac %s: @%s gives %s — for %s it is [rows, %lld]\n", cmd, ch_func_name(f), type,
            d->labels ? "these labels" : "these targets", (long long)wanted);
    return FAILED;
}

static int build(const char *cmd, const settings *s, const dataset *d, spec *p, builder *b) {
    ch_tensor *x = d->train.x != NULL ? d->train.x : d->held.x;
    int64_t row = ch_tensor_numel(x) / ch_tensor_dim(x, 0);
    int rank = ch_tensor_rank(x), status = OK;
    bool image = strcmp(s->model, "cnn") == 0;
    if (p->standardize && add_statistics(b->m, d) != CH_OK) return library_error();
    if (p->layers == func_layers) {
        status = load_func(cmd, s, p);
        if (status == OK) status = check_width(cmd, s, d, p->func);
        return status != OK ? status : add_func(b, p->func) == CH_OK ? OK : library_error();
    }
    if (image) {
        int n = of_sizes(s, d, "8,16", rank == 4 ? ch_tensor_dim(x, 1) : 1, p);
        status = wants_images(cmd, x, n);
        if (status != OK) return status;
        return add_cnn(b, p, ch_tensor_dim(x, rank - 2), ch_tensor_dim(x, rank - 1)) == CH_OK ? OK : library_error();
    }
    of_sizes(s, d, "64", row, p);
    if (p->layers == mlp_layers) return add_mlp(b, p) == CH_OK ? OK : library_error();
    if (p->n != 3) return usage_error(cmd, "--hidden=%s — char-lm has one size", s->hidden);
    return add_text(b, p->sizes[1]) == CH_OK ? OK : library_error();
}

static ch_activation activation_of(const char *name) {
    static const char *const names[] = {"relu", "gelu", "gelu-tanh", "silu", "tanh", "sigmoid"};
    for (int i = 0; i < 6; i++)
        if (strcmp(names[i], name) == 0) return (ch_activation)(CH_RELU + i);
    return CH_RELU;
}

static layers_fn layers_of(const char *model) {
    if (strcmp(model, "mlp") == 0) return mlp_layers;
    if (strcmp(model, "cnn") == 0) return cnn_layers;
    if (strcmp(model, "char-lm") == 0) return text_layers;
    return strstr(model, ".ir") != NULL ? func_layers : NULL;
}

int model_make(const char *cmd, const settings *s, const dataset *d, ch_model **out) {
    layers_fn layers = layers_of(s->model);
    if (layers == NULL) return usage_error(cmd, "--model=%.60s — mlp, cnn, char-lm or FILE.ir", s->model);
    if (layers == text_layers && s->standardize) return usage_error(cmd, "--standardize — bytes have no mean");
    spec *p = calloc(1, sizeof *p);
    builder b = {.key = ch_key_make((uint64_t)s->seed)};
    if (p == NULL || ch_model_create(forward, p, spec_free, &b.m) != CH_OK) {
        free(p);
        return library_error();
    }
    p->layers = layers;
    p->between = activation_of(s->activation);
    p->standardize = s->standardize;
    ch_scope scope = ch_scope_begin();
    int status = build(cmd, s, d, p, &b);
    (void)ch_scope_end(scope);
    if (status == OK)
        *out = b.m;
    else
        ch_model_destroy(b.m);
    return status;
}
