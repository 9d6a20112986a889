# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH132.c" .
chaac grad -o out.c CH132.c -- -I"$ROOT/include"
