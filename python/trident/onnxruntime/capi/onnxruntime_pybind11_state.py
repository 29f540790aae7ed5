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
from trident.onnxruntime.enums import ArenaExtendStrategy
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
kNextPowerOfTwo = ArenaExtendStrategy.kNextPowerOfTwo
kSameAsRequested = ArenaExtendStrategy.kSameAsRequested

__all__ = [
    "ArenaExtendStrategy",
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
    "kNextPowerOfTwo",
    "kSameAsRequested",
    "quantize_matmul_2bits",
    "quantize_matmul_4bits",
    "quantize_matmul_8bits",
    "quantize_matmul_bnb4",
    "quantize_qdq_matmul_4bits",
]
__all__ += _interface.__all__


def __getattr__(name: str) -> Any:
    return absent("onnxruntime.capi.onnxruntime_pybind11_state", name)
