// SPDX-License-Identifier: Apache-2.0
// test_ir_dim.c - sizes: the canonical form against plain evaluation, on random expressions and on the identities it
// promises.
#include "unit.h"

#include "ir/ir.h"

// A random expression in two forms: as it was written, and as a size. Symbols a b c.
typedef enum { N_CONST, N_SYMBOL, N_ADD, N_SUB, N_MUL, N_DIV, N_MOD, N_MAX, N_MIN } node_kind;
typedef struct node {
    node_kind kind;
    int64_t val;
    struct node *x, *y;
} node;

static const char *const names[3] = {"a", "b", "c"};
static uint64_t seed = 12345;

static uint64_t rnd(uint64_t n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ch__hash_u64(seed) % n;
}

static node *random_node(ch__arena *a, int depth, bool polynomial) {
    node *e = CH_NEW(a, node);
    if (depth == 0 || rnd(5) == 0) {
        e->kind = rnd(2) ? N_SYMBOL : N_CONST;
        e->val = e->kind == N_SYMBOL ? (int64_t)rnd(3) : (int64_t)rnd(13) - 4;
        return e;
    }
    e->kind = N_ADD + (node_kind)rnd(polynomial ? 3 : 7);
    e->x = random_node(a, depth - 1, polynomial);
    e->y = random_node(a, depth - 1, polynomial);
    return e;
}

// The value as the operations say; false where one is not defined.
static bool plain_value(const node *e, const int64_t *at, int64_t *out) {
    int64_t x = 0, y = 0;
    if (e->kind == N_CONST || e->kind == N_SYMBOL) {
        *out = e->kind == N_CONST ? e->val : at[e->val];
        return true;
    }
    if (!plain_value(e->x, at, &x) || !plain_value(e->y, at, &y)) return false;
    switch (e->kind) {
    case N_ADD: return ch__add_i64(x, y, out);
    case N_SUB: return ch__add_i64(x, -y, out);
    case N_MUL: return ch__mul_i64(x, y, out);
    case N_DIV:
    case N_MOD:
        if (y == 0) return false;
        *out = e->kind == N_DIV ? ch__floordiv_i64(x, y) : ch__mod_i64(x, y);
        return true;
    case N_MAX: *out = x > y ? x : y; return true;
    default: *out = x < y ? x : y; return true;
    }
}

static ch__dim combine(ch__arena *a, node_kind kind, ch__dim x, ch__dim y) {
    switch (kind) {
    case N_ADD: return ch__dim_add(a, x, y);
    case N_SUB: return ch__dim_sub(a, x, y);
    case N_MUL: return ch__dim_mul(a, x, y);
    case N_DIV: return ch__dim_floordiv(a, x, y);
    case N_MOD: return ch__dim_mod(a, x, y);
    case N_MAX: return ch__dim_max(a, x, y);
    default: return ch__dim_min(a, x, y);
    }
}

static ch__dim to_dim(ch__arena *a, const node *e) {
    if (e->kind == N_CONST) return ch__dim_const(e->val);
    if (e->kind == N_SYMBOL) return ch__dim_symbol(a, names[e->val]);
    return combine(a, e->kind, to_dim(a, e->x), to_dim(a, e->y));
}

// The same expression with operands of commuting operations exchanged and sums and products regrouped.
static ch__dim to_dim_turned(ch__arena *a, const node *e) {
    if (e->kind == N_CONST || e->kind == N_SYMBOL) return to_dim(a, e);
    ch__dim x = to_dim_turned(a, e->x), y = to_dim_turned(a, e->y), one = ch__dim_const(1);
    switch (e->kind) {
    case N_ADD: return ch__dim_sub(a, ch__dim_add(a, ch__dim_add(a, y, one), x), one);
    case N_SUB: return ch__dim_add(a, ch__dim_mul(a, ch__dim_const(-1), y), x);
    case N_MUL: return ch__dim_sub(a, ch__dim_mul(a, ch__dim_add(a, y, one), x), x);
    case N_MAX:
    case N_MIN: return combine(a, e->kind, y, combine(a, e->kind, x, y));
    default: return combine(a, e->kind, x, y);
    }
}

typedef struct {
    ch__arena *a;
    const node *e;
    ch__dim d, turned;
} making;

static void make(void *arg) {
    making *m = arg;
    m->d = to_dim(m->a, m->e);
    m->turned = to_dim_turned(m->a, m->e);
}

static void random_point(int64_t at[3]) {
    for (int i = 0; i < 3; i++) at[i] = (int64_t)rnd(rnd(3) ? 12 : 1000);
}

static const char *text_of(ch__arena *a, ch__dim d) {
    ch__text t;
    ch__text_init(&t, a);
    ch__dim_print(&t, d);
    return t.data;
}

static void check_points(ch__arena *a, const node *e, ch__dim d) {
    for (int k = 0; k < 12; k++) {
        int64_t at[3], want = 0, got = 0;
        random_point(at);
        if (!plain_value(e, at, &want)) continue;
        ch__dim_env env = {3, names, at};
        if (ch__dim_eval(d, &env, &got) != CH_OK) fail_msg("%s: %s", text_of(a, d), ch_error_message());
        if (got != want)
            fail_msg("%s is %" PRId64 " at a=%" PRId64 " b=%" PRId64 " c=%" PRId64 ", should be %" PRId64,
                     text_of(a, d), got, at[0], at[1], at[2], want);
    }
}

// Where a divisor is 0 at some point both forms may be undefined there; at the others they agree.
static void random_against_evaluation(void **state) {
    (void)state;
    int made = 0;
    for (int i = 0; i < 4000; i++) {
        ch__arena *a = ch__arena_create();
        making m = {.a = a, .e = random_node(a, 1 + (int)rnd(4), false)};
        if (ch__protect(make, &m) == CH_OK) {
            made++;
            check_points(a, m.e, m.d);
            if (!ch__dim_equal(m.d, m.turned)) fail_msg("%s and %s differ", text_of(a, m.d), text_of(a, m.turned));
            assert_true(ch__dim_hash(m.d) == ch__dim_hash(m.turned));
            assert_int_equal(ch__dim_order(m.d, m.turned), 0);
        } else {
            assert_string_equal(ch_error_id(), "argument"); // a divisor that is 0 everywhere
        }
        ch__arena_destroy(a);
    }
    assert_true(made > 3000);
}

// Two polynomials that agree at many points are one.
static void equality_is_equality(void **state) {
    (void)state;
    int equal = 0;
    for (int i = 0; i < 4000; i++) {
        ch__arena *a = ch__arena_create();
        node *x = random_node(a, 2, true), *y = random_node(a, 2, true);
        ch__dim dx = to_dim(a, x), dy = to_dim(a, y);
        bool same = true;
        for (int k = 0; k < 30 && same; k++) {
            int64_t at[3] = {(int64_t)rnd(10000), (int64_t)rnd(10000), (int64_t)rnd(10000)}, vx = 0, vy = 0;
            assert_true(plain_value(x, at, &vx) && plain_value(y, at, &vy));
            same = vx == vy;
        }
        if (same != ch__dim_equal(dx, dy)) fail_msg("%s and %s", text_of(a, dx), text_of(a, dy));
        assert_int_equal(ch__dim_order(dx, dy) == 0, same);
        assert_int_equal(ch__dim_order(dx, dy), -ch__dim_order(dy, dx));
        equal += same;
        ch__arena_destroy(a);
    }
    assert_true(equal > 10);
}

static void comparison_holds_at_points(void **state) {
    (void)state;
    int known = 0;
    for (int i = 0; i < 3000; i++) {
        ch__arena *a = ch__arena_create();
        node *x = random_node(a, 2, false), *y = random_node(a, 2, false);
        making mx = {.a = a, .e = x}, my = {.a = a, .e = y};
        if (ch__protect(make, &mx) == CH_OK && ch__protect(make, &my) == CH_OK) {
            int c = ch__dim_cmp(a, mx.d, my.d);
            known += c != 2 && (mx.d.sym || my.d.sym);
            assert_int_equal(ch__dim_cmp(a, my.d, mx.d), c == 2 ? 2 : -c);
            for (int k = 0; k < 20; k++) {
                int64_t at[3], vx, vy;
                random_point(at);
                if (!plain_value(x, at, &vx)) continue;
                if (vx < ch__dim_least(mx.d)) fail_msg("%s is below its least", text_of(a, mx.d));
                if (c == 2 || !plain_value(y, at, &vy)) continue;
                if (c != (vx > vy) - (vx < vy)) fail_msg("%s against %s: %d", text_of(a, mx.d), text_of(a, my.d), c);
            }
        }
        ch__arena_destroy(a);
    }
    assert_true(known > 100);
}

typedef struct {
    ch__arena *a;
    ch__dim d, by, out;
} replacing;

static void replace_b(void *arg) {
    replacing *r = arg;
    r->out = ch__dim_subst(r->a, r->d, 1, (const char *const[]){"b"}, &r->by);
}

static int check_replaced(const node *e, const replacing *r) {
    int checked = 0;
    for (int k = 0; k < 8; k++) {
        int64_t at[3], value, want, got;
        random_point(at);
        ch__dim_env env = {3, names, at};
        if (ch__dim_eval(r->by, &env, &value) != CH_OK) continue;
        ch_status after = ch__dim_eval(r->out, &env, &got);
        at[1] = value;
        if (!plain_value(e, at, &want) || after == CH_OUT_OF_RANGE) continue;
        if (after != CH_OK || got != want)
            fail_msg("%s with b = %s: %s", text_of(r->a, r->d), text_of(r->a, r->by), text_of(r->a, r->out));
        checked++;
    }
    return checked;
}

// b is replaced by p*p + 1, which is a size wherever its symbols are.
static void substitution(void **state) {
    (void)state;
    int checked = 0;
    for (int i = 0; i < 2000; i++) {
        ch__arena *a = ch__arena_create();
        node *e = random_node(a, 3, false);
        making m = {.a = a, .e = e};
        ch__dim p = to_dim(a, random_node(a, 2, true));
        if (ch__protect(make, &m) == CH_OK) {
            assert_true(ch__dim_equal(ch__dim_copy(a, m.d), m.d));
            assert_true(ch__dim_equal(ch__dim_subst(a, m.d, 0, NULL, NULL), m.d));
            replacing r = {.a = a, .d = m.d, .by = ch__dim_add(a, ch__dim_mul(a, p, p), ch__dim_const(1))};
            if (ch__protect(replace_b, &r) == CH_OK)
                checked += check_replaced(e, &r);
            else
                assert_string_equal(ch_error_id(), "argument"); // a divisor became 0
        }
        ch__arena_destroy(a);
    }
    assert_true(checked > 10000);
}

// For random polynomials p, q: division and remainder of p*q by q go away.
static void division_of_products(void **state) {
    (void)state;
    for (int i = 0; i < 2000; i++) {
        ch__arena *a = ch__arena_create();
        ch__dim p = to_dim(a, random_node(a, 2, true)), q = to_dim(a, random_node(a, 2, true));
        if (!ch__dim_is_const(q) || q.val != 0) {
            ch__dim pq = ch__dim_mul(a, p, q);
            if (!ch__dim_equal(ch__dim_floordiv(a, pq, q), p)) fail_msg("(%s) * (%s)", text_of(a, p), text_of(a, q));
            assert_true(ch__dim_equal(ch__dim_mod(a, pq, q), ch__dim_const(0)));
        }
        int64_t k = 2 + (int64_t)rnd(9), r = (int64_t)rnd((uint64_t)k);
        ch__dim shifted = ch__dim_add(a, ch__dim_mul(a, p, ch__dim_const(k)), ch__dim_const(r));
        assert_true(ch__dim_equal(ch__dim_floordiv(a, shifted, ch__dim_const(k)), p));
        assert_true(ch__dim_equal(ch__dim_mod(a, shifted, ch__dim_const(k)), ch__dim_const(r)));
        ch__arena_destroy(a);
    }
}

// ---------------------------------------------------------------- the forms by example
static ch__arena *A;
static ch__dim K(int64_t v) { return ch__dim_const(v); }
static ch__dim S(const char *name) { return ch__dim_symbol(A, name); }
static ch__dim add(ch__dim x, ch__dim y) { return ch__dim_add(A, x, y); }
static ch__dim mul(ch__dim x, ch__dim y) { return ch__dim_mul(A, x, y); }
static ch__dim sub(ch__dim x, ch__dim y) { return ch__dim_sub(A, x, y); }
static ch__dim fdiv(ch__dim x, ch__dim y) { return ch__dim_floordiv(A, x, y); }
static ch__dim mod(ch__dim x, ch__dim y) { return ch__dim_mod(A, x, y); }
static ch__dim max(ch__dim x, ch__dim y) { return ch__dim_max(A, x, y); }
static ch__dim min(ch__dim x, ch__dim y) { return ch__dim_min(A, x, y); }
#define FORM(d, text) assert_string_equal(text_of(A, (d)), (text))

static void forms(void *arg) {
    (void)arg;
    A = ch__arena_create();
    ch__dim n = S("n"), m = S("m");
    FORM(K(-3), "-3");
    FORM(n, "n");
    FORM(add(K(1), mul(K(2), n)), "2*n + 1");
    FORM(sub(K(1), n), "-n + 1");
    FORM(sub(mul(K(-2), n), K(7)), "-2*n - 7");
    FORM(mul(add(n, K(1)), add(n, m)), "m*n + n*n + m + n");
    FORM(add(S("b"), add(S("a"), mul(S("z"), S("c")))), "c*z + a + b");
    FORM(sub(add(n, m), n), "m");
    FORM(sub(n, n), "0");
    FORM(mul(n, K(0)), "0");
    // floordiv
    FORM(fdiv(mul(n, K(784)), K(784)), "n");
    FORM(fdiv(add(mul(K(2), n), K(4)), K(2)), "n + 2");
    FORM(fdiv(n, K(1)), "n");
    FORM(fdiv(n, n), "1");
    FORM(fdiv(K(0), n), "0");
    FORM(fdiv(mul(K(5), n), K(4)), "n + floordiv(n, 4)");
    FORM(fdiv(add(n, K(1)), K(2)), "floordiv(n + 1, 2)");
    FORM(add(fdiv(sub(n, K(3)), K(2)), K(1)), "floordiv(n + 1, 2) - 1");
    FORM(fdiv(mul(K(2), n), K(6)), "floordiv(n, 3)");
    FORM(fdiv(fdiv(add(n, K(1)), K(2)), K(3)), "floordiv(n + 1, 6)");
    FORM(fdiv(n, K(-2)), "-n + floordiv(n, 2)");
    FORM(fdiv(mul(n, m), m), "n");
    FORM(fdiv(add(mul(n, m), K(3)), m), "n + floordiv(3, m)");
    FORM(fdiv(mod(n, K(4)), K(4)), "0");
    FORM(fdiv(K(7), K(-2)), "-4");
    FORM(fdiv(sub(mul(n, n), mul(m, m)), sub(n, m)), "m + n");
    // mod
    FORM(mod(mul(K(6), n), K(6)), "0");
    FORM(mod(add(mul(K(5), n), K(7)), K(4)), "mod(n + 3, 4)");
    FORM(mod(mul(K(2), n), K(6)), "2*mod(n, 3)");
    FORM(mod(mod(n, K(8)), K(4)), "mod(n, 4)");
    FORM(mod(mod(n, K(4)), K(8)), "mod(n, 4)");
    FORM(mod(add(mul(n, m), K(3)), m), "mod(3, m)");
    FORM(mod(n, K(1)), "0");
    FORM(mod(n, n), "0");
    FORM(mod(n, mod(m, K(2))), "0"); // the divisor is 1 where the value is defined
    FORM(max(mod(n, mod(m, K(2))), n), "n");
    FORM(mod(K(-7), K(3)), "2");
    FORM(mod(K(7), K(-3)), "-2");
    // max, min
    FORM(max(n, K(0)), "n");
    FORM(min(n, K(0)), "0");
    FORM(max(n, add(n, K(2))), "n + 2");
    FORM(max(n, m), "max(m, n)");
    FORM(max(m, max(n, m)), "max(m, n)");
    FORM(max(max(n, S("k")), m), text_of(A, max(n, max(m, S("k")))));
    FORM(max(K(3), max(n, K(5))), "max(n, 5)");
    FORM(min(max(n, K(3)), K(2)), "2");
    FORM(max(mod(n, K(4)), K(9)), "9");
    FORM(min(n, n), "n");
    FORM(mul(K(INT64_MIN), n), "-9223372036854775808*n");
    FORM(add(m, mul(K(INT64_MIN), n)), "m + -9223372036854775808*n");
    const char *name = NULL;
    assert_true(ch__dim_is_symbol(n, &name));
    assert_string_equal(name, "n");
    assert_false(ch__dim_is_symbol(add(n, K(1)), NULL));
    assert_false(ch__dim_is_symbol(mul(n, n), NULL));
    assert_false(ch__dim_is_symbol(K(4), NULL));
    ch__arena_destroy(A);
}

static void examples(void **state) {
    (void)state;
    assert_int_equal(ch__protect(forms, NULL), CH_OK);
}

// ---------------------------------------------------------------- what is refused
static void overflow_add(void *arg) {
    (void)arg;
    add(mul(K(INT64_MAX), S("n")), S("n"));
}
static void overflow_const(void *arg) {
    (void)arg;
    add(K(INT64_MAX), K(1));
}
static void overflow_sub(void *arg) {
    (void)arg;
    sub(K(-2), K(INT64_MAX));
}
static void overflow_mul(void *arg) {
    (void)arg;
    mul(mul(K(INT64_C(1) << 40), S("n")), K(INT64_C(1) << 40));
}
static void overflow_div(void *arg) {
    (void)arg;
    fdiv(S("n"), K(INT64_MIN));
}
static void zero_div(void *arg) {
    (void)arg;
    fdiv(S("n"), K(0));
}
static void zero_mod(void *arg) {
    (void)arg;
    mod(K(3), K(0));
}
static void too_deep(void *arg) {
    (void)arg;
    ch__dim d = S("n");
    for (int i = 0; i < 100; i++) d = add(fdiv(d, S("m")), K(1));
}
static void too_large(void *arg) {
    (void)arg;
    ch__dim d = add(add(S("n"), S("m")), add(S("k"), S("j")));
    for (int i = 0; i < 8; i++) d = mul(d, d);
}

static void refused(void **state) {
    (void)state;
    static const struct {
        void (*fn)(void *);
        const char *id, *message;
    } rows[] = {
        {overflow_add, "dim_overflow",
         "size: the sum of 9223372036854775807*n and n — a coefficient does not fit in 64 bits"},
        {overflow_const, "dim_overflow",
         "size: the sum of 9223372036854775807 and 1 — a coefficient does not fit in 64 bits"},
        {overflow_sub, "dim_overflow",
         "size: the difference of -2 and 9223372036854775807 — a coefficient does not fit in 64 bits"},
        {overflow_mul, "dim_overflow",
         "size: the product of 1099511627776*n and 1099511627776 — a coefficient does not fit in 64 bits"},
        {overflow_div, "dim_overflow",
         "size: floordiv of n and -9223372036854775808 — a coefficient does not fit in 64 bits"},
        {zero_div, "argument", "size: floordiv of n and 0 — the divisor must not be 0"},
        {zero_mod, "argument", "size: mod of 3 and 0 — the divisor must not be 0"},
        {too_deep, "limit",
         "size: nesting makes an expression of more than 4096 parts or 64 levels — use fewer symbols"},
        {too_large, "limit",
         "size: the product makes an expression of more than 4096 parts or 64 levels — use fewer symbols"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        A = ch__arena_create();
        assert_int_not_equal(ch__protect(rows[i].fn, NULL), CH_OK);
        assert_string_equal(ch_error_id(), rows[i].id);
        assert_string_equal(ch_error_message(), rows[i].message);
        ch__arena_destroy(A);
    }
}

static void values_refused(void **state) {
    (void)state;
    A = ch__arena_create();
    int64_t out = 0, at[2] = {INT64_MAX, 0};
    const char *const two[] = {"n", "m"};
    ch__dim_env env = {2, two, at};
    assert_int_equal(ch__dim_eval(S("k"), &env, &out), CH_NOT_FOUND);
    assert_string_equal(ch_error_message(), "size: the symbol k has no value here");
    assert_int_equal(ch__dim_eval(add(S("n"), K(1)), &env, &out), CH_OUT_OF_RANGE);
    assert_string_equal(ch_error_message(), "size: 9223372036854775807 + 1 — does not fit in 64 bits");
    assert_int_equal(ch__dim_eval(mul(S("n"), K(2)), &env, &out), CH_OUT_OF_RANGE);
    assert_string_equal(ch_error_message(), "size: 2 * 9223372036854775807 — does not fit in 64 bits");
    assert_int_equal(ch__dim_eval(fdiv(S("n"), S("m")), &env, &out), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "size: floordiv of 9223372036854775807 and 0 — the divisor must not be 0");
    at[0] = INT64_MIN;
    at[1] = -1;
    assert_int_equal(ch__dim_eval(fdiv(S("n"), S("m")), &env, &out), CH_OUT_OF_RANGE);
    assert_int_equal(ch__dim_eval(mod(S("n"), S("m")), &env, &out), CH_OK);
    assert_int_equal(out, 0);
    ch__arena_destroy(A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_against_evaluation),
        cmocka_unit_test(equality_is_equality),
        cmocka_unit_test(comparison_holds_at_points),
        cmocka_unit_test(substitution),
        cmocka_unit_test(division_of_products),
        cmocka_unit_test(examples),
        cmocka_unit_test(refused),
        cmocka_unit_test(values_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
