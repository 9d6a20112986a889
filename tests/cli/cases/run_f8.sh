# SPDX-License-Identifier: Apache-2.0
# Numbers of the 8-bit floats in and out, as text and as JSON.
cat > f8.ir <<'END'
chaac-ir 1
func @f(%x: f8e4m3[6], %y: f8e5m2[6]) -> (f8e4m3[6], f8e5m2[6], f16[6]) {
  %z = convert %x : f16[6]
  return %x, %y, %z
}
END
chaac run f8.ir 1.5,0.5,2.5,-0.25,100,0.001 1.5,0.5,2.5,-0.25,inf,nan
chaac run f8.ir --json 1.5,0.5,2.5,-0.25,100,0.001 1.5,0.5,2.5,-0.25,inf,nan
