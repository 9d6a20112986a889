// SPDX-License-Identifier: Apache-2.0
// trainer.c - training a step at a time: the life of a trainer, its steps, its state.
//
// Everything that a step changes (learning parameters, buffers, state) has two sets of tensors that change places after
// every step: the run writes the new values into the set that is not read, so that a step after the second allocates
// nothing for them, and a step that is refused has changed nothing.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

static ch_status no_trainer_memory(void) { return ch_error_set("out_of_memory", "trainer: no memory"); }

static void drop_programs(ch_trainer *t) {
    ch__trainer_device_drop(t);
    ch_exec_release(t->exec);
    ch_exec_release(t->gather_exec);
    ch_func_destroy(t->func);
    ch_func_destroy(t->gather);
    ch_func_destroy(t->gradient);
    t->exec = t->gather_exec = NULL;
    t->func = t->gather = t->gradient = NULL;
}

// ---- life
static ch_status copy_text(const char *s, char **out) {
    if (s == NULL) return CH_OK;
    *out = ch_memory_alloc(strlen(s) + 1);
    if (*out == NULL) return no_trainer_memory();
    strcpy(*out, s);
    return CH_OK;
}

static ch_status check_engine(const char *engine) {
    for (int i = 0; ch_engine_name(i) != NULL; i++)
        if (strcmp(ch_engine_name(i), engine) == 0) return CH_OK;
    return ch_error_set(
        "engine", "trainer_create: there is no engine \"%s\" in this library — ch_engine_name lists them", engine);
}

static ch_status check_options(const ch_model *m, ch_optimizer o, const ch_trainer_options *t) {
    if (ch_optimizer_name(&o) == NULL)
        return ch_error_set("argument", "trainer_create: optimizer kind %d — give one of ch_optimizer_kind",
                            (int)o.kind);
    if (t->struct_size != sizeof *t)
        return ch_error_set("argument",
                            "trainer_create: options.struct_size is %zu — set it to sizeof(ch_trainer_options), %zu",
                            t->struct_size, sizeof *t);
    CH_TRY(check_engine(t->engine == NULL ? ch_engine_default() : t->engine));
    if (t->schedule != NULL) CH_TRY(ch_schedule_check(t->schedule));
    if (!(t->clip_norm >= 0) || !(t->clip_value >= 0) || t->accumulate < 0 || !(t->average >= 0 && t->average < 1))
        return ch_error_set("argument",
                            "trainer_create: clip_norm %g, clip_value %g, accumulate %d, average %g — at least 0, an "
                            "average below 1",
                            t->clip_norm, t->clip_value, t->accumulate, t->average);
    if (t->compute != 0 && (t->compute < CH_F16 || t->compute > CH_F64))
        return ch_error_set("argument", "trainer_create: compute in %s — f16, bf16, f32 and f64 are allowed",
                            ch_dtype_name(t->compute));
    if (t->n_groups < 0 || (t->n_groups > 0 && t->groups == NULL))
        return ch_error_set("argument", "trainer_create: %d groups and %s — give an array of that many", t->n_groups,
                            t->groups == NULL ? "NULL" : "an array");
    for (int i = 0; i < t->n_groups; i++) CH_TRY(ch__names_check(m, "groups", t->groups[i].names));
    return CH_OK;
}

// Which parameters learn, at which factor and decay. Every parameter that is not floating has to be a buffer or frozen.
static ch_status choose_learning(ch_trainer *t) {
    unsigned char *marks = ch_memory_alloc((size_t)t->n_params + 1);
    char *wrt = NULL;
    ch_status s = marks == NULL ? no_trainer_memory() : ch__wrt_names(t->model, t->frozen, marks, &wrt);
    for (int i = 0; s == CH_OK && i < t->n_params; i++) {
        const char *name = ch_model_param_name(t->model, i);
        if (ch_model_is_buffer(t->model, i)) t->buffers[t->n_buffers++] = i;
        if (!marks[i]) {
            ch_dtype d = ch_tensor_dtype(ch_model_param(t->model, i));
            if ((d < CH_F16 || d > CH_F64) && !ch_model_is_buffer(t->model, i) && !ch_names_match(t->frozen, name))
                s = ch_error_set(
                    "gradient_integer",
                    "trainer: parameter \"%s\" is not floating — only floating parameters learn; freeze it", name);
            continue;
        }
        int k = t->n_learn++;
        t->learn[k] = i;
        t->factors[k] = 1;
        t->decays[k] = t->optimizer.decay;
        for (int g = t->o.n_groups - 1; g >= 0; g--) {
            if (!ch_names_match(t->o.groups[g].names, name)) continue;
            t->factors[k] = t->o.groups[g].rate_factor;
            t->decays[k] = t->o.groups[g].decay;
        }
    }
    ch_memory_free(marks);
    ch_memory_free(wrt);
    return s;
}

static ch_status put_state(ch_trainer *t, int i, int param, const char *suffix, ch_tensor *lazy) {
    const char *name = ch_model_param_name(t->model, param);
    size_t n = strlen(name) + strlen(suffix) + 2;
    t->names[i] = ch_memory_alloc(n);
    if (t->names[i] == NULL) return no_trainer_memory();
    snprintf(t->names[i], n, "%s.%s", name, suffix);
    CH_TRY(ch_realize(lazy));
    t->state[i] = ch_keep(lazy);
    return CH_OK;
}

static ch_status fill_state(ch_trainer *t) {
    int averages = ch__trainer_averages(t), sums = ch__trainer_sums(t);
    for (int k = 0; k < t->n_learn; k++) {
        ch_tensor *p = ch_model_param(t->model, t->learn[k]);
        for (int i = 0; i < t->n_slots; i++)
            CH_TRY(put_state(t, k * t->n_slots + i, t->learn[k], ch_optimizer_slot_name(&t->optimizer, i),
                             ch_optimizer_slot_at(t->where, &t->optimizer, i, p)));
        if (averages >= 0) // a copy: the parameter's own memory is written
            CH_TRY(put_state(t, averages + k, t->learn[k], "average",
                             ch_add_at(t->where, p, ch_zeros_like_at(t->where, p))));
        if (sums < 0) continue;
        ch_tensor *zeros = ch_zeros_like_at(t->where, p);
        CH_TRY(put_state(t, sums + k, t->learn[k], "gradient", ch_zeros_like_at(t->where, p)));
        CH_TRY(ch_realize(zeros));
        t->zeros[k] = ch_keep(zeros);
    }
    return CH_OK;
}

static ch_status create(ch_trainer *t, const ch_trainer_options *options) {
    size_t n = (size_t)t->n_params + 1;
    t->o = *options;
    if (t->o.accumulate == 0) t->o.accumulate = 1;
    t->schedule = options->schedule == NULL ? ch_schedule_constant() : *options->schedule;
    t->n_slots = ch_optimizer_num_slots(&t->optimizer);
    CH_TRY(copy_text(options->engine == NULL ? ch_engine_default() : options->engine, &t->engine));
    CH_TRY(copy_text(options->frozen, &t->frozen));
    t->learn = ch_memory_alloc(n * sizeof *t->learn);
    t->buffers = ch_memory_alloc(n * sizeof *t->buffers);
    t->factors = ch_memory_alloc(n * sizeof *t->factors);
    t->decays = ch_memory_alloc(n * sizeof *t->decays);
    t->zeros = ch_memory_alloc(n * sizeof *t->zeros);
    if (t->learn == NULL || t->buffers == NULL || t->factors == NULL || t->decays == NULL || t->zeros == NULL)
        return no_trainer_memory();
    CH_TRY(choose_learning(t));
    t->o.groups = NULL; // not needed any more, and not ours
    int n_state = t->n_learn * (t->n_slots + (t->o.average != 0) + (t->o.accumulate > 1));
    t->names = ch_memory_alloc((size_t)(n_state + 1) * sizeof *t->names);
    t->state = ch_memory_alloc((size_t)(n_state + 1) * sizeof *t->state);
    t->spare = ch_memory_alloc((size_t)(t->n_params + n_state + 1) * sizeof *t->spare);
    if (t->names == NULL || t->state == NULL || t->spare == NULL) return no_trainer_memory();
    t->n_state = n_state;
    ch_scope scope = ch_scope_begin();
    ch_status s = fill_state(t);
    (void)ch_scope_end(scope);
    return s;
}

ch_status ch_trainer_create_with_at(const char *where, ch_model *m, ch_loss_fn loss, ch_optimizer o,
                                    const ch_trainer_options *options, ch_trainer **out_trainer) {
    if (m == NULL || loss == NULL || options == NULL || out_trainer == NULL)
        return ch_error_set("argument",
                            "trainer_create: model, loss, options and a place for the trainer are all needed "
                            "— one is NULL");
    CH_TRY(check_options(m, o, options));
    ch_trainer *t = ch_memory_alloc(sizeof *t);
    if (t == NULL) return no_trainer_memory();
    *t = (ch_trainer){.where = where, .model = m, .loss = loss, .optimizer = o, .n_params = ch_model_num_params(m)};
    ch_status s = create(t, options);
    if (s == CH_OK)
        *out_trainer = t;
    else
        ch_trainer_destroy(t);
    return s;
}

ch_status ch_trainer_create_at(const char *where, ch_model *m, ch_loss_fn loss, ch_optimizer o, const char *engine,
                               ch_trainer **out_trainer) {
    if (engine == NULL)
        return ch_error_set("argument",
                            "trainer_create: model, loss, engine and a place for the trainer are all needed "
                            "— one is NULL");
    const ch_trainer_options options = {.struct_size = sizeof options, .engine = engine};
    return ch_trainer_create_with_at(where, m, loss, o, &options, out_trainer);
}

void ch_trainer_destroy(ch_trainer *t) {
    if (t == NULL) return;
    ch__trainer_device_close(t);
    drop_programs(t);
    ch_exec_release(t->predict);
    for (int i = 0; t->state != NULL && i < t->n_state; i++) ch_release(t->state[i]);
    for (int i = 0; t->names != NULL && i < t->n_state; i++) ch_memory_free(t->names[i]);
    for (int i = 0; t->spare != NULL && i < t->n_learn + t->n_buffers + t->n_state; i++) ch_release(t->spare[i]);
    for (int i = 0; t->zeros != NULL && i < t->n_learn; i++) ch_release(t->zeros[i]);
    void *all[] = {t->state,   t->names,   t->spare,  t->zeros,     t->learn,
                   t->buffers, t->factors, t->decays, t->signature, t->predict_signature,
                   t->engine,  t->frozen};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ch_memory_free(all[i]);
    ch_memory_free(t);
}

// ---- programs
// What fails inside the model is said of the inputs too: the place in the sentence is that of a layer.
static ch_status of_inputs(const char *where, const char *what) {
    char id[64], message[2048];
    snprintf(id, sizeof id, "%s", ch_error_id());
    snprintf(message, sizeof message, "%s", ch_error_message());
    return ch_error_set(id, "%s: trainer: %s does not go through the model — %s", where, what, message);
}

// Every step has the same bits as every other: none is on the interpreter meanwhile.
static const ch_compile_options compile_whole = {.struct_size = sizeof compile_whole, .compiled_first = 1};

// Is it of the type that was noted? Notes it. Texts are compared where this says no.
static int batch_is_alike(ch__batch_type *b, const ch_tensor *t) {
    enum { MOST = sizeof b->dims / sizeof *b->dims };
    int rank = ch_tensor_rank(t);
    int same = rank >= 1 && rank <= MOST && b->rank == rank && b->dtype == ch_tensor_dtype(t);
    b->rank = rank <= MOST ? rank : -1;
    b->dtype = ch_tensor_dtype(t);
    for (int i = 1; i < b->rank; i++) {
        int64_t n = ch_tensor_dim(t, i);
        same = same && n >= 0 && n == b->dims[i];
        b->dims[i] = n;
    }
    return same;
}

// Captures and compiles when the types of x and y are new; their first axis is free.
static ch_status prepare(const char *where, ch_trainer *t, ch_tensor *x, ch_tensor *y) {
    int x_same = batch_is_alike(&t->batch[0], x), y_same = batch_is_alike(&t->batch[1], y);
    if (t->exec != NULL && x_same && y_same) return CH_OK;
    ch__signature xy = {0};
    ch__signature_add(&xy, "x", x, 1);
    ch__signature_add(&xy, "y", y, 1);
    if (xy.failed) {
        ch__signature_finish(&xy);
        return no_trainer_memory();
    }
    bool made = t->exec != NULL || (t->device != NULL && t->device->step.func != NULL);
    if (made && strcmp(t->signature, xy.text) == 0) {
        ch__signature_finish(&xy);
        return CH_OK;
    }
    drop_programs(t);
    ch_memory_free(t->signature);
    t->signature = xy.text;
    if (ch__trainer_is_resident(t)) CH_TRY(ch__trainer_device_open(t));
    if (ch__trainer_capture(t, xy.text) != CH_OK) return of_inputs(where, t->signature);
    t->compiles++;
    if (t->device != NULL) return ch__trainer_device_prepare(t);
    if (t->gather != NULL) CH_TRY(ch_compile(t->gather, t->engine, &compile_whole, &t->gather_exec));
    return ch_compile(t->func, t->engine, &compile_whole, &t->exec);
}

// ---- steps
// A parameter's new value in its place; what was there is written next.
static ch_status take_param(ch_trainer *t, int param, ch_tensor **spare, ch_tensor *now) {
    *spare = ch_keep(ch_model_param(t->model, param));
    ch_status s = ch_model_set(t->model, param, now);
    if (s == CH_OK) return CH_OK;
    ch_release(*spare);
    *spare = now;
    return s;
}

static ch_status take_buffers(ch_trainer *t, ch_tensor **out) {
    for (int i = 0; i < t->n_buffers; i++) CH_TRY(take_param(t, t->buffers[i], &t->spare[t->n_learn + i], out[i]));
    return CH_OK;
}

static void take_state(ch_trainer *t, int from, int n, ch_tensor **out) {
    for (int i = 0; i < n; i++) {
        t->spare[t->n_learn + t->n_buffers + from + i] = t->state[from + i];
        t->state[from + i] = out[i];
    }
}

// The spare set as results; what fails leaves it spare.
static void lend(ch_trainer *t, ch_tensor **out, int from, int n) {
    for (int i = 0; i < n; i++) out[i] = t->spare[from + i];
}
static void keep_spare(ch_trainer *t, ch_tensor **out, int from, int n) {
    for (int i = 0; i < n; i++) t->spare[from + i] = out[i];
}

static ch_tensor *step_key(const ch_trainer *t) {
    return ch_from_data_at(t->where, CH_U32, ch_key_fold(t->o.key, (uint64_t)t->steps).word, 1, (int64_t[]){2});
}

static int gathered(const ch_trainer *t) { return (int)(t->steps % t->o.accumulate); }

static ch_status run_gather(ch_trainer *t, ch_tensor **in, ch_tensor **out) {
    int sums = ch__trainer_sums(t), n_spare = t->n_learn + t->n_buffers;
    in[2] = step_key(t);
    for (int i = 0; i < t->n_params; i++) in[3 + i] = ch_model_param(t->model, i);
    for (int i = 0; i < t->n_learn; i++) in[3 + t->n_params + i] = gathered(t) == 0 ? t->zeros[i] : t->state[sums + i];
    lend(t, out + 1, t->n_learn, t->n_buffers);
    lend(t, out + 1 + t->n_buffers, n_spare + sums, t->n_learn);
    CH_TRY(ch_exec_run(t->gather_exec, 3 + t->n_params + t->n_learn, in, 1 + t->n_buffers + t->n_learn, out));
    take_state(t, sums, t->n_learn, out + 1 + t->n_buffers);
    CH_TRY(take_buffers(t, out + 1));
    t->steps++;
    return CH_OK;
}

ch_status ch__trainer_check_norm(ch_trainer *t) {
    if (t->o.clip_norm == 0 || isfinite(t->norm)) return CH_OK;
    int64_t update = ch_trainer_updates(t) + 1;
    t->steps -= gathered(t);
    return ch_error_set("non_finite",
                        "trainer: the norm of the gradients is %s in update %" PRId64
                        " — nothing was changed; look at the batch, or lower the rate",
                        isnan(t->norm) ? "nan" : "inf", update);
}

static ch_status run_update(ch_trainer *t, ch_tensor **in, ch_tensor **out) {
    int n_state = t->n_learn * (t->n_slots + (t->o.average != 0)), n_spare = t->n_learn + t->n_buffers + n_state;
    double number = (double)(ch_trainer_updates(t) + 1), rate = ch_trainer_rate(t);
    in[2] = ch_from_data_at(t->where, CH_F64, &number, 0, NULL); // data: an expression would have to be run first
    in[3] = ch_from_data_at(t->where, CH_F64, &rate, 0, NULL);
    in[4] = step_key(t);
    for (int i = 0; i < t->n_params; i++) in[5 + i] = ch_model_param(t->model, i);
    for (int i = 0; i < t->n_state; i++) in[5 + t->n_params + i] = t->state[i];
    if (gathered(t) == 0 && t->o.accumulate > 1) // only after a state was set by hand
        for (int i = 0; i < t->n_learn; i++) in[5 + t->n_params + ch__trainer_sums(t) + i] = t->zeros[i];
    lend(t, out + 2, 0, n_spare);
    CH_TRY(ch_exec_run(t->exec, 5 + t->n_params + t->n_state, in, 2 + n_spare, out));
    ch_status s = ch_item(out[1], &t->norm);
    ch_release(out[1]);
    if (s == CH_OK) s = ch__trainer_check_norm(t);
    if (s != CH_OK) {
        keep_spare(t, out + 2, 0, n_spare);
        return s;
    }
    take_state(t, 0, n_state, out + 2 + t->n_learn + t->n_buffers);
    for (int i = 0; i < t->n_learn; i++) CH_TRY(take_param(t, t->learn[i], &t->spare[i], out[2 + i]));
    CH_TRY(take_buffers(t, out + 2 + t->n_learn));
    t->steps++;
    return CH_OK;
}

static ch_status run_on_device(ch_trainer *t, ch_tensor *x, ch_tensor *y, double *out_loss) {
    bool first = gathered(t) == 0;
    if (gathered(t) < t->o.accumulate - 1)
        return ch__trainer_device_gather(t, first, (ch_tensor *[]){x, y, step_key(t)}, out_loss);
    ch_tensor *number = ch_scalar_at(t->where, CH_F64, (double)(ch_trainer_updates(t) + 1));
    ch_tensor *rate = ch_scalar_at(t->where, CH_F64, ch_trainer_rate(t));
    return ch__trainer_device_update(t, first, (ch_tensor *[]){x, y, number, rate, step_key(t)}, out_loss);
}

ch_status ch_trainer_step_at(const char *where, ch_trainer *t, ch_tensor *x, ch_tensor *y, double *out_loss) {
    if (t == NULL) return ch_error_set("argument", "trainer_step: the trainer is NULL — give one");
    CH_TRY(ch_check(x));
    CH_TRY(ch_check(y));
    CH_TRY(prepare(where, t, x, y));
    ch_scope scope = ch_scope_begin();
    if (t->device != NULL) {
        ch_status run = run_on_device(t, x, y, out_loss);
        (void)ch_scope_end(scope);
        return run;
    }
    size_t n = (size_t)(6 + t->n_params + t->n_buffers + t->n_learn + t->n_state);
    ch_tensor **in = ch_memory_alloc(n * sizeof *in), **out = ch_memory_alloc(n * sizeof *out);
    ch_status s = in == NULL || out == NULL ? no_trainer_memory() : CH_OK;
    if (s == CH_OK) {
        in[0] = x;
        in[1] = y;
        s = gathered(t) < t->o.accumulate - 1 ? run_gather(t, in, out) : run_update(t, in, out);
    }
    if (s == CH_OK && out_loss != NULL) s = ch_item(out[0], out_loss);
    if (out != NULL) ch_release(out[0]);
    ch_memory_free(in);
    ch_memory_free(out);
    (void)ch_scope_end(scope);
    return s;
}

int64_t ch_trainer_steps(const ch_trainer *t) { return t->steps; }
int64_t ch_trainer_updates(const ch_trainer *t) { return t->steps / t->o.accumulate; }
double ch_trainer_rate(const ch_trainer *t) {
    return ch_schedule_rate(&t->schedule, t->optimizer.rate, ch_trainer_updates(t));
}
double ch_trainer_norm(const ch_trainer *t) { return t->norm; }
int ch_trainer_compiles(const ch_trainer *t) { return t->compiles; }
const ch_func *ch_trainer_func(const ch_trainer *t) { return t->func; }
const ch_func *ch_trainer_gradient(const ch_trainer *t) { return t->gradient; }

// ---- state
const char *ch_trainer_state_name(const ch_trainer *t, int i) { return i >= 0 && i < t->n_state ? t->names[i] : NULL; }
ch_tensor *ch_trainer_state(const ch_trainer *t, int i) {
    if (i < 0 || i >= t->n_state) return NULL;
    ch_trainer *own = (ch_trainer *)(uintptr_t)t; // what comes down is what was there
    return ch__trainer_fetch_state(own, i) == CH_OK ? t->state[i] : ch_error_tensor();
}

ch_status ch_trainer_set_state(ch_trainer *t, int i, ch_tensor *value) {
    if (t == NULL || i < 0 || i >= t->n_state)
        return ch_error_set("argument", "trainer_set_state: state %d — the trainer has %d", i,
                            t == NULL ? 0 : t->n_state);
    CH_TRY(ch_realize(value));
    char a[256], b[256];
    ch_tensor_type(t->state[i], a, sizeof a);
    ch_tensor_type(value, b, sizeof b);
    if (strcmp(a, b) != 0)
        return ch_error_set("shape_mismatch", "trainer_set_state: \"%s\" is %s — %s was given", t->names[i], a, b);
    ch__trainer_forget_state(t, i);
    ch_release(t->state[i]);
    t->state[i] = value;
    return CH_OK;
}

ch_status ch_trainer_set_steps(ch_trainer *t, int64_t steps) {
    if (t == NULL || steps < 0)
        return ch_error_set("argument", "trainer_set_steps: %" PRId64 " steps — at least 0, of a trainer", steps);
    t->steps = steps;
    return CH_OK;
}

ch_status ch_trainer_swap_averages(ch_trainer *t) {
    int averages = t == NULL ? -1 : ch__trainer_averages(t);
    if (averages < 0)
        return ch_error_set("argument", "trainer_swap_averages: there are none — set average when the trainer is made");
    if (t->device != NULL) return ch__trainer_device_swap(t);
    for (int k = 0; k < t->n_learn; k++) {
        ch_tensor *param = NULL;
        CH_TRY(take_param(t, t->learn[k], &param, t->state[averages + k]));
        t->state[averages + k] = param;
    }
    return CH_OK;
}

// ---- prediction
static ch_status prepare_predict(const char *where, ch_trainer *t, ch_tensor *x) {
    ch__signature s = {0};
    ch__signature_add(&s, "x", x, 1);
    ch__trainer_params_signature(t, &s);
    if (s.failed) {
        ch__signature_finish(&s);
        return no_trainer_memory();
    }
    bool made = t->predict != NULL || (t->device != NULL && t->device->predict.func != NULL);
    if (made && strcmp(t->predict_signature, s.text) == 0) {
        ch__signature_finish(&s);
        return CH_OK;
    }
    ch_exec_release(t->predict);
    t->predict = NULL;
    ch_memory_free(t->predict_signature);
    t->predict_signature = s.text;
    if (ch__trainer_is_resident(t)) CH_TRY(ch__trainer_device_open(t));
    ch_func *f = NULL;
    if (ch__trainer_capture_predict(t, s.text, &f) != CH_OK) {
        char type[256], what[300];
        ch_tensor_type(x, type, sizeof type);
        snprintf(what, sizeof what, "x: %s", type);
        return of_inputs(where, what);
    }
    if (t->device != NULL) return ch__trainer_device_prepare_predict(t, f);
    ch_status status = ch_compile(f, t->engine, &compile_whole, &t->predict);
    ch_func_destroy(f);
    return status;
}

ch_status ch_trainer_predict_at(const char *where, ch_trainer *t, ch_tensor *x, ch_tensor **out) {
    if (t == NULL || out == NULL)
        return ch_error_set("argument", "trainer_predict: trainer and out are needed — one is NULL");
    CH_TRY(ch_check(x));
    CH_TRY(prepare_predict(where, t, x));
    if (t->device != NULL) return ch__trainer_device_predict(t, x, out);
    ch_tensor **in = ch_memory_alloc((size_t)(1 + t->n_params) * sizeof *in);
    if (in == NULL) return no_trainer_memory();
    in[0] = x;
    for (int i = 0; i < t->n_params; i++) in[1 + i] = ch_model_param(t->model, i);
    ch_status s = ch_exec_run(t->predict, 1 + t->n_params, in, 1, out);
    ch_memory_free(in);
    return s;
}
