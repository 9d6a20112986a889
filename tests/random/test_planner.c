// SPDX-License-Identifier: Apache-2.0
// test_planner.c - memory of random funcs as the native engine plans it: no two arrays that are in use at once overlap,
// and all of it is near the least there can be, the most bytes that are in use at one time. Sizes by symbols are drawn.
//
// usage: test_planner [FIRST_SEED [COUNT]]. One TAP case a family of options. Nothing is compiled.
#include <stdlib.h>

#include "gen/gen.h"
#include "native/native.h"

typedef struct {
    const char *name;
    ch__gen_options o;
} family;
static const family families[] = {
    {"straight lines", {.max_ops = 150, .symbolic = true}},
    {"branches, loops, arrays in place",
     {.max_ops = 120, .symbolic = true, .branches = true, .loops = true, .in_place = true}},
    {"differentiable",
     {.max_ops = 100, .differentiable = true, .symbolic = true, .branches = true, .loops = true, .tapes = true}},
};
enum { FAMILIES = sizeof families / sizeof *families };

typedef struct {
    uint64_t seed;
    const ch__gen_options *o;
    int arrays, overlaps;
    double planned, least; // bytes
} planner_case;

static int64_t rounded(int64_t n) { return (n + 63) / 64 * 64; }

static void look(planner_case *p, const ch__c_native *c, ch__arena *a) {
    int64_t *at = CH_NEW_ARRAY(a, int64_t, c->n_arrays + 1), most = 0;
    int64_t all = ch__c_arrange(c->n_arrays, c->arrays, c->bytes, 64, at);
    for (int i = 0; i < c->n_arrays; i++) {
        ch__c_live x = c->arrays[i];
        int64_t used = 0;
        for (int k = 0; k < c->n_arrays; k++) {
            ch__c_live y = c->arrays[k];
            if (x.first < 0 || y.first < 0) continue;
            if (y.first <= x.first && x.first <= y.last) used += rounded(c->bytes[k]); // in use when x begins
            bool at_once = x.first <= y.last && y.first <= x.last;
            bool meet = at[i] < at[k] + c->bytes[k] && at[k] < at[i] + c->bytes[i];
            if (k < i && at_once && meet) p->overlaps++;
        }
        if (used > most) most = used;
        if (x.first >= 0 && at[i] + c->bytes[i] > all) p->overlaps++; // beyond the end
    }
    p->arrays = c->n_arrays;
    p->planned = (double)all;
    p->least = (double)most;
}

static void plan_one(void *arg) {
    planner_case *p = arg;
    ch__arena *a = ch__arena_create();
    ch_func *f = ch__gen_func(p->seed, p->o);
    ch__text t;
    ch__c_native c = {.timed = false};
    ch__text_init(&t, a);
    ch__inline_composites(f);
    ch__optimize(f);
    ch__native_source(&t, f, &c);
    // Small arrays of known size lie on the stack; those by symbols get sizes of all kinds here.
    for (int i = 0; i < c.n_arrays; i++)
        if (c.bytes[i] < 0) c.bytes[i] = (int64_t)(64 + ch__hash_u64(p->seed + 1000 * (uint64_t)i) % 50000);
    look(p, &c, a);
    ch__module_destroy(f->module);
    ch__arena_destroy(a);
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 150;
    int failed = 0;
    for (int k = 0; k < FAMILIES; k++) {
        double worst = 1, planned = 0, least = 0;
        int bad = 0, with_arrays = 0;
        for (uint64_t seed = first; seed < first + count; seed++) {
            planner_case p = {.seed = seed, .o = &families[k].o};
            if (ch__protect(plan_one, &p) != CH_OK) {
                if (ch__error_current() == CH__E_unsupported) continue; // by name: results that are tapes
                printf("# seed %llu: %s\n", (unsigned long long)seed, ch_error_message());
                bad++;
                continue;
            }
            if (p.overlaps > 0) {
                printf("# seed %llu: %d overlaps\n", (unsigned long long)seed, p.overlaps);
                bad++;
            }
            if (p.least == 0) continue;
            with_arrays++;
            planned += p.planned;
            least += p.least;
            if (p.planned / p.least > worst) worst = p.planned / p.least;
            if (p.planned > 1.1 * p.least) {
                printf("# seed %llu: %.0f bytes for %d arrays, %.0f are the least\n", (unsigned long long)seed,
                       p.planned, p.arrays, p.least);
                bad++;
            }
        }
        if (with_arrays < (int)count / 4) bad++; // else it says nothing
        printf("%s %d - %s: %d funcs with arrays, %.3f of the least, at most %.3f\n", bad ? "not ok" : "ok", k + 1,
               families[k].name, with_arrays, least > 0 ? planned / least : 1, worst);
        failed += bad > 0;
    }
    printf("1..%d\n", FAMILIES);
    return failed > 0;
}
