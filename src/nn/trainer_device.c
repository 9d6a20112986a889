// SPDX-License-Identifier: Apache-2.0
// trainer_device.c - trainers on "pjrt": parameters, buffers and state are arrays of the device between steps.
//
// A step's func says which results lie in the memory of which params (resident.c), so a step donates what it replaces;
// the batch, the update's numbers and the key go up, the loss comes down. Of everything that a step changes there are
// two values, the device's buffer and the host's tensor, of which one may be older: a tensor that is old is read when
// somebody asks for it (ch_model_param, ch_trainer_state), a buffer that is old was let go, and is made of the tensor
// before the next step. A model has one holder, the trainer whose buffers count; another that steps takes them over
// through the host.

#include <string.h>

#include "nn/nn.h"

static ch_status no_buffer_room(void) { return ch_error_set("out_of_memory", "trainer: no memory"); }

// Runs are checked by the interpreter under CHAAC_CHECK=1, which the engine sees to: then everything goes through it.
static bool checks(void) {
    for (int i = 0; ch_config_name(i) != NULL; i++)
        if (strcmp(ch_config_name(i), "CHAAC_CHECK") == 0)
            return ch_config_value(i) != NULL && strcmp(ch_config_value(i), "0") != 0 && ch_config_value(i)[0] != '\0';
    return false;
}

bool ch__trainer_is_resident(const ch_trainer *t) { return strcmp(t->engine, "pjrt") == 0 && !checks(); }

// ---------------------------------------------------------------- life
static void device_free(ch__trainer_device *d) {
    void *all[] = {d->params, d->state, d->zeros, d->params_old, d->state_old, d->keep};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ch_memory_free(all[i]);
    ch_session_unshare(d->session);
    ch_memory_free(d);
}

ch_status ch__trainer_device_open(ch_trainer *t) {
    if (t->device != NULL) return CH_OK;
    size_t n = (size_t)t->n_params + 1, n_state = (size_t)t->n_state + 1;
    ch__trainer_device *d = ch_memory_alloc(sizeof *d);
    if (d == NULL) return no_buffer_room();
    *d = (ch__trainer_device){.params = ch_memory_alloc(n * sizeof *d->params),
                              .state = ch_memory_alloc(n_state * sizeof *d->state),
                              .zeros = ch_memory_alloc(n * sizeof *d->zeros),
                              .params_old = ch_memory_alloc(n),
                              .state_old = ch_memory_alloc(n_state),
                              .keep = ch_memory_alloc(n * sizeof *d->keep)};
    bool room = d->params && d->state && d->zeros && d->params_old && d->state_old && d->keep;
    ch_status s = room ? ch_session_share(&d->session) : no_buffer_room();
    if (s == CH_OK)
        t->device = d;
    else
        device_free(d);
    return s;
}

static void let_go(ch_buffer **b) {
    ch_buffer_release(*b);
    *b = NULL;
}

// The model's values are what they are now; those that cannot be read are lost.
static void leave_model(ch_trainer *t) {
    ch__trainer_device *d = t->device;
    for (int i = 0; i < t->n_params; i++) {
        ch_status s = ch__trainer_fetch_param(t, i);
        if (s != CH_OK) t->model->params[i].lost = s == CH_RESOURCE_EXHAUSTED ? CH__LOST_MEMORY : CH__LOST_DEVICE;
        d->params_old[i] = 0;
        let_go(&d->params[i]);
    }
    t->model->holder = NULL;
    d->holds = false;
}

void ch__trainer_device_close(ch_trainer *t) {
    ch__trainer_device *d = t->device;
    if (d == NULL) return;
    if (d->holds) leave_model(t);
    ch__trainer_device_drop(t);
    for (int i = 0; i < t->n_params; i++) let_go(&d->params[i]);
    for (int i = 0; i < t->n_state; i++) let_go(&d->state[i]);
    for (int i = 0; i < t->n_learn; i++) let_go(&d->zeros[i]);
    ch__resident_free(&d->predict);
    ch_func_destroy(d->predict_func);
    device_free(d);
    t->device = NULL;
}

// ---------------------------------------------------------------- programs
// What lies in whose memory.
static ch_status prepare_programs(ch_trainer *t) {
    ch__trainer_device *d = t->device;
    int n_updated = t->n_learn * (t->n_slots + (t->o.average != 0));
    CH_TRY(ch__resident_init(&d->step, d->session, t->func, 5, 0));
    int *a = d->step.aliases + 5;
    for (int i = 0; i < t->n_learn; i++) a[t->learn[i]] = 2 + i;
    for (int i = 0; i < t->n_buffers; i++) a[t->buffers[i]] = 2 + t->n_learn + i;
    for (int i = 0; i < n_updated; i++) a[t->n_params + i] = 2 + t->n_learn + t->n_buffers + i;
    if (t->gather == NULL) return CH_OK;
    CH_TRY(ch__resident_init(&d->gather, d->session, t->gather, 3, 0));
    a = d->gather.aliases + 3;
    for (int i = 0; i < t->n_buffers; i++) a[t->buffers[i]] = 1 + i;
    for (int i = 0; i < t->n_learn; i++) {
        a[t->n_params + i] = 1 + t->n_buffers + i;
        d->keep[i] = 3 + t->n_params + i;
        if (d->zeros[i] == NULL) CH_TRY(ch__resident_up(d->session, t->zeros[i], &d->zeros[i]));
    }
    return CH_OK;
}

ch_status ch__trainer_device_prepare(ch_trainer *t) {
    ch_status s = prepare_programs(t);
    if (s != CH_OK) ch__trainer_device_drop(t);
    return s;
}

void ch__trainer_device_drop(ch_trainer *t) {
    if (t->device == NULL) return;
    ch__resident_free(&t->device->step);
    ch__resident_free(&t->device->gather);
}

// ---------------------------------------------------------------- the two values
ch_status ch__trainer_fetch_param(ch_trainer *t, int i) {
    ch__trainer_device *d = t->device;
    ch_tensor *now = NULL;
    if (i >= t->n_params || !d->params_old[i]) return CH_OK;
    CH_TRY(ch__resident_down(d->params[i], &now));
    ch_release(t->model->params[i].value);
    t->model->params[i].value = now;
    d->params_old[i] = 0;
    return CH_OK;
}

void ch__trainer_forget_param(ch_trainer *t, int i) {
    if (i >= t->n_params) return;
    t->device->params_old[i] = 0;
    let_go(&t->device->params[i]);
}

void ch__trainer_leave_model(ch_trainer *t) { t->device->holds = false; }

ch_status ch__trainer_fetch_state(ch_trainer *t, int i) {
    ch__trainer_device *d = t->device;
    ch_tensor *now = NULL;
    if (d == NULL || !d->state_old[i]) return CH_OK;
    CH_TRY(ch__resident_down(d->state[i], &now));
    ch_release(t->state[i]);
    t->state[i] = now;
    d->state_old[i] = 0;
    return CH_OK;
}

void ch__trainer_forget_state(ch_trainer *t, int i) {
    if (t->device == NULL) return;
    t->device->state_old[i] = 0;
    let_go(&t->device->state[i]);
}

// The trainer is the model's holder, and has a buffer of everything.
static ch_status hold(ch_trainer *t) {
    ch__trainer_device *d = t->device;
    ch_model *m = t->model;
    if (m->holder != NULL && m->holder != t) leave_model(m->holder);
    m->holder = t;
    d->holds = true;
    for (int i = 0; i < t->n_params; i++) {
        if (d->params[i] != NULL) continue;
        ch_tensor *value = ch_model_param(m, i);
        CH_TRY(ch_check(value));
        CH_TRY(ch__resident_up(d->session, value, &d->params[i]));
    }
    for (int i = 0; i < t->n_state; i++)
        if (d->state[i] == NULL) CH_TRY(ch__resident_up(d->session, t->state[i], &d->state[i]));
    return CH_OK;
}

static void take_buffer(ch_buffer **b, unsigned char *old, ch_buffer *now) {
    ch_buffer_release(*b);
    *b = now;
    *old = 1;
}

// ---------------------------------------------------------------- steps
static ch_status loss_of(ch__resident *r, double *out_loss) {
    ch_status s = out_loss == NULL ? CH_OK : ch__resident_number(r->out[0], out_loss);
    let_go(&r->out[0]);
    return s;
}

// The first of a round adds to zeros, which stay.
ch_status ch__trainer_device_gather(ch_trainer *t, bool first, ch_tensor *const *host, double *out_loss) {
    ch__trainer_device *d = t->device;
    ch__resident *r = &d->gather;
    int sums = ch__trainer_sums(t);
    CH_TRY(hold(t));
    memcpy(r->in + 3, d->params, (size_t)t->n_params * sizeof *r->in);
    memcpy(r->in + 3 + t->n_params, first ? d->zeros : d->state + sums, (size_t)t->n_learn * sizeof *r->in);
    CH_TRY(ch__resident_run(r, host, first ? t->n_learn : 0, d->keep));
    for (int i = 0; i < t->n_buffers; i++)
        take_buffer(&d->params[t->buffers[i]], &d->params_old[t->buffers[i]], r->out[1 + i]);
    for (int i = 0; i < t->n_learn; i++)
        take_buffer(&d->state[sums + i], &d->state_old[sums + i], r->out[1 + t->n_buffers + i]);
    t->steps++;
    return loss_of(r, out_loss);
}

// A norm that is not finite left everything as it was, in the func itself.
ch_status ch__trainer_device_update(ch_trainer *t, bool first, ch_tensor *const *host, double *out_loss) {
    ch__trainer_device *d = t->device;
    ch__resident *r = &d->step;
    int n_updated = t->n_learn * (t->n_slots + (t->o.average != 0));
    CH_TRY(hold(t));
    memcpy(r->in + 5, d->params, (size_t)t->n_params * sizeof *r->in);
    memcpy(r->in + 5 + t->n_params, d->state, (size_t)t->n_state * sizeof *r->in);
    if (first && t->o.accumulate > 1) // only after a state was set by hand
        memcpy(r->in + 5 + t->n_params + n_updated, d->zeros, (size_t)t->n_learn * sizeof *r->in);
    CH_TRY(ch__resident_run(r, host, 0, NULL));
    ch_buffer **out = r->out + 2;
    for (int i = 0; i < t->n_learn; i++) take_buffer(&d->params[t->learn[i]], &d->params_old[t->learn[i]], *out++);
    for (int i = 0; i < t->n_buffers; i++)
        take_buffer(&d->params[t->buffers[i]], &d->params_old[t->buffers[i]], *out++);
    for (int i = 0; i < n_updated; i++) take_buffer(&d->state[i], &d->state_old[i], *out++);
    t->norm = 0;
    ch_status s = t->o.clip_norm == 0 ? CH_OK : ch__resident_number(r->out[1], &t->norm);
    let_go(&r->out[1]);
    if (s == CH_OK) s = ch__trainer_check_norm(t);
    if (s == CH_OK) t->steps++;
    ch_status of_loss = loss_of(r, s == CH_OK ? out_loss : NULL);
    return s == CH_OK ? of_loss : s;
}

// ---------------------------------------------------------------- the rest
// Learning parameters and their averages change places, on both sides.
ch_status ch__trainer_device_swap(ch_trainer *t) {
    ch__trainer_device *d = t->device;
    int averages = ch__trainer_averages(t);
    CH_TRY(hold(t));
    for (int k = 0; k < t->n_learn; k++) {
        int i = t->learn[k], a = averages + k;
        ch_buffer *b = d->params[i];
        ch_tensor *v = t->model->params[i].value;
        unsigned char old = d->params_old[i];
        d->params[i] = d->state[a], d->state[a] = b;
        t->model->params[i].value = t->state[a], t->state[a] = v;
        d->params_old[i] = d->state_old[a], d->state_old[a] = old;
    }
    return CH_OK;
}

ch_status ch__trainer_device_prepare_predict(ch_trainer *t, ch_func *f) {
    ch__trainer_device *d = t->device;
    ch__resident_free(&d->predict);
    ch_func_destroy(d->predict_func);
    d->predict_func = f;
    return ch__resident_init(&d->predict, d->session, f, 1, 0);
}

ch_status ch__trainer_device_predict(ch_trainer *t, ch_tensor *x, ch_tensor **out) {
    ch__trainer_device *d = t->device;
    ch__resident *r = &d->predict;
    ch_tensor *y = NULL;
    CH_TRY(hold(t));
    memcpy(r->in + 1, d->params, (size_t)t->n_params * sizeof *r->in);
    CH_TRY(ch__resident_run(r, &x, 0, NULL));
    ch_status s = ch__resident_down(r->out[0], &y);
    let_go(&r->out[0]);
    if (s != CH_OK) return s;
    ch_release(*out);
    *out = y;
    return CH_OK;
}

ch_session *ch_trainer_session(const ch_trainer *t) {
    return t == NULL || t->device == NULL ? NULL : t->device->session;
}
