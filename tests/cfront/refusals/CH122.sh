# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH122.c" .
chaac grad -o out.c CH122.c -- -I"$ROOT/include"
