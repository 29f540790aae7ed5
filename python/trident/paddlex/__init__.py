"""PaddleOCR and PaddleX on Trident, without PaddlePaddle.

With the packages installed, there is nothing to import: a line in ``site-packages`` registers the
engine when a program imports PaddleX::

    from paddleocr import PaddleOCR

    ocr = PaddleOCR(engine="trident")

The same name works in ``paddlex.create_pipeline`` and after ``paddleocr ocr --engine``. Options go
into ``engine_config``: ``device``, ``threads``, ``memory_limit`` in bytes, and ``cache_dir``.

Where that line is not read, because the package lies elsewhere on ``sys.path``, a program calls
``trident.paddlex.register()`` before it makes a pipeline.
"""

import importlib
import sys
import warnings
from typing import Any

__all__ = ["VERSIONS", "register"]

#: The versions of PaddleX that the engine has been tested with.
VERSIONS = ("3.5.2", "3.6.0", "3.7.2")
#: The modules in which the engine registers: of PaddleX, and of PaddleOCR.
ENGINES, NAMES = "paddlex.inference.models", "paddleocr._common_args"


def register() -> int:
    """Make ``engine="trident"`` known to PaddleX, and to PaddleOCR if it is installed.

    Returns the number of models that can run on it. Raises ``ImportError`` if PaddleX is not
    installed, or has no engines that others can add.
    """
    try:
        models = importlib.import_module(ENGINES)
    except ModuleNotFoundError as error:
        text = f"trident.paddlex needs PaddleX ({error}): pip install 'trident[paddleocr]'"
        raise ModuleNotFoundError(text, name=error.name) from error
    count = bind(models)
    try:
        offer(importlib.import_module(NAMES))
    except ModuleNotFoundError:
        pass  # PaddleX without PaddleOCR
    return count


def bind(models: Any) -> int:
    """Add the engine to PaddleX, whose package of models is ``models``, and bind each model to it
    that can run on ONNX Runtime or on Paddle's static engine. Returns the number of these models.
    """
    from trident.paddlex import engine

    try:
        engines = importlib.import_module(f"{models.__name__}.engines")
        registry = importlib.import_module(f"{models.__name__}.bindings").default_registry
        bound: dict[str, dict[str, Any]] = registry._registry
        engine.define(engines)
    except (ImportError, AttributeError) as error:
        raise ImportError(_unfit(error)) from error
    count = 0
    for bindings in bound.values():
        base = bindings.get("onnxruntime") or bindings.get("paddle_static")
        if base is not None:
            bindings.setdefault("trident", type(base)(predictor=base.predictor))
            count += 1
    return count


def offer(names: Any) -> None:
    """Let PaddleOCR accept the engine's name; its module ``names`` has a list of names."""
    known: list[str] | None = getattr(names, "SUPPORTED_INFERENCE_ENGINE_LIST", None)
    if known is None:
        raise ImportError(_unfit("PaddleOCR has no parameter `engine`"))
    if "trident" not in known:
        known.append("trident")


def _unfit(reason: object) -> str:
    """The error for a PaddleX whose interface is another one."""
    found = getattr(sys.modules.get("paddlex"), "__version__", "of an unknown version")
    tested = ", ".join(VERSIONS)
    return (
        f"PaddleX {found} has no engines that Trident can add to ({reason}). "
        f"Versions that have them: {tested}: pip install 'paddlex>={VERSIONS[0]}'"
    )


def register_in(module: Any) -> None:
    """Register in a module that has just been imported. It works as before if that fails."""
    try:
        bind(module) if module.__name__ == ENGINES else offer(module)
    except ImportError as error:
        warnings.warn(f'engine="trident" is not available: {error}', RuntimeWarning, stacklevel=2)
