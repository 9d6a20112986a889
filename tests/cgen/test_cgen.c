// SPDX-License-Identifier: Apache-2.0
// test_cgen.c - printed C has the bits of the interpreter: every op, derivatives of every op, random funcs.
//
// usage: test_cgen [--sanitize] [--keep FOLDER] ops|derivatives FOLDER-OF-VECTORS [STEP [ONLY-OP]]
//        test_cgen [--sanitize] [--keep FOLDER] random [FIRST [COUNT]]
//
// ops: the funcs of tests/ops (every STEP-th text), derivatives: their vjps; random: the families of tests/gen, and
// gradients, tangents and Hessian products of the differentiable ones. Each family of calls is one TAP case.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "harness.h"
#include "ops/vectors.h"

enum { BATCH = 120 };
static int cases, failed;

static void report(batch *b, const char *name) {
    int bad = batch_run(b);
    printf("%s %d - %s: %d funcs, %d calls", bad ? "not ok" : "ok", ++cases, name, b->n_funcs, b->n_samples);
    if (b->n_not_run) printf(", %d the interpreter refuses", b->n_not_run);
    if (b->n_refused) printf(", %d not printed", b->n_refused);
    printf("\n");
    if (b->refused[0]) printf("# not printed: %s\n", b->refused);
    fflush(stdout);
    failed += bad > 0;
    batch_end(b);
}

// ---------------------------------------------------------------- every op
typedef struct {
    const char *text;
    size_t n;
    ch__module *module;
} parse_job;

static void parse(void *arg) {
    parse_job *j = arg;
    j->module = ch__parse_module(j->text, j->n, "case");
}

static int by_name(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

static int list_files(const char *path, char *names[64]) {
    DIR *d = opendir(path);
    int n = 0;
    if (!d) {
        printf("Bail out! no folder %s\n", path);
        exit(1);
    }
    for (struct dirent *e; (e = readdir(d)) && n < 64;) {
        size_t len = strlen(e->d_name);
        if (len < 8 || strcmp(e->d_name + len - 7, ".vec.gz") != 0) continue;
        names[n] = malloc(strlen(path) + len + 2);
        if (!names[n]) abort();
        sprintf(names[n++], "%s/%s", path, e->d_name);
    }
    closedir(d);
    qsort(names, (size_t)n, sizeof *names, by_name);
    return n;
}

static ch__slot slot_of(const vec_array *a) {
    ch__slot s = slot_make(a->dtype, a->rank, a->dims);
    memcpy(s.data, a->data, (size_t)a->n * ch_dtype_size(a->dtype));
    return s;
}

// The vjp of f with its value; inputs and seeds of ones and small numbers. NULL: it has none.
static ch_func *derivative(const ch_func *f, int n_in, const ch__slot *in, const vec_case *c, ch__slot *all,
                           int *n_all) {
    ch_func *g = NULL;
    if (ch_vjp(f, NULL, 1, &g) != CH_OK) return NULL;
    *n_all = g->body->n_params;
    if (*n_all > CH__VEC_MAX * 2) return NULL;
    for (int i = 0; i < n_in; i++) all[i] = in[i];
    int r = 0;
    for (int i = n_in; i < *n_all; i++, r++) {
        while (r < c->n_out && c->out[r].dtype != g->body->params[i]->type->dtype) r++;
        all[i] = slot_make(c->out[r].dtype, c->out[r].rank, c->out[r].dims);
        size_t size = ch_dtype_size(all[i].dtype);
        for (int64_t k = 0; k < c->out[r].n; k++) {
            double v = seed_value((uint64_t)k);
            float w = (float)v;
            uint16_t h = all[i].dtype == CH_F16 ? ch__f64_to_f16(v) : ch__f64_to_bf16(v);
            memcpy((char *)all[i].data + (size_t)k * size,
                   size == 8   ? (void *)&v
                   : size == 4 ? (void *)&w
                               : (void *)&h,
                   size);
        }
    }
    return g;
}

typedef struct {
    ch__module *modules[4 * BATCH];
    ch_func *funcs[4 * BATCH];
    int n_modules, n_funcs;
} owned;

static void drop(owned *o) {
    for (int i = 0; i < o->n_funcs; i++) ch_func_destroy(o->funcs[i]);
    for (int i = 0; i < o->n_modules; i++) ch__module_destroy(o->modules[i]);
    *o = (owned){0};
}

static void ops_of_file(const char *path, int step, const char *only, bool derivatives) {
    vec_file f;
    static vec_case c;
    batch b;
    owned o = {0};
    char name[128], text[8192] = "";
    int n = 0, part = 1, taken = 0;
    const char *base = strrchr(path, '/') + 1;
    const ch_func *last = NULL;
    batch_begin(&b, derivatives ? "derivatives" : "ops");
    vec_open(&f, path);
    while (vec_next(&f, &c)) {
        if (only && strcmp(c.op, only) != 0) continue;
        bool same = strlen(text) == c.text_n && memcmp(text, c.text, c.text_n) == 0;
        if (!same) {
            if (n++ % step != 0) continue;
            if (b.n_funcs >= BATCH || taken >= 4 * BATCH - 2) {
                snprintf(name, sizeof name, "%.*s, part %d", (int)strcspn(base, "."), base, part++);
                report(&b, name);
                drop(&o);
                batch_begin(&b, derivatives ? "derivatives" : "ops");
                taken = 0;
            }
            parse_job j = {c.text, c.text_n, NULL};
            if (c.text_n >= sizeof text || ch__protect(parse, &j) != CH_OK) continue;
            memcpy(text, c.text, c.text_n);
            text[c.text_n] = 0;
            o.modules[o.n_modules++] = j.module;
            taken++;
            last = j.module->last;
        } else if (derivatives) {
            continue;
        }
        ch__slot in[2 * CH__VEC_MAX + 1];
        int n_all = c.n_in;
        for (int i = 0; i < c.n_in; i++) in[i] = slot_of(&c.in[i]);
        const ch_func *g = last;
        if (derivatives) {
            ch_func *d = derivative(last, c.n_in, in, &c, in, &n_all);
            if (d) o.funcs[o.n_funcs++] = d;
            g = d;
        }
        snprintf(name, sizeof name, "%s %s", c.op, ch_dtype_name(c.dtype));
        if (g) batch_add(&b, g, n_all, in, name);
        for (int i = 0; i < n_all; i++) ch__free_aligned(in[i].data);
    }
    vec_close(&f);
    snprintf(name, sizeof name, "%.*s, part %d", (int)strcspn(base, "."), base, part);
    report(&b, name);
    drop(&o);
}

// ---------------------------------------------------------------- random funcs
typedef struct family {
    const char *name;
    ch__gen_options o;
    bool gradient;
} family;
static const family families[] = {
    {"straight lines", {.max_ops = 30, .zero_sizes = true}, false},
    {"symbolic sizes", {.max_ops = 30, .symbolic = true, .zero_sizes = true}, false},
    {"branches and calls",
     {.max_ops = 40, .symbolic = true, .branches = true, .calls = true, .zero_sizes = true},
     false},
    {"loops and tapes",
     {.max_ops = 40, .symbolic = true, .branches = true, .calls = true, .loops = true, .tapes = true},
     false},
    {"gradients", {.max_ops = 30, .differentiable = true, .symbolic = true, .branches = true, .calls = true}, true},
    {"gradients with loops",
     {.max_ops = 30, .differentiable = true, .symbolic = true, .branches = true, .loops = true},
     true},
};

typedef struct {
    uint64_t seed;
    const family *fam;
    ch_func *f, *g;
    ch__arena *a;
    ch__array *in;
} random_job;

// What the funcs of the run are made of: in how many each op stands.
static const char *const constructs[] = {"for",  "while",  "if",  "call",   "composite", "get",    "set",
                                         "push", "gather", "dot", "reduce", "select",    "concat", "dynamic_slice"};
enum { N_CONSTRUCTS = sizeof constructs / sizeof *constructs, LEAST_DERIVATIVES = 50 };
static int met[N_CONSTRUCTS], derivatives_made, funcs_made;

static void count_constructs(const ch_func *f) {
    for (int i = 0; i < N_CONSTRUCTS; i++) met[i] += ch_func_count(f, constructs[i]) > 0;
    funcs_made++;
}

static void make_random(void *arg) {
    random_job *j = arg;
    j->f = ch__gen_func(j->seed, &j->fam->o);
    j->a = ch__arena_create();
    j->in = ch__gen_inputs(j->a, j->seed, j->f, &j->fam->o);
}

// Reverse, forward, and second derivatives in turn. false: it has none, as it should; or it failed.
static bool derive_random(random_job *j, batch *b) {
    ch_status s = j->seed % 4 == 1   ? ch_jvp(j->f, NULL, 1, &j->g)
                  : j->seed % 4 == 3 ? ch_hvp(j->f, NULL, &j->g)
                                     : ch_value_and_grad(j->f, NULL, &j->g);
    if (s == CH_OK) return true;
    if (strcmp(ch_error_id(), "not_differentiable") != 0 && strcmp(ch_error_id(), "gradient_detached") != 0) {
        printf("# seed %d: %s\n", (int)j->seed, ch_error_message());
        b->failures++;
    }
    return false;
}

// The array of param k of f: the primal's, or of tangents, which are called after their param.
static ch__slot random_input(const random_job *j, const ch_func *f, int k) {
    int n = j->f->body->n_params;
    if (k >= n) {
        const char *name = f->body->params[k]->name;
        for (int i = 0; i < n; i++) {
            size_t len = strlen(j->f->body->params[i]->name);
            if (strncmp(name, j->f->body->params[i]->name, len) != 0 || strncmp(name + len, "_dot", 4) != 0) continue;
            ch__slot s = slot_make(CH_F64, j->in[i].rank, j->in[i].dims);
            int64_t numel = 1;
            for (int d = 0; d < s.rank; d++) numel *= s.dims[d];
            for (int64_t e = 0; e < numel; e++) ((double *)s.data)[e] = seed_value((uint64_t)e + j->seed);
            return s;
        }
        printf("Bail out! %s is no tangent\n", name);
        exit(1);
    }
    ch__slot s = slot_make(j->in[k].dtype, j->in[k].rank, j->in[k].dims);
    size_t bytes = ch_dtype_size(s.dtype);
    for (int d = 0; d < s.rank; d++) bytes *= (size_t)s.dims[d];
    memcpy(s.data, j->in[k].data, bytes);
    return s;
}

static void random_family(const family *fam, uint64_t first, uint64_t count) {
    batch b;
    int n = 0;
    random_job *jobs = calloc(count, sizeof *jobs);
    if (!jobs) abort();
    batch_begin(&b, fam->name);
    for (uint64_t i = 0; i < 40 * count && (uint64_t)n < count; i++) {
        random_job *j = &jobs[n];
        *j = (random_job){.seed = first + i, .fam = fam};
        if (ch__protect(make_random, j) != CH_OK) continue;
        if (fam->o.loops && ch_func_count(j->f, "for") + ch_func_count(j->f, "while") == 0) { // those with loops only
            ch__arena_destroy(j->a);
            ch__module_destroy(j->f->module);
            continue;
        }
        n++;
        if (fam->gradient && !derive_random(j, &b)) continue;
        const ch_func *f = fam->gradient ? j->g : j->f;
        ch__slot in[MAX_VALUES];
        int n_in = f->body->n_params;
        char what[64];
        if (n_in > MAX_VALUES) continue;
        for (int k = 0; k < n_in; k++) in[k] = random_input(j, f, k);
        snprintf(what, sizeof what, "%s, seed %d", fam->name, (int)j->seed);
        if (batch_add(&b, f, n_in, in, what)) {
            count_constructs(j->f);
            derivatives_made += fam->gradient;
        }
        for (int k = 0; k < n_in; k++) ch__free_aligned(in[k].data);
    }
    report(&b, fam->name);
    for (int i = 0; i < n; i++) {
        if (jobs[i].g) ch_func_destroy(jobs[i].g);
        ch__arena_destroy(jobs[i].a);
        ch__module_destroy(jobs[i].f->module);
    }
    free(jobs);
}

static void random_run(uint64_t first, uint64_t count) {
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) random_family(&families[i], first, count);
    printf("# %d funcs, in how many there is:", funcs_made);
    for (int i = 0; i < N_CONSTRUCTS; i++) printf(" %s %d", constructs[i], met[i]);
    printf("\n");
    if (count < LEAST_DERIVATIVES / 2) return; // a few only were asked for
    bool few = derivatives_made < LEAST_DERIVATIVES;
    printf("%s %d - %d derivatives, %d at least\n", few ? "not ok" : "ok", ++cases, derivatives_made,
           LEAST_DERIVATIVES);
    failed += few;
}

int main(int argc, char **argv) {
    harness_options(&argc, &argv);
    if (argc < 2) {
        fprintf(stderr, "usage: test_cgen [--sanitize] [--keep FOLDER] ops|derivatives FOLDER [STEP [OP]] | random "
                        "[FIRST [COUNT]]\n");
        return 2;
    }
    if (n_compilers() == 0) {
        printf("1..0 # SKIP there is no C compiler here\n");
        return 0;
    }
    if (strcmp(argv[1], "random") == 0) {
        uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
                 count = argc > 3 ? strtoull(argv[3], NULL, 10) : 50;
        random_run(first, count);
    } else {
        char *names[64];
        int n = list_files(argv[2], names);
        for (int i = 0; i < n; i++) {
            ops_of_file(names[i], argc > 3 ? atoi(argv[3]) : 1, argc > 4 ? argv[4] : NULL, argv[1][0] == 'd');
            free(names[i]);
        }
    }
    printf("1..%d\n", cases);
    return failed > 0;
}
