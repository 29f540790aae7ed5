"""The model of a session with what its options replace: initializers, data files, dimensions."""

import os
from collections.abc import Mapping
from pathlib import Path

from trident.onnxruntime import model_file, types
from trident.onnxruntime.data_files import DataFiles
from trident.onnxruntime.errors import InvalidArgument, InvalidProtobuf, of_load
from trident.onnxruntime.model_file import INITIALIZER, Tensor
from trident.onnxruntime.options import SessionOptions
from trident.onnxruntime.values import OrtValue

#: The beginning of models that Trident has compiled.
MARK = b"\x89MPS\r\n\x1a\n"
#: The entry that names the folder of the data files of a model that is given by its bytes.
FOLDER = "session.model_external_initializers_file_folder_path"


def files_of(source: str | bytes, options: SessionOptions) -> DataFiles:
    """The data files of a model that a session loads."""
    model = Path(source) if isinstance(source, str) else None
    folder = options._entries.get(FOLDER)
    if model is None and folder:
        model = Path(folder) / "model.onnx"
    return DataFiles(model, options._files)


def read(source: str | bytes) -> memoryview:
    """The bytes of a model's file. Raises the exception of a load that fails."""
    try:
        return memoryview(source if isinstance(source, bytes) else Path(source).read_bytes())
    except OSError as error:
        raise of_load(error, os.fspath(source) if isinstance(source, str) else None) from error


def prepare(source: str | bytes, options: SessionOptions) -> tuple[str | bytes, frozenset[str]]:
    """The model, with other bytes if the options replace a part of it, and the initializers that
    they replace."""
    apart = isinstance(source, bytes) and FOLDER in options._entries
    if not (options._initializers or options._files or options._denotations or apart):
        return source, frozenset()
    data = read(source)
    if bytes(data[: len(MARK)]) == MARK:
        if options._files or options._denotations:
            raise InvalidArgument.of(
                "a model compiled by Trident has its data files and dimensions: options that "
                "replace them are for ONNX files"
            )
        return source, frozenset()
    replace = _Replacements(options._initializers, files_of(source, options))
    try:
        if options._denotations:
            data = memoryview(model_file.fix_denotations(data, options._denotations))
        return model_file.rewrite(data, replace), frozenset(replace.found)
    except ValueError as error:
        raise InvalidProtobuf.of(f"the model is not an ONNX file: {error}") from error


class _Replacements:
    """The tensors of a rewritten model: given ones, and those of data files in the file itself."""

    def __init__(self, given: Mapping[str, OrtValue], files: DataFiles) -> None:
        self.given, self.files = given, files
        #: The names of replaced initializers.
        self.found: set[str] = set()

    def __call__(self, tensor: Tensor, path: model_file.Path) -> bytes | None:
        if path == INITIALIZER and tensor.name in self.given:
            self.found.add(tensor.name)
            return self._replaced(tensor, self.given[tensor.name])
        return model_file.embedded(tensor, self.files.read(tensor)) if tensor.is_external else None

    def _replaced(self, tensor: Tensor, value: OrtValue) -> bytes:
        element = types.by_number(tensor.type)
        wanted = f"tensor({element.name})" if element else str(tensor.type)
        if value.data_type() != wanted or value.shape() != tensor.dims:
            raise InvalidArgument.of(
                f"initializer {tensor.name} is a {wanted} of shape {tensor.dims}, and the value "
                f"that replaces it is a {value.data_type()} of shape {value.shape()}"
            )
        if element is None or element.bits is not None:
            raise InvalidArgument.of(
                f"initializer {tensor.name} cannot be replaced: elements of {wanted} are not bytes"
            )
        return model_file.embedded(tensor, value.numpy().tobytes())
