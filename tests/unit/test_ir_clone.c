// SPDX-License-Identifier: Apache-2.0
// test_ir_clone.c - copies of funcs and regions: the same text, nothing shared between modules, sizes replaced.
#include "unit.h"

#include "ir/ir.h"

static const char program[] = "chaac-ir 1\n"
                              "func @helper<k in 1..100>(%x: f32[k]) -> f32[k] {\n"
                              "  %y = mul %x, %x : f32[k] loc(\"helper.c\":3:1)\n"
                              "  return %y\n"
                              "}\n"
                              "\n"
                              "func @other(%x: f32[batch:m, 4]) -> f32[batch:m, 4] {\n"
                              "  %y = neg %x : f32[batch:m, 4]\n"
                              "  return %y\n"
                              "}\n"
                              "\n"
                              "func @main<n in 1..64>(%x: inout(0) f32[n], %p: bool[], %v: i64[], %w: f32[n + 1]) -> "
                              "(%r: f32[n], %s: f64[], i64[]) {\n"
                              "  %c = const {value = [1, 2, 3]} : f32[3] loc(\"main.c\":4)\n"
                              "  %one = const {value = 1} : i64[]\n"
                              "  %zero = const {value = 0} : i64[]\n"
                              "  %a = call @helper(%x) : f32[n]\n"
                              "  %b = if %p {\n"
                              "    %t = call @helper(%a) : f32[n]\n"
                              "    yield %t\n"
                              "  } else {\n"
                              "    yield %a\n"
                              "  } : f32[n]\n"
                              "  %buf = alloc<k = %v> : f64[k]\n"
                              "  %size = dim {e = k + n} : i64[]\n"
                              "  %sum = for %i = %zero to %v step %one iter(%acc = %buf) {policy = \"store\"} {\n"
                              "    %e = get %acc[%i] {bounds = known} : f64[]\n"
                              "    %f = set %acc[%i], %e : f64[k]\n"
                              "    yield %f\n"
                              "  } : f64[k]\n"
                              "  %total = reduce %sum {kind = sum, dims = [0], acc = f64, order = seq} : f64[]\n"
                              "  %q = slice %w {start = [1], limit = [n + 1]} : f32[n]\n"
                              "  %m = add %b, %q : f32[n]\n"
                              "  return %m, %total, %size\n"
                              "}\n";

static const char *text_of(const ch_func *f) {
    ch__text t;
    ch__text_init(&t, f->module->arena);
    for (const ch_func *g = f->module->first; g; g = g->next) ch__print_func(&t, g);
    return t.data;
}

static const char *text_of_one(const ch_func *f) {
    ch__text t;
    ch__text_init(&t, f->module->arena);
    ch__print_func(&t, f);
    return t.data;
}

static void in_protect(void (*fn)(void *)) {
    if (ch__protect(fn, NULL) != CH_OK) fail_msg("%s", ch_error_message());
}

// The source is destroyed before the copy is looked at: whatever is shared is found by the sanitizer.
static void whole_func_run(void *arg) {
    (void)arg;
    ch__module *m = ch__parse_module(program, sizeof program - 1, "t.ir");
    ch_func *f = m->last, *copy = ch__func_clone(f);
    ch__arena *kept = ch__arena_create();
    const char *main_text = ch__arena_strdup(kept, text_of_one(f));
    const char *helper_text = ch__arena_strdup(kept, text_of_one(m->first));
    assert_ptr_equal(copy->module->first, copy);
    ch__module_destroy(m);
    assert_string_equal(text_of_one(copy), main_text);
    assert_non_null(copy->next);
    assert_string_equal(text_of_one(copy->next), helper_text);
    assert_null(copy->next->next); // @other is not reached
    assert_string_equal(copy->next->body->first->loc->file, "helper.c");
    assert_int_equal(copy->dims.data[0].hi, 64);
    assert_int_equal(copy->inout[0], 0);
    ch__verify_module(copy->module);
    ch__module_destroy(copy->module);
    ch__arena_destroy(kept);
}

static void whole_func(void **state) {
    (void)state;
    in_protect(whole_func_run);
}

static void into_module_run(void *arg) {
    (void)arg;
    ch__module *m = ch__parse_module(program, sizeof program - 1, "t.ir"), *to = ch__module_create();
    ch_func *taken = ch__func_create(to, "helper");
    ch__value *x = ch__func_add_param(taken, "x", ch__type_scalar(CH_F64));
    ch__func_set_results(taken, 1, &x, NULL);
    ch__map funcs;
    ch__arena *scratch = ch__arena_create();
    ch__map_init(&funcs, scratch);
    ch_func *f = ch__func_clone_into(to, m->last, &funcs);
    ch_func *helper = ch__map_get(&funcs, (uint64_t)(uintptr_t)m->first);
    assert_string_equal(helper->name, "helper_1");
    assert_ptr_equal(ch__map_get(&funcs, (uint64_t)(uintptr_t)m->last), f);
    // What is in the map is not cloned again.
    assert_ptr_equal(ch__func_clone_into(to, m->last, &funcs), f);
    assert_ptr_equal(to->last, helper);
    ch__module_destroy(m);
    ch__verify_module(to);
    assert_non_null(strstr(text_of(f), "call @helper_1"));
    // Inside one module: every pointer may be shared, but not the ops.
    ch_func *again = ch__func_clone_into(to, f, NULL);
    assert_string_equal(again->name, "main_1");
    ch__verify_module(to);
    assert_ptr_not_equal(again->body->first, f->body->first);
    assert_ptr_equal(again->body->first->attrs[0].array, f->body->first->attrs[0].array);
    ch__arena_destroy(scratch);
    ch__module_destroy(to);
}

static void into_module(void **state) {
    (void)state;
    in_protect(into_module_run);
}

// ---------------------------------------------------------------- inlining
static const char caller[] = "chaac-ir 1\n"
                             "func @callee(%x: f32[a], %y: f32[2*b + 1], %v: i64[]) -> f32[a] {\n"
                             "  %buf = alloc<k = %v> : f64[k]\n"
                             "  %c = dim {e = a + 3*b + k} : i64[]\n"
                             "  %s = slice %x {start = [0], limit = [a]} : f32[a]\n"
                             "  return %s\n"
                             "}\n"
                             "func @f(%x: f32[4*n], %y: f32[2*m + 1], %v: i64[]) -> f32[4*n] {\n"
                             "  %buf = alloc<k = %v> : f64[k]\n"
                             "  return %x\n"
                             "}\n";

static const char inlined[] = "func @f(%x: f32[4*n], %y: f32[2*m + 1], %v: i64[]) -> f32[4*n] {\n"
                              "  %buf = alloc<k = %v> : f64[k]\n"
                              "  %buf_1 = alloc<k_1 = %v> : f64[k_1]\n"
                              "  %c = dim {e = k_1 + 3*m + 4*n} : i64[]\n"
                              "  %s = slice %x {start = [0], limit = [4*n]} : f32[4*n]\n"
                              "  %buf_2 = alloc<k_2 = %v> : f64[k_2]\n"
                              "  %c_1 = dim {e = k_2 + 3*m + 4*n} : i64[]\n"
                              "  %s_1 = slice %x {start = [0], limit = [4*n]} : f32[4*n]\n"
                              "  return %s_1\n"
                              "}\n";

static void inline_run(void *arg) {
    (void)arg;
    ch__arena *a = ch__arena_create();
    ch__module *m = ch__parse_module(caller, sizeof caller - 1, "t.ir");
    ch_func *callee = m->first, *f = m->last;
    ch__builder b = ch__builder_at_end(f->body);
    const ch__type *types[3];
    for (int i = 0; i < 3; i++) types[i] = f->body->params[i]->type;
    ch__dim_subs sub = ch__call_subs(m->arena, callee, 3, types);
    assert_int_equal(sub.n, 2);
    ch__value *result = NULL;
    for (int round = 0; round < 2; round++) {
        ch__value_map map = {.to = CH_NEW_ARRAY(a, ch__value *, callee->n_values), .n = callee->n_values};
        for (int i = 0; i < 3; i++) map.to[callee->body->params[i]->id] = f->body->params[i];
        ch__clone_region_ops(&b, callee->body, &map, &sub, NULL);
        result = map.to[callee->body->results[0]->id];
    }
    ch__func_set_results(f, 1, &result, NULL);
    ch__verify_module(m);
    assert_string_equal(text_of_one(f), inlined);
    ch__module_destroy(m);
    ch__arena_destroy(a);
}

static void inlining(void **state) {
    (void)state;
    in_protect(inline_run);
}

// Within one func: values from outside stay themselves, regions are copied, a body may be appended to itself.
static void same_func_run(void *arg) {
    (void)arg;
    ch__module *m = ch__parse_module(program, sizeof program - 1, "t.ir");
    ch_func *f = m->last;
    int64_t before = ch__count_ops(f);
    ch__builder b = ch__builder_at_end(f->body);
    ch__value_map map = {.to = CH_NEW_ARRAY(m->arena, ch__value *, f->n_values), .n = f->n_values};
    ch__clone_region_ops(&b, f->body, &map, NULL, NULL);
    assert_int_equal(ch__count_ops(f), 2 * before);
    ch__verify_module(m);
    ch__op *last = f->body->last;
    assert_ptr_equal(map.to[f->body->results[0]->id], &last->results[0]);
    ch__value_map empty = {0};
    ch__op *one = ch__clone_op(&b, last, &empty, NULL, NULL);
    assert_ptr_equal(one->operands[0], last->operands[0]);
    assert_ptr_equal(f->body->last, one);
    ch__verify_module(m);
    ch__module_destroy(m);
}

static void same_func(void **state) {
    (void)state;
    in_protect(same_func_run);
}

static void foreign_value(void *arg) {
    (void)arg;
    ch__module *m = ch__parse_module(program, sizeof program - 1, "t.ir");
    ch__builder b = ch__builder_at_end(m->first->body);
    ch__value_map empty = {0};
    ch__clone_op(&b, m->last->body->last, &empty, NULL, NULL);
}

static void foreign_callee(void *arg) {
    (void)arg;
    ch__module *m = ch__parse_module(program, sizeof program - 1, "t.ir"), *to = ch__module_create();
    ch_func *f = ch__func_create(to, "f"), *from = m->last;
    ch__builder b = ch__builder_at_end(f->body);
    ch__value_map map = {.to = CH_NEW_ARRAY(to->arena, ch__value *, from->n_values), .n = from->n_values};
    for (int i = 0; i < 4; i++) map.to[from->body->params[i]->id] = from->body->params[i];
    ch__clone_region_ops(&b, from->body, &map, NULL, NULL);
}

static void unknown_size(void *arg) {
    (void)arg;
    static const char text[] =
        "chaac-ir 1\nfunc @g(%x: f32[floordiv(n, 2)]) -> f32[floordiv(n, 2)] {\n  return %x\n}\n";
    ch__module *m = ch__parse_module(text, sizeof text - 1, "t.ir");
    const ch__type *t = m->first->body->params[0]->type;
    ch__call_subs(m->arena, m->first, 1, &t);
}

static void refused(void **state) {
    (void)state;
    assert_int_equal(ch__protect(foreign_value, NULL), CH_INTERNAL);
    assert_string_equal(ch_error_message(), "clone: a value of @main is used and has no counterpart in @helper");
    assert_int_equal(ch__protect(foreign_callee, NULL), CH_INTERNAL);
    assert_string_equal(ch_error_message(), "clone: @main calls @helper, which has no counterpart in the other module");
    assert_int_equal(ch__protect(unknown_size, NULL), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "call: the size n of @g follows from none of its params — give it a param "
                                            "that has an axis of that size");
}

// ---------------------------------------------------------------- for users
static void public_functions(void **state) {
    (void)state;
    ch_func *f = NULL, *g = NULL;
    assert_int_equal(ch_func_parse(program, "t.ir", &f), CH_OK);
    assert_int_equal(ch_func_clone(f, &g), CH_OK);
    ch_func_destroy(f);
    ch_func_destroy(NULL);
    assert_string_equal(ch_func_name(g), "main");
    assert_int_equal(ch_func_num_params(g), 4);
    assert_int_equal(ch_func_num_results(g), 3);
    assert_string_equal(ch_func_param_name(g, 0), "x");
    assert_null(ch_func_param_name(g, 4));
    assert_null(ch_func_param_name(g, -1));
    assert_string_equal(ch_func_param_type(g, 3), "f32[n + 1]");
    assert_null(ch_func_param_type(g, 4));
    assert_string_equal(ch_func_result_name(g, 1), "s");
    assert_string_equal(ch_func_result_name(g, 2), "");
    assert_null(ch_func_result_name(g, 3));
    assert_string_equal(ch_func_result_type(g, 1), "f64[]");
    assert_null(ch_func_result_type(g, 3));
    assert_int_equal(ch_func_num_ops(g), 15); // 14 of @main, 1 of @helper
    assert_int_equal(ch_func_count(g, "call"), 2);
    assert_int_equal(ch_func_count(g, "mul"), 1);
    assert_int_equal(ch_func_count(g, "sin"), 0);
    assert_int_equal(ch_func_count(g, "sine"), -1);
    assert_string_equal(ch_error_message(), "ch_func_count: no operation is named sine");
    assert_string_equal(ch_error_id(), "unknown_op");
    assert_int_equal(ch_func_clone(NULL, &g), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "ch_func_clone: f is NULL");
    assert_true(ch_func_bytes(g) > 1000);
    ch_func_destroy(g);
}

// ---------------------------------------------------------------- memory that ends
static void build_and_clone(void *arg) {
    ch_func **out = arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "f");
    const char *axes[1] = {"batch"};
    ch__dim n = ch__dim_add(m->arena, ch__dim_symbol(m->arena, "n"), ch__dim_const(1));
    ch__value *x = ch__func_add_param(f, "x", ch__type_make(m->arena, CH_F32, 1, &n, axes)), *v = x;
    ch__builder b = ch__builder_at_end(f->body);
    b.loc = ch__loc_make(m->arena, "model.c", 1, 1);
    for (int i = 0; i < 40; i++) v = ch__b_add(&b, ch__b_mul(&b, v, x), ch__b_splat_like(&b, x, i));
    v = ch__b_reduce(&b, CH__SUM, v, 1, (int64_t[]){0});
    ch__func_set_results(f, 1, &v, (const char *[]){"loss"});
    ch__verify(f);
    *out = ch__func_clone(f);
    ch__verify((*out));
    ch__module_destroy(m);
}

// The n-th allocation fails, for every n until none does: an error each time, nothing left behind.
static void allocations_fail(void **state) {
    (void)state;
    int64_t live = ch__alloc_live();
    for (int all = 0; all < 2; all++) {
        int failed = 0;
        for (int n = 1;; n++) {
            ch_func *f = NULL;
            ch__alloc_fail_at(n, all);
            ch_status s = ch__protect(build_and_clone, &f);
            ch__alloc_fail_at(0, false);
            if (s == CH_OK) {
                ch__module_destroy(f->module);
                break;
            }
            failed++;
            assert_int_equal(s, CH_RESOURCE_EXHAUSTED);
            assert_string_equal(ch_error_id(), "out_of_memory");
            assert_int_equal(ch__alloc_live(), live);
        }
        assert_true(failed > 10);
        assert_int_equal(ch__alloc_live(), live);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_func),       cmocka_unit_test(into_module), cmocka_unit_test(inlining),
        cmocka_unit_test(same_func),        cmocka_unit_test(refused),     cmocka_unit_test(public_functions),
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
