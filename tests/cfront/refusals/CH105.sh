# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH105.c" .
chaac grad -o out.c CH105.c -- -I"$ROOT/include"
