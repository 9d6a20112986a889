// SPDX-License-Identifier: Apache-2.0
// test_io_checkpoint.c - checkpoints: what is put comes back; what is damaged, newer or does not fit is refused; a
// program that is killed at any moment leaves the old file or the new one; training goes on equal to the bit in a new
// process.
#include "chaac/chaac.h"
#include "io_data.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static ch_checkpoint *fresh(void) {
    ch_checkpoint *c = NULL;
    assert_int_equal(ch_checkpoint_create(&c), CH_OK);
    return c;
}

static ch_checkpoint *opened(const char *name) {
    ch_checkpoint *c = NULL;
    if (ch_checkpoint_open(name, &c) != CH_OK) fail_msg("%s", ch_error_message());
    return c;
}

static void fine(ch_status s) {
    if (s != CH_OK) fail_msg("%s", ch_error_message());
}

static void fill(ch_checkpoint *c) {
    fine(ch_checkpoint_put(c, "model", "w", data_tensor(CH_F32, 2, (int64_t[]){2, 3})));
    fine(ch_checkpoint_put(c, "model", "a/b", data_tensor(CH_BF16, 1, (int64_t[]){5})));
    fine(ch_checkpoint_put(c, "optimizer", "w", data_tensor(CH_F64, 0, NULL)));
    fine(ch_checkpoint_put_text(c, "note", "two\nlines \xc3\xa9"));
    fine(ch_checkpoint_put_i64(c, "step", INT64_MIN));
}

static void what_is_put_comes_back(void **state) {
    (void)state;
    ch_checkpoint *c = fresh();
    ch_tensor *t = NULL;
    int64_t step = 0;
    fill(c);
    assert_int_equal(ch_checkpoint_count(c), 3);
    fine(ch_checkpoint_save(c, path));
    size_t n = 0, m = 0;
    char *first = slurp(path, &n);
    fine(ch_checkpoint_save(c, path)); // the same again
    char *second = slurp(path, &m);
    assert_int_equal(n, m);
    assert_memory_equal(first, second, n);
    ch__free(first);
    ch__free(second);
    assert_int_equal(entries(false), 1);
    ch_checkpoint_close(c);
    c = opened(path);
    assert_int_equal(ch_checkpoint_count(c), 3);
    assert_string_equal(ch_checkpoint_name(c, 0), "model/a/b");
    assert_string_equal(ch_checkpoint_name(c, 2), "optimizer/w");
    assert_null(ch_checkpoint_name(c, 3));
    assert_string_equal(ch_checkpoint_text(c, "note"), "two\nlines \xc3\xa9");
    assert_null(ch_checkpoint_text(c, "none"));
    fine(ch_checkpoint_get_i64(c, "step", &step));
    assert_true(step == INT64_MIN);
    fine(ch_checkpoint_get(c, "model", "w", &t));
    unlink(path);
    data_loads(CH_OK, t, CH_F32, 2, 3);
    fine(ch_checkpoint_get(c, "model", "a/b", &t));
    data_loads(CH_OK, t, CH_BF16, 5);
    ch_checkpoint_close(c);
}

// It is a safetensors file like any other.
static void others_can_read_it(void **state) {
    (void)state;
    ch_checkpoint *c = fresh();
    fill(c);
    fine(ch_checkpoint_save(c, path));
    ch_checkpoint_close(c);
    ch_safetensors *f = NULL;
    ch_tensor *t = NULL;
    fine(ch_safetensors_open(path, &f));
    data_loads(ch_safetensors_read(f, "model/w", &t), t, CH_F32, 2, 3);
    assert_string_equal(ch_safetensors_metadata(f, "chaac.checkpoint"), "1");
    assert_string_equal(ch_safetensors_metadata(f, "step"), "-9223372036854775808");
    ch_safetensors_close(f);
}

// Each byte of the file changed: refused, unless it is a blank of the padding that stays one for the reader.
static void every_byte_counts(void **state) {
    (void)state;
    ch_checkpoint *c = fresh();
    fill(c);
    fine(ch_checkpoint_save(c, path));
    ch_checkpoint_close(c);
    size_t n = 0;
    unsigned char *file = (unsigned char *)slurp(path, &n);
    for (size_t at = 0; at < n; at++)
        for (int bit = 0; bit < 8; bit += 3) {
            file[at] ^= (unsigned char)(1 << bit);
            spill(path, file, n);
            ch_status s = ch_checkpoint_open(path, &c);
            if (s == CH_OK) fail_msg("byte %zu, bit %d was not noticed", at, bit);
            assert_true(s == CH_DATA_LOSS || s == CH_UNIMPLEMENTED);
            assert_null(c);
            file[at] ^= (unsigned char)(1 << bit);
        }
    for (size_t cut = 0; cut < n; cut++) {
        spill(path, file, cut);
        assert_int_equal(ch_checkpoint_open(path, &c), CH_DATA_LOSS);
    }
    ch__free(file);
}

static void newer_and_others_are_refused(void **state) {
    (void)state;
    ch_checkpoint *c = NULL;
    ch_tensor *t = data_tensor(CH_F32, 0, NULL);
    static const char *const name = "model/w", *const keys[] = {"chaac.checkpoint", "chaac.crc32"};
    char message[400];
    fine(ch_safetensors_save(path, 1, &name, &t, 0, NULL, NULL));
    snprintf(
        message, sizeof message,
        "checkpoint_open: %s: its metadata have no \"chaac.checkpoint\" — it is a safetensors file, and no checkpoint",
        path);
    failed(ch_checkpoint_open(path, &c), "file_format", message);
    fine(ch_safetensors_save(path, 1, &name, &t, 2, keys, (const char *[]){"2", "00000000"}));
    snprintf(message, sizeof message, "checkpoint_open: %s: version 2 of the form — up to 1 is read", path);
    failed(ch_checkpoint_open(path, &c), "newer_version", message);
    static const char *const wrong[] = {"0", "-1", "", "1.0", "one", "99999999999999999999"};
    for (int i = 0; i < 6; i++) {
        fine(ch_safetensors_save(path, 1, &name, &t, 2, keys, (const char *[]){wrong[i], "00000000"}));
        snprintf(message, sizeof message, "checkpoint_open: %s: \"chaac.checkpoint\" is \"%s\" — it is damaged", path,
                 wrong[i]);
        failed(ch_checkpoint_open(path, &c), "file_format", message);
    }
    fine(ch_safetensors_save(path, 1, &name, &t, 1, keys, (const char *[]){"1"}));
    assert_int_equal(ch_checkpoint_open(path, &c), CH_DATA_LOSS);
    assert_non_null(strstr(ch_error_message(), "it says none — it is damaged"));
    failed(ch_checkpoint_open(NULL, &c), "argument", "checkpoint_open: the path is NULL — give one");
}

static void what_does_not_fit_is_listed(void **state) {
    (void)state;
    ch_checkpoint *c = fresh();
    ch_tensor *t[] = {data_tensor(CH_F32, 1, (int64_t[]){3}), data_tensor(CH_F32, 1, (int64_t[]){4}),
                      data_tensor(CH_I32, 1, (int64_t[]){3})};
    char message[600];
    fine(ch_checkpoint_put(c, "model", "a", t[0]));
    fine(ch_checkpoint_put(c, "model", "b", t[0]));
    fine(ch_checkpoint_put(c, "model", "c", t[0]));
    fine(ch_checkpoint_put(c, "models", "x", t[0]));
    fine(ch_checkpoint_save(c, path));
    ch_checkpoint_close(c);
    c = opened(path);
    fine(ch_checkpoint_match(c, "model", 3, (const char *[]){"c", "a", "b"}, (ch_tensor *[]){t[0], t[0], t[0]}));
    fine(ch_checkpoint_match(c, "none", 0, NULL, NULL));
    snprintf(
        message, sizeof message,
        "checkpoint: %s does not fit: other type: model/\"b\" is f32[3], wanted is f32[4]; other type: model/\"a\" is "
        "f32[3], wanted is i32[3]; missing model/\"d\"; extra model/\"c\"",
        path);
    failed(ch_checkpoint_match(c, "model", 3, (const char *[]){"b", "a", "d"}, (ch_tensor *[]){t[1], t[2], t[0]}),
           "no_param", message);
    // too many for one sentence: counted
    static char names[60][40];
    const char *many[60];
    ch_tensor *like[60];
    for (int i = 0; i < 60; i++) {
        snprintf(names[i], sizeof names[i], "a.rather.long.name.of.a.parameter.%d", i);
        many[i] = names[i];
        like[i] = t[0];
    }
    assert_int_equal(ch_checkpoint_match(c, "model", 60, many, like), CH_NOT_FOUND);
    assert_non_null(strstr(ch_error_message(), "; and "));
    ch_checkpoint_close(c);
}

static void mistakes(void **state) {
    (void)state;
    ch_checkpoint *c = fresh();
    ch_tensor *t = data_tensor(CH_F32, 0, NULL);
    int64_t v = 0;
    char message[300];
    failed(ch_checkpoint_put(NULL, "a", "b", t), "argument", "checkpoint_put: the checkpoint is NULL — give one");
    failed(ch_checkpoint_put(c, "a/b", "b", t), "argument",
           "checkpoint_put: part \"a/b\" — UTF-8 without a slash is allowed");
    failed(ch_checkpoint_put(c, "a", "", t), "argument",
           "checkpoint_put: name \"\" — UTF-8 of at least one byte is allowed");
    failed(ch_checkpoint_put(c, "a", NULL, t), "argument", "checkpoint_put: part or name is NULL — give both");
    assert_int_not_equal(ch_checkpoint_put(c, "a", "b", NULL), CH_OK);
    failed(ch_checkpoint_put_text(c, "chaac.x", "y"), "argument",
           "checkpoint_put: key \"chaac.x\" — UTF-8 (its value too) that does not begin with \"chaac.\" is allowed");
    fine(ch_checkpoint_put(c, "a", "b", t));
    fine(ch_checkpoint_put(c, "a", "b", t));
    failed(ch_checkpoint_save(c, path), "duplicate_name",
           "checkpoint_save: tensor \"a/b\" was put twice — put each once");
    ch_checkpoint_close(c);
    c = fresh();
    fine(ch_checkpoint_put_text(c, "k", "x"));
    failed(ch_checkpoint_get_i64(c, "k", &v), "file_format",
           "checkpoint_get: a new checkpoint: key \"k\" is \"x\" — that is no whole number of 64 bits");
    failed(ch_checkpoint_get_i64(c, "l", &v), "unknown_name", "checkpoint_get: a new checkpoint: no key \"l\"");
    fine(ch_checkpoint_put_text(c, "k", "y"));
    failed(ch_checkpoint_save(c, path), "duplicate_name", "checkpoint_save: key \"k\" was put twice — put each once");
    ch_checkpoint_close(c);
    c = fresh();
    fine(ch_checkpoint_save(c, path));
    ch_checkpoint_close(c);
    c = opened(path);
    assert_int_equal(ch_checkpoint_count(c), 0);
    snprintf(message, sizeof message,
             "checkpoint_put: %s: a checkpoint that was opened — make a new one with checkpoint_create", path);
    failed(ch_checkpoint_put_i64(c, "k", 1), "argument", message);
    snprintf(message, sizeof message,
             "checkpoint_get: %s: no tensor \"b\" in part \"a\" — checkpoint_match lists what is missing", path);
    failed(ch_checkpoint_get(c, "a", "b", &t), "unknown_name", message);
    ch_checkpoint_close(c);
}

// ---- killed at any moment
enum { N = 200000 };

// Saves generation after generation: N floats of it, and its number.
static void save_for_ever(int64_t from) {
    float *x = malloc(N * sizeof *x);
    for (int64_t k = from;; k++) {
        for (int i = 0; i < N; i++) x[i] = (float)k;
        ch_tensor *t = ch_borrow(CH_F32, x, 1, (int64_t[]){N}, NULL, NULL);
        ch_checkpoint *c = NULL;
        if (ch_checkpoint_create(&c) != CH_OK || ch_checkpoint_put(c, "p", "x", t) != CH_OK ||
            ch_checkpoint_put_i64(c, "k", k) != CH_OK || ch_checkpoint_save(c, path) != CH_OK)
            _exit(1);
        ch_checkpoint_close(c);
        ch_thread_end();
    }
}

static int64_t generation(void) {
    ch_checkpoint *c = opened(path);
    ch_tensor *t = NULL;
    int64_t k = 0;
    fine(ch_checkpoint_get_i64(c, "k", &k));
    fine(ch_checkpoint_get(c, "p", "x", &t));
    const float *x = ch_data(t);
    for (int i = 0; i < N; i++) assert_true(x[i] == (float)k);
    ch_release(t);
    ch_checkpoint_close(c);
    return k;
}

static void a_killed_program_leaves_one_of_both(void **state) {
    (void)state;
    enum { KILLS = 60 };
    int64_t last = 0;
    int unfinished = 0;
    for (int i = 0; i < KILLS; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) save_for_ever(last + 1);
        if (i == 0)
            while (!ch__file_exists(path)) nanosleep(&(struct timespec){0, 1000000}, NULL); // the first is there
        // other moments each time: up to 20 ms, by a multiplicative generator
        nanosleep(&(struct timespec){0, 1000 * (long)(((uint64_t)(i + 1) * 48271 % 2147483647) % 20000)}, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status)); // and did not fail by itself
        int64_t k = generation();
        assert_true(k >= last);
        last = k;
        unfinished += entries(false) > 1;
        // what was left beside does not matter, and is swept here only to count it
        char keep[200];
        snprintf(keep, sizeof keep, "%s/keep", folder);
        assert_int_equal(rename(path, keep), 0);
        DIR *d = opendir(folder);
        for (struct dirent *e; (e = readdir(d));)
            if (strncmp(e->d_name, "file", 4) == 0) {
                char name[400];
                snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
                unlink(name);
            }
        closedir(d);
        assert_int_equal(rename(keep, path), 0);
    }
    assert_true(last > 1);       // it came to save
    assert_true(unfinished > 0); // and was killed in the middle of it
}

// ---- training, in another process
#define XOR_ROWS 32
static ch_tensor *xor_x(void) {
    float x[XOR_ROWS * 2];
    for (int i = 0; i < XOR_ROWS; i++) {
        x[2 * i] = (float)(i & 1) + (float)i * 0.01f;
        x[2 * i + 1] = (float)(i >> 1 & 1) - (float)i * 0.02f;
    }
    return ch_from_f32(x, 2, (int64_t[]){XOR_ROWS, 2});
}

static ch_tensor *xor_y(void) {
    int32_t y[XOR_ROWS];
    for (int i = 0; i < XOR_ROWS; i++) y[i] = (i ^ i >> 1) & 1;
    return ch_from_i32(y, 1, (int64_t[]){XOR_ROWS});
}

typedef struct {
    ch_model *model;
    ch_trainer *trainer;
    ch_batches *batches;
} run;

static run begin(int hidden, int optimizer, uint64_t seed) {
    run r = {0};
    const ch_optimizer o = optimizer == 0   ? ch_adam(0.02)
                           : optimizer == 1 ? ch_sgd_momentum(0.1, 0.9)
                                            : ch_lamb(0.01, 0.1);
    const ch_trainer_options options = {
        .struct_size = sizeof options, .average = 0.9, .accumulate = optimizer == 1 ? 3 : 1, .key = ch_key_make(seed)};
    r.model = ch_mlp((int64_t[]){2, hidden, 2}, 3, CH_TANH, ch_key_make(seed));
    assert_non_null(r.model);
    fine(ch_trainer_create_with(r.model, ch_softmax_cross_entropy, o, &options, &r.trainer));
    fine(ch_batches_create(xor_x(), xor_y(), 7, ch_key_make(seed + 1), &r.batches)); // 4 a epoch, 4 rows left over
    return r;
}

static void end(run *r) {
    ch_batches_destroy(r->batches);
    ch_trainer_destroy(r->trainer);
    ch_model_destroy(r->model);
}

// n steps; their losses.
static void train(run *r, int n, double *losses) {
    for (int i = 0; i < n;) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *x, *y;
        if (ch_batch_next(r->batches, &x, &y)) fine(ch_trainer_step(r->trainer, x, y, &losses[i++]));
        fine(ch_scope_end(scope));
    }
}

static const char *program;

// What the new process does: goes on from `from` for 10 steps and saves in `to`.
static int go_on(char **argv) {
    double losses[10];
    run r = begin(5, atoi(argv[4]), 99); // another seed: all of it must come from the file
    if (ch_trainer_load(r.trainer, r.batches, argv[2]) != CH_OK) {
        fprintf(stderr, "%s\n", ch_error_message());
        return 1;
    }
    train(&r, 10, losses);
    fine(ch_trainer_save(r.trainer, r.batches, argv[3]));
    printf("# losses of the new process: %a ... %a\n", losses[0], losses[9]);
    end(&r);
    ch_thread_end();
    return 0;
}

static void training_goes_on_to_the_bit(void **state) {
    (void)state;
    for (int optimizer = 0; optimizer < 3; optimizer++) {
        char half[100], whole[100], resumed[100], kind[2] = {(char)('0' + optimizer), '\0'};
        double losses[20];
        snprintf(half, sizeof half, "%s/half", folder);
        snprintf(whole, sizeof whole, "%s/whole", folder);
        snprintf(resumed, sizeof resumed, "%s/resumed", folder);
        run r = begin(5, optimizer, 7);
        train(&r, 10, losses);
        fine(ch_trainer_save(r.trainer, r.batches, half));
        train(&r, 10, losses + 10);
        fine(ch_trainer_save(r.trainer, r.batches, whole));
        assert_true(losses[0] != losses[19]);
        end(&r);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            execl(program, program, "go-on", half, resumed, kind, (char *)NULL);
            _exit(127);
        }
        int status = 1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        same_files(resumed, whole); // parameters, averages, slots, gathered gradients, step, key, order
    }
}

static void a_checkpoint_that_does_not_fit_changes_nothing(void **state) {
    (void)state;
    double losses[3];
    char before[100], after[100];
    run a = begin(5, 0, 1), b = begin(6, 0, 2);
    train(&a, 3, losses);
    fine(ch_trainer_save(a.trainer, a.batches, path));
    snprintf(before, sizeof before, "%s/before", folder);
    snprintf(after, sizeof after, "%s/after", folder);
    fine(ch_trainer_save(b.trainer, b.batches, before));
    assert_int_equal(ch_trainer_load(b.trainer, b.batches, path), CH_NOT_FOUND);
    assert_string_equal(ch_error_id(), "no_param");
    assert_non_null(strstr(ch_error_message(), "model/\"dense0.weight\" is f32[2,5], wanted is f32[2,6]"));
    assert_non_null(strstr(ch_error_message(), "optimizer/\"dense0.weight."));
    fine(ch_trainer_save(b.trainer, b.batches, after));
    same_files(before, after);
    end(&b);
    b = begin(5, 1, 2);
    failed(ch_trainer_load(b.trainer, b.batches, path), "argument",
           "trainer_load: the checkpoint is of optimizer \"adam\", the trainer has \"sgd\" — make it as it was");
    end(&b);
    b = begin(5, 0, 2);
    ch_batches_destroy(b.batches);
    fine(ch_batches_create(xor_x(), xor_y(), 8, ch_key_make(3), &b.batches));
    failed(ch_trainer_load(b.trainer, b.batches, path), "argument",
           "trainer_load: batches of 7 rows in the checkpoint, these are of 8 — make them as they were");
    // without batches is fine, either way
    fine(ch_trainer_load(b.trainer, NULL, path));
    assert_int_equal(ch_trainer_steps(b.trainer), 3);
    fine(ch_trainer_save(b.trainer, NULL, path));
    fine(ch_trainer_load(a.trainer, NULL, path));
    assert_int_equal(ch_trainer_load(a.trainer, a.batches, path), CH_NOT_FOUND);
    failed(ch_trainer_load(NULL, NULL, path), "argument", "trainer_load: the trainer is NULL — give one");
    failed(ch_trainer_save(NULL, NULL, path), "argument", "trainer_save: the trainer is NULL — give one");
    end(&a);
    end(&b);
}

static ch_status use_all(void) {
    ch_checkpoint *c = NULL;
    ch_tensor *t = NULL, *x = ch_from_f32((float[]){1, 2}, 1, (int64_t[]){2});
    ch_status s = ch_checkpoint_create(&c);
    if (s == CH_OK) s = ch_checkpoint_put(c, "a", "b", x);
    if (s == CH_OK) s = ch_checkpoint_put_i64(c, "k", 1);
    if (s == CH_OK) s = ch_checkpoint_save(c, path);
    ch_checkpoint_close(c);
    c = NULL;
    if (s == CH_OK) s = ch_checkpoint_open(path, &c);
    if (s == CH_OK) s = ch_checkpoint_match(c, "a", 1, (const char *[]){"b"}, &x);
    if (s == CH_OK) s = ch_checkpoint_get(c, "a", "b", &t);
    ch_release(t);
    ch_checkpoint_close(c);
    ch_thread_end();
    return s;
}

static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    ch_thread_end();
    ch_status s;
    int n = 0;
    do {
        ch__alloc_fail_at(++n, false);
        s = use_all();
        ch__alloc_fail_at(0, false);
        if (s != CH_OK && s != CH_RESOURCE_EXHAUSTED) fail_msg("%s", ch_error_message());
        assert_int_equal(ch__alloc_live(), 0);
    } while (s != CH_OK);
    assert_true(n > 30);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(what_is_put_comes_back),
        FILE_TEST(others_can_read_it),
        FILE_TEST(every_byte_counts),
        FILE_TEST(newer_and_others_are_refused),
        FILE_TEST(what_does_not_fit_is_listed),
        FILE_TEST(mistakes),
        FILE_TEST(a_killed_program_leaves_one_of_both),
        FILE_TEST(training_goes_on_to_the_bit),
        FILE_TEST(a_checkpoint_that_does_not_fit_changes_nothing),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    if (argc == 5 && strcmp(argv[1], "go-on") == 0) return go_on(argv);
    program = argv[0];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
