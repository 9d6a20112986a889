// SPDX-License-Identifier: Apache-2.0
// compiler.h - every compiler extension the project uses, each with a plain fallback.
#ifndef CHAAC_BASE_COMPILER_H
#define CHAAC_BASE_COMPILER_H

#if defined(__GNUC__) || defined(__clang__)
#define CH_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define CH_UNREACHABLE() __builtin_unreachable()
#define CH_LIKELY(x) __builtin_expect(!!(x), 1)
#define CH_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CH_COLD __attribute__((cold, noinline))
#define CH_PREFETCH(p) __builtin_prefetch(p)
#define CH_ADD_OVERFLOW(a, b, out) __builtin_add_overflow((a), (b), (out))
#define CH_MUL_OVERFLOW(a, b, out) __builtin_mul_overflow((a), (b), (out))
#else
#define CH_PRINTF(fmt, args)
#define CH_UNREACHABLE() ((void)0)
#define CH_LIKELY(x) (x)
#define CH_UNLIKELY(x) (x)
#define CH_COLD
#define CH_PREFETCH(p) ((void)0)
#endif

// CH_CLONES: the function is compiled once for the baseline and once for AVX2, chosen at load time. No FMA in
// the list: contraction would change bits. Off under sanitizers (ifunc resolvers run before their runtime).
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CH_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CH_CLONES
#endif

// CH_SHA_NI before a function that may use the processor's instructions for SHA-256; defined where there may be some.
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define CH_SHA_NI __attribute__((target("sha,sse4.1")))
#endif

// CH_IMAGE(name) declares a symbol of the linker's in the file that this code lies in; NULL where it defines none.
#if (defined(__GNUC__) || defined(__clang__)) && defined(__ELF__) && defined(__linux__)
#define CH_IMAGE(name) extern const unsigned char name[] __attribute__((weak, visibility("hidden")))
#endif

// AddressSanitizer sees the parts of a block that an arena has not handed out as not accessible.
#if defined(__SANITIZE_ADDRESS__)
#define CH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CH_ASAN 1
#endif
#endif
#if defined(CH_ASAN)
#include <sanitizer/asan_interface.h>
#define CH_POISON(p, n) __asan_poison_memory_region((p), (n))
#define CH_UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define CH_POISON(p, n) ((void)(p), (void)(n))
#define CH_UNPOISON(p, n) ((void)(p), (void)(n))
#endif

// CH_POOL: small blocks are cut from larger ones (pool.c); off where a tool watches every block (./run valgrind too).
#if !defined(CH_POOL)
#if defined(CH_ASAN)
#define CH_POOL 0
#else
#define CH_POOL 1
#endif
#endif

// The floating-point environment that compiled code expects: rounding to nearest, nothing flushed, no traps. On x86-64
// that is one register of SSE, which costs some 10 cycles where fesetenv takes 150.
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
typedef unsigned ch__fp_state;
static inline ch__fp_state ch__fp_default(void) {
    ch__fp_state was = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
    return was;
}
static inline void ch__fp_restore(const ch__fp_state *was) { __builtin_ia32_ldmxcsr(*was); }
#else
#include <fenv.h>
typedef fenv_t ch__fp_state;
static inline ch__fp_state ch__fp_default(void) {
    fenv_t was;
    fegetenv(&was);
    fesetenv(FE_DFL_ENV);
    return was;
}
static inline void ch__fp_restore(const ch__fp_state *was) { fesetenv(was); }
#endif

// CH_IVDEP before a loop: iterations do not depend on each other (an elementwise result may be one of its operands).
#if defined(__GNUC__) && !defined(__clang__) // clang's pragma warns where it has no effect
#define CH_IVDEP _Pragma("GCC ivdep")
#else
#define CH_IVDEP
#endif

// CH_VECTOR(T, n): n numbers of type T worked on at once; only where CH_HAVE_VECTORS is defined.
#if defined(__GNUC__)
#define CH_HAVE_VECTORS 1
#define CH_VECTOR(T, n) __attribute__((vector_size((n) * sizeof(T)))) T
#endif

// CH_TARGET(list): the function is compiled for processors with what the list names, and is called on these only.
#if defined(__GNUC__) && defined(__x86_64__)
#define CH_HAVE_TARGETS 1
#define CH_TARGET(list) __attribute__((target(list)))
#endif

// CH_FUSED on a function and CH_FUSED_BODY as its first line: x y + z is rounded once where the processor can do so.
#if defined(__clang__)
#define CH_FUSED
#define CH_FUSED_BODY _Pragma("clang fp contract(fast)")
#elif defined(__GNUC__)
#define CH_FUSED __attribute__((optimize("fp-contract=fast")))
#define CH_FUSED_BODY
#else
#define CH_FUSED
#define CH_FUSED_BODY
#endif

// CH_UNROLL before a loop of at most 16 turns whose number is known: no loop is left, so that arrays become registers.
#if defined(__clang__)
#define CH_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define CH_UNROLL _Pragma("GCC unroll 16")
#else
#define CH_UNROLL
#endif

// A function that reads what another thread may write meanwhile, on purpose.
#if defined(__SANITIZE_THREAD__) && defined(__GNUC__)
#define CH_NO_TSAN __attribute__((noinline, no_sanitize_thread))
#elif defined(__clang__)
#define CH_NO_TSAN __attribute__((no_sanitize("thread")))
#else
#define CH_NO_TSAN
#endif

#endif
