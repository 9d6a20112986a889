// SPDX-License-Identifier: Apache-2.0
// face.c - the derivative as one function of the user's prototype: where each param and result of the func lies in it.
//
// A result that nobody has a place for goes. What is read and written in place (a state that the function steps on) is
// a param tied to its result, as the printer knows it from tensors. Where several blocks make one matrix, or the
// outputs of a Jacobian come from the function itself, there is no such face: write.c wraps a body then.
#include <string.h>

#include "cfront/write.h"

typedef struct {
    cf_wanted *w;
    ch__arena *a;
    CH_VEC(ch__c_place) params, results;
    CH_VEC(bool) kept;           // results that have a place
    CH_VEC(const void *) inputs; // what lies there: port and role, for ties
    CH_VEC(int) ties;            // of each kept result: the input it lies in, or -1
} face_maker;

// ---------------------------------------------------------------- places
static bool is_narrow(const cf_port *p) {
    return p->dtype == CH_I64 && !p->is_array && (p->type->kind == CF_BOOL || p->type->bits < 64);
}

static void push_axis(ch__arena *a, ch__c_place *p, ch__c_axis *axes, const char *extent) {
    (void)a;
    axes[p->n++] = (ch__c_axis){extent, ""};
}

static void array_place(face_maker *m, ch__c_place *out, const cf_port *p, const char *base, bool pointer) {
    ch__arena *a = m->a;
    cf_path_steps steps = {0};
    cf_split_path(a, p, &steps);
    const char *n = p->param == -1 ? "1" : cf_object_count(a, m->w, p);
    bool many = pointer && (!n || strcmp(n, "1") != 0);
    int most = 1 + cf_levels(p->whole);
    for (int64_t i = 0; i < steps.n; i++) most += cf_levels(steps.data[i].dims);
    ch__c_axis *axes = CH_NEW_ARRAY(a, ch__c_axis, most);
    out->axes = axes;
    out->text = base;
    bool first = pointer && !many && cf_levels(p->whole) == 0;
    if (many)
        push_axis(a, out, axes, n);
    else if (pointer && !first)
        out->text = ch__arena_printf(a, "%s[0]", base);
    for (cf_type *t = p->whole; t->kind == CF_ARRAY; t = t->of) push_axis(a, out, axes, cf_extent_text(a, m->w, t));
    for (int64_t i = 0; i < steps.n; i++) {
        const char *name = steps.data[i].text;
        if (i == 0 && first) name = ch__arena_printf(a, "->%s", name + 1);
        if (out->n == 0)
            out->text = ch__arena_printf(a, "%s%s", out->text, name);
        else
            axes[out->n - 1].after = ch__arena_printf(a, "%s%s", axes[out->n - 1].after, name);
        for (cf_type *d = steps.data[i].dims; d->kind == CF_ARRAY; d = d->of)
            push_axis(a, out, axes, cf_extent_text(a, m->w, d));
    }
    out->deref = out->n == 0 && steps.n == 0;
    if (!cf_is_strided(a, m->w, p)) out->flat = cf_port_address(a, p, base, pointer);
}

static ch__c_place place_of(face_maker *m, const cf_port *p, const char *base, bool pointer) {
    ch__c_place out = {.narrow = is_narrow(p)};
    if (p->is_array) {
        array_place(m, &out, p, base, pointer);
        return out;
    }
    out.deref = pointer && !*p->path;
    out.text = out.deref ? base : cf_port_member(m->a, p, base, pointer);
    bool same = cf_is_float_port(p) || (p->type->kind == CF_INT && p->type->bits == 64 && p->type->is_signed);
    if (!same) out.cast = p->type->text;
    return out;
}

// ---------------------------------------------------------------- inputs
static void add_input(face_maker *m, const cf_port *p, const char *base, bool pointer) {
    ch__c_place at = place_of(m, p, cf_port_held(m->a, m->w, p, base, pointer, false), pointer || *p->via);
    CH_PUSH(m->a, &m->params, at);
    CH_PUSH(m->a, &m->inputs, (const void *)base);
}

static void add_arg_input(face_maker *m, const cf_port *p, cf_role role) {
    const cf_arg *arg = cf_arg_of(m->w, role, p->param);
    add_input(m, p, arg->name, cf_by_pointer_arg(arg));
}

static void make_inputs(face_maker *m) {
    cf_wanted *w = m->w;
    for (int i = 0; i < w->low->func->body->n_params; i++) {
        const cf_port *p = cf_port_of_input(w, i);
        add_input(m, p, cf_port_base(w, p), cf_param_by_pointer(w, p));
    }
    for (int i = 0; i < w->low->func->body->n_results && w->mode == CF_VJP; i++)
        if (cf_is_float_port(cf_port_of_output(w, i))) add_arg_input(m, cf_port_of_output(w, i), CF_ROLE_SEED);
    for (int64_t k = 0; k < w->wrt.n && (w->mode == CF_JVP || w->mode == CF_HVP); k++)
        for (int64_t i = 0; i < w->low->ports.n; i++) {
            const cf_port *p = &w->low->ports.data[i];
            if (p->param == w->wrt.data[k] && cf_wants_param(w, p))
                add_arg_input(m, p, w->mode == CF_JVP ? CF_ROLE_TANGENT : CF_ROLE_VECTOR);
        }
}

// ---------------------------------------------------------------- results
static void no_place(face_maker *m) { CH_PUSH(m->a, &m->kept, false); }

static void add_result(face_maker *m, ch__c_place at) {
    int tie = -1;
    for (int64_t i = 0; i < m->params.n; i++) { // the same memory
        const ch__c_place *in = &m->params.data[i];
        bool same = in->n == at.n && in->deref == at.deref && !strcmp(in->text, at.text);
        for (int k = 0; same && k < at.n; k++) same = !strcmp(in->axes[k].after, at.axes[k].after);
        if (same) tie = (int)i;
    }
    if (tie >= 0) m->params.data[tie].cast = at.cast;
    CH_PUSH(m->a, &m->kept, true);
    CH_PUSH(m->a, &m->results, at);
    CH_PUSH(m->a, &m->ties, tie);
}

static void add_arg_result(face_maker *m, const cf_port *p, cf_role role) {
    const cf_arg *arg = cf_arg_of(m->w, role, p->param);
    if (!arg && role == CF_ROLE_TANGENT_OUT) arg = cf_arg_of(m->w, CF_ROLE_TANGENT, p->param); // in and out
    if (!arg || (!cf_by_pointer_arg(arg) && !*p->via)) {
        no_place(m);
        return;
    }
    ch__c_place at = place_of(m, p, cf_port_held(m->a, m->w, p, arg->name, cf_by_pointer_arg(arg), true), true);
    at.adds = cf_accumulates(m->w, arg);
    at.cast = NULL;
    add_result(m, at);
}

static void add_primal(face_maker *m, int result) {
    cf_wanted *w = m->w;
    const cf_port *p = cf_port_of_output(w, result);
    if (p->param >= 0) {
        const char *base = cf_port_held(m->a, w, p, w->names[p->param], cf_param_by_pointer(w, p), true);
        add_result(m, place_of(m, p, base, true));
    } else if (w->result->kind == CF_STRUCT) {
        add_result(m, place_of(m, p, "value", false));
    } else if (w->result->kind == CF_VOID) {
        no_place(m);
    } else {
        ch__c_place at = place_of(m, p, "value", false);
        at.returned = true;
        add_result(m, at);
    }
}

static void add_adjoints(face_maker *m, cf_role role) {
    cf_wanted *w = m->w;
    for (int64_t k = 0; k < w->wrt.n; k++)
        for (int64_t i = 0; i < w->low->ports.n; i++) {
            const cf_port *p = &w->low->ports.data[i];
            if (p->param == w->wrt.data[k] && cf_wants_param(w, p)) add_arg_result(m, p, role);
        }
}

// A matrix that is one block.
static bool add_block(face_maker *m) {
    const cf_wanted *w = m->w;
    if (w->func->body->n_results != 1) return false;
    const cf_arg *arg = cf_arg_of(w, CF_ROLE_BLOCK, -1);
    const cf_type *t = arg->type;
    ch__c_place at = {.text = arg->name};
    ch__c_axis *axes = CH_NEW_ARRAY(m->a, ch__c_axis, 1 + cf_levels(t->of));
    at.axes = axes;
    push_axis(m->a, &at, axes, NULL);
    for (t = t->of; t->kind == CF_ARRAY; t = t->of) push_axis(m->a, &at, axes, cf_own_extent_text(m->a, w, t));
    if (t->kind == CF_POINTER) return false;
    at.flat = at.n == 1 ? arg->name : ch__arena_printf(m->a, "&%s%s", arg->name, cf_zeros(m->a, at.n));
    add_result(m, at);
    return true;
}

static bool make_results(face_maker *m) {
    cf_wanted *w = m->w;
    if (w->guard) {
        ch__c_place at = {.text = "value", .cast = "int", .returned = true};
        add_result(m, at);
        return true;
    }
    int n = w->low->func->body->n_results;
    bool value = w->mode == CF_VALUE_AND_GRAD || n > 1;
    switch (w->mode) {
    case CF_GRAD:
    case CF_VALUE_AND_GRAD:
        if (value) add_primal(m, 0);
        add_adjoints(m, CF_ROLE_ADJOINT);
        for (int i = 1; i < n && value; i++) add_primal(m, i);
        return true;
    case CF_VJP: add_adjoints(m, CF_ROLE_ADJOINT); return true;
    case CF_JVP:
        for (int i = 0; i < n; i++) add_primal(m, i);
        for (int i = 0; i < n; i++)
            if (cf_is_float_port(cf_port_of_output(w, i)))
                add_arg_result(m, cf_port_of_output(w, i), CF_ROLE_TANGENT_OUT);
        return true;
    case CF_JACOBIAN:
    case CF_HESSIAN: return add_block(m);
    case CF_HVP: add_adjoints(m, CF_ROLE_PRODUCT); return true;
    }
    return false;
}

// Results without a place go; those that lie in a param are tied to it.
static void settle_results(face_maker *m) {
    ch_func *f = m->w->func;
    ch__region *b = f->body;
    ch__arena *a = f->module->arena;
    int n = 0;
    ch__value **values = CH_NEW_ARRAY(a, ch__value *, b->n_results + 1);
    const char **names = CH_NEW_ARRAY(a, const char *, b->n_results + 1);
    bool tied = false;
    f->inout = NULL;
    int32_t *inout = CH_NEW_ARRAY(a, int32_t, b->n_params + 1);
    for (int i = 0; i < b->n_params; i++) inout[i] = -1;
    for (int i = 0; i < b->n_results; i++) {
        if (!m->kept.data[i]) continue;
        int tie = m->ties.data[n];
        if (tie >= 0) {
            inout[tie] = n;
            tied = true;
        }
        values[n] = b->results[i];
        names[n++] = f->result_names ? f->result_names[i] : NULL;
    }
    ch__func_set_results(f, n, values, names);
    if (tied) f->inout = inout;
}

// ---------------------------------------------------------------- sizes, names, the face
static bool names_narrow_param(const cf_wanted *w, const char *text) {
    for (int64_t i = 0; i < w->low->ports.n; i++) {
        const cf_port *p = &w->low->ports.data[i];
        if (p->param >= 0 && !p->by_pointer && is_narrow(p) && !strcmp(w->names[p->param], text)) return true;
    }
    return false;
}

static const ch__c_place *make_sizes(face_maker *m) {
    const cf_wanted *w = m->w;
    ch__c_place *sizes = CH_NEW_ARRAY(m->a, ch__c_place, w->func->dims.n + 1);
    for (int64_t i = 0; i < w->func->dims.n; i++) {
        const char *n = NULL, *name = w->func->dims.data[i].name;
        for (int64_t k = 0; k < w->low->ports.n; k++) {
            const cf_port *p = &w->low->ports.data[k];
            if (p->size && !strcmp(p->size, name)) n = cf_port_count(m->a, w, p);
        }
        sizes[i].text = n ? n : "0";
        sizes[i].narrow = names_narrow_param(w, sizes[i].text);
    }
    return sizes;
}

// ---------------------------------------------------------------- what may not overlap
typedef CH_VEC(const char *) range_list;

static const char *range_of(face_maker *m, const char *at, const char *n) {
    bool plain = cf_is_number(n) || names_narrow_param(m->w, n) || strncmp(n, "(int64_t)", 9) == 0;
    return ch__arena_printf(m->a, plain ? "{%s, %s, sizeof *%s}" : "{%s, (int64_t)(%s), sizeof *%s}", at, n, at);
}

static const char *range_text(face_maker *m, const cf_arg *arg) {
    const cf_wanted *w = m->w;
    const cf_type *t = arg->type;
    if (!cf_by_pointer_arg(arg) || arg->role == CF_ROLE_WORK) return NULL;
    const char *n = NULL;
    if (t->kind == CF_ARRAY && (t->count >= 0 || t->extent)) n = cf_own_extent_text(m->a, w, t);
    for (int64_t i = 0; i < w->low->ports.n && !n && arg->role != CF_ROLE_BLOCK; i++) {
        const cf_port *p = &w->low->ports.data[i];
        if (p->param == arg->param && !*p->via && !p->rows)
            n = p->by_pointer && p->param >= 0 ? cf_object_count(m->a, w, p) : "1";
    }
    if (!n && arg->param < 0 && arg->role != CF_ROLE_BLOCK) n = "1"; // of the value
    if (!n) return NULL;
    return range_of(m, arg->as ? ch__arena_printf(m->a, "((const char *)%s)", arg->name) : arg->name, n);
}

// What pointers in an argument lead to.
static void ranges_behind(face_maker *m, const cf_arg *arg, range_list *out) {
    const cf_wanted *w = m->w;
    const cf_port *last = NULL;
    for (int64_t i = 0; i < w->low->ports.n; i++) {
        const cf_port *p = &w->low->ports.data[i];
        bool seed = arg->role == CF_ROLE_SEED || arg->role == CF_ROLE_TANGENT_OUT;
        bool there = arg->role == CF_ROLE_PRIMAL ? true
                     : seed                      ? p->output >= 0 && cf_is_float_port(p)
                                                 : cf_wants_param(w, p);
        if (p->param != arg->param || p->param < 0 || !*p->via || p->rows || !there ||
            (last && cf_same_object(last, p)))
            continue;
        last = p;
        const char *n = cf_object_count(m->a, w, p);
        if (n) CH_PUSH(m->a, out, range_of(m, cf_port_held(m->a, w, p, arg->name, cf_by_pointer_arg(arg), false), n));
    }
}

static bool is_written(const cf_wanted *w, const cf_arg *arg) {
    if (arg->role == CF_ROLE_SEED || arg->role == CF_ROLE_VECTOR) return false;
    if (arg->role == CF_ROLE_TANGENT &&
        !cf_arg_of(w, CF_ROLE_TANGENT_OUT, arg->param)) // in and out when f writes there
        for (int64_t i = 0; i < w->low->ports.n; i++)
            if (w->low->ports.data[i].param == arg->param && w->low->ports.data[i].output >= 0) return true;
    if (arg->role == CF_ROLE_TANGENT) return false;
    if (arg->role != CF_ROLE_PRIMAL) return true;
    for (int64_t i = 0; i < w->low->ports.n && w->mode != CF_VJP && w->mode != CF_HESSIAN && w->mode != CF_HVP; i++)
        if (w->low->ports.data[i].param == arg->param && w->low->ports.data[i].output >= 0) return true;
    return false;
}

// assert(apart(...)): the memory that is written, then what is read.
static const char *make_assert(face_maker *m) {
    range_list ranges = {0};
    int written = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < m->w->args.n; i++) {
            const cf_arg *arg = &m->w->args.data[i];
            if (is_written(m->w, arg) != (pass == 0)) continue;
            int64_t before = ranges.n;
            const char *s = range_text(m, arg);
            if (s) CH_PUSH(m->a, &ranges, s);
            ranges_behind(m, arg, &ranges);
            if (pass == 0) written += (int)(ranges.n - before);
        }
    if (written == 0 || ranges.n < 2) return NULL;
    ch__text t;
    ch__text_init(&t, m->a);
    ch__putf(&t, "    assert(apart(%d, %d, (const memory_range[]){", (int)ranges.n, written);
    int64_t line = 0;
    for (int64_t i = 0; i < ranges.n; i++) {
        if (i > 0) ch__put(&t, ",");
        if (t.n - line + (int64_t)strlen(ranges.data[i]) > 100) {
            ch__put(&t, "\n        ");
            line = t.n - 8;
        } else if (i > 0) {
            ch__putc(&t, ' ');
        }
        ch__put(&t, ranges.data[i]);
    }
    ch__put(&t, "}));\n");
    return t.data;
}

// ---------------------------------------------------------------- memory of the caller's
bool cf_is_count(const cf_decl *d) { return d->type->kind == CF_INT || d->type->kind == CF_BOOL; }

const char *cf_count_name(const cf_wanted *w, int64_t i) { return w->names ? w->names[i] : w->f->params.data[i]->name; }

const char *cf_wsize_text(ch__arena *a, const cf_wanted *w) {
    if (!w->d->prototype->workspace) return NULL;
    ch__text t;
    ch__text_init(&t, a);
    ch__putf(&t, "size_t %s_wsize(", w->name);
    int n = 0;
    for (int64_t i = 0; i < w->f->params.n; i++)
        if (cf_is_count(w->f->params.data[i]))
            ch__putf(&t, "%s%s", n++ ? ", " : "",
                     cf_declare_text(a, w->f->params.data[i]->type, cf_count_name(w, i), NULL));
    ch__put(&t, n ? ")" : "void)");
    return t.data;
}

static void add_workspace(ch__arena *a, const cf_wanted *w, ch__c_interface *face) {
    ch__c_workspace *s = CH_NEW(a, ch__c_workspace);
    const char **names = CH_NEW_ARRAY(a, const char *, w->f->params.n + 1);
    const char **types = CH_NEW_ARRAY(a, const char *, w->f->params.n + 1);
    ch__text args, plain;
    ch__text_init(&args, a);
    ch__text_init(&plain, a);
    ch__put(&args, "");
    ch__put(&plain, "");
    for (int64_t i = 0; i < w->f->params.n; i++) {
        const cf_decl *d = w->f->params.data[i];
        if (!cf_is_count(d)) continue;
        const char *comma = s->n_names ? ", " : "";
        ch__putf(&args, d->type->is_signed ? "%s%s" : "%s(int64_t)%s", comma, w->names[i]);
        ch__putf(&plain, "%s%s", comma, w->names[i]);
        names[s->n_names] = w->names[i];
        types[s->n_names++] = cf_declare_text(a, d->type, w->names[i], NULL);
    }
    const cf_arg *size = cf_arg_of(w, CF_ROLE_WORK_SIZE, -1);
    const char *need = ch__arena_printf(a, "CH_OOM(%s_wsize(%s));", w->name, plain.data);
    const char *value = !face->type ? "" : face->initial ? ch__arena_printf(a, " %s", face->initial) : " value";
    s->name = w->name;
    s->work = cf_arg_of(w, CF_ROLE_WORK, -1)->name;
    s->names = names;
    s->types = types;
    s->args = args.data;
    face->failed = need;
    if (size)
        s->too_small = ch__arena_printf(a, "    if (%s < %s_wsize(%s)) {\n        %s\n        return%s;\n    }\n",
                                        size->name, w->name, plain.data, need, value);
    face->workspace = s;
}

const ch__c_interface *cf_face(ch__arena *a, cf_wanted *w, const char *head) {
    face_maker m = {.w = w, .a = a};
    make_inputs(&m);
    if (!make_results(&m) || m.kept.n != w->func->body->n_results || m.params.n != w->func->body->n_params) return NULL;
    settle_results(&m);
    ch__c_interface *face = CH_NEW(a, ch__c_interface);
    *face = (ch__c_interface){.head = head,
                              .params = m.params.data,
                              .results = m.results.data,
                              .sizes = make_sizes(&m),
                              .first = make_assert(&m),
                              .failed = "CH_OOM((size_t)0);"};
    const char **names = CH_NEW_ARRAY(a, const char *, w->args.n + w->low->ports.n + 1);
    for (int64_t i = 0; i < w->args.n; i++) names[face->n_names++] = w->args.data[i].name;
    for (int64_t i = 0; i < w->low->ports.n; i++)
        if (w->low->ports.data[i].global) names[face->n_names++] = w->low->ports.data[i].global->name;
    face->names = names;
    if (w->result->kind != CF_VOID) {
        face->type = w->result->text;
        face->initial = w->result->kind == CF_STRUCT ? NULL : w->result->kind == CF_FLOAT ? "0.0" : "0";
    }
    if (w->d->prototype->workspace && !w->guard) add_workspace(a, w, face);
    return face;
}
