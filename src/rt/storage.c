// SPDX-License-Identifier: Apache-2.0
// storage.c - reference-counted memory behind tensors.
//
// Small storages (up to SMALL bytes) lie behind their header in one allocation: realizing one operation on four floats
// then costs one block (pool.c) for its result. Large ones are aligned to 64 bytes, a cache line and the widest vector.

#include "rt/rt.h"

enum { SMALL = 256, HEADER = (sizeof(ch__storage) + 15) / 16 * 16 };

void ch__storage_free(void *user, void *data) {
    (void)user;
    ch__free_aligned(data);
}

ch__storage *ch__storage_create(size_t bytes) {
    bool small = bytes <= SMALL;
    ch__storage *s = ch__pool_alloc(HEADER + (small ? bytes : 0));
    if (s == NULL) return NULL;
    *s = (ch__storage){.bytes = bytes};
    atomic_init(&s->refs, 1);
    if (small) {
        s->data = (char *)s + HEADER;
        return s;
    }
    s->data = ch__alloc_aligned(bytes, 64);
    s->release = ch__storage_free;
    if (s->data != NULL) return s;
    ch__pool_free(s);
    return NULL;
}

ch__storage *ch__storage_borrow(void *data, size_t bytes, void (*release)(void *user, void *data), void *user) {
    ch__storage *s = ch__pool_alloc(sizeof *s);
    if (s == NULL) return NULL;
    *s = (ch__storage){.bytes = bytes, .data = data, .release = release, .user = user};
    atomic_init(&s->refs, 1);
    return s;
}

ch__storage *ch__storage_retain(ch__storage *s) {
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

bool ch__storage_is_borrowed(const ch__storage *s) {
    return s->release != ch__storage_free && s->data != (const char *)s + HEADER;
}

bool ch__storage_is_unshared(const ch__storage *s) {
    return atomic_load_explicit(&s->refs, memory_order_acquire) -
               atomic_load_explicit(&s->ghosts, memory_order_relaxed) ==
           1;
}

void ch__storage_release(ch__storage *s) {
    if (s == NULL || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    if (s->release != NULL) s->release(s->user, s->data);
    ch__pool_free(s);
}
