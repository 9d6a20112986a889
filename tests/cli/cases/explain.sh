# SPDX-License-Identifier: Apache-2.0
chaac explain shape_mismatch
chaac explain "$ROOT/tests/cli/cases/square.ir"
chaac explain nonsense
echo $?
chaac explain | head -3
