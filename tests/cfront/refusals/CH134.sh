# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH134.c" .
chaac grad -o out.c CH134.c -- -I"$ROOT/include"
