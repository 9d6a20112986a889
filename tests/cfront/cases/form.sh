# SPDX-License-Identifier: Apache-2.0
# What derivatives look like; their header, for C and for C++; #line; memory that overlaps.
cp "$ROOT/tests/cfront/cases/form.c" .
set -e
chaac grad --header=form.grad.h -o form.grad.c form.c -- -I"$ROOT/include"
sed -n '/with respect to/,$p' form.grad.c
cat form.grad.h
strict="-Wall -Wextra -Wpedantic -Wconversion -Werror -O1"
cc -std=c99 $strict -c form.grad.c
cc -std=c99 $strict -DNDEBUG -c form.grad.c
cc -std=c11 -Wall -Werror -I"$ROOT/include" -c form.c
printf 'struct camera { double rot[3]; double f; int id; };\n#include "form.grad.h"\n' >c.cc
printf 'int main() { double x[2] = {0, 3}, d[2], k; return energy_vg(2, x, 1, 1, d, &k) != 2; }\n' >>c.cc
c++ -std=c++17 -Wall -Wextra -Werror c.cc form.o form.grad.o -lm -o c
./c && echo C++
printf '#include "form.c"\n#include "form.grad.h"\n' >both.c
printf 'int main(void) { double x[8] = {0}, k; return energy_vg(3, x, 1, 1, x + 2, &k) > 0; }\n' >>both.c
cc -std=c11 -Wall -Werror -I"$ROOT/include" -c both.c
cc -std=c99 $strict -c form.grad.c
cc both.o form.grad.o -lm -o both
sh -c './both' 2>said || true
grep -o 'apart(3, 2' said
chaac grad --lines -o form.lines.c form.c -- -I"$ROOT/include"
sed -n '/^double energy_vg/,/adjoints/p' form.lines.c
sed -n 's/^#line [0-9]* "form.lines.c"/own lines go on/p' form.lines.c
cc -std=c99 $strict -c form.lines.c
chaac grad --check --header=form.grad.h -o form.grad.c form.c -- -I"$ROOT/include"
echo >>form.grad.h
chaac grad --check --header=form.grad.h -o form.grad.c form.c -- -I"$ROOT/include"
