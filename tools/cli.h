// SPDX-License-Identifier: Apache-2.0
// cli.h - what the commands share. Data goes to stdout, talk to stderr; exit 0 ok, 1 failed, 2 usage.
#ifndef CHAAC_TOOLS_CLI_H
#define CHAAC_TOOLS_CLI_H

#include <chaac/chaac.h>
#include <stdbool.h>
#include <stdio.h>

enum { OK = 0, FAILED = 1, USAGE = 2 };

// One command: a row of commands.def.
typedef struct command {
    const char *name, *usage, *what;
    int (*run)(int argc, char **argv); // argv[0] is the command's name
} command;
const command *command_at(int i); // NULL past the last
const command *command_find(const char *name);

int cmd_run(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_build(int argc, char **argv);
int cmd_ir(int argc, char **argv);
int cmd_grad(int argc, char **argv);
int cmd_cache(int argc, char **argv);
int cmd_hlo(int argc, char **argv);
int cmd_cc(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_draw(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_env(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_help(int argc, char **argv);

// ---- options: "--name=value", "--name value", "--flag", in any place
typedef struct options {
    int argc;
    char **argv;
    int at;
} options;
// The next argument: NULL at the end. *value: for an option that wants one (its name ends with '=' in `valued`), else
// NULL. Options are given back with their dashes, without "=value".
const char *next_argument(options *o, const char *const *valued, const char **value);

// "chaac: <message>" and the usage of the command; gives USAGE.
int usage_error(const char *cmd, const char *format, ...);
// "chaac: <the library's sentence>"; gives FAILED.
int library_error(void);
// The func after passes "inline,fold,...", NULL: none of them. *f is replaced, and destroyed on failure.
int run_passes(const char *cmd, const char *passes, ch_func **f);
// A program of PATH, waited for: its exit status; a line says why it could not be started.
int run_program(const char *cmd, const char *const *argv);
// Text as a JSON string, with its quotes.
void json_text(const char *text);
// Escapes that begin and end a color on stdout: "" unless it is a terminal that shows them and NO_COLOR is not set.
typedef enum { PLAIN, GOOD, BAD, DIM } color;
const char *color_code(color c);
// A whole number, all of the text; false when it is none.
bool whole_number(const char *text, int64_t *out);

#endif
