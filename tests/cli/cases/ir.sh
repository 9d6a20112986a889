# SPDX-License-Identifier: Apache-2.0
chaac ir "$ROOT/tests/cli/cases/square.ir" --after=optimize,dce
chaac ir "$ROOT/tests/cli/cases/square.ir" --after=inlin
echo $?
