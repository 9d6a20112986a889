// SPDX-License-Identifier: Apache-2.0
// engines.c - the engines of this library. The only file that names them.

#include "rt/rt.h"

extern const ch__engine ch__engine_interp;
extern const ch__engine ch__engine_iree;
extern const ch__engine ch__engine_native;
extern const ch__engine ch__engine_pjrt;

static const ch__engine *const engines[] = {
    &ch__engine_interp,
    &ch__engine_native,
    &ch__engine_iree,
    &ch__engine_pjrt,
};

const ch__engine *ch__engine_at(int i) {
    int n = (int)(sizeof engines / sizeof engines[0]);
    return i >= 0 && i < n ? engines[i] : NULL;
}
