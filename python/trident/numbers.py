"""Lists of Python's numbers as arrays of the types that models take."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def converted(numbers: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of a list as elements of ``dtype``.

    Fractions are rounded to the nearest number that the type has. Raises ``ValueError`` for a
    number beyond the range of the type, and for an integer that it cannot have exactly.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        array = np.asarray(numbers, dtype)
    if numbers.dtype.kind in "iu":
        # Python compares integers with floats exactly.
        wide = array.astype(np.float64) if dtype.kind not in "biuc" else array
        for given, made in zip(numbers.ravel().tolist(), wide.ravel().tolist()):
            if given != made:
                raise ValueError(_unfit(given, dtype))
    elif numbers.dtype.kind in "fc":
        wide = array.astype(np.complex128 if dtype.kind == "c" else np.float64)
        lost = np.isfinite(numbers) & ~np.isfinite(wide)
        if lost.any():
            raise ValueError(_unfit(numbers[lost].ravel()[0], dtype))
    return array


def _unfit(number: object, dtype: np.dtype[Any]) -> str:
    return f"its number {number} cannot be a {dtype.name}: pass an array with elements of this type"
