// SPDX-License-Identifier: Apache-2.0
// test_devices.c - replicas and partitions on the virtual devices of real plugins: the numbers of the interpreter's
// replicas and of one device, gradients through collectives, random programs of every collective, kind and dtype, axes
// that do not part evenly, orders of devices, replicas of partitions, symbolic sizes, donation, what is refused.
//
// usage: pjrt_devices PLUGIN...
#include <math.h>
#include <stdbool.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "chaac/chaac.h"

static int ran, failed;
static void report(int ok, const char *plugin, const char *what) {
    const char *name = strrchr(plugin, '/');
    printf("%s %d - %s, %s\n", ok ? "ok" : "not ok", ++ran, what, name ? name + 1 : plugin);
    if (!ok) printf("# %s\n", ch_error_message());
    failed += !ok;
    fflush(stdout);
}

static const char all_kinds[] =
    "chaac-ir 1\n"
    "func @f(%x: f32[4,2], %w: f32[4,2]) -> (f32[4,2], f32[4,4], f32[2,2], f32[2,4], f32[4,2]) {\n"
    "  %i = replica_id : u32[]\n"
    "  %j = convert %i : f32[]\n"
    "  %b = broadcast %j {dims = []} : f32[4,2]\n"
    "  %y = add %x, %b : f32[4,2]\n"
    "  %z = mul %y, %w : f32[4,2]\n"
    "  %m = all_reduce %z {kind = max, replicas = [[0,1],[2,3]]} : f32[4,2]\n"
    "  %s = all_reduce %m {kind = sum, replicas = [[0,2],[1,3]]} : f32[4,2]\n"
    "  %g = all_gather %z {dim = 1, replicas = [[0,1],[3,2]]} : f32[4,4]\n"
    "  %r = reduce_scatter %z {kind = sum, dim = 0, replicas = [[0,1],[2,3]]} : f32[2,2]\n"
    "  %t = all_to_all %z {split_dim = 0, concat_dim = 1, replicas = [[0,3],[1,2]]} : f32[2,4]\n"
    "  %p = permute %z {pairs = [0,1,3]x[1,2,0]} : f32[4,2]\n"
    "  return %s, %g, %r, %t, %p\n"
    "}\n";

static const char sharded[] =
    "chaac-ir 1\n"
    "func @g(%x: f32[8,4] sharded \"m[a=2, b=2] [{a}, {b}]\", %w: f32[4,6] sharded \"m[a=2, b=2] [{b}, {}]\") -> "
    "(f32[8,6] sharded \"m[a=2, b=2] [{b, a}, {}]\", f32[]) {\n"
    "  %y = dot %x, %w {contract = [1]x[0]} : f32[8,6]\n"
    "  %h = shard %y {sharding = \"m[a=2, b=2] [{}, {b}]\"} : f32[8,6]\n"
    "  %t = tanh %h : f32[8,6]\n"
    "  %s = reduce %t {kind = sum, dims = [0,1]} : f32[]\n"
    "  return %t, %s\n"
    "}\n";

enum { MOST = 256 };

// Equal as f64; floats within `eps` of each other, which is 0 for integers.
static int close_to(ch_tensor *x, ch_tensor *y) {
    static const struct {
        ch_dtype dtype;
        double eps;
    } floats[] = {{CH_F16, 2e-3}, {CH_BF16, 2e-2}, {CH_F32, 1e-5}, {CH_F64, 1e-12}};
    double a[MOST], b[MOST], eps = 0;
    size_t n = 1;
    for (int d = 0; d < ch_tensor_rank(x); d++) n *= (size_t)ch_tensor_dim(x, d);
    for (int i = 0; i < 4; i++)
        if (floats[i].dtype == ch_tensor_dtype(x)) eps = floats[i].eps;
    if (n > MOST || ch_tensor_dtype(x) != ch_tensor_dtype(y) || ch_tensor_rank(x) != ch_tensor_rank(y) ||
        ch_read_f64(ch_convert(x, CH_F64), a, n) != CH_OK || ch_read_f64(ch_convert(y, CH_F64), b, n) != CH_OK)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= eps * (1 + fabs(a[i])))) return 0;
    return 1;
}

// Inputs of n runs of f, all different; `size` stands for the sizes that are symbols.
static void fill_sized(const ch_func *f, int n, int64_t size, ch_tensor **in) {
    int n_in = ch_func_num_params(f);
    const char *names[1] = {"n"};
    for (int k = 0; k < n * n_in; k++) {
        int64_t dims[16], count = 1;
        int rank;
        double v[MOST];
        ch_dtype d = ch_func_param_dtype(f, k % n_in);
        bool real = d == CH_F16 || d == CH_BF16 || d == CH_F32 || d == CH_F64;
        in[k] = NULL;
        if (ch_func_param_dims(f, k % n_in, size > 0, names, &size, &rank, dims) != CH_OK) continue;
        for (int i = 0; i < rank; i++) count *= dims[i];
        for (int i = 0; i < count; i++) {
            int w = (i * 37 + k * 23) % 64;
            v[i] = d == CH_BOOL ? w % 3 != 0 : real ? w / 32.0 - 1 : w % 7 + 1;
        }
        in[k] = ch_convert(ch_from_f64(v, rank, dims), d);
    }
}
static void fill(const ch_func *f, int n, ch_tensor **in) { fill_sized(f, n, 0, in); }

// f on n devices against the interpreter: n replicas, or one run when it is cut (partitions).
static int agrees_sized(ch_session *s, const ch_func *f, int n, int64_t size) {
    ch_exec *e = NULL;
    ch_tensor *in[64], *want[128] = {NULL}, *got[128] = {NULL};
    int n_in = ch_func_num_params(f), n_out = ch_func_num_results(f), ok = 0;
    fill_sized(f, n, size, in);
    if (ch_compile(f, "interp", NULL, &e) != CH_OK) return 0;
    if (ch_exec_run_replicas(e, NULL, n, n_in, in, n_out, want) == CH_OK &&
        ch_session_run_devices(s, f, n_in, in, n_out, got) == CH_OK) {
        ok = 1;
        for (int i = 0; i < n * n_out && ok; i++)
            if (!close_to(want[i], got[i])) {
                ok = 0;
                ch_error_set("argument", "the numbers of result %d differ", i);
            }
    }
    for (int i = 0; i < n * n_out; i++) ch_release(want[i]), ch_release(got[i]);
    ch_exec_release(e);
    return ok;
}

static int agrees(ch_session *s, const ch_func *f, int n) { return agrees_sized(s, f, n, 0); }

static int says(ch_status s, const char *sentence) {
    return s != CH_OK && strstr(ch_error_message(), sentence) != NULL;
}

// ---------------------------------------------------------------- random programs
typedef struct {
    char text[16000];
    size_t n;
    int replicas, results;
    char types[2000];
} program;

#define PUT(p, ...) ((p)->n += (size_t)snprintf((p)->text + (p)->n, sizeof(p)->text - (p)->n, __VA_ARGS__))

static uint64_t seed = 1;
static int draw(int n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((seed >> 33) % (uint64_t)n);
}

// The replicas in random order in rows of one size, which it gives.
static int put_groups(program *p) {
    int order[8], size;
    do size = draw(p->replicas) + 1;
    while (p->replicas % size != 0);
    for (int i = 0; i < p->replicas; i++) order[i] = i;
    for (int i = p->replicas - 1; i > 0; i--) {
        int k = draw(i + 1), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    PUT(p, "replicas = [");
    for (int i = 0; i < p->replicas; i++)
        PUT(p, "%s%d%s", i % size ? "," : i ? ",[" : "[", order[i], i % size == size - 1 ? "]" : "");
    PUT(p, "]}");
    return size;
}

static void put_type(program *p, const char *dtype, int rows, int columns) {
    char type[64];
    snprintf(type, sizeof type, "%s[%d,%d]", dtype, rows, columns);
    PUT(p, " : %s\n", type);
    size_t n = strlen(p->types);
    snprintf(p->types + n, sizeof p->types - n, "%s%s", n > 0 ? ", " : "", type);
    p->results++;
}

// Every collective on one dtype, every kind it has, groups and axes by chance.
static void every_collective(program *p, const char *dtype, const char *kinds, int replicas, int rows) {
    char body[16000];
    const int columns = 8;
    *p = (program){.replicas = replicas};
    for (int scatter = 0; scatter < 2; scatter++)
        for (const char *at = kinds; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
            int axis = draw(2), r = rows, c = columns;
            PUT(p, "  %%v%d = %s %%x {kind = %.*s, ", p->results, scatter ? "reduce_scatter" : "all_reduce",
                (int)strcspn(at, " "), at);
            if (scatter) PUT(p, "dim = %d, ", axis);
            int g = put_groups(p);
            if (scatter) *(axis == 0 ? &r : &c) /= g;
            put_type(p, dtype, r, c);
        }
    for (int k = 0; k < 2; k++) {
        PUT(p, "  %%v%d = all_gather %%x {dim = %d, ", p->results, k);
        int g = put_groups(p);
        put_type(p, dtype, k == 0 ? rows * g : rows, k == 1 ? columns * g : columns);
        PUT(p, "  %%v%d = all_to_all %%x {split_dim = %d, concat_dim = %d, ", p->results, k, 1 - k);
        g = put_groups(p);
        put_type(p, dtype, k == 0 ? rows / g : rows * g, k == 0 ? columns * g : columns / g);
    }
    int to = draw(replicas);
    PUT(p, "  %%v%d = permute %%x {pairs = [0,1]x[%d,%d]}", p->results, to, (to + 1) % replicas);
    put_type(p, dtype, rows, columns);
    memcpy(body, p->text, p->n + 1);
    p->n = 0;
    PUT(p, "chaac-ir 1\nfunc @f(%%x: %s[%d,%d]) -> (%s) {\n%s  return ", dtype, rows, columns, p->types, body);
    for (int i = 0; i < p->results; i++) PUT(p, "%s%%v%d", i > 0 ? ", " : "", i);
    PUT(p, "\n}\n");
}

static void random_programs(const char *plugin, ch_session *s) {
    static const char numbers[] = "sum prod min max", bits[] = "sum prod min max and or";
    static const struct {
        const char *dtype, *kinds;
    } rows[] = {{"bool", "min max and or"},
                {"i8", bits},
                {"i16", bits},
                {"i32", bits},
                {"i64", bits},
                {"u8", bits},
                {"u16", bits},
                {"u32", bits},
                {"u64", bits},
                {"f16", numbers},
                {"bf16", numbers},
                {"f32", numbers},
                {"f64", numbers}};
    static program p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int good = 1;
        char what[100];
        for (int k = 0; k < 3 && good; k++) {
            ch_func *f = NULL;
            every_collective(&p, rows[i].dtype, rows[i].kinds, k == 0 ? 2 : 4, 4);
            good = ch_func_parse(p.text, "f.ir", &f) == CH_OK && agrees(s, f, p.replicas);
            if (!good) printf("# %s\n", p.text);
            ch_func_destroy(f);
        }
        snprintf(what, sizeof what, "random programs of every collective and kind on %s", rows[i].dtype);
        report(good, plugin, what);
    }
}

// Derivatives of those programs, in both modes, and of the same of empty arrays.
static void derivatives(const char *plugin, ch_session *s) {
    static program p;
    for (int rows = 4; rows >= 0; rows -= 4) {
        ch_func *f = NULL, *vjp = NULL, *jvp = NULL;
        char what[100];
        every_collective(&p, "f32", "sum prod min max", 4, rows);
        int good = ch_func_parse(p.text, "f.ir", &f) == CH_OK && (rows > 0 || agrees(s, f, 4)) &&
                   ch_vjp(f, "x", 0, &vjp) == CH_OK && agrees(s, vjp, 4) && ch_jvp(f, "x", 0, &jvp) == CH_OK &&
                   agrees(s, jvp, 4);
        if (!good) printf("# %s\n", p.text);
        ch_func_destroy(f);
        ch_func_destroy(vjp);
        ch_func_destroy(jvp);
        snprintf(what, sizeof what, "derivatives of every collective and kind on f32[%d,8]", rows);
        report(good, plugin, what);
    }
}

// Min and max of four replicas, one NaN in each at another place, in groups of four, two and one.
static void not_numbers(const char *plugin, ch_session *s) {
    static const char *const dtypes[] = {"f16", "bf16", "f32", "f64"};
    static const char *const groups[] = {"[[0,1,2,3]]", "[[0,1],[2,3]]", "[[0],[1],[2],[3]]"};
    static const int sizes[] = {4, 2, 1};
    for (int d = 0; d < 4; d++) {
        int good = 1;
        char text[1000], what[100];
        for (int g = 0; g < 3 && good; g++) {
            ch_func *f = NULL;
            ch_tensor *in[4], *out[16] = {NULL};
            double v[8], r[8];
            snprintf(text, sizeof text,
                     "chaac-ir 1\nfunc @f(%%x: %s[8]) -> (%s[8], %s[8], %s[%d], %s[%d]) {\n"
                     "  %%a = all_reduce %%x {kind = min, replicas = %s} : %s[8]\n"
                     "  %%b = all_reduce %%x {kind = max, replicas = %s} : %s[8]\n"
                     "  %%c = reduce_scatter %%x {kind = min, dim = 0, replicas = %s} : %s[%d]\n"
                     "  %%d = reduce_scatter %%x {kind = max, dim = 0, replicas = %s} : %s[%d]\n"
                     "  return %%a, %%b, %%c, %%d\n}\n",
                     dtypes[d], dtypes[d], dtypes[d], dtypes[d], 8 / sizes[g], dtypes[d], 8 / sizes[g], groups[g],
                     dtypes[d], groups[g], dtypes[d], groups[g], dtypes[d], 8 / sizes[g], groups[g], dtypes[d],
                     8 / sizes[g]);
            for (int k = 0; k < 4; k++) {
                for (int i = 0; i < 8; i++) v[i] = i == 2 * k ? NAN : i - 3 * k;
                in[k] = ch_convert(ch_from_f64(v, 1, (int64_t[]){8}), (ch_dtype)ch_dtype_from_name(dtypes[d]));
            }
            good = ch_func_parse(text, "f.ir", &f) == CH_OK && ch_session_run_devices(s, f, 1, in, 4, out) == CH_OK;
            for (int k = 0; k < 16 && good; k++) {
                int n = k % 4 < 2 ? 8 : 8 / sizes[g], replica = k / 4, first = replica / sizes[g] * sizes[g];
                int from = k % 4 < 2 ? 0 : replica % sizes[g] * n; // of its part
                good = ch_read_f64(ch_convert(out[k], CH_F64), r, (size_t)n) == CH_OK;
                for (int i = 0; i < n && good; i++) {
                    int at = from + i, last = first + sizes[g] - 1;
                    bool nan = at % 2 == 0 && at / 2 >= first && at / 2 <= last;
                    double want = at - 3 * (k % 2 == 0 ? last : first);
                    good = nan ? isnan(r[i]) : r[i] == want;
                    if (!good) printf("# groups of %d, result %d at %d: %g\n", sizes[g], k, i, r[i]);
                }
            }
            for (int k = 0; k < 16; k++) ch_release(out[k]);
            ch_func_destroy(f);
        }
        snprintf(what, sizeof what, "min and max of replicas keep NaN of %s", dtypes[d]);
        report(good, plugin, what);
    }
}

// ---------------------------------------------------------------- how arrays lie
static ch_func *read_func(const char *text) {
    ch_func *f = NULL;
    if (ch_func_parse(text, "f.ir", &f) != CH_OK) printf("# %s\n", ch_error_message());
    return f;
}

static void layouts(const char *plugin, ch_session *s) {
    // 5 is in no way parted by 2 and 4, 6 by 2 alone: what does not part evenly lies whole.
    ch_func *f =
                read_func("chaac-ir 1\n"
                          "func @u(%x: f32[5,6] sharded \"m[a=2, b=2] [{a}, {b}]\", %w: f32[6,3] sharded \"m[a=2, b=2] "
                          "[{a, b}, {}]\") -> (f32[5,3] sharded \"m[a=2, b=2] [{a, b}, {}]\", f32[], f32[6] sharded "
                          "\"m[a=2, b=2] [{b, a}]\") {\n"
                          "  %y = dot %x, %w {contract = [1]x[0]} : f32[5,3]\n"
                          "  %s = reduce %x {kind = prod, dims = [0,1]} : f32[]\n"
                          "  %e = reduce %x {kind = min, dims = [0]} : f32[6]\n"
                          "  return %y, %s, %e\n}\n"),
            *g = NULL;
    report(agrees(s, f, 1), plugin, "axes that do not part evenly");
    report(ch_vjp(f, "x, w", 1, &g) == CH_OK && agrees(s, g, 1), plugin, "their gradients");
    ch_func_destroy(f);
    ch_func_destroy(g);
    f = read_func("chaac-ir 1\n"
                  "func @o(%x: f32[8,4] sharded \"m[a=2, b=2] device_ids=[2,0,3,1] [{a}, {b}]\") -> "
                  "(f32[8,4] sharded \"m[a=2, b=2] device_ids=[2,0,3,1] [{b, a}, {}]\", f32[8]) {\n"
                  "  %y = mul %x, %x : f32[8,4]\n"
                  "  %s = reduce %y {kind = sum, dims = [1]} : f32[8]\n"
                  "  return %y, %s\n}\n");
    report(agrees(s, f, 1), plugin, "a mesh with an order of devices");
    ch_func_destroy(f);
    f = read_func("chaac-ir 1\n"
                  "func @p(%x: f32[4,6] sharded \"m[a=2] [{a}, {}]\", %w: f32[6,2]) -> "
                  "(f32[4,2] sharded \"m[a=2] [{a}, {}]\", f32[4,4] sharded \"m[a=2] [{a}, {}]\") {\n"
                  "  %i = replica_id : u32[]\n"
                  "  %j = convert %i : f32[]\n"
                  "  %b = broadcast %j {dims = []} : f32[4,6]\n"
                  "  %z = add %x, %b : f32[4,6]\n"
                  "  %y = dot %z, %w {contract = [1]x[0]} : f32[4,2]\n"
                  "  %s = all_reduce %y {kind = sum, replicas = [[0,1]]} : f32[4,2]\n"
                  "  %g = all_gather %y {dim = 1, replicas = [[1,0]]} : f32[4,4]\n"
                  "  return %s, %g\n}\n");
    report(agrees(s, f, 2), plugin, "2 replicas of 2 partitions");
    ch_func_destroy(f);
    f = read_func("chaac-ir 1\n"
                  "func @n(%x: f32[n,6] sharded \"m[a=4] [{a}, {}]\", %w: f32[6,2]) -> (f32[n,2] sharded "
                  "\"m[a=4] [{a}, {}]\", f32[2*n]) {\n"
                  "  %y = dot %x, %w {contract = [1]x[0]} : f32[n,2]\n"
                  "  %r = reshape %y : f32[2*n]\n"
                  "  return %y, %r\n}\n");
    report(agrees_sized(s, f, 1, 8) && agrees_sized(s, f, 1, 5) && agrees_sized(s, f, 1, 1), plugin,
           "symbolic sizes of partitions");
    ch_func_destroy(f);
    f = read_func("chaac-ir 1\n"
                  "func @n(%x: f32[n]) -> f32[4*n] {\n"
                  "  %g = all_gather %x {dim = 0, replicas = [[0,1,2,3]]} : f32[4*n]\n"
                  "  return %g\n}\n");
    report(agrees_sized(s, f, 4, 3) && agrees_sized(s, f, 4, 6), plugin, "symbolic sizes of replicas");
    ch_tensor *in[4], *out[4] = {NULL};
    for (int r = 0; r < 4; r++) in[r] = ch_zeros(CH_F32, 1, (int64_t[]){r == 2 ? 5 : 3});
    report(says(ch_session_run_devices(s, f, 1, in, 1, out), "x is f32[5], the param is f32[3]"), plugin,
           "replicas of different sizes");
    ch_func_destroy(f);
    f = read_func("chaac-ir 1\n"
                  "func @t(%x: inout(0) f32[4], %g: f32[4]) -> f32[4] {\n"
                  "  %s = all_reduce %g {kind = sum, replicas = [[0,1,2,3]]} : f32[4]\n"
                  "  %y = sub %x, %s : f32[4]\n"
                  "  return %y\n}\n");
    report(agrees(s, f, 4), plugin, "a param tied to a result: what went up is donated");
    ch_func_destroy(f);
}

// What the IR has no words for is the plugin's when it stands in the text.
static void manual(const char *plugin, ch_session *s) {
    static const char text[] =
        "module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {\n"
        "  sdy.mesh @mesh = <[\"a\"=2]>\n"
        "  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}]>}) -> "
        "(tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}]>}) {\n"
        "    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"a\"}]>] out_shardings=[<@mesh, [{\"a\"}]>] "
        "manual_axes={\"a\"} (%p: tensor<2xf32>) {\n"
        "      %1 = \"stablehlo.all_reduce\"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
        "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({\n"
        "      ^bb0(%u: tensor<f32>, %v: tensor<f32>):\n"
        "        %s = stablehlo.add %u, %v : tensor<f32>\n"
        "        stablehlo.return %s : tensor<f32>\n"
        "      }) : (tensor<2xf32>) -> tensor<2xf32>\n"
        "      sdy.return %1 : tensor<2xf32>\n"
        "    } : (tensor<4xf32>) -> tensor<4xf32>\n"
        "    return %0 : tensor<4xf32>\n  }\n}\n";
    const float x[4] = {1, 2, 30, 40};
    float y[2] = {0}, z[2] = {0};
    ch_buffer *in[2] = {NULL, NULL}, *out[2] = {NULL, NULL};
    ch_func *f = NULL;
    int good = ch_buffer_from_host_on(s, 0, x, "f32[2]", &in[0]) == CH_OK &&
               ch_buffer_from_host_on(s, 1, x + 2, "f32[2]", &in[1]) == CH_OK &&
               ch_session_run_text(s, text, 2, in, 2, out) == CH_OK && ch_buffer_read(out[0], y, sizeof y) == CH_OK &&
               ch_buffer_read(out[1], z, sizeof z) == CH_OK;
    report(good && y[0] == 31 && y[1] == 42 && z[0] == 31 && z[1] == 42, plugin, "a manual computation, as text");
    report(says(ch_hlo_parse(text, "m", NULL, &f), "sdy.manual_computation is not taken"), plugin,
           "and refused by name as a func");
    for (int i = 0; i < 2; i++) ch_buffer_release(in[i]), ch_buffer_release(out[i]);
}

// Shards that are none of the text's, which some plugins die of: refused before.
static void shards_given(const char *plugin, ch_session *s) {
    static const struct {
        const char *sharding, *type, *refusal;
    } rows[] = {
        {"sdy.sharding = #sdy.sharding<@m, [{\"a\"}, {}]>", "f32[4,6]", NULL},
        {"sdy.sharding = #sdy.sharding<@m, [{\"a\"}, {}]>", "f32[8,6]",
         "'x' of 'g' is f32[4,6] on each device, the buffer is f32[8,6]"},
        {"sdy.sharding = #sdy.sharding<@m, [{\"a\"}, {}]>", "f32[8,3]",
         "is f32[4,6] on each device, the buffer is f32[8,3]"},
        {"sdy.sharding = #sdy.sharding<@m, [{}, {\"a\"}]>", "f32[8,3]", NULL},
        {"sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={\"a\"}>", "f32[4,6]", "is f32[8,6] on each device"},
        {"mhlo.sharding = \"{devices=[2,1]<=[2]}\"", "f32[4,6]", NULL},
        {"mhlo.sharding = \"{devices=[1,2]<=[2]}\"", "f32[4,6]", "is f32[8,3] on each device"},
        {"mhlo.sharding = \"{replicated}\"", "f32[4,6]", "is f32[8,6] on each device"},
        {"jax.note = 1 : i32", "f32[4,6]", "is f32[8,6] on each device"},
    };
    int good = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && good; i++) {
        char text[900];
        float v[48] = {0};
        ch_buffer *in[2] = {NULL, NULL}, *out[2] = {NULL, NULL};
        int shardy = rows[i].sharding[0] == 's';
        snprintf(text, sizeof text,
                 "module @g attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {\n%s"
                 "  func.func public @main(%%x: tensor<8x6xf32> {%s}) -> tensor<8x6xf32> {\n"
                 "    %%0 = stablehlo.add %%x, %%x : tensor<8x6xf32>\n    return %%0 : tensor<8x6xf32>\n  }\n}\n",
                 shardy ? "  sdy.mesh @m = <[\"a\"=2]>\n" : "", rows[i].sharding);
        for (int d = 0; d < 2 && good; d++) good = ch_buffer_from_host_on(s, d, v, rows[i].type, &in[d]) == CH_OK;
        if (good && rows[i].refusal == NULL) good = ch_session_run_text(s, text, 2, in, 2, out) == CH_OK;
        if (good && rows[i].refusal != NULL) good = says(ch_session_run_text(s, text, 2, in, 2, out), rows[i].refusal);
        if (!good) printf("# %s, %s\n", rows[i].sharding, rows[i].type);
        for (int d = 0; d < 2; d++) ch_buffer_release(in[d]), ch_buffer_release(out[d]);
    }
    report(good, plugin, "shards that are none of the text's");
}

static void on_plugin(const char *plugin) {
    ch_session_options o = {.struct_size = sizeof o, .plugin = plugin, .device_count = 4};
    ch_session *s = NULL, *one = NULL;
    ch_func *f = NULL, *g = NULL, *h = NULL;
    ch_tensor *in[64], *out[64];
    if (ch_session_open(&o, &s) != CH_OK || ch_func_parse(all_kinds, "f.ir", &f) != CH_OK ||
        ch_func_parse(sharded, "g.ir", &g) != CH_OK) {
        report(0, plugin, "a session of 4 devices");
        return;
    }
    report(ch_session_device_count(s) == 4, plugin, "a session of 4 devices");
    report(agrees(s, f, 4), plugin, "every collective: 4 replicas as the interpreter's");
    report(ch_vjp(f, "x, w", 0, &h) == CH_OK && agrees(s, h, 4), plugin, "their adjoints");
    ch_func_destroy(h);
    h = NULL;
    report(ch_jvp(f, "x, w", 0, &h) == CH_OK && agrees(s, h, 4), plugin, "their tangents");
    ch_func_destroy(h);
    h = NULL;
    report(agrees(s, g, 1), plugin, "arrays cut on a mesh of 2 x 2 as one device's");
    report(ch_vjp(g, "x, w", 1, &h) == CH_OK && agrees(s, h, 1), plugin, "their gradients");
    ch_func_destroy(h);
    h = NULL;
    o.device_count = 0;
    fill(f, 4, in);
    report(ch_session_open(&o, &one) == CH_OK &&
               says(ch_session_run_devices(one, f, 2, in, 5, out),
                    "@f is for 4 devices, the session has 1 — open it with device_count"),
           plugin, "too few devices");
    ch_session_close(one);
    report(ch_func_with_sharding(g, "w", "m[a=2, b=2] device_ids=[3,2,1,0] [{b}, {}]", &h) == CH_OK &&
               says(ch_session_run_devices(s, h, 2, in, 2, out),
                    "has the meshes m[a=2, b=2] and m[a=2, b=2] device_ids=[3, 2, 1, 0] — one for all"),
           plugin, "two meshes");
    ch_func_destroy(h);
    report(says(ch_session_run_devices(s, g, 2, in, 2, out), "give one of its type"), plugin,
           "a tensor of another type");
    random_programs(plugin, s);
    derivatives(plugin, s);
    not_numbers(plugin, s);
    layouts(plugin, s);
    manual(plugin, s);
    shards_given(plugin, s);
    o.num_processes = 2;
    one = NULL;
    report(says(ch_session_open(&o, &one), "one process"), plugin, "several processes");
    ch_session_close(s);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) on_plugin(argv[i]);
    printf("1..%d%s\n", ran, ran ? "" : " # SKIP no plugin");
    ch_thread_end();
    return failed != 0;
}
