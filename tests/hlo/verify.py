#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify - StableHLO text of this project looked at by other people's readers.

usage: verify.py ROUNDTRIP VECTORS CHAAC DEVICES FOLDER...

ROUNDTRIP spills what it writes (a part of the op matrix, random funcs); CHAAC writes the funcs of DEVICES (collectives,
shardings) and the programs of each FOLDER in both forms. Each of the readers below that is there parses all of it;
those that can verify it do. One that is not there is a skip that names it. jaxlib is that of the Python that runs this.
Gradients of the programs are written too: their tapes are arrays. jaxlib's reference interpreter computes the values of
the programs from what is written.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

CHECK = """
import sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, stablehlo
context = mlir.make_ir_context()
for path in sys.argv[1:]:
    try:
        with context:
            ir.Module.parse(open(path, encoding="utf-8").read()).operation.verify()
    except Exception as e:
        print(path, " ".join(str(e).split()))
"""


VALUES = """
import sys
import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, stablehlo
context = mlir.make_ir_context()
kinds = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "u32": np.uint32, "bool": np.bool_}
def array(words):
    at = words.index(":")
    values = [float.fromhex(w) if "x" in w else float(w) for w in words[at + 1:]]
    return np.array(values).astype(kinds[words[0]]).reshape([int(w) for w in words[1:at]])
def attribute(a):
    if a.dtype == np.bool_:
        return ir.DenseElementsAttr.get(np.ascontiguousarray(a))
    kind = ir.IntegerType.get_unsigned(32) if a.dtype == np.uint32 else None
    return ir.DenseElementsAttr.get(np.ascontiguousarray(a), type=kind, shape=a.shape)
for path in sys.argv[1:]:
    text, values = path.split(":")
    given, wanted, near = [], [], (0, 0)
    for line in open(values, encoding="utf-8"):
        words = line.split()
        if words[0] == "tolerance": near = float(words[1]), float(words[2])
        if words[0] == "in": given.append(array(words[1:]))
        if words[0] == "out": wanted.append(array(words[1:]))
    try:
        with context:
            module = ir.Module.parse(open(text, encoding="utf-8").read())
            got = stablehlo.eval_module(module, [attribute(a) for a in given])
            for k, (x, y) in enumerate(zip(got, wanted)):
                x = np.array([bool(v) for v in x] if y.dtype == np.bool_ else x).reshape(y.shape)
                if not np.allclose(x, y, *near, equal_nan=True):
                    print(text, "result", k, "differs by", np.abs(x.astype(float) - y).max())
    except Exception as e:
        print(text, " ".join(str(e).split()))
"""


def with_interpreter(files):
    """A child process for each: the interpreter ends its process at what it does not know."""
    if subprocess.run([sys.executable, "-c", "import jax, jaxlib"], capture_output=True, check=False).returncode:
        return None
    said, died = [], []
    for pair in files:
        one = subprocess.run([sys.executable, "-c", VALUES, pair], capture_output=True, text=True, check=False)
        said += one.stdout.splitlines()
        if one.returncode:
            died.append(os.path.basename(pair) + ": " + " ".join(one.stderr.split())[:200])
    for line in died:
        print("# not known to it: " + line)
    if len(died) > len(files) // 2:
        said.append("it knows less than half of them")
    return said


def with_jaxlib(files):
    found = subprocess.run([sys.executable, "-c", "import jax, jaxlib"], capture_output=True, check=False)
    if found.returncode:
        return None
    said = []
    for at in range(0, len(files), 500):  # a child process for each part: a reader that dies takes only that with it
        part = subprocess.run([sys.executable, "-c", CHECK, *files[at:at + 500]], capture_output=True, text=True,
                              check=False)
        said += part.stdout.splitlines()
        if part.returncode:
            said.append(part.stderr[-300:])
    return said


def found(tool):
    """On the PATH, or beside this Python or the one of the benchmarks: wheels put their programs there."""
    for python in (sys.executable, os.environ.get("CHAAC_BENCH_PYTHON", "")):
        beside = os.path.join(os.path.dirname(python), tool)
        if python and os.access(beside, os.X_OK):
            return beside
    return shutil.which(tool)


def with_tool(tool, *flags):
    """Many files in one process, as parts of one text; where that fails, each in its own."""
    def fails(program, path):
        return subprocess.run([program, *flags, "--split-input-file", "-o", os.devnull, path], capture_output=True,
                              text=True, check=False)

    def run(files):
        program = found(tool)
        if program is None:
            return None
        said = []
        for at in range(0, len(files), 100):
            part = files[at:at + 100]
            with tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="utf-8") as out:
                out.write("\n// -----\n".join(open(path, encoding="utf-8").read() for path in part))
                out.flush()
                if fails(program, out.name).returncode == 0:
                    continue
            one_by_one = [(path, fails(program, path)) for path in part]
            said += [f"{path} {one.stderr[:300]}" for path, one in one_by_one if one.returncode]
        return said
    return run


def generic(path):
    with open(path, encoding="utf-8") as file:
        return file.read(1) == '"'


def without_shardings(files):
    """IREE has no dialect sdy: those texts are the others' alone."""
    return [f for f in files if "sdy." not in open(f, encoding="utf-8").read()]


def main():
    roundtrip, vectors, chaac, devices, *folders = sys.argv[1:]
    with tempfile.TemporaryDirectory() as where:
        subprocess.run([roundtrip, vectors, "1", "40", where], stdout=subprocess.DEVNULL, check=False)
        values = []
        sources = sorted(glob.glob(devices + "/*.ir"))
        for folder in folders:
            sources += sorted(glob.glob(folder + "/*.mlir"))
        for source in sources:
            gradient = os.path.join(where, "gradient.ir")
            with open(gradient, "w", encoding="utf-8") as out: # of those whose first result is a floating scalar
                made = subprocess.run([chaac, "grad", source], stdout=out, stderr=subprocess.DEVNULL, check=False)
            if made.returncode == 0:
                text = subprocess.run([chaac, "hlo", gradient], capture_output=True, text=True, check=False)
                if text.returncode == 0:
                    name = os.path.join(where, os.path.basename(source) + "-gradient.mlir")
                    with open(name, "w", encoding="utf-8") as out:
                        out.write(text.stdout)
            for form in ([], ["--generic"]):
                name = os.path.join(where, os.path.basename(source) + ("-generic" if form else "-pretty") + ".mlir")
                with open(name, "w", encoding="utf-8") as out:
                    subprocess.run([chaac, "hlo", source, *form], stdout=out, check=True)
                if not form and source.endswith(".mlir") and os.path.getsize(source) < 40000:
                    values.append(f"{name}:{source[:-5]}.txt")
        files = sorted(glob.glob(where + "/*.mlir"))
        readers = [("jaxlib parses and verifies", with_jaxlib, files),
                   ("jaxlib's reference interpreter gives the values", with_interpreter, values),
                   ("iree-opt parses and verifies all without shardings", with_tool("iree-opt"),
                    without_shardings(files)),
                   ("mlir-opt-19 parses the generic form",
                    with_tool("mlir-opt-19", "--allow-unregistered-dialect"), [f for f in files if generic(f)])]
        print(f"1..{len(readers)}\n# {len(files)} texts")
        failed = False
        for i, (name, look, some) in enumerate(readers, 1):
            said = look(some)
            for line in (said or [])[:10]:
                print("# " + line[:400])
            print(f"{'not ' if said else ''}ok {i} - {name}" + (" # SKIP it is not installed" if said is None else ""))
            failed = failed or bool(said)
    return failed


sys.exit(main())
