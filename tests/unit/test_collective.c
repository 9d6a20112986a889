// SPDX-License-Identifier: Apache-2.0
// test_collective.c - operations between replicas on the interpreter: what each gives, by loops of its own; adjoints of
// linear ones as transposes, of random programs as the dual of their tangents and the tangents by differences; what is
// refused, by the verifier and by runs whose replicas differ. Over 1,000 lines: one generator of programs serves all.
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "chaac/chaac.h"

#include "unit.h"

#define MOST 512 // elements of all replicas

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static uint64_t seed = 1;
static int64_t draw(int64_t n) {
    seed = ch__hash_u64(seed + UINT64_C(0x9e3779b97f4a7c15));
    return (int64_t)(seed >> 1) % n;
}
static double draw_number(void) { return (double)draw(2000001) / 1e6 - 1.0; }

static ch_func *parsed(const char *text) {
    ch_func *f = NULL;
    if (ch_func_parse(text, "test.ir", &f) != CH_OK) fail_msg("%s\n%s", ch_error_message(), text);
    return f;
}

// ---------------------------------------------------------------- running
typedef struct {
    int rank;
    int64_t dims[4];
    double v[MOST];
} array;

static int64_t count(const array *a) {
    int64_t n = 1;
    for (int i = 0; i < a->rank; i++) n *= a->dims[i];
    return n;
}

// Input i of replica r is in[r * n_in + i]; the results likewise.
static void run(const ch_func *f, int n, int n_in, const array *in, int n_out, array *out) {
    ch_exec *e = NULL;
    if (ch_compile(f, "interp", NULL, &e) != CH_OK) fail_msg("%s", ch_error_message());
    ch_tensor *xs[64] = {NULL}, *ys[64] = {NULL};
    assert_true(n * n_in <= 64 && n * n_out <= 64);
    for (int i = 0; i < n * n_in; i++) xs[i] = ch_from_f64(in[i].v, in[i].rank, in[i].dims);
    if (ch_exec_run_replicas(e, NULL, n, n_in, xs, n_out, ys) != CH_OK) {
        ch_func_print(f, stderr);
        fail_msg("%s", ch_error_message());
    }
    for (int i = 0; i < n * n_out; i++) {
        out[i].rank = ch_tensor_rank(ys[i]);
        for (int k = 0; k < out[i].rank; k++) out[i].dims[k] = ch_tensor_dim(ys[i], k);
        assert_true(count(&out[i]) <= MOST);
        assert_int_equal(ch_read_f64(ys[i], out[i].v, (size_t)count(&out[i])), CH_OK);
        ch_release(ys[i]);
    }
    ch_exec_release(e);
}

// ---------------------------------------------------------------- values
static void values(void **state) {
    (void)state;
    static array x[4], y[4 * 6];
    ch_func *f = parsed("chaac-ir 1\n"
                        "func @f(%x: f64[2,4]) -> (f64[2,4], f64[2,4], f64[4,4], f64[1,4], f64[1,8], f64[2,4]) {\n"
                        "  %a = all_reduce %x {kind = sum, replicas = [[0,1,2,3]]} : f64[2,4]\n"
                        "  %b = all_reduce %x {kind = max, replicas = [[0],[3,1,2]]} : f64[2,4]\n"
                        "  %c = all_gather %x {dim = 0, replicas = [[0,2],[3,1]]} : f64[4,4]\n"
                        "  %d = reduce_scatter %x {kind = prod, dim = 0, replicas = [[0,2],[3,1]]} : f64[1,4]\n"
                        "  %e = all_to_all %x {split_dim = 0, concat_dim = 1, replicas = [[0,2],[3,1]]} : f64[1,8]\n"
                        "  %p = permute %x {pairs = [0,1,3]x[1,2,0]} : f64[2,4]\n"
                        "  return %a, %b, %c, %d, %e, %p\n"
                        "}\n");
    assert_int_equal(ch_func_num_replicas(f), 4);
    for (int r = 0; r < 4; r++) {
        x[r] = (array){.rank = 2, .dims = {2, 4}};
        for (int i = 0; i < 8; i++) x[r].v[i] = draw_number();
    }
    run(f, 4, 1, x, 6, y);
    static const int mate[4][2] = {{0, 2}, {3, 1}, {0, 2}, {3, 1}}, place[4] = {0, 1, 1, 0}, from[4] = {3, 0, 1, -1};
    for (int r = 0; r < 4; r++) {
        const array *o = &y[r * 6], *m0 = &x[mate[r][0]], *m1 = &x[mate[r][1]];
        for (int i = 0; i < 8; i++) {
            assert_true(o[0].v[i] == x[0].v[i] + x[1].v[i] + x[2].v[i] + x[3].v[i]);
            assert_true(o[1].v[i] == (r == 0 ? x[0].v[i] : fmax(fmax(x[1].v[i], x[2].v[i]), x[3].v[i])));
            assert_true(o[2].v[i] == m0->v[i] && o[2].v[8 + i] == m1->v[i]);
            assert_true(o[5].v[i] == (from[r] < 0 ? 0 : x[from[r]].v[i]));
        }
        for (int i = 0; i < 4; i++) {
            int at = place[r] * 4 + i;
            assert_true(o[3].v[i] == m0->v[at] * m1->v[at]);
            assert_true(o[4].v[i] == m0->v[at] && o[4].v[4 + i] == m1->v[at]);
        }
    }
    ch_func_destroy(f);
}

// What stands beside a func in its module and is not called is not what it is for.
#define BESIDE                                                                                                         \
    "chaac-ir 1\nfunc @g(%x: f64[2]) -> f64[2] {\n  %a = all_reduce %x {kind = sum, replicas = [[0,1,2]]} : f64[2]\n"  \
    "  return %a\n}\n"

static void beside(void **state) {
    (void)state;
    ch_func *f = parsed(BESIDE "func @f(%x: f64[2]) -> f64[2] {\n  %a = mul %x, %x : f64[2]\n  return %a\n}\n");
    ch_func *g = parsed(BESIDE "func @f(%x: f64[2]) -> f64[2] {\n  %a = call @g(%x) : f64[2]\n  return %a\n}\n");
    ch_func *j = NULL;
    assert_int_equal(ch_func_num_replicas(f), 0);
    assert_int_equal(ch_func_num_replicas(g), 3);
    assert_int_equal(ch_func_num_replicas(NULL), 0);
    assert_int_equal(ch_jacobian(f, "x", &j), CH_OK);
    ch_func_destroy(j);
    assert_int_equal(ch_jacobian(g, "x", &j), CH_UNIMPLEMENTED);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// and, or, min and bool on integers; the number of the replica; a rank of 0 and arrays without elements.
static void integers(void **state) {
    (void)state;
    ch_func *f = parsed("chaac-ir 1\n"
                        "func @f(%e: f64[0,2]) -> (f64[], f64[], f64[], f64[], f64[0,6]) {\n"
                        "  %i = replica_id : u32[]\n"
                        "  %a = all_reduce %i {kind = or, replicas = [[0,1,2]]} : u32[]\n"
                        "  %b = all_reduce %i {kind = and, replicas = [[0],[2,1]]} : u32[]\n"
                        "  %z = const {value = 1} : u32[]\n"
                        "  %p = compare %i, %z {dir = eq} : bool[]\n"
                        "  %q = all_reduce %p {kind = max, replicas = [[0,1],[2]]} : bool[]\n"
                        "  %g = all_gather %e {dim = 1, replicas = [[0,1,2]]} : f64[0,6]\n"
                        "  %w = convert %i : f64[]\n"
                        "  %x = convert %a : f64[]\n"
                        "  %y = convert %b : f64[]\n"
                        "  %v = convert %q : f64[]\n"
                        "  return %w, %x, %y, %v, %g\n"
                        "}\n");
    static array x[3], y[3 * 5];
    for (int r = 0; r < 3; r++) x[r] = (array){.rank = 2, .dims = {0, 2}};
    run(f, 3, 1, x, 5, y);
    for (int r = 0; r < 3; r++) {
        const array *o = &y[r * 5];
        assert_true(o[0].v[0] == r && o[1].v[0] == 3);
        assert_true(o[2].v[0] == 0); // 0 alone; 1 and 2
        assert_true(o[3].v[0] == (r < 2));
        assert_int_equal(o[4].dims[0], 0);
    }
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- random programs
typedef struct {
    char text[20000];
    size_t n;
    int replicas, values;
    int64_t dims[64][2];
} program;

#define PUT(p, ...) ((p)->n += (size_t)snprintf((p)->text + (p)->n, sizeof(p)->text - (p)->n, __VA_ARGS__))

// The replicas in random order, in rows of `size`.
static void put_groups(program *p, int size) {
    int64_t order[16];
    for (int i = 0; i < p->replicas; i++) order[i] = i;
    for (int i = p->replicas - 1; i > 0; i--) {
        int64_t k = draw(i + 1), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    PUT(p, "replicas = [");
    for (int i = 0; i < p->replicas; i++)
        PUT(p, "%s%" PRId64 "%s", i % size ? "," : i ? ",[" : "[", order[i], i % size == size - 1 ? "]" : "");
    PUT(p, "]}");
}

static void put_pairs(program *p) {
    int64_t to[16];
    int n = (int)draw(p->replicas) + 1;
    for (int i = 0; i < p->replicas; i++) to[i] = i;
    for (int i = p->replicas - 1; i > 0; i--) {
        int64_t k = draw(i + 1), t = to[i];
        to[i] = to[k];
        to[k] = t;
    }
    PUT(p, "pairs = [");
    for (int i = 0; i < n; i++) PUT(p, "%s%d", i ? "," : "", p->replicas - 1 - i);
    PUT(p, "]x[");
    for (int i = 0; i < n; i++) PUT(p, "%s%" PRId64, i ? "," : "", to[i]);
    PUT(p, "]}");
}

static int group_size(const program *p) {
    int size;
    do size = (int)draw(p->replicas) + 1;
    while (p->replicas % size);
    return size;
}

// One more value; false: what was drawn does not go.
static bool put_op(program *p) {
    static const char *const kinds[] = {"sum", "prod", "min", "max"}, *const ties[] = {"split", "first", "all"};
    int from = (int)draw(p->values), to = p->values, g = group_size(p), axis = (int)draw(2), other = (int)draw(2);
    const char *kind = kinds[draw(4)], *tie = ties[draw(3)];
    int64_t d[2] = {p->dims[from][0], p->dims[from][1]};
    char more[40] = "";
    if (kind[0] == 'm') snprintf(more, sizeof more, ", tie = %s", tie);
    size_t before = p->n;
    PUT(p, "  %%v%d = ", to);
    switch (draw(9)) {
    case 0:
        PUT(p, "all_reduce %%v%d {kind = %s%s, ", from, kind, more);
        put_groups(p, g);
        break;
    case 1:
        PUT(p, "all_gather %%v%d {dim = %d, ", from, axis);
        put_groups(p, g);
        d[axis] *= g;
        break;
    case 2:
        PUT(p, "reduce_scatter %%v%d {kind = %s, dim = %d%s, ", from, kind, axis, more);
        put_groups(p, g);
        if (d[axis] % g) d[axis] = 0;
        d[axis] /= g;
        break;
    case 3:
        PUT(p, "all_to_all %%v%d {split_dim = %d, concat_dim = %d, ", from, axis, other);
        put_groups(p, g);
        if (d[axis] % g) d[axis] = 0;
        d[axis] /= g;
        d[other] *= g;
        break;
    case 4:
        PUT(p, "permute %%v%d {", from);
        put_pairs(p);
        break;
    case 5: PUT(p, "sin %%v%d", from); break;
    case 6: PUT(p, "transpose %%v%d {perm = [1,0]}", from), d[0] = p->dims[from][1], d[1] = p->dims[from][0]; break;
    case 7: // differs from replica to replica
        PUT(p, "broadcast %%r {dims = []} : f64[%d,%d]\n  %%w%d = ", (int)d[0], (int)d[1], to);
        PUT(p, "mul %%v%d, %%v%d", from, to);
        PUT(p, " : f64[%d,%d]\n", (int)d[0], (int)d[1]);
        PUT(p, "  %%v%d = cos %%w%d", to + 1, to);
        break;
    default: {
        int with = (int)draw(p->values);
        if (p->dims[with][0] != d[0] || p->dims[with][1] != d[1]) with = from;
        PUT(p, "mul %%v%d, %%v%d", from, with);
    }
    }
    if (d[0] * d[1] == 0 || d[0] * d[1] > 64) {
        p->n = before;
        p->text[before] = 0;
        return false;
    }
    PUT(p, " : f64[%d,%d]\n", (int)d[0], (int)d[1]);
    bool two = strstr(p->text + before, "cos") != NULL;
    for (int k = 0; k < 1 + two; k++) {
        p->dims[p->values][0] = d[0];
        p->dims[p->values++][1] = d[1];
    }
    return true;
}

static void make_program(program *p) {
    static const int sizes[] = {1, 2, 3, 4, 6};
    memset(p, 0, sizeof *p);
    p->replicas = sizes[draw(5)];
    char head[64];
    p->dims[0][0] = p->dims[1][0] = 1 + draw(3) * 2;
    p->dims[0][1] = p->dims[1][1] = p->replicas;
    p->values = 2;
    snprintf(head, sizeof head, "f64[%d,%d]", (int)p->dims[0][0], (int)p->dims[0][1]);
    PUT(p, "                                                                                            \n");
    size_t body = p->n;
    PUT(p, "  %%i = replica_id : u32[]\n  %%r = convert %%i : f64[]\n");
    for (int k = 0; k < 8;) k += put_op(p);
    char type[2][64], line[300], whole[20000];
    for (int k = 0; k < 2; k++)
        snprintf(type[k], sizeof type[k], "f64[%d,%d]", (int)p->dims[p->values - 1 - k][0],
                 (int)p->dims[p->values - 1 - k][1]);
    snprintf(line, sizeof line, "chaac-ir 1\nfunc @f(%%v0: %s, %%v1: %s) -> (%s, %s) {\n", head, head, type[0],
             type[1]);
    snprintf(whole, sizeof whole, "%s%s  return %%v%d, %%v%d\n}\n", line, p->text + body, p->values - 1, p->values - 2);
    memcpy(p->text, whole, strlen(whole) + 1);
}

static void fill(array *a, int64_t rows, int64_t columns) {
    *a = (array){.rank = 2, .dims = {rows, columns}};
    for (int64_t i = 0; i < rows * columns; i++) a->v[i] = draw_number();
}

static double inner(const array *a, const array *b) {
    double s = 0;
    for (int64_t i = 0; i < count(a); i++) s += a->v[i] * b->v[i];
    return s;
}

// What is printed reads back to what prints the same.
static void same_text(const ch_func *f) {
    char *text = NULL, *again = NULL;
    ch_func *back = NULL;
    assert_int_equal(ch_func_to_text(f, &text), CH_OK);
    assert_int_equal(ch_func_parse(text, "again", &back), CH_OK);
    assert_int_equal(ch_func_to_text(back, &again), CH_OK);
    assert_string_equal(text, again);
    ch_string_free(text);
    ch_string_free(again);
    ch_func_destroy(back);
}

// Written as StableHLO it reads back to what is written the same, in both forms, and gives the same numbers.
static void same_hlo(const ch_func *f, int n, const array *in, const array *want) {
    static array got[6 * 2];
    for (int generic = 0; generic < 2; generic++) {
        ch_hlo_options o = {.struct_size = sizeof o, .generic = generic};
        char *text = NULL, *again = NULL;
        ch_func *back = NULL;
        if (ch_hlo_to_text(f, &o, &text) != CH_OK || ch_hlo_parse(text, "again", NULL, &back) != CH_OK ||
            ch_hlo_to_text(back, &o, &again) != CH_OK)
            fail_msg("%s\n%s", ch_error_message(), text ? text : "");
        const char *x = strchr(text, '\n'), *y = strchr(again, '\n'); // the name of the module stands before
        if (!generic && strcmp(x, y) != 0) fail_msg("%s\n%s", text, again);
        run(back, n, 2, in, 2, got);
        for (int i = 0; i < n * 2; i++) assert_memory_equal(got[i].v, want[i].v, (size_t)count(&want[i]) * 8);
        ch_string_free(text);
        ch_string_free(again);
        ch_func_destroy(back);
    }
}

// Over all replicas: <Ybar, J Xdot> is <J^T Ybar, Xdot>; and J Xdot is what differences say.
static void one_program(const program *p, int *influences) {
    static array x[6 * 4], y[6 * 2], dots[6 * 2], seeds[6 * 4], bars[6 * 2], up[6 * 2], down[6 * 2], step[6 * 2];
    int n = p->replicas;
    ch_func *f = parsed(p->text), *jvp = NULL, *vjp = NULL;
    same_text(f);
    if (ch_jvp(f, NULL, 0, &jvp) != CH_OK || ch_vjp(f, NULL, 0, &vjp) != CH_OK) {
        assert_string_equal(ch_error_id(), "gradient_detached"); // nothing of the params reaches a result
        ch_func_destroy(jvp);
        ch_func_destroy(f);
        return;
    }
    ++*influences;
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 4; i++) fill(&x[r * 4 + i], p->dims[0][0], p->dims[0][1]); // params, then tangents
    run(jvp, n, 4, x, 2, dots);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 2; i++) step[r * 2 + i] = x[r * 4 + i];
    run(f, n, 2, step, 2, y);
    same_hlo(f, n, step, y);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 2; i++) {
            seeds[r * 4 + i] = x[r * 4 + i];
            fill(&seeds[r * 4 + 2 + i], y[r * 2 + i].dims[0], y[r * 2 + i].dims[1]);
        }
    run(vjp, n, 4, seeds, 2, bars);
    double by_tangents = 0, by_adjoints = 0, size = 1e-9;
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 2; i++) {
            by_tangents += inner(&seeds[r * 4 + 2 + i], &dots[r * 2 + i]);
            by_adjoints += inner(&bars[r * 2 + i], &x[r * 4 + 2 + i]);
            size += sqrt(inner(&dots[r * 2 + i], &dots[r * 2 + i]) + inner(&bars[r * 2 + i], &bars[r * 2 + i]));
        }
    if (!(fabs(by_tangents - by_adjoints) <= 1e-11 * size))
        fail_msg("%.17g by tangents, %.17g by adjoints\n%s", by_tangents, by_adjoints, p->text);
    const double h = 1e-6;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int r = 0; r < n; r++)
            for (int i = 0; i < 2; i++)
                for (int64_t k = 0; k < count(&step[r * 2 + i]); k++)
                    step[r * 2 + i].v[k] = x[r * 4 + i].v[k] + sign * h * x[r * 4 + 2 + i].v[k];
        run(f, n, 2, step, 2, sign < 0 ? down : up);
    }
    for (int i = 0; i < n * 2; i++)
        for (int64_t k = 0; k < count(&y[i]); k++) {
            double d = (up[i].v[k] - down[i].v[k]) / (2 * h);
            if (!(fabs(d - dots[i].v[k]) <= 1e-5 * (1 + fabs(d))))
                fail_msg("replica %d: %.17g by differences, %.17g\n%s", i / 2, d, dots[i].v[k], p->text);
        }
    ch_func_destroy(jvp);
    ch_func_destroy(vjp);
    ch_func_destroy(f);
}

static void random_programs(void **state) {
    (void)state;
    static program p;
    int influences = 0;
    for (int k = 0; k < 150; k++) {
        make_program(&p);
        one_program(&p, &influences);
    }
    assert_true(influences > 100);
}

// ---------------------------------------------------------------- derivatives of derivatives
enum { INPUTS = 8, RESULTS = 4 };

// Over all replicas, of a func g of n_in params whose values stand in x: <Ybar, J Xdot> is <J^T Ybar, Xdot>, and J Xdot
// is what differences say. false: nothing of the params reaches a result.
static bool dual(const ch_func *g, int n, int n_in, int n_out, const array *x, const char *what, const char *text) {
    static array y[6 * RESULTS], in[6 * 2 * INPUTS], dots[6 * RESULTS], bars[6 * INPUTS], seeds[6 * RESULTS];
    static array tangents[6 * INPUTS], up[6 * RESULTS], down[6 * RESULTS];
    ch_func *jvp = NULL, *vjp = NULL;
    if (ch_jvp(g, NULL, 0, &jvp) != CH_OK || ch_vjp(g, NULL, 0, &vjp) != CH_OK) {
        assert_string_equal(ch_error_id(), "gradient_detached");
        ch_func_destroy(jvp);
        return false;
    }
    assert_true(n_in <= INPUTS && n_out <= RESULTS);
    run(g, n, n_in, x, n_out, y);
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < n_in; i++) {
            array *t = &tangents[r * n_in + i];
            fill(t, x[r * n_in + i].dims[0], x[r * n_in + i].dims[1]);
            in[r * 2 * n_in + i] = x[r * n_in + i];
            in[r * 2 * n_in + n_in + i] = *t;
        }
        for (int i = 0; i < n_out; i++) fill(&seeds[r * n_out + i], y[r * n_out + i].dims[0], y[r * n_out + i].dims[1]);
    }
    run(jvp, n, 2 * n_in, in, n_out, dots);
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < n_in; i++) in[r * (n_in + n_out) + i] = x[r * n_in + i];
        for (int i = 0; i < n_out; i++) in[r * (n_in + n_out) + n_in + i] = seeds[r * n_out + i];
    }
    run(vjp, n, n_in + n_out, in, n_in, bars);
    double by_tangents = 0, by_adjoints = 0, size = 1e-9;
    for (int i = 0; i < n * n_out; i++) {
        by_tangents += inner(&seeds[i], &dots[i]);
        size += sqrt(inner(&dots[i], &dots[i]) * inner(&seeds[i], &seeds[i]));
    }
    for (int i = 0; i < n * n_in; i++) by_adjoints += inner(&bars[i], &tangents[i]);
    if (!(fabs(by_tangents - by_adjoints) <= 1e-10 * size))
        fail_msg("%s: %.17g by tangents, %.17g by adjoints\n%s", what, by_tangents, by_adjoints, text);
    const double h = 1e-6;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < n * n_in; i++) {
            in[i] = x[i];
            for (int64_t k = 0; k < count(&x[i]); k++) in[i].v[k] += sign * h * tangents[i].v[k];
        }
        run(g, n, n_in, in, n_out, sign < 0 ? down : up);
    }
    for (int i = 0; i < n * n_out; i++)
        for (int64_t k = 0; k < count(&y[i]); k++) {
            double d = (up[i].v[k] - down[i].v[k]) / (2 * h);
            if (!(fabs(d - dots[i].v[k]) <= 1e-4 * (1 + fabs(d))))
                fail_msg("%s, replica %d: %.17g by differences, %.17g\n%s", what, i / n_out, d, dots[i].v[k], text);
        }
    ch_func_destroy(jvp);
    ch_func_destroy(vjp);
    return true;
}

// Tangents and adjoints are funcs with collectives themselves; both are differentiated in both modes.
static void second_order(void **state) {
    (void)state;
    static program p;
    static array x[6 * 4];
    int seen[2] = {0, 0};
    seed = 77;
    for (int k = 0; k < 60; k++) {
        make_program(&p);
        int n = p.replicas;
        ch_func *f = parsed(p.text), *first[2] = {NULL, NULL};
        if (ch_jvp(f, NULL, 0, &first[0]) != CH_OK || ch_vjp(f, NULL, 0, &first[1]) != CH_OK) {
            ch_func_destroy(first[0]);
            ch_func_destroy(f);
            continue;
        }
        for (int r = 0; r < n * 4; r++) fill(&x[r], p.dims[0][0], p.dims[0][1]);
        seen[0] += dual(first[0], n, 4, 2, x, "of tangents", p.text);
        for (int r = 0; r < n; r++) { // params and results have other sizes
            int64_t(*last)[2] = &p.dims[p.values - 1];
            fill(&x[r * 4 + 2], last[0][0], last[0][1]);
            fill(&x[r * 4 + 3], last[-1][0], last[-1][1]);
        }
        seen[1] += dual(first[1], n, 4, 2, x, "of adjoints", p.text);
        ch_func_destroy(first[0]);
        ch_func_destroy(first[1]);
        ch_func_destroy(f);
    }
    assert_true(seen[0] > 20 && seen[1] > 20);
}

// Adjoints of linear operations are the operations that docs/distributed.md names.
static void transposes(void **state) {
    (void)state;
    static const struct {
        const char *op, *result, *back;
    } rows[] = {
        {"all_reduce %x {kind = sum, replicas = [[0,1]]}", "f64[4,2]", "all_reduce"},
        {"all_gather %x {dim = 1, replicas = [[0,1]]}", "f64[4,4]", "reduce_scatter"},
        {"reduce_scatter %x {kind = sum, dim = 0, replicas = [[0,1]]}", "f64[2,2]", "all_gather"},
        {"all_to_all %x {split_dim = 0, concat_dim = 1, replicas = [[0,1]]}", "f64[2,4]",
         "{replicas = [[0,1]], split_dim = 1, concat_dim = 0}"},
        {"permute %x {pairs = [0,1]x[1,2]}", "f64[4,2]", "{pairs = [1,2]x[0,1]}"},
        {"shard %x {sharding = \"m[a=2] [{a}, {}]\"}", "f64[4,2]", "shard %y_bar {sharding = \"m[a=2] [{a}, {}]\"}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400], *out = NULL;
        ch_func *f, *g = NULL;
        snprintf(text, sizeof text,
                 "chaac-ir 1\nfunc @f(%%x: f64[4,2]) -> (%%y: %s) {\n  %%z = %s : %s\n  return %%z\n}\n",
                 rows[i].result, rows[i].op, rows[i].result);
        f = parsed(text);
        assert_int_equal(ch_vjp(f, "x", 0, &g), CH_OK);
        assert_int_equal(ch_func_num_ops(g), 1);
        assert_int_equal(ch_func_to_text(g, &out), CH_OK);
        if (strstr(out, rows[i].back) == NULL) fail_msg("%s is not in\n%s", rows[i].back, out);
        ch_string_free(out);
        ch_func_destroy(f);
        ch_func_destroy(g);
    }
}

// A param that is the same on all replicas: its gradient is the sum of theirs; of a mean by all_reduce that is right.
static void replicated(void **state) {
    (void)state;
    static array x[4 * 2], y[4 * 3];
    ch_func *f = parsed("chaac-ir 1\n"
                        "func @loss(%w: f64[], %x: f64[]) -> f64[] {\n"
                        "  %p = mul %w, %x : f64[]\n"
                        "  %q = mul %p, %p : f64[]\n"
                        "  %n = const {value = 4} : f64[]\n"
                        "  %l = div %q, %n : f64[]\n"
                        "  return %l\n"
                        "}\n"),
            *g = NULL;
    assert_int_equal(ch_value_and_grad(f, "w", &g), CH_OK);
    for (int r = 0; r < 4; r++) {
        x[r * 2] = (array){.v = {3}};
        x[r * 2 + 1] = (array){.v = {r + 1}};
    }
    run(g, 4, 2, x, 2, y);
    double sum = 0;
    for (int r = 0; r < 4; r++) sum += y[r * 2 + 1].v[0];
    assert_true(sum == 2 * 3 * (1 + 4 + 9 + 16) / 4.0); // d/dw of the mean of (w x)^2
    ch_func_destroy(f);
    ch_func_destroy(g);
    // The loss summed inside: each seed counts, so each gradient is 4 times that of its own part.
    f = parsed("chaac-ir 1\n"
               "func @loss(%w: f64[], %x: f64[]) -> f64[] {\n"
               "  %p = mul %w, %x : f64[]\n"
               "  %l = all_reduce %p {kind = sum, replicas = [[0,1,2,3]]} : f64[]\n"
               "  return %l\n"
               "}\n");
    assert_int_equal(ch_value_and_grad(f, "w", &g), CH_OK);
    run(g, 4, 2, x, 2, y);
    for (int r = 0; r < 4; r++) {
        assert_true(y[r * 2].v[0] == 3 * 10);
        assert_true(y[r * 2 + 1].v[0] == 4 * (r + 1));
    }
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// Loops, branches, calls and symbolic sizes around collectives, differentiated.
static void inside_control(void **state) {
    (void)state;
    static array x[2], y[2], xs[2 * 2], g[2 * 2];
    ch_func *f = parsed("chaac-ir 1\n"
                        "func @mix(%a: f64[n]) -> f64[n] {\n"
                        "  %s = all_reduce %a {kind = sum, replicas = [[0,1]]} : f64[n]\n"
                        "  %t = sin %s : f64[n]\n"
                        "  return %t\n"
                        "}\n"
                        "func @f(%x: f64[n]) -> f64[n] {\n"
                        "  %l = const {value = 0} : i64[]\n"
                        "  %h = const {value = 3} : i64[]\n"
                        "  %o = const {value = 1} : i64[]\n"
                        "  %y = for %i = %l to %h step %o iter(%a = %x) {\n"
                        "    %b = call @mix(%a) : f64[n]\n"
                        "    %p = compare %i, %o {dir = eq} : bool[]\n"
                        "    %c = if %p {\n"
                        "      %d = permute %b {pairs = [0,1]x[1,0]} : f64[n]\n"
                        "      %e = mul %d, %x : f64[n]\n"
                        "      yield %e\n"
                        "    } else {\n"
                        "      yield %b\n"
                        "    } : f64[n]\n"
                        "    yield %c\n"
                        "  } : f64[n]\n"
                        "  return %y\n"
                        "}\n"),
            *vjp = NULL;
    assert_int_equal(ch_func_num_replicas(f), 2);
    assert_int_equal(ch_vjp(f, "x", 0, &vjp), CH_OK);
    for (int r = 0; r < 2; r++) {
        x[r] = (array){.rank = 1, .dims = {3}};
        for (int i = 0; i < 3; i++) x[r].v[i] = draw_number();
        xs[r * 2] = x[r];
        xs[r * 2 + 1] = (array){.rank = 1, .dims = {3}, .v = {1, 1, 1}};
    }
    run(vjp, 2, 2, xs, 1, g);
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 3; i++) {
            const double h = 1e-6;
            double d = 0;
            for (int sign = -1; sign <= 1; sign += 2) {
                array moved[2] = {x[0], x[1]};
                moved[r].v[i] += sign * h;
                run(f, 2, 1, moved, 1, y);
                for (int k = 0; k < 6; k++) d += sign * y[k / 3].v[k % 3] / (2 * h);
            }
            assert_true(fabs(d - g[r].v[i]) < 1e-8);
        }
    ch_func_destroy(f);
    ch_func_destroy(vjp);
}

// ---------------------------------------------------------------- what is refused
static void refused_text(void **state) {
    (void)state;
    static const struct {
        const char *op, *sentence;
    } rows[] = {
        {"all_reduce %x {kind = sum, replicas = [[0,1],[1,2]]} : f64[4,2]",
         "replicas: 1 is listed twice — each stands in"},
        {"all_reduce %x {kind = sum, replicas = [[0,1],[3]]} : f64[4,2]",
         "replicas: 3 is listed, and 3 in all — groups part the replicas 0 to 2"},
        {"all_reduce %x {kind = sum, replicas = [[0,-1]]} : f64[4,2]", "replicas: -1 is listed"},
        {"all_reduce %x {kind = sum, replicas = []} : f64[4,2]",
         "replicas: there is no group — one of all is [[0,1,...]]"},
        {"all_reduce %x {kind = sum, replicas = [[0],[]]} : f64[4,2]", "replicas: group 1 is empty"},
        {"all_reduce %x {kind = and, replicas = [[0]]} : f64[4,2]", "kind and takes signed, unsigned and bool dtypes"},
        {"all_reduce %x {kind = sum, tie = first, replicas = [[0]]} : f64[4,2]",
         "tie is given for sum, it is for min and max"},
        {"all_gather %x {dim = 2, replicas = [[0]]} : f64[4,2]", "dim is 2"},
        {"all_gather %x {dim = 0, replicas = [[0,1],[2]]} : f64[8,2]",
         "replicas: group 1 has 1 members, group 0 has 2 — here they are of one size"},
        {"reduce_scatter %x {kind = sum, dim = 0, replicas = [[0,1,2]]} : f64[1,2]",
         "axis 0 is 4, which is to be cut into 3 equal pieces"},
        {"all_to_all %x {split_dim = 1, concat_dim = 0, replicas = [[0,1,2]]} : f64[1,2]",
         "axis 1 is 2, which is to be cut into 3 equal pieces"},
        {"all_to_all %x {split_dim = 0, concat_dim = 0, replicas = 3} : f64[4,2]", "expected '[' before the lists"},
        {"permute %x {pairs = [0,1]x[2,2]} : f64[4,2]",
         "pairs: target 2 stands in two pairs — a replica receives once"},
        {"permute %x {pairs = [1,1]x[0,2]} : f64[4,2]", "pairs: source 1 stands in two pairs — a replica sends once"},
        {"permute %x {pairs = [-1]x[0]} : f64[4,2]", "pairs: source -1 — replicas are 0 to 4095"},
        {"shard %x {sharding = \"m[a=2] [{a}]\"} : f64[4,2]", "the sharding is of rank 1, the array of rank 2"},
        {"shard %x {sharding = \"m[a=2] [{b}, {}]\"} : f64[4,2]", "the mesh m has no axis b"},
        {"shard %x {sharding = \"m[a=2] [{a}, {a}]\"} : f64[4,2]", "the axis a is used twice — it cuts one dim only"},
        {"shard %x {sharding = \"m[a=4] [{a:(2)4}, {}]\"} : f64[4,2]", "a is 4 devices long, (2)4 is no part of it"},
        {"shard %x {sharding = \"m[a=2, a=2] [{}, {}]\"} : f64[4,2]", "the mesh has the axis a twice"},
        {"shard %x {sharding = \"m[a=0] [{}, {}]\"} : f64[4,2]", "a number from 1 on is expected"},
        {"shard %x {sharding = \"m[a=99999] [{}, {}]\"} : f64[4,2]", "numbers end at 4096"},
        {"shard %x {sharding = \"m[a=2] [{?, a}, {}]\"} : f64[4,2]", "'}' is expected after '?'"},
        {"shard %x {sharding = \"m[a=2] device_ids=[0] [{}, {}]\"} : f64[4,2]",
         "device_ids names 1 of the 2 devices of the mesh"},
        {"shard %x {sharding = \"m[a=2] device_ids=[0, 1, 1] [{}, {}]\"} : f64[4,2]",
         "device_ids names more than the 2 devices of the mesh"},
        {"shard %x {sharding = \"m[a=2] device_ids=[1, 1] [{}, {}]\"} : f64[4,2]", "device 1 is named twice"},
        {"shard %x {sharding = \"m[a=2] device_ids=[0, 2] [{}, {}]\"} : f64[4,2]", "device 2 of a mesh of 2"},
        {"shard %x {sharding = \"m[a=2] [{}, {}] more\"} : f64[4,2]", "character 17 — the end is expected"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        ch_func *f = NULL;
        snprintf(text, sizeof text, "chaac-ir 1\nfunc @f(%%x: f64[4,2]) -> f64[4,2] {\n  %%y = %s\n  return %%x\n}\n",
                 rows[i].op);
        assert_int_not_equal(ch_func_parse(text, "t.ir", &f), CH_OK);
        if (strstr(ch_error_message(), rows[i].sentence) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", rows[i].sentence, ch_error_message());
    }
    ch_func *f = NULL;
    assert_int_not_equal(ch_func_parse("chaac-ir 1\nfunc @f(%x: f64[2]) -> f64[2] {\n"
                                       "  %y = all_reduce %x {kind = sum, replicas = [[0,1]]} : f64[2]\n"
                                       "  %z = all_reduce %y {kind = sum, replicas = [[0,1,2]]} : f64[2]\n"
                                       "  return %z\n}\n",
                                       "t.ir", &f),
                         CH_OK);
    assert_non_null(
        strstr(ch_error_message(), "its groups are for 3 replicas, those of op 1 for 2 — all of a func are"));
    assert_int_not_equal(ch_func_parse("chaac-ir 1\nmesh @m\n", "t.ir", &f), CH_OK);
    assert_non_null(strstr(ch_error_message(), "a mesh stands in the shardings that use it"));
    assert_int_not_equal(
        ch_func_parse("chaac-ir 1\nfunc @f(%x: f64[2] sharded \"m[a=2] []\") -> f64[2] {\n return %x\n}\n", "t.ir", &f),
        CH_OK);
    assert_non_null(strstr(ch_error_message(), "t.ir:2:28: sharded: the sharding is of rank 0, the array of rank 1"));
}

static ch_status run_with(const char *text, int n, int n_in) {
    ch_func *f = parsed(text);
    ch_exec *e = NULL;
    ch_tensor *in[8], *out[8] = {NULL};
    assert_int_equal(ch_compile(f, "interp", NULL, &e), CH_OK);
    for (int i = 0; i < n * n_in; i++) in[i] = ch_from_f64((double[]){1, 2, 3, 4}, 1, (int64_t[]){i == 1 ? 4 : 2});
    ch_status s = ch_exec_run_replicas(e, NULL, n, n_in, in, ch_func_num_results(f), out);
    if (s == CH_OK) ch_release(out[0]);
    for (int i = 0; i < 8 && s != CH_OK; i++) assert_null(out[i]);
    ch_exec_release(e);
    ch_func_destroy(f);
    return s;
}

#define ALL_REDUCE(x, n) "  %y = all_reduce " x " {kind = sum, replicas = [[0,1]]} : f64[" n "]\n"
static void refused_runs(void **state) {
    (void)state;
    static const char plain[] =
        "chaac-ir 1\nfunc @f(%x: f64[n]) -> f64[n] {\n" ALL_REDUCE("%x", "n") "  return %y\n}\n";
    assert_int_equal(run_with(plain, 1, 1), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_id(), "replica_count");
    assert_string_equal(ch_error_message(), "replica 0: test.ir:3: all_reduce: its groups are for 2 replicas, 1 runs "
                                            "alone — ch_exec_run_replicas runs several");
    assert_int_equal(run_with(plain, 3, 1), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_id(), "replica_count");
    assert_int_equal(run_with(plain, 2, 1), CH_INVALID_ARGUMENT); // sizes 2 and 4
    assert_string_equal(ch_error_message(), "replica 0: test.ir:3: all_reduce: replica 0 brings f64[2], replica 1 "
                                            "f64[4] — they have one shape");
    static const char branch[] = "chaac-ir 1\nfunc @f() -> f64[] {\n"
                                 "  %i = replica_id : u32[]\n"
                                 "  %z = const {value = 0} : u32[]\n"
                                 "  %p = compare %i, %z {dir = eq} : bool[]\n"
                                 "  %x = const {value = 1} : f64[]\n"
                                 "  %r = if %p {\n" ALL_REDUCE("%x", "") "    yield %y\n"
                                                                         "  } else {\n%s  } : f64[]\n  return %r\n}\n";
    char text[1000];
    snprintf(text, sizeof text, "%.*s%s%s", (int)(strstr(branch, "%s") - branch), branch, "    yield %x\n",
             strstr(branch, "%s") + 2);
    assert_int_equal(run_with(text, 2, 0), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_id(), "replicas_differ");
    assert_string_equal(ch_error_message(), "f: replica 0 is in all_reduce (test.ir:8), replica 1 has ended — every "
                                            "replica runs the same collectives in the same order");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(strstr(branch, "%s") - branch), branch,
             "    %q = permute %x {pairs = [0]x[0]} : f64[]\n    yield %q\n", strstr(branch, "%s") + 2);
    assert_int_equal(run_with(text, 2, 0), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_message(), "f: replica 0 is in all_reduce (test.ir:8), replica 1 is in permute "
                                            "(test.ir:11) — every replica runs the same collectives in the same order");
    // A failure of one replica stops the others where they wait.
    static const char fails[] = "chaac-ir 1\nfunc @f(%x: f64[n]) -> f64[] {\n"
                                "  %i = replica_id : u32[]\n"
                                "  %j = convert %i : i64[]\n"
                                "  %s = const {value = 7} : i64[]\n"
                                "  %k = mul %j, %s : i64[]\n"
                                "  %v = get %x[%k] : f64[]\n" ALL_REDUCE("%v", "") "  return %y\n}\n";
    assert_int_equal(run_with(fails, 2, 1), CH_OUT_OF_RANGE);
    assert_memory_equal(ch_error_message(), "replica 1: test.ir:7: get: ", 27);
}

static void refused_calls(void **state) {
    (void)state;
    ch_func *f = parsed("chaac-ir 1\nfunc @f(%x: f64[2]) -> f64[2] {\n" ALL_REDUCE("%x", "2") "  return %y\n}\n");
    ch_func *g = NULL;
    ch_exec *e = NULL;
    char *text = NULL;
    ch_tensor *x = ch_zeros(CH_F64, 1, (int64_t[]){2}), *in[2] = {x, x}, *out[2] = {NULL}, *given[2] = {x, NULL};
    assert_int_equal(ch_func_to_c(f, &text), CH_UNIMPLEMENTED);
    assert_string_equal(ch_error_message(),
                        "print_c: test.ir:3: all_reduce: it works with other replicas, which C does not know — "
                        "ch_exec_run_replicas of the engine \"interp\" runs them, StableHLO says it to devices");
    assert_int_equal(ch_jacobian(f, "x", &g), CH_UNIMPLEMENTED);
    assert_string_equal(
        ch_error_message(),
        "ch_jacobian: @f works with other replicas, which have params of their own — take ch_vjp or ch_jvp");
    assert_int_equal(ch_compile(f, "interp", NULL, &e), CH_OK);
    assert_int_equal(ch_exec_run_replicas(NULL, NULL, 2, 1, in, 1, out), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_exec_run_replicas(e, NULL, 0, 1, in, 1, out), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "run: 0 replicas — 1 to 256 run together here");
    assert_int_equal(ch_exec_run_replicas(e, NULL, 2, 2, in, 1, out), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_exec_run_replicas(e, NULL, 2, 1, in, 1, given), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "run: out[0] is a tensor — replicas make their results: give NULL");
    assert_int_equal(ch_exec_run_replicas(e, NULL, 2, 1, in, 1, NULL), CH_INVALID_ARGUMENT);
    ch_run_options o = {.struct_size = sizeof o, .donate = (unsigned char[]){1}};
    assert_int_equal(ch_exec_run_replicas(e, &o, 2, 1, in, 1, out), CH_INVALID_ARGUMENT);
    volatile int cancel = 1;
    o = (ch_run_options){.struct_size = sizeof o, .cancel = &cancel};
    assert_int_equal(ch_exec_run_replicas(e, &o, 2, 1, in, 1, out), CH_CANCELLED);
    ch_exec_release(e);
    ch_func_destroy(f);
    // A reduction that is not a sum, over groups of two sizes, has no derivative.
    f = parsed("chaac-ir 1\nfunc @f(%x: f64[2]) -> f64[2] {\n"
               "  %y = all_reduce %x {kind = max, replicas = [[0,1],[2]]} : f64[2]\n  return %y\n}\n");
    assert_int_equal(ch_vjp(f, "x", 0, &g), CH_UNIMPLEMENTED);
    assert_string_equal(ch_error_message(), "all_reduce: the derivative of kind max takes groups of one size");
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- functions on tensors
static ch_status body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    const ch_groups all = {1, 2, NULL}, turned = {1, 2, (const int64_t[]){1, 0}};
    ch_tensor *x = ch_shard(in[0], "mesh[d=2] [{d}, {}]");
    ch_tensor *s = ch_all_reduce(x, CH_REDUCE_SUM, &all);
    ch_tensor *g = ch_all_gather(s, -1, &turned);                // [n, 8]
    ch_tensor *r = ch_reduce_scatter(g, CH_REDUCE_MAX, 1, &all); // [n, 4]
    ch_tensor *t = ch_all_to_all(r, 1, 0, &all);                 // [2n, 2]
    ch_tensor *p = ch_permute(t, 1, (const int64_t[]){0}, (const int64_t[]){1});
    out[0] = ch_add(p, ch_replica_id(CH_F32));
    return CH_OK;
}

static void captured(void **state) {
    (void)state;
    ch_func *f = NULL;
    char *text = NULL;
    if (ch_capture(body, NULL, "x: f32[n,4]", 1, &f) != CH_OK) fail_msg("%s", ch_error_message());
    assert_int_equal(ch_func_to_text(f, &text), CH_OK);
    assert_non_null(strstr(text, "all_gather"));
    assert_non_null(strstr(text, "f32[2*n,2]"));
    assert_int_equal(ch_func_num_replicas(f), 2);
    ch_exec *e = NULL;
    assert_int_equal(ch_compile(f, NULL, NULL, &e), CH_OK); // native refuses it, so this is the interpreter
    ch_tensor *in[2], *out[2] = {NULL};
    for (int r = 0; r < 2; r++) in[r] = ch_mul(ch_ones(CH_F32, 2, (int64_t[]){1, 4}), ch_scalar(CH_F32, r + 1));
    assert_int_equal(ch_exec_run_replicas(e, NULL, 2, 1, in, 1, out), CH_OK);
    float v[4];
    assert_int_equal(ch_read_f32(out[0], v, 4), CH_OK);
    assert_true(v[0] == 0 && v[3] == 0); // nothing is sent to it
    assert_int_equal(ch_read_f32(out[1], v, 4), CH_OK);
    assert_true(v[0] == 4 && v[3] == 4); // 1 + 2, and its number
    ch_release(out[0]);
    ch_release(out[1]);
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_string_free(text);
    // Alone they are refused when they run, and mistakes are error tensors.
    const ch_groups all = {1, 2, NULL}, none = {0, 2, NULL};
    ch_tensor *x = ch_ones(CH_F32, 1, (int64_t[]){2});
    assert_int_equal(ch_realize(ch_all_reduce(x, CH_REDUCE_SUM, &all)), CH_FAILED_PRECONDITION);
    assert_int_not_equal(ch_realize(ch_all_reduce(x, CH_REDUCE_SUM, &none)), CH_OK);
    assert_non_null(strstr(ch_error_message(), "all_reduce: groups of 0 rows of 2 replicas — 1 to 4096 in all"));
    assert_int_not_equal(ch_realize(ch_all_reduce(x, (ch_reduce_kind)9, &all)), CH_OK);
    assert_non_null(strstr(ch_error_message(), "all_reduce: kind 9 — CH_REDUCE_SUM to CH_REDUCE_OR"));
    assert_int_not_equal(ch_realize(ch_all_gather(x, 3, &all)), CH_OK);
    assert_int_not_equal(ch_realize(ch_permute(x, 1, NULL, NULL)), CH_OK);
    assert_int_not_equal(ch_realize(ch_shard(x, NULL)), CH_OK);
    assert_int_not_equal(ch_realize(ch_shard(x, "m[a=2] []")), CH_OK);
    assert_int_equal(ch_realize(ch_shard(x, "m[a=2] [{a}]")), CH_OK);
}

// Pairs are of replicas, so a list of them may be longer than one of axes.
static void many_pairs(void **state) {
    (void)state;
    char from[600] = "", to[600] = "", text[1600], *again = NULL;
    for (int i = 0; i < 100; i++) {
        snprintf(from + strlen(from), sizeof from - strlen(from), "%s%d", i > 0 ? "," : "", i);
        snprintf(to + strlen(to), sizeof to - strlen(to), "%s%d", i > 0 ? "," : "", 99 - i);
    }
    snprintf(text, sizeof text,
             "chaac-ir 1\nfunc @f(%%x: f64[]) -> (%%y: f64[]) {\n  %%y = permute %%x {pairs = [%s]x[%s]} : f64[]\n"
             "  return %%y\n}\n",
             from, to);
    ch_func *f = parsed(text), *back = NULL;
    char *once = NULL;
    assert_int_equal(ch_func_to_text(f, &once), CH_OK);
    assert_non_null(strstr(once, from));
    assert_int_equal(ch_func_parse(once, "again", &back), CH_OK);
    assert_int_equal(ch_func_to_text(back, &again), CH_OK);
    assert_string_equal(once, again);
    ch_string_free(once);
    ch_string_free(again);
    ch_func_destroy(back);
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- shardings of params and results
static void shardings(void **state) {
    (void)state;
    ch_func *f = parsed(
                "chaac-ir 1\nfunc @f(%x: f64[4,2], %w: f64[2] sharded \"m[a=2,b=2] [{ b , ? }p3]\") -> (%y: f64[]) {\n"
                "  %p = dot %x, %w {contract = [1]x[0]} : f64[4]\n"
                "  %s = reduce %p {kind = sum, dims = [0]} : f64[]\n  return %s\n}\n"),
            *g = NULL, *h = NULL;
    assert_string_equal(ch_func_param_sharding(f, 1), "m[a=2, b=2] [{b, ?}p3]");
    assert_int_equal(ch_func_with_sharding(f, "w", "m[a=2,b=2] device_ids=[3,1,2,0] [{b}]", &g), CH_OK);
    assert_string_equal(ch_func_param_sharding(g, 1), "m[a=2, b=2] device_ids=[3, 1, 2, 0] [{b}]");
    ch_func_destroy(g);
    assert_int_equal(ch_func_with_sharding(f, "w", "m[a=2] device_ids=[0, 1] [{a}]", &g), CH_OK);
    assert_string_equal(ch_func_param_sharding(g, 1), "m[a=2] [{a}]"); // the plain order is not written
    ch_func_destroy(g);
    g = NULL;
    assert_null(ch_func_param_sharding(f, 0));
    assert_null(ch_func_param_sharding(f, -1));
    assert_null(ch_func_result_sharding(f, 5));
    assert_int_equal(ch_func_with_sharding(f, "x", "m[a=4] [{a:(1)2}, {}] replicated={a:(2)2}", &g), CH_OK);
    assert_string_equal(ch_func_param_sharding(g, 0), "m[a=4] [{a:(1)2}, {}] replicated={a:(2)2}");
    assert_int_equal(ch_func_with_sharding(g, "0", "m[a=4] []", &h), CH_OK);
    assert_string_equal(ch_func_result_sharding(h, 0), "m[a=4] []");
    ch_func_destroy(g);
    assert_int_equal(ch_func_with_sharding(h, "y", NULL, &g), CH_OK);
    assert_null(ch_func_result_sharding(g, 0));
    ch_func_destroy(g);
    // Values lie as they did, gradients as what they are of.
    assert_int_equal(ch_value_and_grad(h, "w, x", &g), CH_OK);
    assert_string_equal(ch_func_param_sharding(g, 0), "m[a=4] [{a:(1)2}, {}] replicated={a:(2)2}");
    assert_string_equal(ch_func_result_sharding(g, 0), "m[a=4] []");
    assert_string_equal(ch_func_result_sharding(g, 1), "m[a=2, b=2] [{b, ?}p3]");
    assert_string_equal(ch_func_result_sharding(g, 2), "m[a=4] [{a:(1)2}, {}] replicated={a:(2)2}");
    char *text = NULL, *again = NULL;
    ch_func *back = NULL;
    assert_int_equal(ch_func_to_text(g, &text), CH_OK);
    assert_int_equal(ch_func_parse(text, "again", &back), CH_OK);
    assert_int_equal(ch_func_to_text(back, &again), CH_OK);
    assert_string_equal(text, again);
    ch_string_free(text);
    ch_string_free(again);
    ch_func_destroy(back);
    ch_func_destroy(g);
    g = NULL;
    // A tangent lies as what it is of.
    assert_int_equal(ch_jvp(h, "w", 1, &g), CH_OK);
    assert_string_equal(ch_func_param_sharding(g, 0), "m[a=4] [{a:(1)2}, {}] replicated={a:(2)2}");
    assert_string_equal(ch_func_param_sharding(g, 2), "m[a=2, b=2] [{b, ?}p3]");
    assert_string_equal(ch_func_result_sharding(g, 0), "m[a=4] []");
    assert_string_equal(ch_func_result_sharding(g, 1), "m[a=4] []");
    ch_func_destroy(g);
    g = NULL;
    assert_int_equal(ch_func_with_sharding(f, "z", "m[a=4] []", &g), CH_NOT_FOUND);
    assert_string_equal(ch_error_message(),
                        "ch_func_with_sharding: @f has no param or result 'z' — a name, or a result's number");
    assert_int_equal(ch_func_with_sharding(f, "x", "m[a=4] []", &g), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_func_with_sharding(f, "x", "m", &g), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "ch_func_with_sharding: sharding \"m\", character 2 — '[' is expected");
    assert_int_equal(ch_func_with_sharding(NULL, "x", "m[] []", &g), CH_INVALID_ARGUMENT);
    ch_func_destroy(f);
    ch_func_destroy(h);
}

// ---------------------------------------------------------------- StableHLO
static const char jax_text[] =
    "module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  sdy.mesh @turned = <[\"x\"=4], device_ids=[2, 0, 1, 3]>\n"
    "  func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"y\", ?}p1], "
    "replicated={\"x\"}>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@turned, [{\"x\"}]>}) -> "
    "(tensor<4xf32> {sdy.sharding = #sdy.sharding<mesh<[\"z\"=4]>, [{\"z\"}]>}) {\n"
    "    %0 = sdy.sharding_constraint %a <@mesh, [{\"x\", \"y\"}]> : tensor<4xf32>\n"
    "    %1 = sdy.sharding_constraint %b <@none, [{\"x\"}]> : tensor<4xf32>\n"
    "    %2:2 = \"stablehlo.all_reduce\"(%0, %1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
    "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({\n"
    "    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "      %s = stablehlo.add %x, %y : tensor<f32>\n"
    "      stablehlo.return %s : tensor<f32>\n"
    "    }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)\n"
    "    %3 = stablehlo.add %2#0, %2#1 : tensor<4xf32>\n"
    "    return %3 : tensor<4xf32>\n"
    "  }\n"
    "}\n";

static void hlo_read(void **state) {
    (void)state;
    ch_func *f = NULL;
    char *text = NULL;
    if (ch_hlo_parse(jax_text, "jax", NULL, &f) != CH_OK) fail_msg("%s", ch_error_message());
    assert_int_equal(ch_func_num_replicas(f), 2);
    assert_int_equal(ch_func_count(f, "all_reduce"), 2);
    assert_int_equal(ch_func_count(f, "shard"), 1); // a mesh that the text lacks: the value itself
    assert_string_equal(ch_func_param_sharding(f, 0), "mesh[x=2, y=2] [{y, ?}p1] replicated={x}");
    assert_string_equal(ch_func_param_sharding(f, 1), "turned[x=4] device_ids=[2, 0, 1, 3] [{x}]");
    assert_string_equal(ch_func_result_sharding(f, 0), "mesh[z=4] [{z}]");
    // Two meshes of one name and other axes get two names, and both come back.
    assert_int_equal(ch_hlo_to_text(f, NULL, &text), CH_OK);
    assert_non_null(strstr(text, "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>"));
    assert_non_null(strstr(text, "sdy.mesh @mesh_1 = <[\"z\"=4]>"));
    assert_non_null(strstr(text, "sdy.mesh @turned = <[\"x\"=4], device_ids=[2, 0, 1, 3]>"));
    assert_non_null(strstr(text, "mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32"));
    ch_func_destroy(f);
    assert_int_equal(ch_hlo_parse(text, "again", NULL, &f), CH_OK);
    assert_string_equal(ch_func_result_sharding(f, 0), "mesh_1[z=4] [{z}]");
    ch_func_destroy(f);
    ch_string_free(text);
    static const struct {
        const char *line, *sentence;
    } rows[] = {
        {"\"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64} : (tensor<4xf32>) -> tensor<8xf32>",
         "stablehlo.all_gather: replica_groups is missing"},
        {"\"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>} : "
         "(tensor<4xf32>) -> tensor<8xf32>",
         "replica_groups is empty: how many replicas there are is not said"},
        {"\"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : "
         "tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>",
         "replicas: 2 is listed, and 2 in all"},
        {"\"stablehlo.all_to_all\"(%x) {split_count = 3 : i64, split_dimension = 0 : i64, concat_dimension = 0 : i64, "
         "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>",
         "split_count is 3, the groups have 2 members"},
        {"\"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>} : "
         "(tensor<4xf32>) -> tensor<4xf32>",
         "pairs: target 1 stands in two pairs"},
        {"\"stablehlo.all_reduce\"(%x) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
         "%s = stablehlo.subtract %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) {replica_groups = "
         "dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>",
         "its region is not one of add, multiply, maximum, minimum, and, or of its two params"},
        {"stablehlo.partition_id : tensor<ui32>",
         "stablehlo.partition_id is not taken: replicas are in the IR, this is not"},
        {"sdy.manual_computation(%x) in_shardings=[<@m, [{\"a\"}]>] out_shardings=[<@m, [{\"a\"}]>] "
         "manual_axes={\"a\"} (%p: tensor<2xf32>) {\nsdy.return %p : tensor<2xf32>\n} : (tensor<4xf32>) -> "
         "tensor<4xf32>",
         "t:2:6: sdy.manual_computation is not taken: a region of one device's shards is not in the IR; a session "
         "runs the text (ch_session_run_text)"},
        {"\"sdy.manual_computation\"(%x) <{manual_axes = #sdy<manual_axes{\"a\"}>}> ({\n^bb0(%p: tensor<2xf32>):\n"
         "\"sdy.return\"(%p) : (tensor<2xf32>) -> ()\n}) : (tensor<4xf32>) -> tensor<4xf32>",
         "t:2:6: sdy.manual_computation is not taken: a region of one device's shards is not in the IR"},
        {"sdy.all_gather [{\"a\"}] %x out_sharding=<@m, [{}]> : tensor<4xf32>",
         "sdy.all_gather is not taken: collectives of a partitioned program are not in the IR; a session runs the "
         "text"},
        {"sdy.propagation_barrier %x allowed_direction=NONE : tensor<4xf32>",
         "sdy.propagation_barrier is not taken: of Shardy's operations sdy.sharding_constraint is"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char whole[900];
        snprintf(whole, sizeof whole,
                 "func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n%%y = %s\nreturn %%x : tensor<4xf32>\n}\n",
                 rows[i].line);
        f = NULL;
        assert_int_not_equal(ch_hlo_parse(whole, "t", NULL, &f), CH_OK);
        if (strstr(ch_error_message(), rows[i].sentence) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", rows[i].sentence, ch_error_message());
    }
    f = parsed(
        "chaac-ir 1\nfunc @f(%x: f32[4] sharded \"m[a=2] [{a}]\", %y: f32[4] sharded \"n[a=4] [{a}]\") -> f32[4] "
        "{\n  return %x\n}\n");
    assert_int_equal(ch_hlo_to_text(f, NULL, &text), CH_UNIMPLEMENTED);
    assert_non_null(strstr(ch_error_message(), "its meshes have 2 and 4 devices"));
    ch_func_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(values, end_thread),         cmocka_unit_test_teardown(integers, end_thread),
        cmocka_unit_test_teardown(transposes, end_thread),     cmocka_unit_test_teardown(random_programs, end_thread),
        cmocka_unit_test_teardown(second_order, end_thread),   cmocka_unit_test_teardown(replicated, end_thread),
        cmocka_unit_test_teardown(inside_control, end_thread), cmocka_unit_test_teardown(refused_text, end_thread),
        cmocka_unit_test_teardown(refused_runs, end_thread),   cmocka_unit_test_teardown(refused_calls, end_thread),
        cmocka_unit_test_teardown(captured, end_thread),       cmocka_unit_test_teardown(many_pairs, end_thread),
        cmocka_unit_test_teardown(shardings, end_thread),      cmocka_unit_test_teardown(hlo_read, end_thread),
        cmocka_unit_test_teardown(beside, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
