// SPDX-License-Identifier: Apache-2.0
// trainer.c - training: loss, gradient and update captured as one func, run a step at a time.
//
//     step(x, y, step, params..., slots...) -> loss, params'..., slots'...
//
// Parameters and optimizer state have two sets of tensors that change places after every step: the run writes the new
// values
// into the set that is not read, so that a step after the second allocates nothing for them.

#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

struct ch_trainer {
    ch_model *model;
    ch_loss_fn loss;
    ch_optimizer optimizer;
    char *engine;
    int n_params, n_state; // state: slots of all parameters
    ch_tensor **state;     // current
    ch_tensor **spare;     // n_params + n_state: the other set; NULL before the first step
    ch_func *gradient, *func;
    ch_exec *exec, *predict;
    char *signature, *predict_signature;
    int64_t steps;
    int compiles;
};

// ---- the captured functions
struct loss_body {
    const ch_trainer *t;
};

static ch_status loss_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const struct loss_body *b = user;
    (void)n, (void)n_out;
    out[0] = b->t->loss(ch_model_forward_with(b->t->model, in + 2, in[0]), in[1]);
    return CH_OK;
}

struct step_body {
    const ch_trainer *t;
    ch_tensor **leaves, **grads;
};

static ch_status step_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const struct step_body *b = user;
    const ch_trainer *t = b->t;
    (void)n, (void)n_out;
    b->leaves[0] = in[0];
    b->leaves[1] = in[1];
    for (int i = 0; i < t->n_params; i++) b->leaves[2 + i] = in[3 + i];
    ch_func_apply(t->gradient, 2 + t->n_params, b->leaves, 1 + t->n_params, b->grads);
    out[0] = b->grads[0];
    ch_optimizer_update(&t->optimizer, in[2], t->n_params, in + 3, b->grads + 1, in + 3 + t->n_params, out + 1,
                        out + 1 + t->n_params);
    return CH_OK;
}

static ch_status out_of_memory(void) { return ch_error_set("out_of_memory", "trainer: no memory"); }

static void drop_programs(ch_trainer *t) {
    ch_exec_release(t->exec);
    ch_func_destroy(t->func);
    ch_func_destroy(t->gradient);
    t->exec = NULL;
    t->func = t->gradient = NULL;
}

static void params_signature(const ch_trainer *t, ch__signature *s) {
    for (int i = 0; i < t->n_params; i++)
        ch__signature_add(s, ch_model_param_name(t->model, i), ch_model_param(t->model, i), 0);
}

static ch_status capture_gradient(ch_trainer *t, const char *xy) {
    ch__signature s = {0};
    ch__signature_put(&s, xy);
    params_signature(t, &s);
    unsigned char *marks = ch_memory_alloc((size_t)t->n_params + 1);
    char *wrt = NULL;
    ch_func *primal = NULL;
    ch_capture_options o = {.struct_size = sizeof o, .name = "loss", .result_names = (const char *[]){"loss"}};
    struct loss_body b = {t};
    ch_status status =
        s.failed || marks == NULL ? out_of_memory() : ch_capture_with(&o, loss_body, &b, s.text, 1, &primal);
    if (status == CH_OK) status = ch__wrt_names(t->model, NULL, marks, &wrt);
    for (int i = 0; status == CH_OK && i < t->n_params; i++)
        if (!marks[i])
            status = ch_error_set("gradient_integer",
                                  "trainer: parameter \"%s\" is not floating — only floating parameters learn",
                                  ch_model_param_name(t->model, i));
    if (status == CH_OK) status = ch_value_and_grad(primal, wrt, &t->gradient);
    ch_func_destroy(primal);
    ch_memory_free(marks);
    ch_memory_free(wrt);
    ch__signature_finish(&s);
    return status;
}

static ch_status capture_step(ch_trainer *t, const char *xy) {
    ch__signature s = {0};
    ch__signature_put(&s, xy);
    ch__signature_put(&s, ", step: f64[]");
    params_signature(t, &s);
    int per = ch_optimizer_num_slots(&t->optimizer);
    for (int i = 0; i < t->n_state; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s_slot%d", ch_model_param_name(t->model, i / per), i % per);
        ch__signature_add(&s, name, ch_model_param(t->model, i / per), 0);
    }
    struct step_body b = {t, ch_memory_alloc((size_t)(2 + t->n_params) * sizeof *b.leaves),
                          ch_memory_alloc((size_t)(1 + t->n_params) * sizeof *b.grads)};
    ch_capture_options o = {.struct_size = sizeof o, .name = "step"};
    ch_status status = s.failed || b.leaves == NULL || b.grads == NULL
                           ? out_of_memory()
                           : ch_capture_with(&o, step_body, &b, s.text, 1 + t->n_params + t->n_state, &t->func);
    ch_memory_free(b.leaves);
    ch_memory_free(b.grads);
    ch__signature_finish(&s);
    return status;
}

// What fails inside the model is said of the inputs too: the place in the sentence is that of a layer.
static ch_status of_inputs(const char *xy) {
    char id[64], message[2048];
    snprintf(id, sizeof id, "%s", ch_error_id());
    snprintf(message, sizeof message, "%s", ch_error_message());
    return ch_error_set(id, "trainer: %s does not go through the model — %s", xy, message);
}

// Captures and compiles when the types of x and y are new; their first axis is free.
static ch_status prepare(ch_trainer *t, ch_tensor *x, ch_tensor *y) {
    ch__signature xy = {0};
    ch__signature_add(&xy, "x", x, 1);
    ch__signature_add(&xy, "y", y, 1);
    if (xy.failed) {
        ch__signature_finish(&xy);
        return out_of_memory();
    }
    if (t->exec != NULL && strcmp(t->signature, xy.text) == 0) {
        ch__signature_finish(&xy);
        return CH_OK;
    }
    drop_programs(t);
    ch_memory_free(t->signature);
    t->signature = xy.text;
    if (capture_gradient(t, xy.text) != CH_OK) return of_inputs(t->signature);
    CH_TRY(capture_step(t, xy.text));
    t->compiles++;
    return ch_compile(t->func, t->engine, NULL, &t->exec);
}

// ---- life
static ch_status fill_state(ch_trainer *t) {
    int per = ch_optimizer_num_slots(&t->optimizer);
    for (int i = 0; i < t->n_state; i++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *z = ch_optimizer_slot(&t->optimizer, i % per, ch_model_param(t->model, i / per));
        ch_status s = ch_realize(z);
        if (s == CH_OK) t->state[i] = ch_keep(z);
        (void)ch_scope_end(scope);
        CH_TRY(s);
    }
    return CH_OK;
}

static ch_status check_engine(const char *engine) {
    for (int i = 0; ch_engine_name(i) != NULL; i++)
        if (strcmp(ch_engine_name(i), engine) == 0) return CH_OK;
    return ch_error_set(
        "engine", "trainer_create: there is no engine \"%s\" in this library — ch_engine_name lists them", engine);
}

ch_status ch_trainer_create(ch_model *m, ch_loss_fn loss, ch_optimizer o, const char *engine,
                            ch_trainer **out_trainer) {
    if (m == NULL || loss == NULL || engine == NULL || out_trainer == NULL)
        return ch_error_set("argument",
                            "trainer_create: model, loss, engine and a place for the trainer are all needed "
                            "— one is NULL");
    if (ch_optimizer_name(&o) == NULL)
        return ch_error_set("argument", "trainer_create: optimizer kind %d — give one of ch_optimizer_kind",
                            (int)o.kind);
    CH_TRY(check_engine(engine));
    ch_trainer *t = ch_memory_alloc(sizeof *t);
    if (t == NULL) return out_of_memory();
    *t = (ch_trainer){.model = m, .loss = loss, .optimizer = o, .n_params = ch_model_num_params(m)};
    t->n_state = t->n_params * ch_optimizer_num_slots(&o);
    t->engine = ch_memory_alloc(strlen(engine) + 1);
    t->state = ch_memory_alloc((size_t)(t->n_state + 1) * sizeof *t->state);
    t->spare = ch_memory_alloc((size_t)(t->n_params + t->n_state + 1) * sizeof *t->spare);
    ch_status s = t->engine == NULL || t->state == NULL || t->spare == NULL ? out_of_memory() : CH_OK;
    if (s == CH_OK) {
        strcpy(t->engine, engine);
        s = fill_state(t);
    }
    if (s == CH_OK)
        *out_trainer = t;
    else
        ch_trainer_destroy(t);
    return s;
}

void ch_trainer_destroy(ch_trainer *t) {
    if (t == NULL) return;
    drop_programs(t);
    ch_exec_release(t->predict);
    for (int i = 0; t->state != NULL && i < t->n_state; i++) ch_release(t->state[i]);
    for (int i = 0; t->spare != NULL && i < t->n_params + t->n_state; i++) ch_release(t->spare[i]);
    ch_memory_free(t->state);
    ch_memory_free(t->spare);
    ch_memory_free(t->signature);
    ch_memory_free(t->predict_signature);
    ch_memory_free(t->engine);
    ch_memory_free(t);
}

// ---- steps
static ch_status take_results(ch_trainer *t, ch_tensor **out) {
    for (int i = 0; i < t->n_params; i++) {
        t->spare[i] = ch_keep(ch_model_param(t->model, i)); // read last; written next
        ch_status s = ch_model_set(t->model, i, out[1 + i]);
        if (s == CH_OK) continue;
        ch_release(t->spare[i]);
        t->spare[i] = out[1 + i];
        return s;
    }
    for (int i = 0; i < t->n_state; i++) {
        t->spare[t->n_params + i] = t->state[i];
        t->state[i] = out[1 + t->n_params + i];
    }
    t->steps++;
    return CH_OK;
}

static ch_status run_step(ch_trainer *t, ch_tensor *x, ch_tensor *y, ch_tensor **in, ch_tensor **out) {
    in[0] = x;
    in[1] = y;
    in[2] = ch_from_f64((double[]){(double)(t->steps + 1)}, 0, NULL);
    for (int i = 0; i < t->n_params; i++) in[3 + i] = ch_model_param(t->model, i);
    for (int i = 0; i < t->n_state; i++) in[3 + t->n_params + i] = t->state[i];
    for (int i = 0; i < t->n_params + t->n_state; i++) out[1 + i] = t->spare[i];
    CH_TRY(ch_exec_run(t->exec, 3 + t->n_params + t->n_state, in, 1 + t->n_params + t->n_state, out));
    return take_results(t, out);
}

ch_status ch_trainer_step(ch_trainer *t, ch_tensor *x, ch_tensor *y, double *out_loss) {
    if (t == NULL) return ch_error_set("argument", "trainer_step: the trainer is NULL — give one");
    CH_TRY(ch_check(x));
    CH_TRY(ch_check(y));
    CH_TRY(prepare(t, x, y));
    ch_scope scope = ch_scope_begin();
    ch_tensor **in = ch_memory_alloc((size_t)(3 + t->n_params + t->n_state) * sizeof *in);
    ch_tensor **out = ch_memory_alloc((size_t)(1 + t->n_params + t->n_state) * sizeof *out);
    ch_status s = in == NULL || out == NULL ? out_of_memory() : run_step(t, x, y, in, out);
    if (s == CH_OK && out_loss != NULL) s = ch_item(out[0], out_loss);
    if (out != NULL) ch_release(out[0]);
    ch_memory_free(in);
    ch_memory_free(out);
    (void)ch_scope_end(scope);
    return s;
}

int64_t ch_trainer_steps(const ch_trainer *t) { return t->steps; }
int ch_trainer_compiles(const ch_trainer *t) { return t->compiles; }
const ch_func *ch_trainer_func(const ch_trainer *t) { return t->func; }
const ch_func *ch_trainer_gradient(const ch_trainer *t) { return t->gradient; }

// ---- prediction
static ch_status forward_body(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const ch_trainer *t = user;
    (void)n, (void)n_out;
    out[0] = ch_model_forward_with(t->model, in + 1, in[0]);
    return CH_OK;
}

static ch_status prepare_predict(ch_trainer *t, ch_tensor *x) {
    ch__signature s = {0};
    ch__signature_add(&s, "x", x, 1);
    params_signature(t, &s);
    if (s.failed) {
        ch__signature_finish(&s);
        return out_of_memory();
    }
    if (t->predict != NULL && strcmp(t->predict_signature, s.text) == 0) {
        ch__signature_finish(&s);
        return CH_OK;
    }
    ch_exec_release(t->predict);
    t->predict = NULL;
    ch_memory_free(t->predict_signature);
    t->predict_signature = s.text;
    ch_func *f = NULL;
    CH_TRY(ch_capture(forward_body, t, s.text, 1, &f));
    ch_status status = ch_compile(f, t->engine, NULL, &t->predict);
    ch_func_destroy(f);
    return status;
}

ch_status ch_trainer_predict(ch_trainer *t, ch_tensor *x, ch_tensor **out) {
    if (t == NULL || out == NULL)
        return ch_error_set("argument", "trainer_predict: trainer and out are needed — one is NULL");
    CH_TRY(ch_check(x));
    CH_TRY(prepare_predict(t, x));
    ch_tensor **in = ch_memory_alloc((size_t)(1 + t->n_params) * sizeof *in);
    if (in == NULL) return out_of_memory();
    in[0] = x;
    for (int i = 0; i < t->n_params; i++) in[1 + i] = ch_model_param(t->model, i);
    ch_status s = ch_exec_run(t->predict, 1 + t->n_params, in, 1, out);
    ch_memory_free(in);
    return s;
}
