// SPDX-License-Identifier: Apache-2.0
// source.c - any file that holds a program, as a func: IR text, StableHLO text, C.
#include "source.h"

#include <string.h>

#include "cmd_c.h"

bool is_hlo_file(const char *path) {
    size_t n = strlen(path);
    return (n > 5 && strcmp(path + n - 5, ".mlir") == 0) || (n > 10 && strcmp(path + n - 10, ".stablehlo") == 0);
}

ch_status load_source(const char *path, const char *func_name, ch_func **out) {
    if (is_c_file(path)) return load_c(path, out);
    return is_hlo_file(path) ? ch_hlo_load(path, func_name, out) : ch_func_load(path, func_name, out);
}
