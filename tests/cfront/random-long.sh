#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# random-long.sh - many random C functions in chunks: random-long.sh CHAAC GENERATE SEED COUNT FOLDER.
#
# Each build of the command has a folder of its own in FOLDER. Its log has a line a chunk and can be gone on with: what
# is there is not done again. At the end the constructs of all functions that ran are counted: none may be in fewer than
# a twentieth of them. Chunks that fail leave their output.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
chaac=$1 generate=$2 seed=$3 count=$4 folder=$5/$(sha256sum "$1" | cut -c1-16)
chunk=${CHUNK:-100}
mkdir -p "$folder"
touch "$folder/log"
first=0
while [ $first -lt "$count" ]; do
    if ! grep -q "^$first " "$folder/log"; then
        if OPT=${OPT:--O0} "$here/random.sh" "$chaac" "$generate" "$seed" "$chunk" $first \
            >"$folder/$first.out" 2>&1; then
            echo "$first ok" >>"$folder/log"
        else
            echo "$first failed" >>"$folder/log"
            cp "$folder/$first.out" "$folder/failed-$first"
        fi
    fi
    first=$((first + chunk))
done
awk '/^# .* of [0-9]+, / {
         at = match($0, / +[0-9]+ of /); name = substr($0, 3, at - 3); split(substr($0, at), f, " ")
         uses[name] += f[1]; of[name] += f[3]; if (!(name in order)) { order[name] = ++n; names[n] = name }
     }
     END { for (i = 1; i <= n; i++) printf "%-28s %6d of %d, %.1f %%\n", names[i], uses[names[i]], of[names[i]],
           100 * uses[names[i]] / of[names[i]] }' "$folder"/*.out | tee "$folder/summary"
echo "chunks of $chunk: $(grep -c ' ok' "$folder/log" || true) right, $(grep -c ' failed' "$folder/log" || true) not"
! awk '$(NF - 1) < 5' "$folder/summary" | grep . || { echo 'in fewer than a twentieth'; exit 1; }
! grep -q ' failed' "$folder/log"
