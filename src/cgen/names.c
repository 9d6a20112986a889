// SPDX-License-Identifier: Apache-2.0
// names.c - the user's names as C identifiers, and names for what has none.
//
// A name that C, its library or a helper already means gets a trailing _ (`double_`, `exp_`); one that is taken in the
// function gets a number (`x_1`). Loop counters and accumulators are named per block and give way to the user's names.
#include <stdlib.h>

#include "cgen/emit.h"

static const char words[] =
    // C99, C11, C23 and what stdbool, stdint, stddef, stdlib, math, string and limits mean in every file
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "alignas alignof bool complex imaginary noreturn static_assert thread_local true false nullptr constexpr typeof "
    "typeof_unqual asm fortran NULL size_t ptrdiff_t wchar_t max_align_t offsetof "
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t "
    "int_least8_t int_least16_t int_least32_t int_least64_t int_fast8_t int_fast16_t int_fast32_t int_fast64_t "
    "INT8_MIN INT8_MAX INT16_MIN INT16_MAX INT32_MIN INT32_MAX INT64_MIN INT64_MAX UINT8_MAX UINT16_MAX UINT32_MAX "
    "UINT64_MAX SIZE_MAX INT64_C UINT32_C UINT64_C INFINITY NAN HUGE_VAL HUGE_VALF HUGE_VALL I FLT_MAX DBL_MAX EOF "
    "malloc calloc realloc free abort exit atexit abs labs llabs div ldiv lldiv div_t ldiv_t lldiv_t rand srand qsort "
    "bsearch atof atoi atol atoll strtod strtof strtol strtoul getenv system mblen mbtowc wctomb mbstowcs wcstombs "
    "memcpy memmove memset memcmp memchr strcpy strncpy strcat strncat strcmp strcoll strncmp strxfrm strchr strcspn "
    "strpbrk strrchr strspn strstr strtok strerror strlen random srandom index rindex signgam gamma drem finite "
    "significand isnan isinf isfinite isnormal signbit fpclassify isgreater isless isunordered islessgreater "
    "isgreaterequal islessequal FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL math_errhandling float_t double_t "
    "M_E M_PI M_LN2 M_SQRT2 status done main errno assert environ unix linux apart memory_range";
static const char libm[] = // each also with f and l
    "acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 exp10 expm1 frexp ilogb ldexp log "
    "log10 "
    "log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma lgamma_r tgamma ceil floor nearbyint "
    "rint lrint llrint round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax "
    "fmin "
    "fma j0 j1 jn y0 y1 yn pow10 scalb sincos strtod ";

static void reserve_list(cg_file *file, const char *list, bool forms) {
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, " ");
        char name[40];
        memcpy(name, at, n);
        for (int k = 0; k < (forms ? 3 : 1); k++) {
            name[n] = k == 1 ? 'f' : k == 2 ? 'l' : 0;
            name[n + (k > 0)] = 0;
            ch__strmap_put(&file->reserved, name, file);
            if (forms) ch__strmap_put(&file->libm, name, file);
        }
        at += n + strspn(at + n, " ");
    }
}

void ch__cg_reserve(cg_file *file) {
    reserve_list(file, words, false);
    reserve_list(file, libm, true);
    ch__cg_reserve_helpers(file);
}

// Names that begin with _ belong to the compiler, those that begin with a digit are none.
static const char *allowed(cg_file *file, ch__arena *a, const char *want) {
    const char *name = want[0] == '_' || (want[0] >= '0' && want[0] <= '9') ? ch__arena_printf(a, "v%s", want) : want;
    while (ch__strmap_get(&file->reserved, name)) name = ch__arena_printf(a, "%s_", name);
    return name;
}

const char *ch__cg_file_name(cg_file *file, const cg *g, const char *want) {
    const char *name = allowed(file, file->a, want);
    while (ch__strmap_get(&file->reserved, name) ||
           (g && (ch__strmap_get(&g->names, name) || ch__strmap_get(&g->user, name))))
        name = ch__arena_printf(file->a, "%s_", name);
    ch__strmap_put(&file->reserved, name, file);
    return name;
}

typedef struct {
    int next;
} counter;

// want, or want_1, ...; counters make a thousand equal names cheap.
static const char *unique(cg *g, const char *want) {
    const char *name = allowed(g->file, g->a, want);
    if (!ch__strmap_get(&g->names, name)) return name;
    counter *c = ch__strmap_get(&g->names, name);
    for (;;) {
        const char *numbered = ch__arena_printf(g->a, "%s_%d", name, ++c->next);
        if (!ch__strmap_get(&g->names, numbered) && !ch__strmap_get(&g->file->reserved, numbered)) return numbered;
    }
}

static void take_name(cg *g, const char *name) {
    if (!ch__strmap_get(&g->names, name)) ch__strmap_put(&g->names, name, CH_NEW(g->a, counter));
}

const char *ch__cg_name(cg *g, const char *want) {
    if (!want) {
        const char *name;
        do name = ch__arena_printf(g->a, "t%d", ++g->numbered);
        while (ch__strmap_get(&g->names, name) || ch__strmap_get(&g->user, name));
        take_name(g, name);
        return name;
    }
    const char *name = unique(g, want);
    take_name(g, name);
    return name;
}

const char *ch__cg_local_name(cg *g, const char *want) {
    return g->fn->face && want ? ch__cg_scoped_user(g, want) : ch__cg_name(g, want);
}

const char *ch__cg_top_name(cg *g, const char *want) {
    const char *name;
    do name = ch__cg_name(g, want); // those that a block hid it behind stay taken
    while (ch__strmap_get(&g->inner, name));
    return name;
}

static bool is_splat_0(const ch__value *v) {
    static const char zeros[8];
    while (v->op && v->op->code == CH_OP_broadcast) v = v->op->operands[0];
    const ch__array *a = ch__const_of(v);
    return a && (a->splat || v->type->rank == 0) && memcmp(a->data, zeros, ch_dtype_size(a->dtype)) == 0;
}

const char *ch__cg_hint(cg *g, const ch__value *v) {
    const ch__op *op = v->op;
    if (v->name || !op) return v->name;
    switch (op->code) {
    case CH_OP_compare: {
        const ch__value *x = op->operands[0];
        if (ch__op_int(op, CH__ATTR_dir, CH__EQ) == CH__EQ && x->name && is_splat_0(op->operands[1]))
            return ch__arena_printf(g->a, "%s_is_0", x->name);
        return v->type->rank > 0 ? "mask" : NULL;
    }
    case CH_OP_reduce:
        switch ((ch__kind)ch__op_int(op, CH__ATTR_kind, 0)) {
        case CH__SUM: return "sum";
        case CH__PROD: return "product";
        case CH__MIN: return "least";
        case CH__MAX: return "most";
        default: return NULL;
        }
    case CH_OP_dot: return v->type->rank > 0 ? "product" : "sum";
    case CH_OP_gather: return "picked";
    case CH_OP_concat: return "joined";
    case CH_OP_cumulative: return "running";
    case CH_OP_sort: return "sorted";
    case CH_OP_arg_reduce: return "where";
    case CH_OP_cholesky: return "factor";
    case CH_OP_triangular_solve: return "solution";
    default: return NULL;
    }
}

// The number from which on want may be free: in a long function all before are taken.
static counter *first_free(cg *g, const char *want) {
    counter *c = ch__strmap_get(&g->free_from, want);
    if (c) return c;
    c = CH_NEW(g->a, counter);
    ch__strmap_put(&g->free_from, want, c);
    return c;
}

const char *ch__cg_scoped(cg *g, const char *want) {
    counter *c = first_free(g, want);
    const char *name;
    do {
        name = c->next == 0 ? want : ch__arena_printf(g->a, "%s%d", want, c->next);
        c->next++;
    } while (ch__strmap_get(&g->names, name) || ch__strmap_get(&g->user, name) ||
             ch__strmap_get(&g->file->reserved, name));
    take_name(g, name);
    CH_PUSH(g->a, &g->scoped, name);
    ch__strmap_put(&g->inner, name, g);
    return name;
}

const char *ch__cg_scoped_user(cg *g, const char *want) {
    const char *name = unique(g, want);
    take_name(g, name);
    CH_PUSH(g->a, &g->scoped, name);
    ch__strmap_put(&g->inner, name, g);
    return name;
}

void ch__cg_scope_end(cg *g, int64_t mark) {
    while (g->scoped.n > mark) {
        const char *name = g->scoped.data[--g->scoped.n];
        size_t n = strlen(name);
        while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9') n--;
        counter *c = ch__strmap_getn(&g->free_from, name, n);
        int number = name[n] != '\0' ? atoi(name + n) : 0;
        if (c && number < c->next) c->next = number;
        ch__strmap_put(&g->names, name, NULL);
    }
}

// ---------------------------------------------------------------- what the user's values are called
static void see_value(cg *g, const ch__value *v) {
    if (v->name) ch__strmap_put(&g->user, v->name, g);
}

static void see_op(void *arg, ch__op *op) {
    cg *g = arg;
    const char *const *sizes;
    int n_sizes = op->code == CH_OP_alloc ? ch__alloc_symbols(g->a, ch__op_attr(op, CH__ATTR_symbols), &sizes) : 0;
    for (int i = 0; i < n_sizes; i++) ch__strmap_put(&g->user, sizes[i], g);
    for (int i = 0; i < op->n_results; i++) see_value(g, &op->results[i]);
    for (int k = 0; k < op->n_regions; k++)
        for (int i = 0; i < op->regions[k]->n_params; i++) see_value(g, op->regions[k]->params[i]);
}

void ch__cg_function_names(cg *g) {
    static const char letters[] = "ijklpqrsuvwx";
    for (int i = 0; i < g->f->body->n_params; i++) see_value(g, g->f->body->params[i]);
    for (int64_t i = 0; i < g->f->dims.n; i++) ch__strmap_put(&g->user, g->f->dims.data[i].name, g);
    for (int i = 0; i < g->f->body->n_results; i++)
        if (g->f->result_names && g->f->result_names[i]) ch__strmap_put(&g->user, g->f->result_names[i], g);
    ch__walk(g->f->body, see_op, g);
    for (int i = 0; g->fn->face && i < g->fn->face->n_names; i++)
        ch__strmap_put(&g->user, g->fn->face->names[i], g); // p of p->x is hidden by no loop
    int n = 0;
    for (int round = 0; n < 64; round++)
        for (int i = 0; letters[i] && n < 64; i++) {
            const char *name = round == 0 ? ch__arena_printf(g->a, "%c", letters[i])
                                          : ch__arena_printf(g->a, "%c%d", letters[i], round);
            if (ch__strmap_get(&g->user, name) || ch__strmap_get(&g->file->libm, name)) continue; // j1 is one of libm's
            g->loop_names[n++] = name;
            ch__strmap_put(&g->user, name, g); // so that no value made up later is called so
        }
}
