// SPDX-License-Identifier: Apache-2.0
// check.h - is a derivative right? Compared with differences of the values, in f64.
//
// The func is widened (f16, bf16 and f32 become f64), differentiated, and run: each entry of the derivative is held
// against central differences with steps that shrink until the estimate settles. A custom rule that is not the
// derivative of its body is found that way, and so are stop_gradient, a kink at the point, and a bug. Where forward
// mode goes through the func, it has to agree with reverse mode besides: <y', J v> = <J' y', v> for random y' and v.
//
// ```c
// #include <chaac/chaac.h>
// int main(void) {
//     ch_func *f;
//     if (ch_func_parse("chaac-ir 1 func @f(%x: f64[]) -> f64[] { %y = sin %x : f64[] return %y }", "f", &f) != CH_OK)
//         return 1;
//     ch_tensor *x = ch_scalar(CH_F64, 0.5);
//     int status = ch_check_grad(f, 1, &x, NULL, stdout) == CH_OK ? 0 : 1;
//     ch_func_destroy(f);
//     ch_thread_end();
//     return status;
// }
// ```
#ifndef CHAAC_CHECK_H
#define CHAAC_CHECK_H

#include <stdint.h>
#include <stdio.h>

#include "chaac/func.h"
#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ch_check_options {
    size_t struct_size;    // sizeof(ch_check_options)
    const char *wrt;       // names of the params; NULL: every floating one
    double tolerance;      // relative; 0: 1e-6
    int64_t most_elements; // of one input that are looked at singly; a larger one: that many drawn at random, and one
                           // random direction through all of it; 0: 64
    uint64_t seed;         // of what is drawn
} ch_check_options;

// The gradient of the first result, a floating scalar, at the point `in`. options may be NULL. report (may be NULL)
// gets a line per input: the largest relative error, where, the derivative's number and that of the differences.
// Errors: derivative_mismatch names the input, the index and both numbers; what the gradient or a run may give.
CH_API CH_MUST_USE ch_status ch_check_grad(const ch_func *f, int n_in, ch_tensor *const *in,
                                           const ch_check_options *options, FILE *report);
// The same of all floating results, of any shape, weighted with random numbers: the vector-Jacobian product.
CH_API CH_MUST_USE ch_status ch_check_vjp(const ch_func *f, int n_in, ch_tensor *const *in,
                                          const ch_check_options *options, FILE *report);
// The same by forward mode, column by column, for what has a forward rule only.
CH_API CH_MUST_USE ch_status ch_check_jvp(const ch_func *f, int n_in, ch_tensor *const *in,
                                          const ch_check_options *options, FILE *report);

#ifdef __cplusplus
}
#endif
#endif
