// SPDX-License-Identifier: Apache-2.0
// lower_call.c - calls.
//
// The body of a C function is lowered in the place of the call, with its parameters bound to the arguments: a pointer
// parameter is then the very pointer that was passed, so aliases and views need no analysis. What C's library does is
// known by name. A function without body or rule is refused.
#include "cfront/lower.h"

const char *cf_called(const cf_node *call, cf_decl **f) {
    const cf_node *n = call->kids[0];
    while (n->kind == CF_DECAY || n->kind == CF_CAST ||
           (n->kind == CF_UNARY && (n->op == CF_DEREF || n->op == CF_ADDRESS)))
        n = n->kids[0];
    *f = n->kind == CF_NAME && n->decl->kind == CF_FUNC ? n->decl : NULL;
    return *f ? (*f)->name : "";
}

// ---------------------------------------------------------------- in place
static void bind_param(cf_lower *l, cf_call *c, cf_decl *d, cf_rv arg, cf_loc at) {
    cf_object *o = cf_new_object(l, d->name, d->type, 1, NULL, d->loc);
    o->decl = d;
    ch__map_put(&c->vars, (uint64_t)(uintptr_t)d, o);
    if (d->type->kind == CF_POINTER) {
        cf_set_pointer(l, o->leaves.data[0].slot, arg.p ? arg.p : cf_null(l));
    } else if (cf_is_arithmetic(d->type)) {
        ch__value *v = arg.v ? cf_convert(l, arg.v, arg.type, d->type) : cf_zero(l, ch__type_scalar(cf_held(d->type)));
        cf_set_slot(l, o->leaves.data[0].slot, v);
    } else if (d->type->kind == CF_STRUCT && arg.p) {
        cf_make_storage(l, o);
        cf_store(l, cf_address(l, o), arg, d->type, at);
    } // a long double or complex number: what is read of it is in doubt
}

static cf_rv call_result(cf_lower *l, cf_call *c) {
    cf_type *t = c->f->type->of;
    cf_rv v = {.type = t};
    if (c->result_object)
        v.p = cf_address(l, c->result_object);
    else if (c->result >= 0 && t->kind == CF_POINTER) {
        v.p = cf_get_pointer(l, c->result);
        if (!v.p) v.p = cf_null(l);
    } else if (c->result >= 0)
        v.v = cf_get_slot(l, c->result);
    return v;
}

cf_rv cf_inline(cf_lower *l, cf_decl *f, int n_args, cf_rv *args, cf_node *site) {
    cf_loc at = site ? site->loc : f->loc;
    int depth = 0;
    if (cf_is_recursive(l, f) || cf_stays_call(l, f, n_args, args)) return cf_call_outlined(l, f, n_args, args, at);
    for (cf_call *o = l->call; o; o = o->outer) depth++;
    if (depth > 60)
        return cf_call_in_doubt(l, f, n_args, args,
                                cf_doubt_of(l, "CH141", at, "call less deeply", "calls are nested more than 60 deep"));
    cf_call *c = CH_NEW(l->a, cf_call);
    *c = (cf_call){.outer = l->call, .f = f, .site = site, .result = -1};
    ch__map_init(&c->vars, l->a);
    l->call = c;
    for (int64_t i = 0; i < f->params.n; i++)
        bind_param(l, c, f->params.data[i], i < n_args ? args[i] : (cf_rv){0}, at);
    for (int64_t i = 0; i < f->params.n; i++) cf_declare_extents(l, f->params.data[i]->declared);
    cf_type *t = f->type->of;
    if (cf_is_arithmetic(t)) c->result = cf_new_slot(l, NULL, ch__type_scalar(cf_held(t)), NULL);
    if (t->kind == CF_POINTER) c->result = cf_new_slot(l, NULL, NULL, NULL);
    if (t->kind == CF_STRUCT) {
        c->result_object = cf_new_object(l, "result", t, 1, NULL, at);
        cf_make_storage(l, c->result_object);
    }
    c->jump = cf_new_slot(l, NULL, ch__type_scalar(CH_I64), NULL);
    cf_set_slot(l, c->jump, cf_i64(l, 0));
    cf_statement(l, cf_body(f));
    cf_end_of_function(l);
    cf_rv v = call_result(l, c);
    l->call = c->outer;
    return v;
}

// ---------------------------------------------------------------- memory functions
static const cf_type size_type = {.kind = CF_INT, .bits = 64, .is_signed = true, .text = "long"};

static const cf_doubt *size_in_doubt(cf_lower *l, const cf_type *t, cf_loc at) {
    return cf_doubt_of(l, "CH135", at, "use a complete type", "the size of %s", t->text);
}

static bool has_size(const cf_type *t) {
    while (t->kind == CF_ARRAY) t = t->of;
    return cf_sizeof(t) > 0;
}

// 3 * sizeof *p, which is a constant when it is folded.
static bool folded(const ch__value *v, int64_t *out) {
    int64_t x, y;
    if (cf_known(v, out)) return true;
    if (!v->op || v->type->rank || !ch__is_int(v->type->dtype)) return false;
    if (v->op->code == CH_OP_convert) return folded(v->op->operands[0], out) && *out >= 0 && *out <= INT32_MAX;
    if (v->op->code != CH_OP_mul && v->op->code != CH_OP_add) return false;
    if (!folded(v->op->operands[0], &x) || !folded(v->op->operands[1], &y)) return false;
    if (x < 0 || y < 0 || x > INT32_MAX || y > INT32_MAX) return false;
    *out = v->op->code == CH_OP_mul ? x * y : x + y;
    return *out <= INT32_MAX;
}

static ch__value *elements_in(cf_lower *l, ch__value *bytes, cf_type *of, cf_loc at) {
    ch__value *units = cf_units(l, of);
    cf_type *t = of;
    while (t->kind == CF_ARRAY) t = t->of;
    int64_t each = cf_sizeof(t), known;
    if (each <= 0) return cf_doubtful(l, size_in_doubt(l, t, at), ch__type_scalar(CH_I64), NULL);
    ch__value *n = cf_plain(l, bytes);
    if (!(n->type->dtype == CH_U64 && n->op && n->op->code == CH_OP_mul)) n = cf_index(l, n);
    const ch__op *m = n->op;
    if (m && m->code == CH_OP_convert && m->operands[0]->type->dtype == CH_U64) m = m->operands[0]->op;
    if (folded(n, &known)) {
        n = cf_i64(l, known / each);
    } else if (m && m->code == CH_OP_mul && cf_known(m->operands[1], &known) && known == each) {
        n = m->operands[0]; // n * sizeof *p
    } else if (m && m->code == CH_OP_mul && cf_known(m->operands[0], &known) && known == each) {
        n = m->operands[1];
    } else if (each > 1) {
        n = cf_arith(l, CF_DIV, &size_type, cf_index(l, n), cf_i64(l, each));
    }
    n = cf_index(l, n);
    return units ? cf_arith(l, CF_DIV, &size_type, n, units) : n;
}

// malloc in a function that gives void *: what it is for is known where it is converted, in the same turn of a loop.
static cf_rv raw_memory(cf_lower *l, cf_node *call) {
    static cf_type nothing = {.kind = CF_VOID, .text = "void"};
    cf_object *o = CH_NEW(l->a, cf_object);
    ch__value *bytes = cf_scalar(l, call->kids[1]);
    if (call->n == 3) bytes = cf_mul_index(l, cf_index(l, bytes), cf_index(l, cf_scalar(l, call->kids[2])));
    *o = (cf_object){.name = "memory", .type = &nothing, .fixed = 1, .loc = call->loc, .param = -1, .raw = true};
    o->bytes = bytes;
    o->where = l->env;
    o->made = cf_site_key(l, call);
    return (cf_rv){.p = cf_address(l, o), .type = call->type};
}

// Whether what was computed may be used here: in this env, or one around it.
static bool in_sight(const cf_lower *l, const ch__value *v) {
    const ch__region *r = v->op ? v->op->parent : v->region;
    for (const cf_env *e = l->env; r; e = e->parent ? e->parent : e->frame->outer) {
        if (e->b.region == r) return true;
        if (!e->parent && !e->frame) return false;
    }
    return true; // what stands for a value of the loop until its body is known
}

static bool is_around(const cf_env *e, const cf_env *in) {
    while (in && in != e) in = in->parent;
    return in != NULL;
}

// NULL: the memory has its type; else why not. It is made in the env that it is known in and this one is part of.
static const cf_doubt *give_memory_type(cf_lower *l, cf_object *o, cf_type *as, cf_loc at) {
    if (!o->raw) return NULL;
    cf_env *now = l->env, *known = o->where;
    if (known->frame != now->frame)
        return cf_doubt_of(l, "CH139", at, "assign it to a pointer to numbers or structs at once",
                           "memory of malloc that gets its type in a loop");
    if (!has_size(as)) return size_in_doubt(l, as, at);
    while (!is_around(known, now)) known = known->parent;
    l->env = known;
    if (!in_sight(l, o->bytes)) { // of a branch that is over
        cf_env *root;
        l->env = o->where;
        ch__value *earlier = cf_size_before(l, o->bytes, &root);
        l->env = now;
        if (!earlier)
            return cf_doubt_of(l, "CH139", at, "assign it to a pointer to numbers or structs at once",
                               "memory of malloc that gets its type behind the condition it is made under");
        o->bytes = earlier;
    }
    l->env = known;
    const int before = (int)l->slots.n;
    o->raw = false;
    o->at = cf_new_memory(l, o->made, o, as, elements_in(l, o->bytes, as, at));
    l->env = now;
    for (int slot = before; slot < (int)l->slots.n; slot++)
        for (cf_env *e = now; e != known; e = e->parent) *cf_poke(l, e, slot) = *cf_peek(known, slot);
    return NULL;
}

const cf_ptr *cf_typed_memory(cf_lower *l, const cf_ptr *p, cf_type *as, cf_loc at) {
    cf_object *o = p->n == 1 ? p->to[0].o : NULL;
    if (as->kind == CF_VOID || as->kind == CF_FUNCTION) return p;
    if (o && o->border && o->type->kind == CF_VOID) {
        cf_reach_as(l, o, as);
        return cf_nowhere(l);
    }
    cf_ptr *q = NULL;
    for (int k = 0; k < p->n; k++) {
        o = p->to[k].o;
        if (!o || !o->bytes || p->to[k].n) continue;
        const cf_doubt *d = give_memory_type(l, o, as, at);
        if (d) return cf_doubtful_pointer(l, d, false);
        if (p->n == 1) return o->at;
        if (!q) {
            q = CH_NEW(l->a, cf_ptr);
            *q = *p;
            q->to = ch__arena_dup(l->a, p->to, (size_t)p->n * sizeof *p->to);
        }
        q->to[k] = o->at->to[0];
        if (o->at->index) // its part of an array for all turns
            q->index = ch__b_select(&l->env->b, cf_compare(l, CF_EQ, p->which, cf_i64(l, k)), o->at->index,
                                    q->index ? q->index : cf_i64(l, 0));
    }
    return q ? q : p;
}

cf_rv cf_allocated(cf_lower *l, cf_node *call, cf_type *pointer) {
    cf_decl *f;
    bool clear = !strcmp(cf_called(call, &f), "calloc");
    cf_type *of = pointer->of;
    if (!has_size(of)) return cf_doubtful_rv(l, size_in_doubt(l, of, call->loc), pointer);
    ch__value *bytes = cf_index(l, cf_scalar(l, call->kids[1])), *n;
    if (clear && call->n == 3) {
        int64_t each;
        ch__value *size = cf_index(l, cf_scalar(l, call->kids[2]));
        if (cf_known(size, &each) && each == cf_sizeof(of))
            n = bytes;
        else
            n = elements_in(l, cf_mul_index(l, bytes, size), of, call->loc);
    } else {
        n = elements_in(l, bytes, of, call->loc);
    }
    cf_object *o = CH_NEW(l->a, cf_object);
    *o = (cf_object){.name = "memory", .loc = call->loc, .param = -1};
    return (cf_rv){.p = cf_new_memory(l, cf_site_key(l, call), o, of, n), .type = pointer};
}

typedef struct {
    const cf_ptr *to, *from;
    cf_type *type;
    cf_loc at;
    cf_object *zero; // a struct of zeros, for memset
} move_job;

static void move_element(cf_lower *l, void *arg, ch__value *i) {
    move_job *j = arg;
    const cf_ptr *to = cf_moved(l, j->to, i, j->at);
    if (!j->from) { // memset to zero
        cf_rv zero = {.type = j->type};
        if (j->zero)
            zero.p = cf_address(l, j->zero);
        else
            zero.v = cf_zero(l, ch__type_scalar(cf_held(j->type)));
        cf_store(l, to, zero, j->type, j->at);
        return;
    }
    cf_rv v = cf_load(l, cf_moved(l, j->from, i, j->at), j->type, j->at);
    if (v.v) v.v = cf_plain(l, v.v);
    cf_store(l, to, v, j->type, j->at);
}

static cf_type *pointee(const cf_ptr *p) { return p && p->to[0].o && p->to[0].n ? p->to[0].type : NULL; }

// Memory that gets unknown contents.
static bool put_in_doubt(cf_lower *l, const cf_ptr *p, const cf_doubt *d) {
    if (!p) return false;
    for (int k = 0; k < p->n; k++)
        if (p->to[k].o && (p->to[k].o->constant || p->to[k].n == 0)) return false;
    if (p->n > 1) return false;
    if (p->to[0].o) cf_doubt_memory(l, &p->to[0], d);
    return p->to[0].o || p->to[0].doubt;
}

static cf_rv doubtful_move(cf_lower *l, cf_node *n, cf_rv to, const char *what) {
    const cf_doubt *d = cf_doubt_of(l, "CH138", n->loc, "use a loop", "%s", what);
    if (!put_in_doubt(l, to.p, d)) cf_refuse(l, d->code, d->at, d->way, "%s", d->text);
    return to;
}

// memcpy, memmove, memset(p, 0, n).
static cf_rv move_memory(cf_lower *l, cf_node *n, bool set) {
    cf_rv to = cf_value(l, n->kids[1]), from = {0};
    move_job j = {.to = to.p, .at = n->loc, .type = pointee(to.p)};
    if (set) {
        int64_t v;
        if (!cf_known(cf_index(l, cf_scalar(l, n->kids[2])), &v) || v != 0)
            return doubtful_move(l, n, to, "memset to something else than zero");
    } else {
        from = cf_value(l, n->kids[2]);
        j.from = from.p;
    }
    if (!j.type || (!set && !pointee(from.p)) || (!set && !cf_same_type(j.type, pointee(from.p))))
        return doubtful_move(
            l, n, to, set ? "memset of memory of unknown type" : "memcpy between memory of different or unknown types");
    ch__value *count = elements_in(l, cf_scalar(l, n->kids[3]), j.type, n->loc);
    while (j.type->kind == CF_ARRAY) {
        count = cf_mul_index(l, count, cf_extent(l, j.type));
        j.to = cf_element(l, j.to, n->loc);
        if (j.from) j.from = cf_element(l, j.from, n->loc);
        j.type = j.type->of;
    }
    int64_t known;
    if (j.type->kind == CF_STRUCT && set) {
        j.zero = cf_new_object(l, NULL, j.type, 1, NULL, n->loc);
        cf_make_storage(l, j.zero);
        cf_fill_zero(l, cf_address(l, j.zero), j.type, n->loc);
    }
    if (cf_known(count, &known) && known <= 4) {
        for (int64_t i = 0; i < known; i++) move_element(l, &j, cf_i64(l, i));
    } else {
        cf_copy_loop(l, count, move_element, &j);
    }
    return to;
}

// ---------------------------------------------------------------- functions known by name
static bool is_ignored(const char *name) {
    static const char *const names[] = {"printf",
                                        "fprintf",
                                        "puts",
                                        "putchar",
                                        "fputs",
                                        "fputc",
                                        "putc",
                                        "fflush",
                                        "perror",
                                        "vprintf",
                                        "vfprintf",
                                        "free",
                                        "__assert_fail",
                                        "__assert",
                                        "__assert_rtn",
                                        "_assert",
                                        "__builtin_unreachable",
                                        "__builtin_assume",
                                        "syslog",
                                        "__assert_perror_fail"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

// abort and exit: where the function is at its top, it ends there; elsewhere it goes on with any values, and loops that
// might not end otherwise end. A func of its own says beforehand whether it comes to that.
static bool ends_program(cf_lower *l, const char *name, cf_node *n) {
    static const char *const exits[] = {"exit", "_Exit", "_exit", "quick_exit", "__builtin_exit"};
    bool aborts = !strcmp(name, "abort") || !strcmp(name, "__builtin_abort") || !strcmp(name, "__builtin_trap");
    bool leaves = false;
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++) leaves = leaves || (!strcmp(name, exits[i]) && n->n == 2);
    if (!aborts && !leaves) return false;
    l->saw_stop = true;
    if (l->in_rule) return true; // seen to where the rule is called
    if (l->stop < 0) {
        cf_refuse(l, "CH145", n->loc, "give an error back and let the caller stop",
                  "%s in a function that calls itself", name);
        return true;
    }
    ch__value *code = cf_i64(l, 1);
    if (leaves) {
        ch__value *status = cf_index(l, cf_scalar(l, n->kids[1]));
        static const cf_type i64 = {.kind = CF_INT, .bits = 64, .is_signed = true, .text = "long"};
        int64_t known;
        if (cf_known(status, &known))
            code = cf_i64(l, (known & 255) + 2);
        else
            code = cf_arith(l, CF_ADD, &i64, cf_arith(l, CF_AND, &i64, status, cf_i64(l, 255)), cf_i64(l, 2));
    }
    ch__value *before = cf_use(l, l->env, l->stop)->v;
    if (before) code = ch__b_select(&l->env->b, cf_compare(l, CF_EQ, before, cf_i64(l, 0)), code, before);
    cf_set_slot(l, l->stop, code);
    if (!l->env->frame && !l->call->outer) cf_jump(l, CF_JUMP_RETURN, CF_JUMP_RETURN);
    return true;
}

// strcmp of string literals, or of pointers to one of several; NULL: one of them is none.
static ch__value *compare_texts(cf_lower *l, const cf_ptr *p, const cf_ptr *q, int64_t most) {
    ch__value *v = NULL;
    for (int i = p->n - 1; i >= 0; i--)
        for (int k = q->n - 1; k >= 0; k--) {
            const cf_target *x = &p->to[i], *y = &q->to[k];
            bool null = (!x->text && !x->o && !x->refused) || (!y->text && !y->o && !y->refused);
            if (null && p->n * q->n > 1) continue; // C does not compare null
            if (!x->text || !y->text || strchr(x->text, '\\') || strchr(y->text, '\\') || p->n * q->n > 256)
                return NULL;
            const char *a = ch__arena_strndup(l->a, x->text + 1, strlen(x->text) - 2);
            const char *b = ch__arena_strndup(l->a, y->text + 1, strlen(y->text) - 2);
            int order = most >= 0 ? strncmp(a, b, (size_t)most) : strcmp(a, b);
            ch__value *one = cf_i64(l, order < 0 ? -1 : order > 0);
            if (v && q->n > 1) one = ch__b_select(&l->env->b, cf_compare(l, CF_EQ, q->which, cf_i64(l, k)), one, v);
            if (v && p->n > 1) one = ch__b_select(&l->env->b, cf_compare(l, CF_EQ, p->which, cf_i64(l, i)), one, v);
            v = one;
        }
    return v;
}

static bool string_function(cf_lower *l, const char *name, cf_node *n, cf_rv *out) {
    bool some = !strcmp(name, "strncmp") && n->n == 4;
    int64_t most = -1;
    if (!some && !(!strcmp(name, "strcmp") && n->n == 3)) return false;
    cf_rv x = cf_value(l, n->kids[1]), y = cf_value(l, n->kids[2]);
    if (some && (!cf_known(cf_index(l, cf_scalar(l, n->kids[3])), &most) || most < 0)) return false;
    out->v = x.p && y.p ? compare_texts(l, x.p, y.p, most) : NULL;
    return out->v != NULL;
}

static bool known_function(cf_lower *l, const char *name, cf_node *n, cf_rv *out) {
    *out = (cf_rv){.type = n->type};
    if (ends_program(l, name, n)) return true;
    if (string_function(l, name, n, out)) return true;
    if (is_ignored(name)) {
        for (int i = 1; i < n->n; i++)
            if (cf_has_effects(n->kids[i])) cf_value(l, n->kids[i]);
        if (n->type->kind != CF_VOID) out->v = cf_i64(l, 0);
        return true;
    }
    if (!strcmp(name, "ch_stop_gradient_f64") || !strcmp(name, "ch_stop_gradient_f32") ||
        !strcmp(name, "ch_stop_gradient")) {
        out->v = ch__b_unary(&l->env->b, CH_OP_stop_gradient, cf_scalar(l, n->kids[1]));
        return true;
    }
    if (!strcmp(name, "ch_loop_")) {
        const cf_node *s = n->n > 2 ? n->kids[2] : NULL;
        while (s && s->n && s->kind != CF_STRING) s = s->kids[0];
        if (s && s->s && strlen(s->s) > 2) {
            char *text = ch__arena_strndup(l->a, s->s + 1, strlen(s->s) - 2), *comma = strchr(text, ',');
            if (comma) { // revolve, 8
                char *at = comma + 1;
                while (*at == ' ') at++;
                *comma = 0;
                text = ch__arena_printf(l->a, "%s(%s)", text, at);
            }
            if (ch__is_policy(text))
                l->policy = text;
            else
                cf_refuse(l, "CH150", n->loc, "store, recompute, sqrt or revolve, n", "CH_CHECKPOINT(%s)", text);
        }
        return true;
    }
    if (!strcmp(name, "__builtin_expect") && n->n == 3) {
        *out = cf_value(l, n->kids[1]);
        if (out->v) out->v = cf_plain(l, out->v);
        return true;
    }
    if (!strcmp(name, "__builtin_constant_p")) {
        out->v = cf_i64(l, 0);
        return true;
    }
    const char *mem = strncmp(name, "__builtin_", 10) == 0 ? name + 10 : name;
    if ((!strcmp(mem, "memcpy") || !strcmp(mem, "memmove")) && n->n == 4) {
        *out = move_memory(l, n, false);
        return true;
    }
    if (!strcmp(mem, "memset") && n->n == 4) {
        *out = move_memory(l, n, true);
        return true;
    }
    if ((!strcmp(mem, "malloc") && n->n == 2) || (!strcmp(mem, "calloc") && n->n == 3)) {
        *out = raw_memory(l, n);
        return true;
    }
    return cf_libm_call(l, name, n, out);
}

static bool let_out(cf_lower *l, const cf_ptr *p, int depth);

static bool rows_let_out(cf_lower *l, const cf_leaf *leaf, int depth) {
    const cf_targets *t = l->slots.data[leaf->slot].targets;
    cf_ptr all = {t ? (int)t->n : 0, t ? t->data : NULL, NULL, NULL};
    return let_out(l, &all, depth);
}

// What a pointer leads to, and what the pointers there do. False: a constant is among it.
static bool let_out(cf_lower *l, const cf_ptr *p, int depth) {
    bool ok = true;
    for (int k = 0; p && k < p->n && depth < 8; k++) {
        cf_object *o = p->to[k].o;
        if (!o) continue; // null, a string, what is in doubt already
        if (o->constant || o->raw) return false;
        for (int64_t i = 0; i < l->escaped.n; i++)
            if (l->escaped.data[i] == o) o = NULL;
        if (!o) continue;
        CH_PUSH(l->a, &l->escaped, o);
        for (int64_t i = 0; i < o->leaves.n; i++)
            if (o->leaves.data[i].type->kind == CF_POINTER && o->leaves.data[i].is_array)
                ok = rows_let_out(l, &o->leaves.data[i], depth + 1) && ok;
            else if (o->leaves.data[i].type->kind == CF_POINTER)
                ok = let_out(l, cf_get_pointer(l, o->leaves.data[i].slot), depth + 1) && ok;
    }
    return ok;
}

static void escaped_in_doubt(cf_lower *l, const cf_doubt *d) {
    for (int64_t i = 0; i < l->escaped.n; i++) {
        cf_object *o = l->escaped.data[i];
        cf_target all = {.o = o, .n = (int)o->leaves.n, .type = o->type};
        cf_doubt_memory(l, &all, d);
        if (o->param >= 0) o->read = true;
    }
}

// A function that is not known may write what it can reach through its arguments, now or when another is called.
static bool arguments_in_doubt(cf_lower *l, const cf_node *n, const cf_decl *f, const cf_rv *args, const cf_doubt *d) {
    bool ok = true;
    for (int i = 1; i < n->n; i++) {
        const cf_type *t = f && i <= f->params.n ? f->params.data[i - 1]->type : n->kids[i]->type;
        if (t->kind != CF_POINTER || t->of->is_const || t->of->kind == CF_FUNCTION) continue;
        ok = let_out(l, args[i].p, 0) && ok;
    }
    if (ok) escaped_in_doubt(l, d);
    return ok;
}

// The same of a function that has a body, which is not gone into.
cf_rv cf_call_in_doubt(cf_lower *l, cf_decl *f, int n_args, const cf_rv *args, const cf_doubt *d) {
    bool ok = true;
    for (int i = 0; i < n_args && i < f->params.n; i++) {
        const cf_type *t = f->params.data[i]->type;
        const cf_ptr *p = args[i].p;
        cf_object *o = t->kind == CF_STRUCT && p && p->n == 1 ? p->to[0].o : NULL;
        if (t->kind == CF_POINTER && !t->of->is_const && t->of->kind != CF_FUNCTION) ok = let_out(l, p, 0) && ok;
        for (int k = o ? p->to[0].first : 0; o && k < p->to[0].first + p->to[0].n; k++)
            if (o->leaves.data[k].type->kind == CF_POINTER && !o->leaves.data[k].is_array)
                ok = let_out(l, cf_get_pointer(l, o->leaves.data[k].slot), 1) && ok;
    }
    if (ok)
        escaped_in_doubt(l, d);
    else
        cf_refuse(l, d->code, d->at, d->way, "%s", d->text);
    if (f->type->of->kind == CF_VOID) cf_doubtful(l, d, ch__type_scalar(CH_I64), NULL);
    return cf_doubtful_rv(l, d, f->type->of);
}

// An argument that a derivative may come from, for the chain.
static ch__value *first_float(cf_lower *l, const cf_node *n, const cf_rv *args) {
    for (int i = 1; i < n->n; i++) {
        cf_rv v = args[i];
        const cf_target *t = v.p && v.p->n == 1 && v.p->to[0].o ? &v.p->to[0] : NULL;
        if (t && t->n == 1 && cf_is_arithmetic(t->type)) v = cf_load(l, v.p, t->type, n->loc);
        if (v.v && ch__is_float(v.v->type->dtype)) return v.v;
    }
    return NULL;
}

static cf_rv unknown_function(cf_lower *l, cf_node *n, const char *name, const cf_doubt *why) {
    cf_decl *f;
    cf_called(n, &f);
    cf_rv *args = CH_NEW_ARRAY(l->a, cf_rv, n->n + 1);
    const cf_type *odd = n->type->kind == CF_OTHER ? n->type : NULL;
    for (int i = 1; i < n->n; i++) {
        args[i] = cf_value(l, n->kids[i]);
        if (n->kids[i]->type->kind == CF_OTHER) odd = n->kids[i]->type;
    }
    bool jumps = strstr(name, "setjmp") || strstr(name, "longjmp"), variadic = !strncmp(name, "__builtin_va_", 13);
    const cf_doubt *d =
        why                 ? why
        : jumps || variadic ? cf_doubt_of(l, "CH136", n->loc, jumps ? "give an error back" : "pass an array", "%s",
                                          jumps ? "setjmp and longjmp" : "arguments that are not named")
        : odd
            ? cf_doubt_of(l, "CH121", n->loc, "use double or float",
                          "a call of '%s', which takes or gives a number of type %s", name, odd->text)
            : cf_doubt_of(l, "CH102", n->loc,
                          "give its file too, mark what it takes CH_CONST, or write a CH_CUSTOM_VJP",
                          "a call of '%s', which has no body here and no rule", name[0] ? name : "an unknown function");
    ch__value *from = first_float(l, n, args);
    if (!name[0] || !arguments_in_doubt(l, n, f, args, d)) cf_refuse(l, d->code, d->at, d->way, "%s", d->text);
    if (n->type->kind == CF_VOID) { // its effects are none of the derivative's
        cf_doubtful(l, d, ch__type_scalar(CH_I64), NULL);
        return (cf_rv){.type = n->type};
    }
    if (!cf_is_arithmetic(n->type)) return cf_doubtful_rv(l, d, n->type);
    return (cf_rv){.v = cf_doubtful(l, d, ch__type_scalar(cf_held(n->type)), from), .type = n->type};
}

// ---------------------------------------------------------------- a call
cf_decl *cf_with_body(cf_lower *l, cf_decl *f) {
    if (f->has_body) return f;
    cf_decl *d = f->is_static ? NULL : ch__strmap_get(&l->program->externals, f->name);
    return d && d->has_body ? d : f;
}

static cf_rv call_one(cf_lower *l, cf_decl *f, cf_node *n) {
    cf_rv v;
    f = cf_with_body(l, f);
    bool own = f->has_body && !f->in_system;
    if (!strncmp(f->name, "ch_", 3) || !own) {
        if (known_function(l, f->name, n, &v)) return v;
    }
    if (!f->has_body) return unknown_function(l, n, f->name, NULL);
    cf_rv *args = CH_NEW_ARRAY(l->a, cf_rv, n->n);
    for (int i = 1; i < n->n; i++) {
        args[i - 1] = cf_value(l, n->kids[i]);
        if (args[i - 1].v) args[i - 1].v = cf_plain(l, args[i - 1].v);
    }
    if ((f->vjp || f->jvp) && n->n - 1 == f->params.n) return cf_call_with_rule(l, f, args, n->loc);
    return cf_inline(l, f, n->n - 1, args, n);
}

// Through a pointer with several targets: an if for each.
static cf_rv call_pointed(cf_lower *l, const cf_ptr *p, int k, cf_node *n) {
    while (k < p->n - 1 && !p->to[k].function) k++;
    if (!p->to[k].function) return unknown_function(l, n, "a pointer", p->to[k].doubt);
    if (k == p->n - 1) return call_one(l, p->to[k].function, n);
    cf_env *e = l->env;
    ch__value *pred = cf_compare(l, CF_EQ, p->which, cf_i64(l, k));
    cf_env *x, *y;
    cf_fork(l, pred, &x, &y);
    l->env = x;
    cf_rv vx = call_one(l, p->to[k].function, n);
    l->env = y;
    cf_rv vy = call_pointed(l, p, k + 1, n);
    l->env = e;
    cf_rv v = {.type = n->type};
    ch__value *r = cf_join(l, e, pred, x, y, vx.v, vy.v);
    v.v = r ? r : vx.v;
    if (vx.p) return unknown_function(l, n, "a pointer to functions that give pointers", NULL);
    return v;
}

cf_rv cf_lower_call(cf_lower *l, cf_node *n) {
    cf_decl *f;
    cf_called(n, &f);
    if (f) return call_one(l, f, n);
    cf_rv callee = cf_value(l, n->kids[0]);
    if (!callee.p) return unknown_function(l, n, "", NULL);
    return call_pointed(l, callee.p, 0, n);
}
