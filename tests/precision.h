// SPDX-License-Identifier: Apache-2.0
// precision.h - the limits of docs/precision.def for tests. A row that is not there ends the test.
#ifndef CHAAC_TESTS_PRECISION_H
#define CHAAC_TESTS_PRECISION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// unit: as the row has it.
static inline double ch_test_limit(const char *engine, const char *kind, const char *dtype, const char *unit) {
    static const struct {
        const char *engine, *kind, *dtype, *computed;
        double limit;
        const char *unit, *where;
    } rows[] = {
#define ROW(engine, kind, dtype, computed, limit, unit, where) {engine, kind, dtype, computed, limit, unit, where},
#include "../docs/precision.def"
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].engine, engine) == 0 && strcmp(rows[i].kind, kind) == 0 &&
            strcmp(rows[i].dtype, dtype) == 0 && strcmp(rows[i].unit, unit) == 0)
            return rows[i].limit;
    printf("Bail out! docs/precision.def has no row for %s, %s of %s in %s\n", engine, kind, dtype, unit);
    exit(1);
}

#endif
