# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH120.c" .
chaac grad -o out.c CH120.c -- -I"$ROOT/include"
