#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_reference - reference numbers of optimizers and models as lines of text, which the C tests read.

usage: make_reference FOLDER      FOLDER holds optim.json, tiny_llama.json, charlm.json and fashion_cnn.json

Each line is a key of several words, a colon, and numbers. The numbers are copied, not computed.
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def line(key, values):
    return key + ": " + " ".join(repr(float(v)) for v in values) + "\n"


def optim(d):
    out = [line("p0", d["p0"])]
    out += [line(f"grad {i + 1}", g) for i, g in enumerate(d["grads"])]
    for row in d["optimisers"]:
        for dtype in ("f32", "f64"):
            out += [line(f"{row['name']} {dtype} {step}", v) for step, v in row[dtype].items()]
    for i, c in enumerate(d["clips"]):
        key = f"clip {c['kind']} {c['limit']} {c['dtype']}"
        if c["total_norm"] is not None:
            out.append(line(key + " norm", [c["total_norm"]]))
        out += [line(f"{key} {k}", g) for k, g in enumerate(c["grads"])]
    for s in d["schedules"]:
        if "metric" in s:
            out.append(line("plateau metric", s["metric"]))
            out.append(line("plateau", s["lr_after_each"]))
        else:
            out.append(line("schedule " + s["name"], s["lr_at_step_0_to_23"]))
    return out


def llama(d):
    out = [line("logits", d["logits_row0_last"]), line("greedy prompt", d["greedy"]["prompt"]),
           line("greedy new", d["greedy"]["new_ids"])]
    for i, row in enumerate(d["batch"]):
        out.append(line(f"batch {i}", row))
    for key, rows in (("init", d["init"]), ("grad", d["grad_at_init_f64"])):
        out += [line(f"{key} {r['name']}", r["first4"] + [r["sum"], r["l2"]]) for r in rows]
    for dtype in ("f32", "f64"):
        out.append(line(f"full {dtype} loss", [r[0] for r in d["full"][dtype]]))
        out.append(line(f"full {dtype} norm", [r[1] for r in d["full"][dtype]]))
        out.append(line(f"lora {dtype}", d["lora"][dtype]))
    out.append(line("lora after", [d["lora"]["loss_after_f64"], d["lora"]["loss_after_merge_f64"]]))
    for r in d["lora"]["trained_f64"]:
        out += [line(f"lora {k} {r['module']}", r[k]["first4"] + [r[k]["sum"], r[k]["l2"]]) for k in "AB"]
    return out


def curve(d):
    out = [line("first20 f32", d["first20_f32"]), line("first20 f64", d["first20_f64"])]
    for step, loss in d.get("test_loss", []):
        out.append(line(f"test {step}", [loss]))
    if "greedy_after_training" in d:
        out.append(line("greedy", d["greedy_after_training"].encode("latin-1")))
    if "test_accuracy_and_loss_per_epoch" in d:
        out.append(line("accuracy", [r[0] for r in d["test_accuracy_and_loss_per_epoch"]]))
    return out


def main():
    folder = sys.argv[1]
    for name, make in (("optim", optim), ("tiny_llama", llama), ("charlm", curve), ("fashion_cnn", curve)):
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as f:
            lines = make(json.load(f))
        with open(os.path.join(HERE, name + ".txt"), "w", encoding="ascii") as f:
            f.writelines(lines)


main()
