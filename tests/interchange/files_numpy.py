# SPDX-License-Identifier: Apache-2.0
"""files_numpy - npy and npz files that NumPy reads and writes: LIBRARY. safetensors too where the package is found."""
import ctypes
import os
import tempfile
import zipfile

from library import P, array, arrays, check, lib, np, run, same, tensor

folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "file")
lib.ch_npy_save.argtypes = [ctypes.c_char_p, P]
lib.ch_npy_load.argtypes = [ctypes.c_char_p, ctypes.POINTER(P)]
lib.ch_npz_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(P)]
lib.ch_npz_close.argtypes = [P]
lib.ch_npz_read.argtypes = [P, ctypes.c_char_p, ctypes.POINTER(P)]
lib.ch_npz_save.argtypes = [ctypes.c_char_p, ctypes.c_int, P, P, ctypes.c_int]
lib.ch_safetensors_save.argtypes = [ctypes.c_char_p, ctypes.c_int, P, P, ctypes.c_int, P, P]
lib.ch_safetensors_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(P)]
lib.ch_safetensors_read.argtypes = [P, ctypes.c_char_p, ctypes.POINTER(P)]
lib.ch_safetensors_close.argtypes = [P]


def named():
    return {f"a{i}": a for i, a in enumerate(arrays())}


def lists(content):
    names = (ctypes.c_char_p * len(content))(*[k.encode() for k in content])
    return len(content), names, (P * len(content))(*[tensor(a) for a in content.values()])


def npy():
    for a in arrays():
        check(lib.ch_npy_save(path.encode(), tensor(a)))
        same(np.load(path), a)
        with open(path, "wb") as f:
            np.save(f, np.asarray(a, order="F"))
        t = P()
        check(lib.ch_npy_load(path.encode(), ctypes.byref(t)))
        same(array(t), a)
        lib.ch_release(t)


def npz_written(compressed=0):
    content = named()
    check(lib.ch_npz_save(path.encode(), *lists(content), compressed))
    with zipfile.ZipFile(path) as z:
        assert z.testzip() is None
    with np.load(path) as f:
        assert f.files == list(content)
        for k, a in content.items():
            same(f[k], a)


def npz_written_compressed():
    npz_written(1)


def npz_read():
    content = named()
    for save in (np.savez, np.savez_compressed):
        with open(path, "wb") as file:
            save(file, **content)
        f, t = P(), P()
        check(lib.ch_npz_open(path.encode(), ctypes.byref(f)))
        for k, a in content.items():
            check(lib.ch_npz_read(f, k.encode(), ctypes.byref(t)))
            same(array(t), a)
            lib.ch_release(t)
        lib.ch_npz_close(f)


def safetensors():
    try:
        from safetensors.numpy import load_file, save_file
    except ImportError:
        return "the Python package safetensors is not installed"
    content = named()
    check(lib.ch_safetensors_save(path.encode(), *lists(content), 0, None, None))
    back = load_file(path)
    assert sorted(back) == sorted(content)
    for k, a in content.items():
        same(back[k], a)
    save_file(content, path)
    f, t = P(), P()
    check(lib.ch_safetensors_open(path.encode(), ctypes.byref(f)))
    for k, a in content.items():
        check(lib.ch_safetensors_read(f, k.encode(), ctypes.byref(t)))
        same(array(t), a)
        lib.ch_release(t)
    lib.ch_safetensors_close(f)
    return None


run([npy, npz_written, npz_written_compressed, npz_read, safetensors])
