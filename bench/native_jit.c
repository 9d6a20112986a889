// SPDX-License-Identifier: Apache-2.0
// native_jit.c - the same work by a jit (chaac/jit.h): two numbers of four, a chain of products, a GPT's training step
// that assigns its weights. The line's "first" is call 2, which records and compiles; "call1" runs the function as it
// stands. Timed are replays.

#include "native_gpt.h"

#define JIT_BODY(NAME)                                                                                                 \
    static ch_status NAME(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,      \
                          ch_tensor **out)
#define UNUSED ((void)user, (void)n_in, (void)in, (void)n_vars, (void)vars, (void)n_out, (void)out)

JIT_BODY(jit_sum_of_two) {
    UNUSED;
    out[0] = ch_add(in[0], in[1]);
    return CH_OK;
}

JIT_BODY(jit_products_and_tanh) {
    UNUSED;
    out[0] = in[0];
    for (int k = 1; k < n_in; k++) out[0] = ch_tanh(ch_dot(out[0], in[k]));
    return CH_OK;
}

// ---------------------------------------------------------------- the GPT: weights, two slots of AdamW for each
enum { LAYERS = 4, MOST_PARAMS = 5 + LAYERS * GPT_A_LAYER };
typedef struct {
    gpt_spec spec;
    ch_model *model; // owns the weights it began with
    ch_optimizer adamw;
    int n;
    ch_tensor *params[MOST_PARAMS], *slots[2 * MOST_PARAMS], *count; // kept
} training;

static ch_status training_begin(training *t) {
    *t = (training){.spec = {LAYERS}, .adamw = ch_adamw(1e-3, 0.01)};
    t->model = gpt_create(&t->spec);
    if (t->model == NULL) return CH_RESOURCE_EXHAUSTED;
    t->n = ch_model_num_params(t->model);
    for (int i = 0; i < t->n; i++) {
        t->params[i] = ch_keep(ch_add(ch_model_param(t->model, i), ch_scalar(CH_F32, 0))); // memory of its own
        for (int k = 0; k < 2; k++)
            t->slots[2 * i + k] = ch_keep(ch_optimizer_slot(&t->adamw, k, ch_model_param(t->model, i)));
    }
    t->count = ch_keep(ch_zeros(CH_F64, 0, NULL));
    CH_TRY(ch_realize_all(t->n, t->params));
    CH_TRY(ch_realize_all(2 * t->n, t->slots));
    return ch_realize(t->count);
}

static void training_end(training *t) {
    for (int i = 0; i < t->n; i++) ch_release(t->params[i]);
    for (int i = 0; i < 2 * t->n; i++) ch_release(t->slots[i]);
    ch_release(t->count);
    ch_model_destroy(t->model);
}

JIT_BODY(gpt_training_step) {
    UNUSED;
    training *t = user;
    ch_tensor *grads[MOST_PARAMS], *next[3 * MOST_PARAMS];
    ch_tensor *loss = ch_softmax_cross_entropy(gpt_forward(&t->spec, t->params, in[0]), in[1]);
    ch_grads(loss, t->n, t->params, grads);
    CH_TRY(ch_assign(t->count, ch_add(t->count, ch_scalar(CH_F64, 1))));
    ch_optimizer_update(&t->adamw, t->count, t->n, t->params, grads, t->slots, next, next + t->n);
    for (int i = 0; i < t->n; i++) CH_TRY(ch_assign(t->params[i], next[i]));
    for (int i = 0; i < 2 * t->n; i++) CH_TRY(ch_assign(t->slots[i], next[t->n + i]));
    out[0] = loss;
    return CH_OK;
}

// ---------------------------------------------------------------- a line
enum { MOST_INPUTS = 26 };
typedef struct {
    const char *name;
    ch_jit_fn fn;
    int n_in, check_at; // the checksum is that of this call's result
    double check;
} jit_workload;
static const jit_workload workloads[] = {
    {"add4_jit", jit_sum_of_two, 2, 2, 4.38463},
    {"chain50_jit", jit_products_and_tanh, 26, 2, 29.9386},
    {"gpt_step_jit", gpt_training_step, 2, 5, 5.06053},
};
enum { N_WORKLOADS = sizeof workloads / sizeof workloads[0] };

static ch_tensor *input(const jit_workload *w, int i) {
    static const int64_t four[] = {4}, square[] = {8, 8};
    if (w->fn == gpt_training_step) return gpt_tokens(i);
    bool chain = w->fn == jit_products_and_tanh;
    uint32_t seed = !chain ? (uint32_t)i + 1 : i == 0 ? 3 : (uint32_t)(99 + i);
    return bench_uniform(seed, CH_F32, chain ? 2 : 1, chain ? square : four, 1, 0);
}

typedef struct {
    ch_jit *j;
    int n_in;
    ch_tensor *in[MOST_INPUTS], *out[1];
} jit_call;

static bool call_once(void *arg) {
    jit_call *c = arg;
    ch_scope s = ch_scope_begin();
    bool good = ch_jit_call(c->j, c->n_in, c->in, 0, NULL, c->out) == CH_OK;
    return ch_scope_end(s) == CH_OK && good;
}

// Seconds of the first call are told apart: the second one compiles.
static bool measure(const jit_workload *w, jit_call *c, bench_result *r, double *call1) {
    for (int i = 1; i <= BENCH_STEPS; i++) {
        double began = bench_now();
        if (!call_once(c)) return false;
        if (i <= 2) *(i == 1 ? call1 : &r->first) = bench_now() - began;
        if (i == w->check_at) r->check = bench_sum_abs(1, c->out);
    }
    return bench_repeat(r, call_once, c);
}

static int run(const jit_workload *w) {
    char call1_text[64];
    training t = {.n = 0};
    bench_result r = {.kernels = -1, .and = call1_text};
    double call1 = 0;
    ch_scope scope = ch_scope_begin();
    bool good = w->fn != gpt_training_step || training_begin(&t) == CH_OK;
    jit_call c = {.j = ch_jit_create(w->name, w->fn, &t, 1), .n_in = w->n_in};
    for (int i = 0; good && i < w->n_in; i++) good = (c.in[i] = input(w, i)) != NULL;
    good = good && c.j != NULL && ch_jit_set_engine(c.j, "native") == CH_OK && measure(w, &c, &r, &call1);
    snprintf(call1_text, sizeof call1_text, "\"call1\": %.3g", call1);
    int failed = bench_line(w->name, good, &r, w->check);
    ch_release(c.out[0]);
    ch_jit_destroy(c.j);
    for (int i = 0; i < w->n_in; i++) ch_release(c.in[i]);
    training_end(&t);
    (void)ch_scope_end(scope);
    return failed;
}

int bench_jits(const char *name) {
    int i = bench_find(name, workloads, N_WORKLOADS, sizeof workloads[0]);
    return i < 0 ? -1 : run(&workloads[i]);
}

void bench_names_jits(void) { bench_put_names(workloads, N_WORKLOADS, sizeof workloads[0]); }
