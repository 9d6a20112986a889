# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH143.c" .
chaac grad -o out.c CH143.c -- -I"$ROOT/include"
