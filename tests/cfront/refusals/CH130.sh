# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH130.c" .
chaac grad -o out.c CH130.c -- -I"$ROOT/include"
