#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gsl.py - the C front end over a library that was not written for it: the GNU Scientific Library.

    gsl.py CHAAC [-v] [FOLDER]

The Debian source package is fetched through an apt list of its own, made of the sources this machine has, into a
temporary folder, or into FOLDER, where it stays for the next run. Its headers are configured, its special functions,
distributions, polynomials and interpolation compiled. Then:

  values       every function that lowers is printed back as C and compared with the compiled original, bit for bit
  derivatives  functions of floating parameters, differentiated, against differences of the original
               (what takes too long with all that it calls is named and left out)
  refusals     how many functions are refused under which code, as docs/c-gradients.md has it

Skipped by name when the package cannot be fetched. TAP on stdout.
"""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

CHAAC = os.path.realpath(sys.argv[1])
VERBOSE = "-v" in sys.argv
given = [a for a in sys.argv[2:] if a != "-v"]
temporary = None if given else tempfile.TemporaryDirectory(prefix="chaac-gsl-")
FOLDER = os.path.realpath(given[0] if given else temporary.name)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
CC = os.environ.get("CC", "cc").split()
FOLDERS = ["specfunc", "cdf", "randist", "poly", "interpolation"]
BUILT = ["err", "sys", "complex", "rng", "block", "vector", "matrix"] + FOLDERS
FLAGS = ["-O1", "-fno-builtin", "-ffp-contract=off", "-w"]


def skip(why):
    print(f"1..0 # SKIP gsl: {why}")
    sys.exit(0)


def run(command, cwd=None, timeout=600, env=None):
    """What ran too long has status 124."""
    try:
        return subprocess.run(command, cwd=cwd, timeout=timeout, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"{command[0]} took longer than {timeout} s")


# ---------------------------------------------------------------- the package
def fetch():
    """The unpacked source folder."""
    found = [d for d in glob.glob(FOLDER + "/gsl*/") if os.path.exists(d + "specfunc")]
    if found:
        return found[0].rstrip("/")
    if shutil.which("apt-get") is None:
        skip("there is no apt-get")
    state = FOLDER + "/apt"
    for d in ("lists/partial", "parts", "cache/archives/partial"):
        os.makedirs(f"{state}/{d}", exist_ok=True)
    with open(state + "/sources.list", "w") as out:
        for name in ["/etc/apt/sources.list"] + glob.glob("/etc/apt/sources.list.d/*.list"):
            for line in open(name) if os.path.exists(name) else []:
                if line.startswith("deb "):
                    out.write("deb-src " + line[4:])
    for name in glob.glob("/etc/apt/sources.list.d/*.sources"):
        with open(f"{state}/parts/{os.path.basename(name)}", "w") as out:
            out.write(re.sub(r"(?m)^Types:.*", "Types: deb-src", open(name).read()))
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::sourcelist={state}/sources.list", "-o",
           f"Dir::Etc::sourceparts={state}/parts", "-o", f"Dir::State::lists={state}/lists", "-o",
           f"Dir::Cache={state}/cache", "-o", "APT::Sandbox::User=root", "-o", "Acquire::http::Timeout=20"]
    run(apt + ["update"], FOLDER, 180)
    got = run(apt + ["source", "--download-only", "gsl"], FOLDER, 180)
    archives = glob.glob(FOLDER + "/gsl_*.orig.tar.*")
    if not archives:
        skip("the source package cannot be fetched: " + (got.stderr.strip().splitlines() or ["no reason given"])[-1])
    run(["tar", "xf", archives[0]], FOLDER)
    return fetch()


def library(src, folder):
    return glob.glob(f"{src}/{folder}/.libs/libgsl*.a") + glob.glob(f"{src}/{folder}/libgsl*.a")


def libraries(src):
    return [a for d in BUILT for a in library(src, d)]


def build(src):
    if not os.path.exists(src + "/config.h"):
        got = run(["./configure", "-q", "--disable-shared", "CC=" + " ".join(CC)], src)
        if got.returncode:
            skip("configure fails: " + got.stderr.strip()[-200:])
    if not os.path.exists(src + "/gsl/gsl_sf.h"):
        run(["make"], src + "/gsl")
    for d in BUILT:
        if not library(src, d):
            got = run(["make", f"-j{os.cpu_count()}", "CFLAGS=" + " ".join(FLAGS)], f"{src}/{d}", 1800)
            if got.returncode:
                skip(f"{d} does not build: " + got.stderr.strip()[-200:])


def symbols(src):
    """Which file defines a symbol; what a file wants of others."""
    defines, wants = {}, {}
    for d in FOLDERS + ["sys", "complex"]:
        for o in glob.glob(f"{src}/{d}/*.o"):
            c = f"{d}/{os.path.basename(o)[:-2]}.c"
            for line in run(["nm", o]).stdout.splitlines():
                kind, name = line.split()[-2:]
                if kind in "TDRB":
                    defines[name] = c
                elif kind == "U":
                    wants.setdefault(c, set()).add(name)
    return defines, wants


def closure(file, defines, wants):
    seen, todo = [], [file]
    while todo:
        f = todo.pop()
        if f in seen:
            continue
        seen.append(f)
        todo += [defines[s] for s in sorted(wants.get(f, ())) if s in defines]
    return seen[1:]


# ---------------------------------------------------------------- C functions
def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def definitions(src, file):
    """name -> (result type, [(type, name, is pointer)]) of what a file, with what it includes as source, defines."""
    text = without_comments(open(f"{src}/{file}", errors="replace").read())
    for inc in re.findall(r'#\s*include\s+"([^"]+\.c)"', text):
        path = f"{src}/{os.path.dirname(file)}/{inc}"
        if os.path.exists(path):
            text += without_comments(open(path, errors="replace").read())
    out = {}
    for m in re.finditer(r"(?m)^((?:static\s+|inline\s+|INLINE_FUN\s+|const\s+|unsigned\s+)*[A-Za-z_]\w*)\s+\*?\s*"
                         r"([A-Za-z_]\w*)\s*\(([^(){};]*)\)\s*\{", text):
        result = re.sub(r"\b(static|inline|INLINE_FUN|const)\b", "", m.group(1)).strip()
        params = []
        for p in m.group(3).split(","):
            p = re.sub(r"\b(const|volatile|register)\b", "", p).strip()
            q = re.match(r"^(.*?)([A-Za-z_]\w*)\s*(\[[^\]]*\])?$", p, re.S)
            if p == "void" or p == "":
                continue
            if not q:
                params = None
                break
            t = q.group(1).strip()
            pointer = bool(q.group(3)) or t.endswith("*")
            if t.count("*") > 1 or (q.group(3) and "*" in t):
                params = None
                break
            params.append((t.rstrip("* ").strip(), q.group(2), pointer))
        if params is not None and m.group(2) not in ("if", "for", "while", "switch", "main"):
            out[m.group(2)] = (result, params)
    return out


SCALARS = {"double": "d", "float": "f", "int": "i", "unsigned int": "u", "unsigned": "u", "size_t": "z",
           "gsl_mode_t": "m", "long": "i", "unsigned long int": "u", "long int": "i"}


def testable(sig):
    return all(t in SCALARS and (not ptr or t in ("double", "int")) or (ptr and t == "gsl_sf_result")
               for t, _, ptr in sig[1]) and sig[0] in ("double", "int", "void", "float", "unsigned int", "size_t")


def printed_params(chunk, name):
    """The C parameters of the printed function in order, and what its comment says of each."""
    proto = re.search(r"(?m)^\w+ " + name + r"\(([^)]*)\);", chunk)
    listed = re.search(r"/\* @" + name + r"\b.*?\*/", chunk, re.S)
    if not proto or not listed:
        return None
    said = {m.group(1): (m.group(2), m.group(3), m.group(4)) for m in
            re.finditer(r"(?m)^ \*   (\w+)\s+(\w+)\[(.*?)\](.*)$", listed.group(0))}
    out = []
    for p in proto.group(1).split(",") if proto.group(1) != "void" else []:
        m = re.match(r"\s*(.*?)(\w+)$", p.strip(), re.S)
        out.append((m.group(1).replace("const ", "").replace("restrict", "").strip(), m.group(2), said.get(m.group(2))))
    return out


PATIENCE = int(os.environ.get("GSL_PATIENCE", "300"))  # seconds for a file and what it calls
SPREAD = 128  # elements behind every pointer
BEFORE = 16  # and before it: x[-1] with what is asked for at random lies in the array too

PRELUDE = r"""
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_result.h>
#include <gsl/gsl_mode.h>
static uint64_t seed_;
static double u_(void) {
    uint64_t z = (seed_ += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static double number_(int round) {
    switch (round % 4) {
    case 0: return 0.05 + 0.9 * u_();
    case 1: return 6 * u_() - 2;
    case 2: return 0.1 + 12 * u_();
    default: return 40 * u_() - 10;
    }
}
static int same_(double a, double b) { return memcmp(&a, &b, 8) == 0 || (a != a && b != b); }
static int sames_(const double *a, const double *b, int n) {
    int ok = 1;
    for (int i = 0; i < n; i++) ok &= same_(a[i], b[i]);
    return ok;
}
/* C leaves open what (int)NaN is: such a call is not compared. The compiler calls this (-fsanitize). */
static volatile int open_;
void __ubsan_handle_float_cast_overflow(void *place, ...);
void __ubsan_handle_float_cast_overflow(void *place, ...) { (void)place, open_ = 1; }
"""

MAIN = r"""
int main(void) {
    gsl_set_error_handler_off();
    for (size_t i = 0; i < sizeof list_ / sizeof *list_; i++) {
        fflush(stdout);
        pid_t p = fork();
        if (p == 0) {
            alarm(20);
            int r = list_[i].run();
            printf("%s %s %d\n", list_[i].name, r < 0 ? "different" : r == 0 ? "open" : "same", r < 0 ? -r : r);
            fflush(stdout);
            _exit(0);
        }
        int s;
        waitpid(p, &s, 0);
        if (!WIFEXITED(s)) printf("%s died %d\n", list_[i].name, WTERMSIG(s));
    }
    return 0;
}
"""


def value_case(name, sig, params):
    """C that calls both and compares; None: a parameter is not understood."""
    decls, args, values, checks = [], [], {}, []
    for t, p, ptr in sig[1]:
        if ptr and t == "gsl_sf_result":
            decls.append(f"gsl_sf_result {p}_ = {{0, 0}}; double {p}_v_ = 0, {p}_e_ = 0;")
            args.append(f"&{p}_")
            values[f"{p}_val"], values[f"{p}_err"] = f"&{p}_v_", f"&{p}_e_"
            checks.append(f"same_({p}_.val, {p}_v_) && same_({p}_.err, {p}_e_)")
        elif ptr and t == "double":
            decls.append(f"double {p}_[{SPREAD + BEFORE}], {p}_m_[{SPREAD + BEFORE}], *{p}_c_ = {p}_m_ + {BEFORE};"
                         f" for (int j = 0; j < {SPREAD + BEFORE}; j++) {p}_m_[j] = {p}_[j] = number_(round);")
            args.append(f"{p}_ + {BEFORE}")
            values[p], values[p + "_n"] = f"{p}_c_", str(SPREAD)
            checks.append(f"sames_({p}_, {p}_m_, {SPREAD + BEFORE})")
        elif ptr:
            decls.append(f"int {p}_[{SPREAD + BEFORE}], {p}_m_[{SPREAD + BEFORE}], *{p}_c_ = {p}_m_ + {BEFORE};"
                         f" for (int j = 0; j < {SPREAD + BEFORE}; j++) {p}_m_[j] = {p}_[j] = (int)(5 * u_());")
            args.append(f"{p}_ + {BEFORE}")
            values[p], values[p + "_n"] = f"{p}_c_", str(SPREAD)
            checks.append(f"memcmp({p}_, {p}_m_, sizeof {p}_) == 0")
        else:
            kind = SCALARS[t]
            e = {"d": "number_(round)", "f": "(float)number_(round)", "m": "GSL_PREC_DOUBLE",
                 "z": "1 + (size_t)(6 * u_())", "u": "(unsigned)(7 * u_())",
                 "i": "(int)(9 * u_()) - (round % 3 == 0)"}[kind]
            decls.append(f"{t} {p}_ = {e};")
            args.append(p + "_")
            values[p] = p + "_"
    call = []
    for ctype, p, said in params:
        if p in values:
            v = values[p]
            if not ctype.endswith("*") and v.startswith("&"):
                v = "*" + v
            if ctype.endswith("*") and not v.startswith("&") and said and said[1] == "" and v.endswith("_c_"):
                v = v  # one number behind a pointer: the first of them
            call.append(v)
        elif said is not None and "result" in said[2]:
            decls.append(f"{ctype.rstrip('* ')} out_{p}_ = 0;")
            call.append(f"&out_{p}_")
            if p != "value" and not p.startswith("value"):
                return None
            checks.append({"f64": f"same_(value_, out_{p}_)"}.get(said[0], f"value_ == out_{p}_"))
        else:
            return None
    result = sig[0]
    original = f"{name}({', '.join(args)})"
    original = f"{result} value_ = {original};" if result != "void" else original + ";"
    printed = f"printed_{name}({', '.join(call)})"
    proto = ", ".join(f"{c}" for c, _, _ in params) or "void"
    kind, gives_value = printed_result[name]
    before = f"{kind} printed_{name}({proto});\n"
    if gives_value:
        fail = f"{kind} out_ = {printed};"
        checks.append("same_(value_, out_)" if kind == "double" else "value_ == out_")
    else:
        fail = f"if ({printed} != 0) return -1000;" if kind == "int" else printed + ";"
    body = (f"static int run_{name}(void) {{ seed_ = 7; int n_ = 0; for (int round = 0; round < 48; round++) {{ "
            f"{' '.join(decls)} open_ = 0; {original} if (open_) continue; {fail} n_++; "
            f"if (!({' && '.join(checks) or '1'})) return -1 - round; }} return n_; }}\n")
    return before + body


printed_result = {}  # name -> what the printed function returns, whether that is the value


def values_of(src, file, defines, wants):
    """(name -> verdict, refusals) of one file."""
    sigs = definitions(src, file)
    got = run([CHAAC, "ir", "--c", file] + closure(file, defines, wants) +
              ["--", "-I.", f"-I{os.path.dirname(file)}", "-DHAVE_CONFIG_H"], src, PATIENCE)
    refused = re.findall(r"error: (.*?) \[(CH\d+)\]", got.stderr)
    if not got.stdout:
        return {}, refused, got.stderr.strip().splitlines()[:1], sigs
    chunks = dict(zip(*[iter(re.split(r"(?m)^/\* function (\w+) \*/\n", got.stdout)[1:])] * 2))
    work = f"{FOLDER}/cases/{file.replace('/', '_')[:-2]}"
    os.makedirs(work, exist_ok=True)
    verdicts, cases, printed = {}, [], []
    for name, chunk in chunks.items():
        if chunk.startswith("/* not printed"):
            verdicts[name] = "not printed: " + chunk[15:200]
            continue
        verdicts[name] = "printed"
        sig = sigs.get(name)
        params = printed_params(chunk, name)
        if sig is None or params is None or not testable(sig):
            continue
        kind = re.search(r"(?m)^(\w+) " + name + r"\(", chunk).group(1)
        printed_result[name] = kind, re.search(r"(?m)^ \*   returns ", chunk) is not None
        case = value_case(name, sig, params)
        if case is None:
            continue
        with open(f"{work}/{name}.c", "w") as f:
            f.write(chunk)
        built = run(CC + FLAGS + [f"-D{name}=printed_{name}", "-c", f"{work}/{name}.c", "-o", f"{work}/{name}.o"])
        if built.returncode:
            verdicts[name] = "does not compile"
            continue
        cases.append((name, case))
        printed.append(f"{work}/{name}.o")
    if cases:
        with open(f"{work}/main.c", "w") as f:
            f.write(f'#include "{file}"\n' + PRELUDE + "".join(c for _, c in cases) +
                    "static const struct { const char *name; int (*run)(void); } list_[] = {" +
                    ", ".join(f'{{"{n}", run_{n}}}' for n, _ in cases) + "};\n" + MAIN)
        built = run(CC + FLAGS + ["-fsanitize=float-cast-overflow", "-I.", f"-I{os.path.dirname(file)}",
                                  "-DHAVE_CONFIG_H", f"{work}/main.c", "-c", "-o", f"{work}/main.o"], src)
        if built.returncode:
            return verdicts, refused, ["the driver does not build: " + built.stderr[:300]], sigs
        built = run(CC + [f"{work}/main.o", "-o", f"{work}/main"] + printed + ["-Wl,--start-group"] +
                    libraries(src) +
                    ["-Wl,--end-group", "-Wl,--unresolved-symbols=ignore-all", "-lm"], src)
        if built.returncode:
            return verdicts, refused, ["the driver does not build: " + built.stderr[:300]], sigs
        for line in run([f"{work}/main"], timeout=1200).stdout.splitlines():
            name, what, n = line.split()
            # what dies on random arguments (root finders that never end) is not compared
            verdicts[name] = what if what == "same" else "printed" if what in ("died", "open") else f"{what} {n}"
    return verdicts, refused, [], sigs


# ---------------------------------------------------------------- derivatives
DIFFERENCES = r"""
/* 0: agrees; 1: nothing can be said here; -1: wrong */
static int check_(double (*f)(const double *), void (*g)(const double *, double *), int n, double *x) {
    double grad[8];
    if (!isfinite(f(x))) return 1;
    for (int k = 0; k < n; k++) grad[k] = NAN;
    g(x, grad);
    int said = 0;
    for (int k = 0; k < n; k++) {
        double d[2];
        for (int s = 0; s < 2; s++) {
            double h = (s ? 1e-4 : 3e-4) * (1 + fabs(x[k])), at = x[k], v[4];
            for (int j = 0; j < 4; j++) { x[k] = at + (j < 2 ? -1 : 1) * (j % 3 ? h : 2 * h); v[j] = f(x); }
            x[k] = at;
            d[s] = (v[0] - 8 * v[1] + 8 * v[2] - v[3]) / (12 * h);
        }
        double scale = fabs(d[0]) + fabs(d[1]) + 1e-3 * fabs(f(x)) + 1e-30;
        if (!(fabs(d[0] - d[1]) <= 1e-7 * scale)) continue; /* not smooth, or too noisy, here */
        said = 1;
        if (!(fabs(grad[k] - d[1]) <= 1e-5 * scale)) return -1;
    }
    return said ? 0 : 1;
}
"""


def derivative_case(name, sig):
    """A function of floating parameters that gives one number, as prototype, body and call; None: it is none."""
    doubles, args, decls = [], [], ""
    result = False
    for t, p, ptr in sig[1]:
        if ptr and t == "gsl_sf_result" and not result:
            result = True
            args.append("&result_")
            decls = "gsl_sf_result result_ = {0, 0}; "
        elif ptr:
            return None
        elif t == "double":
            doubles.append(p)
            args.append(f"x{len(doubles)}_")
        elif t in SCALARS:
            args.append({"m": "GSL_PREC_DOUBLE"}.get(SCALARS[t], "2"))
        else:
            return None
    if not doubles or len(doubles) > 4 or not (result or sig[0] == "double"):
        return None
    names = [f"x{k + 1}_" for k in range(len(doubles))]
    params = ", ".join("double " + x for x in names)
    call = f"{name}({', '.join(args)})"
    body = f"{decls}{call}; return result_.val;" if result else f"return {call};"
    return names, params, body


def derivatives_of(src, file, sigs, ready, defines, wants):
    work = f"{FOLDER}/cases/{file.replace('/', '_')[:-2]}"
    out = {}
    for name in ready:
        case = derivative_case(name, sigs[name])
        if case is None:
            continue
        names, params, body = case
        n = len(names)
        grads = ", ".join(f"double *d{x}" for x in names)
        path = f"{work}/d_{name}.c"
        with open(path, "w") as f:
            f.write(f'#include "{file}"\n#include <chaac/grad.h>\n'
                    f"double one_(const double *v);\nvoid two_(const double *v, double *g);\n"
                    f"double w_({params});\ndouble w_({params}) {{ {body} }}\n"
                    f"CH_GRAD(w_, {', '.join(names)})\nvoid w_grad({params}, {grads});\n")
        got = run([CHAAC, "grad", "-o", f"{work}/d_{name}.grad.c", path] + closure(file, defines, wants) +
                  ["--", "-I.", f"-I{os.path.dirname(file)}", "-DHAVE_CONFIG_H", f"-I{ROOT}/include"], src, PATIENCE)
        if got.returncode == 124:
            out[name] = "unsaid: too large"
            continue
        if got.returncode:
            codes = re.findall(r"\[(CH\d+)\]", got.stderr)
            out[name] = "refused " + (codes[0] if codes else got.stderr[:100])
            continue
        with open(f"{work}/m_{name}.c", "w") as f:
            f.write(f'#include "d_{name}.c"\n' + PRELUDE + DIFFERENCES +
                    f"double one_(const double *v) {{ return w_({', '.join(f'v[{k}]' for k in range(n))}); }}\n"
                    f"void two_(const double *v, double *g) {{ w_grad({', '.join(f'v[{k}]' for k in range(n))}, "
                    f"{', '.join(f'&g[{k}]' for k in range(n))}); }}\n"
                    "int main(void) { gsl_set_error_handler_off(); alarm(20); seed_ = 3; int said = 0; double x[8];\n"
                    "for (int round = 0; round < 40; round++) { for (int k = 0; k < 8; k++) x[k] = number_(round);\n"
                    f"double at[8]; memcpy(at, x, sizeof at); int r = check_(one_, two_, {n}, x);\n"
                    'if (r < 0) { printf("wrong %d at", round); for (int k = 0; k < 8; k++) printf(" %.17g", at[k]);'
                    ' printf("\\n"); return 0; } said += r == 0; }\n'
                    'printf("%s %d\\n", said >= 3 ? "right" : "unsaid", said); return 0; }\n')
        built = run(CC + FLAGS + ["-I.", f"-I{os.path.dirname(file)}", "-DHAVE_CONFIG_H", f"-I{ROOT}/include",
                                  f"{work}/m_{name}.c", f"{work}/d_{name}.grad.c", "-o", f"{work}/m_{name}",
                                  "-Wl,--start-group"] + libraries(src) +
                    ["-Wl,--end-group", "-Wl,--unresolved-symbols=ignore-all", "-lm"], src)
        if built.returncode:
            out[name] = "does not build: " + built.stderr[:200]
            continue
        got = run([f"{work}/m_{name}"], timeout=60)
        out[name] = got.stdout.strip() if got.returncode == 0 else f"died {got.returncode}"
    return out


# ---------------------------------------------------------------- all of it
def one_file(job):
    src, file, defines, wants, derive = job
    verdicts, refused, trouble, sigs = values_of(src, file, defines, wants)
    ready = [n for n, v in verdicts.items() if v == "same" and n in sigs and derivative_case(n, sigs[n])]
    if derive > 0:
        ready = ready[:: max(1, len(ready) // derive)][:derive]
    derived = derivatives_of(src, file, sigs, ready, defines, wants) if derive != 0 else {}
    return file, verdicts, refused, trouble, derived


def main():
    os.makedirs(FOLDER, exist_ok=True)
    src = fetch()
    build(src)
    defines, wants = symbols(src)
    only = os.environ.get("GSL_ONLY")
    files = sorted(f"{d}/{os.path.basename(o)[:-2]}.c" for d in FOLDERS for o in glob.glob(f"{src}/{d}/*.o"))
    files = [f for f in files if os.path.exists(f"{src}/{f}") and "test" not in f and (not only or re.search(only, f))]
    # GSL_DERIVE: of how many functions of a file gradients are taken; 0: none, -1: of all
    jobs = [(src, f, defines, wants, int(os.environ.get("GSL_DERIVE", "4"))) for f in files]
    lowered = same = 0
    wrong, codes, right, derive_bad, large = [], {}, [], [], []
    with concurrent.futures.ProcessPoolExecutor(int(os.environ.get("GSL_JOBS", os.cpu_count() or 1))) as pool:
        for file, verdicts, refused, trouble, derived in pool.map(one_file, jobs):
            lowered += len(verdicts)
            for name, v in sorted(verdicts.items()):
                if v == "same":
                    same += 1
                elif v != "printed":
                    wrong.append(f"{file}: {name}: {v}")
            for text, code in set(refused):
                codes[code] = codes.get(code, 0) + 1
            for t in trouble:
                late = "took longer than" in t
                (large if late else wrong).append(file if late else f"{file}: {t}")
            for name, v in sorted(derived.items()):
                if v.startswith("right"):
                    right.append(name)
                elif not v.startswith(("unsaid", "refused CH")):
                    derive_bad.append(f"{file}: {name}: {v}")
            if VERBOSE:
                good = sum(v == "same" for v in verdicts.values())
                print(f"# {file}: {len(verdicts)} lowered, {good} compared {' '.join(trouble)}", flush=True)
                for name, v in verdicts.items():
                    if v not in ("same", "printed"):
                        print("#    ", name, v)
                for t, c in sorted(set(refused)):
                    print("#    ", c, t)
                for name, v in sorted(derived.items()):
                    print("#     grad", name, v)
    for w in wrong + derive_bad:
        print("# " + w)
    print(f"# {lowered} functions lowered and printed, {same} compared with their bits the same")
    print(f"# {len(right)} differentiated and compared with differences")
    if large:
        print(f"# given up after {PATIENCE} s: {' '.join(large)}")
    print("# refusals: " + ", ".join(f"{c} {n}" for c, n in sorted(codes.items())))
    good = same >= 500 and not wrong
    print(f"{'ok' if good else 'not ok'} 1 - gsl: {same} functions printed back with the same bits")
    print(f"{'ok' if len(right) >= 100 and not derive_bad else 'not ok'} 2 - gsl: {len(right)} gradients are right")
    print("1..2")
    sys.exit(0 if same >= 500 and len(right) >= 100 and not wrong and not derive_bad else 1)


if __name__ == "__main__":
    main()
