// SPDX-License-Identifier: Apache-2.0
// source.c - where printed statements come from: the user's comments, and the lines whose adjoints are computed.
//
//     (a comment of the user's)                      what f computes
//     adjoints
//     cam.c:12: r = x * x + y * y;                   the adjoints of that line
//
// Only functions with a face of the caller's have these; others carry places behind what they compute (loops.c).
#include "cgen/emit.h"

static void put_comment_line(cg *g, const char *text, const char *place) {
    enum { WIDTH = 96 };
    if (strlen(text) + strlen(place) + (size_t)(4 * g->indent) <= WIDTH) {
        ch__cg_line(g, "/* %s%s */", place, text);
        return;
    }
    bool first = true;
    for (const char *s = text; *s; first = false) { // as many words as fit
        size_t room = (size_t)(WIDTH - 4 * (g->indent < 12 ? g->indent : 12)) - (first ? strlen(place) : 0), n = 0;
        for (size_t i = 0; s[i]; i++) {
            if (s[i] == ' ' && i <= room) n = i;
            if (i > room && n > 0) break;
            if (!s[i + 1]) n = i + 1;
        }
        const char *rest = s + n + strspn(s + n, " ");
        ch__cg_line(g, "%s%s%.*s%s", first ? "/* " : "   ", first ? place : "", (int)n, s, *rest ? "" : " */");
        s = rest;
    }
}

// What the user says beside the line, once in a function.
static void put_users_comment(cg *g, const ch__loc *loc) {
    const ch__c_frame *frame = g->file->frame;
    const char *key = ch__arena_printf(g->a, "%s:%d", loc->file, loc->line);
    if (!frame->comment || ch__strmap_get(&g->commented, key)) return;
    ch__strmap_put(&g->commented, key, g);
    const char *text = frame->comment(frame->arg, loc->file, loc->line);
    if (text) put_comment_line(g, text, "");
}

static void put_comments(cg *g, const ch__loc *loc) {
    const ch__c_frame *frame = g->file->frame;
    bool same = g->last_loc && g->last_loc->line == loc->line && ch__streq(g->last_loc->file, loc->file) &&
                g->last_loc->back == loc->back;
    const char *slash = strrchr(loc->file, '/'), *name = slash ? slash + 1 : loc->file;
    if (loc->back && !g->backward) {
        g->backward = true;
        ch__cg_line(g, "/* adjoints */");
    }
    if (!loc->back) {
        if (!g->backward) {
            put_users_comment(g, loc);
            g->last_loc = loc;
        }
        return;
    }
    if (same) return;
    g->last_loc = loc;
    const char *code = frame->code ? frame->code(frame->arg, loc->file, loc->line) : NULL;
    if (code && *code)
        put_comment_line(g, code, ch__arena_printf(g->a, "%s:%d: ", name, loc->line));
    else
        ch__cg_line(g, "/* %s:%d */", name, loc->line);
}

void ch__cg_source(cg *g, const ch__op *op) {
    const ch__c_frame *frame = g->file->frame;
    const ch__loc *loc = op->loc;
    if (!g->fn->face || !frame || !loc || !loc->file || strstr(loc->file, "*/")) return;
    put_comments(g, loc);
    if (frame->lines && !strpbrk(loc->file, "\"\\\n")) ch__putf(g->out, "#line %d \"%s\"\n", loc->line, loc->file);
}
