"""Compiled kernels that are kept on disk."""

from trident import _trident


def cache_clear() -> int:
    """Remove the compiled kernels that are kept for this user's processes; the bytes they took.

    They are compiled again when they are needed. Kernels in use are not affected, and Triton's own
    cache, which holds no machine code, stays.
    """
    return _trident.cache_clear()
