// SPDX-License-Identifier: Apache-2.0
// test_tensor_functions.c - einsum against plain loops over its letters; contract; picking, placing and repeating
// elements; sources of random keys; what there is to call.
#include "chaac/chaac.h"

#include "unit.h"

#include <ctype.h>
#include <stdbool.h>

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static void is(ch_tensor *t, int n, const double *want) {
    double got[128];
    if (ch_read_f64(ch_convert(t, CH_F64), got, n) != CH_OK) fail_msg("%s", ch_error_message());
    for (int i = 0; i < n; i++)
        if (got[i] != want[i]) fail_msg("element %d is %g, not %g", i, got[i], want[i]);
}
#define IS(t, ...) is((t), (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

static void refused(ch_tensor *t, const char *id, const char *end) {
    assert_int_not_equal(ch_check(t), CH_OK);
    assert_string_equal(ch_error_id(), id);
    if (strstr(ch_error_message(), end) == NULL) fail_msg("%s", ch_error_message());
}

static ch_tensor *range(const char *dims) { // 1, 2, 3, ... of "23": [2,3]
    int64_t d[8], n = 1;
    int rank = (int)strlen(dims);
    for (int i = 0; i < rank; i++) n *= d[i] = dims[i] - '0';
    double x[128];
    for (int i = 0; i < n; i++) x[i] = i + 1;
    return ch_from_f64(x, rank, d);
}

// ---- einsum
// The sum over all letters, by one odometer; sizes in size[letter]. Operands of size 1 stretch.
static void plain_einsum(const char *spec, int n, const char *const *dims, int *n_out, double *out) {
    int size[128] = {0}, at[128] = {0};
    char lists[8][16] = {{0}}, result[16] = "", letters[64] = "";
    const char *p = spec;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (isalpha((unsigned char)*p)) lists[i][k++] = *p++;
        if (*p == ',') p++;
    }
    strcpy(result, p + 2);
    for (int i = 0; i < n; i++)
        for (int k = 0; lists[i][k]; k++) {
            int c = lists[i][k], d = dims[i][k] - '0';
            if (d > size[c]) size[c] = d;
            if (!strchr(letters, c)) strncat(letters, &lists[i][k], 1);
        }
    *n_out = 1;
    for (const char *s = result; *s; s++) *n_out *= size[(int)*s];
    for (int i = 0; i < *n_out; i++) out[i] = 0;
    for (;;) {
        double product = 1;
        for (int i = 0; i < n; i++) {
            int64_t index = 0;
            for (int k = 0; lists[i][k]; k++)
                index = index * (dims[i][k] - '0') + (dims[i][k] == '1' ? 0 : at[(int)lists[i][k]]);
            product *= (double)(index + 1);
        }
        int to = 0;
        for (const char *s = result; *s; s++) to = to * size[(int)*s] + at[(int)*s];
        out[to] += product;
        int k = (int)strlen(letters) - 1;
        for (; k >= 0 && ++at[(int)letters[k]] == size[(int)letters[k]]; k--) at[(int)letters[k]] = 0;
        if (k < 0) return;
    }
}

// The adjoint of max_pool, by its own name; what a barrier lets through.
static void windows_and_barriers(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f64((double[]){1, 5, 2, 4, 7, 7, 0, 3}, 2, (int64_t[]){2, 4});
    ch_tensor *source = ch_from_f64((double[]){10, 20}, 2, (int64_t[]){1, 2});
    ch_tensor *y = ch_select_and_scatter(x, source, 2, (int64_t[]){2, 2}, NULL);
    IS(y, 0, 0, 0, 20, 10, 0, 0, 0); // of equals the first
    ch_tensor *g = ch_grad(ch_sum_all(ch_mul(ch_max_pool(x, 2, (int64_t[]){2, 2}, NULL), source)), x);
    IS(g, 0, 0, 0, 20, 10, 0, 0, 0);
    refused(ch_select_and_scatter(x, source, 3, (int64_t[]){2, 2, 2}, NULL), "rank",
            "between 1 and 2 axes are allowed");
    refused(ch_select_and_scatter(x, x, 2, (int64_t[]){2, 2}, NULL), "shape_mismatch", "");
    ch_tensor *b = ch_barrier(x);
    IS(ch_grad(ch_sum_all(ch_mul(b, b)), x), 2, 10, 4, 8, 14, 14, 0, 6);
    refused(ch_barrier(NULL), "argument", "operand 0 is NULL");
}

static void einsum_against_loops(void **state) {
    (void)state;
    static const struct {
        const char *spec, *dims[4];
    } rows[] = {
        {"bi,ij->bj", {"23", "34"}},
        {"ij->ji", {"23"}},
        {"ij->", {"23"}},
        {"ij->j", {"23"}},
        {"ii->", {"33"}},
        {"ii->i", {"33"}},
        {"iij->ji", {"223"}},
        {"ijij->ij", {"2323"}},
        {"iii->i", {"333"}},
        {"i,j->ij", {"3", "4"}},
        {"i,i->", {"3", "3"}},
        {"i,i->i", {"3", "3"}},
        {"bij,bjk->bik", {"223", "232"}},
        {"bhqd,bhkd->bhqk", {"2123", "2143"}},
        {"ij,jk,kl->il", {"23", "32", "24"}},
        {"ij,jk,kl->li", {"23", "32", "24"}},
        {"ij,ij,ij->ij", {"23", "23", "23"}},
        {"ij,ij->ij", {"13", "23"}},
        {"ij,jk->ik", {"21", "34"}},
        {"abc,cd,d->ba", {"223", "32", "2"}},
        {",ij->ij", {"", "23"}},
        {"i,j,k->kji", {"2", "3", "2"}},
        {"ik,jk->", {"23", "43"}},
        {"ii,ij->j", {"33", "32"}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ch_tensor *x[4];
        int n = 0, n_out;
        double want[128];
        for (; n < 4 && rows[r].dims[n]; n++) x[n] = range(rows[r].dims[n]);
        plain_einsum(rows[r].spec, n, rows[r].dims, &n_out, want);
        ch_tensor *y = ch_einsum(rows[r].spec, n, x);
        if (ch_check(y) != CH_OK) fail_msg("%s: %s", rows[r].spec, ch_error_message());
        is(y, n_out, want);
    }
}

static void einsum_without_result_and_with_dots(void **state) {
    (void)state;
    ch_tensor *a = range("23"), *b = range("32"), *c = range("223");
    IS(ch_einsum("ij,jk", 2, (ch_tensor *[]){a, b}), 22, 28, 49, 64);
    IS(ch_einsum("ba", 1, &a), 1, 4, 2, 5, 3, 6); // alphabetical: a, b
    IS(ch_einsum("ii", 1, (ch_tensor *[]){range("22")}), 5);
    IS(ch_einsum("...ij->...ji", 1, &c), 1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12);
    IS(ch_einsum("...j,jk->...k", 2, (ch_tensor *[]){c, b}), 22, 28, 49, 64, 76, 100, 103, 136);
    IS(ch_einsum("...j, ...j -> ...", 2, (ch_tensor *[]){c, range("3")}), 14, 32, 50, 68);
    IS(ch_einsum("i...->...", 1, &a), 5, 7, 9);
    IS(ch_einsum("...", 1, &a), 1, 2, 3, 4, 5, 6);
    IS(ch_einsum("...,...", 2, (ch_tensor *[]){a, range("21")}), 1, 2, 3, 8, 10, 12); // stretched
    IS(ch_grad(ch_einsum("ij,jk->", 2, (ch_tensor *[]){a, b}), a), 3, 7, 11, 3, 7, 11);
    c = range("22");
    IS(ch_grad(ch_einsum("ii->", 1, &c), c), 1, 0, 0, 1);
}

static void einsum_refusals(void **state) {
    (void)state;
    ch_tensor *a = range("23"), *b = range("42"), *two[2] = {a, b};
    refused(ch_einsum("ij,jk->ik", 2, two), "shape_mismatch",
            "einsum: \"ij,jk->ik\" — 'j' is 3 in operand 0 and 4 in operand 1: sizes are equal, or 1");
    refused(ch_einsum("ij,k->ik", 2, two), "rank",
            "einsum: \"ij,k->ik\" — operand 1 is f64[4,2]: its list needs a letter for each of its 2 axes, or \"...\"");
    refused(ch_einsum("ij->ik", 1, two), "argument", "einsum: \"ij->ik\" — 'k' of the result is in no operand");
    refused(ch_einsum("ij->ii", 1, two), "argument", "einsum: \"ij->ii\" — 'i' stands twice in the result");
    refused(ch_einsum("ij", 2, two), "arity", "2 operands are given, one list of letters is needed for each");
    refused(ch_einsum("ij,jk,kl->il", 2, two), "arity", "2 operands are given");
    refused(ch_einsum("i1->i", 1, two), "argument", "'1' is no letter");
    refused(ch_einsum("ij>j", 1, two), "argument", "'>' is no letter");
    refused(ch_einsum("ij-j", 1, two), "argument", "'-' stands in \"->\" only");
    refused(ch_einsum("ij->j,i", 1, two), "argument", "the result is the end of it");
    refused(ch_einsum("i..->i", 1, two), "argument", "a dot stands in \"...\" only");
    refused(ch_einsum("......", 1, two), "argument", "\"...\" stands once in each list");
    refused(ch_einsum("...i->i", 1, two), "argument", "the result needs \"...\" too");
    refused(ch_einsum("ij,ij->", 2, (ch_tensor *[]){a, ch_convert(a, CH_F32)}), "dtype_mismatch",
            "operand 0 is f64, operand 1 is f32");
    refused(ch_einsum(NULL, 1, two), "rank", "its list needs");
}

static void contract_by_names(void **state) {
    (void)state;
    ch_tensor *x = ch_name_axes(range("23"), "batch, seq"), *w = ch_name_axes(range("34"), "seq, hidden");
    ch_tensor *y = ch_contract(x, w, NULL);
    char type[64];
    ch_tensor_type(y, type, sizeof type);
    assert_string_equal(type, "f64[batch:2, hidden:4]");
    IS(y, 38, 44, 50, 56, 83, 98, 113, 128);
    IS(ch_contract(w, x, NULL), 38, 83, 44, 98, 50, 113, 56, 128);
    IS(ch_contract(x, ch_name_axes(range("32"), "seq, batch"), "batch"), 22, 64);
    IS(ch_contract(x, x, NULL), 91);
    refused(ch_contract(x, ch_name_axes(range("44"), "hidden, out"), NULL), "axis_mismatch",
            "contract operands share no named axis: lhs [batch, seq], rhs [hidden, out]");
    refused(ch_contract(x, range("32"), NULL), "axis_mismatch",
            "contract operands share no named axis: lhs [batch, seq], rhs [_, _]");
    refused(ch_contract(x, w, "batch"), "axis_mismatch",
            "contract: batch is to be kept — both operands need it: lhs [batch, seq], rhs [seq, hidden]");
}

static void picking_and_placing(void **state) {
    (void)state;
    ch_tensor *x = range("23"), *i64s = ch_from_i64((int64_t[]){2, 0, 1, 1}, 2, (int64_t[]){2, 2});
    ch_tensor *rows = ch_from_i64((int64_t[]){1, 5, 1}, 1, (int64_t[]){3}), *m = ch_gt(x, ch_scalar(CH_F64, 3));
    IS(ch_where(m, x, ch_scalar(CH_F64, 0)), 0, 0, 0, 4, 5, 6);
    IS(ch_masked_fill(x, m, -1), 1, 2, 3, -1, -1, -1);
    IS(ch_masked_fill(x, ch_from_data(CH_BOOL, (uint8_t[]){1, 0, 0}, 1, (int64_t[]){3}), 9), 9, 2, 3, 9, 5, 6);
    IS(ch_take_along(x, i64s, 1), 3, 1, 5, 5);
    IS(ch_take_along(range("3"), ch_argsort(ch_neg(range("3")), 0, 0), -1), 3, 2, 1);
    IS(ch_index_add(x, rows, range("33"), 0), 1, 2, 3, 4 + 1 + 7, 5 + 2 + 8, 6 + 3 + 9); // row 5 is dropped
    IS(ch_index_set(x, ch_from_i64((int64_t[]){2, 0}, 1, (int64_t[]){2}), range("22"), 1), 2, 2, 1, 4, 5, 3);
    IS(ch_diagonal(range("34"), 0), 1, 6, 11);
    IS(ch_diagonal(range("34"), 2), 3, 8);
    IS(ch_diagonal(range("34"), -1), 5, 10);
    IS(ch_diagonal(range("222"), 0), 1, 4, 5, 8);
    assert_int_equal(ch_tensor_numel(ch_diagonal(range("34"), 9)), 0);
    IS(ch_tril(range("33"), 0), 1, 0, 0, 4, 5, 0, 7, 8, 9);
    IS(ch_triu(range("33"), 1), 0, 2, 3, 0, 0, 6, 0, 0, 0);
    IS(ch_eye(CH_I32, 2, 3), 1, 0, 0, 0, 1, 0);
    IS(ch_roll(range("4"), 1, 0), 4, 1, 2, 3);
    IS(ch_roll(range("4"), -5, 0), 2, 3, 4, 1);
    IS(ch_repeat(range("22"), 2, 1), 1, 1, 2, 2, 3, 3, 4, 4);
    IS(ch_repeat(range("22"), 2, 0), 1, 2, 1, 2, 3, 4, 3, 4);
    IS(ch_tile(range("12"), 2, (int64_t[]){2, 2}), 1, 2, 1, 2, 1, 2, 1, 2);
    IS(ch_grad(ch_sum_all(ch_take_along(x, i64s, 1)), x), 1, 0, 1, 0, 2, 0);
    IS(ch_grad(ch_sum_all(ch_masked_fill(x, m, 7)), x), 1, 1, 1, 0, 0, 0);
    refused(ch_take_along(x, rows, 0), "rank", "they need the same rank");
    refused(ch_index_add(x, i64s, x, 0), "rank", "a list (rank 1) is needed");
    refused(ch_tril(range("3"), 0), "rank", "two axes are needed");
    refused(ch_tile(x, 1, (int64_t[]){2}), "rank", "give one number for each axis");
    refused(ch_repeat(x, -1, 0), "argument", "at least 0");
    refused(ch_repeat(x, INT64_MAX, 1), "dim_overflow", "64 bits");
}

static ch_status draws(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    out[0] = ch_add(in[0], ch_rng_uniform(ch_rng_key(user), CH_F32, 0, NULL));
    return CH_OK;
}

static void sources_of_random_keys(void **state) {
    (void)state;
    ch_rng *a = NULL, *b = NULL, *child = NULL;
    assert_int_equal(ch_rng_create(7, &a), CH_OK);
    assert_int_equal(ch_rng_create(7, &b), CH_OK);
    uint64_t saved[2];
    uint32_t x[2], y[2], z[2];
    for (uint64_t i = 0; i < 3; i++) {
        if (i == 1) ch_rng_save(a, saved);
        assert_int_equal(ch_read_bytes(ch_rng_key(a), x, sizeof x), CH_OK);
        assert_int_equal(ch_read_bytes(ch_rng_key(b), y, sizeof y), CH_OK);
        assert_memory_equal(x, y, sizeof x);
        ch_key key = ch_key_fold(ch_key_make(7), i);
        assert_memory_equal(x, key.word, sizeof x);
    }
    ch_rng_restore(b, saved);
    assert_int_equal(ch_read_bytes(ch_rng_key(b), y, sizeof y), CH_OK);
    ch_key second = ch_key_fold(ch_key_make(7), 1);
    assert_memory_equal(y, second.word, sizeof y);
    assert_int_equal(ch_rng_split(a, &child), CH_OK);
    assert_int_equal(ch_read_bytes(ch_rng_key(child), z, sizeof z), CH_OK);
    assert_memory_not_equal(z, x, sizeof z);
    ch_rng_seed(child, 7);
    assert_int_equal(ch_read_bytes(ch_rng_key(child), z, sizeof z), CH_OK);
    ch_key first = ch_key_fold(ch_key_make(7), 0);
    assert_memory_equal(z, first.word, sizeof z);
    ch_func *f = NULL;
    assert_int_equal(ch_capture(draws, a, "x: f32[]", 1, &f), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_id(), "capture_state");
    refused(ch_rng_key(NULL), "argument", "the source is NULL");
    ch_rng_destroy(a);
    ch_rng_destroy(b);
    ch_rng_destroy(child);
    ch_rng_destroy(NULL);
}

static void what_there_is_to_call(void **state) {
    (void)state;
    int n = 0, dot = -1, optional;
    for (; ch_op_name(n) != NULL; n++) {
        assert_non_null(ch_op_what(n));
        assert_true(strlen(ch_op_what(n)) > 3);
        assert_non_null(ch_op_operands(n));
        assert_true(ch_op_max_operands(n) == -1 || ch_op_max_operands(n) >= ch_op_min_operands(n));
        if (strcmp(ch_op_name(n), "dot") == 0) dot = n;
    }
    assert_true(n > 80);
    assert_null(ch_op_what(n));
    assert_int_equal(ch_op_min_operands(n), -1);
    assert_true(dot >= 0);
    assert_string_equal(ch_op_operands(dot), "lhs rhs");
    assert_string_equal(ch_op_attribute(dot, 0, &optional), "contract");
    assert_int_equal(optional, 0);
    assert_non_null(ch_op_attribute(dot, 1, &optional));
    assert_int_equal(optional, 1);
    assert_null(ch_op_attribute(dot, 20, NULL));
    int functions = 0;
    bool softmax = false;
    for (; ch_function_name(functions) != NULL; functions++)
        if (strcmp(ch_function_name(functions), "ch_softmax") == 0) {
            softmax = true;
            assert_string_equal(ch_function_parameters(functions), "ch_tensor *x, int axis");
        }
    assert_true(softmax && functions > 60 && ch_function_what(functions) == NULL);
    ch_tensor *x = range("23"), *out[2];
    IS(ch_op("dot", 2, (ch_tensor *[]){x, range("32")}, "contract = [1]x[0], acc = f64, order = any"), 22, 28, 49, 64);
    ch_op_n("sort", 2, (ch_tensor *[]){ch_neg(x), x}, "dim = 1, descending = false", 2, out);
    IS(out[0], -3, -2, -1, -6, -5, -4);
    IS(out[1], 3, 2, 1, 6, 5, 4);
    refused(ch_op("dott", 0, NULL, ""), "unknown_op", "no operation of that name");
    ch_op_n("dott", 0, NULL, "", 2, out);
    refused(out[1], "unknown_op", "no operation of that name");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(einsum_against_loops, end_thread),
        cmocka_unit_test_teardown(windows_and_barriers, end_thread),
        cmocka_unit_test_teardown(einsum_without_result_and_with_dots, end_thread),
        cmocka_unit_test_teardown(einsum_refusals, end_thread),
        cmocka_unit_test_teardown(contract_by_names, end_thread),
        cmocka_unit_test_teardown(picking_and_placing, end_thread),
        cmocka_unit_test_teardown(sources_of_random_keys, end_thread),
        cmocka_unit_test_teardown(what_there_is_to_call, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
