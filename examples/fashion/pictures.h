// SPDX-License-Identifier: Apache-2.0
// pictures.h - the demo's pictures as SVG files.
#ifndef FASHION_PICTURES_H
#define FASHION_PICTURES_H

#include <stdint.h>

// The loss after each step, smoothed, with the test accuracy after each epoch; 0: written, -1: not.
int draw_loss(const char *path, const double *loss, int n, const double *accuracy, int epochs);
// n images of 28 x 28 bytes in rows of `columns`, each with its label and what was predicted; wrong ones are marked.
int draw_images(const char *path, const uint8_t *images, const uint8_t *labels, const int64_t *predicted, int n,
                int columns);

#endif
