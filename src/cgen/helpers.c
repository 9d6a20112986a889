// SPDX-License-Identifier: Apache-2.0
// helpers.c - the small functions that printed C holds: found by name and dtype, printed once, what they need first.
#include "cgen/emit.h"

typedef struct {
    const char *name;
    char kind;
    const char *needs, *text;
} helper_row;
static const helper_row rows[] = {
#define HELPER(name, kind, needs, text) {name, kind, needs, text},
#include "cgen/helpers.def"
#undef HELPER
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static bool stands_for(char kind, ch_dtype d) {
    switch (kind) {
    case 'f': return d == CH_F32 || d == CH_F64;
    case 'i': return ch__is_int(d);
    case 's': return ch__is_int(d) && ch__is_signed(d);
    case 'u': return ch__is_int(d) && !ch__is_signed(d);
    default: return d == 0;
    }
}

static const char *const limits[CH__DTYPE_COUNT][2] = {
    [CH_I8] = {"INT8_MIN", "INT8_MAX"},    [CH_I16] = {"INT16_MIN", "INT16_MAX"}, [CH_I32] = {"INT32_MIN", "INT32_MAX"},
    [CH_I64] = {"INT64_MIN", "INT64_MAX"}, [CH_U8] = {"0", "UINT8_MAX"},          [CH_U16] = {"0", "UINT16_MAX"},
    [CH_U32] = {"0", "UINT32_MAX"},        [CH_U64] = {"0", "UINT64_MAX"},
};

// The text with $T and its like replaced.
static void expand(ch__text *t, const char *s, ch_dtype d, bool arena) {
    static const char *const same_width[] = {[1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
    size_t size = d != 0 ? ch_dtype_size(d) : 8;
    for (const char *at = s; *at;) {
        size_t n = strcspn(at, "$");
        ch__putn(t, at, n);
        at += n;
        if (!*at) break;
        switch (at[1]) {
        case 'S': ch__put(t, ch_dtype_name(d)); break;
        case 'T': ch__put(t, ch__cg_ctype(d)); break;
        case 'F':
        case 'L': ch__put(t, d == CH_F32 ? "f" : ""); break;
        case 'U': ch__put(t, same_width[size]); break;
        case 'W': ch__put(t, size == 8 ? "uint64_t" : "uint32_t"); break;
        case 'B': ch__put_i64(t, 8 * (int64_t)size); break;
        case 'M': ch__put(t, arena ? "arena_take" : "malloc"); break;
        case 'N': ch__put(t, limits[d][0]); break;
        case 'X': ch__put(t, limits[d][1]); break;
        default: ch__putc(t, '$'); break;
        }
        at += 2;
    }
}

static const char *full_name(ch__arena *a, const helper_row *r, ch_dtype d) {
    return r->kind == '1' ? r->name : ch__arena_printf(a, "%s_%s", r->name, ch_dtype_name(d));
}

const char *ch__cg_helper(cg_file *file, const char *name, ch_dtype d) {
    for (int i = 0; i < N_ROWS; i++) {
        const helper_row *r = &rows[i];
        if (strcmp(r->name, name) != 0 || !stands_for(r->kind, d)) continue;
        const char *full = full_name(file->a, r, d);
        if (ch__strmap_get(&file->have, full)) return full;
        ch__strmap_put(&file->have, full, (void *)(uintptr_t)full);
        for (const char *at = r->needs; *at;) { // nests as deep as helpers need each other: three
            size_t n = strcspn(at, " ");
            bool same = at[n - 1] == '$';
            ch__cg_helper(file, ch__arena_strndup(file->a, at, same ? n - 1 : n), same ? d : (ch_dtype)0);
            at += n + strspn(at + n, " ");
        }
        ch__text t;
        ch__text_init(&t, file->a);
        expand(&t, r->text, d, file->arena != NULL);
        ch__putc(&t, '\n');
        CH_PUSH(file->a, &file->pieces, (piece){full, t.data, r->needs, 1, false});
        if (strstr(r->text, "$M(") || strstr(r->text, "realloc")) file->heap = true;
        return full;
    }
    ch__raise(CH__E_internal, "cgen: no helper %s for %s", name, ch_dtype_name(d));
}

void ch__cg_reserve_helpers(cg_file *file) {
    static const char inside[] = // what larger helpers are made of
        "dd_of dd_sum dd_fast dd_add dd_neg dd_mul dd_div dd_log pi_cot_pi digamma_positive dd_power scaled scaled_of "
        "scaled_mul scaled_add dd_bernoulli zeta_bracket zeta_far zeta_times_factorial";
    for (const char *at = inside; *at;) {
        size_t n = strcspn(at, " ");
        ch__cg_file_name(file, NULL, ch__arena_strndup(file->a, at, n));
        at += n + strspn(at + n, " ");
    }
    for (int i = 0; i < N_ROWS; i++)
        for (int d = 0; d < CH__DTYPE_COUNT; d++)
            if (stands_for(rows[i].kind, (ch_dtype)d))
                ch__strmap_put(&file->reserved, full_name(file->a, &rows[i], (ch_dtype)d), file);
}

void ch__cg_extern(cg_file *file, const char *prototype) {
    for (int64_t i = 0; i < file->externs.n; i++)
        if (strcmp(file->externs.data[i], prototype) == 0) return;
    CH_PUSH(file->a, &file->externs, prototype);
}
