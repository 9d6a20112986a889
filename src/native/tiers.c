// SPDX-License-Identifier: Apache-2.0
// tiers.c - code that is compiled by a thread of its own while the interpreter runs the func (CHAAC_TIERS=on).
//
// One compiler runs at a time: several would take the cores from the program they are for. Who destroys an executable
// before its code is there stops the compiler. A child of fork has no such thread: there the func stays on the
// interpreter, and what the parent's thread held counts as free.
#include "native/native.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct ch__native_later {
    pthread_t thread;
    pid_t pid;
    volatile int cancel; // read by the thread as a flag: it only ever becomes 1
    char *name, *source;
    size_t n;
    ch__native_done *done;
    void *arg;
};

static atomic_int compiling; // the process whose thread has the compiler; 0: none

bool ch__native_tiers(void) { return ch__env_flag("CHAAC_TIERS"); }

CH_NO_TSAN static bool is_given_up(const ch__native_later *l) { return l->cancel != 0; }

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

static void *compile_later(void *arg) {
    ch__native_later *l = arg;
    ch__native_library library = {0};
    ch_status s = CH_CANCELLED;
    if (wait_for_compiler(l)) {
        s = ch__native_compile(l->name, l->source, l->n, &l->cancel, &library);
        atomic_store(&compiling, 0);
    }
    l->done(l->arg, s, &library);
    ch__pool_thread_end();
    return NULL;
}

static void free_later(ch__native_later *l) {
    ch__free(l->name);
    ch__free(l->source);
    ch__free(l);
}

static char *copy_bytes(const char *s, size_t n) {
    char *to = ch__alloc(n + 1);
    if (to == NULL) return NULL;
    memcpy(to, s, n);
    to[n] = '\0';
    return to;
}

ch__native_later *ch__native_later_begin(const char *name, const char *source, size_t n, ch__native_done *done,
                                         void *arg) {
    ch__native_later *l = ch__calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    l->name = copy_bytes(name, strlen(name));
    l->source = copy_bytes(source, n);
    l->n = n;
    l->done = done;
    l->arg = arg;
    l->pid = getpid();
    sigset_t all, before; // signals are for the program's own threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = l->name != NULL && l->source != NULL && pthread_create(&l->thread, NULL, compile_later, l) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good) return l;
    free_later(l);
    return NULL;
}

void ch__native_later_end(ch__native_later *l) {
    if (l == NULL) return;
    l->cancel = 1;
    if (l->pid == getpid()) pthread_join(l->thread, NULL);
    free_later(l);
}
