// SPDX-License-Identifier: Apache-2.0
// trainer_capture.c - the funcs that a trainer runs.
//
//     loss(x, y, key, params...)                          -> loss, buffers'...
//     gradient: the same with the gradients behind the loss, by ch_value_and_grad
//     step(x, y, step, rate, key, params..., state...)    -> loss, norm, params'..., buffers'..., state'...
//     gather(x, y, key, params..., sums...)               -> loss, buffers'..., sums'...
//
// step and gather apply the gradient func. Gathered gradients are sums of gradients divided by how many make an update;
// step adds its own, so they are no result of it.

#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

static ch_status no_capture_memory(void) { return ch_error_set("out_of_memory", "trainer: no memory"); }

int ch__trainer_averages(const ch_trainer *t) { return t->o.average != 0 ? t->n_learn * t->n_slots : -1; }
int ch__trainer_sums(const ch_trainer *t) {
    return t->o.accumulate > 1 ? t->n_learn * (t->n_slots + (t->o.average != 0)) : -1;
}
static int updated_state(const ch_trainer *t) { // without the sums
    return t->n_learn * (t->n_slots + (t->o.average != 0));
}

static int floats(ch_tensor *x) { return ch_tensor_dtype(x) >= CH_F16 && ch_tensor_dtype(x) <= CH_F64; }

// Floating tensors in the dtype that is computed in, unless they have it.
static ch_tensor *narrowed(const ch_trainer *t, ch_tensor *x) {
    if (t->o.compute == 0 || !floats(x) || ch_tensor_dtype(x) == t->o.compute) return x;
    return ch_convert_at(t->where, x, t->o.compute);
}

// The dtype of the first parameter that learns: losses are computed in it.
static ch_tensor *widened(const ch_trainer *t, ch_tensor *y) {
    ch_dtype own = ch_tensor_dtype(t->model->params[t->learn[0]].value);
    return t->o.compute == 0 || !floats(y) || ch_tensor_dtype(y) == own ? y : ch_convert_at(t->where, y, own);
}

static ch_status narrow_params(const ch_trainer *t, ch_tensor *const *params, ch_tensor ***out) {
    *out = ch_memory_alloc((size_t)(t->n_params + 1) * sizeof **out);
    if (*out == NULL) return no_capture_memory();
    for (int i = 0; i < t->n_params; i++)
        (*out)[i] = ch_model_is_buffer(t->model, i) ? params[i] : narrowed(t, params[i]);
    return CH_OK;
}

// ---- bodies
// in: x, y, key, params; out: loss, buffers
static ch_status loss_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const ch_trainer *t = user;
    (void)n, (void)n_out;
    ch_tensor *const *params = in + 3, **own = NULL, *y;
    for (int i = 0; i < t->n_buffers; i++) out[1 + i] = params[t->buffers[i]];
    CH_TRY(narrow_params(t, params, &own));
    if (t->model->training != NULL)
        y = t->model->training(t->model->user, own, narrowed(t, in[0]), in[2], out + 1);
    else
        y = ch_model_forward_with(t->model, own, narrowed(t, in[0]));
    ch_memory_free(own);
    const char *before = ch__set_here(t->where);
    out[0] = t->loss(widened(t, y), in[1]);
    ch__set_here(before);
    for (int i = 0; i < t->n_buffers; i++) out[1 + i] = ch__as_like(t->where, out[1 + i], params[t->buffers[i]]);
    return CH_OK;
}

// Loss, gradients, buffers of the batch; n_learn + 1 + n_buffers results into r, which has room for leaves behind.
static void apply_gradient(const ch_trainer *t, ch_tensor *x, ch_tensor *y, ch_tensor *key, ch_tensor *const *params,
                           ch_tensor **r) {
    ch_tensor **leaves = r + 1 + t->n_learn + t->n_buffers;
    leaves[0] = x;
    leaves[1] = y;
    leaves[2] = key;
    for (int i = 0; i < t->n_params; i++) leaves[3 + i] = params[i];
    ch_func_apply_at(t->where, t->gradient, 3 + t->n_params, leaves, 1 + t->n_learn + t->n_buffers, r);
}
static ch_tensor **capture_room(const ch_trainer *t) {
    return ch_memory_alloc((size_t)(4 + 3 * t->n_params + t->n_learn + t->n_buffers) * sizeof(ch_tensor *));
}

static ch_status gather_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const ch_trainer *t = user;
    (void)n, (void)n_out;
    ch_tensor **r = capture_room(t);
    if (r == NULL) return no_capture_memory();
    apply_gradient(t, in[0], in[1], in[2], in + 3, r);
    out[0] = r[0];
    for (int i = 0; i < t->n_buffers; i++) out[1 + i] = r[1 + t->n_learn + i];
    for (int i = 0; i < t->n_learn; i++)
        out[1 + t->n_buffers + i] =
            ch_add_at(t->where, in[3 + t->n_params + i], ch__gradient_share(t->where, r[1 + i], t->o.accumulate));
    ch_memory_free(r);
    return CH_OK;
}

static ch_tensor *if_finite(const ch_trainer *t, ch_tensor *finite, ch_tensor *now, ch_tensor *before) {
    return ch_select_at(t->where, finite, now, before);
}

// Where a step consumes what it replaces, one that is refused has to give the old values back.
static void keep_when_not_finite(const ch_trainer *t, ch_tensor *norm, ch_tensor *const *params,
                                 ch_tensor *const *state, ch_tensor **out) {
    ch_tensor *finite = ch_is_finite_at(t->where, norm);
    for (int i = 0; i < t->n_learn; i++, out++) *out = if_finite(t, finite, *out, params[t->learn[i]]);
    for (int i = 0; i < t->n_buffers; i++, out++) *out = if_finite(t, finite, *out, params[t->buffers[i]]);
    for (int i = 0; i < updated_state(t); i++, out++) *out = if_finite(t, finite, *out, state[i]);
}

// in: x, y, step, rate, key, params, state; out: loss, norm, params', buffers', state'
static ch_status step_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const ch_trainer *t = user;
    (void)n, (void)n_out;
    ch_tensor *const *params = in + 5, *const *state = params + t->n_params;
    ch_tensor **r = capture_room(t), **new_params = out + 2, **buffers = new_params + t->n_learn,
              **new_state = buffers + t->n_buffers;
    if (r == NULL) return no_capture_memory();
    apply_gradient(t, in[0], in[1], in[4], params, r);
    ch_tensor **learning = r + 1 + t->n_learn + t->n_buffers; // the leaves are used up
    for (int i = 0; i < t->n_learn; i++) learning[i] = params[t->learn[i]];
    out[0] = r[0];
    for (int i = 0; i < t->n_buffers; i++) buffers[i] = r[1 + t->n_learn + i];
    ch_tensor *const *sums = t->o.accumulate > 1 ? state + updated_state(t) : NULL;
    ch__update_gradients(t->where, t->n_learn, r + 1, sums, t->o.accumulate, t->o.clip_value, t->o.clip_norm, &out[1]);
    const ch_update_options o = {
        .struct_size = sizeof o, .rate = in[3], .rate_factors = t->factors, .decays = t->decays};
    ch_optimizer_update_with_at(t->where, &t->optimizer, &o, in[2], t->n_learn, learning, r + 1, state, new_params,
                                new_state);
    int averages = ch__trainer_averages(t);
    if (averages >= 0)
        ch_ema_at(t->where, t->o.average, t->n_learn, state + averages, new_params, new_state + averages);
    ch_memory_free(r);
    if (t->device != NULL && t->o.clip_norm != 0) keep_when_not_finite(t, out[1], params, state, new_params);
    return CH_OK;
}

// ---- captures
void ch__trainer_params_signature(const ch_trainer *t, ch__signature *s) {
    for (int i = 0; i < t->n_params; i++)
        ch__signature_add(s, ch_model_param_name(t->model, i), t->model->params[i].value, 0); // its type
}

static ch_status capture_one(ch_trainer *t, const char *name, ch__signature *s, ch_tensor_fn body, int n_out,
                             ch_func **out) {
    ch_capture_options o = {.struct_size = sizeof o, .name = name};
    ch_status status = s->failed ? no_capture_memory() : ch_capture_with(&o, body, t, s->text, n_out, out);
    ch__signature_finish(s);
    return status;
}

static ch_status capture_gradient(ch_trainer *t, const char *xy) {
    ch__signature s = {0};
    ch__signature_put(&s, xy);
    ch__signature_put(&s, ", key: u32[2]");
    ch__trainer_params_signature(t, &s);
    ch_func *primal = NULL;
    CH_TRY(capture_one(t, "loss", &s, loss_body, 1 + t->n_buffers, &primal));
    unsigned char *marks = ch_memory_alloc((size_t)t->n_params + 1);
    char *wrt = NULL;
    ch_status status = marks == NULL ? no_capture_memory() : ch__wrt_names(t->model, t->frozen, marks, &wrt);
    if (status == CH_OK) status = ch_value_and_grad(primal, wrt, &t->gradient);
    ch_func_destroy(primal);
    ch_memory_free(marks);
    ch_memory_free(wrt);
    return status;
}

static void state_signature(const ch_trainer *t, ch__signature *s, int from) {
    for (int i = from; i < t->n_state; i++) ch__signature_add(s, t->names[i], t->state[i], 0);
}

ch_status ch__trainer_capture(ch_trainer *t, const char *xy) {
    CH_TRY(capture_gradient(t, xy));
    ch__signature s = {0}, g = {0};
    ch__signature_put(&s, xy);
    ch__signature_put(&s, ", step: f64[], rate: f64[], key: u32[2]");
    ch__trainer_params_signature(t, &s);
    state_signature(t, &s, 0);
    CH_TRY(capture_one(t, "step", &s, step_body, 2 + t->n_learn + t->n_buffers + updated_state(t), &t->func));
    if (t->o.accumulate <= 1) return CH_OK;
    ch__signature_put(&g, xy);
    ch__signature_put(&g, ", key: u32[2]");
    ch__trainer_params_signature(t, &g);
    state_signature(t, &g, ch__trainer_sums(t));
    return capture_one(t, "gather", &g, gather_body, 1 + t->n_buffers + t->n_learn, &t->gather);
}

// in: x, params
static ch_status predict_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const ch_trainer *t = user;
    (void)n, (void)n_out;
    ch_tensor **own = NULL;
    CH_TRY(narrow_params(t, in + 1, &own));
    out[0] = widened(t, ch_model_forward_with(t->model, own, narrowed(t, in[0])));
    ch_memory_free(own);
    return CH_OK;
}

ch_status ch__trainer_capture_predict(ch_trainer *t, const char *signature, ch_func **out) {
    return ch_capture(predict_body, t, signature, 1, out);
}
