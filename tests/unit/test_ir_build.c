// SPDX-License-Identifier: Apache-2.0
// test_ir_build.c - the op table, types, attributes, building and walking.
#include "unit.h"

#include "ir/ir.h"

#include <math.h>

static void in_protect(void (*fn)(void *)) {
    if (ch__protect(fn, NULL) != CH_OK) fail_msg("%s", ch_error_message());
}

// ---------------------------------------------------------------- tables
static void op_table(void **state) {
    (void)state;
    char buf[32];
    for (int c = 0; c < CH_OP_COUNT; c++) {
        const ch__op_info *info = ch__op_info_of((ch__opcode)c);
        assert_int_equal(ch__op_find(info->name, strlen(info->name)), c);
        assert_string_equal(ch__op_name((ch__opcode)c), info->name);
        assert_int_equal(info->attrs & info->opt, 0);
        assert_true(info->max_operands == -1 || info->max_operands == info->min_operands);
    }
    assert_int_equal(ch__op_find("ad", 2), -1);
    assert_int_equal(ch__op_find("adds", 4), -1);
    assert_int_equal(ch__op_find("add", 3), CH_OP_add);
    assert_int_equal(ch__op_find("addition", 3), CH_OP_add);
    assert_int_equal(ch__op_find("", 0), -1);
    assert_string_equal(ch__op_name(CH_OP_COUNT), "?");
    assert_null(ch__op_info_of(CH_OP_COUNT));
    static const struct {
        ch__opcode code;
        int min, max;
        bool typed;
    } rows[] = {
        {CH_OP_const, 0, 0, true},      {CH_OP_neg, 1, 1, false},     {CH_OP_add, 2, 2, false},
        {CH_OP_fma, 3, 3, false},       {CH_OP_concat, 1, -1, false}, {CH_OP_get, 1, -1, false},
        {CH_OP_set, 2, -1, false},      {CH_OP_for, 3, -1, false},    {CH_OP_call, 0, -1, false},
        {CH_OP_convert, 1, 1, true},    {CH_OP_alloc, 0, -1, true},   {CH_OP_if, 1, 1, false},
        {CH_OP_transpose, 1, 1, false}, {CH_OP_tape_new, 0, 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const ch__op_info *info = ch__op_info_of(rows[i].code);
        assert_int_equal(info->min_operands, rows[i].min);
        assert_int_equal(info->max_operands, rows[i].max);
        assert_int_equal(info->typed, rows[i].typed);
    }
    assert_string_equal(ch__op_operand_name(CH_OP_add, 1, buf), "rhs");
    assert_string_equal(ch__op_operand_name(CH_OP_concat, 2, buf), "xs[2]");
    assert_string_equal(ch__op_operand_name(CH_OP_set, 1, buf), "value");
    assert_string_equal(ch__op_operand_name(CH_OP_set, 3, buf), "index[1]");
    assert_string_equal(ch__op_operand_name(CH_OP_add, 2, buf), "operand 2");
}

static void attributes(void **state) {
    (void)state;
    for (int i = 0; i < CH__ATTR_COUNT; i++) {
        const char *name = ch__attr_name((ch__attr_id)i);
        assert_int_equal(ch__attr_find(name, strlen(name)), i);
    }
    assert_int_equal(ch__attr_find("dim", 3), CH__ATTR_dim);
    assert_int_equal(ch__attr_find("dims", 4), CH__ATTR_dims);
    assert_int_equal(ch__attr_find("di", 2), -1);
    assert_int_equal(ch__attr_kind_of(CH__ATTR_contract), CH__AK_PAIRS);
    int64_t v = 0;
    assert_true(ch__word_find(CH__AK_KIND, "max", 3, &v) && v == CH__MAX);
    assert_true(ch__word_find(CH__AK_KIND, "mul", 3, &v) && v == CH__MUL);
    assert_true(ch__word_find(CH__AK_DIR, "ge", 2, &v) && v == CH__GE);
    assert_true(ch__word_find(CH__AK_TIE, "all", 3, &v) && v == CH__ALL);
    assert_true(ch__word_find(CH__AK_BOUNDS, "c", 1, &v) && v == CH__C);
    assert_true(ch__word_find(CH__AK_PRECISION, "highest", 7, &v) && v == CH__HIGHEST);
    assert_true(ch__word_find(CH__AK_ORDER, "seq", 3, &v) && v == CH__SEQ);
    assert_false(ch__word_find(CH__AK_KIND, "maximum", 7, &v));
    assert_false(ch__word_find(CH__AK_INT, "sum", 3, &v));
    assert_string_equal(ch__word_name(CH__AK_KIND, CH__SET), "set");
    assert_null(ch__word_name(CH__AK_KIND, 9));
    assert_null(ch__word_name(CH__AK_KIND, -1));
    assert_null(ch__word_name(CH__AK_INT, 0));
}

static void dtypes(void **state) {
    (void)state;
    for (int d = 1; d < CH__DTYPE_COUNT; d++) {
        assert_int_equal(ch_dtype_from_name(ch_dtype_name((ch_dtype)d)), d);
        bool reserved = ch__dtype_class((ch_dtype)d) == 'r';
        assert_int_equal(ch_dtype_size((ch_dtype)d) == 0, reserved);
        assert_int_equal(ch__dtype_class((ch_dtype)d) == 'f', ch__is_float((ch_dtype)d));
    }
    assert_string_equal(ch_dtype_name((ch_dtype)0), "?");
    assert_string_equal(ch_dtype_name((ch_dtype)-1), "?");
    assert_int_equal(ch_dtype_from_name("float"), 0);
    assert_int_equal(ch_dtype_from_name(NULL), 0);
    assert_int_equal(ch_dtype_size((ch_dtype)99), 0);
}

static void libm_rows(void **state) {
    (void)state;
    int n = 0;
    for (const ch__libm_row *r; (r = ch__libm_at(n)) != NULL; n++) assert_ptr_equal(ch__libm_find(r->name), r);
    assert_true(n > 20);
    assert_null(ch__libm_find("sin"));
    assert_null(ch__libm_at(-1));
    assert_string_equal(ch__libm_find("frexp")->form, "d_di");
}

// ---------------------------------------------------------------- types
static void types_run(void *arg) {
    (void)arg;
    ch__arena *a = ch__arena_create();
    ch__dim n = ch__dim_symbol(a, "n");
    ch__dim dims[2] = {n, ch__dim_const(64)};
    const char *axes[2] = {"batch", NULL}, *none[2] = {NULL, NULL};
    const ch__type *t = ch__type_make(a, CH_F32, 2, dims, NULL), *named = ch__type_make(a, CH_F32, 2, dims, axes);
    assert_string_equal(ch__type_text(a, t), "f32[n,64]");
    assert_string_equal(ch__type_text(a, named), "f32[batch:n, 64]");
    assert_string_equal(ch__type_text(a, ch__type_scalar(CH_BOOL)), "bool[]");
    assert_string_equal(ch__type_text(a, ch__type_tape(a, named)), "tape<f32[batch:n, 64]>");
    assert_ptr_equal(ch__type_make(a, CH_F64, 0, NULL, NULL), ch__type_scalar(CH_F64));
    assert_ptr_equal(ch__type_make(a, CH_F32, 2, dims, none)->axes, NULL);
    assert_true(ch__type_same_shape(t, named));
    assert_false(ch__type_equal(t, named));
    assert_true(ch__type_equal(named, ch__type_copy(a, named)));
    assert_false(ch__type_equal(t, ch__type_tape(a, t)));
    assert_false(ch__type_equal(t, ch__type_with_dtype(a, t, CH_F64)));
    assert_ptr_equal(ch__type_with_dtype(a, t, CH_F32), t);
    assert_false(ch__type_is_static(t));
    ch__text text;
    ch__text_init(&text, a);
    ch__dim_print(&text, ch__type_numel(a, t));
    assert_string_equal(text.data, "64*n");
    const char *names[1] = {"n"};
    ch__dim five = ch__dim_const(5);
    const ch__type *sub = ch__type_subst(a, named, 1, names, &five);
    assert_string_equal(ch__type_text(a, sub), "f32[batch:5, 64]");
    assert_true(ch__type_is_static(sub));
    int64_t count = 0;
    assert_true(ch__numel(3, (int64_t[]){INT64_MAX, INT64_MAX, 0}, &count) && count == 0);
    assert_false(ch__numel(2, (int64_t[]){INT64_MAX, 2}, &count));
    assert_false(ch__numel(1, (int64_t[]){-1}, &count));
    assert_true(ch__numel(0, NULL, &count) && count == 1);
    ch__arena_destroy(a);
}

static void too_many_axes(void *arg) {
    (void)arg;
    ch__dim dims[CH__MAX_RANK + 1] = {{NULL, 1}};
    ch__type_make(ch__arena_create(), CH_F32, CH__MAX_RANK + 1, dims, NULL);
}

static void types(void **state) {
    (void)state;
    in_protect(types_run);
    assert_int_equal(ch__protect(too_many_axes, NULL), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "type: rank 17 — 0 to 16 dimensions are allowed");
}

// ---------------------------------------------------------------- building
static void copies_run(void *arg) {
    (void)arg;
    ch__arena *a = ch__arena_create();
    int64_t ints[4] = {1, 0, 2, 3};
    float data[2] = {1.5f, -2};
    ch__dim dims[2] = {ch__dim_symbol(a, "n"), ch__dim_const(3)};
    ch__array array = {.dtype = CH_F32, .rank = 1, .dims = (int64_t[]){2}, .data = data};
    ch__attr all[] = {ch__attr_int(CH__ATTR_dim, 7),           ch__attr_ints(CH__ATTR_dims, 4, ints),
                      ch__attr_pairs(CH__ATTR_batch, 2, ints), ch__attr_dim(CH__ATTR_e, dims[0]),
                      ch__attr_dims(CH__ATTR_start, 2, dims),  ch__attr_str(CH__ATTR_fn, "j0"),
                      ch__attr_array(CH__ATTR_value, &array)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ch__attr copy = ch__attr_copy(a, all[i]);
        assert_true(ch__attr_equal(copy, all[i]));
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) assert_int_equal(ch__attr_equal(copy, all[k]), i == k);
    }
    ch__attr was = ch__attr_copy(a, all[1]), text = ch__attr_copy(a, all[5]), values = ch__attr_copy(a, all[6]);
    ints[3] = 9;
    data[1] = 2;
    assert_false(ch__attr_equal(was, all[1]));
    assert_false(ch__attr_equal(values, all[6]));
    assert_false(ch__attr_equal(text, ch__attr_str(CH__ATTR_fn, "j1")));
    const char *const *names;
    assert_int_equal(ch__alloc_symbols(a, NULL, &names), 0);
    ch__attr symbols = ch__attr_str(CH__ATTR_symbols, "k  m ");
    assert_int_equal(ch__alloc_symbols(a, &symbols, &names), 2);
    assert_string_equal(names[1], "m");
    ch__arena_destroy(a);
}

static void copies(void **state) {
    (void)state;
    in_protect(copies_run);
}

static int64_t splat_i64(ch__value *v) {
    const ch__array *a = ch__op_attr(v->op, CH__ATTR_value)->array;
    switch (a->dtype) {
    case CH_I8: return *(int8_t *)a->data;
    case CH_U8:
    case CH_BOOL: return *(uint8_t *)a->data;
    case CH_U64: return (int64_t) * (uint64_t *)a->data;
    case CH_BF16: return *(uint16_t *)a->data;
    default: return *(int64_t *)a->data;
    }
}

static void build_run(void *arg) {
    (void)arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "f");
    ch__arena *a = m->arena;
    ch__value *x = ch__func_add_param(f, "x", ch__parse_type(a, "f32[n,4]"));
    ch__value *y = ch__func_add_param(f, "y", ch__parse_type(a, "f32[4]"));
    assert_int_equal(f->dims.n, 1);
    assert_non_null(ch__func_dim_param(f, "n"));
    ch__builder b = ch__builder_at_end(f->body);
    b.loc = ch__loc_make(a, "model.c", 7, 3);
    ch__value *wide = ch__b_broadcast_to(&b, y, x->type);
    assert_string_equal(ch__type_text(a, wide->type), "f32[n,4]");
    assert_ptr_equal(ch__b_broadcast_to(&b, x, x->type), x);
    ch__value *sum = ch__b_mul(&b, ch__b_add(&b, x, wide), ch__b_neg(&b, ch__b_sub(&b, x, wide)));
    ch__value *less = ch__b_compare(&b, CH__LT, sum, x);
    assert_string_equal(ch__type_text(a, less->type), "bool[n,4]");
    ch__value *chosen = ch__b_select(&b, less, sum, ch__b_splat_like(&b, x, 2));
    ch__value *dot = ch__b_dot(&b, chosen, y, 1, (int64_t[]){1}, (int64_t[]){0}, 0, NULL, NULL);
    assert_string_equal(ch__type_text(a, dot->type), "f32[n]");
    assert_int_equal(ch__op_int(dot->op, CH__ATTR_acc, 0), CH_F64);
    ch__value *total = ch__b_reduce(&b, CH__SUM, dot, 1, (int64_t[]){0});
    assert_ptr_equal(total->type, ch__type_scalar(CH_F32));
    assert_null(ch__op_attr(ch__b_reduce(&b, CH__MAX, dot, 1, (int64_t[]){0})->op, CH__ATTR_acc));
    assert_ptr_equal(ch__b_convert(&b, total, CH_F32), total);
    assert_int_equal(ch__b_convert(&b, total, CH_F64)->type->dtype, CH_F64);
    ch__value *n = ch__b_dim(&b, x->type->dims[0]);
    assert_int_equal(n->op->code, CH_OP_dim);
    assert_int_equal(ch__b_dim(&b, ch__dim_const(5))->op->code, CH_OP_const);
    ch__value *turned = ch__b_transpose(&b, x, (int64_t[]){1, 0});
    assert_string_equal(ch__type_text(a, turned->type), "f32[4,n]");
    ch__value *part =
        ch__b_slice(&b, x, (ch__dim[]){{NULL, 0}, {NULL, 1}}, (ch__dim[]){x->type->dims[0], {NULL, 3}}, NULL);
    assert_string_equal(ch__type_text(a, part->type), "f32[n,2]");
    ch__value *padded =
        ch__b_pad(&b, part, total, (ch__dim[]){{NULL, 0}, {NULL, 1}}, (ch__dim[]){{NULL, 0}, {NULL, 1}}, NULL);
    assert_string_equal(ch__type_text(a, padded->type), "f32[n,4]");
    ch__value *both = ch__b_concat(&b, 2, (ch__value *[]){x, padded}, 1);
    assert_string_equal(ch__type_text(a, both->type), "f32[n,8]");
    assert_string_equal(ch__type_text(a, ch__b_reverse(&b, both, 1, (int64_t[]){0})->type), "f32[n,8]");
    ch__dim flat[1] = {ch__type_numel(a, both->type)};
    assert_string_equal(ch__type_text(a, ch__b_reshape(&b, both, ch__type_make(a, CH_F32, 1, flat, NULL))->type),
                        "f32[8*n]");
    ch__b_iota(&b, ch__parse_type(a, "i32[3]"), 0);
    float data[2] = {1, 2};
    ch__value *c = ch__b_const(&b, &(ch__array){.dtype = CH_F32, .rank = 1, .dims = (int64_t[]){2}, .data = data});
    assert_string_equal(ch__type_text(a, c->type), "f32[2]");
    ch__func_set_results(f, 2, (ch__value *[]){total, both}, (const char *[]){"loss", NULL});
    ch__verify(f);
    for (ch__op *op = f->body->first; op; op = op->next) assert_int_equal(op->loc->line, 7);
    ch__module_destroy(m);
}

static void splats_run(void *arg) {
    (void)arg;
    ch__module *m = ch__module_create();
    ch__builder b = ch__builder_at_end(ch__func_create(m, "f")->body);
    static const struct {
        ch_dtype d;
        double v;
        int64_t want;
    } rows[] = {
        {CH_I8, 200, 127},
        {CH_I8, -200, -128},
        {CH_I8, -1.9, -1},
        {CH_U8, -3, 0},
        {CH_U8, 255.5, 255},
        {CH_U8, 1e9, 255},
        {CH_BOOL, 0.5, 1},
        {CH_BOOL, 0, 0},
        {CH_I64, 1e300, INT64_MAX},
        {CH_I64, -1e300, INT64_MIN},
        {CH_I64, NAN, 0},
        {CH_U64, 1e300, -1},
        {CH_U64, 1e19, (int64_t)10000000000000000000u},
        {CH_BF16, 1, 0x3f80},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(splat_i64(ch__b_splat(&b, ch__type_scalar(rows[i].d), rows[i].v)), rows[i].want);
    ch__value *f = ch__b_splat(&b, ch__type_scalar(CH_F32), 0.1);
    assert_true(*(float *)ch__op_attr(f->op, CH__ATTR_value)->array->data == 0.1f);
    ch__module_destroy(m);
}

static void building(void **state) {
    (void)state;
    in_protect(build_run);
    in_protect(splats_run);
}

// ---------------------------------------------------------------- walking
static const char branches[] =
    "chaac-ir 1\n"
    "func @f(%x: f64[], %p: bool[]) -> f64[] {\n"
    "  %a = neg %x : f64[]\n"
    "  %b = if %p {\n    %c = exp %a : f64[]\n    %d = exp %c : f64[]\n    yield %d\n  } else {\n"
    "    yield %a\n  } : f64[]\n"
    "  %e = add %b, %a : f64[]\n"
    "  return %e\n}\n";

typedef struct {
    char order[64];
} trail;

static void follow(void *arg, ch__op *op) {
    trail *t = arg;
    strcat(t->order, op->results[0].name);
}

static void remove_exp(void *arg, ch__op *op) {
    trail *t = arg;
    strcat(t->order, op->results[0].name);
    if (op->code == CH_OP_exp || op->code == CH_OP_if) ch__op_remove(op);
}

static void walk_run(void *arg) {
    (void)arg;
    ch__module *m = ch__parse_module(branches, sizeof branches - 1, "t.ir");
    ch_func *f = m->first;
    trail t = {""};
    ch__walk(f->body, follow, &t);
    assert_string_equal(t.order, "abcde");
    assert_int_equal(ch__count_ops(f), 5);
    assert_int_equal(ch__count_op_code(f, CH_OP_exp), 2);
    int32_t *uses = ch__use_counts(m->arena, f);
    ch__op *neg = f->body->first, *choice = neg->next;
    assert_int_equal(uses[neg->results[0].id], 3); // exp, yield, add
    assert_int_equal(uses[f->body->params[0]->id], 1);
    assert_int_equal(uses[choice->results[0].id], 1);
    // A chain of replacements: d -> c -> a.
    ch__op *c = choice->regions[0]->first, *d = c->next;
    ch__value **map = CH_NEW_ARRAY(m->arena, ch__value *, f->n_values);
    map[d->results[0].id] = &c->results[0];
    map[c->results[0].id] = &neg->results[0];
    ch__replace_uses(f, map);
    assert_ptr_equal(choice->regions[0]->results[0], &neg->results[0]);
    assert_ptr_equal(map[d->results[0].id], &neg->results[0]);
    ch__verify(f);
    ch__op_move_before(d, choice);
    assert_ptr_equal(neg->next, d);
    assert_ptr_equal(d->parent, f->body);
    ch__op_move_before(d, d);
    ch__verify(f);
    // Removed while walking; the regions of a removed op are not visited.
    t = (trail){""};
    ch__func_set_results(f, 1, &f->body->params[0], NULL);
    ch__op_remove(f->body->last);
    ch__walk(f->body, remove_exp, &t);
    assert_string_equal(t.order, "adb");
    assert_int_equal(ch__count_ops(f), 1);
    ch__renumber(f);
    assert_int_equal(f->n_values, 3);
    assert_int_equal(f->body->first->results[0].id, 2);
    ch__verify(f);
    ch__module_destroy(m);
}

static void walking(void **state) {
    (void)state;
    in_protect(walk_run);
}

// A chain of 200,000 replacements, each pointing to the one before: linear, or this does not end.
static void long_chain_run(void *arg) {
    (void)arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "f");
    ch__value *x = ch__func_add_param(f, "x", ch__type_scalar(CH_F64)), *v = x;
    ch__builder b = ch__builder_at_end(f->body);
    for (int i = 0; i < 200000; i++) v = ch__b_neg(&b, v);
    ch__func_set_results(f, 1, &v, NULL);
    ch__verify(f);
    assert_true(ch__arena_bytes(m->arena) / 200000 <= 400);
    ch__value **map = CH_NEW_ARRAY(m->arena, ch__value *, f->n_values);
    for (ch__op *op = f->body->first; op; op = op->next) map[op->results[0].id] = op->operands[0];
    ch__replace_uses(f, map);
    assert_ptr_equal(f->body->results[0], x);
    assert_ptr_equal(f->body->last->operands[0], x);
    ch__module_destroy(m);
}

static void long_chain(void **state) {
    (void)state;
    in_protect(long_chain_run);
}

static void many_params_run(void *arg) {
    (void)arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "f");
    f->inout = CH_NEW_ARRAY(m->arena, int32_t, 4);
    for (int i = 0; i < 1000; i++) {
        ch__value *v = ch__func_add_param(f, ch__arena_printf(m->arena, "p%d", i), ch__type_scalar(CH_F64));
        assert_int_equal(v->index, i);
        assert_int_equal(f->inout[i], -1);
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(f->body->params[i]->id, i);
    ch__func_set_results(f, 1, f->body->params, NULL);
    ch__verify_module(m);
    assert_string_equal(ch__module_fresh_name(m, "g"), "g");
    assert_string_equal(ch__module_fresh_name(m, "f"), "f_1");
    assert_string_equal(ch__func_fresh_symbol(f, "k"), "k");
    assert_string_equal(ch__func_fresh_symbol(f, "k"), "k_1");
    ch__func_add_dim(f, "j", 1, 9);
    ch__func_add_dim(f, "j", 2, 3);
    assert_int_equal(ch__func_dim_param(f, "j")->lo, 1);
    assert_string_equal(ch__func_fresh_symbol(f, "j"), "j_1");
    assert_string_equal(ch__func_fresh_symbol(f, "k"), "k_2");
    ch__module_destroy(m);
}

static void many_params(void **state) {
    (void)state;
    in_protect(many_params_run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(op_table),    cmocka_unit_test(attributes), cmocka_unit_test(dtypes),
        cmocka_unit_test(libm_rows),   cmocka_unit_test(types),      cmocka_unit_test(copies),
        cmocka_unit_test(building),    cmocka_unit_test(walking),    cmocka_unit_test(long_chain),
        cmocka_unit_test(many_params),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
