# SPDX-License-Identifier: Apache-2.0
chaac check "$ROOT/tests/cli/cases/square.ir"
echo $?
chaac check "$ROOT/tests/cli/cases/square.ir" --size n=3 x=1..z
echo $?
chaac check "$ROOT/tests/cli/cases/square.ir" --tolerance=0
echo $?
chaac check "$ROOT/tests/cli/cases/square.ir" --mode=hessian
echo $?
