// SPDX-License-Identifier: Apache-2.0
// print.c - tensors as text for people: the type, then nested brackets, long axes shortened.
//
//     f32[2,3]
//     [[1, 2, 3],
//      [4, 5, 6]]

#include "tensor/tensor.h"

enum { ALL_UP_TO = 1000, EDGE = 3 }; // past ALL_UP_TO elements each axis shows its first and last EDGE

static void element(ch__text *out, ch_dtype dtype, const void *data, int64_t i) {
    switch (dtype) {
    case CH_BOOL: ch__put(out, ((const uint8_t *)data)[i] ? "true" : "false"); return;
    case CH_I32: ch__put_i64(out, ((const int32_t *)data)[i]); return;
    case CH_U32: ch__put_u64(out, ((const uint32_t *)data)[i]); return;
    case CH_I64: ch__put_i64(out, ((const int64_t *)data)[i]); return;
    case CH_U64: ch__put_u64(out, ((const uint64_t *)data)[i]); return;
    case CH_F64: ch__put_f64(out, ((const double *)data)[i]); return;
    default: ch__put_f32(out, (float)ch__element_f64(dtype, data, i)); return;
    }
}

// An odometer over the shown indices stands for recursion over axes; rank is at most CH__MAX_RANK.
static void elements(ch__text *out, const ch_tensor *t, const void *data) {
    const ch__type *type = &t->type;
    int rank = type->rank;
    int64_t n = ch_tensor_numel(t), strides[CH__MAX_RANK + 1], at[CH__MAX_RANK] = {0};
    if (rank == 0) {
        element(out, type->dtype, data, 0);
        return;
    }
    for (int i = 0; i < rank; i++) ch__putc(out, '[');
    if (n == 0) {
        for (int i = 0; i < rank; i++) ch__putc(out, ']');
        return;
    }
    strides[rank] = 1;
    for (int i = rank - 1; i >= 0; i--) strides[i] = strides[i + 1] * type->dims[i].val;
    for (;;) {
        int64_t offset = 0;
        for (int i = 0; i < rank; i++) offset += at[i] * strides[i + 1];
        element(out, type->dtype, data, offset);
        int axis = rank - 1;
        while (axis >= 0 && at[axis] + 1 == type->dims[axis].val) at[axis--] = 0;
        for (int i = axis + 1; i < rank; i++) ch__putc(out, ']');
        if (axis < 0) return;
        at[axis]++;
        bool cut = n > ALL_UP_TO && at[axis] == EDGE && type->dims[axis].val > 2 * EDGE;
        if (cut) at[axis] = type->dims[axis].val - EDGE;
        if (axis == rank - 1) {
            ch__put(out, cut ? ", ..., " : ", ");
            continue;
        }
        ch__put(out, ",\n");
        for (int i = 0; cut && i <= axis; i++) ch__putc(out, ' ');
        if (cut) ch__put(out, "...,\n");
        for (int i = 0; i <= axis; i++) ch__putc(out, ' ');
        for (int i = axis + 1; i < rank; i++) ch__putc(out, '[');
    }
}

ch_status ch_print(ch_tensor *t, FILE *file) {
    if (file == NULL) return ch__fail(CH__E_argument, "print: the file is NULL — give one such as stdout");
    CH_TRY(ch__realize_to_read("print", 1, &t));
    const void *data = ch__tensor_compact(t);
    if (data == NULL) return ch__fail_oom("print");
    ch__text out;
    ch__text_init_file(&out, file);
    ch__type_print(&out, &t->type);
    ch__putc(&out, t->type.rank == 0 ? ' ' : '\n');
    elements(&out, t, data);
    ch__putc(&out, '\n');
    return out.failed ? ch__fail(CH__E_file, "print: writing failed — is the disk full?") : CH_OK;
}
