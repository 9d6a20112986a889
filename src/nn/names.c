// SPDX-License-Identifier: Apache-2.0
// names.c - lists of parameter names: exact, by what they begin with, by pattern.

#include <string.h>

#include "nn/nn.h"

// * stands for any text, ? for any character; both ends are known. A star that fails is tried one character further.
static int name_matches_glob(const char *p, const char *p_end, const char *s) {
    const char *star = NULL, *from = NULL;
    while (*s != '\0') {
        if (p < p_end && (*p == '?' || *p == *s) && *p != '*') {
            p++;
            s++;
        } else if (p < p_end && *p == '*') {
            star = p++;
            from = s;
        } else if (star != NULL) {
            p = star + 1;
            s = ++from;
        } else {
            return 0;
        }
    }
    while (p < p_end && *p == '*') p++;
    return p == p_end;
}

static int covers(const char *entry, size_t n, const char *name) {
    if (memchr(entry, '*', n) != NULL || memchr(entry, '?', n) != NULL)
        return name_matches_glob(entry, entry + n, name);
    if (strncmp(entry, name, n) != 0) return 0;
    return name[n] == '\0' || name[n] == '.' || (n > 0 && entry[n - 1] == '.');
}

// The next entry from *p on, its length in *n; NULL: none.
static const char *next_entry(const char **p, size_t *n) {
    while (*p != NULL && (**p == ' ' || **p == ',')) (*p)++;
    if (*p == NULL || **p == '\0') return NULL;
    const char *entry = *p;
    *n = strcspn(entry, ", ");
    *p = entry + *n;
    return entry;
}

int ch_names_match(const char *list, const char *name) {
    size_t n;
    for (const char *p = list, *e; name != NULL && (e = next_entry(&p, &n)) != NULL;)
        if (covers(e, n, name)) return 1;
    return 0;
}

ch_status ch__names_check(const ch_model *m, const char *what, const char *list) {
    size_t n;
    for (const char *p = list, *e; (e = next_entry(&p, &n)) != NULL;) {
        int found = 0;
        for (int i = 0; i < m->n && !found; i++) found = covers(e, n, m->params[i].name);
        if (found) continue;
        ch__signature have = {0};
        for (int i = 0; i < m->n; i++) {
            if (i > 0) ch__signature_put(&have, ", ");
            ch__signature_put(&have, m->params[i].name);
        }
        ch_status s = ch_error_set("no_param", "%s: no parameter is named \"%.*s\" — the model has: %s", what, (int)n,
                                   e, have.text == NULL ? "none" : have.text);
        ch__signature_finish(&have);
        return s;
    }
    return CH_OK;
}
