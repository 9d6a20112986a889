// SPDX-License-Identifier: Apache-2.0
// random.c - random keys and the initial values of parameters.

#include <math.h>

#include "nn/nn.h"

ch_key ch_key_make(uint64_t seed) { return (ch_key){{(uint32_t)seed, (uint32_t)(seed >> 32)}}; }

// Threefry-2x32 of `number` under `key`, 20 rounds (Salmon et al. 2011), the same function as rng_bits.
ch_key ch_key_fold(ch_key key, uint64_t number) {
    static const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    uint32_t k[3] = {key.word[0], key.word[1], 0x1BD11BDAu ^ key.word[0] ^ key.word[1]};
    uint32_t x = (uint32_t)number + k[0], y = (uint32_t)(number >> 32) + k[1];
    for (int round = 0; round < 20; round++) {
        int r = rotations[round % 8];
        x += y;
        y = (y << r | y >> (32 - r)) ^ x;
        if (round % 4 != 3) continue;
        uint32_t s = (uint32_t)(round / 4 + 1);
        x += k[s % 3];
        y += k[(s + 1) % 3] + s;
    }
    return (ch_key){{x, y}};
}

ch_tensor *ch_key_tensor(ch_key key) { return ch_from_data(CH_U32, key.word, 1, (int64_t[]){2}); }

// ---- initial values
typedef struct {
    const char *w;
    ch_init init;
    double scale, in, out; // fans
    ch_key key;
    ch_dtype dtype;
    int rank;
    const int64_t *dims;
} initial;

static ch_tensor *init_uniform(const initial *v, double bound) {
    ch_tensor *u =
        ch_rng_uniform_at(v->w, ch_key_tensor(v->key), v->dtype, v->rank, v->dims); // [0, 1) to [-bound, bound)
    return ch_mul_at(
        v->w, ch_sub_at(v->w, ch_mul_at(v->w, u, ch_scalar_at(v->w, v->dtype, 2)), ch_scalar_at(v->w, v->dtype, 1)),
        ch_scalar_at(v->w, v->dtype, bound));
}

static ch_tensor *init_normal(const initial *v, double deviation) {
    return ch_mul_at(v->w, ch_rng_normal_at(v->w, ch_key_tensor(v->key), v->dtype, v->rank, v->dims),
                     ch_scalar_at(v->w, v->dtype, deviation));
}

// The first of DRAWS normal numbers within two deviations; all beyond, one time in 10^16, the bound.
static ch_tensor *truncated(const initial *v) {
    enum { DRAWS = 12 };
    ch_tensor *two = ch_scalar_at(v->w, v->dtype, 2), *z = NULL;
    for (int i = 0; i < DRAWS; i++) {
        ch_key own = i == 0 ? v->key : ch_key_fold(v->key, (uint64_t)i);
        ch_tensor *next = ch_rng_normal_at(v->w, ch_key_tensor(own), v->dtype, v->rank, v->dims);
        z = z == NULL ? next : ch_select_at(v->w, ch_le_at(v->w, ch_abs_at(v->w, z), two), z, next);
    }
    return ch_mul_at(v->w, ch_clamp_at(v->w, ch_scalar_at(v->w, v->dtype, -2), z, two),
                     ch_scalar_at(v->w, v->dtype, v->scale));
}

// Q of a tall normal matrix A by the Cholesky factor of A'A, twice for the rounding: Q = A L'^-1, A'A = L L'. R = L'
// has a positive diagonal, so that Q is uniform among orthogonal matrices (Mezzadri 2007). In f64.
static ch_tensor *orthonormal(const initial *v, ch_tensor *a) {
    for (int i = 0; i < 2; i++) {
        ch_tensor *lower =
            ch_cholesky_at(v->w, ch_dot_general_at(v->w, a, a, 1, (int[]){0}, (int[]){0}, 0, NULL, NULL));
        a = ch_transpose_at(v->w, ch_triangular_solve_at(v->w, lower, ch_transpose_at(v->w, a, 2, NULL), 1, 0), 2,
                            NULL);
    }
    return a;
}

static ch_tensor *orthogonal(const initial *v) {
    int64_t rows = 1, columns = v->rank > 0 ? v->dims[v->rank - 1] : 1;
    for (int i = 0; i < v->rank - 1; i++) rows *= v->dims[i];
    int64_t tall[2] = {rows > columns ? rows : columns, rows > columns ? columns : rows};
    ch_tensor *q = orthonormal(v, ch_rng_normal_at(v->w, ch_key_tensor(v->key), CH_F64, 2, tall));
    if (rows < columns) q = ch_transpose_at(v->w, q, 2, NULL);
    q = ch_mul_at(v->w, q, ch_scalar_at(v->w, CH_F64, v->scale));
    return ch_reshape_at(v->w, ch_convert_at(v->w, q, v->dtype), v->rank, v->dims);
}

static ch_tensor *drawn(const initial *v) {
    switch (v->init) {
    case CH_INIT_ZEROS: return ch_zeros_at(v->w, v->dtype, v->rank, v->dims);
    case CH_INIT_ONES: return ch_ones_at(v->w, v->dtype, v->rank, v->dims);
    case CH_INIT_UNIFORM: return init_uniform(v, v->scale);
    case CH_INIT_NORMAL: return init_normal(v, v->scale);
    case CH_INIT_GLOROT_UNIFORM: return init_uniform(v, v->scale * sqrt(6 / (v->in + v->out)));
    case CH_INIT_GLOROT_NORMAL: return init_normal(v, v->scale * sqrt(2 / (v->in + v->out)));
    case CH_INIT_HE_UNIFORM: return init_uniform(v, v->scale * sqrt(6 / v->in));
    case CH_INIT_HE_NORMAL: return init_normal(v, v->scale * sqrt(2 / v->in));
    case CH_INIT_LECUN_UNIFORM: return init_uniform(v, v->scale * sqrt(1 / v->in));
    case CH_INIT_LECUN_NORMAL: return init_normal(v, v->scale * sqrt(1 / v->in));
    case CH_INIT_TRUNC_NORMAL: return truncated(v);
    case CH_INIT_ORTHOGONAL: return orthogonal(v);
    }
    ch_error_set("argument", "init: initializer %d — give one of ch_init", (int)v->init);
    return NULL;
}

static ch_tensor *realized_init(const initial *v) {
    if (v->rank < 0 || v->rank > 16 || (v->rank > 0 && v->dims == NULL)) {
        ch_error_set("rank", "init: rank %d and %s — give 0 to 16 dims", v->rank, v->dims == NULL ? "NULL" : "dims");
        return NULL;
    }
    if (v->init == CH_INIT_ORTHOGONAL && v->rank < 2) {
        ch_error_set("rank", "init: an orthogonal tensor of rank %d — a matrix is needed", v->rank);
        return NULL;
    }
    ch_scope scope = ch_scope_begin();
    ch_tensor *t = drawn(v);
    if (t != NULL) t = ch_realize(t) == CH_OK ? ch_keep(t) : NULL;
    (void)ch_scope_end(scope);
    return t;
}

ch_tensor *ch_init_tensor_at(const char *where, ch_init init, double scale, ch_key key, ch_dtype dtype, int rank,
                             const int64_t *dims) {
    initial v = {.w = where, .init = init, .scale = scale, .key = key, .dtype = dtype, .rank = rank, .dims = dims};
    double field = 1;
    for (int i = 0; dims != NULL && i < rank - 2; i++) field *= (double)dims[i];
    v.in = v.out = 1;
    if (dims != NULL && rank >= 1) v.in = field * (double)dims[rank >= 2 ? rank - 2 : 0];
    if (dims != NULL && rank >= 1) v.out = field * (double)dims[rank - 1];
    return realized_init(&v);
}

ch_tensor *ch_init_conv_at(const char *where, ch_init init, double scale, ch_key key, ch_dtype dtype, int rank,
                           const int64_t *dims) {
    initial v = {.w = where, .init = init, .scale = scale, .key = key, .dtype = dtype, .rank = rank, .dims = dims};
    if (rank < 2 || dims == NULL) {
        ch_error_set("rank", "init_conv: rank %d — a weight [out, in, ...] is needed", rank);
        return NULL;
    }
    double field = 1;
    for (int i = 2; i < rank; i++) field *= (double)dims[i];
    v.in = field * (double)dims[1];
    v.out = field * (double)dims[0];
    return realized_init(&v);
}

double ch_init_gain(ch_activation a) {
    switch (a) {
    case CH_RELU:
    case CH_GELU:
    case CH_GELU_TANH:
    case CH_SILU: return sqrt(2);
    case CH_TANH: return 5.0 / 3;
    case CH_IDENTITY:
    case CH_SIGMOID: break;
    }
    return 1;
}
