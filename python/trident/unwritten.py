"""Memory that nothing has written, for checked launches.

With ``TRIDENT_CHECK=1``, ``numpy.empty`` and ``torch.empty`` and what is like them give memory full
of a pattern. A kernel that reads the pattern reads what neither a kernel nor the program has
written. The pattern is NaN as a float of any width.
"""

import ctypes
import functools
import importlib.util
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from trident._trident import UNWRITTEN

_PATTERN = bytes(UNWRITTEN)

#: By module, the functions that give memory as it is.
_FUNCTIONS = {
    "numpy": ["empty", "empty_like"],
    "torch": [
        "empty",
        "empty_like",
        "empty_permuted",
        "empty_strided",
        "Tensor.new_empty",
        "Tensor.new_empty_strided",
    ],
}

_watched = False


def fill(address: int, size: int) -> None:
    """Write the pattern: the byte at an address is that at the address modulo 8."""
    shift = address % len(_PATTERN)
    pattern = _PATTERN[shift:] + _PATTERN[:shift]
    done = min(size, len(pattern))
    ctypes.memmove(address, pattern, done)
    while done < size:
        step = min(done, size - done)
        ctypes.memmove(address + done, address, step)
        done += step


def _fill_numpy(array: Any) -> None:
    if type(array).__module__ == "numpy" and not array.dtype.hasobject:
        fill(array.__array_interface__["data"][0], array.nbytes)


def _fill_torch(tensor: Any) -> None:
    torch: Any = sys.modules["torch"]
    plain = type(tensor) is torch.Tensor and tensor.layout is torch.strided
    if plain and tensor.device.type == "cpu":
        try:
            storage = tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):
            return  # A wrapper of functorch, which has no memory.
        fill(storage.data_ptr(), storage.nbytes())


def _filling(function: Callable[..., Any], fill_array: Callable[[Any], None]) -> Callable[..., Any]:
    @functools.wraps(function)
    def filled(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        # Memory of another owner is not new.
        if kwargs.get("out") is None:
            fill_array(made)
        return made

    return filled


def _patch(module: ModuleType) -> None:
    fill_array = _fill_numpy if module.__name__ == "numpy" else _fill_torch
    for path in _FUNCTIONS[module.__name__]:
        *owners, name = path.split(".")
        owner = functools.reduce(getattr, owners, module)
        if hasattr(owner, name):
            setattr(owner, name, _filling(getattr(owner, name), fill_array))


class _WhenImported(MetaPathFinder):
    """A finder that leaves the finding to others, and patches a module once it is loaded."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = set(names)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname not in self.names:
            return None
        self.names.remove(fullname)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _patch(module)

        loader.exec_module = exec_module
        return spec


def watch() -> None:
    """Have the functions of loaded modules, and of those to come, mark memory as unwritten."""
    global _watched
    if _watched:
        return
    _watched = True
    missing = [name for name in _FUNCTIONS if name not in sys.modules]
    for name in _FUNCTIONS.keys() - set(missing):
        _patch(sys.modules[name])
    sys.meta_path.insert(0, _WhenImported(missing))
