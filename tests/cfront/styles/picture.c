/* SPDX-License-Identifier: Apache-2.0 */
/* picture.c - pictures: borders, sampling, bytes, goto for cleaning up. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
typedef enum border { BORDER_CLAMP, BORDER_WRAP, BORDER_ZERO } border;
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
static inline float pixel(const float *img, int w, int h, int x, int y, border b) {
    switch (b) {
    case BORDER_CLAMP:
        x = MAX(0, MIN(x, w - 1));
        y = MAX(0, MIN(y, h - 1));
        break;
    case BORDER_WRAP:
        x = (x % w + w) % w;
        y = (y % h + h) % h;
        break;
    case BORDER_ZERO:
        if (x < 0 || y < 0 || x >= w || y >= h) return 0.f;
        break;
    }
    return img[y * w + x];
}
static int blur(const float *restrict in, float *restrict out, int w, int h, const float *k, int radius,
                bool horizontal) {
    if (radius <= 0) {
        memcpy(out, in, (size_t)w * h * sizeof *out);
        return 0;
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float acc = 0;
            for (int i = -radius; i <= radius; i++)
                acc += k[i + radius] *
                       (horizontal ? pixel(in, w, h, x + i, y, BORDER_CLAMP) : pixel(in, w, h, x, y + i, BORDER_WRAP));
            out[y * w + x] = acc;
        }
    return 0;
}
static float sample(const float *img, int w, int h, float x, float y) {
    int x0 = (int)floorf(x), y0 = (int)floorf(y);
    float fx = x - x0, fy = y - y0;
    return (1 - fy) *
               ((1 - fx) * pixel(img, w, h, x0, y0, BORDER_ZERO) + fx * pixel(img, w, h, x0 + 1, y0, BORDER_ZERO)) +
           fy * ((1 - fx) * pixel(img, w, h, x0, y0 + 1, BORDER_ZERO) +
                 fx * pixel(img, w, h, x0 + 1, y0 + 1, BORDER_ZERO));
}
float photo_loss(int w, int h, const float src[], const uint8_t dst[], float sigma, const float aff[]) {
    float *tmp = NULL, *bl = NULL, loss = -1.f;
    float kern[7], sum = 0;
    const int rad = (int)ARRAY_LEN(kern) / 2;
    for (int i = -rad; i <= rad; i++) sum += kern[i + rad] = expf(-(float)(i * i) / (2 * sigma * sigma));
    for (size_t i = 0; i < ARRAY_LEN(kern); i++) kern[i] /= sum;
    if (!(tmp = malloc(sizeof(float) * w * h))) goto out;
    if (!(bl = malloc(sizeof(float) * w * h))) goto out;
    if (blur(src, tmp, w, h, kern, rad, true) || blur(tmp, bl, w, h, kern, rad, false)) goto out;
    loss = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float u = aff[0] * x + aff[1] * y + aff[2], v = aff[3] * x + aff[4] * y + aff[5];
            float d = sample(bl, w, h, u, v) - dst[y * w + x] / 255.0f;
            float a = fabsf(d);
            loss += a < 0.1f ? 0.5f * d * d / 0.1f : a - 0.05f;
        }
    loss /= (float)(w * h);
out:
    free(bl);
    free(tmp);
    return loss;
}
