// SPDX-License-Identifier: Apache-2.0
// fuzz_ir.c - IR text: reading never does more than fail, and what is read prints and reads back as the same text.
//
// A func that was read is simplified and differentiated too (each may refuse), and run within limits when it takes no
// inputs.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

// Prints f, reads that and prints it again: the texts are the same.
static void round_trip(const ch_func *f) {
    char *first = NULL, *second = NULL;
    ch_func *again = NULL;
    if (ch_func_to_text(f, &first) != CH_OK) abort();
    if (ch_func_parse(first, "printed", &again) != CH_OK) abort();
    if (ch_func_to_text(again, &second) != CH_OK) abort();
    if (strcmp(first, second) != 0) abort();
    ch_func_destroy(again);
    ch_string_free(first);
    ch_string_free(second);
}

static void run(const ch_func *f) {
    ch_exec *e = NULL;
    const int n = ch_func_num_results(f);
    ch_tensor **out = calloc(n ? (size_t)n : 1, sizeof(ch_tensor *));
    if (!out) abort();
    if (ch_compile(f, "interp", NULL, &e) == CH_OK) {
        const ch_run_options limits = {
            .struct_size = sizeof limits, .max_steps = 10000, .max_bytes = 1 << 24, .max_depth = 50};
        if (ch_exec_run_with(e, &limits, 0, NULL, n, out) == CH_OK)
            for (int i = 0; i < n; i++) ch_release(out[i]);
        ch_exec_release(e);
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    char *text = malloc(n + 1);
    if (!text) abort();
    memcpy(text, data, n);
    text[n] = 0;
    ch_func *f = NULL, *g = NULL;
    if (ch_func_parse(text, "fuzz", &f) == CH_OK) {
        round_trip(f);
        if (ch_func_simplify(f, &g) == CH_OK) round_trip(g);
        ch_func_destroy(g);
        g = NULL;
        if (ch_value_and_grad(f, NULL, &g) == CH_OK) round_trip(g);
        ch_func_destroy(g);
        if (ch_func_num_params(f) == 0) run(f);
        ch_func_destroy(f);
    } else if (ch_error_message()[0] == 0) {
        abort(); // a failure without a sentence
    }
    ch_thread_end();
    free(text);
    return 0;
}
