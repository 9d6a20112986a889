# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cli/cases/square.ir" .
# What the engine pjrt is told wrongly, before any plugin is looked for.
CHAAC_PJRT_TARGET=moon chaac run square.ir --engine=pjrt --size n=1 1
echo $?
CHAAC_PJRT_PLUGIN_PATH=/nowhere/plugin.so chaac run square.ir --engine=pjrt --size n=1 1
echo $?
