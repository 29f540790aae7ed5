"""Arrays over memory that a program gives by its address."""

import ctypes
import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike

from trident.onnxruntime import types
from trident.onnxruntime.values import Array


class StringsError(ValueError):
    """Memory for strings, which have no bytes that a program could lend."""


def at(address: int, element_type: int | DTypeLike, shape: Sequence[int]) -> Array:
    """The array at an address. ``element_type`` is NumPy's, or ONNX's number.

    The memory is the caller's: it must be large enough, and outlive the array.
    """
    dtype = element_dtype(element_type)
    dims = [int(size) for size in shape]
    if any(size < 0 for size in dims):
        raise ValueError(f"dimensions are at least 0, and the shape is {dims}")
    size = math.prod(dims) * dtype.itemsize
    if size == 0:
        return np.empty(dims, dtype)
    if int(address) <= 0:
        raise ValueError(f"an array of {size} bytes needs memory, and buffer_ptr is {address}")
    room: Any = (ctypes.c_ubyte * size).from_address(int(address))
    return np.frombuffer(room, np.uint8).view(dtype).reshape(dims)


def element_dtype(element_type: int | DTypeLike) -> "np.dtype[Any]":
    """NumPy's type of elements that are given so, or by ONNX's number."""
    if isinstance(element_type, int):
        element = types.by_number(element_type)
        if element is not None and element.name == "string":
            raise StringsError("strings cannot be bound by an address: bind an array")
        if element is None:
            raise ValueError(f"element type {element_type} is no number of ONNX's for tensors")
        return types.dtype(element)
    dtype = np.dtype(element_type)
    if dtype.hasobject or dtype.kind in "SUT":
        raise StringsError(f"{dtype} cannot be bound by an address: bind an array")
    if types.by_numpy(dtype) is None:
        raise ValueError(f"memory cannot be bound as elements of {dtype}")
    return dtype


def overlap(one: object, other: object) -> bool:
    """Whether two arrays may share memory."""
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return False
    return np.may_share_memory(cast("Array", one), cast("Array", other))
