// SPDX-License-Identifier: Apache-2.0
// fuzz_irtext.c - the reader and writer of IR text alone, with the pieces of text that the tensor layer reads.
//
// The first byte says what the rest is: 's' a signature, 't' a type, 'a' and a byte the attributes of an op, anything
// else a whole text (that byte included). Reading never does more than fail with a sentence; what was read, printed and
// read again prints the same. Much faster than fuzz_ir.c, which goes on with what was read.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

typedef struct job {
    char kind;
    ch__opcode code;
    const char *text;
    size_t n;
    char *out;
} job;

static char *printed(const ch__module *m) {
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__text_init(&t, a);
    ch__print_module(&t, m);
    char *out = strdup(t.data);
    assert(out);
    ch__arena_destroy(a);
    return out;
}

// A module around a signature, so that it can be printed.
static ch__module *of_signature(const char *text) {
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "f");
    ch__parse_signature(f, text);
    ch__func_set_results(f, f->body->n_params, f->body->params, NULL);
    return m;
}

static void read_text(void *arg) {
    job *j = arg;
    ch__module *m = NULL;
    ch__arena *a = ch__arena_create();
    ch__attr *attrs;
    switch (j->kind) {
    case 's': m = of_signature(j->text); break;
    case 't': {
        const ch__type *t = ch__parse_type(a, j->text);
        assert(ch__type_equal(t, ch__parse_type(a, ch__type_text(a, t))));
        break;
    }
    case 'a': (void)ch__parse_attrs(a, j->code, j->text, &attrs); break;
    default: m = ch__parse_module(j->text, j->n, "fuzz");
    }
    j->out = m ? printed(m) : NULL;
    ch__arena_destroy(a);
    ch__module_destroy(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    job j = {.kind = n ? (char)data[0] : 0};
    size_t skip = j.kind == 's' || j.kind == 't' ? 1 : j.kind == 'a' && n > 1 ? 2 : 0;
    if (skip == 2) j.code = (ch__opcode)(data[1] % CH_OP_COUNT);
    if (skip == 0) j.kind = 0;
    char *text = malloc(n - skip + (skip ? 1 : 0)); // of that size: a sanitizer sees a byte too far
    assert(text || n == 0);
    if (n > skip) memcpy(text, data + skip, n - skip);
    if (skip) text[n - skip] = 0;
    j.text = text ? text : "";
    j.n = n;
    ch_error_clear();
    if (ch__protect(read_text, &j) != CH_OK) {
        assert(ch_error_message()[0] && ch_error_id()[0]);
        assert(strcmp(ch_error_id(), "internal") != 0);
    } else if (j.out) {
        job again = {.text = j.out, .n = strlen(j.out)};
        ch_status s = ch__protect(read_text, &again);
        assert(s == CH_OK && strcmp(j.out, again.out) == 0);
        free(again.out);
        free(j.out);
    }
    free(text);
    return 0;
}
