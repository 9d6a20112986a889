#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# real.sh - the iree engine with IREE's own programs: CHAAC HLO_PROGRAMS FOLDER. TAP.
#
# The packages are fetched into FOLDER once; where they cannot be, the test is skipped with the reason. All dtypes as
# params and results give the interpreter's bits; symbolic sizes; what IREE refuses is said with its words; a target
# without a driver. Then the programs of tests/hlo with XLA's values (test_programs.c), gradients too.
set -u
chaac=$(realpath "$1") programs=$(realpath "$2") folder=$(realpath -m "$3")
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! why=$("$root/scripts/fetch-python" "$folder" iree-base-compiler==3.13.0 iree-base-runtime==3.13.0); then
    echo "1..0 # SKIP iree: $why"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export VIRTUAL_ENV="$folder" TMPDIR="$work/tmp" CHAAC_IREE_SECONDS=300
unset CHAAC_IREE_BIN CHAAC_IREE_TARGET CONDA_PREFIX
PATH=/usr/local/bin:/usr/bin:/bin
cd "$work" || exit 2
. "$root/tests/tap.sh"
same() { # FILE [arguments]: both engines print the same
    file=$1
    shift
    "$chaac" run "$file" --engine=interp "$@" >want 2>&1 && "$chaac" run "$file" --engine=iree "$@" >got 2>&1
    cmp -s want got || { sed 's/^/# /' want got; false; }
}
same "$root/tests/iree/dtypes.ir" --pattern
ok 'every dtype, a scalar, an array without elements'
"$chaac" grad "$root/tests/cli/cases/f.ir" >g.ir && same g.ir --size n=3 1,2,3 && same g.ir --size n=5 1,2,3,4,5
ok 'a gradient, at two sizes'
outside() { same "$root/tests/iree/outside.ir" --pattern i="$1" k=-1,5,0,1,100,2 v=7,8,9; }
outside -3 && outside 1 && outside 9
ok 'indices that lie outside: gather clamps, scatter drops'
cat >cholesky.ir <<'END'
chaac-ir 1
func @factor(%a: f32[2,2]) -> f32[2,2] {
  %l = cholesky %a : f32[2,2]
  return %l
}
END
"$chaac" run cholesky.ir --engine=iree 4,0,0,9 >got 2>&1
grep -q "@factor: iree-compile refuses it: error: failed to legalize operation 'stablehlo.cholesky'.*unsupported" got
ok 'what IREE refuses is said in its words'
if command -v nvidia-smi >/dev/null 2>&1; then
    same g.ir --size n=3 1,2,3
    ok 'cuda # SKIP a driver is here: the case is its absence'
else
    CHAAC_IREE_TARGET=cuda "$chaac" run g.ir --engine=iree --size n=3 1,2,3 >got 2>&1
    grep -q 'UNAVAILABLE; CUDA driver library' got
    ok 'a module for cuda compiles, its run says what is missing'
fi
[ -z "$(ls tmp)" ]
ok 'no folder is left behind'
refuses=triangular_solve,cholesky_solve,scatter_several
"$programs" --only=iree --refuses=$refuses "$root/tests/hlo/ops" "$root/tests/hlo/jax" >log 2>&1
good=$?
grep -v '^ok' log | sed 's/^\(not ok\)/# \1/; s/^1\.\./# programs: /'
[ $good -eq 0 ]
ok 'programs of XLA and JAX, and their gradients'
echo "1..$n"
exit $failed
