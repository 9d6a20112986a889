#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_vectors - makes the expected values of the test matrix of every op (tests/ops/vectors/*.vec.gz).

usage: gen_vectors            write every file and MANIFEST
       gen_vectors --check    make them anew and compare with what is there
       gen_vectors FAMILY...  only these

Needs Python 3 with numpy, scipy, mpmath, ml_dtypes and jax (CPU); imports nothing of the project. The tests themselves
read the files and need no Python. The numbers are seeded by op and dtype: the same versions make the same bytes.
"""
import datetime
import gzip
import os
import platform
import sys

os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import mpmath  # noqa: E402
import numpy  # noqa: E402
import scipy  # noqa: E402

import gen_attributes  # noqa: E402
import gen_cmath  # noqa: E402
import gen_control  # noqa: E402
import gen_elementwise  # noqa: E402
import gen_movement  # noqa: E402
import gen_reduce  # noqa: E402
from gen_formats import Writer  # noqa: E402

FAMILIES = {
    "attributes": gen_attributes.gen_all,
    "cmath": gen_cmath.gen_all,
    "control": gen_control.gen_all,
    "elementwise": gen_elementwise.gen_all,
    "linear": gen_reduce.gen_linear,
    "movement": gen_movement.gen_all,
    "reduce": gen_reduce.gen_all,
    "transcendental": gen_elementwise.gen_mp,
}
OUT = os.path.join(HERE, "vectors")


def manifest(counts):
    lines = ["The expected values of the op matrix, made by tests/ops/gen_vectors.py.", "",
             f"date: {datetime.date.today().isoformat()}", f"python: {platform.python_version()}"]
    lines += [f"{m.__name__}: {m.__version__}" for m in (numpy, scipy, mpmath, ml_dtypes, jax)]
    return "\n".join(lines + [""] + [f"{n}.vec.gz: {c} cases, {b} bytes" for n, c, b in counts]) + "\n"


def main():
    check = "--check" in sys.argv[1:]
    names = [a for a in sys.argv[1:] if not a.startswith("-")] or sorted(FAMILIES)
    os.makedirs(OUT, exist_ok=True)
    counts, stale = [], 0
    for name in names:
        w = Writer()
        FAMILIES[name](w)
        path = os.path.join(OUT, name + ".vec.gz")
        if check:
            with gzip.open(path) as f:
                if f.read() != w.raw():
                    print(f"gen_vectors: {path} is not what is made now")
                    stale += 1
            continue
        packed = w.packed()
        with open(path, "wb") as f:
            f.write(packed)
        counts.append((name, w.n, len(packed)))
        print(f"{name}: {w.n} cases, {len(packed)} bytes")
    if not check and len(names) == len(FAMILIES):
        with open(os.path.join(OUT, "MANIFEST"), "w", encoding="utf-8") as f:
            f.write(manifest(counts))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
