#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""speed.py - how long chaac grad takes: speed.py CHAAC. Each file of adbench 0.3 s at most, 5,000 lines of C 3 s.

Processor time counts, since other programs run here too. The long file is numerical.c four times over, under other
names, with a derivative of every function. TAP."""
import glob
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def long_file():
    text, names = read(f"{HERE}/numerical.c"), re.findall(r"^FUNCTION\((\w+)\)", read(f"{HERE}/numerical.def"), re.M)
    start = text.index("/* ---- linear algebra */")
    head, body = text[:start], text[start:]
    types = r"(?:double|void|int|uint32_t|uint64_t|vec3|struct \w+)"
    words = set(re.findall(rf"^(?:static (?:inline )?)?{types} \*?(\w+)\(", body, re.M))
    words |= set(re.findall(r"^(?:static |typedef )?(?:struct|enum) (\w+) \{", body, re.M))
    words |= set(re.findall(r"^\} (\w+);", body, re.M)) | set(re.findall(r"\(\*(\w+)\)\(double", body))
    words |= {"rhs_t", "func1", "CIRCLE", "SQUARE", "TRIANGLE", "SHAPES"}
    out = "#include <chaac/grad.h>\n" + head.replace('#define FUNCTIONS "numerical.def"\n#include "functions.h"\n', "")
    for k in range(4):
        copy = re.sub(r"\b(" + "|".join(sorted(words)) + r")\b", rf"\1_{k}", body)
        out += copy.replace("#define HIDDEN 4\n", "") if k else copy
        for n in names:
            out += f"CH_VALUE_AND_GRAD({n}_{k}, x)\ndouble {n}_{k}_vg(int n, const double x[n], double dx[n]);\n"
    return out


def seconds(chaac, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    flags = [f"-I{ROOT}/include", f"-I{ROOT}/tests/data/adbench"]
    done = subprocess.run([chaac, "grad", "-o", os.devnull, path, "--", *flags], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        print("# " + done.stderr[:2000].replace("\n", "\n# "))
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    chaac = os.path.abspath(sys.argv[1])
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        slowest, directives = 0.0, read(f"{ROOT}/tests/adbench/directives.h")
        for path in sorted(glob.glob(f"{ROOT}/tests/data/adbench/primal/*.c")):
            name = os.path.basename(path)[:-2]
            own = read(path)
            asked = [x for x in re.finditer(r"^CH_\w+\((\w+).*?;$", directives, re.M | re.S) if x.group(1) + "(" in own]
            whole = os.path.join(folder, name + ".c")
            with open(whole, "w", encoding="utf-8") as f:
                f.write(f'#include <chaac/grad.h>\n#include "{path}"\n')
                f.writelines(x.group(0) + "\n" for x in asked)
            took = min(filter(None, (seconds(chaac, whole) for _ in range(2))), default=None) if asked else None
            failed = failed or took is None or took > 0.3
            slowest = max(slowest, took or 9.0)
            print(f"# {name}: {took} s")
        print(f"{'not ok' if failed else 'ok'} 1 - each file of adbench in 0.3 s: {slowest:.2f} s at most")
        path = os.path.join(folder, "long.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(long_file())
        took = seconds(chaac, path)
        slow = took is None or took > 3.0
        lines = read(path).count("\n")
        print(f"{'not ok' if slow else 'ok'} 2 - {lines} lines of C in 3 s: {took} s")
    print("1..2")
    sys.exit(1 if failed or slow else 0)


main()
