// SPDX-License-Identifier: Apache-2.0
// exec.h - what the files of the interpreter share: prepared programs, cells, buffers, the arms of the op table.
//
// A func is prepared once (prepare.c): every value gets a cell (its id), every op an instruction that knows the cells
// it reads and writes and which of them die with it. run.c walks the instructions and calls one arm an op; an arm is
// `ch__do_<op>` and the table of arms is ops.def read once more, so an op without an arm does not link.
//
// Memory: a cell holds a counted reference to a buffer. Buffers of 32 bytes or less live in their node; larger ones
// come from ch__alloc_aligned and are kept for the next request of the same size within a run. An arm may write into an
// operand's buffer when that operand dies with the op, nobody else holds the buffer, and it is the run's own (or
// donated). Private to src/interp: interp.h is the folder's face.
#ifndef CHAAC_EXEC_H
#define CHAAC_EXEC_H

#include <string.h>

#include "interp/interp.h"

// ---------------------------------------------------------------- buffer.c: memory of one run
typedef enum {
    CH__BUF_SMALL,    // in the node
    CH__BUF_HEAP,     // from ch__alloc_aligned, the run's own
    CH__BUF_BORROWED, // an input or a constant: never written
    CH__BUF_DONATED,  // an input that may be written
    CH__BUF_OUTPUT,   // the caller's memory for a result
    CH__BUF_TAPE      // data is a ch__tape of the run's
} ch__buf_kind;

#define CH__SMALL_BYTES 32
typedef struct ch__buf {
    void *data;
    int64_t bytes;
    int32_t refs;
    int32_t kind;
    struct ch__buf *next; // free list
    _Alignas(16) unsigned char small[CH__SMALL_BYTES];
} ch__buf;

typedef struct ch__tape ch__tape; // control.c

// One value while it lives. Shape and dtype stand here from the start, buf only between definition and last use.
typedef struct ch__cell {
    ch__buf *buf;
    const int64_t *dims;
    int64_t numel; // -1: a size that could not be computed
    uint8_t dtype;
    uint8_t esize;
    int16_t rank;
    bool splat;  // buf holds one element that stands for all numel of them
    bool tape;   // buf->data is a ch__tape
    int16_t out; // 1 + the func's result that this value is, 0: none (outermost frame only)
} ch__cell;

#define CH__FIRST_BUFS 24
#define CH__CACHE 8
typedef struct ch__chunk ch__chunk;
// What runs did, for tests and the curious.
typedef struct ch__interp_counts {
    int64_t ops;      // arms called
    int64_t buffers;  // buffers made that are larger than a node
    int64_t copies;   // whole arrays copied because the old version was still needed
    int64_t in_place; // results that took an operand's buffer
} ch__interp_counts;
ch__interp_counts *ch__interp_counts_here(void); // of this thread's runs so far

#define CH__MAX_BLOCKS 3000 // regions and calls inside each other: what the C stack bears
typedef struct ch__run {
    ch__limits limits;
    int64_t steps;
    int64_t live_bytes;
    int depth, nest;
    bool watch; // steps or cancel have to be looked at
    ch__buf *free;
    int used_first;
    ch__chunk *chunks; // of buffers past the first
    struct {
        void *p;
        int64_t bytes;
    } cache[CH__CACHE];
    int cache_next;
    int64_t cache_bytes;
    ch__interp_counts counts;
    ch__tape *tapes; // all there are, for a run that fails
    ch__buf first[CH__FIRST_BUFS];
} ch__run;

void ch__run_init(ch__run *r, const ch__limits *limits);
void ch__run_finish(ch__run *r);                 // frees whatever is left
ch__buf *ch__buf_new(ch__run *r, int64_t bytes); // NULL: error set
ch__buf *ch__buf_wrap(ch__run *r, void *data, int64_t bytes, ch__buf_kind kind);
ch__buf *ch__buf_new_heap(ch__run *r, int64_t bytes); // never in the node: may be handed to the caller
void ch__buf_release(ch__run *r, ch__buf *b);
static inline bool ch__buf_writable(const ch__buf *b) { return b->refs == 1 && b->kind != CH__BUF_BORROWED; }

// ---------------------------------------------------------------- prepare.c
typedef struct ch__frame ch__frame;
typedef struct ch__instr ch__instr;
typedef struct ch__block ch__block;
typedef ch_status (*ch__arm)(ch__frame *fr, const ch__instr *s);

struct ch__instr {
    ch__arm arm;
    const ch__op *op;
    const int32_t *slots; // cells of the operands, then of the results
    int32_t n_in, n_out;
    uint64_t dies;        // bit i: operand i (below 64) is not used after this op
    const int32_t *kills; // cells released after the op
    int32_t n_kills;
    bool dense; // the arm wants no splat operands
    bool nowrap;
    const ch__block *blocks; // one a region
    const ch__program *callee;
    const int32_t *locals; // alloc: the name each operand binds
};

struct ch__block {
    ch__instr *code;
    int32_t n, n_params, n_results;
    const int32_t *params, *results;
    bool *result_dies;    // the value moves out; else it is shared
    int32_t *entry_kills; // values that only the other branch uses, and unused params
    int32_t n_entry_kills;
};

// A dim of a value that is not constant.
typedef struct ch__sym_dim {
    const ch__value *value;
    int32_t cell, axis;
    ch__dim dim;
} ch__sym_dim;

struct ch__program {
    const ch_func *f;
    int32_t n_cells;
    ch__cell *cells; // template
    ch__block body;
    int32_t n_dims; // declared symbols first, then local ones
    int32_t n_names;
    const char **names;
    CH_VEC(ch__sym_dim) sym_dims;
    int32_t n_dim_room;      // int64 entries for dims of values that are not constant
    int32_t max_carry;       // most values that any loop carries
    const ch__program *next; // the other funcs reached
};

struct ch__frame {
    ch__run *run;
    const ch__program *p;
    ch__cell *cells;
    int64_t *values; // of p->names
    bool *bound;
    ch__buf **carry; // room for p->max_carry and for the results
    bool *carry_splat;
    const ch__slot *outs; // where the results go, when they may be written early; NULL in called funcs
    void *memory;         // of all these, or NULL when it is not the frame's own
};
// Memory and cells for a frame; `room` (bytes of it) is used when it is enough.
ch_status ch__frame_init(ch__frame *fr, ch__run *r, const ch__program *p, void *room, size_t bytes);
void ch__frame_finish(ch__frame *fr);     // drops every cell
ch_status ch__frame_sizes(ch__frame *fr); // dims of all values, once the names are bound

ch__arm ch__arm_of(ch__opcode code);
bool ch__takes_splats(ch__opcode code);

#define CH__IN(k) (&fr->cells[s->slots[k]])
#define CH__OUT(k) (&fr->cells[s->slots[s->n_in + (k)]])

// ---------------------------------------------------------------- bind.c: symbolic sizes
// Binds p's names from the shapes of the params and checks dtypes, shapes, bounds and requires clauses. shape(arg, i)
// gives param i's dtype, rank and dims.
typedef struct ch__shape {
    ch_dtype dtype;
    int rank;
    const int64_t *dims;
} ch__shape;
ch_status ch__bind(ch__frame *fr, ch__shape (*shape)(const void *arg, int i), const void *arg);

// ---------------------------------------------------------------- run.c
ch_status ch__run_block(ch__frame *fr, const ch__block *b);
// Gives result k its buffer (zero bytes: a node). The arm then writes CH__OUT(k)->buf->data.
ch_status ch__result_new(ch__frame *fr, const ch__instr *s, int k);
// The same, in operand j's buffer when that may be written and has the size; true in *taken then.
ch_status ch__result_over(ch__frame *fr, const ch__instr *s, int k, int j, bool *taken);
// Result k becomes operand j's buffer, moved when it dies, else shared.
ch_status ch__result_same(ch__frame *fr, const ch__instr *s, int k, int j);
// Result k is operand j's value in a buffer that may be written: in place, or a copy.
ch_status ch__result_update(ch__frame *fr, const ch__instr *s, int k, int j);
ch_status ch__cell_buffer(ch__frame *fr, ch__cell *c); // memory for a cell of known size
ch_status ch__cell_dense(ch__frame *fr, ch__cell *c);  // writes a splat out
ch_status ch__dim_value(ch__frame *fr, ch__dim d, int64_t *out);
ch_status ch__bind_local(ch__frame *fr, int32_t name, int64_t value); // and the dims that depend on it
void ch__cell_drop(ch__frame *fr, ch__cell *c);
void ch__cell_move(ch__frame *fr, ch__cell *to, ch__cell *from, bool dies); // takes or shares from's buffer
static inline void *ch__data(const ch__cell *c) { return c->buf->data; }
static inline int64_t ch__bytes(const ch__cell *c) { return c->numel * c->esize; }
// Error sentences: "file.c:12: get: " before the text.
ch_status ch__op_fail(const ch__instr *s, ch__err id, const char *fmt, ...) CH_PRINTF(3, 4);
#define CH__SHAPE_CHARS 400
const char *ch__shape_text(char out[CH__SHAPE_CHARS], const ch__cell *c); // f64[5,3]
// An integer scalar operand, any integer dtype; u64 past i64's range saturates.
int64_t ch__index_value(const ch__cell *c);
int64_t ch__index_at(const ch__cell *c, int64_t i);
ch_status ch__check_nowrap(ch__frame *fr, const ch__instr *s); // nowrap.c

// ---------------------------------------------------------------- the arms
#define OP(name, ...) ch_status ch__do_##name(ch__frame *fr, const ch__instr *s);
#include "ir/ops.def"
#undef OP

// ---------------------------------------------------------------- control.c
void ch__tape_release(ch__run *r, ch__tape *t);

// ---------------------------------------------------------------- replicas.c
typedef struct ch__world ch__world;
int ch__world_size(const ch__run *r); // replicas of the run; 1 alone
int ch__world_replica(const ch__run *r);
// Waits until every replica is here with what it brings; fails when another stopped. Alone: nothing.
ch_status ch__world_meet(const ch__run *run, const ch__instr *s, const ch__cell *given); // NULL: what it brought
const ch__cell *ch__world_given(const ch__run *r, int64_t replica, const ch__cell *own); // what it brought

// ---------------------------------------------------------------- elementwise.c
// n elements of one dtype; step 0: the operand is one element for all. The result may be an operand.
typedef void (*ch__kernel)(void *o, const void *const *in, const int64_t *step, int64_t n);
// Runs the kernel of the first operand's dtype; f16 and bf16 go through f32 unless they have a kernel of their own.
// `grain`: elements that are worth a thread.
#define CH__CHEAP 65536
#define CH__COSTLY 4096
ch_status ch__map_n(ch__frame *fr, const ch__instr *s, const ch__kernel table[CH__DTYPE_COUNT], int64_t grain);
// Smaller and larger of two as the ops min and max say: NaN wins, -0 is below +0. Equal numbers differ at most in the
// sign of zero: "or" of the bits takes -0, "and" takes +0.
#define CH__EXTREME(NAME, T, U, LESS, BITS)                                                                            \
    static inline T NAME(T x, T y) {                                                                                   \
        union {                                                                                                        \
            T f;                                                                                                       \
            U u;                                                                                                       \
        } a = {x}, b = {y};                                                                                            \
        T r = x LESS y ? x : y;                                                                                        \
        a.u BITS b.u;                                                                                                  \
        r = x == y ? a.f : r;                                                                                          \
        return x != x ? x : r;                                                                                         \
    }
CH__EXTREME(ch__min_f32, float, uint32_t, <, |=)
CH__EXTREME(ch__max_f32, float, uint32_t, >, &=)
CH__EXTREME(ch__min_f64, double, uint64_t, <, |=)
CH__EXTREME(ch__max_f64, double, uint64_t, >, &=)
// For each integer dtype: X(suffix, C type, unsigned type to compute in, dtype).
#define CH__SIGNED(X)                                                                                                  \
    X(i8, int8_t, uint32_t, CH_I8)                                                                                     \
    X(i16, int16_t, uint32_t, CH_I16)                                                                                  \
    X(i32, int32_t, uint32_t, CH_I32)                                                                                  \
    X(i64, int64_t, uint64_t, CH_I64)
#define CH__UNSIGNED(X)                                                                                                \
    X(u8, uint8_t, uint32_t, CH_U8)                                                                                    \
    X(u16, uint16_t, uint32_t, CH_U16)                                                                                 \
    X(u32, uint32_t, uint32_t, CH_U32)                                                                                 \
    X(u64, uint64_t, uint64_t, CH_U64)
// Kernels of one and two operands; x and y are the elements.
#define CH__KERNEL_1(NAME, T, TO, EXPR)                                                                                \
    static void NAME(void *o_, const void *const *in, const int64_t *step, int64_t n) {                                \
        TO *o = o_;                                                                                                    \
        const T *a = in[0];                                                                                            \
        (void)step;                                                                                                    \
        CH_IVDEP                                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T x = a[i];                                                                                          \
            o[i] = (TO)(EXPR);                                                                                         \
        }                                                                                                              \
    }
#define CH__KERNEL_2(NAME, T, TO, EXPR)                                                                                \
    static void NAME(void *o_, const void *const *in, const int64_t *step, int64_t n) {                                \
        TO *o = o_;                                                                                                    \
        const T *a = in[0], *b = in[1];                                                                                \
        if (step[0] && step[1]) {                                                                                      \
            CH_IVDEP                                                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const T x = a[i], y = b[i];                                                                            \
                o[i] = (TO)(EXPR);                                                                                     \
            }                                                                                                          \
        } else if (step[0]) {                                                                                          \
            const T y = b[0];                                                                                          \
            CH_IVDEP                                                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const T x = a[i];                                                                                      \
                o[i] = (TO)(EXPR);                                                                                     \
            }                                                                                                          \
        } else {                                                                                                       \
            const T x = a[0];                                                                                          \
            CH_IVDEP                                                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const T y = b[step[1] ? i : 0];                                                                        \
                o[i] = (TO)(EXPR);                                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }

// ---------------------------------------------------------------- convert.c
// n elements converted as the op convert does; contiguous, not overlapping unless equal width and dtype.
void ch__convert_n(void *dst, ch_dtype dd, const void *src, ch_dtype sd, int64_t n);

// ---------------------------------------------------------------- copy.c
// Copies a strided block of elements; strides in elements, may be 0 (src) or negative.
void ch__copy_strided(void *dst, const int64_t *dst_stride, const void *src, const int64_t *src_stride,
                      const int64_t *dims, int rank, int esize);
void ch__fill(void *dst, const void *element, int esize, int64_t n);
static inline void ch__row_major(int rank, const int64_t *dims, int64_t *stride) {
    int64_t n = 1;
    for (int i = rank - 1; i >= 0; i--) {
        stride[i] = n;
        n *= dims[i];
    }
}

// ---------------------------------------------------------------- accumulate.c: folding in the accumulator's dtype
// The dtype that a sum of dtype d accumulates in: the attribute's, or d, or f32 for f16 and bf16.
ch_dtype ch__acc_dtype(const ch__op *op, ch_dtype d);
// Accumulators are kept in one of f32 f64 i64 u64 (a "carrier"); integer dtypes wrap to their width when stored, f16
// and bf16 accumulators are rounded after every step.
ch_dtype ch__carrier(ch_dtype acc);
// acc[i*acc_step] = fold(acc[i*acc_step], x[i]) for n elements in order; all in the carrier dtype. acc_step 0: one
// chain.
void ch__fold_n(ch__kind kind, ch_dtype acc, void *state, int64_t state_step, const void *x, int64_t n);
void ch__fold_identity(ch__kind kind, ch_dtype d, ch_dtype acc, void *state,
                       int64_t n); // d: dtype whose extremes count
// n carriers to dtype d by way of acc; and n elements of dtype d into carriers by way of acc.
void ch__carrier_store(void *dst, ch_dtype d, ch_dtype acc, const void *state, int64_t n);
void ch__carrier_load(void *state, ch_dtype acc, const void *src, ch_dtype d, int64_t n);

// ---------------------------------------------------------------- gemm.c
// out[b,m,n] = sum over k of lhs[b,m,k] * rhs[b,k,n], k ascending, one accumulator of dtype acc each, operands
// converted to acc first. Strides in elements. false: out of memory.
typedef struct ch__gemm {
    ch_dtype acc;
    int64_t m, n, k;
    const void *lhs, *rhs;
    ch_dtype lhs_dtype, rhs_dtype, out_dtype;
    int64_t lhs_m, lhs_k, rhs_k, rhs_n; // strides
    void *out;
    int64_t out_m, out_n;
} ch__gemm;
bool ch__gemm_run(const ch__gemm *g);

// ---------------------------------------------------------------- special.c: functions C's libm lacks
double ch__digamma(double x);
double ch__polygamma(int64_t n, double x);

#endif
