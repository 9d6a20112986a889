// SPDX-License-Identifier: Apache-2.0
// test_modes.c - derivatives with respect to structs, arrays of them, numbers, float; outputs, states, shapes. TAP.
#include "modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int tests, failed;
static void check(const char *name, int ok) {
    tests++;
    failed += !ok;
    printf("%sok %d - modes: %s\n", ok ? "" : "not ", tests, name);
}
static int near(double a, double b) { return fabs(a - b) <= 1e-6 * (1 + fabs(a) + fabs(b)); }

int main(void) {
    struct body b[3] = {{{1, 2}, 0.5f, 1, 2}, {{0.5, -1}, 1.5f, 1, 3}, {{-1, 0.3}, 2.0f, 1, 0.7}}, db[3];
    memset(db, 0, sizeof db);
    db[1].kind = 42;
    double ds, h = 1e-6, v = energy_vg(3, b, 1.3, db, &ds);
    check("value of an array of structs", v == energy(3, b, 1.3));
    struct body c[3];
    int ok = 1;
    for (int i = 0; i < 3; i++) {
        memcpy(c, b, sizeof b);
        c[i].pos[1] += h;
        double up = energy(3, c, 1.3);
        c[i].pos[1] -= 2 * h;
        ok = ok && near((up - energy(3, c, 1.3)) / (2 * h), db[i].pos[1]);
        memcpy(c, b, sizeof b);
        c[i].mass += h;
        ok = ok && near((energy(3, c, 1.3) - v) / h, db[i].mass);
    }
    check("an array of structs", ok && db[1].kind == 42 && near(ds, v / 1.3));
    double sum = 10;
    energy_add(3, b, 1.3, &sum);
    check("CH_ACCUM adds", near(sum, 10 + ds));
    float dk;
    v = of_value_vg(b[0], 2.0f, &db[0], &dk);
    check("a struct by value", v == of_value(b[0], 2.0f) && near(db[0].mass, 1 * 2 * 1.0) &&
                                   near((double)dk, 2 * 2 * 0.5) && near((double)db[0].charge, 2 * 2 * 2.0));
    double state[3] = {0.1, 0.2, 0.3}, other[3] = {0.1, 0.2, 0.3}, t[3];
    step(3, other, 0.5);
    step_jvp(3, state, t, 0.5, 2.0);
    check("a state in place, forward", memcmp(state, other, sizeof state) == 0 && near(t[1], 2.0 * sin(0.2)));
    float x[2] = {1.0f, -3.0f}, y_bar[2] = {1.0f, 2.0f}, total_bar = 10.0f, x_bar[2];
    halves_vjp(2, x, y_bar, &total_bar, x_bar);
    check("float outputs", near((double)x_bar[0], 11) && near((double)x_bar[1], -36));
    double m[8] = {1, 2, 3, 4, 5, 6, 7, 8}, dm[8];
    frobenius_grad(2, m, dm);
    check("CH_SHAPE", dm[0] == 2 && dm[7] == 16);
    double A[2][2] = {{1, 2}, {3, 4}}, p[2] = {5, 6}, H[2][2], dA[2][2];
    quadratic_hess(2, (const double(*)[2])A, p, H);
    quadratic_grad(2, (const double(*)[2])A, p, dA);
    check("matrices",
          H[0][0] == 1 && H[0][1] == 2.5 && H[1][0] == 2.5 && H[1][1] == 4 && dA[0][1] == 15 && dA[1][1] == 18);
    energy_vg(0, b, 1.3, db, &ds);
    check("no elements", ds == 0);
    double at[2] = {3, 4}, out[2] = {0, 0}, turned[2] = {2, -1}, same[2] = {0, 0}, turned_too[2] = {2, -1}, J[5][4];
    int calls = 6, calls_too = 6;
    polar(at, same, turned_too, &calls_too);
    polar_jac(at, out, turned, &calls, J);
    check("a Jacobian fills the outputs",
          memcmp(out, same, sizeof out) == 0 && memcmp(turned, turned_too, sizeof turned) == 0 && calls == calls_too);
    check("rows of a Jacobian: the value, then what is written",
          near(J[1][0], 0.6) && near(J[1][1], 0.8) && J[1][2] == 0 && near(J[2][0], -0.16) && near(J[2][1], 0.12) &&
              near(J[3][0], 1.2) && near(J[3][2], 5) && near(J[4][3], out[1]) && near(J[0][0], J[3][0] + J[4][0]) &&
              near(J[0][2], 5));
    struct body where = {{0.5, 0}, 0.0f, 0, 3}, dwhere;
    memset(db, 0, sizeof db);
    v = moment_vg(3, b, &where, db, &dwhere);
    check("several structs behind a pointer", v == moment(3, b, &where) && near(db[2].mass, 3 * (b[2].pos[0] - 0.5)) &&
                                                  near(db[1].pos[0], 3 * b[1].mass) && near(dwhere.mass, v / 3) &&
                                                  near(dwhere.pos[0], -3 * (b[0].mass + b[1].mass + b[2].mass)));
    float start[2] = {1, 2}, dstart[2];
    double dt;
    v = height_vg(2.0, start, &dt, dstart);
    ok = v == height(2.0, start) && near(dt, -9.81 * 2) && near((double)dstart[1], 16);
    gravity = 1.62;
    sun[1].pos[1] = 10;
    v = height_vg(2.0, start, &dt, dstart);
    check("variables of the file, before and after they change",
          ok && v == height(2.0, start) && near(dt, -1.62 * 2) && near((double)dstart[1], 40));
    printf("1..%d\n", tests);
    return failed > 0;
}
