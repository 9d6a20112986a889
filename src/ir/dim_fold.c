// SPDX-License-Identifier: Apache-2.0
// dim_fold.c - the functions of sizes that are no polynomials: floordiv, mod, max, min, and what is known of a sign.
//
// With a constant divisor c > 0 (a negative one: both signs turned round):
//   floordiv(sum k_i m_i, c) = sum (k_i div c) m_i + floordiv(sum (k_i mod c) m_i, c)
//   floordiv(g u + r, g c) = floordiv(u + (r div g), c)
//   floordiv(floordiv(u, b) + k, c) = floordiv(u + k b, b c)
//   mod(g u + g q + r, g c) = g mod(u + q, c) + r            for 0 <= r < g
//   mod(k mod(u, b), c) = mod(k u, c)                        when c divides k b
// Otherwise exact division of polynomials: n*m div n = m (where n is 0 the quotient is not defined, so nothing is
// lost). Intervals, with every symbol in [0, inf), decide the rest: max(n, 0) = n, mod(mod(n, 4), 8) = mod(n, 4).
#include "ir/ir.h"

#include <assert.h>

#define DIM_MAX_STEPS 1000 // of one exact division

// ---------------------------------------------------------------- intervals
// INT64_MIN and INT64_MAX stand for infinity.
typedef struct {
    int64_t lo, hi;
} dim_range;

static int64_t sat_add(int64_t x, int64_t y, int64_t inf) {
    int64_t s;
    if (x == inf || y == inf) return inf;
    return ch__add_i64(x, y, &s) ? s : x < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t sat_mul(int64_t x, int64_t y) {
    int64_t p;
    if (x == 0 || y == 0) return 0;
    bool infinite = x == INT64_MIN || x == INT64_MAX || y == INT64_MIN || y == INT64_MAX;
    return !infinite && ch__mul_i64(x, y, &p) ? p : (x < 0) == (y < 0) ? INT64_MAX : INT64_MIN;
}

static dim_range range_mul(dim_range x, dim_range y) {
    int64_t p[4] = {sat_mul(x.lo, y.lo), sat_mul(x.lo, y.hi), sat_mul(x.hi, y.lo), sat_mul(x.hi, y.hi)};
    dim_range r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        if (p[i] < r.lo) r.lo = p[i];
        if (p[i] > r.hi) r.hi = p[i];
    }
    return r;
}

static dim_range dim_range_of(ch__dim d);

static dim_range atom_range(const ch__atom *at) {
    dim_range all = {INT64_MIN, INT64_MAX};
    if (at->kind == CH__ATOM_symbol) return (dim_range){0, INT64_MAX};
    dim_range x = dim_range_of(at->a), y = dim_range_of(at->b);
    bool constant = !at->b.sym && at->b.val > 0;
    bool natural = x.lo >= 0 && y.lo >= 0; // the divisor is then at least 1 where the value is defined
    switch (at->kind) {
    case CH__ATOM_floordiv:
        if (constant)
            return (dim_range){x.lo == INT64_MIN ? INT64_MIN : ch__floordiv_i64(x.lo, at->b.val),
                               x.hi == INT64_MAX ? INT64_MAX : ch__floordiv_i64(x.hi, at->b.val)};
        return natural ? (dim_range){0, x.hi} : all;
    case CH__ATOM_mod:
        if (!constant && y.lo < 0) return all;
        all = (dim_range){0, y.hi == INT64_MAX || y.hi <= 0 ? INT64_MAX : y.hi - 1};
        if (x.lo >= 0 && x.hi < all.hi) all.hi = x.hi;
        return all;
    case CH__ATOM_max: return (dim_range){x.lo > y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi};
    case CH__ATOM_min: return (dim_range){x.lo < y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi};
    default: return all;
    }
}

static dim_range dim_range_of(ch__dim d) {
    if (!d.sym) return (dim_range){d.val, d.val};
    dim_range sum = {0, 0};
    for (int i = 0; i < d.sym->n_terms; i++) {
        const ch__term *t = &d.sym->terms[i];
        dim_range p = {t->coef, t->coef};
        for (int k = 0; k < t->n_atoms; k++) p = range_mul(p, atom_range(t->atoms[k]));
        sum = (dim_range){sat_add(sum.lo, p.lo, INT64_MIN), sat_add(sum.hi, p.hi, INT64_MAX)};
    }
    return sum;
}

static dim_range difference_range(ch__arena *a, ch__dim x, ch__dim y) {
    ch__dim d;
    if (ch__dim_combine(a, x, y, -1, &d) != CH__E_COUNT) return (dim_range){INT64_MIN, INT64_MAX};
    return dim_range_of(d);
}

int64_t ch__dim_least(ch__dim d) { return dim_range_of(d).lo; }

int ch__dim_cmp(ch__arena *a, ch__dim x, ch__dim y) {
    if (!x.sym && !y.sym) return x.val < y.val ? -1 : x.val > y.val;
    dim_range r = difference_range(a, x, y);
    return r.lo > 0 ? 1 : r.hi < 0 ? -1 : r.lo == 0 && r.hi == 0 ? 0 : 2;
}

// ---------------------------------------------------------------- exact division
// x / y as monomials with coefficients; false when y does not divide x.
static bool term_quotient(ch__arena *a, const ch__term *x, const ch__term *y, ch__term *out) {
    if (y->n_atoms > x->n_atoms || (x->coef == INT64_MIN && y->coef == -1) || x->coef % y->coef) return false;
    int rest = x->n_atoms - y->n_atoms, n = 0, k = 0;
    const ch__atom **list = CH_NEW_ARRAY(a, const ch__atom *, rest);
    for (int i = 0; i < x->n_atoms; i++) {
        if (k < y->n_atoms && ch__atom_order(x->atoms[i], y->atoms[k]) == 0)
            k++;
        else if (n == rest)
            return false;
        else
            list[n++] = x->atoms[i];
    }
    *out = (ch__term){x->coef / y->coef, n, list};
    return true;
}

static bool dim_of_terms(ch__arena *a, ch__term *t, int64_t n, ch__dim *out) {
    return ch__dim_from_terms(a, t, n, out) == CH__E_COUNT;
}

// q with q * y == x, by leading terms; false when there is none.
static bool exact_quotient(ch__arena *a, ch__dim x, ch__dim y, ch__dim *out) {
    ch__dim_view vx, vy;
    ch__dim_view_of(y, &vy);
    ch__dim rest = x, part, product;
    CH_VEC(ch__term) q = {NULL, 0, 0};
    for (int step = 0; ch__dim_view_of(rest, &vx)->n > 0; step++) {
        ch__term t;
        if (step == DIM_MAX_STEPS || !term_quotient(a, &vx.terms[0], &vy.terms[0], &t)) return false;
        CH_PUSH(a, &q, t);
        ch__term *one = ch__arena_dup(a, &t, sizeof t);
        if (!dim_of_terms(a, one, 1, &part) || ch__dim_product(a, part, y, &product) != CH__E_COUNT ||
            ch__dim_combine(a, rest, product, -1, &rest) != CH__E_COUNT)
            return false;
    }
    return dim_of_terms(a, q.data, q.n, out);
}

// x = whole * y + rest with as much in whole as goes term by term. y is one term.
static bool split_terms(ch__arena *a, ch__dim x, const ch__term *y, ch__dim *whole, ch__dim *rest) {
    ch__dim_view v;
    ch__dim_view_of(x, &v);
    ch__term *w = CH_NEW_ARRAY(a, ch__term, v.n), *r = CH_NEW_ARRAY(a, ch__term, v.n);
    int nw = 0, nr = 0;
    for (int i = 0; i < v.n; i++) {
        const ch__term *t = &v.terms[i];
        if (y->n_atoms > 0) {
            if (term_quotient(a, t, y, &w[nw]))
                nw++;
            else
                r[nr++] = *t;
            continue;
        }
        w[nw] = r[nr] = *t;
        w[nw].coef = ch__floordiv_i64(t->coef, y->coef);
        r[nr].coef = ch__mod_i64(t->coef, y->coef);
        nw += w[nw].coef != 0;
        nr += r[nr].coef != 0;
    }
    return dim_of_terms(a, w, nw, whole) && dim_of_terms(a, r, nr, rest);
}

static int64_t gcd(int64_t x, int64_t y) {
    while (y) {
        int64_t t = x % y;
        x = y;
        y = t;
    }
    return x;
}

// r (coefficients in [0, c)) = g * u + k with g dividing c and k in [0, g), g as large as it goes.
static bool split_gcd(ch__arena *a, ch__dim r, int64_t c, int64_t *g, ch__dim *u, int64_t *k) {
    ch__dim_view v;
    ch__dim_view_of(r, &v);
    *g = c;
    for (int i = 0; i < v.n; i++)
        if (v.terms[i].n_atoms) *g = gcd(*g, v.terms[i].coef);
    ch__term *t = CH_NEW_ARRAY(a, ch__term, v.n);
    *k = 0;
    for (int i = 0; i < v.n; i++) {
        t[i] = v.terms[i];
        t[i].coef /= *g;
        if (t[i].n_atoms == 0) *k = v.terms[i].coef % *g;
    }
    return dim_of_terms(a, t, v.n, u);
}

// Is d = floordiv(u, b) + k (or mod, with any coefficient), b a constant?
static const ch__atom *lone_atom(const ch__term *t, ch__atom_kind kind) {
    if (t->n_atoms != 1 || t->atoms[0]->kind != kind || t->atoms[0]->b.sym) return NULL;
    return t->atoms[0];
}

// The atom, or the only value it can have: mod(x, mod(n, 2)) is 0 where it is defined.
static ch__dim atom_or_value(ch__arena *a, ch__atom_kind kind, ch__dim x, ch__dim y) {
    ch__dim d = ch__dim_from_atom(a, kind, x, y);
    dim_range r = dim_range_of(d);
    return r.lo == r.hi && r.lo != INT64_MIN && r.hi != INT64_MAX ? ch__dim_const(r.lo) : d;
}

// ---------------------------------------------------------------- floordiv
static ch__dim floordiv_const(ch__arena *a, ch__dim x, int64_t c) {
    ch__term divisor = {c, 0, NULL};
    ch__dim whole, r, u;
    int64_t g, k, b;
    if (!split_terms(a, x, &divisor, &whole, &r) || !split_gcd(a, r, c, &g, &u, &k))
        ch__dim_raise(a, CH__E_dim_overflow, "floordiv", x, ch__dim_const(c));
    c /= g;
    if (c == 1) return ch__dim_add(a, whole, u);
    if (!u.sym) return whole; // 0 <= u < c
    const ch__term *t = u.sym->terms;
    const ch__atom *inner = u.sym->n_terms <= 2 && t[0].coef == 1 ? lone_atom(&t[0], CH__ATOM_floordiv) : NULL;
    if (inner && (u.sym->n_terms == 1 || t[1].n_atoms == 0) && ch__mul_i64(inner->b.val, c, &b)) {
        ch__dim moved = ch__dim_const(u.sym->n_terms == 2 ? t[1].coef * inner->b.val : 0); // below b * c
        return ch__dim_add(a, whole, ch__dim_floordiv(a, ch__dim_add(a, inner->a, moved), ch__dim_const(b)));
    }
    dim_range range = dim_range_of(u);
    if (range.lo != INT64_MIN && range.hi != INT64_MAX) {
        int64_t q = ch__floordiv_i64(range.lo, c);
        if (q == ch__floordiv_i64(range.hi, c)) return ch__dim_add(a, whole, ch__dim_const(q));
    }
    return ch__dim_add(a, whole, atom_or_value(a, CH__ATOM_floordiv, u, ch__dim_const(c)));
}

ch__dim ch__dim_floordiv(ch__arena *a, ch__dim x, ch__dim y) {
    ch__dim q, rest;
    if (!y.sym) {
        if (y.val == 0) ch__dim_raise(a, CH__E_argument, "floordiv", x, y);
        if (y.val == 1) return x;
        if (y.val < 0) {
            if (y.val == INT64_MIN) ch__dim_raise(a, CH__E_dim_overflow, "floordiv", x, y);
            return ch__dim_floordiv(a, ch__dim_sub(a, ch__dim_const(0), x), ch__dim_const(-y.val));
        }
        return x.sym ? floordiv_const(a, x, y.val) : ch__dim_const(ch__floordiv_i64(x.val, y.val));
    }
    if (exact_quotient(a, x, y, &q)) return q;
    if (y.sym->n_terms == 1 && split_terms(a, x, y.sym->terms, &q, &rest) && !ch__dim_equal(rest, x))
        return ch__dim_add(a, q, ch__dim_floordiv(a, rest, y));
    return atom_or_value(a, CH__ATOM_floordiv, x, y);
}

// ---------------------------------------------------------------- mod
// mod(u, b) inside a residue modulo c that divides (its coefficient) * b is u itself.
static bool mod_unwrap(ch__arena *a, ch__dim r, int64_t c, ch__dim *out) {
    bool changed = false;
    *out = r;
    for (int i = 0; r.sym && i < r.sym->n_terms; i++) {
        const ch__term *t = &r.sym->terms[i];
        const ch__atom *inner = lone_atom(t, CH__ATOM_mod);
        int64_t cb;
        if (!inner || !ch__mul_i64(t->coef, inner->b.val, &cb) || cb % c) continue;
        ch__term *one = ch__arena_dup(a, t, sizeof *t);
        ch__dim old;
        if (!dim_of_terms(a, one, 1, &old)) continue;
        ch__dim next;
        if (ch__dim_combine(a, *out, old, -1, &next) != CH__E_COUNT ||
            ch__dim_combine(a, next, inner->a, t->coef, &next) != CH__E_COUNT)
            continue;
        *out = next;
        changed = true;
    }
    return changed;
}

static ch__dim mod_const(ch__arena *a, ch__dim x, int64_t c) {
    ch__term divisor = {c, 0, NULL};
    ch__dim whole, r, u;
    int64_t g, k;
    do {
        if (!split_terms(a, x, &divisor, &whole, &r)) ch__dim_raise(a, CH__E_dim_overflow, "mod", x, ch__dim_const(c));
    } while (mod_unwrap(a, r, c, &x));
    if (!split_gcd(a, r, c, &g, &u, &k)) ch__dim_raise(a, CH__E_dim_overflow, "mod", x, ch__dim_const(c));
    c /= g;
    ch__dim rest = u; // mod(u, c)
    dim_range range = dim_range_of(u);
    if (c == 1)
        rest = ch__dim_const(0);
    else if (range.lo != INT64_MIN && range.hi != INT64_MAX &&
             ch__floordiv_i64(range.lo, c) == ch__floordiv_i64(range.hi, c))
        rest = ch__dim_sub(a, u, ch__dim_const(ch__floordiv_i64(range.lo, c) * c));
    else
        rest = atom_or_value(a, CH__ATOM_mod, u, ch__dim_const(c));
    return ch__dim_add(a, ch__dim_mul(a, ch__dim_const(g), rest), ch__dim_const(k));
}

ch__dim ch__dim_mod(ch__arena *a, ch__dim x, ch__dim y) {
    ch__dim q, rest;
    if (!y.sym) {
        if (y.val == 0) ch__dim_raise(a, CH__E_argument, "mod", x, y);
        if (y.val < 0) {
            if (y.val == INT64_MIN) ch__dim_raise(a, CH__E_dim_overflow, "mod", x, y);
            ch__dim zero = ch__dim_const(0);
            return ch__dim_sub(a, zero, ch__dim_mod(a, ch__dim_sub(a, zero, x), ch__dim_const(-y.val)));
        }
        return x.sym ? mod_const(a, x, y.val) : ch__dim_const(ch__mod_i64(x.val, y.val));
    }
    if (exact_quotient(a, x, y, &q)) return ch__dim_const(0);
    if (y.sym->n_terms == 1 && split_terms(a, x, y.sym->terms, &q, &rest)) x = rest;
    return atom_or_value(a, CH__ATOM_mod, x, y);
}

// ---------------------------------------------------------------- max and min
typedef CH_VEC(ch__dim) dim_list;

static void collect_operands(ch__arena *a, ch__atom_kind kind, ch__dim d, dim_list *list) {
    const ch__term *t = d.sym ? d.sym->terms : NULL;
    if (t && d.sym->n_terms == 1 && t->coef == 1 && t->n_atoms == 1 && t->atoms[0]->kind == kind) {
        collect_operands(a, kind, t->atoms[0]->a, list);
        collect_operands(a, kind, t->atoms[0]->b, list);
    } else {
        CH_PUSH(a, list, d);
    }
}

// Operands of nested ones in one list, those never alone at the top dropped, the rest in order: max is associative,
// commutative and idempotent in this form too.
static ch__dim dim_extreme(ch__arena *a, ch__atom_kind kind, ch__dim x, ch__dim y) {
    dim_list all = {NULL, 0, 0}, kept = {NULL, 0, 0};
    collect_operands(a, kind, x, &all);
    collect_operands(a, kind, y, &all);
    for (int64_t i = 0; i < all.n; i++) {
        bool drop = false;
        for (int64_t k = 0; k < all.n && !drop; k++) {
            if (k == i) continue;
            if (ch__dim_equal(all.data[i], all.data[k])) {
                drop = k < i;
                continue;
            }
            dim_range r = kind == CH__ATOM_max ? difference_range(a, all.data[k], all.data[i])
                                               : difference_range(a, all.data[i], all.data[k]);
            // Equal at all points but of another form: one of the two, whichever way round they were given.
            bool same = r.lo == 0 && r.hi == 0;
            drop = r.lo >= 0 && (!same || ch__dim_order(all.data[k], all.data[i]) < 0);
        }
        if (drop) continue;
        CH_PUSH(a, &kept, all.data[i]);
        for (int64_t at = kept.n - 1; at > 0 && ch__dim_order(kept.data[at - 1], kept.data[at]) > 0; at--) {
            ch__dim swap = kept.data[at];
            kept.data[at] = kept.data[at - 1];
            kept.data[at - 1] = swap;
        }
    }
    assert(kept.n > 0); // the order of what is left is strict
    ch__dim out = kept.data[0];
    for (int64_t i = 1; i < kept.n; i++) out = atom_or_value(a, kind, out, kept.data[i]);
    return out;
}

ch__dim ch__dim_max(ch__arena *a, ch__dim x, ch__dim y) {
    if (!x.sym && !y.sym) return x.val > y.val ? x : y;
    return dim_extreme(a, CH__ATOM_max, x, y);
}

ch__dim ch__dim_min(ch__arena *a, ch__dim x, ch__dim y) {
    if (!x.sym && !y.sym) return x.val < y.val ? x : y;
    return dim_extreme(a, CH__ATOM_min, x, y);
}
