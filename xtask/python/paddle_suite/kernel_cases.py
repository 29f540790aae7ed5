"""The cases of `kernels`: kernel x element type x shapes x attributes."""

import dataclasses
import itertools
import zlib

import numpy as np
import paddle
import paddle.nn.functional as F

FLOATS = ("f32", "f64", "f16", "bf16")
INTS = ("u8", "i8", "i16", "i32", "i64")
NUMBERS = FLOATS + INTS
ALL = ("bool", *NUMBERS)
# 0-D, empty, odd, prime, one element, several axes, more elements than a vector or a thread has.
SHAPES = (
    (), (0,), (1,), (7,), (3, 0, 2), (2, 3), (1, 5, 1), (4, 3, 2, 5), (33, 65), (129,), (5, 0),
    (2, 1, 3, 1, 2), (2, 2, 2, 2, 2, 2),
)  # fmt: skip
PAIRS = (
    ((), ()), ((0,), (1,)), ((7,), (7,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1, 4), (3, 1)),
    ((5, 1), (1, 6)), ((2, 3), ()), ((2, 0, 3), (1, 3)), ((33, 65), (33, 65)), ((1,), (4, 1, 2)),
    ((1, 1), (3, 1, 1)), ((129,), (129,)), ((0,), (0,)), ((3, 1, 2), (1, 4, 2)), ((2, 2, 2), (2,)),
)  # fmt: skip


@dataclasses.dataclass
class Case:
    kernel: str
    dtype: str
    detail: str
    inputs: object
    call: object
    # Whether Paddle may give a view in place of a call of the kernel.
    views: bool = True
    # Whether static graphs have no such call.
    eager_only: bool = False
    # Whether Paddle's CPU computes factors in f32, for f64 too.
    narrow: bool = False

    @property
    def name(self):
        return f"{self.kernel}/{self.dtype}/{self.detail}"


def values(kind, shape, seed):
    """Values of a kind: `real`, `positive`, `unit` (-1 … 1), `part` (0 … 1), `whole`, `truth`."""
    random = np.random.default_rng(zlib.crc32(repr((kind, shape, seed)).encode()))
    match kind:
        case "real":
            return random.normal(size=shape) * 2
        case "positive":
            return random.uniform(0.1, 4, size=shape)
        case "above1":
            return random.uniform(1.1, 4, size=shape)
        case "unit":
            return random.uniform(-0.95, 0.95, size=shape)
        case "part":
            return random.uniform(0.05, 0.95, size=shape)
        case "whole":
            return random.integers(1, 9, size=shape).astype("f8")
        case "truth":
            return random.integers(0, 2, size=shape).astype("f8")
    raise ValueError(kind)


def kind_of(dtype, kind):
    if dtype == "bool":
        return "truth"
    return "whole" if dtype in INTS else kind


def ranked(dtype, shape):
    """Numbers of which no two are equal, so that their order is the same in each element type."""
    count = int(np.prod(shape))
    numbers = np.random.default_rng(count).permutation(count).reshape(shape).astype("f8")
    return numbers if dtype in INTS else numbers / 4 - 3


def shown(shape):
    return "x".join(map(str, shape)) or "0-D"


UNARY = {
    "acos": "unit", "acosh": "above1", "asin": "unit", "asinh": "real", "atan": "real",
    "atanh": "unit", "ceil": "real", "cos": "real", "cosh": "real", "erf": "real", "exp": "real",
    "expm1": "real", "floor": "real", "log": "positive", "log10": "positive", "log1p": "positive",
    "log2": "positive", "reciprocal": "positive", "rsqrt": "positive", "sin": "real",
    "sinh": "real", "sqrt": "positive", "tan": "unit", "tanh": "real", "trunc": "real",
}  # fmt: skip
ACTIVATIONS = {
    "celu": lambda x: F.celu(x, 1.3),
    "elu": lambda x: F.elu(x, 0.7),
    "gelu": F.gelu,
    "hard_shrink": F.hardshrink,
    "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish,
    "hardtanh": F.hardtanh,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "logsigmoid": F.log_sigmoid,
    "mish": F.mish,
    "relu6": F.relu6,
    "selu": F.selu,
    "sigmoid": F.sigmoid,
    "silu": F.silu,
    "softplus": lambda x: F.softplus(x, 2, 5),
    "softshrink": F.softshrink,
    "softsign": F.softsign,
    "stanh": paddle.stanh,
    "swish": F.swish,
    "tanh_shrink": F.tanhshrink,
    "thresholded_relu": F.thresholded_relu,
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "softmax": lambda x: F.softmax(x, -1),
}
BINARY = {
    "add": (paddle.add, ALL), "subtract": (paddle.subtract, NUMBERS),
    "multiply": (paddle.multiply, ALL), "divide": (paddle.divide, NUMBERS),
    "maximum": (paddle.maximum, NUMBERS), "minimum": (paddle.minimum, NUMBERS),
    "fmax": (paddle.fmax, NUMBERS), "fmin": (paddle.fmin, NUMBERS),
    "elementwise_pow": (paddle.pow, NUMBERS),
    "floor_divide": (paddle.floor_divide, NUMBERS), "remainder": (paddle.remainder, NUMBERS),
    "atan2": (paddle.atan2, FLOATS), "heaviside": (paddle.heaviside, NUMBERS),
    "equal": (paddle.equal, ALL), "not_equal": (paddle.not_equal, ALL),
    "less_than": (paddle.less_than, ALL), "less_equal": (paddle.less_equal, ALL),
    "greater_than": (paddle.greater_than, ALL), "greater_equal": (paddle.greater_equal, ALL),
    "logical_and": (paddle.logical_and, ALL), "logical_or": (paddle.logical_or, ALL),
    "logical_xor": (paddle.logical_xor, ALL),
    "bitwise_and": (paddle.bitwise_and, ("bool", *INTS)),
    "bitwise_or": (paddle.bitwise_or, ("bool", *INTS)),
    "bitwise_xor": (paddle.bitwise_xor, ("bool", *INTS)),
}  # fmt: skip
REDUCED = {
    "sum": (paddle.sum, ALL), "mean": (paddle.mean, FLOATS), "max": (paddle.max, NUMBERS),
    "min": (paddle.min, NUMBERS), "prod": (paddle.prod, NUMBERS),
    "amax": (paddle.amax, NUMBERS), "amin": (paddle.amin, NUMBERS),
    "all": (paddle.all, ("bool", "f32", "f64", "i32", "i64")),
    "any": (paddle.any, ("bool", "f32", "f64", "i32", "i64")),
    "logsumexp": (paddle.logsumexp, FLOATS),
}  # fmt: skip


def unary_cases():
    for name, kind in UNARY.items():
        yield from each(name, FLOATS, kind, getattr(paddle, name))
    for name, call in ACTIVATIONS.items():
        yield from each(name, FLOATS, "real", call)
    for name in ("abs", "sign", "square"):
        yield from each(name, NUMBERS, "real", getattr(paddle, name))
    yield from each("relu", NUMBERS, "real", F.relu)
    yield from each("round", NUMBERS, "real", paddle.round)
    yield from each("logical_not", ALL, "real", paddle.logical_not)
    yield from each("bitwise_not", ("bool", *INTS), "real", paddle.bitwise_not)
    # u8 has no number below the first bound, and i8 none above the last one.
    for low, high in ((-1, 2), (1, 300)):
        bounded = lambda x, low=low, high=high: paddle.clip(x, low, high)  # noqa: E731
        yield from each("clip", NUMBERS, "real", bounded, f"{low} {high}")
    yield from each("pow", NUMBERS, "positive", lambda x: paddle.pow(x, 3))
    for args in ({}, {"scale": 2.5, "bias": 1.0}, {"scale": 3, "bias_after_scale": False}):
        yield from each("scale", NUMBERS, "real", lambda x, a=args: paddle.scale(x, **a), args)
    for to in ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16",
               "float32", "float64"):  # fmt: skip
        call = lambda x, to=to: paddle.cast(x, to)  # noqa: E731
        yield from each("cast", ALL, "positive", call, to)


def each(kernel, dtypes, kind, call, note=""):
    for dtype, shape in itertools.product(dtypes, SHAPES):
        inputs = lambda d=dtype, s=shape: [values(kind_of(d, kind), s, 1)]  # noqa: E731
        detail = f"{shown(shape)}{f' {note}' if note else ''}"
        yield Case(kernel, dtype, detail, inputs, call)
    for dtype in dtypes[:2]:
        inputs = lambda d=dtype: [values(kind_of(d, kind), (6, 5), 1)]  # noqa: E731
        transposed = lambda x: call(x.t())  # noqa: E731
        yield Case(kernel, dtype, f"transposed {note}", inputs, transposed)


def signed():
    """Every pair of signs, with and without a remainder."""
    pairs = itertools.product((7, -7, 6, -6, 0), (2, -2, 3, -3, 7))
    return list(np.array(list(pairs), "f8").T)


def special():
    """Every pair of special numbers."""
    numbers = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5)
    return list(np.array(list(itertools.product(numbers, numbers))).T)


def binary_cases():
    for name, (call, dtypes) in BINARY.items():
        kind = "positive" if name in ("divide", "elementwise_pow", "floor_divide") else "real"
        kind = "positive" if name == "remainder" else kind
        for dtype, (a, b) in itertools.product(dtypes, PAIRS):
            inputs = lambda d=dtype, a=a, b=b, k=kind: [  # noqa: E731
                values(kind_of(d, k), a, 1),
                values(kind_of(d, k), b, 2),
            ]
            yield Case(name, dtype, f"{shown(a)} {shown(b)}", inputs, call)
        for dtype in dtypes[:2]:
            inputs = lambda d=dtype, k=kind: [  # noqa: E731
                values(kind_of(d, k), (6, 5), 1),
                values(kind_of(d, k), (5, 6), 2),
            ]
            strided = lambda x, y, c=call: c(x.t()[::2], y[::2])  # noqa: E731
            yield Case(name, dtype, "strided", inputs, strided)
            same = lambda x, y, c=call: c(x, x)  # noqa: E731
            yield Case(name, dtype, "one tensor twice", inputs, same)
    for name in ("divide", "floor_divide", "remainder", "maximum", "minimum", "less_than"):
        call, dtypes = BINARY[name]
        for dtype in (own for own in dtypes if own not in ("bool", "u8")):
            yield Case(name, dtype, "signed", signed, call)
    for name in ("maximum", "minimum", "fmax", "fmin", "equal", "less_equal", "add", "multiply"):
        for dtype in FLOATS:
            yield Case(name, dtype, "NaN and inf", special, BINARY[name][0])
    for name, dtype in itertools.product(("add", "subtract", "multiply"), ("f32", "f64", "i64")):
        inputs = lambda d=dtype: [  # noqa: E731
            values(kind_of(d, "real"), (4, 5), 1),
            values(kind_of(d, "real"), (5,), 2),
        ]

        def in_place(x, y, method=f"{name}_"):
            z = x.clone()
            return [getattr(z, method)(y), z]

        yield Case(name, dtype, "in place", inputs, in_place, eager_only=True)


def reduced_cases():
    axes = (None, 0, -1, [0, 1], [1])
    shapes = ((2, 3), (4, 3, 2, 5), (7, 1), (5, 1, 33), (3, 0))
    for name, (call, dtypes) in REDUCED.items():
        # Of an empty row, Paddle's CPU gives bytes that nobody has written.
        own = shapes[:-1] if name in ("amax", "amin") else shapes
        # Sums of positive numbers: a bound relative to the result says nothing where terms cancel.
        kind = "positive" if name in ("sum", "mean") else "real"
        for dtype, shape, axis, keep in itertools.product(dtypes, own, axes, (False, True)):
            inputs = lambda d=dtype, s=shape, k=kind: [values(kind_of(d, k), s, 1)]  # noqa: E731
            reduced = lambda x, c=call, a=axis, k=keep: c(x, axis=a, keepdim=k)  # noqa: E731
            yield Case(name, dtype, f"{shown(shape)} {axis} {keep}", inputs, reduced)
    for name, dtype, axis in itertools.product(("argmax", "argmin"), NUMBERS, (0, 1)):
        inputs = lambda d=dtype: [ranked(d, (5, 7))]  # noqa: E731
        found = lambda x, n=name, a=axis: getattr(paddle, n)(x, axis=a)  # noqa: E731
        yield Case(name, dtype, f"5x7 {axis}", inputs, found)
    for dtype, axis in itertools.product(NUMBERS, (0, 1)):
        inputs = lambda d=dtype: [values(kind_of(d, "real"), (5, 7), 1)]  # noqa: E731
        yield Case("cumsum", dtype, f"5x7 {axis}", inputs, lambda x, a=axis: paddle.cumsum(x, a))
    for dtype, k, largest in itertools.product(NUMBERS, (1, 3), (True, False)):
        inputs = lambda d=dtype: [ranked(d, (4, 9))]  # noqa: E731
        call = lambda x, k=k, g=largest: paddle.topk(x, k, largest=g)  # noqa: E731
        # In static graphs the size of its result is not known before it has run.
        yield Case("topk", dtype, f"4x9 {k} {largest}", inputs, call, eager_only=True)


def moved_cases():
    for dtype in ALL:
        yield from moved(dtype)


def moved(dtype):
    def one(shape):
        return [values(kind_of(dtype, "real"), shape, 1)]

    def two(a, b):
        return [[*one(a), *one(b)]]

    cases = {
        "contiguous": [
            ("transposed", lambda: one((5, 4, 3)), lambda x: x.transpose([2, 0, 1]).contiguous()),
            ("step", lambda: one((9, 4)), lambda x: x[1:8:3].contiguous()),
            ("no rows", lambda: one((4, 6)), lambda x: x[2:2].contiguous()),
            ("no columns", lambda: one((4, 6)), lambda x: x[:, 5:2].contiguous()),
            ("of empty", lambda: one((0, 7)), lambda x: x[:, 1:3].contiguous()),
        ],
        "assign": [(shown(s), lambda s=s: one(s), paddle.assign) for s in SHAPES],
        "concat": [
            ("axis 0", lambda: two((2, 3), (4, 3)), lambda x: paddle.concat(x, 0)),
            ("axis 1", lambda: two((2, 3), (2, 5)), lambda x: paddle.concat(x, -1)),
            ("empty", lambda: two((0, 3), (4, 3)), lambda x: paddle.concat(x, 0)),
        ],
        "stack": [("axis 1", lambda: two((2, 3), (2, 3)), lambda x: paddle.stack(x, 1))],
        "tile": [("2x3", lambda: one((2, 3)), lambda x: paddle.tile(x, [2, 1, 3]))],
        "flip": [("2x3", lambda: one((2, 3)), lambda x: paddle.flip(x, [1]))],
        "roll": [("4x3", lambda: one((4, 3)), lambda x: paddle.roll(x, 2, 0))],
        "tril": [("4x5", lambda: one((4, 5)), lambda x: paddle.tril(x, 1))],
        "triu": [("4x5", lambda: one((4, 5)), lambda x: paddle.triu(x, -1))],
        "full_like": [("2x3", lambda: one((2, 3)), lambda x: paddle.full_like(x, 1))],
        "index_select": [
            (
                "rows",
                lambda: [*one((5, 3)), (np.array([4, 0, 0]), "i64")],
                lambda x, i: paddle.index_select(x, i, 0),
            )
        ],
        "gather": [
            (
                "rows",
                lambda: [*one((5, 3)), (np.array([4, 0, 1]), "i64")],
                lambda x, i: paddle.gather(x, i, 0),
            )
        ],
        "where": [
            (
                "2x3",
                lambda: [(values("truth", (2, 3), 5), "bool"), *one((2, 3)), *one((2, 3))],
                paddle.where,
            )
        ],
    }  # fmt: skip
    for kernel, own in cases.items():
        for detail, inputs, call in own:
            # In static graphs, Paddle runs `assign` on the CPU, and has no `contiguous`.
            only = kernel in ("assign", "contiguous")
            yield Case(kernel, dtype, detail, inputs, call, eager_only=only)

    def add_to_view(x):
        y = x.clone()
        view = y.t()
        view.add_(view.clone())
        return y

    yield Case("strided_copy", dtype, "view", lambda: one((5, 3)), add_to_view, eager_only=True)


def product_cases():
    shapes = (
        ((2, 3), (3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((5, 2, 3), (3, 1)),
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2, 1, 4, 3), (5, 3, 2)),
        ((1, 4, 3), (2, 5, 3, 2)),
    )
    for dtype, (a, b) in itertools.product(FLOATS, shapes):
        inputs = lambda a=a, b=b: [values("real", a, 1), values("real", b, 2)]  # noqa: E731
        yield Case("matmul", dtype, f"{shown(a)} {shown(b)}", inputs, paddle.matmul)
    for dtype, x, y in itertools.product(FLOATS, (False, True), (False, True)):
        inputs = lambda: [values("real", (4, 4), 1), values("real", (4, 4), 2)]  # noqa: E731
        call = lambda a, b, x=x, y=y: paddle.matmul(a, b, x, y)  # noqa: E731
        yield Case("matmul", dtype, f"4x4 {x} {y}", inputs, call)
    for dtype in FLOATS:
        batch = lambda: [values("real", (3, 2, 4), 1), values("real", (3, 4, 5), 2)]  # noqa: E731
        yield Case("bmm", dtype, "3x2x4", batch, paddle.bmm)
        square = lambda: [values("real", (3, 3), i) for i in range(3)]  # noqa: E731
        yield Case("addmm", dtype, "3x3", square, lambda a, b, c: paddle.addmm(a, b, c, 0.5, 2.0))


def cases():
    """All cases, in a fixed order."""
    yield from unary_cases()
    yield from binary_cases()
    yield from reduced_cases()
    yield from moved_cases()
    yield from product_cases()
