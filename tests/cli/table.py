#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""table.py - what is made of tools/commands.def: COMMAND.

Every option has its row; every example of the table runs; the man pages are without complaint for groff and mandoc;
the completions load in bash, zsh and fish, and bash's gives what it should; colors on a terminal, none with NO_COLOR or
into a pipe. A shell or program that is not here is a skipped case by its name.
"""
import os
import pty
import select
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = os.path.abspath(sys.argv[1])
sys.path.insert(0, f"{ROOT}/scripts")
from deftable import def_rows  # noqa: E402

n = 0


def case(name, trouble):
    global n
    n += 1
    if trouble:
        print("\n".join("# " + x for x in trouble.rstrip().split("\n")))
    print(f"{'not ok' if trouble else 'ok'} {n} - {name}", flush=True)


def skip(name, why):
    global n
    n += 1
    print(f"ok {n} - {name} # SKIP {why}", flush=True)


def run(command, **more):
    env = dict(os.environ, PATH=f"{os.path.dirname(COMMAND)}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          text=True, errors="replace", timeout=60, env=env, **more)
    return done.returncode, done.stdout


def examples():
    for _, (command, line) in def_rows("tools/commands.def", "EXAMPLE"):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("f.ir", "points.csv"):
                shutil.copy(f"{ROOT}/tests/cli/cases/{name}", folder)
            status, said = run(["sh", "-c", line], cwd=folder)
            case(f"example: {line}", f"exit status {status}\n{said}" if status else None)


def man():
    for tool, command in (("groff", ["groff", "-man", "-Tutf8", "-ww", "-z"]),
                          ("mandoc", ["mandoc", "-T", "lint", "-W", "warning"])):
        if not shutil.which(tool):
            skip(f"man pages, {tool}", f"{tool} is not installed")
            continue
        trouble = []
        for page in sorted(p for p in os.listdir(f"{ROOT}/docs/man") if p != "meson.build"):
            status, said = run(command + [f"{ROOT}/docs/man/{page}"])
            trouble += [said] if status or said.strip() else []
        case(f"man pages, {tool}", "".join(trouble))


BASH = """
source {root}/tools/chaac.bash
try() {{
    COMP_WORDS=("$@")
    COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
    COMPREPLY=()
    _chaac 2>/dev/null
    echo "${{COMPREPLY[@]}}"
}}
try chaac gr
try chaac grad --mo
try chaac grad --mode = hess
try chaac explain shape_
try chaac run --json x --si
"""


def completions():
    status, said = run(["bash", "-c", BASH.format(root=ROOT)])
    want = "grad\n--mode=\nhessian\nshape_mismatch\n--size\n"
    case("bash completes", None if said == want else f"expected:\n{want}got:\n{said}")
    for shell, name in (("zsh", "chaac.zsh"), ("fish", "chaac.fish")):
        if not shutil.which(shell):
            skip(f"{shell} reads its completion", f"{shell} is not installed")
            continue
        status, said = run([shell, "-n", f"{ROOT}/tools/{name}"])
        case(f"{shell} reads its completion", said if status or said.strip() else None)


def on_terminal(**env):
    """What `chaac doctor` writes to a terminal."""
    # Our end of the terminal stays open until all is read: when the last one closes, Linux may drop what is on its way.
    ours, theirs = pty.openpty()
    kept = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    doctor = subprocess.Popen([COMMAND, "doctor"], stdin=theirs, stdout=theirs, stderr=theirs, env=dict(kept, **env))
    said = b""
    while True:
        ended = doctor.poll() is not None
        if select.select([ours], [], [], 0.2)[0]:
            said += os.read(ours, 4096)
        elif ended:
            break
    os.close(theirs)
    os.close(ours)
    return said.decode(errors="replace")


def colors():
    case("colors on a terminal", None if "\033[" in on_terminal(TERM="xterm") else "there are none")
    case("NO_COLOR", "there are colors" if "\033[" in on_terminal(TERM="xterm", NO_COLOR="1") else None)
    case("TERM=dumb", "there are colors" if "\033[" in on_terminal(TERM="dumb") else None)
    case("no colors into a pipe", "there are colors" if "\033[" in run([COMMAND, "doctor"])[1] else None)


def main():
    status, said = run([f"{ROOT}/scripts/gencli", "check"])
    case("every option has its row", said if status else None)
    commands = [row[0] for _, row in def_rows("tools/commands.def", "COMMAND")]
    said = run([COMMAND, "help"])[1]
    missing = [c for c in commands if not re.search(rf"^  {c} ", said, re.M)]
    case("help lists every command", f"not {missing}" if missing else None)
    for command in commands:
        status, said = run([COMMAND, command, "--help"])
        case(f"{command} --help", None if status == 0 and said.startswith(f"chaac {command} ") else said or "nothing")
    examples()
    man()
    completions()
    colors()
    print(f"1..{n}")


main()
