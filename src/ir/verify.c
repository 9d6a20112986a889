// SPDX-License-Identifier: Apache-2.0
// verify.c - does a func keep the rules of the IR?
//
// Two walks, both linear. The first looks at the structure: links between ops, regions and values, ids, so that the
// second may follow any pointer and print any value. The second follows scopes: every use after its definition and in
// sight of it, result types as the shape rule gives them, sizes known where they are used, names of params given
// once, tapes used once.
//
// A tape is linear: at most one use, in the region that defines it or inside `if` regions of it, once on each way
// through. A message names the func, the op with its number (from 1, in order of the text) and its line.
#include "ir/ir.h"

#include <string.h>

enum {
    SYMBOL_DECLARED = 1,
    SYMBOL_BOUND,
    SYMBOL_GONE
}; // of the func; by an alloc in sight; by one in a region that ended

typedef struct {
    const ch_func *func;
    ch__arena *scratch;
    const ch__op *op;     // being looked at; NULL: the func itself
    int64_t number;       // of op
    int depth, loops;     // regions around; those of them that are not of `if`
    bool *ids;            // seen at all
    ch__value **in_sight; // by id
    int32_t *tape_loops;  // by id: loops + 1 where it was defined, 0 for other values
    bool *tape_used;
    CH_VEC(int32_t) tapes_used; // in order of use
    ch__strmap symbols;         // name to one of the above
    const ch__type **operands, **results;
    int64_t n_operands, n_results; // room in these
    int64_t replicas, replicas_op; // that the groups met so far are for, and the number of the first op; 0: none
} verifier;

// ---------------------------------------------------------------- messages
static const char *value_text(const verifier *v, const ch__value *x) {
    ch__text t;
    ch__text_init(&t, v->scratch);
    ch__print_value(&t, x);
    return t.data;
}

// "verify: @f: mul %y (op 3, f.ir:4)"; without the values while the structure is not known to be sound.
static void put_place(const verifier *v, ch__text *t) {
    ch__putf(t, "verify: @%s: ", v->func->name);
    if (!v->op) return;
    const ch__op *op = v->op;
    ch__put(t, ch__op_name((ch__opcode)op->code));
    for (int i = 0; v->in_sight && i < op->n_results; i++)
        ch__putf(t, "%s %s", i ? "," : "", value_text(v, &op->results[i]));
    ch__putf(t, " (op %" PRId64, v->number);
    if (op->loc && op->loc->file) ch__putf(t, ", %s:%d", op->loc->file, op->loc->line);
    ch__put(t, "): ");
}

CH_NORETURN static void verify_bad(const verifier *v, const char *fmt, ...) CH_PRINTF(2, 3);

static void verify_bad(const verifier *v, const char *fmt, ...) {
    char reason[900];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(reason, sizeof reason, fmt, ap);
    va_end(ap);
    ch__text t;
    ch__text_init(&t, v->scratch);
    put_place(v, &t);
    ch__raise(CH__E_verify, "%s%s", t.data, reason);
}

// ---------------------------------------------------------------- first walk: structure
static void see_id(verifier *v, int32_t id) {
    if (id < 0 || id >= v->func->n_values)
        verify_bad(v, "a value has id %d — ids are 0 to %d", id, v->func->n_values - 1);
    if (v->ids[id]) verify_bad(v, "a value has id %d — another has it already", id);
    v->ids[id] = true;
}

static void check_list(verifier *v, ch__value *const *list, int32_t n, const char *what) {
    for (int32_t i = 0; i < n; i++) {
        if (!list || !list[i]) verify_bad(v, "%s %d is missing", what, i);
        if (!list[i]->op == !list[i]->region || (list[i]->op && !list[i]->op->parent))
            verify_bad(v, "%s %d is defined nowhere in a func", what, i);
        if (!list[i]->type) verify_bad(v, "%s %d has no type", what, i);
    }
}

// Messages speak of op from here on; gives the number of the last op met, for going on.
static int64_t speak_of(verifier *v, const ch__op *op, int64_t number) {
    int64_t last = v->number;
    v->op = op;
    v->number = number;
    return last;
}

static void region_structure(verifier *v, const ch__region *r, const ch__op *owner, int64_t number);

static void op_structure(verifier *v, const ch__op *op, const ch__region *r, const ch__op *prev) {
    int64_t number = v->number + 1, last = number;
    speak_of(v, op, number);
    if (op->code >= CH_OP_COUNT) verify_bad(v, "%d is the code of no operation", op->code);
    if (op->parent != r) verify_bad(v, "its parent is not the region it stands in");
    if (op->prev != prev) verify_bad(v, "the list of operations is broken before it");
    if (!op->next && r->last != op) verify_bad(v, "the list of operations ends before its last");
    check_list(v, op->operands, op->n_operands, "operand");
    for (int i = 0; i < op->n_results; i++) {
        const ch__value *x = &op->results[i];
        if (x->op != op || x->region || x->index != i) verify_bad(v, "result %d does not know its operation", i);
        if (!x->type) verify_bad(v, "result %d has no type", i);
        see_id(v, x->id);
    }
    for (int i = 0; i < op->n_attrs; i++) {
        if ((unsigned)op->attrs[i].id >= CH__ATTR_COUNT)
            verify_bad(v, "%d is the number of no attribute", op->attrs[i].id);
        if (i > 0 && op->attrs[i - 1].id >= op->attrs[i].id)
            verify_bad(v, "attribute %s is given twice or out of order", ch__attr_name(op->attrs[i].id));
    }
    if (op->n_regions && !(ch__op_info_of((ch__opcode)op->code)->flags & CH__REGION))
        verify_bad(v, "it has %d regions — it takes none", op->n_regions);
    for (int i = 0; i < op->n_regions; i++) {
        if (!op->regions[i]) verify_bad(v, "region %d is missing", i);
        v->number = last;
        region_structure(v, op->regions[i], op, number);
        last = speak_of(v, op, number);
    }
    v->number = last;
}

static void region_structure(verifier *v, const ch__region *r, const ch__op *owner, int64_t number) {
    int64_t last = speak_of(v, owner, number);
    if (++v->depth > CH__MAX_NEST) verify_bad(v, "regions nest more than %d deep", CH__MAX_NEST);
    if (r->owner != owner || r->func != v->func) verify_bad(v, "a region does not know its operation");
    for (int i = 0; i < r->n_params; i++) {
        const ch__value *x = r->params[i];
        if (!x || x->region != r || x->op || x->index != i) verify_bad(v, "param %d does not know its region", i);
        if (!x->type) verify_bad(v, "param %d has no type", i);
        see_id(v, x->id);
    }
    v->number = last;
    const ch__op *prev = NULL;
    for (const ch__op *op = r->first; op; prev = op, op = op->next) op_structure(v, op, r, prev);
    last = speak_of(v, owner, number);
    check_list(v, r->results, r->n_results, "yield");
    v->number = last;
    v->depth--;
}

// ---------------------------------------------------------------- second walk: sizes and names
typedef struct {
    verifier *v;
    const ch__type *type;
    const char *what;
} symbol_use;

static void check_symbol(void *arg, const char *name) {
    symbol_use *u = arg;
    intptr_t state = (intptr_t)ch__strmap_get(&u->v->symbols, name);
    if (state == SYMBOL_DECLARED || state == SYMBOL_BOUND) return;
    const char *what =
        u->type ? ch__arena_printf(u->v->scratch, "%s is %s", u->what, ch__type_text(u->v->scratch, u->type)) : u->what;
    if (state == SYMBOL_GONE) verify_bad(u->v, "%s — the size %s is known only inside a region that ended", what, name);
    verify_bad(u->v, "%s — the size %s is neither declared by the func nor bound by an alloc before", what, name);
}

static void check_type(verifier *v, const ch__type *t, const char *what) {
    char class = ch__dtype_class(t->dtype);
    if (!class || class == 'r')
        verify_bad(v, "%s has the dtype %s, which is reserved or none", what, ch_dtype_name(t->dtype));
    if (t->rank < 0 || t->rank > CH__MAX_RANK)
        verify_bad(v, "%s has rank %d — 0 to %d are allowed", what, t->rank, CH__MAX_RANK);
    symbol_use use = {v, t, what};
    for (int i = 0; i < t->rank; i++) {
        if (ch__dim_is_const(t->dims[i]) && t->dims[i].val < 0)
            verify_bad(v, "%s is %s — a size is 0 or more", what, ch__type_text(v->scratch, t));
        ch__dim_symbols(t->dims[i], check_symbol, &use);
    }
}

static void define(verifier *v, ch__value *x) {
    v->in_sight[x->id] = x;
    if (x->type->tape) v->tape_loops[x->id] = v->loops + 1;
}

static void use_tape(verifier *v, const ch__value *x, const char *what) {
    if (v->tape_loops[x->id] != v->loops + 1)
        verify_bad(v, "%s is the tape %s of an outer region — a tape is passed on, not reached for", what,
                   value_text(v, x));
    if (v->tape_used[x->id])
        verify_bad(v, "%s is the tape %s, which is used already — a tape is used once", what, value_text(v, x));
    v->tape_used[x->id] = true;
    CH_PUSH(v->scratch, &v->tapes_used, x->id);
}

static void check_use(verifier *v, const ch__value *x, const char *what) {
    if (x->id >= 0 && x->id < v->func->n_values && v->in_sight[x->id] == x) {
        if (x->type->tape) use_tape(v, x, what);
        return;
    }
    const ch_func *of = ch__value_func(x);
    if (of != v->func) verify_bad(v, "%s is %s, a value of @%s", what, value_text(v, x), of->name);
    verify_bad(v, "%s is %s, which is not defined before it or not in sight here", what, value_text(v, x));
}

static const char *operand_text(const verifier *v, int i) {
    char buf[32];
    return ch__arena_strdup(v->scratch, ch__op_operand_name((ch__opcode)v->op->code, i, buf));
}

// ---------------------------------------------------------------- second walk: types
static const ch__type **room(verifier *v, const ch__type **list, int64_t *n, int64_t want) {
    if (want <= *n) return list;
    *n = 2 * want;
    return CH_NEW_ARRAY(v->scratch, const ch__type *, *n);
}

// What the rule had to add to the func's clauses is taken back and said.
static void check_requires(verifier *v, int64_t before) {
    ch_func *f = (ch_func *)v->func;
    if (f->requires_.n == before) return;
    ch__require q = f->requires_.data[before];
    f->requires_.n = before;
    ch__text t;
    ch__text_init(&t, v->scratch);
    ch__dim_print(&t, q.a);
    ch__put(&t, " == ");
    ch__dim_print(&t, q.b);
    verify_bad(v, "it needs %s — the func does not require it", t.data);
}

static void check_results(verifier *v, const ch__op *op, const ch__infer *rule) {
    if (rule->n_results != op->n_results)
        verify_bad(v, "it has %d result%s — its operands give %d", op->n_results, op->n_results == 1 ? "" : "s",
                   rule->n_results);
    for (int i = 0; i < op->n_results; i++)
        if (!ch__type_equal(rule->results[i], op->results[i].type))
            verify_bad(v, "result %d is %s — its operands give %s", i, ch__type_text(v->scratch, op->results[i].type),
                       ch__type_text(v->scratch, rule->results[i]));
}

static void check_types(verifier *v, const ch__op *op) {
    const ch__op_info *info = ch__op_info_of((ch__opcode)op->code);
    int most = ch__infer_max_results((ch__opcode)op->code, op->n_operands);
    v->operands = room(v, v->operands, &v->n_operands, op->n_operands);
    v->results = room(v, v->results, &v->n_results, most > op->n_results ? most : op->n_results);
    for (int i = 0; i < op->n_operands; i++) v->operands[i] = op->operands[i]->type;
    for (int i = 0; i < op->n_results; i++) v->results[i] = op->results[i].type;
    int64_t before = v->func->requires_.n;
    ch__infer rule = {.arena = v->scratch,
                      .share = true,
                      .func = (ch_func *)v->func,
                      .code = (ch__opcode)op->code,
                      .n_operands = op->n_operands,
                      .operands = v->operands,
                      .n_attrs = op->n_attrs,
                      .attrs = op->attrs,
                      .n_results = info->typed ? op->n_results : 0,
                      .results = v->results,
                      .op = (ch__op *)op};
    ch__infer_types(&rule);
    check_requires(v, before);
    check_results(v, op, &rule);
}

static void check_callee(verifier *v, const ch__op *op) {
    const ch__attr *callee = ch__op_attr(op, CH__ATTR_callee);
    if (!callee) return; // the rule says that it is missing
    if (!callee->func) verify_bad(v, "it calls no func");
    if (callee->func->module != v->func->module)
        verify_bad(v, "it calls @%s, which is of another module", callee->func->name);
}

// All groups of a func are for the same replicas.
static void check_replicas(verifier *v, const ch__op *op) {
    int64_t n = ch__op_replicas(op);
    if (n == 0) return;
    if (v->replicas && v->replicas != n)
        verify_bad(v,
                   "its groups are for %" PRId64 " replicas, those of op %" PRId64 " for %" PRId64
                   " — all of a func are for the same",
                   n, v->replicas_op, v->replicas);
    if (v->replicas) return;
    v->replicas = n;
    v->replicas_op = v->number;
}

static void bind_symbols(verifier *v, const ch__op *op) {
    const char *const *names;
    int n = ch__alloc_symbols(v->scratch, ch__op_attr(op, CH__ATTR_symbols), &names);
    for (int i = 0; i < n; i++) {
        intptr_t now = (intptr_t)ch__strmap_get(&v->symbols, names[i]);
        if (now && now != SYMBOL_GONE) verify_bad(v, "it binds the size %s, which is bound already", names[i]);
        ch__strmap_put(&v->symbols, names[i], (void *)(intptr_t)SYMBOL_BOUND);
    }
}

static void check_dim_attrs(verifier *v, const ch__op *op) {
    symbol_use use = {v, NULL, "an attribute"};
    for (int i = 0; i < op->n_attrs; i++) {
        const ch__attr *at = &op->attrs[i];
        use.what = ch__attr_name(at->id); // "e — the size ..."
        if (ch__attr_kind_of(at->id) == CH__AK_DIM) ch__dim_symbols(at->dim, check_symbol, &use);
        if (ch__attr_kind_of(at->id) == CH__AK_DIMS)
            for (int k = 0; k < at->n; k++) ch__dim_symbols(at->dims[k], check_symbol, &use);
    }
}

// ---------------------------------------------------------------- second walk: ops and regions
static void check_region(verifier *v, const ch__region *r, int64_t number);

// Only one of the regions of an `if` runs: what the first used is free again for the second, and used after both.
static void check_branches(verifier *v, const ch__op *op, int64_t number) {
    int64_t start = v->tapes_used.n;
    for (int i = 0; i < op->n_regions; i++) {
        int64_t from = v->tapes_used.n;
        check_region(v, op->regions[i], number);
        for (int64_t k = from; k < v->tapes_used.n; k++) v->tape_used[v->tapes_used.data[k]] = false;
    }
    for (int64_t k = start; k < v->tapes_used.n; k++) v->tape_used[v->tapes_used.data[k]] = true;
}

static void check_op(verifier *v, const ch__op *op) {
    int64_t number = v->number + 1;
    speak_of(v, op, number);
    for (int i = 0; i < op->n_operands; i++) {
        const ch__value *x = op->operands[i];
        bool fine = x->id >= 0 && x->id < v->func->n_values && v->in_sight[x->id] == x && !x->type->tape;
        if (!fine) check_use(v, x, operand_text(v, i));
    }
    if (op->code == CH_OP_if) {
        check_branches(v, op, number);
    } else {
        v->loops++;
        for (int i = 0; i < op->n_regions; i++) check_region(v, op->regions[i], number);
        v->loops--;
    }
    int64_t last = speak_of(v, op, number);
    if (op->code == CH_OP_call) check_callee(v, op);
    if (op->code == CH_OP_alloc) bind_symbols(v, op);
    check_dim_attrs(v, op);
    check_types(v, op);
    if (ch__is_collective((ch__opcode)op->code)) check_replicas(v, op);
    for (int i = 0; i < op->n_results; i++) {
        check_type(v, op->results[i].type, "the result");
        define(v, &op->results[i]);
    }
    v->number = last;
}

// What a region defined goes out of sight.
static void leave_region(verifier *v, const ch__region *r) {
    for (int i = 0; i < r->n_params; i++) v->in_sight[r->params[i]->id] = NULL;
    for (const ch__op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->n_results; i++) v->in_sight[op->results[i].id] = NULL;
        if (op->code != CH_OP_alloc) continue;
        const char *const *names;
        int n = ch__alloc_symbols(v->scratch, ch__op_attr(op, CH__ATTR_symbols), &names);
        for (int i = 0; i < n; i++) ch__strmap_put(&v->symbols, names[i], (void *)(intptr_t)SYMBOL_GONE);
    }
}

static void check_region(verifier *v, const ch__region *r, int64_t number) {
    int64_t last = speak_of(v, r->owner, number);
    for (int i = 0; i < r->n_params; i++) {
        check_type(v, r->params[i]->type, "a param");
        define(v, r->params[i]);
    }
    v->number = last;
    for (const ch__op *op = r->first; op; op = op->next) check_op(v, op);
    last = speak_of(v, r->owner, number);
    for (int i = 0; i < r->n_results; i++) {
        if (!r->owner && r->results[i]->type->tape) verify_bad(v, "result %d is a tape — a func gives arrays", i);
        check_use(v, r->results[i],
                  r->owner ? ch__arena_printf(v->scratch, "yield %d", i)
                           : ch__arena_printf(v->scratch, "result %d", i));
    }
    v->number = last;
    if (r->owner) leave_region(v, r);
}

// ---------------------------------------------------------------- the func
static void check_head(verifier *v) {
    const ch_func *f = v->func;
    if (!f->name || !f->name[0]) verify_bad(v, "it has no name");
    for (int64_t i = 0; i < f->dims.n; i++) {
        const ch__dim_param *p = &f->dims.data[i];
        if (ch__strmap_get(&v->symbols, p->name)) verify_bad(v, "the size %s is declared twice", p->name);
        if (p->lo < 0 || p->lo > p->hi)
            verify_bad(v, "the size %s has the bounds %" PRId64 "..%" PRId64 " — they are ascending and 0 or more",
                       p->name, p->lo, p->hi);
        ch__strmap_put(&v->symbols, p->name, (void *)(intptr_t)SYMBOL_DECLARED);
    }
    symbol_use use = {v, NULL, "requires"};
    for (int64_t i = 0; i < f->requires_.n; i++) {
        ch__dim_symbols(f->requires_.data[i].a, check_symbol, &use);
        ch__dim_symbols(f->requires_.data[i].b, check_symbol, &use);
    }
    ch__strmap names;
    ch__strmap_init(&names, v->scratch);
    for (int i = 0; i < f->body->n_params; i++) {
        ch__value *p = f->body->params[i];
        if (p->type->tape) verify_bad(v, "param %d is a tape — a func takes arrays", i);
        if (!p->name) continue;
        if (ch__strmap_get(&names, p->name)) verify_bad(v, "two params have the name %s", p->name);
        ch__strmap_put(&names, p->name, p);
    }
}

static void check_inout(verifier *v) {
    const ch_func *f = v->func;
    int n = f->body->n_results;
    int32_t *tied = CH_NEW_ARRAY(v->scratch, int32_t, n); // param + 1
    for (int i = 0; f->inout && i < f->body->n_params; i++) {
        int32_t at = f->inout[i];
        if (at == -1) continue;
        const ch__value *p = f->body->params[i];
        if (at < 0 || at >= n) verify_bad(v, "inout %s is tied to result %d — there are %d", value_text(v, p), at, n);
        if (tied[at])
            verify_bad(v, "inout %s is tied to result %d — %s is tied to it already", value_text(v, p), at,
                       value_text(v, f->body->params[tied[at] - 1]));
        tied[at] = i + 1;
        if (!ch__type_equal(p->type, f->body->results[at]->type))
            verify_bad(v, "inout %s is %s — result %d, which it is tied to, is %s", value_text(v, p),
                       ch__type_text(v->scratch, p->type), at, ch__type_text(v->scratch, f->body->results[at]->type));
    }
}

static void check_result_names(verifier *v) {
    const ch_func *f = v->func;
    ch__strmap seen;
    ch__strmap_init(&seen, v->scratch);
    for (int i = 0; f->result_names && i < f->body->n_results; i++) {
        const char *name = f->result_names[i];
        if (!name) continue;
        if (ch__strmap_get(&seen, name)) verify_bad(v, "two results have the name %s", name);
        ch__strmap_put(&seen, name, (void *)name);
    }
}

static void check_shardings(verifier *v) {
    const ch_func *f = v->func;
    for (int k = 0; k < 2; k++) {
        int n = k == 0 ? f->body->n_params : f->body->n_results;
        for (int i = 0; i < n; i++) {
            const char *text = k == 0 ? ch__param_sharding(f, i) : ch__result_sharding(f, i);
            if (!text) continue;
            const char *who = ch__arena_printf(v->scratch, "verify: @%s: %s %d", f->name, k ? "result" : "param", i);
            const ch__value *x = k == 0 ? f->body->params[i] : f->body->results[i];
            ch__sharding_fits(ch__sharding_read(v->scratch, who, text), who, x->type);
        }
    }
}

static void verify_run(void *arg) {
    verifier *v = arg;
    int32_t n = v->func->n_values;
    v->scratch = ch__arena_create();
    if (!v->func->body) verify_bad(v, "it has no body");
    v->ids = CH_NEW_ARRAY(v->scratch, bool, n);
    region_structure(v, v->func->body, NULL, 0);
    v->op = NULL;
    v->number = 0;
    v->in_sight = CH_NEW_ARRAY(v->scratch, ch__value *, n);
    v->tape_loops = CH_NEW_ARRAY(v->scratch, int32_t, n);
    v->tape_used = CH_NEW_ARRAY(v->scratch, bool, n);
    ch__strmap_init(&v->symbols, v->scratch);
    check_head(v);
    check_region(v, v->func->body, 0);
    check_inout(v);
    check_result_names(v);
    v->op = NULL;
    check_shardings(v);
    ch__arena_destroy(v->scratch);
}

// What a shape rule raises is a broken rule of the IR here, at this op; its sentence is kept.
CH_NORETURN static void raise_at(verifier *v) {
    ch__error_copy e;
    ch__error_save(&e);
    if (e.id == CH__E_verify || ch__err_status(e.id) == CH_RESOURCE_EXHAUSTED || !v->op) ch__raise_current();
    v->scratch = ch__arena_create();
    ch__text t;
    ch__text_init(&t, v->scratch);
    put_place(v, &t);
    // Its sentence begins with the name of the op, which stands before it already.
    const char *name = ch__op_name((ch__opcode)v->op->code), *message = e.message;
    size_t n = strlen(name);
    if (strncmp(message, name, n) == 0 && strncmp(message + n, ": ", 2) == 0) message += n + 2;
    ch__raise(CH__E_verify, "%s%s", t.data, message);
}

void ch__verify(const ch_func *f) {
    verifier v = {.func = f};
    int64_t requires_n = f->requires_.n;
    if (ch__protect(verify_run, &v) == CH_OK) return;
    ((ch_func *)f)->requires_.n = requires_n;
    raise_at(&v);
}

void ch__verify_module(const ch__module *m) {
    ch__arena *scratch = ch__arena_create();
    ch__strmap names;
    ch__strmap_init(&names, scratch);
    const ch_func *last = NULL;
    for (const ch_func *f = m->first; f; last = f, f = f->next) {
        verifier v = {.func = f, .scratch = scratch};
        if (f->module != m) verify_bad(&v, "it does not know its module");
        if (ch__strmap_get(&names, f->name)) verify_bad(&v, "two funcs have this name");
        ch__strmap_put(&names, f->name, (void *)f);
        ch__verify(f);
    }
    if (m->last != last) {
        verifier v = {.func = m->last, .scratch = scratch};
        verify_bad(&v, "it is not the last of the list of funcs");
    }
    ch__arena_destroy(scratch);
}
