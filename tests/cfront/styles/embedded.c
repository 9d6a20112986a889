/* SPDX-License-Identifier: Apache-2.0 */
/* embedded.c - filters and a controller on fixed arrays of float, with narrow integers. */
#include <stdint.h>
#include <string.h>
#include <math.h>
#define N_STAGES 3u
#define N_SAMPLES 32
#define CLAMP(x, lo, hi) (((x) < (lo)) ? (lo) : (((x) > (hi)) ? (hi) : (x)))
typedef float f32_t;
typedef struct {
    f32_t b0, b1, b2, a1, a2;
} biquad_coef_t;
typedef struct {
    f32_t z1, z2;
} biquad_state_t;
typedef struct {
    biquad_coef_t c[N_STAGES];
    biquad_state_t s[N_STAGES];
    uint8_t flags;
    uint16_t count;
} filter_t;
static const f32_t window_table[8] = {0.0f, 0.19f, 0.61f, 0.95f, 0.95f, 0.61f, 0.19f, 0.0f};
static f32_t biquad_run(const biquad_coef_t *c, biquad_state_t *s, f32_t x) {
    f32_t y = c->b0 * x + s->z1;
    s->z1 = c->b1 * x - c->a1 * y + s->z2;
    s->z2 = c->b2 * x - c->a2 * y;
    return y;
}
static void filter_init(filter_t *f, const biquad_coef_t coef[N_STAGES]) {
    memset(f, 0, sizeof(*f));
    for (uint8_t i = 0u; i < N_STAGES; i++) { f->c[i] = coef[i]; }
    f->flags |= (1u << 2);
}
f32_t filter_energy(const biquad_coef_t coef[], const f32_t in[]) {
    filter_t f;
    f32_t energy = 0.0f;
    filter_init(&f, coef);
    for (uint16_t k = 0; k < N_SAMPLES; k++) {
        f32_t v = in[k] * window_table[k & 7u];
        for (uint8_t i = 0; i < N_STAGES; i++) v = biquad_run(&f.c[i], &f.s[i], v);
        if (f.flags & 0x04u) energy += v * v;
        f.count++;
    }
    return energy / (f32_t)f.count;
}

typedef struct {
    f32_t kp, ki, kd;
    f32_t integ, prev;
    f32_t lo, hi;
    _Bool sat;
} pid_ctl;
static f32_t pid_step(pid_ctl *p, f32_t err, f32_t dt) {
    p->integ += err * dt;
    p->integ = CLAMP(p->integ, p->lo, p->hi);
    f32_t d = (err - p->prev) / dt;
    p->prev = err;
    f32_t u = p->kp * err + p->ki * p->integ + p->kd * d;
    p->sat = u > p->hi || u < p->lo;
    return CLAMP(u, p->lo, p->hi);
}
f32_t pid_cost(f32_t kp, f32_t ki, f32_t kd) {
    pid_ctl p = {.kp = kp, .ki = ki, .kd = kd, .lo = -2.f, .hi = 2.f};
    f32_t x = 0.f, v = 0.f, cost = 0.f;
    int16_t q15;
    uint8_t nsat = 0;
    for (int t = 0; t < 200; ++t) {
        f32_t e = 1.0f - x;
        f32_t u = pid_step(&p, e, 0.01f);
        v += 0.01f * (u - 0.3f * v);
        x += 0.01f * v;
        nsat += p.sat;
        q15 = (int16_t)(x * 32767.0f);
        if (q15 > 30000)
            cost += 0.5f * e * e;
        else
            cost += e * e;
    }
    return cost + 0.001f * nsat;
}
