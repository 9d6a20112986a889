#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run - rules broken on purpose: each change of mutations.txt has to make a test fail.

usage: run BUILD [WORD...]      only the changes whose line holds every WORD

A copy of the source file with one change is compiled with the build's own command and linked before the static
library, so that it stands in place of the library's. A change that no test notices is a rule that no test holds.
As many at once as there are cores. Speaks TAP; what does not fit into the time budget (MUTATION_SECONDS, 420) is said
as skipped.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LINE = re.compile(r"^(\w+)\s+(\S+):\s(.*?)\s=>\s(.*)$")


def rows(words):
    with open(os.path.join(HERE, "mutations.txt"), encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if not line or line.startswith("#") or not all(w in line for w in words):
                continue
            match = LINE.match(line)
            if not match:
                raise SystemExit("mutation: not `test file: from => to`: " + line)
            yield line, *match.groups()


def compile_command(build, path):
    """The command that makes the file's object of the library."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        for entry in json.load(f):
            if os.path.normpath(os.path.join(build, entry["file"])) == os.path.join(ROOT, path) \
                    and "libchaac" in entry["output"]:
                return entry
    raise SystemExit("mutation: the build does not compile " + path)


def link_command(build, test):
    target = "tests/unit/test_" + test
    said = subprocess.run(["ninja", "-t", "commands", "-s", target], cwd=build, stdout=subprocess.PIPE, text=True)
    return shlex.split(said.stdout.strip().split("\n")[-1]), target


def mutate(build, folder, test, path, old, new):
    """Gives None when a test noticed, else what went wrong."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        text = f.read()
    if text.count(old) != 1:
        return f"{text.count(old)} places hold it, 1 is wanted"
    source = os.path.join(folder, os.path.basename(path))
    with open(source, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new))
    entry = compile_command(build, path)
    command, made = shlex.split(entry["command"]), os.path.join(folder, "mutated.o")
    command[command.index("-o") + 1] = made
    command[command.index("-c") + 1] = source
    # Without debug information and much optimization it is made sooner.
    command += ["-w", "-g0", "-O1"]
    said = subprocess.run(command, cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if said.returncode != 0:
        return "it does not compile: " + said.stdout[-300:].replace("\n", " ")
    link, target = link_command(build, test)
    program = os.path.join(folder, "mutated")
    link[link.index("-o") + 1] = program
    link.insert(link.index("libchaac.a"), made)
    link.append("-Wl,--strip-debug")
    said = subprocess.run(link, cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if said.returncode != 0:
        return "it does not link: " + said.stdout[-300:].replace("\n", " ")
    try:
        run = subprocess.run([program], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
                             env=dict(os.environ, CHAAC_TEST_FAST="1"))
    except subprocess.TimeoutExpired:
        return None  # a loop that does not end is noticed
    return None if run.returncode != 0 else f"test_{test} passes all the same"


def main():
    build = os.path.abspath(sys.argv[1])
    work, start = list(rows(sys.argv[2:])), time.monotonic()
    budget = float(os.environ.get("MUTATION_SECONDS", "420"))

    def outcome(row):
        """None: noticed; '': no time was left; else what went wrong."""
        if time.monotonic() - start > budget:
            return ""
        with tempfile.TemporaryDirectory() as folder:
            return mutate(build, folder, *row[1:])

    print(f"1..{len(work)}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for i, (row, wrong) in enumerate(zip(work, workers.map(outcome, work)), 1):
            name = row[0].replace("#", " ")
            if wrong == "":
                print(f"ok {i} - {name} # SKIP the time budget of {budget:.0f} seconds is used up")
                continue
            failed += wrong is not None
            print(f"{'not ok' if wrong else 'ok'} {i} - {name}" + (f": {wrong}" if wrong else ""), flush=True)
    return 1 if failed else 0


sys.exit(main())
