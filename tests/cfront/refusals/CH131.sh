# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH131.c" .
chaac grad -o out.c CH131.c -- -I"$ROOT/include"
