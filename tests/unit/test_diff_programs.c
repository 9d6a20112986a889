// SPDX-License-Identifier: Apache-2.0
// test_diff_programs.c - derivatives of whole programs: an LSTM over 100 steps, a heat equation of 1,000 steps and 256
// cells, an in-place Cholesky factor, against numbers of JAX (tests/data/programs.txt); Newton's root, a determinant by
// minors, a million iterations, against what is known of them; sizes and trip counts of 0 and 1. Reverse by every
// policy, forward beside it, and differences.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "diff_run.h"

enum { MOST = 8 };
static const char *const policies[] = {"store", "recompute", "sqrt", "revolve(1)", "revolve(5)"};
enum { POLICIES = sizeof policies / sizeof *policies };

// ---------------------------------------------------------------- values
typedef struct {
    int n;
    ch__slot s[2 * MOST];
} values;

static int64_t numel(const ch__slot *s) {
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) n *= s->dims[i];
    return n;
}

// Element k is where k (2654435761 + seed) lies in a cycle of 1,000,003 (make_programs.py).
static void add(values *v, int seed, double lo, double hi, int rank, const int64_t *dims) {
    ch__slot *s = &v->s[v->n++];
    *s = (ch__slot){.dtype = CH_F64, .rank = rank};
    for (int i = 0; i < rank; i++) s->dims[i] = dims[i];
    double *x = calloc((size_t)numel(s) + 1, sizeof *x);
    for (int64_t k = 0; k < numel(s); k++)
        x[k] = lo + (hi - lo) * (double)((k * (INT64_C(2654435761) + seed) + seed) % 1000003) / 1000003.0;
    s->data = x;
}

static void add_i64(values *v, int64_t n) {
    int64_t *x = malloc(sizeof *x);
    assert_non_null(x);
    *x = n;
    v->s[v->n++] = (ch__slot){.dtype = CH_I64, .data = x};
}

static void drop(values *v) {
    for (int i = 0; i < v->n; i++) free(v->s[i].data);
    v->n = 0;
}

static void drop_results(values *v) {
    for (int i = 0; i < v->n; i++) ch__free_aligned(v->s[i].data);
    v->n = 0;
}

static double *numbers(const values *v, int i) { return v->s[i].data; }

// ---------------------------------------------------------------- running
// Results of f on a, then b.
static values run(const ch_func *f, const values *a, const values *b) {
    values in = *a, out = {.n = ch_func_num_results(f)};
    for (int i = 0; b != NULL && i < b->n; i++) in.s[in.n++] = b->s[i];
    diff_run(f, in.n, in.s, out.s);
    return out;
}

static ch_func *load(const char *name) {
    char path[128];
    ch_func *f = NULL;
    snprintf(path, sizeof path, "tests/cli/cases/%s.ir", name);
    if (ch_func_load(path, NULL, &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

static ch_func *vjp_by(const ch_func *f, const char *policy) {
    ch_func *g = NULL, *v = NULL;
    if (ch_func_with_policy(f, policy, &g) != CH_OK) fail_msg("%s: %s", policy, ch_error_message());
    ch_status s = ch_vjp(g, NULL, 1, &v);
    ch_func_destroy(g);
    return diff_verified(s, v);
}

// ---------------------------------------------------------------- comparing
static double dot(const ch__slot *x, const ch__slot *y) {
    double sum = 0;
    for (int64_t i = 0; i < numel(x); i++) sum += ((const double *)x->data)[i] * ((const double *)y->data)[i];
    return sum;
}

// The line `name` of programs.txt against every step-th element.
static void is_that_of_jax(const char *name, const ch__slot *got, double allowed) {
    static char line[1 << 14];
    FILE *file = fopen("tests/data/programs.txt", "r");
    assert_non_null(file);
    size_t len = strlen(name);
    while (fgets(line, sizeof line, file) != NULL && (strncmp(line, name, len) != 0 || line[len] != ' ')) line[0] = 0;
    fclose(file);
    char *at = line + len;
    int64_t n = strtoll(at, &at, 10), step = strtoll(at, &at, 10);
    if (n == 0 || (numel(got) + step - 1) / step != n) fail_msg("%s: %lld elements", name, (long long)n);
    for (int64_t i = 0; i < n; i++) {
        double want = 0, x = ((const double *)got->data)[i * step];
        at += strspn(at, " ");
        at = (char *)(uintptr_t)ch__parse_f64(at, at + strlen(at), &want);
        if (!(fabs(x - want) <= allowed * fmax(1, fabs(want))))
            fail_msg("%s[%lld]: %.17g, JAX says %.17g", name, (long long)(i * step), x, want);
    }
}

static void same(const values *x, const values *y, double allowed, const char *policy) {
    assert_int_equal(x->n, y->n);
    for (int i = 0; i < x->n; i++)
        for (int64_t k = 0; k < numel(&x->s[i]); k++) {
            double a = numbers(x, i)[k], b = numbers(y, i)[k];
            if (!(fabs(a - b) <= allowed * fmax(1, fabs(a))))
                fail_msg("%s: result %d [%lld] is %.17g, stored it is %.17g", policy, i, (long long)k, b, a);
        }
}

// All policies give the adjoints that store gives, which come back; forward mode along a direction agrees with them,
// and so do differences.
static values check(const ch_func *f, values *in, const values *bars, double allowed) {
    values kept = {0};
    for (int k = 0; k < POLICIES; k++) {
        ch_func *v = vjp_by(f, policies[k]);
        values out = run(v, in, bars);
        if (k == 0) {
            kept = out;
        } else {
            same(&kept, &out, 1e-13, policies[k]);
            drop_results(&out);
        }
        ch_func_destroy(v);
    }
    ch_func *j = NULL;
    values dots = {0};
    int n_out = ch_func_num_results(f);
    double reverse = 0, forward = 0, size = 1;
    for (int i = 0, k = n_out; i < in->n; i++) {
        if (in->s[i].dtype != CH_F64) continue;
        add(&dots, 40 + i, -1, 1, in->s[i].rank, in->s[i].dims);
        reverse += dot(&dots.s[dots.n - 1], &kept.s[k++]);
    }
    if (ch_jvp(f, NULL, 0, &j) != CH_OK) fail_msg("%s", ch_error_message());
    values along = run(j, in, &dots);
    for (int i = 0; i < n_out; i++) {
        forward += dot(&along.s[i], &bars->s[i]);
        for (int64_t k = 0; k < numel(&along.s[i]); k++) size += fabs(numbers(&along, i)[k] * numbers(bars, i)[k]);
    }
    assert_true(fabs(forward - reverse) <= 1e-12 * size);
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double slope = 0, h = 0x1p-12;
    for (int i = 0; i < 4; i++) {
        values moved = {0};
        for (int p = 0, k = 0; p < in->n; p++) {
            if (in->s[p].dtype != CH_F64) {
                add_i64(&moved, *(int64_t *)in->s[p].data);
                continue;
            }
            add(&moved, 0, 0, 0, in->s[p].rank, in->s[p].dims);
            for (int64_t e = 0; e < numel(&in->s[p]); e++)
                numbers(&moved, p)[e] = numbers(in, p)[e] + at[i] * h * numbers(&dots, k)[e];
            k++;
        }
        values y = run(f, &moved, NULL);
        for (int p = 0; p < n_out; p++) slope += weight[i] * dot(&y.s[p], &bars->s[p]) / (12 * h);
        drop_results(&y);
        drop(&moved);
    }
    assert_true(fabs(slope - reverse) <= allowed * fmax(1, fabs(reverse)));
    drop_results(&along);
    drop(&dots);
    ch_func_destroy(j);
    return kept;
}

// ---------------------------------------------------------------- against JAX
static void lstm(void **state) {
    (void)state;
    ch_func *f = load("lstm");
    values in = {0}, bars = {0};
    add(&in, 1, -1, 1, 2, (int64_t[]){100, 4});
    add(&in, 2, -0.7, 0.7, 3, (int64_t[]){4, 8, 4});
    add(&in, 3, -0.5, 0.5, 3, (int64_t[]){4, 8, 8});
    add(&bars, 4, -1, 1, 1, (int64_t[]){8});
    values out = check(f, &in, &bars, 1e-8);
    static const char *const names[] = {"lstm", "lstm_x", "lstm_w", "lstm_v"};
    for (int i = 0; i < 4; i++) is_that_of_jax(names[i], &out.s[i], 1e-13);
    drop_results(&out);
    drop(&in);
    drop(&bars);
    ch_func_destroy(f);
}

static void heat(void **state) {
    (void)state;
    ch_func *f = load("heat");
    values in = {0}, bars = {0};
    add(&in, 5, 0.2, 0.9, 1, (int64_t[]){256});
    add(&in, 6, 0.1, 0.3, 1, (int64_t[]){256});
    add_i64(&in, 1000);
    add(&bars, 7, -1, 1, 1, (int64_t[]){256});
    values out = check(f, &in, &bars, 1e-8);
    static const char *const names[] = {"heat", "heat_u0", "heat_k"};
    for (int i = 0; i < 3; i++) is_that_of_jax(names[i], &out.s[i], 1e-12);
    drop_results(&out);
    drop(&in);
    drop(&bars);
    ch_func_destroy(f);
}

static void cholesky(void **state) {
    (void)state;
    ch_func *f = load("cholesky");
    values a = {0}, in = {0}, bars = {0};
    add(&a, 8, -1, 1, 2, (int64_t[]){16, 16});
    add(&in, 8, -1, 1, 2, (int64_t[]){16, 16});
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            double sum = i == j ? 4 : 0;
            for (int k = 0; k < 16; k++) sum += numbers(&a, 0)[i * 16 + k] * numbers(&a, 0)[j * 16 + k];
            numbers(&in, 0)[i * 16 + j] = sum;
        }
    add(&bars, 9, -1, 1, 2, (int64_t[]){16, 16});
    values out = check(f, &in, &bars, 1e-8);
    is_that_of_jax("cholesky", &out.s[0], 1e-12);
    is_that_of_jax("cholesky_m", &out.s[1], 1e-12);
    drop_results(&out);
    drop(&a);
    drop(&in);
    drop(&bars);
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- against what is known
#define CONSTS "  %i0 = const {value = 0} : i64[]\n  %i1 = const {value = 1} : i64[]\n"

// Newton's iteration, as long as it takes: its derivative is that of the root.
static void newton(void **state) {
    (void)state;
    ch_func *f =
        diff_parse("chaac-ir 1\nfunc @root(%c: f64[]) -> f64[] {\n  %half = const {value = 0.5} : f64[]\n"
                   "  %tol = const {value = 1e-14} : f64[]\n  %r = while iter(%x = %c) {\n"
                   "    %xx = mul %x, %x : f64[]\n    %d = sub %xx, %c : f64[]\n    %e = abs %d : f64[]\n"
                   "    %t = mul %tol, %c : f64[]\n    %go = compare %e, %t {dir = gt} : bool[]\n    yield %go\n"
                   "  } do {\n    %q = div %c, %x : f64[]\n    %s = add %x, %q : f64[]\n"
                   "    %z = mul %half, %s : f64[]\n    yield %z\n  } : f64[]\n  return %r\n}\n");
    for (int i = 0; i < 20; i++) {
        values in = {0}, bars = {0};
        add(&in, 0, 0.5 + i * i, 0, 0, NULL);
        add(&bars, 0, 1, 0, 0, NULL);
        values out = check(f, &in, &bars, 1e-6);
        double c = numbers(&in, 0)[0];
        assert_true(fabs(numbers(&out, 0)[0] - sqrt(c)) <= 1e-13 * sqrt(c));
        assert_true(fabs(numbers(&out, 1)[0] - 0.5 / sqrt(c)) <= 1e-12);
        drop_results(&out);
        drop(&in);
        drop(&bars);
    }
    ch_func_destroy(f);
}

// By minors of the first row, the columns that are left as bits: rows of the gradient are cofactors, so a row of the
// matrix times the gradient's own row is the determinant, times another row 0.
static void determinant(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @det(%a: f64[n,n], %row: i64[], %mask: i64[]) -> f64[] {\n" CONSTS
        "  %n = dim {e = n} : i64[]\n  %one = const {value = 1} : f64[]\n  %zero = const {value = 0} : f64[]\n"
        "  %end = compare %row, %n {dir = ge} : bool[]\n  %d = if %end {\n    yield %one\n  } else {\n"
        "    %next = add %row, %i1 : i64[]\n"
        "    %sum, %sign = for %j = %i0 to %n step %i1 iter(%s = %zero, %g = %one) {\n"
        "      %bit = shl %i1, %j : i64[]\n      %on = and %mask, %bit : i64[]\n"
        "      %free = compare %on, %i0 {dir = eq} : bool[]\n      %t, %h = if %free {\n"
        "        %taken = or %mask, %bit : i64[]\n        %m = call @det(%a, %next, %taken) : f64[]\n"
        "        %x = get %a[%row, %j] : f64[]\n        %xm = mul %x, %m : f64[]\n        %w = mul %xm, %g : f64[]\n"
        "        %u = add %s, %w : f64[]\n        %k = neg %g : f64[]\n        yield %u, %k\n      } else {\n"
        "        yield %s, %g\n      } : f64[], f64[]\n      yield %t, %h\n    } : f64[], f64[]\n    yield %sum\n"
        "  } : f64[]\n  return %d\n}\n");
    for (int n = 0; n <= 4; n++) {
        values in = {0}, bars = {0};
        add(&in, 10, -1, 1, 2, (int64_t[]){n, n});
        add_i64(&in, 0);
        add_i64(&in, 0);
        add(&bars, 0, 1, 0, 0, NULL);
        values out = check(f, &in, &bars, 1e-8);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                double sum = 0;
                for (int j = 0; j < n; j++) sum += numbers(&in, 0)[k * n + j] * numbers(&out, 1)[i * n + j];
                assert_true(fabs(sum - (i == k ? numbers(&out, 0)[0] : 0)) <= 1e-13);
            }
        drop_results(&out);
        drop(&in);
        drop(&bars);
    }
    ch_func_destroy(f);
}

// x + h sin x, n times: the derivative is the product of 1 + h cos x.
static void trip_counts(void **state) {
    (void)state;
    ch_func *f = diff_parse("chaac-ir 1\nfunc @flow(%x: f64[], %n: i64[]) -> f64[] {\n" CONSTS
                            "  %h = const {value = 1e-6} : f64[]\n  %r = for %i = %i0 to %n step %i1 iter(%a = %x) {\n"
                            "    %s = sin %a : f64[]\n    %p = mul %h, %s : f64[]\n    %b = add %a, %p : f64[]\n"
                            "    yield %b\n  } : f64[]\n  return %r\n}\n");
    static const int64_t counts[] = {0, 1, 2, 1000000};
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < POLICIES; k++) {
            bool square = k == 1 || k == 3; // n^2 / 2 iterations
            if (square && counts[c] > 2) continue;
            values in = {0}, bars = {0};
            add(&in, 0, 0.7, 0, 0, NULL);
            add_i64(&in, counts[c]);
            add(&bars, 0, 1, 0, 0, NULL);
            ch_func *v = vjp_by(f, k == 4 && counts[c] > 2 ? "revolve(40)" : policies[k]);
            values out = run(v, &in, &bars);
            double x = 0.7, want = 1;
            for (int64_t i = 0; i < counts[c]; i++) {
                want *= 1 + 1e-6 * cos(x);
                x = x + 1e-6 * sin(x);
            }
            assert_true(numbers(&out, 0)[0] == x);
            assert_true(fabs(numbers(&out, 1)[0] - want) <= 1e-10);
            drop_results(&out);
            drop(&in);
            drop(&bars);
            ch_func_destroy(v);
        }
    ch_func_destroy(f);
}

// Sizes and trip counts of 0 and 1, by every policy.
static void sizes_of_nothing(void **state) {
    (void)state;
    for (int n = 0; n <= 2; n++)
        for (int m = 0; m <= 2; m++) {
            ch_func *f = load("lstm"); // takes a row, so there has to be one
            values in = {0}, bars = {0};
            add(&in, 1, -1, 1, 2, (int64_t[]){n + 1, 2});
            add(&in, 2, -0.7, 0.7, 3, (int64_t[]){4, m, 2});
            add(&in, 3, -0.5, 0.5, 3, (int64_t[]){4, m, m});
            add(&bars, 4, -1, 1, 1, (int64_t[]){m});
            values out = check(f, &in, &bars, 1e-8);
            drop_results(&out);
            drop(&in);
            drop(&bars);
            ch_func_destroy(f);
            f = load("heat");
            add(&in, 5, 0.2, 0.9, 1, (int64_t[]){n});
            add(&in, 6, 0.1, 0.3, 1, (int64_t[]){n});
            add_i64(&in, m);
            add(&bars, 7, -1, 1, 1, (int64_t[]){n});
            out = check(f, &in, &bars, 1e-8);
            drop_results(&out);
            drop(&in);
            drop(&bars);
            ch_func_destroy(f);
        }
    for (int n = 0; n <= 2; n++) {
        ch_func *f = load("cholesky");
        values in = {0}, bars = {0};
        add(&in, 8, 0.1, 0.2, 2, (int64_t[]){n, n});
        for (int i = 0; i < n; i++) numbers(&in, 0)[i * n + i] += 1;
        add(&bars, 9, -1, 1, 2, (int64_t[]){n, n});
        values out = check(f, &in, &bars, 1e-8);
        drop_results(&out);
        drop(&in);
        drop(&bars);
        ch_func_destroy(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lstm),
        cmocka_unit_test(heat),
        cmocka_unit_test(cholesky),
        cmocka_unit_test(newton),
        cmocka_unit_test(determinant),
        cmocka_unit_test(trip_counts),
        cmocka_unit_test(sizes_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
