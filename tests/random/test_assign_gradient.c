// SPDX-License-Identifier: Apache-2.0
// test_assign_gradient.c - gradients through assignments, in random programs: against programs without any.
//
// A program makes leaves, combines them, assigns to parts of what is not a leaf (slices, steps, reversed, transposed,
// at places computed at run time), and realizes this and that on the way, so that some assignments are done in place.
// Beside every tensor stands its twin, whose every assignment is an expression of its own (the old value where a mask
// says so, plus a matrix of ones and zeros times the new part) and of which nothing is realized before the end. The
// values and the gradients of a sum of squares are the same to 1e-12.
//
// usage: random_assign_gradient [FIRST_SEED [COUNT [STEPS]]]
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/exec.h"
#include "tensor/tensor.h"

enum { MOST = 40, LEAVES = 2, STEPS = 30 };

typedef struct {
    ch_tensor *t, *twin;
    int shape; // 0: [6], 1: [2,3]
} pair;

typedef struct {
    pair vars[MOST], leaves[LEAVES];
    int n;
    char trace[STEPS * 48];
} machine;

static uint64_t state;
static uint32_t roll(uint32_t n) {
    state += 0x9E3779B97F4A7C15u;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z >> 33) % n);
}

static const int64_t shapes[2][2] = {{6, 0}, {2, 3}};
static int rank_of(int shape) { return shape + 1; }
static ch_tensor *fresh(int shape) {
    double x[6];
    for (int i = 0; i < 6; i++) x[i] = (double)roll(2000) / 1000 - 1;
    return ch_from_f64(x, rank_of(shape), shapes[shape]);
}
static ch_tensor *flat(ch_tensor *t) { return ch_reshape(t, 1, (int64_t[]){ch_tensor_numel(t)}); }

static void say(machine *m, const char *what, int a, int b) {
    size_t n = strlen(m->trace);
    snprintf(m->trace + n, sizeof m->trace - n, " %s(%d,%d)", what, a, b);
}

// ---------------------------------------------------------------- parts
typedef struct {
    ch_tensor *view;
    int n, at[6]; // where its elements lie in the base
} part;

static ch_tensor *index_of(int64_t i) { return ch_from_i64(&i, 0, NULL); }

static part part_of_row(ch_tensor *t) {
    part p = {.n = 0};
    int from, to, step;
    switch (roll(4)) {
    case 0:
        from = (int)roll(6), to = from + 1 + (int)roll((uint32_t)(6 - from));
        p.view = ch_slice_axis(t, 0, from, to);
        for (int i = from; i < to; i++) p.at[p.n++] = i;
        return p;
    case 1:
        from = (int)roll(3), step = 2 + (int)roll(2);
        p.view = ch_slice(t, 1, (int64_t[]){from}, (int64_t[]){6}, (int64_t[]){step});
        for (int i = from; i < 6; i += step) p.at[p.n++] = i;
        return p;
    case 2:
        from = (int)roll(5), to = from + 2;
        p.view = ch_slice_axis(ch_reverse(t, 1, (int[]){0}), 0, from, to);
        for (int i = from; i < to; i++) p.at[p.n++] = 5 - i;
        return p;
    default:
        from = (int)roll(4);
        p.view = ch_dynamic_slice(t, 1, (ch_tensor *[]){index_of(from)}, (int64_t[]){3});
        for (int i = from; i < from + 3; i++) p.at[p.n++] = i;
        return p;
    }
}

static part part_of_matrix(ch_tensor *t) {
    part p = {.n = 0};
    int k = (int)roll(3);
    switch (roll(4)) {
    case 0: // a column
        p.view = ch_slice_axis(t, 1, k, k + 1);
        for (int i = 0; i < 2; i++) p.at[p.n++] = i * 3 + k;
        return p;
    case 1: // a row of the transposed
        p.view = ch_slice_axis(ch_transpose(t, 2, NULL), 0, k, k + 1);
        for (int i = 0; i < 2; i++) p.at[p.n++] = i * 3 + k;
        return p;
    case 2: // of the elements in a row
        p.view = ch_slice_axis(ch_reshape(t, 1, (int64_t[]){6}), 0, k, k + 3);
        for (int i = k; i < k + 3; i++) p.at[p.n++] = i;
        return p;
    default:
        p.view = ch_slice_axis(t, 0, k % 2, k % 2 + 1);
        for (int i = 0; i < 3; i++) p.at[p.n++] = k % 2 * 3 + i;
        return p;
    }
}

// The elements of a tensor at these places, by a matrix: no view, no assignment.
static ch_tensor *chosen(ch_tensor *t, const part *p) {
    double m[36] = {0};
    for (int i = 0; i < p->n; i++) m[i * 6 + p->at[i]] = 1;
    return ch_matmul(ch_from_f64(m, 2, (int64_t[]){p->n, 6}), ch_reshape(t, 2, (int64_t[]){6, 1}));
}

static ch_tensor *with_chosen(ch_tensor *t, const part *p, ch_tensor *v, int shape) {
    double m[36] = {0}, keep[6] = {1, 1, 1, 1, 1, 1};
    for (int i = 0; i < p->n; i++) m[p->at[i] * p->n + i] = 1, keep[p->at[i]] = 0;
    ch_tensor *put = ch_matmul(ch_from_f64(m, 2, (int64_t[]){6, p->n}), ch_reshape(v, 2, (int64_t[]){p->n, 1}));
    ch_tensor *kept = ch_mul(flat(t), ch_from_f64(keep, 1, (int64_t[]){6}));
    return ch_reshape(ch_add(kept, flat(put)), rank_of(shape), shapes[shape]);
}

// ---------------------------------------------------------------- steps
static bool must(machine *m, ch_status s) {
    if (s != CH_OK) printf("# %s\n#%s\n", ch_error_message(), m->trace);
    return s == CH_OK;
}

static void combine(machine *m) {
    int i = (int)roll((uint32_t)m->n), j = (int)roll((uint32_t)m->n), how = (int)roll(4);
    pair a = m->vars[i], b = m->vars[j];
    if (roll(2) == 0 || a.shape != b.shape) b = m->leaves[a.shape];
    pair c = {.shape = a.shape};
    switch (how) {
    case 0: c.t = ch_sin(ch_mul(a.t, b.t)), c.twin = ch_sin(ch_mul(a.twin, b.twin)); break;
    case 1: c.t = ch_sub(a.t, b.t), c.twin = ch_sub(a.twin, b.twin); break;
    case 2: c.t = ch_sin(a.t), c.twin = ch_sin(a.twin); break;
    default: c.t = ch_sin(ch_mul(a.t, a.t)), c.twin = ch_sin(ch_mul(a.twin, a.twin));
    }
    say(m, "combine", i, how);
    m->vars[m->n++] = c;
}

// A part of one becomes something of the same part of another, and of a leaf.
static bool assign(machine *m) {
    int i = (int)roll((uint32_t)m->n), j = (int)roll((uint32_t)m->n);
    pair *x = &m->vars[i], from = m->vars[j];
    if (from.shape != x->shape || roll(3) == 0) from = m->leaves[x->shape];
    part p = x->shape == 0 ? part_of_row(x->t) : part_of_matrix(x->t);
    double factor = (double)roll(3);
    ch_tensor *v =
        ch_reshape(chosen(from.t, &p), ch_tensor_rank(p.view),
                   (int64_t[]){ch_tensor_dim(p.view, 0), ch_tensor_rank(p.view) > 1 ? ch_tensor_dim(p.view, 1) : 0});
    ch_tensor *w = chosen(from.twin, &p), *old = chosen(x->twin, &p);
    if (factor == 1) { // reads what it replaces
        v = ch_mul(v, p.view);
        w = ch_mul(w, old);
    } else {
        v = ch_mul(v, ch_scalar(CH_F64, factor / 4 + 0.5));
        w = ch_mul(w, ch_scalar(CH_F64, factor / 4 + 0.5));
    }
    say(m, "assign", i, j);
    x->twin = with_chosen(x->twin, &p, w, x->shape);
    return must(m, ch_assign(p.view, v));
}

static ch_tensor *loss_of(const machine *m, bool twin) {
    ch_tensor *sum = ch_scalar(CH_F64, 0);
    for (int i = 0; i < m->n; i++) {
        ch_tensor *t = twin ? m->vars[i].twin : m->vars[i].t;
        sum = ch_add(sum, ch_sum_all(ch_mul(t, t)));
    }
    return sum;
}

static bool close_to(ch_tensor *a, ch_tensor *b, const char *what, machine *m) {
    double x[6], y[6];
    int64_t n = ch_tensor_numel(a);
    if (!must(m, ch_read_f64(a, x, n)) || !must(m, ch_read_f64(b, y, n))) return false;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= 1e-12 * (1 + fabs(x[i]) + fabs(y[i])))) {
            printf("# %s, element %d: %.17g, not %.17g\n#%s\n", what, i, x[i], y[i], m->trace);
            return false;
        }
    return true;
}

static int most_steps = STEPS;

static bool run(uint64_t seed, int realizes) {
    static machine m;
    bool good = true;
    m = (machine){.n = 0};
    state = seed;
    ch_scope s = ch_scope_begin();
    for (int i = 0; i < LEAVES; i++) {
        m.leaves[i].shape = i % 2;
        m.leaves[i].t = m.leaves[i].twin = fresh(i % 2);
    }
    for (int i = 0; i < 2; i++) {
        pair v = {.shape = i, .t = fresh(i)};
        double x[6];
        good = good && must(&m, ch_read_f64(v.t, x, 6));
        v.twin = ch_from_f64(x, rank_of(i), shapes[i]);
        m.vars[m.n++] = v;
    }
    for (int i = 0; i < most_steps && good; i++) {
        uint32_t what = roll(10), k = roll((uint32_t)m.n);
        if (what < 3 && m.n < MOST)
            combine(&m);
        else if (what < 7)
            good = assign(&m);
        else if (what < 9 && realizes > 0) {
            say(&m, "realize", (int)k, 0);
            good = must(&m, ch_realize(m.vars[k].t));
        } else if (realizes > 0) {
            double v;
            say(&m, "loss", 0, 0);
            good = must(&m, ch_item(loss_of(&m, false), &v));
        }
    }
    ch_tensor *loss = loss_of(&m, false), *twin = loss_of(&m, true), *x[LEAVES], *gs[LEAVES], *ts[LEAVES];
    if (realizes > 1) good = good && must(&m, ch_realize(loss));
    for (int i = 0; i < LEAVES; i++) x[i] = m.leaves[i].t;
    for (int i = 0; i < LEAVES; i++) { // a leaf all of whose influence was replaced is refused, where the twin has 0
        gs[i] = ch_grad(loss, x[i]);
        ts[i] = ch_grad(twin, x[i]);
        bool a = ch_check(gs[i]) == CH_OK, b = ch_check(ts[i]) == CH_OK;
        if (!a && !b) continue;
        if (!b || (!a && strcmp(ch_error_id(), "gradient_detached") != 0)) {
            printf("# gradient %d: %s\n#%s\n", i, ch_error_message(), m.trace);
            good = false;
        }
        if (good && !a) gs[i] = ch_zeros_like(x[i]);
        good = good && close_to(gs[i], ts[i], "the gradient", &m);
        // once more, of the gradient
        if (good && a && ch_check(ch_grad(ch_sum_all(ch_sin(gs[i])), x[i])) == CH_OK)
            good = close_to(ch_grad(ch_sum_all(ch_sin(gs[i])), x[i]), ch_grad(ch_sum_all(ch_sin(ts[i])), x[i]),
                            "the second gradient", &m);
    }
    good = good && close_to(loss, twin, "the loss", &m);
    if (ch_scope_end(s) != CH_OK) good = false;
    return good;
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int seeds = argc > 2 ? atoi(argv[2]) : 150, number = 0, failed = 0;
    if (argc > 3) most_steps = atoi(argv[3]);
    int64_t alive = ch_tensors_alive();
    for (int i = 0; i < seeds && failed < 5; i++)
        for (int realizes = 0; realizes < 3; realizes++) {
            bool good = run(first + (uint64_t)i, realizes);
            failed += !good;
            printf("%s %d - seed %llu, %s\n", good ? "ok" : "not ok", ++number,
                   (unsigned long long)(first + (uint64_t)i),
                   realizes == 0   ? "nothing realized"
                   : realizes == 1 ? "realized on the way"
                                   : "and the loss");
        }
    bool left = ch_tensors_alive() != alive;
    printf("%s %d - nothing is left behind\n1..%d\n", left ? "not ok" : "ok", number + 1, number + 1);
    ch_thread_end();
    return failed != 0 || left;
}
