// SPDX-License-Identifier: Apache-2.0
// build.c - modules, funcs, regions and ops: how they are made and moved.
//
// Everything lies in the module's arena. An op is one block: itself, its results, operands, attributes and regions; a
// binary op on scalars takes 136 bytes. Lists that grow (params) double. Nothing here looks further than the op at
// hand.
#include "ir/ir.h"

#include <assert.h>
#include <string.h>

// ---------------------------------------------------------------- modules and funcs
ch__module *ch__module_create(void) {
    ch__arena *a = ch__arena_create();
    ch__module *m = CH_NEW(a, ch__module);
    m->arena = a;
    return m;
}

void ch__module_destroy(ch__module *m) {
    if (m) ch__arena_destroy(m->arena);
}

ch_func *ch__func_create(ch__module *m, const char *name) {
    ch_func *f = CH_NEW(m->arena, ch_func);
    f->module = m;
    f->name = ch__arena_strdup(m->arena, name);
    f->body = ch__region_create(f, NULL);
    if (m->last)
        m->last->next = f;
    else
        m->first = f;
    m->last = f;
    return f;
}

ch_func *ch__module_find(const ch__module *m, const char *name) {
    for (ch_func *f = m->first; f; f = f->next)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

const char *ch__module_fresh_name(ch__module *m, const char *base) {
    if (!ch__module_find(m, base)) return ch__arena_strdup(m->arena, base);
    for (int i = 1;; i++) {
        const char *name = ch__arena_printf(m->arena, "%s_%d", base, i);
        if (!ch__module_find(m, name)) return name;
    }
}

ch__dim_param *ch__func_dim_param(ch_func *f, const char *name) {
    for (int64_t i = 0; i < f->dims.n; i++)
        if (strcmp(f->dims.data[i].name, name) == 0) return &f->dims.data[i];
    return NULL;
}

void ch__func_add_dim(ch_func *f, const char *name, int64_t lo, int64_t hi) {
    if (ch__func_dim_param(f, name)) return;
    ch__arena *a = f->module->arena;
    const char *copy = ch__arena_strdup(a, name);
    CH_PUSH(a, &f->dims, (ch__dim_param){copy, lo, hi});
}

static void declare_symbol(void *f, const char *name) { ch__func_add_dim(f, name, 0, INT64_MAX); }

// Room for one more in a list of n that was grown by this function alone: at 0 and at every power of two from 4 it
// moves.
static void *list_grow(ch__arena *a, void *list, int32_t n, size_t elem) {
    if (n != 0 && (n < 4 || (n & (n - 1)))) return list;
    if (n > INT32_MAX / 2) ch__raise(CH__E_limit, "func: more than %d params", n);
    void *grown = ch__arena_array(a, n ? 2 * (size_t)n : 4, elem);
    if (n) memcpy(grown, list, (size_t)n * elem);
    return grown;
}

ch__value *ch__func_add_param(ch_func *f, const char *name, const ch__type *t) {
    int32_t n = f->body->n_params;
    if (f->inout) {
        f->inout = list_grow(f->module->arena, f->inout, n, sizeof *f->inout);
        f->inout[n] = -1;
    }
    for (int i = 0; i < t->rank; i++) ch__dim_symbols(t->dims[i], declare_symbol, f);
    return ch__region_add_param(f->body, name, t);
}

void ch__func_set_results(ch_func *f, int n, ch__value *const *values, const char *const *names) {
    ch__arena *a = f->module->arena;
    ch__region_set_results(f->body, n, values);
    f->result_names = NULL;
    f->n_result_shards = 0;
    if (!names) return;
    f->result_names = CH_NEW_ARRAY(a, const char *, n);
    for (int i = 0; i < n; i++) f->result_names[i] = names[i] ? ch__arena_strdup(a, names[i]) : NULL;
}

// ---------------------------------------------------------------- regions
ch__region *ch__region_create(ch_func *f, ch__op *owner) {
    ch__region *r = CH_NEW(f->module->arena, ch__region);
    r->owner = owner;
    r->func = f;
    return r;
}

ch__value *ch__region_add_param(ch__region *r, const char *name, const ch__type *t) {
    ch__arena *a = r->func->module->arena;
    ch__value *v = CH_NEW(a, ch__value);
    v->type = t;
    v->region = r;
    v->name = name ? ch__arena_strdup(a, name) : NULL;
    v->index = r->n_params;
    v->id = r->func->n_values++;
    r->params = list_grow(a, r->params, r->n_params, sizeof *r->params);
    r->params[r->n_params++] = v;
    return v;
}

void ch__region_set_results(ch__region *r, int n, ch__value *const *values) {
    r->results = ch__arena_dup(r->func->module->arena, values, (size_t)n * sizeof *values);
    r->n_results = n;
}

ch_func *ch__value_func(const ch__value *v) { return v->op ? v->op->parent->func : v->region->func; }

// ---------------------------------------------------------------- size symbols
// What the table holds for a name is the next number to try behind it.
static void symbol_take(ch_func *f, const char *name) {
    if (!ch__strmap_get(f->symbols, name)) ch__strmap_put(f->symbols, name, (void *)(intptr_t)1);
}

static void symbols_of_op(void *arg, ch__op *op) {
    ch_func *f = arg;
    const char *const *names;
    int n =
        op->code == CH_OP_alloc ? ch__alloc_symbols(f->module->arena, ch__op_attr(op, CH__ATTR_symbols), &names) : 0;
    for (int i = 0; i < n; i++) symbol_take(f, names[i]);
}

const char *ch__func_fresh_symbol(ch_func *f, const char *base) {
    ch__arena *a = f->module->arena;
    if (!f->symbols) {
        f->symbols = CH_NEW(a, ch__strmap);
        ch__strmap_init(f->symbols, a);
        ch__walk(f->body, symbols_of_op, f);
    }
    for (int64_t i = 0; i < f->dims.n; i++) symbol_take(f, f->dims.data[i].name);
    intptr_t next = (intptr_t)ch__strmap_get(f->symbols, base);
    const char *name = ch__arena_strdup(a, base);
    if (next) {
        do name = ch__arena_printf(a, "%s_%" PRIdPTR, base, next++);
        while (ch__strmap_get(f->symbols, name));
        ch__strmap_put(f->symbols, base, (void *)next);
    }
    symbol_take(f, name);
    return name;
}

// ---------------------------------------------------------------- building ops
ch__builder ch__builder_at_end(ch__region *r) { return (ch__builder){.func = r->func, .region = r}; }

ch__arena *ch__builder_arena(const ch__builder *b) { return b->func->module->arena; }

static void op_link(ch__op *op, ch__region *r, ch__op *before) {
    op->parent = r;
    op->next = before;
    op->prev = before ? before->prev : r->last;
    if (op->prev)
        op->prev->next = op;
    else
        r->first = op;
    if (before)
        before->prev = op;
    else
        r->last = op;
}

static void sort_attrs(ch__attr *attrs, int n) {
    for (int i = 1; i < n; i++) {
        ch__attr x = attrs[i];
        int at = i;
        for (; at > 0 && attrs[at - 1].id > x.id; at--) attrs[at] = attrs[at - 1];
        attrs[at] = x;
    }
}

// The block of one op, with room for n_results; op_set_results finds other room where there are more.
static ch__op *op_new(ch__builder *b, ch__opcode code, int n_operands, ch__value *const *operands, int n_attrs,
                      const ch__attr *attrs, int n_results, int n_regions, ch__region *const *regions) {
    ch__arena *a = ch__builder_arena(b);
    size_t bytes = sizeof(ch__op) + (size_t)n_results * sizeof(ch__value) + (size_t)n_operands * sizeof(ch__value *) +
                   (size_t)n_attrs * sizeof(ch__attr) + (size_t)n_regions * sizeof(ch__region *);
    if (n_attrs > CH__ATTR_COUNT || n_regions > INT16_MAX)
        ch__raise(CH__E_limit, "%s: %d attributes and %d regions", ch__op_name(code), n_attrs, n_regions);
    char *at = ch__arena_alloc(a, bytes);
    ch__op *op = (ch__op *)at;
    at += sizeof *op;
    op->results = (ch__value *)at;
    at += (size_t)n_results * sizeof(ch__value);
    op->operands = (ch__value **)at;
    at += (size_t)n_operands * sizeof(ch__value *);
    op->attrs = (ch__attr *)at;
    at += (size_t)n_attrs * sizeof(ch__attr);
    op->regions = (ch__region **)at;
    op->code = (uint16_t)code;
    op->loc = b->loc;
    op->n_operands = n_operands;
    op->n_results = n_results;
    op->n_attrs = (int16_t)n_attrs;
    op->n_regions = (int16_t)n_regions;
    for (int i = 0; i < n_operands; i++) op->operands[i] = operands[i];
    for (int i = 0; i < n_attrs; i++) op->attrs[i] = attrs[i];
    sort_attrs(op->attrs, n_attrs);
    for (int i = 0; i < n_regions; i++) {
        op->regions[i] = regions[i];
        regions[i]->owner = op;
    }
    return op;
}

static void op_set_results(ch__builder *b, ch__op *op, int n, const ch__type *const *types) {
    if (n > op->n_results) op->results = CH_NEW_ARRAY(ch__builder_arena(b), ch__value, n);
    op->n_results = n;
    for (int i = 0; i < n; i++) {
        ch__value *v = &op->results[i];
        v->type = types[i];
        v->op = op;
        v->index = i;
        v->id = b->func->n_values++;
    }
    op_link(op, b->region, b->before);
}

ch__op *ch__build_shallow(ch__builder *b, ch__opcode code, int n_operands, ch__value *const *operands, int n_attrs,
                          const ch__attr *attrs, int n_results, const ch__type *const *types, int n_regions,
                          ch__region *const *regions) {
    ch__op *op = op_new(b, code, n_operands, operands, n_attrs, attrs, n_results, n_regions, regions);
    op_set_results(b, op, n_results, types);
    return op;
}

ch__op *ch__build_raw(ch__builder *b, ch__opcode code, int n_operands, ch__value *const *operands, int n_attrs,
                      const ch__attr *attrs, int n_results, const ch__type *const *types, int n_regions,
                      ch__region *const *regions) {
    ch__op *op = op_new(b, code, n_operands, operands, n_attrs, attrs, n_results, n_regions, regions);
    for (int i = 0; i < n_attrs; i++) op->attrs[i] = ch__attr_copy(ch__builder_arena(b), op->attrs[i]);
    op_set_results(b, op, n_results, types);
    return op;
}

#define BUILD_FEW 16 // operands and results that need no memory of their own

ch__op *ch__build(ch__builder *b, ch__opcode code, int n_operands, ch__value *const *operands, int n_attrs,
                  const ch__attr *attrs, int n_types, const ch__type *const *types, int n_regions,
                  ch__region *const *regions) {
    ch__arena *a = ch__builder_arena(b);
    const ch__type *few_operands[BUILD_FEW], *few_results[BUILD_FEW];
    const ch__type **in = n_operands <= BUILD_FEW ? few_operands : CH_NEW_ARRAY(a, const ch__type *, n_operands);
    for (int i = 0; i < n_operands; i++) in[i] = operands[i]->type;
    // Attributes are copied first: result types and requires clauses may point into them.
    // Nearly every op without regions has one result: room for that lies in its block.
    ch__op *op = op_new(b, code, n_operands, operands, n_attrs, attrs, n_regions ? 0 : 1, n_regions, regions);
    for (int i = 0; i < n_attrs; i++) op->attrs[i] = ch__attr_copy(a, op->attrs[i]);
    op->parent = b->region;
    ch__infer rule = {.arena = a,
                      .share = true,
                      .func = b->func,
                      .code = code,
                      .n_operands = n_operands,
                      .operands = in,
                      .n_attrs = n_attrs,
                      .attrs = op->attrs,
                      .n_results = n_types,
                      .op = op};
    // Rules with more results than fit here bring their own array.
    int room = ch__infer_max_results(code, n_operands);
    if (room < n_types) room = n_types;
    rule.results = room <= BUILD_FEW ? few_results : CH_NEW_ARRAY(a, const ch__type *, room);
    for (int i = 0; i < n_types; i++) rule.results[i] = types[i];
    ch__infer_types(&rule);
    op_set_results(b, op, rule.n_results, rule.results);
    return op;
}

// ---------------------------------------------------------------- changing programs
void ch__op_remove(ch__op *op) {
    ch__region *r = op->parent;
    if (op->prev)
        op->prev->next = op->next;
    else
        r->first = op->next;
    if (op->next)
        op->next->prev = op->prev;
    else
        r->last = op->prev;
    op->prev = op->next = NULL;
    op->parent = NULL;
}

void ch__op_move_before(ch__op *op, ch__op *pos) {
    if (op == pos) return;
    ch__op_remove(op);
    op_link(op, pos->parent, pos);
}

const ch__loc *ch__loc_make(ch__arena *a, const char *file, int line, int col) {
    ch__loc *loc = CH_NEW(a, ch__loc);
    *loc = (ch__loc){.file = file ? ch__arena_strdup(a, file) : NULL, .line = line, .col = col};
    return loc;
}

const ch__loc *ch__loc_back(ch__arena *a, const ch__loc *loc) {
    if (!loc || loc->back) return loc;
    ch__loc *back = CH_NEW(a, ch__loc);
    *back = *loc;
    back->back = true;
    return back;
}
