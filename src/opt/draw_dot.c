// SPDX-License-Identifier: Apache-2.0
// draw_dot.c - a picture as text for Graphviz: regions are clusters. A box is a node with its title and
// dotted edges to what its regions begin with.
#include "opt/draw.h"

#include <string.h>

static void dot_string(ch__text *t, const char *s) {
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\') ch__putc(t, '\\');
        ch__putc(t, (unsigned char)*s < ' ' ? ' ' : *s);
    }
}

static void dot_indent(ch__text *t, int depth) {
    for (int i = 0; i < depth; i++) ch__put(t, "  ");
}

static void dot_node(ch__text *t, const ch__draw_node *n, int depth) {
    static const char *const looks[] = {
        [CH__DRAW_PARAM] = "shape=box, style=rounded",
        [CH__DRAW_OUTER] = "shape=box, style=\"rounded,dashed\"",
        [CH__DRAW_OP] = "shape=box",
        [CH__DRAW_BOX] = "shape=plaintext",
        [CH__DRAW_END] = "shape=box, style=bold",
    };
    dot_indent(t, depth);
    ch__putf(t, "n%d [%s, label=\"", (int)n->number, looks[n->kind]);
    for (int i = 0; i < n->n_labels; i++) {
        if (i > 0) ch__put(t, "\\n");
        dot_string(t, n->label[i]);
    }
    ch__put(t, "\"];\n");
}

// Recurses on the nesting of regions.
static void dot_graph(ch__text *t, const ch__draw_graph *g, int *clusters, int depth) {
    dot_indent(t, depth);
    ch__putf(t, "subgraph cluster_%d {\n", (*clusters)++);
    dot_indent(t, depth + 1);
    ch__put(t, "label=\"");
    dot_string(t, g->title);
    ch__put(t, "\";\n");
    for (int64_t i = 0; i < g->nodes.n; i++) {
        const ch__draw_node *n = g->nodes.data[i];
        dot_node(t, n, depth + 1);
        for (int k = 0; k < n->n_graphs; k++) dot_graph(t, n->graphs[k], clusters, depth + 1);
    }
    dot_indent(t, depth);
    ch__put(t, "}\n");
}

static void dot_edges(ch__text *t, const ch__draw_graph *g) {
    for (int64_t i = 0; i < g->edges.n; i++)
        ch__putf(t, "  n%d -> n%d;\n", (int)g->edges.data[i]->from->number, (int)g->edges.data[i]->to->number);
    for (int64_t i = 0; i < g->nodes.n; i++) {
        const ch__draw_node *n = g->nodes.data[i];
        for (int k = 0; k < n->n_graphs; k++) {
            const ch__draw_graph *inner = n->graphs[k];
            for (int64_t j = 0; j < inner->nodes.n; j++)
                if (inner->nodes.data[j]->kind == CH__DRAW_PARAM || inner->nodes.data[j]->kind == CH__DRAW_OUTER)
                    ch__putf(t, "  n%d -> n%d [style=dotted];\n", (int)n->number, (int)inner->nodes.data[j]->number);
            dot_edges(t, inner);
        }
    }
}

void ch__draw_dot(const ch__draw_picture *p, ch__text *t) {
    int clusters = 0;
    ch__put(t, "digraph {\n  node [fontname=monospace, fontsize=10];\n  graph [fontname=monospace, fontsize=10];\n");
    for (int64_t i = 0; i < p->funcs.n; i++) dot_graph(t, p->funcs.data[i], &clusters, 1);
    for (int64_t i = 0; i < p->funcs.n; i++) dot_edges(t, p->funcs.data[i]);
    ch__put(t, "}\n");
}
