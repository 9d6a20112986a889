# SPDX-License-Identifier: Apache-2.0
chaac explain shape_mismatch
chaac explain limit --json | cut -c1-60
chaac explain "$ROOT/tests/cli/cases/square.ir"
chaac explain nonsense
echo $?
chaac explain "$ROOT/tests/cli/cases/square.ir" --json
echo $?
chaac explain --quietly
echo $?
chaac explain | head -3
