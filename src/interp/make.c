// SPDX-License-Identifier: Apache-2.0
// make.c - values from nothing: const iota dim alloc, and random bits.
#include "interp/exec.h"

// The array of the attribute is used where it lies; one number for many elements stays one.
ch_status ch__do_const(ch__frame *fr, const ch__instr *s) {
    const ch__array *a = ch__op_attr(s->op, CH__ATTR_value)->array;
    ch__cell *o = CH__OUT(0);
    if (o->numel < 0) return ch__result_new(fr, s, 0); // reports it
    if (!a->splat && (int64_t)(ch__array_bytes(a)) != ch__bytes(o))
        return ch__op_fail(s, CH__E_shape_mismatch, "the data has another size than the result");
    ch__cell_drop(fr, o);
    o->buf = ch__buf_wrap(fr->run, a->data, a->splat ? o->esize : ch__bytes(o), CH__BUF_BORROWED);
    if (!o->buf) return CH_RESOURCE_EXHAUSTED;
    o->splat = a->splat && o->numel != 1;
    return CH_OK;
}

ch_status ch__do_dim(ch__frame *fr, const ch__instr *s) {
    int64_t v;
    CH_TRY(ch__dim_value(fr, ch__op_attr(s->op, CH__ATTR_e)->dim, &v));
    CH_TRY(ch__result_new(fr, s, 0));
    *(int64_t *)ch__data(CH__OUT(0)) = v;
    return CH_OK;
}

ch_status ch__do_iota(ch__frame *fr, const ch__instr *s) {
    ch__cell *o = CH__OUT(0);
    int dim = (int)ch__op_int(s->op, CH__ATTR_dim, 0);
    CH_TRY(ch__result_new(fr, s, 0));
    if (o->numel == 0) return CH_OK;
    int64_t inner = o->esize, n = o->dims[dim];
    for (int i = dim + 1; i < o->rank; i++) inner *= o->dims[i];
    char *to = ch__data(o);
    for (int64_t i = 0; i < n; i++) {
        unsigned char element[8];
        ch__convert_n(element, (ch_dtype)o->dtype, &i, CH_I64, 1);
        ch__fill(to + i * inner, element, o->esize, inner / o->esize);
    }
    int64_t block = inner * n, total = ch__bytes(o);
    for (int64_t at = block; at < total; at += block) memcpy(to + at, to, (size_t)block);
    return CH_OK;
}

ch_status ch__do_alloc(ch__frame *fr, const ch__instr *s) {
    for (int i = 0; i < s->n_in; i++) {
        int64_t v = ch__index_value(CH__IN(i));
        if (v < 0)
            return ch__op_fail(s, CH__E_shape_mismatch, "size %s is %" PRId64 " — sizes are 0 or more",
                               s->locals ? fr->p->names[s->locals[i]] : "", v);
        if (s->locals) CH_TRY(ch__bind_local(fr, s->locals[i], v));
    }
    CH_TRY(ch__result_new(fr, s, 0));
    ch__cell *o = CH__OUT(0);
    if (ch__bytes(o) > 0) memset(ch__data(o), 0, (size_t)ch__bytes(o));
    return CH_OK;
}

// ---------------------------------------------------------------- random bits
typedef struct {
    uint32_t *out;
    uint32_t key[2];
    uint64_t counter;
    int64_t n;
} bits_job;

// Pairs begin .. end-1 of words.
static void bits_part(void *arg, int64_t begin, int64_t end) {
    const bits_job *j = arg;
    for (int64_t i = begin; i < end; i++) {
        uint64_t c = j->counter + (uint64_t)i;
        uint32_t word[2];
        ch__threefry2x32(j->key, (uint32_t[]){(uint32_t)c, (uint32_t)(c >> 32)}, word);
        j->out[2 * i] = word[0];
        if (2 * i + 1 < j->n) j->out[2 * i + 1] = word[1];
    }
}

ch_status ch__do_rng_bits(ch__frame *fr, const ch__instr *s) {
    ch__cell *o = CH__OUT(0);
    bits_job j = {0};
    memcpy(j.key, ch__data(CH__IN(0)), sizeof j.key);
    memcpy(&j.counter, ch__data(CH__IN(1)), sizeof j.counter);
    CH_TRY(ch__result_new(fr, s, 0));
    j.out = ch__data(o);
    j.n = o->numel;
    ch__parallel_for((j.n + 1) / 2, 8192, bits_part, &j);
    return CH_OK;
}
