/* SPDX-License-Identifier: Apache-2.0 */
/* prices.h - the types of prices.c. */
#ifndef PRICES_H
#define PRICES_H
typedef enum { CALL = 1, PUT = -1 } opt_type;
typedef enum { EUROPEAN, AMERICAN } exercise_t;
struct market {
    double spot, rate, vol, div;
};
struct contract {
    opt_type type;
    exercise_t ex;
    double strike, expiry;
};
#endif
