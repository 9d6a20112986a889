// SPDX-License-Identifier: Apache-2.0
// print_data.h - the data of a constant as text (print_data.c), for print.c.
#ifndef CHAAC_IR_PRINT_DATA_H
#define CHAAC_IR_PRINT_DATA_H

#include "ir/ir.h"

// brief: long data is written as [...], for messages.
void ch__print_data(ch__text *t, const ch__array *a, bool brief);
// One element of a dtype, as it is read back: 1.5, -inf, nan, 0x7fc00001, true.
void ch__print_element(ch__text *t, ch_dtype d, const void *element);

#endif
