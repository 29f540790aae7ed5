"""The driver's figures about memory."""

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from typing import Any

from trident import _trident


@dataclass(frozen=True, eq=False)
class MemoryPool(Mapping[str, int | float]):
    """Memory in bytes, at one moment. A mapping whose values are attributes as well.

    Of the process:

    - ``current_allocated``: in use.
    - ``max_allocated``: the most in use so far.

    Of the pool from which kernels' temporaries are taken, and the copies of arguments that checked
    launches make:

    - ``allocated``: in buffers.
    - ``max_pool_allocated``: the most in buffers at once, since the last ``reset_peaks``.
    - ``reserved``: taken from the system, in buffers and unused.
    - ``max_reserved``: the most reserved at once, since the last ``reset_peaks``.
    - ``cached``: reserved and in no buffer. ``MPS_MAX_POOL_SIZE`` limits it.
    - ``hits``: number of buffers for which there was unused memory.
    - ``misses``: number of buffers for which memory was taken from the system.
    - ``given_back_by_age``: given back because it was unused for ``MPS_MAX_BUFFER_AGE``.
    - ``given_back_by_size``: given back because more was unused than is kept.
    - ``given_back_by_unload``: given back because a model was unloaded.
    - ``given_back_on_request``: given back by ``empty_cache``, or because memory was short.
    - ``fragmentation``: the part of the unused memory that one buffer cannot have, because it is
      not in one piece, from 0 to 1.
    """

    current_allocated: int
    max_allocated: int
    allocated: int
    max_pool_allocated: int
    reserved: int
    max_reserved: int
    cached: int
    hits: int
    misses: int
    given_back_by_age: int
    given_back_by_size: int
    given_back_by_unload: int
    given_back_on_request: int
    fragmentation: float

    def __getitem__(self, name: str) -> int | float:
        return dict(zip(self, astuple(self)))[name]

    def __iter__(self) -> Iterator[str]:
        return (field.name for field in fields(self))

    def __len__(self) -> int:
        return len(fields(self))

    @staticmethod
    def empty_cache() -> int:
        """Give unused memory back to the system; the number of bytes."""
        return _trident.empty_cache()

    @staticmethod
    def reset_peaks() -> None:
        """Set the pool's peaks to what is allocated and reserved."""
        _trident.reset_memory_peaks()


def memory_pool() -> MemoryPool:
    """Memory as it is at this moment."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if platform.system() == "Darwin" else 1024
    try:
        with open("/proc/self/statm") as statm:
            current = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        current = peak
    pool: dict[str, Any] = _trident.memory_statistics()
    return MemoryPool(current, max(current, peak), **pool)
