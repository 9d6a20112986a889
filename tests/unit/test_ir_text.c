// SPDX-License-Identifier: Apache-2.0
// test_ir_text.c - IR text through the public functions and the pieces of text that other layers read; speed, memory
// that ends. What the grammar reads and refuses is in tests/golden.
#include "unit.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ir/ir.h"

#define SQUARE "chaac-ir 1\nfunc @square(%x: f32[n]) -> f32[n] {\n  %y = mul %x, %x : f32[n]\n  return %y\n}\n"

static void assert_error(ch_status got, ch_status want, const char *id, const char *message) {
    assert_int_equal(got, want);
    assert_string_equal(ch_error_id(), id);
    assert_string_equal(ch_error_message(), message);
}

// ---------------------------------------------------------------- public functions
static void parse_and_print(void **state) {
    (void)state;
    ch_func *f = NULL;
    assert_int_equal(ch_func_parse(SQUARE, "square.ir", &f), CH_OK);
    assert_string_equal(ch_func_name(f), "square");
    char *text = NULL;
    assert_int_equal(ch_func_to_text(f, &text), CH_OK);
    assert_string_equal(text, SQUARE);
    ch_string_free(text);
    ch_string_free(NULL);

    char buffer[256] = {0};
    FILE *file = fmemopen(buffer, sizeof buffer, "w");
    assert_non_null(file);
    assert_int_equal(ch_func_print(f, file), CH_OK);
    fclose(file);
    assert_string_equal(buffer, SQUARE);
    ch_func_destroy(f);
}

static void the_last_func_with_what_it_calls(void **state) {
    (void)state;
    const char *text = "chaac-ir 1\n"
                       "func @unused(%x: f32[]) -> f32[] {\n  return %x\n}\n"
                       "func @main(%x: f32[]) -> f32[] {\n  %0 = call @later(%x) : f32[]\n  return %0\n}\n"
                       "func @later(%x: f32[]) -> f32[] {\n  %0 = neg %x : f32[]\n  return %0\n}\n"
                       "func @top(%x: f32[]) -> f32[] {\n  %0 = call @main(%x) : f32[]\n  return %0\n}\n";
    ch_func *f = NULL;
    assert_int_equal(ch_func_parse(text, "many.ir", &f), CH_OK);
    char *out = NULL;
    assert_int_equal(ch_func_to_text(f, &out), CH_OK);
    assert_null(strstr(out, "@unused"));
    assert_true(strstr(out, "func @main") < strstr(out, "func @later"));
    assert_true(strstr(out, "func @later") < strstr(out, "func @top"));
    assert_int_equal(ch_func_num_ops(f), 3);
    ch_string_free(out);
    ch_func_destroy(f);
}

static void load_by_name(void **state) {
    (void)state;
    char path[] = "/tmp/chaac-ir-text-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    const char *text = "chaac-ir 1\nfunc @a(%x: f32[]) -> f32[] {\n  return %x\n}\nfunc @b(%x: f64[]) -> f64[] {\n"
                       "  return %x\n}\n";
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    ch_func *f = NULL;
    assert_int_equal(ch_func_load(path, "a", &f), CH_OK);
    assert_string_equal(ch_func_name(f), "a");
    ch_func_destroy(f);
    assert_int_equal(ch_func_load(path, NULL, &f), CH_OK);
    assert_string_equal(ch_func_name(f), "b");
    ch_func_destroy(f);
    char message[512];
    snprintf(message, sizeof message, "%s: no func @c — there is @a, @b", path);
    assert_error(ch_func_load(path, "c", &f), CH_NOT_FOUND, "unknown_func", message);
    unlink(path);
    assert_int_equal(ch_func_load(path, NULL, &f), CH_NOT_FOUND);
    assert_string_equal(ch_error_id(), "file");
}

static void wrong_arguments(void **state) {
    (void)state;
    ch_func *f = NULL;
    char *text = NULL;
    ch_status bad = CH_INVALID_ARGUMENT;
    assert_error(ch_func_parse(NULL, "x", &f), bad, "argument", "ch_func_parse: text is NULL");
    assert_error(ch_func_parse(SQUARE, "x", NULL), bad, "argument", "ch_func_parse: out_func is NULL");
    assert_error(ch_func_load(NULL, NULL, &f), bad, "argument", "ch_func_load: path is NULL");
    assert_error(ch_func_load("x", NULL, NULL), bad, "argument", "ch_func_load: out_func is NULL");
    assert_error(ch_func_print(NULL, stdout), bad, "argument", "ch_func_print: f is NULL");
    assert_error(ch_func_to_text(NULL, &text), bad, "argument", "ch_func_to_text: f is NULL");
    assert_error(ch_func_parse("chaac-ir 1\n", "empty.ir", &f), bad, "parse", "empty.ir: the text holds no func");
    assert_int_equal(ch_func_parse(SQUARE, "square.ir", &f), CH_OK);
    assert_error(ch_func_print(f, NULL), bad, "argument", "ch_func_print: file is NULL");
    assert_error(ch_func_to_text(f, NULL), bad, "argument", "ch_func_to_text: out_text is NULL");
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        assert_error(ch_func_print(f, full), CH_NOT_FOUND, "file", "ch_func_print: the file could not be written");
        fclose(full);
    }
    ch_func_destroy(f);
}

static void a_name_is_optional(void **state) {
    (void)state;
    ch_func *f = NULL;
    assert_error(ch_func_parse("func", NULL, &f), CH_INVALID_ARGUMENT, "parse",
                 "text:1:1: IR text begins with the line 'chaac-ir 1'\nfunc\n^");
}

// ---------------------------------------------------------------- pieces of text
typedef struct piece {
    const char *text;
    ch__opcode code;
    char out[512];
} piece;

static void read_signature(void *arg) {
    piece *p = arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "f");
    ch__parse_signature(f, p->text);
    ch__func_set_results(f, 0, NULL, NULL);
    ch__text t;
    ch__text_init(&t, m->arena);
    ch__print_func(&t, f);
    snprintf(p->out, sizeof p->out, "%.*s", (int)strcspn(t.data, "{"), t.data);
    ch__module_destroy(m);
}

static void read_type(void *arg) {
    piece *p = arg;
    ch__arena *a = ch__arena_create();
    snprintf(p->out, sizeof p->out, "%s", ch__type_text(a, ch__parse_type(a, p->text)));
    ch__arena_destroy(a);
}

static void read_attrs(void *arg) {
    piece *p = arg;
    ch__arena *a = ch__arena_create();
    ch__attr *attrs;
    int n = ch__parse_attrs(a, p->code, p->text, &attrs), at = 0;
    for (int i = 0; i < n; i++)
        at += snprintf(p->out + at, sizeof p->out - (size_t)at, "%s%s", i ? " " : "", ch__attr_name(attrs[i].id));
    ch__arena_destroy(a);
}

static const char *tried(void (*read)(void *), ch__opcode code, const char *text) {
    static piece p;
    p = (piece){.text = text, .code = code};
    return ch__protect(read, &p) == CH_OK ? p.out : ch_error_message();
}

static void signatures(void **state) {
    (void)state;
    assert_string_equal(tried(read_signature, 0, "x: f32[n,784], y: i32[n]"),
                        "func @f(%x: f32[n,784], %y: i32[n]) -> () ");
    assert_string_equal(tried(read_signature, 0, "<n in 1..64> %x: f32[batch:2*n]"),
                        "func @f<n in 1..64>(%x: f32[batch:2*n]) -> () ");
    assert_string_equal(tried(read_signature, 0, ""), "func @f() -> () ");
    assert_string_equal(tried(read_signature, 0, "x: f32[n,784], y: i23[n]"),
                        "signature:1:19: no dtype 'i23' — did you mean 'i32'?\nx: f32[n,784], y: i23[n]\n"
                        "                  ^");
    assert_string_equal(ch_error_id(), "signature");
    assert_string_equal(tried(read_signature, 0, "x f32[n]"),
                        "signature:1:3: expected ':' after the name, got 'f32'\nx f32[n]\n  ^");
    assert_string_equal(tried(read_signature, 0, "x: f32[n], x: f32[n]"),
                        "signature:1:12: %x is defined twice — first on line 1\nx: f32[n], x: f32[n]\n           ^");
    assert_string_equal(ch_error_id(), "signature");
}

static void types(void **state) {
    (void)state;
    assert_string_equal(tried(read_type, 0, "bf16[batch:n, 3 + m*2]"), "bf16[batch:n, 2*m + 3]");
    assert_string_equal(tried(read_type, 0, "tape<f32[4]>"), "tape<f32[4]>");
    assert_string_equal(tried(read_type, 0, "f32[4] x"),
                        "type:1:8: expected the end of the type, got 'x'\nf32[4] x\n       ^");
    assert_string_equal(ch_error_id(), "parse");
}

static void attributes(void **state) {
    (void)state;
    assert_string_equal(tried(read_attrs, CH_OP_reduce, "order = any, dims = [0,1], kind = sum"), "kind dims order");
    assert_string_equal(tried(read_attrs, CH_OP_neg, ""), "");
    assert_string_equal(tried(read_attrs, CH_OP_reduce, "dims = [0,1], sort = sum"),
                        "attributes:1:15: reduce: no attribute 'sort' — it takes kind, dims, acc, order, tie\n"
                        "dims = [0,1], sort = sum\n              ^");
    assert_string_equal(ch_error_id(), "attribute");
    assert_string_equal(
        tried(read_attrs, CH_OP_const, "value = 1"),
        "attributes:1:9: const: data is not given as text — make a tensor from it\nvalue = 1\n        ^");
}

// ---------------------------------------------------------------- for messages
static void print_pieces(void *arg) {
    char *out = arg;
    ch__module *m = ch__parse_module(SQUARE, strlen(SQUARE), "square.ir");
    ch__text t;
    ch__text_init(&t, m->arena);
    ch__op *op = m->first->body->first;
    assert_string_equal(op->loc->file, "square.ir");
    assert_int_equal(op->loc->line, 3);
    ch__print_op(&t, op);
    ch__putc(&t, '|');
    op->results[0].name = NULL;
    ch__print_value(&t, &op->results[0]);
    ch__putc(&t, '|');
    ch__print_value(&t, m->first->body->params[0]);
    snprintf(out, 200, "%s", t.data);
    ch__module_destroy(m);
}

static void ops_and_values_in_messages(void **state) {
    (void)state;
    char out[200];
    assert_int_equal(ch__protect(print_pieces, out), CH_OK);
    assert_string_equal(out, "%y = mul %x, %x : f32[n]|%0|%x");
}

// ---------------------------------------------------------------- limits of time and memory
// Of this program alone: the machine may have other things to do.
static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static char *chain(int ops) {
    char *text = malloc((size_t)ops * 48 + 100), *at = text;
    assert_non_null(text);
    at += sprintf(at, "chaac-ir 1\nfunc @chain(%%x: f64[n]) -> f64[n] {\n  %%0 = neg %%x : f64[n]\n");
    for (int i = 1; i < ops; i++) at += sprintf(at, "  %%%d = mul %%%d, %%x : f64[n]\n", i, i - 1);
    sprintf(at, "  return %%%d\n}\n", ops - 1);
    return text;
}

static double seconds_to_print(int ops, double *to_parse) {
    char *text = chain(ops), *out = NULL;
    ch_func *f = NULL;
    double t0 = cpu_seconds();
    assert_int_equal(ch_func_parse(text, "chain", &f), CH_OK);
    double t1 = cpu_seconds(), best = 1e9;
    for (int i = 0; i < 3; i++) {
        double t2 = cpu_seconds();
        assert_int_equal(ch_func_to_text(f, &out), CH_OK);
        double t = cpu_seconds() - t2;
        best = t < best ? t : best;
        assert_string_equal(out, text);
        ch_string_free(out);
    }
    ch_func_destroy(f);
    free(text);
    if (to_parse) *to_parse = t1 - t0;
    return best;
}

static void fast_and_linear(void **state) {
    (void)state;
    double parse_small, parse_large, small = seconds_to_print(5000, &parse_small),
                                     large = seconds_to_print(100000, &parse_large);
    print_message("# 5,000 ops: printed in %.1f ms, read in %.1f ms; 100,000: %.1f and %.1f ms\n", small * 1e3,
                  parse_small * 1e3, large * 1e3, parse_large * 1e3);
    assert_true(small < 0.05);
    assert_true(large < 40 * small + 0.1);
    assert_true(parse_large < 40 * parse_small + 0.1);
}

// Each way in which text can grow: the time stays in proportion.
static void hostile_texts_are_linear(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "(", "[", "{", "{a=", "func @f", "\"", "%x=", "// ", "<", "-", "f32[n*", "1,", "if %a{"};
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        size_t n = strlen(pieces[k]), times = 400000 / n;
        char *text = malloc(n * times + 200), *at = text;
        assert_non_null(text);
        at += sprintf(at, "chaac-ir 1\nfunc @f(%%x: f32[n]) -> f32[n] {\n  %%y = const {value = ");
        for (size_t i = 0; i < times; i++, at += n) memcpy(at, pieces[k], n);
        *at = 0;
        ch_func *f = NULL;
        double t = cpu_seconds();
        assert_int_not_equal(ch_func_parse(text, "hostile", &f), CH_OK);
        assert_true(cpu_seconds() - t < 2);
        free(text);
    }
}

// Sizes that multiply: refused, or done at once.
static void hostile_sizes_are_refused(void **state) {
    (void)state;
    char text[20000], *at = text;
    at += sprintf(at, "chaac-ir 1\nfunc @f(%%x: f32[1");
    for (int i = 0; i < 200; i++) at += sprintf(at, "*(s%d + s%d + 1)", 2 * (i % 100), 2 * (i % 100) + 1);
    sprintf(at, "]) -> () {\n  return\n}\n");
    ch_func *f = NULL;
    double t = cpu_seconds();
    assert_int_equal(ch_func_parse(text, "sizes", &f), CH_RESOURCE_EXHAUSTED);
    assert_string_equal(ch_error_id(), "limit");
    assert_true(cpu_seconds() - t < 2);
}

static void memory_that_ends(void **state) {
    (void)state;
    const char *text = "chaac-ir 1\nfunc @f(%x: f32[batch:n, 3], %k: i64[]) -> f32[batch:n, 3] {\n"
                       "  %c = const {value = [1, 2, 3]} : f32[3]\n"
                       "  %b = broadcast %c {dims = [1]} : f32[batch:n, 3]\n"
                       "  %r = for %i = %k to %k step %k iter(%a = %x) {\n    %s = add %a, %b : f32[batch:n, 3]\n"
                       "    yield %s\n  } : f32[batch:n, 3]\n  return %r\n}\n";
    for (int64_t n = 1;; n++) {
        ch_func *f = NULL;
        char *out = NULL;
        int64_t live = ch__alloc_live();
        ch__alloc_fail_at(n, true);
        ch_status s = ch_func_parse(text, "f.ir", &f);
        if (s == CH_OK) s = ch_func_to_text(f, &out);
        ch__alloc_fail_at(0, false);
        bool done = s == CH_OK;
        if (!done) assert_string_equal(ch_error_id(), "out_of_memory");
        ch_string_free(out);
        ch_func_destroy(f);
        assert_int_equal(ch__alloc_live(), live);
        if (done) break;
        assert_true(n < 10000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_and_print),
        cmocka_unit_test(the_last_func_with_what_it_calls),
        cmocka_unit_test(load_by_name),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(a_name_is_optional),
        cmocka_unit_test(signatures),
        cmocka_unit_test(types),
        cmocka_unit_test(attributes),
        cmocka_unit_test(ops_and_values_in_messages),
        cmocka_unit_test(fast_and_linear),
        cmocka_unit_test(hostile_texts_are_linear),
        cmocka_unit_test(hostile_sizes_are_refused),
        cmocka_unit_test(memory_that_ends),
    };
    return cmocka_run_group_tests_name("ir text", tests, NULL, NULL);
}
