#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pictures.py - draws every func of the tests' IR files and looks at the pictures: COMMAND.

As SVG: well-formed; no two boxes overlap unless one lies in the other; every text lies in its box; everything lies in
the picture; no edge ends in the open; a second drawing has the same bytes. As text for Graphviz: the braces close and
every edge joins nodes that are there.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SVG = "{http://www.w3.org/2000/svg}"
CHAR = 7.3      # a character of the widest of the fonts named, at 12 px


def cases():
    """(name, IR text) of the cases of golden and derivative files that are meant to be read."""
    for path in sorted(glob.glob(f"{ROOT}/tests/golden/ir/*.ir") + glob.glob(f"{ROOT}/tests/derivatives/*.ir")
                       + glob.glob(f"{ROOT}/tests/cli/cases/*.ir")):
        with open(path, encoding="utf-8") as f:
            parts = re.split(r"^// case: (.*)\n", f.read(), flags=re.M)
        texts = [("", parts[0])] if len(parts) == 1 else list(zip(parts[1::2], parts[2::2]))
        for name, text in texts:
            if "expect error" not in text and "func @" in text:
                if "chaac-ir " not in text:
                    text = "chaac-ir 1\n" + text
                yield f"{os.path.relpath(path, ROOT)} {name}".strip(), text


def rectangle(r):
    return tuple(float(r.get(k, "0")) for k in ("x", "y", "width", "height"))


def apart(a, b):
    return a[0] + a[2] <= b[0] or b[0] + b[2] <= a[0] or a[1] + a[3] <= b[1] or b[1] + b[3] <= a[1]


def inside(a, b):
    return b[0] <= a[0] and b[1] <= a[1] and a[0] + a[2] <= b[0] + b[2] and a[1] + a[3] <= b[1] + b[3]


def look_at_svg(text):
    root = ElementTree.fromstring(text)
    whole = (0, 0, float(root.get("width")), float(root.get("height")))
    boxes = [rectangle(r) for r in root.iter(SVG + "rect")]
    for i, a in enumerate(boxes):
        if not inside(a, whole):
            return f"a box at {a} lies outside of the picture"
        for b in boxes[:i]:
            if not (apart(a, b) or inside(a, b) or inside(b, a)):
                return f"boxes at {a} and {b} overlap"
    for g in root.iter(SVG + "g"):
        box = rectangle(g.find(SVG + "rect"))
        for t in g.findall(SVG + "text"):
            wide = (float(t.get("x")), float(t.get("y")) - 10, len(t.text) * CHAR, 12)
            if not inside(wide, box):
                return f"the text {t.text!r} leaves its box"
    for p in root.iter(SVG + "path"):
        if p.get("class") != "edge":
            continue
        numbers = [float(x) for x in re.findall(r"-?\d+", p.get("d"))]
        ends = numbers[:2], numbers[-2:]
        if not any(abs(b[1] + b[3] - ends[0][1]) < 1 and b[0] <= ends[0][0] <= b[0] + b[2] for b in boxes):
            return f"an edge begins at {ends[0]}, at no box"
        if not any(abs(b[1] - ends[1][1]) < 1 and b[0] <= ends[1][0] <= b[0] + b[2] for b in boxes):
            return f"an edge ends at {ends[1]}, at no box"
    return None


def look_at_dot(text):
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    if bare.count("{") != bare.count("}"):
        return "braces do not close"
    nodes = set(re.findall(r"^\s*(n\d+) \[shape", bare, re.M))
    for edge in re.findall(r"(n\d+) -> (n\d+)", bare):
        if not set(edge) <= nodes:
            return f"the edge {edge} joins what is not there"
    return None if nodes else "no nodes"


def main():
    command = os.path.abspath(sys.argv[1])
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in cases():
            path = os.path.join(folder, "case.ir")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)

            def draw(*more):
                return subprocess.run([command, "draw", path, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            svg, dot = draw(), draw("--format=dot")
            trouble = None
            if svg.returncode or dot.returncode:
                trouble = (svg.stdout if svg.returncode else dot.stdout).decode(errors="replace")
            elif draw().stdout != svg.stdout:
                trouble = "drawn again, it is another picture"
            else:
                trouble = look_at_svg(svg.stdout.decode()) or look_at_dot(dot.stdout.decode())
            n += 1
            if trouble:
                print("\n".join("# " + x for x in trouble.rstrip().split("\n")))
            print(f"{'not ok' if trouble else 'ok'} {n} - {name}", flush=True)
    print(f"1..{n}")


main()
