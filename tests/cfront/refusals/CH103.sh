# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH103.c" .
chaac grad -o out.c CH103.c -- -I"$ROOT/include"
