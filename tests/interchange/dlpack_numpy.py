# SPDX-License-Identifier: Apache-2.0
"""dlpack_numpy - arrays to tensors and back through DLPack, as NumPy makes and takes it: LIBRARY.

NumPy from 1.23 on knows the form before 1.0, from 2.1 on the versioned one.
"""
import ctypes
import gc

from library import P, array, arrays, check, lib, np, run, same, tensor

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [P, ctypes.c_char_p, P]
api.PyCapsule_GetPointer.restype = P
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
lib.ch_dlpack_export.argtypes = [P, ctypes.c_int, ctypes.POINTER(P)]
lib.ch_dlpack_export_legacy.argtypes = [P, ctypes.POINTER(P)]
for function in ("ch_dlpack_import", "ch_dlpack_import_legacy"):
    getattr(lib, function).argtypes = [P, ctypes.POINTER(P)]
VERSIONED = tuple(int(x) for x in np.__version__.split(".")[:2]) >= (2, 1)
USED = [b"used_dltensor_versioned", b"used_dltensor"]  # a capsule's name must outlive it


class Exported:
    """What NumPy asks of a producer, over a tensor."""

    def __init__(self, t):
        self.t = t

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        managed = P()
        if max_version is not None and max_version[0] >= 1:
            check(lib.ch_dlpack_export(self.t, 1 if copy else 0, ctypes.byref(managed)))
            return api.PyCapsule_New(managed, b"dltensor_versioned", None)
        check(lib.ch_dlpack_export_legacy(self.t, ctypes.byref(managed)))
        return api.PyCapsule_New(managed, b"dltensor", None)


class ExportedOld(Exported):
    """A producer that knows the form before 1.0 only."""

    def __dlpack__(self, stream=None):  # pylint: disable=arguments-differ
        return super().__dlpack__()


def imported(a, versioned):
    """A tensor of the caller's over an array's memory."""
    capsule = a.__dlpack__(max_version=(1, 1)) if versioned else a.__dlpack__()
    name = b"dltensor_versioned" if versioned else b"dltensor"
    managed, t = api.PyCapsule_GetPointer(capsule, name), P()
    api.PyCapsule_SetName(capsule, USED[0 if versioned else 1])
    take = lib.ch_dlpack_import if versioned else lib.ch_dlpack_import_legacy
    check(take(managed, ctypes.byref(t)))
    return t


def views():
    """Arrays that are no rows one behind the other, or begin elsewhere."""
    a = np.arange(120, dtype="int32").reshape(4, 5, 6)
    return [a.T, a[::-1], a[:, ::2, 1:], a[2], a[:, 3, ::-2], np.broadcast_to(a[0, 0], (3, 6)), a[0:0], a[1:, 1:2]]


def tensors_become_arrays():
    for a in arrays():
        for exported in (Exported, ExportedOld):
            b = np.from_dlpack(exported(tensor(a)))
            same(a, b)
            del b
    gc.collect()


def arrays_outlive_tensors():
    a = np.arange(1000, dtype="float32")
    b = np.from_dlpack(Exported(tensor(a)))
    lib.ch_thread_end()
    same(a, b)
    del b
    gc.collect()


def shared_memory_is_read_only():
    if not VERSIONED:
        return "this NumPy does not know DLPack 1.0"
    t = tensor(np.arange(5.0))
    b = np.from_dlpack(Exported(t))
    assert not b.flags.writeable and b.ctypes.data == lib.ch_data(t)
    c = np.from_dlpack(Exported(t), copy=True)
    assert c.flags.writeable and c.ctypes.data != lib.ch_data(t)
    c[0] = 9
    same(array(t), np.arange(5.0))
    del b, c
    gc.collect()
    return None


def arrays_become_tensors(versioned=False):
    for a in list(arrays()) + views():
        if not a.flags.writeable and not versioned:
            continue                                     # NumPy refuses to: the old form cannot say so
        t = imported(a, versioned)
        same(a, array(t))
        lib.ch_release(t)
    a = np.arange(6.0)
    t = imported(a, versioned)
    assert lib.ch_data(t) == a.ctypes.data               # not copied
    del a
    gc.collect()
    same(array(t), np.arange(6.0))                       # and alive
    lib.ch_release(t)


def arrays_become_tensors_versioned():
    if not VERSIONED:
        return "this NumPy does not know DLPack 1.0"
    return arrays_become_tensors(True)


def refused_by_name():
    for a, word in ((np.zeros(3, "complex64"), "dtype code 5 of 64 bits"),):
        try:
            imported(a, False)
            raise AssertionError("it was taken")
        except RuntimeError as error:
            assert word in str(error), error


run([tensors_become_arrays, arrays_outlive_tensors, shared_memory_is_read_only, arrays_become_tensors,
     arrays_become_tensors_versioned, refused_by_name])
