# SPDX-License-Identifier: Apache-2.0
chaac doctor | head -4
chaac doctor --json | grep '"interp"'
here=$(command -v chaac)
env PATH=/nowhere CHAAC_NUM_THREAD=4 "$here" doctor | grep -e 'C compiler' -e pkg-config -e CHAAC_NUM_THREAD
env PATH=/nowhere CHAAC_NUM_THREAD=4 "$here" doctor --json | grep -e 'C compiler' -e CHAAC_NUM_THREAD
chaac doctor --loud
echo $?
