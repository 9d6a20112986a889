// SPDX-License-Identifier: Apache-2.0
// unit.h - cmocka with the headers it needs before it, and a skip that says why.
#ifndef CHAAC_TESTS_UNIT_H
#define CHAAC_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// Skips the running case; the reason is printed by `./run test`.
#define CH_SKIP(reason)                                                                                                \
    do {                                                                                                               \
        print_message("# skip: %s\n", (reason));                                                                       \
        skip();                                                                                                        \
    } while (0)

#endif
