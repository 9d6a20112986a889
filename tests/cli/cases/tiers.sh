# SPDX-License-Identifier: Apache-2.0
# With tiers a func runs before its code is there, and without a compiler that works; long funcs begin so by themselves.
cp "$ROOT/tests/cli/cases/f.ir" .
printf '#!/bin/sh\nexec sleep 100\n' > slow-cc
chmod +x slow-cc
export CHAAC_CACHE_DIR="$PWD/cache"
CHAAC_TIERS=1 CHAAC_CC=./slow-cc chaac run f.ir --engine=native --size n=3 1,2,3
awk 'BEGIN {
    print "chaac-ir 1\nfunc @long(%v0: f64[4]) -> f64[4] {"
    for (i = 0; i < 2000; i++) printf "  %%v%d = mul %%v%d, %%v0 : f64[4]\n", i + 1, i
    print "  return %v2000\n}"
}' > long.ir
chaac explain long.ir | grep -c 'begin on the interpreter'
CHAAC_TIERS=off chaac explain long.ir | grep -c 'begin on the interpreter'
CHAAC_CC=./slow-cc chaac run long.ir --engine=native 1,-1,0,1
CHAAC_CC=./slow-cc CHAAC_CC_SECONDS=1 chaac run f.ir --engine=native --size n=3 1,2,3
