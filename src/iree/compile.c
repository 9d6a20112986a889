// SPDX-License-Identifier: Apache-2.0
// compile.c - StableHLO text to a module of IREE, by iree-compile, in a folder of its own that is removed.
#include "iree/iree.h"

#include <limits.h>
#include <string.h>

enum { IREE_SAID = 8192 };

typedef struct {
    char folder[PATH_MAX - 64], text[PATH_MAX], module[PATH_MAX];
} iree_compile_files;

static ch_status iree_run_compiler(const char *func, const iree_compile_files *f, const volatile int *cancel) {
    ch__iree_programs programs;
    ch__iree_target target;
    CH_TRY(ch__iree_find(&programs));
    CH_TRY(ch__iree_find_target(&target));
    const char *argv[16];
    char arch[256], said[IREE_SAID];
    int n = 0, status = 0;
    argv[n++] = programs.compile;
    argv[n++] = "--iree-input-type=auto";
    argv[n++] = "--iree-input-demote-f64-to-f32=false";
    argv[n++] = "--iree-input-demote-i64-to-i32=false";
    if (target.cuda) {
        argv[n++] = "--iree-hal-target-device=cuda";
        snprintf(arch, sizeof arch, "--iree-cuda-target=%s", target.arch != NULL ? target.arch : "");
        if (target.arch != NULL) argv[n++] = arch;
    } else {
        argv[n++] = "--iree-hal-target-device=local";
        argv[n++] = "--iree-hal-local-target-device-backends=llvm-cpu";
        argv[n++] = "--iree-llvmcpu-target-cpu=host";
    }
    argv[n++] = f->text;
    argv[n++] = "-o";
    argv[n++] = f->module;
    argv[n] = NULL;
    CH_TRY(ch__subprocess(argv, ch__iree_seconds(), cancel, said, sizeof said, &status));
    if (status == 0) return CH_OK;
    if (strstr(said, "error:") != NULL)
        return ch__fail(CH__E_unsupported,
                        "iree: @%s: iree-compile refuses it: %s — the engines interp and native "
                        "take it",
                        func, ch__iree_said(said, "error:"));
    return ch__fail(CH__E_subprocess, "iree: @%s: %s gave up with status %d: %s", func, programs.compile, status,
                    ch__iree_said(said, "error"));
}

// Modules are zip files.
static ch_status iree_read_module(const char *func, const iree_compile_files *f, char **out_module, size_t *out_n) {
    ch__iree_programs programs;
    CH_TRY(ch__iree_find(&programs));
    if (ch__file_exists(f->module)) CH_TRY(ch__file_read(f->module, 0, out_module, out_n));
    if (*out_n >= 4 && memcmp(*out_module, "PK\3\4", 4) == 0) return CH_OK;
    ch__free(*out_module);
    *out_module = NULL;
    return ch__fail(CH__E_subprocess, "iree: @%s: %s wrote %s — it is no iree-compile, or one of another age", func,
                    programs.compile, *out_n == 0 ? "nothing" : "what is no module");
}

ch_status ch__iree_compile(const char *func, const char *text, const volatile int *cancel, char **out_module,
                           size_t *out_n) {
    iree_compile_files f;
    *out_module = NULL;
    *out_n = 0;
    CH_TRY(ch__temp_folder("iree", f.folder, sizeof f.folder));
    snprintf(f.text, sizeof f.text, "%s/program.mlir", f.folder);
    snprintf(f.module, sizeof f.module, "%s/program.vmfb", f.folder);
    ch_status s = ch__file_write_atomic(f.text, text, strlen(text));
    if (s == CH_OK) s = iree_run_compiler(func, &f, cancel);
    if (s == CH_OK) s = iree_read_module(func, &f, out_module, out_n);
    ch__temp_folder_remove(f.folder);
    return s;
}
