# SPDX-License-Identifier: Apache-2.0
# Output, dependencies, and whether what lies there is fresh.
cp "$ROOT/tests/cfront/cases/small.c" .
set -e
chaac grad -MD -MF small.d -o small.grad.c small.c -- -I"$ROOT/include"
cat small.grad.c
sed "s|$ROOT|ROOT|" small.d | grep -v /usr/
chaac grad --check -o small.grad.c small.c -- -I"$ROOT/include"
echo fresh
sed -i s/0.5/0.25/ small.c
chaac grad --check -o small.grad.c small.c -- -I"$ROOT/include"
