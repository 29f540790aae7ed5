"""Cases of `Resize` in which an engine has other results, each with the reason.

`docs/differences.md` lists the same differences for users. An exception whose engine agrees after
all fails the suite: `Comparison.check` wants a difference for each reason.
"""

import typing

import numpy as np

from .suite import same

# Of operands whose elements are between -1 and 1.
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}

UNCROPPED = "ONNX Runtime copies an axis that keeps its length, and so ignores the region"
COPIED = "ONNX Runtime copies a cubic resize that changes no length; PyTorch does not"
LENGTH = "PyTorch multiplies lengths by the f64 scale, of which the file has the nearest f32"
PIXEL = "PyTorch multiplies coordinates by an f32 reciprocal of the scale, ONNX Runtime divides"
KEPT = "PyTorch copies some axes that keep their length, ONNX Runtime copies if all axes keep it"
RATIO = "PyTorch exports an antialiased resize by sizes, whose ratios are not the scale it uses"
ROW = "PyTorch repeats the first row of an antialiased result with one column"
GATHERS = "PyTorch exports a 1-D linear resize as gathers, which interpolate where it copies"
ROUNDED = "PyTorch rounds coordinates to other f32s than ONNX Runtime"


class Case(typing.NamedTuple):
    """A resize by one list of scales or sizes."""

    engine: str  # which the results are compared with
    mode: str  # a name of `MODES`
    lengths: tuple  # of the resized axes
    wanted: tuple  # the same axes of the result, by ONNX Runtime
    scales: tuple = ()  # none: by sizes
    transform: str = "half_pixel"
    exporter: str = ""
    factor: float = 0.0  # `scale_factor` of PyTorch, also where it exports sizes

    def kept(self):
        """For each axis whether it keeps its length although its scale is not 1."""
        return [m == n and s != 1 for n, m, s in self.axes() if s]

    def axes(self):
        return zip(self.lengths, self.wanted, self.scales or [None] * len(self.lengths))


def scaled(n, scale):
    """The length of a scaled axis."""
    return int(np.float32(n) * np.float32(scale))


def same_pixels(n, m, scale):
    """Whether products with PyTorch's f32 factor and quotients have the same whole part."""
    x = np.arange(m, dtype=np.float32)
    factor = np.float32(1 / scale) if scale else np.float32(n) / np.float32(m)
    divisor = np.float32(scale) if scale else np.float32(m) / np.float32(n)
    return np.array_equal(np.floor(x * factor), np.floor(x / divisor))


def mixed_or_nearest(case):
    """Whether an axis keeps its length, and others do not or elements are copied."""
    kept = case.kept()
    return any(kept) and (case.mode == "nearest" or case.mode == "linear" and not all(kept))


EXCEPTIONS = (
    (
        "onnxruntime",
        UNCROPPED,
        lambda c: (
            c.transform == "tf_crop_and_resize" and any(n == m for n, m in zip(c.lengths, c.wanted))
        ),
    ),
    (
        "onnxruntime",
        COPIED,
        lambda c: (
            c.mode in ("cubic", "cubic, outside excluded")
            and c.transform != "align_corners"
            and c.scales
            and all(c.kept())
        ),
    ),
    (
        "torch",
        LENGTH,
        lambda c: (
            (c.scales or c.exporter == "script")
            and any(int(n * c.factor) != scaled(n, c.factor) for n in c.lengths)
        ),
    ),
    (
        "torch",
        PIXEL,
        lambda c: c.mode == "nearest" and not all(same_pixels(*axis) for axis in c.axes()),
    ),
    ("torch", KEPT, mixed_or_nearest),
    (
        "torch",
        RATIO,
        lambda c: "antialiased" in c.mode and any(s and n * s != m for n, m, s in c.axes()),
    ),
    (
        "torch",
        ROW,
        lambda c: "antialiased" in c.mode and c.wanted[-1] == 1 and c.wanted[0] > 1,
    ),
    (
        "torch",
        GATHERS,
        lambda c: (c.exporter, c.mode, len(c.lengths)) == ("dynamo", "linear", 1) and any(c.kept()),
    ),
)


def rounding(case):
    """How far results of PyTorch may be.

    A coordinate has up to four roundings, of the scale, its reciprocal, and the product or the
    quotient. Elements that differ by 2 double what that changes. The bound is above 1e-5 for axes
    of more than 20 elements.
    """
    return {**TOLERANCE, "atol": max(1e-5, 2 * 4 * 2**-24 * max(case.lengths))}


class Comparison:
    """Comparisons with other engines, and the exceptions that were found to be needed."""

    def __init__(self):
        self.listed, self.needed = set(), set()

    def compare(self, cases, got, want):
        """Fail unless results agree. Those of exceptions are only searched for differences."""
        for case, a, b in zip(cases, got, want, strict=True):
            reason = next((r for e, r, c in EXCEPTIONS if e == case.engine and c(case)), None)
            if reason is None and case.engine == "torch" and not within(a, b, TOLERANCE):
                reason = ROUNDED
            if reason in (None, ROUNDED):
                tolerance = TOLERANCE if reason is None else rounding(case)
                try:
                    same([a], [b], tolerance)
                except AssertionError as error:
                    raise AssertionError(f"{case}: {error}") from None
            if reason is not None:
                self.listed.add(reason)
                if not within(a, b, TOLERANCE):
                    self.needed.add(reason)

    def check(self, suite):
        """Check that each exception was needed; only if all cases were run."""
        if suite.options.filter:
            return

        def needed():
            idle = self.listed - self.needed
            assert not idle, f"no result differs where {'; '.join(sorted(idle))}"

        suite.check("exceptions are needed", needed)


def within(a, b, tolerance):
    """Whether two results agree."""
    return a.shape == b.shape and np.allclose(a, b, **tolerance)
