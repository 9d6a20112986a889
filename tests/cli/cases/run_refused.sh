# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cli/cases/square.ir" .
chaac run square.ir --size n=3 1,2
echo $?
chaac run square.ir 1,2
echo $?
chaac run square.ir --size n=2
echo $?
chaac run square.ir --engine=fpga --size n=1 1
echo $?
chaac run nowhere.ir
echo $?
chaac run --func=g square.ir --size n=1 1
echo $?
chaac run
echo $?
chaac run square.ir --size n=1 1 2
echo $?
chaac run square.ir --size n=1 --pattern z=1
echo $?
chaac run square.ir --size n=1 --size n=2 1
echo $?
chaac run square.ir --size m=1 1
echo $?
