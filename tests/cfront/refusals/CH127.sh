# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH127.c" .
chaac grad -o out.c CH127.c -- -I"$ROOT/include"
