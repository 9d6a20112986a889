# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH129.c" .
chaac grad -o out.c CH129.c -- -I"$ROOT/include"
