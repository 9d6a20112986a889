// SPDX-License-Identifier: Apache-2.0
// test_interp_dot.c - dot, conv and reduce have the bits of the plain loop, whatever the layout, size and thread count.
#include "interp_run.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t seed = 1;
static uint64_t next_u64(void) { return ch__hash_u64(seed++); }
static int64_t below(int64_t n) { return (int64_t)(next_u64() % (uint64_t)n); }

// n elements of dtype d: floats of mixed size and sign, integers of any bits.
static void fill(void *to, ch_dtype d, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        void *at = (char *)to + (size_t)i * ch_dtype_size(d);
        uint64_t r = next_u64();
        if (ch__is_float(d)) {
            double v = ((double)(int64_t)r / 9.3e18) * (double)(1 << (r & 7));
            ch__convert_n(at, d, &v, CH_F64, 1);
        } else {
            memcpy(at, &r, ch_dtype_size(d));
        }
    }
}

// One step c + a*b in dtype acc, the slow way: each of the two operations rounded to acc.
static void step(ch_dtype acc, void *c, const void *a, const void *b) {
    if (acc == CH_F64) {
        double x, y, z;
        memcpy(&x, a, 8), memcpy(&y, b, 8), memcpy(&z, c, 8);
        volatile double p = x * y;
        z += p;
        memcpy(c, &z, 8);
    } else if (ch__is_float(acc)) {
        float x, y, z;
        uint16_t h = 0;
        ch__convert_n(&x, CH_F32, a, acc, 1), ch__convert_n(&y, CH_F32, b, acc, 1),
            ch__convert_n(&z, CH_F32, c, acc, 1);
        volatile float p = x * y;
        float q = p;
        if (acc != CH_F32) ch__convert_n(&h, acc, &q, CH_F32, 1), ch__convert_n(&q, CH_F32, &h, acc, 1);
        z += q;
        ch__convert_n(c, acc, &z, CH_F32, 1);
    } else {
        uint64_t x, y, z;
        ch__convert_n(&x, CH_U64, a, acc, 1), ch__convert_n(&y, CH_U64, b, acc, 1),
            ch__convert_n(&z, CH_U64, c, acc, 1);
        z += x * y;
        ch__convert_n(c, acc, &z, CH_U64, 1);
    }
}

// ---------------------------------------------------------------- dot
typedef struct {
    int n;
    int64_t dims[6], stride[6];
} operand;

static int64_t shape_operand(operand *o) {
    int64_t n = 1;
    for (int i = o->n - 1; i >= 0; i--) o->stride[i] = n, n *= o->dims[i];
    return n;
}

static void type_text(char *out, size_t size, const char *dtype, int n, const int64_t *dims) {
    int at = snprintf(out, size, "%s[", dtype);
    for (int i = 0; i < n; i++) at += snprintf(out + at, size - (size_t)at, i ? ",%d" : "%d", (int)dims[i]);
    snprintf(out + at, size - (size_t)at, "]");
}

static void pairs_text(char *out, size_t size, int n, const int *l, const int *r) {
    int at = snprintf(out, size, "[");
    for (int i = 0; i < n; i++) at += snprintf(out + at, size - (size_t)at, i ? ",%d" : "%d", l[i]);
    at += snprintf(out + at, size - (size_t)at, "]x[");
    for (int i = 0; i < n; i++) at += snprintf(out + at, size - (size_t)at, i ? ",%d" : "%d", r[i]);
    snprintf(out + at, size - (size_t)at, "]");
}

// A random order of 0..n-1.
static void shuffle(int *p, int n) {
    for (int i = 0; i < n; i++) p[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)below(i + 1), t = p[i];
        p[i] = p[j];
        p[j] = t;
    }
}

// Axes of lhs: batch, rest, contract in a random order; likewise rhs. sizes: how large an axis may be.
static void random_dot(const char *dtype, const char *acc_name, int64_t sizes, bool zero) {
    ch_dtype d = (ch_dtype)ch_dtype_from_name(dtype), acc = (ch_dtype)ch_dtype_from_name(acc_name);
    int nb = (int)below(2), nk = 1 + (int)below(2), nm = (int)below(3), nn = (int)below(3);
    operand l = {.n = nb + nm + nk}, r = {.n = nb + nn + nk};
    int lp[6], rp[6];
    shuffle(lp, l.n);
    shuffle(rp, r.n);
    // lp[0..nb): batch, then rest ascending, lp[nb..nb+nk): contract
    int64_t dims_b[2], dims_k[2];
    for (int i = 0; i < l.n; i++) l.dims[i] = 1 + below(sizes);
    for (int i = 0; i < r.n; i++) r.dims[i] = 1 + below(sizes);
    if (zero) l.dims[below(l.n)] = 0;
    for (int i = 0; i < nb; i++) r.dims[rp[i]] = dims_b[i] = l.dims[lp[i]];
    for (int i = 0; i < nk; i++) r.dims[rp[nb + i]] = dims_k[i] = l.dims[lp[nb + i]];
    bool l_used[6] = {0}, r_used[6] = {0};
    for (int i = 0; i < nb + nk; i++) l_used[lp[i]] = r_used[rp[i]] = true;
    int64_t out_dims[8];
    int n_out = 0, lm[6], rn[6], km = 0, kn = 0;
    for (int i = 0; i < nb; i++) out_dims[n_out++] = dims_b[i];
    for (int i = 0; i < l.n; i++)
        if (!l_used[i]) out_dims[n_out++] = l.dims[lm[km++] = i];
    for (int i = 0; i < r.n; i++)
        if (!r_used[i]) out_dims[n_out++] = r.dims[rn[kn++] = i];
    size_t size = ch_dtype_size(d);
    int64_t n_l = shape_operand(&l), n_r = shape_operand(&r), n_o = 1;
    for (int i = 0; i < n_out; i++) n_o *= out_dims[i];
    char *x = malloc((size_t)n_l * size + 1), *y = malloc((size_t)n_r * size + 1),
         *expected = malloc((size_t)n_o * size + 1);
    fill(x, d, n_l);
    fill(y, d, n_r);
    // The plain loops.
    int64_t n_k = 1;
    for (int i = 0; i < nk; i++) n_k *= dims_k[i];
    for (int64_t o = 0; o < n_o; o++) {
        int64_t at = o, lo = 0, ro = 0;
        for (int i = n_out - 1; i >= 0; i--) {
            int64_t p = at % out_dims[i];
            at /= out_dims[i];
            if (i < nb)
                lo += p * l.stride[lp[i]], ro += p * r.stride[rp[i]];
            else if (i < nb + km)
                lo += p * l.stride[lm[i - nb]];
            else
                ro += p * r.stride[rn[i - nb - km]];
        }
        uint64_t sum = 0, a = 0, b = 0;
        for (int64_t k = 0; k < n_k; k++) {
            int64_t q = k, lk = lo, rk = ro;
            for (int i = nk - 1; i >= 0; i--) {
                lk += q % dims_k[i] * l.stride[lp[nb + i]];
                rk += q % dims_k[i] * r.stride[rp[nb + i]];
                q /= dims_k[i];
            }
            ch__convert_n(&a, acc, x + (size_t)lk * size, d, 1);
            ch__convert_n(&b, acc, y + (size_t)rk * size, d, 1);
            step(acc, &sum, &a, &b);
        }
        ch__convert_n(expected + (size_t)o * size, d, &sum, acc, 1);
    }
    char lt[100], rt[100], ot[100], kt[40], bt[40], body[600];
    type_text(lt, sizeof lt, dtype, l.n, l.dims);
    type_text(rt, sizeof rt, dtype, r.n, r.dims);
    type_text(ot, sizeof ot, dtype, n_out, out_dims);
    pairs_text(kt, sizeof kt, nk, lp + nb, rp + nb);
    pairs_text(bt, sizeof bt, nb, lp, rp);
    snprintf(body, sizeof body,
             "func @f(%%x: %s, %%y: %s) -> %s {\n  %%r = dot %%x, %%y {contract = %s, batch = %s, acc = %s} : %s\n"
             "  return %%r\n}\n",
             lt, rt, ot, kt, bt, acc_name, ot);
    ch__slot in[] = {ir_slot(d, l.n, l.dims, x), ir_slot(d, r.n, r.dims, y)}, out[1];
    ir_run(body, 2, in, 1, out);
    if (memcmp(out[0].data, expected, (size_t)n_o * size) != 0) {
        print_error("%s\n", body);
        fail();
    }
    ir_release(1, out);
    free(x);
    free(y);
    free(expected);
}

static void dot_has_the_bits_of_the_plain_loop(void **state) {
    (void)state;
    static const char *const kinds[][2] = {{"f32", "f64"},  {"f32", "f32"}, {"f64", "f64"}, {"f16", "f32"},
                                           {"bf16", "f32"}, {"f16", "f16"}, {"f16", "f64"}, {"bf16", "bf16"},
                                           {"i32", "i32"},  {"i8", "i64"},  {"u8", "u8"},   {"i64", "i64"},
                                           {"u16", "u64"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int i = 0; i < 24; i++) random_dot(kinds[k][0], kinds[k][1], i < 12 ? 4 : 13, i % 8 == 7);
}

// Rank 2 in the four layouts, sizes around the tiles and the pieces of k.
static void check_matrix(int64_t m, int64_t n, int64_t k, int layout, const char *acc_name) {
    ch_dtype acc = (ch_dtype)ch_dtype_from_name(acc_name);
    bool lt = layout & 1, rt = layout & 2;
    float *x = malloc((size_t)(m * k) * 4 + 1), *y = malloc((size_t)(n * k) * 4 + 1);
    fill(x, CH_F32, m * k);
    fill(y, CH_F32, n * k);
    char body[400];
    snprintf(body, sizeof body,
             "func @f(%%x: f32[%d,%d], %%y: f32[%d,%d]) -> f32[%d,%d] {\n"
             "  %%r = dot %%x, %%y {contract = [%d]x[%d], acc = %s} : f32[%d,%d]\n  return %%r\n}\n",
             (int)(lt ? k : m), (int)(lt ? m : k), (int)(rt ? n : k), (int)(rt ? k : n), (int)m, (int)n, lt ? 0 : 1,
             rt ? 1 : 0, acc_name, (int)m, (int)n);
    ch__slot in[] = {ir_slot(CH_F32, 2, IR_DIMS(lt ? k : m, lt ? m : k), x),
                     ir_slot(CH_F32, 2, IR_DIMS(rt ? n : k, rt ? k : n), y)},
             out[1];
    ir_run(body, 2, in, 1, out);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float r;
            if (acc == CH_F64) {
                double sum = 0;
                for (int64_t q = 0; q < k; q++)
                    sum += (double)x[lt ? q * m + i : i * k + q] * (double)y[rt ? j * k + q : q * n + j];
                r = (float)sum;
            } else {
                float sum = 0;
                for (int64_t q = 0; q < k; q++) {
                    volatile float p = x[lt ? q * m + i : i * k + q] * y[rt ? j * k + q : q * n + j];
                    sum += p;
                }
                r = sum;
            }
            if (memcmp(&r, (float *)out[0].data + i * n + j, 4) != 0) {
                print_error("%d x %d x %d, layout %d, acc %s: element %d,%d\n", (int)m, (int)n, (int)k, layout,
                            acc_name, (int)i, (int)j);
                fail();
            }
        }
    ir_release(1, out);
    free(x);
    free(y);
}

static void matrices_of_every_layout(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{128, 10, 128}, {10, 128, 300}, {33, 65, 257}, {4, 8, 4096},
                                       {1, 700, 100},  {700, 1, 100},  {5, 530, 17},  {64, 64, 64},
                                       {3, 3, 2000},   {1, 1, 5000},   {17, 1030, 5}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int layout = 0; layout < 4; layout++) {
            check_matrix(sizes[i][0], sizes[i][1], sizes[i][2], layout, "f64");
            check_matrix(sizes[i][0], sizes[i][1], sizes[i][2], layout, "f32");
        }
}

// ---------------------------------------------------------------- threads
// The number of threads is read once a process, so each count has a process of its own; this case runs first.
enum { ROWS = 96, MIDDLE = 600, COLUMNS = 80, RESULTS = ROWS * COLUMNS + ROWS + MIDDLE + ROWS * MIDDLE };

static void run_with_threads(const char *threads, float *to) {
    static float x[ROWS * MIDDLE], y[MIDDLE * COLUMNS];
    fill(x, CH_F32, ROWS * MIDDLE);
    fill(y, CH_F32, MIDDLE * COLUMNS);
    setenv("CHAAC_NUM_THREADS", threads, 1);
    if (ch__num_threads() != atoi(threads)) _exit(2);
    ch__slot in[] = {ir_slot(CH_F32, 2, IR_DIMS(ROWS, MIDDLE), x), ir_slot(CH_F32, 2, IR_DIMS(MIDDLE, COLUMNS), y)},
             out[4];
    ir_run("func @f(%x: f32[96,600], %y: f32[600,80]) -> (f32[96,80], f32[96], f32[600], f32[600,96]) {\n"
           "  %a = dot %x, %y {contract = [1]x[0], acc = f32} : f32[96,80]\n"
           "  %b = reduce %x {kind = sum, dims = [1], acc = f32} : f32[96]\n"
           "  %c = reduce %x {kind = sum, dims = [0], acc = f32} : f32[600]\n  %d = exp %x : f32[96,600]\n"
           "  %e = transpose %d {perm = [1,0]} : f32[600,96]\n  return %a, %b, %c, %e\n}\n",
           2, in, 4, out);
    static const int counts[] = {ROWS * COLUMNS, ROWS, MIDDLE, ROWS * MIDDLE};
    for (int i = 0; i < 4; to += counts[i++]) memcpy(to, out[i].data, sizeof(float) * (size_t)counts[i]);
    ir_release(4, out);
}

static void one_thread_and_more_agree(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "5"};
    size_t bytes = sizeof(float) * RESULTS;
    float *results = mmap(NULL, 3 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(results, MAP_FAILED);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            run_with_threads(threads[i], results + (size_t)i * RESULTS);
            ch__threads_shutdown();
            _exit(0);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_memory_equal(results, results + RESULTS, bytes);
    assert_memory_equal(results, results + 2 * RESULTS, bytes);
    munmap(results, 3 * bytes);
}

// ---------------------------------------------------------------- reduce
// Any set of axes, f32 by way of f32: the plain loop in row-major order of the reduced axes.
static void reduce_has_the_bits_of_the_plain_loop(void **state) {
    (void)state;
    for (int round = 0; round < 150; round++) {
        int64_t dims[4], stride[4], n = 1, out_dims[4];
        int rank = 1 + (int)below(4), n_red = 0, n_out = 0, red[4], kept[4];
        for (int i = 0; i < rank; i++) dims[i] = 1 + below(round % 3 == 0 ? 40 : 6);
        for (int i = rank - 1; i >= 0; i--) stride[i] = n, n *= dims[i];
        for (int i = 0; i < rank; i++) {
            if (next_u64() & 1)
                red[n_red++] = i;
            else
                out_dims[n_out] = dims[i], kept[n_out++] = i;
        }
        if (n > 200000) continue;
        float *x = malloc((size_t)n * 4);
        fill(x, CH_F32, n);
        char xt[80], ot[80], axes[40], body[800];
        type_text(xt, sizeof xt, "f32", rank, dims);
        type_text(ot, sizeof ot, "f32", n_out, out_dims);
        int at = snprintf(axes, sizeof axes, "[");
        for (int i = 0; i < n_red; i++) at += snprintf(axes + at, sizeof axes - (size_t)at, i ? ",%d" : "%d", red[i]);
        snprintf(axes + at, sizeof axes - (size_t)at, "]");
        snprintf(body, sizeof body,
                 "func @f(%%x: %s) -> (%s, %s) {\n  %%a = reduce %%x {kind = sum, dims = %s, acc = f32} : %s\n"
                 "  %%b = reduce %%x {kind = sum, dims = %s, acc = f64} : %s\n  return %%a, %%b\n}\n",
                 xt, ot, ot, axes, ot, axes, ot);
        ch__slot in[] = {ir_slot(CH_F32, rank, dims, x)}, out[2];
        ir_run(body, 1, in, 2, out);
        int64_t n_o = 1, n_r = 1;
        for (int i = 0; i < n_out; i++) n_o *= out_dims[i];
        for (int i = 0; i < n_red; i++) n_r *= dims[red[i]];
        for (int64_t o = 0; o < n_o; o++) {
            int64_t q = o, base = 0;
            for (int i = n_out - 1; i >= 0; i--) base += q % out_dims[i] * stride[kept[i]], q /= out_dims[i];
            float narrow = 0;
            double wide = 0;
            for (int64_t k = 0; k < n_r; k++) {
                int64_t offset = base;
                q = k;
                for (int i = n_red - 1; i >= 0; i--) offset += q % dims[red[i]] * stride[red[i]], q /= dims[red[i]];
                narrow += x[offset];
                wide += (double)x[offset];
            }
            float rounded = (float)wide;
            assert_memory_equal(&narrow, (float *)out[0].data + o, 4);
            assert_memory_equal(&rounded, (float *)out[1].data + o, 4);
        }
        ir_release(2, out);
        free(x);
    }
}

static void cumulative_has_the_bits_of_the_plain_loop(void **state) {
    (void)state;
    enum { N = 700, SIZE = 2 * N * 3 };
    static float x[SIZE];
    fill(x, CH_F32, SIZE);
    for (int inner = 1; inner <= 3; inner += 2)
        for (int backwards = 0; backwards < 2; backwards++) {
            char body[600];
            snprintf(
                body, sizeof body,
                "func @f(%%x: f32[2,700,%d]) -> (f32[2,700,%d], f32[2,700,%d]) {\n"
                "  %%a = cumulative %%x {kind = sum, dim = 1, reverse = %s, acc = f64} : f32[2,700,%d]\n"
                "  %%b = cumulative %%x {kind = max, dim = 1, reverse = %s} : f32[2,700,%d]\n  return %%a, %%b\n}\n",
                inner, inner, inner, backwards ? "true" : "false", inner, backwards ? "true" : "false", inner);
            ch__slot in[] = {ir_slot(CH_F32, 3, IR_DIMS(2, N, inner), x)}, out[2];
            ir_run(body, 1, in, 2, out);
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < inner; b++) {
                    double sum = 0;
                    float most = -1.0f / 0.0f;
                    for (int t = 0; t < N; t++) {
                        int at = (a * N + (backwards ? N - 1 - t : t)) * inner + b;
                        sum += (double)x[at];
                        most = x[at] > most ? x[at] : most;
                        float rounded = (float)sum;
                        assert_memory_equal(&rounded, (float *)out[0].data + at, 4);
                        assert_memory_equal(&most, (float *)out[1].data + at, 4);
                    }
                }
            ir_release(2, out);
        }
}

// ---------------------------------------------------------------- conv
static void conv_has_the_bits_of_the_plain_loop(void **state) {
    (void)state;
    for (int round = 0; round < 60; round++) {
        int64_t groups = 1 + below(2), c = (1 + below(3)) * groups, o = (1 + below(3)) * groups, n = 1 + below(3),
                h = 3 + below(6), w = 3 + below(6), kh = 1 + below(3), kw = 1 + below(3), s0 = 1 + below(2),
                s1 = 1 + below(2), p0 = below(3), p1 = below(3), ld = 1 + below(2), rd = 1 + below(2);
        int64_t eh = (h - 1) * ld + 1 + p0 + p1, ew = (w - 1) * ld + 1 + 2 * p0, fh = (kh - 1) * rd + 1,
                fw = (kw - 1) * rd + 1;
        if (eh < fh || ew < fw) continue;
        int64_t oh = (eh - fh) / s0 + 1, ow = (ew - fw) / s1 + 1;
        float x[3 * 6 * 81], y[6 * 3 * 9];
        fill(x, CH_F32, n * c * h * w);
        fill(y, CH_F32, o * (c / groups) * kh * kw);
        bool infinite = round % 10 == 9;
        if (infinite) y[0] = 1.0f / 0.0f;
        char body[800];
        snprintf(
            body, sizeof body,
            "func @f(%%x: f32[%d,%d,%d,%d], %%y: f32[%d,%d,%d,%d]) -> f32[%d,%d,%d,%d] {\n"
            "  %%r = conv %%x, %%y {strides = [%d,%d], pad_lo = [%d,%d], pad_hi = [%d,%d], lhs_dilation = [%d,%d], "
            "rhs_dilation = [%d,%d], groups = %d, acc = f32} : f32[%d,%d,%d,%d]\n  return %%r\n}\n",
            (int)n, (int)c, (int)h, (int)w, (int)o, (int)(c / groups), (int)kh, (int)kw, (int)n, (int)o, (int)oh,
            (int)ow, (int)s0, (int)s1, (int)p0, (int)p0, (int)p1, (int)p0, (int)ld, (int)ld, (int)rd, (int)rd,
            (int)groups, (int)n, (int)o, (int)oh, (int)ow);
        ch__slot in[] = {ir_slot(CH_F32, 4, IR_DIMS(n, c, h, w), x),
                         ir_slot(CH_F32, 4, IR_DIMS(o, c / groups, kh, kw), y)},
                 out[1];
        ir_run(body, 2, in, 1, out);
        for (int64_t i = 0; i < n * o * oh * ow; i++) {
            int64_t b = i / (o * oh * ow), f = i / (oh * ow) % o, a = i / ow % oh, d = i % ow, g = f / (o / groups);
            float sum = 0;
            for (int64_t k = 0; k < c / groups; k++)
                for (int64_t u = 0; u < kh; u++)
                    for (int64_t v = 0; v < kw; v++) {
                        int64_t r = a * s0 + u * rd - p0, q = d * s1 + v * rd - p0;
                        if (r < 0 || q < 0 || r % ld || q % ld || r / ld >= h || q / ld >= w) continue;
                        volatile float p = x[((b * c + g * (c / groups) + k) * h + r / ld) * w + q / ld] *
                                           y[((f * (c / groups) + k) * kh + u) * kw + v];
                        sum += p;
                    }
            float got = ((float *)out[0].data)[i];
            assert_true((got != got && sum != sum) || memcmp(&got, &sum, 4) == 0);
        }
        ir_release(1, out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_and_more_agree),
        cmocka_unit_test(dot_has_the_bits_of_the_plain_loop),
        cmocka_unit_test(matrices_of_every_layout),
        cmocka_unit_test(reduce_has_the_bits_of_the_plain_loop),
        cmocka_unit_test(cumulative_has_the_bits_of_the_plain_loop),
        cmocka_unit_test(conv_has_the_bits_of_the_plain_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
