// SPDX-License-Identifier: Apache-2.0
// fault.c - every public function, with each of its allocations failing in turn.
//
// A scenario does something from beginning to end and gives its status. It runs once undisturbed, which counts its
// allocations, and then once for every n with the n-th allocation failing. Such a run either does not mind (a cache
// that stays empty) or fails with RESOURCE_EXHAUSTED and a sentence; afterwards as many allocations are alive as
// before. The last case reads abi/symbols.txt: a function that is named neither in a scenario nor in the list of those
// that allocate nothing fails it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "chaac/chaac.h"
#include "chaac/dlpack.h"

enum { MOST = 20000 }; // n at most; a scenario with more allocations fails rather than being cut short

static const char ir_text[] = "chaac-ir 1\n"
                              "func @f(%x: f32[n,3], %w: f32[3,2], %b: f32[2]) -> f32[] {\n"
                              "  %0 = dot %x, %w {contract = [1]x[0]} : f32[n,2]\n"
                              "  %1 = broadcast %b {dims = [1]} : f32[n,2]\n"
                              "  %2 = add %0, %1 : f32[n,2]\n"
                              "  %3 = mul %2, %2 : f32[n,2]\n"
                              "  %4 = reduce %3 {kind = sum, dims = [0,1], acc = f64, order = any} : f32[]\n"
                              "  return %4\n"
                              "}\n";
static char folder[] = "/tmp/chaac-fault-XXXXXX";
static char npy_path[128], npz_path[128], csv_path[128], st_path[128], ir_path[128], idx_path[128];
static FILE *sink; // what is printed goes nowhere

static const float x_data[6] = {1, 2, 3, 4, 5, 6};
static const int64_t d23[2] = {2, 3}, d32[2] = {3, 2}, d2[1] = {2}, d22[2] = {2, 2};
static const int64_t d1122[4] = {1, 1, 2, 2};
static const int one[1] = {1}, zero[1] = {0};

// The status of realizing t, which may be an error tensor or NULL.
static ch_status realized(ch_tensor *t) { return ch_realize(t); }
static ch_tensor *x23(void) { return ch_from_f32(x_data, 2, d23); }
static ch_tensor *x22(void) { return ch_from_f32((const float[]){4, 1, 1, 3}, 2, d22); }
static ch_tensor *i2(void) { return ch_from_i32((const int32_t[]){1, 0}, 1, d2); }
static ch_tensor *i64_0(void) { return ch_from_i64((const int64_t[]){0}, 0, NULL); }
static ch_tensor *b23(void) { return ch_gt(x23(), ch_scalar(CH_F32, 3)); }
static ch_tensor *n23(void) { return ch_convert(x23(), CH_U32); }

static ch_tensor *contracted(void) {
    ch_tensor *x = ch_name_axes(x23(), "a, b");
    return ch_contract(x, x, "a");
}

// ---------------------------------------------------------------- operations: each is built and realized
// clang-format off
#define OPS(X) \
    X(neg, ch_neg(x23())) X(abs, ch_abs(x23())) X(sign, ch_sign(x23())) X(floor, ch_floor(x23())) \
    X(ceil, ch_ceil(x23())) X(round_even, ch_round_even(x23())) X(round_away, ch_round_away(x23())) \
    X(trunc, ch_trunc(x23())) X(sqrt, ch_sqrt(x23())) X(rsqrt, ch_rsqrt(x23())) X(cbrt, ch_cbrt(x23())) \
    X(exp, ch_exp(x23())) X(exp2, ch_exp2(x23())) X(expm1, ch_expm1(x23())) X(log, ch_log(x23())) \
    X(log2, ch_log2(x23())) X(log1p, ch_log1p(x23())) X(sin, ch_sin(x23())) X(cos, ch_cos(x23())) \
    X(tan, ch_tan(x23())) X(asin, ch_asin(x23())) X(acos, ch_acos(x23())) X(atan, ch_atan(x23())) \
    X(sinh, ch_sinh(x23())) X(cosh, ch_cosh(x23())) X(tanh, ch_tanh(x23())) X(asinh, ch_asinh(x23())) \
    X(acosh, ch_acosh(x23())) X(atanh, ch_atanh(x23())) X(sigmoid, ch_sigmoid(x23())) X(erf, ch_erf(x23())) \
    X(erfc, ch_erfc(x23())) X(lgamma, ch_lgamma(x23())) X(digamma, ch_digamma(x23())) X(not, ch_not(b23())) \
    X(popcnt, ch_popcnt(n23())) X(clz, ch_clz(n23())) X(is_finite, ch_is_finite(x23())) \
    X(add, ch_add(x23(), x23())) X(sub, ch_sub(x23(), x23())) X(mul, ch_mul(x23(), ch_scalar(CH_F32, 2))) \
    X(div, ch_div(x23(), x23())) X(rem, ch_rem(x23(), x23())) X(pow, ch_pow(x23(), x23())) \
    X(atan2, ch_atan2(x23(), x23())) X(min, ch_min(x23(), x23())) X(max, ch_max(x23(), x23())) \
    X(and, ch_and(b23(), b23())) X(or, ch_or(b23(), b23())) X(xor, ch_xor(b23(), b23())) \
    X(shl, ch_shl(n23(), n23())) X(shr, ch_shr(n23(), n23())) X(copysign, ch_copysign(x23(), x23())) \
    X(hypot, ch_hypot(x23(), x23())) X(nextafter, ch_nextafter(x23(), x23())) X(fma, ch_fma(x23(), x23(), x23())) \
    X(select, ch_select(b23(), x23(), x23())) X(clamp, ch_clamp(ch_scalar(CH_F32, 2), x23(), ch_scalar(CH_F32, 4))) \
    X(full, ch_full(CH_F32, 3, 2, d23)) X(zeros, ch_zeros(CH_F32, 2, d23)) X(ones, ch_ones(CH_F64, 2, d23)) \
    X(full_like, ch_full_like(x23(), 2)) X(zeros_like, ch_zeros_like(x23())) X(ones_like, ch_ones_like(x23())) \
    X(iota, ch_iota(CH_I64, 2, d23, 1)) X(iota_like, ch_iota_like(x23(), CH_I32, 0)) X(size_of, ch_size_of(x23(), 1)) \
    X(rng_bits, ch_rng_bits(ch_key_tensor(ch_key_make(1)), ch_convert(i64_0(), CH_U64), 2, d23)) \
    X(bitcast, ch_bitcast(x23(), CH_I32)) X(eq, ch_eq(x23(), x23())) X(ne, ch_ne(x23(), x23())) \
    X(lt, ch_lt(x23(), x23())) X(le, ch_le(x23(), x23())) X(gt, ch_gt(x23(), x23())) X(ge, ch_ge(x23(), x23())) \
    X(polygamma, ch_polygamma(x23(), 2)) X(cmath, ch_cmath("tgamma", 1, (ch_tensor *[]){ch_convert(x23(), CH_F64)})) \
    X(reshape, ch_reshape(x23(), 2, d32)) X(reshape_to, ch_reshape_to(x23(), "3, 2")) X(flatten, ch_flatten(x23(), 0)) \
    X(expand_dims, ch_expand_dims(x23(), 1)) X(squeeze, ch_squeeze(ch_expand_dims(x23(), 0), 0)) \
    X(transpose, ch_transpose(x23(), 2, NULL)) X(swap_axes, ch_swap_axes(x23(), 0, 1)) \
    X(broadcast_to, ch_broadcast_to(ch_scalar(CH_F32, 1), 2, d23)) \
    X(broadcast_like, ch_broadcast_like(ch_scalar(CH_F32, 1), x23())) \
    X(slice, ch_slice(x23(), 2, (const int64_t[]){0, 1}, (const int64_t[]){2, 3}, NULL)) \
    X(slice_axis, ch_slice_axis(x23(), 1, 0, 2)) \
    X(pad, ch_pad(x23(), ch_scalar(CH_F32, 0), 2, (const int64_t[]){1, 0}, (const int64_t[]){0, 1}, NULL)) \
    X(concat, ch_concat(2, (ch_tensor *[]){x23(), x23()}, 0)) X(stack, ch_stack(2, (ch_tensor *[]){x23(), x23()}, 0)) \
    X(reverse, ch_reverse(x23(), 1, (const int[]){1})) X(get, ch_get(x23(), 2, (ch_tensor *[]){i64_0(), i64_0()})) \
    X(set, ch_set(x23(), ch_scalar(CH_F32, 9), 2, (ch_tensor *[]){i64_0(), i64_0()})) X(take, ch_take(x23(), i2(), 0)) \
    X(dynamic_slice, ch_dynamic_slice(x23(), 2, (ch_tensor *[]){i64_0(), i64_0()}, d22)) \
    X(dynamic_update_slice, ch_dynamic_update_slice(x23(), x22(), 2, (ch_tensor *[]){i64_0(), i64_0()})) \
    X(gather, ch_gather(x23(), ch_expand_dims(i2(), 1), &rows)) \
    X(scatter, ch_scatter(x23(), ch_expand_dims(i2(), 1), x23(), CH_SCATTER_ADD, &rows_back)) \
    X(one_hot, ch_one_hot(i2(), 3, CH_F32)) X(sum, ch_sum(x23(), 1, (const int[]){0})) \
    X(prod, ch_prod(x23(), 0, NULL)) \
    X(amin, ch_amin(x23(), 0, NULL)) X(amax, ch_amax(x23(), 0, NULL)) X(all, ch_all(b23(), 0, NULL)) \
    X(any, ch_any(b23(), 0, NULL)) X(sum_all, ch_sum_all(x23())) X(mean, ch_mean(x23(), 1, (const int[]){1})) \
    X(mean_all, ch_mean_all(x23())) X(var, ch_var(x23(), 0, NULL)) X(std, ch_std(x23(), 0, NULL)) \
    X(logsumexp, ch_logsumexp(x23(), 0, NULL)) X(argmin, ch_argmin(x23(), 1)) X(argmax, ch_argmax(x23(), 1)) \
    X(cumsum, ch_cumsum(x23(), 1)) X(cumprod, ch_cumprod(x23(), 1)) X(cummin, ch_cummin(x23(), 1)) \
    X(cummax, ch_cummax(x23(), 1)) X(dot, ch_dot(x22(), x23())) X(matmul, ch_matmul(x22(), x23())) \
    X(dot_general, ch_dot_general(x23(), x23(), 1, one, one, 1, zero, zero)) \
    X(conv, ch_conv(ch_reshape(x23(), 4, (const int64_t[]){1, 1, 2, 3}), ch_reshape(x22(), 4, d1122), NULL)) \
    X(max_pool, ch_max_pool(x23(), 2, d22, NULL)) X(avg_pool, ch_avg_pool(x23(), 2, d22, NULL)) \
    X(cholesky, ch_cholesky(x22())) X(triangular_solve, ch_triangular_solve(x22(), x23(), 1, 0)) \
    X(sort, ch_sort(x23(), 1, 0)) X(argsort, ch_argsort(x23(), 1, 1)) X(stop_gradient, ch_stop_gradient(x23())) \
    X(barrier, ch_barrier(x23())) \
    X(select_and_scatter, ch_select_and_scatter(x23(), ch_max_pool(x23(), 2, d22, NULL), 2, d22, NULL)) \
    X(relu, ch_relu(x23())) X(leaky_relu, ch_leaky_relu(x23(), 0.1)) X(gelu, ch_gelu(x23())) \
    X(gelu_tanh, ch_gelu_tanh(x23())) X(silu, ch_silu(x23())) X(softplus, ch_softplus(x23())) \
    X(softmax, ch_softmax(x23(), -1)) X(log_softmax, ch_log_softmax(x23(), -1)) \
    X(layer_norm, ch_layer_norm(x23(), ch_ones(CH_F32, 1, d23 + 1), ch_zeros(CH_F32, 1, d23 + 1), 1e-5)) \
    X(rms_norm, ch_rms_norm(x23(), ch_ones(CH_F32, 1, d23 + 1), 1e-5)) X(cross_entropy, ch_cross_entropy(x23(), i2())) \
    X(einsum, ch_einsum("ij,kj->ik", 2, (ch_tensor *[]){x23(), x23()})) X(contract, contracted()) \
    X(where, ch_where(b23(), x23(), x23())) X(masked_fill, ch_masked_fill(x23(), b23(), 1)) \
    X(take_along, ch_take_along(x23(), ch_expand_dims(i2(), 1), 1)) \
    X(index_set, ch_index_set(x23(), i2(), x23(), 0)) X(index_add, ch_index_add(x23(), i2(), x23(), 0)) \
    X(diagonal, ch_diagonal(x23(), 1)) X(tril, ch_tril(x23(), 0)) X(triu, ch_triu(x23(), 0)) \
    X(roll, ch_roll(x23(), 1, 1)) X(repeat, ch_repeat(x23(), 2, 0)) X(tile, ch_tile(x23(), 2, d22)) \
    X(eye, ch_eye(CH_F32, 2, 3)) \
    X(all_reduce, ch_all_reduce(x23(), CH_REDUCE_SUM, &alone)) \
    X(all_gather, ch_all_gather(x23(), 0, &alone)) \
    X(reduce_scatter, ch_reduce_scatter(x22(), CH_REDUCE_MAX, 0, &alone)) \
    X(all_to_all, ch_all_to_all(x22(), 0, 1, &alone)) \
    X(permute, ch_permute(x23(), 1, (const int64_t[]){0}, (const int64_t[]){0})) \
    X(replica_id, ch_replica_id(CH_F32)) X(shard, ch_shard(x23(), "m[a=2] [{a}, {}]")) \
    X(mse, ch_mse(x23(), x23())) X(rng_uniform, ch_rng_uniform(ch_key_tensor(ch_key_make(2)), CH_F32, 2, d23)) \
    X(rng_normal, ch_rng_normal(ch_key_tensor(ch_key_make(3)), CH_F32, 2, d23)) \
    X(rng_uniform_like, ch_rng_uniform_like(ch_key_tensor(ch_key_make(2)), x23())) \
    X(rng_normal_like, ch_rng_normal_like(ch_key_tensor(ch_key_make(3)), x23())) \
    X(rng_bits_like, ch_rng_bits_like(ch_key_tensor(ch_key_make(1)), ch_scalar(CH_U64, 0), x23())) \
    X(split_axis, ch_split_axis(x23(), 1, 2, (const int64_t[]){3, -1})) X(merge_axes, ch_merge_axes(x23(), 0, 2)) \
    X(op, ch_op("reduce", 1, (ch_tensor *[]){x23()}, "kind = max, dims = [0], tie = split")) \
    X(detach, ch_detach(ch_neg(x23()))) X(dense, ch_dense(x22(), x23(), NULL)) \
    X(activate, ch_activate(x23(), CH_SILU)) X(softmax_cross_entropy, ch_softmax_cross_entropy(x23(), i2())) \
    X(mean_squared_error, ch_mean_squared_error(x23(), x23()))
// clang-format on

static const ch_groups alone = {1, 1, NULL}; // so collectives run

// Rows of a matrix picked by a list of row numbers, and put back.
static const ch_gather_dims rows = {.n_offset = 1,
                                    .offset_dims = (const int64_t[]){1},
                                    .n_collapsed = 1,
                                    .collapsed = (const int64_t[]){0},
                                    .n_index_map = 1,
                                    .index_map = (const int64_t[]){0},
                                    .n_sizes = 2,
                                    .sizes = (const int64_t[]){1, 3},
                                    .index_dim = 1};
static const ch_scatter_dims rows_back = {.n_window = 1,
                                          .window_dims = (const int64_t[]){1},
                                          .n_inserted = 1,
                                          .inserted = (const int64_t[]){0},
                                          .n_index_map = 1,
                                          .index_map = (const int64_t[]){0},
                                          .index_dim = 1};

#define X(name, expression)                                                                                            \
    static ch_status op_##name(void) { return realized(expression); }
OPS(X)
#undef X

// A part, in place and beside a reader of the old value; then the whole.
static ch_status assigned(void) {
    static const volatile int never = 0;
    ch_tensor *x = ch_keep(x23()), *old = ch_add(x, x);
    ch_status s = ch_assign(ch_slice_axis(ch_transpose(x, 2, NULL), 0, 1, 2), ch_scalar(CH_F32, 7));
    if (s == CH_OK)
        s = ch_assign(ch_slice(x, 2, (const int64_t[]){0, 0}, (const int64_t[]){2, 3}, (const int64_t[]){1, 2}), x22());
    ch_set_cancel(&never);
    if (s == CH_OK) s = ch_realize(x);
    if (s == CH_OK) s = ch_assign(x, ch_neg(x));
    if (s == CH_OK) s = ch_realize_all(2, (ch_tensor *[]){x, old});
    if (s == CH_OK && ch_data(ch_reverse(x, 1, one)) == NULL) s = CH_RESOURCE_EXHAUSTED;
    ch_set_cancel(NULL);
    ch_release(x);
    return s;
}

static ch_status random_keys(void) {
    ch_rng *r = NULL, *child = NULL;
    ch_tensor *out[2];
    ch_status s = ch_rng_create(3, &r);
    if (s == CH_OK) s = ch_rng_split(r, &child);
    if (s == CH_OK) s = ch_realize(ch_rng_key(child));
    if (s == CH_OK) ch_op_n("sort", 2, (ch_tensor *[]){x23(), x23()}, "dim = 1, descending = true", 2, out);
    if (s == CH_OK) s = ch_realize_all(2, out);
    ch_rng_destroy(r);
    ch_rng_destroy(child);
    return s;
}

static ch_status op_top_k(void) {
    ch_tensor *out[2];
    ch_top_k(x23(), 2, &out[0], &out[1]);
    return ch_realize_all(2, out);
}

// ---------------------------------------------------------------- tensors
static ch_status reading(void) {
    float f[6];
    double d = 0;
    int32_t i[2];
    int64_t l = 0;
    CH_TRY(ch_read_f32(ch_neg(x23()), f, 6));
    CH_TRY(ch_read_bytes(x23(), f, sizeof f));
    CH_TRY(ch_read_i32(i2(), i, 2));
    CH_TRY(ch_read_i64(i64_0(), &l, 1));
    CH_TRY(ch_read_f64(ch_from_f64(&(const double){2}, 0, NULL), &d, 1));
    CH_TRY(ch_item(ch_sum_all(x23()), &d));
    CH_TRY(ch_print(ch_neg(x23()), sink));
    ch_tensor *data = ch_from_data(CH_F32, x_data, 2, d23);
    CH_TRY(ch_check(data));
    return ch_data(data) != NULL ? CH_OK : ch_realize(data);
}

static ch_status borrowing(void) {
    static float memory[6];
    return realized(ch_neg(ch_borrow(CH_F32, memory, 2, d23, NULL, NULL)));
}

static ch_status scopes(void) {
    ch_scope s = ch_scope_begin();
    ch_tensor *t = ch_neg(x23()), *kept = NULL;
    const ch_status status = ch_realize(t);
    if (status == CH_OK) kept = ch_keep(t);
    const ch_status ended = ch_scope_end(s);
    ch_release(kept);
    return status != CH_OK ? status : ended;
}

static ch_status gradients(void) {
    ch_tensor *x = x23(), *w = x22(), *g[2];
    ch_tensor *y = ch_sum_all(ch_relu(ch_dot(w, x)));
    CH_TRY(realized(ch_grad(y, x)));
    ch_grads(y, 2, (ch_tensor *[]){x, w}, g);
    return ch_realize_all(2, g);
}

// ---------------------------------------------------------------- funcs
static ch_status parsed(ch_func **out) { return ch_func_parse(ir_text, "fault.ir", out); }

static ch_status func_text(void) {
    ch_func *f = NULL, *g = NULL;
    char *text = NULL;
    ch_status s = parsed(&f);
    if (s == CH_OK) s = ch_func_to_text(f, &text);
    if (s == CH_OK) s = ch_func_print(f, sink);
    if (s == CH_OK) s = ch_func_clone(f, &g);
    ch_func_destroy(g);
    g = NULL;
    if (s == CH_OK) s = ch_func_load(ir_path, NULL, &g);
    ch_func_destroy(g);
    ch_string_free(text);
    ch_func_destroy(f);
    return s;
}

static ch_status func_c(void) {
    ch_func *f = NULL;
    char *text = NULL;
    ch_status s = parsed(&f);
    if (s == CH_OK) s = ch_func_to_c(f, &text);
    if (s == CH_OK) s = ch_func_print_c(f, sink);
    if (s == CH_OK) s = ch_explain_kept(f, NULL, sink);
    ch_string_free(text);
    ch_func_destroy(f);
    return s;
}

static ch_status profiles(void) {
    ch_func *f = NULL;
    ch_exec *e = NULL;
    ch_profile_begin();
    ch_status s = parsed(&f);
    if (s == CH_OK) s = ch_compile(f, ch_engine_default(), NULL, &e);
    if (s == CH_OK) s = ch_profile_end(NULL, 0);
    ch_exec_release(e);
    ch_func_destroy(f);
    return s;
}

static ch_status cache_commands(void) {
    ch_status s = ch_cache_list(NULL, NULL);
    if (s == CH_OK) s = ch_cache_verify(NULL, NULL);
    if (s == CH_OK) s = ch_cache_clear(NULL, NULL);
    return s;
}

static ch_status func_build(void) {
    ch_func *f = NULL;
    char *source = NULL, *header = NULL;
    int64_t size = 3;
    ch_status s = parsed(&f);
    const char *symbol = f != NULL ? ch_func_size_name(f, 0) : NULL;
    const ch_build_options o = {
        .struct_size = sizeof o, .name = "model", .n_sizes = symbol != NULL, .size_names = &symbol, .sizes = &size};
    if (s == CH_OK) s = ch_func_build(f, &o, &source, &header);
    ch_string_free(source);
    ch_string_free(header);
    ch_func_destroy(f);
    return s;
}

// A func with nested loops, one of which changes an array in place: what it keeps, by a policy too.
static ch_status policies(void) {
    static const char text[] = "chaac-ir 1\nfunc @f(%x: f64[8]) -> f64[8] {\n  %i0 = const {value = 0} : i64[]\n"
                               "  %i1 = const {value = 1} : i64[]\n  %n = const {value = 8} : i64[]\n"
                               "  %one = const {value = 1} : f64[]\n"
                               "  %y = for %i = %i0 to %n step %i1 iter(%a = %x) {\n"
                               "    %b = for %j = %i to %n step %i1 iter(%b = %a) {\n"
                               "      %s = for %k = %i0 to %j step %i1 iter(%s = %one) {\n"
                               "        %u = get %b[%k] : f64[]\n        %v = mul %u, %s : f64[]\n"
                               "        %w = sin %v : f64[]\n        yield %w\n      } : f64[]\n"
                               "      %c = set %b[%j], %s : f64[8]\n      yield %c\n    } : f64[8]\n"
                               "    yield %b\n  } : f64[8]\n  return %y\n}\n";
    ch_func *f = NULL, *g = NULL, *v = NULL;
    ch_status s = ch_func_parse(text, "f.ir", &f);
    if (s == CH_OK) s = ch_func_with_policy(f, "sqrt", &g);
    if (s == CH_OK) s = ch_vjp(g, NULL, 1, &v);
    if (s == CH_OK) s = ch_explain_kept(f, NULL, sink);
    ch_func_destroy(v);
    ch_func_destroy(g);
    ch_func_destroy(f);
    return s;
}

static ch_status transformed(ch_status (*transform)(const ch_func *f, ch_func **out)) {
    ch_func *f = NULL, *g = NULL;
    ch_status s = parsed(&f);
    if (s == CH_OK) s = transform(f, &g);
    ch_func_destroy(g);
    ch_func_destroy(f);
    return s;
}
static ch_status fold_pass(const ch_func *f, ch_func **out) { return ch_func_run_pass(f, "fold", out); }
static ch_status all_grads(const ch_func *f, ch_func **out) { return ch_value_and_grad(f, NULL, out); }
static ch_status some_grads(const ch_func *f, ch_func **out) { return ch_gradient(f, "w, b", out); }
static ch_status pullback(const ch_func *f, ch_func **out) { return ch_vjp(f, "x", 1, out); }
static ch_status pushforward(const ch_func *f, ch_func **out) { return ch_jvp(f, "x, w", 1, out); }
static ch_status jacobian_of_b(const ch_func *f, ch_func **out) { return ch_jacobian(f, "b", out); }
static ch_status hessian_of_b(const ch_func *f, ch_func **out) { return ch_hessian(f, "b", out); }
static ch_status hvp_of_b(const ch_func *f, ch_func **out) { return ch_hvp(f, "b", out); }
static ch_status jvp(void) { return transformed(pushforward); }
static ch_status jacobian(void) { return transformed(jacobian_of_b); }
static ch_status hessian(void) { return transformed(hessian_of_b); }
static ch_status hvp(void) { return transformed(hvp_of_b); }
static ch_status simplify(void) { return transformed(ch_func_simplify); }
static ch_status run_pass(void) { return transformed(fold_pass); }
static ch_status widen(void) { return transformed(ch_func_widen); }
static ch_status value_and_grad(void) { return transformed(all_grads); }
static ch_status gradient(void) { return transformed(some_grads); }
static ch_status vjp(void) { return transformed(pullback); }

// ---------------------------------------------------------------- custom derivatives
static ch_status fn_square(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    out[0] = ch_mul(ch_mul(in[0], in[0]), user);
    return CH_OK;
}
static ch_status fn_square_vjp(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    out[0] = ch_mul(ch_mul(in[0], user), in[2]);
    return CH_OK;
}
static ch_status fn_square_jvp(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    out[0] = ch_mul(ch_mul(in[0], user), in[1]);
    return CH_OK;
}
static ch_status fn_slope(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    out[0] = ch_mul(in[1], user);
    return CH_OK;
}
static ch_status custom(void) {
    ch_tensor *x = x23(), *k = ch_scalar(CH_F32, 2), *y;
    ch_custom("square", fn_square, fn_square_vjp, fn_square_jvp, k, 1, &x, 1, &y);
    return realized(ch_grad(ch_sum_all(y), x));
}
static ch_status custom_vjp(void) {
    ch_tensor *x = x23(), *y;
    ch_custom_vjp("square", fn_square, fn_square_vjp, ch_scalar(CH_F32, 2), 1, &x, 1, &y);
    return realized(y);
}
static ch_status custom_jvp(void) {
    ch_tensor *x = x23(), *y;
    ch_custom_jvp("square", fn_square, fn_square_jvp, ch_scalar(CH_F32, 2), 1, &x, 1, &y);
    return realized(y);
}
static ch_status remat(void) {
    ch_tensor *x = x23(), *y;
    ch_remat("square", fn_square, ch_scalar(CH_F32, 2), 1, &x, 1, &y);
    return realized(ch_grad(ch_sum_all(y), x));
}
static ch_status composite(void) {
    ch_tensor *x = x23(), *y;
    ch_composite("square", "n = 2", fn_square, ch_scalar(CH_F32, 2), 1, &x, 1, &y);
    CH_TRY(realized(ch_grad(ch_sum_all(y), x)));
    ch_kernel("square", "n = 2", fn_square, NULL, NULL, ch_scalar(CH_F32, 2), 1, &x, 1, &y);
    return realized(ch_grad(ch_sum_all(y), x));
}
static ch_status rk4(void) {
    ch_tensor *y = x23(), *out;
    ch_rk4(fn_slope, ch_scalar(CH_F32, 2), ch_scalar(CH_F32, 0), ch_scalar(CH_F32, 0.5), ch_scalar(CH_I64, 2), 1, &y,
           &out);
    return realized(out);
}
static ch_status tangent(void) {
    ch_tensor *x = x23(), *y;
    ch_custom_jvp("square", fn_square, fn_square_jvp, ch_scalar(CH_F32, 2), 1, &x, 1, &y);
    return realized(ch_tangent(ch_sin(y), 1, &x, (ch_tensor *[]){x23()}));
}
static ch_status named(void) { return realized(ch_name_axes(x23(), "rows, _")); }
static ch_status fn_small(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_lt(in[0], ch_scalar(CH_F32, 9));
    return CH_OK;
}
static ch_status fn_grow(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_out;
    out[0] = ch_mul(in[n_in - 1], user);
    return CH_OK;
}
static ch_status controlled(void) {
    ch_tensor *x = ch_scalar(CH_F32, 1), *two = ch_scalar(CH_F32, 2), *a, *b, *c;
    ch_if(ch_gt(two, x), fn_grow, fn_square, two, 1, &x, 1, &a);
    ch_for(i64_0(), ch_scalar(CH_I64, 2), ch_scalar(CH_I64, 1), fn_grow, two, 1, &a, &b);
    CH_TRY(realized(ch_grad(b, x)));
    ch_while(fn_small, fn_grow, two, 1, &b, &c);
    CH_TRY(realized(c));
    ch_for_policy("sqrt", i64_0(), ch_scalar(CH_I64, 2), ch_scalar(CH_I64, 1), fn_grow, two, 1, &x, &b);
    ch_while_policy("recompute", fn_small, fn_grow, two, 1, &x, &c);
    return realized(ch_grad(ch_add(b, c), x));
}
static ch_status checked(ch_status (*check)(const ch_func *, int, ch_tensor *const *, const ch_check_options *,
                                            FILE *)) {
    ch_func *f = NULL;
    const ch_check_options o = {.struct_size = sizeof o, .most_elements = 1};
    ch_status s =
        ch_func_parse("chaac-ir 1 func @f(%x: f32[n]) -> f32[] { %y = mul %x, %x : f32[n] %s = reduce %y {kind "
                      "= sum, dims = [0]} : f32[] return %s }",
                      "check", &f);
    if (s == CH_OK) s = check(f, 1, (ch_tensor *[]){ch_from_f32(x_data, 1, d2)}, &o, sink);
    ch_func_destroy(f);
    return s;
}
static ch_status check_grad(void) { return checked(ch_check_grad); }
static ch_status check_vjp(void) { return checked(ch_check_vjp); }
static ch_status check_jvp(void) { return checked(ch_check_jvp); }

static ch_status running(void) {
    ch_func *f = NULL;
    ch_exec *e = NULL;
    ch_tensor *in[3] = {x23(), ch_from_f32(x_data, 2, d32), ch_from_f32(x_data, 1, d2)}, *out[1] = {NULL};
    const ch_run_options options = {.struct_size = sizeof options, .max_steps = 1000};
    ch_status s = parsed(&f);
    if (s == CH_OK) s = ch_compile(f, "interp", NULL, &e);
    if (s == CH_OK) s = ch_exec_run(e, 3, in, 1, out);
    if (s == CH_OK) s = ch_exec_run_with(e, &options, 3, in, 1, out);
    if (s == CH_OK) ch_func_apply(f, 3, in, 1, in), s = ch_realize(in[0]);
    if (s == CH_OK) s = ch_explain(f, sink);
    if (s == CH_OK) s = ch_func_draw(f, "svg", sink);
    if (s == CH_OK) s = ch_func_draw(f, "dot", sink);
    ch_release(out[0]);
    ch_exec_release(e);
    ch_func_destroy(f);
    return s;
}

static ch_status mlp_loss(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    ch_tensor *h = ch_relu(ch_add(ch_dot(in[0], in[2]), in[3]));
    out[0] = ch_cross_entropy(ch_add(ch_dot(h, in[4]), in[5]), in[1]);
    return CH_OK;
}

// Capture, gradient, print and run of a network, as a user would.
static ch_status mlp(void) {
    ch_func *f = NULL, *step = NULL;
    ch_exec *e = NULL;
    ch_tensor *out[5] = {NULL};
    ch_status s =
        ch_capture(mlp_loss, NULL, "x: f32[n,3], y: i32[n], w1: f32[3,4], b1: f32[4], w2: f32[4,2], b2: f32[2]", 1, &f);
    if (s == CH_OK) s = ch_value_and_grad(f, "w1, b1, w2, b2", &step);
    if (s == CH_OK) s = ch_func_print(step, sink);
    if (s == CH_OK) s = ch_compile(step, "interp", NULL, &e);
    if (s == CH_OK) {
        ch_tensor *in[6] = {x23(),
                            i2(),
                            ch_full(CH_F32, 0.5, 2, (const int64_t[]){3, 4}),
                            ch_zeros(CH_F32, 1, (const int64_t[]){4}),
                            ch_full(CH_F32, 0.25, 2, (const int64_t[]){4, 2}),
                            ch_zeros(CH_F32, 1, d2)};
        s = ch_exec_run(e, 6, in, 5, out);
    }
    for (int i = 0; i < 5; i++) ch_release(out[i]);
    ch_exec_release(e);
    ch_func_destroy(step);
    ch_func_destroy(f);
    return s;
}

static ch_status capture_with(void) {
    const ch_capture_options o = {.struct_size = sizeof o, .name = "loss", .strict = 1};
    ch_func *f = NULL;
    ch_status s = ch_capture_with(&o, mlp_loss, NULL,
                                  "x: f32[n,3], y: i32[n], w1: f32[3,4], b1: f32[4], w2: f32[4,2], b2: f32[2]", 1, &f);
    ch_func_destroy(f);
    return s;
}

static ch_status tracing(void) {
    ch_trace *t = NULL;
    ch_func *f = NULL;
    CH_TRY(ch_trace_begin("x: f32[n]", &t));
    ch_tensor *y = ch_sum_all(ch_exp(ch_trace_input(t, 0)));
    CH_TRY(ch_trace_end(t, 1, &y, &f));
    ch_func_destroy(f);
    CH_TRY(ch_trace_begin("x: f32[n]", &t));
    ch_trace_abandon(t);
    return CH_OK;
}

// ---------------------------------------------------------------- files
static ch_status npy(void) {
    ch_tensor *back = NULL;
    CH_TRY(ch_npy_save(npy_path, x23()));
    CH_TRY(ch_npy_load(npy_path, &back));
    ch_release(back);
    return CH_OK;
}

static ch_status npy_memory(void) {
    static const char head[] = "\x93NUMPY\x01\0\x40\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
    char file[10 + 0x40 + 4] = {0};
    memset(file, ' ', sizeof file - 4);
    memcpy(file, head, sizeof head - 1);
    file[sizeof file - 5] = '\n';
    ch_tensor *back = NULL;
    CH_TRY(ch_npy_load_memory(file, sizeof file, "memory", &back));
    ch_release(back);
    return CH_OK;
}

static ch_status npz(void) {
    ch_npz *f = NULL;
    ch_tensor *back = NULL, *t[2] = {x23(), i2()};
    CH_TRY(ch_npz_save(npz_path, 2, (const char *[]){"x", "i"}, t, 0));
    CH_TRY(ch_npz_save(npz_path, 2, (const char *[]){"x", "i"}, t, 1));
    CH_TRY(ch_npz_open(npz_path, &f));
    const ch_status s = ch_npz_read(f, "x", &back);
    ch_release(back);
    ch_npz_close(f);
    return s;
}

static ch_status npz_memory(void) { // an archive of nothing
    ch_npz *f = NULL;
    CH_TRY(ch_npz_open_memory("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22, "memory", &f));
    ch_npz_close(f);
    return CH_OK;
}

static ch_status dlpack(void) {
    DLManagedTensorVersioned *m = NULL;
    DLManagedTensor *old = NULL;
    ch_tensor *back = NULL;
    CH_TRY(ch_dlpack_export(x23(), 1, &m));
    CH_TRY(ch_dlpack_import(m, &back));
    ch_release(back);
    CH_TRY(ch_dlpack_export_legacy(x23(), &old));
    CH_TRY(ch_dlpack_import_legacy(old, &back));
    ch_release(back);
    return CH_OK;
}

static ch_status csv(void) {
    ch_csv *c = NULL;
    ch_tensor *back = NULL;
    CH_TRY(ch_csv_save(csv_path, (const char *[]){"a", "b", "c"}, x23()));
    CH_TRY(ch_csv_load(csv_path, NULL, &back));
    ch_release(back);
    CH_TRY(ch_csv_open_memory("a,b\n1,2\n", 8, "memory", NULL, &c));
    ch_csv_close(c);
    CH_TRY(ch_csv_open(csv_path, NULL, &c));
    const ch_status s = ch_csv_read(c, &back);
    ch_release(back);
    ch_csv_close(c);
    return s;
}

static ch_status raw(void) {
    ch_tensor *back = NULL;
    CH_TRY(ch_raw_save(csv_path, x23()));
    CH_TRY(ch_raw_load(csv_path, CH_F32, 2, d23, &back));
    ch_release(back);
    return CH_OK;
}

static ch_status checkpoint(void) {
    ch_checkpoint *c = NULL;
    ch_tensor *t = x23(), *back = NULL;
    int64_t step = 0;
    CH_TRY(ch_checkpoint_create(&c));
    ch_status s = ch_checkpoint_put(c, "model", "w", t);
    if (s == CH_OK) s = ch_checkpoint_put_i64(c, "step", 3);
    if (s == CH_OK) s = ch_checkpoint_put_text(c, "note", "x");
    if (s == CH_OK) s = ch_checkpoint_save(c, st_path);
    ch_checkpoint_close(c);
    c = NULL;
    if (s == CH_OK) s = ch_checkpoint_open(st_path, &c);
    if (s == CH_OK) s = ch_checkpoint_match(c, "model", 1, (const char *[]){"w"}, &t);
    if (s == CH_OK) s = ch_checkpoint_get_i64(c, "step", &step);
    if (s == CH_OK) s = ch_checkpoint_get(c, "model", "w", &back);
    ch_release(back);
    ch_checkpoint_close(c);
    return s;
}

static ch_status trainer_checkpoint(void) {
    ch_model *m = ch_mlp((const int64_t[]){3, 2}, 2, CH_RELU, ch_key_make(5));
    ch_trainer *t = NULL;
    ch_batches *b = NULL;
    if (m == NULL) return CH_RESOURCE_EXHAUSTED;
    ch_status s = ch_trainer_create(m, ch_softmax_cross_entropy, ch_adam(0.1), "interp", &t);
    if (s == CH_OK) s = ch_batches_create(x23(), i2(), 1, ch_key_make(1), &b);
    if (s == CH_OK) s = ch_trainer_save(t, b, st_path);
    if (s == CH_OK) s = ch_trainer_load(t, b, st_path);
    ch_batches_destroy(b);
    ch_trainer_destroy(t);
    ch_model_destroy(m);
    return s;
}

static const unsigned char idx_bytes[10] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 9};

static ch_status idx(void) {
    ch_tensor *back = NULL;
    CH_TRY(ch_idx_load(idx_path, &back));
    ch_release(back);
    CH_TRY(ch_idx_load_memory(idx_bytes, sizeof idx_bytes, "memory", &back));
    ch_release(back);
    return CH_OK;
}

static ch_status safetensors(void) {
    ch_safetensors *f = NULL;
    ch_tensor *t = x23(), *back = NULL;
    const char *name = "w", *key = "format", *value = "pt";
    CH_TRY(ch_safetensors_save(st_path, 1, &name, &t, 1, &key, &value));
    CH_TRY(ch_safetensors_open(st_path, &f));
    const ch_status s = ch_safetensors_read(f, "w", &back);
    ch_release(back);
    ch_safetensors_close(f);
    return s;
}

static ch_status safetensors_view(void) {
    ch_safetensors *f = NULL;
    ch_tensor *back = NULL, *t = x23();
    const char *const names[] = {"w", "v"};
    const ch_safetensors_options o = {.struct_size = sizeof o, .tie = 1};
    CH_TRY(ch_safetensors_save_with(&o, st_path, 2, names, (ch_tensor *[]){t, t}));
    CH_TRY(ch_safetensors_open(st_path, &f));
    const ch_status s = ch_safetensors_view(f, "w", &back);
    ch_release(back);
    ch_safetensors_close(f);
    return s;
}

static ch_status safetensors_memory(void) {
    static const char text[] =
        "\x38\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}      !";
    ch_safetensors *f = NULL;
    CH_TRY(ch_safetensors_open_memory(text, 8 + 0x38 + 1, "memory", &f));
    ch_safetensors_close(f);
    return CH_OK;
}

#include "scenarios_nn.h"

#include "scenarios_devices.h"
#include "scenarios_hlo.h"
#include "scenarios_jit.h"
#include "scenarios_pjrt.h"

static ch_status error_tensor(void) {
    ch_error_set("unsupported", "a function of the user's");
    ch_tensor *t = ch_error_tensor();
    const ch_status s = ch_realize(t);
    return s == CH_UNIMPLEMENTED ? CH_OK : s;
}

static ch_status memory(void) {
    void *p = ch_memory_alloc(100);
    ch_memory_free(p);
    return p ? CH_OK : ch_error_set("out_of_memory", "memory: none");
}

// ---------------------------------------------------------------- the runner
typedef struct scenario {
    const char *name;
    ch_status (*run)(void);
} scenario;

static const scenario scenarios[] = {
#define X(name, expression) {#name, op_##name},
    OPS(X)
#undef X
        {"top_k", op_top_k},
    {"assign", assigned},
    {"random keys, several results by name", random_keys},
    {"jit", jits},
    {"reading", reading},
    {"borrow", borrowing},
    {"scopes", scopes},
    {"gradients", gradients},
    {"func text", func_text},
    {"func as C", func_c},
    {"func as a model", func_build},
    {"the disk cache", cache_commands},
    {"profiles", profiles},
    {"policies of loops, what is kept", policies},
    {"simplify", simplify},
    {"run_pass", run_pass},
    {"widen", widen},
    {"value_and_grad", value_and_grad},
    {"gradient", gradient},
    {"vjp", vjp},
    {"jvp", jvp},
    {"jacobian", jacobian},
    {"hessian", hessian},
    {"hvp", hvp},
    {"tangent", tangent},
    {"named axes", named},
    {"if, for and while", controlled},
    {"custom rules, both", custom},
    {"custom_vjp", custom_vjp},
    {"custom_jvp", custom_jvp},
    {"remat", remat},
    {"composite", composite},
    {"rk4", rk4},
    {"check_grad", check_grad},
    {"check_vjp", check_vjp},
    {"check_jvp", check_jvp},
    {"compile and run", running},
    {"capture, gradient, print and run of a network", mlp},
    {"capture_with", capture_with},
    {"trace", tracing},
    {"replicas", replicas_run},
    {"replicas of a gradient", replicas_gradient},
    {"StableHLO", hlo},
    {"StableHLO: scatters, composites, tapes", hlo_more},
    {"npy", npy},
    {"npy from memory", npy_memory},
    {"npz", npz},
    {"npz from memory", npz_memory},
    {"dlpack", dlpack},
    {"csv", csv},
    {"checkpoint", checkpoint},
    {"checkpoint of a trainer", trainer_checkpoint},
    {"raw", raw},
    {"idx", idx},
    {"safetensors", safetensors},
    {"safetensors mapped and tied", safetensors_view},
    {"safetensors from memory", safetensors_memory},
    PJRT_SCENARIOS NN_SCENARIOS{"error_tensor", error_tensor},
    {"memory", memory},
};
enum { N = sizeof scenarios / sizeof *scenarios };

// Public functions that allocate nothing: constants, getters, counters, releases, switches.
static const char *const nothing[] = {
    NN_NOTHING PJRT_NOTHING "ch_config_default",
    "ch_config_name",
    "ch_cache_folder",
    "ch_config_value",
    "ch_config_what",
    "ch_checkpoint_count",
    "ch_checkpoint_name",
    "ch_checkpoint_text",
    "ch_csv_columns",
    "ch_csv_find",
    "ch_csv_name",
    "ch_csv_rows",
    "ch_dtype_from_name",
    "ch_dtype_name",
    "ch_dtype_size",
    "ch_engine_default",
    "ch_engine_name",
    "ch_engine_ready",
    "ch_engine_what",
    "ch_error_clear",
    "ch_error_explain",
    "ch_error_id",
    "ch_error_id_at",
    "ch_error_message",
    "ch_error_set",
    "ch_exec_retain",
    "ch_exec_tier",
    "ch_func_bytes",
    "ch_func_count",
    "ch_func_name",
    "ch_func_num_ops",
    "ch_func_num_params",
    "ch_func_num_results",
    "ch_func_param_dims",
    "ch_func_param_dtype",
    "ch_func_param_name",
    "ch_func_param_type",
    "ch_func_result_name",
    "ch_func_result_type",
    "ch_func_size_name",
    "ch_function_name",
    "ch_function_parameters",
    "ch_function_what",
    "ch_is_realized",
    "ch_key_fold",
    "ch_memory_free",
    "ch_npz_count",
    "ch_npz_find",
    "ch_npz_name",
    "ch_op_attribute",
    "ch_op_max_operands",
    "ch_op_min_operands",
    "ch_op_name",
    "ch_op_operands",
    "ch_op_what",
    "ch_pass_name",
    "ch_pass_what",
    "ch_rng_restore",
    "ch_rng_save",
    "ch_rng_seed",
    "ch_safetensors_count",
    "ch_safetensors_dims",
    "ch_safetensors_dtype",
    "ch_safetensors_find",
    "ch_safetensors_metadata",
    "ch_safetensors_metadata_key",
    "ch_safetensors_name",
    "ch_safetensors_rank",
    "ch_set_allocator",
    "ch_set_log",
    "ch_status_name",
    "ch_tensor_dim",
    "ch_tensor_dtype",
    "ch_tensor_numel",
    "ch_tensor_rank",
    "ch_tensor_type",
    "ch_tensors_alive",
    "ch_version",
};

// One run; everything it made on this thread is gone afterwards.
static ch_status once(const scenario *s) {
    ch_error_clear();
    const ch_status status = s->run();
    ch__alloc_fail_at(0, false);
    return status;
}

static int report(bool ok, int i, const char *name, const char *why) {
    printf("%s %d - %s%s%s\n", ok ? "ok" : "not ok", i, name, *why ? ": " : "", why);
    fflush(stdout);
    return ok ? 0 : 1;
}

static int try_scenario(int i, const scenario *s) {
    char why[1400] = "";
    if (once(s) != CH_OK) { // also warms what is made once
        snprintf(why, sizeof why, "fails undisturbed: %s", ch_error_message());
        ch_thread_end();
        return report(false, i, s->name, why);
    }
    ch_thread_end();
    const int64_t live = ch__alloc_live(), before = ch__alloc_count();
    (void)once(s);
    const int64_t count = ch__alloc_count() - before;
    ch_thread_end();
    if (ch__alloc_live() != live) {
        snprintf(why, sizeof why, "%lld allocations left behind, undisturbed", (long long)(ch__alloc_live() - live));
        return report(false, i, s->name, why);
    }
    if (count > MOST) return report(false, i, s->name, "too many allocations for this test");
    for (int64_t n = 1; n <= count && !*why; n++) {
        ch_error_clear();
        ch__alloc_fail_at(n, false);
        const ch_status status = once(s);
        if (status != CH_OK && status != CH_RESOURCE_EXHAUSTED)
            snprintf(why, sizeof why, "allocation %lld of %lld fails: status %s, %s", (long long)n, (long long)count,
                     ch_status_name(status), ch_error_message());
        else if (status != CH_OK && ch_error_message()[0] == 0)
            snprintf(why, sizeof why, "allocation %lld of %lld fails: no sentence", (long long)n, (long long)count);
        ch_thread_end();
        if (!*why && ch__alloc_live() != live)
            snprintf(why, sizeof why, "allocation %lld of %lld fails: %lld left behind", (long long)n, (long long)count,
                     (long long)(ch__alloc_live() - live));
    }
    return report(!*why, i, s->name, why);
}

static char *whole(const char *root, const char *path) {
    char full[4096], *data = NULL;
    size_t n = 0;
    snprintf(full, sizeof full, "%s/%s", root, path);
    return ch__file_read(full, 0, &data, &n) == CH_OK ? data : NULL;
}

// Is name, without _at, a word of text?
static bool is_word(const char *text, const char *name) {
    size_t n = strlen(name);
    if (n > 3 && strcmp(name + n - 3, "_at") == 0 && strcmp(name, "ch_error_id_at") != 0) n -= 3;
    for (const char *s = text; (s = strstr(s, "ch_")) != NULL; s += 3)
        if (strncmp(s, name, n) == 0 && !strchr("abcdefghijklmnopqrstuvwxyz_0123456789", s[n]) &&
            (s == text || !strchr("abcdefghijklmnopqrstuvwxyz_0123456789", s[-1])))
            return true;
    return false;
}

static int every_function(int i, const char *root) {
    static const char *const paths[] = {"tests/fault/fault.c",         "tests/fault/scenarios_devices.h",
                                        "tests/fault/scenarios_hlo.h", "tests/fault/scenarios_jit.h",
                                        "tests/fault/scenarios_nn.h",  "tests/fault/scenarios_pjrt.h"};
    enum { FILES = sizeof paths / sizeof *paths };
    char *symbols = whole(root, "abi/symbols.txt"), *source[FILES], missing[1200] = "";
    bool all = symbols != NULL;
    for (int k = 0; k < FILES; k++) all = (source[k] = whole(root, paths[k])) != NULL && all;
    char *state = NULL;
    int n = 0;
    for (char *name = all ? strtok_r(symbols, "\n", &state) : NULL; name; name = strtok_r(NULL, "\n", &state), n++) {
        bool known = false;
        for (int k = 0; !known && k < FILES; k++) known = is_word(source[k], name);
        for (size_t k = 0; !known && k < sizeof nothing / sizeof *nothing; k++) known = strcmp(nothing[k], name) == 0;
        if (!known && strlen(missing) + strlen(name) + 2 < sizeof missing) strcat(strcat(missing, " "), name);
    }
    if (n == 0) strcpy(missing, all ? " abi/symbols.txt is empty" : " files cannot be read");
    ch__free(symbols);
    for (int k = 0; k < FILES; k++) ch__free(source[k]);
    return report(!*missing, i, "every public function is in a scenario or allocates nothing", missing);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s ROOT\n", argv[0]);
        return 2;
    }
    sink = fopen("/dev/null", "w");
    if (!sink || !mkdtemp(folder) || iree_begin() != CH_OK) return 1;
    snprintf(npy_path, sizeof npy_path, "%s/x.npy", folder);
    snprintf(npz_path, sizeof npz_path, "%s/x.npz", folder);
    snprintf(csv_path, sizeof csv_path, "%s/x.csv", folder);
    snprintf(st_path, sizeof st_path, "%s/x.safetensors", folder);
    snprintf(ir_path, sizeof ir_path, "%s/f.ir", folder);
    snprintf(idx_path, sizeof idx_path, "%s/x.idx", folder);
    snprintf(hlo_path, sizeof hlo_path, "%s/f.mlir", folder);
    if (ch__file_write_atomic(ir_path, ir_text, strlen(ir_text)) != CH_OK ||
        ch__file_write_atomic(idx_path, idx_bytes, sizeof idx_bytes) != CH_OK ||
        ch__file_write_atomic(hlo_path, hlo_text, strlen(hlo_text)) != CH_OK)
        return 1;
    printf("1..%d\n", N + 1);
    int failed = 0;
    for (int i = 0; i < N; i++) failed += try_scenario(i + 1, &scenarios[i]);
    failed += every_function(N + 1, argv[1]);
    const char *const paths[] = {npy_path, npz_path, csv_path, st_path, ir_path, idx_path, hlo_path};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) unlink(paths[i]);
    iree_end();
    // A writer that failed half way has removed what it wrote: the folder is empty.
    if (rmdir(folder) != 0) {
        printf("# %s is not empty\n", folder);
        failed++;
    }
    fclose(sink);
    return failed ? 1 : 0;
}
