// SPDX-License-Identifier: Apache-2.0
// function.c - one C function a func: its parameters, scratch memory, body, results, and calls of it.
//
// Parameters: the size symbols as int64_t, the func's params (scalars by value, arrays by pointer), then one pointer
// for each result. A func with one scalar result that cannot fail gives it as its value. A function that can fail gives
// int: 0, 1 there is no memory, 2 a size or step is not as the func requires.
#include "cgen/emit.h"

enum { STACK_ARRAY = 1024, STACK_ALL = 16384, ARENA_STACK_ARRAY = 64, ARENA_STACK_ALL = 1024 };

// ---------------------------------------------------------------- scratch memory
static bool static_bytes(const ch__type *t, int64_t *out) {
    int64_t n = (int64_t)ch_dtype_size(t->dtype);
    for (int i = 0; i < t->rank; i++) {
        if (!ch__dim_is_const(t->dims[i])) return false;
        if (!ch__mul_i64(n, t->dims[i].val, &n)) return false;
    }
    *out = n;
    return true;
}

// scratch(times(n, m), sizeof *name): the product of sizes is checked.
const char *ch__cg_count_text(cg *g, const store *st) {
    cx n = {0};
    int64_t fixed = 1;
    for (int i = 0; i < st->type->rank; i++) {
        ch__dim d = st->type->dims[i];
        if (ch__dim_is_const(d) && ch__mul_i64(fixed, d.val, &fixed)) continue;
        d = ch__cg_size(g, d, false);
        n = n.s ? ch__cx_call2(g, ch__cg_helper(g->file, "times", 0), n, ch__cg_dim(g, d)) : ch__cg_dim(g, d);
    }
    if (!n.s)
        n = ch__cg_int(g, fixed);
    else if (fixed != 1)
        n = ch__cx_call2(g, ch__cg_helper(g->file, "times", 0), n, ch__cg_int(g, fixed));
    return n.s;
}

const char *ch__cg_scratch_call(cg *g, store *st) {
    const char *count = ch__cg_count_text(g, st); // first: helpers are printed in the order they were asked for
    if (ch__cg_has_workspace(g)) return ch__cg_placed(g, st, count, ch__arena_printf(g->a, "sizeof *%s", st->name));
    return ch__arena_printf(g->a, "%s(%s, sizeof *%s)", ch__cg_helper(g->file, "scratch", 0), count, st->name);
}

const char *ch__cg_free(const cg_file *file) { return file->arena ? "arena_give" : "free"; }

void ch__cg_asks(cg *g, int64_t bytes, const char *what) {
    enum { BLOCK = 16 }; // what a block takes beside its bytes
    const int64_t most = INT64_MAX / 4;
    ch__c_arena *a = g->file->arena;
    if (!a) return;
    a->asks = true;
    if (bytes >= 0 && bytes < most && a->heap < most)
        a->heap += (bytes + 7) / 8 * 8 + BLOCK;
    else if (!a->unbounded)
        a->unbounded = ch__arena_printf(a->text, "%s of @%s", what, g->f->name);
}

typedef struct {
    ch__text declared, freed;
    CH_VEC(const char *) asked; // pointers to look at
} memory;

static void declare_array(cg *g, memory *m, store *st, int64_t *stack) {
    int64_t bytes = 0;
    const char *type = ch__cg_ctype(st->type->dtype);
    bool small = g->file->arena && ch__cg_is_outermost(g); // stacks are small where there is no malloc
    int64_t most = small ? ARENA_STACK_ARRAY : STACK_ARRAY, all = small ? ARENA_STACK_ALL : STACK_ALL;
    if (!st->late && static_bytes(st->type, &bytes) && bytes <= most && *stack + bytes <= all) {
        *stack += bytes;
        int64_t n = bytes / (int64_t)ch_dtype_size(st->type->dtype);
        ch__putf(&m->declared, "    %s %s[%" PRId64 "]%s;\n", type, st->name, n > 0 ? n : 1, n > 0 ? "" : " = {0}");
        return;
    }
    const char *place = ch__cg_arena_place(g, st);
    if (st->place_at > 0) place = ch__arena_printf(g->a, "(%s *)(void *)(arena + %" PRId64 ")", type, st->place_at - 1);
    if (place) {
        ch__putf(&m->declared, "    %s *const %s = %s;\n", type, st->name, place);
        return;
    }
    g->fails = g->needs_memory = g->file->heap = true;
    ch__cg_asks(g, -1, ch__arena_printf(g->a, "the array %s", st->name));
    if (st->late) {
        ch__putf(&m->declared, "    %s *%s = NULL;\n", type, st->name);
    } else {
        ch__putf(&m->declared, "    %s *%s = %s;\n", type, st->name, ch__cg_scratch_call(g, st));
        CH_PUSH(g->a, &m->asked, st->name);
    }
    if (!ch__cg_has_workspace(g)) ch__putf(&m->freed, "    %s(%s);\n", ch__cg_free(g->file), st->name);
}

static void place_arrays(cg *g, const ch__text *body) {
    ch__c_arena *arena = g->file->arena;
    if (!arena || !ch__cg_is_outermost(g)) return;
    CH_VEC(store *) placed = {0};
    CH_VEC(int64_t) bytes = {0};
    for (int64_t i = 0; i < g->arrays.n; i++) {
        store *st = g->arrays.data[i];
        int64_t n = 0;
        if (st->late || !static_bytes(st->type, &n) || n <= ARENA_STACK_ARRAY) continue;
        CH_PUSH(g->a, &placed, st);
        CH_PUSH(g->a, &bytes, n);
    }
    ch__c_live *live = CH_NEW_ARRAY(g->a, ch__c_live, placed.n + 1);
    int64_t *at = CH_NEW_ARRAY(g->a, int64_t, placed.n + 1);
    ch__cg_lives(g, body, placed.n, (const store *const *)placed.data, live);
    arena->bytes = ch__c_arrange((int)placed.n, live, bytes.data, 8, at);
    if (arena->bytes == -2) ch__raise_oom();
    if (arena->bytes < 0) ch__raise(CH__E_dim_overflow, "@%s: its arrays do not fit in memory together", g->f->name);
    for (int64_t i = 0; i < placed.n; i++) placed.data[i]->place_at = 1 + at[i];
}

static void declare_memory(cg *g, memory *m) {
    int64_t stack = 0;
    ch__text_init(&m->declared, g->a);
    ch__text_init(&m->freed, g->a);
    ch__text arrays, first = {0};
    ch__text_init(&arrays, g->a);
    first = m->declared;
    m->declared = arrays;
    for (int64_t i = 0; i < g->arrays.n; i++) declare_array(g, m, g->arrays.data[i], &stack);
    arrays = m->declared;
    m->declared = first;
    for (int64_t i = 0; i < g->sizes.n; i++)
        ch__putf(&m->declared, "    const int64_t %s = %s;\n", g->sizes.data[i].name, g->sizes.data[i].text);
    if (arrays.n) ch__putn(&m->declared, arrays.data, (size_t)arrays.n);
    for (int64_t i = 0; i < g->tapes.n; i++) {
        store *st = g->tapes.data[i];
        g->fails = g->needs_memory = true;
        if (ch__cg_has_workspace(g)) {
            const char *size = ch__arena_printf(g->a, "sizeof(%s)", ch__cg_ctype(st->type->dtype));
            ch__putf(&m->declared, "    %s %s = {%s, 0, 0};\n", ch__cg_tape_type(g, st->type->dtype), st->name,
                     ch__cg_placed(g, st, "0", size));
            continue;
        }
        ch__putf(&m->declared, "    %s %s = {NULL, 0, 0};\n", ch__cg_tape_type(g, st->type->dtype), st->name);
        ch__putf(&m->freed, "    %s(%s.v);\n", ch__cg_free(g->file), st->name);
    }
    if (g->pointers.n) ch__putn(&m->declared, g->pointers.data, (size_t)g->pointers.n);
    if (m->asked.n == 0) return;
    ch__text *t = &m->declared;
    int64_t column = t->n;
    ch__put(t, "    if (");
    for (int64_t i = 0; i < m->asked.n; i++) {
        if (t->n - column > 96) {
            ch__put(t, "\n       ");
            column = t->n - 7;
        }
        ch__putf(t, "%s%s == NULL",
                 i == 0                              ? ""
                 : i > 0 && t->data[t->n - 1] == ' ' ? " || "
                                                     : " || ",
                 m->asked.data[i]);
    }
    ch__put(t, g->fn->face ? ") goto done;\n" : ") {\n        status = 1;\n        goto done;\n    }\n");
}

// ---------------------------------------------------------------- parameters
static const char *result_name(cg *g, int i) {
    const ch_func *f = g->f;
    const ch__value *v = f->body->results[i];
    const char *name = f->result_names ? f->result_names[i] : NULL;
    if (!name && v->name && v->op) name = v->type->rank > 0 ? v->name : ch__arena_printf(g->a, "%s_out", v->name);
    if (!name) name = "out";
    return ch__cg_name(g, name);
}

// ---------------------------------------------------------------- the caller's prototype
static store *store_at(cg *g, const ch__c_place *p, const ch__type *t) {
    store *st = CH_NEW(g->a, store);
    *st = (store){.type = t, .kind = t->rank == 0 ? ST_SCALAR : ST_ARRAY, .owner = -1};
    if (t->dtype == CH_BOOL) g->file->boolean = true;
    st->place = p;
    st->name = p->text;
    st->deref = p->deref && t->rank == 0;
    if (p->narrow) ch__strmap_put(&g->narrow, p->text, g);
    return st;
}

static void take_word(void *arg, const char *word, size_t n) {
    cg *g = arg;
    ch__strmap_put(&g->user, ch__arena_strndup(g->a, word, n), g);
}

static void face_params(cg *g) {
    const ch__c_interface *face = g->fn->face;
    const ch__region *body = g->f->body;
    for (int i = 0; i < face->n_names; i++) {
        ch__cg_name(g, face->names[i]); // taken from here on
        take_word(g, face->names[i], strlen(face->names[i]));
    }
    if (face->type && !face->initial) ch__cg_name(g, "value");
    for (int i = 0; i < body->n_params; i++) {
        store *st = store_at(g, &face->params[i], body->params[i]->type);
        st->writable = g->f->inout && g->f->inout[i] >= 0;
        ch__cg_hold(g, body->params[i], st);
    }
    for (int64_t i = 0; i < g->f->dims.n; i++) {
        const ch__c_place *p = &face->sizes[i];
        const char *symbol = g->f->dims.data[i].name, *name = p->text;
        bool plain = strspn(name, "0123456789") == strlen(name) || ch__cg_is_word(name);
        if (!plain) {
            name = ch__cg_name(g, symbol);
            named_size s = {ch__dim_symbol(g->a, symbol), ch__dim_symbol(g->a, symbol), name, p->text};
            CH_PUSH(g->a, &g->sizes, s);
        } else if (p->narrow) {
            ch__strmap_put(&g->narrow, name, g);
        }
        ch__strmap_put(&g->symbols, symbol, (void *)(uintptr_t)name);
    }
    for (int i = 0; i < body->n_results; i++) {
        if (ch__cg_is_tied(g, i)) {
            for (int k = 0; k < body->n_params; k++)
                if (g->f->inout[k] == i) g->outs[i] = val_of(g, body->params[k])->st;
            continue;
        }
        g->outs[i] = store_at(g, &face->results[i], body->results[i]->type);
        g->outs[i]->writable = true;
    }
}

// Arrays that are added to what is there, and then the numbers; what is returned stands last.
static void face_results(cg *g) {
    const ch__region *r = g->f->body;
    for (int i = 0; i < r->n_results; i++) {
        const store *st = g->outs[i];
        const ch__value *v = r->results[i];
        if (!st->place->adds || v->type->rank == 0) continue;
        ch__dim at[CH__MAX_RANK];
        int n = ch__cg_nest(g, v->type, at);
        ix there = {.at = at};
        cx e = ch__cg_elem(g, v, &there);
        ch__cg_line(g, "%s += %s;", ch__cg_at(g, st, v->type, &there), e.s);
        ch__cg_for_end(g, n);
        g->outs[i] = NULL;
    }
    ch__cg_assign(g, r->n_results, g->outs, r->results);
    g->last_line = g->out->n;
    if (g->value) ch__cg_line(g, "return %s;", g->value);
}

static void make_params(cg *g) {
    if (g->fn->face) {
        face_params(g);
        return;
    }
    const ch__region *body = g->f->body;
    for (int i = 0; i < body->n_params; i++) {
        const ch__value *v = body->params[i];
        bool tied = g->f->inout && g->f->inout[i] >= 0;
        store *st = CH_NEW(g->a, store);
        *st = (store){.name = ch__cg_name(g, v->name),
                      .type = v->type,
                      .kind = v->type->rank == 0 ? ST_SCALAR : ST_ARRAY,
                      .writable = tied,
                      .deref = tied && v->type->rank == 0};
        if (v->type->dtype == CH_BOOL) g->file->boolean = true;
        ch__cg_variable(g, st->name, ch__cg_declared_type(g, st));
        ch__cg_hold(g, v, st);
    }
    for (int64_t i = 0; i < g->f->dims.n; i++) {
        const char *name = g->f->dims.data[i].name, *c = ch__cg_name(g, name);
        ch__strmap_put(&g->symbols, name, (void *)(uintptr_t)c);
        ch__cg_variable(g, c, "int64_t ");
    }
    for (int i = 0; i < body->n_results; i++) {
        if (ch__cg_is_tied(g, i)) {
            for (int k = 0; k < body->n_params; k++)
                if (g->f->inout[k] == i) g->outs[i] = val_of(g, body->params[k])->st;
            continue;
        }
        const ch__type *t = body->results[i]->type;
        store *st = CH_NEW(g->a, store);
        *st = (store){.type = t,
                      .kind = t->rank == 0 ? ST_SCALAR : ST_ARRAY,
                      .writable = true,
                      .deref = t->rank == 0,
                      .owner = -1};
        if (t->dtype == CH_BOOL) g->file->boolean = true;
        g->outs[i] = st;
    }
}

static void see_array(void *arg, ch__op *op) {
    void **both = arg;
    cg *g = both[0];
    for (int k = 0; k < op->n_results; k++) {
        const val *x = val_of(g, &op->results[k]);
        bool array = op->results[k].type->rank > 0 || op->results[k].type->tape;
        if (array && (x->how == HOW_STMT || (x->how == HOW_MEMBER && (x->outside || x->need_store))))
            *(bool *)both[1] = false;
    }
}

// A result that is probably given by value needs no name, so that a variable of the body may have it.
static void name_results(cg *g) {
    const ch__region *body = g->f->body;
    bool value = body->n_results == 1 && body->results[0]->type->rank == 0 && !g->fn->careful && g->f->requires_.n == 0;
    void *both[2] = {g, &value};
    if (g->fn->face) return;
    if (value) ch__walk(g->f->body, see_array, both);
    for (int i = 0; i < body->n_results && !value; i++)
        if (!ch__cg_is_tied(g, i)) {
            g->outs[i]->name = result_name(g, i);
            ch__cg_variable(g, g->outs[i]->name, ch__cg_declared_type(g, g->outs[i]));
        }
}

static void put_signature(cg *g, ch__text *t) {
    const ch__region *body = g->f->body;
    int n = 0;
    int64_t start = t->n, column = 0;
    const char *type = g->fails ? "int" : g->fn->by_value ? ch__cg_ctype(body->results[0]->type->dtype) : "void";
    if (ch__cg_is_piece(g->file, g->f)) ch__put(t, "CHAAC_APART ");
    ch__putf(t, "%s%s %s(", g->fn->is_static || g->file->hidden ? "static " : "", type, g->fn->name);
    int64_t indent = t->n - start;
    column = start;
    CH_VEC(const char *) list = {0};
    if (g->file->arena && ch__cg_is_outermost(g)) CH_PUSH(g->a, &list, "unsigned char *arena");
    for (int64_t i = 0; i < g->f->dims.n; i++)
        CH_PUSH(
            g->a, &list,
            ch__arena_printf(g->a, "int64_t %s", (const char *)ch__strmap_get(&g->symbols, g->f->dims.data[i].name)));
    for (int i = 0; i < body->n_params; i++) {
        const store *st = val_of(g, body->params[i])->st;
        const char *c = ch__cg_ctype(st->type->dtype);
        CH_PUSH(g->a, &list,
                st->kind == ST_SCALAR ? ch__arena_printf(g->a, "%s %s%s", c, st->deref ? "*" : "", st->name)
                                      : ch__arena_printf(g->a, "%s%s *%s", st->writable ? "" : "const ", c, st->name));
    }
    for (int i = 0; i < body->n_results && !g->fn->by_value; i++)
        if (!ch__cg_is_tied(g, i))
            CH_PUSH(g->a, &list,
                    ch__arena_printf(g->a, "%s *restrict %s", ch__cg_ctype(g->outs[i]->type->dtype), g->outs[i]->name));
    for (int64_t i = 0; i < list.n; i++) {
        if (n++ > 0) ch__put(t, ",");
        if (n > 1 && t->n - column + (int64_t)strlen(list.data[i]) > 110) {
            ch__putc(t, '\n');
            column = t->n;
            for (int64_t k = 0; k < indent && k < 60; k++) ch__putc(t, ' ');
        } else if (n > 1) {
            ch__putc(t, ' ');
        }
        ch__put(t, list.data[i]);
    }
    if (n == 0 && !ch__cg_is_root(g)) ch__put(t, "void");
    ch__cg_native_params(g, n > 0, t);
    ch__put(t, ")");
}

// ---------------------------------------------------------------- what it says of itself
static void put_type(ch__text *t, const ch__type *type) { ch__type_print(t, type); }

static void put_comment(cg *g, ch__text *t) {
    const ch__region *body = g->f->body;
    ch__putf(t, "/* @%s", g->f->name);
    if (g->f->loc && g->f->loc->file && !strstr(g->f->loc->file, "*/")) {
        const char *slash = strrchr(g->f->loc->file, '/');
        ch__putf(t, " of %s:%d", slash ? slash + 1 : g->f->loc->file, g->f->loc->line);
    }
    ch__putc(t, '\n');
    for (int i = 0; i < body->n_params; i++) {
        const store *st = val_of(g, body->params[i])->st;
        ch__putf(t, " *   %-12s ", st->name);
        put_type(t, st->type);
        ch__put(t, g->f->inout && g->f->inout[i] >= 0 ? ", updated in place\n" : "\n");
    }
    for (int i = 0; i < body->n_results; i++) {
        if (ch__cg_is_tied(g, i)) continue;
        ch__putf(t, " *   %-12s ", g->fn->by_value ? "returns" : g->outs[i]->name);
        put_type(t, g->outs[i]->type);
        ch__put(t, g->fn->by_value ? "\n" : ", result\n");
    }
    if (g->fails)
        ch__putf(t, " * Returns 0%s%s.\n", g->needs_memory ? ", 1 when there is no memory" : "",
                 g->needs_sizes ? ", 2 when a size is not as required" : "");
    ch__put(t, " */\n");
}

// a == max(a, b) is a >= b: what is not so, as a condition; NULL: the clause is of another kind.
static const char *unordered(cg *g, ch__dim a, ch__dim b) {
    if (ch__dim_is_const(b) || b.sym->n_terms != 1 || b.sym->terms[0].n_atoms != 1 || b.sym->terms[0].coef != 1)
        return NULL;
    const ch__atom *at = b.sym->terms[0].atoms[0];
    if (at->kind != CH__ATOM_max && at->kind != CH__ATOM_min) return NULL;
    bool first = ch__dim_equal(at->a, a);
    if (!first && !ch__dim_equal(at->b, a)) return NULL;
    ch__dim other = first ? at->b : at->a;
    if (at->kind == CH__ATOM_max) // and so it is from here on
        CH_PUSH(g->a, &g->some, ch__dim_add(g->a, ch__dim_sub(g->a, a, other), ch__dim_const(1)));
    return ch__arena_printf(g->a, "%s %s %s", ch__cg_dim_text(g, a, CX_ADD), at->kind == CH__ATOM_max ? "<" : ">",
                            ch__cg_dim_text(g, other, CX_ADD));
}

// Bounds and requires clauses, looked at before anything else.
static void check_func_sizes(cg *g) {
    for (int64_t i = 0; i < g->f->dims.n; i++) {
        const ch__dim_param *d = &g->f->dims.data[i];
        const char *name = ch__strmap_get(&g->symbols, d->name);
        if (d->lo > 0) ch__cg_fail(g, ch__arena_printf(g->a, "%s < %s", name, ch__cg_int(g, d->lo).s), 2);
        if (d->hi < INT64_MAX) ch__cg_fail(g, ch__arena_printf(g->a, "%s > %s", name, ch__cg_int(g, d->hi).s), 2);
    }
    for (int64_t i = 0; i < g->f->requires_.n; i++) {
        const ch__require *r = &g->f->requires_.data[i];
        const char *wrong = unordered(g, r->a, r->b);
        if (!wrong) wrong = unordered(g, r->b, r->a);
        if (!wrong)
            wrong =
                ch__arena_printf(g->a, "%s != %s", ch__cg_dim_text(g, r->a, CX_ADD), ch__cg_dim_text(g, r->b, CX_ADD));
        ch__cg_fail(g, wrong, 2);
    }
}

// ---------------------------------------------------------------- the body
// Parameters that the body never names: (void)x;
static void put_unused(cg *g, ch__text *t, const ch__text *body) {
    CH_VEC(const char *) names = {0};
    ch__strmap seen;
    ch__cg_count_words(g, body, &seen);
    if (g->file->arena && ch__cg_is_outermost(g)) CH_PUSH(g->a, &names, "arena");
    for (int64_t i = 0; i < g->f->dims.n; i++)
        CH_PUSH(g->a, &names, (const char *)ch__strmap_get(&g->symbols, g->f->dims.data[i].name));
    for (int i = 0; i < g->f->body->n_params; i++) CH_PUSH(g->a, &names, val_of(g, g->f->body->params[i])->st->name);
    for (int i = 0; i < g->f->body->n_results && !g->fn->by_value; i++) CH_PUSH(g->a, &names, g->outs[i]->name);
    for (int64_t i = 0; i < names.n; i++)
        if (!ch__strmap_get(&seen, names.data[i])) ch__putf(t, "    (void)%s;\n", names.data[i]);
}

// A function of the caller's prototype: what fails ends in a statement of his.
static void put_face(cg *g, ch__text *body, memory *m) {
    const ch__c_interface *face = g->fn->face;
    ch__text all, unread, *t = &g->file->functions;
    bool cleanup = m->freed.n > 0 || g->fails;
    bool whole = face->type && !face->initial; // a struct
    const char *value = "value";
    ch__text_init(&all, g->a);
    ch__text_init(&unread, g->a);
    if (face->workspace) ch__cg_workspace(g, t, &all);
    if (m->declared.n) ch__putn(&all, m->declared.data, (size_t)m->declared.n);
    if (g->value && cleanup) {
        body->n = g->last_line;
        body->data[body->n] = 0;
        value = ch__cg_name(g, "value");
        ch__putf(body, "    %s = %s;\n", value, g->value);
    }
    ch__cg_put_body(g, &all, body);
    ch__cg_tidy(g, &all);
    ch__cg_name_unread(g, &all, &unread);
    if (unread.n) ch__putn(&all, unread.data, (size_t)unread.n);
    ch__putf(t, "%s\n{\n", face->head);
    if (whole) ch__putf(t, "    %s value;\n", face->type);
    if (face->type && !whole && cleanup) ch__putf(t, "    %s %s = %s;\n", face->type, value, face->initial);
    if (cleanup) ch__put(t, "    int status = 1;\n");
    ch__strmap seen;
    ch__cg_count_words(g, &all, &seen);
    for (int i = 0; i < face->n_names; i++)
        if (!ch__strmap_get(&seen, face->names[i])) ch__putf(t, "    (void)%s;\n", face->names[i]);
    if (face->first) ch__put(t, face->first);
    if (face->workspace && face->workspace->too_small) ch__put(t, face->workspace->too_small);
    ch__putn(t, all.data ? all.data : "", (size_t)all.n);
    if (cleanup) {
        ch__put(t, "    status = 0;\ndone:\n");
        if (m->freed.n) ch__putn(t, m->freed.data, (size_t)m->freed.n);
        ch__putf(t, "    if (status != 0) %s\n", face->failed);
    }
    if (face->type && (whole || cleanup)) ch__putf(t, "    return %s;\n", value);
    ch__put(t, "}\n");
    if (g->file->frame->lines) ch__put(t, "#line 0\n"); // the caller knows where
    ch__put(t, "\n");
}

static void put_function(cg *g, ch__text *body, memory *m) {
    ch__text all, unread, *t = &g->file->functions;
    if (g->fn->face) {
        put_face(g, body, m);
        return;
    }
    ch__text_init(&all, g->a);
    ch__text_init(&unread, g->a);
    if (m->declared.n) ch__putn(&all, m->declared.data, (size_t)m->declared.n);
    ch__cg_put_body(g, &all, body);
    ch__cg_tidy(g, &all);
    ch__cg_name_unread(g, &all, &unread);
    if (unread.n) ch__putn(&all, unread.data, (size_t)unread.n);
    ch__cg_native_function(g, body, &all);
    put_comment(g, t);
    if ((!g->fn->is_static && !g->file->hidden) || g->fn->recursive) {
        put_signature(g, &g->file->prototypes);
        ch__put(&g->file->prototypes, ";\n");
    }
    put_signature(g, t);
    ch__put(t, "\n{\n");
    bool cleanup = m->freed.n > 0; // else it returns where it stands
    if (g->checked) ch__put(t, "    int chaac_bad_ = 0, *const chaac_bad = &chaac_bad_;\n");
    if (cleanup)
        ch__put(t, "    int status = 0;\n");
    else if (g->fails && ch__cg_direct_returns(g, &all))
        ch__put(t, "    int status;\n");
    put_unused(g, t, &all);
    ch__putn(t, all.data, (size_t)all.n);
    if (cleanup) {
        ch__put(t, "done:\n");
        ch__putn(t, m->freed.data, (size_t)m->freed.n);
        ch__put(t, g->checked ? "    return status != 0 ? status : chaac_bad_ ? 2 : 0;\n" : "    return status;\n");
    } else if (g->fails) {
        ch__put(t, g->checked ? "    return chaac_bad_ ? 2 : 0;\n" : "    return 0;\n");
    }
    ch__put(t, "}\n\n");
}

static void finish_results(cg *g) {
    const ch__region *r = g->f->body;
    if (g->fn->face) {
        face_results(g);
        return;
    }
    bool one = r->n_results == 1 && r->results[0]->type->rank == 0 && !ch__cg_is_tied(g, 0) && !g->fn->careful;
    cx e = {0};
    if (one) e = ch__cg_scalar(g, r->results[0]); // may fail itself
    if (one && !g->fails && g->arrays.n == 0 && g->tapes.n == 0) {
        g->fn->by_value = true;
        ch__cg_line(g, "return %s;", e.s);
        return;
    }
    for (int i = 0; i < r->n_results; i++)
        if (!g->outs[i]->name) g->outs[i]->name = result_name(g, i);
    g->copied = ch__cg_native_copied(g);
    ch__cg_assign(g, r->n_results, g->outs, r->results);
    g->copied = NULL;
}

static void print_fn(cg_file *file, cg_fn *fn) { // at most twice
    ch_func *f = fn->f;
    bool careful = fn->careful; // what calls of itself are printed by
    cg *g = CH_NEW(file->a, cg);
    g->file = file;
    g->fn = fn;
    g->a = file->a;
    g->f = f;
    g->v = CH_NEW_ARRAY(g->a, val, f->n_values);
    g->indent = 1;
    g->outs = CH_NEW_ARRAY(g->a, store *, f->body->n_results);
    ch__strmap_init(&g->names, g->a);
    ch__strmap_init(&g->user, g->a);
    ch__strmap_init(&g->symbols, g->a);
    ch__strmap_init(&g->free_from, g->a);
    ch__strmap_init(&g->inner, g->a);
    ch__strmap_init(&g->types, g->a);
    ch__strmap_init(&g->home_of, g->a);
    ch__strmap_init(&g->narrow, g->a);
    ch__strmap_init(&g->commented, g->a);
    ch__text_init(&g->pointers, g->a);
    ch__map_init(&g->regions, g->a);
    ch__text body;
    ch__text_init(&body, g->a);
    g->out = &body;
    ch__cg_function_names(g);
    make_params(g);
    ch__cg_plan(g);
    name_results(g);
    if (!fn->is_static && !fn->face) check_func_sizes(g);
    ch__cg_region(g, f->body);
    finish_results(g);
    bool can_fail = fn->careful || g->fails || g->arrays.n > 0 || g->tapes.n > 0;
    if (fn->recursive && !careful && can_fail) { // not as it was assumed
        fn->careful = true;
        fn->by_value = false;
        print_fn(file, fn);
        return;
    }
    ch__cg_native_refuse_recursion(g);
    g->fails = g->fails || fn->careful;
    memory m = {0};
    place_arrays(g, &body);
    declare_memory(g, &m);
    fn->fails = g->fails;
    fn->needs_memory = g->needs_memory;
    fn->needs_sizes = g->needs_sizes;
    fn->finished = true;
    put_function(g, &body, &m);
}

cg_fn *ch__cg_fn_of(cg_file *file, const cg *g, ch_func *f) {
    cg_fn *fn = ch__map_get(&file->fns, (uint64_t)(uintptr_t)f);
    if (fn && g && f == file->root && f->inout &&
        !fn->finished) { // called from inside, it has no parameters updated in place
        fn = ch__map_get(&file->fns, (uint64_t)(uintptr_t)f + 1);
        if (!fn) fn = ch__cg_fn_make(file, g, f, true);
    } else if (!fn) {
        fn = ch__cg_fn_make(file, g, f, f != file->root);
    }
    if (fn->finished) return fn;
    if (fn->started) {
        fn->recursive = true;
        if (!g || fn != g->fn) fn->careful = true; // in a ring of several nobody knows beforehand
        return fn;
    }
    fn->started = true;
    if (++file->nest > 100)
        ch__raise(CH__E_limit, "print_c: @%s: calls are nested more than 100 deep — that is the limit", f->name);
    print_fn(file, fn);
    file->nest--;
    return fn;
}

cg_fn *ch__cg_fn_make(cg_file *file, const cg *g, ch_func *f, bool is_static) {
    cg_fn *fn = CH_NEW(file->a, cg_fn);
    fn->f = f;
    fn->is_static = is_static;
    fn->name = ch__cg_file_name(file, g, f->name);
    ch__map_put(&file->fns, (uint64_t)(uintptr_t)f + (f == file->root && is_static), fn);
    return fn;
}

// ---------------------------------------------------------------- calls
static bool is_tied_in(const ch_func *callee, int result) {
    for (int i = 0; callee->inout && i < callee->body->n_params; i++)
        if (callee->inout[i] == result) return true;
    return false;
}

// Operand i of a call, which the callee changes into result k: the operand's own memory when nobody needs it later.
static store *updated_by_call(cg *g, const ch__op *op, int i, int k, void *list) {
    CH_VEC(cx) *args = list;
    const ch__value *v = op->operands[i];
    store *now = val_of(g, v)->st, *preset = val_of(g, &op->results[k])->preset;
    bool whole = !now || !now->place || now->place->flat;
    if (!now || !whole || v->type->rank == 0 || !ch__cg_can_take(g, v, op) || (preset && preset != now)) {
        now = ch__cg_result_store(g, op, k);
        if (now->place && !now->place->flat) now = ch__cg_new_store(g, &op->results[k], NULL);
        if (v->type->rank == 0)
            ch__cg_line(g, "%s %s = %s;", ch__cg_ctype(v->type->dtype), now->name, ch__cg_scalar(g, v).s);
        else
            ch__cg_copy_into(g, now, v);
    }
    const char *name = v->type->rank == 0 ? now->name : ch__cg_flat_name(g, now);
    cx arg = ch__cx(ch__arena_printf(g->a, "%s%s", v->type->rank == 0 ? "&" : "", name), CX_PRIM);
    CH_PUSH(g->a, args, arg);
    return now;
}

void ch__cg_call(cg *g, const ch__op *op) {
    ch_func *callee = ch__op_attr(op, CH__ATTR_callee)->func;
    cg_fn *fn = ch__cg_fn_of(g->file, g, callee);
    bool fails = fn->finished ? fn->fails : fn->careful;
    bool by_value = fn->finished ? fn->by_value
                                 : !fails && callee->body->n_results == 1 && callee->body->results[0]->type->rank == 0;
    const ch__type **types = CH_NEW_ARRAY(g->a, const ch__type *, op->n_operands + 1);
    for (int i = 0; i < op->n_operands; i++) types[i] = op->operands[i]->type;
    ch__dim_subs sub = ch__call_subs(g->a, callee, op->n_operands, types);
    CH_VEC(cx) args = {0};
    store **place = CH_NEW_ARRAY(g->a, store *, op->n_results + 1);
    for (int i = 0; i < sub.n; i++) CH_PUSH(g->a, &args, ch__cg_dim(g, sub.dims[i]));
    for (int i = 0; i < op->n_operands; i++) {
        const ch__value *v = op->operands[i];
        if (callee->inout && callee->inout[i] >= 0) {
            place[callee->inout[i]] = updated_by_call(g, op, i, callee->inout[i], &args);
            continue;
        }
        CH_PUSH(g->a, &args, v->type->rank == 0 ? ch__cg_scalar(g, v) : ch__cx(ch__cg_pointer(g, v), CX_PRIM));
    }
    for (int k = 0; k < op->n_results; k++) {
        if (place[k]) continue; // updated in place
        place[k] = ch__cg_result_store(g, op, k);
        if (place[k]->place && !place[k]->place->flat) place[k] = ch__cg_new_store(g, &op->results[k], NULL);
    }
    if (by_value) {
        ch__cg_line(g, "const %s %s = %s;", ch__cg_ctype(op->results[0].type->dtype), place[0]->name,
                    ch__cx_call(g, fn->name, (int)args.n, args.data).s);
    } else {
        for (int k = 0; k < op->n_results; k++) {
            bool scalar = place[k]->kind == ST_SCALAR;
            if (is_tied_in(callee, k)) continue;
            if (scalar) // compilers do not see that a result is there when the callee does not fail
                ch__cg_line(g, "%s %s%s;", ch__cg_ctype(place[k]->type->dtype), place[k]->name, fails ? " = 0" : "");
            const char *name = scalar ? place[k]->name : ch__cg_flat_name(g, place[k]);
            CH_PUSH(g->a, &args, ch__cx(ch__arena_printf(g->a, "%s%s", scalar ? "&" : "", name), CX_PRIM));
        }
        cx e = ch__cx_call(g, fn->name, (int)args.n, args.data);
        if (fails && ch__cg_has_workspace(g))
            ch__raise(CH__E_unsupported,
                      "'%s' is called and takes memory of its own — write it as a loop, or leave CH_WORKSPACE out",
                      callee->name);
        if (fails) {
            g->fails = true;
            g->needs_memory = g->needs_memory || !fn->finished || fn->needs_memory;
            g->needs_sizes = g->needs_sizes || (fn->finished && fn->needs_sizes);
            if (g->fn->face) {
                ch__cg_line(g, "if (%s != 0) goto done;", e.s);
            } else {
                ch__cg_line(g, "status = %s;", e.s);
                ch__cg_line(g, "if (status != 0) goto done;");
            }
        } else {
            ch__cg_line(g, "%s;", e.s);
        }
    }
    for (int k = 0; k < op->n_results; k++) ch__cg_hold(g, &op->results[k], place[k]);
}
