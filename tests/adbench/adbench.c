// SPDX-License-Identifier: Apache-2.0
// adbench.c - gradients that `chaac grad` wrote of sixteen C functions, against references made in 80-bit forward mode
// (ref/), and values against those of the compiled functions, bit for bit. TAP. argv[1]: tests/data/adbench.
//
// What other tools get wrong without a word has a case of its own: gmm (low[p++]), lstm (pointer views that move), warp
// (an index made from a float), gp (a local double a[n][n]).
#include "directives.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "calls.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);

// Bytes of the heap in use, and the most since a derivative began: the linker puts these before the C library's.
static size_t used, peak;

static void *taken(void *p) {
    used += p != NULL ? malloc_usable_size(p) : 0;
    peak = used > peak ? used : peak;
    return p;
}
static void given_back(void *p) { used -= p != NULL ? malloc_usable_size(p) : 0; }

void *__wrap_malloc(size_t n) { return taken(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size) { return taken(__real_calloc(n, size)); }
void *__wrap_realloc(void *p, size_t n) {
    given_back(p);
    return taken(__real_realloc(p, n));
}
void __wrap_free(void *p) {
    given_back(p);
    __real_free(p);
}

static int tests, failed;
static const char *folder;

static void result(const char *name, int ok, const char *what, double number) {
    tests++;
    failed += !ok;
    printf("%sok %d - adbench: %s: %s (%.8g)\n", ok ? "" : "not ", tests, name, what, number);
}

static int read_reference(const char *name, int n, double *value, double *g) {
    char path[4096], line[256];
    int count = 0;
    snprintf(path, sizeof path, "%s/ref/%s.txt", folder, name);
    FILE *f = fopen(path, "r");
    if (f == NULL || fgets(line, sizeof line, f) == NULL || fscanf(f, "%d", &count) != 1 || count != n) return 0;
    int ok = fscanf(f, "%lf", value) == 1;
    for (int i = 0; i < n && ok; i++) ok = fscanf(f, "%lf", &g[i]) == 1;
    fclose(f);
    return ok;
}

// What a derivative may take from the heap at once. 0: it keeps nothing. Numbers of one turn's inner loops are there
// for gmm, mlp and softmax, whatever the number of turns; the states of all steps for heat, lotka, lstm and
// projectile; 45 numbers a point for ht; what inner products of the factorization read, turn by turn, for gp (n^3 /
// 3 numbers, where n^2 would do).
static const struct {
    const char *name;
    size_t most;
} memory[] = {
    {"rosenbrock", 0},
    {"nbody", 0},
    {"blackscholes", 0},
    {"warp", 0},
    {"det", 0},
    {"gmm", 8 * (4 * GMM_K * GMM_D)},
    {"mlp", 8 * 8 * (MLP_H + MLP_O)},
    {"softmax", 8 * 4 * SM_K},
    {"heat", 8 * (HEAT_N * HEAT_T + HEAT_N * HEAT_T / 5)},
    {"lotka", 8 * 11 * LV_T},
    {"lstm", 8 * (10 * LSTM_L * LSTM_B * LSTM_C)},
    {"projectile", 8 * 4 * PRO_STEPS},
    {"gp", 8 * (GP_N * (GP_N * GP_N / 3))},
    {"saddle", 1024},
    {"ba", 8 * 4},
    {"ht", 8 * 45 * HT_NP},
};

static void check_memory(const char *name) {
    size_t taken_at_once = peak - used, i = 0;
    while (strcmp(memory[i].name, name) != 0) i++;
    result(name, taken_at_once <= memory[i].most, "bytes of the heap at once", (double)taken_at_once);
}

static double distance(int n, const double *x, const double *r) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double scale = fabs(x[i]) + fabs(r[i]), e = fabs(x[i] - r[i]) / (scale > 1 ? scale : 1);
        if (!(e <= worst)) worst = isnan(e) ? INFINITY : e;
    }
    return worst;
}

static void check_gradient(const char *name, int n, const double *g) {
    double *ref = calloc((size_t)n, sizeof *ref), want = 0;
    if (!read_reference(name, n, &want, ref)) {
        result(name, 0, "the reference can be read", 0);
    } else {
        double e = distance(n, g, ref);
        result(name, e <= 1e-10, "gradient against the reference", e);
    }
    free(ref);
}

static void check(const char *name, int n, double value, double primal, const double *g) {
    check_memory(name);
    check_gradient(name, n, g);
    result(name, memcmp(&value, &primal, sizeof value) == 0, "value has the bits of the function", value - primal);
}

#define GRADIENT(name) static double name##_g[name##_nx]
GRADIENT(rosenbrock);
GRADIENT(projectile);
GRADIENT(nbody);
GRADIENT(mlp);
GRADIENT(heat);
GRADIENT(gp);
GRADIENT(lotka);
GRADIENT(blackscholes);
GRADIENT(softmax);
GRADIENT(warp);
GRADIENT(gmm);
GRADIENT(ba);
GRADIENT(lstm);
GRADIENT(det);
GRADIENT(saddle);
GRADIENT(ht);

static void many_numbers(void) {
    double *a, *g, v;
    peak = used;
    v = rosenbrock_vg(ROS_N, rosenbrock_act, rosenbrock_g);
    check("rosenbrock", rosenbrock_nx, v, rosenbrock_at(rosenbrock_act), rosenbrock_g);
    static double only[rosenbrock_nx];
    rosenbrock_grad(ROS_N, rosenbrock_act, only);
    result("rosenbrock", memcmp(only, rosenbrock_g, sizeof only) == 0, "gradient alone: the same bits", 0);
    a = nbody_act, g = nbody_g;
    peak = used;
    v = nbody_vg(NB_N, a, a + 3 * NB_N, a + 6 * NB_N, 0.01, g, g + 3 * NB_N, g + 6 * NB_N);
    check("nbody", nbody_nx, v, nbody_at(a), g);
    a = mlp_act, g = mlp_g;
    int at[7] = {0, MLP_H * MLP_I, MLP_H, MLP_H * MLP_H, MLP_H, MLP_O * MLP_H, MLP_O};
    for (int i = 1; i < 7; i++) at[i] += at[i - 1];
    peak = used;
    v = mlp_vg(MLP_B, MLP_I, MLP_H, MLP_O, a + at[0], a + at[1], a + at[2], a + at[3], a + at[4], a + at[5], mlp_x,
               mlp_label, g + at[0], g + at[1], g + at[2], g + at[3], g + at[4], g + at[5]);
    check("mlp", mlp_nx, v, mlp_at(a), g);
    a = heat_act, g = heat_g;
    peak = used;
    v = heat_vg(HEAT_N, HEAT_T, 0.25, a, a + HEAT_N, heat_target, g, g + HEAT_N);
    check("heat", heat_nx, v, heat_at(a), g);
    a = blackscholes_act, g = blackscholes_g;
    peak = used;
    v = blackscholes_vg(BS_N, a, a + BS_N, a + 2 * BS_N, a[3 * BS_N], bs_strike, g, g + BS_N, g + 2 * BS_N,
                        g + 3 * BS_N);
    check("blackscholes", blackscholes_nx, v, blackscholes_at(a), g);
    a = softmax_act, g = softmax_g;
    peak = used;
    v = softmax_vg(SM_N, SM_D, SM_K, a, a + SM_K * SM_D, 1e-3, sm_x, sm_label, g, g + SM_K * SM_D);
    check("softmax", softmax_nx, v, softmax_at(a), g);
    peak = used;
    v = warp_vg(WARP_H, WARP_W, warp_act, warp_act + 6, warp_target, warp_g, warp_g + 6);
    check("warp", warp_nx, v, warp_at(warp_act), warp_g);
    a = gmm_act, g = gmm_g;
    int mu = GMM_K, q = mu + GMM_K * GMM_D, l = q + GMM_K * GMM_D;
    peak = used;
    v = gmm_vg(GMM_D, GMM_K, GMM_N, a, a + mu, a + q, a + l, gmm_x, 1.0, 0, g, g + mu, g + q, g + l);
    check("gmm", gmm_nx, v, gmm_at(a), g);
    a = lstm_act, g = lstm_g;
    int extra = 8 * LSTM_L * LSTM_B;
    peak = used;
    v = lstm_vg(LSTM_L, LSTM_B, LSTM_C, a, a + extra, lstm_state, lstm_seq, g, g + extra);
    check("lstm", lstm_nx, v, lstm_at(a), g);
}

static void few_numbers(void) {
    double *a = projectile_act, *g = projectile_g, v;
    peak = used;
    v = projectile_vg(a[0], a[1], a[2], 60.0, 0.1, PRO_STEPS, g, g + 1, g + 2);
    check("projectile", projectile_nx, v, projectile_at(a), g);
    a = gp_act, g = gp_g;
    peak = used;
    v = gp_vg(GP_N, GP_D, a, a[GP_D], a[GP_D + 1], gp_x, gp_y, g, g + GP_D, g + GP_D + 1);
    check("gp", gp_nx, v, gp_at(a), g);
    a = lotka_act, g = lotka_g;
    peak = used;
    v = lotka_vg(a, a + 4, LV_T, 0.01, lv_obs, g, g + 4);
    check("lotka", lotka_nx, v, lotka_at(a), g);
    peak = used;
    v = det_vg(DET_N, det_act, det_g);
    check("det", det_nx, v, det_at(det_act), det_g);
    peak = used;
    v = saddle_vg(saddle_act, saddle_start, 0.2, 1e-9, saddle_g);
    check("saddle", saddle_nx, v, saddle_at(saddle_act), saddle_g);
}

static void residuals(void) {
    for (int i = 0; i < BA_P; i++) {
        double *a = ba_act + 15 * i, *g = ba_g + 15 * i, e[2];
        ba_block(i, a, e);
        peak = used;
        ba_vjp(a, a + 11, a[14], &ba_feat[2 * i], e, g, g + 11, g + 14);
    }
    check_memory("ba");
    check_gradient("ba", ba_nx, ba_g);
    double J[2][15], e[2], own[2], worst = 0;
    int same = 1;
    for (int i = 0; i < BA_P; i++) { // rows of the Jacobian are gradients too
        double *a = ba_act + 15 * i, row[15];
        ba_jac(a, a + 11, a[14], &ba_feat[2 * i], e, J);
        double t[14] = {1}, e_t[2];
        ba_jvp(a, t, a + 11, t + 11, a[14], &ba_feat[2 * i], e, e_t);
        ba_block(i, a, own);
        same = same && memcmp(e, own, sizeof own) == 0;
        for (int k = 0; k < 2; k++) {
            double seed[2] = {k == 0, k == 1};
            ba_vjp(a, a + 11, a[14], &ba_feat[2 * i], seed, row, row + 11, row + 14);
            double d = distance(15, J[k], row);
            worst = d > worst ? d : worst;
        }
    }
    result("ba", worst <= 1e-12, "Jacobian against its rows", worst);
    result("ba", same, "values have the bits of the function", 0);
    static double err[3 * HT_NP], big[3 * HT_NP][26];
    ht_all(ht_act, err);
    peak = used;
    ht_vjp(HT_NV, HT_NP, ht_act, ht_parent, ht_rel, ht_inv, ht_base, ht_weight, ht_corr, ht_point, err, ht_g);
    check_memory("ht");
    check_gradient("ht", ht_nx, ht_g);
    static double scratch[3 * HT_NP], sum[26];
    ht_jac(HT_NV, HT_NP, ht_act, ht_parent, ht_rel, ht_inv, ht_base, ht_weight, ht_corr, ht_point, scratch, big);
    for (int i = 0; i < 3 * HT_NP; i++)
        for (int k = 0; k < 26; k++) sum[k] += err[i] * big[i][k];
    double d = distance(26, sum, ht_g);
    result("ht", d <= 1e-10, "Jacobian times residuals against the product", d);
}

// Forward over reverse and forward mode against differences of the gradient.
static void second_derivatives(void) {
    static double v[ROS_N], hv[ROS_N], up[ROS_N], down[ROS_N], x[ROS_N];
    for (int i = 0; i < ROS_N; i++) v[i] = adb_r(-1, 1);
    rosenbrock_hvp(ROS_N, rosenbrock_act, v, hv);
    double h = 1e-6;
    for (int i = 0; i < ROS_N; i++) x[i] = rosenbrock_act[i] + h * v[i];
    rosenbrock_grad(ROS_N, x, up);
    for (int i = 0; i < ROS_N; i++) x[i] = rosenbrock_act[i] - h * v[i];
    rosenbrock_grad(ROS_N, x, down);
    for (int i = 0; i < ROS_N; i++) up[i] = (up[i] - down[i]) / (2 * h);
    double d = distance(ROS_N, hv, up);
    result("rosenbrock", d <= 1e-6, "Hessian times a vector against differences", d);
    double H[3][3], *a = projectile_act;
    projectile_hess(a[0], a[1], a[2], 60.0, 0.1, PRO_STEPS, H);
    d = fabs(H[0][1] - H[1][0]) + fabs(H[0][2] - H[2][0]) + fabs(H[1][2] - H[2][1]);
    result("projectile", d <= 1e-6 * (fabs(H[0][0]) + fabs(H[1][1])), "the Hessian is symmetric", d);
    double e[2], et[2], t[14] = {0}, row[15], dot = 0;
    for (int i = 0; i < 14; i++) t[i] = adb_r(-1, 1);
    double seed[2] = {0.5, -2};
    ba_jvp(ba_act, t, ba_act + 11, t + 11, ba_act[14], ba_feat, e, et);
    ba_vjp(ba_act, ba_act + 11, ba_act[14], ba_feat, seed, row, row + 11, row + 14);
    for (int i = 0; i < 14; i++) dot += row[i] * t[i];
    double other = seed[0] * et[0] + seed[1] * et[1];
    result("ba", fabs(dot - other) <= 1e-9 * (1 + fabs(dot)), "forward and reverse mode agree", dot - other);
}

int main(int argc, char **argv) {
    folder = argc > 1 ? argv[1] : ".";
    adb_setup();
    many_numbers();
    few_numbers();
    residuals();
    second_derivatives();
    printf("1..%d\n", tests);
    return failed > 0;
}
