# SPDX-License-Identifier: Apache-2.0
chaac explain shape_mismatch
chaac explain limit --json | cut -c1-60
(cd "$ROOT/tests/cli/cases" && chaac explain square.ir)
chaac explain nonsense
echo $?
chaac explain "$ROOT/tests/cli/cases/square.ir" --json
echo $?
chaac explain --quietly
echo $?
chaac explain | head -3
