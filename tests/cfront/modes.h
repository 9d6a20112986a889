/* SPDX-License-Identifier: Apache-2.0 */
/* modes.h - every kind of parameter in every kind of derivative. */
#ifndef MODES_H
#define MODES_H
#include <chaac/grad.h>

struct body {
    double pos[2];
    float charge;
    int kind;
    double mass;
};

double energy(int n, const struct body b[CH_LEN(n)], double scale);
CH_VALUE_AND_GRAD(energy, b, scale)
double energy_vg(int n, const struct body b[CH_LEN(n)], double scale, struct body db[CH_LEN(n)], double *dscale);
CH_GRAD(energy, scale)
void energy_add(int n, const struct body b[CH_LEN(n)], double scale, CH_ACCUM double *dscale);

double of_value(struct body b, float k);
CH_VALUE_AND_GRAD(of_value, b, k)
double of_value_vg(struct body b, float k, struct body *db, float *dk);

void step(int n, double state[CH_LEN(n)], double rate);
CH_JVP(step, rate)
void step_jvp(int n, double state[CH_LEN(n)], double state_t[CH_LEN(n)], double rate, double rate_t);

void halves(CH_CONST int n, const float x[CH_LEN(n)], CH_OUT float y[CH_LEN(n)], CH_OUT float *total);
CH_VJP(halves, x)
void halves_vjp(int n, const float x[CH_LEN(n)], const float y_bar[CH_LEN(n)], const float *total_bar,
                float x_bar[CH_LEN(n)]);

CH_SHAPE(m, n, 2 * n)
double frobenius(int n, const double *m);
CH_GRAD(frobenius, m)
void frobenius_grad(int n, const double *m, double *dm);

double quadratic(int n, const double A[n][n], const double x[n]);
CH_HESSIAN(quadratic, x)
void quadratic_hess(int n, const double A[n][n], const double x[n], double H[n][n]);
CH_GRAD(quadratic, A)
void quadratic_grad(int n, const double A[n][n], const double x[n], double dA[n][n]);

double polar(const double x[2], CH_OUT double out[2], double turned[2], int *calls);
CH_JACOBIAN(polar, x, turned)
void polar_jac(const double x[2], double out[2], double turned[2], int *calls, double J[5][4]);

/* A pointer to structs that is walked over: CH_SHAPE says how many there are. */
CH_SHAPE(b, n)
double moment(int n, const struct body *b, const struct body *origin);
CH_VALUE_AND_GRAD(moment, b, origin)
double moment_vg(int n, const struct body *b, const struct body *origin, struct body *db, struct body *dorigin);

/* Variables of the file are read when the derivative is called. */
extern double gravity;
extern struct body sun[2];
double height(double t, const float start[2]);
CH_VALUE_AND_GRAD(height, t, start)
double height_vg(double t, const float start[2], double *dt, float dstart[2]);
#endif
