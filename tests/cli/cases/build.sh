# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cli/cases/f.ir" "$ROOT/tests/cli/cases/loops.ir" .
chaac build f.ir --size n=3 -o three && sed -n '/_ARENA_BYTES [0-9]/p;/^int /p' three.h
cc -std=c99 -Wall -Wextra -Wpedantic -Werror -c three.c && echo compiles
chaac build f.ir -o f
chaac build f.ir --size n=3 --size m=4 -o f
chaac build f.ir --size n=3
chaac build f.ir --size n=x -o f
chaac build f.ir --size n=3 -o 3f
chaac build f.ir --size n=3 --update=x=nothing -o f
chaac build f.ir --size n=3 -o f -- -O3
CHAAC_CC=no-such-compiler chaac build f.ir --size n=3 -o f --shared
CHAAC_TARGET=no-such-machine CHAAC_CC= PATH="$(dirname "$(command -v chaac)")" chaac build f.ir --size n=3 -o f --shared
chaac grad loops.ir --mode=vjp > g.ir
chaac build g.ir --size n=3 -o g
chaac build g.ir --size n=3 -o g --heap=4096
