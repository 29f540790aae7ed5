"""Arenas of memory that a program configures. Trident has an allocator of its own: none is used."""

from collections.abc import Mapping
from typing import SupportsInt, overload

from trident.onnxruntime.devices import OrtMemoryInfo
from trident.onnxruntime.providers import AVAILABLE

#: The settings of an arena, the first four in the order of positional arguments, and defaults.
SETTINGS = {
    "max_mem": 0,
    "arena_extend_strategy": -1,
    "initial_chunk_size_bytes": -1,
    "max_dead_bytes_per_chunk": -1,
    "initial_growth_chunk_size_bytes": -1,
    "max_power_of_two_extend_bytes": -1,
}
POSITIONAL = 4


class OrtArenaCfg:
    """The settings of an arena. They are kept, and do nothing."""

    max_mem: int
    arena_extend_strategy: int
    initial_chunk_size_bytes: int
    max_dead_bytes_per_chunk: int
    initial_growth_chunk_size_bytes: int
    max_power_of_two_extend_bytes: int

    @overload
    def __init__(self, settings: Mapping[str, SupportsInt], /) -> None: ...
    @overload
    def __init__(
        self,
        max_mem: SupportsInt,
        arena_extend_strategy: SupportsInt,
        initial_chunk_size_bytes: SupportsInt,
        max_dead_bytes_per_chunk: SupportsInt,
        /,
    ) -> None: ...
    def __init__(self, *given: Mapping[str, SupportsInt] | SupportsInt) -> None:
        settings: Mapping[str, SupportsInt]
        match given:
            case (Mapping() as named,):
                settings = named
            case _ if len(given) == POSITIONAL:
                settings = dict(zip(SETTINGS, map(int, given)))  # type: ignore[arg-type]
            case _:
                raise TypeError(f"OrtArenaCfg takes {POSITIONAL} integers or a dict, not {given!r}")
        for name in settings:
            if name not in SETTINGS:
                known = ", ".join(SETTINGS)
                raise RuntimeError(f"Invalid OrtArenaCfg option: {name} (there are {known})")
        for name, default in SETTINGS.items():
            setattr(self, name, int(settings.get(name, default)))


def create_and_register_allocator(
    mem_info: OrtMemoryInfo, arena_cfg: OrtArenaCfg | None = None
) -> None:
    """Share an arena among sessions. Trident's sessions share their memory in any case.

    Raises ``RuntimeError`` for memory of another device than the CPU.
    """
    if not mem_info.is_cpu:
        raise RuntimeError(
            "Error when creating and registering allocator: Only CPU devices are supported."
        )


def create_and_register_allocator_v2(
    provider_type: str,
    mem_info: OrtMemoryInfo,
    options: Mapping[str, str],
    arena_cfg: OrtArenaCfg | None = None,
) -> None:
    """Share an arena among sessions, as ``create_and_register_allocator`` does, for a provider."""
    if provider_type not in AVAILABLE:
        known = ", ".join(AVAILABLE)
        raise RuntimeError(
            "Error when creating and registering allocator in create_and_register_allocator_v2: "
            f"{provider_type} is not implemented (there are {known})"
        )
    create_and_register_allocator(mem_info, arena_cfg)
