# SPDX-License-Identifier: Apache-2.0
# What the loops of remarks_arrays.c keep, why, and what would change it.
cp "$ROOT/tests/cfront/cases/remarks_arrays.c" .
chaac grad --remarks -o out.c remarks_arrays.c -- -I"$ROOT/include"
