// SPDX-License-Identifier: Apache-2.0
// opt.h - passes over a func, in place; one a file; none changes a bit of any result. All run inside ch__protect.
#ifndef CHAAC_OPT_H
#define CHAAC_OPT_H

#include "ir/ir.h"

// ---------------------------------------------------------------- pass.c
typedef struct {
    const char *name;
    int64_t (*run)(ch_func *f);
    const char *what;
} ch__pass;
const ch__pass *ch__pass_at(int i); // rows of passes.def; NULL past the last
const ch__pass *ch__pass_find(const char *name);

typedef struct ch__rewriter ch__rewriter;

// ---------------------------------------------------------------- the passes; each gives how many changes it made
// CHAAC_DEBUG=composites,optimize: the func's text after a pass it names, as a notice.
void ch__debug_after(const char *pass, const ch_func *f);

int64_t ch__inline(ch_func *f);                             // inline.c: calls of non-recursive funcs and composites
int64_t ch__inline_calls(ch_func *f, bool keep_composites); // the calls, and composites unless they are kept
int64_t ch__inline_composites(ch_func *f);                  // composites only, their rules go with them
int64_t ch__inline_but_kernels(ch_func *f);                 // the same, but for kernels
int64_t ch__inline_unlowered(ch_func *f);                   // the same, but for kernels that a call stands for
// The same before a derivative: those with rules stay, and, for reverse mode, those with remat and kernels.
int64_t ch__inline_for_reverse(ch_func *f);
int64_t ch__inline_for_forward(ch_func *f);
int64_t ch__fold(ch_func *f);     // fold.c: ops whose operands are small constants, by the interpreter
int64_t ch__cse(ch_func *f);      // cse.c: equal ops, equal values
int64_t ch__dce(ch_func *f);      // dce.c: what no result needs
int64_t ch__simplify(ch_func *f); // simplify.c: local rewrites
int64_t ch__widen(ch_func *f);    // widen.c: f16 bf16 f32 become f64
int64_t ch__count(ch_func *f);    // count.c: integers that a loop counts along become functions of its counter
int64_t ch__fresh(ch_func *f);    // fresh.c: arrays that are overwritten from end to end begin anew
// Whether loop op's carried array i is written from end to end before it is read: what it starts from does not matter.
bool ch__overwrites(const ch__op *loop, int i);
// optimize.c: fold, simplify and cse in one walk, then dce. Linear in the number of ops.
int64_t ch__optimize(ch_func *f);
// sized.c: f for these values of its sizes, its calls inlined, optimized, in a module of its own. Raises `argument`,
// `dim_bounds`, `requires`.
ch_func *ch__func_sized(const ch_func *f, int n, const char *const *names, const int64_t *values);
// What those three do to one op of a walk (see rewrite.c below): the value that stands for it, or NULL.
ch__value *ch__fold_op(ch__rewriter *r, ch__op *op);
ch__value *ch__simplify_op(ch__rewriter *r, ch__op *op);
void ch__simplify_enter(ch__rewriter *r, ch__op *op); // before the regions of op are walked
typedef struct ch__cse_table ch__cse_table;
void ch__cse_open(ch__rewriter *r, ch__cse_table **t);
void ch__cse_close(ch__cse_table *t);
// An earlier op that computes the same as op, or NULL: then op is the one to be found from now on.
ch__op *ch__cse_find(ch__rewriter *r, ch__cse_table *t, ch__op *op);

// ---------------------------------------------------------------- dce.c: funcs
// Unlinks the funcs of f's module that f does not reach. Gives how many.
int64_t ch__dce_funcs(ch_func *f);

// ---------------------------------------------------------------- peak.c: memory at its most, by size
enum { CH__PEAK_MOST = 4 };
typedef struct ch__peak {
    int n;                           // none of them always reaches another
    ch__dim bytes[CH__PEAK_MOST];    // parameters and results counted
    const ch__op *at[CH__PEAK_MOST]; // the op that runs then
    bool more;                       // there were more of them
} ch__peak;
ch__peak ch__peak_of(ch__arena *a, const ch_func *f);

// ---------------------------------------------------------------- rewrite.c: one walk that replaces values
// Visits every op once, in order, regions before the op that owns them, with operands already replaced. `fn` looks at
// the op and gives the value that stands for its (only) result from now on, or NULL; then the op is removed. New ops go
// through r->b, which stands before the op. An op with several results is replaced by ch__rewrite_to on each and
// ch__rewrite_drop. `enter` (may be NULL) is called before the regions of an op are visited; `open` and `close` (may be
// NULL) around each region.
struct ch__rewriter {
    ch__value *(*fn)(ch__rewriter *r, ch__op *op);
    void (*enter)(ch__rewriter *r, ch__op *op);
    void (*open)(ch__rewriter *r), (*close)(ch__rewriter *r);
    void *user;
    ch_func *func;
    ch__builder b;
    ch__arena *scratch;
    ch__value **to; // by value id: what stands for it; NULL: itself
    int32_t n;      // ids below this one may be replaced
    int64_t changes;
    bool drop;      // the op at hand goes
    bool dissolved; // a branch or composite was: its ops stand in another region now
};
int64_t ch__rewrite(ch__rewriter *r, ch_func *f);                     // gives r->changes
ch__value *ch__rewrite_now(const ch__rewriter *r, ch__value *v);      // what stands for v
void ch__rewrite_to(ch__rewriter *r, ch__value *old, ch__value *now); // the name goes along when `now` has none
void ch__rewrite_drop(ch__rewriter *r);                               // the op at hand goes when fn is back

// ---------------------------------------------------------------- explain.c
ch__dim ch__op_flops(ch__arena *a, const ch__op *op); // of one op, as ch_explain counts them
void ch__explain(ch__text *t, const ch_func *f);      // what ch_explain says of the func itself

// ---------------------------------------------------------------- const.c: constants as values
const ch__array *ch__const_of(const ch__value *v); // the data when v is a constant, else NULL
bool ch__const_is_splat(const ch__value *v,
                        double x); // a floating or integer constant whose every element is x, +0 and -0 apart
bool ch__const_splat_f64(const ch__value *v, double *out); // every element the same number, as f64
ch__value *ch__const_splat_as(ch__builder *b, const ch__type *t, const ch__array *splat); // that element in shape t
double ch__elem_f64(ch_dtype d, const void *p); // an element as f64 (large integers round)

#endif
