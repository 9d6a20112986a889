#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""native - bench_native beside other libraries on the same inputs, in one run.

usage: native.py FOLDER [WORKLOAD...]     FOLDER holds the built bench_native

The others' programs are run.py of shared/peers (or $CHAAC_PEERS), by $CHAAC_BENCH_PYTHON or python3, at one thread. One
JSON line a result: seconds of ours and of each peer and the ratio; a peer that is not there is one line that says so.
"""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = {"numpy": "numpy", "jax": "jax", "torch": "torch", "ort": "onnxruntime"}
# workload of run.py: its cases here, by our names
WORKLOADS = {"ewise": ["chain20_cheap", "chain20_trans"],
             "rowwise": ["softmax", "layernorm", "norm_softmax_grad"],
             "reduce": ["sum_axis0", "sum_axis1", "sum_all"],
             "matmul": ["matmul_f32_64", "matmul_f32_256", "matmul_f32_1024", "matmul_f64_1024"]}


def say(**line):
    print(json.dumps(line), flush=True)


def lines_of(command, cwd=None):
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=600)
    out = []
    for line in done.stdout.splitlines():
        try:
            out.append(json.loads(line))
        except ValueError:
            pass
    return done.returncode, out


def peer_times(python, folder, framework, workload):
    """Seconds by case of one peer."""
    command = [python, "run.py", "--workload", workload, "--framework", framework, "--threads", "1", "--json",
               "--budget", "1"]
    _, lines = lines_of(command, folder)
    return {r["case"]: r["min_s"] for r in lines if "case" in r and "min_s" in r}


def main():
    build, names = sys.argv[1], sys.argv[2:]
    failed, ours = lines_of([os.path.join(build, "bench", "bench_native"), *names])
    for r in ours:
        say(**r)
    python = os.environ.get("CHAAC_BENCH_PYTHON", "python3")
    folder = os.environ.get("CHAAC_PEERS", os.path.join(ROOT, "shared", "peers"))
    if not os.path.exists(os.path.join(folder, "run.py")):
        say(skipped="peers", why=f"{folder} has no run.py: name its folder in CHAAC_PEERS")
        return failed
    time = {r["name"]: r["min"] for r in ours}
    for framework, module in PEERS.items():
        if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode != 0:
            say(skipped=framework, why=f"{python} has no module {module}")
            continue
        for workload, cases in WORKLOADS.items():
            if not any(c in time for c in cases):
                continue
            theirs = peer_times(python, folder, framework, workload)
            for c in cases:
                if c in time and c in theirs:
                    say(name=c, peer=framework, ours=time[c], theirs=theirs[c], ratio=round(time[c] / theirs[c], 3))
    return failed


sys.exit(main())
