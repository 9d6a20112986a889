// SPDX-License-Identifier: Apache-2.0
// explain.c - ch_explain: what a func will do, and what the native engine makes of it.

#include "native/native.h"
#include "opt/opt.h"

#include "chaac/func.h"

struct explain_args {
    const ch_func *func;
    ch__text text;
};

static void explain_func(void *arg) {
    struct explain_args *p = arg;
    ch__explain(&p->text, p->func);
}

static void explain_native(void *arg) {
    struct explain_args *p = arg;
    ch__native_explain(&p->text, p->func);
}

ch_status ch_explain(const ch_func *f, FILE *file) {
    if (f == NULL || file == NULL) return ch__fail(CH__E_argument, "explain: the func or the file is NULL — give both");
    struct explain_args p = {.func = f};
    ch__text_init_file(&p.text, file);
    CH_TRY(ch__protect(explain_func, &p));
    ch_status s = ch__protect(explain_native, &p);
    if (s == CH_RESOURCE_EXHAUSTED) return s;
    if (s != CH_OK) ch__putf(&p.text, "  %s\n", ch_error_message()); // the engine refuses it
    return p.text.failed ? ch__fail(CH__E_file, "explain: writing failed — is the disk full?") : CH_OK;
}
