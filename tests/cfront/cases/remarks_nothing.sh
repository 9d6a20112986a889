# SPDX-License-Identifier: Apache-2.0
# What the loops of remarks_nothing.c keep, why, and what would change it.
cp "$ROOT/tests/cfront/cases/remarks_nothing.c" .
chaac grad --remarks -o out.c remarks_nothing.c -- -I"$ROOT/include"
