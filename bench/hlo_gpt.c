// SPDX-License-Identifier: Apache-2.0
// hlo_gpt.c - the training step of the GPT of native_gpt.c as JAX prints it (bench/hlo/gpt_step.mlir, made by
// tests/hlo/make_jax.py --bench), beside the same step through ch_trainer, on the native engine.
//
// Both start from the same parameters and see the same tokens; the losses of the fifth step are held against each
// other. Steps are timed in turns, so that a loaded machine is as slow for one as for the other. The bars: text to a
// step that is ready, kernels cached, in 0.2 s; a step within 1.15 times the trainer's.
#include "hlo_gpt.h"

#include <math.h>
#include <string.h>

#include "native_gpt.h"

enum {
    LAYERS = 4,
    N = 2 + LAYERS * GPT_A_LAYER + 3,
    IN = 3 * N + 3,
    OUT = 3 * N + 2,
    STEPS = 5,
    TURNS = 15,
    READY = 3
};

typedef struct {
    ch_exec *exec;
    ch_tensor *in[IN];
    double loss;
} imported;

// New parameters, their moments and the number of steps take the place of the old ones.
static ch_status imported_step(imported *s) {
    ch_tensor *out[OUT] = {NULL};
    unsigned char donate[IN];
    memset(donate, 1, sizeof donate);
    donate[IN - 2] = donate[IN - 1] = 0;
    const ch_run_options o = {.struct_size = sizeof o, .donate = donate};
    ch_status status = ch_exec_run_with(s->exec, &o, IN, s->in, OUT, out);
    if (status != CH_OK) return status;
    status = ch_item(out[0], &s->loss);
    ch_release(out[0]);
    for (int i = 1; i < OUT; i++) {
        ch_release(s->in[i - 1]);
        s->in[i - 1] = out[i];
    }
    return status;
}

static bool imported_inputs(imported *s, ch_model *m, ch_tensor *x, ch_tensor *y) {
    bool good = true;
    for (int i = 0; i < N; i++) {
        ch_tensor *p = ch_model_param(m, i), *part[3];
        part[0] = ch_add(p, ch_zeros_like(p)); // its own memory
        part[1] = ch_zeros_like(p);
        part[2] = ch_zeros_like(p);
        for (int k = 0; k < 3; k++) {
            good = good && ch_realize(part[k]) == CH_OK;
            s->in[k * N + i] = good ? ch_keep(part[k]) : NULL;
        }
    }
    ch_tensor *t = ch_scalar(CH_F32, 0);
    good = good && ch_realize(t) == CH_OK;
    s->in[IN - 3] = good ? ch_keep(t) : NULL;
    s->in[IN - 2] = x;
    s->in[IN - 1] = y;
    return good;
}

// Milliseconds from the text to a step that can be run; the first fills the cache.
static bool imported_ready(const char *path, imported *s, double ms[READY]) {
    for (int turn = -1; turn < READY; turn++) {
        ch_func *f = NULL;
        ch_exec_release(s->exec);
        s->exec = NULL;
        double began = bench_now();
        bool good = ch_hlo_load(path, NULL, &f) == CH_OK && ch_compile(f, "native", NULL, &s->exec) == CH_OK;
        if (turn >= 0) ms[turn] = (bench_now() - began) * 1e3;
        ch_func_destroy(f);
        if (!good) return false;
    }
    return true;
}

int hlo_gpt(void) {
    static const gpt_spec spec = {LAYERS};
    static imported s;
    const char *path = getenv("CHAAC_BENCH_GPT") ? getenv("CHAAC_BENCH_GPT") : "bench/hlo/gpt_step.mlir";
    double ready[READY], theirs[TURNS], ours[TURNS], ratio[1], loss = 0;
    ch_scope scope = ch_scope_begin();
    ch_model *m = gpt_create(&spec);
    ch_trainer *t = NULL;
    ch_tensor *x = gpt_tokens(0), *y = gpt_tokens(1);
    bool good = m && x && y && imported_inputs(&s, m, x, y) && imported_ready(path, &s, ready);
    good = good && ch_trainer_create(m, ch_softmax_cross_entropy, ch_adamw(1e-3, 0.01), "native", &t) == CH_OK;
    for (int i = 0; good && i < STEPS; i++)
        good = ch_trainer_step(t, x, y, &loss) == CH_OK && imported_step(&s) == CH_OK;
    bool same = good && fabs(loss - s.loss) <= 1e-4 * fabs(loss);
    if (good && !same) fprintf(stderr, "hlo gpt: the losses are %.6g and %.6g\n", s.loss, loss);
    for (int i = 0; good && i < TURNS; i++) {
        double began = bench_now();
        good = imported_step(&s) == CH_OK;
        theirs[i] = (bench_now() - began) * 1e3;
        began = bench_now();
        good = good && ch_trainer_step(t, x, y, &loss) == CH_OK;
        ours[i] = (bench_now() - began) * 1e3;
    }
    if (good) {
        bench_report("hlo gpt ready", ready, READY, "ms", 200);
        bench_report("hlo gpt step of JAX", theirs, TURNS, "ms", 0);
        bench_report("hlo gpt step captured", ours, TURNS, "ms", 0);
        ratio[0] = theirs[0] / ours[0]; // of the fastest
        bench_report("hlo gpt step, of JAX by captured", ratio, 1, "times", 1.15);
    } else {
        fprintf(stderr, "hlo gpt: %s\n", ch_error_message());
    }
    for (int i = 0; i < IN - 2; i++) ch_release(s.in[i]);
    ch_release(x);
    ch_release(y);
    ch_exec_release(s.exec);
    ch_trainer_destroy(t);
    ch_model_destroy(m);
    (void)ch_scope_end(scope);
    return !good || !same;
}
