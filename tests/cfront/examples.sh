#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples.sh - the programs of examples/c, built by their Makefile and run: examples.sh CHAAC. Each checks itself.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$root"/examples/c/* "$folder"
echo 1..1
if make -C "$folder" CHAAC="$(realpath "$1")" CHAAC_CFLAGS="-I$root/include" CC="${CC:-cc}" >"$folder/log" 2>&1; then
    echo "ok 1 - examples of C gradients"
else
    sed 's/^/# /' "$folder/log"
    echo "not ok 1 - examples of C gradients"
fi
