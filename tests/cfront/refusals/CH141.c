/* SPDX-License-Identifier: Apache-2.0 */
/* CH141.c - calls that are nested too deeply. */
#include <chaac/grad.h>

static double f0(double x) { return x; }
static double f1(double x) { return f0(x) + 1; }
static double f2(double x) { return f1(x) + 2; }
static double f3(double x) { return f2(x) + 3; }
static double f4(double x) { return f3(x) + 4; }
static double f5(double x) { return f4(x) + 5; }
static double f6(double x) { return f5(x) + 6; }
static double f7(double x) { return f6(x) + 7; }
static double f8(double x) { return f7(x) + 8; }
static double f9(double x) { return f8(x) + 9; }
static double f10(double x) { return f9(x) + 10; }
static double f11(double x) { return f10(x) + 11; }
static double f12(double x) { return f11(x) + 12; }
static double f13(double x) { return f12(x) + 13; }
static double f14(double x) { return f13(x) + 14; }
static double f15(double x) { return f14(x) + 15; }
static double f16(double x) { return f15(x) + 16; }
static double f17(double x) { return f16(x) + 17; }
static double f18(double x) { return f17(x) + 18; }
static double f19(double x) { return f18(x) + 19; }
static double f20(double x) { return f19(x) + 20; }
static double f21(double x) { return f20(x) + 21; }
static double f22(double x) { return f21(x) + 22; }
static double f23(double x) { return f22(x) + 23; }
static double f24(double x) { return f23(x) + 24; }
static double f25(double x) { return f24(x) + 25; }
static double f26(double x) { return f25(x) + 26; }
static double f27(double x) { return f26(x) + 27; }
static double f28(double x) { return f27(x) + 28; }
static double f29(double x) { return f28(x) + 29; }
static double f30(double x) { return f29(x) + 30; }
static double f31(double x) { return f30(x) + 31; }
static double f32(double x) { return f31(x) + 32; }
static double f33(double x) { return f32(x) + 33; }
static double f34(double x) { return f33(x) + 34; }
static double f35(double x) { return f34(x) + 35; }
static double f36(double x) { return f35(x) + 36; }
static double f37(double x) { return f36(x) + 37; }
static double f38(double x) { return f37(x) + 38; }
static double f39(double x) { return f38(x) + 39; }
static double f40(double x) { return f39(x) + 40; }
static double f41(double x) { return f40(x) + 41; }
static double f42(double x) { return f41(x) + 42; }
static double f43(double x) { return f42(x) + 43; }
static double f44(double x) { return f43(x) + 44; }
static double f45(double x) { return f44(x) + 45; }
static double f46(double x) { return f45(x) + 46; }
static double f47(double x) { return f46(x) + 47; }
static double f48(double x) { return f47(x) + 48; }
static double f49(double x) { return f48(x) + 49; }
static double f50(double x) { return f49(x) + 50; }
static double f51(double x) { return f50(x) + 51; }
static double f52(double x) { return f51(x) + 52; }
static double f53(double x) { return f52(x) + 53; }
static double f54(double x) { return f53(x) + 54; }
static double f55(double x) { return f54(x) + 55; }
static double f56(double x) { return f55(x) + 56; }
static double f57(double x) { return f56(x) + 57; }
static double f58(double x) { return f57(x) + 58; }
static double f59(double x) { return f58(x) + 59; }
static double f60(double x) { return f59(x) + 60; }
static double f61(double x) { return f60(x) + 61; }
static double f62(double x) { return f61(x) + 62; }
double active(double x) { return f62(x); }
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double inactive(double x) {
    double unread = f62(x);
    if (unread > 0.0) unread = 0.0;
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
