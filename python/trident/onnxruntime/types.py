"""Types of inputs and outputs: as ONNX Runtime writes them, as ONNX numbers them, in NumPy."""

import importlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from trident import ValueInfo


class Element(NamedTuple):
    """An element type of tensors."""

    #: The name in ``tensor(…)``.
    name: str
    #: The number in ONNX's ``TensorProto.DataType``.
    number: int
    #: The name in NumPy or ``ml_dtypes``; ``object`` for strings.
    numpy: str
    #: The name in ``trident.Model``.
    trident: str
    #: The bits of an element that shares its byte with others.
    bits: int | None = None


#: Element types, the usual ones first.
ELEMENTS = (
    Element("float", 1, "float32", "f32"),
    Element("int64", 7, "int64", "i64"),
    Element("double", 11, "float64", "f64"),
    Element("float16", 10, "float16", "f16"),
    Element("int32", 6, "int32", "i32"),
    Element("int16", 5, "int16", "i16"),
    Element("int8", 3, "int8", "i8"),
    Element("uint64", 13, "uint64", "u64"),
    Element("uint32", 12, "uint32", "u32"),
    Element("uint16", 4, "uint16", "u16"),
    Element("uint8", 2, "uint8", "u8"),
    Element("bool", 9, "bool", "bool"),
    Element("string", 8, "object", "str"),
    Element("complex64", 14, "complex64", "c64"),
    Element("complex128", 15, "complex128", "c128"),
    Element("bfloat16", 16, "bfloat16", "bf16"),
    Element("float8e4m3fn", 17, "float8_e4m3fn", "f8e4m3fn"),
    Element("float8e4m3fnuz", 18, "float8_e4m3fnuz", "f8e4m3fnuz"),
    Element("float8e5m2", 19, "float8_e5m2", "f8e5m2"),
    Element("float8e5m2fnuz", 20, "float8_e5m2fnuz", "f8e5m2fnuz"),
    Element("float8e8m0", 24, "float8_e8m0fnu", "f8e8m0fnu"),
    Element("uint4", 21, "uint4", "u4", 4),
    Element("int4", 22, "int4", "i4", 4),
    Element("float4e2m1", 23, "float4_e2m1fn", "f4e2m1fn", 4),
    Element("uint2", 25, "uint2", "u2", 2),
    Element("int2", 26, "int2", "i2", 2),
)

_BY_NAME = {element.name: element for element in ELEMENTS}
_BY_TRIDENT = {element.trident: element for element in ELEMENTS}
_BY_NUMPY = {element.numpy: element for element in ELEMENTS}
_BY_NUMBER = {element.number: element for element in ELEMENTS}


def by_numpy(dtype: "np.dtype[np.generic]") -> Element | None:
    """The element type of an array; texts of every kind are strings."""
    return _BY_NUMPY["object"] if dtype.kind in "OSUT" else _BY_NUMPY.get(dtype.name)


def by_number(number: int) -> Element | None:
    """The element type that ONNX gives this number."""
    return _BY_NUMBER.get(number)


def by_trident(name: str) -> Element | None:
    """The element type that ``trident.Model`` calls so."""
    return _BY_TRIDENT.get(name)


def innermost(name: str) -> Element | None:
    """The element type within a type such as ``seq(tensor(float))``; ``None`` for a map."""
    inner = name.rpartition("tensor(")[2].rstrip(")")
    return None if "map(" in name else _BY_NAME.get(inner)


def dtype(element: Element) -> "np.dtype[np.generic]":
    """NumPy's type of the elements. ``ml_dtypes`` has those that NumPy lacks."""
    try:
        return np.dtype(element.numpy)
    except TypeError:
        return np.dtype(getattr(importlib.import_module("ml_dtypes"), element.numpy))


def text(name: str) -> str:
    """The type of a value as ONNX Runtime writes it, from ``trident.ValueInfo.type``."""
    for prefix, ours in (("opt<", "optional"), ("seq<", "seq")):
        if name.startswith(prefix):
            return f"{ours}({text(name.removeprefix(prefix))})"
    if name.startswith("map<"):
        key, value = name.removeprefix("map<").split(", ", 1)
        return f"map({_BY_TRIDENT[key].name},{text(value)})"
    return f"tensor({_BY_TRIDENT[name.split('[', 1)[0]].name})"


class NodeArg:
    """An input or an output of a model."""

    __slots__ = ("_info", "_sizes")

    def __init__(self, info: ValueInfo, sizes: Mapping[str, int]) -> None:
        """``sizes`` are those of symbols that the session's options fix."""
        self._info, self._sizes = info, sizes

    @property
    def name(self) -> str:
        """Its name in the model."""
        return self._info.name

    @property
    def type(self) -> str:
        """Its type, such as ``tensor(float)``."""
        return text(self._info.type)

    @property
    def shape(self) -> list[int | str | None]:
        """Its dimensions: numbers, names of symbols, and ``None``. Empty if their number is
        unknown."""
        dims = self._info.shape or ()
        return [self._sizes.get(dim, dim) if isinstance(dim, str) else dim for dim in dims]

    @property
    def has_rank(self) -> bool:
        """Whether the number of dimensions is known."""
        return self._info.shape is not None

    def __repr__(self) -> str:
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"
