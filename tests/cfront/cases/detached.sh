# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/cases/detached.c" .
chaac grad detached.c -- -I"$ROOT/include"
