// SPDX-License-Identifier: Apache-2.0
// remark.c - what a derivative keeps of each loop for the way back, as remarks at the loops: cost, cause, what would
// change it.
//
// The account is the library's own (ch_explain_kept), whose lines are
//       for at FILE:LINE, policy POLICY:
//         %x: f64[], 8 bytes an iteration, state at the start of an iteration, read by mul
// Here a line becomes a remark of its own, in words of C.
#include <stdlib.h>
#include <string.h>

#include "cfront/write.h"
#include "chaac/func.h"

typedef struct {
    cf_report *r;
    const cf_wanted *w;
    const char *policy; // of the loop at `at`; NULL: outside of loops
    cf_loc at;
    int kept;
} remarks;

// ---------------------------------------------------------------- where the loop stands
typedef struct {
    const char *file;
    int line, col;
} loop_search;

static void find_loop(void *arg, ch__op *op) {
    loop_search *s = arg;
    if ((op->code != CH_OP_for && op->code != CH_OP_while) || !op->loc || op->loc->line != s->line) return;
    if (s->col == 0 && op->loc->file && !strcmp(op->loc->file, s->file)) s->col = op->loc->col;
}

static cf_loc place_of(const remarks *m, const char *file, int line) {
    loop_search s = {file, line, 0};
    for (ch_func *g = m->w->low->func->module->first; g; g = g->next) ch__walk(g->body, find_loop, &s);
    return (cf_loc){file, line, s.col ? s.col : 1, NULL};
}

// ---------------------------------------------------------------- one kept value
static const char *after(const char *s, const char *what) {
    const char *at = s ? strstr(s, what) : NULL;
    return at ? at + strlen(what) : NULL;
}

static const char *before_comma(ch__arena *a, const char *s) { return ch__arena_strndup(a, s, strcspn(s, ",")); }

// "%x: f64[], 8 bytes an iteration, state ..., read by mul"
static void say_kept(remarks *m, const char *line) {
    ch__arena *a = m->r->a;
    const char *colon = strstr(line, ": "), *cost = NULL, *why, *way;
    if (*line != '%' || !colon) {
        cf_say(m->r, CF_REMARK, NULL, m->at, "%s: this loop keeps as many states at a time as CH_CHECKPOINT(%s) allows",
               m->w->name, m->policy);
        m->kept++;
        return;
    }
    const char *name = ch__arena_strndup(a, line + 1, (size_t)(colon - line - 1));
    bool named = *name < '0' || *name > '9', many = strncmp(colon + 2, "elements of it", 14) == 0;
    for (const char *at = colon; !cost && (at = strchr(at, ',')) != NULL; at++)
        if (strstr(at, " bytes") && at[2] >= '0' && at[2] <= '9') cost = before_comma(a, at + 2);
    const char *reads = after(line, "read by "), *made = after(line, "result of ");
    if (strstr(line, "overwritten")) {
        why = "rules read the elements, and they are overwritten after that";
        way = "write to another array, or keep less with CH_CHECKPOINT(sqrt)";
    } else if (made) {
        why = ch__arena_printf(a, "it is the result of %s, which costs more to compute again", before_comma(a, made));
        way = "CH_CHECKPOINT(recompute) as the first statement of the loop computes it again";
    } else {
        why = "it is the state that an iteration starts from, and gone when the way back comes to it";
        way = "CH_CHECKPOINT(sqrt) as the first statement of the loop keeps about the square root of as many states";
    }
    if (strcmp(m->policy, "store") != 0) {
        way = ch__arena_printf(a, "CH_CHECKPOINT(%s) asks for that", m->policy);
        int n = cost ? (int)(strstr(cost, "bytes") - cost + 5) : 0;
        if (cost) cost = ch__arena_printf(a, "%.*s each time it is kept", n, cost);
    }
    if (reads && !strncmp(reads, "for", 3)) reads = NULL; // the loop that goes back
    int64_t said = m->r->messages.n;
    m->kept++;
    cf_say(m->r, CF_REMARK, NULL, m->at, "%s: this loop keeps %s%s%s%s, %s", m->w->name,
           many    ? "elements of "
           : named ? ""
                   : "a value",
           named || many ? "'" : "", named || many ? name : "", named || many ? "'" : "",
           cost ? cost : "its size unknown");
    if (m->r->messages.n == said) return; // another state of the same kind
    cf_say(m->r, CF_NOTE, NULL, m->at, "%s%s%s", why, reads ? "; it is read by " : "", reads ? reads : "");
    cf_say(m->r, CF_NOTE, NULL, m->at, "%s", way);
}

static void end_of_loop(remarks *m) {
    if (m->policy && m->kept == 0)
        cf_say(m->r, CF_REMARK, NULL, m->at, "%s: this loop keeps nothing: what the way back needs is computed again",
               m->w->name);
    m->policy = NULL;
    m->kept = 0;
}

// "  for at FILE:LINE, policy POLICY:"; false: another line.
static bool begin_loop(remarks *m, const char *line) {
    ch__arena *a = m->r->a;
    const char *file = after(line, " at "), *policy = after(line, ", policy ");
    if (strncmp(line, "  for", 5) != 0 && strncmp(line, "  while", 7) != 0) return false;
    end_of_loop(m);
    m->policy = policy ? ch__arena_strndup(a, policy, strcspn(policy, ":")) : "store";
    m->at = m->w->f->loc;
    if (!file || !policy) return true;
    const char *colon = policy - strlen(", policy ");
    while (colon > file && *colon != ':') colon--;
    m->at = place_of(m, ch__arena_strndup(a, file, (size_t)(colon - file)), atoi(colon + 1));
    return true;
}

void cf_remark_kept(cf_report *r, const cf_wanted *w) {
    remarks m = {.r = r, .w = w};
    ch__text wrt;
    char *text = NULL;
    size_t n = 0;
    if (w->mode == CF_JVP || w->mode == CF_JACOBIAN) return; // forward mode keeps nothing
    ch__text_init(&wrt, r->a);
    for (int64_t k = 0; k < w->wrt.n; k++)
        for (int64_t i = 0; i < w->low->ports.n; i++)
            if (w->low->ports.data[i].param == w->wrt.data[k] && w->low->ports.data[i].input >= 0 &&
                cf_is_float_port(&w->low->ports.data[i]))
                ch__putf(&wrt, "%s%s", wrt.n ? ", " : "", w->low->ports.data[i].name);
    FILE *f = open_memstream(&text, &n);
    if (!f) return;
    ch_status s = ch_explain_kept(w->low->func, wrt.data, f);
    fclose(f);
    for (char *line = s == CH_OK ? text : NULL; line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        if (!begin_loop(&m, line)) {
            if (line[0] == ' ' && line[2] != ' ') end_of_loop(&m); // outside of loops
            if (m.policy && !strncmp(line, "    ", 4) && strcmp(line, "    nothing") != 0) say_kept(&m, line + 4);
        }
        line = end ? end + 1 : NULL;
    }
    end_of_loop(&m);
    free(text);
}
