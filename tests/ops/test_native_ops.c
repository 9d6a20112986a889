// SPDX-License-Identifier: Apache-2.0
// test_native_ops.c - the matrix of every op, and its gradients, on the native engine against the interpreter.
//
// usage: test_native_ops FOLDER [all [PART PARTS]]
//
// The vectors' funcs (gen_vectors.py) are put together, dozens in one func, so that the compiler runs a few times only;
// what is compiled is called directly: no run is handed on to the interpreter unseen. The arena is poisoned before each
// run and has guards behind it. A func runs with the inputs of all its cases, so with all their sizes, and once more
// with every array one element beside an aligned place. How far results may be apart says native.def. Gradients: every
// func that has them, at moderate numbers drawn anew. Without "all" one or two funcs an op and dtype are taken.
#include "../kernels.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"
#include "diff/diff.h"
#include "interp/interp.h"
#include "native/native.h"
#include "opt/opt.h"
#include "vectors.h"

enum { BATCH = 48, SHOWN = 12, GUARD = 64 };

// ---------------------------------------------------------------- the cases
typedef struct one_func {
    vec_case first; // op, dtype, text
    vec_case *cases;
    int n, room;
    int matrix; // which group of op and dtype
    bool taken, gradient;
} one_func;

typedef struct {
    char name[64];
    int funcs, cases, bad, refused;
    int64_t worst;
} op_group;

static one_func *all;
static int n_all, room_all;
static op_group groups[2048];
static int n_groups, shown;

static int group_named(const char *op, const char *dtype) {
    char name[64];
    snprintf(name, sizeof name, "%s %s", op, dtype);
    for (int i = n_groups - 1; i >= 0; i--)
        if (strcmp(groups[i].name, name) == 0) return i;
    if (n_groups == (int)(sizeof groups / sizeof *groups)) abort();
    strcpy(groups[n_groups].name, name);
    return n_groups++;
}

static void *more(void *p, size_t bytes) {
    p = realloc(p, bytes);
    if (p == NULL) abort();
    return p;
}

static void add_case(const vec_case *c, ch__arena *a, ch__strmap *seen) {
    char *key = ch__arena_printf(a, "%s %s %.*s", c->op, ch_dtype_name(c->dtype), (int)c->text_n, c->text);
    intptr_t k = (intptr_t)ch__strmap_get(seen, key);
    if (k == 0) {
        if (n_all == room_all) all = more(all, (size_t)(room_all = 2 * room_all + 64) * sizeof *all);
        all[n_all] = (one_func){.first = *c, .matrix = group_named(c->op, ch_dtype_name(c->dtype))};
        k = ++n_all;
        ch__strmap_put(seen, key, (void *)k);
    }
    one_func *f = &all[k - 1];
    if (f->n == f->room) f->cases = more(f->cases, (size_t)(f->room = 2 * f->room + 2) * sizeof *f->cases);
    f->cases[f->n++] = *c;
}

// Of each op and dtype the func with the most cases; of the dtypes that kernels differ most by one from the middle too.
static bool is_frequent(ch_dtype d) { return d == CH_F32 || d == CH_F64 || d == CH_I32 || d == CH_BOOL; }

// Of everything the groups of one part of several.
static void take_some(bool everything, int part, int parts) {
    for (int g = part; g < n_groups; g += parts) {
        int best = -1, middle = 0, n = 0;
        for (int i = 0; i < n_all; i++) {
            if (all[i].matrix != g) continue;
            n++;
            all[i].taken = all[i].gradient = everything;
            if (best < 0 || all[i].n > all[best].n) best = i;
        }
        for (int i = 0; i < n_all && n > 0; i++)
            if (all[i].matrix == g && middle++ == n / 2 && is_frequent(all[i].first.dtype)) all[i].taken = true;
        if (best < 0) continue;
        all[best].taken = true;
        all[best].gradient = all[best].gradient || all[best].first.dtype == CH_F32 || all[best].first.dtype == CH_F64;
    }
}

// ---------------------------------------------------------------- tolerances
typedef struct {
    const char *op;
    int f32, f64;
    bool sum;
} native_row;
static const native_row native_rows[] = {
#define NATIVE_ULP(op, f32, f64) {#op, f32, f64, false},
#define NATIVE_SUM(op) {#op, 0, 0, true},
#include "native.def"
#undef NATIVE_ULP
#undef NATIVE_SUM
};

typedef struct {
    int64_t f32, f64;
    bool sum;
} allowed;

static allowed allowed_of(const vec_case *c) {
    allowed t = {0};
    const char *end = c->text + c->text_n;
    for (const char *s = c->text; s + 3 < end; s++) {
        if (memcmp(s, " = ", 3) != 0) continue;
        for (size_t i = 0; i < sizeof native_rows / sizeof *native_rows; i++) {
            const native_row *r = &native_rows[i];
            size_t n = strlen(r->op);
            if (s + 3 + n >= end || memcmp(s + 3, r->op, n) != 0 || s[3 + n] != ' ') continue;
            t.f32 += r->f32;
            t.f64 += r->f64;
            const char *line = memchr(s, '\n', (size_t)(end - s)), *kind;
            char words[512];
            snprintf(words, sizeof words, "%.*s", (int)((line ? line : end) - s), s);
            kind = strstr(words, "kind = ");
            t.sum = t.sum ||
                    (r->sum && (kind == NULL || strncmp(kind + 7, "sum", 3) == 0 || strncmp(kind + 7, "prod", 4) == 0));
        }
    }
    return t;
}

static uint64_t bits_of(const void *data, ch_dtype d, int64_t i) {
    uint64_t b = 0;
    memcpy(&b, (const char *)data + (size_t)i * ch_dtype_size(d), ch_dtype_size(d));
    return b;
}

static double number_of(const void *data, ch_dtype d, int64_t i) {
    uint64_t b = bits_of(data, d, i);
    uint32_t w = (uint32_t)b;
    float f;
    double v;
    switch (d) {
    case CH_F64: memcpy(&v, &b, 8); return v;
    case CH_F32: memcpy(&f, &w, 4); return (double)f;
    case CH_F16: return (double)ch__f16_to_f32((uint16_t)b);
    case CH_BF16: return (double)ch__bf16_to_f32((uint16_t)b);
    case CH_F8E4M3: return (double)ch__f8e4m3_to_f32((uint8_t)b);
    case CH_F8E5M2: return (double)ch__f8e5m2_to_f32((uint8_t)b);
    default: return (double)(int64_t)b;
    }
}

static int64_t ulps_apart(const void *x, const void *y, ch_dtype d, int64_t i) {
    uint64_t a = bits_of(x, d, i), b = bits_of(y, d, i), top = UINT64_C(1) << (8 * ch_dtype_size(d) - 1);
    int64_t s = a & top ? -(int64_t)(a & ~top) : (int64_t)a, t = b & top ? -(int64_t)(b & ~top) : (int64_t)b;
    uint64_t far = s > t ? (uint64_t)s - (uint64_t)t : (uint64_t)t - (uint64_t)s;
    return far > INT64_MAX ? INT64_MAX : (int64_t)far;
}

static bool has_nan(ch_dtype d) { return ch__is_float(d) || d == CH_F8E4M3 || d == CH_F8E5M2; }

// absolute: what the func gives of absolute values; terms: that a sum may have.
static bool is_near(const void *got, const void *want, const void *absolute, double terms, ch_dtype d, int64_t i,
                    allowed t, int64_t *worst) {
    if (bits_of(got, d, i) == bits_of(want, d, i)) return true;
    if (!has_nan(d)) return false;
    double x = number_of(got, d, i), y = number_of(want, d, i);
    if (t.sum && !isfinite(number_of(absolute, d, i))) return true; // no bound: another order may be too large
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
    int64_t half = t.f32 > 0 || t.sum, may = d == CH_F64 ? t.f64 : d == CH_F32 ? t.f32 : half;
    int64_t apart = x == 0 && y == 0 ? 0 : ulps_apart(got, want, d, i);
    if (x == 0 && y == 0) return t.sum; // another sign of zero
    if (!t.sum && apart > *worst) *worst = apart;
    if (apart <= may) return true;
    if (!t.sum) return false;
    double u = d == CH_F64 ? 0x1p-53 : 0x1p-24, n = (terms + 4) * u, size = fabs(number_of(absolute, d, i));
    return fabs(x - y) <= 2 * n / (1 - n) * size;
}

// ---------------------------------------------------------------- many funcs as one
typedef struct {
    int n;
    one_func *f[BATCH];
    bool gradients;
    int n_in[BATCH], n_out[BATCH]; // of each
    ch__module *modules[BATCH];    // as they are read
    ch_func *parts[BATCH];         // each alone, as the interpreter runs it; a gradient has a module of its own
    ch__program *programs[BATCH];
    ch__arena *arena;
    ch__module *module;
    ch_func *func; // all of them
    ch__program *program;
    ch__c_native c;
    ch__text text;
} batch;

static ch_func *part_of(batch *b, int k) {
    const vec_case *c = &b->f[k]->first;
    b->modules[k] = ch__parse_module(c->text, c->text_n, "case");
    ch_func *f = b->modules[k]->last, *g = f;
    if (b->gradients) {
        int *wrt, n = ch__parse_wrt(b->arena, f, NULL, &wrt);
        ch__reverse_options o = {.n_wrt = n, .wrt = wrt, .seeds = true, .lenient = true, .include_value = true};
        g = ch__reverse(f, &o);
    }
    return g;
}

static void build_batch(void *arg) {
    batch *b = arg;
    b->arena = ch__arena_create();
    b->module = ch__module_create();
    ch_func *to = ch__func_create(b->module, "batch");
    CH_VEC(ch__value *) results = {0};
    ch__builder at = ch__builder_at_end(to->body);
    for (int k = 0; k < b->n; k++) {
        b->parts[k] = part_of(b, k);
        b->programs[k] = ch__interp_prepare(b->arena, b->parts[k]);
        ch_func *f = ch__func_clone_into(b->module, b->parts[k], NULL);
        int n = (int)f->dims.n;
        b->n_in[k] = f->body->n_params;
        b->n_out[k] = f->body->n_results;
        const char **names = CH_NEW_ARRAY(b->arena, const char *, n + 1);
        ch__dim *dims = CH_NEW_ARRAY(b->arena, ch__dim, n + 1);
        for (int i = 0; i < n; i++) {
            names[i] = f->dims.data[i].name;
            dims[i] = ch__dim_symbol(b->module->arena, ch__arena_printf(b->module->arena, "%s_%d", names[i], k));
        }
        ch__value **args = CH_NEW_ARRAY(b->arena, ch__value *, b->n_in[k] + 1);
        for (int i = 0; i < b->n_in[k]; i++)
            args[i] = ch__func_add_param(to, NULL,
                                         ch__type_subst(b->module->arena, f->body->params[i]->type, n, names, dims));
        ch__attr callee = ch__attr_func(CH__ATTR_callee, f);
        ch__op *call = ch__build(&at, CH_OP_call, b->n_in[k], args, 1, &callee, 0, NULL, 0, NULL);
        for (int i = 0; i < b->n_out[k]; i++) CH_PUSH(b->arena, &results, &call->results[i]);
    }
    ch__func_set_results(to, (int)results.n, results.data, NULL);
    ch__inline(to);
    ch__verify(to);
    b->func = ch__func_clone(to);
    ch__inline_composites(b->func);
    ch__optimize(b->func);
    b->program = ch__interp_prepare(b->arena, b->func);
    ch__text_init(&b->text, b->arena);
    ch__native_source(&b->text, b->func, &b->c);
}

static void end_batch(batch *b) {
    for (int k = 0; k < b->n; k++) {
        if (b->parts[k]->module != b->modules[k]) ch__module_destroy(b->parts[k]->module);
        ch__module_destroy(b->modules[k]);
    }
    ch__module_destroy(b->func->module);
    ch__module_destroy(b->module);
    ch__arena_destroy(b->arena);
}

// ---------------------------------------------------------------- a run
typedef struct {
    ch__slot *in, *out, **want, **absolute;
    void **free; // what is freed at the end
    int n_free, room;
} run_data;

static void *keep_data(run_data *r, void *p) {
    if (r->n_free == r->room) r->free = more(r->free, (size_t)(r->room = 2 * r->room + 64) * sizeof *r->free);
    return r->free[r->n_free++] = p;
}

static void *bytes_for(run_data *r, size_t n) {
    void *p = ch__alloc_aligned(n + 2 * GUARD, 64);
    if (p == NULL) abort();
    memset(p, 0xff, n + 2 * GUARD);
    return keep_data(r, p);
}

static void put_number(void *data, ch_dtype d, int64_t i, double v) {
    switch (d) {
    case CH_F64: ((double *)data)[i] = v; break;
    case CH_F32: ((float *)data)[i] = (float)v; break;
    case CH_F16: ((uint16_t *)data)[i] = ch__f32_to_f16((float)v); break;
    case CH_BF16: ((uint16_t *)data)[i] = ch__f32_to_bf16((float)v); break;
    default: break;
    }
}

// The inputs of part k; of gradients numbers from 0.2 to 0.9, and seeds.
static void inputs_of(const batch *b, int k, int round, run_data *r, ch__slot *in) {
    const one_func *f = b->f[k];
    const vec_case *c = &f->cases[round < f->n ? round : f->n - 1];
    uint64_t seed = (uint64_t)round + 77;
    for (int i = 0; i < b->n_in[k]; i++) {
        bool seed_of_result = i >= c->n_in;
        ch__slot s = {0};
        if (!seed_of_result) {
            const vec_array *a = &c->in[i];
            s.dtype = a->dtype;
            s.rank = a->rank;
            memcpy(s.dims, a->dims, sizeof a->dims);
            s.data = bytes_for(r, ch__slot_bytes(&s));
            memcpy(s.data, a->data, (size_t)a->n * ch_dtype_size(a->dtype));
        } else {
            int n = i - c->n_in, at = 0;
            while (!ch__is_float(c->out[at].dtype) || n-- > 0) at++;
            s.dtype = c->out[at].dtype;
            s.rank = c->out[at].rank;
            memcpy(s.dims, c->out[at].dims, sizeof s.dims);
            s.data = bytes_for(r, ch__slot_bytes(&s));
        }
        int64_t count = (int64_t)(ch__slot_bytes(&s) / ch_dtype_size(s.dtype));
        for (int64_t e = 0; b->gradients && ch__is_float(s.dtype) && e < count; e++) {
            seed = ch__hash_u64(seed + (uint64_t)e + 1);
            put_number(s.data, s.dtype, e, 0.2 + 0.7 * (double)(seed % 1001) / 1000);
        }
        in[i] = s;
    }
}

static bool interpret(const batch *b, int k, const ch__slot *in, bool absolute, run_data *r, ch__slot *out) {
    ch__slot own[2 * CH__VEC_MAX];
    for (int i = 0; i < b->n_in[k]; i++) {
        own[i] = in[i];
        if (!absolute || !ch__is_float(in[i].dtype)) continue;
        size_t n = ch__slot_bytes(&in[i]), size = ch_dtype_size(in[i].dtype);
        own[i].data = bytes_for(r, n);
        memcpy(own[i].data, in[i].data, n);
        for (size_t e = size - 1; e < n; e += size) ((unsigned char *)own[i].data)[e] &= 0x7f;
    }
    for (int i = 0; i < b->n_out[k]; i++) out[i] = (ch__slot){0};
    if (ch__interp_run(b->programs[k], NULL, b->n_in[k], own, b->n_out[k], out) != CH_OK) return false;
    for (int i = 0; i < b->n_out[k]; i++) keep_data(r, out[i].data);
    return true;
}

static double terms_of(const batch *b, int k, const ch__slot *in) {
    double most = 1;
    for (int i = 0; i < b->n_in[k]; i++) {
        double n = (double)ch__slot_bytes(&in[i]) / (double)ch_dtype_size(in[i].dtype);
        if (n > most) most = n;
    }
    return most;
}

// Gradients are many ops: what is moderate is near at the scale of the result.
static bool gradient_near(const ch__slot *got, const ch__slot *want, int64_t n, int64_t *at) {
    ch_dtype d = got->dtype;
    double size = 1, u = d == CH_F64 ? 1e-12 : d == CH_F32 ? 2e-5 : 6e-2;
    for (int64_t i = 0; i < n && has_nan(d); i++) {
        double y = fabs(number_of(want->data, d, i));
        if (isfinite(y) && y > size) size = y;
    }
    for (*at = 0; *at < n; ++*at) {
        if (bits_of(got->data, d, *at) == bits_of(want->data, d, *at)) continue;
        double x = number_of(got->data, d, *at), y = number_of(want->data, d, *at);
        if (!has_nan(d) || !(x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= u * size)) return false;
    }
    return true;
}

static void complain(const batch *b, int k, const char *what) {
    const vec_case *c = &b->f[k]->first;
    if (shown++ >= SHOWN) return;
    printf("# %s %s%s: %s\n#   ", c->op, ch_dtype_name(c->dtype), b->gradients ? ", gradient" : "", what);
    for (size_t i = 0; i < c->text_n; i++) {
        putchar(c->text[i]);
        if (c->text[i] == '\n') printf("#   ");
    }
    printf("\n");
}

static void compare_part(const batch *b, int k, int round, const ch__slot *got, const ch__slot *in, run_data *r) {
    op_group *g = &groups[b->f[k]->matrix];
    ch__slot want[4 * CH__VEC_MAX], absolute[4 * CH__VEC_MAX];
    char what[300];
    allowed t = allowed_of(&b->f[k]->first);
    if (!interpret(b, k, in, false, r, want) || (t.sum && !b->gradients && !interpret(b, k, in, true, r, absolute))) {
        snprintf(what, sizeof what, "the interpreter: %s", ch_error_message());
        complain(b, k, what);
        g->bad++;
        return;
    }
    double terms = terms_of(b, k, in);
    for (int i = 0; i < b->n_out[k]; i++) {
        int64_t n = (int64_t)(ch__slot_bytes(&want[i]) / ch_dtype_size(want[i].dtype)), at = 0;
        bool good = true;
        if (b->gradients)
            good = gradient_near(&got[i], &want[i], n, &at);
        else
            for (at = 0; at < n && good; at += good)
                good = is_near(got[i].data, want[i].data, t.sum ? absolute[i].data : NULL, terms, want[i].dtype, at, t,
                               &g->worst);
        if (good) continue;
        snprintf(what, sizeof what, "case %d, result %d, element %lld: %.17g (0x%llx) instead of %.17g (0x%llx)", round,
                 i, (long long)at, number_of(got[i].data, want[i].dtype, at),
                 (unsigned long long)bits_of(got[i].data, want[i].dtype, at),
                 number_of(want[i].data, want[i].dtype, at),
                 (unsigned long long)bits_of(want[i].data, want[i].dtype, at));
        complain(b, k, what);
        g->bad++;
        return;
    }
}

// One run of the compiled code; beside: every array one element behind an aligned place.
static void run_round(batch *b, const ch__native_library *l, int round, bool beside) {
    int n_in = b->func->body->n_params, n_out = b->func->body->n_results, at_in = 0, at_out = 0;
    run_data r = {0};
    ch__slot *in = calloc((size_t)n_in + 1, sizeof *in), *out = calloc((size_t)n_out + 1, sizeof *out);
    void **ins = calloc((size_t)n_in + 1, sizeof *ins), **outs = calloc((size_t)n_out + 1, sizeof *outs);
    int64_t *sizes = calloc((size_t)b->func->dims.n + 1, sizeof *sizes);
    int64_t *bytes = calloc((size_t)b->c.n_arrays + 1, sizeof *bytes), *at = calloc((size_t)b->c.n_arrays + 1, 8);
    for (int k = 0; k < b->n; at_in += b->n_in[k], k++) inputs_of(b, k, round, &r, in + at_in);
    bool good = ch__interp_bind(b->program, n_in, in, sizes, n_out, out) == CH_OK;
    if (!good) {
        printf("# sizes: %s\n", ch_error_message());
        groups[b->f[0]->matrix].bad++;
    }
    l->bytes(sizes, bytes);
    int64_t arena_bytes = ch__c_arrange(b->c.n_arrays, b->c.arrays, bytes, 64, at);
    char *arena = bytes_for(&r, arena_bytes > 0 ? (size_t)arena_bytes : 0); // full of NaN
    for (int i = 0; i < n_in; i++) {
        size_t n = ch__slot_bytes(&in[i]), size = ch_dtype_size(in[i].dtype);
        ins[i] = in[i].data;
        if (beside) memcpy(ins[i] = (char *)bytes_for(&r, n) + size, in[i].data, n);
    }
    for (int i = 0; i < n_out; i++) {
        size_t n = ch__slot_bytes(&out[i]);
        outs[i] = out[i].data = (char *)bytes_for(&r, n) + (beside ? ch_dtype_size(out[i].dtype) : 0);
    }
    ch__fp_state fp = ch__fp_default();
    int how = good ? l->entry(sizes, ins, outs, arena, at) : 0;
    ch__fp_restore(&fp);
    for (int i = 0; arena_bytes >= 0 && i < GUARD; i++) good = good && (unsigned char)arena[arena_bytes + i] == 0xff;
    if (how != 0 || !good) {
        printf("# the code gave %d, or wrote behind its memory, in the batch of %s\n", how, b->f[0]->first.op);
        for (int k = 0; k < b->n; k++) groups[b->f[k]->matrix].bad++;
    }
    at_in = 0;
    for (int k = 0; k < b->n && how == 0; at_in += b->n_in[k], at_out += b->n_out[k], k++)
        if (round < b->f[k]->n) compare_part(b, k, round, out + at_out, in + at_in, &r);
    for (int i = 0; i < r.n_free; i++) ch__free_aligned(r.free[i]);
    free(r.free), free(in), free(out), free(ins), free(outs), free(sizes), free(bytes), free(at);
}

// A part that is refused leaves the others; which one it is halving shows.
static void run_batch(one_func **f, int n, bool gradients) {
    if (n == 0) return;
    batch b = {.n = n, .gradients = gradients};
    memcpy(b.f, f, (size_t)n * sizeof *f);
    if (ch__protect(build_batch, &b) != CH_OK) {
        if (n == 1) {
            bool by_name = strcmp(ch_error_id(), "unsupported") == 0 ||
                           (gradients && (strcmp(ch_error_id(), "not_differentiable") == 0 ||
                                          strcmp(ch_error_id(), "gradient_detached") == 0 ||
                                          strcmp(ch_error_id(), "gradient_integer") == 0));
            if (!by_name) complain(&b, 0, ch_error_message());
            groups[f[0]->matrix].bad += !by_name;
            groups[f[0]->matrix].refused += by_name && !gradients;
            return;
        }
        run_batch(f, n / 2, gradients);
        run_batch(f + n / 2, n - n / 2, gradients);
        return;
    }
    ch__arena_keep(b.arena);
    ch__arena_keep(b.module->arena);
    ch__arena_keep(b.func->module->arena);
    for (int k = 0; k < n; k++) {
        ch__arena_keep(b.parts[k]->module->arena);
        ch__arena_keep(b.modules[k]->arena);
    }
    ch__native_library l = {0};
    if (ch__native_compile("batch", b.text.data, (size_t)b.text.n, NULL, &l) != CH_OK) {
        printf("# %s\n", ch_error_message());
        groups[f[0]->matrix].bad++;
    } else if (!ch__native_give(&l, &b.c)) {
        printf("# no place for constants\n");
        groups[f[0]->matrix].bad++;
    } else {
        int rounds = 1;
        for (int k = 0; k < n && !gradients; k++) rounds = f[k]->n > rounds ? f[k]->n : rounds;
        for (int i = 0; i < rounds; i++) run_round(&b, &l, i, false);
        run_round(&b, &l, 0, true);
        for (int k = 0; k < n; k++) {
            groups[f[k]->matrix].funcs += !gradients;
            groups[f[k]->matrix].cases += gradients ? 0 : f[k]->n;
        }
        ch__native_unload(&l);
    }
    end_batch(&b);
}

static bool has_gradient(const one_func *f) {
    bool in = false, out = false;
    for (int i = 0; i < f->first.n_in; i++) in = in || ch__is_float(f->first.in[i].dtype);
    for (int i = 0; i < f->first.n_out; i++) out = out || ch__is_float(f->first.out[i].dtype);
    return in && out;
}

static void run_all(bool gradients) {
    one_func *some[BATCH];
    int n = 0;
    for (int i = 0; i < n_all; i++) {
        if (!all[i].taken || (gradients && !(all[i].gradient && has_gradient(&all[i])))) continue;
        some[n++] = &all[i];
        if (n < BATCH) continue;
        run_batch(some, n, gradients);
        n = 0;
    }
    run_batch(some, n, gradients);
}

// ---------------------------------------------------------------- files
static void read_all(const char *folder, vec_file *files, int *n_files) {
    static const char *const names[] = {"attributes", "cmath",    "control", "elementwise",
                                        "linear",     "movement", "reduce",  "transcendental"};
    ch__arena *a = ch__arena_create();
    ch__strmap seen;
    ch__strmap_init(&seen, a);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        static vec_case c;
        snprintf(path, sizeof path, "%s/%s.vec.gz", folder, names[i]);
        vec_file *f = &files[(*n_files)++];
        vec_open(f, path);
        while (vec_next(f, &c)) add_case(&c, a, &seen);
    }
    ch__arena_destroy(a);
}

static const char *vectors_folder;
static vec_file files[16];
static int n_files;

static void read_files(void *arg) {
    (void)arg;
    read_all(vectors_folder, files, &n_files);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    if (!kernels_begin(false)) return 1;
    if (ch__native_compiler() == NULL) {
        printf("1..0 # SKIP no C compiler is found: gcc or clang has to be installed\n");
        return 0;
    }
    vectors_folder = argv[1];
    if (ch__protect(read_files, NULL) != CH_OK) return 1;
    int part = argc > 4 ? atoi(argv[3]) : 0, parts = argc > 4 ? atoi(argv[4]) : 1;
    if (parts < 1 || part < 0 || part >= parts) return 2;
    take_some(argc > 2 && strcmp(argv[2], "all") == 0, part, parts);
    int failed = 0, before[2048] = {0};
    run_all(false);
    int n = 0;
    for (int i = part; i < n_groups; i += parts) {
        const op_group *g = &groups[i];
        before[i] = g->bad;
        bool none = g->funcs == 0 && g->refused == 0;
        printf("%sok %d - %s: %d funcs, %d cases, %d refused by name", g->bad || none ? "not " : "", ++n, g->name,
               g->funcs, g->cases, g->refused);
        printf(g->worst > 0 ? ", at most %lld ulp\n" : "\n", (long long)g->worst);
        failed += g->bad > 0 || none;
    }
    run_all(true);
    int bad = 0;
    for (int i = 0; i < n_groups; i++) bad += groups[i].bad - before[i];
    printf("%sok %d - gradients\n1..%d\n", bad ? "not " : "", n + 1, n + 1);
    for (int i = 0; i < n_all; i++) free(all[i].cases);
    free(all);
    for (int i = 0; i < n_files; i++) vec_close(&files[i]);
    ch_thread_end();
    return !kernels_end() || failed > 0 || bad > 0;
}
