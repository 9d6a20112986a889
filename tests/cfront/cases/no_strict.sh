# SPDX-License-Identifier: Apache-2.0
# Refusals as warnings: the definitions are there, and fail when they are called, in the way that the user chose or not.
cp "$ROOT/tests/cfront/cases/no_strict.c" .
set -e
chaac grad --no-strict -o out.c no_strict.c -- -I"$ROOT/include"
sed -n '/CH_NOT_LOWERED/,$p' out.c
cat >main.c <<'EOF'
#ifdef MINE
#include <stdio.h>
#define CH_NOT_LOWERED(file, line, reason) (printf("%s line %d: %s\n", file, line, reason))
#endif
#include "out.c"
double elsewhere(double x);
double elsewhere(double x) { return x; }
int main(void) {
    double d = 0;
    square_grad(3, &d);
    return d == 6 && calls_vg(1, &d) == 0 ? 0 : 1;
}
EOF
flags="-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -Wno-missing-prototypes"
${CC:-cc} $flags -DMINE main.c -o mine -lm
./mine
${CC:-cc} $flags main.c -o theirs -lm
(ulimit -c 0; ./theirs && echo it did not stop) 2>&1 | grep cannot
