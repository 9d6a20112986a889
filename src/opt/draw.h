// SPDX-License-Identifier: Apache-2.0
// draw.h - a func as a graph, between draw.c (what is drawn), draw_layout.c (where), draw_svg.c and draw_dot.c (how).
//
// One graph a region. Nodes stand in rows (layers) by what they need; an edge that passes rows goes through a bend in
// each of them, and the edges of one value share their bends. An op with regions is a box around their graphs; what its
// regions use from outside is an operand of the box, and a dashed node inside.
#ifndef CHAAC_OPT_DRAW_H
#define CHAAC_OPT_DRAW_H

#include "ir/ir.h"

enum {
    CH__DRAW_LINE = 16,
    CH__DRAW_PAD_X = 8,
    CH__DRAW_PAD_Y = 6,
    CH__DRAW_MARGIN = 14
}; // pixels: a line of text, inside a node, around all

typedef enum { CH__DRAW_PARAM, CH__DRAW_OUTER, CH__DRAW_OP, CH__DRAW_BOX, CH__DRAW_END, CH__DRAW_BEND } ch__draw_kind;
typedef struct ch__draw_graph ch__draw_graph;
typedef struct ch__draw_edge ch__draw_edge;

typedef struct ch__draw_node {
    ch__draw_kind kind;
    const ch__op *op;       // OP, BOX
    const ch__value *value; // PARAM, OUTER
    const char *label[2];   // two lines, or one
    const char *tip;        // the whole of it
    int n_labels, n_graphs;
    ch__draw_graph **graphs; // BOX
    int32_t number;          // unique in the picture
    int n_in, n_out;         // ports at the top and at the bottom
    CH_VEC(ch__draw_edge *) in, out;
    // layout; x and y are the left upper corner, relative to the graph
    int32_t layer, at; // which row, which place in it
    double x, y, w, h;
    double row_top, row_end; // y of the row
    double wish, weight;     // scratch
} ch__draw_node;

struct ch__draw_edge {
    ch__draw_node *from, *to;
    int from_port, to_port;
    const ch__value *value;
    ch__draw_node **bends; // one in each row between
    int32_t n_bends;
};

struct ch__draw_graph {
    const ch__region *region;
    const char *title;
    CH_VEC(ch__draw_node *) nodes;
    CH_VEC(ch__draw_edge *) edges; // as they are drawn
    double w, h;
    double x, y; // in the box that holds it
};

// The funcs of a picture: f and those it calls.
typedef struct ch__draw_picture {
    ch__arena *arena;
    int32_t n_nodes;
    int64_t n_bends;
    CH_VEC(ch__draw_graph *) funcs;
} ch__draw_picture;

enum { CH__DRAW_MOST_NODES = 4000, CH__DRAW_MOST_BENDS = 100000 };

void ch__draw_layout(ch__draw_picture *p, ch__draw_graph *g);    // of one graph whose boxes have their sizes
double ch__draw_port(const ch__draw_node *n, bool in, int port); // x of a port, relative to the graph
void ch__draw_svg(const ch__draw_picture *p, ch__text *t);
void ch__draw_dot(const ch__draw_picture *p, ch__text *t);

#endif
