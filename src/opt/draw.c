// SPDX-License-Identifier: Apache-2.0
// draw.c - ch_func_draw: the graph of a func for a picture: what is a node, what is an edge, what the labels say.
//
// Constants of one number are no nodes: they stand in the labels of those who use them. Labels are the IR's own text,
// cut to a width; the whole line goes along as a tip.
#include "opt/draw.h"

#include <string.h>

enum { LABEL_CHARS = 44 };

typedef struct {
    ch__draw_picture *p;
    const char **names; // of the func at hand, by value id
    ch__map funcs;      // seen
    CH_VEC(const ch_func *) waiting;
} draw_state;

static ch__draw_graph *draw_region(draw_state *s, const ch__region *r, const char *title);

// ---------------------------------------------------------------- labels
// Cut to LABEL_CHARS characters, between characters.
static const char *draw_cut(ch__arena *a, const char *text) {
    int n = 0;
    size_t i = 0;
    for (; text[i] != '\0' && n < LABEL_CHARS; n++) {
        i++;
        while (((unsigned char)text[i] & 0xc0) == 0x80) i++;
    }
    if (text[i] == '\0') return text;
    return ch__arena_printf(a, "%.*s…", (int)i, text);
}

// The number of a constant that holds one number, else NULL.
static const char *draw_literal(ch__arena *a, const ch__value *v) {
    if (v->op == NULL || v->op->code != CH_OP_const) return NULL;
    const ch__array *data = ch__op_attr(v->op, CH__ATTR_value)->array;
    int64_t n = 1;
    if (!data->splat && (!ch__numel(data->rank, data->dims, &n) || n != 1)) return NULL;
    ch__text t;
    ch__text_init(&t, a);
    ch__print_op(&t, v->op);
    char *value = strstr(t.data, "value = "), *end = value == NULL ? NULL : strchr(value, '}');
    if (end == NULL) return NULL;
    value += strlen("value = ");
    if (*value == '[') value++, end--;
    return ch__arena_strndup(a, value, (size_t)(end - value));
}

// text with every whole word `name` replaced by `by`.
static const char *draw_replace(ch__arena *a, const char *text, const char *name, const char *by) {
    size_t n = strlen(name);
    ch__text t;
    ch__text_init(&t, a);
    for (const char *p = text; *p != '\0';) {
        char next = strncmp(p, name, n) == 0 ? p[n] : 'x';
        bool whole = !(next == '_' || (next >= '0' && next <= '9') || (next >= 'a' && next <= 'z') ||
                       (next >= 'A' && next <= 'Z'));
        if (whole) {
            ch__put(&t, by);
            p += n;
        } else {
            ch__putc(&t, *p++);
        }
    }
    return t.n == 0 ? "" : t.data;
}

static const char *draw_without(ch__arena *a, const char *text, const char *part) {
    const char *at = strstr(text, part);
    return at == NULL ? text : ch__arena_printf(a, "%.*s%s", (int)(at - text), text, at + strlen(part));
}

static const char *draw_operands(const draw_state *s, const ch__op *op, const char *text) {
    ch__arena *a = s->p->arena;
    for (int i = 0; i < op->n_operands; i++) {
        const char *literal = draw_literal(a, op->operands[i]);
        if (literal != NULL) text = draw_replace(a, text, s->names[op->operands[i]->id], literal);
    }
    return text;
}

// "dot %x, %w {contract = [1]x[0]}": the line of an op without what stands before = and behind the last " : ".
static const char *draw_op_text(const draw_state *s, const ch__op *op, const char *line) {
    ch__arena *a = s->p->arena;
    const char *from = line;
    if (op->n_results > 0) {
        const char *equals = strstr(line, " = ");
        if (equals != NULL) from = equals + 3;
    }
    const char *end = from + strlen(from);
    for (const char *p = from; (p = strstr(p, " : ")) != NULL; p++) end = p;
    const char *text = ch__arena_strndup(a, from, (size_t)(end - from));
    text = draw_without(a, draw_without(a, text, ", acc = f64"), ", order = any");
    return draw_operands(s, op, text);
}

static void draw_put_value(const draw_state *s, ch__text *t, const ch__value *v) {
    ch__putf(t, "%s: ", s->names[v->id]);
    ch__type_print(t, v->type);
}

static const char *draw_results(const draw_state *s, const ch__op *op) {
    ch__text t;
    ch__text_init(&t, s->p->arena);
    for (int i = 0; i < op->n_results; i++) {
        if (i > 0) ch__put(&t, ", ");
        draw_put_value(s, &t, &op->results[i]);
    }
    return t.n == 0 ? "" : t.data;
}

// What the title line of a box says.
static const char *draw_box_text(const draw_state *s, const ch__op *op) {
    ch__text t;
    ch__text_init(&t, s->p->arena);
    ch__put(&t, ch__op_name((ch__opcode)op->code));
    const ch__attr *name = ch__op_attr(op, CH__ATTR_name), *policy = ch__op_attr(op, CH__ATTR_policy);
    if (op->code == CH_OP_for) {
        ch__putf(&t, " %s = ", s->names[op->regions[0]->params[0]->id]);
        const char *between[3] = {" to ", " step ", ""};
        for (int i = 0; i < 3; i++) ch__putf(&t, "%s%s", s->names[op->operands[i]->id], between[i]);
    }
    if (op->code == CH_OP_if) ch__putf(&t, " %s", s->names[op->operands[0]->id]);
    if (name != NULL) ch__putf(&t, " \"%s\"", name->s);
    if (policy != NULL) ch__putf(&t, " {policy = %s}", policy->s);
    return draw_operands(s, op, t.data);
}

static const char *draw_region_title(const ch__op *op, int i) {
    if (op->code == CH_OP_if) return i == 0 ? "then" : "else";
    if (op->code == CH_OP_while) return i == 0 ? "as long as" : "do";
    if (op->code == CH_OP_for) return "each time";
    if (i == 0) return "body";
    return ch__composite_rule(op, CH__RULE_VJP) == op->regions[i] ? "vjp rule" : "jvp rule";
}

// ---------------------------------------------------------------- nodes and edges
CH_NORETURN static void draw_too_large(void) {
    ch__raise(CH__E_limit,
              "draw: the func has more than %d operations and parameters — draw it after passes that drop some, or "
              "print it",
              CH__DRAW_MOST_NODES);
}

static ch__draw_node *draw_node(draw_state *s, ch__draw_graph *g, ch__draw_kind kind) {
    ch__draw_picture *p = s->p;
    if (p->n_nodes == CH__DRAW_MOST_NODES) draw_too_large();
    ch__draw_node *n = CH_NEW(p->arena, ch__draw_node);
    n->kind = kind;
    n->number = p->n_nodes++;
    CH_PUSH(p->arena, &g->nodes, n);
    return n;
}

// Which node of the graph makes v, at which port; values by pointer.
typedef struct {
    ch__draw_node *node;
    int port;
} draw_source;

static void draw_source_put(draw_state *s, ch__map *m, const ch__value *v, ch__draw_node *n, int port) {
    draw_source *source = CH_NEW(s->p->arena, draw_source);
    *source = (draw_source){n, port};
    ch__map_put(m, (uint64_t)(uintptr_t)v, source);
}

static void draw_use(draw_state *s, ch__draw_graph *g, ch__map *m, const ch__value *v, ch__draw_node *user) {
    const draw_source *from = ch__map_get(m, (uint64_t)(uintptr_t)v);
    if (from == NULL) return; // a constant in the label
    ch__draw_edge *e = CH_NEW(s->p->arena, ch__draw_edge);
    *e = (ch__draw_edge){.from = from->node, .to = user, .from_port = from->port, .to_port = user->n_in++, .value = v};
    CH_PUSH(s->p->arena, &from->node->out, e);
    CH_PUSH(s->p->arena, &user->in, e);
    CH_PUSH(s->p->arena, &g->edges, e);
}

// ---- what the regions of an op, or a region, use from outside, in order of first use
typedef struct {
    ch__arena *arena;
    const ch__region *top; // a value of a region inside of it is not from outside
    ch__map seen;
    CH_VEC(const ch__value *) list;
} draw_outside;

static void draw_see_outside(draw_outside *o, const ch__value *v) {
    for (const ch__region *r = v->op != NULL ? v->op->parent : v->region; r != NULL;
         r = r->owner == NULL ? NULL : r->owner->parent)
        if (r == o->top) return;
    uint64_t key = (uint64_t)(uintptr_t)v;
    if (ch__map_get(&o->seen, key) != NULL) return;
    ch__map_put(&o->seen, key, o);
    CH_PUSH(o->arena, &o->list, v);
}

static void draw_outside_op(void *arg, ch__op *op) {
    draw_outside *o = arg;
    for (int i = 0; i < op->n_operands; i++) draw_see_outside(o, op->operands[i]);
    for (int k = 0; k < op->n_regions; k++)
        for (int i = 0; i < op->regions[k]->n_results; i++) draw_see_outside(o, op->regions[k]->results[i]);
}

static draw_outside draw_find_outside(ch__arena *a, const ch__region *r) {
    draw_outside o = {.arena = a, .top = r};
    ch__map_init(&o.seen, a);
    ch__walk((ch__region *)(uintptr_t)r, draw_outside_op, &o);
    for (int i = 0; i < r->n_results; i++) draw_see_outside(&o, r->results[i]);
    return o;
}

// ---------------------------------------------------------------- a graph
static void draw_value_node(draw_state *s, ch__draw_graph *g, ch__map *m, const ch__value *v, ch__draw_kind kind) {
    ch__draw_node *n = draw_node(s, g, kind);
    ch__text t;
    ch__text_init(&t, s->p->arena);
    draw_put_value(s, &t, v);
    n->value = v;
    n->tip = t.data;
    n->label[n->n_labels++] = draw_cut(s->p->arena, t.data);
    n->n_out = 1;
    draw_source_put(s, m, v, n, 0);
}

static void draw_box(draw_state *s, ch__draw_graph *g, ch__map *m, ch__draw_node *n, const ch__op *op) {
    ch__arena *a = s->p->arena;
    n->n_graphs = op->n_regions;
    n->graphs = CH_NEW_ARRAY(a, ch__draw_graph *, op->n_regions);
    ch__map used;
    ch__map_init(&used, a);
    for (int i = 0; i < op->n_operands; i++) ch__map_put(&used, (uint64_t)(uintptr_t)op->operands[i], n);
    for (int k = 0; k < op->n_regions; k++) {
        draw_outside o = draw_find_outside(a, op->regions[k]);
        for (int64_t i = 0; i < o.list.n; i++) {
            uint64_t key = (uint64_t)(uintptr_t)o.list.data[i];
            if (ch__map_get(&used, key) != NULL) continue;
            ch__map_put(&used, key, n);
            draw_use(s, g, m, o.list.data[i], n);
        }
        n->graphs[k] = draw_region(s, op->regions[k], draw_region_title(op, k));
    }
}

static void draw_op(draw_state *s, ch__draw_graph *g, ch__map *m, const ch__op *op) {
    ch__arena *a = s->p->arena;
    if (op->code == CH_OP_const && draw_literal(a, &op->results[0]) != NULL) return;
    ch__draw_node *n = draw_node(s, g, op->n_regions > 0 ? CH__DRAW_BOX : CH__DRAW_OP);
    n->op = op;
    ch__text t;
    ch__text_init(&t, a);
    ch__print_op(&t, op);
    n->tip = n->kind == CH__DRAW_BOX ? draw_box_text(s, op) : t.data;
    n->label[n->n_labels++] = draw_cut(a, n->kind == CH__DRAW_BOX ? n->tip : draw_op_text(s, op, t.data));
    if (op->n_results > 0) n->label[n->n_labels++] = draw_cut(a, draw_results(s, op));
    for (int i = 0; i < op->n_operands; i++) draw_use(s, g, m, op->operands[i], n);
    for (int i = 0; i < op->n_results; i++) draw_source_put(s, m, &op->results[i], n, i);
    n->n_out = op->n_results;
    if (n->kind == CH__DRAW_BOX) draw_box(s, g, m, n, op);
    if (op->code == CH_OP_call) {
        const ch_func *callee = ch__op_attr(op, CH__ATTR_callee)->func;
        if (ch__map_get(&s->funcs, (uint64_t)(uintptr_t)callee) == NULL) {
            ch__map_put(&s->funcs, (uint64_t)(uintptr_t)callee, s);
            CH_PUSH(a, &s->waiting, callee);
        }
    }
}

// "return %y: f64[]", with the numbers of results that are constants.
static void draw_end(draw_state *s, ch__draw_graph *g, ch__map *m, const ch__region *r) {
    ch__arena *a = s->p->arena;
    ch__draw_node *n = draw_node(s, g, CH__DRAW_END);
    ch__text t;
    ch__text_init(&t, a);
    ch__put(&t, r->owner == NULL ? "return" : "yield");
    for (int i = 0; i < r->n_results; i++) {
        const char *literal = draw_literal(a, r->results[i]);
        const char *name = r->owner == NULL && r->func->result_names != NULL ? r->func->result_names[i] : NULL;
        ch__put(&t, i > 0 ? ", " : " ");
        if (name != NULL) ch__putf(&t, "%s = ", name);
        ch__put(&t, literal != NULL ? literal : s->names[r->results[i]->id]);
    }
    n->tip = t.data;
    n->label[n->n_labels++] = draw_cut(a, t.data);
    for (int i = 0; i < r->n_results; i++) draw_use(s, g, m, r->results[i], n);
}

// Recurses on the nesting of regions, which is limited.
static ch__draw_graph *draw_region(draw_state *s, const ch__region *r, const char *title) {
    ch__arena *a = s->p->arena;
    ch__draw_graph *g = CH_NEW(a, ch__draw_graph);
    g->region = r;
    g->title = title;
    ch__map m;
    ch__map_init(&m, a);
    draw_outside o = draw_find_outside(a, r);
    for (int i = 0; i < r->n_params; i++) draw_value_node(s, g, &m, r->params[i], CH__DRAW_PARAM);
    for (int64_t i = 0; i < o.list.n; i++)
        if (draw_literal(a, o.list.data[i]) == NULL) draw_value_node(s, g, &m, o.list.data[i], CH__DRAW_OUTER);
    for (const ch__op *op = r->first; op != NULL; op = op->next) draw_op(s, g, &m, op);
    draw_end(s, g, &m, r);
    ch__draw_layout(s->p, g);
    return g;
}

// ---------------------------------------------------------------- the public function
struct draw_args {
    const ch_func *func;
    void (*write)(const ch__draw_picture *p, ch__text *t);
    ch__text text;
};

static void draw_run(void *arg) {
    struct draw_args *args = arg;
    if (ch__count_ops(args->func) > CH__DRAW_MOST_NODES) draw_too_large(); // before any label is written
    ch__draw_picture p = {.arena = ch__arena_create()};
    draw_state s = {.p = &p};
    ch__map_init(&s.funcs, p.arena);
    ch__map_put(&s.funcs, (uint64_t)(uintptr_t)args->func, &s);
    CH_PUSH(p.arena, &s.waiting, args->func);
    for (int64_t i = 0; i < s.waiting.n; i++) {
        const ch_func *f = s.waiting.data[i];
        s.names = ch__print_names(p.arena, f);
        CH_PUSH(p.arena, &p.funcs, draw_region(&s, f->body, ch__arena_printf(p.arena, "@%s", f->name)));
    }
    args->write(&p, &args->text);
    ch__arena_destroy(p.arena);
}

ch_status ch_func_draw(const ch_func *f, const char *format, FILE *file) {
    if (f == NULL || file == NULL || format == NULL)
        return ch__fail(CH__E_argument, "draw: the func, the format or the file is NULL — give all three");
    struct draw_args args = {.func = f};
    if (strcmp(format, "svg") == 0)
        args.write = ch__draw_svg;
    else if (strcmp(format, "dot") == 0)
        args.write = ch__draw_dot;
    else
        return ch__fail(CH__E_argument, "draw: no format '%s' — svg and dot are known", format);
    ch__text_init_file(&args.text, file);
    CH_TRY(ch__protect(draw_run, &args));
    return args.text.failed ? ch__fail(CH__E_file, "draw: writing failed — is the disk full?") : CH_OK;
}
