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

// The module's own line says its name only.
static program_line program_code_line(const char **at) {
    program_line l = program_next_line(at);
    bool module =
        (l.n >= 6 && memcmp(l.s, "module", 6) == 0) || (l.n >= 16 && memcmp(l.s, "\"builtin.module\"", 16) == 0);
    return module && **at != '\0' ? program_next_line(at) : l;
}

// Lines that are equal at the same place.
static int64_t program_alike(const char *a, const char *b) {
    int64_t same = 0;
    while (*a != '\0' && *b != '\0') {
        program_line x = program_code_line(&a), y = program_code_line(&b);
        same += program_same_line(x, y);
    }
    return same;
}

// What differs in params or results; NULL: nothing.
static const char *program_signature_differs(const ch__pjrt_signature *a, const ch__pjrt_signature *b) {
    if (a->n_in != b->n_in) return "the number of params";
    if (a->n_out != b->n_out) return "the number of results";
    bool shape = false, dtype = false, donation = false;
    for (int i = 0; i < a->n_in + a->n_out; i++) {
        const ch__pjrt_param *p = i < a->n_in ? &a->in[i] : &a->out[i - a->n_in];
        const ch__pjrt_param *q = i < a->n_in ? &b->in[i] : &b->out[i - a->n_in];
        dtype = dtype || p->dtype != q->dtype;
        shape = shape || p->rank != q->rank;
        for (int d = 0; d < p->rank && !shape; d++) shape = p->dims[d] != q->dims[d];
        donation = donation || (i < a->n_in && (p->alias != q->alias || p->donor != q->donor));
    }
    return shape && dtype ? "shape and dtype" : shape ? "shape" : dtype ? "dtype" : donation ? "donation" : NULL;
}

// The operation of a line, as it is written: what stands behind " = ".
static program_line program_operation(program_line l) {
    size_t k = 0;
    while (k + 2 < l.n && memcmp(l.s + k, " = ", 3) != 0) k++;
    const char *s = k + 2 < l.n ? l.s + k + 3 : l.s;
    size_t left = (size_t)(l.s + l.n - s), n = 0;
    while (n < left && s[n] != ' ' && s[n] != '(') n++;
    return (program_line){s, n};
}

// Sizes ("2x3x") and dtype of the type whose text holds s[k], or ends there; false: none.
static bool program_type_at(program_line l, size_t k, program_line *sizes, program_line *dtype) {
    size_t at = k;
    while (at > 0 && (at < 7 || memcmp(l.s + at - 7, "tensor<", 7) != 0) && l.s[at - 1] != ' ') at--;
    if (at < 7 || memcmp(l.s + at - 7, "tensor<", 7) != 0) return false;
    size_t end = at, sizes_end = at;
    for (; end < l.n && l.s[end] != '>' && l.s[end] != ','; end++)
        if (l.s[end] == 'x' && l.s[end - 1] >= '0' && l.s[end - 1] <= '9') sizes_end = end + 1;
    *sizes = (program_line){l.s + at, sizes_end - at};
    *dtype = (program_line){l.s + sizes_end, end - sizes_end};
    return true;
}

// What differs in the first lines that do.
static const char *program_line_differs(program_line a, program_line b) {
    program_line op = program_operation(a), sizes[2], dtype[2];
    size_t k = 0;
    while (k < a.n && k < b.n && a.s[k] == b.s[k]) k++;
    if (!program_same_line(op, program_operation(b))) return "operation";
    if (program_type_at(a, k, &sizes[0], &dtype[0]) && program_type_at(b, k, &sizes[1], &dtype[1])) {
        bool shape = !program_same_line(sizes[0], sizes[1]);
        return program_same_line(dtype[0], dtype[1]) ? "shape" : shape ? "shape and dtype" : "dtype";
    }
    return op.n >= 8 && memcmp(op.s + op.n - 8, "constant", 8) == 0 ? "constant" : "attribute";
}

static bool program_is_end(program_line l) { return l.n == 0 || (l.n == 1 && l.s[0] == '}'); }

static void program_differs(FILE *file, const ch__pjrt_program *p, const ch__pjrt_program *near) {
    fprintf(file, "  nearest: %d '%s' — ", near->order, near->sig.name);
    if (p->text_n == near->text_n && memcmp(p->text, near->text, p->text_n) == 0) {
        fprintf(file, "the options differ\n");
        return;
    }
    const char *a = p->text, *b = near->text, *what = program_signature_differs(&p->sig, &near->sig);
    program_line x = {a, 0}, y = {b, 0};
    while ((*a != '\0' || *b != '\0') && program_same_line(x, y)) {
        x = program_code_line(&a);
        y = program_code_line(&b);
    }
    if (program_is_end(x) && program_is_end(y)) { // nothing of the code does
        fprintf(file, "the module's name differs\n");
        return;
    }
    if (what == NULL) what = program_line_differs(x, y);
    fprintf(file, "%s differs\n    %.*s\n    %.*s\n", what, (int)(x.n > 100 ? 100 : x.n), x.s,
            (int)(y.n > 100 ? 100 : y.n), y.s);
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
