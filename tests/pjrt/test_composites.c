// SPDX-License-Identifier: Apache-2.0
// test_composites.c - the composites of the library, forward and gradients, on real plugins against the interpreter:
// PLUGIN... TAP. Each plugin has a process of its own, since the engine has one for a process.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/composites.h"

static void composites_of_f64(void **state) {
    (void)state;
    composites("pjrt cpu", "f64");
}

static void composites_of_f32(void **state) {
    (void)state;
    composites("pjrt cpu", "f32");
}

static int on(const char *plugin) {
    static const int64_t empty_and_some[] = {0, 7}; // each is a compile
    engine = "pjrt";
    rows = empty_and_some;
    n_rows = 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composites_of_f64),
        cmocka_unit_test(composites_of_f32),
    };
    setenv("CHAAC_PJRT_PLUGIN_PATH", plugin, 1);
    cmocka_set_message_output(CM_OUTPUT_STDOUT); // the plan is ours
    int failed = cmocka_run_group_tests_name("composites", tests, NULL, NULL);
    ch_thread_end();
    return failed;
}

int main(int argc, char **argv) {
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        int status = 0;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            if (dup2(2, 1) != 1) _exit(2); // what cmocka says is no TAP
            _exit(on(argv[i]));
        }
        bool good = child > 0 && waitpid(child, &status, 0) == child && status == 0;
        printf("%sok %d - composites and their gradients on %s\n", good ? "" : "not ", i, strrchr(argv[i], '/') + 1);
        failed += !good;
    }
    printf("1..%d\n", argc - 1);
    return failed > 0;
}
