#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exports.py - every function that a public header declares is exported, and nothing else is: LIBRARY.

And every operation and composite of the IR has a function for tensors, with words of its own above it in the header.
"""
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


# Operations that tensors reach by functions of other names, and those that only derivatives and C programs need.
OTHER = {"const": "full", "call": "func_apply", "composite": "custom", "if": "if", "for": "for", "while": "while",
         "top_k": "top_k"}
IR_ONLY = {"alloc", "tape_new", "push", "pop"}  # memory and tapes of loops: a tensor is a value
COMPOSITES = """relu leaky_relu gelu gelu_tanh silu softplus softmax log_softmax logsumexp mean var std layer_norm
rms_norm batch_norm group_norm cross_entropy one_hot attention rope swiglu dropout embedding max_pool avg_pool
conv_transpose solve solve_spd inv det logdet norm rng_uniform rng_normal paged_attention kv_cache_write
dequantize""".split()


def read(path):
    with open(f"{ROOT}/{path}", encoding="utf-8") as f:
        return f.read()


def missing_functions(names):
    """Operations without a function, functions without words."""
    table = read("src/tensor/functions.def")
    rows = re.findall(r'^FN\((\w+), +"(?:[^"\\]|\\.)*", +"([^"]*)"', table, flags=re.M)
    reached = {op for _, ops in rows for op in ops.split()} | {name for name, _ in rows}
    trouble = []
    for op in re.findall(r"^OP\((\w+)", read("src/ir/ops.def"), flags=re.M):
        other = OTHER.get(op, op)
        if op not in reached and op not in IR_ONLY and f"ch_{other}_at" not in names and f"ch_{other}" not in names:
            trouble.append(f"operation {op}")
    trouble += [f"composite {c}" for c in COMPOSITES if f"ch_{c}_at" not in names and f"ch_{c}" not in names]
    header = read("include/chaac/ops.h").splitlines()
    for i, line in enumerate(header):
        found = re.match(r"CH_API [^(]*?(ch_\w+)\(", line)
        before = header[i - 1] if i else ""
        if found and not before.startswith(("//", "#define", "CH_API", "    ")):
            trouble.append(f"no words above {found.group(1)}")
    return trouble


def main():
    said = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], stdout=subprocess.PIPE, text=True, check=True)
    exported = {line.split()[-1] for line in said.stdout.splitlines() if line.split()[-1].startswith("ch_")}
    names = declared()
    print(f"1..{len(names) + 2}")
    for i, (name, header) in enumerate(sorted(names.items()), 1):
        print(f"{'ok' if name in exported else 'not ok'} {i} - {header} declares {name}")
    extra = sorted(exported - set(names))
    print(f"{'not ok' if extra else 'ok'} {len(names) + 1} - nothing else is exported {' '.join(extra)}".rstrip())
    lacking = missing_functions(names)
    print(f"{'not ok' if lacking else 'ok'} {len(names) + 2} - every operation and composite is a function "
          f"{', '.join(lacking)}".rstrip())


main()
