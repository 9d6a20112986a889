// SPDX-License-Identifier: Apache-2.0
// op.c - the op table: rows of ops.def and attrs.def as data, and the words of the enumerated attributes.
//
// Everything here comes from re-including the tables. What a row says only in text (how many operands, whether the
// result type is given) is read from the text once, the first time a row is asked for.
#include "ir/ir.h"

#include <pthread.h>
#include <string.h>

// clang-format off
#define ELEMWISE CH__ELEMWISE
#define COMMUTES CH__COMMUTES
#define ASSOC CH__ASSOC
#define INTEGER CH__INTEGER
#define REGION CH__REGION
#define LEAF CH__LEAF
static ch__op_info op_rows[CH_OP_COUNT] = {
#define OP(name_, operands_, dtypes_, attrs_, opt_, rule_, reads_, flags_)                                       \
    [CH_OP_##name_] = {.name = #name_, .operands = operands_, .dtypes = dtypes_, .attrs = attrs_, .opt = opt_,   \
                       .reads = reads_, .flags = flags_},
#include "ir/ops.def"
#undef OP
};
static const char *const op_rules[CH_OP_COUNT] = {
#define OP(name_, operands_, dtypes_, attrs_, opt_, rule_, reads_, flags_) [CH_OP_##name_] = #rule_,
#include "ir/ops.def"
#undef OP
};
#undef ELEMWISE
#undef COMMUTES
#undef ASSOC
#undef INTEGER
#undef REGION
#undef LEAF

static const struct { const char *name; ch__attr_kind kind; } attr_rows[CH__ATTR_COUNT] = {
#define ATTR(name, kind, what) [CH__ATTR_##name] = {#name, CH__AK_##kind},
#include "ir/attrs.def"
#undef ATTR
};
// clang-format on
// Which attributes an op takes is a set of 64 bits.
_Static_assert(CH__ATTR_COUNT <= 64, "attribute sets are 64 bits");

static uint8_t op_sorted[CH_OP_COUNT]; // opcodes by name, for ch__op_find
_Static_assert(CH_OP_COUNT <= 256, "op_sorted holds bytes");
static pthread_once_t op_once = PTHREAD_ONCE_INIT;

static void op_count_operands(ch__op_info *r) {
    const char *s = r->operands;
    size_t len = strlen(s);
    int names = len > 0;
    for (size_t i = 0; i < len; i++) names += s[i] == ' ';
    char last = len ? s[len - 1] : 0;
    r->min_operands = last == '*' ? names - 1 : names;
    r->max_operands = last == '*' || last == '+' ? -1 : names;
}

static void op_prepare(void) {
    for (int c = 0; c < CH_OP_COUNT; c++) {
        op_count_operands(&op_rows[c]);
        op_rows[c].typed = strncmp(op_rules[c], "typed_", 6) == 0;
        int at = c;
        for (; at > 0 && strcmp(op_rows[op_sorted[at - 1]].name, op_rows[c].name) > 0; at--)
            op_sorted[at] = op_sorted[at - 1];
        op_sorted[at] = (uint8_t)c;
    }
}

const ch__op_info *ch__op_info_of(ch__opcode c) {
    pthread_once(&op_once, op_prepare);
    return (unsigned)c < CH_OP_COUNT ? &op_rows[c] : NULL;
}

const char *ch__op_name(ch__opcode c) { return (unsigned)c < CH_OP_COUNT ? op_rows[c].name : "?"; }

int ch__op_find(const char *name, size_t len) {
    pthread_once(&op_once, op_prepare);
    int lo = 0, hi = CH_OP_COUNT;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        const char *at = op_rows[op_sorted[mid]].name;
        int order = strncmp(at, name, len);
        if (order == 0 && at[len]) order = 1;
        if (order == 0) return op_sorted[mid];
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

const char *ch__op_operand_name(ch__opcode c, int i, char buf[32]) {
    const char *s = ch__op_info_of(c)->operands;
    for (int at = 0; *s; at++) {
        size_t len = strcspn(s, " *+");
        bool many = s[len] == '*' || s[len] == '+';
        if (at == i || many) {
            if (many)
                snprintf(buf, 32, "%.*s[%d]", (int)len, s, i - at);
            else
                snprintf(buf, 32, "%.*s", (int)len, s);
            return buf;
        }
        s += len + (s[len] == ' ');
    }
    snprintf(buf, 32, "operand %d", i);
    return buf;
}

const char *ch__attr_name(ch__attr_id id) { return (unsigned)id < CH__ATTR_COUNT ? attr_rows[id].name : "?"; }

ch__attr_kind ch__attr_kind_of(ch__attr_id id) { return attr_rows[id].kind; }

int ch__attr_find(const char *name, size_t len) {
    for (int i = 0; i < CH__ATTR_COUNT; i++)
        if (strncmp(attr_rows[i].name, name, len) == 0 && !attr_rows[i].name[len]) return i;
    return -1;
}

// ---------------------------------------------------------------- words
static const char *const words_kind[] = {"sum", "prod", "min", "max", "and", "or", "set", "add", "mul", NULL};
static const char *const words_dir[] = {"eq", "ne", "lt", "le", "gt", "ge", NULL};
static const char *const words_order[] = {"any", "seq", NULL};
static const char *const words_tie[] = {"split", "first", "all", NULL};
static const char *const words_bounds[] = {"clamp", "known", "c", NULL};
static const char *const words_precision[] = {"default", "high", "highest", NULL};

static const char *const *words_of(ch__attr_kind k) {
    switch (k) {
    case CH__AK_KIND: return words_kind;
    case CH__AK_DIR: return words_dir;
    case CH__AK_ORDER: return words_order;
    case CH__AK_TIE: return words_tie;
    case CH__AK_BOUNDS: return words_bounds;
    case CH__AK_PRECISION: return words_precision;
    default: return NULL;
    }
}

const char *ch__word_name(ch__attr_kind k, int64_t value) {
    const char *const *w = words_of(k);
    for (int64_t i = 0; w && w[i]; i++)
        if (i == value) return w[i];
    return NULL;
}

bool ch__word_find(ch__attr_kind k, const char *word, size_t len, int64_t *out) {
    const char *const *w = words_of(k);
    for (int64_t i = 0; w && w[i]; i++)
        if (strlen(w[i]) == len && memcmp(w[i], word, len) == 0) {
            *out = i;
            return true;
        }
    return false;
}

// ---------------------------------------------------------------- rules of composites
const char *ch__rule_word(ch__rule_kind kind) { return kind == CH__RULE_VJP ? "vjp" : "jvp"; }

bool ch__rules_read(const char *rules, bool has[CH__RULE_KINDS]) {
    has[CH__RULE_VJP] = strcmp(rules, "vjp") == 0 || strcmp(rules, "vjp jvp") == 0;
    has[CH__RULE_JVP] = strcmp(rules, "jvp") == 0 || strcmp(rules, "vjp jvp") == 0;
    return has[CH__RULE_VJP] || has[CH__RULE_JVP];
}

ch__region *ch__composite_rule(const ch__op *op, ch__rule_kind kind) {
    const ch__attr *rules = ch__op_attr(op, CH__ATTR_rules);
    bool has[CH__RULE_KINDS];
    if (!rules || !ch__rules_read(rules->s, has) || !has[kind]) return NULL;
    int at = kind == CH__RULE_JVP && has[CH__RULE_VJP] ? 2 : 1;
    return at < op->n_regions ? op->regions[at] : NULL;
}
