// SPDX-License-Identifier: Apache-2.0
// print.c - a func or module as IR text that reads back to the same.
//
// Two walks, both linear: the first gives every value its name (named values keep theirs, made unique as name, name_1;
// the others get numbers in the order of the text), the second writes. What is written is canonical: printing what was
// read from a printed text gives that text again. docs/ir.md has the grammar.
#include "ir/ir.h"
#include "ir/print_data.h"

#include <string.h>

typedef struct print_name {
    const char *name;
    int32_t number;
} print_name; // name NULL: the number
typedef struct printer {
    ch__text *t;
    ch__arena *scratch;
    print_name *names; // by value id
    int32_t n_names;
    int32_t next;
    ch__strmap taken; // name -> int32_t counter of the last suffix tried
    bool one_line;    // regions as { ... }, for messages
    bool no_places;
} printer;

// ---------------------------------------------------------------- names

static bool print_is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

// name as a C identifier; other characters become '_'.
static const char *print_identifier(ch__arena *a, const char *name) {
    bool fine = !(name[0] >= '0' && name[0] <= '9');
    for (const char *s = name; *s; s++) fine = fine && print_is_word(*s);
    if (fine) return name;
    bool digit = name[0] >= '0' && name[0] <= '9';
    char *out = ch__arena_printf(a, "%s%s", digit ? "_" : "", name);
    for (char *s = out; *s; s++) {
        if (!print_is_word(*s)) *s = '_';
    }
    return out;
}

static const char *print_unique(printer *p, const char *wanted) {
    const char *name = print_identifier(p->scratch, wanted);
    int32_t *count = ch__strmap_get(&p->taken, name);
    if (count) {
        const char *base = name;
        do {
            name = ch__arena_printf(p->scratch, "%s_%d", base, (int)++*count);
        } while (ch__strmap_get(&p->taken, name));
    }
    ch__strmap_put(&p->taken, name, CH_NEW(p->scratch, int32_t));
    return name;
}

static void print_name_value(printer *p, const ch__value *v, const char *fallback) {
    if (v->id < 0 || v->id >= p->n_names) return;
    const char *name = v->name && v->name[0] ? v->name : fallback;
    if (name) {
        p->names[v->id].name = print_unique(p, name);
    } else {
        p->names[v->id].number = p->next++;
    }
}

static void print_name_region(printer *p, const ch__region *r);

static void print_name_op(printer *p, const ch__op *op) {
    for (int i = 0; i < op->n_results; i++) print_name_value(p, &op->results[i], NULL);
    for (int k = 0; k < op->n_regions; k++) {
        const ch__region *r = op->regions[k];
        // The body of a while has the names of its condition's params: they are written once.
        bool same = op->code == CH_OP_while && k == 1 && r->n_params == op->regions[0]->n_params;
        for (int i = 0; i < r->n_params; i++) {
            if (same) {
                p->names[r->params[i]->id] = p->names[op->regions[0]->params[i]->id];
            } else {
                print_name_value(p, r->params[i], NULL);
            }
        }
        print_name_region(p, r);
    }
}

static void print_name_region(printer *p, const ch__region *r) {
    for (const ch__op *op = r->first; op; op = op->next) print_name_op(p, op);
}

static void print_begin(printer *p, ch__text *t, ch__arena *scratch, const ch_func *f) {
    *p = (printer){.t = t, .scratch = scratch, .n_names = f ? f->n_values : 0};
    p->names = CH_NEW_ARRAY(scratch, print_name, p->n_names + 1);
    ch__strmap_init(&p->taken, scratch);
    if (!f) return;
    for (int32_t i = 0; i < p->n_names; i++) p->names[i].number = -1;
    for (int i = 0; i < f->body->n_params; i++) {
        char arg[24];
        snprintf(arg, sizeof arg, "arg%d", i);
        print_name_value(p, f->body->params[i], arg);
    }
    print_name_region(p, f->body);
}

static void print_value(printer *p, const ch__value *v) {
    ch__putc(p->t, '%');
    print_name n = v && v->id >= 0 && v->id < p->n_names ? p->names[v->id] : (print_name){NULL, -1};
    if (n.name) {
        ch__put(p->t, n.name);
    } else if (n.number >= 0) {
        ch__put_i64(p->t, n.number);
    } else {
        ch__put(p->t, v && v->name ? v->name : "?"); // a value that stands in no func yet
    }
}

static void print_values(printer *p, int n, ch__value *const *values) {
    for (int i = 0; i < n; i++) {
        if (i) ch__put(p->t, ", ");
        print_value(p, values[i]);
    }
}

// ---------------------------------------------------------------- attributes

static void print_ints(ch__text *t, int n, const int64_t *v) {
    ch__putc(t, '[');
    for (int i = 0; i < n; i++) {
        if (i) ch__putc(t, ',');
        ch__put_i64(t, v[i]);
    }
    ch__putc(t, ']');
}

static void print_attr_value(printer *p, const ch__attr *a) {
    ch__text *t = p->t;
    ch__attr_kind kind = ch__attr_kind_of(a->id);
    switch (kind) {
    case CH__AK_INT: ch__put_i64(t, a->i); break;
    case CH__AK_INTS: print_ints(t, a->n, a->ints); break;
    case CH__AK_DIM: ch__dim_print(t, a->dim); break;
    case CH__AK_DIMS:
        ch__putc(t, '[');
        for (int i = 0; i < a->n; i++) {
            if (i) ch__putc(t, ',');
            ch__dim_print(t, a->dims[i]);
        }
        ch__putc(t, ']');
        break;
    case CH__AK_ROWS:
        ch__putc(t, '[');
        for (int i = 0; i < a->n; i += 1 + (int)a->ints[i]) {
            if (i) ch__putc(t, ',');
            print_ints(t, (int)a->ints[i], a->ints + i + 1);
        }
        ch__putc(t, ']');
        break;
    case CH__AK_PAIRS:
        print_ints(t, a->n, a->ints);
        ch__putc(t, 'x');
        print_ints(t, a->n, a->ints + a->n);
        break;
    case CH__AK_BOOL: ch__put(t, a->i ? "true" : "false"); break;
    case CH__AK_DTYPE: ch__put(t, ch_dtype_name((ch_dtype)a->i)); break;
    case CH__AK_STR: ch__put_quoted(t, a->s); break;
    case CH__AK_ARRAY: ch__print_data(t, a->array, p->one_line); break;
    case CH__AK_FUNC:
        ch__putc(t, '@');
        ch__put(t, a->func->name);
        break;
    default: {
        const char *word = ch__word_name(kind, a->i);
        ch__put(t, word ? word : "?");
    }
    }
}

// Required attributes first, as the row of the op names them; those in `skip` are written elsewhere.
static void print_attrs(printer *p, const ch__op *op, uint64_t skip) {
    uint64_t required = ch__op_info_of((ch__opcode)op->code)->attrs;
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < op->n_attrs; i++) {
            const ch__attr *a = &op->attrs[i];
            if (skip >> a->id & 1 || (required >> a->id & 1) != (pass == 0)) continue;
            ch__put(p->t, n++ ? ", " : " {");
            ch__put(p->t, ch__attr_name(a->id));
            ch__put(p->t, " = ");
            print_attr_value(p, a);
        }
    }
    if (n) ch__putc(p->t, '}');
}

// ---------------------------------------------------------------- ops

static void print_indent(printer *p, int depth) {
    for (int i = 0; i < depth; i++) ch__put(p->t, "  ");
}

static void print_op(printer *p, const ch__op *op, int depth);

static void print_region(printer *p, const ch__region *r, int depth) {
    if (p->one_line) {
        ch__put(p->t, " { ... }");
        return;
    }
    ch__put(p->t, " {\n");
    for (const ch__op *op = r->first; op; op = op->next) print_op(p, op, depth + 1);
    print_indent(p, depth + 1);
    ch__put(p->t, r->n_results ? "yield " : "yield");
    print_values(p, r->n_results, r->results);
    ch__putc(p->t, '\n');
    print_indent(p, depth);
    ch__putc(p->t, '}');
}

// (%acc = %x, %b = %y): a region's params from `from` on, and the operands they start from.
static void print_inits(printer *p, const ch__region *r, int from, int n, ch__value *const *inits) {
    ch__putc(p->t, '(');
    for (int i = 0; i < n; i++) {
        if (i) ch__put(p->t, ", ");
        print_value(p, r->params[from + i]);
        ch__put(p->t, " = ");
        print_value(p, inits[i]);
    }
    ch__putc(p->t, ')');
}

static void print_for(printer *p, const ch__op *op, int depth) {
    const ch__region *r = op->regions[0];
    ch__putc(p->t, ' ');
    print_value(p, r->params[0]);
    ch__put(p->t, " = ");
    print_value(p, op->operands[0]);
    ch__put(p->t, " to ");
    print_value(p, op->operands[1]);
    ch__put(p->t, " step ");
    print_value(p, op->operands[2]);
    if (op->n_operands > 3) {
        ch__put(p->t, " iter");
        print_inits(p, r, 1, op->n_operands - 3, op->operands + 3);
    }
    print_attrs(p, op, 0);
    print_region(p, r, depth);
}

static void print_while(printer *p, const ch__op *op, int depth) {
    if (op->n_operands > 0) {
        ch__put(p->t, " iter");
        print_inits(p, op->regions[0], 0, op->n_operands, op->operands);
    }
    print_attrs(p, op, 0);
    print_region(p, op->regions[0], depth);
    ch__put(p->t, " do");
    print_region(p, op->regions[1], depth);
}

static void print_element(printer *p, const ch__op *op) {
    int first = op->code == CH_OP_set ? 2 : 1;
    ch__putc(p->t, ' ');
    print_value(p, op->operands[0]);
    ch__putc(p->t, '[');
    print_values(p, op->n_operands - first, op->operands + first);
    ch__putc(p->t, ']');
    if (op->code == CH_OP_set) {
        ch__put(p->t, ", ");
        print_value(p, op->operands[1]);
    }
    print_attrs(p, op, 0);
}

static void print_alloc(printer *p, const ch__op *op) {
    const ch__attr *symbols = ch__op_attr(op, CH__ATTR_symbols);
    const char *s = symbols ? symbols->s : "";
    for (int i = 0; i < op->n_operands; i++) {
        s += strspn(s, " ");
        size_t n = strcspn(s, " ");
        ch__put(p->t, i ? ", " : "<");
        ch__putn(p->t, s, n);
        ch__put(p->t, " = ");
        print_value(p, op->operands[i]);
        s += n;
    }
    if (op->n_operands) ch__putc(p->t, '>');
    print_attrs(p, op, UINT64_C(1) << CH__ATTR_symbols);
}

static void print_rule(printer *p, const ch__op *op, ch__rule_kind kind, int depth) {
    const ch__region *r = ch__composite_rule(op, kind);
    if (!r) return;
    ch__putf(p->t, " %s(", ch__rule_word(kind));
    print_values(p, r->n_params, r->params);
    ch__putc(p->t, ')');
    print_region(p, r, depth);
}

static void print_form(printer *p, const ch__op *op, int depth) {
    switch (op->code) {
    case CH_OP_if:
        ch__putc(p->t, ' ');
        print_values(p, op->n_operands, op->operands);
        print_attrs(p, op, 0);
        print_region(p, op->regions[0], depth);
        ch__put(p->t, " else");
        print_region(p, op->regions[1], depth);
        return;
    case CH_OP_for: print_for(p, op, depth); return;
    case CH_OP_while: print_while(p, op, depth); return;
    case CH_OP_call:
        ch__put(p->t, " @");
        ch__put(p->t, ch__op_attr(op, CH__ATTR_callee)->func->name);
        ch__putc(p->t, '(');
        print_values(p, op->n_operands, op->operands);
        ch__putc(p->t, ')');
        print_attrs(p, op, UINT64_C(1) << CH__ATTR_callee);
        return;
    case CH_OP_composite:
        ch__putc(p->t, ' ');
        ch__put_quoted(p->t, ch__op_attr(op, CH__ATTR_name)->s);
        print_inits(p, op->regions[0], 0, op->n_operands, op->operands);
        print_attrs(p, op, UINT64_C(1) << CH__ATTR_name);
        print_region(p, op->regions[0], depth);
        for (int k = 0; k < CH__RULE_KINDS; k++) print_rule(p, op, (ch__rule_kind)k, depth);
        return;
    case CH_OP_get:
    case CH_OP_set: print_element(p, op); return;
    case CH_OP_alloc: print_alloc(p, op); return;
    default:
        if (op->n_operands) ch__putc(p->t, ' ');
        print_values(p, op->n_operands, op->operands);
        print_attrs(p, op, 0);
    }
}

// " loc("file.c":12:3)"; a place in IR text itself (col < 0) is not written.
static void print_loc(printer *p, const ch__loc *loc) {
    if (p->no_places || !loc || !loc->file || loc->col < 0) return;
    ch__put(p->t, " loc(");
    ch__put_quoted(p->t, loc->file);
    if (loc->line > 0 || loc->col > 0) {
        ch__putc(p->t, ':');
        ch__put_i64(p->t, loc->line);
    }
    if (loc->col > 0) {
        ch__putc(p->t, ':');
        ch__put_i64(p->t, loc->col);
    }
    ch__putc(p->t, ')');
}

static void print_op(printer *p, const ch__op *op, int depth) {
    print_indent(p, depth);
    for (int i = 0; i < op->n_results; i++) {
        if (i) ch__put(p->t, ", ");
        print_value(p, &op->results[i]);
    }
    if (op->n_results) ch__put(p->t, " = ");
    ch__put(p->t, ch__op_name((ch__opcode)op->code));
    print_form(p, op, depth);
    for (int i = 0; i < op->n_results; i++) {
        ch__put(p->t, i ? ", " : " : ");
        ch__type_print(p->t, op->results[i].type);
    }
    if (p->one_line) return;
    print_loc(p, op->loc);
    ch__putc(p->t, '\n');
}

// ---------------------------------------------------------------- funcs

typedef struct print_symbols {
    const ch_func *f;
    int64_t n; // how many declared symbols were met, in their order
    bool in_order;
    ch__strmap seen;
} print_symbols;

static void print_meet_symbol(void *arg, const char *name) {
    print_symbols *s = arg;
    if (ch__strmap_get(&s->seen, name)) return;
    ch__strmap_put(&s->seen, name, s);
    if (s->n >= s->f->dims.n || !ch__streq(s->f->dims.data[s->n].name, name)) s->in_order = false;
    s->n++;
}

// <n in 1..64, m>: only when the params alone would not declare the same symbols in the same order.
static void print_dim_params(printer *p, const ch_func *f) {
    print_symbols s = {.f = f, .in_order = true};
    ch__strmap_init(&s.seen, p->scratch);
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__type *t = f->body->params[i]->type;
        for (int k = 0; k < t->rank; k++) ch__dim_symbols(t->dims[k], print_meet_symbol, &s);
    }
    bool plain = s.in_order && s.n == f->dims.n;
    for (int64_t i = 0; i < f->dims.n; i++) plain = plain && f->dims.data[i].lo == 0 && f->dims.data[i].hi == INT64_MAX;
    if (plain) return;
    for (int64_t i = 0; i < f->dims.n; i++) {
        const ch__dim_param *d = &f->dims.data[i];
        ch__put(p->t, i ? ", " : "<");
        ch__put(p->t, d->name);
        if (d->lo == 0 && d->hi == INT64_MAX) continue;
        ch__put(p->t, " in ");
        ch__put_i64(p->t, d->lo);
        ch__put(p->t, "..");
        if (d->hi != INT64_MAX) ch__put_i64(p->t, d->hi);
    }
    if (f->dims.n) ch__putc(p->t, '>');
}

static void print_sharding(printer *p, const char *text) {
    if (!text) return;
    ch__put(p->t, " sharded ");
    ch__put_quoted(p->t, text);
}

static void print_params(printer *p, const ch_func *f) {
    ch__putc(p->t, '(');
    for (int i = 0; i < f->body->n_params; i++) {
        if (i) ch__put(p->t, ", ");
        print_value(p, f->body->params[i]);
        ch__put(p->t, ": ");
        if (f->inout && f->inout[i] >= 0) {
            ch__put(p->t, "inout(");
            ch__put_i64(p->t, f->inout[i]);
            ch__put(p->t, ") ");
        }
        ch__type_print(p->t, f->body->params[i]->type);
        print_sharding(p, ch__param_sharding(f, i));
    }
    ch__putc(p->t, ')');
}

static void print_results(printer *p, const ch_func *f) {
    const ch__region *r = f->body;
    bool bare = r->n_results == 1 && !(f->result_names && f->result_names[0]) && !ch__result_sharding(f, 0);
    ch__strmap_init(&p->taken, p->scratch); // result names are a space of their own
    ch__put(p->t, bare ? " -> " : " -> (");
    for (int i = 0; i < r->n_results; i++) {
        if (i) ch__put(p->t, ", ");
        if (f->result_names && f->result_names[i]) {
            ch__putc(p->t, '%');
            ch__put(p->t, print_unique(p, f->result_names[i]));
            ch__put(p->t, ": ");
        }
        ch__type_print(p->t, r->results[i]->type);
        print_sharding(p, ch__result_sharding(f, i));
    }
    if (!bare) ch__putc(p->t, ')');
}

static void print_requires(printer *p, const ch_func *f) {
    for (int64_t i = 0; i < f->requires_.n; i++) {
        const ch__require *r = &f->requires_.data[i];
        ch__put(p->t, i ? ", " : " requires (");
        ch__dim_print(p->t, r->a);
        ch__put(p->t, " == ");
        ch__dim_print(p->t, r->b);
        if (r->why) {
            ch__putc(p->t, ' ');
            ch__put_quoted(p->t, r->why);
        }
    }
    if (f->requires_.n) ch__putc(p->t, ')');
}

static void print_whole(ch__text *t, const ch_func *f, bool places) {
    ch__arena *scratch = ch__arena_create();
    printer p;
    print_begin(&p, t, scratch, f);
    p.no_places = !places;
    ch__put(t, "func @");
    ch__put(t, f->name);
    print_dim_params(&p, f);
    print_params(&p, f);
    print_results(&p, f);
    print_requires(&p, f);
    ch__put(t, " {\n");
    for (const ch__op *op = f->body->first; op; op = op->next) print_op(&p, op, 1);
    ch__put(t, f->body->n_results ? "  return " : "  return");
    print_values(&p, f->body->n_results, f->body->results);
    ch__put(t, "\n}\n");
    ch__arena_destroy(scratch);
}

void ch__print_func(ch__text *t, const ch_func *f) { print_whole(t, f, true); }

static void print_all_of(ch__text *t, const ch__module *m, bool places) {
    ch__put(t, "chaac-ir 1\n");
    for (const ch_func *f = m->first; f; f = f->next) {
        if (f != m->first) ch__putc(t, '\n');
        print_whole(t, f, places);
    }
}

void ch__print_module(ch__text *t, const ch__module *m) { print_all_of(t, m, true); }

void ch__print_meaning(ch__text *t, const ch__module *m) { print_all_of(t, m, false); }

// ---------------------------------------------------------------- for messages

void ch__print_op(ch__text *t, const ch__op *op) {
    ch__arena *scratch = ch__arena_create();
    printer p;
    print_begin(&p, t, scratch, op->parent ? op->parent->func : NULL);
    p.one_line = true;
    print_op(&p, op, 0);
    ch__arena_destroy(scratch);
}

void ch__print_value(ch__text *t, const ch__value *v) {
    const ch__region *r = v->op ? v->op->parent : v->region;
    ch__arena *scratch = ch__arena_create();
    printer p;
    print_begin(&p, t, scratch, v->name && v->name[0] ? NULL : r ? r->func : NULL);
    print_value(&p, v);
    ch__arena_destroy(scratch);
}

const char **ch__print_names(ch__arena *a, const ch_func *f) {
    ch__arena *scratch = ch__arena_create();
    printer p;
    print_begin(&p, NULL, scratch, f);
    const char **names = CH_NEW_ARRAY(a, const char *, f->n_values + 1);
    for (int32_t i = 0; i < p.n_names; i++) {
        if (p.names[i].name != NULL)
            names[i] = ch__arena_printf(a, "%%%s", p.names[i].name);
        else if (p.names[i].number >= 0)
            names[i] = ch__arena_printf(a, "%%%d", (int)p.names[i].number);
    }
    ch__arena_destroy(scratch);
    return names;
}
