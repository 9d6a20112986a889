# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH106.c" .
chaac grad -o out.c CH106.c -- -I"$ROOT/include"
