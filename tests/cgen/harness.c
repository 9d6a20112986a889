// SPDX-License-Identifier: Apache-2.0
// harness.c - prints, compiles, loads, calls, compares (harness.h).
#include "harness.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgen/emit.h"
#include "interp/exec.h"

enum { GUARD = 64 };

bool sanitize, build_models;
const char *keep_folder;

static char folder[256];

static void *must(void *p) {
    if (!p) abort();
    return p;
}

// ---------------------------------------------------------------- compilers
static const char *const known[] = {"gcc", "clang"};
static const char *found[2];
static int n_found = -1;

static bool runs(const char *command) { return system(command) == 0; }

int n_compilers(void) {
    if (n_found >= 0) return n_found;
    n_found = 0;
    // Only gcc's sanitizers can be loaded into a program that was built without them.
    if (sanitize) printf("# sanitizers: gcc alone\n");
    for (int i = 0; i < (sanitize ? 1 : 2); i++) {
        char command[256];
        snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", known[i]);
        if (runs(command))
            found[n_found++] = known[i];
        else
            printf("# %s is not here: printed C is not compiled with it\n", known[i]);
    }
    return n_found;
}

const char *compiler_at(int i) { return found[i]; }

// ---------------------------------------------------------------- values
double seed_value(uint64_t i) {
    uint64_t h = ch__hash_u64(i + 12345);
    return (double)(int64_t)(h >> 11) / (double)(INT64_C(1) << 52) - 1.0;
}

static int64_t slot_bytes(const ch__slot *s) {
    int64_t n = (int64_t)ch_dtype_size(s->dtype);
    for (int i = 0; i < s->rank; i++) n *= s->dims[i];
    return n;
}

ch__slot slot_make(ch_dtype d, int rank, const int64_t *dims) {
    ch__slot s = {.dtype = d, .rank = rank};
    for (int i = 0; i < rank; i++) s.dims[i] = dims[i];
    int64_t n = slot_bytes(&s);
    s.data = must(ch__alloc_aligned((size_t)(n > 0 ? n : 1), 64));
    memset(s.data, 0, (size_t)(n > 0 ? n : 1));
    return s;
}

static ch__slot slot_copy(const ch__slot *from) {
    ch__slot s = slot_make(from->dtype, from->rank, from->dims);
    memcpy(s.data, from->data, (size_t)slot_bytes(from));
    return s;
}

// ---------------------------------------------------------------- taking funcs and inputs
void batch_begin(batch *b, const char *name) {
    *b = (batch){.name = name};
    (void)n_compilers();
}

typedef struct {
    const ch_func *f;
    ch__program *program;
    ch__arena *arena;
} work;

static void prepare(void *arg) {
    work *w = arg;
    w->arena = ch__arena_create();
    w->program = ch__interp_prepare(w->arena, w->f);
}

static void print_alone(void *arg) {
    work *w = arg;
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__text_init(&t, a);
    ch__print_c(&t, w->f);
    ch__arena_destroy(a);
}

static ch__shape shape_of(const void *arg, int i) {
    const ch__slot *in = (const ch__slot *)arg + i;
    return (ch__shape){in->dtype, in->rank, in->dims};
}

// The values of the func's sizes, in order.
static bool bind_sizes(const ch__program *p, const ch__slot *in, int64_t *sizes) {
    ch__run r;
    ch__frame fr;
    ch__run_init(&r, NULL);
    if (ch__frame_init(&fr, &r, p, NULL, 0) != CH_OK) return false;
    bool ok = ch__bind(&fr, shape_of, in) == CH_OK;
    for (int i = 0; i < p->n_dims && ok; i++) sizes[i] = fr.values[i];
    ch__frame_finish(&fr);
    ch__run_finish(&r);
    return ok;
}

static int func_index(batch *b, const ch_func *f, const char *what) {
    if (b->n_funcs > 0 && b->funcs[b->n_funcs - 1] == f) return b->n_funcs - 1;
    work w = {.f = f};
    if (ch__protect(print_alone, &w) != CH_OK) {
        b->n_refused++;
        if (strcmp(ch_error_id(), "unsupported") != 0) {
            printf("# %s: %s [%s]\n", what, ch_error_message(), ch_error_id());
            b->failures++;
        } else if (!strstr(b->refused, ch_error_message())) {
            snprintf(b->refused + strlen(b->refused), sizeof b->refused - strlen(b->refused), "%s; ",
                     ch_error_message());
        }
        return -1;
    }
    if (b->n_funcs == b->cap) {
        b->cap = b->cap ? 2 * b->cap : 64;
        b->funcs = must(realloc(b->funcs, (size_t)b->cap * sizeof *b->funcs));
        b->what = must(realloc(b->what, (size_t)b->cap * sizeof *b->what));
    }
    char *name = must(malloc(16)); // names of one file
    snprintf(name, 16, "f%d", b->n_funcs);
    ((ch_func *)(uintptr_t)f)->name = name;
    b->funcs[b->n_funcs] = f;
    b->what[b->n_funcs] = must(strdup(what));
    return b->n_funcs++;
}

bool batch_add(batch *b, const ch_func *f, int n_in, const ch__slot *in, const char *what) {
    work w = {.f = f};
    if (n_in > MAX_VALUES || f->body->n_results > MAX_VALUES || f->dims.n > 64) return false;
    if (ch__protect(prepare, &w) != CH_OK) return false;
    sample *s = must(calloc(1, sizeof *s));
    s->n_in = n_in;
    s->n_out = f->body->n_results;
    for (int i = 0; i < n_in; i++) s->in[i] = slot_copy(&in[i]);
    bool ok = ch__interp_run(w.program, NULL, n_in, s->in, s->n_out, s->out) == CH_OK;
    if (!ok && b->keep_errors) {
        s->refused = ok = true;
        s->n_out = 0;
        b->n_errors++;
    } else if (!ok) {
        b->n_not_run++; // an index out of range and the like: C has no meaning there
    }
    ok = ok && (bind_sizes(w.program, s->in, s->sizes) || s->refused);
    ch__arena_destroy(w.arena);
    s->func = ok ? func_index(b, f, what) : -1;
    if (s->func < 0) {
        for (int i = 0; i < n_in; i++) ch__free_aligned(s->in[i].data);
        for (int i = 0; i < s->n_out; i++) ch__free_aligned(s->out[i].data);
        free(s);
        return false;
    }
    s->next = b->samples;
    b->samples = s;
    b->n_samples++;
    return true;
}

// ---------------------------------------------------------------- printing and compiling
typedef struct {
    batch *b;
    FILE *file;
} print_job;

static int tied_param(const ch_func *f, int result) {
    for (int i = 0; f->inout && i < f->body->n_params; i++)
        if (f->inout[i] == result) return i;
    return -1;
}

// int call_7(const int64_t *n, void *const *in, void *const *out)
static void put_caller(FILE *file, const ch_func *f, int k, const ch__c_function *c) {
    int n = 0;
    fprintf(file, "int call_%d(const int64_t *n, void *const *in, void *const *out);\n", k);
    fprintf(file, "int call_%d(const int64_t *n, void *const *in, void *const *out)\n{\n", k);
    fprintf(file, "    (void)n, (void)in, (void)out;\n    ");
    if (c->by_value) fprintf(file, "*(%s *)out[0] = ", ch__cg_ctype(f->body->results[0]->type->dtype));
    if (c->fails) fprintf(file, "return ");
    fprintf(file, "%s(", c->name);
    for (int i = 0; i < f->dims.n; i++) fprintf(file, "%sn[%d]", n++ ? ", " : "", i);
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__type *t = f->body->params[i]->type;
        bool tied = f->inout && f->inout[i] >= 0;
        if (tied)
            fprintf(file, "%sout[%d]", n++ ? ", " : "", (int)f->inout[i]);
        else if (t->rank == 0)
            fprintf(file, "%s*(const %s *)in[%d]", n++ ? ", " : "", ch__cg_ctype(t->dtype), i);
        else
            fprintf(file, "%sin[%d]", n++ ? ", " : "", i);
    }
    for (int i = 0; i < f->body->n_results && !c->by_value; i++)
        if (tied_param(f, i) < 0) fprintf(file, "%sout[%d]", n++ ? ", " : "", i);
    fprintf(file, ");\n");
    if (!c->fails) fprintf(file, "    return 0;\n");
    fprintf(file, "}\n\n");
}

// malloc and its like as seen by printed C: counts what is alive, fails at the allocation it is told.
static const char starving[] = "#include <stdlib.h>\n"
                               "#undef malloc\n#undef realloc\n#undef free\n"
                               "void *malloc(size_t n);\nvoid *realloc(void *p, size_t n);\nvoid free(void *p);\n"
                               "int64_t memory_left = -1, memory_alive, memory_asked;\n"
                               "static bool none_left(void)\n{\n"
                               "    memory_asked++;\n"
                               "    return memory_left >= 0 && memory_left-- == 0;\n}\n"
                               "void *test_malloc(size_t n)\n{\n"
                               "    void *p = none_left() ? NULL : malloc(n);\n"
                               "    memory_alive += p != NULL;\n    return p;\n}\n"
                               "void *test_realloc(void *old, size_t n)\n{\n"
                               "    void *p = none_left() ? NULL : realloc(old, n);\n"
                               "    memory_alive += p != NULL && old == NULL;\n    return p;\n}\n"
                               "void test_free(void *p)\n{\n    memory_alive -= p != NULL;\n    free(p);\n}\n\n";

static void print_all(void *arg) {
    print_job *j = arg;
    batch *b = j->b;
    ch__arena *a = ch__arena_create();
    ch__c_function *out = CH_NEW_ARRAY(a, ch__c_function, b->n_funcs);
    ch__text t;
    ch__text_init(&t, a);
    ch__print_c_all(&t, b->n_funcs, b->funcs, out);
    fwrite(t.data, 1, (size_t)t.n, j->file);
    fprintf(j->file, "\n#include <stdbool.h>\n#include <stdint.h>\n");
    if (b->memory) fputs(starving, j->file);
    for (int k = 0; k < b->n_funcs; k++) put_caller(j->file, b->funcs[k], k, &out[k]);
    ch__arena_destroy(a);
}

static bool make_folder(void) {
    if (folder[0]) return true;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/chaac-cgen-XXXXXX", tmp && strlen(tmp) < 200 ? tmp : "/tmp");
    return mkdtemp(folder) != NULL;
}

static bool compile(const batch *b, const char *compiler, const char *source, const char *library) {
    char command[2048];
    snprintf(command, sizeof command,
             "%s %s %s %s -g0 -fPIC -shared -Wall -Wextra -Wpedantic -Wshadow -Werror -o '%s' '%s' -lm >'%s.log' 2>&1",
             compiler, ch__repro_flags(), sanitize ? "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all" : "",
             b->memory ? "-Dmalloc=test_malloc -Drealloc=test_realloc -Dfree=test_free" : "", library, source, library);
    if (runs(command)) return true;
    char line[512], log[512];
    snprintf(log, sizeof log, "%s.log", library);
    FILE *f = fopen(log, "r");
    printf("# %s\n", command);
    for (int i = 0; f && i < 30 && fgets(line, sizeof line, f); i++) printf("# %s", line);
    if (f) fclose(f);
    return false;
}

// ---------------------------------------------------------------- calling and comparing
static bool is_nan_at(const void *p, ch_dtype d, int64_t i) {
    const char *at = (const char *)p + (size_t)i * ch_dtype_size(d);
    float f;
    double v;
    uint16_t h;
    uint8_t b;
    switch (d) {
    case CH_F32: memcpy(&f, at, sizeof f); return isnan(f);
    case CH_F64: memcpy(&v, at, sizeof v); return isnan(v);
    case CH_F16: memcpy(&h, at, sizeof h); return isnan(ch__f16_to_f32(h));
    case CH_BF16: memcpy(&h, at, sizeof h); return isnan(ch__bf16_to_f32(h));
    case CH_F8E4M3: memcpy(&b, at, 1); return isnan(ch__f8e4m3_to_f32(b));
    case CH_F8E5M2: memcpy(&b, at, 1); return isnan(ch__f8e5m2_to_f32(b));
    default: return false;
    }
}

static void show(const char *label, const void *p, ch_dtype d, int64_t i) {
    uint64_t bits = 0;
    size_t n = ch_dtype_size(d);
    memcpy(&bits, (const char *)p + (size_t)i * n, n);
    printf(" %s 0x%0*" PRIx64, label, (int)(2 * n), bits);
    double v;
    float f;
    memcpy(&v, &bits, sizeof v);
    memcpy(&f, &bits, sizeof f);
    if (d == CH_F64) printf(" (%.17g)", v);
    if (d == CH_F32) printf(" (%.9g)", (double)f);
}

static bool compare(const sample *s, void *const *got, const char *who, const char *what) {
    for (int r = 0; r < s->n_out; r++) {
        const ch__slot *o = &s->out[r];
        int64_t size = (int64_t)ch_dtype_size(o->dtype), n = slot_bytes(o) / size;
        for (int64_t i = 0; i < n; i++) {
            if (memcmp((char *)got[r] + i * size, (char *)o->data + i * size, (size_t)size) == 0) continue;
            if (is_nan_at(got[r], o->dtype, i) && is_nan_at(o->data, o->dtype, i)) continue;
            printf("# %s, %s: result %d element %" PRId64 ":", what, who, r, i);
            show("C", got[r], o->dtype, i);
            show("interpreter", o->data, o->dtype, i);
            printf("\n");
            return false;
        }
        for (int k = 0; k < GUARD; k++) {
            if (((unsigned char *)got[r])[n * size + k] == 0xa5) continue;
            printf("# %s, %s: bytes behind result %d were written\n", what, who, r);
            return false;
        }
    }
    return true;
}

typedef int (*caller)(const int64_t *, void *const *, void *const *);

// Results that are updated in place begin as their param; the others as bytes that mean nothing.
static void reset_results(const batch *b, const sample *s, void *const *out) {
    for (int r = 0; r < s->n_out; r++) {
        int64_t n = slot_bytes(&s->out[r]);
        int tied = tied_param(b->funcs[s->func], r);
        memset(out[r], 0xa5, (size_t)n + GUARD);
        if (tied >= 0) memcpy(out[r], s->in[tied].data, (size_t)n);
    }
}

// The same call with the first, second, ... allocation failing: gives 1, leaves nothing behind.
static bool starve(batch *b, const sample *s, void *lib, caller fn, void *const *in, void *const *out) {
    int64_t *left = dlsym(lib, "memory_left"), *alive = dlsym(lib, "memory_alive"), *asked = dlsym(lib, "memory_asked"),
            n;
    if (!left || !alive || !asked) return false;
    if (*alive != 0) {
        printf("# %s: %d blocks are not freed\n", b->what[s->func], (int)*alive);
        return false;
    }
    n = *asked;
    for (int64_t k = 0; k < n; k += k < 100 ? 1 : n / 100 + 1) {
        reset_results(b, s, out);
        *left = k;
        int status = fn(s->sizes, in, out);
        *left = -1;
        b->n_starved++;
        if (status == 1 && *alive == 0) continue;
        printf("# %s: allocation %d of %d fails: gives %d, %d blocks are not freed\n", b->what[s->func], (int)k, (int)n,
               status, (int)*alive);
        return false;
    }
    return true;
}

static bool call(batch *b, const sample *s, void *lib, const char *who) {
    char name[32];
    snprintf(name, sizeof name, "call_%d", s->func);
    void *symbol = dlsym(lib, name);
    caller fn;
    if (!symbol) return false;
    memcpy(&fn, &symbol, sizeof fn);
    void *in[MAX_VALUES], *out[MAX_VALUES];
    for (int i = 0; i < s->n_in; i++) { // at addresses of their own, so that sanitizers see the ends
        int64_t n = slot_bytes(&s->in[i]);
        in[i] = must(malloc((size_t)(n > 0 ? n : 1)));
        memcpy(in[i], s->in[i].data, (size_t)n);
    }
    int n_out = s->refused ? b->funcs[s->func]->body->n_results : s->n_out;
    for (int r = 0; r < n_out; r++)
        out[r] = must(calloc(1, (s->refused ? 4096 : (size_t)slot_bytes(&s->out[r])) + GUARD));
    reset_results(b, s, out);
    int64_t *asked = b->memory ? dlsym(lib, "memory_asked") : NULL;
    if (asked) *asked = 0;
    int status = fn(s->sizes, in, out);
    bool good = s->refused ? status != 0 : status == 0 && compare(s, out, who, b->what[s->func]);
    if (s->refused && status == 0) printf("# %s, %s: the interpreter refuses it, C does not\n", b->what[s->func], who);
    if (!s->refused && status != 0) printf("# %s, %s: gives %d\n", b->what[s->func], who, status);
    if (good && b->memory && !s->refused) good = starve(b, s, lib, fn, in, out);
    for (int i = 0; i < s->n_in; i++) {
        if (memcmp(in[i], s->in[i].data, (size_t)slot_bytes(&s->in[i])) != 0) {
            printf("# %s, %s: input %d was written\n", b->what[s->func], who, i);
            good = false;
        }
        free(in[i]);
    }
    for (int r = 0; r < n_out; r++) free(out[r]);
    return good;
}

// ---------------------------------------------------------------- built models
// The table that every built file holds (src/cgen/build.c).
typedef struct model {
    int version, n_in, n_out;
    const char *name;
    const void *in, *out;
    int64_t arena_bytes;
    int (*run)(void *arena, void *const *in, void *const *out);
} model;

static bool write_all(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    bool good = f && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && good;
}

// Model k of the folder, for the sizes of the sample: m<k>.c and m<k>.h. 0: made, 1: the sizes are refused, -1: failed.
static int build_one(batch *b, const sample *s, int k, int *heaps) {
    const ch_func *f = b->funcs[s->func];
    char name[16], path[320], *source, *header;
    const char *names[64];
    snprintf(name, sizeof name, "m%d", k);
    for (int i = 0; i < f->dims.n; i++) names[i] = f->dims.data[i].name;
    ch_build_options o = {sizeof o, name, (int)f->dims.n, names, s->sizes, 0, NULL, NULL, 0};
    ch_status st = ch_func_build(f, &o, &source, &header);
    if (st != CH_OK && strstr(ch_error_message(), "--heap=BYTES")) {
        o.heap_bytes = 1 << 26;
        ++*heaps;
        st = ch_func_build(f, &o, &source, &header);
    }
    if (st != CH_OK) {
        if (s->refused || strcmp(ch_error_id(), "unsupported") == 0) return 1;
        printf("# %s: %s [%s]\n", b->what[s->func], ch_error_message(), ch_error_id());
        return -1;
    }
    snprintf(path, sizeof path, "%s/m%d.c", folder, k);
    bool good = write_all(path, source);
    snprintf(path, sizeof path, "%s/m%d.h", folder, k);
    good = write_all(path, header) && good;
    ch_string_free(source);
    ch_string_free(header);
    return good ? 0 : -1;
}

static bool call_model(batch *b, const sample *s, void *lib, int k, const char *who) {
    char name[32];
    snprintf(name, sizeof name, "m%d_model", k);
    const model *m = dlsym(lib, name);
    if (!m || m->version != 1 || m->n_in != s->n_in) return false;
    if (s->refused) return true; // what it gives is not known before it runs
    void *in[MAX_VALUES], *out[MAX_VALUES];
    for (int i = 0; i < s->n_in; i++) {
        int64_t n = slot_bytes(&s->in[i]);
        in[i] = must(malloc((size_t)(n > 0 ? n : 1)));
        memcpy(in[i], s->in[i].data, (size_t)n);
    }
    for (int r = 0; r < s->n_out; r++) out[r] = must(calloc(1, (size_t)slot_bytes(&s->out[r]) + GUARD));
    reset_results(b, s, out);
    int8_t *arena = must(malloc((size_t)m->arena_bytes + GUARD));
    bool good = true;
    for (int turn = 0; turn < 2 && good; turn++) { // poisoned, and as the run before left it
        int64_t poisoned = m->arena_bytes < 1 << 20 ? m->arena_bytes : 1 << 20;
        if (turn == 0) memset(arena, 0xa5, (size_t)poisoned);
        if (turn == 0) memset(arena + m->arena_bytes, 0xa5, GUARD);
        for (int i = 0; i < s->n_in; i++) memcpy(in[i], s->in[i].data, (size_t)slot_bytes(&s->in[i]));
        reset_results(b, s, out);
        void *args[MAX_VALUES]; // of a tied param, where its result is
        for (int i = 0; i < s->n_in; i++) args[i] = in[i];
        const ch_func *f = b->funcs[s->func];
        for (int i = 0; i < s->n_in; i++)
            if (f->inout && f->inout[i] >= 0) args[i] = out[f->inout[i]];
        int status = m->run(arena, args, out);
        if (status != 0) printf("# %s, %s: the model gives %d\n", b->what[s->func], who, status);
        good = status == 0 && compare(s, out, who, b->what[s->func]);
        for (int i = 0; i < GUARD; i++) good = good && arena[m->arena_bytes + i] == (int8_t)0xa5;
    }
    for (int i = 0; i < s->n_in; i++) {
        good = good && memcmp(in[i], s->in[i].data, (size_t)slot_bytes(&s->in[i])) == 0;
        free(in[i]);
    }
    for (int r = 0; r < s->n_out; r++) free(out[r]);
    free(arena);
    if (!good) printf("# %s, %s: model %d differs\n", b->what[s->func], who, k);
    return good;
}

// Nothing of an operating system is called for.
static bool asks_for_nothing(const char *library) {
    char command[800];
    snprintf(command, sizeof command,
             "nm -u '%s' | "
             "grep -E ' (malloc|calloc|realloc|free|abort|exit|f?printf|puts|pthread_.*|__assert_fail)(@|$)'",
             library);
    return !runs(command);
}

static int run_models(batch *b) {
    int n = 0, heaps = 0, refused = 0;
    char command[900], library[300];
    enum { MOST = 400 };
    const sample *of[MOST];
    for (const sample *s = b->samples; s && n < MOST; s = s->next) {
        if (s->next && s->next->func == s->func) continue; // one call a func
        int made = build_one(b, s, n, &heaps);
        if (made == 0) of[n++] = s;
        b->failures += made < 0;
        refused += made > 0;
    }
    printf("# models: %d, %d with a heap that was given, %d refused\n", n, heaps, refused);
    for (int c = 0; c < n_compilers() && n > 0; c++) {
        snprintf(library, sizeof library, "%s/models-%s.so", folder, compiler_at(c));
        snprintf(
            command, sizeof command,
            "cd '%s' && %s %s %s -ffreestanding -g0 -fPIC -shared -Wall -Wextra -Wpedantic -Wshadow -Werror -o '%s' "
            "m*.c -lm >log 2>&1 || { head -30 log | sed 's/^/# /'; exit 1; }",
            folder, compiler_at(c), ch__repro_flags(),
            sanitize ? "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all" : "-O1", library);
        void *lib = runs(command) ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (!lib || (!sanitize && !asks_for_nothing(library))) {
            printf("# models do not compile alone (%s)\n", compiler_at(c));
            b->failures++;
            continue;
        }
        int bad = 0;
        for (int k = 0; k < n; k++)
            if (bad < 12 && !call_model(b, of[k], lib, k, compiler_at(c))) bad++;
        b->failures += bad;
        dlclose(lib);
    }
    if (keep_folder)
        snprintf(command, sizeof command, "mkdir -p '%s' && mv '%s'/m* '%s'", keep_folder, folder, keep_folder);
    if (keep_folder && !runs(command)) printf("# not kept\n");
    snprintf(command, sizeof command, "rm -f '%s'/*", folder);
    return runs(command) ? b->failures : b->failures + 1;
}

int batch_run(batch *b) {
    if (b->n_funcs == 0 || !make_folder()) return b->failures;
    if (build_models) return run_models(b);
    static int number;
    char source[320], library[320];
    snprintf(source, sizeof source, "%s/%d.c", folder, ++number);
    print_job j = {b, fopen(source, "w")};
    must(j.file);
    if (ch__protect(print_all, &j) != CH_OK) {
        printf("# printing: %s\n", ch_error_message());
        fclose(j.file);
        return ++b->failures;
    }
    fclose(j.file);
    if (keep_folder) {
        char command[800];
        snprintf(command, sizeof command, "mkdir -p '%s' && cp '%s' '%s/%s-%d.c'", keep_folder, source, keep_folder,
                 b->name, number);
        if (!runs(command)) printf("# not kept\n");
    }
    for (int c = 0; c < n_compilers(); c++) {
        snprintf(library, sizeof library, "%s/%d-%s.so", folder, number, compiler_at(c));
        if (!compile(b, compiler_at(c), source, library)) {
            b->failures++;
            continue;
        }
        void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (!lib) {
            printf("# %s\n", dlerror());
            b->failures++;
            continue;
        }
        int bad = 0;
        for (const sample *s = b->samples; s; s = s->next)
            if (bad < 12 && !call(b, s, lib, compiler_at(c))) bad++;
        b->failures += bad;
        dlclose(lib);
        unlink(library);
        char log[400];
        snprintf(log, sizeof log, "%s.log", library);
        unlink(log);
    }
    unlink(source);
    return b->failures;
}

void batch_end(batch *b) {
    for (sample *s = b->samples; s;) {
        sample *next = s->next;
        for (int i = 0; i < s->n_in; i++) ch__free_aligned(s->in[i].data);
        for (int i = 0; i < s->n_out; i++) ch__free_aligned(s->out[i].data);
        free(s);
        s = next;
    }
    for (int i = 0; i < b->n_funcs; i++) {
        free((char *)(uintptr_t)b->funcs[i]->name);
        ((ch_func *)(uintptr_t)b->funcs[i])->name = "f";
        free(b->what[i]);
    }
    free(b->what);
    free(b->funcs);
    if (folder[0]) rmdir(folder), folder[0] = 0;
}

// ---------------------------------------------------------------- sanitizers
// Their run-time library has to be loaded first of all: the program starts itself again with it.
static void start_again(char **argv) {
    if (getenv("CHAAC_TEST_SANITIZED")) return;
    FILE *p = popen("gcc -print-file-name=libasan.so", "r");
    char path[512] = "";
    if (!p || !fgets(path, sizeof path, p)) path[0] = 0;
    if (p) pclose(p);
    path[strcspn(path, "\n")] = 0;
    if (!strchr(path, '/')) {
        printf("1..0 # SKIP gcc has no libasan.so here\n");
        exit(0);
    }
    setenv("LD_PRELOAD", path, 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    setenv("CHAAC_TEST_SANITIZED", "1", 1);
    execv("/proc/self/exe", argv);
    exit(1);
}

void harness_options(int *argc, char ***argv) {
    char **all = *argv;
    for (; *argc > 1 && (*argv)[1][0] == '-'; --*argc, ++*argv) {
        if (strcmp((*argv)[1], "--sanitize") == 0)
            sanitize = true;
        else if (strcmp((*argv)[1], "--build") == 0)
            build_models = true;
        else if (strcmp((*argv)[1], "--keep") == 0 && *argc > 2)
            keep_folder = (*argv)[2], --*argc, ++*argv;
        else
            break; // the program's own
    }
    if (sanitize) start_again(all);
}
