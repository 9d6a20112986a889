#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh - runs test programs under a decimal-comma locale, one TAP case each: LIBRARY PROGRAM...
set -u
library=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
if [ ! -f /usr/share/i18n/locales/de_DE ]; then
    echo '1..0 # SKIP no sources of locales here (Debian: package locales)'
    exit 0
fi
if ! localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" >"$folder/log" 2>&1; then
    cat "$folder/log"
    echo 'Bail out! localedef failed'
    exit 1
fi
echo "1..$#"
n=0
for program; do
    n=$((n + 1))
    if LOCPATH=$folder LC_ALL=de_DE.UTF-8 CHAAC_TEST_COMMA=1 LD_PRELOAD=$library "$program" >"$folder/out" 2>&1; then
        echo "ok $n - $(basename "$program")"
    else
        status=$?
        sed 's/^/# /' "$folder/out"
        echo "not ok $n - $(basename "$program"): exit status $status"
    fi
done
