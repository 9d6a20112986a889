# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH128.c" .
chaac grad -o out.c CH128.c -- -I"$ROOT/include"
