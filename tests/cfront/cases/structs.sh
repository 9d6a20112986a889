# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cfront/cases/structs.c" .
chaac grad structs.c -- -I"$ROOT/include" | sed -n '/with respect to/,$p'
chaac grad structs.c -- -I"$ROOT/include" -DUNSAID
chaac grad structs.c -- -I"$ROOT/include" -DLATE
