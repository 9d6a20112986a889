// SPDX-License-Identifier: Apache-2.0
// vectors.c - on the printer's own clone, a vector that reads a sum or maximum of itself is a matrix of one row.
//
// A softmax over x [n] needs the maximum and the sum of all elements before it gives any. As a program of vectors and
// numbers that is a kernel each. Groups go over rows (rows.c), so what takes part becomes [1,n], the numbers become
// [1], and all of it is one kernel: n elements of one row, on one thread. Vectors that are known to be longer than
// MOST_ONE_ROW stay several kernels, which threads share out.
//
// What takes part: a reduction over a vector whose result goes, by operations on numbers that read nothing else that
// was reduced, to a vector of its size; these operations; elementwise operations on vectors before and behind; and
// reductions of those. Reshapes, which move nothing, stand between them and the rest.
#include "cgen/native.h"

enum { MOST_ONE_ROW = 1 << 18, WANTED = 1, BEHIND = 2, TAKEN = 4 };

typedef struct {
    cg_file *file;
    ch_func *f;
    uint8_t *marks;        // by value
    const ch__type **from; // of a number: the vector it was reduced from, and nothing else was
    ch__value **to;        // of a value that takes part, or that those read: its matrix
} vectors;

static bool is_vector(const ch__type *t) {
    if (t->rank != 1 || t->tape) return false;
    return !ch__dim_is_const(t->dims[0]) || (t->dims[0].val > 1 && t->dims[0].val <= MOST_ONE_ROW);
}

// [] or [1]
static bool is_vector_number(const ch__type *t) {
    return !t->tape && (t->rank == 0 || (t->rank == 1 && ch__dim_is_const(t->dims[0]) && t->dims[0].val == 1));
}

static bool is_vector_elementwise(const ch__op *op) {
    if (!(ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) || op->n_results != 1 || op->n_operands > 3)
        return false;
    for (int j = 0; j < op->n_operands; j++)
        if (!ch__cg_same_dims(op->operands[j]->type, op->results[0].type)) return false;
    return true;
}

static bool reduces_vector(const ch__op *op) { return op->code == CH_OP_reduce && is_vector(op->operands[0]->type); }

static bool on_vector_numbers(const ch__op *op) {
    if (!is_vector_number(op->results[0].type)) return false;
    return is_vector_elementwise(op) || (op->code == CH_OP_reshape && is_vector_number(op->operands[0]->type));
}

static bool on_vectors(const ch__op *op) { return is_vector_elementwise(op) && is_vector(op->results[0].type); }

// Is the number there without anything that was reduced or computed of arrays?
static bool is_given_number(const ch__value *v) {
    return !v->op || v->op->code == CH_OP_const || v->op->code == CH_OP_dim ||
           ((v->op->code == CH_OP_convert || v->op->code == CH_OP_reshape || v->op->code == CH_OP_broadcast) &&
            is_given_number(v->op->operands[0]));
}

static const ch__type *vector_of_number(const vectors *s, const ch__op *op) {
    const ch__type *t = NULL;
    for (int j = 0; j < op->n_operands; j++) {
        const ch__value *v = op->operands[j];
        const ch__type *u = s->from[v->id];
        if (!u && !is_given_number(v)) return NULL;
        if (u && t && !ch__cg_same_dims(u, t)) return NULL;
        if (u) t = u;
    }
    return t;
}

// A number of the vector's own, at each of its places.
static bool comes_back(const vectors *s, const ch__op *op) {
    if (op->code != CH_OP_broadcast || !is_vector_number(op->operands[0]->type)) return false;
    const ch__type *t = s->from[op->operands[0]->id];
    return t && ch__cg_same_dims(t, op->results[0].type);
}

static bool see_behind(vectors *s) {
    bool any = false;
    for (ch__op *op = s->f->body->first; op; op = op->next) {
        if (op->n_results != 1) continue;
        int32_t id = op->results[0].id;
        if (reduces_vector(op)) s->from[id] = op->operands[0]->type;
        if (on_vector_numbers(op)) s->from[id] = vector_of_number(s, op);
        bool behind = comes_back(s, op);
        any = any || behind;
        for (int j = 0; j < op->n_operands && (on_vectors(op) || reduces_vector(op)); j++)
            behind = behind || (s->marks[op->operands[j]->id] & BEHIND);
        if (behind && !on_vector_numbers(op) && (!reduces_vector(op))) s->marks[id] |= BEHIND;
        if (behind && reduces_vector(op)) s->marks[id] |= WANTED;
    }
    return any;
}

static void see_taken(vectors *s) {
    for (ch__op *op = s->f->body->last; op; op = op->prev) {
        if (op->n_results != 1) continue;
        uint8_t *m = &s->marks[op->results[0].id];
        bool wanted = *m & WANTED, takes = comes_back(s, op) || (on_vectors(op) && *m);
        takes = takes || (wanted && (reduces_vector(op) || (on_vector_numbers(op) && s->from[op->results[0].id])));
        if (!takes) continue;
        *m |= TAKEN;
        for (int j = 0; j < op->n_operands; j++) s->marks[op->operands[j]->id] |= WANTED;
    }
}

// A result that lies in a param's memory would have to be copied there.
static bool takes_tied(const vectors *s) {
    for (int i = 0; s->f->inout && i < s->f->body->n_params; i++)
        if (s->f->inout[i] >= 0 && (s->marks[s->f->body->results[s->f->inout[i]]->id] & TAKEN)) return true;
    return false;
}

static const ch__type *as_row(ch__arena *a, const ch__type *t) {
    ch__dim dims[2] = {ch__dim_const(1), t->rank > 0 ? t->dims[0] : ch__dim_const(1)};
    return ch__type_make(a, t->dtype, is_vector_number(t) ? 1 : 2, dims, NULL);
}

// v as a row, or as one number of a row.
static ch__value *row_of(vectors *s, ch__builder *b, ch__value *v) {
    if (s->to[v->id]) return s->to[v->id];
    const ch__type *t = as_row(ch__builder_arena(b), v->type);
    const int64_t first = 0;
    if (v->op && v->op->code == CH_OP_broadcast && is_vector_number(v->op->operands[0]->type))
        s->to[v->id] = ch__b_broadcast(b, v->op->operands[0], t, &first);
    else if (v->type->rank == 0)
        s->to[v->id] = ch__b_broadcast(b, v, t, &first);
    else if (is_vector_number(v->type))
        s->to[v->id] = v;
    else
        s->to[v->id] = ch__b_reshape(b, v, t);
    return s->to[v->id];
}

static void rewrite_as_row(vectors *s, ch__op *op, ch__value **back) {
    ch__builder b = {.func = s->f, .region = s->f->body, .before = op, .loc = op->loc};
    ch__value *v = &op->results[0], *operands[3];
    const ch__type *t = as_row(ch__builder_arena(&b), v->type);
    if (on_vector_numbers(op) && op->code == CH_OP_reshape) {
        s->to[v->id] = row_of(s, &b, op->operands[0]);
    } else if (comes_back(s, op)) {
        const int64_t first = 0;
        s->to[v->id] = ch__b_broadcast(&b, row_of(s, &b, op->operands[0]), t, &first);
    } else {
        ch__attr attrs[CH__ATTR_COUNT];
        const int64_t last = 1;
        for (int j = 0; j < op->n_operands; j++) operands[j] = row_of(s, &b, op->operands[j]);
        for (int k = 0; k < op->n_attrs; k++) {
            attrs[k] = op->attrs[k];
            if (op->code == CH_OP_reduce && attrs[k].id == CH__ATTR_dims)
                attrs[k] = ch__attr_ints(CH__ATTR_dims, 1, &last);
        }
        ch__op *made =
            ch__build_raw(&b, (ch__opcode)op->code, op->n_operands, operands, op->n_attrs, attrs, 1, &t, 0, NULL);
        made->results[0].name = v->name;
        s->to[v->id] = &made->results[0];
    }
    back[v->id] = v->type->rank == s->to[v->id]->type->rank ? s->to[v->id] : ch__b_reshape(&b, s->to[v->id], v->type);
}

void ch__cg_vectors(cg_file *file, ch_func *f) {
    int32_t n = f->n_values;
    vectors s = {.file = file,
                 .f = f,
                 .marks = CH_NEW_ARRAY(file->a, uint8_t, n),
                 .from = CH_NEW_ARRAY(file->a, const ch__type *, n),
                 .to = CH_NEW_ARRAY(file->a, ch__value *, n)};
    if (!see_behind(&s)) return;
    see_taken(&s);
    if (takes_tied(&s)) return;
    ch__value **back = CH_NEW_ARRAY(file->a, ch__value *, n);
    for (ch__op *op = f->body->first; op; op = op->next)
        if (op->n_results == 1 && op->results[0].id < n && (s.marks[op->results[0].id] & TAKEN))
            rewrite_as_row(&s, op, back);
    int32_t all = f->n_values;
    ch__value **to = CH_NEW_ARRAY(file->a, ch__value *, all);
    memcpy(to, back, (size_t)n * sizeof *to);
    ch__replace_uses(f, to);
    ch__dce(f);
    ch__renumber(f);
}
