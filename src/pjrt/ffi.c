// SPDX-License-Identifier: Apache-2.0
// ffi.c - handlers of custom calls: registered with a plugin, called by its programs.
//
// A plugin calls a plain function pointer and says neither the name nor anything of ours with it, and the same name
// with another function is silently not taken. So each name has a function of its own: one of 256 that differ only in
// the number they pass on (ffi_pool). Registering fails in silence too; what can be seen is that a plugin which takes
// a handler calls it once, to ask which version it is written for. A handler that was not asked is refused here.
//
// What was registered is never taken back: plugins cannot. The table is filled from the front under a lock and read
// without one: a plugin calls a handler only after its entry was complete.
#include "pjrt/pjrt.h"

#include <dlfcn.h>
#include <string.h>

#include "chaac/ffi.h"

enum { FFI_POOL = 256, FFI_NAME = 256, FFI_VERSION_MINOR = 1 }; // plugins take 1 to their own

typedef struct {
    ch_plugin *plugin;
    char name[FFI_NAME];
    ch_ffi_fn fn; // NULL: a symbol of a library, which is called by the plugin itself
    void *user;
    atomic_int asked; // for its version
} ffi_entry;

struct ch_ffi_call {
    xf_call_frame *frame;
    char sentence[CH__MESSAGE_BYTES];
};

static pthread_mutex_t ffi_lock = PTHREAD_MUTEX_INITIALIZER;
static ffi_entry ffi_entries[FFI_POOL];
static atomic_int ffi_n;

// ---------------------------------------------------------------- called by plugins
static xf_error *ffi_error(const xf_call_frame *frame, ch_status status, const char *sentence) {
    xf_error_create_args a = {PJ_ARGS(xf_error_create_args), .message = sentence, .code = (int)status};
    return frame->api->error_create(&a);
}

static bool ffi_is_question(const xf_call_frame *frame) {
    for (xf_extension *e = frame->extension_start; e != NULL; e = e->next) {
        if (e->type != XF_EXT_METADATA) continue;
        xf_metadata *m = ((xf_metadata_extension *)(void *)e)->metadata;
        m->api_version.major = 0;
        m->api_version.minor = FFI_VERSION_MINOR;
        m->traits = 0;
        return true;
    }
    return false;
}

static xf_error *ffi_called(int which, xf_call_frame *frame) {
    ffi_entry *e = &ffi_entries[which];
    if (ffi_is_question(frame)) {
        atomic_fetch_add(&e->asked, 1);
        return NULL;
    }
    if (frame->stage != XF_STAGE_EXECUTE) return NULL;
    ch_ffi_call call = {.frame = frame};
    ch_status s = e->fn(&call, e->user);
    if (s == CH_OK) return NULL;
    char text[CH__MESSAGE_BYTES + FFI_NAME];
    snprintf(text, sizeof text, "%s: %s", e->name, call.sentence[0] != '\0' ? call.sentence : ch_status_name(s));
    return ffi_error(frame, s, text);
}

#define FFI_1(n)                                                                                                       \
    static xf_error *ffi_handler_##n(xf_call_frame *frame) { return ffi_called(0x##n, frame); }
#define FFI_16(n)                                                                                                      \
    FFI_1(n##0)                                                                                                        \
    FFI_1(n##1)                                                                                                        \
    FFI_1(n##2)                                                                                                        \
    FFI_1(n##3)                                                                                                        \
    FFI_1(n##4)                                                                                                        \
    FFI_1(n##5)                                                                                                        \
    FFI_1(n##6)                                                                                                        \
    FFI_1(n##7)                                                                                                        \
    FFI_1(n##8)                                                                                                        \
    FFI_1(n##9)                                                                                                        \
    FFI_1(n##a)                                                                                                        \
    FFI_1(n##b)                                                                                                        \
    FFI_1(n##c)                                                                                                        \
    FFI_1(n##d)                                                                                                        \
    FFI_1(n##e)                                                                                                        \
    FFI_1(n##f)
// clang-format off
FFI_16(0) FFI_16(1) FFI_16(2) FFI_16(3) FFI_16(4) FFI_16(5) FFI_16(6) FFI_16(7)
FFI_16(8) FFI_16(9) FFI_16(a) FFI_16(b) FFI_16(c) FFI_16(d) FFI_16(e) FFI_16(f)
#define FFI_H(n) ffi_handler_##n
#define FFI_ROW(n) FFI_H(n##0), FFI_H(n##1), FFI_H(n##2), FFI_H(n##3), FFI_H(n##4), FFI_H(n##5), FFI_H(n##6), \
    FFI_H(n##7), FFI_H(n##8), FFI_H(n##9), FFI_H(n##a), FFI_H(n##b), FFI_H(n##c), FFI_H(n##d), FFI_H(n##e), FFI_H(n##f)
static const xf_handler ffi_pool[FFI_POOL] = {
    FFI_ROW(0), FFI_ROW(1), FFI_ROW(2), FFI_ROW(3), FFI_ROW(4), FFI_ROW(5), FFI_ROW(6), FFI_ROW(7),
    FFI_ROW(8), FFI_ROW(9), FFI_ROW(a), FFI_ROW(b), FFI_ROW(c), FFI_ROW(d), FFI_ROW(e), FFI_ROW(f),
};
// clang-format on

// ---------------------------------------------------------------- registering
static ch_status ffi_check(const ch_plugin *plugin, const char *name) {
    if (plugin == NULL || name == NULL)
        return ch__fail(CH__E_argument, "ffi register: the %s is NULL — give one", plugin == NULL ? "plugin" : "name");
    size_t n = strlen(name);
    if (n == 0 || n >= FFI_NAME)
        return ch__fail(CH__E_argument, "ffi register: a name of %zu bytes — 1 to %d", n, FFI_NAME - 1);
    if (plugin->ffi == NULL)
        return ch__fail(CH__E_unsupported, "ffi register: %s: the plugin (API 0.%d) has no way to register handlers",
                        plugin->path, plugin->minor);
    return CH_OK;
}

static ffi_entry *ffi_find(const ch_plugin *plugin, const char *name) {
    for (int i = 0; i < atomic_load(&ffi_n); i++)
        if (ffi_entries[i].plugin == plugin && strcmp(ffi_entries[i].name, name) == 0) return &ffi_entries[i];
    return NULL;
}

// For the device that the plugin is for, under either name; of the other kind it knows nothing, and says nothing.
static ch_status ffi_tell(const ch_plugin *plugin, const char *name, xf_handler handler) {
    static const char *const platforms[] = {"Host", "CUDA"};
    pj_error *(*tell)(pj_ffi_register_handler_args *) =
        (pj_error * (*)(pj_ffi_register_handler_args *)) plugin->ffi->register_handler;
    for (int i = 0; i < 2; i++) {
        pj_ffi_register_handler_args a = {PJ_ARGS(pj_ffi_register_handler_args), .target_name = name,
                                          .target_name_size = strlen(name),      .handler = (void *)(uintptr_t)handler,
                                          .platform_name = platforms[i],         .platform_name_size = 4};
        pj_error *e = tell(&a);
        if (e != NULL) CH_TRY(ch__pjrt_error(plugin, e, "ffi register"));
    }
    return CH_OK;
}

static ch_status ffi_register(ch_plugin *plugin, const char *name, ch_ffi_fn fn, void *user, xf_handler own) {
    int n = atomic_load(&ffi_n);
    if (ffi_find(plugin, name) != NULL)
        return ch__fail(CH__E_argument,
                        "ffi register: \"%s\" is registered with %s already — a plugin keeps the first; take another "
                        "name",
                        name, plugin->path);
    if (n == FFI_POOL)
        return ch__fail(CH__E_limit, "ffi register: \"%s\" would be handler %d — a process has %d", name, n + 1,
                        FFI_POOL);
    ffi_entry *e = &ffi_entries[n];
    *e = (ffi_entry){.plugin = plugin, .fn = fn, .user = user};
    memcpy(e->name, name, strlen(name) + 1);
    CH_TRY(ffi_tell(plugin, name, own != NULL ? own : ffi_pool[n]));
    if (own == NULL && atomic_load(&e->asked) == 0)
        return ch__fail(CH__E_unsupported, "ffi register: \"%s\": %s did not take it: it has not asked for its version",
                        name, plugin->path);
    atomic_store(&ffi_n, n + 1);
    return CH_OK;
}

ch_status ch_ffi_register(ch_plugin *plugin, const char *name, ch_ffi_fn fn, void *user) {
    CH_TRY(ffi_check(plugin, name));
    if (fn == NULL) return ch__fail(CH__E_argument, "ffi register: the function for \"%s\" is NULL — give one", name);
    pthread_mutex_lock(&ffi_lock);
    ch_status s = ffi_register(plugin, name, fn, user, NULL);
    pthread_mutex_unlock(&ffi_lock);
    return s;
}

ch_status ch_ffi_register_symbol(ch_plugin *plugin, const char *name, const char *library, const char *symbol) {
    CH_TRY(ffi_check(plugin, name));
    if (library == NULL || symbol == NULL)
        return ch__fail(CH__E_argument, "ffi register: the %s for \"%s\" is NULL — give one",
                        library == NULL ? "library" : "symbol", name);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return ch__fail(CH__E_file, "ffi register: \"%s\": %s", name, dlerror());
    void *address = dlsym(handle, symbol);
    ch_status s;
    pthread_mutex_lock(&ffi_lock);
    if (address == NULL)
        s = ch__fail(CH__E_unknown_name, "ffi register: \"%s\": %s has no symbol %s", name, library, symbol);
    else
        s = ffi_register(plugin, name, NULL, NULL, (xf_handler)(uintptr_t)address);
    pthread_mutex_unlock(&ffi_lock);
    if (s != CH_OK) dlclose(handle); // else the plugin has its address
    return s;
}

// Names are few: the i-th is the one that i others come before.
const char *ch_ffi_registered(ch_plugin *plugin, int i) {
    int n = atomic_load(&ffi_n);
    for (int k = 0; k < n; k++) {
        int before = 0;
        if (ffi_entries[k].plugin != plugin) continue;
        for (int m = 0; m < n; m++)
            before += ffi_entries[m].plugin == plugin && strcmp(ffi_entries[m].name, ffi_entries[k].name) < 0;
        if (before == i) return ffi_entries[k].name;
    }
    return NULL;
}

ch_status ch__ffi_explain(ch_plugin *plugin, ch_status s) {
    const char *said = ch_error_message();
    if (s == CH_OK ||
        (strstr(said, "No FFI handler registered") == NULL && strstr(said, "No registered implementation for") == NULL))
        return s;
    ch__error_copy copy;
    char names[512] = "";
    ch__error_save(&copy);
    // "untyped custom call to NAME for Host": the text does not say which version of the call it means.
    static const char untyped[] = "untyped custom call to ";
    const char *at = strstr(said, untyped);
    for (int i = 0; at != NULL && ch_ffi_registered(plugin, i) != NULL; i++) {
        const char *name = ch_ffi_registered(plugin, i);
        size_t n = strlen(name);
        if (strncmp(at + sizeof untyped - 1, name, n) != 0 || strncmp(at + sizeof untyped - 1 + n, " for ", 5) != 0)
            continue;
        return ch__fail(copy.id, "%.1000s — the handler is there: write {api_version = 4 : i32}", copy.message);
    }
    for (int i = 0; ch_ffi_registered(plugin, i) != NULL && strlen(names) < sizeof names - 4; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 ch_ffi_registered(plugin, i));
    copy.message[sizeof copy.message - sizeof names - 64] = '\0';
    return ch__fail(copy.id, "%s — handlers registered with this plugin: %s", copy.message,
                    names[0] != '\0' ? names : "none");
}

// ---------------------------------------------------------------- in a handler
ch_status ch_ffi_fail(ch_ffi_call *call, ch_status status, const char *sentence) {
    if (status == CH_OK) status = CH_INTERNAL;
    snprintf(call->sentence, sizeof call->sentence, "%s", sentence == NULL ? "" : sentence);
    return status;
}

static ch_status ffi_refuse(ch_ffi_call *call, ch_status s, const char *format, const char *a, const char *b) {
    snprintf(call->sentence, sizeof call->sentence, format, a, b);
    return s;
}

static ch_dtype ffi_dtype(int d) {
    switch (d) {
    case XF_PRED: return CH_BOOL;
    case XF_S8: return CH_I8;
    case XF_S16: return CH_I16;
    case XF_S32: return CH_I32;
    case XF_S64: return CH_I64;
    case XF_U8: return CH_U8;
    case XF_U16: return CH_U16;
    case XF_U32: return CH_U32;
    case XF_U64: return CH_U64;
    case XF_F16: return CH_F16;
    case XF_BF16: return CH_BF16;
    case XF_F32: return CH_F32;
    case XF_F64: return CH_F64;
    case XF_F8E4M3FN: return CH_F8E4M3;
    case XF_F8E5M2: return CH_F8E5M2;
    default: return (ch_dtype)0;
    }
}

static ch_status ffi_array(ch_ffi_call *call, const xf_args *of, const char *what, int i, ch_ffi_array *out) {
    char which[32];
    snprintf(which, sizeof which, "%s %d", what, i);
    if (out == NULL) return ffi_refuse(call, CH_INVALID_ARGUMENT, "%s: the place for the array is NULL%s", which, "");
    if (i < 0 || i >= of->size) return ffi_refuse(call, CH_INVALID_ARGUMENT, "the program passes no %s%s", which, "");
    if (of->types[i] != XF_ARG_BUFFER) return ffi_refuse(call, CH_UNIMPLEMENTED, "%s is no array%s", which, "");
    const xf_buffer *b = of->items[i];
    *out = (ch_ffi_array){.dtype = ffi_dtype(b->dtype), .rank = (int)b->rank, .dims = b->dims, .data = b->data};
    out->count = 1;
    for (int d = 0; d < out->rank; d++) out->count *= out->dims[d];
    return CH_OK;
}

int ch_ffi_num_args(const ch_ffi_call *call) { return (int)call->frame->args.size; }
int ch_ffi_num_results(const ch_ffi_call *call) { return (int)call->frame->rets.size; }

ch_status ch_ffi_arg(ch_ffi_call *call, int i, ch_ffi_array *out) {
    return ffi_array(call, &call->frame->args, "argument", i, out);
}

ch_status ch_ffi_result(ch_ffi_call *call, int i, ch_ffi_array *out) {
    return ffi_array(call, &call->frame->rets, "result", i, out);
}

// ---------------------------------------------------------------- attributes
int ch_ffi_num_attrs(const ch_ffi_call *call) { return (int)call->frame->attrs.size; }

const char *ch_ffi_attr_name(const ch_ffi_call *call, int i, size_t *out_n) {
    if (i < 0 || i >= call->frame->attrs.size || out_n == NULL) return NULL;
    *out_n = call->frame->attrs.names[i]->size;
    return call->frame->attrs.names[i]->data;
}

static int64_t ffi_attr_find(const xf_attrs *in, const char *name, size_t n) {
    int64_t i = 0;
    while (i < in->size && (in->names[i]->size != n || memcmp(in->names[i]->data, name, n) != 0)) i++;
    return i;
}

// place: the caller has one for what is read.
static ch_status ffi_attr(ch_ffi_call *call, const char *name, int kind, bool place, const void **out) {
    static const char *const kinds[] = {"nothing known", "an array", "a dictionary", "a number", "text"};
    const xf_attrs *in = &call->frame->attrs;
    if (name == NULL || !place)
        return ffi_refuse(call, CH_INVALID_ARGUMENT, "attribute %s: the %s is NULL", name == NULL ? "(none)" : name,
                          name == NULL ? "name" : "place for it");
    for (const char *at = name;;) {
        size_t n = strlen(at);
        int64_t i = ffi_attr_find(in, at, n); // names may have points
        if (i == in->size) i = ffi_attr_find(in, at, n = strcspn(at, "."));
        if (i == in->size) return ffi_refuse(call, CH_NOT_FOUND, "there is no attribute %s%s", name, "");
        int want = at[n] == '.' ? XF_ATTR_DICTIONARY : kind, is = in->types[i];
        if (is != want) {
            char what[600];
            snprintf(what, sizeof what, "%.500s is %s", name, is >= 1 && is <= 4 ? kinds[is] : kinds[0]);
            return ffi_refuse(call, CH_INVALID_ARGUMENT, "attribute %s, %s is wanted", what, kinds[want]);
        }
        *out = in->items[i];
        if (at[n] == '\0') return CH_OK;
        in = in->items[i];
        at += n + 1;
    }
}

ch_status ch_ffi_attr_i64(ch_ffi_call *call, const char *name, int64_t *out) {
    const void *found = NULL;
    CH_TRY(ffi_attr(call, name, XF_ATTR_SCALAR, out != NULL, &found));
    const xf_scalar *s = found;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    uint64_t u64;
    switch (s->dtype) {
    case XF_PRED:
    case XF_U8: *out = *(const uint8_t *)s->value; return CH_OK;
    case XF_S8:
        memcpy(&i8, s->value, 1);
        *out = i8;
        return CH_OK;
    case XF_S16:
        memcpy(&i16, s->value, 2);
        *out = i16;
        return CH_OK;
    case XF_U16:
        memcpy(&i16, s->value, 2);
        *out = (uint16_t)i16;
        return CH_OK;
    case XF_S32:
        memcpy(&i32, s->value, 4);
        *out = i32;
        return CH_OK;
    case XF_U32:
        memcpy(&i32, s->value, 4);
        *out = (uint32_t)i32;
        return CH_OK;
    case XF_S64: memcpy(out, s->value, 8); return CH_OK;
    case XF_U64:
        memcpy(&u64, s->value, 8);
        if (u64 > INT64_MAX)
            return ffi_refuse(call, CH_OUT_OF_RANGE, "attribute %s is a ui64 above what an i64 holds%s", name, "");
        *out = (int64_t)u64;
        return CH_OK;
    default: return ffi_refuse(call, CH_INVALID_ARGUMENT, "attribute %s is no integer%s", name, "");
    }
}

ch_status ch_ffi_attr_f64(ch_ffi_call *call, const char *name, double *out) {
    const void *found = NULL;
    CH_TRY(ffi_attr(call, name, XF_ATTR_SCALAR, out != NULL, &found));
    const xf_scalar *s = found;
    float f;
    if (s->dtype == XF_F32) {
        memcpy(&f, s->value, sizeof f);
        *out = (double)f;
    } else if (s->dtype == XF_F64) {
        memcpy(out, s->value, sizeof *out);
    } else {
        return ffi_refuse(call, CH_INVALID_ARGUMENT, "attribute %s is neither f32 nor f64%s", name, "");
    }
    return CH_OK;
}

ch_status ch_ffi_attr_text(ch_ffi_call *call, const char *name, const char **out, size_t *out_n) {
    const void *found = NULL;
    CH_TRY(ffi_attr(call, name, XF_ATTR_STRING, out != NULL && out_n != NULL, &found));
    *out = ((const xf_span *)found)->data;
    *out_n = ((const xf_span *)found)->size;
    return CH_OK;
}

ch_status ch_ffi_attr_array(ch_ffi_call *call, const char *name, ch_dtype *out_dtype, const void **out_data,
                            int64_t *out_n) {
    const void *found = NULL;
    CH_TRY(ffi_attr(call, name, XF_ATTR_ARRAY, out_dtype != NULL && out_data != NULL && out_n != NULL, &found));
    const xf_array *a = found;
    *out_dtype = ffi_dtype(a->dtype);
    *out_data = a->data;
    *out_n = (int64_t)a->size;
    return CH_OK;
}

void *ch_ffi_stream(ch_ffi_call *call) {
    const xf_api *api = call->frame->api;
    if (api->stream_get == NULL) return NULL;
    xf_stream_get_args a = {PJ_ARGS(xf_stream_get_args), .ctx = call->frame->ctx};
    xf_error *e = api->stream_get(&a);
    if (e == NULL) return a.stream;
    xf_error_destroy_args d = {PJ_ARGS(xf_error_destroy_args), .error = e}; // a host has none
    if (api->error_destroy != NULL) api->error_destroy(&d);
    return NULL;
}
