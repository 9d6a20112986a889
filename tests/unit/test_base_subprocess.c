// SPDX-License-Identifier: Apache-2.0
// test_base_subprocess.c - subprocess.c: what a program says, how it ends, and programs that do not end.
#include "base/base.h"

#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static char said[64];
static int status;

static ch_status sh(const char *script, double seconds, const volatile int *cancel) {
    return ch__subprocess((const char *[]){"sh", "-c", script, NULL}, seconds, cancel, said, sizeof said, &status);
}

static void output_and_status(void **state) {
    (void)state;
    assert_int_equal(sh("echo out; echo err >&2; exit 3", 30, NULL), CH_OK);
    assert_string_equal(said, "out\nerr\n");
    assert_int_equal(status, 3);
    assert_int_equal(sh("true", 30, NULL), CH_OK);
    assert_string_equal(said, "");
    assert_int_equal(status, 0);
    assert_int_equal(sh("kill -9 $$", 30, NULL), CH_OK);
    assert_int_equal(status, 128 + SIGKILL);
    assert_int_equal(sh("read x; echo \"<$x>\"", 30, NULL), CH_OK); // nothing to read
    assert_string_equal(said, "<>\n");
}

static void more_than_there_is_room_for(void **state) {
    (void)state;
    assert_int_equal(sh("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done; exit 5", 60, NULL), CH_OK);
    assert_int_equal(strlen(said), sizeof said - 1);
    assert_int_equal(status, 5);
}

static void arguments_are_not_read_by_a_shell(void **state) {
    (void)state;
    const char *argv[] = {"printf", "%s", "$HOME; `x` 'y' \"", NULL};
    assert_int_equal(ch__subprocess(argv, 30, NULL, said, sizeof said, &status), CH_OK);
    assert_string_equal(said, "$HOME; `x` 'y' \"");
}

static void absent(void **state) {
    (void)state;
    const char *argv[] = {"/no/such/program", NULL};
    assert_int_equal(ch__subprocess(argv, 30, NULL, said, sizeof said, &status), CH_UNAVAILABLE);
    assert_string_equal(ch_error_message(), "/no/such/program: there is no such program");
    assert_string_equal(ch_error_id(), "subprocess");
}

static void stopped_with_its_children(void **state) {
    (void)state;
    double from = ch__now();
    assert_int_equal(sh("sleep 100 & sleep 100", 1, NULL), CH_UNAVAILABLE);
    assert_string_equal(ch_error_message(), "sh: stopped after 1 seconds — that is the limit");
    assert_true(ch__now() - from < 50);
    const volatile int cancel = 1;
    assert_int_equal(sh("sleep 100", 100, &cancel), CH_CANCELLED);
    assert_string_equal(ch_error_message(), "sh: cancelled by the caller");
}

static void signals_of_the_caller_do_not_reach_the_child(void **state) {
    (void)state;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    ch_status s = sh("kill -TERM $$; echo alive", 30, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(s, CH_OK);
    assert_int_equal(status, 128 + SIGTERM); // not blocked
}

static bool second_folder(void *arg, const char *folder) {
    char *seen = arg;
    size_t n = strlen(seen);
    snprintf(seen + n, 1024 - n, "%s;", folder + strlen(getenv("VIRTUAL_ENV")));
    return strstr(folder, "python3.9") != NULL;
}

static void programs_and_folders(void **state) {
    (void)state;
    char path[256], folder[256], seen[1024] = "";
    assert_true(ch__program_find("sh", path, sizeof path));
    assert_true(path[0] == '/');
    assert_false(ch__program_find("no-such-program", path, sizeof path));
    assert_false(ch__program_find("/etc/passwd", path, sizeof path)); // nothing that runs
    assert_false(ch__program_find("/bin", path, sizeof path));
    assert_int_equal(ch__temp_folder("test", folder, sizeof folder), CH_OK);
    setenv("VIRTUAL_ENV", folder, 1);
    assert_int_equal(sh("cd $VIRTUAL_ENV && mkdir -p lib/python3.9/site-packages lib/python3.12/dist-packages "
                        "lib/python3.x/site-packages lib/python2/site-packages",
                        30, NULL),
                     CH_OK);
    seen[0] = '\0';
    assert_true(ch__python_folders(second_folder, seen));
    assert_string_equal(seen, "/lib/python3.12/dist-packages;/lib/python3.9/site-packages;"); // the newest first
    assert_int_equal(sh("rm -r $VIRTUAL_ENV/lib; : > $VIRTUAL_ENV/a; : > $VIRTUAL_ENV/b", 30, NULL), CH_OK);
    ch__temp_folder_remove(folder);
    assert_int_not_equal(access(folder, F_OK), 0);
    unsetenv("VIRTUAL_ENV");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_status),
        cmocka_unit_test(more_than_there_is_room_for),
        cmocka_unit_test(arguments_are_not_read_by_a_shell),
        cmocka_unit_test(absent),
        cmocka_unit_test(programs_and_folders),
        cmocka_unit_test(stopped_with_its_children),
        cmocka_unit_test(signals_of_the_caller_do_not_reach_the_child),
    };
    return cmocka_run_group_tests_name("base_subprocess", tests, NULL, NULL);
}
