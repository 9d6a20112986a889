# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH126.c" .
chaac grad -o out.c CH126.c -- -I"$ROOT/include"
