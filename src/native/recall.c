// SPDX-License-Identifier: Apache-2.0
// recall.c - the code of a func that was printed before, without printing it again.
//
// What is printed follows from the func and from the printer. The func is its IR text, which reads back to the same
// func (places in sources left out: they are comments of the C text); the printer is this build of the library, by the
// linker's hash of its file. So an entry beside the code on disk, under the SHA-256 of the IR text and of what else
// code depends on, says under which key the code lies, and what the engine wants of the printing: when each array of
// the arena is in use. The build is in the entry and not in its name, so that a library that is built again writes over
// what the last one left. Printing the IR takes a thirtieth of printing C (gpt_step of bench_native: 1 of 28 ms).
//
// Not remembered: funcs with constants of more than 64 kB in all, whose text would take longer; those whose constants
// are handed to the code (256 numbers and more); timed code; anything, where the linker made no hash.
#include "native/native.h"

#include <stdatomic.h>
#include <string.h>

static atomic_llong recalls;

int64_t ch__native_recalls(void) { return atomic_load(&recalls); }

enum { MOST_CONSTANTS = 65536, MOST_RECALLED = 1 << 20 };

// ---------------------------------------------------------------- the key
struct recall_args {
    const ch_func *func;
    int64_t bytes; // of constants
    ch__native_memory *out;
};

static void add_constants(void *arg, ch__op *op) {
    struct recall_args *r = arg;
    for (int i = 0; i < op->n_attrs; i++) {
        if (ch__attr_kind_of(op->attrs[i].id) != CH__AK_ARRAY || op->attrs[i].array->splat) continue;
        const ch__array *a = op->attrs[i].array;
        int64_t n = 0;
        if (!ch__numel(a->rank, a->dims, &n) || n > MOST_CONSTANTS) n = MOST_CONSTANTS + 1;
        if (r->bytes <= MOST_CONSTANTS) r->bytes += n * (int64_t)ch_dtype_size(a->dtype);
    }
}

static void make_func_key(void *arg) {
    struct recall_args *r = arg;
    for (const ch_func *f = r->func->module->first; f != NULL; f = f->next) ch__walk(f->body, add_constants, r);
    if (r->bytes > MOST_CONSTANTS) return;
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__text_init(&t, a);
    ch__native_put_surroundings(&t, "");
    ch__putf(&t, "@%s\n", r->func->name);
    ch__print_meaning(&t, r->func->module);
    r->out->key = ch__sha256_of(t.data, (size_t)t.n);
    r->out->used = true;
    ch__arena_destroy(a);
}

void ch__native_memory_of(const ch_func *f, ch__native_memory *out) {
    char folder[1024];
    struct recall_args r = {.func = f, .out = out};
    *out = (ch__native_memory){0};
    if (ch__native_compiler() == NULL || !ch__cache_home(folder, sizeof folder) || !ch__build_id(out->build)) return;
    if (ch__protect(make_func_key, &r) != CH_OK) out->used = false;
}

// ---------------------------------------------------------------- an entry
typedef struct {
    unsigned char build[CH__BUILD_ID];
    int32_t n_arrays;
    ch__sha256 code;
} recall_head; // and n_arrays of ch__c_live

struct lives_args {
    ch__arena *arena;
    const void *from;
    size_t n;
    ch__c_live *out;
};

static void copy_lives(void *arg) {
    struct lives_args *l = arg;
    l->arena = ch__arena_create();
    l->out = CH_NEW_ARRAY(l->arena, ch__c_live, l->n);
    if (l->n > 0) memcpy(l->out, l->from, l->n * sizeof *l->out);
}

bool ch__native_recall(const ch__native_memory *m, ch__arena **out_arena, ch__native_library *out,
                       ch__c_native *out_c) {
    void *data = NULL;
    size_t n = 0;
    if (!m->used || !ch__cache_get(&ch__cache_funcs, &m->key, &data, &n)) return false;
    recall_head h;
    bool good = n >= sizeof h;
    if (good) memcpy(&h, data, sizeof h);
    good = good && memcmp(h.build, m->build, sizeof h.build) == 0 && h.n_arrays >= 0 && h.n_arrays <= MOST_RECALLED;
    good = good && n == sizeof h + (size_t)h.n_arrays * sizeof(ch__c_live);
    struct lives_args l = {.from = (const char *)data + sizeof h, .n = good ? (size_t)h.n_arrays : 0};
    good = good && ch__protect(copy_lives, &l) == CH_OK;
    ch__free(data);
    if (!good) return false;
    ch__arena_keep(l.arena);
    if (!ch__native_cached_as(&h.code, out)) {
        ch__arena_destroy(l.arena);
        return false;
    }
    *out_arena = l.arena;
    *out_c = (ch__c_native){.n_arrays = h.n_arrays, .arrays = l.out};
    atomic_fetch_add(&recalls, 1);
    return true;
}

void ch__native_remember(const ch__native_memory *m, const ch__native_library *l, const ch__c_native *c) {
    if (!m->used || c->data.n > 0 || c->n_arrays > MOST_RECALLED) return;
    recall_head h = {.n_arrays = c->n_arrays, .code = l->key};
    size_t lives = (size_t)c->n_arrays * sizeof *c->arrays;
    memcpy(h.build, m->build, sizeof h.build);
    char *all = ch__alloc(sizeof h + lives);
    if (all == NULL) return; // it is printed again
    memcpy(all, &h, sizeof h);
    if (lives > 0) memcpy(all + sizeof h, c->arrays, lives);
    ch__cache_put(&ch__cache_funcs, &m->key, all, sizeof h + lives);
    ch__free(all);
}
