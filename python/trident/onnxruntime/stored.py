"""Writing of ONNX files, with initializers in the file itself or in data files of their own."""

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from trident.onnxruntime import data_files, model_file, types
from trident.onnxruntime.data_files import DataFiles
from trident.onnxruntime.errors import Fail, InvalidProtobuf
from trident.onnxruntime.model_file import INITIALIZER, Tensor

#: The alignment of tensors in data files, in bytes.
ALIGN = 64

#: Where an initializer of such elements is: the message to write, or ``None`` for the file itself.
Place = Callable[[Tensor, "bytes | memoryview"], "bytes | None"]


class DataFile:
    """A new data file beside a model, complete whenever it has its name."""

    def __init__(self, model: Path, name: str, least: int) -> None:
        """``least`` is the size in bytes from which initializers are stored in the file."""
        if not name or Path(name).is_absolute() or ".." in Path(name).parts:
            raise Fail.of(
                f"the file for initializers is a path relative to the model's folder, not {name!r}"
            )
        self._name, self._least = name, least
        self._path = model.parent / name
        self._partial = self._path.with_name(f"{self._path.name}.{os.getpid()}.partial")
        self._file: BinaryIO | None = None

    def place(self, tensor: Tensor, data: bytes | memoryview) -> bytes | None:
        """Write an initializer that is large enough; its message."""
        if len(data) < self._least:
            return None
        if self._file is None:
            self._file = self._partial.open("wb")
        self._file.write(bytes(-self._file.tell() % ALIGN))
        offset = self._file.tell()
        self._file.write(data)
        return model_file.external(tensor, self._name, offset, len(data))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            if kind is None:
                self._partial.replace(self._path)
            else:
                self._partial.unlink()


def stored(model: memoryview, files: DataFiles, place: Place | None) -> bytes:
    """The model with all tensors in the file itself but those that ``place`` has put elsewhere.

    Strings, and elements of less than a byte, are in the file in any case.
    """

    def replace(tensor: Tensor, path: model_file.Path) -> bytes | None:
        element = types.by_number(tensor.type)
        data = files.read(tensor) if tensor.is_external else None
        if path == INITIALIZER and place is not None and element and element.bits is None:
            own = data_files.elements(tensor) if data is None else data
            other = place(tensor, own) if own is not None else None
            if other is not None:
                return other
        return None if data is None else model_file.embedded(tensor, data)

    try:
        return model_file.rewrite(model, replace)
    except ValueError as error:
        raise InvalidProtobuf.of(f"the model is not an ONNX file: {error}") from error
