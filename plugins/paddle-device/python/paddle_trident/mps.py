"""Paddle's devices ``mps``: their number, memory, random numbers, streams, and kernels.

Programs find this module as ``paddle.mps``. A device is given as a number, as a text such as
``mps:1``, or as a ``paddle.MPSPlace``; without one it is the current device.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddle_trident import library, places
from paddle_trident.reasons import why
from paddle_trident.streams import Event, Stream

if TYPE_CHECKING:
    from typing import TypeAlias

    #: A device of this module.
    DeviceLike: TypeAlias = int | str | places.MPSPlace | None

__all__ = [
    "DeviceProperties", "Event", "KernelStatistics", "Stream", "current_device", "device_count",
    "empty_cache", "fallbacks", "get_device_name", "get_device_properties", "is_available",
    "kernels", "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_reserved",
    "memory_allocated", "memory_reserved", "reset_max_memory_allocated",
    "reset_max_memory_reserved", "set_device", "synchronize", "why",
]  # fmt: skip


def is_available() -> bool:
    """Whether there is a device. Never raises; ``why()`` gives the reason if there is none."""
    return device_count() > 0


def device_count() -> int:
    """The number of devices; 0 if there are none."""
    return places.count()


def set_device(device: DeviceLike = None) -> None:
    """Make a device the current one, on which new tensors are created."""
    name = places.name_of(device)
    import paddle

    paddle.device.set_device(name)


def current_device() -> int:
    """The number of the current device; 0 if it is not an ``mps``."""
    return places.number_of()


@dataclasses.dataclass(frozen=True)
class DeviceProperties:
    """Facts about a device."""

    #: The hardware's name, and the part of it that is used.
    name: str
    #: Bytes of memory. It is the machine's own, since the device shares it.
    total_memory: int
    #: Bytes that Paddle has not taken.
    free_memory: int


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """Name and memory of a device."""
    number = places.number_of(device)
    name = library.text("devices").splitlines()[number]
    total, free = (library.memory(number, which) for which in (0, 1))
    return DeviceProperties(name=name, total_memory=total, free_memory=free)


def get_device_name(device: DeviceLike = None) -> str:
    """The hardware's name."""
    return get_device_properties(device).name


def memory_allocated(device: DeviceLike = None) -> int:
    """Bytes of a device that tensors have."""
    return _core().device_memory_stat_current_value("Allocated", places.number_of(device))


def memory_reserved(device: DeviceLike = None) -> int:
    """Bytes of a device that Paddle's allocator has, in use or not."""
    return _core().device_memory_stat_current_value("Reserved", places.number_of(device))


def max_memory_allocated(device: DeviceLike = None) -> int:
    """The most bytes of a device that tensors have had at one time."""
    return _core().device_memory_stat_peak_value("Allocated", places.number_of(device))


def max_memory_reserved(device: DeviceLike = None) -> int:
    """The most bytes of a device that Paddle's allocator has had at one time."""
    return _core().device_memory_stat_peak_value("Reserved", places.number_of(device))


def reset_max_memory_allocated(device: DeviceLike = None) -> None:
    """Begin the maximum of ``max_memory_allocated`` anew."""
    _core().device_memory_stat_reset_peak_value("Allocated", places.number_of(device))


def reset_max_memory_reserved(device: DeviceLike = None) -> None:
    """Begin the maximum of ``max_memory_reserved`` anew."""
    _core().device_memory_stat_reset_peak_value("Reserved", places.number_of(device))


def empty_cache() -> None:
    """Return memory that no tensor uses to the system, and drop compiled kernels.

    It returns blocks that Paddle's allocator keeps, then those of the engine's pool.
    """
    places.number_of()
    _core().device_empty_cache()
    library.library().trident_paddle_empty_cache()


def manual_seed(seed: int) -> None:
    """Begin the random numbers of the current device anew, from a seed."""
    _seed(seed, places.number_of())


def manual_seed_all(seed: int) -> None:
    """Begin the random numbers of all devices anew, from a seed."""
    for number in range(device_count()):
        _seed(seed, number)


def synchronize(device: DeviceLike = None) -> None:
    """Wait until everything that was submitted to a device is done."""
    _core()._synchronize_custom_device(places.NAME, places.number_of(device))


@dataclasses.dataclass(frozen=True)
class KernelStatistics:
    """A kernel of the device."""

    #: The element types that it is registered for, by Trident's names such as ``f32``.
    dtypes: tuple[str, ...]
    #: Calls that have given their results.
    calls: int


def kernels() -> Mapping[str, KernelStatistics]:
    """The kernels of the device by Paddle's names, with element types and numbers of calls."""
    found: dict[str, tuple[str, ...]] = {}
    for name, *dtypes in map(str.split, library.text("elements").splitlines()):
        found[name] = tuple(dict.fromkeys((*found.get(name, ()), *dtypes)))
    return {
        name: KernelStatistics(dtypes=dtypes, calls=library.calls(name))
        for name, dtypes in found.items()
    }


def fallbacks() -> Mapping[tuple[str, str], int]:
    """Calls that Paddle's CPU has run in place of the device, by kernel and Paddle's element type.

    There are none unless ``TRIDENT_PADDLE_FALLBACK`` is 1 when Paddle is imported. Each first one
    is a line on standard error.
    """
    lines = map(str.split, library.fallbacks().splitlines())
    return {(kernel, dtype): int(count) for kernel, dtype, count in lines}


def _core() -> Any:
    from paddle.base import core

    return core


def _seed(seed: int, number: int) -> None:
    core = _core()
    place = core.CustomPlace(places.NAME, number)
    core.default_custom_device_generator(place).manual_seed(seed)
