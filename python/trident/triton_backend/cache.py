"""Compiled kernels from one process to the next.

Triton's cache may be shared, and its files are taken for what they say they are. So it keeps texts
and facts about a kernel only. The code lies in a folder of the user's own, sealed with the user's
key, under the name that Triton made of the kernel's source and options; ``trident.load`` and its
kin look at all of that. What cannot be trusted counts as absent, and Triton compiles as usual.

The folder has a limit, so another process may remove a file of it at any time. Who finds one gone
writes the kernel to a separate folder, because Triton reads it from a file. While
one thread of one process compiles a kernel, others that want it wait.
"""

import atexit
import contextvars
import functools
import hashlib
import json
import os
import shutil
import tempfile
from collections import OrderedDict
from typing import Any

from trident import _trident

#: Ending of the files with code: the name of the back end's last stage.
ENDING = ".trident"

#: Kernels by digest of their bytes, so that loading them does not take the work a second time.
_fresh: OrderedDict[bytes, _trident.Kernel] = OrderedDict()
_MAX_FRESH = 64

#: Names of all kernels that this process compiled or found kept, by digest of their bytes.
_names: dict[bytes, str] = {}

#: Bytes of the kernels that were kept or found kept last, by name: their files may be gone.
_images: OrderedDict[str, bytes] = OrderedDict()

#: The claims of the compilation that this thread is in.
_claims: contextvars.ContextVar[list[_trident.Claim] | None] = contextvars.ContextVar(
    "claims", default=None
)


def remember(name: str, image: bytes, kernel: _trident.Kernel) -> None:
    """Note that these bytes are the kernel of this name."""
    digest = hashlib.sha256(image).digest()
    _names[digest] = name
    _fresh[digest] = kernel
    _images[name] = image
    for recent in (_fresh, _images):
        if len(recent) > _MAX_FRESH:
            recent.popitem(last=False)


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


def _write_own(name: str, image: bytes) -> str:
    """A file of this process with these bytes."""
    path = os.path.join(_own_folder(), name + ENDING)
    with open(path, "wb") as file:
        file.write(image)
    return path


class Manager:
    """Triton's cache of one compilation, with the code of our kernels elsewhere."""

    def __init__(self, manager: Any, name: str) -> None:
        self._manager = manager
        self._name = name
        #: Released when the kernel is kept, when its compilation ends (see ``install_compilation``,
        #: which comes too late for the first one), or with this object.
        self._claim: _trident.Claim | None = None

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._manager, attribute)

    def put(self, data: bytes, filename: str, binary: bool = True) -> str:
        if not filename.endswith(ENDING):
            return self._manager.put(data, filename, binary)
        path = _trident.keep(self._name, data)
        return _write_own(self._name, data) if path is None else os.fspath(path)

    def get_group(self, filename: str) -> dict[str, str] | None:
        group = self._kept_group(filename)
        if group is not None or self._claim is not None:
            return group
        self._claim = claim = _trident.claim(self._name)
        if claim is None:
            return None
        if (claims := _claims.get()) is not None:
            claims.append(claim)
        # Whoever had the claim has probably kept the kernel.
        group = self._kept_group(filename) if claim.waited else None
        if group is not None:
            claim.release()
        return group

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        path = self._manager.put_group(filename, group)
        if self._claim is not None:
            self._claim.release()
        return path

    def _kept_group(self, filename: str) -> dict[str, str] | None:
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
    def get_cache_manager(key: str) -> Manager:
        return Manager(make(key), key)

    compiler.get_cache_manager = get_cache_manager


def install_compilation() -> None:
    """Have compilations wait for each other, and survive that files of kernels are removed. All of
    Triton must be there."""
    import triton
    from triton.compiler import compiler

    compile, init = compiler.compile, compiler.CompiledKernel.__init__

    @functools.wraps(compile)
    def compile_alone(*args: Any, **kwargs: Any) -> Any:
        claims: list[_trident.Claim] = []
        before = _claims.set(claims)
        try:
            return compile(*args, **kwargs)
        finally:
            _claims.reset(before)
            for claim in claims:
                claim.release()

    @functools.wraps(init)
    def read_files(self: Any, src: Any, metadata_group: Any, hash: Any) -> None:
        try:
            init(self, src, metadata_group, hash)
        except FileNotFoundError as error:
            code = next((name for name in metadata_group if name.endswith(ENDING)), None)
            image = _images.get(hash)
            if code is None or image is None or not str(error.filename).endswith(ENDING):
                raise
            init(self, src, metadata_group | {code: _write_own(hash, image)}, hash)

    compiler.CompiledKernel.__init__ = read_files
    modules: tuple[Any, ...] = (compiler, triton.compiler, triton)
    for module in modules:
        module.compile = compile_alone
