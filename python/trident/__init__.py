"""Trident runs ONNX models and Triton kernels on CPUs and Apple GPUs.

``trident.Model`` runs models::

    model = trident.Model("digits.onnx")
    probabilities = model(image)

With the ``triton`` package installed there is nothing to do but ``import triton``: Trident
registers as one of its back ends and takes over where no GPU is active. ``trident.compile`` runs
kernels from their IR, without that package::

    kernel = trident.compile(open("add.ttir").read())
    kernel.launch((n + 1023) // 1024, [x, y, out, n])

Arguments may be arrays of NumPy, PyTorch, or any library with DLPack or the buffer protocol.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from trident import _trident
from trident._trident import (
    VERSION,
    Kernel,
    compile,
    load,
    machine,
    num_threads,
    set_num_threads,
)
from trident.cache import cache_clear
from trident.errors import (
    AccessError,
    AssumptionError,
    CompileError,
    DeadlockError,
    DeviceAssertionError,
    GatherError,
    LaunchError,
    ModelError,
    NestingError,
    OutOfMemoryError,
    ResourceError,
    StepError,
    UnsupportedError,
)
from trident.reach import address
from trident.triton_backend import settings as _settings

if TYPE_CHECKING or hasattr(_trident, "Model"):
    from trident._trident import ValueInfo
    from trident.models import DeviceInfo, Model, devices
    from trident.reports import Inspection, Profile
else:

    def __getattr__(name: str) -> Any:
        if name in ("DeviceInfo", "Inspection", "Model", "Profile", "ValueInfo", "devices"):
            text = f"this build of trident has no `{name}`: it launches kernels only"
            raise AttributeError(f"{text} (built without the feature `models`)")
        raise AttributeError(f"module 'trident' has no attribute '{name}'")


try:
    _checks = _settings.checks()
except ValueError as _error:
    # Names a variable of the environment: where it is read says nothing more.
    raise ValueError(*_error.args) from None
if _checks:
    from trident import unwritten as _unwritten

    _unwritten.watch()

#: The number of threads of the CPU for models loaded, and kernels compiled, from here on. 0 sets it
#: to one for each core.
threads: int


class _Module(ModuleType):
    """This module, with the settings that can be assigned."""

    @property
    def threads(self) -> int:
        return _trident.threads()

    @threads.setter
    def threads(self, number: int) -> None:
        set_num_threads(number)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "threads"]


sys.modules[__name__].__class__ = _Module

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
    "ModelError",
    "NestingError",
    "OutOfMemoryError",
    "ResourceError",
    "StepError",
    "UnsupportedError",
    "address",
    "cache_clear",
    "compile",
    "load",
    "machine",
    "num_threads",
    "set_num_threads",
]

if TYPE_CHECKING or hasattr(_trident, "Model"):
    __all__ += [
        "DeviceInfo",
        "Inspection",
        "Model",
        "Profile",
        "ValueInfo",
        "devices",
    ]
