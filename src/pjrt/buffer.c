// SPDX-License-Identifier: Apache-2.0
// buffer.c - arrays on the device: made from host memory, read back, closed.
//
// A handle of the plugin is destroyed when no call uses it and its buffer is closed, donated, or its session closes;
// the ch_buffer around it lives until it is released. What a call uses it counts in `users` under the session's lock,
// so closing in another thread is safe and takes effect when the call ends. On a CPU values are read where they lie:
// the plugin's own way back costs a hop to another thread.
#include "pjrt/pjrt.h"

#include <string.h>

// ---------------------------------------------------------------- handles
void ch__buffer_handle_destroy(ch_session *s, pj_buffer *handle) {
    if (handle == NULL) return;
    pj_buffer_destroy_args d = {PJ_ARGS(pj_buffer_destroy_args), .buffer = handle};
    ch__pjrt_quiet(s->plugin, PJ_BUFFER_DESTROY, &d);
}

// b is nobody else's: its handle goes, then the host memory it lay in.
static void buffer_dispose(ch_session *s, ch_buffer *b) {
    ch__buffer_handle_destroy(s, b->handle);
    b->handle = NULL;
    if (b->host_done != NULL) {
        pj_event_await_args a = {PJ_ARGS(pj_event_await_args), .event = b->host_done};
        ch__pjrt_quiet(s->plugin, PJ_EVENT_AWAIT, &a);
        ch__pjrt_event_destroy(s->plugin, b->host_done);
        b->host_done = NULL;
    }
    if (b->release != NULL) b->release(b->user, b->data);
    b->release = NULL;
}

static void buffer_free(ch_buffer *b) {
    ch_session *s = b->session;
    ch__free(b);
    ch__session_release(s);
}

// The session's lock is held.
static void buffer_unlink(ch_session *s, ch_buffer *b) {
    if (b->prev != NULL) b->prev->next = b->next;
    if (b->next != NULL) b->next->prev = b->prev;
    if (s->buffers == b) s->buffers = b->next;
    b->next = b->prev = NULL;
}

static ch_buffer *buffer_new(ch_session *s, int device, ch_dtype dtype, int rank, const int64_t *dims) {
    ch_buffer *b = ch__alloc(sizeof *b);
    if (b == NULL) return NULL;
    memset(b, 0, offsetof(ch_buffer, dims));
    b->session = s;
    b->device = device;
    b->dtype = dtype;
    b->rank = rank;
    for (int i = 0; i < rank; i++) b->dims[i] = dims[i];
    (void)ch__pjrt_bytes(dtype, rank, dims, &b->bytes);
    b->row_major = rank <= 1 ? 1 : -1;
    return b;
}

// From here on the session knows it.
static void buffer_enlist(ch_session *s, ch_buffer *b) {
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    pthread_mutex_lock(&s->lock);
    b->next = s->buffers;
    if (b->next != NULL) b->next->prev = b;
    s->buffers = b;
    pthread_mutex_unlock(&s->lock);
}

ch_status ch__buffer_wrap(ch_session *s, pj_buffer *handle, int device, ch_dtype dtype, int rank, const int64_t *dims,
                          ch_buffer **out_buffer) {
    ch_buffer *b = buffer_new(s, device, dtype, rank, dims);
    if (b == NULL) {
        ch__buffer_handle_destroy(s, handle);
        return ch__fail_oom("a buffer");
    }
    b->handle = handle;
    buffer_enlist(s, b);
    *out_buffer = b;
    return CH_OK;
}

// ---------------------------------------------------------------- up and down
ch_status ch__buffer_upload(ch_session *s, int device, const void *data, ch_dtype dtype, int rank, const int64_t *dims,
                            int semantics, pj_buffer **out_handle, pj_event **out_event) {
    static const char nothing[64];
    size_t bytes = 0;
    if (!ch__pjrt_bytes(dtype, rank, dims, &bytes))
        return ch__fail(CH__E_limit, "buffer: an array of more than 1 TiB — no device holds it");
    pj_client_buffer_from_host_buffer_args a = {PJ_ARGS(pj_client_buffer_from_host_buffer_args),
                                                .client = s->client,
                                                .data = bytes > 0 ? data : nothing,
                                                .type = ch__pjrt_type_of(dtype), // every dtype that arrays have
                                                .dims = dims,
                                                .num_dims = (size_t)rank,
                                                .host_buffer_semantics = semantics,
                                                .device = s->devices[device]};
    if (a.data == NULL) return ch__fail(CH__E_argument, "buffer: the data is NULL — %zu bytes are needed", bytes);
    CH_TRY(ch__pjrt_call(s->plugin, PJ_CLIENT_BUFFER_FROM_HOST_BUFFER, &a, "buffer from host"));
    atomic_fetch_add_explicit(&s->bytes_up, (long long)bytes, memory_order_relaxed);
    *out_handle = a.buffer;
    if (out_event != NULL) {
        *out_event = a.done_with_host_buffer;
        return CH_OK;
    }
    ch_status st = ch__pjrt_await(s->plugin, a.done_with_host_buffer, "buffer from host");
    pj_buffer_ready_event_args r = {PJ_ARGS(pj_buffer_ready_event_args), .buffer = a.buffer};
    if (st == CH_OK) st = ch__pjrt_call(s->plugin, PJ_BUFFER_READY_EVENT, &r, "buffer from host");
    if (st == CH_OK) st = ch__pjrt_await(s->plugin, r.event, "buffer from host");
    if (st != CH_OK) ch__buffer_handle_destroy(s, a.buffer);
    return st;
}

static bool buffer_is_row_major(ch_session *s, pj_buffer *handle, int rank) {
    pj_buffer_get_memory_layout_args a = {PJ_ARGS(pj_buffer_get_memory_layout_args), .buffer = handle};
    if (!ch__plugin_has(s->plugin, PJ_BUFFER_GET_MEMORY_LAYOUT)) return false;
    a.layout.struct_size = pj_buffer_memory_layout_size;
    if (ch__pjrt_call(s->plugin, PJ_BUFFER_GET_MEMORY_LAYOUT, &a, "buffer read") != CH_OK) return false;
    const pj_memory_layout_tiled *t = &a.layout.layout.tiled;
    bool plain = a.layout.type == PJ_LAYOUT_TILED && t->num_tiles == 0 && t->minor_to_major_size == (size_t)rank;
    for (int i = 0; plain && i < rank; i++) plain = t->minor_to_major[i] == rank - 1 - i;
    return plain;
}

static ch_status buffer_by_transfer(ch_session *s, pj_buffer *handle, int rank, void *out, size_t bytes,
                                    const char *what) {
    int64_t order[16];
    for (int i = 0; i < rank; i++) order[i] = rank - 1 - i;
    pj_buffer_memory_layout layout = {PJ_ARGS(pj_buffer_memory_layout), .type = PJ_LAYOUT_TILED};
    layout.layout.tiled = (pj_memory_layout_tiled){PJ_ARGS(pj_memory_layout_tiled), .minor_to_major = order,
                                                   .minor_to_major_size = (size_t)rank};
    pj_buffer_to_host_buffer_args a = {PJ_ARGS(pj_buffer_to_host_buffer_args), .src = handle, .host_layout = &layout};
    CH_TRY(ch__pjrt_call(s->plugin, PJ_BUFFER_TO_HOST_BUFFER, &a, what)); // no dst: the size
    ch__pjrt_event_destroy(s->plugin, a.event);
    if (a.dst_size != bytes)
        return ch__fail(CH__E_device_failed, "%s: the device holds %zu bytes — %zu were expected", what, a.dst_size,
                        bytes);
    a.dst = out;
    a.event = NULL;
    CH_TRY(ch__pjrt_call(s->plugin, PJ_BUFFER_TO_HOST_BUFFER, &a, what));
    return ch__pjrt_await(s->plugin, a.event, what);
}

ch_status ch__buffer_download(ch_session *s, pj_buffer *handle, int *row_major, int rank, void *out, size_t bytes,
                              const char *what) {
    atomic_fetch_add_explicit(&s->bytes_down, (long long)bytes, memory_order_relaxed);
    if (bytes == 0) return CH_OK;
    if (s->on_host && *row_major < 0) *row_major = buffer_is_row_major(s, handle, rank);
    if (!s->on_host || *row_major != 1) return buffer_by_transfer(s, handle, rank, out, bytes, what);
    pj_buffer_opaque_device_memory_data_pointer_args a = {PJ_ARGS(pj_buffer_opaque_device_memory_data_pointer_args),
                                                          .buffer = handle};
    CH_TRY(ch__pjrt_call(s->plugin, PJ_BUFFER_OPAQUE_DEVICE_MEMORY_DATA_POINTER, &a, what));
    memcpy(out, a.device_memory_ptr, bytes);
    return CH_OK;
}

// ---------------------------------------------------------------- use
static ch_status buffer_refuse(const char *who, int i, const ch_session *s, const ch_buffer *b) {
    char which[32] = "the buffer";
    if (i >= 0) snprintf(which, sizeof which, "buffer %d", i);
    if (b == NULL) return ch__fail(CH__E_argument, "%s: %s is NULL — give a buffer", who, which);
    if (b->session != s)
        return ch__fail(CH__E_buffer_foreign, "%s: %s is of another session — read it and give it to this one", who,
                        which);
    switch (atomic_load_explicit(&b->state, memory_order_relaxed)) {
    case CH__BUFFER_DONATED:
        return ch__fail(CH__E_buffer_donated, "%s: buffer used after donation: parameter '%s' of '%s'", who,
                        b->consumed, b->consumed_by);
    case CH__BUFFER_SESSION_CLOSED: return ch__fail(CH__E_session_closed, "%s: %s: its session was closed", who, which);
    default: return ch__fail(CH__E_buffer_closed, "%s: %s was closed — use it before ch_buffer_close", who, which);
    }
}

ch_status ch__buffers_use(ch_session *s, const char *who, int n, ch_buffer *const *b) {
    pthread_mutex_lock(&s->lock);
    int i = 0;
    while (i < n && b[i] != NULL && b[i]->session == s &&
           atomic_load_explicit(&b[i]->state, memory_order_relaxed) == CH__BUFFER_OPEN)
        b[i++]->users++;
    if (i == n) {
        pthread_mutex_unlock(&s->lock);
        return CH_OK;
    }
    ch_status st = buffer_refuse(who, i, s, b[i]);
    while (i-- > 0) b[i]->users--;
    pthread_mutex_unlock(&s->lock);
    return st;
}

// Gives back a use of b, whose state is not open, and its handle with it; leave: a call in flight ends, too. True:
// it was released, so that the caller frees it.
static bool buffer_drop(ch_session *s, ch_buffer *b, bool leave) {
    buffer_dispose(s, b);
    pthread_mutex_lock(&s->lock);
    bool gone = --b->users == 0 && b->released;
    if (leave) ch__session_left(s);
    pthread_mutex_unlock(&s->lock);
    return gone;
}

// Handles of what was closed or donated meanwhile go with the last user.
void ch__buffers_done(ch_session *s, int n, ch_buffer *const *b, bool leave) {
    ch_buffer *dead = NULL;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < n; i++) {
        if (--b[i]->users > 0 || atomic_load_explicit(&b[i]->state, memory_order_relaxed) == CH__BUFFER_OPEN) continue;
        b[i]->users = 1; // ours
        buffer_unlink(s, b[i]);
        b[i]->next = dead;
        dead = b[i];
    }
    bool any = dead != NULL; // the client stays until the handles are gone, and so does s
    if (any) atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    if (any && !leave) s->in_flight++;
    if (!any && leave) ch__session_left(s);
    pthread_mutex_unlock(&s->lock);
    while (dead != NULL) {
        ch_buffer *d = dead;
        dead = d->next;
        d->next = NULL;
        bool lent = atomic_load_explicit(&d->state, memory_order_relaxed) == CH__BUFFER_SESSION_CLOSED;
        if (buffer_drop(s, d, false)) buffer_free(d);
        if (lent) ch__session_unlend(s);
    }
    if (any) {
        ch__session_leave(s);
        ch__session_release(s);
    }
}

// The session's lock is held, and given back here. What is used without a call in flight is lent (dlpack.c): its memory
// and the client stay until that ends.
void ch__buffers_end(ch_session *s) {
    ch_buffer *dead = NULL;
    for (ch_buffer *b = s->buffers, *next; b != NULL; b = next) {
        next = b->next;
        b->next = b->prev = NULL;
        atomic_store_explicit(&b->state, CH__BUFFER_SESSION_CLOSED, memory_order_relaxed);
        if (b->users > 0) {
            s->lent++;
            continue;
        }
        b->users = 1; // ours
        b->next = dead;
        dead = b;
    }
    s->buffers = NULL;
    pthread_mutex_unlock(&s->lock);
    for (ch_buffer *b = dead, *next; b != NULL; b = next) {
        next = b->next;
        b->next = NULL;
        if (buffer_drop(s, b, false)) buffer_free(b);
    }
}

// ---------------------------------------------------------------- close
static void buffer_end(ch_buffer *b, bool release) {
    ch_session *s = b->session;
    pthread_mutex_lock(&s->lock);
    bool open = atomic_load_explicit(&b->state, memory_order_relaxed) == CH__BUFFER_OPEN;
    if (open) atomic_store_explicit(&b->state, CH__BUFFER_CLOSED, memory_order_relaxed);
    bool dispose = open && b->users == 0, gone = release && !open && b->users == 0;
    if (dispose) {
        buffer_unlink(s, b);
        b->users = 1;   // ours
        s->in_flight++; // the client stays until the handle is gone
    }
    b->closed = true;
    if (release) b->released = true;
    pthread_mutex_unlock(&s->lock);
    if (dispose) gone = buffer_drop(s, b, true);
    if (gone) buffer_free(b);
}

void ch_buffer_close(ch_buffer *b) {
    if (b != NULL) buffer_end(b, false);
}

void ch_buffer_release(ch_buffer *b) {
    if (b != NULL) buffer_end(b, true);
}

// ---------------------------------------------------------------- what it is
ch_dtype ch_buffer_dtype(const ch_buffer *b) { return b == NULL ? (ch_dtype)0 : b->dtype; }
int ch_buffer_rank(const ch_buffer *b) { return b == NULL ? -1 : b->rank; }
int64_t ch_buffer_dim(const ch_buffer *b, int i) { return b == NULL || i < 0 || i >= b->rank ? -1 : b->dims[i]; }
size_t ch_buffer_bytes(const ch_buffer *b) { return b == NULL ? 0 : b->bytes; }
int ch_buffer_device(const ch_buffer *b) { return b == NULL ? -1 : b->device; }

int ch_buffer_is_open(const ch_buffer *b) {
    if (b == NULL || atomic_load_explicit(&b->state, memory_order_relaxed) != CH__BUFFER_OPEN) return false;
    pthread_mutex_lock(&b->session->lock);
    bool closing = b->session->closing;
    pthread_mutex_unlock(&b->session->lock);
    return !closing;
}

size_t ch_buffer_type(const ch_buffer *b, char *buf, size_t cap) {
    char text[512] = "";
    if (b != NULL) ch__pjrt_type_text(text, sizeof text, b->dtype, b->rank, b->dims);
    if (cap > 0) snprintf(buf, cap, "%s", text);
    return strlen(text);
}

// ---------------------------------------------------------------- from host, to host
static ch_status buffer_read_type(const char *who, const char *type, ch_dtype *dtype, int *rank, int64_t dims[16]) {
    const char *bracket = type == NULL ? NULL : strchr(type, '['), *p = bracket == NULL ? NULL : bracket + 1;
    char name[16] = "";
    if (bracket != NULL && bracket - type < (int)sizeof name) memcpy(name, type, (size_t)(bracket - type));
    *dtype = (ch_dtype)ch_dtype_from_name(name);
    *rank = 0;
    bool good = p != NULL && *dtype != 0 && ch_dtype_size(*dtype) > 0;
    for (const char *end = p; good && *end != ']'; p = end) {
        bool over = false;
        int64_t d = -1;
        end = ch__parse_i64(p, p + strlen(p), &d, &over);
        good = *p >= '0' && *p <= '9' && !over && *rank < 16; // no sign, also of 0
        if (good) dims[(*rank)++] = d;
        bool comma = good && *end == ',';
        if (comma) end++;
        good = good && comma == (*end != ']');
    }
    good = good && p[0] == ']' && p[1] == '\0';
    if (good) return CH_OK;
    return ch__fail(CH__E_signature, "%s: type \"%s\" — a dtype and sizes in numbers, as in f32[8,2]", who,
                    type == NULL ? "(null)" : type);
}

static ch_status buffer_from(ch_session *s, int device, const void *data, const char *type, int semantics,
                             void (*release)(void *user, void *data), void *user, ch_buffer **out_buffer) {
    ch_dtype dtype;
    int rank;
    int64_t dims[16];
    if (s == NULL || out_buffer == NULL)
        return ch__fail(CH__E_argument, "buffer from host: %s is NULL", s == NULL ? "the session" : "out_buffer");
    CH_TRY(buffer_read_type("buffer from host", type, &dtype, &rank, dims));
    if (device < 0 || device >= s->n_devices)
        return ch__fail(CH__E_argument, "buffer from host: device %d — the session has %d", device, s->n_devices);
    CH_TRY(ch__session_enter(s, "buffer from host"));
    ch_buffer *b = buffer_new(s, device, dtype, rank, dims);
    ch_status st = b == NULL ? ch__fail_oom("a buffer") : CH_OK;
    bool alias = semantics == PJ_HOST_IMMUTABLE_ZERO_COPY;
    if (st == CH_OK)
        st = ch__buffer_upload(s, device, data, dtype, rank, dims, semantics, &b->handle, alias ? &b->host_done : NULL);
    if (st == CH_OK) {
        b->release = release;
        b->user = user;
        b->data = (void *)(uintptr_t)data;
        buffer_enlist(s, b);
        *out_buffer = b;
    } else {
        ch__free(b);
    }
    ch__session_leave(s);
    return st;
}

ch_status ch_buffer_from_host_on(ch_session *s, int i, const void *data, const char *type, ch_buffer **out_buffer) {
    return buffer_from(s, i, data, type, PJ_HOST_DURING_CALL, NULL, NULL, out_buffer);
}

ch_status ch_buffer_from_host(ch_session *s, const void *data, const char *type, ch_buffer **out_buffer) {
    return ch_buffer_from_host_on(s, 0, data, type, out_buffer);
}

ch_status ch_buffer_alias_host(ch_session *s, const void *data, const char *type,
                               void (*release)(void *user, void *data), void *user, ch_buffer **out_buffer) {
    if (s != NULL && ((uintptr_t)data & 63) != 0)
        return ch__fail(CH__E_argument, "buffer alias: the memory is not aligned to 64 bytes — align it, or copy "
                                        "(ch_buffer_from_host)");
    return buffer_from(s, 0, data, type, PJ_HOST_IMMUTABLE_ZERO_COPY, release, user, out_buffer);
}

ch_status ch_buffer_read(ch_buffer *b, void *out, size_t bytes) {
    if (b == NULL) return ch__fail(CH__E_argument, "buffer read: the buffer is NULL");
    if (bytes != b->bytes || (out == NULL && bytes > 0)) {
        char type[512];
        ch_buffer_type(b, type, sizeof type);
        return ch__fail(CH__E_read_type, "buffer read: room for %zu bytes given — %s has %zu",
                        out == NULL ? (size_t)0 : bytes, type, b->bytes);
    }
    ch_session *s = b->session;
    pthread_mutex_lock(&s->lock);
    bool open = atomic_load_explicit(&b->state, memory_order_relaxed) == CH__BUFFER_OPEN && !s->closing;
    ch_status st = open ? CH_OK
                   : s->closing && atomic_load_explicit(&b->state, memory_order_relaxed) == CH__BUFFER_OPEN
                       ? ch__fail(CH__E_session_closed, "buffer read: the buffer: its session was closed")
                       : buffer_refuse("buffer read", -1, s, b);
    if (open) b->users++, s->in_flight++;
    pthread_mutex_unlock(&s->lock);
    if (!open) return st;
    int row_major = atomic_load_explicit(&b->row_major, memory_order_relaxed);
    st = ch__buffer_download(s, b->handle, &row_major, b->rank, out, bytes, "buffer read");
    atomic_store_explicit(&b->row_major, row_major, memory_order_relaxed);
    ch__buffers_done(s, 1, &b, true);
    return st;
}

bool ch__buffer_is_plain(ch_buffer *b) {
    int row_major = atomic_load_explicit(&b->row_major, memory_order_relaxed);
    if (row_major < 0) {
        row_major = buffer_is_row_major(b->session, b->handle, b->rank);
        atomic_store_explicit(&b->row_major, row_major, memory_order_relaxed);
    }
    return row_major == 1;
}
