"""Texts about arguments that a kernel cannot take: what they are, and what to pass instead.

A text follows the argument's name, and ``{}`` in it stands for the argument: "is a list; pass an
array, such as np.asarray({})". Nothing here runs unless a launch fails.
"""

import collections.abc
import enum
import numbers
import sys
import types
from typing import Any, SupportsInt

#: Integers with more bits than this are described by their number of bits.
_SHOWN_BITS = 256

#: Values that kernels take as a ``tl.constexpr`` only, by their types and by the modules of these.
_CONSTANTS: tuple[type, ...] = (str, type, enum.Enum, types.FunctionType, types.BuiltinFunctionType)
_CONSTANT_MODULES = ("triton.language", "numpy.dtypes")

#: Element types of buffers that have another name as NumPy's.
_FORMATS = {"Zf": "complex64", "Zd": "complex128", "O": "object", "g": "longdouble"}

_NO_COMPLEX = "kernels do not support complex numbers"


def kind(value: object) -> str:
    """The kind of a value, with its article: ``a list``."""
    if value is None or isinstance(value, bytes):
        return "None" if value is None else "bytes"
    name = type(value).__name__
    return f"{'an' if name.startswith(('a', 'e', 'i', 'o', 'nd')) else 'a'} {name}"


def refused(value: object) -> str:
    """A value that no kernel takes."""
    return f"is {kind(value)}; {_advice(value)}"


def _advice(value: Any) -> str:
    if isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real):
        return f"{_NO_COMPLEX}: pass {{}}.real and {{}}.imag"
    if isinstance(value, bytes):
        return "pass an array of its bytes: np.frombuffer({}, np.uint8)"
    module = type(value).__module__
    if isinstance(value, _CONSTANTS) or module.startswith(_CONSTANT_MODULES):
        return "a parameter that takes one is declared as `tl.constexpr`"
    if isinstance(value, (collections.abc.Sequence, collections.abc.MutableSequence)):
        return "pass an array, such as np.asarray({}), or a tuple"
    if getattr(getattr(value, "dtype", None), "kind", None) in ("m", "M"):
        return "pass its number: {}.astype(np.int64)"
    if isinstance(value, numbers.Number):
        return "pass float({}) or int({})"
    if hasattr(value, "__array__") and hasattr(value, "__len__") and module != "numpy":
        return "pass an array of its elements: np.asarray({})"
    return "pass an array, a number, None or a tuple of these"


def mismatch(value: object, expected: str) -> str:
    """A value where a kernel takes something else, such as ``an integer``."""
    text = f"is {kind(value)}, and the kernel takes {expected} there"
    if expected == "an array" and isinstance(value, (list, range)):
        return f"{text}: pass np.asarray({{}})"
    if expected == "an integer" and isinstance(value, numbers.Real):
        return f"{text}: pass int({{}})"
    return text


def beyond(value: SupportsInt, ty: str, least: int, most: int) -> str:
    """An integer that does not fit its type."""
    number = int(value)
    bits = number.bit_length()
    shown = str(number) if bits <= _SHOWN_BITS else f"an integer of {bits} bits"
    return f"is {shown}, which does not fit into {ty}: it takes {least} to {most}"


def elements(array: object, ty: str) -> str:
    """An array whose elements, of a type that its library calls ``ty``, no kernel takes."""
    array_expression = "{}" if hasattr(array, "astype") else "np.asarray({})"
    foreign, order, own = ">", "big-endian", "little-endian"
    if sys.byteorder == "big":
        foreign, order, own = "<", own, order
    if ty.startswith(foreign) and not ty.startswith((foreign + "U", foreign + "S")):
        return (
            f"is {order} (`{ty}`), and this processor is {own}: pass "
            f"{array_expression}.astype({array_expression}.dtype.newbyteorder('='))"
        )
    dtype = getattr(array, "dtype", None)
    return f"has elements of type `{ty}`{_instead(dtype, ty, array_expression)}"


def _instead(dtype: Any, ty: str, array: str) -> str:
    names = getattr(dtype, "names", None)
    if names:
        return f", which have fields: pass one of them, such as {array}[{names[0]!r}]"
    name = _FORMATS.get(ty, ty)
    if "complex" in name:
        halves = {"complex64": "np.float32", "complex128": "np.float64"}.get(name)
        parts = f"{array}.view({halves}), where real and imaginary parts alternate"
        if name.startswith("torch."):
            parts = "torch.view_as_real({})"
        elif halves is None:
            parts = f"{array}.real and {array}.imag, converted to np.float64"
        return f", and {_NO_COMPLEX}: pass {parts}"
    if getattr(dtype, "kind", None) in ("m", "M"):
        return f", which kernels do not support: pass their numbers, {array}.view(np.int64)"
    if name == "object":
        return f", which are references to Python's objects: pass {array}.astype(np.float32)"
    if name in ("float128", "float96", "longdouble"):
        return f", which kernels do not support: pass {array}.astype(np.float64)"
    return ", which kernels do not support: pass an array of numbers"
