// SPDX-License-Identifier: Apache-2.0
// main.c - a throw with drag, aimed by its gradient: the time steps once as a loop of the program, once written out.
//     cc main.c $(pkg-config --cflags --libs chaac) -lm
#include <chaac/chaac.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 38 };

static ch_tensor *number(double x) { return ch_scalar(CH_F64, x); }

// One step of h = 0.025: v += h (gravity - 0.24 v), then x += h v. State: x, y, vx, vy after the counter in[0].
static ch_status advance(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    const double pull[2] = {0, -9.81};
    for (int i = 0; i < 2; i++) {
        ch_tensor *x = in[1 + i], *v = in[3 + i];
        ch_tensor *a = ch_sub(number(pull[i]), ch_mul(number(0.24), v));
        out[2 + i] = ch_add(v, ch_mul(number(0.025), a));
        out[i] = ch_add(x, ch_mul(number(0.025), out[2 + i]));
    }
    return CH_OK;
}

// The squared distance to (4.6, 3.05) after a throw from (0, 2) at an angle (radians) and a speed.
static ch_status throw_ball(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    ch_tensor *state[5] = {NULL, number(0), number(2), ch_mul(in[1], ch_cos(in[0])), ch_mul(in[1], ch_sin(in[0]))};
    if (user != NULL) {
        ch_tensor *end[4];
        ch_for(ch_scalar(CH_I64, 0), ch_scalar(CH_I64, STEPS), ch_scalar(CH_I64, 1), advance, NULL, 4, state + 1, end);
        memcpy(state + 1, end, sizeof end);
    } else {
        for (int i = 0; i < STEPS; i++) {
            ch_tensor *next[4];
            CH_TRY(advance(NULL, 5, state, 4, next));
            memcpy(state + 1, next, sizeof next);
        }
    }
    ch_tensor *dx = ch_sub(state[1], number(4.6)), *dy = ch_sub(state[2], number(3.05));
    out[0] = ch_add(ch_mul(dx, dx), ch_mul(dy, dy));
    return CH_OK;
}

static ch_status gradient(void *as_loop, ch_exec **out) {
    ch_func *f, *g;
    CH_TRY(ch_capture(throw_ball, as_loop, "angle: f64[], speed: f64[]", 1, &f));
    CH_TRY(ch_value_and_grad(f, NULL, &g));
    printf("%s: %lld operations with the gradient\n", as_loop != NULL ? "loop" : "written out",
           (long long)ch_func_num_ops(g));
    ch_status s = ch_compile(g, "interp", NULL, out);
    ch_func_destroy(f);
    ch_func_destroy(g);
    return s;
}

static ch_status evaluate(ch_exec *e, const double at[2], double out[3]) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *in[2] = {number(at[0]), number(at[1])}, *results[3] = {NULL};
    CH_TRY(ch_exec_run(e, 2, in, 3, results));
    for (int i = 0; i < 3; i++) {
        CH_TRY(ch_item(results[i], &out[i]));
        ch_release(results[i]);
    }
    return ch_scope_end(scope);
}

static ch_status aim(void) {
    int yes = 1;
    ch_exec *loop, *flat;
    CH_TRY(gradient(&yes, &loop));
    CH_TRY(gradient(NULL, &flat));
    double degree = acos(-1.0) / 180, at[2] = {35.52 * degree, 6.4}, a[3], b[3], miss;
    bool equal = true;
    CH_TRY(evaluate(loop, at, a));
    printf("%.2f degrees, speed %.2f: misses by %.2f\n", at[0] / degree, at[1], sqrt(a[0]));
    do {
        CH_TRY(evaluate(loop, at, a));
        CH_TRY(evaluate(flat, at, b));
        equal = equal && memcmp(a, b, sizeof a) == 0;
        miss = sqrt(a[0]);
        for (int i = 0; i < 2; i++) at[i] -= 0.01 * a[1 + i];
    } while (miss >= 1e-3);
    printf("%.1f degrees, speed %.2f: misses by less than 0.001\n", at[0] / degree, at[1]);
    printf("the two gradients were %s\n", equal ? "equal to the bit all the way" : "different");
    ch_exec_release(loop);
    ch_exec_release(flat);
    return CH_OK;
}

int main(void) {
    ch_status s = aim();
    if (s != CH_OK) fprintf(stderr, "%s\n", ch_error_message());
    ch_thread_end();
    return s == CH_OK ? 0 : 1;
}
