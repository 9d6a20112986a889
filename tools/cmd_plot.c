// SPDX-License-Identifier: Apache-2.0
// cmd_plot.c - chaac plot: the curves of one or more logs of chaac train, or of anything that writes a JSON object a
// line: "step" and "loss", and with "event": "epoch" also "valid_loss" and "accuracy".
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "curves.h"
#include "train.h"

enum { MOST_LOGS = 64 };

typedef struct series {
    int n, cap;
    double *x, *y;
} series;
typedef struct log_series {
    series loss, valid, accuracy;
    bool by_seconds, full;
} log_series;

static void push(log_series *l, series *s, double x, double y) {
    if (isnan(x) || isnan(y)) return;
    if (s->n == s->cap) {
        int cap = s->cap == 0 ? 256 : 2 * s->cap;
        double *xs = realloc(s->x, (size_t)cap * sizeof *xs),
               *ys = xs == NULL ? NULL : malloc((size_t)cap * sizeof *ys);
        if (xs != NULL) s->x = xs;
        if (ys == NULL) {
            l->full = true;
            return;
        }
        if (s->n > 0) memcpy(ys, s->y, (size_t)s->n * sizeof *ys);
        free(s->y);
        s->y = ys;
        s->cap = cap;
    }
    s->x[s->n] = x;
    s->y[s->n++] = y;
}

static bool take_line(void *user, const log_line *line, long end) {
    (void)end;
    log_series *l = user;
    double x = l->by_seconds ? line->seconds : line->step;
    if (strcmp(line->event, "epoch") != 0) push(l, &l->loss, x, line->loss);
    push(l, &l->valid, x, line->valid_loss);
    push(l, &l->accuracy, x, line->accuracy);
    return !l->full;
}

// "runs/a/log.jsonl" is named "a"; a file with another name by its path.
static void name_of(const char *path, const char *what, char name[96]) {
    size_t n = strlen(path), m = strlen("/log.jsonl");
    const char *begin = path, *end = path + n;
    if (n > m && strcmp(path + n - m, "/log.jsonl") == 0) {
        end = path + n - m;
        for (const char *p = path; p < end; p++)
            if (*p == '/') begin = p + 1;
    }
    snprintf(name, 96, "%.*s%s%s", (int)(end - begin > 40 ? 40 : end - begin), begin, what[0] != '\0' ? ", " : "",
             what);
}

static curve curve_of(const series *s, int hue, curve_style style, double smooth, const char *name) {
    return (curve){.name = name, .color = hue, .style = style, .n = s->n, .x = s->x, .y = s->y, .smooth = smooth};
}

static void draw_logs(int n, const char *const *paths, const log_series *logs, bool by_seconds, const char *title,
                      FILE *out) {
    static curve losses[3 * MOST_LOGS], accuracies[MOST_LOGS];
    static char names[3 * MOST_LOGS][96];
    panel panels[2] = {{.title = "loss", .curves = losses}, {.title = "held out: accuracy", .curves = accuracies}};
    int k = 0;
    for (int i = 0; i < n; i++) {
        const log_series *l = &logs[i];
        bool many = l->loss.n >= 100; // then a smooth curve over a faint one
        name_of(paths[i], "training", names[k]);
        if (many) losses[panels[0].n++] = curve_of(&l->loss, i, CURVE_FAINT, 0, NULL);
        if (l->loss.n > 0) losses[panels[0].n++] = curve_of(&l->loss, i, CURVE_LINE, many ? 0.95 : 0, names[k++]);
        name_of(paths[i], "held out", names[k]);
        if (l->valid.n > 0) losses[panels[0].n++] = curve_of(&l->valid, i, CURVE_DOTS, 0, names[k++]);
        name_of(paths[i], "", names[k]);
        if (l->accuracy.n > 0) accuracies[panels[1].n++] = curve_of(&l->accuracy, i, CURVE_DOTS, 0, names[k++]);
    }
    draw_curves(out, title, by_seconds ? "seconds" : "step", panels[1].n > 0 ? 2 : 1, panels, 0, NULL);
}

static int draw_file(const char *cmd, const char *out, int n, const char *const *paths, const log_series *logs,
                     bool by_seconds, const char *title) {
    FILE *f = out == NULL ? stdout : fopen(out, "w");
    if (f == NULL) return file_trouble(cmd, out);
    draw_logs(n, paths, logs, by_seconds, title, f);
    if (out == NULL) return OK;
    bool bad = ferror(f) != 0;
    return fclose(f) != 0 || bad ? file_trouble(cmd, out) : OK;
}

int plot_logs(const char *cmd, int n, const char *const *paths, bool by_seconds, const char *title, const char *out) {
    static log_series logs[MOST_LOGS];
    int status = OK;
    for (int i = 0; status == OK && i < n; i++) {
        logs[i] = (log_series){.by_seconds = by_seconds};
        status = log_read(cmd, paths[i], take_line, &logs[i]);
        if (status == OK && (logs[i].full || logs[i].loss.n + logs[i].valid.n == 0)) {
            fprintf(stderr, "chaac %s: %s: %s\n", cmd, paths[i],
                    logs[i].full ? "no memory" : "no line has a step and a loss");
            status = FAILED;
        }
    }
    if (status == OK) status = draw_file(cmd, out, n, paths, logs, by_seconds, title);
    for (int i = 0; i < n; i++) {
        series *all[] = {&logs[i].loss, &logs[i].valid, &logs[i].accuracy};
        for (int k = 0; k < 3; k++) {
            free(all[k]->x);
            free(all[k]->y);
        }
        logs[i] = (log_series){.full = false};
    }
    return status;
}

int cmd_plot(int argc, char **argv) {
    static const char *const valued[] = {"--out", "--title", "--over", NULL};
    static char in_folder[MOST_LOGS][PATH_MOST];
    const char *paths[MOST_LOGS], *out = NULL, *title = "training", *over = "step", *value;
    int n = 0;
    struct stat st;
    options o = {argc, argv, 1};
    for (const char *arg; (arg = next_argument(&o, valued, &value)) != NULL;) {
        if (arg[0] == '-' && value == NULL) return usage_error("plot", "\"%.60s\" is unknown or needs a value", arg);
        if (strcmp(arg, "--out") == 0)
            out = value;
        else if (strcmp(arg, "--title") == 0)
            title = value;
        else if (strcmp(arg, "--over") == 0)
            over = value;
        else if (n == MOST_LOGS)
            return usage_error("plot", "more than %d logs", MOST_LOGS);
        else
            paths[n++] = arg;
    }
    if (n == 0) return usage_error("plot", "no log is named");
    if (strcmp(over, "step") != 0 && strcmp(over, "seconds") != 0)
        return usage_error("plot", "--over=%.60s — step and seconds are known", over);
    for (int i = 0; i < n; i++) {
        if (stat(paths[i], &st) != 0 || !S_ISDIR(st.st_mode)) continue;
        snprintf(in_folder[i], PATH_MOST, "%.4000s/log.jsonl", paths[i]);
        paths[i] = in_folder[i];
    }
    return plot_logs("plot", n, paths, strcmp(over, "seconds") == 0, title, out);
}
