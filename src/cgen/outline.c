// SPDX-License-Identifier: Apache-2.0
// outline.c - printed loop nests become functions over a part of their outermost loop.
//
// What a nest reads and writes comes in a struct of values and restrict pointers. Nests that follow each other with
// nothing but numbers in between and do not touch what the other writes start together: the updates of all parameters
// of a model are one call. A nest with sums over its outermost loop has a place for each part's own; the caller adds
// them up.
#include "cgen/native.h"

#include <stdlib.h>

typedef struct {
    cg *g;
    CH_VEC(const char *) names;
    ch__strmap seen;
    int64_t mark;
    bool unknown;
} captured;

static bool is_scoped(const cg *g, const char *name, int64_t mark) {
    for (int64_t i = mark; i < g->scoped.n; i++)
        if (strcmp(g->scoped.data[i], name) == 0) return true;
    return false;
}

static void see_captured(void *arg, const char *word, size_t n) {
    captured *c = arg;
    cg *g = c->g;
    if (ch__strmap_getn(&c->seen, word, n)) return;
    const char *name = ch__arena_strndup(g->a, word, n);
    ch__strmap_put(&c->seen, name, c);
    if (is_scoped(g, name, c->mark)) return;
    if (strcmp(name, "chaac_bad") == 0) ch__cg_variable(g, name, "int *");
    if (ch__strmap_get(&g->types, name))
        CH_PUSH(g->a, &c->names, name);
    else if (ch__strmap_get(&g->names, name))
        c->unknown = true; // a tape, or a variable nobody told of: the loop stays where it is
}

static bool names_have(const char *const *names, int64_t n, const char *name) {
    for (int64_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

// but: NULL, or a name that does not count.
static bool names_meet(const char *const *a, int64_t na, const char *const *b, int64_t nb, const char *but) {
    for (int64_t i = 0; i < na; i++)
        if (names_have(b, nb, a[i]) && !(but && strcmp(but, a[i]) == 0)) return true;
    return false;
}

// ---------------------------------------------------------------- numbers that stay numbers
static size_t limit_at(const char *s, size_t *name) { // of "at_most_f32(1.5f," the length of the number; 0: not so
    static const char *const calls[] = {"at_most_f32(", "at_most_f64(", "at_least_f32(", "at_least_f64("};
    for (int i = 0; i < 4; i++) {
        *name = strlen(calls[i]);
        if (strncmp(s, calls[i], *name) != 0) continue;
        const char *from = s + *name, *digits = from + (*from == '-');
        size_t n = strcspn(from, ",()");
        return *digits >= '0' && *digits <= '9' && from[n] == ',' ? n : 0;
    }
    return 0;
}

// Bounds of minima and maxima become variables before the loops, whose values compilers do not know: of a known number
// they make branches, which vectors pay for with two comparisons and choices each. Gives the loops with their names.
static const char *put_limits(ch__text *before, cg *g, const char *loops) {
    ch__strmap names;
    ch__text t;
    const char *at = loops;
    ch__strmap_init(&names, g->a);
    ch__text_init(&t, g->a);
    for (const char *s = loops; (s = strstr(s, "at_")) != NULL; s += 3) {
        size_t call, n = limit_at(s, &call);
        if (n == 0) continue;
        bool wide = s[call - 2] == '4';
        const char *number = ch__arena_strndup(g->a, s + call, n), *name = ch__strmap_get(&names, number);
        if (name == NULL) {
            name = ch__cg_scoped(g, "limit");
            ch__strmap_put(&names, number, (void *)(uintptr_t)name);
            ch__putf(before, "    const %s %s = %s(%s);\n", wide ? "double" : "float", name,
                     ch__cg_helper(g->file, "limit", wide ? CH_F64 : CH_F32), number);
        }
        ch__putn(&t, at, (size_t)(s + call - at));
        ch__put(&t, name);
        at = s + call + n;
    }
    ch__put(&t, at);
    return t.data;
}

// ---------------------------------------------------------------- the function
enum { LONG_KERNEL = 4096, LONG_CHAIN = 12 }; // letters of its loops; operations

// One loop, of so many operations that vectors of 256 bits do not keep up with memory: 20 of them for each of 4 M
// numbers take 1.8 ms, with 512 bits 1.25, which is what reading and writing takes.
static bool is_long_chain(const char *loops) {
    static const char *const words[] = {" + ", " - ", " * ", " / ", "at_most_", "at_least_"};
    const char *inner = strstr(loops, "for (");
    if (inner == NULL || strstr(inner + 1, "for (") != NULL) return false;
    int n = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *s = loops; (s = strstr(s, words[i])) != NULL; s++) n++;
    return n >= LONG_CHAIN;
}
// The type of a param, const where the loops do not write: of a result and of an input alike.
static const char *param_type(cg *g, const cg_nest *n, const char *name) {
    const char *type = ch__strmap_get(&g->types, name);
    bool written = names_have(n->written.data, n->written.n, name);
    if (written || strncmp(type, "const ", 6) == 0 || strcmp(name, "chaac_bad") == 0) return type;
    return ch__arena_printf(g->a, "const %s", type);
}

// The text of the function, its number left out. Compilers trust restrict of params alone: the loops are a function of
// their own with what the struct holds as params.
static void put_kernel(ch__text *t, cg *g, const cg_nest *n, const captured *c, const char *head, const char *rest) {
    const char *lo = ch__cg_scoped(g, "lo"), *hi = ch__cg_scoped(g, "hi"), *arg = ch__cg_scoped(g, "arg");
    if (c->names.n > 0) {
        ch__put(t, "struct chaac_kernel_ {\n");
        for (int64_t i = 0; i < c->names.n; i++)
            ch__putf(t, "    %s%s;\n", param_type(g, n, c->names.data[i]), c->names.data[i]);
        ch__put(t, "};\n\n");
    }
    const char *part = n->parts ? ", int64_t chaac_part" : "";
    const char *plain = ch__arena_printf(g->a, "    for (int64_t %s = %s; %s < %s%s", head, lo, head, hi, rest);
    const char *branch = ch__cg_is_masked(plain) ? "CHAAC_BRANCH " : "";
    const char *loops = n->before ? ch__cg_sum_rows(g, head, lo, hi, rest) : NULL;
    ch__text limits;
    ch__text_init(&limits, g->a);
    if (!loops) loops = plain;
    loops = put_limits(&limits, g, loops);
    loops = ch__cg_sums(g, ch__arena_printf(g->a, "%s%s", n->before ? n->before : "", loops));
    loops = ch__cg_turns(g, ch__cg_stages(g, loops));
    bool few = strlen(loops) > LONG_KERNEL && ch__cg_turns_are_told(loops);
    const char *math = few ? "CHAAC_FEW " : "CHAAC_MATH ";
    if (!ch__cg_has_slow(rest)) math = is_long_chain(loops) ? "CHAAC_WIDE " : "";
    ch__putf(t, "static __attribute__((noinline)) %s%svoid chaac_loops_(", math, branch);
    for (int64_t i = 0; i < c->names.n; i++) {
        const char *name = c->names.data[i], *type = param_type(g, n, name);
        ch__putf(t, "%s%s%s, ", type, strchr(type, '*') != NULL ? "restrict " : "", name);
    }
    ch__putf(t, "int64_t %s, int64_t %s%s)\n{\n", lo, hi, part);
    ch__putn(t, limits.data, (size_t)limits.n);
    ch__put(t, loops);
    if (n->after) ch__put(t, n->after);
    ch__putf(t, "}\n\nstatic void chaac_kernel_(void *%s, int64_t %s, int64_t %s%s)\n{\n", arg, lo, hi, part);
    if (c->names.n > 0) ch__putf(t, "    const struct chaac_kernel_ *const chaac_args = %s;\n", arg);
    ch__put(t, "    chaac_loops_(");
    for (int64_t i = 0; i < c->names.n; i++) ch__putf(t, "chaac_args->%s, ", c->names.data[i]);
    ch__putf(t, "%s, %s%s);\n}\n\n", lo, hi, n->parts ? ", chaac_part" : "");
}

// Layers of a model give the same loops under other names. With names by order of appearance they are the same text,
// and one function serves all.
typedef struct {
    cg *g;
    const captured *c;
    int64_t mark;
    ch__strmap as; // name -> what it is called
    int n;
} renaming;

static const char *word_renamed(renaming *r, const char *word, size_t n) {
    const char *as = ch__strmap_getn(&r->as, word, n);
    if (as) return as;
    const char *name = ch__arena_strndup(r->g->a, word, n);
    bool own = names_have(r->c->names.data, r->c->names.n, name) || is_scoped(r->g, name, r->mark);
    for (int d = r->g->depth; d < 64 && !own; d++) own = r->g->loop_names[d] && strcmp(r->g->loop_names[d], name) == 0;
    as = own ? ch__arena_printf(r->g->a, "chaac_v%d", r->n++) : name;
    ch__strmap_put(&r->as, name, (void *)(uintptr_t)as);
    return as;
}

typedef struct {
    renaming *r;
    ch__text *t;
    const char *at; // copied so far
} copying;

static void copy_word(void *arg, const char *word, size_t n) {
    copying *c = arg;
    ch__putn(c->t, c->at, (size_t)(word - c->at));
    ch__put(c->t, word_renamed(c->r, word, n));
    c->at = word + n;
}

static void put_number(void *arg, const char *word, size_t n) {
    copying *c = arg;
    bool own = (n == 13 && memcmp(word, "chaac_kernel_", n) == 0) || (n == 12 && memcmp(word, "chaac_loops_", n) == 0);
    if (!own) return;
    ch__putn(c->t, c->at, (size_t)(word + n - c->at));
    ch__putf(c->t, "%d", c->r->n);
    c->at = word + n;
}

// A profile tells equal kernels apart by their functions, but their loops are there once: a struct, and a function that
// calls the one before.
static void put_equal(ch__text *t, const char *plain, int before, int number, bool part) {
    const char *end = strncmp(plain, "struct ", 7) == 0 ? strstr(plain, "{\n") : NULL;
    if (end) {
        const char *close = strstr(end, "};\n\n") + 4;
        ch__putf(t, "struct chaac_kernel_%d ", number);
        ch__putn(t, end, (size_t)(close - end));
    }
    ch__putf(t,
             "static void chaac_kernel_%d(void *chaac_v0, int64_t chaac_v1, int64_t chaac_v2%s)\n{\n"
             "    chaac_kernel_%d(chaac_v0, chaac_v1, chaac_v2%s);\n}\n\n",
             number, part ? ", int64_t chaac_part" : "", before, part ? ", chaac_part" : "");
}

// The number of the function for the nest, printed unless there is one that does the same.
static int kernel_number(cg *g, const cg_nest *n, const captured *c, const char *head, const char *rest) {
    cg_native *nat = g->file->native;
    ch__text as_is, plain;
    ch__text_init(&as_is, g->a);
    ch__text_init(&plain, g->a);
    put_kernel(&as_is, g, n, c, head, rest);
    renaming r = {.g = g, .c = c, .mark = n->mark};
    ch__strmap_init(&r.as, g->a);
    copying copy = {&r, &plain, as_is.data};
    ch__cg_each_word(as_is.data, as_is.data + as_is.n, copy_word, &copy);
    ch__put(&plain, copy.at);
    intptr_t number = (intptr_t)ch__strmap_get(&nat->kernel_of, plain.data);
    if (number > 0 && !nat->out->timed) return (int)number - 1;
    if (number > 0) {
        put_equal(&nat->kernels, plain.data, (int)number - 1, nat->n_kernels, n->parts != NULL);
        return nat->n_kernels++;
    }
    r.n = nat->n_kernels++;
    ch__strmap_put(&nat->kernel_of, plain.data, (void *)(intptr_t)(r.n + 1));
    copying final = {&r, &nat->kernels, plain.data};
    ch__cg_each_word(plain.data, plain.data + plain.n, put_number, &final);
    ch__put(&nat->kernels, final.at);
    return r.n;
}

// ---------------------------------------------------------------- the call
static void put_part(ch__text *s, const cg_part *p) {
    ch__putf(s, "%s, %s, chaac_kernel_%d, ", p->limit, p->work, p->number);
    if (*p->args)
        ch__putf(s, "&(struct chaac_kernel_%d){%s}", p->number, p->args);
    else
        ch__put(s, "0");
}

// Inside an open block: between kernels a run can be cancelled.
static void put_leave(cg *g) {
    g->fails = true;
    ch__cg_line(g, "status = 1;");
    ch__cg_line(g, "goto done;");
    ch__cg_close(g);
}

static void put_call(cg *g) {
    cg_native *nat = g->file->native;
    ch__text s;
    ch__text_init(&s, g->a);
    nat->last_text = g->out;
    nat->last_begin = g->out->n;
    if (nat->last.n == 1) {
        put_part(&s, &nat->last.data[0]);
        ch__cg_open(g, "if (chaac_parallel(%s) != 0)", s.data);
        put_leave(g);
    } else {
        for (int64_t i = 0; i < nat->last.n; i++) {
            ch__put(&s, i > 0 ? ",\n            {" : "\n            {");
            put_part(&s, &nat->last.data[i]);
            ch__putc(&s, '}');
        }
        ch__cg_block(g);
        ch__cg_line(g, "const chaac_nest chaac_nests[] = {%s};", s.data);
        ch__cg_open(g, "if (chaac_parallel_many(%d, chaac_nests) != 0)", (int)nat->last.n);
        put_leave(g);
        ch__cg_close(g);
    }
    nat->last_end = g->out->n;
}

typedef struct {
    const cg_native *nat;
    bool assigned; // else it is read
    bool meets;
} between_words;

static void see_between(void *arg, const char *word, size_t n) {
    between_words *b = arg;
    for (int64_t i = 0; i < b->nat->last.n && !b->meets; i++) {
        const cg_part *q = &b->nat->last.data[i];
        for (int64_t k = 0; k < q->n_written && !b->meets; k++)
            b->meets = strlen(q->written[k]) == n && memcmp(q->written[k], word, n) == 0;
        for (int64_t k = 0; b->assigned && k < q->n_captured && !b->meets; k++)
            b->meets = strlen(q->captured[k]) == n && memcmp(q->captured[k], word, n) == 0;
    }
}

// May the lines from .. to, which stand behind the last call, stand before it? Plain assignments of numbers that read
// nothing of what the call writes, to what it does not take: those of a model's parameters that are single numbers.
static bool may_go_before(const cg_native *nat, const char *from, const char *to) {
    for (const char *s = from, *end; s < to; s = end + 1) {
        end = memchr(s, '\n', (size_t)(to - s));
        if (end == NULL || end - s < 2 || (end[-1] != ';' && memcmp(end - 2, "*/", 2) != 0)) return false; // or a place
        const char *equal = s;
        while (equal < end && !(equal[0] == ' ' && equal[1] == '=' && equal[2] == ' ')) equal++;
        if (equal == end || memchr(s, '{', (size_t)(end - s)) || memchr(s, '}', (size_t)(end - s))) return false;
        for (const char *c = s; c + 6 <= end; c++)
            if (memcmp(c, "chaac_", 6) == 0) return false;
        if (strncmp(s + strspn(s, " "), "for ", 4) == 0 || strncmp(s + strspn(s, " "), "if ", 3) == 0) return false;
        between_words b = {.nat = nat, .assigned = true};
        ch__cg_each_word(s, equal, see_between, &b);
        b.assigned = false;
        ch__cg_each_word(equal, end, see_between, &b);
        if (b.meets) return false;
    }
    return true;
}

// May p run together with those of the call that stands before, with nothing else but plain lines in between?
static bool may_join(const cg_native *nat, const cg *g, int64_t from, const cg_part *p) {
    if (nat->last_text != g->out || nat->last_end < 0 || nat->last_end > from) return false;
    if (!may_go_before(nat, g->out->data + nat->last_end, g->out->data + from)) return false;
    for (int64_t i = 0; i < nat->last.n; i++) {
        const cg_part *q = &nat->last.data[i];
        const char *own = p->own_part && q->own_part && strcmp(p->own_part, q->own_part) == 0 ? p->own_part : NULL;
        if (names_meet(p->captured, p->n_captured, q->written, q->n_written, own) ||
            names_meet(q->captured, q->n_captured, p->written, p->n_written, own))
            return false;
    }
    return true;
}

bool ch__cg_outline(cg *g, const cg_nest *n) {
    cg_native *nat = g->file->native;
    const char *text = ch__arena_strndup(g->a, g->out->data + n->from, (size_t)(g->out->n - n->from));
    const char *s = text + strspn(text, " "), *zero = strstr(s, " = 0; "), *end;
    if (strncmp(s, "for (int64_t ", 13) != 0 || !zero) return false;
    const char *i = ch__arena_strndup(g->a, s + 13, (size_t)(zero - s - 13));
    const char *less = ch__arena_printf(g->a, " = 0; %s < ", i);
    if (strncmp(zero, less, strlen(less)) != 0 || !(end = strchr(zero + strlen(less), ';'))) return false;
    captured c = {.g = g, .mark = n->mark};
    ch__strmap_init(&c.seen, g->a);
    for (int d = g->depth; d < 64; d++) // counters of the nest itself, whatever loops before it had by these names
        if (g->loop_names[d]) ch__strmap_put(&c.seen, g->loop_names[d], &c);
    ch__cg_each_word(end, text + strlen(text), see_captured, &c);
    if (n->before) ch__cg_each_word(n->before, n->before + strlen(n->before), see_captured, &c);
    if (n->after) ch__cg_each_word(n->after, n->after + strlen(n->after), see_captured, &c);
    if (c.unknown || strstr(text, "goto done;")) return false; // it may leave the function
    int k = kernel_number(g, n, &c, i, end);
    g->out->n = n->from;
    g->out->data[n->from] = 0;
    ch__text args;
    ch__text_init(&args, g->a);
    ch__put(&args, "");
    for (int64_t a = 0; a < c.names.n; a++) ch__putf(&args, "%s%s", a > 0 ? ", " : "", c.names.data[a]);
    cg_part p = {.limit = ch__arena_strndup(g->a, zero + strlen(less), (size_t)(end - zero) - strlen(less)),
                 .work = n->work,
                 .args = args.n > 0 ? args.data : "",
                 .number = k,
                 .captured = c.names.data,
                 .n_captured = c.names.n,
                 .written = n->written.data,
                 .n_written = n->written.n,
                 .own_part = n->own_part};
    if (n->parts) {
        nat->summing = k;
        ch__strmap_put(&nat->part_counts, n->parts, nat);
        ch__text call;
        ch__text_init(&call, g->a);
        put_part(&call, &p);
        ch__cg_line(g, "const int64_t %s = chaac_sum(%s);", n->parts, call.data);
        ch__cg_open(g, "if (%s < 0)", n->parts);
        put_leave(g);
        nat->last_end = -1;
        return true;
    }
    if (may_join(nat, g, n->from, &p)) {
        const char *between = ch__arena_strndup(g->a, g->out->data + nat->last_end, (size_t)(n->from - nat->last_end));
        g->out->n = nat->last_begin;
        g->out->data[nat->last_begin] = 0;
        ch__put(g->out, between);
        nat->joined = true;
    } else {
        nat->last.n = 0;
        nat->joined = false;
    }
    CH_PUSH(g->a, &nat->last, p);
    put_call(g);
    return true;
}

// ---------------------------------------------------------------- groups of elementwise ops and folds
// Operations of one turn of the outermost loop, as C text: elements of the other axes, times members, times what folds
// read for each element.
static const char *work_text(cg *g, const group *gr, bool flat) {
    ch__dim all = ch__dim_const(0);
    ch__dim inner = ch__dim_const(1);
    bool first = true;
    for (int i = 0; i < gr->type->rank && !flat; i++) {
        if (ch__dim_is_const(gr->type->dims[i]) && gr->type->dims[i].val == 1) continue;
        if (!first) inner = ch__dim_mul(g->a, inner, gr->type->dims[i]);
        first = false;
    }
    for (int64_t i = 0; i < gr->members.n; i++) {
        const ch__op *op = gr->members.data[i];
        ch__dim each = ch__dim_const(4);
        const ch__attr *dims = op->code == CH_OP_reduce ? ch__op_attr(op, CH__ATTR_dims) : NULL;
        const ch__attr *contract = op->code == CH_OP_dot ? ch__op_attr(op, CH__ATTR_contract) : NULL;
        for (int k = 0; dims && k < dims->n; k++)
            each = ch__dim_mul(g->a, each, op->operands[0]->type->dims[dims->ints[k]]);
        for (int k = 0; contract && k < contract->n; k++)
            each = ch__dim_mul(g->a, each, op->operands[0]->type->dims[contract->ints[k]]);
        if (op->code == CH_OP_conv || op->code == CH_OP_reduce_window) each = ch__dim_const(64);
        all = ch__dim_add(g->a, all, each);
    }
    return ch__cg_dim_text(g, ch__dim_mul(g->a, inner, all), CX_COND);
}

void ch__cg_kernel(cg *g, int64_t from, int64_t mark, group *gr) {
    cg_native *nat = g->file->native;
    if (!nat) return;
    const ch__op *const *members = (const ch__op *const *)gr->members.data;
    cg_nest n = {.from = from, .mark = mark};
    for (int64_t i = 0; i < gr->members.n; i++)
        for (int k = 0; k < gr->members.data[i]->n_results; k++) {
            const store *st = val_of(g, &gr->members.data[i]->results[k])->st;
            if (st) CH_PUSH(g->a, &n.written, st->name);
        }
    // Of one loop over all elements each turn is one of them.
    const char *text = g->out->data + from, *line = strchr(text, '\n');
    bool nested = line && strstr(line, "for (int64_t"), product = line && memchr(text, '*', (size_t)(line - text));
    n.work = work_text(g, gr, !nested && gr->type->rank > 1 && product);
    bool out = ch__cg_is_root(g) && ch__cg_outline(g, &n);
    ch__cg_note(g, out && nat->joined ? CG_JOINED : out ? CG_KERNEL : CG_LOOPS, gr->type, gr->members.n, members, "");
}

bool ch__cg_copy_kernel(cg *g, int64_t from, int64_t mark, const ch__value *v, const store *st, bool own_part) {
    if (!ch__cg_is_root(g)) return false;
    const ch__type *t = v->type;
    const val *x = val_of(g, v);
    bool lazy = x->how == HOW_INLINE || x->how == HOW_VIEW;
    ch__dim work = ch__dim_const(4 + (lazy ? x->size + 20 * x->slow : 0));
    bool first = true;
    for (int i = 0; i < t->rank; i++) {
        if (ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1) continue;
        if (!first) work = ch__dim_mul(g->a, work, t->dims[i]);
        first = false;
    }
    cg_nest n = {.from = from, .mark = mark, .work = ch__cg_dim_text(g, work, CX_COND)};
    CH_PUSH(g->a, &n.written, st->name);
    if (own_part) n.own_part = st->name;
    return ch__cg_outline(g, &n);
}
