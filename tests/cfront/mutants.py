#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutants.py - chaac grad on mutated C files: mutants.py CHAAC SEED COUNT [KEEP].

Each mutant is a file of the tests with a few tokens changed. The command has to end by itself within 20 s of computing
with status 0 or 1, without a message of a sanitizer and without calling it a bug of its own; what it writes has to be
C. Those that
fail are kept in KEEP. TAP."""
import glob
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*|\#[^\n]*(?:\\\n[^\n]*)*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*
    |\.?\d[\w.]*(?:[eEpP][+-]?\d+)?\w*|->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\s+|.""", re.X | re.S)
TYPES = ["double", "float", "int", "unsigned", "long", "char", "short", "_Bool", "long double", "void", "unsigned char",
         "const double", "volatile double", "double *", "union { double d; int i; }", "struct { double a, b[2]; }"]
OPERATORS = ["+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^", "<<", ">>", ",", "="]
ASSIGN = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", "&=", "|="]
NUMBERS = ["0", "1", "-1", "2", "7", "0.0", "1.0", "1e308", "-0.0", "0.5f", "3u", "0x7fffffff", "1ull", "'a'", "NULL"]
STATEMENTS = ["break;", "continue;", "return 0;", "goto out;", ";", "{}", "if (0) return 1;", "while (1) break;",
              "for (;;) {", "do", "switch (1) { case 1: ; }", "abort();", "static int count_; count_++;"]


def code(tokens):
    return [i for i, t in enumerate(tokens) if t and not t.isspace() and (t[0] not in "#/\"" or t == "/")]


def change(rng, tokens):
    places = code(tokens)
    if not places:
        return
    i = rng.choice(places)
    t = tokens[i]
    kind = rng.random()
    if kind < 0.85:  # something of the same kind
        if t in TYPES or t in ("struct", "union"):
            tokens[i] = rng.choice(TYPES)
        elif t in ASSIGN:
            tokens[i] = rng.choice(ASSIGN)
        elif t in OPERATORS:
            tokens[i] = rng.choice(OPERATORS)
        elif t[0].isdigit() or t[0] == ".":
            tokens[i] = rng.choice(NUMBERS)
        elif t == ";":
            tokens[i] = "; " + rng.choice(STATEMENTS) + " "
        elif re.match(r"[A-Za-z_]", t):
            near = [k for k in places if abs(k - i) < 80]
            names = [tokens[k] for k in near if re.match(r"[A-Za-z_]", tokens[k])]
            tokens[i] = rng.choice(names)
        elif t in ("*", "&"):
            tokens[i] = rng.choice(["*", "&", "**", "", "~", "!", "-"])
        else:
            tokens[i] = rng.choice([t, "", "(", ")", "[0]"])
    elif kind < 0.88:
        tokens[i] = ""
    elif kind < 0.91:
        tokens[i] = t + " " + t
    elif kind < 0.94:
        k = rng.choice(places)
        tokens[i], tokens[k] = tokens[k], tokens[i]
    elif kind < 0.98:  # a piece of code somewhere else
        a = rng.choice(places)
        tokens[i] += " " + "".join(tokens[a:min(a + rng.randrange(1, 30), len(tokens))])
    else:
        del tokens[i + 1:]


def mutant(rng, text):
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 5])):
        change(rng, tokens)
    return "".join(tokens)


def trouble(chaac, folder, name):
    path, out = os.path.join(folder, name), os.path.join(folder, "out.c")
    if os.path.exists(out):
        os.remove(out)
    command = [chaac, "grad", "--remarks", "-o", out, path, "--", f"-I{ROOT}/include", f"-I{HERE}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 25)))
    except subprocess.TimeoutExpired:
        return "it ran longer than 600 s", None
    if done.returncode == -signal.SIGXCPU:
        return "it computed longer than 20 s", None
    if done.returncode not in (0, 1):
        return f"status {done.returncode}: {done.stderr[-2000:]}", None
    for word in ("Sanitizer", "runtime error", "please report", "CH199", "[internal]", "out_of_memory"):
        if word in done.stderr:
            return done.stderr[-2000:], None
    if done.returncode == 0:
        if not os.path.exists(out):
            return "status 0 and nothing written", None
        check = subprocess.run([os.environ.get("CC", "cc").split()[-1], "-std=c99", "-w", "-fsyntax-only", out],
                               capture_output=True, text=True, errors="replace")
        if check.returncode != 0:
            return "what is written is not C: " + check.stderr[:1500], None
    return None, 2 if "clang reports" in done.stderr else done.returncode


def main():
    chaac, seed, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    keep = sys.argv[4] if len(sys.argv) > 4 else None
    sources = sorted(glob.glob(f"{HERE}/refusals/*.c") + glob.glob(f"{HERE}/cases/*.c") + [f"{HERE}/modes.c"] * 3)
    sources += [f"{HERE}/language.c", f"{HERE}/numerical.c"] * 12
    rng = random.Random(seed)
    bad, status = 0, {0: 0, 1: 0, 2: 0}
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            source = rng.choice(sources)
            with open(source, encoding="utf-8") as f:
                text = f.read()
            with open(os.path.join(folder, "mutant.c"), "w", encoding="utf-8") as f:
                f.write(mutant(rng, text))
            what, code_ = trouble(chaac, folder, "mutant.c")
            if what is None:
                status[code_] += 1
                continue
            bad += 1
            print(f"# mutant {i} of seed {seed}, of {os.path.basename(source)}: " + what.replace("\n", "\n# "))
            if keep:
                os.makedirs(keep, exist_ok=True)
                os.replace(os.path.join(folder, "mutant.c"), os.path.join(keep, f"mutant-{seed}-{i}.c"))
    print(f"# {count} mutants: {status[0]} differentiated, {status[1]} refused, {status[2]} not C, {bad} failed")
    print("1..1")
    print(f"{'not ok' if bad else 'ok'} 1 - mutants of C files")
    sys.exit(1 if bad else 0)


main()
