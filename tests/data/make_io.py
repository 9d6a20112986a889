#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_io - writes tests/data/io: files as NumPy, the safetensors package and Python's gzip write them.

usage: make_io FOLDER

Needs numpy and safetensors. Elements follow the rule of element() (in C: tests/unit/io_data.h), so that a test knows what
a file must hold without a second file.
"""
import gzip
import json
import os
import struct
import sys
import zipfile

import numpy as np
from safetensors import TensorSpec, serialize

TYPES = {  # name in Chaac: (numpy, bits, kind)
    "bool": ("?", 8, "b"), "i8": ("<i1", 8, "i"), "i16": ("<i2", 16, "i"), "i32": ("<i4", 32, "i"),
    "i64": ("<i8", 64, "i"), "u8": ("<u1", 8, "u"), "u16": ("<u2", 16, "u"), "u32": ("<u4", 32, "u"),
    "u64": ("<u8", 64, "u"), "f16": ("<f2", 16, "f"), "bf16": (None, 16, "f"), "f32": ("<f4", 32, "f"),
    "f64": ("<f8", 64, "f"), "f8e4m3": (None, 8, "u"), "f8e5m2": (None, 8, "u"),
}


def element(name, k):
    """Bytes of element k (row-major) of every tensor here."""
    bits, kind = TYPES[name][1:]
    if kind == "b":
        return bytes([k % 3 == 0])
    if kind != "f":
        v = (k * 0x9E3779B97F4A7C15 + 0x0123456789ABCD4F) % 2 ** 64 % 2 ** bits
        return v.to_bytes(bits // 8, "little")
    v = -0.0 if k == 1 else float("inf") if k == 2 else k * 0.75 - 3.0
    if name == "bf16":
        return struct.pack("<f", v)[2:]          # exact: the low half is zero
    return struct.pack({"f16": "<e", "f32": "<f", "f64": "<d"}[name], v)


def raw(name, shape):
    return b"".join(element(name, k) for k in range(int(np.prod(shape, dtype=np.int64))))


def array(name, shape):
    return np.frombuffer(raw(name, shape), TYPES[name][0]).reshape(shape)


def npy(folder):
    def save(file, a, version=None):
        with open(os.path.join(folder, file), "wb") as f:
            np.lib.format.write_array(f, a, version)
    for name, (descr, _, _) in TYPES.items():
        if descr:
            save(f"{name}_2x3.npy", array(name, (2, 3)))
    for shape in ((), (0,), (1,), (7,), (2, 0, 3), (2, 3, 4), (1, 2, 1, 3, 2)):
        save("f32_%s.npy" % ("x".join(map(str, shape)) or "scalar"), array("f32", shape))
    save("i16_1234567x0.npy", np.zeros((1234567, 0), "<i2"))
    for name, shape in (("u8", (3, 2)), ("i16", (2, 3, 4)), ("f32", (4, 3, 2)), ("f64", (2, 1, 3, 2, 2)), ("f32", (0, 3)),
                        ("f32", (5,))):
        save("fortran_%s_%s.npy" % (name, "x".join(map(str, shape))), np.asfortranarray(array(name, shape)))
    save("version2_f64_2x3.npy", array("f64", (2, 3)), (2, 0))
    save("version3_f64_2x3.npy", array("f64", (2, 3)), (3, 0))
    # As Python 2 wrote it: long integers, and its own order and blanks.
    text = b"{'shape': (2L, 3L), 'fortran_order': False, 'descr': '<f4'}"
    text += b" " * (70 - len(text) - 1) + b"\n"
    with open(os.path.join(folder, "python2_f32_2x3.npy"), "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + raw("f32", (2, 3)))
    # What is refused, as NumPy writes it.
    save("refused_big_endian.npy", array("f32", (2, 3)).astype(">f4"))
    save("refused_complex.npy", array("f32", (6,)).astype("<c8"))
    save("refused_text.npy", np.array(["ab", "c"]))
    save("refused_structured.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))
    save("refused_object.npy", np.array([None, 1], object))
    save("refused_void.npy", np.zeros(2, "V2"))


def npz(folder):
    def path(file):
        return os.path.join(folder, file)
    arrays = {"weight": array("f32", (2, 3)), "empty": array("i16", (0, 4)), "b\u00efas": array("f64", (7,)),
              "scalar": array("u8", ()), "turned": np.asfortranarray(array("i64", (3, 2)))}
    np.savez(path("stored.npz"), **{k: v for k, v in arrays.items() if k != "turned"})
    np.savez_compressed(path("deflated.npz"), **arrays, zeros=np.zeros((100, 1000), "<f4"))
    np.savez(path("none.npz"))
    # Members of all sizes in the zip64 form, and a directory that needs one.
    limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 10
    np.savez_compressed(path("zip64.npz"), **arrays)
    zipfile.ZIP64_LIMIT = limit

    class Pipe:                                  # cannot seek: sizes follow the data
        def __init__(self, f):
            self.write, self.flush = f.write, f.flush
    with open(path("streamed.npz"), "wb") as f, zipfile.ZipFile(Pipe(f), "w", zipfile.ZIP_DEFLATED) as z:
        for name in ("weight", "turned"):
            with z.open(zipfile.ZipInfo(name + ".npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, arrays[name])
    with zipfile.ZipFile(path("refused_bzip2.npz"), "w", zipfile.ZIP_BZIP2) as z:
        z.writestr(zipfile.ZipInfo("readme"), "no array", zipfile.ZIP_STORED)
        z.writestr(zipfile.ZipInfo("a.npy"), "packed otherwise", zipfile.ZIP_BZIP2)


PYTHON_NAMES = {"bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}


def safetensors(folder):
    alive = []

    def spec(name, shape):
        a = np.frombuffer(raw(name, shape) or b"", np.uint8)
        alive.append(a)
        python = PYTHON_NAMES.get(name) or np.dtype(TYPES[name][0]).name
        return TensorSpec(dtype=python, shape=list(shape), data_ptr=a.ctypes.data, data_len=a.nbytes)

    def save(file, tensors, metadata=None):
        with open(os.path.join(folder, file), "wb") as f:
            f.write(bytes(serialize({k: spec(*v) for k, v in tensors.items()}, metadata=metadata)))
    save("dtypes.safetensors", {"t." + name: (name, (2, 3)) for name in TYPES})
    # One dtype of each size: what the library writes must be the same bytes.
    sizes = {"d": ("f64", (2,)), "e\u00e9\U0001f600": ("f32", (3, 1)), "a\"\\/\n\t\x01": ("f32", ()), "h": ("f16", (0, 4)),
             "b": ("bool", (5,))}
    save("sizes.safetensors", sizes, {"format": "pt \"\u00e9\"\n"})
    # A model in two files under an index, as huggingface_hub splits it; "head" is tied to "embed" as save_model says it.
    parts = [{"layer.weight": ("f64", (3, 2)), "embed": ("f32", (4, 2))}, {"layer.bias": ("f32", (2,)), "norm": ("f16", (3,))}]
    names = ["model-%05d-of-00002.safetensors" % i for i in (1, 2)]
    save(names[0], parts[0], {"head": "embed"})
    save(names[1], parts[1])
    where = {k: file for file, part in zip(names, parts) for k in part}
    where["head"] = names[0]
    with open(os.path.join(folder, "model.safetensors.index.json"), "w", encoding="utf-8") as f:
        f.write(json.dumps({"metadata": {"total_size": 48 + 32 + 8 + 6}, "weight_map": where}, indent=2, sort_keys=True) + "\n")
    save("one.safetensors", {"w": ("f32", (2, 2))})
    save("none.safetensors", {})


IDX = {"u8": (0x08, ">u1"), "i8": (0x09, ">i1"), "i16": (0x0B, ">i2"), "i32": (0x0C, ">i4"), "f32": (0x0D, ">f4"),
       "f64": (0x0E, ">f8")}


def idx(folder):
    def content(name, shape):
        kind, big = IDX[name]
        return struct.pack(f">BBBB{len(shape)}I", 0, 0, kind, len(shape), *shape) + array(name, shape).astype(big).tobytes()

    def write(file, data):
        with open(os.path.join(folder, file), "wb") as f:
            f.write(data)
    for name in IDX:
        write(f"{name}_2x3.idx", content(name, (2, 3)))
    write("u8_7.idx", content("u8", (7,)))
    write("i16_2x3x4.idx", content("i16", (2, 3, 4)))
    write("u8_0.idx", content("u8", (0,)))
    write("i16_2x3x4.idx.gz", gzip.compress(content("i16", (2, 3, 4)), mtime=0))
    write("f64_2x3.idx.gz", gzip.compress(content("f64", (2, 3)), mtime=0))
    half = content("u8", (300,))
    write("members_u8_300.idx.gz", b"".join(gzip.compress(x, mtime=0) for x in (half[:3], half[3:100], b"", half[100:])))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    npy(folder)
    npz(folder)
    safetensors(folder)
    idx(folder)


main()
