// SPDX-License-Identifier: Apache-2.0
// session.c - a client of a plugin, opened and closed, and what it counts.
//
// Memory of a CUDA device is asked for with a fraction and without being taken at once, always: a client without these
// options would take three quarters of it, which on machines with one memory is the host's. Closing refuses new calls,
// waits for those in flight, and takes apart buffers, programs and client in that order, since plugins crash on others.
// A CPU with one device runs programs in the thread that asks (asynchronous: false): they are awaited at once, and the
// way to another thread and back costs as much as a small program.
#include "pjrt/pjrt.h"

#include <string.h>

// ---------------------------------------------------------------- calls in flight
ch_status ch__session_enter(ch_session *s, const char *who) {
    pthread_mutex_lock(&s->lock);
    bool open = !s->closing;
    if (open) s->in_flight++;
    pthread_mutex_unlock(&s->lock);
    return open ? CH_OK : ch__fail(CH__E_session_closed, "%s: the session was closed — open a new one", who);
}

void ch__session_left(ch_session *s) {
    if (--s->in_flight == 0 && s->closing) pthread_cond_broadcast(&s->changed);
}

void ch__session_leave(ch_session *s) {
    pthread_mutex_lock(&s->lock);
    ch__session_left(s);
    pthread_mutex_unlock(&s->lock);
}

void ch__session_release(ch_session *s) {
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->compiling);
    pthread_cond_destroy(&s->changed);
    ch__free(s->device_ids);
    ch__free(s->table);
    ch__free(s);
}

// ---------------------------------------------------------------- options
typedef struct session_memory {
    double fraction;
    bool preallocate;
} session_memory;

static ch_status session_fraction(const ch_session_options *o, double *out) {
    const char *env = o->memory_fraction != 0 ? NULL : ch__env("CHAAC_PJRT_MEMORY_FRACTION");
    double v = o->memory_fraction != 0 ? o->memory_fraction : 0.5;
    if (env != NULL && env[0] != '\0') {
        const char *end = env + strlen(env);
        if (ch__parse_f64(env, end, &v) != end || !(v > 0 && v <= 1))
            return ch__fail(CH__E_argument,
                            "session open: CHAAC_PJRT_MEMORY_FRACTION is \"%s\" — a number above 0, at most 1", env);
    }
    if (!(v > 0 && v <= 1)) {
        char text[CH__NUM_CHARS];
        ch__format_f64(text, v);
        return ch__fail(CH__E_argument, "session open: memory_fraction is %s — a number above 0, at most 1", text);
    }
    *out = v;
    return CH_OK;
}

static ch_status session_preallocate(const ch_session_options *o, bool *out) {
    const char *v = o->preallocate != NULL ? o->preallocate : ch__env("CHAAC_PJRT_PREALLOCATE");
    *out = v != NULL && strcmp(v, "true") == 0;
    if (v == NULL || v[0] == '\0' || *out || strcmp(v, "false") == 0) return CH_OK;
    return ch__fail(CH__E_argument, "session open: %s is \"%s\" — true or false",
                    o->preallocate != NULL ? "preallocate" : "CHAAC_PJRT_PREALLOCATE", v);
}

static ch_status session_options(const ch_session_options *given, ch_session_options *o, session_memory *m) {
    *o = (ch_session_options){.struct_size = sizeof *o};
    if (given != NULL) {
        if (given->struct_size == 0 || given->struct_size > sizeof *o)
            return ch__fail(CH__E_argument, "session open: struct_size is %zu — sizeof(ch_session_options) is %zu",
                            given->struct_size, sizeof *o);
        memcpy(o, given, given->struct_size);
    }
    if (o->target == 0) CH_TRY(ch__pjrt_target(&o->target));
    if (o->target < CH_CPU || o->target > CH_CEREBRAS)
        return ch__fail(CH__E_argument, "session open: target %d — CH_CPU, CH_CUDA, CH_TPU, CH_METAL or CH_CEREBRAS",
                        (int)o->target);
    if (o->num_processes < 0 || o->num_processes > 1 || o->process_id != 0 || o->coordinator != NULL)
        return ch__fail(CH__E_unsupported,
                        "session open: %s — one process drives all devices of a session; several are not supported",
                        o->num_processes > 1 || o->num_processes < 0 ? "num_processes"
                        : o->process_id != 0                         ? "process_id"
                                                                     : "coordinator");
    if (o->device_count < 0 || o->device_count > 1024)
        return ch__fail(CH__E_argument, "session open: device_count is %d — 1 to 1024", o->device_count);
    if (o->device_count > 0 && o->target != CH_CPU)
        return ch__fail(CH__E_argument, "session open: device_count is for CH_CPU — %s has the devices there are",
                        ch_target_name(o->target));
    if (o->target != CH_CUDA && (o->memory_fraction != 0 || o->preallocate != NULL))
        return ch__fail(CH__E_argument, "session open: %s is for CH_CUDA, the target is %s",
                        o->preallocate != NULL ? "preallocate" : "memory_fraction", ch_target_name(o->target));
    CH_TRY(session_fraction(o, &m->fraction));
    return session_preallocate(o, &m->preallocate);
}

static pj_named_value session_named(const char *name, int type) {
    return (pj_named_value){PJ_ARGS(pj_named_value), .name = name, .name_size = strlen(name), .type = type,
                            .value_size = 1};
}

// ---------------------------------------------------------------- open
static ch_status session_describe(ch_session *s, const char *what) {
    const ch_plugin *p = s->plugin;
    pj_client_platform_name_args name = {PJ_ARGS(pj_client_platform_name_args), .client = s->client};
    CH_TRY(ch__pjrt_call(p, PJ_CLIENT_PLATFORM_NAME, &name, what));
    ch__pjrt_copy_text(s->platform, sizeof s->platform, name.platform_name, name.platform_name_size);
    pj_client_platform_version_args version = {PJ_ARGS(pj_client_platform_version_args), .client = s->client};
    CH_TRY(ch__pjrt_call(p, PJ_CLIENT_PLATFORM_VERSION, &version, what));
    ch__pjrt_copy_text(s->platform_version, sizeof s->platform_version, version.platform_version,
                       version.platform_version_size);
    pj_client_addressable_devices_args d = {PJ_ARGS(pj_client_addressable_devices_args), .client = s->client};
    CH_TRY(ch__pjrt_call(p, PJ_CLIENT_ADDRESSABLE_DEVICES, &d, what));
    if (d.num_devices < 1 || d.num_devices > 1 << 20)
        return ch__fail(CH__E_device_state, "session open: the plugin has no device here");
    s->devices = d.devices;
    s->n_devices = (int)d.num_devices;
    s->device_ids = ch__calloc(d.num_devices, sizeof *s->device_ids);
    if (s->device_ids == NULL) return ch__fail_oom("a session");
    for (int i = 0; i < s->n_devices; i++) {
        pj_device_get_description_args g = {PJ_ARGS(pj_device_get_description_args), .device = s->devices[i]};
        CH_TRY(ch__pjrt_call(p, PJ_DEVICE_GET_DESCRIPTION, &g, what));
        pj_device_description_id_args id = {PJ_ARGS(pj_device_description_id_args),
                                            .device_description = g.device_description};
        CH_TRY(ch__pjrt_call(p, PJ_DEVICE_DESCRIPTION_ID, &id, what));
        s->device_ids[i] = id.id;
        pj_device_description_kind_args kind = {PJ_ARGS(pj_device_description_kind_args),
                                                .device_description = g.device_description};
        if (i > 0) continue;
        CH_TRY(ch__pjrt_call(p, PJ_DEVICE_DESCRIPTION_KIND, &kind, what));
        ch__pjrt_copy_text(s->device_kind, sizeof s->device_kind, kind.device_kind, kind.device_kind_size);
    }
    return CH_OK;
}

static ch_status session_create(ch_session *s, const ch_session_options *o, const session_memory *m) {
    pj_named_value values[2];
    size_t n = 0;
    if (o->target == CH_CPU) {
        values[n] = session_named("cpu_device_count", PJ_NAMED_INT64);
        values[n++].value.int64_value = o->device_count > 0 ? o->device_count : 1;
    }
    if (o->target == CH_CPU && o->device_count <= 1) { // every run is awaited: by this thread itself, not by another
        values[n] = session_named("asynchronous", PJ_NAMED_BOOL);
        values[n++].value.bool_value = false;
    }
    if (o->target == CH_CUDA) {
        values[n] = session_named("memory_fraction", PJ_NAMED_FLOAT);
        values[n++].value.float_value = (float)m->fraction;
        values[n] = session_named("preallocate", PJ_NAMED_BOOL);
        values[n++].value.bool_value = m->preallocate;
    }
    pj_client_create_args c = {PJ_ARGS(pj_client_create_args), .create_options = values, .num_options = n};
    CH_TRY(ch__pjrt_call(s->plugin, PJ_CLIENT_CREATE, &c, "session open"));
    s->client = c.client;
    CH_TRY(session_describe(s, "session open"));
    bool told = o->target == CH_CPU || o->target == CH_CUDA; // others call themselves by several names
    if (told && strcmp(s->platform, ch_target_name(o->target)) != 0)
        return ch__fail(CH__E_plugin, "session open: %s is a plugin for %s, the target is %s — name one that is for it",
                        s->plugin->path, s->platform, ch_target_name(o->target));
    s->on_host =
        strcmp(s->platform, "cpu") == 0 && ch__plugin_has(s->plugin, PJ_BUFFER_OPAQUE_DEVICE_MEMORY_DATA_POINTER);
    return CH_OK;
}

ch_status ch_session_open(const ch_session_options *options, ch_session **out_session) {
    if (out_session == NULL) return ch__fail(CH__E_argument, "session open: out_session is NULL");
    ch_session_options o;
    session_memory m = {0.5, false};
    CH_TRY(session_options(options, &o, &m));
    char *path = NULL;
    ch_plugin *plugin = NULL;
    CH_TRY(ch_plugin_find(o.target, o.plugin, &path));
    ch_status st = ch_plugin_load(path, &plugin);
    ch__free(path);
    if (st != CH_OK) return st;
    ch_session *s = ch__calloc(1, sizeof *s);
    if (s == NULL) return ch__fail_oom("a session");
    s->n_table = 64;
    s->table = ch__calloc((size_t)s->n_table, sizeof(ch__pjrt_program *));
    if (s->table == NULL) {
        ch__free(s);
        return ch__fail_oom("a session");
    }
    atomic_init(&s->refs, 1);
    s->plugin = plugin;
    s->target = o.target;
    s->no_donation = o.no_donation != 0;
    s->kernels_only = o.kernels_only != 0;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->compiling, NULL);
    pthread_cond_init(&s->changed, NULL);
    st = session_create(s, &o, &m);
    if (st != CH_OK) {
        ch__error_copy kept;
        ch__error_save(&kept);
        ch_session_close(s);
        return ch__error_publish(&kept);
    }
    *out_session = s;
    return CH_OK;
}

// ---------------------------------------------------------------- close
// The client goes with the close, or with the last of what was lent.
void ch__session_unlend(ch_session *s) {
    pthread_mutex_lock(&s->lock);
    bool last = --s->lent == 0;
    pthread_mutex_unlock(&s->lock);
    if (!last || s->client == NULL) return;
    pj_client_destroy_args d = {PJ_ARGS(pj_client_destroy_args), .client = s->client};
    ch__pjrt_quiet(s->plugin, PJ_CLIENT_DESTROY, &d);
    s->client = NULL;
}

void ch_session_close(ch_session *s) {
    if (s == NULL) return;
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    while (s->in_flight > 0) pthread_cond_wait(&s->changed, &s->lock);
    s->lent = 1;        // ours
    ch__buffers_end(s); // from here no other thread's close of a buffer reaches the client
    for (ch__pjrt_program *p = s->programs, *next; p != NULL; p = next) {
        next = p->next;
        ch__pjrt_program_free(s, p);
    }
    s->programs = NULL;
    ch__session_unlend(s);
    ch__session_release(s);
}

// ---------------------------------------------------------------- what it is and did
ch_plugin *ch_session_plugin(const ch_session *s) { return s == NULL ? NULL : s->plugin; }
const char *ch_session_platform(const ch_session *s) { return s == NULL ? NULL : s->platform; }
const char *ch_session_device(const ch_session *s) { return s == NULL ? NULL : s->device_kind; }
int ch_session_device_count(const ch_session *s) { return s == NULL ? 0 : s->n_devices; }

ch_dtype ch_session_computes_in(const ch_session *s, ch_dtype d) {
    bool narrow =
        s != NULL && d == CH_F64 && (s->target == CH_TPU || s->target == CH_METAL || s->target == CH_CEREBRAS);
    return narrow ? CH_F32 : d;
}

int64_t ch_session_cache_size(ch_session *s) {
    ch_session_counters c;
    ch_session_count(s, &c);
    return c.programs;
}

void ch_session_count(ch_session *s, ch_session_counters *out) {
    if (out == NULL) return;
    *out = (ch_session_counters){0};
    if (s == NULL) return;
    pthread_mutex_lock(&s->lock);
    out->programs = s->n_programs;
    for (const ch_buffer *b = s->buffers; b != NULL; b = b->next) out->buffers++;
    pthread_mutex_unlock(&s->lock);
    out->compiles = atomic_load(&s->compiles);
    out->from_disk = atomic_load(&s->from_disk);
    out->hits = atomic_load(&s->hits);
    out->emissions = atomic_load(&s->emissions);
    out->kernels = atomic_load(&s->kernels);
    out->references = atomic_load(&s->references);
    out->runs = atomic_load(&s->runs);
    out->bytes_up = atomic_load(&s->bytes_up);
    out->bytes_down = atomic_load(&s->bytes_down);
}

ch_status ch_session_memory(ch_session *s, ch_session_memory_info *out) {
    if (s == NULL || out == NULL)
        return ch__fail(CH__E_argument, "ch_session_memory: %s is NULL", s == NULL ? "s" : "out");
    *out = (ch_session_memory_info){-1, -1, -1};
    CH_TRY(ch__session_enter(s, "session memory"));
    pj_device_memory_stats_args a = {PJ_ARGS(pj_device_memory_stats_args), .device = s->devices[0]};
    ch_status st = CH_OK;
    if (ch__plugin_has(s->plugin, PJ_DEVICE_MEMORY_STATS))
        st = ch__pjrt_call(s->plugin, PJ_DEVICE_MEMORY_STATS, &a, "session memory");
    if (st == CH_OK && ch__plugin_has(s->plugin, PJ_DEVICE_MEMORY_STATS)) {
        out->bytes_in_use = a.bytes_in_use;
        if (a.peak_bytes_in_use_is_set) out->peak_bytes = a.peak_bytes_in_use;
        if (a.bytes_limit_is_set) out->limit_bytes = a.bytes_limit;
    }
    if (st == CH_UNIMPLEMENTED) { // not reported, which is no error
        ch_error_clear();
        st = CH_OK;
    }
    ch__session_leave(s);
    return st;
}
