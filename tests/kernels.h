// SPDX-License-Identifier: Apache-2.0
// kernels.h - where tests of values keep the code of the native engine.
//
// In a folder of their own that goes with them, or in the one that TEST_KERNELS names: .ci/run sets it, so that what
// several builds of the library ask for in the same words is compiled once. Tests that count compiles have their own.
#ifndef CHAAC_TESTS_KERNELS_H
#define CHAAC_TESTS_KERNELS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static char kernels_own[] = "/tmp/chaac-native-XXXXXX";

static inline bool kernels_begin(bool alone) {
    const char *shared = alone ? NULL : getenv("TEST_KERNELS");
    if (shared == NULL && mkdtemp(kernels_own) == NULL) return false;
    if (shared != NULL) kernels_own[0] = '\0';
    return setenv("CHAAC_CACHE_DIR", shared != NULL ? shared : kernels_own, 1) == 0;
}

static inline bool kernels_end(void) {
    char command[64];
    if (kernels_own[0] == '\0') return true;
    snprintf(command, sizeof command, "rm -rf '%s'", kernels_own);
    return system(command) == 0;
}

#endif
