// SPDX-License-Identifier: Apache-2.0
// cmd_ir.c - chaac ir, grad, explain: programs as text: IR, or with --c as C.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char *const valued[] = {"--func", "--after", "--wrt", "--mode", "--policy", NULL};

typedef struct {
    const char *file, *func, *after, *wrt, *mode, *policy;
    bool value, kept, c; // include the value; what is kept; print C
} arguments;

static int read_arguments(int argc, char **argv, arguments *a) {
    options o = {argc, argv, 1};
    const char *value;
    for (const char *arg; (arg = next_argument(&o, valued, &value)) != NULL;) {
        bool flag = strcmp(arg, "--value") == 0 || strcmp(arg, "--kept") == 0 || strcmp(arg, "--c") == 0;
        bool wants = arg[0] == '-' && !flag;
        if (wants && value == NULL) return usage_error(argv[0], "\"%s\" is unknown or needs a value", arg);
        if (strcmp(arg, "--func") == 0)
            a->func = value;
        else if (strcmp(arg, "--after") == 0)
            a->after = value;
        else if (strcmp(arg, "--wrt") == 0)
            a->wrt = value;
        else if (strcmp(arg, "--mode") == 0)
            a->mode = value;
        else if (strcmp(arg, "--policy") == 0)
            a->policy = value;
        else if (strcmp(arg, "--value") == 0)
            a->value = true;
        else if (strcmp(arg, "--kept") == 0)
            a->kept = true;
        else if (strcmp(arg, "--c") == 0)
            a->c = true;
        else if (a->file == NULL)
            a->file = arg;
        else
            return usage_error(argv[0], "\"%s\" is one argument too many", arg);
    }
    return a->file == NULL ? usage_error(argv[0], "no file is named") : OK;
}

// The policy of loops that have none of their own, when one is asked for.
static int apply_policy(const arguments *a, ch_func **f) {
    ch_func *with = NULL;
    if (a->policy == NULL) return OK;
    ch_status s = ch_func_with_policy(*f, a->policy, &with);
    ch_func_destroy(*f);
    *f = with;
    return s == CH_OK ? OK : library_error();
}

static int print_and_destroy(ch_func *f, bool c) {
    int status = (c ? ch_func_print_c(f, stdout) : ch_func_print(f, stdout)) == CH_OK ? OK : library_error();
    ch_func_destroy(f);
    return status;
}

static bool is_pass(const char *name, size_t n) {
    for (int i = 0; ch_pass_name(i) != NULL; i++)
        if (strlen(ch_pass_name(i)) == n && strncmp(ch_pass_name(i), name, n) == 0) return true;
    return false;
}

int cmd_ir(int argc, char **argv) {
    arguments a = {0};
    int status = read_arguments(argc, argv, &a);
    if (status != OK) return status;
    ch_func *f = NULL;
    if (ch_func_load(a.file, a.func, &f) != CH_OK) return library_error();
    if ((status = apply_policy(&a, &f)) != OK) return status;
    for (const char *p = a.after == NULL ? "" : a.after; *p != '\0';) {
        size_t n = strcspn(p, ",");
        char name[64];
        if (n >= sizeof name || !is_pass(p, n)) {
            ch_func_destroy(f);
            fprintf(stderr, "chaac ir: there is no pass \"%.*s\" — there are:\n", (int)n, p);
            for (int i = 0; ch_pass_name(i) != NULL; i++)
                fprintf(stderr, "  %-10s %s\n", ch_pass_name(i), ch_pass_what(i));
            return USAGE;
        }
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        ch_func *next = NULL;
        ch_status s = ch_func_run_pass(f, name, &next);
        ch_func_destroy(f);
        if (s != CH_OK) return library_error();
        f = next;
        p += n + (p[n] == ',');
    }
    if (!a.kept) return print_and_destroy(f, a.c);
    ch_status s = ch_explain_kept(f, a.wrt, stdout);
    ch_func_destroy(f);
    return s == CH_OK ? OK : library_error();
}

int cmd_grad(int argc, char **argv) {
    arguments a = {.mode = "value-and-grad"};
    int status = read_arguments(argc, argv, &a);
    if (status != OK) return status;
    ch_func *f = NULL, *g = NULL;
    if (ch_func_load(a.file, a.func, &f) != CH_OK) return library_error();
    if ((status = apply_policy(&a, &f)) != OK) return status;
    ch_status s;
    if (strcmp(a.mode, "value-and-grad") == 0)
        s = ch_value_and_grad(f, a.wrt, &g);
    else if (strcmp(a.mode, "gradient") == 0)
        s = ch_gradient(f, a.wrt, &g);
    else if (strcmp(a.mode, "vjp") == 0)
        s = ch_vjp(f, a.wrt, a.value, &g);
    else if (strcmp(a.mode, "jvp") == 0)
        s = ch_jvp(f, a.wrt, a.value, &g);
    else if (strcmp(a.mode, "jacobian") == 0)
        s = ch_jacobian(f, a.wrt, &g);
    else if (strcmp(a.mode, "hessian") == 0)
        s = ch_hessian(f, a.wrt, &g);
    else if (strcmp(a.mode, "hvp") == 0)
        s = ch_hvp(f, a.wrt, &g);
    else {
        ch_func_destroy(f);
        return usage_error(
            "grad", "--mode=%s — value-and-grad, gradient, vjp, jvp, jacobian, hessian and hvp are known", a.mode);
    }
    ch_func_destroy(f);
    return s == CH_OK ? print_and_destroy(g, a.c) : library_error();
}

int cmd_explain(int argc, char **argv) {
    if (argc > 2) return usage_error("explain", "\"%s\" is one argument too many", argv[2]);
    if (argc < 2) {
        for (int i = 0; ch_error_id_at(i) != NULL; i++) printf("%s\n", ch_error_id_at(i));
        return OK;
    }
    const char *what = ch_error_explain(argv[1]);
    if (what != NULL) {
        printf("%s: %s\n", argv[1], what);
        return OK;
    }
    if (strchr(argv[1], '.') == NULL) {
        fprintf(stderr, "chaac explain: there is no identifier \"%s\" — `chaac explain` lists them\n", argv[1]);
        return USAGE;
    }
    ch_func *f = NULL;
    if (ch_func_load(argv[1], NULL, &f) != CH_OK) return library_error();
    int status = ch_explain(f, stdout) == CH_OK ? OK : library_error();
    ch_func_destroy(f);
    return status;
}
