// SPDX-License-Identifier: Apache-2.0
// hlo/api.c - StableHLO for users: parse, load, emit.
#include "hlo/hlo.h"

#include <string.h>

typedef struct hlo_read_job {
    const char *text, *name, *func_name;
    size_t n;
    ch_func *result;
    ch__hlo_reader *reader;
    ch__module *module;
} hlo_read_job;

static void hlo_read_text(void *arg) {
    hlo_read_job *j = arg;
    ch__hlo_read(j->reader);
    j->result = ch__hlo_take_module(j->reader, j->module, j->func_name);
    j->reader->p.here = NULL;
    ch__settle_calls(j->module);
    ch__verify_module(j->module);
}

static void hlo_read(void *arg) {
    hlo_read_job *j = arg;
    ch__hlo_reader r;
    j->module = ch__module_create();
    ch__arena *scratch = ch__arena_create();
    j->reader = &r;
    ch__hlo_reader_init(&r, scratch, j->module->arena, j->text, j->n, j->name);
    if (ch__protect(hlo_read_text, j) != CH_OK) ch__parse_fail_current(&r.p);
    ch__arena_destroy(scratch);
    j->result->owns_module = true;
    ch__arena_keep(j->module->arena);
}

ch_status ch_hlo_parse(const char *text, const char *name, const char *func_name, ch_func **out_func) {
    if (!text || !out_func) return ch__fail(CH__E_argument, "ch_hlo_parse: %s is NULL", text ? "out_func" : "text");
    hlo_read_job j = {.text = text, .n = strlen(text), .name = name ? name : "text", .func_name = func_name};
    CH_TRY(ch__protect(hlo_read, &j));
    *out_func = j.result;
    return CH_OK;
}

ch_status ch_hlo_load(const char *path, const char *func_name, ch_func **out_func) {
    if (!path || !out_func) return ch__fail(CH__E_argument, "ch_hlo_load: %s is NULL", path ? "out_func" : "path");
    char *text = NULL;
    size_t n = 0;
    CH_TRY(ch__file_read(path, (size_t)1 << 31, &text, &n));
    hlo_read_job j = {.text = text, .n = n, .name = path, .func_name = func_name};
    ch_status s = ch__protect(hlo_read, &j);
    ch__free(text);
    if (s == CH_OK) *out_func = j.result;
    return s;
}

const char *ch_hlo_notes(const ch_func *f) { return f && f->module->notes ? f->module->notes : ""; }

// ---------------------------------------------------------------- writing

typedef struct hlo_write_job {
    const ch_func *func;
    ch_hlo_options options;
    FILE *file;
    char *out;
    bool failed;
} hlo_write_job;

static void hlo_write(void *arg) {
    hlo_write_job *j = arg;
    ch__arena *scratch = ch__arena_create();
    ch__text t;
    ch__text_init(&t, scratch); // refused: nothing has been written
    ch__emit_module(&t, j->func, &j->options);
    if (j->file) {
        j->failed = fwrite(t.data, 1, (size_t)t.n, j->file) != (size_t)t.n;
    } else {
        j->out = ch__alloc((size_t)t.n + 1);
        if (!j->out) ch__raise_oom();
        memcpy(j->out, t.data, (size_t)t.n + 1);
    }
    ch__arena_destroy(scratch);
}

static ch_status hlo_write_options(hlo_write_job *j, const char *who, const ch_hlo_options *given) {
    static const char *const targets[] = {"cpu", "cuda", "tpu", "metal"};
    if (!given) return CH_OK;
    if (given->struct_size == 0 || given->struct_size > sizeof j->options)
        return ch__fail(CH__E_argument, "%s: struct_size is %zu — sizeof(ch_hlo_options) is %zu", who,
                        given->struct_size, sizeof j->options);
    memcpy(&j->options, given, given->struct_size);
    const char *target = j->options.target;
    bool known = !target;
    for (int i = 0; target && i < 4; i++) known = known || strcmp(target, targets[i]) == 0;
    if (!known) return ch__fail(CH__E_argument, "%s: target %s — cpu, cuda, tpu or metal", who, target);
    if (j->options.n_sizes < 0 || (j->options.n_sizes > 0 && (!j->options.size_names || !j->options.size_values)))
        return ch__fail(CH__E_argument, "%s: n_sizes is %d without names and values", who, j->options.n_sizes);
    return CH_OK;
}

ch_status ch_hlo_emit(const ch_func *f, const ch_hlo_options *options, FILE *file) {
    if (!f || !file) return ch__fail(CH__E_argument, "ch_hlo_emit: %s is NULL", f ? "file" : "f");
    hlo_write_job j = {.func = f, .file = file};
    CH_TRY(hlo_write_options(&j, "ch_hlo_emit", options));
    CH_TRY(ch__protect(hlo_write, &j));
    return j.failed ? ch__fail(CH__E_file, "ch_hlo_emit: the text could not be written") : CH_OK;
}

ch_status ch_hlo_to_text(const ch_func *f, const ch_hlo_options *options, char **out_text) {
    if (!f || !out_text) return ch__fail(CH__E_argument, "ch_hlo_to_text: %s is NULL", f ? "out_text" : "f");
    hlo_write_job j = {.func = f};
    CH_TRY(hlo_write_options(&j, "ch_hlo_to_text", options));
    CH_TRY(ch__protect(hlo_write, &j));
    *out_text = j.out;
    return CH_OK;
}
