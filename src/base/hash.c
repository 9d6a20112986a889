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

static uint32_t sha_rotr(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

static void sha_block(uint32_t h[8], const unsigned char *p) {
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    };
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = sha_rotr(w[i - 15], 7) ^ sha_rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = sha_rotr(w[i - 2], 17) ^ sha_rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a[8];
    memcpy(a, h, sizeof a);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = sha_rotr(a[4], 6) ^ sha_rotr(a[4], 11) ^ sha_rotr(a[4], 25);
        uint32_t t1 = a[7] + s1 + ((a[4] & a[5]) ^ (~a[4] & a[6])) + k[i] + w[i];
        uint32_t s0 = sha_rotr(a[0], 2) ^ sha_rotr(a[0], 13) ^ sha_rotr(a[0], 22);
        uint32_t t2 = s0 + ((a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]));
        memmove(a + 1, a, 7 * sizeof *a);
        a[4] += t1;
        a[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) h[i] += a[i];
}

ch__sha256 ch__sha256_of(const void *p, size_t n) {
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const unsigned char *s = p;
    size_t left = n;
    for (; left >= 64; left -= 64, s += 64) sha_block(h, s);
    unsigned char tail[128] = {0};
    if (left > 0) memcpy(tail, s, left);
    tail[left] = 0x80;
    size_t end = left < 56 ? 64 : 128;
    for (int i = 0; i < 8; i++) tail[end - 1 - (size_t)i] = (unsigned char)((uint64_t)n * 8 >> (8 * i));
    for (size_t at = 0; at < end; at += 64) sha_block(h, tail + at);
    ch__sha256 out;
    for (int i = 0; i < 32; i++) out.b[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
    return out;
}

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
