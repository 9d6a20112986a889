# SPDX-License-Identifier: Apache-2.0
# What the printer does not do, in its words: limits on how deep things are nested, and keys.
{
    echo "chaac-ir 1"
    i=1
    while [ $i -le 101 ]; do
        if [ $i -lt 101 ]; then call="call @f$((i + 1))(%x)"; else call="neg %x"; fi
        printf 'func @f%d(%%x: f64[]) -> f64[] {\n  %%y = %s : f64[]\n  return %%y\n}\n' $i "$call"
        i=$((i + 1))
    done
} > calls.ir
chaac ir --c --func=f1 calls.ir
echo $?
chaac ir --c --func=f2 calls.ir | sed -n 1p
{
    echo "chaac-ir 1"
    echo "func @nest(%x: f64[]) -> f64[] {"
    echo "  %a = const {value = 0} : i64[]"
    echo "  %b = const {value = 1} : i64[]"
    i=1
    while [ $i -le 65 ]; do
        if [ $i -eq 1 ]; then start=%x; else start=%x$((i - 1)); fi
        printf '  %%r%d = for %%i%d = %%a to %%b step %%b iter(%%x%d = %s) {\n' $i $i $i $start
        i=$((i + 1))
    done
    echo "  %y = neg %x65 : f64[]"
    echo "  yield %y"
    i=65
    while [ $i -ge 1 ]; do
        if [ $i -gt 1 ]; then printf '  } : f64[]\n  yield %%r%d\n' $i; else printf '  } : f64[]\n'; fi
        i=$((i - 1))
    done
    echo "  return %r1"
    echo "}"
} > nest.ir
chaac ir --c nest.ir
echo $?
{
    echo "chaac-ir 1"
    i=1 params= types= names=
    while [ $i -le 65 ]; do
        params="$params%x$i: f64[3], " types="${types}f64[3], " names="$names%x$i, " results="$results%y$i, "
        i=$((i + 1))
    done
    echo "func @order(${params%, }) -> f64[3] {"
    echo "  ${results%, } = sort ${names%, } {dim = 0, keys = 65} : ${types%, }"
    echo "  return %y65"
    echo "}"
} > order.ir
chaac ir --c order.ir
echo $?
