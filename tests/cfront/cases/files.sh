# SPDX-License-Identifier: Apache-2.0
# Several files: callees are found in any of them; what is defined twice, cannot be read or is not C is said so.
cat >a.c <<'EOF'
#include <chaac/grad.h>
double helper(double x);
static double own(double x) { return 2 * x; }
double f(double x) { return own(x) * helper(x); }
CH_VALUE_AND_GRAD(f, x)
double f_vg(double x, double *dx);
EOF
cat >b.c <<'EOF'
static double own(double x) { return x * x; }
double helper(double x);
double helper(double x) { return own(x) + 1; }
EOF
cat >main.c <<'EOF'
#include <stdio.h>
double f_vg(double x, double *dx);
int main(void) {
    double d, v = f_vg(3, &d);
    printf("%g %g\n", v, d);
    return 0;
}
EOF
flags="-- -I$ROOT/include"
chaac grad -o out.c a.c b.c $flags && ${CC:-cc} main.c out.c a.c b.c -I"$ROOT/include" -o main -lm && ./main
chaac grad b.c a.c $flags | grep -c 'double f_vg(double x'
chaac grad a.c $flags
echo 'double helper(double x) { return x; }' >c.c
chaac grad a.c b.c c.c $flags
chaac grad b.c $flags
mkdir folder.c
chaac grad folder.c $flags
printf 'int \377\376 x;\n' >bytes.c
chaac grad bytes.c $flags
: >empty.c
chaac grad empty.c $flags
echo '#include <chaac/grad.h>
double g(double x);
CH_GRADIENT(g, x)
void g_grad(double x, double *dx);' >unknown.c
chaac grad unknown.c $flags
chaac grad a.c b.c -- -I/nowhere -std=c11
chaac grad a.c b.c -- -I"$ROOT/include" -std=c1
# A libclang that is too old, and one that is none.
cat >old.c <<'EOF'
typedef struct { const void *data; unsigned flags; } CXString;
CXString clang_getClangVersion(void) { return (CXString){"Debian clang version 14.0.6", 0}; }
const char *clang_getCString(CXString s) { return s.data; }
void clang_disposeString(CXString s) { (void)s; }
EOF
${CC:-cc} -shared -fPIC -o old.so old.c
CHAAC_LIBCLANG="$PWD/old.so" chaac grad a.c b.c $flags
CHAAC_LIBCLANG="$PWD/a.c" chaac grad a.c b.c $flags 2>&1 | sed "s|$PWD/||"
true
