"""The plug-in's own functions, by its C interface."""

from __future__ import annotations

import ctypes
import functools

from paddle_trident import folder


@functools.cache
def library() -> ctypes.CDLL:
    """The library, which Paddle has loaded before.

    Raises ``OSError`` if it cannot be loaded.
    """
    loaded = ctypes.CDLL(folder.LIBRARY)
    for name in ("reason", "devices", "elements"):
        getattr(loaded, f"trident_paddle_{name}").restype = ctypes.c_char_p
    loaded.trident_paddle_calls.argtypes = [ctypes.c_char_p, ctypes.c_int]
    loaded.trident_paddle_calls.restype = ctypes.c_int64
    loaded.trident_paddle_memory.argtypes = [ctypes.c_size_t, ctypes.c_int]
    loaded.trident_paddle_memory.restype = ctypes.c_int64
    loaded.trident_paddle_empty_cache.restype = ctypes.c_size_t
    loaded.trident_paddle_fallbacks.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    loaded.trident_paddle_fallbacks.restype = ctypes.c_size_t
    return loaded


def text(name: str) -> str:
    """The text of a function without arguments."""
    return getattr(library(), f"trident_paddle_{name}")().decode()


def calls(kernel: str) -> int:
    """Calls of a kernel that have given their results, eager ones and those of static graphs."""
    count = library().trident_paddle_calls
    return sum(count(kernel.encode(), entry) for entry in (0, 1))


def fallbacks() -> str:
    """Lines with kernel, element type and number of the calls that Paddle's CPU has run."""
    write, room = library().trident_paddle_fallbacks, 0
    while True:
        buffer = ctypes.create_string_buffer(room + 1)
        length = write(buffer, room)
        if length <= room:
            return buffer.raw[:length].decode()
        room = length


def memory(number: int, which: int) -> int:
    """Bytes of a device: all its memory (0), the part that Paddle has not taken (1)."""
    return library().trident_paddle_memory(number, which)
