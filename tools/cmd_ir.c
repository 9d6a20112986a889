// SPDX-License-Identifier: Apache-2.0
// cmd_ir.c - chaac ir, grad: programs as text: IR, or with --c as C.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cmd_c.h"
#include "source.h"

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

int cmd_ir(int argc, char **argv) {
    if (names_c_file(argc, argv)) return ir_of_c(argc, argv);
    arguments a = {0};
    int status = read_arguments(argc, argv, &a);
    if (status != OK) return status;
    ch_func *f = NULL;
    if (load_source(a.file, a.func, &f) != CH_OK) return library_error();
    if ((status = apply_policy(&a, &f)) != OK) return status;
    if ((status = run_passes("ir", a.after, &f)) != OK) return status;
    if (!a.kept) return print_and_destroy(f, a.c);
    ch_status s = ch_explain_kept(f, a.wrt, stdout);
    ch_func_destroy(f);
    return s == CH_OK ? OK : library_error();
}

int cmd_grad(int argc, char **argv) {
    if (names_c_file(argc, argv)) return grad_of_c(argc, argv);
    arguments a = {.mode = "value-and-grad"};
    int status = read_arguments(argc, argv, &a);
    if (status != OK) return status;
    ch_func *f = NULL, *g = NULL;
    if (load_source(a.file, a.func, &f) != CH_OK) return library_error();
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
