// SPDX-License-Identifier: Apache-2.0
// curves.h - curves as an SVG picture in light and dark; the command and the Fashion-MNIST demo draw theirs with it.
#ifndef CHAAC_TOOLS_CURVES_H
#define CHAAC_TOOLS_CURVES_H

#include <stdio.h>

typedef enum { CURVE_LINE, CURVE_FAINT, CURVE_DOTS } curve_style; // dots: a dashed line with a dot at each point
typedef struct curve {
    const char *name; // in the legend; NULL: not there
    int color;        // 0, 1, ...: those of one number look alike
    curve_style style;
    int n;
    const double *x, *y;
    double smooth; // each point is drawn as this part of the one before and the rest of its own
} curve;
typedef struct panel {
    const char *title;
    int n;
    const curve *curves;
    double low, high; // of y, when low < high; else by the curves
} panel;
typedef struct mark { // a vertical line with a text
    double x;
    char text[32];
} mark;
// Panels below each other over one x axis. Points that are not finite (or beyond 1e300) are left out. What was written
// is in ferror(f).
void draw_curves(FILE *f, const char *title, const char *x_name, int n, const panel *panels, int n_marks,
                 const mark *marks);

#endif
