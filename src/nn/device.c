// SPDX-License-Identifier: Apache-2.0
// device.c - a training step whose state stays on a device: each run donates parameters and the optimizer's state.
//
//     step(inputs..., step, rate, params..., slots...) -> loss, params'..., slots'...
//
// The func is that of the captured gradient with the optimizer's update behind it. Its text says that each learning
// parameter and slot may lie in the memory of the result that follows it, so a run consumes the buffers of the state
// and its results are the state of the next. The number of the update and the rate are inputs: a schedule compiles
// nothing. What crosses is the inputs and these two numbers up, and the loss down.

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

enum { DEVICE_RANK = 16, DEVICE_SIZES = 16 };

struct ch_device_step {
    ch_session *session;
    ch_func *func;
    ch_optimizer optimizer;
    ch_schedule schedule;
    int n_in, n_params, n_learn, n_slots; // slots of one parameter
    int *learn;                           // parameter of each gradient
    char **names;                         // of all parameters
    ch_buffer **state;                    // params, then slots
    ch_buffer **in, **out;                // room for one run
    int *aliases;
    int64_t updates;
    int n_sizes; // of the text that is kept
    int64_t sizes[DEVICE_SIZES];
    long long number; // of this step in the process: its programs' keys begin with it
    char *text, key[24 + 22 * DEVICE_SIZES];
};

static ch_status no_device_memory(void) { return ch_error_set("out_of_memory", "device step: no memory"); }
static int device_n_state(const ch_device_step *d) { return d->n_params + d->n_learn * d->n_slots; }

// ---------------------------------------------------------------- the func
typedef struct {
    ch_device_step *d;
    const ch_func *gradient;
} device_capture;

// in: inputs, step, rate, params, slots; out: loss, params', slots'
static ch_status device_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const device_capture *c = user;
    const ch_device_step *d = c->d;
    (void)n, (void)n_out;
    ch_tensor *const *params = in + d->n_in + 2;
    ch_tensor **r = ch_memory_alloc((size_t)(2 + d->n_in + d->n_params + 2 * d->n_learn) * sizeof *r);
    if (r == NULL) return no_device_memory();
    ch_tensor **learning = r + 1 + d->n_learn, **leaves = learning + d->n_learn;
    for (int i = 0; i < d->n_in; i++) leaves[i] = in[i];
    for (int i = 0; i < d->n_params; i++) leaves[d->n_in + i] = params[i];
    for (int i = 0; i < d->n_learn; i++) learning[i] = params[d->learn[i]];
    ch_func_apply(c->gradient, d->n_in + d->n_params, leaves, 1 + d->n_learn, r);
    out[0] = r[0];
    const ch_update_options o = {.struct_size = sizeof o, .rate = in[d->n_in + 1]};
    ch_optimizer_update_with(&d->optimizer, &o, in[d->n_in], d->n_learn, learning, r + 1, params + d->n_params, out + 1,
                             out + 1 + d->n_learn);
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
    ch__signature_put(&s, d->n_in > 0 ? ", update_number: f64[], update_rate: f64[]"
                                      : "update_number: f64[], update_rate: f64[]");
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
static ch_status device_upload(ch_session *s, ch_tensor *t, ch_buffer **out) {
    char type[512];
    CH_TRY(ch_realize(t));
    ch_tensor_type(t, type, sizeof type);
    const void *data = ch_data(t);
    static const char nothing[1];
    return ch_buffer_from_host(s, data == NULL ? nothing : data, type, out);
}

static ch_status device_make(ch_device_step *d, const ch_step *step, const ch_model *m, ch_tensor **slots) {
    const ch_func *gradient = ch_step_gradient(step);
    for (int k = 0; k < d->n_learn; k++) {
        d->learn[k] = ch_model_find(m, ch_step_grad_name(step, k));
        if (d->learn[k] < 0)
            return ch_error_set("no_param", "step_on_device: the model has no parameter \"%s\" — the captured one had",
                                ch_step_grad_name(step, k));
    }
    for (int i = 0; i < d->n_params; i++) {
        const char *name = ch_model_param_name(m, i);
        d->names[i] = ch_memory_alloc(strlen(name) + 1);
        if (d->names[i] == NULL) return no_device_memory();
        strcpy(d->names[i], name);
    }
    CH_TRY(device_capture_func(d, m, gradient, slots));
    for (int i = 0; i < d->n_in + 2 + device_n_state(d); i++) d->aliases[i] = -1;
    for (int k = 0; k < d->n_learn; k++) {
        int *slot = d->aliases + d->n_in + 2 + d->n_params + k * d->n_slots;
        d->aliases[d->n_in + 2 + d->learn[k]] = 1 + k;
        for (int i = 0; i < d->n_slots; i++) slot[i] = 1 + d->n_learn + k * d->n_slots + i;
    }
    for (int i = 0; i < d->n_params; i++) CH_TRY(device_upload(d->session, ch_model_param(m, i), &d->state[i]));
    for (int i = 0; i < d->n_learn * d->n_slots; i++)
        CH_TRY(device_upload(d->session, slots[i], &d->state[d->n_params + i]));
    return CH_OK;
}

static ch_status device_rooms(ch_device_step *d) {
    size_t n_state = (size_t)device_n_state(d), n_in = (size_t)d->n_in + 2 + n_state;
    d->learn = ch_memory_alloc(((size_t)d->n_learn + 1) * sizeof *d->learn);
    d->names = ch_memory_alloc(((size_t)d->n_params + 1) * sizeof *d->names);
    d->state = ch_memory_alloc((n_state + 1) * sizeof *d->state);
    d->in = ch_memory_alloc(n_in * sizeof *d->in);
    d->out = ch_memory_alloc((n_state + 2) * sizeof *d->out);
    d->aliases = ch_memory_alloc(n_in * sizeof *d->aliases);
    return d->learn && d->names && d->state && d->in && d->out && d->aliases ? CH_OK : no_device_memory();
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
    int n_params = ch_model_num_params(m), n_in = ch_func_num_params(ch_step_gradient(step)) - n_params;
    if (n_in < 0)
        return ch_error_set("no_param", "step_on_device: the model has %d parameters — fewer were captured", n_params);
    static atomic_llong made;
    ch_device_step *d = ch_memory_alloc(sizeof *d);
    if (d == NULL) return no_device_memory();
    *d = (ch_device_step){.session = s,
                          .number = atomic_fetch_add(&made, 1),
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
    ch_func_destroy(d->func);
    ch_string_free(d->text);
    void *all[] = {d->learn, d->names, d->state, d->in, d->out, d->aliases};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ch_memory_free(all[i]);
    ch_memory_free(d);
}

// ---------------------------------------------------------------- a step
// The value of the func's size number k, from the dims of the inputs: the first dim that is this symbol alone.
static int device_size(const ch_device_step *d, const char *symbol, ch_tensor *const *in, int64_t *out) {
    size_t n = strlen(symbol);
    for (int i = 0; i < d->n_in; i++) {
        const char *at = strchr(ch_func_param_type(d->func, i), '[');
        for (int k = 0; at != NULL && *at != '\0' && *at != ']'; k++) {
            const char *colon;
            at += 1 + strspn(at + 1, " ");
            size_t length = strcspn(at, ",]");
            colon = memchr(at, ':', length); // an axis name
            const char *word = colon == NULL ? at : colon + 1;
            if (length - (size_t)(word - at) == n && strncmp(word, symbol, n) == 0 && k < ch_tensor_rank(in[i])) {
                *out = ch_tensor_dim(in[i], k);
                return 1;
            }
            at += length;
        }
    }
    return 0;
}

static ch_status device_text(ch_device_step *d, ch_tensor *const *in) {
    const char *names[DEVICE_SIZES];
    int64_t sizes[DEVICE_SIZES] = {0};
    int n = 0;
    for (const char *name; (name = ch_func_size_name(d->func, n)) != NULL; n++) {
        if (n == DEVICE_SIZES) return ch_error_set("limit", "device step: more than %d symbolic sizes", DEVICE_SIZES);
        names[n] = name;
        if (!device_size(d, name, in, &sizes[n]))
            return ch_error_set("argument", "device step: the size %s is not that of an axis of an input", name);
    }
    if (d->text != NULL && memcmp(sizes, d->sizes, sizeof sizes) == 0) return CH_OK;
    const ch_hlo_options o = {
        .struct_size = sizeof o, .n_sizes = n, .size_names = names, .size_values = sizes, .aliases = d->aliases};
    char *text = NULL;
    CH_TRY(ch_hlo_to_text(d->func, &o, &text));
    ch_string_free(d->text);
    d->text = text;
    int at = snprintf(d->key, sizeof d->key, "device step %lld", d->number);
    for (int i = 0; i < n; i++) at += snprintf(d->key + at, sizeof d->key - (size_t)at, " %" PRId64, sizes[i]);
    memcpy(d->sizes, sizes, sizeof sizes);
    return CH_OK;
}

static ch_status device_inputs(ch_device_step *d, ch_tensor *const *in) {
    const double number = (double)(d->updates + 1), rate = ch_device_step_rate(d);
    for (int i = 0; i < d->n_in; i++) CH_TRY(device_upload(d->session, in[i], &d->in[i]));
    CH_TRY(ch_buffer_from_host(d->session, &number, "f64[]", &d->in[d->n_in]));
    CH_TRY(ch_buffer_from_host(d->session, &rate, "f64[]", &d->in[d->n_in + 1]));
    for (int i = 0; i < device_n_state(d); i++) d->in[d->n_in + 2 + i] = d->state[i];
    return CH_OK;
}

// The results are the state from now on; what they replace was consumed.
static void device_take(ch_device_step *d) {
    for (int k = 0; k < d->n_learn; k++) {
        ch_buffer_release(d->state[d->learn[k]]);
        d->state[d->learn[k]] = d->out[1 + k];
    }
    for (int i = 0; i < d->n_learn * d->n_slots; i++) {
        ch_buffer_release(d->state[d->n_params + i]);
        d->state[d->n_params + i] = d->out[1 + d->n_learn + i];
    }
}

static ch_status device_loss(const ch_device_step *d, double *out) {
    float f = 0;
    if (out == NULL) return CH_OK;
    if (ch_buffer_dtype(d->out[0]) == CH_F64) return ch_buffer_read(d->out[0], out, sizeof *out);
    if (ch_buffer_dtype(d->out[0]) != CH_F32)
        return ch_error_set("unsupported", "device step: a loss of %s is not read — f32 and f64 are",
                            ch_dtype_name(ch_buffer_dtype(d->out[0])));
    CH_TRY(ch_buffer_read(d->out[0], &f, sizeof f));
    *out = (double)f;
    return CH_OK;
}

ch_status ch_device_step_run(ch_device_step *d, ch_tensor *const *in, double *out_loss) {
    if (d == NULL || (in == NULL && d->n_in > 0))
        return ch_error_set("argument", "device step: the step or its inputs are NULL — give both");
    for (int i = 0; i < d->n_in; i++) CH_TRY(ch_check(in[i]));
    CH_TRY(device_text(d, in));
    int n_in = d->n_in + 2 + device_n_state(d), n_out = 1 + d->n_learn + d->n_learn * d->n_slots;
    memset(d->in, 0, (size_t)n_in * sizeof *d->in);
    memset(d->out, 0, (size_t)n_out * sizeof *d->out);
    ch_status s = device_inputs(d, in);
    const ch_session_call call = {.struct_size = sizeof call, .key = d->key};
    if (s == CH_OK) s = ch_session_run_text_with(d->session, &call, d->text, n_in, d->in, n_out, d->out);
    for (int i = 0; i < d->n_in + 2; i++) ch_buffer_release(d->in[i]);
    if (s != CH_OK) return s;
    d->updates++;
    device_take(d);
    s = device_loss(d, out_loss);
    ch_buffer_release(d->out[0]);
    return s;
}

int64_t ch_device_step_updates(const ch_device_step *d) { return d->updates; }
double ch_device_step_rate(const ch_device_step *d) {
    return ch_schedule_rate(&d->schedule, d->optimizer.rate, d->updates);
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
        const ch_buffer *b = d->state[d->learn[k]];
        int64_t dims[DEVICE_RANK];
        for (int i = 0; i < ch_buffer_rank(b); i++) dims[i] = ch_buffer_dim(b, i);
        void *data = ch_memory_alloc(ch_buffer_bytes(b) + 1);
        if (data == NULL) return no_device_memory();
        ch_status s = ch_buffer_read(d->state[d->learn[k]], data, ch_buffer_bytes(b));
        ch_tensor *t = NULL;
        if (s == CH_OK) {
            t = ch_keep(ch_from_data(ch_buffer_dtype(b), data, ch_buffer_rank(b), dims));
            s = ch_check(t);
        }
        ch_memory_free(data);
        if (s == CH_OK) s = ch_model_set(m, at, t);
        if (s != CH_OK) {
            ch_release(t);
            return s;
        }
    }
    return CH_OK;
}
