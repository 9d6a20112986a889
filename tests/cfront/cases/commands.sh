# SPDX-License-Identifier: Apache-2.0
# A C function shown, run, printed as C, and its derivative checked.
cp "$ROOT/tests/cfront/cases/small.c" .
export C_INCLUDE_PATH="$ROOT/include"
set -e
chaac ir small.c:half_square
chaac run small.c:half_square --size x_n=3 n=3 x=1,2,3 k=2
chaac check small.c:half_square --size x_n=4 n=4..4
chaac ir --c small.c:half_square
