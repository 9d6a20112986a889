// SPDX-License-Identifier: Apache-2.0
// test_native_tiers.c - CHAAC_TIERS=1: funcs run on the interpreter until their code is there, from any thread.
#include "native_main.h"
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 40, COLUMNS = 50, N = ROWS * COLUMNS };

static const char text[] = "chaac-ir 1\nfunc @f%d(%%x: f32[40,50]) -> f32[] {\n  %%e = exp %%x : f32[40,50]\n"
                           "  %%k = const {value = %d} : f32[40,50]\n  %%y = mul %%e, %%k : f32[40,50]\n"
                           "  %%s = reduce %%y {kind = sum, dims = [0,1], order = any} : f32[]\n  return %%s\n}\n";

static ch_exec *compiled(int k, const char *engine) {
    char t[1024];
    ch_func *f = NULL;
    ch_exec *e = NULL;
    snprintf(t, sizeof t, text, k, k);
    if (ch_func_parse(t, "t.ir", &f) != CH_OK || ch_compile(f, engine, NULL, &e) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
    return e;
}

static float run(ch_exec *e) {
    ch_scope scope = ch_scope_begin();
    float x[N], y = 0;
    for (int i = 0; i < N; i++) x[i] = (float)(i % 97) * 0.01f;
    ch_tensor *in[1] = {ch_from_f32(x, 2, (int64_t[]){ROWS, COLUMNS})}, *out[1] = {NULL};
    if (ch_exec_run(e, 1, in, 1, out) != CH_OK || ch_read_f32(out[0], &y, 1) != CH_OK) y = -1;
    ch_release(out[0]);
    if (ch_scope_end(scope) != CH_OK) y = -1;
    return y;
}

// An f32 sum of N positive numbers in any order, of terms within 4 ulp.
static bool is_near(float y, float want) { return y > want * (1 - 3e-5f) && y < want * (1 + 3e-5f); }

typedef struct {
    ch_exec *e;
    float want;
    int wrong, runs;
    _Atomic int *stop;
} runner;

static void *run_until_stopped(void *arg) {
    runner *r = arg;
    while (!atomic_load(r->stop)) {
        r->wrong += !is_near(run(r->e), r->want);
        r->runs++;
    }
    ch_thread_end();
    return NULL;
}

static void count_entry(void *user, const char *name, int64_t bytes, int64_t used, const char *wrong) {
    (void)bytes, (void)used, (void)wrong;
    *(int *)user += strstr(name, ".code") != NULL;
}

static bool is_compiled(int entries) {
    for (int i = 0; i < 6000; i++) {
        int n = 0;
        if (ch_cache_list(count_entry, &n) == CH_OK && n >= entries) return true;
        usleep(10000);
    }
    return false;
}

// Three threads run it before, while and after its code takes over. In the end it has the bits of compiled code.
static void code_takes_over(void **state) {
    (void)state;
    ch_exec *reference = compiled(3, "interp"), *e = compiled(3, "native");
    float want = run(reference);
    assert_true(run(e) == want); // the interpreter's bits: nothing is compiled yet
    _Atomic int stop = 0;
    pthread_t threads[3];
    runner runners[3];
    for (int i = 0; i < 3; i++) {
        runners[i] = (runner){.e = e, .want = want, .stop = &stop};
        assert_int_equal(pthread_create(&threads[i], NULL, run_until_stopped, &runners[i]), 0);
    }
    assert_true(is_compiled(1));
    ch_exec *now = compiled(3, "native"); // from the disk: at once
    float code = run(now);
    assert_true(is_near(code, want));
    for (int i = 0; i < 2000 && run(e) != code; i++) usleep(1000);
    assert_true(run(e) == code);
    atomic_store(&stop, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(runners[i].wrong, 0);
        assert_true(runners[i].runs > 0);
    }
    ch_exec_release(now);
    ch_exec_release(e);
    ch_exec_release(reference);
}

// The thread that compiles names the rows of a profile, when the text they come from is gone.
static void profiled_meanwhile(void **state) {
    (void)state;
    ch_profile_begin();
    ch_exec *e[4];
    for (int i = 0; i < 4; i++) e[i] = compiled(30 + i, "native");
    for (int i = 0; i < 4; i++) {
        ch_exec *other = compiled(40 + i, "interp"); // takes the memory that was given back
        ch_exec_release(other);
    }
    for (int i = 0; i < 4; i++) {
        char name[8], *said = NULL;
        size_t n = 0;
        bool found = false;
        snprintf(name, sizeof name, "\"f%d\"", 30 + i);
        for (int k = 0; k < 6000 && !found; k++) {
            assert_true(run(e[i]) > 0);
            FILE *f = open_memstream(&said, &n);
            assert_non_null(f);
            assert_int_equal(ch_profile_end(f, 1), CH_OK);
            assert_int_equal(fclose(f), 0);
            const char *func = strstr(said, name);
            found = func != NULL && strstr(func, "\"kernel\": \"f32[40,50]: reduce\"") != NULL &&
                    strstr(func, "\"flops\": 6000, \"bytes\": 8000}") != NULL; // exp and mul are computed in it
            if (func != NULL) assert_true(found);
            free(said);
            said = NULL;
            if (!found) usleep(10000);
        }
        assert_true(found);
    }
    for (int i = 0; i < 4; i++) ch_exec_release(e[i]);
}

// Who lets go of executables does not wait for compilers.
static void let_go_of_at_once(void **state) {
    (void)state;
    ch_exec *e[6];
    double before = ch__now();
    for (int i = 0; i < 6; i++) e[i] = compiled(10 + i, "native");
    for (int i = 0; i < 6; i++) assert_true(run(e[i]) > 0);
    for (int i = 0; i < 6; i++) ch_exec_release(e[i]);
    assert_true(ch__now() - before < 20);
}

// The child of a fork has no thread that compiles: it stays on the interpreter, and may let go of everything.
static void forked(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__
    CH_SKIP("ThreadSanitizer knows no new threads in the child of a program with threads");
#endif
    ch_exec *e = compiled(20, "native"), *reference = compiled(20, "interp");
    float want = run(reference);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        bool good = is_near(run(e), want);
        ch_exec_release(e);
        ch_exec *other = compiled(21, "native");
        good = good && run(other) > 0;
        ch_exec_release(other);
        _exit(good ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(is_near(run(e), want));
    ch_exec_release(e);
    ch_exec_release(reference);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_takes_over),
        cmocka_unit_test(profiled_meanwhile),
        cmocka_unit_test(let_go_of_at_once),
        cmocka_unit_test(forked),
    };
    return cmocka_run_group_tests_name("native_tiers", tests, NULL, NULL);
}

int main(void) {
    setenv("CHAAC_TIERS", "1", 1);
    return native_main(run_all);
}
