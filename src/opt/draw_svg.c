// SPDX-License-Identifier: Apache-2.0
// draw_svg.c - a laid-out picture as SVG 1.1: no script, no font of its own, its own ground under it.
//
// Colors are classes, once for light and once for a viewer that prefers dark; readers that know no media queries show
// the light ones. Each node carries its whole line of IR as a title, which viewers show when it is pointed at.
#include "opt/draw.h"

#include <string.h>

enum { BASELINE = 12 };

static const char style[] =
    "<style>\n"
    "text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1c2128}\n"
    ".ground{fill:#ffffff}.frame{fill:none;stroke:#c4ccd6}.head{font-weight:bold}.kind{fill:#57606a}\n"
    ".param{fill:#ddeeff;stroke:#4a87c8}.outer{fill:#ffffff;stroke:#4a87c8;stroke-dasharray:4 3}\n"
    ".op{fill:#f4f6f8;stroke:#8792a0}.box{fill:#fbf7ee;stroke:#b08a3c}.end{fill:#dff3e3;stroke:#3f8f52}\n"
    ".edge{fill:none;stroke:#6b7683;stroke-width:1.2}.tip{fill:#6b7683}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6e9ee}.ground{fill:#14181d}.frame{stroke:#3b4450}.kind{fill:#9aa4b0}\n"
    ".param{fill:#15304d;stroke:#6aa6e6}.outer{fill:#14181d;stroke:#6aa6e6}.op{fill:#232a33;stroke:#7d8896}\n"
    ".box{fill:#26221a;stroke:#c9a454}.end{fill:#163321;stroke:#62b877}.edge{stroke:#97a2af}.tip{fill:#97a2af}\n"
    "}\n"
    "</style>\n"
    "<defs><marker id=\"tip\" markerWidth=\"7\" markerHeight=\"7\" refX=\"6\" refY=\"3.5\" orient=\"auto\">"
    "<path class=\"tip\" d=\"M0 0L7 3.5L0 7z\"/></marker></defs>\n";

static void svg_escaped(ch__text *t, const char *s) {
    for (; *s != '\0'; s++) {
        if (*s == '<')
            ch__put(t, "&lt;");
        else if (*s == '>')
            ch__put(t, "&gt;");
        else if (*s == '&')
            ch__put(t, "&amp;");
        else if (*s == '"')
            ch__put(t, "&quot;");
        else if ((unsigned char)*s >= ' ')
            ch__putc(t, *s);
        else
            ch__putc(t, ' ');
    }
}

static void svg_text(ch__text *t, const char *class, double x, double y, const char *s) {
    ch__putf(t, "<text%s%s%s x=\"%d\" y=\"%d\">", class == NULL ? "" : " class=\"", class == NULL ? "" : class,
             class == NULL ? "" : "\"", (int)x, (int)y);
    svg_escaped(t, s);
    ch__put(t, "</text>\n");
}

static void svg_rect(ch__text *t, const char *class, double x, double y, double w, double h, int round) {
    ch__putf(t, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>\n", class, (int)x, (int)y,
             (int)w, (int)h, round);
}

// Down from (x0,y0) to (x1,y1), leaving and arriving upright. Inside its own row an edge runs straight: it never
// crosses a taller neighbour.
static void svg_curve(ch__text *t, double x0, double y0, double x1, double y1) {
    if ((int)x0 == (int)x1)
        ch__putf(t, "L%d %d", (int)x1, (int)y1);
    else
        ch__putf(t, "C%d %d %d %d %d %d", (int)x0, (int)((y0 + y1) / 2), (int)x1, (int)((y0 + y1) / 2), (int)x1,
                 (int)y1);
}

static void svg_edge(ch__text *t, const ch__draw_edge *e, double dx, double dy) {
    double x = ch__draw_port(e->from, false, e->from_port) + dx, y = e->from->row_end + dy;
    ch__putf(t, "<path class=\"edge\" marker-end=\"url(#tip)\" d=\"M%d %dL%d %d", (int)x,
             (int)(e->from->y + e->from->h + dy), (int)x, (int)y);
    for (int32_t i = 0; i < e->n_bends; i++) {
        const ch__draw_node *bend = e->bends[i];
        svg_curve(t, x, y, bend->x + dx, bend->y + dy);
        x = bend->x + dx;
        y = bend->y + bend->h + dy;
        ch__putf(t, "L%d %d", (int)x, (int)y);
    }
    double to = ch__draw_port(e->to, true, e->to_port) + dx;
    svg_curve(t, x, y, to, e->to->row_top + dy);
    if (e->to->y > e->to->row_top) ch__putf(t, "L%d %d", (int)to, (int)(e->to->y + dy));
    ch__put(t, "\"/>\n");
}

static void svg_graph(ch__text *t, const ch__draw_graph *g, double dx, double dy);

static void svg_node(ch__text *t, const ch__draw_node *n, double dx, double dy) {
    static const char *const classes[] = {
        [CH__DRAW_PARAM] = "param", [CH__DRAW_OUTER] = "outer", [CH__DRAW_OP] = "op",
        [CH__DRAW_BOX] = "box",     [CH__DRAW_END] = "end",
    };
    double x = n->x + dx, y = n->y + dy;
    ch__put(t, "<g><title>");
    svg_escaped(t, n->tip);
    ch__put(t, "</title>\n");
    svg_rect(t, classes[n->kind], x, y, n->w, n->h, n->kind == CH__DRAW_PARAM || n->kind == CH__DRAW_OUTER ? 12 : 4);
    for (int i = 0; i < n->n_labels; i++)
        svg_text(t,
                 i > 0                     ? "kind"
                 : n->kind == CH__DRAW_BOX ? "head"
                                           : NULL,
                 x + CH__DRAW_PAD_X, y + CH__DRAW_PAD_Y + BASELINE + i * CH__DRAW_LINE, n->label[i]);
    ch__put(t, "</g>\n");
    for (int i = 0; i < n->n_graphs; i++) {
        const ch__draw_graph *g = n->graphs[i];
        svg_rect(t, "frame", x + g->x, y + g->y, g->w, g->h, 4);
        svg_graph(t, g, x + g->x, y + g->y);
    }
}

// Recurses on the nesting of regions.
static void svg_graph(ch__text *t, const ch__draw_graph *g, double dx, double dy) {
    svg_text(t, "head", dx + CH__DRAW_PAD_X, dy + CH__DRAW_LINE, g->title);
    for (int64_t i = 0; i < g->edges.n; i++) svg_edge(t, g->edges.data[i], dx, dy);
    for (int64_t i = 0; i < g->nodes.n; i++) svg_node(t, g->nodes.data[i], dx, dy);
}

void ch__draw_svg(const ch__draw_picture *p, ch__text *t) {
    double w = 0, h = CH__DRAW_MARGIN;
    for (int64_t i = 0; i < p->funcs.n; i++) {
        const ch__draw_graph *g = p->funcs.data[i];
        if (g->w > w) w = g->w;
        h += g->h + CH__DRAW_MARGIN;
    }
    w += 2 * CH__DRAW_MARGIN;
    ch__putf(t, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ", (int)w,
             (int)h, (int)w, (int)h);
    ch__put(t, "role=\"img\">\n<title>");
    svg_escaped(t, p->funcs.data[0]->title);
    ch__put(t, "</title>\n");
    ch__put(t, style);
    ch__putf(t, "<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", (int)w, (int)h);
    double y = CH__DRAW_MARGIN;
    for (int64_t i = 0; i < p->funcs.n; i++) {
        const ch__draw_graph *g = p->funcs.data[i];
        svg_rect(t, "frame", CH__DRAW_MARGIN, y, g->w, g->h, 6);
        svg_graph(t, g, CH__DRAW_MARGIN, y);
        y += g->h + CH__DRAW_MARGIN;
    }
    ch__put(t, "</svg>\n");
}
