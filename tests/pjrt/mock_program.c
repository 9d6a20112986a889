// SPDX-License-Identifier: Apache-2.0
// mock_program.c - the mock plugin's programs: compiled by this project's importer, run by its interpreter.
//
// As real plugins do, a run compares only sizes in bytes; a param's memory that a result takes is that result's
// afterwards and the buffer is deleted. A program whose @main is one custom_call runs a registered handler instead.
// Serialized programs are the text behind a sum and what the plugin is: a real one would run another's or a damaged
// one, here it is counted (foreign).
#include "mock_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct mock_program {
    atomic_int refs;
    char *text, *options;
    size_t text_n, options_n;
    mock_signature sig;
    mock_options build;
    ch_exec *exec;
    xf_handler handler; // of a custom_call, instead of exec
    int *out_types;     // as the API gives them
    int64_t *out_dims;
    size_t *out_ranks;
} mock_program;
struct pj_loaded_executable {
    mock_kind kind;
    pj_client *client;
    mock_program *p;
    atomic_int running;
};
struct pj_executable {
    mock_kind kind;
    mock_program *p;
};
struct pj_serialized_executable {
    mock_kind kind;
    char *bytes;
};

static void *must_have(void *p) {
    if (p == NULL) abort();
    return p;
}

static char *copy_of(const char *s, size_t n) {
    char *p = must_have(malloc(n + 1));
    if (n > 0) memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

static void program_release(mock_program *p) {
    if (atomic_fetch_sub(&p->refs, 1) != 1) return;
    ch_exec_release(p->exec);
    mock_signature_free(&p->sig);
    free(p->text);
    free(p->options);
    free(p->out_types);
    free(p->out_dims);
    free(p->out_ranks);
    free(p);
}

// ---------------------------------------------------------------- handlers
static struct {
    char name[64];
    xf_handler fn;
} handlers[64];
static int n_handlers;
static pthread_mutex_t handlers_lock = PTHREAD_MUTEX_INITIALIZER;

static xf_handler handler_find(const char *name, size_t n) {
    xf_handler fn = NULL;
    pthread_mutex_lock(&handlers_lock);
    for (int i = 0; i < n_handlers && fn == NULL; i++)
        if (strlen(handlers[i].name) == n && strncmp(handlers[i].name, name, n) == 0) fn = handlers[i].fn;
    pthread_mutex_unlock(&handlers_lock);
    return fn;
}

void mock_handler_add(const char *name, size_t n, xf_handler handler) {
    if (handler_find(name, n) != NULL || n >= sizeof handlers[0].name) return; // the first stays
    pthread_mutex_lock(&handlers_lock);
    if (n_handlers < 64) {
        memcpy(handlers[n_handlers].name, name, n);
        handlers[n_handlers++].fn = handler;
    }
    pthread_mutex_unlock(&handlers_lock);
}

struct xf_error {
    int code;
    char text[200];
};

static xf_error *ffi_error_create(xf_error_create_args *args) {
    xf_error *e = must_have(calloc(1, sizeof *e));
    e->code = args->code;
    snprintf(e->text, sizeof e->text, "%s", args->message);
    return e;
}

static void ffi_error_destroy(xf_error_destroy_args *args) { free(args->error); }

static xf_error *ffi_stream_get(xf_stream_get_args *args) {
    args->stream = MOCK_CUDA_STREAM;
    if (mock_is_cuda()) return NULL;
    return ffi_error_create(&(xf_error_create_args){.message = "no stream on the host", .code = 12});
}

static const xf_api ffi_api = {.struct_size = sizeof(xf_api),
                               .api_version = {.struct_size = 24, .minor = 3},
                               .error_create = ffi_error_create,
                               .error_destroy = ffi_error_destroy,
                               .stream_get = ffi_stream_get};

static int ffi_type(int type) {
    switch (type) { // the numbers differ from 13 on
    case PJ_BF16: return XF_BF16;
    case PJ_F8E5M2: return XF_F8E5M2;
    case PJ_F8E4M3FN: return XF_F8E4M3FN;
    default: return type;
    }
}

// One call: in and out are the memory of params and results. 0, or the code of the handler's error.
static int run_handler(const mock_program *p, char *const *in, char *const *out, char why[200]) {
    int n = p->sig.n_in + p->sig.n_out;
    xf_buffer *b = must_have(calloc((size_t)n + 1, sizeof *b));
    void **items = must_have(calloc((size_t)n + 1, sizeof *items));
    int *kinds = must_have(calloc((size_t)n + 1, sizeof *kinds));
    for (int i = 0; i < n; i++) {
        const mock_param *t = i < p->sig.n_in ? &p->sig.in[i] : &p->sig.out[i - p->sig.n_in];
        b[i] = (xf_buffer){.struct_size = xf_buffer_size, .dtype = ffi_type(t->type), .rank = t->rank, .dims = t->dims};
        b[i].data = i < p->sig.n_in ? in[i] : out[i - p->sig.n_in];
        if (mock_is_cuda()) b[i].data = (void *)(uintptr_t)((uintptr_t)b[i].data | MOCK_CUDA_ADDRESS);
        items[i] = &b[i];
        kinds[i] = XF_ARG_BUFFER;
    }
    xf_call_frame f = {.struct_size = 168,
                       .api = &ffi_api,
                       .stage = XF_STAGE_EXECUTE,
                       .args = {xf_args_size, NULL, p->sig.n_in, kinds, items},
                       .rets = {xf_args_size, NULL, p->sig.n_out, kinds, items + p->sig.n_in},
                       .attrs = {.struct_size = xf_attrs_size}};
    xf_error *e = p->handler(&f);
    int code = e == NULL ? 0 : e->code;
    if (e != NULL) snprintf(why, 200, "%.199s", e->text);
    free(e);
    free(b);
    free(items);
    free(kinds);
    return code;
}

// ---------------------------------------------------------------- compiling
static void describe_outputs(mock_program *p) {
    size_t n = (size_t)p->sig.n_out, flat = 0;
    p->out_types = must_have(calloc(n + 1, sizeof *p->out_types));
    p->out_ranks = must_have(calloc(n + 1, sizeof *p->out_ranks));
    p->out_dims = must_have(calloc(16 * n + 1, sizeof *p->out_dims));
    for (size_t i = 0; i < n; i++) {
        const mock_param *o = &p->sig.out[i];
        p->out_types[i] = o->type;
        p->out_ranks[i] = (size_t)o->rank;
        for (int k = 0; k < o->rank; k++) p->out_dims[flat++] = o->dims[k];
    }
}

static pj_error *compile_code(mock_program *p) {
    char why[200];
    ch_func *f = NULL;
    if (strstr(p->text, "1099511627776") != NULL) return mock_misuse("2^40 numbers: SIGFPE");
    if (!mock_signature_read(p->text, &p->sig, why)) return mock_error(2, "-:1:1: error: %s", why);
    describe_outputs(p);
    const char *call = strstr(p->text, "custom_call @");
    if (call != NULL) {
        const char *name = call + 13;
        size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
        p->handler = handler_find(name, n);
        if (p->handler != NULL) return NULL;
        return mock_error(PJ_CODE_NOT_FOUND, "No FFI handler registered for %.*s on a platform Host (canonical host)",
                          (int)n, name);
    }
    ch_status s = ch_hlo_parse(p->text, "-", NULL, &f);
    if (s == CH_OK) s = ch_compile(f, "interp", NULL, &p->exec);
    ch_func_destroy(f);
    return s == CH_OK ? NULL : mock_error(2, "%s", ch_error_message());
}

// As in a real plugin's file, where sessions look for what $XLA_FLAGS may say.
static const char *const mock_flags[] = {"xla_cpu_multi_thread_eigen", "xla_backend_optimization_level"};

// Their fields in the description of DebugOptions: a bool and a number of 32 bits. They are looked for in the file.
__attribute__((used)) static const char mock_fields[] =
    "\x0a\x1axla_cpu_multi_thread_eigen\x18\x3c\x20\x01\x28\x08"
    "\x0a\x1exla_backend_optimization_level\x18\x9f\x01\x20\x01\x28\x05";

static bool known_flags(const char *flags) {
    while (*flags != '\0') {
        size_t n = strcspn(flags, "=");
        bool known = false;
        for (size_t i = 0; i < sizeof mock_flags / sizeof *mock_flags; i++)
            known = known || (strlen(mock_flags[i]) == n && strncmp(flags, mock_flags[i], n) == 0);
        if (!known) return false;
        flags += strcspn(flags, " ");
        flags += *flags == ' ';
    }
    return true;
}

static pj_error *compile(pj_client *c, const char *text, size_t text_n, const char *options, size_t options_n,
                         pj_loaded_executable **out) {
    mock_program *p = must_have(calloc(1, sizeof *p));
    atomic_init(&p->refs, 1);
    p->text = copy_of(text, text_n);
    p->text_n = text_n;
    p->options = copy_of(options, options_n);
    p->options_n = options_n;
    pj_error *e = NULL;
    if (!mock_options_read(options, options_n, &p->build))
        e = mock_error(PJ_CODE_INVALID_ARGUMENT, "failed to deserialize CompileOptionsProto");
    else if (p->build.replicas < 1)
        e = mock_misuse("replica_count > 0");
    else if (p->build.partitions < 1)
        e = mock_misuse("computation_count > 0");
    else if (!known_flags(p->build.flags))
        e = mock_error(PJ_CODE_INVALID_ARGUMENT, "No such compile option: '%s'", p->build.flags);
    for (int i = 0; i < p->build.n_ids && e == NULL; i++) {
        bool found = false;
        for (int k = 0; k < c->n_devices; k++) found = found || c->device[k].description.id == p->build.ids[i];
        if (!found) e = mock_error(PJ_CODE_INVALID_ARGUMENT, "No device with id %d", p->build.ids[i]);
    }
    if (e == NULL) e = compile_code(p);
    if (e != NULL) {
        program_release(p);
        return e;
    }
    pj_loaded_executable *l = *out = mock_new(MOCK_LOADED, sizeof *l);
    l->client = c;
    l->p = p;
    atomic_fetch_add(&c->owned, 1);
    pthread_mutex_lock(&mock.lock);
    snprintf(mock.compile_flags, sizeof mock.compile_flags, "%s", p->build.flags);
    pthread_mutex_unlock(&mock.lock);
    return NULL;
}

static pj_error *client_compile(void *args) {
    pj_client_compile_args *a = args;
    MOCK_BEGIN(PJ_CLIENT_COMPILE, pj_client_compile_args);
    MOCK_ALIVE(MOCK_CLIENT, a->client);
    const pj_program *p = a->program;
    if (p->struct_size != pj_program_size) return mock_misuse("PJRT_Program: size %zu", p->struct_size);
    if (p->format_size != 4 || memcmp(p->format, "mlir", 4) != 0)
        return mock_error(PJ_CODE_INVALID_ARGUMENT, "Unknown program format '%.*s'.", (int)p->format_size, p->format);
    if (a->compile_options_size == 0) return mock_misuse("empty compile options: replica_count > 0");
    int us = atomic_load(&mock.compile_us);
    if (us > 0) usleep((useconds_t)us);
    return compile(a->client, p->code, p->code_size, a->compile_options, a->compile_options_size, &a->executable);
}

static pj_error *loaded_destroy(void *args) {
    pj_loaded_executable_destroy_args *a = args;
    MOCK_ALIVE(MOCK_LOADED, a->executable);
    atomic_fetch_sub(&a->executable->client->owned, 1);
    program_release(a->executable->p);
    mock_free(MOCK_LOADED, a->executable);
    MOCK_BEGIN(PJ_LOADED_EXECUTABLE_DESTROY, pj_loaded_executable_destroy_args);
    return NULL;
}

static pj_error *loaded_get_executable(void *args) {
    pj_loaded_executable_get_executable_args *a = args;
    MOCK_BEGIN(PJ_LOADED_EXECUTABLE_GET_EXECUTABLE, pj_loaded_executable_get_executable_args);
    MOCK_ALIVE(MOCK_LOADED, a->loaded_executable);
    a->executable = mock_new(MOCK_EXECUTABLE, sizeof *a->executable);
    a->executable->p = a->loaded_executable->p;
    atomic_fetch_add(&a->executable->p->refs, 1);
    return NULL;
}

static pj_error *executable_destroy(void *args) {
    pj_executable_destroy_args *a = args;
    MOCK_ALIVE(MOCK_EXECUTABLE, a->executable);
    program_release(a->executable->p);
    mock_free(MOCK_EXECUTABLE, a->executable);
    MOCK_BEGIN(PJ_EXECUTABLE_DESTROY, pj_executable_destroy_args);
    return NULL;
}

// ---------------------------------------------------------------- what it says of a program
static pj_error *executable_num_outputs(void *args) {
    pj_executable_num_outputs_args *a = args;
    MOCK_BEGIN(PJ_EXECUTABLE_NUM_OUTPUTS, pj_executable_num_outputs_args);
    MOCK_ALIVE(MOCK_EXECUTABLE, a->executable);
    a->num_outputs = (size_t)(a->executable->p->sig.n_out + atomic_load(&mock.more_outputs));
    return NULL;
}

static pj_error *executable_output_types(void *args) {
    pj_executable_output_element_types_args *a = args;
    MOCK_BEGIN(PJ_EXECUTABLE_OUTPUT_ELEMENT_TYPES, pj_executable_output_element_types_args);
    MOCK_ALIVE(MOCK_EXECUTABLE, a->executable);
    a->output_types = a->executable->p->out_types;
    a->num_output_types = (size_t)a->executable->p->sig.n_out;
    return NULL;
}

static pj_error *executable_output_dimensions(void *args) {
    pj_executable_output_dimensions_args *a = args;
    MOCK_BEGIN(PJ_EXECUTABLE_OUTPUT_DIMENSIONS, pj_executable_output_dimensions_args);
    MOCK_ALIVE(MOCK_EXECUTABLE, a->executable);
    a->num_outputs = (size_t)a->executable->p->sig.n_out;
    a->dims = a->executable->p->out_dims;
    a->dim_sizes = a->executable->p->out_ranks;
    return NULL;
}

static pj_error *executable_memory_stats(void *args) {
    pj_executable_get_compiled_memory_stats_args *a = args;
    MOCK_BEGIN(PJ_EXECUTABLE_GET_COMPILED_MEMORY_STATS, pj_executable_get_compiled_memory_stats_args);
    MOCK_ALIVE(MOCK_EXECUTABLE, a->executable);
    const mock_signature *s = &a->executable->p->sig;
    a->generated_code = 0;
    a->argument = a->output = a->alias = 0;
    for (int i = 0; i < s->n_in; i++) {
        a->argument += (int64_t)s->in[i].bytes;
        if (s->in[i].alias >= 0) a->alias += (int64_t)s->in[i].bytes;
    }
    for (int i = 0; i < s->n_out; i++) a->output += (int64_t)s->out[i].bytes;
    a->temp = 0;
    if (mock_minor() >= 81) a->peak_memory = a->argument + a->output - a->alias;
    return NULL;
}

static pj_error *executable_fingerprint(void *args) {
    pj_executable_fingerprint_args *a = args;
    MOCK_BEGIN(PJ_EXECUTABLE_FINGERPRINT, pj_executable_fingerprint_args);
    MOCK_ALIVE(MOCK_EXECUTABLE, a->executable);
    a->fingerprint = a->executable->p->text;
    a->fingerprint_size = a->executable->p->text_n;
    return NULL;
}

// Asked twice: for its size, then for its bytes.
static pj_error *executable_optimized(void *args) {
    pj_executable_optimized_program_args *a = args;
    MOCK_BEGIN(PJ_EXECUTABLE_OPTIMIZED_PROGRAM, pj_executable_optimized_program_args);
    MOCK_ALIVE(MOCK_EXECUTABLE, a->executable);
    const mock_program *p = a->executable->p;
    if (a->program->struct_size != pj_program_size)
        return mock_misuse("PJRT_Program: size %zu", a->program->struct_size);
    a->program->format = "mlir";
    a->program->format_size = 4;
    if (a->program->code == NULL) {
        a->program->code_size = p->text_n;
        return NULL;
    }
    if (a->program->code_size < p->text_n) return mock_misuse("OptimizedProgram: too small");
    memcpy(a->program->code, p->text, p->text_n);
    return NULL;
}

// ---------------------------------------------------------------- serializing
static uint64_t sum_of(const char *s, size_t n) {
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 1099511628211u;
    return h;
}

static void serialized_delete(pj_serialized_executable *s) {
    pj_error *e = mock_alive(MOCK_SERIALIZED, s, "deleter");
    if (e != NULL) {
        mock_free(MOCK_ERROR, e);
        return;
    }
    free(s->bytes);
    mock_free(MOCK_SERIALIZED, s);
}

static pj_error *executable_serialize(void *args) {
    pj_executable_serialize_args *a = args;
    MOCK_BEGIN(PJ_EXECUTABLE_SERIALIZE, pj_executable_serialize_args);
    MOCK_ALIVE(MOCK_EXECUTABLE, a->executable);
    if (atomic_load(&mock.no_serialize)) return mock_error(PJ_CODE_UNIMPLEMENTED, "Serialize not implemented");
    const mock_program *p = a->executable->p;
    pj_serialized_executable *s = mock_new(MOCK_SERIALIZED, sizeof *s);
    uint64_t head[4] = {sum_of(mock_identity(), strlen(mock_identity())), 0, p->text_n, p->options_n};
    size_t n = sizeof head + p->text_n + p->options_n;
    s->bytes = must_have(malloc(n));
    memcpy(s->bytes, head, sizeof head);
    memcpy(s->bytes + sizeof head, p->text, p->text_n);
    memcpy(s->bytes + sizeof head + p->text_n, p->options, p->options_n);
    head[1] = sum_of(s->bytes + 16, n - 16);
    memcpy(s->bytes + 8, &head[1], 8);
    a->serialized_bytes = s->bytes;
    a->serialized_bytes_size = n;
    a->serialized_executable = s;
    a->deleter = serialized_delete;
    return NULL;
}

static pj_error *deserialize_and_load(void *args) {
    pj_executable_deserialize_and_load_args *a = args;
    uint64_t head[4];
    MOCK_BEGIN(PJ_EXECUTABLE_DESERIALIZE_AND_LOAD, pj_executable_deserialize_and_load_args);
    MOCK_ALIVE(MOCK_CLIENT, a->client);
    size_t n = a->serialized_executable_size;
    const char *s = a->serialized_executable;
    if (atomic_load(&mock.refuse_load)) return mock_error(PJ_CODE_INTERNAL, "Deserializing is refused");
    bool own = n > sizeof head;
    if (own) memcpy(head, s, sizeof head);
    own = own && head[0] == sum_of(mock_identity(), strlen(mock_identity())) && head[1] == sum_of(s + 16, n - 16) &&
          head[2] + head[3] == n - sizeof head;
    if (!own) {
        atomic_fetch_add(&mock.foreign, 1);
        return mock_misuse("DeserializeAndLoad: what another plugin made, or damaged: wrong values or a crash");
    }
    return compile(a->client, s + sizeof head, head[2], s + sizeof head + head[2], head[3], &a->loaded_executable);
}

// ---------------------------------------------------------------- running
static pj_error *check_inputs(const pj_loaded_executable_execute_args *a, size_t device) {
    const mock_program *p = a->executable->p;
    for (size_t i = 0; i < a->num_args; i++) {
        pj_buffer *b = a->argument_lists[device][i];
        if (b == NULL) return mock_misuse("Execute: argument %zu is NULL: SIGSEGV", i);
        MOCK_ALIVE(MOCK_BUFFER, b);
        if (atomic_load(&b->deleted))
            return mock_error(
                PJ_CODE_INVALID_ARGUMENT,
                "Invalid buffer passed to Execute() as argument %zu to replica %zu: Buffer has been deleted "
                "or donated.",
                i, device);
        if (b->client != a->executable->client) return mock_misuse("Execute: argument %zu is another client's", i);
        if (b->memory->bytes != p->sig.in[i].bytes)
            return mock_error(PJ_CODE_INVALID_ARGUMENT,
                              "Executable(main) expected parameter %zu of size %zu but got %zu", i, p->sig.in[i].bytes,
                              b->memory->bytes);
        if (p->build.n_ids > (int)device && b->device->description.id != p->build.ids[device])
            return mock_error(PJ_CODE_INVALID_ARGUMENT, "argument %zu is on device %d, the program on %d", i,
                              b->device->description.id, p->build.ids[device]);
        for (size_t k = 0; k < i; k++)
            if (a->argument_lists[device][k] == b && (p->sig.in[i].alias >= 0 || p->sig.in[k].alias >= 0))
                return mock_error(PJ_CODE_INVALID_ARGUMENT, "Toy example for this bug: `f(donate(a), a)`");
    }
    return NULL;
}

static bool is_kept(const pj_execute_options *o, size_t i) {
    for (size_t k = 0; k < o->num_non_donatable_input_indices; k++)
        if (o->non_donatable_input_indices[k] == (int64_t)i) return true;
    return false;
}

// Row-major memory of an argument, which is *owned when it had to be turned.
static char *row_major(const pj_buffer *b, char **owned) {
    *owned = NULL;
    if (!b->column_major) return b->memory->data;
    *owned = must_have(malloc(b->memory->bytes + 1));
    mock_transpose(*owned, b->memory->data, b->dims[1], b->dims[0], mock_type_size(b->type));
    return *owned;
}

static int run_interpreter(const mock_program *p, char *const *in, char *const *out, char why[200]) {
    int n_in = p->sig.n_in, n_out = p->sig.n_out;
    ch_scope scope = ch_scope_begin();
    ch_tensor **t = must_have(calloc((size_t)(n_in + n_out) + 1, sizeof *t));
    for (int i = 0; i < n_in; i++) {
        const mock_param *q = &p->sig.in[i];
        t[i] = ch_borrow(mock_dtype(q->type), in[i], q->rank, q->dims, NULL, NULL);
    }
    ch_status s = ch_exec_run(p->exec, n_in, t, n_out, t + n_in);
    for (int i = 0; i < n_out && s == CH_OK; i++) s = ch_read_bytes(t[n_in + i], out[i], p->sig.out[i].bytes);
    if (s != CH_OK) snprintf(why, 200, "%.199s", ch_error_message());
    for (int i = 0; i < n_out; i++) ch_release(t[n_in + i]);
    free(t);
    if (ch_scope_end(scope) != CH_OK) abort();
    return s == CH_OK ? 0 : (int)s;
}

// The results of one device, in memory of their own. 0, or an error's code.
static int run_program(const mock_program *p, pj_buffer *const *in, char **out, char why[200]) {
    int n = p->sig.n_in, code = 0;
    char **rows = must_have(calloc((size_t)n + 1, sizeof *rows)),
         **owned = must_have(calloc((size_t)n + 1, sizeof *owned));
    for (int i = 0; i < n; i++) {
        if (mock_promise_wait(in[i]->ready) != 0) {
            code = PJ_CODE_INTERNAL;
            snprintf(why, 200, "Error dispatching computation: %.150s", in[i]->ready->text);
        }
        rows[i] = row_major(in[i], &owned[i]);
    }
    for (int i = 0; i < p->sig.n_out; i++) out[i] = must_have(malloc(p->sig.out[i].bytes + 1));
    if (code == 0 && atomic_load(&mock.run_fails)) {
        code = PJ_CODE_INTERNAL;
        snprintf(why, 200, "Compute error: the program fails while it runs");
    }
    if (code == 0) code = p->handler != NULL ? run_handler(p, rows, out, why) : run_interpreter(p, rows, out, why);
    for (int i = 0; i < n; i++) free(owned[i]);
    free(rows);
    free(owned);
    return code;
}

static void consume(pj_buffer *b) {
    if (atomic_exchange(&b->deleted, true)) return;
    mock_memory_release(b->memory);
    b->memory = NULL;
}

// The memory of result k: that of the input that is given for it, or new.
static mock_memory *memory_for(const mock_program *p, const pj_execute_options *o, int k, pj_buffer *const *in) {
    for (int i = 0; i < p->sig.n_in; i++)
        if (p->sig.in[i].alias == k && !is_kept(o, (size_t)i) && !in[i]->memory->borrowed && !in[i]->column_major) {
            atomic_fetch_add(&in[i]->memory->refs, 1);
            return in[i]->memory;
        }
    return mock_memory_new(p->sig.out[k].bytes);
}

static bool give_results(const pj_loaded_executable_execute_args *a, size_t d, char **values, int code,
                         const char *why) {
    const mock_program *p = a->executable->p;
    pj_client *c = a->executable->client;
    pj_buffer *const *in = a->argument_lists[d];
    int id = p->build.n_ids > (int)d ? p->build.ids[d] : c->device[d].description.id, n = p->sig.n_out;
    pj_device *device = c->devices[0];
    for (int i = 0; i < c->n_devices; i++)
        if (c->device[i].description.id == id) device = c->devices[i];
    mock_memory **m = must_have(calloc((size_t)n + 1, sizeof *m));
    bool enough = true;
    for (int k = 0; k < n && enough; k++) enough = (m[k] = memory_for(p, a->options, k, in)) != NULL;
    for (int k = 0; k < n; k++) {
        const mock_param *o = &p->sig.out[k];
        if (!enough) {
            mock_memory_release(m[k]);
            continue;
        }
        mock_promise *ready = mock_promise_new();
        pj_buffer *b = a->output_lists[d][k] = mock_buffer_new(c, device, o->type, o->rank, o->dims, m[k], ready);
        if (code != 0) {
            mock_promise_done(ready, code, why);
        } else if (o->rank == 2 && atomic_load(&mock.transposed)) {
            char *turned = must_have(malloc(o->bytes + 1));
            b->column_major = true;
            mock_transpose(turned, values[k], o->dims[0], o->dims[1], mock_type_size(o->type));
            mock_copy(c, m[k], m[k]->data, turned, o->bytes, true, ready);
            free(turned);
        } else {
            mock_copy(c, m[k], m[k]->data, values[k], o->bytes, true, ready);
        }
    }
    free(m);
    return enough;
}

static void consume_inputs(const pj_loaded_executable_execute_args *a, size_t d) {
    for (size_t i = 0; i < a->num_args; i++)
        if (a->executable->p->sig.in[i].alias >= 0 && !is_kept(a->options, i)) consume(a->argument_lists[d][i]);
}

// When all results of the device are there, or the error.
static pj_event *completion(const pj_loaded_executable_execute_args *a, size_t d, int code, const char *why) {
    mock_promise *p = mock_promise_new();
    int n = a->executable->p->sig.n_out;
    if (code != 0)
        mock_promise_done(p, code, why);
    else if (n == 0)
        mock_copy(a->executable->client, NULL, NULL, NULL, 0, false, p);
    else
        mock_promise_release(p), p = mock_promise_keep(a->output_lists[d][n - 1]->ready); // they are made in order
    pj_event *e = mock_event(p, true);
    mock_promise_release(p);
    return e;
}

static pj_error *execute_device(const pj_loaded_executable_execute_args *a, size_t d) {
    const mock_program *p = a->executable->p;
    char why[200] = "";
    char **values = must_have(calloc((size_t)p->sig.n_out + 1, sizeof *values));
    int code = run_program(p, a->argument_lists[d], values, why);
    bool enough = give_results(a, d, values, code, why);
    for (int i = 0; i < p->sig.n_out; i++) free(values[i]);
    free(values);
    if (!enough) return mock_error(PJ_CODE_RESOURCE_EXHAUSTED, "Out of memory while trying to allocate the results");
    consume_inputs(a, d);
    if (a->device_complete_events != NULL) a->device_complete_events[d] = completion(a, d, code, why);
    return NULL;
}

static pj_error *execute_checked(const pj_loaded_executable_execute_args *a) {
    const mock_program *p = a->executable->p;
    size_t devices = (size_t)(p->build.replicas * p->build.partitions);
    pj_error *e = NULL;
    if (a->options == NULL || a->options->struct_size != pj_execute_options_size)
        return mock_misuse("PJRT_ExecuteOptions: none, or of another size");
    if (a->num_devices != devices)
        return mock_error(PJ_CODE_INVALID_ARGUMENT, "%zu devices for a program of %zu", a->num_devices, devices);
    if (a->num_args != (size_t)p->sig.n_in)
        return mock_error(PJ_CODE_INVALID_ARGUMENT, "Execution supplied %zu arguments but compiled program expected %d",
                          a->num_args, p->sig.n_in);
    if (a->argument_lists == NULL || a->output_lists == NULL) return mock_misuse("Execute: NULL lists");
    for (size_t d = 0; d < devices && e == NULL; d++) e = check_inputs(a, d);
    int fails = atomic_load(&mock.execute_fails);
    if (e == NULL && fails != 0) {
        for (size_t d = 0; d < devices && fails == 2; d++) consume_inputs(a, d);
        e = mock_error(PJ_CODE_INTERNAL, "Execute fails");
    }
    for (size_t d = 0; d < devices && e == NULL; d++) e = execute_device(a, d);
    return e;
}

static pj_error *loaded_execute(void *args) {
    pj_loaded_executable_execute_args *a = args;
    MOCK_BEGIN(PJ_LOADED_EXECUTABLE_EXECUTE, pj_loaded_executable_execute_args);
    MOCK_ALIVE(MOCK_LOADED, a->executable);
    if (atomic_fetch_add(&a->executable->running, 1) != 0) atomic_fetch_add(&mock.overlaps, 1);
    pj_error *e = execute_checked(a);
    atomic_fetch_sub(&a->executable->running, 1);
    return e;
}

pj_fn mock_program_slot(int slot) {
    switch (slot) {
    case PJ_CLIENT_COMPILE: return client_compile;
    case PJ_EXECUTABLE_DESTROY: return executable_destroy;
    case PJ_EXECUTABLE_NUM_OUTPUTS: return executable_num_outputs;
    case PJ_EXECUTABLE_OPTIMIZED_PROGRAM: return executable_optimized;
    case PJ_EXECUTABLE_SERIALIZE: return executable_serialize;
    case PJ_LOADED_EXECUTABLE_DESTROY: return loaded_destroy;
    case PJ_LOADED_EXECUTABLE_GET_EXECUTABLE: return loaded_get_executable;
    case PJ_LOADED_EXECUTABLE_EXECUTE: return loaded_execute;
    case PJ_EXECUTABLE_DESERIALIZE_AND_LOAD: return deserialize_and_load;
    case PJ_EXECUTABLE_OUTPUT_ELEMENT_TYPES: return executable_output_types;
    case PJ_EXECUTABLE_OUTPUT_DIMENSIONS: return executable_output_dimensions;
    case PJ_EXECUTABLE_FINGERPRINT: return executable_fingerprint;
    case PJ_EXECUTABLE_GET_COMPILED_MEMORY_STATS: return executable_memory_stats;
    default: return NULL;
    }
}
