"""DLPack's structures, for arrays that tests make up."""

import ctypes


class Tensor(ctypes.Structure):
    """``DLTensor``."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    """``DLManagedTensorVersioned``."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


def capsule(structure, name=b"dltensor_versioned"):
    """A capsule of a structure, which has to outlive it; DLPack's own would own it."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(structure), name, None)


class Plain(ctypes.Structure):
    """``DLManagedTensor``, from before DLPack had versions."""

    _fields_ = [
        ("tensor", Tensor),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class Exported:
    """A NumPy array that is known by DLPack alone. ``fields`` of the tensor may be wrong."""

    CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}

    def __init__(self, array, code=None, *, flags=0, versioned=True, **fields):
        self.array, self.flags, self.versioned = array, flags, versioned
        self.fields = {
            "code": self.CODES[array.dtype.kind] if code is None else code,
            "bits": 8 * array.itemsize,
            "lanes": 1,
            "device_type": 1,
            "ndim": array.ndim,
            "data": array.ctypes.data,
            "shape": array.shape,
            "strides": [stride // array.itemsize for stride in array.strides],
        } | fields

    def __dlpack_device__(self):
        return self.fields["device_type"], 0

    def __dlpack__(self, **options):
        if not self.versioned and options:
            raise TypeError("no such argument")
        fields = dict(self.fields)
        for name in ("shape", "strides"):
            if fields[name] is not None:
                fields[name] = (ctypes.c_int64 * max(len(fields[name]), 1))(*fields[name])
        tensor = Tensor(**fields)
        whole = Managed(major=1, flags=self.flags, tensor=tensor)
        if not self.versioned:
            whole = Plain(tensor=tensor)
        # The capsule owns nothing.
        self.exported = whole, fields
        return capsule(whole, b"dltensor_versioned" if self.versioned else b"dltensor")
