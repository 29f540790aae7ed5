"""Arrays in the forms that callers have them, right and wrong."""

import numpy as np

#: Element types for arrays that do not fit.
OTHERS = ["float32", "float64", "float16", "int64", "int32", "uint8", "bool", "complex64"]


class Hostility(Exception):
    """Raised by the code of an array while it is read."""


class Exporter:
    """An array that only DLPack reaches."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Hostile:
    """An array whose code does something to the caller's objects before it answers."""

    def __init__(self, act, answer):
        self.act, self.answer = act, answer

    def __dlpack__(self, **_):
        self.act()
        return self.answer

    def __dlpack_device__(self):
        return (1, 0)


def form(rng, array):
    """The same elements in another form, which a model takes."""
    if array.dtype == object:
        return (
            [array, array.astype(str), array.tolist()][int(rng.integers(3))]
            if array.size
            else array
        )
    forms = [columns, steps, swapped, odd, fixed, lambda a: a]
    if array.ndim and array.size and array.dtype != np.float16:
        forms += [memoryview]
    if array.dtype != np.bool_:
        forms += [Exporter]
    if array.dtype in (np.float32, np.int64) and array.ndim < 2 and array.size:
        forms += [np.ndarray.tolist]
    return forms[int(rng.integers(len(forms)))](array)


def columns(array):
    return np.array(array, order="F")


def steps(array):
    return np.repeat(array, 2, axis=0)[::2] if array.ndim else array


def swapped(array):
    return array.astype(array.dtype.newbyteorder())


def odd(array):
    """The elements at an odd address."""
    room = np.zeros(array.nbytes + 1, np.uint8)
    made = np.ndarray(array.shape, array.dtype, room.data, offset=1)
    made[...] = array
    return made


def fixed(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def wrong(rng, array):
    """A value that does not fit where ``array`` does."""
    if array.dtype == object:
        values = [np.zeros(2), b"\xff", [1, "a"], None, np.array([None, 1], object)]
        return values[int(rng.integers(len(values)))]
    others = [name for name in OTHERS if np.dtype(name) != array.dtype]
    values = [
        lambda: array.astype(others[int(rng.integers(len(others)))]),
        lambda: array[None],
        lambda: array[..., None, None],
        lambda: np.zeros((*array.shape, 0), array.dtype),
        lambda: np.array(["a", "b"]),
        lambda: np.zeros(2, [("a", "f4"), ("b", "i8")]),
        lambda: np.zeros(2, "datetime64[s]"),
        lambda: np.array([object(), None]),
        lambda: {"a": array},
        object,
        lambda: "text",
        lambda: b"bytes",
        lambda: type(array),
        lambda: [[1], [2, 3]],
        lambda: [array, array],
        lambda: memoryview(b"abc"),
    ]
    return values[int(rng.integers(len(values)))]()


def wrong_place(rng, result, taken):
    """An array that a result like ``result`` cannot be written to; ``taken`` holds an input."""
    dtype = "f8" if result.dtype != np.float64 else "f4"
    values = [
        lambda: np.zeros(result.shape, dtype),
        lambda: fixed(np.zeros_like(result)),
        lambda: np.zeros((*result.shape, 2), result.dtype)[..., 0] if result.size > 1 else 0,
        lambda: np.zeros((*result.shape, 1), result.dtype),
        lambda: swapped(np.ones_like(result)) if result.itemsize > 1 else 0,
        lambda: [0.0] * result.size,
        lambda: taken,
        lambda: None,
        lambda: b"bytes",
    ]
    return values[int(rng.integers(len(values)))]()


def equal(result, expected):
    """Whether a result has the type, dimensions and elements of NumPy's."""
    if isinstance(expected, list):
        return (
            isinstance(result, list)
            and len(result) == len(expected)
            and all(map(equal, result, expected))
        )
    expected = np.asarray(expected)
    return (
        isinstance(result, np.ndarray)
        and result.dtype == expected.dtype
        and result.shape == expected.shape
        and bool(np.array_equal(result, expected))
    )


def copied(value):
    """The value as it is now."""
    return [item.copy() for item in value] if isinstance(value, list) else value.copy()
