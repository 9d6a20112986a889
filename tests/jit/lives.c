// SPDX-License-Identifier: Apache-2.0
// lives.c - cases of the jit: randomness, reset, lifetime, threads.
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "jit_test.h"

static ch_status plus(ARGS) {
    UNUSED;
    jit_runs++;
    out[0] = ch_add(in[0], NUM(1));
    return CH_OK;
}

static ch_status noise(ARGS) {
    UNUSED;
    ch_tensor *a = ch_rng_key(user), *b = ch_rng_key(user), *zero = ch_scalar(CH_U64, 0);
    out[0] = ch_rng_bits(a, zero, 1, (int64_t[]){2});
    out[1] = ch_rng_bits(b, zero, 1, (int64_t[]){2});
    return CH_OK;
}

static void draw(ch_rng *r, uint32_t got[4], ch_jit *j, ch_tensor **out) {
    if (j == NULL) {
        ch_tensor *eager[2];
        OK(noise(r, 0, NULL, 0, NULL, 2, eager));
        OK(ch_read_bytes(eager[0], got, 8));
        OK(ch_read_bytes(eager[1], got + 2, 8));
        return;
    }
    OK(ch_jit_call(j, 0, NULL, 0, NULL, out));
    OK(ch_read_bytes(out[0], got, 8));
    OK(ch_read_bytes(out[1], got + 2, 8));
}

static void case_43(void) {
    ch_rng *r, *same;
    OK(ch_rng_create(7, &r));
    OK(ch_rng_create(7, &same));
    ch_jit *j = jit_make(noise, r, 2);
    ch_tensor *out[2] = {NULL};
    uint32_t first[4], a[4], b[4];
    for (int i = 0; i < 5; i++) {
        draw(same, b, NULL, NULL);
        draw(r, a, j, out);
        CHECK(memcmp(a, b, sizeof a) == 0);
        CHECK(i == 0 || memcmp(a, first, sizeof a) != 0);
        if (i == 0) memcpy(first, a, sizeof a);
    }
    ch_rng_seed(r, 7); // the sequence begins again
    draw(r, a, j, out);
    CHECK(memcmp(a, first, sizeof a) == 0);
    ch_release(out[0]);
    ch_release(out[1]);
    ch_jit_destroy(j);
    ch_rng_destroy(r);
    ch_rng_destroy(same);
}

static void case_46(void) {
    ch_jit *j = jit_make(plus, NULL, 1);
    ch_tensor *kept = NULL;
    for (int i = 0; i < 4; i++) {
        ch_release(kept);
        kept = jit_call1(j, VEC(i, 1));
    }
    OK(ch_jit_reset(j));
    CHECK(!ch_jit_captured(j));
    for (int i = 0; i < 4; i++) {
        ch_tensor *y = jit_call1(j, VEC(i, 1, 2));
        HAS(y, i + 1, 2, 3);
        ch_release(y);
    }
    CHECK(jit_runs == 4);
    HAS(kept, 4, 2);
    ch_release(kept);
    ch_jit_destroy(j);
}

static void case_53(void) {
    ch_jit *j = jit_make(plus, NULL, 1);
    ch_tensor *out[1] = {NULL};
    OK(ch_jit_free_intermediates(j));
    for (int i = 0; i < 4; i++) OK(ch_jit_call(j, 1, (ch_tensor *[]){NUM(i)}, 0, NULL, out));
    OK(ch_jit_free_intermediates(j));
    OK(ch_jit_free_intermediates(j));
    HAS(out[0], 4);
    OK(ch_jit_call(j, 1, (ch_tensor *[]){NUM(9)}, 0, NULL, out));
    HAS(out[0], 10);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static ch_status counts_and_scales(ARGS) {
    UNUSED;
    ch_tensor **state = user;
    CH_TRY(ch_assign(state[0], ch_add(state[0], NUM(1))));
    out[0] = ch_add(ch_mul(in[0], state[1]), ch_convert(ch_bind_scalar(vars[0]), CH_F32));
    out[1] = state[0];
    return CH_OK;
}

static void case_59(void) {
    char path[] = "/tmp/chaac-jit-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    ch_tensor *state[2] = {VEC(0, 10), NUM(3)}, *out[2] = {NULL}, *again[2] = {NULL};
    ch_var *v = ch_var_create("v", 0, 9);
    ch_bind b = ch_bind_value(v, 4);
    ch_jit *j = jit_make(counts_and_scales, state, 2), *loaded = NULL;
    FAILS(ch_jit_save(j, path), "jit_not_captured", "jit 'j' call 1: save: there is no program yet");
    ch_tensor *x = VEC(1, 2);
    for (int i = 0; i < 3; i++) OK(ch_jit_call(j, 1, &x, 1, &b, out));
    OK(ch_jit_save(j, path));
    OK(ch_jit_load(path, &loaded));
    CHECK(ch_jit_captured(loaded));
    for (int i = 0; i < 3; i++) { // state of its own, from where it was
        b = ch_bind_value(v, i);
        OK(ch_jit_call(loaded, 1, &x, 1, &b, again));
        HAS(again[0], 3 + i, 6 + i);
        HAS(again[1], 4 + i, 14 + i);
    }
    HAS(state[0], 3, 13);
    ch_tensor *bad = VEC(1, 2, 3);
    FAILS(ch_jit_call(loaded, 1, &bad, 1, &b, again), "jit_input_mismatch", "jit 'j' call 6: input 0");
    FAILS(ch_jit_reset(loaded), "jit_loaded", "reset: it came from a file");
    FAILS(ch_jit_set_mode(loaded, CH_JIT_CHECK), "jit_loaded", "set_mode");
    OK(ch_jit_save(loaded, path)); // and on from there
    ch_jit *third = NULL;
    OK(ch_jit_load(path, &third));
    OK(ch_jit_call(third, 1, &x, 1, &b, again));
    HAS(again[1], 7, 17);
    // damaged files are refused, whatever byte it is
    char *text = NULL;
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL && fseek(f, 0, SEEK_END) == 0);
    long n = ftell(f);
    rewind(f);
    text = malloc((size_t)n);
    CHECK(text != NULL && fread(text, 1, (size_t)n, f) == (size_t)n);
    fclose(f);
    for (long at = 8; at < n - 32; at += 7) {
        char was = text[at];
        text[at] = was == '1' ? '7' : '1';
        f = fopen(path, "wb");
        CHECK(f != NULL && fwrite(text, 1, (size_t)n, f) == (size_t)n && fclose(f) == 0);
        ch_jit *damaged = NULL;
        if (ch_jit_load(path, &damaged) == CH_OK) { // a number, a name: still a program
            ch_tensor *r[16] = {NULL};
            if (ch_jit_call(damaged, 1, &x, 1, &b, r) == CH_OK) CHECK(r[0] != NULL);
            for (int i = 0; i < 16; i++) ch_release(r[i]);
            ch_jit_destroy(damaged);
        }
        text[at] = was;
    }
    char *version = NULL; // of the format; a newer library wrote it
    for (long at = 0; version == NULL && at < n - 16; at++)
        if (memcmp(text + at, "\"chaac.jit\":\"1\"", 15) == 0) version = text + at + 13;
    CHECK(version != NULL);
    *version = '9';
    f = fopen(path, "wb");
    CHECK(f != NULL && fwrite(text, 1, (size_t)n, f) == (size_t)n && fclose(f) == 0);
    ch_jit *newer = NULL;
    FAILS(ch_jit_load(path, &newer), "newer_version", "version 9 of the format — this library reads version 1");
    CHECK(newer == NULL);
    free(text);
    FAILS(ch_jit_load("/nowhere/x.jit", &loaded), "file", "/nowhere/x.jit");
    remove(path);
    for (int i = 0; i < 2; i++) {
        ch_release(out[i]);
        ch_release(again[i]);
    }
    ch_jit_destroy(j);
    ch_jit_destroy(loaded);
    ch_jit_destroy(third);
    ch_var_destroy(v);
}

typedef struct {
    ch_jit *j;
    double offset;
    bool fine;
} work;

static ch_status two_inputs(ARGS) {
    UNUSED;
    out[0] = ch_mul(ch_add(in[0], in[1]), NUM(2));
    return CH_OK;
}

static void *calls_often(void *arg) {
    work *w = arg;
    ch_jit *own = w->j == NULL ? jit_make(two_inputs, NULL, 1) : NULL, *j = w->j == NULL ? own : w->j;
    ch_tensor *out[1] = {NULL};
    w->fine = true;
    for (int i = 0; i < 200 && w->fine; i++) {
        ch_scope s = ch_scope_begin();
        double a = w->offset + i, got[2];
        ch_tensor *in[2] = {VEC((float)a, 1), VEC((float)a, 2)};
        w->fine = ch_jit_call(j, 2, in, 0, NULL, out) == CH_OK;
        if (w->fine)
            w->fine = ch_read_f64(ch_convert(out[0], CH_F64), got, 2) == CH_OK && got[0] == 4 * a && got[1] == 6;
        if (ch_scope_end(s) != CH_OK) w->fine = false;
    }
    ch_release(out[0]);
    ch_jit_destroy(own);
    ch_thread_end();
    return NULL;
}

static void race(ch_jit *shared) {
    enum { N = 8 };
    pthread_t threads[N];
    work w[N];
    for (int i = 0; i < N; i++) {
        w[i] = (work){shared, 1000 * i, false};
        CHECK(pthread_create(&threads[i], NULL, calls_often, &w[i]) == 0);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
        CHECK(w[i].fine);
    }
}

static void case_60(void) {
    race(NULL); // each its own, from creation
    ch_jit *j = jit_make(two_inputs, NULL, 1);
    race(j); // one for all, from creation
    race(j); // captured
    ch_jit_destroy(j);
}

static ch_status scaled(ARGS) {
    UNUSED;
    out[0] = ch_mul(in[0], *(ch_tensor **)user);
    return CH_OK;
}

static void case_66(void) {
    ch_scope s = ch_scope_begin();
    ch_tensor *w = NUM(3);
    ch_jit *j = jit_make(scaled, &w, 1);
    for (int i = 0; i < 2; i++) ch_release(jit_call1(j, NUM(i)));
    OK(ch_scope_end(s)); // the jit holds it
    w = NULL;
    ch_tensor *y = jit_call1(j, NUM(5));
    HAS(y, 15);
    ch_release(y);
    ch_jit_destroy(j);
}

static ch_status steps(ARGS) {
    UNUSED;
    out[0] = in[0];
    for (int i = 0; i < 12; i++) {
        out[0] = ch_add(ch_reverse(out[0], 1, (int[]){0}), NUM(1)); // each reads all of the one before
        CH_TRY(ch_realize(out[0]));
    }
    return CH_OK;
}

static void case_69(void) {
    ch_jit *j = jit_make(steps, NULL, 1);
    const int64_t n = 1 << 20;
    ch_tensor *out[1] = {NULL}, *x = ch_zeros(CH_F32, 1, &n);
    OK(ch_realize(x));
    long long before = jit_bytes;
    for (int i = 0; i < 4; i++) OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    CHECK(jit_bytes - before <= (4 + 8) * (1 << 20) + (1 << 19)); // the output, 8 MiB, and the program
    char said[8192] = "", *at;
    FILE *file = fmemopen(said, sizeof said, "w");
    CHECK(file != NULL && ch_jit_explain(j, file) == CH_OK && fclose(file) == 0);
    long long kept = -1, aside = -1;
    CHECK((at = strstr(said, "kept between calls: ")) != NULL &&
          sscanf(at, "kept between calls: %lld bytes for values on the way, %lld bytes set aside", &kept, &aside) == 2);
    CHECK(kept + aside <= 8 << 20);
    if (strcmp(jit_engine, "native") == 0) { // an array on the way, and a line for each kernel
        int kernels = 0, lines = 0;
        CHECK(kept >= 4 << 20);
        CHECK((at = strstr(said, "  native: ")) != NULL && sscanf(at, "  native: %d kernels", &kernels) == 1);
        for (at = said; (at = strstr(at, "\n    kernel  ")) != NULL; at++) lines++;
        CHECK(kernels > 0 && lines == kernels);
    }
    HAS(ch_slice_axis(out[0], 0, 0, 2), 12, 12);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_88(void) {
    int64_t before = 0;
    for (int i = 0; i < 200; i++) {
        ch_jit *j = jit_make(plus, NULL, 1);
        for (int k = 0; k < 3; k++) {
            ch_scope s = ch_scope_begin();
            ch_tensor *y = jit_call1(j, VEC(i, k));
            HAS(y, i + 1, k + 1);
            ch_release(y);
            OK(ch_scope_end(s));
        }
        ch_jit_destroy(j);
        if (i == 20) before = ch__alloc_live();
    }
    CHECK(ch__alloc_live() <= before);
}

static void case_89(void) {
    ch_jit *j = jit_make(plus, NULL, 1);
    ch_tensor *out[1] = {NULL}, *x = VEC(1, 2);
    int64_t bytes = 0, calls = 0;
    for (int i = 0; i < 5000; i++) {
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        if (i == 100) {
            bytes = ch__alloc_live();
            calls = ch__alloc_count();
        }
    }
    CHECK(ch__alloc_live() == bytes);
    if (strcmp(jit_engine, "native") == 0) CHECK(ch__alloc_count() == calls); // nothing is allocated
    HAS(out[0], 2, 3);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

// ---- what results and state have in common runs once in call 1 too: the time is that of one state, or nearly
enum { SHARED = 24 };
static ch_status shared_by_all(ARGS) {
    UNUSED;
    ch_tensor **state = user, *y = in[0];
    for (int i = 0; i < 20; i++) y = ch_sin(y);
    y = ch_sum_all(y);
    for (int i = 0; i < SHARED && state[i] != NULL; i++) CH_TRY(ch_assign(state[i], ch_add(state[i], y)));
    out[0] = ch_neg(in[0]);
    return CH_OK;
}

static double seconds_of_call_1(int n) {
    const int64_t size = 50000;
    ch_tensor *state[SHARED + 1] = {NULL}, *out[1] = {NULL}, *x = ch_ones(CH_F32, 1, &size);
    for (int i = 0; i < n; i++) state[i] = ch_from_f32((float[]){0}, 0, NULL);
    OK(ch_realize(x));
    ch_jit *j = jit_make(shared_by_all, state, 1);
    clock_t began = clock(); // of the processor
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    ch_release(out[0]);
    ch_jit_destroy(j);
    return seconds;
}

static void case_95(void) {
    double one = seconds_of_call_1(1), all = seconds_of_call_1(SHARED);
    CHECK(all < SHARED / 3 * one);
}

const jit_case jit_lives[] = {
    {43, "random numbers", case_43},
    {46, "reset", case_46},
    {53, "free intermediates", case_53},
    {59, "save and load", case_59},
    {60, "threads", case_60},
    {66, "closed-over tensor dropped after capture", case_66},
    {69, "arena", case_69},
    {88, "200 rounds of create, capture, destroy", case_88},
    {89, "5000 replays", case_89},
    {95, "call 1 runs once what is shared", case_95},
    {0, NULL, NULL},
};
