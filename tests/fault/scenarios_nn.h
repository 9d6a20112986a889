// SPDX-License-Identifier: Apache-2.0
// scenarios_nn.h - the scenarios of nn.h, layers.h and optim.h, for fault.c, which has what they use.
#ifndef CHAAC_FAULT_SCENARIOS_NN_H
#define CHAAC_FAULT_SCENARIOS_NN_H

// ---------------------------------------------------------------- nn
static ch_status init(void) {
    ch_tensor *t = ch_init_tensor(CH_INIT_GLOROT_UNIFORM, 1, ch_key_make(1), CH_F32, 2, d23);
    const ch_status s = t ? CH_OK : CH_RESOURCE_EXHAUSTED;
    ch_release(t);
    return s;
}

static ch_status init_conv(void) {
    ch_tensor *t = ch_init_conv(CH_INIT_ORTHOGONAL, 1, ch_key_make(1), CH_F32, 4, d1122);
    const ch_status s = t ? CH_OK : CH_RESOURCE_EXHAUSTED;
    ch_release(t);
    return s;
}

static ch_tensor *forward_id(void *user, ch_tensor *const *params, ch_tensor *x) {
    (void)user;
    return ch_dot(x, params[0]);
}

static ch_status model(void) {
    ch_model *m = NULL;
    CH_TRY(ch_model_create(forward_id, NULL, NULL, &m));
    ch_tensor *p = ch_init_tensor(CH_INIT_ONES, 1, ch_key_make(1), CH_F32, 2, d32);
    ch_status s = ch_model_add(m, "w", p); // takes p over in any case
    if (s == CH_OK) s = ch_realize(ch_model_forward(m, x23()));
    if (s == CH_OK) s = ch_realize(ch_model_forward_with(m, (ch_tensor *[]){ch_model_param(m, 0)}, x23()));
    if (s == CH_OK) {
        p = ch_init_tensor(CH_INIT_ZEROS, 1, ch_key_make(1), CH_F32, 2, d32);
        s = p ? ch_model_set(m, 0, p) : CH_RESOURCE_EXHAUSTED;
        if (s != CH_OK) ch_release(p);
    }
    if (s == CH_OK) s = ch_save_safetensors(m, st_path);
    if (s == CH_OK) s = ch_load_safetensors(m, st_path);
    ch_model_destroy(m);
    return s;
}

static ch_model *small(void) { return ch_mlp((const int64_t[]){3, 4, 2}, 3, CH_RELU, ch_key_make(7)); }

static ch_status trainer(ch_optimizer o) {
    ch_trainer *t = NULL;
    ch_tensor *out = NULL;
    double loss = 0;
    ch_model *m = small();
    ch_status s = m ? CH_OK : CH_RESOURCE_EXHAUSTED;
    if (s == CH_OK) s = ch_trainer_create(m, ch_softmax_cross_entropy, o, "interp", &t);
    if (s == CH_OK) s = ch_trainer_step(t, x23(), i2(), &loss);
    if (s == CH_OK) s = ch_trainer_predict(t, x23(), &out);
    ch_release(out);
    ch_trainer_destroy(t);
    ch_model_destroy(m);
    return s;
}
static ch_status trainer_adam(void) { return trainer(ch_adam(1e-3)); }
static ch_status trainer_sgd(void) { return trainer(ch_sgd_momentum(0.1, 0.9)); }

// A model with a buffer and dropout; everything a trainer can do at once, checkpointed by hand.
static ch_tensor *train_forward(void *user, ch_tensor *const *p, ch_tensor *x, ch_tensor *key, ch_tensor **buffers) {
    (void)user;
    buffers[0] = ch_add(p[1], ch_scalar(CH_F32, 1));
    return ch_dropout(ch_dot(x, p[0]), key, 0.5);
}
static ch_status trainer_options(void) {
    const ch_schedule schedule = ch_schedule_cosine(10, 0);
    const ch_param_group group = {"w", 0.5, 0};
    const ch_trainer_options o = {.struct_size = sizeof o,
                                  .n_groups = 1,
                                  .groups = &group,
                                  .schedule = &schedule,
                                  .clip_norm = 1,
                                  .accumulate = 2,
                                  .average = 0.9,
                                  .frozen = "b*"};
    ch_model *m = NULL;
    ch_trainer *t = NULL;
    CH_TRY(ch_model_create(forward_id, NULL, NULL, &m));
    ch_model_set_training(m, train_forward);
    ch_status s = ch_model_add(m, "w", ch_init_tensor(CH_INIT_ONES, 1, ch_key_make(1), CH_F32, 2, d32));
    if (s == CH_OK) s = ch_model_add_buffer(m, "b", ch_init_tensor(CH_INIT_ZEROS, 1, ch_key_make(1), CH_F32, 1, d2));
    if (s == CH_OK) s = ch_trainer_create_with(m, ch_softmax_cross_entropy, ch_adam(0.1), &o, &t);
    for (int i = 0; s == CH_OK && i < 2; i++) s = ch_trainer_step(t, x23(), i2(), NULL);
    if (s == CH_OK) s = ch_trainer_swap_averages(t);
    if (s == CH_OK) s = ch_trainer_set_steps(t, 4);
    if (s == CH_OK) {
        ch_tensor *p = ch_init_tensor(CH_INIT_ZEROS, 1, ch_key_make(1), CH_F32, 2, d32);
        s = p ? ch_trainer_set_state(t, 0, p) : CH_RESOURCE_EXHAUSTED;
        if (s != CH_OK) ch_release(p);
    }
    ch_trainer_destroy(t);
    ch_model_destroy(m);
    return s;
}

static ch_status optimizer(void) {
    const ch_optimizer o = ch_sgd(0.1);
    ch_tensor *p = x23(), *g = x23(), *out = NULL;
    ch_optimizer_update(&o, ch_from_f64(&(const double){1}, 0, NULL), 1, &p, &g, NULL, &out, NULL);
    return ch_realize(out);
}

// Every optimizer's update of one parameter, with a rate from outside, clipped before and averaged after.
static ch_status optimizers(void) {
    const ch_optimizer all[] = {ch_sgd_nesterov(0.1, 0.9),
                                ch_adamw(0.1, 0.1),
                                ch_rmsprop(0.1),
                                ch_adagrad(0.1),
                                ch_adadelta(1),
                                ch_adamax(0.1),
                                ch_nadam(0.1),
                                ch_radam(0.1),
                                ch_lion(0.1, 0.1),
                                ch_lamb(0.1, 0.1)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ch_tensor *p = x23(), *g = x23(), *slots[3] = {NULL}, *out[4] = {NULL}, *clipped, *norm;
        const int k = ch_optimizer_num_slots(&all[i]);
        ch_clip_norm(1, &g, 2, 1, &clipped, &norm);
        ch_clip_value(1, &clipped, 0.5, &g);
        for (int j = 0; j < k; j++) slots[j] = ch_optimizer_slot(&all[i], j, p);
        const ch_update_options o = {.struct_size = sizeof o, .rate = ch_scalar(CH_F64, 0.1)};
        ch_optimizer_update_with(&all[i], &o, ch_scalar(CH_F64, 1), 1, &p, &g, slots, &out[0], &out[1]);
        ch_ema(0.9, 1, &p, &out[0], &g);
        CH_TRY(ch_realize_all(1 + k, out));
        CH_TRY(realized(g));
    }
    return CH_OK;
}

static ch_status batches(void) {
    ch_batches *b = NULL;
    ch_tensor *x = x23(), *y = i2(), *bx = NULL, *by = NULL;
    CH_TRY(ch_batches_create(x, y, 1, ch_key_make(1), &b));
    ch_status s = ch_batches_set_order(b, (const int64_t[]){1, 0}, 2);
    if (s == CH_OK && ch_batch_next(b, &bx, &by) == 1) {
        s = ch_realize(bx);
        if (s == CH_OK) s = ch_realize(by);
        if (s == CH_OK) s = ch_batches_back(b);
        if (s == CH_OK && ch_batch_next(b, &bx, &by) == 1) s = ch_realize(bx);
    }
    ch_batches_destroy(b);
    return s;
}

static ch_tensor *step_loss(void *user, const ch_model *m, ch_tensor *const *params, int n_in, ch_tensor *const *in) {
    (void)user, (void)n_in;
    return ch_cross_entropy(ch_model_forward_with(m, params, in[0]), in[1]);
}

static ch_status step(void) {
    ch_step *st = NULL;
    double loss = 0;
    ch_tensor *grads[4] = {NULL};
    ch_model *m = small();
    ch_status s = m ? CH_OK : CH_RESOURCE_EXHAUSTED;
    if (s == CH_OK) s = ch_step_capture(m, "x: f32[n,3], y: i32[n]", NULL, step_loss, NULL, &st);
    if (s == CH_OK) s = ch_step_run(st, m, (ch_tensor *[]){x23(), i2()}, &loss, grads);
    for (int i = 0; i < 4; i++) ch_release(grads[i]);
    ch_step_destroy(st);
    ch_model_destroy(m);
    return s;
}

// ---- layers and losses: values and, where it matters, gradients
static ch_tensor *x4(void) {
    return ch_reshape(ch_iota(CH_F32, 1, (const int64_t[]){16}, 0), 4, (const int64_t[]){1, 2, 2, 4});
}
static ch_tensor *w4(void) { return ch_ones(CH_F32, 4, (const int64_t[]){2, 2, 2, 2}); }
static ch_tensor *v2(void) { return ch_ones(CH_F32, 1, d2); }

static ch_status convolutions(void) {
    const ch_conv_layer o = {.struct_size = sizeof o, .pad = {{1, 0}, {1, 1}}, .mode = CH_PAD_CIRCULAR},
                        t = {.struct_size = sizeof t, .stride = {2, 1}};
    ch_tensor *x = x4(), *y = ch_conv2d(x, w4(), v2(), &o);
    CH_TRY(ch_realize(ch_grad(ch_sum_all(y), x)));
    CH_TRY(ch_realize(ch_conv_transpose(x4(), w4(), NULL, &t)));
    return ch_realize(ch_conv1d(ch_merge_axes(x4(), 2, 2), ch_merge_axes(w4(), 2, 2), NULL, NULL));
}

static ch_status pools(void) {
    const ch_pool_layer o = {.struct_size = sizeof o, .window = {2, 2}, .pad = {{1, 0}, {0, 1}}};
    CH_TRY(ch_realize(ch_pool_max(x4(), 2, &o)));
    CH_TRY(ch_realize(ch_pool_avg(x4(), 2, &o)));
    CH_TRY(ch_realize(ch_adaptive_avg_pool(x4(), 1, (const int64_t[]){3})));
    return ch_realize(ch_adaptive_max_pool(x4(), 1, (const int64_t[]){3}));
}

static ch_status norms(void) {
    ch_tensor *out[3];
    ch_batch_norm_train(x4(), v2(), v2(), v2(), v2(), 0.1, 1e-5, out);
    CH_TRY(ch_realize_all(3, out));
    CH_TRY(ch_realize(ch_batch_norm(x4(), v2(), v2(), v2(), v2(), 1e-5)));
    CH_TRY(ch_realize(ch_group_norm(x4(), 2, v2(), v2(), 1e-5)));
    CH_TRY(ch_realize(ch_dropout(x4(), ch_key_tensor(ch_key_make(1)), 0.5)));
    return ch_realize(ch_embedding(x23(), i2(), 1));
}

static ch_status recurrences(void) {
    ch_tensor *x = ch_ones(CH_F32, 3, (const int64_t[]){1, 2, 3}), *out[3];
    const int64_t d12[2] = {3, 6}, d16[2] = {2, 6}, d18[2] = {3, 8}, d28[2] = {2, 8};
    const ch_recurrent_weights g = {.w_in = ch_ones(CH_F32, 2, d12), .w_hid = ch_ones(CH_F32, 2, d16)},
                               l = {.w_in = ch_ones(CH_F32, 2, d18), .w_hid = ch_ones(CH_F32, 2, d28)};
    ch_gru(x, NULL, &g, NULL, out);
    CH_TRY(ch_realize(ch_grad(ch_sum_all(out[0]), g.w_in)));
    ch_lstm(x, NULL, NULL, &l, NULL, out);
    return ch_realize_all(3, out);
}

static ch_status attentions(void) {
    ch_tensor *x = ch_ones(CH_F32, 3, (const int64_t[]){1, 2, 4}), *w = ch_ones(CH_F32, 2, (const int64_t[]){4, 4}),
              *gain = ch_ones(CH_F32, 1, (const int64_t[]){4});
    const ch_attention_layer o = {.struct_size = sizeof o, .heads = 2, .causal = 1, .rope_base = 100};
    const ch_block_weights b = {.norm1 = gain,
                                .norm2 = gain,
                                .attention = {w, w, w, w, NULL, NULL, NULL, NULL, NULL, NULL},
                                .w_gate = w,
                                .w_up = w,
                                .w_down = w};
    const ch_block_layer block = {.struct_size = sizeof block, .attention = o};
    CH_TRY(ch_realize(ch_multi_head_attention(x, NULL, NULL, NULL, &b.attention, &o)));
    CH_TRY(ch_realize(ch_transformer_block(x, NULL, NULL, &b, &block)));
    CH_TRY(ch_realize(ch_attention(x4(), x4(), x4(), NULL, NULL)));
    CH_TRY(ch_realize(ch_swiglu(x23(), x23())));
    CH_TRY(ch_realize(ch_rope(x4(), NULL, 100, 1)));
    return ch_realize(ch_swiglu_mlp(x, w, w, w));
}

static ch_status losses(void) {
    const ch_cross_entropy_options o = {.struct_size = sizeof o, .smoothing = 0.1, .ignore = 1, .has_ignore = 1};
    CH_TRY(ch_realize(ch_cross_entropy_with(x23(), i2(), &o)));
    CH_TRY(ch_realize(ch_nll(x23(), i2(), NULL)));
    CH_TRY(ch_realize(ch_kl_divergence(x23(), ch_softmax(x23(), -1), CH_MEAN)));
    CH_TRY(ch_realize(ch_squared_error(x23(), x23(), CH_SUM)));
    CH_TRY(ch_realize(ch_huber(x23(), ch_neg(x23()), 1, CH_NONE)));
    CH_TRY(ch_realize(ch_bce(ch_sigmoid(x23()), ch_sigmoid(x23()), CH_MEAN)));
    return ch_realize(ch_bce_logits(x23(), ch_sigmoid(x23()), CH_MEAN));
}

static ch_status systems(void) {
    CH_TRY(ch_realize(ch_solve(x22(), x23())));
    CH_TRY(ch_realize(ch_solve_spd(x22(), x23())));
    CH_TRY(ch_realize(ch_inv(x22())));
    CH_TRY(ch_realize(ch_det(x22())));
    CH_TRY(ch_realize(ch_logdet(x22())));
    return ch_realize(ch_norm(x23(), 0, NULL, 2));
}

static ch_status caches(void) {
    ch_tensor *pages = ch_reshape(x4(), 4, (const int64_t[]){2, 2, 1, 4});
    CH_TRY(ch_realize(ch_kv_cache_write(x23(), ch_slice_axis(x23(), 0, 0, 1), ch_scalar(CH_I32, 1))));
    CH_TRY(ch_realize(
        ch_dequantize(ch_convert(x23(), CH_I8), ch_ones(CH_F32, 2, (const int64_t[]){2, 1}), NULL, 3, CH_F32)));
    return ch_realize(ch_paged_attention(ch_reshape(x4(), 3, (const int64_t[]){2, 2, 4}), pages, pages,
                                         ch_expand_dims(i2(), 1), i2()));
}

// clang-format off
#define NN_SCENARIOS \
    {"init", init}, \
    {"init_conv", init_conv}, \
    {"model", model}, \
    {"trainer with Adam", trainer_adam}, \
    {"trainer with SGD", trainer_sgd}, \
    {"trainer with every option", trainer_options}, \
    {"optimizer", optimizer}, \
    {"optimizers, clipping, averages", optimizers}, \
    {"batches", batches}, \
    {"step", step}, \
    {"convolutions", convolutions}, \
    {"pools", pools}, \
    {"norms, dropout, embedding", norms}, \
    {"recurrences", recurrences}, \
    {"attention and blocks", attentions}, \
    {"losses", losses}, \
    {"systems, determinants, norms", systems}, \
    {"caches, pages, quantized weights", caches},

// Public functions that allocate nothing.
#define NN_NOTHING \
    "ch_batches_per_epoch", \
    "ch_init_gain", \
    "ch_model_find", \
    "ch_model_is_buffer", \
    "ch_model_num_elements", \
    "ch_model_num_params", \
    "ch_model_param_name", \
    "ch_names_match", \
    "ch_optimizer_name", \
    "ch_optimizer_num_slots", \
    "ch_optimizer_slot_name", \
    "ch_plateau_make", \
    "ch_plateau_report", \
    "ch_schedule_check", \
    "ch_schedule_constant", \
    "ch_schedule_cosine", \
    "ch_schedule_cyclic", \
    "ch_schedule_exponential", \
    "ch_schedule_linear", \
    "ch_schedule_one_cycle", \
    "ch_schedule_piecewise", \
    "ch_schedule_polynomial", \
    "ch_schedule_rate", \
    "ch_schedule_restarts", \
    "ch_schedule_step", \
    "ch_schedule_warmup", \
    "ch_step_grad_name", \
    "ch_step_gradient", \
    "ch_step_num_grads", \
    "ch_step_primal", \
    "ch_trainer_compiles", \
    "ch_trainer_func", \
    "ch_trainer_gradient", \
    "ch_trainer_norm", \
    "ch_trainer_rate", \
    "ch_trainer_state", \
    "ch_trainer_state_name", \
    "ch_trainer_steps", \
    "ch_trainer_updates",
// clang-format on

#endif
