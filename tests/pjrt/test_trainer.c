// SPDX-License-Identifier: Apache-2.0
// test_trainer.c - trainers on "pjrt": PLUGIN [...], the first is the engine's. TAP.
//
// The same network is trained on the interpreter and on the device, on the same batches, with whatever trainers offer:
// losses agree at each step, parameters, buffers and state at the end. What crosses is counted to the byte.
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "chaac/chaac.h"
#include "mock_plugin.h"

enum { IN = 5, HIDDEN = 8, CLASSES = 3, BATCH = 16 };

static ch_model *network(void) {
    const int64_t sizes[] = {IN, HIDDEN, CLASSES};
    return ch_mlp(sizes, 3, CH_TANH, ch_key_make(7));
}

// x w + the running mean of x, which training moves; noise by the key.
static ch_tensor *counted_forward(void *user, ch_tensor *const *p, ch_tensor *x) {
    (void)user;
    return ch_add(ch_dot(x, p[0]), p[1]);
}
static ch_tensor *counted_training(void *user, ch_tensor *const *p, ch_tensor *x, ch_tensor *key,
                                   ch_tensor **new_buffers) {
    (void)user;
    ch_tensor *mean = ch_mean(x, 1, (int[]){0});
    new_buffers[0] = ch_add(ch_mul(p[1], ch_scalar(CH_F32, 0.9)), ch_slice_axis(mean, 0, 0, CLASSES));
    ch_tensor *noise = ch_rng_uniform(key, CH_F32, 1, (int64_t[]){CLASSES});
    return ch_add(ch_add(ch_dot(x, p[0]), p[1]), ch_mul(noise, ch_scalar(CH_F32, 0.01)));
}
static ch_model *counted(void) {
    ch_model *m = NULL;
    if (ch_model_create(counted_forward, NULL, NULL, &m) != CH_OK ||
        ch_model_add(m, "w",
                     ch_init_tensor(CH_INIT_GLOROT_UNIFORM, 1, ch_key_make(3), CH_F32, 2, (int64_t[]){IN, CLASSES})) !=
            CH_OK ||
        ch_model_add_buffer(m, "mean",
                            ch_init_tensor(CH_INIT_ZEROS, 1, ch_key_make(3), CH_F32, 1, (int64_t[]){CLASSES})) != CH_OK)
        abort();
    ch_model_set_training(m, counted_training);
    return m;
}

// Batch number i: numbers that a formula gives; the scope owns them.
static void batch(int i, int64_t rows, double scale, ch_tensor **x, ch_tensor **y) {
    float v[64 * IN];
    int32_t labels[64];
    for (int64_t r = 0; r < rows; r++) {
        labels[r] = (int32_t)((r * 7 + i) % CLASSES);
        for (int k = 0; k < IN; k++)
            v[r * IN + k] = (float)(scale * sin((double)(i * 31 + r * IN + k))) + 0.5F * (float)labels[r];
    }
    *x = ch_from_f32(v, 2, (int64_t[]){rows, IN});
    *y = ch_from_data(CH_I32, labels, 1, (int64_t[]){rows});
}

static ch_status step(ch_trainer *t, int i, double scale, double *l) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *x, *y;
    batch(i, BATCH, scale, &x, &y);
    ch_status s = ch_trainer_step(t, x, y, l);
    (void)ch_scope_end(scope);
    return s;
}

static double apart(ch_tensor *a, ch_tensor *b) {
    if (ch_check(a) != CH_OK || ch_check(b) != CH_OK) return INFINITY;
    const float *x = ch_data(a), *y = ch_data(b);
    double most = 0;
    for (int64_t k = 0; k < ch_tensor_numel(a); k++) most = fmax(most, fabs((double)x[k] - (double)y[k]));
    return most;
}

static bool models_agree(const ch_model *a, const ch_model *b) {
    for (int i = 0; i < ch_model_num_params(a); i++) {
        double most = apart(ch_model_param(a, i), ch_model_param(b, i));
        if (most <= 2e-5) continue;
        printf("# %s: apart by %g\n", ch_model_param_name(a, i), most);
        return false;
    }
    return true;
}

static bool agree(const ch_model *a, const ch_trainer *s, const ch_model *b, const ch_trainer *t) {
    if (!models_agree(a, b)) return false;
    for (int i = 0; ch_trainer_state_name(s, i) != NULL; i++)
        if (apart(ch_trainer_state(s, i), ch_trainer_state(t, i)) > 2e-5) {
            printf("# %s: apart by %g\n", ch_trainer_state_name(s, i),
                   apart(ch_trainer_state(s, i), ch_trainer_state(t, i)));
            return false;
        }
    return true;
}

typedef struct {
    ch_model *model[2];
    ch_trainer *trainer[2]; // on the host, on the device
} pair;

static pair begin(ch_model *(*make)(void), ch_optimizer o, ch_trainer_options options) {
    pair p;
    for (int i = 0; i < 2; i++) {
        options.struct_size = sizeof options;
        options.engine = i == 0 ? "interp" : "pjrt";
        p.model[i] = make();
        if (ch_trainer_create_with(p.model[i], ch_softmax_cross_entropy, o, &options, &p.trainer[i]) != CH_OK) {
            ok(false, "a trainer");
            exit(1);
        }
    }
    return p;
}

static void end(pair *p) {
    for (int i = 0; i < 2; i++) {
        ch_trainer_destroy(p->trainer[i]);
        ch_model_destroy(p->model[i]);
    }
}

static bool both_step(pair *p, int from, int n) {
    for (int i = from; i < from + n; i++) {
        double a = 0, b = 0;
        if (step(p->trainer[0], i, 1, &a) == CH_OK && step(p->trainer[1], i, 1, &b) == CH_OK &&
            fabs(a - b) <= 2e-5 * fmax(1, fabs(a)) && ch_trainer_rate(p->trainer[0]) == ch_trainer_rate(p->trainer[1]))
            continue;
        printf("# step %d: %.9g on the host, %.9g on the device: %s\n", i, a, b, ch_error_message());
        return false;
    }
    return true;
}

static void same(const char *what, ch_model *(*make)(void), ch_optimizer o, ch_trainer_options options) {
    pair p = begin(make, o, options);
    ok(both_step(&p, 0, 12) && agree(p.model[0], p.trainer[0], p.model[1], p.trainer[1]) && both_step(&p, 12, 3), what);
    end(&p);
}

static void what_trainers_offer(void) {
    const ch_schedule cosine = ch_schedule_cosine(20, 1e-4);
    const ch_param_group group = {"dense1", 0.5, 0};
#define OPTIONS(...) ((ch_trainer_options){__VA_ARGS__})
    same("adam", network, ch_adam(0.01), OPTIONS(0));
    same("a schedule", network, ch_adamw(0.01, 0.1), OPTIONS(.schedule = &cosine));
    same("frozen parameters", network, ch_sgd_momentum(0.1, 0.9), OPTIONS(.frozen = "dense0"));
    same("groups", network, ch_adam(0.01), OPTIONS(.n_groups = 1, .groups = &group));
    same("clipping by norm", network, ch_adam(0.01), OPTIONS(.clip_norm = 0.05));
    same("clipping by value", network, ch_sgd(0.1), OPTIONS(.clip_value = 0.01));
    same("gathered gradients", network, ch_adam(0.01), OPTIONS(.accumulate = 3));
    same("averages", network, ch_nadam(0.01), OPTIONS(.average = 0.9));
    same("all at once", network, ch_adamw(0.01, 0.1),
         OPTIONS(.accumulate = 3, .average = 0.9, .clip_norm = 1, .clip_value = 0.1, .schedule = &cosine));
    same("buffers and keys", counted, ch_adam(0.01), OPTIONS(.key = ch_key_make(9)));
    same("buffers and keys while gradients gather", counted, ch_adam(0.01),
         OPTIONS(.key = ch_key_make(9), .accumulate = 3, .average = 0.5, .clip_norm = 0.1));
}

// ---------------------------------------------------------------- what crosses
static ch_session_counters count(const ch_trainer *t) {
    ch_session_counters c;
    ch_session_count(ch_trainer_session(t), &c);
    return c;
}

static void what_crosses(void) {
    const ch_schedule cosine = ch_schedule_cosine(200, 1e-4);
    pair p = begin(network, ch_adam(0.01), OPTIONS(.schedule = &cosine));
    ch_trainer *t = p.trainer[1];
    const int64_t up = BATCH * IN * 4 + BATCH * 4 + 8 + 8 + 8;
    double l;
    ok(ch_trainer_session(p.trainer[0]) == NULL && ch_trainer_session(t) == NULL && ch_trainer_session(NULL) == NULL,
       "no session on the host, nor before the first step");
    bool good = step(t, 0, 1, &l) == CH_OK && ch_trainer_session(t) != NULL;
    ch_session_counters a = count(t);
    for (int i = 1; good && i <= 100; i++) good = step(t, i, 1, &l) == CH_OK;
    ch_session_counters b = count(t);
    ok(good && a.compiles == 1 && b.compiles == 1 && b.runs - a.runs == 100 && ch_trainer_compiles(t) == 1,
       "100 steps under a schedule: one compile");
    if (b.bytes_up - a.bytes_up != 100 * up || b.bytes_down - a.bytes_down != 400)
        printf("# up %lld, down %lld\n", (long long)(b.bytes_up - a.bytes_up),
               (long long)(b.bytes_down - a.bytes_down));
    ok(b.bytes_up - a.bytes_up == 100 * up, "up: batch, number, rate and key, to the byte");
    ok(b.bytes_down - a.bytes_down == 400, "down: the loss, to the byte");
    ok(a.buffers == b.buffers, "no buffer more than before");
    ok(step(t, 101, 1, NULL) == CH_OK && count(t).bytes_down == b.bytes_down, "a loss that nobody wants stays");
    a = count(t);
    for (int i = 0; i < 3; i++) good = good && ch_check(ch_model_param(p.model[1], 1)) == CH_OK;
    ok(good && count(t).bytes_down - a.bytes_down == HIDDEN * 4, "a parameter comes down once, when it is asked for");
    for (int i = 0; i < 3; i++) good = good && ch_check(ch_trainer_state(t, 0)) == CH_OK;
    ok(good && count(t).bytes_down - a.bytes_down == HIDDEN * 4 + IN * HIDDEN * 4, "and so does state");
    ch_tensor *x, *y, *out = NULL;
    ch_scope scope = ch_scope_begin();
    batch(0, BATCH, 1, &x, &y);
    a = count(t);
    good = ch_trainer_predict(t, x, &out) == CH_OK && ch_trainer_predict(t, x, &out) == CH_OK;
    b = count(t);
    ok(good && b.bytes_up - a.bytes_up == 2 * BATCH * IN * 4 && b.bytes_down - a.bytes_down == 2 * BATCH * CLASSES * 4,
       "predictions: x up, y down");
    ok(b.emissions - a.emissions == 1, "one text for two of them");
    ch_tensor *forward = ch_model_forward(p.model[1], x);
    ok(ch_realize(forward) == CH_OK && apart(forward, out) < 2e-5, "and they are the model's");
    (void)ch_scope_end(scope);
    ch_release(out);
    end(&p);
}

// ---------------------------------------------------------------- both sides
static void files(void) {
    char folder[] = "/tmp/chaac-trainer-XXXXXX", path[64], whole[64];
    if (mkdtemp(folder) == NULL) exit(1);
    snprintf(path, sizeof path, "%s/m.safetensors", folder);
    snprintf(whole, sizeof whole, "%s/t.safetensors", folder);
    pair p = begin(network, ch_adam(0.01), OPTIONS(.average = 0.9, .accumulate = 2));
    ok(both_step(&p, 0, 5) && ch_trainer_save(p.trainer[1], NULL, whole) == CH_OK &&
           ch_save_safetensors(p.model[1], path) == CH_OK && both_step(&p, 5, 5),
       "saved in the middle");
    ok(ch_trainer_load(p.trainer[1], NULL, whole) == CH_OK && ch_trainer_load(p.trainer[0], NULL, whole) == CH_OK &&
           both_step(&p, 5, 5) && agree(p.model[0], p.trainer[0], p.model[1], p.trainer[1]),
       "and gone on from");
    ok(ch_load_safetensors(p.model[0], path) == CH_OK && ch_load_safetensors(p.model[1], path) == CH_OK &&
           both_step(&p, 10, 4) && agree(p.model[0], p.trainer[0], p.model[1], p.trainer[1]),
       "parameters loaded between steps count");
    bool good = true;
    for (int i = 0; i < 2; i++) {
        ch_tensor *w = ch_init_tensor(CH_INIT_ZEROS, 1, ch_key_make(1), CH_F32, 2, (int64_t[]){HIDDEN, CLASSES});
        good = good && ch_model_set(p.model[i], 2, w) == CH_OK && ch_trainer_swap_averages(p.trainer[i]) == CH_OK;
    }
    ok(good && models_agree(p.model[0], p.model[1]), "so does one that is set, and averages in their place");
    for (int i = 0; i < 2; i++) good = good && ch_trainer_swap_averages(p.trainer[i]) == CH_OK;
    ok(good && both_step(&p, 14, 4) && agree(p.model[0], p.trainer[0], p.model[1], p.trainer[1]), "and back");
    ch_session_counters a = count(p.trainer[1]);
    good = ch_trainer_swap_averages(p.trainer[1]) == CH_OK && ch_trainer_swap_averages(p.trainer[1]) == CH_OK;
    ok(good && count(p.trainer[1]).bytes_up == a.bytes_up && count(p.trainer[1]).bytes_down == a.bytes_down,
       "for which nothing crosses");
    end(&p);
    unlink(path), unlink(whole), rmdir(folder);
}

// Two trainers of one model: what one did the other goes on from.
static void one_model(void) {
    pair p = begin(network, ch_sgd(0.1), OPTIONS(.frozen = "dense0"));
    ch_trainer *other[2] = {NULL, NULL};
    bool good = true;
    for (int i = 0; i < 2; i++) {
        const ch_trainer_options o = {
            .struct_size = sizeof o, .engine = i == 0 ? "interp" : "pjrt", .frozen = "dense1"};
        good =
            good && ch_trainer_create_with(p.model[i], ch_softmax_cross_entropy, ch_adam(0.01), &o, &other[i]) == CH_OK;
    }
    for (int i = 0; i < 6 && good; i++) {
        double a = 0, b = 1;
        good = both_step(&p, i, 1) && step(other[0], i, 1, &a) == CH_OK && step(other[1], i, 1, &b) == CH_OK &&
               fabs(a - b) < 2e-5;
    }
    ok(good && models_agree(p.model[0], p.model[1]), "two trainers take turns");
    ch_trainer *host = NULL;
    double l;
    good = ch_trainer_create(p.model[1], ch_softmax_cross_entropy, ch_sgd(0.1), "interp", &host) == CH_OK;
    ch_trainer_destroy(p.trainer[0]);
    p.trainer[0] = NULL;
    good =
        good && ch_trainer_create(p.model[0], ch_softmax_cross_entropy, ch_sgd(0.1), "interp", &p.trainer[0]) == CH_OK;
    for (int i = 0; i < 3 && good; i++)
        good = step(host, i, 1, &l) == CH_OK && step(p.trainer[0], i, 1, &l) == CH_OK &&
               step(other[0], i, 1, &l) == CH_OK && step(other[1], i, 1, &l) == CH_OK;
    ok(good && models_agree(p.model[0], p.model[1]), "one of them on the host");
    ch_trainer_destroy(host);
    for (int i = 0; i < 2; i++) ch_trainer_destroy(other[i]);
    ok(models_agree(p.model[0], p.model[1]), "and the model has what they left");
    end(&p);
    ch_model *m = network();
    ch_trainer *t = NULL;
    good =
        ch_trainer_create(m, ch_softmax_cross_entropy, ch_sgd(0.1), "pjrt", &t) == CH_OK && step(t, 0, 1, &l) == CH_OK;
    ch_model_destroy(m); // first
    ch_trainer_destroy(t);
    ok(good, "a model may go before its trainer");
}

// ---------------------------------------------------------------- what is refused
static void refusals(void) {
    pair p = begin(counted, ch_adam(0.01), OPTIONS(.clip_norm = 1, .average = 0.9, .accumulate = 2));
    double l = 7;
    bool good = both_step(&p, 0, 4);
    for (int i = 0; i < 2; i++) {
        good = good && step(p.trainer[i], 4, 1, &l) == CH_OK;
        ok(refused(step(p.trainer[i], 5, INFINITY, &l), CH_FAILED_PRECONDITION,
                   "trainer: the norm of the gradients is nan in update 3 — nothing was changed; look at the batch, or "
                   "lower the rate") ||
               refused(step(p.trainer[i], 5, INFINITY, &l), CH_FAILED_PRECONDITION, "trainer: the norm"),
           i == 0 ? "a norm that is none, on the host" : "and on the device");
        ok(ch_trainer_steps(p.trainer[i]) == 4, "the gathered gradients are dropped");
    }
    ok(good && both_step(&p, 6, 4) && agree(p.model[0], p.trainer[0], p.model[1], p.trainer[1]),
       "it goes on as if nothing had been");
    ch_scope scope = ch_scope_begin();
    ch_tensor *x, *y, *wrong = ch_from_f32((float[]){1, 2, 3}, 1, (int64_t[]){3});
    batch(0, BATCH, 1, &x, &y);
    ok(ch_trainer_step(p.trainer[1], wrong, y, &l) != CH_OK && both_step(&p, 10, 2), "a batch that does not fit");
    (void)ch_scope_end(scope);
    end(&p);
}

// A device that fails in a step: the mock's, when this is the mock. What it had is gone, and comes back by being set.
static void lost(const char *file) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    void *symbol = library == NULL ? NULL : dlsym(library, "mock_plugin_state");
    if (symbol == NULL) return;
    mock_plugin_state_fn get;
    memcpy(&get, &symbol, sizeof get);
    char path[] = "/tmp/chaac-lost-XXXXXX";
    int fd = mkstemp(path);
    double l;
    pair p = begin(network, ch_adam(0.01), OPTIONS(0));
    bool good = fd >= 0 && both_step(&p, 0, 2) && ch_trainer_save(p.trainer[1], NULL, path) == CH_OK &&
                step(p.trainer[1], 2, 1, &l) == CH_OK;
    atomic_store(&get()->run_fails, 1);
    ok(good && step(p.trainer[1], 3, 1, &l) != CH_OK && ch_trainer_steps(p.trainer[1]) == 3, "a step that fails");
    atomic_store(&get()->run_fails, 0);
    ok(refused(step(p.trainer[1], 3, 1, &l), CH_FAILED_PRECONDITION,
               "session run: buffer used after donation: parameter 'dense0_weight' of 'step'"),
       "later ones say what was donated");
    ok(refused(ch_check(ch_model_param(p.model[1], 0)), CH_FAILED_PRECONDITION, "buffer used after donation"),
       "so does a parameter");
    ok(ch_save_safetensors(p.model[1], path) != CH_OK, "nothing old is saved for new");
    ok(ch_trainer_load(p.trainer[1], NULL, path) == CH_OK && both_step(&p, 2, 3) &&
           agree(p.model[0], p.trainer[0], p.model[1], p.trainer[1]),
       "a checkpoint brings it back");
    good = good && step(p.trainer[1], 5, 1, &l) == CH_OK;
    atomic_store(&get()->run_fails, 1);
    ok(step(p.trainer[1], 6, 1, &l) != CH_OK, "again");
    atomic_store(&get()->run_fails, 0);
    ch_trainer_destroy(p.trainer[1]);
    p.trainer[1] = NULL;
    ok(refused(
           ch_check(ch_model_param(p.model[1], 0)), CH_FAILED_PRECONDITION,
           "model: parameter \"dense0.weight\" could not be read from its device when its trainer let go of it — set "
           "it, or load a checkpoint"),
       "what a trainer could not leave behind is refused");
    ch_tensor *w = ch_init_tensor(CH_INIT_ZEROS, 1, ch_key_make(1), CH_F32, 2, (int64_t[]){IN, HIDDEN});
    ok(ch_model_set(p.model[1], 0, w) == CH_OK && ch_check(ch_model_param(p.model[1], 0)) == CH_OK, "until it is set");
    for (int i = 0; i < MOCK_KINDS; i++)
        if (atomic_load(&get()->live[i]) != 0 || atomic_load(&get()->misuses) != 0) good = false;
    ok(good, "nothing is alive on the device");
    end(&p);
    unlink(path);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    setenv("CHAAC_PJRT_PLUGIN_PATH", argv[1], 1);
    setenv("MOCK_PLUGIN", "name=trainer", 1);
    ch_scope scope = ch_scope_begin();
    what_trainers_offer();
    what_crosses();
    files();
    one_model();
    refusals();
    lost(argv[1]);
    if (ch_scope_end(scope) != CH_OK) abort();
    printf("1..%d\n", case_number);
    ch_thread_end();
    return failures != 0;
}
