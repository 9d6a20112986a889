/* SPDX-License-Identifier: Apache-2.0 */
/* directives.h - both forms of the gradient of each of the sixteen functions, for bench/bench_adbench.c. */
#ifndef ADBENCH_DIRECTIVES_H
#define ADBENCH_DIRECTIVES_H
#include <chaac/grad.h>

#include "adbench.h"
#include "losses.h"

CH_GRAD(rosenbrock, x)
void rosenbrock_g(int n, const double x[n], double dx[n]);
CH_VALUE_AND_GRAD(rosenbrock, x)
double rosenbrock_v(int n, const double x[n], double dx[n]);

CH_GRAD(projectile, speed, angle, drag)
void projectile_g(double speed, double angle, double drag, double target, double dt, int steps, double *dspeed,
                  double *dangle, double *ddrag);
CH_VALUE_AND_GRAD(projectile, speed, angle, drag)
double projectile_v(double speed, double angle, double drag, double target, double dt, int steps, double *dspeed,
                    double *dangle, double *ddrag);

CH_GRAD(nbody_energy, pos, vel, mass)
void nbody_g(int n, const double pos[3 * n], const double vel[3 * n], const double mass[n], double eps2,
             double dpos[3 * n], double dvel[3 * n], double dmass[n]);
CH_VALUE_AND_GRAD(nbody_energy, pos, vel, mass)
double nbody_v(int n, const double pos[3 * n], const double vel[3 * n], const double mass[n], double eps2,
               double dpos[3 * n], double dvel[3 * n], double dmass[n]);

CH_GRAD(mlp_loss, w1, b1, w2, b2, w3, b3)
void mlp_g(int batch, int nin, int nh, int nout, const double w1[nh * nin], const double b1[nh],
           const double w2[nh * nh], const double b2[nh], const double w3[nout * nh], const double b3[nout],
           const double x[batch * nin], const int label[batch], double dw1[nh * nin], double db1[nh],
           double dw2[nh * nh], double db2[nh], double dw3[nout * nh], double db3[nout]);
CH_VALUE_AND_GRAD(mlp_loss, w1, b1, w2, b2, w3, b3)
double mlp_v(int batch, int nin, int nh, int nout, const double w1[nh * nin], const double b1[nh],
             const double w2[nh * nh], const double b2[nh], const double w3[nout * nh], const double b3[nout],
             const double x[batch * nin], const int label[batch], double dw1[nh * nin], double db1[nh],
             double dw2[nh * nh], double db2[nh], double dw3[nout * nh], double db3[nout]);

CH_GRAD(heat_loss, u0, c)
void heat_g(int n, int steps, double r, const double u0[n], const double c[n], const double target[n], double du0[n],
            double dc[n]);
CH_VALUE_AND_GRAD(heat_loss, u0, c)
double heat_v(int n, int steps, double r, const double u0[n], const double c[n], const double target[n], double du0[n],
              double dc[n]);

CH_GRAD(gp_nll, loglen, logsf, logsn)
void gp_g(int n, int d, const double loglen[d], double logsf, double logsn, const double x[n * d], const double y[n],
          double dloglen[d], double *dlogsf, double *dlogsn);
CH_VALUE_AND_GRAD(gp_nll, loglen, logsf, logsn)
double gp_v(int n, int d, const double loglen[d], double logsf, double logsn, const double x[n * d], const double y[n],
            double dloglen[d], double *dlogsf, double *dlogsn);

CH_GRAD(lotka_loss, p, y0)
void lotka_g(const double p[4], const double y0[2], int steps, double dt, const double obs[2 * (steps / 10)],
             double dp[4], double dy0[2]);
CH_VALUE_AND_GRAD(lotka_loss, p, y0)
double lotka_v(const double p[4], const double y0[2], int steps, double dt, const double obs[2 * (steps / 10)],
               double dp[4], double dy0[2]);

CH_GRAD(black_scholes, spot, vol, expiry, rate)
void blackscholes_g(int n, const double spot[n], const double vol[n], const double expiry[n], double rate,
                    const double strike[n], double dspot[n], double dvol[n], double dexpiry[n], double *drate);
CH_VALUE_AND_GRAD(black_scholes, spot, vol, expiry, rate)
double blackscholes_v(int n, const double spot[n], const double vol[n], const double expiry[n], double rate,
                      const double strike[n], double dspot[n], double dvol[n], double dexpiry[n], double *drate);

CH_GRAD(softmax_loss, w, b)
void softmax_g(int n, int d, int k, const double w[k * d], const double b[k], double lambda, const double x[n * d],
               const int label[n], double dw[k * d], double db[k]);
CH_VALUE_AND_GRAD(softmax_loss, w, b)
double softmax_v(int n, int d, int k, const double w[k * d], const double b[k], double lambda, const double x[n * d],
                 const int label[n], double dw[k * d], double db[k]);

CH_GRAD(warp_loss, a, img)
void warp_g(int h, int w, const double a[6], const double img[h * w], const double target[h * w], double da[6],
            double dimg[h * w]);
CH_VALUE_AND_GRAD(warp_loss, a, img)
double warp_v(int h, int w, const double a[6], const double img[h * w], const double target[h * w], double da[6],
              double dimg[h * w]);

CH_GRAD(gmm, alpha, mu, q, l)
void gmm_g(int d, int k, int n, const double alpha[k], const double mu[k * d], const double q[k * d],
           const double l[k * (d * (d - 1) / 2)], const double x[n * d], double gamma, int m, double dalpha[k],
           double dmu[k * d], double dq[k * d], double dl[k * (d * (d - 1) / 2)]);
CH_VALUE_AND_GRAD(gmm, alpha, mu, q, l)
double gmm_v(int d, int k, int n, const double alpha[k], const double mu[k * d], const double q[k * d],
             const double l[k * (d * (d - 1) / 2)], const double x[n * d], double gamma, int m, double dalpha[k],
             double dmu[k * d], double dq[k * d], double dl[k * (d * (d - 1) / 2)]);

CH_GRAD(ba_loss, a)
void ba_g(int p, const double a[15 * p], const double feat[2 * p], double da[15 * p]);
CH_VALUE_AND_GRAD(ba_loss, a)
double ba_v(int p, const double a[15 * p], const double feat[2 * p], double da[15 * p]);

CH_GRAD(lstm_loss, par, extra)
void lstm_g(int layers, int b, int chars, const double par[8 * layers * b], const double extra[3 * b],
            const double state0[2 * layers * b], const double seq[chars * b], double dpar[8 * layers * b],
            double dextra[3 * b]);
CH_VALUE_AND_GRAD(lstm_loss, par, extra)
double lstm_v(int layers, int b, int chars, const double par[8 * layers * b], const double extra[3 * b],
              const double state0[2 * layers * b], const double seq[chars * b], double dpar[8 * layers * b],
              double dextra[3 * b]);

CH_GRAD(det, a)
void det_g(int n, const double a[n * n], double da[n * n]);
CH_VALUE_AND_GRAD(det, a)
double det_v(int n, const double a[n * n], double da[n * n]);

CH_GRAD(saddle_outer, x)
void saddle_g(const double x[2], const double start[2], double rate, double tol, double dx[2]);
CH_VALUE_AND_GRAD(saddle_outer, x)
double saddle_v(const double x[2], const double start[2], double rate, double tol, double dx[2]);

CH_GRAD(ht_loss, theta)
void ht_g(int nverts, int npts, const double theta[26], const int parent[22], const double rel[22 * 16],
          const double invbase[22 * 16], const double base[4 * nverts], const double weight[22 * nverts],
          const int corr[npts], const double point[3 * npts], double dtheta[26]);
CH_VALUE_AND_GRAD(ht_loss, theta)
double ht_v(int nverts, int npts, const double theta[26], const int parent[22], const double rel[22 * 16],
            const double invbase[22 * 16], const double base[4 * nverts], const double weight[22 * nverts],
            const int corr[npts], const double point[3 * npts], double dtheta[26]);

#endif
