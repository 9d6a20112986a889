// SPDX-License-Identifier: Apache-2.0
// test_infer_random.c - shape rules on operands and attributes drawn at random, hostile numbers among them: each gives
// types of sizes that are not negative, or a sentence that begins with the op's name (or "size:", for an overflow), and
// what it gave once it gives again when the func has the clauses it asked for.
#include <stdlib.h>

#include "unit.h"

#include "ir/ir.h"

#define ROUNDS 1500 // of every op

static uint64_t seed;
static int64_t draw(int64_t n) {
    seed = ch__hash_u64(seed + UINT64_C(0x9e3779b97f4a7c15));
    return (int64_t)(seed >> 1) % n;
}

static int64_t draw_int(void) {
    static const int64_t hostile[] = {-1, 4, 7, 16, 1000, INT64_MAX, INT64_MIN, INT64_MAX / 2, -1000};
    return draw(8) ? draw(4) : hostile[draw(sizeof hostile / sizeof *hostile)];
}

static ch__dim draw_dim(ch__arena *a) {
    ch__dim n = ch__dim_symbol(a, draw(2) ? "n" : "m");
    switch (draw(8)) {
    case 0: return n;
    case 1: return ch__dim_add(a, n, ch__dim_const(1));
    case 2: return ch__dim_floordiv(a, n, ch__dim_const(2));
    case 3: return ch__dim_const(draw_int());
    default: return ch__dim_const(draw(5));
    }
}

static const ch__type *draw_type(ch__arena *a) {
    static const ch_dtype dtypes[] = {CH_F32, CH_F32, CH_F32,  CH_F64,    CH_I32,
                                      CH_I64, CH_U8,  CH_BOOL, CH_F8E4M3, CH_C64};
    static const char *const names[] = {NULL, NULL, "a", "b"};
    ch__dim dims[4];
    const char *axes[4];
    int rank = (int)draw(5);
    for (int i = 0; i < rank; i++) {
        dims[i] = draw_dim(a);
        if (ch__dim_is_const(dims[i]) && dims[i].val < 0) dims[i].val = 2;
        axes[i] = names[draw(4)];
    }
    return ch__type_make(a, dtypes[draw(10)], rank, dims, axes);
}

// Lists have mostly one entry an axis of the first operand, and often the axes in order.
static ch__attr draw_attr(ch__arena *a, ch__attr_id id, const ch__type *first) {
    int n = first && draw(3) ? first->rank : (int)draw(5);
    bool few = id == CH__ATTR_collapsed || id == CH__ATTR_inserted || id == CH__ATTR_index_map ||
               id == CH__ATTR_operand_batch || id == CH__ATTR_indices_batch || id == CH__ATTR_batch;
    if (few && draw(3)) n = (int)draw(2);
    bool in_order = draw(2);
    switch (ch__attr_kind_of(id)) {
    case CH__AK_INTS:
    case CH__AK_PAIRS: {
        int64_t *v = CH_NEW_ARRAY(a, int64_t, 2 * n + 1);
        for (int i = 0; i < 2 * n; i++) v[i] = in_order ? i % n : draw_int();
        return ch__attr_kind_of(id) == CH__AK_INTS ? ch__attr_ints(id, n, v) : ch__attr_pairs(id, n, v);
    }
    case CH__AK_DIM: return ch__attr_dim(id, draw_dim(a));
    case CH__AK_DIMS: {
        ch__dim *v = CH_NEW_ARRAY(a, ch__dim, n + 1);
        for (int i = 0; i < n; i++)
            v[i] = in_order ? first && i < first->rank ? first->dims[i] : ch__dim_const(1) : draw_dim(a);
        return ch__attr_dims(id, n, v);
    }
    case CH__AK_ROWS: {
        int size = 1 + (int)draw(3), rows = 1 + (int)draw(3);
        int64_t *v = CH_NEW_ARRAY(a, int64_t, rows * (size + 1)), at = 0;
        for (int i = 0; i < rows * size; i++) {
            if (i % size == 0) v[at++] = draw(30) ? size : draw_int();
            v[at++] = draw(30) ? i : draw_int();
        }
        return ch__attr_rows(id, (int)at, v);
    }
    case CH__AK_STR:
        if (id == CH__ATTR_sharding) return ch__attr_str(id, first && first->rank == 1 ? "m[x=2] [{x}]" : "m[x=2] []");
        return ch__attr_str(id, id == CH__ATTR_fn ? ch__libm_at((int)draw(10))->name : "k m");
    case CH__AK_DTYPE: return ch__attr_int(id, draw(22));
    case CH__AK_ARRAY: {
        ch__array *v = CH_NEW(a, ch__array);
        v->dtype = CH_F32;
        v->splat = true;
        v->data = ch__arena_alloc(a, 8);
        return ch__attr_array(id, v);
    }
    case CH__AK_KIND: return ch__attr_int(id, draw(10));
    default: return ch__attr_int(id, draw_int());
    }
}

typedef struct random_run {
    ch__module *m;
    ch__infer in;
    char text[2][1024];
    int which;
} random_run;

static void make_module(void *arg) {
    random_run *r = arg;
    r->m = ch__module_create();
    ch_func *f = ch__func_create(r->m, "f");
    ch__func_add_dim(f, "n", 0, INT64_MAX);
    if (draw(2)) ch__func_add_dim(f, "m", 1, 64);
}

// Types of earlier operands come again; where indices, sizes and keys stand, mostly such are drawn.
static const ch__type *draw_operand(ch__arena *a, ch__opcode code, int i, const ch__type *const *before) {
    const ch__dim two = ch__dim_const(2);
    char name[32];
    ch__op_operand_name(code, i, name);
    bool index = !strncmp(name, "index", 5) || !strncmp(name, "starts", 6) || !strncmp(name, "sizes", 5);
    if (index && draw(8)) return ch__type_scalar(CH_I64);
    if (code == CH_OP_rng_bits && draw(8)) return i ? ch__type_scalar(CH_U64) : ch__type_make(a, CH_U32, 1, &two, NULL);
    if ((!strcmp(name, "indices") || !strcmp(name, "pred")) && draw(2))
        return ch__type_with_dtype(a, before[0] ? before[0] : draw_type(a), name[0] == 'p' ? CH_BOOL : CH_I32);
    if (!strcmp(name, "updates") && draw(2)) return before[0];
    if (!strcmp(name, "value") && draw(2)) return ch__type_scalar(before[0]->dtype);
    return i && draw(3) ? before[draw(i)] : draw_type(a);
}

// gather and scatter seldom fit by chance: rows of x[d0,d1] at indices[d2], with an attribute changed now and then.
static void draw_rows(ch__arena *a, int n, const ch__type **operands, int n_attrs, ch__attr *attrs) {
    static const int64_t zero = 0, one = 1;
    ch__dim d[3] = {draw_dim(a), draw_dim(a), draw_dim(a)};
    for (int i = 0; i < 3; i++)
        if (ch__dim_is_const(d[i]) && d[i].val < 0) d[i].val = 1;
    ch__dim window[2] = {d[2], d[1]}, row[2] = {ch__dim_const(1), d[1]};
    operands[0] = ch__type_make(a, CH_F32, 2, d, NULL);
    operands[1] = ch__type_make(a, CH_I32, 1, &d[2], NULL);
    if (n == 3) operands[2] = ch__type_make(a, CH_F32, 2, window, NULL);
    for (int i = 0; i < n_attrs; i++) {
        ch__attr_id id = attrs[i].id;
        if (draw(16) == 0) continue;
        if (id == CH__ATTR_collapsed || id == CH__ATTR_inserted || id == CH__ATTR_index_map)
            attrs[i] = ch__attr_ints(id, 1, &zero);
        if (id == CH__ATTR_offset_dims || id == CH__ATTR_window_dims) attrs[i] = ch__attr_ints(id, 1, &one);
        if (id == CH__ATTR_operand_batch || id == CH__ATTR_indices_batch) attrs[i] = ch__attr_ints(id, 0, NULL);
        if (id == CH__ATTR_index_dim) attrs[i] = ch__attr_int(id, 1);
        if (id == CH__ATTR_sizes) attrs[i] = ch__attr_dims(id, 2, ch__arena_dup(a, row, sizeof row));
    }
}

static void draw_op(random_run *r, ch__opcode code) {
    ch__arena *a = r->m->arena;
    const ch__op_info *info = ch__op_info_of(code);
    int n = info->max_operands < 0 ? info->min_operands + (int)draw(4) : info->max_operands;
    const ch__type **operands = CH_NEW_ARRAY(a, const ch__type *, n + 1),
                   **given = CH_NEW_ARRAY(a, const ch__type *, 8);
    for (int i = 0; i < n; i++) operands[i] = draw_operand(a, code, i, operands);
    ch__attr *attrs = CH_NEW_ARRAY(a, ch__attr, CH__ATTR_COUNT);
    int n_attrs = 0;
    for (int id = 0; id < CH__ATTR_COUNT; id++)
        if (info->attrs >> id & 1 || (info->opt >> id & 1 && draw(3) == 0))
            attrs[n_attrs++] = draw_attr(a, (ch__attr_id)id, n ? operands[0] : NULL);
    if ((code == CH_OP_gather || code == CH_OP_scatter) && draw(2)) draw_rows(a, n, operands, n_attrs, attrs);
    int n_given = !info->typed ? 0 : code == CH_OP_top_k ? 2 : 1;
    for (int i = 0; i < n_given; i++) given[i] = n && draw(2) ? operands[0] : draw_type(a);
    if (code == CH_OP_rng_bits || code == CH_OP_arg_reduce) given[0] = ch__type_with_dtype(a, draw_type(a), CH_U32);
    r->in = (ch__infer){.arena = a,
                        .func = r->m->first,
                        .code = code,
                        .n_operands = n,
                        .operands = operands,
                        .n_attrs = n_attrs,
                        .attrs = attrs,
                        .n_results = n_given,
                        .results = given};
}

static void infer_drawn(void *arg) {
    random_run *r = arg;
    ch__infer in = r->in;
    const ch__type *copy[8] = {0};
    for (int i = 0; i < in.n_results; i++) copy[i] = in.results[i];
    in.results = copy;
    ch__infer_types(&in);
    ch__text t;
    ch__text_init(&t, in.arena);
    for (int i = 0; i < in.n_results; i++) {
        ch__type_print(&t, in.results[i]);
        for (int k = 0; k < in.results[i]->rank; k++) {
            ch__dim d = in.results[i]->dims[k];
            if (ch__dim_is_const(d) && d.val < 0) ch__raise(CH__E_internal, "negative size");
        }
    }
    snprintf(r->text[r->which], sizeof r->text[0], "%s", t.n ? t.data : "");
}

static bool starts_with(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

// What came of it: 1 types, 0 a sentence.
static int one_op(ch__opcode code) {
    random_run r = {0};
    assert_int_equal(ch__protect(make_module, &r), CH_OK);
    draw_op(&r, code);
    int gave = ch__protect(infer_drawn, &r) == CH_OK;
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s: ", ch__op_name(code));
    if (!gave) {
        const char *message = ch_error_message();
        if (!starts_with(message, prefix) && !starts_with(message, "size: ")) fail_msg("%s%s", prefix, message);
        if (strcmp(ch_error_id(), "internal") == 0) fail_msg("%s", message);
    } else {
        int64_t clauses = r.m->first->requires_.n;
        r.which = 1;
        if (ch__protect(infer_drawn, &r) != CH_OK) fail_msg("%sthe second time: %s", prefix, ch_error_message());
        assert_string_equal(r.text[0], r.text[1]);
        if (r.m->first->requires_.n != clauses) {
            ch__require q = r.m->first->requires_.data[clauses];
            fail_msg("%sasks again: %s", prefix, q.why);
        }
    }
    ch__module_destroy(r.m);
    return gave;
}

static void random_ops(void **state) {
    (void)state;
    for (int code = 0; code < CH_OP_COUNT; code++) {
        if (ch__op_info_of((ch__opcode)code)->flags & CH__REGION || code == CH_OP_call) continue;
        if (code == CH_OP_push || code == CH_OP_pop || code == CH_OP_tape_new) continue; // no tapes are drawn
        seed = (uint64_t)code;
        int gave = 0;
        for (int i = 0; i < ROUNDS; i++) gave += one_op((ch__opcode)code);
        if (getenv("CH_TEST_VERBOSE")) print_message("# %s: %d of %d\n", ch__op_name((ch__opcode)code), gave, ROUNDS);
        if (gave == 0) fail_msg("%s: of %d tries none gave a type", ch__op_name((ch__opcode)code), ROUNDS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_ops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
