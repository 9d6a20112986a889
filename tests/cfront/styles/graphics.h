/* SPDX-License-Identifier: Apache-2.0 */
/* graphics.h - the types of graphics.c. */
#ifndef GRAPHICS_H
#define GRAPHICS_H
typedef struct vec3 {
    float x, y, z;
} vec3;
typedef struct {
    vec3 o, d;
} ray_t;
typedef struct {
    float m[4][4];
} mat4;
typedef struct {
    float w;
    vec3 v;
} quat;
enum shape_kind { SPHERE, BOX, TORUS };
typedef struct {
    enum shape_kind kind;
    vec3 c;
    float r, r2;
} shape;
#endif
