"""The taking of ``import onnxruntime``'s place.

``install`` puts a finder before Python's own. ``onnxruntime`` and its modules that Trident has
become copies of ``trident.onnxruntime``'s: they have names and specs of their own, and the same
objects. Other modules of the package, such as ``onnxruntime.quantization``, are loaded from the
files of the installed ONNX Runtime, and find our session when they import it. Its extension module
is never loaded.

A child process starts without the finder. It finds the folder ``children`` instead: on its
``PYTHONPATH``, and on the path that ``multiprocessing`` copies from its parent. The module
``onnxruntime`` in this folder puts the finder there.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from types import ModuleType

#: Modules of ``onnxruntime`` that are ours.
OURS = (
    "onnxruntime",
    "onnxruntime.capi",
    "onnxruntime.capi._pybind_state",
    "onnxruntime.capi.onnxruntime_inference_collection",
    "onnxruntime.capi.onnxruntime_pybind11_state",
)

#: Packages of the installed ONNX Runtime that are not ours.
THEIRS = (
    "onnxruntime.backend",
    "onnxruntime.datasets",
    "onnxruntime.quantization",
    "onnxruntime.tools",
    "onnxruntime.transformers",
)

#: The folder with the module ``onnxruntime`` of child processes.
CHILDREN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "children")

#: Attributes that a copied module has for itself.
_OWN = frozenset(
    ("__name__", "__spec__", "__loader__", "__package__", "__path__", "__cached__", "__builtins__")
)


def _installed(name: str) -> list[str]:
    """The folders of a package of the installed ONNX Runtime; none if it is not installed."""
    path: Sequence[str] = [folder for folder in sys.path if folder != CHILDREN]
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:end]), path)
        if spec is None or spec.submodule_search_locations is None:
            return []
        path = list(spec.submodule_search_locations)
    return list(path or ())


class _Copy(Loader):
    """A loader that fills a module with the objects of ours."""

    def __init__(self, source: ModuleType) -> None:
        self.source = source

    def exec_module(self, module: ModuleType) -> None:
        for name, value in vars(self.source).items():
            if name not in _OWN:
                # Modules within the package are to be the copies.
                theirs = isinstance(value, ModuleType) and value.__name__.startswith("trident.")
                copied = value.__name__.removeprefix("trident.") if theirs else ""
                module.__dict__[name] = importlib.import_module(copied) if copied in OURS else value


class _Finder(MetaPathFinder):
    """The finder of ``onnxruntime`` and its modules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in OURS:
            source = importlib.import_module(f"trident.{fullname}")
            ours = ModuleSpec(fullname, _Copy(source), origin=source.__file__)
            if hasattr(source, "__path__"):
                ours.submodule_search_locations = _installed(fullname)
            ours.has_location = True
            return ours
        if not fullname.startswith("onnxruntime."):
            return None
        if fullname in THEIRS and not _installed("onnxruntime"):
            raise ModuleNotFoundError(
                f"{fullname} is part of ONNX Runtime and not of Trident: install onnxruntime, "
                "and Trident's session is used with it",
                name=fullname,
            )
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and isinstance(spec.loader, ExtensionFileLoader):
            raise ModuleNotFoundError(
                f"{fullname} is a part of ONNX Runtime's engine, which Trident replaces",
                name=fullname,
            )
        return spec


_FINDER = _Finder()


def install() -> None:
    """Make ``import onnxruntime`` give Trident's interface, from here on.

    This holds for this process, and for child processes that run Python: those of
    ``multiprocessing``, and others that inherit ``PYTHONPATH``.

    Raises ``RuntimeError`` if ONNX Runtime itself was imported before. The first lines of a program
    are the place to call it::

        import trident.onnxruntime
        trident.onnxruntime.install()
    """
    if _FINDER in sys.meta_path:
        return
    if "onnxruntime" in sys.modules:
        raise RuntimeError(
            "onnxruntime is already imported: call trident.onnxruntime.install() before, or run "
            "the program by `python -m trident.onnxruntime`"
        )
    sys.meta_path.insert(0, _FINDER)
    if CHILDREN not in sys.path:
        # After the folder of the program, which some programs replace.
        sys.path.insert(1, CHILDREN)
    inherited = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    if CHILDREN not in inherited:
        os.environ["PYTHONPATH"] = os.pathsep.join([CHILDREN, *inherited])
