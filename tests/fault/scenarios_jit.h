// SPDX-License-Identifier: Apache-2.0
// scenarios_jit.h - scenarios of the jit for fault.c: a call that was refused has changed nothing.

typedef struct {
    ch_tensor *state;
    ch_rng *rng;
} jit_world;

static ch_status jit_body(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                          ch_tensor **out) {
    (void)n_in, (void)n_vars, (void)n_out;
    jit_world *w = user;
    ch_tensor *row = ch_bind_slice(w->state, 0, vars[0], 1);
    CH_TRY(ch_assign(row, ch_add(row, ch_reshape(in[0], 2, (const int64_t[]){1, 3}))));
    ch_tensor *bits = ch_rng_bits(ch_rng_key(w->rng), ch_scalar(CH_U64, 0), 0, NULL);
    ch_jit_pause();
    ch_jit_resume();
    out[0] = ch_add(ch_sum_all(ch_bind_first(w->state, 0, vars[0])), ch_convert(ch_bind_scalar(vars[0]), CH_F32));
    out[1] = bits;
    return CH_OK;
}

// Calls once; when that fails the state is what it was.
static ch_status jit_once(ch_jit *j, jit_world *w, const ch_var *v, ch_tensor **out) {
    float before[6], after[6];
    CH_TRY(ch_read_f32(w->state, before, 6));
    ch_bind b = ch_bind_value(v, 1);
    ch_tensor *x = ch_slice_axis(ch_reshape(x23(), 1, (const int64_t[]){6}), 0, 0, 3);
    ch_status s = ch_jit_call(j, 1, &x, 1, &b, out);
    if (s == CH_OK) return s;
    if (ch_read_f32(w->state, after, 6) == CH_OK && memcmp(before, after, sizeof after) != 0) abort();
    return s;
}

static ch_status jit_next(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                          ch_tensor **out) {
    (void)n_in, (void)n_vars, (void)vars, (void)n_out;
    out[0] = ch_add(in[0], user);
    return CH_OK;
}

static ch_status jit_files(void) {
    char path[] = "/tmp/chaac-fault-jit-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) abort();
    close(fd);
    ch_tensor *out[1] = {NULL}, *w = ch_keep(x22()), *x = x22();
    ch_jit *j = ch_jit_create("next", jit_next, w, 1), *back = NULL;
    ch_status s = j == NULL ? CH_RESOURCE_EXHAUSTED : ch_jit_set_engine(j, "interp");
    for (int i = 0; s == CH_OK && i < 2; i++) s = ch_jit_call(j, 1, &x, 0, NULL, out);
    if (s == CH_OK) s = ch_jit_save(j, path);
    if (s == CH_OK) s = ch_jit_load(path, &back);
    if (s == CH_OK) s = ch_jit_call(back, 1, &x, 0, NULL, out);
    remove(path);
    ch_release(out[0]);
    ch_release(w);
    ch_jit_destroy(j);
    ch_jit_destroy(back);
    return s;
}

static ch_status jit_signature(void) {
    ch_tensor *out[1] = {NULL}, *w = ch_keep(ch_full(CH_F32, 2, 0, NULL));
    ch_jit *j = ch_jit_create("rows", jit_next, w, 1);
    ch_status s = j == NULL ? CH_RESOURCE_EXHAUSTED : ch_jit_set_engine(j, "interp");
    if (s == CH_OK) s = ch_jit_set_signature(j, "x: f32[a,b]");
    for (int i = 1; s == CH_OK && i < 4; i++) {
        ch_tensor *x = ch_ones(CH_F32, 2, (const int64_t[]){i, 2});
        s = ch_jit_call(j, 1, &x, 0, NULL, out);
    }
    ch_release(out[0]);
    ch_release(w);
    ch_jit_destroy(j);
    return s;
}

static ch_status jits(void) {
    jit_world w = {ch_keep(ch_zeros(CH_F32, 2, (const int64_t[]){2, 3})), NULL};
    ch_tensor *out[2] = {NULL, NULL};
    ch_status s = ch_rng_create(5, &w.rng);
    ch_var *v = s == CH_OK ? ch_var_create("i", 0, 1) : NULL;
    ch_jit *j = v != NULL ? ch_jit_create("step", jit_body, &w, 2) : NULL;
    if (s == CH_OK && j == NULL) s = CH_RESOURCE_EXHAUSTED;
    if (s == CH_OK) s = ch_jit_set_engine(j, "interp");
    if (s == CH_OK) s = ch_jit_set_stable_outputs(j, 0);
    if (s == CH_OK) s = ch_realize(w.state);
    for (int i = 0; s == CH_OK && i < 3; i++) {
        ch_scope scope = ch_scope_begin();
        s = scope.token == 0 ? CH_RESOURCE_EXHAUSTED : jit_once(j, &w, v, out);
        if (scope.token != 0 && ch_scope_end(scope) != CH_OK) abort();
        if (s == CH_OK && ch_jit_captured(j) != (i >= 1)) abort();
    }
    if (s == CH_OK) s = ch_jit_set_mode(j, CH_JIT_CHECK);
    if (s == CH_OK) s = jit_once(j, &w, v, out);
    FILE *file = s == CH_OK ? tmpfile() : NULL;
    if (file != NULL) s = ch_jit_explain(j, file);
    if (file != NULL) fclose(file);
    if (s == CH_OK) s = jit_files();
    if (s == CH_OK) s = jit_signature();
    if (s == CH_OK) s = ch_jit_free_intermediates(j);
    if (s == CH_OK) s = ch_jit_reset(j);
    if (s == CH_OK && ch_bind_none(v).bound) abort();
    ch_release(out[0]);
    ch_release(out[1]);
    ch_jit_destroy(j);
    ch_var_destroy(v);
    ch_rng_destroy(w.rng);
    ch_release(w.state);
    return s;
}
