// SPDX-License-Identifier: Apache-2.0
// bench_print_c.c - how long printing takes, and how fast printed derivatives are beside what they are derivatives of.
//
// Printed: 5,000 ops, of numbers and of arrays of open size. Run: the gradient through 100,000 iterations of a loop
// that carries 4 numbers, against the loop; a Hessian-vector product of a softmax loss, against its gradient. Ratios
// are of the fastest runs, taken in turn, in CPU time.
#include <math.h>

#include "printed.h"

enum { OPS = 5000, RUNS = 15, ROUNDS = 40 };

static ch_func *parse(const char *text) {
    ch_func *f = NULL;
    must(ch_func_parse(text, "bench.ir", &f));
    return f;
}

// x = sin(x) * exp(-x) over and over.
static ch_func *chain(const char *type) {
    static char text[OPS * 40];
    int n = sprintf(text, "chaac-ir 1\nfunc @chain(%%v0: %s) -> %s {\n", type, type);
    for (int i = 0; i < OPS / 4; i++) {
        n += sprintf(text + n, "  %%s%d = sin %%v%d : %s\n  %%n%d = neg %%v%d : %s\n", i, i, type, i, i, type);
        n += sprintf(text + n, "  %%e%d = exp %%n%d : %s\n  %%v%d = mul %%s%d, %%e%d : %s\n", i, i, type, i + 1, i, i,
                     type);
    }
    sprintf(text + n, "  return %%v%d\n}\n", OPS / 4);
    return parse(text);
}

static void print_time(const char *what, const char *type) {
    ch_func *f = chain(type);
    double ms[RUNS];
    for (int i = 0; i < RUNS; i++) {
        char *c = NULL;
        const double start = cpu_now();
        must(ch_func_to_c(f, &c));
        ms[i] = (cpu_now() - start) * 1e3;
        ch_string_free(c);
    }
    ch_func_destroy(f);
    bench_report(what, ms, RUNS, "ms", 50);
}

// The fastest of `of` over the fastest of `by`, in turn, each at least 2 ms a round.
static void ratio(const char *what, void (*of)(void), void (*by)(void), double bar) {
    void (*fns[2])(void) = {of, by};
    double t[2][ROUNDS], r[1];
    int times[2];
    for (int k = 0; k < 2; k++) {
        const double start = cpu_now();
        for (int i = 0; i < 3; i++) fns[k]();
        times[k] = 1 + (int)(2e-3 / ((cpu_now() - start) / 3 + 1e-9));
    }
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < 2; k++) {
            const double start = cpu_now();
            for (int j = 0; j < times[k]; j++) fns[k]();
            t[k][i] = (cpu_now() - start) / times[k];
        }
    for (int k = 0; k < 2; k++) qsort(t[k], ROUNDS, sizeof(double), bench_order);
    r[0] = t[0][0] / t[1][0];
    bench_report(what, r, 1, "x", bar);
}

// ---------------------------------------------------------------- a loop of four numbers
static const char loop[] =
    "chaac-ir 1\nfunc @loop(%x: f64[]) -> f64[] {\n  %i0 = const {value = 0} : i64[]\n"
    "  %i1 = const {value = 1} : i64[]\n  %n = const {value = 100000} : i64[]\n  %h = const {value = 0.00002} : f64[]\n"
    "  %a, %b, %c, %d = for %i = %i0 to %n step %i1 iter(%p = %x, %q = %h, %r = %x, %s = %h) {\n"
    "    %pq = mul %p, %q : f64[]\n    %rs = mul %r, %s : f64[]\n    %sp = sin %p : f64[]\n    %sr = sin %r : f64[]\n"
    "    %u = mul %h, %rs : f64[]\n    %v = mul %h, %sr : f64[]\n    %w = mul %h, %pq : f64[]\n"
    "    %z = mul %h, %sp : f64[]\n    %p1 = sub %p, %u : f64[]\n    %q1 = sub %q, %v : f64[]\n"
    "    %r1 = add %r, %w : f64[]\n    %s1 = sub %s, %z : f64[]\n    yield %p1, %q1, %r1, %s1\n"
    "  } : f64[], f64[], f64[], f64[]\n  %y = add %a, %c : f64[]\n  return %y\n}\n";
static double (*loop_value)(double x);
static int (*loop_gradient)(double x, double *y, double *x_bar);
static volatile double sink;
static void run_loop(void) { sink = loop_value(0.3); }
static void run_loop_gradient(void) {
    double y = 0, g = 0;
    if (loop_gradient(0.3, &y, &g) != 0) stop("no memory for", "the tape");
    sink = y + g;
}

// ---------------------------------------------------------------- softmax
enum { ROWS = 200, INPUTS = 20, CLASSES = 10 };
static const char softmax[] =
    "chaac-ir 1\nfunc @softmax(%x: f64[n,d], %w: f64[d,k], %target: f64[n,k]) -> f64[] {\n"
    "  %t = dot %x, %w {contract = [1]x[0], acc = f64, order = seq} : f64[n,k]\n  %e = exp %t : f64[n,k]\n"
    "  %s = reduce %e {kind = sum, dims = [1], acc = f64, order = seq} : f64[n]\n  %l = log %s : f64[n]\n"
    "  %m = broadcast %l {dims = [0]} : f64[n,k]\n  %p = sub %m, %t : f64[n,k]\n  %q = mul %p, %target : f64[n,k]\n"
    "  %y = reduce %q {kind = sum, dims = [0,1], acc = f64, order = seq} : f64[]\n  return %y\n}\n";
typedef const double *in;
static int (*softmax_gradient)(int64_t n, int64_t d, int64_t k, in x, in w, in target, double *y, double *w_bar);
static int (*softmax_product)(int64_t n, int64_t d, int64_t k, in x, in w, in target, in w_dot, double *hv);
static double xs[ROWS * INPUTS], ws[INPUTS * CLASSES], ts[ROWS * CLASSES], vs[INPUTS * CLASSES], out[INPUTS * CLASSES];
static void run_gradient(void) {
    double y = 0;
    if (softmax_gradient(ROWS, INPUTS, CLASSES, xs, ws, ts, &y, out) != 0) stop("no memory for", "softmax");
    sink = y;
}
static void run_product(void) {
    if (softmax_product(ROWS, INPUTS, CLASSES, xs, ws, ts, vs, out) != 0) stop("no memory for", "softmax");
    sink = out[0];
}

int main(void) {
    print_time("print 5,000 ops of numbers as C", "f64[]");
    print_time("print 5,000 ops of arrays as C", "f64[n]");
    open_folder();
    ch_func *f = parse(loop), *g = NULL, *s = parse(softmax), *sg = NULL, *sh = NULL;
    must(ch_value_and_grad(f, NULL, &g));
    *(void **)&loop_value = printed(f, "loop");
    *(void **)&loop_gradient = printed(g, "loop_gradient");
    ratio("gradient of 100,000 iterations of 4 numbers, times the loop", run_loop_gradient, run_loop, 4);
    must(ch_value_and_grad(s, "w", &sg));
    must(ch_hvp(s, "w", &sh));
    *(void **)&softmax_gradient = printed(sg, "gradient");
    *(void **)&softmax_product = printed(sh, "product");
    for (int i = 0; i < ROWS * INPUTS; i++) xs[i] = sin(0.7 * i);
    for (int i = 0; i < INPUTS * CLASSES; i++) ws[i] = 0.2 * cos(1.3 * i), vs[i] = sin(2.1 * i);
    for (int i = 0; i < ROWS; i++) ts[i * CLASSES + i % CLASSES] = 1;
    ratio("Hessian-vector product of a softmax loss, times its gradient", run_product, run_gradient, 4);
    ch_func_destroy(f), ch_func_destroy(g), ch_func_destroy(s), ch_func_destroy(sg), ch_func_destroy(sh);
    return close_folder() == 0 ? 0 : 1;
}
