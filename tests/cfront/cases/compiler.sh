# SPDX-License-Identifier: Apache-2.0
# chaac cc: objects and programs with their derivatives in them; what is not C to compile passes through.
cp "$ROOT/tests/cfront/cases/small.c" .
cat >main.c <<'EOF'
#include <stdio.h>
double half_square_vg(int n, const double x[], double k, double dx[]);
int main(void) {
    double x[2] = {3, 4}, dx[2];
    printf("%g", half_square_vg(2, x, 2, dx));
    printf(" %g %g\n", dx[0], dx[1]);
    return 0;
}
EOF
cc=${CC:-cc}
flags="-O1 -std=c11 -Wall -Wextra -Werror -I$ROOT/include"
set -e
chaac cc $cc $flags -c small.c
nm -g --defined-only small.o | sed 's/.* T//'
chaac cc $cc $flags -MD -MF small.d -c small.c -o other.o
$cc main.c other.o -lm -o joined
./joined
chaac cc -- $cc $flags main.c small.c -o together -lm
./together
chaac cc $cc -E -P main.c | tail -n 1
chaac cc $cc other.o main.c -lm -o linked
./linked
test -f small.d
set +e
chaac cc nowhere-cc -c small.c -I"$ROOT/include"
echo 'int broken' >broken.c
chaac cc $cc -c broken.c 2>&1 | grep -c error
cp "$ROOT/tests/cfront/cases/no_strict.c" .
chaac cc $cc -c no_strict.c -I"$ROOT/include" 2>&1 | grep error
test -f no_strict.o && echo an object though there were errors
ls
chaac cc
