# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH104.c" .
chaac grad -o out.c CH104.c -- -I"$ROOT/include"
