"""The file of ``SessionOptions.optimized_model_filepath``.

ONNX Runtime writes the model after its rewrites there, as ONNX. Trident's rewrites have no form in
ONNX: it writes the model as it is, which computes the same. A path that ends in ``.mps`` gets the
model after its rewrites, in Trident's own form.
"""

import os
from pathlib import Path

import trident
from trident.onnxruntime.errors import Fail

#: The key of the entry that names the file of a tensor's data, as Protobuf writes it.
_LOCATION = b"\x0a\x08location"


def write(model: trident.Model, source: str | bytes, path: str) -> None:
    """Write the file of a model that came from ``source``.

    Raises ``Fail`` for a model whose data files would not be found from another folder.
    """
    try:
        if path.endswith(".mps"):
            model.compile(path)
            return
        if isinstance(source, str) and os.path.exists(path) and os.path.samefile(source, path):
            return
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
        if isinstance(source, str) and _LOCATION in data and not _same_folder(source, path):
            raise Fail.of(
                f"optimized_model_filepath={path} is not supported: the model is written as it is, "
                f"and its data files are in the folder of {source}; write it to that folder"
            )
        Path(path).write_bytes(data)
    except OSError as error:
        raise Fail.of(f"cannot write optimized_model_filepath={path}: {error}") from error


def _same_folder(one: str, other: str) -> bool:
    return Path(one).resolve().parent == Path(other).resolve().parent
