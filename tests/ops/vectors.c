// SPDX-License-Identifier: Apache-2.0
// vectors.c - reads the expected values made by gen_vectors.py: gzip files of lines of text with payloads between.
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

static void vec_bad(const vec_file *f, const char *what) {
    printf("Bail out! %s: %s at byte %zu\n", f->path, what, f->at);
    exit(1);
}

void vec_open(vec_file *f, const char *path) {
    *f = (vec_file){.path = path};
    gzFile z = gzopen(path, "rb");
    if (!z) vec_bad(f, "cannot be opened");
    size_t cap = 0;
    for (;;) {
        if (f->n == cap) {
            cap = cap ? 2 * cap : 1 << 20;
            f->data = realloc(f->data, cap);
            if (!f->data) vec_bad(f, "out of memory");
        }
        int got = gzread(z, f->data + f->n, (unsigned)(cap - f->n > 1 << 20 ? 1 << 20 : cap - f->n));
        if (got < 0) vec_bad(f, "is damaged");
        if (got == 0) break;
        f->n += (size_t)got;
    }
    if (gzclose(z) != Z_OK) vec_bad(f, "is truncated");
    static const char magic[] = "chaac-vectors 1\n";
    if (f->n < sizeof magic - 1 || memcmp(f->data, magic, sizeof magic - 1) != 0) vec_bad(f, "is no file of vectors");
    f->at = sizeof magic - 1;
}

void vec_close(vec_file *f) { free(f->data); }

// The next line, NUL-terminated in `line`.
static void vec_line(vec_file *f, char line[256]) {
    const char *s = f->data + f->at, *nl = memchr(s, '\n', f->n - f->at);
    if (!nl || nl - s >= 256) vec_bad(f, "a line is missing or too long");
    memcpy(line, s, (size_t)(nl - s));
    line[nl - s] = 0;
    f->at += (size_t)(nl - s) + 1;
}

static const char *vec_bytes(vec_file *f, size_t n) {
    if (n >= f->n - f->at || f->data[f->at + n] != '\n') vec_bad(f, "a payload is cut off");
    const char *p = f->data + f->at;
    f->at += n + 1;
    return p;
}

static tolerance vec_tolerance(const vec_file *f, const char *word) {
    if (strcmp(word, "bits") == 0) return (tolerance){.kind = TOL_BITS};
    if (strcmp(word, "exact") == 0) return (tolerance){.kind = TOL_EXACT};
    if (strncmp(word, "ulp=", 4) != 0) vec_bad(f, "no such tolerance");
    tolerance t = {.kind = TOL_ULP};
    const char *end = word + strlen(word), *s = word + 4;
    bool overflow;
    s = ch__parse_i64(s, end, &t.ulps, &overflow);
    if (strncmp(s, ",abs=", 5) == 0) s = ch__parse_f64(s + 5, end, &t.abs);
    if (*s) vec_bad(f, "no such tolerance");
    return t;
}

// "f32 2 3 4" or, of a result, "f32 exact 2 3 4".
static void vec_array_read(vec_file *f, const char *s, bool result, vec_array *out) {
    char word[64];
    int used = 0;
    *out = (vec_array){.n = 1};
    if (sscanf(s, "%63s%n", word, &used) != 1) vec_bad(f, "no dtype");
    out->dtype = (ch_dtype)ch_dtype_from_name(word);
    if (!out->dtype) vec_bad(f, "no such dtype");
    s += used;
    if (result) {
        if (sscanf(s, "%63s%n", word, &used) != 1) vec_bad(f, "no tolerance");
        out->tol = vec_tolerance(f, word);
        s += used;
    }
    if (sscanf(s, "%d%n", &out->rank, &used) != 1 || out->rank < 0 || out->rank > CH__MAX_RANK) vec_bad(f, "no rank");
    s += used;
    for (int i = 0; i < out->rank; i++) {
        if (sscanf(s, "%" SCNd64 "%n", &out->dims[i], &used) != 1) vec_bad(f, "too few sizes");
        s += used;
        out->n *= out->dims[i];
    }
    out->data = vec_bytes(f, (size_t)out->n * ch_dtype_size(out->dtype));
}

bool vec_next(vec_file *f, vec_case *out) {
    if (f->at == f->n) return false;
    char line[256], dtype[16];
    size_t n = 0;
    *out = (vec_case){0};
    vec_line(f, line);
    if (sscanf(line, "case %39s %15s %39s", out->op, dtype, out->name) != 3) vec_bad(f, "a case line is wanted");
    out->dtype = (ch_dtype)ch_dtype_from_name(dtype);
    vec_line(f, line);
    if (sscanf(line, "text %zu", &n) != 1) vec_bad(f, "a text line is wanted");
    out->text = vec_bytes(f, n);
    out->text_n = n;
    for (;;) {
        vec_line(f, line);
        if (strcmp(line, "end") == 0) return true;
        if (strncmp(line, "in ", 3) == 0 && out->n_in < CH__VEC_MAX) {
            vec_array_read(f, line + 3, false, &out->in[out->n_in++]);
        } else if (strncmp(line, "out ", 4) == 0 && out->n_out < CH__VEC_MAX) {
            vec_array_read(f, line + 4, true, &out->out[out->n_out++]);
        } else {
            vec_bad(f, "in, out or end is wanted");
        }
    }
}
