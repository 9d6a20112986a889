// SPDX-License-Identifier: Apache-2.0
// sharding.c - how an array lies on a mesh of devices, as text, as data, and on a func's params and results.
//
//   sharding = name "[" axis "=" size {"," axis "=" size} "]" [order] "[" [dim {"," dim}] "]" [whole]
//   whole    = "replicated={" parts "}"
//   order    = "device_ids=[" number {"," number} "]"     which device stands at each position of the mesh
//   dim      = "{" [parts] ["?"] "}" ["p" priority]       parts = part {"," part}
//   part     = axis [":(" before ")" size]                a part of an axis, as Shardy's sub-axes
//
// The mesh stands in the text itself, so that a sharding means the same wherever a transform puts it; StableHLO text
// names each mesh once (hlo/emit_shard.c). The words are Shardy's (openxla.org/shardy): a dim's axes cut it, the first
// one most slowly; "?" lets the compiler add axes; an axis cuts one dim only.
#include "ir/ir.h"

#include <string.h>

#define SHARD_MOST 64 // axes of a mesh, parts of a dim

typedef struct {
    ch__arena *a;
    const char *who, *text, *at;
} shard_text;

// ---------------------------------------------------------------- reading
CH_NORETURN static void shard_bad(const shard_text *t, const char *what) {
    ch__raise(CH__E_attribute, "%s: sharding \"%s\", character %d — %s", t->who, t->text, (int)(t->at - t->text) + 1,
              what);
}

static void shard_blanks(shard_text *t) { t->at += strspn(t->at, " "); }

static bool shard_eat(shard_text *t, const char *word) {
    shard_blanks(t);
    size_t n = strlen(word);
    if (strncmp(t->at, word, n) != 0) return false;
    t->at += n;
    return true;
}

static void shard_want(shard_text *t, const char *word) {
    if (!shard_eat(t, word)) shard_bad(t, ch__arena_printf(t->a, "'%s' is expected", word));
}

static const char *shard_name(shard_text *t, const char *what) {
    shard_blanks(t);
    size_t n = 0;
    for (; (t->at[n] >= 'a' && t->at[n] <= 'z') || (t->at[n] >= 'A' && t->at[n] <= 'Z') || t->at[n] == '_' ||
           (n > 0 && t->at[n] >= '0' && t->at[n] <= '9');)
        n++;
    if (n == 0) shard_bad(t, ch__arena_printf(t->a, "%s is expected: letters, digits and _", what));
    t->at += n;
    return ch__arena_strndup(t->a, t->at - n, n);
}

static int64_t shard_number(shard_text *t, int64_t least) {
    shard_blanks(t);
    int64_t v = 0;
    const char *from = t->at;
    for (; *t->at >= '0' && *t->at <= '9'; t->at++)
        if (!ch__mul_i64(v, 10, &v) || !ch__add_i64(v, *t->at - '0', &v) || v > CH__MAX_REPLICAS)
            shard_bad(t, ch__arena_printf(t->a, "numbers end at %d", CH__MAX_REPLICAS));
    if (t->at == from || v < least) {
        t->at = from;
        shard_bad(t, ch__arena_printf(t->a, "a number from %" PRId64 " on is expected", least));
    }
    return v;
}

static void shard_mesh(shard_text *t, ch__sharding *s) {
    const char *axes[SHARD_MOST];
    int64_t sizes[SHARD_MOST], all = 1;
    s->mesh = shard_name(t, "the name of the mesh");
    shard_want(t, "[");
    while (!shard_eat(t, "]")) {
        if (s->n_axes > 0) shard_want(t, ",");
        if (s->n_axes == SHARD_MOST) shard_bad(t, "a mesh of more than 64 axes");
        const char *name = shard_name(t, "the name of an axis");
        for (int i = 0; i < s->n_axes; i++)
            if (strcmp(axes[i], name) == 0)
                shard_bad(t, ch__arena_printf(t->a, "the mesh has the axis %s twice", name));
        shard_want(t, "=");
        axes[s->n_axes] = name;
        sizes[s->n_axes] = shard_number(t, 1);
        all *= sizes[s->n_axes++];
        if (all > CH__MAX_REPLICAS)
            shard_bad(t, ch__arena_printf(t->a, "a mesh has at most %d devices", CH__MAX_REPLICAS));
    }
    s->axes = ch__arena_dup(t->a, axes, (size_t)s->n_axes * sizeof *axes);
    s->sizes = ch__arena_dup(t->a, sizes, (size_t)s->n_axes * sizeof *sizes);
}

// Every device once, at the position of the mesh where its number stands. The plain order is none.
static void shard_order(shard_text *t, ch__sharding *s) {
    const int64_t n = ch__sharding_devices(s);
    if (!shard_eat(t, "device_ids=")) return;
    shard_want(t, "[");
    int64_t *ids = CH_NEW_ARRAY(t->a, int64_t, n + 1), k = 0;
    bool *taken = CH_NEW_ARRAY(t->a, bool, n + 1), plain = true;
    for (; !shard_eat(t, "]"); k++) {
        if (k > 0) shard_want(t, ",");
        if (k == n)
            shard_bad(t, ch__arena_printf(t->a, "device_ids names more than the %d devices of the mesh", (int)n));
        ids[k] = shard_number(t, 0);
        if (ids[k] >= n || taken[ids[k]])
            shard_bad(t, ch__arena_printf(t->a, ids[k] >= n ? "device %d of a mesh of %d" : "device %d is named twice",
                                          (int)ids[k], (int)n));
        taken[ids[k]] = true;
        plain = plain && ids[k] == k;
    }
    if (k != n)
        shard_bad(t, ch__arena_printf(t->a, "device_ids names %d of the %d devices of the mesh", (int)k, (int)n));
    s->ids = plain ? NULL : ids;
}

static int axis_index(const ch__sharding *s, const char *name) {
    for (int i = 0; i < s->n_axes; i++)
        if (strcmp(s->axes[i], name) == 0) return i;
    return -1;
}

// Two parts of one axis meet unless one ends before the other begins: [before, before * size) as digits of the index.
static bool parts_meet(const ch__axis_part *x, const ch__axis_part *y) {
    if (strcmp(x->axis, y->axis) != 0) return false;
    if (x->size == 0 || y->size == 0) return true;
    return x->before < y->before * y->size && y->before < x->before * x->size;
}

static void part_is_free(shard_text *t, const ch__sharding *s, const ch__axis_part *p, int n,
                         const ch__axis_part *own) {
    bool taken = false;
    for (int i = 0; i < n; i++) taken |= parts_meet(p, &own[i]);
    for (int d = 0; d < s->rank; d++)
        for (int i = 0; i < s->dims[d].n; i++) taken |= parts_meet(p, &s->dims[d].parts[i]);
    if (taken) shard_bad(t, ch__arena_printf(t->a, "the axis %s is used twice — it cuts one dim only", p->axis));
}

static ch__axis_part shard_part(shard_text *t, const ch__sharding *s) {
    ch__axis_part p = {.axis = shard_name(t, "the name of an axis")};
    int at = axis_index(s, p.axis);
    if (at < 0) shard_bad(t, ch__arena_printf(t->a, "the mesh %s has no axis %s", s->mesh, p.axis));
    if (!shard_eat(t, ":")) return p;
    shard_want(t, "(");
    p.before = shard_number(t, 1);
    shard_want(t, ")");
    p.size = shard_number(t, 2);
    if (p.before * p.size > s->sizes[at] || s->sizes[at] % (p.before * p.size) != 0)
        shard_bad(t, ch__arena_printf(t->a, "%s is %" PRId64 " devices long, (%" PRId64 ")%" PRId64 " is no part of it",
                                      p.axis, s->sizes[at], p.before, p.size));
    return p;
}

// Up to "}": parts, and "?" where it may stand.
static int shard_parts(shard_text *t, const ch__sharding *s, const ch__axis_part **out, bool *open) {
    ch__axis_part parts[SHARD_MOST];
    int n = 0;
    bool more = false;
    while (!shard_eat(t, "}")) {
        if (more) shard_bad(t, "'}' is expected after '?'");
        if (n > 0) shard_want(t, ",");
        if (open && shard_eat(t, "?")) {
            *open = more = true;
            continue;
        }
        if (n == SHARD_MOST) shard_bad(t, "more than 64 axes");
        parts[n] = shard_part(t, s);
        part_is_free(t, s, &parts[n], n, parts);
        n++;
    }
    *out = ch__arena_dup(t->a, parts, (size_t)n * sizeof *parts);
    return n;
}

const ch__sharding *ch__sharding_read(ch__arena *a, const char *who, const char *text) {
    shard_text t = {a, who, text, text};
    ch__sharding *s = CH_NEW(a, ch__sharding);
    ch__shard_dim dims[CH__MAX_RANK];
    s->dims = dims;
    shard_mesh(&t, s);
    shard_order(&t, s);
    shard_want(&t, "[");
    while (!shard_eat(&t, "]")) {
        if (s->rank > 0) shard_want(&t, ",");
        if (s->rank == CH__MAX_RANK) shard_bad(&t, "more dims than an array can have");
        ch__shard_dim d = {.priority = -1};
        shard_want(&t, "{");
        d.n = shard_parts(&t, s, &d.parts, &d.open);
        if (shard_eat(&t, "p")) d.priority = shard_number(&t, 0);
        dims[s->rank++] = d;
    }
    if (shard_eat(&t, "replicated=")) {
        shard_want(&t, "{");
        s->n_replicated = shard_parts(&t, s, &s->replicated, NULL);
    }
    shard_blanks(&t);
    if (*t.at) shard_bad(&t, "the end is expected");
    s->dims = ch__arena_dup(a, dims, (size_t)s->rank * sizeof *dims);
    return s;
}

// ---------------------------------------------------------------- writing
void ch__axis_parts_print(ch__text *t, int n, const ch__axis_part *parts, bool open, const char *quote) {
    ch__putc(t, '{');
    for (int i = 0; i < n; i++) {
        ch__putf(t, "%s%s%s%s", i ? ", " : "", quote, parts[i].axis, quote);
        if (parts[i].size) ch__putf(t, ":(%" PRId64 ")%" PRId64, parts[i].before, parts[i].size);
    }
    ch__putf(t, "%s}", !open ? "" : n ? ", ?" : "?");
}

void ch__mesh_print(ch__text *t, const ch__sharding *s, const char *quote) {
    ch__putc(t, '[');
    for (int i = 0; i < s->n_axes; i++)
        ch__putf(t, "%s%s%s%s=%" PRId64, i ? ", " : "", quote, s->axes[i], quote, s->sizes[i]);
    ch__putc(t, ']');
    if (s->ids == NULL) return;
    ch__putf(t, "%s device_ids=[", *quote ? "," : "");
    for (int64_t k = 0; k < ch__sharding_devices(s); k++) ch__putf(t, "%s%" PRId64, k ? ", " : "", s->ids[k]);
    ch__putc(t, ']');
}

void ch__sharding_print(ch__text *t, const ch__sharding *s) {
    ch__put(t, s->mesh);
    ch__mesh_print(t, s, "");
    ch__put(t, " [");
    for (int i = 0; i < s->rank; i++) {
        if (i) ch__put(t, ", ");
        ch__axis_parts_print(t, s->dims[i].n, s->dims[i].parts, s->dims[i].open, "");
        if (s->dims[i].priority >= 0) ch__putf(t, "p%" PRId64, s->dims[i].priority);
    }
    ch__putc(t, ']');
    if (!s->n_replicated) return;
    ch__put(t, " replicated=");
    ch__axis_parts_print(t, s->n_replicated, s->replicated, false, "");
}

// ---------------------------------------------------------------- what follows from it
void ch__sharding_fits(const ch__sharding *s, const char *who, const ch__type *type) {
    if (type->tape) ch__raise(CH__E_attribute, "%s: a tape is not sharded", who);
    if (s->rank == type->rank) return;
    ch__raise(CH__E_attribute,
              "%s: the sharding is of rank %d, the array of rank %d — a {} for each axis that is whole", who, s->rank,
              type->rank);
}

int64_t ch__sharding_devices(const ch__sharding *s) {
    int64_t n = 1;
    for (int i = 0; i < s->n_axes; i++) n *= s->sizes[i];
    return n;
}

int64_t ch__axis_part_size(const ch__sharding *s, const ch__axis_part *p) {
    return p->size ? p->size : s->sizes[axis_index(s, p->axis)];
}

int64_t ch__sharding_pieces(const ch__sharding *s, int axis) {
    int64_t n = 1;
    for (int i = 0; i < s->dims[axis].n; i++) n *= ch__axis_part_size(s, &s->dims[axis].parts[i]);
    return n;
}

// ---------------------------------------------------------------- params and results
const char *ch__param_sharding(const ch_func *f, int i) { return i < f->n_param_shards ? f->param_shards[i] : NULL; }

const char *ch__result_sharding(const ch_func *f, int i) { return i < f->n_result_shards ? f->result_shards[i] : NULL; }

static void set_text(ch_func *f, const char ***list, int32_t *room, int i, int n, const char *text) {
    ch__arena *a = f->module->arena;
    if (i >= *room) {
        if (n < 2 * *room) n = 2 * *room; // params may come one by one
        const char **grown = CH_NEW_ARRAY(a, const char *, n);
        if (*room) memcpy(grown, *list, (size_t)*room * sizeof *grown);
        *list = grown;
        *room = n;
    }
    (*list)[i] = text ? ch__arena_strdup(a, text) : NULL;
}

void ch__set_param_sharding(ch_func *f, int i, const char *text) {
    if (!text && !ch__param_sharding(f, i)) return;
    set_text(f, &f->param_shards, &f->n_param_shards, i, f->body->n_params, text);
}

void ch__set_result_sharding(ch_func *f, int i, const char *text) {
    if (!text && !ch__result_sharding(f, i)) return;
    set_text(f, &f->result_shards, &f->n_result_shards, i, f->body->n_results, text);
}
