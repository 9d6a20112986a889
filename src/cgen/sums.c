// SPDX-License-Identifier: Apache-2.0
// sums.c - sums of f32 that are gathered in f64 go there many elements at a time.
//
// A conversion of every element to f64 costs more than its addition, and fills the window in which a processor looks
// ahead for loads. So printing marks what is added, `sum += chaac_wide(x)`, and the loops of a kernel are written anew:
//   runs    of elements that lie next to each other: trees of 8 x 8 of them, each tree's 8 sums to f64;
//   blocks  of 256 elements of any expression: summed in f32 by the lanes of vectors, each block's sum to f64;
//   rows    of a sum along the outermost axis: trees of 8 rows to f64.
// A loop that sums and computes e^x or its like waits for both: it becomes two, over parts of 1,024 elements, the first
// without a sum, so that its turns are computed in each other's gaps, the second over what lies in memory by then.
// With u = 2^-24 a tree is off by at most 3 u sum |x| (rows and runs), a block in v lanes by gamma(256 / v + log2 v) of
// it: 20 u with 16 lanes, 35 u with 8, 67 u with 4. Sums in f64 behind that add nothing that counts, so n does not
// enter; pairwise summation in f32 has log2(n) u. Where terms are as likely above as below what they are rounded to it
// is some u.
// A partial sum beyond f32 is infinite where f64 would not be: a sum that is not finite is taken again, each element
// in f64. That takes what is added as the loop left it, so loops that overwrite it keep their conversions, as does
// whatever is not of these forms (chaac_wide is a cast then). Where blocks begin follows from sizes alone.
#include "cgen/native.h"

enum { LEAST_TERMS = 16, BLOCK_TERMS = 256, PART_TERMS = 1024, TREE_ROWS = 8 };
enum { MOST_STATEMENTS = 64, MOST_SUMS = 8, LONGEST_ELEMENT = 160 };

static const char wide[] = "chaac_wide(";

cx ch__cg_wide(cg *g, const accum *fo, const ch__op *op, cx element) {
    bool free = g->file->native && ch__op_int(op, CH__ATTR_order, CH__ANY) == CH__ANY && op->code == CH_OP_reduce;
    bool narrow = fo->d == CH_F32 || ch__cg_is_half(fo->d);
    if (!free || !narrow || fo->kind != CH__SUM || fo->acc != CH_F64) return ch__cg_fold_load(g, fo, element);
    return ch__cx_call1(g, "chaac_wide", ch__cg_convert(g, element, fo->d, CH_F32));
}

// ---------------------------------------------------------------- a loop as text
typedef struct {
    const char *at, *end; // without its indent
    const char *name;     // declared here: const TYPE NAME = ...; or NULL
    const char *array;    // NAME[...] = ...; or NULL
    int sum;              // the sum that it adds to, or -1
    bool needed;          // for what is added
} sum_statement;

typedef struct {
    const char *name, *in_f64, *in_f32, *element; // element: of the only statement that adds to it
} sum_target;

typedef struct {
    cg *g;
    const char *indent, *counter, *from, *limit, *head, *pragma;
    sum_statement lines[MOST_STATEMENTS];
    sum_target sums[MOST_SUMS];
    int n, n_sums;
} sum_loop;

static bool same_word(const char *name, const char *word, size_t n) {
    return name && strlen(name) == n && memcmp(name, word, n) == 0;
}

static size_t word_length(const char *s) {
    size_t n = 0;
    while (ch__cg_in_word(s[n])) n++;
    return n;
}

static const char *sum_text(cg *g, const char *from, const char *to) {
    return ch__arena_strndup(g->a, from, (size_t)(to - from));
}

// "for (int64_t I = FROM; I < LIMIT; I++)" at s: what is behind it, or NULL.
static const char *read_head(sum_loop *l, const char *s) {
    if (strncmp(s, "for (int64_t ", 13) != 0) return NULL;
    const char *name = s + 13, *line = strchr(s, '\n'), *equals = strstr(name, " = "), *semi = strchr(name, ';');
    if (!line || !equals || !semi || equals > semi || semi > line) return NULL;
    l->counter = sum_text(l->g, name, equals);
    l->from = sum_text(l->g, equals + 3, semi);
    const char *less = ch__arena_printf(l->g->a, "; %s < ", l->counter);
    const char *next = ch__arena_printf(l->g->a, "; %s++)", l->counter), *stop;
    if (strncmp(semi, less, strlen(less)) != 0 || !(stop = strstr(semi + 1, next)) || stop > line) return NULL;
    l->limit = sum_text(l->g, semi + strlen(less), stop);
    return stop + strlen(next);
}

// "NAME += chaac_wide(ELEMENT);" of a sum of the pragma.
static void read_sum(sum_loop *l, sum_statement *x) {
    size_t n = word_length(x->at);
    const char *plus = x->at + n;
    x->sum = -1;
    if (n == 0 || strncmp(plus, " += ", 4) != 0 || strncmp(plus + 4, wide, sizeof wide - 1) != 0) return;
    for (int i = 0; i < l->n_sums; i++) {
        if (!same_word(l->sums[i].name, x->at, n)) continue;
        x->sum = i;
        x->needed = true;
        l->sums[i].element = l->sums[i].element ? "" : sum_text(l->g, plus + 4 + sizeof wide - 1, x->end - 2);
    }
}

static bool read_statement(sum_loop *l, const char *s, const char *end) {
    if (l->n == MOST_STATEMENTS || end - s < 4 || end[-1] != ';') return false;
    static const char *const other[] = {"for ", "if ", "while ", "do ", "goto ", "switch "};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strncmp(s, other[i], strlen(other[i])) == 0) return false;
    if (*s == '{' || *s == '}' || *s == '#' || memchr(s, '{', (size_t)(end - s))) return false;
    sum_statement *x = &l->lines[l->n++];
    *x = (sum_statement){.at = s, .end = end, .sum = -1};
    size_t n = word_length(s);
    if (strncmp(s, "const ", 6) == 0) {
        const char *equals = strstr(s, " = "), *name = equals;
        if (!equals || equals > end) return false;
        while (ch__cg_in_word(name[-1])) name--;
        x->name = sum_text(l->g, name, equals);
    } else if (n > 0 && s[n] == '[') {
        x->array = sum_text(l->g, s, s + n);
    } else if (n == 0 || s[n] != ' ') {
        return false;
    } else {
        read_sum(l, x);
    }
    return true;
}

// The names of " reduction(+:A, B)" that chaac_wide adds to; the pragma's others stay in l->pragma.
static bool read_pragma(sum_loop *l, const char *s, const char *end) {
    static const char open[] = "#pragma omp simd reduction(+:";
    if (strncmp(s, open, sizeof open - 1) != 0) return false;
    const char *at = s + sizeof open - 1;
    for (; at < end && *at != ')'; at += strspn(at, ", ")) {
        size_t n = word_length(at);
        if (n == 0 || l->n_sums == MOST_SUMS) return false;
        l->sums[l->n_sums++] = (sum_target){.name = sum_text(l->g, at, at + n)};
        at += n;
    }
    l->pragma = at < end ? sum_text(l->g, at + 1, end) : "";
    return true;
}

// The loop behind the pragma at s: what is behind it, or NULL when it is of another form.
static const char *read_loop(sum_loop *l, const char *s) {
    const char *word = s + strspn(s, " "), *end = strchr(s, '\n');
    if (!end || !read_pragma(l, word, end)) return NULL;
    l->indent = sum_text(l->g, s, word);
    const char *head = end + 1 + strspn(end + 1, " "), *at = read_head(l, head);
    if (!at) return NULL;
    l->head = sum_text(l->g, head, at);
    bool braces = strncmp(at, " {\n", 3) == 0;
    at += braces ? 3 : *at == '\n' || *at == ' ' ? 1 : 0;
    for (;;) {
        const char *w = at + strspn(at, " "), *e = strchr(w, '\n');
        if (!e) return NULL;
        if (braces && w[0] == '}') return l->n > 0 && e == w + 1 ? e + 1 : NULL;
        if (!read_statement(l, w, e)) return NULL;
        at = e + 1;
        if (!braces) return at;
    }
}

// ---------------------------------------------------------------- what is added, once more
typedef struct {
    sum_loop *l;
    int line;
    bool wrong;
} need_look;

static void see_added(void *arg, const char *word, size_t n) {
    need_look *k = arg;
    for (int i = 0; i < k->l->n; i++) {
        sum_statement *x = &k->l->lines[i];
        if (same_word(x->name, word, n)) x->needed = true;
        if (same_word(x->array, word, n) && i >= k->line) k->wrong = true; // overwritten behind where it is read
    }
}

// Can the sums be taken again when the loop is done? Marks the statements that it takes.
static bool can_repeat(sum_loop *l) {
    need_look k = {.l = l};
    for (k.line = l->n - 1; k.line >= 0; k.line--) {
        const sum_statement *x = &l->lines[k.line];
        if (x->needed) ch__cg_each_word(x->at, x->end, see_added, &k);
    }
    return !k.wrong;
}

static void put_again(ch__text *t, const sum_loop *l, const char *indent) {
    ch__putf(t, "%sif (!(", indent);
    for (int i = 0; i < l->n_sums; i++)
        if (l->sums[i].in_f64) ch__putf(t, "%s - %s + ", l->sums[i].in_f64, l->sums[i].in_f64);
    ch__putf(t, "0 == 0)) {\n%s    chaac_rare();\n", indent);
    for (int i = 0; i < l->n_sums; i++)
        if (l->sums[i].in_f64) ch__putf(t, "%s    %s = 0;\n", indent, l->sums[i].in_f64);
    ch__putf(t, "%s    %s {\n", indent, l->head);
    for (int i = 0; i < l->n; i++) {
        const sum_statement *x = &l->lines[i];
        if (!x->needed) continue;
        ch__putf(t, "%s        ", indent);
        if (x->sum >= 0)
            ch__putf(t, "%s += (double)(%s);\n", l->sums[x->sum].in_f64, l->sums[x->sum].element);
        else
            ch__putf(t, "%.*s\n", (int)(x->end - x->at), x->at);
    }
    ch__putf(t, "%s    }\n%s}\n", indent, indent);
}

// ---------------------------------------------------------------- blocks
static int64_t plain_number(const char *s) {
    int64_t n = 0;
    for (; *s >= '0' && *s <= '9' && n < INT32_MAX; s++) n = 10 * n + (*s - '0');
    return *s ? -1 : n;
}

static void put_block(ch__text *t, const sum_loop *l, const char *indent, const char *head) {
    for (int i = 0; i < l->n_sums; i++)
        if (l->sums[i].in_f32) ch__putf(t, "%sfloat %s = 0;\n", indent, l->sums[i].in_f32);
    ch__putf(t, "%s#pragma omp simd reduction(+:", indent);
    for (int i = 0; i < l->n_sums; i++)
        ch__putf(t, "%s%s", i > 0 ? ", " : "", l->sums[i].in_f32 ? l->sums[i].in_f32 : l->sums[i].name);
    ch__putf(t, ")%s\n%s%s {\n", l->pragma, indent, head);
    for (int i = 0; i < l->n; i++) {
        const sum_statement *x = &l->lines[i];
        if (x->sum >= 0)
            ch__putf(t, "%s    %s += %s;\n", indent, l->sums[x->sum].in_f32, l->sums[x->sum].element);
        else
            ch__putf(t, "%s    %.*s\n", indent, (int)(x->end - x->at), x->at);
    }
    ch__putf(t, "%s}\n", indent);
    for (int i = 0; i < l->n_sums; i++)
        if (l->sums[i].in_f32) ch__putf(t, "%s%s += (double)%s;\n", indent, l->sums[i].in_f64, l->sums[i].in_f32);
}

static void put_blocks(ch__text *t, sum_loop *l) {
    cg *g = l->g;
    const char *in = ch__arena_printf(g->a, "%s    ", l->indent), *deep = ch__arena_printf(g->a, "%s    ", in);
    int64_t n = strcmp(l->from, "0") == 0 ? plain_number(l->limit) : -1;
    ch__putf(t, "%s{\n", l->indent);
    for (int i = 0; i < l->n_sums; i++)
        if (l->sums[i].in_f64) ch__putf(t, "%sdouble %s = 0;\n", in, l->sums[i].in_f64);
    if (n >= 0 && n <= BLOCK_TERMS) {
        put_block(t, l, in, l->head);
    } else {
        // Whole blocks have a number of turns that compilers know; what is left is a loop of its own.
        const char *block = ch__cg_scoped(g, "block"), *i = l->counter;
        ch__putf(t, "%sint64_t %s = %s;\n%sfor (; %s <= %s - %d; %s += %d) {\n", in, block, l->from, in, block,
                 l->limit, BLOCK_TERMS, block, BLOCK_TERMS);
        put_block(
            t, l, deep,
            ch__arena_printf(g->a, "for (int64_t %s = %s; %s < %s + %d; %s++)", i, block, i, block, BLOCK_TERMS, i));
        ch__putf(t, "%s}\n", in);
        if (n < 0 || n % BLOCK_TERMS != 0) {
            ch__putf(t, "%sif (%s < %s) {\n", in, block, l->limit);
            put_block(t, l, deep,
                      ch__arena_printf(g->a, "for (int64_t %s = %s; %s < %s; %s++)", i, block, i, l->limit, i));
            ch__putf(t, "%s}\n", in);
        }
    }
    put_again(t, l, in);
    for (int i = 0; i < l->n_sums; i++)
        if (l->sums[i].in_f64) ch__putf(t, "%s%s += %s;\n", in, l->sums[i].name, l->sums[i].in_f64);
    ch__putf(t, "%s}\n", l->indent);
}

// ---------------------------------------------------------------- runs
typedef struct {
    const char *name;
    bool found;
} word_look;

static void see_named(void *arg, const char *word, size_t n) {
    word_look *k = arg;
    k->found = k->found || same_word(k->name, word, n);
}

static bool has_word(const char *s, const char *end, const char *name) {
    word_look k = {.name = name};
    ch__cg_each_word(s, end, see_named, &k);
    return k.found;
}

// The one statement adds ARRAY[PLACE + counter]: a call for the whole loop.
static bool put_run(ch__text *t, const sum_loop *l) {
    if (l->n != 1 || l->n_sums != 1 || l->pragma[0]) return false;
    const char *e = l->sums[0].element, *end = e + strlen(e);
    size_t n = word_length(e), c = strlen(l->counter);
    if (n == 0 || e[n] != '[' || end[-1] != ']' || (size_t)(end - e) < n + c + 2) return false;
    const char *place = e + n + 1, *last = end - 1 - c;
    if (memchr(place, ']', (size_t)(end - 1 - place)) || memcmp(last, l->counter, c) != 0) return false;
    const char *sum = ch__cg_helper(l->g->file, "sum_run", 0);
    ch__putf(t, "%s%s += %s(%.*s", l->indent, l->sums[0].name, sum, (int)n, e);
    if (last > place) {
        if (last - place < 4 || memcmp(last - 3, " + ", 3) != 0 || has_word(place, last, l->counter)) return false;
        ch__putf(t, " + (%.*s)", (int)(last - 3 - place), place);
    }
    if (strcmp(l->from, "0") == 0)
        ch__putf(t, ", %s);\n", l->limit);
    else
        ch__putf(t, " + %s, %s - %s);\n", l->from, l->limit, l->from);
    return true;
}

// ---------------------------------------------------------------- slow functions apart from sums
static bool line_is_slow(cg *g, const sum_statement *x) { return ch__cg_has_slow(sum_text(g, x->at, x->end)); }

// Is what a line adds there when the loop is done? It is ARRAY[...], names nothing of one turn, and stays as it is.
static bool stays_in_memory(const sum_loop *l, int line) {
    const char *element = l->sums[l->lines[line].sum].element, *end = element + strlen(element);
    size_t n = word_length(element);
    if (n == 0 || element[n] != '[' || end[-1] != ']' || memchr(element, ']', (size_t)(end - 1 - element)))
        return false;
    for (int i = 0; i < l->n; i++)
        if ((l->lines[i].name && has_word(element, end, l->lines[i].name)) ||
            (i > line && same_word(l->lines[i].array, element, n)))
            return false;
    return true;
}

// The sum alone over [from, limit), what it adds being in memory.
static void put_sum_of(ch__text *t, const sum_loop *l, int sum, const char *indent, const char *from,
                       const char *limit) {
    cg *g = l->g;
    const sum_target *s = &l->sums[sum];
    const char *line = ch__arena_printf(g->a, "%s += %s%s);", s->name, wide, s->element);
    const char *head =
        ch__arena_printf(g->a, "for (int64_t %s = %s; %s < %s; %s++)", l->counter, from, l->counter, limit, l->counter);
    sum_loop *alone = CH_NEW(g->a, sum_loop);
    *alone = (sum_loop){.g = g,
                        .indent = indent,
                        .counter = l->counter,
                        .from = from,
                        .limit = limit,
                        .head = head,
                        .pragma = "",
                        .n = 1,
                        .n_sums = 1};
    alone->sums[0] = *s;
    alone->lines[0] = (sum_statement){.at = line, .end = line + strlen(line), .sum = 0, .needed = true};
    int64_t at = t->n;
    if (put_run(t, alone)) return;
    t->n = at;
    put_blocks(t, alone);
}

static bool put_apart(ch__text *t, const sum_loop *l) {
    cg *g = l->g;
    bool slow = false;
    for (int i = 0; i < l->n; i++) slow = slow || line_is_slow(g, &l->lines[i]);
    for (int i = 0; i < l->n_sums; i++)
        if (!l->sums[i].element) return false; // a sum of another kind
    if (!slow || l->pragma[0]) return false;
    const char *in = ch__arena_printf(g->a, "%s    ", l->indent), *terms[MOST_SUMS], *i = l->counter;
    const char *part = "0", *stop = l->limit, *place = i, *many = l->limit;
    int64_t n = strcmp(l->from, "0") == 0 ? plain_number(l->limit) : -1;
    if (n >= 0 && n <= PART_TERMS) {
        ch__putf(t, "%s{\n", l->indent);
    } else {
        part = ch__cg_scoped(g, "part");
        stop = ch__cg_scoped(g, "stop");
        place = ch__arena_printf(g->a, "%s - %s", i, part);
        many = ch__arena_printf(g->a, "%s - %s", stop, part);
        ch__putf(t, "%sfor (int64_t %s = %s; %s < %s; %s += %d) {\n", l->indent, part, l->from, part, l->limit, part,
                 PART_TERMS);
        ch__putf(t, "%sconst int64_t %s = %s - %s < %d ? %s : %s + %d;\n", in, stop, l->limit, part, PART_TERMS,
                 l->limit, part, PART_TERMS);
    }
    for (int k = 0; k < l->n; k++) {
        int sum = l->lines[k].sum;
        if (sum < 0) continue;
        terms[sum] = stays_in_memory(l, k) ? NULL : ch__cg_scoped(g, "terms");
        if (terms[sum]) ch__putf(t, "%sfloat %s[%d];\n", in, terms[sum], PART_TERMS);
    }
    ch__putf(t, "%sfor (int64_t %s = %s; %s < %s; %s++) {\n", in, i, part, i, stop, i);
    for (int k = 0; k < l->n; k++) {
        const sum_statement *x = &l->lines[k];
        if (x->sum < 0)
            ch__putf(t, "%s    %.*s\n", in, (int)(x->end - x->at), x->at);
        else if (terms[x->sum])
            ch__putf(t, "%s    %s[%s] = %s;\n", in, terms[x->sum], place, l->sums[x->sum].element);
    }
    ch__putf(t, "%s}\n", in);
    for (int k = 0; k < l->n_sums; k++) {
        if (terms[k])
            ch__putf(t, "%s%s += %s(%s, %s);\n", in, l->sums[k].name, ch__cg_helper(g->file, "sum_run", 0), terms[k],
                     many);
        else
            put_sum_of(t, l, k, in, part, stop);
    }
    ch__putf(t, "%s}\n", l->indent);
    return true;
}

// ---------------------------------------------------------------- all loops of a text
static bool put_loop(ch__text *t, sum_loop *l) {
    bool any = false;
    int64_t at = t->n;
    for (int i = 0; i < l->n_sums; i++) {
        sum_target *s = &l->sums[i];
        if (s->element && !*s->element) return false; // added to twice
        if (!s->element) continue;
        s->in_f64 = ch__cg_scoped(l->g, "wide");
        s->in_f32 = ch__cg_scoped(l->g, "some");
        any = true;
    }
    int64_t n = strcmp(l->from, "0") == 0 ? plain_number(l->limit) : -1;
    if (!any || (n >= 0 && n < LEAST_TERMS)) return false;
    if (put_apart(t, l)) return true;
    t->n = at;
    if (!can_repeat(l)) return false;
    if ((n < 0 || n > BLOCK_TERMS) && put_run(t, l)) return true;
    t->n = at;
    put_blocks(t, l);
    return true;
}

const char *ch__cg_sums(cg *g, const char *text) {
    if (!strstr(text, wide)) return text;
    ch__text t;
    ch__text_init(&t, g->a);
    for (const char *s = text, *next; *s; s = next) {
        const char *stop = strchr(s, '\n');
        next = stop ? stop + 1 : s + strlen(s);
        if (s[strspn(s, " ")] == '#') {
            sum_loop *l = CH_NEW(g->a, sum_loop);
            l->g = g;
            const char *behind = read_loop(l, s);
            if (behind && put_loop(&t, l)) {
                next = behind;
                continue;
            }
        }
        ch__putn(&t, s, (size_t)(next - s));
    }
    return t.data;
}

// ---------------------------------------------------------------- rows
static const char *with_counter(cg *g, const char *s, const char *name, const char *now) {
    ch__text t;
    ch__text_init(&t, g->a);
    while (*s) {
        size_t n = word_length(s);
        if (n == 0)
            ch__putc(&t, *s++);
        else if (same_word(name, s, n))
            ch__put(&t, now);
        else
            ch__putn(&t, s, n);
        s += n;
    }
    return t.data;
}

// What stands behind the head of a loop over rows, when it is loops around PLACE += chaac_wide(ELEMENT) alone.
typedef struct {
    const char *loops, *place, *element;
} row_sum;

static bool read_rows(cg *g, const char *s, row_sum *r) {
    ch__text loops;
    ch__text_init(&loops, g->a);
    CH_VEC(const char *) counters = {0};
    sum_loop l = {.g = g};
    for (;;) {
        s += strspn(s, " {\n");
        const char *behind = read_head(&l, s);
        if (!behind) break;
        ch__putf(&loops, "%.*s ", (int)(behind - s), s);
        CH_PUSH(g->a, &counters, l.counter);
        s = behind;
    }
    const char *end = strchr(s, '\n'), *plus = strstr(s, " += ");
    if (counters.n == 0 || !end || !plus || plus > end || strncmp(plus + 4, wide, sizeof wide - 1) != 0) return false;
    const char *from = plus + 4 + sizeof wide - 1;
    if (end - from < 3 || end - from > LONGEST_ELEMENT || memcmp(end - 2, ");", 2) != 0 || plus[-1] != ']')
        return false;
    for (int64_t i = 0; i < counters.n; i++) // each turn has a place of its own
        if (!has_word(s, plus, counters.data[i])) return false;
    *r = (row_sum){loops.data, sum_text(g, s, plus), sum_text(g, from, end - 2)};
    return end[1 + strspn(end + 1, " }\n")] == '\0' && !ch__cg_has_slow(r->element);
}

const char *ch__cg_sum_rows(cg *g, const char *counter, const char *lo, const char *hi, const char *rest) {
    row_sum r;
    const char *next = ch__arena_printf(g->a, "; %s++)", counter);
    if (strncmp(rest, next, strlen(next)) != 0 || !read_rows(g, rest + strlen(next), &r)) return NULL;
    if (has_word(r.place, r.place + strlen(r.place), counter)) return NULL;
    const char *first = ch__cg_scoped(g, "first"), *e[TREE_ROWS];
    for (int i = 0; i < TREE_ROWS; i++)
        e[i] = ch__arena_printf(g->a, "(%s)",
                                with_counter(g, r.element, counter, ch__arena_printf(g->a, "(%s + %d)", first, i)));
    ch__text t;
    ch__text_init(&t, g->a);
    ch__putf(&t, "    int64_t %s = %s;\n    for (; %s <= %s - %d; %s += %d)\n        ", first, lo, first, hi, TREE_ROWS,
             first, TREE_ROWS);
    ch__putf(&t, "%s%s += (double)(((%s + %s) + (%s + %s)) + ((%s + %s) + (%s + %s)));\n", r.loops, r.place, e[0], e[1],
             e[2], e[3], e[4], e[5], e[6], e[7]);
    ch__putf(&t, "    for (int64_t %s = %s; %s < %s; %s++)\n        %s%s += (double)(%s);\n", counter, first, counter,
             hi, counter, r.loops, r.place, r.element);
    ch__putf(&t, "    %sif (!(%s - %s == 0)) {\n        chaac_rare();\n        %s = 0;\n", r.loops, r.place, r.place,
             r.place);
    ch__putf(&t, "        for (int64_t %s = %s; %s < %s; %s++) %s += (double)(%s);\n    }\n", counter, lo, counter, hi,
             counter, r.place, r.element);
    return t.data;
}
