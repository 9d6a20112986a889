// SPDX-License-Identifier: Apache-2.0
// measure.c - the sixteen functions, their generated and their hand-written derivatives, timed in one process:
// measure FOLDER MILLISECONDS [NAME...]. bench_adbench.c compiles it once for each compiler and reads what it prints:
// name, then CPU time in us of the primal, the gradient, value and gradient, the gradient by hand (0: there is none),
// then the distances of the three gradients from the reference. The four run in turn; the fastest of many short runs
// counts, so that what else the machine does matters little.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "directives.h"
#include "inputs.h"

enum form { PRIMAL, GRADIENT, BOTH, HAND, FORMS };
enum { W1 = MLP_H * MLP_I, W2 = W1 + MLP_H, W3 = W2 + MLP_H * MLP_H, W4 = W3 + MLP_H, W5 = W4 + MLP_O * MLP_H };
enum { G1 = GMM_K, G2 = G1 + GMM_K * GMM_D, G3 = G2 + GMM_K * GMM_D };
static double work[HEAT_N * HEAT_T + LSTM_C * LSTM_L * 7 * LSTM_B]; // for the two by hand that want memory

#ifdef HAND_WRITTEN
double rosenbrock_vg(int n, const double *x, double *dx);
double projectile_vg(double speed, double angle, double drag, double target, double dt, int steps, double *dspeed,
                     double *dangle, double *ddrag);
double nbody_energy_vg(int n, const double *pos, const double *vel, const double *mass, double eps2, double *dpos,
                       double *dvel, double *dmass);
double mlp_loss_vg(int batch, int nin, int nh, int nout, const double *w1, const double *b1, const double *w2,
                   const double *b2, const double *w3, const double *b3, const double *x, const int *label, double *dw1,
                   double *db1, double *dw2, double *db2, double *dw3, double *db3);
double heat_loss_vg(int n, int steps, double r, const double *u0, const double *c, const double *target, double *du0,
                    double *dc, double *work);
double gp_nll_vg(int n, int d, const double *loglen, double logsf, double logsn, const double *x, const double *y,
                 double *dloglen, double *dlogsf, double *dlogsn);
double lotka_loss_vg(const double *p, const double *y0, int steps, double dt, const double *obs, double *dp,
                     double *dy0);
double black_scholes_vg(int n, const double *spot, const double *vol, const double *expiry, double rate,
                        const double *strike, double *dspot, double *dvol, double *dexpiry, double *drate);
double softmax_loss_vg(int n, int d, int k, const double *w, const double *b, double lambda, const double *x,
                       const int *label, double *dw, double *db);
double warp_loss_vg(int h, int w, const double *a, const double *img, const double *target, double *da, double *dimg);
double gmm_vg(int d, int k, int n, const double *alpha, const double *mu, const double *q, const double *l,
              const double *x, double gamma, int m, double *dalpha, double *dmu, double *dq, double *dl);
double lstm_loss_vg(int layers, int b, int chars, const double *par, const double *extra, const double *state0,
                    const double *seq, double *dpar, double *dextra, double *work);
double det_vg(int n, const double *a, double *da);
#define BY_HAND(call) call
#else
#define BY_HAND(call) (void)work, 0
#endif

// ---------------------------------------------------------------- the sixteen
static double rosenbrock_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return rosenbrock(ROS_N, a);
    case GRADIENT: rosenbrock_g(ROS_N, a, g); return 0;
    case BOTH: return rosenbrock_v(ROS_N, a, g);
    default: return BY_HAND(rosenbrock_vg(ROS_N, a, g));
    }
}
static double projectile_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return projectile(a[0], a[1], a[2], 60.0, 0.1, PRO_STEPS);
    case GRADIENT: projectile_g(a[0], a[1], a[2], 60.0, 0.1, PRO_STEPS, g, g + 1, g + 2); return 0;
    case BOTH: return projectile_v(a[0], a[1], a[2], 60.0, 0.1, PRO_STEPS, g, g + 1, g + 2);
    default: return BY_HAND(projectile_vg(a[0], a[1], a[2], 60.0, 0.1, PRO_STEPS, g, g + 1, g + 2));
    }
}
static double nbody_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return nbody_energy(NB_N, a, a + 3 * NB_N, a + 6 * NB_N, 0.01);
    case GRADIENT: nbody_g(NB_N, a, a + 3 * NB_N, a + 6 * NB_N, 0.01, g, g + 3 * NB_N, g + 6 * NB_N); return 0;
    case BOTH: return nbody_v(NB_N, a, a + 3 * NB_N, a + 6 * NB_N, 0.01, g, g + 3 * NB_N, g + 6 * NB_N);
    default: return BY_HAND(nbody_energy_vg(NB_N, a, a + 3 * NB_N, a + 6 * NB_N, 0.01, g, g + 3 * NB_N, g + 6 * NB_N));
    }
}
static double mlp_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL:
        return mlp_loss(MLP_B, MLP_I, MLP_H, MLP_O, a, a + W1, a + W2, a + W3, a + W4, a + W5, mlp_x, mlp_label);
    case GRADIENT:
        mlp_g(MLP_B, MLP_I, MLP_H, MLP_O, a, a + W1, a + W2, a + W3, a + W4, a + W5, mlp_x, mlp_label, g, g + W1,
              g + W2, g + W3, g + W4, g + W5);
        return 0;
    case BOTH:
        return mlp_v(MLP_B, MLP_I, MLP_H, MLP_O, a, a + W1, a + W2, a + W3, a + W4, a + W5, mlp_x, mlp_label, g, g + W1,
                     g + W2, g + W3, g + W4, g + W5);
    default:
        return BY_HAND(mlp_loss_vg(MLP_B, MLP_I, MLP_H, MLP_O, a, a + W1, a + W2, a + W3, a + W4, a + W5, mlp_x,
                                   mlp_label, g, g + W1, g + W2, g + W3, g + W4, g + W5));
    }
}
static double heat_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return heat_loss(HEAT_N, HEAT_T, 0.25, a, a + HEAT_N, heat_target);
    case GRADIENT: heat_g(HEAT_N, HEAT_T, 0.25, a, a + HEAT_N, heat_target, g, g + HEAT_N); return 0;
    case BOTH: return heat_v(HEAT_N, HEAT_T, 0.25, a, a + HEAT_N, heat_target, g, g + HEAT_N);
    default: return BY_HAND(heat_loss_vg(HEAT_N, HEAT_T, 0.25, a, a + HEAT_N, heat_target, g, g + HEAT_N, work));
    }
}
static double gp_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return gp_nll(GP_N, GP_D, a, a[GP_D], a[GP_D + 1], gp_x, gp_y);
    case GRADIENT: gp_g(GP_N, GP_D, a, a[GP_D], a[GP_D + 1], gp_x, gp_y, g, g + GP_D, g + GP_D + 1); return 0;
    case BOTH: return gp_v(GP_N, GP_D, a, a[GP_D], a[GP_D + 1], gp_x, gp_y, g, g + GP_D, g + GP_D + 1);
    default: return BY_HAND(gp_nll_vg(GP_N, GP_D, a, a[GP_D], a[GP_D + 1], gp_x, gp_y, g, g + GP_D, g + GP_D + 1));
    }
}
static double lotka_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return lotka_loss(a, a + 4, LV_T, 0.01, lv_obs);
    case GRADIENT: lotka_g(a, a + 4, LV_T, 0.01, lv_obs, g, g + 4); return 0;
    case BOTH: return lotka_v(a, a + 4, LV_T, 0.01, lv_obs, g, g + 4);
    default: return BY_HAND(lotka_loss_vg(a, a + 4, LV_T, 0.01, lv_obs, g, g + 4));
    }
}
static double blackscholes_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return black_scholes(BS_N, a, a + BS_N, a + 2 * BS_N, a[3 * BS_N], bs_strike);
    case GRADIENT:
        blackscholes_g(BS_N, a, a + BS_N, a + 2 * BS_N, a[3 * BS_N], bs_strike, g, g + BS_N, g + 2 * BS_N,
                       g + 3 * BS_N);
        return 0;
    case BOTH:
        return blackscholes_v(BS_N, a, a + BS_N, a + 2 * BS_N, a[3 * BS_N], bs_strike, g, g + BS_N, g + 2 * BS_N,
                              g + 3 * BS_N);
    default:
        return BY_HAND(black_scholes_vg(BS_N, a, a + BS_N, a + 2 * BS_N, a[3 * BS_N], bs_strike, g, g + BS_N,
                                        g + 2 * BS_N, g + 3 * BS_N));
    }
}
static double softmax_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return softmax_loss(SM_N, SM_D, SM_K, a, a + SM_K * SM_D, 1e-3, sm_x, sm_label);
    case GRADIENT: softmax_g(SM_N, SM_D, SM_K, a, a + SM_K * SM_D, 1e-3, sm_x, sm_label, g, g + SM_K * SM_D); return 0;
    case BOTH: return softmax_v(SM_N, SM_D, SM_K, a, a + SM_K * SM_D, 1e-3, sm_x, sm_label, g, g + SM_K * SM_D);
    default:
        return BY_HAND(softmax_loss_vg(SM_N, SM_D, SM_K, a, a + SM_K * SM_D, 1e-3, sm_x, sm_label, g, g + SM_K * SM_D));
    }
}
static double warp_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return warp_loss(WARP_H, WARP_W, a, a + 6, warp_target);
    case GRADIENT: warp_g(WARP_H, WARP_W, a, a + 6, warp_target, g, g + 6); return 0;
    case BOTH: return warp_v(WARP_H, WARP_W, a, a + 6, warp_target, g, g + 6);
    default: return BY_HAND(warp_loss_vg(WARP_H, WARP_W, a, a + 6, warp_target, g, g + 6));
    }
}
static double gmm_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return gmm(GMM_D, GMM_K, GMM_N, a, a + G1, a + G2, a + G3, gmm_x, 1.0, 0);
    case GRADIENT:
        gmm_g(GMM_D, GMM_K, GMM_N, a, a + G1, a + G2, a + G3, gmm_x, 1.0, 0, g, g + G1, g + G2, g + G3);
        return 0;
    case BOTH: return gmm_v(GMM_D, GMM_K, GMM_N, a, a + G1, a + G2, a + G3, gmm_x, 1.0, 0, g, g + G1, g + G2, g + G3);
    default:
        return BY_HAND(
            gmm_vg(GMM_D, GMM_K, GMM_N, a, a + G1, a + G2, a + G3, gmm_x, 1.0, 0, g, g + G1, g + G2, g + G3));
    }
}
static double ba_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return ba_loss(BA_P, a, ba_feat);
    case GRADIENT: ba_g(BA_P, a, ba_feat, g); return 0;
    case BOTH: return ba_v(BA_P, a, ba_feat, g);
    default: return 0;
    }
}
static double lstm_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return lstm_loss(LSTM_L, LSTM_B, LSTM_C, a, a + 8 * LSTM_L * LSTM_B, lstm_state, lstm_seq);
    case GRADIENT:
        lstm_g(LSTM_L, LSTM_B, LSTM_C, a, a + 8 * LSTM_L * LSTM_B, lstm_state, lstm_seq, g, g + 8 * LSTM_L * LSTM_B);
        return 0;
    case BOTH:
        return lstm_v(LSTM_L, LSTM_B, LSTM_C, a, a + 8 * LSTM_L * LSTM_B, lstm_state, lstm_seq, g,
                      g + 8 * LSTM_L * LSTM_B);
    default:
        return BY_HAND(lstm_loss_vg(LSTM_L, LSTM_B, LSTM_C, a, a + 8 * LSTM_L * LSTM_B, lstm_state, lstm_seq, g,
                                    g + 8 * LSTM_L * LSTM_B, work));
    }
}
static double det_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return det(DET_N, a);
    case GRADIENT: det_g(DET_N, a, g); return 0;
    case BOTH: return det_v(DET_N, a, g);
    default: return BY_HAND(det_vg(DET_N, a, g));
    }
}
static double saddle_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return saddle_outer(a, saddle_start, 0.2, 1e-9);
    case GRADIENT: saddle_g(a, saddle_start, 0.2, 1e-9, g); return 0;
    case BOTH: return saddle_v(a, saddle_start, 0.2, 1e-9, g);
    default: return 0;
    }
}
static double ht_run(int form, const double *a, double *g) {
    switch (form) {
    case PRIMAL: return ht_loss(HT_NV, HT_NP, a, ht_parent, ht_rel, ht_inv, ht_base, ht_weight, ht_corr, ht_point);
    case GRADIENT: ht_g(HT_NV, HT_NP, a, ht_parent, ht_rel, ht_inv, ht_base, ht_weight, ht_corr, ht_point, g); return 0;
    case BOTH: return ht_v(HT_NV, HT_NP, a, ht_parent, ht_rel, ht_inv, ht_base, ht_weight, ht_corr, ht_point, g);
    default: return 0;
    }
}

typedef struct {
    const char *name;
    double (*run)(int form, const double *a, double *g);
    const double *a;
    int n, by_hand;
} problem;
#define PROBLEM(name, by_hand)                                                                                         \
    { #name, name##_run, name##_act, name##_nx, by_hand }
static const problem problems[] = {
    PROBLEM(rosenbrock, 1), PROBLEM(projectile, 1), PROBLEM(nbody, 1),  PROBLEM(mlp, 1),
    PROBLEM(heat, 1),       PROBLEM(gp, 1),         PROBLEM(lotka, 1),  PROBLEM(blackscholes, 1),
    PROBLEM(softmax, 1),    PROBLEM(warp, 1),       PROBLEM(gmm, 1),    PROBLEM(ba, 0),
    PROBLEM(lstm, 1),       PROBLEM(det, 1),        PROBLEM(saddle, 0), PROBLEM(ht, 0),
};

// ---------------------------------------------------------------- measuring
static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double distance(const problem *p, const char *folder, const double *g) {
    char path[4096];
    snprintf(path, sizeof path, "%s/ref/%s.txt", folder, p->name);
    FILE *file = fopen(path, "r");
    int n = 0;
    double r, worst = 0;
    if (file == NULL || fscanf(file, "%*[^\n] %d", &n) != 1 || n != p->n) {
        fprintf(stderr, "measure: %s cannot be read\n", path);
        exit(1);
    }
    if (fscanf(file, "%lf", &r) != 1) worst = INFINITY; // the value
    for (int i = 0; i < n; i++) {
        const double d = fscanf(file, "%lf", &r) == 1 ? fabs(g[i] - r) / fmax(1, fabs(g[i]) + fabs(r)) : INFINITY;
        worst = !(d <= worst) ? d : worst; // NaN counts
    }
    fclose(file);
    return worst;
}

static volatile double sink;
static double gradient[8192];

static void measure(const problem *p, const char *folder, double seconds) {
    double best[FORMS] = {0}, far[FORMS] = {0};
    int times[FORMS], forms = p->by_hand ? FORMS : HAND;
#ifndef HAND_WRITTEN
    forms = HAND;
#endif
    for (int k = 0; k < forms; k++) { // about half a millisecond a round
        memset(gradient, 0, sizeof gradient);
        sink = p->run(k, p->a, gradient);
        if (k != PRIMAL) far[k] = distance(p, folder, gradient);
        const double start = cpu_now();
        for (int i = 0; i < 3; i++) sink = p->run(k, p->a, gradient);
        times[k] = 1 + (int)(5e-4 / ((cpu_now() - start) / 3 + 1e-9));
    }
    const double start = cpu_now();
    for (int r = 0; r < 12 || cpu_now() - start < seconds; r++)
        for (int k = 0; k < forms; k++) {
            const double from = cpu_now();
            for (int i = 0; i < times[k]; i++) sink = p->run(k, p->a, gradient);
            const double t = (cpu_now() - from) / times[k];
            if (r == 0 || t < best[k]) best[k] = t;
        }
    printf("%s", p->name);
    for (int k = 0; k < FORMS; k++) printf(" %.9g", best[k] * 1e6);
    for (int k = 1; k < FORMS; k++) printf(" %.2g", far[k]);
    printf("\n");
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    adb_setup();
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        int wanted = argc == 3;
        for (int k = 3; k < argc; k++) wanted = wanted || strcmp(argv[k], problems[i].name) == 0;
        if (wanted) measure(&problems[i], argv[1], atof(argv[2]) * 1e-3);
    }
    return 0;
}
