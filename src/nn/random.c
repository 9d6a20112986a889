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

// Fans of a weight: the last two dims are (in, out) as dense layers store them, leading dims multiply both.
static void fans(int rank, const int64_t *dims, double *in, double *out) {
    double field = 1;
    for (int i = 0; i < rank - 2; i++) field *= (double)dims[i];
    *in = rank >= 2 ? field * (double)dims[rank - 2] : rank == 1 ? (double)dims[0] : 1;
    *out = rank >= 1 ? field * (double)dims[rank - 1] : 1;
}

static ch_tensor *init_uniform(double bound, ch_key key, ch_dtype dtype, int rank, const int64_t *dims) {
    ch_tensor *u = ch_rng_uniform(ch_key_tensor(key), dtype, rank, dims); // [0, 1) to [-bound, bound)
    return ch_mul(ch_sub(ch_mul(u, ch_scalar(dtype, 2)), ch_scalar(dtype, 1)), ch_scalar(dtype, bound));
}

static ch_tensor *normal(double deviation, ch_key key, ch_dtype dtype, int rank, const int64_t *dims) {
    return ch_mul(ch_rng_normal(ch_key_tensor(key), dtype, rank, dims), ch_scalar(dtype, deviation));
}

static ch_tensor *initial(ch_init init, double scale, ch_key key, ch_dtype dtype, int rank, const int64_t *dims) {
    double in, out;
    fans(rank, dims, &in, &out);
    switch (init) {
    case CH_INIT_ZEROS: return ch_zeros(dtype, rank, dims);
    case CH_INIT_ONES: return ch_ones(dtype, rank, dims);
    case CH_INIT_UNIFORM: return init_uniform(scale, key, dtype, rank, dims);
    case CH_INIT_NORMAL: return normal(scale, key, dtype, rank, dims);
    case CH_INIT_GLOROT_UNIFORM: return init_uniform(scale * sqrt(6 / (in + out)), key, dtype, rank, dims);
    case CH_INIT_HE_NORMAL: return normal(scale * sqrt(2 / in), key, dtype, rank, dims);
    case CH_INIT_LECUN_UNIFORM: return init_uniform(scale * sqrt(1 / in), key, dtype, rank, dims);
    }
    ch_error_set("argument", "init: initializer %d — give one of ch_init", (int)init);
    return NULL;
}

ch_tensor *ch_init_tensor(ch_init init, double scale, ch_key key, ch_dtype dtype, int rank, const int64_t *dims) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *t = initial(init, scale, key, dtype, rank, dims);
    if (t != NULL) t = ch_realize(t) == CH_OK ? ch_keep(t) : NULL;
    (void)ch_scope_end(scope);
    return t;
}
