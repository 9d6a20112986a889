// SPDX-License-Identifier: Apache-2.0
// map.c - hash maps in an arena: uint64 keys, string keys.
//
// Open addressing with linear probing, at most three quarters full, sizes powers of two. A slot is free when its value
// is NULL, so every key may be used, zero too. Removing moves later slots of the run back instead of leaving marks
// (Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
#include "base/base.h"

#include <string.h>

#define MAP_FIRST 16

// Whether the slot `at`, whose key would like to lie at `home`, may move back into the free slot `hole`.
static bool map_may_move(int64_t hole, int64_t at, int64_t home, int64_t mask) {
    return ((at - home) & mask) >= ((at - hole) & mask);
}

static int64_t map_cap_next(int64_t cap) {
    int64_t next;
    if (!ch__mul_i64(cap, 2, &next)) ch__raise_oom();
    return next < MAP_FIRST ? MAP_FIRST : next;
}

void ch__map_init(ch__map *m, ch__arena *a) {
    memset(m, 0, sizeof *m);
    m->arena = a;
}

// The slot that holds key, or the free one where it belongs. cap > 0.
static int64_t map_find(const ch__map *m, uint64_t key) {
    int64_t mask = m->cap - 1;
    int64_t i = (int64_t)(ch__hash_u64(key) & (uint64_t)mask);
    while (m->vals[i] && m->keys[i] != key) i = (i + 1) & mask;
    return i;
}

void *ch__map_get(const ch__map *m, uint64_t key) { return m->n ? m->vals[map_find(m, key)] : NULL; }

static void map_grow(ch__map *m) {
    ch__map old = *m;
    int64_t cap = map_cap_next(m->cap);
    uint64_t *keys = CH_NEW_ARRAY(m->arena, uint64_t, cap);
    void **vals = CH_NEW_ARRAY(m->arena, void *, cap);
    m->keys = keys;
    m->vals = vals;
    m->cap = cap;
    for (int64_t i = 0; i < old.cap; i++)
        if (old.vals[i]) {
            int64_t at = map_find(m, old.keys[i]);
            keys[at] = old.keys[i];
            vals[at] = old.vals[i];
        }
}

static void map_remove(ch__map *m, uint64_t key) {
    if (!m->n) return;
    int64_t mask = m->cap - 1, hole = map_find(m, key);
    if (!m->vals[hole]) return;
    for (int64_t i = (hole + 1) & mask; m->vals[i]; i = (i + 1) & mask)
        if (map_may_move(hole, i, (int64_t)(ch__hash_u64(m->keys[i]) & (uint64_t)mask), mask)) {
            m->keys[hole] = m->keys[i];
            m->vals[hole] = m->vals[i];
            hole = i;
        }
    m->vals[hole] = NULL;
    m->n--;
}

void ch__map_put(ch__map *m, uint64_t key, void *val) {
    if (!val) {
        map_remove(m, key);
        return;
    }
    if (m->n >= m->cap / 4 * 3) map_grow(m);
    int64_t i = map_find(m, key);
    if (!m->vals[i]) {
        m->keys[i] = key;
        m->n++;
    }
    m->vals[i] = val;
}

struct ch__strmap_slot {
    uint64_t hash;
    const char *key;
    size_t len;
    void *val;
};

void ch__strmap_init(ch__strmap *m, ch__arena *a) {
    memset(m, 0, sizeof *m);
    m->arena = a;
}

static int64_t strmap_find(const ch__strmap *m, const char *key, size_t len, uint64_t hash) {
    int64_t mask = m->cap - 1;
    int64_t i = (int64_t)(hash & (uint64_t)mask);
    for (; m->slots[i].val; i = (i + 1) & mask) {
        const struct ch__strmap_slot *s = &m->slots[i];
        if (s->hash == hash && s->len == len && (len == 0 || memcmp(s->key, key, len) == 0)) break;
    }
    return i;
}

void *ch__strmap_getn(const ch__strmap *m, const char *key, size_t len) {
    return m->n ? m->slots[strmap_find(m, key, len, ch__hash_bytes(key, len, 0))].val : NULL;
}

void *ch__strmap_get(const ch__strmap *m, const char *key) { return ch__strmap_getn(m, key, strlen(key)); }

static void strmap_grow(ch__strmap *m) {
    int64_t cap = map_cap_next(m->cap);
    struct ch__strmap_slot *old = m->slots, *slots = CH_NEW_ARRAY(m->arena, struct ch__strmap_slot, cap);
    for (int64_t i = 0; i < m->cap; i++)
        if (old[i].val) {
            int64_t at = (int64_t)(old[i].hash & (uint64_t)(cap - 1));
            while (slots[at].val) at = (at + 1) & (cap - 1);
            slots[at] = old[i];
        }
    m->slots = slots;
    m->cap = cap;
}

static void strmap_remove(ch__strmap *m, int64_t hole) {
    int64_t mask = m->cap - 1;
    if (!m->slots[hole].val) return;
    for (int64_t i = (hole + 1) & mask; m->slots[i].val; i = (i + 1) & mask)
        if (map_may_move(hole, i, (int64_t)(m->slots[i].hash & (uint64_t)mask), mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    m->slots[hole].val = NULL;
    m->n--;
}

void ch__strmap_put(ch__strmap *m, const char *key, void *val) {
    size_t len = strlen(key);
    uint64_t hash = ch__hash_bytes(key, len, 0);
    if (!val) {
        if (m->n) strmap_remove(m, strmap_find(m, key, len, hash));
        return;
    }
    if (m->n >= m->cap / 4 * 3) strmap_grow(m);
    int64_t i = strmap_find(m, key, len, hash);
    if (!m->slots[i].val) {
        m->slots[i].hash = hash;
        m->slots[i].key = ch__arena_strndup(m->arena, key, len);
        m->slots[i].len = len;
        m->n++;
    }
    m->slots[i].val = val;
}
