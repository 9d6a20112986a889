// SPDX-License-Identifier: Apache-2.0
// hlo/recognize.c - what a region of scalars computes, read off its operations.
//
// StableHLO gives reductions, sorts and scatters a region; the IR has words for the usual ones. Nothing is guessed: a
// region is what one of these forms says, operation by operation, or it is not recognized and goes the general way.
//
//   one operation   add %a, %b                                             either order; constants that nobody reads
//   keys            compare LT, k(%a0), k(%b0)                             k: the value, or its canonical form
//                   or(compare LT k0, and(compare EQ k0, rest))            the next keys where the first are equal
//   canonical form  select(a != a, nan, select(a == 0, 0, a))              -0 is 0 and every NaN is one, TOTALORDER
//   position        select(a > b or a != a, a, b) and the smaller index of equals, as JAX's argmax has it
#include "hlo/hlo.h"

#include <string.h>

// ---------------------------------------------------------------- which operation made a value

static const ch__hlo_op *hlo_recognize_maker(const ch__hlo_region *r, const ch__hlo_value *v) {
    for (const ch__hlo_op *op = r->first; op && op != r->last; op = op->next)
        for (int i = 0; i < op->n_results; i++)
            if (op->results[i] == v) return op;
    return NULL;
}

static bool hlo_recognize_is(const ch__hlo_op *op, const char *name) { return op && strcmp(op->name, name) == 0; }

static int hlo_recognize_param(const ch__hlo_region *r, const ch__hlo_value *v) {
    for (int i = 0; i < r->n_params; i++)
        if (r->params[i] == v) return i;
    return -1;
}

static bool hlo_recognize_word(const ch__hlo_op *op, const char *word) {
    for (int64_t i = 0; i < op->words.n; i++)
        if (strlen(word) == op->words.data[i].n && memcmp(word, op->words.data[i].s, op->words.data[i].n) == 0)
            return true;
    for (int64_t i = 0; i < op->attrs.n; i++)
        if (ch__hlo_is_attr_word(op->attrs.data[i], word)) return true;
    return false;
}

// A region of few operations only: it is gone through for each of them.
static bool hlo_recognize_small(const ch__hlo_region *r) { return r->n_ops <= 400; }

const char *ch__hlo_region_op(const ch__hlo_region *r) {
    static const char *const ops[] = {"stablehlo.add",     "stablehlo.multiply", "stablehlo.maximum",
                                      "stablehlo.minimum", "stablehlo.and",      "stablehlo.or"};
    if (r->n_params != 2 || r->last->n_operands != 1 || !hlo_recognize_small(r)) return NULL;
    int p = hlo_recognize_param(r, r->last->operands[0]);
    if (p >= 0) return p == 1 ? "set" : NULL;
    const ch__hlo_op *op = hlo_recognize_maker(r, r->last->operands[0]);
    if (!op || op->n_operands != 2) return NULL;
    int x = hlo_recognize_param(r, op->operands[0]), y = hlo_recognize_param(r, op->operands[1]);
    if (!((x == 0 && y == 1) || (x == 1 && y == 0))) return NULL;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(op->name, ops[i]) == 0) return ops[i];
    return NULL;
}

// ---------------------------------------------------------------- comparators

// The text of the data of a scalar constant.
static bool hlo_recognize_const(const ch__hlo_region *r, const ch__hlo_value *v, const char *const *texts) {
    const ch__hlo_op *op = hlo_recognize_maker(r, v);
    if (!hlo_recognize_is(op, "stablehlo.constant")) return false;
    for (int64_t i = 0; i < op->attrs.n; i++) {
        const ch__hlo_attr *a = op->attrs.data[i];
        if (a->kind != CH__HA_DENSE) continue;
        for (; *texts; texts++)
            if (strlen(*texts) == a->n && memcmp(*texts, a->s, a->n) == 0) return true;
    }
    return false;
}

static const char *const hlo_recognize_zero[] = {"0.000000e+00", "0", "0.0", NULL};
static const char *const hlo_recognize_nan[] = {"0x7FC00000", "0x7FF8000000000000", "0x7E00", "0x7FC0", NULL};

static bool hlo_recognize_compare(const ch__hlo_region *r, const ch__hlo_value *v, const char *dir,
                                  const ch__hlo_value **x, const ch__hlo_value **y) {
    const ch__hlo_op *op = hlo_recognize_maker(r, v);
    if (!hlo_recognize_is(op, "stablehlo.compare") || op->n_operands != 2 || !hlo_recognize_word(op, dir)) return false;
    *x = op->operands[0];
    *y = op->operands[1];
    return true;
}

// The param whose key v is; *canonical when it is in the canonical form.
static int hlo_recognize_key(const ch__hlo_region *r, const ch__hlo_value *v, bool *canonical) {
    int p = hlo_recognize_param(r, v);
    if (p >= 0) return p;
    const ch__hlo_value *x, *y;
    const ch__hlo_op *nan = hlo_recognize_maker(r, v);
    if (!hlo_recognize_is(nan, "stablehlo.select") || nan->n_operands != 3) return -1;
    if (!hlo_recognize_compare(r, nan->operands[0], "NE", &x, &y) || x != y || (p = hlo_recognize_param(r, x)) < 0)
        return -1;
    if (!hlo_recognize_const(r, nan->operands[1], hlo_recognize_nan)) return -1;
    const ch__hlo_op *zero = hlo_recognize_maker(r, nan->operands[2]);
    if (!hlo_recognize_is(zero, "stablehlo.select") || zero->n_operands != 3) return -1;
    if (!hlo_recognize_compare(r, zero->operands[0], "EQ", &x, &y) || hlo_recognize_param(r, x) != p) return -1;
    if (!hlo_recognize_const(r, y, hlo_recognize_zero) ||
        !hlo_recognize_const(r, zero->operands[1], hlo_recognize_zero))
        return -1;
    if (hlo_recognize_param(r, zero->operands[2]) != p) return -1;
    *canonical = true;
    return p;
}

// compare DIR, key of %a_i, key of %b_i: the operand number i.
static int hlo_recognize_key_compare(const ch__hlo_region *r, const ch__hlo_value *v, const char *dir, bool *total) {
    const ch__hlo_value *x, *y;
    if (!hlo_recognize_compare(r, v, dir, &x, &y)) return -1;
    bool cx = false, cy = false;
    int p = hlo_recognize_key(r, x, &cx), q = hlo_recognize_key(r, y, &cy);
    if (p < 0 || q != p + 1 || p % 2 != 0 || cx != cy) return -1;
    bool by_total = hlo_recognize_word(hlo_recognize_maker(r, v), "TOTALORDER");
    if (by_total && !cx) *total = true; // -0 before +0, and NaN by sign
    return p / 2;
}

bool ch__hlo_region_keys(const ch__hlo_region *r, int n_operands, int *keys, int *n_keys, bool *descending,
                         bool *total) {
    if (r->n_params != 2 * n_operands || r->last->n_operands != 1 || !hlo_recognize_small(r)) return false;
    const ch__hlo_value *v = r->last->operands[0];
    *n_keys = 0;
    *total = *descending = false;
    for (int turn = 0; turn < n_operands; turn++) {
        const ch__hlo_op *op = hlo_recognize_maker(r, v);
        bool more = hlo_recognize_is(op, "stablehlo.or") && op->n_operands == 2;
        const ch__hlo_value *less = more ? op->operands[0] : v;
        int k = hlo_recognize_key_compare(r, less, "LT", total);
        bool down = k < 0;
        if (down) k = hlo_recognize_key_compare(r, less, "GT", total);
        if (k < 0 || (turn && down != *descending)) return false;
        *descending = down;
        keys[(*n_keys)++] = k;
        if (!more) return true;
        const ch__hlo_op *both = hlo_recognize_maker(r, op->operands[1]);
        if (!hlo_recognize_is(both, "stablehlo.and") || both->n_operands != 2) return false;
        if (hlo_recognize_key_compare(r, both->operands[0], "EQ", total) != k) return false;
        v = both->operands[1];
    }
    return false;
}

// ---------------------------------------------------------------- positions

// params: value, index, value, index (reduce has those so far first)
bool ch__hlo_region_arg(const ch__hlo_region *r, ch__kind *kind) {
    if (r->n_params != 4 || r->last->n_operands != 2 || !hlo_recognize_small(r)) return false;
    const ch__hlo_value *a = r->params[0], *i = r->params[1], *b = r->params[2], *k = r->params[3], *x, *y;
    const ch__hlo_op *value = hlo_recognize_maker(r, r->last->operands[0]);
    const ch__hlo_op *index = hlo_recognize_maker(r, r->last->operands[1]);
    if (!hlo_recognize_is(value, "stablehlo.select") || !hlo_recognize_is(index, "stablehlo.select")) return false;
    if (value->n_operands != 3 || value->operands[1] != a || value->operands[2] != b) return false;
    if (index->n_operands != 3 || index->operands[1] != i || index->operands[2] != k) return false;
    const ch__hlo_op *wins = hlo_recognize_maker(r, value->operands[0]);
    if (!hlo_recognize_is(wins, "stablehlo.or") || wins->n_operands != 2) return false;
    bool greater = hlo_recognize_compare(r, wins->operands[0], "GT", &x, &y);
    if (!greater && !hlo_recognize_compare(r, wins->operands[0], "LT", &x, &y)) return false;
    if (x != a || y != b) return false;
    if (!hlo_recognize_compare(r, wins->operands[1], "NE", &x, &y) || x != a || y != a) return false;
    const ch__hlo_op *either = hlo_recognize_maker(r, index->operands[0]);
    if (!hlo_recognize_is(either, "stablehlo.or") || either->n_operands != 2) return false;
    if (either->operands[0] != value->operands[0]) return false;
    const ch__hlo_op *first = hlo_recognize_maker(r, either->operands[1]);
    if (!hlo_recognize_is(first, "stablehlo.and") || first->n_operands != 2) return false;
    if (!hlo_recognize_compare(r, first->operands[0], "EQ", &x, &y) || x != a || y != b) return false;
    if (!hlo_recognize_compare(r, first->operands[1], "LT", &x, &y) || x != i || y != k) return false;
    *kind = greater ? CH__MAX : CH__MIN;
    return true;
}
