// SPDX-License-Identifier: Apache-2.0
// main.c - a gradient printed as C, and the print compiled and run beside the interpreter.
//     cc main.c $(pkg-config --cflags --libs chaac) -lm -ldl
#include <chaac/chaac.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// x sigmoid(x) / sqrt(1 + log(1 + e^x))
static ch_status curve(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    ch_tensor *x = in[0], *one = ch_scalar(CH_F64, 1);
    out[0] = ch_div(ch_mul(x, ch_sigmoid(x)), ch_sqrt(ch_add(one, ch_log(ch_add(one, ch_exp(x))))));
    return CH_OK;
}

// The same by hand: the differences that the gradient is compared with do not come from the library.
static double curve_by_hand(double x) { return x / (1 + exp(-x)) / sqrt(1 + log(1 + exp(x))); }

static double difference(double x) {
    const double h = 1e-5;
    return (curve_by_hand(x + h) - curve_by_hand(x - h)) / (2 * h);
}

typedef double gradient_fn(double x);

// Prints g to standard output, and compiles the same text. The flags are those under which the bits are promised.
static gradient_fn *compiled(const ch_func *g) {
    if (ch_func_print_c(g, stdout) != CH_OK) return NULL;
    FILE *file = fopen("gradient.c", "w");
    if (file == NULL) return NULL;
    ch_status s = ch_func_print_c(g, file);
    if (fclose(file) != 0 || s != CH_OK) return NULL;
    if (system("cc -std=c99 -O2 -ffp-contract=off -fno-builtin -Wall -Wextra -Wpedantic -Werror "
               "-shared -fPIC gradient.c -o gradient.so -lm") != 0)
        return NULL;
    void *library = dlopen("./gradient.so", RTLD_NOW);
    gradient_fn *function = NULL;
    void *symbol = library != NULL ? dlsym(library, "curve_grad") : NULL;
    memcpy(&function, &symbol, sizeof function); // ISO C has no cast from an object pointer to a function pointer
    return function;
}

static ch_status compare(ch_exec *interpreter, gradient_fn *function) {
    const double at[] = {-3, -1, -0.25, 0, 0.5, 1.75, 4};
    puts("\n    x   derivative   same bits   differences within 6e-8");
    for (int i = 0; i < 7; i++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *in[1] = {ch_scalar(CH_F64, at[i])}, *out[1] = {NULL};
        double expected, got = function(at[i]);
        CH_TRY(ch_exec_run(interpreter, 1, in, 1, out));
        CH_TRY(ch_item(out[0], &expected));
        ch_release(out[0]);
        CH_TRY(ch_scope_end(scope));
        printf("%5.2f   %.8f   %9s   %s\n", at[i], got, memcmp(&expected, &got, sizeof got) == 0 ? "yes" : "no",
               fabs(got - difference(at[i])) <= 6e-8 ? "yes" : "no");
    }
    return CH_OK;
}

static ch_status run(void) {
    ch_func *f, *g;
    ch_exec *interpreter;
    const ch_capture_options options = {.struct_size = sizeof options, .name = "curve"};
    CH_TRY(ch_capture_with(&options, curve, NULL, "x: f64[]", 1, &f));
    CH_TRY(ch_gradient(f, "x", &g));
    CH_TRY(ch_compile(g, "interp", NULL, &interpreter));
    gradient_fn *function = compiled(g);
    ch_status s = function != NULL ? compare(interpreter, function) : CH_INTERNAL;
    if (function == NULL) fprintf(stderr, "gradient.c could not be compiled with cc\n");
    ch_exec_release(interpreter);
    ch_func_destroy(f);
    ch_func_destroy(g);
    return s;
}

int main(void) {
    ch_status s = run();
    if (s != CH_OK) fprintf(stderr, "%s\n", ch_error_message());
    ch_thread_end();
    return s == CH_OK ? 0 : 1;
}
