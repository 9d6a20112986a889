// SPDX-License-Identifier: Apache-2.0
// pool.c - blocks of tensors: small ones are cut from chunks that a thread keeps.
//
// A program makes tensors by the hundred thousand and its scopes end at once. Given back to the C library one by one
// they end in a system call for every few hundred (the heap is trimmed from its top), and the pages are asked for
// again by the next scope. Here a block comes from a chunk of 64 KiB of its size class, and goes back to it; a chunk
// all of whose blocks are back is kept for any size class, up to SPARE_MOST chunks a thread.
//
//     chunk: [ chunk | header block | header block | ... ]       header: the chunk, or NULL for a block of its own
//
// A chunk belongs to the thread that made it, which needs no lock. Another thread that frees a block only counts it
// (`gone`), so its place is used again when the whole chunk is. The end of a thread abandons chunks with blocks in
// use: it takes their number from `gone`, and whoever brings it to zero frees the chunk.
//
// Every block counts as an allocation of its own, and fails where tests say so. With an allocator hook, or where a tool
// watches memory (CH_POOL is 0 under AddressSanitizer and in ./run valgrind), every block is an allocation.
#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 << 10, STEP = 64, CLASSES = 16, SPARE_MOST = 512, LOOK_AT = 4 };

typedef struct pool_chunk {
    _Atomic uint64_t owner;     // the number of a thread's pool; 0: abandoned
    atomic_llong gone;          // blocks freed by other threads
    int64_t live;               // blocks given out less those that the owner freed
    void *free;                 // blocks freed by the owner, linked
    int class, capacity, fresh; // fresh: the first so many have been given out once
    bool full;
    struct pool_chunk *next, *prev;
} pool_chunk;

typedef union {
    pool_chunk *chunk;
    char room[16];
} pool_header;

// A ring of chunks around a head.
typedef struct {
    pool_chunk *first;
} pool_ring;

static _Thread_local struct {
    uint64_t id; // 0: none yet
    pool_chunk *current[CLASSES], *spare;
    pool_ring partial[CLASSES], full[CLASSES];
    int n_spare;
} pool_mine;

static _Atomic uint64_t pool_ids = 1;
static _Atomic int64_t pool_held, pool_taken; // chunks alive, and taken from the system so far
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;
static pthread_key_t pool_key;
static bool pool_have_key;

int64_t ch__pool_chunks(void) { return atomic_load_explicit(&pool_held, memory_order_relaxed); }
int64_t ch__pool_taken(void) { return atomic_load_explicit(&pool_taken, memory_order_relaxed); }

// ---------------------------------------------------------------- rings
static void ring_push(pool_ring *r, pool_chunk *c) { // at the end
    if (r->first == NULL) {
        r->first = c->next = c->prev = c;
        return;
    }
    c->next = r->first;
    c->prev = r->first->prev;
    c->prev->next = c->next->prev = c;
}

static void ring_take(pool_ring *r, pool_chunk *c) {
    if (c->next == c) {
        r->first = NULL;
        return;
    }
    c->prev->next = c->next;
    c->next->prev = c->prev;
    if (r->first == c) r->first = c->next;
}

// ---------------------------------------------------------------- chunks
static size_t pool_block_size(int class) { return sizeof(pool_header) + (size_t)(class + 1) * STEP; }
static char *block_at(pool_chunk *c, int i) {
    return (char *)c + (sizeof *c + 15) / 16 * 16 + (size_t)i * pool_block_size(c->class);
}

static void chunk_destroy(pool_chunk *c) {
    atomic_fetch_sub_explicit(&pool_held, 1, memory_order_relaxed);
    free(c);
}

static bool chunk_empty(pool_chunk *c) { return c->live == atomic_load_explicit(&c->gone, memory_order_acquire); }

// Of no class any more.
static void chunk_spare(pool_chunk *c) {
    if (pool_mine.n_spare == SPARE_MOST) {
        chunk_destroy(c);
        return;
    }
    c->next = pool_mine.spare;
    pool_mine.spare = c;
    pool_mine.n_spare++;
}

static void chunk_start(pool_chunk *c, int class) {
    c->class = class;
    c->capacity = (int)((CHUNK - (sizeof *c + 15) / 16 * 16) / pool_block_size(class));
    c->live = 0;
    c->free = NULL;
    c->fresh = 0;
    c->full = false;
    atomic_store_explicit(&c->gone, 0, memory_order_relaxed);
}

static pool_chunk *chunk_new(void) {
    pool_chunk *c = pool_mine.spare;
    if (c != NULL) {
        pool_mine.spare = c->next;
        pool_mine.n_spare--;
        return c;
    }
    c = malloc(CHUNK);
    if (c == NULL) return NULL;
    atomic_init(&c->owner, pool_mine.id);
    atomic_init(&c->gone, 0);
    atomic_fetch_add_explicit(&pool_held, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&pool_taken, 1, memory_order_relaxed);
    return c;
}

// ---------------------------------------------------------------- threads
static void abandon(pool_chunk *c) {
    if (c == NULL) return;
    int64_t live = c->live;
    atomic_store_explicit(&c->owner, 0, memory_order_relaxed);
    if (atomic_fetch_sub_explicit(&c->gone, live, memory_order_acq_rel) == live) chunk_destroy(c);
}

static void abandon_ring(pool_ring *r) {
    while (r->first != NULL) {
        pool_chunk *c = r->first;
        ring_take(r, c);
        abandon(c);
    }
}

void ch__pool_thread_end(void) {
    for (int k = 0; k < CLASSES; k++) {
        abandon(pool_mine.current[k]);
        pool_mine.current[k] = NULL;
        abandon_ring(&pool_mine.partial[k]);
        abandon_ring(&pool_mine.full[k]);
    }
    while (pool_mine.spare != NULL) {
        pool_chunk *c = pool_mine.spare;
        pool_mine.spare = c->next;
        chunk_destroy(c);
    }
    pool_mine.n_spare = 0;
    pool_mine.id = 0;
}

static void pool_thread_exit(void *arg) {
    (void)arg;
    ch__pool_thread_end();
}

static void pool_make_key(void) { pool_have_key = pthread_key_create(&pool_key, pool_thread_exit) == 0; }

static void pool_begin(void) {
    pthread_once(&pool_once, pool_make_key);
    if (pool_have_key) pthread_setspecific(pool_key, &pool_mine);
    pool_mine.id = atomic_fetch_add_explicit(&pool_ids, 1, memory_order_relaxed);
}

// ---------------------------------------------------------------- blocks
// A chunk with room instead of the one that has none.
static pool_chunk *next_chunk(int class) {
    if (pool_mine.id == 0) pool_begin();
    pool_chunk *c = pool_mine.current[class];
    if (c != NULL) {
        c->full = true;
        ring_push(&pool_mine.full[class], c);
        pool_mine.current[class] = NULL;
    }
    if ((c = pool_mine.partial[class].first) != NULL) {
        ring_take(&pool_mine.partial[class], c);
        return pool_mine.current[class] = c;
    }
    for (int i = 0; i < LOOK_AT && pool_mine.full[class].first != NULL; i++) { // emptied by other threads?
        c = pool_mine.full[class].first;
        if (chunk_empty(c)) {
            ring_take(&pool_mine.full[class], c);
            chunk_start(c, class);
            return pool_mine.current[class] = c;
        }
        pool_mine.full[class].first = c->next; // looked at next time round
    }
    if ((c = chunk_new()) != NULL) chunk_start(c, class);
    return pool_mine.current[class] = c;
}

static void *block_of_its_own(size_t bytes) {
    pool_header *h = bytes > PTRDIFF_MAX ? NULL : ch__alloc(sizeof *h + bytes);
    if (h == NULL) return NULL;
    h->chunk = NULL;
    return h + 1;
}

void *ch__pool_alloc(size_t bytes) {
    if (!CH_POOL || bytes > CLASSES * STEP || ch__alloc_hooked()) return block_of_its_own(bytes);
    if (!ch__alloc_admit()) return NULL;
    int class = bytes == 0 ? 0 : (int)((bytes - 1) / STEP);
    pool_chunk *c = pool_mine.current[class];
    if (c == NULL || (c->free == NULL && c->fresh == c->capacity)) c = next_chunk(class);
    if (c == NULL) return NULL;
    char *block = c->free;
    if (block != NULL)
        memcpy(&c->free, block + sizeof(pool_header), sizeof(void *));
    else
        block = block_at(c, c->fresh++);
    c->live++;
    ((pool_header *)(void *)block)->chunk = c;
    ch__alloc_counted(1);
    return block + sizeof(pool_header);
}

static void freed_elsewhere(pool_chunk *c) {
    if (atomic_fetch_add_explicit(&c->gone, 1, memory_order_acq_rel) == -1) chunk_destroy(c);
}

void ch__pool_free(void *p) {
    if (p == NULL) return;
    pool_header *h = (pool_header *)p - 1;
    pool_chunk *c = h->chunk;
    if (c == NULL) {
        ch__free(h);
        return;
    }
    ch__alloc_counted(-1);
    if (pool_mine.id == 0 || atomic_load_explicit(&c->owner, memory_order_relaxed) != pool_mine.id) {
        freed_elsewhere(c);
        return;
    }
    memcpy(p, &c->free, sizeof(void *));
    c->free = h;
    c->live--;
    bool empty = chunk_empty(c), current = pool_mine.current[c->class] == c;
    if (current) {
        if (empty) chunk_start(c, c->class); // from its beginning again
        return;
    }
    if (!empty && !c->full) return;
    ring_take(c->full ? &pool_mine.full[c->class] : &pool_mine.partial[c->class], c);
    c->full = false;
    if (empty)
        chunk_spare(c);
    else
        ring_push(&pool_mine.partial[c->class], c);
}
