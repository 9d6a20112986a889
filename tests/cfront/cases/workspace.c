/* SPDX-License-Identifier: Apache-2.0 */
/* workspace.c - derivatives that take their memory from the caller. */
#include <chaac/grad.h>
#include <math.h>
#include <stdlib.h>

double chain(int n, unsigned short turns, const double x[CH_LEN(n)]);
double chain(int n, unsigned short turns, const double x[CH_LEN(n)]) {
    double a[n], s = 0.5, *b = malloc((size_t)n * sizeof *b);
    for (int i = 0; i < n; i++) a[i] = i ? sin(a[i - 1] * x[i]) : x[0];
    for (int i = 0; i < n; i++) b[i] = a[i] * a[i];
    for (int k = 0; k < turns; k++)
        for (int i = 1; i < n; i += 2) b[i] = b[i - 1] * b[i];
    for (int i = 0; i < n; i++) {
        s += sin(s) * b[n - 1];
        if (s > 10.0) break;
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < i; j++) s *= cos(b[j] * x[i]);
    free(b);
    return s;
}
CH_WORKSPACE
CH_VALUE_AND_GRAD(chain, x)
double chain_vg(int n, unsigned short turns, const double x[CH_LEN(n)], double dx[CH_LEN(n)], void *work);
size_t chain_vg_wsize(int n, unsigned short turns);
CH_WORKSPACE
CH_GRAD(chain, x)
void chain_grad(int n, unsigned short turns, const double x[CH_LEN(n)], double dx[CH_LEN(n)], void *work,
                size_t work_size);
size_t chain_grad_wsize(int n, unsigned short turns);
CH_WORKSPACE
CH_HVP(chain, x)
void chain_hvp(int n, unsigned short turns, const double x[CH_LEN(n)], const double v[CH_LEN(n)], double hv[CH_LEN(n)],
               void *work);
size_t chain_hvp_wsize(int n, unsigned short turns);

double square(double x) { return x * x; }
CH_WORKSPACE
CH_GRAD(square, x)
void square_grad(double x, double *dx, void *work);
size_t square_grad_wsize(void);

#ifdef ALLOCATING
CH_VALUE_AND_GRAD(chain, x)
double chain_other(int n, unsigned short turns, const double x[CH_LEN(n)], double dx[CH_LEN(n)]);
CH_HVP(chain, x)
void chain_other_hvp(int n, unsigned short turns, const double x[CH_LEN(n)], const double v[CH_LEN(n)],
                     double hv[CH_LEN(n)]);
#endif
