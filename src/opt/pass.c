// SPDX-License-Identifier: Apache-2.0
// pass.c - the table of passes.
#include "opt/opt.h"

#include <stdatomic.h>
#include <string.h>

static const ch__pass pass_rows[] = {
#define PASS(name, run, what) {#name, run, what},
#include "opt/passes.def"
#undef PASS
};

const ch__pass *ch__pass_at(int i) {
    return i >= 0 && i < (int)(sizeof pass_rows / sizeof *pass_rows) ? &pass_rows[i] : NULL;
}

const ch__pass *ch__pass_find(const char *name) {
    for (int i = 0; ch__pass_at(i); i++)
        if (ch__streq(pass_rows[i].name, name)) return &pass_rows[i];
    return NULL;
}

const char *ch_pass_name(int i) { return ch__pass_at(i) ? ch__pass_at(i)->name : NULL; }
const char *ch_pass_what(int i) { return ch__pass_at(i) ? ch__pass_at(i)->what : NULL; }

// What CHAAC_DEBUG asks for and is not there is said once.
static void say_unknown(const char *names) {
    static atomic_bool said;
    for (const char *p = names; *p != '\0';) {
        size_t k = strcspn(p, ",");
        bool known =
            k == 0 || (k == 10 && memcmp(p, "composites", k) == 0) || (k == 8 && memcmp(p, "optimize", k) == 0);
        if (!known && !atomic_exchange(&said, true))
            ch__log(2,
                    "environment: CHAAC_DEBUG is \"%s\", and there is no \"%.*s\" — composites and optimize are shown",
                    names, (int)k, p);
        p += k + (p[k] == ',');
    }
}

void ch__debug_after(const char *pass, const ch_func *f) {
    const char *names = ch__env("CHAAC_DEBUG");
    size_t n = strlen(pass);
    say_unknown(names == NULL ? "" : names);
    for (const char *p = names == NULL ? "" : names; *p != '\0';) {
        size_t k = strcspn(p, ",");
        if (k == n && strncmp(p, pass, n) == 0) {
            ch__arena *scratch = ch__arena_create();
            ch__text t;
            ch__text_init(&t, scratch);
            ch__putf(&t, "after %s:\n", pass);
            ch__print_func(&t, f);
            ch__log_text(0, t.data);
            ch__arena_destroy(scratch);
            return;
        }
        p += k + (p[k] == ',');
    }
}
