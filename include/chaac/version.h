// SPDX-License-Identifier: Apache-2.0
// version.h - the version of the library, and the macros every header uses.
//
// ```c
// #include <chaac/version.h>
// #include <string.h>
// int main(void) {
//     return strcmp(ch_version(), CHAAC_VERSION) == 0 ? 0 : 1; // the library that runs is the one compiled against
// }
// ```
#ifndef CHAAC_VERSION_H
#define CHAAC_VERSION_H

#define CHAAC_VERSION_MAJOR 0
#define CHAAC_VERSION_MINOR 1
#define CHAAC_VERSION_PATCH 0
#define CHAAC_VERSION "0.1.0"

#if defined(__GNUC__)
#define CH_API __attribute__((visibility("default")))
#define CH_MUST_USE __attribute__((warn_unused_result))
#else
#define CH_API
#define CH_MUST_USE
#endif

// Functions so marked may change or go in any release (docs/compatibility.md).
#define CH_EXPERIMENTAL

#ifdef __cplusplus
extern "C" {
#endif

// The version the running library was built as, "0.1.0".
CH_API const char *ch_version(void);

#ifdef __cplusplus
}
#endif
#endif
