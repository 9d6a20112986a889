// SPDX-License-Identifier: Apache-2.0
// device.c - a training step whose state stays on a device: each run donates parameters and the optimizer's state.
//
//     step(inputs..., [number, rate], params..., slots...) -> loss, params'..., slots'...
//
// The func is that of the captured gradient with the optimizer's update behind it. Each learning parameter and slot
// lies in the memory of the result that follows it, so a run consumes the buffers of the state and its results are the
// state of the next (resident.c). The number of the update and the rate are an input: a schedule compiles nothing. What
// crosses is the inputs and these two numbers up, and the loss down.

#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

struct ch_device_step {
    ch_session *session;
    ch_func *func;
    ch_optimizer optimizer;
    ch_schedule schedule;
    int n_in, n_params, n_learn, n_slots; // slots of one parameter
    int *learn;                           // parameter of each gradient
    char **names;                         // of all parameters
    ch_buffer **state;                    // params, then slots
    ch__resident program;
    int64_t updates;
};

static ch_status no_device_memory(void) { return ch_error_set("out_of_memory", "device step: no memory"); }
static int device_n_state(const ch_device_step *d) { return d->n_params + d->n_learn * d->n_slots; }

// ---------------------------------------------------------------- the func
typedef struct {
    ch_device_step *d;
    const ch_func *gradient;
} device_capture;

static ch_tensor *device_number(ch_tensor *numbers, int i) {
    return ch_reshape(ch_slice_axis(numbers, 0, i, i + 1), 0, NULL);
}

// in: inputs, [number, rate], params, slots; out: loss, params', slots'
static ch_status device_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const device_capture *c = user;
    const ch_device_step *d = c->d;
    (void)n, (void)n_out;
    ch_tensor *const *params = in + d->n_in + 1;
    ch_tensor **r = ch_memory_alloc((size_t)(2 + d->n_in + d->n_params + 2 * d->n_learn) * sizeof *r);
    if (r == NULL) return no_device_memory();
    ch_tensor **learning = r + 1 + d->n_learn, **leaves = learning + d->n_learn;
    for (int i = 0; i < d->n_in; i++) leaves[i] = in[i];
    for (int i = 0; i < d->n_params; i++) leaves[d->n_in + i] = params[i];
    for (int i = 0; i < d->n_learn; i++) learning[i] = params[d->learn[i]];
    ch_func_apply(c->gradient, d->n_in + d->n_params, leaves, 1 + d->n_learn, r);
    out[0] = r[0];
    const ch_update_options o = {.struct_size = sizeof o, .rate = device_number(in[d->n_in], 1)};
    ch_optimizer_update_with(&d->optimizer, &o, device_number(in[d->n_in], 0), d->n_learn, learning, r + 1,
                             params + d->n_params, out + 1, out + 1 + d->n_learn);
    ch_memory_free(r);
    return CH_OK;
}

static ch_status device_put_slots(ch_device_step *d, const ch_model *m, ch__signature *s, ch_tensor **slots) {
    for (int k = 0; k < d->n_learn; k++)
        for (int i = 0; i < d->n_slots; i++) {
            char name[512];
            ch_tensor *slot = ch_optimizer_slot(&d->optimizer, i, ch_model_param(m, d->learn[k]));
            CH_TRY(ch_realize(slot));
            snprintf(name, sizeof name, "%s.%s", ch_model_param_name(m, d->learn[k]),
                     ch_optimizer_slot_name(&d->optimizer, i));
            ch__signature_add(s, name, slot, 0);
            slots[k * d->n_slots + i] = slot;
        }
    return CH_OK;
}

static ch_status device_capture_func(ch_device_step *d, const ch_model *m, const ch_func *gradient, ch_tensor **slots) {
    ch__signature s = {0};
    for (int i = 0; i < d->n_in; i++) {
        if (i > 0) ch__signature_put(&s, ", ");
        ch__signature_put(&s, ch_func_param_name(gradient, i));
        ch__signature_put(&s, ": ");
        ch__signature_put(&s, ch_func_param_type(gradient, i));
    }
    ch__signature_put(&s, d->n_in > 0 ? ", number_and_rate: f64[2]" : "number_and_rate: f64[2]");
    for (int i = 0; i < d->n_params; i++) ch__signature_add(&s, ch_model_param_name(m, i), ch_model_param(m, i), 0);
    ch_status st = device_put_slots(d, m, &s, slots);
    device_capture c = {d, gradient};
    const ch_capture_options o = {.struct_size = sizeof o, .name = "device_step"};
    if (st == CH_OK && s.failed) st = no_device_memory();
    if (st == CH_OK)
        st = ch_capture_with(&o, device_body, &c, s.text, 1 + d->n_learn + d->n_learn * d->n_slots, &d->func);
    ch__signature_finish(&s);
    return st;
}

// ---------------------------------------------------------------- life
static ch_status device_make(ch_device_step *d, const ch_step *step, const ch_model *m, ch_tensor **slots) {
    const ch_func *gradient = ch_step_gradient(step);
    for (int k = 0; k < d->n_learn; k++) { d->learn[k] = ch_model_find(m, ch_step_grad_name(step, k)); }
    for (int i = 0; i < d->n_params; i++) {
        const char *name = ch_model_param_name(m, i);
        d->names[i] = ch_memory_alloc(strlen(name) + 1);
        if (d->names[i] == NULL) return no_device_memory();
        strcpy(d->names[i], name);
    }
    CH_TRY(device_capture_func(d, m, gradient, slots));
    CH_TRY(ch__resident_init(&d->program, d->session, d->func, d->n_in, 2));
    int *aliases = d->program.aliases + d->program.n_up;
    for (int k = 0; k < d->n_learn; k++) {
        int *slot = aliases + d->n_params + k * d->n_slots;
        aliases[d->learn[k]] = 1 + k;
        for (int i = 0; i < d->n_slots; i++) slot[i] = 1 + d->n_learn + k * d->n_slots + i;
    }
    for (int i = 0; i < d->n_params; i++) CH_TRY(ch__resident_up(d->session, ch_model_param(m, i), &d->state[i]));
    for (int i = 0; i < d->n_learn * d->n_slots; i++)
        CH_TRY(ch__resident_up(d->session, slots[i], &d->state[d->n_params + i]));
    return CH_OK;
}

static ch_status device_rooms(ch_device_step *d) {
    d->learn = ch_memory_alloc(((size_t)d->n_learn + 1) * sizeof *d->learn);
    d->names = ch_memory_alloc(((size_t)d->n_params + 1) * sizeof *d->names);
    d->state = ch_memory_alloc(((size_t)device_n_state(d) + 1) * sizeof *d->state);
    return d->learn && d->names && d->state ? CH_OK : no_device_memory();
}

ch_status ch_step_on_device(const ch_step *step, const ch_model *m, const ch_optimizer *o, const ch_schedule *schedule,
                            ch_session *s, ch_device_step **out_step) {
    if (step == NULL || m == NULL || o == NULL || s == NULL || out_step == NULL)
        return ch_error_set("argument", "step_on_device: step, model, optimizer, session and a place for the device's "
                                        "step are all needed — one is NULL");
    if (ch_optimizer_name(o) == NULL)
        return ch_error_set("argument", "step_on_device: optimizer kind %d — give one of ch_optimizer_kind",
                            (int)o->kind);
    if (schedule != NULL) CH_TRY(ch_schedule_check(schedule));
    CH_TRY(ch__step_fits("step_on_device", step, m));
    int n_params = ch_model_num_params(m), n_in = ch_func_num_params(ch_step_gradient(step)) - n_params;
    ch_device_step *d = ch_memory_alloc(sizeof *d);
    if (d == NULL) return no_device_memory();
    *d = (ch_device_step){.session = s,
                          .optimizer = *o,
                          .schedule = schedule == NULL ? ch_schedule_constant() : *schedule,
                          .n_in = n_in,
                          .n_params = n_params,
                          .n_learn = ch_step_num_grads(step),
                          .n_slots = ch_optimizer_num_slots(o)};
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

void ch_device_step_destroy(ch_device_step *d) {
    if (d == NULL) return;
    for (int i = 0; d->state != NULL && i < device_n_state(d); i++) ch_buffer_release(d->state[i]);
    for (int i = 0; d->names != NULL && i < d->n_params; i++) ch_memory_free(d->names[i]);
    ch__resident_free(&d->program);
    ch_func_destroy(d->func);
    void *all[] = {d->learn, d->names, d->state};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ch_memory_free(all[i]);
    ch_memory_free(d);
}

// ---------------------------------------------------------------- a step
// The results are the state from now on; what they replace was consumed.
static void device_take(ch_device_step *d) {
    for (int k = 0; k < d->n_learn; k++) {
        ch_buffer_release(d->state[d->learn[k]]);
        d->state[d->learn[k]] = d->program.out[1 + k];
    }
    for (int i = 0; i < d->n_learn * d->n_slots; i++) {
        ch_buffer_release(d->state[d->n_params + i]);
        d->state[d->n_params + i] = d->program.out[1 + d->n_learn + i];
    }
}

ch_status ch_device_step_run(ch_device_step *d, ch_tensor *const *in, double *out_loss) {
    if (d == NULL || (in == NULL && d->n_in > 0))
        return ch_error_set("argument", "device step: the step or its inputs are NULL — give both");
    for (int i = 0; i < d->n_in; i++) CH_TRY(ch_check(in[i]));
    ch__resident *p = &d->program;
    p->numbers[0] = (double)(d->updates + 1);
    p->numbers[1] = ch_device_step_rate(d);
    memcpy(p->in + p->n_up, d->state, (size_t)device_n_state(d) * sizeof *d->state);
    CH_TRY(ch__resident_run(p, in, 0, NULL));
    d->updates++;
    device_take(d);
    ch_status s = out_loss == NULL ? CH_OK : ch__resident_number(p->out[0], out_loss);
    ch_buffer_release(p->out[0]);
    return s;
}

int64_t ch_device_step_updates(const ch_device_step *d) { return d == NULL ? 0 : d->updates; }
double ch_device_step_rate(const ch_device_step *d) {
    return d == NULL ? 0 : ch_schedule_rate(&d->schedule, d->optimizer.rate, d->updates);
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
