// SPDX-License-Identifier: Apache-2.0
// write.c - the file of derivatives: a static function for each derivative as the C printer makes it, and the function
// that the user declared, which hands its parameters on.
//
// An array or member that lies in memory as the IR has it is passed by its address. Members of arrays of structs are
// collected into an array before and put back after. What is updated in place is computed beside and copied, because
// results may not overlap what is read.
#include "cfront/write.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    cf_wanted *w;
    ch__arena *a;
    ch__text before, after, freed, args;
    ch__strmap taken;
    bool any_arg, can_fail, heap;
    int n_temps;
} wrapper;

// ---------------------------------------------------------------- the call
static const char *c_type(ch_dtype d) {
    switch (d) {
    case CH_F32: return "float";
    case CH_F64: return "double";
    case CH_BOOL: return "bool";
    case CH_I8: return "int8_t";
    case CH_I16: return "int16_t";
    case CH_I32: return "int32_t";
    case CH_U8: return "uint8_t";
    case CH_U16: return "uint16_t";
    case CH_U32: return "uint32_t";
    case CH_U64: return "uint64_t";
    default: return "int64_t";
    }
}

static void add_arg(wrapper *x, const char *s) {
    if (x->any_arg) {
        const char *line = x->args.data ? strrchr(x->args.data, '\n') : NULL;
        size_t column = strlen(line ? line + 1 : x->args.data ? x->args.data : "");
        ch__put(&x->args, column + strlen(s) > 90 ? ",\n        " : ", ");
    }
    ch__put(&x->args, s);
    x->any_arg = true;
}

static const char *new_name(wrapper *x, const char *want) {
    const char *name = want;
    for (int i = 1; ch__strmap_get(&x->taken, name); i++) name = ch__arena_printf(x->a, "%s_%d", want, i);
    ch__strmap_put(&x->taken, name, x);
    return name;
}

// An array of n elements for this call.
static const char *new_array(wrapper *x, const char *want, ch_dtype d, const char *n) {
    const char *name = new_name(x, want);
    bool fixed = strspn(n, "0123456789") == strlen(n) && strlen(n) < 4;
    if (fixed) {
        ch__putf(&x->before, "    %s %s[%s] = {0};\n", c_type(d), name, strcmp(n, "0") ? n : "1");
        return name;
    }
    x->can_fail = x->heap = true;
    ch__putf(
        &x->before,
        "    %s *%s = malloc((size_t)(%s) * sizeof *%s + 1);\n    if (%s == NULL) CH_OOM((size_t)(%s) * sizeof *%s);\n",
        c_type(d), name, n, name, name, n, name);
    ch__putf(&x->freed, "    free(%s);\n", name);
    return name;
}

static void put_loop(ch__text *t, const char *n, const char *to, const char *from) {
    ch__putf(t, "    for (int64_t k_ = 0; k_ < %s; k_++) %s = %s;\n", n, to, from);
}

// What goes in: the leaf of an object.
static void pass_in(wrapper *x, const cf_port *p, const char *base, bool pointer) {
    base = cf_port_held(x->a, x->w, p, base, pointer, false);
    pointer = pointer || *p->via;
    if (!p->is_array) {
        add_arg(x, cf_port_member(x->a, p, base, pointer));
        return;
    }
    if (!cf_is_strided(x->a, x->w, p)) {
        add_arg(x, cf_port_address(x->a, p, base, pointer));
        return;
    }
    const char *n = cf_port_count(x->a, x->w, p), *name = new_array(x, p->name, p->dtype, n ? n : "0");
    put_loop(&x->before, n ? n : "0", ch__arena_printf(x->a, "%s[k_]", name),
             cf_port_element(x->a, x->w, p, base, pointer, "k_"));
    add_arg(x, name);
}

// What comes out. beside: it may not be written while the inputs are read.
static void pass_out(wrapper *x, const cf_port *p, const char *base, bool pointer, bool beside, bool add) {
    base = cf_port_held(x->a, x->w, p, base, pointer, true);
    pointer = pointer || *p->via;
    const char *op = add ? "+=" : "=";
    if (!p->is_array) {
        const char *m = cf_port_member(x->a, p, base, pointer);
        bool same = cf_is_float_port(p) || (p->type->kind == CF_INT && p->type->bits == 64 && p->type->is_signed);
        if (same && !beside && !add) {
            add_arg(x, pointer && !*p->path ? base : ch__arena_printf(x->a, "&%s", m));
            return;
        }
        const char *name = new_name(x, p->name);
        ch__putf(&x->before, "    %s %s = 0;\n", c_type(p->dtype), name);
        add_arg(x, ch__arena_printf(x->a, "&%s", name));
        if (same)
            ch__putf(&x->after, "    %s %s %s;\n", m, op, name);
        else
            ch__putf(&x->after, "    %s %s (%s)%s;\n", m, op, p->type->text, name);
        return;
    }
    bool strided = cf_is_strided(x->a, x->w, p);
    if (!strided && !beside && !add) {
        add_arg(x, cf_port_address(x->a, p, base, pointer));
        return;
    }
    const char *n = cf_port_count(x->a, x->w, p), *name = new_array(x, p->name, p->dtype, n ? n : "0");
    add_arg(x, name);
    if (strided)
        ch__putf(&x->after, "    for (int64_t k_ = 0; k_ < %s; k_++) %s %s %s[k_];\n", n,
                 cf_port_element(x->a, x->w, p, base, pointer, "k_"), op, name);
    else if (add)
        ch__putf(&x->after, "    for (int64_t k_ = 0; k_ < %s; k_++) (%s)[k_] += %s[k_];\n", n,
                 cf_port_address(x->a, p, base, pointer), name);
    else
        ch__putf(&x->after, "    memcpy(%s, %s, (size_t)(%s) * sizeof *%s);\n", cf_port_address(x->a, p, base, pointer),
                 name, n, name);
}

// One object of a role for the ports of a parameter.
static void pass_role_out(wrapper *x, const cf_port *p, cf_role role) {
    const cf_arg *arg = cf_arg_of(x->w, role, p->param);
    if (arg) {
        pass_out(x, p, arg->name, cf_by_pointer_arg(arg), false, cf_accumulates(x->w, arg));
        return;
    }
    const char *n = p->is_array ? cf_port_count(x->a, x->w, p) : "1"; // nobody wants it
    add_arg(x, new_array(x, "unused", p->dtype, n ? n : "1"));
}

// ---------------------------------------------------------------- inputs and results by mode
static void pass_sizes(wrapper *x, const ch_func *f) {
    cf_wanted *w = x->w;
    for (int64_t i = 0; i < f->dims.n; i++) {
        const char *n = NULL, *name = f->dims.data[i].name;
        for (int64_t k = 0; k < w->low->ports.n; k++)
            if (w->low->ports.data[k].size && !strcmp(w->low->ports.data[k].size, name))
                n = cf_port_count(x->a, w, &w->low->ports.data[k]);
        add_arg(x, n ? n : "0");
    }
}

static void pass_primals(wrapper *x) {
    cf_wanted *w = x->w;
    int n = w->low->func->body->n_params;
    for (int i = 0; i < n; i++) {
        const cf_port *p = cf_port_of_input(w, i);
        pass_in(x, p, cf_port_base(w, p), cf_param_by_pointer(w, p));
    }
}

static void pass_inputs(wrapper *x) {
    cf_wanted *w = x->w;
    pass_primals(x);
    if (w->mode == CF_VJP)
        for (int i = 0; i < w->low->func->body->n_results; i++) {
            const cf_port *p = cf_port_of_output(w, i);
            if (!cf_is_float_port(p)) continue;
            const cf_arg *arg = cf_arg_of(w, CF_ROLE_SEED, p->param);
            pass_in(x, p, arg->name, cf_by_pointer_arg(arg));
        }
    for (int64_t k = 0; k < w->wrt.n && (w->mode == CF_JVP || w->mode == CF_HVP); k++)
        for (int64_t i = 0; i < w->low->ports.n; i++) {
            const cf_port *p = &w->low->ports.data[i];
            if (p->param != w->wrt.data[k] || !cf_wants_param(w, p)) continue;
            const cf_arg *arg = cf_arg_of(w, w->mode == CF_JVP ? CF_ROLE_TANGENT : CF_ROLE_VECTOR, p->param);
            pass_in(x, p, arg->name, cf_by_pointer_arg(arg));
        }
}

// The value of f and what it writes.
static void pass_primal(wrapper *x, int result) {
    cf_wanted *w = x->w;
    const cf_port *p = cf_port_of_output(w, result);
    if (p->param >= 0) {
        pass_out(x, p, w->names[p->param], cf_param_by_pointer(w, p), p->input >= 0, false);
    } else if (w->result->kind == CF_STRUCT) {
        pass_out(x, p, "value_", false, false, false);
    } else if (w->result->kind == CF_VOID) {
        add_arg(x, new_array(x, "unused", p->dtype, "1"));
    } else {
        ch__putf(&x->before, "    %s value_ = 0;\n", c_type(p->dtype));
        add_arg(x, "&value_");
    }
}

static void pass_adjoints(wrapper *x, cf_role role) {
    cf_wanted *w = x->w;
    for (int64_t k = 0; k < w->wrt.n; k++)
        for (int64_t i = 0; i < w->low->ports.n; i++) {
            const cf_port *p = &w->low->ports.data[i];
            if (p->param == w->wrt.data[k] && cf_wants_param(w, p)) pass_role_out(x, p, role);
        }
}

static const char *flat(ch__arena *a, const cf_arg *arg) {
    const cf_type *t = arg->type;
    int n = 0;
    while (t->kind == CF_ARRAY || t->kind == CF_POINTER) t = t->of, n++;
    return n <= 1 ? arg->name : ch__arena_printf(a, "&%s%s", arg->name, cf_zeros(a, n));
}

static const char *in_parens(ch__arena *a, const char *s) {
    return cf_is_number(s) ? s : ch__arena_printf(a, "(%s)", s);
}

static const char *sum_text(ch__arena *a, const char *x, const char *y) {
    if (cf_is_number(x) && cf_is_number(y))
        return ch__arena_printf(a, "%lld", strtoll(x, NULL, 10) + strtoll(y, NULL, 10));
    return !*x ? y : ch__arena_printf(a, "%s + %s", x, y);
}

// Blocks row by row into one matrix.
static void pass_blocks(wrapper *x) {
    cf_wanted *w = x->w;
    CH_VEC(const cf_port *) rows = {0}, columns = {0};
    for (int64_t k = 0; k < w->wrt.n; k++)
        for (int64_t i = 0; i < w->low->ports.n; i++)
            if (w->low->ports.data[i].param == w->wrt.data[k] && cf_wants_param(w, &w->low->ports.data[i]))
                CH_PUSH(x->a, &columns, &w->low->ports.data[i]);
    for (int i = 0; i < w->low->func->body->n_results && w->mode == CF_JACOBIAN; i++)
        if (cf_is_float_port(cf_port_of_output(w, i))) CH_PUSH(x->a, &rows, cf_port_of_output(w, i));
    if (w->mode == CF_HESSIAN)
        for (int64_t i = 0; i < columns.n; i++) CH_PUSH(x->a, &rows, columns.data[i]);
    const char *out = flat(x->a, cf_arg_of(w, CF_ROLE_BLOCK, -1)), *width = "", *row = "";
    if (rows.n == 1 && columns.n == 1) {
        add_arg(x, out);
        return;
    }
    const char **w_text = CH_NEW_ARRAY(x->a, const char *, columns.n),
               **at = CH_NEW_ARRAY(x->a, const char *, columns.n);
    for (int64_t c = 0; c < columns.n; c++) {
        w_text[c] = cf_port_count(x->a, w, columns.data[c]);
        at[c] = width;
        width = sum_text(x->a, width, w_text[c]);
    }
    for (int64_t r = 0; r < rows.n; r++) {
        const char *height = cf_port_count(x->a, w, rows.data[r]);
        for (int64_t c = 0; c < columns.n; c++) {
            const char *n = cf_times_text(x->a, in_parens(x->a, height), in_parens(x->a, w_text[c]));
            const char *block = new_array(x, "block", columns.data[c]->dtype, n);
            add_arg(x, block);
            ch__putf(
                &x->after,
                "    for (int64_t r_ = 0; r_ < %s; r_++)\n        for (int64_t c_ = 0; c_ < %s; c_++)\n            "
                "(%s)[%s%sr_%s * %s + %s%sc_] = %s[r_ * %s + c_];\n",
                height, w_text[c], out, *row ? "(" : "", *row ? ch__arena_printf(x->a, "%s + ", row) : "",
                *row ? ")" : "", in_parens(x->a, width), at[c], *at[c] ? " + " : "", block, in_parens(x->a, w_text[c]));
        }
        row = sum_text(x->a, row, height);
    }
}

static void pass_results(wrapper *x) {
    cf_wanted *w = x->w;
    int n = w->low->func->body->n_results;
    switch (w->mode) {
    case CF_GRAD:
    case CF_VALUE_AND_GRAD: {
        bool value = w->mode == CF_VALUE_AND_GRAD || n > 1;
        if (value) pass_primal(x, 0);
        pass_adjoints(x, CF_ROLE_ADJOINT);
        for (int i = 1; i < n && value; i++) pass_primal(x, i);
        break;
    }
    case CF_VJP: pass_adjoints(x, CF_ROLE_ADJOINT); break;
    case CF_JVP:
        for (int i = 0; i < n; i++) pass_primal(x, i);
        for (int i = 0; i < n; i++) {
            const cf_port *p = cf_port_of_output(w, i);
            if (cf_is_float_port(p)) pass_role_out(x, p, CF_ROLE_TANGENT_OUT);
        }
        break;
    case CF_JACOBIAN:
    case CF_HESSIAN: pass_blocks(x); break;
    case CF_HVP: pass_adjoints(x, CF_ROLE_PRODUCT); break;
    }
}

// ---------------------------------------------------------------- the function
static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    static const char part[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (const char *at = text; at && (at = strstr(at, word)) != NULL; at++)
        if ((at == text || !strchr(part, at[-1])) && (!at[n] || !strchr(part, at[n]))) return true;
    return false;
}

const char *cf_signature(ch__arena *a, const cf_wanted *w) {
    ch__text t;
    ch__text_init(&t, a);
    const char *head = cf_declare_text(a, w->result, w->name, NULL);
    ch__putf(&t, "%s(", head);
    int64_t line = 0;
    const char **names = CH_NEW_ARRAY(a, const char *, w->d->prototype->params.n + 1);
    for (int64_t i = 0; i < w->args.n; i++) names[i] = w->args.data[i].name;
    for (int64_t i = 0; i < w->args.n; i++) {
        cf_type *type = w->args.data[i].type, own;
        if (w->args.data[i].role != CF_ROLE_PRIMAL && (type->kind == CF_ARRAY || type->kind == CF_POINTER)) {
            own = *type; // results lie in memory of their own: compilers are told
            own.is_restrict = true;
            type = &own;
        }
        const char *s = cf_declare_text(a, type, w->args.data[i].name, names);
        if (i > 0 && t.n - line + (int64_t)strlen(s) > 108) {
            ch__put(&t, ",\n");
            line = t.n;
            for (size_t k = 0; k < strlen(head) + 1 && k < 50; k++) ch__putc(&t, ' ');
        } else if (i > 0) {
            ch__put(&t, ", ");
        }
        ch__put(&t, s);
    }
    ch__put(&t, w->args.n ? ")" : "void)");
    return t.data;
}

static const char *const mode_what[] = {
    "gradient", "value and gradient",    "vector-Jacobian product", "Jacobian-vector product", "Jacobian",
    "Hessian",  "Hessian-vector product"};

const char *cf_head_text(ch__arena *a, const cf_wanted *w) {
    const char *file = w->f->loc.file ? w->f->loc.file : "", *slash = strrchr(file, '/');
    ch__text t;
    ch__text_init(&t, a);
    ch__putf(&t, "%s of %s (%s:%d) with respect to", mode_what[w->mode], w->f->name, slash ? slash + 1 : file,
             w->f->loc.line);
    for (int64_t k = 0; k < w->wrt.n; k++) ch__putf(&t, "%s %s", k ? "," : "", w->f->params.data[w->wrt.data[k]]->name);
    return t.data;
}

// The comment, and the line that ends before the brace.
static const char *head_text(ch__arena *a, const cf_wanted *w) {
    return ch__arena_printf(a, "/* %s */\n%s", cf_head_text(a, w), cf_signature(a, w));
}

// The same prototype for a function that another one calls.
static const char *body_head(ch__arena *a, const cf_wanted *w, const char *suffix) {
    cf_wanted *g = CH_NEW(a, cf_wanted);
    *g = *w;
    g->name = ch__arena_printf(a, "%s%s", w->name, suffix);
    return ch__arena_printf(a, "static %s", cf_signature(a, g));
}

// The function's abort and exit come before its derivative.
static const char *guard_text(ch__arena *a, const cf_wanted *w) {
    ch__text args;
    ch__text_init(&args, a);
    ch__put(&args, "");
    for (int64_t i = 0; i < w->args.n; i++) ch__putf(&args, "%s%s", i ? ", " : "", w->args.data[i].name);
    return ch__arena_printf(a,
                            "    const int stop_ = %s_stops(%s); /* %s calls abort or exit */\n"
                            "    if (stop_ == 1) abort();\n    if (stop_ > 1) exit(stop_ - 2);\n",
                            w->name, args.data, w->f->name);
}

// Around a body of the same prototype.
static void put_guarded(ch__text *t, cf_wanted *w) {
    ch__arena *a = t->arena;
    ch__putf(t, "\n%s\n{\n%s    %s%s_body(", head_text(a, w), guard_text(a, w),
             w->result->kind == CF_VOID ? "" : "return ", w->name);
    for (int64_t i = 0; i < w->args.n; i++) ch__putf(t, "%s%s", i ? ", " : "", w->args.data[i].name);
    ch__put(t, ");\n}\n");
}

// The arguments so far; others begin.
static const char *taken_args(wrapper *x) {
    const char *s = x->args.data ? x->args.data : "";
    ch__text_init(&x->args, x->a);
    ch__put(&x->args, "");
    x->any_arg = false;
    return s;
}

static const char *call_text(ch__arena *a, const ch__c_function *fn, const char *in, const char *out) {
    if (fn->by_value) {
        const char *to = out[0] == '&' ? out + 1 : ch__arena_printf(a, "*%s", out);
        return ch__arena_printf(a, "    %s = %s(%s);\n", to, fn->name, in);
    }
    const char *between = !*in || !*out ? "" : strlen(in) + strlen(out) > 85 ? ",\n        " : ", ";
    return ch__arena_printf(a, "    %s%s(%s%s%s)%s;\n", fn->fails ? "if (" : "", fn->name, in, between, out,
                            fn->fails ? " != 0) CH_OOM((size_t)0)" : "");
}

// primal: what gives f's own outputs where the derivative does not; or NULL.
static void put_wrapper(ch__text *t, cf_wanted *w, const ch__c_function *fn, const ch__c_function *primal) {
    ch__arena *a = t->arena;
    wrapper x = {.w = w, .a = a};
    ch__text *texts[] = {&x.before, &x.after, &x.freed, &x.args};
    for (int i = 0; i < 4; i++) {
        ch__text_init(texts[i], a);
        ch__put(texts[i], "");
    }
    ch__strmap_init(&x.taken, a);
    for (int64_t i = 0; i < w->args.n; i++) ch__strmap_put(&x.taken, w->args.data[i].name, &x);
    if (w->result->kind == CF_STRUCT) ch__putf(&x.before, "    %s value_;\n", w->result->text);
    pass_sizes(&x, w->func);
    pass_inputs(&x);
    const char *inputs = taken_args(&x);
    pass_results(&x);
    const char *call = call_text(a, fn, inputs, taken_args(&x));
    if (primal) {
        pass_sizes(&x, w->low->func);
        pass_primals(&x);
        inputs = taken_args(&x);
        for (int i = 0; i < w->low->func->body->n_results; i++) pass_primal(&x, i);
        call = ch__arena_printf(a, "%s%s", call, call_text(a, primal, inputs, taken_args(&x)));
    }
    ch__putf(t, "\n%s\n{\n", head_text(a, w));
    if (w->low->stops) ch__put(t, guard_text(a, w));
    const char *body = ch__arena_printf(a, "%s%s%s%s", x.before.data ? x.before.data : "", call,
                                        x.after.data ? x.after.data : "", x.freed.data ? x.freed.data : "");
    for (int64_t i = 0; i < w->args.n; i++)
        if (!has_word(body, w->args.data[i].name)) ch__putf(t, "    (void)%s;\n", w->args.data[i].name);
    ch__put(t, body);
    if (w->result->kind == CF_STRUCT || w->result->kind == CF_FLOAT)
        ch__put(t, "    return value_;\n");
    else if (w->result->kind != CF_VOID)
        ch__putf(t, "    return (%s)value_;\n", w->result->text);
    ch__put(t, "}\n");
}

// ---------------------------------------------------------------- the file
typedef struct {
    cf_program *p;
    int n;
    cf_wanted *const *list;
    ch__text wrappers; // functions around bodies
    cf_source *source;
} file_job;

static void put_records(ch__text *t, ch__map *done, const cf_wanted *w) {
    for (int64_t i = 0; i < w->args.n; i++) {
        cf_type *type = w->args.data[i].type;
        while (type->kind == CF_ARRAY || type->kind == CF_POINTER) type = type->of;
        if (type->kind == CF_STRUCT) cf_put_record(t, done, type->record);
    }
    for (int64_t i = 0; !w->refused.text && i < w->low->ports.n; i++) { // behind void *
        cf_type *type = w->low->ports.data[i].whole;
        while (type->kind == CF_ARRAY) type = type->of;
        if (type->kind == CF_STRUCT) cf_put_record(t, done, type->record);
    }
    if (w->result->kind == CF_STRUCT) cf_put_record(t, done, w->result->record);
}

static const char *quoted(ch__arena *a, const char *s) {
    ch__text t;
    ch__text_init(&t, a);
    ch__putc(&t, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') ch__putc(&t, '\\');
        ch__putc(&t, *s == '\n' ? ' ' : *s);
    }
    ch__put(&t, "\"");
    return t.data;
}

// A derivative that could not be made: it says so when it is called.
static void put_refused(ch__text *t, cf_wanted *w) {
    ch__arena *a = t->arena;
    const cf_message *m = &w->refused;
    const char *file = m->at.file ? m->at.file : "", *slash = strrchr(file, '/');
    bool value = w->result->kind != CF_VOID;
    ch__putf(t, "\n/* %s of %s: it could not be made, see %s:%d */\n%s\n{\n", mode_what[w->mode], w->f->name,
             slash ? slash + 1 : file, m->at.line, cf_signature(a, w));
    if (value) ch__putf(t, "    static %s;\n", cf_declare_text(a, w->result, "value_", NULL));
    for (int64_t i = 0; i < w->args.n; i++) ch__putf(t, "    (void)%s;\n", w->args.data[i].name);
    ch__putf(t, "    CH_NOT_LOWERED(%s,\n        %d,\n        %s);\n", quoted(a, slash ? slash + 1 : file), m->at.line,
             quoted(a, ch__arena_printf(a, "%s [%s]", m->text, m->code)));
    ch__put(t, value ? "    return value_;\n}\n" : "}\n");
    const char *bytes = cf_wsize_text(a, w);
    if (!bytes) return;
    ch__putf(t, "\n%s\n{\n", bytes);
    for (int64_t i = 0; i < w->f->params.n; i++)
        if (cf_is_count(w->f->params.data[i])) ch__putf(t, "    (void)%s;\n", cf_count_name(w, i));
    ch__put(t, "    return 0;\n}\n");
}

// A Jacobian has no value beside it: the outputs of f come from f.
static bool needs_primal(const cf_wanted *w) {
    const cf_lowered *low = w->low;
    if (w->refused.text) return false;
    for (int64_t i = 0; i < low->ports.n && w->mode == CF_JACOBIAN; i++)
        if (low->ports.data[i].param >= 0 && low->ports.data[i].output >= 0) return true;
    return false;
}

// Variables of the file that are read.
static void put_globals(ch__text *t, ch__map *done, const cf_wanted *w) {
    for (int64_t i = 0; !w->refused.text && i < w->low->ports.n; i++) {
        const cf_decl *d = w->low->ports.data[i].global;
        if (!d || ch__map_get(done, (uint64_t)(uintptr_t)d)) continue;
        ch__map_put(done, (uint64_t)(uintptr_t)d, t);
        cf_type *type = d->type;
        while (type->kind == CF_ARRAY) type = type->of;
        if (type->kind == CF_STRUCT) cf_put_record(t, done, type->record);
        ch__putf(t, "extern %s;\n\n", cf_declare_text(t->arena, d->type, d->name, NULL));
    }
}

static void put_tail(void *arg, ch__text *t, const ch__c_function *functions) {
    file_job *j = arg;
    ch__text_init(&j->wrappers, t->arena);
    for (int i = 0; i < j->n; i++) {
        cf_wanted *w = j->list[i];
        if (w->refused.text)
            put_refused(&j->wrappers, w);
        else if (w->face && w->low->stops)
            put_guarded(&j->wrappers, w);
        else if (!w->face)
            put_wrapper(&j->wrappers, w, &functions[w->printed], needs_primal(w) ? &functions[w->printed_value] : NULL);
    }
    if (j->wrappers.n) ch__putn(t, j->wrappers.data + 1, (size_t)j->wrappers.n - 1);
}

static const char *code_on(void *arg, const char *file, int line) {
    return cf_source_code(((file_job *)arg)->source, file, line);
}

static const char *comment_on(void *arg, const char *file, int line) {
    return cf_source_comment(((file_job *)arg)->source, file, line);
}

static void put_definitions(void *arg, ch__text *t, const char *functions) {
    file_job *j = arg;
    ch__map done;
    ch__map_init(&done, t->arena);
    for (int i = 0; i < j->n; i++) put_records(t, &done, j->list[i]);
    for (int i = 0; i < j->n; i++) put_globals(t, &done, j->list[i]);
    const char *wrappers = j->wrappers.data ? j->wrappers.data : "";
    if (strstr(wrappers, "CH_OOM(") || strstr(functions, "CH_OOM("))
        ch__put(t, "#ifndef CH_OOM /* what happens when there is no memory */\n"
                   "#define CH_OOM(bytes) (fprintf(stderr, \"%s: no memory for %lu bytes\\n\", __func__, (unsigned "
                   "long)(bytes)), "
                   "abort())\n#endif\n\n");
    if (strstr(functions, "assert(apart("))
        ch__put(
            t,
            "#ifndef NDEBUG\ntypedef struct {\n    const void *at;\n    int64_t n;\n    size_t size;\n} memory_range;"
            "\n\n/* the first `written` of n ranges overlap none of the others */\n"
            "static int apart(int n, int written, const memory_range *r)\n{\n"
            "    for (int i = 0; i < written; i++)\n        for (int j = i + 1; j < n; j++) {\n"
            "            const uintptr_t x = (uintptr_t)r[i].at, y = (uintptr_t)r[j].at;\n"
            "            if (r[i].n > 0 && r[j].n > 0 && x < y + (size_t)r[j].n * r[j].size &&\n"
            "                y < x + (size_t)r[i].n * r[i].size)\n                return 0;\n        }\n"
            "    return 1;\n}\n#endif\n\n");
    if (strstr(wrappers, "CH_NOT_LOWERED("))
        ch__put(t,
                "#ifndef CH_NOT_LOWERED /* what a derivative does that could not be made */\n"
                "#define CH_NOT_LOWERED(file, line, reason) \\\n    (fprintf(stderr, \"%s:%d: %s: %s\\n\", file, line, "
                "__func__, reason), abort())\n#endif\n\n");
}

// Names of parameters that the printed functions need for themselves get a _ behind them.
static void clear_names(ch__arena *a, cf_wanted *w) {
    for (int64_t i = 0; i < w->args.n; i++) {
        cf_arg *arg = &w->args.data[i];
        const char *name = arg->name;
        bool whole = w->result->kind == CF_STRUCT; // made under the name of value
        while (ch__c_name_is_taken(name) || (whole && !strcmp(name, "value"))) name = ch__arena_printf(a, "%s_", name);
        if (name == arg->name) continue;
        for (int64_t k = 0; k < w->args.n; k++)
            if (!strcmp(w->args.data[k].name, name)) name = ch__arena_printf(a, "%s_", name);
        if (arg->role == CF_ROLE_PRIMAL) w->names[arg->param] = name;
        arg->name = name;
    }
}

// Whether the function would stop the program, as a function of the same parameters.
static void add_guard(ch__arena *a, const cf_wanted *w, int *count, const ch_func **funcs,
                      const ch__c_interface **faces) {
    static cf_type number = {.kind = CF_INT, .bits = 32, .is_signed = true, .text = "int"};
    cf_wanted *g = CH_NEW(a, cf_wanted);
    *g = *w;
    g->guard = true;
    g->mode = CF_GRAD;
    g->func = w->low->stops;
    g->result = &number;
    g->func->name = ch__arena_printf(g->func->module->arena, "%s_stops", w->name);
    faces[*count] = cf_face(a, g, body_head(a, g, "_stops"));
    funcs[(*count)++] = g->func;
}

// "#line 0" becomes where the file itself goes on.
static void number_lines(ch__text *to, const ch__text *from, const char *name) {
    int64_t line = 1;
    for (const char *s = from->data, *end; s && *s; s = end + 1, line++) {
        end = strchr(s, '\n');
        if (!strncmp(s, "#line 0\n", 8))
            ch__putf(to, "#line %" PRId64 " \"%s\"\n", line + 1, name);
        else
            ch__putn(to, s, (size_t)(end + 1 - s));
    }
}

static void no_tail(void *arg, ch__text *t, const ch__c_function *functions) { (void)arg, (void)t, (void)functions; }

void cf_try_workspace(ch__arena *a, cf_wanted *w) {
    const ch__c_interface *face = needs_primal(w) ? NULL : cf_face(a, w, head_text(a, w));
    if (!face)
        ch__raise(
            CH__E_unsupported,
            "what it gives has to be put together from pieces, which takes memory — ask for the gradient, or leave "
            "CH_WORKSPACE out");
    ch__c_frame frame = {.head = "", .tail = no_tail, .faces = &face};
    const ch_func *f = w->func;
    ch__text text;
    ch__text_init(&text, a);
    w->func->name = ch__arena_printf(w->func->module->arena, "%s", w->name);
    ch__print_c_framed(&text, 1, &f, &frame);
}

void cf_write_file(ch__text *t, cf_program *p, int n, cf_wanted *const *list, const char *lines) {
    ch__arena *a = p->a;
    const ch_func **funcs = CH_NEW_ARRAY(a, const ch_func *, 3 * n + 1);
    const ch__c_interface **faces = CH_NEW_ARRAY(a, const ch__c_interface *, 3 * n + 1);
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (list[i]->refused.text) continue;
        cf_wanted *w = list[i];
        clear_names(a, w);
        bool guarded = w->low->stops != NULL;
        w->face = needs_primal(w) ? NULL : cf_face(a, w, guarded ? body_head(a, w, "_body") : head_text(a, w));
        w->func->name = ch__arena_printf(w->func->module->arena, "%s%s", w->name, w->face && !guarded ? "" : "_body");
        faces[count] = w->face;
        w->printed = count;
        funcs[count++] = list[i]->func;
    }
    for (int i = 0; i < n; i++) {
        if (!needs_primal(list[i])) continue;
        ch_func *f = list[i]->low->func;
        f->name = ch__arena_printf(f->module->arena, "%s_value", list[i]->name);
        f->inout = NULL; // as derivatives have it: results stand beside what is read
        list[i]->printed_value = count;
        funcs[count++] = f;
    }
    for (int i = 0; i < n; i++)
        if (!list[i]->refused.text && list[i]->low->stops) add_guard(a, list[i], &count, funcs, faces);
    ch__text head;
    ch__text_init(&head, a);
    const char *path = p->units.data[0]->path, *slash = strrchr(path, '/');
    ch__putf(&head, "/* Generated by chaac %s from %s - do not edit. chaac:input-sha256=%s */\n", ch_version(),
             slash ? slash + 1 : path, cf_program_hash(p));
    file_job j = {.p = p, .n = n, .list = list, .source = cf_source_begin(a)};
    ch__c_frame frame = {.head = head.data,
                         .before = put_definitions,
                         .tail = put_tail,
                         .arg = &j,
                         .faces = faces,
                         .code = code_on,
                         .comment = comment_on};
    frame.lines = lines != NULL;
    ch__text numbered;
    ch__text_init(&numbered, a);
    ch__print_c_framed(lines ? &numbered : t, count, funcs, &frame);
    if (lines) number_lines(t, &numbered, lines);
}
