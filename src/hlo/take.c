// SPDX-License-Identifier: Apache-2.0
// hlo/take.c - the tree of a StableHLO text to IR: funcs, regions, and what every operation needs.
//
// First the whole tree is looked at for what is not taken at all: types and operations refused by name. All of it is
// said in one error, with line and column. Then each operation is built by its row of hlo_ops.def; what can only be
// refused there joins the list, its results have no value, and what reads them is passed over. The types written are
// held against those that the shape rules give.
#include "hlo/hlo.h"

#include <string.h>

// ---------------------------------------------------------------- rows

static const ch__hlo_row hlo_take_rows[] = {
#define HLO(name, min, max, results, fn, code, what)                                                                   \
    {name, min, max, results, ch__hlo_take_##fn, CH_OP_##code, what, NULL},
#define NOT(name, why) {name, 0, 0, 0, NULL, CH_OP_const, NULL, why},
#include "hlo/hlo_ops.def"
};
enum { CH__HLO_ROWS = sizeof hlo_take_rows / sizeof *hlo_take_rows };

const ch__hlo_row *ch__hlo_row_at(int i) { return i < CH__HLO_ROWS ? &hlo_take_rows[i] : NULL; }

// ---------------------------------------------------------------- errors and refusals

void ch__hlo_refuse(ch__hlo_reader *r, const char *at, const char *fmt, ...) {
    char message[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    CH_PUSH(r->arena, &r->refused_at, at);
    CH_PUSH(r->arena, &r->refused, ch__arena_strdup(r->arena, message));
}

void ch__hlo_fail(ch__hlo_take *t, ch__err id, const char *fmt, ...) {
    char message[500];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    ch__parse_fail(&t->r->p, id, t->op->at, "%s: %s", t->op->name, message);
}

static const char *hlo_take_refusal(ch__hlo_reader *r, int i, bool whole, int64_t *length) {
    ch__text t;
    ch__text_init(&t, r->arena);
    ch__parse_put_place(&r->p, &t, r->refused_at.data[i], whole, r->refused.data[i]);
    *length = t.n + 1;
    return t.data;
}

// All of them in one error, in the order of the text, each as a mistake is shown: "name:line:col: message", the line
// and a caret. A sentence has CH__MESSAGE_BYTES: where that is not enough the last ones do without line and caret.
static void hlo_take_raise_refused(ch__hlo_reader *r) {
    enum { SHOWN = 16, ROOM = CH__MESSAGE_BYTES - 40 };
    int n = r->refused.n < SHOWN ? (int)r->refused.n : SHOWN;
    int64_t total = 0, bare, whole;
    ch__text t;
    if (n == 0) return;
    for (int i = 0; i < n; i++) {
        hlo_take_refusal(r, i, false, &bare);
        total += bare;
    }
    ch__text_init(&t, r->arena);
    for (int i = 0; i < n; i++) {
        const char *plain = hlo_take_refusal(r, i, false, &bare), *shown = hlo_take_refusal(r, i, true, &whole);
        bool fits = total + whole - bare <= ROOM;
        ch__putf(&t, "%s%s", i ? "\n" : "", fits ? shown : plain);
        total += fits ? whole - bare : ROOM; // none after one that does not fit
    }
    if (r->refused.n > n) ch__putf(&t, "\nand %d more", (int)(r->refused.n - n));
    r->p.located = true;
    ch__raise(CH__E_unsupported, "%s", t.data);
}

// ---------------------------------------------------------------- what is not taken at all

static void hlo_take_look_type(ch__hlo_reader *r, ch__hlo_type *type, const char *at, const char *who) {
    if (type->type || type->said) return;
    type->said = true;
    ch__hlo_refuse(r, at, "%s: %s is not taken: %s", who, type->text, type->why);
}

static const ch__hlo_row *hlo_take_row(ch__hlo_take *t, const ch__hlo_op *op) {
    const ch__hlo_row *row = ch__strmap_get(&t->rows, op->name);
    if (row) return row;
    const char *dot = strchr(op->name, '.');
    size_t n = dot ? (size_t)(dot - op->name) : 0;
    bool known = (n == 9 && memcmp(op->name, "stablehlo", n) == 0) || (n == 4 && memcmp(op->name, "chlo", n) == 0);
    if (!known) {
        ch__hlo_refuse(t->r, op->at, "%s: this operation is not taken — those of stablehlo and chlo, and func.call",
                       op->name);
        return NULL;
    }
    const char *names[CH__HLO_ROWS];
    for (int i = 0; i < CH__HLO_ROWS; i++) names[i] = hlo_take_rows[i].name;
    const char *near = ch__nearest(op->name, names, CH__HLO_ROWS);
    ch__parse_fail(&t->r->p, CH__E_unknown_op, op->at, "no operation '%s'%s%s%s", op->name,
                   near ? " — did you mean '" : " — docs/stablehlo.md lists those there are", near ? near : "",
                   near ? "'?" : "");
}

static void hlo_take_look(ch__hlo_take *t, const ch__hlo_region *region) {
    ch__hlo_reader *r = t->r;
    for (int i = 0; i < region->n_params; i++) {
        const ch__hlo_value *p = region->params[i];
        hlo_take_look_type(r, p->type, p->at, ch__arena_printf(r->arena, "param %%%s", p->name));
    }
    for (const ch__hlo_op *op = region->first; op && op != region->last; op = op->next) {
        const ch__hlo_row *row = hlo_take_row(t, op);
        if (row && row->why_not) ch__hlo_refuse(r, op->at, "%s is not taken: %s", op->name, row->why_not);
        for (int i = 0; i < op->n_results; i++) {
            if (row && row->why_not) op->results[i]->type->said = true; // one reason is enough
            hlo_take_look_type(r, op->results[i]->type, op->at, op->name);
        }
        for (int i = 0; i < op->n_regions; i++) hlo_take_look(t, op->regions[i]);
    }
}

// ---------------------------------------------------------------- attributes

const ch__hlo_attr *ch__hlo_attr_of(const ch__hlo_take *t, const char *name) {
    for (int64_t i = 0; i < t->op->attrs.n; i++)
        if (strcmp(t->op->attrs.data[i]->name, name) == 0) {
            t->op->attrs.data[i]->read = true;
            return t->op->attrs.data[i];
        }
    return NULL;
}

bool ch__hlo_is_attr_word(const ch__hlo_attr *a, const char *word) {
    return a && (a->kind == CH__HA_WORD || a->kind == CH__HA_STR) && strlen(word) == a->n &&
           memcmp(word, a->s, a->n) == 0;
}

static int64_t hlo_take_array_int(const ch__array *a, int64_t i) {
    uint64_t v = 0;
    size_t size = ch_dtype_size(a->dtype);
    memcpy(&v, (const char *)a->data + (a->splat ? 0 : (size_t)i * size), size);
    int shift = 64 - 8 * (int)size;
    return a->dtype == CH_BOOL ? (int64_t)v : (int64_t)(v << shift) >> shift;
}

static int64_t hlo_take_whole(ch__hlo_take *t, const ch__hlo_attr *x) {
    if (x->kind != CH__HA_INT && x->kind != CH__HA_BOOL)
        ch__parse_fail(&t->r->p, CH__E_attribute, x->at, "%s: expected a whole number", t->op->name);
    return x->i;
}

// The list may hold lists, one deep (padding).
int64_t *ch__hlo_ints_of(ch__hlo_take *t, const ch__hlo_attr *a, int *n) {
    *n = 0;
    if (!a) return NULL;
    CH_VEC(int64_t) out = {0};
    if (a->kind == CH__HA_DENSE) {
        if (!a->type->type || ch__is_float(a->type->type->dtype))
            ch__parse_fail(&t->r->p, CH__E_attribute, a->at, "%s: %s does not hold integers", t->op->name, a->name);
        const ch__array *d = ch__hlo_read_data(t->r, t->scratch, a);
        int64_t count = 1;
        for (int i = 0; i < a->type->type->rank; i++) count *= a->type->type->dims[i].val;
        if (count > 4096)
            ch__parse_fail(&t->r->p, CH__E_limit, a->at, "%s: %s holds more than 4096 numbers", t->op->name, a->name);
        for (int64_t i = 0; i < count; i++) CH_PUSH(t->scratch, &out, hlo_take_array_int(d, i));
    } else if (a->kind == CH__HA_INT || a->kind == CH__HA_BOOL) {
        CH_PUSH(t->scratch, &out, a->i);
    } else if (a->kind == CH__HA_LIST) {
        for (int64_t i = 0; i < a->items.n; i++) {
            const ch__hlo_attr *x = a->items.data[i];
            bool list = x->kind == CH__HA_LIST;
            for (int64_t k = 0; k < (list ? x->items.n : 1); k++)
                CH_PUSH(t->scratch, &out, hlo_take_whole(t, list ? x->items.data[k] : x));
        }
    } else {
        ch__parse_fail(&t->r->p, CH__E_attribute, a->at, "%s: %s is no list of whole numbers", t->op->name,
                       a->name ? a->name : "an attribute");
    }
    *n = (int)out.n;
    return out.data ? out.data : CH_NEW_ARRAY(t->scratch, int64_t, 1);
}

int64_t *ch__hlo_ints(ch__hlo_take *t, const char *name, const char * or, int *n) {
    const ch__hlo_attr *a = ch__hlo_attr_of(t, name);
    if (!a && or) a = ch__hlo_attr_of(t, or);
    return ch__hlo_ints_of(t, a, n);
}

int64_t ch__hlo_int(ch__hlo_take *t, const char *name, const char * or, int64_t absent) {
    const ch__hlo_attr *a = ch__hlo_attr_of(t, name);
    if (!a && or) a = ch__hlo_attr_of(t, or);
    if (!a) return absent;
    if (a->kind != CH__HA_INT && a->kind != CH__HA_BOOL)
        ch__parse_fail(&t->r->p, CH__E_attribute, a->at, "%s: %s is no whole number", t->op->name, a->name);
    return a->i;
}

static ch_dtype hlo_take_dtype_word(ch__hlo_take *t, const ch__hlo_attr *a) {
    for (int d = 1; d < CH__DTYPE_COUNT; d++) {
        const char *name = ch__dtype_class((ch_dtype)d) ? ch_dtype_name((ch_dtype)d) : NULL;
        if (name && ch__hlo_is_attr_word(a, name)) return (ch_dtype)d;
    }
    ch__parse_fail(&t->r->p, CH__E_attribute, a->at, "%s: %s is no dtype", t->op->name, a->name);
}

int ch__hlo_sums(ch__hlo_take *t, ch_dtype d, ch__attr *attrs, int n) {
    const ch__hlo_attr *acc = ch__hlo_attr_of(t, "chaac.acc"), *order = ch__hlo_attr_of(t, "chaac.order");
    if (acc && !ch__hlo_is_attr_word(acc, "none"))
        attrs[n++] = ch__attr_int(CH__ATTR_acc, hlo_take_dtype_word(t, acc));
    else if (!acc && ch__is_float(d))
        attrs[n++] = ch__attr_int(CH__ATTR_acc, CH_F64);
    int64_t word = CH__ANY;
    if (order && !ch__hlo_is_attr_word(order, "none") && !ch__word_find(CH__AK_ORDER, order->s, order->n, &word))
        ch__parse_fail(&t->r->p, CH__E_attribute, order->at, "%s: chaac.order is seq, any or none", t->op->name);
    if (order ? !ch__hlo_is_attr_word(order, "none") : ch__is_float(d)) attrs[n++] = ch__attr_int(CH__ATTR_order, word);
    return n;
}

int ch__hlo_tie(ch__hlo_take *t, ch__attr *attrs, int n) {
    const ch__hlo_attr *tie = ch__hlo_attr_of(t, "chaac.tie");
    int64_t word;
    if (!tie || ch__hlo_is_attr_word(tie, "none")) return n;
    if (!ch__word_find(CH__AK_TIE, tie->s, tie->n, &word))
        ch__parse_fail(&t->r->p, CH__E_attribute, tie->at, "%s: chaac.tie is split, first or all", t->op->name);
    attrs[n++] = ch__attr_int(CH__ATTR_tie, word);
    return n;
}

// ---------------------------------------------------------------- values

const ch__type *ch__hlo_shape(ch__hlo_take *t, ch_dtype d, int rank, const int64_t *dims) {
    ch__dim out[CH__MAX_RANK];
    if (rank > CH__MAX_RANK) ch__hlo_fail(t, CH__E_rank, "more than %d dimensions", CH__MAX_RANK);
    for (int i = 0; i < rank; i++) out[i] = ch__dim_const(dims[i]);
    return ch__type_make(t->module->arena, d, rank, out, NULL);
}

int64_t ch__hlo_dim(const ch__value *v, int i) { return v->type->dims[i].val; }

ch__value *ch__hlo_in(ch__hlo_take *t, int i) {
    ch__value *v = t->op->operands[i]->value;
    if (t->shape && v->type->rank == 0 && t->shape->rank > 0) return ch__b_broadcast_to(&t->b, v, t->shape);
    return v;
}

void ch__hlo_out(ch__hlo_take *t, int i, ch__value *v) { t->op->results[i]->value = v; }

const ch__type *ch__hlo_result_type(ch__hlo_take *t, int i) {
    const ch__type *type = t->op->results[i]->type->type;
    if (!t->shape) return type;
    return ch__type_with_dtype(t->module->arena, t->shape, type->dtype);
}

void ch__hlo_sort_attrs(int n, ch__attr *attrs) {
    for (int i = 1; i < n; i++) // few: by insertion
        for (int k = i; k > 0 && attrs[k].id < attrs[k - 1].id; k--) {
            ch__attr x = attrs[k];
            attrs[k] = attrs[k - 1];
            attrs[k - 1] = x;
        }
}

ch__value *ch__hlo_build1(ch__hlo_take *t, ch__opcode code, int n, ch__value *const *operands, int n_attrs,
                          ch__attr *attrs, const ch__type *type) {
    ch__hlo_sort_attrs(n_attrs, attrs);
    return &ch__build(&t->b, code, n, operands, n_attrs, attrs, type ? 1 : 0, &type, 0, NULL)->results[0];
}

ch__value *ch__hlo_i64(ch__hlo_take *t, int64_t v) {
    return ch__b_const(&t->b, &(ch__array){.dtype = CH_I64, .data = &v, .splat = true});
}

bool ch__hlo_scalar(const ch__value *v, uint64_t *bits) {
    while (v->op && (v->op->code == CH_OP_broadcast || v->op->code == CH_OP_reshape)) v = v->op->operands[0];
    if (!v->op || v->op->code != CH_OP_const) return false;
    const ch__array *a = ch__op_attr(v->op, CH__ATTR_value)->array;
    int64_t n = 1;
    if (!a->splat && !(ch__numel(a->rank, a->dims, &n) && n == 1)) return false;
    *bits = 0;
    memcpy(bits, a->data, ch_dtype_size(a->dtype));
    return true;
}

// ---------------------------------------------------------------- one operation

static const ch__loc *hlo_take_loc(ch__hlo_take *t, const char *at) {
    if (at < t->line_at) {
        t->line_at = t->r->p.text;
        t->line = 1;
    }
    for (; t->line_at < at; t->line_at++) t->line += *t->line_at == '\n';
    return ch__loc_make(t->module->arena, t->file, t->line, -1);
}

static void hlo_take_check_result(ch__hlo_take *t, const ch__hlo_op *op, int i) {
    const ch__value *v = op->results[i]->value;
    const ch__type *want = op->results[i]->type->type;
    if (!v || ch__type_equal(v->type, want)) return;
    ch__parse_fail(&t->r->p, CH__E_shape_mismatch, op->at, "%s: result %d is written as %s — its operands give %s",
                   op->name, i, op->results[i]->type->text, ch__type_text(t->scratch, v->type));
}

static void hlo_take_op(ch__hlo_take *t, ch__hlo_op *op) {
    ch__hlo_op *outer = t->op;
    t->op = op;
    t->r->p.here = op->at;
    op->taken = true;
    const ch__hlo_row *row = hlo_take_row(t, op);
    if (op->n_operands < row->min || (row->max >= 0 && op->n_operands > row->max)) {
        if (row->max < 0)
            ch__hlo_fail(t, CH__E_arity, "%d operand%s given — at least %d %s wanted", op->n_operands,
                         op->n_operands == 1 ? "" : "s", row->min, row->min == 1 ? "is" : "are");
        ch__hlo_fail(t, CH__E_arity, "%d operand%s given — it takes %d", op->n_operands, op->n_operands == 1 ? "" : "s",
                     row->max);
    }
    if (row->results >= 0 && op->n_results != row->results)
        ch__hlo_fail(t, CH__E_arity, "%d result%s written — it has %d", op->n_results, op->n_results == 1 ? "" : "s",
                     row->results);
    bool whole = true;
    for (int i = 0; i < op->n_operands; i++) whole = whole && op->operands[i]->value;
    if (whole) {
        t->b.loc = hlo_take_loc(t, op->at);
        row->fn(t, row);
        for (int i = 0; i < op->n_results; i++) {
            if (!op->results[i]->value && t->r->refused.n == 0)
                ch__hlo_fail(t, CH__E_arity, "%d results are written — it has %d", op->n_results, i);
            if (!t->shape) hlo_take_check_result(t, op, i);
        }
    }
    t->op = outer;
}

void ch__hlo_take_ops(ch__hlo_take *t, const ch__hlo_region *from, ch__value **results) {
    for (ch__hlo_op *op = from->first; op && op != from->last; op = op->next) hlo_take_op(t, op);
    for (int i = 0; i < from->last->n_operands; i++) results[i] = from->last->operands[i]->value;
    t->r->p.here = t->op ? t->op->at : from->last->at;
}

ch__region *ch__hlo_take_region(ch__hlo_take *t, const ch__hlo_region *from) {
    ch__region *to = ch__region_create(t->b.func, NULL);
    ch__builder outer = t->b;
    for (int i = 0; i < from->n_params; i++)
        from->params[i]->value = ch__region_add_param(to, NULL, from->params[i]->type->type);
    t->b = ch__builder_at_end(to);
    ch__value **results = CH_NEW_ARRAY(t->scratch, ch__value *, from->last->n_operands + 1);
    ch__hlo_take_ops(t, from, results);
    bool whole = true;
    for (int i = 0; i < from->last->n_operands; i++) whole = whole && results[i];
    if (!whole) hlo_take_raise_refused(t->r); // a value is missing: nothing can be built around it
    ch__region_set_results(to, from->last->n_operands, results);
    t->b = outer;
    return to;
}

// That a region of scalars, with the funcs it calls, can be applied to arrays: operations on scalars, nothing else.
static void hlo_take_scalars(ch__hlo_take *t, const ch__hlo_region *from, int depth, int *calls) {
    enum { DEEP = 16, MANY = 1000 };
    for (const ch__hlo_op *op = from->first; op && op != from->last; op = op->next) {
        const ch__hlo_row *row = hlo_take_row(t, op);
        bool scalar = op->n_regions == 0 && row &&
                      (ch__op_info_of(row->code)->flags & CH__ELEMWISE || row->code == CH_OP_const ||
                       row->code == CH_OP_convert || row->code == CH_OP_bitcast || row->code == CH_OP_broadcast ||
                       row->code == CH_OP_reshape || row->code == CH_OP_call);
        for (int i = 0; i < op->n_results; i++)
            scalar = scalar && op->results[i]->type->type && op->results[i]->type->type->rank == 0;
        if (!scalar) {
            ch__hlo_refuse(t->r, op->at, "%s in the region of a %s: only operations on scalars are taken there",
                           op->name, t->op->name);
            hlo_take_raise_refused(t->r);
        }
        if (row->code != CH_OP_call) continue;
        const ch__hlo_func *f = ch__hlo_callee(t, op);
        if (depth == DEEP || ++*calls > MANY)
            ch__parse_fail(&t->r->p, CH__E_limit, op->at,
                           "func.call in the region of a %s: funcs call funcs more than %d deep, or %d times",
                           t->op->name, DEEP, MANY);
        if (!f->op || f->func) hlo_take_scalars(t, f->body, depth + 1, calls);
        int code = f->op ? ch__op_find(f->op, strlen(f->op)) : -1;
        if (f->op && !f->func && !(code >= 0 && ch__op_info_of((ch__opcode)code)->flags & CH__ELEMWISE))
            ch__parse_fail(&t->r->p, CH__E_unsupported, op->at,
                           "func.call in the region of a %s: @%s stands for %s — operations on scalars are taken there",
                           t->op->name, f->name, f->op);
    }
}

void ch__hlo_apply_func(ch__hlo_take *t, const ch__hlo_func *f, ch__value *const *args, ch__value **out) {
    const int n = f->body->n_params;
    ch__value **kept = CH_NEW_ARRAY(t->scratch, ch__value *, n + 1); // the func's own, which may not be built yet
    for (int i = 0; i < n; i++) {
        kept[i] = f->body->params[i]->value;
        f->body->params[i]->value = args[i];
    }
    ch__hlo_take_ops(t, f->body, out);
    for (int i = 0; i < n; i++) f->body->params[i]->value = kept[i];
}

void ch__hlo_apply(ch__hlo_take *t, const ch__hlo_region *from, ch__value *const *args, const ch__type *shape,
                   ch__value **out) {
    const ch__type *outer = t->shape;
    for (int i = 0; i < from->n_params; i++) from->params[i]->value = args[i];
    int calls = 0;
    hlo_take_scalars(t, from, 0, &calls);
    t->shape = shape;
    ch__hlo_take_ops(t, from, out);
    t->shape = outer;
    for (int i = 0; i < from->last->n_operands; i++)
        if (out[i] && out[i]->type->rank == 0 && shape->rank > 0) out[i] = ch__b_broadcast_to(&t->b, out[i], shape);
}

// ---------------------------------------------------------------- funcs

static const char *hlo_take_identifier(ch__hlo_take *t, const char *name) {
    char *out = ch__arena_printf(t->scratch, "%s%s", name[0] >= '0' && name[0] <= '9' ? "_" : "", name);
    for (char *c = out; *c; c++) {
        bool fine = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
        if (!fine) *c = '_';
    }
    return out;
}

static void hlo_take_head(ch__hlo_take *t, ch__hlo_func *f) {
    f->func = ch__func_create(t->module, ch__module_fresh_name(t->module, hlo_take_identifier(t, f->name)));
    f->func->loc = hlo_take_loc(t, f->at);
    ch__strmap taken;
    ch__strmap_init(&taken, t->scratch);
    for (int i = 0; i < f->body->n_params; i++) {
        const char *base = hlo_take_identifier(t, f->body->params[i]->name), *name = base;
        for (int k = 1; ch__strmap_get(&taken, name); k++) name = ch__arena_printf(t->scratch, "%s_%d", base, k);
        ch__strmap_put(&taken, name, f);
        t->r->p.here = f->body->params[i]->at;
        f->body->params[i]->value =
            ch__func_add_param(f->func, ch__arena_strdup(t->module->arena, name), f->body->params[i]->type->type);
    }
}

// tf.aliasing_output = 0 : i32 on a param
static void hlo_take_aliases(ch__hlo_take *t, ch__hlo_func *f) {
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__hlo_attr *a = f->param_attrs ? ch__hlo_dict_get(f->param_attrs[i], "tf.aliasing_output") : NULL;
        if (!a) continue;
        if (a->kind != CH__HA_INT || a->i < 0 || a->i >= f->n_results)
            ch__parse_fail(&t->r->p, CH__E_arity, a->at,
                           "param %%%s aliases result %lld, counted from 0 — there are %d", f->body->params[i]->name,
                           (long long)a->i, f->n_results);
        if (f->body->params[i]->type != f->results[a->i] &&
            strcmp(f->body->params[i]->type->text, f->results[a->i]->text) != 0)
            ch__parse_fail(&t->r->p, CH__E_shape_mismatch, a->at,
                           "param %%%s is %s and aliases result %lld, which is %s", f->body->params[i]->name,
                           f->body->params[i]->type->text, (long long)a->i, f->results[a->i]->text);
        if (!f->func->inout) {
            f->func->inout = CH_NEW_ARRAY(t->module->arena, int32_t, f->body->n_params);
            for (int k = 0; k < f->body->n_params; k++) f->func->inout[k] = -1;
        }
        for (int k = 0; k < i; k++)
            if (f->func->inout[k] == a->i)
                ch__parse_fail(&t->r->p, CH__E_duplicate_name, a->at, "result %lld is aliased by two params",
                               (long long)a->i);
        f->func->inout[i] = (int32_t)a->i;
    }
}

// jax.result_info = "loss" names a result when it is an identifier.
static void hlo_take_result_names(ch__hlo_take *t, ch__hlo_func *f) {
    const char **names = CH_NEW_ARRAY(t->module->arena, const char *, f->n_results + 1);
    bool any = false;
    for (int i = 0; i < f->n_results; i++) {
        const ch__hlo_attr *a = f->result_attrs ? ch__hlo_dict_get(f->result_attrs[i], "jax.result_info") : NULL;
        if (!a || a->kind != CH__HA_STR || a->n == 0) continue;
        const char *name = ch__arena_strndup(t->module->arena, a->s, a->n);
        if (name[0] >= '0' && name[0] <= '9') continue;
        if (strcmp(name, hlo_take_identifier(t, name)) != 0) continue;
        bool twice = false;
        for (int k = 0; k < i; k++) twice = twice || ch__streq(names[k], name);
        if (twice) continue;
        names[i] = name;
        any = true;
    }
    if (any) f->func->result_names = names;
}

static void hlo_take_body(ch__hlo_take *t, ch__hlo_func *f) {
    ch__value **results = CH_NEW_ARRAY(t->scratch, ch__value *, f->body->last->n_operands + 1);
    t->b = ch__builder_at_end(f->func->body);
    t->op = NULL;
    ch__hlo_take_ops(t, f->body, results);
    const ch__hlo_op *end = f->body->last;
    if (end->n_operands != f->n_results)
        ch__parse_fail(&t->r->p, CH__E_arity, end->at, "@%s returns %d value%s — its header says %d", f->name,
                       end->n_operands, end->n_operands == 1 ? "" : "s", f->n_results);
    bool whole = true;
    for (int i = 0; i < f->n_results; i++) {
        whole = whole && results[i];
        if (results[i] && !ch__type_equal(results[i]->type, f->results[i]->type))
            ch__parse_fail(&t->r->p, CH__E_shape_mismatch, end->at,
                           "@%s: result %d is %s in the header — %s is returned", f->name, i, f->results[i]->text,
                           end->operands[i]->type->text);
    }
    if (whole) ch__func_set_results(f->func, f->n_results, results, NULL);
    hlo_take_aliases(t, f);
    if (whole) ch__hlo_take_shardings(t, f);
    hlo_take_result_names(t, f);
}

ch_func *ch__hlo_take_module(ch__hlo_reader *r, ch__module *m, const char *main) {
    ch__hlo_take t = {.r = r, .module = m, .scratch = r->arena, .line_at = r->p.text, .line = 1};
    t.file = ch__arena_strdup(m->arena, r->p.name);
    ch__strmap_init(&t.rows, r->arena);
    for (int i = 0; i < CH__HLO_ROWS; i++)
        ch__strmap_put(&t.rows, hlo_take_rows[i].name, (void *)(uintptr_t)&hlo_take_rows[i]);
    ch__hlo_func *chosen = ch__strmap_get(&r->funcs, main ? main : "main");
    if (!chosen) {
        ch__text names;
        ch__text_init(&names, r->arena);
        int n = 0;
        for (const ch__hlo_func *f = r->first; f && n < 16; f = f->next)
            ch__putf(&names, "%s@%s", n++ ? ", " : "", f->name);
        ch__parse_fail(&r->p, CH__E_unknown_func, r->first ? r->first->at : r->p.text, "no func @%s — there is %s",
                       main ? main : "main", n ? names.data : "none");
    }
    for (ch__hlo_func *f = r->first; f; f = f->next) {
        if (f->op && f != chosen) continue;
        hlo_take_look(&t, f->body);
        for (int i = 0; i < f->n_results; i++) hlo_take_look_type(r, f->results[i], f->results[i]->at, f->name);
    }
    hlo_take_raise_refused(r);
    for (ch__hlo_func *f = r->first; f; f = f->next)
        if (!f->op || f == chosen) hlo_take_head(&t, f);
    for (ch__hlo_func *f = r->first; f; f = f->next)
        if (!f->op || f == chosen) hlo_take_body(&t, f);
    hlo_take_raise_refused(r);
    m->notes = ch__hlo_notes(r, m->arena);
    m->name = r->module_name;
    return chosen->func;
}
