// SPDX-License-Identifier: Apache-2.0
// cmd_train.c - chaac train: a model learns from a file, and one can watch.
//
// The loop looks, between steps, whether an epoch has ended (then it measures what is held out), whether it was
// interrupted, whether all is done; so a run that is gone on with takes the same path from any step. What the loop
// remembers beyond the checkpoint (the best loss, how long ago, the sum of this epoch's losses) it reads back from the
// log, which first loses what came after the checkpoint.
//
// Ctrl-C, or SIGTERM: the step is given up between two of its operations, the state before it saved, status 1. A second
// one ends at once; the checkpoint before stays whole.
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "train.h"

typedef struct loop {
    run r;
    FILE *log;
    int64_t per_epoch, total;     // steps
    int64_t measured;             // epochs with a line in the log
    double best, last_loss, sum;  // sum: of this epoch's logged losses
    int64_t bad, n_sum;           // bad: measurings since the best
    double seconds, began, drawn; // seconds: of the run before it was gone on with
    int64_t begun_at;             // step
    measured held;                // the last
    const char *reason;           // why it ended
    int64_t kept_step;            // log_back: lines up to this step stay
    long kept;                    // ... which end here
} loop;

static volatile int interrupted; // the same for every loop: set by the handler

static void on_signal(int number) {
    (void)number;
    interrupted = 1;
}

static void catch_signals(void) {
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double elapsed(const loop *l) { return l->seconds + now() - l->began; }
static int64_t steps_of(const loop *l) { return ch_trainer_steps(l->r.trainer); }
static bool has_held(const loop *l) { return l->r.data.held.rows > 0; }
static bool talks(void) { return isatty(STDERR_FILENO) != 0; }

// ---- the log
static void log_begin(loop *l, const char *event) {
    fprintf(l->log, "{\"event\": \"%s\"", event);
    log_number(l->log, "step", (double)steps_of(l));
}

static int log_end(loop *l) {
    char path[PATH_MOST];
    log_number(l->log, "seconds", elapsed(l));
    fprintf(l->log, "}\n");
    return fflush(l->log) == 0 ? OK : file_trouble("train", path_in(&l->r.s, "log.jsonl", path));
}

static double rows_per_second(const loop *l) {
    return (double)((steps_of(l) - l->begun_at) * l->r.s.batch) / (now() - l->began + 1e-9);
}

static int log_start(loop *l, const char *event) {
    log_begin(l, event);
    log_number(l->log, "parameters", (double)ch_model_num_elements(l->r.model));
    log_number(l->log, "rows", (double)l->r.data.train.rows);
    log_number(l->log, "held_out", (double)l->r.data.held.rows);
    log_number(l->log, "steps", (double)l->total);
    return log_end(l);
}

static int log_step(loop *l, double rate) {
    if (steps_of(l) % l->r.s.log_every != 0) return OK;
    l->sum += l->last_loss;
    l->n_sum++;
    log_begin(l, "step");
    log_number(l->log, "epoch", (double)((steps_of(l) - 1) / l->per_epoch + 1));
    log_number(l->log, "loss", l->last_loss);
    log_number(l->log, "rate", rate);
    return log_end(l);
}

static double mean_loss(const loop *l) { return l->n_sum > 0 ? l->sum / (double)l->n_sum : l->last_loss; }

static int log_epoch(loop *l) {
    log_begin(l, "epoch");
    log_number(l->log, "epoch", (double)l->measured);
    log_number(l->log, "loss", mean_loss(l));
    if (has_held(l)) log_number(l->log, "valid_loss", l->held.loss);
    if (has_held(l) && l->r.data.labels) log_number(l->log, "accuracy", l->held.accuracy);
    log_number(l->log, "rows_per_second", rows_per_second(l));
    return log_end(l);
}

// ---- what people see: on a terminal a line that is redrawn; anywhere a line an epoch
static void progress(loop *l) {
    double t = now();
    int64_t step = steps_of(l), at = (step - 1) % l->per_epoch + 1;
    if (!talks() || (t - l->drawn < 0.1 && at != l->per_epoch)) return;
    l->drawn = t;
    double left = (double)(l->total - step) * (t - l->began) / (double)(step - l->begun_at);
    fprintf(stderr, "\r\033[Kepoch %lld/%lld  step %lld/%lld  loss %.4f  %.0f rows/s  ETA %.0f s",
            (long long)((step - 1) / l->per_epoch + 1), (long long)l->r.s.epochs, (long long)at,
            (long long)l->per_epoch, l->last_loss, rows_per_second(l), left);
}

static void say_held(FILE *f, const loop *l) {
    if (!has_held(l)) return;
    fprintf(f, "  held out %.4f", l->held.loss);
    if (l->r.data.labels) fprintf(f, ", accuracy %.2f %%", 100 * l->held.accuracy);
}

static void epoch_line(const loop *l) {
    if (talks()) fprintf(stderr, "\r\033[K");
    fprintf(stderr, "epoch %lld/%lld  loss %.4f", (long long)l->measured, (long long)l->r.s.epochs, mean_loss(l));
    say_held(stderr, l);
    fprintf(stderr, "  %.0f rows/s\n", rows_per_second(l));
}

// ---- the loop
static int save(const loop *l, const char *name) {
    char path[PATH_MOST];
    path_in(&l->r.s, name, path);
    return ch_trainer_save(l->r.trainer, l->r.batches, path) == CH_OK ? OK : library_error();
}

// The loss that is watched: of what is held out, else of the epoch.
static int keep_best(loop *l) {
    double watched = has_held(l) ? l->held.loss : mean_loss(l);
    l->bad++;
    if (!(watched < l->best)) return OK;
    l->best = watched;
    l->bad = 0;
    return save(l, "best.safetensors");
}

static int end_epoch(loop *l) {
    int status = has_held(l) ? run_measure(&l->r, &interrupted, &l->held) : OK;
    if (status != OK || l->held.stopped) return status;
    l->measured++;
    status = keep_best(l);
    if (status == OK) status = log_epoch(l);
    if (status == OK) status = save(l, "checkpoint.safetensors");
    epoch_line(l);
    l->sum = 0;
    l->n_sum = 0;
    return status;
}

static int one_step(loop *l) {
    ch_tensor *x, *y;
    double rate = ch_trainer_rate(l->r.trainer);
    int64_t before = steps_of(l);
    ch_scope scope = ch_scope_begin();
    if (!ch_batch_next(l->r.batches, &x, &y)) ch_batch_next(l->r.batches, &x, &y); // the next epoch's first
    double loss = NAN;
    ch_set_cancel(&interrupted);
    ch_status s = ch_trainer_step(l->r.trainer, x, y, &loss);
    ch_set_cancel(NULL);
    // What failed meanwhile (a compiler that the same Ctrl-C ended) changed nothing either, and is tried again.
    if (s != CH_OK && interrupted)
        s = ch_batches_back(l->r.batches);
    else
        l->last_loss = loss;
    if (s == CH_OK) s = ch_scope_end(scope);
    if (s != CH_OK) return library_error();
    if (interrupted && steps_of(l) == before) return OK;
    if (!isfinite(l->last_loss)) {
        fprintf(stderr,
                "chaac train: the loss is %s in step %lld — lower --lr or give --clip; "
                "%s/checkpoint.safetensors is from before\n",
                isnan(l->last_loss) ? "nan" : "inf", (long long)steps_of(l), l->r.s.out);
        return FAILED;
    }
    progress(l);
    int status = log_step(l, rate);
    int64_t every = l->r.s.save_every;
    return status == OK && every > 0 && steps_of(l) % every == 0 ? save(l, "checkpoint.safetensors") : status;
}

static int train(loop *l) {
    int status = OK;
    while (status == OK && l->reason == NULL) {
        int64_t step = steps_of(l);
        if (step % l->per_epoch == 0 && step / l->per_epoch > l->measured)
            status = end_epoch(l);
        else if (l->r.s.patience > 0 && l->bad >= l->r.s.patience)
            l->reason = "early";
        else if (step >= l->total)
            l->reason = "done";
        else
            status = one_step(l);
        if (interrupted && l->reason == NULL) l->reason = "interrupted";
    }
    return status;
}

// ---- beginning
// What a line of the log says about where the loop is; lines after the checkpoint's step are left out.
static bool take_back(void *user, const log_line *line, long end) {
    loop *l = user;
    if (!(line->step <= (double)l->kept_step)) return false;
    l->kept = end;
    l->seconds = line->seconds > l->seconds ? line->seconds : l->seconds;
    if (strcmp(line->event, "step") == 0) {
        l->last_loss = line->loss;
        l->sum += line->loss;
        l->n_sum++;
    } else if (strcmp(line->event, "epoch") == 0 && line->epoch >= 1 && line->epoch <= (double)l->kept_step) {
        double watched = isnan(line->valid_loss) ? line->loss : line->valid_loss;
        l->measured = (int64_t)line->epoch;
        l->bad = watched < l->best ? 0 : l->bad + 1;
        l->best = watched < l->best ? watched : l->best;
        l->held = (measured){.loss = line->valid_loss, .accuracy = line->accuracy};
        l->sum = 0;
        l->n_sum = 0;
    }
    return true;
}

static int go_on(loop *l) {
    char path[PATH_MOST];
    if (ch_trainer_load(l->r.trainer, l->r.batches, path_in(&l->r.s, "checkpoint.safetensors", path)) != CH_OK)
        return library_error();
    l->kept_step = steps_of(l);
    int status = log_read("train", path_in(&l->r.s, "log.jsonl", path), take_back, l);
    if (status == OK && truncate(path, (off_t)l->kept) != 0) status = file_trouble("train", path);
    return status;
}

static int check_new(const settings *s) {
    char path[PATH_MOST];
    struct stat st;
    if (stat(path_in(s, "flags", path), &st) != 0) return OK;
    return usage_error("train", "%s holds a run — --resume goes on with it; or name another folder", s->out);
}

static int make_folder(const settings *s) {
    return mkdir(s->out, 0777) == 0 || errno == EEXIST ? OK : file_trouble("train", s->out);
}

// Data and model by their full names: the run may be gone on with from elsewhere.
static int full_names(settings *s) {
    char *data = realpath(s->data, NULL);
    if (data == NULL) return file_trouble("train", s->data);
    s->data = s->texts[1] = data;
    if (strstr(s->model, ".ir") == NULL || s->model[0] == '/') return OK;
    char folder[PATH_MOST], *full = malloc(2 * PATH_MOST);
    if (full == NULL || getcwd(folder, sizeof folder) == NULL) {
        free(full);
        return file_trouble("train", s->model);
    }
    snprintf(full, 2 * PATH_MOST, "%s/%.4000s", folder, s->model);
    s->model = s->texts[2] = full;
    return OK;
}

static int begin(loop *l) {
    char path[PATH_MOST];
    settings *s = &l->r.s;
    int status = s->resume ? OK : check_new(s);
    if (status == OK) status = run_begin(&l->r, false);
    if (status != OK) return status;
    if (s->patience > 0 && !has_held(l))
        return usage_error("train", "--patience without rows that are held out — give --holdout");
    l->per_epoch = ch_batches_per_epoch(l->r.batches);
    l->total = s->epochs * l->per_epoch;
    status = s->resume ? go_on(l) : make_folder(s);
    if (status == OK && !s->resume) status = full_names(s);
    if (status != OK) return status;
    l->log = fopen(path_in(s, "log.jsonl", path), s->resume ? "a" : "w");
    if (l->log == NULL) return file_trouble("train", path);
    l->began = now();
    l->begun_at = steps_of(l);
    if (!s->resume) status = save(l, "checkpoint.safetensors");
    if (status == OK) status = settings_save(s);
    if (status != OK) return status;
    catch_signals(); // from here on there is something to save
    return log_start(l, s->resume ? "resume" : "start");
}

// ---- the end
static int leave_behind(loop *l) {
    char path[PATH_MOST], picture[PATH_MOST];
    int status = save(l, "checkpoint.safetensors");
    if (status != OK) return status;
    log_begin(l, "stop");
    fprintf(l->log, ", \"reason\": \"%s\"", l->reason);
    status = log_end(l);
    if (status == OK && steps_of(l) > 0)
        status = plot_logs("train", 1, (const char *[]){path_in(&l->r.s, "log.jsonl", path)}, false, l->r.s.model,
                           path_in(&l->r.s, "curves.svg", picture));
    return status;
}

static int finish(loop *l) {
    if (talks()) fprintf(stderr, "\r\033[K");
    int status = leave_behind(l);
    if (status != OK) return status;
    if (strcmp(l->reason, "interrupted") == 0) {
        fprintf(stderr,
                "chaac train: interrupted after step %lld of %lld, saved — chaac train --resume --out=%s goes "
                "on\n",
                (long long)steps_of(l), (long long)l->total, l->r.s.out);
        return FAILED;
    }
    if (strcmp(l->reason, "early") == 0)
        fprintf(stderr, "chaac train: no better loss for %lld epochs, the best is %.4f — %s/best.safetensors has it\n",
                (long long)l->bad, l->best, l->r.s.out);
    printf("step %lld  loss %.4f", (long long)steps_of(l), l->last_loss);
    say_held(stdout, l);
    printf("\n");
    return OK;
}

// What failed may have spoilt the parameters: they are not saved.
static int fail(loop *l, int status) {
    log_begin(l, "stop");
    fprintf(l->log, ", \"reason\": \"failed\"");
    (void)log_end(l);
    return status;
}

int cmd_train(int argc, char **argv) {
    static loop l; // large
    l = (loop){.r = {.cmd = "train"}, .best = INFINITY, .last_loss = NAN};
    int status = settings_of_arguments(argc, argv, &l.r.s);
    if (status == OK) status = begin(&l);
    if (status == OK) {
        status = train(&l);
        status = status == OK ? finish(&l) : fail(&l, status);
    }
    if (l.log != NULL && fclose(l.log) != 0 && status == OK) status = file_trouble("train", "log.jsonl");
    run_end(&l.r);
    return status;
}
