// SPDX-License-Identifier: Apache-2.0
// tree.h - C as the lowering sees it: a typed tree of about forty kinds of nodes, free of libclang.
//
// read_*.c make it from libclang's cursors, lower_*.c turn it into IR. A front end of another make would make the same
// tree. Everything lies in one arena. Implicit conversions are nodes (CF_CAST), parentheses are gone, enumerators,
// sizeof and other constants are numbers.
#ifndef CHAAC_CFRONT_TREE_H
#define CHAAC_CFRONT_TREE_H

#include "ir/ir.h"

// ---------------------------------------------------------------- places
typedef struct cf_loc {
    const char *file; // NULL: none
    int line, col;
    const char *macro; // the place is where this macro is used; NULL: in no macro
} cf_loc;

// ---------------------------------------------------------------- types
typedef enum {
    CF_VOID,
    CF_BOOL,
    CF_INT,
    CF_FLOAT,
    CF_POINTER,
    CF_ARRAY,
    CF_STRUCT,
    CF_FUNCTION,
    CF_OTHER
} cf_type_kind;
typedef struct cf_type cf_type;
typedef struct cf_node cf_node;
typedef struct cf_decl cf_decl;
typedef struct cf_record cf_record;
struct cf_type {
    cf_type_kind kind;
    bool is_signed, is_const, is_volatile, is_restrict, variadic, is_static; // static: x[static n]
    int bits;                                                                // INT: 8 16 32 64; FLOAT: 32 64
    const char *text;  // as C spells it, without qualifiers at the top
    cf_type *of;       // POINTER, ARRAY: element; FUNCTION: result
    int width;         // of a bit-field; 0: it is none
    int64_t count;     // ARRAY: elements; -1: not said; -2: extent says
    cf_node *extent;   // ARRAY: the size expression, or NULL
    cf_record *record; // STRUCT
};
typedef struct cf_field {
    const char *name;
    cf_type *type;
    const char *shape; // CH_SHAPE before a pointer: how many elements, of its siblings' names; NULL: not said
    const char *list;  // the same as it stands there
} cf_field;
struct cf_record {
    const char *name, *tag;                    // "struct camera" or a typedef's name; the tag, or NULL
    bool is_union, bitfields, complete, plain; // plain: named by a typedef only
    int64_t bytes;
    CH_VEC(cf_field) fields;
    cf_loc loc;
    const void *key; // where it was read
};

// ---------------------------------------------------------------- nodes
typedef enum {
    // expressions
    CF_NUMBER, // i (integer types) or f
    CF_STRING,
    CF_NAME,   // decl
    CF_UNARY,  // op: one of cf_op
    CF_BINARY, // op
    CF_ASSIGN, // op: CF_NO_OP or that of a compound assignment; calc: its type
    CF_COND,
    CF_COMMA,
    CF_CALL,       // kids: callee, arguments
    CF_MEMBER,     // kid: a struct; i: which field
    CF_ARROW,      // kid: a pointer to one
    CF_INDEX,      // kids: pointer, index
    CF_DECAY,      // an array or function as a pointer
    CF_CAST,       // kid converted to the type; s != NULL: written out
    CF_LIST,       // initializers; kids may be CF_DESIGNATED
    CF_DESIGNATED, // kids: value; path
    CF_LITERAL,    // compound literal: kid is a CF_LIST
    CF_SIZEOF,     // of `of`, whose size is not constant
    CF_STATEMENT_EXPR,
    CF_UNKNOWN, // s: what
    // statements
    CF_BLOCK,
    CF_DECLARE, // decls
    CF_EXPR,
    CF_IF,     // condition, then, else or NULL
    CF_FOR,    // init, condition, step (each may be NULL), body
    CF_WHILE,  // condition, body
    CF_DO,     // body, condition
    CF_SWITCH, // value, body
    CF_CASE,   // value, statement
    CF_DEFAULT,
    CF_BREAK,
    CF_CONTINUE,
    CF_RETURN, // value or none
    CF_GOTO,   // s
    CF_LABEL,  // s; statement
    CF_EMPTY
} cf_kind;

typedef enum {
    CF_NO_OP,
    CF_ADD,
    CF_SUB,
    CF_MUL,
    CF_DIV,
    CF_REM,
    CF_SHL,
    CF_SHR,
    CF_AND,
    CF_OR,
    CF_XOR,
    CF_LT,
    CF_LE,
    CF_GT,
    CF_GE,
    CF_EQ,
    CF_NE,
    CF_LOGICAL_AND,
    CF_LOGICAL_OR,
    CF_NEG,
    CF_PLUS,
    CF_NOT,
    CF_LOGICAL_NOT,
    CF_DEREF,
    CF_ADDRESS,
    CF_PRE_INC,
    CF_PRE_DEC,
    CF_POST_INC,
    CF_POST_DEC
} cf_op;

typedef struct cf_step {
    int field; // -1: an index
    const char *name;
    cf_node *index;
} cf_step;

struct cf_node {
    cf_kind kind;
    cf_op op;
    cf_type *type; // of an expression
    cf_type *of;   // ASSIGN: type it is calculated in; SIZEOF: of what
    cf_loc loc;
    int n;
    cf_node **kids;
    int64_t i;
    double f;
    const char *s;
    cf_decl *decl;
    CH_VEC(cf_decl *) decls;
    CH_VEC(cf_step) path;
    void *loops; // what lowering remembers
};

// ---------------------------------------------------------------- declarations
typedef struct cf_shape {
    const char *param, *product; // (int64_t)(n) * (m)
    const char *list;            // n, m
} cf_shape;
// A pointer behind a parameter that a function follows: ".data" of v->data, ".in->a" of v->in->a, "" the parameter.
typedef struct cf_reached {
    const char *path;
    cf_type *as; // what a void * is used as
    bool many;   // it is moved: there are several structs
} cf_reached;
typedef enum { CF_VAR, CF_PARAM, CF_FUNC } cf_decl_kind;
struct cf_decl {
    cf_decl_kind kind;
    const char *name;
    cf_type *type;     // of a parameter: as it is passed
    cf_type *declared; // PARAM: as it was written, double[n]
    cf_type *sized;    // PARAM: as another declaration has it, which says more; NULL: none
    cf_loc loc;
    bool global, is_static, is_extern, marked_const, marked_out, accum;
    bool many;                  // PARAM: a pointer to structs that is moved, so there are several
    CH_VEC(cf_reached) reached; // PARAM: found while functions are lowered
    cf_node *init;
    int index; // PARAM: which
    // functions
    CH_VEC(cf_decl *) params;
    cf_node *body;       // see cf_body
    cf_decl *definition; // the one with the body, across files; NULL: none
    cf_decl *prototype;  // a later declaration without body
    bool is_inline, in_main, in_system;
    bool workspace;          // CH_WORKSPACE stands before it
    cf_decl *vjp, *jvp;      // custom rules
    CH_VEC(cf_shape) shapes; // CH_SHAPE
    int unit;
    int written;   // a variable of the file: 0: not looked yet, 1: by nothing, 2: maybe
    int recursive; // 0: not looked yet, 1: no, 2: yes
    int weight;    // nodes of it and what it calls; 0: not looked yet, -1: it may end the program
    bool has_body; // cf_body reads it
    void *cursor, *reader;
};

// What the user asks for: a line with a directive.
typedef struct cf_directive {
    const char *kind, *func, *args;
    cf_loc loc;
    cf_decl *prototype; // the declaration it stands before
} cf_directive;

// One file as read.
typedef struct cf_unit {
    const char *path;
    CH_VEC(cf_decl *) functions; // declarations and definitions, in order
    CH_VEC(cf_decl *) variables; // of the file
    CH_VEC(cf_directive) directives;
    CH_VEC(const char *) includes; // every file read, for dependencies
    uint64_t hash;
} cf_unit;

// A static number that the files write: its value when a function is called is not known.
typedef struct cf_state_variable {
    cf_decl *d;
    cf_loc at; // where it was used first
} cf_state_variable;

// A call of malloc in a loop whose memory outlives the turn (lower_pool.c).
typedef struct cf_pooled {
    uint64_t key;
    bool failed; // its size is not the same in each turn
} cf_pooled;

typedef struct cf_program {
    CH_VEC(cf_pooled) pooled;
    ch__arena *a;
    CH_VEC(cf_state_variable) states;
    CH_VEC(cf_unit *) units;
    ch__strmap externals; // name -> cf_decl, functions that other files see
} cf_program;

// ---------------------------------------------------------------- read.c
// Reads files with the compiler's flags. Raises `parse` with clang's own messages.
void cf_read(cf_program *p, const char *path, int n_flags, const char *const *flags);
cf_node *cf_body(cf_decl *d);                                     // NULL: declared only
cf_decl *cf_find_function(const cf_program *p, const char *name); // its definition if there is one; NULL: none
const char *cf_type_text(ch__arena *a, const cf_type *t, const char *declarator);
bool cf_is_arithmetic(const cf_type *t);
bool cf_same_type(const cf_type *x, const cf_type *y); // qualifiers do not count
int64_t cf_sizeof(const cf_type *t);                   // -1: not constant

#endif
