"""The package ``ray``, which only programs that call ``trident.ray.app`` need."""

import importlib
from typing import Any


def load(module: str) -> Any:
    """A module of Ray, as `Any`: the types of Ray are not known without it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"trident.ray needs Ray Serve ({error}): pip install 'ray[serve]>=2.60'",
            name=error.name,
        ) from error
