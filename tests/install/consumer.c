// SPDX-License-Identifier: Apache-2.0
// consumer.c - a program that knows Chaac only through pkg-config: the gradient of x*x*x at 2 is 12.
#include <chaac/chaac.h>
#include <stdio.h>

int main(void) {
    const double two = 2;
    ch_tensor *x = ch_from_f64(&two, 0, NULL);
    ch_tensor *g = ch_grad(ch_mul(ch_mul(x, x), x), x);
    double out = 0;
    if (ch_read_f64(g, &out, 1) != CH_OK) {
        fprintf(stderr, "%s\n", ch_error_message());
        return 1;
    }
    ch_thread_end();
    printf("chaac %s: %g\n", ch_version(), out);
    return out == 12 ? 0 : 1;
}
