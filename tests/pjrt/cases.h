// SPDX-License-Identifier: Apache-2.0
// cases.h - cases of a test that prints TAP itself, since a session stays open over them: ok(), refused(), the end.
#ifndef CHAAC_TESTS_PJRT_CASES_H
#define CHAAC_TESTS_PJRT_CASES_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "chaac/status.h"

static int case_number, failures;

static inline void ok(bool good, const char *what) {
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++case_number, what);
    if (!good) printf("# %s [%s]\n", ch_error_message(), ch_error_id() == NULL ? "" : ch_error_id());
    failures += !good;
}

static inline bool refused(ch_status s, ch_status want, const char *sentence) {
    return s == want && strstr(ch_error_message(), sentence) != NULL;
}

#endif
