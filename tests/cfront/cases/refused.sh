# SPDX-License-Identifier: Apache-2.0
# Every refusal of a run at once, each with its place, its code and the way out.
cp "$ROOT/tests/cfront/cases/refused.c" .
chaac grad refused.c -- -I"$ROOT/include"
