// SPDX-License-Identifier: Apache-2.0
// main.c - a first gradient at run time.     cc main.c $(pkg-config --cflags --libs chaac)
#include <chaac/chaac.h>
#include <stdio.h>

int main(void) {
    float data[] = {1, 2, 3, 4};
    ch_tensor *a = ch_from_f32(data, 2, (int64_t[]){2, 2}); // copied; belongs to the thread's scope
    ch_tensor *y = ch_sum_all(ch_dot(a, a));                // lazy: nothing ran yet
    ch_tensor *g = ch_grad(y, a);                           // lazy too

    float out[4];
    if (ch_read_f32(g, out, 4) != CH_OK) { // runs; the one error check
        fprintf(stderr, "%s\n", ch_error_message());
        return 1;
    }
    printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
    ch_thread_end(); // closes the root scope: nothing is left behind
    return 0;
}
