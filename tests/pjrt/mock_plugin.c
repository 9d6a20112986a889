// SPDX-License-Identifier: Apache-2.0
// mock_plugin.c - a PJRT plugin for tests (mock_plugin.h): the table, errors, events, the client and its devices.
//
// Handles are kept in a table of those alive, so that one that is dead or none is told and not followed. Sizes of args
// structs are compared for equality, as the strictest real plugin does; an older plugin (minor=) writes only the fields
// that its structs had.
#include "mock_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mock_state mock = {.lock = PTHREAD_MUTEX_INITIALIZER};
CH_API mock_state *mock_plugin_state(void);
CH_API const pj_api *GetPjrtApi(void);
mock_state *mock_plugin_state(void) { return &mock; }

// ---------------------------------------------------------------- what it is
static struct {
    int minor, devices;
    bool ffi, strange, no_table, short_table;
    char platform[32], identity[256];
} mock_config = {.minor = 114, .devices = 4, .ffi = true, .platform = "cpu"};

int mock_minor(void) { return mock_config.minor; }
bool mock_is_cuda(void) { return strcmp(mock_config.platform, "cuda") == 0; }

const char *mock_identity(void) { return mock_config.identity; }

// ---------------------------------------------------------------- handles
enum { MOCK_CHAINS = 1024 };
typedef struct mock_handle {
    struct mock_handle *next;
    mock_kind kind;
    const void *p;
} mock_handle;
static mock_handle *handles[MOCK_CHAINS];
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;

static mock_handle **handle_chain(const void *p) { return &handles[((uintptr_t)p >> 4) % MOCK_CHAINS]; }

static void *must(void *p) {
    if (p == NULL) abort();
    return p;
}

void *mock_new(mock_kind kind, size_t bytes) {
    mock_handle *h = must(malloc(sizeof *h));
    void *p = must(calloc(1, bytes));
    memcpy(p, &kind, sizeof kind);
    pthread_mutex_lock(&handles_lock);
    mock_handle **chain = handle_chain(p);
    *h = (mock_handle){*chain, kind, p};
    *chain = h;
    pthread_mutex_unlock(&handles_lock);
    atomic_fetch_add(&mock.live[kind], 1);
    atomic_fetch_add(&mock.made[kind], 1);
    return p;
}

void mock_free(mock_kind kind, void *p) {
    pthread_mutex_lock(&handles_lock);
    mock_handle **at = handle_chain(p), *h;
    while (*at != NULL && ((*at)->p != p || (*at)->kind != kind)) at = &(*at)->next;
    h = *at;
    if (h != NULL) *at = h->next;
    pthread_mutex_unlock(&handles_lock);
    if (h == NULL) abort(); // the mock's own mistake: every slot asked mock_alive
    free(h);
    free(p);
    atomic_fetch_sub(&mock.live[kind], 1);
}

pj_error *mock_alive(mock_kind kind, const void *p, const char *who) {
    static const char *const names[MOCK_KINDS] = {
        "error", "event", "client", "program", "executable", "buffer", "serialized program", "context"};
    pthread_mutex_lock(&handles_lock);
    const mock_handle *h = *handle_chain(p);
    while (h != NULL && (h->p != p || h->kind != kind)) h = h->next;
    pthread_mutex_unlock(&handles_lock);
    return h != NULL ? NULL : mock_misuse("%s: %p is no live %s", who, p, names[kind]);
}

// ---------------------------------------------------------------- errors
static pj_error *mock_error_v(int code, const char *fmt, va_list ap) {
    pj_error *e = mock_new(MOCK_ERROR, sizeof *e);
    e->code = code;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    e->size = strlen(e->text);
    e->text[e->size] = '#';
    return e;
}

pj_error *mock_error(int code, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    pj_error *e = mock_error_v(code, fmt, ap);
    va_end(ap);
    return e;
}

pj_error *mock_misuse(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    pj_error *e = mock_error_v(PJ_CODE_INVALID_ARGUMENT, fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&mock.lock);
    if (atomic_fetch_add(&mock.misuses, 1) == 0)
        snprintf(mock.misuse, sizeof mock.misuse, "%.*s", (int)e->size, e->text);
    pthread_mutex_unlock(&mock.lock);
    return e;
}

static pj_error *error_destroy(void *args) {
    pj_error_destroy_args *a = args;
    pj_error *e = a->struct_size == pj_error_destroy_args_size ? mock_alive(MOCK_ERROR, a->error, "Error_Destroy")
                                                               : mock_misuse("Error_Destroy: size %zu", a->struct_size);
    if (e != NULL)
        mock_free(MOCK_ERROR, e); // nobody takes it
    else
        mock_free(MOCK_ERROR, a->error);
    return NULL;
}

static pj_error *error_message(void *args) {
    pj_error_message_args *a = args;
    pj_error *e = mock_alive(MOCK_ERROR, a->error, "Error_Message");
    if (e != NULL) return mock_free(MOCK_ERROR, e), NULL;
    a->message = a->error->text;
    a->message_size = a->error->size;
    return NULL;
}

static pj_error *error_get_code(void *args) {
    pj_error_get_code_args *a = args;
    if (a->struct_size != pj_error_get_code_args_size) return mock_misuse("Error_GetCode: size %zu", a->struct_size);
    MOCK_ALIVE(MOCK_ERROR, a->error);
    a->code = a->error->code;
    return NULL;
}

static bool comes_now(atomic_llong *countdown) {
    long long n = atomic_load(countdown);
    while (n > 0)
        if (atomic_compare_exchange_weak(countdown, &n, n - 1)) return n == 1;
    return false;
}

static int injected_code(void) {
    int code = atomic_load(&mock.fail_code);
    return code != 0 ? code : PJ_CODE_INTERNAL;
}

pj_error *mock_begin(pj_slot slot, const char *who, size_t given, size_t expected) {
    atomic_fetch_add(&mock.calls, 1);
    atomic_fetch_add(&mock.of_slot[slot], 1);
    if (given != expected)
        return mock_misuse("Unexpected %s size: expected %zu, got %zu. The plugin is likely built with a later version "
                           "than the framework.",
                           who, expected, given);
    if (atomic_load(&mock.fail_slot) == (int)slot + 1) return mock_error(injected_code(), "slot %d fails", slot);
    if (comes_now(&mock.fail_at)) return mock_error(injected_code(), "injected failure in slot %d", slot);
    return NULL;
}

// ---------------------------------------------------------------- promises and events
struct mock_callback {
    struct mock_callback *next;
    void (*fn)(pj_error *error, void *arg);
    void *arg;
};
struct pj_event {
    mock_kind kind;
    mock_promise *promise;
};

mock_promise *mock_promise_new(void) {
    mock_promise *p = must(calloc(1, sizeof *p));
    atomic_init(&p->refs, 1);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    return p;
}

mock_promise *mock_promise_keep(mock_promise *p) {
    atomic_fetch_add(&p->refs, 1);
    return p;
}

void mock_promise_release(mock_promise *p) {
    if (p == NULL || atomic_fetch_sub(&p->refs, 1) != 1) return;
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void mock_promise_done(mock_promise *p, int code, const char *text) {
    pthread_mutex_lock(&p->lock);
    struct mock_callback *c = NULL;
    if (!p->done) {
        p->done = true;
        p->code = code;
        snprintf(p->text, sizeof p->text, "%s", text);
        c = p->callbacks;
        p->callbacks = NULL;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    while (c != NULL) {
        struct mock_callback *next = c->next;
        c->fn(code == 0 ? NULL : mock_error(code, "%s", text), c->arg);
        free(c);
        c = next;
    }
}

int mock_promise_wait(mock_promise *p) {
    pthread_mutex_lock(&p->lock);
    while (!p->done) pthread_cond_wait(&p->changed, &p->lock);
    int code = p->code;
    pthread_mutex_unlock(&p->lock);
    return code;
}

pj_event *mock_event(mock_promise *p, bool soon) {
    pj_event *e = mock_new(MOCK_EVENT, sizeof *e);
    if (comes_now(&mock.fail_event_at)) { // of this event alone; the work is done all the same
        e->promise = mock_promise_new();
        if (soon) mock_promise_wait(p);
        mock_promise_done(e->promise, injected_code(), "injected failure in an event");
    } else {
        e->promise = mock_promise_keep(p);
    }
    return e;
}

static pj_error *event_destroy(void *args) {
    pj_event_destroy_args *a = args;
    MOCK_ALIVE(MOCK_EVENT, a->event);
    mock_promise_release(a->event->promise); // also when an error is injected: nobody could do it again
    mock_free(MOCK_EVENT, a->event);
    MOCK_BEGIN(PJ_EVENT_DESTROY, pj_event_destroy_args);
    return NULL;
}

static pj_error *event_is_ready(void *args) {
    pj_event_is_ready_args *a = args;
    MOCK_BEGIN(PJ_EVENT_IS_READY, pj_event_is_ready_args);
    MOCK_ALIVE(MOCK_EVENT, a->event);
    pthread_mutex_lock(&a->event->promise->lock);
    a->is_ready = a->event->promise->done;
    pthread_mutex_unlock(&a->event->promise->lock);
    return NULL;
}

static pj_error *event_outcome(mock_promise *p) {
    int code = mock_promise_wait(p);
    return code == 0 ? NULL : mock_error(code, "%s", p->text);
}

static pj_error *event_error(void *args) {
    pj_event_error_args *a = args;
    MOCK_BEGIN(PJ_EVENT_ERROR, pj_event_error_args);
    MOCK_ALIVE(MOCK_EVENT, a->event);
    return event_outcome(a->event->promise);
}

static pj_error *event_await(void *args) {
    pj_event_await_args *a = args;
    MOCK_BEGIN(PJ_EVENT_AWAIT, pj_event_await_args);
    MOCK_ALIVE(MOCK_EVENT, a->event);
    return event_outcome(a->event->promise);
}

static pj_error *event_on_ready(void *args) {
    pj_event_on_ready_args *a = args;
    MOCK_BEGIN(PJ_EVENT_ON_READY, pj_event_on_ready_args);
    MOCK_ALIVE(MOCK_EVENT, a->event);
    mock_promise *p = a->event->promise;
    struct mock_callback *c = must(malloc(sizeof *c));
    *c = (struct mock_callback){NULL, a->callback, a->user_arg};
    pthread_mutex_lock(&p->lock);
    bool done = p->done;
    if (!done) {
        c->next = p->callbacks;
        p->callbacks = c;
    }
    pthread_mutex_unlock(&p->lock);
    if (!done) return NULL;
    free(c);
    a->callback(p->code == 0 ? NULL : mock_error(p->code, "%s", p->text), a->user_arg);
    return NULL;
}

// ---------------------------------------------------------------- the plugin
static pj_error *plugin_initialize(void *args) {
    MOCK_BEGIN(PJ_PLUGIN_INITIALIZE, pj_plugin_initialize_args);
    return NULL;
}

static pj_error *plugin_attributes(void *args) {
    static const int64_t current[3] = {1, 20, 0}, oldest[3] = {0, 9, 0};
    static const pj_named_value values[3] = {
        {.struct_size = pj_named_value_size,
         .name = "xla_version",
         .name_size = 11,
         .type = PJ_NAMED_INT64,
         .value = {.int64_value = 2},
         .value_size = 1},
        {.struct_size = pj_named_value_size,
         .name = "stablehlo_current_version",
         .name_size = 25,
         .type = PJ_NAMED_INT64_LIST,
         .value = {.int64_array_value = current},
         .value_size = 3},
        {.struct_size = pj_named_value_size,
         .name = "stablehlo_minimum_version",
         .name_size = 25,
         .type = PJ_NAMED_INT64_LIST,
         .value = {.int64_array_value = oldest},
         .value_size = 3},
    };
    pj_plugin_attributes_args *a = args;
    MOCK_BEGIN(PJ_PLUGIN_ATTRIBUTES, pj_plugin_attributes_args);
    a->attributes = values;
    a->num_attributes = 3;
    return NULL;
}

// ---------------------------------------------------------------- the client
static int option_type(const char *name) {
    static const struct {
        const char *name;
        int type;
        bool cuda;
    } known[] = {
        {"cpu_device_count", PJ_NAMED_INT64, false},    {"asynchronous", PJ_NAMED_BOOL, false},
        {"process_id", PJ_NAMED_INT64, false},          {"memory_fraction", PJ_NAMED_FLOAT, true},
        {"preallocate", PJ_NAMED_BOOL, true},           {"allocator", PJ_NAMED_STRING, true},
        {"visible_devices", PJ_NAMED_INT64_LIST, true},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0 && known[i].cuda == mock_is_cuda()) return known[i].type;
    return -1;
}

static pj_error *take_option(const pj_named_value *v, int *devices) {
    char name[64], text[96];
    if (v->struct_size != pj_named_value_size) return mock_misuse("PJRT_NamedValue: size %zu", v->struct_size);
    snprintf(name, sizeof name, "%.*s", (int)v->name_size, v->name);
    int type = option_type(name);
    if (type < 0)
        return mock_error(PJ_CODE_INVALID_ARGUMENT, "Unexpected option name passed to PJRT_Client_Create: %s", name);
    if (v->type != type) return mock_misuse("option %s has type %d: std::bad_variant_access", name, v->type);
    if (type != PJ_NAMED_STRING && type != PJ_NAMED_INT64_LIST && v->value_size != 1)
        return mock_misuse("option %s has size %zu", name, v->value_size);
    if (type == PJ_NAMED_FLOAT)
        snprintf(text, sizeof text, "%s=%.2f ", name, (double)v->value.float_value);
    else if (type == PJ_NAMED_BOOL)
        snprintf(text, sizeof text, "%s=%s ", name, v->value.bool_value ? "true" : "false");
    else
        snprintf(text, sizeof text, "%s=%lld ", name, type == PJ_NAMED_INT64 ? (long long)v->value.int64_value : 0);
    if (strcmp(name, "cpu_device_count") == 0) *devices = (int)v->value.int64_value;
    pthread_mutex_lock(&mock.lock);
    size_t n = strlen(mock.create_options);
    snprintf(mock.create_options + n, sizeof mock.create_options - n, "%s", text);
    pthread_mutex_unlock(&mock.lock);
    return NULL;
}

static pj_error *client_create(void *args) {
    pj_client_create_args *a = args;
    int n = mock_config.devices;
    MOCK_BEGIN(PJ_CLIENT_CREATE, pj_client_create_args);
    pthread_mutex_lock(&mock.lock);
    mock.create_options[0] = '\0';
    pthread_mutex_unlock(&mock.lock);
    for (size_t i = 0; i < a->num_options; i++) {
        pj_error *e = take_option(&a->create_options[i], &n);
        if (e != NULL) return e;
    }
    n += mock_config.strange;
    if (n < 0 || n > MOCK_DEVICES) return mock_error(PJ_CODE_INVALID_ARGUMENT, "%d devices", n);
    pj_client *c = mock_new(MOCK_CLIENT, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    c->n_devices = n;
    for (int i = 0; i < n; i++) {
        pj_device_description *d = &c->device[i].description;
        c->device[i].client = c;
        c->devices[i] = &c->device[i];
        d->id = mock_config.strange ? 100 + i : i;
        if (mock_config.strange)
            memset(d->kind, 'k', 300);
        else
            strcpy(d->kind, "mock");
        snprintf(d->text, sizeof d->text, "MockDevice(id=%d)", d->id);
    }
    a->client = c;
    return NULL;
}

static pj_error *client_destroy(void *args) {
    pj_client_destroy_args *a = args;
    MOCK_ALIVE(MOCK_CLIENT, a->client);
    mock_work_end(a->client);
    if (atomic_load(&a->client->owned) != 0)
        return mock_misuse("Client_Destroy: %lld buffers or programs are alive",
                           (long long)atomic_load(&a->client->owned));
    pthread_mutex_destroy(&a->client->lock);
    mock_free(MOCK_CLIENT, a->client);
    MOCK_BEGIN(PJ_CLIENT_DESTROY, pj_client_destroy_args);
    return NULL;
}

static pj_error *client_platform_name(void *args) {
    pj_client_platform_name_args *a = args;
    MOCK_BEGIN(PJ_CLIENT_PLATFORM_NAME, pj_client_platform_name_args);
    MOCK_ALIVE(MOCK_CLIENT, a->client);
    a->platform_name = mock_config.platform;
    a->platform_name_size = strlen(mock_config.platform);
    return NULL;
}

static pj_error *client_platform_version(void *args) {
    pj_client_platform_version_args *a = args;
    MOCK_BEGIN(PJ_CLIENT_PLATFORM_VERSION, pj_client_platform_version_args);
    MOCK_ALIVE(MOCK_CLIENT, a->client);
    a->platform_version = "mock 1###"; // what lies behind its size is not part of it
    a->platform_version_size = 6;
    return NULL;
}

static pj_error *client_devices(void *args) {
    pj_client_devices_args *a = args;
    MOCK_BEGIN(PJ_CLIENT_DEVICES, pj_client_devices_args);
    MOCK_ALIVE(MOCK_CLIENT, a->client);
    a->devices = a->client->devices;
    a->num_devices = (size_t)a->client->n_devices;
    return NULL;
}

static pj_error *client_addressable_devices(void *args) {
    pj_client_addressable_devices_args *a = args;
    MOCK_BEGIN(PJ_CLIENT_ADDRESSABLE_DEVICES, pj_client_addressable_devices_args);
    MOCK_ALIVE(MOCK_CLIENT, a->client);
    a->devices = a->client->devices;
    a->num_devices = (size_t)a->client->n_devices;
    return NULL;
}

// ---------------------------------------------------------------- devices
static pj_error *device_get_description(void *args) {
    pj_device_get_description_args *a = args;
    MOCK_BEGIN(PJ_DEVICE_GET_DESCRIPTION, pj_device_get_description_args);
    a->device_description = &a->device->description;
    return NULL;
}

static pj_error *device_description_id(void *args) {
    pj_device_description_id_args *a = args;
    MOCK_BEGIN(PJ_DEVICE_DESCRIPTION_ID, pj_device_description_id_args);
    a->id = a->device_description->id;
    return NULL;
}

static pj_error *device_description_kind(void *args) {
    pj_device_description_kind_args *a = args;
    MOCK_BEGIN(PJ_DEVICE_DESCRIPTION_KIND, pj_device_description_kind_args);
    a->device_kind = a->device_description->kind;
    a->device_kind_size = strlen(a->device_kind);
    return NULL;
}

static pj_error *device_description_to_string(void *args) {
    pj_device_description_to_string_args *a = args;
    MOCK_BEGIN(PJ_DEVICE_DESCRIPTION_TO_STRING, pj_device_description_to_string_args);
    a->to_string = a->device_description->text;
    a->to_string_size = strlen(a->to_string);
    return NULL;
}

static pj_error *device_description_debug_string(void *args) {
    pj_device_description_debug_string_args *a = args;
    MOCK_BEGIN(PJ_DEVICE_DESCRIPTION_DEBUG_STRING, pj_device_description_debug_string_args);
    a->debug_string = a->device_description->text;
    a->debug_string_size = strlen(a->debug_string);
    return NULL;
}

static pj_error *device_local_hardware_id(void *args) {
    pj_device_local_hardware_id_args *a = args;
    MOCK_BEGIN(PJ_DEVICE_LOCAL_HARDWARE_ID, pj_device_local_hardware_id_args);
    a->local_hardware_id = -1;
    return NULL;
}

static pj_error *device_memory_stats(void *args) {
    pj_device_memory_stats_args *a = args;
    MOCK_BEGIN(PJ_DEVICE_MEMORY_STATS, pj_device_memory_stats_args);
    if (atomic_load(&mock.no_statistics)) return mock_error(PJ_CODE_UNIMPLEMENTED, "MemoryStats not implemented");
    a->bytes_in_use = (int64_t)atomic_load(&mock.bytes_live);
    a->peak_bytes_in_use = (int64_t)atomic_load(&mock.bytes_peak);
    a->peak_bytes_in_use_is_set = true;
    a->bytes_limit = (int64_t)atomic_load(&mock.memory_limit);
    a->bytes_limit_is_set = a->bytes_limit > 0;
    if (mock_config.minor >= 113) {
        a->peak_allocated_bytes = a->peak_bytes_in_use;
        a->peak_allocated_bytes_is_set = true;
    }
    return NULL;
}

// ---------------------------------------------------------------- the table
static pj_error *ffi_register(void *args) {
    pj_ffi_register_handler_args *a = args;
    if (a->struct_size != pj_ffi_register_handler_args_size)
        return mock_misuse("PJRT_FFI_Register_Handler_Args: size %zu", a->struct_size);
    xf_handler handler;
    memcpy(&handler, &a->handler, sizeof handler);
    // The call that asks for the version, as XLA makes it. What is wrong is not said: the name stays unknown.
    xf_metadata metadata = {.struct_size = 36};
    xf_metadata_extension ext = {{sizeof ext, XF_EXT_METADATA, NULL}, &metadata};
    xf_call_frame frame = {.struct_size = sizeof frame, .extension_start = &ext.base};
    if (handler(&frame) != NULL || metadata.api_version.major != 0 || metadata.api_version.minor < 1 ||
        metadata.api_version.minor > 3)
        return NULL;
    mock_handler_add(a->target_name, a->target_name_size, handler);
    return NULL;
}

static pj_ffi_extension mock_ffi = {{pj_ffi_extension_size, PJ_EXT_FFI, NULL}, NULL, NULL, ffi_register};
static pj_extension mock_layouts = {24, PJ_EXT_LAYOUTS, NULL};

static pj_fn own_slot(int slot) {
    switch (slot) {
    case PJ_ERROR_DESTROY: return error_destroy;
    case PJ_ERROR_MESSAGE: return error_message;
    case PJ_ERROR_GET_CODE: return error_get_code;
    case PJ_PLUGIN_INITIALIZE: return plugin_initialize;
    case PJ_PLUGIN_ATTRIBUTES: return plugin_attributes;
    case PJ_EVENT_DESTROY: return event_destroy;
    case PJ_EVENT_IS_READY: return event_is_ready;
    case PJ_EVENT_ERROR: return event_error;
    case PJ_EVENT_AWAIT: return event_await;
    case PJ_EVENT_ON_READY: return event_on_ready;
    case PJ_CLIENT_CREATE: return client_create;
    case PJ_CLIENT_DESTROY: return client_destroy;
    case PJ_CLIENT_PLATFORM_NAME: return client_platform_name;
    case PJ_CLIENT_PLATFORM_VERSION: return client_platform_version;
    case PJ_CLIENT_DEVICES: return client_devices;
    case PJ_CLIENT_ADDRESSABLE_DEVICES: return client_addressable_devices;
    case PJ_DEVICE_DESCRIPTION_ID: return device_description_id;
    case PJ_DEVICE_DESCRIPTION_KIND: return device_description_kind;
    case PJ_DEVICE_DESCRIPTION_TO_STRING: return device_description_to_string;
    case PJ_DEVICE_DESCRIPTION_DEBUG_STRING: return device_description_debug_string;
    case PJ_DEVICE_GET_DESCRIPTION: return device_get_description;
    case PJ_DEVICE_LOCAL_HARDWARE_ID: return device_local_hardware_id;
    case PJ_DEVICE_MEMORY_STATS: return device_memory_stats;
    default: return NULL;
    }
}

static void read_missing(pj_api *api, const char *list) {
    while (*list >= '0' && *list <= '9') {
        char *end;
        long slot = strtol(list, &end, 10);
        if (slot >= 0 && slot < PJ_SLOTS) api->slot[slot] = NULL;
        list = *end == ',' ? end + 1 : end;
    }
}

static void read_config(pj_api *api) {
    static const struct {
        int minor;
        size_t bytes;
    } tables[] = {{68, 936}, {81, 984}, {90, 1064}, {104, 1120}, {114, 1144}};
    const char *config = getenv("MOCK_PLUGIN"), *at;
    if (config == NULL) config = "";
    snprintf(mock_config.identity, sizeof mock_config.identity, "%s", config);
    if ((at = strstr(config, "minor=")) != NULL) mock_config.minor = atoi(at + 6);
    if ((at = strstr(config, "devices=")) != NULL) mock_config.devices = atoi(at + 8);
    if ((at = strstr(config, "platform=")) != NULL) sscanf(at + 9, "%31[a-z]", mock_config.platform);
    if ((at = strstr(config, "missing=")) != NULL) read_missing(api, at + 8);
    if ((at = strstr(config, "fails=")) != NULL) atomic_store(&mock.fail_slot, atoi(at + 6) + 1);
    if ((at = strstr(config, "code=")) != NULL) atomic_store(&mock.fail_code, atoi(at + 5));
    mock_config.ffi = strstr(config, "noffi") == NULL;
    mock_config.strange = strstr(config, "strange") != NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (i == 0 || mock_config.minor >= tables[i].minor) api->struct_size = tables[i].bytes;
    mock_config.no_table = strstr(config, "no-table") != NULL;
    mock_config.short_table = strstr(config, "short-table") != NULL;
}

static pj_api mock_api;
static void make_api(void) {
    mock_api = (pj_api){.version = {.struct_size = pj_version_size}};
    for (int i = 0; i < PJ_SLOTS; i++) {
        mock_api.slot[i] = own_slot(i);
        if (mock_api.slot[i] == NULL) mock_api.slot[i] = mock_buffer_slot(i);
        if (mock_api.slot[i] == NULL) mock_api.slot[i] = mock_program_slot(i);
    }
    read_config(&mock_api);
    mock_api.version.minor = mock_config.minor;
    mock_layouts.next = mock_config.ffi ? &mock_ffi.base : NULL;
    mock_api.extension_start = &mock_layouts;
    // Beyond the end of an older table lies something else.
    size_t slots = (mock_api.struct_size - offsetof(pj_api, slot)) / sizeof(pj_fn);
    memset(&mock_api.slot[slots], 0xee, (PJ_SLOTS - slots) * sizeof(pj_fn));
    if (mock_config.short_table) mock_api.struct_size = 16;
}

const pj_api *GetPjrtApi(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_api);
    return mock_config.no_table ? NULL : &mock_api;
}
