// SPDX-License-Identifier: Apache-2.0
// scenarios_pjrt.h - scenarios of sessions for fault.c, over the mock plugin ($MOCK_PLUGIN_FILE).

#define DEVICE_TEXT                                                                                                    \
    "module @twice {\nfunc.func public @main(%x: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2x3xf32> "  \
    "{\n  %0 = stablehlo.add %x, %x : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}\n}\n"
static const char device_ir[] = "chaac-ir 1\nfunc @f(%x: f32[n,3]) -> f32[n,3] {\n  %0 = mul %x, %x : f32[n,3]\n"
                                "  return %0\n}\n";

static ch_status device_options(ch_session_options *o) {
    *o = (ch_session_options){.struct_size = sizeof *o, .plugin = getenv("MOCK_PLUGIN_FILE"), .device_count = 2};
    if (o->plugin != NULL) return CH_OK;
    return ch_error_set("no_plugin", "MOCK_PLUGIN_FILE is not set: it names the mock plugin");
}

// Everything of f that can be done with a session and buffers; in is the caller's.
static ch_status device_buffers(ch_session *s, const ch_func *f, ch_buffer *in) {
    ch_buffer *out[3] = {NULL, NULL, NULL};
    ch_session_call call = {.struct_size = sizeof call, .key = "a key of the caller's"};
    const char *names[1] = {"n"};
    const int64_t sizes[1] = {2};
    float v[6];
    struct DLManagedTensorVersioned *lent = NULL;
    ch_status st = ch_session_prepare(s, &call, f, 1, names, sizes);
    if (st == CH_OK) st = ch_session_run_buffers(s, f, 1, &in, 1, &out[0]);
    if (st == CH_OK) st = ch_session_run_buffers_with(s, &call, f, 1, &out[0], 1, &out[1]);
    const ch_session_call donating = {.struct_size = sizeof donating, .aliases = (int[]){0}};
    if (st == CH_OK) ch_buffer_release(out[0]), out[0] = NULL;
    if (st == CH_OK) st = ch_session_run_buffers_with(s, &donating, f, 1, &out[1], 1, &out[0]);
    if (st == CH_OK) ch_buffer_release(out[1]), out[1] = out[0], out[0] = NULL;
    if (st == CH_OK) st = ch_buffer_read(out[1], v, sizeof v);
    if (st == CH_OK) st = ch_buffer_dlpack_export(out[1], &lent);
    if (st == CH_OK) st = ch_buffer_dlpack_import(s, lent, &out[2]);
    for (int i = 2; i >= 0; i--) ch_buffer_release(out[i]);
    return st;
}

static ch_status device_session(void) {
    static _Alignas(64) float aligned[6] = {1, 2, 3, 4, 5, 6};
    ch_session_options o;
    ch_session *s = NULL;
    ch_func *f = NULL;
    ch_buffer *in[3] = {NULL, NULL, NULL};
    CH_TRY(device_options(&o));
    ch_status st = ch_session_open(&o, &s);
    if (st == CH_OK) st = ch_func_parse(device_ir, "f.ir", &f);
    if (st == CH_OK) st = ch_buffer_from_host(s, x_data, "f32[2,3]", &in[0]);
    if (st == CH_OK) st = ch_buffer_from_host_on(s, 1, x_data, "f32[2,3]", &in[1]);
    if (st == CH_OK) st = ch_buffer_alias_host(s, aligned, "f32[2,3]", NULL, NULL, &in[2]);
    if (st == CH_OK) st = device_buffers(s, f, in[0]);
    for (int i = 0; i < 3; i++) ch_buffer_release(in[i]);
    ch_func_destroy(f);
    ch_session_close(s);
    return st;
}

static ch_status device_text(void) {
    ch_session_options o;
    ch_session *s = NULL;
    ch_buffer *in = NULL, *out[2] = {NULL, NULL};
    ch_session_call call = {
        .struct_size = sizeof call, .n_flags = 1, .flags = (const char *[]){"xla_backend_optimization_level=0"}};
    ch_program_info info;
    char *bytes = NULL;
    size_t n;
    CH_TRY(device_options(&o));
    ch_status st = ch_session_open(&o, &s);
    if (st == CH_OK) st = ch_session_prepare_text(s, NULL, DEVICE_TEXT);
    if (st == CH_OK) st = ch_buffer_from_host(s, x_data, "f32[2,3]", &in);
    if (st == CH_OK) st = ch_session_run_text(s, DEVICE_TEXT, 1, &in, 1, &out[0]);
    if (st == CH_OK) st = ch_session_run_text_with(s, &call, DEVICE_TEXT, 1, &out[0], 1, &out[1]);
    if (st == CH_OK) st = ch_session_program_info(s, DEVICE_TEXT, &info);
    if (st == CH_OK) st = ch_session_optimized(s, DEVICE_TEXT, &bytes, &n);
    if (st == CH_OK) st = ch_session_explain(s, sink);
    ch_string_free(bytes);
    ch_buffer_release(in);
    ch_buffer_release(out[0]);
    ch_session_close(s);
    ch_buffer_release(out[1]);
    return st;
}

// A kernel that becomes a call, one that does not, and what a session says of both.
static ch_status device_lowering(const ch_kernel_op *op, void *user) {
    (void)user;
    return ch_kernel_call(op, "fault.handler", "{a = 1 : i64}");
}
static ch_status device_handler(ch_ffi_call *call, void *user) {
    ch_ffi_array y;
    (void)user;
    CH_TRY(ch_ffi_result(call, 0, &y));
    memset(y.data, 0, (size_t)y.count * sizeof(float));
    return CH_OK;
}
static ch_status device_kernels(void) {
    static const char text[] = "chaac-ir 1\nfunc @f(%x: f32[n,3]) -> f32[n,3] {\n  %0 = composite \"NAME\"(%u = %x) "
                               "{kernel = \"\"} {\n    %a = add %u, %u : f32[n,3]\n    yield %a\n  } : f32[n,3]\n"
                               "  return %0\n}\n";
    static bool registered;
    const ch_hlo_options two = {.struct_size = sizeof two,
                                .n_sizes = 1,
                                .size_names = (const char *[]){"n"},
                                .size_values = (const int64_t[]){2}};
    ch_session_options o;
    ch_session *s = NULL;
    CH_TRY(device_options(&o));
    ch_status st = ch_session_open(&o, &s);
    if (st == CH_OK && !registered) { // for good; neither allocates
        st = ch_lowering_register(CH_CPU, "give", device_lowering, NULL);
        if (st == CH_OK) st = ch_ffi_register(ch_session_plugin(s), "fault.handler", device_handler, NULL);
        registered = st == CH_OK;
    }
    for (int k = 0; k < 2 && st == CH_OK; k++) {
        char named[400];
        ch_func *f = NULL;
        ch_buffer *in = NULL, *out = NULL;
        char *written = NULL;
        const char *at = strstr(text, "NAME");
        snprintf(named, sizeof named, "%.*s%s%s", (int)(at - text), text, k == 0 ? "give" : "keep", at + 4);
        st = ch_func_parse(named, "f.ir", &f);
        if (st == CH_OK) st = ch_session_text(s, f, &two, &written);
        if (st == CH_OK) st = ch_buffer_from_host(s, x_data, "f32[2,3]", &in);
        if (st == CH_OK) st = ch_session_run_buffers(s, f, 1, &in, 1, &out);
        ch_string_free(written);
        ch_buffer_release(in);
        ch_buffer_release(out);
        ch_func_destroy(f);
    }
    if (st == CH_OK) st = ch_session_explain(s, sink);
    ch_session_close(s);
    return st;
}

static ch_status device_tensors(void) {
    ch_session_options o;
    ch_session *s = NULL;
    ch_func *f = NULL;
    static const char whole_ir[] = "chaac-ir 1\nfunc @w(%x: f32[2,3]) -> f32[2,3] {\n  %y = add %x, %x : f32[2,3]\n"
                                   "  return %y\n}\n";
    ch_func *whole = NULL;
    ch_tensor *x = x23(), *out[2] = {NULL, NULL};
    CH_TRY(device_options(&o));
    CH_TRY(ch_check(x));
    ch_status st = ch_func_parse(device_ir, "f.ir", &f);
    if (st == CH_OK) st = ch_run_once(&o, f, 1, &x, 1, &out[0]);
    if (st == CH_OK) st = ch_session_open(&o, &s);
    if (st == CH_OK) st = ch_session_run(s, f, 1, &x, 1, &out[1]);
    ch_release(out[1]);
    out[1] = NULL;
    if (st == CH_OK) st = ch_func_parse(whole_ir, "whole.ir", &whole);
    if (st == CH_OK) st = ch_session_run_devices(s, whole, 1, &x, 1, &out[1]);
    ch_func_destroy(whole);
    ch_release(out[0]);
    ch_release(out[1]);
    ch_session_close(s);
    ch_func_destroy(f);
    return st;
}

static ch_status device_plugin(void) {
    ch_session_options o;
    char *path = NULL;
    ch_plugin *p = NULL;
    CH_TRY(device_options(&o));
    CH_TRY(ch_plugin_find(CH_CPU, o.plugin, &path));
    ch_status st = ch_plugin_load(path, &p);
    ch_string_free(path);
    return st;
}

static ch_status device_step_runs(const ch_device_step_options *options) {
    ch_session_options o;
    ch_session *s = NULL;
    ch_step *captured = NULL;
    ch_device_step *d = NULL;
    const ch_optimizer adam = ch_adam(0.1);
    double loss = 0;
    CH_TRY(device_options(&o));
    ch_model *m = small();
    ch_status st = m ? ch_session_open(&o, &s) : CH_RESOURCE_EXHAUSTED;
    if (st == CH_OK) st = ch_step_capture(m, "x: f32[n,3], y: i32[n]", NULL, step_loss, NULL, &captured);
    if (st == CH_OK)
        st = options ? ch_step_on_device_with(captured, m, &adam, options, s, &d)
                     : ch_step_on_device(captured, m, &adam, NULL, s, &d);
    for (int i = 0; i < 2 && st == CH_OK; i++) {
        ch_tensor *in[2] = {x23(), i2()};
        st = ch_device_step_run(d, in, &loss);
    }
    if (st == CH_OK) st = ch_device_step_read(d, m);
    ch_device_step_destroy(d);
    ch_step_destroy(captured);
    ch_model_destroy(m);
    ch_session_close(s);
    return st;
}

static ch_status device_step_run(void) { return device_step_runs(NULL); }
static ch_status device_step_gathers(void) {
    return device_step_runs(
        &(ch_device_step_options){.struct_size = sizeof(ch_device_step_options), .clip_norm = 1, .accumulate = 2});
}

static ch_status device_share(void) {
    ch_session *s = NULL, *again = NULL;
    ch_buffer *b = NULL;
    ch_status st = ch_session_share(&s);
    if (st == CH_OK) st = ch_session_share(&again);
    if (st == CH_OK) st = ch_buffer_from_host(again, x_data, "f32[2,3]", &b);
    ch_buffer_release(b);
    ch_session_unshare(again);
    ch_session_unshare(s);
    return st;
}

// Gathered, clipped, averaged; taken over by a second trainer; read back.
static ch_status device_trainer(void) {
    const ch_trainer_options o = {
        .struct_size = sizeof o, .engine = "pjrt", .clip_norm = 1, .clip_value = 1, .average = 0.9, .accumulate = 2};
    ch_trainer *t[2] = {NULL, NULL};
    ch_tensor *y = NULL;
    double loss = 0;
    ch_model *m = small();
    ch_status st = m ? CH_OK : CH_RESOURCE_EXHAUSTED;
    for (int i = 0; i < 2 && st == CH_OK; i++) {
        st = ch_trainer_create_with(m, ch_softmax_cross_entropy, ch_adam(0.1), &o, &t[i]);
        for (int k = 0; k < 2 && st == CH_OK; k++) st = ch_trainer_step(t[i], x23(), i2(), &loss);
    }
    if (st == CH_OK) st = ch_trainer_swap_averages(t[1]);
    if (st == CH_OK) st = ch_trainer_predict(t[1], x23(), &y);
    if (st == CH_OK) st = ch_check(ch_trainer_state(t[1], 0));
    if (st == CH_OK && ch_trainer_session(t[1]) == NULL) st = ch_error_set("internal", "no session");
    ch_release(y);
    ch_trainer_destroy(t[0]);
    ch_trainer_destroy(t[1]); // reads back: what cannot be is lost
    for (int i = 0; i < 2 && st == CH_OK; i++) st = ch_check(ch_model_param(m, i));
    ch_model_destroy(m);
    return st;
}

// The iree engine with programs of a shell that do what IREE's do: a module, and an npy file of zeros.
static char iree_folder[] = "/tmp/chaac-fault-iree-XXXXXX"; // CHAAC_IREE_BIN, made before anything asks for it
static ch_status iree_program(const char *name, const char *script) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", iree_folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) return ch_error_set("file", "%s cannot be written", path);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    return chmod(path, 0700) == 0 ? CH_OK : ch_error_set("file", "%s cannot be made a program", path);
}
static ch_status iree_begin(void) {
    if (mkdtemp(iree_folder) == NULL) return CH_INTERNAL;
    CH_TRY(iree_program("iree-compile", "for a; do last=$a; done; printf 'PK\\003\\004' > \"$last\""));
    CH_TRY(iree_program("iree-run-module",
                        "for a; do case $a in --output=@*) out=${a#--output=@};; esac; done\n"
                        "{ printf '\\223NUMPY\\001\\000\\166\\000%-117s\\n' \"{'descr': '<f4', "
                        "'fortran_order': False, 'shape': (2, 3), }\"; head -c 24 /dev/zero; } > $out"));
    return setenv("CHAAC_IREE_BIN", iree_folder, 1) == 0 ? CH_OK : CH_INTERNAL;
}
static void iree_end(void) {
    char path[200];
    snprintf(path, sizeof path, "%s/iree-compile", iree_folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/iree-run-module", iree_folder);
    unlink(path);
    rmdir(iree_folder);
}
static ch_status device_iree(void) {
    static const char ir[] = "chaac-ir 1\nfunc @f(%x: f32[2,3]) -> f32[2,3] {\n  %0 = add %x, %x : f32[2,3]\n"
                             "  return %0\n}\n";
    ch_func *f = NULL;
    ch_exec *e = NULL;
    ch_tensor *x = x23(), *out = NULL;
    ch_status st = ch_check(x);
    if (st == CH_OK) st = ch_func_parse(ir, "f.ir", &f);
    if (st == CH_OK) st = ch_compile(f, "iree", NULL, &e);
    if (st == CH_OK) st = ch_exec_run(e, 1, &x, 1, &out);
    ch_release(out);
    ch_exec_release(e);
    ch_func_destroy(f);
    return st;
}

#define PJRT_SCENARIOS                                                                                                 \
    {"devices: buffers", device_session}, {"devices: text", device_text}, {"devices: tensors", device_tensors},        \
        {"devices: plugins", device_plugin}, {"devices: a training step", device_step_run},                            \
        {"devices: a step that gathers", device_step_gathers}, {"devices: the engine's session", device_share},        \
        {"devices: a trainer", device_trainer}, {"devices: kernels", device_kernels}, {"devices: iree", device_iree},
// Handlers and lowerings lie in tables of fixed size.
#define PJRT_NOTHING                                                                                                   \
    "ch_buffer_bytes", "ch_buffer_close", "ch_buffer_device", "ch_buffer_dim", "ch_buffer_dtype", "ch_buffer_is_open", \
        "ch_buffer_rank", "ch_buffer_type", "ch_device_step_norm", "ch_device_step_rate", "ch_device_step_updates",    \
        "ch_ffi_arg", "ch_ffi_attr_array", "ch_ffi_attr_f64", "ch_ffi_attr_i64", "ch_ffi_attr_name",                   \
        "ch_ffi_attr_text", "ch_ffi_fail", "ch_ffi_num_args", "ch_ffi_num_attrs", "ch_ffi_num_results",                \
        "ch_ffi_register", "ch_ffi_register_symbol", "ch_ffi_registered", "ch_ffi_result", "ch_ffi_stream",            \
        "ch_lowering_register", "ch_plugin_path", "ch_plugin_stablehlo", "ch_plugin_version", "ch_session_cache_size", \
        "ch_session_computes_in", "ch_session_count", "ch_session_device", "ch_session_device_count",                  \
        "ch_session_memory", "ch_session_platform", "ch_session_plugin", "ch_target_from_name", "ch_target_name",
