// SPDX-License-Identifier: Apache-2.0
// recurrent.c - GRU and LSTM as a `for` over the steps.
//
// What does not depend on the state, x w_in + b_in of all steps, is one product before the loop. The loop carries the
// state and the array of results, of which each turn writes one step; step i is read by an index, so that batch and
// steps may be symbolic. Both arrays have one step more than there are: one step then always fits, also when there are
// none.

#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

enum { GRU = 3, LSTM = 4 };

typedef struct {
    const char *w;
    int gates, has_bias, backwards;
    const char *policy;
    int64_t hidden;
    ch_tensor *projected, *w_hid, *b_hid; // while the loop's body is built
} recurrent;

static ch_tensor *gate(const recurrent *r, ch_tensor *a, int k) {
    return ch_slice_axis_at(r->w, a, 1, k * r->hidden, (k + 1) * r->hidden);
}

// r = s(a_r + b_r), z = s(a_z + b_z), n = tanh(a_n + r b_n), h' = (1 - z) n + z h, as n + z (h - n)
static ch_tensor *gru_step(const recurrent *r, ch_tensor *a, ch_tensor *b, ch_tensor *h) {
    const char *w = r->w;
    ch_tensor *reset = ch_sigmoid_at(w, ch_add_at(w, gate(r, a, 0), gate(r, b, 0)));
    ch_tensor *z = ch_sigmoid_at(w, ch_add_at(w, gate(r, a, 1), gate(r, b, 1)));
    ch_tensor *n = ch_tanh_at(w, ch_add_at(w, gate(r, a, 2), ch_mul_at(w, reset, gate(r, b, 2))));
    return ch_add_at(w, n, ch_mul_at(w, z, ch_sub_at(w, h, n)));
}

// c' = s(f) c + s(i) tanh(g), h' = s(o) tanh(c')
static ch_tensor *lstm_step(const recurrent *r, ch_tensor *a, ch_tensor *b, ch_tensor **c) {
    const char *w = r->w;
    ch_tensor *all = ch_add_at(w, a, b);
    ch_tensor *in = ch_sigmoid_at(w, gate(r, all, 0)), *forget = ch_sigmoid_at(w, gate(r, all, 1));
    ch_tensor *cell = ch_tanh_at(w, gate(r, all, 2)), *out = ch_sigmoid_at(w, gate(r, all, 3));
    *c = ch_add_at(w, ch_mul_at(w, forget, *c), ch_mul_at(w, in, cell));
    return ch_mul_at(w, out, ch_tanh_at(w, *c));
}

static ch_tensor *one_more_step(const char *w, ch_tensor *x) {
    const int64_t none[3] = {0, 0, 0}, one[3] = {0, 1, 0};
    return ch_pad_at(w, x, ch__num_like(w, x, 0), 3, none, one, NULL);
}

// State: h, all h, and c of an LSTM.
static ch_status turn(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const recurrent *r = user;
    (void)n_in, (void)n_out;
    const char *w = r->w;
    ch_tensor *a = ch_take_at(w, r->projected, in[0], 1), *b = ch_dense_at(w, in[1], r->w_hid, r->b_hid), *c = NULL;
    if (r->gates == LSTM) c = in[3];
    ch_tensor *h = r->gates == GRU ? gru_step(r, a, b, in[1]) : lstm_step(r, a, b, &c);
    ch_tensor *zero = ch_scalar_at(w, CH_I64, 0), *at[3] = {zero, in[0], zero};
    out[0] = h;
    out[1] = ch_dynamic_update_slice_at(w, in[2], ch_expand_dims_at(w, h, 1), 3, at);
    if (r->gates == LSTM) out[2] = c;
    return CH_OK;
}

// in: x, w_in, w_hid, h0, (c0,) (b_in, b_hid); out: all h, the last h, (the last c)
static ch_status recurrent_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    recurrent *r = user;
    (void)n_in, (void)n_out;
    const char *w = r->w;
    int lstm = r->gates == LSTM, at = 4 + lstm;
    r->projected = one_more_step(w, ch_dense_at(w, in[0], in[1], r->has_bias ? in[at] : NULL));
    r->w_hid = in[2];
    r->b_hid = r->has_bias ? in[at + 1] : NULL;
    ch_tensor *zero = ch_scalar_at(w, CH_I64, 0), *one = ch_scalar_at(w, CH_I64, 1), *n = ch_size_of_at(w, in[0], 1);
    ch_tensor *from = zero, *to = n, *by = one;
    if (r->backwards) {
        from = ch_sub_at(w, n, one);
        to = by = ch_neg_at(w, one);
    }
    ch_tensor *all = ch_zeros_like_at(w, ch_slice_axis_at(w, r->projected, 2, 0, r->hidden));
    ch_tensor *state[3] = {in[3], all, lstm ? in[4] : NULL}, *last[3];
    ch_for_policy_at(w, r->policy, from, to, by, turn, r, 2 + lstm, state, last);
    out[0] = ch_slice_axis_at(w, last[1], 1, 0, -1);
    out[1] = last[0];
    if (lstm) out[2] = last[2];
    return CH_OK;
}

static ch_status recurrent_shapes(recurrent *r, const char *what, ch_tensor *x, const ch_recurrent_weights *m) {
    char a[256], b[256], c[256];
    ch_tensor_type(x, a, sizeof a);
    ch_tensor_type(m->w_in, b, sizeof b);
    ch_tensor_type(m->w_hid, c, sizeof c);
    r->hidden = ch_tensor_rank(m->w_hid) == 2 ? ch_tensor_dim(m->w_hid, 0) : -1;
    if (ch_tensor_rank(x) != 3 || ch_tensor_rank(m->w_in) != 2 || r->hidden < 1 ||
        ch_tensor_dim(m->w_hid, 1) != r->gates * r->hidden || ch_tensor_dim(m->w_in, 1) != r->gates * r->hidden)
        return ch_error_set("shape_mismatch",
                            "%s: x %s, w_in %s, w_hid %s — takes [batch, steps, in], [in, %d hidden], [hidden, %d "
                            "hidden]",
                            what, a, b, c, r->gates, r->gates);
    return CH_OK;
}

static void recurrence(const char *where, const char *what, int gates, ch_tensor *x, ch_tensor *h0, ch_tensor *c0,
                       const ch_recurrent_weights *m, const ch_recurrent_layer *o, ch_tensor **out) {
    recurrent r = {.w = where, .gates = gates};
    ch_tensor *in[7], *error = NULL;
    int n = 0, n_out = gates == LSTM ? 3 : 2;
    if (m == NULL || (o != NULL && o->struct_size != sizeof *o) || (m->b_in == NULL) != (m->b_hid == NULL)) {
        ch_error_set(
            "argument",
            "%s: weights are needed, both biases or none, options with struct_size sizeof(ch_recurrent_layer), "
            "%zu",
            what, sizeof *o);
        error = ch_error_tensor_at(where);
    } else {
        in[n++] = x;
        in[n++] = m->w_in;
        in[n++] = m->w_hid;
        error = ch__layer_operands(where, what, n, in);
    }
    if (error == NULL && recurrent_shapes(&r, what, x, m) != CH_OK) error = ch_error_tensor_at(where);
    if (error == NULL) {
        ch_tensor *first = ch_squeeze_at(where, ch_slice_axis_at(where, one_more_step(where, x), 1, 0, 1), 1);
        first = ch_dense_at(where, first, m->w_in, NULL); // for its shape
        ch_tensor *zeros = ch_zeros_like_at(where, ch_slice_axis_at(where, first, 1, 0, r.hidden));
        in[n++] = h0 == NULL ? zeros : h0;
        if (gates == LSTM) in[n++] = c0 == NULL ? zeros : c0;
        r.has_bias = m->b_in != NULL;
        if (r.has_bias) {
            in[n++] = m->b_in;
            in[n++] = m->b_hid;
        }
        r.backwards = o != NULL && o->backwards;
        r.policy = o == NULL ? NULL : o->policy;
        error = ch__layer_operands(where, what, n, in);
    }
    if (error == NULL)
        ch_composite_at(where, what, r.backwards ? "backwards = true" : NULL, recurrent_body, &r, n, in, n_out, out);
    for (int i = 0; error != NULL && i < n_out; i++) out[i] = error;
}

void ch_gru_at(const char *where, ch_tensor *x, ch_tensor *h0, const ch_recurrent_weights *weights,
               const ch_recurrent_layer *options, ch_tensor *out[2]) {
    recurrence(where, "gru", GRU, x, h0, NULL, weights, options, out);
}

void ch_lstm_at(const char *where, ch_tensor *x, ch_tensor *h0, ch_tensor *c0, const ch_recurrent_weights *weights,
                const ch_recurrent_layer *options, ch_tensor *out[3]) {
    recurrence(where, "lstm", LSTM, x, h0, c0, weights, options, out);
}
