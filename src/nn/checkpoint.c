// SPDX-License-Identifier: Apache-2.0
// checkpoint.c - trainers in checkpoints: what is put in, and how it is taken back whole or not at all.
//
//     model/NAME       parameters and buffers        optimizer/NAME.SLOT   the trainer's state
//     data/order       the rows of this epoch        texts: "trainer.optimizer", "trainer.steps", "data.epoch", ...
//
// Loading first looks at everything and reads everything; then it puts in place what cannot fail any more.

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

static ch_status no_checkpoint_memory(void) { return ch_error_set("out_of_memory", "trainer_load: no memory"); }

// ---- saving
static ch_status put_all(const ch_trainer *t, const ch_batches *b, ch_checkpoint *c) {
    const ch_model *m = t->model;
    const ch_key key = t->o.key;
    for (int i = 0; i < m->n; i++) CH_TRY(ch_checkpoint_put(c, "model", m->params[i].name, ch_model_param(m, i)));
    for (int i = 0; ch_trainer_state_name(t, i) != NULL; i++)
        CH_TRY(ch_checkpoint_put(c, "optimizer", ch_trainer_state_name(t, i), ch_trainer_state(t, i)));
    CH_TRY(ch_checkpoint_put_text(c, "trainer.optimizer", ch_optimizer_name(&t->optimizer)));
    CH_TRY(ch_checkpoint_put_i64(c, "trainer.steps", ch_trainer_steps(t)));
    CH_TRY(ch_checkpoint_put_i64(c, "trainer.key", (int64_t)((uint64_t)key.word[0] << 32 | key.word[1])));
    return b == NULL ? CH_OK : ch__batches_put(b, c);
}

ch_status ch_trainer_save(const ch_trainer *t, const ch_batches *b, const char *path) {
    if (t == NULL) return ch_error_set("argument", "trainer_save: the trainer is NULL — give one");
    ch_checkpoint *c = NULL;
    CH_TRY(ch_checkpoint_create(&c));
    ch_scope scope = ch_scope_begin();
    ch_status s = put_all(t, b, c);
    if (s == CH_OK) s = ch_checkpoint_save(c, path);
    ch_checkpoint_close(c);
    (void)ch_scope_end(scope);
    return s;
}

// ---- loading
struct loading {
    ch_trainer *t;
    ch_checkpoint *c;
    int n_params, n_state;
    const char **names;          // of the larger of both
    ch_tensor **like;            // ... and what they are now
    ch_tensor **params, **state; // read
};

static ch_status check_trainer(const struct loading *l, int64_t *steps, int64_t *key) {
    const char *was = ch_checkpoint_text(l->c, "trainer.optimizer"), *is = ch_optimizer_name(&l->t->optimizer);
    if (was == NULL)
        return ch_error_set("file_format",
                            "trainer_load: the checkpoint has no \"trainer.optimizer\" — it is none of a "
                            "trainer");
    if (strcmp(was, is) != 0)
        return ch_error_set("argument",
                            "trainer_load: the checkpoint is of optimizer \"%s\", the trainer has \"%s\" — "
                            "make it as it was",
                            was, is);
    CH_TRY(ch_checkpoint_get_i64(l->c, "trainer.steps", steps));
    CH_TRY(ch_checkpoint_get_i64(l->c, "trainer.key", key));
    return *steps >= 0 ? CH_OK : ch_error_set("file_format", "trainer_load: %" PRId64 " steps", *steps);
}

// Both parts are looked at, and one sentence says what does not fit in either.
static ch_status check_parts(const struct loading *l) {
    const ch_model *m = l->t->model;
    char first[1400] = "", id[64] = "";
    for (int i = 0; i < l->n_params; i++) {
        l->names[i] = m->params[i].name;
        l->like[i] = m->params[i].value;
    }
    ch_status model = ch_checkpoint_match(l->c, "model", l->n_params, l->names, l->like);
    if (model != CH_OK) {
        snprintf(first, sizeof first, "%s", ch_error_message());
        snprintf(id, sizeof id, "%s", ch_error_id());
    }
    for (int i = 0; i < l->n_state; i++) {
        l->names[i] = ch_trainer_state_name(l->t, i);
        l->like[i] = l->t->state[i];
    }
    ch_status state = ch_checkpoint_match(l->c, "optimizer", l->n_state, l->names, l->like);
    if (model == CH_OK) return state;
    if (state == CH_OK || strcmp(id, "no_param") != 0) return ch_error_set(id, "%s", first);
    return ch_error_set(id, "%s; and %s", first, ch_error_message());
}

static ch_status read_all(struct loading *l) {
    for (int i = 0; i < l->n_params; i++)
        CH_TRY(ch_checkpoint_get(l->c, "model", l->t->model->params[i].name, &l->params[i]));
    for (int i = 0; i < l->n_state; i++)
        CH_TRY(ch_checkpoint_get(l->c, "optimizer", ch_trainer_state_name(l->t, i), &l->state[i]));
    return CH_OK;
}

// The types are right: this only changes pointers.
static ch_status place_all(struct loading *l) {
    for (int i = 0; i < l->n_params; i++) {
        CH_TRY(ch_model_set(l->t->model, i, l->params[i]));
        l->params[i] = NULL;
    }
    for (int i = 0; i < l->n_state; i++) {
        CH_TRY(ch_trainer_set_state(l->t, i, l->state[i]));
        l->state[i] = NULL;
    }
    return CH_OK;
}

static ch_status load_all(struct loading *l, ch_batches *b) {
    int64_t steps = 0, key = 0;
    CH_TRY(check_trainer(l, &steps, &key));
    CH_TRY(check_parts(l));
    if (b != NULL) CH_TRY(ch__batches_get(b, l->c, 0));
    CH_TRY(read_all(l));
    if (b != NULL) CH_TRY(ch__batches_get(b, l->c, 1));
    CH_TRY(place_all(l));
    l->t->o.key = (ch_key){{(uint32_t)((uint64_t)key >> 32), (uint32_t)key}};
    return ch_trainer_set_steps(l->t, steps);
}

ch_status ch_trainer_load(ch_trainer *t, ch_batches *b, const char *path) {
    if (t == NULL) return ch_error_set("argument", "trainer_load: the trainer is NULL — give one");
    struct loading l = {.t = t, .n_params = t->model->n, .n_state = t->n_state};
    size_t most = (size_t)(l.n_params > l.n_state ? l.n_params : l.n_state) + 1;
    CH_TRY(ch_checkpoint_open(path, &l.c));
    l.names = ch_memory_alloc(most * sizeof *l.names);
    l.like = ch_memory_alloc(most * sizeof *l.like);
    l.params = ch_memory_alloc((size_t)(l.n_params + 1) * sizeof *l.params);
    l.state = ch_memory_alloc((size_t)(l.n_state + 1) * sizeof *l.state);
    ch_scope scope = ch_scope_begin();
    bool room = l.names != NULL && l.like != NULL && l.params != NULL && l.state != NULL;
    ch_status s = room ? load_all(&l, b) : no_checkpoint_memory();
    (void)ch_scope_end(scope);
    for (int i = 0; l.params != NULL && i < l.n_params; i++) ch_release(l.params[i]);
    for (int i = 0; l.state != NULL && i < l.n_state; i++) ch_release(l.state[i]);
    ch_memory_free(l.names);
    ch_memory_free(l.like);
    ch_memory_free(l.params);
    ch_memory_free(l.state);
    ch_checkpoint_close(l.c);
    return s;
}
