# SPDX-License-Identifier: Apache-2.0
# Derivatives of functions that call abort or exit end the program when the function would, and only then.
cp "$ROOT/tests/cfront/cases/stops.c" .
chaac grad -o stops.grad.c stops.c -- -I"$ROOT/include" || exit 1
cat >main.c <<'EOF'
#include "stops.c"
int main(int argc, char **argv) {
    double d[4] = {0}, x[4] = {2, 3, 5, 7}, t[4] = {1, 0, 0, 0}, y[2], J[2][2], H[4][4];
    int bad = argc > 2;
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0: printf("%g", at_the_top_vg(bad ? -1 : 4, d)); break;
    case 1: without_end_grad(bad ? NAN : 9, d); break;
    case 2: x[2] = bad ? 0 : 5; x[3] = bad ? -1 : 7; printf("%g", counted_jvp(4, x, t, d)); break;
    case 3: x[1] = bad ? -1 : 3; x[3] = bad ? 0 : 7; counted_hess(4, x, H); d[0] = H[0][1]; break;
    case 4: x[0] = bad ? 11 : 2; rows_jac(x, y, J); d[0] = J[0][0]; break;
    case 5: x[0] = bad ? 11 : 2; rows_vjp(x, t, d); break;
    default: by_rule_grad(bad ? -1 : 3, d); break;
    }
    printf(" %g\n", d[0]);
    return 0;
}
EOF
${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c stops.grad.c || exit 1
${CC:-cc} -I"$ROOT/include" main.c stops.grad.o -o main -lm || exit 1
ulimit -c 0
for i in 0 1 2 3 4 5 6; do
    ./main $i
    sh -c "./main $i bad; exit \$?" 2>/dev/null
    echo "status $?"
done
chaac grad stops.c -- -I"$ROOT/include" -DRECURSIVE
