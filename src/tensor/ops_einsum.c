// SPDX-License-Identifier: Apache-2.0
// ops_einsum.c - products by the names of axes: einsum's letters, and contract's axis names.
//
// einsum works from left to right: an axis that stands twice in one operand becomes its diagonal, axes that nothing
// needs any more are summed, two operands meet in one dot whose batch axes are the shared ones still needed, and what
// is left is summed and put in order. Sizes of 1 stretch as in NumPy, by leaving the axis out. The letters of the axes
// behind "..." are digits, counted from the last.

#include "tensor/tensor.h"

#include <ctype.h>
#include <string.h>

#include "ir/infer.h"

enum { MOST_TERMS = 16 };

typedef struct {
    char labels[CH__MAX_RANK + 1];
    ch_tensor *x;
} term;

typedef struct {
    const char *where, *text;
    int n;
    term terms[MOST_TERMS];
    char out[CH__MAX_RANK + 1];
    int dots;  // the most axes behind "..."
    bool fits; // false: a list has another number of axes than its operand, and nothing was said yet
} einsum;

static bool bad(const einsum *e, const char *what) {
    ch__fail(CH__E_argument, "einsum: \"%s\" — %s", e->text, what);
    return false;
}

// ---- reading the subscripts
// One list of letters up to ',' or '-' or the end; rank < 0: the result's. "..." takes the axes that are left over.
static bool read_labels(einsum *e, const char **p, int rank, char *to) {
    char letters[64], before[64];
    int n = 0, dots = -1;
    for (; **p != '\0' && **p != ',' && **p != '-'; (*p)++) {
        char c = **p;
        if (c == ' ') continue;
        if (c == '.') {
            if (strncmp(*p, "...", 3) != 0) return bad(e, "a dot stands in \"...\" only");
            if (dots >= 0) return bad(e, "\"...\" stands once in each list");
            dots = n;
            *p += 2;
        } else if (isalpha((unsigned char)c) && n < (int)sizeof letters - 1) {
            letters[n++] = c;
        } else {
            snprintf(before, sizeof before, "'%c' is no letter, ',', \"->\" or \"...\"", c);
            return bad(e, before);
        }
    }
    int more = dots < 0 ? 0 : rank < 0 ? e->dots : rank - n;
    if (more < 0 || (rank >= 0 && n + more != rank) || n + more > CH__MAX_RANK) return e->fits = false;
    int at = 0;
    for (int i = 0; i <= n; i++) {
        for (int k = 0; i == dots && k < more; k++) to[at++] = (char)('0' + (more - 1 - k));
        if (i < n) to[at++] = letters[i];
    }
    to[at] = '\0';
    if (rank >= 0 && more > e->dots) e->dots = more;
    return true;
}

static bool read_terms(einsum *e, int n, ch_tensor *const *operands) {
    const char *p = e->text;
    for (int i = 0; i < n; i++) {
        char type[256];
        e->fits = true;
        if (!read_labels(e, &p, operands[i]->type.rank, e->terms[i].labels)) {
            if (e->fits) return false;
            ch_tensor_type(operands[i], type, sizeof type);
            ch__fail(CH__E_rank,
                     "einsum: \"%s\" — operand %d is %s: its list needs a letter for each of its %d axes, or "
                     "\"...\" for the rest",
                     e->text, i, type, operands[i]->type.rank);
            return false;
        }
        e->terms[i].x = operands[i];
        bool more = *p == ',';
        if (more != (i + 1 < n)) {
            ch__fail(CH__E_arity, "einsum: \"%s\" — %d operands are given, one list of letters is needed for each",
                     e->text, n);
            return false;
        }
        p += more;
    }
    e->n = n;
    if (*p == '\0') { // no result given: "..." and the letters that stand once, in order of the alphabet
        int at = 0;
        for (int k = e->dots - 1; k >= 0; k--) e->out[at++] = (char)('0' + k);
        for (int c = 'A'; c <= 'z'; c++) {
            int count = 0;
            for (int i = 0; i < n; i++)
                for (const char *s = e->terms[i].labels; *s != '\0'; s++) count += *s == c;
            if (count == 1 && at < CH__MAX_RANK) e->out[at++] = (char)c;
        }
        return true;
    }
    if (strncmp(p, "->", 2) != 0) return bad(e, "'-' stands in \"->\" only");
    p += 2;
    e->fits = true;
    if (!read_labels(e, &p, -1, e->out)) return e->fits ? false : bad(e, "the result would have more than 16 axes");
    return *p == '\0' ? true : bad(e, "the result is the end of it");
}

static bool check_result(const einsum *e) {
    for (const char *s = e->out; *s != '\0'; s++) {
        char what[96];
        bool there = false;
        for (int i = 0; i < e->n; i++) there = there || strchr(e->terms[i].labels, *s) != NULL;
        if (strchr(s + 1, *s) != NULL)
            snprintf(what, sizeof what, "'%c' stands twice in the result", *s);
        else if (!there)
            snprintf(what, sizeof what, "'%c' of the result is in no operand", *s);
        else
            continue;
        return bad(e, what);
    }
    for (int k = 0; k < e->dots; k++)
        if (strchr(e->out, '0' + k) == NULL)
            return bad(e, "the axes behind \"...\" cannot be summed: the result needs \"...\" too");
    return true;
}

// ---- sizes: equal, or 1, which is left out
static bool size_is_one(ch__dim d) { return ch__dim_equal(d, ch__dim_const(1)); }

static void drop_label(term *t, int axis) { memmove(t->labels + axis, t->labels + axis + 1, strlen(t->labels + axis)); }

static bool fit_sizes(einsum *e) {
    for (int i = 0; i < e->n; i++)
        for (int a = (int)strlen(e->terms[i].labels) - 1; a >= 0; a--) {
            char c = e->terms[i].labels[a];
            ch__dim d = e->terms[i].x->type.dims[a];
            bool stretched = false;
            for (int k = 0; k < e->n; k++)
                for (int b = 0; e->terms[k].labels[b] != '\0'; b++) {
                    if (e->terms[k].labels[b] != c) continue;
                    ch__dim o = e->terms[k].x->type.dims[b];
                    if (ch__dim_equal(d, o) || size_is_one(o)) continue;
                    stretched = stretched || size_is_one(d);
                    if (size_is_one(d) || !ch__dim_is_const(d) || !ch__dim_is_const(o)) continue;
                    char name[16];
                    snprintf(name, sizeof name, isdigit((unsigned char)c) ? "\"...\"" : "'%c'", c);
                    ch__fail(CH__E_shape_mismatch,
                             "einsum: \"%s\" — %s is %" PRId64 " in operand %d and %" PRId64
                             " in operand %d: sizes are "
                             "equal, or 1",
                             e->text, name, d.val, i, o.val, k);
                    return false;
                }
            if (!stretched) continue;
            e->terms[i].x = ch_squeeze_at(e->where, e->terms[i].x, a);
            drop_label(&e->terms[i], a);
        }
    return true;
}

// ---- steps
// Axes a and b of x, of equal constant size, as one at the end: every n+1st of n*n elements.
ch_tensor *ch__diagonal(const char *where, ch_tensor *x, int a, int b) {
    int rank = x->type.rank, perm[CH__MAX_RANK], k = 0;
    if (!ch__type_is_static(&x->type)) {
        ch__fail(CH__E_unsupported, "diagonal: axes of symbolic size — multiply by a mask of equal indices");
        return ch__node_error(where);
    }
    for (int i = 0; i < rank; i++)
        if (i != a && i != b) perm[k++] = i;
    perm[k++] = a;
    perm[k] = b;
    x = ch_transpose_at(where, x, rank, perm);
    if (x->kind == CH__T_ERROR) return x;
    int64_t dims[CH__MAX_RANK], start[CH__MAX_RANK] = {0}, stride[CH__MAX_RANK], n = x->type.dims[rank - 1].val;
    for (int i = 0; i < rank - 2; i++) dims[i] = x->type.dims[i].val;
    for (int i = 0; i < rank; i++) stride[i] = 1;
    dims[rank - 2] = n * n;
    stride[rank - 2] = n + 1;
    return ch_slice_at(where, ch_reshape_at(where, x, rank - 1, dims), rank - 1, start, dims, stride);
}

static bool take_diagonals(einsum *e) {
    for (int i = 0; i < e->n; i++) {
        term *t = &e->terms[i];
        for (int a = 0; t->labels[a] != '\0'; a++) {
            char *twice = strchr(t->labels + a + 1, t->labels[a]), c = t->labels[a];
            if (twice == NULL) continue;
            int b = (int)(twice - t->labels);
            t->x = ch__diagonal(e->where, t->x, a, b);
            if (t->x->kind == CH__T_ERROR) return false;
            drop_label(t, b);
            drop_label(t, a);
            size_t n = strlen(t->labels);
            t->labels[n] = c;
            t->labels[n + 1] = '\0';
            a = -1; // from the start: the axes have moved
        }
    }
    return true;
}

static bool needed(const einsum *e, int from, char c) {
    if (strchr(e->out, c) != NULL) return true;
    for (int i = from; i < e->n; i++)
        if (strchr(e->terms[i].labels, c) != NULL) return true;
    return false;
}

// Sums the axes of t that neither other (may be NULL) nor anything from operand `from` on needs.
static void sum_unneeded(const einsum *e, term *t, const term *other, int from) {
    int axes[CH__MAX_RANK], n = 0;
    for (int a = 0; t->labels[a] != '\0'; a++)
        if (!needed(e, from, t->labels[a]) && (other == NULL || strchr(other->labels, t->labels[a]) == NULL))
            axes[n++] = a;
    if (n == 0) return;
    t->x = ch_sum_at(e->where, t->x, n, axes);
    while (n > 0) drop_label(t, axes[--n]);
}

static void multiply(const einsum *e, term *a, term *b, int from) {
    sum_unneeded(e, a, b, from);
    sum_unneeded(e, b, a, from);
    int lc[CH__MAX_RANK], rc[CH__MAX_RANK], lb[CH__MAX_RANK], rb[CH__MAX_RANK], nc = 0, nb = 0, at = 0;
    char out[2 * CH__MAX_RANK + 1];
    for (int i = 0; a->labels[i] != '\0'; i++) {
        const char *p = strchr(b->labels, a->labels[i]);
        if (p == NULL) continue;
        if (needed(e, from, a->labels[i])) {
            lb[nb] = i;
            rb[nb++] = (int)(p - b->labels);
            out[at++] = a->labels[i];
        } else {
            lc[nc] = i;
            rc[nc++] = (int)(p - b->labels);
        }
    }
    for (int i = 0; a->labels[i] != '\0'; i++)
        if (strchr(b->labels, a->labels[i]) == NULL) out[at++] = a->labels[i];
    for (int i = 0; b->labels[i] != '\0'; i++)
        if (strchr(a->labels, b->labels[i]) == NULL) out[at++] = b->labels[i];
    out[at] = '\0';
    if (at > CH__MAX_RANK) {
        ch__fail(CH__E_rank, "einsum: \"%s\" — a product on the way has %d axes, at most %d are allowed", e->text, at,
                 CH__MAX_RANK);
        a->x = ch__node_error(e->where);
        return;
    }
    a->x = ch_dot_general_at(e->where, a->x, b->x, nc, lc, rc, nb, lb, rb);
    memcpy(a->labels, out, (size_t)at + 1);
}

static ch_tensor *in_order(const einsum *e, term *t) {
    int perm[CH__MAX_RANK], n = (int)strlen(e->out);
    bool moves = false;
    for (int i = 0; i < n; i++) {
        perm[i] = (int)(strchr(t->labels, e->out[i]) - t->labels);
        moves = moves || perm[i] != i;
    }
    return moves ? ch_transpose_at(e->where, t->x, n, perm) : t->x;
}

ch_tensor *ch_einsum_at(const char *where, const char *subscripts, int n, ch_tensor *const *operands) {
    ch_tensor *error = ch__first_error(where, "einsum", n, operands);
    if (error != NULL) return error;
    einsum e = {.where = where, .text = subscripts == NULL ? "" : subscripts};
    if (n < 1 || n > MOST_TERMS) {
        ch__fail(CH__E_arity, "einsum: %d operands — between 1 and %d are allowed", n, MOST_TERMS);
        return ch__node_error(where);
    }
    for (int i = 1; i < n; i++)
        if (operands[i]->type.dtype != operands[0]->type.dtype) {
            ch__fail(CH__E_dtype_mismatch,
                     "einsum: operand 0 is %s, operand %d is %s — dtypes do not mix; ch_convert one",
                     ch_dtype_name(operands[0]->type.dtype), i, ch_dtype_name(operands[i]->type.dtype));
            return ch__node_error(where);
        }
    if (!read_terms(&e, n, operands) || !check_result(&e) || !fit_sizes(&e) || !take_diagonals(&e))
        return ch__node_error(where);
    term t = e.terms[0];
    for (int i = 1; i < n; i++) multiply(&e, &t, &e.terms[i], i + 1);
    sum_unneeded(&e, &t, NULL, n);
    return t.x->kind == CH__T_ERROR ? t.x : in_order(&e, &t);
}

// ---- contract
static void axis_names(const ch_tensor *t, char *out, size_t cap) {
    size_t n = (size_t)snprintf(out, cap, "[");
    for (int i = 0; i < t->type.rank && n < cap; i++) {
        const char *name = ch__axis(&t->type, i);
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i > 0 ? ", " : "", name == NULL ? "_" : name);
    }
    if (n < cap) snprintf(out + n, cap - n, "]");
}

static int axis_named(const ch_tensor *t, const char *name, size_t n) {
    for (int i = 0; i < t->type.rank; i++) {
        const char *a = ch__axis(&t->type, i);
        if (a != NULL && strlen(a) == n && strncmp(a, name, n) == 0) return i;
    }
    return -1;
}

// Is name one of "batch, head"?
static bool in_list(const char *list, const char *name) {
    for (const char *p = list == NULL ? "" : list; *p != '\0';) {
        p += strspn(p, ", ");
        size_t n = strcspn(p, ", ");
        if (n == strlen(name) && strncmp(p, name, n) == 0) return true;
        p += n;
    }
    return false;
}

static bool check_keep(const ch_tensor *lhs, const ch_tensor *rhs, const char *keep) {
    for (const char *p = keep == NULL ? "" : keep; *(p += strspn(p, ", ")) != '\0';) {
        size_t n = strcspn(p, ", ");
        char a[256], b[256];
        if (axis_named(lhs, p, n) < 0 || axis_named(rhs, p, n) < 0) {
            axis_names(lhs, a, sizeof a);
            axis_names(rhs, b, sizeof b);
            ch__fail(CH__E_axis_mismatch, "contract: %.*s is to be kept — both operands need it: lhs %s, rhs %s",
                     (int)n, p, a, b);
            return false;
        }
        p += n;
    }
    return true;
}

ch_tensor *ch_contract_at(const char *where, ch_tensor *lhs, ch_tensor *rhs, const char *keep) {
    ch_tensor *error = ch__first_error(where, "contract", 2, (ch_tensor *[]){lhs, rhs});
    if (error != NULL) return error;
    int lc[CH__MAX_RANK], rc[CH__MAX_RANK], lb[CH__MAX_RANK], rb[CH__MAX_RANK], nc = 0, nb = 0;
    if (!check_keep(lhs, rhs, keep)) return ch__node_error(where);
    for (int i = 0; i < lhs->type.rank; i++) {
        const char *name = ch__axis(&lhs->type, i);
        int k = name == NULL ? -1 : axis_named(rhs, name, strlen(name));
        if (k < 0) continue;
        if (in_list(keep, name)) {
            lb[nb] = i;
            rb[nb++] = k;
        } else {
            lc[nc] = i;
            rc[nc++] = k;
        }
    }
    if (nc + nb == 0) {
        char a[256], b[256];
        axis_names(lhs, a, sizeof a);
        axis_names(rhs, b, sizeof b);
        ch__fail(CH__E_axis_mismatch, "contract operands share no named axis: lhs %s, rhs %s", a, b);
        return ch__node_error(where);
    }
    return ch_dot_general_at(where, lhs, rhs, nc, lc, rc, nb, lb, rb);
}
