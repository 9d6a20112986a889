// SPDX-License-Identifier: Apache-2.0
// loops.c - lines of C, loop nests, groups of ops as one nest, stores, copies and assignments.
#include "cgen/native.h"

#include <assert.h>
#include <stdlib.h>

// ---------------------------------------------------------------- lines
static void indent(cg *g) {
    for (int i = 0; i < g->indent; i++) ch__put(g->out, "    ");
}

static void put_v(cg *g, const char *fmt, va_list ap, const char *end) {
    char small[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap); // names and texts only: no locale
    indent(g);
    if (n >= (int)sizeof small) {
        char *s = ch__arena_alloc(g->a, (size_t)n + 1);
        vsnprintf(s, (size_t)n + 1, fmt, again);
        ch__put(g->out, s);
    } else {
        ch__put(g->out, small);
    }
    va_end(again);
    ch__put(g->out, end);
}

void ch__cg_line(cg *g, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    put_v(g, fmt, ap, "\n");
    va_end(ap);
}

void ch__cg_open(cg *g, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int64_t at = g->out->n;
    put_v(g, fmt, ap, " {\n");
    va_end(ap);
    g->indent++;
    CH_PUSH(g->a, &g->blocks, (open_block){g->out, at, g->out->n, g->some.n});
}

void ch__cg_block(cg *g) {
    CH_PUSH(g->a, &g->blocks, (open_block){NULL, 0, 0, g->some.n});
    ch__cg_line(g, "{");
    g->indent++;
}

// One assignment: what may stand in a loop without braces.
static bool is_assignment(const char *s) {
    size_t n = strspn(s, " "), name;
    if (s[n] == '*') n++;
    name = strspn(s + n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    const char *next = s + n + name;
    if (name == 0) return strncmp(s + n, "++", 2) == 0;
    if (*next == '[' || *next == '.' || strncmp(next, "->", 2) == 0) return true;
    if (*next != ' ') return false;
    return next[1] == '=' || (strchr("+-*/&|", next[1]) && next[2] == '=');
}

static bool begins_loop(const char *s, const char *word) {
    return strncmp(s + strspn(s, " "), word, strlen(word)) == 0;
}

// A `for`, `while` or `if` around one assignment is one line when it fits, else two.
static bool close_short(cg *g, open_block b) {
    ch__text *t = g->out;
    const char *head = t->data + b.at;
    if (b.out != t || b.body >= t->n) return false;
    bool loop = begins_loop(head, "for (");
    if (!loop && !begins_loop(head, "if (") && !begins_loop(head, "while (")) return false;
    const char *body = t->data + b.body, *end = strchr(body, '\n');
    bool one = is_assignment(body) && end + 1 == t->data + t->n;
    bool two = loop && begins_loop(body, "for (") && end[-1] == ')' && strchr(end + 1, '\n') + 1 == t->data + t->n;
    if (!one && !two && !(loop && begins_loop(body, "for (") && end + 1 == t->data + t->n)) return false;
    size_t blanks = strspn(body, " ");
    int64_t line = b.body - b.at - 3; // of the header, without " {\n"
    if (one && line + (int64_t)(end - body) - (int64_t)blanks + 1 <= 100) {
        memmove(t->data + b.body - 2, body + blanks, (size_t)(t->n - b.body) - blanks + 1);
        t->n -= (int64_t)blanks + 2;
    } else {
        memmove(t->data + b.body - 3, body - 1, (size_t)(t->n - b.body) + 2);
        t->n -= 2;
    }
    return true;
}

void ch__cg_close(cg *g) {
    g->indent--;
    open_block b = g->blocks.n > 0 ? g->blocks.data[--g->blocks.n] : (open_block){0};
    g->some.n = b.some;
    if (!close_short(g, b)) ch__cg_line(g, "}");
}

int64_t ch__cg_mark(cg *g) { return g->scoped.n; }

// The place in the source that op comes from, as a comment behind what it computes; "" when it stood there already.
const char *ch__cg_loc(cg *g, const ch__op *op) {
    const ch__loc *loc = g->fn->face ? NULL : op->loc;
    if (!loc || !loc->file || strstr(loc->file, "*/")) return "";
    if (g->last_loc && g->last_loc->line == loc->line && ch__streq(g->last_loc->file, loc->file)) return "";
    const char *slash = strrchr(loc->file, '/');
    g->last_loc = loc;
    return ch__arena_printf(g->a, " /* %s:%d */", slash ? slash + 1 : loc->file, loc->line);
}

void ch__cg_fail(cg *g, const char *condition, int status) {
    g->fails = true;
    if (status == 1)
        g->needs_memory = true;
    else
        g->needs_sizes = true;
    if (g->fn->face) {
        ch__cg_line(g, "if (%s) goto done;", condition);
        return;
    }
    ch__cg_open(g, "if (%s)", condition);
    ch__cg_line(g, "status = %d;", status);
    ch__cg_line(g, "goto done;");
    ch__cg_close(g);
}

// ---------------------------------------------------------------- loops
ch__dim ch__cg_for(cg *g, ch__dim n) {
    ch__dim i = ch__cg_loop_symbol(g, g->depth), size = n;
    const char *name = g->loop_names[g->depth];
    g->loop_known[g->depth] = true;
    g->loop_lo[g->depth] = ch__dim_const(0);
    g->loop_hi[g->depth] = n;
    g->depth++;
    n = ch__cg_size(g, n, false);
    ch__cg_open(g, "for (int64_t %s = 0; %s < %s; %s++)", name, name, ch__cg_dim_text(g, n, CX_ADD), name);
    CH_PUSH(g->a, &g->some, size);
    return i;
}

void ch__cg_for_end(cg *g, int n) {
    for (int i = 0; i < n; i++) {
        g->depth--;
        g->loop_known[g->depth] = false;
        ch__cg_close(g);
    }
}

// Axes of size 1 need no loop.
int ch__cg_nest(cg *g, const ch__type *t, ch__dim *at) {
    int n = 0;
    for (int i = 0; i < t->rank; i++) {
        if (ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1) {
            at[i] = ch__dim_const(0);
            continue;
        }
        at[i] = ch__cg_for(g, t->dims[i]);
        n++;
    }
    return n;
}

// ---------------------------------------------------------------- stores
static void see_local_symbol(void *arg, const char *name) {
    cg *g = ((void **)arg)[0];
    bool *local = ((void **)arg)[1];
    if (!ch__func_dim_param(g->f, name)) *local = true;
}

static void see_home(void *arg, const char *name) {
    cg *g = ((void **)arg)[0];
    int64_t *home = ((void **)arg)[1], n = (int64_t)(intptr_t)ch__strmap_get(&g->home_of, name);
    if (n > *home) *home = n;
}

void ch__cg_home(cg *g, int n, const char *const *symbols) {
    late_home h = {.indent = g->indent, .in_loop = g->in_loop};
    ch__text_init(&h.text, g->a);
    CH_PUSH(g->a, &g->homes, h);
    for (int i = 0; i < n; i++) ch__strmap_put(&g->home_of, symbols[i], (void *)(intptr_t)g->homes.n);
    ch__cg_line(g, "@%lld", (long long)g->homes.n);
}

// Where the last of its sizes becomes known.
static void ask_at_home(cg *g, store *st) {
    int64_t home = 0;
    void *arg[2] = {g, &home};
    for (int i = 0; i < st->type->rank; i++) ch__dim_symbols(st->type->dims[i], see_home, arg);
    assert(home > 0 && "a size without an alloc that says it");
    late_home *h = &g->homes.data[home - 1];
    ch__text *out = g->out;
    int indent = g->indent;
    g->out = &h->text;
    g->indent = h->indent;
    if (!ch__cg_has_workspace(g) && (!g->fn->face || h->in_loop))
        ch__cg_line(g, "%s(%s);", ch__cg_free(g->file), st->name); // in a loop it was here before
    ch__cg_line(g, "%s = %s;", st->name, ch__cg_scratch_call(g, st));
    ch__cg_fail(g, ch__arena_printf(g->a, "%s == NULL", st->name), 1);
    g->out = out;
    g->indent = indent;
}

// Memory for zeros that is asked for once is asked for cleared.
bool ch__cg_take_cleared(cg *g, const store *st) {
    const char *want = ch__arena_printf(g->a, " %s = scratch(", st->name);
    for (int64_t i = 0; i < g->homes.n && g->fn->face && !g->in_loop; i++) {
        char *at = g->homes.data[i].text.data ? strstr(g->homes.data[i].text.data, want) : NULL;
        if (!at || g->homes.data[i].in_loop) continue;
        memcpy(at + strlen(want) - strlen("scratch("), "cleared", 7);
        ch__cg_helper(g->file, "cleared", 0);
        return true;
    }
    return false;
}

void ch__cg_put_body(cg *g, ch__text *to, const ch__text *body) {
    for (int64_t at = 0, next; at < body->n; at = next) {
        const char *line = body->data + at, *end = memchr(line, '\n', (size_t)(body->n - at));
        next = end ? end + 1 - body->data : body->n;
        while (*line == ' ') line++;
        if (*line == '@') {
            const ch__text *t = &g->homes.data[strtoll(line + 1, NULL, 10) - 1].text;
            if (t->n) ch__putn(to, t->data, (size_t)t->n);
        } else {
            ch__putn(to, body->data + at, (size_t)(next - at));
        }
    }
}

store *ch__cg_new_store(cg *g, const ch__value *v, const char *want) {
    store *st = CH_NEW(g->a, store);
    st->type = v->type;
    st->writable = true;
    st->owner = v->id;
    st->kind = v->type->tape ? ST_TAPE : v->type->rank == 0 ? ST_SCALAR : ST_ARRAY;
    want = want ? want : ch__cg_hint(g, v);
    st->name = (st->kind == ST_SCALAR ? ch__cg_local_name : ch__cg_top_name)(g, want);
    if (v->type->dtype == CH_BOOL) g->file->boolean = true;
    if (st->kind != ST_TAPE) ch__cg_variable(g, st->name, ch__cg_declared_type(g, st));
    if (st->kind == ST_ARRAY) {
        void *arg[2] = {g, &st->late};
        for (int i = 0; i < v->type->rank; i++) ch__dim_symbols(v->type->dims[i], see_local_symbol, arg);
        CH_PUSH(g->a, &g->arrays, st);
        if (st->late) ask_at_home(g, st);
    } else if (st->kind == ST_TAPE) {
        CH_PUSH(g->a, &g->tapes, st);
    }
    return st;
}

store *ch__cg_result_store(cg *g, const ch__op *op, int k) {
    const ch__value *v = &op->results[k];
    store *st = val_of(g, v)->preset;
    return st ? st : ch__cg_new_store(g, v, NULL);
}

store *ch__cg_store_in(cg *g, const store *memory, const ch__value *v) {
    store *st = CH_NEW(g->a, store);
    *st = *memory;
    st->owner = v->id;
    return st;
}

void ch__cg_hold(cg *g, const ch__value *v, store *st) {
    CH_PUSH(g->a, &g->journal, (owner_change){st, st->owner});
    val_of(g, v)->st = st;
    st->owner = v->id;
}

void ch__cg_copy_into(cg *g, store *st, const ch__value *v) {
    if (v->type->rank == 0) {
        ch__cg_put_result(g, st, ch__cg_scalar(g, v).s);
        return;
    }
    ch__dim at[CH__MAX_RANK];
    int n = 0;
    ix to;
    ch__dim position;
    int64_t nest = g->out->n, mark = ch__cg_mark(g);
    if ((n = ch__cg_place_loops(g, st, &position)) > 0) {
        at[0] = position;
        to = (ix){.linear = position, .has_linear = true, .at = at};
    } else if (ch__cg_flat(g, v)) {
        to = (ix){.linear = ch__cg_for(g, ch__cg_numel(g, v->type)), .has_linear = true};
        if (v->type->rank == 1) at[0] = to.linear, to.at = at;
        n = 1;
    } else {
        n = ch__cg_nest(g, v->type, at);
        to = (ix){.at = at};
    }
    cx from = ch__cg_elem(g, v, &to);
    ch__cg_line(g, "%s = %s;", ch__cg_at(g, st, v->type, &to), from.s);
    ch__cg_for_end(g, n);
    bool out = ch__cg_copy_kernel(g, nest, mark, v, st, false);
    ch__cg_note_copy(g, out, v);
}

const char *ch__cg_pointer(cg *g, const ch__value *v) {
    val *x = val_of(g, v);
    if (x->st) {
        if (x->st->owner != v->id) ch__raise(CH__E_internal, "cgen: @%s: %s was overwritten", g->f->name, x->st->name);
        const char *flat = ch__cg_flat_name(g, x->st);
        if (flat) return flat;
        store *copy = ch__cg_new_store(g, v, NULL);
        ch__cg_copy_into(g, copy, v);
        return copy->name;
    }
    if (v->op && v->op->code == CH_OP_const) {
        const ch__array *a = ch__op_attr(v->op, CH__ATTR_value)->array;
        if (!a->splat && ch__cg_plain_table(v->op)) return ch__cg_table(g, v->op);
    }
    store *st = ch__cg_new_store(g, v, NULL); // here and now; another reader makes its own
    ch__cg_copy_into(g, st, v);
    return st->name;
}

// ---------------------------------------------------------------- assignments at the end of a region
typedef struct {
    store *const *to;
    const bool *there; // what is put there stands there already
    int n, self;
    bool reads_earlier, reads_own_elsewhere;
} conflict;

static void see_conflict(cg *g, void *arg, const ch__value *leaf, bool same) {
    conflict *c = arg;
    const store *st = val_of(g, leaf)->st;
    for (int i = 0; st && i < c->n; i++) {
        if (c->to[i] != st || c->there[i]) continue;
        if (i < c->self) c->reads_earlier = true;
        if (i == c->self && !same) c->reads_own_elsewhere = true;
    }
}

// Does v lie in `to` under another shape (pass_back_reshaped of plan.c)?
static bool lies_there(cg *g, const ch__value *v, const store *to) {
    if (!ch__cg_is_root(g)) return false;
    while (v->op && val_of(g, v)->how == HOW_VIEW && v->op->code == CH_OP_reshape) v = v->op->operands[0];
    return val_of(g, v)->st == to && to->owner == v->id;
}

// to[i] = from[i] for all at once: what reads a place that is overwritten before goes by way of a copy.
void ch__cg_assign(cg *g, int n, store *const *to, ch__value *const *from) {
    store **copy = CH_NEW_ARRAY(g->a, store *, n);
    bool *there = CH_NEW_ARRAY(g->a, bool, n);
    for (int i = 0; i < n; i++)
        there[i] = to[i] != NULL && (val_of(g, from[i])->st == to[i] || lies_there(g, from[i], to[i]));
    for (int i = 0; i < n; i++) {
        if (to[i] == NULL || there[i]) continue;
        conflict c = {.to = to, .there = there, .n = n, .self = i};
        ch__cg_touch(g, from[i], true, see_conflict, &c);
        if (!c.reads_earlier && !c.reads_own_elsewhere) continue;
        if (g->copied) g->copied[i] = true;
        const char *want = to[i]->place ? "next" : ch__arena_printf(g->a, "%s_next", to[i]->name);
        if (to[i]->kind == ST_SCALAR) {
            copy[i] = CH_NEW(g->a, store);
            *copy[i] = (store){.kind = ST_SCALAR, .type = from[i]->type, .name = ch__cg_scoped(g, want)};
            ch__cg_line(g, "const %s %s = %s;", ch__cg_ctype(from[i]->type->dtype), copy[i]->name,
                        ch__cg_scalar(g, from[i]).s);
        } else {
            copy[i] = ch__cg_new_store(g, from[i], want);
            ch__cg_copy_into(g, copy[i], from[i]);
        }
    }
    for (int i = 0; i < n; i++) {
        const store *st = val_of(g, from[i])->st;
        if (to[i] == NULL || there[i]) continue;
        if (to[i]->kind == ST_TAPE) {
            ch__cg_move_tape(g, to[i], val_of(g, from[i])->st);
            continue;
        }
        if (from[i]->op && val_of(g, from[i])->how == HOW_INLINE) ch__cg_source(g, from[i]->op);
        if (!copy[i]) {
            if (g->copied && st) g->copied[i] = true;
            if (!ch__cg_update(g, to[i], from[i])) ch__cg_copy_into(g, to[i], from[i]);
            continue;
        }
        store *held = val_of(g, from[i])->st;
        int32_t owner = held ? held->owner : 0;
        val_of(g, from[i])->st = copy[i];
        copy[i]->owner = from[i]->id;
        ch__cg_copy_into(g, to[i], from[i]);
        val_of(g, from[i])->st = held;
        if (held) held->owner = owner;
    }
}

// x = x + d as x += d. false: it is nothing of that kind.
bool ch__cg_update(cg *g, const store *to, const ch__value *v) {
    if (to->kind != ST_SCALAR || (to->place && (to->place->cast || to->place->adds || to->place->returned)) ||
        val_of(g, v)->st || !v->op)
        return false;
    const ch__op *op = v->op;
    ch_dtype d = v->type->dtype;
    bool own = d == CH_F32 || d == CH_F64 || d == CH_U32 || d == CH_U64 || ch__op_int(op, CH__ATTR_nowrap, 0) != 0 ||
               ch__cg_stays(op);
    const char *sign = op->code == CH_OP_add ? "+" : op->code == CH_OP_sub ? "-" : op->code == CH_OP_mul ? "*" : NULL;
    if (!own || !sign || val_of(g, op->operands[0])->st != to) return false;
    cx e = ch__cg_scalar(g, op->operands[1]);
    if (strcmp(e.s, "1") == 0 && sign[0] != '*') {
        ch__cg_line(g, to->deref ? "(*%s)%s%s;" : "%s%s%s;", to->name, sign, sign);
        return true;
    }
    if (e.minus && sign[0] != '*') {
        sign = sign[0] == '+' ? "-" : "+";
        e = ch__cx_minus(e);
    }
    ch__cg_line(g, "%s%s %s= %s;", to->deref ? "*" : "", to->name, sign, e.s);
    return true;
}

// ---------------------------------------------------------------- ops as statements
// cmath with several results: frexp modf remquo.
static void several(cg *g, const ch__op *op, const ix *at, cx *out) {
    const char *fn = ch__op_attr(op, CH__ATTR_fn)->s, *form = ch__libm_find(fn)->form;
    const char *outs = strchr(form, '_') + 1;
    ch_dtype wide = CH_F32;
    ix none = {0};
    cx args[5];
    g->file->math = true;
    for (int i = 0; i < op->n_operands; i++)
        if (op->operands[i]->type->dtype == CH_F64) wide = CH_F64;
    for (int i = 0; i < op->n_operands; i++) {
        const ch__value *v = op->operands[i];
        args[i] = ch__cg_convert(g, ch__cg_elem(g, v, v->type->rank == 0 ? &none : at), v->type->dtype, wide);
    }
    const char *type = wide == CH_F32 ? "float" : "double";
    bool whole = outs[1] == 'd';
    const char *second = ch__cg_scoped(g, whole ? "whole" : "e"), *first = ch__cg_scoped(g, "part");
    ch__cg_line(g, "%s %s = 0;", whole ? type : "int", second);
    args[op->n_operands] = ch__cx(ch__arena_printf(g->a, "&%s", second), CX_UNARY);
    cx r = ch__cx_call(g, wide == CH_F32 ? ch__arena_printf(g->a, "%sf", fn) : fn, op->n_operands + 1, args);
    ch__cg_line(g, "const %s %s = %s;", type, first, r.s);
    if (val_of(g, &op->results[0])->uses == 0) ch__cg_line(g, "(void)%s;", first);
    out[0] = ch__cg_convert(g, ch__cx(first, CX_PRIM), wide, op->results[0].type->dtype);
    cx two = ch__cx(second, CX_PRIM);
    ch_dtype d = op->results[1].type->dtype;
    out[1] = whole ? ch__cg_convert(g, two, wide, d) : d == CH_I32 ? two : ch__cx_cast(g, ch__cg_ctype(d), two);
}

// The values of op's results at an index, computed by statements where they have to be.
static void compute(cg *g, const ch__op *op, const ix *at, cx *out, const char *want, bool *named) {
    *named = false;
    op_kind k = ch__cg_kind(op);
    if (k == K_MULTI)
        several(g, op, at, out);
    else if (k == K_FOLD)
        out[0] = ch__cg_fold(g, op, at, want, named);
    else
        out[0] = ch__cg_elem_op(g, op, at);
}

void ch__cg_local(cg *g, const ch__op *op) {
    ix none = {0};
    cx out[2];
    bool named;
    const ch__value *v = &op->results[0];
    // An accumulator whose name a result's place has already: b_bar_sum, beside *b_bar.
    bool taken = v->name && ch__cg_kind(op) == K_FOLD && ch__strmap_get(&g->names, v->name);
    const char *name = op->n_results == 1
                           ? ch__cg_local_name(g, taken ? ch__arena_printf(g->a, "%s_sum", v->name) : ch__cg_hint(g, v))
                           : NULL;
    ch__cg_guard(g, op);
    if (ch__cg_kind(op) == K_FOLD) ch__cg_note(g, CG_LOOPS, v->type, 1, &op, "");
    compute(g, op, &none, out, name, &named);
    for (int k = 0; k < op->n_results; k++) {
        v = &op->results[k];
        if (val_of(g, v)->uses == 0 && op->n_results > 1) continue;
        store *st = CH_NEW(g->a, store);
        *st = (store){.kind = ST_SCALAR, .type = v->type, .name = name ? name : ch__cg_local_name(g, v->name)};
        if (v->type->dtype == CH_BOOL) g->file->boolean = true;
        ch__cg_variable(g, st->name, ch__cg_declared_type(g, st));
        if (!named)
            ch__cg_line(g, "const %s %s = %s;%s", ch__cg_ctype(v->type->dtype), st->name, out[k].s, ch__cg_loc(g, op));
        ch__cg_hold(g, v, st);
    }
}

// ---------------------------------------------------------------- groups
static bool group_is_flat(cg *g, const group *gr) {
    if (gr->type->rank <= 1) return true;
    for (int64_t i = 0; i < gr->members.n; i++) {
        const ch__op *op = gr->members.data[i];
        if (ch__cg_kind(op) == K_FOLD || !ch__cg_flat_op(g, op)) return false;
    }
    return true;
}

// folded: what op's result is, when that was gathered before; else NULL.
static void member(cg *g, const ch__op *op, const ix *at, const cx *folded) {
    cx out[2];
    bool named = false;
    bool in_memory = op->n_results == 1 && val_of(g, &op->results[0])->st != NULL;
    const char *want = op->n_results == 1 && !in_memory && op->results[0].name ? op->results[0].name : NULL;
    if (want) want = ch__cg_scoped_user(g, want);
    if (folded)
        out[0] = *folded;
    else
        compute(g, op, at, out, want, &named);
    for (int k = 0; k < op->n_results; k++) {
        const ch__value *v = &op->results[k];
        val *x = val_of(g, v);
        if (x->st) ch__cg_line(g, "%s = %s;", ch__cg_at(g, x->st, v->type, at), out[k].s);
        if (x->over) ch__cg_hold(g, v, x->st);
        if (!x->inner) continue;
        // Later members of the group read the element: from memory where it is, where it is computed from a fold if
        // once, else from a local.
        if (x->st) {
            x->elem = ch__cg_stored(g, x->st, v->type, at);
        } else if (named || (k == 0 && ch__cg_kind(op) == K_FOLD && x->demand == 1 && !want)) {
            x->elem = out[k];
        } else {
            const char *hint = ch__cg_hint(g, v);
            const char *name = want ? want : hint ? ch__cg_scoped_user(g, hint) : ch__cg_scoped(g, "t");
            if (v->type->dtype == CH_BOOL) g->file->boolean = true;
            ch__cg_line(g, "const %s %s = %s;", ch__cg_ctype(v->type->dtype), name, out[k].s);
            x->elem = ch__cx(name, CX_PRIM);
        }
    }
}

// What the loops compute and where it comes from, as a line before them: h, logits (model.c:12, 13)
static void group_comment(cg *g, const group *gr) {
    if (g->fn->face) return;
    ch__text t;
    const ch__loc *last = NULL;
    ch__text_init(&t, g->a);
    for (int64_t i = 0; i < gr->members.n && t.n < 90; i++) {
        const ch__op *op = gr->members.data[i];
        const ch__loc *loc = op->loc && op->loc->file && !strstr(op->loc->file, "*/") ? op->loc : NULL;
        if (!loc) continue;
        const char *slash = strrchr(loc->file, '/');
        bool same = last && ch__streq(last->file, loc->file);
        if (same && last->line == loc->line) continue;
        if (t.n) ch__put(&t, ", ");
        if (!same) ch__putf(&t, "%s:", slash ? slash + 1 : loc->file);
        ch__putf(&t, "%d %s", loc->line, ch__op_name((ch__opcode)op->code));
        last = loc;
    }
    if (t.n) ch__cg_line(g, "/* %s */", t.data);
}

static const store *place_of_group(cg *g, const group *gr) {
    for (int64_t i = 0; i < gr->members.n; i++) {
        const store *st = val_of(g, &gr->members.data[i]->results[0])->st;
        if (st && st->place && st->place->n > 1) return st;
    }
    return NULL;
}

// A maximum over windows that nothing is fused with.
static bool is_pool_alone(cg *g, const group *gr) {
    if (!g->file->native || gr->members.n != 1 || gr->members.data[0]->code != CH_OP_reduce_window) return false;
    const val *x = val_of(g, &gr->members.data[0]->results[0]);
    return x->outside && !x->over;
}

void ch__cg_group(cg *g, group *gr) {
    if (gr->rows) {
        ch__cg_row_group(g, gr);
        return;
    }
    if (gr->columns > 0) {
        ch__cg_column_group(g, gr);
        return;
    }
    if (is_pool_alone(g, gr) && ch__cg_pool_maximum(g, gr->members.data[0])) return;
    for (int64_t i = 0; i < gr->members.n; i++)
        for (int k = 0; k < gr->members.data[i]->n_results; k++) {
            const ch__value *v = &gr->members.data[i]->results[k];
            val *x = val_of(g, v);
            if (!x->outside && !x->need_store) continue;
            if (g->file->native && (x->st = ch__cg_row_takes(g, gr, i)) != NULL) continue;
            store *st = ch__cg_result_store(g, v->op, k);
            x->st = st;
            if (!x->over) ch__cg_hold(g, v, st); // until it is written the memory is the param's
        }
    ch__dim at[CH__MAX_RANK];
    int64_t mark = ch__cg_mark(g);
    ix to = {.at = at};
    int n;
    for (int64_t i = 0; i < gr->members.n; i++) ch__cg_guard(g, gr->members.data[i]);
    if (!g->file->native) group_comment(g, gr); // what stands between nests keeps them apart
    int64_t from = g->out->n;
    ch__dim position;
    bool middle = false;
    cx folded = {0};
    if ((n = ch__cg_place_loops(g, place_of_group(g, gr), &position)) > 0) {
        at[0] = position;
        to = (ix){.linear = position, .has_linear = true, .at = at};
    } else if (group_is_flat(g, gr) && gr->type->rank > 0) {
        to = (ix){.linear = ch__cg_for(g, ch__cg_numel(g, gr->type)), .has_linear = true};
        if (gr->type->rank == 1) at[0] = to.linear, to.at = at;
        n = 1;
    } else if ((middle = ch__cg_is_middle(g, gr))) {
        n = ch__cg_middle_open(g, gr, at, &folded);
    } else {
        n = ch__cg_nest(g, gr->type, at);
    }
    bool block = n == 0; // every axis has size 1: the names still want a block
    if (block) { ch__cg_block(g); }
    for (int64_t i = 0; i < gr->members.n; i++) member(g, gr->members.data[i], &to, middle && i == 0 ? &folded : NULL);
    if (block) ch__cg_close(g);
    if (middle)
        ch__cg_middle_close(g, n);
    else
        ch__cg_for_end(g, n);
    if (n > 0) ch__cg_kernel(g, from, mark, gr);
    ch__cg_scope_end(g, mark);
    for (int64_t i = 0; i < gr->members.n; i++)
        for (int k = 0; k < gr->members.data[i]->n_results; k++)
            val_of(g, &gr->members.data[i]->results[k])->elem.s = NULL;
}
