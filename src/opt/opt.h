// SPDX-License-Identifier: Apache-2.0
// opt.h - passes over a func, in place; one a file; none changes a bit of any result. All run inside ch__protect.
#ifndef CHAAC_OPT_H
#define CHAAC_OPT_H

#include "ir/ir.h"

typedef struct { const char *name; void (*run)(ch_func *f); const char *what; } ch__pass;
const ch__pass *ch__pass_at(int i);             // rows of passes.def; NULL past the last
const ch__pass *ch__pass_find(const char *name);

void ch__inline(ch_func *f);                    // inline.c: calls of non-recursive funcs and composites without rules
void ch__inline_composites(ch_func *f);         // composites only
void ch__fold(ch_func *f);                      // fold.c: ops whose operands are small constants, by the interpreter
void ch__cse(ch_func *f);                       // cse.c: equal ops, equal values
void ch__dce(ch_func *f);                       // dce.c: what no result needs
void ch__simplify(ch_func *f);                  // simplify.c: local rewrites
void ch__widen(ch_func *f);                     // widen.c: f16 bf16 f32 become f64
// The pipeline: fold, simplify, cse, dce until nothing changes (at most 4 rounds). Linear in the number of ops.
void ch__optimize(ch_func *f);

#endif
