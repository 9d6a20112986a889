# SPDX-License-Identifier: Apache-2.0
# tap.sh - for scripts that are tests: ok NAME, right after what it judges, is a TAP line; $log, where there is one, is
# shown behind what failed. $n: how many there were; $failed.
n=0 failed=0 log=${log:-/dev/null}
ok() {
    if [ $? -eq 0 ]; then r=ok; else r='not ok' failed=1; sed 's/^/# | /' "$log"; fi
    n=$((n + 1))
    echo "$r $n - $1"
}
