// SPDX-License-Identifier: Apache-2.0
// test_base_os.c - os.c: the environment is read once, in a process of its own for each question; log.c.
#include "base/base.h"

#include "unit.h"

#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs fn in a child, because a process reads its environment only once. Gives what fn gave.
static int in_child(int (*fn)(void *arg), void *arg) {
    pid_t child = fork();
    if (child == 0) _exit(fn(arg));
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int env_is_read_once(void *arg) {
    (void)arg;
    setenv("CHAAC_DEBUG", "cse,fold", 1);
    unsetenv("CHAAC_CHECK");
    const char *v = ch__env("CHAAC_DEBUG");
    if (!v || strcmp(v, "cse,fold") != 0 || ch__env("CHAAC_CHECK")) return 1;
    setenv("CHAAC_DEBUG", "other", 1);
    setenv("CHAAC_CHECK", "1", 1);
    return ch__env("CHAAC_DEBUG") == v && strcmp(v, "cse,fold") == 0 && !ch__env_flag("CHAAC_CHECK") ? 0 : 2;
}

static int flag_of(void *text) {
    setenv("CHAAC_CHECK", text, 1);
    return ch__env_flag("CHAAC_CHECK");
}

static int int_of(void *text) {
    if (text)
        setenv("CHAAC_NUM_THREADS", text, 1);
    else
        unsetenv("CHAAC_NUM_THREADS");
    return (int)ch__env_int("CHAAC_NUM_THREADS", 77, 1, 99);
}

static int warned;
static void count_warning(void *user, int level, const char *message) {
    (void)user;
    if (level == 2 && strstr(message, "CHAAC_DEBUG is 20000 bytes long and is ignored")) warned++;
}
static int too_long(void *arg) {
    (void)arg;
    static char text[20001];
    memset(text, 'x', 20000);
    setenv("CHAAC_DEBUG", text, 1);
    setenv("CHAAC_NUM_THREADS", "3", 1);
    ch_set_log(count_warning, NULL);
    return ch__env("CHAAC_DEBUG") == NULL && ch__env_int("CHAAC_NUM_THREADS", 1, 1, 9) == 3 && warned == 1 ? 0 : 1;
}

static char notice[300];
static void keep_notice(void *user, int level, const char *message) {
    (void)user;
    snprintf(notice, sizeof notice, "%d %s", level, message);
}
static int noticed(void *arg) {
    (void)arg;
    ch_set_log(keep_notice, NULL);
    setenv("CHAAC_NUM_THREADS", "many", 1);
    (void)ch__env_int("CHAAC_NUM_THREADS", 1, 1, 256);
    return strcmp(notice,
                  "2 environment: CHAAC_NUM_THREADS is \"many\" and is ignored — a whole number from 1 to 256 is "
                  "read");
}

static int notices_given;
static void count_notice(void *user, int level, const char *message) {
    keep_notice(user, level, message);
    notices_given++;
}
static int flag_noticed(void *arg) {
    (void)arg;
    ch_set_log(count_notice, NULL);
    setenv("CHAAC_CHECK", "2", 1);
    setenv("CHAAC_TIERS", "no", 1);
    if (ch__env_flag("CHAAC_CHECK") || ch__env_flag("CHAAC_CHECK") || ch__env_flag("CHAAC_TIERS")) return 1;
    return notices_given != 1 ||
           strcmp(notice, "2 environment: CHAAC_CHECK is \"2\" and is ignored — 1, true, on, yes and 0, "
                          "false, off, no are read");
}

static void environment(void **state) {
    (void)state;
    assert_int_equal(in_child(env_is_read_once, NULL), 0);
    static const char *const yes[] = {"1", "true", "on", "yes"}, *const no[] = {"0", "", "false", "2", "y", "TRUE "};
    for (int i = 0; i < 4; i++) assert_int_equal(in_child(flag_of, (void *)(uintptr_t)yes[i]), 1);
    for (int i = 0; i < 6; i++) assert_int_equal(in_child(flag_of, (void *)(uintptr_t)no[i]), 0);
    static const struct {
        const char *text;
        int value;
    } rows[] = {{"1", 1},   {"99", 99}, {"+5", 5},  {"0", 77},  {"100", 77},
                {"", 77},   {"5x", 77}, {"x", 77},  {"-1", 77}, {"99999999999999999999", 77},
                {" 5", 77}, {"5 ", 77}, {NULL, 77}, {"007", 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(in_child(int_of, (void *)(uintptr_t)rows[i].text), rows[i].value);
    assert_int_equal(in_child(too_long, NULL), 0);
    assert_int_equal(in_child(noticed, NULL), 0);
    assert_int_equal(in_child(flag_noticed, NULL), 0);
}

static int threads_of(void *text) {
    setenv("CHAAC_NUM_THREADS", text, 1);
    return ch__num_threads();
}
static void thread_count(void **state) {
    (void)state;
    char three[] = "3", zero[] = "0", many[] = "100000";
    int cores = in_child(threads_of, zero);
    assert_true(cores >= 1);
    assert_int_equal(in_child(threads_of, three), 3);
    assert_int_equal(in_child(threads_of, many), cores);
}

static void the_clock_goes_forward(void **state) {
    (void)state;
    double t = ch__now(), last = t;
    while (ch__now() < t + 0.002) {
        assert_true(ch__now() >= last);
        last = ch__now();
    }
}

static void terminals(void **state) {
    (void)state;
    FILE *f = tmpfile();
    assert_false(ch__is_terminal(f));
    fclose(f);
    int ours, theirs;
    if (openpty(&ours, &theirs, NULL, NULL, NULL) != 0) CH_SKIP("no pseudo-terminal is to be had here");
    f = fdopen(theirs, "r+");
    assert_non_null(f);
    assert_true(ch__is_terminal(f));
    fclose(f);
    close(ours);
}

static void libraries(void **state) {
    (void)state;
    assert_null(ch__dl_open("libno-such-library.so.9"));
    assert_null(ch__dl_sym(NULL, "cos"));
    void *m = ch__dl_open("libm.so.6");
    if (!m) CH_SKIP("no libm.so.6 here");
    assert_non_null(ch__dl_sym(m, "cos"));
    assert_null(ch__dl_sym(m, "no_such_function"));
}

static char heard[CH__MESSAGE_BYTES];
static void hear(void *user, int level, const char *message) {
    snprintf(heard, sizeof heard, "%s %d %s", (char *)user, level, message);
    ch_set_log(NULL, NULL); // allowed inside
}
static void notices(void **state) {
    (void)state;
    char me[] = "me";
    ch_set_log(hear, me);
    ch__log(1, "compiled %s in %d ms", "f", 3);
    assert_string_equal(heard, "me 1 compiled f in 3 ms");
    ch__log(1, "not heard");
    assert_string_equal(heard, "me 1 compiled f in 3 ms");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environment), cmocka_unit_test(thread_count), cmocka_unit_test(the_clock_goes_forward),
        cmocka_unit_test(terminals),   cmocka_unit_test(libraries),    cmocka_unit_test(notices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
