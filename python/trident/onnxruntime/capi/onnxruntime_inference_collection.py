"""The classes of ONNX Runtime's interface that are written in Python there."""

from typing import Any

from trident.onnxruntime.absent import absent
from trident.onnxruntime.binding import IOBinding
from trident.onnxruntime.devices import OrtDevice
from trident.onnxruntime.enums import OrtDeviceVendorId
from trident.onnxruntime.providers import check_and_normalize_provider_args
from trident.onnxruntime.session import InferenceSession, Session
from trident.onnxruntime.values import OrtValue, copy_tensors

__all__ = [
    "IOBinding",
    "InferenceSession",
    "OrtDevice",
    "OrtDeviceVendorId",
    "OrtValue",
    "Session",
    "check_and_normalize_provider_args",
    "copy_tensors",
]


def __getattr__(name: str) -> Any:
    return absent("onnxruntime.capi.onnxruntime_inference_collection", name)
