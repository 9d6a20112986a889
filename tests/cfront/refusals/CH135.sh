# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH135.c" .
chaac grad -o out.c CH135.c -- -I"$ROOT/include"
