// SPDX-License-Identifier: Apache-2.0
// draw_layout.c - where the nodes of one graph stand: rows, order in the rows, places (Sugiyama, Tagawa, Toda 1981).
//
//   rows    the longest way from a source; an op without operands stands just above its first user
//   bends   an edge over several rows gets a node without size in each row between; one chain a value
//   order   sweeps down and up: each row sorted by the mean place of the neighbours in the row before
//   places  sweeps again: each node wants the mean x of its neighbours; the nearest places that keep order and distance
//           are an isotonic regression (pool adjacent violators), exact and linear
// No randomness and ties keep their order: the same func gives the same picture on every machine.
#include "opt/draw.h"

#include <math.h>
#include <string.h>

enum { CHAR_W = 8, GAP_X = 18, GAP_BEND = 12, GAP_Y = 34, SWEEPS = 12 };

typedef struct {
    ch__arena *arena;
    ch__draw_graph *g;
    int32_t n_rows;
    struct {
        ch__draw_node **at;
        int64_t n, cap;
    } * rows;
    double *top, *height; // of each row
    struct link {
        ch__draw_node *a, *b; // of neighbouring rows, a above
        int a_port, b_port;
    } * links;
    int64_t n_links;
    int64_t *above, *below; // n_nodes + 1 each: where a node's links begin in:
    int64_t *to_above, *to_below;
} draw_layout;

// ---------------------------------------------------------------- sizes
static int draw_chars(const char *s) {
    int n = 0;
    for (; *s != '\0'; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void draw_size(ch__draw_node *n) {
    int chars = 0;
    for (int i = 0; i < n->n_labels; i++) {
        int c = draw_chars(n->label[i]);
        if (c > chars) chars = c;
    }
    n->w = chars * CHAR_W + 2 * CH__DRAW_PAD_X;
    n->h = n->n_labels * CH__DRAW_LINE + 2 * CH__DRAW_PAD_Y;
    double x = CH__DRAW_PAD_X, tallest = 0;
    for (int i = 0; i < n->n_graphs; i++) {
        ch__draw_graph *g = n->graphs[i];
        g->x = x;
        g->y = n->h;
        x += g->w + CH__DRAW_PAD_X;
        if (g->h > tallest) tallest = g->h;
    }
    if (n->n_graphs == 0) return;
    if (x > n->w) n->w = x;
    for (int i = 0; i < n->n_graphs; i++) n->graphs[i]->x += floor((n->w - x) / 2);
    n->h += tallest + CH__DRAW_PAD_X;
}

double ch__draw_port(const ch__draw_node *n, bool in, int port) {
    int ports = in ? n->n_in : n->n_out;
    return n->x + (ports == 0 ? n->w / 2 : n->w * (port + 1) / (ports + 1));
}

// ---------------------------------------------------------------- rows
// Nodes are in an order in which each comes after what it needs.
static void draw_rows(draw_layout *l) {
    ch__draw_graph *g = l->g;
    ch__draw_node *end = g->nodes.data[g->nodes.n - 1];
    for (int64_t i = 0; i < g->nodes.n; i++) {
        ch__draw_node *n = g->nodes.data[i];
        for (int64_t k = 0; k < n->in.n; k++)
            if (n->in.data[k]->from->layer >= n->layer) n->layer = n->in.data[k]->from->layer + 1;
        if (n->layer > end->layer) end->layer = n->layer;
    }
    for (int64_t i = 0; i < g->nodes.n - 1; i++)
        if (g->nodes.data[i]->layer == end->layer) {
            end->layer++;
            break;
        }
    for (int64_t i = g->nodes.n - 2; i >= 0; i--) {
        ch__draw_node *n = g->nodes.data[i];
        if (n->kind == CH__DRAW_PARAM || n->in.n > 0 || n->out.n == 0) continue;
        int32_t first = INT32_MAX;
        for (int64_t k = 0; k < n->out.n; k++)
            if (n->out.data[k]->to->layer < first) first = n->out.data[k]->to->layer;
        n->layer = first - 1;
    }
    l->n_rows = end->layer + 1;
}

static void draw_into_row(draw_layout *l, ch__draw_node *n) {
    n->at = (int32_t)l->rows[n->layer].n;
    if (l->rows[n->layer].n == l->rows[n->layer].cap)
        l->rows[n->layer].at = ch__vec_grow(l->arena, l->rows[n->layer].at, l->rows[n->layer].n, &l->rows[n->layer].cap,
                                            sizeof(ch__draw_node *));
    l->rows[n->layer].at[l->rows[n->layer].n++] = n;
}

// ---------------------------------------------------------------- bends
// The edges of one port share a chain; chains[k] is the bend in row from->layer + 1 + k.
static void draw_bends(ch__draw_picture *p, draw_layout *l, ch__draw_node *n) {
    for (int port = 0; port < n->n_out; port++) {
        int32_t last = n->layer;
        for (int64_t k = 0; k < n->out.n; k++) {
            const ch__draw_edge *e = n->out.data[k];
            if (e->from_port == port && e->to->layer - 1 > last) last = e->to->layer - 1;
        }
        int32_t length = last - n->layer;
        ch__draw_node **chain = CH_NEW_ARRAY(p->arena, ch__draw_node *, length + 1);
        for (int32_t k = 0; k < length; k++) {
            if (++p->n_bends > CH__DRAW_MOST_BENDS)
                ch__raise(CH__E_limit, "draw: the edges bend more than %d times — the func is too large for a picture",
                          CH__DRAW_MOST_BENDS);
            chain[k] = CH_NEW(p->arena, ch__draw_node);
            *chain[k] = (ch__draw_node){.kind = CH__DRAW_BEND, .layer = n->layer + 1 + k, .n_in = 1, .n_out = 1};
            draw_into_row(l, chain[k]);
        }
        for (int64_t k = 0; k < n->out.n; k++) {
            ch__draw_edge *e = n->out.data[k];
            if (e->from_port != port) continue;
            e->bends = chain;
            e->n_bends = e->to->layer - n->layer - 1;
        }
    }
}

// ---------------------------------------------------------------- links between neighbouring rows, each once
static void draw_link(draw_layout *l, ch__draw_node *a, int a_port, ch__draw_node *b, int b_port) {
    l->links[l->n_links++] = (struct link){a, b, a_port, b_port};
}

static void draw_links(draw_layout *l) {
    ch__draw_graph *g = l->g;
    int64_t most = 0;
    for (int64_t i = 0; i < g->edges.n; i++) most += g->edges.data[i]->n_bends + 1;
    l->links = CH_NEW_ARRAY(l->arena, struct link, most);
    ch__map done; // a bend has one link to what is above it
    ch__map_init(&done, l->arena);
    int32_t number = 0;
    for (int32_t r = 0; r < l->n_rows; r++)
        for (int64_t i = 0; i < l->rows[r].n; i++) l->rows[r].at[i]->number = number++;
    for (int64_t i = 0; i < g->edges.n; i++) {
        const ch__draw_edge *e = g->edges.data[i];
        ch__draw_node *above = e->from;
        int port = e->from_port;
        for (int32_t k = 0; k < e->n_bends; k++) {
            uint64_t key = (uint64_t)(uintptr_t)e->bends[k];
            if (ch__map_get(&done, key) == NULL) {
                ch__map_put(&done, key, l);
                draw_link(l, above, port, e->bends[k], 0);
            }
            above = e->bends[k];
            port = 0;
        }
        draw_link(l, above, port, e->to, e->to_port);
    }
    // Counted, summed, filled: the links of a node side by side.
    l->above = CH_NEW_ARRAY(l->arena, int64_t, number + 2);
    l->below = CH_NEW_ARRAY(l->arena, int64_t, number + 2);
    l->to_above = CH_NEW_ARRAY(l->arena, int64_t, l->n_links + 1);
    l->to_below = CH_NEW_ARRAY(l->arena, int64_t, l->n_links + 1);
    for (int64_t i = 0; i < l->n_links; i++) {
        l->above[l->links[i].b->number + 2]++;
        l->below[l->links[i].a->number + 2]++;
    }
    for (int32_t i = 2; i < number + 2; i++) {
        l->above[i] += l->above[i - 1];
        l->below[i] += l->below[i - 1];
    }
    for (int64_t i = 0; i < l->n_links; i++) {
        l->to_above[l->above[l->links[i].b->number + 1]++] = i;
        l->to_below[l->below[l->links[i].a->number + 1]++] = i;
    }
}

// ---------------------------------------------------------------- order
// The mean of the places of a node's neighbours in the row before (down) or behind; ports count as parts of a place.
static double draw_mean_place(const draw_layout *l, const ch__draw_node *n, bool down) {
    const int64_t *begin = down ? l->above : l->below, *list = down ? l->to_above : l->to_below;
    double sum = 0;
    int64_t from = begin[n->number], to = begin[n->number + 1];
    for (int64_t i = from; i < to; i++) {
        const struct link *k = &l->links[list[i]];
        const ch__draw_node *other = down ? k->a : k->b;
        int port = down ? k->a_port : k->b_port, ports = down ? other->n_out : other->n_in;
        sum += other->at + (double)(port + 1) / (ports + 1);
    }
    return to > from ? sum / (double)(to - from) : n->at + 0.5;
}

// Insertion sort: rows are nearly sorted after the first sweeps, and it keeps ties.
static void draw_sort(ch__draw_node **row, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        ch__draw_node *x = row[i];
        int64_t k = i;
        for (; k > 0 && row[k - 1]->wish > x->wish; k--) row[k] = row[k - 1];
        row[k] = x;
    }
    for (int64_t i = 0; i < n; i++) row[i]->at = (int32_t)i;
}

static void draw_order(draw_layout *l) {
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool down = sweep % 2 == 0;
        for (int32_t i = 0; i < l->n_rows; i++) {
            int32_t r = down ? i : l->n_rows - 1 - i;
            for (int64_t k = 0; k < l->rows[r].n; k++)
                l->rows[r].at[k]->wish = draw_mean_place(l, l->rows[r].at[k], down);
            draw_sort(l->rows[r].at, l->rows[r].n);
        }
    }
}

// ---------------------------------------------------------------- places
static double draw_gap(const ch__draw_node *a, const ch__draw_node *b) {
    return a->kind == CH__DRAW_BEND || b->kind == CH__DRAW_BEND ? GAP_BEND : GAP_X;
}

// Where n wants its left edge: so that its links are straight on the mean. Between bends they weigh more.
static void draw_wish(const draw_layout *l, ch__draw_node *n, bool down) {
    const int64_t *begin = down ? l->above : l->below, *list = down ? l->to_above : l->to_below;
    double sum = 0, weights = 0;
    for (int64_t i = begin[n->number]; i < begin[n->number + 1]; i++) {
        const struct link *k = &l->links[list[i]];
        double there = down ? ch__draw_port(k->a, false, k->a_port) : ch__draw_port(k->b, true, k->b_port);
        double here = (down ? ch__draw_port(n, true, k->b_port) : ch__draw_port(n, false, k->a_port)) - n->x;
        double w = k->a->kind == CH__DRAW_BEND && k->b->kind == CH__DRAW_BEND ? 8 : 1;
        sum += w * (there - here);
        weights += w;
    }
    n->wish = weights > 0 ? sum / weights : n->x;
    n->weight = weights > 0 ? weights : 0.01;
}

// The x nearest to the wishes, in weighted squares, in order and with distance: blocks of nodes side by side that wish
// into each other move as one.
static void draw_place(draw_layout *l, int32_t r) {
    ch__draw_node **row = l->rows[r].at;
    int64_t n = l->rows[r].n, blocks = 0;
    double *offset = CH_NEW_ARRAY(l->arena, double, n + 1), *mean = CH_NEW_ARRAY(l->arena, double, n + 1);
    double *weight = CH_NEW_ARRAY(l->arena, double, n + 1);
    int64_t *size = CH_NEW_ARRAY(l->arena, int64_t, n + 1);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0) offset[i] = offset[i - 1] + row[i - 1]->w + draw_gap(row[i - 1], row[i]);
        mean[blocks] = row[i]->wish - offset[i];
        weight[blocks] = row[i]->weight;
        size[blocks++] = 1;
        while (blocks > 1 && mean[blocks - 2] > mean[blocks - 1]) {
            double w = weight[blocks - 2] + weight[blocks - 1];
            mean[blocks - 2] = (mean[blocks - 2] * weight[blocks - 2] + mean[blocks - 1] * weight[blocks - 1]) / w;
            weight[blocks - 2] = w;
            size[blocks - 2] += size[blocks - 1];
            blocks--;
        }
    }
    for (int64_t b = 0, i = 0; b < blocks; b++)
        for (int64_t k = 0; k < size[b]; k++, i++) row[i]->x = mean[b] + offset[i];
}

// What no edge holds stands beside its neighbour instead of where the first packing left it.
static void draw_gather(draw_layout *l, int32_t r) {
    ch__draw_node **row = l->rows[r].at;
    int64_t n = l->rows[r].n, first = 0;
    while (first < n && row[first]->in.n + row[first]->out.n == 0 && row[first]->kind != CH__DRAW_BEND) first++;
    if (first == n) first = 0;
    for (int64_t i = first - 1; i >= 0; i--) row[i]->x = row[i + 1]->x - draw_gap(row[i], row[i + 1]) - row[i]->w;
    for (int64_t i = first + 1; i < n; i++)
        if (row[i]->in.n + row[i]->out.n == 0 && row[i]->kind != CH__DRAW_BEND)
            row[i]->x = row[i - 1]->x + row[i - 1]->w + draw_gap(row[i - 1], row[i]);
}

static void draw_places(draw_layout *l) {
    for (int32_t r = 0; r < l->n_rows; r++) {
        double x = 0;
        for (int64_t i = 0; i < l->rows[r].n; i++) {
            l->rows[r].at[i]->x = x;
            x += l->rows[r].at[i]->w + GAP_X;
        }
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool down = sweep % 2 == 0;
        for (int32_t i = 0; i < l->n_rows; i++) {
            int32_t r = down ? i : l->n_rows - 1 - i;
            for (int64_t k = 0; k < l->rows[r].n; k++) draw_wish(l, l->rows[r].at[k], down);
            draw_place(l, r);
        }
    }
    for (int32_t r = 0; r < l->n_rows; r++) draw_gather(l, r);
}

// Whole numbers, from the margin on; rows below each other, nodes in the middle of theirs, bends as high as it.
static void draw_settle(draw_layout *l) {
    double left = INFINITY, right = 0, y = CH__DRAW_MARGIN + CH__DRAW_LINE;
    for (int32_t r = 0; r < l->n_rows; r++)
        for (int64_t i = 0; i < l->rows[r].n; i++)
            if (l->rows[r].at[i]->x < left) left = l->rows[r].at[i]->x;
    for (int32_t r = 0; r < l->n_rows; r++) {
        double height = 0;
        for (int64_t i = 0; i < l->rows[r].n; i++)
            if (l->rows[r].at[i]->h > height) height = l->rows[r].at[i]->h;
        for (int64_t i = 0; i < l->rows[r].n; i++) {
            ch__draw_node *n = l->rows[r].at[i];
            n->x = floor(n->x - left + CH__DRAW_MARGIN + 0.5);
            n->y = n->kind == CH__DRAW_BEND ? y : floor(y + (height - n->h) / 2);
            if (n->kind == CH__DRAW_BEND) n->h = height;
            n->row_top = y;
            n->row_end = y + height;
            if (n->x + n->w > right) right = n->x + n->w;
        }
        y += height + GAP_Y;
    }
    double title = draw_chars(l->g->title) * CHAR_W + 2 * CH__DRAW_MARGIN;
    l->g->w = right + CH__DRAW_MARGIN > title ? right + CH__DRAW_MARGIN : title;
    l->g->h = y - GAP_Y + CH__DRAW_MARGIN;
}

void ch__draw_layout(ch__draw_picture *p, ch__draw_graph *g) {
    draw_layout l = {.arena = ch__arena_create(), .g = g};
    for (int64_t i = 0; i < g->nodes.n; i++) draw_size(g->nodes.data[i]);
    draw_rows(&l);
    l.rows = ch__arena_array(l.arena, (size_t)l.n_rows, sizeof *l.rows);
    int32_t *numbers = CH_NEW_ARRAY(l.arena, int32_t, g->nodes.n);
    for (int64_t i = 0; i < g->nodes.n; i++) {
        numbers[i] = g->nodes.data[i]->number;
        draw_into_row(&l, g->nodes.data[i]);
    }
    for (int64_t i = 0; i < g->nodes.n; i++) draw_bends(p, &l, g->nodes.data[i]);
    draw_links(&l);
    draw_order(&l);
    draw_places(&l);
    draw_settle(&l);
    for (int64_t i = 0; i < g->nodes.n; i++) g->nodes.data[i]->number = numbers[i];
    ch__arena_destroy(l.arena);
}
