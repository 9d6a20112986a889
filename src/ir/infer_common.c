// SPDX-License-Identifier: Apache-2.0
// infer_common.c - what shape rules stand on: messages, the equality of sizes, joint types, checks of attributes.
//
// The law of sizes. Two sizes that have to be equal are compared in canonical form, then by what the func requires
// already and the declared bounds of its symbols. What stays open becomes a clause of the func, checked at its entry:
// a == b, and for a <= b the clause max(a, b) == b. A clause can only speak of symbols that the func declares: sizes
// known later (`alloc<k = %v>`) have to be equal in form. Without a func an open equality is an error, an open
// inequality is left to the run, which checks memory safety always.
//
// The law of axis names: NULL joins any name; two names that differ do not meet; a name stands once in a type.
#include "ir/infer.h"

#include <string.h>

// ---------------------------------------------------------------- messages
#define SHOWN_TYPES 8 // of a long operand list

static void put_joined_types(ch__text *t, int n, const ch__type *const *types) {
    int shown = n > SHOWN_TYPES ? SHOWN_TYPES : n;
    for (int i = 0; i < shown; i++) {
        if (i) ch__put(t, " and ");
        ch__type_print(t, types[i]);
    }
    if (n > shown) ch__putf(t, " and %d more", n - shown);
}

static const char *speaker_of(const ch__infer *in) { return in->who ? in->who : ch__op_name(in->code); }

static const char *reason_text(ch__arena *a, const char *fmt, va_list ap) {
    char buf[1024];
    vsnprintf(buf, sizeof buf, fmt, ap);
    return ch__arena_strdup(a, buf);
}

void ch__infer_bad(const ch__infer *in, ch__err id, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *reason = reason_text(in->arena, fmt, ap);
    va_end(ap);
    ch__text t;
    ch__text_init(&t, in->arena);
    if (in->n_operands)
        put_joined_types(&t, in->n_operands, in->operands);
    else
        put_joined_types(&t, in->n_results, in->results);
    if (t.n) ch__raise(id, "%s: %s — %s", speaker_of(in), t.data, reason);
    ch__raise(id, "%s: %s", speaker_of(in), reason);
}

void ch__infer_bad_attr(const ch__infer *in, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *reason = reason_text(in->arena, fmt, ap);
    va_end(ap);
    ch__raise(CH__E_attribute, "%s: %s", speaker_of(in), reason);
}

const char *ch__infer_dim_text(const ch__infer *in, ch__dim d) {
    ch__text t;
    ch__text_init(&t, in->arena);
    ch__dim_print(&t, d);
    return t.data;
}

const char *ch__infer_side_text(const ch__infer *in, ch__side s) {
    char buf[32];
    if (s.operand >= 0) return ch__arena_strdup(in->arena, ch__op_operand_name(in->code, s.operand, buf));
    if (s.n < 0) return s.text;
    return ch__arena_printf(in->arena, "%s %d", s.text, s.n);
}

// ---------------------------------------------------------------- sizes
typedef struct {
    const char *name;
    bool found;
} symbol_search;

static void search_symbol(void *arg, const char *name) {
    symbol_search *s = arg;
    s->found |= strcmp(s->name, name) == 0;
}

static bool has_symbol(ch__dim d, const char *name) {
    symbol_search s = {name, false};
    ch__dim_symbols(d, search_symbol, &s);
    return s.found;
}

// d with every symbol of declared bounds lo.. written as symbol + lo, so that "at least 0" says the same of it, and a
// symbol of one possible value as that value.
static ch__dim shift_by_bounds(ch__arena *a, const ch_func *f, ch__dim d) {
    int n = 0;
    for (int64_t i = 0; i < f->dims.n; i++) n += f->dims.data[i].lo > 0 || f->dims.data[i].lo == f->dims.data[i].hi;
    if (!n) return d;
    const char **names = CH_NEW_ARRAY(a, const char *, n);
    ch__dim *to = CH_NEW_ARRAY(a, ch__dim, n);
    int k = 0;
    for (int64_t i = 0; i < f->dims.n; i++) {
        const ch__dim_param *p = &f->dims.data[i];
        if (p->lo <= 0 && p->lo != p->hi) continue;
        names[k] = p->name;
        to[k++] =
            p->lo == p->hi ? ch__dim_const(p->lo) : ch__dim_add(a, ch__dim_symbol(a, p->name), ch__dim_const(p->lo));
    }
    return ch__dim_subst(a, d, n, names, to);
}

// d with the clauses "symbol == size" put in, in order, so that what follows from them is seen too.
static ch__dim by_clauses(ch__arena *a, const ch_func *f, ch__dim d) {
    for (int64_t i = 0; i < f->requires_.n && !ch__dim_is_const(d); i++) {
        ch__dim x = f->requires_.data[i].a, y = f->requires_.data[i].b;
        const char *name;
        if (!ch__dim_is_symbol(x, &name)) {
            ch__dim swap = x;
            x = y;
            y = swap;
        }
        if (ch__dim_is_symbol(x, &name) && !has_symbol(y, name)) d = ch__dim_subst(a, d, 1, &name, &y);
    }
    return d;
}

// a against b by clauses and bounds: -1, 0, 1 as ch__dim_cmp. A lone symbol against a constant above its hi is decided
// too.
static int cmp_known(ch__infer *in, ch__dim a, ch__dim b) {
    int c = ch__dim_cmp(in->arena, a, b);
    if (c != 2 || !in->func) return c;
    a = by_clauses(in->arena, in->func, a);
    b = by_clauses(in->arena, in->func, b);
    const char *name;
    const ch__dim_param *p;
    if (ch__dim_is_const(b) && ch__dim_is_symbol(a, &name) && (p = ch__func_dim_param(in->func, name)) && p->hi < b.val)
        return -1;
    if (ch__dim_is_const(a) && ch__dim_is_symbol(b, &name) && (p = ch__func_dim_param(in->func, name)) && p->hi < a.val)
        return 1;
    return ch__dim_cmp(in->arena, shift_by_bounds(in->arena, in->func, a), shift_by_bounds(in->arena, in->func, b));
}

static bool is_required_equal(const ch_func *f, ch__dim a, ch__dim b) {
    if (!f) return false;
    for (int64_t i = 0; i < f->requires_.n; i++) {
        const ch__require *r = &f->requires_.data[i];
        if (ch__dim_equal(r->a, a) && ch__dim_equal(r->b, b)) return true;
        if (ch__dim_equal(r->a, b) && ch__dim_equal(r->b, a)) return true;
    }
    return false;
}

// The lone max(x, y) that a size is, or NULL.
static const ch__atom *lone_max(ch__dim d) {
    if (!d.sym || d.sym->n_terms != 1 || d.sym->terms[0].coef != 1 || d.sym->terms[0].n_atoms != 1) return NULL;
    const ch__atom *atom = d.sym->terms[0].atoms[0];
    return atom->kind == CH__ATOM_max ? atom : NULL;
}

static bool known_at_least(ch__arena *a, ch__dim x, ch__dim y) {
    int c = ch__dim_cmp(a, x, y);
    return c == 0 || c == 1 || (c == 2 && ch__dim_equal(ch__dim_max(a, x, y), x));
}

// Does a clause max(x, top) == top say that a <= b? It does when b - a is at least top - x, which is not below 0.
static bool is_required_below(ch__infer *in, ch__dim a, ch__dim b) {
    ch__arena *mem = in->arena;
    if (is_required_equal(in->func, ch__dim_max(mem, a, b), b)) return true; // also where a is never below b
    for (int64_t i = 0; in->func && i < in->func->requires_.n; i++) {
        ch__dim side[2] = {in->func->requires_.data[i].a, in->func->requires_.data[i].b};
        for (int k = 0; k < 2; k++) {
            const ch__atom *m = lone_max(side[k]);
            if (!m) continue;
            ch__dim gap = ch__dim_sub(mem, b, a), top = side[1 - k];
            if (known_at_least(mem, gap, ch__dim_sub(mem, top, m->a))) return true;
            if (known_at_least(mem, gap, ch__dim_sub(mem, top, m->b))) return true;
        }
    }
    return false;
}

// Something that d is never below, without floordiv where it can be: c * floordiv(u, c) lies in [u - (c - 1), u].
static ch__dim without_floordiv(ch__arena *a, ch__dim d) {
    ch__dim out = d;
    for (int i = 0; d.sym && i < d.sym->n_terms; i++) {
        const ch__term *t = &d.sym->terms[i];
        const ch__atom *atom = t->n_atoms == 1 ? t->atoms[0] : NULL;
        if (!atom || atom->kind != CH__ATOM_floordiv || !ch__dim_is_const(atom->b)) continue;
        int64_t c = atom->b.val;
        if (c < 2 || t->coef % c) continue;
        ch__dim least = t->coef > 0 ? ch__dim_sub(a, atom->a, ch__dim_const(c - 1)) : atom->a;
        ch__dim term = ch__dim_mul(a, ch__dim_const(t->coef), ch__dim_floordiv(a, atom->a, atom->b));
        out = ch__dim_add(a, ch__dim_sub(a, out, term), ch__dim_mul(a, ch__dim_const(t->coef / c), least));
    }
    return out;
}

// A clause that says just this comes before what follows from others, so that an answer never changes by the clause it
// made, not even where clauses contradict each other.
ch__answer ch__infer_eq(ch__infer *in, ch__dim a, ch__dim b) {
    if (ch__dim_is_const(a) && ch__dim_is_const(b)) return a.val == b.val ? CH__YES : CH__NO;
    if (ch__dim_equal(a, b)) return CH__YES;
    int c = ch__dim_cmp(in->arena, a, b);
    if (c == 2 && is_required_equal(in->func, a, b)) return CH__YES;
    if (c == 2) c = cmp_known(in, a, b);
    return c == 2 ? CH__OPEN : c == 0 ? CH__YES : CH__NO;
}

ch__answer ch__infer_le(ch__infer *in, ch__dim a, ch__dim b) {
    if (ch__dim_is_const(a) && ch__dim_is_const(b)) return a.val <= b.val ? CH__YES : CH__NO;
    if (ch__dim_is_const(a) && ch__dim_least(b) >= a.val) return CH__YES; // 0 <= n, most of what is asked
    int c = ch__dim_cmp(in->arena, a, b);
    if (c == 2 && is_required_below(in, a, b)) return CH__YES;
    if (c == 2) c = cmp_known(in, a, b);
    if (c != 2) return c == 1 ? CH__NO : CH__YES;
    // Unknown may still be "at most": a <= b exactly when a < b + 1.
    c = cmp_known(in, a, ch__dim_add(in->arena, b, ch__dim_const(1)));
    if (c == -1 || ch__dim_equal(ch__dim_max(in->arena, a, b), b)) return CH__YES;
    c = cmp_known(in, without_floordiv(in->arena, ch__dim_sub(in->arena, b, a)), ch__dim_const(-1));
    return c == 1 ? CH__YES : CH__OPEN;
}

typedef struct {
    const ch_func *func;
    bool all;
} declared_scan;

static void check_declared(void *arg, const char *name) {
    declared_scan *s = arg;
    if (!ch__func_dim_param((ch_func *)s->func, name)) s->all = false;
}

static bool known_at_entry(const ch_func *f, ch__dim d) {
    declared_scan s = {f, true};
    ch__dim_symbols(d, check_declared, &s);
    return s.all;
}

// Appends a == b to what the func requires; false when that cannot be.
static bool add_clause(ch__infer *in, ch__dim a, ch__dim b, const char *reason) {
    ch_func *f = in->func;
    if (!f || !known_at_entry(f, a) || !known_at_entry(f, b)) return false;
    ch__arena *fa = f->module->arena;
    const char *why = ch__arena_printf(fa, "%s: %s", speaker_of(in), reason);
    CH_PUSH(fa, &f->requires_, (ch__require){ch__dim_copy(fa, a), ch__dim_copy(fa, b), why});
    return true;
}

void ch__infer_unequal(ch__infer *in, ch__answer r, ch__dim a, ch__dim b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *reason = reason_text(in->arena, fmt, ap);
    va_end(ap);
    if (r == CH__NO) ch__infer_bad(in, CH__E_shape_mismatch, "%s", reason);
    if (add_clause(in, a, b, reason)) return;
    ch__infer_bad(in, CH__E_dims_undecided,
                  "%s: nothing says that %s and %s are equal; use one symbol or add a requires clause", reason,
                  ch__infer_dim_text(in, a), ch__infer_dim_text(in, b));
}

void ch__infer_above(ch__infer *in, ch__answer r, ch__err id, ch__dim a, ch__dim b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *reason = reason_text(in->arena, fmt, ap);
    va_end(ap);
    if (r == CH__NO && id == CH__E_attribute) ch__infer_bad_attr(in, "%s", reason);
    if (r == CH__NO) ch__infer_bad(in, id, "%s", reason);
    (void)add_clause(in, ch__dim_max(in->arena, a, b), b, reason);
}

bool ch__infer_dims_equal(ch__infer *in, ch__dim a, ch__dim b) {
    ch__answer r = ch__infer_eq(in, a, b);
    if (r == CH__OPEN)
        ch__infer_unequal(in, r, a, b, "sizes %s and %s meet", ch__infer_dim_text(in, a), ch__infer_dim_text(in, b));
    return r != CH__NO;
}

// ---------------------------------------------------------------- types
const ch__type *ch__infer_make(ch__infer *in, ch_dtype d, int rank, const ch__dim *dims, const char *const *axes) {
    if (rank > CH__MAX_RANK)
        ch__infer_bad(in, CH__E_rank, "the result would have rank %d, the most is %d", rank, CH__MAX_RANK);
    // A name stands once in a type: where two axes of one name come together (x times its own transpose), the later
    // axis goes without.
    const char *once[CH__MAX_RANK];
    for (int i = 0; axes && i < rank; i++) {
        once[i] = axes[i];
        for (int k = 0; k < i && once[i]; k++)
            if (once[k] && strcmp(once[k], once[i]) == 0) once[i] = NULL;
    }
    return (in->share ? ch__type_share : ch__type_make)(in->arena, d, rank, dims, axes ? once : NULL);
}

const char *ch__infer_join_axis(ch__infer *in, const char *x, int ix, ch__side sx, const char *y, int iy, ch__side sy) {
    if (!x) return y;
    if (!y || x == y || strcmp(x, y) == 0) return x;
    if (ix == iy)
        ch__infer_bad(in, CH__E_axis_mismatch, "axis %d is named %s in %s and %s in %s", ix, x,
                      ch__infer_side_text(in, sx), y, ch__infer_side_text(in, sy));
    ch__infer_bad(in, CH__E_axis_mismatch, "axis %d of %s is named %s, axis %d of %s is named %s", ix,
                  ch__infer_side_text(in, sx), x, iy, ch__infer_side_text(in, sy), y);
}

const ch__type *ch__infer_joint(ch__infer *in, const ch__type *x, ch__side sx, const ch__type *y, ch__side sy) {
    if (x == y) return x;
    if (x->rank != y->rank)
        ch__infer_bad(in, CH__E_rank, "ranks differ: %d in %s and %d in %s", x->rank, ch__infer_side_text(in, sx),
                      y->rank, ch__infer_side_text(in, sy));
    for (int i = 0; i < x->rank; i++) {
        ch__answer r = ch__infer_eq(in, x->dims[i], y->dims[i]);
        if (r != CH__YES)
            ch__infer_unequal(in, r, x->dims[i], y->dims[i], "axis %d is %s in %s and %s in %s", i,
                              ch__infer_dim_text(in, x->dims[i]), ch__infer_side_text(in, sx),
                              ch__infer_dim_text(in, y->dims[i]), ch__infer_side_text(in, sy));
    }
    if (!y->axes) return x;
    const char *axes[CH__MAX_RANK];
    bool changed = false;
    for (int i = 0; i < x->rank; i++) {
        axes[i] = ch__infer_join_axis(in, ch__axis(x, i), i, sx, y->axes[i], i, sy);
        changed |= axes[i] != ch__axis(x, i);
    }
    if (!changed) return x;
    const ch__type *t = ch__infer_make(in, x->dtype, x->rank, x->dims, axes);
    return x->tape ? ch__type_tape(in->arena, t) : t;
}

const ch__type *ch__infer_match(ch__infer *in, const ch__type *x, ch__side sx, const ch__type *y, ch__side sy) {
    if (x->tape != y->tape)
        ch__infer_bad(in, CH__E_dtype_mismatch, "%s is a tape, %s is an array",
                      ch__infer_side_text(in, x->tape ? sx : sy), ch__infer_side_text(in, x->tape ? sy : sx));
    if (x->dtype != y->dtype)
        ch__infer_bad(in, CH__E_dtype_mismatch, "dtypes differ: %s is %s, %s is %s", ch__infer_side_text(in, sx),
                      ch_dtype_name(x->dtype), ch__infer_side_text(in, sy), ch_dtype_name(y->dtype));
    return ch__infer_joint(in, x, sx, y, sy);
}

void ch__infer_scalar_int(ch__infer *in, int operand) {
    const ch__type *t = in->operands[operand];
    if (!ch__is_int(t->dtype))
        ch__infer_bad(in, CH__E_dtype_mismatch, "%s is %s, an integer dtype is wanted",
                      ch__infer_side_text(in, ch__side_operand(operand)), ch_dtype_name(t->dtype));
    if (t->rank)
        ch__infer_bad(in, CH__E_rank, "%s has rank %d, one number (rank 0) is wanted",
                      ch__infer_side_text(in, ch__side_operand(operand)), t->rank);
}

void ch__infer_need_rank(ch__infer *in, int operand, int least) {
    if (in->operands[operand]->rank < least)
        ch__infer_bad(in, CH__E_rank, "%s has rank %d, at least %d is wanted",
                      ch__infer_side_text(in, ch__side_operand(operand)), in->operands[operand]->rank, least);
}

void ch__infer_one(ch__infer *in, const ch__type *t) {
    in->results[0] = t;
    in->n_results = 1;
}

// ---------------------------------------------------------------- attributes
int64_t ch__infer_int(const ch__infer *in, ch__attr_id id, int64_t absent) {
    const ch__attr *a = ch__infer_attr(in, id);
    return a ? a->i : absent;
}

int ch__infer_axis(const ch__infer *in, ch__attr_id id, int64_t axis, const char *whose, int rank) {
    if (axis < 0 || axis >= rank)
        ch__infer_bad_attr(in, "%s %s %" PRId64 ", %s has rank %d", ch__attr_name(id),
                           ch__attr_kind_of(id) == CH__AK_INT ? "is" : "holds", axis, whose, rank);
    return (int)axis;
}

uint32_t ch__infer_axes(const ch__infer *in, ch__attr_id id, int n, const int64_t *axes, const char *whose, int rank,
                        int flags) {
    uint32_t set = 0;
    for (int i = 0; i < n; i++) {
        int axis = ch__infer_axis(in, id, axes[i], whose, rank);
        if (set >> axis & 1) ch__infer_bad_attr(in, "%s holds %d twice", ch__attr_name(id), axis);
        if (flags & CH__ASCENDING && i && axes[i] < axes[i - 1])
            ch__infer_bad_attr(in, "%s holds %d after %" PRId64 ", ascending order is wanted", ch__attr_name(id), axis,
                               axes[i - 1]);
        set |= UINT32_C(1) << axis;
    }
    return set;
}

void ch__infer_need_count(const ch__infer *in, ch__attr_id id, const char *whose, const char *what, int want) {
    const ch__attr *a = ch__infer_attr(in, id);
    if (a && a->n != want)
        ch__infer_bad_attr(in, "%s has %d %s, %s has %s %d", ch__attr_name(id), a->n, a->n == 1 ? "entry" : "entries",
                           whose, what, want);
}

int64_t ch__infer_entry(const ch__infer *in, ch__attr_id id, int i, int64_t absent) {
    const ch__attr *a = ch__infer_attr(in, id);
    return a ? a->ints[i] : absent;
}

void ch__infer_entries_at_least(const ch__infer *in, ch__attr_id id, int64_t least) {
    const ch__attr *a = ch__infer_attr(in, id);
    for (int i = 0; a && i < a->n; i++)
        if (a->ints[i] < least)
            ch__infer_bad_attr(in, "%s holds %" PRId64 ", at least %" PRId64 " is wanted", ch__attr_name(id),
                               a->ints[i], least);
}

ch__kind ch__infer_kind(const ch__infer *in, unsigned allowed) {
    int64_t kind = ch__infer_int(in, CH__ATTR_kind, 0);
    if (allowed >> kind & 1) return (ch__kind)kind;
    ch__text t;
    ch__text_init(&t, in->arena);
    for (int k = 0; k <= CH__MUL; k++)
        if (allowed >> k & 1) ch__putf(&t, " %s", ch__word_name(CH__AK_KIND, k));
    ch__infer_bad_attr(in, "kind is %s, the op takes%s", ch__word_name(CH__AK_KIND, kind), t.data);
}

void ch__infer_accumulates(const ch__infer *in, ch_dtype d) {
    const ch__attr *acc = ch__infer_attr(in, CH__ATTR_acc);
    if (acc) {
        ch_dtype to = (ch_dtype)acc->i;
        bool fits = to == d || (ch__dtype_class(to) == ch__dtype_class(d) && ch_dtype_size(to) > ch_dtype_size(d));
        if (!fits)
            ch__infer_bad_attr(in, "acc is %s, for %s it is %s or a wider dtype of the same class", ch_dtype_name(to),
                               ch_dtype_name(d), ch_dtype_name(d));
    }
    const ch__attr *kind = ch__infer_attr(in, CH__ATTR_kind);
    if (kind && ch__infer_attr(in, CH__ATTR_tie) && kind->i != CH__MIN && kind->i != CH__MAX)
        ch__infer_bad_attr(in, "tie is given and kind is %s, only min and max have ties",
                           ch__word_name(CH__AK_KIND, kind->i));
}
