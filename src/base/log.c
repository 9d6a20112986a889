// SPDX-License-Identifier: Apache-2.0
// log.c - notices to the function of ch_set_log.
//
// The function is called without the lock, so it may itself call ch_set_log. With no function set a notice costs one
// relaxed load.
#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static void (*log_fn)(void *user, int level, const char *message);
static void *log_user;
static atomic_bool log_wanted;

void ch_set_log(void (*fn)(void *user, int level, const char *message), void *user) {
    pthread_mutex_lock(&log_lock);
    log_fn = fn;
    log_user = user;
    atomic_store_explicit(&log_wanted, fn != NULL, memory_order_relaxed);
    pthread_mutex_unlock(&log_lock);
}

void ch__log_text(int level, const char *text) {
    if (!atomic_load_explicit(&log_wanted, memory_order_relaxed)) return;
    pthread_mutex_lock(&log_lock);
    void (*fn)(void *user, int level, const char *message) = log_fn;
    void *user = log_user;
    pthread_mutex_unlock(&log_lock);
    if (fn) fn(user, level, text);
}

void ch__log(int level, const char *fmt, ...) {
    if (!atomic_load_explicit(&log_wanted, memory_order_relaxed)) return;
    char message[CH__MESSAGE_BYTES];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    if (n >= 0) ch__log_text(level, message);
}
