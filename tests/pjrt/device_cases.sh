#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# device_cases.sh - device.sh where no device is: DEVICE_SH BUILD MOCK DRIVER. TAP.
#
# Over the mock plugin as a CPU and as a CUDA device (whose memory handlers reach by DRIVER alone), everything but the
# ops, which the real plugins make; and what is said where there is no plugin, no device, no such target.
set -u
device=$1 build=$2 mock=$3 driver=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
. "$(dirname "$0")/../tap.sh"
has() { grep -qF "$1" "$log"; }
run() { env "$@" >"$log" 2>&1; }

as_cpu="CHAAC_PJRT_TARGET=cpu DEVICE_MOCK=1"
as_cuda="CHAAC_PJRT_TARGET=cuda DEVICE_MOCK=1 CHAAC_TEST_CUDA_DRIVER=$driver"
# shellcheck disable=SC2086  # the lists are split on purpose
{
    run $as_cpu MOCK_PLUGIN= "$device" "$build" "$mock" && has '1..4' && has 'ok 4 - ops: ' &&
        has '# cpu: mock, by ' && ! has 'not ok'
    ok 'everything, on a CPU'
    [ "$(grep -c "^# left out: another plugin's program: there is one plugin" "$log")" -eq 1 ]
    ok 'what is left out is named'
    run $as_cuda MOCK_PLUGIN='platform=cuda devices=1' "$device" "$build" "$mock" && has '# cuda: mock, by ' &&
        has 'ok 4 - ops: ' && ! has 'not ok'
    ok 'everything, on CUDA'
    has "# left out: virtual devices are the CPU's" &&
        has "# left out: the library's handler: it is written for the host's memory"
    ok "and what is the host's alone is left out by name"
    run $as_cuda MOCK_PLUGIN='platform=cuda devices=1' CHAAC_TEST_CUDA_DRIVER=/nowhere/libcuda.so "$device" "$build" \
        "$mock"
    [ $? -eq 1 ] && has 'not ok 2 - handlers' && has 'twice: the argument is not fetched' && has 'ok 3 - cache'
    ok 'handlers without the driver fail, the rest goes on'
    run $as_cuda MOCK_PLUGIN='platform=cuda devices=0' "$device" "$build" "$mock"
    [ $? -eq 1 ] && has 'device: cuda: device_state: session open: the plugin has no device here'
    ok 'no device'
    run $as_cpu DEVICE_SECONDS=0 "$device" "$build" "$mock"
    [ $? -eq 1 ] && has 'not ok 1 - sessions: no time is left'
    ok 'no time'
}
run CHAAC_PJRT_TARGET=cuda "$device" "$build" /nowhere/plugin.so
[ $? -eq 1 ] && has 'device: cuda: no_plugin: plugin: there is no file /nowhere/plugin.so'
ok 'no file'
run -u VIRTUAL_ENV -u CONDA_PREFIX -u CHAAC_PJRT_PLUGIN_PATH CHAAC_PJRT_TARGET=cerebras "$device" "$build"
[ $? -eq 1 ] && has 'device: cerebras: no_plugin: plugin: none for cerebras was found — tried CHAAC_PJRT_PLUGIN_PATH'
ok 'no plugin, with every place that was tried'
run CHAAC_PJRT_TARGET=moon "$device" "$build" "$mock"
[ $? -eq 1 ] && has 'moon: argument: session open: CHAAC_PJRT_TARGET is "moon" — cpu, cuda, tpu, metal or cerebras'
ok 'no such target'
echo "1..$n"
exit $failed
