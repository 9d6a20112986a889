# SPDX-License-Identifier: Apache-2.0
# Flags from a compilation database; where there is none it says so.
cp "$ROOT/tests/cfront/cases/small.c" .
printf '[{"directory": "%s", "file": "small.c", "arguments": ["cc", "-c", "-I%s/include", "-o", "x.o", "small.c"]}]' \
    "$PWD" "$ROOT" >compile_commands.json
chaac grad -p . small.c | tail -n 6
chaac grad -p /nowhere small.c
