# SPDX-License-Identifier: Apache-2.0
"""deftable.py - reads the .def tables of the tree for the generators."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def unquoted(part):
    """A bare word as it is; the text of one or more string literals."""
    if '"' not in part:
        return part.strip()
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', part)).replace('\\"', '"')


def def_rows(path, macros):
    """(macro, its arguments) of each row of a .def file; strings unquoted and joined. macros: names between bars."""
    for found in re.finditer(rf"^({macros})\((.*?)\)[ ]*$", read(path), re.M | re.S):
        parts = re.findall(r'((?:\s*"(?:[^"\\]|\\.)*"\s*)+|[^",]+)(?:,|$)', found.group(2))
        yield found.group(1), [unquoted(p) for p in parts]
