// SPDX-License-Identifier: Apache-2.0
// shards.c - what a device holds of each param of a program for several partitions, read from the text.
//
//     sdy.mesh @m = <["a"=2, "b"=4]>       %x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}
//     mhlo.sharding = "{devices=[2,1]<=[2]}", "{replicated}"
//
// A param without a sharding lies whole on every device. Of the axes that cut a dim those count, from the first on,
// that part it evenly: Shardy leaves the others out for params. An open dim ({"a", ?}) may be cut further by the
// compiler, and an alias (#sharding0) stands elsewhere: of those nothing is known here. Plugins compare bytes, and one
// of them ends the process in a run on several devices when they differ, so that what is known is compared before.
#include "pjrt/pjrt.h"

#include <string.h>

enum { SHARDS_AXES = 32 };

typedef struct {
    const char *name;
    size_t n;
    int64_t size;
} shards_axis;

typedef struct {
    const char *p, *end; // the text at hand
    int n;
    shards_axis axes[SHARDS_AXES];
} shards_at;

static bool shards_eat(shards_at *s, const char *word) {
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t')) s->p++;
    size_t n = strlen(word);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0) return false;
    s->p += n;
    return true;
}

static bool shards_number(shards_at *s, int64_t *out) {
    bool over = false;
    (void)shards_eat(s, "");
    const char *end = ch__parse_i64(s->p, s->end, out, &over);
    bool good = end != s->p && !over && *out >= 1 && *out <= 1 << 20;
    s->p = end;
    return good;
}

// "a": between the quotes.
static bool shards_name(shards_at *s, const char **out, size_t *n) {
    if (!shards_eat(s, "\"")) return false;
    *out = s->p;
    while (s->p < s->end && *s->p != '"') s->p++;
    *n = (size_t)(s->p - *out);
    return shards_eat(s, "\"");
}

// ["a"=2, "b"=4]
static bool shards_axes(shards_at *s) {
    s->n = 0;
    if (!shards_eat(s, "[")) return false;
    while (!shards_eat(s, "]")) {
        if (s->n > 0 && !shards_eat(s, ",")) return false;
        if (s->n == SHARDS_AXES) return false;
        shards_axis *a = &s->axes[s->n++];
        if (!shards_name(s, &a->name, &a->n) || !shards_eat(s, "=") || !shards_number(s, &a->size)) return false;
    }
    return true;
}

// The axes of mesh @name, wherever the module defines it: sdy.mesh @name = <[...]>, or in the generic form.
static bool shards_mesh(shards_at *s, const char *text, const char *end, const char *name, size_t n) {
    const shards_at kept = *s;
    for (const char *at = text; (at = strstr(at, "sdy.mesh")) != NULL && at < end; at++) {
        shards_at d = {.p = at + 8, .end = end};
        bool mine = shards_eat(&d, "@") && (size_t)(end - d.p) > n && memcmp(d.p, name, n) == 0 &&
                    (d.p[n] == ' ' || d.p[n] == '=');
        if (mine) {
            d.p += n;
            mine = shards_eat(&d, "=") && shards_eat(&d, "<");
        } else { // #sdy.mesh<[...]>, ..., sym_name = "name"
            const char *line = memchr(at, '\n', (size_t)(end - at)), *sym = strstr(at, "sym_name = \"");
            mine = shards_eat(&d, "<") && sym != NULL && (line == NULL || sym < line) && (size_t)(end - sym) > 12 + n &&
                   memcmp(sym + 12, name, n) == 0 && sym[12 + n] == '"';
        }
        if (!mine || !shards_axes(&d)) continue;
        *s = d;
        s->p = kept.p;
        s->end = kept.end;
        return true;
    }
    return false;
}

// {"a", "b":(1)2}: how many pieces of size evenly.
static bool shards_dim(shards_at *s, int64_t size, int64_t *out_pieces) {
    bool even = true;
    *out_pieces = 1;
    if (!shards_eat(s, "{")) return false;
    for (bool first = true; !shards_eat(s, "}"); first = false) {
        const char *name;
        size_t n;
        int64_t part = 0, before;
        if ((!first && !shards_eat(s, ",")) || !shards_name(s, &name, &n)) return false;
        for (int i = 0; i < s->n; i++)
            if (s->axes[i].n == n && memcmp(s->axes[i].name, name, n) == 0) part = s->axes[i].size;
        if (shards_eat(s, ":") &&
            !(shards_eat(s, "(") && shards_number(s, &before) && shards_eat(s, ")") && shards_number(s, &part)))
            return false;
        if (part == 0) return false;
        even = even && size % (*out_pieces * part) == 0;
        if (even) *out_pieces *= part;
    }
    int64_t priority;
    return !shards_eat(s, "p") || *s->p == '0' || shards_number(s, &priority);
}

// #sdy.sharding<@m, [{"a"}, {}]>
static bool shards_shardy(shards_at *s, const char *text, const char *end, ch__pjrt_param *p) {
    if (!shards_eat(s, "#sdy.sharding<@")) return false;
    const char *name = s->p;
    while (s->p < s->end && *s->p != ',' && *s->p != ' ' && *s->p != '>') s->p++;
    if (!shards_mesh(s, text, end, name, (size_t)(s->p - name)) || !shards_eat(s, ",") || !shards_eat(s, "["))
        return false;
    for (int d = 0; d < p->rank; d++) {
        int64_t pieces;
        if ((d > 0 && !shards_eat(s, ",")) || !shards_dim(s, p->dims[d], &pieces)) return false;
        p->shard[d] = p->dims[d] / pieces;
    }
    return shards_eat(s, "]");
}

// "{devices=[2,1]...}", "{replicated}": pieces of the size rounded up.
static bool shards_gspmd(shards_at *s, ch__pjrt_param *p) {
    if (!shards_eat(s, "\"{")) return false;
    if (shards_eat(s, "replicated}")) return true;
    if (!shards_eat(s, "devices=[")) return false;
    for (int d = 0; d < p->rank; d++) {
        int64_t tiles;
        if ((d > 0 && !shards_eat(s, ",")) || !shards_number(s, &tiles)) return false;
        p->shard[d] = (p->dims[d] + tiles - 1) / tiles;
    }
    return true;
}

void ch__pjrt_shards(const char *text, size_t n, ch__pjrt_signature *sig) {
    for (int i = 0; i < sig->n_in; i++) {
        ch__pjrt_param *p = &sig->in[i];
        shards_at s = {.p = p->sharding, .end = text + n};
        memcpy(p->shard, p->dims, sizeof p->shard);
        p->shard_known =
            p->sharding == NULL || shards_shardy(&s, text, text + n, p) || (s.p = p->sharding, shards_gspmd(&s, p));
        p->sharding = NULL; // the text is the caller's
    }
}
