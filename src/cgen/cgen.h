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

// Where a scalar or array of a func lies in a function whose prototype is the caller's: x[i], a[i][j], p->pos[k],
// cam[k].f, *dk.
typedef struct ch__c_axis {
    const char *extent; // C text; of the first axis NULL when it is not known
    const char *after;  // what follows the index: "" or ".f"
} ch__c_axis;
typedef struct ch__c_place {
    const char *text; // of a scalar, or of an array what stands before the first index
    const char *flat; // an array that is one piece: the address of its first element; else NULL
    const char *cast; // a type that a result is converted to, or NULL
    const ch__c_axis *axes;
    int n;
    bool deref;    // a scalar, or the only element of an array: *text
    bool narrow;   // an int where the func has 64 bits
    bool adds;     // a result that is added
    bool returned; // a result that is the function's value
} ch__c_place;
typedef struct ch__c_interface {
    const char *head; // comment, result, name, parameters
    int n_names;
    const char *const *names; // of the parameters
    const ch__c_place *sizes, *params, *results;
    const char *type;                        // of the value, or NULL
    const char *initial;                     // what the value is before it is known
    const char *first;                       // lines before all others, which may go without a trace; or NULL
    const char *failed;                      // a statement for when it could not be done
    const struct ch__c_workspace *workspace; // NULL: it allocates
} ch__c_interface;

// A function that takes its memory from the caller: void *work, of as many bytes as NAME_wsize(integers) says, which is
// written too.
typedef struct ch__c_workspace {
    const char *name, *work; // of the function, of that parameter
    const char *too_small;   // a statement that begins it, or NULL
    int n_names;
    const char *const *names, *const *types; // of the integer parameters; "int n"
    const char *args;                        // them, as int64_t
} ch__c_workspace;

// The same as static functions, between a text of the caller's (head) and what `tail` writes when it knows how they are
// called; headers for both are included. before: what stands behind the headers; it may look at the functions' text.
// faces (NULL, or one a func, NULL or not): those funcs are printed as functions of that prototype.
typedef struct ch__c_frame {
    const char *head;
    void (*before)(void *arg, ch__text *t, const char *functions);
    void (*tail)(void *arg, ch__text *t, const ch__c_function *functions);
    void *arg;
    const ch__c_interface *const *faces;
    // Of functions with faces: what stands on a line of the source, and the comments beside and above; NULL: nothing.
    // They may not end a comment.
    const char *(*code)(void *arg, const char *file, int line);
    const char *(*comment)(void *arg, const char *file, int line);
    bool lines;                // #line before what comes from a line; "#line 0" where the text's own lines go on
    struct ch__c_arena *arena; // NULL: memory comes from malloc
} ch__c_frame;
// Memory of a file that may not call malloc: arrays of known size of the outermost function lie at planned places of
// an arena, its first parameter (unsigned char *); what else asks calls arena_take(bytes), arena_give(pointer) and
// arena_more(pointer, bytes), which the caller's text defines, over a heap behind the planned arrays.
typedef struct ch__c_arena {
    ch__arena *text;       // in: where the sentence lies
    int64_t bytes;         // out: of the planned arrays
    int64_t heap;          // out: enough for what asks, as far as that is known
    bool asks;             // out: something asks
    const char *unbounded; // out: what asks for memory whose size nobody knows before it runs, or NULL
} ch__c_arena;
// Names that printed functions use for their own ends, and may not be those of parameters.
bool ch__c_name_is_taken(const char *name);
void ch__print_c_framed(ch__text *t, int n, const ch_func *const *funcs, const ch__c_frame *frame);

// The same for the native engine (native.c): kernels that a pool shares out, an arena, library calls. When each array
// of the arena is in use, in statements, both ends included; first is -1 when it never is.
typedef struct ch__c_live {
    int first, last;
} ch__c_live;
// Places n arrays of the given bytes so that no two that are in use at once overlap (arena.c). at[i] is set, a multiple
// of align. Gives the bytes of the whole; -1: a size is negative or the sum is too large, -2: no memory.
int64_t ch__c_arrange(int n, const ch__c_live *live, const int64_t *bytes, int64_t align, int64_t *at);

typedef struct ch__c_cost { // of a kernel or a library call, in the order they are printed
    bool library;
    int kernel; // its number in the file; of a library call -1. Kernels that only copy or add parts have no row.
    const char *label;
} ch__c_cost;
typedef struct ch__c_native {
    ch__arena *data_arena; // in: where the numbers of large constants lie, as long as the code is used; NULL: text's
    CH_VEC(const void *) data; // of them: the code reads data[k] through its variable chaac_data_k
    bool timed; // in: with a function chaac_native_costs(sizes, double *out): flops and bytes of each of costs
    CH_VEC(ch__c_cost) costs;
    ch__c_function function;
    int n_arrays;
    ch__c_live *arrays;              // in the text's arena
    int64_t *bytes;                  // of each; -1: a size symbol is in it
    int n_kernels, n_loops, n_calls; // loop nests shared out among threads, others, calls of libraries
    bool *copied;                    // of each result, in the text's arena: it was made elsewhere, then copied there
    int n_chunks;                    // functions that the list of their calls was cut into; 0: it is short
    const char *notes;               // a line on each of them, in the text's arena
} ch__c_native;
void ch__print_native(ch__text *t, const ch_func *f, ch__c_native *out);

// What a dtype is in printed C: "double", "uint16_t" for bf16.
const char *ch__cg_ctype(ch_dtype d);

// The flags of bit-identical builds (repro.def), blanks between.
const char *ch__repro_flags(void);

#endif
