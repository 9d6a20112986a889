// SPDX-License-Identifier: Apache-2.0
// dim.c - sizes: constants and polynomials in canonical form.
//
// A symbolic size is a sum of terms, highest degree first, in each degree by the atoms in turn; a term is a
// coefficient times atoms in ascending order. That is graded lexicographic order, so the leading term of a product is
// the product of the leading terms, which exact division (dim_fold.c) stands on. Atoms are symbols and the four
// functions that are no polynomials; dim_fold.c makes those. The constant term stands last: 2*n + 1.
//
// Every coefficient is a checked int64. A size is a tree of at most CH__DIM_MAX_SIZE atoms and terms, at most
// CH__DIM_MAX_DEPTH deep: all functions here may walk it recursively.
#include "ir/ir.h"

#include <string.h>

#define DIM_MAX_PRODUCT 65536 // terms of a product before like ones are merged

const ch__dim_view *ch__dim_view_of(ch__dim d, ch__dim_view *v) {
    if (d.sym) {
        v->n = d.sym->n_terms;
        v->terms = d.sym->terms;
    } else {
        v->one = (ch__term){d.val, 0, NULL};
        v->n = d.val != 0;
        v->terms = &v->one;
    }
    return v;
}

// ---------------------------------------------------------------- order and equality
int ch__atom_order(const ch__atom *x, const ch__atom *y) {
    if (x == y) return 0;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->kind == CH__ATOM_symbol) {
        int c = strcmp(x->name, y->name);
        return c < 0 ? -1 : c > 0;
    }
    int c = ch__dim_order(x->a, y->a);
    return c ? c : ch__dim_order(x->b, y->b);
}

// Higher degree first.
static int monomial_order(const ch__term *x, const ch__term *y) {
    if (x->n_atoms != y->n_atoms) return x->n_atoms > y->n_atoms ? -1 : 1;
    for (int i = 0; i < x->n_atoms; i++) {
        int c = ch__atom_order(x->atoms[i], y->atoms[i]);
        if (c) return c;
    }
    return 0;
}

int ch__dim_order(ch__dim x, ch__dim y) {
    if (!x.sym || !y.sym) {
        if (x.sym || y.sym) return x.sym ? -1 : 1; // of degree 0: last
        return x.val < y.val ? -1 : x.val > y.val;
    }
    if (x.sym == y.sym) return 0;
    int n = x.sym->n_terms < y.sym->n_terms ? x.sym->n_terms : y.sym->n_terms;
    for (int i = 0; i < n; i++) {
        const ch__term *p = &x.sym->terms[i], *q = &y.sym->terms[i];
        int c = monomial_order(p, q);
        if (c) return c;
        if (p->coef != q->coef) return p->coef < q->coef ? -1 : 1;
    }
    return x.sym->n_terms < y.sym->n_terms ? -1 : x.sym->n_terms > y.sym->n_terms;
}

bool ch__dim_equal(ch__dim x, ch__dim y) {
    if (!x.sym || !y.sym) return x.sym == y.sym && x.val == y.val;
    return x.sym == y.sym || (x.sym->hash == y.sym->hash && ch__dim_order(x, y) == 0);
}

uint64_t ch__dim_hash(ch__dim d) { return d.sym ? d.sym->hash : ch__hash_u64((uint64_t)d.val); }

// ---------------------------------------------------------------- making
static void dim_sift(ch__term *t, int64_t at, int64_t n) {
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && monomial_order(&t[child], &t[child + 1]) < 0) child++;
        if (monomial_order(&t[at], &t[child]) >= 0) return;
        ch__term swap = t[at];
        t[at] = t[child];
        t[child] = swap;
    }
}

// Insertion for the usual few, heap sort for many.
static void dim_sort(ch__term *t, int64_t n) {
    if (n <= 24) {
        for (int64_t i = 1; i < n; i++) {
            ch__term x = t[i];
            int64_t at = i;
            for (; at > 0 && monomial_order(&t[at - 1], &x) > 0; at--) t[at] = t[at - 1];
            t[at] = x;
        }
        return;
    }
    for (int64_t i = n / 2; i-- > 0;) dim_sift(t, i, n);
    for (int64_t end = n - 1; end > 0; end--) {
        ch__term swap = t[0];
        t[0] = t[end];
        t[end] = swap;
        dim_sift(t, 0, end);
    }
}

static ch__err dim_seal(ch__arena *a, const ch__term *terms, int n, ch__dim *out) {
    uint64_t hash = 0x5eedu;
    int64_t size = n;
    int32_t depth = 0;
    for (int i = 0; i < n; i++) {
        hash = ch__hash_u64(hash ^ (uint64_t)terms[i].coef);
        for (int k = 0; k < terms[i].n_atoms; k++) {
            const ch__atom *at = terms[i].atoms[k];
            hash = ch__hash_u64(hash + at->hash);
            size += at->size;
            if (at->depth > depth) depth = at->depth;
        }
    }
    if (size > CH__DIM_MAX_SIZE || depth > CH__DIM_MAX_DEPTH) return CH__E_limit;
    ch__sym *s = CH_NEW(a, ch__sym);
    *s = (ch__sym){hash, (int32_t)size, depth, n, terms};
    *out = (ch__dim){s, 0};
    return CH__E_COUNT;
}

ch__err ch__dim_from_terms(ch__arena *a, ch__term *terms, int64_t n, ch__dim *out) {
    dim_sort(terms, n);
    int64_t m = 0;
    for (int64_t i = 0, next; i < n; i = next) {
        int64_t coef = terms[i].coef;
        for (next = i + 1; next < n && monomial_order(&terms[i], &terms[next]) == 0; next++)
            if (!ch__add_i64(coef, terms[next].coef, &coef)) return CH__E_dim_overflow;
        if (coef == 0) continue;
        terms[m] = terms[i];
        terms[m++].coef = coef;
    }
    if (m == 0 || (m == 1 && terms[0].n_atoms == 0)) {
        *out = ch__dim_const(m ? terms[0].coef : 0);
        return CH__E_COUNT;
    }
    return m > CH__DIM_MAX_SIZE ? CH__E_limit : dim_seal(a, terms, (int)m, out);
}

void ch__dim_raise(ch__arena *a, ch__err e, const char *op, ch__dim x, ch__dim y) {
    if (e == CH__E_limit)
        ch__raise(e, "size: %s makes an expression of more than %d parts or %d levels — use fewer symbols", op,
                  CH__DIM_MAX_SIZE, CH__DIM_MAX_DEPTH);
    ch__text t;
    ch__text_init(&t, a);
    ch__putf(&t, "size: %s of ", op);
    ch__dim_print(&t, x);
    ch__put(&t, " and ");
    ch__dim_print(&t, y);
    if (e == CH__E_argument) ch__raise(e, "%s — the divisor must not be 0", t.data);
    ch__raise(e, "%s — a coefficient does not fit in 64 bits", t.data);
}

static ch__dim dim_of_atom(ch__arena *a, ch__atom *at) {
    const ch__atom **list = CH_NEW(a, const ch__atom *);
    ch__term *t = CH_NEW(a, ch__term);
    list[0] = at;
    *t = (ch__term){1, 1, list};
    ch__dim d = {NULL, 0};
    ch__err e = dim_seal(a, t, 1, &d);
    if (e != CH__E_COUNT) ch__dim_raise(a, e, "nesting", d, d);
    return d;
}

ch__dim ch__dim_symbol(ch__arena *a, const char *name) {
    ch__atom *at = CH_NEW(a, ch__atom);
    at->kind = CH__ATOM_symbol;
    at->name = ch__arena_strdup(a, name);
    at->hash = ch__hash_str(name);
    at->size = 1;
    return dim_of_atom(a, at);
}

ch__dim ch__dim_from_atom(ch__arena *a, ch__atom_kind kind, ch__dim x, ch__dim y) {
    ch__atom *at = CH_NEW(a, ch__atom);
    at->kind = kind;
    at->a = x;
    at->b = y;
    at->hash = ch__hash_u64(ch__dim_hash(x) * 31 + ch__dim_hash(y) + (uint64_t)kind);
    at->size = 1 + (x.sym ? x.sym->size : 1) + (y.sym ? y.sym->size : 1);
    int32_t dx = x.sym ? x.sym->depth : 0, dy = y.sym ? y.sym->depth : 0;
    at->depth = 1 + (dx > dy ? dx : dy);
    return dim_of_atom(a, at);
}

// ---------------------------------------------------------------- ring operations
ch__err ch__dim_combine(ch__arena *a, ch__dim x, ch__dim y, int64_t y_times, ch__dim *out) {
    ch__dim_view vx, vy;
    ch__dim_view_of(x, &vx);
    ch__dim_view_of(y, &vy);
    if (y_times == 0 || vy.n == 0) {
        *out = x;
        return CH__E_COUNT;
    }
    ch__term *t = CH_NEW_ARRAY(a, ch__term, vx.n + vy.n);
    if (vx.n) memcpy(t, vx.terms, (size_t)vx.n * sizeof *t);
    for (int i = 0; i < vy.n; i++) {
        t[vx.n + i] = vy.terms[i];
        if (!ch__mul_i64(vy.terms[i].coef, y_times, &t[vx.n + i].coef)) return CH__E_dim_overflow;
    }
    return ch__dim_from_terms(a, t, vx.n + vy.n, out);
}

static const ch__atom *const *monomial_product(ch__arena *a, const ch__term *x, const ch__term *y) {
    if (x->n_atoms == 0) return y->atoms;
    if (y->n_atoms == 0) return x->atoms;
    const ch__atom **list = CH_NEW_ARRAY(a, const ch__atom *, x->n_atoms + y->n_atoms);
    int i = 0, k = 0, n = 0;
    while (i < x->n_atoms && k < y->n_atoms)
        list[n++] = ch__atom_order(x->atoms[i], y->atoms[k]) <= 0 ? x->atoms[i++] : y->atoms[k++];
    while (i < x->n_atoms) list[n++] = x->atoms[i++];
    while (k < y->n_atoms) list[n++] = y->atoms[k++];
    return list;
}

ch__err ch__dim_product(ch__arena *a, ch__dim x, ch__dim y, ch__dim *out) {
    ch__dim_view vx, vy;
    ch__dim_view_of(x, &vx);
    ch__dim_view_of(y, &vy);
    int64_t n = (int64_t)vx.n * vy.n;
    if (n > DIM_MAX_PRODUCT) return CH__E_limit;
    ch__term *t = CH_NEW_ARRAY(a, ch__term, n);
    for (int64_t i = 0; i < n; i++) {
        const ch__term *p = &vx.terms[i / vy.n], *q = &vy.terms[i % vy.n];
        if (!ch__mul_i64(p->coef, q->coef, &t[i].coef)) return CH__E_dim_overflow;
        t[i].n_atoms = p->n_atoms + q->n_atoms;
        t[i].atoms = monomial_product(a, p, q);
    }
    return ch__dim_from_terms(a, t, n, out);
}

ch__dim ch__dim_add(ch__arena *a, ch__dim x, ch__dim y) {
    ch__dim d;
    if (!x.sym && !y.sym && ch__add_i64(x.val, y.val, &d.val)) return ch__dim_const(d.val);
    ch__err e = ch__dim_combine(a, x, y, 1, &d);
    if (e != CH__E_COUNT) ch__dim_raise(a, e, "the sum", x, y);
    return d;
}

ch__dim ch__dim_sub(ch__arena *a, ch__dim x, ch__dim y) {
    ch__dim d;
    // Constants apart: the smallest int64 has no negative.
    if (!x.sym && !y.sym) {
        if ((y.val < 0 && x.val > INT64_MAX + y.val) || (y.val > 0 && x.val < INT64_MIN + y.val))
            ch__dim_raise(a, CH__E_dim_overflow, "the difference", x, y);
        return ch__dim_const(x.val - y.val);
    }
    ch__err e = ch__dim_combine(a, x, y, -1, &d);
    if (e != CH__E_COUNT) ch__dim_raise(a, e, "the difference", x, y);
    return d;
}

ch__dim ch__dim_mul(ch__arena *a, ch__dim x, ch__dim y) {
    ch__dim d;
    if (!x.sym && !y.sym && ch__mul_i64(x.val, y.val, &d.val)) return ch__dim_const(d.val);
    ch__err e = ch__dim_product(a, x, y, &d);
    if (e != CH__E_COUNT) ch__dim_raise(a, e, "the product", x, y);
    return d;
}

bool ch__dim_is_symbol(ch__dim d, const char **out_name) {
    if (!d.sym || d.sym->n_terms != 1) return false;
    const ch__term *t = d.sym->terms;
    if (t->coef != 1 || t->n_atoms != 1 || t->atoms[0]->kind != CH__ATOM_symbol) return false;
    if (out_name) *out_name = t->atoms[0]->name;
    return true;
}

// ---------------------------------------------------------------- value
static ch_status dim_value(ch__dim d, const ch__dim_env *env, int64_t *out);

static ch_status atom_value(const ch__atom *at, const ch__dim_env *env, int64_t *out) {
    if (at->kind == CH__ATOM_symbol) {
        for (int i = 0; i < env->n; i++)
            if (strcmp(env->names[i], at->name) == 0) {
                *out = env->values[i];
                return CH_OK;
            }
        return ch__fail(CH__E_unknown_name, "size: the symbol %s has no value here", at->name);
    }
    int64_t x = 0, y = 0;
    CH_TRY(dim_value(at->a, env, &x));
    CH_TRY(dim_value(at->b, env, &y));
    if (at->kind == CH__ATOM_max || at->kind == CH__ATOM_min) {
        *out = (x > y) == (at->kind == CH__ATOM_max) ? x : y;
        return CH_OK;
    }
    bool div = at->kind == CH__ATOM_floordiv;
    if (y == 0)
        return ch__fail(CH__E_argument, "size: %s of %" PRId64 " and 0 — the divisor must not be 0",
                        div ? "floordiv" : "mod", x);
    if (x == INT64_MIN && y == -1) {
        if (div)
            return ch__fail(CH__E_dim_overflow, "size: floordiv of %" PRId64 " and -1 — does not fit in 64 bits", x);
        *out = 0;
        return CH_OK;
    }
    *out = div ? ch__floordiv_i64(x, y) : ch__mod_i64(x, y);
    return CH_OK;
}

static ch_status dim_value(ch__dim d, const ch__dim_env *env, int64_t *out) {
    ch__dim_view v;
    ch__dim_view_of(d, &v);
    int64_t sum = 0;
    for (int i = 0; i < v.n; i++) {
        int64_t product = v.terms[i].coef;
        for (int k = 0; k < v.terms[i].n_atoms; k++) {
            int64_t x = 0, before = product;
            CH_TRY(atom_value(v.terms[i].atoms[k], env, &x));
            if (!ch__mul_i64(before, x, &product))
                return ch__fail(CH__E_dim_overflow, "size: %" PRId64 " * %" PRId64 " — does not fit in 64 bits", before,
                                x);
        }
        int64_t before = sum;
        if (!ch__add_i64(before, product, &sum))
            return ch__fail(CH__E_dim_overflow, "size: %" PRId64 " + %" PRId64 " — does not fit in 64 bits", before,
                            product);
    }
    *out = sum;
    return CH_OK;
}

ch_status ch__dim_eval(ch__dim d, const ch__dim_env *env, int64_t *out) {
    if (!d.sym) {
        *out = d.val;
        return CH_OK;
    }
    return dim_value(d, env, out);
}

// ---------------------------------------------------------------- substitution, copies, symbols, text
static ch__dim atom_subst(ch__arena *a, const ch__atom *at, int n, const char *const *names, const ch__dim *dims) {
    if (at->kind == CH__ATOM_symbol) {
        for (int i = 0; i < n; i++)
            if (strcmp(names[i], at->name) == 0) return ch__dim_copy(a, dims[i]);
        return ch__dim_symbol(a, at->name);
    }
    ch__dim x = ch__dim_subst(a, at->a, n, names, dims), y = ch__dim_subst(a, at->b, n, names, dims);
    switch (at->kind) {
    case CH__ATOM_floordiv: return ch__dim_floordiv(a, x, y);
    case CH__ATOM_mod: return ch__dim_mod(a, x, y);
    case CH__ATOM_max: return ch__dim_max(a, x, y);
    default: return ch__dim_min(a, x, y);
    }
}

ch__dim ch__dim_subst(ch__arena *a, ch__dim d, int n, const char *const *names, const ch__dim *dims) {
    if (!d.sym) return d;
    CH_VEC(ch__term) all = {NULL, 0, 0};
    for (int i = 0; i < d.sym->n_terms; i++) {
        const ch__term *t = &d.sym->terms[i];
        ch__dim product = ch__dim_const(t->coef);
        for (int k = 0; k < t->n_atoms; k++)
            product = ch__dim_mul(a, product, atom_subst(a, t->atoms[k], n, names, dims));
        ch__dim_view v;
        ch__dim_view_of(product, &v);
        for (int k = 0; k < v.n; k++) CH_PUSH(a, &all, v.terms[k]);
    }
    ch__dim out;
    ch__err e = ch__dim_from_terms(a, all.data, all.n, &out);
    if (e != CH__E_COUNT) ch__dim_raise(a, e, "substitution", d, ch__dim_const(0));
    return out;
}

static const ch__atom *atom_copy(ch__arena *a, const ch__atom *x) {
    ch__atom *at = ch__arena_dup(a, x, sizeof *x);
    if (x->kind == CH__ATOM_symbol) {
        at->name = ch__arena_strdup(a, x->name);
    } else {
        at->a = ch__dim_copy(a, x->a);
        at->b = ch__dim_copy(a, x->b);
    }
    return at;
}

ch__dim ch__dim_copy(ch__arena *a, ch__dim d) {
    if (!d.sym) return d;
    ch__sym *s = ch__arena_dup(a, d.sym, sizeof *d.sym);
    ch__term *terms = ch__arena_dup(a, d.sym->terms, (size_t)s->n_terms * sizeof *terms);
    for (int i = 0; i < s->n_terms; i++) {
        const ch__atom **list = CH_NEW_ARRAY(a, const ch__atom *, terms[i].n_atoms);
        for (int k = 0; k < terms[i].n_atoms; k++) list[k] = atom_copy(a, terms[i].atoms[k]);
        terms[i].atoms = terms[i].n_atoms ? list : NULL;
    }
    s->terms = terms;
    return (ch__dim){s, 0};
}

void ch__dim_symbols(ch__dim d, void (*fn)(void *, const char *), void *arg) {
    for (int i = 0; d.sym && i < d.sym->n_terms; i++)
        for (int k = 0; k < d.sym->terms[i].n_atoms; k++) {
            const ch__atom *at = d.sym->terms[i].atoms[k];
            if (at->kind == CH__ATOM_symbol) {
                fn(arg, at->name);
            } else {
                ch__dim_symbols(at->a, fn, arg);
                ch__dim_symbols(at->b, fn, arg);
            }
        }
}

static void atom_print(ch__text *t, const ch__atom *at) {
    static const char *const words[] = {"", "floordiv", "mod", "max", "min"};
    if (at->kind == CH__ATOM_symbol) {
        ch__put(t, at->name);
        return;
    }
    ch__put(t, words[at->kind]);
    ch__putc(t, '(');
    ch__dim_print(t, at->a);
    ch__put(t, ", ");
    ch__dim_print(t, at->b);
    ch__putc(t, ')');
}

void ch__dim_print(ch__text *t, ch__dim d) {
    if (!d.sym) {
        ch__put_i64(t, d.val);
        return;
    }
    for (int i = 0; i < d.sym->n_terms; i++) {
        const ch__term *p = &d.sym->terms[i];
        // After the first the sign stands between the terms; the smallest int64 has no positive twin to print.
        bool minus = i > 0 && p->coef < 0 && p->coef != INT64_MIN;
        if (i > 0) ch__put(t, minus ? " - " : " + ");
        int64_t coef = minus ? -p->coef : p->coef;
        if (p->n_atoms == 0 || (coef != 1 && coef != -1))
            ch__put_i64(t, coef);
        else if (coef == -1)
            ch__putc(t, '-');
        for (int k = 0; k < p->n_atoms; k++) {
            if (k > 0 || (coef != 1 && coef != -1)) ch__putc(t, '*');
            atom_print(t, p->atoms[k]);
        }
    }
}
