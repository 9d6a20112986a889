// SPDX-License-Identifier: Apache-2.0
// bench_hlo.c - StableHLO text written and read: programs of 10,000 and 100,000 operations, milliseconds of each; the
// training step of a GPT as JAX prints it (hlo_gpt.c).
//
// The bars: 10,000 operations are written in 30 ms and read in 60 ms, and ten times as many take about ten times as
// long.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "chaac/chaac.h"
#include "hlo_gpt.h"

enum { RUNS = 7 };

static char *program(int ops) {
    size_t cap = (size_t)ops * 64 + 200, n = 0;
    char *text = malloc(cap);
    if (!text) abort();
    n += (size_t)snprintf(text + n, cap - n, "chaac-ir 1\nfunc @f(%%x: f32[4,8]) -> f32[4,8] {\n");
    for (int i = 0; i < ops; i++) {
        char from[24];
        snprintf(from, sizeof from, i ? "%%%d" : "%%x", i - 1);
        n += (size_t)snprintf(text + n, cap - n,
                              i % 3 == 0   ? "  %%%d = tanh %s : f32[4,8]\n"
                              : i % 3 == 1 ? "  %%%d = mul %s, %%x : f32[4,8]\n"
                                           : "  %%%d = add %s, %%x : f32[4,8]\n",
                              i, from);
    }
    snprintf(text + n, cap - n, "  return %%%d\n}\n", ops - 1);
    return text;
}

int main(void) {
    for (int ops = 10000; ops <= 100000; ops *= 10) {
        char *text = program(ops), *out = NULL;
        ch_func *f = NULL;
        double write[RUNS], read[RUNS];
        if (ch_func_parse(text, "bench.ir", &f) != CH_OK) abort();
        for (int turn = 0; turn < RUNS; turn++) {
            ch_func *g = NULL;
            ch_string_free(out);
            double t = bench_now();
            if (ch_hlo_to_text(f, NULL, &out) != CH_OK) abort();
            write[turn] = (bench_now() - t) * 1e3;
            t = bench_now();
            if (ch_hlo_parse(out, "bench.mlir", NULL, &g) != CH_OK) abort();
            read[turn] = (bench_now() - t) * 1e3;
            ch_func_destroy(g);
        }
        char name[40];
        snprintf(name, sizeof name, "hlo write %d", ops);
        bench_report(name, write, RUNS, "ms", ops == 10000 ? 30 : 0);
        snprintf(name, sizeof name, "hlo read %d", ops);
        bench_report(name, read, RUNS, "ms", ops == 10000 ? 60 : 0);
        ch_string_free(out);
        ch_func_destroy(f);
        free(text);
    }
    return hlo_gpt();
}
