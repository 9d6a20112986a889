// SPDX-License-Identifier: Apache-2.0
// test_disk.c - programs kept on disk: what is taken from there, and everything that must not be.
//
// Each run of a plugin is a process of its own (fork), so that nothing is remembered but what is on disk. The mock
// counts what another plugin made or was damaged and reached it all the same: never one.
#include "kept.h"
#include "mock_host.h"

#include "base/base.h"
#include "chaac/ffi.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char cache[128], notices[1 << 16];
static char plugin[2][128];

static void listen(void *user, int level, const char *text) {
    (void)user, (void)level;
    size_t n = strlen(notices);
    snprintf(notices + n, sizeof notices - n, "%s\n", text);
}

// What one process does: a session of a plugin runs one text. Its notices go to the parent.
typedef struct {
    const char *path, *config, *text, *flag;
    bool no_serialize, refuse_load, small_files, other_user;
    int handlers;
} job;
typedef struct {
    int status, compiles, loads, foreign; // as the plugin counted them
    bool right;
    char notices[2000];
} outcome;

#define CALL_TEXT                                                                                                      \
    "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n"                                       \
    "  %0 = stablehlo.custom_call @twice_of(%x, %y) {api_version = 4 : i32} : (tensor<4xf32>, tensor<4xf32>) -> "      \
    "tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"

static ch_status twice_of(ch_ffi_call *call, void *user) {
    (void)user;
    ch_ffi_array x, y;
    CH_TRY(ch_ffi_arg(call, 0, &x));
    CH_TRY(ch_ffi_result(call, 0, &y));
    for (int64_t i = 0; i < x.count; i++) ((float *)y.data)[i] = 2 * ((const float *)x.data)[i];
    return CH_OK;
}

static outcome do_job(const job *j) {
    outcome o = {.status = -1};
    ch_session *s = NULL;
    ch_plugin *p = NULL;
    ch_session_options options = {.struct_size = sizeof options, .plugin = j->path};
    ch_session_call call = {.struct_size = sizeof call, .n_flags = j->flag != NULL, .flags = &j->flag};
    setenv("MOCK_PLUGIN", j->config, 1);
    if (ch_plugin_load(j->path, &p) != CH_OK) return o;
    void *symbol = dlsym(dlopen(j->path, RTLD_NOW | RTLD_LOCAL), "mock_plugin_state");
    mock_plugin_state_fn get;
    memcpy(&get, &symbol, sizeof get);
    mock_state *m = get();
    atomic_store(&m->no_serialize, j->no_serialize);
    atomic_store(&m->refuse_load, j->refuse_load);
    static const char *const names[] = {"twice_of", "another"};
    for (int i = 0; i < j->handlers; i++)
        if (ch_ffi_register(p, names[i], twice_of, NULL) != CH_OK) return o;
    ch_buffer *x = NULL, *y = NULL;
    float back[4] = {0};
    o.status = ch_session_open(&options, &s);
    if (o.status == CH_OK) o.status = ch_buffer_from_host(s, (float[]){1, 2, 3, 4}, "f32[4]", &x);
    if (o.status == CH_OK) o.status = ch_session_run_text_with(s, &call, j->text, 2, (ch_buffer *[]){x, x}, 1, &y);
    if (o.status == CH_OK) o.status = ch_buffer_read(y, back, sizeof back);
    o.right = back[3] == 8;
    ch_buffer_release(x);
    ch_buffer_release(y);
    ch_session_close(s);
    for (int k = 0; k < MOCK_KINDS; k++)
        if (atomic_load(&m->live[k]) != 0) o.right = false;
    o.compiles = (int)atomic_load(&m->of_slot[PJ_CLIENT_COMPILE]);
    o.loads = (int)atomic_load(&m->of_slot[PJ_EXECUTABLE_DESERIALIZE_AND_LOAD]);
    o.foreign = (int)atomic_load(&m->foreign);
    snprintf(o.notices, sizeof o.notices, "%.1999s", notices);
    return o;
}

static pid_t begin_job(const job *j, int out[2]) {
    assert_int_equal(pipe(out), 0);
    pid_t child = fork();
    if (child != 0) return child;
    notices[0] = '\0';
    if (j->small_files) {
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){200, 200}) != 0) _exit(2);
    }
    if (j->other_user && geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
    outcome o = do_job(j);
    ssize_t put = write(out[1], &o, sizeof o);
    _exit(put == (ssize_t)sizeof o ? 0 : 3);
}

static outcome end_job(pid_t child, int out[2]) {
    outcome o;
    int status;
    close(out[1]);
    ssize_t got = read(out[0], &o, sizeof o);
    close(out[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(got, sizeof o);
    return o;
}

static outcome run_job(job j) {
    int out[2];
    if (j.path == NULL) j.path = plugin[0];
    if (j.config == NULL) j.config = "name=disk";
    if (j.text == NULL) j.text = ADD_TEXT;
    pid_t child = begin_job(&j, out);
    outcome o = end_job(child, out);
    if (o.status != CH_OK || !o.right) fail_msg("status %d: %s", o.status, o.notices);
    assert_int_equal(o.foreign, 0);
    return o;
}

#define EXPECT(job, c, l)                                                                                              \
    do {                                                                                                               \
        outcome of_job = run_job(job);                                                                                 \
        if (of_job.compiles != (c) || of_job.loads != (l))                                                             \
            fail_msg("line %d: %d compiles, %d loads: %s", __LINE__, of_job.compiles, of_job.loads, of_job.notices);   \
    } while (0)
#define JOB(...) ((job){__VA_ARGS__})
#define USUAL ((job){0})

static void remove_all(void) {
    char command[400];
    snprintf(command, sizeof command, "chmod -R u+w '%.127s' 2>/dev/null; rm -rf '%.127s'", cache, cache);
    if (system(command) != 0) abort();
}

static int begin(void **state) {
    (void)state;
    remove_all();
    return 0;
}

static int programs(char path[512]) { return kept_programs(cache, path); }

// ---------------------------------------------------------------- what is taken
static void the_second_process_compiles_nothing(void **state) {
    (void)state;
    struct stat st;
    EXPECT(USUAL, 1, 0);
    assert_int_equal(stat(cache, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(programs(NULL), 1);
    for (int i = 0; i < 3; i++) EXPECT(USUAL, 0, 1);
    assert_int_equal(programs(NULL), 1);
    assert_string_equal(run_job(USUAL).notices, "");
}

// Everything that a program depends on makes another.
static void what_differs_is_compiled(void **state) {
    (void)state;
    EXPECT(USUAL, 1, 0);
    EXPECT(JOB(.text = ADD_TEXT "\n"), 1, 0);
    EXPECT(JOB(.flag = "xla_cpu_multi_thread_eigen=False"), 1, 0);
    EXPECT(JOB(.flag = "xla_cpu_multi_thread_eigen=True"), 1, 0);
    EXPECT(JOB(.config = "minor=104 name=disk"), 1, 0);
    EXPECT(USUAL, 0, 1);
    setenv("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false", 1);
    EXPECT(USUAL, 1, 0);
    unsetenv("XLA_FLAGS");
    EXPECT(USUAL, 0, 1);
    assert_int_equal(programs(NULL), 6);
}

// A program that calls a handler is kept, and is another one where the handler's name is not registered.
static void programs_that_call_handlers(void **state) {
    (void)state;
    EXPECT(JOB(.text = CALL_TEXT, .handlers = 1), 1, 0);
    EXPECT(JOB(.text = CALL_TEXT, .handlers = 1), 0, 1);
    EXPECT(JOB(.text = CALL_TEXT, .handlers = 2), 0, 1); // the text has nothing of "another"
    int out[2];
    job j = {.path = plugin[0], .config = "name=disk", .text = CALL_TEXT};
    pid_t child = begin_job(&j, out);
    outcome o = end_job(child, out);
    assert_int_not_equal(o.status, CH_OK);
    assert_int_equal(o.loads, 0);
}

// The same file under another name is the same plugin; one byte more is another.
static void another_plugin(void **state) {
    (void)state;
    EXPECT(USUAL, 1, 0);
    EXPECT(JOB(.path = plugin[1]), 0, 1);
    FILE *f = fopen(plugin[1], "ab");
    assert_non_null(f);
    fputc('x', f);
    assert_int_equal(fclose(f), 0);
    EXPECT(JOB(.path = plugin[1], .config = "name=appended"), 1, 0);
    EXPECT(USUAL, 0, 1);
}

// ---------------------------------------------------------------- what is not
static void put_file(const char *path, const char *data, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void damage(void **state) {
    (void)state;
    char path[512], *good;
    size_t n;
    EXPECT(USUAL, 1, 0);
    assert_int_equal(programs(path), 1);
    assert_int_equal(ch__file_read(path, 0, &good, &n), CH_OK);
    for (size_t i = 0; i < n; i += 64) { // one bit of every 64th byte, of the header and of the program
        good[i] ^= (char)(1 << (i / 64 % 8));
        put_file(path, good, n);
        good[i] ^= (char)(1 << (i / 64 % 8));
        outcome o = run_job(USUAL);
        if (o.compiles != 1 || o.loads != 0) fail_msg("byte %zu: %d compiles, %d loads", i, o.compiles, o.loads);
        if (strstr(o.notices, "it is made again") == NULL) fail_msg("byte %zu: %s", i, o.notices);
    }
    for (size_t cut = 0; cut < n; cut += n / 7 + 1) {
        put_file(path, good, cut);
        EXPECT(USUAL, 1, 0);
        EXPECT(USUAL, 0, 1);
    }
    ch__free(good);
}

// A program of one key under the name of another: whole, and not what is asked for.
static void a_program_under_anothers_name(void **state) {
    (void)state;
    char one[512], other[512], away[600];
    EXPECT(USUAL, 1, 0);
    assert_int_equal(programs(one), 1);
    snprintf(away, sizeof away, "%s.away", cache);
    assert_int_equal(rename(one, away), 0);
    EXPECT(JOB(.config = "minor=104 name=disk"), 1, 0);
    assert_int_equal(programs(other), 1);
    assert_int_equal(rename(away, other), 0);
    outcome o = run_job(JOB(.config = "minor=104 name=disk"));
    assert_int_equal(o.compiles, 1);
    assert_non_null(strstr(o.notices, "checksum"));
}

static void a_plugin_that_does_not_take_it(void **state) {
    (void)state;
    EXPECT(USUAL, 1, 0);
    outcome o = run_job(JOB(.refuse_load = true));
    assert_int_equal(o.loads, 1);
    assert_int_equal(o.compiles, 1);
    assert_non_null(strstr(o.notices, "Deserializing is refused"));
    EXPECT(USUAL, 0, 1); // it was written anew
}

static void a_plugin_that_cannot_serialize(void **state) {
    (void)state;
    outcome o = run_job(JOB(.no_serialize = true));
    assert_int_equal(o.compiles, 1);
    assert_non_null(strstr(o.notices, "Serialize not implemented"));
    assert_int_equal(programs(NULL), 0);
    o = run_job(JOB(.config = "missing=49 name=disk"));
    assert_int_equal(o.compiles, 1);
    assert_int_equal(programs(NULL), 0);
}

static void links(void **state) {
    (void)state;
    char path[512], away[600];
    EXPECT(USUAL, 1, 0);
    assert_int_equal(programs(path), 1);
    snprintf(away, sizeof away, "%s.away", cache);
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(symlink(away, path), 0);
    outcome o = run_job(USUAL);
    assert_int_equal(o.compiles, 1);
    assert_non_null(strstr(o.notices, "it is a link"));
    snprintf(away, sizeof away, "%s.real", cache);
    assert_int_equal(rename(cache, away), 0);
    assert_int_equal(symlink(away, cache), 0); // the folder
    o = run_job(USUAL);
    assert_int_equal(o.compiles, 1);
    assert_int_equal(o.loads, 0);
    assert_non_null(strstr(o.notices, "cache: "));
    unlink(cache);
    assert_int_equal(rename(away, cache), 0);
}

static void another_users(void **state) {
    (void)state;
    char path[512];
    if (geteuid() != 0) CH_SKIP("only root can give files away");
    EXPECT(USUAL, 1, 0);
    assert_int_equal(programs(path), 1);
    assert_int_equal(chown(path, 65534, 65534), 0);
    outcome o = run_job(USUAL);
    assert_int_equal(o.compiles, 1);
    assert_non_null(strstr(o.notices, "another user's"));
    assert_int_equal(chown(cache, 65534, 65534), 0);
    EXPECT(USUAL, 1, 0);
    assert_int_equal(chown(cache, 0, 0), 0);
    EXPECT(USUAL, 0, 1);
}

static void open_to_others(void **state) {
    (void)state;
    EXPECT(USUAL, 1, 0);
    assert_int_equal(chmod(cache, 0755), 0);
    outcome o = run_job(USUAL);
    assert_int_equal(o.compiles, 1);
    assert_non_null(strstr(o.notices, "open to other users"));
    assert_int_equal(chmod(cache, 0700), 0);
    EXPECT(USUAL, 0, 1);
}

static void full_disk(void **state) {
    (void)state;
    outcome o = run_job(JOB(.small_files = true));
    assert_int_equal(o.compiles, 1);
    assert_non_null(strstr(o.notices, "cannot be written"));
    assert_int_equal(programs(NULL), 0);
    EXPECT(USUAL, 1, 0);
    EXPECT(JOB(.small_files = true), 0, 1);
}

static void read_only(void **state) {
    (void)state;
    EXPECT(USUAL, 1, 0);
    if (geteuid() == 0) {
        char command[400];
        snprintf(command, sizeof command, "chown -R 65534:65534 '%s' && chmod 755 '%s'", cache, mock_folder);
        assert_int_equal(system(command), 0);
    }
    assert_int_equal(chmod(cache, 0500), 0);
    EXPECT(JOB(.other_user = true), 0, 1);
    outcome o = run_job(JOB(.other_user = true, .text = ADD_TEXT " "));
    assert_int_equal(o.compiles, 1);
    assert_non_null(strstr(o.notices, "cannot be written"));
    assert_int_equal(chmod(cache, 0700), 0);
}

static void no_folder(void **state) {
    (void)state;
    put_file(cache, "x", 1); // a file stands in its way
    outcome o = run_job(USUAL);
    assert_int_equal(o.compiles, 1);
    assert_non_null(strstr(o.notices, "cache: "));
}

static void two_processes(void **state) {
    (void)state;
    static const char *const texts[2] = {ADD_TEXT, ADD_TEXT " "};
    for (int round = 0; round < 5; round++) {
        job j[4];
        int out[4][2];
        pid_t child[4];
        if (round % 2 == 0) remove_all();
        for (int i = 0; i < 4; i++) {
            j[i] = (job){.path = plugin[0], .config = "name=disk", .text = texts[i % 2]};
            child[i] = begin_job(&j[i], out[i]);
        }
        for (int i = 0; i < 4; i++) {
            outcome o = end_job(child[i], out[i]);
            assert_int_equal(o.status, CH_OK);
            assert_true(o.right);
            assert_int_equal(o.foreign, 0);
            assert_int_equal(o.compiles + o.loads, 1);
            assert_string_equal(o.notices, "");
        }
        assert_int_equal(programs(NULL), 2);
    }
}

static void count_entry(void *user, const char *name, int64_t bytes, int64_t used, const char *wrong) {
    (void)bytes, (void)used;
    int *n = user;
    if (strstr(name, ".exec") != NULL) n[wrong != NULL]++;
}

// `chaac cache` sees these too.
static void the_caches_list_has_them(void **state) {
    (void)state;
    char path[512], *good;
    size_t n;
    EXPECT(USUAL, 1, 0);
    int seen[2] = {0, 0};
    assert_int_equal(ch_cache_list(count_entry, seen), CH_OK);
    assert_int_equal(seen[0], 2); // the program, and the sum of the plugin's file
    programs(path);
    assert_int_equal(ch__file_read(path, 0, &good, &n), CH_OK);
    good[n - 1] ^= 1;
    put_file(path, good, n);
    ch__free(good);
    seen[0] = seen[1] = 0;
    assert_int_equal(ch_cache_verify(count_entry, seen), CH_OK);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 1);
    assert_int_equal(programs(NULL), 0);
    assert_int_equal(ch_cache_clear(NULL, NULL), CH_OK);
    seen[0] = 0;
    assert_int_equal(ch_cache_list(count_entry, seen), CH_OK);
    assert_int_equal(seen[0], 0);
}

int main(void) {
    mock_begin_tests();
    snprintf(cache, sizeof cache, "%s/cache", mock_folder);
    setenv("CHAAC_PJRT_CACHE_DIR", cache, 1);
    setenv("CHAAC_CACHE_DIR", "off", 1);
    mock_host_copy("name=disk", plugin[0]);
    mock_host_copy("name=disk", plugin[1]);
    ch_set_log(listen, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_second_process_compiles_nothing, begin),
        cmocka_unit_test_setup(what_differs_is_compiled, begin),
        cmocka_unit_test_setup(programs_that_call_handlers, begin),
        cmocka_unit_test_setup(another_plugin, begin),
        cmocka_unit_test_setup(damage, begin),
        cmocka_unit_test_setup(a_program_under_anothers_name, begin),
        cmocka_unit_test_setup(a_plugin_that_does_not_take_it, begin),
        cmocka_unit_test_setup(a_plugin_that_cannot_serialize, begin),
        cmocka_unit_test_setup(links, begin),
        cmocka_unit_test_setup(another_users, begin),
        cmocka_unit_test_setup(open_to_others, begin),
        cmocka_unit_test_setup(full_disk, begin),
        cmocka_unit_test_setup(read_only, begin),
        cmocka_unit_test_setup(no_folder, begin),
        cmocka_unit_test_setup(two_processes, begin),
        cmocka_unit_test_setup(the_caches_list_has_them, begin),
    };
    int failed = cmocka_run_group_tests_name("pjrt disk", tests, NULL, NULL);
    return mock_end_tests() != 0 || failed;
}
