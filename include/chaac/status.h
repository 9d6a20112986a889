// SPDX-License-Identifier: Apache-2.0
// status.h - how the library reports what went wrong.
//
// A function that can fail returns a ch_status and leaves one sentence, and one stable identifier, on the calling
// thread. Both last until the next failing call on that thread. The library never prints and never exits.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_func *f = NULL;
//     if (ch_func_parse("func @f(", "text", &f) != CH_OK)
//         printf("%s\n", ch_error_id());   // parse
//     return 0;
// }
// ```
#ifndef CHAAC_STATUS_H
#define CHAAC_STATUS_H

#include <stddef.h>

#include "chaac/version.h"

#ifdef __cplusplus
extern "C" {
#endif

// Numbered as in absl::Status and PJRT, so that codes map by identity.
typedef enum ch_status {
    CH_OK = 0,
    CH_CANCELLED = 1,
    CH_UNKNOWN = 2,
    CH_INVALID_ARGUMENT = 3,
    CH_DEADLINE_EXCEEDED = 4,
    CH_NOT_FOUND = 5,
    CH_ALREADY_EXISTS = 6,
    CH_PERMISSION_DENIED = 7,
    CH_RESOURCE_EXHAUSTED = 8,
    CH_FAILED_PRECONDITION = 9,
    CH_ABORTED = 10,
    CH_OUT_OF_RANGE = 11,
    CH_UNIMPLEMENTED = 12,
    CH_INTERNAL = 13,
    CH_UNAVAILABLE = 14,
    CH_DATA_LOSS = 15
} ch_status;

// "INVALID_ARGUMENT"; "?" for a number that is none.
CH_API const char *ch_status_name(ch_status s);
// The sentence of the last failing call on this thread; "" when none failed.
CH_API const char *ch_error_message(void);
// Its identifier, a row of errors.def such as "shape_mismatch"; "" when none failed.
CH_API const char *ch_error_id(void);
// What an identifier means and what to do about it; NULL when there is no such identifier.
CH_API const char *ch_error_explain(const char *id);
// The identifiers one by one, for i = 0, 1, ...; NULL after the last.
CH_API const char *ch_error_id_at(int i);
// Forgets the thread's error.
CH_API void ch_error_clear(void);

// Sets the thread's error, for functions handed to the library that fail for reasons of their own. id is a row of
// errors.def (another is taken as "argument"); gives that row's status, so that `return ch_error_set("argument",
// "...")` reads well.
CH_API ch_status ch_error_set(const char *id, const char *format, ...);

// Zeroed memory through the allocator hook, for code written against the public headers; NULL when there is none.
CH_API void *ch_memory_alloc(size_t bytes);
CH_API void ch_memory_free(void *p); // NULL is fine

// Notices (never errors) go to fn; NULL, the default, drops them. level: 0 debug, 1 info, 2 warning.
CH_API void ch_set_log(void (*fn)(void *user, int level, const char *message), void *user);

// The environment variables the library reads, for i = 0, 1, ...; NULL after the last. The value is NULL when it is
// unset.
CH_API const char *ch_config_name(int i);
CH_API const char *ch_config_value(int i);
CH_API const char *ch_config_default(int i);
CH_API const char *ch_config_what(int i);

// The one allocator hook. Set it before any other call; alloc(user, NULL, 0, n) allocates, (user, p, old, n)
// reallocates, (user, p, old, 0) frees. old is the size asked for before. Memory must be 16-byte aligned.
typedef void *(*ch_allocator)(void *user, void *p, size_t old_bytes, size_t bytes);
CH_API ch_status ch_set_allocator(ch_allocator fn, void *user);

// Returns the status of a failing call from the calling function.
#define CH_TRY(expr)                                                                                                   \
    do {                                                                                                               \
        ch_status ch_try_ = (expr);                                                                                    \
        if (ch_try_ != CH_OK) return ch_try_;                                                                          \
    } while (0)
// Jumps to a label when a call fails; the status is in ch_error_message()'s company, not in a variable.
#define CH_GOTO(expr, label)                                                                                           \
    do {                                                                                                               \
        if ((expr) != CH_OK) goto label;                                                                               \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
