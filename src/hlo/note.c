// SPDX-License-Identifier: Apache-2.0
// hlo/note.c - what a text says and the func that is made of it does not hold: attributes that were passed over.
//
//     f.mlir:3:10: stablehlo.gather: indices_are_sorted is passed over (12 times)
//
// An attribute is passed over when nothing asked for it while its operation, func, param or result was taken: layouts,
// shardings, promises, hints of other tools, and names that nobody knows. One line for each attribute of each
// operation, where it stands first. Of operations in regions that were recognized as a whole only the attributes of
// dialects are noted, those with a dot in their name. Linear in the text.
#include "hlo/hlo.h"

#include <string.h>

typedef struct {
    const char *at, *who, *name;
    int64_t times;
} hlo_note;

typedef struct {
    ch__hlo_reader *r;
    ch__strmap seen; // "operation attribute" -> hlo_note
    CH_VEC(hlo_note *) notes;
} hlo_note_job;

static void hlo_note_add(hlo_note_job *j, const char *who, const ch__hlo_attr *a) {
    const char *key = ch__arena_printf(j->r->arena, "%s %s", who, a->name);
    hlo_note *n = ch__strmap_get(&j->seen, key);
    if (!n) {
        n = CH_NEW(j->r->arena, hlo_note);
        *n = (hlo_note){.at = a->name_at ? a->name_at : a->at, .who = who, .name = a->name};
        ch__strmap_put(&j->seen, key, n);
        CH_PUSH(j->r->arena, &j->notes, n);
    }
    n->times++;
}

static bool hlo_note_ours(const ch__hlo_attr *a) { return strncmp(a->name, "chaac.", 6) == 0; }

static void hlo_note_dict(hlo_note_job *j, const char *who, const ch__hlo_attr *dict) {
    if (!dict || dict->kind != CH__HA_DICT) return;
    for (int64_t i = 0; i < dict->items.n; i++) {
        const ch__hlo_attr *a = dict->items.data[i];
        if (!a->read && !hlo_note_ours(a)) hlo_note_add(j, who, a);
    }
}

static void hlo_note_region(hlo_note_job *j, const ch__hlo_region *region) {
    for (const ch__hlo_op *op = region->first; op; op = op->next) {
        for (int64_t i = 0; i < op->attrs.n; i++) {
            const ch__hlo_attr *a = op->attrs.data[i];
            if (a->read || hlo_note_ours(a) || !(op->taken || strchr(a->name, '.'))) continue;
            hlo_note_add(j, op->name, a);
        }
        for (int i = 0; i < op->n_regions; i++) hlo_note_region(j, op->regions[i]);
    }
}

// The attributes that make up a func in the generic form.
static bool hlo_note_structure(const char *name) {
    static const char *const names[] = {"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static void hlo_note_func(hlo_note_job *j, const ch__hlo_func *f) {
    for (int64_t i = 0; f->attrs && i < f->attrs->items.n; i++)
        if (hlo_note_structure(f->attrs->items.data[i]->name)) f->attrs->items.data[i]->read = true;
    hlo_note_dict(j, "func", f->attrs);
    for (int i = 0; f->param_attrs && i < f->body->n_params; i++) hlo_note_dict(j, "param", f->param_attrs[i]);
    hlo_note_region(j, f->body);
    for (int i = 0; f->result_attrs && i < f->n_results; i++) hlo_note_dict(j, "result", f->result_attrs[i]);
}

const char *ch__hlo_notes(ch__hlo_reader *r, ch__arena *a) {
    hlo_note_job j = {.r = r};
    ch__strmap_init(&j.seen, r->arena);
    hlo_note_dict(&j, "module", r->module_attrs);
    for (const ch__hlo_func *f = r->first; f; f = f->next)
        if (f->func) hlo_note_func(&j, f);
    if (j.notes.n == 0) return NULL;
    ch__text t;
    ch__text_init(&t, a);
    const char *s = r->p.text, *start = s;
    int line = 1;
    for (int64_t i = 0; i < j.notes.n; i++) {
        const hlo_note *n = j.notes.data[i];
        if (n->at < s) {
            s = start = r->p.text;
            line = 1;
        }
        for (; s < n->at; s++)
            if (*s == '\n') {
                line++;
                start = s + 1;
            }
        ch__putf(&t, "%s:%d:%d: %s: %s is passed over", r->p.name, line, (int)(n->at - start) + 1, n->who, n->name);
        if (n->times > 1) ch__putf(&t, " (%lld times)", (long long)n->times);
        ch__putc(&t, '\n');
    }
    return t.data;
}
