// SPDX-License-Identifier: Apache-2.0
// train.h - what chaac train and chaac eval share: the flags of a run, its data, its model, its log.
//
// A run is a folder: "flags" (one a line, so that the run can be gone on with and measured), "checkpoint.safetensors"
// (the newest state), "best.safetensors" (the state of the best held-out loss), "log.jsonl", "curves.svg".
#ifndef CHAAC_TOOLS_TRAIN_H
#define CHAAC_TOOLS_TRAIN_H

#include "cli.h"

enum { PATH_MOST = 4096, MOST_HIDDEN = 16, MOST_PIECES = 32 };

// ---- flags: train_flags.c
typedef struct settings {
    const char *model, *data, *target, *loss, *hidden, *activation, *optimizer, *schedule, *engine;
    const char *frozen, *no_decay, *compute;
    int64_t epochs, batch, seed, warmup, context, patience, classes, save_every, log_every, accumulate;
    double lr, decay, clip, clip_value, average, holdout;
    bool standardize;
    const char *out;
    bool resume;
    char *texts[3]; // what the texts above lie in, when it is not the command line
} settings;
// Reads the arguments of a command ("train") into *s, which begins with the defaults.
int settings_of_arguments(int argc, char **argv, settings *s);
int settings_of_run(const char *cmd, const char *folder, settings *s); // reads a run's flags
void settings_free(settings *s);
// Writes them beside and renames.
int settings_save(const settings *s);
// "64,32" as numbers; the count, -1: they are none.
int hidden_sizes(const char *text, int64_t sizes[MOST_HIDDEN]);
// The schedule of a flag over `total` updates, its pieces in room; false: there is none.
typedef struct pieces {
    int64_t steps[MOST_PIECES];
    double factors[MOST_PIECES];
} pieces;
bool schedule_of(const char *text, int64_t total, pieces *room, ch_schedule *out);
ch_dtype compute_of(const char *text); // of --compute; 0: the parameters' own
const char *path_in(const settings *s, const char *name, char path[PATH_MOST]);
// "chaac <cmd>: <path>: <why>" by errno; gives FAILED.
int file_trouble(const char *cmd, const char *path);

// ---- data: train_data.c
typedef struct part {
    ch_tensor *x, *y; // [rows, ...]; realized, owned; NULL when there are no rows
    int64_t rows;
} part;
typedef struct dataset {
    part train, held;
    bool labels; // y are classes (i32), not numbers (f32)
    bool text;   // of bytes
} dataset;
// Reads s->data and says s->loss and s->classes where they are not given; all: all rows come to held.
int dataset_load(const char *cmd, settings *s, bool all, dataset *d);
void dataset_free(dataset *d);

// ---- model: train_model.c
int model_make(const char *cmd, const settings *s, const dataset *d, ch_model **out);

// ---- a run: train_run.c
typedef struct run {
    const char *cmd;
    settings s;
    dataset data;
    ch_model *model;
    ch_trainer *trainer;
    ch_batches *batches; // NULL: nothing is trained
    ch_schedule schedule;
    pieces pieces;
} run;
typedef struct measured {
    double loss, accuracy; // accuracy: of labels
    bool stopped;          // *stop was set before the end
} measured;
// Data, model, trainer and, unless all rows are measured, batches.
int run_begin(run *r, bool all);
void run_end(run *r);
// The mean loss over the held-out rows. stop may be NULL.
int run_measure(run *r, const volatile int *stop, measured *m);

// ---- the log: train_log.c
typedef struct log_line {
    char event[32];
    double step, epoch, loss, valid_loss, accuracy, seconds; // NaN: not said
} log_line;
// Calls fn with each line; stops when it gives false. FAILED when the file or a line cannot be read.
int log_read(const char *cmd, const char *path, bool (*fn)(void *user, const log_line *line, long end), void *user);
// JSON on one line: key and number pairs. NaN and infinities become null.
void log_number(FILE *f, const char *key, double v);

// ---- curves of logs: cmd_plot.c
// To the file out, NULL: standard output; nothing is written when a log cannot be read.
int plot_logs(const char *cmd, int n, const char *const *paths, bool by_seconds, const char *title, const char *out);

#endif
