# SPDX-License-Identifier: Apache-2.0
for mode in jvp jacobian hessian hvp; do
    chaac grad --mode=$mode "$ROOT/tests/cli/cases/square.ir" | sed -n 2p
done
chaac grad --mode=jvp --value "$ROOT/tests/cli/cases/square.ir" --wrt x | sed -n 2p
