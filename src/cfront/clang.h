// SPDX-License-Identifier: Apache-2.0
// clang.h - libclang, opened at run time: `clang.createIndex` is clang_createIndex. Private to src/cfront.
#ifndef CHAAC_CFRONT_CLANG_H
#define CHAAC_CFRONT_CLANG_H

#include <clang-c/CXCompilationDatabase.h>
#include <clang-c/Index.h>

#include "base/base.h"

enum { CF_CLANG_LEAST = 17, CF_CLANG_NEWEST = 40 };

typedef struct cf_clang {
#define CLANG(result, name, parameters) result(*name) parameters;
#include "cfront/clang.def"
#undef CLANG
} cf_clang;
extern cf_clang clang;

// Opens libclang (CHAAC_LIBCLANG names a file; else the newest that the system has). Raises `unsupported` with what to
// install when there is none of version 17 or later.
void cf_clang_open(void);
int cf_clang_version(void); // 19; 0: not open
// The string's copy in the arena; the string is disposed of.
const char *cf_clang_string(ch__arena *a, CXString s);

#endif
