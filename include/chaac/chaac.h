// SPDX-License-Identifier: Apache-2.0
// chaac.h - everything but grad.h.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_tensor *x = ch_from_f64((double[]){3}, 0, NULL);
//     if (ch_print(ch_grad(ch_mul(x, x), x), stdout) != CH_OK) return 1;   // f64[] 6
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_H
#define CHAAC_H

#include "chaac/version.h"
#include "chaac/status.h"
#include "chaac/dtype.h"
#include "chaac/func.h"
#include "chaac/tensor.h"
#include "chaac/jit.h"
#include "chaac/engine.h"
#include "chaac/hlo.h"
#include "chaac/ffi.h"
#include "chaac/pjrt.h"
#include "chaac/check.h"
#include "chaac/ops.h"
#include "chaac/io.h"
#include "chaac/checkpoint.h"
#include "chaac/layers.h"
#include "chaac/losses.h"
#include "chaac/optim.h"
#include "chaac/nn.h"

#endif
