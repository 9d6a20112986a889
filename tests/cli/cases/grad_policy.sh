# SPDX-License-Identifier: Apache-2.0
cd "$ROOT/tests/cli/cases" || exit
for policy in store recompute sqrt 'revolve(2)'; do
    chaac grad --mode=vjp --policy="$policy" loops.ir >"$OLDPWD/$policy.ir" || exit
    echo "$policy: $(grep -c tape_new "$OLDPWD/$policy.ir") tapes, $(grep -c '^func' "$OLDPWD/$policy.ir") funcs"
    chaac run --size n=3 "$OLDPWD/$policy.ir" x=0.1,0.2,0.3 w=0.5,0.6,0.7 c=2.5 u_bar=1,2,3 r_bar=0.5 v_bar=2
done
chaac grad --policy=none loops.ir
echo $?
chaac ir --policy='revolve(0)' --kept loops.ir
echo $?
