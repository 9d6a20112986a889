// SPDX-License-Identifier: Apache-2.0
// camera.c - a camera calibrated from points it sees: the Jacobian of a projection whose parameters are a struct.
#include <chaac/grad.h>
#include <math.h>
#include <stdio.h>

struct camera {
    double turn[3], at[3], focal, bend;
};

static void rotate(const double r[3], const double p[3], double out[3]) {
    double sq = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], c[3];
    c[0] = r[1] * p[2] - r[2] * p[1];
    c[1] = r[2] * p[0] - r[0] * p[2];
    c[2] = r[0] * p[1] - r[1] * p[0];
    double a = sq > 1e-12 ? sin(sqrt(sq)) / sqrt(sq) : 1.0, b = sq > 1e-12 ? (1.0 - cos(sqrt(sq))) / sq : 0.5;
    double dot = r[0] * p[0] + r[1] * p[1] + r[2] * p[2];
    for (int i = 0; i < 3; i++) out[i] = p[i] * (1.0 - b * sq) + a * c[i] + b * dot * r[i];
}

void project(const struct camera *cam, CH_CONST const double point[3], CH_OUT double pixel[2]);
void project(const struct camera *cam, const double point[3], double pixel[2]) {
    double d[3], q[3];
    for (int i = 0; i < 3; i++) d[i] = point[i] - cam->at[i];
    rotate(cam->turn, d, q);
    double u = q[0] / q[2], v = q[1] / q[2], far = 1.0 + cam->bend * (u * u + v * v);
    pixel[0] = cam->focal * far * u;
    pixel[1] = cam->focal * far * v;
}

// The eight numbers of *cam in the order of the struct.
CH_JACOBIAN(project, cam)
void project_jac(const struct camera *cam, const double point[3], double pixel[2], double J[2][8]);

enum { SEEN = 30 };

static void solve(double a[8][8], double b[8]) {
    for (int k = 0; k < 8; k++)
        for (int i = k + 1; i < 8; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < 8; j++) a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    for (int k = 7; k >= 0; k--) {
        for (int j = k + 1; j < 8; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

int main(void) {
    const struct camera truth = {{0.1, -0.2, 0.05}, {0.3, -0.1, -4.0}, 1.8, 0.1};
    struct camera cam = {{0, 0, 0}, {0, 0, -5.0}, 1.5, 0};
    double point[SEEN][3], seen[SEEN][2], error = 0;
    for (int i = 0; i < SEEN; i++) {
        point[i][0] = sin(1.3 * i), point[i][1] = cos(2.1 * i), point[i][2] = sin(0.7 * i + 1.0);
        project(&truth, point[i], seen[i]);
    }
    for (int step = 0; step < 20; step++) { // Gauss-Newton
        double a[8][8] = {{0}}, b[8] = {0};
        error = 0;
        for (int i = 0; i < SEEN; i++) {
            double pixel[2], J[2][8];
            project_jac(&cam, point[i], pixel, J); // fills pixel too
            for (int k = 0; k < 2; k++) {
                double r = seen[i][k] - pixel[k];
                error += r * r;
                for (int m = 0; m < 8; m++) {
                    b[m] += J[k][m] * r;
                    for (int n = 0; n < 8; n++) a[m][n] += J[k][m] * J[k][n];
                }
            }
        }
        for (int m = 0; m < 8; m++) a[m][m] *= 1.0 + 1e-9;
        solve(a, b);
        for (int m = 0; m < 3; m++) cam.turn[m] += b[m], cam.at[m] += b[3 + m];
        cam.focal += b[6];
        cam.bend += b[7];
    }
    printf("focal length %.6f, distortion %.6f, at (%.4f, %.4f, %.4f), error %.1e\n", cam.focal, cam.bend, cam.at[0],
           cam.at[1], cam.at[2], error);
    return !(error < 1e-16);
}
