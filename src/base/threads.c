// SPDX-License-Identifier: Apache-2.0
// threads.c - the passive worker pool.
//
// One job at a time: the caller publishes it, works on it, and waits until the workers have left it. Pieces are handed
// out by an atomic counter; where they begin depends on n, grain and the configured number of threads only, never on
// who runs them, so a result per piece is the same in every run. Workers sleep on a condition variable.
//
// A call from inside a piece, or while another thread has the pool, runs its pieces on its own thread. After fork the
// child has no workers; it forgets the pool and starts a new one at the first use.
#include "base/base.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#define THREADS_MOST 256
#define THREADS_PIECES 4 // for each thread, so that a slow one does not hold up the rest

typedef struct {
    void (*fn)(void *arg, int64_t begin, int64_t end);
    void *arg;
    int64_t n, pieces;
    _Atomic int64_t next;
} threads_job;

static pthread_mutex_t threads_owner = PTHREAD_MUTEX_INITIALIZER; // held by the thread whose job runs
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;  // guards what follows
static pthread_cond_t threads_work = PTHREAD_COND_INITIALIZER, threads_done = PTHREAD_COND_INITIALIZER;
static pthread_t threads_workers[THREADS_MOST];
static int threads_started; // workers that run
static threads_job *threads_current;
static uint64_t threads_serial; // of the current job
static int threads_active;      // workers inside it
static bool threads_stop;

static _Thread_local bool threads_inside;

static pthread_once_t threads_once = PTHREAD_ONCE_INIT;
static int threads_configured;

static int threads_cores(void) {
#if defined(__linux__) && defined(SYS_sched_getaffinity)
    unsigned char mask[1024]; // 8,192 processors
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    int cores = 0;
    for (long i = 0; i < bytes; i++)
        for (unsigned m = mask[i]; m; m &= m - 1) cores++;
    if (cores > 0) return cores;
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static void threads_after_fork(void) {
    pthread_mutex_init(&threads_owner, NULL);
    pthread_mutex_init(&threads_lock, NULL);
    pthread_cond_init(&threads_work, NULL);
    pthread_cond_init(&threads_done, NULL);
    threads_started = 0;
    threads_current = NULL;
    threads_active = 0;
    threads_stop = false;
}

static void threads_configure(void) {
    int cores = threads_cores();
    if (cores > THREADS_MOST) cores = THREADS_MOST;
    threads_configured = (int)ch__env_int("CHAAC_NUM_THREADS", cores, 1, THREADS_MOST);
    pthread_atfork(NULL, NULL, threads_after_fork);
}

int ch__num_threads(void) {
    pthread_once(&threads_once, threads_configure);
    return threads_configured;
}

static void threads_run(threads_job *j) {
    int64_t each = j->n / j->pieces, extra = j->n % j->pieces; // the first `extra` pieces are longer by one
    for (;;) {
        int64_t i = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
        if (i >= j->pieces) return;
        int64_t begin = i * each + (i < extra ? i : extra);
        j->fn(j->arg, begin, begin + each + (i < extra));
    }
}

static void *threads_worker(void *unused) {
    (void)unused;
    fesetenv(FE_DFL_ENV); // not the rounding mode of whoever started the pool
    threads_inside = true;
    uint64_t seen = 0;
    pthread_mutex_lock(&threads_lock);
    for (;;) {
        while (!threads_stop && (!threads_current || threads_serial == seen))
            pthread_cond_wait(&threads_work, &threads_lock);
        if (threads_stop) break;
        threads_job *j = threads_current;
        seen = threads_serial;
        threads_active++;
        pthread_mutex_unlock(&threads_lock);
        threads_run(j);
        pthread_mutex_lock(&threads_lock);
        if (--threads_active == 0) pthread_cond_signal(&threads_done);
    }
    pthread_mutex_unlock(&threads_lock);
    return NULL;
}

// With both locks held. A thread that cannot be started is done without: only speed depends on it.
static void threads_start(int workers) {
    if (threads_started >= workers) return;
    sigset_t all, before; // signals are for the program's own threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (threads_started < workers &&
           pthread_create(&threads_workers[threads_started], NULL, threads_worker, NULL) == 0)
        threads_started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void threads_share(threads_job *j) {
    pthread_mutex_lock(&threads_lock);
    threads_start(ch__num_threads() - 1);
    threads_current = j;
    threads_serial++;
    if (j->pieces - 1 >= threads_started)
        pthread_cond_broadcast(&threads_work);
    else
        for (int64_t i = 1; i < j->pieces; i++) pthread_cond_signal(&threads_work);
    pthread_mutex_unlock(&threads_lock);

    threads_inside = true;
    threads_run(j);
    threads_inside = false;

    pthread_mutex_lock(&threads_lock);
    threads_current = NULL; // a worker that wakes up only now finds nothing to do
    while (threads_active > 0) pthread_cond_wait(&threads_done, &threads_lock);
    pthread_mutex_unlock(&threads_lock);
}

void ch__parallel_for(int64_t n, int64_t grain, void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) {
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    int threads = n <= grain ? 1 : ch__num_threads();
    if (threads == 1) {
        fn(arg, 0, n);
        return;
    }
    int64_t pieces = n / grain, most = (int64_t)threads * THREADS_PIECES;
    threads_job j = {.fn = fn, .arg = arg, .n = n, .pieces = pieces < most ? pieces : most};
    atomic_init(&j.next, 0);
    if (!threads_inside && j.pieces > 1 && pthread_mutex_trylock(&threads_owner) == 0) {
        threads_share(&j);
        pthread_mutex_unlock(&threads_owner);
    } else {
        threads_run(&j);
    }
}

void ch__threads_shutdown(void) {
    if (threads_inside) return;
    pthread_mutex_lock(&threads_owner);
    pthread_mutex_lock(&threads_lock);
    threads_stop = true;
    pthread_cond_broadcast(&threads_work);
    pthread_mutex_unlock(&threads_lock);
    for (int i = 0; i < threads_started; i++) pthread_join(threads_workers[i], NULL);
    pthread_mutex_lock(&threads_lock);
    threads_started = 0;
    threads_stop = false;
    pthread_mutex_unlock(&threads_lock);
    pthread_mutex_unlock(&threads_owner);
}
