// SPDX-License-Identifier: Apache-2.0
// bench_pjrt_step.c - training steps on a device: state that stays there (a step on the device, a trainer), state
// through the host (the trainer's func, run on tensors), and jax.jit with donation, on the same network and batch; the
// loss is read at each step.
//
// usage: bench_pjrt_step [PLUGIN [NAME ...]]; without one $CHAAC_PJRT_PLUGIN_PATH, without names all steps. JAX is what
// $CHAAC_BENCH_PYTHON (python3) imports, if it does (pjrt_step.py). Bars: mlp_train at most JAX's, tiny_train half;
// gpt_step at most 2/3 of through the host.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "native_gpt.h"
#include "chaac/pjrt.h"

enum { LEAST = 5, MOST_RUNS = 20000 };

static const double budget = 2; // seconds of each measurement

static void die(const char *what) {
    fprintf(stderr, "bench_pjrt_step: %s: %s\n", what, ch_error_message());
    exit(1);
}

// ---------------------------------------------------------------- networks
typedef struct {
    const char *name, *signature;
    int64_t batch, sizes[3]; // of dense layers; 0: the GPT
    int classes;
    double bar; // of JAX's time; 0: of the way through the host
} network;

static const network networks[] = {
    {"mlp_train", "x: f32[n,784], y: i32[n]", 128, {784, 128, 10}, 10, 1},
    {"tiny_train", "x: f32[n,16], y: i32[n]", 8, {16, 32, 4}, 4, 0.5},
    {"gpt_step", "x: i32[8,128], y: i32[8,128]", 0, {0}, 0, 0},
};

static ch_tensor *loss(void *user, const ch_model *m, ch_tensor *const *params, int n_in, ch_tensor *const *in) {
    (void)user, (void)n_in;
    return ch_softmax_cross_entropy(ch_model_forward_with(m, params, in[0]), in[1]);
}

static ch_model *make(const network *n, ch_tensor **in) {
    static const gpt_spec four = {4};
    if (n->batch == 0) {
        in[0] = gpt_tokens(0);
        in[1] = gpt_tokens(1);
        return gpt_create(&four);
    }
    in[0] = bench_uniform(1, CH_F32, 2, (int64_t[]){n->batch, n->sizes[0]}, 1, 0);
    in[1] = bench_integers(2, 1, &n->batch, (uint32_t)n->classes);
    return ch_mlp(n->sizes, 3, CH_RELU, ch_key_make(1));
}

static ch_optimizer optimizer(const network *n) {
    return n->batch == 0 ? ch_adamw(1e-3, 0.01) : n->batch == 8 ? ch_sgd(0.1) : ch_adam(1e-3);
}

// ---------------------------------------------------------------- measuring
static double runs[MOST_RUNS];

static int measure(ch_status (*step)(void *arg, double *l), void *arg) {
    double l = 0;
    int n = 0;
    for (int i = 0; i < LEAST; i++)
        if (step(arg, &l) != CH_OK || !isfinite(l)) die("step");
    const double end = bench_now() + budget;
    while (n < LEAST || (n < MOST_RUNS && bench_now() < end)) {
        double begin = bench_now();
        if (step(arg, &l) != CH_OK || !isfinite(l)) die("step");
        runs[n++] = 1e6 * (bench_now() - begin);
    }
    return n;
}

enum { MOST_ARRAYS = 1024 };

typedef struct {
    ch_device_step *d;
    ch_trainer *t;
    ch_tensor *in[2];
    ch_exec *exec; // of the trainer's func
    int n_in, n_out;
    ch_tensor *given[MOST_ARRAYS], *room[MOST_ARRAYS];
} job;

static ch_status on_device(void *arg, double *l) {
    job *j = arg;
    return ch_device_step_run(j->d, j->in, l);
}

static ch_status by_trainer(void *arg, double *l) {
    job *j = arg;
    return ch_trainer_step(j->t, j->in[0], j->in[1], l);
}

// The trainer's func on tensors: what a step gives is what the next one takes, and what that took has room for results.
static ch_status through_host(void *arg, double *l) {
    job *j = arg;
    CH_TRY(ch_exec_run(j->exec, j->n_in, j->given, j->n_out, j->room));
    for (int i = 0; i + 2 < j->n_out; i++) {
        ch_tensor *t = j->given[5 + i];
        j->given[5 + i] = j->room[2 + i];
        j->room[2 + i] = t;
    }
    return ch_item(j->room[0], l);
}

// The trainer has made one step. Every parameter learns.
static void prepare_host(job *j, const ch_model *m) {
    const ch_func *f = ch_trainer_func(j->t);
    const uint32_t key[2] = {0, 0};
    j->n_in = ch_func_num_params(f);
    j->n_out = ch_func_num_results(f);
    if (j->n_in > MOST_ARRAYS || j->n_out != j->n_in - 3 || ch_compile(f, "pjrt", NULL, &j->exec) != CH_OK) die("func");
    ch_tensor *first[] = {j->in[0], j->in[1], ch_scalar(CH_F64, 2), ch_scalar(CH_F64, ch_trainer_rate(j->t)),
                          ch_from_data(CH_U32, key, 1, (int64_t[]){2})};
    if (ch_realize_all(5, first) != CH_OK) die("numbers");
    int n_params = ch_model_num_params(m);
    for (int i = 0; i < j->n_in; i++)
        j->given[i] = ch_keep(i < 5              ? first[i]
                              : i - 5 < n_params ? ch_model_param(m, i - 5)
                                                 : ch_trainer_state(j->t, i - 5 - n_params));
}

static void compare(const char *plugin, const network *n) {
    const ch_session_options o = {.struct_size = sizeof o, .plugin = plugin};
    const ch_optimizer opt = optimizer(n);
    ch_session *s = NULL;
    ch_step *step = NULL;
    static job j;
    j = (job){0};
    char label[100];
    ch_model *m = make(n, j.in);
    if (m == NULL || ch_check(j.in[0]) != CH_OK || ch_check(j.in[1]) != CH_OK) die("network");
    if (ch_session_open(&o, &s) != CH_OK || ch_step_capture(m, n->signature, NULL, loss, NULL, &step) != CH_OK ||
        ch_step_on_device(step, m, &opt, NULL, s, &j.d) != CH_OK ||
        ch_trainer_create(m, ch_softmax_cross_entropy, opt, "pjrt", &j.t) != CH_OK)
        die(n->name);
    double l = 0;
    if (by_trainer(&j, &l) != CH_OK) die("trainer");
    prepare_host(&j, m);
    int n_runs = measure(through_host, &j);
    snprintf(label, sizeof label, "pjrt step, %s, through the host", n->name);
    bench_report(label, runs, n_runs, "us", 0);
    double host = runs[0], jax = n->bar > 0 ? bench_by_python("pjrt_step.py", n->name) : 0;
    if (jax > 0)
        printf("{\"name\": \"pjrt step, %s, jax.jit with donation\", \"min\": %.4g, \"unit\": \"us\"}\n", n->name, jax);
    if (jax == 0 && n->bar > 0)
        printf("# %s: no JAX is found: CHAAC_BENCH_PYTHON names a Python that has it\n", n->name);
    for (int i = 0; i < j.n_in; i++) ch_release(j.given[i]);
    for (int i = 0; i < j.n_out; i++) ch_release(j.room[i]);
    ch_exec_release(j.exec);
    n_runs = measure(by_trainer, &j);
    snprintf(label, sizeof label, "pjrt step, %s, by a trainer", n->name);
    bench_report(label, runs, n_runs, "us", 0);
    n_runs = measure(on_device, &j);
    snprintf(label, sizeof label, "pjrt step, %s, on the device", n->name);
    bench_report(label, runs, n_runs, "us", n->bar > 0 ? n->bar * jax : host / 1.5);
    ch_device_step_destroy(j.d);
    ch_trainer_destroy(j.t);
    ch_step_destroy(step);
    ch_model_destroy(m);
    ch_release(j.in[0]);
    ch_release(j.in[1]);
    ch_session_close(s);
}

int main(int argc, char **argv) {
    char *plugin = NULL;
    if (argc > 1) setenv("CHAAC_PJRT_PLUGIN_PATH", argv[1], 1); // of the engine, too
    if (ch_plugin_find(CH_CPU, NULL, &plugin) != CH_OK) {
        fprintf(stderr, "# skip: %s\n", ch_error_message());
        return 0;
    }
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        int named = argc <= 2;
        for (int k = 2; k < argc; k++) named = named || strcmp(argv[k], networks[i].name) == 0;
        if (!named) continue;
        ch_scope scope = ch_scope_begin();
        compare(plugin, &networks[i]);
        if (ch_scope_end(scope) != CH_OK) return 1;
    }
    ch_string_free(plugin);
    ch_thread_end();
    return 0;
}
