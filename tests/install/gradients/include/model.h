/* SPDX-License-Identifier: Apache-2.0 */
/* model.h - the function and its gradient, for C and C++. */
#ifndef MODEL_H
#define MODEL_H
double model(int n, const double x[]);
double model_vg(int n, const double x[], double dx[]);
#endif
