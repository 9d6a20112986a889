// SPDX-License-Identifier: Apache-2.0
// again.c - cheap values that the native engine computes once more where they are read, instead of keeping them.
//
// A gradient reads what the forward pass computed long before: of a gelu h, h / 2, h^2, tanh, 1 + tanh. Each of them
// would lie in memory from there to here, though h and tanh are all that is needed. On the printer's own clone, a value
// of a few plain operations is computed again for readers behind some call of a library, where all that it is computed
// from is there anyway. The bits are the same; what is stored, read and alive is less.
//
// A comparison of one array with a number, a position or a row's own number is made again by each reader, however near,
// where that array is there: compilers make slow code of vectors of floats that are stored as vectors of bool. A layer
// norm's gradient took 0.28 instead of 0.05 ms for 131,072 elements with one such store.
//
// Time is counted in calls of libraries: what stands between two is fused as it was. life is the last time a value is
// read; a read by a view or by an expression with one reader happens where that is read.
#include "cgen/native.h"

enum {
    TIME_NEVER = -1,
    TIME_ALWAYS = INT32_MAX,
    MOST_REMADE = 4, // operations
    CALLS_APART = 2  // between where a value is made and where it is read, for it to be made again
};

typedef struct {
    ch__op *op;
    int32_t operand; // -1: something inside of the op
    int32_t when, next;
} reading_entry;

typedef struct {
    ch_func *f;
    int32_t n;                   // values there were before any was made again: ids below
    int32_t *made, *life, *uses; // by id
    int32_t *first;              // by id: its readers, the last one first; -1: none
    reading_entry *entries;
    int32_t n_entries;
} remake;

// ---------------------------------------------------------------- what there is
static bool may_remake(const ch__op *op) {
    if (op->n_results != 1 || op->results[0].type->rank == 0) return false;
    switch (op->code) {
    case CH_OP_add:
    case CH_OP_sub:
    case CH_OP_mul:
    case CH_OP_neg:
    case CH_OP_abs:
    case CH_OP_compare:
    case CH_OP_select:
    case CH_OP_and:
    case CH_OP_or:
    case CH_OP_not: return true;
    case CH_OP_convert:
        return !ch__cg_is_half(op->operands[0]->type->dtype) && !ch__cg_is_half(op->results[0].type->dtype);
    default: return false;
    }
}

static bool passes_on(const remake *s, const ch__op *op) {
    if (op->n_results != 1) return false;
    op_kind k = ch__cg_kind(op);
    return k == K_VIEW || (k == K_ELEM && s->uses[op->results[0].id] == 1);
}

static void count_entry(void *arg, ch__op *op) {
    remake *s = arg;
    s->n_entries += op->n_operands;
    for (int r = 0; r < op->n_regions; r++) s->n_entries += op->regions[r]->n_results;
}

static void add_reader(remake *s, const ch__value *v, ch__op *op, int operand, int32_t when) {
    s->entries[s->n_entries] = (reading_entry){op, operand, when, s->first[v->id]};
    s->first[v->id] = s->n_entries++;
    if (when > s->life[v->id]) s->life[v->id] = when;
}

typedef struct {
    remake *s;
    ch__op *owner;
    int32_t when;
} remake_inside;

static void see_inside(void *arg, ch__op *op) {
    remake_inside *i = arg;
    for (int j = 0; j < op->n_operands; j++) add_reader(i->s, op->operands[j], i->owner, -1, i->when);
    for (int r = 0; r < op->n_regions; r++)
        for (int k = 0; k < op->regions[r]->n_results; k++)
            add_reader(i->s, op->regions[r]->results[k], i->owner, -1, i->when);
}

// From the end: when everything is made and read last.
static void find_times(remake *s, int32_t calls) {
    ch_func *f = s->f;
    for (int32_t i = 0; i < f->n_values; i++) s->life[i] = s->made[i] = s->first[i] = TIME_NEVER;
    for (int i = 0; i < f->body->n_results; i++) s->life[f->body->results[i]->id] = TIME_ALWAYS;
    for (ch__op *op = f->body->last; op; op = op->prev) {
        if (ch__cg_is_called(op)) calls--;
        for (int k = 0; k < op->n_results; k++) s->made[op->results[k].id] = calls;
        int32_t when = passes_on(s, op) ? s->life[op->results[0].id] : calls;
        for (int j = 0; j < op->n_operands; j++) add_reader(s, op->operands[j], op, j, when);
        remake_inside i = {s, op, when};
        for (int r = 0; r < op->n_regions; r++) {
            ch__walk(op->regions[r], see_inside, &i);
            for (int k = 0; k < op->regions[r]->n_results; k++) add_reader(s, op->regions[r]->results[k], op, -1, when);
        }
    }
    for (int i = 0; i < f->body->n_params; i++)
        if (!f->inout || f->inout[i] < 0) s->life[f->body->params[i]->id] = TIME_ALWAYS;
}

// ---------------------------------------------------------------- what it takes
static bool still_there(const remake *s, const ch__value *v, int32_t when) {
    return v->type->rank == 0 || (v->id < s->n && s->life[v->id] >= when);
}

// Of fewer elements than the broadcast of it: a row's own numbers.
static bool is_repeated(const ch__op *op) {
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
    const ch__type *x = op->operands[0]->type, *r = op->results[0].type;
    bool one[CH__MAX_RANK];
    for (int i = 0; i < r->rank; i++) one[i] = ch__dim_is_const(r->dims[i]) && r->dims[i].val == 1;
    for (int i = 0; i < dims->n; i++) one[dims->ints[i]] |= ch__dim_equal(x->dims[i], r->dims[dims->ints[i]]);
    for (int i = 0; i < r->rank; i++)
        if (!one[i]) return true;
    return false;
}

// Operations that computing v at this time takes beside what is there then; more than MOST_REMADE: not to be done.
static int remake_cost(const remake *s, const ch__value *v, int32_t when, int depth) {
    if (still_there(s, v, when)) return 0;
    const ch__op *op = v->op;
    if (!op || op->parent != s->f->body || depth > MOST_REMADE) return MOST_REMADE + 1;
    if (op->code == CH_OP_const || op->code == CH_OP_iota) return 0;
    if (op->code == CH_OP_broadcast)
        return is_repeated(op) && op->operands[0]->id < s->n ? 0 : remake_cost(s, op->operands[0], when, depth + 1);
    if (!may_remake(op)) return MOST_REMADE + 1;
    int n = 1;
    for (int j = 0; j < op->n_operands && n <= MOST_REMADE; j++) n += remake_cost(s, op->operands[j], when, depth + 1);
    return n;
}

// v, computed before op for readers at this time; what is there is taken as it is.
static ch__value *made_again(remake *s, ch__value *v, ch__op *op, int32_t when) {
    if (still_there(s, v, when) || v->op->code == CH_OP_const || v->op->code == CH_OP_iota) return v;
    if (v->op->code == CH_OP_broadcast && is_repeated(v->op)) {
        int32_t x = v->op->operands[0]->id;
        if (x < s->n && s->life[x] < when) s->life[x] = when;
        return v;
    }
    ch__value *operands[3] = {NULL};
    for (int j = 0; j < v->op->n_operands; j++) operands[j] = made_again(s, v->op->operands[j], op, when);
    ch__builder b = {.func = s->f, .region = s->f->body, .before = op, .loc = v->op->loc};
    ch__op *copy = ch__build_shallow(&b, (ch__opcode)v->op->code, v->op->n_operands, operands, v->op->n_attrs,
                                     v->op->attrs, 1, &v->type, 0, NULL);
    return &copy->results[0];
}

// Does the reader of this entry take another value instead? Loops over elements do.
static bool may_read_again(const remake *s, const reading_entry *e, const ch__value *v) {
    if (e->operand < 0 || e->when == TIME_ALWAYS || e->when < s->made[v->id] + CALLS_APART) return false;
    op_kind k = ch__cg_kind(e->op);
    if (k == K_FOLD) return e->op->code == CH_OP_reduce;
    return k == K_ELEM && (ch__op_info_of((ch__opcode)e->op->code)->flags & CH__ELEMWISE) != 0;
}

static void read_again(remake *s, ch__value *v) {
    int32_t keep = s->made[v->id]; // the last time at which v itself has to be there
    for (int32_t i = s->first[v->id]; i >= 0; i = s->entries[i].next)
        if (!may_read_again(s, &s->entries[i], v) && s->entries[i].when > keep) keep = s->entries[i].when;
    if (s->life[v->id] == TIME_ALWAYS || keep >= s->life[v->id]) return;
    s->life[v->id] = keep;
    for (int32_t i = s->first[v->id]; i >= 0; i = s->entries[i].next) { // dear ones keep it
        const reading_entry *e = &s->entries[i];
        if (e->when > keep && remake_cost(s, v, e->when, 0) > MOST_REMADE && e->when > s->life[v->id])
            s->life[v->id] = e->when;
    }
    ch__value *made = NULL;
    int32_t last = TIME_NEVER;
    for (int32_t i = s->first[v->id]; i >= 0; i = s->entries[i].next) {
        const reading_entry *e = &s->entries[i];
        if (e->when <= s->life[v->id] || !may_read_again(s, e, v)) continue;
        bool alone = passes_on(s, e->op); // it is computed elsewhere than it stands
        ch__value *x = made && last == e->when && !alone ? made : made_again(s, v, e->op, e->when);
        e->op->operands[e->operand] = x;
        if (alone) continue;
        made = x;
        last = e->when;
    }
}

// ---------------------------------------------------------------- comparisons
static bool is_free_operand(const ch__value *v) {
    if (v->type->rank == 0) return true;
    if (!v->op) return false;
    return v->op->code == CH_OP_const || v->op->code == CH_OP_iota ||
           (v->op->code == CH_OP_broadcast && is_repeated(v->op));
}

static bool is_comparison_of_one(const ch__op *op) {
    if (op->code != CH_OP_compare || op->results[0].type->rank == 0) return false;
    return is_free_operand(op->operands[0]) || is_free_operand(op->operands[1]);
}

// Each reader in a loop over elements gets a comparison of its own.
static void compare_again(remake *s, ch__op *op) {
    const ch__value *v = &op->results[0];
    const ch__value *x = op->operands[is_free_operand(op->operands[0]) ? 1 : 0];
    if (s->uses[v->id] < 2) return;
    for (int32_t i = s->first[v->id]; i >= 0; i = s->entries[i].next) {
        const reading_entry *e = &s->entries[i];
        bool elementwise = (ch__op_info_of((ch__opcode)e->op->code)->flags & CH__ELEMWISE) != 0;
        if (e->operand < 0 || !elementwise || ch__cg_kind(e->op) != K_ELEM || e->when == TIME_ALWAYS) continue;
        if (!is_free_operand(x) && !still_there(s, x, e->when)) continue;
        ch__builder b = {.func = s->f, .region = s->f->body, .before = e->op, .loc = op->loc};
        ch__op *copy =
            ch__build_shallow(&b, CH_OP_compare, 2, op->operands, op->n_attrs, op->attrs, 1, &v->type, 0, NULL);
        e->op->operands[e->operand] = &copy->results[0];
    }
}

void ch__cg_again(cg_file *file, ch_func *f) {
    ch__arena *a = file->a;
    remake s = {.f = f, .n = f->n_values, .uses = ch__use_counts(a, f)};
    int32_t calls = 0;
    for (ch__op *op = f->body->first; op; op = op->next) calls += ch__cg_is_called(op);
    ch__walk(f->body, count_entry, &s);
    s.made = CH_NEW_ARRAY(a, int32_t, f->n_values);
    s.life = CH_NEW_ARRAY(a, int32_t, f->n_values);
    s.first = CH_NEW_ARRAY(a, int32_t, f->n_values);
    s.entries = CH_NEW_ARRAY(a, reading_entry, s.n_entries + 1);
    s.n_entries = 0;
    find_times(&s, calls);
    for (ch__op *op = f->body->first, *next; op; op = next) {
        next = op->next; // what is computed again stands before a reader: it is passed, and is not looked at
        if (op->n_results != 1 || op->results[0].id >= s.n) continue;
        if (calls >= CALLS_APART && may_remake(op)) read_again(&s, &op->results[0]);
        if (is_comparison_of_one(op)) compare_again(&s, op);
    }
    ch__renumber(f);
}
