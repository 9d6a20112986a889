// SPDX-License-Identifier: Apache-2.0
// run.c - a module of IREE on arrays: inputs as raw files, iree-run-module, results as npy files or raw ones.
//
// An input's type stands in the argument (--input=2x3xf32=@FILE), so its elements are all that the file holds. Results
// of dtypes that NumPy has come as npy, whose header says what was computed and is compared with what should have been;
// bf16 and the 8-bit floats come raw, where only the number of bytes can be.
#include "iree/iree.h"

#include <limits.h>
#include <string.h>

#include "hlo/hlo.h"

enum { IREE_RUN_SAID = 4096 };

// ---------------------------------------------------------------- arguments
typedef struct {
    const char *program, *folder, *device;
    int n_in, n_out;
    const ch__slot *in, *out;
    ch__arena *arena;
    const char **argv, **results; // results: the files
} iree_arguments;

static void iree_put_input(ch__text *t, const ch__slot *s, const char *folder, int i) {
    ch__put(t, "--input=");
    for (int d = 0; d < s->rank; d++) {
        ch__put_i64(t, s->dims[d]);
        ch__putc(t, 'x');
    }
    ch__putf(t, "%s=@%s/in%d.bin", ch__hlo_dtype(s->dtype), folder, i);
}

static void iree_make_arguments(void *arg) {
    iree_arguments *a = arg;
    int n = 0;
    a->arena = ch__arena_create();
    a->argv = CH_NEW_ARRAY(a->arena, const char *, a->n_in + a->n_out + 5);
    a->results = CH_NEW_ARRAY(a->arena, const char *, a->n_out + 1);
    a->argv[n++] = a->program;
    a->argv[n++] = ch__arena_printf(a->arena, "--module=%s/program.vmfb", a->folder);
    a->argv[n++] = "--function=main";
    a->argv[n++] = a->device;
    for (int i = 0; i < a->n_in; i++) {
        ch__text t;
        ch__text_init(&t, a->arena);
        iree_put_input(&t, &a->in[i], a->folder, i);
        a->argv[n++] = t.data;
    }
    for (int i = 0; i < a->n_out; i++) {
        const char *kind = ch__npy_descr(a->out[i].dtype) != NULL ? "npy" : "bin";
        a->results[i] = ch__arena_printf(a->arena, "%s/out%d.%s", a->folder, i, kind);
        a->argv[n++] = ch__arena_printf(a->arena, "--output=@%s", a->results[i]);
    }
}

// ---------------------------------------------------------------- files
static ch_status iree_write(const char *folder, const char *name, int i, const void *data, size_t n) {
    char path[PATH_MAX];
    if (i >= 0)
        snprintf(path, sizeof path, "%s/%s%d.bin", folder, name, i);
    else
        snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    bool good = f != NULL && (n == 0 || fwrite(data, 1, n, f) == n);
    if (f != NULL) good = fclose(f) == 0 && good;
    if (good) return CH_OK;
    return ch__fail(CH__E_file, "iree: %s: %zu bytes could not be written — is the disk full?", path, n);
}

static bool iree_header_fits(const char *data, size_t n, const ch__slot *want, size_t *out_at) {
    char header[CH__NPY_HEADER];
    if (n < 10 || memcmp(data, "\x93NUMPY\1", 7) != 0) return false;
    size_t at = 10 + ((size_t)(unsigned char)data[8] | (size_t)(unsigned char)data[9] << 8);
    ch__npy_header(header, want->dtype, want->rank, want->dims);
    size_t dict = (size_t)(strchr(header + 10, '}') - header) + 1;
    *out_at = at;
    return at <= n && at >= dict && memcmp(data + 10, header + 10, dict - 10) == 0;
}

static ch_status iree_read_result(const char *func, int i, const char *path, const ch__slot *want) {
    char *data = NULL;
    size_t n = 0, at = 0, bytes = ch__slot_bytes(want);
    if (!ch__file_exists(path))
        return ch__fail(CH__E_subprocess, "iree: @%s: iree-run-module wrote no result %d — it is of another age", func,
                        i);
    CH_TRY(ch__file_read(path, 0, &data, &n));
    bool npy = ch__npy_descr(want->dtype) != NULL;
    bool fits = (!npy || iree_header_fits(data, n, want, &at)) && n - at == bytes;
    if (fits && bytes > 0) memcpy(want->data, data + at, bytes);
    if (fits && want->dtype == CH_BOOL)
        for (size_t k = 0; k < bytes; k++) ((uint8_t *)want->data)[k] = ((uint8_t *)want->data)[k] != 0;
    ch__free(data);
    if (fits) return CH_OK;
    return ch__fail(CH__E_subprocess,
                    "iree: @%s: iree-run-module wrote a result %d of another type or size than %s of "
                    "%zu bytes — it is of another age, or none",
                    func, i, ch_dtype_name(want->dtype), bytes);
}

// ---------------------------------------------------------------- the run
static ch_status iree_run_in(iree_arguments *a, const char *func, const volatile int *cancel) {
    char said[IREE_RUN_SAID];
    int status = 0;
    for (int i = 0; i < a->n_in; i++) CH_TRY(iree_write(a->folder, "in", i, a->in[i].data, ch__slot_bytes(&a->in[i])));
    CH_TRY(ch__subprocess(a->argv, ch__iree_seconds(), cancel, said, sizeof said, &status));
    if (status != 0) {
        char *from = strncmp(said, "EXEC ", 5) == 0 ? said + strcspn(said, "\n") : said; // what it does
        return ch__fail(CH__E_subprocess, "iree: @%s: %s gave up with status %d: %s", func, a->program, status,
                        ch__iree_said(from + (*from == '\n'), ""));
    }
    for (int i = 0; i < a->n_out; i++) CH_TRY(iree_read_result(func, i, a->results[i], &a->out[i]));
    return CH_OK;
}

ch_status ch__iree_run(const char *func, const char *module, size_t n, const volatile int *cancel, int n_in,
                       const ch__slot *in, int n_out, const ch__slot *out) {
    ch__iree_programs programs;
    ch__iree_target target;
    char folder[PATH_MAX - 64];
    CH_TRY(ch__iree_find(&programs));
    CH_TRY(ch__iree_find_target(&target));
    CH_TRY(ch__temp_folder("iree", folder, sizeof folder));
    iree_arguments a = {.program = programs.run,
                        .folder = folder,
                        .device = target.cuda ? "--device=cuda" : "--device=local-sync",
                        .n_in = n_in,
                        .n_out = n_out,
                        .in = in,
                        .out = out};
    ch_status s = ch__protect(iree_make_arguments, &a);
    if (s == CH_OK) {
        ch__arena_keep(a.arena);
        s = iree_write(folder, "program.vmfb", -1, module, n);
        if (s == CH_OK) s = iree_run_in(&a, func, cancel);
        ch__arena_destroy(a.arena);
    }
    ch__temp_folder_remove(folder);
    return s;
}
