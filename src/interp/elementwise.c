// SPDX-License-Identifier: Apache-2.0
// elementwise.c - running a kernel over elements: dtype, splats, 16-bit floats, threads, in place; and the choosing
// ops.
//
// A kernel is a plain loop over one dtype. An operand that is one element for all (rank 0 beside larger ones, or a
// splat) has step 0; when all operands are, one element is computed and the result is a splat as well. f16 and bf16 are
// widened to f32 in pieces, run through the f32 kernel and rounded back: one rounding an op.
#include "interp/exec.h"

#define MAX_OPERANDS 3
#define PIECE 256

typedef struct {
    ch__kernel kernel;
    char *out;
    const char *in[MAX_OPERANDS];
    int64_t step[MAX_OPERANDS];
    int n_in;
    int in_size[MAX_OPERANDS], out_size;
    ch_dtype half; // F16 or BF16 when the kernel is the f32 one
    bool out_half;
} map_job;

static void map_halves(const map_job *job, int64_t begin, int64_t end) {
    float wide[MAX_OPERANDS][PIECE], result[PIECE];
    for (int64_t at = begin; at < end; at += PIECE) {
        int64_t n = end - at < PIECE ? end - at : PIECE;
        const void *in[MAX_OPERANDS];
        for (int k = 0; k < job->n_in; k++) {
            ch__convert_n(wide[k], CH_F32, job->in[k] + 2 * (job->step[k] ? at : 0), job->half, job->step[k] ? n : 1);
            in[k] = wide[k];
        }
        if (job->out_half) {
            job->kernel(result, in, job->step, n);
            ch__convert_n(job->out + 2 * at, job->half, result, CH_F32, n);
        } else {
            job->kernel(job->out + job->out_size * at, in, job->step, n);
        }
    }
}

static void map_part(void *arg, int64_t begin, int64_t end) {
    const map_job *job = arg;
    if (job->half) {
        map_halves(job, begin, end);
        return;
    }
    const void *in[MAX_OPERANDS];
    for (int k = 0; k < job->n_in; k++) in[k] = job->in[k] + (job->step[k] ? begin * job->in_size[k] : 0);
    job->kernel(job->out + begin * job->out_size, in, job->step, end - begin);
}

// The result's buffer: an operand's when one dies, a splat's single element when all are single.
static ch_status place(ch__frame *fr, const ch__instr *s, bool single) {
    ch__cell *o = CH__OUT(0);
    if (single && o->numel > 1) {
        ch__cell_drop(fr, o);
        o->buf = ch__buf_new(fr->run, o->esize);
        if (!o->buf) return CH_RESOURCE_EXHAUSTED;
        o->splat = true;
        return CH_OK;
    }
    for (int k = 0; k < s->n_in; k++) {
        bool taken;
        // Only an operand whose every element is read at its own place may be written over.
        if (CH__IN(k)->numel != o->numel || CH__IN(k)->splat || CH__IN(k)->esize != o->esize) continue;
        if (!(s->dies >> k & 1) || !ch__buf_writable(CH__IN(k)->buf)) continue;
        return ch__result_over(fr, s, 0, k, &taken);
    }
    return ch__result_new(fr, s, 0);
}

static ch_status check_shapes(const ch__frame *fr, const ch__instr *s) {
    const ch__cell *o = CH__OUT(0);
    for (int k = 0; k < s->n_in; k++) {
        const ch__cell *c = CH__IN(k);
        if (CH_LIKELY(c->numel == o->numel || c->rank == 0)) continue;
        char a[CH__SHAPE_CHARS], b[CH__SHAPE_CHARS];
        return ch__op_fail(s, CH__E_shape_mismatch, "%s and result %s — the sizes have to be equal",
                           ch__shape_text(a, c), ch__shape_text(b, o));
    }
    return CH_OK;
}

static ch_status run_job(ch__frame *fr, const ch__instr *s, map_job *job, int64_t grain) {
    ch__cell *o = CH__OUT(0);
    CH_TRY(check_shapes(fr, s));
    bool single = true;
    job->n_in = s->n_in;
    for (int k = 0; k < s->n_in; k++) {
        const ch__cell *c = CH__IN(k);
        job->in[k] = ch__data(c);
        job->in_size[k] = c->esize;
        job->step[k] = !(c->splat || (c->rank == 0 && o->rank != 0));
        single = single && (!job->step[k] || c->numel == 1);
    }
    CH_TRY(place(fr, s, single));
    job->out = ch__data(o);
    job->out_size = o->esize;
    int64_t n = o->splat ? 1 : o->numel;
    if (n <= grain)
        map_part(job, 0, n);
    else
        ch__parallel_for(n, grain, map_part, job);
    return CH_OK;
}

// Single numbers, which loops over get and set are made of: nothing but the kernel.
static ch_status map_one(ch__frame *fr, const ch__instr *s, ch__kernel kernel) {
    static const int64_t step[MAX_OPERANDS] = {1, 1, 1};
    const void *in[MAX_OPERANDS];
    ch__cell *o = CH__OUT(0);
    for (int k = 0; k < s->n_in; k++) in[k] = ch__data(CH__IN(k));
    ch__cell *first = CH__IN(0);
    if ((s->dies & 1) && !o->out && first->buf->kind == CH__BUF_SMALL && first->buf->refs == 1 && !o->buf &&
        first->esize == o->esize) {
        o->buf = first->buf;
        first->buf = NULL;
    } else {
        CH_TRY(ch__cell_buffer(fr, o));
    }
    kernel(ch__data(o), in, step, 1);
    return CH_OK;
}

ch_status ch__map_n(ch__frame *fr, const ch__instr *s, const ch__kernel table[CH__DTYPE_COUNT], int64_t grain) {
    ch_dtype d = (ch_dtype)CH__IN(0)->dtype;
    ch__kernel kernel = table[d];
    if (kernel && CH__OUT(0)->numel == 1 && CH__IN(0)->numel == 1 && s->n_in <= 2 && CH__IN(s->n_in - 1)->numel == 1)
        return map_one(fr, s, kernel);
    map_job job = {.kernel = kernel};
    if (!kernel && (d == CH_F16 || d == CH_BF16)) {
        job.kernel = table[CH_F32];
        job.half = d;
        job.out_half = CH__OUT(0)->dtype == d;
    }
    if (!job.kernel) return ch__op_fail(s, CH__E_dtype_mismatch, "has no meaning for %s", ch_dtype_name(d));
    return run_job(fr, s, &job, grain);
}

// ---------------------------------------------------------------- compare
#define COMPARE_ALL(SUFFIX, T, W, D)                                                                                   \
    CH__KERNEL_2(eq_##SUFFIX, T, uint8_t, x == y)                                                                      \
    CH__KERNEL_2(ne_##SUFFIX, T, uint8_t, x != y)                                                                      \
    CH__KERNEL_2(lt_##SUFFIX, T, uint8_t, x < y)                                                                       \
    CH__KERNEL_2(le_##SUFFIX, T, uint8_t, x <= y)                                                                      \
    CH__KERNEL_2(gt_##SUFFIX, T, uint8_t, x > y)                                                                       \
    CH__KERNEL_2(ge_##SUFFIX, T, uint8_t, x >= y)
CH__SIGNED(COMPARE_ALL)
CH__UNSIGNED(COMPARE_ALL)
COMPARE_ALL(f32, float, float, CH_F32)
COMPARE_ALL(f64, double, double, CH_F64)
CH__KERNEL_2(eq_bool, uint8_t, uint8_t, (x != 0) == (y != 0))
CH__KERNEL_2(ne_bool, uint8_t, uint8_t, (x != 0) != (y != 0))
CH__KERNEL_2(lt_bool, uint8_t, uint8_t, x == 0 && y != 0)
CH__KERNEL_2(le_bool, uint8_t, uint8_t, x == 0 || y != 0)
CH__KERNEL_2(gt_bool, uint8_t, uint8_t, x != 0 && y == 0)
CH__KERNEL_2(ge_bool, uint8_t, uint8_t, x != 0 || y == 0)
#undef COMPARE_ALL

#define COMPARE_ROW(DIR)                                                                                               \
    {                                                                                                                  \
        [CH_BOOL] = DIR##_bool, [CH_I8] = DIR##_i8, [CH_I16] = DIR##_i16, [CH_I32] = DIR##_i32, [CH_I64] = DIR##_i64,  \
        [CH_U8] = DIR##_u8, [CH_U16] = DIR##_u16, [CH_U32] = DIR##_u32, [CH_U64] = DIR##_u64, [CH_F32] = DIR##_f32,    \
        [CH_F64] = DIR##_f64                                                                                           \
    }
static const ch__kernel compare_kernels[][CH__DTYPE_COUNT] = {
    [CH__EQ] = COMPARE_ROW(eq), [CH__NE] = COMPARE_ROW(ne), [CH__LT] = COMPARE_ROW(lt),
    [CH__LE] = COMPARE_ROW(le), [CH__GT] = COMPARE_ROW(gt), [CH__GE] = COMPARE_ROW(ge)};
#undef COMPARE_ROW

ch_status ch__do_compare(ch__frame *fr, const ch__instr *s) {
    return ch__map_n(fr, s, compare_kernels[ch__op_int(s->op, CH__ATTR_dir, CH__EQ)], CH__CHEAP);
}

// ---------------------------------------------------------------- select: bits are moved
#define SELECT_KERNEL(NAME, T)                                                                                         \
    static void NAME(void *o_, const void *const *in, const int64_t *step, int64_t n) {                                \
        T *o = o_;                                                                                                     \
        const uint8_t *p = in[0];                                                                                      \
        const T *a = in[1], *b = in[2];                                                                                \
        if (step[0] && step[1] && step[2]) {                                                                           \
            CH_IVDEP                                                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const T x = a[i], y = b[i];                                                                            \
                o[i] = p[i] ? x : y;                                                                                   \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        const int64_t sp = step[0], sa = step[1], sb = step[2];                                                        \
        CH_IVDEP                                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T x = a[i * sa], y = b[i * sb];                                                                      \
            o[i] = p[i * sp] ? x : y;                                                                                  \
        }                                                                                                              \
    }
SELECT_KERNEL(select_1, uint8_t)
SELECT_KERNEL(select_2, uint16_t)
SELECT_KERNEL(select_4, uint32_t)
SELECT_KERNEL(select_8, uint64_t)
#undef SELECT_KERNEL

ch_status ch__do_select(ch__frame *fr, const ch__instr *s) {
    ch__cell *pred = CH__IN(0);
    if (pred->rank == 0 || pred->splat) { // one of the two as it is
        int j = *(const uint8_t *)ch__data(pred) ? 1 : 2;
        CH_TRY(check_shapes(fr, s));
        if (CH__IN(j)->numel == CH__OUT(0)->numel) return ch__result_same(fr, s, 0, j);
    }
    int size = CH__OUT(0)->esize;
    map_job job = {.kernel = size == 1 ? select_1 : size == 2 ? select_2 : size == 4 ? select_4 : select_8};
    return run_job(fr, s, &job, CH__CHEAP);
}

// ---------------------------------------------------------------- clamp
#define CLAMP_KERNEL(NAME, T, MIN, MAX)                                                                                \
    static void NAME(void *o_, const void *const *in, const int64_t *step, int64_t n) {                                \
        T *o = o_;                                                                                                     \
        const T *lo = in[0], *a = in[1], *hi = in[2];                                                                  \
        const int64_t sl = step[0], sa = step[1], sh = step[2];                                                        \
        CH_IVDEP                                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T l = lo[i * sl], x = a[i * sa], h = hi[i * sh];                                                     \
            const T y = MAX(x, l);                                                                                     \
            o[i] = MIN(y, h);                                                                                          \
        }                                                                                                              \
    }
#define PLAIN_MIN(x, y) ((y) < (x) ? (y) : (x))
#define PLAIN_MAX(x, y) ((y) > (x) ? (y) : (x))
#define CLAMP_INT(SUFFIX, T, W, D) CLAMP_KERNEL(clamp_##SUFFIX, T, PLAIN_MIN, PLAIN_MAX)
CH__SIGNED(CLAMP_INT)
CH__UNSIGNED(CLAMP_INT)
CLAMP_KERNEL(clamp_f32, float, ch__min_f32, ch__max_f32)
CLAMP_KERNEL(clamp_f64, double, ch__min_f64, ch__max_f64)
#undef CLAMP_INT
#undef CLAMP_KERNEL
#undef PLAIN_MIN
#undef PLAIN_MAX

static const ch__kernel clamp_kernels[CH__DTYPE_COUNT] = {
#define ROW(SUFFIX, T, W, D) [D] = clamp_##SUFFIX,
    CH__SIGNED(ROW) CH__UNSIGNED(ROW)
#undef ROW
        [CH_F32] = clamp_f32,
    [CH_F64] = clamp_f64};

ch_status ch__do_clamp(ch__frame *fr, const ch__instr *s) { return ch__map_n(fr, s, clamp_kernels, CH__CHEAP); }
