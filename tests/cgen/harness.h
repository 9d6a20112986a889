// SPDX-License-Identifier: Apache-2.0
// harness.h - printed C against the interpreter: many funcs are printed into one file, compiled, loaded and called.
//
//     batch b;  batch_begin(&b, "name");
//     batch_add(&b, func, n_in, inputs, what);     // as often as there are funcs and inputs; refusals are noted
//     batch_run(&b);                               // prints, compiles with every compiler there is, compares bits
//
// Results must have the bits of ch__interp_run; NaN equals NaN. Bytes behind each result must stay as they were, inputs
// too. Compiled with the flags of repro.def and -Wall -Wextra -Wpedantic -Werror.
#ifndef CHAAC_TESTS_CGEN_HARNESS_H
#define CHAAC_TESTS_CGEN_HARNESS_H

#include "ir/ir.h"

enum { MAX_VALUES = 64 };

typedef struct sample { // one call
    int func;           // of the batch
    int64_t sizes[64];
    int n_in, n_out;
    ch__slot in[MAX_VALUES], out[MAX_VALUES]; // owned; out: the interpreter's
    bool refused;                             // the interpreter refuses it, and C has to
    struct sample *next;
} sample;

typedef struct batch {
    const char *name;
    ch__arena *arena;
    int n_funcs, cap;
    const ch_func **funcs;
    char **what; // for messages
    sample *samples;
    bool memory;      // every call again with the n-th allocation failing
    bool keep_errors; // calls that the interpreter refuses are made: C must give a failure
    int n_samples, n_refused, n_not_run, n_errors, failures;
    int64_t n_starved;  // calls with an allocation that failed
    char refused[2048]; // op names met
} batch;

extern bool sanitize;           // compile with -fsanitize=address,undefined
extern bool build_models;       // ch_func_build instead of ch_func_print_c, one file a call
extern const char *keep_folder; // leave the texts there

// Takes --sanitize, --build and --keep FOLDER from the arguments; may start the program again with the sanitizers'
// library.
void harness_options(int *argc, char ***argv);

void batch_begin(batch *b, const char *name);
// f must stay alive until batch_end. Inputs are copied. what: text for messages, copied. false: it was not taken.
bool batch_add(batch *b, const ch_func *f, int n_in, const ch__slot *in, const char *what);
int batch_run(batch *b); // how many calls differ
void batch_end(batch *b);

// Is there such a compiler? TAP for those that are not.
int n_compilers(void);
const char *compiler_at(int i);

// Deterministic numbers for seeds: in [-1, 1], by position.
double seed_value(uint64_t i);
ch__slot slot_make(ch_dtype d, int rank, const int64_t *dims); // zeroed memory of its own

#endif
