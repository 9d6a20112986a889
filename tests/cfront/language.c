/* SPDX-License-Identifier: Apache-2.0 */
/* language.c - C as people write it, one function for each part of the language. All take n numbers and give one. */
#include "language.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double early_return(int n, const double x[n]) {
    if (n == 0) return 0.0;
    if (x[0] > 5.0) return x[0] * x[0];
    double s = 1.0;
    for (int i = 0; i < n; i++) {
        s *= x[i];
        if (s > 3.0) return s + x[0];
        if (s < -3.0) return s - x[n - 1] * 2.0;
    }
    return sin(s);
}

double loops_with_jumps(int n, const double x[n]) {
    double s = 0.0;
    int used = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 2) continue;
        for (int j = i; j < n; j++) {
            if (j > i + 2) break;
            if (x[j] < 0.0) continue;
            s += x[i] * x[j];
            used++;
        }
        if (used > 8) break;
    }
    return s / (1 + used);
}

double do_and_while(int n, const double x[n]) {
    double y = 1.0 + fabs(x[0]), step;
    do {
        step = 0.5 * (y - (2.0 + x[0] * x[0]) / y);
        y -= step;
    } while (fabs(step) > 1e-13 * y);
    int i = 0;
    while (i < n && y < 100.0) y += x[i] * x[i], i += 2;
    int k = n;
    while (k-- > 0) y *= 1.0 + 0.01 * x[k];
    return y;
}

double switches(int n, const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        switch (i % 4) {
        case 0: s += x[i]; break;
        case 1:
        case 3: s += x[i] * x[i]; break;
        default: s *= x[i]; break;
        }
    }
    return s;
}

double fall_through(int n, const double x[n]) {
    double s = 1.0;
    switch (n) {
    case 9: s += x[0];
    /* fall through */
    case 6: s *= x[1];
    /* fall through */
    case 5: s += sin(x[2]); break;
    case 1: s = 0.0;
    }
    return s * x[0];
}

double commas_and_conditions(int n, const double x[n]) {
    double s = 0.0, t;
    for (int i = 0, j = n - 1; i < j; i++, j--) s += (t = x[i] - x[j], t * t);
    double a = x[0] > 0.0 ? x[0] * x[0] : -x[0];
    return s + (n > 3 ? a : 2.0 * a) + (x[1] > x[2] ? x[1] : x[2]);
}

struct vec {
    double x, y, z;
};
static struct vec cross(struct vec a, struct vec b) {
    struct vec r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}
static double dot3(struct vec a, struct vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

double structs_by_value(int n, const double x[n]) {
    struct vec a = {x[0], x[1], x[2]}, b = {.z = x[3], .x = x[4 % n]}, c = cross(a, b);
    struct vec d = c;
    d.y *= 2.0;
    return dot3(c, a) + dot3(d, cross(d, b)) + dot3(c, d);
}

static void scale(struct vec *v, double by) {
    v->x *= by;
    v->y *= by;
    v->z *= by;
}

double structs_by_pointer(int n, const double x[n]) {
    struct vec a = {x[0], x[1], x[2]}, *p = &a;
    scale(p, x[n - 1]);
    scale(&a, p->x);
    return (*p).y * p->z + a.x;
}

struct body {
    double pos[2], mass;
    int kind;
};

double array_of_structs(int n, const double x[n]) {
    struct body b[8];
    for (int i = 0; i < 8; i++) {
        b[i].pos[0] = x[i % n];
        b[i].pos[1] = x[(i + 1) % n];
        b[i].mass = 1.0 + x[i % n] * x[i % n];
        b[i].kind = i % 2;
    }
    double e = 0.0;
    for (const struct body *p = b; p < b + 8; p++)
        for (const struct body *q = p + 1; q < b + 8; q++) {
            double dx = p->pos[0] - q->pos[0], dy = p->pos[1] - q->pos[1];
            if (p->kind == q->kind) e += p->mass * q->mass / sqrt(dx * dx + dy * dy + 1.0);
        }
    return e;
}

struct pose {
    struct vec at;
    struct {
        double q[4];
    } turn;
};
static double norm2(const struct pose *p) {
    double s = dot3(p->at, p->at);
    for (int i = 0; i < 4; i++) s += p->turn.q[i] * p->turn.q[i];
    return s;
}

double nested_structs(int n, const double x[n]) {
    struct pose a, b;
    a.at.x = x[0], a.at.y = x[1], a.at.z = x[2];
    for (int i = 0; i < 4; i++) a.turn.q[i] = x[i % n] * i;
    b = a;
    b.turn.q[1] = a.at.x * x[3];
    return norm2(&a) * norm2(&b);
}

/* clang calls x + 1 an array where x is a parameter x[n] */
double moved_parameters(int n, const double x[n]) {
    const double *e = x + n - 1, *q = n > 3 ? x : x + 2 - 1, *z;
    double s = *(x + n - 2) * e[0] + q[0];
    for (int i = 0; i < n - 1; i++) s += *x++ * i;
    x -= 1;
    s *= *x;
    z = x = x - 1;
    s += z[0] * *--x;
    s += ((void)n, x)[0];
    s += *(1 + x + 1);
    return s + (double)(e - x);
}

enum shape { DISC, SQUARE = 7 };
struct figure {
    enum shape shape;
    double size;
};
static double area(const struct figure *f) { return f->shape == SQUARE ? f->size * f->size : 3.0 * f->size; }
double enumerators(int n, const double x[n]) {
    struct figure f[2] = {{DISC, x[0]}, {SQUARE, x[n - 1]}};
    return area(&f[0]) * area(&f[1]);
}

/* what does not fit is cut where C leaves it open, as processors do it */
double narrow_from_floats(int n, const double x[n]) {
    double s = x[0], large = 40000.0 + 100.0 * (double)(int)x[0];
    short low = (short)large;
    unsigned char byte = (unsigned char)(s * 0.0 + 300.5);
    unsigned wide = (unsigned)(s * 0.0 - 3.0);
    return s * low + x[n - 1] * byte + s * (double)(wide >> 16);
}

// Structs that hold arrays of structs, copied, passed, given back and cleared as a whole.
struct segment {
    struct vec end[2];
    double weight[3];
};
struct path {
    struct segment part[2];
    struct {
        int turns;
        struct vec mid;
    } seen[2];
    double length;
};
static struct path turned_path(struct path p) {
    struct path r = p;
    r.part[0] = p.part[1];
    r.part[1].end[0] = p.part[0].end[1];
    r.seen[1].turns = p.seen[0].turns + 2;
    r.length = dot3(r.part[0].end[0], r.part[1].end[0]);
    return r;
}
double whole_structs(int n, const double x[n]) {
    struct path p, many[3], *q = &many[n % 3];
    memset(&p, 0, sizeof p);
    memset(many, 0, sizeof many);
    for (int i = 0; i < n; i++) {
        p.part[i % 2].end[i / 2 % 2].y = x[i];
        p.part[i % 2].weight[i % 3] += 0.5 * x[i];
        p.seen[i % 2].mid.z = x[i] * x[i];
        p.seen[0].turns++;
    }
    many[1] = p;
    *q = turned_path(many[1]);
    memcpy(&many[0], q, sizeof *q);
    double s = p.length;
    for (const struct path *at = many; at < many + 3; at++) {
        s += at->length * at->part[1].end[0].y + at->seen[1].mid.z * at->part[0].weight[2];
        s += at->seen[1].turns * at->part[0].end[1].y;
    }
    memset(&p.part[1], 0, sizeof p.part[1]);
    return s + p.part[1].end[0].y + p.part[0].end[0].y;
}

double moving_pointers(int n, const double x[n]) {
    double s = 0.0;
    const double *p = x, *end = x + n;
    while (p != end) {
        double v = *p++;
        s = s * 0.9 + v * v;
    }
    double a[4] = {0.0, 0.0, 0.0, 0.0}, *w = a;
    for (int i = 0; i < n && i < 4; i++) *w++ = x[i];
    return s + a[0] * a[1] + *--w;
}

double pointer_to_either(int n, const double x[n]) {
    double a[3] = {x[0], x[1], x[2]}, b[3] = {1.0, 2.0, 3.0};
    const double *in = b;
    double s = 0.0;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) a[i] = sin(a[i]) + in[(i + k) % 3];
        in = k % 2 ? b : a;
        s += in[k % 3];
    }
    return s * a[0];
}

double walking_backwards(int n, const double x[n]) {
    double s = 0.0;
    for (int i = n - 1; i >= 0; i--) s = s * x[0] + x[i];
    for (int i = n; i > 0; i -= 2) s += x[i - 1] * i;
    return s;
}

double single_precision(int n, const double x[n]) {
    float s = 0.0f, h = 0.5f;
    double t = 0.0;
    for (int i = 0; i < n; i++) {
        float v = (float)x[i];
        s += v * h;
        s *= 1.0 + 1e-3;
        t += sinf(v) * x[i];
    }
    return t + (double)s * 1e-3;
}

double integers_of_all_sizes(int n, const double x[n]) {
    unsigned char c = 250;
    signed char d = -3;
    short s = 1000;
    unsigned short u = 65000;
    long l = 1L << 40;
    unsigned long long w = 5;
    double r = 0.0;
    for (int i = 0; i < n; i++) {
        c += 3;
        u += 300;
        d = (signed char)(d * 2 + i);
        s = (short)(s + d);
        l >>= 2;
        w = w * 2862933555777941757ull + 3037000493ull;
        r += x[i] * ((c & 7) + (u >> 13) + (d < 0 ? 1 : 2) + s % 5 + (int)(l & 3) + (int)(w >> 60));
    }
    return r * r;
}

double unsigned_wraps(int n, const double x[n]) {
    unsigned h = 2166136261u;
    double s = 0.0;
    for (unsigned i = 0; i < (unsigned)n; i++) {
        h = (h ^ i) * 16777619u;
        s += x[h % (unsigned)n] * x[i];
        if (~h & 1u) s -= x[0];
    }
    for (size_t i = (size_t)n; i-- > 0;) s += x[i];
    return s;
}

double copies_and_clears(int n, const double x[n]) {
    double a[n], b[n];
    memcpy(a, x, n * sizeof *a);
    memset(b, 0, sizeof b);
    memcpy(b + 1, a, (size_t)(n - 1) * sizeof(double));
    double s = 0.0;
    for (int i = 0; i < n; i++) s += a[i] * b[i] + b[i] * b[i];
    return s;
}

double allocates(int n, const double x[n]) {
    double *p = malloc((size_t)n * sizeof *p), *q = calloc((size_t)n, sizeof(double));
    if (p == NULL || q == NULL) {
        free(p);
        free(q);
        return -1.0;
    }
    for (int i = 0; i < n; i++) p[i] = x[i] * x[i];
    for (int i = 1; i < n; i++) q[i] += p[i] * p[i - 1];
    double s = 0.0;
    for (int i = 0; i < n; i++) s += q[i];
    free(p);
    free(q);
    return s;
}

static const double weights[2][3] = {{1.0, 2.5, -1.0}, {0.5, 0.25, 4.0}};
static const double scale_by = 2.0 * 1.5;
enum { ROWS = 2 };

double file_constants(int n, const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 3; j++) s += weights[i][j] * x[(i + j) % n] * x[j];
    return s * scale_by;
}

double static_locals(int n, const double x[n]) {
    static const double c[] = {1.0, -0.5, 0.25};
    static double unit = 2.0;
    double s = 0.0;
    for (int i = 0; i < n; i++) s += c[i % 3] * x[i] * x[i] * unit;
    return s;
}

#define PI 3.14159265358979323846
#define SQUARE(v) ((v) * (v))
#define ADD_TO(s, v)                                                                                                   \
    do {                                                                                                               \
        double v_ = (v);                                                                                               \
        (s) += SQUARE(v_);                                                                                             \
    } while (0)

double macros(int n, const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) ADD_TO(s, x[i] - PI);
    return s;
}

double asserts_and_prints(int n, const double x[n]) {
    assert(n > 0 && "numbers are wanted");
    double s = x[0] * x[0];
    if (n > 1000) fprintf(stderr, "many: %d %g\n", n, s);
    if (n < 0) abort();
    return s + x[n - 1];
}

static double power(double x, int k) {
    if (k == 0) return 1.0;
    double h = power(x, k / 2);
    return k % 2 ? h * h * x : h * h;
}

double recursive(int n, const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += power(x[i], i + 1);
    return s;
}

static double odd_sum(const double *x, int n);
static double even_sum(const double *x, int n) { return n <= 0 ? 0.0 : x[n - 1] * x[n - 1] + odd_sum(x, n - 1); }
static double odd_sum(const double *x, int n) { return n <= 0 ? 0.0 : 3.0 * x[n - 1] + even_sum(x, n - 1); }

double mutual(int n, const double x[n]) { return even_sum(x, n) * x[0]; }

static double twice(double v) { return 2.0 * v; }
static double squared(double v) { return v * v; }
static double applied(double (*f)(double), double v) { return f(v); }

double function_pointers(int n, const double x[n]) {
    double (*g)(double) = x[0] > 0.0 ? twice : squared;
    return applied(sin, x[0]) + applied(&squared, x[1]) + g(x[2]) + (*g)(x[0] * x[n - 1]);
}

static void times(int n, double a[n][n], double b[n][n], double c[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] = 0.0;
            for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];
        }
}

double two_dimensions(int n, const double x[n]) {
    double a[n][n], b[n][n], c[n][n], m[2][3];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = x[(i + j) % n], b[j][i] = x[i] * x[j];
    times(n, a, b, c);
    for (int i = 0; i < 6; i++) m[i / 3][i % 3] = x[i % n];
    double(*row)[3] = m, s = 0.0;
    for (int i = 0; i < 2; i++, row++) s += (*row)[1] * (*row)[2];
    for (int i = 0; i < n; i++) s += c[i][n - 1 - i];
    return s;
}

double designated(int n, const double x[n]) {
    double a[5] = {[1] = x[0], x[1], [4] = x[2]};
    struct pose p = {.at = {.y = x[0]}, .turn.q[2] = x[1]};
    double m[2][2] = {{x[0], x[1]}, {x[2]}}, f[2][2] = {x[0], x[1], x[2], 1.0};
    double s = 0.0;
    for (int i = 0; i < 5; i++) s += a[i] * a[i] * i;
    return s + p.at.y * p.turn.q[2] + p.at.x + m[0][1] * m[1][0] + m[1][1] + f[1][0] * f[0][1];
}

double math_library(int n, const double x[n]) {
    double a = x[0], b = 1.5 + x[1] * x[1], s = 0.0;
    s += sin(a) + cos(a) + tan(0.1 * a) + asin(0.1 * a) + acos(0.1 * a) + atan(a) + atan2(a, b);
    s += sinh(0.3 * a) + cosh(0.3 * a) + tanh(a) + asinh(a) + acosh(b) + atanh(0.1 * a);
    s += exp(0.2 * a) + exp2(0.2 * a) + expm1(0.2 * a) + log(b) + log2(b) + log10(b) + log1p(b);
    s += sqrt(b) + cbrt(b) + hypot(a, b) + pow(b, 1.3) + pow(b, a * 0.1) + fabs(a) + fma(a, b, 2.0);
    s += erf(a) + erfc(a) + lgamma(b) + tgamma(b) + fmax(a, b) + fmin(a, b) + fdim(b, a) + fmod(b, 1.1);
    s += floor(a) + ceil(a) + round(a) + trunc(a) + rint(a) + copysign(b, a) + ldexp(a, 2) + j0(a);
    return s + (isnan(a) ? 1.0 : 0.0) + (isfinite(b) && !signbit(b) ? a : 0.0) + remainder(b, 0.7) + x[n - 1];
}

double second_results(int n, const double x[n]) {
    int e;
    double whole, m = frexp(1.0 + x[0] * x[0], &e), part = modf(x[1] * 3.3, &whole);
    return m * part + e * x[2] + whole + x[n - 1];
}

double index_from_float(int n, const double x[n]) {
    double t = 0.5 * (1.0 + tanh(x[0])) * (n - 1);
    int i = (int)floor(t);
    if (i > n - 2) i = n - 2;
    double f = t - i;
    return (1.0 - f) * x[i] + f * x[i + 1];
}

double running_counter(int n, const double x[n]) {
    double s = 0.0;
    int p = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) s += x[p++ % n] * x[j] * i;
    return s + x[--p % n];
}

static double first_above(int n, const double *x, double limit) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (x[i] * x[j] > limit) return x[i] - x[j] * limit;
    return x[0];
}

double nested_returns(int n, const double x[n]) {
    return first_above(n, x, 0.5) * first_above(n, x, 100.0) + first_above(n, x, -1.0);
}

double logical_short_cuts(int n, const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < n + 2; i++) {
        if (i < n && x[i] > 0.0 && (i == 0 || x[i - 1] < x[i])) s += x[i] * x[i];
        if (i >= n || x[i] < -0.5) s += 0.5 * x[0];
        if (!(i < n)) s *= 1.1;
    }
    return s;
}

double compound_literals(int n, const double x[n]) {
    struct vec v = cross((struct vec){x[0], x[1], x[2]}, (struct vec){1.0, .z = x[n - 1]});
    const double *p = (double[]){x[0], 2.0, x[1]};
    return v.x + v.y * v.z + p[0] * p[1] * p[2];
}

static double strided_sum(int n, const double *x, int step) {
    double s = 0.0;
    for (int i = 0; i < n; i += step) s += x[i] * x[i];
    return s;
}

double strided(int n, const double x[n]) { return strided_sum(n, x, 1) + strided_sum(n - 1, x + 1, 2) * x[0]; }

double overwritten_state(int n, const double x[n]) {
    double u[n], v[n];
    for (int i = 0; i < n; i++) u[i] = x[i];
    for (int t = 0; t < 6; t++) {
        for (int i = 0; i < n; i++) v[i] = u[i] * u[(i + 1) % n] * 0.5 + u[i];
        double *a = u, *b = v;
        for (int i = 0; i < n; i++) a[i] = tanh(b[i]);
    }
    double s = 0.0;
    for (int i = 0; i < n; i++) s += u[i] * (i + 1);
    return s;
}

double sizeof_and_offsets(int n, const double x[n]) {
    double a[6] = {0.0};
    size_t count = sizeof a / sizeof a[0], bytes = sizeof(struct vec) / sizeof(double);
    for (size_t i = 0; i < count; i++) a[i] = x[i % (size_t)n] * (double)bytes;
    const double *p = &a[1], *q = &a[4];
    return a[q - p] * a[0] + (p < q ? a[5] : 0.0);
}

double kept_in_a_loop(int n, const double x[n]) {
    double last = 0.0, best = x[0];
    int where = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0) last = x[i] * x[i - 1] + 0.3 * last;
        if (x[i] > best) best = x[i], where = i;
    }
    return last * best + x[where] * where;
}

double stop_here(int n, const double x[n]) { return (x[0] - ch_stop_gradient_f64(0.0 * x[0])) * x[n - 1]; }

double solve(double a) {
    double y = a < 1.0 ? a : log(a), step;
    do {
        double e = exp(y);
        step = (y * e - a) / (e * (y + 1.0));
        y -= step;
    } while (fabs(step) > 1e-15 * (1.0 + fabs(y)));
    return y;
}
void solve_vjp(double a, double y, double y_bar, double *a_bar) { *a_bar += y_bar * y / (a * (1.0 + y)); }
void solve_jvp(double a, double a_t, double y, double *y_t) { *y_t = a_t * y / (a * (1.0 + y)); }

double own_rule(int n, const double x[n]) { return solve(1.0 + x[0] * x[0]) * x[1] + solve(2.0 + x[n - 1] * x[2]); }

double checkpoints(int n, const double x[n]) {
    double s = x[0];
    for (int i = 0; i < 40; i++) {
        CH_CHECKPOINT(sqrt);
        s = sin(s) + 0.1 * x[i % n] * s;
    }
    for (int i = 0; i < 20; i++) {
        CH_CHECKPOINT(revolve, 4);
        s = cos(s) * x[i % n];
    }
    return s;
}

double forward_goto(int n, const double x[n]) {
    double s = 0.0, *p = malloc((size_t)n * sizeof *p);
    if (!p) goto fail;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            p[j] = x[i] * x[j];
            if (p[j] > 1.0) goto found;
            s += p[j];
        }
    s *= 2.0;
    goto done;
found:
    s += x[0];
done:
    s += x[1] * s;
    free(p);
    return s;
fail:
    return -1.0;
}

/* a local matrix of run-time size, factored in place: elements are read before and after they are overwritten */
double cholesky_in_place(int n, const double x[n]) {
    double a[n][n], s = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = sin(x[i] * x[j]) + (i == j ? 4.0 * n + x[i] * x[i] : 0.0);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) a[j][j] -= a[j][k] * a[j][k];
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    for (int i = 0; i < n; i++) s += log(a[i][i]) + a[n - 1][i];
    return s;
}

/* views into one array of gates, and an input that moves on to what the layer before gave */
double views_of_gates(int n, const double x[n]) {
    double gates[12], state[4] = {0.1, 0.2, 0.3, 0.4}, total = 0.0;
    double *forget = &gates[0], *ingate = &gates[4], *change = &gates[8];
    for (int t = 0; t < 5; t++) {
        const double *input = x;
        for (int layer = 0; layer < 2; layer++) {
            double *hidden = &state[2 * layer];
            for (int i = 0; i < 2; i++) {
                forget[i] = 1.0 / (1.0 + exp(-input[i] - hidden[i]));
                ingate[i] = 1.0 / (1.0 + exp(-hidden[i] * x[(t + i) % n]));
                change[i] = tanh(input[i] * hidden[1 - i]);
            }
            for (int i = 0; i < 2; i++) hidden[i] = hidden[i] * forget[i] + ingate[i] * change[i];
            input = hidden;
        }
        total += input[0] * input[1];
    }
    return total + x[n - 1];
}
