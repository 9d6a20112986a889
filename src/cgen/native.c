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

#include "cgen/native.h"

#include <stdlib.h>

// ---------------------------------------------------------------- what ch_explain says
void ch__cg_note(cg *g, int what, const ch__type *t, int64_t n, const ch__op *const *ops, const char *more) {
    cg_native *nat = g->file->native;
    if (!nat) return;
    int *counts[CG_NOTES] = {&nat->out->n_kernels, &nat->out->n_loops, &nat->out->n_calls, NULL};
    static const char *const words[CG_NOTES] = {"kernel ", "loops  ", "library", "   and "};
    if (counts[what]) ++*counts[what];
    ch__text *s = &nat->notes;
    int64_t from = s->n + 12;
    ch__putf(s, "    %s ", words[what]);
    ch__type_print(s, t);
    for (int64_t i = 0; i < n && i < 12; i++)
        ch__putf(s, "%s%s", i == 0 ? ": " : ", ", ch__op_name((ch__opcode)ops[i]->code));
    if (n > 12) ch__putf(s, " and %" PRId64 " more", n - 12);
    ch__putf(s, "%s\n", more);
    const char *label = ch__arena_strndup(g->a, s->data + from, (size_t)(s->n - from - 1));
    ch__cg_reasons(g, what, t, n, ops);
    nat->out->notes = s->data;
    if (what != CG_LOOPS) ch__cg_costs(g, what == CG_LIBRARY, nat->copied ? 0 : n, ops, label);
}

// What stands in the arrays that op puts v into, or v itself as a result.
static void note_copied(cg *g, bool kernel, const ch__value *v, const ch__op *op) {
    cg_native *nat = g->file->native;
    if (!nat) return;
    nat->copied = v;
    ch__cg_note(g,
                kernel && nat->joined ? CG_JOINED
                : kernel              ? CG_KERNEL
                                      : CG_LOOPS,
                v->type, op != NULL, &op, op == NULL ? ": a copy" : "");
    nat->copied = NULL;
}

void ch__cg_note_copy(cg *g, bool kernel, const ch__value *v) { note_copied(g, kernel, v, NULL); }

void ch__cg_note_part(cg *g, bool kernel, const ch__op *op, const ch__value *v) { note_copied(g, kernel, v, op); }

// ---------------------------------------------------------------- variables
void ch__cg_variable(cg *g, const char *name, const char *type) {
    if (g->file->native) ch__strmap_put(&g->types, name, (void *)(uintptr_t)type);
}

const char *ch__cg_declared_type(cg *g, const store *st) {
    const char *c = ch__cg_ctype(st->type->dtype);
    if (st->kind == ST_SCALAR) return ch__arena_printf(g->a, "%s %s", c, st->deref ? "*" : "");
    return ch__arena_printf(g->a, "%s%s *", st->writable ? "" : "const ", c);
}

bool ch__cg_is_outermost(const cg *g) { return !g->fn->is_static && g->f == g->file->root; }

bool ch__cg_is_root(const cg *g) { return g->file->native != NULL && ch__cg_is_outermost(g); }

bool *ch__cg_native_copied(const cg *g) {
    if (!ch__cg_is_root(g)) return NULL;
    cg_native *nat = g->file->native;
    return nat->out->copied = CH_NEW_ARRAY(nat->out_arena, bool, g->f->body->n_results + 1);
}

// ---------------------------------------------------------------- the arena
const char *ch__cg_arena_place(cg *g, const store *st) {
    cg_native *nat = g->file->native;
    if (!ch__cg_is_root(g) || st->late) return NULL;
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

enum { MANY_CALLS = 32, MANY_ARGS = 4096 };

// Statements of the outermost block are counted; what stands inside one (a loop, with all its turns) is at its place.
void ch__cg_lives(cg *g, const ch__text *body, int64_t n, const store *const *arrays, ch__c_live *out) {
    lives l = {.g = g};
    ch__strmap_init(&l.index, g->a);
    for (int64_t i = 0; i < n; i++) {
        out[i] = (ch__c_live){-1, -1};
        ch__strmap_put(&l.index, arrays[i]->name, &out[i]);
    }
    for (const char *s = body->n ? body->data : "", *end; *s; s = end + 1) {
        end = strchr(s, '\n');
        if (strncmp(s, "    ", 4) == 0 && s[4] != ' ' && s[4] != '}') l.statement++;
        ch__cg_each_word(s, end, see_live, &l);
    }
}

static void put_size_lines(cg *g, ch__text *t) {
    for (int64_t i = 0; i < g->f->dims.n; i++)
        ch__putf(t, "    const int64_t %s = chaac_n[%d];\n",
                 (const char *)ch__strmap_get(&g->symbols, g->f->dims.data[i].name), (int)i);
    for (int64_t i = 0; i < g->sizes.n; i++)
        ch__putf(t, "    const int64_t %s = %s;\n", g->sizes.data[i].name, g->sizes.data[i].text);
}

void ch__cg_native_function(cg *g, const ch__text *body, ch__text *all) {
    cg_native *nat = g->file->native;
    bool branch = nat && all->n > 0 && ch__cg_is_masked(all->data);
    if (!ch__cg_is_root(g)) {
        if (branch) ch__put(&g->file->functions, "CHAAC_BRANCH\n");
        return;
    }
    ch__c_native *out = nat->out;
    out->n_arrays = (int)nat->arrays.n;
    out->arrays = CH_NEW_ARRAY(nat->out_arena, ch__c_live, nat->arrays.n);
    ch__cg_lives(g, body, nat->arrays.n, nat->arrays.data, out->arrays);
    out->bytes = CH_NEW_ARRAY(nat->out_arena, int64_t, nat->arrays.n);
    for (int64_t i = 0; i < nat->arrays.n; i++) {
        const ch__type *type = nat->arrays.data[i]->type;
        ch__dim n = ch__type_numel(g->a, type);
        bool known = ch__dim_is_const(n) && ch__mul_i64(n.val, (int64_t)ch_dtype_size(type->dtype), &out->bytes[i]);
        if (!known) out->bytes[i] = -1;
    }
    ch__text *t = &g->file->functions;
    ch__put(t, "static int64_t chaac_bytes(int64_t n, size_t size)\n{\n"
               "    return n < 0 || (uint64_t)n > INT64_MAX / size ? -1 : n * (int64_t)size;\n}\n\n"
               "CHAAC_LIST void chaac_native_bytes(const int64_t *chaac_n, int64_t *chaac_out)\n{\n");
    put_size_lines(g, t);
    if (nat->bytes.n) ch__putn(t, nat->bytes.data, (size_t)nat->bytes.n);
    ch__put(t, "}\n\n");
    if (out->timed) {
        ch__put(t, "void chaac_native_costs(const int64_t *chaac_n, double *chaac_out)\n{\n    (void)chaac_n, "
                   "(void)chaac_out;\n");
        put_size_lines(g, t);
        if (nat->costs.n) ch__putn(t, nat->costs.data, (size_t)nat->costs.n);
        ch__put(t, "}\n\n");
    }
    if (nat->kernels.n) ch__putn(t, nat->kernels.data, (size_t)nat->kernels.n);
    ch__cg_chunks(g, all, t);
    // Compilers spend more on a long list of calls than on the kernels, for nothing: what is slow is in those.
    int calls = 0;
    for (const char *s = body->n ? body->data : ""; (s = strstr(s, "chaac_parallel")) != NULL; s++) calls++;
    size_t args = 0; // letters of what the kernels are given
    for (const char *s = body->n ? body->data : ""; (s = strstr(s, "&(struct chaac_kernel_")) != NULL; s++)
        args += strcspn(s, "}");
    if (calls >= MANY_CALLS || args >= MANY_ARGS)
        ch__put(t, ch__cg_between(g, all, t) ? "CHAAC_LIST\n" : "CHAAC_ONCE\n");
    else if (branch)
        ch__put(t, "CHAAC_BRANCH\n");
}

void ch__cg_native_params(cg *g, bool more, ch__text *t) {
    if (!ch__cg_is_root(g)) return;
    ch__putf(t, "%schar *%s, const int64_t *%s", more ? ", " : "", g->file->native->arena, g->file->native->at);
}

// CHAAC_MATH: loops of e^x and its like wait for their own results; some turns at once go in each other's gaps. They
// take vectors of 512 bits where there are any (CHAAC_WIDE), half as many instructions; short ones of other loops would
// lose by it, one loop of many operations does not.
// CHAAC_FEW: long kernels where such loops say themselves how many; gcc does the rest of what unrolling asks for, and
// leaves the function's other loops as they are. A short one gains by these too (softmax 5 %).
// chaac_rare() in a branch says that it is hardly ever taken: its loops are compiled for size, not made vectors.
// CHAAC_TURNS: of these loops six; gcc by itself takes eight, and has too few registers for them. CHAAC_BRANCH:
// masked.c says why.
void ch__cg_native_prelude(cg_file *file, ch__text *t) {
    if (!file->native) return;
    ch__put(
        t,
        "#include <stddef.h>\n#include <stdint.h>\n\n#define chaac_wide(x) ((double)(x))\n"
        "#if defined(__GNUC__) && !defined(__clang__)\n#define CHAAC_ONCE __attribute__((optimize(\"O1\")))\n"
        "#ifdef __AVX512F__\n#define CHAAC_WIDE __attribute__((target(\"prefer-vector-width=512\")))\n"
        "#else\n#define CHAAC_WIDE\n#endif\n"
        "#define CHAAC_MATH CHAAC_WIDE __attribute__((optimize(\"schedule-insns\", \"unroll-loops\")))\n"
        "#define CHAAC_FEW CHAAC_WIDE __attribute__((optimize(\"schedule-insns\", \"web\", \"rename-registers\")))\n"
        "#define CHAAC_TURNS _Pragma(\"GCC unroll 6\")\n"
        "#define CHAAC_BRANCH __attribute__((optimize(\"no-tree-loop-if-convert\")))\n"
        "#define CHAAC_LIST __attribute__((noinline, optimize(\"O0\")))\n"
        "#define CHAAC_APART __attribute__((noinline))\n"
        "#elif defined(__clang__)\n#define CHAAC_ONCE\n#define CHAAC_WIDE\n#define CHAAC_MATH\n#define CHAAC_FEW\n"
        "#define CHAAC_TURNS\n#define CHAAC_BRANCH\n"
        "#define CHAAC_LIST __attribute__((noinline, optnone))\n"
        "#define CHAAC_APART __attribute__((noinline))\n"
        "#else\n#define CHAAC_ONCE\n#define CHAAC_WIDE\n#define CHAAC_MATH\n#define CHAAC_FEW\n"
        "#define CHAAC_TURNS\n#define CHAAC_BRANCH\n"
        "#define CHAAC_LIST\n#define CHAAC_APART\n#endif\n\n"
        "#if defined(__GNUC__)\n"
        "static __attribute__((noinline, cold)) void chaac_rare(void)\n{\n    __asm__ volatile(\"\");\n}\n"
        "#else\n#define chaac_rare() ((void)0)\n#endif\n\n"
        "static int (*chaac_dot)(int, int, int64_t, int64_t, int64_t, const void *, int64_t, int64_t, const void *,\n"
        "                        int64_t, int64_t, void *);\n"
        "static int (*chaac_parallel)(int64_t, int64_t, void (*)(void *, int64_t, int64_t), void *);\n"
        "static int64_t (*chaac_sum)(int64_t, int64_t, void (*)(void *, int64_t, int64_t, int64_t), void *);\n"
        "typedef struct chaac_nest {\n    int64_t n, work;\n    void (*fn)(void *, int64_t, int64_t);\n    void *arg;\n"
        "} chaac_nest;\nstatic int (*chaac_parallel_many)(int, const chaac_nest *);\n"
        "static int (*chaac_conv)(const int64_t *, const void *, const void *, const void *, void *);\n"
        "static double (*chaac_largest)(int, int64_t, int64_t, const void *, int64_t, int64_t);\n"
        "static const volatile int *(*chaac_watched)(void);\n"
        "static int (*chaac_dot_add)(int, int64_t, int64_t, int64_t, const void *, int64_t, int64_t, const void *,\n"
        "                            int64_t, int64_t, void *, int64_t);\n"
        "static int (*chaac_dot_wide)(int, int64_t, int64_t, int64_t, const void *, int64_t, int64_t, const float *,\n"
        "                             int64_t, int64_t, void *);\n"
        "static int (*chaac_widen)(int, int64_t, int64_t, int64_t, int64_t, const void *, float **);\n"
        "static void (*chaac_narrow)(int, int64_t, const float *, void *);\n"
        "static void (*chaac_drop)(float *);\n\n"
        "void chaac_native_setup(void *const *table)\n{\n"
        "    __builtin_memcpy(&chaac_dot, &table[0], sizeof chaac_dot);\n"
        "    __builtin_memcpy(&chaac_parallel, &table[1], sizeof chaac_parallel);\n"
        "    __builtin_memcpy(&chaac_conv, &table[2], sizeof chaac_conv);\n"
        "    __builtin_memcpy(&chaac_parallel_many, &table[3], sizeof chaac_parallel_many);\n"
        "    __builtin_memcpy(&chaac_sum, &table[4], sizeof chaac_sum);\n"
        "    __builtin_memcpy(&chaac_largest, &table[5], sizeof chaac_largest);\n"
        "    __builtin_memcpy(&chaac_watched, &table[6], sizeof chaac_watched);\n"
        "    __builtin_memcpy(&chaac_dot_add, &table[7], sizeof chaac_dot_add);\n"
        "    __builtin_memcpy(&chaac_dot_wide, &table[8], sizeof chaac_dot_wide);\n"
        "    __builtin_memcpy(&chaac_widen, &table[9], sizeof chaac_widen);\n"
        "    __builtin_memcpy(&chaac_narrow, &table[10], sizeof chaac_narrow);\n"
        "    __builtin_memcpy(&chaac_drop, &table[11], sizeof chaac_drop);\n}\n\n");
    if (file->native->out->timed)
        ch__put(t, "static _Thread_local int chaac_call; // the row of the library call that comes next\n"
                   "int chaac_native_call(void)\n{\n    return chaac_call;\n}\n\n");
}

// ---------------------------------------------------------------- calls of libraries
bool ch__cg_is_called(const ch__op *op) {
    return op->mark == CG_CALLED && (op->code == CH_OP_dot || op->code == CH_OP_conv);
}

void ch__cg_native_marks(cg_file *file, ch_func *f) {
    if (!file->native) return;
    ch__cg_native_dot_marks(file, f);
    ch__cg_native_conv_marks(file, f);
}

const void *ch__cg_call_of(const cg_file *file, const ch__op *op) {
    return ch__map_get(&file->native->calls, (uint64_t)(uintptr_t)op);
}

void ch__cg_keep_call(cg_file *file, const ch__op *op, const void *call) {
    ch__map_put(&file->native->calls, (uint64_t)(uintptr_t)op, (void *)(uintptr_t)call);
}

void ch__cg_native_refuse_recursion(const cg *g) {
    if (g->file->native && g->fn->recursive)
        ch__raise(CH__E_unsupported, "native: @%s calls itself — compile it for the engine \"interp\"", g->f->name);
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

// ---------------------------------------------------------------- loops that are left when the run is cancelled
enum { FEW_TURNS = 4096 };

// Are there so few turns, known now, and so little in each, that the loop is soon over?
static bool is_soon_over(const ch__op *op) {
    int64_t bound[3];
    if (op->code != CH_OP_for) return false;
    for (int i = 0; i < 3; i++) {
        const ch__array *c = ch__const_of(op->operands[i]);
        if (!c) return false;
        memcpy(&bound[i], c->data, sizeof bound[i]);
    }
    if (bound[0] < -FEW_TURNS || bound[0] > FEW_TURNS || bound[1] < -FEW_TURNS || bound[1] > FEW_TURNS) return false;
    for (const ch__op *inner = op->regions[0]->first; inner; inner = inner->next)
        if (inner->n_regions > 0 || inner->code == CH_OP_call) return false;
    return true;
}

const char *ch__cg_watch(cg *g, const ch__op *op) {
    if (!g->file->native || is_soon_over(op)) return NULL;
    if (g->watch) return g->watch;
    const char *name = ch__cg_scoped(g, "stop");
    ch__cg_variable(g, name, "const volatile int *");
    ch__cg_line(g, "const volatile int *const %s = chaac_watched();", name);
    return name;
}

void ch__cg_look(cg *g, const char *watch) {
    if (watch) ch__cg_fail(g, ch__arena_printf(g->a, "*%s", watch), 1);
}

// ---------------------------------------------------------------- sums that may be taken in any order
void ch__cg_simd_fold(cg *g, const ch__op *op, const accum *fo) {
    if (!g->file->native || ch__op_int(op, CH__ATTR_order, CH__ANY) != CH__ANY) return;
    if (fo->kind == CH__SUM && (fo->acc == CH_F32 || fo->acc == CH_F64))
        ch__cg_line(g, "#pragma omp simd reduction(+:%s)", fo->name);
}

// ---------------------------------------------------------------- the file
const char *ch__cg_native_data(cg_file *file, const void *data, size_t bytes) {
    ch__c_native *out = file->native->out;
    ch__arena *a = out->data_arena != NULL ? out->data_arena : file->native->out_arena;
    CH_PUSH(a, &out->data, ch__arena_dup(a, data, bytes));
    return ch__arena_printf(file->a, "chaac_data_%d", (int)out->data.n - 1);
}

void ch__cg_native_begin(cg_file *file, ch__c_native *out, ch__arena *out_arena) {
    cg_native *nat = CH_NEW(file->a, cg_native);
    *nat = (cg_native){.out = out, .out_arena = out_arena, .arena = "chaac_arena", .at = "chaac_at"};
    static const char *const own[] = {
        "chaac_arena", "chaac_at",     "chaac_dot",           "chaac_parallel", "chaac_bytes",   "chaac_n",
        "chaac_out",   "chaac_bad",    "chaac_bad_",          "chaac_conv",     "chaac_sizes",   "chaac_sum",
        "chaac_nest",  "chaac_nests",  "chaac_parallel_many", "chaac_part",     "chaac_args",    "chaac_call",
        "chaac_in",    "chaac_wide",   "chaac_largest",       "chaac_watched",  "chaac_dot_add", "chaac_dot_wide",
        "chaac_widen", "chaac_narrow", "chaac_drop"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) ch__strmap_put(&file->reserved, own[i], file);
    ch__text_init(&nat->kernels, file->a);
    ch__text_init(&nat->bytes, file->a);
    ch__text_init(&nat->costs, file->a);
    ch__map_init(&nat->calls, file->a);
    ch__strmap_init(&nat->kernel_of, file->a);
    ch__strmap_init(&nat->part_counts, file->a);
    ch__map_init(&nat->pieces, file->a);
    ch__map_init(&nat->columns, file->a);
    ch__map_init(&nat->nest_of, file->a);
    ch__text_init(&nat->notes, out_arena);
    nat->last_end = -1;
    nat->summing = -1;
    file->native = nat;
}
