// SPDX-License-Identifier: Apache-2.0
// arena.c - where the arrays of one run lie in one piece of memory.
//
// Arrays are placed largest first, each at the lowest place where it overlaps none that is in use at the same time. The
// peak of what is in use at once is a lower bound; tests see that random programs stay within 10 % of it.
#include "cgen/cgen.h"

#include <stdlib.h>

typedef struct {
    int index;
    int64_t bytes;
} sized;

static int larger_first(const void *a, const void *b) {
    const sized *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : x->index - y->index;
}

static int64_t rounded_up(int64_t n, int64_t align) { return (n + align - 1) / align * align; }

static bool at_once(ch__c_live a, ch__c_live b) { return a.first <= b.last && b.first <= a.last; }

// order[0 .. n-1] are placed, from the lowest; where does one with these bytes fit?
static int64_t lowest_place(int n, const int *order, const ch__c_live *live, const int64_t *bytes, const int64_t *at,
                            ch__c_live own, int64_t own_bytes, int64_t align) {
    int64_t place = 0;
    for (int i = 0; i < n; i++) {
        int k = order[i];
        if (!at_once(live[k], own)) continue;
        if (at[k] >= place + own_bytes) break; // it fits before this one and all that follow
        int64_t end = at[k] + rounded_up(bytes[k], align);
        if (end > place) place = end;
    }
    return place;
}

int64_t ch__c_arrange(int n, const ch__c_live *live, const int64_t *bytes, int64_t align, int64_t *at) {
    if (n == 0) return 0;
    sized *by_size = ch__alloc((size_t)n * sizeof *by_size);
    int *order = ch__alloc((size_t)n * sizeof *order), placed = 0;
    int64_t all = 0, sum = 0;
    if (by_size == NULL || order == NULL) all = -2;
    for (int i = 0; i < n && all >= 0; i++) {
        by_size[i] = (sized){i, bytes[i]};
        if (bytes[i] < 0 || bytes[i] > INT64_MAX / 4 || !ch__add_i64(sum, rounded_up(bytes[i], align), &sum)) all = -1;
    }
    if (all >= 0) qsort(by_size, (size_t)n, sizeof *by_size, larger_first);
    for (int i = 0; i < n && all >= 0; i++) {
        int k = by_size[i].index, to = placed;
        at[k] = 0;
        if (live[k].first < 0 || bytes[k] == 0) continue;
        at[k] = lowest_place(placed, order, live, bytes, at, live[k], rounded_up(bytes[k], align), align);
        for (; to > 0 && at[order[to - 1]] > at[k]; to--) order[to] = order[to - 1];
        order[to] = k;
        placed++;
        if (at[k] + rounded_up(bytes[k], align) > all) all = at[k] + rounded_up(bytes[k], align);
    }
    ch__free(by_size);
    ch__free(order);
    return all;
}
