// SPDX-License-Identifier: Apache-2.0
// front.h - the C front end as the command sees it: names of files in, texts out.
#ifndef CHAAC_CFRONT_FRONT_H
#define CHAAC_CFRONT_FRONT_H

#include <stdbool.h>
#include <stdio.h>

#include "chaac/status.h"

typedef struct cf_job {
    int n_files;
    const char *const *files;
    int n_flags;
    const char *const *flags; // for the compiler
    const char *database;     // folder of a compile_commands.json; NULL: none
    const char *func;         // cf_ir: this one only; NULL: all of the first file
    const char *target;       // of the dependencies
    bool c;                   // cf_ir: C, each function as a file of its own, after a line that names it
    bool json, remarks;       // messages as JSON; what loops keep
    bool may_ask_nothing;     // a file without directives gives no text and no warning
    const char *header;       // name of a header of prototypes that is wanted too; NULL: none
    char **header_text;       // where it goes; the caller frees it
    bool lines;               // #line before what comes from a line of the files
    bool lenient;             // what cannot be differentiated is a warning, and fails when it is called
} cf_job;
// The file of derivatives that the directives of the files ask for; *out NULL when there are errors, which are printed
// to messages and counted. depends: the rule for make. The caller frees both with ch_string_free.
ch_status cf_grad(const cf_job *job, FILE *messages, char **out, char **depends, int *errors);
// Functions as text: IR or C.
ch_status cf_ir(const cf_job *job, FILE *messages, char **out, int *errors);
const char *cf_explain(const char *code); // NULL: there is no such
const char *cf_code_at(int i);            // NULL past the last

#endif
