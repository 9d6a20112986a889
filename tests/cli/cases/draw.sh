# SPDX-License-Identifier: Apache-2.0
chaac draw "$ROOT/tests/cli/cases/loops.ir"
chaac draw "$ROOT/tests/cli/cases/f.ir" --after=simplify --out=f.svg && head -1 f.svg
chaac draw "$ROOT/tests/cli/cases/f.ir" --format=dot
chaac draw "$ROOT/tests/cli/cases/f.ir" --format=png
echo $?
chaac draw "$ROOT/tests/cli/cases/f.ir" --after=nothing
echo $?
chaac draw
echo $?
chaac draw "$ROOT/tests/cli/cases/f.ir" --out=no/such/folder.svg
echo $?
