# SPDX-License-Identifier: Apache-2.0
# Softmax and layer norm are one kernel each; what reads the transposed result is another.
cat > rows.ir <<'END'
chaac-ir 1
func @rows(%x: f32[n,64]) -> (f32[n,64], f32[64,n], f32[64]) {
  %top = reduce %x {kind = max, dims = [1]} : f32[n]
  %topn = broadcast %top {dims = [0]} : f32[n,64]
  %d = sub %x, %topn : f32[n,64]
  %e = exp %d : f32[n,64]
  %s = reduce %e {kind = sum, dims = [1]} : f32[n]
  %sn = broadcast %s {dims = [0]} : f32[n,64]
  %p = div %e, %sn : f32[n,64]
  %t = transpose %p {perm = [1,0]} : f32[64,n]
  %u = tanh %t : f32[64,n]
  %c = reduce %p {kind = sum, dims = [0]} : f32[64]
  return %p, %u, %c
}
END
chaac explain rows.ir | sed -n '/  native:/,$p'
