/* SPDX-License-Identifier: Apache-2.0 */
/* idioms.c - C as libraries and programs are written: structs of state behind void *, callbacks, tables of functions,
   variables of other files. Each function takes n numbers; test_language.c compares. */
#include "idioms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* structs behind a pointer that may point to several, pointers in them, and copies of them */
struct pair {
    double a, b;
    const double *more;
};
double several_structs(int n, const double x[n]) {
    struct pair p = {x[0], x[1], x + 2}, q = {x[1], x[2], x + 3}, *r = x[0] > x[1] ? &p : &q, *none = NULL, copy;
    copy = *r;
    double s = copy.a * p.b + r->more[1] * r->b;
    *r = (struct pair){x[3], s, x};
    none = x[2] > 0.0 ? r : NULL;
    if (none) copy = *none;
    return s + p.a * q.b - q.more[0] + copy.a * copy.b * n;
}

/* a function and what it needs, in a struct */
typedef struct {
    double (*function)(double x, void *params);
    void *params;
} closure;
#define CALL(F, x) ((*((F)->function))(x, (F)->params))
struct quadratic {
    double a, b, c;
};
static double quadratic(double x, void *params) {
    struct quadratic *p = (struct quadratic *)params;
    return (p->a * x + p->b) * x + p->c;
}
static double root(const closure *F, double lo, double hi, int steps) {
    double f_lo = CALL(F, lo), x = 0.5 * (lo + hi);
    for (int i = 0; i < steps; i++) {
        double f = CALL(F, x);
        if ((f < 0.0) == (f_lo < 0.0))
            lo = x;
        else
            hi = x;
        x = lo + (hi - lo) * 0.5;
    }
    return x - CALL(F, x) / (CALL(F, x + 1e-4) - CALL(F, x - 1e-4)) * 2e-4;
}
static double simpson(const closure *F, double a, double b, int n) {
    double h = (b - a) / n, s = CALL(F, a) + CALL(F, b);
    for (int i = 1; i < n; i++) s += (i % 2 ? 4.0 : 2.0) * CALL(F, a + i * h);
    return s * h / 3.0;
}
double closures(int n, const double x[n]) {
    struct quadratic p = {1.0 + x[0] * x[0], x[1], -2.0 - x[2] * x[2]};
    closure F;
    F.function = &quadratic;
    F.params = &p;
    return simpson(&F, x[3], x[4], 6) + root(&F, 0.0, 4.0, 5) * x[5];
}

/* tables of functions, an operation chosen by number, a struct of operations */
static double twice(double x) { return 2.0 * x; }
static double squared(double x) { return x * x; }
static double (*const table[])(double) = {sin, twice, squared, exp};
struct operations {
    const char *name;
    double (*f)(double), (*df)(double);
};
static double one(double x) { return x > 1e9 ? 0.0 : 1.0; }
static const struct operations activations[] = {{"sin", sin, cos}, {"none", twice, one}, {"square", squared, twice}};
static const struct operations *find(const char *name) { return name[0] == 's' ? &activations[0] : &activations[1]; }
double function_tables(int n, const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += table[i % 4](x[i]) * activations[i % 3].f(0.3 * x[i]);
    const struct operations *o = &activations[2];
    s += o->f(x[0]) * o->df(x[1]);
    (void)find;
    return s;
}

/* callbacks that are handed down, chosen at run time, and a default */
static double decay(double t, double y, void *params) { return -((double *)params)[0] * y + 0.1 * t; }
static double logistic(double t, double y, void *params) {
    const double *k = params;
    return k[0] * y * (1.0 - y / (3.0 + k[1] * k[1])) - 0.01 * t;
}
typedef double (*rhs)(double, double, void *);
static double rk4(rhs f, double t, double y, double h, void *params) {
    double k1 = f(t, y, params), k2 = f(t + h / 2, y + h / 2 * k1, params);
    double k3 = f(t + h / 2, y + h / 2 * k2, params), k4 = f(t + h, y + h * k3, params);
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}
static double integrate(rhs f, double y, int steps, void *params) {
    if (f == NULL) f = decay;
    for (int i = 0; i < steps; i++) y = rk4(f, 0.1 * i, y, 0.1, params);
    return y;
}
double callbacks_chosen(int n, const double x[n]) {
    double k[2] = {x[0], x[1]};
    rhs f = x[2] > 0.0 ? decay : logistic;
    return integrate(f, x[3], 5, k) + integrate(NULL, x[4], 3, k) * integrate(logistic, x[5], 4, k) + n;
}

/* an interpolation object: a type with functions, state that the functions know */
typedef struct {
    const char *name;
    void *(*alloc)(size_t n);
    int (*init)(void *state, const double x[], const double y[], size_t n);
    double (*eval)(const void *state, const double x[], const double y[], size_t n, double at);
    void (*release)(void *state);
} interp_type;
typedef struct {
    const interp_type *type;
    void *state;
    size_t size;
} interp;
typedef struct {
    double *g, *work;
} cubic_state;
static void *cubic_alloc(size_t n) {
    cubic_state *s = (cubic_state *)malloc(sizeof(cubic_state));
    if (s == NULL) return NULL;
    s->g = (double *)malloc(n * sizeof(double));
    if (s->g == NULL) {
        free(s);
        return NULL;
    }
    s->work = (double *)malloc(n * sizeof(double));
    return s;
}
static int cubic_init(void *vstate, const double x[], const double y[], size_t n) {
    cubic_state *state = (cubic_state *)vstate;
    for (size_t i = 0; i + 1 < n; i++) state->work[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
    state->g[0] = state->work[0];
    for (size_t i = 1; i + 1 < n; i++) state->g[i] = 0.5 * (state->work[i - 1] + state->work[i]);
    state->g[n - 1] = state->work[n - 2];
    return 0;
}
static double cubic_eval(const void *vstate, const double x[], const double y[], size_t n, double at) {
    const cubic_state *state = (const cubic_state *)vstate;
    size_t i = 0;
    while (i + 2 < n && x[i + 1] < at) i++;
    double h = x[i + 1] - x[i], t = (at - x[i]) / h;
    return (1 + 2 * t) * (1 - t) * (1 - t) * y[i] + t * (1 - t) * (1 - t) * h * state->g[i] +
           t * t * (3 - 2 * t) * y[i + 1] - t * t * (1 - t) * h * state->g[i + 1];
}
static void cubic_free(void *vstate) {
    cubic_state *state = (cubic_state *)vstate;
    free(state->g);
    free(state->work);
    free(state);
}
static const interp_type cubic = {"cubic", &cubic_alloc, &cubic_init, &cubic_eval, &cubic_free};
static interp *interp_alloc(const interp_type *T, size_t n) {
    interp *w = (interp *)malloc(sizeof(interp));
    if (w == NULL) return NULL;
    w->type = T;
    w->size = n;
    w->state = w->type->alloc(n);
    return w;
}
static void interp_free(interp *w) {
    if (!w) return;
    if (w->type->release) w->type->release(w->state);
    free(w);
}
double state_behind_void(int n, const double x[n]) {
    double at[5], s = 0.0;
    for (int i = 0; i < 5; i++) at[i] = i + 0.2 * sin(x[5] * i);
    interp *w = interp_alloc(&cubic, 5);
    w->type->init(w->state, at, x, w->size);
    for (int i = 0; i < 6; i++) s += w->type->eval(w->state, at, x, w->size, 0.7 * i + 0.1 * x[6]) * (i + 1);
    interp_free(w);
    return s;
}

/* variables and functions that another file defines */
double other_files_globals(int n, const double x[n]) {
    double s = 0.0, k = x[1];
    for (int i = 0; i < n; i++) s += other_table[i % 4] * x[i];
    return s + other_call(other_functions[0], x[0], &k) * other_call(other_functions[1], x[2], &k);
}

static double eval_series(const series *cs, double x) {
    double d = 0.0, dd = 0.0, y = (2.0 * x - cs->a - cs->b) / (cs->b - cs->a), y2 = 2.0 * y;
    for (int j = cs->order; j >= 1; j--) {
        double temp = d;
        d = y2 * d - dd + cs->c[j];
        dd = temp;
    }
    return y * d - dd + 0.5 * cs->c[0];
}
static double own_data[4] = {0.7, 0.1, -0.2, 0.05};
static series own_series = {own_data, 3, -2.0, 2.0};
double chebyshev(int n, const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += eval_series(i % 2 ? &other_series : &own_series, x[i]);
    return s;
}

/* goto that leads back: once more */
double goto_back(int n, const double x[n]) {
    double y = 1.0 + x[0] * x[0], e;
    int tries = 0;
again:
    e = y * y - 2.0 - x[1] * x[1];
    y -= e / (2.0 * y);
    if (++tries < 4) goto again;
    if (y > 1.7 && tries < 6) {
        y *= 0.5;
        goto again;
    }
    return y * x[2] + tries + n;
}

/* out of loops in loops, to before and after them */
double goto_from_loops(int n, const double x[n]) {
    double s = 0.0, limit = 2.5;
    int rounds = 0;
start:
    rounds++;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            s += x[i] * cos(x[j]) / rounds;
            if (s > limit && rounds < 4) {
                limit += 1.0;
                s *= 0.5;
                goto start;
            }
            if (s < -limit) goto out;
        }
        if (i == 5 && rounds == 1) goto start;
    }
    s += 1.0;
out:
    return s * limit;
}

/* two labels, the loops of one in those of the other and across */
double goto_two_labels(int n, const double x[n]) {
    double s = x[0];
    int i = 0, k = 0;
outer:
    s = s * 0.5 + x[i];
inner:
    s += 0.1 * sin(s) * x[k % n];
    k++;
    if (k % 3) goto inner;
    i++;
    if (i < 4) goto outer;
    if (k < 20 && s < 0.0) goto inner;
    return s;
}

/* what is declared on the way is used behind it */
double goto_declares(int n, const double x[n]) {
    int count = 0;
    double at = x[0];
retry:;
    double f = at * at * x[1] - x[2], df = 2.0 * at * x[1] + 0.3;
    at = at - 0.1 * f * df / (1.0 + df * df);
    if (fabs(f) > 1e-2 && count++ < 5) goto retry;
    double g = f + df;
    if (g > 100.0) return g * n;
    return at * g;
}

/* a machine of states */
double goto_states(int n, const double x[n]) {
    double s = 0.0, level = 1.0;
    int i = 0;
next:
    if (i >= n) goto done;
    if (x[i] > 0.4) {
        level *= 1.0 + 0.1 * x[i];
        i++;
        goto next;
    } else if (x[i] < -0.4) {
        for (int k = 0; k < 3; k++) {
            s -= level * x[i] * x[k];
            if (s > 3.0) {
                s *= 0.3;
                i += 2;
                goto next;
            }
        }
    }
    s += x[i] * level;
    i++;
    goto next;
done:
    return s + level;
}

/* a loop of gotos with two ways in */
double goto_into_the_middle(int n, const double x[n]) {
    double s = x[0];
    int i = 0;
    if (x[1] > 0.0) goto middle;
    if (x[2] > 1.0) return s * n;
start:
    s = 0.5 * s * x[i % n];
middle:
    s += sin(x[(i + 1) % n]);
    if (i++ < 3) goto start;
    return s * s;
}

/* rows of one array, swapped where the pivot is; a null pointer among them */
static void solve_by_rows(int n, double **a, double *b) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[p][k])) p = i;
        double *row = a[k], t = b[k];
        a[k] = a[p];
        a[p] = row;
        b[k] = b[p];
        b[p] = t;
        for (int i = k + 1; i < n; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}
double rows_of_views(int n, const double x[n]) {
    double m[16], b[4], *a[4], s = 0.0;
    const double *some[3] = {x, NULL, x + 2};
    for (int i = 0; i < 4; i++) {
        a[i] = m + 4 * i;
        b[i] = x[i % n];
        for (int j = 0; j < 4; j++) a[i][j] = cos(x[(i + j) % n] * (i + 1)) + (i == 3 - j ? 3.0 : 0.0);
    }
    solve_by_rows(4, a, b);
    for (int i = 0; i < 3; i++)
        if (some[i]) s += some[i][i];
    for (int i = 0; i < 4; i++) s += b[i] * (i + 1.0);
    return s;
}

/* the rows beside each other in memory of malloc */
double rows_of_malloc(int n, const double x[n]) {
    double **a = malloc((size_t)n * sizeof *a), *data = malloc((size_t)n * 3 * sizeof *data), s = 0.0;
    for (int i = 0; i < n; i++) a[i] = &data[3 * i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++) a[i][j] = x[i] * (j + 1) + x[(i + j) % n];
    for (double **r = a; r < a + n; r++) s += (*r)[0] * (*r)[1] - r[0][2];
    free(a[0]);
    free(a);
    return s;
}

/* layers of a network as structs that point into one array of weights */
struct dense {
    int in, out;
    double *w, *b;
    double (*f)(double);
};
double arrays_of_layers(int n, const double x[n]) {
    enum { LAYERS = 3, SIZE = 4 };
    double weights[LAYERS * (SIZE * SIZE + SIZE)], act[2][SIZE], *now = act[0], *next = act[1], *p = weights, s = 0.0;
    struct dense layers[LAYERS];
    for (int i = 0; i < LAYERS * (SIZE * SIZE + SIZE); i++) weights[i] = 0.3 * x[i % n] * cos(i);
    for (int l = 0; l < LAYERS; l++) {
        layers[l].in = layers[l].out = SIZE;
        layers[l].w = p;
        p += SIZE * SIZE;
        layers[l].b = p;
        p += SIZE;
        layers[l].f = l == LAYERS - 1 ? twice : tanh;
    }
    for (int i = 0; i < SIZE; i++) now[i] = x[i];
    for (int l = 0; l < LAYERS; l++) {
        const struct dense *d = &layers[l];
        for (int o = 0; o < d->out; o++) {
            double t = d->b[o];
            for (int i = 0; i < d->in; i++) t += d->w[o * d->in + i] * now[i];
            next[o] = d->f(t);
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    for (int i = 0; i < SIZE; i++) s += now[i] * (i + 1);
    return s;
}

/* pointers to structs in an array, sorted by what they point to */
double pointers_to_structs(int n, const double x[n]) {
    struct quadratic a = {x[0], x[1], 1.0}, b = {x[2], x[3], 2.0}, c = {x[4], x[5], 3.0}, *all[3] = {&a, &b, &c};
    double s = 0.0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (all[j]->a > all[j + 1]->a) {
                struct quadratic *t = all[j];
                all[j] = all[j + 1];
                all[j + 1] = t;
            }
    for (int i = 0; i < 3; i++) {
        s = 0.5 * s + quadratic(x[n - 1], all[i]);
        all[i]->b *= 2.0;
    }
    return s + a.b * b.b * c.b + all[0]->a;
}

/* a matrix as books have it: malloc for the rows, then for each */
static double **new_matrix(int n, int m) {
    double **a = (double **)malloc((size_t)n * sizeof(double *));
    for (int i = n - 1; i >= 0; i--) {
        a[i] = (double *)calloc((size_t)m, sizeof(double));
        for (int j = 0; j < m; j++) a[i][j] = j == 2 ? 0.5 : 0.0;
    }
    return a;
}
static void free_matrix(double **a, int n) {
    for (int i = 0; i < n; i++) free(a[i]);
    free(a);
}
double matrix_of_mallocs(int n, const double x[n]) {
    double **a = new_matrix(n, 4), **b = new_matrix(4, n), s = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++) {
            a[i][j] = x[i] * cos(j);
            b[j][i] += x[(i + j) % n];
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double t = 0.0;
            for (int j = 0; j < 4; j++) t += a[i][j] * b[j][k];
            s += sin(t) * (i - k);
        }
    free_matrix(a, n);
    free_matrix(b, 4);
    return s;
}

/* memory of one turn, read in the next one, and behind the loop */
double memory_of_turns(int n, const double x[n]) {
    double *p = NULL, *last = p, s = 0.0;
    for (int i = 0; i < n; i++) {
        double *q = malloc(2 * sizeof *q), *own = malloc(2 * sizeof *own);
        q[0] = x[i];
        q[1] = 2 * x[i] * x[i];
        own[1] = x[0] * i;
        if (p) s += p[0] * q[1] + own[1];
        last = q;
        p = q;
        free(own);
    }
    return s + last[1] * p[0];
}

struct item {
    double value;
    struct item *next;
};
double linked_list(int n, const double x[n]) {
    struct item *head = NULL;
    for (int i = 0; i < n; i++) {
        struct item *new = malloc(sizeof *new);
        new->value = x[i];
        new->next = head;
        head = new;
    }
    double s = 0.0, k = 1.0;
    for (struct item *p = head; p != NULL; p = p->next, k *= 0.9) s += k * p->value * p->value;
    for (struct item *p = head; p && p->next; p = p->next)
        if (p->value > p->next->value) {
            double t = p->value;
            p->value = p->next->value * x[0];
            p->next->value = t;
        }
    while (head) {
        struct item *next = head->next;
        s = 0.7 * s + sin(head->value);
        free(head);
        head = next;
    }
    return s;
}

/* layers that each allocate what they need, of sizes that differ */
struct net_layer {
    int in, out;
    double *w, *y;
};
struct net {
    int n;
    struct net_layer *layers;
};
static struct net *new_net(int n, int size) {
    struct net *net = malloc(sizeof *net);
    net->n = n;
    net->layers = malloc((size_t)n * sizeof *net->layers);
    for (int l = 0; l < n; l++) {
        net->layers[l].in = size;
        net->layers[l].out = size;
        net->layers[l].w = malloc((size_t)(size * size) * sizeof(double));
        net->layers[l].y = calloc((size_t)size, sizeof(double));
    }
    return net;
}
double layers_of_mallocs(int n, const double x[n]) {
    struct net *net = new_net(3, 4);
    for (int l = 0; l < net->n; l++)
        for (int i = 0; i < 16; i++) net->layers[l].w[i] = 0.4 * x[(i + l) % n] * sin(i + l);
    const double *in = x;
    for (int l = 0; l < net->n; l++) {
        struct net_layer *d = &net->layers[l];
        for (int o = 0; o < d->out; o++) {
            d->y[o] = 0.1;
            for (int i = 0; i < d->in; i++) d->y[o] += d->w[o * d->in + i] * in[i];
            d->y[o] = tanh(d->y[o]);
        }
        in = d->y;
    }
    double s = 0.0;
    for (int i = 0; i < 4; i++) s += in[i] * (i + 1) + net->layers[0].y[i];
    for (int l = 0; l < net->n; l++) {
        free(net->layers[l].w);
        free(net->layers[l].y);
    }
    free(net->layers);
    free(net);
    return s;
}

/* three levels of pointers */
double cube_of_mallocs(int n, const double x[n]) {
    double ***c = malloc(3 * sizeof *c), s = 0.0;
    for (int i = 0; i < 3; i++) {
        c[i] = malloc(4 * sizeof *c[i]);
        for (int j = 0; j < 4; j++) c[i][j] = malloc((size_t)n * sizeof *c[i][j]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < n; k++) c[i][j][k] = x[k] * (i + 1) + cos(x[j] * k);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++) s += c[i][(i + k) % 4][k] * c[2 - i][3][n - 1 - k];
    return s;
}

/* structs that calls give, one of them chosen */
typedef struct {
    double x, y, w[2];
} vec2;
static vec2 plus(vec2 a, vec2 b) { return (vec2){a.x + b.x, a.y + b.y, {a.w[0], b.w[1]}}; }
static vec2 times(vec2 a, double s) {
    vec2 r = a;
    r.x *= s;
    r.w[1] *= s;
    return r;
}
double structs_by_condition(int n, const double x[n]) {
    vec2 a = {x[0], x[1], {x[2], 1.0}}, b = {x[3], 2.0, {x[4], x[5]}}, c, *p;
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        c = x[i] > 0.3 ? plus(a, b) : x[i] < -0.3 ? times(a, x[i]) : b;
        p = x[i] > x[0] ? &c : i % 2 ? &a : &(vec2){x[i], 1.0, {2.0, x[i]}};
        s += c.x * c.y + c.w[0] * c.w[1] + p->x * p->w[1];
        a = times(c, 0.5);
    }
    return s;
}

/* memory that is made in one arm, or in both, and read behind them */
static vec2 *maybe(const double *x, int which) {
    if (which == 0) return NULL;
    vec2 *v = malloc(sizeof *v);
    if (!v) return NULL;
    v->x = x[0];
    v->y = x[1] * which;
    return v;
}
double made_in_branches(int n, const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < 3; i++) {
        vec2 *v = maybe(x + i, x[i] > 0.0 ? i : 0);
        double *t = NULL;
        if (x[i] > x[6]) {
            t = malloc(3 * sizeof *t);
            t[0] = t[1] = x[i];
            t[2] = x[i + 1];
        } else {
            t = calloc(2, sizeof *t);
            t[1] = sin(x[i]);
        }
        s += v ? v->x * v->y : 0.1 * x[i];
        s += t[0] * t[1] + n;
        free(v);
        free(t);
    }
    return s;
}

/* recursion with structs by value and as results, two pointers into one array, pointers in structs, a tree */
static double pair_product(int n, struct pair p) { return n == 0 ? p.a : p.b * pair_product(n - 1, p); }
static vec2 halved(int n, vec2 p) {
    if (n == 0) return p;
    p.x *= 0.5;
    p.w[1] += p.x;
    return halved(n - 1, p);
}
static void both(int n, double *to, const double *from) {
    if (n == 0) return;
    to[0] += from[1] * 0.5;
    both(n - 1, to, from);
}
struct tree {
    double v;
    struct tree *left, *right;
};
static double depth_sum(const struct tree *t, double k) {
    if (t == NULL) return 0.0;
    return t->v * k + sin(depth_sum(t->left, 0.5 * k)) - depth_sum(t->right, 0.7 * k * t->v);
}
static void scale_tree(struct tree *t, const double *by) {
    if (!t) return;
    t->v *= by[0];
    scale_tree(t->left, by + 1);
    scale_tree(t->right, by + 1);
}
static double apply_times(int n, double (*f)(double, void *), void *params, double x) {
    return n == 0 ? x : f(apply_times(n - 1, f, params, x), params);
}
double recursion_with_structs(int n, const double x[n]) {
    double a[3] = {x[0], x[1], x[2]};
    struct tree l = {x[3], NULL, NULL}, r = {x[4], &l, NULL}, top = {x[5], &l, &r};
    struct quadratic q = {0.1, x[6], 0.2};
    both(3, a, a);
    both(2, a + 1, a);
    scale_tree(&top, x);
    vec2 v = halved(3, (vec2){x[0], 1.0, {x[1], x[2]}});
    return pair_product(3, (struct pair){x[0], x[1], NULL}) + a[0] * a[1] + v.x * v.w[1] + depth_sum(&top, 1.0) +
           apply_times(3, quadratic, &q, x[2]) * n;
}

/* memory of sizes that are known, under conditions, read behind them */
static double *filled(int n, double x) {
    if (n <= 0) return NULL;
    double *p = malloc((size_t)n * sizeof *p);
    if (!p) exit(2);
    for (int i = 0; i < n; i++) p[i] = x * (i + 1);
    return p;
}
double sizes_under_conditions(int n, const double x[n]) {
    double s = 0.0, *rows[3];
    for (int i = 0; i < 3; i++) {
        double *p = filled(x[i] > 0.0 ? i + 2 : 0, x[i]), *q = NULL;
        if (x[i] > x[3]) {
            q = malloc((size_t)(n + 1) * sizeof *q);
            for (int k = 0; k <= n; k++) q[k] = x[k % n];
        }
        s += p ? p[i + 1] * p[0] : x[i];
        if (q) s += q[n] * q[i];
        free(p);
        free(q);
    }
    for (int i = 0; i < 3; i++) rows[i] = filled(n, x[i]);
    return s + rows[1][n - 1] * rows[2][0];
}

/* one of three sizes */
double sizes_of_three_ways(int n, const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < 3; i++) {
        double *t;
        int k = n, way = (x[i] > 0.3) + (x[i] > -0.3);
        if (way == 0) {
            k = n + 1;
            t = malloc((size_t)k * sizeof *t);
            t[n] = x[0] * 3.0;
        } else if (way == 1) {
            t = malloc((size_t)(2 * n) * sizeof *t);
        } else {
            t = calloc((size_t)n, sizeof *t);
        }
        for (int j = 0; j < n; j++) t[j] = x[j] * x[j] * (i + 1);
        for (int j = 0; j < k; j++) s += t[j] * t[k - 1 - j];
        free(t);
    }
    return s;
}

/* memory by ?: and by cases of a switch, that may be none */
double memory_by_choice(int n, const double x[n]) {
    double s = x[0];
    for (int k = 0; k < 3; k++) {
        double *t = k > 1 ? malloc((size_t)n * sizeof *t) : k == 1 ? calloc((size_t)n + 1, sizeof *t) : NULL;
        if (t) {
            for (int i = 0; i < n; i++) t[i] = x[i] * s;
            for (int i = 0; i < n; i++) s += 0.1 * t[i] * t[n - 1 - i];
        }
        free(t);
        double *u = NULL;
        switch (k) {
        case 0:
            u = malloc((size_t)n * sizeof *u);
            u[0] = x[0];
            break;
        case 2:
            u = malloc(2 * (size_t)n * sizeof *u);
            u[0] = x[1];
            u[n] = x[0];
            s += u[n];
            break;
        }
        if (u) s += u[0] * u[0];
        free(u);
    }
    return s;
}

/* memory and an array of run-time size behind a return */
double sizes_behind_a_return(int n, const double x[n]) {
    double v[n], s;
    for (int i = 0; i < n; i++) v[i] = x[i] * 0.5;
    if (x[1] > 0.6) return x[4 % n] * x[0];
    double w[n][n];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) w[i][j] = i < j ? v[i] * x[j] : i == j ? 1.0 + v[i] * v[i] : 0.0;
    double *z = malloc((size_t)n * sizeof *z);
    for (int i = 0; i < n; i++) z[i] = 0.5 * v[i] + sin(w[i][i]);
    s = z[0] * w[1][1] + w[0][1] * z[n - 1];
    free(z);
    return s;
}

/* a pointer that some turns of a loop set first */
double pointer_of_some_turns(int n, const double x[n]) {
    const double *p = x, *best = x;
    double s = 0.0, most = -1e9;
    struct {
        const double *a, *b, *c;
    } to;
    const double **all[] = {&to.a, &to.b, &to.c};
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0) p = x + i;
        if (x[i] > most) {
            most = x[i];
            best = &x[i];
        }
        s += *p * *best;
    }
    for (int i = 0; i < 3; i++) *all[i] = x + 2 * i;
    return s + *to.a * *to.b + *to.c;
}

/* a large function that is called in many places: printed once, as a function */
#define STEP(k)                                                                                                        \
    s = 0.5 * s + (x > 0.1 * (k) ? sin(x + s) * p->x : cos(x - s) - p->y * (k)), p->w[(k) % 2] += 0.1 * s * x
static double large(double x, vec2 *p) {
    double s = x;
    STEP(1);
    STEP(2);
    STEP(3);
    STEP(4);
    STEP(5);
    STEP(6);
    STEP(7);
    STEP(8);
    STEP(9);
    STEP(10);
    STEP(11);
    STEP(12);
    STEP(13);
    STEP(14);
    STEP(15);
    STEP(16);
    STEP(17);
    STEP(18);
    STEP(19);
    STEP(20);
    return s;
}
double large_and_often(int n, const double x[n]) {
    vec2 p = {x[0], x[1], {x[2], 0.0}}, q = {x[1], 0.5, {1.0, x[3]}};
    double s = large(x[0], &p) + large(x[1], &p) * large(x[2], &q) - large(x[3], &p);
    s += large(x[4], &q) + large(x[5], &p) * large(x[6], &p) + large(s, &q) * large(0.1 * s, &p) + large(1.0, &q);
    return s + p.w[0] * p.w[1] + q.w[0] * q.w[1] + n;
}
