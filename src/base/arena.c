// SPDX-License-Identifier: Apache-2.0
// arena.c - memory that is given back all at once.
//
// An arena is a list of chunks; a block is cut from the newest. The arena itself lies in its first chunk, which is
// small enough for the C library's per-thread cache, so that an arena for one tiny func costs one cheap malloc.
// Chunks double up to 4 MiB; those of 2 MiB and more ask for huge pages, which saves a quarter of the time of a func of
// 100,000 operations, spent in page faults. A block that would waste much of a fresh chunk gets a chunk of its own,
// behind the newest, whose rest stays in use. Only what is handed out is cleared.
//
// An arena knows the pointer that points to it (`link`: the frame's list head or the previous arena's `next`), so it
// leaves the list of its frame without knowing the frame.
#include "base/base.h"

#include <string.h>

#define ARENA_FIRST 976 // with both headers below 1,032 bytes, the largest that glibc caches per thread
#define ARENA_LARGEST (1u << 22)
#define ARENA_HUGE (1u << 21)
#if defined(CH_ASAN)
#define ARENA_GAP 16 // not accessible, between blocks
#else
#define ARENA_GAP 0
#endif

typedef struct arena_chunk {
    struct arena_chunk *next;
    size_t bytes; // behind this header
} arena_chunk;

typedef struct arena_deferred {
    struct arena_deferred *next;
    void (*fn)(void *);
    void *arg;
} arena_deferred;

struct ch__arena {
    char *at, *end;           // the free part of the newest chunk
    arena_chunk *chunks;      // newest first; the last one holds this struct
    arena_deferred *deferred; // newest first
    ch__arena **link, *next;  // the frame's list; link is NULL when in none
    size_t next_bytes, total;
};

static void arena_enlist(ch__arena *a, ch__arena **list) {
    a->link = list;
    a->next = *list;
    if (a->next) a->next->link = &a->next;
    *list = a;
}

void ch__arena_keep(ch__arena *a) {
    if (!a->link) return;
    *a->link = a->next;
    if (a->next) a->next->link = a->link;
    a->link = NULL;
    a->next = NULL;
}

ch__arena *ch__arena_create(void) {
    arena_chunk *c = ch__alloc(sizeof *c + ARENA_FIRST);
    if (!c) ch__raise_oom();
    c->next = NULL;
    c->bytes = ARENA_FIRST;
    ch__arena *a = (ch__arena *)(c + 1);
    memset(a, 0, sizeof *a);
    a->at = (char *)(a + 1);
    a->end = (char *)(c + 1) + ARENA_FIRST;
    a->chunks = c;
    a->next_bytes = 2 * (size_t)ARENA_FIRST;
    a->total = sizeof *c + ARENA_FIRST;
    CH_POISON(a->at, (size_t)(a->end - a->at));
    ch__arena **list = ch__protect_list();
    if (list) arena_enlist(a, list);
    return a;
}

void ch__arena_destroy(ch__arena *a) {
    if (!a) return;
    ch__arena_keep(a);
    while (a->deferred) {
        arena_deferred *d = a->deferred;
        a->deferred = d->next;
        d->fn(d->arg);
    }
    for (arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        CH_UNPOISON(c + 1, c->bytes);
        ch__free(c);
    }
}

void ch__arena_list_destroy(ch__arena **list) {
    while (*list) ch__arena_destroy(*list);
}

void ch__arena_list_move(ch__arena **from, ch__arena **to) {
    // Oldest last in both, so that a later raise still destroys the newest first.
    ch__arena *last = *from;
    if (!last) return;
    if (!to) {
        while (*from) ch__arena_keep(*from);
        return;
    }
    while (last->next) last = last->next;
    last->next = *to;
    if (last->next) last->next->link = &last->next;
    *to = *from;
    (*to)->link = to;
    *from = NULL;
}

// Puts a fresh chunk before the newest; false when memory ends.
static bool arena_chunk_add(ch__arena *a) {
    size_t size = a->next_bytes;
    arena_chunk *c = ch__alloc(sizeof *c + size);
    if (!c) return false;
    c->bytes = size;
    c->next = a->chunks;
    a->chunks = c;
    a->total += sizeof *c + size;
    a->at = (char *)(c + 1);
    a->end = a->at + size;
    if (size >= ARENA_HUGE) ch__advise_huge(c, size);
    if (a->next_bytes < ARENA_LARGEST) a->next_bytes *= 2;
    CH_POISON(a->at, size);
    return true;
}

// A chunk of its own for one large block, behind the newest.
CH_COLD static void *arena_alone(ch__arena *a, size_t bytes) {
    if (bytes > PTRDIFF_MAX - sizeof(arena_chunk)) ch__raise_oom();
    arena_chunk *c = ch__calloc(1, sizeof *c + bytes);
    if (!c) ch__raise_oom();
    c->bytes = bytes;
    c->next = a->chunks->next;
    a->chunks->next = c;
    a->total += sizeof *c + bytes;
    return c + 1;
}

void *ch__arena_alloc(ch__arena *a, size_t bytes) {
    if (bytes == 0) bytes = 1;
    for (;;) {
        size_t pad = (size_t) - (uintptr_t)a->at & (bytes >= 16 ? 15 : 7);
        size_t room = (size_t)(a->end - a->at);
        if (CH_LIKELY(room >= pad && room - pad >= bytes)) {
            char *p = a->at + pad;
            a->at = (size_t)(a->end - p) - bytes > ARENA_GAP ? p + bytes + ARENA_GAP : a->end;
            CH_UNPOISON(p, bytes);
            return memset(p, 0, bytes);
        }
        if (bytes > a->next_bytes / 4) return arena_alone(a, bytes);
        if (!arena_chunk_add(a)) ch__raise_oom();
    }
}

bool ch__arena_extend(ch__arena *a, void *p, size_t old_bytes, size_t bytes) {
    if (!p || bytes < old_bytes) return false;
    char *old_end = (char *)p + old_bytes;
    size_t more = bytes - old_bytes;
    if (old_end + ARENA_GAP != a->at || more > (size_t)(a->end - a->at)) return false;
    CH_UNPOISON(old_end, more);
    memset(old_end, 0, more);
    a->at += more;
    return true;
}

void *ch__arena_array(ch__arena *a, size_t n, size_t bytes) {
    if (bytes != 0 && n > PTRDIFF_MAX / bytes) ch__raise_oom();
    return ch__arena_alloc(a, n * bytes);
}

void *ch__arena_dup(ch__arena *a, const void *p, size_t bytes) {
    void *q = ch__arena_alloc(a, bytes);
    if (bytes != 0) memcpy(q, p, bytes);
    return q;
}

char *ch__arena_strndup(ch__arena *a, const char *s, size_t n) {
    if (n == SIZE_MAX) ch__raise_oom();
    char *q = ch__arena_alloc(a, n + 1);
    if (n != 0) memcpy(q, s, n);
    return q;
}

char *ch__arena_strdup(ch__arena *a, const char *s) { return ch__arena_strndup(a, s, strlen(s)); }

char *ch__arena_printf(ch__arena *a, const char *fmt, ...) {
    char small[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0) n = 0;
    if ((size_t)n < sizeof small) return ch__arena_strndup(a, small, (size_t)n);
    char *out = ch__arena_alloc(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(out, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return out;
}

void ch__arena_defer(ch__arena *a, void (*fn)(void *), void *arg) {
    arena_deferred *d;
    size_t room = (size_t)(a->end - a->at);
    if (room < sizeof *d + 16 && !arena_chunk_add(a)) {
        fn(arg); // else nobody would ever call it
        ch__raise_oom();
    }
    d = CH_NEW(a, arena_deferred);
    d->fn = fn;
    d->arg = arg;
    d->next = a->deferred;
    a->deferred = d;
}

size_t ch__arena_bytes(const ch__arena *a) { return a->total; }
