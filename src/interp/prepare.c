// SPDX-License-Identifier: Apache-2.0
// prepare.c - a func made ready to run: cells, instructions, and what dies where.
//
// Two walks. Forward: each value's cell is filled in (dtype, rank, constant dims) and each op becomes an instruction.
// Backward: the last use of every value is found. Inside a loop a value from outside is never dead, it dies with the
// loop op; a value that only one branch of an `if` uses dies at the entry of the other, so that both branches leave the
// same things alive. A value used twice by one op dies with its last occurrence.
// The walks recurse on region nesting only, which is limited to CH__MAX_NEST.
#include "interp/exec.h"

static const ch__arm op_arms[CH_OP_COUNT] = {
#define OP(name, ...) [CH_OP_##name] = ch__do_##name,
#include "ir/ops.def"
#undef OP
};

ch__arm ch__arm_of(ch__opcode code) { return op_arms[code]; }

// Arms that take a splat as it is: they look at the cell's flag themselves.
bool ch__takes_splats(ch__opcode code) {
    if (code == CH_OP_cmath) return false;
    if (ch__op_info_of(code)->flags & CH__ELEMWISE) return true;
    switch (code) {
    case CH_OP_reshape:
    case CH_OP_transpose:
    case CH_OP_broadcast:
    case CH_OP_slice:
    case CH_OP_reverse:
    case CH_OP_stop_gradient:
    case CH_OP_barrier:
    case CH_OP_if:
    case CH_OP_for:
    case CH_OP_while:
    case CH_OP_call:
    case CH_OP_composite: return true;
    default: return false;
    }
}

typedef struct {
    ch__arena *arena;
    ch__program *p;
    const ch_func *f;
    bool *live;
    int16_t *loops;          // loops around the definition of a value
    CH_VEC(int32_t) touched; // values made live, newest last
    CH_VEC(const char *) names;
    ch__program **programs; // the list of all, in order of discovery
    int nest;
} prep;

// ---------------------------------------------------------------- cells
static void add_cell(prep *P, const ch__value *v, int loops) {
    ch__cell *c = &P->p->cells[v->id];
    const ch__type *t = v->type;
    c->dtype = (uint8_t)t->dtype;
    c->esize = (uint8_t)ch_dtype_size(t->dtype);
    c->rank = t->rank;
    c->tape = t->tape;
    P->loops[v->id] = (int16_t)loops;
    if (t->tape) { // the shape of its elements lives with the tape
        c->rank = 0;
        c->numel = 0;
        return;
    }
    int64_t n = 1;
    bool fixed = true;
    for (int i = 0; i < t->rank; i++) {
        if (!ch__dim_is_const(t->dims[i])) {
            fixed = false;
        } else if (!ch__mul_i64(n, t->dims[i].val, &n)) {
            n = 0;
            ch__raise(CH__E_dim_overflow, "%s: %s — the number of elements does not fit in 64 bits", P->f->name,
                      ch__type_text(P->arena, t));
        }
    }
    int64_t bytes;
    if (fixed && !ch__mul_i64(n, c->esize, &bytes))
        ch__raise(CH__E_dim_overflow, "%s: %s — the number of bytes does not fit in 64 bits", P->f->name,
                  ch__type_text(P->arena, t));
    if (t->rank == 0) {
        c->numel = 1;
        return;
    }
    if (!fixed) {
        c->numel = -1;
        for (int i = 0; i < t->rank; i++)
            if (!ch__dim_is_const(t->dims[i]))
                CH_PUSH(P->arena, &P->p->sym_dims, (ch__sym_dim){v, v->id, i, t->dims[i]});
        P->p->n_dim_room += t->rank;
        return;
    }
    int64_t *dims = CH_NEW_ARRAY(P->arena, int64_t, t->rank);
    for (int i = 0; i < t->rank; i++) dims[i] = t->dims[i].val;
    c->dims = dims;
    c->numel = n;
}

static int32_t add_name(prep *P, const char *name) {
    for (int64_t i = 0; i < P->names.n; i++)
        if (strcmp(P->names.data[i], name) == 0) return (int32_t)i;
    CH_PUSH(P->arena, &P->names, name);
    return (int32_t)P->names.n - 1;
}

// The attribute symbols of an alloc, "k j": one name an operand.
static const int32_t *add_locals(prep *P, const ch__op *op) {
    const ch__attr *symbols = ch__op_attr(op, CH__ATTR_symbols);
    if (!symbols || op->n_operands == 0) return NULL;
    int32_t *locals = CH_NEW_ARRAY(P->arena, int32_t, op->n_operands);
    const char *at = symbols->s;
    for (int i = 0; i < op->n_operands; i++) {
        at += strspn(at, " ");
        size_t n = strcspn(at, " ");
        locals[i] = add_name(P, ch__arena_strndup(P->arena, at, n));
        at += n;
    }
    return locals;
}

// ---------------------------------------------------------------- forward: instructions
static const ch__program *program_of(prep *P, const ch_func *f);

static void build_block(prep *P, ch__block *b, const ch__region *r, int loops) {
    if (P->nest++ >= CH__MAX_NEST)
        ch__raise(CH__E_limit, "%s: regions are nested more than %d deep — that is the limit", P->f->name,
                  CH__MAX_NEST);
    int64_t n = 0, slots = r->n_params + r->n_results;
    for (const ch__op *op = r->first; op; op = op->next) {
        n++;
        slots += 2 * ((int64_t)op->n_operands + op->n_results);
    }
    b->code = CH_NEW_ARRAY(P->arena, ch__instr, n);
    int32_t *pool = CH_NEW_ARRAY(P->arena, int32_t, slots);
    b->n_params = r->n_params;
    b->params = pool;
    for (int i = 0; i < r->n_params; i++) {
        *pool++ = r->params[i]->id;
        add_cell(P, r->params[i], loops);
    }
    b->n_results = r->n_results;
    b->results = pool;
    for (int i = 0; i < r->n_results; i++) *pool++ = r->results[i]->id;
    b->result_dies = CH_NEW_ARRAY(P->arena, bool, r->n_results);
    for (const ch__op *op = r->first; op; op = op->next) {
        ch__instr *s = &b->code[b->n++];
        s->arm = op_arms[op->code];
        s->op = op;
        s->n_in = op->n_operands;
        s->n_out = op->n_results;
        s->slots = pool;
        for (int i = 0; i < op->n_operands; i++) *pool++ = op->operands[i]->id;
        for (int i = 0; i < op->n_results; i++) {
            *pool++ = op->results[i].id;
            add_cell(P, &op->results[i], loops);
        }
        s->kills = pool; // at most operands and results; loops may need more (find_deaths)
        pool += s->n_in + s->n_out;
        s->dense = !ch__takes_splats((ch__opcode)op->code);
        s->nowrap = op->n_attrs > 0 && ch__op_int(op, CH__ATTR_nowrap, 0) != 0;
        if (op->code == CH_OP_call) {
            const ch__attr *callee = ch__op_attr(op, CH__ATTR_callee);
            s->callee = program_of(P, callee->func);
        }
        if (op->code == CH_OP_alloc && op->n_operands > 0) s->locals = add_locals(P, op);
        if (op->n_regions == 0) continue;
        bool loop = op->code == CH_OP_for || op->code == CH_OP_while;
        ch__block *blocks = CH_NEW_ARRAY(P->arena, ch__block, op->n_regions);
        for (int i = 0; i < ch__run_regions(op); i++)
            build_block(P, &blocks[i], op->regions[i], loops + (loop ? 1 : 0));
        s->blocks = blocks;
        if (loop) {
            const ch__block *body = &blocks[op->n_regions - 1];
            if (body->n_results > P->p->max_carry) P->p->max_carry = body->n_results;
        }
    }
    P->nest--;
}

// ---------------------------------------------------------------- backward: last uses
// A use of v. True when nothing after it in this iteration or any other needs v.
static bool is_last_use(prep *P, int32_t v, int loops) {
    if (P->live[v]) return false;
    P->live[v] = true;
    CH_PUSH(P->arena, &P->touched, v);
    return P->loops[v] >= loops;
}

static void find_deaths(prep *P, ch__block *b, int loops);

static void add_entry_kill(prep *P, ch__block *b, int32_t v) {
    int32_t *grown = CH_NEW_ARRAY(P->arena, int32_t, b->n_entry_kills + 1);
    if (b->n_entry_kills) memcpy(grown, b->entry_kills, (size_t)b->n_entry_kills * sizeof *grown);
    grown[b->n_entry_kills++] = v;
    b->entry_kills = grown;
}

// What each branch uses last dies at the entry of the other, when that does not use it too.
static void branch_deaths(prep *P, const ch__instr *s, int loops) {
    ch__block *blocks = (ch__block *)(uintptr_t)s->blocks;
    int64_t from[3];
    for (int i = 0; i < 2; i++) {
        from[i] = P->touched.n;
        find_deaths(P, &blocks[i], loops);
        for (int64_t k = from[i]; k < P->touched.n; k++) {
            // Values of the branch itself are not live any more; drop them from the list.
            int32_t v = P->touched.data[k];
            if (!P->live[v]) {
                P->touched.data[k--] = P->touched.data[--P->touched.n];
                continue;
            }
            P->live[v] = false;
        }
    }
    from[2] = P->touched.n;
    for (int i = 0; i < 2; i++) {
        // live marks what branch i uses; what the other uses beyond that dies at the entry of i
        for (int64_t k = from[i]; k < from[i + 1]; k++) P->live[P->touched.data[k]] = true;
        int other = 1 - i;
        for (int64_t k = from[other]; k < from[other + 1]; k++) {
            int32_t v = P->touched.data[k];
            if (!P->live[v] && P->loops[v] >= loops) add_entry_kill(P, &blocks[i], v);
        }
        for (int64_t k = from[i]; k < from[i + 1]; k++) P->live[P->touched.data[k]] = false;
    }
    for (int64_t k = from[0]; k < from[2]; k++) P->live[P->touched.data[k]] = true;
}

// Outer values that a loop uses die with the loop, unless they are needed later or lie outside of an outer loop.
static void loop_deaths(prep *P, ch__instr *s, int loops) {
    ch__block *blocks = (ch__block *)(uintptr_t)s->blocks;
    int64_t from = P->touched.n;
    for (int i = ch__run_regions(s->op) - 1; i >= 0; i--) find_deaths(P, &blocks[i], loops + 1);
    int64_t to = P->touched.n, n_dying = 0;
    for (int64_t k = from; k < to; k++) {
        int32_t v = P->touched.data[k];
        if (P->live[v] && P->loops[v] <= loops && P->loops[v] >= loops) n_dying++;
    }
    if (n_dying == 0) return;
    int32_t *kills = CH_NEW_ARRAY(P->arena, int32_t, n_dying + s->n_in + s->n_out);
    if (s->n_kills) memcpy(kills, s->kills, (size_t)s->n_kills * sizeof *kills);
    s->kills = kills;
    for (int64_t k = from; k < to; k++) {
        int32_t v = P->touched.data[k];
        if (P->live[v] && P->loops[v] == loops) kills[s->n_kills++] = v;
    }
}

static void find_deaths(prep *P, ch__block *b, int loops) {
    for (int i = b->n_results - 1; i >= 0; i--) b->result_dies[i] = is_last_use(P, b->results[i], loops);
    for (int n = b->n - 1; n >= 0; n--) {
        ch__instr *s = &b->code[n];
        int32_t *kills = (int32_t *)(uintptr_t)s->kills;
        for (int i = 0; i < s->n_out; i++) {
            int32_t v = s->slots[s->n_in + i];
            if (!P->live[v]) kills[s->n_kills++] = v;
            P->live[v] = false;
        }
        if (s->blocks) {
            if (s->op->code == CH_OP_if)
                branch_deaths(P, s, loops);
            else if (s->op->code == CH_OP_composite)
                find_deaths(P, (ch__block *)(uintptr_t)s->blocks, loops);
            else
                loop_deaths(P, s, loops);
            kills = (int32_t *)(uintptr_t)s->kills;
        }
        for (int i = s->n_in - 1; i >= 0; i--) {
            if (!is_last_use(P, s->slots[i], loops)) continue;
            if (i < 64) s->dies |= UINT64_C(1) << i;
            kills[s->n_kills++] = s->slots[i];
        }
    }
    for (int i = 0; i < b->n_params; i++) {
        if (!P->live[b->params[i]]) add_entry_kill(P, b, b->params[i]);
        P->live[b->params[i]] = false;
    }
}

// ---------------------------------------------------------------- the func
static void mark_outputs(prep *P) {
    ch__program *p = P->p;
    for (int i = 0; i < p->body.n_results && i < INT16_MAX; i++) {
        ch__cell *c = &p->cells[p->body.results[i]];
        if (c->out == 0) c->out = (int16_t)(i + 1);
    }
}

static void prepare_func(prep *P, ch__program *p) {
    const ch_func *f = p->f;
    P->p = p;
    P->f = f;
    P->nest = 0;
    p->n_cells = f->n_values;
    p->cells = CH_NEW_ARRAY(P->arena, ch__cell, f->n_values);
    P->live = CH_NEW_ARRAY(P->arena, bool, f->n_values);
    P->loops = CH_NEW_ARRAY(P->arena, int16_t, f->n_values);
    P->touched.n = 0;
    P->names.data = NULL;
    P->names.n = P->names.cap = 0;
    for (int64_t i = 0; i < f->dims.n; i++) add_name(P, f->dims.data[i].name);
    p->n_dims = (int32_t)P->names.n;
    build_block(P, &p->body, f->body, 0);
    find_deaths(P, &p->body, 0);
    mark_outputs(P);
    p->names = P->names.data;
    p->n_names = (int32_t)P->names.n;
}

static const ch__program *program_of(prep *P, const ch_func *f) {
    ch__program **at = P->programs;
    for (; *at; at = (ch__program **)(uintptr_t) & (*at)->next)
        if ((*at)->f == f) return *at;
    ch__program *p = CH_NEW(P->arena, ch__program);
    p->f = f;
    *at = p;
    return p;
}

ch__program *ch__interp_prepare(ch__arena *a, const ch_func *f) {
    ch__program *first = NULL;
    prep P = {.arena = a, .programs = &first};
    program_of(&P, f);
    // Funcs found on the way are appended to the list, so this reaches every one once.
    for (ch__program *p = first; p; p = (ch__program *)(uintptr_t)p->next) prepare_func(&P, p);
    return first;
}
