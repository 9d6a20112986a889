// SPDX-License-Identifier: Apache-2.0
// test_ir_verify.c - every rule that the verifier keeps: a program that is right, one thing in it changed, the message.
#include "unit.h"

#include "ir/ir.h"

static ch__module *M, *other;
static ch_func *F;

static ch__op *op_at(int i) {
    ch__op *op = F->body->first;
    while (i-- > 0) op = op->next;
    return op;
}

static ch__value *param(int i) { return F->body->params[i]; }

// ---------------------------------------------------------------- the programs that are broken
#define STRAIGHT                                                                                                       \
    "chaac-ir 1\n"                                                                                                     \
    "func @g(%x: f32[k]) -> f32[k] {\n  %y = neg %x : f32[k]\n  return %y\n}\n"                                        \
    "func @f(%x: f32[n], %p: bool[]) -> f32[n] {\n"                                                                    \
    "  %a = neg %x : f32[n]\n"                                                                                         \
    "  %b = mul %a, %x : f32[n]\n"                                                                                     \
    "  %c = reduce %b {kind = sum, dims = [0], acc = f64, order = any} : f32[]\n"                                      \
    "  %d = call @g(%b) : f32[n]\n"                                                                                    \
    "  return %d\n}\n"
#define BRANCHES                                                                                                       \
    "chaac-ir 1\n"                                                                                                     \
    "func @f(%x: f32[], %p: bool[]) -> f32[] {\n"                                                                      \
    "  %a = if %p {\n    %t = neg %x : f32[]\n    yield %t\n  } else {\n    yield %x\n  } : f32[]\n"                   \
    "  %b = exp %a : f32[]\n"                                                                                          \
    "  return %b\n}\n"
#define TAPES                                                                                                          \
    "chaac-ir 1\n"                                                                                                     \
    "func @f(%x: f32[], %p: bool[], %n: i64[]) -> f32[] {\n"                                                           \
    "  %t0 = tape_new : tape<f32[]>\n"                                                                                 \
    "  %t1 = push %t0, %x : tape<f32[]>\n"                                                                             \
    "  %t2 = if %p {\n    %u = push %t1, %x : tape<f32[]>\n    yield %u\n  } else {\n    yield %t1\n  } : "            \
    "tape<f32[]>\n"                                                                                                    \
    "  %t3 = for %i = %n to %n step %n iter(%t = %t2) {\n    %w = push %t, %x : tape<f32[]>\n    yield %w\n  } : "     \
    "tape<f32[]>\n"                                                                                                    \
    "  %t4, %y = pop %t3 : tape<f32[]>, f32[]\n"                                                                       \
    "  return %y\n}\n"
#define SIZES                                                                                                          \
    "chaac-ir 1\n"                                                                                                     \
    "func @f<n in 1..64>(%x: f32[n], %v: i64[], %p: bool[]) -> f64[n] {\n"                                             \
    "  %a = alloc<k = %v> : f64[k]\n"                                                                                  \
    "  %s = if %p {\n    %i = alloc<j = %v> : f64[j]\n    %q = dim {e = j} : i64[]\n    yield %q\n  } else {\n    "    \
    "yield %v\n  } : i64[]\n"                                                                                          \
    "  %r = convert %x : f64[n]\n"                                                                                     \
    "  return %r\n}\n"
#define TIED                                                                                                           \
    "chaac-ir 1\n"                                                                                                     \
    "func @f(%x: inout(0) f32[n], %y: inout(1) f32[n], %z: f64[n]) -> (%u: f32[n], %v: f32[n], %w: f64[n]) {\n"        \
    "  %u = add %x, %y : f32[n]\n"                                                                                     \
    "  %v = sub %x, %y : f32[n]\n"                                                                                     \
    "  return %u, %v, %z\n}\n"

// ---------------------------------------------------------------- what is done to them
static ch__type two_type = {.dtype = CH_F32, .rank = 1, .dims = (ch__dim[]){{NULL, 2}}};
static ch__type minus_type = {.dtype = CH_F32, .rank = 1, .dims = (ch__dim[]){{NULL, -2}}};
static ch__type complex_type = {.dtype = CH_C64};
static ch__type rank_type = {.dtype = CH_F32, .rank = 99};
static ch__type tape_type = {.dtype = CH_F32, .tape = true};

static ch__attr dim_attr = {.id = CH__ATTR_dim};

static void nothing(void) {}
// structure
static void bad_code(void) { op_at(1)->code = 999; }
static void bad_parent(void) { op_at(1)->parent = M->first->body; }
static void bad_prev(void) { op_at(2)->prev = op_at(0); }
static void bad_last(void) { F->body->last = op_at(1); }
static void bad_operand(void) { op_at(1)->operands[1] = NULL; }
static void bad_removed(void) { ch__op_remove(op_at(0)); }
static void bad_no_type(void) { param(0)->type = NULL; }
static void bad_result(void) { op_at(1)->results[0].index = 1; }
static void bad_result_type_missing(void) {
    op_at(0)->results[0].type = NULL;
    F->body->results[0] = param(0);
    op_at(1)->operands[0] = param(0);
}
static void bad_param(void) { param(1)->index = 0; }
static void bad_id_twice(void) { op_at(1)->results[0].id = op_at(0)->results[0].id; }
static void bad_id_range(void) { op_at(1)->results[0].id = 77; }
static void bad_attr_twice(void) { op_at(2)->attrs[1].id = op_at(2)->attrs[0].id; }
static void bad_attr_number(void) { op_at(2)->attrs[0].id = (ch__attr_id)200; }
static void bad_regions(void) {
    op_at(1)->n_regions = 1;
    op_at(1)->regions = &F->body;
}
static void bad_region_missing(void) { op_at(0)->regions[1] = NULL; }
static void bad_region_owner(void) { op_at(0)->regions[1]->owner = NULL; }
static void bad_yield_missing(void) { op_at(0)->regions[1]->results[0] = NULL; }
static void bad_module(void) { F->module = NULL; }
static void bad_func_list(void) { M->last = M->first; }
static void bad_nesting(void) {
    ch__region *inside = NULL;
    for (int i = 0; i < CH__MAX_NEST; i++) {
        ch__region *r = ch__region_create(F, NULL);
        if (inside) {
            ch__builder b = ch__builder_at_end(r);
            ch__attr name = ch__attr_str(CH__ATTR_name, "c");
            ch__build(&b, CH_OP_composite, 0, NULL, 1, &name, 0, NULL, 1, &inside);
        }
        inside = r;
    }
    ch__builder b = ch__builder_at_end(F->body);
    ch__attr name = ch__attr_str(CH__ATTR_name, "c");
    ch__build(&b, CH_OP_composite, 0, NULL, 1, &name, 0, NULL, 1, &inside);
}
// scopes
static void bad_order(void) { ch__op_move_before(op_at(1), op_at(0)); }
static void bad_foreign(void) { op_at(1)->operands[1] = M->first->body->params[0]; }
static void bad_foreign_result(void) { F->body->results[0] = M->first->body->params[0]; }
static void bad_scope(void) { op_at(1)->operands[0] = &op_at(0)->regions[0]->first->results[0]; }
static void bad_yield_scope(void) { op_at(0)->regions[1]->results[0] = &op_at(1)->results[0]; }
// types
static void bad_type(void) { op_at(0)->results[0].type = &two_type; }
static void bad_dtype(void) { op_at(1)->operands[1] = param(1); }
static void bad_count(void) { op_at(1)->n_operands = 1; }
static void bad_results(void) {
    op_at(1)->n_results = 0;
    F->body->results[0] = param(0);
    op_at(2)->operands[0] = op_at(3)->operands[0] = param(0);
}
static void bad_attr_missing(void) { op_at(2)->n_attrs = 1; }
static void bad_attr_unknown(void) {
    op_at(0)->n_attrs = 1;
    op_at(0)->attrs = &dim_attr;
}
static void bad_word(void) { op_at(2)->attrs[0].i = 44; }
static void bad_callee_module(void) {
    other = ch__module_create();
    op_at(3)->attrs[0].func = ch__func_create(other, "far");
}
static void bad_callee_null(void) { op_at(3)->attrs[0].func = NULL; }
static void bad_call_arity(void) { op_at(3)->n_operands = 0; }
static void bad_call_type(void) { op_at(3)->operands[0] = &op_at(2)->results[0]; }
static void bad_call_result(void) {
    M->first->body->results[0] = M->first->body->params[0];
    M->first->body->params[0]->type = &two_type;
    M->first->body->first->results[0].type = &two_type;
    M->first->dims.n = 0;
}
static void bad_if_regions(void) { op_at(0)->n_regions = 1; }
static void bad_if_params(void) { ch__region_add_param(op_at(0)->regions[0], "q", ch__type_scalar(CH_F32)); }
static void bad_if_yields(void) { op_at(0)->regions[0]->n_results = 0; }
static void bad_if_type(void) { op_at(0)->regions[1]->results[0] = param(1); }
static void bad_for_yields(void) { op_at(3)->regions[0]->n_results = 0; }
static void bad_reserved(void) { ch__func_add_param(F, "q", &complex_type); }
static void bad_negative(void) { ch__func_add_param(F, "q", &minus_type); }
static void bad_rank(void) { param(0)->type = &rank_type; }
static void bad_requires_missing(void) {
    ch__value *y = ch__func_add_param(F, "y", ch__parse_type(M->arena, "f32[m]"));
    op_at(1)->operands[1] = y;
}
// sizes
static void bad_symbol(void) { F->dims.n = 0; }
static void bad_symbol_twice(void) { CH_PUSH(M->arena, &F->dims, F->dims.data[0]); }
static void bad_bounds(void) { F->dims.data[0].lo = 100; }
static void bad_bound_twice(void) {
    ch__builder b = ch__builder_at_end(F->body);
    ch__value *v = param(1);
    ch__attr at = ch__attr_str(CH__ATTR_symbols, "k");
    const ch__type *t = op_at(0)->results[0].type;
    ch__build(&b, CH_OP_alloc, 1, &v, 1, &at, 1, &t, 0, NULL);
}
static void bad_bound_declared(void) {
    op_at(0)->attrs[0].s = "n";
    op_at(0)->results[0].type = param(0)->type;
}
static void bad_symbol_gone(void) {
    ch__builder b = ch__builder_at_end(F->body);
    ch__b_dim(&b, ch__dim_symbol(M->arena, "j"));
}
static void bad_symbol_early(void) {
    ch__builder b = ch__builder_at_end(F->body);
    b.before = op_at(0);
    ch__b_dim(&b, ch__dim_symbol(M->arena, "k"));
}
static void bad_result_gone(void) {
    ch__builder out = ch__builder_at_end(F->body);
    ch__region *r = ch__region_create(F, NULL);
    ch__builder b = ch__builder_at_end(r);
    ch__value *v = param(1);
    ch__dim z = ch__dim_symbol(M->arena, "z");
    const ch__type *t = ch__type_make(M->arena, CH_F64, 1, &z, NULL);
    ch__attr at[2] = {ch__attr_str(CH__ATTR_symbols, "z"), ch__attr_str(CH__ATTR_name, "c")};
    ch__value *a = ch__build(&b, CH_OP_alloc, 1, &v, 1, &at[0], 1, &t, 0, NULL)->results;
    ch__region_set_results(r, 1, &a);
    ch__build(&out, CH_OP_composite, 0, NULL, 1, &at[1], 0, NULL, 1, &r);
}
static void bad_requires_symbol(void) {
    CH_PUSH(M->arena, &F->requires_, (ch__require){ch__dim_symbol(M->arena, "q"), ch__dim_const(3), NULL});
}
// tapes
static void bad_tape_param(void) { ch__func_add_param(F, "t", &tape_type); }
static void bad_tape_result(void) { F->body->results[0] = &op_at(4)->results[0]; }
static void bad_tape_twice(void) { op_at(4)->operands[0] = &op_at(0)->results[0]; }
static void bad_tape_after_branch(void) { op_at(4)->operands[0] = &op_at(1)->results[0]; }
static void bad_tape_outer(void) { op_at(3)->regions[0]->first->operands[0] = &op_at(2)->results[0]; }
// ties and names
static void bad_tie_range(void) { F->inout[0] = 5; }
static void bad_tie_twice(void) { F->inout[1] = 0; }
static void bad_tie_type(void) { F->inout[0] = 2; }
static void bad_param_names(void) { param(1)->name = "x"; }
static void bad_result_names(void) { F->result_names[1] = "u"; }
static void bad_func_names(void) { M->first->name = "f"; }
static void bad_no_name(void) { F->name = ""; }

typedef struct {
    const char *program;
    void (*change)(void);
    const char *message;
} row;
static const row rows[] = {
#include "ir_verify_rows.h"
};

static const row *current;

static void prepare(void *arg) {
    (void)arg;
    M = ch__parse_module(current->program, strlen(current->program), "t.ir");
    F = ch__module_find(M, "f");
    current->change();
}

static void verify(void *arg) {
    (void)arg;
    ch__verify_module(M);
}

static void check_row(const row *r) {
    current = r;
    if (ch__protect(prepare, NULL) != CH_OK) fail_msg("%s", ch_error_message());
    ch_status s = ch__protect(verify, NULL);
    if (s == CH_OK && r->message) fail_msg("accepted: %s", r->message);
    if (s != CH_OK && !r->message) fail_msg("%s", ch_error_message());
    if (s != CH_OK) assert_string_equal(ch_error_message(), r->message);
    if (s != CH_OK) assert_string_equal(ch_error_id(), "verify");
    ch__module_destroy(M);
    ch__module_destroy(other);
    other = NULL;
}

static void every_rule(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check_row(&rows[i]);
}

// Clauses that the rules would add are taken back: verifying changes nothing.
static void changes_nothing(void **state) {
    (void)state;
    current = &(row){STRAIGHT, bad_requires_missing, NULL};
    assert_int_equal(ch__protect(prepare, NULL), CH_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ch__protect(verify, NULL), CH_INTERNAL);
        assert_int_equal(F->requires_.n, 0);
    }
    CH_PUSH(M->arena, &F->requires_, (ch__require){param(0)->type->dims[0], param(2)->type->dims[0], NULL});
    if (ch__protect(verify, NULL) != CH_OK) fail_msg("%s", ch_error_message());
    ch__module_destroy(M);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule), cmocka_unit_test(changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
