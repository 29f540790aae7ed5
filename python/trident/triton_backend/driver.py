"""The run-time side of the plug-in: the device as Triton's JIT, autotuner and benchmarks see it."""

import ctypes
import importlib
import os
import platform
import time
from collections.abc import Callable
from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from trident import _trident
from trident.triton_backend import cache, extensions, settings
from trident.triton_backend.memory import MemoryPool, memory_pool

# `TRIDENT_DEVICE` and `TRITON_BACKEND` choose this back end even where a GPU is active; Triton
# knows only its own variable for that.
try:
    if settings.requested_device() is not None:
        os.environ.setdefault(settings.CHOICE, settings.ENTRY)
except ValueError:
    # Said again, as an error, when the driver is made: here it would break `import triton`.
    pass

extensions.install_after_import()


class Event:
    """A point in time; a launch is done when it returns."""

    def __init__(self, enable_timing: bool = False, **_: Any) -> None:
        self._time: int | None = None
        self._mark: _trident.Mark | None = None

    def record(self, stream: Any = None) -> None:
        self._mark = _trident.Mark.now()
        self._time = time.perf_counter_ns()

    def elapsed_time(self, end: "Event") -> float:
        """Milliseconds to another event, more than 0: Triton's ``do_bench`` divides by them.

        With launches on a GPU in between it is the GPU's time from the begin of the first to the
        end of the last; what the CPU does before and after them does not count.
        """
        if self._time is None or end._time is None:
            raise RuntimeError("both events must be recorded before the time between them is known")
        elapsed = None
        if self._mark is not None and end._mark is not None:
            elapsed = self._mark.until(end._mark)
        return max(end._time - self._time if elapsed is None else elapsed, 1) / 1e6

    def synchronize(self) -> None:
        """Nothing is pending."""

    def wait(self, stream: Any = None) -> None:
        """Nothing is pending."""

    def query(self) -> bool:
        return True


class DeviceInterface:
    """The counterpart of ``torch.cuda`` for this driver."""

    Event = Event

    @staticmethod
    def synchronize(device: Any = None) -> None:
        """Launches return when they are done."""

    @staticmethod
    def current_device() -> int:
        return 0

    @staticmethod
    def set_device(device: Any) -> None:
        """There is one device."""

    @staticmethod
    def device_count() -> int:
        return 1


class Utils:
    """Properties of the device, and compiled kernels on it."""

    @staticmethod
    def get_device_properties(device: int = 0) -> dict[str, int]:
        gpu = _trident.gpu() or {}
        return {
            "max_shared_mem": gpu.get("threadgroup_bytes", settings.config.shared_memory),
            "multiprocessor_count": gpu.get("cores") or _trident.num_threads(),
            "max_num_regs": 1 << 16,
            "warpSize": gpu.get("simd_width", 1),
            "sm_clock_rate": 1,
            "mem_clock_rate": 1,
            "mem_bus_width": 64,
        }

    @staticmethod
    def load_binary(name: str, image: bytes, shared: int, device: int) -> tuple[Any, ...]:
        """Module, function, registers, spills and most threads of a program."""
        kernel = cache.take(name, image)
        return kernel, kernel, 0, 0, settings.config.max_threads

    @staticmethod
    def unload_module(module: Any) -> None:
        """A kernel's memory goes with its last reference."""

    @staticmethod
    def set_printf_fifo_size(size: int) -> None:
        """Prints are not buffered."""


def launcher(src: Any, metadata: Any) -> _trident.Launcher:
    """The function that the JIT calls at every launch of a kernel."""
    return _trident.Launcher([(str(name), ty) for name, ty in src.signature.items()])


class TridentDriver(DriverBase):
    """The CPU. Also reachable as ``triton.runtime.driver.MPSDriver``."""

    #: Bytes written between runs of a benchmark to push its data out of the caches.
    CACHE_BYTES = 64 << 20

    def __init__(self) -> None:
        settings.requested_device()  # refuses names that no device has
        super().__init__()
        self.utils: Utils = Utils()
        self.launcher_cls: Callable[[Any, Any], _trident.Launcher] = launcher
        gpu = _trident.gpu()
        self._target = (
            GPUTarget("mps", gpu["family"], gpu["simd_width"])
            if gpu
            else GPUTarget("cpu", platform.machine() or "cpu", 1)
        )
        extensions.install()
        extensions.install_launches()

    @classmethod
    def is_active(cls) -> bool:
        """Where the environment asks for it, and otherwise where no other back end is active.

        Under its other name, that entry is the active one: see ``named``.
        """
        chosen = os.environ.get(settings.CHOICE)
        if chosen in settings.ENTRIES:
            return chosen == settings.ENTRY
        from triton.backends import backends

        others = [b.driver for b in backends.values() if not issubclass(b.driver, cls)]
        return not any(_active(driver) for driver in others)

    def get_current_target(self) -> GPUTarget:
        return self._target

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        if device != 0:
            raise ValueError(f"there is only device 0, not {device}")

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        torch: Any = importlib.import_module("torch")
        return torch.device("cpu")

    def get_device_interface(self) -> type[DeviceInterface]:
        return DeviceInterface

    def get_benchmarker(self) -> Any:
        from triton.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        return ctypes.create_string_buffer(self.CACHE_BYTES)

    def clear_cache(self, cache: Any) -> None:
        ctypes.memset(cache, 0, ctypes.sizeof(cache))

    def map_python_to_cpp_type(self, ty: str) -> str:
        if ty.startswith("*") or ty.startswith("tensordesc"):
            return "void*"
        return _C_TYPES[ty]

    def set_kernel_config(
        self,
        num_warps: int | None = None,
        num_stages: int | None = None,
        max_threads: int | None = None,
        shared_memory: int | None = None,
    ) -> None:
        """Set defaults and limits of kernels to come; results do not depend on them."""
        settings.config.update(
            num_warps=num_warps,
            num_stages=num_stages,
            max_threads=max_threads,
            shared_memory=shared_memory,
        )
        from triton.compiler.compiler import max_shared_mem

        max_shared_mem.cache_clear()

    def memory_pool(self) -> MemoryPool:
        """Memory of the process and of its pool, as it is now."""
        return memory_pool()


_C_TYPES = {
    "i1": "int8_t",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "u1": "uint8_t",
    "u8": "uint8_t",
    "u16": "uint16_t",
    "u32": "uint32_t",
    "u64": "uint64_t",
    "fp16": "uint16_t",
    "bf16": "uint16_t",
    "fp32": "float",
    "f32": "float",
    "fp64": "double",
}


def _active(driver: Any) -> bool:
    """Whether another driver is active; a driver whose check fails is not."""
    try:
        return bool(driver.is_active())
    except Exception:
        return False
