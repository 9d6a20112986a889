// SPDX-License-Identifier: Apache-2.0
// share.c - how compiled code shares its loops out among threads: what is too little to gain from a second one stays.
#include "native/native.h"

enum { PART_WORK = 100000, SUM_PARTS = 16 }; // operations that are worth waking a thread for: about 20 microseconds

static _Thread_local const volatile int *watched;

bool ch__native_deterministic(void) { return ch__env_flag("CHAAC_DETERMINISTIC"); }

int ch__native_tiles(void) { return ch__native_deterministic() ? 8 : ch__num_threads(); }

void ch__native_watch(const volatile int *token) { watched = token; }

const volatile int *ch__native_watched(void) {
    static const volatile int never;
    return watched != NULL ? watched : &never;
}

// Somebody else's flag, that only ever becomes 1.
CH_NO_TSAN static bool is_asked_to_stop(const volatile int *token) { return *token != 0; }

bool ch__native_is_cancelled(void) { return watched != NULL && is_asked_to_stop(watched); }

// ---------------------------------------------------------------- loops that take long, of runs that may be cancelled
enum { LOOK_WORK = 10000000 }; // operations between two looks at the token: a tenth of a second of slow ones

typedef struct {
    const volatile int *token; // workers have none of their own
    void (*fn)(void *arg, int64_t begin, int64_t end);
    void *arg;
    int64_t step;
} watched_job;

static void watched_pieces(void *arg, int64_t begin, int64_t end) {
    const watched_job *j = arg;
    for (int64_t i = begin; i < end && !is_asked_to_stop(j->token); i += j->step)
        j->fn(j->arg, i, end - i < j->step ? end : i + j->step);
}

static int watched_parallel(int64_t n, int64_t work, void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) {
    watched_job j = {watched, fn, arg, LOOK_WORK / work + 1};
    ch__parallel_for(n, PART_WORK / work + 1, watched_pieces, &j);
    return is_asked_to_stop(j.token) ? CH__NATIVE_CANCELLED : 0;
}

int ch__native_parallel(int64_t n, int64_t work, void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) {
    if (ch__native_is_cancelled()) return CH__NATIVE_CANCELLED;
    if (watched != NULL && work > 0 && n > LOOK_WORK / work) return watched_parallel(n, work, fn, arg);
    int64_t grain = PART_WORK / (work > 0 ? work : 1) + 1;
    if (n > grain)
        ch__parallel_for(n, grain, fn, arg);
    else if (n > 0)
        fn(arg, 0, n);
    return 0;
}

// ---------------------------------------------------------------- several at once
typedef struct {
    const ch__native_nest *nests;
    const int64_t *first; // pieces before each nest, and all of them
    const volatile int *token;
} many_job;

static void many_pieces(void *arg, int64_t begin, int64_t end) {
    const many_job *j = arg;
    int k = 0;
    for (int64_t i = begin; i < end && !is_asked_to_stop(j->token); i++) {
        while (j->first[k + 1] <= i) k++;
        const ch__native_nest *nest = &j->nests[k];
        int64_t piece = i - j->first[k], pieces = j->first[k + 1] - j->first[k];
        nest->fn(nest->arg, piece * nest->n / pieces, (piece + 1) * nest->n / pieces);
    }
}

enum { MANY_AT_ONCE = 64 };

static void start_many(int n, const ch__native_nest *nests) {
    int64_t first[MANY_AT_ONCE + 1] = {0}, most = 4 * (int64_t)ch__num_threads();
    for (int i = 0; i < n; i++) {
        double pieces = (double)nests[i].n * (double)nests[i].work / PART_WORK;
        int64_t k = pieces < (double)most ? (int64_t)pieces : most;
        if (k > nests[i].n) k = nests[i].n;
        first[i + 1] = first[i] + (k > 0 ? k : nests[i].n > 0);
    }
    double work = 0;
    for (int i = 0; i < n; i++) work += (double)nests[i].n * (double)nests[i].work;
    many_job j = {nests, first, ch__native_watched()};
    if (work < 2 * PART_WORK)
        many_pieces(&j, 0, first[n]);
    else
        ch__parallel_for(first[n], 1, many_pieces, &j);
}

int ch__native_parallel_many(int n, const ch__native_nest *nests) {
    for (; n > 0; n -= MANY_AT_ONCE, nests += MANY_AT_ONCE) {
        if (ch__native_is_cancelled()) return CH__NATIVE_CANCELLED;
        start_many(n < MANY_AT_ONCE ? n : MANY_AT_ONCE, nests);
    }
    return ch__native_is_cancelled() ? CH__NATIVE_CANCELLED : 0;
}

// ---------------------------------------------------------------- sums over the outermost loop
typedef struct {
    int64_t n, parts;
    const volatile int *token;
    ch__native_sum_fn *fn;
    void *arg;
} sum_job;

static void sum_parts(void *arg, int64_t begin, int64_t end) {
    const sum_job *j = arg;
    for (int64_t i = begin; i < end && !is_asked_to_stop(j->token); i++)
        j->fn(j->arg, i * j->n / j->parts, (i + 1) * j->n / j->parts, i);
}

int64_t ch__native_sum(int64_t n, int64_t work, ch__native_sum_fn *fn, void *arg) {
    if (ch__native_is_cancelled()) return -1;
    double most = (double)n * (double)(work < 0 ? -work : work) / PART_WORK;
    int64_t parts = most < SUM_PARTS ? (int64_t)most : SUM_PARTS, useful = 4 * (int64_t)ch__num_threads();
    if (work < 0 && ch__num_threads() == 1) useful = 1;
    if (work < 0 && parts > useful) parts = useful;
    sum_job j = {n, parts, ch__native_watched(), fn, arg};
    if (j.parts > n) j.parts = n;
    if (j.parts <= 1) {
        j.parts = 1;
        fn(arg, 0, n, 0);
    } else {
        ch__parallel_for(j.parts, 1, sum_parts, &j);
    }
    return ch__native_is_cancelled() ? -1 : j.parts;
}
