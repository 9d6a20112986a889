# SPDX-License-Identifier: Apache-2.0
# Derivatives that take their memory from the caller: their sizes, no allocation, the bits of those that allocate.
cp "$ROOT/tests/cfront/cases/workspace.c" "$ROOT/tests/cfront/cases/workspace_main.h" .
set -e
chaac grad --header=workspace.grad.h -o workspace.grad.c workspace.c -- -I"$ROOT/include"
sed -n '/^void square_grad/,$p' workspace.grad.c
grep wsize workspace.grad.h
strict="-Wall -Wextra -Wpedantic -Wconversion -Werror -O1 -fno-builtin -ffp-contract=off"
cc -std=c99 $strict -c workspace.grad.c
nm workspace.grad.o | grep -E ' U (malloc|calloc|realloc|free)$' && echo 'it allocates'
chaac grad -o both.grad.c workspace.c -- -I"$ROOT/include" -DALLOCATING
printf '#include <stddef.h>\nvoid too_small(size_t bytes);\n#define CH_OOM(bytes) too_small(bytes)\n' >oom.h
cc -std=c99 $strict -include ./oom.h -c both.grad.c
cp workspace_main.h main.c
cc -std=c11 -w -O1 -I"$ROOT/include" main.c both.grad.o -lm -o run
./run
