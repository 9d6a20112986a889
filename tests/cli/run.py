#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - runs the cases of tests/cli/cases as TAP: COMMAND [--bless] [--cases=FOLDER].

meson.build says what a case is."""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def matches(expected, got):
    pattern = "".join(r"(?:.*\n)*?" if x.strip() == "..." else re.escape(x) + r"\n" for x in expected.split("\n")[:-1])
    return re.fullmatch(pattern, got) is not None


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return f.read()


def trouble(case, command, bless):
    # `chaac doctor` and `chaac env` name every CHAAC_ variable that is set: a case sees only its own.
    env = {k: v for k, v in os.environ.items() if not k.startswith("CHAAC_")}
    env.update(ROOT=ROOT, NO_COLOR="1", CHAAC_ENGINE="interp", LC_ALL="C",
               PATH=f"{os.path.dirname(command)}:{os.environ['PATH']}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(["sh", case], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, errors="replace", timeout=60)
        except subprocess.TimeoutExpired:
            return "ran longer than 60 s"
    stem = case[:-3]
    found = []
    want = int((read(stem + ".exit") or "0").strip())
    if done.returncode != want:
        found.append(f"exit status {done.returncode}, expected {want}; stderr:\n{done.stderr}")
    if all(read(stem + end) is None for end in (".out", ".err", ".exit")) and not bless:
        found.append("expects nothing: no .out, .err or .exit beside it")
    for end, got in ((".out", done.stdout), (".err", done.stderr)):
        expected = read(stem + end)
        if bless and got and (expected is None or not matches(expected, got)):
            with open(stem + end, "w", encoding="utf-8") as f:
                f.write(got)
        elif expected is not None and not matches(expected, got):
            found.append(f"{end[1:]} expected:\n{expected}got:\n{got}")
    return "\n".join(found)


def main():
    command, bless = os.path.abspath(sys.argv[1]), "--bless" in sys.argv
    folder = next((x[8:] for x in sys.argv if x.startswith("--cases=")), f"{HERE}/cases")
    cases = sorted(glob.glob(f"{os.path.abspath(folder)}/*.sh"))
    print(f"1..{len(cases)}")
    for i, case in enumerate(cases, 1):
        what = trouble(case, command, bless)
        if what:
            print("\n".join("# " + x for x in what.rstrip("\n").split("\n")))
        print(f"{'not ok' if what else 'ok'} {i} - {os.path.basename(case)[:-3]}", flush=True)


main()
