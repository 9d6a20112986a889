// SPDX-License-Identifier: Apache-2.0
// diff_run.h - what the unit tests of derivatives share: a func from text, verified, run in the interpreter, as text.
#ifndef CHAAC_TESTS_DIFF_RUN_H
#define CHAAC_TESTS_DIFF_RUN_H

#include "base/base.h"
#include "chaac/func.h"
#include "interp/interp.h"
#include "unit.h"

static inline ch_func *diff_parse(const char *text) {
    ch_func *f = NULL;
    if (ch_func_parse(text, "test", &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

static inline void diff_verify(void *f) { ch__verify_module(((ch_func *)f)->module); }

// g, which the call that gave status s made; it holds together.
static inline ch_func *diff_verified(ch_status s, ch_func *g) {
    if (s != CH_OK) fail_msg("%s", ch_error_message());
    if (ch__protect(diff_verify, g) != CH_OK) fail_msg("%s", ch_error_message());
    return g;
}

static inline ch__slot diff_slot(ch_dtype d, int rank, int64_t n, int64_t m, const void *data) {
    return (ch__slot){.dtype = d, .rank = rank, .dims = {n, m}, .data = (void *)(uintptr_t)data};
}

typedef struct {
    const ch_func *f;
    const ch__program *p;
    ch__arena *a;
} diff_prepared;
static inline void diff_prepare(void *arg) {
    diff_prepared *p = arg;
    p->a = ch__arena_create();
    p->p = ch__interp_prepare(p->a, p->f);
    ch__arena_keep(p->a);
}

// Runs f; the data of the results is to be freed by ch__free_aligned.
static inline void diff_run(const ch_func *f, int n_in, const ch__slot *in, ch__slot *out) {
    diff_prepared p = {.f = f};
    ch__limits none = {0};
    if (ch__protect(diff_prepare, &p) != CH_OK) fail_msg("%s", ch_error_message());
    for (int i = 0; i < ch_func_num_results(f); i++) out[i] = (ch__slot){0};
    if (ch__interp_run(p.p, &none, n_in, in, ch_func_num_results(f), out) != CH_OK) fail_msg("%s", ch_error_message());
    ch__arena_destroy(p.a);
}

static inline void diff_text_is(const ch_func *f, const char *want) {
    char *text = NULL;
    assert_int_equal(ch_func_to_text(f, &text), CH_OK);
    assert_string_equal(text, want);
    ch_string_free(text);
}

#endif
