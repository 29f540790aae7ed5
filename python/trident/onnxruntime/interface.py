"""The names of ONNX Runtime's interface, for the modules that have them all."""

from typing import Any

from trident.onnxruntime.absent import absent
from trident.onnxruntime.adapters import AdapterFormat, LoraAdapter
from trident.onnxruntime.allocators import (
    OrtArenaCfg,
    create_and_register_allocator,
    create_and_register_allocator_v2,
)
from trident.onnxruntime.assignment import OrtEpAssignedNode, OrtEpAssignedSubgraph
from trident.onnxruntime.binding import IOBinding, SessionIOBinding
from trident.onnxruntime.compiler import ModelCompiler, OrtExternalInitializerInfo
from trident.onnxruntime.devices import OrtDevice, OrtMemoryInfo
from trident.onnxruntime.enums import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    OrtAllocatorType,
    OrtCompileApiFlags,
    OrtCompiledModelCompatibility,
    OrtDeviceEpIncompatibilityReason,
    OrtDeviceMemoryType,
    OrtDeviceVendorId,
    OrtExecutionProviderDevicePolicy,
    OrtHardwareDeviceType,
    OrtMemoryInfoDeviceType,
    OrtMemType,
    OrtSparseFormat,
)
from trident.onnxruntime.environment import (
    disable_telemetry_events,
    enable_telemetry_events,
    get_build_info,
    get_device,
    get_version_string,
    has_collective_ops,
    set_default_logger_severity,
    set_default_logger_verbosity,
    set_global_thread_pool_sizes,
)
from trident.onnxruntime.hardware import (
    OrtEpDevice,
    OrtHardwareDevice,
    get_compatibility_info_from_model,
    get_compatibility_info_from_model_bytes,
    get_ep_devices,
    get_hardware_device_ep_incompatibility_details,
    get_hardware_devices,
    get_model_compatibility_for_ep_devices,
)
from trident.onnxruntime.metadata import ModelMetadata
from trident.onnxruntime.options import RunOptions, SessionOptions, get_default_session_options
from trident.onnxruntime.providers import get_all_providers, get_available_providers
from trident.onnxruntime.session import InferenceSession
from trident.onnxruntime.types import NodeArg
from trident.onnxruntime.values import (
    OrtValue,
    OrtValueVector,
    copy_tensors,
    is_dlpack_uint8_tensor,
)

__all__ = [
    "AdapterFormat",
    "ExecutionMode",
    "ExecutionOrder",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "LoraAdapter",
    "ModelCompiler",
    "ModelMetadata",
    "NodeArg",
    "OrtAllocatorType",
    "OrtArenaCfg",
    "OrtCompileApiFlags",
    "OrtCompiledModelCompatibility",
    "OrtDevice",
    "OrtDeviceEpIncompatibilityReason",
    "OrtDeviceMemoryType",
    "OrtDeviceVendorId",
    "OrtEpAssignedNode",
    "OrtEpAssignedSubgraph",
    "OrtEpDevice",
    "OrtExecutionProviderDevicePolicy",
    "OrtExternalInitializerInfo",
    "OrtHardwareDevice",
    "OrtHardwareDeviceType",
    "OrtMemType",
    "OrtMemoryInfo",
    "OrtMemoryInfoDeviceType",
    "OrtSparseFormat",
    "OrtValue",
    "OrtValueVector",
    "RunOptions",
    "SessionIOBinding",
    "SessionOptions",
    "copy_tensors",
    "create_and_register_allocator",
    "create_and_register_allocator_v2",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_compatibility_info_from_model",
    "get_compatibility_info_from_model_bytes",
    "get_default_session_options",
    "get_device",
    "get_ep_devices",
    "get_hardware_device_ep_incompatibility_details",
    "get_hardware_devices",
    "get_model_compatibility_for_ep_devices",
    "get_version_string",
    "has_collective_ops",
    "is_dlpack_uint8_tensor",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_global_thread_pool_sizes",
]


def __getattr__(name: str) -> Any:
    return absent("onnxruntime", name)
