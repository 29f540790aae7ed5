"""The file of ``SessionOptions.optimized_model_filepath``.

ONNX Runtime writes the model after its rewrites there, as ONNX. Trident's rewrites have no form in
ONNX: it writes the model as it is, which computes the same. A path that ends in ``.mps`` gets the
model after its rewrites, in Trident's own form.
"""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

import trident
from trident.onnxruntime import prepared
from trident.onnxruntime.data_files import DataFiles
from trident.onnxruntime.errors import Fail
from trident.onnxruntime.stored import DataFile, stored

#: Entries that name the file for initializers, and the size in bytes from which they are in it.
FILE = "session.optimized_model_external_initializers_file_name"
LEAST = "session.optimized_model_external_initializers_min_size_in_bytes"
DEFAULT_LEAST = 1024


def check(path: str, entries: Mapping[str, str]) -> None:
    """Raises ``Fail`` for a file of ONNX Runtime's own format, which its name asks for."""
    if path.endswith(".ort") and entries.get("session.save_model_format", "ORT") != "ONNX":
        raise Fail.of(
            f"optimized_model_filepath={path}: models of the ORT format cannot be written; a name "
            "that ends in .onnx gets the ONNX model, and one that ends in .mps a compiled model"
        )


def write(
    model: trident.Model,
    source: str | bytes,
    files: DataFiles,
    path: str,
    entries: Mapping[str, str],
) -> None:
    """Write the file of a model that came from ``source``. Raises ``Fail`` if that fails."""
    try:
        if path.endswith(".mps"):
            model.compile(path)
        elif FILE in entries:
            with DataFile(Path(path), entries[FILE], _least(entries)) as data:
                Path(path).write_bytes(stored(prepared.read(source), files, data.place))
        elif not isinstance(source, str) or not _same_folder(source, path):
            Path(path).write_bytes(stored(prepared.read(source), files, None))
        elif not (os.path.exists(path) and os.path.samefile(source, path)):
            Path(path).write_bytes(Path(source).read_bytes())
    except OSError as error:
        raise Fail.of(f"cannot write optimized_model_filepath={path}: {error}") from error


def _least(entries: Mapping[str, str]) -> int:
    text = entries.get(LEAST, str(DEFAULT_LEAST))
    with contextlib.suppress(ValueError):
        if int(text) >= 0:
            return int(text)
    raise Fail.of(f"configuration entry {LEAST}={text} is not a number of bytes")


def _same_folder(one: str, other: str) -> bool:
    return Path(one).resolve().parent == Path(other).resolve().parent
