# SPDX-License-Identifier: Apache-2.0
# Loops and tapes of the gradients of public problems: sums of independent terms need one loop and no tape. A recursive
# function has one that gives its value and its adjoints, with one loop, one call and no tape.
cp "$ROOT"/tests/adbench/directives.[ch] "$ROOT"/tests/data/adbench/adbench.h .
set -e
chaac grad -o out.c directives.c "$ROOT"/tests/data/adbench/primal/*.c -- -I"$ROOT/include"
for f in rosenbrock nbody blackscholes warp; do
    awk -v f="${f}_vg(" 'index($0, " " f) { p = 1 } p && /for \(/ && !/ = 0.0;$/ { loops++ }
        p && /^    tape/ { tapes++ }
        p && /^}/ { print substr(f, 1, length(f) - 1), loops + 0, "loops", tapes + 0, "tapes"; exit }' out.c
done
awk '/^static.* minor_det_recursive_with_bar\(/ { p++ }
    p == 2 && /for \(/ { loops++ }
    p == 2 && /[ =]minor_det_/ { calls++ }
    p == 2 && /tape/ { tapes++ }
    p == 2 && /^}/ { print "det", loops + 0, "loops", calls - 1, "calls", tapes + 0, "tapes"; exit }' out.c
# Functions of libm in a loop that goes on from its state are computed once; terms of their own once for each sweep.
for f in lstm mlp softmax; do
    awk -v f="${f}_vg(" 'index($0, " " f) { p = 1 } p && !/\/\*/ { slow += gsub(/[ (-](exp|tanh)\(/, "") }
        p && /^}/ { print substr(f, 1, length(f) - 1), slow + 0, "exp and tanh"; exit }' out.c
done
