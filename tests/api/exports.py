#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exports.py - every function that a public header declares is exported, and nothing else is: LIBRARY."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def declared():
    names = {}
    for path in sorted(glob.glob(f"{ROOT}/include/chaac/*.h")):
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"//[^\n]*", "", f.read())
        text = re.sub(r"^\s*#\s*define\s+CH_API.*$", "", text, flags=re.M)
        for found in re.finditer(r"\bCH_API\b[^;{]*;", text):
            name = re.search(r"\b(ch_\w+)\s*(\(|\[|;)", re.sub(r"__attribute__\s*\(\(.*?\)\)", "", found.group(0)))
            if name:
                names[name.group(1)] = os.path.basename(path)
    return names


def main():
    said = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], stdout=subprocess.PIPE, text=True, check=True)
    exported = {line.split()[-1] for line in said.stdout.splitlines() if line.split()[-1].startswith("ch_")}
    names = declared()
    print(f"1..{len(names) + 1}")
    for i, (name, header) in enumerate(sorted(names.items()), 1):
        print(f"{'ok' if name in exported else 'not ok'} {i} - {header} declares {name}")
    extra = sorted(exported - set(names))
    print(f"{'not ok' if extra else 'ok'} {len(names) + 1} - nothing else is exported {' '.join(extra)}".rstrip())


main()
