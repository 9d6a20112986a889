// SPDX-License-Identifier: Apache-2.0
// find.c - where plugins lie: the path given, variables of the environment, Python environments, system folders.
//
// Python packages put plugins at known places below site-packages; nothing of Python is run to find them. Every place
// that was looked at is in the sentence when none has one.
#include "pjrt/pjrt.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const find_targets[] = {"", "cpu", "cuda", "tpu", "metal", "cerebras"};

const char *ch_target_name(ch_target t) { return t >= CH_CPU && t <= CH_CEREBRAS ? find_targets[t] : "?"; }

int ch_target_from_name(const char *name) {
    for (int i = CH_CPU; name != NULL && i <= CH_CEREBRAS; i++)
        if (strcmp(name, find_targets[i]) == 0) return i;
    return 0;
}

ch_status ch__pjrt_target(ch_target *out) {
    const char *name = ch__env("CHAAC_PJRT_TARGET");
    int t = name == NULL || name[0] == '\0' ? CH_CPU : ch_target_from_name(name);
    if (t == 0)
        return ch__fail(CH__E_argument, "session open: CHAAC_PJRT_TARGET is \"%s\" — cpu, cuda, tpu, metal or cerebras",
                        name);
    *out = (ch_target)t;
    return CH_OK;
}

// Below site-packages.
static const char *const find_python[][6] = {
    [CH_CPU] = {"lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so", "fastatomstruct_xla_cpu/libpjrt_cpu.so",
                "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "jax_plugins/*cpu*/*.so"},
    [CH_CUDA] = {"jax_plugins/xla_cuda1*/xla_cuda_plugin.so", "jax_plugins/*cuda*/*.so"},
    [CH_TPU] = {"libtpu/libtpu.so", "jax_plugins/*tpu*/*.so"},
    [CH_METAL] = {"jax_plugins/metal_plugin/pjrt_plugin_metal_*.dylib", "jax_plugins/*metal*/*.dylib"},
    [CH_CEREBRAS] = {"jax_plugins/*cerebras*/*.so", "cerebras*/*pjrt*.so"},
};

typedef struct find_job {
    char path[4096]; // found
    char tried[1700];
    bool found;
    bool named_wrongly; // path is what PJRT_NAMES_AND_LIBRARY_PATHS says, and no file
} find_job;

static void find_note(find_job *j, const char *place) {
    size_t n = strlen(j->tried);
    snprintf(j->tried + n, sizeof j->tried - n, "%s%s", n > 0 ? ", " : "", place);
}

static bool find_is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

// The last of what matches: the newest version of a name with a number in it.
static void find_glob(find_job *j, const char *pattern) {
    glob_t g;
    if (j->found || glob(pattern, 0, NULL, &g) != 0) return;
    for (size_t i = g.gl_pathc; i-- > 0 && !j->found;)
        if (find_is_file(g.gl_pathv[i]) && strlen(g.gl_pathv[i]) < sizeof j->path) {
            strcpy(j->path, g.gl_pathv[i]);
            j->found = true;
        }
    globfree(&g);
}

static bool find_pattern(find_job *j, const char *format, const char *folder, const char *name) {
    char pattern[4096];
    if ((size_t)snprintf(pattern, sizeof pattern, format, folder, name) < sizeof pattern) find_glob(j, pattern);
    return j->found;
}

// The names a plugin for `name` has in a folder of libraries.
static void find_in_folder(find_job *j, const char *folder, const char *name) {
    static const char *const forms[] = {"%s/pjrt_c_api_%s_plugin.so", "%s/libpjrt_c_api_%s_plugin.so",
                                        "%s/libpjrt_%s.so", "%s/pjrt_plugin_%s.so", "%s/pjrt_plugin_%s_*.dylib"};
    char place[4200];
    for (int i = 0; i < (int)(sizeof forms / sizeof forms[0]); i++)
        if (find_pattern(j, forms[i], folder, name)) return;
    snprintf(place, sizeof place, "%s/*pjrt*%s*.so", folder, name);
    find_note(j, place);
}

typedef struct find_python_job {
    find_job *job;
    ch_target target;
} find_python_job;

static bool find_in_packages(void *arg, const char *folder) {
    const find_python_job *p = arg;
    for (int i = 0; i < 6 && find_python[p->target][i] != NULL; i++)
        if (find_pattern(p->job, "%s/%s", folder, find_python[p->target][i])) return true;
    find_note(p->job, folder);
    return false;
}

static void find_in_python(find_job *j, ch_target target) {
    find_python_job p = {j, target};
    if (j->found || ch__python_folders(find_in_packages, &p)) return;
    find_note(j, "Python packages of $VIRTUAL_ENV, $CONDA_PREFIX, python3 in PATH, ~/.local, /usr/local, /usr");
}

// "name:path,name:path"
static void find_in_list(find_job *j, const char *name) {
    const char *list = ch__env_foreign("PJRT_NAMES_AND_LIBRARY_PATHS");
    for (const char *at = list; at != NULL && *at != '\0' && !j->found;) {
        size_t n = strcspn(at, ","), len = strlen(name);
        if (n > len && strncmp(at, name, len) == 0 && at[len] == ':' && n - len - 1 < sizeof j->path) {
            snprintf(j->path, sizeof j->path, "%.*s", (int)(n - len - 1), at + len + 1);
            j->found = find_is_file(j->path);
            j->named_wrongly = !j->found;
            if (!j->found) return;
        }
        at += n + (at[n] == ',');
    }
    if (!j->found)
        find_note(j, list == NULL ? "PJRT_NAMES_AND_LIBRARY_PATHS (not set)" : "PJRT_NAMES_AND_LIBRARY_PATHS");
}

static void find_in_paths(find_job *j, const char *list, const char *name) {
    for (const char *at = list; at != NULL && *at != '\0' && !j->found;) {
        size_t n = strcspn(at, ":");
        char folder[2048];
        if (n > 0 && n < sizeof folder) {
            snprintf(folder, sizeof folder, "%.*s", (int)n, at);
            find_in_folder(j, folder, name);
        }
        at += n + (at[n] == ':');
    }
}

static void find_known(find_job *j, ch_target target, const char *name) {
    find_in_list(j, name);
    if (j->named_wrongly) return;
    find_in_python(j, target);
    if (target == CH_TPU && !j->found) {
        const char *own = ch__env_foreign("TPU_LIBRARY_PATH");
        if (own != NULL) find_glob(j, own);
        find_note(j, "TPU_LIBRARY_PATH");
    }
    if (!j->found) find_in_paths(j, ch__env_foreign("LD_LIBRARY_PATH"), name);
    if (!j->found)
        find_in_paths(j, "/usr/local/lib:/usr/lib:/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu", name);
}

ch_status ch_plugin_find(ch_target target, const char *given, char **out_path) {
    if (out_path == NULL) return ch__fail(CH__E_argument, "ch_plugin_find: out_path is NULL");
    if (target < CH_CPU || target > CH_CEREBRAS)
        return ch__fail(CH__E_argument, "ch_plugin_find: target %d — CH_CPU, CH_CUDA, CH_TPU, CH_METAL or CH_CEREBRAS",
                        (int)target);
    if (given != NULL && given[0] == '\0')
        return ch__fail(CH__E_argument, "ch_plugin_find: the name is empty — give a path, a name, or NULL");
    find_job *j = ch__calloc(1, sizeof *j);
    if (j == NULL) return ch__fail_oom("a search for plugins");
    const char *own = given != NULL ? NULL : ch__env("CHAAC_PJRT_PLUGIN_PATH");
    const char *path = own != NULL && own[0] != '\0' ? own : given != NULL && strchr(given, '/') ? given : NULL;
    ch_status s = CH_OK;
    if (path != NULL) {
        j->found = find_is_file(path);
        if (!j->found)
            s = ch__fail(CH__E_no_plugin, "plugin: there is no file %s%s", path,
                         path == own ? " — CHAAC_PJRT_PLUGIN_PATH names it" : " — give the path of a PJRT plugin");
        snprintf(j->path, sizeof j->path, "%s", path);
    } else {
        const char *name = given != NULL ? given : ch_target_name(target);
        if (given == NULL) find_note(j, "CHAAC_PJRT_PLUGIN_PATH (not set)");
        find_known(j, target, name);
        if (j->named_wrongly)
            s = ch__fail(
                CH__E_no_plugin,
                "plugin: there is no file %s — PJRT_NAMES_AND_LIBRARY_PATHS names it for %s; take the entry out, "
                "or name the plugin's file",
                j->path, name);
        else if (!j->found)
            s = ch__fail(CH__E_no_plugin,
                         "plugin: none for %s was found — tried %s; `chaac doctor` says what to install", name,
                         j->tried);
    }
    if (s == CH_OK && (*out_path = ch__strdup(j->path)) == NULL) s = ch__fail_oom("a path");
    ch__free(j);
    return s;
}
