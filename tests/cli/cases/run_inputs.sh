# SPDX-License-Identifier: Apache-2.0
# Arrays of files, in order, by name, several in one option, beside numbers; what is wrong with them is said.
chaac run "$ROOT/tests/cli/cases/square.ir" --size n=3 1,2,3 --out=a=1
chaac grad "$ROOT/tests/cli/cases/square.ir" --mode=gradient > g.ir
chaac run g.ir --size n=3 1,2,3 --out=b
cat > two.mlir <<'M'
func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>, %z: tensor<f64>) -> tensor<3xf64> {
  %0 = stablehlo.multiply %x, %y : tensor<3xf64>
  %1 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f64>) -> tensor<3xf64>
  %2 = stablehlo.subtract %0, %1 : tensor<3xf64>
  return %2 : tensor<3xf64>
}
M
chaac run two.mlir --input=b/x_bar.npy,b/x_bar.npy 1
chaac run two.mlir --input=b/x_bar.npy --input=b/x_bar.npy z=1 --engine=interp
chaac run two.mlir --input=z=a=1/y.npy --input b/x_bar.npy 1,1,1
chaac run two.mlir --input=y=@b/x_bar.npy,@a=1/y.npy x=1,1,1
chaac run two.mlir @b/x_bar.npy y=@b/x_bar.npy @a=1/y.npy
chaac run two.mlir --input=b/x_bar.npy,
echo $?
chaac run two.mlir --input==b/x_bar.npy
echo $?
chaac run two.mlir --input=w=b/x_bar.npy
echo $?
chaac run two.mlir --input=x=b/x_bar.npy,x=b/x_bar.npy
echo $?
chaac run two.mlir --input=nowhere.npy --pattern
echo $?
chaac run two.mlir --input=b/x_bar.npy,b/x_bar.npy,b/x_bar.npy
echo $?
chaac run two.mlir --input
echo $?
