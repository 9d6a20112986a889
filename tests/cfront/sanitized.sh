#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sanitized.sh - what chaac grad writes, under ASan and UBSan: sanitized.sh CHAAC GENERATE. By gcc and by clang: the
# edges, the sixteen functions of adbench, and random functions. TAP.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
chaac=$(realpath "$1") generate=$(realpath "$2")
root=$(dirname "$(dirname "$here")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# At -O0, where nothing is optimized away before it is looked at and compilers take a fifth of the time.
flags="-std=c11 -g1 -O0 -w -fno-builtin -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all"
include="-I$root/include -I$here -I$root/tests/data/adbench -I$root/tests/adbench"
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
count=0 failed=0
check() { # NAME COMMAND...
    name=$1
    shift
    count=$((count + 1))
    if "$@" >"$folder/out" 2>&1; then
        echo "ok $count - $name"
    else
        failed=1
        sed 's/^/# /' "$folder/out" | head -40
        echo "not ok $count - $name"
    fi
}
cd "$folder"
"$chaac" grad -o edges.grad.c "$here/edges.c" -- $include
"$chaac" grad -o adbench.grad.c "$root/tests/adbench/directives.c" "$root"/tests/data/adbench/primal/*.c -- $include
"$generate" . 11 30 >/dev/null
"$chaac" grad -o random.grad.c random.c -- $include
for cc in gcc clang; do
    if ! command -v $cc >/dev/null; then
        count=$((count + 1))
        echo "ok $count # SKIP $cc is not installed"
        continue
    fi
    # shellcheck disable=SC2086  # lists
    {
        $cc $flags $include -DEDGES_GENERATED -include edges_memory.h -c edges.grad.c -o edges.o
        $cc $flags $include "$here/edges.c" "$here/test_edges.c" edges.o -o edges -lm
        $cc $flags $include "$root/tests/adbench/adbench.c" "$root"/tests/data/adbench/primal/*.c adbench.grad.c \
            -o adbench -lm -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free
        $cc $flags $include -I. "$here/test_random.c" random.c random.grad.c -o random -lm
    }
    check "$cc: no elements, many turns, no memory" ./edges
    check "$cc: adbench" ./adbench "$root/tests/data/adbench"
    check "$cc: random functions" ./random
done
echo "1..$count"
exit $failed
