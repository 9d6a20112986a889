# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH138.c" .
chaac grad -o out.c CH138.c -- -I"$ROOT/include"
