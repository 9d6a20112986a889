#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doccode.py - compiles and runs every code block of README.md, docs/ and the public headers: CC BUILD [flags].

With DOCCODE_UPDATE=1, ```sh blocks of documents whose output has changed are written anew (not those with `...`).

    ```c              a complete program: compiled as C11 without a warning, run, exit status 0. What it prints is
                      compared with a ```text block that follows at once, else with the comments that end its printf
                      and puts lines (`// 7 11 9 13`), each of which has to be a line of the output, in order.
    ```c fragment     compiled, at file scope or as the body of a function returning ch_status. Names it takes from
                      its surroundings are declared in `<!-- with: ch_func *f; -->` on the line before.
    ```ir             a func, with or without its first line: read, verified and printed by the command.
    ```sh             run when it starts with `$ `: each such line is a command; what follows it is its output, and a
                      line `...` stands for any lines. The command of the build is on the PATH.
    file=NAME         after any of these: the block is also written to NAME, where later ```sh blocks of the same
                      document find it.
    ```text           output; nothing else is done with it.

A header's blocks are fenced in the same way inside its // comments. Every other word after a fence is refused, except
the names of languages that nothing here runs (OTHER).
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UPDATE = os.environ.get("DOCCODE_UPDATE") == "1"
OTHER = {"", "text", "json", "python", "meson", "mlir", "cmake", "diff", "ebnf"}
DEFINES = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1"]
PRELUDE = "#include <chaac/chaac.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


class Block:
    def __init__(self, path, line, info, declared):
        words = info.split()
        self.path, self.line, self.declared = path, line, declared
        self.language = words[0] if words else ""
        self.fragment = "fragment" in words[1:]
        self.file = next((w[5:] for w in words[1:] if w.startswith("file=")), None)
        self.unknown = [w for w in words[1:] if w != "fragment" and not w.startswith("file=")]
        self.lines, self.expected, self.updated = [], None, None

    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks(path):
    """The fenced blocks of a document or header, each with the text block that follows it as its expected output."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        lines = f.read().split("\n")
    if path.endswith(".h"):
        lines = [re.sub(r"^// ?", "", x) if x.startswith("//") else "\0" for x in lines]
    found, block, declared = [], None, ""
    for number, line in enumerate(lines, 1):
        fence = re.match(r"^\s*```(.*)$", line)
        if block is not None:
            if fence:
                after = found[-1] if found else None
                between = "".join(lines[after.end:block.line - 1]).strip() if after else "x"
                if block.language == "text" and after is not None and not between:
                    after.expected = block.text()
                block.end = number
                found.append(block)
                block, declared = None, ""
            else:
                block.lines.append(line)
        elif fence:
            block = Block(path, number, fence.group(1), declared)
        else:
            given = re.match(r"^<!-- with: (.*) -->$", line)
            declared = given.group(1) if given else declared if not line.strip() else ""
    return found


def matches(expected, got):
    """Line by line; `...` alone stands for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if x.strip() == "..." else re.escape(x.rstrip()) + r"[ ]*\n"
                      for x in expected.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, got.rstrip("\n") + "\n") is not None


class Runner:
    def __init__(self, cc, build, flags):
        self.cc, self.build, self.flags = cc, build, flags
        self.env = dict(os.environ, CPATH=f"{ROOT}/include", LIBRARY_PATH=build, LD_LIBRARY_PATH=build, NO_COLOR="1",
                        CHAAC_ENGINE="interp", CHAAC_PJRT_PLUGIN_PATH=f"{build}/tests/pjrt/mock_plugin.so",
                        PATH=f"{build}/tools:{os.environ['PATH']}", LC_ALL="C")

    def run(self, command, folder):
        done = subprocess.run(command, cwd=folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=120)
        return done.returncode, done.stdout

    def compile(self, text, folder, *more):
        with open(f"{folder}/block.c", "w", encoding="utf-8") as f:
            f.write(text)
        return self.run([self.cc, *DEFINES, *self.flags, f"-I{ROOT}/include", "block.c", *more], folder)

    def program(self, block, folder):
        text = block.text()
        if not re.search(r"\bmain\s*\(", text):
            return "no main: a program is complete, anything else is marked ```c fragment"
        status, said = self.compile(text, folder, "-o", "block", f"-L{self.build}", "-lchaac", "-lm")
        if status:
            return said
        status, said = self.run(["./block"], folder)
        if status:
            return f"exit status {status}\n{said}"
        if block.expected is not None:
            return None if matches(block.expected, said) else f"expected:\n{block.expected}got:\n{said}"
        rest = said.split("\n")
        for comment in re.findall(r"^[^/\n]*\b(?:printf|puts|ch_\w*print\w*)\s*\([^\n]*\);[ \t]*// (.+)$", text, re.M):
            comment = re.sub(r"^prints: ", "", comment).strip()
            if comment not in [x.strip() for x in rest]:
                return f"no line '{comment}' in:\n{said}"
            rest = rest[[x.strip() for x in rest].index(comment) + 1:]
        return None

    def fragment(self, block, folder):
        relaxed = ["-fsyntax-only", "-Wno-unused"]
        whole = PRELUDE + block.declared + "\n" + block.text()
        status, outer = self.compile(whole, folder, *relaxed)
        if status == 0:
            return None
        body = (PRELUDE + "ch_status fragment(void);\nchar *user;\nch_status fragment(void) {\n" + block.declared + "\n"
                + block.text() + "return CH_OK;\n}\n")
        status, inner = self.compile(body, folder, *relaxed)
        return None if status == 0 else f"in a function:\n{inner}at file scope:\n{outer}"

    def shell(self, block, folder):
        command, expected, fresh = None, [], []
        for line in block.lines + ["$ "]:
            if not line.startswith("$ "):
                expected.append(line)
                continue
            if command:
                status, said = self.run(["sh", "-c", command], folder)
                want = "\n".join(expected).strip("\n")
                update = UPDATE and want and "..." not in expected
                fresh += ["$ " + command] + (said.rstrip("\n").split("\n") if update else expected)
                if want and not update and not matches(want, said):
                    return f"$ {command}\nexpected:\n{want}\ngot:\n{said}"
                if status and not want:
                    return f"$ {command}\nexit status {status}\n{said}"
            command, expected = line[2:].strip(), []
        if block.expected is not None:
            return "output stands in the block itself, below its command"
        block.updated = fresh if UPDATE and fresh != block.lines else None
        return None

    def ir(self, block, folder):
        with open(f"{folder}/block.ir", "w", encoding="utf-8") as f:
            f.write(("" if "chaac-ir " in block.text() else "chaac-ir 1\n") + block.text())
        status, said = self.run(["chaac", "ir", "block.ir"], folder)
        return said if status else None

    def check(self, block, folder):
        if block.unknown:
            return f"unknown words after the fence: {' '.join(block.unknown)}"
        if block.file:
            with open(os.path.join(folder, os.path.basename(block.file)), "w", encoding="utf-8") as f:
                f.write(block.text())
        if block.language == "c":
            return self.fragment(block, folder) if block.fragment else self.program(block, folder)
        if block.language == "ir":
            return self.ir(block, folder)
        if block.language == "sh":
            return self.shell(block, folder) if block.lines and block.lines[0].startswith("$ ") else None
        return None if block.language in OTHER else f"unknown language '{block.language}'"


def rewrite(path, changed):
    """Puts the new lines of blocks where the old ones stood, from the last to the first."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for block in reversed(changed):
        lines[block.line:block.line + len(block.lines)] = block.updated
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


def main():
    runner = Runner(sys.argv[1], sys.argv[2], sys.argv[3:])
    os.chdir(ROOT)
    paths = ["README.md", "CONTRIBUTING.md"] + sorted(glob.glob("docs/**/*.md", recursive=True))
    paths = [p for p in paths if not p.startswith("docs/api/")]        # made from the headers, which come next
    paths += sorted(glob.glob("include/chaac/*.h"))
    n = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            found = blocks(path)
            for block in found:
                if block.language == "text":
                    continue
                n += 1
                try:
                    trouble = runner.check(block, folder)
                except subprocess.TimeoutExpired:
                    trouble = "ran longer than 120 s"
                if trouble:
                    print("\n".join("# " + x for x in trouble.rstrip("\n").split("\n")))
                print(f"{'not ok' if trouble else 'ok'} {n} - {path}:{block.line} {block.language}", flush=True)
            if path.endswith(".md") and any(block.updated for block in found):
                rewrite(path, [block for block in found if block.updated])
    for path in sorted(glob.glob("include/chaac/*.h")):
        n += 1
        there = any(b.language == "c" for b in blocks(path))
        print(f"{'ok' if there else 'not ok'} {n} - {path} has an example")
    print(f"1..{n}")


main()
