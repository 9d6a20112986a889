// SPDX-License-Identifier: Apache-2.0
// npz.c - NumPy's npz files: a zip archive with an npy file per array, named "<name>.npy".
//
// Reading goes through the same code as npy files, over a stream of the member. What is written without compression
// is, byte for byte, what numpy.savez writes of the same arrays under the same names.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.savez.html
#include "io/zip.h"

#include <string.h>

struct ch_npz {
    ch__zip *zip;
    char **names; // without ".npy", allocated when they differ
};

static size_t npz_stem(const char *name) {
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : n;
}

// ---- reading
static ch_status npz_begin(ch__source *source, ch_npz **out) {
    ch_npz *f = ch__calloc(1, sizeof *f);
    if (!f) {
        ch__source_close(source);
        return ch__fail_oom(source->what);
    }
    const char *what = source->what;
    ch_status s = ch__zip_open(source, &f->zip);
    if (s == CH_OK && !(f->names = ch__calloc((size_t)f->zip->n + 1, sizeof *f->names))) s = ch__fail_oom(what);
    for (int64_t i = 0; s == CH_OK && i < f->zip->n; i++) {
        const char *name = f->zip->members[i].name;
        size_t n = npz_stem(name);
        f->names[i] = ch__alloc(n + 1);
        if (!f->names[i]) {
            s = ch__fail_oom(what);
            break;
        }
        memcpy(f->names[i], name, n);
        f->names[i][n] = '\0';
        // "a" and "a.npy" would both be "a"
        if (name[n] && ch__zip_find(f->zip, f->names[i]) >= 0) {
            char text[CH__IO_NAME];
            s = ch__fail(CH__E_file_format,
                         "%s: %s: two members are named %s, one with \".npy\" — names are given once", what,
                         f->zip->name, ch__io_name_text(text, name, n));
        }
    }
    if (s == CH_OK)
        *out = f;
    else
        ch_npz_close(f);
    return s;
}

ch_status ch_npz_open(const char *path, ch_npz **out_file) {
    ch__source source;
    CH_TRY(ch__io_place("npz_open", out_file));
    *out_file = NULL;
    CH_TRY(ch__source_open(&source, "npz_open", path));
    return npz_begin(&source, out_file);
}

ch_status ch_npz_open_memory(const void *data, size_t n, const char *name, ch_npz **out_file) {
    ch__source source;
    CH_TRY(ch__io_place("npz_open", out_file));
    *out_file = NULL;
    CH_TRY(ch__source_memory(&source, "npz_open", data, n, name));
    return npz_begin(&source, out_file);
}

void ch_npz_close(ch_npz *f) {
    if (!f) return;
    for (int64_t i = 0; f->names && i < f->zip->n; i++) ch__free(f->names[i]);
    ch__free(f->names);
    ch__zip_close(f->zip);
    ch__free(f);
}

int ch_npz_count(const ch_npz *f) { return (int)f->zip->n; }
const char *ch_npz_name(const ch_npz *f, int i) { return i >= 0 && i < f->zip->n ? f->names[i] : NULL; }

int ch_npz_find(const ch_npz *f, const char *name) {
    if (!name) return -1;
    for (int64_t i = 0; i < f->zip->n; i++)
        if (strcmp(f->names[i], name) == 0) return (int)i;
    return -1;
}

static ch_status npz_missing(const ch_npz *f, const char *name) {
    enum { SHOWN = 8 };
    char list[SHOWN * (CH__IO_NAME + 2) + 32] = "", text[CH__IO_NAME];
    size_t at = 0;
    for (int i = 0; i < f->zip->n && i < SHOWN; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "",
                               ch__io_name_text(text, f->names[i], strlen(f->names[i])));
    if (f->zip->n > SHOWN) snprintf(list + at, sizeof list - at, " and %" PRId64 " more", f->zip->n - SHOWN);
    return ch__fail(CH__E_unknown_name, "npz_read: %s: no array %s — there are %" PRId64 ": %s", f->zip->name,
                    name ? ch__io_name_text(text, name, strlen(name)) : "NULL", f->zip->n, list);
}

ch_status ch_npz_read(ch_npz *f, const char *name, ch_tensor **out_tensor) {
    if (!f) return ch__fail(CH__E_argument, "npz_read: the file is NULL — give one that was opened");
    CH_TRY(ch__io_place("npz_read", out_tensor));
    *out_tensor = NULL;
    int i = ch_npz_find(f, name);
    if (i < 0) return npz_missing(f, name);
    char text[CH__IO_NAME], said[1200];
    snprintf(said, sizeof said, "%.1000s: member %s", f->zip->name,
             ch__io_name_text(text, f->zip->members[i].name, strlen(f->zip->members[i].name)));
    ch__stream s;
    CH_TRY(ch__zip_begin(f->zip, i, said, &s));
    ch_tensor *t = NULL;
    ch_status status = ch__npy_read(&s, &t);
    if (status == CH_OK) status = ch__zip_finish(f->zip, i, &s);
    ch__stream_end(&s);
    if (status == CH_OK)
        *out_tensor = t;
    else
        ch_release(t);
    return status;
}

// ---- writing
static ch_status npz_check_names(const char *path, int n, const char *const *names) {
    char text[CH__IO_NAME];
    for (int i = 0; i < n; i++) {
        if (!names[i]) return ch__fail(CH__E_argument, "npz_save: %s: name %d is NULL — give a string", path, i);
        size_t length = strlen(names[i]);
        if (length == 0 || length > 0xffff - 4 || ch__utf8_wrong(names[i], length) < length)
            return ch__fail(CH__E_argument, "npz_save: %s: name %d, %s — 1 to 65531 bytes of UTF-8 are allowed", path,
                            i, ch__io_name_text(text, names[i], length));
        for (int k = 0; k < i; k++)
            if (strcmp(names[k], names[i]) == 0)
                return ch__fail(CH__E_duplicate_name,
                                "npz_save: %s: arrays %d and %d are both named %s — give each "
                                "its own name",
                                path, k, i, ch__io_name_text(text, names[i], length));
    }
    return CH_OK;
}

static ch_status npz_add(ch__zip_out *z, const char *path, const char *name, ch_tensor *t, int compressed) {
    ch__npy_out o;
    CH_TRY(ch__npy_describe("npz_save", path, t, &o));
    size_t n = strlen(name);
    char *member = ch__alloc(n + 5);
    if (!member) return ch__fail_oom("npz_save");
    memcpy(member, name, n);
    memcpy(member + n, ".npy", 5);
    ch_status s = ch__zip_add(z, member, compressed != 0, o.header, o.n, o.data, o.bytes);
    ch__free(member);
    return s;
}

ch_status ch_npz_save(const char *path, int n, const char *const *names, ch_tensor *const *tensors, int compressed) {
    if (!path) return ch__fail(CH__E_argument, "npz_save: the path is NULL — give one");
    if (n < 0 || (n > 0 && (!names || !tensors)))
        return ch__fail(CH__E_argument, "npz_save: %s: %d arrays — give arrays of names and tensors", path, n);
    CH_TRY(npz_check_names(path, n, names));
    CH_TRY(ch_realize_all(n, tensors));
    ch__zip_out *z;
    CH_TRY(ch__zip_create("npz_save", path, &z));
    for (int i = 0; i < n; i++) {
        ch_status s = npz_add(z, path, names[i], tensors[i], compressed);
        if (s == CH_OK) continue;
        ch__zip_abandon(z);
        return s;
    }
    return ch__zip_commit(z);
}
