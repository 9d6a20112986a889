# SPDX-License-Identifier: Apache-2.0
cd "$ROOT/tests/cli/cases" || exit
for program in cholesky heat lstm; do
    chaac ir --kept $program.ir
done
chaac ir --kept --policy=sqrt heat.ir
chaac ir --kept --policy='revolve(4)' lstm.ir
chaac ir --kept --policy=recompute cholesky.ir
