"""Places: devices as programs name them."""

from __future__ import annotations

from typing import Any

from paddle_trident import reasons

#: The name of the devices.
NAME = "mps"


def count() -> int:
    """The number of devices."""
    from paddle.base import core

    return core.get_custom_device_count(NAME) if is_registered() else 0


def is_registered() -> bool:
    """Whether Paddle has the device."""
    from paddle.base import core

    return NAME in (core.get_all_custom_device_type() or [])


class _Places(type):
    """Answers ``isinstance(place, paddle.MPSPlace)`` for the places that Paddle itself makes."""

    def __instancecheck__(cls, instance: object) -> bool:
        from paddle.base import core

        if isinstance(instance, core.Place):
            return instance.is_custom_place() and instance.custom_device_type() == NAME
        return isinstance(instance, core.CustomPlace) and instance.get_device_type() == NAME


class MPSPlace(metaclass=_Places):
    """The place of a device ``mps``, by its number.

    It is Paddle's ``CustomPlace("mps", number)``.
    Raises ``RuntimeError`` where Paddle has no such device, and ``ValueError`` for other numbers.
    """

    def __new__(cls, device_id: int = 0) -> Any:
        from paddle.base import core

        return core.CustomPlace(NAME, number_of(device_id))


def number_of(device: Any = None) -> int:
    """The number of a device: of a number, a text such as ``mps:1``, or a place.

    Without one it is the current device, or 0 if that is of another kind.
    Raises ``TypeError`` and ``ValueError`` for what is not a device ``mps``, and ``RuntimeError``
    where Paddle has none.
    """
    if not is_registered():
        raise RuntimeError(f"Paddle has no device `{NAME}`: {reasons.why()}")
    if device is None:
        device = _current()
        if not isinstance(device, MPSPlace):
            return 0
    if isinstance(device, MPSPlace):
        number = _number_of_place(device)
    elif isinstance(device, int) and not isinstance(device, bool):
        number = device
    elif isinstance(device, str):
        kind, colon, digits = device.partition(":")
        if kind != NAME or (colon and not digits.isdecimal()):
            raise ValueError(f"`{device}` is not a device `{NAME}`: write `mps` or `mps:0`")
        number = int(digits or 0)
    else:
        raise TypeError(
            f"a device is a number, a text such as `mps:0` or a paddle.MPSPlace, and not a "
            f"{type(device).__name__}"
        )
    if not 0 <= number < count():
        raise ValueError(
            f"there is no device `{NAME}:{number}`: there are {count()}, numbered from 0. A list "
            "in TRIDENT_DEVICE, such as `cpu,cpu`, gives several"
        )
    return number


def name_of(device: Any = None) -> str:
    """The name of a device as Paddle's functions take it, such as ``mps:0``."""
    return f"{NAME}:{number_of(device)}"


def _current() -> Any:
    from paddle.base import framework

    return framework._current_expected_place_()


def _number_of_place(place: Any) -> int:
    """The number of a ``CustomPlace``, or of a ``Place`` as tensors have it."""
    if hasattr(place, "get_device_id"):
        return place.get_device_id()
    return place.custom_device_id()
