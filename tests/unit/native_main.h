// SPDX-License-Identifier: Apache-2.0
// native_main.h - main of tests of the native engine: a cache of their own, and a skip where there is no compiler.
#ifndef CHAAC_TESTS_NATIVE_MAIN_H
#define CHAAC_TESTS_NATIVE_MAIN_H

#include <stdio.h>
#include <stdlib.h>

#include "chaac/chaac.h"
#include "native/native.h"

static inline int native_main(int (*run)(void)) {
    char folder[] = "/tmp/chaac-native-XXXXXX", command[64];
    int failed = 0;
    if (mkdtemp(folder) == NULL) return 1;
    setenv("CHAAC_CACHE_DIR", folder, 1);
    setenv("CHAAC_TIERS", "off", 0); // tests look at what code computes
    if (ch__native_compiler() != NULL)
        failed = run();
    else
        printf("1..0 # SKIP no C compiler is found: gcc or clang has to be installed\n");
    ch_thread_end();
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0 || failed;
}

#endif
