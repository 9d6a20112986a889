# SPDX-License-Identifier: Apache-2.0
# Each says the prototype it wants.
cp "$ROOT/tests/cfront/cases/wrong.c" .
chaac grad wrong.c -- -I"$ROOT/include"
