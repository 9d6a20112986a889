#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py - the command under arguments and files that somebody broke: COMMAND [SECONDS].

Starts from the examples of tools/commands.def and the IR files of the tests; cuts, doubles, swaps, and puts in what is
unlikely. Whatever comes, the command ends by itself with 0, 1 or 2 (not by a signal, not by a sanitizer), says
something on standard error when it is not 0, and takes no longer than 20 s. The seed is fixed: a failure comes again.
"""
import glob
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f"{ROOT}/scripts")
from deftable import def_rows  # noqa: E402

COMMAND = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 20
ODD = ["", "-", "--", "=", "--=", "n=", "=3", "--size", "n=-1", "n=99999999999999999999", "n=1e9", "1,2,", ",", "nan",
       "@", "@/dev/null", "@.", "/dev/null", ".", "/", "x=1", "x=..", "x=1..0", "--func=", "--func=\u00e9\u4e2d",
       "%s%n", "--json", "--help", "a" * 5000, "\\", "'", "\udcff\udcfe", "0x10", "-0", "--tolerance=-1",
       "--after=,,",
       "--after=inline,inline,inline", "--mode=hvp", "--policy=revolve(0)", "--wrt=", "--wrt=x,x", "--out=", "1" * 400]


def texts():
    found = []
    for path in sorted(glob.glob(f"{ROOT}/tests/cli/cases/*.ir") + glob.glob(f"{ROOT}/fuzz/corpus/ir*/*"))[:60]:
        with open(path, "rb") as f:
            found.append(f.read()[:20000])
    return found


def first_command(line):
    """The arguments of the first command of a line of shell; none of a line that a quotation goes beyond."""
    try:
        return shlex.split(re.sub(r"\s*[>|;].*", "", line))
    except ValueError:
        return []


def broken_text(rng, all_texts):
    text = bytearray(rng.choice(all_texts))
    for _ in range(rng.randint(0, 4)):
        if not text:
            break
        at, to = rng.randrange(len(text)), rng.randrange(len(text))
        kind = rng.randrange(5)
        if kind == 0:
            text[at] = rng.randrange(256)
        elif kind == 1:
            del text[min(at, to):min(min(at, to) + 40, len(text))]
        elif kind == 2:
            text[at:at] = text[to:to + 40]
        elif kind == 3:
            numbers = list(re.finditer(rb"\d+", bytes(text)))
            if numbers:
                n = rng.choice(numbers)
                text[n.start():n.end()] = rng.choice([b"0", b"-1", b"9223372036854775807", b"4096", b"1e400"])
        else:
            del text[at:]
    return bytes(text)


def broken_words(rng, words):
    words = list(words)
    for _ in range(rng.randint(0, 3)):
        at = rng.randrange(1, len(words) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            words.insert(at, rng.choice(ODD))
        elif kind == 1 and at < len(words) and len(words) > 1:
            del words[at]
        elif kind == 2 and at < len(words):
            words.insert(at, words[at])
        elif at < len(words) and words[at]:
            cut = rng.randrange(len(words[at]))
            words[at] = words[at][:cut] + rng.choice(ODD) + words[at][cut:]
    return words


def main():
    rng = random.Random(20240)
    lines = [row[1] for _, row in def_rows("tools/commands.def", "EXAMPLE")]
    starts = [y[1:] for y in map(first_command, lines) if y]
    # Commands that work for long on purpose are not for this.
    starts = [x for x in starts if x and x[0] not in ("train", "bench", "eval", "serve")]
    all_texts = texts()
    env = dict(os.environ, LC_ALL="C.UTF-8")
    n, bad = 0, 0
    until = time.monotonic() + SECONDS
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < until and bad < 5:
            with open(f"{folder}/f.ir", "wb") as f:
                f.write(broken_text(rng, all_texts))
            words = broken_words(rng, rng.choice(starts))
            try:
                arguments = [os.fsencode(w) for w in words if "\0" not in w]
                done = subprocess.run([COMMAND.encode()] + arguments, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=20)
                said = done.stderr.decode(errors="replace")
                trouble = None
                if done.returncode not in (0, 1, 2):
                    trouble = f"exit status {done.returncode}"
                elif done.returncode and not said.strip():
                    trouble = f"exit status {done.returncode} and not a word"
                elif "Sanitizer" in said or "runtime error" in said:
                    trouble = "a sanitizer speaks"
            except subprocess.TimeoutExpired:
                trouble, said = "ran longer than 20 s", ""
            n += 1
            if trouble:
                bad += 1
                with open(f"{folder}/f.ir", "rb") as f:
                    text = f.read()
                print(f"# {words!r}: {trouble}")
                print("\n".join("# " + x for x in (said[-2000:] + f"\nf.ir: {text[:3000]!r}").split("\n")))
    print(f"# {n} tries")
    print(f"{'not ok' if bad else 'ok'} 1 - broken arguments and files, all refused in words")
    print("1..1")


main()
