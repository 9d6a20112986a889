// SPDX-License-Identifier: Apache-2.0
// bind.c - symbolic sizes get their values from the shapes of the params.
//
// A param dim that is one symbol gives it; a*n + b gives n when it is the only symbol without a value; every other dim
// is computed and compared. Rounds go on as long as one of them finds something. Then bounds and requires clauses are
// checked. Runs once a call, so the common case (constant dims) is one comparison each.
#include "interp/exec.h"

typedef struct {
    const ch__type *type;
    ch__dim dim;
    char *out;
    size_t n;
} describe_arg;

static void describe_into(void *arg) {
    describe_arg *d = arg;
    ch__arena *a = ch__arena_create();
    if (d->type) {
        snprintf(d->out, d->n, "%s", ch__type_text(a, d->type));
    } else {
        ch__text t;
        ch__text_init(&t, a);
        ch__dim_print(&t, d->dim);
        snprintf(d->out, d->n, "%s", t.data ? t.data : "");
    }
    ch__arena_destroy(a);
}

// A type as text for a message; "?" when there is no memory for it.
static const char *type_words(const ch__type *t, char *out, size_t n) {
    describe_arg d = {.type = t, .out = out, .n = n};
    if (ch__protect(describe_into, &d) != CH_OK) snprintf(out, n, "?");
    return out;
}

static const char *dim_words(ch__dim dim, char *out, size_t n) {
    describe_arg d = {.dim = dim, .out = out, .n = n};
    if (ch__protect(describe_into, &d) != CH_OK) snprintf(out, n, "?");
    return out;
}

static const char *shape_words(const ch__shape *s, char out[CH__SHAPE_CHARS]) {
    ch__cell c = {.dims = s->dims, .dtype = (uint8_t)s->dtype, .rank = (int16_t)s->rank};
    return ch__shape_text(out, &c);
}

static const char *param_name(const ch_func *f, int i, char buf[32]) {
    if (f->body->params[i]->name) return f->body->params[i]->name;
    snprintf(buf, 32, "%d", i);
    return buf;
}

static ch_status wrong_shape(const ch_func *f, int i, int axis, const ch__shape *got, int64_t wanted) {
    char a[CH__SHAPE_CHARS], b[CH__SHAPE_CHARS], n[32];
    const ch__type *t = f->body->params[i]->type;
    if (axis < 0)
        return ch__fail(got->dtype != t->dtype ? CH__E_dtype_mismatch : CH__E_rank, "%s: %s: got %s — the param is %s",
                        f->name, param_name(f, i, n), shape_words(got, a), type_words(t, b, sizeof b));
    return ch__fail(CH__E_shape_mismatch, "%s: %s: got %s — the param is %s, axis %d must be %" PRId64, f->name,
                    param_name(f, i, n), shape_words(got, a), type_words(t, b, sizeof b), axis, wanted);
}

static int name_index(const ch__frame *fr, const char *name) {
    for (int i = 0; i < fr->p->n_dims; i++)
        if (fr->p->names[i] == name || strcmp(fr->p->names[i], name) == 0) return i;
    return -1;
}

typedef struct {
    const ch__frame *fr;
    int unknown, n;
} unbound;

static void count_unbound(void *arg, const char *name) {
    unbound *u = arg;
    int i = name_index(u->fr, name);
    if (i < 0) {
        u->n = 1000;
    } else if (!u->fr->bound[i]) {
        u->n++;
        u->unknown = i;
    }
}

// a*n + b = size with n the one unknown. False: not of that form, or no such n.
static bool solve_for(const ch__sym *sym, const char *name, int64_t size, int64_t *out) {
    int64_t a = 0, b = 0;
    for (int i = 0; i < sym->n_terms; i++) {
        const ch__term *t = &sym->terms[i];
        if (t->n_atoms == 0)
            b = t->coef;
        else if (t->n_atoms == 1 && t->atoms[0]->kind == CH__ATOM_symbol && strcmp(t->atoms[0]->name, name) == 0)
            a = t->coef;
        else
            return false;
    }
    int64_t rest;
    if (a == 0 || b == INT64_MIN || !ch__add_i64(size, -b, &rest) || rest % a != 0 || rest / a < 0) return false;
    *out = rest / a;
    return true;
}

// One param dim. *done: it is settled.
static ch_status bind_dim(ch__frame *fr, int i, int axis, const ch__shape *got, bool last_try, bool *done) {
    const ch_func *f = fr->p->f;
    ch__dim d = f->body->params[i]->type->dims[axis];
    int64_t size = got->dims[axis], value;
    char words[200], n[32];
    *done = true;
    if (ch__dim_is_const(d)) return d.val == size ? CH_OK : wrong_shape(f, i, axis, got, d.val);
    unbound u = {fr, -1, 0};
    ch__dim_symbols(d, count_unbound, &u);
    if (u.n == 0) {
        CH_TRY(ch__dim_value(fr, d, &value));
        return value == size ? CH_OK : wrong_shape(f, i, axis, got, value);
    }
    if (u.n == 1) {
        const char *name = fr->p->names[u.unknown];
        if (solve_for(d.sym, name, size, &value)) {
            fr->values[u.unknown] = value;
            fr->bound[u.unknown] = true;
            return CH_OK;
        }
    }
    *done = false;
    if (!last_try) return CH_OK;
    return ch__fail(CH__E_shape_mismatch, "%s: %s: axis %d has size %" PRId64 " — no size makes %s equal to that",
                    f->name, param_name(f, i, n), axis, size, dim_words(d, words, sizeof words));
}

static ch_status check_bounds(const ch__frame *fr) {
    const ch_func *f = fr->p->f;
    for (int i = 0; i < fr->p->n_dims; i++) {
        const ch__dim_param *d = &f->dims.data[i];
        if (!fr->bound[i])
            return ch__fail(CH__E_argument,
                            "%s: the shapes of the params do not say what %s is — it has to be a size of one "
                            "of them",
                            f->name, d->name);
        if (fr->values[i] >= d->lo && fr->values[i] <= d->hi) continue;
        if (d->hi == INT64_MAX)
            return ch__fail(CH__E_dim_bounds, "%s: %s is %" PRId64 " — it has to be %" PRId64 " or more", f->name,
                            d->name, fr->values[i], d->lo);
        return ch__fail(CH__E_dim_bounds, "%s: %s is %" PRId64 " — it has to be in %" PRId64 "..%" PRId64, f->name,
                        d->name, fr->values[i], d->lo, d->hi);
    }
    return CH_OK;
}

static ch_status check_clauses(ch__frame *fr) {
    const ch_func *f = fr->p->f;
    for (int64_t i = 0; i < f->requires_.n; i++) {
        const ch__require *r = &f->requires_.data[i];
        int64_t a, b;
        CH_TRY(ch__dim_value(fr, r->a, &a));
        CH_TRY(ch__dim_value(fr, r->b, &b));
        if (a == b) continue;
        char x[200], y[200];
        return ch__fail(CH__E_requires, "%s: %s is %" PRId64 " and %s is %" PRId64 " — they have to be equal%s%s",
                        f->name, dim_words(r->a, x, sizeof x), a, dim_words(r->b, y, sizeof y), b, r->why ? ": " : "",
                        r->why ? r->why : "");
    }
    return CH_OK;
}

ch_status ch__bind(ch__frame *fr, ch__shape (*shape)(const void *arg, int i), const void *arg) {
    const ch_func *f = fr->p->f;
    int open = 0;
    for (int i = 0; i < fr->p->body.n_params; i++) {
        ch__shape got = shape(arg, i);
        const ch__type *t = f->body->params[i]->type;
        if (got.dtype != t->dtype || got.rank != t->rank) return wrong_shape(f, i, -1, &got, 0);
        for (int axis = 0; axis < t->rank; axis++) {
            bool done;
            CH_TRY(bind_dim(fr, i, axis, &got, false, &done));
            open += !done;
        }
    }
    // Another round settles at least one dim or is the last; settled ones are only compared again.
    for (int before = open + 1; open > 0;) {
        bool last = open == before;
        before = open;
        open = 0;
        for (int i = 0; i < fr->p->body.n_params; i++) {
            ch__shape got = shape(arg, i);
            for (int axis = 0; axis < got.rank; axis++) {
                bool done;
                CH_TRY(bind_dim(fr, i, axis, &got, last, &done));
                open += !done;
            }
        }
    }
    if (fr->p->n_dims > 0) CH_TRY(check_bounds(fr));
    return f->requires_.n > 0 ? check_clauses(fr) : CH_OK;
}

bool ch__interp_same_dims(const ch_func *f, const int64_t *dims, const ch__slot *in) {
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__type *t = f->body->params[i]->type;
        if (in[i].dtype != t->dtype || in[i].rank != t->rank) return false;
        for (int k = 0; k < t->rank; k++)
            if (in[i].dims[k] != *dims++) return false;
    }
    return true;
}
