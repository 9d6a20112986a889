// SPDX-License-Identifier: Apache-2.0
// place.c - elements of arrays as the caller's prototype has them: x[i], a[i][j], p->pos[k], cam[k].f.
//
// The func knows an array of rank 1 and a position in it. Where C has several indices, the position is taken apart by
// the extents: what is a multiple of a row is the row, the rest is the column, if it is seen to lie within a row (a
// counter of a loop, a number). What is not seen stays one index, from a pointer to the first element; in memory that
// is not one piece it is divided.
#include "cgen/emit.h"

#include <stdlib.h>

// ---------------------------------------------------------------- taking a position apart
// A symbol under the name that it has in C, so that equal text is equal.
static ch__dim as_text(cg *g, const ch__atom *at) {
    if (at->name[0] == '$' || at->name[0] == '#') return ch__dim_symbol(g->a, at->name);
    const char *name = ch__strmap_get(&g->symbols, at->name);
    return ch__dim_symbol(g->a, ch__arena_printf(g->a, "#%s", name ? name : at->name));
}

static ch__dim extent_of(cg *g, const char *text) {
    char *end;
    long long n = strtoll(text, &end, 10);
    if (!*end) return ch__dim_const(n);
    return ch__dim_symbol(g->a, ch__arena_printf(g->a, "#%s", text));
}

// d as a multiple of the extent and the rest. false: it is not a sum of products of symbols.
static bool take_apart(cg *g, ch__dim d, ch__dim extent, ch__dim *quotient, ch__dim *rest) {
    *quotient = *rest = ch__dim_const(0);
    if (ch__dim_is_const(d)) {
        if (!ch__dim_is_const(extent) || extent.val <= 0) {
            *rest = d;
            return true;
        }
        int64_t q = d.val / extent.val, r = d.val % extent.val;
        if (r < 0) q--, r += extent.val;
        *quotient = ch__dim_const(q);
        *rest = ch__dim_const(r);
        return true;
    }
    for (int i = 0; i < d.sym->n_terms; i++) {
        const ch__term *t = &d.sym->terms[i];
        ch__dim product = ch__dim_const(t->coef), q, r;
        bool found = false;
        if (t->n_atoms == 0) {
            if (!take_apart(g, product, extent, &q, &r)) return false;
            *quotient = ch__dim_add(g->a, *quotient, q);
            *rest = ch__dim_add(g->a, *rest, r);
            continue;
        }
        if (ch__dim_is_const(extent) && extent.val > 0 && t->coef % extent.val == 0) {
            product = ch__dim_const(t->coef / extent.val);
            found = true;
        }
        for (int k = 0; k < t->n_atoms; k++) {
            if (t->atoms[k]->kind != CH__ATOM_symbol) return false;
            ch__dim atom = as_text(g, t->atoms[k]);
            if (!found && ch__dim_equal(atom, extent))
                found = true;
            else
                product = ch__dim_mul(g->a, product, atom);
        }
        if (found)
            *quotient = ch__dim_add(g->a, *quotient, product);
        else
            *rest = ch__dim_add(g->a, *rest, product);
    }
    return true;
}

// The same with every symbol under its name in C; false: it is more than a sum.
static bool renamed(cg *g, ch__dim d, ch__dim *out) {
    ch__dim q, none = ch__dim_symbol(g->a, "#");
    return take_apart(g, d, none, &q, out) && ch__dim_is_const(q) && q.val == 0;
}

// x <= y, a counter in x being at most what its loop goes to.
static bool at_most(cg *g, ch__dim x, ch__dim y) {
    for (int turn = 0; turn < 8; turn++) {
        ch__dim d = ch__dim_sub(g->a, x, y), hi;
        if (ch__dim_is_const(d)) return d.val <= 0;
        const ch__term *inner = NULL;
        for (int i = 0; i < d.sym->n_terms; i++) {
            const ch__term *t = &d.sym->terms[i];
            if (t->n_atoms == 1 && t->atoms[0]->name[0] == '$') inner = t;
        }
        if (!inner || inner->coef < 1) return false;
        const char *name = inner->atoms[0]->name;
        int loop = atoi(name + 1);
        if (loop >= 64 || !g->loop_known[loop] || !renamed(g, g->loop_hi[loop], &hi)) return false;
        hi = ch__dim_sub(g->a, hi, ch__dim_const(1));
        x = ch__dim_subst(g->a, x, 1, &name, &hi);
    }
    return false;
}

// Is 0 <= d < extent seen? d is a number, or a counter whose bounds are known and a number.
static bool lies_within(cg *g, ch__dim d, ch__dim extent) {
    if (ch__dim_is_const(d)) return d.val >= 0 && (ch__dim_is_const(extent) ? d.val < extent.val : d.val == 0);
    int64_t more = 0;
    int loop = -1;
    for (int i = 0; i < d.sym->n_terms; i++) {
        const ch__term *t = &d.sym->terms[i];
        if (t->n_atoms == 0) {
            more = t->coef;
            continue;
        }
        if (loop >= 0 || t->n_atoms != 1 || t->coef != 1 || t->atoms[0]->name[0] != '$') return false;
        loop = atoi(t->atoms[0]->name + 1);
    }
    ch__dim hi;
    if (loop < 0 || loop >= 64 || !g->loop_known[loop] || !renamed(g, g->loop_hi[loop], &hi)) return false;
    ch__dim lo = g->loop_lo[loop];
    return ch__dim_is_const(lo) && lo.val + more >= 0 && at_most(g, ch__dim_add(g->a, hi, ch__dim_const(more)), extent);
}

static bool indices_of(cg *g, const ch__c_place *p, ch__dim at, ch__dim *out) {
    if (!renamed(g, at, &at)) return false;
    for (int i = p->n - 1; i > 0; i--) {
        ch__dim extent = extent_of(g, p->axes[i].extent), rest;
        if (!take_apart(g, at, extent, &at, &rest) || !lies_within(g, rest, extent)) return false;
        out[i] = rest;
    }
    out[0] = at;
    return true;
}

// ---------------------------------------------------------------- text
static const char *with_indices(cg *g, const ch__c_place *p, const char *const *index) {
    ch__text t;
    ch__text_init(&t, g->a);
    ch__put(&t, p->text);
    for (int i = 0; i < p->n; i++) ch__putf(&t, "[%s]%s", index[i], p->axes[i].after);
    return t.data;
}

const char *ch__cg_flat_name(cg *g, store *st) {
    const ch__c_place *p = st->place;
    if (!p) return st->name;
    if (!p->flat || st->flat) return st->flat;
    if (strspn(p->flat, "&[") == 0 && !strstr(p->flat, "[")) return st->flat = p->flat;
    const char *base = strrchr(p->text, '>') ? strrchr(p->text, '>') + 1 : p->text;
    base = strrchr(base, '.') ? strrchr(base, '.') + 1 : base;
    st->flat = ch__cg_top_name(g, ch__arena_printf(g->a, "%s_flat", base));
    ch__putf(&g->pointers, "    %s%s *const %s = %s;\n", st->writable ? "" : "const ", ch__cg_ctype(st->type->dtype),
             st->flat, p->flat);
    return st->flat;
}

static const char *place_divided(cg *g, const ch__c_place *p, const char *at) {
    const char **index = CH_NEW_ARRAY(g->a, const char *, p->n), *inner = NULL;
    for (int i = p->n - 1; i >= 0; i--) {
        const char *q = inner ? ch__arena_printf(g->a, "%s / (%s)", at, inner) : at, *n = p->axes[i].extent;
        index[i] = i == 0 ? q : ch__arena_printf(g->a, inner ? "(%s) %% (%s)" : "%s %% (%s)", q, n);
        if (i > 0) inner = inner ? ch__arena_printf(g->a, "(int64_t)(%s) * (%s)", inner, n) : n;
    }
    return with_indices(g, p, index);
}

// label[i] rather than ((int64_t)label[i]), where that is all of an index.
static const char *place_index_text(cg *g, ch__dim at) {
    const char *s = ch__cg_dim_text(g, at, 0);
    size_t n = strlen(s);
    static const char cast[] = "((int64_t)";
    if (strncmp(s, cast, sizeof cast - 1) != 0 || s[n - 1] != ')') return s;
    const char *inner = s + sizeof cast - 1;
    int depth = 0;
    for (const char *c = inner; c < s + n - 1; c++) {
        depth += (*c == '[') - (*c == ']');
        if (depth == 0 && *c != ']' && !ch__cg_in_word(*c) && *c != '.' && *c != '>' && *c != '-') return s;
        if (*c == '-' && c[1] != '>' && depth == 0) return s;
    }
    return ch__arena_strndup(g->a, inner, (size_t)(s + n - 1 - inner));
}

// Loops over the axes of a place, so that each index is a counter; gives how many, 0: the place has one axis, or not
// all extents are known.
int ch__cg_place_loops(cg *g, const store *st, ch__dim *position) {
    const ch__c_place *p = st ? st->place : NULL;
    if (!p || p->n < 2 || st->type->rank != 1 || g->depth + p->n > 60) return 0;
    for (int i = 0; i < p->n; i++)
        if (!p->axes[i].extent) return 0;
    *position = ch__dim_const(0);
    for (int i = 0; i < p->n; i++) {
        ch__dim n = extent_of(g, p->axes[i].extent);
        ch__dim at = ch__cg_for(g, n);
        *position = ch__dim_add(g->a, ch__dim_mul(g->a, *position, n), at);
    }
    return p->n;
}

const char *ch__cg_at(cg *g, const store *st, const ch__type *t, const ix *at) {
    const ch__c_place *p = st->place;
    if (p && p->n == 0) return p->deref ? ch__arena_printf(g->a, "*%s", p->text) : p->text;
    ch__dim position = ch__cg_offset(g, at, t), index[CH__MAX_RANK];
    if (!p && !g->fn->face) return ch__arena_printf(g->a, "%s[%s]", st->name, ch__cg_dim_text(g, position, 0));
    const char *texts[CH__MAX_RANK], *one = place_index_text(g, position);
    if (!p) return ch__arena_printf(g->a, "%s[%s]", st->name, one);
    if (p->n == 1) return with_indices(g, p, &one);
    if (p->n <= CH__MAX_RANK && indices_of(g, p, at->has_full ? at->full : position, index)) {
        for (int i = 0; i < p->n; i++) texts[i] = place_index_text(g, index[i]);
        return with_indices(g, p, texts);
    }
    const char *flat = ch__cg_flat_name(g, (store *)(uintptr_t)st);
    if (flat) return ch__arena_printf(g->a, "%s[%s]", flat, one);
    return place_divided(g, p, ch__cg_dim_text(g, position, CX_PRIM));
}

void ch__cg_put_result(cg *g, const store *st, const char *value) {
    const ch__c_place *p = st->place;
    if (p && p->returned) { // last of all; what is updated in place may not be what it was by then
        if (p->cast) value = ch__arena_printf(g->a, "(%s)(%s)", p->cast, value);
        g->value = value;
        if (!g->f->inout) return;
        g->value = ch__cg_name(g, "value");
        ch__cg_line(g, "const %s %s = %s;", g->fn->face->type, g->value, value);
        return;
    }
    if (p && p->cast) value = ch__arena_printf(g->a, "(%s)(%s)", p->cast, value);
    ch__cg_line(g, "%s%s %s %s;", st->deref ? "*" : "", st->name, p && p->adds ? "+=" : "=", value);
}
