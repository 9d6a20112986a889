// SPDX-License-Identifier: Apache-2.0
// mock_private.h - what the files of the mock plugin share.
//
//   mock_plugin.c   the table, errors, events, clients and devices
//   mock_buffer.c   memory, buffers, transfers, the thread that is late
//   mock_program.c  compiling, running, serializing
#ifndef CHAAC_TESTS_MOCK_PRIVATE_H
#define CHAAC_TESTS_MOCK_PRIVATE_H

#include "chaac/chaac.h"
#include "mock_plugin.h"
#include "pjrt/abi_ffi.h"

extern mock_state mock;

// ---------------------------------------------------------------- mock_plugin.c
struct pj_error {
    mock_kind kind;
    int code;
    size_t size; // of the text, which is not terminated
    char text[400];
};
pj_error *mock_error(int code, const char *fmt, ...);
pj_error *mock_misuse(const char *fmt, ...); // counted, code 3

// Handles that are alive; what is not is refused by name.
void *mock_new(mock_kind kind, size_t bytes); // zeroed
void mock_free(mock_kind kind, void *p);
pj_error *mock_alive(mock_kind kind, const void *p, const char *who);

// Begins every slot: counts, injects, compares sizes. NULL: go on.
pj_error *mock_begin(pj_slot slot, const char *who, size_t given, size_t expected);
#define MOCK_BEGIN(slot, type)                                                                                         \
    do {                                                                                                               \
        pj_error *begun = mock_begin(slot, #type, *(const size_t *)args, type##_size);                                 \
        if (begun != NULL) return begun;                                                                               \
    } while (0)
#define MOCK_ALIVE(kind, p)                                                                                            \
    do {                                                                                                               \
        pj_error *dead = mock_alive(kind, p, __func__);                                                                \
        if (dead != NULL) return dead;                                                                                 \
    } while (0)

int mock_minor(void);
bool mock_is_cuda(void);
const char *mock_identity(void); // $MOCK_PLUGIN

typedef struct mock_work mock_work; // mock_buffer.c
struct pj_device_description {
    int id;
    char kind[320], text[64];
};
struct pj_device {
    pj_device_description description;
    pj_client *client;
};
enum { MOCK_DEVICES = 16 };
struct pj_client {
    mock_kind kind;
    int n_devices;
    pj_device device[MOCK_DEVICES];
    pj_device *devices[MOCK_DEVICES];
    atomic_llong owned; // buffers and programs
    mock_work *work;
    pthread_mutex_t lock; // of work
};

// ---------------------------------------------------------------- mock_plugin.c: what events wait for
typedef struct mock_promise {
    atomic_int refs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
    int code; // 0: went well
    char text[200];
    struct mock_callback *callbacks;
} mock_promise;
mock_promise *mock_promise_new(void);
mock_promise *mock_promise_keep(mock_promise *p);
void mock_promise_release(mock_promise *p);
void mock_promise_done(mock_promise *p, int code, const char *text); // what comes second changes nothing
int mock_promise_wait(mock_promise *p);
pj_event *mock_event(mock_promise *p, bool soon); // keeps p; soon: it will be done without the caller's help

// ---------------------------------------------------------------- mock_buffer.c
typedef struct mock_memory {
    atomic_int refs;
    char *data;
    size_t bytes;
    bool borrowed;
    mock_promise *host_done; // fires when it goes
    void (*on_delete)(void *data, void *arg);
    void *on_delete_arg;
} mock_memory;
mock_memory *mock_memory_new(size_t bytes); // NULL: over the limit
void mock_memory_release(mock_memory *m);
struct pj_buffer {
    mock_kind kind;
    pj_client *client;
    pj_device *device;
    int type, rank;
    int64_t dims[16];
    mock_memory *memory;
    mock_promise *ready;
    bool column_major;
    atomic_bool deleted;
};
size_t mock_type_size(int type); // 0: none that is known
pj_buffer *mock_buffer_new(pj_client *c, pj_device *d, int type, int rank, const int64_t *dims, mock_memory *m,
                           mock_promise *ready);
void mock_transpose(char *out, const char *in, int64_t rows, int64_t columns, size_t size);
// Copies now, or later on the client's thread; then p is done. from is copied first unless keep_from is false.
void mock_copy(pj_client *c, mock_memory *to_memory, void *to, const void *from, size_t n, bool keep_from,
               mock_promise *p);
void mock_work_end(pj_client *c);
pj_fn mock_buffer_slot(int slot);

// ---------------------------------------------------------------- mock_program.c
pj_fn mock_program_slot(int slot);
// A handler was registered: programs that name it may be compiled.
void mock_handler_add(const char *name, size_t n, xf_handler handler);

#endif
