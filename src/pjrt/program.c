// SPDX-License-Identifier: Apache-2.0
// program.c - what a compiled program is: the compiler's result, its memory, and why it was compiled at all.
//
// A program is compiled again when something in its text or options differs from all that is known. The nearest known
// text is the one that shares the most lines; the first lines that differ say what it was: a shape, a dtype, a
// constant, other operations.
#include "pjrt/pjrt.h"

#include <stdlib.h>
#include <string.h>

static ch_status session_program_of(ch_session *s, const char *who, const char *text, ch__pjrt_program **out) {
    CH_TRY(ch__session_enter(s, who));
    ch_status st = ch__pjrt_compile(s, text, strlen(text), NULL, out);
    if (st != CH_OK) ch__session_leave(s);
    return st;
}

ch_status ch_session_program_info(ch_session *s, const char *text, ch_program_info *out) {
    CH_TRY(ch__pjrt_check_args("session program", s, text, 0, NULL, 0, NULL));
    if (out == NULL) return ch__fail(CH__E_argument, "session program: out is NULL");
    *out = (ch_program_info){-1, -1, -1, -1, -1, -1, 0};
    ch__pjrt_program *p = NULL;
    CH_TRY(session_program_of(s, "session program", text, &p));
    pj_executable_get_compiled_memory_stats_args a = {PJ_ARGS(pj_executable_get_compiled_memory_stats_args),
                                                      .executable = p->executable,
                                                      .peak_memory = -1}; // older plugins have no such field
    ch_status st = CH_OK;
    bool has = ch__plugin_has(s->plugin, PJ_EXECUTABLE_GET_COMPILED_MEMORY_STATS);
    if (has) st = ch__pjrt_call(s->plugin, PJ_EXECUTABLE_GET_COMPILED_MEMORY_STATS, &a, "session program");
    out->compile_seconds = p->seconds;
    if (has && st == CH_OK) {
        out->code_bytes = a.generated_code;
        out->argument_bytes = a.argument;
        out->output_bytes = a.output;
        out->alias_bytes = a.alias;
        out->temp_bytes = a.temp;
        out->peak_bytes = a.peak_memory;
    }
    if (st == CH_UNIMPLEMENTED) { // not reported, which is no error
        ch_error_clear();
        st = CH_OK;
    }
    ch__session_leave(s);
    return st;
}

static ch_status program_optimized(ch_session *s, ch__pjrt_program *p, char **out_bytes, size_t *out_n) {
    pj_program program = {PJ_ARGS(pj_program)};
    pj_executable_optimized_program_args a = {PJ_ARGS(pj_executable_optimized_program_args),
                                              .executable = p->executable, .program = &program};
    CH_TRY(ch__pjrt_call(s->plugin, PJ_EXECUTABLE_OPTIMIZED_PROGRAM, &a, "session optimized"));
    char *bytes = ch__alloc(program.code_size + 1);
    if (bytes == NULL) return ch__fail_oom("a program");
    program.code = bytes;
    ch_status st = ch__pjrt_call(s->plugin, PJ_EXECUTABLE_OPTIMIZED_PROGRAM, &a, "session optimized");
    if (st != CH_OK) {
        ch__free(bytes);
        return st;
    }
    bytes[program.code_size] = '\0';
    *out_bytes = bytes;
    *out_n = program.code_size;
    return CH_OK;
}

ch_status ch_session_optimized(ch_session *s, const char *text, char **out_bytes, size_t *out_n) {
    CH_TRY(ch__pjrt_check_args("session optimized", s, text, 0, NULL, 0, NULL));
    if (out_bytes == NULL || out_n == NULL)
        return ch__fail(CH__E_argument, "session optimized: %s is NULL", out_n == NULL ? "out_n" : "out_bytes");
    ch__pjrt_program *p = NULL;
    CH_TRY(session_program_of(s, "session optimized", text, &p));
    ch_status st = program_optimized(s, p, out_bytes, out_n);
    ch__session_leave(s);
    return st;
}

// ---------------------------------------------------------------- explain
typedef struct program_line {
    const char *s;
    size_t n;
} program_line;

static program_line program_next_line(const char **at) {
    const char *s = *at;
    while (*s == ' ' || *s == '\t') s++;
    size_t n = strcspn(s, "\n");
    *at = s[n] == '\n' ? s + n + 1 : s + n;
    return (program_line){s, n};
}

static bool program_same_line(program_line a, program_line b) { return a.n == b.n && memcmp(a.s, b.s, a.n) == 0; }

// Lines that are equal at the same place, from the front and from the back of what differs.
static int64_t program_alike(const char *a, const char *b) {
    int64_t same = 0;
    while (*a != '\0' && *b != '\0') {
        program_line x = program_next_line(&a), y = program_next_line(&b);
        same += program_same_line(x, y);
    }
    return same;
}

// What stands between < and > of the first type that differs says whether a dtype or a shape does.
static const char *program_kind(program_line a, program_line b) {
    size_t k = 0;
    while (k < a.n && k < b.n && a.s[k] == b.s[k]) k++;
    size_t from = k;
    while (from > 0 && a.s[from - 1] != '<' && a.s[from - 1] != ' ') from--;
    bool type = from >= 7 && memcmp(a.s + from - 7, "tensor<", 7) == 0;
    bool dense = from >= 6 && memcmp(a.s + from - 6, "dense<", 6) == 0;
    const char *x = memchr(a.s + from, 'x', a.n - from), *y = memchr(b.s + from, 'x', b.n - from);
    if (dense || (k >= 6 && memchr(a.s, '<', k) != NULL && !type && a.n > 6)) return dense ? "constant" : "attribute";
    if (!type) return "operation";
    const char *ax = x, *by = y; // the dtype begins behind the last x of the sizes
    while (ax != NULL && ax + 1 < a.s + a.n && (ax[1] >= '0' && ax[1] <= '9'))
        ax = memchr(ax + 1, 'x', (size_t)(a.s + a.n - ax - 1));
    while (by != NULL && by + 1 < b.s + b.n && (by[1] >= '0' && by[1] <= '9'))
        by = memchr(by + 1, 'x', (size_t)(b.s + b.n - by - 1));
    bool in_sizes = ax != NULL && by != NULL && (a.s + k <= ax || b.s + k <= by);
    return in_sizes ? "shape" : "dtype";
}

static void program_differs(FILE *file, const ch__pjrt_program *p, const ch__pjrt_program *near) {
    if (p->text_n == near->text_n && memcmp(p->text, near->text, p->text_n) == 0) {
        fprintf(file, "  nearest: %d '%s' — the options differ\n", near->order, near->sig.name);
        return;
    }
    const char *a = p->text, *b = near->text;
    program_line x = {a, 0}, y = {b, 0};
    while (*a != '\0' && *b != '\0' && program_same_line(x, y)) {
        x = program_next_line(&a);
        y = program_next_line(&b);
    }
    fprintf(file, "  nearest: %d '%s' — %s differs\n    %.*s\n    %.*s\n", near->order, near->sig.name,
            program_kind(x, y), (int)(x.n > 100 ? 100 : x.n), x.s, (int)(y.n > 100 ? 100 : y.n), y.s);
}

// The custom calls of a text, each name with how often it comes.
static void program_calls(FILE *file, const char *text) {
    static const char *const marks[] = {"custom_call @", "call_target_name = \""};
    enum { SHOWN = 16 };
    struct {
        const char *s;
        size_t n;
        int times;
    } names[SHOWN];
    int n_names = 0, more = 0;
    for (int m = 0; m < 2; m++)
        for (const char *at = text; (at = strstr(at, marks[m])) != NULL;) {
            at += strlen(marks[m]);
            if (*at == '"') at++;
            size_t n = strcspn(at, "(\"");
            int k = 0;
            while (k < n_names && (names[k].n != n || memcmp(names[k].s, at, n) != 0)) k++;
            if (k == n_names && k < SHOWN) {
                names[k].s = at;
                names[k].n = n;
                names[n_names++].times = 0;
            }
            if (k < n_names)
                names[k].times++;
            else
                more++;
        }
    for (int k = 0; k < n_names; k++)
        fprintf(file, "%s%.*s %d time%s", k == 0 ? "  custom calls: " : ", ", (int)names[k].n, names[k].s,
                names[k].times, names[k].times == 1 ? "" : "s");
    if (n_names > 0) fprintf(file, more > 0 ? ", and %d more\n" : "\n", more);
}

static int program_by_order(const void *a, const void *b) {
    const ch__pjrt_program *const *x = a, *const *y = b;
    return (*x)->order - (*y)->order;
}

ch_status ch_session_explain(ch_session *s, FILE *file) {
    if (s == NULL || file == NULL)
        return ch__fail(CH__E_argument, "session explain: %s is NULL", s == NULL ? "the session" : "file");
    CH_TRY(ch__session_enter(s, "session explain"));
    pthread_mutex_lock(&s->lock);
    ch__pjrt_program **all = ch__alloc(((size_t)s->n_programs + 1) * sizeof *all);
    int n = 0;
    for (ch__pjrt_program *p = s->programs; p != NULL && all != NULL; p = p->next)
        if (p->state == CH__PJRT_READY) all[n++] = p; // which stay until the session closes
    char by_reference[sizeof s->by_reference];
    memcpy(by_reference, s->by_reference, sizeof by_reference);
    pthread_mutex_unlock(&s->lock);
    if (all != NULL) {
        qsort(all, (size_t)n, sizeof *all, program_by_order);
        fprintf(file, "%d programs compiled\n", n);
        if (by_reference[0] != '\0') fprintf(file, "kernels by their reference: %s\n", by_reference);
    }
    for (int i = 0; i < n; i++) {
        fprintf(file, "%d '%s': %zu bytes of text, compiled in %d ms\n", all[i]->order, all[i]->sig.name,
                all[i]->text_n, (int)(1000 * all[i]->seconds));
        program_calls(file, all[i]->text);
        int64_t best = -1;
        int near = -1;
        for (int k = 0; k < i; k++) {
            int64_t alike = program_alike(all[i]->text, all[k]->text);
            if (alike >= best) best = alike, near = k;
        }
        if (near >= 0) program_differs(file, all[i], all[near]);
    }
    ch__free(all);
    ch__session_leave(s);
    return all == NULL    ? ch__fail_oom("an explanation")
           : ferror(file) ? ch__fail(CH__E_file, "session explain: the text could not be written")
                          : CH_OK;
}
