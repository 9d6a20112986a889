// SPDX-License-Identifier: Apache-2.0
// onefile.c - the whole library as one file, made by scripts/onefile. It is not part of the ordinary build:
//     cc -O2 -Iinclude -Isrc src/onefile.c tools/*.c -lm -ldl -lpthread -lz
// builds everything, which proves that there is no magic in the build. So file-static names may not clash.
// clang-format off
#include "rt/exec.c"
#include "rt/storage.c"
#include "compile.c"
#include "engine_interp.c"
#include "engines.c"
