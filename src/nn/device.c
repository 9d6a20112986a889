// SPDX-License-Identifier: Apache-2.0
// device.c - a training step whose state stays on a device: each run donates parameters and the optimizer's state.
//
//     step(inputs..., numbers, params..., slots..., sums...) -> loss, norm, params'..., slots'...
//     gather(inputs..., params..., sums...) -> loss, sums'...
//
// The func is that of the captured gradient with the optimizer's update behind it. Each learning parameter and slot
// lies in the memory of the result that follows it, so a run consumes the buffers of the state and its results are the
// state of the next (resident.c). The number of the update, for optimizers that count, and the rate are an input: a
// schedule compiles nothing. What crosses is the inputs up, these numbers when they are others than before, and the
// loss down.
//
// The norm is a result when norms are clipped. Sums are there when several batches make an update: those before the
// last run gather, which adds their part of the mean gradient; the last is a step, which adds its own. The first of a
// round adds to zeros, which stay.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

struct ch_device_step {
    ch_session *session;
    ch_func *func, *gather_func; // gather_func NULL: each batch is an update
    ch_optimizer optimizer;
    ch_device_step_options o;
    ch_schedule schedule;
    int n_in, n_params, n_learn, n_slots; // slots of one parameter
    int n_numbers;                        // number and rate, or the rate alone
    int *learn;                           // parameter of each gradient
    char **names;                         // of all parameters, in the order of the captured ones
    ch_buffer **state;                    // params, then slots, then sums
    ch_buffer **zeros;                    // what sums begin with
    int64_t *keep;                        // the sums among gather's params
    ch__resident program, gather;
    int64_t runs;
    double norm;
};

static ch_status no_device_memory(void) { return ch_error_set("out_of_memory", "device step: no memory"); }
static int device_n_updated(const ch_device_step *d) { return d->n_params + d->n_learn * d->n_slots; }
static int device_n_sums(const ch_device_step *d) { return d->o.accumulate > 1 ? d->n_learn : 0; }
static int device_n_state(const ch_device_step *d) { return device_n_updated(d) + device_n_sums(d); }
static int device_n_head(const ch_device_step *d) { return d->o.clip_norm != 0 ? 2 : 1; } // loss, norm
static int64_t device_gathered(const ch_device_step *d) { return d->runs % d->o.accumulate; }

// ---------------------------------------------------------------- the funcs
typedef struct {
    ch_device_step *d;
    const ch_func *gradient;
} device_capture;

static ch_tensor *device_number(ch_tensor *numbers, int i) {
    return ch_reshape(ch_slice_axis(numbers, 0, i, i + 1), 0, NULL);
}

// Loss and gradients into r, which has room for the leaves behind them.
static void device_gradient(const device_capture *c, ch_tensor *const *in, ch_tensor *const *params, ch_tensor **r) {
    const ch_device_step *d = c->d;
    ch_tensor **leaves = r + 1 + d->n_learn;
    for (int i = 0; i < d->n_in; i++) leaves[i] = in[i];
    for (int i = 0; i < d->n_params; i++) leaves[d->n_in + i] = params[i];
    ch_func_apply(c->gradient, d->n_in + d->n_params, leaves, 1 + d->n_learn, r);
}

static ch_tensor **device_capture_room(const ch_device_step *d) {
    return ch_memory_alloc((size_t)(2 + d->n_in + d->n_params + 2 * d->n_learn) * sizeof(ch_tensor *));
}

// A norm that is not finite: what the step replaces it gives back, since it is consumed.
static void device_keep_when_not_finite(const ch_device_step *d, ch_tensor *norm, ch_tensor *const *params,
                                        ch_tensor **out) {
    ch_tensor *finite = ch_is_finite(norm);
    for (int k = 0; k < d->n_learn; k++, out++) *out = ch_select(finite, *out, params[d->learn[k]]);
    for (int i = d->n_params; i < device_n_updated(d); i++, out++) *out = ch_select(finite, *out, params[i]);
}

// in: inputs, numbers, params, slots, sums; out: loss, norm, params', slots'
static ch_status device_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const device_capture *c = user;
    const ch_device_step *d = c->d;
    (void)n, (void)n_out;
    ch_tensor *const *params = in + d->n_in + 1, **updated = out + device_n_head(d), *norm = NULL;
    ch_tensor **r = device_capture_room(d);
    if (r == NULL) return no_device_memory();
    device_gradient(c, in, params, r);
    out[0] = r[0];
    ch_tensor **learning = r + 1 + d->n_learn; // the leaves are used up
    for (int i = 0; i < d->n_learn; i++) learning[i] = params[d->learn[i]];
    ch_tensor *const *sums = d->o.accumulate > 1 ? params + device_n_updated(d) : NULL;
    ch__update_gradients(CH_WHERE, d->n_learn, r + 1, sums, d->o.accumulate, d->o.clip_value, d->o.clip_norm, &norm);
    const ch_update_options o = {.struct_size = sizeof o, .rate = device_number(in[d->n_in], d->n_numbers - 1)};
    ch_tensor *number = d->n_numbers == 2 ? device_number(in[d->n_in], 0) : NULL;
    ch_optimizer_update_with(&d->optimizer, &o, number, d->n_learn, learning, r + 1, params + d->n_params, updated,
                             updated + d->n_learn);
    ch_memory_free(r);
    if (d->o.clip_norm == 0) return CH_OK;
    out[1] = norm;
    device_keep_when_not_finite(d, norm, params, updated);
    return CH_OK;
}

// in: inputs, params, sums; out: loss, sums'
static ch_status device_gather_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const device_capture *c = user;
    const ch_device_step *d = c->d;
    (void)n, (void)n_out;
    ch_tensor *const *sums = in + d->n_in + d->n_params, **r = device_capture_room(d);
    if (r == NULL) return no_device_memory();
    device_gradient(c, in, in + d->n_in, r);
    out[0] = r[0];
    for (int k = 0; k < d->n_learn; k++)
        out[1 + k] = ch_add(sums[k], ch__gradient_share(CH_WHERE, r[1 + k], d->o.accumulate));
    ch_memory_free(r);
    return CH_OK;
}

static void device_put_inputs(const ch_device_step *d, const ch_func *gradient, ch__signature *s) {
    for (int i = 0; i < d->n_in; i++) {
        if (i > 0) ch__signature_put(s, ", ");
        ch__signature_put(s, ch_func_param_name(gradient, i));
        ch__signature_put(s, ": ");
        ch__signature_put(s, ch_func_param_type(gradient, i));
    }
}

static ch_tensor *device_value(const ch_device_step *d, const ch_model *m, int i) {
    return ch_model_param(m, ch_model_find(m, d->names[i]));
}

static void device_put_params(const ch_device_step *d, const ch_model *m, ch__signature *s) {
    for (int i = 0; i < d->n_params; i++) ch__signature_add(s, d->names[i], device_value(d, m, i), 0);
}

static void device_put_state(const ch_device_step *d, ch__signature *s, int k, const char *what, ch_tensor *t) {
    char name[512];
    snprintf(name, sizeof name, "%s.%s", d->names[d->learn[k]], what);
    ch__signature_add(s, name, t, 0);
}

static void device_put_sums(const ch_device_step *d, const ch_model *m, ch__signature *s) {
    for (int k = 0; k < device_n_sums(d); k++) device_put_state(d, s, k, "gradient", device_value(d, m, d->learn[k]));
}

static ch_status device_put_slots(const ch_device_step *d, const ch_model *m, ch__signature *s, ch_tensor **slots) {
    for (int k = 0; k < d->n_learn; k++)
        for (int i = 0; i < d->n_slots; i++) {
            ch_tensor *slot = ch_optimizer_slot(&d->optimizer, i, device_value(d, m, d->learn[k]));
            CH_TRY(ch_realize(slot));
            device_put_state(d, s, k, ch_optimizer_slot_name(&d->optimizer, i), slot);
            slots[k * d->n_slots + i] = slot;
        }
    return CH_OK;
}

static ch_status device_capture_one(const char *name, ch_tensor_fn body, device_capture *c, ch__signature *s, int n_out,
                                    ch_func **out) {
    const ch_capture_options o = {.struct_size = sizeof o, .name = name};
    ch_status st = s->failed ? no_device_memory() : ch_capture_with(&o, body, c, s->text, n_out, out);
    ch__signature_finish(s);
    return st;
}

static ch_status device_capture_step(ch_device_step *d, const ch_model *m, const ch_func *gradient, ch_tensor **slots) {
    ch__signature s = {0};
    device_capture c = {d, gradient};
    device_put_inputs(d, gradient, &s);
    if (d->n_in > 0) ch__signature_put(&s, ", ");
    ch__signature_put(&s, d->n_numbers == 2 ? "number_and_rate: f64[2]" : "update_rate: f64[1]");
    device_put_params(d, m, &s);
    ch_status st = device_put_slots(d, m, &s, slots);
    device_put_sums(d, m, &s);
    if (st != CH_OK) {
        ch__signature_finish(&s);
        return st;
    }
    return device_capture_one("device_step", device_body, &c, &s,
                              device_n_head(d) + d->n_learn + d->n_learn * d->n_slots, &d->func);
}

static ch_status device_capture_gather(ch_device_step *d, const ch_model *m, const ch_func *gradient) {
    ch__signature s = {0};
    device_capture c = {d, gradient};
    device_put_inputs(d, gradient, &s);
    device_put_params(d, m, &s);
    device_put_sums(d, m, &s);
    return device_capture_one("device_gather", device_gather_body, &c, &s, 1 + d->n_learn, &d->gather_func);
}

// ---------------------------------------------------------------- life
// What lies in whose memory.
static ch_status device_prepare_step(ch_device_step *d) {
    CH_TRY(ch__resident_init(&d->program, d->session, d->func, d->n_in, d->n_numbers));
    int *aliases = d->program.aliases + d->program.n_up, head = device_n_head(d);
    for (int k = 0; k < d->n_learn; k++) {
        int *slot = aliases + d->n_params + k * d->n_slots;
        aliases[d->learn[k]] = head + k;
        for (int i = 0; i < d->n_slots; i++) slot[i] = head + d->n_learn + k * d->n_slots + i;
    }
    return CH_OK;
}

static ch_status device_prepare_gather(ch_device_step *d) {
    CH_TRY(ch__resident_init(&d->gather, d->session, d->gather_func, d->n_in, 0));
    for (int k = 0; k < d->n_learn; k++) {
        d->keep[k] = d->n_in + d->n_params + k;
        d->gather.aliases[d->keep[k]] = 1 + k;
    }
    return CH_OK;
}

static ch_status device_make(ch_device_step *d, const ch_step *step, const ch_model *m, ch_tensor **slots) {
    const ch_func *gradient = ch_step_gradient(step);
    for (int k = 0; k < d->n_learn; k++) d->learn[k] = ch__step_grad_param(step, k);
    for (int i = 0; i < d->n_params; i++) {
        const char *name = ch__step_param_name(step, i);
        d->names[i] = ch_memory_alloc(strlen(name) + 1);
        if (d->names[i] == NULL) return no_device_memory();
        strcpy(d->names[i], name);
    }
    CH_TRY(device_capture_step(d, m, gradient, slots));
    CH_TRY(device_prepare_step(d));
    for (int i = 0; i < d->n_params; i++) CH_TRY(ch__resident_up(d->session, device_value(d, m, i), &d->state[i]));
    for (int i = 0; i < d->n_learn * d->n_slots; i++)
        CH_TRY(ch__resident_up(d->session, slots[i], &d->state[d->n_params + i]));
    if (d->o.accumulate == 1) return CH_OK;
    CH_TRY(device_capture_gather(d, m, gradient));
    for (int k = 0; k < d->n_learn; k++)
        CH_TRY(ch__resident_up(d->session, ch_zeros_like(device_value(d, m, d->learn[k])), &d->zeros[k]));
    return device_prepare_gather(d);
}

static ch_status device_rooms(ch_device_step *d) {
    size_t learn = (size_t)d->n_learn + 1;
    d->learn = ch_memory_alloc(learn * sizeof *d->learn);
    d->names = ch_memory_alloc(((size_t)d->n_params + 1) * sizeof *d->names);
    d->state = ch_memory_alloc(((size_t)device_n_state(d) + 1) * sizeof *d->state);
    d->zeros = ch_memory_alloc(learn * sizeof *d->zeros);
    d->keep = ch_memory_alloc(learn * sizeof *d->keep);
    return d->learn && d->names && d->state && d->zeros && d->keep ? CH_OK : no_device_memory();
}

static ch_status device_check_options(const ch_device_step_options *o) {
    if (o->struct_size != sizeof *o)
        return ch_error_set(
            "argument", "step_on_device: options.struct_size is %zu — set it to sizeof(ch_device_step_options), %zu",
            o->struct_size, sizeof *o);
    if (o->schedule != NULL) CH_TRY(ch_schedule_check(o->schedule));
    if (!(o->clip_norm >= 0) || !(o->clip_value >= 0) || o->accumulate < 0)
        return ch_error_set("argument", "step_on_device: clip_norm %g, clip_value %g, accumulate %d — at least 0",
                            o->clip_norm, o->clip_value, o->accumulate);
    return CH_OK;
}

ch_status ch_step_on_device_with(const ch_step *step, const ch_model *m, const ch_optimizer *o,
                                 const ch_device_step_options *options, ch_session *s, ch_device_step **out_step) {
    if (step == NULL || m == NULL || o == NULL || options == NULL || s == NULL || out_step == NULL)
        return ch_error_set("argument", "step_on_device: step, model, optimizer, session and a place for the device's "
                                        "step are all needed — one is NULL");
    if (ch_optimizer_name(o) == NULL)
        return ch_error_set("argument", "step_on_device: optimizer kind %d — give one of ch_optimizer_kind",
                            (int)o->kind);
    CH_TRY(device_check_options(options));
    CH_TRY(ch__step_fits("step_on_device", step, m));
    int n_params = ch_model_num_params(m), n_in = ch_func_num_params(ch_step_gradient(step)) - n_params;
    ch_device_step *d = ch_memory_alloc(sizeof *d);
    if (d == NULL) return no_device_memory();
    *d = (ch_device_step){.session = s,
                          .optimizer = *o,
                          .o = *options,
                          .schedule = options->schedule == NULL ? ch_schedule_constant() : *options->schedule,
                          .n_in = n_in,
                          .n_numbers = ch__optimizer_counts(o) ? 2 : 1,
                          .n_params = n_params,
                          .n_learn = ch_step_num_grads(step),
                          .n_slots = ch_optimizer_num_slots(o)};
    if (d->o.accumulate == 0) d->o.accumulate = 1;
    ch_status st = device_rooms(d);
    ch_tensor **slots = ch_memory_alloc(((size_t)d->n_learn * (size_t)d->n_slots + 1) * sizeof *slots);
    if (st == CH_OK && slots == NULL) st = no_device_memory();
    ch_scope scope = ch_scope_begin();
    if (st == CH_OK) st = device_make(d, step, m, slots);
    (void)ch_scope_end(scope);
    ch_memory_free(slots);
    if (st == CH_OK)
        *out_step = d;
    else
        ch_device_step_destroy(d);
    return st;
}

ch_status ch_step_on_device(const ch_step *step, const ch_model *m, const ch_optimizer *o, const ch_schedule *schedule,
                            ch_session *s, ch_device_step **out_step) {
    const ch_device_step_options options = {.struct_size = sizeof options, .schedule = schedule};
    return ch_step_on_device_with(step, m, o, &options, s, out_step);
}

void ch_device_step_destroy(ch_device_step *d) {
    if (d == NULL) return;
    for (int i = 0; d->state != NULL && i < device_n_state(d); i++) ch_buffer_release(d->state[i]);
    for (int k = 0; d->zeros != NULL && k < d->n_learn; k++) ch_buffer_release(d->zeros[k]);
    for (int i = 0; d->names != NULL && i < d->n_params; i++) ch_memory_free(d->names[i]);
    ch__resident_free(&d->program);
    ch__resident_free(&d->gather);
    ch_func_destroy(d->func);
    ch_func_destroy(d->gather_func);
    void *all[] = {d->learn, d->names, d->state, d->zeros, d->keep};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ch_memory_free(all[i]);
    ch_memory_free(d);
}

// ---------------------------------------------------------------- a step
static void device_replace(ch_buffer **b, ch_buffer *now) {
    ch_buffer_release(*b);
    *b = now;
}

static ch_status device_loss(ch_buffer *loss, double *out_loss) {
    ch_status s = out_loss == NULL ? CH_OK : ch__resident_number(loss, out_loss);
    ch_buffer_release(loss);
    return s;
}

// The last of a round: the results are the state from now on; what they replace was consumed.
static ch_status device_update(ch_device_step *d, ch_tensor *const *in, double *out_loss) {
    ch__resident *p = &d->program;
    ch_buffer **out = p->out + device_n_head(d);
    p->numbers[0] = (double)(ch_device_step_updates(d) + 1);
    p->numbers[d->n_numbers - 1] = ch_device_step_rate(d);
    memcpy(p->in + p->n_up, d->state, (size_t)device_n_state(d) * sizeof *d->state);
    CH_TRY(ch__resident_run(p, in, 0, NULL));
    for (int k = 0; k < d->n_learn; k++) device_replace(&d->state[d->learn[k]], *out++);
    for (int i = d->n_params; i < device_n_updated(d); i++) device_replace(&d->state[i], *out++);
    ch_status s = CH_OK;
    if (d->o.clip_norm != 0) {
        s = ch__resident_number(p->out[1], &d->norm);
        ch_buffer_release(p->out[1]);
        if (s == CH_OK && !isfinite(d->norm)) {
            s = ch_error_set("non_finite",
                             "device step: the norm of the gradients is %s in update %" PRId64
                             " — nothing was changed; look at the batch, or lower the rate",
                             isnan(d->norm) ? "nan" : "inf", ch_device_step_updates(d) + 1);
            d->runs -= device_gathered(d) + 1; // and the sums are dropped
        }
    }
    d->runs++;
    ch_status of_loss = device_loss(p->out[0], s == CH_OK ? out_loss : NULL);
    return s == CH_OK ? of_loss : s;
}

static ch_status device_gather(ch_device_step *d, ch_tensor *const *in, double *out_loss) {
    ch__resident *p = &d->gather;
    bool first = device_gathered(d) == 0;
    ch_buffer **sums = d->state + device_n_updated(d);
    memcpy(p->in + p->n_up, d->state, (size_t)d->n_params * sizeof *d->state);
    memcpy(p->in + p->n_up + d->n_params, first ? d->zeros : sums, (size_t)d->n_learn * sizeof *sums);
    CH_TRY(ch__resident_run(p, in, first ? d->n_learn : 0, d->keep));
    for (int k = 0; k < d->n_learn; k++) device_replace(&sums[k], p->out[1 + k]);
    d->runs++;
    return device_loss(p->out[0], out_loss);
}

ch_status ch_device_step_run(ch_device_step *d, ch_tensor *const *in, double *out_loss) {
    if (d == NULL || (in == NULL && d->n_in > 0))
        return ch_error_set("argument", "device step: the step or its inputs are NULL — give both");
    for (int i = 0; i < d->n_in; i++) CH_TRY(ch_check(in[i]));
    bool last = device_gathered(d) == d->o.accumulate - 1;
    return last ? device_update(d, in, out_loss) : device_gather(d, in, out_loss);
}

int64_t ch_device_step_updates(const ch_device_step *d) { return d == NULL ? 0 : d->runs / d->o.accumulate; }
double ch_device_step_norm(const ch_device_step *d) { return d == NULL ? 0 : d->norm; }
double ch_device_step_rate(const ch_device_step *d) {
    return d == NULL ? 0 : ch_schedule_rate(&d->schedule, d->optimizer.rate, ch_device_step_updates(d));
}

// ---------------------------------------------------------------- back to the host
ch_status ch_device_step_read(ch_device_step *d, ch_model *m) {
    if (d == NULL || m == NULL)
        return ch_error_set("argument", "device_step_read: step and model are needed — one is NULL");
    for (int k = 0; k < d->n_learn; k++) {
        int at = ch_model_find(m, d->names[d->learn[k]]);
        if (at < 0)
            return ch_error_set("no_param", "device_step_read: the model has no parameter \"%s\"",
                                d->names[d->learn[k]]);
        ch_tensor *t = NULL;
        CH_TRY(ch__resident_down(d->state[d->learn[k]], &t));
        ch_status s = ch_model_set(m, at, t);
        if (s != CH_OK) {
            ch_release(t);
            return s;
        }
    }
    return CH_OK;
}
