"""Extensions of the ``triton`` package that a back end's interface has no place for.

- NumPy arrays, and others without ``data_ptr()``, as arguments of kernels and of
  ``TensorDescriptor``, and as what the autotuner resets and restores.
- Tuning that leaves out configurations in which only options for GPUs differ.
- ``tl.make_block_ptr``, ``tl.advance``, and block pointers for ``tl.load`` and ``tl.store``.
- Such arrays for Triton's own interpreter (``TRITON_INTERPRET=1``).
- ``triton.language.extra.cpu.libdevice``, where libraries look for a CPU's functions.
- ``triton.runtime.driver.MPSDriver``.
- The code of compiled kernels in a separate folder, see ``cache``.
- Launches of a compiled kernel (``kernel[grid](…)``) without the work that only hooks and streams
  need.

They need ``triton`` complete, and this package is imported in the middle of its import. So they are
installed by the last import that ``triton`` makes, and once more when the driver is made, should
that import have been another one.
"""

import functools
import importlib
import sys
from types import ModuleType
from typing import Any, cast

from trident import _trident, arrays
from trident.triton_backend import cache

_installed = False


class _AfterImport:
    """A finder that finds nothing, and learns when ``triton.tools``, the last of all, comes."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "triton.tools":
            sys.meta_path.remove(self)
            install()
        return None


def install_after_import() -> None:
    """Install the extensions when ``import triton`` is through, or at once if it is."""
    if "triton.tools" in sys.modules:
        install()
    else:
        sys.meta_path.insert(0, _AfterImport())


def install() -> None:
    """Install the extensions, once."""
    global _installed
    if _installed:
        return
    _installed = True
    _arguments()
    _descriptors()
    _autotuner()
    _block_pointers()
    _interpreter()
    _libdevice()
    _driver()
    cache.install()


def _arguments() -> None:
    """The JIT asks this function for types of arguments; the launcher takes the same objects."""
    from triton.runtime import jit

    jit.native_specialize_impl = _trident.specialize


def _descriptors() -> None:
    from triton.tools.tensor_descriptor import TensorDescriptor

    check, from_tensor = TensorDescriptor.__post_init__, TensorDescriptor.from_tensor

    @functools.wraps(check)
    def __post_init__(self: Any) -> None:
        self.base = arrays.view(self.base)
        check(self)

    @functools.wraps(from_tensor)
    def from_any(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        return from_tensor(arrays.view(tensor), *args, **kwargs)

    TensorDescriptor.__post_init__ = __post_init__
    TensorDescriptor.from_tensor = staticmethod(from_any)


def _autotuner() -> None:
    """What is reset or restored between runs is asked for ``zero_``, ``clone`` and ``copy_``. Of
    configurations that are one and the same here, the first is tried."""
    from triton.runtime.autotuner import Autotuner

    from trident.triton_backend import tuning

    run, prune = Autotuner.run, Autotuner.prune_configs

    @functools.wraps(run)
    def run_views(self: Any, *args: Any, **kwargs: Any) -> Any:
        names = {*self.reset_to_zero, *self.restore_value}
        if names:
            args = tuple(arrays.view(a) if n in names else a for n, a in zip(self.arg_names, args))
            kwargs = {n: arrays.view(a) if n in names else a for n, a in kwargs.items()}
        return run(self, *args, **kwargs)

    @functools.wraps(prune)
    def prune_equals(self: Any, kwargs: Any) -> Any:
        return tuning.distinct(self, prune(self, kwargs), kwargs)

    Autotuner.run, Autotuner.prune_configs = run_views, prune_equals


def _block_pointers() -> None:
    import triton.language as tl
    from triton.language import core

    from trident.triton_backend import block_pointer

    for name in ("make_block_ptr", "advance", "load", "store"):
        for module in (tl, core):
            setattr(module, name, getattr(block_pointer, name))


def _interpreter() -> None:
    """The interpreter asks arguments for what PyTorch's tensors have. It needs NumPy, so it is left
    alone where nobody asks for it."""
    from triton import knobs

    if not knobs.runtime.interpret:
        return
    from triton.runtime.interpreter import GridExecutor

    call = GridExecutor.__call__

    @functools.wraps(call)
    def call_views(self: Any, *args: Any, **kwargs: Any) -> Any:
        named = arrays.views(tuple(kwargs.values()))
        return call(self, *arrays.views(args), **dict(zip(kwargs, named)))

    GridExecutor.__call__ = call_views


def _libdevice() -> None:
    from trident import libdevice

    extra: Any = importlib.import_module("triton.language.extra")
    if hasattr(extra, "cpu"):
        return
    package: Any = ModuleType("triton.language.extra.cpu", "Functions of the CPU.")
    extra.cpu, package.__path__, package.libdevice = package, [], libdevice
    sys.modules[package.__name__] = package
    sys.modules[package.__name__ + ".libdevice"] = libdevice


def _driver() -> None:
    from triton.runtime.driver import driver

    from trident.triton_backend.driver import TridentDriver

    cast("Any", driver).MPSDriver = TridentDriver


@functools.cache
def install_launches() -> None:
    """Install those of launches and compilations, once, when the driver is made: then all of Triton
    is there."""
    cache.install_compilation()
    from triton import knobs
    from triton.compiler.compiler import CompiledKernel

    bind = CompiledKernel.__getitem__

    @functools.wraps(bind)
    def bind_directly(self: Any, grid: Any) -> Any:
        runner, launch = bind(self, grid), self.run
        if not isinstance(launch, _trident.Launcher):
            return runner
        return _trident.BoundLaunch(launch, self.function, grid, knobs.runtime, runner)

    describe = CompiledKernel.launch_metadata

    @functools.wraps(describe)
    def describe_to_hooks(self: Any, grid: Any, stream: Any, *args: Any) -> Any:
        if isinstance(self._run, _trident.Launcher) and not _trident.hooked(knobs.runtime):
            return None
        return describe(self, grid, stream, *args)

    CompiledKernel.__getitem__ = bind_directly
    CompiledKernel.launch_metadata = describe_to_hooks
