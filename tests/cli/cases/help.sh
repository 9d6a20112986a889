# SPDX-License-Identifier: Apache-2.0
chaac help | head -3
chaac help run
chaac run --help | head -1
chaac help --json | head -2
chaac help nothing
echo $?
chaac --version
chaac frobnicate
echo $?
