"""Tensors on the wire: the protocol's element types and its form of each in bytes."""

import struct

import ml_dtypes
import numpy as np

BYTES = "BYTES"
NUMPY = {
    "BOOL": np.dtype(np.bool_),
    "UINT8": np.dtype(np.uint8),
    "UINT16": np.dtype(np.uint16),
    "UINT32": np.dtype(np.uint32),
    "UINT64": np.dtype(np.uint64),
    "INT8": np.dtype(np.int8),
    "INT16": np.dtype(np.int16),
    "INT32": np.dtype(np.int32),
    "INT64": np.dtype(np.int64),
    "FP16": np.dtype(np.float16),
    "FP32": np.dtype(np.float32),
    "FP64": np.dtype(np.float64),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    BYTES: np.dtype(object),
}
NAMES = {dtype: name for name, dtype in NUMPY.items()}
ONLY_BINARY = ("FP16", "BF16")  # types that have no form in JSON


def datatype(array):
    """The protocol's name of an array's type; arrays of text are BYTES."""
    return BYTES if array.dtype.kind in "OSU" else NAMES[array.dtype]


def configured(name):
    """The name of a type in a model's configuration."""
    return "TYPE_STRING" if name == BYTES else f"TYPE_{name}"


def as_bytes(element):
    return element if isinstance(element, bytes) else str(element).encode()


def encode(array):
    """The tensor's bytes."""
    if datatype(array) != BYTES:
        return np.ascontiguousarray(array).tobytes()
    elements = [as_bytes(element) for element in array.ravel().tolist()]
    return b"".join(struct.pack("<I", len(element)) + element for element in elements)


def decode(name, shape, data):
    """The array of these bytes; they must be exactly as many as the shape needs."""
    if name != BYTES:
        return np.frombuffer(data, NUMPY[name]).reshape(shape)
    elements, place = [], 0
    while place < len(data):
        length = int.from_bytes(data[place : place + 4], "little")
        place += 4 + length
        if place > len(data):
            raise ValueError(f"element {len(elements)} goes beyond the tensor's end")
        elements.append(data[place - length : place])
    array = np.empty(len(elements), object)
    array[:] = elements
    return array.reshape(shape)


def plain(array):
    """The tensor's elements as JSON has them, flat."""
    if datatype(array) == BYTES:
        return [as_bytes(element).decode() for element in array.ravel().tolist()]
    return array.ravel().tolist()


def difference(want, got):
    """The first difference of two arrays, bit by bit; None if they are equal."""
    if datatype(want) != datatype(got) or want.shape != got.shape:
        return f"{datatype(got)}{list(got.shape)} instead of {datatype(want)}{list(want.shape)}"
    if encode(want) == encode(got):
        return None
    pairs = list(zip(want.ravel().tolist(), got.ravel().tolist()))
    if datatype(want) == BYTES:
        pairs = [(as_bytes(one), as_bytes(other)) for one, other in pairs]
    bad = [k for k, (one, other) in enumerate(pairs) if one != other and not (one != one != other)]
    if not bad:
        return "equal values with other bits (zeros or NaN)"
    one, other = pairs[bad[0]]
    return f"{len(bad)} of {len(pairs)} elements, first {bad[0]}: {other!r} instead of {one!r}"


def expect(want, got):
    """Assert that the results `got` have the names and bits of `want`."""
    if set(want) != set(got):
        raise AssertionError(f"outputs {sorted(got)} instead of {sorted(want)}")
    for name in want:
        told = difference(want[name], got[name])
        if told:
            raise AssertionError(f"output {name}: {told}")
