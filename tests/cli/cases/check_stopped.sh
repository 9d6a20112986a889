# SPDX-License-Identifier: Apache-2.0
# Half the derivative of x^2 is stopped: both modes give x, differences 2 x.
chaac check "$ROOT/tests/cli/cases/stopped.ir" --size n=2 x=1..2
echo $?
chaac check "$ROOT/tests/cli/cases/stopped.ir" --size n=2 --mode=jvp x=1..2
echo $?
chaac check "$ROOT/tests/cli/cases/rule.ir" --size n=3 --mode=jvp x=2..2 s=1..1 --wrt=x
echo $?
