"""The folder of the plug-in, from which Paddle loads it."""

from __future__ import annotations

import os
import sys
from types import ModuleType

#: Where Paddle looks for plug-ins when it is imported.
VARIABLE = "CUSTOM_DEVICE_ROOT"
#: The name of the folder, beside Paddle's own.
NAME = "paddle_custom_device"

_SITE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SUFFIX = {"darwin": "dylib"}.get(sys.platform, "so")

#: The plug-in's library.
LIBRARY = os.path.join(_SITE, NAME, f"libtrident_paddle_device.{_SUFFIX}")


def choose(paddle: ModuleType) -> None:
    """Name the folder, unless the user has named one.

    Paddle finds the folder beside its own in ``site-packages``, and nowhere else.
    A folder beside Paddle may have plug-ins of others, so it is preferred.
    """
    if os.environ.get(VARIABLE):
        return
    beside = os.path.join(os.path.dirname(paddle.__path__[0]), NAME)
    os.environ[VARIABLE] = beside if os.path.isdir(beside) else os.path.dirname(LIBRARY)


def is_chosen() -> bool:
    """Whether Paddle was told to load plug-ins from the folder that has ours."""
    chosen = os.environ.get(VARIABLE)
    return bool(chosen) and os.path.realpath(chosen) == os.path.realpath(os.path.dirname(LIBRARY))
