// SPDX-License-Identifier: Apache-2.0
// test_behind.c - structs with pointers in them as parameters: seven numbers are put into the structs, the derivatives
// into shadows whose pointers lead to memory of the caller's. Value bits, both modes, differences. TAP.
#include "behind.h"

#include "differences.h"

// A function of seven numbers: with(x, dx or tangents, mode).
enum mode { VALUE, REVERSE, FORWARD };
typedef double (*with_f)(double *x, double *d, enum mode m, double *value_t);

static double with_norm(double *x, double *d, enum mode m, double *value_t) {
    vec v = {4, 2, x, 42}, dv = {0, 0, d, 43}; // stride 2 of 8: the last lies beyond, and is not read
    double more[8] = {0}, dmore[8] = {0};
    memcpy(more, x, 7 * sizeof *x);
    v.data = more;
    dv.data = dmore;
    if (m == FORWARD) memcpy(dmore, d, 7 * sizeof *d);
    double value = m == VALUE ? norm(&v) : m == REVERSE ? norm_vg(&v, &dv) : norm_jvp(&v, &dv, value_t);
    if (m == REVERSE) memcpy(d, dmore, 7 * sizeof *d);
    return dv.owner == 43 && dv.size == 0 ? value : NAN;
}

static double with_apply(double *x, double *d, enum mode m, double *value_t) {
    double b[2] = {0.3, 0.1}, db[2] = {0, 0}, a[4] = {x[0], x[1], x[2], x[3]};
    double da[4] = {d ? d[0] : 0, d ? d[1] : 0, d ? d[2] : 0, d ? d[3] : 0};
    struct layer l = {{2, 2, a}, 2, b, x[4]}, dl = {{0, 0, da}, 0, db, d ? d[4] : 0};
    double value = m == VALUE     ? apply(&l, 2, x + 5)
                   : m == REVERSE ? apply_vg(&l, 2, x + 5, &dl, d + 5)
                                  : apply_jvp(&l, &dl, 2, x + 5, d + 5, value_t);
    if (m == REVERSE) memcpy(d, da, sizeof da);
    if (m == REVERSE) d[4] = dl.scale;
    return value;
}

static double with_spread(double *x, double *d, enum mode m, double *value_t) {
    struct point at[3] = {{x[0], x[1]}, {x[2], x[3]}, {x[4], 0.5}};
    struct point dat[3] = {{0}};
    double w[3] = {1.1, x[5], 0.7}, dw[3] = {0}, turn[4] = {0.8, 0.6, -0.6, 0.8}, dturn[4] = {0}, dk = d ? d[6] : 0;
    struct mat r = {2, 2, turn}, dr = {0, 0, dturn};
    struct cloud c = {3, at, {w, &r}}, dc = {0, dat, {dw, &dr}};
    if (m == FORWARD) {
        memcpy(dat, d, 5 * sizeof *d);
        dw[1] = d[5];
    }
    double value = m == VALUE     ? spread(c, x[6])
                   : m == REVERSE ? spread_vg(c, x[6], &dc, &dk)
                                  : spread_jvp(c, dc, x[6], dk, value_t);
    if (m != REVERSE) return value;
    memcpy(d, dat, 5 * sizeof *d);
    d[5] = dw[1];
    d[6] = dk;
    return value;
}

static double with_voided(double *x, double *d, enum mode m, double *value_t) {
    double dx = d ? d[0] : 0;
    struct extra e = {x[1], x + 2}, de = {d ? d[1] : 0, d ? d + 2 : NULL};
    struct params p = {x + 3, 4, &e}, dp = {d ? d + 3 : NULL, 77, &de};
    double value = m == VALUE     ? voided(x[0], &p)
                   : m == REVERSE ? voided_vg(x[0], &p, &dx, &dp)
                                  : voided_jvp(x[0], dx, &p, &dp, value_t);
    if (m == REVERSE) {
        d[0] = dx;
        d[1] = de.c;
    }
    return dp.n == 77 ? value : NAN;
}

// Sum of what axpy writes, each with a weight.
static double with_axpy(double *x, double *d, enum mode m, double *value_t) {
    static const double weights[3] = {1.0, -0.5, 2.0};
    double y[3] = {x[4], x[5], x[6]}, dy[3] = {0}, da = d ? d[0] : 0, seed[3] = {1.0, -0.5, 2.0}, value = 0;
    vec vx = {3, 1, x + 1, 0}, vy = {3, 1, y, 0}, dvx = {0, 0, d ? d + 1 : NULL, 0}, dvy = {0, 0, dy, 0};
    vec bar = {0, 0, seed, 0};
    if (m == FORWARD) {
        memcpy(dy, d + 4, sizeof dy);
        axpy_jvp(x[0], da, &vx, &dvx, &vy, &dvy);
        *value_t = 0;
        for (int i = 0; i < 3; i++) *value_t += weights[i] * dy[i];
    } else if (m == REVERSE) {
        axpy_vjp(x[0], &vx, &vy, &bar, &da, &dvx, &dvy);
        d[0] = da;
        memcpy(d + 4, dy, sizeof dy);
        axpy(x[0], &vx, &vy);
    } else {
        axpy(x[0], &vx, &vy);
    }
    for (int i = 0; i < 3; i++) value += weights[i] * y[i];
    return value;
}

static double with_walked(double *x, double *d, enum mode m, double *value_t) {
    double to[3] = {x[3], x[4], x[5]}, dto[3], dk;
    struct walk w = {3, x, to}, dw = {0, d, dto};
    if (m == FORWARD) { // reverse mode alone: the same again
        double g[NUMBERS], value = with_walked(x, g, REVERSE, NULL);
        *value_t = 0;
        for (int i = 0; i < NUMBERS; i++) *value_t += g[i] * d[i];
        return value;
    }
    double value = m == VALUE ? walked(&w, x[6]) : walked_vg(&w, x[6], &dw, &dk);
    if (m == VALUE) return value;
    memcpy(d + 3, dto, sizeof dto);
    d[6] = dk;
    return w.to == to && w.from == x ? value : NAN; // a derivative leaves the caller's pointers alone
}

static double with_rows(double *x, double *d, enum mode m, double *value_t) {
    double *a[2] = {x + 2, x}, *da[2] = {d ? d + 2 : NULL, d}; // in any order
    return m == VALUE     ? rows(a, 2, 2, x + 4)
           : m == REVERSE ? rows_vg(a, 2, 2, x + 4, da, d + 4)
                          : rows_jvp(a, da, 2, 2, x + 4, d + 4, value_t);
}

static double with_walked_rows(double *x, double *d, enum mode m, double *value_t) {
    const double *v[2] = {x + 4, x}, *dv[2] = {d ? d + 4 : NULL, d};
    struct table t = {2, 2, v}, dt = {0, 0, dv};
    return m == VALUE ? walked_rows(&t) : m == REVERSE ? walked_rows_vg(&t, &dt) : walked_rows_jvp(&t, &dt, value_t);
}

static double with_cholesky(double *x, double *d, enum mode m, double *value_t) {
    double a0[3] = {4 + x[0]}, a1[3] = {x[1], 5 + x[2]}, a2[3] = {x[3], x[4], 6 + x[5]}, *a[3] = {a0, a1, a2};
    double l0[3] = {0}, l1[3] = {0}, l2[3] = {0}, *l[3] = {l0, l1, l2}, value = 0;
    double d0[3] = {0}, d1[3] = {0}, d2[3] = {0}, *da[3] = {d0, d1, d2};
    double s0[3] = {1, 0, 0}, s1[3] = {2, 3, 0}, s2[3] = {4, 5, 6}, *s[3] = {s0, s1, s2};
    double t0[3] = {0}, t1[3] = {0}, t2[3] = {0}, *t[3] = {t0, t1, t2};
    if (m == FORWARD) {
        for (int i = 0, k = 0; i < 3; i++)
            for (int j = 0; j <= i; j++) da[i][j] = d[k++];
        cholesky_jvp(3, a, da, l, t);
        *value_t = 0;
    } else {
        cholesky(3, a, l);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            value += s[i][j] * l[i][j];
            if (m == FORWARD) *value_t += s[i][j] * t[i][j];
        }
    if (m != REVERSE) return value;
    double z0[3] = {0}, z1[3] = {0}, z2[3] = {0}, *zeros[3] = {z0, z1, z2}; // as it was before
    cholesky_vjp(3, a, zeros, s, da);
    for (int i = 0, k = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) d[k++] = da[i][j];
    return value;
}

static const struct {
    const char *name;
    with_f with;
} functions[] = {{"pointer in a struct", with_norm},
                 {"extents said in the struct", with_apply},
                 {"by value, nested", with_spread},
                 {"behind void *", with_voided},
                 {"written through", with_axpy},
                 {"pointers that are moved and replaced", with_walked},
                 {"rows", with_rows},
                 {"rows in a struct", with_walked_rows},
                 {"rows that are written", with_cholesky}};

static with_f now;
static double value_now(int n, const double *x) {
    double y[NUMBERS];
    memcpy(y, x, (size_t)n * sizeof *x);
    return now(y, NULL, VALUE, NULL);
}
static double reverse_now(int n, const double *x, double *dx) {
    double y[NUMBERS];
    memcpy(y, x, (size_t)n * sizeof *x);
    memset(dx, 0, (size_t)n * sizeof *dx);
    return now(y, dx, REVERSE, NULL);
}
static double forward_now(int n, const double *x, const double *t, double *value_t) {
    double y[NUMBERS], s[NUMBERS];
    memcpy(y, x, (size_t)n * sizeof *x);
    memcpy(s, t, (size_t)n * sizeof *t);
    return now(y, s, FORWARD, value_t);
}

int main(void) {
    int n = (int)(sizeof functions / sizeof *functions), failed = 0;
    for (int i = 0; i < n; i++) {
        const char *wrong = NULL;
        double by = 0, x[NUMBERS];
        now = functions[i].with;
        const function f = {functions[i].name, value_now, reverse_now, forward_now};
        for (int k = 0; k < 20 && wrong == NULL; k++) {
            for (int j = 0; j < NUMBERS; j++) x[j] = random_number();
            wrong = compare_all(&f, x, 1e-6, 1e-9, &by);
        }
        failed += wrong != NULL;
        printf("%sok %d - behind: %s", wrong ? "not " : "", i + 1, functions[i].name);
        if (wrong) printf(": %s (by %g)", wrong, by);
        printf("\n");
    }
    printf("1..%d\n", n);
    return failed > 0;
}
