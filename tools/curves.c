// SPDX-License-Identifier: Apache-2.0
// curves.c - SVG by hand: panels of curves with axes, legend and marks.
//
// Equal curves give equal bytes: places are whole tenths of a pixel. A curve of many points is drawn with a few hundred
// of them. Ticks are at 1, 2 or 5 times a power of ten (Heckbert, Nice Numbers for Graph Labels, 1990).
#include "curves.h"

#include <math.h>

enum { WIDTH = 720, LEFT = 64, RIGHT = 20, TOP = 44, TALL = 300, GAP = 46, BOTTOM = 50, POINTS = 600, COLORS = 8 };

typedef struct range {
    double low, high;
} range;

static void coordinate(FILE *f, double v) {
    long tenths = (long)(v * 10 + (v < 0 ? -0.5 : 0.5));
    long above = tenths < 0 ? -tenths : tenths;
    fprintf(f, "%s%ld.%ld", tenths < 0 ? "-" : "", above / 10, above % 10);
}

static void attribute(FILE *f, const char *name, double v) {
    fprintf(f, " %s=\"", name);
    coordinate(f, v);
    fputc('"', f);
}

static void escaped(FILE *f, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '&')
            fputs("&amp;", f);
        else if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '>')
            fputs("&gt;", f);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, f);
    }
}

static int drawable(double v) { return fabs(v) <= 1e300; } // differences stay finite

static void widen(range *r, double v) {
    if (!drawable(v)) return;
    if (!(r->low <= v)) r->low = v;
    if (!(r->high >= v)) r->high = v;
}

// The range of all points; something that can be divided by, whatever they are.
static range settle(range r) {
    if (!isfinite(r.low)) return (range){0, 1};
    if (r.high - r.low > 1e-12 * (1 + fabs(r.low))) return r;
    double more = 0.5 * (1 + fabs(r.low));
    return (range){r.low - more, r.high + more};
}

static range x_range(int n, const panel *panels) {
    range r = {NAN, NAN};
    for (int p = 0; p < n; p++)
        for (int c = 0; c < panels[p].n; c++)
            for (int i = 0; i < panels[p].curves[c].n; i++) widen(&r, panels[p].curves[c].x[i]);
    return settle(r);
}

static range y_range(const panel *p) {
    range r = {NAN, NAN};
    if (p->low < p->high) return (range){p->low, p->high};
    for (int c = 0; c < p->n; c++)
        for (int i = 0; i < p->curves[c].n; i++) widen(&r, p->curves[c].y[i]);
    return settle(r);
}

static double part_of(range r, double v) {
    double part = (v - r.low) / (r.high - r.low);
    return part < 0 ? 0 : part > 1 ? 1 : part;
}
static double x_of(range r, double v) { return LEFT + (WIDTH - LEFT - RIGHT) * part_of(r, v); }
static double y_of(range r, double v, double top) { return top + TALL - TALL * part_of(r, v); }

static double nice_step(range r, int about) {
    double raw = (r.high - r.low) / about, power = pow(10, floor(log10(raw))), part = raw / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

// ---- axes
static void y_axis(FILE *f, range r, double top) {
    double step = nice_step(r, 5);
    for (double k = ceil(r.low / step); k * step <= r.high + 1e-9 * step; k++) {
        double y = y_of(r, k * step, top);
        fprintf(f, "<line class=\"grid\" x1=\"%d\" x2=\"%d\"", LEFT, WIDTH - RIGHT);
        attribute(f, "y1", y);
        attribute(f, "y2", y);
        fprintf(f, "/><text text-anchor=\"end\" x=\"%d\"", LEFT - 8);
        attribute(f, "y", y + 4);
        fprintf(f, ">%.6g</text>\n", k == 0 ? 0 : k * step);
    }
}

static void x_axis(FILE *f, range r, const char *name, double bottom) {
    double step = nice_step(r, 6);
    for (double k = ceil(r.low / step); k * step <= r.high + 1e-9 * step; k++) {
        fprintf(f, "<text text-anchor=\"middle\"");
        attribute(f, "x", x_of(r, k * step));
        attribute(f, "y", bottom + 18);
        fprintf(f, ">%.9g</text>\n", k == 0 ? 0 : k * step);
    }
    fprintf(f, "<text text-anchor=\"middle\" x=\"%d\"", (LEFT + WIDTH - RIGHT) / 2);
    attribute(f, "y", bottom + 38);
    fputc('>', f);
    escaped(f, name);
    fprintf(f, "</text>\n");
}

// ---- curves
static void draw_dots(FILE *f, const curve *c, range xs, range ys, double top) {
    if (c->style != CURVE_DOTS || c->n > POINTS / 4) return;
    for (int i = 0; i < c->n; i++) {
        if (!drawable(c->x[i]) || !drawable(c->y[i])) continue;
        fprintf(f, "<circle class=\"f%d\" r=\"3\"", c->color % COLORS);
        attribute(f, "cx", x_of(xs, c->x[i]));
        attribute(f, "cy", y_of(ys, c->y[i], top));
        fprintf(f, "/>\n");
    }
}

static void draw_curve(FILE *f, const curve *c, range xs, range ys, double top) {
    static const char *const styles[] = {"line", "faint", "dots"};
    int every = c->n / POINTS + 1;
    double mean = NAN;
    fprintf(f, "<polyline class=\"%s c%d\" points=\"", styles[c->style], c->color % COLORS);
    for (int i = 0; i < c->n; i++) {
        if (!drawable(c->x[i]) || !drawable(c->y[i])) continue;
        mean = isnan(mean) ? c->y[i] : c->smooth * mean + (1 - c->smooth) * c->y[i];
        if (i % every != 0 && i != c->n - 1) continue;
        coordinate(f, x_of(xs, c->x[i]));
        fputc(',', f);
        coordinate(f, y_of(ys, mean, top));
        fputc(' ', f);
    }
    fprintf(f, "\"/>\n");
    draw_dots(f, c, xs, ys, top);
}

static void legend(FILE *f, const panel *p, double top) {
    static const char *const styles[] = {"line", "faint", "dots"};
    double y = top + 16;
    for (int i = 0; i < p->n; i++) {
        const curve *c = &p->curves[i];
        if (c->name == NULL) continue;
        fprintf(f, "<line class=\"%s c%d\" x1=\"%d\" x2=\"%d\"", styles[c->style], c->color % COLORS,
                WIDTH - RIGHT - 40, WIDTH - RIGHT - 12);
        attribute(f, "y1", y - 4);
        attribute(f, "y2", y - 4);
        fprintf(f, "/><text text-anchor=\"end\" x=\"%d\"", WIDTH - RIGHT - 46);
        attribute(f, "y", y);
        fputc('>', f);
        escaped(f, c->name);
        fprintf(f, "</text>\n");
        y += 16;
    }
}

static void draw_panel(FILE *f, const panel *p, range xs, double top, int n_marks, const mark *marks) {
    range ys = y_range(p);
    fprintf(f, "<text class=\"head\" x=\"%d\"", LEFT);
    attribute(f, "y", top - 8);
    fputc('>', f);
    escaped(f, p->title);
    fprintf(f, "</text>\n");
    y_axis(f, ys, top);
    for (int i = 0; i < n_marks; i++) {
        double x = x_of(xs, marks[i].x);
        fprintf(f, "<line class=\"mark\"");
        attribute(f, "x1", x);
        attribute(f, "x2", x);
        attribute(f, "y1", top);
        attribute(f, "y2", top + TALL);
        fprintf(f, "/><text text-anchor=\"end\"");
        attribute(f, "x", x - 4);
        attribute(f, "y", top + 12);
        fputc('>', f);
        escaped(f, marks[i].text);
        fprintf(f, "</text>\n");
    }
    for (int i = 0; i < p->n; i++) draw_curve(f, &p->curves[i], xs, ys, top);
    legend(f, p, top);
}

static void style(FILE *f) {
    static const char *const colors[COLORS] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                               "#ff7f0e", "#17becf", "#e377c2", "#7f7f7f"};
    fprintf(f, "<style>text { fill: #222 } .head { font-weight: bold } .back { fill: #fff } .grid { stroke: #ddd } "
               ".mark { stroke: #bbb; stroke-dasharray: 4 3 } polyline { fill: none } .line { stroke-width: 2 } "
               ".faint { stroke-opacity: 0.3 } .dots { stroke-width: 1.5; stroke-dasharray: 5 3 }\n");
    for (int i = 0; i < COLORS; i++) fprintf(f, ".c%d { stroke: %s } .f%d { fill: %s }\n", i, colors[i], i, colors[i]);
    fprintf(f, "@media (prefers-color-scheme: dark) { text { fill: #ddd } .back { fill: #181818 } "
               ".grid { stroke: #444 } .mark { stroke: #666 } }</style>\n");
}

void draw_curves(FILE *f, const char *title, const char *x_name, int n, const panel *panels, int n_marks,
                 const mark *marks) {
    int height = TOP + n * TALL + (n - 1) * GAP + BOTTOM + 12;
    range xs = x_range(n, panels);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n",
            WIDTH, height);
    style(f);
    fprintf(f, "<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n<text x=\"%d\" y=\"20\" font-size=\"15\">", WIDTH,
            height, LEFT);
    escaped(f, title);
    fprintf(f, "</text>\n");
    for (int i = 0; i < n; i++) draw_panel(f, &panels[i], xs, TOP + 12 + i * (TALL + GAP), n_marks, marks);
    x_axis(f, xs, x_name, TOP + 12 + n * TALL + (n - 1) * GAP);
    fprintf(f, "</svg>\n");
}
