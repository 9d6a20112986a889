// SPDX-License-Identifier: Apache-2.0
// cfront.h - ordinary C to IR and to its derivatives; what the command calls. (docs/c-gradients.md is for users.)
//
//   clang.c                  libclang, opened at run time
//   read*.c                  its cursors to a typed tree (tree.h)
//   lower*.c                 the tree to IR
//   report.c                 errors and notes at places of the user's files
//   directive.c, border.c    what is asked for, and the C prototype of it
//   write.c                  the file of derivatives
//   front.c                  the functions of this header
#ifndef CHAAC_CFRONT_H
#define CHAAC_CFRONT_H

#include "cfront/tree.h"

// ---------------------------------------------------------------- report.c
typedef enum { CF_ERROR, CF_WARNING, CF_NOTE, CF_REMARK } cf_severity;
typedef struct cf_message {
    cf_severity severity;
    const char *code; // "CH102"; NULL: a note
    cf_loc at;
    const char *text;
} cf_message;
typedef struct cf_report {
    ch__arena *a;
    CH_VEC(cf_message) messages;
    int errors;
    bool lenient;                  // refusals are warnings
    CH_VEC(const char *) detached; // params of the func just differentiated that cannot influence it
    cf_message refused;            // the first one since it was cleared; text NULL: none
} cf_report;
// The code of the row of an error; notes that belong to it follow.
void cf_say(cf_report *r, cf_severity s, const char *code, cf_loc at, const char *fmt, ...) CH_PRINTF(5, 6);
// What C has and cannot be differentiated: an error, or a warning where the report is lenient.
void cf_say_refused(cf_report *r, const char *code, cf_loc at, const char *fmt, ...) CH_PRINTF(4, 5);
void cf_print_report(const cf_report *r, FILE *f, bool json);
const char *cf_explain(const char *code); // NULL: there is no such
const char *cf_code_at(int i);            // NULL past the last

// ---------------------------------------------------------------- lower.c
// One scalar or array that crosses the border between C and IR.
typedef struct cf_port {
    int param;        // of the C function; -1: its value; -2: a variable of the file
    cf_decl *global;  // that variable
    int leaf;         // which of the parameter's leaves
    const char *via;  // pointers from the parameter to the object, as in cf_reached; "": none
    const char *path; // "" or ".x", from the object
    const char *name; // in the IR
    cf_type *type;    // the leaf's
    cf_type *whole;   // what the parameter points to, or its type
    cf_type *holder;  // of a port behind a pointer: the type of the struct that pointer is in
    ch_dtype dtype;
    bool is_array, by_pointer, writes, reads;
    cf_type *rows;     // rows that an array of pointers leads to: the array of all of them; NULL: it is none
    bool single;       // a pointer that is never moved: one element
    int64_t fixed;     // leaves in one element of the object; -1: not constant
    const char *size;  // symbol of its size in the IR; NULL: constant
    int input, output; // which param, which result of the func; -1: none
} cf_port;
typedef struct cf_lowered {
    ch_func *func;
    ch_func *stops; // the same params; whether it calls abort (1) or exit (2 + status): i64; NULL: it never does
    cf_decl *f;
    CH_VEC(cf_port) ports;
} cf_lowered;
typedef struct cf_lower_options {
    bool fresh_outputs; // parameters that are only written are made inside
} cf_lower_options;
// NULL when something was refused; the report says what.
const cf_reached *cf_find_reached(const cf_decl *d, const char *path);
cf_lowered *cf_lower_function(cf_program *p, cf_report *r, cf_decl *f, const cf_lower_options *o);

#endif
