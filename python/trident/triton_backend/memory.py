"""What the driver tells of memory."""

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, fields

from trident import _trident


@dataclass(frozen=True, eq=False)
class MemoryPool(Mapping):
    """Memory in bytes, at one moment. A mapping whose values are attributes as well.

    The first two are of the whole process, the others of the pool from which kernels' temporaries,
    and copies of arguments that checked launches make, are taken.
    """

    #: In use by the process.
    current_allocated: int
    #: The most in use by the process so far.
    max_allocated: int
    #: In buffers.
    allocated: int
    #: The most in buffers at once, since the last ``reset_peaks``.
    max_pool_allocated: int
    #: Taken from the system, for buffers and unused.
    reserved: int
    #: The most taken from the system at once, since the last ``reset_peaks``.
    max_reserved: int
    #: Of what is reserved, in no buffer. ``MPS_MAX_POOL_SIZE`` limits it.
    cached: int
    #: Buffers for which there was unused memory.
    hits: int
    #: Buffers for which memory was taken from the system.
    misses: int
    #: Given back as it was unused for longer than ``MPS_MAX_BUFFER_AGE``.
    given_back_by_age: int
    #: Given back as more was unused than is kept.
    given_back_by_size: int
    #: Given back as a model was unloaded.
    given_back_by_unload: int
    #: Given back by ``empty_cache``, or as memory was short.
    given_back_on_request: int
    #: The part of the unused memory that one buffer cannot have, as it is not in one piece: 0 to 1.
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
    return MemoryPool(current, max(current, peak), **_trident.memory_statistics())
