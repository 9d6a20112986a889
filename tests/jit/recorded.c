// SPDX-License-Identifier: Apache-2.0
// recorded.c - cases of the jit: what is recorded, what is frozen, what is refused while recording.
#include "jit_test.h"

#include <sys/stat.h>
#include <unistd.h>

static ch_status nothing(ARGS) {
    UNUSED;
    jit_runs++;
    for (int i = 0; i < n_out; i++) out[i] = in[i];
    return CH_OK;
}

static void case_20(void) {
    ch_jit *j = jit_make(nothing, NULL, 0);
    OK(ch_jit_call(j, 0, NULL, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        FAILS(ch_jit_call(j, 0, NULL, 0, NULL, NULL), "jit_empty",
              "jit 'j' call 2: the function builds and assigns nothing");
    ch_jit_destroy(j);
}

static ch_status realizes_old(ARGS) {
    UNUSED;
    return ch_realize(user);
}

static void case_21(void) {
    ch_tensor *old = ch_add(VEC(1, 2), NUM(1));
    ch_jit *j = jit_make(realizes_old, old, 0);
    OK(ch_jit_call(j, 0, NULL, 0, NULL, NULL));
    FAILS(ch_jit_call(j, 0, NULL, 0, NULL, NULL), "jit_empty", "call 2");
    HAS(old, 2, 3);
    ch_jit_destroy(j);
}

static ch_status plus(ARGS) {
    UNUSED;
    out[0] = ch_add(in[0], NUM(1));
    return CH_OK;
}

static ch_status calls_inner(ARGS) {
    UNUSED;
    CH_TRY(ch_jit_call(user, 1, in, 0, NULL, out));
    return CH_OK;
}

static void case_22(void) {
    ch_jit *inner = jit_make(plus, NULL, 1), *outer = jit_make(calls_inner, inner, 1);
    ch_tensor *x = NUM(1), *out[1] = {NULL};
    for (int i = 0; i < 2; i++)
        FAILS(ch_jit_call(outer, 1, &x, 0, NULL, out), "jit_nested",
              "jit 'j' call 1: it is called inside the function of jit 'j' — call its function instead");
    ch_jit_destroy(outer);
    ch_jit_destroy(inner);
}

static void case_23(void) {
    ch_jit *inner = jit_make(plus, NULL, 1), *outer = jit_make(calls_inner, inner, 1);
    ch_tensor *x = NUM(1), *out[1] = {NULL}, *mine[1] = {NULL};
    for (int i = 0; i < 3; i++) OK(ch_jit_call(inner, 1, &x, 0, NULL, mine));
    FAILS(ch_jit_call(outer, 1, &x, 0, NULL, out), "jit_nested", "it is called inside the function of jit 'j'");
    OK(ch_jit_call(inner, 1, &x, 0, NULL, mine));
    HAS(mine[0], 2);
    ch_release(mine[0]);
    ch_jit_destroy(outer);
    ch_jit_destroy(inner);
}

static ch_jit *itself;
static ch_status calls_itself(ARGS) {
    UNUSED;
    CH_TRY(ch_jit_call(itself, 1, in, 0, NULL, out));
    return CH_OK;
}

static void case_63(void) {
    itself = jit_make(calls_itself, NULL, 1);
    ch_tensor *x = NUM(1), *out[1] = {NULL};
    FAILS(ch_jit_call(itself, 1, &x, 0, NULL, out), "jit_busy",
          "jit 'j' call 1: it is called from inside its own function");
    ch_jit_destroy(itself);
}

static ch_status resets(ARGS) {
    UNUSED;
    out[0] = ch_add(in[0], NUM(1));
    if (user != NULL) return ch_jit_reset(itself);
    ch_jit_destroy(itself); // says so and does nothing
    CHECK(strcmp(ch_error_id(), "jit_reset_in_body") == 0);
    return CH_OK;
}

static void case_64(void) {
    int yes = 1;
    itself = jit_make(resets, &yes, 1);
    ch_tensor *x = NUM(1), *out[1] = {NULL};
    FAILS(ch_jit_call(itself, 1, &x, 0, NULL, out), "jit_reset_in_body",
          "jit 'j' call 1: reset: from inside its own function");
    ch_jit_destroy(itself);
    itself = jit_make(resets, NULL, 1);
    for (int i = 0; i < 4; i++) OK(ch_jit_call(itself, 1, &x, 0, NULL, out));
    HAS(out[0], 2);
    ch_release(out[0]);
    ch_jit_destroy(itself);
}

static int fail_at;
static ch_status fails_after_assigning(ARGS) {
    UNUSED;
    jit_runs++;
    CH_TRY(ch_assign(user, ch_add(user, in[0])));
    if (jit_runs == fail_at) return ch_error_set("internal", "the disk is on fire");
    out[0] = ch_mul(user, NUM(2));
    return CH_OK;
}

static void case_24(void) {
    for (int at = 1; at <= 2; at++) {
        ch_tensor *state = VEC(1, 2), *x = VEC(10, 10), *out[1] = {NULL};
        ch_jit *j = jit_make(fails_after_assigning, state, 1);
        jit_runs = 0;
        fail_at = at;
        if (at == 2) OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        char text[80];
        snprintf(text, sizeof text, "jit 'j' call %d: the function failed: the disk is on fire", at);
        FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_body", text);
        HAS(state, at == 2 ? 11 : 1, at == 2 ? 12 : 2);
        for (int i = at; i < 5; i++) {
            OK(ch_jit_call(j, 1, &x, 0, NULL, out));
            HAS(state, 1 + 10 * i, 2 + 10 * i);
            HAS(out[0], 2 + 20 * i, 4 + 20 * i);
        }
        ch_release(out[0]);
        ch_jit_destroy(j);
    }
}

static int reads;
static ch_status reads_values(ARGS) {
    UNUSED;
    ch_tensor *y = ch_mul(in[0], NUM(2));
    double value;
    ch_tensor *what = reads == 0 ? y : reads == 1 ? (ch_tensor *)user : in[0];
    if (reads == 3) {
        what = y;
        CH_TRY(ch_realize(y));
    }
    out[0] = ch_add(y, user);
    return ch_item(what, &value);
}

static void case_25(void) {
    for (reads = 0; reads < 4; reads++) {
        ch_tensor *w = NUM(5), *x = NUM(3), *out[1] = {NULL};
        ch_jit *j = jit_make(reads_values, w, 1);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(out[0], 11);
        for (int i = 0; i < 2; i++)
            FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_read_in_capture",
                  "jit 'j' call 2: item: the function is being recorded");
        CHECK(!ch_jit_captured(j));
        HAS(w, 5);
        ch_release(out[0]);
        ch_jit_destroy(j);
    }
}

static float host[2] = {1, 2};
static ch_status uploads(ARGS) {
    UNUSED;
    out[0] = ch_add(in[0], ch_from_f32(host, 1, (int64_t[]){2}));
    return CH_OK;
}

static void case_26(void) {
    ch_jit *j = jit_make(uploads, NULL, 1);
    ch_tensor *x = VEC(0, 0), *out[1] = {NULL};
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    host[0] = 7;
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_capture_differs",
          "jit 'j' call 2: the function built something else");
    host[0] = 1;
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    host[0] = 7; // copied and frozen
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    HAS(out[0], 1, 2);
    OK(ch_jit_set_mode(j, CH_JIT_CHECK));
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_capture_differs", "result 0: element 0 is 1, the function gives 7");
    OK(ch_jit_set_mode(j, CH_JIT_REPLAY));
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static int factor;
static ch_status host_factor(ARGS) {
    UNUSED;
    out[0] = user == NULL ? ch_mul(in[0], NUM(factor)) : factor > 1 ? ch_neg(in[0]) : ch_exp(in[0]);
    return CH_OK;
}

static void case_27(void) {
    int branches = 1;
    for (int kind = 0; kind < 2; kind++) {
        ch_jit *j = jit_make(host_factor, kind == 0 ? NULL : &branches, 1);
        ch_tensor *x = NUM(0), *out[1] = {NULL};
        factor = 1;
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        factor = 2;
        FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_capture_differs", "call 2");
        factor = 1;
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        factor = 2;
        x = NUM(1);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out)); // frozen
        OK(ch_jit_set_mode(j, CH_JIT_CHECK));
        FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_capture_differs", "result 0: element 0");
        factor = 1;
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        OK(ch_jit_set_mode(j, CH_JIT_REPLAY));
        ch_release(out[0]);
        ch_jit_destroy(j);
    }
}

static ch_status counted(ARGS) {
    UNUSED;
    jit_runs++;
    out[0] = ch_add(in[0], NUM(1));
    return CH_OK;
}

static void case_28(void) {
    ch_jit *j = jit_make(counted, NULL, 1);
    for (int i = 0; i < 7; i++) ch_release(jit_call1(j, NUM(i)));
    CHECK(jit_runs == 2);
    ch_jit_destroy(j);
}

static ch_status constants(ARGS) {
    UNUSED;
    out[0] = ch_full(CH_F32, 4, 1, (int64_t[]){2});
    out[1] = NUM(7);
    return CH_OK;
}

static void case_85(void) {
    ch_jit *j = jit_make(constants, NULL, 2);
    ch_tensor *out[2] = {NULL}, *x = NUM(1);
    for (int i = 0; i < 4; i++) {
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(out[0], 4, 4);
        HAS(out[1], 7);
    }
    ch_release(out[0]);
    ch_release(out[1]);
    ch_jit_destroy(j);
}

static ch_status three(ARGS) {
    UNUSED;
    out[0] = ch_add(in[0], NUM(1));
    out[1] = ch_mul(in[0], NUM(2));
    out[2] = ch_neg(in[0]);
    return CH_OK;
}

static void case_40(void) {
    ch_jit *j = jit_make(three, NULL, 3);
    ch_tensor *out[3] = {NULL};
    for (int i = 0; i < 4; i++) {
        ch_tensor *x = VEC(i, 5);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(out[0], i + 1, 6);
        HAS(out[1], 2 * i, 10);
        HAS(out[2], -i, -5);
    }
    for (int i = 0; i < 3; i++) ch_release(out[i]);
    ch_jit_destroy(j);
}

static ch_status chain(ARGS) {
    UNUSED;
    out[0] = in[0];
    for (int i = 0; i < 100; i++) {
        out[0] = ch_add(out[0], NUM(1));
        CH_TRY(ch_realize(out[0]));
    }
    return CH_OK;
}

static void case_50(void) {
    ch_jit *j = jit_make(chain, NULL, 1);
    for (int i = 0; i < 4; i++) {
        ch_tensor *y = jit_call1(j, VEC(i, 0));
        HAS(y, 100 + i, 100);
        ch_release(y);
    }
    ch_jit_destroy(j);
}

static ch_status pauses(ARGS) {
    UNUSED;
    ch_jit_pause();
    CH_TRY(ch_assign(user, ch_add(user, NUM(1))));
    CH_TRY(ch_realize(user));
    ch_jit_resume();
    out[0] = ch_add(in[0], NUM(1));
    return CH_OK;
}

static void case_52(void) {
    ch_tensor *side = NUM(0);
    ch_jit *j = jit_make(pauses, side, 1);
    for (int i = 0; i < 6; i++) {
        ch_tensor *y = jit_call1(j, NUM(i));
        HAS(y, i + 1);
        ch_release(y);
        HAS(side, i < 2 ? i + 1 : 2);
    }
    ch_jit_destroy(j);
}

static void case_58(void) {
    setenv("CHAAC_CC", "/nowhere/cc", 1); // nothing is looked for
    ch_jit *j = ch_jit_create("j", plus, NULL, 1);
    CHECK(j != NULL);
    ch_jit_destroy(j);
    CHECK(ch_jit_create(NULL, plus, NULL, 1) == NULL);
    CHECK(strstr(ch_error_message(), "jit_create: the name is NULL") != NULL);
    CHECK(ch_jit_create("j", NULL, NULL, 1) == NULL);
    CHECK(ch_jit_create("j", plus, NULL, -1) == NULL);
}

static void case_86(void) {
    ch_jit *j = jit_make(counted, NULL, 1);
    for (int i = 0; i < 3; i++) ch_release(jit_call1(j, NUM(i)));
    OK(ch_jit_set_mode(j, CH_JIT_EAGER));
    for (int i = 0; i < 3; i++) {
        ch_tensor *y = jit_call1(j, NUM(i));
        HAS(y, i + 1);
        ch_release(y);
    }
    CHECK(jit_runs == 5 && ch_jit_captured(j));
    OK(ch_jit_set_mode(j, CH_JIT_REPLAY));
    ch_release(jit_call1(j, NUM(1)));
    CHECK(jit_runs == 5);
    ch_jit_destroy(j);
}

// Loops, branches and gradients are recorded like anything else.
static ch_status twice(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_mul(in[1], NUM(2));
    return CH_OK;
}
static ch_status learns(ARGS) {
    UNUSED;
    ch_tensor *w = user, *y[1];
    ch_for(ch_scalar(CH_I64, 0), ch_scalar(CH_I64, 2), ch_scalar(CH_I64, 1), twice, NULL, 1, (ch_tensor *[]){w}, y);
    ch_tensor *error = ch_sub(y[0], in[0]), *loss = ch_sum_all(ch_mul(error, error)); // (4 w - x)^2
    CH_TRY(ch_assign(w, ch_sub(w, ch_mul(NUM(0.015625f), ch_grad(loss, w)))));        // w - (8/64)(4 w - x)
    out[0] = loss;
    return CH_OK;
}

static void case_93(void) {
    ch_tensor *w = VEC(0, 8), *out[1] = {NULL};
    ch_jit *j = jit_make(learns, w, 1);
    double a = 0, b = 8;
    for (int i = 0; i < 5; i++) {
        ch_tensor *x = VEC(8, 0);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(out[0], (4 * a - 8) * (4 * a - 8) + 16 * b * b);
        a -= (4 * a - 8) / 8;
        b -= 4 * b / 8;
        HAS(w, a, b);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
}

// ---- whatever is chosen or compiled is so in call 2: the compiler is a script that counts its runs
static ch_status product_and_norm(ARGS) {
    UNUSED;
    out[0] = ch_softmax(ch_dot(in[0], in[0]), -1);
    return CH_OK;
}

static int lines_of(const char *path) {
    FILE *f = fopen(path, "r");
    int n = 0;
    for (int c; f != NULL && (c = fgetc(f)) != EOF;) n += c == '\n';
    if (f != NULL) fclose(f);
    return n;
}

static void case_57(void) {
    char folder[] = "/tmp/chaac-jit-XXXXXX", script[64], log[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(script, sizeof script, "%s/cc", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    FILE *f = fopen(script, "w");
    CHECK(f != NULL);
    fprintf(f, "#!/bin/sh\necho run >>%s\nexec cc \"$@\"\n", log);
    CHECK(fclose(f) == 0 && chmod(script, 0700) == 0);
    CHECK(setenv("CHAAC_CC", script, 1) == 0 && setenv("CHAAC_CACHE_DIR", "off", 1) == 0);
    bool native = strcmp(jit_engine, "native") == 0;
    ch_jit *j = jit_make(product_and_norm, NULL, 1);
    ch_tensor *x = ch_ones(CH_F32, 2, (int64_t[]){96, 96}), *out[1] = {NULL};
    CHECK(lines_of(log) == 0);
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    CHECK(lines_of(log) == 0); // call 1 is interpreted
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    int runs = lines_of(log);
    CHECK(native ? runs > 0 : runs == 0);
    for (int i = 0; i < 10; i++) OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    CHECK(lines_of(log) == runs);
    ch_release(out[0]);
    ch_jit_destroy(j);
    remove(script);
    remove(log);
    rmdir(folder);
}

const jit_case jit_recorded[] = {
    {20, "nothing built", case_20},
    {21, "only old tensors realized", case_21},
    {22, "nested, inner not captured", case_22},
    {23, "nested, inner captured", case_23},
    {63, "body calls its own jit", case_63},
    {64, "reset inside the body", case_64},
    {24, "error inside the body", case_24},
    {25, "reading values in the body", case_25},
    {26, "host upload in the body", case_26},
    {27, "host constants and branches", case_27},
    {28, "side effects", case_28},
    {85, "output independent of the inputs", case_85},
    {40, "several outputs", case_40},
    {50, "100 realized in a chain", case_50},
    {52, "capture switched off for a part", case_52},
    {57, "nothing is searched for after call 2", case_57},
    {58, "creation looks for nothing", case_58},
    {86, "switched off by the environment", case_86},
    {93, "loops and gradients", case_93},
    {0, NULL, NULL},
};
