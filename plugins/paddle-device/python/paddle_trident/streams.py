"""Streams and events of a device ``mps``, which are Paddle's own with a device by default."""

from __future__ import annotations

from typing import Any

from paddle import device as paddle_device
from paddle.base import core

from paddle_trident import places


class Stream(paddle_device.Stream):
    """An order of launches on a device. Kernels have ended when their calls return."""

    def __init__(self, device: Any = None, priority: int = 2) -> None:
        place = core.CustomPlace(places.NAME, places.number_of(device))
        super().__init__(place, priority)


class Event(paddle_device.Event):
    """A point in a stream, which can be waited for."""

    def __init__(
        self, device: Any = None, enable_timing: bool = False, blocking: bool = False
    ) -> None:
        # The constructors of releases take other parameters, or take the current device.
        number = places.number_of(device)
        self.device = core.CustomPlace(places.NAME, number)
        self.event_base = core.CustomDeviceEvent(
            places.NAME, number, enable_timing, blocking, False
        )
