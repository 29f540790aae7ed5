"""Reductions, running sums, sorting and searching."""

import numpy as np
import paddle

from ..call import Call
from . import INTS, PADDLE_2, SMALL, draws

REDUCE = "sum mean max min prod amax amin all any logsumexp nansum nanmean std var count_nonzero"


@draws(*REDUCE.split())
def reduce(r, name):
    if name in ("all", "any"):
        dtype = r.any_dtype()
    elif name in ("sum", "max", "min", "prod", "amax", "amin"):
        dtype = r.dtype(*INTS, *(SMALL if r.chance(0.3) else ()), *(["bool"] * (name == "sum")))
    else:
        dtype = r.dtype(*(INTS if name == "count_nonzero" else ()))
    # Paddle's extremes of no elements are memory that nothing wrote, and ∞ − ∞ within logsumexp.
    extreme = name in ("max", "min", "amax", "amin")
    finite = name == "logsumexp" or extreme and PADDLE_2
    x = r.array(r.shape(empty=0 if extreme else 0.04), dtype, special=0 if finite else 0.2)
    axis = r.one(None, r.axis(x.ndim), r.axes(x.ndim), [])
    if axis is not None and name in ("sum", "max", "min") and r.chance(0.2):
        axis = r.given(axis, r.one(*INTS), 1)
    options = {"keepdim": r.chance(0.5)}
    if name in ("sum", "prod") and x.size and r.chance(0.3):
        options["dtype"] = r.one("float32", "float64", *INTS)
    if name in ("std", "var"):
        options["unbiased"] = r.chance(0.5)
    return Call(getattr(paddle, name), x, axis, **options)


@draws("argmax", "argmin")
def arg_reduce(r, name):
    x = r.array(r.shape(empty=0), r.dtype(*INTS, *SMALL))
    if r.chance(0.3):
        x = np.asarray(np.round(x)).astype(x.dtype)
    axis = r.one(None, r.axis(x.ndim))
    axis = axis if axis is None else r.given(axis, "int64", 0.15)
    return Call(getattr(paddle, name), x, axis, r.chance(0.5), r.one(*INTS))


@draws("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")
def scan(r, name):
    # `logcumsumexp` subtracts infinities from each other.
    x = r.array(r.shape(), r.dtype(*INTS), special=0 if name == "logcumsumexp" else 0.15)
    axis = r.one(None, r.axis(x.ndim), r.axis(x.ndim))
    if name == "cumprod":
        return Call(paddle.cumprod, x, axis, r.one(None, None, "float64"))
    if name in ("cummax", "cummin"):
        return Call(getattr(paddle, name), x, axis, r.one(*INTS))
    if name == "logcumsumexp" and x.dtype.kind != "f":
        x = x.astype("float32")
    dtype = r.one(None, None, "float32", "float64", "int64") if name == "cumsum" else None
    if axis is not None and name == "cumsum":
        axis = r.given(axis, r.one(*INTS), 0.2)
    return Call(getattr(paddle, name), x, axis, dtype)


def middle(x, axes, keepdim, mode):
    return paddle._C_ops.median(x, axes, keepdim, mode)[0]


@draws("argsort", "sort", "topk", "kthvalue", "mode", "median", "nanmedian", "quantile")
def order(r, name):
    x = r.array(r.shape(empty=0), r.dtype(*INTS), special=0.15)
    axis = r.axis(x.ndim)
    length = x.shape[axis] if x.ndim else 1
    if name in ("topk", "kthvalue", "mode"):
        # Which of equal elements comes first is not defined.
        x = np.asarray(r.rng.permutation(x.size).reshape(x.shape)).astype(x.dtype)
    if name in ("argsort", "sort"):
        more = {"stable": True} if r.chance(0.5) or name == "argsort" else {}
        return Call(getattr(paddle, name), x, axis, r.chance(0.5), **more)
    if name == "topk":
        k = r.given(r.int(1, length), r.one(*INTS), 0.3)
        return Call(paddle.topk, x, k, axis, r.chance(0.5), r.chance(0.8))
    if name == "kthvalue":
        return Call(paddle.kthvalue, x, r.int(1, length), axis, r.chance(0.5))
    if name == "mode":
        return Call(paddle.mode, x, axis, r.chance(0.5))
    if name == "quantile":
        x = r.array(x.shape, r.dtype(), special=0)
        return Call(paddle.quantile, x, r.one(0.5, 0.3, [0.1, 0.9]), axis, r.chance(0.5))
    axis = r.one(None, axis)
    if name == "median" and x.dtype.kind == "i" and not PADDLE_2:
        # `paddle.median` makes floats of integers first; the op itself does not.
        axes = [] if axis is None else [axis]
        return Call(middle, x, axes, r.chance(0.5), r.one("avg", "min"))
    if name == "median":
        return Call(paddle.median, x, axis, r.chance(0.5), mode=r.one("avg", "min"))
    return Call(paddle.nanmedian, x, axis, r.chance(0.5))


@draws("searchsorted", "bucketize", "unique", "nonzero", "masked_select", "bincount", "histogram")
def search(r, name):
    if name in ("searchsorted", "bucketize"):
        dtype = r.dtype(*INTS)
        rows = r.shape(0, 2, 0) if name == "searchsorted" else []
        ordered = np.sort(r.array([*rows, r.int(1, 6)], dtype, special=0), axis=-1)
        values = r.array([*rows, r.int(1, 5)], dtype)
        if name == "bucketize" or not rows:
            values = r.array(r.shape(0, 3), dtype)
        args = (ordered, values) if name == "searchsorted" else (values, ordered)
        return Call(getattr(paddle, name), *args, out_int32=r.chance(0.5), right=r.chance(0.5))
    if name == "unique":
        x = r.array(r.shape(0, 3, 0), r.dtype(*INTS), -2, 2, special=0)
        x = np.asarray(np.round(x)).astype(x.dtype)
        more = {f"return_{part}": r.chance(0.5) for part in ("index", "inverse", "counts")}
        # Axes from the end kill Paddle's process.
        axis = r.one(None, r.axis(x.ndim) % x.ndim) if x.ndim else None
        return Call(paddle.unique, x, axis=axis, dtype=r.one(*INTS), **more)
    if name == "nonzero":
        return Call(paddle.nonzero, r.array(r.shape(), r.any_dtype(), -1, 1), r.chance(0.3))
    if name == "masked_select":
        shape = r.shape()
        return Call(paddle.masked_select, r.array(shape, r.any_dtype()), r.array(shape, "bool"))
    if name == "bincount":
        x = r.array([r.int(1, 9)], r.one(*INTS), 0, 6, special=0)
        return Call(paddle.bincount, x, minlength=r.int(0, 9))
    x = r.array(r.shape(1), r.dtype(*INTS), special=0)
    return Call(paddle.histogram, x, r.int(1, 6), r.one(0, -2), r.one(0, 3))


@draws("norm", "dist", "p_norm", "vector_norm", "matrix_norm")
def norm(r, name):
    dtype = r.dtype()
    powers = (0, 1, 2, 2.0, 3.0, 0.5, np.inf, -np.inf, -1, 4)
    if name == "dist":
        shape = r.shape()
        x, y = r.array(shape, dtype, special=0.1), r.array(r.broadcast(shape), dtype, special=0)
        return Call(paddle.dist, x, y, r.one(*powers))
    x = r.array(r.shape(1), dtype, special=0.1)
    keep = r.chance(0.5)
    if name == "matrix_norm":
        x = r.array(r.shape(2, 4, 0), dtype, special=0)
        axis = r.axes(x.ndim, 2)[:2]
        p = r.one("fro", 1, -1, np.inf, -np.inf)
        return Call(paddle.linalg.norm, x, p, axis, keep)
    if name == "norm":
        axis = r.one(None, r.axis(x.ndim))
        return Call(paddle.linalg.norm, x, r.one(*powers), axis, keep)
    if name == "vector_norm":
        axis = r.one(None, r.axis(x.ndim), r.axes(x.ndim))
        return Call(paddle.linalg.vector_norm, x, r.one(*powers), axis, keep)
    return Call(paddle.linalg.norm, x, r.one(*powers), [r.axis(x.ndim)], keep)
