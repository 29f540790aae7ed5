"""The devices of this machine, and the pairs of a provider and a device that a session can have."""

import functools
from collections.abc import Sequence
from pathlib import Path

import trident
from trident.models import DeviceInfo
from trident.onnxruntime import model_file
from trident.onnxruntime.devices import CPU_MEMORY, OrtMemoryInfo
from trident.onnxruntime.enums import (
    OrtCompiledModelCompatibility,
    OrtDeviceEpIncompatibilityReason,
    OrtDeviceMemoryType,
    OrtDeviceVendorId,
    OrtHardwareDeviceType,
)
from trident.onnxruntime.errors import InvalidArgument
from trident.onnxruntime.providers import AVAILABLE, CPU, TRIDENT

#: Words of a processor's description, and the vendor's PCI number.
VENDORS = (
    ("Intel", OrtDeviceVendorId.INTEL),
    ("AMD", OrtDeviceVendorId.AMD),
    ("Apple", 0x106B),
)

#: The key of a model's metadata at which a provider finds what it was compiled for.
COMPATIBILITY = "ep_compatibility_info."


class OrtHardwareDevice:
    """A device of this machine."""

    def __init__(self, info: DeviceInfo) -> None:
        vendors = [pair for pair in VENDORS if pair[0] in info.description]
        cpu = info.name == "cpu"
        kinds = OrtHardwareDeviceType
        self.type: OrtHardwareDeviceType = kinds.CPU if cpu else kinds.GPU
        self.vendor: str = vendors[0][0] if vendors else "Unknown"
        self.vendor_id: int = int(vendors[0][1]) if vendors else 0
        self.device_id: int = 0
        self.metadata: dict[str, str] = {
            "description": info.description,
            "features": ",".join(info.features),
        }


class OrtEpDevice:
    """A provider together with a device that it runs on."""

    ep_vendor = "Trident"

    def __init__(self, ep_name: str, device: OrtHardwareDevice, options: dict[str, str]) -> None:
        self.ep_name: str = ep_name
        self.device: OrtHardwareDevice = device
        #: Options of the provider that choose the device.
        self.ep_options: dict[str, str] = options
        self.ep_metadata: dict[str, str] = {"version": trident.VERSION}

    def memory_info(self, memory_type: OrtDeviceMemoryType) -> OrtMemoryInfo | None:
        """The memory of values. It is the CPU's, so there is none that the device cannot access."""
        return CPU_MEMORY if memory_type == OrtDeviceMemoryType.DEFAULT else None


@functools.cache
def _devices() -> tuple[tuple[str, OrtHardwareDevice], ...]:
    return tuple((info.name, OrtHardwareDevice(info)) for info in trident.devices())


def get_hardware_devices() -> list[OrtHardwareDevice]:
    """List the devices of this machine."""
    return [device for _, device in _devices()]


@functools.cache
def _pairs() -> tuple[OrtEpDevice, ...]:
    ours = [OrtEpDevice(TRIDENT, device, {"device": name}) for name, device in _devices()]
    cpu = [OrtEpDevice(CPU, device, {}) for name, device in _devices() if name == "cpu"]
    return (*ours, *cpu)


def get_ep_devices() -> list[OrtEpDevice]:
    """List the pairs of a provider and a device."""
    return list(_pairs())


def chosen(devices: Sequence[OrtEpDevice], options: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The provider, and its options, that runs on the devices.

    Raises ``InvalidArgument`` for devices of several providers, and for none.
    """
    if not devices:
        raise InvalidArgument.of("Must provide one or more OrtEpDevice instances.")
    if not all(isinstance(device, OrtEpDevice) for device in devices):
        raise TypeError(f"devices are OrtEpDevice instances of get_ep_devices(), not {devices!r}")
    names = list(dict.fromkeys(device.ep_name for device in devices))
    if len(names) > 1:
        raise InvalidArgument.of(
            f"All OrtEpDevice values must have the same execution provider, not {', '.join(names)}"
        )
    places = [device.ep_options["device"] for device in devices if device.ep_options]
    where = {"device": ",".join(places)} if places else {}
    return names[0], {**where, **options}


def of_provider(name: str) -> OrtEpDevice:
    """The first pair with a provider."""
    return next(pair for pair in _pairs() if pair.ep_name == name)


def get_hardware_device_ep_incompatibility_details(
    ep_name: str, hw: OrtHardwareDevice
) -> dict[str, int | str | None]:
    """Why a provider cannot run on a device, as bits of ``OrtDeviceEpIncompatibilityReason``."""
    if not isinstance(hw, OrtHardwareDevice):
        raise TypeError(f"a device is an OrtHardwareDevice of get_hardware_devices(), not {hw!r}")
    if ep_name not in AVAILABLE:
        known = ", ".join(AVAILABLE)
        raise InvalidArgument.of(
            f"No valid factory found for execution provider '{ep_name}': there are {known}"
        )
    reason, notes = OrtDeviceEpIncompatibilityReason.NONE, None
    if ep_name == CPU and hw.type != OrtHardwareDeviceType.CPU:
        reason = OrtDeviceEpIncompatibilityReason.DEVICE_INCOMPATIBLE
        notes = f"{CPU} runs on the CPU only; {TRIDENT} runs on this device"
    return {"reasons_bitmask": int(reason), "notes": notes, "error_code": 0}


def get_model_compatibility_for_ep_devices(
    ep_devices: Sequence[OrtEpDevice], compatibility_info: str
) -> OrtCompiledModelCompatibility:
    """Whether devices run a model that was compiled for such a provider.

    No provider here stores anything in ONNX files that depends on the machine, so the answer is
    always that the question does not apply. Compiled models of Trident are checked at loading.
    """
    if not isinstance(compatibility_info, str):
        raise TypeError(f"compatibility_info is a text, not {compatibility_info!r}")
    if not ep_devices:
        raise RuntimeError("Invalid argument provided to GetModelCompatibilityForEpDevices: none")
    chosen(ep_devices, {})
    return OrtCompiledModelCompatibility.EP_NOT_APPLICABLE


def get_compatibility_info_from_model(model_path: str, ep_type: str) -> str | None:
    """What a model's file says about the machines that a provider compiled it for."""
    try:
        data = Path(model_path).read_bytes()
    except OSError as error:
        raise RuntimeError(f"Load model {model_path} failed. {error.strerror}") from error
    return get_compatibility_info_from_model_bytes(data, ep_type)


def get_compatibility_info_from_model_bytes(
    model_data: bytes | bytearray | memoryview, ep_type: str
) -> str | None:
    """What the bytes of a model say about the machines that a provider compiled it for."""
    data = memoryview(model_data).cast("B")
    if not ep_type or not len(data):
        what = "the name of a provider" if not ep_type else "the bytes of a model"
        raise RuntimeError(f"Invalid argument: {what} is empty")
    try:
        metadata = model_file.metadata(data)
    except ValueError as error:
        raise RuntimeError(f"Protobuf parsing failed: {error}") from error
    return metadata.get(f"{COMPATIBILITY}{ep_type}")
