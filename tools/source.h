// SPDX-License-Identifier: Apache-2.0
// source.h - any file that holds a program, as a func.
#ifndef CHAAC_TOOLS_SOURCE_H
#define CHAAC_TOOLS_SOURCE_H

#include "cli.h"

bool is_hlo_file(const char *path); // foo.mlir
// FILE.c:f, FILE.mlir or IR text. func_name NULL: the last func of IR text, @main of StableHLO; C names its own.
ch_status load_source(const char *path, const char *func_name, ch_func **out);

#endif
