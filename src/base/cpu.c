// SPDX-License-Identifier: Apache-2.0
// cpu.c - which instructions this processor has, as a number: part of the key of compiled code.
#include "base/base.h"

#include <stdatomic.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

uint64_t ch__cpu_features(void) {
    unsigned r[6] = {0}, a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) r[0] = a, r[1] = c, r[2] = d; // b holds the number of the core: left out
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) r[3] = b, r[4] = c, r[5] = d;
    return ch__hash_bytes(r, sizeof r, 1);
}

// Asked once: under a hypervisor the instruction that says so takes as long as hashing some kilobytes.
bool ch__cpu_has_sha(void) {
    static atomic_int known; // 0: not yet; 1: no; 2: yes
    int now = atomic_load_explicit(&known, memory_order_relaxed);
    if (now == 0) {
        unsigned a, b, c, d;
        bool ssse3_sse41 = __get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 9) && (c & 1u << 19);
        now = ssse3_sse41 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29) ? 2 : 1;
        atomic_store_explicit(&known, now, memory_order_relaxed);
    }
    return now == 2;
}
#elif defined(__linux__)
#include <sys/auxv.h>

uint64_t ch__cpu_features(void) {
    unsigned long r[2] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    return ch__hash_bytes(r, sizeof r, 2);
}

bool ch__cpu_has_sha(void) { return false; }
#else
uint64_t ch__cpu_features(void) { return 0; }

bool ch__cpu_has_sha(void) { return false; }
#endif
