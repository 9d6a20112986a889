# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH139.c" .
chaac grad -o out.c CH139.c -- -I"$ROOT/include"
