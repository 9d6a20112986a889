# SPDX-License-Identifier: Apache-2.0
# The messages are those of clang.
cp "$ROOT/tests/cfront/cases/broken.c" .
chaac grad broken.c
