"""ONNX files as bytes, for tests: the few messages that they need, without the onnx package."""

import struct

#: Element types by the names that NumPy and ml_dtypes have for them.
TYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "object": 8,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "complex64": 14,
    "complex128": 15,
    "bfloat16": 16,
    "float8_e4m3fn": 17,
    "float8_e4m3fnuz": 18,
    "float8_e5m2": 19,
    "float8_e5m2fnuz": 20,
    "uint4": 21,
    "int4": 22,
    "float4_e2m1fn": 23,
    "float8_e8m0fnu": 24,
    "uint2": 25,
    "int2": 26,
}


def _varint(number):
    number &= (1 << 64) - 1
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def _field(number, value):
    """A field: an integer, a float, text, or bytes of a message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _message(*fields):
    return b"".join(_field(number, value) for number, value in fields)


def tensor_type(dtype, shape=None):
    """A tensor's type; dimensions are numbers, names, or None."""
    dims = []
    for dim in shape or ():
        named = {int: 1, str: 2}.get(type(dim))
        dims.append((1, _message(*[(named, dim)] if named else [])))
    shape = [] if shape is None else [(2, _message(*dims))]
    return _message((1, _message((1, TYPES[dtype]), *shape)))


def sequence_type(item):
    return _message((4, _message((1, item))))


def optional_type(item):
    return _message((9, _message((1, item))))


def map_type(key, value):
    return _message((5, _message((1, TYPES[key]), (2, value))))


def attribute(name, value):
    """An attribute: an integer, a float, a list of either, or the bytes of a graph."""
    kinds = {int: (3, 2), float: (2, 1), bytes: (6, 5)}
    if isinstance(value, list):
        number, kind = (8, 7) if isinstance(value[0], int) else (7, 6)
        return _message((1, name), *[(number, item) for item in value], (20, kind))
    number, kind = kinds[type(value)]
    return _message((1, name), (number, value), (20, kind))


def node(op, inputs, outputs, name="", domain="", **attributes):
    listed = [(1, each) for each in inputs] + [(2, each) for each in outputs]
    listed += [(3, name), (4, op), (7, domain)]
    return _message(*listed, *[(5, attribute(*each)) for each in attributes.items()])


def tensor(name, array):
    """An initializer of a NumPy array."""
    dims = [(1, size) for size in array.shape]
    return _message(*dims, (2, TYPES[array.dtype.name]), (8, name), (9, array.tobytes()))


def graph(nodes, inputs, outputs, initializers=()):
    """A graph; inputs and outputs are types by name."""
    fields = [(1, each) for each in nodes] + [(2, "g")] + [(5, each) for each in initializers]
    for number, values in ((11, inputs), (12, outputs)):
        fields += [(number, _message((1, name), (2, ty))) for name, ty in values.items()]
    return _message(*fields)


def model(
    nodes, inputs, outputs, initializers=(), metadata=None, opset=25, version=13, microsoft=None
):
    """A model's file, of an operator set and a version of ONNX's IR."""
    sets = [(8, _message((1, ""), (2, opset))), (8, _message((1, "ai.onnx.ml"), (2, 3)))]
    if microsoft is not None:
        sets.append((8, _message((1, "com.microsoft"), (2, microsoft))))
    texts = [(14, _message((1, key), (2, text))) for key, text in (metadata or {}).items()]
    whole = (7, graph(nodes, inputs, outputs, initializers))
    return _message((1, version), (2, "tests"), *sets, whole, *texts)


def unary(op, dtype, shape=None, **attributes):
    """A model of one node, ``x`` to ``y``."""
    ty = tensor_type(dtype, shape)
    return model([node(op, ["x"], ["y"], "the node", **attributes)], {"x": ty}, {"y": ty})
