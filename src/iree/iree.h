// SPDX-License-Identifier: Apache-2.0
// iree.h - the iree engine: funcs as StableHLO text, compiled by iree-compile, run by iree-run-module.
//
// Two programs of IREE's packages do the work, so a run starts a process: an oracle and a way to other machines, not
// for loops of small steps. What is compiled (a module) is kept in memory by the executable, one for each set of sizes.
//
//   clamp.c    what IREE leaves out of gather and scatter
//   find.c     where the programs are
//   compile.c  text to a module
//   run.c      a module on arrays, through files
//   engine.c   the engine
#ifndef CHAAC_IREE_H
#define CHAAC_IREE_H

#include "rt/rt.h"

// ---------------------------------------------------------------- find.c
typedef struct ch__iree_programs {
    const char *compile, *run; // paths
} ch__iree_programs;
ch_status ch__iree_find(ch__iree_programs *out); // looked for once; subprocess: says where
bool ch__iree_ready(void);
// What is compiled for: CHAAC_IREE_TARGET, "llvm-cpu" unless set, or "cuda", "cuda:ARCH".
typedef struct ch__iree_target {
    bool cuda;
    const char *arch; // of cuda; NULL: iree-compile's choice
} ch__iree_target;
ch_status ch__iree_find_target(ch__iree_target *out);
double ch__iree_seconds(void);                            // how long a program may take
const char *ch__iree_said(char *said, const char *about); // the line that matters, cut out in place

// ---------------------------------------------------------------- clamp.c
void ch__iree_clamp(ch_func *f); // all sizes constants; inside ch__protect

// ---------------------------------------------------------------- compile.c
// The module is on the heap, the caller frees it. unsupported: the compiler refused the text, its words are in the
// sentence.
ch_status ch__iree_compile(const char *func, const char *text, const volatile int *cancel, char **out_module,
                           size_t *out_n);

// ---------------------------------------------------------------- run.c
// Writes the elements of each result to out[i].data, whose type is that of the result.
ch_status ch__iree_run(const char *func, const char *module, size_t n, const volatile int *cancel, int n_in,
                       const ch__slot *in, int n_out, const ch__slot *out);

#endif
