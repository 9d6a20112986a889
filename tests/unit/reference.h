// SPDX-License-Identifier: Apache-2.0
// reference.h - reference numbers from files of lines, "a key of words: numbers" (tests/data/make_reference.py).
#ifndef CHAAC_TESTS_REFERENCE_H
#define CHAAC_TESTS_REFERENCE_H

#include <stdio.h>

#include "base/base.h"

// The file whole, to be freed with ch__free.
static inline char *reference_read(const char *path) {
    char *text = NULL;
    size_t n = 0;
    if (ch__file_read(path, 0, &text, &n) != CH_OK) fail_msg("%s", ch_error_message());
    char *copy = ch__alloc(n + 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    copy[n] = '\0';
    ch__free(text);
    return copy;
}

// The numbers of a key, at most `most` of them; gives how many. -1: no such key.
static inline int reference_find(const char *text, const char *key, double *out, int most) {
    size_t k = strlen(key);
    for (const char *p = text; p != NULL && *p != '\0'; p = strchr(p, '\n'), p = p == NULL ? NULL : p + 1) {
        if (strncmp(p, key, k) != 0 || p[k] != ':') continue;
        const char *end = strchr(p, '\n');
        int n = 0;
        for (p += k + 1; p < end && n < most;) {
            while (p < end && *p == ' ') p++;
            const char *next = ch__parse_f64(p, end, &out[n]);
            if (next == NULL || next == p) break;
            p = next;
            n++;
        }
        return n;
    }
    return -1;
}

static inline void reference_numbers(const char *text, const char *key, double *out, int n) {
    int got = reference_find(text, key, out, n);
    if (got != n) fail_msg("reference numbers \"%s\": %d of %d", key, got, n);
}

// The formula that the reference scripts make weights and orders from: splitmix64's finaliser of seed << 32 | i.
static inline uint64_t reference_mix(uint64_t seed, uint64_t i) {
    uint64_t z = (seed << 32 | i) + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}
// In [-bound, bound), rounded to f32.
static inline float reference_uniform(uint64_t seed, int64_t i, double bound) {
    int64_t k = (int64_t)(reference_mix(seed, (uint64_t)i) >> 40) - 8388608;
    return (float)((double)k / 8388608.0 * bound);
}

#endif
