// SPDX-License-Identifier: Apache-2.0
// test_ops.c - the matrix of every op: the interpreter against expected values made outside (gen_vectors.py).
//
// usage: test_ops [--list] FOLDER [OP[/DTYPE]]
//
// Each case is a func in IR text, its inputs and its results. It runs four ways: as it stands; with its inputs donated,
// so that results may be made in place; printed, parsed again; and after the passes of ch__optimize. The first is
// compared with the expected values under the case's tolerance, the others with the first, to the bit (NaN equals NaN).
// Inputs that are not donated must be unchanged. A difference prints op, dtype, shape, element, got, expected, ulps and
// the text.
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../precision.h"
#include "coverage.h"
#include "interp/interp.h"
#include "opt/opt.h"
#include "vectors.h"

enum { SHOWN_ELEMENTS = 4, SHOWN_CASES = 3 }; // of one op and dtype

// ---------------------------------------------------------------- one run

typedef enum { WAY_PLAIN, WAY_DONATED, WAY_PRINTED, WAY_OPTIMIZED, WAY_COUNT } way;
static const char *const way_names[] = {"as it stands", "with donated inputs", "printed and parsed",
                                        "after the passes"};

typedef struct prepared {
    const vec_case *c;
    way way;
    ch__module *module;
    ch__arena *arena;
    ch__program *program;
} prepared;

static void prepare(void *arg) {
    prepared *p = arg;
    p->module = ch__parse_module(p->c->text, p->c->text_n, "case");
    p->arena = ch__arena_create();
    if (p->way >= WAY_PRINTED) {
        ch__text t;
        ch__text_init(&t, p->arena);
        ch__print_module(&t, p->module);
        ch__module_destroy(p->module);
        p->module = ch__parse_module(t.data, (size_t)t.n, "printed");
    }
    if (p->way == WAY_OPTIMIZED) {
        for (ch_func *f = p->module->first; f; f = f->next) ch__optimize(f);
        ch__verify_module(p->module);
    }
    p->program = ch__interp_prepare(p->arena, p->module->last);
}

// A copy of an array at an address of its own, for sanitizers and alignment.
static void *copy_of(const vec_array *a) {
    size_t bytes = (size_t)a->n * ch_dtype_size(a->dtype);
    void *p = ch__alloc_aligned(bytes ? bytes : 1, 64);
    if (!p) abort();
    memcpy(p, a->data, bytes);
    return p;
}

static ch__slot slot_of(const vec_array *a, void *data) {
    ch__slot s = {.dtype = a->dtype, .rank = a->rank, .data = data};
    for (int i = 0; i < a->rank; i++) s.dims[i] = a->dims[i];
    return s;
}

// Runs the case one way; results in out (caller frees). false: a failure, already said.
static bool run_case(const vec_case *c, way w, ch__slot *out, char why[512]) {
    prepared p = {.c = c, .way = w};
    why[0] = 0;
    if (ch__protect(prepare, &p) != CH_OK) {
        snprintf(why, 512, "%s", ch_error_message());
        return false;
    }
    ch__slot in[CH__VEC_MAX];
    void *data[CH__VEC_MAX];
    for (int i = 0; i < c->n_in; i++) {
        data[i] = copy_of(&c->in[i]);
        in[i] = slot_of(&c->in[i], data[i]);
        in[i].donated = w == WAY_DONATED;
    }
    for (int i = 0; i < c->n_out; i++) out[i] = (ch__slot){0};
    bool good = ch__interp_run(p.program, NULL, c->n_in, in, c->n_out, out) == CH_OK;
    if (!good) snprintf(why, 512, "%s", ch_error_message());
    for (int i = 0; i < c->n_in; i++) {
        size_t bytes = (size_t)c->in[i].n * ch_dtype_size(c->in[i].dtype);
        if (w != WAY_DONATED && memcmp(data[i], c->in[i].data, bytes) != 0) {
            snprintf(why, 512, "input %d was changed", i);
            good = false;
        }
        bool passed_on = false; // a donated input may come back as a result
        for (int k = 0; k < c->n_out; k++) passed_on |= out[k].data == data[i];
        if (!passed_on) ch__free_aligned(data[i]);
    }
    ch__arena_destroy(p.arena);
    ch__module_destroy(p.module);
    return good;
}

static void release(const vec_case *c, ch__slot *out) {
    for (int i = 0; i < c->n_out; i++) ch__free_aligned(out[i].data);
}

// ---------------------------------------------------------------- comparing

static uint64_t bits_at(const void *data, ch_dtype d, int64_t i) {
    uint64_t b = 0;
    size_t size = ch_dtype_size(d);
    memcpy(&b, (const char *)data + (size_t)i * size, size);
    return b;
}

static double number_at(const void *data, ch_dtype d, int64_t i) {
    uint64_t b = bits_at(data, d, i);
    float f;
    double v;
    uint32_t w = (uint32_t)b;
    switch (d) {
    case CH_F64: memcpy(&v, &b, 8); return v;
    case CH_F32: memcpy(&f, &w, 4); return (double)f;
    case CH_F16: return (double)ch__f16_to_f32((uint16_t)b);
    case CH_BF16: return (double)ch__bf16_to_f32((uint16_t)b);
    case CH_F8E4M3: return (double)ch__f8e4m3_to_f32((uint8_t)b);
    case CH_F8E5M2: return (double)ch__f8e5m2_to_f32((uint8_t)b);
    case CH_I8: return (double)(int8_t)b;
    case CH_I16: return (double)(int16_t)b;
    case CH_I32: return (double)(int32_t)b;
    case CH_I64: return (double)(int64_t)b;
    default: return (double)b;
    }
}

static bool is_floating(ch_dtype d) { return ch__is_float(d) || d == CH_F8E4M3 || d == CH_F8E5M2; }

// Numbers of the format between the two; infinity is one past the largest.
static int64_t ulps_between(const void *x, const void *y, ch_dtype d, int64_t i) {
    uint64_t a = bits_at(x, d, i), b = bits_at(y, d, i), top = UINT64_C(1) << (8 * ch_dtype_size(d) - 1);
    int64_t s = a & top ? -(int64_t)(a & ~top) : (int64_t)a, t = b & top ? -(int64_t)(b & ~top) : (int64_t)b;
    uint64_t far = s > t ? (uint64_t)s - (uint64_t)t : (uint64_t)t - (uint64_t)s;
    return far > INT64_MAX ? INT64_MAX : (int64_t)far;
}

static bool agrees(const void *got, const void *want, ch_dtype d, int64_t i, tolerance tol) {
    uint64_t a = bits_at(got, d, i), b = bits_at(want, d, i);
    if (a == b) return true;
    if (tol.kind == TOL_BITS || !is_floating(d)) return false;
    double x = number_at(got, d, i), y = number_at(want, d, i);
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
    if (tol.kind == TOL_EXACT) return false;
    if (x == 0 && y == 0) return signbit(x) == signbit(y);
    return ulps_between(got, want, d, i) <= tol.ulps || fabs(x - y) <= tol.abs;
}

// Does the comparison itself tell what it should? One bit more or less under every tolerance.
static bool compares_well(void) {
    const tolerance bits = {.kind = TOL_BITS}, exact = {.kind = TOL_EXACT}, two = {.kind = TOL_ULP, .ulps = 2},
                    near = {.kind = TOL_ULP, .ulps = 2, .abs = 3e-6};
    const uint32_t one[] = {0x3f800000}, up1[] = {0x3f800001}, up2[] = {0x3f800002}, up3[] = {0x3f800003},
                   nan1[] = {0x7fc00000}, nan2[] = {0xffc00001}, inf[] = {0x7f800000}, largest[] = {0x7f7fffff},
                   plus0[] = {0}, minus0[] = {0x80000000}, tiny[] = {1}, minus_tiny[] = {0x80000001},
                   far[] = {0x3f800010};
    const struct {
        const uint32_t *x, *y;
        tolerance tol;
        bool agree;
    } rows[] = {
        {one, one, bits, true},        {one, up1, bits, false},     {nan1, nan2, bits, false},
        {plus0, minus0, bits, false},  {one, up1, exact, false},    {nan1, nan2, exact, true},
        {plus0, minus0, exact, false}, {nan1, inf, exact, false},   {one, up2, two, true},
        {up3, one, two, false},        {plus0, minus0, two, false}, {inf, largest, two, true},
        {nan1, one, two, false},       {one, nan1, near, false},    {tiny, minus_tiny, two, true},
        {one, far, two, false},        {one, far, near, true},      {tiny, plus0, two, true},
        {plus0, far, near, false},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (agrees(rows[i].x, rows[i].y, CH_F32, 0, rows[i].tol) == rows[i].agree) continue;
        printf("# the comparison of 0x%08x and 0x%08x is wrong\n", rows[i].x[0], rows[i].y[0]);
        good = false;
    }
    return good;
}

static void show_shape(const int64_t *dims, int rank) {
    printf("[");
    for (int i = 0; i < rank; i++) printf("%s%" PRId64, i ? "," : "", dims[i]);
    printf("]");
}

static void show_text(const vec_case *c) {
    printf("#   ");
    for (size_t i = 0; i < c->text_n; i++) {
        putchar(c->text[i]);
        if (c->text[i] == '\n' && i + 1 < c->text_n) printf("#   ");
    }
}

static void show_element(const vec_case *c, int r, const ch__slot *got, const void *want, int64_t i) {
    ch_dtype d = got->dtype;
    char x[CH__NUM_CHARS], y[CH__NUM_CHARS];
    ch__format_f64(x, number_at(got->data, d, i));
    ch__format_f64(y, number_at(want, d, i));
    printf("#   result %d %s element %" PRId64 ": got %s (0x%" PRIx64 "), expected %s (0x%" PRIx64 ")", r,
           ch_dtype_name(d), i, x, bits_at(got->data, d, i), y, bits_at(want, d, i));
    if (is_floating(d)) printf(", %" PRId64 " ulp", ulps_between(got->data, want, d, i));
    for (int k = 0; k < c->n_in; k++) { // elementwise: the operands of this element
        if (c->in[k].n != c->out[r].n) continue;
        ch__format_f64(x, number_at(c->in[k].data, c->in[k].dtype, i));
        printf("%s%s (0x%" PRIx64 ")", k ? ", " : "; of ", x, bits_at(c->in[k].data, c->in[k].dtype, i));
    }
    printf("\n");
}

static bool same_type(const ch__slot *got, const vec_array *want) {
    bool same = got->dtype == want->dtype && got->rank == want->rank;
    for (int k = 0; same && k < got->rank; k++) same = got->dims[k] == want->dims[k];
    return same;
}

// Does the case ask for no less than the table promises?
static bool is_promised(const vec_case *c, const vec_array *e) {
    if (e->tol.kind != TOL_ULP) return true;
    bool factor = strcmp(c->op, "cholesky") == 0 || strcmp(c->op, "triangular_solve") == 0;
    bool special = strcmp(c->op, "cmath") == 0 || strcmp(c->op, "lgamma") == 0;
    const char *kind = factor ? "factor" : special ? "special" : "function";
    return (double)e->tol.ulps <= ch_test_limit("interp", kind, ch_dtype_name(e->dtype), "ulp");
}

// Compares every result; says what differs when `show`.
static bool compare_case(const vec_case *c, way w, const ch__slot *got, const void *const *want, bool exactly,
                         bool show) {
    bool good = true;
    for (int r = 0; r < c->n_out; r++) {
        const vec_array *e = &c->out[r];
        if (!same_type(&got[r], e)) {
            if (show) {
                printf("# %s %s, %s: result %d is %s", c->op, ch_dtype_name(c->dtype), way_names[w], r,
                       ch_dtype_name(got[r].dtype));
                show_shape(got[r].dims, got[r].rank);
                printf(", expected %s", ch_dtype_name(e->dtype));
                show_shape(e->dims, e->rank);
                printf("\n");
            }
            good = false;
            continue;
        }
        tolerance tol = exactly && e->tol.kind == TOL_ULP ? (tolerance){.kind = TOL_EXACT} : e->tol;
        int shown = 0;
        if (!is_promised(c, e)) {
            if (show)
                printf("# %s %s: the case allows more ulp than docs/precision.def\n", c->op, ch_dtype_name(e->dtype));
            good = false;
        }
        for (int64_t i = 0; i < e->n; i++) {
            if (agrees(got[r].data, want[r], e->dtype, i, tol)) continue;
            if (good && show) {
                printf("# %s %s ", c->op, ch_dtype_name(c->dtype));
                show_shape(e->dims, e->rank);
                printf(" %s, %s, differs:\n", strcmp(c->name, "-") == 0 ? "" : c->name, way_names[w]);
            }
            good = false;
            if (show && shown++ < SHOWN_ELEMENTS) show_element(c, r, &got[r], want[r], i);
        }
    }
    if (!good && show) show_text(c);
    return good;
}

// ---------------------------------------------------------------- groups: one op and dtype

typedef struct group {
    char op[40];
    ch_dtype dtype;
    int cases, bad;
    int64_t worst;
} group;
static group groups[2048];
static int n_groups;

static group *group_of(const vec_case *c) {
    for (int i = n_groups - 1; i >= 0; i--) {
        if (groups[i].dtype == c->dtype && strcmp(groups[i].op, c->op) == 0) return &groups[i];
    }
    if (n_groups == (int)(sizeof groups / sizeof groups[0])) abort();
    group *g = &groups[n_groups++];
    *g = (group){.dtype = c->dtype};
    strcpy(g->op, c->op);
    return g;
}

static void note_worst(group *g, const vec_case *c, const ch__slot *got) {
    for (int r = 0; r < c->n_out; r++) {
        const vec_array *e = &c->out[r];
        if (e->tol.kind != TOL_ULP || !same_type(&got[r], e)) continue;
        for (int64_t i = 0; i < e->n; i++) {
            double x = number_at(got[r].data, e->dtype, i), y = number_at(e->data, e->dtype, i);
            if (isnan(x) || isnan(y) || (e->tol.abs > 0 && fabs(x - y) <= e->tol.abs)) continue;
            int64_t u = ulps_between(got[r].data, e->data, e->dtype, i);
            if (u > g->worst) g->worst = u;
        }
    }
}

static void test_case(const vec_case *c) {
    group *g = group_of(c);
    bool show = g->bad < SHOWN_CASES, good = true;
    char why[512];
    const void *want[CH__VEC_MAX];
    ch__slot first[CH__VEC_MAX], again[CH__VEC_MAX];
    for (int r = 0; r < c->n_out; r++) want[r] = c->out[r].data;
    g->cases++;
    for (way w = WAY_PLAIN; w < WAY_COUNT && good; w++) {
        ch__slot *out = w == WAY_PLAIN ? first : again;
        if (!run_case(c, w, out, why)) {
            if (show) printf("# %s %s, %s: %s\n", c->op, ch_dtype_name(c->dtype), way_names[w], why);
            if (show) show_text(c);
            good = false;
            if (w == WAY_PLAIN) {
                g->bad++;
                return;
            }
            break;
        }
        good = compare_case(c, w, out, want, w != WAY_PLAIN, show);
        if (w == WAY_PLAIN) {
            note_worst(g, c, out);
            for (int r = 0; r < c->n_out; r++) want[r] = first[r].data;
        } else {
            release(c, out);
        }
    }
    release(c, first);
    g->bad += !good;
}

// ---------------------------------------------------------------- files

static int by_name(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

// The names of the vector files, sorted.
static int list_files(const char *folder, char *names[64]) {
    DIR *d = opendir(folder);
    int n = 0;
    if (!d) {
        printf("Bail out! no folder %s\n", folder);
        exit(1);
    }
    for (struct dirent *e; (e = readdir(d)) && n < 64;) {
        size_t len = strlen(e->d_name);
        if (len < 8 || strcmp(e->d_name + len - 7, ".vec.gz") != 0) continue;
        names[n] = malloc(strlen(folder) + len + 2);
        if (!names[n]) abort();
        sprintf(names[n++], "%s/%s", folder, e->d_name);
    }
    closedir(d);
    qsort(names, (size_t)n, sizeof *names, by_name);
    return n;
}

static bool selected(const vec_case *c, const char *only) {
    if (!only) return true;
    size_t n = strcspn(only, "/");
    if (strlen(c->op) != n || memcmp(c->op, only, n) != 0) return false;
    return !only[n] || strcmp(only + n + 1, ch_dtype_name(c->dtype)) == 0;
}

int main(int argc, char **argv) {
    bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    argv += list;
    argc -= list;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: test_ops [--list] FOLDER [OP[/DTYPE]]\n");
        return 2;
    }
    const char *only = argc == 3 ? argv[2] : NULL;
    char *names[64];
    int n_files = list_files(argv[1], names), failed = 0, number = 1;
    static vec_case c;
    for (int i = 0; i < n_files; i++) {
        vec_file f;
        vec_open(&f, names[i]);
        while (vec_next(&f, &c)) {
            cover_note(&c);
            if (!selected(&c, only)) continue;
            if (list)
                group_of(&c)->cases++;
            else
                test_case(&c);
        }
        vec_close(&f);
        free(names[i]);
    }
    for (int i = 0; i < n_groups; i++) {
        const group *g = &groups[i];
        if (list) {
            printf("%s/%s\n", g->op, ch_dtype_name(g->dtype));
            continue;
        }
        printf("%sok %d - %s %s: %d cases", g->bad ? "not " : "", number++, g->op, ch_dtype_name(g->dtype), g->cases);
        if (g->worst) printf(", at most %" PRId64 " ulp", g->worst);
        printf(g->bad ? ", %d differ\n" : "\n", g->bad);
        failed += g->bad > 0;
    }
    if (list) return 0;
    bool compares = compares_well();
    failed += !compares;
    printf("%sok %d - comparisons tell differences\n", compares ? "" : "not ", number++);
    if (!only) number += cover_report(number, &failed);
    printf("1..%d\n", number - 1);
    return failed > 0;
}
