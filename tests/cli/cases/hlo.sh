# SPDX-License-Identifier: Apache-2.0
# StableHLO text in: run, shown, differentiated; out: pretty, generic, with sizes and an alias; mistakes.
cp "$ROOT/tests/cli/cases/f.mlir" "$ROOT/tests/cli/cases/f.ir" .
chaac run f.mlir --engine=interp 1,2,3 0
chaac ir f.mlir
chaac grad f.mlir --wrt=arg0 > g.ir
chaac hlo g.ir --bare
chaac hlo f.ir --size n=4 --generic
chaac hlo f.ir
echo $?
chaac hlo f.mlir --alias arg0=0
echo $?
chaac hlo f.mlir --alias nobody=0
echo $?
chaac hlo f.mlir --func=g
echo $?
chaac hlo
echo $?
