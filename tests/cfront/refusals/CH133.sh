# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH133.c" .
chaac grad -o out.c CH133.c -- -I"$ROOT/include"
