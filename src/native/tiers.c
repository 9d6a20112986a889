// SPDX-License-Identifier: Apache-2.0
// tiers.c - code that is made by a thread of its own while the interpreter runs the func: of which funcs, and how.
//
// CHAAC_TIERS=on: of every func that is not on the disk; off: of none; unset: of long ones which the interpreter runs
// many times while they are compiled, because their arrays are small. One compiler runs at a time: several would take
// the cores from the program they are for. Who destroys an executable before its code is there stops the compiler; so
// does the end of the process, which waits until the compiler's files are removed. A child of fork has no such thread:
// there the func stays on the interpreter, and what the parent's thread held counts as free.
#include "native/native.h"
#include "opt/opt.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---------------------------------------------------------------- which funcs
// Measured, in seconds: what an operation takes to compile; what it takes on the interpreter, and each element and
// multiply-add of it. Fewer than LONG_FUNC operations compile in a second.
enum { LONG_FUNC = 1000, RUNS_MEANWHILE = 20 };
static const double op_compiles = 7e-4, op_runs = 2e-7, element_runs = 3e-9;

typedef struct {
    ch__arena *arena;
    const ch_func *func;
    double run; // of all operations so far; infinite: the sizes or the number of turns are not known
    int64_t n;
} tier_cost;

static double count_of_dim(ch__dim d) { return ch__dim_is_const(d) ? (double)d.val : HUGE_VAL; }

static void add_cost(void *arg, ch__op *op) {
    tier_cost *c = arg;
    c->n++;
    c->run += op_runs;
    if (op->n_regions > 0 || op->code == CH_OP_call) c->run = HUGE_VAL;
    for (int i = 0; i < op->n_results && c->run < HUGE_VAL; i++) {
        const ch__type *t = op->results[i].type;
        c->run += t->tape ? HUGE_VAL : element_runs * count_of_dim(ch__type_numel(c->arena, t));
    }
    if (c->run < HUGE_VAL) c->run += element_runs * count_of_dim(ch__op_flops(c->arena, op));
}

static void count_cost(void *arg) {
    tier_cost *c = arg;
    c->arena = ch__arena_create();
    ch__walk(c->func->body, add_cost, c);
    ch__arena_destroy(c->arena);
}

static bool says(const char *what, const char *a, const char *b, const char *c, const char *d) {
    return what != NULL && (ch__streq(what, a) || ch__streq(what, b) || ch__streq(what, c) || ch__streq(what, d));
}

ch__native_tier ch__native_tier_of(const ch_func *f, bool compiled_first) {
    const char *own = ch__env("CHAAC_TIERS");
    tier_cost c = {.func = f};
    if (says(own, "0", "off", "no", "false")) return CH__TIERS_NONE;
    bool forced = ch__env_flag("CHAAC_TIERS");
    if (ch__native_compiler() == NULL || (!forced && (compiled_first || ch__native_deterministic())))
        return CH__TIERS_NONE;
    if (ch__protect(count_cost, &c) != CH_OK) return CH__TIERS_NONE;
    bool pays = c.n >= LONG_FUNC && c.run * RUNS_MEANWHILE < op_compiles * (double)c.n;
    return pays ? CH__TIERS_TEXT_LATER : forced ? CH__TIERS_CODE_LATER : CH__TIERS_NONE;
}

// ---------------------------------------------------------------- the thread
struct ch__native_later {
    ch__native_later *next; // in later_list
    pthread_t thread;
    pid_t pid;
    bool ended;          // was waited for; under later_lock
    volatile int cancel; // read by the thread as a flag: it only ever becomes 1
    ch__native_work *work;
    void *arg;
};

static atomic_int compiling; // the process whose thread has the compiler; 0: none
static pthread_mutex_t later_lock = PTHREAD_MUTEX_INITIALIZER;
static ch__native_later
    *later_list;     // all that were begun and not destroyed, of this process and those it was forked of
static bool leaving; // the process ends: nothing more begins
static pthread_once_t later_once = PTHREAD_ONCE_INIT;

CH_NO_TSAN static bool is_given_up(const ch__native_later *l) { return l->cancel != 0; }
CH_NO_TSAN static void give_up(ch__native_later *l) { l->cancel = 1; }

static bool wait_for_compiler(const ch__native_later *l) {
    int mine = (int)getpid();
    for (;;) {
        int holder = 0;
        if (atomic_compare_exchange_strong(&compiling, &holder, mine)) return true;
        if (holder != mine && atomic_compare_exchange_strong(&compiling, &holder, mine)) return true;
        if (is_given_up(l)) return false;
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

static void *work_later(void *arg) {
    ch__native_later *l = arg;
    if (wait_for_compiler(l)) {
        l->work(l->arg, &l->cancel);
        atomic_store(&compiling, 0);
    }
    ch__pool_thread_end();
    return NULL;
}

// By the thread that ends the process, and by who destroys an executable: one of them waits.
static void end_thread(ch__native_later *l) {
    pthread_mutex_lock(&later_lock);
    bool mine = !l->ended && l->pid == getpid();
    l->ended = true;
    pthread_mutex_unlock(&later_lock);
    if (mine) pthread_join(l->thread, NULL);
}

static void leave_process(void) {
    pthread_mutex_lock(&later_lock);
    leaving = true;
    for (ch__native_later *l = later_list; l != NULL; l = l->next) give_up(l);
    pthread_mutex_unlock(&later_lock);
    for (bool more = true; more;) {
        pthread_mutex_lock(&later_lock);
        ch__native_later *l = later_list;
        while (l != NULL && (l->ended || l->pid != getpid())) l = l->next;
        if (l != NULL) l->ended = true;
        pthread_mutex_unlock(&later_lock);
        more = l != NULL;
        if (more) pthread_join(l->thread, NULL);
    }
}

static void lock_later(void) { pthread_mutex_lock(&later_lock); }
static void unlock_later(void) { pthread_mutex_unlock(&later_lock); }

static void prepare_process(void) {
    atexit(leave_process);
    pthread_atfork(lock_later, unlock_later, unlock_later);
}

static bool start_thread(ch__native_later *l) {
    sigset_t all, before; // signals are for the program's own threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = pthread_create(&l->thread, NULL, work_later, l) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

ch__native_later *ch__native_later_begin(ch__native_work *work, void *arg) {
    ch__native_later *l = ch__calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    l->work = work;
    l->arg = arg;
    l->pid = getpid();
    pthread_once(&later_once, prepare_process);
    pthread_mutex_lock(&later_lock);
    bool good = !leaving && start_thread(l);
    if (good) {
        l->next = later_list;
        later_list = l;
    }
    pthread_mutex_unlock(&later_lock);
    if (good) return l;
    ch__free(l);
    return NULL;
}

void ch__native_later_end(ch__native_later *l) {
    if (l == NULL) return;
    give_up(l);
    end_thread(l);
    pthread_mutex_lock(&later_lock);
    ch__native_later **at = &later_list;
    while (*at != l) at = &(*at)->next;
    *at = l->next;
    pthread_mutex_unlock(&later_lock);
    ch__free(l);
}
