# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH150.c" .
chaac grad -o out.c CH150.c -- -I"$ROOT/include"
