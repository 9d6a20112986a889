// SPDX-License-Identifier: Apache-2.0
// jacobian.c - whole Jacobians and Hessians: a derivative func run for every basis vector of one side.
//
//     @f_jac(x: f64[n]) {  h = exp x                                    what does not depend on the basis vector
//       J = for k = 0 to n iter(J = zeros[n, m]) {                      forward: one column a turn
//         x_dot = (positions of x) == k;  y_dot = h * x_dot;  yield J with y_dot at row k }
//       return transpose J }
//
// Forward mode runs over the elements of each param in wrt, reverse mode over those of each result; a single number
// needs no loop. Ops that do not depend on the basis vector stand before the loop, so the primal is computed once. The
// mode is the one with fewer turns; where some op has no rule in that mode, the other. A Hessian is the Jacobian,
// forwards, of the gradient.
#include "diff/rules.h"

typedef struct {
    const ch_func *f;
    int n_wrt;
    const int *wrt;
    ch_func *out;
    ch__builder b;
    ch__arena *scratch;
} jacobian_state;

// ---------------------------------------------------------------- one derivative func over its basis
// g, taken into the module of `out`; its own module goes.
static ch_func *import_func(jacobian_state *s, ch_func *g) {
    ch_func *c = ch__func_clone_into(s->out->module, g, NULL);
    ch__module_destroy(g->module);
    for (int64_t i = 0; i < c->requires_.n; i++) {
        ch__require q = c->requires_.data[i];
        bool known = false;
        for (int64_t k = 0; k < s->out->requires_.n && !known; k++)
            known = ch__dim_equal(q.a, s->out->requires_.data[k].a) && ch__dim_equal(q.b, s->out->requires_.data[k].b);
        if (!known) CH_PUSH(s->out->module->arena, &s->out->requires_, q);
    }
    return c;
}

typedef struct {
    uint8_t *dependent; // by value id
    bool found;
} dependence;

static void find_dependent(void *arg, ch__op *op) {
    dependence *d = arg;
    for (int i = 0; i < op->n_operands; i++) d->found |= d->dependent[op->operands[i]->id];
    for (int i = 0; i < op->n_regions; i++)
        for (int k = 0; k < op->regions[i]->n_results; k++) d->found |= d->dependent[op->regions[i]->results[k]->id];
}

// Whether a top op depends on the seed, itself or through what its regions see. One that fills a tape goes with it: the
// tape is used up by every turn.
static bool depends(dependence *d, ch__op *op) {
    d->found = false;
    for (int j = 0; j < op->n_results; j++) d->found |= op->results[j].type->tape;
    find_dependent(d, op);
    for (int i = 0; i < op->n_regions && !d->found; i++) ch__walk(op->regions[i], find_dependent, d);
    for (int j = 0; j < op->n_results && d->found; j++) d->dependent[op->results[j].id] = 1;
    return d->found;
}

// What goes into the loop beside the ops that depend on the seed: those that make a tape for them, since a tape is used
// up by each turn, and what is computed from their other results.
typedef struct {
    const ch__region *body;
    uint8_t *in; // by value id, of results of top ops
    bool found, changed;
} placement;

static void put_in(placement *p, const ch__op *op) {
    for (int i = 0; i < op->n_results; i++) {
        p->changed |= !p->in[op->results[i].id];
        p->in[op->results[i].id] = 1;
    }
}

static void see_placed(placement *p, const ch__value *v) {
    p->found |= p->in[v->id];
    if (v->type->tape && v->op != NULL && v->op->parent == p->body) put_in(p, v->op);
}

// All that op and its regions use: whether any of it stands in the loop; makers of tapes go there.
static void place_uses(void *arg, ch__op *op) {
    placement *p = arg;
    for (int i = 0; i < op->n_operands; i++) see_placed(p, op->operands[i]);
    for (int i = 0; i < op->n_regions; i++)
        for (int k = 0; k < op->regions[i]->n_results; k++) see_placed(p, op->regions[i]->results[k]);
}

static bool uses_placed(placement *p, const ch__op *op, bool tapes) {
    placement look = {.body = tapes ? p->body : NULL, .in = p->in};
    place_uses(&look, (ch__op *)op);
    for (int i = 0; i < op->n_regions; i++) ch__walk(op->regions[i], place_uses, &look);
    p->changed |= look.changed;
    return look.found;
}

static void place_with_tapes(placement *p) {
    do {
        p->changed = false;
        for (const ch__op *op = p->body->last; op != NULL; op = op->prev)
            if (op->n_results > 0 && p->in[op->results[0].id]) uses_placed(p, op, true);
        for (const ch__op *op = p->body->first; op != NULL; op = op->next)
            if (op->n_results > 0 && !p->in[op->results[0].id] && uses_placed(p, op, false)) put_in(p, op);
    } while (p->changed);
}

static ch__value *jacobian_number(ch__builder *b, int64_t v) {
    return ch__b_splat(b, ch__type_scalar(CH_I64), (double)v);
}

// t with axes before it.
static const ch__type *stacked(jacobian_state *s, int n, const ch__dim *first, const ch__type *t) {
    ch__dim dims[CH__MAX_RANK];
    if (n + t->rank > CH__MAX_RANK)
        ch__raise(CH__E_limit, "jacobian of @%s: a block has %d axes — at most %d are possible", s->f->name,
                  n + t->rank, CH__MAX_RANK);
    for (int i = 0; i < n; i++) dims[i] = first[i];
    for (int i = 0; i < t->rank; i++) dims[n + i] = t->dims[i];
    return ch__type_make(s->out->module->arena, t->dtype, n + t->rank, dims, NULL);
}

// J with row k replaced by v.
static ch__value *put_basis_row(jacobian_state *s, ch__value *j, ch__value *v, ch__value *k) {
    ch__dim one = ch__dim_const(1);
    ch__value *xs[CH__MAX_RANK + 2] = {j, ch__b_reshape(&s->b, v, stacked(s, 1, &one, v->type)), k},
                                 *zero = jacobian_number(&s->b, 0);
    for (int i = 1; i < j->type->rank; i++) xs[2 + i] = zero;
    ch__attr bounds = ch__attr_int(CH__ATTR_bounds, CH__KNOWN);
    return ch__build(&s->b, CH_OP_dynamic_update_slice, 2 + j->type->rank, xs, 1, &bounds, 0, NULL, 0, NULL)->results;
}

static ch__value *first_rows(jacobian_state *s, ch__value *v, ch__dim count) {
    ch__dim start[CH__MAX_RANK], limit[CH__MAX_RANK];
    if (ch__dim_equal(v->type->dims[0], count)) return v;
    for (int i = 0; i < v->type->rank; i++) {
        start[i] = ch__dim_const(0);
        limit[i] = i == 0 ? count : v->type->dims[i];
    }
    return ch__b_slice(&s->b, v, start, limit, NULL);
}

// The loop over the elements of the seed; rows[i] becomes [elements, result dims...] where results[i] depends on it.
static void run_loop(jacobian_state *s, const ch_func *g, const dependence *d, ch__value_map *map,
                     const ch__value *seed, int64_t n_ops, ch__op *const *ops, ch__value **rows) {
    ch__arena *a = s->out->module->arena;
    int n = g->body->n_results, carried = 0;
    ch__dim count = ch__type_numel(a, seed->type), room = count;
    if (ch__dim_cmp(a, count, ch__dim_const(0)) != 1) room = ch__dim_max(a, count, ch__dim_const(1)); // a row must fit
    const ch__type *flat = ch__type_make(a, CH_I64, 1, &count, NULL);
    const ch__type *places = ch__type_with_dtype(a, seed->type, CH_I64);
    ch__value *at = ch__b_reshape(&s->b, ch__b_iota(&s->b, flat, 0), places);
    ch__value **xs = CH_NEW_ARRAY(s->scratch, ch__value *, 3 + n), **next = CH_NEW_ARRAY(s->scratch, ch__value *, n);
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, n);
    xs[0] = jacobian_number(&s->b, 0);
    xs[1] = ch__b_dim(&s->b, count);
    xs[2] = jacobian_number(&s->b, 1);
    ch__region *body = ch__region_create(s->out, NULL);
    ch__value *k = ch__region_add_param(body, NULL, ch__type_scalar(CH_I64));
    for (int i = 0; i < n; i++) {
        const ch__value *r = g->body->results[i];
        if (!d->dependent[r->id]) continue;
        types[carried] = stacked(s, 1, &room, r->type);
        xs[3 + carried] = ch__b_splat(&s->b, types[carried], 0.0);
        next[carried] = ch__region_add_param(body, "rows", types[carried]);
        carried++;
    }
    ch__builder outer = s->b;
    s->b = ch__builder_at_end(body);
    ch__value *here = ch__b_compare(&s->b, CH__EQ, at, ch__b_broadcast_to(&s->b, k, places));
    map->to[seed->id] = ch__b_convert(&s->b, here, seed->type->dtype);
    if (!map->to[seed->id]->name) map->to[seed->id]->name = seed->name; // a basis vector
    for (int64_t i = 0; i < n_ops; i++) ch__clone_op(&s->b, ops[i], map, NULL, NULL);
    for (int i = 0, c = 0; i < n; i++) {
        const ch__value *r = g->body->results[i];
        if (!d->dependent[r->id]) continue;
        next[c] = put_basis_row(s, next[c], map->to[r->id], k);
        c++;
    }
    ch__region_set_results(body, carried, next);
    s->b = outer;
    ch__op *op = ch__build_raw(&s->b, CH_OP_for, 3 + carried, xs, 0, NULL, carried, types, 1, &body);
    for (int i = 0, c = 0; i < n; i++)
        if (d->dependent[g->body->results[i]->id]) rows[i] = first_rows(s, &op->results[c++], count);
}

// g: params of f, then one seed; results linear in it. rows[i] becomes [seed dims..., dims of result i...].
static void over_basis(jacobian_state *s, ch_func *imported, ch__value **rows) {
    ch_func *g = imported;
    int np = s->f->body->n_params;
    const ch__value *seed = g->body->params[np];
    ch__value_map map = {.to = CH_NEW_ARRAY(s->scratch, ch__value *, g->n_values), .n = g->n_values};
    dependence d = {CH_NEW_ARRAY(s->scratch, uint8_t, g->n_values), false};
    CH_VEC(ch__op *) inside = {0};
    for (int i = 0; i < np; i++) map.to[g->body->params[i]->id] = s->out->body->params[i];
    d.dependent[seed->id] = 1;
    bool single = seed->type->rank == 0;
    if (single) map.to[seed->id] = ch__b_splat(&s->b, seed->type, 1.0);
    placement p = {.body = g->body, .in = CH_NEW_ARRAY(s->scratch, uint8_t, g->n_values)};
    for (ch__op *op = g->body->first; op != NULL; op = op->next)
        if (depends(&d, op) && !single) put_in(&p, op);
    place_with_tapes(&p);
    for (ch__op *op = g->body->first; op != NULL; op = op->next) {
        if (op->n_results > 0 && p.in[op->results[0].id]) {
            CH_PUSH(s->scratch, &inside, op);
        } else {
            ch__clone_op(&s->b, op, &map, NULL, NULL);
        }
    }
    if (!single) run_loop(s, g, &d, &map, seed, inside.n, inside.data, rows);
    for (int i = 0; i < g->body->n_results; i++) {
        const ch__value *r = g->body->results[i];
        const ch__type *t = stacked(s, seed->type->rank, seed->type->dims, r->type);
        if (!d.dependent[r->id]) {
            rows[i] = ch__b_splat(&s->b, t, 0.0);
        } else {
            if (single) rows[i] = map.to[r->id];
            if (!ch__type_equal(rows[i]->type, t)) rows[i] = ch__b_reshape(&s->b, rows[i], t);
        }
    }
}

// [a..., b...] to [b..., a...] where a are n axes.
static ch__value *swap_sides(jacobian_state *s, ch__value *v, int n) {
    int64_t perm[CH__MAX_RANK];
    int rank = v->type->rank;
    if (n == 0 || n == rank) return v;
    for (int i = 0; i < rank; i++) perm[i] = (i + n) % rank;
    return ch__b_transpose(&s->b, v, perm);
}

// ---------------------------------------------------------------- the two modes
// blocks[r * n_wrt + w] for the r-th floating result.
static void by_params(jacobian_state *s, int n_out, ch__value **blocks) {
    for (int w = 0; w < s->n_wrt; w++) {
        ch__forward_options o = {.n_wrt = 1, .wrt = &s->wrt[w], .lenient = true};
        ch__value **rows = CH_NEW_ARRAY(s->scratch, ch__value *, n_out);
        over_basis(s, import_func(s, ch__forward(s->f, &o)), rows);
        int rank = s->f->body->params[s->wrt[w]]->type->rank;
        for (int r = 0; r < n_out; r++) blocks[r * s->n_wrt + w] = swap_sides(s, rows[r], rank);
    }
}

static void by_results(jacobian_state *s, ch__value **blocks) {
    const ch_func *f = s->f;
    for (int i = 0, r = 0; i < f->body->n_results; i++) {
        if (!ch__is_float(f->body->results[i]->type->dtype)) continue;
        ch_func *one = ch__func_clone(f);
        ch__func_set_results(one, 1, (ch__value *[]){one->body->results[i]}, NULL);
        one->inout = NULL;
        ch__reverse_options o = {.n_wrt = s->n_wrt, .wrt = s->wrt, .seeds = true, .lenient = true};
        ch_func *g = ch__reverse(one, &o);
        ch__module_destroy(one->module);
        over_basis(s, import_func(s, g), &blocks[r++ * s->n_wrt]);
    }
}

// Fewer turns; where that is open: reverse for numbers, else forward.
static bool forward_is_cheaper(const jacobian_state *s) {
    ch__dim in = ch__dim_const(0), out = ch__dim_const(0);
    const ch__region *body = s->f->body;
    bool numbers = true;
    for (int i = 0; i < s->n_wrt; i++)
        in = ch__dim_add(s->scratch, in, ch__type_numel(s->scratch, body->params[s->wrt[i]]->type));
    for (int i = 0; i < body->n_results; i++) {
        const ch__type *t = body->results[i]->type;
        if (!ch__is_float(t->dtype)) continue;
        out = ch__dim_add(s->scratch, out, ch__type_numel(s->scratch, t));
        numbers &= t->rank == 0;
    }
    int c = ch__dim_cmp(s->scratch, in, out);
    return c == 2 ? !numbers : c <= 0;
}

// ---------------------------------------------------------------- Jacobian, Hessian
static const char *part_name(ch__arena *a, const char *name, const char *word, int i) {
    return name != NULL ? name : ch__arena_printf(a, "%s%d", word, i);
}

// hessian: f is a gradient, whose results are named after the params they belong to.
static ch_func *write_jacobian(const ch_func *f, int n_wrt, const int *wrt, const ch_func *hessian_of) {
    jacobian_state s = {.f = f, .n_wrt = n_wrt, .wrt = wrt, .scratch = ch__arena_create()};
    int n_out = 0;
    for (int i = 0; i < f->body->n_results; i++) n_out += ch__is_float(f->body->results[i]->type->dtype);
    bool forward = hessian_of != NULL || forward_is_cheaper(&s);
    if (!ch__can_differentiate(f, n_wrt, wrt, forward)) {
        if (!ch__can_differentiate(f, n_wrt, wrt, !forward)) ch__refuse_both(f, n_wrt, wrt);
        forward = !forward;
    }
    ch_func *clone = ch__func_clone(f);
    ch__module *m = clone->module;
    const char *base = hessian_of != NULL ? hessian_of->name : f->name;
    s.out = ch__func_like(m, clone, ch__arena_printf(m->arena, "%s_%s", base, hessian_of != NULL ? "hess" : "jac"));
    s.b = ch__builder_at_end(s.out->body);
    s.b.loc = s.out->loc;
    ch__value **blocks = CH_NEW_ARRAY(s.scratch, ch__value *, n_out * n_wrt);
    const char **names = CH_NEW_ARRAY(s.scratch, const char *, n_out *n_wrt);
    if (forward) {
        by_params(&s, n_out, blocks);
    } else {
        by_results(&s, blocks);
    }
    for (int i = 0, r = 0; i < f->body->n_results; i++) {
        if (!ch__is_float(f->body->results[i]->type->dtype)) continue;
        const char *row =
            f->result_names != NULL && f->result_names[i] != NULL ? f->result_names[i] : f->body->results[i]->name;
        row = hessian_of != NULL ? part_name(m->arena, f->body->params[wrt[r]]->name, "param", wrt[r])
                                 : part_name(m->arena, row, "result", i);
        for (int w = 0; w < n_wrt; w++) {
            int at = r * n_wrt + w;
            const char *column = part_name(m->arena, f->body->params[wrt[w]]->name, "param", wrt[w]);
            const char *name = ch__arena_printf(m->arena, "%s_%s_%s", row, column, hessian_of != NULL ? "hess" : "jac");
            names[at] = ch__fresh_among(m->arena, at, names, name);
        }
        r++;
    }
    ch__func_set_results(s.out, n_out * n_wrt, blocks, names);
    ch__dce_funcs(s.out);
    for (ch_func *g = m->first; g != NULL; g = g->next) ch__optimize(g);
    ch__settle_calls(m);
    ch__dce_funcs(s.out);
    ch__arena_destroy(s.scratch);
    return s.out;
}

ch_func *ch__jacobian(const ch_func *f, int n_wrt, const int *wrt) {
    int n = 0;
    for (int i = 0; i < f->body->n_results; i++) n += ch__is_float(f->body->results[i]->type->dtype);
    if (n == 0)
        ch__raise(CH__E_gradient_scalar, "jacobian of @%s: no result is f16, bf16, f32 or f64 — only those have one",
                  f->name);
    return write_jacobian(f, n_wrt, wrt, NULL);
}

static ch_func *gradient_of(const ch_func *f, int n_wrt, const int *wrt) {
    return ch__reverse(f, &(ch__reverse_options){.n_wrt = n_wrt, .wrt = wrt});
}

ch_func *ch__hessian(const ch_func *f, int n_wrt, const int *wrt) {
    ch_func *g = gradient_of(f, n_wrt, wrt), *h = write_jacobian(g, n_wrt, wrt, f);
    ch__module_destroy(g->module);
    return h;
}

ch_func *ch__hvp(const ch_func *f, int n_wrt, const int *wrt) {
    ch_func *g = gradient_of(f, n_wrt, wrt);
    ch_func *h = ch__forward(g, &(ch__forward_options){.n_wrt = n_wrt, .wrt = wrt, .lenient = true});
    ch__arena *a = h->module->arena;
    const char **names = CH_NEW_ARRAY(a, const char *, n_wrt);
    for (int i = 0; i < n_wrt; i++) {
        const char *name = part_name(a, f->body->params[wrt[i]]->name, "param", wrt[i]);
        names[i] = ch__fresh_among(a, i, names, ch__arena_printf(a, "%s_hvp", name));
    }
    h->result_names = names;
    h->name = ch__module_fresh_name(h->module, ch__arena_printf(a, "%s_hvp", f->name));
    ch__module_destroy(g->module);
    return h;
}
