// SPDX-License-Identifier: Apache-2.0
// parse.h - what the files that read IR text share: tokens, the parser's state, and who reads what.
//
//   lex.c         tokens, and errors with line, column and caret
//   parse_type.c  size expressions and types
//   parse_attr.c  attributes of every kind
//   parse_data.c  the data of constants
//   parse_op.c    operations and their regions
//   parse.c       modules, funcs, signatures; the entry points of ir.h
//
// Everything runs inside ch__protect and raises. The reader never recurses deeper than CH__MAX_NEST regions and
// CH__MAX_EXPR parentheses, and works in time linear in the text.
#ifndef CHAAC_IR_PARSE_H
#define CHAAC_IR_PARSE_H

#include "ir/ir.h"

#define CH__MAX_EXPR 200    // nesting of a size expression as text
#define CH__MAX_SYMBOLS 256 // size symbols of a func
#define CH__MAX_LIST 64     // entries of an attribute's list of integers or sizes

typedef enum {
    CH__T_END,
    CH__T_IDENT,  // abc
    CH__T_VALUE,  // %abc %0: s and n are the part after %
    CH__T_GLOBAL, // @abc: after @
    CH__T_NUM,    // 12 1.5e-3 0x7f 0x1p-4
    CH__T_STR,    // "...": between the quotes
    CH__T_HEX,    // hex"...": between the quotes
    CH__T_ARROW,  // ->
    CH__T_EQEQ,   // ==
    CH__T_DOTS,   // ..
    CH__T_PUNCT,  // one character: c
    CH__T_BAD     // what is wrong is in `bad`
} ch__tok_kind;

typedef struct ch__tok {
    ch__tok_kind kind;
    char c;
    int line;
    const char *at; // first byte
    const char *s;
    size_t n;
    const char *bad;
} ch__tok;

typedef struct ch__binding {
    ch__value *value; // NULL for a size symbol
    const char *name;
    int line;
    bool alive; // false: its region has ended
} ch__binding;

typedef struct ch__func_entry {
    ch_func *func;
    bool read;                // its text has been met
    int64_t calls, end_calls; // its calls: from..to in p->calls
    int64_t next;             // the one to look at next, while callees are checked before callers
} ch__func_entry;

typedef struct ch__call_site {
    ch__op *op;
    const char *at;
} ch__call_site;

typedef struct ch__parser {
    const char *text, *end, *name;
    const char *pos;    // after tok
    int line;           // of pos
    ch__tok tok;        // the next one, not yet taken
    ch__arena *scratch; // gone when the parser is
    ch__arena *arena;   // where results go
    const char *here;   // what is being read: where errors raised by others are shown; NULL: nowhere
    bool located;       // the error being raised says where already
    ch__err as;         // the identifier of every mistake in the text; CH__E_COUNT: their own
    int depth, expr_depth;

    ch__module *module;
    ch_func *func;
    const char *file;            // name, in the arena, for locations
    ch__strmap funcs;            // of the module: name -> ch__func_entry
    ch__strmap values;           // of the func: name -> ch__binding
    CH_VEC(ch__binding *) scope; // those alive, in order of definition
    bool know_symbols;           // false: any symbol may stand in a size
    ch__strmap symbols;          // name -> ch__binding
    CH_VEC(ch__binding *) symbol_scope;
    CH_VEC(ch__call_site) calls; // checked when every func is known
} ch__parser;

// ---------------------------------------------------------------- lex.c
void ch__parser_init(ch__parser *p, ch__arena *scratch, ch__arena *arena, const char *text, size_t n, const char *name);
void ch__next(ch__parser *p);
// Raises `id` (or p->as) with "name:line:col: message", the line of the text and a caret under `at`.
CH_NORETURN void ch__parse_fail(ch__parser *p, ch__err id, const char *at, const char *fmt, ...) CH_PRINTF(4, 5);
// The same for the error that is set, raised somewhere below without a place: shown at p->here.
CH_NORETURN void ch__parse_fail_current(ch__parser *p);
// "name:line:col: message"; whole: the line and a caret below it too.
void ch__parse_put_place(const ch__parser *p, ch__text *t, const char *at, bool whole, const char *message);
CH_NORETURN void ch__parse_expected(ch__parser *p, const char *what); // "expected <what>, got <token>"
bool ch__is(const ch__parser *p, char c);                             // is the token this character?
bool ch__is_word(const ch__parser *p, const char *word);
bool ch__eat(ch__parser *p, char c); // takes it if it is
bool ch__eat_word(ch__parser *p, const char *word);
void ch__want(ch__parser *p, char c, const char *after); // takes it or fails: "expected ',' after <after>"
// The token's text in the scratch arena.
char *ch__tok_text(ch__parser *p, const ch__tok *t);
char *ch__tok_string(ch__parser *p, const ch__tok *t); // a string with its escapes read; fails on bad ones
int64_t ch__want_int(ch__parser *p, const char *what); // an integer, maybe negative
// n digits as an integer; fails at `at` when it does not fit. false: something else stands there.
bool ch__read_digits(ch__parser *p, const char *at, bool negative, const char *s, size_t n, int64_t *out);
// " - did you mean 'x'?" for a near name, else "".
const char *ch__did_you_mean(ch__parser *p, const char *name, const char *const *names, int n);

// ---------------------------------------------------------------- parse_type.c
ch__dim ch__read_dim(ch__parser *p);
ch_dtype ch__read_dtype(ch__parser *p);
const ch__type *ch__read_type(ch__parser *p);
void ch__symbol_define(ch__parser *p, const char *name, int line);
void ch__symbol_leave(ch__parser *p, int64_t depth); // forgets the local symbols beyond the first `depth`

// ---------------------------------------------------------------- parse_attr.c
typedef struct ch__attr_list {
    CH_VEC(ch__attr) list;
    uint64_t seen;
    bool has_data; // `value = ...` was passed over; it is read when the type is known
    ch__tok data;  // its first token
} ch__attr_list;
// name = value, ... up to `close` ('}' taken, or 0: the end of the text).
void ch__read_attrs(ch__parser *p, ch__opcode code, ch__attr_list *out, char close);
// Is the token '{' followed by `name =` or '}'?
bool ch__at_attrs(const ch__parser *p);
void ch__attr_list_add(ch__parser *p, ch__attr_list *l, ch__attr a);

// ---------------------------------------------------------------- parse_data.c
// The value of a constant of this type, from the current token on.
const ch__array *ch__read_data(ch__parser *p, const ch__type *type);

// ---------------------------------------------------------------- parse_op.c
void ch__define(ch__parser *p, const ch__tok *name, ch__value *v);
ch__value *ch__read_use(ch__parser *p); // %name of a value alive here
// Ops up to `word` ("return" or "yield"), its values and '}'.
void ch__read_body(ch__parser *p, ch__region *r, const char *word);
void ch__scope_leave(ch__parser *p, int64_t depth);
// Every call of the text, now that all funcs are known, against the shape rule.
void ch__check_calls(ch__parser *p);

#endif
