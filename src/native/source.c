// SPDX-License-Identifier: Apache-2.0
// source.c - the C file of a func: what the C printer writes, and one entry that takes pointers.
#include "native/native.h"

static const char *c_type(ch_dtype d) {
    switch (d) {
    case CH_F64: return "double";
    case CH_F32: return "float";
    case CH_F16:
    case CH_BF16:
    case CH_U16: return "uint16_t";
    case CH_I64: return "int64_t";
    case CH_I32: return "int32_t";
    case CH_I16: return "int16_t";
    case CH_I8: return "int8_t";
    case CH_U64: return "uint64_t";
    case CH_U32: return "uint32_t";
    case CH_BOOL: return "bool";
    default: return "uint8_t";
    }
}

static bool is_tied(const ch_func *f, int result) {
    for (int i = 0; f->inout != NULL && i < f->body->n_params; i++)
        if (f->inout[i] == result) return true;
    return false;
}

static void put_entry(ch__text *t, const ch_func *f, const ch__c_function *c) {
    int args = 0;
    ch__put(t, "\n#include <stdbool.h>\n#include <stdint.h>\nint " CH__NATIVE_ENTRY
               "(const int64_t *n, void *const *in, void *const *out, char *arena, const int64_t *at)\n{\n    ");
    if (c->by_value) ch__putf(t, "*(%s *)out[0] = ", c_type(f->body->results[0]->type->dtype));
    if (c->fails) ch__put(t, "return ");
    ch__putf(t, "%s(", c->name);
    for (int i = 0; i < f->dims.n; i++) ch__putf(t, "%sn[%d]", args++ ? ", " : "", i);
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__type *type = f->body->params[i]->type;
        const char *comma = args++ ? ", " : "";
        if (f->inout != NULL && f->inout[i] >= 0)
            ch__putf(t, "%sout[%d]", comma, (int)f->inout[i]);
        else if (type->rank == 0)
            ch__putf(t, "%s*(const %s *)in[%d]", comma, c_type(type->dtype), i);
        else
            ch__putf(t, "%sin[%d]", comma, i);
    }
    for (int i = 0; i < f->body->n_results && !c->by_value; i++)
        if (!is_tied(f, i)) ch__putf(t, "%sout[%d]", args++ ? ", " : "", i);
    ch__put(t, args > 0 ? ", arena, at" : "arena, at");
    ch__put(t, c->fails ? ");\n}\n" : ");\n    return 0;\n}\n");
}

void ch__native_source(ch__text *t, const ch_func *f, ch__c_native *out) {
    for (int i = 0; i < f->body->n_results; i++)
        for (int k = 0; k < f->body->results[i]->type->rank; k++)
            if (f->body->results[i]->type->tape)
                ch__raise(CH__E_unsupported, "native: result %d of @%s is a tape — the engine \"interp\" gives them", i,
                          f->name);
    ch__print_native(t, f, out);
    put_entry(t, f, &out->function);
}
