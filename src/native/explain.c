// SPDX-License-Identifier: Apache-2.0
// explain.c - what the native engine makes of a func: its loop nests and library calls, a line on each, and the arrays
// whose memory is planned; and whether runs begin on the interpreter. Nothing is compiled.
#include "native/native.h"

void ch__native_explain(ch__text *t, const ch_func *given) {
    ch__arena *a = ch__arena_create();
    ch__text source;
    ch__c_native c = {.timed = false};
    ch_func *f = ch__func_clone(given);
    ch__inline_composites(f);
    ch__optimize(f);
    ch__text_init(&source, a);
    ch__native_source(&source, f, &c);
    int n = c.n_kernels + c.n_loops + c.n_calls;
    ch__putf(t, "  native: %d %s (shared out among threads %d, other loops %d, library calls %d), %d %s\n", n,
             n == 1 ? "kernel" : "kernels", c.n_kernels, c.n_loops, c.n_calls, c.n_arrays,
             c.n_arrays == 1 ? "array of its own" : "arrays of its own");
    int64_t *at = CH_NEW_ARRAY(a, int64_t, c.n_arrays + 1), arena = 0;
    bool known = c.n_arrays > 0;
    for (int i = 0; i < c.n_arrays; i++) known = known && c.bytes[i] >= 0;
    if (known) arena = ch__c_arrange(c.n_arrays, c.arrays, c.bytes, 64, at);
    if (known && arena >= 0) ch__putf(t, "  arena of a run: %" PRId64 " bytes\n", arena);
    if (ch__native_tier_of(f, false) != CH__TIERS_NONE)
        ch__put(t, "  runs begin on the interpreter, until a thread has made the code\n");
    if (c.notes != NULL) ch__put(t, c.notes);
    ch__module_destroy(f->module);
    ch__arena_destroy(a);
}
