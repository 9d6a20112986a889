// SPDX-License-Identifier: Apache-2.0
// mock_buffer.c - the mock plugin's memory: buffers, transfers, and the thread that does them late (late_us).
//
// Memory is counted and filled with 0xa5 when it is made, so that what is read too early is seen. Late work of a client
// is a list in order of time; its thread ends with the client. Host memory is aliased as real CPU plugins alias it:
// when asked for, at 64 bytes.
#include "mock_private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---------------------------------------------------------------- memory
mock_memory *mock_memory_new(size_t bytes) {
    long long now = atomic_fetch_add(&mock.bytes_live, (long long)bytes) + (long long)bytes;
    long long limit = atomic_load(&mock.memory_limit), peak = atomic_load(&mock.bytes_peak);
    if (limit > 0 && now > limit) {
        atomic_fetch_sub(&mock.bytes_live, (long long)bytes);
        return NULL;
    }
    while (now > peak && !atomic_compare_exchange_weak(&mock.bytes_peak, &peak, now)) {}
    mock_memory *m = calloc(1, sizeof *m);
    if (m == NULL || (m->data = aligned_alloc(64, (bytes + 127) / 64 * 64)) == NULL) abort();
    memset(m->data, 0xa5, bytes);
    atomic_init(&m->refs, 1);
    m->bytes = bytes;
    return m;
}

static mock_memory *memory_borrow(void *data, size_t bytes) {
    mock_memory *m = calloc(1, sizeof *m);
    if (m == NULL) abort();
    atomic_init(&m->refs, 1);
    m->data = data;
    m->bytes = bytes;
    m->borrowed = true;
    return m;
}

void mock_memory_release(mock_memory *m) {
    if (m == NULL || atomic_fetch_sub(&m->refs, 1) != 1) return;
    if (!m->borrowed) {
        free(m->data);
        atomic_fetch_sub(&mock.bytes_live, (long long)m->bytes);
    }
    if (m->on_delete != NULL) m->on_delete(m->data, m->on_delete_arg);
    if (m->host_done != NULL) {
        mock_promise_done(m->host_done, 0, "");
        mock_promise_release(m->host_done);
    }
    free(m);
}

size_t mock_type_size(int type) {
    static const unsigned char sizes[] = {
        [PJ_PRED] = 1, [PJ_S8] = 1,  [PJ_S16] = 2,   [PJ_S32] = 4,    [PJ_S64] = 8,     [PJ_U8] = 1,
        [PJ_U16] = 2,  [PJ_U32] = 4, [PJ_U64] = 8,   [PJ_F16] = 2,    [PJ_F32] = 4,     [PJ_F64] = 8,
        [PJ_BF16] = 2, [PJ_C64] = 8, [PJ_C128] = 16, [PJ_F8E5M2] = 1, [PJ_F8E4M3FN] = 1};
    return type > 0 && type < (int)sizeof sizes ? sizes[type] : 0;
}

// ---------------------------------------------------------------- late work
typedef struct late_copy {
    struct late_copy *next;
    double due;
    mock_memory *memory; // kept until it is done
    void *to, *owned;
    const void *from;
    size_t n;
    mock_promise *promise;
} late_copy;
struct mock_work {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    late_copy *first, **last;
    bool end;
};

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void late_do(late_copy *c) {
    double wait = c->due - seconds_now();
    if (wait > 0) usleep((useconds_t)(wait * 1e6));
    if (c->n > 0) memcpy(c->to, c->from, c->n);
    mock_promise_done(c->promise, 0, "");
    mock_promise_release(c->promise);
    mock_memory_release(c->memory);
    free(c->owned);
    free(c);
}

static void *late_thread(void *arg) {
    mock_work *w = arg;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->first == NULL && !w->end) pthread_cond_wait(&w->changed, &w->lock);
        late_copy *c = w->first;
        if (c == NULL) break;
        w->first = c->next;
        if (w->first == NULL) w->last = &w->first;
        pthread_mutex_unlock(&w->lock);
        late_do(c);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static mock_work *work_of(pj_client *c) {
    pthread_mutex_lock(&c->lock);
    if (c->work == NULL) {
        mock_work *w = c->work = calloc(1, sizeof *w);
        if (w == NULL) abort();
        w->last = &w->first;
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->changed, NULL);
        if (pthread_create(&w->thread, NULL, late_thread, w) != 0) abort();
    }
    pthread_mutex_unlock(&c->lock);
    return c->work;
}

void mock_work_end(pj_client *c) {
    mock_work *w = c->work;
    if (w == NULL) return;
    pthread_mutex_lock(&w->lock);
    w->end = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
    c->work = NULL;
}

void mock_copy(pj_client *c, mock_memory *to_memory, void *to, const void *from, size_t n, bool keep_from,
               mock_promise *p) {
    int late = atomic_load(&mock.late_us);
    if (late == 0) {
        if (n > 0) memcpy(to, from, n);
        mock_promise_done(p, 0, "");
        return;
    }
    late_copy *l = calloc(1, sizeof *l);
    if (l == NULL) abort();
    *l = (late_copy){NULL, seconds_now() + 1e-6 * late, to_memory, to, NULL, from, n, mock_promise_keep(p)};
    if (keep_from) {
        if ((l->owned = malloc(n + 1)) == NULL) abort();
        if (n > 0) memcpy(l->owned, from, n);
        l->from = l->owned;
    }
    if (to_memory != NULL) atomic_fetch_add(&to_memory->refs, 1);
    mock_work *w = work_of(c);
    pthread_mutex_lock(&w->lock);
    *w->last = l;
    w->last = &l->next;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

// ---------------------------------------------------------------- buffers
pj_buffer *mock_buffer_new(pj_client *c, pj_device *d, int type, int rank, const int64_t *dims, mock_memory *m,
                           mock_promise *ready) {
    pj_buffer *b = mock_new(MOCK_BUFFER, sizeof *b);
    b->client = c;
    b->device = d;
    b->type = type;
    b->rank = rank;
    if (rank > 0) memcpy(b->dims, dims, (size_t)rank * sizeof *dims);
    b->memory = m;
    b->ready = ready;
    atomic_fetch_add(&c->owned, 1);
    return b;
}

// The size in bytes; 0 and *e when it is none.
static size_t shape_bytes(int type, const int64_t *dims, size_t rank, pj_error **e) {
    size_t bytes = mock_type_size(type);
    *e = NULL;
    if (bytes == 0) *e = mock_misuse("element type %d: Buffer type is not supported in C API layer.", type);
    if (rank > 16) *e = mock_misuse("rank %zu", rank);
    for (size_t i = 0; i < rank && *e == NULL; i++) {
        if (dims[i] < 0) *e = mock_misuse("dimension %lld", (long long)dims[i]);
        if (dims[i] > (INT64_C(1) << 32)) *e = mock_misuse("dimension %lld is too large", (long long)dims[i]);
        bytes *= (size_t)dims[i];
    }
    return bytes;
}

static bool dense(const pj_client_buffer_from_host_buffer_args *a, size_t size) {
    int64_t stride = (int64_t)size;
    for (size_t i = a->num_byte_strides; i-- > 0; stride *= a->dims[i])
        if (a->byte_strides[i] != stride) return false;
    return true;
}

static pj_error *buffer_from_host_buffer(void *args) {
    pj_client_buffer_from_host_buffer_args *a = args;
    pj_error *e;
    MOCK_BEGIN(PJ_CLIENT_BUFFER_FROM_HOST_BUFFER, pj_client_buffer_from_host_buffer_args);
    MOCK_ALIVE(MOCK_CLIENT, a->client);
    size_t bytes = shape_bytes(a->type, a->dims, a->num_dims, &e);
    if (e != NULL) return e;
    if (a->data == NULL) return mock_misuse("BufferFromHostBuffer: data is NULL");
    if (a->device == NULL || a->device->client != a->client) return mock_misuse("BufferFromHostBuffer: no device");
    if (!dense(a, mock_type_size(a->type))) return mock_error(PJ_CODE_UNIMPLEMENTED, "strides of uploads");
    bool alias = a->host_buffer_semantics >= PJ_HOST_IMMUTABLE_ZERO_COPY && ((uintptr_t)a->data & 63) == 0;
    mock_promise *ready = mock_promise_new();
    mock_memory *m = alias ? memory_borrow((void *)(uintptr_t)a->data, bytes) : mock_memory_new(bytes);
    if (m == NULL) {
        mock_promise_release(ready);
        return mock_error(PJ_CODE_RESOURCE_EXHAUSTED, "Out of memory while trying to allocate %zu bytes.", bytes);
    }
    a->buffer = mock_buffer_new(a->client, a->device, a->type, (int)a->num_dims, a->dims, m, ready);
    if (alias) {
        m->host_done = mock_promise_new();
        mock_promise_done(ready, 0, "");
        a->done_with_host_buffer = mock_event(m->host_done, false);
    } else {
        atomic_fetch_add(&mock.bytes_up, (long long)bytes);
        mock_copy(a->client, m, m->data, a->data, bytes, a->host_buffer_semantics == PJ_HOST_DURING_CALL, ready);
        a->done_with_host_buffer = mock_event(ready, true);
    }
    return NULL;
}

static pj_error *create_view(void *args) {
    pj_client_create_view_of_device_buffer_args *a = args;
    pj_error *e;
    MOCK_BEGIN(PJ_CLIENT_CREATE_VIEW_OF_DEVICE_BUFFER, pj_client_create_view_of_device_buffer_args);
    MOCK_ALIVE(MOCK_CLIENT, a->client);
    size_t bytes = shape_bytes(a->element_type, a->dims, a->num_dims, &e);
    if (e != NULL) return e;
    if (a->on_delete_callback == NULL) return mock_misuse("on_delete_callback is NULL: std::bad_function_call");
    if (((uintptr_t)a->device_buffer_ptr & 63) != 0)
        return mock_error(PJ_CODE_INVALID_ARGUMENT, "%p is not aligned to 64 bytes", a->device_buffer_ptr);
    if (a->device == NULL || a->device->client != a->client) return mock_misuse("CreateView: no device");
    mock_memory *m = memory_borrow(a->device_buffer_ptr, bytes);
    m->on_delete = a->on_delete_callback;
    m->on_delete_arg = a->on_delete_callback_arg;
    mock_promise *ready = mock_promise_new();
    mock_promise_done(ready, 0, "");
    a->buffer = mock_buffer_new(a->client, a->device, a->element_type, (int)a->num_dims, a->dims, m, ready);
    return NULL;
}

static void drop_memory(pj_buffer *b) {
    if (!atomic_exchange(&b->deleted, true)) {
        mock_memory_release(b->memory);
        b->memory = NULL;
    }
}

static pj_error *buffer_destroy(void *args) {
    pj_buffer_destroy_args *a = args;
    MOCK_ALIVE(MOCK_BUFFER, a->buffer);
    drop_memory(a->buffer); // also when an error is injected: nobody could do it again
    mock_promise_release(a->buffer->ready);
    atomic_fetch_sub(&a->buffer->client->owned, 1);
    mock_free(MOCK_BUFFER, a->buffer);
    MOCK_BEGIN(PJ_BUFFER_DESTROY, pj_buffer_destroy_args);
    return NULL;
}

static pj_error *buffer_delete(void *args) {
    pj_buffer_delete_args *a = args;
    MOCK_ALIVE(MOCK_BUFFER, a->buffer);
    drop_memory(a->buffer);
    MOCK_BEGIN(PJ_BUFFER_DELETE, pj_buffer_delete_args);
    return NULL;
}

static pj_error *buffer_is_deleted(void *args) {
    pj_buffer_is_deleted_args *a = args;
    MOCK_BEGIN(PJ_BUFFER_IS_DELETED, pj_buffer_is_deleted_args);
    MOCK_ALIVE(MOCK_BUFFER, a->buffer);
    a->is_deleted = atomic_load(&a->buffer->deleted);
    return NULL;
}

#define MOCK_USABLE(b)                                                                                                 \
    do {                                                                                                               \
        MOCK_ALIVE(MOCK_BUFFER, b);                                                                                    \
        if (atomic_load(&(b)->deleted))                                                                                \
            return mock_error(PJ_CODE_INVALID_ARGUMENT, "Buffer has been deleted or donated.");                        \
    } while (0)

static pj_error *buffer_element_type(void *args) {
    pj_buffer_element_type_args *a = args;
    MOCK_BEGIN(PJ_BUFFER_ELEMENT_TYPE, pj_buffer_element_type_args);
    MOCK_ALIVE(MOCK_BUFFER, a->buffer);
    a->type = a->buffer->type;
    return NULL;
}

static pj_error *buffer_dimensions(void *args) {
    pj_buffer_dimensions_args *a = args;
    MOCK_BEGIN(PJ_BUFFER_DIMENSIONS, pj_buffer_dimensions_args);
    MOCK_ALIVE(MOCK_BUFFER, a->buffer);
    a->dims = a->buffer->dims;
    a->num_dims = (size_t)a->buffer->rank;
    return NULL;
}

static pj_error *buffer_get_memory_layout(void *args) {
    static const int64_t down[16] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, column[2] = {0, 1};
    pj_buffer_get_memory_layout_args *a = args;
    MOCK_BEGIN(PJ_BUFFER_GET_MEMORY_LAYOUT, pj_buffer_get_memory_layout_args);
    MOCK_USABLE(a->buffer);
    a->layout.type = PJ_LAYOUT_TILED;
    a->layout.layout.tiled = (pj_memory_layout_tiled){.struct_size = pj_memory_layout_tiled_size};
    a->layout.layout.tiled.minor_to_major = a->buffer->column_major ? column : down + 16 - a->buffer->rank;
    a->layout.layout.tiled.minor_to_major_size = (size_t)a->buffer->rank;
    return NULL;
}

static pj_error *buffer_on_device_size(void *args) {
    pj_buffer_on_device_size_in_bytes_args *a = args;
    MOCK_BEGIN(PJ_BUFFER_ON_DEVICE_SIZE_IN_BYTES, pj_buffer_on_device_size_in_bytes_args);
    MOCK_USABLE(a->buffer);
    a->on_device_size_in_bytes = a->buffer->memory->bytes;
    return NULL;
}

static pj_error *buffer_ready_event(void *args) {
    pj_buffer_ready_event_args *a = args;
    MOCK_BEGIN(PJ_BUFFER_READY_EVENT, pj_buffer_ready_event_args);
    MOCK_USABLE(a->buffer);
    a->event = mock_event(a->buffer->ready, true);
    return NULL;
}

static pj_error *buffer_pointer(void *args) {
    pj_buffer_opaque_device_memory_data_pointer_args *a = args;
    MOCK_BEGIN(PJ_BUFFER_OPAQUE_DEVICE_MEMORY_DATA_POINTER, pj_buffer_opaque_device_memory_data_pointer_args);
    MOCK_USABLE(a->buffer);
    atomic_fetch_add(&mock.copies_by_pointer, 1);
    a->device_memory_ptr = a->buffer->memory->data;
    return NULL;
}

static bool wants_column_major(const pj_buffer *b, const pj_buffer_memory_layout *l) {
    if (l == NULL) return b->column_major; // as it lies on the device
    return b->rank == 2 && l->layout.tiled.minor_to_major_size == 2 && l->layout.tiled.minor_to_major[0] == 0;
}

void mock_transpose(char *out, const char *in, int64_t rows, int64_t columns, size_t size) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            memcpy(out + (size_t)(j * rows + i) * size, in + (size_t)(i * columns + j) * size, size);
}

static pj_error *buffer_to_host_buffer(void *args) {
    pj_buffer_to_host_buffer_args *a = args;
    MOCK_BEGIN(PJ_BUFFER_TO_HOST_BUFFER, pj_buffer_to_host_buffer_args);
    MOCK_USABLE(a->src);
    pj_buffer *b = a->src;
    size_t bytes = b->memory->bytes, size = mock_type_size(b->type);
    if (a->dst == NULL) {
        a->dst_size = bytes + (size_t)atomic_load(&mock.more_bytes);
        return NULL;
    }
    if (a->host_layout != NULL && a->host_layout->type != PJ_LAYOUT_TILED)
        return mock_error(PJ_CODE_UNIMPLEMENTED, "strides layouts");
    if (a->dst_size < bytes)
        return mock_error(PJ_CODE_INVALID_ARGUMENT, "`dst_size` must be >= %zu, got %zu.", bytes, a->dst_size);
    mock_promise *done = mock_promise_new();
    if (mock_promise_wait(b->ready) != 0) { // only the event tells
        mock_promise_done(done, b->ready->code, b->ready->text);
    } else if (wants_column_major(b, a->host_layout) != b->column_major) {
        char *other = malloc(bytes + 1);
        if (other == NULL) abort();
        if (b->column_major)
            mock_transpose(other, b->memory->data, b->dims[1], b->dims[0], size);
        else
            mock_transpose(other, b->memory->data, b->dims[0], b->dims[1], size);
        mock_copy(b->client, NULL, a->dst, other, bytes, true, done);
        free(other);
    } else {
        mock_copy(b->client, NULL, a->dst, b->memory->data, bytes, true, done);
    }
    atomic_fetch_add(&mock.bytes_down, (long long)bytes);
    a->event = mock_event(done, true);
    mock_promise_release(done);
    return NULL;
}

static pj_error *buffer_copy_to_device(void *args) {
    pj_buffer_copy_to_device_args *a = args;
    MOCK_BEGIN(PJ_BUFFER_COPY_TO_DEVICE, pj_buffer_copy_to_device_args);
    MOCK_USABLE(a->buffer);
    pj_buffer *b = a->buffer;
    if (a->dst_device == NULL || a->dst_device->client != b->client) return mock_misuse("CopyToDevice: no device");
    if (mock_promise_wait(b->ready) != 0) return mock_error(b->ready->code, "%s", b->ready->text);
    mock_memory *m = mock_memory_new(b->memory->bytes);
    if (m == NULL) return mock_error(PJ_CODE_RESOURCE_EXHAUSTED, "Out of memory");
    mock_promise *ready = mock_promise_new();
    mock_copy(b->client, m, m->data, b->memory->data, m->bytes, true, ready);
    a->dst_buffer = mock_buffer_new(b->client, a->dst_device, b->type, b->rank, b->dims, m, ready);
    a->dst_buffer->column_major = b->column_major;
    return NULL;
}

pj_fn mock_buffer_slot(int slot) {
    switch (slot) {
    case PJ_CLIENT_BUFFER_FROM_HOST_BUFFER: return buffer_from_host_buffer;
    case PJ_CLIENT_CREATE_VIEW_OF_DEVICE_BUFFER: return create_view;
    case PJ_BUFFER_DESTROY: return buffer_destroy;
    case PJ_BUFFER_ELEMENT_TYPE: return buffer_element_type;
    case PJ_BUFFER_DIMENSIONS: return buffer_dimensions;
    case PJ_BUFFER_GET_MEMORY_LAYOUT: return buffer_get_memory_layout;
    case PJ_BUFFER_ON_DEVICE_SIZE_IN_BYTES: return buffer_on_device_size;
    case PJ_BUFFER_DELETE: return buffer_delete;
    case PJ_BUFFER_IS_DELETED: return buffer_is_deleted;
    case PJ_BUFFER_COPY_TO_DEVICE: return buffer_copy_to_device;
    case PJ_BUFFER_TO_HOST_BUFFER: return buffer_to_host_buffer;
    case PJ_BUFFER_READY_EVENT: return buffer_ready_event;
    case PJ_BUFFER_OPAQUE_DEVICE_MEMORY_DATA_POINTER: return buffer_pointer;
    default: return NULL;
    }
}
