"""Ops that move, repeat and make elements."""

import numpy as np
import paddle
import paddle.nn.functional as F

from ..call import Call, Const
from . import FLOATS, INTS, SMALL, draws


def whole(r, values, share=0.3):
    """A list of integers, at times as a vector, or with tensors among its items."""
    if r.chance(share):
        return r.given(values, r.one(*INTS), 1)
    if values and r.chance(0.2):
        items = list(values)
        items[r.int(0, len(items) - 1)] = np.asarray(r.one(*items), "int64")
        at = next(i for i, item in enumerate(items) if isinstance(item, np.ndarray))
        items[at] = np.asarray(values[at], r.one("int64", "int32")).reshape(r.one([], [1]))
        return items
    return values


@draws("reshape", "flatten", "squeeze", "unsqueeze", "transpose", "view", "atleast", "unflatten")
def dims(r, name):
    x = r.array(r.shape(), r.any_dtype())
    if name == "reshape":
        parts, left = [], x.size
        while left > 1 and len(parts) < 4:
            part = r.one(*[n for n in range(1, left + 1) if left % n == 0][:4])
            parts.append(part)
            left //= part
        parts.append(left)
        if r.chance(0.5):
            parts.insert(r.int(0, len(parts)), 1)
        for axis in range(min(x.ndim, len(parts))):
            if parts[axis] == x.shape[axis] and r.chance(0.3) and x.size:
                parts[axis] = 0
        if r.chance(0.5) and x.size:
            parts[r.int(0, len(parts) - 1)] = -1
        return Call(paddle.reshape, x, whole(r, parts))
    if name == "flatten":
        start = r.int(0, max(x.ndim - 1, 0))
        stop = r.int(start, max(x.ndim - 1, 0))
        back = x.ndim if r.chance(0.4) else 0
        return Call(paddle.flatten, x, start - back, stop - back)
    if name == "squeeze":
        axes = r.one(None, r.axis(x.ndim), r.axes(x.ndim))
        if axes is not None:
            axes = r.given(axes, "int32", 0.2)
        return Call(paddle.squeeze, x, axes)
    if name == "unsqueeze":
        many = r.int(1, 3)
        axes = r.one(r.axis(x.ndim + 1), r.axes(x.ndim + many)[:many])
        return Call(paddle.unsqueeze, x, r.given(axes, "int32", 0.2))
    if name == "transpose":
        perm = [int(a) - (x.ndim if r.chance(0.2) else 0) for a in r.rng.permutation(x.ndim)]
        return Call(paddle.transpose, x, perm)
    if name == "view":
        return Call(paddle.view, x, [-1] if x.size else [0])
    if name == "atleast":
        return Call(r.one(paddle.atleast_1d, paddle.atleast_2d, paddle.atleast_3d), x)
    x = r.array([4, 6][: r.int(1, 2)], x.dtype)
    return Call(paddle.unflatten, x, r.axis(x.ndim), r.one([2, -1], [-1, 2], [1, -1]))


@draws("concat", "stack", "split", "split_sections", "chunk", "unbind", "unstack", "tensor_split")
def parts(r, name):
    dtype = r.any_dtype()
    shape = r.shape(1 if name != "stack" else 0)
    axis = r.axis(len(shape))
    if name == "concat":
        arrays = []
        for _ in range(r.int(1, 4)):
            shape[axis] = r.dim()
            arrays.append(r.array(shape, dtype))
        return Call(paddle.concat, arrays, r.given(axis, "int32", 0.2))
    if name == "stack":
        arrays = [r.array(shape, dtype) for _ in range(r.int(1, 4))]
        return Call(paddle.stack, arrays, r.axis(len(shape) + 1))
    if name in ("unbind", "unstack"):
        shape[axis] = r.int(1, 5)
        return Call(getattr(paddle, name), r.array(shape, dtype), axis)
    if name in ("split", "chunk"):
        many = r.int(1, 4)
        shape[axis] = many * r.int(1, 3)
        axis = r.given(axis, "int32", 0.15) if name == "split" else axis
        return Call(getattr(paddle, name), r.array(shape, dtype), many, axis)
    if name == "tensor_split":
        shape[axis] = r.int(2, 9)
        return Call(paddle.tensor_split, r.array(shape, dtype), r.one(2, 3, [1, 2]), axis)
    sections = r.ints(r.int(1, 4), 1, 3)
    shape[axis] = sum(sections)
    if r.chance(0.5):
        sections[r.int(0, len(sections) - 1)] = -1
    return Call(paddle.split, r.array(shape, dtype), whole(r, sections, 0), axis)


@draws("expand", "expand_as", "broadcast_to", "broadcast_tensors", "tile", "repeat_interleave")
def repeats(r, name):
    shape = r.shape(0, 4)
    x = r.array(r.broadcast(shape), r.any_dtype())
    if name in ("expand", "broadcast_to"):
        target = list(shape)
        for axis in range(1, x.ndim + 1):
            if r.chance(0.3) and x.shape[-axis] == target[-axis]:
                target[-axis] = -1
        return Call(getattr(paddle, name), x, whole(r, target))
    if name == "expand_as":
        return Call(paddle.expand_as, x, r.array(shape, x.dtype))
    if name == "broadcast_tensors":
        return Call(paddle.broadcast_tensors, [x, r.array(shape, x.dtype)])
    if name == "tile":
        return Call(paddle.tile, x, whole(r, r.ints(r.int(0, x.ndim + 1), 1, 3)))
    axis = r.one(None, r.axis(x.ndim)) if x.ndim else None
    many = x.size if axis is None else x.shape[axis]
    counts = r.one(r.int(0, 3), r.array([many], r.one(*INTS), 0, 3, special=0))
    return Call(paddle.repeat_interleave, x, counts, axis)


@draws("flip", "roll", "rot90", "tril", "triu", "diagonal", "diag", "diag_embed", "diagflat")
def moves(r, name):
    x = r.array(r.shape(2), r.any_dtype())
    if name == "flip":
        x = r.array(r.shape(1), x.dtype)
        return Call(paddle.flip, x, r.one(r.axis(x.ndim), r.axes(x.ndim)))
    if name == "roll":
        x = r.array(r.shape(1), r.dtype(*INTS))
        if r.chance(0.3):
            return Call(paddle.roll, x, r.given(r.int(-9, 9), "int64", 0.3))
        axes = r.axes(x.ndim)
        return Call(paddle.roll, x, r.ints(len(axes), -9, 9), axes)
    if name == "rot90":
        return Call(paddle.rot90, x, r.int(-3, 5), [0, 1])
    if name in ("tril", "triu"):
        return Call(getattr(paddle, name), x, r.int(-4, 4))
    if name == "diagonal":
        axis1, axis2 = (r.axes(x.ndim, 2) + [0, 1])[:2]
        if axis1 % x.ndim == axis2 % x.ndim:
            axis1, axis2 = 0, 1
        return Call(paddle.diagonal, x, r.int(-3, 3), axis1, axis2)
    if name == "diag":
        x = r.array(r.shape(1, 2), r.dtype(*INTS))
        return Call(paddle.diag, x, r.int(-3, 3), r.one(0, 2))
    if name == "diagflat":
        return Call(paddle.diagflat, r.array(r.shape(1, 2), r.dtype(*INTS)), r.int(-2, 2))
    x = r.array(r.shape(1, 3), r.dtype(*INTS))
    axis1, axis2 = r.one((-2, -1), (0, 1), (0, -1), (1, 0))
    return Call(paddle.diag_embed, x, r.int(-2, 2), axis1, axis2)


@draws("pad", "pad_like", "zeropad2d", "crop", "slice", "strided_slice", "index", "set_index")
def cuts(r, name):
    if name == "pad":
        x = r.array(r.shape(1, 5), r.dtype(*INTS))
        value = r.one(0.0, 2.5, float(r.int(-3, 3)))
        if r.chance(0.4):
            pads = r.ints(2 * x.ndim, 0, 3)
            return Call(F.pad, x, pads, "constant", value)
        x = r.array([r.int(2, 5) for _ in range(r.int(3, 5))], r.dtype(*INTS))
        form = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}[x.ndim]
        mode = r.one("constant", "reflect", "replicate", "circular")
        pads = r.ints(2 * (x.ndim - 2), 0, 1 if mode != "constant" else 3)
        return Call(F.pad, x, whole(r, pads, 0.25), mode, value, r.one(*form))
    if name == "pad_like":
        x = r.array(r.shape(1, 4), r.dtype())
        pads = r.ints(2 * x.ndim, 0, 2)
        return Call(F.pad, x, pads, "constant", 1.0, pad_from_left_axis=r.chance(0.5))
    if name == "zeropad2d":
        return Call(F.zeropad2d, r.array(r.shape(4, 4, 0)), r.ints(4, 0, 3))
    x = r.array([r.int(1, 6) for _ in range(r.int(1, 4))], r.any_dtype())
    if name == "crop":
        x = r.array(x.shape, r.dtype(*INTS))
        offsets = [r.int(0, n - 1) for n in x.shape]
        shape = [r.one(-1, r.int(1, n - o)) for n, o in zip(x.shape, offsets)]
        return Call(paddle.crop, x, whole(r, shape), whole(r, offsets))
    axes = r.axes(x.ndim)
    starts = [r.int(-n - 2, n + 1) for n in (x.shape[a] for a in axes)]
    ends = [r.int(-n - 2, n + 3) for n in (x.shape[a] for a in axes)]
    if name == "slice":
        return Call(paddle.slice, x, axes, whole(r, starts), whole(r, ends))
    if name == "strided_slice":
        steps = [r.one(1, 2, 3, -1, -2) for _ in axes]
        args = [whole(r, v, 0.2) for v in (starts, ends, steps)]
        return Call(paddle.strided_slice, x, axes, *args)
    items = []
    for n in x.shape:
        kind = r.int(0, 5)
        if kind == 0:
            items.append(r.int(-n, n - 1))
        elif kind <= 3:
            ends = (r.one(None, r.int(-n, n)), r.one(None, r.int(-n, n + 2)))
            items.append(slice(*ends, r.one(None, None, 1, 2, -1)))
        elif kind == 4:
            items.append(slice(None))
    if r.chance(0.2):
        items.insert(r.int(0, len(items)), None)
    if r.chance(0.2) and len(items) < x.ndim:
        items.append(...)
    items = tuple(items[: x.ndim + 1])
    if name == "index":
        return Call(Index(items), x)
    x = r.array(x.shape, r.dtype(*INTS, "bool"))
    try:
        part = x[items].shape
    except IndexError:
        items, part = (), x.shape
    value = r.one(r.int(0, 1), r.array(r.one(part, r.broadcast(list(part))), x.dtype, special=0))
    return Call(SetIndex(items), x, value)


class Index:
    """`x[items]`"""

    def __init__(self, items):
        self.items, self.__name__ = items, f"index {items}"

    def __call__(self, x):
        return x[self.items]


class SetIndex(Index):
    """`x[items] = value`"""

    def __call__(self, x, value):
        x = x * 1 if x.dtype != paddle.bool else paddle.logical_and(x, x)
        if not paddle.in_dynamic_mode():
            return paddle.static.setitem(x, self.items, value)
        x[self.items] = value
        return x


@draws("full", "full_like", "arange", "linspace", "logspace", "eye", "meshgrid", "tril_indices")
def makes(r, name):
    dtype = r.one(*FLOATS, *INTS, *SMALL, "bool")
    if name == "full":
        value = r.one(r.int(-3, 3), r.float(-3, 3), r.int(-(2**40), 2**40), np.inf)
        if np.dtype(dtype).kind != "f" or r.chance(0.3):
            value = r.int(0, 100)
        if r.chance(0.2):
            value = r.given(value, "float32", 1)
        return Call(paddle.full, whole(r, r.shape(0, 4)), value, dtype)
    if name == "full_like":
        x = r.array(r.shape(), r.any_dtype())
        return Call(paddle.full_like, x, r.int(0, 100), r.one(None, dtype))
    if name == "arange":
        dtype = r.one(*FLOATS, *INTS)
        start, step = r.int(-5, 5), r.one(1, 2, 3, -1, -2)
        end = start + step * r.int(0, 6) + r.int(-1, 1)
        numbers = [start, end, step]
        if np.dtype(dtype).kind == "f" and r.chance(0.5):
            numbers = [r.float(-2, 2), r.float(2, 5), r.one(0.1, 0.25, 0.3)]
        return Call(paddle.arange, *[r.given(n, dtype, 0.2) for n in numbers], dtype)
    if name in ("linspace", "logspace"):
        ends = [r.given(r.float(-3, 3), "float32", 0.2) for _ in range(2)]
        count = r.given(r.int(1, 9), "int32", 0.2)
        return Call(getattr(paddle, name), *ends, count, dtype=r.one("float32", "float64", "int32"))
    if name == "eye":
        return Call(paddle.eye, r.int(0, 5), r.one(None, r.int(1, 5)), r.one(*FLOATS, *INTS))
    if name == "meshgrid":
        dtype = r.dtype(*INTS)
        return Call(paddle.meshgrid, *[r.array([r.dim()], dtype) for _ in range(r.int(1, 4))])
    function = r.one(paddle.tril_indices, paddle.triu_indices)
    return Call(function, r.int(1, 4), r.int(1, 4), r.int(-2, 2))


@draws("shape", "numel", "rank", "is_empty", "assign", "to_tensor", "zeros_like", "ones_like")
def facts(r, name):
    x = r.array(r.shape(), r.any_dtype())
    if name in ("assign", "to_tensor"):
        return Call(paddle.assign, Const(r.array(r.shape(0, 3), r.any_dtype())))
    return Call(getattr(paddle, name), x)


@draws("as_real", "view_as", "moveaxis", "swapaxes", "t", "stack_h", "stack_v", "cartesian_prod")
def rarer(r, name):
    x = r.array(r.shape(1, 4), r.dtype(*INTS))
    if name == "as_real":
        return Call(lambda x: paddle.as_real(paddle.complex(x, x + 1)), r.array(x.shape, r.dtype()))
    if name == "view_as":
        return Call(paddle.view_as, x, x.reshape(-1))
    if name == "moveaxis":
        return Call(paddle.moveaxis, x, r.axis(x.ndim), r.axis(x.ndim))
    if name == "swapaxes":
        return Call(paddle.transpose, x, list(range(x.ndim))[::-1])
    if name == "t":
        return Call(paddle.t, r.array(r.shape(0, 2), x.dtype))
    if name in ("stack_h", "stack_v"):
        return Call(paddle.hstack if name == "stack_h" else paddle.vstack, [x, x + 1])
    return Call(paddle.cartesian_prod, [r.array([r.int(1, 3)]), r.array([r.int(1, 3)])])
