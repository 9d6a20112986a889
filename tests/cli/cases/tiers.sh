# SPDX-License-Identifier: Apache-2.0
# With tiers a func runs before its code is there, and without a compiler that works.
cp "$ROOT/tests/cli/cases/f.ir" .
printf '#!/bin/sh\nexec sleep 100\n' > slow-cc
chmod +x slow-cc
export CHAAC_CACHE_DIR="$PWD/cache"
CHAAC_TIERS=1 CHAAC_CC=./slow-cc chaac run f.ir --engine=native --size n=3 1,2,3
CHAAC_CC=./slow-cc CHAAC_CC_SECONDS=1 chaac run f.ir --engine=native --size n=3 1,2,3
