"""Ops that work on single elements."""

import numpy as np
import paddle
import paddle.nn.functional as F

from ..call import Call
from . import FLOATS, INTS, PADDLE_2, SMALL, draws

UNARY = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh erf exp expm1 floor log log10 log1p log2 "
    "logit neg reciprocal round rsqrt sigmoid sign sin sinh sqrt square stanh tan tanh trunc "
    "isfinite isinf isnan bitwise_not logical_not nan_to_num digamma lgamma frac rad2deg deg2rad "
    "angle i0 positive signbit"
).split()


@draws(*UNARY)
def unary(r, name):
    dtype = r.any_dtype()
    if name == "bitwise_not":
        dtype = r.one(*INTS, *SMALL, "bool")
    # Paddle truncates integers as floats: the largest ones overflow.
    more = {"special": 0} if name == "trunc" else {}
    x = r.array(r.shape(), dtype, *r.one((-4, 4), (-1, 1), (0, 3), (-100, 100)), **more)
    return Call(getattr(paddle, name), x)


@draws("nan_to_num_attrs", "round_decimals", "logit_eps", "stanh_attrs", "clip", "scale")
def unary_attrs(r, name):
    x = r.array(r.shape(), r.dtype(*(INTS if name in ("clip", "scale") else ())))
    if name == "nan_to_num_attrs":
        return Call(paddle.nan_to_num, x, r.float(-2, 2), r.float(1, 9), r.float(-9, 1))
    if name == "round_decimals":
        return Call(paddle.round, x * 10, decimals=r.int(-2, 3))
    if name == "logit_eps":
        return Call(paddle.logit, x, eps=r.one(0.0, 0.1, 0.25, 1e-6))
    if name == "stanh_attrs":
        return Call(paddle.stanh, x, r.float(-1, 2), r.float(-2, 3))
    if name == "clip":
        low = r.one(None, r.int(-3, 0), r.float(-3, 0))
        high = r.one(None, r.int(0, 3), r.float(0, 3), np.inf)
        kind = str(x.dtype)
        low = None if low is None else r.given(low, kind, 0.3)
        high = None if high is None else r.given(high, kind, 0.3)
        return Call(paddle.clip, x, low, high)
    scale = r.one(r.float(-3, 3), r.int(-3, 3))
    scale = r.given(scale, "float32", 0.2)
    bias = r.one(0.0, r.float(-2, 2), float(r.int(-3, 3)))
    return Call(paddle.scale, x, scale, bias, r.chance(0.5), r.one(None, None, "relu", "tanh"))


ACTIVATIONS = {
    "celu": lambda r: {"alpha": r.one(1.0, 0.3, -0.5, 2.5)},
    "elu": lambda r: {"alpha": r.one(1.0, 0.3, -0.5, 2.5)},
    "gelu": lambda r: {"approximate": r.chance(0.5)},
    "hardshrink": lambda r: {"threshold": r.one(0.5, 0.0, 1.0, 2.0, -1.0)},
    "hardsigmoid": lambda r: {"slope": r.float(0, 1), "offset": r.float(-1, 1)},
    "hardswish": lambda r: {},
    "hardtanh": lambda r: {"min": r.float(-2, 0), "max": r.float(0, 2)},
    "leaky_relu": lambda r: {"negative_slope": r.one(0.01, 0.5, -0.5, 2.0, 0.0)},
    "log_sigmoid": lambda r: {},
    "mish": lambda r: {},
    "relu": lambda r: {},
    "relu6": lambda r: {},
    "selu": lambda r: {"scale": r.float(1.01, 2), "alpha": r.float(0, 2)},
    "silu": lambda r: {},
    "softplus": lambda r: {"beta": r.one(1, 0.5, 2.5, -1.0), "threshold": r.one(20, 1.0, 3.0)},
    "softshrink": lambda r: {"threshold": r.one(0.5, 0.0, 1.0, 2.0)},
    "softsign": lambda r: {},
    "swish": lambda r: {},
    "tanhshrink": lambda r: {},
    "thresholded_relu": lambda r: {"threshold": r.one(1.0, 0.0, -1.0, 2.0)},
}


@draws(*ACTIVATIONS)
def activation(r, name):
    # Of infinities and NaN, these give products with masks of 0 (`docs/paddle.md`).
    odd = name in ("relu", "log_sigmoid", "softshrink", "thresholded_relu")
    odd = odd or PADDLE_2 and name == "leaky_relu"
    x = r.array(r.shape(), r.dtype(), *r.one((-4, 4), (-30, 30)), special=0 if odd else 0.25)
    return Call(getattr(F, name), x, **ACTIVATIONS[name](r))


@draws("softmax", "log_softmax", "glu", "maxout", "prelu", "rrelu", "swiglu", "normalize")
def over_axis(r, name):
    if name in ("softmax", "log_softmax"):
        x = r.array(r.shape(), r.dtype(*(INTS if r.chance(0.1) else ())), special=0.15)
        dtype = r.one(None, None, None, "float32", "float64")
        return Call(getattr(F, name), x, r.axis(x.ndim), dtype)
    if name == "glu":
        shape = r.shape(1)
        axis = r.axis(len(shape))
        shape[axis] = 2 * r.int(1, 3)
        return Call(F.glu, r.array(shape, r.dtype()), axis)
    if name == "maxout":
        shape = r.shape(3, 5)
        axis = r.one(1, -1, len(shape) - 1, -len(shape) + 1)
        groups = r.int(1, 3)
        shape[axis] = groups * r.int(1, 3)
        return Call(F.maxout, r.array(shape, r.dtype()), groups, axis)
    if name == "prelu":
        shape = r.shape(2, 5)
        form = r.one("NCHW", "NHWC")
        channels = shape[1 if form == "NCHW" else -1]
        weight = r.array([r.one(1, channels)], special=0)
        return Call(F.prelu, r.array(shape), weight, form)
    if name == "rrelu":
        x = r.array(r.shape(), r.dtype())
        return Call(F.rrelu, x, r.float(0, 0.3), r.float(0.3, 0.9), training=False)
    if name == "swiglu":
        from paddle.incubate.nn.functional import swiglu

        shape = r.shape(1)
        shape[-1] = 2 * r.int(1, 3)
        x = r.array(shape, r.dtype(), special=0)
        return Call(swiglu, x) if r.chance(0.5) else Call(swiglu, x, r.array(shape, x.dtype))
    x = r.array(r.shape(1), r.dtype(), special=0.1)
    p = r.one(2, 1, 3.0, 0.5, np.inf)
    return Call(F.normalize, x, p, r.axis(x.ndim), r.one(1e-12, 0.1))


BINARY = (
    "add subtract multiply divide maximum minimum fmax fmin pow remainder floor_divide mod "
    "floor_mod atan2 hypot heaviside copysign nextafter ldexp logaddexp"
).split()
EXTREMES = ("minimum", "maximum", "fmin", "fmax", "heaviside")
COMPARE = "equal not_equal less_than less_equal greater_than greater_equal".split()
LOGIC = "logical_and logical_or logical_xor".split()
BITS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm".split()


def pair(r, dtype, special=0.25):
    shape = r.shape()
    x, y = r.array(shape, dtype, special=special), r.array(r.broadcast(shape), dtype)
    return (x, y) if r.chance(0.5) else (y, x)


@draws(*BINARY)
def binary(r, name):
    dtype = r.dtype(*INTS, *SMALL)
    x, y = pair(r, dtype)
    if PADDLE_2 and name in EXTREMES:
        # NaN is taken or left by its place, limits of integers pass through floats, and `heaviside`
        # swaps operands that it broadcasts.
        shape = np.broadcast_shapes(x.shape, y.shape)
        x, y = r.array(shape, dtype, special=0), r.array(shape, dtype, special=0)
    if np.dtype(dtype).kind in "iu":
        if name in ("remainder", "floor_divide", "mod", "floor_mod", "divide"):
            y = np.asarray(np.where(y == 0, np.array(3, dtype), y))
            if x.size and x.min() == np.iinfo(dtype).min:
                y = np.asarray(np.where(y == np.array(-1).astype(dtype), np.array(2, dtype), y))
        if name in ("pow", "ldexp"):
            y = np.abs(r.array(y.shape, dtype, 0, 5, special=0))
    if r.chance(0.15) and name in ("add", "subtract", "multiply", "divide", "pow"):
        number = r.one(r.int(-3, 3) or 1, r.float(0.5, 3))
        if np.dtype(dtype).kind != "f":
            number = abs(int(number)) + 1
        functions = {
            "add": lambda x, n: x + n,
            "subtract": lambda x, n: n - x,
            "multiply": lambda x, n: x * n,
            "divide": lambda x, n: x / n,
            "pow": lambda x, n: x**n,
        }
        return Call(functions[name], x, number)
    return Call(getattr(paddle, name), x, y)


@draws(*COMPARE)
def compare(r, name):
    return Call(getattr(paddle, name), *pair(r, r.any_dtype()))


@draws(*LOGIC)
def logic(r, name):
    return Call(getattr(paddle, name), *pair(r, r.any_dtype()))


@draws(*BITS)
def bits(r, name):
    dtype = r.one(*INTS, *SMALL, "bool")
    if name in ("gcd", "lcm"):
        shape, dtype = r.shape(), r.one(*INTS)
        x = r.array(shape, dtype, 0 if name == "lcm" else -9, 12, special=0)
        # The loop that Paddle 2 writes needs operands of one shape.
        y = r.array(shape if PADDLE_2 else r.broadcast(shape), dtype, 1, 12, special=0)
        return Call(getattr(paddle, name), x, y)
    if "shift" in name:
        dtype = r.one(*INTS, *SMALL)
        x, y = pair(r, dtype)
        y = r.array(y.shape, dtype, *r.one((0, 7), (0, 7), (-3, 70)), special=0)
        return Call(getattr(paddle, name), x, y, is_arithmetic=r.chance(0.6))
    return Call(getattr(paddle, name), *pair(r, dtype))


@draws("cast")
def cast(r):
    x = r.array(r.shape(), r.any_dtype(), *r.one((-4, 4), (0, 200), (-300, 300)), special=0.1)
    if x.dtype.kind == "f":
        # What an integer type cannot hold is undefined.
        x = np.asarray(np.clip(np.nan_to_num(x), -100, 100), x.dtype)
    to = r.one(*FLOATS, *INTS, *SMALL, "bool", "float16", "bfloat16")
    if to == "uint8" and x.dtype.kind == "f":
        x = np.abs(x)
    if to in ("float16", "bfloat16"):
        return Call(lambda x, to: paddle.cast(paddle.cast(x, to), "float32"), x, to)
    return Call(paddle.cast, x, to)


@draws("isclose", "allclose", "equal_all", "where", "lerp", "multiplex", "add_n", "masked_fill")
def several(r, name):
    dtype = r.dtype()
    if name in ("isclose", "allclose"):
        x, _ = pair(r, dtype)
        y = np.asarray(x + r.array(x.shape, dtype, -1, 1, special=0) * r.one(0, 1e-9, 1e-5, 0.1))
        return Call(getattr(paddle, name), x, y, r.one(1e-5, 0.01), r.one(1e-8, 0.1), r.chance(0.5))
    if name == "equal_all":
        x = r.array(r.shape(), r.any_dtype())
        return Call(paddle.equal_all, x, r.one(x.copy(), r.array(x.shape, x.dtype)))
    if name == "where":
        x, y = pair(r, r.any_dtype())
        shape = r.one(x.shape, y.shape, np.broadcast_shapes(x.shape, y.shape))
        return Call(paddle.where, r.array(shape, "bool"), x, y)
    if name == "lerp":
        x, y = pair(r, dtype)
        weight = r.one(r.float(0, 1), r.array(r.one(x.shape, [1]), dtype))
        return Call(paddle.lerp, x, y, weight)
    if name == "multiplex":
        shape = r.shape(2, 4, 0)
        many = r.int(1, 4)
        index = r.array([shape[0], 1], r.one(*INTS), 0, many - 1, special=0)
        return Call(paddle.multiplex, [r.array(shape, dtype) for _ in range(many)], index)
    if name == "add_n":
        shape, dtype = r.shape(empty=0), r.dtype(*INTS)
        return Call(paddle.add_n, [r.array(shape, dtype) for _ in range(r.int(1, 4))])
    shape = r.shape()
    x = r.array(shape, r.dtype(*INTS, "bool"))
    value = r.one(r.int(0, 1), r.array([], x.dtype, 0, 3, special=0))
    return Call(paddle.masked_fill, x, r.array(r.broadcast(shape), "bool"), value)
