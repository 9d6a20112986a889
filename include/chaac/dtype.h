// SPDX-License-Identifier: Apache-2.0
// dtype.h - element types.
//
// ```c
// #include <chaac/dtype.h>
// #include <stdio.h>
// int main(void) {
//     printf("%s: %zu bytes\n", ch_dtype_name(CH_BF16), ch_dtype_size(CH_BF16));   // bf16: 2 bytes
//     return 0;
// }
// ```
#ifndef CHAAC_DTYPE_H
#define CHAAC_DTYPE_H

#include "chaac/version.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The numbers are part of the ABI. f8 types are for storage: convert before computing.
typedef enum ch_dtype {
    CH_BOOL = 1,
    CH_I8 = 2,
    CH_I16 = 3,
    CH_I32 = 4,
    CH_I64 = 5,
    CH_U8 = 6,
    CH_U16 = 7,
    CH_U32 = 8,
    CH_U64 = 9,
    CH_F16 = 10,
    CH_BF16 = 11,
    CH_F32 = 12,
    CH_F64 = 13,
    CH_F8E4M3 = 14,
    CH_F8E5M2 = 15,
    CH_C64 = 16,  // reserved, refused by name
    CH_C128 = 17, // reserved, refused by name
    CH_I4 = 18,   // reserved, refused by name
    CH_U4 = 19    // reserved, refused by name
} ch_dtype;

// "f32"; "?" for a number that is none.
CH_API const char *ch_dtype_name(ch_dtype d);
// The dtype of a name such as "bf16"; 0 when there is none of that name.
CH_API int ch_dtype_from_name(const char *name);
// Bytes of one element; 0 for a number that is none and for reserved dtypes.
CH_API size_t ch_dtype_size(ch_dtype d);

#ifdef __cplusplus
}
#endif
#endif
