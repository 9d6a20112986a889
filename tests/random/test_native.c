// SPDX-License-Identifier: Apache-2.0
// test_native.c - random funcs on the native engine: the interpreter's results, and its words for calls it refuses.
//
// usage: test_native [FIRST_SEED [COUNT [FAMILY]]]. One TAP case a family of options; each func is compiled by the
// machine's compiler. Sums may be taken in another order than the interpreter's: results agree to what
// docs/precision.def says of programs, integers exactly. Code is kept in a cache of its own, which is removed.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../near.h"
#include "../precision.h"
#include "chaac/chaac.h"
#include "diff/diff.h"
#include "gen/gen.h"
#include "native/native.h"

typedef struct family {
    const char *name;
    ch__gen_options o;
    bool gradient; // also its derivatives by every parameter that has some
    bool donated;  // also with results in the memory of donated inputs
} family;
static const family families[] = {
    {"on the interpreter until the code is there", // CHAAC_TIERS
     {.max_ops = 24, .differentiable = true, .symbolic = true, .zero_sizes = true, .branches = true, .loops = true},
     false,
     false},
    {"straight lines", {.max_ops = 24, .differentiable = true}, false, false},
    {"symbolic sizes, branches, calls",
     {.max_ops = 30, .differentiable = true, .symbolic = true, .branches = true, .calls = true},
     false,
     false},
    {"loops and tapes",
     {.max_ops = 30, .differentiable = true, .symbolic = true, .branches = true, .loops = true, .tapes = true},
     false,
     false},
    {"sizes that may be 0, arrays in place",
     {.max_ops = 30, .differentiable = true, .symbolic = true, .zero_sizes = true, .loops = true, .in_place = true},
     false,
     false},
    {"arrays that lie in planned memory, kernels in parts", // small ones are numbers and arrays of the code itself
     {.max_ops = 30, .differentiable = true, .symbolic = true, .large = true},
     false,
     false},
    {"large arrays of f32, sizes that may be 0",
     {.max_ops = 30, .differentiable = true, .symbolic = true, .zero_sizes = true, .large = true, .single = true},
     false,
     false},
    {"gradients of large arrays of f32",
     {.max_ops = 20, .differentiable = true, .symbolic = true, .large = true, .single = true},
     true,
     false},
    {"gradients of large arrays with branches and loops",
     {.max_ops = 20, .differentiable = true, .symbolic = true, .branches = true, .loops = true, .large = true},
     true,
     false},
    {"every dtype, any value",
     {.max_ops = 20,
      .symbolic = true,
      .zero_sizes = true,
      .branches = true,
      .loops = true,
      .calls = true,
      .tapes = true},
     false,
     false},
    {"large arrays of every dtype", {.max_ops = 20, .symbolic = true, .zero_sizes = true, .large = true}, false, false},
    {"donated inputs of large arrays, with branches, loops and arrays in place",
     {.max_ops = 20,
      .differentiable = true,
      .symbolic = true,
      .zero_sizes = true,
      .branches = true,
      .loops = true,
      .large = true,
      .in_place = true},
     false,
     true},
    {"donated inputs, gradients of large arrays of f32",
     {.max_ops = 14, .differentiable = true, .symbolic = true, .large = true, .single = true},
     true,
     true},
};
enum { FAMILIES = sizeof families / sizeof *families, TIERS = 0 };

typedef struct {
    uint64_t seed;
    const ch__gen_options *o;
    char what[600]; // what went wrong
    bool refused;   // by name: funcs that call themselves
    bool tiers;
    bool gradient, donated;
    int taken;    // results that lay in the memory of donated inputs
    int recalled; // compiled again, without being printed
} native_case;

static ch__slot slot_of(const ch__array *a) {
    ch__slot s = {.dtype = a->dtype, .rank = a->rank, .data = a->data};
    for (int i = 0; i < a->rank; i++) s.dims[i] = a->dims[i];
    return s;
}

static int64_t count_of(const ch__slot *s) {
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) n *= s->dims[i];
    return n;
}

static void see_sum(void *arg, ch__op *op) {
    double *limit = arg;
    if (op->code != CH_OP_dot && op->code != CH_OP_conv && op->code != CH_OP_reduce) return;
    ch_dtype d = op->results[0].type->dtype;
    if (ch__is_float(d) && ch_dtype_size(d) > 1)
        *limit = fmax(*limit, ch_test_limit("native", "program", ch_dtype_name(d), "size"));
}

// The first element that differs by more than it may, or -1: what its own dtype allows, or that of a sum in f, which
// may have been converted to it.
static int64_t differs(const ch_func *f, const ch__array *expected, const ch__slot *got) {
    int64_t n = count_of(got);
    if (!ch__is_float(got->dtype) || ch_dtype_size(got->dtype) == 1)
        return n > 0 && memcmp(expected->data, got->data, (size_t)n * ch_dtype_size(got->dtype)) != 0 ? 0 : -1;
    double limit = ch_test_limit("native", "program", ch_dtype_name(got->dtype), "size");
    ch__walk(f->body, see_sum, &limit);
    return near_differs(got->dtype, n, expected->data, got->data, limit);
}

static void compare_with(native_case *c, const ch_func *f, ch_exec *e, ch__arena *a, uint64_t seed) {
    int n_in = f->body->n_params, n_out = f->body->n_results;
    ch__array *in = ch__gen_inputs(a, seed, f, c->o), *expected;
    ch__slot *slots = CH_NEW_ARRAY(a, ch__slot, n_in + 1), *out = CH_NEW_ARRAY(a, ch__slot, n_out + 1);
    ch_status right = ch__gen_run(a, f, in, &expected);
    char words[400];
    snprintf(words, sizeof words, "%s", right == CH_OK ? "" : ch_error_message());
    for (int i = 0; i < n_in; i++) slots[i] = slot_of(&in[i]);
    for (int turn = 0; turn < 2 && c->what[0] == '\0'; turn++) { // the second finds plan and memory made
        ch_status s = ch__exec_run(e, NULL, n_in, slots, n_out, out);
        if (s != right) {
            snprintf(c->what, sizeof c->what, "status %d instead of %d: %s", s, right,
                     s != CH_OK ? ch_error_message() : words);
        } else if (s != CH_OK && strcmp(words, ch_error_message()) != 0) {
            snprintf(c->what, sizeof c->what, "it says: %s, the interpreter: %s", ch_error_message(), words);
        }
        for (int i = 0; s == CH_OK && i < n_out; i++) {
            int64_t at = right == CH_OK ? differs(f, &expected[i], &out[i]) : -1;
            if (at >= 0 && c->what[0] == '\0')
                snprintf(c->what, sizeof c->what, "result %d, element %lld: %.17g instead of %.17g", i, (long long)at,
                         near_item(out[i].dtype, out[i].data, at), near_item(out[i].dtype, expected[i].data, at));
            ch__free_aligned(out[i].data);
            out[i].data = NULL;
        }
    }
}

// The same with every third input kept and the others donated, as ch_exec_run_with does it.
static void compare_donated(native_case *c, const ch_func *f, ch_exec *e, ch__arena *a, uint64_t seed) {
    int n_in = f->body->n_params, n_out = f->body->n_results;
    ch__array *in = ch__gen_inputs(a, seed, f, c->o), *expected;
    ch__slot *slots = CH_NEW_ARRAY(a, ch__slot, n_in + 1), *out = CH_NEW_ARRAY(a, ch__slot, n_out + 1);
    bool *has_memory = CH_NEW_ARRAY(a, bool, n_out + 1);
    int *tied = CH_NEW_ARRAY(a, int, n_out + 1);
    ch_status right = ch__gen_run(a, f, in, &expected);
    for (int turn = 0; turn < 2 && c->what[0] == '\0'; turn++) {
        for (int i = 0; i < n_in; i++) {
            slots[i] = slot_of(&in[i]);
            slots[i].donated = (c->seed + (uint64_t)i) % 3 != 0;
            size_t bytes = ch__slot_bytes(&slots[i]);
            slots[i].data = ch__arena_dup(a, in[i].data, bytes);
        }
        for (int i = 0; i < n_out; i++) tied[i] = -1;
        e->engine->donate(e->code, slots, has_memory, tied);
        // The slots of results in memory that is given say what they are.
        if (e->engine->result_types(e->code, n_in, slots, n_out, out) != CH_OK)
            for (int i = 0; i < n_out; i++) tied[i] = -1;
        for (int i = 0; i < n_out; i++) {
            out[i].data = tied[i] >= 0 ? slots[tied[i]].data : NULL;
            c->taken += tied[i] >= 0;
        }
        ch_status s = ch__exec_run(e, NULL, n_in, slots, n_out, out);
        if ((s == CH_OK) != (right == CH_OK))
            snprintf(c->what, sizeof c->what, "donated: status %d instead of %d: %s", s, right, ch_error_message());
        for (int i = 0; s == CH_OK && i < n_out; i++) {
            int64_t at = right == CH_OK ? differs(f, &expected[i], &out[i]) : -1;
            if (at >= 0 && c->what[0] == '\0')
                snprintf(c->what, sizeof c->what, "donated: result %d, element %lld: %.17g instead of %.17g", i,
                         (long long)at, near_item(out[i].dtype, out[i].data, at),
                         near_item(out[i].dtype, expected[i].data, at));
            if (tied[i] < 0) ch__free_aligned(out[i].data);
        }
        for (int i = 0; s == CH_OK && i < n_in; i++) // what was not donated is as it was
            if (!slots[i].donated && memcmp(slots[i].data, in[i].data, ch__slot_bytes(&slots[i])) != 0)
                snprintf(c->what, sizeof c->what, "donated: input %d was not, and is changed", i);
    }
}

// With several sets of sizes, for which nothing is compiled again.
static void compare(native_case *c, const ch_func *f, ch_exec *e, ch__arena *a) {
    int64_t compiles = ch__native_compiles();
    for (uint64_t k = 0; k < (c->tiers || !c->o->symbolic ? 1 : 3) && c->what[0] == '\0'; k++)
        compare_with(c, f, e, a, c->seed + k * 1000003);
    if (!c->tiers && ch__native_compiles() != compiles) snprintf(c->what, sizeof c->what, "a run compiled something");
    for (uint64_t k = 0; k < 3 && c->donated && c->what[0] == '\0'; k++)
        compare_donated(c, f, e, a, c->seed + k * 1000003);
}

static void count_code(void *user, const char *name, int64_t bytes, int64_t used, const char *wrong) {
    (void)bytes, (void)used, (void)wrong;
    *(int *)user += strstr(name, ".code") != NULL;
}

static int kept_code(void) {
    int n = 0;
    return ch_cache_list(count_code, &n) == CH_OK ? n : 0;
}

// With tiers the code takes over at some run; all before, meanwhile and after have to agree.
static void race(native_case *c, const ch_func *f, ch_exec *e, ch__arena *a, int kept, int64_t compiles) {
    for (int i = 0; i < 30000 && c->what[0] == '\0' && kept_code() == kept; i++) {
        if (i == 500 && ch__native_compiles() == compiles) break; // the disk had it: it was code from the start
        compare(c, f, e, a);
        usleep(2000);
    }
    compare(c, f, e, a);
    usleep(20000); // from the disk to the executable
    if (c->what[0] == '\0') compare(c, f, e, a);
}

// Compiled again it is what the disk has, found by the func where it may be (src/native/recall.c).
static void again(native_case *c, const ch_func *f, ch__arena *a) {
    ch_exec *e;
    int64_t compiles = ch__native_compiles(), recalls = ch__native_recalls();
    if (ch__compile(f, "native", &e) != CH_OK) {
        snprintf(c->what, sizeof c->what, "again: %s", ch_error_message());
        return;
    }
    c->recalled += ch__native_recalls() > recalls;
    if (ch__native_compiles() != compiles) snprintf(c->what, sizeof c->what, "it is compiled again");
    compare(c, f, e, a);
    ch__exec_release(e);
}

static void compiled(native_case *c, const ch_func *f) {
    ch_exec *e;
    int kept = kept_code();
    int64_t compiles = ch__native_compiles();
    c->what[0] = '\0';
    c->refused = false;
    if (ch__compile(f, "native", &e) != CH_OK) {
        c->refused = strcmp(ch_error_id(), "unsupported") == 0;
        if (!c->refused) snprintf(c->what, sizeof c->what, "%s", ch_error_message());
        return;
    }
    ch__arena *a = ch__arena_create();
    if (c->tiers)
        race(c, f, e, a, kept, compiles);
    else
        compare(c, f, e, a);
    ch__exec_release(e);
    if (!c->tiers && c->what[0] == '\0') again(c, f, a);
    ch__arena_destroy(a);
}

// The func's value, its gradients and its other results.
static ch_func *with_gradient(const ch_func *f) {
    ch__arena *a = ch__arena_create();
    int *wrt, n = ch__parse_wrt(a, f, NULL, &wrt);
    ch_func *g = ch__reverse(f, &(ch__reverse_options){.n_wrt = n, .wrt = wrt, .include_value = true, .lenient = true});
    ch__arena_destroy(a);
    return g;
}

static void one_func(native_case *c, const ch_func *func) {
    ch_func *made = c->gradient ? with_gradient(func) : NULL;
    compiled(c, made ? made : func);
    if (made) ch__module_destroy(made->module);
}

static bool breaks(void *arg, const ch_func *f) {
    native_case *c = arg;
    one_func(c, f);
    return c->what[0] != '\0';
}

typedef struct {
    uint64_t first, count;
    int failures, refused, ran, in_memory, taken, recalled;
    const family *fam;
} family_run;

// Does code of f keep arrays between its kernels in memory that is planned?
static bool has_arrays(const ch_func *f) {
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    if (file == NULL) return false;
    bool has = ch_explain(f, file) == CH_OK;
    fclose(file);
    has = has && strstr(text, "  native: ") != NULL && strstr(text, ", 0 arrays of its own") == NULL;
    free(text);
    return has;
}

static void run_family(void *arg) {
    family_run *r = arg;
    for (uint64_t seed = r->first; seed < r->first + r->count; seed++) {
        native_case c = {.seed = seed,
                         .o = &r->fam->o,
                         .tiers = r->fam == &families[TIERS],
                         .gradient = r->fam->gradient,
                         .donated = r->fam->donated};
        ch_func *f = ch__gen_func(seed, &r->fam->o);
        one_func(&c, f);
        r->ran++;
        r->refused += c.refused;
        r->taken += c.taken;
        r->recalled += c.recalled;
        r->in_memory += r->fam->o.large && has_arrays(f);
        if (c.what[0] != '\0') {
            r->failures++;
            ch_func *small = ch__gen_shrink(f, breaks, &c);
            one_func(&c, small);
            printf("# seed %llu: %s\n", (unsigned long long)seed, c.what);
            ch__gen_keep(small, "tests/golden/found", "native", seed);
        }
        ch__module_destroy(f->module);
    }
}

static int test_family(int i, uint64_t first, uint64_t count) {
    family_run r = {.first = first, .count = count, .fam = &families[i]};
    if (ch__protect(run_family, &r) != CH_OK) {
        printf("# %s\n", ch_error_message());
        r.failures++;
    }
    printf("# %d funcs, %d refused by name, %d recalled\n", r.ran, r.refused, r.recalled);
    if (i != TIERS && r.ran - r.refused > 4 && r.recalled == 0) r.failures++;
    if (r.fam->o.large) printf("# %d with arrays in planned memory\n", r.in_memory);
    if (r.fam->o.large && r.ran > 4 && r.in_memory == 0) r.failures++;
    if (r.fam->donated) printf("# %d results in the memory of donated inputs\n", r.taken);
    if (r.fam->donated && r.ran > 4 && r.taken == 0) r.failures++;
    printf("%sok %d - %s\n", r.failures ? "not " : "", i + 1, families[i].name);
    return r.failures;
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/chaac-native-XXXXXX", command[64];
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 6;
    int failed = 0, status = 0, only = argc > 3 ? atoi(argv[3]) - 1 : -1;
    if (mkdtemp(folder) == NULL) return 1;
    setenv("CHAAC_CACHE_DIR", folder, 1);
    // The environment is read once: tiers have a process of their own.
    pid_t child = fork();
    setenv("CHAAC_TIERS", child == 0 ? "on" : "off", 1);
    if (child == 0) {
        failed = ch__native_compiler() != NULL && only <= TIERS ? test_family(TIERS, first, count) : 0;
        fflush(stdout);
        _exit(failed > 0);
    }
    failed += child < 0 || waitpid(child, &status, 0) != child || status != 0;
    if (ch__native_compiler() == NULL) {
        printf("1..0 # SKIP no C compiler is found: gcc or clang has to be installed\n");
        return rmdir(folder) != 0;
    }
    for (int i = 0; i < FAMILIES; i++)
        if (i != TIERS && (only < 0 || i == only)) failed += test_family(i, first, count);
    printf("1..%d\n", FAMILIES);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0 || failed > 0;
}
