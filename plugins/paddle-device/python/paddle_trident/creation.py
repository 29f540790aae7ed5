"""``place=`` for functions that create tensors: stock Paddle has ``device=``, or neither."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

#: Functions of ``paddle`` that create tensors and do not have ``place=`` in stock Paddle.
FUNCTIONS = (
    "arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "empty_like",
    "eye", "from_dlpack", "full", "full_like", "hamming_window", "hann_window", "kaiser_window",
    "linspace", "logspace", "normal", "ones", "ones_like", "rand", "rand_like", "randint",
    "randint_like", "randn", "randn_like", "randperm", "range", "standard_normal", "tril_indices",
    "triu_indices", "uniform", "zeros", "zeros_like",
)  # fmt: skip


def extend(paddle: ModuleType) -> None:
    """Give these functions of a release ``place=``."""
    for name in FUNCTIONS:
        function = getattr(paddle, name, None)
        if function is not None and "place" not in _parameters(function):
            setattr(paddle, name, with_place(function))


def with_place(create: Callable[..., Any]) -> Callable[..., Any]:
    """A function with a keyword ``place``: a place, or its name such as ``mps:0``."""

    @functools.wraps(create)
    def created(*args: Any, place: Any = None, **keywords: Any) -> Any:
        if place is None:
            return create(*args, **keywords)
        if keywords.get("device") is not None:
            raise TypeError(f"paddle.{create.__name__}: give `place` or `device`, and not both")
        from paddle.base import framework
        from paddle.device import _convert_to_place

        if "device" in _parameters(create):
            keywords["device"] = place
        # Some functions compute on the current device before they look at `device`.
        with framework._dygraph_place_guard(_convert_to_place(place)):
            return create(*args, **keywords)

    return created


@functools.cache
def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)
