// SPDX-License-Identifier: Apache-2.0
// plan.c - what becomes an expression, what a variable, what an array, and which loops are one.
//
// Three walks over each region, none of which looks at an op more than a few times:
//   backward  what is live, how often each element of a value is read (`demand`), where a value is used last;
//   forward   expressions that would get too long are cut_expression: the longest operand becomes a variable;
//   forward   elementwise and folding ops of one shape that follow each other become a group, one loop nest, as long as
//             they read each other's elements at the index they are computed at.
// A value whose elements are read once is an expression in its reader; views (transpose, slice, broadcast ...) are
// always expressions. So nothing expensive is computed twice, and no array is made that nobody has to look at.
#include "cgen/native.h"

enum { MANY = 2, END = INT32_MAX / 2, MAX_SIZE = 6, MAX_DEPTH = 16 };

op_kind ch__cg_kind(const ch__op *op) {
    if (ch__cg_is_called(op)) return K_STMT;
    switch (op->code) {
    case CH_OP_reshape:
    case CH_OP_transpose:
    case CH_OP_broadcast:
    case CH_OP_slice:
    case CH_OP_reverse:
    case CH_OP_iota:
    case CH_OP_const:
    case CH_OP_dim:
    case CH_OP_dynamic_slice: return K_VIEW;
    case CH_OP_pad:
    case CH_OP_gather:
    case CH_OP_rng_bits:
    case CH_OP_get: return K_ELEM;
    case CH_OP_reduce:
    case CH_OP_arg_reduce:
    case CH_OP_dot:
    case CH_OP_conv:
    case CH_OP_reduce_window: return K_FOLD;
    case CH_OP_alloc: return op->n_operands == 0 ? K_VIEW : K_STMT; // zeros
    default: break;
    }
    if (!(ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE)) return K_STMT;
    return op->n_results == 1 ? K_ELEM : K_MULTI;
}

static int called_in_place(const ch__op *op, int result) {
    const ch_func *callee = ch__op_attr(op, CH__ATTR_callee)->func;
    for (int i = 0; callee->inout && i < op->n_operands; i++)
        if (callee->inout[i] == result) return i;
    return -1;
}

int ch__cg_in_place(const ch__op *op, int result) {
    switch (op->code) {
    case CH_OP_set:
    case CH_OP_dynamic_update_slice:
    case CH_OP_scatter: return 0;
    case CH_OP_for: return 3 + result;
    case CH_OP_while: return result;
    case CH_OP_call: return called_in_place(op, result);
    default: return -1;
    }
}

// ---------------------------------------------------------------- reading
static bool is_identity_view(const ch__op *op) {
    const ch__type *x = op->operands[0]->type, *r = op->results[0].type;
    if (op->code == CH_OP_reshape) return ch__cg_same_dims(x, r);
    if (op->code != CH_OP_broadcast || !ch__cg_same_dims(x, r)) return false;
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
    for (int i = 0; i < dims->n; i++)
        if (dims->ints[i] != i) return false;
    return true;
}

// Are operands read at the index the result is computed at?
static bool same_index(const ch__op *op) {
    op_kind k = ch__cg_kind(op);
    if (k == K_VIEW) return op->n_operands > 0 && is_identity_view(op);
    if (op->code == CH_OP_pad || op->code == CH_OP_gather || op->code == CH_OP_get || op->code == CH_OP_rng_bits)
        return false;
    return k == K_ELEM || k == K_MULTI;
}

static bool is_lazy(const val *x) { return x->how == HOW_VIEW || x->how == HOW_INLINE; }

void ch__cg_touch(cg *g, const ch__value *v, bool same, touch_fn fn, void *arg) {
    val *x = val_of(g, v);
    if (!is_lazy(x)) {
        fn(g, arg, v, same);
        return;
    }
    for (int j = 0; j < v->op->n_operands; j++) ch__cg_touch(g, v->op->operands[j], same && same_index(v->op), fn, arg);
}

// ---------------------------------------------------------------- uses
static region_info *info_of(cg *g, ch__region *r) {
    region_info *i = ch__map_get(&g->regions, (uint64_t)(uintptr_t)r);
    if (i) return i;
    i = CH_NEW(g->a, region_info);
    i->region = r;
    ch__map_init(&i->outer, g->a);
    ch__map_put(&g->regions, (uint64_t)(uintptr_t)r, i);
    return i;
}

static ch__region *home_of(const ch__value *v) { return v->op ? v->op->parent : v->region; }

static int32_t pos_of(cg *g, const ch__op *op) { return op->n_results ? val_of(g, &op->results[0])->pos : 0; }

static void note_outer(cg *g, region_info *i, const ch__value *v, int32_t pos, int32_t n) {
    outer_use *u = ch__map_get(&i->outer, (uint64_t)v->id + 1);
    if (!u) {
        u = CH_NEW(g->a, outer_use);
        u->last = -1;
        ch__map_put(&i->outer, (uint64_t)v->id + 1, u);
        CH_PUSH(g->a, &val_of(g, v)->inside, i);
    }
    if (pos > u->last) {
        u->last = pos;
        u->count = n;
    } else if (pos == u->last) {
        u->count += n;
    }
}

static void note_last(val *x, int32_t pos, int32_t n) {
    if (pos > x->last) {
        x->last = pos;
        x->count = n;
    } else if (pos == x->last) {
        x->count += n;
    }
}

static void add_demand(val *x, int n) { x->demand = (uint8_t)(x->demand + n > MANY ? MANY : x->demand + n); }

// A use at position pos of region r; n: times each element is read.
static void use(cg *g, const ch__value *v, ch__region *r, int32_t pos, int n) {
    val *x = val_of(g, v);
    x->uses++;
    add_demand(x, home_of(v) == r ? n : MANY);
    while (r != home_of(v)) {
        note_outer(g, info_of(g, r), v, pos, 1);
        if (!r->owner) ch__raise(CH__E_internal, "cgen: a value is used outside of its region");
        pos = pos_of(g, r->owner);
        r = r->owner->parent;
    }
    note_last(x, pos, 1);
}

// A use by the lazy value of `reader`: wherever that is used.
static void use_lazily(cg *g, const ch__value *v, const ch__value *reader, int n) {
    val *x = val_of(g, v), *y = val_of(g, reader);
    x->uses++;
    ch__region *r = home_of(reader);
    add_demand(x, home_of(v) == r ? n * y->demand : MANY);
    for (int64_t i = 0; i < y->inside.n; i++) {
        outer_use *u = ch__map_get(&y->inside.data[i]->outer, (uint64_t)reader->id + 1);
        note_outer(g, y->inside.data[i], v, u->last, u->count);
    }
    int32_t pos = y->last;
    while (r != home_of(v)) {
        note_outer(g, info_of(g, r), v, pos, y->count);
        pos = pos_of(g, r->owner);
        r = r->owner->parent;
    }
    note_last(x, pos, y->count);
}

static bool is_one(ch__dim d) { return ch__dim_is_const(d) && d.val == 1; }

// How often op reads each element of operand j for each of its own: 1, or many.
static int reads(cg *g, const ch__op *op, int j) {
    const ch__type *x = op->operands[j]->type, *r = op->n_results ? op->results[0].type : NULL;
    switch (op->code) {
    case CH_OP_broadcast: return ch__dim_equal(ch__cg_numel(g, x), ch__cg_numel(g, r)) ? 1 : MANY;
    case CH_OP_pad: return j == 0 ? 1 : MANY;
    case CH_OP_gather: return j == 1 && ch__op_attr(op, CH__ATTR_offset_dims)->n == 0 ? 1 : MANY;
    case CH_OP_rng_bits:
    case CH_OP_conv:
    case CH_OP_reduce_window:
    case CH_OP_sort:
    case CH_OP_top_k: return MANY;
    case CH_OP_select_and_scatter: return j == 0 ? MANY : 1;
    case CH_OP_scatter: return j == 1 ? MANY : 1;
    case CH_OP_triangular_solve: return j == 0 ? MANY : 1;
    case CH_OP_dot: { // the other side's own axes repeat this one
        const ch__type *y = op->operands[1 - j]->type;
        const ch__attr *batch = ch__op_attr(op, CH__ATTR_batch), *contract = ch__op_attr(op, CH__ATTR_contract);
        ch__dim n = ch__dim_const(1);
        for (int i = 0; i < y->rank; i++) {
            bool own = true;
            for (int k = 0; k < contract->n; k++) own = own && contract->ints[k + (1 - j) * contract->n] != i;
            for (int k = 0; batch && k < batch->n; k++) own = own && batch->ints[k + (1 - j) * batch->n] != i;
            if (own && !is_one(y->dims[i])) n = ch__dim_const(2);
        }
        return is_one(n) ? 1 : MANY;
    }
    default: break;
    }
    op_kind k = ch__cg_kind(op);
    if ((k == K_ELEM || k == K_MULTI) && x->rank == 0 && r->rank > 0) return MANY; // once before the loop
    return 1;
}

// Does op want operand j in memory?
static bool wants_memory(const ch__op *op, int j) {
    const ch__type *t = op->operands[j]->type;
    if (t->rank == 0 || t->tape) return false;
    switch (op->code) {
    case CH_OP_dot:
    case CH_OP_conv: return ch__cg_is_called(op);
    case CH_OP_call:
    case CH_OP_sort:
    case CH_OP_top_k:
    case CH_OP_rng_bits: return true;
    case CH_OP_triangular_solve: return j == 0;
    default: return false;
    }
}

// ---------------------------------------------------------------- backward
static bool may_inline(const ch__op *op) {
    return op->code != CH_OP_rng_bits && op->code != CH_OP_gather && ch__cg_kind(op) == K_ELEM;
}

// In the order of emission nothing that changes memory may come between `get` and its reader.
static bool is_func_result(cg *g, const ch__value *v) {
    for (int i = 0; i < g->f->body->n_results; i++)
        if (g->f->body->results[i] == v) return true;
    return false;
}

// Is a result nothing but another shape of v, which is made in its place (pass_back_reshaped)?
static bool is_reshaped_result(cg *g, const ch__value *v) {
    if (!ch__cg_is_root(g) || v->type->rank == 0) return false;
    for (int i = 0; i < g->f->body->n_results; i++) {
        const ch__value *from = g->f->body->results[i];
        while (from != v && from->op && from->op->code == CH_OP_reshape && val_of(g, from->op->operands[0])->uses == 1)
            from = from->op->operands[0];
        if (from == v && !ch__cg_is_tied(g, i)) return true;
    }
    return false;
}

// A nameless position that is read several times is written out in each: a[i - 1] says more than a[t3].
static bool is_index_only(cg *g, const ch__op *op) {
    const val *x = val_of(g, &op->results[0]);
    return g->fn->face && (op->code == CH_OP_add || op->code == CH_OP_sub || op->code == CH_OP_mul) &&
           op->results[0].type->dtype == CH_I64 && !op->results[0].name && x->index_uses == x->uses && x->last < END;
}

// Whole numbers and comparisons of them that follow from where an element stands: the mask of a causal attention.
// Nobody would rather read them from memory.
static bool follows_from_index(const ch__value *v, int depth) {
    if (v->type->rank == 0) return true;
    const ch__op *op = v->op;
    if (!op || depth > 6) return false;
    switch (op->code) {
    case CH_OP_iota: return true;
    case CH_OP_const: return ch__op_attr(op, CH__ATTR_value)->array->splat;
    case CH_OP_broadcast:
    case CH_OP_add:
    case CH_OP_sub:
    case CH_OP_and:
    case CH_OP_compare: break;
    default: return false;
    }
    if (op->code != CH_OP_broadcast && ch__is_float(op->operands[0]->type->dtype)) return false;
    for (int j = 0; j < op->n_operands; j++)
        if (!follows_from_index(op->operands[j], depth + 1)) return false;
    return true;
}

static bool may_repeat(cg *g, const ch__op *op) {
    const val *x = val_of(g, &op->results[0]);
    return x->demand == 1 || (ch__cg_is_root(g) && op->parent == g->f->body && x->inside.n == 0 &&
                              follows_from_index(&op->results[0], 0));
}

// changes: how many of the ops before each position change memory; n: the positions there are.
static how how_of(cg *g, const ch__op *op, const int32_t *changes, int32_t n) {
    const ch__value *v = &op->results[0];
    const val *x = val_of(g, v);
    op_kind k = ch__cg_kind(op);
    if (k == K_STMT) return HOW_STMT;
    if (k == K_VIEW) return x->need_store && v->type->rank > 0 ? HOW_MEMBER : HOW_VIEW;
    if (v->type->rank > 0) {
        if (k == K_ELEM && may_inline(op) && !x->need_store && !is_func_result(g, v) && may_repeat(g, op) &&
            !is_reshaped_result(g, v))
            return HOW_INLINE;
        return HOW_MEMBER;
    }
    if (is_index_only(g, op)) {
        val_of(g, v)->index_only = true;
        return HOW_INLINE;
    }
    if (k == K_FOLD && ch__cg_is_row_sum(g, op)) return HOW_MEMBER;
    if (k != K_ELEM || x->demand != 1 || !may_inline(op)) return HOW_LOCAL;
    // A name says something, except beside the name of what it is put into.
    bool plain = op->code == CH_OP_get || x->index_uses == x->uses || x->last >= END || x->put;
    if (v->name && !is_func_result(g, v) && !plain) return HOW_LOCAL;
    int32_t last = x->last < END ? x->last : n;
    return op->code == CH_OP_get && changes[x->pos] != changes[last] ? HOW_LOCAL : HOW_INLINE;
}

static void plan_back(cg *g, ch__region *r);

// ---------------------------------------------------------------- memory that is written over
// An op that changes an array in place writes over the old version. Expressions and views of that which are read later
// would keep it alive, and the op would have to copy all of it: they are computed where they stand.

static void name_use(cg *g, const ch__value *v, const ch__region *r, int32_t pos) {
    for (; r != home_of(v) && r->owner; r = r->owner->parent) pos = pos_of(g, r->owner);
    val *x = val_of(g, v);
    if (pos > x->named_last) x->named_last = pos;
}

static bool is_loop_body(const ch__region *r) {
    return r->owner && (r->owner->code == CH_OP_for || r->owner->code == CH_OP_while) &&
           r == r->owner->regions[r->owner->n_regions - 1];
}

// Does v lie in memory of its own, which may be written over?
static bool has_place(const ch__value *v) {
    if (v->type->rank == 0 || v->type->tape) return false;
    return v->op ? ch__cg_kind(v->op) == K_STMT : is_loop_body(v->region);
}

static void freeze(cg *g, const ch__value *v, int32_t from) {
    val *x = val_of(g, v);
    if (x->frozen == 0 || from < x->frozen) x->frozen = from;
}

// op, a statement at pos of r: whose memory does it want?
static void freeze_operands(cg *g, const ch__op *op, const ch__region *r, int32_t pos) {
    bool loop = op->n_regions > 0; // it reads what is outside while it goes round
    for (int k = 0; k < op->n_results; k++) {
        int j = ch__cg_in_place(op, k);
        if (j < 0 || val_of(g, &op->results[k])->uses == 0) continue;
        const ch__value *v = op->operands[j];
        if (home_of(v) == r && has_place(v) && val_of(g, v)->named_last < 0) freeze(g, v, loop ? pos : pos + 1);
    }
}

// Whether op, lazy as it is, reads memory that is written over before it is used; a view whose readers stand before
// that leaves it to them.
static bool reads_frozen(cg *g, const ch__op *op) {
    const ch__value *v = &op->results[0];
    const val *x = val_of(g, v);
    int32_t from = 0;
    for (int j = 0; j < op->n_operands; j++) {
        int32_t f = val_of(g, op->operands[j])->frozen;
        if (home_of(op->operands[j]) != op->parent) continue; // done before
        if (f != 0 && (from == 0 || f < from)) from = f;
    }
    if (from == 0 || x->last < from) return false;
    if (ch__cg_kind(op) != K_VIEW || x->named_last >= from) return true;
    freeze(g, v, from);
    return false;
}

// Is each element of p read, if at all, only where the element of v is computed? As far as a few ops show it.
static bool reads_in_step(const ch__value *v, const ch__value *p, int depth, bool same) {
    if (v == p) return same;
    if (v->op == NULL || v->op->parent != p->region || v->type->rank == 0) return true;
    op_kind k = ch__cg_kind(v->op);
    if (k == K_STMT || k == K_FOLD) return true; // computed before
    if (depth == 12) return false;
    for (int j = 0; j < v->op->n_operands; j++)
        if (!reads_in_step(v->op->operands[j], p, depth + 1, same && same_index(v->op))) return false;
    return true;
}

// Results of a loop's body that may be computed into the place of what they replace.
static void find_carried(cg *g, const ch__region *r) {
    for (int i = 0; i < r->n_results; i++) {
        const ch__value *v = r->results[i], *p = r->params[r->n_params - r->n_results + i];
        val *x = val_of(g, v);
        if (v->type->rank == 0 || !v->op || v->op->parent != r || ch__cg_kind(v->op) != K_ELEM) continue;
        x->carries = x->uses == 1 && may_inline(v->op) ? p : NULL;
    }
}

// v is reached, from the end: has its time come?
static void plan_carried(cg *g, const ch__value *v) {
    val *x = val_of(g, v);
    if (!x->carries) return;
    if (val_of(g, x->carries)->named_last >= 0 || !reads_in_step(v, x->carries, 0, true)) {
        x->carries = NULL;
        return;
    }
    x->need_store = true;
    freeze(g, x->carries, x->pos + 1);
}

// The uses that a live op makes.
static void use_operands(cg *g, const ch__op *op, ch__region *r, int32_t pos) {
    bool lazy = op->n_results > 0 && is_lazy(val_of(g, &op->results[0]));
    if (!lazy) freeze_operands(g, op, r, pos);
    for (int j = 0; j < op->n_operands; j++) {
        const ch__value *v = op->operands[j];
        name_use(g, v, r, pos);
        if (op->code == CH_OP_sort && j >= ch__op_int(op, CH__ATTR_keys, 1) && val_of(g, &op->results[j])->uses == 0)
            continue; // neither compared nor asked for
        if (wants_memory(op, j)) val_of(g, v)->need_store = true;
        if ((op->code == CH_OP_get && j >= 1) || (op->code == CH_OP_set && j >= 2))
            val_of(g, v)->index_uses += ch__op_int(op, CH__ATTR_bounds, CH__C) != CH__CLAMP;
        if (lazy && val_of(g, &op->results[0])->index_only) val_of(g, v)->index_uses++;
        if (op->code == CH_OP_set && j == 1) val_of(g, v)->put = true;
        if (!lazy) {
            use(g, v, r, pos, reads(g, op, j));
            continue;
        }
        use_lazily(g, v, &op->results[0], reads(g, op, j));
    }
    // The corner of a block is computed where the op stands.
    if (op->code == CH_OP_dynamic_slice && lazy)
        for (int j = 1; j < op->n_operands; j++) use(g, op->operands[j], r, pos, 1);
}

static bool changes_memory(const ch__op *op) { return ch__cg_kind(op) == K_STMT; }

static void plan_back(cg *g, ch__region *r) {
    int32_t n = 0, at = 0, all;
    for (ch__op *op = r->first; op; op = op->next) {
        for (int k = 0; k < op->n_results; k++) {
            val *x = val_of(g, &op->results[k]);
            x->pos = n;
            x->last = x->named_last = -1;
        }
        n++;
    }
    all = n;
    int32_t *changes = CH_NEW_ARRAY(g->a, int32_t, n + 1);
    for (ch__op *op = r->first; op; op = op->next, at++) changes[at + 1] = changes[at] + changes_memory(op);
    for (int i = 0; i < r->n_params; i++) {
        val *x = val_of(g, r->params[i]);
        x->how = HOW_PARAM;
        x->last = x->named_last = -1;
    }
    for (int i = 0; i < r->n_results; i++) { // of `if`: those that are read
        if (r->owner && r->owner->code == CH_OP_if && val_of(g, &r->owner->results[i])->uses == 0) continue;
        use(g, r->results[i], r, END, 1);
        name_use(g, r->results[i], r, END);
    }
    if (is_loop_body(r)) find_carried(g, r);
    for (ch__op *op = r->last; op; op = op->prev) {
        n--;
        bool live = false;
        for (int k = 0; k < op->n_results; k++) live = live || val_of(g, &op->results[k])->uses > 0;
        live = live || (op->code == CH_OP_alloc && op->n_operands > 0); // it says what a size is
        if (!live) continue;                                            // HOW_DEAD
        plan_carried(g, &op->results[0]);
        how h = how_of(g, op, changes, all);
        if ((h == HOW_VIEW || h == HOW_INLINE) && op->n_operands > 0 && reads_frozen(g, op)) {
            val_of(g, &op->results[0])->need_store = true;
            h = op->results[0].type->rank > 0 ? HOW_MEMBER : HOW_LOCAL;
        }
        for (int k = 0; k < op->n_results; k++) val_of(g, &op->results[k])->how = h;
        for (int k = op->n_regions - 1; k >= 0; k--) plan_back(g, op->regions[k]);
        use_operands(g, op, r, n);
    }
}

// ---------------------------------------------------------------- forward: how long expressions get
// The elementwise op under views.
static ch__value *under_views(cg *g, ch__value *v) {
    while (val_of(g, v)->how == HOW_VIEW && v->op->n_operands > 0) v = v->op->operands[0];
    return v;
}

static void cut_expression(cg *g, const ch__op *op) {
    ch__value *longest = NULL;
    for (int j = 0; j < op->n_operands; j++) {
        ch__value *v = under_views(g, op->operands[j]);
        if (val_of(g, v)->how == HOW_INLINE && (!longest || val_of(g, v)->size > val_of(g, longest)->size)) longest = v;
    }
    if (!longest) return;
    val *x = val_of(g, longest);
    x->how = longest->type->rank > 0 ? HOW_MEMBER : HOW_LOCAL;
    x->size = x->depth = 0;
}

static void measure(cg *g, const ch__op *op, int *size, int *depth) {
    *size = *depth = 0;
    for (int j = 0; j < op->n_operands; j++) {
        val *x = val_of(g, op->operands[j]);
        if (!is_lazy(x)) continue;
        if (x->index_only && !(op->n_results && val_of(g, &op->results[0])->index_only)) continue;
        // Views pass on what is under them, whose size may have become 0. Parts of a concat are loops of their own.
        int under = val_of(g, under_views(g, op->operands[j]))->size;
        if (op->code != CH_OP_concat)
            *size += under;
        else if (under > *size)
            *size = under;
        if (x->depth > *depth) *depth = x->depth;
    }
}

// Of the native engine: one statement has one slow function, so that its loop can be taken apart (stages.c). What is
// under a view stays an expression, since it has another shape.
static void cut_slow(cg *g, const ch__op *op) {
    int slow = ch__cg_is_slow(op);
    for (int j = 0; j < op->n_operands; j++)
        if (is_lazy(val_of(g, op->operands[j]))) slow += val_of(g, op->operands[j])->slow;
    for (int j = 0; slow > 1 && j < op->n_operands; j++) {
        val *x = val_of(g, op->operands[j]);
        if (x->how != HOW_INLINE || x->slow == 0 || !same_index(op) ||
            !ch__cg_same_dims(op->operands[j]->type, op->results[0].type) || op->operands[j]->type->rank == 0)
            continue;
        slow -= x->slow;
        x->how = HOW_MEMBER;
        x->size = x->depth = 0;
    }
    val_of(g, &op->results[0])->slow = (int8_t)(slow > 100 ? 100 : slow);
}

static void plan_sizes(cg *g, ch__region *r) {
    bool native = g->file->native && ch__cg_is_root(g) && r == g->f->body;
    for (ch__op *op = r->first; op; op = op->next) {
        if (op->n_results == 0 || val_of(g, &op->results[0])->how == HOW_DEAD) continue;
        if (native) cut_slow(g, op);
        int size, depth;
        for (int i = 0; i < 8; i++) {
            measure(g, op, &size, &depth);
            if (size + 1 <= MAX_SIZE) break;
            cut_expression(g, op);
        }
        val *x = val_of(g, &op->results[0]);
        if (is_lazy(x)) {
            x->size = (int16_t)(x->how == HOW_INLINE ? size + 1 : 0);
            x->depth = (int16_t)(depth + 1);
            if (x->depth > MAX_DEPTH) {
                x->how = op->results[0].type->rank > 0 ? HOW_MEMBER : HOW_LOCAL;
                x->size = x->depth = 0;
            }
        }
        for (int k = 0; k < op->n_regions; k++) plan_sizes(g, op->regions[k]);
    }
}

// ---------------------------------------------------------------- forward: groups
typedef struct {
    group *now; // the group whose ops touch() looks at
    bool any, other;
} look;

static void look_at(cg *g, void *arg, const ch__value *leaf, bool same) {
    look *l = arg;
    val *x = val_of(g, leaf);
    if (!l->now || x->group != l->now) return;
    l->any = true;
    l->other = l->other || !same;
}

static void mark_at(cg *g, void *arg, const ch__value *leaf, bool same) {
    val *x = val_of(g, leaf);
    (void)same;
    if (x->group != arg)
        x->outside = true;
    else
        x->inner = true;
}

static void touch_operands(cg *g, const ch__op *op, touch_fn fn, void *arg) {
    for (int j = 0; j < op->n_operands; j++) ch__cg_touch(g, op->operands[j], same_index(op), fn, arg);
}

typedef struct {
    const ch__value *param;
    bool elsewhere;
} overwriting;

static void see_elsewhere(cg *g, void *arg, const ch__value *leaf, bool same) {
    overwriting *o = arg;
    (void)g;
    if (leaf == o->param && !same) o->elsewhere = true;
}

// op writes over an array of which the group so far reads other elements.
static bool spoils(cg *g, const group *now, const ch__op *op) {
    overwriting o = {.param = val_of(g, &op->results[0])->carries};
    for (int64_t i = 0; o.param && i < now->members.n; i++) touch_operands(g, now->members.data[i], see_elsewhere, &o);
    return o.elsewhere;
}

static void plan_groups(cg *g, ch__region *r);

// Compilers are superlinear in the length of a loop's body, so a kernel of the native engine takes no more than this:
// as many plain operations for an element, or a fifth of that of the slow functions of stages.c. Nor does it read more
// arrays than these: pages and processors follow fewer, and what is done to each of many arrays is one function then.
enum { MOST_WEIGHT = 128, SLOW_WEIGHT = 5, MOST_READ = 64 };

static int weight_of(cg *g, const ch__op *op) {
    int size, depth;
    measure(g, op, &size, &depth);
    return 1 + size + SLOW_WEIGHT * val_of(g, &op->results[0])->slow;
}

typedef struct {
    group *now;
    bool take; // else they are counted
    int more;
} arrays_read;

static void see_array_read(cg *g, void *arg, const ch__value *leaf, bool same) {
    arrays_read *r = arg;
    (void)same;
    if (leaf->type->rank == 0 || val_of(g, leaf)->group == r->now) return;
    if (ch__map_get(&r->now->read, (uint64_t)(uintptr_t)leaf) != NULL) return;
    r->more++;
    if (r->take) ch__map_put(&r->now->read, (uint64_t)(uintptr_t)leaf, r->now);
}

static bool reads_too_much(cg *g, group *now, const ch__op *op) {
    arrays_read r = {.now = now};
    if (now->n_read == 0) return false;
    touch_operands(g, op, see_array_read, &r);
    return now->n_read + r.more > MOST_READ;
}

static void note_reads(cg *g, group *now, const ch__op *op) {
    arrays_read r = {.now = now, .take = true};
    if (now->n_read == 0) ch__map_init(&now->read, g->a);
    touch_operands(g, op, see_array_read, &r);
    now->n_read += r.more;
}

static bool joins(cg *g, group *now, ch__op *op) {
    if (now->columns > 0 || ch__cg_comes_back(g, op)) return ch__cg_column_join(g, now, op);
    return ch__cg_row_join(g, now, op);
}

// Of the native engine, in the file's own func: groups go over rows, and products by a library, which read and write
// whole arrays, stand between a group's members as long as they read none of them.
static void plan_row_groups(cg *g, ch__region *r) {
    group *now = NULL;
    ch__cg_find_columns(g, r);
    for (ch__op *op = r->first; op; op = op->next) {
        if (op->n_results == 0) continue;
        val *x = val_of(g, &op->results[0]);
        if (x->how == HOW_DEAD || (is_lazy(x) && op->code != CH_OP_dynamic_slice)) continue;
        look l = {.now = now};
        touch_operands(g, op, look_at, &l);
        if (x->how == HOW_MEMBER) {
            int weight = weight_of(g, op);
            bool full = now && (now->weight + weight > MOST_WEIGHT || reads_too_much(g, now, op));
            if (!now || full || spoils(g, now, op) || !joins(g, now, op))
                now = ch__cg_comes_back(g, op) ? ch__cg_column_begin(g, op) : ch__cg_row_begin(g, op);
            now->weight += weight;
            note_reads(g, now, op);
        } else if (l.any || (x->how == HOW_STMT && !ch__cg_is_called(op))) {
            now = NULL;
        }
        touch_operands(g, op, mark_at, x->how == HOW_MEMBER ? now : NULL);
        touch_operands(g, op, ch__cg_over_reader, &(cg_over_reader){x->how == HOW_MEMBER ? now : NULL, x->pos});
        for (int k = 0; k < op->n_regions; k++) plan_groups(g, op->regions[k]);
    }
    for (int i = 0; i < r->n_results; i++) ch__cg_touch(g, r->results[i], true, mark_at, NULL);
    for (int i = 0; i < r->n_results; i++)
        ch__cg_touch(g, r->results[i], true, ch__cg_over_reader, &(cg_over_reader){NULL, END});
    ch__cg_plan_chains(g, r, touch_operands);
}

static void plan_groups(cg *g, ch__region *r) {
    group *now = NULL;
    for (ch__op *op = r->first; op; op = op->next) {
        if (op->n_results == 0) continue;
        val *x = val_of(g, &op->results[0]);
        if (x->how == HOW_DEAD || (is_lazy(x) && op->code != CH_OP_dynamic_slice)) continue;
        look l = {.now = now};
        touch_operands(g, op, look_at, &l);
        if (x->how == HOW_MEMBER) {
            if (!now || l.other || !ch__cg_same_dims(now->type, op->results[0].type) || spoils(g, now, op)) {
                now = CH_NEW(g->a, group);
                now->id = ++g->n_groups;
                now->type = op->results[0].type;
            }
            CH_PUSH(g->a, &now->members, op);
            for (int k = 0; k < op->n_results; k++) val_of(g, &op->results[k])->group = now;
        } else if (x->how == HOW_STMT || l.any) {
            now = NULL;
        }
        touch_operands(g, op, mark_at, x->how == HOW_MEMBER ? now : NULL);
        for (int k = 0; k < op->n_regions; k++) plan_groups(g, op->regions[k]);
    }
    for (int i = 0; i < r->n_results; i++) ch__cg_touch(g, r->results[i], true, mark_at, NULL);
}

// ---------------------------------------------------------------- where results should be put
// The chain of in-place ops that ends in a result works in the result's place from the start.
static void pass_back(cg *g, ch__value *v, store *st) {
    while (v->op && val_of(g, v)->preset == NULL && val_of(g, v)->st == NULL) {
        val *x = val_of(g, v);
        if (x->how != HOW_MEMBER && x->how != HOW_STMT) return;
        x->preset = st;
        int j = ch__cg_in_place(v->op, v->index);
        if (j < 0) return;
        ch__value *from = v->op->operands[j];
        if (from->type->rank == 0 || home_of(from) != home_of(v)) return;
        val *y = val_of(g, from);
        if (y->last != x->pos ||
            (y->count != 1 && v->op->code != CH_OP_set && v->op->code != CH_OP_dynamic_update_slice))
            return;
        v = from;
    }
}

typedef struct {
    const ch__value *leaf;
    bool any;
} reading;

static void see_reading(cg *g, void *arg, const ch__value *leaf, bool same) {
    reading *o = arg;
    (void)g, (void)same;
    o->any = o->any || leaf == o->leaf;
}

// Does a member of x's group read p in a later pass than x is written in?
static bool reads_later(cg *g, const val *x, const ch__value *p) {
    reading o = {.leaf = p};
    bool passes = x->group->rows || x->group->columns > 0;
    for (int64_t i = 0; passes && i < x->group->members.n; i++)
        if (val_of(g, &x->group->members.data[i]->results[0])->pass > x->pass)
            touch_operands(g, x->group->members.data[i], see_reading, &o);
    return o.any;
}

// An operation that may go on in p's memory: its result lies there then, and is read as long as it lives.
typedef struct {
    const ch__value *param;
    const ch__op *but;
    bool any;
} taking;

static void see_taking(void *arg, ch__op *op) {
    taking *t = arg;
    for (int k = 0; op != t->but && k < op->n_results; k++) {
        int j = ch__cg_in_place(op, k);
        t->any = t->any || (j >= 0 && op->operands[j] == t->param);
    }
}

// Is p read by a group whose members stand before and behind op?
static bool read_around(cg *g, const ch__op *op, const ch__value *p) {
    const ch__op *next = op->next;
    while (next && (next->n_results == 0 || val_of(g, &next->results[0])->how != HOW_MEMBER)) next = next->next;
    const group *gr = next ? val_of(g, &next->results[0])->group : NULL;
    reading o = {.leaf = p};
    for (int64_t i = 0; gr && i < gr->members.n; i++) touch_operands(g, gr->members.data[i], see_reading, &o);
    return o.any;
}

// Result v, a product by a library, is tied to param p, and all that read p have done so by then: it goes there.
static void plan_product_over(cg *g, ch__value *v, const ch__value *p) {
    val *x = val_of(g, v);
    taking t = {.param = p, .but = v->op};
    if (!ch__cg_is_called(v->op) || x->chained || x->delayed || val_of(g, p)->last >= x->pos) return;
    if (val_of(g, p)->named_last >= x->pos || read_around(g, v->op, p)) return;
    ch__walk(g->f->body, see_taking, &t);
    if (!t.any) x->preset = val_of(g, p)->st;
}

// Result v is tied to param p. Its loop may write each element over p's when nobody reads p afterwards, nobody goes on
// in p's memory, and nobody in the loop reads another element of p.
static void plan_over(cg *g, ch__value *v, const ch__value *p) {
    val *x = val_of(g, v);
    if (ch__cg_is_root(g) && v->type->rank > 0 && x->how == HOW_STMT && home_of(v) == g->f->body)
        plan_product_over(g, v, p);
    if (v->type->rank == 0 || x->how != HOW_MEMBER || home_of(v) != g->f->body || val_of(g, p)->last > x->pos) return;
    taking t = {.param = p, .but = v->op};
    ch__walk(g->f->body, see_taking, &t);
    if (t.any) return;
    overwriting o = {.param = p};
    for (int64_t i = 0; i < x->group->members.n; i++) touch_operands(g, x->group->members.data[i], see_elsewhere, &o);
    if ((o.elsewhere || reads_later(g, x, p)) && !ch__cg_row_over_param(g, v, p)) return;
    x->preset = val_of(g, p)->st;
    x->over = true;
}

// A result that another shape of a value is, native: the value is made where the result should be. The function's end
// finds it there (ch__cg_assign).
static void pass_back_reshaped(cg *g, ch__value *v, store *st) {
    ch__value *from = v;
    while (from->op && val_of(g, from)->how == HOW_VIEW && from->op->code == CH_OP_reshape &&
           val_of(g, from->op->operands[0])->uses == 1)
        from = from->op->operands[0];
    if (from->type->rank == 0) from = v;
    pass_back(g, from, st);
}

void ch__cg_plan(cg *g) {
    plan_back(g, g->f->body);
    plan_sizes(g, g->f->body);
    if (g->file->native && ch__cg_is_root(g))
        plan_row_groups(g, g->f->body);
    else
        plan_groups(g, g->f->body);
    for (int i = 0; i < g->f->body->n_params; i++)
        if (g->f->inout && g->f->inout[i] >= 0)
            plan_over(g, g->f->body->results[g->f->inout[i]], g->f->body->params[i]);
    for (int i = 0; i < g->f->body->n_results; i++)
        if (g->outs[i] && g->f->body->results[i]->type->rank > 0 && !ch__cg_is_tied(g, i))
            (ch__cg_is_root(g) ? pass_back_reshaped : pass_back)(g, g->f->body->results[i], g->outs[i]);
}

void ch__cg_preset(cg *g, ch__value *v, store *st) { pass_back(g, v, st); }

bool ch__cg_is_tied(const cg *g, int result) {
    for (int i = 0; g->f->inout && i < g->f->body->n_params; i++)
        if (g->f->inout[i] == result) return true;
    return false;
}

// ---------------------------------------------------------------- in place
// What set reads beside the array are numbers, computed before the element is written: any number of reads will do; a
// block that reads the array is looked at when it is written (array.c).
bool ch__cg_can_take(cg *g, const ch__value *v, const ch__op *op) {
    const val *x = val_of(g, v);
    bool once = op->code != CH_OP_set && op->code != CH_OP_dynamic_update_slice;
    if (!x->st || !x->st->writable || x->st->owner != v->id) return false;
    ch__region *r = op->parent;
    for (bool first = true; r != home_of(v); first = false) {
        const outer_use *u = ch__map_get(&info_of(g, r)->outer, (uint64_t)v->id + 1);
        if (!u || u->last != pos_of(g, op) || (first && once && u->count != 1)) return false;
        op = r->owner;
        if (!op || op->code != CH_OP_if) return false; // a loop would find it changed
        r = op->parent;
    }
    return x->last == pos_of(g, op) && (op->code == CH_OP_if || !once || x->count == 1);
}

bool ch__cg_dead_after(cg *g, const ch__value *v, const ch__op *op) {
    for (ch__region *r = op->parent; r != home_of(v); r = op->parent) {
        const outer_use *u = ch__map_get(&info_of(g, r)->outer, (uint64_t)v->id + 1);
        if (u && u->last > pos_of(g, op)) return false;
        op = r->owner;
        if (!op || op->code != CH_OP_if) return false; // a loop goes round
    }
    return val_of(g, v)->last <= pos_of(g, op);
}

// ---------------------------------------------------------------- one loop over all elements
static bool flat_operand(cg *g, const ch__op *op, int j, const ch__type *t) {
    const ch__value *v = op->operands[j];
    return v->type->rank == 0 || (ch__cg_same_dims(v->type, t) && ch__cg_flat(g, v));
}

bool ch__cg_flat(cg *g, const ch__value *v) {
    const val *x = val_of(g, v);
    if (v->type->rank <= 1 || !is_lazy(x)) return true;
    const ch__op *op = v->op;
    if (op->code == CH_OP_const || op->code == CH_OP_alloc) return true;
    if (op->code == CH_OP_reshape) return ch__cg_flat(g, op->operands[0]);
    return ch__cg_flat_op(g, op);
}

bool ch__cg_flat_op(cg *g, const ch__op *op) {
    const ch__type *t = op->results[0].type;
    op_kind k = ch__cg_kind(op);
    if (t->rank <= 1) return true;
    if (op->code == CH_OP_const || op->code == CH_OP_alloc || op->code == CH_OP_rng_bits) return true;
    if (op->code == CH_OP_reshape) return ch__cg_flat(g, op->operands[0]);
    if (op->code == CH_OP_broadcast && op->operands[0]->type->rank == 0) return true;
    if (k == K_VIEW ? !(op->n_operands && is_identity_view(op)) : (k != K_ELEM && k != K_MULTI) || !same_index(op))
        return false;
    for (int j = 0; j < op->n_operands; j++)
        if (!flat_operand(g, op, j, t)) return false;
    return true;
}
