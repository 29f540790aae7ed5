"""Compiled kernels from one process to the next.

Triton's cache may be shared, and its files are taken for what they say they are. So it keeps texts
and facts about a kernel only. The code lies in a folder of the user's own, sealed with the user's
key, under the name that Triton made of the kernel's source and options; ``trident.load`` and its
kin look at all of that. What cannot be trusted counts as absent, and Triton compiles as usual.
"""

import atexit
import functools
import hashlib
import json
import os
import shutil
import tempfile
from collections import OrderedDict

from trident import _trident

#: Ending of the files with code: the name of the back end's last stage.
ENDING = ".trident"

#: Kernels by digest of their bytes, so that loading them does not take the work a second time.
_fresh: OrderedDict[bytes, _trident.Kernel] = OrderedDict()
_MAX_FRESH = 64

#: Names of all kernels that this process compiled or found kept, by digest of their bytes.
_names: dict[bytes, str] = {}


def remember(name: str, image: bytes, kernel: _trident.Kernel) -> None:
    """Note that these bytes are the kernel of this name."""
    digest = hashlib.sha256(image).digest()
    _names[digest] = name
    _fresh[digest] = kernel
    if len(_fresh) > _MAX_FRESH:
        _fresh.popitem(last=False)


def take(name: str, image: bytes) -> _trident.Kernel:
    """The kernel of these bytes, whose function has this name.

    Triton read them from a file that :class:`Manager` named, or got them from another process of
    this user that has compiled them, as Inductor's workers do. Then the seal shows that they are
    the user's, though not that they are what the caller asked that process for.
    """
    digest = hashlib.sha256(image).digest()
    kernel = _fresh.pop(digest, None) or _trident.load(image, _names.get(digest))
    if kernel.name != name:
        raise RuntimeError(f"these bytes are the kernel `{kernel.name}` in place of `{name}`")
    return kernel


@functools.cache
def _own_folder() -> str:
    """A folder for this process, where the user has none for all."""
    folder = tempfile.mkdtemp(prefix="trident-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Manager:
    """Triton's cache of one compilation, with the code of our kernels elsewhere."""

    def __init__(self, manager, name: str):
        self._manager = manager
        self._name = name

    def __getattr__(self, attribute):
        return getattr(self._manager, attribute)

    def put(self, data, filename: str, binary: bool = True) -> str:
        if not filename.endswith(ENDING):
            return self._manager.put(data, filename, binary)
        path = _trident.keep(self._name, data)
        if path is not None:
            return os.fspath(path)
        path = os.path.join(_own_folder(), self._name + ENDING)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def get_group(self, filename: str) -> dict[str, str] | None:
        group = self._manager.get_group(filename)
        code = next((name for name in group or () if name.endswith(ENDING)), None)
        if code is None:
            # Nothing is there, or another back end's kernel.
            return group
        if not self._is_intact(group.get(filename)):
            return None
        kept = _trident.kept(self._name)
        if kept is None:
            return None
        path, image, kernel = kept
        remember(self._name, image, kernel)
        return group | {code: os.fspath(path)}

    def _is_intact(self, facts: str | None) -> bool:
        """Whether Triton can read what it noted of the kernel."""
        try:
            with open(facts or "", encoding="utf-8") as file:
                return json.load(file)["hash"] == self._name
        except (OSError, ValueError, TypeError, KeyError):
            return False


def install() -> None:
    """Have ``triton.compile`` use it."""
    from triton.compiler import compiler

    make = compiler.get_cache_manager

    @functools.wraps(make)
    def get_cache_manager(key):
        return Manager(make(key), key)

    compiler.get_cache_manager = get_cache_manager
