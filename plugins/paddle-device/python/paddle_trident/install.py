"""Adds to the module ``paddle`` what a build with a device ``mps`` has."""

from __future__ import annotations

import functools
import importlib
import sys
from types import ModuleType
from typing import Any

from paddle_trident import creation, places


def is_compiled_with_mps() -> bool:
    """Whether this Paddle has the device ``mps``. ``paddle.mps.why()`` says why it has not."""
    return places.is_registered()


def install(paddle: ModuleType) -> None:
    """Add ``mps``, ``MPSPlace`` and ``is_compiled_with_mps``, and ``place=`` for new tensors.

    What a build of Paddle brings itself is left alone.
    """
    if hasattr(paddle, "is_compiled_with_mps"):
        return
    mps = importlib.import_module("paddle_trident.mps")
    sys.modules["paddle.mps"] = mps
    paddle.mps = mps
    paddle.MPSPlace = places.MPSPlace
    paddle.is_compiled_with_mps = is_compiled_with_mps
    creation.extend(paddle)
    if places.is_registered():
        _name_devices_without_numbers()


def _name_devices_without_numbers() -> None:
    """Let Paddle 3.2 take `mps` for `mps:0` wherever it takes a name: it looks for the number."""
    from paddle.base import framework

    convert = framework._get_paddle_place
    try:
        convert(places.NAME)
        return
    except IndexError:
        pass

    @functools.wraps(convert)
    def converted(place: Any) -> Any:
        return convert(f"{places.NAME}:0" if place == places.NAME else place)

    for module in list(sys.modules.values()):
        if getattr(module, "_get_paddle_place", None) is convert:
            module._get_paddle_place = converted
