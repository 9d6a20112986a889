# SPDX-License-Identifier: Apache-2.0
# The numbers differ; kernels, counts and the shape of the table do not.
cp "$ROOT/tests/cli/cases/f.ir" .
cat > two.ir <<'END'
chaac-ir 1
func @two(%x: f32[n,64], %w: f32[64,32]) -> (f32[n,32], f32[n]) {
  %y = dot %x, %w {contract = [1]x[0]} : f32[n,32]
  %e = exp %y : f32[n,32]
  %s = reduce %e {kind = sum, dims = [1]} : f32[n]
  return %e, %s
}
END
export CHAAC_NUM_THREADS=1
chaac profile two.ir --size n=100 --runs=7 > table
sed -E 's/[0-9]+\.[0-9]+/N/g; s/[0-9]+%/P/g; s/ +/ /g' table | head -2
sed -E '1,2d; s/[0-9]+\.[0-9]+/N/g; s/[0-9]+%/P/g; s/ +/ /g; s/- -/N P/g' table | sort
chaac profile two.ir --size n=100 --runs=3 --json > json
python3 - <<'END'
import json
p = json.load(open("json"))
assert p["peak_flops"] > 1e9 and p["peak_bytes"] > 1e8, p
f = p["funcs"][0]
print(f["func"], f["runs"])
for k in f["kernels"]:
    print(k["kernel"], k["calls"], k["flops"], k["bytes"], 0 < k["least"] <= k["seconds"])
END
# A product with batches is a call for each; what stands behind it has its own row. Sizes of funcs that are called are
# not known.
cat > more.ir <<'END'
chaac-ir 1
func @each(%x: f32[m,64], %w: f32[64,k]) -> f32[m,k] {
  %y = dot %x, %w {contract = [1]x[0]} : f32[m,k]
  return %y
}
func @more(%x: f32[4,64,64], %w: f32[4,64,64], %u: f32[64,64], %v: f32[64,96])
    -> (f32[4,64,64], f32[64,64], f32[64,96]) {
  %r = dot %x, %w {contract = [2]x[1], batch = [0]x[0]} : f32[4,64,64]
  %z = call @each(%u, %u) : f32[64,64]
  %y = dot %u, %v {contract = [1]x[0]} : f32[64,96]
  return %r, %z, %y
}
END
chaac profile more.ir --runs=3 --json > json
python3 - <<'END'
import json
for k in json.load(open("json"))["funcs"][0]["kernels"]:
    print(k["kernel"], k["calls"], k["flops"], k["bytes"])
END
CHAAC_TRACE=trace.json chaac run two.ir --engine=native --size n=100 --pattern > values
chaac run two.ir --engine=native --size n=100 --pattern | cmp - values && echo the same numbers
python3 - <<'END'
import json
e = json.load(open("trace.json"))["traceEvents"]
assert all(x["ph"] == "X" and x["dur"] >= 0 and x["ts"] >= 0 for x in e), e
print(sorted(x["name"] for x in e))
END
chaac profile two.ir
chaac profile two.ir --size n=1 --runs=0
chaac run two.ir --size n=1 --runs=3
chaac profile two.ir --size n=1 --engine=interp
chaac profile two.ir --pattern
true
