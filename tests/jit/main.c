// SPDX-License-Identifier: Apache-2.0
// main.c - runs the cases of the jit, each in a process of its own, on the interpreter and on the native engine: TAP.
//     test_jit            all of them
//     test_jit 41 native  one, here, without a child (for a debugger)
#include <sys/wait.h>
#include <unistd.h>

#include "jit_test.h"

const char *jit_engine = "interp";
int jit_runs;
atomic_llong jit_bytes;

static void *counting(void *user, void *p, size_t old, size_t n) {
    (void)user;
    atomic_fetch_add(&jit_bytes, (long long)n - (long long)old);
    if (n > 0) return realloc(p, n);
    free(p);
    return NULL;
}

_Noreturn void jit_stop(const char *file, int line, const char *what) {
    printf("# %s:%d: %s\n# %s: %s\n", file, line, what, ch_error_id(), ch_error_message());
    fflush(stdout);
    _exit(1);
}

void jit_fails(const char *file, int line, ch_status s, const char *id, const char *text) {
    if (s != CH_OK && strcmp(ch_error_id(), id) == 0 && strstr(ch_error_message(), text) != NULL) return;
    printf("# expected %s: ... %s\n", id, text);
    jit_stop(file, line, s == CH_OK ? "the call succeeded" : "another error");
}

void jit_has(const char *file, int line, ch_tensor *t, const double *want, int n) {
    if (t == NULL || ch_tensor_numel(t) != n) jit_stop(file, line, "another number of elements");
    ch_scope scope = ch_scope_begin();
    double got[1024];
    ch_tensor *wide = ch_tensor_dtype(t) == CH_F64 ? t : ch_convert(t, CH_F64);
    OK(ch_read_f64(wide, got, n));
    OK(ch_scope_end(scope));
    for (int i = 0; i < n; i++)
        if (!(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])))) {
            printf("# element %d is %.9g, not %.9g\n", i, got[i], want[i]);
            jit_stop(file, line, "another value");
        }
}

ch_jit *jit_make(ch_jit_fn fn, void *user, int n_out) {
    ch_jit *j = ch_jit_create("j", fn, user, n_out);
    CHECK(j != NULL);
    OK(ch_jit_set_engine(j, jit_engine));
    return j;
}

ch_tensor *jit_call1(ch_jit *j, ch_tensor *x) {
    ch_tensor *out[1] = {NULL};
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    return out[0];
}

static bool run_apart(const jit_case *c, const char *engine) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        jit_engine = engine;
        alarm(120);
        OK(ch_set_allocator(counting, NULL));
        c->run();
        ch_thread_end();
        if (ch_tensors_alive() != 0) {
            printf("# %lld tensors are left\n", (long long)ch_tensors_alive());
            fflush(stdout);
            exit(1);
        }
        exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return false;
    if (WIFSIGNALED(status)) printf("# ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv) {
    const jit_case *sections[] = {jit_inputs,  jit_variables, jit_recorded, jit_states,
                                  jit_outputs, jit_lives,     jit_random};
    const char *const engines[] = {"interp", "native"};
    int n = 0, failed = 0;
    for (size_t e = 0; e < 2; e++)
        for (size_t s = 0; s < sizeof sections / sizeof *sections; s++)
            for (const jit_case *c = sections[s]; c->run != NULL; c++) {
                if (argc > 1) {
                    if (atoi(argv[1]) != c->number || (argc > 2 && strcmp(argv[2], engines[e]) != 0)) continue;
                    jit_engine = engines[e];
                    c->run();
                    ch_thread_end();
                    continue;
                }
                bool fine = run_apart(c, engines[e]);
                printf("%s %d - jit_case_%02d %s, %s\n", fine ? "ok" : "not ok", ++n, c->number, c->name, engines[e]);
                failed += !fine;
            }
    if (argc > 1) return 0;
    printf("1..%d\n%d passed, %d failed\n", n, n - failed, failed);
    return failed > 0;
}
