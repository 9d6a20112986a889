// SPDX-License-Identifier: Apache-2.0
// test_kernels.c - kernels: composites that a session gives to code of the device: [--mock] PLUGIN... TAP.
//
// The handler gives other numbers than the reference does, so that it is seen which of the two ran. What a lowering is
// shown, what it may say, when the reference runs, when that is refused; gradients, tensors, several devices, the text.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "chaac/chaac.h"

static bool mock;

// y = 2 x + b; the handler adds 100 more.
static const char one_kernel[] =
    "chaac-ir 1\n"
    "func @one(%x: f32[n,3], %b: f32[3]) -> f32[n,3] {\n"
    "  %y = composite \"NAME\"(%u = %x, %v = %b) {version = 2, args = \"heads = 4\", kernel = \"\"} {\n"
    "    %w = broadcast %v {dims = [1]} : f32[n,3]\n"
    "    %s = add %u, %u : f32[n,3]\n"
    "    %t = add %s, %w : f32[n,3]\n"
    "    yield %t\n"
    "  } : f32[n,3]\n"
    "  return %y\n"
    "}\n";

static ch_func *kernel_func(const char *name) {
    char text[1000], *at = text;
    ch_func *f = NULL;
    const char *mark = strstr(one_kernel, "NAME");
    at += snprintf(at, sizeof text, "%.*s%s", (int)(mark - one_kernel), one_kernel, name);
    snprintf(at, sizeof text - (size_t)(at - text), "%s", mark + 4);
    if (ch_func_parse(text, "one.ir", &f) != CH_OK) printf("# %s\n", ch_error_message());
    return f;
}

// ---------------------------------------------------------------- the device's code
static ch_status plus_100(ch_ffi_call *call, void *user) {
    ch_ffi_array x, b, y;
    int64_t heads = 4;
    (void)user;
    CH_TRY(ch_ffi_arg(call, 0, &x));
    CH_TRY(ch_ffi_arg(call, 1, &b));
    CH_TRY(ch_ffi_result(call, 0, &y));
    if (!mock) CH_TRY(ch_ffi_attr_i64(call, "heads", &heads));
    if (heads != 4 || x.dtype != CH_F32 || x.rank != 2 || b.count != 3 || y.count != x.count)
        return ch_ffi_fail(call, CH_INVALID_ARGUMENT, "not what was lowered");
    for (int64_t i = 0; i < x.count; i++)
        ((float *)y.data)[i] = 2 * ((const float *)x.data)[i] + ((const float *)b.data)[i % 3] + 100;
    return CH_OK;
}

// ---------------------------------------------------------------- lowerings
static char shown[2000]; // what lowerings were asked, a line each

static ch_status lower_to(const ch_kernel_op *op, void *user) {
    size_t n = strlen(shown);
    n += (size_t)snprintf(shown + n, sizeof shown - n, "%s %s v%d (%s)", ch_target_name(op->target), op->name,
                          (int)op->version, op->args);
    for (int i = 0; i < op->n_operands + op->n_results; i++) {
        const ch_kernel_type *t = i < op->n_operands ? &op->operands[i] : &op->results[i - op->n_operands];
        n += (size_t)snprintf(shown + n, sizeof shown - n, "%s%s[", i == op->n_operands ? " -> " : " ",
                              ch_dtype_name(t->dtype));
        for (int d = 0; d < t->rank; d++)
            n += (size_t)snprintf(shown + n, sizeof shown - n, "%s%d", d > 0 ? "," : "", (int)t->dims[d]);
        n += (size_t)snprintf(shown + n, sizeof shown - n, "]");
    }
    snprintf(shown + n, sizeof shown - n, "\n");
    CH_TRY(ch_kernel_call(op, "not.this", "text"));
    return ch_kernel_call(op, user, "{heads = 4 : i64}"); // the last word counts
}
static ch_status lower_to_text(const ch_kernel_op *op, void *user) {
    return ch_kernel_call(op, "tpu_custom_call", user);
}
static ch_status lower_plainly(const ch_kernel_op *op, void *user) { return ch_kernel_call(op, user, NULL); }
static ch_status declines(const ch_kernel_op *op, void *user) {
    return op->n_operands == 2 || user ? CH_OK : CH_INTERNAL;
}
static ch_status fails(const ch_kernel_op *op, void *user) {
    (void)user;
    return ch_error_set("unsupported", "\"%s\" is for heads of 128 — these are of 3", op->name);
}
static ch_status fails_silently(const ch_kernel_op *op, void *user) {
    (void)user;
    CH_TRY(ch_kernel_call(op, "dropped", NULL));
    return CH_UNAVAILABLE;
}
static ch_status bad_name(const ch_kernel_op *op, void *user) { return ch_kernel_call(op, user, NULL); }

static void registering(void) {
    ok(refused(ch_lowering_register((ch_target)9, "k", declines, NULL), CH_INVALID_ARGUMENT, "target 9 — CH_CPU") &&
           refused(ch_lowering_register(CH_CPU, NULL, declines, NULL), CH_INVALID_ARGUMENT, "the name is NULL") &&
           refused(ch_lowering_register(CH_CPU, "", declines, NULL), CH_INVALID_ARGUMENT,
                   "a name of 0 bytes — 1 to 255") &&
           refused(ch_lowering_register(CH_CPU, "k", NULL, NULL), CH_INVALID_ARGUMENT, "the function is NULL"),
       "targets, names and functions that are none");
    static char one[] = "k.plus_100", bad[] = "a b", none[] = "", config[] = "a \"body\"", odd[] = "odd-name";
    bool good = ch_lowering_register(CH_CPU, "lowered", lower_to, one) == CH_OK &&
                ch_lowering_register(CH_TPU, "elsewhere", lower_to, one) == CH_OK &&
                ch_lowering_register(CH_CPU, "texted", lower_to_text, config) == CH_OK &&
                ch_lowering_register(CH_CPU, "plain", lower_plainly, odd) == CH_OK &&
                ch_lowering_register(CH_CPU, "declined", declines, NULL) == CH_OK &&
                ch_lowering_register(CH_CPU, "failing", fails, NULL) == CH_OK &&
                ch_lowering_register(CH_CPU, "silent", fails_silently, NULL) == CH_OK &&
                ch_lowering_register(CH_CPU, "bad", bad_name, bad) == CH_OK &&
                ch_lowering_register(CH_CPU, "unnamed", bad_name, none) == CH_OK &&
                ch_lowering_register(CH_CPU, "null", bad_name, NULL) == CH_OK;
    ok(good, "lowerings before any session");
    ok(refused(ch_lowering_register(CH_CPU, "lowered", declines, NULL), CH_INVALID_ARGUMENT,
               "\"lowered\" has a lowering for cpu already") &&
           ch_lowering_register(CH_CUDA, "lowered", declines, NULL) == CH_OK,
       "one of a name for a target");
    ok(refused(ch_kernel_call(NULL, "x", NULL), CH_INVALID_ARGUMENT, "kernel call: the kernel is NULL — give one"),
       "a call of no kernel");
}

// ---------------------------------------------------------------- runs
// Runs f on rows x 3 numbers; by: 2 x + b + by is what came. false with the session's error else.
static ch_status last; // of a run

static bool adds(ch_session *s, const ch_func *f, int rows, float by) {
    float v[15], b[3] = {1, 2, 3}, got[15] = {0};
    for (int i = 0; i < 15; i++) v[i] = (float)i;
    ch_tensor *in[2] = {ch_from_f32(v, 2, (int64_t[]){rows, 3}), ch_from_f32(b, 1, (int64_t[]){3})}, *out = NULL;
    last = ch_session_run(s, f, 2, in, 1, &out);
    if (last != CH_OK) return false;
    bool good = ch_read_f32(out, got, (size_t)rows * 3) == CH_OK;
    for (int i = 0; i < rows * 3; i++) good = good && got[i] == 2 * v[i] + b[i % 3] + by;
    ch_release(out);
    return good;
}

static bool run_refused(ch_session *s, const char *kernel, ch_status want, const char *sentence) {
    ch_func *f = kernel_func(kernel);
    bool good = !adds(s, f, 2, 0) && refused(last, want, sentence);
    ch_func_destroy(f);
    return good;
}

static bool explains(ch_session *s, const char *words) {
    FILE *file = tmpfile();
    char text[8000];
    if (file == NULL || ch_session_explain(s, file) != CH_OK) return false;
    rewind(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    return strstr(text, words) != NULL;
}

static void by_reference(ch_session *s) {
    ch_func *f = kernel_func("unheard");
    ch_session_counters c;
    ok(adds(s, f, 2, 0), "without a lowering the reference runs");
    ch_session_count(s, &c);
    ok(c.kernels == 0 && c.references == 1 && c.emissions == 1, "and is counted");
    ok(explains(s, "kernels by their reference: \"unheard\"\n"), "and explained");
    ch_func_destroy(f);
    f = kernel_func("elsewhere");
    ok(adds(s, f, 2, 0), "another target's lowering is not asked");
    ch_func_destroy(f);
    f = kernel_func("declined");
    ok(adds(s, f, 2, 0), "one that says nothing declines");
    ch_func_destroy(f);
}

static void lowered(ch_session *s) {
    ch_func *f = kernel_func("lowered");
    ch_session_counters before, c;
    ch_session_count(s, &before);
    shown[0] = '\0';
    ok(adds(s, f, 2, 100) && adds(s, f, 5, 100), "the device's code runs");
    ok(strcmp(shown, "cpu lowered v2 (heads = 4) f32[2,3] f32[3] -> f32[2,3]\n"
                     "cpu lowered v2 (heads = 4) f32[5,3] f32[3] -> f32[5,3]\n") == 0,
       "the lowering is shown name, version, arguments and sizes");
    ch_session_count(s, &c);
    ok(c.kernels - before.kernels == 2 && c.references == before.references, "kernels are counted");
    ok(explains(s, "custom calls: k.plus_100 1 time\n"), "and explained");
    ch_session_call call = {.struct_size = sizeof call, .key = "a kernel"};
    const int64_t two = 2;
    ok(ch_session_prepare(s, &call, f, 1, (const char *[]){"n"}, &two) == CH_OK, "compiled ahead");
    ch_session_count(s, &before);
    ok(before.compiles == c.compiles, "once for a text");
    ch_exec *e = NULL;
    float v[6] = {0}, got[6] = {0};
    ch_tensor *in[2] = {ch_from_f32(v, 2, (int64_t[]){2, 3}), ch_from_f32(v, 1, (int64_t[]){3})}, *out = NULL;
    bool good = ch_compile(f, "interp", NULL, &e) == CH_OK && ch_exec_run(e, 2, in, 1, &out) == CH_OK &&
                ch_read_f32(out, got, 6) == CH_OK && got[0] == 0;
    ok(good, "on the interpreter the reference runs");
    ch_release(out);
    ch_exec_release(e);
    out = NULL;
    e = NULL;
    good = ch_compile(f, "pjrt", NULL, &e) == CH_OK && ch_exec_run(e, 2, in, 1, &out) == CH_OK &&
           ch_read_f32(out, got, 6) == CH_OK && got[0] == 100;
    ok(good, "the engine pjrt lowers too");
    ch_release(out);
    ch_exec_release(e);
    ch_func_destroy(f);
}

static void said_wrong(ch_session *s) {
    ok(run_refused(s, "failing", CH_UNIMPLEMENTED, "\"failing\" is for heads of 128 — these are of 3"),
       "a lowering's error is the compile's");
    ok(run_refused(s, "silent", CH_INVALID_ARGUMENT,
                   "the lowering of \"silent\" for cpu gave UNAVAILABLE and no reason — ch_error_set one"),
       "one without a reason");
    ok(run_refused(s, "bad", CH_INVALID_ARGUMENT, "\"a b\" for the kernel \"bad\" — a name of") &&
           run_refused(s, "unnamed", CH_INVALID_ARGUMENT, "\"\" for the kernel \"unnamed\" — a name of") &&
           run_refused(s, "null", CH_INVALID_ARGUMENT, "the call is NULL"),
       "calls that are no names");
    ok(run_refused(s, "plain", CH_NOT_FOUND, "handlers registered with this plugin: "),
       "a call that nobody registered: those registered are listed");
}

static void kernels_only(const char *plugin) {
    const ch_session_options o = {.struct_size = sizeof o, .plugin = plugin, .kernels_only = 1};
    ch_session *s = NULL;
    ch_func *f = kernel_func("lowered"), *two = NULL;
    if (ch_session_open(&o, &s) != CH_OK) return ok(false, "a session that takes kernels only");
    ok(adds(s, f, 2, 100), "a session that takes kernels only runs those it has");
    ok(run_refused(s, "unheard", CH_UNIMPLEMENTED,
                   "session run: @one holds the kernel \"unheard\" without a lowering for cpu — register one "
                   "(ch_lowering_register), or let the reference run (kernels_only 0)"),
       "and refuses others by name");
    ok(run_refused(s, "declined", CH_UNIMPLEMENTED, "holds the kernel \"declined\" without"), "those declined too");
    static const char text[] = "chaac-ir 1\n"
                               "func @more(%x: f32[2]) -> f32[2] {\n"
                               "  %a = composite \"second\"(%u = %x) {kernel = \"\"} {\n    yield %u\n  } : f32[2]\n"
                               "  return %a\n}\n"
                               "func @two(%x: f32[2]) -> f32[2] {\n"
                               "  %a = composite \"first\"(%u = %x) {kernel = \"\"} {\n    yield %u\n  } : f32[2]\n"
                               "  %b = call @more(%a) : f32[2]\n"
                               "  %c = composite \"first\"(%u = %b) {kernel = \"\"} {\n    yield %u\n  } : f32[2]\n"
                               "  return %c\n}\n";
    char *made = NULL;
    ok(ch_func_parse(text, "two.ir", &two) == CH_OK &&
           refused(ch_session_text(s, two, NULL, &made), CH_UNIMPLEMENTED,
                   "@two holds the kernels \"first\", \"second\" without a lowering for cpu"),
       "all at once, in funcs that are called too");
    ch_func_destroy(f);
    ch_func_destroy(two);
    ch_session_close(s);
}

// ---------------------------------------------------------------- the text
static bool text_has(ch_session *s, const ch_func *f, const ch_hlo_options *o, const char *words) {
    char *text = NULL;
    bool good = ch_session_text(s, f, o, &text) == CH_OK && strstr(text, words) != NULL;
    if (text != NULL && !good) printf("# %s\n", text);
    ch_string_free(text);
    return good;
}

static void texts(ch_session *s) {
    const int64_t two = 2;
    const char *const n[1] = {"n"};
    ch_hlo_options o = {.struct_size = sizeof o, .n_sizes = 1, .size_names = n, .size_values = &two};
    ch_func *f = kernel_func("lowered"), *g = kernel_func("texted"), *back = NULL;
    char *text = NULL, *ir = NULL;
    ok(text_has(s, f, &o,
                "stablehlo.custom_call @k.plus_100(%x, %b) {api_version = 4 : i32, backend_config = {heads = 4 : i64}} "
                ": (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>"),
       "a dictionary is that of a typed call");
    ok(text_has(s, g, &o, "@tpu_custom_call(%x, %b) {api_version = 1 : i32, backend_config = \"a \\\"body\\\"\"}"),
       "another text is a string");
    ch_func_destroy(g);
    g = kernel_func("plain");
    ok(text_has(s, g, &o, "stablehlo.custom_call @\"odd-name\"(%x, %b) {api_version = 4 : i32} :"),
       "no configuration, and a name in quotes");
    ch_func_destroy(g);
    o.generic = 1;
    ok(text_has(s, f, &o,
                "\"stablehlo.custom_call\"(%x, %b) {api_version = 4 : i32, backend_config = {heads = 4 : i64}, "
                "call_target_name = \"k.plus_100\"}"),
       "in the generic form");
    o.generic = 0;
    o.composites = 1;
    g = kernel_func("unheard");
    bool good = ch_session_text(s, g, &o, &text) == CH_OK && ch_hlo_parse(text, "t", NULL, &back) == CH_OK &&
                ch_func_to_text(back, &ir) == CH_OK && strstr(ir, "composite \"unheard\"") != NULL &&
                strstr(ir, "kernel = \"\"}") != NULL;
    ok(good, "a composite that is written as one is read as a kernel");
    ch_string_free(text);
    ch_string_free(ir);
    ch_func_destroy(back);
    ch_func_destroy(g);
    ok(text_has(s, f, &o, "stablehlo.custom_call @k.plus_100"), "beside composites calls are calls");
    ch_func_destroy(f);
    text = NULL;
    o = (ch_hlo_options){.struct_size = 4000};
    ok(refused(ch_session_text(s, NULL, NULL, &text), CH_INVALID_ARGUMENT, "session text: the program is NULL") &&
           (f = kernel_func("lowered")) != NULL &&
           refused(ch_session_text(s, f, NULL, NULL), CH_INVALID_ARGUMENT, "out_text is NULL") &&
           refused(ch_session_text(s, f, &o, &text), CH_INVALID_ARGUMENT, "struct_size is 4000") &&
           refused(ch_session_text(s, f, NULL, &text), CH_INVALID_ARGUMENT, "the size n has no value"),
       "arguments of ch_session_text");
    ch_func_destroy(f);
}

// Written by hand: the call stands in the func.
static void by_hand(ch_session *s) {
    static const char text[] = "chaac-ir 1\n"
                               "func @g(%x: f32[2], %y: f32[2]) -> (f32[2], f32[]) {\n"
                               "  %c = const {value = 2} : f32[2]\n"
                               "  %a, %r = composite \"g\"(%u = %x, %v = %y) {kernel = \"hand {k = 1 : i64}\"} {\n"
                               "    %w = mul %u, %c : f32[2]\n"
                               "    %t = reduce %w {kind = sum, dims = [0]} : f32[]\n"
                               "    yield %w, %t\n"
                               "  } : f32[2], f32[]\n"
                               "  return %a, %r\n}\n";
    static const char shared[] = "chaac-ir 1\n"
                                 "func @i(%x: f32[4]) -> (f32[4], f32[4]) {\n"
                                 "  %z = iota {dim = 0} : f32[4]\n"
                                 "  %a = composite \"i\"(%u = %x) {kernel = \"hand\"} {\n"
                                 "    %w = mul %u, %z : f32[4]\n"
                                 "    yield %w\n"
                                 "  } : f32[4]\n"
                                 "  return %a, %z\n}\n";
    static const char outside[] = "chaac-ir 1\n"
                                  "func @h(%x: f32[2], %y: f32[2]) -> f32[2] {\n"
                                  "  %z = mul %y, %y : f32[2]\n"
                                  "  %a = composite \"h\"(%u = %x) {kernel = \"hand\"} {\n"
                                  "    %w = mul %u, %z : f32[2]\n"
                                  "    yield %w\n"
                                  "  } : f32[2]\n"
                                  "  return %a\n}\n";
    ch_func *f = NULL;
    ok(ch_func_parse(text, "g.ir", &f) == CH_OK &&
           text_has(s, f, NULL,
                    "    %0:2 = stablehlo.custom_call @hand(%x, %y) {api_version = 4 : i32, backend_config = {k = 1 : "
                    "i64}} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>)\n"
                    "    return %0#0, %0#1"),
       "a func that names its call; an operand that the reference does not read stays");
    ch_func_destroy(f);
    ok(ch_func_parse(shared, "i.ir", &f) == CH_OK &&
           text_has(s, f, NULL, "stablehlo.custom_call @hand(%x) {api_version = 4 : i32} : (tensor<4xf32>)"),
       "a body may read what follows from constants");
    ch_func_destroy(f);
    char *made = NULL;
    ok(ch_func_parse(outside, "h.ir", &f) == CH_OK &&
           refused(ch_session_text(s, f, NULL, &made), CH_UNIMPLEMENTED,
                   "composite \"h\": its body takes %z from outside — a custom call takes operands only"),
       "a body that reads what is no operand is refused");
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- tensors, gradients
static ch_status body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user;
    (void)n_in;
    (void)n_out;
    out[0] = ch_add(ch_add(in[0], in[0]), in[1]);
    return CH_OK;
}
static ch_status rule(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user;
    (void)n_in;
    (void)n_out;
    out[0] = ch_mul(in[3], ch_scalar(CH_F32, 7)); // x, b, y, y_bar
    out[1] = ch_sum(in[3], 1, (int[]){0});
    return CH_OK;
}

static ch_status loss(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    ch_tensor *y;
    (void)n_in;
    (void)n_out;
    ch_kernel("lowered", "heads = 4", body, user != NULL ? rule : NULL, NULL, NULL, 2, in, 1, &y);
    out[0] = ch_sum_all(ch_mul(y, y));
    return CH_OK;
}

static void gradients(ch_session *s, bool ruled) {
    ch_func *f = NULL, *g = NULL, *t = NULL;
    float v[6] = {0, 1, 2, 3, 4, 5}, b[3] = {1, 2, 3}, grad[6] = {0}, value = 0, want = 0;
    ch_tensor *in[2] = {ch_from_f32(v, 2, (int64_t[]){2, 3}), ch_from_f32(b, 1, (int64_t[]){3})}, *out[2] = {NULL};
    ok(ch_capture(loss, ruled ? &mock : NULL, "x: f32[2,3], b: f32[3]", 1, &f) == CH_OK &&
           ch_value_and_grad(f, "x", &g) == CH_OK && text_has(s, g, NULL, "stablehlo.custom_call @k.plus_100(%x, %b)"),
       ruled ? "a gradient by a rule keeps the kernel" : "a gradient keeps the kernel");
    if (!ruled)
        ok(ch_jvp(f, "x", 0, &t) == CH_OK && text_has(s, t, NULL, "%1 = stablehlo.add %x_dot, %x_dot"),
           "forward mode goes through the body");
    if (!mock) { // the mock plugin runs calls alone
        bool good = ch_session_run(s, g, 2, in, 2, out) == CH_OK && ch_read_f32(out[0], &value, 1) == CH_OK &&
                    ch_read_f32(out[1], grad, 6) == CH_OK;
        for (int i = 0; i < 6; i++) {
            float y = 2 * v[i] + b[i % 3] + 100; // what was computed; the derivative is that of body or rule
            want += y * y;
            good = good && grad[i] == 2 * y * (ruled ? 7 : 2);
        }
        ok(good && fabsf(value - want) <= 1e-5f * want, "its value is the device's, its slope the reference's");
    }
    ch_release(out[0]);
    ch_release(out[1]);
    ch_func_destroy(f);
    ch_func_destroy(g);
    ch_func_destroy(t);
}

// Two replicas, each by the device's code, then their sum.
static void replicas(const char *plugin) {
    static const char text[] = "chaac-ir 1\n"
                               "func @r(%x: f32[2,3], %b: f32[3]) -> f32[2,3] {\n"
                               "  %y = composite \"lowered\"(%u = %x, %v = %b) {kernel = \"\"} {\n"
                               "    yield %u\n"
                               "  } : f32[2,3]\n"
                               "  %z = all_reduce %y {kind = sum, replicas = [[0,1]]} : f32[2,3]\n"
                               "  return %z\n}\n";
    const ch_session_options o = {.struct_size = sizeof o, .plugin = plugin, .device_count = 2};
    ch_session *s = NULL;
    ch_func *f = NULL;
    float v[6] = {0, 1, 2, 3, 4, 5}, b[3] = {1, 2, 3}, got[6] = {0};
    ch_tensor *in[4], *out[2] = {NULL};
    for (int i = 0; i < 2; i++) {
        in[2 * i] = ch_from_f32(v, 2, (int64_t[]){2, 3});
        in[2 * i + 1] = ch_from_f32(b, 1, (int64_t[]){3});
    }
    bool good = ch_session_open(&o, &s) == CH_OK && ch_func_parse(text, "r.ir", &f) == CH_OK &&
                ch_session_run_devices(s, f, 2, in, 1, out) == CH_OK && ch_read_f32(out[1], got, 6) == CH_OK;
    for (int i = 0; i < 6; i++) good = good && got[i] == 2 * (2 * v[i] + b[i % 3] + 100);
    ok(good, "on two devices, between collectives");
    ch_release(out[0]);
    ch_release(out[1]);
    ch_func_destroy(f);
    ch_session_close(s);
}

// The last thing here: there are no more after it.
static void too_many(void) {
    char name[20];
    int n = 0;
    ch_status s = CH_OK;
    for (; n < 300 && s == CH_OK; n++) {
        snprintf(name, sizeof name, "kernel %d", n);
        s = ch_lowering_register(CH_METAL, name, declines, NULL);
    }
    ok(n < 257 && refused(s, CH_RESOURCE_EXHAUSTED, "would be lowering 257 — a process has 256"), "257 lowerings");
}

int main(int argc, char **argv) {
    mock = argc > 1 && strcmp(argv[1], "--mock") == 0;
    if (argc < 2 + mock) return 2;
    registering();
    for (int i = 1 + mock; i < argc; i++) {
        printf("# %s\n", strrchr(argv[i], '/') + 1);
        const ch_session_options o = {.struct_size = sizeof o, .plugin = argv[i]};
        ch_plugin *p = NULL;
        ch_session *s = NULL;
        setenv("CHAAC_PJRT_PLUGIN_PATH", argv[i], 1); // the engine's
        if (ch_plugin_load(argv[i], &p) != CH_OK || ch_ffi_register(p, "k.plus_100", plus_100, NULL) != CH_OK ||
            ch_session_open(&o, &s) != CH_OK) {
            ok(false, "a session");
            continue;
        }
        by_reference(s);
        lowered(s);
        said_wrong(s);
        kernels_only(argv[i]);
        texts(s);
        by_hand(s);
        gradients(s, false);
        gradients(s, true);
        if (!mock) replicas(argv[i]);
        ch_session_close(s);
    }
    too_many();
    printf("1..%d\n", case_number);
    ch_thread_end();
    return failures != 0;
}
