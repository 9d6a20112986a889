// SPDX-License-Identifier: Apache-2.0
// hlo/api.c - StableHLO for users: parse and load.
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
