// SPDX-License-Identifier: Apache-2.0
// signature.c - what @main takes and gives, read from StableHLO text in the pretty or the generic form.
//
// Plugins compare sizes in bytes only, so the session compares types itself, and for that it needs them; and it has to
// know which params a program takes over (tf.aliasing_output, jax.buffer_donor). Everything else in the text is
// stepped over with its brackets matched, so operations that nobody here knows are no obstacle.
#include "pjrt/pjrt.h"

#include <string.h>

typedef struct sig_at {
    const char *p, *end;
    const char *why; // not NULL: what was wrong; reading goes on to the end then
    char about[96];
} sig_at;

static void sig_bad(sig_at *c, const char *why) {
    if (c->why == NULL) c->why = why;
    c->p = c->end;
}

static bool sig_word_char(char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '.' ||
           ch == '$' || ch == '-';
}

static void sig_space(sig_at *c) {
    while (c->p < c->end) {
        if (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r')
            c->p++;
        else if (c->end - c->p > 1 && c->p[0] == '/' && c->p[1] == '/')
            while (c->p < c->end && *c->p != '\n') c->p++;
        else
            return;
    }
}

static bool sig_is(sig_at *c, const char *s) {
    sig_space(c);
    size_t n = strlen(s);
    return (size_t)(c->end - c->p) >= n && memcmp(c->p, s, n) == 0;
}

static bool sig_eat(sig_at *c, const char *s) {
    if (!sig_is(c, s)) return false;
    c->p += strlen(s);
    return true;
}

static void sig_want(sig_at *c, const char *s, const char *why) {
    if (!sig_eat(c, s)) sig_bad(c, why);
}

// A word, or what stands between quotes; *n its length.
static const char *sig_word(sig_at *c, size_t *n) {
    sig_space(c);
    const char *s = c->p;
    if (c->p < c->end && *c->p == '"') {
        s = ++c->p;
        while (c->p < c->end && *c->p != '"') c->p += *c->p == '\\' && c->end - c->p > 1 ? 2 : 1;
        *n = (size_t)(c->p - s);
        if (c->p < c->end) c->p++;
        return s;
    }
    while (c->p < c->end && sig_word_char(*c->p)) c->p++;
    *n = (size_t)(c->p - s);
    return s;
}

static bool sig_same(const char *s, size_t n, const char *word) { return n == strlen(word) && memcmp(s, word, n) == 0; }

// One token, or a bracket with all in it.
static void sig_skip(sig_at *c) {
    int depth = 0;
    size_t n;
    do {
        sig_space(c);
        if (c->p >= c->end) {
            sig_bad(c, "a bracket is not closed");
            return;
        }
        char ch = *c->p;
        if (ch == '(' || ch == '[' || ch == '{' || ch == '<') {
            depth++, c->p++;
        } else if (ch == ')' || ch == ']' || ch == '}') {
            depth--, c->p++;
        } else if (ch == '-' && c->end - c->p > 1 && c->p[1] == '>') {
            c->p += 2;
        } else if (ch == '>') {
            depth--, c->p++;
        } else if (ch == '"' || sig_word_char(ch)) {
            (void)sig_word(c, &n);
            if (n == 0 && ch != '"') c->p++;
        } else {
            c->p++;
        }
    } while (depth > 0 && c->why == NULL);
}

// ---------------------------------------------------------------- types
static const struct sig_dtype {
    const char *name;
    ch_dtype dtype;
    int pj;
} sig_dtypes[] = {
#define HLO_DTYPE(name, dtype, pjrt) {name, dtype, pjrt},
#include "hlo/dtypes.def"
};
enum { SIG_DTYPES = sizeof sig_dtypes / sizeof sig_dtypes[0] };

int ch__pjrt_type_of(ch_dtype d) {
    for (int i = 0; i < SIG_DTYPES; i++)
        if (sig_dtypes[i].dtype == d) return sig_dtypes[i].pj;
    return PJ_INVALID;
}

void ch__pjrt_type_text(char *buf, size_t cap, ch_dtype dtype, int rank, const int64_t *dims) {
    size_t n = (size_t)snprintf(buf, cap, "%s[", ch_dtype_name(dtype));
    for (int i = 0; i < rank && n < cap; i++)
        n += (size_t)snprintf(buf + n, cap - n, "%s%" PRId64, i > 0 ? "," : "", dims[i]);
    if (n < cap) snprintf(buf + n, cap - n, "]");
}

// Bytes of an array; false when they are more than any device has (a compiler may die of it).
bool ch__pjrt_bytes(ch_dtype dtype, int rank, const int64_t *dims, size_t *out) {
    int64_t n = (int64_t)ch_dtype_size(dtype);
    bool empty = false;
    for (int i = 0; i < rank; i++) empty = empty || dims[i] == 0;
    for (int i = 0; i < rank; i++)
        if (!empty && (dims[i] < 0 || !ch__mul_i64(n, dims[i], &n))) return false;
    *out = empty ? 0 : (size_t)n;
    return n <= (int64_t)1 << 40;
}

// tensor<2x3xf32>, with what stands before the closing bracket stepped over (an encoding).
static void sig_type(sig_at *c, ch__pjrt_param *p) {
    sig_space(c);
    const char *from = c->p;
    p->alias = -1;
    if (!sig_eat(c, "tensor<")) {
        int n = 0; // as far as the word goes
        while (from + n < c->end && n < 40 && strchr(" \t\n{,)", from[n]) == NULL) n++;
        snprintf(c->about, sizeof c->about, "%.*s", n, from);
        sig_bad(c, "is no tensor type");
        return;
    }
    for (;;) {
        int64_t d = 0;
        sig_space(c);
        const char *digits = c->p;
        while (c->p < c->end && *c->p >= '0' && *c->p <= '9') {
            if (!ch__mul_i64(d, 10, &d) || !ch__add_i64(d, *c->p - '0', &d)) sig_bad(c, "has a size that is too large");
            if (c->why == NULL) c->p++;
        }
        if (c->why != NULL) return;
        if (c->p == digits) break;
        if (p->rank == 16) sig_bad(c, "has more than 16 dimensions");
        if (c->why != NULL) return;
        p->dims[p->rank++] = d;
        sig_want(c, "x", "is no tensor type");
    }
    size_t n = 0;
    const char *s = sig_is(c, "?") ? c->p : NULL;
    if (s == NULL) s = sig_word(c, &n);
    for (int i = 0; i < SIG_DTYPES; i++)
        if (sig_same(s, n, sig_dtypes[i].name)) p->dtype = sig_dtypes[i].dtype;
    if (p->dtype == 0) {
        while (c->p < c->end && *c->p != '\n' && c->p - from < 60 && *c->p != '>') c->p++;
        snprintf(c->about, sizeof c->about, "%.*s", (int)(c->p - from > 60 ? 60 : c->p - from), from);
        sig_bad(c, n == 0 ? "has a size that is not a number" : "has a dtype that is not used here");
        return;
    }
    if (!ch__pjrt_bytes(p->dtype, p->rank, p->dims, &p->bytes)) {
        ch__pjrt_type_text(c->about, sizeof c->about, p->dtype, p->rank, p->dims);
        sig_bad(c, "is more than 1 TiB");
        return;
    }
    while (c->why == NULL && !sig_is(c, ">")) sig_skip(c);
    sig_want(c, ">", "is no tensor type");
}

// ---------------------------------------------------------------- lists
typedef struct sig_list {
    ch__pjrt_param *data;
    int n, cap;
    bool oom;
} sig_list;

static ch__pjrt_param *sig_push(sig_list *l) {
    if (l->n == l->cap) {
        int cap = l->cap == 0 ? 16 : 2 * l->cap;
        ch__pjrt_param *more = ch__realloc(l->data, (size_t)cap * sizeof *more);
        if (more == NULL) {
            l->oom = true;
            return NULL;
        }
        l->data = more;
        l->cap = cap;
    }
    memset(&l->data[l->n], 0, sizeof l->data[0]);
    l->data[l->n].alias = -1;
    return &l->data[l->n++];
}

// {tf.aliasing_output = 0 : i32, mhlo.sharding = "..."}; the opening bracket is the next token.
static void sig_attrs(sig_at *c, ch__pjrt_param *p) {
    sig_want(c, "{", "{ is missing");
    while (c->why == NULL && !sig_eat(c, "}")) {
        size_t n;
        const char *s = sig_word(c, &n);
        if (n == 0) {
            sig_skip(c);
            continue;
        }
        if (!sig_eat(c, "=")) continue;
        if (sig_same(s, n, "tf.aliasing_output") && p != NULL) {
            sig_space(c);
            int64_t v = -1;
            bool over = false;
            const char *end = ch__parse_i64(c->p, c->end, &v, &over);
            if (end == c->p || over || v < 0 || v > INT32_MAX) sig_bad(c, "has a tf.aliasing_output that is no number");
            if (c->why == NULL) c->p = end, p->alias = (int)v;
        } else if (sig_same(s, n, "jax.buffer_donor") && p != NULL) {
            p->donor = sig_eat(c, "true") || (sig_skip(c), false);
        } else if ((sig_same(s, n, "sdy.sharding") || sig_same(s, n, "mhlo.sharding")) && p != NULL) {
            sig_space(c);
            if (p->sharding == NULL) p->sharding = c->p;
            sig_skip(c);
        } else {
            sig_skip(c);
        }
        if (sig_eat(c, ":")) sig_skip(c);
        (void)sig_eat(c, ",");
    }
}

void ch__pjrt_copy_text(char *out, size_t cap, const char *s, size_t n) {
    if (n >= cap) n = cap - 1;
    if (n > 0) memcpy(out, s, n);
    out[n] = '\0';
}

// (%x: tensor<4xf32> {attrs}, ...): named, or types alone. The opening bracket is taken.
static void sig_params(sig_at *c, sig_list *l, bool named) {
    while (c->why == NULL && !sig_eat(c, ")")) {
        ch__pjrt_param *p = sig_push(l);
        if (p == NULL) {
            sig_bad(c, "memory ended");
            return;
        }
        if (named && sig_eat(c, "%")) {
            size_t n;
            const char *s = sig_word(c, &n);
            ch__pjrt_copy_text(p->name, sizeof p->name, s, n);
            sig_want(c, ":", ": is missing after a param");
        }
        sig_type(c, p);
        if (c->why == NULL && sig_is(c, "{")) sig_attrs(c, p);
        if (c->why == NULL && sig_eat(c, "loc")) sig_skip(c);
        if (c->why == NULL && !sig_eat(c, ",") && !sig_is(c, ")")) sig_bad(c, ", or ) is missing");
    }
}

static void sig_results(sig_at *c, sig_list *l) {
    if (sig_eat(c, "(")) {
        sig_params(c, l, false);
        return;
    }
    ch__pjrt_param *p = sig_push(l);
    if (p == NULL)
        sig_bad(c, "memory ended");
    else
        sig_type(c, p);
}

// ---------------------------------------------------------------- the two forms
static bool sig_pretty(sig_at *c, sig_list *in, sig_list *out) {
    size_t n;
    const char *s;
    do {
        sig_space(c);
        if (sig_is(c, "@")) break;
        s = sig_word(c, &n);
    } while (n > 0);
    if (!sig_eat(c, "@")) return false;
    s = sig_word(c, &n);
    if (!sig_same(s, n, "main")) return false;
    sig_want(c, "(", "( is missing after @main");
    sig_params(c, in, true);
    if (c->why == NULL && sig_eat(c, "->")) sig_results(c, out);
    return true;
}

typedef struct sig_generic_at {
    sig_at type, attrs; // where function_type and arg_attrs are; p NULL: not seen
    bool is_main;
} sig_generic_at;

static void sig_generic_dict(sig_at *c, sig_generic_at *g) {
    while (c->why == NULL && !sig_eat(c, "}")) {
        size_t n;
        const char *s = sig_word(c, &n);
        if (n == 0) {
            sig_skip(c);
            continue;
        }
        if (!sig_eat(c, "=")) continue;
        if (sig_same(s, n, "sym_name")) {
            s = sig_word(c, &n);
            g->is_main = sig_same(s, n, "main");
        } else if (sig_same(s, n, "function_type")) {
            g->type = *c;
            sig_skip(c);
            if (sig_eat(c, "->")) {
                sig_skip(c);                     // tensor, or ( with all in it
                if (sig_is(c, "<")) sig_skip(c); // of tensor
            }
        } else {
            if (sig_same(s, n, "arg_attrs")) g->attrs = *c;
            sig_skip(c);
            if (sig_is(c, "<")) sig_skip(c);
        }
        (void)sig_eat(c, ",");
    }
}

// Names of the params from the block of the region, aliases from arg_attrs.
static void sig_generic_names(sig_at *region, sig_list *in) {
    if (!sig_eat(region, "({") || !sig_eat(region, "^")) return;
    size_t n;
    (void)sig_word(region, &n);
    if (!sig_eat(region, "(")) return;
    for (int i = 0; i < in->n && sig_eat(region, "%"); i++) {
        const char *s = sig_word(region, &n);
        ch__pjrt_copy_text(in->data[i].name, sizeof in->data[i].name, s, n);
        (void)sig_eat(region, ":");
        sig_skip(region);
        if (sig_is(region, "<")) sig_skip(region);
        if (sig_eat(region, "loc")) sig_skip(region);
        (void)sig_eat(region, ",");
    }
}

static bool sig_generic(sig_at *c, sig_list *in, sig_list *out) {
    sig_generic_at g = {.is_main = false};
    sig_want(c, "(", "( is missing after func.func");
    sig_want(c, ")", ") is missing after func.func");
    if (sig_eat(c, "<{")) {
        sig_generic_dict(c, &g);
        (void)sig_eat(c, ">");
    }
    sig_at region = *c;
    if (sig_is(c, "(")) sig_skip(c);
    if (sig_eat(c, "{")) sig_generic_dict(c, &g);
    if (!g.is_main || g.type.p == NULL) return false;
    sig_want(&g.type, "(", "( is missing in function_type");
    sig_params(&g.type, in, false);
    sig_want(&g.type, "->", "-> is missing in function_type");
    if (g.type.why == NULL) sig_results(&g.type, out);
    if (g.type.why != NULL) *c = g.type;
    if (c->why != NULL) return true;
    sig_generic_names(&region, in);
    if (g.attrs.p != NULL && sig_eat(&g.attrs, "["))
        for (int i = 0; i < in->n && sig_is(&g.attrs, "{"); i++) {
            sig_attrs(&g.attrs, &in->data[i]);
            (void)sig_eat(&g.attrs, ",");
        }
    if (g.attrs.p != NULL && g.attrs.why != NULL) *c = g.attrs;
    return true;
}

// ---------------------------------------------------------------- the module
static void sig_count(sig_at *c, int *out) {
    int64_t v = 0;
    bool over = false;
    if (!sig_eat(c, "=")) return;
    sig_space(c);
    if (ch__parse_i64(c->p, c->end, &v, &over) != c->p && !over && v >= 1 && v <= 1 << 20) *out = (int)v;
}

static bool sig_find(sig_at *c, ch__pjrt_signature *sig, sig_list *in, sig_list *out) {
    bool first = true;
    while (c->p < c->end && c->why == NULL) {
        sig_space(c);
        if (c->p >= c->end) return false;
        bool quoted = *c->p == '"', symbol = *c->p == '@';
        if (!quoted && !sig_word_char(*c->p)) {
            c->p++;
            if (symbol && first) {
                size_t n;
                const char *s = sig_word(c, &n);
                ch__pjrt_copy_text(sig->name, sizeof sig->name, s, n);
                first = false;
            }
            continue;
        }
        size_t n;
        const char *s = sig_word(c, &n);
        if (n == 0 && !quoted) c->p++;
        if (sig_same(s, n, "func.func")) {
            first = false;
            if (quoted ? sig_generic(c, in, out) : sig_pretty(c, in, out)) return true;
        } else if (sig_same(s, n, "mhlo.num_replicas")) {
            sig_count(c, &sig->n_replicas);
        } else if (sig_same(s, n, "mhlo.num_partitions")) {
            sig_count(c, &sig->n_partitions);
        } else if (sig_same(s, n, "sdy.mesh")) {
            sig->shardy = true;
        } else if (first && sig_same(s, n, "sym_name") && sig_eat(c, "=")) {
            s = sig_word(c, &n);
            ch__pjrt_copy_text(sig->name, sizeof sig->name, s, n);
            first = false;
        }
    }
    return false;
}

static ch_status sig_check_aliases(const ch__pjrt_signature *s) {
    for (int i = 0; i < s->n_in; i++) {
        int a = s->in[i].alias;
        if (a < 0) continue;
        if (a >= s->n_out)
            return ch__fail(CH__E_argument, "program: parameter '%s' of '%s' aliases result %d — it has %d",
                            s->in[i].name, s->name, a, s->n_out);
        if (s->in[i].bytes != s->out[a].bytes)
            return ch__fail(
                CH__E_argument,
                "program: parameter '%s' of '%s' has %zu bytes and aliases result %d of %zu — they are equal",
                s->in[i].name, s->name, s->in[i].bytes, a, s->out[a].bytes);
        for (int k = 0; k < i; k++)
            if (s->in[k].alias == a)
                return ch__fail(CH__E_argument, "program: parameters '%s' and '%s' of '%s' alias result %d — one may",
                                s->in[k].name, s->in[i].name, s->name, a);
    }
    return CH_OK;
}

ch_status ch__pjrt_signature_read(const char *text, size_t n, ch__pjrt_signature *out) {
    *out = (ch__pjrt_signature){.name = "main", .n_replicas = 1, .n_partitions = 1};
    if (n >= 4 && memcmp(text, "ML\xefR", 4) == 0)
        return ch__fail(CH__E_unsupported, "program: MLIR bytecode — give StableHLO text, whose params can be read");
    sig_at c = {.p = text, .end = text + n};
    sig_list in = {.data = NULL}, results = {.data = NULL};
    bool found = sig_find(&c, out, &in, &results);
    ch_status s = CH_OK;
    if (in.oom || results.oom)
        s = ch__fail_oom("the params of a program");
    else if (c.why != NULL && c.about[0] != '\0')
        s = ch__fail(CH__E_unsupported, "program: a param or result of @main, %s, %s", c.about, c.why);
    else if (c.why != NULL)
        s = ch__fail(CH__E_parse, "program: the text is not StableHLO: %s", c.why);
    else if (!found)
        s = ch__fail(CH__E_parse, "program: the text has no func.func @main — the program to run has that name");
    ch__pjrt_param *all = NULL;
    if (s == CH_OK && (all = ch__alloc((size_t)(in.n + results.n + 1) * sizeof *all)) == NULL)
        s = ch__fail_oom("the params of a program");
    if (s == CH_OK) {
        if (in.n > 0) memcpy(all, in.data, (size_t)in.n * sizeof *all);
        if (results.n > 0) memcpy(all + in.n, results.data, (size_t)results.n * sizeof *all);
        out->in = all;
        out->out = all + in.n;
        out->n_in = in.n;
        out->n_out = results.n;
        s = sig_check_aliases(out);
        if (s == CH_OK) ch__pjrt_shards(text, n, out);
        if (s != CH_OK) ch__pjrt_signature_free(out);
    }
    ch__free(in.data);
    ch__free(results.data);
    return s;
}

void ch__pjrt_signature_free(ch__pjrt_signature *s) {
    ch__free(s->in);
    s->in = s->out = NULL;
}
