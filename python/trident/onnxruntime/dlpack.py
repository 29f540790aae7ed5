"""Capsules of DLPack, looked at without taking their tensor."""

import ctypes
from typing import Any

#: DLPack's code of unsigned integers.
UNSIGNED = 1

#: The names of capsules, and the bytes before the tensor in the structure that each points to.
_FORMS = ((b"dltensor", 0), (b"dltensor_versioned", 32))
#: The bytes of a tensor before its element type: an address, a device, and a number of dimensions.
_BEFORE_TYPE = 20

_api = ctypes.pythonapi
_api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_IsValid.restype = ctypes.c_int
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p


def element(capsule: Any) -> tuple[int, int]:
    """The code and the bits of the elements. Raises ``TypeError`` for a used or another capsule."""
    for name, before in _FORMS:
        if _api.PyCapsule_IsValid(capsule, name):
            start = _api.PyCapsule_GetPointer(capsule, name) + before + _BEFORE_TYPE
            code, bits = (ctypes.c_uint8 * 2).from_address(start)
            return code, bits
    raise TypeError(f"a DLPack capsule that was not used yet is expected, not {capsule!r}")
