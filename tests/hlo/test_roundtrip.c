// SPDX-License-Identifier: Apache-2.0
// test_roundtrip.c - funcs written as StableHLO and read again: the same text, the same bits.
//
// usage: test_roundtrip OPS_VECTORS [FIRST_SEED [COUNT [FOLDER]]]; some of what is written goes to FOLDER
//
// Every case of the op matrix and random funcs, in the pretty and in the generic form: what is written reads back;
// writing that again gives the same text, byte for byte; the interpreter gives the same bits on the same inputs (NaN
// equals NaN). What is refused says one of the reasons in `reasons`, and how many are is held against a bound.
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/hlo.h"
#include "gen/gen.h"
#include "hlo/hlo.h"
#include "interp/interp.h"
#include "../ops/vectors.h"

static const char *const reasons[] = {"how many values it holds at most is not known",
                                      "its size is known only when it runs",
                                      "StableHLO has no counterpart of this function of libm", "it calls itself"};
static const char kernels_call[] = "custom_call: the target @call is not taken"; // of the matrix's composites

static bool known_reason(void) {
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(ch_error_message(), reasons[i])) return true;
    return false;
}

// ---------------------------------------------------------------- sizes of the symbols, from the inputs
enum { SIZES = 32 };
typedef struct {
    int n;
    const char *names[SIZES];
    int64_t values[SIZES];
} sizes;

static void learn(sizes *s, const ch_func *f, int i, int rank, const int64_t *dims) {
    const ch__type *t = f->body->params[i]->type;
    for (int d = 0; d < rank && d < t->rank; d++) {
        const char *name;
        if (!ch__dim_is_symbol(t->dims[d], &name)) continue;
        int k = 0;
        while (k < s->n && strcmp(s->names[k], name) != 0) k++;
        if (k == s->n && s->n < SIZES) {
            s->names[s->n] = name;
            s->values[s->n++] = dims[d];
        }
    }
}

// A symbol that is no dim alone anywhere cannot be learned: such funcs are not looked at.
static bool all_known(const sizes *s, const ch_func *f) {
    for (int i = 0; ch_func_size_name(f, i); i++) {
        int k = 0;
        while (k < s->n && strcmp(s->names[k], ch_func_size_name(f, i)) != 0) k++;
        if (k == s->n) return false;
    }
    return true;
}

// ---------------------------------------------------------------- one func
static const char *spill_folder;
static int spilled;

static void spill(const char *text) {
    char path[600];
    if (!spill_folder || spilled++ % 41 != 0) return; // enough of the matrix
    snprintf(path, sizeof path, "%s/%d.mlir", spill_folder, spilled);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) abort();
}

// ---------------------------------------------------------------- the table of what each operation is written as
static const struct {
    ch__opcode code;
    const char *names;
} table[] = {
#define EMIT(code, names, what) {CH_OP_##code, " " names " "},
#include "hlo/emit_ops.def"
};

typedef struct {
    const char *name; // of the text
    bool found;
} allowed;

static void allows(void *arg, ch__op *op) {
    allowed *a = arg;
    bool listed = false;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char word[80];
        if (table[i].code != (ch__opcode)op->code) continue;
        listed = true;
        snprintf(word, sizeof word, " %s ", strncmp(a->name, "stablehlo.", 10) == 0 ? a->name + 10 : a->name);
        a->found = a->found || strstr(table[i].names, word) != NULL;
    }
    const ch__hlo_row *row;
    for (int i = 0; !listed && (row = ch__hlo_row_at(i)) != NULL; i++)
        if (row->code == (ch__opcode)op->code && strcmp(row->name, a->name) == 0) a->found = true;
}

// Every operation of a pretty text, up to the private funcs of operations, stands in the row of an operation of f's
// module.
static bool in_the_table(const ch_func *f, const char *text, char why[4000]) {
    const char *end = strstr(text, "private @chaac."), *s = text;
    char names[64][60];
    int n = 0;
    if (!end) end = text + strlen(text);
    while (s < end) {
        size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.");
        char word[60];
        bool op = (len > 10 && strncmp(s, "stablehlo.", 10) == 0 && s[-1] != '#') ||
                  (len > 5 && strncmp(s, "chlo.", 5) == 0) || (len == 9 && strncmp(s, "func.call", 9) == 0);
        if (op && len < sizeof word) {
            snprintf(word, sizeof word, "%.*s", (int)len, s);
            int k = 0;
            while (k < n && strcmp(names[k], word) != 0) k++;
            if (k == n && n < 64) strcpy(names[n++], word);
        }
        s += len ? len : 1;
    }
    for (int k = 0; k < n; k++) {
        allowed a = {names[k], strcmp(names[k], "stablehlo.return") == 0};
        for (ch_func *g = f->module->first; g && !a.found; g = g->next) ch__walk(g->body, allows, &a);
        if (a.found) continue;
        snprintf(why, 4000, "%.50s is in no row of emit_ops.def of an operation of the func\n%.2000s", names[k], text);
        return false;
    }
    return true;
}

typedef enum { SAME, REFUSED, UNKNOWN_SIZE, BROKEN } outcome;

static bool interp(const ch_func *f, int n_in, const ch__array *in, int n_out, ch__slot *out) {
    ch__slot slots[32];
    if (n_in > 32) return false;
    for (int i = 0; i < n_in; i++) {
        slots[i] = (ch__slot){.dtype = in[i].dtype, .rank = in[i].rank, .data = in[i].data};
        for (int d = 0; d < in[i].rank; d++) slots[i].dims[d] = in[i].dims[d];
    }
    ch__arena *a = ch__arena_create();
    ch__program *p = ch__interp_prepare(a, f);
    for (int i = 0; i < n_out; i++) out[i] = (ch__slot){0};
    bool good = ch__interp_run(p, NULL, n_in, slots, n_out, out) == CH_OK;
    ch__arena_destroy(a);
    return good;
}

static bool same_slot(const ch__slot *x, const ch__slot *y) {
    ch__array a = {.dtype = x->dtype, .rank = x->rank, .dims = x->dims, .data = x->data};
    ch__array b = {.dtype = y->dtype, .rank = y->rank, .dims = y->dims, .data = y->data};
    return ch__gen_same(&a, &b);
}

static outcome look(const ch_func *f, int n_in, const ch__array *in, int generic, char why[4000]) {
    sizes s = {0};
    for (int i = 0; i < n_in; i++) learn(&s, f, i, in[i].rank, in[i].dims);
    if (!all_known(&s, f)) return UNKNOWN_SIZE;
    ch_hlo_options o = {
        .struct_size = sizeof o, .generic = generic, .n_sizes = s.n, .size_names = s.names, .size_values = s.values};
    o.composites = generic;
    ch_hlo_options again = {.struct_size = sizeof again, .generic = generic, .composites = generic};
    char *once = NULL, *twice = NULL;
    ch_func *g = NULL;
    outcome r = BROKEN;
    int n_out = ch_func_num_results(f);
    ch__slot want[32], got[32];
    if (ch_hlo_to_text(f, &o, &once) != CH_OK) {
        snprintf(why, 4000, "not written: %s", ch_error_message());
        return known_reason() ? REFUSED : BROKEN;
    }
    spill(once);
    if (!generic && !in_the_table(f, once, why)) {
        // said there
    } else if (ch_hlo_parse(once, "emitted.mlir", NULL, &g) != CH_OK) {
        if (strstr(ch_error_message(), kernels_call) != NULL) r = REFUSED; // a kernel's own code is the device's
        snprintf(why, 4000, "not read: %s\n%.3000s", ch_error_message(), once);
    } else if (ch_hlo_to_text(g, &again, &twice) != CH_OK) {
        snprintf(why, 4000, "not written again: %s\n%.3000s", ch_error_message(), once);
    } else if (strcmp(once, twice) != 0) {
        snprintf(why, 4000, "another text:\n%.1900s\nand\n%.1900s", once, twice);
    } else if (n_out > 32 || !interp(f, n_in, in, n_out, want)) {
        r = SAME; // it fails with these inputs
    } else if (!interp(g, n_in, in, n_out, got)) {
        snprintf(why, 4000, "does not run: %s\n%.3000s", ch_error_message(), once);
        for (int i = 0; i < n_out; i++) ch__free_aligned(want[i].data);
    } else {
        r = SAME;
        for (int i = 0; i < n_out; i++) {
            if (r == SAME && !same_slot(&want[i], &got[i])) {
                snprintf(why, 4000, "result %d differs\n%.3000s", i, once);
                r = BROKEN;
            }
            ch__free_aligned(want[i].data);
            ch__free_aligned(got[i].data);
        }
    }
    ch_func_destroy(g);
    ch_string_free(once);
    ch_string_free(twice);
    return r;
}

// ---------------------------------------------------------------- the op matrix
typedef struct {
    int same, refused, unknown, broken;
} counts;

static void count(counts *c, outcome r, const char *name, const char *why) {
    c->same += r == SAME;
    c->refused += r == REFUSED;
    c->unknown += r == UNKNOWN_SIZE;
    c->broken += r == BROKEN;
    if (r == BROKEN && c->broken <= 5) {
        printf("# %s: ", name);
        for (const char *s = why; *s; s++) {
            putchar(*s);
            if (*s == '\n') printf("#   ");
        }
        putchar('\n');
    }
}

typedef struct {
    const vec_case *c;
    counts *counts;
} case_job;

static void one_case(void *arg) {
    case_job *j = arg;
    ch__module *m = ch__parse_module(j->c->text, j->c->text_n, "case");
    ch__array in[CH__VEC_MAX];
    for (int i = 0; i < j->c->n_in; i++) {
        const vec_array *a = &j->c->in[i];
        size_t bytes = (size_t)a->n * ch_dtype_size(a->dtype);
        void *data = ch__arena_alloc(m->arena, bytes + 64);
        data = (void *)(((uintptr_t)data + 63) & ~(uintptr_t)63);
        memcpy(data, a->data, bytes);
        in[i] = (ch__array){.dtype = a->dtype, .rank = a->rank, .dims = a->dims, .data = data};
    }
    char why[4000], name[120];
    for (int generic = 0; generic < 2; generic++) {
        snprintf(name, sizeof name, "%s %s", j->c->op, j->c->name);
        count(j->counts, look(m->last, j->c->n_in, in, generic, why), name, why);
    }
    ch__module_destroy(m);
}

static counts matrix(const char *folder) {
    counts total = {0};
    static const char *const names[] = {"attributes",     "cmath",  "control",  "elementwise",
                                        "transcendental", "linear", "movement", "reduce"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        vec_file f;
        vec_case c;
        snprintf(path, sizeof path, "%s/%s.vec.gz", folder, names[i]);
        vec_open(&f, path);
        while (vec_next(&f, &c)) {
            case_job j = {&c, &total};
            if (ch__protect(one_case, &j) != CH_OK) {
                printf("# %s %s: %s\n", c.op, c.name, ch_error_message());
                total.broken++;
            }
        }
        vec_close(&f);
    }
    return total;
}

// ---------------------------------------------------------------- random funcs
typedef struct {
    const char *name;
    ch__gen_options o;
} family;
static const family families[] = {
    {"straight lines", {.max_ops = 30, .zero_sizes = true}},
    {"symbolic sizes", {.max_ops = 30, .symbolic = true}},
    {"branches and calls", {.max_ops = 40, .symbolic = true, .branches = true, .calls = true, .zero_sizes = true}},
    {"loops", {.max_ops = 40, .symbolic = true, .branches = true, .calls = true, .loops = true}},
    {"loops and tapes", {.max_ops = 40, .loops = true, .tapes = true}},
};
enum { FAMILIES = sizeof families / sizeof *families };

typedef struct {
    uint64_t seed;
    const family *of;
    counts *counts;
} gen_job;

static void one_random(void *arg) {
    gen_job *j = arg;
    ch_func *f = ch__gen_func(j->seed, &j->of->o);
    ch__arena *a = ch__arena_create();
    ch__array *in = ch__gen_inputs(a, j->seed, f, &j->of->o);
    char why[4000], name[80];
    snprintf(name, sizeof name, "%s, seed %" PRIu64, j->of->name, j->seed);
    outcome r = look(f, ch_func_num_params(f), in, (int)(j->seed % 2), why);
    count(j->counts, r, name, why);
    ch__arena_destroy(a);
    ch__module_destroy(f->module);
}

static int report(int n, const counts *c, const char *name, int least) {
    bool good = c->broken == 0 && c->same >= least;
    printf("# %s: %d the same, %d refused by name, %d of unknown sizes, %d broken\n", name, c->same, c->refused,
           c->unknown, c->broken);
    printf("%sok %d - %s\n", good ? "" : "not ", n, name);
    return !good;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int n = argc > 3 ? atoi(argv[3]) : 60, failed = 0;
    spill_folder = argc > 4 ? argv[4] : NULL;
    printf("1..%d\n", FAMILIES + 1);
    counts c = matrix(argv[1]);
    failed += report(1, &c, "the op matrix", 1000);
    for (int k = 0; k < FAMILIES; k++) {
        counts r = {0};
        for (int i = 0; i < n; i++) {
            gen_job j = {first + (uint64_t)i, &families[k], &r};
            if (ch__protect(one_random, &j) != CH_OK) {
                printf("# %s, seed %" PRIu64 ": %s\n", families[k].name, j.seed, ch_error_message());
                r.broken++;
            }
        }
        failed += report(2 + k, &r, families[k].name, families[k].o.tapes ? n / 2 : n / 3);
    }
    return failed != 0;
}
