// SPDX-License-Identifier: Apache-2.0
// test_programs.c - whole programs and all their derivatives as C, against the interpreter, bit for bit.
//
// usage: test_programs [--sanitize] [--keep FOLDER] [--third K] FOLDER [ONLY]
//
// --third: of the programs those of number K, K+3, K+6... (0 to 2).
// A file of FOLDER is IR whose last func is the program; comments in it say what to do:
//   // run: n=5 k=3        a call: sizes, and integer params, by name (as often as wanted)
//   // refused: n=0        a call that the interpreter refuses; C must give a failure
//   // range: 0.5 1.5      floating inputs; without it -1 to 1. A param named spd... is a symmetric positive matrix
//   // modes: vg jvp       derivatives to print (without it: all there are); none: the func alone
// Each call is made again with every allocation failing in turn.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

enum { MAX_NAMES = 16, MAX_RUNS = 12, MAX_TEXT = 1 << 16 };

typedef struct {
    int n;
    const char *names[MAX_NAMES];
    int64_t values[MAX_NAMES];
    bool refused;
    char text[160];
} setting;

typedef struct {
    char name[64];
    char *text;
    setting runs[MAX_RUNS];
    int n_runs;
    double lo, hi;
    char modes[160];
} program;

static int cases, failed, printed_modes[16];

// ---------------------------------------------------------------- modes
typedef ch_status (*derive)(const ch_func *f, ch_func **out);
static ch_status mode_vg(const ch_func *f, ch_func **out) { return ch_value_and_grad(f, NULL, out); }
static ch_status mode_grad(const ch_func *f, ch_func **out) { return ch_gradient(f, NULL, out); }
static ch_status mode_vjp(const ch_func *f, ch_func **out) { return ch_vjp(f, NULL, 1, out); }
static ch_status mode_jvp(const ch_func *f, ch_func **out) { return ch_jvp(f, NULL, 1, out); }
static ch_status mode_jac(const ch_func *f, ch_func **out) { return ch_jacobian(f, NULL, out); }
static ch_status mode_hess(const ch_func *f, ch_func **out) { return ch_hessian(f, NULL, out); }
static ch_status mode_hvp(const ch_func *f, ch_func **out) { return ch_hvp(f, NULL, out); }

// One derivative of another.
static ch_status twice(const ch_func *f, derive first, derive second, ch_func **out) {
    ch_func *g = NULL;
    ch_status s = first(f, &g);
    if (s == CH_OK) s = second(g, out);
    ch_func_destroy(g);
    return s;
}
static ch_status mode_vjp_grad(const ch_func *f, ch_func **out) { return twice(f, mode_grad, mode_vjp, out); }
static ch_status mode_vjp_vjp(const ch_func *f, ch_func **out) { return twice(f, mode_vjp, mode_vjp, out); }
static ch_status mode_vjp_jvp(const ch_func *f, ch_func **out) { return twice(f, mode_jvp, mode_vjp, out); }
static ch_status mode_jvp_jvp(const ch_func *f, ch_func **out) { return twice(f, mode_jvp, mode_jvp, out); }
static ch_status mode_jac_grad(const ch_func *f, ch_func **out) { return twice(f, mode_grad, mode_jac, out); }

static const struct {
    const char *name;
    derive fn;
    bool scalar; // needs a number as its first result
} modes[] = {
    {"vg", mode_vg, true},
    {"grad", mode_grad, true},
    {"vjp", mode_vjp, false},
    {"jvp", mode_jvp, false},
    {"jac", mode_jac, false},
    {"hess", mode_hess, true},
    {"hvp", mode_hvp, true},
    {"vjp-grad", mode_vjp_grad, true},
    {"vjp-vjp", mode_vjp_vjp, false},
    {"vjp-jvp", mode_vjp_jvp, false},
    {"jvp-jvp", mode_jvp_jvp, false},
    {"jac-grad", mode_jac_grad, true},
};
enum { N_MODES = sizeof modes / sizeof *modes };

static bool is_listed(const char *list, const char *word) {
    char padded[200], want[40];
    snprintf(padded, sizeof padded, " %s ", list);
    snprintf(want, sizeof want, " %s ", word);
    return strstr(padded, want) != NULL;
}

// ---------------------------------------------------------------- reading
static void bail(const char *what, const char *where) {
    printf("Bail out! %s: %s\n", where, what);
    exit(1);
}

static void read_setting(program *p, const char *line, size_t n, bool refused) {
    if (p->n_runs == MAX_RUNS || n >= sizeof p->runs[0].text) bail("too many calls, or too long", p->name);
    setting *s = &p->runs[p->n_runs++];
    snprintf(s->text, sizeof s->text, "%.*s", (int)n, line);
    s->refused = refused;
    char *copy = strdup(s->text), *rest = copy;
    if (!copy) abort();
    for (char *word; (word = strtok_r(rest, " ", &rest)) && s->n < MAX_NAMES;) {
        char *equals = strchr(word, '=');
        if (!equals) bail("a call lists name=value", p->name);
        *equals = 0;
        s->names[s->n] = strdup(word); // as long as the program runs
        s->values[s->n++] = strtoll(equals + 1, NULL, 10);
    }
    free(copy);
}

static void read_program(program *p, const char *folder, const char *file) {
    char path[1024];
    *p = (program){.lo = -1, .hi = 1, .text = calloc(1, MAX_TEXT)};
    snprintf(p->name, sizeof p->name, "%.*s", (int)(strlen(file) - 3), file);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "rb");
    if (!f || !p->text || fread(p->text, 1, MAX_TEXT - 1, f) == 0) bail("cannot be read", path);
    fclose(f);
    for (const char *s = p->text; *s;) {
        size_t n = strcspn(s, "\n");
        if (strncmp(s, "// run: ", 8) == 0) read_setting(p, s + 8, n - 8, false);
        if (strncmp(s, "// refused: ", 12) == 0) read_setting(p, s + 12, n - 12, true);
        if (strncmp(s, "// modes: ", 10) == 0) snprintf(p->modes, sizeof p->modes, "%.*s", (int)n - 10, s + 10);
        if (strncmp(s, "// range: ", 10) == 0 && sscanf(s + 10, "%lf %lf", &p->lo, &p->hi) != 2)
            bail("range: LO HI", p->name);
        s += n + (s[n] == '\n');
    }
    if (p->n_runs == 0) bail("no // run:", p->name);
}

// ---------------------------------------------------------------- inputs
static int64_t named(const setting *s, const char *name, int64_t otherwise) {
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->names[i], name) == 0) return s->values[i];
    return otherwise;
}

static void put_number(ch__slot *s, int64_t i, double v, int64_t whole) {
    char *at = (char *)s->data + (size_t)i * ch_dtype_size(s->dtype);
    float f = (float)v;
    int32_t w = (int32_t)whole;
    uint16_t h = s->dtype == CH_F16 ? ch__f64_to_f16(v) : ch__f64_to_bf16(v);
    switch (s->dtype) {
    case CH_F64: memcpy(at, &v, 8); return;
    case CH_F32: memcpy(at, &f, 4); return;
    case CH_F16:
    case CH_BF16: memcpy(at, &h, 2); return;
    case CH_I64:
    case CH_U64: memcpy(at, &whole, 8); return;
    case CH_I32:
    case CH_U32: memcpy(at, &w, 4); return;
    case CH_BOOL: *at = (char)(whole & 1); return;
    default: bail("no inputs of that type", ch_dtype_name(s->dtype));
    }
}

static void fill(const program *p, const setting *set, ch__slot *s, const char *name) {
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) n *= s->dims[i];
    uint64_t seed = ch__hash_str(name) >> 20;
    bool spd = strncmp(name, "spd", 3) == 0 && s->rank == 2;
    for (int64_t i = 0; i < n; i++) {
        double v = p->lo + (p->hi - p->lo) * (seed_value(seed + (uint64_t)i) + 1) / 2;
        if (spd) { // symmetric, the diagonal larger than all else in a row
            int64_t r = i / s->dims[1], c = i % s->dims[1], a = r < c ? r : c, b = r < c ? c : r;
            v = r == c ? (double)s->dims[1] + 1 : 0.5 * seed_value(seed + (uint64_t)(a * s->dims[1] + b));
        }
        int64_t whole = (int64_t)(ch__hash_u64(seed + (uint64_t)i) % 5);
        put_number(s, i, v, s->rank == 0 ? named(set, name, whole) : whole);
    }
}

static bool make_inputs(const program *p, const setting *set, const ch_func *f, ch__slot *in) {
    ch__dim_env env = {set->n, set->names, set->values};
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__value *v = f->body->params[i];
        int64_t dims[CH__MAX_RANK];
        for (int k = 0; k < v->type->rank; k++)
            if (ch__dim_eval(v->type->dims[k], &env, &dims[k]) != CH_OK) bail(ch_error_message(), p->name);
        in[i] = slot_make(v->type->dtype, v->type->rank, dims);
        fill(p, set, &in[i], v->name);
    }
    return true;
}

// ---------------------------------------------------------------- a program
static void add_calls(batch *b, const program *p, const ch_func *f, const char *mode, bool refused) {
    ch__slot in[MAX_VALUES];
    char what[256];
    if (f->body->n_params > MAX_VALUES) bail("too many params", p->name);
    for (int r = 0; r < p->n_runs; r++) {
        const setting *s = &p->runs[r];
        if (s->refused != refused) continue;
        make_inputs(p, s, f, in);
        snprintf(what, sizeof what, "%s %s %s", p->name, mode, s->text);
        int errors = b->n_errors;
        b->keep_errors = refused;
        batch_add(b, f, f->body->n_params, in, what);
        if (refused && b->n_errors == errors) {
            printf("# %s: the interpreter does not refuse it\n", what);
            b->failures++;
        }
        for (int i = 0; i < f->body->n_params; i++) ch__free_aligned(in[i].data);
    }
}

static void run_program(const program *p) {
    batch b;
    ch_func *f = NULL, *derived[N_MODES] = {NULL};
    char done[200] = "";
    if (ch_func_parse(p->text, p->name, &f) != CH_OK) bail(ch_error_message(), p->name);
    batch_begin(&b, p->name);
    b.memory = true;
    add_calls(&b, p, f, "as it is", false);
    add_calls(&b, p, f, "as it is", true);
    bool scalar = f->body->results[0]->type->rank == 0;
    for (int m = 0; m < N_MODES && strcmp(p->modes, "none") != 0; m++) {
        if (p->modes[0] ? !is_listed(p->modes, modes[m].name) : modes[m].scalar && !scalar) continue;
        if (modes[m].fn(f, &derived[m]) != CH_OK) {
            printf("# %s %s: %s [%s]\n", p->name, modes[m].name, ch_error_message(), ch_error_id());
            b.failures++;
            continue;
        }
        int before = b.n_funcs;
        add_calls(&b, p, derived[m], modes[m].name, false);
        if (b.n_funcs == before) {
            printf("# %s %s: not printed\n", p->name, modes[m].name);
            b.failures++;
            continue;
        }
        printed_modes[m]++;
        snprintf(done + strlen(done), sizeof done - strlen(done), " %s", modes[m].name);
    }
    b.failures += b.n_not_run;
    if (b.n_not_run) printf("# %s: %d calls the interpreter refuses\n", p->name, b.n_not_run);
    int bad = batch_run(&b);
    printf("%s %d - %s: %d texts, %d calls, %d with memory failing:%s\n", bad ? "not ok" : "ok", ++cases, p->name,
           b.n_funcs, b.n_samples, (int)b.n_starved, done);
    fflush(stdout);
    failed += bad > 0;
    batch_end(&b);
    for (int m = 0; m < N_MODES; m++) ch_func_destroy(derived[m]);
    ch_func_destroy(f);
}

static int is_ir(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 3 && strcmp(e->d_name + n - 3, ".ir") == 0;
}

int main(int argc, char **argv) {
    int first = 0, step = 1;
    harness_options(&argc, &argv);
    if (argc > 2 && strcmp(argv[1], "--third") == 0) {
        first = atoi(argv[2]), step = 3;
        argc -= 2, argv += 2;
    }
    if (argc < 2 || first < 0 || first > 2) {
        fprintf(stderr, "usage: test_programs [--sanitize] [--keep FOLDER] [--third K] FOLDER [ONLY]\n");
        return 2;
    }
    if (n_compilers() == 0) {
        printf("1..0 # SKIP there is no C compiler here\n");
        return 0;
    }
    struct dirent **names;
    int n = scandir(argv[1], &names, is_ir, alphasort);
    if (n <= 0) bail("no programs", argv[1]);
    for (int i = 0; i < n; i++) {
        program p;
        read_program(&p, argv[1], names[i]->d_name);
        if (argc < 3 ? i % step == first : strcmp(argv[2], p.name) == 0) run_program(&p);
        free(p.text);
        free(names[i]);
    }
    free(names);
    printf("# programs of each derivative:");
    for (int m = 0; m < N_MODES; m++) printf(" %s %d", modes[m].name, printed_modes[m]);
    printf("\n1..%d\n", cases);
    return failed > 0;
}
