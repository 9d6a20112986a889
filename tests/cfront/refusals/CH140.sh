# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/refusals/CH140.c" .
chaac grad -o out.c CH140.c -- -I"$ROOT/include"
