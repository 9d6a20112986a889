# SPDX-License-Identifier: Apache-2.0
chaac grad "$ROOT/tests/cli/cases/square.ir"
chaac grad --mode=vjp --value "$ROOT/tests/cli/cases/square.ir" --wrt x
