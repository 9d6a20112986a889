// SPDX-License-Identifier: Apache-2.0
// half.c - 16-bit and 8-bit floats: f16 (IEEE 754 binary16), bf16, f8e4m3fn and f8e5m2 (OCP 8-bit floating point).
//
// Every conversion rounds once, half to even, whatever the rounding mode of the thread: only integers are used. NaN
// stays NaN, keeps its sign and the head of its payload, and is made quiet. Overflow gives infinity; f8e4m3 has none
// and gives NaN, as in the OCP specification without saturation.
#include "base/base.h"

#include <string.h>

static uint32_t half_bits32(float v) {
    uint32_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static float half_float(uint32_t b) {
    float v;
    memcpy(&v, &b, sizeof v);
    return v;
}

// Narrows the magnitude of an f64 to `mbits` mantissa bits with exponent bias `bias`. Gives the bits without sign; what
// is past `largest` gives `over`.
static uint32_t half_narrow(uint64_t magnitude, int mbits, int bias, uint32_t largest, uint32_t over) {
    if (magnitude == 0) return 0;
    int e = (int)(magnitude >> 52) - 1023; // f64 subnormals are far below every target
    uint64_t m = (magnitude & 0xfffffffffffff) | (uint64_t)1 << 52;
    int lowest = 1 - bias; // exponent of the smallest normal number
    int drop = 52 - mbits + (e < lowest ? lowest - e : 0);
    if (drop > 54) return 0;
    uint64_t kept = m >> drop, rest = m & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1);
    if (rest > half || (rest == half && (kept & 1))) kept++;
    // The hidden bit of a normal number, and a carry, add to the exponent field.
    int64_t bits = (int64_t)kept + (e < lowest ? 0 : (int64_t)(e - lowest) << mbits);
    return bits > (int64_t)largest ? over : (uint32_t)bits;
}

static uint64_t half_bits64(double v) {
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static bool half_is_nan(uint64_t bits64) { return (bits64 & 0x7fffffffffffffff) > 0x7ff0000000000000; }

uint16_t ch__f64_to_f16(double v) {
    uint64_t b = half_bits64(v);
    uint16_t sign = (uint16_t)(b >> 48 & 0x8000);
    if (half_is_nan(b)) return (uint16_t)(sign | 0x7e00 | (b >> 42 & 0x1ff));
    return (uint16_t)(sign | half_narrow(b & 0x7fffffffffffffff, 10, 15, 0x7bff, 0x7c00));
}

uint16_t ch__f64_to_bf16(double v) {
    uint64_t b = half_bits64(v);
    uint16_t sign = (uint16_t)(b >> 48 & 0x8000);
    if (half_is_nan(b)) return (uint16_t)(sign | 0x7fc0 | (b >> 45 & 0x3f));
    return (uint16_t)(sign | half_narrow(b & 0x7fffffffffffffff, 7, 127, 0x7f7f, 0x7f80));
}

uint16_t ch__f32_to_f16(float v) {
    uint32_t b = half_bits32(v), a = b & 0x7fffffff;
    uint16_t sign = (uint16_t)(b >> 16 & 0x8000);
    if (a > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (a >> 13 & 0x1ff));
    if (a >= 0x477ff000) return (uint16_t)(sign | 0x7c00); // 65520 and more round to infinity
    if (a >= 0x38800000) {                                 // normal: rebias, round by adding
        a -= (uint32_t)(127 - 15) << 23;
        return (uint16_t)(sign | (a + 0xfff + (a >> 13 & 1)) >> 13);
    }
    if (a < 0x33000000) return sign; // below 2^-25
    int drop = 126 - (int)(a >> 23); // so that what is kept counts units of 2^-24
    uint32_t m = (a & 0x7fffff) | 0x800000;
    uint32_t kept = m >> drop, rest = m & ((1u << drop) - 1), half = 1u << (drop - 1);
    return (uint16_t)(sign | (kept + (rest > half || (rest == half && (kept & 1)))));
}

float ch__f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;
    if (e == 31) return half_float(sign | 0x7f800000 | (m ? 0x400000 : 0) | m << 13);
    if (e != 0) return half_float(sign | (e + 112) << 23 | m << 13);
    if (m == 0) return half_float(sign);
    int shift = 0;
    for (; !(m & 0x400); m <<= 1) shift++;
    return half_float(sign | (uint32_t)(113 - shift) << 23 | (m & 0x3ff) << 13);
}

uint16_t ch__f32_to_bf16(float v) {
    uint32_t b = half_bits32(v);
    if ((b & 0x7fffffff) > 0x7f800000) return (uint16_t)(b >> 16 | 0x40);
    return (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16); // a carry past the largest gives infinity
}

float ch__bf16_to_f32(uint16_t h) {
    uint32_t b = (uint32_t)h << 16;
    return half_float((b & 0x7fffffff) > 0x7f800000 ? b | 0x400000 : b);
}

float ch__f8e4m3_to_f32(uint8_t v) {
    uint32_t sign = (uint32_t)(v & 0x80) << 24, e = v >> 3 & 15, m = v & 7;
    if ((v & 0x7f) == 0x7f) return half_float(sign | 0x7fc00000);
    if (e != 0) return half_float(sign | (e + 120) << 23 | m << 20);
    float small = (float)m * 0x1p-9f; // exact
    return half_float(sign | half_bits32(small));
}

uint8_t ch__f32_to_f8e4m3(float v) {
    uint64_t b = half_bits64((double)v);
    uint8_t sign = (uint8_t)(b >> 56 & 0x80);
    if (half_is_nan(b)) return (uint8_t)(sign | 0x7f);
    return (uint8_t)(sign | half_narrow(b & 0x7fffffffffffffff, 3, 7, 0x7e, 0x7f));
}

float ch__f8e5m2_to_f32(uint8_t v) { return ch__f16_to_f32((uint16_t)((uint16_t)v << 8)); }

uint8_t ch__f32_to_f8e5m2(float v) {
    uint64_t b = half_bits64((double)v);
    uint8_t sign = (uint8_t)(b >> 56 & 0x80);
    if (half_is_nan(b)) return (uint8_t)(sign | 0x7e | (b >> 50 & 1));
    return (uint8_t)(sign | half_narrow(b & 0x7fffffffffffffff, 2, 15, 0x7b, 0x7c));
}
