# SPDX-License-Identifier: Apache-2.0
# StableHLO text in: run, shown, differentiated; out: pretty, generic, with sizes and an alias; mistakes.
cp "$ROOT/tests/cli/cases/f.mlir" "$ROOT/tests/cli/cases/f.ir" .
chaac run f.mlir --engine=interp 1,2,3 0
chaac ir f.mlir
chaac grad f.mlir --wrt=arg0 > g.ir
chaac hlo g.ir --bare
chaac hlo f.ir --size n=4 --generic
printf 'func.func @main(%%x: tensor<f32> {a.b = 1 : i32}) -> tensor<f32> {\n  return %%x : tensor<f32>\n}\n' > n.mlir
chaac hlo n.mlir --notes --bare
cat > twice.ir <<'END'
chaac-ir 1
func @f(%x: f32[2]) -> f32[2] {
  %y = composite "twice"(%t = %x) {
    %s = add %t, %t : f32[2]
    yield %s
  } : f32[2]
  return %y
}
END
chaac hlo twice.ir --composites
chaac hlo f.ir
echo $?
chaac build f.mlir --out=fc 2>&1
test -s fc.c && echo $?
chaac hlo f.mlir --alias arg0=0
echo $?
chaac hlo f.mlir --alias nobody=0
echo $?
chaac hlo n.mlir --func=g
echo $?
chaac hlo
echo $?
CHAAC_PJRT_PLUGIN_PATH=/no/such/plugin.so chaac hlo f.ir --size n=4 --optimized
echo $?
