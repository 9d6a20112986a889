// SPDX-License-Identifier: Apache-2.0
// pages.h - the pages of docs/errors as text; pages.c is made by scripts/genpages.
#ifndef CHAAC_TOOLS_PAGES_H
#define CHAAC_TOOLS_PAGES_H

typedef struct error_page {
    const char *id, *text;
} error_page;
extern const error_page error_pages[]; // the last has no id

#endif
