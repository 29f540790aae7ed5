"""The names of ``onnxruntime_pybind11_state``, as ONNX Runtime's own Python code imports them."""

from typing import Any

from trident.onnxruntime.absent import absent
from trident.onnxruntime.capi.onnxruntime_pybind11_state import *  # noqa: F403


def __getattr__(name: str) -> Any:
    return absent("onnxruntime.capi._pybind_state", name)
