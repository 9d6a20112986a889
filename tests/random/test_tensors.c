// SPDX-License-Identifier: Apache-2.0
// test_tensors.c - random programs over tensors: operations, views, assignments through views, reads, scopes, against a
// model in plain C in which every tensor is an array of its own. Each program runs lazily (values are asked for where
// the program says), eagerly (everything is realized after each step) and with all realized at once at the end; the
// values are those of the model, nothing is left behind.
//
// usage: test_tensors [FIRST_SEED [COUNT]]. A program that fails is made as short as it gets, printed, and to be kept
// as a line of tests/random/found_tensors.txt, which is run first every time.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"

enum { MOST_STEPS = 40, MOST_VARS = 48, MOST_ELEMENTS = 36, RANK = 3 };

typedef struct {
    uint32_t op, a, b, c, d;
} step;
typedef struct {
    int n;
    step steps[MOST_STEPS];
} program;

// A tensor and what it should be. base: the variable it is a view of, or -1; map: where each element lies there.
typedef struct {
    ch_tensor *t;
    bool alive, kept;
    int rank, base, scope;
    int64_t dims[RANK];
    int n, map[MOST_ELEMENTS];
    uint32_t model[MOST_ELEMENTS];
} var;

typedef enum { LAZY, EAGER, AT_ONCE, MODES } run_mode;
static const char *const mode_names[MODES] = {"lazily", "eagerly", "all at once"};

typedef struct {
    var vars[MOST_VARS];
    int n, depth;
    ch_scope scopes[4];
    char why[256];
} machine;

static uint64_t random_state;
static uint32_t next_random(void) {
    random_state += 0x9E3779B97F4A7C15u;
    uint64_t z = random_state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)(z >> 32);
}

static void wrong(machine *m, const char *what) {
    if (!m->why[0]) snprintf(m->why, sizeof m->why, "%s: %s", what, ch_error_message());
}

// ---------------------------------------------------------------- the model
static int count(const var *v) {
    int n = 1;
    for (int i = 0; i < v->rank; i++) n *= (int)v->dims[i];
    return n;
}

static var *pick(machine *m, uint32_t r) {
    int alive = 0;
    for (int i = 0; i < m->n; i++) alive += m->vars[i].alive;
    if (alive == 0) return NULL;
    int k = (int)(r % (uint32_t)alive);
    for (int i = 0; i < m->n; i++)
        if (m->vars[i].alive && k-- == 0) return &m->vars[i];
    return NULL;
}

static var *add_var(machine *m, ch_tensor *t, int rank, const int64_t *dims) {
    var *v = &m->vars[m->n++];
    *v = (var){.t = t, .alive = true, .rank = rank, .base = -1, .scope = m->depth};
    for (int i = 0; i < rank; i++) v->dims[i] = dims[i];
    v->n = count(v);
    return v;
}

static bool same_shape(const var *a, const var *b) {
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

// A write through a view: the tensor at the bottom changes there, the views on the way are views of what it is now.
static void assign_model(machine *m, var *dst, const uint32_t *value) {
    uint32_t taken[MOST_ELEMENTS];
    memcpy(taken, value, (size_t)dst->n * sizeof *taken);
    if (dst->base >= 0) {
        var *way[MOST_VARS];
        int n = 0, at[MOST_ELEMENTS];
        for (var *v = dst; v->base >= 0; v = &m->vars[v->base]) way[n++] = v;
        var *bottom = &m->vars[way[n - 1]->base];
        for (int i = 0; i < dst->n; i++) {
            at[i] = i;
            for (int k = 0; k < n; k++) at[i] = way[k]->map[at[i]];
            bottom->model[at[i]] = taken[i];
        }
        for (int k = n - 1; k > 0; k--)
            for (int i = 0; i < way[k]->n; i++) way[k]->model[i] = m->vars[way[k]->base].model[way[k]->map[i]];
    }
    memcpy(dst->model, taken, (size_t)dst->n * sizeof *taken);
}

// The elements of v as a view of rank and dims with these strides from an offset.
static var *add_view(machine *m, var *v, ch_tensor *t, int rank, const int64_t *dims, int64_t offset,
                     const int64_t *strides) {
    int base = (int)(v - m->vars);
    var *w = add_var(m, t, rank, dims);
    int64_t at[RANK] = {0};
    for (int i = 0; i < w->n; i++) {
        int64_t from = offset;
        for (int k = 0; k < rank; k++) from += at[k] * strides[k];
        w->map[i] = (int)from;
        w->model[i] = m->vars[base].model[from];
        for (int k = rank - 1; k >= 0 && ++at[k] == dims[k]; k--) at[k] = 0;
    }
    w->base = base;
    return w;
}

// ---------------------------------------------------------------- steps
static void row_strides(const var *v, int64_t *s) {
    int64_t n = 1;
    for (int i = v->rank - 1; i >= 0; i--) {
        s[i] = n;
        n *= v->dims[i];
    }
}

static void do_data(machine *m, step s) {
    int64_t dims[RANK];
    int rank = (int)(s.a % (RANK + 1)), n = 1;
    for (int i = 0; i < rank; i++) n *= (int)(dims[i] = (s.b >> (4 * i) & 15) == 0 ? 0 : 1 + (s.b >> (4 * i) & 15) % 3);
    int32_t data[MOST_ELEMENTS] = {0};
    for (int i = 0; i < n; i++) data[i] = (int32_t)(s.c + (uint32_t)i * 7);
    var *v = add_var(m, ch_from_i32(data, rank, dims), rank, dims);
    for (int i = 0; i < n; i++) v->model[i] = (uint32_t)data[i];
}

static void do_combine(machine *m, step s) {
    var *a = pick(m, s.a), *b = pick(m, s.b);
    if (a == NULL) return;
    if (!same_shape(a, b)) b = b->rank == 0 ? b : a;
    ch_tensor *t = s.c % 3 == 0 ? ch_add(a->t, b->t) : s.c % 3 == 1 ? ch_sub(a->t, b->t) : ch_mul(a->t, b->t);
    var before_a = *a, before_b = *b, *v = add_var(m, t, a->rank, a->dims);
    for (int i = 0; i < v->n; i++) {
        uint32_t x = before_a.model[i], y = before_b.model[same_shape(&before_a, &before_b) ? i : 0];
        v->model[i] = s.c % 3 == 0 ? x + y : s.c % 3 == 1 ? x - y : x * y;
    }
}

static void do_slice(machine *m, step s) {
    var *v = pick(m, s.a);
    if (v == NULL || v->rank == 0) return;
    int64_t start[RANK], limit[RANK], stride[RANK], dims[RANK], rows[RANK], strides[RANK], offset = 0;
    row_strides(v, rows);
    for (int i = 0; i < v->rank; i++) {
        uint32_t r = s.b >> (8 * i);
        start[i] = (int64_t)(r & 7) % (v->dims[i] + 1);
        limit[i] = start[i] + (int64_t)(r >> 3 & 7) % (v->dims[i] - start[i] + 1);
        stride[i] = 1 + (r >> 6 & 3) % 2;
        dims[i] = (limit[i] - start[i] + stride[i] - 1) / stride[i];
        offset += start[i] * rows[i];
        strides[i] = rows[i] * stride[i];
    }
    add_view(m, v, ch_slice(v->t, v->rank, start, limit, s.c % 2 ? stride : stride), v->rank, dims, offset, strides);
}

static void do_transpose(machine *m, step s) {
    var *v = pick(m, s.a);
    if (v == NULL) return;
    int perm[RANK] = {0, 1, 2};
    int64_t rows[RANK], dims[RANK], strides[RANK];
    for (int i = v->rank - 1; i > 0; i--) {
        int k = (int)((s.b >> (4 * i)) % (uint32_t)(i + 1)), x = perm[i];
        perm[i] = perm[k];
        perm[k] = x;
    }
    row_strides(v, rows);
    for (int i = 0; i < v->rank; i++) {
        dims[i] = v->dims[perm[i]];
        strides[i] = rows[perm[i]];
    }
    add_view(m, v, ch_transpose(v->t, v->rank, perm), v->rank, dims, 0, strides);
}

static void do_reverse(machine *m, step s) {
    var *v = pick(m, s.a);
    if (v == NULL || v->rank == 0) return;
    int axis = (int)(s.b % (uint32_t)v->rank);
    int64_t strides[RANK], offset;
    row_strides(v, strides);
    offset = (v->dims[axis] - 1) * strides[axis];
    strides[axis] = -strides[axis];
    add_view(m, v, ch_reverse(v->t, 1, &axis), v->rank, v->dims, offset, strides);
}

static void do_reshape(machine *m, step s) {
    var *v = pick(m, s.a);
    if (v == NULL) return;
    int64_t dims[RANK] = {v->n, 1, 1}, strides[RANK];
    int rank = 1 + (int)(s.b % RANK), at = (int)(s.c % (uint32_t)rank);
    if (v->n == 0) return;
    if (at > 0) dims[0] = 1, dims[at] = v->n;
    if (rank > 1 && v->n % 2 == 0) dims[at] /= 2, dims[(at + 1) % rank] = 2;
    var shape = {.rank = rank};
    memcpy(shape.dims, dims, sizeof dims);
    row_strides(&shape, strides);
    add_view(m, v, ch_reshape(v->t, rank, dims), rank, dims, 0, strides);
}

static void do_broadcast(machine *m, step s) {
    var *v = pick(m, s.a);
    if (v == NULL || v->rank == RANK || v->n * 2 > MOST_ELEMENTS) return;
    int64_t dims[RANK] = {1 + s.b % 2}, strides[RANK] = {0};
    for (int i = 0; i < v->rank; i++) dims[i + 1] = v->dims[i];
    row_strides(v, strides + 1);
    var *w = add_view(m, v, ch_broadcast_to(v->t, v->rank + 1, dims), v->rank + 1, dims, 0, strides);
    if (dims[0] == 2 && v->n > 0) w->base = MOST_VARS; // it repeats elements: a view that cannot be assigned
}

static void do_assign(machine *m, step s) {
    var *dst = pick(m, s.a), *src = pick(m, s.b);
    if (dst == NULL) return;
    for (var *v = dst; v->base >= 0; v = &m->vars[v->base])
        if (v->base == MOST_VARS) {
            if (ch_assign(dst->t, dst->t) == CH_OK) v->base = -1; // what it repeated is gone
            return;
        }
    if (!same_shape(src, dst) && src->rank != 0) return;
    uint32_t value[MOST_ELEMENTS];
    for (int i = 0; i < dst->n; i++) value[i] = src->model[same_shape(src, dst) ? i : 0];
    ch_tensor *t = src->t;
    if (s.c % 3 == 0) { // a computed value, not a tensor as it is
        t = ch_add(t, ch_scalar(CH_I32, 1));
        for (int i = 0; i < dst->n; i++) value[i]++;
    } else if (dst == src) {
        return;
    }
    if (ch_assign(dst->t, t) != CH_OK) wrong(m, "assign");
    assign_model(m, dst, value);
}

static void do_detach(machine *m, step s) {
    var *v = pick(m, s.a);
    if (v == NULL) return;
    var *w = add_var(m, ch_detach(v->t), v->rank, v->dims);
    memcpy(w->model, m->vars[v - m->vars].model, sizeof w->model);
}

static void compare(machine *m, var *v) {
    int32_t got[MOST_ELEMENTS];
    if (ch_read_i32(v->t, got, v->n) != CH_OK) {
        wrong(m, "read");
        return;
    }
    for (int i = 0; i < v->n && !m->why[0]; i++)
        if ((uint32_t)got[i] != v->model[i])
            snprintf(m->why, sizeof m->why, "variable %d element %d is %d, not %d", (int)(v - m->vars), i, got[i],
                     (int32_t)v->model[i]);
}

static void do_read(machine *m, step s) {
    var *v = pick(m, s.a);
    if (v != NULL) compare(m, v);
}

static void do_realize_two(machine *m, step s) {
    var *a = pick(m, s.a), *b = pick(m, s.b);
    if (a != NULL && ch_realize_all(2, (ch_tensor *[]){a->t, b->t}) != CH_OK) wrong(m, "realize");
}

static void do_begin(machine *m, step s) {
    (void)s;
    if (m->depth < 3) m->scopes[m->depth++] = ch_scope_begin();
}

// What was made in the scope goes, but for some that are kept. A view that outlives its base is one no more.
static void do_end(machine *m, step s) {
    if (m->depth == 0) return;
    for (int i = 0; i < m->n; i++) {
        var *v = &m->vars[i];
        if (!v->alive || v->kept || v->scope != m->depth) continue;
        v->kept = ((s.a ^ s.b << 3) >> (i % 29) & 1) != 0;
        if (v->kept)
            ch_keep(v->t);
        else
            v->alive = false;
    }
    if (ch_scope_end(m->scopes[--m->depth]) != CH_OK) wrong(m, "scope");
}

static const struct {
    const char *name;
    void (*run)(machine *m, step s);
    int weight;
} ops[] = {
    {"data", do_data, 3},
    {"combine", do_combine, 5},
    {"slice", do_slice, 6},
    {"transpose", do_transpose, 2},
    {"reverse", do_reverse, 2},
    {"reshape", do_reshape, 2},
    {"broadcast", do_broadcast, 1},
    {"assign", do_assign, 10},
    {"detach", do_detach, 1},
    {"read", do_read, 3},
    {"realize", do_realize_two, 3},
    {"begin", do_begin, 2},
    {"end", do_end, 2},
};
enum { N_OPS = sizeof ops / sizeof *ops };

// ---------------------------------------------------------------- one program
static bool run_program(const program *p, run_mode mode, char why[256]) {
    static machine m;
    memset(&m, 0, sizeof m);
    int64_t alive = ch_tensors_alive();
    for (int i = 0; i < p->n && !m.why[0]; i++) {
        if (m.n == MOST_VARS) break;
        if (mode == AT_ONCE && (ops[p->steps[i].op].run == do_read || ops[p->steps[i].op].run == do_realize_two))
            continue;
        ops[p->steps[i].op].run(&m, p->steps[i]);
        for (int k = 0; mode == EAGER && k < m.n && !m.why[0]; k++)
            if (m.vars[k].alive) compare(&m, &m.vars[k]);
    }
    ch_tensor *all[MOST_VARS];
    int n = 0;
    for (int i = 0; i < m.n; i++)
        if (m.vars[i].alive) all[n++] = m.vars[i].t;
    if (mode == AT_ONCE && !m.why[0] && ch_realize_all(n, all) != CH_OK) wrong(&m, "realize");
    for (int i = 0; i < m.n && !m.why[0]; i++) { // what is written before what read it, or after
        var *v = &m.vars[p->n % 2 == 0 ? i : m.n - 1 - i];
        if (v->alive) compare(&m, v);
    }
    while (m.depth > 0 && ch_scope_end(m.scopes[--m.depth]) == CH_OK) {}
    for (int i = 0; i < m.n; i++)
        if (m.vars[i].kept) ch_release(m.vars[i].t);
    ch_thread_end();
    if (!m.why[0] && ch_tensors_alive() != alive)
        snprintf(m.why, sizeof m.why, "%d tensors are left", (int)(ch_tensors_alive() - alive));
    memcpy(why, m.why, sizeof m.why);
    return !m.why[0];
}

static bool holds(const program *p, char why[256], run_mode *mode) {
    for (*mode = LAZY; *mode < MODES; (*mode)++)
        if (!run_program(p, *mode, why)) return false;
    return true;
}

static program make_program(uint64_t seed) {
    program p = {.n = 8 + (int)(seed % (MOST_STEPS - 8))};
    int total = 0;
    for (int i = 0; i < N_OPS; i++) total += ops[i].weight;
    random_state = seed * 0x2545F4914F6CDD1Du + 1;
    for (int i = 0; i < p.n; i++) {
        int r = i < 2 ? 0 : (int)(next_random() % (uint32_t)total);
        uint32_t op = 0;
        while (r >= ops[op].weight) r -= ops[op++].weight;
        p.steps[i] = (step){op, next_random() % 1000, next_random(), next_random() % 1000, next_random() % 1000};
    }
    return p;
}

static program shrink(program p) {
    char why[256];
    run_mode mode;
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (int i = p.n - 1; i >= 0; i--) {
            program q = p;
            memmove(q.steps + i, q.steps + i + 1, (size_t)(q.n-- - i - 1) * sizeof *q.steps);
            if (holds(&q, why, &mode)) continue;
            p = q;
            smaller = true;
        }
    }
    return p;
}

static void print_program(const program *p) {
    for (int i = 0; i < p->n; i++) {
        step s = p->steps[i];
        printf("#   %s %u %u %u %u\n", ops[s.op].name, s.a, s.b, s.c, s.d);
    }
    printf("# as a line of tests/random/found_tensors.txt:\n# ");
    for (int i = 0; i < p->n; i++) {
        step s = p->steps[i];
        printf("%s %u %u %u %u;", ops[s.op].name, s.a, s.b, s.c, s.d);
    }
    printf("\n");
}

static bool judge(const program *p, int number, const char *name) {
    char why[256];
    run_mode mode;
    if (holds(p, why, &mode)) {
        printf("ok %d - %s\n", number, name);
        return true;
    }
    program small = shrink(*p);
    (void)holds(&small, why, &mode);
    printf("not ok %d - %s\n# run %s: %s\n", number, name, mode_names[mode < MODES ? mode : 0], why);
    print_program(&small);
    return false;
}

static bool read_program(char *line, program *p) {
    p->n = 0;
    for (char *part = strtok(line, ";\n"); part != NULL; part = strtok(NULL, ";\n")) {
        char name[32];
        step s;
        if (p->n == MOST_STEPS || sscanf(part, "%31s %u %u %u %u", name, &s.a, &s.b, &s.c, &s.d) != 5) return false;
        for (s.op = 0; s.op < N_OPS && strcmp(ops[s.op].name, name) != 0; s.op++) {}
        if (s.op == N_OPS) return false;
        p->steps[p->n++] = s;
    }
    return true;
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int seeds = argc > 2 ? atoi(argv[2]) : 1000, number = 0, failed = 0;
    static char line[8192];
    FILE *found = fopen("tests/random/found_tensors.txt", "r");
    while (found != NULL && fgets(line, sizeof line, found) != NULL) {
        program p;
        if (line[0] == '#' || line[0] == '\n') continue;
        bool fine = read_program(line, &p);
        if (!fine) printf("not ok %d - a line of found_tensors.txt cannot be read\n", ++number);
        failed += fine ? !judge(&p, ++number, "a program that failed once") : 1;
    }
    if (found == NULL) printf("not ok %d - tests/random/found_tensors.txt is not there\n", ++number);
    failed += found == NULL;
    if (found != NULL) fclose(found);
    for (int i = 0; i < seeds; i++) {
        char name[64];
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)first + (unsigned)i);
        program p = make_program(first + (uint64_t)i);
        failed += !judge(&p, ++number, name);
        if (failed >= 5) break;
    }
    printf("1..%d\n", number);
    return failed != 0;
}
