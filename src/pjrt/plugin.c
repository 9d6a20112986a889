// SPDX-License-Identifier: Apache-2.0
// plugin.c - loading a plugin, once in a process, and what it says of itself.
//
// A plugin starts threads and keeps registries that cannot be taken back, so it is never unloaded, and a file is loaded
// once however it is named. A flag in XLA_FLAGS that the plugin does not know ends the process when it is loaded, so
// the flags are looked for in the plugin's file first: each that it knows is a string in it. Plugins log to stderr
// unless TF_CPP_MIN_LOG_LEVEL says otherwise before they are loaded; it is set to 3 when it is not set.
#include "pjrt/pjrt.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

static pthread_mutex_t plugin_lock = PTHREAD_MUTEX_INITIALIZER;
static ch_plugin *plugin_list;

bool ch__plugin_has(const ch_plugin *p, pj_slot slot) {
    size_t end = offsetof(pj_api, slot) + ((size_t)slot + 1) * sizeof(pj_fn);
    return p->api->struct_size >= end && p->api->slot[slot] != NULL;
}

const pj_extension *ch__plugin_extension(const ch_plugin *p, int type) {
    const pj_extension *e = p->api->extension_start;
    while (e != NULL && e->type != type) e = e->next;
    return e;
}

// ---------------------------------------------------------------- XLA_FLAGS
// What the plugin's file says of a flag: its name is a string there, and a field of XLA's DebugOptions, which the file
// describes in the wire format of protocol buffers: 1 name, 3 number (0x18), 4 label (0x20), 5 type (0x28).
typedef struct {
    bool named;
    int type; // FieldDescriptorProto.Type; 0: no such field, as of a few flags
} plugin_flag;
enum { PLUGIN_INT64 = 3, PLUGIN_INT32 = 5, PLUGIN_BOOL = 8 };

static int plugin_field_type(const unsigned char *p, const unsigned char *end) {
    if (p < end && *p == 0x18) p++;
    while (p < end && (*p & 0x80) != 0) p++;
    return end - p >= 5 && p[1] == 0x20 && p[3] == 0x28 ? p[4] : 0;
}

static plugin_flag plugin_find_flag(const unsigned char *file, size_t n, const char *name, size_t len) {
    plugin_flag flag = {false, 0};
    const unsigned char *at = file + 2, *end = file + n;
    while ((size_t)(end - at) > len && (at = memchr(at, name[0], (size_t)(end - at) - len)) != NULL) {
        if (memcmp(at, name, len) == 0) {
            flag.named = flag.named || at[len] == '\0';
            if (at[len] == 0x18 && at[-2] == 0x0a && at[-1] == len) flag.type = plugin_field_type(at + len, end);
            if (flag.named && flag.type != 0) break;
        }
        at++;
    }
    return flag;
}

// NULL: the value, "" or "=...", may be taken; else what is.
static const char *plugin_wants(int type, const char *value, size_t n) {
    static const char *const bools[] = {"", "=true", "=false", "=1", "=0"};
    if (type == PLUGIN_BOOL) {
        for (size_t i = 0; i < sizeof bools / sizeof *bools; i++)
            if (strlen(bools[i]) == n && strncasecmp(value, bools[i], n) == 0) return NULL;
        return "true or false";
    }
    if (type != PLUGIN_INT32 && type != PLUGIN_INT64) return NULL;
    int64_t v = 0;
    bool over = n < 2;
    bool plus = n > 2 && value[1] == '+';
    const char *from = value + (plus ? 2 : 1);
    over = over || (plus && value[2] == '-');
    const char *to = over ? NULL : ch__parse_i64(from, value + n, &v, &over);
    if (type == PLUGIN_INT32 && (v > INT32_MAX || v < INT32_MIN)) over = true;
    if (!over && to == value + n && from < to) return NULL;
    return type == PLUGIN_INT32 ? "a whole number of 32 bits" : "a whole number of 64 bits";
}

static ch_status plugin_check_each(const char *flags, const char *path, const char *file, size_t n) {
    for (const char *f = flags; *f != '\0';) {
        f += strspn(f, " \t\n");
        size_t whole = strcspn(f, " \t\n");
        if (whole == 0) return CH_OK;
        const char *name = f + 2;
        size_t len = strncmp(f, "--xla_", 6) == 0 ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;
        if (len <= 4 || (len + 2 < whole && name[len] != '='))
            return ch__fail(CH__E_plugin,
                            "plugin load: XLA_FLAGS has %.*s, which is no flag — it would end the process; write "
                            "--xla_name=value, flags apart by blanks",
                            (int)whole, f);
        const plugin_flag flag = plugin_find_flag((const unsigned char *)file, n, name, len);
        const char *wants = plugin_wants(flag.type, name + len, whole - 2 - len);
        if (flag.named && wants != NULL)
            return ch__fail(CH__E_plugin,
                            "plugin load: XLA_FLAGS has %.*s, which would end the process — %s takes %s there",
                            (int)whole, f, path, wants);
        if (!flag.named)
            return ch__fail(
                CH__E_plugin,
                "plugin load: XLA_FLAGS has --%.*s, which %s does not know — it would end the process; take "
                "it out, or give flags for one compile (ch_session_call)",
                (int)len, name, path);
        f += whole;
    }
    return CH_OK;
}

static ch_status plugin_check_flags(const char *path) {
    const char *flags = ch__env_foreign("XLA_FLAGS");
    if (flags == NULL || flags[strspn(flags, " \t\n")] == '\0') return CH_OK;
    if (flags[strspn(flags, " \t\n")] != '-')
        return ch__fail(CH__E_plugin,
                        "plugin load: XLA_FLAGS is \"%s\", which names a file of flags — it cannot be checked; write "
                        "the flags themselves",
                        flags);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size <= 0) {
        if (fd >= 0) close(fd);
        return ch__fail(CH__E_plugin, "plugin load: %s cannot be read", path);
    }
    void *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED) return ch__fail(CH__E_plugin, "plugin load: %s cannot be read", path);
    ch_status s = plugin_check_each(flags, path, file, (size_t)st.st_size);
    munmap(file, (size_t)st.st_size);
    return s;
}

// ---------------------------------------------------------------- what it says
static bool plugin_named(const pj_named_value *v, const char *name, int type) {
    return v->type == type && v->name_size == strlen(name) && memcmp(v->name, name, v->name_size) == 0;
}

static void plugin_attributes(ch_plugin *p) {
    pj_plugin_attributes_args a = {PJ_ARGS(pj_plugin_attributes_args)};
    if (ch__pjrt_call(p, PJ_PLUGIN_ATTRIBUTES, &a, "plugin load") != CH_OK) return; // some have none
    size_t stride = sizeof(pj_named_value);
    for (size_t i = 0; i < a.num_attributes; i++) {
        const pj_named_value *v = (const pj_named_value *)(const void *)((const char *)a.attributes + i * stride);
        if (plugin_named(v, "xla_version", PJ_NAMED_INT64)) p->xla_version = v->value.int64_value;
        bool now = plugin_named(v, "stablehlo_current_version", PJ_NAMED_INT64_LIST);
        if (now && v->value_size == 3) memcpy(p->stablehlo, v->value.int64_array_value, sizeof p->stablehlo);
    }
}

// What sessions cannot do without; the rest is asked for where it is used.
static ch_status plugin_check_slots(const ch_plugin *p) {
    static const pj_slot needed[] = {PJ_ERROR_DESTROY,
                                     PJ_ERROR_MESSAGE,
                                     PJ_EVENT_DESTROY,
                                     PJ_EVENT_AWAIT,
                                     PJ_CLIENT_CREATE,
                                     PJ_CLIENT_DESTROY,
                                     PJ_CLIENT_ADDRESSABLE_DEVICES,
                                     PJ_CLIENT_COMPILE,
                                     PJ_CLIENT_BUFFER_FROM_HOST_BUFFER,
                                     PJ_EXECUTABLE_DESTROY,
                                     PJ_LOADED_EXECUTABLE_DESTROY,
                                     PJ_LOADED_EXECUTABLE_GET_EXECUTABLE,
                                     PJ_LOADED_EXECUTABLE_EXECUTE,
                                     PJ_BUFFER_DESTROY,
                                     PJ_BUFFER_TO_HOST_BUFFER};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!ch__plugin_has(p, needed[i]))
            return ch__fail(CH__E_plugin, "plugin load: %s does not have %s — no session does without it", p->path,
                            ch__pjrt_slot_name(needed[i]));
    return CH_OK;
}

static ch_status plugin_read(ch_plugin *p) {
    pj_get_api get;
    void *symbol = dlsym(p->library, "GetPjrtApi");
    if (symbol == NULL)
        return ch__fail(CH__E_plugin, "plugin load: %s is no PJRT plugin — it has no GetPjrtApi", p->path);
    memcpy(&get, &symbol, sizeof get);
    p->api = get();
    if (p->api == NULL) return ch__fail(CH__E_plugin, "plugin load: GetPjrtApi of %s gives nothing", p->path);
    if (p->api->struct_size < offsetof(pj_api, slot))
        return ch__fail(CH__E_plugin, "plugin load: the table of %s has %zu bytes — no table is that short", p->path,
                        p->api->struct_size);
    p->minor = p->api->version.minor;
    if (p->api->version.major != PJ_API_MAJOR || p->minor < PJ_API_MINOR_OLDEST)
        return ch__fail(CH__E_plugin, "plugin load: %s has PJRT API %d.%d — versions from %d.%d, below %d.0, are used",
                        p->path, p->api->version.major, p->minor, PJ_API_MAJOR, PJ_API_MINOR_OLDEST, PJ_API_MAJOR + 1);
    CH_TRY(plugin_check_slots(p));
    pj_plugin_initialize_args init = {PJ_ARGS(pj_plugin_initialize_args)};
    CH_TRY(ch__pjrt_call(p, PJ_PLUGIN_INITIALIZE, &init, "plugin load"));
    plugin_attributes(p);
    const pj_extension *e = ch__plugin_extension(p, PJ_EXT_FFI);
    if (e != NULL && e->struct_size >= pj_ffi_extension_size) p->ffi = (const pj_ffi_extension *)(const void *)e;
    return CH_OK;
}

// ---------------------------------------------------------------- load
// A load that failed may be tried again; the library itself stays.
static ch_status plugin_open(const char *path, ch_plugin **out_plugin) {
    CH_TRY(plugin_check_flags(path));
    ch_plugin *p = ch__calloc(1, sizeof *p);
    if (p != NULL) p->path = ch__strdup(path);
    if (p == NULL || p->path == NULL) {
        ch__free(p);
        return ch__fail_oom("a plugin");
    }
    const char *flags = ch__env_foreign("XLA_FLAGS");
    p->flags = ch__sha256_of(flags, flags == NULL ? 0 : strlen(flags));
    setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
    p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const char *why = p->library == NULL ? dlerror() : NULL;
    ch_status s =
        p->library == NULL ? ch__fail(CH__E_plugin, "plugin load: %s", why == NULL ? path : why) : plugin_read(p);
    if (s != CH_OK) {
        ch__free(p->path);
        ch__free(p);
        return s;
    }
    p->next = plugin_list;
    plugin_list = p;
    *out_plugin = p;
    return CH_OK;
}

ch_status ch_plugin_load(const char *path, ch_plugin **out_plugin) {
    if (path == NULL || out_plugin == NULL)
        return ch__fail(CH__E_argument, "ch_plugin_load: %s is NULL", path == NULL ? "path" : "out_plugin");
    char *real = realpath(path, NULL);
    if (real == NULL) return ch__fail(CH__E_no_plugin, "plugin load: there is no file %s", path);
    pthread_mutex_lock(&plugin_lock);
    ch_plugin *p = plugin_list;
    while (p != NULL && strcmp(p->path, real) != 0) p = p->next;
    ch_status s = CH_OK;
    if (p == NULL) s = plugin_open(real, &p);
    pthread_mutex_unlock(&plugin_lock);
    free(real);
    if (s == CH_OK) *out_plugin = p;
    return s;
}

const char *ch_plugin_path(const ch_plugin *p) { return p == NULL ? NULL : p->path; }

void ch_plugin_version(const ch_plugin *p, int *major, int *minor) {
    if (major != NULL) *major = p == NULL ? 0 : p->api->version.major;
    if (minor != NULL) *minor = p == NULL ? 0 : p->minor;
}

void ch_plugin_stablehlo(const ch_plugin *p, int64_t out[3]) {
    for (int i = 0; out != NULL && i < 3; i++) out[i] = p == NULL ? 0 : p->stablehlo[i];
}
