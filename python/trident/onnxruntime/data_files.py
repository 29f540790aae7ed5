"""The elements of tensors in ONNX files, and in the data files beside them."""

import math
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import numpy as np

from trident.onnxruntime import types, wire
from trident.onnxruntime.errors import Fail
from trident.onnxruntime.model_file import Tensor
from trident.onnxruntime.values import Array, OrtValue

# Fields of tensors that list elements of some types.
FLOATS, INT32, TEXTS, INT64, DOUBLES, UINT64 = 4, 5, 6, 7, 10, 11
STRING = 8  # ONNX's number of the type
INTEGERS = (INT32, INT64, UINT64)


class DataFiles:
    """The data files of a model, on the disk or in memory."""

    def __init__(self, model: Path | None, in_memory: Mapping[str, bytes] | None = None) -> None:
        """``model`` is the path of the model's file; without it no file of the disk is read."""
        self._model, self._in_memory = model, in_memory or {}

    def read(self, tensor: Tensor) -> bytes | memoryview:
        """The elements of a tensor that are in a data file.

        Raises ``Fail`` for a file that cannot be read, is too short, or is not in the model's
        folder.
        """
        location = tensor.entries.get("location", "")
        try:
            offset = int(tensor.entries.get("offset", "0"))
            given = tensor.entries.get("length")
            length = size(tensor) if given is None else int(given)
        except ValueError as error:
            raise Fail.of(f"external data of initializer {tensor.name}: {error}") from error
        if location in self._in_memory:
            data: bytes | memoryview = memoryview(self._in_memory[location])[
                offset : offset + length
            ]
        else:
            data = self._of_disk(tensor.name, location, offset, length)
        if offset < 0 or not len(data) == length == size(tensor):
            raise Fail.of(
                f"external data of initializer {tensor.name}: {size(tensor)} bytes are needed, "
                f"and {location} has {len(data)} at byte {offset}"
            )
        return data

    def _of_disk(self, name: str, location: str, offset: int, length: int) -> bytes:
        try:
            with self._path(name, location).open("rb") as file:
                file.seek(max(offset, 0))
                return file.read(max(length, 0))
        except OSError as error:
            text = f"cannot read {location}: {error.strerror or error}"
            raise Fail.of(f"external data of initializer {name}: {text}") from error

    def _path(self, name: str, location: str) -> Path:
        """The path of a data file, which lies in the model's folder or in that of a link's target,
        as ``trident.Model`` requires it."""
        if self._model is None:
            raise Fail.of(
                f"external data of initializer {name}: the model is given by its bytes, so the "
                f"folder of {location} is not known"
            )
        relative = PurePosixPath(location)
        if not location or relative.is_absolute() or ".." in relative.parts:
            raise Fail.of(
                f"External data path validation failed for initializer: {name}: {location!r} is "
                "not a path within the model's folder"
            )
        folder = self._model.parent.resolve()
        path = (folder / relative).resolve()
        if not any(path.is_relative_to(root) for root in (folder, self._model.resolve().parent)):
            raise Fail.of(
                f"External data path validation failed for initializer: {name}: {location} is a "
                "link that leads out of the model's folder"
            )
        return path


def elements(tensor: Tensor) -> bytes | memoryview | None:
    """The bytes of the elements that a file holds itself; ``None`` for strings."""
    if tensor.type == STRING:
        return None
    if tensor.raw is not None:
        return tensor.raw
    parts: list[bytes | memoryview] = []
    for field in tensor.fields:
        if field.number in (FLOATS, DOUBLES):
            parts.append(field.bytes)
        elif field.number in INTEGERS:
            numbers = np.array(wire.integers(field), np.uint64)
            parts.append(_narrowed(numbers, tensor.type))
    return b"".join(parts)


def _narrowed(numbers: Array, number: int) -> bytes:
    """Integers of a field as elements of a type, of which narrow ones share bytes already."""
    element = types.by_number(number)
    if element is None:
        raise ValueError(f"element type {number} is no number of ONNX's")
    size = 1 if element.bits else types.dtype(element).itemsize
    return numbers.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :size].tobytes()


def value(tensor: Tensor, data: bytes | memoryview) -> OrtValue:
    """A tensor with a copy of these elements, whose type is not narrower than a byte.

    Raises ``Fail`` for another number of bytes.
    """
    element = types.by_number(tensor.type)
    if element is None or element.bits is not None or len(data) != size(tensor):
        raise Fail.of(
            f"initializer {tensor.name} of type {tensor.type}: {size(tensor)} bytes are needed, "
            f"and {len(data)} came"
        )
    array = np.frombuffer(data, np.uint8).copy().view(types.dtype(element))
    return OrtValue._of(array.reshape(tensor.dims), element=element)


def size(tensor: Tensor) -> int:
    """The bytes of a tensor's elements; 0 for strings and unknown types."""
    element = types.by_number(tensor.type)
    if element is None or tensor.type == STRING:
        return 0
    bits = element.bits or 8 * types.dtype(element).itemsize
    return (math.prod(tensor.dims) * bits + 7) // 8
