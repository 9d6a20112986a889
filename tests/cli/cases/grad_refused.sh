# SPDX-License-Identifier: Apache-2.0
chaac grad "$ROOT/tests/cli/cases/square.ir" --wrt=w
echo $?
chaac grad --mode=backwards "$ROOT/tests/cli/cases/square.ir"
echo $?
