// SPDX-License-Identifier: Apache-2.0
// jit_test.h - what the cases of the jit share. Each case is a function that runs in a process of its own,
// once for each engine; the first thing that is not as it should be ends the process with a sentence.
//
// The numbers are those of the contract in docs/jit.md: case 41 is jit_case_41.
#ifndef JIT_TEST_H
#define JIT_TEST_H

#include <chaac/chaac.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int number;
    const char *name;
    void (*run)(void);
} jit_case;
extern const jit_case jit_inputs[], jit_variables[], jit_recorded[], jit_states[], jit_outputs[], jit_lives[],
    jit_random[];
extern const char *jit_engine; // of the process

#define CHECK(cond)                                                                                                    \
    do {                                                                                                               \
        if (!(cond)) jit_stop(__FILE__, __LINE__, #cond);                                                              \
    } while (0)
#define OK(expr)                                                                                                       \
    do {                                                                                                               \
        if ((expr) != CH_OK) jit_stop(__FILE__, __LINE__, #expr);                                                      \
    } while (0)
_Noreturn void jit_stop(const char *file, int line, const char *what);
// The call failed with that identifier, and its sentence holds that text.
#define FAILS(expr, id, text) jit_fails(__FILE__, __LINE__, (expr), id, text)
void jit_fails(const char *file, int line, ch_status s, const char *id, const char *text);
// t has these numbers.
#define HAS(t, ...)                                                                                                    \
    jit_has(__FILE__, __LINE__, t, (const double[]){__VA_ARGS__}, (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)))
void jit_has(const char *file, int line, ch_tensor *t, const double *want, int n);

#define ARGS void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out, ch_tensor **out
#define UNUSED ((void)user, (void)n_in, (void)in, (void)n_vars, (void)vars, (void)n_out, (void)out)

ch_jit *jit_make(ch_jit_fn fn, void *user, int n_out); // named "j", on the engine of the process
#define VEC(...)                                                                                                       \
    ch_from_f32((float[]){__VA_ARGS__}, 1, (int64_t[]){(int64_t)(sizeof(float[]){__VA_ARGS__} / sizeof(float))})
#define NUM(x) ch_scalar(CH_F32, x)
// A call with one input and one result, which is read and released.
ch_tensor *jit_call1(ch_jit *j, ch_tensor *x);
extern int jit_runs;           // counted by bodies that say so
extern atomic_llong jit_bytes; // on the heap of the library

#endif
