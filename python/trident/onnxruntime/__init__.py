"""ONNX Runtime's Python interface, over Trident.

A program that uses ONNX Runtime tries Trident by another import::

    import trident.onnxruntime as onnxruntime

or unchanged, by ``python -m trident.onnxruntime PROGRAM``, or after ``install()``. Names that are
not here raise ``NotImplementedError`` when they are used.
"""

from typing import Any

from trident.onnxruntime import capi
from trident.onnxruntime.absent import absent
from trident.onnxruntime.environment import (
    INTERFACE_VERSION,
    preload_dlls,
    print_debug_info,
)
from trident.onnxruntime.interface import *  # noqa: F403
from trident.onnxruntime.interface import __all__ as _names
from trident.onnxruntime.replace import install

__version__ = INTERFACE_VERSION
package_name = "onnxruntime"
version = INTERFACE_VERSION
cuda_version = ""

__all__ = [  # noqa: PLE0604
    *_names,
    "capi",
    "cuda_version",
    "install",
    "package_name",
    "preload_dlls",
    "print_debug_info",
    "version",
]


def __getattr__(name: str) -> Any:
    return absent("onnxruntime", name)
