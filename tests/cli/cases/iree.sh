# SPDX-License-Identifier: Apache-2.0
# The iree engine with programs that are absent, fail, hang, write garbage, write the wrong thing.
cp "$ROOT/tests/cli/cases/f.ir" .
mkdir bin tmp
export CHAAC_IREE_BIN="$PWD/bin" CHAAC_IREE_SECONDS=1 TMPDIR="$PWD/tmp"
try() { # what the compiler does; what the runner does
    printf '#!/bin/sh\n%s\n' "$1" > bin/iree-compile
    printf '#!/bin/sh\n%s\n' "$2" > bin/iree-run-module
    chmod +x bin/*
    chaac run f.ir --engine=iree --size n=3 1,2,3 2>&1 | sed "s|$PWD|.|g; s|chaac-[A-Za-z0-9]*/|chaac-X/|g"
    ls tmp
}
last='for a; do last=$a; done'
module="$last"'; printf "PK\003\004 $*" > "$last"'
result() { # dtype and shape of what is written, and its bytes
    printf '%s\n' 'for a; do case $a in --output=@*) out=${a#--output=@};; esac; done'
    dict="{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
    printf '%s\n' "printf '\\223NUMPY\\001\\000\\166\\000%-117s\\n' \"$dict\" > \$out"
    printf '%s\n' "printf '$3' >> \$out"
}
chaac run f.ir --engine=iree --size n=3 1,2,3 2>&1 | sed "s|$PWD|.|g"
env -u VIRTUAL_ENV -u CONDA_PREFIX CHAAC_IREE_BIN= PATH=/nowhere HOME=/nowhere "$(command -v chaac)" run f.ir \
    --engine=iree --size n=3 1,2,3 2>&1
echo '# the compiler'
try 'exit 3' true
try 'echo noise; echo "program.mlir:2:3: error: failed to legalize operation"; exit 1' true
try 'sleep 100' true
try true true
try "$last"'; echo garbage > "$last"' true
echo '# the runner'
try "$module" 'echo "EXEC @main"; echo "invocation.c:103: INVALID_ARGUMENT; input list and function mismatch"; exit 1'
try "$module" 'kill -SEGV $$'
try "$module" 'sleep 100'
try "$module" true
try "$module" "$(result '<f4' '()' '\0\0\200\077')"
try "$module" "$(result '<f8' '(1,)' '\0\0\0\0\0\0\360\077')"
try "$module" "$(result '<f8' '()' '\0\0\0\0')"
try "$module" "$(result '<f8' '()' '\0\0\0\0\0\0\054\100')"
echo '# a disk that is full'
full() { # BLOCKS: files of so many times 512 bytes; 200 numbers have 1,600
    (trap '' XFSZ; ulimit -f "$1"; chaac run f.ir --engine=iree --size n=200 "$(seq -s, 200)" 2>&1) |
        sed "s|$PWD|.|g; s|chaac-[A-Za-z0-9]*/|chaac-X/|g"
    ls tmp
}
try "$module" true > /dev/null
full 2
full 0
echo '# what they are asked'
try "$module" 'echo "$@"; tail -c +6 "${1#--module=}"; od -An -tx1 "${4#--input=3xf64=@}"; exit 1' | head -1
try "$last"'; printf "PK\003\004" > "$last"; echo "$@" > asked' "$(result '<f8' '()' '\0\0\0\0\0\0\054\100')"
sed "s|$PWD|.|g; s|chaac-[A-Za-z0-9]*/|chaac-X/|g" asked
CHAAC_IREE_TARGET=cuda:sm_80 try "$last"'; printf "PK\003\004" > "$last"; echo "$@" > asked' \
    'for a; do case $a in --device=*) echo $a;; esac; done; exit 1'
grep -o 'iree-hal-target-device=[a-z]* --iree-cuda-target=[a-z_0-9]*' asked
CHAAC_IREE_TARGET=cuda try "$last"'; printf "PK\003\004" > "$last"; echo "$@" > asked' 'exit 1' > /dev/null
grep -c iree-cuda-target asked
CHAAC_IREE_TARGET=tpu try true true
echo '# a doctor without it'
rm bin/*
chaac doctor | grep '^  iree' | sed "s|$PWD|.|g"
chaac doctor --json | grep -o '"iree", "works": false, "error": "iree: CHAAC_IREE_BIN'
