// SPDX-License-Identifier: Apache-2.0
// replicas.c - one program run by several replicas that meet in its collectives.
//
// Every replica has a thread, and one of them runs at a time: a replica goes on until it meets the others (or ends) and
// hands the turn to the next. When the last has had its turn all must wait in the same operation; what else there is
// (one ended, another operation) is the mistake of a program whose replicas took different ways, and is said instead of
// waited for. So runs, errors and the order of allocations are the same every time, and nothing is shared unguarded.
//
// An operation meets twice: when everybody's operand is there, and when everybody has read them.
#include "interp/exec.h"

#include <pthread.h>
#include <signal.h>

#define STACK_BYTES ((size_t)8 << 20)

typedef struct {
    struct ch__world *world;
    int number;
    pthread_t thread;
    bool started, ended;
    const ch__instr *at;   // where it waits
    const ch__cell *given; // what it brings there
    ch__limits limits;
    const ch__slot *in;
    ch__slot *out;
} replica;

struct ch__world {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    int n, turn; // turn n: all have ended
    bool stopped, failed;
    ch__error_copy error;
    const ch__program *p;
    int n_in, n_out;
    replica *all;
};

int ch__world_size(const ch__run *r) { return r->limits.world ? r->limits.world->n : 1; }
int ch__world_replica(const ch__run *r) { return r->limits.world ? r->limits.replica : 0; }
const ch__cell *ch__world_given(const ch__run *r, int64_t number, const ch__cell *own) {
    return r->limits.world ? r->limits.world->all[number].given : own;
}

// ---------------------------------------------------------------- turns, with the lock held
static void where_is(const replica *r, char *out, size_t n) {
    const ch__op *op = r->at ? r->at->op : NULL;
    const char *name = op ? ch__op_name((ch__opcode)op->code) : "";
    if (r->ended)
        snprintf(out, n, "replica %d has ended", r->number);
    else if (op->loc && op->loc->file)
        snprintf(out, n, "replica %d is in %s (%s:%d)", r->number, name, op->loc->file, op->loc->line);
    else
        snprintf(out, n, "replica %d is in %s", r->number, name);
}

// Everybody had a turn. All in one operation, or all at the end, is how it should be.
static void check_turns(ch__world *w) {
    if (w->stopped) return;
    for (int i = 1; i < w->n; i++) {
        const replica *x = &w->all[0], *y = &w->all[i];
        if (x->ended == y->ended && (x->ended || x->at->op == y->at->op)) continue;
        char a[200], b[200];
        where_is(x, a, sizeof a);
        where_is(y, b, sizeof b);
        ch__fail(CH__E_replicas_differ, "%s: %s, %s — every replica runs the same collectives in the same order",
                 w->p->f->name, a, b);
        ch__error_save(&w->error);
        w->failed = w->stopped = true;
        return;
    }
}

static void pass_turn(ch__world *w, int from) {
    for (int step = 0; step <= w->n; step++) {
        if (++from == w->n) {
            check_turns(w);
            from = 0;
        }
        if (w->all[from].ended) continue;
        w->turn = from;
        pthread_cond_broadcast(&w->turned);
        return;
    }
    w->turn = w->n;
    pthread_cond_broadcast(&w->turned);
}

static void wait_turn(ch__world *w, int me) {
    while (w->turn != me) pthread_cond_wait(&w->turned, &w->lock);
}

ch_status ch__world_meet(const ch__run *run, const ch__instr *s, const ch__cell *given) {
    ch__world *w = run->limits.world;
    if (!w) return CH_OK;
    int me = run->limits.replica;
    pthread_mutex_lock(&w->lock);
    w->all[me].at = s;
    if (given) w->all[me].given = given; // it stays until everybody has read it
    pass_turn(w, me);
    wait_turn(w, me);
    bool stopped = w->stopped;
    pthread_mutex_unlock(&w->lock);
    return stopped ? ch__op_fail(s, CH__E_cancelled, "another replica stopped") : CH_OK;
}

// ---------------------------------------------------------------- threads
static void *run_replica(void *arg) {
    replica *r = arg;
    ch__world *w = r->world;
    pthread_mutex_lock(&w->lock);
    wait_turn(w, r->number);
    bool go = !w->stopped;
    pthread_mutex_unlock(&w->lock);
    ch_status s = go ? ch__interp_run(w->p, &r->limits, w->n_in, r->in, w->n_out, r->out) : CH_OK;
    pthread_mutex_lock(&w->lock);
    if (s != CH_OK && !w->failed) {
        char who[40];
        snprintf(who, sizeof who, "replica %d", r->number);
        ch__error_prefix(who);
        ch__error_save(&w->error);
        w->failed = w->stopped = true;
    }
    r->ended = true;
    pass_turn(w, r->number);
    pthread_mutex_unlock(&w->lock);
    ch__pool_thread_end();
    return NULL;
}

// All threads, or none that goes on: the first turn is given when every one is there.
static void run_threads(ch__world *w) {
    pthread_attr_t attr;
    sigset_t all, before; // signals are for the program's own threads
    int started = 0;
    bool have = pthread_attr_init(&attr) == 0;
    if (have) pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; have && started < w->n; started++)
        if (pthread_create(&w->all[started].thread, &attr, run_replica, &w->all[started]) != 0) break;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (have) pthread_attr_destroy(&attr);
    pthread_mutex_lock(&w->lock);
    if (started < w->n) {
        ch__fail(CH__E_limit, "%s: thread %d of %d for its replicas could not be started — run fewer", w->p->f->name,
                 started + 1, w->n);
        ch__error_save(&w->error);
        w->failed = w->stopped = true;
        for (int i = started; i < w->n; i++) w->all[i].ended = true;
    }
    pass_turn(w, -1);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < started; i++) pthread_join(w->all[i].thread, NULL);
}

// Results that were made before another replica failed.
static void drop_made(const ch__world *w, const bool *given) {
    for (int i = 0; i < w->n * w->n_out; i++) {
        ch__slot *out = &w->all[i / w->n_out].out[i % w->n_out];
        if (given[i] || !out->data) continue;
        ch__free_aligned(out->data);
        out->data = NULL;
    }
}

ch_status ch__interp_run_replicas(const ch__program *p, const ch__limits *limits, int n, int n_in, const ch__slot *in,
                                  int n_out, ch__slot *out) {
    if (n < 1 || n > CH__MAX_THREADED)
        return ch__fail(CH__E_argument, "%s: %d replicas — 1 to %d run together here", p->f->name, n, CH__MAX_THREADED);
    ch__world w = {.n = n, .turn = -1, .p = p, .n_in = n_in, .n_out = n_out};
    w.all = ch__calloc((size_t)n, sizeof *w.all);
    bool *given = ch__calloc((size_t)n * (size_t)n_out + 1, sizeof *given);
    if (!w.all || !given) {
        ch__free(w.all);
        ch__free(given);
        return ch__fail_oom("replicas");
    }
    for (int i = 0; i < n * n_out; i++) given[i] = out[i].data != NULL;
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.turned, NULL);
    for (int i = 0; i < n; i++) {
        replica *r = &w.all[i];
        *r = (replica){.world = &w, .number = i, .in = in + (int64_t)i * n_in, .out = out + (int64_t)i * n_out};
        if (limits) r->limits = *limits;
        r->limits.world = &w;
        r->limits.replica = i;
    }
    run_threads(&w);
    if (w.failed) drop_made(&w, given);
    pthread_cond_destroy(&w.turned);
    pthread_mutex_destroy(&w.lock);
    ch__free(w.all);
    ch__free(given);
    return w.failed ? ch__error_publish(&w.error) : CH_OK;
}
