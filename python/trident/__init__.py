"""Trident runs Triton kernels on CPUs and Apple GPUs.

With the ``triton`` package installed there is nothing to do but ``import triton``: Trident
registers as one of its back ends and takes over where no GPU is active. ``trident.compile`` runs
kernels from their IR, without that package::

    kernel = trident.compile(open("add.ttir").read())
    kernel.launch((n + 1023) // 1024, [x, y, out, n])

Arguments may be arrays of NumPy, PyTorch, or any library with DLPack or the buffer protocol.
"""

from trident._trident import (
    VERSION,
    Kernel,
    compile,
    load,
    machine,
    num_threads,
    set_num_threads,
)
from trident.errors import (
    AccessError,
    AssumptionError,
    CompileError,
    DeadlockError,
    DeviceAssertionError,
    GatherError,
    LaunchError,
    NestingError,
    OutOfMemoryError,
    ResourceError,
    StepError,
    UnsupportedError,
)
from trident.reach import address
from trident.triton_backend import settings as _settings

if _settings.checks():
    from trident import unwritten as _unwritten

    _unwritten.watch()

__version__ = VERSION

__all__ = [
    "AccessError",
    "AssumptionError",
    "CompileError",
    "DeadlockError",
    "DeviceAssertionError",
    "GatherError",
    "Kernel",
    "LaunchError",
    "NestingError",
    "OutOfMemoryError",
    "ResourceError",
    "StepError",
    "UnsupportedError",
    "address",
    "compile",
    "load",
    "machine",
    "num_threads",
    "set_num_threads",
]
