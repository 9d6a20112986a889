// SPDX-License-Identifier: Apache-2.0
// kinks.c - docs/derivatives.md, run: the rows of its table of kinks and its programs have the gradients they say, in
// reverse and forward mode.
//
// A row is | `operation : type` | at | gradient |; a program is an ir block with lines `// at ...`, `// gradient ...`
// and, where forward mode gives something else, `// forward ...`. Values stand one for each param, with commas; an
// array is [1 2 3]. Numbers are compared exactly, NaN equals NaN.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/func.h"
#include "interp/interp.h"

enum { MAX_VALUES = 16, MAX_TEXT = 8192 };
typedef struct {
    int n, rank;
    double x[MAX_VALUES];
} value;

static int ran, failed, rows, programs;

static void report(bool ok, const char *name, const char *detail) {
    printf("%s %d - %s\n", ok ? "ok" : "not ok", ++ran, name);
    failed += !ok;
    for (const char *s = ok ? "" : detail; *s;) {
        size_t n = strcspn(s, "\n");
        printf("# %.*s\n", (int)n, s);
        s += n + (s[n] == '\n');
    }
}

// "0, [1 2]" as values; gives how many, 0 when the text is none.
static int parse_values(const char *s, value *out) {
    int n = 0;
    const char *end = s + strlen(s);
    bool array = false;
    for (; s < end;) {
        if (*s == ' ') {
            s++;
        } else if (*s == ',') {
            n++;
            s++;
        } else if (*s == '[' || *s == ']') {
            array = *s++ == '[';
            if (array) out[n] = (value){.rank = 1};
        } else {
            double v;
            const char *next = ch__parse_f64(s, end, &v);
            if (next == s) return 0;
            if (!array) out[n] = (value){0};
            out[n].x[out[n].n++] = v;
            s = next;
        }
    }
    return n + 1;
}

typedef struct {
    const ch_func *f;
    const ch__program *p;
    ch__arena *a;
} prepared;
static void prepare(void *arg) {
    prepared *p = arg;
    p->a = ch__arena_create();
    p->p = ch__interp_prepare(p->a, p->f);
    ch__arena_keep(p->a);
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

// The adjoints of f's params for seeds of one, against `want`.
static bool check_run(const ch_func *g, int n, value *at, const value *want, char *detail) {
    prepared p = {.f = g};
    value ones[4];
    ch__slot in[MAX_VALUES + 4] = {0}, out[MAX_VALUES] = {0};
    if (ch__protect(prepare, &p) != CH_OK) return false;
    for (int i = 0; i < n; i++) {
        in[i] = (ch__slot){.dtype = CH_F64, .rank = at[i].rank, .dims = {at[i].n}, .data = at[i].x};
    }
    int seeds = ch_func_num_params(g) - n;
    for (int i = 0; i < seeds; i++) {
        const ch__type *t = g->body->params[n + i]->type;
        ones[i] = (value){.rank = t->rank, .n = t->rank ? (int)t->dims[0].val : 1};
        for (int k = 0; k < MAX_VALUES; k++) ones[i].x[k] = 1;
        in[n + i] = (ch__slot){.dtype = CH_F64, .rank = t->rank, .dims = {ones[i].n}, .data = ones[i].x};
    }
    ch__limits none = {0};
    bool ok = ch__interp_run(p.p, &none, n + seeds, in, ch_func_num_results(g), out) == CH_OK;
    if (!ok) snprintf(detail, MAX_TEXT, "%s", ch_error_message());
    for (int i = 0; ok && i < n; i++)
        for (int k = 0; ok && k < want[i].n; k++)
            if (!same(((double *)out[i].data)[k], want[i].x[k])) {
                snprintf(detail, MAX_TEXT, "param %d, element %d: wanted %g, got %g", i, k, want[i].x[k],
                         ((double *)out[i].data)[k]);
                ok = false;
            }
    for (int i = 0; i < ch_func_num_results(g); i++) ch__free_aligned(out[i].data);
    ch__arena_destroy(p.a);
    return ok;
}

// Forwards: the tangents of the results for each element of each param, one jvp a param, summed.
static bool check_forward(const ch_func *f, int n, value *at, const value *want, char *detail) {
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        ch_func *g = NULL;
        bool detached = false;
        if (ch_jvp(f, ch_func_param_name(f, i), 0, &g) != CH_OK) { // a param that nothing flows from
            snprintf(detail, MAX_TEXT, "forward: %s", ch_error_message());
            ok = detached = strcmp(ch_error_id(), "gradient_detached") == 0;
        }
        prepared p = {.f = g};
        if (ok && !detached) ok = ch__protect(prepare, &p) == CH_OK;
        for (int k = 0; ok && k < want[i].n; k++) {
            ch__slot in[MAX_VALUES + 1] = {0}, out[MAX_VALUES] = {0};
            value dot = at[i];
            double sum = 0;
            for (int e = 0; e < MAX_VALUES; e++) dot.x[e] = e == k;
            for (int e = 0; e <= n; e++) {
                value *v = e < n ? &at[e] : &dot;
                in[e] = (ch__slot){.dtype = CH_F64, .rank = v->rank, .dims = {v->n}, .data = v->x};
            }
            ch__limits none = {0};
            if (!detached) ok = ch__interp_run(p.p, &none, n + 1, in, ch_func_num_results(g), out) == CH_OK;
            for (int r = 0; ok && !detached && r < ch_func_num_results(g); r++) {
                for (int e = 0; e < (out[r].rank ? out[r].dims[0] : 1); e++) sum += ((double *)out[r].data)[e];
                ch__free_aligned(out[r].data);
            }
            if (ok && !same(sum, want[i].x[k])) {
                snprintf(detail, MAX_TEXT, "forward: param %d, element %d: wanted %g, got %g", i, k, want[i].x[k], sum);
                ok = false;
            }
        }
        ch__arena_destroy(p.a);
        ch_func_destroy(g);
    }
    return ok;
}

static void check(const char *name, const char *text, const char *at_text, const char *want_text,
                  const char *forward_text) {
    char detail[MAX_TEXT] = "";
    value at[MAX_VALUES], want[MAX_VALUES], forward[MAX_VALUES];
    ch_func *f = NULL, *g = NULL;
    int n = parse_values(at_text, at);
    bool none = strcmp(want_text, "none") == 0, refused = strcmp(want_text, "refused") == 0;
    bool ok = n > 0 && (none || refused || parse_values(want_text, want) == n);
    if (!ok) snprintf(detail, sizeof detail, "values not understood: %s -> %s", at_text, want_text);
    if (ok && ch_func_parse(text, name, &f) != CH_OK) {
        snprintf(detail, sizeof detail, "%s", ch_error_message());
        ok = false;
    }
    if (ok) {
        ch_status s = ch_vjp(f, NULL, 0, &g);
        snprintf(detail, sizeof detail, "%s", ch_error_message());
        if (none || refused) {
            ok = s != CH_OK && strcmp(ch_error_id(), none ? "gradient_detached" : "not_differentiable") == 0;
        } else {
            ok = s == CH_OK && check_run(g, n, at, want, detail) && parse_values(forward_text, forward) == n &&
                 check_forward(f, n, at, forward, detail);
        }
    }
    report(ok, name, detail);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// The cell between two bars, without blanks and backquotes at its ends.
static char *cell(char **line) {
    char *s = *line + 1, *end = strchr(s, '|');
    if (end == NULL) return NULL;
    *line = end;
    while (*s == ' ' || *s == '`') s++;
    while (end > s && (end[-1] == ' ' || end[-1] == '`')) end--;
    char *copy = calloc((size_t)(end - s) + 1, 1);
    return copy == NULL ? NULL : memcpy(copy, s, (size_t)(end - s));
}

static void check_row(char *line) {
    char *op = cell(&line), *at = cell(&line), *want = cell(&line), name[512], text[MAX_TEXT];
    value values[MAX_VALUES];
    if (op != NULL && at != NULL && want != NULL) {
        const char *colon = strrchr(op, ':');
        int n = parse_values(at, values), k = 0;
        k += snprintf(text + k, sizeof text - (size_t)k, "chaac-ir 1\nfunc @f(");
        for (int i = 0; i < n; i++)
            k += snprintf(text + k, sizeof text - (size_t)k, values[i].rank ? "%s%%%c: f64[%d]" : "%s%%%c: f64[]",
                          i ? ", " : "", 'a' + i, values[i].n);
        snprintf(text + k, sizeof text - (size_t)k, ") -> %s {\n  %%y = %s\n  return %%y\n}\n", colon + 2, op);
        snprintf(name, sizeof name, "%s at %s", op, at);
        check(name, text, at, want, want);
        rows++;
    }
    free(op);
    free(at);
    free(want);
}

int main(int argc, char **argv) {
    char line[1024], text[MAX_TEXT] = "", at[128] = "", want[128] = "", forward[128] = "", name[128] = "";
    FILE *f = fopen(argc > 1 ? argv[1] : "docs/derivatives.md", "r");
    bool inside = false, table = false;
    if (f == NULL) {
        printf("Bail out! docs/derivatives.md cannot be opened\n");
        return 1;
    }
    while (fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            if (inside) check(name, text, at, want, forward[0] ? forward : want), programs++;
            forward[0] = '\0';
            inside = !inside && strncmp(line, "```ir", 5) == 0;
            strcpy(text, "chaac-ir 1\n");
        } else if (inside) {
            sscanf(line, "// at %127[^\n]", at);
            sscanf(line, "// gradient %127[^\n]", want);
            sscanf(line, "// forward %127[^\n]", forward);
            sscanf(line, "func @%127[a-z0-9_]", name);
            strncat(text, line, sizeof text - strlen(text) - 1);
        } else if (strncmp(line, "| operation ", 12) == 0) {
            table = true;
        } else if (line[0] != '|') {
            table = false;
        } else if (table && strncmp(line, "|---", 4) != 0) {
            check_row(line);
        }
    }
    fclose(f);
    report(rows >= 50 && programs >= 8, "the table and the programs were found", "too few rows or programs");
    printf("1..%d\n", ran);
    return failed != 0;
}
