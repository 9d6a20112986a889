// SPDX-License-Identifier: Apache-2.0
// interp_run.h - runs a func given as IR text on the interpreter, for the tests of src/interp.
#ifndef CHAAC_TESTS_INTERP_RUN_H
#define CHAAC_TESTS_INTERP_RUN_H

#include "unit.h"

#include <stdlib.h>

#include "interp/exec.h"

typedef struct {
    const char *text;
    ch__module *module;
    ch__arena *arena;
    ch__program *program;
} ir_program;

static void ir_prepare(void *arg) {
    ir_program *p = arg;
    p->module = ch__parse_module(p->text, strlen(p->text), "t.ir");
    p->arena = ch__arena_create();
    p->program = ch__interp_prepare(p->arena, p->module->last);
}

static void ir_close(ir_program *p) {
    ch__arena_destroy(p->arena);
    ch__module_destroy(p->module);
}

// The last func of the text, ready to run; the text lacks the header line. Fails the test when it does not parse.
static ir_program ir_open(const char *body) {
    static char text[1 << 16];
    ir_program p = {.text = text};
    snprintf(text, sizeof text, "chaac-ir 1\n%s", body);
    if (ch__protect(ir_prepare, &p) != CH_OK) {
        print_error("%s\n", ch_error_message());
        fail();
    }
    return p;
}

#define IR_DIMS(...) ((const int64_t[]){__VA_ARGS__})

static ch__slot ir_slot(ch_dtype d, int rank, const int64_t *dims, const void *data) {
    ch__slot s = {.dtype = d, .rank = rank, .data = (void *)(uintptr_t)data};
    for (int i = 0; i < rank; i++) s.dims[i] = dims[i];
    return s;
}

static inline ch__slot ir_scalar(ch_dtype d, const void *data) { return ir_slot(d, 0, NULL, data); }
static inline ch__slot ir_vector(ch_dtype d, int64_t n, const void *data) { return ir_slot(d, 1, &n, data); }

// Runs once; out[i].data is for ir_release.
static inline ch_status ir_run_limited(const char *body, const ch__limits *limits, int n_in, const ch__slot *in,
                                       int n_out, ch__slot *out) {
    ir_program p = ir_open(body);
    memset(out, 0, (size_t)n_out * sizeof *out);
    ch_status st = ch__interp_run(p.program, limits, n_in, in, n_out, out);
    ir_close(&p);
    return st;
}

static inline void ir_release(int n, ch__slot *out) {
    for (int i = 0; i < n; i++) ch__free_aligned(out[i].data);
}

static inline void ir_run(const char *body, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    if (ir_run_limited(body, NULL, n_in, in, n_out, out) != CH_OK) {
        print_error("%s\n", ch_error_message());
        fail();
    }
}

// Runs and expects a failure with this identifier and sentence.
static inline void ir_fails(const char *body, const ch__limits *limits, int n_in, const ch__slot *in, int n_out,
                            const char *id, const char *sentence) {
    ch__slot out[8];
    assert_true(n_out <= 8);
    int64_t live = ch__alloc_live();
    ir_program p = ir_open(body);
    memset(out, 0, sizeof out);
    assert_int_not_equal(ch__interp_run(p.program, limits, n_in, in, n_out, out), CH_OK);
    ir_close(&p);
    assert_string_equal(ch_error_message(), sentence);
    assert_string_equal(ch_error_id(), id);
    for (int i = 0; i < n_out; i++) assert_null(out[i].data);
    assert_int_equal(ch__alloc_live(), live);
}

#endif
