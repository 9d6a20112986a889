// SPDX-License-Identifier: Apache-2.0
// native.c - what is different in the C that the native engine compiles.
//
// The printer is the one that people's C comes from; four things are added, each a hook of a few lines there:
//   kernels  a loop nest over independent elements becomes a function of its own, kernel(arg, lo, hi) over a part of
//            its outermost axis, so that the pool can share it out; what it reads and writes comes in a struct of
//            values and restrict pointers, which also lets compilers vectorize without asking for overlaps;
//   arena    arrays of the outermost function lie at planned places in memory that the caller keeps: this file says
//            how many bytes each needs and between which statements it is in use (the planner is src/native/plan.c);
//   calls    products of matrices are calls of the engine's dot;
//   checks   an index that people's C promises to be in range is looked at; out of range, the function gives 2, and
//            the engine asks the interpreter what was wrong.
#include "cgen/emit.h"

#include <stdlib.h>

struct cg_native {
    ch__text kernels; // structs and functions, before the function that calls them
    int n_kernels;
    ch__text bytes; // the body of the function that says how large arrays are
    CH_VEC(const store *) arrays;
    ch__c_native *out;
    ch__arena *out_arena;
    const char *arena, *at; // names of parameters
    ch__map convs;          // op -> conv_call
    ch__text notes;         // in out_arena
};

enum { SMALL_NEST = 2048 }; // elements; fewer are not worth a function

// ---------------------------------------------------------------- what ch_explain says
void ch__cg_note(cg *g, int what, const ch__type *t, int64_t n, const ch__op *const *ops, const char *more) {
    cg_native *nat = g->file->native;
    if (!nat) return;
    int *counts[CG_NOTES] = {&nat->out->n_kernels, &nat->out->n_loops, &nat->out->n_calls};
    static const char *const words[CG_NOTES] = {"kernel ", "loops  ", "library"};
    ++*counts[what];
    ch__text *s = &nat->notes;
    ch__putf(s, "    %s ", words[what]);
    ch__type_print(s, t);
    for (int64_t i = 0; i < n && i < 12; i++)
        ch__putf(s, "%s%s", i == 0 ? ": " : ", ", ch__op_name((ch__opcode)ops[i]->code));
    if (n > 12) ch__putf(s, " and %" PRId64 " more", n - 12);
    ch__putf(s, "%s\n", more);
    nat->out->notes = s->data;
}

// ---------------------------------------------------------------- variables
void ch__cg_variable(cg *g, const char *name, const char *type) {
    if (g->file->native) ch__strmap_put(&g->types, name, (void *)(uintptr_t)type);
}

const char *ch__cg_declared_type(cg *g, const store *st) {
    const char *c = ch__cg_ctype(st->type->dtype);
    if (st->kind == ST_SCALAR) return ch__arena_printf(g->a, "%s %s", c, st->deref ? "*" : "");
    return ch__arena_printf(g->a, "%s%s *", st->writable ? "" : "const ", c);
}

static bool is_root(const cg *g) { return g->file->native != NULL && !g->fn->is_static && g->f == g->file->root; }

// ---------------------------------------------------------------- kernels
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

static bool is_written(const group *gr, cg *g, const char *name) {
    for (int64_t i = 0; i < gr->members.n; i++)
        for (int k = 0; k < gr->members.data[i]->n_results; k++) {
            const store *st = val_of(g, &gr->members.data[i]->results[k])->st;
            if (st && strcmp(st->name, name) == 0) return true;
        }
    return false;
}

static bool is_small(const group *gr) {
    int64_t n = 1;
    for (int i = 0; i < gr->type->rank; i++)
        if (!ch__dim_is_const(gr->type->dims[i]) || !ch__mul_i64(n, gr->type->dims[i].val, &n)) return false;
    for (int64_t i = 0; i < gr->members.n; i++)
        if (ch__cg_kind(gr->members.data[i]) == K_FOLD) return false;
    return n <= SMALL_NEST;
}

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
    const ch__op *const *members = (const ch__op *const *)gr->members.data;
    if (!is_root(g) || is_small(gr)) {
        ch__cg_note(g, CG_LOOPS, gr->type, gr->members.n, members, "");
        return;
    }
    const char *text = ch__arena_strndup(g->a, g->out->data + from, (size_t)(g->out->n - from));
    const char *s = text + strspn(text, " "), *zero = strstr(s, " = 0; "), *end;
    ch__cg_note(g, CG_KERNEL, gr->type, gr->members.n, members, "");
    if (strncmp(s, "for (int64_t ", 13) != 0 || !zero) return;
    const char *i = ch__arena_strndup(g->a, s + 13, (size_t)(zero - s - 13));
    const char *less = ch__arena_printf(g->a, " = 0; %s < ", i);
    if (strncmp(zero, less, strlen(less)) != 0 || !(end = strchr(zero + strlen(less), ';'))) return;
    const char *limit = ch__arena_strndup(g->a, zero + strlen(less), (size_t)(end - zero) - strlen(less));
    captured c = {.g = g, .mark = mark};
    ch__strmap_init(&c.seen, g->a);
    ch__cg_each_word(end, text + strlen(text), see_captured, &c);
    const char *flat = strstr(text, "\n") && strstr(strstr(text, "\n"), "for (int64_t") ? NULL : "";
    const char *work = work_text(g, gr, flat != NULL && gr->type->rank > 1 && strstr(limit, "*") != NULL);
    if (c.unknown || strstr(text, "goto done;")) return; // it may leave the function
    int k = nat->n_kernels++;
    ch__text *t = &nat->kernels;
    const char *lo = ch__cg_scoped(g, "lo"), *hi = ch__cg_scoped(g, "hi"), *arg = ch__cg_scoped(g, "arg");
    if (c.names.n > 0) {
        ch__putf(t, "struct chaac_kernel_%d {\n", k);
        for (int64_t n = 0; n < c.names.n; n++)
            ch__putf(t, "    %s%s;\n", (const char *)ch__strmap_get(&g->types, c.names.data[n]), c.names.data[n]);
        ch__put(t, "};\n\n");
    }
    ch__putf(t, "static void chaac_kernel_%d(void *%s, int64_t %s, int64_t %s)\n{\n", k, arg, lo, hi);
    for (int64_t n = 0; n < c.names.n; n++) {
        const char *name = c.names.data[n], *type = ch__strmap_get(&g->types, name);
        bool array = strchr(type, '*') != NULL, written = is_written(gr, g, name);
        ch__putf(t, "    %s%s%s%s = ((const struct chaac_kernel_%d *)%s)->%s;\n",
                 written || strncmp(type, "const ", 6) == 0 || strcmp(name, "chaac_bad") == 0 ? "" : "const ", type,
                 array ? "restrict " : "", name, k, arg, name);
    }
    ch__putf(t, "    for (int64_t %s = %s; %s < %s%s}\n\n", i, lo, i, hi, end);
    g->out->n = from;
    g->out->data[from] = 0;
    ch__text args;
    ch__text_init(&args, g->a);
    for (int64_t n = 0; n < c.names.n; n++) ch__putf(&args, "%s%s", n > 0 ? ", " : "", c.names.data[n]);
    g->fails = true; // between kernels a run can be cancelled
    if (c.names.n > 0)
        ch__cg_open(g, "if (chaac_parallel(%s, %s, chaac_kernel_%d, &(struct chaac_kernel_%d){%s}) != 0)", limit, work,
                    k, k, args.data);
    else
        ch__cg_open(g, "if (chaac_parallel(%s, %s, chaac_kernel_%d, 0) != 0)", limit, work, k);
    ch__cg_line(g, "status = 1;");
    ch__cg_line(g, "goto done;");
    ch__cg_close(g);
}

// ---------------------------------------------------------------- the arena
const char *ch__cg_arena_place(cg *g, const store *st) {
    cg_native *nat = g->file->native;
    if (!is_root(g) || st->late) return NULL;
    int64_t k = nat->arrays.n;
    const char *type = ch__cg_ctype(st->type->dtype);
    CH_PUSH(g->a, &nat->arrays, st);
    ch__putf(&nat->bytes, "    chaac_out[%" PRId64 "] = chaac_bytes(%s, sizeof(%s));\n", k, ch__cg_count_text(g, st),
             type);
    return ch__arena_printf(g->a, "(%s *)(void *)(%s + %s[%" PRId64 "])", type, nat->arena, nat->at, k);
}

typedef struct {
    cg *g;
    ch__strmap index; // array -> its live, in out
    int statement;
} lives;

static void see_live(void *arg, const char *word, size_t n) {
    lives *l = arg;
    ch__c_live *x = ch__strmap_getn(&l->index, word, n);
    if (!x) return;
    if (x->first < 0) x->first = l->statement;
    x->last = l->statement;
}

// Statements of the outermost block are counted; what stands inside one (a loop, with all its turns) is at its place.
void ch__cg_native_function(cg *g, const ch__text *body) {
    cg_native *nat = g->file->native;
    if (!is_root(g)) return;
    ch__c_native *out = nat->out;
    out->n_arrays = (int)nat->arrays.n;
    out->arrays = CH_NEW_ARRAY(nat->out_arena, ch__c_live, nat->arrays.n);
    lives l = {.g = g};
    ch__strmap_init(&l.index, g->a);
    for (int64_t i = 0; i < nat->arrays.n; i++) {
        out->arrays[i] = (ch__c_live){-1, -1};
        ch__strmap_put(&l.index, nat->arrays.data[i]->name, &out->arrays[i]);
    }
    for (const char *s = body->n ? body->data : "", *end; *s; s = end + 1) {
        end = strchr(s, '\n');
        if (strncmp(s, "    ", 4) == 0 && s[4] != ' ' && s[4] != '}') l.statement++;
        ch__cg_each_word(s, end, see_live, &l);
    }
    ch__text *t = &g->file->functions;
    ch__put(t, "static int64_t chaac_bytes(int64_t n, size_t size)\n{\n"
               "    return n < 0 || (uint64_t)n > INT64_MAX / size ? -1 : n * (int64_t)size;\n}\n\n"
               "void chaac_native_bytes(const int64_t *chaac_n, int64_t *chaac_out)\n{\n");
    for (int64_t i = 0; i < g->f->dims.n; i++)
        ch__putf(t, "    const int64_t %s = chaac_n[%d];\n",
                 (const char *)ch__strmap_get(&g->symbols, g->f->dims.data[i].name), (int)i);
    for (int64_t i = 0; i < g->sizes.n; i++)
        ch__putf(t, "    const int64_t %s = %s;\n", g->sizes.data[i].name, g->sizes.data[i].text);
    if (nat->bytes.n) ch__putn(t, nat->bytes.data, (size_t)nat->bytes.n);
    ch__put(t, "}\n\n");
    if (nat->kernels.n) ch__putn(t, nat->kernels.data, (size_t)nat->kernels.n);
}

void ch__cg_native_params(cg *g, ch__text *t) {
    if (is_root(g)) ch__putf(t, ", char *%s, const int64_t *%s", g->file->native->arena, g->file->native->at);
}

void ch__cg_native_prelude(cg_file *file, ch__text *t) {
    if (!file->native) return;
    ch__put(
        t,
        "#include <stddef.h>\n#include <stdint.h>\n\n"
        "static int (*chaac_dot)(int, int, int64_t, int64_t, int64_t, const void *, int64_t, int64_t, const void *,\n"
        "                        int64_t, int64_t, void *);\n"
        "static int (*chaac_parallel)(int64_t, int64_t, void (*)(void *, int64_t, int64_t), void *);\n"
        "static int (*chaac_conv)(const int64_t *, const void *, const void *, const void *, void *);\n\n"
        "void chaac_native_setup(void *const *table)\n{\n"
        "    __builtin_memcpy(&chaac_dot, &table[0], sizeof chaac_dot);\n"
        "    __builtin_memcpy(&chaac_parallel, &table[1], sizeof chaac_parallel);\n"
        "    __builtin_memcpy(&chaac_conv, &table[2], sizeof chaac_conv);\n}\n\n");
}

// ---------------------------------------------------------------- matrix products
static bool is_one_dim(ch__dim d) { return ch__dim_is_const(d) && d.val == 1; }

// Are these axes of t, in this order, one after another in memory? Their stride then: what lies behind the last.
static bool join(const ch__type *t, const int *axes, int n, int *out_last) {
    int before = -1;
    *out_last = -1;
    for (int i = 0; i < n; i++) {
        if (is_one_dim(t->dims[axes[i]])) continue;
        if (before >= 0) {
            if (axes[i] < before) return false;
            for (int k = before + 1; k < axes[i]; k++)
                if (!is_one_dim(t->dims[k])) return false;
        }
        before = axes[i];
    }
    *out_last = before;
    return true;
}

typedef struct {
    int batch[CH__MAX_RANK], rest[CH__MAX_RANK], k[CH__MAX_RANK];
    int n_batch, n_rest, n_k, rest_last, k_last;
    bool good;
} product_side;

static product_side product_side_of(const ch__op *op, int which) {
    const ch__attr *batch = ch__op_attr(op, CH__ATTR_batch), *contract = ch__op_attr(op, CH__ATTR_contract);
    const ch__type *t = op->operands[which]->type;
    product_side s = {.n_batch = batch ? batch->n : 0, .n_k = contract->n};
    bool taken[CH__MAX_RANK] = {false};
    for (int i = 0; i < s.n_batch; i++) taken[s.batch[i] = (int)batch->ints[i + which * s.n_batch]] = true;
    for (int i = 0; i < s.n_k; i++) taken[s.k[i] = (int)contract->ints[i + which * s.n_k]] = true;
    for (int i = 0; i < t->rank; i++)
        if (!taken[i]) s.rest[s.n_rest++] = i;
    s.good = join(t, s.rest, s.n_rest, &s.rest_last) && join(t, s.k, s.n_k, &s.k_last);
    return s;
}

static ch__dim product_of(cg *g, ch__arena *a, const ch__type *t, const int *axes, int n) {
    ch__dim p = ch__dim_const(1);
    (void)g;
    for (int i = 0; i < n; i++) p = ch__dim_mul(a, p, t->dims[axes[i]]);
    return p;
}

static bool all_const(const ch__type *t, int64_t *n) {
    for (int i = 0; i < t->rank; i++)
        if (!ch__dim_is_const(t->dims[i]) || !ch__mul_i64(*n, t->dims[i].val, n)) return false;
    return true;
}

// A product for the library: of matrices, in any order, not tiny.
static bool should_call(const ch__op *op) {
    if (op->code != CH_OP_dot) return false;
    const ch__type *r = op->results[0].type;
    ch_dtype d = op->operands[0]->type->dtype;
    if (r->rank == 0 || r->dtype != d || op->operands[1]->type->dtype != d) return false;
    if (d != CH_F32 && d != CH_F64) return false;
    if (ch__op_int(op, CH__ATTR_order, CH__ANY) != CH__ANY) return false;
    int64_t lhs = 1, rhs = 1;
    if (all_const(op->operands[0]->type, &lhs) && all_const(op->operands[1]->type, &rhs) && lhs * rhs <= 4096)
        return false;
    return product_side_of(op, 0).good && product_side_of(op, 1).good;
}

void ch__cg_native_refuse_recursion(const cg *g) {
    if (g->file->native && g->fn->recursive)
        ch__raise(CH__E_unsupported, "native: @%s calls itself — compile it for the engine \"interp\"", g->f->name);
}

bool ch__cg_is_called(const ch__op *op) {
    return op->mark == CG_CALLED && (op->code == CH_OP_dot || op->code == CH_OP_conv);
}

static void mark_called(void *arg, ch__op *op) {
    (void)arg;
    if (op->mark != CG_CALLED) op->mark = should_call(op) ? CG_CALLED : 0;
}

const struct conv_call *ch__cg_conv_of(const cg_file *file, const ch__op *op) {
    return ch__map_get(&file->native->convs, (uint64_t)(uintptr_t)op);
}

void ch__cg_keep_conv(cg_file *file, const ch__op *op, const struct conv_call *call) {
    ch__map_put(&file->native->convs, (uint64_t)(uintptr_t)op, (void *)(uintptr_t)call);
}

void ch__cg_native_marks(cg_file *file, ch_func *f) {
    if (!file->native) return;
    ch__walk(f->body, mark_called, NULL);
    ch__cg_native_conv_marks(file, f);
}

// The stride of joined axes whose last is axis `last`: the elements behind it.
static ch__dim stride_of(cg *g, const ch__type *t, int last) {
    ch__dim n = ch__dim_const(1);
    for (int i = last + 1; i < t->rank && last >= 0; i++) n = ch__dim_mul(g->a, n, ch__cg_size(g, t->dims[i], true));
    return n;
}

void ch__cg_dot_call(cg *g, const ch__op *op) {
    const ch__value *out = &op->results[0];
    product_side s[2] = {product_side_of(op, 0), product_side_of(op, 1)};
    const char *from[2];
    for (int i = 0; i < 2; i++) from[i] = ch__cg_pointer(g, op->operands[i]);
    store *st = ch__cg_result_store(g, op, 0);
    const ch__type *t[2] = {op->operands[0]->type, op->operands[1]->type};
    ch__dim m = product_of(g, g->a, t[0], s[0].rest, s[0].n_rest),
            n = product_of(g, g->a, t[1], s[1].rest, s[1].n_rest), k = product_of(g, g->a, t[0], s[0].k, s[0].n_k),
            at[CH__MAX_RANK], offset[3];
    int loops = 0;
    for (int i = 0; i < 3; i++) offset[i] = ch__dim_const(0);
    for (int b = 0; b < s[0].n_batch; b++) {
        ch__dim size = t[0]->dims[s[0].batch[b]];
        at[b] = ch__dim_const(0);
        if (is_one_dim(size)) continue;
        at[b] = ch__cg_for(g, size);
        loops++;
    }
    for (int b = 0; b < s[0].n_batch; b++) {
        for (int i = 0; i < 2; i++)
            offset[i] = ch__dim_add(g->a, offset[i], ch__dim_mul(g->a, at[b], stride_of(g, t[i], s[i].batch[b])));
        offset[2] = ch__dim_add(g->a, offset[2], ch__dim_mul(g->a, at[b], stride_of(g, out->type, b)));
    }
    const char *a[3];
    const char *names[3] = {from[0], from[1], st->name};
    for (int i = 0; i < 3; i++)
        a[i] = ch__dim_is_const(offset[i])
                   ? names[i]
                   : ch__arena_printf(g->a, "%s + %s", names[i], ch__cg_dim_text(g, offset[i], CX_ADD));
    g->fails = g->needs_memory = true;
    ch__cg_note(g, CG_LIBRARY, out->type, 1, &op, "");
    ch_dtype d = out->type->dtype;
    ch__cg_open(g, "if (chaac_dot(%d, %d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) != 0)", (int)d,
                (int)ch__cg_acc_dtype(op, d), ch__cg_dim_text(g, m, CX_COND), ch__cg_dim_text(g, n, CX_COND),
                ch__cg_dim_text(g, k, CX_COND), a[0], ch__cg_dim_text(g, stride_of(g, t[0], s[0].rest_last), CX_COND),
                ch__cg_dim_text(g, stride_of(g, t[0], s[0].k_last), CX_COND), a[1],
                ch__cg_dim_text(g, stride_of(g, t[1], s[1].k_last), CX_COND),
                ch__cg_dim_text(g, stride_of(g, t[1], s[1].rest_last), CX_COND), a[2]);
    ch__cg_line(g, "status = 1;");
    ch__cg_line(g, "goto done;");
    ch__cg_close(g);
    ch__cg_for_end(g, loops);
    ch__cg_hold(g, out, st);
}

// ---------------------------------------------------------------- indices
typedef struct {
    cg *g;
    bool other;
} counters;

static void see_counter(void *arg, const char *name) {
    counters *c = arg;
    if (name[0] == '$') c->other = c->other || !c->g->loop_known[atoi(name + 1)];
    if (name[0] == '#') c->other = true;
}

// d at the first or last turn of all loops; it must not fall as a counter rises.
static ch__dim at_end_of_loops(cg *g, ch__dim d, bool last) {
    const char *names[64];
    ch__dim to[64];
    int n = 0;
    for (int i = 0; i < g->depth; i++) {
        if (!g->loop_known[i]) continue;
        names[n] = ch__arena_printf(g->a, "$%d", i);
        to[n++] = last ? ch__dim_sub(g->a, g->loop_hi[i], ch__dim_const(1)) : g->loop_lo[i];
    }
    return ch__dim_subst(g->a, d, n, names, to);
}

static bool rises(ch__dim d) {
    if (ch__dim_is_const(d)) return true;
    for (int i = 0; i < d.sym->n_terms; i++) {
        const ch__term *t = &d.sym->terms[i];
        bool counter = false;
        for (int k = 0; k < t->n_atoms; k++) {
            if (t->atoms[k]->kind != CH__ATOM_symbol) return false;
            counter = counter || t->atoms[k]->name[0] == '$';
        }
        if (counter && t->coef < 0) return false;
    }
    return true;
}

static bool plainly_inside(cg *g, ch__dim i, ch__dim last) {
    counters c = {.g = g};
    ch__dim_symbols(i, see_counter, &c);
    if (c.other || !rises(i)) return false;
    ch__dim low = at_end_of_loops(g, i, false), high = at_end_of_loops(g, i, true), zero = ch__dim_const(0);
    int below = ch__dim_cmp(g->a, ch__dim_add(g->a, low, ch__dim_const(1)), zero),
        above = ch__dim_cmp(g->a, ch__dim_add(g->a, last, ch__dim_const(1)), high);
    return below == 1 && above == 1;
}

ch__dim ch__cg_checked(cg *g, ch__dim i, ch__dim last) {
    if (!g->file->native || plainly_inside(g, i, last)) return i;
    g->checked = g->fails = g->needs_sizes = true;
    ch__cg_want_room(g, last, ch__dim_const(0));
    return ch__cg_opaque(
        g, ch__cx(ch__arena_printf(g->a, "%s(chaac_bad, %s, %s)", ch__cg_helper(g->file, "check_index", 0),
                                   ch__cg_dim_text(g, i, CX_COND), ch__cg_dim_text(g, last, CX_COND)),
                  CX_PRIM));
}

// ---------------------------------------------------------------- sums that may be taken in any order
void ch__cg_simd_fold(cg *g, const ch__op *op, const accum *fo) {
    if (!g->file->native || ch__op_int(op, CH__ATTR_order, CH__ANY) != CH__ANY) return;
    if (fo->kind == CH__SUM && (fo->acc == CH_F32 || fo->acc == CH_F64))
        ch__cg_line(g, "#pragma omp simd reduction(+:%s)", fo->name);
}

// ---------------------------------------------------------------- the file
void ch__cg_native_begin(cg_file *file, ch__c_native *out, ch__arena *out_arena) {
    cg_native *nat = CH_NEW(file->a, cg_native);
    *nat = (cg_native){.out = out, .out_arena = out_arena, .arena = "chaac_arena", .at = "chaac_at"};
    static const char *const own[] = {"chaac_arena", "chaac_at",   "chaac_dot",  "chaac_parallel",
                                      "chaac_bytes", "chaac_n",    "chaac_out",  "chaac_bad",
                                      "chaac_bad_",  "chaac_conv", "chaac_sizes"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) ch__strmap_put(&file->reserved, own[i], file);
    ch__text_init(&nat->kernels, file->a);
    ch__text_init(&nat->bytes, file->a);
    ch__map_init(&nat->convs, file->a);
    ch__text_init(&nat->notes, out_arena);
    file->native = nat;
}
