#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# device.sh - programs on one device, in under five minutes: BUILD [PLUGIN]. TAP; 1 when anything failed.
#
# $CHAAC_PJRT_TARGET says which kind of device (`./run device cuda` sets it). PLUGIN is the plugin's file; without it
# one is looked for as by every session. In this order, each with the seconds it took:
#
#   sessions   what crosses, donation, memory and its parts, dtypes, closing, refusals    test_session.c
#   handlers   functions of C that programs call, on four threads                         test_ffi.c
#   cache      programs on disk: damaged, cut short, a full disk, four processes          test_disk_real.c
#   ops        a case of every op and dtype against the interpreter, within docs/precision.def  test_matrix.c
#
# What a kind of device has not is left out by name. The op matrix is made by several processes at once, since compiling
# takes its time. One device is seen, and all of this ends after $DEVICE_SECONDS (290).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)

# --ops MATRIX FOLDER: the op matrix in as many processes as there are processors, up to 8.
if [ "$1" = --ops ]; then
    parts=$(nproc) i=0 pids='' bad=0
    [ "$parts" -le 8 ] || parts=8
    while [ "$i" -lt "$parts" ]; do
        "$2" --each "--part=$i/$parts" "$root/tests/ops/vectors" >"$3/ops.$i" 2>&1 &
        pids="$pids $!" i=$((i + 1))
    done
    for pid in $pids; do wait "$pid" || bad=1; done
    cat "$3"/ops.*
    exit $bad
fi

build=$(cd "$1" && pwd)/tests/pjrt
export CHAAC_PJRT_TARGET="${CHAAC_PJRT_TARGET:-cpu}" CMOCKA_MESSAGE_OUTPUT=TAP
[ $# -lt 2 ] || export CHAAC_PJRT_PLUGIN_PATH="$2"
export TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0}"
unset CHAAC_PJRT_CACHE_DIR
begin=$(date +%s)
end=$((begin + ${DEVICE_SECONDS:-290}))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

if ! "$build/pjrt_session" --open >"$work/open" 2>"$work/noise"; then
    echo "device: $CHAAC_PJRT_TARGET: $(cat "$work/open")"
    tail -n 3 "$work/noise" >&2
    exit 1
fi
read -r platform plugin device <"$work/open"
echo "# $platform: $device, by $plugin"

# NAME COMMAND...: its cases are counted, what it left out and what failed is shown.
step() {
    name=$1 from=$(date +%s)
    shift
    n=$((n + 1))
    left=$((end - from))
    if [ "$left" -lt 1 ]; then
        echo "not ok $n - $name: no time is left"
        failed=1
        return
    fi
    timeout -k 5 "$left" "$@" >"$work/log" 2>&1
    status=$?
    seconds=$(($(date +%s) - from))
    sed -n -e '/^# left out: /p' -e 's/^ok [0-9]* - \(.*\) # SKIP \(.*\)/# left out: \1: \2/p' \
        -e 's/^# skip: /# left out: /p' "$work/log"
    if [ $status -eq 0 ]; then
        echo "ok $n - $name: $(counted), $seconds s"
    else
        failed=1
        grep -v -e '^ok ' -e '# SKIP' -e '^# skip' "$work/log" | tail -n 40 | sed 's/^#* */# /'
        [ $status -ne 124 ] || echo "# it was ended after $left s"
        echo "not ok $n - $name, status $status, $seconds s"
    fi
}

# What the log holds: cases in TAP, or those of the matrix.
counted() {
    awk '/^ok / && !/# SKIP/ { cases++ } / cases of ops / { cases += $1; refused += $11 }
        END { printf "%d cases", cases; if (refused) printf " (%d that StableHLO cannot say)", refused }' "$work/log"
}


step sessions "$build/pjrt_session"
step handlers "$build/pjrt_ffi" ${DEVICE_MOCK:+--mock} "$plugin" "$build/ffi_symbol.so"
step cache "$build/pjrt_disk_real" "$plugin"
export CHAAC_PJRT_MEMORY_FRACTION=0.08 # of each process
step ops "$0" --ops "$build/pjrt_matrix" "$work"
echo "1..$n"
echo "# $(($(date +%s) - begin)) s in all"
exit $failed
