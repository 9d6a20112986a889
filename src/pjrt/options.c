// SPDX-License-Identifier: Apache-2.0
// options.c - compile options as the bytes a plugin reads: a CompileOptionsProto in protocol buffers' wire format.
//
//   3 executable_build_options { 1 device_ordinal = -1, 4 num_replicas, 5 num_partitions, 6 use_spmd_partitioning,
//                                9 device_assignment { 1 replicas, 2 computations, 3 { 1 ids } }, 19 use_shardy }
//   7 env_option_overrides { 1 name, 2 { 1 value as a string } }
//
// Empty options would end the process, so there is always a 3. Values of overrides are strings: plugins parse them for
// flags of every type (booleans are True and False).
#include "pjrt/pjrt.h"

#include <string.h>

typedef struct options_out {
    char *data;
    size_t n, cap; // n counts on when cap is reached
} options_out;

static void options_byte(options_out *o, unsigned b) {
    if (o->n < o->cap) o->data[o->n] = (char)b;
    o->n++;
}

static void options_varint(options_out *o, uint64_t v) {
    for (; v >= 0x80; v >>= 7) options_byte(o, (unsigned)(v & 0x7f) | 0x80);
    options_byte(o, (unsigned)v);
}

static void options_int(options_out *o, unsigned field, int64_t v) {
    options_varint(o, (uint64_t)field << 3);
    options_varint(o, (uint64_t)v);
}

static void options_bytes(options_out *o, unsigned field, const char *data, size_t n) {
    options_varint(o, ((uint64_t)field << 3) | 2);
    options_varint(o, n);
    for (size_t i = 0; i < n; i++) options_byte(o, (unsigned char)data[i]);
}

// A message in a message: first its length, then itself.
typedef void (*options_fn)(options_out *o, const void *arg);
static void options_message(options_out *o, unsigned field, options_fn fn, const void *arg) {
    options_out count = {NULL, 0, 0};
    fn(&count, arg);
    options_varint(o, ((uint64_t)field << 3) | 2);
    options_varint(o, count.n);
    fn(o, arg);
}

typedef struct options_column {
    const ch__pjrt_build *b;
    int partition;
} options_column;

// The devices of one partition, replica after replica.
static void options_devices(options_out *o, const void *arg) {
    const options_column *c = arg;
    options_out ids = {NULL, 0, 0};
    for (int pass = 0; pass < 2; pass++) {
        options_out *to = pass == 0 ? &ids : o;
        if (pass == 1) {
            options_varint(o, (1 << 3) | 2);
            options_varint(o, ids.n);
        }
        for (int r = 0; r < c->b->n_replicas; r++)
            options_varint(to, (uint64_t)(int64_t)c->b->device_ids[r * c->b->n_partitions + c->partition]);
    }
}

static void options_assignment(options_out *o, const void *arg) {
    const ch__pjrt_build *b = arg;
    options_int(o, 1, b->n_replicas);
    options_int(o, 2, b->n_partitions);
    for (int p = 0; p < b->n_partitions; p++) options_message(o, 3, options_devices, &(options_column){b, p});
}

static void options_executable(options_out *o, const void *arg) {
    const ch__pjrt_build *b = arg;
    options_int(o, 1, -1);
    options_int(o, 4, b->n_replicas);
    options_int(o, 5, b->n_partitions);
    if (b->n_partitions > 1) options_int(o, 6, 1);
    options_message(o, 9, options_assignment, b);
    if (b->shardy) options_int(o, 19, 1);
}

static void options_value(options_out *o, const void *arg) {
    const char *equals = strchr(arg, '=');
    options_bytes(o, 1, equals + 1, strlen(equals + 1));
}

static void options_override(options_out *o, const void *arg) {
    const char *flag = arg;
    options_bytes(o, 1, flag, (size_t)(strchr(flag, '=') - flag));
    options_message(o, 2, options_value, flag);
}

static void options_all(options_out *o, const ch__pjrt_build *b) {
    options_message(o, 3, options_executable, b);
    for (int i = 0; i < b->n_flags; i++) options_message(o, 7, options_override, b->flags[i]);
}

ch_status ch__pjrt_options(const ch__pjrt_build *b, char **out_bytes, size_t *out_n) {
    for (int i = 0; i < b->n_flags; i++) {
        const char *f = b->flags[i], *equals = f == NULL ? NULL : strchr(f, '=');
        if (equals == NULL || equals == f || f[0] == '-')
            return ch__fail(CH__E_argument, "compile: flag \"%s\" — write name=value without dashes, as in xla_a=True",
                            f == NULL ? "(null)" : f);
    }
    options_out o = {NULL, 0, 0};
    options_all(&o, b);
    o = (options_out){ch__alloc(o.n), 0, o.n};
    if (o.data == NULL) return ch__fail_oom("compile options");
    options_all(&o, b);
    *out_bytes = o.data;
    *out_n = o.n;
    return CH_OK;
}
