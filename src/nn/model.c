// SPDX-License-Identifier: Apache-2.0
// model.c - models: ordered named parameters and a forward function; their files.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

ch_status ch_model_create(ch_forward_fn forward, void *user, void (*release)(void *user), ch_model **out_model) {
    if (forward == NULL) return ch_error_set("argument", "model: the forward function is NULL — give one");
    ch_model *m = ch_memory_alloc(sizeof *m);
    if (m == NULL) return ch_error_set("out_of_memory", "model: no memory");
    *m = (ch_model){.forward = forward, .user = user, .release = release};
    *out_model = m;
    return CH_OK;
}

void ch_model_destroy(ch_model *m) {
    if (m == NULL) return;
    if (m->holder != NULL) ch__trainer_leave_model(m->holder);
    for (int i = 0; i < m->n; i++) {
        ch_memory_free(m->params[i].name);
        ch_release(m->params[i].value);
    }
    ch_memory_free(m->params);
    if (m->release != NULL) m->release(m->user);
    ch_memory_free(m);
}

int ch_model_num_params(const ch_model *m) { return m->n; }
const char *ch_model_param_name(const ch_model *m, int i) { return i >= 0 && i < m->n ? m->params[i].name : NULL; }
ch_tensor *ch_model_param(const ch_model *m, int i) {
    if (i < 0 || i >= m->n) return NULL;
    if (m->holder != NULL && ch__trainer_fetch_param(m->holder, i) != CH_OK) return ch_error_tensor();
    if (!m->params[i].lost) return m->params[i].value;
    ch_error_set(m->params[i].lost == CH__LOST_MEMORY ? "out_of_memory" : "device_state",
                 "model: parameter \"%s\" could not be read from its device when its trainer let go of it — set it, or "
                 "load a checkpoint",
                 m->params[i].name);
    return ch_error_tensor();
}

// param is of the right type.
static void put_value(ch_model *m, int i, ch_tensor *param) {
    if (m->holder != NULL) ch__trainer_forget_param(m->holder, i);
    ch_release(m->params[i].value);
    m->params[i].value = param;
    m->params[i].lost = CH__LOST_NOT;
}

int64_t ch_model_num_elements(const ch_model *m) {
    int64_t n = 0;
    for (int i = 0; i < m->n; i++) n += ch_tensor_numel(m->params[i].value);
    return n;
}

int ch_model_find(const ch_model *m, const char *name) {
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->params[i].name, name) == 0) return i;
    return -1;
}

static ch_status grow_model(ch_model *m) {
    if (m->n < m->cap) return CH_OK;
    int cap = m->cap == 0 ? 8 : m->cap * 2;
    ch__param *p = ch_memory_alloc((size_t)cap * sizeof *p);
    if (p == NULL) return ch_error_set("out_of_memory", "model: no memory for parameter %d", m->n);
    if (m->n > 0) memcpy(p, m->params, (size_t)m->n * sizeof *p);
    ch_memory_free(m->params);
    m->params = p;
    m->cap = cap;
    return CH_OK;
}

static ch_status add(ch_model *m, const char *name, ch_tensor *param, int buffer) {
    if (name == NULL || name[0] == '\0')
        return ch_error_set("argument", "model: a parameter without a name — give it one");
    if (ch_model_find(m, name) >= 0)
        return ch_error_set("duplicate_name", "model: parameter \"%s\" is there already — names are distinct", name);
    CH_TRY(ch_realize(param));
    CH_TRY(grow_model(m));
    char *copy = ch_memory_alloc(strlen(name) + 1);
    if (copy == NULL) return ch_error_set("out_of_memory", "model: no memory for parameter \"%s\"", name);
    strcpy(copy, name);
    m->params[m->n++] = (ch__param){.name = copy, .value = param, .buffer = buffer};
    return CH_OK;
}

static ch_status current_status(void);

static ch_status add_or_release(ch_model *m, const char *name, ch_tensor *param, int buffer) {
    if (param == NULL) return current_status();
    ch_status s = add(m, name, param, buffer);
    if (s != CH_OK) ch_release(param);
    return s;
}
ch_status ch_model_add(ch_model *m, const char *name, ch_tensor *param) { return add_or_release(m, name, param, 0); }
ch_status ch_model_add_buffer(ch_model *m, const char *name, ch_tensor *value) {
    return add_or_release(m, name, value, 1);
}
int ch_model_is_buffer(const ch_model *m, int i) { return i >= 0 && i < m->n && m->params[i].buffer; }
void ch_model_set_training(ch_model *m, ch_training_fn training) { m->training = training; }

// The status of the thread's error, for a NULL that an initializer gave.
static ch_status current_status(void) {
    char message[2048];
    snprintf(message, sizeof message, "%s", ch_error_message());
    if (message[0] == '\0') return ch_error_set("argument", "model: the parameter is NULL — give a tensor");
    return ch_error_set(ch_error_id(), "%s", message);
}

static ch_status same_type(const char *what, const char *name, const ch_tensor *have, const ch_tensor *given) {
    char a[256], b[256];
    int rank = ch_tensor_rank(have);
    int same = rank >= 0 && rank == ch_tensor_rank(given) && ch_tensor_dtype(have) == ch_tensor_dtype(given);
    for (int i = 0; i < rank && same; i++) {
        int64_t n = ch_tensor_dim(have, i);
        same = n >= 0 && n == ch_tensor_dim(given, i);
    }
    if (same) return CH_OK;
    ch_tensor_type(have, a, sizeof a);
    ch_tensor_type(given, b, sizeof b);
    if (strcmp(a, b) == 0) return CH_OK;
    return ch_error_set("shape_mismatch", "%s: parameter \"%s\" is %s — %s was given", what, name, a, b);
}

ch_status ch_model_set(ch_model *m, int i, ch_tensor *param) {
    if (i < 0 || i >= m->n) return ch_error_set("argument", "model_set: parameter %d — the model has %d", i, m->n);
    CH_TRY(ch_realize(param));
    CH_TRY(same_type("model_set", m->params[i].name, m->params[i].value, param));
    put_value(m, i, param);
    return CH_OK;
}

ch_tensor *ch_model_forward_with(const ch_model *m, ch_tensor *const *params, ch_tensor *x) {
    return m->forward(m->user, params, x);
}

ch_tensor *ch_model_forward(const ch_model *m, ch_tensor *x) {
    ch_tensor **params = ch_memory_alloc((size_t)(m->n + 1) * sizeof *params);
    if (params == NULL) {
        ch_error_set("out_of_memory", "model: no memory");
        return ch_error_tensor();
    }
    for (int i = 0; i < m->n; i++) params[i] = ch_model_param(m, i);
    ch_tensor *y = m->forward(m->user, params, x);
    ch_memory_free(params);
    return y;
}

// ---- files
ch_status ch_save_safetensors(const ch_model *m, const char *path) {
    if (m == NULL) return ch_error_set("argument", "save_safetensors: the model is NULL — give one");
    const char **names = ch_memory_alloc((size_t)(m->n + 1) * sizeof *names);
    ch_tensor **values = ch_memory_alloc((size_t)(m->n + 1) * sizeof *values);
    ch_status s = names == NULL || values == NULL ? ch_error_set("out_of_memory", "save: no memory") : CH_OK;
    for (int i = 0; s == CH_OK && i < m->n; i++) {
        names[i] = m->params[i].name;
        values[i] = ch_model_param(m, i);
        s = ch_check(values[i]);
    }
    if (s == CH_OK)
        s = ch_safetensors_save(path, m->n, names, values, 1, (const char *[]){"format"}, (const char *[]){"pt"});
    ch_memory_free(names);
    ch_memory_free(values);
    return s;
}

static void note(char *text, size_t cap, const char *what, const char *name) {
    size_t used = strlen(text);
    snprintf(text + used, cap - used, "%s%s %s", used > 0 ? ", " : "", what, name);
}

static ch_status check_names(const ch_model *m, const char *path, ch_safetensors *f) {
    char text[768] = "";
    for (int i = 0; i < m->n; i++)
        if (ch_safetensors_find(f, m->params[i].name) < 0) note(text, sizeof text, "missing", m->params[i].name);
    for (int i = 0; i < ch_safetensors_count(f); i++)
        if (ch_model_find(m, ch_safetensors_name(f, i)) < 0)
            note(text, sizeof text, "extra", ch_safetensors_name(f, i));
    return text[0] == '\0' ? CH_OK : ch_error_set("no_param", "load: %s does not fit the model — %s", path, text);
}

// All tensors are read and checked before the first parameter changes.
static ch_status load(ch_model *m, const char *path, ch_safetensors *f, ch_tensor **read) {
    CH_TRY(check_names(m, path, f));
    for (int i = 0; i < m->n; i++) {
        CH_TRY(ch_safetensors_read(f, m->params[i].name, &read[i]));
        CH_TRY(same_type("load", m->params[i].name, m->params[i].value, read[i]));
    }
    for (int i = 0; i < m->n; i++) {
        put_value(m, i, read[i]);
        read[i] = NULL;
    }
    return CH_OK;
}

ch_status ch_load_safetensors(ch_model *m, const char *path) {
    if (m == NULL) return ch_error_set("argument", "load_safetensors: the model is NULL — give one");
    ch_safetensors *f = NULL;
    CH_TRY(ch_safetensors_open(path, &f));
    ch_tensor **read = ch_memory_alloc((size_t)(m->n + 1) * sizeof *read);
    ch_status s = read == NULL ? ch_error_set("out_of_memory", "load: no memory") : load(m, path, f, read);
    for (int i = 0; read != NULL && i < m->n; i++) ch_release(read[i]);
    ch_memory_free(read);
    ch_safetensors_close(f);
    return s;
}
