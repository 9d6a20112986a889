#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# session.sh - sessions on real plugins for the CPU: SESSION PROGRAMS|none MATRIX|none FOLDER FILE [--part=I/N]. TAP.
#
# The plugins are fetched into FOLDER once; where they cannot be, the test is skipped with the reason.
# The cases of test_session.c; an environment that would end the process; the programs of tests/hlo with XLA's values.
set -u
session=$1 programs=$2 matrix=$3 folder=$4 file=$5 part=${6:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! why=$("$root/scripts/fetch-python" "$folder" lammps-jax-pjrt-cpu==0.11.2 fastatomstruct-xla-cpu==2026.6.23); then
    echo "1..0 # SKIP pjrt: $why"
    exit 0
fi
export CHAAC_PJRT_PLUGIN_PATH="$folder/lib/python3.12/site-packages/$file" CMOCKA_MESSAGE_OUTPUT=TAP
log=$(mktemp)
trap 'rm -f "$log"' EXIT
. "$root/tests/tap.sh"
"$session" >"$log" 2>&1
ok 'sessions, buffers, runs'
XLA_FLAGS=--xla_no_such_flag=1 "$session" --open >"$log" 2>&1
grep -q '^plugin: plugin load: XLA_FLAGS has --xla_no_such_flag, which .* does not know' "$log"
ok 'a flag that would end the process is refused'
XLA_FLAGS=--xla_cpu_multi_thread_eigen=false "$session" --open >"$log" 2>&1 && grep -q '^cpu ' "$log"
ok 'a flag that the plugin knows is not'
unset CHAAC_PJRT_PLUGIN_PATH CONDA_PREFIX
VIRTUAL_ENV=$folder "$session" --open >"$log" 2>&1 && grep -q '^cpu ' "$log"
ok 'the plugin is found in a Python environment'
named="tpu:/no/file,cpu:$folder/lib/python3.12/site-packages/$file"
PJRT_NAMES_AND_LIBRARY_PATHS=$named "$session" --open >"$log" 2>&1 && grep -q '^cpu ' "$log"
ok 'and by PJRT_NAMES_AND_LIBRARY_PATHS'
export CHAAC_PJRT_PLUGIN_PATH="$folder/lib/python3.12/site-packages/$file"
if [ "$matrix" != none ]; then
    "$matrix" ${part:+"$part"} "$root/tests/ops/vectors" >"$log" 2>&1
    ok 'every op and dtype as the interpreter has it'
fi
if [ "$programs" != none ]; then
    "$programs" --only=pjrt "$root/tests/hlo/ops" "$root/tests/hlo/jax" >"$log" 2>&1
    ok 'programs of XLA and JAX, and their gradients'
fi
echo "1..$n"
exit $failed
