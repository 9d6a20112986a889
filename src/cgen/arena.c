// SPDX-License-Identifier: Apache-2.0
// arena.c - where the arrays of one run lie in one piece of memory.
//
// Arrays are placed one after the other, each at the lowest place where it overlaps none that is in use at the same
// time. What that needs depends on their order: largest first is best nearly always; where it leaves more than a
// twentieth over the least there can be (what is in use at one time), others are tried: by bytes times how long, by how
// long, by first use, and some at random, always the same ones. Tests see that random programs stay within 10 % of it.
#include "cgen/cgen.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int index;
    double key;
} ordered;

static int larger_first(const void *a, const void *b) {
    const ordered *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? 1 : -1) : x->index - y->index;
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

typedef struct {
    int n;
    const ch__c_live *live;
    const int64_t *bytes;
    int64_t align;
    ordered *by_key;
    int *order; // placed, from the lowest
} arrangement;

// In the order of the keys; gives the bytes of the whole.
static int64_t place_by_key(arrangement *r, int64_t *at) {
    int64_t all = 0;
    int placed = 0;
    qsort(r->by_key, (size_t)r->n, sizeof *r->by_key, larger_first);
    for (int i = 0; i < r->n; i++) {
        int k = r->by_key[i].index, to = placed;
        at[k] = 0;
        if (r->live[k].first < 0 || r->bytes[k] == 0) continue;
        int64_t bytes = rounded_up(r->bytes[k], r->align);
        at[k] = lowest_place(placed, r->order, r->live, r->bytes, at, r->live[k], bytes, r->align);
        for (; to > 0 && at[r->order[to - 1]] > at[k]; to--) r->order[to] = r->order[to - 1];
        r->order[to] = k;
        placed++;
        if (at[k] + bytes > all) all = at[k] + bytes;
    }
    return all;
}

// The most bytes that are in use at one time: when some array begins.
static int64_t least_there_can_be(const arrangement *r) {
    int64_t most = 0;
    for (int i = 0; i < r->n; i++) {
        int64_t used = 0;
        for (int k = 0; k < r->n && r->live[i].first >= 0; k++)
            if (r->live[k].first >= 0 && r->live[k].first <= r->live[i].first && r->live[i].first <= r->live[k].last)
                used += rounded_up(r->bytes[k], r->align);
        if (used > most) most = used;
    }
    return most;
}

enum { ORDERS = 4, RANDOM_ORDERS = 60, MANY_ARRAYS = 400, VERY_MANY = 2000 };

static double key_of(const arrangement *r, int order, int i) {
    double bytes = (double)r->bytes[i], time = r->live[i].last - r->live[i].first + 1;
    switch (order) {
    case 0: return bytes;
    case 1: return bytes * time;
    case 2: return time;
    case 3: return -(double)r->live[i].first;
    default: return bytes * (double)(1 + ch__hash_u64((uint64_t)order * 65536 + (uint64_t)i) % 4);
    }
}

static int64_t best_of_orders(arrangement *r, int64_t *at, int64_t *trial) {
    int64_t best = INT64_MAX, least = -1;
    int orders = r->n <= MANY_ARRAYS ? ORDERS + RANDOM_ORDERS : r->n <= VERY_MANY ? ORDERS : 1;
    for (int o = 0; o < orders; o++) {
        for (int i = 0; i < r->n; i++) r->by_key[i] = (ordered){i, key_of(r, o, i)};
        int64_t all = place_by_key(r, trial);
        if (all < best) memcpy(at, trial, (size_t)r->n * sizeof *at);
        if (all < best) best = all;
        if (orders == 1) break;
        if (least < 0) least = least_there_can_be(r);
        if (best <= least + least / 20) break;
    }
    return best;
}

int64_t ch__c_arrange(int n, const ch__c_live *live, const int64_t *bytes, int64_t align, int64_t *at) {
    int64_t sum = 0;
    if (n == 0) return 0;
    for (int i = 0; i < n; i++)
        if (bytes[i] < 0 || bytes[i] > INT64_MAX / 4 || !ch__add_i64(sum, rounded_up(bytes[i], align), &sum)) return -1;
    arrangement r = {n, live, bytes, align, ch__alloc((size_t)n * sizeof *r.by_key), NULL};
    r.order = ch__alloc((size_t)n * sizeof *r.order);
    int64_t *trial = ch__alloc((size_t)n * sizeof *trial), all = -2;
    if (r.by_key != NULL && r.order != NULL && trial != NULL) all = best_of_orders(&r, at, trial);
    ch__free(r.by_key);
    ch__free(r.order);
    ch__free(trial);
    return all;
}
