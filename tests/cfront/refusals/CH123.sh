# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH123.c" .
chaac grad -o out.c CH123.c -- -I"$ROOT/include"
