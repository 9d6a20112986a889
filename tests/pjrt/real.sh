#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# real.sh - runs a test with real plugins for the CPU: FOLDER PROGRAM [ARGUMENTS], as PROGRAM PLUGIN PLUGIN ARGUMENTS.
#
# The plugins are fetched into FOLDER once; where they cannot be, the test is skipped with the reason.
set -u
folder=$1 program=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
why=$("$root/scripts/fetch-python" "$folder" lammps-jax-pjrt-cpu==0.11.2 fastatomstruct-xla-cpu==2026.6.23) || {
    echo "1..0 # SKIP plugins: $why"
    exit 0
}
packages=$folder/lib/python3.12/site-packages
export TF_CPP_MIN_LOG_LEVEL=3
exec "$program" "$packages/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so" \
    "$packages/fastatomstruct_xla_cpu/libpjrt_cpu.so" "$@"
