#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh - installs into a folder and builds a consumer against it through pkg-config, shared and static.
set -eu
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
DESTDIR=$root PREFIX=/usr ./run install
for file in usr/bin/chaac usr/include/chaac/chaac.h; do
    [ -e "$root/$file" ] || { echo "install: no $file" >&2; exit 1; }
done
pc=$(dirname "$(find "$root" -name chaac.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH="$pc" PKG_CONFIG_SYSROOT_DIR="$root"
cc=${CC:-cc}
# shellcheck disable=SC2046  # the flags are words
"$cc" -std=c11 tests/install/consumer.c -o "$root/shared" $(pkg-config --cflags --libs chaac)
LD_LIBRARY_PATH=$lib "$root/shared"
readelf -d "$root/shared" | grep -q 'libchaac\.so\.0' || { echo "install: soname is not libchaac.so.0" >&2; exit 1; }
# shellcheck disable=SC2046
"$cc" -std=c11 tests/install/consumer.c -o "$root/static" $(pkg-config --cflags chaac) "$lib/libchaac.a" \
    -lm -ldl -lpthread -lz
"$root/static"
LD_LIBRARY_PATH=$lib "$root/usr/bin/chaac" env >/dev/null
