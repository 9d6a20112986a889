// SPDX-License-Identifier: Apache-2.0
// main.c - trains a network to read digits in a program that has no allocator and no files: step.c and guess.c are made
// by the Makefile from network.ir, its gradient and update.ir. A board has its own put() (console.c).
//
// The pictures are drawn here: ten shapes of 8 by 8 points, moved by one point at random, one point in 25 wrong.
#include <stdint.h>

#include "guess.h"
#include "step.h"

enum { POINTS = 64, HIDDEN = 32, DIGITS = 10, BATCH = 32, STEPS = 2000, TRIES = 1000 };

void put(char c); // console.c

// One row of points a byte.
static const unsigned char shapes[DIGITS][8] = {
    {0x3c, 0x66, 0x66, 0x6e, 0x76, 0x66, 0x66, 0x3c}, {0x18, 0x38, 0x18, 0x18, 0x18, 0x18, 0x18, 0x7e},
    {0x3c, 0x66, 0x06, 0x0c, 0x18, 0x30, 0x60, 0x7e}, {0x3c, 0x66, 0x06, 0x1c, 0x06, 0x06, 0x66, 0x3c},
    {0x0c, 0x1c, 0x3c, 0x6c, 0x7e, 0x0c, 0x0c, 0x0c}, {0x7e, 0x60, 0x60, 0x7c, 0x06, 0x06, 0x66, 0x3c},
    {0x3c, 0x66, 0x60, 0x7c, 0x66, 0x66, 0x66, 0x3c}, {0x7e, 0x06, 0x0c, 0x0c, 0x18, 0x18, 0x30, 0x30},
    {0x3c, 0x66, 0x66, 0x3c, 0x66, 0x66, 0x66, 0x3c}, {0x3c, 0x66, 0x66, 0x66, 0x3e, 0x06, 0x66, 0x3c},
};

static float w1[POINTS * HIDDEN], b1[HIDDEN], w2[HIDDEN * DIGITS], b2[DIGITS];
static float m1[POINTS * HIDDEN], c1[HIDDEN], m2[HIDDEN * DIGITS], c2[DIGITS]; // momentum
static uint32_t random_state = 1;

static uint32_t below(uint32_t n) {
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * n >> 24);
}

static void draw(int digit, float *x) {
    int right = (int)below(3) - 1, down = (int)below(3) - 1;
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++) {
            int y = r - down, from = c - right;
            int on = y >= 0 && y < 8 && from >= 0 && from < 8 && (shapes[digit][y] >> (7 - from) & 1);
            x[r * 8 + c] = below(25) == 0 ? (float)!on : (float)on;
        }
}

static void start(float *w, int n, float most) {
    for (int i = 0; i < n; i++) w[i] = most * ((float)below(20001) / 10000.0f - 1.0f);
}

static void say(const char *s) {
    while (*s != '\0') put(*s++);
}

static void say_number(int n) {
    char digits[12];
    int k = 0;
    do digits[k++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (k > 0) put(digits[--k]);
}

static int train(void) {
    static float x[BATCH * POINTS];
    static int32_t y[BATCH];
    for (int step_number = 1; step_number <= STEPS; step_number++) {
        float loss;
        for (int i = 0; i < BATCH; i++) {
            y[i] = (int32_t)below(DIGITS);
            draw((int)y[i], x + i * POINTS);
        }
        if (step(x, y, w1, b1, w2, b2, m1, c1, m2, c2, 0.1f, &loss) != 0) return 1;
        if (step_number % 500 != 0) continue;
        say("step ");
        say_number(step_number);
        say(loss < 0.25f ? ": the loss is below a quarter\n" : ": the loss is above a quarter\n");
    }
    return 0;
}

int main(void) {
    static float x[POINTS];
    int right = 0;
    start(w1, POINTS * HIDDEN, 0.125f);
    start(w2, HIDDEN * DIGITS, 0.177f);
    if (train() != 0) return 1;
    for (int i = 0; i < TRIES; i++) {
        int64_t digit;
        int drawn = (int)below(DIGITS);
        draw(drawn, x);
        if (guess(x, w1, b1, w2, b2, &digit) != 0) return 1;
        right += digit == drawn;
    }
    say("of 1000 new pictures at least 950 are read: ");
    say(right >= 950 ? "yes\n" : "no\n");
    say("bytes of memory for a step: ");
    say_number(STEP_ARENA_BYTES);
    put('\n');
    return right >= 950 ? 0 : 1;
}
