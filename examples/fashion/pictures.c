// SPDX-License-Identifier: Apache-2.0
// pictures.c - SVG by hand: a curve, and a grid of images. Images are embedded as PNG (grey, stored without
// compression), which every viewer of SVG shows.
#include "pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curves.h"

static int finish(FILE *f) {
    fprintf(f, "</svg>\n");
    int bad = ferror(f);
    return fclose(f) != 0 || bad ? -1 : 0;
}

// ---- the curve: of the command's drawing
int draw_loss(const char *path, const double *loss, int n, const double *accuracy, int epochs) {
    FILE *f = fopen(path, "w");
    double *x = malloc(((size_t)n + 1) * sizeof *x);
    mark *marks = malloc(((size_t)epochs + 1) * sizeof *marks);
    int bad = f == NULL || x == NULL || marks == NULL;
    for (int i = 0; !bad && i < n; i++) x[i] = i + 1;
    for (int e = 0; !bad && e < epochs; e++) {
        marks[e].x = (double)n * (e + 1) / epochs;
        snprintf(marks[e].text, sizeof marks[e].text, "test %.2f %%", 100 * accuracy[e]);
    }
    if (!bad) {
        const curve curves[] = {{.style = CURVE_FAINT, .n = n, .x = x, .y = loss},
                                {.style = CURVE_LINE, .n = n, .x = x, .y = loss, .smooth = 0.97}};
        const panel loss_panel = {.title = "training loss", .n = 2, .curves = curves, .low = 0, .high = 2.5};
        draw_curves(f, "Fashion-MNIST, 784-128-10", "step", 1, &loss_panel, epochs, marks);
        bad = ferror(f);
    }
    if (f != NULL && fclose(f) != 0) bad = 1;
    free(x);
    free(marks);
    return bad ? -1 : 0;
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
