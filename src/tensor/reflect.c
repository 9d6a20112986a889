// SPDX-License-Identifier: Apache-2.0
// reflect.c - what there is to call, for bindings in other languages: the primitives and the functions of ops.h.

#include "tensor/tensor.h"

#include <stdio.h>
#include <string.h>

static const char *const op_what[] = {
#define DOC(name, what) [CH_OP_##name] = what,
#include "tensor/op_docs.def"
#undef DOC
};
enum { N_OPS = sizeof op_what / sizeof op_what[0] };

static const ch__op_info *info_at(int i) { return i >= 0 && i < N_OPS ? ch__op_info_of((ch__opcode)i) : NULL; }

const char *ch_op_name(int i) { return info_at(i) == NULL ? NULL : info_at(i)->name; }
const char *ch_op_what(int i) { return info_at(i) == NULL ? NULL : op_what[i]; }
const char *ch_op_operands(int i) { return info_at(i) == NULL ? NULL : info_at(i)->operands; }
int ch_op_min_operands(int i) { return info_at(i) == NULL ? -1 : info_at(i)->min_operands; }
int ch_op_max_operands(int i) { return info_at(i) == NULL ? -1 : info_at(i)->max_operands; }

const char *ch_op_attribute(int i, int k, int *optional) {
    const ch__op_info *info = info_at(i);
    if (info == NULL || k < 0) return NULL;
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a < 64; a++) {
            if (((pass == 0 ? info->attrs : info->opt) >> a & 1) == 0 || k-- > 0) continue;
            if (optional != NULL) *optional = pass;
            return ch__attr_name((ch__attr_id)a);
        }
    return NULL;
}

typedef struct {
    const char *name, *parameters, *what;
} function_row;

static const function_row functions[] = {
#define SECTION(title)
#define FN(name, parameters, ops, what) {"ch_" #name, parameters, what},
#include "tensor/functions.def"
#undef FN
#undef SECTION
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static const function_row *row_at(int i) { return i >= 0 && i < N_FUNCTIONS ? &functions[i] : NULL; }
const char *ch_function_name(int i) { return row_at(i) == NULL ? NULL : row_at(i)->name; }
const char *ch_function_parameters(int i) { return row_at(i) == NULL ? NULL : row_at(i)->parameters; }
const char *ch_function_what(int i) { return row_at(i) == NULL ? NULL : row_at(i)->what; }
