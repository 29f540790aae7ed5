"""ONNX Runtime's Python interface, over Trident.

A program that uses ONNX Runtime tries Trident by another import::

    import trident.onnxruntime as onnxruntime

or unchanged, by ``python -m trident.onnxruntime PROGRAM``, or after ``install()``. Names that are
not here raise ``NotImplementedError`` when they are used.
"""

from typing import Any

from trident.onnxruntime import capi
from trident.onnxruntime import interface as _interface
from trident.onnxruntime.absent import absent
from trident.onnxruntime.environment import (
    INTERFACE_VERSION,
    preload_dlls,
    print_debug_info,
)
from trident.onnxruntime.interface import *  # noqa: F403
from trident.onnxruntime.replace import install

__version__ = INTERFACE_VERSION
package_name = "onnxruntime"
version = INTERFACE_VERSION
cuda_version = ""

__all__ = [
    "capi",
    "cuda_version",
    "install",
    "package_name",
    "preload_dlls",
    "print_debug_info",
    "version",
]
__all__ += _interface.__all__


def __getattr__(name: str) -> Any:
    return absent("onnxruntime", name)
