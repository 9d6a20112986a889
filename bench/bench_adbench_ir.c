// SPDX-License-Identifier: Apache-2.0
// bench_adbench_ir.c - printed gradients against gradients written by hand: heat, lstm and gp of ../shared/adbench.
//
// The programs are IR text (tests/data/adbench-ir). Each is printed as C, primal and value-and-gradient, and compiled
// beside the C primal and the gradient by hand: cc -O2 -ffp-contract=off. The four run in turn in one process; a ratio
// is the fastest gradient over the fastest primal, in CPU time. The bar: ours at most 1.5 times the ratio by hand.
// Gradients are compared with the references before anything is timed.
#include <math.h>

#include "printed.h"

enum { ROUNDS = 60, MOST = 600 };

static void *inputs(void) {
    char path[128];
    snprintf(path, sizeof path, "%s/inputs.c", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) stop("cannot write", path);
    fprintf(file, "#include \"inputs.h\"\n#include <string.h>\n"
                  "const double *input(const char *name)\n{\n"
                  "    static int ready;\n    if (!ready) adb_setup();\n    ready = 1;\n"
                  "    if (!strcmp(name, \"heat\")) return heat_act;\n    if (!strcmp(name, \"gp\")) return gp_act;\n"
                  "    if (!strcmp(name, \"lstm\")) return lstm_act;\n"
                  "    if (!strcmp(name, \"target\")) return heat_target;\n    if (!strcmp(name, \"x\")) return gp_x;\n"
                  "    if (!strcmp(name, \"y\")) return gp_y;\n    if (!strcmp(name, \"state\")) return lstm_state;\n"
                  "    return lstm_seq;\n}\n");
    fclose(file);
    return symbol(library("inputs", path), "input");
}

// ---------------------------------------------------------------- the programs
enum { HEAT_N = 256, HEAT_T = 1000, GP_N = 64, GP_D = 3, LSTM_L = 2, LSTM_B = 14, LSTM_C = 1024 };
typedef const double *in;
typedef double *out;
static in act, data1, data2;
static double value, gradient[MOST], *work;
static void *fn[4]; // printed primal and gradient, the C primal, the gradient by hand

static void heat_run(int k) {
    in c = act + HEAT_N;
    out dc = gradient + HEAT_N;
    if (k == 0)
        ((int (*)(int64_t, int64_t, double, in, in, in, out))fn[0])(HEAT_N, HEAT_T, 0.25, act, c, data1, &value);
    if (k == 1)
        ((int (*)(int64_t, int64_t, double, in, in, in, out, out, out))fn[1])(HEAT_N, HEAT_T, 0.25, act, c, data1,
                                                                              &value, gradient, dc);
    if (k == 2) value = ((double (*)(int, int, double, in, in, in))fn[2])(HEAT_N, HEAT_T, 0.25, act, c, data1);
    if (k == 3)
        value = ((double (*)(int, int, double, in, in, in, out, out, out))fn[3])(HEAT_N, HEAT_T, 0.25, act, c, data1,
                                                                                 gradient, dc, work);
}

static void gp_run(int k) {
    out df = gradient + GP_D, dn = df + 1;
    const double f = act[GP_D], s = act[GP_D + 1];
    if (k == 0)
        ((int (*)(int64_t, int64_t, in, double, double, in, in, out))fn[0])(GP_N, GP_D, act, f, s, data1, data2,
                                                                            &value);
    if (k == 1)
        ((int (*)(int64_t, int64_t, in, double, double, in, in, out, out, out, out))fn[1])(
            GP_N, GP_D, act, f, s, data1, data2, &value, gradient, df, dn);
    if (k == 2) value = ((double (*)(int, int, in, double, double, in, in))fn[2])(GP_N, GP_D, act, f, s, data1, data2);
    if (k == 3)
        value = ((double (*)(int, int, in, double, double, in, in, out, out, out))fn[3])(GP_N, GP_D, act, f, s, data1,
                                                                                         data2, gradient, df, dn);
}

static void lstm_run(int k) {
    enum { PAR = 8 * LSTM_L * LSTM_B };
    in extra = act + PAR;
    out de = gradient + PAR;
    if (k == 0)
        ((int (*)(int64_t, int64_t, int64_t, in, in, in, in, out))fn[0])(LSTM_L, LSTM_B, LSTM_C, act, extra, data1,
                                                                         data2, &value);
    if (k == 1)
        ((int (*)(int64_t, int64_t, int64_t, in, in, in, in, out, out, out))fn[1])(LSTM_L, LSTM_B, LSTM_C, act, extra,
                                                                                   data1, data2, &value, gradient, de);
    if (k == 2)
        value = ((double (*)(int, int, int, in, in, in, in))fn[2])(LSTM_L, LSTM_B, LSTM_C, act, extra, data1, data2);
    if (k == 3)
        value = ((double (*)(int, int, int, in, in, in, in, out, out, out))fn[3])(LSTM_L, LSTM_B, LSTM_C, act, extra,
                                                                                  data1, data2, gradient, de, work);
}

typedef struct {
    const char *name, *wrt, *primal, *hand, *data1, *data2;
    void (*run)(int k);
} problem;
static const problem problems[] = {
    {"heat", "u0, c", "heat_loss", "heat_loss_vg", "target", "target", heat_run},
    {"lstm", "par, extra", "lstm_loss", "lstm_loss_vg", "state", "seq", lstm_run},
    {"gp", "loglen, logsf, logsn", "gp_nll", "gp_nll_vg", "x", "y", gp_run},
};

static double distance(const char *name, int k, const problem *p) {
    char path[128];
    snprintf(path, sizeof path, "../shared/adbench/ref/%s.txt", name);
    FILE *file = fopen(path, "r");
    int n = 0;
    double r, worst = 0;
    if (file == NULL || fscanf(file, "%*[^\n] %d", &n) != 1 || n > MOST) stop("no reference", path);
    memset(gradient, 0, sizeof gradient);
    value = NAN;
    p->run(k);
    for (int i = -1; i < n; i++) {
        if (fscanf(file, "%lf", &r) != 1) stop("a short reference", path);
        const double x = i < 0 ? value : gradient[i], d = fabs(x - r) / fmax(1, fabs(x) + fabs(r));
        worst = !(d <= worst) ? d : worst; // NaN counts
    }
    fclose(file);
    return worst;
}

static void measure(const problem *p, const double *(*input)(const char *)) {
    char path[128], name[64];
    ch_func *f = NULL, *g = NULL;
    snprintf(path, sizeof path, "tests/data/adbench-ir/%s.ir", p->name);
    must(ch_func_load(path, NULL, &f));
    must(ch_value_and_grad(f, p->wrt, &g));
    snprintf(name, sizeof name, "%s_ir", p->name);
    fn[0] = printed(f, name);
    snprintf(name, sizeof name, "%s_ir_grad", p->name);
    fn[1] = printed(g, name);
    snprintf(path, sizeof path, "../shared/adbench/primal/%s.c", p->name);
    snprintf(name, sizeof name, "%s_primal", p->name);
    fn[2] = symbol(library(name, path), p->primal);
    snprintf(path, sizeof path, "../shared/adbench/hand/%s.c", p->name);
    snprintf(name, sizeof name, "%s_hand", p->name);
    fn[3] = symbol(library(name, path), p->hand);
    act = input(p->name);
    data1 = input(p->data1);
    data2 = input(p->data2);
    const double ours = distance(p->name, 1, p), hand = distance(p->name, 3, p);
    if (!(ours <= 1e-10) || !(hand <= 1e-10)) stop("a gradient is not that of the reference:", p->name);
    static double t[4][ROUNDS];
    int times[4];
    for (int k = 0; k < 4; k++) { // at least 2 ms a round
        const double start = cpu_now();
        for (int i = 0; i < 3; i++) p->run(k);
        times[k] = 1 + (int)(2e-3 / ((cpu_now() - start) / 3 + 1e-9));
    }
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < 4; k++) {
            const double start = cpu_now();
            for (int i = 0; i < times[k]; i++) p->run(k);
            t[k][r] = (cpu_now() - start) / times[k] * 1e6;
        }
    for (int k = 0; k < 4; k++) qsort(t[k], ROUNDS, sizeof(double), bench_order);
    const int mid = ROUNDS / 2;
    const double a = t[1][0] / t[0][0], b = t[3][0] / t[2][0], am = t[1][mid] / t[0][mid], bm = t[3][mid] / t[2][mid];
    printf("{\"name\": \"adbench-ir %s\", \"primal_us\": %.1f, \"gradient_us\": %.1f, \"c_primal_us\": %.1f, "
           "\"hand_us\": %.1f, \"ours\": %.2f, \"hand\": %.2f, \"ratio\": %.2f, \"ratio_of_medians\": %.2f, "
           "\"gradient_over_hand\": %.2f, \"bar\": 1.5, \"within\": %s, \"distance\": %.1e}\n",
           p->name, t[0][0], t[1][0], t[2][0], t[3][0], a, b, a / b, am / bm, t[1][0] / t[3][0],
           a / b <= 1.5 ? "true" : "false", ours);
    fflush(stdout);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

int main(int argc, char **argv) {
    if (access("../shared/adbench/inputs.h", R_OK) != 0) {
        printf("{\"name\": \"adbench-ir\", \"skipped\": \"../shared/adbench is not there\"}\n");
        return 0;
    }
    open_folder();
    work = malloc(sizeof *work * HEAT_N * HEAT_T + sizeof *work * LSTM_C * LSTM_L * 7 * LSTM_B);
    if (work == NULL) stop("no memory for", "tapes");
    void *get = inputs();
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (argc < 2 || strcmp(argv[1], problems[i].name) == 0)
            measure(&problems[i], (const double *(*)(const char *))get);
    free(work);
    return close_folder() == 0 ? 0 : 1;
}
