// SPDX-License-Identifier: Apache-2.0
// test_disk_again.c - a program that one process compiled is taken from the disk by the next: PLUGIN... TAP.
//
// Each run is this program started anew (--one TEXT). The variables are read once in a process: one that is forked
// after they were read has its parent's folder, whatever it sets.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "chaac/chaac.h"

#define ADD                                                                                                            \
    "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n"                                       \
    "  %0 = stablehlo.add %x, %y : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"

typedef struct {
    int64_t compiles, from_disk;
    float last;
} outcome;

static const char *self;

static outcome run_one(const char *text) {
    outcome o = {-1, -1, 0};
    ch_session *s = NULL;
    ch_session_counters c;
    ch_buffer *x = NULL, *y = NULL;
    float v[4] = {1, 2, 3, 4};
    if (ch_session_open(NULL, &s) != CH_OK || ch_buffer_from_host(s, v, "f32[4]", &x) != CH_OK ||
        ch_session_run_text(s, text, 2, (ch_buffer *[]){x, x}, 1, &y) != CH_OK ||
        ch_buffer_read(y, v, sizeof v) != CH_OK) {
        fprintf(stderr, "# %s\n", ch_error_message());
        return o;
    }
    ch_session_count(s, &c);
    o = (outcome){c.compiles, c.from_disk, v[3]};
    ch_buffer_release(x);
    ch_buffer_release(y);
    ch_session_close(s);
    return o;
}

// In a process of its own, started anew or only forked.
static outcome in_a_process(const char *text, const char *folder, bool anew) {
    int ends[2], status;
    outcome o = {-1, -1, 0};
    if (pipe(ends) != 0) abort();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("CHAAC_PJRT_CACHE_DIR", folder, 1);
        if (dup2(ends[1], 1) != 1) _exit(1);
        if (anew) execl(self, self, "--one", text, (char *)NULL);
        o = run_one(text);
        _exit(write(1, &o, sizeof o) == (ssize_t)sizeof o ? 0 : 1);
    }
    close(ends[1]);
    bool good = read(ends[0], &o, sizeof o) == (ssize_t)sizeof o;
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status != 0 || !good) o.compiles = -1;
    return o;
}

static bool expect(outcome o, int compiles, int from_disk, const char *what) {
    bool good = o.compiles == compiles && o.from_disk == from_disk && o.last == 8;
    if (!good)
        printf("# %lld compiles, %lld from the disk, 4 + 4 = %g\n", (long long)o.compiles, (long long)o.from_disk,
               (double)o.last);
    ok(good, what);
    return good;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--one") == 0) {
        outcome o = run_one(argv[2]);
        return write(1, &o, sizeof o) == (ssize_t)sizeof o ? 0 : 1;
    }
    self = argv[0];
    setenv("MOCK_PLUGIN", "name=again", 1);
    unsetenv("CHAAC_PJRT_CACHE_DIR");
    for (int i = 1; i < argc; i++) {
        char folder[] = "/tmp/chaac-again-XXXXXX", command[64], *path = NULL;
        if (mkdtemp(folder) == NULL) return 1;
        printf("# %s\n", strrchr(argv[i], '/') + 1);
        setenv("CHAAC_PJRT_PLUGIN_PATH", argv[i], 1);
        ok(ch_plugin_find(CH_CPU, i == 1 ? NULL : argv[i], &path) == CH_OK && strcmp(path, argv[i]) == 0, "found");
        ch_string_free(path);
        expect(in_a_process(ADD, folder, true), 1, 0, "the first process compiles");
        expect(in_a_process(ADD, folder, true), 0, 1, "the second takes it from the disk");
        expect(in_a_process(ADD "\n", folder, true), 1, 0, "another text is compiled");
        expect(in_a_process(ADD, folder, true), 0, 1, "and the first is there still");
        expect(in_a_process(ADD, folder, false), 1, 0, "variables set after they were read name no folder");
        snprintf(command, sizeof command, "rm -rf '%s'", folder);
        if (system(command) != 0) return 1;
    }
    printf("1..%d\n", case_number);
    return failures != 0;
}
