// SPDX-License-Identifier: Apache-2.0
// nowrap.c - under CHAAC_CHECK=1: does an op that promises not to overflow keep its promise?
//
// Runs before the op, on its operands. Everything is computed in 64 bits with overflow noticed, then compared with the
// range of the dtype. Floats have nothing to promise.
#include "interp/exec.h"

static int64_t signed_at(const ch__cell *c, int64_t i) { return ch__index_at(c, c->numel == 1 || c->splat ? 0 : i); }

static uint64_t unsigned_at(const ch__cell *c, int64_t i) {
    uint64_t v;
    ch__convert_n(&v, CH_U64, (const char *)ch__data(c) + (c->numel == 1 || c->splat ? 0 : i) * c->esize,
                  (ch_dtype)c->dtype, 1);
    return v;
}

// False: it overflows i64, or the width.
static bool fits_signed(ch__opcode code, int width, int64_t x, int64_t y) {
    int64_t r, lo = width == 64 ? INT64_MIN : -((int64_t)1 << (width - 1)), hi = -(lo + 1);
    switch (code) {
    case CH_OP_neg: return x != lo;
    case CH_OP_abs: return x != lo;
    case CH_OP_add: return ch__add_i64(x, y, &r) && r >= lo && r <= hi;
    case CH_OP_sub: return y == INT64_MIN ? x < 0 : ch__add_i64(x, -y, &r) && r >= lo && r <= hi;
    case CH_OP_mul: return ch__mul_i64(x, y, &r) && r >= lo && r <= hi;
    case CH_OP_div:
    case CH_OP_rem: return y != 0 && !(x == lo && y == -1);
    case CH_OP_shl: return y >= 0 && y < width && x >= 0 && x <= hi >> y;
    case CH_OP_shr: return y >= 0 && y < width;
    default: return true;
    }
}

static bool fits_unsigned(ch__opcode code, int width, uint64_t x, uint64_t y) {
    uint64_t hi = UINT64_MAX >> (64 - width);
    switch (code) {
    case CH_OP_add: return y <= hi - x;
    case CH_OP_sub: return y <= x;
    case CH_OP_mul: return x == 0 || y <= hi / x;
    case CH_OP_div:
    case CH_OP_rem: return y != 0;
    case CH_OP_shl: return y < (uint64_t)width && x <= hi >> y;
    case CH_OP_shr: return y < (uint64_t)width;
    default: return true;
    }
}

ch_status ch__check_nowrap(ch__frame *fr, const ch__instr *s) {
    const ch__cell *x = CH__IN(0), *y = s->n_in > 1 ? CH__IN(1) : x;
    ch_dtype d = (ch_dtype)x->dtype;
    ch__opcode code = (ch__opcode)s->op->code;
    if (!ch__is_int(d)) return CH_OK;
    int width = 8 * x->esize;
    int64_t n = x->numel > y->numel ? x->numel : y->numel;
    for (int64_t i = 0; i < n; i++) {
        bool fits = ch__is_signed(d) ? fits_signed(code, width, signed_at(x, i), signed_at(y, i))
                                     : fits_unsigned(code, width, unsigned_at(x, i), unsigned_at(y, i));
        if (fits) continue;
        char operands[64];
        if (s->n_in == 1)
            snprintf(operands, sizeof operands, "%" PRId64, signed_at(x, i));
        else if (ch__is_signed(d))
            snprintf(operands, sizeof operands, "%" PRId64 " and %" PRId64, signed_at(x, i), signed_at(y, i));
        else
            snprintf(operands, sizeof operands, "%" PRIu64 " and %" PRIu64, unsigned_at(x, i), unsigned_at(y, i));
        return ch__op_fail(s, CH__E_bounds, "%s overflow %s at element %" PRId64 " — the operation promises nowrap",
                           operands, ch_dtype_name(d), i);
    }
    return CH_OK;
}
