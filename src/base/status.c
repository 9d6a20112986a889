// SPDX-License-Identifier: Apache-2.0
// status.c - the error of a thread: one sentence and one identifier.
//
// Both live in thread-local storage of fixed size, so reporting an error never allocates. Formatting goes through a
// buffer of its own first: a new message may quote the old one. A message that does not fit is cut between two UTF-8
// characters and ends in an ellipsis.
#include "base/base.h"

#include <locale.h>
#include <pthread.h>
#include <string.h>

typedef struct {
    const char *name, *text;
    ch_status status;
} status_row;

static const status_row status_rows[CH__E_COUNT] = {
#define ERR(id, status, text) {#id, text, CH_##status},
#include "base/errors.def"
#undef ERR
};

static _Thread_local ch__err error_id = CH__E_COUNT;
static _Thread_local char error_message[CH__MESSAGE_BYTES];

// The sentence of `full` bytes was cut at the size of the buffer: drop a cut character, end in an ellipsis.
static void message_end(char *s, size_t full) {
    static const char ellipsis[] = "\xe2\x80\xa6";
    if (full < CH__MESSAGE_BYTES) return;
    size_t n = CH__MESSAGE_BYTES - sizeof ellipsis;
    while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80) n--;
    memcpy(s + n, ellipsis, sizeof ellipsis);
}

// Numbers in messages have a point in every locale.
static pthread_once_t point_once = PTHREAD_ONCE_INIT;
static locale_t point_locale;
static void make_point_locale(void) { point_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static int format_message(char *out, size_t n, const char *fmt, va_list ap) {
    pthread_once(&point_once, make_point_locale);
    locale_t before = point_locale != (locale_t)0 ? uselocale(point_locale) : (locale_t)0;
    int full = vsnprintf(out, n, fmt, ap);
    if (before != (locale_t)0) uselocale(before);
    return full;
}

ch_status ch__fail_v(ch__err id, const char *fmt, va_list ap) {
    char made[CH__MESSAGE_BYTES];
    int full = format_message(made, sizeof made, fmt, ap);
    if (full < 0) {
        made[0] = '\0';
        full = 0;
    }
    message_end(made, (size_t)full);
    memcpy(error_message, made, strlen(made) + 1);
    error_id = id;
    return status_rows[id].status;
}

ch_status ch__fail(ch__err id, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    ch_status s = ch__fail_v(id, fmt, ap);
    va_end(ap);
    return s;
}

ch_status ch__fail_oom(const char *what) {
    return ch__fail(CH__E_out_of_memory, "%s: out of memory — nothing was changed; free something and call again",
                    what);
}

ch__err ch__error_current(void) { return error_id; }

void ch__error_prefix(const char *prefix) {
    char made[CH__MESSAGE_BYTES];
    int full = snprintf(made, sizeof made, "%s: %s", prefix, error_message);
    if (full < 0) return;
    message_end(made, (size_t)full);
    memcpy(error_message, made, strlen(made) + 1);
}

void ch__error_save(ch__error_copy *out) {
    out->id = error_id;
    memcpy(out->message, error_message, strlen(error_message) + 1);
}

ch_status ch__error_publish(const ch__error_copy *e) {
    error_id = e->id;
    memcpy(error_message, e->message, strlen(e->message) + 1);
    return ch__err_status(e->id);
}

const char *ch__err_name(ch__err id) { return id < CH__E_COUNT ? status_rows[id].name : ""; }
const char *ch__err_text(ch__err id) { return id < CH__E_COUNT ? status_rows[id].text : ""; }
ch_status ch__err_status(ch__err id) { return id < CH__E_COUNT ? status_rows[id].status : CH_OK; }

const char *ch_status_name(ch_status s) {
    static const char *const names[] = {
        "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
        "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
        "DATA_LOSS",
    };
    return (int)s >= 0 && (size_t)s < sizeof names / sizeof *names ? names[s] : "?";
}

const char *ch_error_message(void) { return error_message; }
const char *ch_error_id(void) { return ch__err_name(error_id); }

const char *ch_error_explain(const char *id) {
    for (int i = 0; i < CH__E_COUNT; i++)
        if (id && strcmp(status_rows[i].name, id) == 0) return status_rows[i].text;
    return NULL;
}

const char *ch_error_id_at(int i) { return i >= 0 && i < CH__E_COUNT ? status_rows[i].name : NULL; }

void ch_error_clear(void) {
    error_id = CH__E_COUNT;
    error_message[0] = '\0';
}

ch_status ch_error_set(const char *id, const char *format, ...) {
    ch__err row = CH__E_argument;
    for (int i = 0; i < CH__E_COUNT; i++)
        if (ch__streq(id, ch__err_name((ch__err)i))) row = (ch__err)i;
    va_list ap;
    va_start(ap, format);
    ch_status s = ch__fail_v(row, format, ap);
    va_end(ap);
    return s;
}
