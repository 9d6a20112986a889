# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH125.c" .
chaac grad -o out.c CH125.c -- -I"$ROOT/include"
