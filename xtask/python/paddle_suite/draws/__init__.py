"""Random calls of Paddle's functions, by the name of the op that they are about."""

import importlib

import numpy as np
import paddle

#: Whether this is Paddle 2, whose kernels leave more cases undefined.
PADDLE_2 = paddle.__version__.startswith("2.")

#: Functions that draw a call, by name.
DRAWS = {}

FAMILIES = ("elementwise", "reduce", "shape", "select", "window", "layer", "detect")


def draws(*names):
    """Register a function that draws calls: `function(r)`, or `function(r, name)` for several."""

    def register(function):
        for name in names:
            assert name not in DRAWS, name
            DRAWS[name] = function if len(names) == 1 else lambda r, n=name: function(r, n)
        return function

    return register


def every():
    for family in FAMILIES:
        importlib.import_module(f"{__name__}.{family}")
    return DRAWS


FLOATS = ("float32", "float64")
INTS = ("int32", "int64")
SMALL = ("int8", "int16", "uint8")


class Random:
    """Random shapes, numbers and choices."""

    def __init__(self, *seed):
        self.rng = np.random.default_rng(seed)

    def chance(self, share):
        return bool(self.rng.random() < share)

    def one(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def int(self, least, most):
        return int(self.rng.integers(least, most + 1))

    def ints(self, count, least, most):
        return [self.int(least, most) for _ in range(count)]

    def float(self, least, most):
        return float(np.float32(self.rng.uniform(least, most)))

    def dtype(self, *more):
        """f32 in half of the cases."""
        return "float32" if self.chance(0.5) else self.one(*FLOATS, *more)

    def any_dtype(self):
        return self.dtype(*INTS, *SMALL, "bool")

    def dim(self, empty=0.04):
        if self.chance(empty):
            return 0
        return self.one(1, 1, 2, 3, 4, 5, 7)

    def shape(self, least=0, most=5, empty=0.04):
        return [self.dim(empty) for _ in range(self.int(least, most))]

    def array(self, shape, dtype="float32", least=-4, most=4, special=0.25):
        """Numbers of a type; in some arrays, limits, infinities and NaN are among them."""
        shape, dtype = tuple(shape), np.dtype(dtype)
        if dtype.kind == "b":
            return np.asarray(self.rng.random(shape) < 0.5)
        if dtype.kind in "iu":
            least = max(least, 0) if dtype.kind == "u" else least
            array = np.asarray(self.rng.integers(least, most + 1, shape)).astype(dtype)
            limits = np.iinfo(dtype)
            rare = [limits.min, limits.max, limits.max - 1]
        else:
            array = np.asarray(self.rng.uniform(least, most, shape)).astype(dtype)
            if self.chance(0.2):
                array = np.asarray(np.round(array))
            rare = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e-30, 1e-40]
        if special and self.chance(special):
            places = self.rng.random(shape) < 0.4
            array = np.where(places, self.rng.choice(np.array(rare, dtype), shape), array)
        return np.asarray(array, dtype)

    def broadcast(self, shape):
        """A shape that broadcasts with another one."""
        shape = [1 if self.chance(0.25) else n for n in shape]
        return shape[self.int(0, len(shape)) :] if self.chance(0.4) else shape

    def axis(self, rank):
        """An axis, perhaps from the end; 0 or -1 of a scalar."""
        return self.int(-max(rank, 1), max(rank, 1) - 1)

    def axes(self, rank, least=1):
        """Different axes in any order."""
        count = self.int(min(least, rank), rank)
        chosen = self.rng.permutation(rank)[:count]
        return [int(axis) - (rank if self.chance(0.4) else 0) for axis in chosen]

    def given(self, value, dtype="int64", share=0.3):
        """An attribute, at times as a tensor that is an input or a constant."""
        from ..call import Const

        if not self.chance(share):
            return value
        array = np.asarray(value, dtype)
        return Const(array) if self.chance(0.4) else array

    def opened(self, call):
        """Leave lengths of axes of the inputs open, and make some inputs constants."""
        for i, array in enumerate(call.arrays()):
            if self.chance(0.3):
                call.open[i] = [axis for axis in range(array.ndim) if self.chance(0.6)]
        return call
