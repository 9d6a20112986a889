// SPDX-License-Identifier: Apache-2.0
// chunks.c - a long list of calls becomes several functions, and what takes long in it leaves it.
//
// Compilers are superlinear in the length of a function, and a straight program of thousands of operations calls
// hundreds of kernels with dozens of arrays each: a list that took longer to compile than all kernels. Calls of
// kernels and libraries that follow each other become functions of a few each; what they need comes as parameters,
// places in the arena they find themselves. Loops that stand between the calls become functions too, so that all else
// may be compiled without any optimization. Works on the printed text: a statement that is no such call stays.
#include "cgen/native.h"

enum { LONG_LIST = 48, CHUNK_CALLS = 8, FEW_CALLS = 6 };

typedef struct {
    const char *at, *end;
    bool call;
} chunk_statement;

typedef struct {
    cg *g;
    ch__strmap places; // array -> its declaration, when it is a place in the arena
    ch__strmap seen;
    ch__text places_text, params, args;
    bool unknown;
} chunk;

static const char *line_end(const char *s) { return strchr(s, '\n') + 1; }

static bool begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

static bool is_call(const char *s) {
    return begins(s, "    if (chaac_parallel(") || begins(s, "    if (chaac_dot(") ||
           begins(s, "    if (chaac_conv(") || begins(s, "    {\n        const chaac_nest chaac_nests[]");
}

// A statement of the function's outermost block; what is not a call is taken line by line.
static chunk_statement next_statement(const char *s) {
    chunk_statement x = {s, line_end(s), false};
    const char *first = s;
    if (begins(first, "    chaac_call = ")) first = x.end; // of a profile: which call comes
    if (!is_call(first)) return x;
    const char *end = first;
    while (!begins(end, "    }\n")) end = line_end(end);
    return (chunk_statement){s, line_end(end), true};
}

static void see_chunk_word(void *arg, const char *word, size_t n) {
    chunk *c = arg;
    cg *g = c->g;
    if (ch__strmap_getn(&c->seen, word, n) || (n == 6 && memcmp(word, "status", n) == 0)) return;
    const char *name = ch__arena_strndup(g->a, word, n);
    ch__strmap_put(&c->seen, name, c);
    const char *place = ch__strmap_get(&c->places, name), *type = ch__strmap_get(&g->types, name);
    if (place) {
        ch__put(&c->places_text, place);
    } else if (type) {
        ch__putf(&c->params, ", %s%s", type, name);
        ch__putf(&c->args, ", %s", name);
    } else if (ch__strmap_get(&g->names, name)) {
        c->unknown = true;
    }
}

// The beginning of the line that holds `at`.
static const char *chunk_line(const char *text, const char *at) {
    while (at > text && at[-1] != '\n') at--;
    return at;
}

// Lines "    T *const NAME = (T *)(void *)(ARENA + ...);". Those in between are passed over at once.
static void find_places(chunk *c, const char *text) {
    const char *arena = ch__arena_printf(c->g->a, "(void *)(%s + ", c->g->file->native->arena);
    for (const char *s = text, *end; *s; s = end) {
        const char *name = strstr(s, " *const ");
        if (!name) return;
        s = chunk_line(s, name);
        end = line_end(s);
        const char *equal = strstr(name, " = (");
        if (!equal) return;
        if (equal > end) continue;
        const char *from = strstr(equal, arena);
        if (!from || from > end) continue;
        name += strlen(" *const ");
        ch__strmap_put(&c->places, ch__arena_strndup(c->g->a, name, (size_t)(equal - name)),
                       ch__arena_strndup(c->g->a, s, (size_t)(end - s)));
    }
}

// The statements from .. to as a function, and its call; false: they need what it cannot be given.
static bool put_chunk(chunk *c, const char *from, const char *to, int number, ch__text *functions, ch__text *out) {
    cg *g = c->g;
    const cg_native *nat = g->file->native;
    ch__strmap_init(&c->seen, g->a);
    ch__text_init(&c->places_text, g->a);
    ch__text_init(&c->params, g->a);
    ch__text_init(&c->args, g->a);
    c->unknown = false;
    ch__put(&c->params, "");
    ch__put(&c->args, "");
    ch__cg_each_word(from, to, see_chunk_word, c);
    if (c->unknown) return false;
    ch__text body;
    ch__text_init(&body, g->a);
    ch__putn(&body, from, (size_t)(to - from));
    (void)ch__cg_direct_returns(g, &body);
    ch__putf(functions, "CHAAC_LIST static int chaac_chunk_%d(char *%s, const int64_t *%s%s)\n{\n", number, nat->arena,
             nat->at, c->params.data);
    if (c->places_text.n) ch__putn(functions, c->places_text.data, (size_t)c->places_text.n);
    ch__putn(functions, body.data, (size_t)body.n);
    ch__put(functions, "    return 0;\n}\n\n");
    ch__putf(out, "    status = chaac_chunk_%d(%s, %s%s);\n    if (status != 0) goto done;\n", number, nat->arena,
             nat->at, c->args.data);
    return true;
}

// What only the parts use is declared there alone.
static void drop_places(chunk *c, ch__text *body) {
    ch__text out;
    ch__strmap counts;
    ch__text_init(&out, c->g->a);
    ch__cg_count_words(c->g, body, &counts);
    for (const char *s = body->data, *end; *s; s = end) {
        const char *name = strstr(s, " *const "), *line = name ? chunk_line(s, name) : s + strlen(s);
        ch__putn(&out, s, (size_t)(line - s));
        if (!name) break;
        s = line;
        end = line_end(s);
        const char *equal = strstr(name, " = (");
        if (equal && equal < end) {
            name += strlen(" *const ");
            const int64_t *times = ch__strmap_getn(&counts, name, (size_t)(equal - name));
            if (ch__strmap_getn(&c->places, name, (size_t)(equal - name)) && times && *times == 1) continue;
        }
        ch__putn(&out, s, (size_t)(end - s));
    }
    *body = out;
}

void ch__cg_chunks(cg *g, ch__text *body, ch__text *functions) {
    int calls = 0, number = 0;
    for (const char *s = body->n ? body->data : "", *end; *s; s = end) {
        chunk_statement x = next_statement(s);
        end = x.end;
        calls += x.call;
    }
    if (calls < LONG_LIST) return;
    chunk c = {.g = g};
    ch__text out;
    ch__text_init(&out, g->a);
    ch__strmap_init(&c.places, g->a);
    find_places(&c, body->data);
    for (const char *s = body->data; *s;) {
        chunk_statement x = next_statement(s);
        const char *end = x.end;
        int n = x.call;
        while (x.call && *end && n < CHUNK_CALLS) {
            x = next_statement(end);
            if (!x.call) break;
            end = x.end;
            n++;
        }
        if (n >= FEW_CALLS && put_chunk(&c, s, end, number, functions, &out))
            number++;
        else
            ch__putn(&out, s, (size_t)(end - s));
        s = end;
    }
    drop_places(&c, &out);
    *body = out;
    g->file->native->out->n_chunks = number;
}

// ---------------------------------------------------------------- loops between the calls
typedef struct {
    chunk c;
    ch__strmap outside;  // names that the function has where the loop stands
    ch__strmap declared; // ... those that look as if they were declared there
} between;

static void see_outside(void *arg, const char *word, size_t n) {
    between *b = arg;
    const char *name = ch__arena_strndup(b->c.g->a, word, n);
    ch__strmap_put(&b->outside, name, b);
    if (begins(word + n, " = ") || word[n] == ';' || word[n] == '[') ch__strmap_put(&b->declared, name, b);
}

static void see_function_names(between *b) {
    cg *g = b->c.g;
    const ch__region *body = g->f->body;
    for (int i = 0; i < body->n_params; i++) ch__strmap_put(&b->outside, val_of(g, body->params[i])->st->name, b);
    for (int i = 0; i < body->n_results; i++)
        if (g->outs[i]) ch__strmap_put(&b->outside, g->outs[i]->name, b);
    for (int64_t i = 0; i < g->f->dims.n; i++)
        ch__strmap_put(&b->outside, ch__strmap_get(&g->symbols, g->f->dims.data[i].name), b);
    ch__strmap_put(&b->outside, "chaac_bad", b);
    ch__cg_variable(g, "chaac_bad", "int *");
}

// Is the word at s given another value there?
static bool is_given_anew(const char *s, size_t n) {
    const char *next = s + n + strspn(s + n, " ");
    size_t op = strspn(next, "+-*/%&|^<>");
    if ((next[0] == '+' || next[0] == '-') && next[1] == next[0]) return true;
    if (s[-1] == '&' || (s[-2] == s[-1] && (s[-1] == '+' || s[-1] == '-'))) return true;
    return next[op] == '=' && next[op + 1] != '=' && (op != 1 || (next[0] != '<' && next[0] != '>'));
}

static void see_between_word(void *arg, const char *word, size_t n) {
    between *b = arg;
    if (!ch__strmap_getn(&b->outside, word, n)) return; // its own, or of the file
    const char *type = ch__strmap_getn(&b->c.g->types, word, n);
    if (type && !strchr(type, '*') && is_given_anew(word, n)) b->c.unknown = true;
    if (!type && !ch__strmap_getn(&b->c.places, word, n) && ch__strmap_getn(&b->declared, word, n)) b->c.unknown = true;
    see_chunk_word(&b->c, word, n);
}

static bool has_turns(const char *s, const char *end) {
    for (const char *c = s; c < end; c++)
        if (begins(c, "for (") || begins(c, "while (") || begins(c, "do {")) return true;
    return false;
}

// A statement of the outermost block to its end, with lines before it that tell the compiler something.
static const char *whole_statement(const char *s) {
    while (begins(s, "    #") || begins(s, "    CHAAC_")) s = line_end(s);
    if (*s) s = line_end(s);
    while (begins(s, "     ") || begins(s, "    }") || begins(s, "    #endif")) s = line_end(s);
    return s;
}

// "for (int64_t p = 1; p < PARTS; p++) total += ...": at most CG_SUM_PARTS turns.
static bool is_sum_of_parts(const cg *g, const char *s, const char *end) {
    const char *less = strstr(s, " < "), *semicolon = less ? strchr(less, ';') : NULL;
    if (!begins(s, "    for (int64_t ") || line_end(s) != end || !semicolon || semicolon > end) return false;
    return ch__strmap_getn(&g->file->native->part_counts, less + 3, (size_t)(semicolon - less - 3)) != NULL;
}

static bool put_between(between *b, const char *s, const char *end, int number, ch__text *functions, ch__text *out) {
    chunk *c = &b->c;
    const cg_native *nat = c->g->file->native;
    const char *text = ch__arena_strndup(c->g->a, s, (size_t)(end - s));
    if (strstr(text, "goto ") || strstr(text, "return ") || strstr(text, "status = ")) return false;
    ch__strmap_init(&c->seen, c->g->a);
    ch__text_init(&c->places_text, c->g->a);
    ch__text_init(&c->params, c->g->a);
    ch__text_init(&c->args, c->g->a);
    ch__put(&c->params, "");
    ch__put(&c->args, "");
    c->unknown = false;
    ch__cg_each_word(s, end, see_between_word, b);
    if (c->unknown) return false;
    ch__putf(functions, "CHAAC_APART %sstatic void chaac_between_%d(char *%s, const int64_t *%s%s)\n{\n",
             ch__cg_is_masked(text) ? "CHAAC_BRANCH " : "", number, nat->arena, nat->at, c->params.data);
    if (c->places_text.n) ch__putn(functions, c->places_text.data, (size_t)c->places_text.n);
    ch__putf(functions, "%s}\n\n", text);
    ch__putf(out, "    chaac_between_%d(%s, %s%s);\n", number, nat->arena, nat->at, c->args.data);
    return true;
}

bool ch__cg_between(cg *g, ch__text *body, ch__text *functions) {
    between b = {.c.g = g};
    ch__text out, apart;
    int number = 0;
    ch__text_init(&out, g->a);
    ch__text_init(&apart, g->a);
    ch__strmap_init(&b.outside, g->a);
    ch__strmap_init(&b.declared, g->a);
    ch__strmap_init(&b.c.places, g->a);
    find_places(&b.c, body->data);
    see_function_names(&b);
    for (const char *s = body->data, *end; *s; s = end) {
        end = whole_statement(s);
        bool turns = has_turns(s, end) && !is_sum_of_parts(g, s, end);
        if (turns && !put_between(&b, s, end, number++, &apart, &out)) return false;
        if (turns) continue;
        ch__putn(&out, s, (size_t)(end - s));
        if (line_end(s) == end) ch__cg_each_word(s, end, see_outside, &b);
    }
    if (number == 0) return true;
    ch__putn(functions, apart.data, (size_t)apart.n);
    drop_places(&b.c, &out);
    *body = out;
    return true;
}
