// SPDX-License-Identifier: Apache-2.0
// safetensors.c - what reader and writer share: the format's names of dtypes.
// Source: https://github.com/huggingface/safetensors (README, "Format"; safetensors/src/tensor.rs, Dtype)
#include "io/io.h"

static const struct {
    const char *name;
    ch_dtype dtype;
} safetensors_names[] = {
    {"BOOL", CH_BOOL}, {"U8", CH_U8},   {"I8", CH_I8},   {"F8_E5M2", CH_F8E5M2}, {"F8_E4M3", CH_F8E4M3},
    {"I16", CH_I16},   {"U16", CH_U16}, {"F16", CH_F16}, {"BF16", CH_BF16},      {"I32", CH_I32},
    {"U32", CH_U32},   {"F32", CH_F32}, {"F64", CH_F64}, {"I64", CH_I64},        {"U64", CH_U64},
};
enum { SAFETENSORS_NAMES = sizeof safetensors_names / sizeof *safetensors_names };

const char ch__safetensors_dtypes[] = "BOOL U8 I8 F8_E5M2 F8_E4M3 I16 U16 F16 BF16 I32 U32 F32 F64 I64 U64";

int ch__safetensors_dtype(const char *name) {
    for (int i = 0; i < SAFETENSORS_NAMES; i++)
        if (ch__streq(name, safetensors_names[i].name)) return safetensors_names[i].dtype;
    return 0;
}

const char *ch__safetensors_dtype_name(ch_dtype dtype) {
    for (int i = 0; i < SAFETENSORS_NAMES; i++)
        if (safetensors_names[i].dtype == dtype) return safetensors_names[i].name;
    return NULL;
}
