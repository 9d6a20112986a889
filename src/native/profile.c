// SPDX-License-Identifier: Apache-2.0
// profile.c - how long each kernel and library call of native code takes: a table (ch_profile_end, chaac profile), and
// Chrome trace events in the file that CHAAC_TRACE names.
//
// Code that is timed is compiled as such: it brings a list of its kernels and a function that says what each computes
// and moves, and the functions it calls (load.c) are those of this file, which look at the clock around the usual ones.
// Other code knows nothing of it and loses nothing. Times are of the thread that calls; what the pool does at the same
// time is inside. What is in no kernel (small loops, the call itself) is the rest of the run.
#include "native/native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chaac/engine.h"

typedef struct {
    char *label;
    bool library;
    int kernel; // of the library's list; -1: none
    int64_t calls;
    double seconds;             // in all
    double least, flops, bytes; // of the quickest call; below 0: not known
} profile_row;

struct ch__native_record {
    ch__native_record *next;
    char *func;
    profile_row *rows;
    int n;
    int64_t runs;
    double seconds;
    void (*const *kernels)(void); // of the library; compared, never called
    void (*costs)(const int64_t *sizes, double *out);
    int (*call)(void); // the row of the library call that this thread is in
};

typedef struct {
    const char *name; // of a row or func, which live as long
    double begin, seconds;
    int thread;
} trace_event;

enum { MOST_EVENTS = 1000000 };

static pthread_mutex_t profile_lock = PTHREAD_MUTEX_INITIALIZER;
static ch__native_record *records; // all of the process: events name their rows
static trace_event *events;
static int64_t n_events, cap_events, lost_events;
static atomic_bool profiling;
static pthread_once_t trace_once = PTHREAD_ONCE_INIT;
static const char *trace_path;
static double trace_start;
static pid_t trace_pid;

// Of the thread: the run that is going on.
static _Thread_local struct {
    ch__native_record *record;
    double *work; // flops and bytes of each row, for these sizes; NULL: no memory for them
    double begin;
} timed_run;

// ---------------------------------------------------------------- the trace
static void put_json_text(FILE *f, const char *s) {
    fputc('"', f);
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\') fputc('\\', f);
        if ((unsigned char)*s >= ' ') fputc(*s, f);
    }
    fputc('"', f);
}

static void write_trace(void) {
    if (getpid() != trace_pid) return; // a child of fork: the file is its parent's
    pthread_mutex_lock(&profile_lock);
    FILE *f = fopen(trace_path, "w");
    if (f == NULL) {
        ch__log(2, "trace: %s cannot be written", trace_path);
    } else {
        fprintf(f, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
        for (int64_t i = 0; i < n_events; i++) {
            fprintf(f, "%s\n{\"ph\": \"X\", \"pid\": %ld, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f, \"name\": ",
                    i > 0 ? "," : "", (long)trace_pid, events[i].thread, 1e6 * (events[i].begin - trace_start),
                    1e6 * events[i].seconds);
            put_json_text(f, events[i].name);
            fputc('}', f);
        }
        fprintf(f, "\n]}\n");
        if (fclose(f) != 0) ch__log(2, "trace: %s could not be written to its end", trace_path);
    }
    if (lost_events > 0) ch__log(2, "trace: %lld events after the first million are not in it", (long long)lost_events);
    free(events);
    events = NULL;
    n_events = cap_events = 0;
    pthread_mutex_unlock(&profile_lock);
}

static void begin_trace(void) {
    const char *path = ch__env("CHAAC_TRACE");
    if (path == NULL || *path == '\0') return;
    trace_path = path;
    trace_pid = getpid();
    trace_start = ch__now();
    atexit(write_trace);
}

bool ch__native_timed(void) {
    pthread_once(&trace_once, begin_trace);
    return trace_path != NULL || atomic_load_explicit(&profiling, memory_order_relaxed);
}

// With the lock. Not by the allocator hook: it lives until the process ends.
static void add_event(const char *name, double begin, double seconds) {
    static atomic_int threads;
    static _Thread_local int thread;
    if (trace_path == NULL) return;
    if (thread == 0) thread = 1 + atomic_fetch_add(&threads, 1);
    if (n_events == cap_events) {
        int64_t cap = cap_events > 0 ? 2 * cap_events : 1024;
        trace_event *more = cap > MOST_EVENTS * 2 ? NULL : realloc(events, (size_t)cap * sizeof *more);
        if (more == NULL) {
            lost_events++;
            return;
        }
        events = more;
        cap_events = cap;
    }
    if (n_events < MOST_EVENTS)
        events[n_events++] = (trace_event){name, begin, seconds, thread};
    else
        lost_events++;
}

// ---------------------------------------------------------------- records
static void free_record(ch__native_record *r) {
    if (r == NULL) return;
    for (int i = 0; i < r->n && r->rows != NULL; i++) free(r->rows[i].label);
    free(r->rows);
    free(r->func);
    free(r);
}

// Records are the system's memory too: traces need their names when the process ends, after any hook.
ch__native_record *ch__native_record_make(const char *func, const ch__c_native *c, const ch__native_library *l) {
    ch__native_record *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    void *kernels = ch__dl_sym(l->handle, "chaac_native_kernels"), *costs = ch__dl_sym(l->handle, "chaac_native_costs");
    void *call = ch__dl_sym(l->handle, "chaac_native_call");
    memcpy(&r->kernels, &kernels, sizeof kernels);
    memcpy(&r->costs, &costs, sizeof costs);
    memcpy(&r->call, &call, sizeof call);
    r->func = strdup(func);
    r->n = (int)c->costs.n;
    r->rows = calloc((size_t)r->n + 1, sizeof *r->rows);
    bool good = r->func != NULL && r->rows != NULL && kernels != NULL && costs != NULL && call != NULL;
    for (int i = 0; i < r->n && good; i++) {
        r->rows[i].library = c->costs.data[i].library;
        r->rows[i].kernel = c->costs.data[i].kernel;
        r->rows[i].label = strdup(c->costs.data[i].label);
        good = r->rows[i].label != NULL;
    }
    if (!good) {
        free_record(r);
        return NULL;
    }
    pthread_mutex_lock(&profile_lock);
    ch__native_record **end = &records;
    while (*end != NULL) end = &(*end)->next;
    *end = r;
    pthread_mutex_unlock(&profile_lock);
    return r;
}

void ch__native_run_begin(ch__native_record *r, const int64_t *sizes) {
    timed_run.record = r;
    timed_run.work = malloc((size_t)(2 * r->n + 1) * sizeof(double));
    if (timed_run.work != NULL) r->costs(sizes, timed_run.work);
    timed_run.begin = ch__now();
}

void ch__native_run_end(void) {
    ch__native_record *r = timed_run.record;
    double seconds = ch__now() - timed_run.begin;
    free(timed_run.work);
    timed_run.work = NULL;
    timed_run.record = NULL;
    pthread_mutex_lock(&profile_lock);
    r->runs++;
    r->seconds += seconds;
    add_event(r->func, timed_run.begin, seconds);
    pthread_mutex_unlock(&profile_lock);
}

// n rows, given by their numbers (-1: not known), took from begin to now.
static void add_times(int n, const int *rows, double begin) {
    ch__native_record *r = timed_run.record;
    double seconds = ch__now() - begin;
    if (r == NULL || n == 0 || rows[0] < 0) return;
    pthread_mutex_lock(&profile_lock);
    profile_row *first = &r->rows[rows[0]];
    first->calls++;
    first->seconds += seconds;
    bool least = first->calls == 1 || seconds < first->least;
    if (least) first->flops = first->bytes = timed_run.work != NULL ? 0 : -1;
    if (least) first->least = seconds;
    for (int i = 0; i < n && least; i++) { // nests that started together are one row: the first
        if (rows[i] < 0 || timed_run.work == NULL) continue;
        double flops = timed_run.work[2 * rows[i]], bytes = timed_run.work[2 * rows[i] + 1];
        first->flops = flops < 0 || first->flops < 0 ? -1 : first->flops + flops;
        first->bytes = bytes < 0 || first->bytes < 0 ? -1 : first->bytes + bytes;
    }
    add_event(first->label, begin, seconds);
    pthread_mutex_unlock(&profile_lock);
}

// ---------------------------------------------------------------- which row
static int row_of_kernel(const ch__native_record *r, void (*fn)(void)) {
    int k = 0;
    if (r == NULL) return -1;
    while (r->kernels[k] != NULL && r->kernels[k] != fn) k++;
    if (r->kernels[k] == NULL) return -1;
    for (int i = 0; i < r->n; i++)
        if (r->rows[i].kernel == k) return i;
    return -1;
}

static int row_of_call(const ch__native_record *r) { return r == NULL ? -1 : r->call(); }

// A product with batches is many calls: what one of them computes and moves.
static void set_work_of_dot(int row, ch_dtype d, double m, double n, double k) {
    if (row < 0 || timed_run.work == NULL) return;
    timed_run.work[2 * row] = 2 * m * n * k;
    timed_run.work[2 * row + 1] = (m * k + k * n + m * n) * (double)ch_dtype_size(d);
}

// ---------------------------------------------------------------- what timed code calls
int ch__timed_parallel(int64_t n, int64_t work, void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) {
    double begin = ch__now();
    int row = row_of_kernel(timed_run.record, (void (*)(void))fn), status = ch__native_parallel(n, work, fn, arg);
    add_times(1, &row, begin);
    return status;
}

int ch__timed_parallel_many(int n, const ch__native_nest *nests) {
    enum { MANY = 64 };
    double begin = ch__now();
    int rows[MANY], status = ch__native_parallel_many(n, nests);
    for (int i = 0; i < n && i < MANY; i++) rows[i] = row_of_kernel(timed_run.record, (void (*)(void))nests[i].fn);
    add_times(n < MANY ? n : MANY, rows, begin);
    return status;
}

int64_t ch__timed_sum(int64_t n, int64_t work, ch__native_sum_fn *fn, void *arg) {
    double begin = ch__now();
    int row = row_of_kernel(timed_run.record, (void (*)(void))fn);
    int64_t parts = ch__native_sum(n, work, fn, arg);
    add_times(1, &row, begin);
    return parts;
}

int ch__timed_dot(int dtype, int acc, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak,
                  const void *b, int64_t bk, int64_t bn, void *c) {
    double begin = ch__now();
    int row = row_of_call(timed_run.record), status = ch__native_dot(dtype, acc, m, n, k, a, am, ak, b, bk, bn, c);
    set_work_of_dot(row, (ch_dtype)dtype, (double)m, (double)n, (double)k);
    add_times(1, &row, begin);
    return status;
}

int ch__timed_conv(const int64_t *args, const void *x, const void *w, const void *bias, void *out) {
    double begin = ch__now();
    int row = row_of_call(timed_run.record), status = ch__native_conv(args, x, w, bias, out);
    add_times(1, &row, begin);
    return status;
}

// ---------------------------------------------------------------- the table
static int slower_first(const void *a, const void *b) {
    const profile_row *x = *(profile_row *const *)a, *y = *(profile_row *const *)b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void put_rate(FILE *f, double amount, double seconds, double peak) {
    if (amount <= 0 || seconds <= 0)
        fprintf(f, "         -    -");
    else
        fprintf(f, "  %8.2f %3.0f%%", amount / seconds * 1e-9, 100 * amount / seconds / peak);
}

static void put_profile_row(FILE *f, const profile_row *row, double all, double flops, double bytes) {
    fprintf(f, "%8lld  %10.3f %5.1f%%", (long long)row->calls, 1e3 * row->seconds, 100 * row->seconds / all);
    fprintf(f, " %10.2f", 1e6 * row->least);
    put_rate(f, row->flops, row->least, flops);
    put_rate(f, row->bytes, row->least, bytes);
    fprintf(f, "  %s%s\n", row->library ? "library " : "", row->label);
}

static void put_profile(FILE *f, const ch__native_record *r, profile_row **sorted, double flops, double bytes) {
    double inside = 0;
    for (int i = 0; i < r->n; i++) inside += r->rows[i].seconds;
    fprintf(f, "@%s: %lld runs, %.3f ms; with %d %s this machine reaches %.1f GFLOP/s (f32) and %.1f GB/s\n", r->func,
            (long long)r->runs, 1e3 * r->seconds, ch__num_threads(), ch__num_threads() == 1 ? "thread" : "threads",
            flops * 1e-9, bytes * 1e-9);
    fprintf(f, "   calls          ms  share   least us   GFLOP/s peak      GB/s peak  kernel\n");
    for (int i = 0; i < r->n; i++) sorted[i] = &r->rows[i];
    qsort(sorted, (size_t)r->n, sizeof *sorted, slower_first);
    for (int i = 0; i < r->n; i++)
        if (sorted[i]->calls > 0) put_profile_row(f, sorted[i], r->seconds, flops, bytes);
    fprintf(
        f,
        "          %10.3f %5.1f%%                                           the rest: small loops, copies, the call\n",
        1e3 * (r->seconds - inside), 100 * (r->seconds - inside) / r->seconds);
}

static void put_profile_json(FILE *f, const ch__native_record *r, bool first) {
    fprintf(f, "%s\n  {\"func\": ", first ? "" : ",");
    put_json_text(f, r->func);
    fprintf(f, ", \"runs\": %lld, \"seconds\": %.9g, \"kernels\": [", (long long)r->runs, r->seconds);
    for (int i = 0; i < r->n; i++) {
        const profile_row *row = &r->rows[i];
        fprintf(f, "%s\n    {\"kernel\": ", i > 0 ? "," : "");
        put_json_text(f, row->label);
        fprintf(f, ", \"library\": %s, \"calls\": %lld, \"seconds\": %.9g, \"least\": %.9g",
                row->library ? "true" : "false", (long long)row->calls, row->seconds, row->least);
        if (row->flops >= 0) fprintf(f, ", \"flops\": %.17g", row->flops);
        if (row->bytes >= 0) fprintf(f, ", \"bytes\": %.17g", row->bytes);
        fprintf(f, "}");
    }
    fprintf(f, "]}");
}

void ch_profile_begin(void) {
    pthread_mutex_lock(&profile_lock);
    for (ch__native_record *r = records; r != NULL; r = r->next) {
        r->runs = 0;
        r->seconds = 0;
        for (int i = 0; i < r->n; i++) r->rows[i].calls = 0;
        for (int i = 0; i < r->n; i++) r->rows[i].seconds = r->rows[i].least = r->rows[i].flops = r->rows[i].bytes = 0;
    }
    pthread_mutex_unlock(&profile_lock);
    atomic_store(&profiling, true);
}

ch_status ch_profile_end(FILE *file, int json) {
    double flops = 0, bytes = 0;
    atomic_store(&profiling, false);
    if (file == NULL) return CH_OK;
    CH_TRY(ch__native_peaks(&flops, &bytes));
    int most = 0;
    pthread_mutex_lock(&profile_lock);
    for (const ch__native_record *r = records; r != NULL; r = r->next)
        if (r->n > most) most = r->n;
    profile_row **sorted = malloc(((size_t)most + 1) * sizeof *sorted);
    if (json)
        fprintf(file, "{\"threads\": %d, \"peak_flops\": %.6g, \"peak_bytes\": %.6g, \"funcs\": [", ch__num_threads(),
                flops, bytes);
    bool first = true;
    for (const ch__native_record *r = records; r != NULL && sorted != NULL; r = r->next) {
        if (r->runs == 0) continue;
        if (json)
            put_profile_json(file, r, first);
        else
            put_profile(file, r, sorted, flops, bytes);
        first = false;
    }
    if (json) fprintf(file, "\n]}\n");
    free(sorted);
    pthread_mutex_unlock(&profile_lock);
    if (sorted == NULL) return ch__fail_oom("a profile");
    return ferror(file) ? ch__fail(CH__E_file, "profile: the file could not be written") : CH_OK;
}
