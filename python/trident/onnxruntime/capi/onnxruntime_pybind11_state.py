"""The names of ONNX Runtime's extension module: above all, its exceptions."""

from typing import Any

from trident.onnxruntime import errors as _errors
from trident.onnxruntime import interface as _interface
from trident.onnxruntime.absent import absent
from trident.onnxruntime.blockwise import (
    quantize_matmul_2bits,
    quantize_matmul_4bits,
    quantize_matmul_8bits,
    quantize_matmul_bnb4,
    quantize_qdq_matmul_4bits,
)
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

NotImplemented = _errors.NotImplemented

__all__ = [
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
    "quantize_matmul_2bits",
    "quantize_matmul_4bits",
    "quantize_matmul_8bits",
    "quantize_matmul_bnb4",
    "quantize_qdq_matmul_4bits",
]
__all__ += _interface.__all__


def __getattr__(name: str) -> Any:
    return absent("onnxruntime.capi.onnxruntime_pybind11_state", name)
