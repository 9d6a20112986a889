// SPDX-License-Identifier: Apache-2.0
// test_infer_sizes.c - what shape rules do with sizes that are not known: clauses of the func, declared bounds, local
// symbols; NumPy's broadcasting; attributes and regions that no text could say.
#include "infer_rows.h"

#define LEN(a) (sizeof(a) / sizeof *(a))

// ---------------------------------------------------------------- clauses
// Ops inferred one after another for a func of the given sizes ("n m", "n:2..8"); then what it requires, ';' between.
typedef struct sizes_row {
    const char *sizes, *first, *then; // "op | operands | attrs | given => results", then may be NULL
    const char *clauses;
} sizes_row;

static const sizes_row clause_rows[] = {
#define CLAUSE(sizes, first, then, clauses) {sizes, first, then, clauses},
#define OPEN(...)
#define BROADCAST(...)
#include "infer_sizes.def"
#undef CLAUSE
#undef OPEN
#undef BROADCAST
};

typedef struct sizes_bad {
    const char *sizes;
    infer_bad row;
} sizes_bad;
static const sizes_bad bad_sizes[] = {
#define CLAUSE(...)
#define OPEN(sizes, op, operands, attrs, given, id, message) {sizes, {op, operands, attrs, given, id, message}},
#define BROADCAST(...)
#include "infer_sizes.def"
#undef CLAUSE
#undef OPEN
#undef BROADCAST
};

static void declare_sizes(ch_func *f, const char *sizes) {
    char name[16];
    for (int used; sscanf(sizes, " %15[a-z]%n", name, &used) == 1; sizes += used) {
        long long lo = 0, hi = INT64_MAX;
        int more = 0;
        if (sscanf(sizes + used, ":%lld..%lld%n", &lo, &hi, &more) == 2) used += more;
        ch__func_add_dim(f, name, lo, hi);
    }
}

// The parts of "op | operands | attrs | given => results", blanks at the ends cut off, in buf.
static infer_good read_row(const char *text, char buf[512]) {
    const char *parts[5] = {"", "", "", "", ""};
    snprintf(buf, 512, "%s", text);
    char *at = buf;
    for (int i = 0; i < 5; i++) {
        at += strspn(at, " ");
        parts[i] = at;
        char *end = i < 3 ? strchr(at, '|') : i == 3 ? strstr(at, "=>") : at + strlen(at);
        assert_non_null(end);
        char *next = i < 3 ? end + 1 : i == 3 ? end + 2 : end;
        while (end > at && end[-1] == ' ') end--;
        *end = 0;
        at = next;
    }
    return (infer_good){parts[0], parts[1], parts[2], parts[3], parts[4]};
}

static void run_clauses(void *arg) {
    int *wrong = arg;
    for (size_t i = 0; i < LEN(clause_rows); i++) {
        const sizes_row *r = &clause_rows[i];
        ch__module *m = ch__module_create();
        ch_func *f = ch__func_create(m, "f");
        declare_sizes(f, r->sizes);
        char buf[512];
        infer_good row = read_row(r->first, buf);
        *wrong += infer_check_good(&row, 1, f);
        if (r->then) {
            row = read_row(r->then, buf);
            *wrong += infer_check_good(&row, 1, f);
        }
        ch__text t;
        ch__text_init(&t, m->arena);
        for (int64_t k = 0; k < f->requires_.n; k++) {
            if (k) ch__put(&t, "; ");
            ch__dim_print(&t, f->requires_.data[k].a);
            ch__put(&t, " == ");
            ch__dim_print(&t, f->requires_.data[k].b);
            ch__putf(&t, " (%s)", f->requires_.data[k].why);
        }
        const char *got = t.n ? t.data : "";
        if (strcmp(got, r->clauses) != 0) {
            print_error("%s\n  wanted %s\n  got    %s\n", r->first, r->clauses, got);
            ++*wrong;
        }
        ch__module_destroy(m);
    }
    for (size_t i = 0; i < LEN(bad_sizes); i++) {
        ch__module *m = ch__module_create();
        ch_func *f = ch__func_create(m, "f");
        declare_sizes(f, bad_sizes[i].sizes);
        *wrong += infer_check_bad(&bad_sizes[i].row, 1, f);
        *wrong += f->requires_.n != 0;
        ch__module_destroy(m);
    }
}

static void clauses(void **state) {
    (void)state;
    int wrong = 0;
    assert_int_equal(ch__protect(run_clauses, &wrong), CH_OK);
    assert_int_equal(wrong, 0);
}

// What a call takes over from its callee.
static void run_call(void *arg) {
    const char **got = arg;
    const char *text = "chaac-ir 1\n"
                       "func @g<n in 2..8>(%x: f32[n], %y: f32[m]) -> f32[n] requires (n == 2*m) {\n  return %x\n}\n"
                       "func @f(%x: f32[k], %y: f32[l]) -> f32[k] {\n"
                       "  %r = call @g(%x, %y) : f32[k]\n  return %r\n}\n";
    ch__module *m = ch__parse_module(text, strlen(text), "f.ir");
    ch__text t;
    ch__text_init(&t, m->arena);
    for (int64_t k = 0; k < m->last->requires_.n; k++) {
        ch__dim_print(&t, m->last->requires_.data[k].a);
        ch__put(&t, " == ");
        ch__dim_print(&t, m->last->requires_.data[k].b);
        ch__putf(&t, " (%s)\n", m->last->requires_.data[k].why);
    }
    assert_string_equal(t.n ? t.data : "", *got);
    ch__module_destroy(m);
}

static void call_takes_clauses_over(void **state) {
    (void)state;
    const char *want = "max(k, 2) == k (call: n is k, @g takes 2 or more)\n"
                       "max(k, 8) == 8 (call: n is k, @g takes at most 8)\n"
                       "k == 2*l (call: @g requires k == 2*l)\n";
    if (ch__protect(run_call, &want) != CH_OK) fail_msg("%s", ch_error_message());
}

// ---------------------------------------------------------------- broadcasting
typedef struct broadcast_row {
    const char *x, *y, *want;
} broadcast_row;
static const broadcast_row broadcast_rows[] = {
#define CLAUSE(...)
#define OPEN(...)
#define BROADCAST(x, y, want) {x, y, want},
#include "infer_sizes.def"
#undef CLAUSE
#undef OPEN
#undef BROADCAST
};

typedef struct broadcast_run {
    const broadcast_row *row;
    char text[256];
} broadcast_run;

static void run_broadcast(void *arg) {
    broadcast_run *r = arg;
    ch__arena *a = ch__arena_create();
    const ch__type *t =
        ch__broadcast_types(a, NULL, "scale", ch__parse_type(a, r->row->x), ch__parse_type(a, r->row->y));
    snprintf(r->text, sizeof r->text, "%s", ch__type_text(a, t));
    ch__arena_destroy(a);
}

static void broadcasting(void **state) {
    (void)state;
    for (size_t i = 0; i < LEN(broadcast_rows); i++) {
        broadcast_run r = {&broadcast_rows[i], ""};
        const char *got = ch__protect(run_broadcast, &r) == CH_OK ? r.text : ch_error_message();
        assert_string_equal(got, r.row->want);
    }
}

// ---------------------------------------------------------------- attributes as values
typedef struct attr_run {
    ch__opcode code;
    int n;
    ch__attr attrs[2];
} attr_run;

static void run_attrs(void *arg) {
    attr_run *r = arg;
    ch__arena *a = ch__arena_create();
    const ch__type *x[2] = {ch__parse_type(a, "f32[2]"), ch__parse_type(a, "f32[2]")};
    ch__infer in = {.arena = a,
                    .code = r->code,
                    .n_operands = ch__op_info_of(r->code)->min_operands,
                    .operands = x,
                    .n_attrs = r->n,
                    .attrs = r->attrs};
    ch__infer_types(&in);
    assert_int_equal(in.n_results, 1); // in.results was NULL: the arena's
    ch__arena_destroy(a);
}

static void refuses_attrs(ch__opcode code, int n, ch__attr x, ch__attr y, const char *want) {
    attr_run r = {code, n, {x, y}};
    assert_int_not_equal(ch__protect(run_attrs, &r), CH_OK);
    assert_string_equal(ch_error_message(), want);
    assert_string_equal(ch_error_id(), "attribute");
}

static void attributes(void **state) {
    (void)state;
    int64_t zero = 0;
    ch__attr none = ch__attr_int(CH__ATTR_nowrap, 0), dim = ch__attr_int(CH__ATTR_dim, 0);
    ch__attr dims = ch__attr_ints(CH__ATTR_dims, 1, &zero), sum = ch__attr_int(CH__ATTR_kind, CH__SUM);
    attr_run fine = {CH_OP_reduce, 2, {sum, dims}};
    assert_int_equal(ch__protect(run_attrs, &fine), CH_OK);
    refuses_attrs(CH_OP_add, 1, dim, none, "add: dim is not one of its attributes — it takes nowrap");
    refuses_attrs(CH_OP_sin, 1, dim, none, "sin: dim is not one of its attributes — it takes none");
    refuses_attrs(CH_OP_add, 2, none, none, "add: nowrap is given twice");
    refuses_attrs(CH_OP_add, 1, ch__attr_int(CH__ATTR_nowrap, 2), none, "add: nowrap is number 2, the words end at 1");
    refuses_attrs(CH_OP_compare, 1, ch__attr_int(CH__ATTR_dir, 6), none,
                  "compare: dir is number 6, the words end at 5");
    refuses_attrs(CH_OP_compare, 1, ch__attr_int(CH__ATTR_dir, -1), none,
                  "compare: dir is number -1, the words end at 5");
    refuses_attrs(CH_OP_max, 1, ch__attr_int(CH__ATTR_tie, 3), none, "max: tie is number 3, the words end at 2");
    refuses_attrs(CH_OP_reduce, 2, ch__attr_int(CH__ATTR_kind, 9), dims,
                  "reduce: kind is number 9, the words end at 8");
    refuses_attrs(CH_OP_reduce, 2, sum, ch__attr_ints(CH__ATTR_dims, 1, NULL), "reduce: dims holds no list");
    refuses_attrs(CH_OP_cumulative, 2, sum, ch__attr_int(CH__ATTR_acc, 77),
                  "cumulative: acc is 77, which is the number of no dtype");
    refuses_attrs(CH_OP_cumulative, 2, sum, ch__attr_int(CH__ATTR_acc, CH_C64),
                  "cumulative: acc is c64, which is reserved");
    refuses_attrs(CH_OP_cmath, 1, ch__attr_str(CH__ATTR_fn, NULL), none, "cmath: fn holds no text");
    char want[64];
    snprintf(want, sizeof want, "cumulative: %d is the number of no attribute", CH__ATTR_COUNT);
    refuses_attrs(CH_OP_cumulative, 1, (ch__attr){.id = (ch__attr_id)CH__ATTR_COUNT}, none, want);
}

// ---------------------------------------------------------------- the rest of the contract
static void run_dims_equal(void *arg) {
    (void)arg;
    ch__arena *a = ch__arena_create();
    ch__infer in = {.arena = a, .code = CH_OP_add};
    ch__dim n = ch__dim_symbol(a, "n");
    assert_true(ch__infer_dims_equal(&in, n, ch__dim_symbol(a, "n")));
    assert_false(ch__infer_dims_equal(&in, n, ch__dim_add(a, n, ch__dim_const(1))));
    assert_false(ch__infer_dims_equal(&in, ch__dim_const(2), ch__dim_const(3)));
    ch__infer_dims_equal(&in, n, ch__dim_symbol(a, "m"));
}

static void equality_of_sizes(void **state) {
    (void)state;
    assert_int_not_equal(ch__protect(run_dims_equal, NULL), CH_OK);
    assert_string_equal(ch_error_message(), "add: sizes n and m meet: nothing says that n and m are equal; use one "
                                            "symbol or add a requires clause");
}

static void room_for_results(void **state) {
    (void)state;
    assert_int_equal(ch__infer_max_results(CH_OP_if, 1), 0);
    assert_int_equal(ch__infer_max_results(CH_OP_call, 5), 0);
    assert_int_equal(ch__infer_max_results(CH_OP_composite, 5), 0);
    assert_int_equal(ch__infer_max_results(CH_OP_pop, 1), 2);
    assert_int_equal(ch__infer_max_results(CH_OP_sort, 7), 7);
}

// ---------------------------------------------------------------- regions no text could say
typedef struct region_run {
    int which;
} region_run;

static void run_region(void *arg) {
    const region_run *r = arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "f");
    const ch__type *t = ch__type_scalar(CH_F32);
    ch__value *p = ch__func_add_param(f, "p", ch__type_scalar(CH_BOOL)), *x = ch__func_add_param(f, "x", t);
    ch__value *i = ch__func_add_param(f, "i", ch__type_scalar(CH_I64));
    ch__builder b = ch__builder_at_end(f->body);
    ch__region *one = ch__region_create(f, NULL), *two = ch__region_create(f, NULL);
    ch__region *both[2] = {one, two};
    ch__value *loop[4] = {i, i, i, x};
    ch__attr name = ch__attr_str(CH__ATTR_name, "c");
    switch (r->which) {
    case 0: ch__build(&b, CH_OP_if, 1, &p, 0, NULL, 0, NULL, 1, both); break;
    case 1:
        ch__region_add_param(two, NULL, t);
        ch__build(&b, CH_OP_if, 1, &p, 0, NULL, 0, NULL, 2, both);
        break;
    case 2: ch__build(&b, CH_OP_for, 4, loop, 0, NULL, 0, NULL, 1, both); break;
    case 3:
        ch__region_add_param(one, NULL, t);
        ch__region_add_param(one, NULL, t);
        ch__build(&b, CH_OP_for, 4, loop, 0, NULL, 0, NULL, 1, both);
        break;
    case 4:
        ch__region_add_param(one, NULL, ch__type_scalar(CH_I64));
        ch__region_add_param(one, NULL, ch__type_scalar(CH_F64));
        ch__region_set_results(one, 1, &x);
        ch__build(&b, CH_OP_for, 4, loop, 0, NULL, 0, NULL, 1, both);
        break;
    case 5:
        ch__region_add_param(one, NULL, t);
        ch__region_add_param(two, NULL, ch__type_scalar(CH_F64));
        ch__region_set_results(one, 1, &p);
        ch__region_set_results(two, 1, &x);
        ch__build(&b, CH_OP_while, 1, &x, 0, NULL, 0, NULL, 2, both);
        break;
    case 6: ch__build(&b, CH_OP_while, 1, &x, 0, NULL, 0, NULL, 2, both); break;
    case 7: ch__build(&b, CH_OP_composite, 1, &x, 1, &name, 0, NULL, 1, both); break;
    default:
        ch__region_add_param(one, NULL, ch__type_scalar(CH_F64));
        ch__build(&b, CH_OP_composite, 1, &x, 1, &name, 0, NULL, 1, both);
    }
    ch__module_destroy(m);
}

static void regions(void **state) {
    (void)state;
    static const char *const want[] = {
        "if: given 1 region — takes 2",
        "if: bool[] — the second region has 1 param, 0 are wanted",
        "for: i64[] and i64[] and i64[] and f32[] — the body has 0 params, 2 are wanted",
        "for: i64[] and i64[] and i64[] and f32[] — param 0 counts and is f32[], i64[] is wanted",
        "for: i64[] and i64[] and i64[] and f32[] — dtypes differ: param 1 is f64, inits[0] is f32",
        "while: f32[] — param 0 is f32[] in the condition and f64[] in the body",
        "while: f32[] — the condition has 0 params, 1 is wanted",
        "composite: f32[] — the body has 0 params, 1 is wanted",
        "composite: f32[] — dtypes differ: param 0 is f64, args[0] is f32",
    };
    for (size_t i = 0; i < LEN(want); i++) {
        region_run r = {(int)i};
        assert_int_not_equal(ch__protect(run_region, &r), CH_OK);
        assert_string_equal(ch_error_message(), want[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clauses),    cmocka_unit_test(call_takes_clauses_over), cmocka_unit_test(broadcasting),
        cmocka_unit_test(attributes), cmocka_unit_test(equality_of_sizes),       cmocka_unit_test(room_for_results),
        cmocka_unit_test(regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
