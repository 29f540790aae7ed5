"""Calls that must be refused, drawn by a seed."""

import dataclasses

import numpy as np
import paddle
import paddle.nn.functional as F

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int8", "uint8", "int16", "int32", "int64", "bool")
COMPLEX = ("complex64", "complex128")
#: Bytes that no machine has.
HUGE = 1 << 46

BINARY = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "pow",
    "floor_divide", "remainder", "atan2", "heaviside", "equal", "not_equal", "less_than",
    "less_equal", "greater_than", "greater_equal", "logical_and", "logical_or", "logical_xor",
)  # fmt: skip
UNARY = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp",
    "expm1", "floor", "log", "log10", "log1p", "log2", "reciprocal", "round", "rsqrt", "sign",
    "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "isnan", "isinf", "isfinite",
)  # fmt: skip
ACTIVATIONS = (
    "celu", "elu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "log_sigmoid", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "softplus", "softshrink",
    "softsign", "swish", "tanhshrink", "thresholded_relu", "softmax", "log_softmax",
)  # fmt: skip
REDUCTIONS = (
    "sum", "mean", "max", "min", "prod", "amax", "amin", "logsumexp", "all", "any", "argmax",
    "argmin", "cumsum", "cumprod", "logcumsumexp", "sort", "argsort",
)  # fmt: skip


@dataclasses.dataclass
class Call:
    """A call of a function on arrays; one of `shape`, `attribute`, `dtype` or `memory` is wrong."""

    kind: str
    name: str
    #: Arrays, each with the element type of its tensor.
    arrays: list
    call: object

    @property
    def title(self):
        shapes = " ".join(f"{dtype}{list(array.shape)}" for array, dtype in self.arrays)
        return f"{self.kind}/{self.name}/{shapes}"


class Draws:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def size(self, low=2, high=6):
        return int(self.random.integers(low, high))

    def shape(self, rank=None):
        rank = self.size(1, 5) if rank is None else rank
        return tuple(self.size() for _ in range(rank))

    def array(self, shape, dtype="float32"):
        return np.ones(shape, np.float32), dtype

    def wrong_axis(self, rank):
        """An axis that a tensor of this rank does not have."""
        beyond = int(self.random.integers(0, 4))
        return rank + beyond if self.random.random() < 0.5 else -rank - 1 - beyond

    def clash(self, shape):
        """A shape that cannot be broadcast with this one: one axis has another length above 1."""
        other = list(shape)
        axis = int(self.random.integers(0, len(shape)))
        other[axis] += 1 + int(self.random.integers(0, 3))
        return tuple(other)

    def choice(self, options):
        return options[int(self.random.integers(0, len(options)))]


def shapes(draw, count):
    """Operands that do not fit together."""
    for name in BINARY:
        for _ in range(count):
            x = draw.shape()
            dtype = "bool" if name.startswith("logical") else draw.choice(FLOATS[:2])
            arrays = [draw.array(x, dtype), draw.array(draw.clash(x), dtype)]
            yield Call("shape", name, arrays, getattr(paddle, name))
    for _ in range(count):
        a, b, c, d = (draw.size() for _ in range(4))
        f = draw.array
        rest = (
            ("matmul", [f((a, b)), f((b + 1, c))], paddle.matmul),
            ("bmm", [f((a, b, c)), f((a, c + 1, d))], paddle.bmm),
            ("bmm", [f((a, b, c)), f((a + 1, c, d))], paddle.bmm),
            ("mv", [f((a, b)), f((b + 2,))], paddle.mv),
            ("dot", [f((a,)), f((a + 1,))], paddle.dot),
            ("addmm", [f((a, c)), f((a, b)), f((b + 1, c))], paddle.addmm),
            ("concat", [f((a, b)), f((a, b + 1))], lambda x, y: paddle.concat([x, y], axis=0)),
            ("stack", [f((a, b)), f((a, b + 1))], lambda x, y: paddle.stack([x, y])),
            ("reshape", [f((a, b))], lambda x, n=a * b + 1: paddle.reshape(x, [n])),
            ("expand", [f((a, b))], lambda x, n=b + 1: paddle.expand(x, [1, n])),
            ("where", [f((a,), "bool"), f((a + 1,)), f((a + 1,))], paddle.where),
            ("masked_fill", [f((a, b)), f((a + 1, b), "bool")],
             lambda x, mask: paddle.masked_fill(x, mask, 1.0)),
            ("conv2d", [f((1, a, 8, 8)), f((b, a + 1, 3, 3))], F.conv2d),
            ("conv2d rank", [f((a, 8, 8)), f((b, a, 3, 3))], F.conv2d),
            ("conv3d", [f((1, a, 5, 5, 5)), f((b, a + 1, 3, 3, 3))], F.conv3d),
            ("conv2d_transpose", [f((1, a, 8, 8)), f((a + 1, b, 3, 3))], F.conv2d_transpose),
            ("conv2d groups", [f((1, a + 1, 8, 8)), f((2, a, 3, 3))],
             lambda x, w, n=a: F.conv2d(x, w, groups=n)),
            ("linear", [f((a, b)), f((b + 1, c))], F.linear),
            ("embedding", [f((a,), "int64"), f((a, b, c))], F.embedding),
            ("prelu", [f((1, a, 3, 3)), f((a + 1,))], F.prelu),
            ("layer_norm", [f((a, b))], lambda x, n=b + 1: F.layer_norm(x, [n])),
            ("group_norm", [f((1, a, 4, 4))], lambda x, n=a + 1: F.group_norm(x, n)),
            ("kron rank", [f(()), f((a,))], paddle.bmm),
            ("pixel_shuffle", [f((1, 4 * a + 1, 3, 3))], lambda x: F.pixel_shuffle(x, 2)),
            ("max_pool2d", [f((a, b))], lambda x: F.max_pool2d(x, 2)),
            ("avg_pool2d", [f((a, b, c))], lambda x: F.avg_pool2d(x, 2)),
            ("interpolate", [f((a, b, c, d))], lambda x: F.interpolate(x, [2], mode="linear")),
            ("index_select", [f((a, b)), f((2, 2, 2), "int64")], paddle.index_select),
            ("take_along_axis", [f((a, b)), f((a,), "int64")],
             lambda x, at: paddle.take_along_axis(x, at, 0, False)),
            ("multiplex", [f((a, b)), f((a, b + 1)), f((a, 1), "int32")],
             lambda x, y, at: paddle.multiplex([x, y], at)),
            ("tril", [f((a,))], paddle.tril),
            ("trace", [f((a,))], paddle.trace),
            ("grid_sample", [f((a, 2, 4, 4)), f((a, 3, 3, 3))], F.grid_sample),
            ("batch_norm", [f((2, a, 3, 3)), f((a + 1,)), f((a + 1,))], F.batch_norm),
        )  # fmt: skip
        for name, arrays, call in rest:
            yield Call("shape", name, arrays, call)


def attributes(draw, count):
    """Axes that are not there, and other numbers that no tensor of this shape allows."""
    for name in REDUCTIONS:
        for _ in range(count):
            x = draw.shape()
            axis = draw.wrong_axis(len(x))
            dtype = "bool" if name in ("all", "any") else "float32"
            function = getattr(paddle, name)
            if name == "cumprod":
                call = lambda t, a=axis: paddle.cumprod(t, dim=a)  # noqa: E731
            else:
                call = lambda t, f=function, a=axis: f(t, axis=a)  # noqa: E731
            yield Call("attribute", f"{name} axis={axis}", [draw.array(x, dtype)], call)
    for _ in range(count):
        x = draw.shape()
        axis = draw.wrong_axis(len(x))
        for name, call in with_attributes(x, axis):
            yield Call("attribute", f"{name} {axis}", [draw.array(x)], call)


def with_attributes(x, axis):
    """Calls on a tensor of shape `x`, which does not have this axis."""
    rank = len(x)
    perm = [*range(rank - 1), rank + 1]
    return (
        ("softmax", lambda t: F.softmax(t, axis=axis)),
        ("log_softmax", lambda t: F.log_softmax(t, axis=axis)),
        ("transpose", lambda t: paddle.transpose(t, perm)),
        ("transpose short", lambda t: paddle.transpose(t, [*range(rank + 1)])),
        ("unsqueeze", lambda t: paddle.unsqueeze(t, rank + 3)),
        ("squeeze", lambda t: paddle.squeeze(t, axis)),
        ("split", lambda t: paddle.split(t, x[0] + 1, axis=0)),
        ("split axis", lambda t: paddle.split(t, 1, axis=axis)),
        ("unbind", lambda t: paddle.unbind(t, axis)),
        ("flip", lambda t: paddle.flip(t, [axis])),
        ("roll", lambda t: paddle.roll(t, 1, axis)),
        ("topk", lambda t: paddle.topk(t, x[-1] + 1)),
        ("topk axis", lambda t: paddle.topk(t, 1, axis=axis)),
        ("kthvalue", lambda t: paddle.kthvalue(t, x[-1] + 2)),
        ("concat axis", lambda t: paddle.concat([t, t], axis=axis)),
        ("stack axis", lambda t: paddle.stack([t, t], axis=rank + 2)),
        ("reshape two", lambda t: paddle.reshape(t, [-1, -1])),
        ("tile", lambda t: paddle.tile(t, [-2])),
        ("expand", lambda t: paddle.expand(t, [n + 1 for n in x])),
        ("diagonal", lambda t: paddle.diagonal(paddle.unsqueeze(t, 0), 0, 0, 0)),
        ("flatten", lambda t: paddle.flatten(t, rank + 1, rank + 2)),
        ("clip", lambda t: paddle.clip(t, "a", 1)),
        ("one_hot", lambda t: F.one_hot(t.astype("int64"), -1)),
        ("dropout", lambda t: F.dropout(t, 1.5)),
        ("pad", lambda t: F.pad(t, [1, 2, 3])),
        ("slice", lambda t: paddle.slice(t, [axis], [0], [1])),
        ("strided_slice", lambda t: paddle.strided_slice(t, [0], [0], [1], [0])),
        ("repeat_interleave", lambda t: paddle.repeat_interleave(t, 2, axis)),
        ("take_along_axis", lambda t: paddle.take_along_axis(t, t.astype("int64"), axis)),
        ("chunk", lambda t: paddle.chunk(t, x[0] + 1)),
        ("layer_norm", lambda t: F.layer_norm(t, [])),
        ("gumbel", lambda t: paddle.linspace("a", 1, 2)),
    )


def dtypes(draw, count):
    """Element types that kernels do not have."""
    for name in (*UNARY, *ACTIVATIONS):
        function = getattr(paddle, name, None) or getattr(F, name)
        for dtype in (*INTEGERS, *COMPLEX):
            for _ in range(count):
                yield Call("dtype", name, [draw.array(draw.shape(), dtype)], function)
    for name in (*BINARY, *REDUCTIONS):
        function = getattr(paddle, name)
        many = 2 if name in BINARY else 1
        call = (lambda t: paddle.cumprod(t, dim=0)) if name == "cumprod" else function
        for dtype in (*COMPLEX, "bool", "uint8"):
            for _ in range(count):
                arrays = [draw.array(draw.shape(), dtype)] * many
                yield Call("dtype", name, arrays, call)
    for dtype in (*INTEGERS, *COMPLEX):
        for _ in range(count):
            for name, arrays, call in of_dtype(draw, dtype):
                yield Call("dtype", name, arrays, call)


def of_dtype(draw, dtype):
    """Calls of functions with several operands or attributes."""
    a, b = draw.size(), draw.size()

    def f(*shape):
        return draw.array(shape, dtype)

    return (
        ("matmul", [f(a, b), f(b, a)], paddle.matmul),
        ("bmm", [f(1, a, b), f(1, b, a)], paddle.bmm),
        ("conv2d", [f(1, a, 5, 5), f(b, a, 3, 3)], F.conv2d),
        ("max_pool2d", [f(1, a, 6, 6)], lambda x: F.max_pool2d(x, 2)),
        ("avg_pool2d", [f(1, a, 6, 6)], lambda x: F.avg_pool2d(x, 2)),
        ("layer_norm", [f(a, b)], lambda x, n=b: F.layer_norm(x, [n])),
        ("group_norm", [f(1, a, 4, 4)], lambda x, n=a: F.group_norm(x, n)),
        ("interpolate", [f(1, a, 4, 4)],
         lambda x: F.interpolate(x, [8, 8], None, "bilinear")),
        ("pixel_shuffle", [f(1, 4, 3, 3)], lambda x: F.pixel_shuffle(x, 2)),
        ("p_norm", [f(a, b)], lambda x: paddle.norm(x, 2)),
        ("lerp", [f(a), f(a), f(a)], paddle.lerp),
        ("topk", [f(a, b)], lambda x: paddle.topk(x, 1)),
        ("clip", [f(a, b)], lambda x: paddle.clip(x, 0, 1)),
    )  # fmt: skip


def memory(draw, count):
    """Results that are larger than any machine's memory."""
    for _ in range(count):
        wide = HUGE >> draw.size(0, 3)
        side = 1 << 22
        calls = (
            ("zeros", [], lambda n=wide: paddle.zeros([n], "float32")),
            ("ones", [], lambda n=wide: paddle.ones([n], "int64")),
            ("full", [], lambda n=wide: paddle.full([2, n], 1.5, "float64")),
            ("empty", [], lambda n=wide: paddle.empty([n, 3], "float16")),
            ("add", [draw.array((side, 1)), draw.array((1, side))], paddle.add),
            ("less_than", [draw.array((side, 1)), draw.array((1, side, 1))],
             lambda x, y: paddle.less_than(x, y.transpose([0, 2, 1]).expand([64, 1, -1]))),
            ("matmul", [draw.array((side, 1)), draw.array((1, side))], paddle.matmul),
            ("tile", [draw.array((1 << 12,))], lambda x: paddle.tile(x, [1 << 30, 1])),
            ("expand", [draw.array((1,))], lambda x: paddle.expand(x, [1 << 44]) + 1.0),
        )  # fmt: skip
        for name, arrays, call in calls:
            yield Call("memory", name, arrays, call)


def calls(seed):
    """All calls of a seed."""
    draw = Draws(seed)
    yield from shapes(draw, 28)
    yield from attributes(draw, 32)
    yield from dtypes(draw, 2)
    yield from memory(draw, 4)
