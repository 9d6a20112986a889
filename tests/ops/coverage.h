// SPDX-License-Identifier: Apache-2.0
// coverage.h - counts what the vectors hold for each op and dtype, and says what is missing against ops.def.
#ifndef CHAAC_TESTS_OPS_COVERAGE_H
#define CHAAC_TESTS_OPS_COVERAGE_H

#include "vectors.h"

void cover_note(const vec_case *c);
// Prints one TAP line for each row of ops.def and each row of libm.def, numbered from `number`; gives how many were
// printed, adds those that failed to *failed.
int cover_report(int number, int *failed);
int cover_count(void); // how many lines cover_report prints

#endif
