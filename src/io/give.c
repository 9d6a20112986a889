// SPDX-License-Identifier: Apache-2.0
// give.c - tensors over memory that was just read, and the texts of sizes and names in messages.
//
// ch_borrow takes the memory as it is, so data is copied once: from the file. Memory of ours goes with the release that
// says so, and may be written like any other. What borrow gives belongs to the innermost scope; a scope of our own
// around it and ch_keep make it the caller's and leave nothing behind.
#include "io/io.h"
#include "rt/rt.h"

#include <string.h>

bool ch__io_bytes(ch_dtype dtype, int rank, const int64_t *dims, uint64_t *out) {
    int64_t n = (int64_t)ch_dtype_size(dtype);
    bool empty = false;
    for (int i = 0; i < rank; i++) {
        empty = empty || dims[i] == 0;
        if (!ch__mul_i64(n, dims[i] == 0 ? 1 : dims[i], &n)) return false;
    }
    *out = empty ? 0 : (uint64_t)n;
    return true;
}

// Large pages make the first touch of fresh memory, which costs more than reading the file, several times cheaper.
void *ch__io_alloc(uint64_t bytes) {
    bool large = bytes >= (uint64_t)4 << 20;
    void *p = bytes > PTRDIFF_MAX ? NULL : ch__alloc_aligned((size_t)bytes, large ? (size_t)2 << 20 : 64);
    if (p && large) ch__advise_huge(p, (size_t)bytes);
    return p;
}

ch_status ch__io_borrow(const char *where, ch_dtype dtype, void *data, int rank, const int64_t *dims,
                        void (*release)(void *user, void *data), void *user, ch_tensor **out) {
    ch_scope scope = ch_scope_begin();
    if (scope.token == 0) {
        release(user, data);
        return ch__fail_oom(where);
    }
    ch_tensor *t = ch_borrow_at(where, dtype, data, rank, dims, release, user);
    ch_status s = ch_check(t);
    if (s == CH_OK) *out = ch_keep(t);
    (void)ch_scope_end(scope);
    return s;
}

ch_status ch__io_give(const char *where, ch_dtype dtype, void *data, int rank, const int64_t *dims, ch_tensor **out) {
    return ch__io_borrow(where, dtype, data, rank, dims, ch__storage_free, NULL, out);
}

size_t ch__io_bool_wrong(const void *data, size_t n) {
    const unsigned char *p = data;
    size_t i = 0;
    while (i < n && p[i] <= 1) i++;
    return i;
}

const char *ch__io_dims_text(char out[CH__IO_DIMS], int rank, const int64_t *dims) {
    char *p = out;
    *p++ = '[';
    for (int i = 0; i < rank; i++) {
        if (i > 0) *p++ = ',';
        p += ch__format_i64(p, dims[i]);
    }
    *p++ = ']';
    *p = '\0';
    return out;
}

const char *ch__io_name_text(char out[CH__IO_NAME], const char *name, size_t n) {
    static const char hex[] = "0123456789abcdef", ellipsis[] = "\xe2\x80\xa6";
    size_t at = 0, i = 0;
    out[at++] = '"';
    while (i < n && at < CH__IO_NAME - 12) {
        unsigned char c = (unsigned char)name[i];
        size_t length = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        bool shown = c >= 0x20 && c != 0x7f && length <= n - i && ch__utf8_wrong(name + i, length) == length;
        if (shown) {
            memcpy(out + at, name + i, length);
            at += length;
            i += length;
        } else {
            memcpy(out + at, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
            at += 4;
            i++;
        }
    }
    if (i < n) {
        memcpy(out + at, ellipsis, 3);
        at += 3;
    }
    memcpy(out + at, "\"", 2);
    return out;
}
