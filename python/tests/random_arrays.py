"""Random arrays of any type, order, strides and place in memory."""

import os

import numpy as np
from onnx_bytes import TYPES

#: Element types that NumPy has.
DTYPES = [name for name in TYPES if name in np.sctypeDict and name != "object"]

#: Types of ml_dtypes.
EXTENSIONS = [name for name in TYPES if name not in DTYPES and name != "object"]

#: Random arrays of each type, for each test of them.
COUNT = int(os.environ.get("TRIDENT_TEST_ARRAYS", "500"))


def dtype_of(name):
    """NumPy's type of this name, or that of ml_dtypes."""
    if name in DTYPES:
        return np.dtype(name)
    import ml_dtypes

    return np.dtype(getattr(ml_dtypes, name))


def narrow(values, name):
    """Bytes whose bits are elements of this type: those of some types are not all in use."""
    if name == "bool":
        return values & 1
    if name.endswith(("int4", "int2")):
        bits = 8 - int(name[-1])
        signed = values << bits if name[0] == "u" else (values << bits).view(np.int8)
        return (signed >> bits).view(np.uint8)
    return values & 15 if name.startswith("float4") else values


def random_array(rng, name, rank):
    """An array of random bits, and what is special about it."""
    dtype = dtype_of(name)
    dims = [int(size) for size in rng.integers(0 if rng.random() < 0.1 else 1, 6, rank)]
    bits = rng.integers(0, 256, size=(*dims, dtype.itemsize), dtype=np.uint8)
    made = narrow(bits, name).view(dtype)[..., 0]
    kind = str(rng.choice(["plain", "order", "steps", "axes", "odd", "repeat", "swapped", "fixed"]))
    if kind == "order":
        made = np.asfortranarray(made)
    elif kind == "steps" and rank:
        step = rng.choice([-2, -1, 2])
        made = np.repeat(made, 2, axis=0)[::step]
    elif kind == "axes" and rank > 1:
        made = made.transpose(rng.permutation(rank))
    elif kind == "odd":
        # As memory comes from files: at any address.
        room = np.zeros(made.nbytes + 1, np.uint8)
        odd = np.ndarray(made.shape, dtype, room.data, offset=1)
        odd[...] = made
        made = odd
    elif kind == "repeat":
        made = np.broadcast_to(made, (int(rng.integers(1, 4)), *made.shape))
    elif kind == "swapped" and name in DTYPES:
        made = made.astype(dtype.newbyteorder())
    elif kind == "fixed":
        made.flags.writeable = False
    return made


def aligned(array):
    """The same elements in contiguous memory that begins at a multiple of 16 bytes."""
    room = np.zeros(array.nbytes + 16, np.uint8)
    start = -room.ctypes.data % 16
    native = array.dtype.newbyteorder("=")
    made = room[start : start + array.nbytes].view(native).reshape(array.shape)
    made[...] = array
    return made


def is_dense(array):
    """Whether the elements are as a model reads them, so that they need not be copied."""
    return array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative


def bits(values):
    """The bytes of an array's elements in row-major order, in this machine's byte order."""
    values = np.ascontiguousarray(values)
    return values.astype(values.dtype.newbyteorder("="), copy=False).tobytes()
