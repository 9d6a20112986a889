/* SPDX-License-Identifier: Apache-2.0 */
/* workspace_main.h - runs the derivatives of workspace.c in exactly as much memory as they ask for. */
#include <stdio.h>
#include <string.h>

#define ALLOCATING
#include "workspace.c"

enum { GUARD = 64 };
static char *memory(size_t n) { /* with bytes around it that have to stay */
    char *p = malloc(n + 2 * GUARD);
    memset(p, 0xa5, n + 2 * GUARD);
    return p + GUARD;
}
static int stays(char *p, size_t n) {
    int ok = 1;
    for (int i = 1; i <= GUARD; i++) ok = ok && p[-i] == (char)0xa5 && p[n + (size_t)i - 1] == (char)0xa5;
    free(p - GUARD);
    return ok;
}
static size_t wanted;
void too_small(size_t bytes);
void too_small(size_t bytes) { wanted = bytes; }

static int one(int n, unsigned short turns) {
    double x[64], d[64], other[64], v[64], h[64], hv[64];
    for (int i = 0; i < n; i++) x[i] = sin(i + 1.0), v[i] = cos(2.0 * i);
    size_t size = chain_vg_wsize(n, turns);
    char *work = memory(size);
    double value = chain_vg(n, turns, x, d, work), o = chain_other(n, turns, x, other);
    int ok = memcmp(&value, &o, sizeof o) == 0 && memcmp(d, other, (size_t)n * sizeof *d) == 0 && stays(work, size);
    size = chain_grad_wsize(n, turns);
    work = memory(size);
    memset(d, 0, sizeof d);
    chain_grad(n, turns, x, d, work, size);
    ok = ok && wanted == 0 && memcmp(d, other, (size_t)n * sizeof *d) == 0;
    chain_grad(n, turns, x, d, work, size - 1);
    ok = ok && wanted == size && stays(work, size);
    wanted = 0;
    size = chain_hvp_wsize(n, turns);
    work = memory(size);
    chain_hvp(n, turns, x, v, hv, work);
    chain_other_hvp(n, turns, x, v, h);
    return ok && memcmp(h, hv, (size_t)n * sizeof *h) == 0 && stays(work, size) && wanted == 0;
}

int main(void) {
    double d;
    square_grad(3.0, &d, NULL);
    int ok = d == 6.0 && square_grad_wsize() == 0;
    for (int n = 1; n <= 64 && ok; n++)
        for (unsigned short turns = 0; turns < 4 && ok; turns++)
            if (!(ok = one(n, turns))) printf("n = %d, %d turns\n", n, turns);
    ok = ok && chain_vg_wsize(-5, 3) < 1024;
    puts(ok ? "the same bits, in the memory given" : "wrong");
    return !ok;
}
