// SPDX-License-Identifier: Apache-2.0
// source.c - the C file of a func: what the C printer writes, and one entry that takes pointers.
#include "native/native.h"

#include <string.h>

static bool is_tied(const ch_func *f, int result) {
    for (int i = 0; f->inout != NULL && i < f->body->n_params; i++)
        if (f->inout[i] == result) return true;
    return false;
}

static void put_entry(ch__text *t, const ch_func *f, const ch__c_function *c) {
    int args = 0;
    ch__put(t, "\n#include <stdbool.h>\n#include <stdint.h>\nint " CH__NATIVE_ENTRY
               "(const int64_t *chaac_n, void *const *chaac_in, void *const *chaac_out, char *chaac_arena,\n"
               "    const int64_t *chaac_at)\n{\n    ");
    if (c->by_value) ch__putf(t, "*(%s *)chaac_out[0] = ", ch__cg_ctype(f->body->results[0]->type->dtype));
    if (c->fails) ch__put(t, "return ");
    ch__putf(t, "%s(", c->name);
    for (int i = 0; i < f->dims.n; i++) ch__putf(t, "%schaac_n[%d]", args++ ? ", " : "", i);
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__type *type = f->body->params[i]->type;
        const char *comma = args++ ? ", " : "";
        if (f->inout != NULL && f->inout[i] >= 0)
            ch__putf(t, "%schaac_out[%d]", comma, (int)f->inout[i]);
        else if (type->rank == 0)
            ch__putf(t, "%s*(const %s *)chaac_in[%d]", comma, ch__cg_ctype(type->dtype), i);
        else
            ch__putf(t, "%schaac_in[%d]", comma, i);
    }
    for (int i = 0; i < f->body->n_results && !c->by_value; i++)
        if (!is_tied(f, i)) ch__putf(t, "%schaac_out[%d]", args++ ? ", " : "", i);
    ch__put(t, args > 0 ? ", chaac_arena, chaac_at" : "chaac_arena, chaac_at");
    ch__put(t, c->fails ? ");\n}\n" : ");\n    return 0;\n}\n");
}

// Where the kernels begin, so that a profile tells them apart.
static void put_kernels(ch__text *t) {
    char name[64];
    int n = 0;
    ch__put(t, "\nvoid (*const chaac_native_kernels[])(void) = {");
    for (;; n++) {
        snprintf(name, sizeof name, "static void chaac_kernel_%d(", n);
        if (strstr(t->data, name) == NULL) break;
        ch__putf(t, "(void (*)(void))chaac_kernel_%d, ", n);
    }
    ch__putf(t, "0};\n");
}

void ch__native_source(ch__text *t, const ch_func *f, ch__c_native *out) {
    for (int i = 0; i < f->body->n_results; i++)
        if (f->body->results[i]->type->tape)
            ch__raise(CH__E_unsupported, "native: result %d of @%s is a tape — the engine \"interp\" gives them", i,
                      f->name);
    ch__print_native(t, f, out);
    put_entry(t, f, &out->function);
    if (out->timed) put_kernels(t);
}
