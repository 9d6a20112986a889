# SPDX-License-Identifier: Apache-2.0
cd "$ROOT/tests/cli/cases" && chaac ir --kept loops.ir
cd "$ROOT/tests/cli/cases" && chaac ir --kept --wrt=w loops.ir
