// SPDX-License-Identifier: Apache-2.0
// chaac/grad.h - derivatives of C functions at build time: what to write in the C file (docs/c-gradients.md).
//
// ```c fragment
// #include <chaac/grad.h>
//
// double energy(int n, const double x[CH_LEN(n)], double k);
// double energy(int n, const double x[CH_LEN(n)], double k) {
//     double e = 0;
//     for (int i = 1; i < n; i++) e += 0.5 * k * (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
//     return e;
// }
//
// CH_GRAD(energy, x, k) // `chaac grad` writes the function that the next line declares
// void energy_grad(int n, const double x[CH_LEN(n)], double k, double dx[CH_LEN(n)], double *dk);
// ```
//
// The file is plain C for every compiler: directives are a check that the function exists, and nothing else. `chaac
// grad` reads it with __CHAAC__ defined, and sees them. This header needs none of the others.
#ifndef CHAAC_GRAD_H
#define CHAAC_GRAD_H

#include <stddef.h>

#define CH_GRAD_H_VERSION 1

#if defined(__CHAAC__)
#define CH_DIRECTIVE_(kind, ...) __attribute__((annotate("chaac", kind, #__VA_ARGS__)))
#define CH_PARAM_(kind) __attribute__((annotate("chaac", kind)))
#define CH_CHECKPOINT(...) ch_loop_("checkpoint", #__VA_ARGS__)
#define CH_WORKSPACE __attribute__((annotate("chaac", "workspace")))
#define CH_SHAPE(...) __attribute__((annotate("chaac", "shape", #__VA_ARGS__)))
void ch_loop_(const char *policy, const char *arguments);
#else
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__cplusplus)
// A real reference to the function: typos are errors, editors find it.
#define CH_DIRECTIVE_(kind, ...) CH_ASSERT_(CH_FIRST_(__VA_ARGS__, 0))
#define CH_FIRST_(f, ...) f
#define CH_ASSERT_(f) _Static_assert(sizeof(&(f)) > 0, "chaac: it names a function");
#else
#define CH_DIRECTIVE_(kind, ...)
#endif
#define CH_PARAM_(kind)
// The first statement in the body of a loop: how its states are kept for the way back. store, recompute, sqrt, or
// revolve, 8.
#define CH_CHECKPOINT(...) ((void)0)
// Before a prototype with directives: the generated function takes memory from its last parameter, void *work, of as
// many bytes as the generated size_t NAME_wsize(the integer parameters) says, aligned as malloc aligns, and never
// allocates. A further parameter, size_t work_size, is looked at: when it is too small, CH_OOM is called.
#define CH_WORKSPACE
// Before a declaration of a function, or before the derivative's prototype in that one's names: CH_SHAPE(p, n, m) says
// that its parameter p points to an array [n][m], and CH_SHAPE(v->data, v->n) the same of a pointer in a struct. Before
// a member, CH_SHAPE(data, n): n is a member too.
#define CH_SHAPE(...)
#endif

// Each stands before the prototype of the function it asks for: CH_GRAD(f, x, y) names the function to differentiate,
// then the parameters with respect to which; all floating ones when none is named.
#define CH_GRAD(...) CH_DIRECTIVE_("grad", __VA_ARGS__)
#define CH_VALUE_AND_GRAD(...) CH_DIRECTIVE_("value_and_grad", __VA_ARGS__)
#define CH_VJP(...) CH_DIRECTIVE_("vjp", __VA_ARGS__)
#define CH_JVP(...) CH_DIRECTIVE_("jvp", __VA_ARGS__)
#define CH_JACOBIAN(...) CH_DIRECTIVE_("jacobian", __VA_ARGS__)
#define CH_HESSIAN(...) CH_DIRECTIVE_("hessian", __VA_ARGS__)
#define CH_HVP(...) CH_DIRECTIVE_("hvp", __VA_ARGS__)
// Before a rule of the user's own for f.
#define CH_CUSTOM_VJP(...) CH_DIRECTIVE_("custom_vjp", __VA_ARGS__)
#define CH_CUSTOM_JVP(...) CH_DIRECTIVE_("custom_jvp", __VA_ARGS__)

// Before a parameter: no derivative with respect to it; it is written and not read; derivatives are added to what is
// there.
#define CH_CONST CH_PARAM_("const")
#define CH_OUT CH_PARAM_("out")
#define CH_ACCUM CH_PARAM_("accum")

// An extent in a prototype: const double x[CH_LEN(n)].
#if defined(__cplusplus) || (defined(_MSC_VER) && !defined(__clang__))
#define CH_LEN(n)
#else
#define CH_LEN(n) static n
#endif

// The number itself; its derivative is zero by decree.
static inline double ch_stop_gradient_f64(double x) { return x; }
static inline float ch_stop_gradient_f32(float x) { return x; }

#endif
