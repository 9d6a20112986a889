// SPDX-License-Identifier: Apache-2.0
// border.c - a directive made good: the function found, lowered and differentiated, and the prototype that belongs to
// it compared with the one the user wrote.
//
// Parameters of a derivative, in order (docs/c-gradients.md): those of f; then an object for each parameter asked for
// (grad, vjp: its adjoint; jacobian, hessian: one block; hvp: vectors, then products). vjp leaves out what f only
// writes and takes its adjoint instead. jvp has each tangent right behind its value.
#include "cfront/write.h"

#include <string.h>

static const char *const mode_names[] = {"grad", "value_and_grad", "vjp", "jvp", "jacobian", "hessian", "hvp"};
enum { N_MODES = sizeof mode_names / sizeof *mode_names };

const cf_decl *cf_port_decl(const cf_wanted *w, const cf_port *p) {
    return p->global ? p->global : w->f->params.data[p->param];
}

const char *cf_port_base(const cf_wanted *w, const cf_port *p) {
    return p->global ? p->global->name : w->names[p->param];
}

bool cf_is_float_port(const cf_port *p) { return ch__is_float(p->dtype); }

bool cf_is_pure_output(const cf_lowered *low, int param) {
    bool any = false;
    for (int64_t i = 0; i < low->ports.n; i++) {
        const cf_port *p = &low->ports.data[i];
        if (p->param != param) continue;
        if (*p->via) return false; // the pointers in it are read
        if (p->reads && !low->f->params.data[param]->marked_out) return false;
        any = any || p->writes;
    }
    return any;
}

// ---------------------------------------------------------------- which parameters
static bool has_float(const cf_lowered *low, int param) {
    for (int64_t i = 0; i < low->ports.n; i++)
        if (low->ports.data[i].param == param && cf_is_float_port(&low->ports.data[i]) && low->ports.data[i].input >= 0)
            return true;
    return false;
}

static int find_param(const cf_decl *f, const char *name, size_t n) {
    for (int64_t i = 0; i < f->params.n; i++)
        if (strlen(f->params.data[i]->name) == n && !strncmp(f->params.data[i]->name, name, n)) return (int)i;
    return -1;
}

static bool choose_wrt(cf_report *r, cf_wanted *w) {
    const char *at = w->d->args;
    bool any = false, ok = true;
    while (*at) {
        at += strspn(at, " ,");
        size_t n = strcspn(at, " ,");
        if (n == 0) break;
        any = true;
        int i = find_param(w->f, at, n);
        if (i < 0) {
            cf_say(r, CF_ERROR, "CH101", w->d->loc, "'%s' has no parameter '%.*s'", w->f->name, (int)n, at);
            ok = false;
        } else if (w->f->params.data[i]->marked_const) {
            cf_say(r, CF_ERROR, "CH103", w->d->loc, "'%.*s' of '%s' is marked CH_CONST", (int)n, at, w->f->name);
            ok = false;
        } else if (!has_float(w->low, i)) {
            cf_say(r, CF_ERROR, "CH103", w->d->loc, "'%.*s' of '%s' is %s, which has no derivative", (int)n, at,
                   w->f->name, cf_is_pure_output(w->low, i) ? "only written" : w->f->params.data[i]->type->text);
            ok = false;
        } else {
            CH_PUSH(r->a, &w->wrt, i);
        }
        at += n;
    }
    for (int64_t i = 0; i < w->f->params.n && !any; i++)
        if (has_float(w->low, (int)i) && !w->f->params.data[i]->marked_const && !cf_is_pure_output(w->low, (int)i))
            CH_PUSH(r->a, &w->wrt, (int)i);
    if (ok && w->wrt.n == 0) {
        cf_say(r, CF_ERROR, "CH103", w->d->loc, "'%s' has no floating parameter", w->f->name);
        ok = false;
    }
    return ok;
}

// ---------------------------------------------------------------- the wanted prototype
static cf_type *unconst(ch__arena *a, const cf_type *t) {
    cf_type *c = CH_NEW(a, cf_type);
    *c = *t;
    c->is_const = false;
    if (t->kind == CF_ARRAY || t->kind == CF_POINTER) c->of = unconst(a, t->of);
    return c;
}

static cf_type *with_const(ch__arena *a, const cf_type *t) {
    cf_type *c = CH_NEW(a, cf_type);
    *c = *t;
    if (t->kind == CF_POINTER && t->of->kind == CF_POINTER) return c; // const double *const * takes no double **
    if (t->kind == CF_ARRAY || t->kind == CF_POINTER)
        c->of = with_const(a, t->of);
    else
        c->is_const = true;
    return c;
}

static cf_type *pointer_to(ch__arena *a, const cf_type *t) {
    cf_type *p = CH_NEW(a, cf_type);
    *p = (cf_type){.kind = CF_POINTER, .text = ch__arena_printf(a, "%s *", t->text), .of = unconst(a, t)};
    return p;
}

static cf_type *declared(const cf_decl *d) { return d->declared ? d->declared : d->type; }

// What holds a derivative with respect to the parameter.
static cf_type *object_type(ch__arena *a, const cf_decl *d) {
    const cf_type *t = declared(d);
    return t->kind == CF_ARRAY || t->kind == CF_POINTER ? unconst(a, t) : pointer_to(a, t);
}

static void push(cf_report *r, cf_wanted *w, cf_role role, int param, cf_type *t, const char *name) {
    cf_arg arg = {.role = role, .param = param, .type = t, .name = name};
    bool of_f = param >= 0 && param < w->f->params.n;
    const cf_reached *x = of_f ? cf_find_reached(w->f->params.data[param], "") : NULL;
    if (x && t->kind == CF_POINTER && t->of->kind == CF_VOID) arg.as = x->as;
    CH_PUSH(r->a, &w->args, arg);
}

static bool is_wrt(const cf_wanted *w, int i) {
    for (int64_t k = 0; k < w->wrt.n; k++)
        if (w->wrt.data[k] == i) return true;
    return false;
}

static void outputs_args(cf_report *r, cf_wanted *w, cf_role role, const char *suffix, int only) {
    for (int64_t i = 0; i < w->f->params.n; i++) {
        const cf_decl *d = w->f->params.data[i];
        bool written = false;
        for (int64_t k = 0; k < w->low->ports.n; k++) {
            const cf_port *p = &w->low->ports.data[k];
            written = written || (p->param == i && p->output >= 0 && cf_is_float_port(p));
        }
        if (!written || (only >= 0 && only != i)) continue;
        if (role == CF_ROLE_TANGENT_OUT && is_wrt(w, (int)i)) continue; // one object, in and out
        cf_type *t = object_type(r->a, d);
        push(r, w, role, (int)i, role == CF_ROLE_SEED ? with_const(r->a, t) : t,
             ch__arena_printf(r->a, "%s%s", d->name, suffix));
    }
}

static void wanted_args(cf_report *r, cf_wanted *w) {
    ch__arena *a = r->a;
    const cf_decl *f = w->f;
    const cf_type *value = f->type->of;
    for (int64_t i = 0; i < f->params.n; i++) {
        cf_decl *d = f->params.data[i];
        if (w->mode == CF_VJP && cf_is_pure_output(w->low, (int)i)) continue;
        push(r, w, CF_ROLE_PRIMAL, (int)i, declared(d), d->name);
        if (w->mode != CF_JVP) continue;
        if (is_wrt(w, (int)i)) {
            cf_type *t = declared(d);
            bool by_value = t->kind != CF_ARRAY && t->kind != CF_POINTER;
            push(r, w, CF_ROLE_TANGENT, (int)i, by_value ? t : t, ch__arena_printf(a, "%s_t", d->name));
        }
        outputs_args(r, w, CF_ROLE_TANGENT_OUT, "_t", (int)i);
    }
    switch (w->mode) {
    case CF_VJP:
        if (cf_is_arithmetic(value) && value->kind == CF_FLOAT)
            push(r, w, CF_ROLE_SEED, -1, unconst(a, value), "value_bar");
        outputs_args(r, w, CF_ROLE_SEED, "_bar", -1);
        for (int64_t k = 0; k < w->wrt.n; k++) {
            cf_decl *d = f->params.data[w->wrt.data[k]];
            push(r, w, CF_ROLE_ADJOINT, w->wrt.data[k], object_type(a, d), ch__arena_printf(a, "%s_bar", d->name));
        }
        break;
    case CF_GRAD:
    case CF_VALUE_AND_GRAD:
        for (int64_t k = 0; k < w->wrt.n; k++) {
            cf_decl *d = f->params.data[w->wrt.data[k]];
            push(r, w, CF_ROLE_ADJOINT, w->wrt.data[k], object_type(a, d), ch__arena_printf(a, "d%s", d->name));
        }
        break;
    case CF_JVP:
        if (value->kind == CF_FLOAT) push(r, w, CF_ROLE_TANGENT_OUT, -1, pointer_to(a, value), "value_t");
        break;
    case CF_JACOBIAN:
    case CF_HESSIAN: {
        cf_type *t = CH_NEW(a, cf_type);
        *t = (cf_type){.kind = CF_FLOAT, .bits = 64, .text = "double"};
        for (int64_t k = 0; k < w->low->ports.n; k++)
            if (cf_is_float_port(&w->low->ports.data[k]) && w->low->ports.data[k].dtype == CH_F32)
                *t = (cf_type){.kind = CF_FLOAT, .bits = 32, .text = "float"};
        push(r, w, CF_ROLE_BLOCK, -1, pointer_to(a, t), w->mode == CF_HESSIAN ? "H" : "J");
        break;
    }
    case CF_HVP:
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = 0; k < w->wrt.n; k++) {
                cf_decl *d = f->params.data[w->wrt.data[k]];
                cf_type *t = object_type(a, d);
                const char *base = pass ? "hv" : "v";
                push(r, w, pass ? CF_ROLE_PRODUCT : CF_ROLE_VECTOR, w->wrt.data[k], pass ? t : with_const(a, t),
                     w->wrt.n == 1 ? base : ch__arena_printf(a, "%s_%s", base, d->name));
            }
        break;
    }
    if (!w->d->prototype->workspace) return;
    static cf_type nothing = {.kind = CF_VOID, .text = "void"};
    static cf_type bytes = {.kind = CF_INT, .bits = 64, .text = "unsigned long"};
    push(r, w, CF_ROLE_WORK, -1, pointer_to(a, &nothing), "work");
    if (w->d->prototype->params.n > w->args.n) push(r, w, CF_ROLE_WORK_SIZE, -1, &bytes, "work_size");
}

// ---------------------------------------------------------------- the user's prototype
static const cf_type *behind(const cf_type *t) { // of pointers and arrays
    while (t->kind == CF_ARRAY || t->kind == CF_POINTER) t = t->of;
    return t;
}

static bool fits_arg(const cf_arg *arg, const cf_decl *d) {
    const cf_type *want = arg->type, *have = d->type;
    if (want->kind == CF_ARRAY || want->kind == CF_POINTER) {
        if (have->kind != CF_POINTER) return false;
        if (arg->as && !behind(want)->is_const == !behind(have)->is_const && cf_same_type(arg->as, have->of))
            return true;
        bool out = arg->role == CF_ROLE_ADJOINT || arg->role == CF_ROLE_TANGENT_OUT || arg->role == CF_ROLE_BLOCK ||
                   arg->role == CF_ROLE_PRODUCT;
        if (out && behind(have)->is_const) return false;
        if (arg->role == CF_ROLE_BLOCK) return cf_same_type(behind(want), behind(have));
        return cf_same_type(want->of, have->of);
    }
    return cf_same_type(want, have);
}

static cf_type *wanted_result(const cf_wanted *w) {
    static cf_type nothing = {.kind = CF_VOID, .text = "void"};
    bool value = w->mode == CF_VALUE_AND_GRAD || (w->mode == CF_JVP && cf_is_arithmetic(w->f->type->of));
    return value ? w->f->type->of : &nothing;
}

static const char *prototype_text(cf_report *r, const cf_wanted *w) {
    ch__text t;
    ch__text_init(&t, r->a);
    const char *head = cf_declare_text(r->a, wanted_result(w), w->d->prototype->name, NULL);
    ch__putf(&t, "%s(", head);
    for (int64_t i = 0; i < w->args.n; i++)
        ch__putf(&t, "%s%s", i ? ", " : "", cf_declare_text(r->a, w->args.data[i].type, w->args.data[i].name, NULL));
    ch__put(&t, w->args.n ? ");" : "void);");
    return t.data;
}

// dx or x_bar, as derivatives with respect to x are called, or the name in the wanted prototype.
static bool says(const char *name, const cf_wanted *w, const cf_arg *arg) {
    if (!strcmp(name, arg->name)) return true;
    if (arg->role != CF_ROLE_ADJOINT) return false;
    const char *x = w->f->params.data[arg->param]->name;
    size_t n = strlen(x);
    return (name[0] == 'd' && !strcmp(name + 1, x)) || (!strncmp(name, x, n) && !strcmp(name + n, "_bar"));
}

// Types do not tell dx from dy where both are double *, and names do: one that belongs to another place of the same
// kind is a prototype in another order.
static bool check_order(cf_report *r, const cf_wanted *w) {
    const cf_decl *have = w->d->prototype;
    for (int64_t i = 0; i < w->args.n; i++) {
        const char *name = have->params.data[i]->name;
        const cf_arg *arg = &w->args.data[i];
        for (int64_t k = 0; !says(name, w, arg) && k < w->args.n; k++) {
            const cf_arg *other = &w->args.data[k];
            if (other->role != arg->role || !says(name, w, other)) continue;
            cf_say(r, CF_ERROR, "CH101", have->loc, "'%s' stands in the prototype of '%s' where '%s' belongs", name,
                   have->name, arg->name);
            cf_say(r, CF_NOTE, NULL, have->loc, "the order is: %s", prototype_text(r, w));
            return false;
        }
    }
    return true;
}

static bool check_prototype(cf_report *r, cf_wanted *w) {
    const cf_decl *have = w->d->prototype;
    bool same = have->params.n == w->args.n && cf_same_type(have->type->of, wanted_result(w));
    for (int64_t i = 0; same && i < w->args.n; i++) same = fits_arg(&w->args.data[i], have->params.data[i]);
    if (!same) {
        cf_say(r, CF_ERROR, "CH101", have->loc, "the prototype of '%s' is not that of the %s of '%s'", have->name,
               mode_names[w->mode], w->f->name);
        cf_say(r, CF_NOTE, NULL, have->loc, "it has to be: %s", prototype_text(r, w));
        return false;
    }
    if (!check_order(r, w)) return false;
    w->result = have->type->of;
    w->names = CH_NEW_ARRAY(r->a, const char *, w->f->params.n + 1);
    for (int64_t i = 0; i < w->args.n; i++) {
        cf_arg *arg = &w->args.data[i];
        const cf_decl *d = have->params.data[i];
        if (d->name[0]) arg->name = d->name;
        arg->type = d->declared ? d->declared : d->type;
        if (arg->role == CF_ROLE_PRIMAL) w->names[arg->param] = arg->name;
    }
    for (int64_t i = 0; i < w->f->params.n; i++)
        if (!w->names[i]) w->names[i] = w->f->params.data[i]->name;
    return true;
}

// ---------------------------------------------------------------- the derivative
typedef struct {
    cf_wanted *w;
    ch_func *f;
    int n;
    int *wrt;
} derive_job;

static void derive(void *arg) {
    derive_job *j = arg;
    cf_wanted *w = j->w;
    ch__reverse_options o = {.n_wrt = j->n, .wrt = j->wrt};
    for (ch_func *g = j->f->module->first; g; g = g->next) ch__optimize(g); // indices that are equal become one
    switch (w->mode) {
    case CF_GRAD:
    case CF_VALUE_AND_GRAD:
        o.include_value = w->mode == CF_VALUE_AND_GRAD || j->f->body->n_results > 1;
        w->func = ch__reverse(j->f, &o);
        break;
    case CF_VJP:
        o.seeds = true;
        w->func = ch__reverse(j->f, &o);
        break;
    case CF_JVP:
        w->func = ch__forward(j->f, &(ch__forward_options){.n_wrt = j->n, .wrt = j->wrt, .include_value = true});
        break;
    case CF_JACOBIAN: w->func = ch__jacobian(j->f, j->n, j->wrt); break;
    case CF_HESSIAN: w->func = ch__hessian(j->f, j->n, j->wrt); break;
    case CF_HVP: w->func = ch__hvp(j->f, j->n, j->wrt); break;
    }
}

static bool is_detached(const cf_report *r, const char *name) {
    for (int64_t i = 0; i < r->detached.n; i++)
        if (!strcmp(r->detached.data[i], name)) return true;
    return false;
}

// Parameters that cannot matter: those all of whose members cannot.
static void warn_of_detached(cf_report *r, const cf_wanted *w) {
    for (int64_t k = 0; k < w->wrt.n; k++) {
        bool all = true;
        for (int64_t i = 0; i < w->low->ports.n; i++) {
            const cf_port *p = &w->low->ports.data[i];
            if (p->param == w->wrt.data[k] && p->input >= 0 && cf_is_float_port(p))
                all = all && is_detached(r, p->name);
        }
        if (all)
            cf_say(r, CF_WARNING, "CH106", w->d->loc,
                   "'%s' cannot influence the result of '%s': its derivative is zero",
                   w->f->params.data[w->wrt.data[k]]->name, w->f->name);
    }
}

static bool differentiate(cf_report *r, cf_wanted *w) {
    derive_job j = {.w = w, .f = w->low->func, .wrt = CH_NEW_ARRAY(r->a, int, w->low->ports.n + 1)};
    const cf_type *value = w->f->type->of;
    bool scalar = w->mode == CF_GRAD || w->mode == CF_VALUE_AND_GRAD || w->mode == CF_HESSIAN || w->mode == CF_HVP;
    if (scalar && value->kind != CF_FLOAT) {
        cf_say(r, CF_ERROR, "CH101", w->d->loc,
               "'%s' returns %s, and a %s is of a number — CH_VJP or CH_JACOBIAN do for "
               "functions that write arrays",
               w->f->name, value->text, mode_names[w->mode]);
        return false;
    }
    for (int64_t k = 0; k < w->wrt.n; k++)
        for (int64_t i = 0; i < w->low->ports.n; i++) {
            const cf_port *p = &w->low->ports.data[i];
            if (p->param == w->wrt.data[k] && p->input >= 0 && cf_is_float_port(p)) j.wrt[j.n++] = p->input;
        }
    r->detached.n = 0;
    if (ch__protect(derive, &j) == CH_OK) {
        warn_of_detached(r, w);
        return true;
    }
    cf_say_refused(r, "CH105", w->d->loc, "%s", ch_error_message());
    return false;
}

// Variables of the file are read by name where the derivative is called.
static bool check_globals(cf_report *r, const cf_wanted *w) {
    bool ok = true;
    for (int64_t i = 0; i < w->low->ports.n; i++) {
        const cf_decl *d = w->low->ports.data[i].global;
        for (int64_t k = 0; d && k < w->args.n; k++) {
            if (strcmp(w->args.data[k].name, d->name) != 0) continue;
            cf_say(r, CF_ERROR, "CH130", w->d->prototype->loc,
                   "the parameter '%s' of '%s' hides the variable of the file that '%s' reads — name it otherwise",
                   d->name, w->name, w->f->name);
            ok = false;
        }
    }
    return ok;
}

// Arrays with adjoints need a size.
static bool check_sizes(cf_report *r, cf_wanted *w) {
    bool ok = true;
    for (int64_t i = 0; i < w->low->ports.n; i++) {
        const cf_port *p = &w->low->ports.data[i];
        bool wrt = p->param >= 0 && is_wrt(w, p->param) && cf_is_float_port(p);
        bool matters = wrt || p->output >= 0 || (p->reads && cf_is_strided(r->a, w, p));
        if (!matters || !p->size || cf_port_count(r->a, w, p)) continue;
        const cf_decl *d = cf_port_decl(w, p);
        const char *name = cf_port_held(r->a, w, p, d->name, d->type->kind == CF_POINTER, false);
        int64_t said = r->messages.n;
        ok = false;
        cf_say(r, CF_ERROR, "CH104", d->loc, "how many elements '%s' has is not known", name);
        if (r->messages.n == said) continue; // said already
        cf_say(r, CF_NOTE, NULL, w->d->loc, "needed by the %s of '%s'", mode_names[w->mode], w->f->name);
        if (*p->via || d->type->of->kind == CF_VOID) {
            const char *plain = cf_port_name(r->a, w, p);
            cf_say(r, CF_NOTE, NULL, d->loc, "write CH_SHAPE(%s, n) before the function%s, where n says it", plain,
                   *p->via ? ", or CH_SHAPE(member, n) before the member in its struct" : "");
            while (i + 1 < w->low->ports.n && cf_same_object(&w->low->ports.data[i + 1], p)) i++; // said once
            continue;
        }
        const char *as = ch__arena_printf(r->a, "%s[CH_LEN(n)]", d->name);
        cf_say(r, CF_NOTE, NULL, d->loc, "write '%s' in the prototype, or CH_SHAPE(%s, n) before it, where n says it",
               cf_declare_text(r->a, d->type->of, as, NULL), d->name);
        while (i + 1 < w->low->ports.n && cf_same_object(&w->low->ports.data[i + 1], p)) i++; // said once
    }
    return ok;
}

typedef struct {
    cf_program *p;
    cf_report *r;
    cf_wanted *w;
} lower_job;

static void lower_wanted(void *arg) {
    lower_job *j = arg;
    j->w->low = cf_lower_function(j->p, j->r, j->w->f, &(cf_lower_options){.fresh_outputs = j->w->mode == CF_VJP});
}

static void try_workspace(void *arg) {
    lower_job *j = arg;
    cf_try_workspace(j->r->a, j->w);
}

// Without --strict: a definition as the prototype has it, which fails when it is called.
static cf_wanted *refused(cf_report *r, cf_wanted *w) {
    if (!r->lenient || !r->refused.text) return NULL;
    const cf_decl *have = w->d->prototype;
    w->refused = r->refused;
    w->func = NULL;
    w->result = have->type->of;
    w->args.n = 0;
    for (int64_t i = 0; i < have->params.n; i++) {
        const cf_decl *d = have->params.data[i];
        push(r, w, CF_ROLE_PRIMAL, (int)i, declared(d), *d->name ? d->name : ch__arena_printf(r->a, "p%d", (int)i));
    }
    return w;
}

cf_wanted *cf_want(cf_program *p, cf_report *r, cf_directive *d) {
    int mode = 0;
    while (mode < N_MODES && strcmp(mode_names[mode], d->kind) != 0) mode++;
    if (mode == N_MODES) {
        cf_say(r, CF_ERROR, "CH101", d->loc, "there is no directive '%s'", d->kind);
        return NULL;
    }
    cf_decl *f = cf_find_function(p, d->func);
    if (!f || !f->has_body) {
        cf_say(r, CF_ERROR, "CH101", d->loc, "%s '%s'%s", f ? "there is no body of" : "there is no function", d->func,
               f ? " in the files given — give the file that defines it too" : "");
        return NULL;
    }
    cf_wanted *w = CH_NEW(r->a, cf_wanted);
    w->d = d;
    w->mode = (cf_mode)mode;
    w->f = f;
    w->name = d->prototype->name;
    r->refused.text = NULL;
    int errors = r->errors;
    int64_t said = r->messages.n;
    lower_job j = {p, r, w};
    if (ch__protect(lower_wanted, &j) != CH_OK)
        cf_say(r, CF_ERROR, "CH199", d->loc, "%s — a bug in the front end, please report it", ch_error_message());
    if (!w->low) {
        if (r->messages.n > said)
            cf_say(r, CF_NOTE, NULL, d->loc, "needed by the %s of '%s'", mode_names[mode], f->name);
        return refused(r, w);
    }
    if (!choose_wrt(r, w)) return NULL;
    wanted_args(r, w);
    if (!check_prototype(r, w) || !check_globals(r, w) || !check_sizes(r, w)) return NULL;
    if (!differentiate(r, w)) return refused(r, w);
    if (d->prototype->workspace && ch__protect(try_workspace, &j) != CH_OK) {
        cf_say_refused(r, "CH144", d->loc, "CH_WORKSPACE before '%s': %s", w->name, ch_error_message());
        return refused(r, w);
    }
    return r->errors == errors ? w : NULL;
}
