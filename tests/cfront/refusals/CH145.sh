# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH145.c" .
chaac grad -o out.c CH145.c -- -I"$ROOT/include"
