// SPDX-License-Identifier: Apache-2.0
// find.c - IREE's two programs: in $CHAAC_IREE_BIN, in PATH, in Python environments.
//
// The Python packages iree-base-compiler and iree-base-runtime hold the programs themselves, and scripts in bin/ that
// start a Python first (0.2 s for each run). The programs are taken where both are there.
#include "iree/iree.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

static const char *const iree_names[2] = {"iree-compile", "iree-run-module"};
static const char *const iree_in_python[2] = {"iree/compiler/_mlir_libs/iree-compile",
                                              "iree/_runtime_libs/iree-run-module"};
static pthread_once_t iree_once = PTHREAD_ONCE_INIT;
static char iree_paths[2][PATH_MAX]; // "": not found

static bool iree_in_packages(void *arg, const char *folder) {
    const int *which = arg;
    char path[PATH_MAX];
    size_t n = (size_t)snprintf(path, sizeof path, "%s/%s", folder, iree_in_python[*which]);
    return n < sizeof path && ch__program_find(path, iree_paths[*which], PATH_MAX);
}

static bool iree_is_script(const char *path) {
    char head[2] = "";
    FILE *f = fopen(path, "rb");
    bool script = f != NULL && fread(head, 1, 2, f) == 2 && head[0] == '#' && head[1] == '!';
    if (f != NULL) fclose(f);
    return script;
}

static void iree_look(void) {
    const char *own = ch__env("CHAAC_IREE_BIN");
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        bool found;
        if (own != NULL && *own != '\0') {
            found = (size_t)snprintf(path, sizeof path, "%s/%s", own, iree_names[i]) < sizeof path &&
                    strchr(path, '/') != NULL && ch__program_find(path, iree_paths[i], PATH_MAX);
        } else if (ch__program_find(iree_names[i], iree_paths[i], PATH_MAX)) {
            snprintf(path, sizeof path, "%s", iree_paths[i]);
            found = true;
            if (iree_is_script(path) && !ch__python_folders(iree_in_packages, &i))
                snprintf(iree_paths[i], PATH_MAX, "%s", path);
        } else {
            found = ch__python_folders(iree_in_packages, &i);
        }
        if (!found) iree_paths[i][0] = '\0';
    }
}

ch_status ch__iree_find(ch__iree_programs *out) {
    pthread_once(&iree_once, iree_look);
    *out = (ch__iree_programs){iree_paths[0], iree_paths[1]};
    for (int i = 0; i < 2; i++) {
        if (iree_paths[i][0] != '\0') continue;
        const char *own = ch__env("CHAAC_IREE_BIN");
        if (own != NULL && *own != '\0')
            return ch__fail(CH__E_subprocess,
                            "iree: CHAAC_IREE_BIN is \"%s\" and no program %s is there — name the "
                            "folder of both programs",
                            own, iree_names[i]);
        return ch__fail(CH__E_subprocess,
                        "iree: no %s is found (CHAAC_IREE_BIN, PATH, Python environments) — pip install "
                        "iree-base-compiler iree-base-runtime",
                        iree_names[i]);
    }
    return CH_OK;
}

bool ch__iree_ready(void) {
    pthread_once(&iree_once, iree_look);
    return iree_paths[0][0] != '\0' && iree_paths[1][0] != '\0';
}

ch_status ch__iree_find_target(ch__iree_target *out) {
    const char *own = ch__env("CHAAC_IREE_TARGET");
    *out = (ch__iree_target){0};
    if (own == NULL || *own == '\0' || strcmp(own, "llvm-cpu") == 0) return CH_OK;
    out->cuda = strncmp(own, "cuda", 4) == 0 && (own[4] == '\0' || (own[4] == ':' && own[5] != '\0'));
    if (out->cuda && own[4] == ':') out->arch = own + 5;
    if (out->cuda) return CH_OK;
    return ch__fail(CH__E_argument, "iree: CHAAC_IREE_TARGET is \"%s\" — llvm-cpu, cuda or cuda:ARCH", own);
}

double ch__iree_seconds(void) { return (double)ch__env_int("CHAAC_IREE_SECONDS", 300, 1, 86400); }

// From the first place where `about` stands on, its line, else the first line.
const char *ch__iree_said(char *said, const char *about) {
    char *line = strstr(said, about);
    if (line == NULL) line = said;
    line[strcspn(line, "\n")] = '\0';
    return *line == '\0' ? "it said nothing" : line;
}
