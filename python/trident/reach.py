"""Addresses of arrays for kernels that read addresses from memory."""

from typing import Any

from trident import _trident


def address(array: Any) -> int:
    """Where an array's first element lies for a kernel that reads the address from memory.

    On a GPU this is another address than the CPU's, and it is good for launches as long as the
    array lives: whoever has such a table also keeps its arrays.

    >>> import numpy as np, trident
    >>> rows = [np.zeros(4, np.float32), np.ones(4, np.float32)]
    >>> table = np.array([trident.address(row) for row in rows])
    """
    return _trident.reach(array)
