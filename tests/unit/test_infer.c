// SPDX-License-Identifier: Apache-2.0
// test_infer.c - shape rules: what each op gives, why it refuses (whole sentences), and that no op is left out.
#include "infer_rows.h"

// A program around one op: the last func of a text, whose body it is.
typedef struct infer_program {
    const char *op, *params, *results, *body, *want;
} infer_program;

// What the programs may call.
static const char callees[] = "func @g(%x: f32[n,4], %y: f32[n]) -> (f32[4,n], f32[n]) {\n"
                              "  %t = transpose %x {perm = [1,0]} : f32[4,n]\n  return %t, %y\n}\n"
                              "func @sized<n in 2..8>(%x: f32[n]) -> f32[n] {\n  return %x\n}\n"
                              "func @even(%x: f32[n], %y: f32[m]) -> f32[n] requires (n == 2*m) {\n  return %x\n}\n"
                              "func @none() -> f32[] {\n  %c = const {value = 1} : f32[]\n  return %c\n}\n"
                              "func @batched(%x: f32[batch:n]) -> f32[batch:n] {\n  return %x\n}\n";

#define LEN(a) (sizeof(a) / sizeof *(a))
// Every row of a family, for both tables: GOOD and BAD rows of infer_<family>.def.
#define ROWS(name)                                                                                                     \
    static void name##_gives(void **state) {                                                                           \
        (void)state;                                                                                                   \
        assert_int_equal(infer_check_good(good_##name, LEN(good_##name), NULL), 0);                                    \
    }                                                                                                                  \
    static void name##_refuses(void **state) {                                                                         \
        (void)state;                                                                                                   \
        assert_int_equal(infer_check_bad(bad_##name, LEN(bad_##name), NULL), 0);                                       \
    }

// clang-format off
#define GOOD(op, operands, attrs, given, want) {op, operands, attrs, given, want},
#define BAD(...)
static const infer_good good_elementwise[] = {
#include "infer_elementwise.def"
};
static const infer_good good_shape[] = {
#include "infer_shape.def"
};
static const infer_good good_indexed[] = {
#include "infer_indexed.def"
};
static const infer_good good_reduce[] = {
#include "infer_reduce.def"
};
static const infer_good good_linear[] = {
#include "infer_linear.def"
};
static const infer_good good_collective[] = {
#include "infer_collective.def"
};
static const infer_program good_control[] = {
#include "infer_control.def"
};
#undef GOOD
#undef BAD
#define GOOD(...)
#define BAD(op, operands, attrs, given, id, message) {op, operands, attrs, given, id, message},
static const infer_bad bad_elementwise[] = {
#include "infer_elementwise.def"
};
static const infer_bad bad_shape[] = {
#include "infer_shape.def"
};
static const infer_bad bad_indexed[] = {
#include "infer_indexed.def"
};
static const infer_bad bad_reduce[] = {
#include "infer_reduce.def"
};
static const infer_bad bad_linear[] = {
#include "infer_linear.def"
};
static const infer_bad bad_collective[] = {
#include "infer_collective.def"
};
#undef BAD
#define BAD(op, params, results, body, want) {op, params, results, body, want},
static const infer_program bad_control[] = {
#include "infer_control.def"
};
#undef GOOD
#undef BAD
// clang-format on
ROWS(elementwise)
ROWS(shape)
ROWS(indexed)
ROWS(reduce)
ROWS(linear)
ROWS(collective)

// ---------------------------------------------------------------- programs
typedef struct program_run {
    const infer_program *row;
    char text[2048]; // what the op gives
    bool found;
} program_run;

static void see_op(void *arg, ch__op *op) {
    program_run *r = arg;
    if (r->found || strcmp(ch__op_name(op->code), r->row->op) != 0) return;
    ch__arena *a = op->parent->func->module->arena;
    ch__text t;
    ch__text_init(&t, a);
    for (int i = 0; i < op->n_results; i++) {
        if (i) ch__put(&t, "; ");
        ch__type_print(&t, op->results[i].type);
    }
    snprintf(r->text, sizeof r->text, "%s", t.n ? t.data : "");
    r->found = true;
}

static void run_program(void *arg) {
    program_run *r = arg;
    char text[4096];
    int n = snprintf(text, sizeof text, "chaac-ir 1\n%sfunc @f(%s) -> %s {\n%s\n}\n", callees, r->row->params,
                     r->row->results, r->row->body);
    ch__module *m = ch__parse_module(text, (size_t)n, "f.ir");
    ch__walk(m->last->body, see_op, r);
    ch__module_destroy(m);
}

static void control_gives(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < LEN(good_control); i++) {
        program_run r = {.row = &good_control[i]};
        const char *got = ch__protect(run_program, &r) == CH_OK ? r.text : ch_error_message();
        if (strcmp(got, r.row->want) == 0 && r.found) continue;
        print_error("%s: %s\n  wanted %s\n  got    %s\n", r.row->op, r.row->body, r.row->want, got);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

// The parser puts "f.ir:line:column: " before the sentence, the line and a caret behind it.
static void control_refuses(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < LEN(bad_control); i++) {
        program_run r = {.row = &bad_control[i]};
        bool ok = ch__protect(run_program, &r) == CH_OK;
        const char *got = ok ? r.text : ch_error_message(), *at = strstr(got, r.row->want);
        if (!ok && at && at > got && at[-1] == ' ' && at[strlen(r.row->want)] == '\n') continue;
        print_error("%s: %s\n  wanted %s\n  got    %s\n", r.row->op, r.row->body, r.row->want, got);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

// ---------------------------------------------------------------- nothing left out
static void count_rows(const infer_good *rows, size_t n, int *counts) {
    for (size_t i = 0; i < n; i++) counts[ch__op_find(rows[i].op, strlen(rows[i].op))]++;
}

static void every_op_has_three_rows(void **state) {
    (void)state;
    int counts[CH_OP_COUNT] = {0}, missing = 0;
    count_rows(good_elementwise, LEN(good_elementwise), counts);
    count_rows(good_shape, LEN(good_shape), counts);
    count_rows(good_indexed, LEN(good_indexed), counts);
    count_rows(good_reduce, LEN(good_reduce), counts);
    count_rows(good_linear, LEN(good_linear), counts);
    count_rows(good_collective, LEN(good_collective), counts);
    for (size_t i = 0; i < LEN(good_control); i++)
        counts[ch__op_find(good_control[i].op, strlen(good_control[i].op))]++;
    for (int i = 0; i < CH_OP_COUNT; i++) {
        if (counts[i] >= (i == CH_OP_replica_id ? 1 : 3)) continue; // that one has nothing to vary
        print_error("%s has %d rows that it takes, 3 are the least\n", ch__op_name((ch__opcode)i), counts[i]);
        missing++;
    }
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementwise_gives),
        cmocka_unit_test(elementwise_refuses),
        cmocka_unit_test(shape_gives),
        cmocka_unit_test(shape_refuses),
        cmocka_unit_test(indexed_gives),
        cmocka_unit_test(indexed_refuses),
        cmocka_unit_test(reduce_gives),
        cmocka_unit_test(reduce_refuses),
        cmocka_unit_test(linear_gives),
        cmocka_unit_test(linear_refuses),
        cmocka_unit_test(collective_gives),
        cmocka_unit_test(collective_refuses),
        cmocka_unit_test(control_gives),
        cmocka_unit_test(control_refuses),
        cmocka_unit_test(every_op_has_three_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
