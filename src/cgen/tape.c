// SPDX-License-Identifier: Apache-2.0
// tape.c - tapes: a growing array of values of one shape and how many there are.
//
// A tape is linear, so it is one C variable from tape_new to its last use; where it moves to another variable (the
// results of `if`) the old one is left empty. A tape with a capacity has its memory from the start and is trusted not
// to need more; others grow by doubling, and the function gives 1 when there is no memory.
#include "cgen/emit.h"

const char *ch__cg_tape_type(cg *g, ch_dtype d) {
    cg_file *file = g->file;
    const char *key = ch__arena_printf(file->a, "tape of %s", ch__cg_ctype(d));
    const char *name = ch__strmap_get(&file->have, key);
    if (name) return name;
    name = ch__cg_file_name(file, g, ch__arena_printf(file->a, "tape_%s", d == CH_BOOL ? "bool" : ch__cg_ctype(d)));
    ch__strmap_put(&file->have, key, (void *)(uintptr_t)name);
    ch__text t;
    ch__text_init(&t, file->a);
    ch__putf(
        &t,
        "/* n values one after another, room for cap */\ntypedef struct {\n    %s *v;\n    int64_t n, cap;\n} %s;\n\n",
        ch__cg_ctype(d), name);
    CH_PUSH(file->a, &file->pieces, (piece){name, t.data, NULL, 0, false});
    return name;
}

// Room for one more value in a tape of that dtype; 0 when there is no memory.
static const char *tape_room_of(cg *g, ch_dtype d) {
    cg_file *file = g->file;
    const char *type = ch__cg_tape_type(g, d), *key = ch__arena_printf(file->a, "room in %s", type);
    const char *name = ch__strmap_get(&file->have, key);
    if (name) return name;
    name = ch__cg_file_name(file, g, ch__arena_printf(file->a, "room_in_%s", type));
    ch__strmap_put(&file->have, key, (void *)(uintptr_t)name);
    ch__text t;
    ch__text_init(&t, file->a);
    ch__putf(
        &t,
        "/* room for one more value of `size` bytes; 0 when there is no memory */\n"
        "static int %s(%s *t, size_t size)\n"
        "{\n"
        "    const int64_t more = t->cap > 0 ? t->cap : 16;\n"
        "    void *p;\n"
        "    if (t->n < t->cap) return 1;\n"
        "    if (t->cap > INT64_MAX - more || (size > 0 && (uint64_t)(t->cap + more) > SIZE_MAX / size)) return 0;\n"
        "    p = %s(t->v, size > 0 ? (size_t)(t->cap + more) * size : 1);\n"
        "    if (p == NULL) return 0;\n"
        "    t->v = p;\n"
        "    t->cap += more;\n"
        "    return 1;\n"
        "}\n\n",
        name, type, file->arena ? "arena_more" : "realloc");
    CH_PUSH(file->a, &file->pieces, (piece){name, t.data, NULL, 1, false});
    return name;
}

static const ch__type *item_type(cg *g, const ch__type *tape) {
    return ch__type_share(g->a, tape->dtype, tape->rank, tape->dims, NULL);
}

void ch__cg_tape_new(cg *g, const ch__op *op) {
    const ch__value *v = &op->results[0];
    store *st = ch__cg_new_store(g, v, v->name ? v->name : "tape");
    const ch__attr *capacity = ch__op_attr(op, CH__ATTR_capacity);
    ch__cg_hold(g, v, st);
    if (ch__cg_has_workspace(g)) {
        ch__cg_room(g, st);
        ch__cg_line(g, "%s.n = 0;", st->name);
        return;
    }
    if (!capacity) {
        ch__cg_asks(g, -1, ch__arena_printf(g->a, "the tape %s", st->name));
        if (op->parent->owner) ch__cg_line(g, "%s.n = 0;", st->name); // it may have been here before
        return;
    }
    ch__dim n = ch__dim_mul(g->a, capacity->dim, ch__cg_numel(g, item_type(g, v->type)));
    int64_t bytes = -1;
    if (ch__dim_is_const(n) && !ch__mul_i64(n.val, (int64_t)ch_dtype_size(v->type->dtype), &bytes)) bytes = -1;
    ch__cg_asks(g, bytes, ch__arena_printf(g->a, "the tape %s", st->name));
    if (op->parent->owner) ch__cg_asks(g, bytes, st->name); // one may be read while the next is written
    if (op->parent->owner) ch__cg_line(g, "%s(%s.v);", ch__cg_free(g->file), st->name);
    ch__cg_line(g, "%s.n = 0;", st->name);
    ch__cg_line(g, "%s.cap = %s;", st->name, ch__cg_dim_text(g, capacity->dim, 0));
    ch__cg_line(g, "%s.v = %s(%s, sizeof *%s.v);", st->name, ch__cg_helper(g->file, "scratch", 0),
                ch__cg_dim_text(g, n, 0), st->name);
    ch__cg_fail(g, ch__arena_printf(g->a, "%s.v == NULL", st->name), 1);
}

// In a workspace each keeps its room.
static void copy_tape(cg *g, store *to, const store *from) {
    const char *count = ch__cg_dim_text(g, ch__cg_numel(g, item_type(g, to->type)), CX_PRIM);
    ch__cg_fail(g,
                ch__arena_printf(g->a, "%s.n > 0 && !%s(ch_room[%d], %s.n - 1, %s, sizeof *%s.v)", from->name,
                                 ch__cg_helper(g->file, "another", 0), ch__cg_room(g, to), from->name, count, to->name),
                1);
    ch__cg_line(g, "if (%s.n > 0) memcpy(%s.v, %s.v, (size_t)%s.n * (size_t)%s * sizeof *%s.v);", from->name, to->name,
                from->name, from->name, count, to->name);
    ch__cg_line(g, "%s.n = %s.n;", to->name, from->name);
    ch__cg_line(g, "%s.n = 0;", from->name);
}

void ch__cg_move_tape(cg *g, store *to, store *from) {
    if (ch__cg_has_workspace(g)) {
        copy_tape(g, to, from);
        return;
    }
    ch__cg_line(g, "%s(%s.v);", ch__cg_free(g->file), to->name);
    ch__cg_line(g, "%s = %s;", to->name, from->name);
    ch__cg_line(g, "%s.v = NULL, %s.n = 0, %s.cap = 0;", from->name, from->name, from->name);
}

static bool has_capacity(const ch__value *v) {
    return v->op && v->op->code == CH_OP_tape_new && ch__op_attr(v->op, CH__ATTR_capacity);
}

void ch__cg_push(cg *g, const ch__op *op) {
    store *st = val_of(g, op->operands[0])->st;
    const ch__value *v = op->operands[1];
    const ch__type *item = item_type(g, st->type);
    ch__dim n = ch__cg_numel(g, item);
    bool one = ch__dim_is_const(n) && n.val == 1;
    const char *size =
        one ? ch__arena_printf(g->a, "sizeof *%s.v", st->name)
            : ch__arena_printf(g->a, "%s * sizeof *%s.v", ch__cx_cast(g, "size_t", ch__cg_dim(g, n)).s, st->name);
    if (ch__cg_has_workspace(g))
        ch__cg_fail(g,
                    ch__arena_printf(g->a, "!%s(ch_room[%d], %s.n, %s, sizeof *%s.v)",
                                     ch__cg_helper(g->file, "another", 0), ch__cg_room(g, st), st->name,
                                     ch__cg_dim_text(g, n, 0), st->name),
                    1);
    else if (!has_capacity(op->operands[0]) || g->file->native)
        ch__cg_fail(g,
                    ch__arena_printf(g->a, "%s.n == %s.cap && !%s(&%s, %s)", st->name, st->name,
                                     tape_room_of(g, st->type->dtype), st->name, size),
                    1);
    if (v->type->rank == 0) {
        ch__cg_line(g, "%s.v[%s.n++] = %s;", st->name, st->name, ch__cg_scalar(g, v).s);
    } else {
        ch__dim at[CH__MAX_RANK];
        int loops = ch__cg_nest(g, item, at);
        ix there = {.at = at};
        ch__dim base =
            ch__dim_mul(g->a, ch__cg_opaque(g, ch__cx(ch__arena_printf(g->a, "%s.n", st->name), CX_PRIM)), n);
        ch__dim to = ch__dim_add(g->a, base, ch__cg_offset(g, &there, item));
        ch__cg_line(g, "%s.v[%s] = %s;", st->name, ch__cg_dim_text(g, to, 0), ch__cg_elem(g, v, &there).s);
        ch__cg_for_end(g, loops);
        ch__cg_line(g, "%s.n++;", st->name);
    }
    ch__cg_hold(g, &op->results[0], st);
}

// Is anything put on the tape in its region after op has popped? Then its memory may move.
static bool pushed_again(const ch__op *op) {
    const ch__value *rest = &op->results[0];
    for (const ch__op *user = op->next; user; user = user->next)
        for (int j = 0; j < user->n_operands; j++) {
            if (user->operands[j] != rest) continue;
            if (user->code != CH_OP_pop) return true;
            rest = &user->results[0];
        }
    return false;
}

// An array that was popped is read where it lies.
static void read_there(cg *g, const ch__op *op, store *tape) {
    const ch__value *v = &op->results[1];
    const char *type = ch__cg_ctype(v->type->dtype);
    store *to = CH_NEW(g->a, store);
    *to = (store){.kind = ST_ARRAY, .type = v->type, .name = ch__cg_name(g, ch__cg_hint(g, v))};
    ch__dim n = ch__dim_mul(g->a, ch__cg_opaque(g, ch__cx(ch__arena_printf(g->a, "%s.n", tape->name), CX_PRIM)),
                            ch__cg_numel(g, item_type(g, tape->type)));
    ch__cg_line(g, "const %s *%s = %s.v + %s;", type, to->name, tape->name, ch__cg_dim_text(g, n, CX_MUL));
    if (v->type->dtype == CH_BOOL) g->file->boolean = true;
    ch__cg_hold(g, v, to);
}

void ch__cg_pop(cg *g, const ch__op *op) {
    store *st = val_of(g, op->operands[0])->st;
    const ch__value *v = &op->results[1];
    const ch__type *item = item_type(g, st->type);
    bool number = val_of(g, v)->uses > 0 && v->type->rank == 0;
    if (g->file->native) ch__cg_fail(g, ch__arena_printf(g->a, "%s.n == 0", st->name), 2);
    if (!number) ch__cg_line(g, "%s.n--;", st->name);
    if (number) {
        store *to = ch__cg_new_store(g, v, NULL);
        ch__cg_line(g, "const %s %s = %s.v[--%s.n];", ch__cg_ctype(v->type->dtype), to->name, st->name, st->name);
        ch__cg_hold(g, v, to);
    } else if (val_of(g, v)->uses > 0 && !pushed_again(op)) {
        read_there(g, op, st);
    } else if (val_of(g, v)->uses > 0) {
        store *to = ch__cg_result_store(g, op, 1);
        ch__dim at[CH__MAX_RANK], n = ch__cg_numel(g, item);
        int loops = ch__cg_nest(g, item, at);
        ix there = {.at = at};
        ch__dim base =
            ch__dim_mul(g->a, ch__cg_opaque(g, ch__cx(ch__arena_printf(g->a, "%s.n", st->name), CX_PRIM)), n);
        ch__dim from = ch__dim_add(g->a, base, ch__cg_offset(g, &there, item));
        ch__cg_line(g, "%s = %s.v[%s];", ch__cg_at(g, to, item, &there), st->name, ch__cg_dim_text(g, from, 0));
        ch__cg_for_end(g, loops);
        ch__cg_hold(g, v, to);
    }
    ch__cg_hold(g, &op->results[0], st);
}
