// SPDX-License-Identifier: Apache-2.0
// cmd_c.h - commands on C files; which ones those are.
#ifndef CHAAC_TOOLS_CMD_C_H
#define CHAAC_TOOLS_CMD_C_H

#include "cli.h"

bool is_c_file(const char *path);         // foo.c or foo.c:f
bool names_c_file(int argc, char **argv); // among the arguments
int grad_of_c(int argc, char **argv);
int ir_of_c(int argc, char **argv);
// The derivatives that a file asks for; *out NULL: none, or errors, which are printed.
ch_status derivatives_of_c(const char *path, int n_flags, const char *const *flags, char **out, int *errors);
ch_status load_c(const char *path, ch_func **out); // FILE.c:f as a func
const char *explain_c(const char *code);           // NULL: there is no such
const char *c_code_at(int i);                      // NULL past the last

#endif
