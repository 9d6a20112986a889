# SPDX-License-Identifier: Apache-2.0
chaac grad "$ROOT/tests/cfront/cases/shape_said_later.c" -o out.c -- -I"$ROOT/include" || exit 1
cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c out.c || exit 1
sed -n '/^void energy_grad/,$p' out.c
