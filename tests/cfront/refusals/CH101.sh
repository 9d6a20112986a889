# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH101.c" .
chaac grad -o out.c CH101.c -- -I"$ROOT/include"
