# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH144.c" .
chaac grad -o out.c CH144.c -- -I"$ROOT/include"
