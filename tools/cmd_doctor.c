// SPDX-License-Identifier: Apache-2.0
// cmd_doctor.c - chaac doctor and env: what works here, what is missing and how to get it; the configuration.
//
// Each engine is tried: it compiles and runs a gradient whose value is known. What is looked for besides stands in
// doctor.def. Exit status 1 when an engine does not work; what is merely missing is no failure.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

extern char **environ;

typedef struct {
    const char *kind, *what, *names, *engine, *why, *install;
} need;
static const need needs[] = {
#define NEED(kind, what, names, engine, why, install) {#kind, what, names, engine, why, install},
#include "doctor.def"
#undef NEED
};
enum { N_NEEDS = sizeof needs / sizeof needs[0], PATH_BYTES = 1024 };

// ---- looking
// The first of `names` (blanks between) in the folders of a list (colons between) that may be read, or run.
static bool find_in(const char *folders, const char *names, int mode, char *out) {
    for (const char *n = names; *n != '\0';) {
        int length = (int)strcspn(n, " ");
        for (const char *p = folders == NULL ? "" : folders; *p != '\0';) {
            int folder = (int)strcspn(p, ":");
            int wrote = snprintf(out, PATH_BYTES, "%.*s/%.*s", folder, p, length, n);
            if (folder > 0 && wrote < PATH_BYTES && access(out, mode) == 0) return true;
            p += folder + (p[folder] == ':');
        }
        n += length + (n[length] == ' ');
    }
    out[0] = '\0';
    return false;
}

// Where the loader looks, near enough; the last are where distributions put libraries of one architecture.
static bool find_library(const char *names, char *out) {
    static const char usual[] = "/usr/local/lib:/usr/lib64:/lib64:/usr/lib:/lib:/usr/local/cuda/lib64"
#if defined(__x86_64__)
                                ":/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu:/usr/local/lib/x86_64-linux-gnu"
#elif defined(__aarch64__)
                                ":/usr/lib/aarch64-linux-gnu:/lib/aarch64-linux-gnu:/usr/local/lib/aarch64-linux-gnu"
#endif
        ;
    return find_in(getenv("LD_LIBRARY_PATH"), names, R_OK, out) || find_in(usual, names, R_OK, out);
}

static bool find_plugin(const char *target, char *out) {
    char *path = NULL;
    out[0] = '\0';
    const char *named = strcmp(target, "cpu") == 0 ? NULL : target; // the variable's file may be for any device
    if (ch_plugin_find((ch_target)ch_target_from_name(target), named, &path) != CH_OK) return false;
    snprintf(out, PATH_BYTES, "%s", path);
    ch_string_free(path);
    return true;
}

static bool find(const need *n, char *out) {
    if (strcmp(n->kind, "program") == 0) return find_in(getenv("PATH"), n->names, X_OK, out);
    if (strcmp(n->kind, "library") == 0) return find_library(n->names, out);
    if (strcmp(n->kind, "plugin") == 0) return find_plugin(n->names, out);
    snprintf(out, PATH_BYTES, "%s", n->names);
    if (access(out, R_OK) == 0) return true;
    out[0] = '\0';
    return false;
}

static bool engine_is_built_in(const char *name) {
    for (int i = 0; ch_engine_name(i) != NULL; i++)
        if (strcmp(ch_engine_name(i), name) == 0) return true;
    return name[0] == '\0';
}

// ---- trying: the value and gradient of x*x*x at 2 are 8 and 12
static bool engine_works(const char *engine) {
    static const char text[] = "chaac-ir 1\nfunc @cube(%x: f64[]) -> f64[] {\n  %a = mul %x, %x : f64[]\n"
                               "  %b = mul %a, %x : f64[]\n  return %b\n}\n";
    ch_func *f = NULL, *g = NULL;
    ch_exec *e = NULL;
    ch_tensor *in[1] = {ch_from_f64((double[]){2}, 0, NULL)}, *out[2] = {NULL, NULL};
    double y = 0, dy = 0;
    bool works = ch_func_parse(text, "doctor", &f) == CH_OK && ch_value_and_grad(f, "x", &g) == CH_OK &&
                 ch_compile(g, engine, NULL, &e) == CH_OK && ch_exec_run(e, 1, in, 2, out) == CH_OK &&
                 ch_item(out[0], &y) == CH_OK && ch_item(out[1], &dy) == CH_OK && y == 8 && dy == 12;
    ch_release(out[0]);
    ch_release(out[1]);
    ch_exec_release(e);
    ch_func_destroy(g);
    ch_func_destroy(f);
    return works;
}

// A variable CHAAC_... that the library does not read, most likely mistyped; *at goes on from call to call.
static const char *unknown_variable(int *at) {
    for (char **v = environ + *at; *v != NULL; v++) {
        *at += 1;
        if (strncmp(*v, "CHAAC_", 6) != 0) continue;
        size_t n = strcspn(*v, "=");
        bool known = false;
        for (int i = 0; ch_config_name(i) != NULL; i++)
            known = known || (strlen(ch_config_name(i)) == n && strncmp(ch_config_name(i), *v, n) == 0);
        if (!known) return *v;
    }
    return NULL;
}

// ---- saying
static int doctor_json(void) {
    int status = OK;
    char path[PATH_BYTES];
    printf("{\"version\": \"%s\", \"cores\": %ld, \"engines\": [", ch_version(), sysconf(_SC_NPROCESSORS_ONLN));
    for (int i = 0; ch_engine_name(i) != NULL; i++) {
        bool works = engine_works(ch_engine_name(i));
        if (!works && ch_engine_ready(i)) status = FAILED;
        printf("%s\n  {\"name\": \"%s\", \"works\": %s, \"error\": ", i > 0 ? "," : "", ch_engine_name(i),
               works ? "true" : "false");
        json_text(works ? "" : ch_error_message());
        printf("}");
    }
    printf("\n], \"needs\": [");
    for (int i = 0; i < N_NEEDS; i++) {
        const char *const fields[][2] = {{"kind", needs[i].kind},
                                         {"what", needs[i].what},
                                         {"for", needs[i].why},
                                         {"engine", needs[i].engine},
                                         {"install", needs[i].install}};
        printf("%s\n  {\"path\": ", i > 0 ? "," : "");
        if (find(&needs[i], path))
            json_text(path);
        else
            printf("null");
        for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
            printf(", \"%s\": ", fields[k][0]);
            json_text(fields[k][1]);
        }
        printf(", \"used\": %s}", engine_is_built_in(needs[i].engine) ? "true" : "false");
    }
    printf("\n], \"unknown_variables\": [");
    int at = 0;
    const char *comma = "";
    for (const char *v; (v = unknown_variable(&at)) != NULL; comma = ", ") {
        printf("%s", comma);
        json_text(v);
    }
    printf("]}\n");
    return status;
}

static void say_need(const need *n) {
    char path[PATH_BYTES];
    bool there = find(n, path);
    if (there)
        printf("  %s%-18s%s %s\n", color_code(GOOD), n->what, color_code(PLAIN), path);
    else
        printf("  %s%-18s missing%s — for %s: %s\n", color_code(BAD), n->what, color_code(PLAIN), n->why, n->install);
}

static int doctor_text(void) {
    int status = OK;
    printf("chaac %s\n\nengines\n", ch_version());
    for (int i = 0; ch_engine_name(i) != NULL; i++) {
        bool works = engine_works(ch_engine_name(i));
        bool there = ch_engine_ready(i);
        printf("  %s%-18s%s %s%s\n", color_code(works ? GOOD : BAD), ch_engine_name(i), color_code(PLAIN),
               works   ? "works: "
               : there ? "does not work: "
                       : "missing: ",
               works ? ch_engine_what(i) : ch_error_message());
        if (!works && there) status = FAILED;
    }
    printf("\nthis machine\n  %-18s %ld\n", "cores", sysconf(_SC_NPROCESSORS_ONLN));
    for (int i = 0; i < N_NEEDS; i++)
        if (engine_is_built_in(needs[i].engine)) say_need(&needs[i]);
    bool headed = false;
    for (int i = 0; i < N_NEEDS; i++) {
        if (engine_is_built_in(needs[i].engine)) continue;
        char path[PATH_BYTES];
        if (!headed) printf("\nnot used: their engines are not built in\n");
        headed = true;
        bool there = find(&needs[i], path);
        printf("  %s%-18s %-7s %s%s\n", color_code(DIM), needs[i].what, needs[i].engine, there ? path : "not found",
               color_code(PLAIN));
    }
    int at = 0;
    for (const char *v; (v = unknown_variable(&at)) != NULL;)
        printf("\n%s%s%s is set and nothing reads it — `chaac env` lists what is read\n", color_code(BAD), v,
               color_code(PLAIN));
    return status;
}

static int only_json(int argc, char **argv, bool *json) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") != 0) return usage_error(argv[0], "\"%s\" is not known here", argv[i]);
        *json = true;
    }
    return OK;
}

int cmd_doctor(int argc, char **argv) {
    bool json = false;
    int status = only_json(argc, argv, &json);
    if (status != OK) return status;
    return json ? doctor_json() : doctor_text();
}

int cmd_env(int argc, char **argv) {
    bool json = false;
    int status = only_json(argc, argv, &json);
    if (status != OK) return status;
    if (json) printf("{");
    for (int i = 0; ch_config_name(i) != NULL; i++) {
        const char *set = ch_config_value(i), *value = set == NULL ? ch_config_default(i) : set;
        if (json) {
            printf("%s\n  \"%s\": {\"value\": ", i > 0 ? "," : "", ch_config_name(i));
            json_text(value);
            printf(", \"source\": \"%s\"}", set == NULL ? "default" : "environment");
        } else {
            printf("%-20s %-10s %-12s %s\n", ch_config_name(i), value, set == NULL ? "default" : "environment",
                   ch_config_what(i));
        }
    }
    if (json) printf("\n}\n");
    return OK;
}
