#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""native - bench_native beside other libraries on the same inputs, in one run.

usage: native.py FOLDER [WORKLOAD...]     FOLDER holds the built bench_native; a workload is a name of its --list

Every workload of ours runs in a process of its own with an empty disk cache, and again with the cache that the first
left. The others: run.py of shared/peers (or of $CHAAC_PEERS), by $CHAAC_BENCH_PYTHON or python3. All run at one thread,
or at BENCH_THREADS, and on as many cores, the last ones: run.py pins the others so, and ours, its compiler with it, is
pinned the same way.
One JSON line a measure: ours, theirs, their ratio and the bar it should stay under; checksums that differ say so and
end the run with 1. Times of one thread are the least of the clock's minimum and of the processor's mean, so that other
work on the machine counts less; times of several are the clock's. What is not there (a library, the folder) is one line
that says so. BENCH_BUDGET: seconds of timed runs of each workload; BENCH_PEERS: only these others ("jax,numpy").
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = {"numpy": "numpy", "jax": "jax", "torch": "torch", "torch_compile": "torch", "tinygrad": "tinygrad",
         "iree": "iree.runtime", "ort": "onnxruntime"}
# workload of run.py: our workloads (its cases have the same names unless OTHER_CASE says otherwise)
WORKLOADS = {"mlp_train": ["mlp_train"], "tiny_train": ["tiny_train"], "mlp_big": ["mlp_big"],
             "conv_train": ["conv_train"], "gpt_step": ["gpt_step", "gpt_step_jit"], "gpt_fwd": ["gpt_fwd"],
             "ewise": ["chain20_cheap", "chain20_trans"],
             "rowwise": ["softmax", "layernorm", "norm_softmax_grad"],
             "reduce": ["sum_axis0", "sum_axis1", "sum_all"],
             "matmul": [f"matmul_f32_{n}" for n in (64, 128, 256, 512, 1024, 2048)] + ["matmul_f64_1024"],
             "dispatch": ["add4", "chain50", "add4_jit", "chain50_jit"], "churn": ["churn"],
             "unroll": ["unroll_100", "unroll_1000", "unroll_10000"], "startup": ["startup"]}
OTHER_CASE = {"churn": ("exact", "eager", "auto_dynamic"), "gpt_step_jit": ("gpt_step",), "add4_jit": ("add4",),
              "chain50_jit": ("chain50",)}
# a faster form of the same that a peer has
FASTER_CASE = {"conv_train": "conv_train_pool2", "gpt_step": "gpt_step_barrier", "gpt_step_jit": "gpt_step_barrier"}
# replays of a jit are to cost what the same program costs without one
JIT_OF = {"gpt_step_jit": "gpt_step"}
JIT_BAR = 1.03
# what ours divided by the best of the others should stay under
BARS = {"mlp_train": .85, "tiny_train": .15, "mlp_big": .9, "conv_train": .6, "gpt_step": .75, "gpt_fwd": .8,
        "chain20_cheap": 1.05, "chain20_trans": .4, "softmax": 1.05, "layernorm": 1.05, "norm_softmax_grad": .4,
        "sum_axis0": 1.05, "sum_axis1": 1.05, "sum_all": 1.05, "matmul_f32_64": .85, "matmul_f64_1024": 1.1,
        "add4": .5, "chain50": .4, "chain50_jit": .4, "churn": .8, "unroll_10000": 5, "startup": .3}
# compiling; with a warm disk cache. Of a jit: call 2, which records and compiles
FIRST_BARS = {"mlp_train": (.8, .2), "gpt_step": (.4, .05), "gpt_step_jit": (.5, None)}
MEMORY_BARS = {"gpt_step": .7, "startup": .7}
TIMEOUT = 600
THREADS = os.environ.get("BENCH_THREADS", "1")


def say(**line):
    print(json.dumps(line), flush=True)


def pin():
    """As settings.py of the others does: on the last cores, for the first is the busiest."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-int(THREADS):])


def lines_of(command, cwd=None, before=None, **variables):
    try:
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              timeout=TIMEOUT, env={**os.environ, **variables}, preexec_fn=before)
    except subprocess.TimeoutExpired:
        return 124, []
    out = []
    for line in done.stdout.splitlines():
        try:
            out.append(json.loads(line))
        except ValueError:
            pass
    return done.returncode, out


def timed(command, **variables):
    """The least seconds of five runs of a whole process."""
    code = ("import subprocess,sys,time\nbest=1e9\nfor _ in range(5):\n t=time.perf_counter()\n"
            " subprocess.run(sys.argv[1:],check=True,stdout=subprocess.DEVNULL)\n"
            " best=min(best,time.perf_counter()-t)\nprint(best)")
    done = subprocess.run([sys.executable, "-c", code, *command], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **variables}, preexec_fn=pin)
    return float(done.stdout) if done.returncode == 0 else None


def ours(program, name):
    """What we measure: a dict of times, peak memory, kernels; None when it fails."""
    folder = tempfile.mkdtemp(prefix="chaac-bench-")
    cache = {"CHAAC_CACHE_DIR": os.path.join(folder, "cache"), "CHAAC_NUM_THREADS": THREADS}
    try:
        failed, lines = lines_of([program, name], before=pin, **cache)
        again_failed, again = lines_of([program, name], before=pin, **cache, BENCH_BUDGET="0.1")
        if not lines or not again:
            return None
        r = lines[0]
        r["warm"] = again[0]["first"]
        r["failed"] = failed or again_failed
        if "min" in r and "min" in again[0] and name != "churn":
            r["min"] = min(r["min"], again[0]["min"])
        if "cpu" in r and THREADS == "1":
            r["min"] = min(r["min"], r["cpu"], again[0]["cpu"])
        if name == "startup":
            r["min"] = timed([program, name], **cache)
        if name.startswith("unroll"):
            r["min"] = r["first"]
        return r
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def peer_lines(python, folder, framework, workload):
    """By case of one peer: seconds, seconds of the first call with an empty and with a warm cache, memory, checksum."""
    cache = tempfile.mkdtemp(prefix="chaac-bench-")
    command = [python, "run.py", "--workload", workload, "--framework", framework, "--threads", THREADS,
               "--json", "--cache", cache]
    try:
        _, lines = lines_of(command + ["--budget", os.environ.get("BENCH_BUDGET", "1")], folder)
        found = {}
        for r in lines:
            if "case" not in r:
                continue
            time = r.get("total_s", r.get("process_s", r.get("min_s")))
            if "min_s" in r and "cpu_s" in r and THREADS == "1":
                time = min(time, r["cpu_s"])
            found[r["case"]] = {"min": time, "first": r.get("first_s"), "peak_mb": r.get("peak_rss_mb"),
                                "check": r.get("check_5")}
        if any(w in FIRST_BARS for w in WORKLOADS[workload]):
            for r in lines_of(command + ["--first-only"], folder)[1]:
                if r.get("case") in found:
                    found[r["case"]]["warm"] = r.get("first_s")
        return found
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def compare(name, what, mine, theirs, bar):
    """One line: the best of the others and the ratio; theirs: seconds or megabytes by peer."""
    theirs = {k: v for k, v in theirs.items() if v}
    if mine is None or not theirs:
        return
    best = min(theirs, key=theirs.get)
    line = {"name": name, "measure": what, "ours": mine, "best": best, "theirs": theirs[best],
            "ratio": round(mine / theirs[best], 3)}
    if bar:
        line.update(bar=bar, within=mine / theirs[best] <= bar)
    say(**line)


def find_peers():
    python = os.environ.get("CHAAC_BENCH_PYTHON", "python3")
    folder = os.environ.get("CHAAC_PEERS", os.path.join(ROOT, "shared", "peers"))
    if not os.path.exists(os.path.join(folder, "run.py")):
        say(skipped="peers", why=f"{folder} has no run.py: name its folder in CHAAC_PEERS")
        return python, folder, []
    found = []
    chosen = os.environ.get("BENCH_PEERS", ",".join(PEERS)).split(",")
    for framework, module in PEERS.items():
        if framework not in chosen:
            continue
        if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode == 0:
            found.append(framework)
        else:
            say(skipped=framework, why=f"{python} has no module {module}")
    return python, folder, found


def main():
    program = os.path.abspath(os.path.join(sys.argv[1], "bench", "bench_native"))
    wanted, failed = sys.argv[2:], 0
    python, folder, peers = find_peers()
    for workload, names in WORKLOADS.items():
        names = [n for n in names if not wanted or n in wanted]
        mine = {}
        for n in names:
            mine[n] = ours(program, n)
            if mine[n] is None:
                say(name=n, failed=True)
                failed = 1
            else:
                failed = failed or mine[n].pop("failed")
                say(**mine[n])
        theirs = {p: peer_lines(python, folder, p, workload) for p in peers} if names else {}
        for n in names:
            if mine[n] is None:
                continue
            cases = [n, *OTHER_CASE.get(n, ())] + ([FASTER_CASE[n]] if n in FASTER_CASE else [])
            results = {f"{p} {c}" if c == FASTER_CASE.get(n) else p: found[c]
                       for p, found in theirs.items() for c in cases if c in found}
            for p, r in results.items():
                if r["check"] and n != "startup" and abs(mine[n]["check"] - r["check"]) > 1e-4 * abs(r["check"]):
                    say(name=n, peer=p, wrong=f"checksum {mine[n]['check']} is {r['check']} there")
                    failed = 1
            of = {k: {p: r.get(k) for p, r in results.items()} for k in ("min", "first", "warm", "peak_mb")}
            same = mine.get(JIT_OF.get(n))
            if same:
                compare(n, "replay", mine[n]["min"], {"the step of the trainer": same["min"]}, JIT_BAR)
            compare(n, "time", mine[n].get("min"), of["min"], BARS.get(n, 1.05 if n.startswith("matmul") else None))
            if n in FIRST_BARS: # beside those that compile too
                for k in ("first", "warm"):
                    for eager in ("numpy", "torch"):
                        of[k].pop(eager, None)
                compare(n, "first", mine[n]["first"], of["first"], FIRST_BARS[n][0])
                compare(n, "first, warm cache", mine[n]["warm"], of["warm"], FIRST_BARS[n][1])
            if n in MEMORY_BARS:
                compare(n, "memory", mine[n]["peak_mb"], of["peak_mb"], MEMORY_BARS[n])
    return failed


sys.exit(main())
