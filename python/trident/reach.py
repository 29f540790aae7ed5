"""Addresses of arrays for kernels that read addresses from memory."""

import weakref

from trident import _trident, arrays

#: What keeps the memory of arrays within a GPU's reach, by the arrays' ids, as long as they live.
_reached: dict[int, tuple[int, int, _trident.Reached]] = {}


def address(array) -> int:
    """Where an array's first element lies for a kernel that reads the address from memory.

    On a GPU this is another address than the CPU's, and it is good for launches as long as the
    array lives: whoever has such a table also keeps its arrays.
    """
    place = _trident.address(array)
    if _trident.gpu() is None or place == 0 or isinstance(array, int):
        return place
    memory = arrays.memory(array)
    if memory is None:
        raise ValueError(f"this `{type(array).__name__}` does not tell what memory it has")
    start, nbytes, writable = memory
    if not writable:
        raise ValueError(
            "the array is read-only, and a kernel may write wherever it has an address: give a copy"
        )
    known = _reached.get(id(array))
    if known is None or known[:2] != (start, nbytes):
        try:
            end = weakref.finalize(array, _reached.pop, id(array), None)
        except TypeError:
            raise TypeError(
                f"a `{type(array).__name__}` does not tell when its memory is gone: give an array "
                "of NumPy or PyTorch"
            ) from None
        end.atexit = False
        known = start, nbytes, _trident.Reached(array, start, nbytes)
        _reached[id(array)] = known
    return known[2].address + place - start
