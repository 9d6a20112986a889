// SPDX-License-Identifier: Apache-2.0
// signature.c - signatures and lists of names for captures of models.

#include <string.h>

#include "nn/nn.h"

void ch__signature_put(ch__signature *s, const char *piece) {
    size_t n = strlen(piece);
    if (s->n + n + 1 > s->cap) {
        size_t cap = (s->n + n + 1) * 2;
        char *p = ch_memory_alloc(cap);
        if (p == NULL) {
            s->failed = 1;
            return;
        }
        if (s->n > 0) memcpy(p, s->text, s->n);
        ch_memory_free(s->text);
        s->text = p;
        s->cap = cap;
    }
    memcpy(s->text + s->n, piece, n + 1);
    s->n += n;
}

void ch__signature_finish(ch__signature *s) { ch_memory_free(s->text); }

// "0.weight" is p0_weight: a name of the IR begins with a letter.
static void put_name(ch__signature *s, const char *name) {
    if (name[0] >= '0' && name[0] <= '9') ch__signature_put(s, "p");
    size_t at = s->n;
    ch__signature_put(s, name);
    for (size_t i = at; !s->failed && i < s->n; i++)
        if (s->text[i] == '.' || s->text[i] == '/' || s->text[i] == '-') s->text[i] = '_';
}

void ch__signature_add(ch__signature *s, const char *name, const ch_tensor *t, int free_first) {
    if (s->n > 0) ch__signature_put(s, ", ");
    put_name(s, name);
    ch__signature_put(s, ": ");
    char type[512];
    ch_tensor_type(t, type, sizeof type);
    if (!free_first || ch_tensor_rank(t) < 1) {
        ch__signature_put(s, type);
        return;
    }
    char *rest = strpbrk(type, ",]"); // behind the first size
    ch__signature_put(s, ch_dtype_name(ch_tensor_dtype(t)));
    ch__signature_put(s, "[n");
    if (rest != NULL) ch__signature_put(s, rest);
}

ch_status ch__wrt_names(const ch_model *m, const char *frozen, unsigned char *marks, char **out_wrt) {
    CH_TRY(ch__names_check(m, "frozen", frozen));
    ch__signature s = {0};
    ch__signature_put(&s, "");
    for (int i = 0; i < ch_model_num_params(m); i++) {
        const char *name = ch_model_param_name(m, i);
        ch_dtype d = ch_tensor_dtype(m->params[i].value);
        marks[i] = d >= CH_F16 && d <= CH_F64 && !m->params[i].buffer && !ch_names_match(frozen, name);
        if (!marks[i]) continue;
        if (s.n > 0) ch__signature_put(&s, ", ");
        put_name(&s, name);
    }
    if (!s.failed && s.n > 0) {
        *out_wrt = s.text;
        return CH_OK;
    }
    ch__signature_finish(&s);
    return s.failed ? ch_error_set("out_of_memory", "capture: no memory")
                    : ch_error_set("argument", "frozen: every parameter is frozen — leave at least one that learns");
}
