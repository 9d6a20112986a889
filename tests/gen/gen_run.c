// SPDX-License-Identifier: Apache-2.0
// gen_run.c - a func run on concrete arrays by the reference interpreter, and results compared bit by bit.
#include "gen/gen.h"
#include "interp/interp.h"

#include <string.h>

typedef struct prepare {
    ch__arena *arena;
    const ch_func *f;
    ch__program *program;
} prepare;

static void prepare_it(void *arg) {
    prepare *p = arg;
    p->program = ch__interp_prepare(p->arena, p->f);
}

ch_status ch__gen_run(ch__arena *a, const ch_func *f, const ch__array *in, ch__array **out) {
    prepare p = {.arena = a, .f = f};
    CH_TRY(ch__protect(prepare_it, &p));
    int n_in = f->body->n_params, n_out = f->body->n_results;
    ch__slot *x = CH_NEW_ARRAY(a, ch__slot, n_in + 1), *y = CH_NEW_ARRAY(a, ch__slot, n_out + 1);
    for (int i = 0; i < n_in; i++) {
        x[i] = (ch__slot){.dtype = in[i].dtype, .rank = in[i].rank, .data = in[i].data};
        if (in[i].rank) memcpy(x[i].dims, in[i].dims, (size_t)in[i].rank * sizeof(int64_t));
    }
    ch__limits limits = {.max_steps = 10000000, .max_bytes = 1 << 28};
    CH_TRY(ch__interp_run(p.program, &limits, n_in, x, n_out, y));
    *out = CH_NEW_ARRAY(a, ch__array, n_out + 1);
    for (int i = 0; i < n_out; i++) {
        ch__array r = {.dtype = y[i].dtype, .rank = y[i].rank};
        r.dims = ch__arena_dup(a, y[i].dims, (size_t)y[i].rank * sizeof(int64_t));
        r.data = ch__arena_dup(a, y[i].data, ch__array_bytes(&r));
        ch__free_aligned(y[i].data);
        (*out)[i] = r;
    }
    return CH_OK;
}

static bool is_nan(ch_dtype d, const uint8_t *p) {
    uint64_t v = 0;
    memcpy(&v, p, ch_dtype_size(d)); // little endian
    switch (d) {
    case CH_F64: return (v & INT64_MAX) > UINT64_C(0x7ff0000000000000);
    case CH_F32: return (v & 0x7fffffff) > 0x7f800000;
    case CH_F16: return (v & 0x7fff) > 0x7c00;
    case CH_BF16: return (v & 0x7fff) > 0x7f80;
    case CH_F8E4M3: return (v & 0x7f) == 0x7f;
    case CH_F8E5M2: return (v & 0x7f) > 0x7c;
    default: return false;
    }
}

bool ch__gen_same(const ch__array *x, const ch__array *y) {
    if (x->dtype != y->dtype || x->rank != y->rank) return false;
    for (int i = 0; i < x->rank; i++)
        if (x->dims[i] != y->dims[i]) return false;
    size_t size = ch_dtype_size(x->dtype), n = ch__array_bytes(x);
    const uint8_t *p = x->data, *q = y->data;
    for (size_t i = 0; i < n; i += size)
        if (memcmp(p + i, q + i, size) != 0 && !(is_nan(x->dtype, p + i) && is_nan(x->dtype, q + i))) return false;
    return true;
}
