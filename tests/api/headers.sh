#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# headers.sh - compiles each public header alone, twice included, as C11 and as C++17, with all warnings: CC CXX.
set -u
cd "$(dirname "$0")/../.."
cc=$1 cxx=$2
n=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT
compile() {
    name=$1
    shift
    n=$((n + 1))
    if printf '#include <chaac/%s>\n#include <chaac/%s>\n' "$header" "$header" |
        "$@" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -Iinclude - >"$out" 2>&1; then
        echo "ok $n - $name"
    else
        sed 's/^/# /' "$out"
        echo "not ok $n - $name"
    fi
}
for path in include/chaac/*.h; do
    header=${path#include/chaac/}
    compile "$header as C11" "$cc" -x c -std=c11
    compile "$header as C++17" "$cxx" -x c++ -std=c++17
done
echo "1..$n"
