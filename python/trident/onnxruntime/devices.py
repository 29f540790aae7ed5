"""Devices and their memory, as ONNX Runtime numbers them. Values lie in the CPU's memory only."""

from typing import Self

from trident.onnxruntime.enums import (
    OrtAllocatorType,
    OrtDeviceMemoryType,
    OrtDeviceVendorId,
    OrtMemoryInfoDeviceType,
    OrtMemType,
)

#: The number of each kind of device, and its vendor.
KINDS: dict[str, tuple[int, OrtDeviceVendorId]] = {
    "cpu": (0, OrtDeviceVendorId.NONE),
    "cuda": (1, OrtDeviceVendorId.NVIDIA),
    "gpu": (1, OrtDeviceVendorId.NONE),
    "webgpu": (1, OrtDeviceVendorId.NONE),
    "fpga": (2, OrtDeviceVendorId.NONE),
    "npu": (3, OrtDeviceVendorId.NONE),
    "cann": (3, OrtDeviceVendorId.HUAWEI),
    "dml": (4, OrtDeviceVendorId.MICROSOFT),
}


class OrtDevice:
    """A device by its numbers: its kind, its memory, its vendor and which one it is."""

    def __init__(self, device_type: int, mem_type: int, *rest: int) -> None:
        """``rest`` is the number of the device, or the vendor and that number."""
        if len(rest) not in (1, 2):
            raise TypeError("a device has a type, a memory type, perhaps a vendor, and an id")
        self._type, self._memory = int(device_type), int(mem_type)
        self._vendor = int(rest[0]) if len(rest) == 2 else 0
        self._id = int(rest[-1])

    @classmethod
    def make(cls, ort_device_name: str, device_id: int, vendor_id: int = -1) -> Self:
        """The device of this name."""
        if ort_device_name not in KINDS:
            known = ", ".join(KINDS)
            raise Exception(f"Unsupported device type: {ort_device_name}; there are {known}")
        number, vendor = KINDS[ort_device_name]
        return cls(number, 0, vendor if vendor_id < 0 else vendor_id, device_id)

    def device_id(self) -> int:
        """Which device of its kind it is."""
        return self._id

    def device_type(self) -> int:
        """The number of its kind."""
        return self._type

    def device_vendor_id(self) -> int:
        """The PCI number of its vendor."""
        return self._vendor

    vendor_id = device_vendor_id

    def device_mem_type(self) -> int:
        """The number of its memory."""
        return self._memory

    mem_type = device_mem_type

    @staticmethod
    def cpu() -> int:
        """The number of CPUs."""
        return KINDS["cpu"][0]

    @staticmethod
    def cuda() -> int:
        """The number of GPUs of NVIDIA."""
        return KINDS["cuda"][0]

    @staticmethod
    def gpu() -> int:
        """The number of GPUs."""
        return KINDS["gpu"][0]

    @staticmethod
    def webgpu() -> int:
        """The number of GPUs by WebGPU."""
        return KINDS["webgpu"][0]

    @staticmethod
    def fpga() -> int:
        """The number of FPGAs."""
        return KINDS["fpga"][0]

    @staticmethod
    def npu() -> int:
        """The number of NPUs."""
        return KINDS["npu"][0]

    @staticmethod
    def cann() -> int:
        """The number of NPUs of Huawei."""
        return KINDS["cann"][0]

    @staticmethod
    def dml() -> int:
        """The number of GPUs by DirectML."""
        return KINDS["dml"][0]

    def _get_c_device(self) -> Self:
        return self

    @staticmethod
    def default_memory() -> int:
        """The number of usual memory."""
        return 0


def is_cpu(device_type: str, device_id: int, vendor_id: int = -1) -> bool:
    """Whether the device is the CPU. Raises ``Exception`` for a name that no device has."""
    return OrtDevice.make(device_type, device_id, vendor_id).device_type() == 0


def require_cpu(device_type: str, device_id: int, vendor_id: int = -1) -> None:
    """Raises ``RuntimeError`` for another device than the CPU."""
    if not is_cpu(device_type, device_id, vendor_id):
        raise RuntimeError(
            f"Can't allocate memory on the device '{device_type}': values of Trident's sessions "
            "lie in the CPU's memory, which GPUs of Macs share: use the device 'cpu'"
        )


class OrtMemoryInfo:
    """A kind of memory of a device."""

    def __init__(
        self, name: str, allocator_type: OrtAllocatorType, device_id: int, mem_type: OrtMemType
    ) -> None:
        self.name: str = name
        self.allocator_type: OrtAllocatorType = OrtAllocatorType(allocator_type)
        self.device_id: int = int(device_id)
        self.mem_type: OrtMemType = OrtMemType(mem_type)
        self.device_mem_type: OrtDeviceMemoryType = OrtDeviceMemoryType.DEFAULT
        self.device_vendor_id: int = 0
        self.device_type: OrtMemoryInfoDeviceType | None = (
            OrtMemoryInfoDeviceType.CPU if name == "Cpu" else None
        )

    @classmethod
    def create_v2(
        cls,
        name: str,
        device_type: OrtMemoryInfoDeviceType,
        vendor_id: int,
        device_id: int,
        device_mem_type: OrtDeviceMemoryType,
        alignment: int,
        allocator_type: OrtAllocatorType,
    ) -> Self:
        """A kind of memory, with its vendor and its accessibility."""
        made = cls(name, allocator_type, device_id, OrtMemType.DEFAULT)
        made.device_mem_type = OrtDeviceMemoryType(device_mem_type)
        made.device_vendor_id = int(vendor_id)
        made.device_type = OrtMemoryInfoDeviceType(device_type)
        return made

    @property
    def is_cpu(self) -> bool:
        """Whether it is memory of the CPU."""
        return self.device_type == OrtMemoryInfoDeviceType.CPU

    def __repr__(self) -> str:
        return f"<OrtMemoryInfo {self.name}, device {self.device_id}, {self.allocator_type}>"


CPU_MEMORY = OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, OrtMemType.DEFAULT)
