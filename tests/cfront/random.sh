#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# random.sh - random C functions differentiated and checked: random.sh CHAAC GENERATE SEED COUNT [FIRST
# [variants]]. CC: compiler, OPT: -O1.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
chaac=$(realpath "$1") generate=$(realpath "$2") seed=$3 count=$4 first=${5:-0} variants=${6:-}
root=$(dirname "$(dirname "$here")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2086  # nothing when it is empty
"$generate" "$folder" "$seed" "$count" "$first" $variants
cd "$folder"
flags="-fno-builtin -ffp-contract=off ${OPT:--O1}"
fail() {
    echo "not ok 1 - $1"
    echo 1..1
    exit 1
}
"$chaac" grad -o random.grad.c random.c -- -I"$root/include" 2>messages ||
    { sed 's/^/# /' messages | head -40; fail 'chaac grad'; }
# shellcheck disable=SC2086  # a list
${CC:-cc} -std=c99 $flags -Wall -Wextra -Wpedantic -Wconversion -Werror -c random.grad.c -o grad.o 2>messages ||
    { sed 's/^/# /' messages | head -40; [ -z "${KEEP:-}" ] || cp random.* "$KEEP"; fail 'the generated C compiles'; }
# shellcheck disable=SC2086
${CC:-cc} -std=c11 $flags -w -I"$root/include" -I"$here" -I. "$here/test_random.c" random.c grad.o -lm -o test ||
    fail 'the test compiles'
[ -z "${KEEP:-}" ] || cp random.* "$KEEP"
timeout 300 ./test || { [ $? -ne 124 ] || fail "it runs longer than 300 s"; exit 1; }
