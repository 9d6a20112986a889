// SPDX-License-Identifier: Apache-2.0
// masked.c - loops that gcc would make wrong vectors of.
//
// A short loop of known turns within another one, in which an element is read behind a question:
//
//     for (i = lo; i < hi; i++)
//         for (j = 0; j < 2; j++) y[i * 2 + j] = i >= 1 ? x[(i - 1) * 2 + j] : 0;
//
// gcc unrolls the short loop, makes the question a mask, takes the reads of one i for a group, and reads several
// vectors of that group under the mask of the first (GCC 12.2, SLP groups of .MASK_LOAD of more than one vector). Where
// such a loop stands in a function, CHAAC_BRANCH keeps questions branches there: no masks, no vectors of them, the
// right numbers. Long loops, and those that a pragma wants as vectors, are not unrolled before and are not concerned.
#include "cgen/native.h"

#include <stdlib.h>

enum { SHORT_TURNS = 17, MOST_NESTED = 64 }; // of gcc, the first one and 16 more

typedef struct {
    int indent;
    bool loop, brief, question;
} masked_level;

// The turns of "for (int64_t NAME = A; NAME < B; ..." with both known; -1.
static int64_t known_turns(const char *s) {
    const char *from = strstr(s, " = "), *to = strstr(s, " < ");
    if (!from || !to || to < from) return -1;
    char *end;
    int64_t a = strtoll(from + 3, &end, 10);
    if (end == from + 3 || *end != ';') return -1;
    int64_t b = strtoll(to + 3, &end, 10);
    return end == to + 3 || *end != ';' ? -1 : b - a;
}

static const char *find_within(const char *s, const char *end, const char *what) {
    const char *at = strstr(s, what);
    return at && at < end ? at : NULL;
}

// The end of a parenthesis that opens at s.
static const char *behind_parenthesis(const char *s, const char *end) {
    int open = 0;
    for (; s < end; s++) {
        open += (*s == '(') - (*s == ')');
        if (open == 0 && *s == ')') return s + 1;
    }
    return end;
}

// Is an element read or written in [s, end) behind a question?
static bool asks_within(const char *s, const char *end, bool asked) {
    static const char *const words[] = {" ? ", " && ", " || "};
    if (asked) return find_within(s, end, "[") != NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = find_within(s, end, words[i]);
        if (at && find_within(at, end, "[")) return true;
    }
    return false;
}

// The loops and questions that begin at *s, one behind the other on its line, which ends at end. Gives how many there
// are around what is left of the line then.
static int open_levels(masked_level *level, int n, int indent, bool ordered, const char **s, const char *end) {
    static const struct {
        const char *word;
        bool loop;
    } heads[] = {{"for (", true}, {"while (", true}, {"if (", false}, {"else ", false}};
    while (*s < end && n < MOST_NESTED) {
        size_t k = 0;
        while (k < sizeof heads / sizeof heads[0] && strncmp(*s, heads[k].word, strlen(heads[k].word)) != 0) k++;
        if (k == sizeof heads / sizeof heads[0]) break;
        int64_t turns = k == 0 ? known_turns(*s) : -1;
        level[n++] = (masked_level){.indent = indent,
                                    .loop = heads[k].loop,
                                    .brief = turns >= 0 && turns <= SHORT_TURNS && !ordered,
                                    .question = !heads[k].loop};
        *s += strlen(heads[k].word) - 1;
        if (**s == '(') *s = behind_parenthesis(*s, end);
        *s += strspn(*s, " ");
    }
    return n;
}

bool ch__cg_is_masked(const char *text) {
    masked_level level[MOST_NESTED];
    int n = 0;
    bool ordered = false; // a pragma stands right before
    for (const char *s = text, *end; *s; s = *end ? end + 1 : end) {
        end = s + strcspn(s, "\n");
        int indent = (int)strspn(s, " ");
        s += indent;
        if (s >= end || *s == '#') {
            ordered = s < end;
            continue;
        }
        while (n > 0 && level[n - 1].indent >= indent) n--;
        if (strncmp(s, "} else", 6) == 0) s += 2;
        n = open_levels(level, n, indent, ordered, &s, end);
        ordered = false;
        int loops = 0;
        bool brief = false, asked = false; // brief: the innermost loop, for others go when it is gone
        for (int i = 0; i < n; i++) {
            loops += level[i].loop;
            if (level[i].loop) brief = level[i].brief;
            asked = asked || level[i].question;
        }
        if (n == MOST_NESTED || (brief && loops > 1 && asks_within(s, end, asked))) return true;
    }
    return false;
}
