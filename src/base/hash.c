// SPDX-License-Identifier: Apache-2.0
// hash.c - a fast hash, SHA-256 (FIPS 180-4) and Threefry-2x32 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011).
//
// The fast hash reads eight bytes at a time, least significant first on every machine, so that a hash may be stored.
// Its mixer is the finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits with full avalanche.
#include "base/base.h"

#include <string.h>

uint64_t ch__hash_u64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash_load(const unsigned char *p, size_t n) {
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static uint64_t hash_round(uint64_t h, uint64_t word) {
    h ^= word * 0x9e3779b97f4a7c15u;
    h = (h << 29) | (h >> 35);
    return h * 0xbf58476d1ce4e5b9u;
}

uint64_t ch__hash_bytes(const void *p, size_t n, uint64_t seed) {
    const unsigned char *s = p;
    uint64_t h = ch__hash_u64(seed ^ (uint64_t)n);
    size_t left = n;
    for (; left >= 8; left -= 8, s += 8) h = hash_round(h, hash_load(s, 8));
    if (left > 0) h = hash_round(h, hash_load(s, left));
    return ch__hash_u64(h);
}

uint64_t ch__hash_str(const char *s) { return ch__hash_bytes(s, strlen(s), 0); }

static const uint32_t sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t sha_rotr(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

// One round. The eight words move on by one place each time: eight rounds that name them in turn move none.
#define SHA_ROUND(J, A, B, C, D, E, F, G, H)                                                                           \
    do {                                                                                                               \
        uint32_t t = a[H] + (sha_rotr(a[E], 6) ^ sha_rotr(a[E], 11) ^ sha_rotr(a[E], 25)) +                            \
                     (a[G] ^ (a[E] & (a[F] ^ a[G]))) + sha_k[i + (J)] + w[J];                                          \
        a[D] += t;                                                                                                     \
        a[H] = t + (sha_rotr(a[A], 2) ^ sha_rotr(a[A], 13) ^ sha_rotr(a[A], 22)) +                                     \
               ((a[A] & a[B]) | (a[C] & (a[A] | a[B])));                                                               \
    } while (0)
#define SHA_EIGHT(J)                                                                                                   \
    do {                                                                                                               \
        SHA_ROUND((J) + 0, 0, 1, 2, 3, 4, 5, 6, 7);                                                                    \
        SHA_ROUND((J) + 1, 7, 0, 1, 2, 3, 4, 5, 6);                                                                    \
        SHA_ROUND((J) + 2, 6, 7, 0, 1, 2, 3, 4, 5);                                                                    \
        SHA_ROUND((J) + 3, 5, 6, 7, 0, 1, 2, 3, 4);                                                                    \
        SHA_ROUND((J) + 4, 4, 5, 6, 7, 0, 1, 2, 3);                                                                    \
        SHA_ROUND((J) + 5, 3, 4, 5, 6, 7, 0, 1, 2);                                                                    \
        SHA_ROUND((J) + 6, 2, 3, 4, 5, 6, 7, 0, 1);                                                                    \
        SHA_ROUND((J) + 7, 1, 2, 3, 4, 5, 6, 7, 0);                                                                    \
    } while (0)

static void sha_block(uint32_t h[8], const unsigned char *p) {
    uint32_t w[16], a[8]; // of the message's schedule the last sixteen words
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    memcpy(a, h, sizeof a);
    for (int i = 0; i < 64; i += 16) {
        SHA_EIGHT(0);
        SHA_EIGHT(8);
        for (int j = 0; j < 16 && i < 48; j++) {
            uint32_t x = w[(j + 1) & 15], y = w[(j + 14) & 15];
            w[j] += (sha_rotr(x, 7) ^ sha_rotr(x, 18) ^ (x >> 3)) + w[(j + 9) & 15] +
                    (sha_rotr(y, 17) ^ sha_rotr(y, 19) ^ (y >> 10));
        }
    }
    for (int i = 0; i < 8; i++) h[i] += a[i];
}

static void sha_blocks_plain(uint32_t h[8], const unsigned char *p, size_t n) {
    for (; n > 0; n--, p += 64) sha_block(h, p);
}

// Processors of x86 have instructions for it, four to seven times as fast: two rounds each, on the words a b e f and
// c d g h. Words 16 and on of the schedule are made of the four vectors before (Gulley and others, "Intel SHA
// extensions", 2013).
#ifdef CH_SHA_NI
#include <immintrin.h>

#define SHA_FOUR(I)                                                                                                    \
    do {                                                                                                               \
        __m128i t = _mm_add_epi32(m[(I)&3], _mm_loadu_si128((const __m128i *)(const void *)&sha_k[4 * (I)]));          \
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, t);                                                                   \
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(t, 0x0e));                                          \
        if ((I) >= 12) break;                                                                                          \
        t = _mm_alignr_epi8(m[((I) + 3) & 3], m[((I) + 2) & 3], 4);                                                    \
        t = _mm_add_epi32(_mm_sha256msg1_epu32(m[(I)&3], m[((I) + 1) & 3]), t);                                        \
        m[(I)&3] = _mm_sha256msg2_epu32(t, m[((I) + 3) & 3]);                                                          \
    } while (0)

CH_SHA_NI static void sha_blocks_ni(uint32_t h[8], const unsigned char *p, size_t n) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)h), 0xb1), m[4];
    __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(h + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    for (; n > 0; n--, p += 64) {
        __m128i abef_before = abef, cdgh_before = cdgh;
        for (int i = 0; i < 4; i++)
            m[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), order);
        SHA_FOUR(0);
        SHA_FOUR(1);
        SHA_FOUR(2);
        SHA_FOUR(3);
        SHA_FOUR(4);
        SHA_FOUR(5);
        SHA_FOUR(6);
        SHA_FOUR(7);
        SHA_FOUR(8);
        SHA_FOUR(9);
        SHA_FOUR(10);
        SHA_FOUR(11);
        SHA_FOUR(12);
        SHA_FOUR(13);
        SHA_FOUR(14);
        SHA_FOUR(15);
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static void sha_blocks(uint32_t h[8], const unsigned char *p, size_t n) {
    if (ch__cpu_has_sha())
        sha_blocks_ni(h, p, n);
    else
        sha_blocks_plain(h, p, n);
}
#else
static void sha_blocks(uint32_t h[8], const unsigned char *p, size_t n) { sha_blocks_plain(h, p, n); }
#endif

static ch__sha256 sha_whole(void (*blocks)(uint32_t[8], const unsigned char *, size_t), const void *p, size_t n) {
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const unsigned char *s = p;
    size_t left = n % 64;
    blocks(h, s, n / 64);
    unsigned char tail[128] = {0};
    if (left > 0) memcpy(tail, s + (n - left), left);
    tail[left] = 0x80;
    size_t end = left < 56 ? 64 : 128;
    for (int i = 0; i < 8; i++) tail[end - 1 - (size_t)i] = (unsigned char)((uint64_t)n * 8 >> (8 * i));
    blocks(h, tail, end / 64);
    ch__sha256 out;
    for (int i = 0; i < 32; i++) out.b[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
    return out;
}

ch__sha256 ch__sha256_of(const void *p, size_t n) { return sha_whole(sha_blocks, p, n); }

ch__sha256 ch__sha256_plain(const void *p, size_t n) { return sha_whole(sha_blocks_plain, p, n); }

void ch__threefry2x32(const uint32_t key[2], const uint32_t ctr[2], uint32_t out[2]) {
    static const int rotation[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    uint32_t k[3] = {key[0], key[1], 0x1bd11bda ^ key[0] ^ key[1]};
    uint32_t x0 = ctr[0] + k[0], x1 = ctr[1] + k[1];
    for (int i = 0; i < 20; i++) {
        int r = rotation[i % 8];
        x0 += x1;
        x1 = ((x1 << r) | (x1 >> (32 - r))) ^ x0;
        if (i % 4 == 3) { // a key is added after every fourth round
            int j = i / 4 + 1;
            x0 += k[j % 3];
            x1 += k[(j + 1) % 3] + (uint32_t)j;
        }
    }
    out[0] = x0;
    out[1] = x1;
}
