// SPDX-License-Identifier: Apache-2.0
// memory.c - the allocator hook, and what tests need to know about it.
//
// Every block carries a header of 16 bytes with its size: the hook is told the old size on realloc and free, and the
// user's 16-byte alignment is kept. Counters and fault injection are relaxed atomics; they order nothing.
#include "base/base.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_HEADER 16

static ch_allocator memory_hook; // NULL: the C library
static void *memory_user;
static _Atomic int64_t memory_live, memory_count;

enum { FAIL_OFF, FAIL_ONCE, FAIL_ALL };
static atomic_int memory_fail_mode;
static _Atomic int64_t memory_fail_left;

void ch__alloc_fail_at(int64_t n, bool all) {
    atomic_store(&memory_fail_left, n);
    atomic_store(&memory_fail_mode, n <= 0 ? FAIL_OFF : all ? FAIL_ALL : FAIL_ONCE);
}

static bool memory_fails(void) {
    int mode = atomic_load_explicit(&memory_fail_mode, memory_order_relaxed);
    if (CH_LIKELY(mode == FAIL_OFF)) return false;
    int64_t left = atomic_fetch_sub(&memory_fail_left, 1);
    if (left == 1 && mode == FAIL_ONCE) atomic_store(&memory_fail_mode, FAIL_OFF);
    return left == 1 || (left < 1 && mode == FAIL_ALL);
}

int64_t ch__alloc_live(void) { return atomic_load_explicit(&memory_live, memory_order_relaxed); }
int64_t ch__alloc_count(void) { return atomic_load_explicit(&memory_count, memory_order_relaxed); }

ch_status ch_set_allocator(ch_allocator fn, void *user) {
    if (ch__alloc_live() != 0)
        return ch__fail(CH__E_argument,
                        "ch_set_allocator: %" PRId64 " blocks of the present allocator are in use — set the allocator "
                        "before any other call",
                        ch__alloc_live());
    memory_hook = fn;
    memory_user = user;
    return CH_OK;
}

static void memory_counted(void) { atomic_fetch_add_explicit(&memory_count, 1, memory_order_relaxed); }

// The user's pointer behind the header of a raw block, or NULL.
static void *memory_open(void *raw, size_t bytes) {
    if (!raw) return NULL;
    assert(((uintptr_t)raw & 15) == 0 && "the allocator hook gave memory that is not 16-byte aligned");
    memcpy(raw, &bytes, sizeof bytes);
    return (char *)raw + MEMORY_HEADER;
}

static size_t memory_size(const void *p) {
    size_t bytes;
    memcpy(&bytes, (const char *)p - MEMORY_HEADER, sizeof bytes);
    return bytes;
}

bool ch__alloc_hooked(void) { return memory_hook != NULL; }

bool ch__alloc_admit(void) {
    memory_counted();
    return !memory_fails();
}

void ch__alloc_counted(int blocks) { atomic_fetch_add_explicit(&memory_live, blocks, memory_order_relaxed); }

void *ch__alloc(size_t bytes) {
    memory_counted();
    if (bytes > PTRDIFF_MAX - MEMORY_HEADER || memory_fails()) return NULL;
    size_t total = bytes + MEMORY_HEADER;
    void *p = memory_open(memory_hook ? memory_hook(memory_user, NULL, 0, total) : malloc(total), bytes);
    if (p) atomic_fetch_add_explicit(&memory_live, 1, memory_order_relaxed);
    return p;
}

void *ch__calloc(size_t n, size_t bytes) {
    size_t total;
    if (bytes != 0 && n > (PTRDIFF_MAX - MEMORY_HEADER) / bytes) return NULL;
    total = n * bytes;
    if (memory_hook) {
        void *p = ch__alloc(total);
        return p ? memset(p, 0, total) : NULL;
    }
    // The C library need not clear pages that come fresh from the system.
    memory_counted();
    if (memory_fails()) return NULL;
    void *p = memory_open(calloc(1, total + MEMORY_HEADER), total);
    if (p) atomic_fetch_add_explicit(&memory_live, 1, memory_order_relaxed);
    return p;
}

void *ch__realloc(void *p, size_t bytes) {
    if (!p) return ch__alloc(bytes);
    memory_counted();
    if (bytes > PTRDIFF_MAX - MEMORY_HEADER || memory_fails()) return NULL;
    size_t total = bytes + MEMORY_HEADER;
    void *raw = (char *)p - MEMORY_HEADER;
    return memory_open(memory_hook ? memory_hook(memory_user, raw, memory_size(p) + MEMORY_HEADER, total)
                                   : realloc(raw, total),
                       bytes);
}

void ch__free(void *p) {
    if (!p) return;
    atomic_fetch_sub_explicit(&memory_live, 1, memory_order_relaxed);
    void *raw = (char *)p - MEMORY_HEADER;
    if (memory_hook)
        memory_hook(memory_user, raw, memory_size(p) + MEMORY_HEADER, 0);
    else
        free(raw);
}

enum { MEMORY_LARGE = 4 << 20 }; // from here on pages of 2 MiB: reading goes a quarter faster, first touches cost less

// The block is found again through a pointer that lies before the aligned address.
void *ch__alloc_aligned(size_t bytes, size_t align) {
    assert(align != 0 && (align & (align - 1)) == 0);
    if (align < sizeof(void *)) align = sizeof(void *);
    if (bytes > PTRDIFF_MAX - align - sizeof(void *)) return NULL;
    char *raw = ch__alloc(bytes + align - 1 + sizeof(void *));
    if (!raw) return NULL;
    uintptr_t at = ((uintptr_t)raw + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1);
    char *p = raw + (at - (uintptr_t)raw);
    memcpy(p - sizeof(void *), &raw, sizeof raw);
    if (bytes >= MEMORY_LARGE && !memory_hook) ch__advise_huge(p, bytes);
    return p;
}

void ch__free_aligned(void *p) {
    if (!p) return;
    void *raw;
    memcpy(&raw, (char *)p - sizeof(void *), sizeof raw);
    ch__free(raw);
}

char *ch__strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *p = ch__alloc(n);
    return p ? memcpy(p, s, n) : NULL;
}

void *ch_memory_alloc(size_t bytes) { return ch__calloc(1, bytes); }
void ch_memory_free(void *p) { ch__free(p); }
