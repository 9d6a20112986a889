// SPDX-License-Identifier: Apache-2.0
// buffer.c - the memory of one run: counted buffers, small ones in their node, the last few large ones kept for reuse.
//
// Loops make and drop the same sizes over and over, so the blocks of up to CH__CACHE dropped buffers wait for a request
// of exactly their size. Nodes come from an array in the run itself, then from chunks on the heap; they are never given
// back before the run ends, which makes the end of a failed run simple: every node that still has a block frees it.
#include "interp/exec.h"

#define CHUNK_BUFS 63
#define CACHE_LIMIT ((int64_t)256 << 20) // bytes that may wait

struct ch__chunk {
    ch__chunk *next;
    int used;
    ch__buf bufs[CHUNK_BUFS];
};

static _Thread_local ch__interp_counts counts_here;

ch__interp_counts *ch__interp_counts_here(void) { return &counts_here; }

void ch__run_init(ch__run *r, const ch__limits *limits) {
    memset(r, 0, offsetof(ch__run, first));
    if (limits) r->limits = *limits;
    if (r->limits.max_depth <= 0) r->limits.max_depth = 1000;
    r->watch = r->limits.max_steps > 0 || r->limits.cancel != NULL;
}

static ch__buf *node(ch__run *r) {
    ch__buf *b = r->free;
    if (b) {
        r->free = b->next;
        return b;
    }
    if (r->used_first < CH__FIRST_BUFS) return &r->first[r->used_first++];
    if (!r->chunks || r->chunks->used == CHUNK_BUFS) {
        ch__chunk *c = ch__alloc(sizeof *c);
        if (!c) {
            ch__fail_oom("interp");
            return NULL;
        }
        c->used = 0;
        c->next = r->chunks;
        r->chunks = c;
    }
    return &r->chunks->bufs[r->chunks->used++];
}

static void *block(ch__run *r, int64_t bytes) {
    for (int i = 0; i < CH__CACHE; i++) {
        if (r->cache[i].p && r->cache[i].bytes == bytes) {
            void *p = r->cache[i].p;
            r->cache[i].p = NULL;
            r->cache_bytes -= bytes;
            return p;
        }
    }
    return ch__alloc_aligned((size_t)bytes, 64);
}

ch__buf *ch__buf_new(ch__run *r, int64_t bytes) {
    if (bytes > CH__SMALL_BYTES) return ch__buf_new_heap(r, bytes);
    ch__buf *b = node(r);
    if (!b) return NULL;
    b->bytes = bytes;
    b->refs = 1;
    b->kind = CH__BUF_SMALL;
    b->data = b->small;
    return b;
}

ch__buf *ch__buf_new_heap(ch__run *r, int64_t bytes) {
    ch__buf *b = node(r);
    if (!b) return NULL;
    b->bytes = bytes;
    b->refs = 1;
    b->kind = CH__BUF_HEAP;
    b->data = NULL;
    if (r->limits.max_bytes > 0 && bytes > r->limits.max_bytes - r->live_bytes) {
        ch__fail(CH__E_limit,
                 "interp: %" PRId64 " bytes more than the %" PRId64 " in use — at most %" PRId64
                 " bytes of intermediates are allowed",
                 bytes, r->live_bytes, r->limits.max_bytes);
    } else if (!(b->data = block(r, bytes > 0 ? bytes : 1))) {
        ch__fail_oom("interp");
    }
    if (!b->data) {
        b->kind = CH__BUF_SMALL;
        b->next = r->free;
        r->free = b;
        return NULL;
    }
    r->live_bytes += bytes;
    r->counts.buffers++;
    return b;
}

ch__buf *ch__buf_wrap(ch__run *r, void *data, int64_t bytes, ch__buf_kind kind) {
    ch__buf *b = node(r);
    if (!b) return NULL;
    b->data = data ? data : b->small; // of no elements: an address to count from
    b->bytes = bytes;
    b->refs = 1;
    b->kind = (int32_t)kind;
    return b;
}

static void keep_block(ch__run *r, void *p, int64_t bytes) {
    int i = r->cache_next++ % CH__CACHE;
    for (int k = 0; k < CH__CACHE; k++)
        if (!r->cache[k].p) i = k;
    if (r->cache[i].p) {
        ch__free_aligned(r->cache[i].p);
        r->cache_bytes -= r->cache[i].bytes;
        r->cache[i].p = NULL;
    }
    if (bytes > CACHE_LIMIT - r->cache_bytes) {
        ch__free_aligned(p);
        return;
    }
    r->cache[i].p = p;
    r->cache[i].bytes = bytes;
    r->cache_bytes += bytes;
}

void ch__buf_release(ch__run *r, ch__buf *b) {
    if (--b->refs > 0) return;
    if (b->kind == CH__BUF_HEAP) {
        r->live_bytes -= b->bytes;
        keep_block(r, b->data, b->bytes > 0 ? b->bytes : 1);
    } else if (b->kind == CH__BUF_TAPE) {
        ch__tape_release(r, b->data);
    }
    b->kind = CH__BUF_SMALL;
    b->next = r->free;
    r->free = b;
}

void ch__run_finish(ch__run *r) {
    counts_here.ops += r->counts.ops;
    counts_here.buffers += r->counts.buffers;
    counts_here.copies += r->counts.copies;
    counts_here.in_place += r->counts.in_place;
    while (r->tapes) ch__tape_release(r, r->tapes);
    for (int i = 0; i < CH__CACHE; i++)
        if (r->cache[i].p) ch__free_aligned(r->cache[i].p);
    for (int i = 0; i < r->used_first; i++)
        if (r->first[i].kind == CH__BUF_HEAP) ch__free_aligned(r->first[i].data);
    while (r->chunks) {
        ch__chunk *c = r->chunks;
        r->chunks = c->next;
        for (int i = 0; i < c->used; i++)
            if (c->bufs[i].kind == CH__BUF_HEAP) ch__free_aligned(c->bufs[i].data);
        ch__free(c);
    }
}
