// SPDX-License-Identifier: Apache-2.0
// differentiate.c - the run over families and seeds (differentiate.h).
#include "differentiate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct family {
    const char *name;
    ch__gen_options o;
} family;
static const family families[] = {
    {"straight lines", {.max_ops = 16, .differentiable = true, .libm = true}},
    {"sizes that may be 0", {.max_ops = 20, .differentiable = true, .symbolic = true, .zero_sizes = true}},
    {"branches and calls",
     {.max_ops = 24, .differentiable = true, .symbolic = true, .branches = true, .calls = true, .control = true}},
    {"loops",
     {.max_ops = 24,
      .differentiable = true,
      .symbolic = true,
      .branches = true,
      .calls = true,
      .loops = true,
      .control = true}},
    {"loops in loops and arrays in place",
     {.max_ops = 30,
      .differentiable = true,
      .branches = true,
      .loops = true,
      .in_place = true,
      .libm = true,
      .control = true}},
    {"tapes and recursion",
     {.max_ops = 30,
      .differentiable = true,
      .symbolic = true,
      .branches = true,
      .calls = true,
      .loops = true,
      .tapes = true,
      .recursion = true,
      .libm = true,
      .control = true}},
};
enum { FAMILIES = sizeof families / sizeof *families, LEAST = 5 };

// ---------------------------------------------------------------- differences
double diff_value(ch__arena *a, const ch_func *f, const ch__array *in) {
    ch__array *out;
    if (ch__gen_run(a, f, in, &out) != CH_OK) ch__raise_current();
    return *(double *)out[0].data;
}

double diff_slope(double (*y)(void *arg, double at), void *arg, double h) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += weight[i] * y(arg, at[i] * h);
    return sum / (12 * h);
}

void diff_judge(diff_job *j, double (*y)(void *arg, double at), void *arg, double h, double same, double right,
                double got, const char *what) {
    double coarse = diff_slope(y, arg, h), fine = diff_slope(y, arg, h / 2), scale = fmax(1, fabs(fine));
    j->judged++;
    if (!(fabs(coarse - fine) < same * scale))
        j->bent++;
    else if (!(fabs(got - fine) < right * scale))
        snprintf(j->what, sizeof j->what, "%s %.17g, differences %.17g", what, got, fine);
}

int64_t diff_count(const ch__array *x) {
    int64_t n = 0;
    return ch__numel(x->rank, x->dims, &n) ? n : 0;
}

// ---------------------------------------------------------------- one func
typedef struct attempt {
    const diff_test *t;
    diff_job *j;
    const ch_func *f;
} attempt;

static void try_it(void *arg) {
    attempt *t = arg;
    t->t->compare(t->j, t->f);
}

// A func whose inputs all miss its result has no derivative to speak of: refused by name, as it should be.
static bool breaks(void *arg, const ch_func *f) {
    attempt *t = arg;
    t->f = f;
    t->j->what[0] = 0;
    if (ch__protect(try_it, t) == CH_OK) return t->j->what[0] != 0;
    if (strcmp(ch_error_id(), "gradient_detached") == 0) {
        t->j->detached++;
        return false;
    }
    snprintf(t->j->what, sizeof t->j->what, "%s", ch_error_message());
    return true;
}

// While shrinking: still a scalar function.
static bool still_breaks(void *arg, const ch_func *f) {
    const ch__type *t = f->body->n_results ? f->body->results[0]->type : NULL;
    return t && t->dtype == CH_F64 && t->rank == 0 && breaks(arg, f);
}

// ---------------------------------------------------------------- what stood in how many funcs
typedef struct coverage {
    int64_t funcs[CH_OP_COUNT], controlled[CH_OP_COUNT]; // that hold the op; that hold a loop or a branch too
    int64_t all, with_control, nested, in_place, recursive, ruled;
} coverage;
typedef struct sight {
    bool op[CH_OP_COUNT], nested, in_place, recursive, ruled;
} sight;

static bool goes_round(const ch__op *op) { return op->code == CH_OP_for || op->code == CH_OP_while; }

static void see_op(void *arg, ch__op *op) {
    sight *s = arg;
    int loops = 0;
    for (const ch__region *r = op->parent; r->owner != NULL; r = r->owner->parent) loops += goes_round(r->owner);
    s->op[op->code] = true;
    s->nested |= goes_round(op) && loops > 0;
    s->in_place |= op->code == CH_OP_set && loops > 0;
    s->recursive |= op->code == CH_OP_call && ch__op_attr(op, CH__ATTR_callee)->func == op->parent->func;
    s->ruled |= ch__has_rules(op);
}

static void see_func(coverage *c, const ch_func *f) {
    sight s = {0};
    for (ch_func *g = f->module->first; g != NULL; g = g->next) ch__walk(g->body, see_op, &s);
    bool control = s.op[CH_OP_if] || s.op[CH_OP_for] || s.op[CH_OP_while];
    c->all++;
    c->with_control += control;
    c->nested += s.nested;
    c->in_place += s.in_place;
    c->recursive += s.recursive;
    c->ruled += s.ruled;
    for (int i = 0; i < CH_OP_COUNT; i++) {
        c->funcs[i] += s.op[i];
        c->controlled[i] += s.op[i] && control;
    }
}

static void print_coverage(const coverage *c) {
    printf(
        "# %lld funcs, %lld with a loop or branch, %lld with loops in loops, %lld with set in a loop, %lld that call "
        "themselves, %lld with custom rules\n",
        (long long)c->all, (long long)c->with_control, (long long)c->nested, (long long)c->in_place,
        (long long)c->recursive, (long long)c->ruled);
    printf("# op: funcs, with a loop or branch");
    for (int i = 0, n = 0; i < CH_OP_COUNT; i++)
        if (c->funcs[i])
            printf("%s %s %lld %lld", n++ % 6 == 0 ? "\n#  " : ",", ch__op_name((ch__opcode)i), (long long)c->funcs[i],
                   (long long)c->controlled[i]);
    printf("\n");
}

// Floats of fewer bits and f8 are left to tests/derivatives: differences say little about them.
static bool has_derivative(int code) {
    const ch__rule *r = ch__rules[code];
    if (code == CH_OP_shard || ch__is_collective((ch__opcode)code)) return false; // tests/unit/test_collective.c
    return r->reverse != NULL && r->blocks != UINT32_MAX && code != CH_OP_convert;
}

static bool covered(const coverage *c) {
    bool all = c->with_control * 2 >= c->all && c->nested >= LEAST && c->in_place >= LEAST && c->recursive >= LEAST &&
               c->ruled >= LEAST;
    if (!all) printf("# too few funcs with loops, loops in loops, arrays in place, recursion or rules\n");
    for (int i = 0; i < CH_OP_COUNT; i++) {
        if (!has_derivative(i) || (c->funcs[i] >= LEAST && c->controlled[i] * 2 >= c->funcs[i])) continue;
        printf("# %s stands in %lld funcs, %lld of them with a loop or branch\n", ch__op_name((ch__opcode)i),
               (long long)c->funcs[i], (long long)c->controlled[i]);
        all = false;
    }
    return all;
}

// ---------------------------------------------------------------- the run
typedef struct run_one {
    const diff_test *t;
    diff_job j;
    coverage *c;
} run_one;

static void one(void *arg) {
    run_one *r = arg;
    diff_job *j = &r->j;
    attempt t = {.t = r->t, .j = j};
    ch_func *f = ch__gen_func(j->seed, j->o);
    if (breaks(&t, f)) {
        printf("# seed %" PRIu64 ": %s\n", j->seed, j->what);
        ch_func *small = ch__gen_shrink(f, still_breaks, &t);
        breaks(&t, small);
        printf("# shrunk: %s\n", j->what);
        ch__gen_keep(small, "tests/golden/found", r->t->name, j->seed);
        snprintf(j->what, sizeof j->what, "kept");
    } else if (j->detached == 0) {
        see_func(r->c, f);
    }
    ch__module_destroy(f->module);
}

int diff_main(int argc, char **argv, const diff_test *t) {
    static coverage c;
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
             count = argc > 2 ? strtoull(argv[2], NULL, 10) : t->count;
    int failed = 0;
    int64_t judged = 0, bent = 0;
    for (int k = 0; k < FAMILIES; k++) {
        int bad = 0;
        for (uint64_t i = 0; i < count && bad < 3; i++) {
            run_one r = {.t = t, .j = {.seed = first + i, .o = &families[k].o}, .c = &c};
            ch_status s = ch__protect(one, &r);
            if (s != CH_OK) printf("# seed %" PRIu64 ": %s\n", r.j.seed, ch_error_message());
            bad += s != CH_OK || r.j.what[0];
            judged += r.j.judged;
            bent += r.j.bent;
        }
        printf("%s %d - %s, %s\n", bad ? "not ok" : "ok", k + 1, t->title, families[k].name);
        fflush(stdout);
        failed += bad;
    }
    bool enough = judged > 0 && bent * 10 <= judged;
    printf("# %lld slopes, %lld of them bent too much\n", (long long)judged, (long long)bent);
    printf("%s %d - nine slopes in ten can be judged\n", enough ? "ok" : "not ok", FAMILIES + 1);
    if (count >= 1000) print_coverage(&c);
    bool all = count < t->count || covered(&c);
    printf("%s %d - every op in %d funcs, half of them with a loop or branch\n1..%d\n", all ? "ok" : "not ok",
           FAMILIES + 2, LEAST, FAMILIES + 2);
    return failed || !enough || !all ? 1 : 0;
}
