# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH102.c" .
chaac grad -o out.c CH102.c -- -I"$ROOT/include"
