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

from typing import TYPE_CHECKING

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

    def __getattr__(name: str):
        if name in ("DeviceInfo", "Inspection", "Model", "Profile", "ValueInfo", "devices"):
            text = f"this build of trident has no `{name}`: it launches kernels only"
            raise AttributeError(f"{text} (built without the feature `models`)")
        raise AttributeError(f"module 'trident' has no attribute '{name}'")


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
    "ModelError",
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

if TYPE_CHECKING or hasattr(_trident, "Model"):
    __all__ += [
        "DeviceInfo",
        "Inspection",
        "Model",
        "Profile",
        "ValueInfo",
        "devices",
    ]
