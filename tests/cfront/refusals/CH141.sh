# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH141.c" .
chaac grad -o out.c CH141.c -- -I"$ROOT/include"
