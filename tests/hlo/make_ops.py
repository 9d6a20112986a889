#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_ops - small StableHLO programs with values that a CPU plugin of XLA printed, in the form of make_jax.py.

usage: make_ops.py SOURCE FOLDER [CHAAC]

SOURCE has ops/NAME.mlir and expected.txt: inputs by pattern (element k: v = (7 k + 3) mod 11; floats 0.5 (v - 5),
signed integers v - 5, unsigned v, bool k mod 3 = 0) and results to 6 digits. Programs in `refused` are those that are
not taken; their message is what CHAAC says, looked at by a person.
"""
import shutil
import subprocess
import sys

source, folder = sys.argv[1:3]
refused = {"mul_c64", "mul_c128", "cvt_i4", "cvt_u4", "cvt_i2", "const_special", "fft", "dynamic", "bounded",
           "bounded_inside", "bounded_out"}
names = {"pred": "bool"}
name, cases = None, {}
for text in open(source + "/expected.txt", encoding="utf-8"):
    word = text.split()
    if not text.startswith(" ") and len(word) == 1:
        name = word[0]
        cases[name] = {"in": [], "out": []}
    elif text.startswith("  ") and word[0] in ("in", "out"):
        cases[name][word[0]].append(word[1:])
for name, case in cases.items():
    shutil.copyfile(f"{source}/ops/{name}.mlir", f"{folder}/{name}.mlir")
    with open(f"{folder}/{name}.txt", "w", encoding="utf-8") as file:
        if name in refused:
            said = subprocess.run([sys.argv[3], "run", f"{name}.mlir", "--pattern"], cwd=folder, capture_output=True,
                                  text=True, check=False).stderr
            said = said.replace("chaac: ", "").replace(" [unsupported]", "").replace(f"{name}.mlir:", f"{name}:")
            for part in said.rstrip("\n").split("\n"):
                file.write(f"refused {part}\n")
            continue
        file.write("tolerance 1e-5 1e-6\n")
        for words in case["in"]:
            for word in words:
                kind, dims = word.split(":")
                dims = [int(d) for d in dims.split("x") if d]
                n, values = 1, []
                for d in dims:
                    n *= d
                for k in range(n):
                    v = (k * 7 + 3) % 11
                    values.append(k % 3 == 0 if kind == "pred"
                                  else 0.5 * (v - 5) if kind[0] in "fb" and kind[:2] != "f8"
                                  else 0.5 + 0.125 * k if kind[:2] == "f8" else v if kind[0] == "u" else v - 5)
                file.write(f"in {names.get(kind, kind)} {' '.join(map(str, dims))} : "
                           f"{' '.join(str(v + 0) for v in values)}".rstrip() + "\n")
        for words in case["out"]:
            kind, dims = words[0].split("[")
            if kind.startswith("type"):
                kind = {"type16": "f8e5m2"}[kind]
                words = words[:1] + [str(w) for w in (0.5, 0.625, 0.75)]
            dims = [d for d in dims.rstrip("]").split(",") if d]
            values = [w.replace("-nan", "nan") for w in words[1:]]
            file.write(f"out {names.get(kind, kind)} {' '.join(dims)} : {' '.join(values)}".rstrip() + "\n")
