// SPDX-License-Identifier: Apache-2.0
// pictures.c - SVG by hand: a curve, and a grid of images. Images are embedded as PNG (grey, stored without
// compression), which every viewer of SVG shows.
#include "pictures.h"

#include <stdio.h>
#include <string.h>

// Whole numbers of tenths: text that no locale changes.
static void coordinate(FILE *f, double v) {
    long tenths = (long)(v * 10 + (v < 0 ? -0.5 : 0.5));
    fprintf(f, "%s%ld.%ld", tenths < 0 ? "-" : "", (tenths < 0 ? -tenths : tenths) / 10,
            (tenths < 0 ? -tenths : tenths) % 10);
}

static int finish(FILE *f) {
    fprintf(f, "</svg>\n");
    int bad = ferror(f);
    return fclose(f) != 0 || bad ? -1 : 0;
}

// ---- the curve
enum { WIDTH = 720, HEIGHT = 400, LEFT = 60, RIGHT = 20, TOP = 40, BOTTOM = 50 };

static double x_of(int i, int n) { return LEFT + (double)(WIDTH - LEFT - RIGHT) * i / (n > 1 ? n - 1 : 1); }
static double y_of(double v, double top) { return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * v / top; }

static void polyline(FILE *f, const double *v, int n, double top, double smooth, const char *style) {
    double mean = n > 0 ? v[0] : 0;
    fprintf(f, "<polyline fill=\"none\" %s points=\"", style);
    for (int i = 0; i < n; i++) {
        mean = smooth * mean + (1 - smooth) * v[i];
        if (i % 4 != 0 && i != n - 1) continue;
        coordinate(f, x_of(i, n));
        fputc(',', f);
        coordinate(f, y_of(mean > top ? top : mean, top));
        fputc(' ', f);
    }
    fprintf(f, "\"/>\n");
}

int draw_loss(const char *path, const double *loss, int n, const double *accuracy, int epochs) {
    FILE *f = fopen(path, "w");
    if (f == NULL) return -1;
    double top = 2.5;
    fprintf(
        f,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
        "<text x=\"%d\" y=\"22\" font-size=\"15\">Fashion-MNIST, 784-128-10: training loss by step</text>\n",
        WIDTH, HEIGHT, LEFT);
    for (int i = 0; i <= 5; i++) {
        double y = y_of(top * i / 5, top);
        fprintf(f, "<line x1=\"%d\" x2=\"%d\" y1=\"", LEFT, WIDTH - RIGHT);
        coordinate(f, y);
        fprintf(f, "\" y2=\"");
        coordinate(f, y);
        fprintf(f, "\" stroke=\"#ddd\"/><text x=\"%d\" y=\"", LEFT - 30);
        coordinate(f, y + 4);
        fprintf(f, "\">%d.%d</text>\n", i / 2, i % 2 * 5);
    }
    polyline(f, loss, n, top, 0, "stroke=\"#c6d8ea\"");
    polyline(f, loss, n, top, 0.97, "stroke=\"#1f5f99\" stroke-width=\"2\"");
    for (int e = 0; e < epochs; e++) {
        double x = x_of((int)((double)n * (e + 1) / epochs) - 1, n);
        int hundredths = (int)(accuracy[e] * 10000 + 0.5);
        fprintf(f, "<line y1=\"%d\" y2=\"%d\" x1=\"", TOP, HEIGHT - BOTTOM);
        coordinate(f, x);
        fprintf(f, "\" x2=\"");
        coordinate(f, x);
        fprintf(f, "\" stroke=\"#bbb\" stroke-dasharray=\"4 3\"/><text text-anchor=\"end\" y=\"%d\" x=\"", TOP + 12);
        coordinate(f, x - 4);
        fprintf(f, "\">test %d.%02d %%</text>\n", hundredths / 100, hundredths % 100);
    }
    fprintf(f, "<text x=\"%d\" y=\"%d\">step (0 to %d)</text>\n", WIDTH / 2 - 40, HEIGHT - 16, n - 1);
    return finish(f);
}

// ---- the images
static uint32_t crc_of(uint32_t crc, const uint8_t *p, size_t n) { // PNG specification, annex D
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
    }
    return crc;
}

static size_t big_endian(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (24 - 8 * i));
    return 4;
}

static size_t chunk(uint8_t *p, const char *type, const uint8_t *data, uint32_t n) {
    big_endian(p, n);
    memcpy(p + 4, type, 4);
    if (n > 0) memcpy(p + 8, data, n);
    big_endian(p + 8 + n, ~crc_of(0xFFFFFFFFu, p + 4, n + 4));
    return 12 + n;
}

enum { SIDE = 28, RAW = SIDE * (SIDE + 1), PNG_BYTES = 8 + 25 + 12 + 2 + 5 + RAW + 4 + 12 };

// Zlib stream of one stored block: 78 01, final, length, its complement, rows (each after a filter byte 0), Adler-32.
static size_t png(uint8_t out[PNG_BYTES], const uint8_t *pixels) {
    uint8_t z[2 + 5 + RAW + 4] = {0x78, 0x01, 1, RAW & 255, RAW >> 8, (uint8_t) ~(RAW & 255), (uint8_t) ~(RAW >> 8)};
    uint32_t a = 1, b = 0;
    for (int i = 0; i < RAW; i++) {
        z[7 + i] = i % (SIDE + 1) == 0 ? 0 : (uint8_t)(255 - pixels[i / (SIDE + 1) * SIDE + i % (SIDE + 1) - 1]);
        a = (a + z[7 + i]) % 65521;
        b = (b + a) % 65521;
    }
    big_endian(z + 7 + RAW, b << 16 | a);
    const uint8_t header[13] = {0, 0, 0, SIDE, 0, 0, 0, SIDE, 8, 0, 0, 0, 0}; // 8 bits, grey
    memcpy(out, "\x89PNG\r\n\x1a\n", 8);
    size_t n = 8;
    n += chunk(out + n, "IHDR", header, sizeof header);
    n += chunk(out + n, "IDAT", z, sizeof z);
    n += chunk(out + n, "IEND", NULL, 0);
    return n;
}

static void base64(FILE *f, const uint8_t *p, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
        fputc(digits[v >> 18], f);
        fputc(digits[v >> 12 & 63], f);
        fputc(i + 1 < n ? digits[v >> 6 & 63] : '=', f);
        fputc(i + 2 < n ? digits[v & 63] : '=', f);
    }
}

int draw_images(const char *path, const uint8_t *images, const uint8_t *labels, const int64_t *predicted, int n,
                int columns) {
    static const char *const names[10] = {"t-shirt", "trouser", "pullover", "dress", "coat",
                                          "sandal",  "shirt",   "sneaker",  "bag",   "boot"};
    FILE *f = fopen(path, "w");
    if (f == NULL) return -1;
    int cell = 104, tall = 122, rows = (n + columns - 1) / columns;
    fprintf(
        f,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
        "<text x=\"10\" y=\"20\" font-size=\"13\">Test images: predicted class; wrong ones in red with the true "
        "class</text>\n",
        columns * cell + 20, rows * tall + 40);
    for (int i = 0; i < n; i++) {
        int x = 10 + i % columns * cell, y = 32 + i / columns * tall;
        int right = predicted[i] == labels[i];
        uint8_t bytes[PNG_BYTES];
        fprintf(f, "<image x=\"%d\" y=\"%d\" width=\"84\" height=\"84\" xlink:href=\"data:image/png;base64,", x + 6, y);
        base64(f, bytes, png(bytes, images + (size_t)i * SIDE * SIDE));
        fprintf(f,
                "\"/>\n<rect x=\"%d\" y=\"%d\" width=\"88\" height=\"88\" fill=\"none\" stroke=\"%s\" "
                "stroke-width=\"%d\"/>\n",
                x + 4, y - 2, right ? "#ccc" : "#c22", right ? 1 : 3);
        fprintf(f, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", x + 6, y + 99, right ? "#222" : "#c22",
                names[predicted[i] % 10]);
        if (!right)
            fprintf(f, "<text x=\"%d\" y=\"%d\" fill=\"#222\">is %s</text>\n", x + 6, y + 111, names[labels[i] % 10]);
    }
    return finish(f);
}
