# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/cases/broken.c" .
mkdir folder.c
chaac grad folder.c
chaac grad broken.c
