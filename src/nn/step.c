// SPDX-License-Identifier: Apache-2.0
// step.c - a captured training step: the loss of a model as a func, and its gradient.

#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

struct ch_step {
    ch_func *primal, *gradient;
    ch_exec *exec;
    int n_in, n_params, n_grads;
    char **names; // every parameter's key
    char **types;
    int *grads; // parameter of each gradient
};

struct captured_body {
    const ch_model *m;
    ch_model_loss_fn loss;
    void *user;
    int n_in;
};

static ch_status build_step(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    struct captured_body *b = user;
    (void)n, (void)n_out;
    out[0] = b->loss(b->user, b->m, in + b->n_in, b->n_in, in);
    return CH_OK;
}

static char *copy(const char *s) {
    char *p = ch_memory_alloc(strlen(s) + 1);
    if (p != NULL) strcpy(p, s);
    return p;
}

// Inputs of the user's signature: names up to a colon at depth 0 of brackets.
static int count_inputs(const char *signature) {
    int n = 0, depth = 0;
    for (const char *p = signature; *p != '\0'; p++) {
        depth += (*p == '[' || *p == '<') - (*p == ']' || *p == '>');
        n += *p == ':' && depth == 0;
    }
    return n;
}

static ch_status remember(ch_step *s, const ch_model *m, const unsigned char *marks) {
    s->n_params = ch_model_num_params(m);
    s->names = ch_memory_alloc((size_t)(s->n_params + 1) * sizeof *s->names);
    s->types = ch_memory_alloc((size_t)(s->n_params + 1) * sizeof *s->types);
    s->grads = ch_memory_alloc((size_t)(s->n_params + 1) * sizeof *s->grads);
    if (s->names == NULL || s->types == NULL || s->grads == NULL)
        return ch_error_set("out_of_memory", "step: no memory");
    for (int i = 0; i < s->n_params; i++) {
        char type[512];
        ch_tensor_type(ch_model_param(m, i), type, sizeof type);
        s->names[i] = copy(ch_model_param_name(m, i));
        s->types[i] = copy(type);
        if (s->names[i] == NULL || s->types[i] == NULL) return ch_error_set("out_of_memory", "step: no memory");
        if (marks[i]) s->grads[s->n_grads++] = i;
    }
    return CH_OK;
}

static ch_status capture_loss(ch_step *s, const ch_model *m, const char *signature, const char *frozen,
                              ch_model_loss_fn loss, void *user, unsigned char *marks, char **wrt) {
    CH_TRY(ch__wrt_names(m, frozen, marks, wrt));
    CH_TRY(remember(s, m, marks));
    ch__signature text = {0};
    ch__signature_put(&text, signature);
    for (int i = 0; i < s->n_params; i++) ch__signature_add(&text, ch_model_param_name(m, i), ch_model_param(m, i), 0);
    struct captured_body b = {m, loss, user, s->n_in};
    ch_capture_options o = {.struct_size = sizeof o, .name = "loss", .result_names = (const char *[]){"loss"}};
    ch_status status = text.failed ? ch_error_set("out_of_memory", "step: no memory")
                                   : ch_capture_with(&o, build_step, &b, text.text, 1, &s->primal);
    ch__signature_finish(&text);
    CH_TRY(status);
    return ch_value_and_grad(s->primal, *wrt, &s->gradient);
}

ch_status ch_step_capture(const ch_model *m, const char *signature, const char *frozen, ch_model_loss_fn loss,
                          void *user, ch_step **out_step) {
    if (m == NULL || signature == NULL || loss == NULL)
        return ch_error_set("argument", "step_capture: model, signature and loss are all needed — one is NULL");
    ch_step *s = ch_memory_alloc(sizeof *s);
    unsigned char *marks = ch_memory_alloc((size_t)ch_model_num_params(m) + 1);
    char *wrt = NULL;
    ch_status status = CH_OK;
    if (s == NULL || marks == NULL) status = ch_error_set("out_of_memory", "step: no memory");
    if (status == CH_OK) {
        s->n_in = count_inputs(signature);
        status = capture_loss(s, m, signature, frozen, loss, user, marks, &wrt);
    }
    ch_memory_free(marks);
    ch_memory_free(wrt);
    if (status == CH_OK)
        *out_step = s;
    else
        ch_step_destroy(s);
    return status;
}

void ch_step_destroy(ch_step *s) {
    if (s == NULL) return;
    for (int i = 0; i < s->n_params; i++) {
        if (s->names != NULL) ch_memory_free(s->names[i]);
        if (s->types != NULL) ch_memory_free(s->types[i]);
    }
    ch_memory_free(s->names);
    ch_memory_free(s->types);
    ch_memory_free(s->grads);
    ch_exec_release(s->exec);
    ch_func_destroy(s->primal);
    ch_func_destroy(s->gradient);
    ch_memory_free(s);
}

const ch_func *ch_step_primal(const ch_step *s) { return s->primal; }
const ch_func *ch_step_gradient(const ch_step *s) { return s->gradient; }
int ch_step_num_grads(const ch_step *s) { return s->n_grads; }
const char *ch_step_grad_name(const ch_step *s, int i) {
    return i >= 0 && i < s->n_grads ? s->names[s->grads[i]] : NULL;
}

const char *ch__step_param_name(const ch_step *s, int i) { return s->names[i]; }
int ch__step_grad_param(const ch_step *s, int k) { return s->grads[k]; }

ch_status ch__step_fits(const char *where, const ch_step *s, const ch_model *m) {
    for (int i = 0; i < s->n_params; i++) {
        int at = ch_model_find(m, s->names[i]);
        if (at < 0)
            return ch_error_set("no_param", "%s: the model has no parameter \"%s\" — the captured one had", where,
                                s->names[i]);
        char type[512];
        ch_tensor_type(ch_model_param(m, at), type, sizeof type);
        if (strcmp(type, s->types[i]) != 0)
            return ch_error_set("shape_mismatch", "%s: parameter \"%s\" is %s — it was captured as %s", where,
                                s->names[i], type, s->types[i]);
    }
    if (ch_model_num_params(m) != s->n_params)
        return ch_error_set("no_param", "%s: the model has %d parameters — %d were captured", where,
                            ch_model_num_params(m), s->n_params);
    return CH_OK;
}

static ch_status gather(const ch_step *s, const ch_model *m, ch_tensor *const *in, ch_tensor **all) {
    CH_TRY(ch__step_fits("step_run", s, m));
    for (int i = 0; i < s->n_in; i++) all[i] = in[i];
    for (int i = 0; i < s->n_params; i++) all[s->n_in + i] = ch_model_param(m, ch_model_find(m, s->names[i]));
    return CH_OK;
}

static ch_status run(ch_step *s, const ch_model *m, ch_tensor *const *in, ch_tensor **all, ch_tensor **out) {
    const ch_compile_options options = {.struct_size = sizeof options, .compiled_first = 1};
    CH_TRY(gather(s, m, in, all));
    if (s->exec == NULL) CH_TRY(ch_compile(s->gradient, NULL, &options, &s->exec));
    return ch_exec_run(s->exec, s->n_in + s->n_params, all, 1 + s->n_grads, out);
}

ch_status ch_step_run(ch_step *s, const ch_model *m, ch_tensor *const *in, double *out_loss, ch_tensor **out_grads) {
    ch_tensor **all = ch_memory_alloc((size_t)(s->n_in + s->n_params + 1) * sizeof *all);
    ch_tensor **out = ch_memory_alloc((size_t)(s->n_grads + 1) * sizeof *out);
    ch_status status = all == NULL || out == NULL ? ch_error_set("out_of_memory", "step_run: no memory") : CH_OK;
    for (int i = 0; status == CH_OK && out_grads != NULL && i < s->n_grads; i++) out[1 + i] = out_grads[i];
    if (status == CH_OK) status = run(s, m, in, all, out);
    if (status == CH_OK && out_loss != NULL) status = ch_item(out[0], out_loss);
    if (out != NULL) ch_release(out[0]);
    for (int i = 0; out != NULL && i < s->n_grads; i++) {
        if (status == CH_OK && out_grads != NULL)
            out_grads[i] = out[1 + i];
        else if (out_grads == NULL || out_grads[i] != out[1 + i])
            ch_release(out[1 + i]);
    }
    ch_memory_free(all);
    ch_memory_free(out);
    return status;
}
