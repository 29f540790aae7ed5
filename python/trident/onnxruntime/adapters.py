"""Adapters: files with tensors that take the place of a model's optional inputs, as LoRA has them.

A file is a FlatBuffers table with three versions and a list of parameters. Each parameter has a
name, dimensions, ONNX's number of the element type, and its elements.
"""

import math
import os
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from trident.onnxruntime import flat, types
from trident.onnxruntime.errors import InvalidArgument
from trident.onnxruntime.values import OrtValue

MARK = b"TORT"
#: The version of the form of files that is written and read.
VERSION = 1


class AdapterFormat:
    """The contents of an adapter's file."""

    def __init__(self, adapter: "AdapterFormat | None" = None) -> None:
        """A new adapter, or one with the contents of another."""
        self._format_version: int = adapter._format_version if adapter else VERSION
        self._adapter_version: int = adapter._adapter_version if adapter else 0
        self._model_version: int = adapter._model_version if adapter else 0
        self._parameters: dict[str, OrtValue] = dict(adapter._parameters) if adapter else {}

    @classmethod
    def read_adapter(cls, file_path: str | os.PathLike[str]) -> Self:
        """The contents of a file. Raises ``RuntimeError`` for one that is no adapter."""
        try:
            data = memoryview(Path(file_path).read_bytes())
        except OSError as error:
            text = f"cannot read adapter {file_path}: {error.strerror or error}"
            raise RuntimeError(text) from error
        made = cls()
        try:
            table = flat.root(data, MARK)
            made._format_version = table.integer(0)
            if made._format_version != VERSION:
                raise ValueError(f"its form has version {made._format_version}, not {VERSION}")
            made._adapter_version, made._model_version = table.integer(1), table.integer(2)
            made._parameters = dict(map(_parameter, table.tables(3)))
        except ValueError as error:
            text = f"{file_path} does not appear to be a valid lora parameter format: {error}"
            raise RuntimeError(text) from error
        return made

    def export_adapter(self, file_path: str | os.PathLike[str]) -> None:
        """Write the file. Raises ``RuntimeError`` for strings, and for a path without a folder."""
        data = self._encoded()
        try:
            Path(file_path).write_bytes(data)
        except OSError as error:
            text = f"cannot write adapter {file_path}: {error.strerror or error}"
            raise RuntimeError(text) from error

    def get_format_version(self) -> int:
        """The version of the form of the file."""
        return self._format_version

    def set_adapter_version(self, adapter_version: int) -> None:
        """Set the version of the adapter itself."""
        self._adapter_version = _number(adapter_version)

    def get_adapter_version(self) -> int:
        """The version of the adapter itself."""
        return self._adapter_version

    def set_model_version(self, model_version: int) -> None:
        """Set the version of the model that the adapter is for."""
        self._model_version = _number(model_version)

    def get_model_version(self) -> int:
        """The version of the model that the adapter is for."""
        return self._model_version

    def set_parameters(self, params: Mapping[str, OrtValue]) -> None:
        """Set the parameters: tensors by the names of a model's inputs."""
        for name, value in params.items():
            if not isinstance(value, OrtValue) or not value.is_tensor():
                raise TypeError(f"parameter {name} is an OrtValue with a tensor, not {value!r}")
        self._parameters = dict(params)

    def get_parameters(self) -> dict[str, OrtValue]:
        """The parameters by name."""
        return dict(self._parameters)

    def _encoded(self) -> bytes:
        builder = flat.Builder(MARK)
        versions: list[int | None] = [VERSION, self._adapter_version, self._model_version, None]
        parameters = builder.table(versions)[3]
        count = len(self._parameters)
        links = builder.vector(parameters, bytes(4 * count), count)
        for index, (name, value) in enumerate(sorted(self._parameters.items())):
            number, data = value.element_type(), _bytes(name, value)
            places = builder.table([None, None, number, None], links + 4 * index)
            dims = value.shape()
            builder.text(places[0], name)
            builder.vector(places[1], struct.pack(f"<{len(dims)}q", *dims), len(dims))
            builder.vector(places[3], data, len(data))
        return builder.finish()


class LoraAdapter:
    """The parameters of an adapter, for runs."""

    def __init__(self) -> None:
        self._parameters: dict[str, OrtValue] | None = None

    def Load(self, file_path: str | os.PathLike[str]) -> None:  # noqa: N802
        """Read the file of the adapter."""
        self._parameters = AdapterFormat.read_adapter(file_path).get_parameters()


def fed(feed: Mapping[str, Any], adapters: Iterable[LoraAdapter]) -> dict[str, Any]:
    """The inputs of a run together with the parameters of adapters.

    Raises ``InvalidArgument`` for a name that has two values.
    """
    whole = dict(feed)
    for adapter in adapters:
        for name, value in (adapter._parameters or {}).items():
            if name in whole:
                raise InvalidArgument.of(
                    f"input {name} has a value of the run or of another adapter, and is also a "
                    "parameter of an active adapter"
                )
            whole[name] = value
    return whole


def _number(value: int) -> int:
    if not -(2**31) <= int(value) < 2**31:
        raise ValueError(f"a version is a 32-bit integer, not {value}")
    return int(value)


def _bytes(name: str, value: OrtValue) -> bytes:
    """The elements of a parameter. Raises ``RuntimeError`` for those without bytes of their own."""
    element = types.by_number(value.element_type())
    if element is None or element.name == "string" or element.bits is not None:
        kind = element.name.upper() if element else str(value.element_type())
        raise RuntimeError(f"parameter {name}: adapters cannot hold elements of type {kind}")
    return value.numpy().tobytes()


def _parameter(table: flat.Table) -> tuple[str, OrtValue]:
    """The name and the tensor of a parameter. Raises ``ValueError`` for a damaged one."""
    name, number = table.text(0), table.integer(2)
    dims = [size for (size,) in struct.iter_unpack("<q", table.vector(1, 8))]
    element = types.by_number(number)
    if element is None or element.name == "string" or element.bits is not None:
        raise ValueError(f"parameter {name} has elements of type {number}")
    data, dtype = table.vector(3, 1), types.dtype(element)
    if min(dims, default=0) < 0 or math.prod(dims) * dtype.itemsize != len(data):
        raise ValueError(f"parameter {name} has {len(data)} bytes and dimensions {dims}")
    array = np.frombuffer(bytearray(data), np.uint8).view(dtype).reshape(dims)
    return name, OrtValue._of(array, element=element)
