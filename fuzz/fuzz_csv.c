// SPDX-License-Identifier: Apache-2.0
// fuzz_csv.c - CSV: reading never does more than fail with a sentence; what is read has rows and columns as they are
// counted, and columns are found by their names. Byte 0 chooses dtype, separator and header.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const char separators[] = {0, ';', '\t', ' '};
    if (n == 0) return 0;
    ch_csv_options o = {.struct_size = sizeof o};
    o.dtype = (ch_dtype)(1 + data[0] % 13);
    o.separator = separators[data[0] / 13 % 4];
    o.header = (ch_csv_header)(data[0] / 52 % 3);
    o.missing_allowed = data[0] >= 156;
    ch_csv *c = NULL;
    if (ch_csv_open_memory(data + 1, n - 1, "fuzz", &o, &c) == CH_OK) {
        ch_tensor *t = NULL;
        if (ch_csv_read(c, &t) != CH_OK || ch_tensor_rank(t) != 2) abort();
        if (ch_tensor_dim(t, 0) != ch_csv_rows(c) || ch_tensor_dim(t, 1) != ch_csv_columns(c)) abort();
        if ((size_t)ch_tensor_numel(t) > n) abort();
        for (int64_t i = 0; i < ch_csv_columns(c) && ch_csv_name(c, i); i++)
            if (ch_csv_find(c, ch_csv_name(c, i)) < 0) abort();
        ch_release(t);
    } else if (c || ch_error_message()[0] == 0) {
        abort();
    }
    ch_csv_close(c);
    ch_thread_end();
    return 0;
}
