// SPDX-License-Identifier: Apache-2.0
// fresh.c - arrays that are written from end to end before they are read begin anew.
//
//     x = for j = 0 to n iter(x = old) { ...; yield set x[j], v }     old is never read: zeros stand in its place
//
// In C a working array is declared once and filled anew in each turn of a loop around. As versions of one array that
// is a value carried from turn to turn, which a derivative would have to keep; with a new start it is of the iteration
// and can be computed again. The same holds for a run of sets that together name every element of a small array.
//
// A loop qualifies when it counts from 0 by 1 to the array's size, its one use of the carried array is a set at the
// counter in every turn, and later versions are read at the counter only. The size is compared as a number, as a size,
// or as the operand of the alloc that binds it. Printed C leaves the zeros out: ch__overwrites asks here.
#include "opt/opt.h"

#include <string.h>

typedef struct {
    ch_func *func;
    int32_t n_values; // when the tables were made: the zeros that start arrays come later and are no versions
    ch__arena *scratch;
    int32_t *uses;       // by value id
    uint8_t *version;    // by value id: the array at hand, set at the counter
    const ch__value *at; // the counter
    int64_t changes;
} fresh_state;

// ---------------------------------------------------------------- whole loops
static const ch__value *bound_value(const ch__op *below, const char *name) {
    ch__arena *scratch = ch__arena_create();
    const ch__value *found = NULL;
    for (const ch__op *op = below; op != NULL && found == NULL;) {
        const char *const *names;
        int n = op->code == CH_OP_alloc ? ch__alloc_symbols(scratch, ch__op_attr(op, CH__ATTR_symbols), &names) : 0;
        for (int i = 0; i < n; i++)
            if (strcmp(names[i], name) == 0) found = op->operands[i];
        op = op->prev != NULL ? op->prev : op->parent->owner;
    }
    ch__arena_destroy(scratch);
    return found;
}

// Does the loop go through 0 .. size - 1?
static bool goes_through(const ch__op *loop, ch__dim size) {
    const ch__value *hi = loop->operands[1];
    const char *name;
    double k;
    if (!ch__const_is_splat(loop->operands[0], 0.0) || !ch__const_is_splat(loop->operands[2], 1.0)) return false;
    if (ch__const_splat_f64(hi, &k)) return ch__dim_is_const(size) && (double)size.val == k;
    if (hi->op != NULL && hi->op->code == CH_OP_dim) return ch__dim_equal(ch__op_attr(hi->op, CH__ATTR_e)->dim, size);
    return ch__dim_is_symbol(size, &name) && bound_value(loop, name) == hi;
}

static bool is_version(const fresh_state *s, const ch__value *v) { return v->id < s->n_values && s->version[v->id]; }

// Ops from `op` on: is every version read at the counter only? Marks those they make.
static bool reads_behind(fresh_state *s, const ch__op *op) {
    for (; op != NULL; op = op->next) {
        bool any = false;
        for (int i = 0; i < op->n_operands; i++) any |= is_version(s, op->operands[i]);
        int first = op->code == CH_OP_for ? 1 : 0, inits = op->code == CH_OP_for ? 3 : 0;
        switch ((ch__opcode)op->code) {
        case CH_OP_get:
            if (any && op->operands[1] != s->at) return false;
            break;
        case CH_OP_set:
            if (is_version(s, op->operands[0])) s->version[op->results[0].id] = 1;
            break;
        case CH_OP_for:
        case CH_OP_while:
            for (int i = 0; i < op->n_results; i++) {
                if (!is_version(s, op->operands[inits + i])) continue;
                for (int k = 0; k < op->n_regions; k++) s->version[op->regions[k]->params[first + i]->id] = 1;
                s->version[op->results[i].id] = 1;
            }
            break;
        case CH_OP_if: break;
        default:
            if (any) return false;
        }
        for (int k = 0; k < op->n_regions; k++)
            if (!reads_behind(s, op->regions[k]->first)) return false;
        for (int i = 0; op->code == CH_OP_if && i < op->n_results; i++)
            if (is_version(s, op->regions[0]->results[i]) || is_version(s, op->regions[1]->results[i])) {
                if (!is_version(s, op->regions[0]->results[i]) || !is_version(s, op->regions[1]->results[i]))
                    return false;
                s->version[op->results[i].id] = 1;
            }
        for (int i = 0; (op->code == CH_OP_for || op->code == CH_OP_while) && i < op->n_results; i++)
            if (is_version(s, op->regions[op->n_regions - 1]->results[i]) != is_version(s, &op->results[i]))
                return false;
    }
    return true;
}

static void count_use(fresh_state *s, const ch__value *v) { s->uses[v->id]++; }

static void count_fresh_uses(fresh_state *s, const ch__region *r) {
    for (const ch__op *op = r->first; op != NULL; op = op->next) {
        for (int i = 0; i < op->n_operands; i++) count_use(s, op->operands[i]);
        for (int k = 0; k < op->n_regions; k++) count_fresh_uses(s, op->regions[k]);
    }
    for (int i = 0; i < r->n_results; i++) count_use(s, r->results[i]);
}

static bool whole_loop(fresh_state *s, const ch__op *loop, int i) {
    const ch__region *body = loop->regions[0];
    const ch__value *p = body->params[1 + i];
    if (loop->code != CH_OP_for || p->type->rank != 1 || p->type->tape || s->uses[p->id] != 1) return false;
    if (!goes_through(loop, p->type->dims[0])) return false;
    const ch__op *first = body->first;
    while (first != NULL && (first->code != CH_OP_set || first->operands[0] != p)) first = first->next;
    if (first == NULL || first->operands[2] != body->params[0]) return false;
    memset(s->version, 0, (size_t)s->n_values);
    s->at = body->params[0];
    s->version[first->results[0].id] = 1;
    if (!reads_behind(s, first->next)) return false;
    for (int k = 0; k < loop->n_results; k++)
        if (is_version(s, body->results[k]) != (k == i)) return false;
    return true;
}

static void fresh_begin(fresh_state *s, ch_func *f) {
    *s = (fresh_state){.func = f, .n_values = f->n_values, .scratch = ch__arena_create()};
    s->uses = CH_NEW_ARRAY(s->scratch, int32_t, f->n_values + 1);
    s->version = CH_NEW_ARRAY(s->scratch, uint8_t, f->n_values + 1);
    count_fresh_uses(s, f->body);
}

bool ch__overwrites(const ch__op *loop, int i) {
    fresh_state s;
    const ch__region *r = loop->parent;
    fresh_begin(&s, r->func);
    bool yes = whole_loop(&s, loop, i);
    ch__arena_destroy(s.scratch);
    return yes;
}

// ---------------------------------------------------------------- runs of sets
enum { FRESH_RUN = 64 };

static bool set_at_number(const ch__op *op, int64_t size, int64_t *at) {
    double k;
    if (op == NULL || op->code != CH_OP_set || op->n_operands != 3 || !ch__const_splat_f64(op->operands[2], &k))
        return false;
    *at = (int64_t)k;
    return *at >= 0 && *at < size;
}

// The first of a run of sets that ends with `last` and names every element; versions between are read by nobody.
static ch__op *whole_run(const fresh_state *s, ch__op *last) {
    const ch__type *t = last->results[0].type;
    if (t->rank != 1 || !ch__dim_is_const(t->dims[0]) || t->dims[0].val > FRESH_RUN) return NULL;
    uint8_t seen[FRESH_RUN] = {0};
    int64_t left = t->dims[0].val, at;
    for (ch__op *op = last; set_at_number(op, t->dims[0].val, &at); op = op->operands[0]->op) {
        if (op->parent != last->parent || (op != last && s->uses[op->results[0].id] != 1)) return NULL;
        left -= !seen[at];
        seen[at] = 1;
        if (left == 0) return op;
    }
    return NULL;
}

// ---------------------------------------------------------------- the pass
static bool starts_anew(const ch__value *v) {
    return v->op != NULL && (v->op->code == CH_OP_const || (v->op->code == CH_OP_alloc && v->op->n_operands == 0));
}

static void start_anew(fresh_state *s, ch__op *op, int operand) {
    ch__builder b = {.func = s->func, .region = op->parent, .before = op, .loc = op->loc};
    op->operands[operand] = ch__b_splat(&b, op->operands[operand]->type, 0.0);
    s->changes++;
}

static void fresh_region(fresh_state *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        for (int k = 0; k < op->n_regions; k++) fresh_region(s, op->regions[k]);
        if (op->code == CH_OP_for)
            for (int i = 0; i < op->n_results; i++) {
                const ch__value *init = op->operands[3 + i];
                if (init->type->rank == 1 && !starts_anew(init) && whole_loop(s, op, i)) start_anew(s, op, 3 + i);
            }
        ch__op *first = op->code == CH_OP_set ? whole_run(s, op) : NULL;
        if (first != NULL && !starts_anew(first->operands[0])) start_anew(s, first, 0);
    }
}

int64_t ch__fresh(ch_func *f) {
    int64_t all = 0;
    for (int round = 0; round < 8; round++) { // what an inner loop does no longer carry frees the one around
        fresh_state s;
        fresh_begin(&s, f);
        fresh_region(&s, f->body);
        ch__arena_destroy(s.scratch);
        if (s.changes == 0) break;
        all += s.changes;
        ch__dce(f);
    }
    return all;
}
