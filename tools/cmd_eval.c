// SPDX-License-Identifier: Apache-2.0
// cmd_eval.c - chaac eval: loss and accuracy of a run's checkpoint, on what the run held out or on other data.
#include <string.h>

#include "train.h"

// The averages of a trainer that has them: they are what is measured.
static ch_status load_averages(ch_trainer *t, ch_checkpoint *c) {
    const char *name;
    for (int i = 0; (name = ch_trainer_state_name(t, i)) != NULL; i++) {
        size_t n = strlen(name), end = strlen(".average");
        ch_tensor *average = NULL;
        if (n <= end || strcmp(name + n - end, ".average") != 0) continue;
        CH_TRY(ch_checkpoint_get(c, "optimizer", name, &average));
        CH_TRY(ch_trainer_set_state(t, i, average));
    }
    return CH_OK;
}

// Only the parameters are taken, and averages: what else is in a checkpoint is for going on.
static ch_status load_parameters(ch_model *m, ch_trainer *trainer, const char *path, int64_t *step) {
    int n = ch_model_num_params(m);
    const char **names = ch_memory_alloc((size_t)n * sizeof *names);
    ch_tensor **like = ch_memory_alloc((size_t)n * sizeof *like), *t = NULL;
    ch_checkpoint *c = NULL;
    ch_status s = names == NULL || like == NULL ? ch_error_set("out_of_memory", "eval: no memory") : CH_OK;
    for (int i = 0; s == CH_OK && i < n; i++) {
        names[i] = ch_model_param_name(m, i);
        like[i] = ch_model_param(m, i);
    }
    if (s == CH_OK) s = ch_checkpoint_open(path, &c);
    if (s == CH_OK) s = ch_checkpoint_match(c, "model", n, names, like);
    if (s == CH_OK) s = ch_checkpoint_get_i64(c, "trainer.steps", step);
    for (int i = 0; s == CH_OK && i < n; i++) {
        s = ch_checkpoint_get(c, "model", names[i], &t);
        if (s == CH_OK) s = ch_model_set(m, i, t);
    }
    if (s == CH_OK) s = load_averages(trainer, c);
    ch_checkpoint_close(c);
    ch_memory_free(names);
    ch_memory_free(like);
    return s;
}

static int measure_run(run *r, const char *checkpoint, bool all, bool json) {
    char path[PATH_MOST];
    measured m = {0};
    int64_t step = 0;
    int status = run_begin(r, all);
    if (status != OK) return status;
    if (r->data.held.rows == 0) {
        fprintf(stderr, "chaac eval: the run holds nothing out — give --data\n");
        return FAILED;
    }
    snprintf(path, sizeof path, "%s", checkpoint);
    if (strchr(checkpoint, '/') == NULL) path_in(&r->s, checkpoint, path);
    if (load_parameters(r->model, r->trainer, path, &step) != CH_OK) return library_error();
    status = run_measure(r, NULL, &m);
    if (status != OK) return status;
    if (json) {
        printf("{\"step\": %lld, \"rows\": %lld", (long long)step, (long long)r->data.held.rows);
        log_number(stdout, "loss", m.loss);
        if (r->data.labels) log_number(stdout, "accuracy", m.accuracy);
        printf("}\n");
        return OK;
    }
    printf("step %lld  rows %lld  loss %.4f", (long long)step, (long long)r->data.held.rows, m.loss);
    if (r->data.labels) printf("  accuracy %.2f %%", 100 * m.accuracy);
    printf("\n");
    return OK;
}

int cmd_eval(int argc, char **argv) {
    static const char *const valued[] = {"--data", "--checkpoint", NULL};
    const char *folder = NULL, *data = NULL, *checkpoint = "checkpoint.safetensors", *value;
    bool json = false;
    options o = {argc, argv, 1};
    for (const char *arg; (arg = next_argument(&o, valued, &value)) != NULL;) {
        if (strcmp(arg, "--json") == 0)
            json = true;
        else if (arg[0] == '-' && value == NULL)
            return usage_error("eval", "\"%.60s\" is unknown or needs a value", arg);
        else if (strcmp(arg, "--data") == 0)
            data = value;
        else if (strcmp(arg, "--checkpoint") == 0)
            checkpoint = value;
        else if (folder == NULL)
            folder = arg;
        else
            return usage_error("eval", "\"%.60s\" is one argument too many", arg);
    }
    if (folder == NULL) return usage_error("eval", "no folder of a run is named");
    run r = {.cmd = "eval"};
    int status = settings_of_run("eval", folder, &r.s);
    if (data != NULL) r.s.data = data;
    if (status == OK) status = measure_run(&r, checkpoint, data != NULL, json);
    run_end(&r);
    return status;
}
