// SPDX-License-Identifier: Apache-2.0
// hlo/read_shard.c - Shardy's meshes and shardings as the texts of the IR (ir/sharding.c).
//
// The two differ in that Shardy quotes axes and names the mesh elsewhere. What the IR has no words for (sums that are
// not complete, axes whose names are no identifiers, a mesh of one device by its number, a mesh that is missing) is
// left out: the values are the same, and where they lie is the compiler's choice then.
#include "hlo/hlo.h"

#include <string.h>

static bool shard_word(const char *s, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - s) >= n && memcmp(s, word, n) == 0;
}

// What stands from '[' to its ']', without quotes; *s goes behind it. NULL: no list stands there.
static const char *shard_list(ch__hlo_reader *r, const char **s, const char *end, char open, char close) {
    ch__text t;
    int depth = 0;
    if (*s == end || **s != open) return NULL;
    ch__text_init(&t, r->arena);
    for (; *s < end; (*s)++) {
        depth += (**s == open) - (**s == close);
        if (**s != '"') ch__putc(&t, **s);
        if (depth == 0) break;
    }
    if (*s < end) (*s)++;
    return depth == 0 ? t.data : NULL;
}

static void shard_space(const char **s, const char *end) {
    while (*s < end && (**s == ' ' || **s == ',' || **s == '\n' || **s == '\t')) (*s)++;
}

// <["x"=2, "y"=4], device_ids=[...]> as [x=2, y=4] device_ids=[...]
static const char *mesh_text(ch__hlo_reader *r, const char *s, const char *end) {
    if (s == end || *s++ != '<') return NULL;
    const char *axes = shard_list(r, &s, end, '[', ']');
    shard_space(&s, end);
    if (axes && shard_word(s, end, "device_ids")) {
        s += strcspn(s, "[>");
        const char *ids = shard_list(r, &s, end, '[', ']');
        shard_space(&s, end);
        axes = ids ? ch__arena_printf(r->arena, "%s device_ids=%s", axes, ids) : NULL;
    }
    return axes && s < end && *s == '>' ? axes : NULL;
}

static void shard_check(void *arg) {
    void **a = arg;
    ch__sharding_read(a[0], "sharding", a[1]);
}

const char *ch__hlo_sharding(ch__hlo_reader *r, const char *s, const char *end) {
    const char *name = "mesh", *axes = NULL;
    while (s < end && *s != '<') s++;
    if (s++ >= end) return NULL;
    shard_space(&s, end);
    if (shard_word(s, end, "mesh")) { // written out in place
        s += 4;
        const char *open = s;
        while (s < end && *s != '>') s++;
        axes = s < end ? mesh_text(r, open, ++s) : NULL;
    } else if (s < end && *s == '@') {
        const char *from = ++s;
        while (s < end && *s != ',' && *s != ' ') s++;
        name = ch__arena_strndup(r->arena, from, (size_t)(s - from));
        axes = ch__strmap_get(&r->meshes, name);
    }
    if (!axes) return NULL;
    shard_space(&s, end);
    const char *dims = shard_list(r, &s, end, '[', ']'), *replicated = NULL;
    shard_space(&s, end);
    if (dims && shard_word(s, end, "replicated=")) {
        s += strlen("replicated=");
        replicated = shard_list(r, &s, end, '{', '}');
        shard_space(&s, end);
    }
    if (!dims || s == end || *s != '>') return NULL;
    const char *text = ch__arena_printf(r->arena, "%s%s %s%s%s", name, axes, dims, replicated ? " replicated=" : "",
                                        replicated ? replicated : "");
    void *job[2] = {r->arena, (void *)(uintptr_t)text};
    if (ch__protect(shard_check, job) != CH_OK) {
        if (ch__error_current() == CH__E_out_of_memory) ch__raise_current();
        ch_error_clear();
        return NULL;
    }
    ch__text t;
    ch__text_init(&t, r->arena);
    ch__sharding_print(&t, ch__sharding_read(r->arena, "sharding", text));
    return t.data;
}

static void note_mesh(ch__hlo_reader *r, const char *name, const char *s, const char *end) {
    const char *axes = mesh_text(r, s, end);
    if (axes) ch__strmap_put(&r->meshes, name, (void *)(uintptr_t)axes);
}

// sdy.mesh @mesh = <["x"=2]>, the token being sdy.mesh; other sdy things of a module are passed over.
void ch__hlo_read_mesh(ch__hlo_reader *r) {
    const char *name = NULL;
    ch__hlo_next(r);
    if (r->tok.kind == CH__H_SYMBOL) {
        name = ch__hlo_tok_text(r, &r->tok);
        ch__hlo_next(r);
    }
    if (ch__hlo_eat(r, '=') && ch__hlo_is(r, '<')) {
        const char *from = r->tok.at, *end = ch__hlo_skip_brackets(r);
        if (name) note_mesh(r, name, from, end);
    }
    if (ch__hlo_is(r, '{')) ch__hlo_skip_brackets(r);
}

// "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
void ch__hlo_read_generic_mesh(ch__hlo_reader *r) {
    ch__hlo_attr *dict = NULL;
    ch__hlo_next(r);
    ch__hlo_want(r, '(', "after sdy.mesh");
    ch__hlo_want(r, ')', "after sdy.mesh(");
    bool properties = ch__hlo_eat(r, '<');
    if (ch__hlo_eat(r, '{')) dict = ch__hlo_read_dict(r, '}');
    if (properties) ch__hlo_want(r, '>', "after the properties");
    if (ch__hlo_is(r, '{')) ch__hlo_skip_brackets(r);
    ch__hlo_want(r, ':', "and the types of the operation");
    if (ch__hlo_is(r, '(')) ch__hlo_skip_brackets(r);
    if (r->tok.kind == CH__H_ARROW) ch__hlo_next(r);
    if (ch__hlo_is(r, '(')) ch__hlo_skip_brackets(r);
    const ch__hlo_attr *mesh = ch__hlo_dict_get(dict, "mesh"), *name = ch__hlo_dict_get(dict, "sym_name");
    const char *open = mesh && mesh->n ? memchr(mesh->s, '<', mesh->n) : NULL;
    if (!open || !name || name->kind != CH__HA_STR) return;
    note_mesh(r, ch__arena_strndup(r->arena, name->s, name->n), open, mesh->s + mesh->n);
}
