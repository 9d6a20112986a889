// SPDX-License-Identifier: Apache-2.0
// chaac.h - everything but grad.h.
#ifndef CHAAC_H
#define CHAAC_H

#include "chaac/version.h"
#include "chaac/status.h"
#include "chaac/dtype.h"
#include "chaac/func.h"
#include "chaac/tensor.h"
#include "chaac/engine.h"
#include "chaac/check.h"
#include "chaac/ops.h"
#include "chaac/io.h"
#include "chaac/checkpoint.h"
#include "chaac/layers.h"
#include "chaac/losses.h"
#include "chaac/optim.h"
#include "chaac/nn.h"

#endif
