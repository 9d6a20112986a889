# SPDX-License-Identifier: Apache-2.0
# The native engine with a compiler that is absent, fails, hangs, writes what is no library; then a good one.
cp "$ROOT/tests/cli/cases/f.ir" .
export CHAAC_CACHE_DIR="$PWD/cache" TMPDIR="$PWD"
run() { chaac run f.ir --engine=native --size n=3 1,2,3; }
try() { # what the compiler does
    printf '#!/bin/sh\n%s\n' "$1" > bad-cc
    chmod +x bad-cc
    CHAAC_CC=./bad-cc CHAAC_CC_SECONDS=1 run 2>&1 | sed "s|$PWD|.|g; s|chaac-[A-Za-z0-9]*/|chaac-X/|g"
}
CHAAC_CC=./no-such-cc run
try 'exit 3'
ls chaac-*/code.c | wc -l
try 'sleep 100'
try 'exit 0'
try 'while [ "$1" != -o ]; do shift; done; mkdir "$2"'
try 'while [ "$1" != -o ]; do shift; done; mkfifo "$2"'
try 'while [ "$1" != -o ]; do shift; done; ln -s /dev/zero "$2"; touch "$2.more"'
try 'while [ "$1" != -o ]; do shift; done; truncate -s 100G "$2"'
ls -d chaac-* | wc -l
try 'while [ "$1" != -o ]; do shift; done; echo garbage > "$2"'
chaac cache list
run && chaac cache list > list 2> /dev/null && wc -l < list
entry=$(echo cache/*.code)
printf 'x' | dd of="$entry" bs=1 seek=5000 conv=notrunc 2> /dev/null
run 2>&1 | sed 's|entry [0-9a-f.]*|entry ID|'
sum() { sed 's/^[0-9a-f]*:/ID:/; s/[0-9]* bytes/N bytes/'; }
chaac cache verify 2>&1 | sum
printf 'x' | dd of="$entry" bs=1 seek=9000 conv=notrunc 2> /dev/null
chaac cache verify 2>&1 | sum
run && chaac cache list --json 2> /dev/null > json
sed 's/"name": "[0-9a-f]*/"name": "ID/; s/"bytes": [0-9]*, "used": "[^"]*"/"bytes": N, "used": TIME/' json
chaac cache clear 2>&1 | sum
chaac cache list
chaac cache
chaac cache mend
CHAAC_CACHE_DIR=off chaac cache list
CHAAC_CACHE_DIR=some/where chaac cache list
CHAAC_CACHE_DIR=some/where run
ls | sed 's/chaac-.*/chaac-X/'
