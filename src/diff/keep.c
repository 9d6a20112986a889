// SPDX-License-Identifier: Apache-2.0
// keep.c - what the reverse of a loop keeps of each iteration.
//
// The reverse body first computes the iteration again from its start state, then runs the rules backwards. What the
// rules really read is known once that body is written, so the choice is made then: among all sets of values from
// which everything that is read can be computed again without the start state, the one that takes the fewest bytes.
// That is a minimum cut: an edge for each use, a value's bytes as its capacity, the start state as the source, what
// is read as the sink (Ford and Fulkerson 1956; Dinic 1970). Of equal cuts the one nearest to the start state is taken,
// so carried state goes before what is computed from it. Values that depend on no carried state cost nothing.
//
// An array that is changed in place costs more than any number of its elements, so elements are kept instead; where the
// whole array is needed all the same it is put back from its next version when it can be (undo.c), and costs nothing
// here. A tape and what has a size known only inside the body cannot be kept at all.
#include "diff/loops.h"

#include <assert.h>
#include <string.h>

#define KEEP_NEVER (INT64_C(1) << 60)
#define KEEP_WHOLE (INT64_C(1) << 40) // an array changed in place
#define KEEP_LARGE (INT64_C(1) << 36) // at most, of any other value
#define KEEP_UNKNOWN 100              // elements along an axis of unknown size

typedef struct {
    int32_t to;
    int64_t room; // what may still flow
} keep_edge;      // edges 2i and 2i + 1 are each other's way back
typedef struct {
    ch__arena *scratch;
    ch_func *func;
    ch__keep *k;
    uint8_t *live; // by value id
    bool changed;
    ch__strmap locals; // sizes bound by an alloc inside: its result
    bool any_local;
    int32_t *node;              // by value id: 1 + node of a value of the iteration; 0: others
    CH_VEC(ch__value *) values; // by node
    int64_t *costs;             // to keep it
    CH_VEC(keep_edge) edges;
    CH_VEC(int32_t) from;  // by edge
    int32_t *start, *list; // edges of a vertex; vertices 2n, 2n + 1 of node n, then source and sink
    int32_t n_vertices;
    bool adjoint_zone; // users are ops of the reverse, not of the iteration
    int32_t user;      // node range of the op whose uses are walked
    int32_t n_user;
} keep_state;

// ---------------------------------------------------------------- what lives
static void live_mark(keep_state *s, const ch__value *v) {
    if (s->live[v->id]) return;
    s->live[v->id] = 1;
    s->changed = true;
}

static void live_region(keep_state *s, const ch__region *r);

static void live_symbol(void *arg, const char *name) {
    keep_state *s = arg;
    const ch__value *v = ch__strmap_get(&s->locals, name);
    if (v != NULL) live_mark(s, v);
}

static void sizes_of(const ch__op *op, void (*fn)(void *, const char *), void *arg) {
    for (int i = 0; i < op->n_results; i++)
        for (int k = 0; k < op->results[i].type->rank; k++) ch__dim_symbols(op->results[i].type->dims[k], fn, arg);
    for (int i = 0; i < op->n_attrs; i++) {
        ch__attr_kind kind = ch__attr_kind_of(op->attrs[i].id);
        if (kind == CH__AK_DIM) ch__dim_symbols(op->attrs[i].dim, fn, arg);
        for (int k = 0; kind == CH__AK_DIMS && k < op->attrs[i].n; k++) ch__dim_symbols(op->attrs[i].dims[k], fn, arg);
    }
}

static bool keep_is_loop(const ch__op *op) { return op->code == CH_OP_for || op->code == CH_OP_while; }
static int loop_first(const ch__op *op) { return op->code == CH_OP_for ? 1 : 0; }
static int loop_inits(const ch__op *op) { return op->code == CH_OP_for ? 3 : 0; }

static bool carried_lives(const keep_state *s, const ch__op *op, int i) {
    if (s->live[op->results[i].id]) return true;
    for (int r = 0; r < op->n_regions; r++)
        if (s->live[op->regions[r]->params[loop_first(op) + i]->id]) return true;
    return false;
}

static void live_loop(keep_state *s, const ch__op *op) {
    const ch__region *body = op->regions[op->n_regions - 1];
    for (int i = 0; i < loop_inits(op); i++) live_mark(s, op->operands[i]);
    bool outer = s->changed;
    do {
        s->changed = false;
        if (op->n_regions == 2) {
            live_mark(s, op->regions[0]->results[0]);
            live_region(s, op->regions[0]);
        }
        for (int i = 0; i < op->n_results; i++)
            if (carried_lives(s, op, i)) {
                live_mark(s, body->results[i]);
                live_mark(s, op->operands[loop_inits(op) + i]);
            }
        live_region(s, body);
        outer |= s->changed;
    } while (s->changed);
    s->changed = outer;
}

static bool op_lives(const keep_state *s, const ch__op *op) {
    for (int i = 0; i < op->n_results; i++)
        if (s->live[op->results[i].id]) return true;
    return false;
}

static void live_op(keep_state *s, const ch__op *op) {
    if (!op_lives(s, op)) return;
    if (s->any_local) sizes_of(op, live_symbol, s);
    if (keep_is_loop(op)) {
        live_loop(s, op);
        return;
    }
    for (int i = 0; i < op->n_operands; i++) live_mark(s, op->operands[i]);
    for (int k = 0; k < op->n_regions; k++) {
        const ch__region *r = op->regions[k];
        for (int i = 0; i < r->n_results; i++)
            if (op->code != CH_OP_if || s->live[op->results[i].id]) live_mark(s, r->results[i]);
        live_region(s, r);
    }
}

static void live_region(keep_state *s, const ch__region *r) {
    for (const ch__op *op = r->last; op != NULL; op = op->prev) live_op(s, op);
}

// ---------------------------------------------------------------- uses of what lives
static void add_edge(keep_state *s, int32_t from, int32_t to, int64_t room) {
    keep_edge there = {to, room}, back = {from, 0};
    CH_PUSH(s->scratch, &s->edges, there);
    CH_PUSH(s->scratch, &s->edges, back);
    CH_PUSH(s->scratch, &s->from, from);
    CH_PUSH(s->scratch, &s->from, to);
}

static int32_t sink_of(const keep_state *s) { return 2 * (int32_t)s->values.n + 1; }

static void use_value(keep_state *s, const ch__value *v) {
    int32_t n = s->node[v->id];
    if (n-- == 0) return;
    if (s->adjoint_zone) {
        add_edge(s, 2 * n + 1, sink_of(s), KEEP_NEVER);
        return;
    }
    for (int32_t i = 0; i < s->n_user; i++)
        if (n != s->user + i) add_edge(s, 2 * n + 1, 2 * (s->user + i), KEEP_NEVER);
}

static void use_symbol(void *arg, const char *name) {
    keep_state *s = arg;
    const ch__value *v = ch__strmap_get(&s->locals, name);
    if (v != NULL) use_value(s, v);
}

static void use_region(keep_state *s, const ch__region *r);

static void use_op(keep_state *s, const ch__op *op) {
    if (s->any_local) sizes_of(op, use_symbol, s);
    for (int i = 0; i < op->n_operands; i++)
        if (!keep_is_loop(op) || i < loop_inits(op) || carried_lives(s, op, i - loop_inits(op)))
            use_value(s, op->operands[i]);
    for (int k = 0; k < op->n_regions; k++) {
        const ch__region *r = op->regions[k];
        bool cond = op->code == CH_OP_while && k == 0;
        for (int i = 0; i < r->n_results; i++) {
            bool live = cond || op->code == CH_OP_composite ||
                        (keep_is_loop(op) ? carried_lives(s, op, i) : s->live[op->results[i].id]);
            if (live) use_value(s, r->results[i]);
        }
        use_region(s, r);
    }
}

static void use_region(keep_state *s, const ch__region *r) {
    for (const ch__op *op = r->first; op != NULL; op = op->next)
        if (op_lives(s, op)) use_op(s, op);
}

// ---------------------------------------------------------------- what a value costs
static int64_t about(const ch__type *t) {
    int64_t n = 1;
    for (int i = 0; i < t->rank; i++)
        if (!ch__mul_i64(n, ch__dim_is_const(t->dims[i]) ? t->dims[i].val : KEEP_UNKNOWN, &n)) return INT64_MAX;
    return n;
}

// A block of about the size of the array is no change in place.
static bool covers_most(const ch__op *op) {
    return op->code == CH_OP_dynamic_update_slice && about(op->operands[1]->type) >= about(op->operands[0]->type) / 2;
}

// Whether v is a version of an array that the iteration changes by `set`; *base: the first version. Recurses on
// nesting.
static bool changed_in_place(const ch__value *v, const ch__value **base) {
    bool any = false;
    while (v->op != NULL) {
        const ch__op *op = v->op;
        if (op->code == CH_OP_set || op->code == CH_OP_dynamic_update_slice) {
            any |= !covers_most(op);
            v = op->operands[0];
        } else if (keep_is_loop(op)) {
            const ch__value *inner = NULL;
            any |= changed_in_place(op->regions[op->n_regions - 1]->results[v->index], &inner);
            v = op->operands[loop_inits(op) + v->index];
        } else if (op->code == CH_OP_if) {
            const ch__value *one = NULL, *other = NULL;
            bool a = changed_in_place(op->regions[0]->results[v->index], &one),
                 b = changed_in_place(op->regions[1]->results[v->index], &other);
            any |= a || b;
            if (one == NULL || one != other) break;
            v = one;
        } else {
            break;
        }
    }
    *base = v;
    return any;
}

typedef struct {
    keep_state *s;
    bool local;
} local_scan;
static void find_local(void *arg, const char *name) {
    local_scan *l = arg;
    l->local |= ch__strmap_get(&l->s->locals, name) != NULL;
}

// The tape that an inner loop of the iteration fills, from an empty one: where that is made; else NULL.
static const ch__op *filled(const ch__value *v) {
    if (v->op == NULL || !v->type->tape || !keep_is_loop(v->op)) return NULL;
    const ch__op *made = v->op->operands[loop_inits(v->op) + v->index]->op;
    return made != NULL && made->code == CH_OP_tape_new && made->parent == v->op->parent ? made : NULL;
}

static int64_t cost_of(keep_state *s, const ch__value *v) {
    const ch__type *t = v->type;
    const ch__op *made = s->k->tapes ? filled(v) : NULL;
    if (t->tape && made == NULL) return KEEP_NEVER;
    int64_t bytes = (int64_t)ch_dtype_size(t->dtype);
    local_scan l = {s, false};
    for (int i = 0; i < t->rank; i++) {
        int64_t n = ch__dim_is_const(t->dims[i]) ? t->dims[i].val : KEEP_UNKNOWN;
        ch__dim_symbols(t->dims[i], find_local, &l);
        if (!ch__mul_i64(bytes, n, &bytes) || bytes > KEEP_LARGE) bytes = KEEP_LARGE;
    }
    if (made != NULL) {
        const ch__attr *room = ch__op_attr(made, CH__ATTR_capacity);
        int64_t n = room != NULL && ch__dim_is_const(room->dim) ? room->dim.val : KEEP_UNKNOWN;
        if (!ch__mul_i64(bytes, n, &bytes) || bytes > KEEP_LARGE) bytes = KEEP_LARGE;
    }
    return l.local ? KEEP_NEVER : bytes < 1 ? 1 : bytes;
}

static bool moves_only(const ch__op *op) {
    switch (op->code) {
    case CH_OP_reshape:
    case CH_OP_transpose:
    case CH_OP_broadcast:
    case CH_OP_slice:
    case CH_OP_reverse:
    case CH_OP_iota:
    case CH_OP_const:
    case CH_OP_dim:
    case CH_OP_alloc:
    case CH_OP_tape_new:
    case CH_OP_get:
    case CH_OP_dynamic_slice:
    case CH_OP_set:
    case CH_OP_dynamic_update_slice:
    case CH_OP_pad: return true;
    default: return false;
    }
}

bool ch__is_quick(const ch__op *op) {
    bool floats = op->n_results > 0 && ch__is_float(op->results[0].type->dtype);
    switch ((ch__opcode)op->code) {
    case CH_OP_neg:
    case CH_OP_abs:
    case CH_OP_add:
    case CH_OP_sub:
    case CH_OP_mul:
    case CH_OP_min:
    case CH_OP_max:
    case CH_OP_select:
    case CH_OP_convert: return true;
    default: return !floats || !(ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE);
    }
}

static void find_slow(void *arg, ch__op *op) {
    bool *slow = arg;
    *slow |= op->code == CH_OP_call || (op->code != CH_OP_div && op->code != CH_OP_sqrt && !ch__is_quick(op));
}

// Loops and branches of arithmetic and moves alone are as cheap as those.
static bool is_slow(const ch__op *op) {
    bool slow = false;
    for (int k = 0; k < op->n_regions; k++) ch__walk(op->regions[k], find_slow, &slow);
    return slow || op->code == CH_OP_call;
}

// What it costs to compute the value of an op again, in the same measure: a few additions are worth less than the
// memory they save, functions of libm and whole loops are not. Without the policy arithmetic is free.
static int64_t again_cost(const keep_state *s, const ch__value *v, int64_t kept) {
    const ch__op *op = v->op;
    const ch__op_info *info = ch__op_info_of((ch__opcode)op->code);
    if (kept >= KEEP_WHOLE) return 0;
    if (op->n_regions > 0 || op->code == CH_OP_call) return s->k->loops || is_slow(op) ? 16 * kept : 0;
    if (!(info->flags & CH__ELEMWISE)) return moves_only(op) ? 0 : 4 * kept;
    switch (op->code) {
    case CH_OP_neg:
    case CH_OP_abs:
    case CH_OP_add:
    case CH_OP_sub:
    case CH_OP_mul:
    case CH_OP_min:
    case CH_OP_max:
    case CH_OP_and:
    case CH_OP_or:
    case CH_OP_xor:
    case CH_OP_not:
    case CH_OP_compare:
    case CH_OP_select:
    case CH_OP_convert: return s->k->loops ? kept / 4 : 0;
    case CH_OP_div:
    case CH_OP_sqrt: return s->k->loops ? kept / 2 : kept / 4;
    default: return 4 * kept;
    }
}

// ---------------------------------------------------------------- the graph
static void add_node(keep_state *s, ch__value *v) {
    CH_PUSH(s->scratch, &s->values, v);
    s->node[v->id] = (int32_t)s->values.n;
}

static void add_nodes(keep_state *s) {
    for (int i = 0; i < s->k->n_state; i++) add_node(s, s->k->state[i]);
    for (ch__op *op = s->k->region->first; op != s->k->marker; op = op->next)
        for (int i = 0; i < op->n_results; i++)
            if (s->live[op->results[i].id]) add_node(s, &op->results[i]);
}

static void add_costs(keep_state *s) {
    int32_t n = (int32_t)s->values.n;
    uint8_t *whole = CH_NEW_ARRAY(s->scratch, uint8_t, n);
    s->costs = CH_NEW_ARRAY(s->scratch, int64_t, n);
    for (int i = 0; i < s->k->n_state; i++) {
        const ch__value *base = NULL;
        if (changed_in_place(s->k->next[i], &base))
            for (int j = 0; j < s->k->n_state; j++)
                if (base == s->k->state[j]) whole[j] = 1;
    }
    for (int32_t i = 0; i < n; i++) {
        const ch__value *base = NULL, *v = s->values.data[i];
        int64_t cost = cost_of(s, v);
        bool may = i < s->k->n_state || ch__keep_may(s->k, v);
        if (!may) cost = KEEP_NEVER;
        if (cost < KEEP_NEVER && v->type->rank > 0 && (whole[i] || changed_in_place(v, &base))) cost += KEEP_WHOLE;
        if (s->k->must != NULL && i >= s->k->n_state && s->k->must[v->id] == 2) cost = 0;
        s->costs[i] = cost;
        if (s->k->must != NULL && s->k->must[v->id] == 1) {
            add_edge(s, 2 * n, 2 * i, KEEP_NEVER);
            add_edge(s, 2 * i + 1, 2 * n + 1, KEEP_NEVER);
        }
        if (s->k->fast && i >= s->k->n_state) add_edge(s, 2 * n, 2 * i, again_cost(s, v, cost));
        add_edge(s, 2 * i, 2 * i + 1, cost);
        if (i < s->k->n_state && !s->k->put_back[i] && !(s->k->had != NULL && s->k->had[i]))
            add_edge(s, 2 * n, 2 * i, KEEP_NEVER);
    }
}

static void add_uses(keep_state *s) {
    for (const ch__op *op = s->k->region->first; op != NULL; op = op->next) {
        if (op == s->k->marker) s->adjoint_zone = true;
        if (!op_lives(s, op)) continue;
        if (s->adjoint_zone) {
            use_op(s, op);
            continue;
        }
        // Results are nodes side by side, those that live.
        s->n_user = 0;
        for (int i = 0; i < op->n_results; i++)
            if (s->node[op->results[i].id] != 0 && s->n_user++ == 0) s->user = s->node[op->results[i].id] - 1;
        use_op(s, op);
    }
    s->adjoint_zone = true;
    for (int i = 0; i < s->k->region->n_results; i++) use_value(s, s->k->region->results[i]);
}

// Edges grouped by the vertex they leave.
static void group_edges(keep_state *s) {
    s->n_vertices = 2 * (int32_t)s->values.n + 2;
    s->start = CH_NEW_ARRAY(s->scratch, int32_t, s->n_vertices + 1);
    s->list = CH_NEW_ARRAY(s->scratch, int32_t, s->edges.n);
    for (int64_t e = 0; e < s->edges.n; e++) s->start[s->from.data[e] + 1]++;
    for (int32_t v = 0; v < s->n_vertices; v++) s->start[v + 1] += s->start[v];
    int32_t *at = ch__arena_dup(s->scratch, s->start, (size_t)s->n_vertices * sizeof *at);
    for (int64_t e = 0; e < s->edges.n; e++) s->list[at[s->from.data[e]]++] = (int32_t)e;
}

// ---------------------------------------------------------------- the cut
static bool find_levels(keep_state *s, int32_t *level, int32_t *queue) {
    int32_t source = s->n_vertices - 2, head = 0, n = 0;
    memset(level, 0, (size_t)s->n_vertices * sizeof *level);
    level[source] = 1;
    queue[n++] = source;
    while (head < n) {
        int32_t v = queue[head++];
        for (int32_t i = s->start[v]; i < s->start[v + 1]; i++) {
            const keep_edge *e = &s->edges.data[s->list[i]];
            if (e->room == 0 || level[e->to] != 0) continue;
            level[e->to] = level[v] + 1;
            queue[n++] = e->to;
        }
    }
    return level[s->n_vertices - 1] != 0;
}

// One path along rising levels, as much as it carries; false when there is none.
static bool push_path(keep_state *s, const int32_t *level, int32_t *next, int32_t *path, int64_t *total) {
    int32_t source = s->n_vertices - 2, sink = s->n_vertices - 1, v = source, n = 0;
    while (v != sink) {
        if (next[v] < s->start[v + 1]) {
            int32_t at = s->list[next[v]];
            const keep_edge *e = &s->edges.data[at];
            if (e->room > 0 && level[e->to] == level[v] + 1) {
                path[n++] = at;
                v = e->to;
            } else {
                next[v]++;
            }
        } else {
            if (n == 0) return false;
            v = s->from.data[path[--n]];
            next[v]++;
        }
    }
    int64_t flow = KEEP_NEVER;
    for (int32_t i = 0; i < n; i++)
        if (s->edges.data[path[i]].room < flow) flow = s->edges.data[path[i]].room;
    for (int32_t i = 0; i < n; i++) {
        s->edges.data[path[i]].room -= flow;
        s->edges.data[path[i] ^ 1].room += flow;
    }
    *total = flow >= KEEP_NEVER - *total ? KEEP_NEVER : *total + flow;
    return true;
}

// The flow that is most: the cut is where it stops. Gives what the cut costs.
static int64_t cut(keep_state *s, int32_t *level) {
    int32_t *queue = CH_NEW_ARRAY(s->scratch, int32_t, s->n_vertices);
    int64_t total = 0;
    while (total < KEEP_NEVER && find_levels(s, level, queue)) {
        int32_t *next = ch__arena_dup(s->scratch, s->start, (size_t)s->n_vertices * sizeof *next);
        while (total < KEEP_NEVER && push_path(s, level, next, queue, &total)) {}
    }
    return total;
}

// ---------------------------------------------------------------- arrays that are put back
// The state of which v is a version, -1: of none.
static int version_of(const keep_state *s, const ch__value *v) {
    const ch__value *base = v;
    changed_in_place(v, &base);
    for (int i = 0; i < s->k->n_state; i++)
        if (base == s->k->state[i]) return i;
    return -1;
}

// An array that would be kept whole is put back instead when that takes at most half the bytes. round: of marks.
static bool put_back_more(keep_state *s, const int32_t *level, uint8_t round) {
    ch__keep *k = s->k;
    bool more = false;
    for (int32_t i = 0; i < (int32_t)s->values.n && k->undo != NULL && round < UINT8_MAX; i++) {
        if (level[2 * i] == 0 || level[2 * i + 1] != 0) continue;
        const ch__value *v = s->values.data[i];
        int at = version_of(s, v);
        if (at < 0 || k->undo[at] < 0 || k->put_back[at]) continue;
        if (v->type->rank == 0 || k->undo[at] > cost_of(s, k->state[at]) / 2) continue;
        k->put_back[at] = round;
        more = true;
    }
    return more;
}

static void build_graph(keep_state *s) {
    s->edges.n = s->from.n = 0;
    s->adjoint_zone = false;
    add_costs(s);
    add_uses(s);
    group_edges(s);
}

static void find_live(keep_state *s, const ch__region *r) {
    ch__strmap_init(&s->locals, s->scratch);
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        const char *const *names;
        int n = op->code == CH_OP_alloc ? ch__alloc_symbols(s->scratch, ch__op_attr(op, CH__ATTR_symbols), &names) : 0;
        for (int i = 0; i < n; i++) ch__strmap_put(&s->locals, names[i], &op->results[0]);
        s->any_local |= n > 0;
    }
    for (int i = 0; i < r->n_results; i++) live_mark(s, r->results[i]);
    const uint8_t *must = s->k != NULL ? s->k->must : NULL;
    for (const ch__op *op = must != NULL ? r->first : NULL; op != NULL && op != s->k->marker; op = op->next)
        for (int i = 0; i < op->n_results; i++)
            if (must[op->results[i].id] == 1) live_mark(s, &op->results[i]);
    live_region(s, r);
}

void ch__keep_live(const ch__region *r, uint8_t *live, ch__arena *scratch) {
    keep_state s = {.scratch = scratch, .func = r->func, .live = live};
    find_live(&s, r);
}

bool ch__keep_choose(ch__keep *k, ch__arena *out) {
    keep_state s = {.scratch = ch__arena_create(), .func = k->region->func, .k = k};
    s.live = CH_NEW_ARRAY(s.scratch, uint8_t, s.func->n_values);
    s.node = CH_NEW_ARRAY(s.scratch, int32_t, s.func->n_values);
    k->put_back = CH_NEW_ARRAY(out, uint8_t, k->n_state);
    find_live(&s, k->region);
    add_nodes(&s);
    int32_t *level = NULL;
    int64_t total = INT64_MAX;
    for (uint8_t round = 1;; round++) {
        build_graph(&s);
        level = CH_NEW_ARRAY(s.scratch, int32_t, s.n_vertices);
        int64_t now = cut(&s, level);
        if (round > 1 && now >= total) { // nothing is gained by it: what is read is computed from a tape
            for (int i = 0; i < k->n_state; i++)
                if (k->put_back[i] == round - 1) k->put_back[i] = 0;
            build_graph(&s);
            cut(&s, level);
            break;
        }
        total = now;
        if (total == KEEP_NEVER || !put_back_more(&s, level, round)) break;
    }
    if (total == KEEP_NEVER) {
        ch__arena_destroy(s.scratch);
        return false;
    }
    for (int32_t i = 0; i < (int32_t)s.values.n; i++)
        if (level[2 * i] != 0 && level[2 * i + 1] == 0 && s.costs[i] > 0) {
            CH_PUSH(out, &k->kept, s.values.data[i]);
            k->whole |= s.costs[i] >= KEEP_WHOLE;
        }
    k->cost = total;
    ch__arena_destroy(s.scratch);
    return true;
}
