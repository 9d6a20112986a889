// SPDX-License-Identifier: Apache-2.0
// onefile.c - the whole library as one file, made by scripts/onefile. It is not part of the ordinary build:
//     cc -O2 -Iinclude -Isrc src/onefile.c tools/*.c -lm -ldl -lpthread -lz
// builds everything, which proves that there is no magic in the build. So file-static names may not clash.
// clang-format off
#include "base/arena.c"
#include "base/file.c"
#include "base/half.c"
#include "base/hash.c"
#include "base/log.c"
#include "base/map.c"
#include "base/memory.c"
#include "base/num.c"
#include "base/os.c"
#include "base/protect.c"
#include "base/status.c"
#include "base/string.c"
#include "base/threads.c"
#include "base/vec.c"
#include "base/version.c"
#include "rt/exec.c"
#include "rt/storage.c"
#include "compile.c"
#include "engine_interp.c"
#include "engines.c"
