"""Errors of arguments that do not fit a model, in ONNX Runtime's order and words.

A run checks nothing in Python. When ``trident.Model`` refuses the arguments, they are looked at
here, to name what was expected and what came as programs search for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from trident.onnxruntime import types
from trident.onnxruntime.errors import InvalidArgument
from trident.onnxruntime.types import NodeArg
from trident.onnxruntime.values import Array

_FIX = "Please fix either the inputs/outputs or the model."


def missing(required: Iterable[str], feed: Iterable[str]) -> ValueError:
    """The error for inputs that were left out."""
    given = list(feed)
    absent = [name for name in required if name not in given]
    return ValueError(f"Required inputs ({absent}) are missing from input feed ({given}).")


def arguments(
    inputs: Mapping[str, NodeArg], outputs: Sequence[NodeArg], wanted: Any, feed: Mapping[str, Any]
) -> Exception | None:
    """The error of the first argument that does not fit; ``None`` if all do."""
    for name in wanted or ():
        if name not in [output.name for output in outputs]:
            return InvalidArgument.of(f"Invalid output name:{name}")
    for name, value in feed.items():
        if name not in inputs:
            known = ", ".join(inputs)
            return InvalidArgument.of(f"Invalid input name: {name} (the inputs are {known})")
        error = _value(inputs[name], value)
        if error is not None:
            return error
    return None


def _value(arg: NodeArg, value: Any) -> Exception | None:
    if arg.type.startswith("map(") and isinstance(value, Mapping):
        return _keys(arg, cast("Mapping[Any, Any]", value))
    if not arg.type.startswith("tensor("):
        return None
    if isinstance(value, (dict, type(None), int, float, complex)):
        kind: type = type(cast("object", value))
        text = f"input {arg.name} is of type {kind}, and an array of {arg.type} is expected"
        return RuntimeError(f"Unable to handle object of type {kind}: {text}")
    try:
        array = cast("Array", value) if isinstance(value, np.ndarray) else np.asarray(value)
    except Exception:
        return None
    element = types.by_numpy(array.dtype)
    came = f"tensor({element.name})" if element is not None else str(array.dtype)
    if came != arg.type and not isinstance(value, list):
        return InvalidArgument.of(
            f"Unexpected input data type. Actual: ({came}) , expected: ({arg.type}) "
            f"for input: {arg.name}"
        )
    return shape(arg, array.shape)


def _keys(arg: NodeArg, value: Mapping[Any, Any]) -> Exception | None:
    """The error of the first key of another type than the input has."""
    wanted, name = (int, "int64_t") if arg.type.startswith("map(int64") else (str, "std::string")
    wrong = [key for key in value if not isinstance(key, wanted)]
    if not wrong:
        return None
    text = f"Unexpected key type  {type(wrong[0])}, it cannot be linked to C type {name}"
    return RuntimeError(f"{text} for input '{arg.name}' of type {arg.type}")


def shape(arg: NodeArg, dims: Sequence[int]) -> Exception | None:
    """The error of an array's dimensions; ``None`` if they fit."""
    expected = arg.shape
    if not arg.has_rank:
        return None
    if len(expected) != len(dims):
        return InvalidArgument.of(
            f"Invalid rank for input: {arg.name} Got: {len(dims)} Expected: {len(expected)} {_FIX}"
        )
    wrong = [
        f" index: {i} Got: {got} Expected: {size}\n"
        for i, (got, size) in enumerate(zip(dims, expected))
        if isinstance(size, int) and size != got
    ]
    if not wrong:
        return None
    return InvalidArgument.of(
        f"Got invalid dimensions for input: {arg.name} for the following indices\n"
        f"{''.join(wrong)} {_FIX}"
    )
