# SPDX-License-Identifier: Apache-2.0
# What the loops of remarks_state.c keep, why, and what would change it.
cp "$ROOT/tests/cfront/cases/remarks_state.c" .
chaac grad --remarks -o out.c remarks_state.c -- -I"$ROOT/include"
