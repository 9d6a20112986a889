// SPDX-License-Identifier: Apache-2.0
// programs.c - where programs and the packages of Python lie, and folders for the files that are made for them.
//
// Python environments are looked through in the order in which a user would expect them: the one that is active
// ($VIRTUAL_ENV, $CONDA_PREFIX), the one that `python3` in PATH belongs to, the user's packages, the system's. Only
// folders are looked at, no Python runs.
#include "base/base.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program_file(const char *path) {
    struct stat st;
    return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool ch__program_find(const char *name, char *out, size_t size) {
    const char *path = ch__env_foreign("PATH");
    if (strchr(name, '/') != NULL) return (size_t)snprintf(out, size, "%s", name) < size && is_program_file(out);
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; *at != '\0';) {
        size_t n = strcspn(at, ":");
        if (n > 0 && (size_t)snprintf(out, size, "%.*s/%s", (int)n, at, name) < size && is_program_file(out))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

// ---------------------------------------------------------------- folders of a moment
ch_status ch__temp_folder(const char *who, char *out, size_t size) {
    const char *tmp = ch__env_foreign("TMPDIR");
    if (tmp == NULL || *tmp != '/' || strlen(tmp) + 64 > size) tmp = "/tmp";
    snprintf(out, size, "%s/chaac-XXXXXX", tmp);
    if (mkdtemp(out) != NULL) return CH_OK;
    return ch__fail(CH__E_file, "%s: %s: no folder can be made there — set TMPDIR to one that can be written", who,
                    tmp);
}

void ch__temp_folder_remove(const char *folder) {
    DIR *d = opendir(folder);
    if (d != NULL) {
        for (struct dirent *e; (e = readdir(d)) != NULL;) unlinkat(dirfd(d), e->d_name, 0);
        closedir(d);
    }
    rmdir(folder);
}

// ---------------------------------------------------------------- Python
typedef struct {
    bool (*fn)(void *arg, const char *folder);
    void *arg;
} python_search;

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// The packages of a prefix: lib/python3.N/{site,dist}-packages, the newest N first.
static bool look_in_prefix(const python_search *s, const char *prefix) {
    static const char *const kinds[] = {"site-packages", "dist-packages"};
    char lib[PATH_MAX], path[PATH_MAX];
    bool there[100] = {false};
    if ((size_t)snprintf(lib, sizeof lib, "%s/lib", prefix) >= sizeof lib) return false;
    DIR *d = opendir(lib);
    if (d == NULL) return false;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        int64_t minor = 0;
        bool overflow = false;
        const char *end = e->d_name + strlen(e->d_name);
        if (strncmp(e->d_name, "python3.", 8) != 0) continue;
        if (ch__parse_i64(e->d_name + 8, end, &minor, &overflow) == end && !overflow && minor >= 0 && minor < 100)
            there[minor] = true;
    }
    closedir(d);
    for (int minor = 99; minor >= 0; minor--)
        for (int k = 0; there[minor] && k < 2; k++) {
            if ((size_t)snprintf(path, sizeof path, "%s/python3.%d/%s", lib, minor, kinds[k]) >= sizeof path) continue;
            if (is_folder(path) && s->fn(s->arg, path)) return true;
        }
    return (size_t)snprintf(path, sizeof path, "%s/python3/dist-packages", lib) < sizeof path && is_folder(path) &&
           s->fn(s->arg, path);
}

bool ch__python_folders(bool (*fn)(void *arg, const char *folder), void *arg) {
    static const char *const active[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    const python_search s = {fn, arg};
    char path[PATH_MAX];
    for (int i = 0; i < 2; i++) {
        const char *prefix = ch__env_foreign(active[i]);
        if (prefix != NULL && *prefix == '/' && look_in_prefix(&s, prefix)) return true;
    }
    if (ch__program_find("python3", path, sizeof path)) { // PREFIX/bin/python3, which may be a link
        for (int k = 0; k < 2; k++) {
            char *slash = strrchr(path, '/');
            if (slash == NULL) break;
            *slash = '\0';
        }
        if (*path == '/' && look_in_prefix(&s, path)) return true;
    }
    const char *home = ch__env_foreign("HOME");
    if (home != NULL && *home == '/' && (size_t)snprintf(path, sizeof path, "%s/.local", home) < sizeof path &&
        look_in_prefix(&s, path))
        return true;
    return look_in_prefix(&s, "/usr/local") || look_in_prefix(&s, "/usr");
}
