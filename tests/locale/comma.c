// SPDX-License-Identifier: Apache-2.0
// comma.c - loaded before a test program, puts it into the locale of its environment, which has to write 1,5.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void use_locale(void) {
    if (!getenv("CHAAC_TEST_COMMA")) return; // the shell around the program
    if (!setlocale(LC_ALL, "") || localeconv()->decimal_point[0] != ',') {
        fprintf(stderr, "comma.c: the locale does not have a decimal comma\n");
        _Exit(99);
    }
}
