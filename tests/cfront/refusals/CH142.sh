# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH142.c" .
chaac grad -o out.c CH142.c -- -I"$ROOT/include"
