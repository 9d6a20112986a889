# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH124.c" .
chaac grad -o out.c CH124.c -- -I"$ROOT/include"
