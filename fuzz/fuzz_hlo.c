// SPDX-License-Identifier: Apache-2.0
// fuzz_hlo.c - StableHLO text: reading never does more than fail with a sentence; what is read can be written, or is
// refused by name, and what is written is read.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    char *text = malloc(n + 1), *out = NULL;
    ch_func *f = NULL, *g = NULL;
    if (!text) abort();
    memcpy(text, data, n);
    text[n] = '\0';
    const ch_hlo_options o = {.struct_size = sizeof o, .generic = n % 2 == 1, .composites = n % 3 == 1};
    if (ch_hlo_parse(text, "fuzz.mlir", NULL, &f) != CH_OK) {
        if (ch_error_message()[0] == '\0') abort();
    } else if (ch_hlo_to_text(f, &o, &out) != CH_OK) {
        if (ch_error_message()[0] == '\0') abort();
    } else if (ch_hlo_parse(out, "written.mlir", NULL, &g) != CH_OK) {
        abort();
    }
    ch_string_free(out);
    ch_func_destroy(f);
    ch_func_destroy(g);
    free(text);
    return 0;
}
