// SPDX-License-Identifier: Apache-2.0
// cmd_explain.c - chaac explain: the page of an error identifier, or what a func will do.
//
// The pages are docs/errors/*.md, which scripts/genpages writes into pages.c as text for a terminal.
#include <string.h>

#include "cli.h"
#include "cmd_c.h"
#include "pages.h"
#include "source.h"

static const char *page_of(const char *id) {
    for (int i = 0; error_pages[i].id != NULL; i++)
        if (strcmp(error_pages[i].id, id) == 0) return error_pages[i].text;
    return "";
}

// Of the library's identifiers and the codes of the C front end; NULL: there is no such.
static const char *meaning_of(const char *id) {
    const char *meaning = ch_error_explain(id);
    return meaning != NULL ? meaning : explain_c(id);
}

static void explain_json(const char *id) {
    printf("{\"id\": \"%s\", \"meaning\": ", id);
    json_text(meaning_of(id));
    printf(", \"page\": ");
    json_text(page_of(id));
    printf("}");
}

static void list_one(const char *id, bool json, bool first) {
    if (json) {
        printf("%s\n", first ? "" : ",");
        explain_json(id);
    } else {
        printf("%s: %s\n", id, meaning_of(id));
    }
}

static void explain_list(bool json) {
    if (json) printf("[");
    for (int i = 0; ch_error_id_at(i) != NULL; i++) list_one(ch_error_id_at(i), json, i == 0);
    for (int i = 0; c_code_at(i) != NULL; i++) list_one(c_code_at(i), json, false);
    if (json) printf("\n]\n");
}

static int explain_file(const char *path) {
    ch_func *f = NULL;
    if (load_source(path, NULL, &f) != CH_OK) return library_error();
    int status = ch_explain(f, stdout) == CH_OK ? OK : library_error();
    ch_func_destroy(f);
    return status;
}

int cmd_explain(int argc, char **argv) {
    const char *what = NULL;
    bool json = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (argv[i][0] == '-')
            return usage_error("explain", "\"%s\" is not known here", argv[i]);
        else if (what == NULL)
            what = argv[i];
        else
            return usage_error("explain", "\"%s\" is one argument too many", argv[i]);
    }
    if (what == NULL) {
        explain_list(json);
        return OK;
    }
    if (meaning_of(what) != NULL) {
        if (json) {
            explain_json(what);
            putchar('\n');
        } else {
            printf("%s: %s\n", what, meaning_of(what));
            if (page_of(what)[0] != '\0') printf("\n%s", page_of(what));
        }
        return OK;
    }
    if (strchr(what, '.') == NULL && strchr(what, '/') == NULL) {
        fprintf(stderr, "chaac explain: there is no identifier \"%s\" — `chaac explain` lists them\n", what);
        return USAGE;
    }
    if (json) return usage_error("explain", "--json goes with an identifier or with nothing, not with a file");
    return explain_file(what);
}
