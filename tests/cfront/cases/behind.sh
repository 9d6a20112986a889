# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/cases/behind.c" .
chaac grad behind.c -- -I"$ROOT/include"
