// SPDX-License-Identifier: Apache-2.0
// test_native_tiers.c - funcs run on the interpreter until their code is there, from any thread; which do so.
#include "native_main.h"
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
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
        char name[16], *said = NULL;
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

// ---------------------------------------------------------------- which funcs, when nobody says
// y = x sin(x) ... n times over an array of the given type.
static ch_func *long_func(const char *type, int n) {
    char *t = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&t, &bytes);
    ch_func *made = NULL;
    fprintf(f, "chaac-ir 1\nfunc @long(%%v0: %s) -> %s {\n", type, type);
    for (int i = 0; i < n; i += 2)
        fprintf(f, "  %%s%d = sin %%v%d : %s\n  %%v%d = mul %%s%d, %%v0 : %s\n", i, i, type, i + 2, i, type);
    fprintf(f, "  return %%v%d\n}\n", n);
    assert_int_equal(fclose(f), 0);
    if (ch_func_parse(t, "long.ir", &made) != CH_OK) fail_msg("%s", ch_error_message());
    free(t);
    return made;
}

static ch__native_tier tier_of(const char *type, int n, bool compiled_first) {
    ch_func *f = long_func(type, n);
    ch__native_tier t = ch__native_tier_of(f, compiled_first);
    ch_func_destroy(f);
    return t;
}

// The environment is read once: every value has a process of its own, this program again, whose status says what came
// of it.
static const char *own_path;

static int in_process(const char *tiers, const char *deterministic, const char *what) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (tiers != NULL) setenv("CHAAC_TIERS", tiers, 1);
        if (tiers == NULL) unsetenv("CHAAC_TIERS");
        setenv("CHAAC_DETERMINISTIC", deterministic, 1);
        alarm(600);
        execl(own_path, own_path, what, (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int long_tier(void) { return (int)tier_of("f32[8]", 2000, false); }
static int short_tier(void) { return (int)tier_of("f32[8]", 900, true); }

static int tiers_of_many(void) {
    bool good = tier_of("f32[8]", 900, false) == CH__TIERS_NONE;             // compiled in a second
    good = good && tier_of("f32[8]", 2000, true) == CH__TIERS_NONE;          // the caller says so
    good = good && tier_of("f32[1000,1000]", 2000, false) == CH__TIERS_NONE; // the interpreter would take seconds
    return good && tier_of("f32[n]", 2000, false) == CH__TIERS_NONE ? 0 : 1; // nobody knows
}

static void long_with_small_arrays(void **state) {
    (void)state;
    assert_int_equal(in_process(NULL, "0", "long"), CH__TIERS_TEXT_LATER);
    assert_int_equal(in_process(NULL, "1", "long"), CH__TIERS_NONE); // the bits would depend on the clock
    assert_int_equal(in_process("", "0", "long"), CH__TIERS_TEXT_LATER);
    assert_int_equal(in_process("off", "0", "long"), CH__TIERS_NONE);
    assert_int_equal(in_process("0", "0", "long"), CH__TIERS_NONE);
    assert_int_equal(in_process("maybe", "0", "long"), CH__TIERS_TEXT_LATER);
    assert_int_equal(in_process("on", "1", "long"), CH__TIERS_TEXT_LATER);
    assert_int_equal(in_process("on", "0", "short"), CH__TIERS_CODE_LATER);
    assert_int_equal(in_process(NULL, "0", "many"), 0);
}

// f32[8], so that a compile is short for what it is.
static void run_long(ch_exec *e, float y[8]) {
    ch_scope scope = ch_scope_begin();
    float x[8];
    for (int i = 0; i < 8; i++) x[i] = 0.1f * (float)(i + 1);
    ch_tensor *in[1] = {ch_from_f32(x, 1, (int64_t[]){8})}, *out[1] = {NULL};
    if (ch_exec_run(e, 1, in, 1, out) != CH_OK || ch_read_f32(out[0], y, 8) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_release(out[0]);
    assert_int_equal(ch_scope_end(scope), CH_OK);
}

static int says_which_tier(void) {
    const ch_compile_options whole = {.struct_size = sizeof whole, .compiled_first = 1};
    ch_func *f = long_func("f32[8]", 1000);
    ch_exec *e = NULL, *other = NULL;
    float first[8], last[8], again[8];
    assert_int_equal(ch_compile(f, "native", NULL, &e), CH_OK);
    assert_string_equal(ch_exec_tier(e), "interp");
    run_long(e, first);
    for (int i = 0; i < 12000 && strcmp(ch_exec_tier(e), "interp") == 0; i++) usleep(10000);
    assert_string_equal(ch_exec_tier(e), "native");
    run_long(e, last);
    for (int i = 0; i < 8; i++) assert_true(last[i] >= first[i] * (1 - 1e-3f) && last[i] <= first[i] * (1 + 1e-3f));
    assert_int_equal(ch_compile(f, "native", &whole, &other), CH_OK);
    assert_string_equal(ch_exec_tier(other), "native");
    run_long(other, again);
    assert_memory_equal(again, last, sizeof again);
    assert_string_equal(ch_exec_tier(NULL), "");
    ch_exec_release(other);
    assert_int_equal(ch_compile(f, "interp", NULL, &other), CH_OK);
    assert_string_equal(ch_exec_tier(other), "interp");
    ch_exec_release(other);
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_thread_end();
    return 0;
}

static void long_starts_on_the_interpreter(void **state) {
    (void)state;
    assert_int_equal(in_process(NULL, "0", "switch"), 0);
}

// ---------------------------------------------------------------- the end of the process
// Leaves while a compiler works for it: by exit, with the executable as it is.
static int leave_early(void) {
    static ch_exec *volatile left; // stored for certain, so that it is no leak
    left = compiled(50, "native");
    if (run(left) < 0) return 1;
    for (int i = 0; i < 6000 && access("compiling", F_OK) != 0; i++) usleep(10000);
    exit(access("compiling", F_OK) == 0 ? 0 : 2);
}

static void put_file(const char *path, const char *what, int mode) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(what, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, (mode_t)mode), 0);
}

static void exits_while_compiling(void **state) {
    (void)state;
    char folder[] = "/tmp/chaac-tiers-XXXXXX", program[4096];
    assert_non_null(mkdtemp(folder));
    assert_true(realpath(own_path, program) != NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) != 0) _exit(3);
        put_file("cc.sh", "#!/bin/sh\necho $$ > compiling\nexec sleep 100\n", 0700);
        if (mkdir("tmp", 0700) != 0) _exit(3);
        setenv("CHAAC_CC", "./cc.sh", 1);
        setenv("TMPDIR", "tmp", 1);
        setenv("CHAAC_CACHE_DIR", "off", 1);
        alarm(120);
        execl(program, program, "leave", (char *)NULL);
        _exit(4);
    }
    int status = 0, pid = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char path[64];
    snprintf(path, sizeof path, "%s/compiling", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &pid), 1);
    fclose(f);
    assert_int_equal(kill(pid, 0), -1); // stopped, and waited for
    snprintf(path, sizeof path, "%s/tmp", folder);
    assert_int_equal(rmdir(path), 0); // nothing was left there
    snprintf(path, sizeof path, "rm -rf '%s'", folder);
    assert_int_equal(system(path), 0);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_takes_over),        cmocka_unit_test(profiled_meanwhile),
        cmocka_unit_test(let_go_of_at_once),      cmocka_unit_test(forked),
        cmocka_unit_test(long_with_small_arrays), cmocka_unit_test(long_starts_on_the_interpreter),
        cmocka_unit_test(exits_while_compiling),
    };
    return cmocka_run_group_tests_name("native_tiers", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = {{"long", long_tier},
                 {"short", short_tier},
                 {"many", tiers_of_many},
                 {"switch", says_which_tier},
                 {"leave", leave_early}};
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(argv[1], parts[i].name) == 0) return parts[i].run();
    own_path = argv[0];
    setenv("CHAAC_TIERS", "1", 1);
    return native_main_alone(run_all);
}
