/* SPDX-License-Identifier: Apache-2.0 */
/* graphics.c - vectors, quaternions and matrices of float by value, ray marching, an enum that chooses. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "graphics.h"

#ifdef __cplusplus
extern "C" {
#endif
static inline vec3 v3(float x, float y, float z) { return (vec3){x, y, z}; }
static inline vec3 add(vec3 a, vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec3 sub(vec3 a, vec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vec3 mul(vec3 a, float s) {
    a.x *= s;
    a.y *= s;
    a.z *= s;
    return a;
}
static inline float dot(const vec3 a, const vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline float len(vec3 a) { return sqrtf(dot(a, a)); }
static inline vec3 norm(vec3 a) { return mul(a, 1.0f / len(a)); }
static inline vec3 cross(vec3 a, vec3 b) {
    return (vec3){.x = a.y * b.z - a.z * b.y, .y = a.z * b.x - a.x * b.z, .z = a.x * b.y - a.y * b.x};
}
static vec3 rotate(quat q, vec3 p) {
    vec3 t = mul(cross(q.v, p), 2.0f);
    return add(add(p, mul(t, q.w)), cross(q.v, t));
}
static mat4 mat4_mul(const mat4 *a, const mat4 *b) {
    mat4 r = {0};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 4; ++k) r.m[i][j] += a->m[i][k] * b->m[k][j];
    return r;
}
static float sdf(const shape *s, vec3 p) {
    vec3 q = sub(p, s->c);
    switch (s->kind) {
    case SPHERE: return len(q) - s->r;
    case BOX: {
        float dx = fabsf(q.x) - s->r, dy = fabsf(q.y) - s->r, dz = fabsf(q.z) - s->r;
        float out = len(v3(fmaxf(dx, 0), fmaxf(dy, 0), fmaxf(dz, 0)));
        return out + fminf(fmaxf(dx, fmaxf(dy, dz)), 0.0f);
    }
    case TORUS: {
        float a = hypotf(q.x, q.z) - s->r;
        return sqrtf(a * a + q.y * q.y) - s->r2;
    }
    default: return 1e9f;
    }
}
static float scene(const shape *shapes, int n, vec3 p) {
    float best = INFINITY;
    for (const shape *s = shapes; s != shapes + n; ++s) {
        float d = sdf(s, p);
        if (d < best) best = d;
    }
    return best;
}
float march(int n, const shape shapes[], const ray_t *ray) {
    float t = 0.f;
    int i;
    for (i = 0; i < 64; i++) {
        vec3 p = add(ray->o, mul(ray->d, t));
        float d = scene(shapes, n, p);
        if (d < 1e-4f || t > 50.f) break;
        t += d;
    }
    return t;
}

float shade(quat q, vec3 n, vec3 l, const mat4 *view, const mat4 *proj) {
    mat4 vp = mat4_mul(proj, view);
    vec3 d = norm(rotate(q, n));
    float lam = fmaxf(0.f, dot(d, l));
    float c[3] = {lam, lam * lam, powf(lam, 8.0f)};
    float s = 0;
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) s += c[i] * vp.m[i][3 - i];
    return s;
}
#ifdef __cplusplus
}
#endif
