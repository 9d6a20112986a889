# SPDX-License-Identifier: Apache-2.0
chaac check "$ROOT/tests/cli/cases/square.ir" --size n=3 --seed=7
echo $?
chaac check "$ROOT/tests/cli/cases/rule.ir" --wrt=x --size n=2 x=2..2
echo $?
chaac check "$ROOT/tests/cli/cases/square.ir" --size n=2 --mode=jvp
echo $?
