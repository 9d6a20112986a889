# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH136.c" .
chaac grad -o out.c CH136.c -- -I"$ROOT/include"
