// SPDX-License-Identifier: Apache-2.0
// rng.c - a source of random keys that remembers how many it gave.
//
// Key i is Threefry-2x32 of the number i under the key of the seed (Salmon et al. 2011), the same as ch_key_fold of
// nn.h; so the state is two numbers, and two sources of one seed give the same keys on every machine.

#include "tensor/jit.h"

struct ch_rng {
    uint32_t key[2];
    uint64_t given;
};

void ch_rng_seed(ch_rng *r, uint64_t seed) { *r = (ch_rng){{(uint32_t)seed, (uint32_t)(seed >> 32)}, 0}; }

ch_status ch_rng_create(uint64_t seed, ch_rng **out) {
    if (out == NULL) return ch__fail(CH__E_argument, "rng_create: the place for the source is NULL — give one");
    ch_rng *r = ch__alloc(sizeof *r);
    if (r == NULL) return ch__fail_oom("a source of random keys");
    ch_rng_seed(r, seed);
    *out = r;
    return CH_OK;
}

void ch_rng_destroy(ch_rng *r) { ch__free(r); }

static void next_words(ch_rng *r, uint32_t out[2]) {
    const uint32_t number[2] = {(uint32_t)r->given, (uint32_t)(r->given >> 32)};
    ch__threefry2x32(r->key, number, out);
    r->given++;
}

ch_status ch_rng_split(ch_rng *r, ch_rng **out) {
    if (r == NULL || out == NULL)
        return ch__fail(CH__E_argument, "rng_split: %s is NULL — give a source and a place for the new one",
                        r == NULL ? "the source" : "the place");
    CH_TRY(ch_rng_create(0, out));
    next_words(r, (*out)->key);
    return CH_OK;
}

void ch__rng_next(ch_rng *r, uint32_t out[2]) { next_words(r, out); }

ch_tensor *ch_rng_key_at(const char *where, ch_rng *r) {
    ch_tensor *key;
    if (r != NULL && ch__jit_key(where, r, &key)) return key;
    if (r == NULL)
        ch__fail(CH__E_argument, "rng_key: the source is NULL — give one from ch_rng_create");
    else if (ch__trace_current() != NULL)
        ch__fail(CH__E_capture_state,
                 "rng_key: inside a captured function every run would have the same key — make the "
                 "key, u32[2], an input");
    if (r == NULL || ch__trace_current() != NULL) return ch__node_error(where);
    uint32_t words[2];
    const ch_rng before = *r;
    next_words(r, words);
    ch__jit_quiet(1);
    ch_tensor *t = ch_from_data_at(where, CH_U32, words, 1, (const int64_t[]){2});
    ch__jit_quiet(-1);
    if (t->kind == CH__T_ERROR) *r = before;
    return t;
}

void ch_rng_save(const ch_rng *r, uint64_t state[2]) {
    state[0] = (uint64_t)r->key[1] << 32 | r->key[0];
    state[1] = r->given;
}

void ch_rng_restore(ch_rng *r, const uint64_t state[2]) {
    ch_rng_seed(r, state[0]);
    r->given = state[1];
}
