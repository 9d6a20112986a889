// SPDX-License-Identifier: Apache-2.0
// ode.c - the classical Runge-Kutta method of fourth order as a library composite.
//
//     k1 = f(t, y)   k2 = f(t + h/2, y + h/2 k1)   k3 = f(t + h/2, y + h/2 k2)   k4 = f(t + h, y + h k3)
//     y' = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
//
// The steps are a `for`, so a derivative goes through it as through any loop; t is t0 + i h, not a running sum.

#include "tensor/tensor.h"

#include <string.h>

typedef struct {
    const char *where;
    ch_tensor_fn f;
    void *user;
    ch_dtype dtype;
    ch_tensor *t0, *h; // of the composite's body
} ode_job;

static ch_tensor *ode_number(const ode_job *j, double v) { return ch_scalar_at(j->where, j->dtype, v); }

static ch_tensor *ode_times(const ode_job *j, ch_tensor *a, ch_tensor *b) { return ch_mul_at(j->where, a, b); }

// k = f(t, y), checked.
static ch_status ode_slope(const ode_job *j, int n, ch_tensor *const *in, ch_tensor **k) {
    CH_TRY(j->f(j->user, n + 1, in, n, k));
    for (int i = 0; i < n; i++) {
        if (k[i] == NULL)
            return ch__fail(CH__E_capture_state, "rk4: the function left result %d NULL — set all %d", i, n);
        if (k[i]->kind == CH__T_ERROR) {
            ch__error_publish(k[i]->error);
            return ch__err_status(ch__error_current());
        }
        if (ch__type_equal(&k[i]->type, &in[1 + i]->type)) continue;
        char got[256], want[256];
        ch_tensor_type(k[i], got, sizeof got);
        ch_tensor_type(in[1 + i], want, sizeof want);
        return ch__fail(CH__E_shape_mismatch, "rk4: the function's result %d is %s — it has to be %s, as y %d is", i,
                        got, want, i);
    }
    return CH_OK;
}

// to = (t + share h, y + share h k)
static void ode_move(const ode_job *j, int n, ch_tensor *const *from, double share, ch_tensor *const *k,
                     ch_tensor **to) {
    ch_tensor *d = ode_times(j, ode_number(j, share), j->h);
    to[0] = ch_add_at(j->where, from[0], d);
    for (int i = 0; i < n; i++) to[1 + i] = ch_add_at(j->where, from[1 + i], ode_times(j, d, k[i]));
}

// One step: from = (t, y), room for six lists of n + 1 in `lists`.
static ch_status ode_step(const ode_job *j, int n, ch_tensor *const *from, ch_tensor **lists, ch_tensor **out) {
    ch_tensor **k1 = lists, **k2 = k1 + n + 1, **k3 = k2 + n + 1, **k4 = k3 + n + 1, **at = k4 + n + 1;
    CH_TRY(ode_slope(j, n, from, k1));
    ode_move(j, n, from, 0.5, k1, at);
    CH_TRY(ode_slope(j, n, at, k2));
    ode_move(j, n, from, 0.5, k2, at);
    CH_TRY(ode_slope(j, n, at, k3));
    ode_move(j, n, from, 1, k3, at);
    CH_TRY(ode_slope(j, n, at, k4));
    ch_tensor *sixth = ch_div_at(j->where, j->h, ode_number(j, 6)), *two = ode_number(j, 2);
    for (int i = 0; i < n; i++) {
        ch_tensor *ends = ch_add_at(j->where, k1[i], k4[i]), *mid = ch_add_at(j->where, k2[i], k3[i]);
        ch_tensor *sum = ch_add_at(j->where, ends, ode_times(j, two, mid));
        out[i] = ch_add_at(j->where, from[1 + i], ode_times(j, sixth, sum));
    }
    return CH_OK;
}

static ch_status ode_turn(void *user, int n_in, ch_tensor *const *in, int n, ch_tensor **out) { // i, y -> y
    const ode_job *j = user;
    ch_tensor **lists = ch__calloc(6 * (size_t)n_in, sizeof *lists);
    if (lists == NULL) return ch__fail_oom("rk4");
    ch_tensor **from = lists + 5 * n_in, *i = ch_convert_at(j->where, in[0], j->dtype);
    from[0] = ch_add_at(j->where, j->t0, ode_times(j, i, j->h));
    memcpy(from + 1, in + 1, (size_t)n * sizeof *from);
    ch_status s = ode_step(j, n, from, lists, out);
    ch__free(lists);
    return s;
}

static ch_status ode_body(void *user, int n_in, ch_tensor *const *in, int n, ch_tensor **out) { // t0 h steps y -> y
    ode_job j = *(const ode_job *)user;
    (void)n_in;
    j.t0 = in[0];
    j.h = in[1];
    ch_tensor *zero = ch_scalar_at(j.where, CH_I64, 0), *one = ch_scalar_at(j.where, CH_I64, 1);
    ch_for_at(j.where, zero, in[2], one, ode_turn, &j, n, in + 3, out);
    return CH_OK;
}

static ch_status ode_check(int n, ch_tensor *const *in) {
    static const char *const names[3] = {"t0", "h", "steps"};
    if (n < 1) return ch__fail(CH__E_argument, "rk4: %d values of state — at least 1 is needed", n);
    ch_dtype dtype = in[0]->type.dtype;
    for (int i = 0; i < n + 3; i++) {
        ch_dtype want = i == 2 ? CH_I64 : dtype;
        bool fine = (i > 2 || in[i]->type.rank == 0) && in[i]->type.dtype == want && (i == 2 || ch__is_float(dtype));
        if (fine) continue;
        char type[256], buf[32];
        ch_tensor_type(in[i], type, sizeof type);
        snprintf(buf, sizeof buf, "y %d", i - 3);
        return ch__fail(CH__E_dtype_mismatch,
                        "rk4: %s is %s — t0 and h are floating numbers, steps is i64[], y has their dtype",
                        i < 3 ? names[i] : buf, type);
    }
    return CH_OK;
}

void ch_rk4_at(const char *where, ch_tensor_fn f, void *user, ch_tensor *t0, ch_tensor *h, ch_tensor *steps, int n,
               ch_tensor *const *y0, ch_tensor **out) {
    ode_job j = {.where = where, .f = f, .user = user};
    ch_tensor **in = n < 1 ? NULL : ch__alloc(((size_t)n + 3) * sizeof *in), *error = NULL;
    ch_status s = CH_OK;
    if (f == NULL) {
        s = ch__fail(CH__E_argument, "rk4: the function is NULL — give dy/dt");
    } else if (n < 1) {
        s = ode_check(n, NULL);
    } else if (in == NULL) {
        s = ch__fail_oom("rk4");
    } else {
        memcpy(in, (ch_tensor *[]){t0, h, steps}, 3 * sizeof *in);
        memcpy(in + 3, y0, (size_t)n * sizeof *in);
        error = ch__first_error(where, "rk4", n + 3, in);
        if (error == NULL) s = ode_check(n, in);
        if (error == NULL) j.dtype = h->type.dtype;
    }
    if (s != CH_OK) error = ch__node_error(where);
    if (error == NULL) ch_custom_at(where, "rk4", ode_body, NULL, NULL, &j, n + 3, in, n, out);
    for (int i = 0; error != NULL && i < n; i++) out[i] = error;
    ch__free(in);
}
