// SPDX-License-Identifier: Apache-2.0
// bench_adbench.c - what `chaac grad` writes of the sixteen C functions of adbench, in time of the function.
//
// Functions, derivatives and the hand-written derivatives of ../shared/adbench are compiled by one compiler with one
// set of flags, contraction and asserts off, and timed in one process (adbench/measure.c); once with gcc -O2 and once
// with clang -O3 -march=native. A row is one function: the gradient alone, value and gradient, the gradient by hand,
// and what is recorded of Enzyme for the same compiler. Bars: every row at most 5; the geometric mean of gradients
// alone at most 2.7, none above 1.5 times Enzyme's; value and gradient at most 1.25 times that. Gradients are compared
// with the references first. bench_adbench [gcc|clang] [NAME...] measures those alone; KEEP=FOLDER leaves there what
// was compiled, MILLISECONDS=N is how long a function is measured (300).
#include <math.h>
#include <stdbool.h>
#include <unistd.h>

#include "printed.h"

enum { ROWS = 16 };
static const struct row {
    const char *name;
    double enzyme[2]; // gcc: beside its -O2; clang: -O3 -march=native
} rows[ROWS] = {
    {"rosenbrock", {1.28, 0.83}}, {"projectile", {2.16, 2.43}},   {"nbody", {1.17, 0.88}},
    {"mlp", {1.97, 1.43}},        {"heat", {6.37, 18.1}},         {"gp", {4.28, 3.94}},
    {"lotka", {2.41, 2.08}},      {"blackscholes", {1.64, 1.57}}, {"softmax", {1.56, 1.50}},
    {"warp", {1.80, 2.36}},       {"gmm", {3.89, 2.95}},          {"ba", {3.10, 1.97}},
    {"lstm", {2.45, 2.51}},       {"det", {13.5, 12.9}},          {"saddle", {1.35, 1.42}},
    {"ht", {6.60, 10.4}},
};
static const struct setting {
    const char *compiler, *flags;
} settings[2] = {{"gcc", "-O2"}, {"clang", "-O3 -march=native"}};

static void run(const char *command) {
    if (system(command) != 0) stop("this failed:", command);
}

typedef struct sums {
    double gradient, both, hand, enzyme; // of logarithms
    int n, n_hand;
    double worst, worst_to_enzyme;
} sums;

static double mean(double logarithms, int n) { return n > 0 ? exp(logarithms / n) : 0; }

static void add_row(const char *line, int s, sums *sum) {
    char name[32];
    double t[4], far[3];
    if (sscanf(line, "%31s %lf %lf %lf %lf %lf %lf %lf", name, &t[0], &t[1], &t[2], &t[3], &far[0], &far[1], &far[2]) !=
        8)
        stop("not understood:", line);
    for (int k = 0; k < 3; k++)
        if (!(far[k] <= 1e-10)) stop("a gradient is not that of the reference:", name);
    int i = 0;
    while (i < ROWS - 1 && strcmp(rows[i].name, name) != 0) i++;
    const double gradient = t[1] / t[0], both = t[2] / t[0], hand = t[3] / t[0], enzyme = rows[i].enzyme[s];
    printf("{\"name\": \"adbench %s\", \"compiler\": \"%s %s\", \"primal_us\": %.2f, \"gradient\": %.2f, "
           "\"value_and_gradient\": %.2f, \"hand\": %.2f, \"enzyme\": %.2f, \"bar\": %.2f, \"within\": %s}\n",
           name, settings[s].compiler, settings[s].flags, t[0], gradient, both, hand, enzyme, fmin(5, 1.5 * enzyme),
           gradient <= fmin(5, 1.5 * enzyme) ? "true" : "false");
    fflush(stdout);
    sum->gradient += log(gradient), sum->both += log(both), sum->enzyme += log(enzyme), sum->n++;
    if (hand > 0) sum->hand += log(hand), sum->n_hand++;
    sum->worst = fmax(sum->worst, gradient);
    sum->worst_to_enzyme = fmax(sum->worst_to_enzyme, gradient / enzyme);
}

static void measure(int s, const char *names) {
    char command[2048], line[512];
    const struct setting *set = &settings[s];
    snprintf(command, sizeof command, "command -v %s >/dev/null", set->compiler);
    if (system(command) != 0) {
        printf("{\"name\": \"adbench %s\", \"skipped\": \"the compiler is not installed\"}\n", set->compiler);
        return;
    }
    const bool hand = access("../shared/adbench/hand/gmm.c", R_OK) == 0;
    snprintf(command, sizeof command,
             "%s %s -std=c11 -D_POSIX_C_SOURCE=200809L -DNDEBUG -ffp-contract=off -w -Iinclude -Itests/data/adbench "
             "-Ibench/adbench %s -o %s/measure-%s "
             "bench/adbench/measure.c bench/adbench/losses.c tests/data/adbench/primal/*.c %s/gradients.c %s -lm",
             set->compiler, set->flags, hand ? "-DHAND_WRITTEN" : "", folder, set->compiler, folder,
             hand ? "../shared/adbench/hand/*.c" : "");
    run(command);
    snprintf(command, sizeof command, "%s/measure-%s tests/data/adbench %s %s", folder, set->compiler,
             getenv("MILLISECONDS") ? getenv("MILLISECONDS") : "300", names);
    FILE *f = popen(command, "r");
    sums sum = {0};
    while (f != NULL && fgets(line, sizeof line, f) != NULL) add_row(line, s, &sum);
    if (f == NULL || pclose(f) != 0) stop("this failed:", command);
    const double gradient = mean(sum.gradient, sum.n), both = mean(sum.both, sum.n);
    printf("{\"name\": \"adbench geometric mean\", \"compiler\": \"%s %s\", \"functions\": %d, \"gradient\": %.2f, "
           "\"value_and_gradient\": %.2f, \"hand\": %.2f, \"enzyme\": %.2f, \"bar\": 2.7, \"within\": %s, "
           "\"both_over_gradient\": %.2f, \"worst\": %.2f, \"worst_to_enzyme\": %.2f}\n",
           set->compiler, set->flags, sum.n, gradient, both, mean(sum.hand, sum.n_hand), mean(sum.enzyme, sum.n),
           gradient <= 2.7 ? "true" : "false", both / gradient, sum.worst, sum.worst_to_enzyme);
    fflush(stdout);
}

int main(int argc, char **argv) {
    char command[2048], names[512] = "";
    const char *slash = strrchr(argv[0], '/');
    int only = -1;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "gcc") == 0 || strcmp(argv[i], "clang") == 0)
            only = argv[i][0] == 'c';
        else
            snprintf(names + strlen(names), sizeof names - strlen(names), " %s", argv[i]);
    const char *keep = getenv("KEEP");
    if (keep)
        snprintf(folder, sizeof folder, "%s", keep);
    else
        open_folder();
    snprintf(command, sizeof command,
             "%.*s/../tools/chaac grad -o %s/gradients.c bench/adbench/directives.c bench/adbench/losses.c "
             "tests/data/adbench/primal/*.c -- -Iinclude -Itests/data/adbench -Ibench/adbench",
             slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".", folder);
    run(command);
    for (int s = 0; s < 2; s++)
        if (only < 0 || only == s) measure(s, names);
    return keep || close_folder() == 0 ? 0 : 1;
}
