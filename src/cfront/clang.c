// SPDX-License-Identifier: Apache-2.0
// clang.c - finds and opens libclang, and looks up the functions of clang.def.
//
// The library is looked for by the names Debian, Fedora and upstream give it, newest first. It stays open: LLVM cannot
// be unloaded safely.
#include "cfront/clang.h"

#include <stdlib.h>
#include <string.h>

cf_clang clang;
static int open_version;

static const char *const names[] = {"libclang-%d.so.1", "libclang-%d.so.%d", "libclang.so.%d",
                                    "/usr/lib/llvm-%d/lib/libclang.so.1"};

static bool look_up(void *lib) {
    bool all = true;
    void *p;
#define CLANG(result, name, parameters)                                                                                \
    p = ch__dl_sym(lib, "clang_" #name);                                                                               \
    all = all && p;                                                                                                    \
    memcpy(&clang.name, &p, sizeof p);
#include "cfront/clang.def"
#undef CLANG
    return all;
}

static int version_of(void) {
    CXString s = clang.getClangVersion();
    const char *text = clang.getCString(s), *at = text ? strstr(text, "version ") : NULL;
    int v = at ? atoi(at + 8) : 0;
    clang.disposeString(s);
    return v;
}

CH_NORETURN static void refuse_clang(const char *what) {
    ch__raise(CH__E_unsupported,
              "cfront: %s — reading C needs libclang %d or later: apt-get install libclang1-19 (Debian, Ubuntu), "
              "dnf install clang-libs (Fedora), brew install llvm (macOS); CHAAC_LIBCLANG names the file elsewhere",
              what, CF_CLANG_LEAST);
}

static void *open_any(const char **what) {
    const char *given = ch__env("CHAAC_LIBCLANG");
    char name[64];
    if (given) {
        *what = given;
        return ch__dl_open(given);
    }
    for (int v = CF_CLANG_NEWEST; v >= CF_CLANG_LEAST; v--)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(name, sizeof name, names[i], v, v);
            void *lib = ch__dl_open(name);
            if (lib) return lib;
        }
    void *lib = ch__dl_open("libclang.so");
    return lib ? lib : ch__dl_open("libclang.so.1");
}

void cf_clang_open(void) {
    if (open_version) return;
    const char *what = "libclang";
    char text[256];
    void *lib = open_any(&what);
    if (!lib) {
        snprintf(text, sizeof text, "%.200s is not installed", what);
        refuse_clang(text);
    }
    bool all = look_up(lib);
    int v = clang.getClangVersion && clang.getCString && clang.disposeString ? version_of() : 0;
    if (v < CF_CLANG_LEAST || !all) {
        snprintf(text, sizeof text, "libclang is of version %d", v);
        refuse_clang(text);
    }
    open_version = v;
}

int cf_clang_version(void) { return open_version; }

const char *cf_clang_string(ch__arena *a, CXString s) {
    const char *text = clang.getCString(s), *copy = ch__arena_strdup(a, text ? text : "");
    clang.disposeString(s);
    return copy;
}
