# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH121.c" .
chaac grad -o out.c CH121.c -- -I"$ROOT/include"
