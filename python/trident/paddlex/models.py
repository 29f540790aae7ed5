"""Models of PaddleX's folders, and a cache of their compiled forms."""

import hashlib
import os
from pathlib import Path
from typing import Any

import trident


def load(path: Path, cache: Path | None, **options: Any) -> Any:
    """The model in the file ``path``.

    With a folder ``cache``, it is compiled once and loaded from there later. An entry is for this
    version of Trident, for the device, and for the files of the model by their paths, sizes and
    times.
    """
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    if cache is None:
        return trident.Model(path, progress=False, **given)
    entry = Path(cache) / f"{_digest(path, given.get('device'))}.mps"
    if entry.exists():
        try:
            return trident.Model(entry, progress=False, **given)
        except trident.ModelError as error:
            if error.kind not in ("format", "version", "empty"):
                raise  # otherwise it is damaged or foreign: compile the model again
    model = trident.Model(path, progress=False, **given)
    entry.parent.mkdir(parents=True, exist_ok=True)
    unfinished = entry.with_suffix(f".{os.getpid()}")
    model.compile(unfinished)
    unfinished.replace(entry)
    return model


def _digest(path: Path, device: str | None) -> str:
    """The name of a model's entry."""
    digest = hashlib.sha256(f"{trident.__version__} {device} {path.resolve()}".encode())
    for file in (path, path.with_suffix(".pdiparams")):
        if file.exists():
            status = file.stat()
            digest.update(f" {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()[:32]
