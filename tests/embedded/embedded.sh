#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# embedded.sh - examples/embedded and chaac build --shared, by every compiler found and for arm64 where one can be made:
# embedded.sh CHAAC. The same pictures, the same numbers, nothing of an operating system.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
chaac=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case_number=0
arm=aarch64-linux-gnu
report() { # STATUS NAME
    case_number=$((case_number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $case_number - $2"
    else
        sed 's/^/# /' "$folder/log"
        echo "not ok $case_number - $2"
    fi
}
skip() { # NAME REASON
    case_number=$((case_number + 1))
    echo "ok $case_number - $1 # SKIP $2"
}
cp "$root"/examples/embedded/* "$folder"
cd "$folder" || exit 1

# Built and run; what the objects leave open is libm's, memcpy and memset, and the program's own.
digits() { # CC [make arguments]
    compiler=$1
    shift
    make clean >/dev/null && make CHAAC="$chaac" CC="$compiler" "$@" >log 2>&1 && ./check_output &&
        ! nm -u main.o step.o guess.o | grep ' U ' |
            grep -vE ' U (expf|logf|tanhf|memcpy|memset|guess|step|put)$' >>log
}
cat >check_output <<'END'
#!/bin/sh
grep -qx "of 1000 new pictures at least 950 are read: yes" log && grep -qx "bytes of memory for a step: 13568" log
END
chmod +x check_output
for compiler in gcc clang; do
    if command -v $compiler >/dev/null; then
        digits $compiler
        report $? "digits are learnt without an allocator ($compiler)"
    else
        skip "digits are learnt without an allocator ($compiler)" "there is no $compiler here"
    fi
done
if ! command -v $arm-gcc >/dev/null; then
    skip "digits are learnt on arm64" "there is no $arm-gcc here"
elif ! command -v qemu-aarch64 >/dev/null; then
    skip "digits are learnt on arm64" "there is no qemu-aarch64 here"
else
    digits $arm-gcc LDFLAGS=-static RUN=qemu-aarch64
    report $? "digits are learnt on arm64"
fi

# A program that knows no model: it opens the library, reads the table, runs it.
cp "$here/loader.c" .
if make clean >/dev/null && make step.ir CHAAC="$chaac" >log 2>&1 &&
    "$chaac" build step.ir --func=step --size n=4 -o step --shared >>log 2>&1 &&
    "${CC_LOADER:-cc}" -O1 -o loader loader.c -ldl >>log 2>&1 && ./loader ./step.so >out 2>>log; then
    cat out >>log
    grep -qx "step: 11 in, 9 out" out && grep -qx "in 2 w1 f32\[64,32\] 8192 bytes, becomes 1" out &&
        grep -qx "run: 0, out 0 finite, in 2 changed" out
    report $? "a shared library with a table"
else
    report 1 "a shared library with a table"
fi
if command -v $arm-gcc >/dev/null; then
    rm -f step.so
    CHAAC_TARGET=$arm "$chaac" build step.ir --func=step --size n=4 -o step --shared >log 2>&1 &&
        readelf -h step.so | grep -q AArch64
    report $? "a library for CHAAC_TARGET"
else
    skip "a library for CHAAC_TARGET" "there is no $arm-gcc here"
fi
echo "1..$case_number"
