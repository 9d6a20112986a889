// SPDX-License-Identifier: Apache-2.0
// test_disk_real.c - programs kept on disk, by real plugins: PLUGIN [OTHER]. TAP.
//
// Real plugins load most damaged programs, and those of another plugin, without complaint and then compute something
// else or crash (docs/pjrt.md). So every entry is cut short and has a bit turned over in its header and its program, is
// put under another plugin's name, meets a full disk and other processes; whatever comes, the plugin compiles and the
// numbers are right. Each case is a process that loads its plugin anew. With one plugin (on a device whose compiles
// are slow) bits are turned over at 24 places, and what needs another plugin is left out by name.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "chaac/chaac.h"
#include "kept.h"

static char cache[64], notices[1 << 14];

static void listen(void *user, int level, const char *text) {
    (void)user, (void)level;
    snprintf(notices, sizeof notices, "%s", text);
}

// y = 2 x + 1, of 4 numbers, by a plugin; from_disk: it was taken from there. -1: not run, or not right.
static int from_disk(const char *plugin) {
    static const char text[] = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                               "  %c = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
                               "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n"
                               "  %1 = stablehlo.add %0, %c : tensor<4xf32>\n  return %1 : tensor<4xf32>\n}\n";
    const ch_session_options o = {.struct_size = sizeof o, .plugin = plugin};
    ch_session *s = NULL;
    ch_buffer *x = NULL, *y = NULL;
    ch_session_counters c = {0};
    float v[4] = {1, 2, 3, 4}, got[4] = {0};
    ch_status st = ch_session_open(&o, &s);
    if (st == CH_OK) st = ch_buffer_from_host(s, v, "f32[4]", &x);
    if (st == CH_OK) st = ch_session_run_text(s, text, 1, &x, 1, &y);
    if (st == CH_OK) st = ch_buffer_read(y, got, sizeof got);
    int right = st == CH_OK;
    for (int i = 0; i < 4; i++) right = right && got[i] == 2 * v[i] + 1;
    ch_session_count(s, &c);
    ch_buffer_release(x);
    ch_buffer_release(y);
    ch_session_close(s);
    if (!right) printf("# %s: %s\n", plugin, st == CH_OK ? "other numbers" : ch_error_message());
    return right && c.from_disk + c.compiles == 1 ? (int)c.from_disk : -1;
}

static int programs(char path[512]) { return kept_programs(cache, path); }

static char *get_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *data = malloc(1 << 20);
    if (f == NULL || data == NULL) abort();
    *n = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

static void put_file(const char *path, const char *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, n, f) != n || fclose(f) != 0) abort();
}

// ---------------------------------------------------------------- cases; each is a process, 0: it went well
static int second_is_from_disk(const char *plugin, const char *other) {
    (void)other;
    return from_disk(plugin) != 0 || programs(NULL) != 1 || from_disk(plugin) != 1 || from_disk(plugin) != 1;
}

// One bit of every 64th byte. A program that is refused is made again, so each time begins with a good one.
static int turned_bits(const char *plugin, const char *other) {
    char path[512];
    size_t n;
    if (from_disk(plugin) != 0 || programs(path) != 1) return 1;
    char *good = get_file(path, &n);
    int wrong = n < 200;
    size_t step = other != NULL || n < (size_t)24 * 64 ? 64 : n / (24 * 64) * 64;
    for (size_t i = 0; i < n && wrong == 0; i += step) {
        good[i] ^= (char)(1 << (i / 64 % 8));
        put_file(path, good, n);
        good[i] ^= (char)(1 << (i / 64 % 8));
        notices[0] = '\0';
        wrong = from_disk(plugin) != 0 || strstr(notices, "it is made again") == NULL;
        if (wrong) printf("# byte %zu of %zu: %s\n", i, n, notices);
    }
    free(good);
    return wrong || from_disk(plugin) != 1;
}

static int cut_short(const char *plugin, const char *other) {
    char path[512];
    size_t n;
    (void)other;
    if (from_disk(plugin) != 0 || programs(path) != 1) return 1;
    char *good = get_file(path, &n);
    int wrong = 0;
    for (size_t cut = 0; cut < n && wrong == 0; cut += n / 24 + 1) {
        put_file(path, good, cut);
        wrong = from_disk(plugin) != 0;
        if (wrong) printf("# %zu bytes of %zu\n", cut, n);
    }
    put_file(path, good, n - 1);
    wrong = wrong || from_disk(plugin) != 0;
    free(good);
    return wrong || from_disk(plugin) != 1;
}

static int longer(const char *plugin, const char *other) {
    char path[512];
    size_t n;
    (void)other;
    if (from_disk(plugin) != 0 || programs(path) != 1) return 1;
    char *good = get_file(path, &n);
    memset(good + n, 0, 64);
    put_file(path, good, n + 64);
    free(good);
    return from_disk(plugin) != 0 || from_disk(plugin) != 1;
}

// The other plugin's program under this one's name: both are whole.
static int anothers_program(const char *plugin, const char *other) {
    char mine[512], theirs[512], away[600];
    if (from_disk(plugin) != 0 || programs(mine) != 1) return 1;
    snprintf(away, sizeof away, "%s.away", cache);
    if (rename(mine, away) != 0 || from_disk(other) != 0 || programs(theirs) != 1) return 1;
    if (strcmp(mine, theirs) == 0 || rename(theirs, mine) != 0) return 1;
    notices[0] = '\0';
    if (from_disk(plugin) != 0 || strstr(notices, "checksum") == NULL) return 1;
    unlink(away);
    return from_disk(plugin) != 1 || from_disk(other) != 0 || from_disk(other) != 1 || programs(NULL) != 2;
}

static int full_disk(const char *plugin, const char *other) {
    (void)other;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, RLIM_INFINITY}) != 0) return 1;
    if (from_disk(plugin) != 0 || strstr(notices, "cannot be written") == NULL || programs(NULL) != 0) return 1;
    if (from_disk(plugin) != 0 || programs(NULL) != 0) return 1;
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) != 0) return 1;
    return from_disk(plugin) != 0 || from_disk(plugin) != 1;
}

static int usual(const char *plugin, const char *other) {
    (void)other;
    return from_disk(plugin) < 0;
}

// ---------------------------------------------------------------- processes
static pid_t begin_case(int (*fn)(const char *plugin, const char *other), const char *plugin, const char *other) {
    fflush(stdout);
    pid_t child = fork();
    if (child != 0) return child;
    int wrong = fn(plugin, other);
    ch_thread_end();
    fflush(stdout);
    _exit(wrong != 0);
}

static bool end_case(pid_t child) {
    int status = 0;
    bool good = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good) printf("# the process ended with %d\n", status);
    return good;
}

// Programs go, the sums of the plugins' files stay: they have 200 MB.
static void clear(void) {
    char path[512];
    while (programs(path) > 0)
        if (unlink(path) != 0) abort();
}

static void in_process(int (*fn)(const char *plugin, const char *other), const char *plugin, const char *other,
                       const char *what) {
    clear();
    ok(end_case(begin_case(fn, plugin, other)), what);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    int plugins = argc > 2 ? 2 : 1;
    snprintf(cache, sizeof cache, "/tmp/chaac-real-%d", (int)getpid());
    setenv("CHAAC_PJRT_CACHE_DIR", cache, 1);
    ch_set_log(listen, NULL);
    for (int i = 1; i <= plugins; i++) {
        const char *plugin = argv[i], *other = plugins == 2 ? argv[3 - i] : NULL;
        printf("# %s\n", strrchr(plugin, '/') + 1);
        in_process(second_is_from_disk, plugin, other, "the second session takes the program from disk");
        in_process(turned_bits, plugin, other, "one bit turned over in every 64th byte: compiled again");
        in_process(cut_short, plugin, other, "entries cut short: compiled again");
        in_process(longer, plugin, other, "an entry that is too long: compiled again");
        if (other != NULL)
            in_process(anothers_program, plugin, other, "another plugin's program: compiled again");
        else
            printf("ok %d - another plugin's program # SKIP there is one plugin\n", ++case_number);
        in_process(full_disk, plugin, other, "a full disk: compiled, nothing is left there");
        clear();
        bool good = true;
        for (int round = 0; round < 3; round++) { // nothing there, then one that both read
            pid_t child[4];
            for (int k = 0; k < 4; k++) child[k] = begin_case(usual, k == 3 && other != NULL ? other : plugin, other);
            for (int k = 0; k < 4; k++) good = end_case(child[k]) && good;
            good = good && programs(NULL) == plugins;
        }
        ok(good, "four processes at once");
    }
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    if (system(command) != 0) abort();
    printf("1..%d\n", case_number);
    return failures != 0;
}
