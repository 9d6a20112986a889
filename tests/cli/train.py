#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""train.py - chaac train, eval and plot on small data: COMMAND.

The loss falls for every model; the log is JSON, line by line; a run that was stopped by a signal, at whatever step, or
killed, and gone on with ends in the checkpoint of the run that was not, byte for byte; early stopping stops; progress
is drawn on a terminal only; the pictures are well-formed.
"""
import gzip
import json
import math
import os
import pty
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = os.path.abspath(sys.argv[1])
POINTS = ["--model=mlp", "--data=points.csv", "--classes=2", "--batch=8", "--lr=0.02", "--seed=3"]
n = 0


def case(name, trouble):
    global n
    n += 1
    if trouble:
        print("\n".join("# " + x for x in str(trouble).rstrip().split("\n")))
    print(f"{'not ok' if trouble else 'ok'} {n} - {name}", flush=True)


def chaac(*arguments):
    done = subprocess.run([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, timeout=120)
    return done.returncode, done.stdout, done.stderr


def log(folder):
    """The lines of a run's log; strict JSON, one object a line."""
    with open(f"{folder}/log.jsonl", encoding="utf-8") as f:
        text = f.read()
    assert text.endswith("}\n"), "the log does not end in a line"

    def refuse(word):
        raise ValueError(f"{word} is no JSON")
    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


def losses(folder):
    return [x["loss"] for x in log(folder) if x["event"] == "step"]


def content(path):
    with open(path, "rb") as f:
        return f.read()


# ---- data
def npy(shape, kind, values):
    """An npy file of little-endian elements: kind is "<f4" or "|u1"."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    form = {"<f4": "f", "|u1": "B", "<i4": "i"}[kind]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(values)}{form}", *values))


def npz(path, **arrays):
    with zipfile.ZipFile(path, "w") as z:
        for name, array in arrays.items():
            z.writestr(name + ".npy", npy(*array))


def images(count, seed):
    """8 x 8 bytes: a bright upper or lower half among noise; which one is the label."""
    rng = random.Random(seed)
    pixels, labels = [], []
    for _ in range(count):
        label = rng.randrange(2)
        labels.append(label)
        pixels += [rng.randrange(60) + (180 if (i >= 32) == bool(label) else 0) for i in range(64)]
    return pixels, labels


def idx(path, dims, values):
    with gzip.open(path, "wb") as f:
        f.write(bytes([0, 0, 8, len(dims)]) + struct.pack(f">{len(dims)}I", *dims) + bytes(values))


def write_data():
    shutil.copy(f"{ROOT}/tests/cli/cases/points.csv", ".")
    rng = random.Random(5)
    with open("line.csv", "w", encoding="utf-8") as f:
        f.write("a,target,b\n")
        for _ in range(96):
            a, b = rng.uniform(90, 110), rng.uniform(-1, 1)
            f.write(f"{a:.4f},{0.2 * (a - 100) - b + 3:.4f},{b:.4f}\n")
    pixels, labels = images(80, 1)
    more, others = images(20, 2)
    npz("images.npz", x=((80, 8, 8), "|u1", pixels), y=((80,), "|u1", labels), x_test=((20, 8, 8), "|u1", more),
        y_test=((20,), "|u1", others))
    os.mkdir("idx")
    idx("idx/train-images-idx3-ubyte.gz", (80, 8, 8), pixels)
    idx("idx/train-labels-idx1-ubyte.gz", (80,), labels)
    idx("idx/t10k-images-idx3-ubyte.gz", (20, 8, 8), more)
    idx("idx/t10k-labels-idx1-ubyte.gz", (20,), others)
    with open("words.txt", "w", encoding="utf-8") as f:
        f.write("the quick brown fox jumps over the lazy dog. " * 30)
    with open("model.ir", "w", encoding="utf-8") as f:
        f.write("chaac-ir 1\nfunc @m(%x: f32[n,2], %w: f32[2,2], %b: f32[2]) -> f32[n,2] {\n"
                "  %xx = mul %x, %x : f32[n,2]\n"
                "  %d = dot %xx, %w {contract = [1]x[0]} : f32[n,2]\n"
                "  %bb = broadcast %b {dims = [1]} : f32[n,2]\n"
                "  %y = add %d, %bb : f32[n,2]\n  return %y\n}\n")


# ---- cases
def falls(name, arguments, folder, below):
    """The mean loss of the last epoch against that of the first."""
    status, out, err = chaac("train", *arguments, f"--out={folder}")
    if status:
        return case(f"{name} learns", err)
    epochs = [x["loss"] for x in log(folder) if x["event"] == "epoch"]
    trouble = None if epochs[-1] < below * epochs[0] else f"losses of the epochs: {epochs}"
    if not re.fullmatch(r"step \d+  loss \d+\.\d{4}(  held out \d+\.\d{4}(, accuracy \d+\.\d\d %)?)?\n", out):
        trouble = f"its last words are:\n{out}"
    return case(f"{name} learns", trouble)


def models():
    falls("mlp on labels of a CSV", POINTS + ["--epochs=20"], "points", 0.5)
    falls("mlp on numbers of a CSV", ["--model=mlp", "--data=line.csv", "--target=target", "--standardize", "--lr=0.01",
                                      "--epochs=20", "--hidden=16", "--batch=16"], "line", 0.2)
    falls("huber, tanh, momentum, one-cycle, clipping",
          ["--model=mlp", "--data=line.csv", "--target=2", "--standardize", "--loss=huber", "--activation=tanh",
           "--optimizer=momentum", "--schedule=one-cycle", "--clip=1", "--lr=0.1", "--epochs=15", "--batch=16"],
          "huber", 0.5)
    falls("cnn on arrays", ["--model=cnn", "--data=images.npz", "--hidden=4,4", "--epochs=4", "--batch=8",
                            "--lr=0.02"], "cnn", 0.5)
    falls("cnn on idx files", ["--model=cnn", "--data=idx", "--hidden=4", "--epochs=3", "--batch=8", "--lr=0.02"],
          "cnn-idx", 0.7)
    falls("char-lm on text", ["--model=char-lm", "--data=words.txt", "--hidden=24", "--context=16", "--epochs=6",
                              "--batch=8", "--lr=0.02"], "text", 0.7)
    falls("a func in the IR", ["--model=model.ir", *POINTS[1:], "--epochs=15"], "ir", 0.8)
    for optimizer in ("sgd nesterov adamw rmsprop adagrad adadelta adamax nadam radam lion lamb").split():
        lr = {"adadelta": 3, "lion": 0.003}.get(optimizer, 0.05)
        falls(optimizer, [*POINTS[:-2], f"--lr={lr}", f"--optimizer={optimizer}", "--epochs=8", "--schedule=cosine",
                          "--warmup=3"], f"o-{optimizer}", 0.97)


def rates(folder):
    return [x["rate"] for x in log(folder) if x["event"] == "step"]


def tensor_bytes(path):
    """The tensors of a safetensors file: name -> bytes."""
    data = content(path)
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + n])
    return {k: data[8 + n + v["data_offsets"][0]:8 + n + v["data_offsets"][1]] for k, v in header.items()
            if k != "__metadata__"}


def how_it_learns():
    """Accumulation, averages, frozen sets, bf16, decay by name, every schedule; each resumes to the bit."""
    falls("gathered gradients, averages, bf16", [*POINTS, "--accumulate=3", "--average=0.9", "--compute=bf16",
                                                 "--clip-value=0.5", "--epochs=12"], "gathered", 0.7)
    runs = {"gathered": ["--accumulate=4"], "averaged": ["--average=0.8"], "in bf16": ["--compute=bf16"],
            "frozen": ["--frozen=dense0"], "decayed": ["--optimizer=adamw", "--decay=0.5", "--no-decay=*.bias"],
            "clipped": ["--clip-value=0.01"], "restarts": ["--schedule=restarts:5,2"],
            "polynomial": ["--schedule=polynomial:2"], "cyclic": ["--schedule=cyclic:4,0.1"],
            "piecewise": ["--schedule=piecewise:5,0.5,12,0.1"], "plain": []}
    last = {}
    for name, flags in runs.items():
        whole, parts = f"how-{name}", f"how-{name}-parts"
        status, _, err = chaac("train", *POINTS, "--epochs=3", *flags, f"--out={whole}")
        status2, said = stopped(parts, signal.SIGINT, 7, [*POINTS, "--epochs=3", *flags])
        status3, _, err3 = chaac("train", "--resume", f"--out={parts}")
        good = (status, status2, status3) == (0, 1, 0)
        good = good and content(f"{whole}/checkpoint.safetensors") == content(f"{parts}/checkpoint.safetensors")
        case(f"{name}: gone on with, the same bytes",
             None if good else f"{status} {status2} {status3} {err}{said}{err3}")
        status, out, err = chaac("eval", whole, "--json")
        held = [x for x in log(whole) if x["event"] == "epoch"][-1]["valid_loss"]
        case(f"{name}: measured again, the same",
             None if status == 0 and json.loads(out)["loss"] == held else out + err)
        last[name] = tensor_bytes(f"{whole}/checkpoint.safetensors")
    status, _, err = chaac("train", *POINTS, "--epochs=1", "--lr=1e-12", "--optimizer=sgd", "--out=seeded-0")
    first = tensor_bytes("seeded-0/checkpoint.safetensors")
    case("what is frozen stays, the rest learns",
         None if last["frozen"]["model/dense0.weight"] == first["model/dense0.weight"]
         and not any(last["frozen"]["model/dense0.bias"])
         and last["frozen"]["model/dense1.weight"] != first["model/dense1.weight"] else "it does not")
    ends = [last[k]["model/dense1.weight"] for k in runs]
    case("the ways differ, and averages lie beside",
         None if len(set(ends)) == len(runs) - 1 and last["averaged"]["model/dense1.weight"] == ends[-1]
         and last["averaged"]["optimizer/dense1.weight.average"] != ends[-1] else "they do not")
    got = [round(x / 0.02, 6) for x in rates("how-piecewise")][:14]
    case("piecewise rates", None if got == 5 * [1] + 7 * [0.5] + 2 * [0.1] else got)
    got = rates("how-gathered")
    case("updates are what a schedule counts",
         None if chaac("train", *POINTS, "--epochs=3", "--accumulate=4", "--schedule=step:1,0.5",
                       "--out=halves")[0] == 0 and
         [round(math.log2(0.02 / x)) for x in rates("halves")][:9] == [0, 0, 0, 0, 1, 1, 1, 1, 2] else got)


def logs():
    lines = log("points")
    steps = [x for x in lines if x["event"] == "step"]
    epochs = [x for x in lines if x["event"] == "epoch"]
    trouble = None
    if [x["step"] for x in steps] != list(range(1, 261)) or [x["epoch"] for x in epochs] != list(range(1, 21)):
        trouble = "steps or epochs are missing"
    elif lines[0]["event"] != "start" or lines[0]["rows"] != 108 or lines[0]["held_out"] != 12:
        trouble = lines[0]
    elif lines[-1]["event"] != "stop" or lines[-1]["reason"] != "done":
        trouble = lines[-1]
    elif abs(sum(x["loss"] for x in steps[:13]) / 13 - epochs[0]["loss"]) > 1e-12:
        trouble = "the loss of an epoch is not the mean of its steps"
    elif any(b["seconds"] < a["seconds"] for a, b in zip(lines, lines[1:])):
        trouble = "time goes back"
    case("the log is JSON, complete, in order", trouble)
    cosine = [x["rate"] for x in log("o-sgd") if x["event"] == "step"]
    good = cosine[0] == 0 and abs(max(cosine) - 0.05) < 1e-9 and cosine[-1] < 0.001
    case("the log has the schedule's rates", None if good else cosine)
    chaac("train", *POINTS, "--epochs=1", "--schedule=step:4,0.5", "--out=steps")
    rates = [x["rate"] for x in log("steps") if x["event"] == "step"]
    wanted = [0.02 * 0.5 ** (i // 4) for i in range(13)]
    case("a schedule with numbers", None if all(abs(a - b) < 1e-12 for a, b in zip(rates, wanted)) else rates)


def measures():
    status, out, err = chaac("eval", "points", "--json")
    last = [x for x in log("points") if x["event"] == "epoch"][-1]
    got = json.loads(out) if status == 0 else {}
    good = got.get("loss") == last["valid_loss"] and got.get("accuracy") == last["accuracy"] and got["rows"] == 12
    case("eval measures what training measured", None if good else f"{out}{err}{last}")
    best = min((x["valid_loss"], x["step"]) for x in log("points") if x["event"] == "epoch")
    status, out, err = chaac("eval", "points", "--checkpoint=best.safetensors", "--json")
    got = json.loads(out) if status == 0 else {}
    case("eval measures the best", None if (got.get("loss"), got.get("step")) == best else f"{out}{err}{best}")
    status, out, err = chaac("eval", "line", "--data=line.csv")
    case("eval of numbers, on other data", None if re.fullmatch(r"step \d+  rows 96  loss \d+\.\d{4}\n", out)
         else out + err)
    status, out, err = chaac("eval", "cnn")
    case("eval on test arrays", None if "rows 20 " in out else out + err)


def parameters(path):
    """Name: (dims, numbers) of the f32 tensors of a safetensors file."""
    data = content(path)
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return {name: (t["shape"], struct.unpack(f"<{(t['data_offsets'][1] - t['data_offsets'][0]) // 4}f",
                                             data[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]]))
            for name, t in header.items() if name != "__metadata__" and t["dtype"] == "F32"}


def by_hand():
    """Loss and accuracy of the checkpoint of "points", computed here; 117 rows, which batches of 8 do not divide."""
    with open("points.csv", encoding="utf-8") as f:
        lines = f.read().splitlines()[:118]
    with open("odd.csv", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    tensors = parameters("points/checkpoint.safetensors")
    loss, right = 0, 0
    for line in lines[1:]:
        *h, label = (float(x) for x in line.split(","))
        for layer in range(2):
            (_, wide), w = tensors[f"model/dense{layer}.weight"]
            b = tensors[f"model/dense{layer}.bias"][1]
            h = [b[k] + sum(h[i] * w[i * wide + k] for i in range(len(h))) for k in range(wide)]
            h = [max(x, 0) for x in h] if layer == 0 else h
        loss += math.log(sum(math.exp(x - max(h)) for x in h)) - h[int(label)] + max(h)
        right += h.index(max(h)) == int(label)
    status, out, err = chaac("eval", "points", "--data=odd.csv", "--json")
    got = json.loads(out) if status == 0 else {"loss": 0, "accuracy": 0}
    good = abs(got["loss"] - loss / 117) < 1e-6 and got["accuracy"] == right / 117
    case("eval is what the formulas say", None if good else f"{out}{err}{loss / 117} {right / 117}")


def next_bytes():
    """Of four letters drawn at random nobody can tell the next one: ln 4, whatever is learnt. The one seen is easy."""
    rng = random.Random(9)
    with open("random.txt", "w", encoding="utf-8") as f:
        f.write("".join(rng.choice("abcd") for _ in range(1500)))
    status, out, err = chaac("train", "--model=char-lm", "--data=random.txt", "--hidden=16", "--context=8",
                             "--epochs=6", "--batch=8", "--lr=0.02", "--out=random")
    last = [x for x in log("random") if x["event"] == "epoch"][-1]
    case("char-lm is to tell the next byte", None if status == 0 and 1.2 < last["valid_loss"] < 1.8 else f"{last}{err}")


def rows():
    """Each row in its place: the model predicts 0, the target of row i is 2^i, so a loss of 4^i names the row."""
    with open("rows.csv", "w", encoding="utf-8") as f:
        f.write("zero,target\n" + "".join(f"0,{2 ** i}\n" for i in range(20)))
    with open("zero.ir", "w", encoding="utf-8") as f:
        f.write("chaac-ir 1\nfunc @zero(%x: f32[n,1], %b: f32[1]) -> f32[n,1] {\n"
                "  %bb = broadcast %b {dims = [1]} : f32[n,1]\n  %y = mul %x, %bb : f32[n,1]\n  return %y\n}\n")
    seen = []
    for seed in (1, 2):
        status, out, err = chaac("train", "--model=zero.ir", "--data=rows.csv", "--batch=1", "--epochs=2",
                                 f"--seed={seed}", f"--out=rows{seed}")
        if status:
            return case("rows", err)
        order = [round(math.log(x, 4)) for x in losses(f"rows{seed}")]
        both = 2 * [x["valid_loss"] for x in log(f"rows{seed}") if x["event"] == "epoch"][-1]
        held = {i for i in range(20) if int(both) >> 2 * i & 3}
        trouble = None
        if len(held) != 2 or sorted(order[:18]) != sorted(set(range(20)) - held):
            trouble = f"rows {order[:18]} are learnt, {held} held out"
        elif sorted(order[18:]) != sorted(order[:18]) or order[18:] == order[:18]:
            trouble = f"the second epoch has rows {order[18:]} after {order[:18]}"
        case(f"a row is learnt once an epoch or held out, seed {seed}", trouble)
        seen.append((held, order))
    case("which and when, the seed says", None if seen[0][0] != seen[1][0] and {18, 19} not in (seen[0][0], seen[1][0])
         and seen[0][1] != seen[1][1] else seen)


def wait_for(condition, process, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if condition():
            return True
        time.sleep(0.002)
    return False


def steps_logged(folder):
    try:
        return content(f"{folder}/log.jsonl").count(b'"event": "step"')
    except FileNotFoundError:
        return 0


def stopped(folder, how, after, arguments, tries=10):
    """A run that gets a signal as soon as `after` steps are logged: its status and what it said."""
    process = subprocess.Popen([COMMAND, "train", *arguments, f"--out={folder}"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    wait_for(lambda: steps_logged(folder) >= after, process)
    process.send_signal(how)
    said = process.communicate(timeout=60)[1]
    if process.returncode == 0 and tries > 1:       # it was through before the signal came: a busy machine
        shutil.rmtree(folder)
        return stopped(folder, how, after, arguments, tries - 1)
    return process.returncode, said


def resume():
    whole = POINTS + ["--epochs=12", "--hidden=96,96", "--save-every=5", "--schedule=cosine",
                      "--standardize"]
    status, _, err = chaac("train", *whole, "--out=whole")
    case("a run to compare with", err if status else None)
    wanted = content("whole/checkpoint.safetensors"), content("whole/best.safetensors"), losses("whole")
    for number, (how, after) in enumerate([(signal.SIGINT, 3), (signal.SIGINT, 13), (signal.SIGTERM, 40),
                                           (signal.SIGKILL, 20), (signal.SIGKILL, 61)]):
        folder, name = f"stopped{number}", f"{how.name} after {after} steps"
        status, said = stopped(folder, how, after, whole)
        if how == signal.SIGKILL:
            trouble = None if status == -9 else f"status {status}: {said}"
        else:
            good = status == 1 and re.search(r"chaac train: interrupted after step \d+ of 156, saved — chaac train "
                                             rf"--resume --out={folder} goes on\n$", said)
            trouble = None if good else f"status {status}: {said}"
        case(f"{name}: the status and the words", trouble)
        status, out, err = chaac("eval", folder)
        case(f"{name}: the checkpoint is whole", err if status else None)
        status, out, err = chaac("train", "--resume", f"--out={folder}")
        got = content(f"{folder}/checkpoint.safetensors"), content(f"{folder}/best.safetensors"), losses(folder)
        case(f"{name}: gone on with, the same bytes and losses", err if status else None if got == wanted else
             f"checkpoint {got[0] == wanted[0]}, best {got[1] == wanted[1]}, losses {got[2] == wanted[2]}")
        epochs = [[(x["epoch"], x["loss"], x["valid_loss"]) for x in log(f) if x["event"] == "epoch"]
                  for f in ("whole", folder)]
        case(f"{name}: the same epochs in the log", None if epochs[0] == epochs[1] else epochs)
    status, out, err = chaac("train", "--resume", "--out=whole")
    case("a run that is done stays as it is", err if status or content("whole/checkpoint.safetensors") != wanted[0]
         else None)
    chaac("train", *POINTS, "--epochs=2", "--out=longer")
    status, out, err = chaac("train", "--resume", "--epochs=4", "--out=longer")
    chaac("train", *POINTS, "--epochs=4", "--out=four")
    same = content("longer/checkpoint.safetensors") == content("four/checkpoint.safetensors")
    case("more epochs, as if they had been asked for at first", None if status == 0 and same else err or "other bytes")
    chaac("train", "--model=model.ir:m", *POINTS[1:], "--epochs=2", "--out=named")
    os.mkdir("elsewhere")
    os.chdir("elsewhere")
    status, out, err = chaac("train", "--resume", "--epochs=15", "--out=../named")
    os.chdir("..")
    same = status == 0 and content("named/checkpoint.safetensors") == content("ir/checkpoint.safetensors")
    case("a func by its name, gone on with from elsewhere", None if same else err or "other bytes")
    status, said = stopped("text-stopped", signal.SIGINT, 7, ["--model=char-lm", "--data=words.txt", "--hidden=12",
                                                              "--context=8", "--epochs=2", "--batch=8"])
    chaac("train", "--resume", "--out=text-stopped")
    chaac("train", "--model=char-lm", "--data=words.txt", "--hidden=12", "--context=8", "--epochs=2", "--batch=8",
          "--out=text-whole")
    same = content("text-stopped/checkpoint.safetensors") == content("text-whole/checkpoint.safetensors")
    case("char-lm gone on with, the same bytes", None if same and status == 1 else said)
    chaac("train", *POINTS, "--epochs=1", "--seed=4", "--out=seeded")
    chaac("train", *POINTS, "--epochs=1", "--seed=3", "--out=again")
    chaac("train", *POINTS, "--epochs=1", "--out=once")
    case("the seed says it all", None if losses("again") == losses("once") != losses("seeded") else "it does not")


def early():
    status, out, err = chaac("train", *POINTS[:-2], "--lr=0.3", "--patience=2", "--epochs=200", "--out=early")
    lines = log("early")
    valid = [x["valid_loss"] for x in lines if x["event"] == "epoch"]
    good = (status == 0 and lines[-1]["reason"] == "early" and len(valid) < 200
            and len(valid) - 1 - valid.index(min(valid)) == 2
            and "chaac train: no better loss for 2 epochs, the best is " in err)
    case("early stopping stops", None if good else f"{valid}\n{err}")
    status, out, err = chaac("train", "--resume", "--out=early")
    case("what stopped early stays stopped", None if status == 0 and
         [x["valid_loss"] for x in log("early") if x["event"] == "epoch"] == valid else err)


def failures():
    status, out, err = chaac("train", "--model=mlp", "--data=points.csv", "--optimizer=sgd", "--lr=100000", "--batch=8",
                             "--out=nan")
    said = re.fullmatch(r"chaac train: the loss is (inf|nan) in step \d+ — lower --lr or give --clip; "
                        r"nan/checkpoint.safetensors is from before\n", err)
    good = status == 1 and said and log("nan")[-1]["reason"] == "failed"
    case("a loss that is no number", None if good else f"{status} {err}")
    status, out, err = chaac("eval", "nan")
    case("what was saved before it is whole", None if out.startswith("step 0  rows 12  loss ") else out + err)
    process = subprocess.Popen([COMMAND, "train", "--model=mlp", "--data=points.csv", "--hidden=3000,3000",
                                "--batch=100", "--optimizer=sgd", "--epochs=1000", "--out=twice"],
                               stderr=subprocess.PIPE, text=True)
    wait_for(lambda: os.path.exists("twice/log.jsonl") and b"start" in content("twice/log.jsonl"), process)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    err = process.communicate()[1]
    ends = process.returncode == -signal.SIGINT
    case("a second Ctrl-C ends at once", None if ends else f"{process.returncode} {err}")
    status, out, err = chaac("eval", "twice")
    case("and leaves the checkpoint before", None if out.startswith("step 0  rows 12  loss ") else out + err)


def within_a_step():
    """A step that would take days: Ctrl-C ends it, and leaves what was before; with either engine."""
    with open("days.ir", "w", encoding="utf-8") as f:
        f.write("chaac-ir 1\nfunc @m(%x: f32[n,2], %w: f32[2,2]) -> f32[n,2] {\n"
                "  %d = dot %x, %w {contract = [1]x[0]} : f32[n,2]\n"
                "  %zero = const {value = 0} : i64[]\n  %one = const {value = 1} : i64[]\n"
                "  %most = const {value = 1000000000000} : i64[]\n"
                "  %start = reduce %x {kind = sum, dims = [0,1], acc = f64, order = seq} : f32[]\n"
                "  %a = broadcast %start {dims = []} : f32[200,200]\n  %s = stop_gradient %a : f32[200,200]\n"
                "  %r = for %i = %zero to %most step %one iter(%p = %s) {\n"
                "    %q = sin %p : f32[200,200]\n    yield %q\n  } : f32[200,200]\n"
                "  %t = reduce %r {kind = sum, dims = [0,1], acc = f64, order = seq} : f32[]\n"
                "  %b = broadcast %t {dims = []} : f32[n,2]\n"
                "  %y = add %d, %b : f32[n,2]\n  return %y\n}\n")
    for engine in ("interp", "native"):
        folder = f"days-{engine}"
        process = subprocess.Popen([COMMAND, "train", "--model=days.ir", *POINTS[1:], f"--engine={engine}",
                                    "--holdout=0", f"--out={folder}"], stderr=subprocess.PIPE, text=True)
        wait_for(lambda: os.path.exists(f"{folder}/log.jsonl") and b"start" in content(f"{folder}/log.jsonl"), process)
        time.sleep(0.3)  # the step is under way, or the compiler is: either is given up
        process.send_signal(signal.SIGINT)
        try:
            err = process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            err = process.communicate()[1] + "it went on"
        good = (process.returncode == 1 and err == "chaac train: interrupted after step 0 of 150, saved — chaac train "
                f"--resume --out={folder} goes on\n")
        if engine == "native" and "no C compiler is found" in err:
            good = True
        case(f"Ctrl-C within a step of the engine {engine}", None if good else f"{process.returncode} {err}")


def broken_runs():
    """Flags, logs and checkpoints that somebody changed: 0, 1 or 2, and words when it is not 0."""
    rng = random.Random(11)
    chaac("train", *POINTS, "--epochs=2", "--hidden=4", "--standardize", "--out=sound")
    trouble = []
    for number in range(90):
        name = ("flags", "log.jsonl", "checkpoint.safetensors")[number % 3]
        shutil.rmtree("broken", ignore_errors=True)
        shutil.copytree("sound", "broken")
        data = bytearray(content(f"broken/{name}"))
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(data))
            change = rng.randrange(4)
            if change == 0:
                data[at] = rng.choice(b'\0\n"{}[],:=-.%e\xff')
            elif change == 1:
                del data[at:at + rng.randint(1, 30)]
            elif change == 2:
                data[at:at] = data[at:at + 20]
            else:
                del data[at + 1:]
        with open(f"broken/{name}", "wb") as f:
            f.write(data)
        words = (["eval", "broken"], ["plot", "broken"], ["train", "--resume", "--out=broken"])[number // 3 % 3]
        if words[0] == "train" and name == "flags":
            words = ["eval", "broken", "--data=points.csv"]             # what the flags now ask for may take long
        status, out, err = chaac(*words)
        if status not in (0, 1, 2) or (status and not err.strip()) or "Sanitizer" in err or "runtime error" in err:
            trouble.append(f"{words} of a broken {name}, try {number}: status {status}: {err[-1000:]}")
    case("broken runs are read or refused in words", "\n".join(trouble))


def on_terminal(*arguments):
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(COMMAND, [COMMAND, *arguments])
    said = b""
    while True:
        try:
            part = os.read(fd, 4096)
        except OSError:
            break
        if not part:
            break
        said += part
    os.waitpid(pid, 0)
    return said.decode(errors="replace")


def progress():
    said = on_terminal("train", *POINTS, "--epochs=3", "--out=shown")
    wanted = r"\r\x1b\[Kepoch \d/3  step \d+/13  loss \d+\.\d{4}  \d+ rows/s  ETA \d+ s"
    case("progress on a terminal", None if re.search(wanted, said) else said)
    status, out, err = chaac("train", *POINTS, "--epochs=3", "--out=quiet")
    case("none into a pipe", err if "\r" in err or "\x1b" in err or len(err.splitlines()) != 3 else None)


def pictures():
    svg = "{http://www.w3.org/2000/svg}"
    for folder in ("points", "line", "text"):
        root = ElementTree.parse(f"{folder}/curves.svg").getroot()
        width, height = (float(x) for x in root.get("viewBox").split()[2:])
        trouble = None if root.findall(f".//{svg}polyline") else "no curves"
        for line in root.iter(svg + "polyline"):
            for x, y in (p.split(",") for p in line.get("points").split()):
                if not (0 <= float(x) <= width and 0 <= float(y) <= height):
                    trouble = f"the point {x},{y} lies outside of the picture"
        case(f"curves of {folder}", trouble)
    status, out, err = chaac("plot", "points", "line/log.jsonl", "o-sgd", "--over=seconds", "--title=a < b & c")
    root = ElementTree.fromstring(out) if status == 0 else None
    texts = [t.text for t in root.iter(svg + "text")] if status == 0 else []
    wanted = {"a < b & c", "seconds", "points, training", "line, held out", "o-sgd", "loss", "held out: accuracy"}
    case("logs in one picture", None if wanted <= set(texts) else f"{texts}{err}")
    with open("torn.jsonl", "wb") as f:
        f.write(content("points/log.jsonl")[:5000])
    status, out, err = chaac("plot", "torn.jsonl")
    case("a log that is being written", err if status else None)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_data()
        models()
        logs()
        measures()
        by_hand()
        rows()
        next_bytes()
        how_it_learns()
        resume()
        early()
        failures()
        within_a_step()
        broken_runs()
        progress()
        pictures()
        os.chdir(ROOT)
    print(f"1..{n}")


main()
