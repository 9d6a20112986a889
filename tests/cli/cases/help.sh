# SPDX-License-Identifier: Apache-2.0
chaac help | head -3
chaac help run
chaac --version
chaac frobnicate
echo $?
