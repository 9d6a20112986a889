#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""codes.py - every code of src/cfront/codes.def has its test and its row in docs/c-gradients.md: codes.py [--write].

tests/cfront/refusals/CODE.c holds a function where it matters and, unless the code cannot be on a path that does not
matter, one called `inactive` where it does not; CODE.err is the exact text. --write renews the rows of the docs."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REFUSALS = os.path.join(ROOT, "tests/cfront/refusals")
DOCS = os.path.join(ROOT, "docs/c-gradients.md")
# They are about directives, prototypes and rules, not about what stands on a path.
ABOUT_DIRECTIVES = {"CH101", "CH103", "CH105", "CH106", "CH143", "CH144", "CH150"}
NO_TEST = {"CH199"}  # a bug, by definition


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def codes():
    return re.findall(r'^CODE\("(CH\d+)", "(.*)"\)$', read(os.path.join(ROOT, "src/cfront/codes.def")), re.M)


def troubles(code):
    if code in NO_TEST:
        return
    stem = os.path.join(REFUSALS, code)
    if not os.path.exists(stem + ".c") or not os.path.exists(stem + ".err"):
        yield f"{code}: there is no tests/cfront/refusals/{code}.c with its .err"
        return
    source, err = read(stem + ".c"), read(stem + ".err")
    kind = "warning" if code == "CH106" else "error"
    if not re.search(rf": {kind}: .*\[{code}\]$", err, re.M):
        yield f"{code}: no {kind} of this code in {code}.err"
    inactive = re.search(r"^double inactive\(", source, re.M) is not None
    if code not in ABOUT_DIRECTIVES and not inactive:
        yield f"{code}: {code}.c has no function `inactive`"
    if inactive and re.search(r"needed by the \w+ of 'inactive'", err):
        yield f"{code}: the function `inactive` is refused"


def main():
    rows = "".join(f"| {code} | {what} |\n" for code, what in codes())
    table = "| code | what |\n|---|---|\n"
    docs = read(DOCS)
    head, tail = docs.split(table)
    rest = "".join(line for line in tail.splitlines(True) if not line.startswith("| "))
    wanted = head + table + rows + rest
    if "--write" in sys.argv:
        with open(DOCS, "w", encoding="utf-8") as f:
            f.write(wanted)
    print(f"1..{len(codes()) + 1}")
    failed = docs != wanted and "--write" not in sys.argv
    print(f"{'not ok' if failed else 'ok'} 1 - the table of docs/c-gradients.md is that of codes.def")
    for i, (code, _) in enumerate(codes(), 2):
        found = list(troubles(code))
        for what in found:
            print("#", what)
        failed = failed or found
        print(f"{'not ok' if found else 'ok'} {i} - {code}")
    sys.exit(1 if failed else 0)


main()
