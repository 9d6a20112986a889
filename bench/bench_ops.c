// SPDX-License-Identifier: Apache-2.0
// bench_ops.c - what one tensor operation costs: building and realizing it on 4 floats, the end of a scope, a write in
// place, and whether a million operations in scopes leave memory behind.
#include <chaac/chaac.h>

#include "bench.h"

enum { RUNS = 7, OPS = 20000, MANY = 1000000 };

static void must(ch_status s) {
    if (s == CH_OK) return;
    fprintf(stderr, "%s\n", ch_error_message());
    exit(1);
}

// Resident pages of this process.
static long resident(void) {
    long size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%ld %ld", &size, &pages) != 2) pages = 0;
    fclose(f);
    return pages;
}

int main(void) {
    const float data[4] = {1, 2, 3, 4};
    const int64_t dims[1] = {4};
    ch_tensor *a = ch_keep(ch_from_f32(data, 1, dims));
    double runs[RUNS];
    for (int r = 0; r < RUNS; r++) {
        const double start = bench_now();
        for (int i = 0; i < OPS; i++) {
            ch_scope s = ch_scope_begin();
            must(ch_realize(ch_add(a, a)));
            must(ch_scope_end(s));
        }
        runs[r] = (bench_now() - start) / OPS * 1e6;
    }
    bench_report("build and realize one op on 4 floats", runs, RUNS, "us", 3);

    for (int r = 0; r < RUNS; r++) { // 100,000 tensors in one scope: what its end takes
        ch_scope s = ch_scope_begin();
        for (int i = 0; i < 100000; i++) ch_add(a, a);
        const double start = bench_now();
        must(ch_scope_end(s));
        runs[r] = (bench_now() - start) * 1e3;
    }
    bench_report("end of a scope of 100,000 tensors", runs, RUNS, "ms", 10);

    ch_tensor *cache = ch_keep(ch_zeros(CH_F32, 1, (int64_t[]){1 << 22})); // 16 MiB: a copy would take a millisecond
    must(ch_realize(cache));
    for (int r = 0; r < RUNS; r++) {
        const double start = bench_now();
        for (int i = 0; i < 2000; i++) {
            ch_scope s = ch_scope_begin();
            must(ch_assign(ch_slice_axis(cache, 0, i, i + 4), a));
            must(ch_realize(cache));
            must(ch_scope_end(s));
        }
        runs[r] = (bench_now() - start) / 2000 * 1e6;
    }
    bench_report("4 floats written into 16 MiB in place", runs, RUNS, "us", 20);
    ch_release(cache);

    const int64_t alive = ch_tensors_alive();
    long before = 0;
    for (int i = 0; i < MANY; i++) {
        if (i == MANY / 10) before = resident(); // after caches and the allocator have found their size
        ch_scope s = ch_scope_begin();
        must(ch_realize(ch_mul(a, a)));
        must(ch_scope_end(s));
    }
    double left[1] = {(double)(ch_tensors_alive() - alive)};
    bench_report("tensors left by a million ops", left, 1, "tensors", 0);
    double grown[1] = {(double)(resident() - before)};
    bench_report("pages grown over the last 900,000 of a million ops", grown, 1, "pages", 16);
    ch_release(a);
    ch_thread_end();
    return left[0] == 0 ? 0 : 1;
}
