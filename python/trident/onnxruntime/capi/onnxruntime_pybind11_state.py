"""The names of ONNX Runtime's extension module: above all, its exceptions."""

from typing import Any

from trident.onnxruntime import errors as _errors
from trident.onnxruntime.absent import absent
from trident.onnxruntime.errors import (
    DeviceReset,
    EngineError,
    EPFail,
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    ModelLoadCanceled,
    ModelLoaded,
    ModelRequiresCompilation,
    NoModel,
    NoSuchFile,
    NotFound,
    RuntimeException,
)
from trident.onnxruntime.interface import *  # noqa: F403
from trident.onnxruntime.interface import __all__ as _names

NotImplemented = _errors.NotImplemented

__all__ = [  # noqa: PLE0604
    *_names,
    "DeviceReset",
    "EPFail",
    "EngineError",
    "Fail",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelLoadCanceled",
    "ModelLoaded",
    "ModelRequiresCompilation",
    "NoModel",
    "NoSuchFile",
    "NotFound",
    "NotImplemented",
    "RuntimeException",
]


def __getattr__(name: str) -> Any:
    return absent("onnxruntime.capi.onnxruntime_pybind11_state", name)
