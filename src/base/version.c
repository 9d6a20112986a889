// SPDX-License-Identifier: Apache-2.0
// version.c - the version the running library was built as.
#include "chaac/version.h"

const char *ch_version(void) { return CHAAC_VERSION; }
