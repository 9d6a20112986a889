# SPDX-License-Identifier: Apache-2.0
"""library - what the tests of this folder share: the library by ctypes, TAP, tensors of NumPy arrays."""
import ctypes
import sys

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP python3-numpy is not installed")
    sys.exit(0)

DTYPES = {"bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8, "uint64": 9,
          "float16": 10, "float32": 12, "float64": 13}
lib = ctypes.CDLL(sys.argv[1])
P = ctypes.c_void_p
lib.ch_error_message.restype = ctypes.c_char_p
lib.ch_data.restype = P
lib.ch_data.argtypes = [P]
lib.ch_keep.restype = P
lib.ch_keep.argtypes = [P]
lib.ch_release.argtypes = [P]
lib.ch_from_data_at.restype = P
lib.ch_from_data_at.argtypes = [ctypes.c_char_p, ctypes.c_int, P, ctypes.c_int, ctypes.POINTER(ctypes.c_int64)]
for name in ("ch_tensor_dtype", "ch_tensor_rank"):
    getattr(lib, name).argtypes = [P]
lib.ch_tensor_dim.restype = ctypes.c_int64
lib.ch_tensor_dim.argtypes = [P, ctypes.c_int]
lib.ch_tensors_alive.restype = ctypes.c_int64


def check(status):
    if status != 0:
        raise RuntimeError(lib.ch_error_message().decode())


def tensor(a):
    """A tensor, owned by the scope, with a copy of an array."""
    a = np.asarray(a, order="C")
    dims = (ctypes.c_int64 * max(1, a.ndim))(*a.shape)
    return lib.ch_from_data_at(b"python", DTYPES[a.dtype.name], a.ctypes.data, a.ndim, dims)


def array(t):
    """An array with a copy of a tensor."""
    name = {v: k for k, v in DTYPES.items()}[lib.ch_tensor_dtype(t)]
    shape = [lib.ch_tensor_dim(t, i) for i in range(lib.ch_tensor_rank(t))]
    n = int(np.prod(shape, dtype=np.int64)) * np.dtype(name).itemsize
    return np.frombuffer(ctypes.string_at(lib.ch_data(t), n) if n else b"", name).reshape(shape)


def same(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
    assert a.tobytes() == b.tobytes()


def arrays():
    """One array of each dtype, and some shapes."""
    for name in DTYPES:
        yield (np.arange(24) % 2 if name == "bool" else np.arange(24) * 3).astype(name).reshape(2, 3, 4)
    for shape in ((), (0,), (7,), (2, 0, 3), (1, 5, 1)):
        yield np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape) + 0.1)


def run(cases):
    print(f"# NumPy {np.__version__}")
    print(f"1..{len(cases)}")
    failed = 0
    for i, case in enumerate(cases, 1):
        try:
            reason = case()
            lib.ch_thread_end()
            assert lib.ch_tensors_alive() == 0, f"{lib.ch_tensors_alive()} tensors are alive"
            print(f"ok {i} - {case.__name__}" + (f" # SKIP {reason}" if reason else ""))
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {i} - {case.__name__}\n# {type(error).__name__}: {error}")
    sys.exit(1 if failed else 0)
