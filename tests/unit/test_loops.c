// SPDX-License-Identifier: Apache-2.0
// test_loops.c - the reverse of loops: elements in place, the memory of tapes, policies that agree, a ball with drag
// unrolled and as a loop, a heat equation, every allocation failing in turn.
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "chaac/func.h"
#include "interp/exec.h"
#include "unit.h"

#define CONSTS "  %i0 = const {value = 0} : i64[]\n  %i1 = const {value = 1} : i64[]\n"

typedef struct {
    ch_func *f;
    ch__program *p;
    ch__arena *a;
} program;

static void prepare(void *arg) {
    program *p = arg;
    ch__verify_module(p->f->module);
    p->a = ch__arena_create();
    p->p = ch__interp_prepare(p->a, p->f);
    ch__arena_keep(p->a);
}

static ch_func *parse(const char *body) {
    static char text[1 << 18];
    ch_func *f = NULL;
    snprintf(text, sizeof text, "chaac-ir 1\n%s", body);
    if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

static program gradient_of(const char *body) {
    ch_func *f = parse(body);
    program p = {0};
    if (ch_value_and_grad(f, NULL, &p.f) != CH_OK || ch__protect(prepare, &p) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
    return p;
}

static void close_program(program *p) {
    ch__arena_destroy(p->a);
    ch_func_destroy(p->f);
}

static ch__slot numbers(int64_t n, const double *x) {
    return (ch__slot){.dtype = CH_F64, .rank = n > 0, .dims = {n}, .data = (void *)(uintptr_t)x};
}

static ch_status run_limited(const program *p, int64_t max_bytes, int n_in, const ch__slot *in, ch__slot *out) {
    ch__limits limits = {.max_bytes = max_bytes};
    int n = p->f->body->n_results;
    for (int i = 0; i < n; i++) out[i] = (ch__slot){0};
    return ch__interp_run(p->p, &limits, n_in, in, n, out);
}

static void run(const program *p, int n_in, const ch__slot *in, ch__slot *out) {
    if (run_limited(p, 0, n_in, in, out) != CH_OK) fail_msg("%s", ch_error_message());
}

static void release(const program *p, ch__slot *out) {
    for (int i = 0; i < p->f->body->n_results; i++) ch__free_aligned(out[i].data);
}

static const double *result(const ch__slot *s) { return s->data; }

// ---------------------------------------------------------------- elements in place
// a[i] = a[i] * a[i-1] for 1000 elements: a few copies of whole arrays, whatever the number of elements.
static void elements_in_place(void **state) {
    (void)state;
    static const char body[] =
        "func @f(%x: f64[1000]) -> f64[] {\n" CONSTS "  %n = const {value = 1000} : i64[]\n"
        "  %r = for %i = %i1 to %n step %i1 iter(%a = %x) {\n    %j = sub %i, %i1 : i64[]\n"
        "    %u = get %a[%j] : f64[]\n    %v = get %a[%i] : f64[]\n    %w = mul %u, %v : f64[]\n"
        "    %b = set %a[%i], %w : f64[1000]\n    yield %b\n  } : f64[1000]\n"
        "  %s = reduce %r {kind = sum, dims = [0], acc = f64, order = seq} : f64[]\n  return %s\n}\n";
    static double x[1000];
    for (int i = 0; i < 1000; i++) x[i] = 1 + 0.001 * sin(i);
    program p = gradient_of(body);
    ch__slot in = numbers(1000, x), out[2];
    ch__interp_counts before = *ch__interp_counts_here();
    run(&p, 1, &in, out);
    assert_true(ch__interp_counts_here()->copies - before.copies <= 4);
    // Two scalars an iteration are kept, not two arrays.
    assert_true(ch__interp_counts_here()->buffers - before.buffers <= 16);
    // d/dx[k] of the sum of prefix products.
    double product[1000], tail = 0;
    product[0] = x[0];
    for (int i = 1; i < 1000; i++) product[i] = product[i - 1] * x[i];
    for (int k = 999; k >= 0; k--) {
        tail += product[k];
        assert_true(fabs(result(&out[1])[k] - tail / x[k]) <= 1e-11 * fabs(tail / x[k]));
    }
    release(&p, out);
    ch__slot small[2];
    assert_int_equal(run_limited(&p, 8 * 1000 * 8, 1, &in, small), CH_OK);
    release(&p, small);
    close_program(&p);
}

// ---------------------------------------------------------------- memory
#define STATE4(policy)                                                                                                 \
    "func @f(%x: f64[]) -> f64[] {\n" CONSTS "  %n = const {value = 100000} : i64[]\n"                                 \
    "  %h = const {value = 0.00002} : f64[]\n"                                                                         \
    "  %a, %b, %c, %d = for %i = %i0 to %n step %i1 iter(%p = %x, %q = %h, %r = %x, %s = %h)" policy " {\n"            \
    "    %pq = mul %p, %q : f64[]\n    %rs = mul %r, %s : f64[]\n    %sp = sin %p : f64[]\n    %sr = sin %r : f64[]\n" \
    "    %u = mul %h, %rs : f64[]\n    %v = mul %h, %sr : f64[]\n    %w = mul %h, %pq : f64[]\n"                       \
    "    %z = mul %h, %sp : f64[]\n    %p1 = sub %p, %u : f64[]\n    %q1 = sub %q, %v : f64[]\n"                       \
    "    %r1 = add %r, %w : f64[]\n    %s1 = sub %s, %z : f64[]\n    yield %p1, %q1, %r1, %s1\n"                       \
    "  } : f64[], f64[], f64[], f64[]\n  %y = add %a, %c : f64[]\n  return %y\n}\n"

static double gradient_within(const char *body, int64_t bytes) {
    program p = gradient_of(body);
    double x = 0.3;
    ch__slot in = numbers(0, &x), out[2];
    if (run_limited(&p, bytes, 1, &in, out) != CH_OK) fail_msg("%s", ch_error_message());
    double g = *result(&out[1]);
    release(&p, out);
    close_program(&p);
    return g;
}

static void tapes_are_exact(void **state) {
    (void)state;
    const int64_t exact = 4 * 8 * 100000;
    double g = gradient_within(STATE4(""), exact + exact / 20);
    program p = gradient_of(STATE4(""));
    double x = 0.3;
    ch__slot in = numbers(0, &x), out[2];
    assert_int_equal(run_limited(&p, exact - 8, 1, &in, out), CH_RESOURCE_EXHAUSTED);
    assert_string_equal(ch_error_id(), "limit");
    close_program(&p);
    assert_true(isfinite(g) && g != 0);
    assert_true(gradient_within(STATE4(" {policy = \"revolve(20)\"}"), exact / 100) == g);
    assert_true(gradient_within(STATE4(" {policy = \"sqrt\"}"), exact / 50) == g);
}

// The fewest bytes of intermediates, tapes among them, with which p runs.
static int64_t bytes_needed(const program *p, int n_in, const ch__slot *in) {
    int64_t lo = 0, hi = 1 << 28;
    while (hi - lo > 1) {
        ch__slot out[4];
        int64_t mid = lo + (hi - lo) / 2;
        if (run_limited(p, mid, n_in, in, out) == CH_OK) {
            release(p, out);
            hi = mid;
        } else {
            assert_string_equal(ch_error_id(), "limit");
            lo = mid;
        }
    }
    return hi;
}

static char *put_text(char *at, const char *text, int n) {
    for (const char *p = text; *p != '\0'; p++) at += *p == '#' ? sprintf(at, "%d", n) : sprintf(at, "%c", *p);
    return at;
}

// An in-place factorization m = l l' of an n x n matrix, one column after the other; the loss is the sum of l.
static const char *cholesky(int n) {
    static char text[4096];
    put_text(text,
             "func @f(%m: f64[#,#]) -> f64[] {\n" CONSTS "  %n = const {value = #} : i64[]\n"
             "  %r = for %j = %i0 to %n step %i1 iter(%a = %m) {\n    %p = get %a[%j, %j] : f64[]\n"
             "    %d = for %k = %i0 to %j step %i1 iter(%s = %p) {\n      %v = get %a[%j, %k] : f64[]\n"
             "      %vv = mul %v, %v : f64[]\n      %t = sub %s, %vv : f64[]\n      yield %t\n    } : f64[]\n"
             "    %q = sqrt %d : f64[]\n    %a1 = set %a[%j, %j], %q : f64[#,#]\n    %j1 = add %j, %i1 : i64[]\n"
             "    %a2 = for %i = %j1 to %n step %i1 iter(%b = %a1) {\n      %e = get %b[%i, %j] : f64[]\n"
             "      %g = for %k = %i0 to %j step %i1 iter(%s = %e) {\n        %v = get %b[%i, %k] : f64[]\n"
             "        %w = get %b[%j, %k] : f64[]\n        %vw = mul %v, %w : f64[]\n"
             "        %t = sub %s, %vw : f64[]\n        yield %t\n      } : f64[]\n      %h = div %g, %q : f64[]\n"
             "      %b1 = set %b[%i, %j], %h : f64[#,#]\n      yield %b1\n    } : f64[#,#]\n    yield %a2\n"
             "  } : f64[#,#]\n"
             "  %l = for %i = %i0 to %n step %i1 iter(%s = %zero) {\n    %o = add %i, %i1 : i64[]\n"
             "    %u = for %j = %i0 to %o step %i1 iter(%c = %s) {\n      %v = get %r[%i, %j] : f64[]\n"
             "      %d = add %c, %v : f64[]\n      yield %d\n    } : f64[]\n    yield %u\n  } : f64[]\n"
             "  return %l\n}\n",
             n);
    char *at = strstr(text, "  %r = for");
    static char whole[4200];
    snprintf(whole, sizeof whole, "%.*s  %%zero = const {value = 0} : f64[]\n%s", (int)(at - text), text, at);
    return whole;
}

static void spd(int n, double *m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) m[i * n + j] = i == j ? n : cos(0.7 * i * j + i + j);
}

// The gradient of p at x[at] is that of differences of its value.
static void check_difference(const program *p, const ch__slot *in, double *x, double got) {
    static const double where[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double old = *x, h = 0x1p-10, sum = 0;
    for (int i = 0; i < 4; i++) {
        ch__slot out[4];
        *x = old + where[i] * h;
        run(p, 1, in, out);
        sum += weight[i] * *result(&out[0]);
        release(p, out);
    }
    *x = old;
    assert_true(fabs(got - sum / (12 * h)) <= 1e-8 * fmax(1, fabs(got)));
}

// Each column keeps the elements that it overwrites, n (n + 1) / 2 in all, beside three n x n arrays: the matrix, its
// adjoint, and the one that a column is computed again in. A tape that grows has up to as much again. If each column
// kept the matrix it would be n of them.
static void cholesky_keeps_elements(void **state) {
    (void)state;
    static double m[48 * 48];
    for (int n = 12; n <= 48; n *= 2) {
        program p = gradient_of(cholesky(n));
        spd(n, m);
        ch__slot in = {.dtype = CH_F64, .rank = 2, .dims = {n, n}, .data = m}, out[2];
        int64_t array = 8 * n * n, elements = 8 * n * (n + 1) / 2;
        assert_true(bytes_needed(&p, 1, &in) <= 3 * array + 2 * elements + 1024);
        ch__interp_counts before = *ch__interp_counts_here();
        run(&p, 1, &in, out);
        assert_true(ch__interp_counts_here()->copies - before.copies <= 2); // of the caller's matrix
        for (int i = 0; i < n; i += 5) check_difference(&p, &in, &m[i * n + i / 2], result(&out[1])[i * n + i / 2]);
        release(&p, out);
        close_program(&p);
    }
}

// u[i] += u[i] (u[i-1] - 2 u[i] + u[i+1]) / 8 in place, cell by cell, step by step. A step overwrites every cell, so
// its start state is kept, and nothing of its cells: those are run again, with three numbers each.
static void cells_in_place(void **state) {
    (void)state;
    static char text[4096];
    static double u[64];
    int cells = 64, steps = 40;
    char *at = put_text(text,
                        "func @f(%x: f64[#]) -> f64[] {\n" CONSTS "  %eighth = const {value = 0.125} : f64[]\n"
                        "  %n = const {value = #} : i64[]\n  %end = sub %n, %i1 : i64[]\n",
                        cells);
    at = put_text(at, "  %steps = const {value = #} : i64[]\n", steps);
    put_text(at,
             "  %r = for %t = %i0 to %steps step %i1 iter(%a = %x) {\n"
             "    %b = for %i = %i1 to %end step %i1 iter(%b = %a) {\n      %l = sub %i, %i1 : i64[]\n"
             "      %h = add %i, %i1 : i64[]\n      %u = get %b[%i] : f64[]\n      %v = get %b[%l] : f64[]\n"
             "      %w = get %b[%h] : f64[]\n      %u2 = add %u, %u : f64[]\n      %s = add %v, %w : f64[]\n"
             "      %d = sub %s, %u2 : f64[]\n      %p = mul %d, %u : f64[]\n      %q = mul %p, %eighth : f64[]\n"
             "      %o = add %u, %q : f64[]\n      %c = set %b[%i], %o : f64[#]\n      yield %c\n    } : f64[#]\n"
             "    yield %b\n  } : f64[#]\n  %rr = mul %r, %r : f64[#]\n"
             "  %y = reduce %rr {kind = sum, dims = [0], acc = f64, order = seq} : f64[]\n  return %y\n}\n",
             cells);
    program p = gradient_of(text);
    for (int i = 0; i < cells; i++) u[i] = 0.5 + 0.4 * sin(0.7 * i);
    ch__slot in = numbers(cells, u), out[2];
    int64_t array = 8 * cells, exact = steps * array;
    assert_true(bytes_needed(&p, 1, &in) <= exact + exact / 20 + 3 * cells * 8 * 3 / 2 + 5 * array + 1024);
    ch__interp_counts before = *ch__interp_counts_here();
    run(&p, 1, &in, out);
    assert_true(ch__interp_counts_here()->copies - before.copies <= 2); // of the caller's array
    for (int i = 0; i < cells; i += 7) check_difference(&p, &in, &u[i], result(&out[1])[i]);
    release(&p, out);
    close_program(&p);
}

// Nothing is kept of a body that is linear in the active state, nor of what follows from the counter.
static void linear_bodies_keep_nothing(void **state) {
    (void)state;
    program p =
        gradient_of("func @f(%x: f64[8], %k: f64[8]) -> f64[] {\n" CONSTS "  %n = const {value = 50} : i64[]\n"
                    "  %s = stop_gradient %k : f64[8]\n  %r = for %i = %i0 to %n step %i1 iter(%a = %x) {\n"
                    "    %c = convert %i : f64[]\n    %e = sin %c : f64[]\n    %v = broadcast %e {dims = []} : f64[8]\n"
                    "    %m = mul %a, %s : f64[8]\n    %b = mul %m, %v : f64[8]\n    yield %b\n  } : f64[8]\n"
                    "  %y = reduce %r {kind = sum, dims = [0], acc = f64, order = seq} : f64[]\n  return %y\n}\n");
    assert_int_equal(ch__count_op_code(p.f, CH_OP_tape_new), 0);
    assert_int_equal(ch__count_op_code(p.f, CH_OP_for), 2);
    close_program(&p);
}

// ---------------------------------------------------------------- a ball with drag
#define STEP_TEXT                                                                                                      \
    "    %%dx%d = mul %%k, %%vx%d : f64[]\n    %%dy%d = mul %%k, %%vy%d : f64[]\n    %%ax%d = sub %%zero, %%dx%d : "   \
    "f64[]\n    %%ay%d = sub %%g, %%dy%d : f64[]\n    %%hx%d = mul %%h, %%ax%d : f64[]\n    %%hy%d = mul %%h, %%ay%d " \
    ": f64[]\n    %%vx%d = add %%vx%d, %%hx%d : f64[]\n    %%vy%d = add %%vy%d, %%hy%d : f64[]\n    %%sx%d = mul "     \
    "%%h, "                                                                                                            \
    "%%vx%d : f64[]\n    %%sy%d = mul %%h, %%vy%d : f64[]\n    %%x%d = add %%x%d, %%sx%d : f64[]\n    %%y%d = add "    \
    "%%y%d, %%sy%d : f64[]\n"

static size_t ball_step(char *out, size_t room, int b) {
    int a = b - 1;
    return (size_t)snprintf(out, room, STEP_TEXT, b, a, b, a, b, b, b, b, b, b, b, b, b, a, b, b, a, b, b, b, b, b, b,
                            a, b, b, a, b);
}

static const char *ball(bool loop) {
    static char text[1 << 16];
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "func @f(%%angle: f64[], %%speed: f64[]) -> f64[] {\n%s  %%n = const {value = 38} : i64[]\n"
        "  %%zero = const {value = 0} : f64[]\n  %%two = const {value = 2} : f64[]\n  %%h = const {value = 0.025} : "
        "f64[]\n"
        "  %%g = const {value = -9.81} : f64[]\n  %%k = const {value = 0.24} : f64[]\n  %%c = cos %%angle : f64[]\n"
        "  %%s = sin %%angle : f64[]\n  %%ux = mul %%speed, %%c : f64[]\n  %%uy = mul %%speed, %%s : f64[]\n",
        CONSTS);
    if (loop) {
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "  %%ex, %%ey, %%fx, %%fy = for %%i = %%i0 to %%n step %%i1 iter(%%x0 = %%zero, %%y0 = %%two, "
            "%%vx0 = %%ux, %%vy0 = %%uy) {\n");
        n += ball_step(text + n, sizeof text - n, 1);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "    yield %%x1, %%y1, %%vx1, %%vy1\n  } : f64[], f64[], f64[], f64[]\n");
    } else {
        // x0 .. vy0 by operations that change no bit.
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  %%x0 = add %%zero, %%zero : f64[]\n  %%y0 = add %%two, %%zero : f64[]\n"
                              "  %%vx0 = barrier %%ux : f64[]\n  %%vy0 = barrier %%uy : f64[]\n");
        for (int b = 1; b <= 38; b++) n += ball_step(text + n, sizeof text - n, b);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  %%ex = barrier %%x38 : f64[]\n  %%ey = barrier %%y38 : f64[]\n");
    }
    snprintf(
        text + n, sizeof text - n,
        "  %%tx = const {value = 4.6} : f64[]\n  %%ty = const {value = 3.05} : f64[]\n  %%mx = sub %%ex, %%tx : f64[]\n"
        "  %%my = sub %%ey, %%ty : f64[]\n  %%qx = mul %%mx, %%mx : f64[]\n  %%qy = mul %%my, %%my : f64[]\n"
        "  %%l = add %%qx, %%qy : f64[]\n  return %%l\n}\n");
    return text;
}

static void ball_with_drag(void **state) {
    (void)state;
    program loop = gradient_of(ball(true)), flat = gradient_of(ball(false));
    double at[2] = {35.52 * M_PI / 180, 6.4}, miss = 0, first = 0;
    assert_int_equal(ch__count_op_code(loop.f, CH_OP_tape_new), 0); // linear in the state
    for (int step = 0; step < 1000; step++) {
        ch__slot in[] = {numbers(0, &at[0]), numbers(0, &at[1])}, x[3], y[3];
        run(&loop, 2, in, x);
        run(&flat, 2, in, y);
        for (int i = 0; i < 3; i++) assert_memory_equal(x[i].data, y[i].data, 8);
        miss = sqrt(*result(&x[0]));
        if (step == 0) first = miss;
        at[0] -= 0.01 * *result(&x[1]);
        at[1] -= 0.01 * *result(&x[2]);
        release(&loop, x);
        release(&flat, y);
        if (miss < 1e-3) break;
    }
    assert_true(fabs(first - 2.13) < 0.005);
    assert_true(miss < 1e-3);
    assert_true(fabs(at[0] * 180 / M_PI - 48.9) < 0.1 && fabs(at[1] - 8.27) < 0.01);
    close_program(&loop);
    close_program(&flat);
}

// ---------------------------------------------------------------- heat
// u'[i] = u[i] + a[i] u[i]^2 (u[i-1] - 2 u[i] + u[i+1]) with ends held at 0; the loss is the sum of squares.
static const char *heat(int cells, int steps, const char *policy) {
    static char text[4096];
    snprintf(text, sizeof text,
             "func @f(%%u0: f64[%d], %%a: f64[%d]) -> f64[] {\n%s  %%n = const {value = %d} : i64[]\n"
             "  %%zero = const {value = 0} : f64[]\n  %%two = const {value = 2} : f64[%d]\n"
             "  %%r = for %%i = %%i0 to %%n step %%i1 iter(%%u = %%u0)%s {\n"
             "    %%l = pad %%u, %%zero {lo = [1], hi = [-1]} : f64[%d]\n"
             "    %%h = pad %%u, %%zero {lo = [-1], hi = [1]} : f64[%d]\n    %%s = add %%l, %%h : f64[%d]\n"
             "    %%d = mul %%u, %%two : f64[%d]\n    %%e = sub %%s, %%d : f64[%d]\n    %%q = mul %%u, %%u : f64[%d]\n"
             "    %%k = mul %%a, %%q : f64[%d]\n    %%f = mul %%k, %%e : f64[%d]\n    %%v = add %%u, %%f : f64[%d]\n"
             "    yield %%v\n  } : f64[%d]\n  %%w = mul %%r, %%r : f64[%d]\n"
             "  %%y = reduce %%w {kind = sum, dims = [0], acc = f64, order = seq} : f64[]\n  return %%y\n}\n",
             cells, cells, CONSTS, steps, cells, policy, cells, cells, cells, cells, cells, cells, cells, cells, cells,
             cells, cells);
    return text;
}

static void heat_by(int cells, int steps, int n_policies, const char *const *policies) {
    static double u[256], a[256], want[512];
    for (int i = 0; i < cells; i++) {
        u[i] = 0.5 + 0.4 * sin(0.1 * i);
        a[i] = 0.2 + 0.1 * cos(0.3 * i);
    }
    for (int k = 0; k < n_policies; k++) {
        program p = gradient_of(heat(cells, steps, policies[k]));
        ch__slot in[] = {numbers(cells, u), numbers(cells, a)}, out[3];
        run(&p, 2, in, out);
        for (int i = 0; i < 2 * cells; i++) {
            double g = result(&out[1 + i / cells])[i % cells];
            if (k == 0) want[i] = g;
            assert_true(fabs(g - want[i]) <= 1e-13 * fmax(1, fabs(want[i])));
        }
        release(&p, out);
        close_program(&p);
    }
}

static void heat_equation(void **state) {
    (void)state;
    static const char *const all[] = {"", " {policy = \"recompute\"}", " {policy = \"sqrt\"}",
                                      " {policy = \"revolve(1)\"}", " {policy = \"revolve(5)\"}"};
    heat_by(32, 100, 5, all);
    heat_by(256, 50, 5, all); // 1,000 steps: test_diff_programs.c
}

// ---------------------------------------------------------------- a policy for a whole func
// Loops without a policy get it, in what is called too; those with one keep theirs; the given func stays.
static void a_policy_for_a_whole_func(void **state) {
    (void)state;
    static const char body[] =
        "func @g(%x: f64[]) -> f64[] {\n" CONSTS "  %n = const {value = 9} : i64[]\n"
        "  %r = for %i = %i0 to %n step %i1 iter(%a = %x) {\n    %b = sin %a : f64[]\n    yield %b\n  } : f64[]\n"
        "  return %r\n}\n"
        "func @f(%x: f64[]) -> f64[] {\n" CONSTS "  %n = const {value = 20} : i64[]\n"
        "  %r = for %i = %i0 to %n step %i1 iter(%a = %x) {policy = \"recompute\"} {\n    %b = sin %a : f64[]\n"
        "    yield %b\n  } : f64[]\n  %s = while iter(%a = %r) {\n    %half = const {value = 0.5} : f64[]\n"
        "    %go = compare %a, %half {dir = lt} : bool[]\n    yield %go\n  } do {\n    %b = exp %a : f64[]\n"
        "    yield %b\n  } : f64[]\n  %t = call @g(%s) : f64[]\n  return %t\n}\n";
    ch_func *f = parse(body), *g = NULL;
    char *text = NULL, *before = NULL, *after = NULL;
    assert_int_equal(ch_func_to_text(f, &before), CH_OK);
    assert_int_equal(ch_func_with_policy(f, "revolve(3)", &g), CH_OK);
    assert_int_equal(ch_func_to_text(g, &text), CH_OK);
    assert_int_equal(ch_func_to_text(f, &after), CH_OK);
    assert_string_equal(before, after);
    int n = 0;
    for (const char *p = text; (p = strstr(p, "revolve(3)")) != NULL; p++) n++;
    assert_int_equal(n, 2);
    assert_non_null(strstr(text, "policy = \"recompute\""));
    program one = {0}, other = {0};
    assert_int_equal(ch_value_and_grad(f, NULL, &one.f), CH_OK);
    assert_int_equal(ch_value_and_grad(g, NULL, &other.f), CH_OK);
    assert_true(ch__count_op_code(other.f, CH_OP_call) > 0);
    assert_int_equal(ch__protect(prepare, &one), CH_OK);
    assert_int_equal(ch__protect(prepare, &other), CH_OK);
    double x = 0.8;
    ch__slot in = numbers(0, &x), out[2][2];
    run(&one, 1, &in, out[0]);
    run(&other, 1, &in, out[1]);
    for (int i = 0; i < 2; i++) assert_memory_equal(out[0][i].data, out[1][i].data, 8);
    release(&one, out[0]);
    release(&other, out[1]);
    close_program(&one);
    close_program(&other);
    ch_func *none = NULL;
    assert_int_equal(ch_func_with_policy(f, "revolve(0)", &none), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "ch_func_with_policy: policy is revolve(0) — it is store, recompute, sqrt or "
                        "revolve(n) with n at least 1");
    assert_int_equal(ch_func_with_policy(f, NULL, &none), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "ch_func_with_policy: policy is NULL — it is store, recompute, sqrt or "
                                            "revolve(n) with n at least 1");
    assert_int_equal(ch_func_with_policy(NULL, "sqrt", &none), CH_INVALID_ARGUMENT);
    assert_null(none);
    ch_string_free(before);
    ch_string_free(after);
    ch_string_free(text);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// ---------------------------------------------------------------- refusals, memory that runs out
static void unknown_sizes_are_refused_by_revolve(void **state) {
    (void)state;
    ch_func *f = parse("func @f(%x: f64[], %k: i64[]) -> f64[] {\n" CONSTS "  %z = alloc<m = %k> : f64[m]\n"
                       "  %b = broadcast %x {dims = []} : f64[m]\n"
                       "  %r = for %i = %i0 to %k step %i1 iter(%a = %b) {policy = \"revolve(2)\"} {\n"
                       "    %c = sin %a : f64[m]\n    yield %c\n  } : f64[m]\n"
                       "  %y = reduce %r {kind = sum, dims = [0]} : f64[]\n  return %y\n}\n");
    ch_func *g = NULL;
    assert_int_not_equal(ch_value_and_grad(f, NULL, &g), CH_OK);
    assert_string_equal(
        ch_error_message(),
        "gradient of a loop: policy revolve passes values on to a func, and the size m of f64[m] is known "
        "only inside — use store, recompute or sqrt");
    assert_null(g);
    ch_func_destroy(f);
}

static void each_allocation_fails(void **state) {
    (void)state;
    static const char *const policies[] = {"", " {policy = \"sqrt\"}", " {policy = \"revolve(2)\"}"};
    for (int k = 0; k < 3; k++) {
        ch_func *f = parse(heat(4, 3, policies[k]));
        int64_t live = ch__alloc_live(), n = 1;
        for (;; n++) {
            ch_func *g = NULL;
            ch__alloc_fail_at(n, false);
            ch_status s = ch_value_and_grad(f, NULL, &g);
            ch__alloc_fail_at(0, false);
            if (s == CH_OK) {
                ch_func_destroy(g);
                break;
            }
            assert_null(g);
            assert_string_equal(ch_error_id(), "out_of_memory");
            assert_int_equal(ch__alloc_live(), live);
        }
        assert_true(n > 10);
        assert_int_equal(ch__alloc_live(), live);
        ch_func_destroy(f);
    }
}

// A tape that grows: every allocation of the run fails in turn.
static void growing_tapes_without_memory(void **state) {
    (void)state;
    program p =
        gradient_of("func @f(%x: f64[], %n: i64[]) -> f64[] {\n" CONSTS
                    "  %r = for %i = %i0 to %n step %i1 iter(%a = %x) {\n    %b = sin %a : f64[]\n    yield %b\n"
                    "  } : f64[]\n  return %r\n}\n");
    double x = 0.5;
    int64_t n = 300, live = ch__alloc_live(), at = 1;
    ch__slot in[] = {numbers(0, &x), {.dtype = CH_I64, .data = &n}}, out[2];
    for (;; at++) {
        ch__alloc_fail_at(at, false);
        ch_status s = run_limited(&p, 0, 2, in, out);
        ch__alloc_fail_at(0, false);
        if (s == CH_OK) break;
        assert_string_equal(ch_error_id(), "out_of_memory");
        assert_int_equal(ch__alloc_live(), live);
    }
    assert_true(at > 4);
    release(&p, out);
    for (n = 0; n < 3; n++) { // no iteration, one, two
        run(&p, 2, in, out);
        double want = 1, v = x;
        for (int i = 0; i < n; i++) {
            want *= cos(v);
            v = sin(v);
        }
        assert_true(fabs(*result(&out[1]) - want) <= 1e-15);
        release(&p, out);
    }
    close_program(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_in_place),
        cmocka_unit_test(tapes_are_exact),
        cmocka_unit_test(cholesky_keeps_elements),
        cmocka_unit_test(cells_in_place),
        cmocka_unit_test(linear_bodies_keep_nothing),
        cmocka_unit_test(ball_with_drag),
        cmocka_unit_test(heat_equation),
        cmocka_unit_test(a_policy_for_a_whole_func),
        cmocka_unit_test(unknown_sizes_are_refused_by_revolve),
        cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(growing_tapes_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
