// SPDX-License-Identifier: Apache-2.0
// rescore.c - on the printer's own clone, the scores of an attention are computed again where its gradient reads them.
//
// A gradient reads the weights p = e^(s - max) / sum of all rows: to add p^T dy, and in p (d - sum of p d). Kept from
// the forward pass they are a matrix as large as the square of the tokens. What is kept instead are max and sum, a
// number a row; s is one product. So what p is made of is copied to the gradient, as far as it has a row's length, and
// products that sum over rows go behind what is computed of rows: then all of it is one group (rows.c) between
// products, which goes by blocks of rows (blocks.c). Without a forward product only the order changes.
//
// Of bf16 and f16 products read weights that were converted, and the rest reads those that were not: either is copied.
#include "cgen/native.h"

enum { MOST_COPIED = 40, MOST_USERS = 8 };

typedef struct {
    cg g; // of which products.c asks for the file alone
    cg_file *file;
    ch_func *f;
    ch__map copies; // value id + 1 -> its copy
    int n_copied, n_products;
} rescore;

typedef struct {
    ch__op *forward, *sums, *plain; // the product of its rows, the one that sums over them, the first other reader
} weight_users;

static bool is_called_dot(const ch__op *op) { return op->code == CH_OP_dot && ch__cg_is_called(op); }

// Of bf16 and f16 the weights that products read are those of f32, converted: gradients read these. NULL: v is no such.
static const ch__value *before_convert(const ch__value *v) {
    if (v->op->code != CH_OP_convert) return NULL;
    const ch__value *from = v->op->operands[0];
    return from->op && from->op->parent == v->op->parent && ch__is_float(from->type->dtype) ? from : NULL;
}

// Who reads v, or what it was before it was converted, in order; false: somebody who may not, or not those that have
// to.
static bool find_users(rescore *s, const ch__value *v, weight_users *u) {
    int outer = v->type->rank - 1, n = 0;
    const ch__value *wide = before_convert(v);
    *u = (weight_users){0};
    for (int i = 0; i < s->f->body->n_results; i++)
        if (s->f->body->results[i] == v || s->f->body->results[i] == wide) return false;
    for (ch__op *op = wide ? wide->op->next : v->op->next; op; op = op->next) {
        int reads = 0, side = 0;
        for (int j = 0; j < op->n_operands; j++)
            if (op->operands[j] == v || op->operands[j] == wide) reads++, side = j;
        if (op->n_regions > 0) return false;
        if (reads == 0 || op == v->op) continue;
        if (++n > MOST_USERS) return false;
        bool elementwise = (ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) != 0;
        if (op->operands[side] == wide && !elementwise) return false;
        if (elementwise && ch__cg_same_dims(op->results[0].type, v->type)) {
            if (!u->plain) u->plain = op;
        } else if (!is_called_dot(op) || reads > 1) {
            return false;
        } else if (ch__cg_dot_sums_rows(&s->g, op, side, outer)) {
            if (u->sums) return false;
            u->sums = op;
        } else if (side == 0 && ch__cg_dot_takes_rows(&s->g, op, outer) && !u->forward && !u->plain) {
            u->forward = op;
        } else {
            return false;
        }
    }
    return u->sums && u->plain;
}

// The first product behind the plain reader that what it gives goes into; NULL: there is none, or v's sums are read
// before.
static ch__op *end_of_rows(const rescore *s, const weight_users *u) {
    ch__map from;
    ch__map_init(&from, s->file->a);
    ch__map_put(&from, (uint64_t)u->plain->results[0].id + 1, u->plain);
    bool behind = false; // the sums
    ch__op *begin = u->sums;
    for (ch__op *op = u->plain; op; op = op->next)
        if (op == u->sums) begin = u->plain;
    for (ch__op *op = begin; op; op = op->next) {
        bool depends = op == u->plain;
        for (int j = 0; j < op->n_operands; j++) {
            if (behind && op->operands[j] == &u->sums->results[0]) return NULL;
            depends = depends || ch__map_get(&from, (uint64_t)op->operands[j]->id + 1);
        }
        behind = behind || op == u->sums;
        if (op->n_regions > 0) return NULL;
        if (!depends) continue;
        if (ch__cg_is_called(op)) return behind ? op : NULL;
        for (int k = 0; k < op->n_results; k++) ch__map_put(&from, (uint64_t)op->results[k].id + 1, op);
    }
    return NULL;
}

// Of a row's length and computed, conditions among them: a matrix, if two groups read it.
static bool is_row_value(const ch__value *v, const ch__type *whole) {
    if (!v->op || !ch__cg_same_dims(v->type, whole)) return false;
    return is_called_dot(v->op) || (ch__op_info_of((ch__opcode)v->op->code)->flags & CH__ELEMWISE) != 0;
}

// Is v made of one product, by operations on elements?
static bool may_copy(rescore *s, const ch__value *v, const ch__type *whole, int depth) {
    if (!is_row_value(v, whole)) return true; // taken as it is
    if (v->op->parent != s->f->body || depth > MOST_COPIED || ++s->n_copied > MOST_COPIED) return false;
    if (is_called_dot(v->op)) {
        s->n_products++;
        return ch__cg_dot_has_rows(&s->g, v->op);
    }
    if (v->op->n_results != 1) return false;
    for (int j = 0; j < v->op->n_operands; j++)
        if (!may_copy(s, v->op->operands[j], whole, depth + 1)) return false;
    return true;
}

static ch__value *copy_of(rescore *s, ch__value *v, const ch__type *whole, ch__op *before) {
    if (!is_row_value(v, whole)) return v;
    ch__value *done = ch__map_get(&s->copies, (uint64_t)v->id + 1);
    if (done) return done;
    ch__value *operands[3] = {NULL};
    bool product = is_called_dot(v->op);
    for (int j = 0; j < v->op->n_operands; j++)
        operands[j] = product ? v->op->operands[j] : copy_of(s, v->op->operands[j], whole, before);
    ch__builder b = {.func = s->f, .region = s->f->body, .before = before, .loc = v->op->loc};
    ch__op *copy = ch__build_shallow(&b, (ch__opcode)v->op->code, v->op->n_operands, operands, v->op->n_attrs,
                                     v->op->attrs, 1, &v->type, 0, NULL);
    if (product) {
        copy->mark = CG_CALLED;
        ch__cg_keep_call(s->file, copy, ch__cg_call_of(s->file, v->op));
    }
    ch__map_put(&s->copies, (uint64_t)v->id + 1, &copy->results[0]);
    return &copy->results[0];
}

static void try_weights(rescore *s, ch__value *v) {
    weight_users u;
    if (!find_users(s, v, &u)) return;
    ch__op *end = end_of_rows(s, &u);
    s->n_copied = s->n_products = 0;
    if (!end || !may_copy(s, v, v->type, 0) || s->n_products != 1) return;
    const ch__value *wide = before_convert(v);
    for (const ch__op *op = end; op; op = op->next)
        for (int j = 0; j < op->n_operands; j++)
            if (op->operands[j] == v || op->operands[j] == wide) return;
    ch__op_move_before(u.sums, end);
    if (!u.forward) return;
    ch__map_init(&s->copies, s->file->a);
    (void)copy_of(s, v, v->type, u.plain);
    for (ch__op *op = u.plain; op != end; op = op->next) // all that reads v is there
        for (int j = 0; j < op->n_operands; j++) {
            ch__value *copy = ch__map_get(&s->copies, (uint64_t)op->operands[j]->id + 1);
            if (copy) op->operands[j] = copy;
        }
}

void ch__cg_rescore(cg_file *file, ch_func *f) {
    rescore s = {.g = {.file = file, .a = file->a, .f = f}, .file = file, .f = f};
    for (ch__op *op = f->body->first, *next; op; op = next) {
        next = op->next;
        if (!is_called_dot(op)) continue;
        for (int j = 0; j < 2; j++) {
            ch__value *v = op->operands[j];
            if (v->type->rank < 2 || !ch__is_float(v->type->dtype) || !is_row_value(v, v->type) ||
                v->op->parent != f->body || is_called_dot(v->op))
                continue;
            if (ch__cg_dot_sums_rows(&s.g, op, j, v->type->rank - 1)) {
                try_weights(&s, v);
                break;
            }
        }
    }
    ch__renumber(f);
}
