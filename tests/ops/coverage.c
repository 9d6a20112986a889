// SPDX-License-Identifier: Apache-2.0
// coverage.c - does the matrix hold enough rows? Every row of ops.def needs, for each dtype that it takes, cases of 8
// different shapes (of operands and results together) and every class of value of that dtype among its data: floats
// +-0, +-inf, NaN, subnormal and normal numbers; integers 0, 1, the largest, the smallest and -1; bool both. Every row
// of libm.def needs 8 shapes in each float. An op that takes a kind needs cases of each kind it knows, and each
// attribute of a row stands in some case. What the data holds is looked at, nothing is declared.
#include "coverage.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_SHAPES = 8, MAX_SHAPES = 64, MAX_ROWS = 4096 };
enum {
    HAS_PLUS_ZERO = 1,
    HAS_MINUS_ZERO = 2,
    HAS_PLUS_INF = 4,
    HAS_MINUS_INF = 8,
    HAS_NAN = 16,
    HAS_SUBNORMAL = 32,
    HAS_NORMAL = 64,
    HAS_ONE = 128,
    HAS_MAX = 256,
    HAS_MIN = 512,
    HAS_MINUS_ONE = 1024
};
static const char *const class_names[] = {
    "+0", "-0", "+inf", "-inf", "NaN", "a subnormal", "a normal number", "1", "the largest", "the smallest", "-1"};

typedef struct row {
    char op[40], name[40];
    ch_dtype dtype;
    int n_cases, n_shapes, classes;
    uint64_t attrs; // seen in the text of its cases
    uint64_t shapes[MAX_SHAPES];
} row;
static row rows[MAX_ROWS];
static int n_rows;

// ---------------------------------------------------------------- counting

static row *row_of(const char *op, const char *name, ch_dtype d) {
    for (int i = n_rows - 1; i >= 0; i--) {
        if (rows[i].dtype == d && strcmp(rows[i].op, op) == 0 && strcmp(rows[i].name, name) == 0) return &rows[i];
    }
    if (n_rows == MAX_ROWS) abort();
    row *r = &rows[n_rows++];
    *r = (row){.dtype = d};
    strcpy(r->op, op);
    strcpy(r->name, name);
    return r;
}

// Exponent and mantissa bits of a float format; e4m3 has no infinity and is looked at for zeros and NaN only.
static void float_format(ch_dtype d, int *exponent, int *mantissa) {
    switch (d) {
    case CH_F64: *exponent = 11, *mantissa = 52; break;
    case CH_F32: *exponent = 8, *mantissa = 23; break;
    case CH_BF16: *exponent = 8, *mantissa = 7; break;
    case CH_F16: *exponent = 5, *mantissa = 10; break;
    case CH_F8E5M2: *exponent = 5, *mantissa = 2; break;
    default: *exponent = 4, *mantissa = 3; break;
    }
}

static int classes_of(ch_dtype d, const vec_array *a) {
    int found = 0, size = (int)ch_dtype_size(d), width = 8 * size;
    char class = ch__dtype_class(d);
    uint64_t top = UINT64_C(1) << (width - 1), mask = top | (top - 1);
    for (int64_t i = 0; i < a->n; i++) {
        uint64_t b = 0;
        memcpy(&b, (const char *)a->data + i * size, (size_t)size);
        if (class == 'f' || class == 's') {
            int eb, mb;
            float_format(d, &eb, &mb);
            uint64_t e = b >> mb & ((UINT64_C(1) << eb) - 1), m = b & ((UINT64_C(1) << mb) - 1),
                     all = (UINT64_C(1) << eb) - 1;
            bool minus = b & top;
            if (d == CH_F8E4M3 && e == all)
                found |= m == 7 ? HAS_NAN : HAS_NORMAL;
            else if (e == all)
                found |= m ? HAS_NAN : minus ? HAS_MINUS_INF : HAS_PLUS_INF;
            else if (e == 0)
                found |= m ? HAS_SUBNORMAL : minus ? HAS_MINUS_ZERO : HAS_PLUS_ZERO;
            else
                found |= HAS_NORMAL;
        } else {
            uint64_t largest = d == CH_BOOL ? 1 : class == 'i' ? top - 1 : mask;
            if (b == 0) found |= HAS_PLUS_ZERO;
            if (b == 1) found |= HAS_ONE;
            if (b == largest) found |= HAS_MAX;
            if (class == 'i' && b == top) found |= HAS_MIN;
            if (class == 'i' && b == mask) found |= HAS_MINUS_ONE;
        }
    }
    return found;
}

static int classes_wanted(ch_dtype d) {
    switch (ch__dtype_class(d)) {
    case 'f':
        return HAS_PLUS_ZERO | HAS_MINUS_ZERO | HAS_PLUS_INF | HAS_MINUS_INF | HAS_NAN | HAS_SUBNORMAL | HAS_NORMAL;
    case 's':
        return HAS_PLUS_ZERO | HAS_MINUS_ZERO | HAS_NAN | HAS_SUBNORMAL | HAS_NORMAL |
               (d == CH_F8E5M2 ? HAS_PLUS_INF | HAS_MINUS_INF : 0);
    case 'i': return HAS_PLUS_ZERO | HAS_ONE | HAS_MAX | HAS_MIN | HAS_MINUS_ONE;
    case 'u': return HAS_PLUS_ZERO | HAS_ONE | HAS_MAX;
    default: return HAS_PLUS_ZERO | HAS_ONE;
    }
}

static uint64_t shapes_hash(const vec_case *c) {
    uint64_t h = 1;
    for (int i = 0; i < c->n_in; i++) h = ch__hash_bytes(c->in[i].dims, sizeof(int64_t) * (size_t)c->in[i].rank, h + 1);
    for (int i = 0; i < c->n_out; i++)
        h = ch__hash_bytes(c->out[i].dims, sizeof(int64_t) * (size_t)c->out[i].rank, h + 2);
    return h;
}

// Attributes written in the text: " name = " or "{name = ".
static uint64_t attrs_of(const vec_case *c) {
    uint64_t found = 0;
    for (size_t i = 1; i + 3 < c->text_n; i++) {
        if (memcmp(c->text + i, " = ", 3) != 0) continue;
        size_t start = i;
        while (start > 0 && (c->text[start - 1] == '_' || (c->text[start - 1] >= 'a' && c->text[start - 1] <= 'z')))
            start--;
        if (start == 0 || (c->text[start - 1] != ' ' && c->text[start - 1] != '{')) continue;
        int id = ch__attr_find(c->text + start, i - start);
        if (id >= 0) found |= UINT64_C(1) << id;
    }
    return found;
}

static void note(row *r, const vec_case *c) {
    r->n_cases++;
    r->attrs |= attrs_of(c);
    uint64_t h = shapes_hash(c);
    int i = 0;
    while (i < r->n_shapes && r->shapes[i] != h) i++;
    if (i == r->n_shapes && i < MAX_SHAPES) r->shapes[r->n_shapes++] = h;
    for (i = 0; i < c->n_in; i++) {
        if (c->in[i].dtype == c->dtype) r->classes |= classes_of(c->dtype, &c->in[i]);
    }
    for (i = 0; i < c->n_out && c->n_in == 0; i++) { // const: the data is in the text
        if (c->out[i].dtype == c->dtype) r->classes |= classes_of(c->dtype, &c->out[i]);
    }
}

void cover_note(const vec_case *c) {
    note(row_of(c->op, "", c->dtype), c);
    if (strcmp(c->name, "-") != 0) note(row_of(c->op, c->name, c->dtype), c);
}

// ---------------------------------------------------------------- what ops.def asks for

// Ops whose row leaves the dtypes to the rule: the classes that it takes. "i64" and "u32": that one only.
static const struct {
    ch__opcode code;
    const char *dtypes;
} by_rule[] = {
    {CH_OP_cmath, "f"},       {CH_OP_select, "*"},        {CH_OP_const, "*"},
    {CH_OP_iota, "fiu"},      {CH_OP_dim, "i64"},         {CH_OP_rng_bits, "u32"},
    {CH_OP_alloc, "*"},       {CH_OP_dynamic_slice, "*"}, {CH_OP_dynamic_update_slice, "*"},
    {CH_OP_gather, "*"},      {CH_OP_scatter, "*"},       {CH_OP_get, "*"},
    {CH_OP_set, "*"},         {CH_OP_sort, "fiub"},       {CH_OP_if, "fiub"},
    {CH_OP_for, "fiu"},       {CH_OP_while, "fiu"},       {CH_OP_call, "fiu"},
    {CH_OP_composite, "fiu"}, {CH_OP_barrier, "*"},       {CH_OP_tape_new, "fiub"},
    {CH_OP_push, "fiub"},     {CH_OP_pop, "fiub"},
};
// Ops without data of their own: values are not looked at.
static const ch__opcode no_values[] = {CH_OP_iota, CH_OP_dim, CH_OP_rng_bits, CH_OP_alloc};
// Each kind an op knows has cases of its own, at least 8 of them over all dtypes.
static const struct {
    ch__opcode code;
    const char *kinds;
} by_kind[] = {
    {CH_OP_reduce, "sum prod min max and or"}, {CH_OP_arg_reduce, "min max"},
    {CH_OP_cumulative, "sum prod min max"},    {CH_OP_reduce_window, "sum prod min max"},
    {CH_OP_select_and_scatter, "min max"},     {CH_OP_scatter, "set add mul min max"},
};

static const char *dtypes_of(ch__opcode code) {
    const char *s = ch__op_info_of(code)->dtypes;
    if (s[0] != '-') return s;
    for (size_t i = 0; i < sizeof by_rule / sizeof by_rule[0]; i++) {
        if (by_rule[i].code == code) return by_rule[i].dtypes;
    }
    return NULL;
}

static bool takes(const char *dtypes, ch__opcode code, ch_dtype d) {
    char class = ch__dtype_class(d);
    if (class == 0 || class == 'r') return false;
    if (code == CH_OP_bitcast && d == CH_BOOL) return false; // one bit: refused
    if (strchr(dtypes, '6') || strchr(dtypes, '3')) return strcmp(dtypes, ch_dtype_name(d)) == 0;
    return dtypes[0] == '*' || strchr(dtypes, class);
}

static bool looks_at_values(ch__opcode code) {
    for (size_t i = 0; i < sizeof no_values / sizeof no_values[0]; i++) {
        if (no_values[i] == code) return false;
    }
    return true;
}

static int missing;
static void complain(const char *op, const char *name, ch_dtype d, const char *what) {
    printf("# %s %s%s%s: %s\n", op, name, *name ? " " : "", d ? ch_dtype_name(d) : "", what);
    missing++;
}

static void check_row(const char *op, const char *name, ch_dtype d, bool values) {
    const row *r = NULL;
    for (int i = 0; i < n_rows && !r; i++) {
        if (rows[i].dtype == d && strcmp(rows[i].op, op) == 0 && strcmp(rows[i].name, name) == 0) r = &rows[i];
    }
    char what[80];
    if (!r) {
        complain(op, name, d, "no rows");
        return;
    }
    if (r->n_shapes < MIN_SHAPES) {
        snprintf(what, sizeof what, "%d different shapes, %d are wanted", r->n_shapes, MIN_SHAPES);
        complain(op, name, d, what);
    }
    int lacking = values ? classes_wanted(d) & ~r->classes : 0;
    for (int i = 0; i < (int)(sizeof class_names / sizeof class_names[0]); i++) {
        if (!(lacking >> i & 1)) continue;
        snprintf(what, sizeof what, "no operand holds %s", class_names[i]);
        complain(op, name, d, what);
    }
}

static void check_kinds(ch__opcode code) {
    for (size_t i = 0; i < sizeof by_kind / sizeof by_kind[0]; i++) {
        if (by_kind[i].code != code) continue;
        char kinds[64];
        strcpy(kinds, by_kind[i].kinds);
        for (char *k = strtok(kinds, " "); k; k = strtok(NULL, " ")) {
            int n = 0;
            for (int j = 0; j < n_rows; j++) {
                if (strcmp(rows[j].op, ch__op_name(code)) == 0 && strcmp(rows[j].name, k) == 0) n += rows[j].n_cases;
            }
            if (n < MIN_SHAPES) complain(ch__op_name(code), k, (ch_dtype)0, "too few rows of this kind");
        }
    }
}

// Every attribute that the row names stands in some case. Some are not written with a name.
static void check_attrs(ch__opcode code) {
    const ch__op_info *info = ch__op_info_of(code);
    uint64_t seen = UINT64_C(1) << CH__ATTR_callee | UINT64_C(1) << CH__ATTR_name | UINT64_C(1) << CH__ATTR_symbols;
    for (int i = 0; i < n_rows; i++) {
        if (strcmp(rows[i].op, info->name) == 0) seen |= rows[i].attrs;
    }
    for (int i = 0; i < CH__ATTR_COUNT; i++) {
        if (((info->attrs | info->opt) & ~seen) >> i & 1)
            complain(info->name, ch__attr_name((ch__attr_id)i), (ch_dtype)0, "no case has this attribute");
    }
}

static int verdict(int number, const char *what, const char *name) {
    printf("%sok %d - %s %s\n", missing ? "not " : "", number, what, name);
    return missing != 0;
}

int cover_count(void) {
    int n = CH_OP_COUNT;
    for (int i = 0; ch__libm_at(i); i++) n++;
    return n;
}

int cover_report(int number, int *failed) {
    int first = number;
    for (int c = 0; c < CH_OP_COUNT; c++) {
        ch__opcode code = (ch__opcode)c;
        const char *dtypes = dtypes_of(code);
        missing = 0;
        if (code == CH_OP_shard || ch__is_collective(code)) { // tests/unit/test_collective.c runs replicas
            *failed += verdict(number++, "elsewhere:", ch__op_name(code));
            continue;
        }
        if (!dtypes) complain(ch__op_name(code), "", (ch_dtype)0, "coverage.c's by_rule lacks its dtypes");
        for (int d = 1; dtypes && d < CH__DTYPE_COUNT; d++) {
            if (takes(dtypes, code, (ch_dtype)d)) check_row(ch__op_name(code), "", (ch_dtype)d, looks_at_values(code));
        }
        check_kinds(code);
        check_attrs(code);
        *failed += verdict(number++, "rows of", ch__op_name(code));
    }
    for (int i = 0; ch__libm_at(i); i++) {
        missing = 0;
        for (int d = 1; d < CH__DTYPE_COUNT; d++) {
            if (ch__dtype_class((ch_dtype)d) == 'f') check_row("cmath", ch__libm_at(i)->name, (ch_dtype)d, false);
        }
        *failed += verdict(number++, "rows of cmath", ch__libm_at(i)->name);
    }
    return number - first;
}
