// SPDX-License-Identifier: Apache-2.0
// greeks.c - Black-Scholes: delta, vega, theta and rho of an option are its gradient; gamma stands in the Hessian.
#include <chaac/grad.h>
#include <math.h>
#include <stdio.h>

static double normal(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

double call_price(double spot, CH_CONST double strike, double vol, double expiry, double rate);
double call_price(double spot, double strike, double vol, double expiry, double rate) {
    double sd = vol * sqrt(expiry), d1 = (log(spot / strike) + (rate + 0.5 * vol * vol) * expiry) / sd;
    return spot * normal(d1) - strike * exp(-rate * expiry) * normal(d1 - sd);
}

CH_VALUE_AND_GRAD(call_price, spot, vol, expiry, rate)
double call_greeks(double spot, double strike, double vol, double expiry, double rate, double *delta, double *vega,
                   double *theta, double *rho);
CH_HESSIAN(call_price, spot, vol)
void call_second(double spot, double strike, double vol, double expiry, double rate, double H[2][2]);

int main(void) {
    double delta, vega, theta, rho, H[2][2];
    double price = call_greeks(100.0, 105.0, 0.2, 0.5, 0.03, &delta, &vega, &theta, &rho);
    call_second(100.0, 105.0, 0.2, 0.5, 0.03, H);
    printf("price %.4f delta %.4f vega %.4f theta %.4f rho %.4f\n", price, delta, vega, -theta, rho);
    printf("gamma %.6f vanna %.4f volga %.4f\n", H[0][0], H[0][1], H[1][1]);
    // the closed form of gamma
    double sd = 0.2 * sqrt(0.5), d1 = (log(100.0 / 105.0) + (0.03 + 0.02) * 0.5) / sd;
    double gamma = exp(-0.5 * d1 * d1) / sqrt(2.0 * 3.14159265358979324) / (100.0 * sd);
    return !(fabs(gamma - H[0][0]) < 1e-12);
}
