// SPDX-License-Identifier: Apache-2.0
// test_text.c - random funcs: verified as made, printed, read and printed again to the same text; a clone is the same.
//
// usage: test_text [FIRST_SEED [COUNT]]. One TAP case a family of options.
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"

typedef struct family {
    const char *name;
    ch__gen_options o;
} family;
static const family families[] = {
    {"straight lines", {.max_ops = 30, .zero_sizes = true}},
    {"symbolic sizes", {.max_ops = 30, .symbolic = true}},
    {"branches and calls", {.max_ops = 40, .symbolic = true, .branches = true, .calls = true, .zero_sizes = true}},
    {"loops and tapes",
     {.max_ops = 40, .symbolic = true, .branches = true, .calls = true, .loops = true, .tapes = true}},
    {"differentiable", {.max_ops = 30, .differentiable = true, .symbolic = true, .branches = true, .calls = true}},
    {"differentiable loops",
     {.max_ops = 30, .differentiable = true, .symbolic = true, .branches = true, .loops = true}},
};
enum { FAMILIES = sizeof families / sizeof *families };

static bool seen[CH_OP_COUNT];
static void see(void *arg, ch__op *op) {
    (void)arg;
    seen[op->code] = true;
}

static char *text_of(const ch_func *f) {
    char *s = NULL;
    if (ch_func_to_text(f, &s) != CH_OK) abort();
    return s;
}

// Does print, read, print give another text?
static bool breaks(void *arg, const ch_func *f) {
    (void)arg;
    char *once = text_of(f), *twice = NULL;
    ch_func *again = NULL;
    bool same = ch_func_parse(once, "printed", &again) == CH_OK;
    if (same) {
        twice = text_of(again);
        same = strcmp(once, twice) == 0;
        ch_func_destroy(again);
    }
    ch_string_free(once);
    ch_string_free(twice);
    return !same;
}

typedef struct job {
    uint64_t seed;
    const ch__gen_options *o;
    bool ok, copied;
} job;

static void one(void *arg) {
    job *j = arg;
    ch_func *f = ch__gen_func(j->seed, j->o);
    for (ch_func *g = f->module->first; g; g = g->next) ch__walk(g->body, see, NULL);
    ch__arena *a = ch__arena_create();
    ch__gen_inputs(a, j->seed, f, j->o);
    j->ok = !breaks(NULL, f);
    if (!j->ok) printf("# %s\n", ch_error_message());
    if (!j->ok) ch__gen_keep(ch__gen_shrink(f, breaks, NULL), "tests/golden/found", "text", j->seed);
    ch_func *copy = ch__func_clone(f);
    ch__verify_module(copy->module);
    ch__text x, y; // of the func alone: a clone may order the funcs it calls in another way
    ch__text_init(&x, a);
    ch__text_init(&y, a);
    ch__print_func(&x, f);
    ch__print_func(&y, copy);
    j->copied = strcmp(x.data, y.data) == 0 && ch_func_num_ops(f) == ch_func_num_ops(copy);
    if (!j->copied) printf("# seed %" PRIu64 " and its clone\n%s\n%s", j->seed, x.data, y.data);
    ch__arena_destroy(a);
    ch__module_destroy(copy->module);
    ch__module_destroy(f->module);
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 400;
    int failed = 0;
    for (int k = 0; k < FAMILIES; k++) {
        int bad = 0;
        for (uint64_t i = 0; i < count; i++) {
            job j = {.seed = first + i, .o = &families[k].o};
            if (ch__protect(one, &j) == CH_OK && j.ok && j.copied) continue;
            if (!j.ok) printf("# seed %" PRIu64 ": %s\n", j.seed, ch_error_message());
            bad++;
        }
        printf("%s %d - %" PRIu64 " funcs, %s\n", bad ? "not ok" : "ok", k + 1, count, families[k].name);
        failed += bad;
    }
    int missing = 0;
    for (int i = 0; i < CH_OP_COUNT; i++)
        if (!seen[i] && i != CH_OP_shard && !ch__is_collective((ch__opcode)i)) // test_collective.c makes those
            printf("# never made: %s\n", ch__op_name((ch__opcode)i)), missing++;
    printf("%s %d - every op is made\n1..%d\n", missing ? "not ok" : "ok", FAMILIES + 1, FAMILIES + 1);
    return failed || missing ? 1 : 0;
}
