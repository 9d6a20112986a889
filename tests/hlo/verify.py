#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify - StableHLO text of this project looked at by other people's readers.

usage: verify.py ROUNDTRIP VECTORS CHAAC FOLDER

ROUNDTRIP spills what it writes (a part of the op matrix, random funcs); CHAAC writes the programs of FOLDER in both
forms. Each of the readers below that is there parses all of it; those that can verify it do. One that is not there is
a skip that names it. jaxlib is that of the Python that runs this.
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


def with_tool(tool, *flags):
    def run(files):
        if shutil.which(tool) is None:
            return None
        said = []
        for path in files:
            if tool.startswith("mlir-opt") and '"stablehlo.' not in open(path, encoding="utf-8").read():
                continue  # it reads the generic form alone
            one = subprocess.run([tool, *flags, path], capture_output=True, text=True, check=False)
            if one.returncode:
                said.append(f"{path} {one.stderr[:300]}")
        return said
    return run


def generic(path):
    with open(path, encoding="utf-8") as file:
        return file.read(1) == '"'


def main():
    roundtrip, vectors, chaac, folder = sys.argv[1:]
    with tempfile.TemporaryDirectory() as where:
        subprocess.run([roundtrip, vectors, "1", "40", where], stdout=subprocess.DEVNULL, check=False)
        for source in sorted(glob.glob(folder + "/*.mlir")):
            for form in ([], ["--generic"]):
                name = os.path.join(where, os.path.basename(source) + ("-generic" if form else "-pretty") + ".mlir")
                with open(name, "w", encoding="utf-8") as out:
                    subprocess.run([chaac, "hlo", source, *form], stdout=out, check=True)
        files = sorted(glob.glob(where + "/*.mlir"))
        readers = [("jaxlib parses and verifies", with_jaxlib, files),
                   ("iree-opt parses and verifies", with_tool("iree-opt"), files[::20]),
                   ("mlir-opt-19 parses the generic form",
                    with_tool("mlir-opt-19", "--allow-unregistered-dialect"), [f for f in files if generic(f)][::20])]
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
