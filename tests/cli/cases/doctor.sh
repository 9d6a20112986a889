# SPDX-License-Identifier: Apache-2.0
chaac doctor | head -4
chaac doctor --json | head -1
chaac doctor --loud
echo $?
