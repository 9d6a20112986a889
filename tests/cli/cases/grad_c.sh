# SPDX-License-Identifier: Apache-2.0
for mode in value-and-grad gradient vjp jvp jacobian hessian hvp; do
    echo "-- $mode"
    chaac grad --c --mode=$mode "$ROOT/tests/cli/cases/square.ir" --wrt x | sed 1,/^$/d
done
echo "-- with the value"
chaac grad --c --mode=vjp --value "$ROOT/tests/cli/cases/square.ir" --wrt x | sed 1,/^$/d
