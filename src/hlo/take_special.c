// SPDX-License-Identifier: Apache-2.0
// hlo/take_special.c - StableHLO to IR: random bits, and functions the IR has no operation for.
//
// rng_bit_generator gives XLA's bits. THREE_FRY: word c of threefry2x32(key, counter + k) for the two halves of a
// dimension that is even, or is rounded up; elements of 64 bits take both words. PHILOX: Philox4x32, 10 rounds (Salmon
// et al. 2011), four words a block; with a state of two words the key is the upper half of the counter. Narrow elements
// are the low bits of words.
//
// erf_inv: M. Giles, Approximating the erfinv function, GPU Computing Gems 2, 2012; in w = -log(1 - x^2).
// bessel_i1e: Chebyshev series of e^-x I1(x)/x on [0,8] and of sqrt(x) e^-x I1(x) in 8/x beyond, computed to 40 digits
// for this file.
#include "hlo/hlo.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- random bits

static ch__value *hlo_special_word(ch__hlo_take *t, ch__value *state, int i) {
    ch__dim start[1] = {ch__dim_const(i)}, limit[1] = {ch__dim_const(i + 1)};
    return ch__b_reshape(&t->b, ch__b_slice(&t->b, state, start, limit, NULL), ch__type_scalar(CH_U64));
}

static ch__value *hlo_special_u64(ch__hlo_take *t, uint64_t v) {
    return ch__b_const(&t->b, &(ch__array){.dtype = CH_U64, .data = &v, .splat = true});
}

static ch__value *hlo_special_like(ch__hlo_take *t, const ch__value *x, uint64_t v) {
    return ch__b_broadcast_to(&t->b, hlo_special_u64(t, v), x->type);
}

static ch__value *hlo_special_bits(ch__hlo_take *t, ch__opcode code, ch__value *x, ch__value *y) {
    return ch__b_binary(&t->b, code, x, y);
}

// The words as elements of type `to`, in row-major order: one each, or two each when they are of 64 bits.
static ch__value *hlo_special_elements(ch__hlo_take *t, ch__value *words, const ch__type *to, int64_t n) {
    ch__arena *a = t->module->arena;
    int64_t count = ch_dtype_size(to->dtype) == 8 ? 2 * n : n;
    ch__dim start[1] = {ch__dim_const(0)}, limit[1] = {ch__dim_const(count)};
    ch__value *v = ch__b_slice(&t->b, words, start, limit, NULL);
    if (ch_dtype_size(to->dtype) == 8) {
        int64_t pairs[2] = {n, 2}, last[1] = {1};
        v = ch__b_convert(&t->b, ch__b_reshape(&t->b, v, ch__hlo_shape(t, CH_U32, 2, pairs)), CH_U64);
        ch__value *shift = ch__b_iota(&t->b, v->type, 1);
        shift = ch__b_mul(&t->b, shift, ch__b_splat_like(&t->b, shift, 32));
        v = ch__b_reduce(&t->b, CH__OR, hlo_special_bits(t, CH_OP_shl, v, shift), 1, last);
    }
    v = ch__b_convert(&t->b, v, ch__int_dtype(ch_dtype_size(to->dtype), false));
    v = ch__b_reshape(&t->b, v, ch__type_with_dtype(a, to, v->type->dtype));
    return ch__hlo_build1(t, CH_OP_bitcast, 1, &v, 0, NULL, to);
}

static ch__value *hlo_special_threefry(ch__hlo_take *t, ch__value *state, ch__value *counter, int64_t count) {
    int64_t dims[1] = {count};
    ch__value *key = hlo_special_word(t, state, 0);
    int64_t two[1] = {2};
    ch__value *halves = ch__b_broadcast_to(&t->b, key, ch__hlo_shape(t, CH_U64, 1, two));
    ch__value *shift = ch__b_iota(&t->b, halves->type, 0);
    shift = ch__b_mul(&t->b, shift, ch__b_splat_like(&t->b, shift, 32));
    halves = ch__b_convert(&t->b, hlo_special_bits(t, CH_OP_shr, halves, shift), CH_U32);
    return ch__hlo_build1(t, CH_OP_rng_bits, 2, (ch__value *[]){halves, counter}, 0, NULL,
                          ch__hlo_shape(t, CH_U32, 1, dims));
}

// An element of 8, 16 or 32 bits: the dimension that is split (the first even one, else the largest) holds word 0 and 1
// of each counter side by side. Gives the counters used.
static int64_t hlo_special_fry_narrow(ch__hlo_take *t, ch__value *state, ch__value *counter, const ch__type *to,
                                      ch__value **out) {
    int64_t half[CH__MAX_RANK + 1] = {1}, joint[CH__MAX_RANK] = {0}, perm[CH__MAX_RANK + 1], n = 1;
    int split = -1, rank = to->rank ? to->rank : 1, k = 0;
    if (rank == CH__MAX_RANK) ch__hlo_fail(t, CH__E_rank, "more than %d dimensions", CH__MAX_RANK - 1);
    for (int i = 0; i < rank; i++) joint[i] = to->rank ? to->dims[i].val : 1;
    for (int i = 0; i < rank && split < 0; i++)
        if (joint[i] % 2 == 0) split = i;
    for (int i = 0; i < rank && (split < 0 || joint[split] % 2); i++)
        if (split < 0 || joint[i] > joint[split]) split = i;
    ch__dim start[CH__MAX_RANK], limit[CH__MAX_RANK];
    for (int i = 0; i < rank; i++) {
        start[i] = ch__dim_const(0);
        limit[i] = ch__dim_const(joint[i]);
        half[i] = i == split ? (joint[i] + 1) / 2 : joint[i];
        n *= half[i];
        perm[k++] = i;
        if (i == split) perm[k++] = rank;
    }
    joint[split] = 2 * half[split];
    half[rank] = 2;
    ch__value *v = hlo_special_threefry(t, state, counter, 2 * n);
    v = ch__b_reshape(&t->b, v, ch__hlo_shape(t, CH_U32, rank + 1, half));
    v = ch__b_transpose(&t->b, v, perm);
    v = ch__b_reshape(&t->b, v, ch__hlo_shape(t, CH_U32, rank, joint));
    v = ch__b_slice(&t->b, v, start, limit, NULL);
    int64_t flat[1] = {1};
    for (int i = 0; i < to->rank; i++) flat[0] *= to->dims[i].val;
    *out = hlo_special_elements(t, ch__b_reshape(&t->b, v, ch__hlo_shape(t, CH_U32, 1, flat)), to, flat[0]);
    return n;
}

// The high and the low half of 32 bits of a product of two numbers of 32 bits, all kept in 64.
static void hlo_special_mulhilo(ch__hlo_take *t, uint64_t m, ch__value *x, ch__value **hi, ch__value **lo) {
    ch__value *p = ch__b_mul(&t->b, x, hlo_special_like(t, x, m));
    *hi = hlo_special_bits(t, CH_OP_shr, p, hlo_special_like(t, x, 32));
    *lo = hlo_special_bits(t, CH_OP_and, p, hlo_special_like(t, x, 0xffffffff));
}

// n blocks of four words; *carry is 1 where a counter has gone past 64 bits.
static ch__value *hlo_special_philox(ch__hlo_take *t, ch__value *state, int64_t n, ch__value *low, ch__value *high) {
    static const uint64_t m[2] = {0xD2511F53, 0xCD9E8D57}, weyl[2] = {0x9E3779B9, 0xBB67AE85};
    int64_t dims[2] = {n, 1};
    const ch__type *row = ch__hlo_shape(t, CH_U64, 1, dims);
    ch__value *from = ch__b_broadcast_to(&t->b, low, row), *c = ch__b_add(&t->b, from, ch__b_iota(&t->b, row, 0));
    ch__value *carry = ch__b_convert(&t->b, ch__b_compare(&t->b, CH__LT, c, from), CH_U64);
    ch__value *h = ch__b_add(&t->b, ch__b_broadcast_to(&t->b, high, row), carry);
    ch__value *mask = hlo_special_like(t, c, 0xffffffff), *by32 = hlo_special_like(t, c, 32);
    ch__value *x[4], *key[2], *k64 = ch__b_broadcast_to(&t->b, hlo_special_word(t, state, 0), row);
    x[0] = hlo_special_bits(t, CH_OP_and, c, mask);
    x[1] = hlo_special_bits(t, CH_OP_shr, c, by32);
    x[2] = hlo_special_bits(t, CH_OP_and, h, mask);
    x[3] = hlo_special_bits(t, CH_OP_shr, h, by32);
    key[0] = hlo_special_bits(t, CH_OP_and, k64, mask);
    key[1] = hlo_special_bits(t, CH_OP_shr, k64, by32);
    for (int i = 0; i < 10; i++) {
        ch__value *hi[2], *lo[2];
        for (int s = 0; s < 2; s++) hlo_special_mulhilo(t, m[s], x[2 * s], &hi[s], &lo[s]);
        ch__value *y0 = hlo_special_bits(t, CH_OP_xor, hlo_special_bits(t, CH_OP_xor, hi[1], x[1]), key[0]);
        ch__value *y2 = hlo_special_bits(t, CH_OP_xor, hlo_special_bits(t, CH_OP_xor, hi[0], x[3]), key[1]);
        x[0] = y0;
        x[1] = lo[1];
        x[2] = y2;
        x[3] = lo[0];
        for (int s = 0; s < 2; s++)
            key[s] =
                hlo_special_bits(t, CH_OP_and, ch__b_add(&t->b, key[s], hlo_special_like(t, key[s], weyl[s])), mask);
    }
    for (int i = 0; i < 4; i++) x[i] = ch__b_reshape(&t->b, x[i], ch__hlo_shape(t, CH_U64, 2, dims));
    int64_t flat[1] = {4 * n};
    ch__value *all = ch__b_reshape(&t->b, ch__b_concat(&t->b, 4, x, 1), ch__hlo_shape(t, CH_U64, 1, flat));
    return ch__b_convert(&t->b, all, CH_U32);
}

static ch__value *hlo_special_state(ch__hlo_take *t, ch__value *state, ch__value *low, ch__value *high) {
    int n = (int)ch__hlo_dim(state, 0);
    int64_t one[1] = {1};
    ch__value *parts[3] = {hlo_special_word(t, state, 0), low, high};
    for (int i = 0; i < n; i++) parts[i] = ch__b_reshape(&t->b, parts[i], ch__hlo_shape(t, CH_U64, 1, one));
    return ch__b_concat(&t->b, n, parts, 0);
}

void ch__hlo_take_rng_bits(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    const ch__hlo_attr *algorithm = ch__hlo_attr_of(t, "algorithm");
    if (!algorithm) algorithm = ch__hlo_attr_of(t, "rng_algorithm");
    bool fry = ch__hlo_is_attr_word(algorithm, "THREE_FRY");
    ch__value *state = ch__hlo_in(t, 0);
    const ch__type *to = ch__hlo_result_type(t, 1);
    int64_t words = state->type->rank == 1 ? ch__hlo_dim(state, 0) : 0, n = 1;
    if (state->type->dtype != CH_U64 || !(words == 2 || (words == 3 && !fry)))
        ch__hlo_fail(t, CH__E_shape_mismatch, "its state is %s — tensor<2xui64>%s", t->op->operands[0]->type->text,
                     fry ? "" : " or tensor<3xui64>");
    if (!ch__is_int(to->dtype))
        ch__hlo_fail(t, CH__E_dtype_mismatch, "it makes bits of %s — of an integer type", ch_dtype_name(to->dtype));
    for (int i = 0; i < to->rank; i++) n *= to->dims[i].val;
    if (n > INT64_MAX / 8) ch__hlo_fail(t, CH__E_dim_overflow, "%lld elements are too many", (long long)n);
    ch__value *low = hlo_special_word(t, state, 1), *out, *high = words == 3 ? hlo_special_word(t, state, 2) : NULL;
    int64_t used;
    if (fry && ch_dtype_size(to->dtype) == 8) {
        used = n;
        out = hlo_special_elements(t, hlo_special_threefry(t, state, low, 2 * n), to, n);
    } else if (fry) {
        used = hlo_special_fry_narrow(t, state, low, to, &out);
    } else {
        used = ((ch_dtype_size(to->dtype) == 8 ? 2 * n : n) + 3) / 4;
        ch__value *upper = high ? high : hlo_special_word(t, state, 0);
        out = hlo_special_elements(t, hlo_special_philox(t, state, used, low, upper), to, n);
    }
    ch__value *next = ch__b_add(&t->b, low, hlo_special_u64(t, (uint64_t)used));
    if (high) high = ch__b_add(&t->b, high, ch__b_convert(&t->b, ch__b_compare(&t->b, CH__LT, next, low), CH_U64));
    ch__hlo_out(t, 0, hlo_special_state(t, state, next, high));
    ch__hlo_out(t, 1, out);
}

// ---------------------------------------------------------------- polynomials

// c[0] x^(n-1) + ... + c[n-1]
static ch__value *hlo_special_horner(ch__hlo_take *t, ch__value *x, const double *c, int n) {
    ch__value *p = ch__b_splat_like(&t->b, x, c[0]);
    for (int i = 1; i < n; i++) p = ch__b_add(&t->b, ch__b_mul(&t->b, p, x), ch__b_splat_like(&t->b, x, c[i]));
    return p;
}

// c[0]/2 + c[1] T1(x) + ..., by Clenshaw's recurrence
static ch__value *hlo_special_chebyshev(ch__hlo_take *t, ch__value *x, const double *c, int n) {
    ch__value *two = ch__b_add(&t->b, x, x), *b1 = ch__b_splat_like(&t->b, x, c[n - 1]), *b2 = NULL;
    for (int i = n - 2; i >= 0; i--) {
        ch__value *b = i ? ch__b_mul(&t->b, two, b1) : ch__b_mul(&t->b, x, b1);
        if (b2) b = ch__b_sub(&t->b, b, b2);
        b = ch__b_add(&t->b, b, ch__b_splat_like(&t->b, x, i ? c[i] : c[i] / 2));
        b2 = b1;
        b1 = b;
    }
    return b1;
}

static const double hlo_special_inv32[2][9] = {{2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
                                                0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941},
                                               {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
                                                0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682}};
static const double hlo_special_inv64_low[] = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
    -1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
    -8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
    -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
    -0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
static const double hlo_special_inv64_mid[] = {
    2.2137376921775787049e-09,  9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
    1.5027403968909827627e-06,  -4.013867526981545969e-06, 2.9234449089955446044e-06,  1.2475304481671778723e-05,
    -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,  -0.0003550375203628474796,
    0.00095328937973738049703,  -0.0016882755560235047313, 0.0024914420961078508066,   -0.0037512085075692412107,
    0.005370914553590063617,    1.0052589676941592334,     3.0838856104922207635};
static const double hlo_special_inv64_high[] = {
    -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,  -3.7894654401267369937e-09,
    7.6157012080783393804e-09,  -1.4960026627149240478e-08, 2.9147953450901080826e-08,  -6.7711997758452339498e-08,
    2.2900482228026654717e-07,  -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
    7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
    4.8499064014085844221};

static ch__value *hlo_special_less(ch__hlo_take *t, ch__value *x, double v) {
    return ch__b_compare(&t->b, CH__LT, x, ch__b_splat_like(&t->b, x, v));
}

static ch__value *hlo_special_minus(ch__hlo_take *t, ch__value *x, double v) {
    return ch__b_sub(&t->b, x, ch__b_splat_like(&t->b, x, v));
}

void ch__hlo_take_erf_inv(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *given = ch__hlo_in(t, 0), *x = given;
    if (x->type->dtype != CH_F64) x = ch__b_convert(&t->b, x, CH_F32);
    ch__value *square = ch__b_mul(&t->b, x, x);
    ch__value *w = ch__b_neg(&t->b, ch__b_unary(&t->b, CH_OP_log1p, ch__b_neg(&t->b, square)));
    ch__value *root = ch__b_unary(&t->b, CH_OP_sqrt, w), *p;
    if (x->type->dtype == CH_F64) {
        ch__value *low = hlo_special_horner(t, hlo_special_minus(t, w, 3.125), hlo_special_inv64_low, 23);
        ch__value *mid = hlo_special_horner(t, hlo_special_minus(t, root, 3.25), hlo_special_inv64_mid, 19);
        ch__value *high = hlo_special_horner(t, hlo_special_minus(t, root, 5), hlo_special_inv64_high, 17);
        p = ch__b_select(&t->b, hlo_special_less(t, w, 16), mid, high);
        p = ch__b_select(&t->b, hlo_special_less(t, w, 6.25), low, p);
    } else {
        ch__value *low = hlo_special_horner(t, hlo_special_minus(t, w, 2.5), hlo_special_inv32[0], 9);
        ch__value *high = hlo_special_horner(t, hlo_special_minus(t, root, 3), hlo_special_inv32[1], 9);
        p = ch__b_select(&t->b, hlo_special_less(t, w, 5), low, high);
    }
    ch__value *end = ch__b_compare(&t->b, CH__EQ, ch__b_unary(&t->b, CH_OP_abs, x), ch__b_splat_like(&t->b, x, 1));
    ch__value *inf = ch__b_mul(&t->b, x, ch__b_splat_like(&t->b, x, (double)INFINITY));
    ch__value *v = ch__b_select(&t->b, end, inf, ch__b_mul(&t->b, p, x));
    ch__hlo_out(t, 0, ch__b_convert(&t->b, v, given->type->dtype));
}

static const double hlo_special_i1e_low[] = {
    0.25258718644363365482,    -0.17641651835783405515,    0.10264365868984709538,     -0.052945981208094991427,
    0.024726449030626516828,   -0.010564084894626198156,   0.0041564229443128881567,   -0.001513572450631253149,
    0.0005122859561685757729,  -0.00016176081582589674559, 0.000047815651075500542264, -0.000013273163656039435828,
    3.4702513081376784767e-6,  -8.5687202646954547407e-7,  2.0032947535521352623e-7,   -4.4450591287963280807e-8,
    9.3815373864957717839e-9,  -1.8872497517228292879e-9,  3.625590281552117037e-10,   -6.6634897235020277422e-11,
    1.1736186298890901631e-11, -1.9839743977649437152e-12, 3.2237933659455747098e-13,  -5.0421855047279116871e-14,
    7.6006842947354069341e-15, -1.105596947735386308e-15,  1.5536319577362004689e-16,  -2.1114212143581660782e-17,
    2.7779141127610463705e-18, -3.5415817725421362052e-19};
static const double hlo_special_i1e_high[] = {
    0.77857623501828012047,     -0.0097610974913614684078,  -0.00011058893876262371629, -3.8825648088776903935e-6,
    -2.5122362378702089253e-7,  -2.6314688468895195068e-8,  -3.835380385964237022e-9,   -5.5897434621965838069e-10,
    -1.8974958123505412345e-11, 3.2526035830154882386e-11,  1.4125807436613781332e-11,  2.0356285441470895072e-12,
    -7.1985517762459085121e-13, -4.0835511110921973182e-13, -2.101541842772664313e-14,  4.2724400167119513543e-14,
    1.0420276984128802764e-14,  -3.8144030724370078048e-15, -1.8803547755107824485e-15, 3.3082023109209282827e-16,
    2.9626289976459501391e-16,  -3.2095259219934239588e-17, -4.6503053684893583256e-17, 4.4143483230717079499e-18,
    7.5172963108421048054e-18,  -9.3141788673268833757e-19};

void ch__hlo_take_bessel_i1e(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *given = ch__hlo_in(t, 0), *x = given;
    if (x->type->dtype != CH_F64) x = ch__b_convert(&t->b, x, CH_F32);
    bool wide = x->type->dtype == CH_F64;
    ch__value *a = ch__b_unary(&t->b, CH_OP_abs, x);
    ch__value *u = hlo_special_minus(t, ch__b_mul(&t->b, a, ch__b_splat_like(&t->b, a, 0.25)), 1);
    ch__value *low = ch__b_mul(&t->b, x, hlo_special_chebyshev(t, u, hlo_special_i1e_low, wide ? 30 : 18));
    ch__value *beyond = ch__b_binary(&t->b, CH_OP_max, a, ch__b_splat_like(&t->b, a, 8));
    u = hlo_special_minus(t, ch__b_div(&t->b, ch__b_splat_like(&t->b, a, 16), beyond), 1);
    ch__value *high = ch__b_div(&t->b, hlo_special_chebyshev(t, u, hlo_special_i1e_high, wide ? 26 : 8),
                                ch__b_unary(&t->b, CH_OP_sqrt, beyond));
    high = ch__b_binary(&t->b, CH_OP_copysign, high, x);
    ch__value *v = ch__b_select(&t->b, hlo_special_less(t, a, 8), low, high);
    ch__hlo_out(t, 0, ch__b_convert(&t->b, v, given->type->dtype));
}
