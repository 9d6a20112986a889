// SPDX-License-Identifier: Apache-2.0
// clip.c - gradients made smaller, all together or by element, and what an update makes of them; moving averages of
// weights.
//
// The norm over all gradients is summed in f64 whatever their dtypes are.

#include <math.h>

#include "nn/nn.h"

// The part of one gradient: its largest |g|, the sum of |g|, or the sum of g^2; f64[].
static ch_tensor *norm_part(const char *w, ch_tensor *g, double order) {
    ch_tensor *wide = ch_convert_at(w, g, CH_F64);
    if (isinf(order)) return ch_amax_at(w, ch_abs_at(w, wide), 0, NULL);
    return ch_sum_all_at(w, order == 1 ? ch_abs_at(w, wide) : ch_mul_at(w, wide, wide));
}

static ch_tensor *global_norm(const char *w, int n, ch_tensor *const *grads, double order) {
    ch_tensor *total = ch_scalar_at(w, CH_F64, 0);
    for (int i = 0; i < n; i++) {
        ch_tensor *part = norm_part(w, grads[i], order);
        total = isinf(order) ? ch_max_at(w, total, part) : ch_add_at(w, total, part);
    }
    return order == 2 ? ch_sqrt_at(w, total) : total;
}

void ch_clip_norm_at(const char *where, int n, ch_tensor *const *grads, double order, double limit,
                     ch_tensor **out_grads, ch_tensor **out_norm) {
    if ((order != 1 && order != 2 && !(isinf(order) && order > 0)) || !(limit >= 0)) {
        ch_error_set("argument", "clip_norm: order %g and limit %g — order is 1, 2 or INFINITY, limit at least 0",
                     order, limit);
        ch_tensor *error = ch_error_tensor_at(where);
        for (int i = 0; i < n; i++) out_grads[i] = error;
        if (out_norm != NULL) *out_norm = error;
        return;
    }
    ch_tensor *norm = global_norm(where, n, grads, order), *one = ch_scalar_at(where, CH_F64, 1);
    ch_tensor *more = ch_add_at(where, norm, ch_scalar_at(where, CH_F64, 1e-6));
    ch_tensor *factor = ch_min_at(where, one, ch_div_at(where, ch_scalar_at(where, CH_F64, limit), more));
    ch_tensor *nan = ch_scalar_at(where, CH_F64, NAN);
    factor = ch_select_at(where, ch_is_finite_at(where, norm), factor, nan);
    for (int i = 0; i < n; i++) out_grads[i] = ch_mul_at(where, grads[i], ch__as_like(where, factor, grads[i]));
    if (out_norm != NULL) *out_norm = norm;
}

void ch_clip_value_at(const char *where, int n, ch_tensor *const *grads, double limit, ch_tensor **out_grads) {
    for (int i = 0; i < n; i++) {
        ch_tensor *lo = ch__num_like(where, grads[i], -limit), *hi = ch__num_like(where, grads[i], limit);
        out_grads[i] = ch_clamp_at(where, lo, grads[i], hi);
    }
}

ch_tensor *ch__gradient_share(const char *where, ch_tensor *g, int accumulate) {
    return ch_mul_at(where, g, ch__num_like(where, g, 1.0 / accumulate));
}

void ch__update_gradients(const char *where, int n, ch_tensor **g, ch_tensor *const *sums, int accumulate,
                          double clip_value, double clip_norm, ch_tensor **out_norm) {
    for (int i = 0; sums != NULL && i < n; i++)
        g[i] = ch_add_at(where, sums[i], ch__gradient_share(where, g[i], accumulate));
    if (clip_value != 0) ch_clip_value_at(where, n, g, clip_value, g);
    *out_norm = ch_scalar_at(where, CH_F64, 0);
    if (clip_norm != 0) ch_clip_norm_at(where, n, g, 2, clip_norm, g, out_norm);
}

void ch_ema_at(const char *where, double decay, int n, ch_tensor *const *averages, ch_tensor *const *values,
               ch_tensor **out) {
    for (int i = 0; i < n; i++) {
        ch_tensor *way = ch_sub_at(where, values[i], averages[i]);
        out[i] = ch_add_at(where, averages[i], ch_mul_at(where, way, ch__num_like(where, way, 1 - decay)));
    }
}
