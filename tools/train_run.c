// SPDX-License-Identifier: Apache-2.0
// train_run.c - a run put together from its settings, and measured: what training and evaluation have in common.
#include <string.h>

#include "train.h"

static ch_tensor *huber(ch_tensor *prediction, ch_tensor *target) { return ch_huber(prediction, target, 1, CH_MEAN); }

static ch_loss_fn loss_of(const char *name) {
    if (strcmp(name, "mse") == 0) return ch_mean_squared_error;
    return strcmp(name, "huber") == 0 ? huber : ch_softmax_cross_entropy;
}

static ch_optimizer optimizer_of(const settings *s) {
    const char *name = s->optimizer;
    ch_optimizer o;
    if (strcmp(name, "sgd") == 0)
        o = ch_sgd(s->lr);
    else if (strcmp(name, "momentum") == 0)
        o = ch_sgd_momentum(s->lr, 0.9);
    else if (strcmp(name, "nesterov") == 0)
        o = ch_sgd_nesterov(s->lr, 0.9);
    else if (strcmp(name, "adamw") == 0)
        o = ch_adamw(s->lr, s->decay);
    else if (strcmp(name, "rmsprop") == 0)
        o = ch_rmsprop(s->lr);
    else if (strcmp(name, "adagrad") == 0)
        o = ch_adagrad(s->lr);
    else if (strcmp(name, "adadelta") == 0)
        o = ch_adadelta(s->lr);
    else if (strcmp(name, "adamax") == 0)
        o = ch_adamax(s->lr);
    else if (strcmp(name, "nadam") == 0)
        o = ch_nadam(s->lr);
    else if (strcmp(name, "radam") == 0)
        o = ch_radam(s->lr);
    else if (strcmp(name, "lion") == 0)
        o = ch_lion(s->lr, s->decay);
    else if (strcmp(name, "lamb") == 0)
        o = ch_lamb(s->lr, s->decay);
    else
        o = ch_adam(s->lr);
    o.decay = s->decay;
    return o;
}

static int make_batches(run *r) {
    const part *p = &r->data.train;
    if (r->s.batch > p->rows) {
        fprintf(stderr, "chaac %s: --batch=%lld, and there are %lld rows to learn from — give a smaller one\n", r->cmd,
                (long long)r->s.batch, (long long)p->rows);
        return FAILED;
    }
    ch_key key = ch_key_fold(ch_key_make((uint64_t)r->s.seed), 2);
    return ch_batches_create(p->x, p->y, r->s.batch, key, &r->batches) == CH_OK ? OK : library_error();
}

static int make_trainer(run *r) {
    int64_t updates = r->batches == NULL ? 1 : r->s.epochs * ch_batches_per_epoch(r->batches) / r->s.accumulate;
    int64_t warm = r->s.warmup;           // the schedule is over the updates after it
    const char *schedule = r->s.schedule; // its text was looked at
    (void)schedule_of(schedule, updates > warm ? updates - warm : 1, &r->pieces, &r->schedule);
    const ch_param_group group = {.names = r->s.no_decay, .rate_factor = 1, .decay = 0};
    if (warm > 0) r->schedule = ch_schedule_warmup(r->schedule, warm);
    const ch_trainer_options o = {.struct_size = sizeof o,
                                  .engine = r->s.engine,
                                  .schedule = &r->schedule,
                                  .frozen = r->s.frozen,
                                  .n_groups = r->s.no_decay != NULL,
                                  .groups = &group,
                                  .clip_norm = r->s.clip,
                                  .clip_value = r->s.clip_value,
                                  .accumulate = (int)r->s.accumulate,
                                  .compute = compute_of(r->s.compute),
                                  .average = r->s.average,
                                  .key = ch_key_fold(ch_key_make((uint64_t)r->s.seed), 3)};
    ch_optimizer how = optimizer_of(&r->s);
    return ch_trainer_create_with(r->model, loss_of(r->s.loss), how, &o, &r->trainer) == CH_OK ? OK : library_error();
}

int run_begin(run *r, bool all) {
    int status = dataset_load(r->cmd, &r->s, all, &r->data);
    if (status == OK) status = model_make(r->cmd, &r->s, &r->data, &r->model);
    if (status == OK && r->data.train.rows > 0) status = make_batches(r);
    return status == OK ? make_trainer(r) : status;
}

void run_end(run *r) {
    ch_batches_destroy(r->batches);
    ch_trainer_destroy(r->trainer);
    ch_model_destroy(r->model);
    dataset_free(&r->data);
    settings_free(&r->s);
}

// ---- measuring
// Of one batch: the sum of its losses, how many labels are right, how many there are.
static ch_status measure_batch(run *r, ch_tensor *x, ch_tensor *y, double sums[3]) {
    ch_tensor *prediction = NULL;
    double loss = 0, right = 0, rows = (double)ch_tensor_dim(x, 0);
    CH_TRY(ch_realize(x));
    CH_TRY(ch_trainer_predict(r->trainer, x, &prediction));
    ch_status s = ch_item(loss_of(r->s.loss)(prediction, y), &loss);
    if (s == CH_OK && r->data.labels) {
        ch_tensor *same = ch_eq(ch_convert(ch_argmax(prediction, -1), CH_I64), ch_convert(y, CH_I64));
        s = ch_item(ch_sum_all(ch_convert(same, CH_F64)), &right);
    }
    ch_release(prediction);
    sums[0] += loss * rows;
    sums[1] += right;
    sums[2] += (double)ch_tensor_numel(y);
    return s;
}

static int measure(run *r, const volatile int *stop, measured *m) {
    const part *p = &r->data.held;
    double sums[3] = {0};
    for (int64_t from = 0; from < p->rows; from += r->s.batch) {
        if (stop != NULL && *stop) {
            m->stopped = true;
            return OK;
        }
        int64_t to = from + r->s.batch < p->rows ? from + r->s.batch : p->rows;
        ch_scope scope = ch_scope_begin();
        ch_set_cancel(stop);
        ch_status s = measure_batch(r, ch_slice_axis(p->x, 0, from, to), ch_slice_axis(p->y, 0, from, to), sums);
        ch_set_cancel(NULL);
        if (s != CH_OK && stop != NULL && *stop) {
            m->stopped = true;
            return ch_scope_end(scope) == CH_OK ? OK : library_error();
        }
        if (s == CH_OK) s = ch_scope_end(scope);
        if (s != CH_OK) return library_error();
    }
    m->loss = sums[0] / (double)p->rows;
    m->accuracy = sums[1] / sums[2];
    return OK;
}

// With --average the averages are measured; they and the parameters change places before and after.
int run_measure(run *r, const volatile int *stop, measured *m) {
    if (r->s.average == 0) return measure(r, stop, m);
    if (ch_trainer_swap_averages(r->trainer) != CH_OK) return library_error();
    int status = measure(r, stop, m);
    return ch_trainer_swap_averages(r->trainer) == CH_OK ? status : library_error();
}
