// SPDX-License-Identifier: Apache-2.0
// data.c - tensors from host data, reading them back, and what they are.

#include "tensor/tensor.h"

#include <string.h>

// ---- from host data
static ch_status host_type(const char *what, ch_dtype dtype, const void *data, int rank, const int64_t *dims,
                           ch__dim out[CH__MAX_RANK], size_t *bytes) {
    char c = ch__dtype_class(dtype);
    if (c == 0 || c == 'r')
        return ch__fail(CH__E_dtype_mismatch, "%s: dtype %s (%d) — give one of dtype.h that is not reserved", what,
                        ch_dtype_name(dtype), (int)dtype);
    if (rank < 0 || rank > CH__MAX_RANK)
        return ch__fail(CH__E_rank, "%s: rank %d — between 0 and %d is allowed", what, rank, CH__MAX_RANK);
    if (rank > 0 && dims == NULL)
        return ch__fail(CH__E_argument, "%s: rank %d and no dims — give %d of them", what, rank, rank);
    int64_t n = (int64_t)ch_dtype_size(dtype);
    bool fits = true, empty = false;
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return ch__fail(CH__E_argument, "%s: dim %d is %" PRId64 " — at least 0 is allowed", what, i, dims[i]);
        out[i] = ch__dim_const(dims[i]);
        empty = empty || dims[i] == 0;
    }
    for (int i = 0; i < rank && !empty; i++) fits = fits && ch__mul_i64(n, dims[i], &n);
    if (!fits) return ch__fail(CH__E_dim_overflow, "%s: the product of the dims does not fit in 64 bits", what);
    *bytes = empty ? 0 : (size_t)n;
    if (data == NULL && *bytes > 0) return ch__fail(CH__E_argument, "%s: data is NULL — give %zu bytes", what, *bytes);
    return CH_OK;
}

static ch_tensor *data_node(const char *where, ch_dtype dtype, int rank, const ch__dim *dims, ch__storage *s) {
    ch__type type = {.dtype = dtype, .rank = (int16_t)rank, .dims = dims};
    return ch__node(&(ch__node_spec){.kind = CH__T_DATA, .where = where, .type = &type, .storage = s});
}

ch_tensor *ch_from_data_at(const char *where, ch_dtype dtype, const void *data, int rank, const int64_t *dims) {
    ch__dim d[CH__MAX_RANK];
    size_t bytes = 0;
    if (host_type("from_data", dtype, data, rank, dims, d, &bytes) != CH_OK) return ch__node_error(where);
    ch__storage *s = ch__storage_create(bytes);
    if (s == NULL) {
        ch__fail_oom("a tensor's data");
        return ch__node_error(where);
    }
    if (bytes > 0) memcpy(s->data, data, bytes);
    return data_node(where, dtype, rank, d, s);
}

ch_tensor *ch_from_f32_at(const char *where, const float *data, int rank, const int64_t *dims) {
    return ch_from_data_at(where, CH_F32, data, rank, dims);
}
ch_tensor *ch_from_f64_at(const char *where, const double *data, int rank, const int64_t *dims) {
    return ch_from_data_at(where, CH_F64, data, rank, dims);
}
ch_tensor *ch_from_i32_at(const char *where, const int32_t *data, int rank, const int64_t *dims) {
    return ch_from_data_at(where, CH_I32, data, rank, dims);
}
ch_tensor *ch_from_i64_at(const char *where, const int64_t *data, int rank, const int64_t *dims) {
    return ch_from_data_at(where, CH_I64, data, rank, dims);
}

ch_tensor *ch_borrow_at(const char *where, ch_dtype dtype, void *data, int rank, const int64_t *dims,
                        void (*release)(void *user, void *data), void *user) {
    ch__dim d[CH__MAX_RANK];
    size_t bytes = 0;
    bool fine = host_type("borrow", dtype, data, rank, dims, d, &bytes) == CH_OK;
    size_t beyond = fine && bytes > 0 ? (uintptr_t)data % ch_dtype_size(dtype) : 0; // kernels read whole elements
    if (beyond != 0) {
        ch__fail(CH__E_argument,
                 "borrow: data of %s begin %zu byte%s behind a multiple of %zu — give aligned memory, or "
                 "have it copied (ch_from_data)",
                 ch_dtype_name(dtype), beyond, beyond == 1 ? "" : "s", ch_dtype_size(dtype));
        fine = false;
    }
    ch__storage *s = fine ? ch__storage_borrow(data, bytes, release, user) : NULL;
    if (s == NULL) {
        if (fine) ch__fail_oom("a tensor");
        if (release != NULL) release(user, data);
        return ch__node_error(where);
    }
    return data_node(where, dtype, rank, d, s);
}

// ---- reading
static int64_t numel(const ch_tensor *t) {
    int64_t n = 1;
    for (int i = 0; i < t->type.rank; i++) {
        if (t->type.dims[i].sym != NULL) return -1;
        if (!ch__mul_i64(n, t->type.dims[i].val, &n)) return -1;
    }
    return n;
}

static ch_status read_as(const char *what, ch_dtype want, ch_tensor *t, void *out, int64_t n) {
    ch_tensor *error = ch__first_error(what, what, 1, &t);
    if (error != NULL) return ch__error_publish(error->error);
    char type[256];
    ch_tensor_type(t, type, sizeof type);
    if (t->type.dtype != want)
        return ch__fail(CH__E_read_type, "%s: %s — its dtype is %s: read it as that, or convert it first", what, type,
                        ch_dtype_name(t->type.dtype));
    if (n != numel(t) && numel(t) >= 0)
        return ch__fail(CH__E_read_type, "%s: %s and room for %" PRId64 " elements — it has %" PRId64, what, type, n,
                        numel(t));
    if (out == NULL && n > 0)
        return ch__fail(CH__E_argument, "%s: out is NULL — give room for %" PRId64 " elements", what, n);
    CH_TRY(ch__realize_to_read(what, 1, &t));
    return n > 0 ? ch__tensor_copy_out(t, out) : CH_OK;
}

ch_status ch_read_f32(ch_tensor *t, float *out, int64_t n) { return read_as("read_f32", CH_F32, t, out, n); }
ch_status ch_read_f64(ch_tensor *t, double *out, int64_t n) { return read_as("read_f64", CH_F64, t, out, n); }
ch_status ch_read_i32(ch_tensor *t, int32_t *out, int64_t n) { return read_as("read_i32", CH_I32, t, out, n); }
ch_status ch_read_i64(ch_tensor *t, int64_t *out, int64_t n) { return read_as("read_i64", CH_I64, t, out, n); }

ch_status ch_read_bytes(ch_tensor *t, void *out, size_t n) {
    CH_TRY(ch__realize_to_read("read_bytes", 1, &t));
    size_t bytes = ch__type_bytes(&t->type);
    if (n != bytes) {
        char type[256];
        ch_tensor_type(t, type, sizeof type);
        return ch__fail(CH__E_read_type, "read_bytes: %s and room for %zu bytes — it has %zu", type, n, bytes);
    }
    if (out == NULL && n > 0) return ch__fail(CH__E_argument, "read_bytes: out is NULL — give room for %zu bytes", n);
    return n > 0 ? ch__tensor_copy_out(t, out) : CH_OK;
}

const void *ch_data(ch_tensor *t) {
    if (ch__realize_to_read("data", 1, &t) != CH_OK) return NULL;
    const void *data = ch__tensor_compact(t);
    if (data == NULL) ch__fail_oom("a view's elements");
    return data;
}

double ch__element_f64(ch_dtype dtype, const void *data, int64_t i) {
    switch (dtype) {
    case CH_BOOL: return ((const uint8_t *)data)[i] != 0;
    case CH_I8: return ((const int8_t *)data)[i];
    case CH_I16: return ((const int16_t *)data)[i];
    case CH_I32: return ((const int32_t *)data)[i];
    case CH_I64: return (double)((const int64_t *)data)[i];
    case CH_U8: return ((const uint8_t *)data)[i];
    case CH_U16: return ((const uint16_t *)data)[i];
    case CH_U32: return ((const uint32_t *)data)[i];
    case CH_U64: return (double)((const uint64_t *)data)[i];
    case CH_F16: return ch__f16_to_f32(((const uint16_t *)data)[i]);
    case CH_BF16: return ch__bf16_to_f32(((const uint16_t *)data)[i]);
    case CH_F32: return ((const float *)data)[i];
    case CH_F64: return ((const double *)data)[i];
    case CH_F8E4M3: return ch__f8e4m3_to_f32(((const uint8_t *)data)[i]);
    case CH_F8E5M2: return ch__f8e5m2_to_f32(((const uint8_t *)data)[i]);
    default: return 0;
    }
}

ch_status ch_item(ch_tensor *t, double *out) {
    if (out == NULL) return ch__fail(CH__E_argument, "item: out is NULL — give room for one number");
    CH_TRY(ch__realize_to_read("item", 1, &t));
    if (numel(t) != 1) {
        char type[256];
        ch_tensor_type(t, type, sizeof type);
        return ch__fail(CH__E_read_type, "item: %s — a tensor of one element is needed", type);
    }
    *out = ch__element_f64(t->type.dtype, ch__tensor_data(t), 0);
    return CH_OK;
}

ch_tensor *ch_error_tensor_at(const char *where) {
    if (ch__error_current() == CH__E_COUNT)
        ch__fail(CH__E_argument, "error_tensor: no error is set — ch_error_set one");
    return ch__node_error(where);
}

ch_status ch_check(const ch_tensor *t) {
    ch_tensor *one = (ch_tensor *)(uintptr_t)t;
    ch_tensor *error = ch__first_error("check", "check", 1, &one);
    return error == NULL ? CH_OK : ch__error_publish(error->error);
}

// ---- what it is
static bool known(const ch_tensor *t) { return t != NULL && t->magic == CH__TENSOR_LIVE && t->kind != CH__T_ERROR; }
ch_dtype ch_tensor_dtype(const ch_tensor *t) { return known(t) ? t->type.dtype : (ch_dtype)0; }
int ch_tensor_rank(const ch_tensor *t) { return known(t) ? t->type.rank : -1; }
int64_t ch_tensor_numel(const ch_tensor *t) { return known(t) ? numel(t) : -1; }

int64_t ch_tensor_dim(const ch_tensor *t, int i) {
    if (!known(t) || i < 0 || i >= t->type.rank || t->type.dims[i].sym != NULL) return -1;
    return t->type.dims[i].val;
}

size_t ch_tensor_type(const ch_tensor *t, char *buf, size_t cap) {
    if (cap > 0) buf[0] = '\0';
    if (!known(t)) return 0;
    ch__text text;
    ch__text_init_fixed(&text, buf, cap);
    ch__type_print(&text, &t->type);
    return (size_t)text.n;
}
