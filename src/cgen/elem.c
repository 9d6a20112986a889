// SPDX-License-Identifier: Apache-2.0
// elem.c - one element of a value at an index, as a C expression.
//
// A value that has a store is read from it. Views change the index and go on; elementwise ops make the expression of
// their operands'. plan.c bounds how deep that goes.
#include "cgen/emit.h"

cx ch__cg_stored(cg *g, const store *st, const ch__type *t, const ix *at) {
    if (st->kind == ST_SCALAR || t->rank == 0) {
        if (st->kind == ST_SCALAR) {
            cx e = st->deref ? ch__cx(ch__arena_printf(g->a, "*%s", st->name), CX_UNARY) : ch__cx(st->name, CX_PRIM);
            e.narrow = st->place && st->place->narrow;
            return e;
        }
    }
    if (st->row_from > 0) {
        const ch__dim *all = ch__cg_vector(g, at, t);
        ch__dim *own = CH_NEW_ARRAY(g->a, ch__dim, t->rank);
        for (int i = st->row_from; i < t->rank; i++) own[i - st->row_from] = all[i];
        if (st->row_lo) own[0] = ch__dim_sub(g->a, own[0], *st->row_lo);
        ix row = {.at = own};
        t = ch__type_make(g->a, t->dtype, t->rank - st->row_from, t->dims + st->row_from, NULL);
        return ch__cx(ch__arena_printf(g->a, "%s[%s]", st->name, ch__cg_dim_text(g, ch__cg_offset(g, &row, t), 0)),
                      CX_PRIM);
    }
    const char *s = ch__cg_at(g, st, t, at);
    return ch__cx(s, s[0] == '*' ? CX_UNARY : CX_PRIM);
}

// ---------------------------------------------------------------- constants
static bool all_plain(const ch__array *a, int64_t n) {
    size_t size = ch_dtype_size(a->dtype);
    for (int64_t i = 0; i < n; i++)
        if (!ch__cg_plain_nan(a->dtype, (const char *)a->data + (size_t)i * size)) return false;
    return true;
}

// NaN whose bits C cannot write: the whole table is kept as bits.
static bool as_bits(const ch__op *op, int64_t n) {
    const ch__array *a = ch__op_attr(op, CH__ATTR_value)->array;
    return (a->dtype == CH_F32 || a->dtype == CH_F64) && !all_plain(a, n);
}

static int64_t static_numel(const ch__type *t) {
    int64_t n = 1;
    for (int i = 0; i < t->rank; i++) n *= t->dims[i].val;
    return n;
}

bool ch__cg_plain_table(const ch__op *op) { return !as_bits(op, static_numel(op->results[0].type)); }

// The native engine hands the numbers over when the code is loaded: weights that were captured would be megabytes of
// text for the compiler, and other code for other weights.
enum { LONG_TABLE = 256 };

static const char *data_of_native(cg_file *file, const ch__op *op, ch_dtype d, size_t bytes) {
    ch__text text;
    const char *name = ch__cg_native_data(file, ch__op_attr(op, CH__ATTR_value)->array->data, bytes);
    ch__map_put(&file->table_of, (uint64_t)(uintptr_t)op, (void *)(uintptr_t)name);
    if (d == CH_BOOL) file->boolean = true;
    ch__text_init(&text, file->a);
    ch__putf(&text, "const %s *%s;\n", ch__cg_ctype(d), name);
    CH_PUSH(file->a, &file->pieces, (piece){name, text.data, NULL, 2, false});
    return name;
}

const char *ch__cg_table(cg *g, const ch__op *op) {
    cg_file *file = g->file;
    const char *name = ch__map_get(&file->table_of, (uint64_t)(uintptr_t)op);
    if (name) return name;
    const ch__array *a = ch__op_attr(op, CH__ATTR_value)->array;
    const ch__value *v = &op->results[0];
    int64_t n = static_numel(v->type);
    bool bits = as_bits(op, n);
    ch_dtype d = bits ? (a->dtype == CH_F32 ? CH_U32 : CH_U64) : a->dtype;
    size_t size = ch_dtype_size(d);
    if (file->native != NULL && n >= LONG_TABLE && !a->splat) return data_of_native(file, op, d, (size_t)n * size);
    name = ch__cg_file_name(file, g,
                            v->name ? ch__arena_printf(file->a, "%s_table", v->name)
                                    : ch__arena_printf(file->a, "table%d", ++file->n_tables));
    ch__map_put(&file->table_of, (uint64_t)(uintptr_t)op, (void *)(uintptr_t)name);
    ch__text text, *t = &text;
    ch__text_init(t, file->a);
    if (d == CH_F32 || d == CH_F64) file->math = true;
    if (d == CH_BOOL) file->boolean = true;
    ch__putf(t, "static const %s %s[%" PRId64 "] = {", ch__cg_ctype(d), name, n > 0 ? n : 1);
    int64_t column = t->n;
    if (n > 8) ch__put(t, "\n    "), column = t->n - 4;
    for (int64_t i = 0; i < n; i++) {
        cx e = ch__cg_literal(g, d, (const char *)a->data + (a->splat ? 0 : (size_t)i * size));
        if (i > 0 && t->n - column + (int64_t)strlen(e.s) > 108) {
            ch__put(t, "\n    ");
            column = t->n - 4;
        } else if (i > 0) {
            ch__putc(t, ' ');
        }
        ch__put(t, e.s);
        if (i + 1 < n) ch__putc(t, ',');
    }
    if (n == 0) ch__put(t, "0");
    ch__put(t, n > 8 ? "\n};\n\n" : "};\n\n");
    CH_PUSH(file->a, &file->pieces, (piece){name, t->data, NULL, 2, false});
    return name;
}

static cx const_elem(cg *g, const ch__op *op, const ix *at) {
    const ch__array *a = ch__op_attr(op, CH__ATTR_value)->array;
    const ch__type *t = op->results[0].type;
    if (a->dtype == CH_F32 || a->dtype == CH_F64) g->file->math = true;
    if (a->splat || static_numel(t) == 1) return ch__cg_literal(g, a->dtype, a->data);
    cx e = ch__cx(ch__arena_printf(g->a, "%s[%s]", ch__cg_table(g, op), ch__cg_dim_text(g, ch__cg_offset(g, at, t), 0)),
                  CX_PRIM);
    if (!as_bits(op, static_numel(t))) return e;
    return ch__cx_call1(g, ch__cg_helper(g->file, a->dtype == CH_F32 ? "f32_of_bits" : "f64_of_bits", 0), e);
}

static cx zero(cg *g, ch_dtype d) {
    uint64_t none = 0;
    return ch__cg_literal(g, d, &none);
}

// ---------------------------------------------------------------- views
static ix vector(const ch__dim *at) { return (ix){.at = at}; }

// Axes of size 1 aside, are the two shapes one? Then indices are carried over.
static const ch__dim *same_but_ones(cg *g, const ch__dim *at, const ch__type *from, const ch__type *to) {
    ch__dim *r = CH_NEW_ARRAY(g->a, ch__dim, to->rank ? to->rank : 1);
    int i = 0;
    for (int k = 0; k < to->rank; k++) {
        r[k] = ch__dim_const(0);
        if (ch__dim_is_const(to->dims[k]) && to->dims[k].val == 1) continue;
        while (i < from->rank && ch__dim_is_const(from->dims[i]) && from->dims[i].val == 1) i++;
        if (i == from->rank || !ch__dim_equal(from->dims[i], to->dims[k])) return NULL;
        r[k] = at[i++];
    }
    while (i < from->rank && ch__dim_is_const(from->dims[i]) && from->dims[i].val == 1) i++;
    return i == from->rank ? r : NULL;
}

static cx reshape(cg *g, const ch__op *op, const ix *at) {
    const ch__value *x = op->operands[0];
    const ch__type *t = op->results[0].type;
    if (!at->has_linear) {
        const ch__dim *same = same_but_ones(g, at->at, t, x->type);
        if (same) {
            ix to = vector(same);
            return ch__cg_elem(g, x, &to);
        }
    }
    ix to = {.linear = ch__cg_offset(g, at, t), .has_linear = true};
    return ch__cg_elem(g, x, &to);
}

static cx view(cg *g, const ch__op *op, const ix *at) {
    const ch__type *t = op->results[0].type;
    if (op->code == CH_OP_reshape) return reshape(g, op, at);
    const ch__dim *from = ch__cg_vector(g, at, t);
    const ch__value *x = op->operands[0];
    ch__dim *to = CH_NEW_ARRAY(g->a, ch__dim, x->type->rank ? x->type->rank : 1);
    const ch__attr *list = ch__op_attr(op, op->code == CH_OP_transpose ? CH__ATTR_perm : CH__ATTR_dims);
    const ch__attr *start = ch__op_attr(op, CH__ATTR_start), *stride = ch__op_attr(op, CH__ATTR_stride);
    ix keep = *at;
    for (int i = 0; i < x->type->rank; i++) {
        bool one = ch__dim_is_const(x->type->dims[i]) && x->type->dims[i].val == 1;
        switch (op->code) {
        case CH_OP_transpose: to[list->ints[i]] = from[i]; break;
        case CH_OP_broadcast: to[i] = one ? ch__dim_const(0) : from[list->ints[i]]; break;
        case CH_OP_slice:
            to[i] = stride ? ch__dim_mul(g->a, from[i], ch__dim_const(stride->ints[i])) : from[i];
            to[i] = ch__dim_add(g->a, to[i], start->dims[i]);
            break;
        case CH_OP_dynamic_slice: to[i] = ch__dim_add(g->a, from[i], val_of(g, &op->results[0])->starts[i]); break;
        default: { // reverse
            to[i] = from[i];
            for (int k = 0; k < list->n; k++)
                if (list->ints[k] == i)
                    to[i] = ch__dim_sub(g->a, ch__dim_sub(g->a, x->type->dims[i], ch__dim_const(1)), from[i]);
        }
        }
    }
    // A broadcast that changes nothing keeps the position in row-major order.
    if (op->code == CH_OP_broadcast && at->has_linear && ch__cg_same_dims(x->type, t)) {
        bool same = true;
        for (int i = 0; i < list->n; i++) same = same && list->ints[i] == i;
        if (same) return ch__cg_elem(g, x, &keep);
    }
    ix there = vector(to);
    return ch__cg_elem(g, x, &there);
}

static cx iota(cg *g, const ch__op *op, const ix *at) {
    const ch__type *t = op->results[0].type;
    ch__dim i = ch__cg_vector(g, at, t)[ch__op_int(op, CH__ATTR_dim, 0)];
    return ch__cg_convert(g, ch__cg_dim(g, i), CH_I64, t->dtype);
}

// ---------------------------------------------------------------- elements chosen by an index
static const char *both(cg *g, const char *a, const char *b) {
    return a ? ch__arena_printf(g->a, "%s && %s", a, b) : b;
}

// x >= y with the numbers of both on the right: i + 1 >= 2 is i >= 1.
static const char *at_least(cg *g, ch__dim x, ch__dim y) {
    int64_t n = 0;
    for (int i = 0; !ch__dim_is_const(x) && i < x.sym->n_terms; i++)
        if (x.sym->terms[i].n_atoms == 0) n = x.sym->terms[i].coef;
    ch__dim number = ch__dim_const(n);
    return ch__arena_printf(g->a, "%s >= %s", ch__cg_dim_text(g, ch__dim_sub(g->a, x, number), CX_ADD),
                            ch__cg_dim_text(g, ch__dim_sub(g->a, y, number), CX_ADD));
}

static cx pad(cg *g, const ch__op *op, const ix *at) {
    const ch__value *x = op->operands[0];
    const ch__type *t = op->results[0].type;
    const ch__attr *lo = ch__op_attr(op, CH__ATTR_lo), *hi = ch__op_attr(op, CH__ATTR_hi),
                   *interior = ch__op_attr(op, CH__ATTR_interior);
    const ch__dim *from = ch__cg_vector(g, at, t);
    ch__dim *to = CH_NEW_ARRAY(g->a, ch__dim, t->rank ? t->rank : 1), zero_dim = ch__dim_const(0);
    const char *inside = NULL;
    for (int i = 0; i < t->rank; i++) {
        int64_t step = interior ? interior->ints[i] + 1 : 1;
        ch__dim d = ch__dim_sub(g->a, from[i], lo->dims[i]), n = x->type->dims[i];
        if (ch__dim_is_const(n) && n.val == 0) return ch__cg_scalar(g, op->operands[1]); // nothing is inside
        // Where nothing was added nothing has to be asked.
        int below = ch__dim_cmp(g->a, lo->dims[i], zero_dim), above = ch__dim_cmp(g->a, hi->dims[i], zero_dim);
        if (below != 0 && below != -1) inside = both(g, inside, at_least(g, from[i], lo->dims[i]));
        if (step > 1) {
            inside =
                both(g, inside, ch__arena_printf(g->a, "%s %% %" PRId64 " == 0", ch__cg_dim_text(g, d, CX_MUL), step));
            inside = both(g, inside,
                          ch__arena_printf(g->a, "%s / %" PRId64 " < %s", ch__cg_dim_text(g, d, CX_MUL), step,
                                           ch__cg_dim_text(g, n, CX_ADD)));
            d = ch__cg_opaque(
                g, ch__cx(ch__arena_printf(g->a, "%s / %" PRId64, ch__cg_dim_text(g, d, CX_MUL), step), CX_MUL));
        } else if (above != 0 && above != -1) {
            inside = both(g, inside,
                          ch__arena_printf(g->a, "%s < %s", ch__cg_dim_text(g, from[i], CX_ADD),
                                           ch__cg_dim_text(g, ch__dim_add(g->a, lo->dims[i], n), CX_ADD)));
        }
        to[i] = d;
    }
    ix there = vector(to);
    cx e = ch__cg_elem(g, x, &there);
    if (!inside) return e;
    return ch__cx(ch__arena_printf(g->a, "%s ? %s : %s", inside, ch__cx_at(g, e, CX_OR),
                                   ch__cx_at(g, ch__cg_scalar(g, op->operands[1]), CX_OR)),
                  CX_COND);
}

// One component of an index vector, as int64_t.
static cx component(cg *g, const ch__value *indices, const ch__dim *at) {
    ix there = vector(at);
    cx e = ch__cg_elem(g, indices, &there);
    if (indices->type->dtype == CH_U64) return ch__cx_call1(g, ch__cg_helper(g->file, "index_of_u64", 0), e);
    return e;
}

// Position of component k of the index vector at batch position b[] in `indices`.
cx ch__cg_component(cg *g, const ch__op *op, const ch__dim *batch, int k) {
    const ch__value *indices = op->operands[1];
    int index_dim = (int)ch__op_int(op, CH__ATTR_index_dim, indices->type->rank);
    ch__dim *at = CH_NEW_ARRAY(g->a, ch__dim, indices->type->rank ? indices->type->rank : 1);
    for (int i = 0, n = 0; i < indices->type->rank; i++) at[i] = i == index_dim ? ch__dim_const(k) : batch[n++];
    return component(g, indices, at);
}

static cx gather_elem(cg *g, const ch__op *op, const ix *at) {
    const ch__value *x = op->operands[0], *indices = op->operands[1];
    const ch__type *t = op->results[0].type;
    const ch__attr *offset = ch__op_attr(op, CH__ATTR_offset_dims), *collapsed = ch__op_attr(op, CH__ATTR_collapsed),
                   *sizes = ch__op_attr(op, CH__ATTR_sizes), *map = ch__op_attr(op, CH__ATTR_index_map),
                   *ob = ch__op_attr(op, CH__ATTR_operand_batch), *ib = ch__op_attr(op, CH__ATTR_indices_batch);
    bool clamps = ch__op_int(op, CH__ATTR_bounds, CH__CLAMP) == CH__CLAMP;
    int index_dim = (int)ch__op_int(op, CH__ATTR_index_dim, indices->type->rank), n = 0, kept = 0;
    const ch__dim *from = ch__cg_vector(g, at, t);
    ch__dim batch[CH__MAX_RANK], *to = CH_NEW_ARRAY(g->a, ch__dim, x->type->rank ? x->type->rank : 1);
    for (int i = 0; i < t->rank; i++)
        if (!ch__cg_among(offset, i)) batch[n++] = from[i];
    for (int i = 0; i < x->type->rank; i++) {
        to[i] = ch__dim_const(0);
        if (!ch__cg_among(collapsed, i) && !ch__cg_among(ob, i)) to[i] = from[offset->ints[kept++]];
    }
    for (int k = 0; k < map->n; k++) {
        int axis = (int)map->ints[k];
        cx e = ch__cg_component(g, op, batch, k);
        ch__dim last = ch__dim_sub(g->a, x->type->dims[axis], sizes->dims[axis]);
        if (clamps) e = ch__cx_call2(g, ch__cg_helper(g->file, "clamp_index", 0), e, ch__cg_dim(g, last));
        ch__dim i = ch__cg_opaque(g, e);
        to[axis] = ch__dim_add(g->a, to[axis], clamps ? i : ch__cg_checked(g, i, last));
    }
    for (int p = 0; ob && p < ob->n; p++)
        for (int i = 0, b = 0; i < indices->type->rank; i++) {
            if (i == index_dim) continue;
            if (i == ib->ints[p]) to[ob->ints[p]] = batch[b];
            b++;
        }
    ix there = vector(to);
    return ch__cg_elem(g, x, &there);
}

// The index operands of get and set, from operand `first`.
const ch__dim *ch__cg_indices(cg *g, const ch__op *op, int first) {
    const ch__type *t = op->operands[0]->type;
    bool clamps = ch__op_int(op, CH__ATTR_bounds, CH__C) == CH__CLAMP;
    ch__dim *at = CH_NEW_ARRAY(g->a, ch__dim, t->rank ? t->rank : 1);
    for (int i = 0; i < t->rank; i++) {
        at[i] = ch__cg_index_dim(g, op->operands[first + i], !clamps);
        if (!clamps) {
            at[i] = ch__cg_checked(g, at[i], ch__dim_sub(g->a, t->dims[i], ch__dim_const(1)));
            continue;
        }
        if (ch__dim_is_const(at[i]) && ch__dim_is_const(t->dims[i]) && at[i].val >= 0 && at[i].val < t->dims[i].val)
            continue;
        ch__cg_want_room(g, t->dims[i], ch__dim_const(1));
        ch__dim last = ch__dim_sub(g->a, t->dims[i], ch__dim_const(1));
        at[i] = ch__cg_opaque(
            g, ch__cx_call2(g, ch__cg_helper(g->file, "clamp_index", 0), ch__cg_dim(g, at[i]), ch__cg_dim(g, last)));
    }
    return at;
}

ix ch__cg_element(cg *g, const ch__op *op, int first) {
    ix r = {.at = ch__cg_indices(g, op, first)};
    if (!g->fn->face || op->operands[0]->type->rank != 1) return r;
    r.has_full = true;
    r.full = ch__cg_full_index(g, op->operands[first]);
    return r;
}

static cx rng_bits(cg *g, const ch__op *op, const ix *at) {
    const char *key = ch__cg_pointer(g, op->operands[0]);
    ix linear = *at;
    cx args[4] = {ch__cx(ch__arena_printf(g->a, "%s[0]", key), CX_PRIM),
                  ch__cx(ch__arena_printf(g->a, "%s[1]", key), CX_PRIM), ch__cg_scalar(g, op->operands[1]),
                  ch__cg_dim(g, ch__cg_offset(g, &linear, op->results[0].type))};
    return ch__cx_call(g, ch__cg_helper(g->file, "random_bits", 0), 4, args);
}

// ---------------------------------------------------------------- any op
cx ch__cg_elem_op(cg *g, const ch__op *op, const ix *at) {
    switch (op->code) {
    case CH_OP_const: return const_elem(g, op, at);
    case CH_OP_alloc: return zero(g, op->results[0].type->dtype);
    case CH_OP_iota: return iota(g, op, at);
    case CH_OP_dim: return ch__cg_dim(g, ch__op_attr(op, CH__ATTR_e)->dim);
    case CH_OP_pad: return pad(g, op, at);
    case CH_OP_gather: return gather_elem(g, op, at);
    case CH_OP_rng_bits: return rng_bits(g, op, at);
    case CH_OP_get: {
        ix there = ch__cg_element(g, op, 1);
        return ch__cg_elem(g, op->operands[0], &there);
    }
    default: break;
    }
    if (ch__cg_kind(op) == K_VIEW) return view(g, op, at);
    cx operands[CH__MAX_RANK];
    ix none = {0};
    for (int j = 0; j < op->n_operands; j++)
        operands[j] = ch__cg_elem(g, op->operands[j], op->operands[j]->type->rank == 0 ? &none : at);
    return ch__cg_op_expr(g, op, operands);
}

cx ch__cg_elem(cg *g, const ch__value *v, const ix *at) {
    val *x = val_of(g, v);
    if (x->elem.s) return x->elem;
    if (v->type->dtype == CH_BOOL) g->file->boolean = true;
    if (x->st) {
        if (x->st->owner != v->id)
            ch__raise(CH__E_internal, "cgen: @%s: %s was overwritten before its last use", g->f->name, x->st->name);
        return ch__cg_stored(g, x->st, v->type, at);
    }
    if (!v->op || (x->how != HOW_VIEW && x->how != HOW_INLINE))
        ch__raise(CH__E_internal, "cgen: @%s: a value of %s is read before it is made", g->f->name,
                  v->op ? ch__op_name((ch__opcode)v->op->code) : "a region");
    return ch__cg_elem_op(g, v->op, at);
}

cx ch__cg_scalar(cg *g, const ch__value *v) {
    ix none = {0};
    return ch__cg_elem(g, v, &none);
}
