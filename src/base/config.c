// SPDX-License-Identifier: Apache-2.0
// config.c - the environment variables of env.def, for `chaac env`.

#include "base/base.h"

typedef struct {
    const char *name, *fallback, *what;
} variable;

static const variable variables[] = {
#define ENV(name, fallback, what) {#name, fallback, what},
#include "base/env.def"
#undef ENV
};

static const variable *variable_at(int i) {
    return i >= 0 && (size_t)i < sizeof variables / sizeof variables[0] ? &variables[i] : NULL;
}

const char *ch_config_name(int i) { return variable_at(i) == NULL ? NULL : variable_at(i)->name; }
const char *ch_config_value(int i) { return variable_at(i) == NULL ? NULL : ch__env(variable_at(i)->name); }
const char *ch_config_default(int i) { return variable_at(i) == NULL ? NULL : variable_at(i)->fallback; }
const char *ch_config_what(int i) { return variable_at(i) == NULL ? NULL : variable_at(i)->what; }
