// SPDX-License-Identifier: Apache-2.0
// mock_text.c - the mock plugin reads @main's types and marks of donation, and the bytes of compile options.
//
// The header of @main is scanned for `%name: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}`; the rest of the text is
// the importer's. Options are protocol buffers: CompileOptionsProto with its field 3, ExecutableBuildOptionsProto, of
// which replicas (4), partitions (5) and the device assignment (9) are read, and field 7, overrides of flags.
#include "mock_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int type;
    ch_dtype dtype;
} types[] = {
    {"i1", PJ_PRED, CH_BOOL},         {"i8", PJ_S8, CH_I8},
    {"i16", PJ_S16, CH_I16},          {"i32", PJ_S32, CH_I32},
    {"i64", PJ_S64, CH_I64},          {"ui8", PJ_U8, CH_U8},
    {"ui16", PJ_U16, CH_U16},         {"ui32", PJ_U32, CH_U32},
    {"ui64", PJ_U64, CH_U64},         {"f16", PJ_F16, CH_F16},
    {"bf16", PJ_BF16, CH_BF16},       {"f32", PJ_F32, CH_F32},
    {"f64", PJ_F64, CH_F64},          {"f8E4M3FN", PJ_F8E4M3FN, CH_F8E4M3},
    {"f8E5M2", PJ_F8E5M2, CH_F8E5M2},
};

ch_dtype mock_dtype(int type) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) return types[i].dtype;
    return (ch_dtype)0;
}

// Reads "2x3xf32>" and gives what follows; NULL: it is none.
static const char *read_type(const char *s, mock_param *p) {
    *p = (mock_param){.alias = -1};
    double bytes = 1;
    while (*s >= '0' && *s <= '9') {
        char *end;
        if (p->rank == 16) return NULL;
        p->dims[p->rank] = strtoll(s, &end, 10);
        bytes *= (double)p->dims[p->rank++];
        if (*end != 'x') return NULL;
        s = end + 1;
    }
    size_t n = strcspn(s, ">");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == n && strncmp(s, types[i].name, n) == 0) p->type = types[i].type;
    if (p->type == 0 || s[n] != '>') return NULL;
    bytes *= (double)mock_type_size(p->type);
    if (bytes > 1e11) return NULL; // a real compiler divides by zero on 2^40 numbers
    p->bytes = (size_t)bytes;
    return s + n + 1;
}

static void read_marks(const char *s, const char *end, mock_param *p) {
    const char *alias = strstr(s, "tf.aliasing_output"), *donor = strstr(s, "jax.buffer_donor");
    if (alias != NULL && alias < end) sscanf(alias + 18, " = %d", &p->alias);
    p->donor = donor != NULL && donor < end;
}

// The types between s and the ) that closes it, or one alone.
static const char *read_list(const char *s, bool alone, mock_param **out, int *n) {
    int depth = 0, room = 0;
    *n = 0;
    *out = NULL;
    for (; *s != '\0'; s++) {
        if (*s == '(' || *s == '{') depth++;
        if (*s == ')' && depth == 0) return s + 1;
        if (*s == ')' || *s == '}') depth--;
        if (depth != 0 || strncmp(s, "tensor<", 7) != 0) continue;
        if (*n == room) {
            room = room * 2 + 8;
            if ((*out = realloc(*out, (size_t)room * sizeof **out)) == NULL) abort();
        }
        mock_param *p = &(*out)[(*n)++];
        s = read_type(s + 7, p);
        if (s == NULL) return NULL;
        if (alone) return s;
        const char *end = s; // the marks: up to the next , or ) outside of braces
        for (int in = 0; *end != '\0' && (in > 0 || (*end != ',' && *end != ')')); end++)
            in += (*end == '{') - (*end == '}');
        read_marks(s, end, p);
        s = end - 1;
    }
    return NULL;
}

void mock_signature_free(mock_signature *s) {
    free(s->in);
    free(s->out);
    *s = (mock_signature){0};
}

bool mock_signature_read(const char *text, mock_signature *s, char why[200]) {
    *s = (mock_signature){0};
    const char *at = strstr(text, "@main(");
    snprintf(why, 200, "conversion requires module with `main` function");
    if (at == NULL) return false;
    snprintf(why, 200, "Failed to parse using StableHLO v1.20.0: the types of @main");
    at = read_list(at + 6, false, &s->in, &s->n_in);
    if (at == NULL) return false;
    at += strspn(at, " \n");
    if (strncmp(at, "->", 2) == 0) {
        at += 2 + strspn(at + 2, " \n");
        bool many = *at == '(';
        at = read_list(at + many, !many, &s->out, &s->n_out);
        if (at == NULL) return false;
    }
    for (int i = 0; i < s->n_in; i++) { // donors take the first result of their size that is free
        mock_param *p = &s->in[i];
        if (p->alias >= s->n_out || (p->alias >= 0 && s->out[p->alias].bytes != p->bytes)) {
            snprintf(why, 200, "aliasing of param %d: result %d has another size", i, p->alias);
            return false;
        }
        for (int k = 0; p->donor && p->alias < 0 && k < s->n_out; k++) {
            bool taken = s->out[k].bytes != p->bytes;
            for (int j = 0; j < s->n_in; j++) taken = taken || s->in[j].alias == k;
            if (!taken) p->alias = k;
        }
    }
    return true;
}

// ---------------------------------------------------------------- options
typedef struct {
    const unsigned char *p, *end;
} wire;

static bool read_varint(wire *w, uint64_t *v) {
    *v = 0;
    for (int shift = 0; w->p < w->end && shift < 64; shift += 7) {
        *v |= (uint64_t)(*w->p & 0x7f) << shift;
        if ((*w->p++ & 0x80) == 0) return true;
    }
    return false;
}

// The next field: its number, and its value or its bytes.
static bool read_field(wire *w, uint64_t *number, uint64_t *value, wire *bytes) {
    uint64_t tag, n;
    *bytes = (wire){NULL, NULL};
    if (!read_varint(w, &tag)) return false;
    *number = tag >> 3;
    if ((tag & 7) == 0) return read_varint(w, value);
    if ((tag & 7) != 2 || !read_varint(w, &n) || n > (uint64_t)(w->end - w->p)) return false;
    *bytes = (wire){w->p, w->p + n};
    w->p += n;
    return true;
}

static bool read_assignment(wire w, mock_options *o) {
    uint64_t number, v;
    wire in, ids;
    while (w.p < w.end) {
        if (!read_field(&w, &number, &v, &in)) return false;
        if (number != 3) continue;
        while (in.p < in.end) {
            if (!read_field(&in, &number, &v, &ids)) return false;
            if (ids.p == NULL && o->n_ids < MOCK_DEVICES) o->ids[o->n_ids++] = (int)v;
            while (ids.p < ids.end && o->n_ids < MOCK_DEVICES && read_varint(&ids, &v)) o->ids[o->n_ids++] = (int)v;
        }
    }
    return true;
}

static bool read_build(wire w, mock_options *o) {
    uint64_t number, v = 0;
    wire in;
    while (w.p < w.end) {
        if (!read_field(&w, &number, &v, &in)) return false;
        if (number == 4) o->replicas = (int)v;
        if (number == 5) o->partitions = (int)v;
        if (number == 9 && !read_assignment(in, o)) return false;
    }
    return true;
}

static bool read_override(wire w, mock_options *o) {
    uint64_t number, v;
    wire in, key = {NULL, NULL}, text = {NULL, NULL};
    while (w.p < w.end) {
        if (!read_field(&w, &number, &v, &in)) return false;
        if (number == 1) key = in;
        if (number == 2 && !read_field(&in, &number, &v, &text)) return false;
    }
    if (key.p == NULL || text.p == NULL) return false;
    size_t n = strlen(o->flags);
    snprintf(o->flags + n, sizeof o->flags - n, "%.*s=%.*s ", (int)(key.end - key.p), (const char *)key.p,
             (int)(text.end - text.p), (const char *)text.p);
    return true;
}

bool mock_options_read(const char *bytes, size_t n, mock_options *o) {
    wire w = {(const unsigned char *)bytes, (const unsigned char *)bytes + n}, in;
    uint64_t number, v;
    *o = (mock_options){0};
    while (w.p < w.end) {
        if (!read_field(&w, &number, &v, &in)) return false;
        if (number == 3 && !read_build(in, o)) return false;
        if (number == 7 && !read_override(in, o)) return false;
    }
    return true;
}
