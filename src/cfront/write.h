// SPDX-License-Identifier: Apache-2.0
// write.h - what the files that make the file of derivatives share. Private to src/cfront.
#ifndef CHAAC_CFRONT_WRITE_H
#define CHAAC_CFRONT_WRITE_H

#include "cfront/cfront.h"
#include "cgen/cgen.h"
#include "chaac/version.h"
#include "diff/diff.h"

// ---------------------------------------------------------------- text.c
const char *cf_expr_text(ch__arena *a, const cf_node *n, const char *const *names,
                         bool inside); // NULL: not of integers
const char *cf_declare_text(ch__arena *a, const cf_type *t, const char *name, const char *const *names);
void cf_put_record(ch__text *t, ch__map *done, cf_record *r);

// ---------------------------------------------------------------- border.c: the parameters of a derivative
typedef enum {
    CF_ROLE_PRIMAL,  // as f has it
    CF_ROLE_SEED,    // adjoint of an output, in
    CF_ROLE_ADJOINT, // of a parameter, out
    CF_ROLE_TANGENT, // of a parameter, in
    CF_ROLE_TANGENT_OUT,
    CF_ROLE_BLOCK,   // Jacobian, Hessian
    CF_ROLE_VECTOR,  // of a Hessian product, in
    CF_ROLE_PRODUCT, // out
    CF_ROLE_WORK,    // CH_WORKSPACE: the memory, and its bytes
    CF_ROLE_WORK_SIZE
} cf_role;
typedef struct cf_arg {
    cf_role role;
    int param; // of f; -1: its value
    cf_type *type;
    const char *name; // in the prototype
    cf_type *as;      // what a void * points to; NULL: type says
} cf_arg;
typedef enum { CF_GRAD, CF_VALUE_AND_GRAD, CF_VJP, CF_JVP, CF_JACOBIAN, CF_HESSIAN, CF_HVP } cf_mode;
typedef struct cf_wanted {
    cf_directive *d;
    cf_mode mode;
    cf_decl *f;
    cf_lowered *low;
    ch_func *func;              // the derivative
    bool guard;                 // of `stops`: not a derivative
    int printed, printed_value; // which of the printed functions it is, and its primal
    CH_VEC(int) wrt;            // parameters of f
    CH_VEC(cf_arg) args;
    const char **names; // of f's parameters in the prototype, by index
    cf_type *result;    // of the prototype
    cf_message refused; // text: it was, and the definition says so
    const char *name;
    const ch__c_interface *face; // NULL: a body and a function around it
} cf_wanted;
// What is asked for, lowered and differentiated; NULL when something was refused.
cf_wanted *cf_want(cf_program *p, cf_report *r, cf_directive *d);
bool cf_is_float_port(const cf_port *p);
const cf_decl *cf_port_decl(const cf_wanted *w, const cf_port *p); // the parameter or variable
const char *cf_port_base(const cf_wanted *w, const cf_port *p);    // its name
const char *cf_shape_of(const cf_decl *f, const char *param);      // CH_SHAPE's product, or NULL
bool cf_is_pure_output(const cf_lowered *low, int param);

// ---------------------------------------------------------------- remark.c: what each loop keeps
void cf_remark_kept(cf_report *r, const cf_wanted *w);

// ---------------------------------------------------------------- port.c: where a port lies in C
typedef struct cf_path_step {
    const char *text; // ".a"
    cf_type *dims;    // the member's type, an array or not
} cf_path_step;
typedef CH_VEC(cf_path_step) cf_path_steps;
void cf_split_path(ch__arena *a, const cf_port *p, cf_path_steps *out);
bool cf_is_number(const char *s);
const char *cf_times_text(ch__arena *a, const char *x, const char *y);
const char *cf_own_extent_text(ch__arena *a, const cf_wanted *w, const cf_type *t);
const char *cf_extent_text(ch__arena *a, const cf_wanted *w, const cf_type *t);
int cf_levels(const cf_type *t);           // of arrays
const char *cf_zeros(ch__arena *a, int n); // "[0][0]"
const char *cf_object_count(ch__arena *a, const cf_wanted *w,
                            const cf_port *p); // elements of the object; NULL: not known
const char *cf_port_count(ch__arena *a, const cf_wanted *w, const cf_port *p); // of the port
bool cf_is_strided(ch__arena *a, const cf_wanted *w, const cf_port *p);        // it is not one piece of memory
bool cf_same_object(const cf_port *x, const cf_port *y);
// The object a port lies in, under the name of an argument: v, v->data, ((const vec *)v)->data. writes: where a
// derivative goes.
const char *cf_port_held(ch__arena *a, const cf_wanted *w, const cf_port *p, const char *name, bool pointer,
                         bool writes);
const char *cf_port_name(ch__arena *a, const cf_wanted *w, const cf_port *p); // as CH_SHAPE names it
const char *cf_port_member(ch__arena *a, const cf_port *p, const char *base, bool pointer);
const char *cf_port_address(ch__arena *a, const cf_port *p, const char *base, bool pointer); // of the first element
const char *cf_port_element(ch__arena *a, const cf_wanted *w, const cf_port *p, const char *base, bool pointer,
                            const char *k);
const cf_arg *cf_arg_of(const cf_wanted *w, cf_role role, int param); // NULL: the prototype has none
bool cf_by_pointer_arg(const cf_arg *arg);
bool cf_param_by_pointer(const cf_wanted *w, const cf_port *p); // of a parameter, whether or not p is behind it
bool cf_accumulates(const cf_wanted *w, const cf_arg *arg);
bool cf_wants_param(const cf_wanted *w, const cf_port *p);
const cf_port *cf_port_of_input(const cf_wanted *w, int input);
const cf_port *cf_port_of_output(const cf_wanted *w, int output);

// ---------------------------------------------------------------- face.c
// The derivative as a function of the user's prototype; NULL: it is printed as a body that the function calls.
const ch__c_interface *cf_face(ch__arena *a, cf_wanted *w, const char *head);
bool cf_is_count(const cf_decl *d); // a parameter of NAME_wsize
const char *cf_count_name(const cf_wanted *w, int64_t i);
const char *cf_wsize_text(ch__arena *a, const cf_wanted *w); // "size_t f_grad_wsize(int n)"; NULL: no CH_WORKSPACE
void cf_try_workspace(ch__arena *a, cf_wanted *w);           // raises when its sizes are not known

// ---------------------------------------------------------------- source.c: lines of the user's files
typedef struct cf_source cf_source;
cf_source *cf_source_begin(ch__arena *a);
const char *cf_source_code(cf_source *s, const char *file, int line);    // without comments; NULL: nothing
const char *cf_source_comment(cf_source *s, const char *file, int line); // of the line and above it; NULL: none

// ---------------------------------------------------------------- write.c
const char *cf_signature(ch__arena *a, const cf_wanted *w);
const char *cf_program_hash(const cf_program *p);           // of every file that is not the system's
const char *cf_head_text(ch__arena *a, const cf_wanted *w); // "gradient of f (f.c:3) with respect to x"
// lines: the name of the file for #line; NULL: without.
void cf_write_file(ch__text *t, cf_program *p, int n, cf_wanted *const *list, const char *lines);

// ---------------------------------------------------------------- header.c: prototypes for C and C++
void cf_write_header(ch__text *t, cf_program *p, int n, cf_wanted *const *list, const char *name);

#endif
