// SPDX-License-Identifier: Apache-2.0
// rules_none.c - the ops without a derivative, each written out. Why stands in its row of ops.def ("none: ...").
#include "diff/rules.h"

#define NONE(op) const ch__rule ch__rule_##op = {.reverse = NULL}

// integers and bool
NONE(not );
NONE(popcnt);
NONE(clz);
NONE(is_finite);
NONE(and);
NONE(or);
NONE(xor);
NONE(shl);
NONE(shr);
NONE(compare);
NONE(arg_reduce);
// bits
NONE(nextafter);
NONE(bitcast);
NONE(rng_bits);
// no operand that could be active
NONE(iota);
NONE(dim);
NONE(alloc);
NONE(replica_id);
