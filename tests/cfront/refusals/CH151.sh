# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH151.c" .
chaac grad -o out.c CH151.c -- -I"$ROOT/include"
