// SPDX-License-Identifier: Apache-2.0
// cgen.h - any func as one self-contained C99 file (docs/readable.md says what it looks like and promises).
//
// Compiled with the flags of repro.def the text gives the interpreter's bits (NaN equals NaN). It needs libc and libm
// only. The public face is ch_func_print_c and ch_func_to_c (chaac/func.h); emit.h is private to the folder.
#ifndef CHAAC_CGEN_H
#define CHAAC_CGEN_H

#include "opt/opt.h"

// Writes the file for f and what it calls. Raises `unsupported` with the op's name where the op cannot be printed.
void ch__print_c(ch__text *t, const ch_func *f);

// Several funcs as one file, which shares what they need: for tests and engines. How each is called: its name in C,
// whether it gives int (0: done), whether it gives its only result as its value.
typedef struct ch__c_function {
    const char *name; // in the text's arena
    bool fails, by_value;
} ch__c_function;
void ch__print_c_all(ch__text *t, int n, const ch_func *const *funcs, ch__c_function *out);

// The same as static functions, between a text of the caller's (head) and what `tail` writes when it knows how they are
// called; headers for both are included.
typedef struct ch__c_frame {
    const char *head;
    void (*tail)(void *arg, ch__text *t, const ch__c_function *functions);
    void *arg;
} ch__c_frame;
void ch__print_c_framed(ch__text *t, int n, const ch_func *const *funcs, const ch__c_frame *frame);

// The same for the native engine (native.c): kernels that a pool shares out, an arena, library calls. When each array
// of the arena is in use, in statements, both ends included; first is -1 when it never is.
typedef struct ch__c_live {
    int first, last;
} ch__c_live;
typedef struct ch__c_native {
    ch__c_function function;
    int n_arrays;
    ch__c_live *arrays;              // in the text's arena
    int n_kernels, n_loops, n_calls; // loop nests shared out among threads, others, calls of libraries
    const char *notes;               // a line on each of them, in the text's arena
} ch__c_native;
void ch__print_native(ch__text *t, const ch_func *f, ch__c_native *out);

// What a dtype is in printed C: "double", "uint16_t" for bf16.
const char *ch__cg_ctype(ch_dtype d);

// The flags of bit-identical builds (repro.def), blanks between.
const char *ch__repro_flags(void);

#endif
