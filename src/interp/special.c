// SPDX-License-Identifier: Apache-2.0
// special.c - digamma and polygamma, which C's libm lacks, to within an ulp or two of the double result.
//
// Everything is computed in pairs of doubles (a number and its rounding error, about 106 bits), so that cancellation
// near the zeros of the functions costs nothing that shows. Error-free sums and products: Dekker 1971; fma gives the
// error of a product.
//   digamma, x > 0:    psi(x) = log(y) - 1/(2y) - sum B2j / (2j y^2j) - sum_{k<N} 1/(x+k),   y = x + N >= 20
//   digamma, x < 1/2:  psi(x) = psi(1 - x) - pi cot(pi x)
//   polygamma:         psi_n(x) = (-1)^(n+1) n! zeta(n+1, x), Hurwitz' zeta by Euler and Maclaurin
//   polygamma, x < 0:  the terms (x + k)^-s below zero are those of zeta(s, 1-f) - zeta(s, 1-x), f = x - floor(x)
// Source: Abramowitz and Stegun, chapters 6 and 23.
#include <math.h>

#include "interp/exec.h"

typedef struct {
    double hi, lo;
} dd;

static dd dd_sum(double a, double b) {
    double s = a + b, bb = s - a;
    return (dd){s, (a - (s - bb)) + (b - bb)};
}

// hi + lo with hi the rounded sum, |a| >= |b|
static dd dd_fast(double a, double b) {
    double s = a + b;
    return (dd){s, b - (s - a)};
}

static dd dd_add(dd a, dd b) {
    dd s = dd_sum(a.hi, b.hi), t = dd_sum(a.lo, b.lo);
    s = dd_fast(s.hi, s.lo + t.hi);
    return dd_fast(s.hi, s.lo + t.lo);
}

static dd dd_neg(dd a) { return (dd){-a.hi, -a.lo}; }

static dd dd_mul(dd a, dd b) {
    double p = a.hi * b.hi, e = fma(a.hi, b.hi, -p);
    return dd_fast(p, e + (a.hi * b.lo + a.lo * b.hi));
}

static dd dd_div(dd a, dd b) {
    double q = a.hi / b.hi;
    dd r = dd_add(a, dd_neg(dd_mul(b, (dd){q, 0})));
    double q2 = r.hi / b.hi;
    r = dd_add(r, dd_neg(dd_mul(b, (dd){q2, 0})));
    dd s = dd_fast(q, q2);
    return dd_add(s, (dd){r.hi / b.hi, 0});
}

static const dd dd_one = {1, 0};
static const dd dd_ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const dd dd_pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

// Bernoulli numbers B2, B4, ... as fractions.
static const double bernoulli[][2] = {{1, 6},       {-1, 30},           {1, 42},       {-1, 30},
                                      {5, 66},      {-691, 2730},       {7, 6},        {-3617, 510},
                                      {43867, 798}, {-174611, 330},     {854513, 138}, {-236364091, 2730},
                                      {8553103, 6}, {-23749461029, 870}};
#define N_BERNOULLI ((int)(sizeof bernoulli / sizeof bernoulli[0]))

static dd dd_bernoulli(int j) { return dd_div((dd){bernoulli[j][0], 0}, (dd){bernoulli[j][1], 0}); }

// log of a positive pair: 2^e m with m near 1, log m = 2 atanh((m-1)/(m+1)).
static dd dd_log(dd x) {
    int e;
    double m = frexp(x.hi, &e);
    if (m < 0.70710678118654752) e--;
    dd v = {ldexp(x.hi, -e), ldexp(x.lo, -e)};
    dd z = dd_div(dd_add(v, (dd){-1, 0}), dd_add(v, dd_one)), z2 = dd_mul(z, z), power = z, sum = z;
    for (int k = 3; k <= 45; k += 2) {
        power = dd_mul(power, z2);
        sum = dd_add(sum, dd_div(power, (dd){k, 0}));
    }
    sum = (dd){2 * sum.hi, 2 * sum.lo};
    return dd_add(dd_mul(dd_ln2, (dd){e, 0}), sum);
}

// sin and cos of |t| <= pi/4
static void dd_sincos(dd t, dd *sine, dd *cosine) {
    dd t2 = dd_neg(dd_mul(t, t)), term = t, s = t, c = dd_one;
    for (int k = 3; k <= 29; k += 2) {
        term = dd_div(dd_mul(term, t2), (dd){k * (k - 1), 0});
        s = dd_add(s, term);
    }
    term = dd_one;
    for (int k = 2; k <= 28; k += 2) {
        term = dd_div(dd_mul(term, t2), (dd){k * (k - 1), 0});
        c = dd_add(c, term);
    }
    *sine = s;
    *cosine = c;
}

// pi cot(pi x), x no integer
static dd pi_cot_pi(double x) {
    double r = x - rint(x), a = fabs(r); // exact
    dd s, c, q;
    if (a <= 0.25) {
        dd_sincos(dd_mul(dd_pi, (dd){a, 0}), &s, &c);
        q = dd_div(c, s);
    } else {
        dd_sincos(dd_mul(dd_pi, (dd){0.5 - a, 0}), &s, &c);
        q = dd_div(s, c);
    }
    q = dd_mul(q, dd_pi);
    return r < 0 ? dd_neg(q) : q;
}

// psi of a pair >= 1/2
static dd psi_positive(dd x) {
    dd sum = {0, 0};
    while (x.hi < 20) {
        sum = dd_add(sum, dd_div(dd_one, x));
        x = dd_add(x, dd_one);
    }
    dd inverse = dd_div(dd_one, x), inverse2 = dd_mul(inverse, inverse), power = inverse2;
    dd r = dd_add(dd_log(x), dd_neg(dd_mul((dd){0.5, 0}, inverse)));
    for (int j = 0; j < N_BERNOULLI; j++) {
        r = dd_add(r, dd_neg(dd_div(dd_mul(dd_bernoulli(j), power), (dd){2 * (j + 1), 0})));
        power = dd_mul(power, inverse2);
    }
    return dd_add(r, dd_neg(sum));
}

double ch__digamma(double x) {
    if (x != x || x == INFINITY) return x;
    if (x <= 0 && x == floor(x)) return NAN; // -inf too
    if (fabs(x) < 1e-18) return -1 / x;      // the rest is below half an ulp
    if (x > 1e17) return log(x);
    dd r;
    if (x < 0.5)
        r = dd_add(psi_positive(dd_sum(1, -x)), dd_neg(pi_cot_pi(x)));
    else
        r = psi_positive((dd){x, 0});
    return r.hi + r.lo;
}

// ---------------------------------------------------------------- polygamma
// A pair times a power of two: factorials and powers leave the range of doubles on the way.
typedef struct {
    dd m;
    int64_t e;
} scaled;

static scaled normalize(dd m, int64_t e) {
    int k;
    if (m.hi == 0) return (scaled){m, 0};
    (void)frexp(m.hi, &k);
    return (scaled){{ldexp(m.hi, -k), ldexp(m.lo, -k)}, e + k};
}

static scaled scaled_mul(scaled a, scaled b) { return normalize(dd_mul(a.m, b.m), a.e + b.e); }

static scaled scaled_add(scaled a, scaled b) {
    if (a.m.hi == 0) return b;
    if (b.m.hi == 0) return a;
    if (a.e < b.e) {
        scaled t = a;
        a = b;
        b = t;
    }
    if (a.e - b.e > 200) return a;
    int shift = (int)(b.e - a.e);
    return normalize(dd_add(a.m, (dd){ldexp(b.m.hi, shift), ldexp(b.m.lo, shift)}), a.e);
}

static dd dd_power(dd x, int64_t n) { // 0 <= x <= 1
    dd r = dd_one;
    for (; n && r.hi != 0; n >>= 1) {
        if (n & 1) r = dd_mul(r, x);
        x = dd_mul(x, x);
    }
    return r;
}

// zeta(s, x) x^s, x > 0, s >= 2: terms 1, (x/(x+1))^s, ... and the tail from y = x + N on.
static dd zeta_bracket(int64_t s, dd x) {
    dd sum = dd_one, y = dd_add(x, dd_one);
    while (y.hi < (double)s + 30) {
        dd term = dd_power(dd_div(x, y), s);
        sum = dd_add(sum, term);
        y = dd_add(y, dd_one);
        if (term.hi < 1e-40) return sum; // what follows is smaller still
    }
    dd inverse = dd_div(dd_one, y), inverse2 = dd_mul(inverse, inverse);
    dd tail = dd_add(dd_div(y, (dd){(double)(s - 1), 0}), (dd){0.5, 0});
    // B2j/(2j)! s (s+1) ... (s+2j-2) / y^(2j-1)
    dd factor = dd_mul((dd){0.5 * (double)s, 0}, inverse);
    for (int j = 0; j < N_BERNOULLI; j++) {
        tail = dd_add(tail, dd_mul(dd_bernoulli(j), factor));
        double a = (double)s + 2 * j + 1, b = (double)s + 2 * j + 2, c = 2 * j + 3, d = 2 * j + 4;
        factor = dd_div(dd_mul(dd_mul(factor, (dd){a * b, 0}), inverse2), (dd){c * d, 0});
    }
    return dd_add(sum, dd_mul(dd_power(dd_div(x, y), s), tail));
}

// (s-1)! zeta(s, x)
static scaled zeta_times_factorial(int64_t s, dd x) {
    scaled r = normalize(zeta_bracket(s, x), 0), inverse = normalize(dd_div(dd_one, x), 0);
    r = scaled_mul(r, inverse);
    for (int64_t i = 1; i < s; i++) {
        r = scaled_mul(r, inverse);
        r = normalize(dd_mul(r.m, (dd){(double)i, 0}), r.e);
    }
    return r;
}

// (n-1)! / x^n, to which psi_n comes down for large x.
static scaled zeta_far(int64_t n, double x) {
    scaled r = {dd_one, 0}, inverse = normalize(dd_div(dd_one, (dd){ldexp(x, -600), 0}), -600);
    for (int64_t i = 1; i <= n; i++) {
        r = scaled_mul(r, inverse);
        if (i < n) r = normalize(dd_mul(r.m, (dd){(double)i, 0}), r.e);
    }
    return r;
}

double ch__polygamma(int64_t n, double x) {
    if (n == 0) return ch__digamma(x);
    if (x != x || n < 0) return NAN;
    int64_t s = n + 1;
    if (x == INFINITY) return n % 2 ? 0.0 : -0.0;
    if (x == -INFINITY) return NAN;
    if (x <= 0 && x == floor(x)) return n % 2 ? INFINITY : NAN; // odd orders have the same sign on both sides
    if (fabs(x) < 1e-160) return n % 2 ? INFINITY : copysign(INFINITY, -x); // n! / x^(n+1) is past the range
    scaled sum;
    if (x > 1e22) {
        sum = zeta_far(n, x);
    } else if (x > 0) {
        sum = zeta_times_factorial(s, (dd){x, 0});
    } else {
        double whole = floor(x);
        sum = zeta_times_factorial(s, dd_sum(x, -whole));
        scaled below = zeta_times_factorial(s, dd_sum(whole + 1, -x)), far = zeta_times_factorial(s, dd_sum(1, -x));
        far.m = dd_neg(far.m);
        below = scaled_add(below, far);
        if (s % 2) below.m = dd_neg(below.m);
        sum = scaled_add(sum, below);
    }
    double m = sum.m.hi + sum.m.lo;
    if (n % 2 == 0) m = -m;
    return ldexp(m, sum.e > 5000 ? 5000 : sum.e < -5000 ? -5000 : (int)sum.e);
}
