"""Gathers, scatters and products of matrices."""

import numpy as np
import paddle
import paddle.nn.functional as F

from ..call import Call
from . import INTS, PADDLE_2, draws


@draws("gather", "gather_nd", "index_select", "index_sample", "take_along_axis", "take")
def gathers(r, name):
    dtype = r.any_dtype()
    shape = r.shape(1, 4, 0)
    x, kind = r.array(shape, dtype), r.one(*INTS)
    if name == "gather":
        axis = r.one(None, r.axis(x.ndim))
        length = x.shape[axis or 0]
        index = r.array(r.one([r.dim()], []), kind, 0, length - 1, special=0)
        return Call(paddle.gather, x, index, axis if axis is None else r.given(axis, kind, 0.2))
    if name == "gather_nd":
        many = r.int(1, x.ndim)
        rows = r.shape(0, 3)
        parts = [r.array(rows, kind, -n, n - 1, special=0) for n in x.shape[:many]]
        return Call(paddle.gather_nd, x, np.stack(parts, -1))
    if name == "index_select":
        axis = r.axis(x.ndim)
        n = x.shape[axis]
        return Call(
            paddle.index_select, x, r.array([r.int(1, 4)], kind, -n, n - 1, special=0), axis
        )
    if name == "index_sample":
        x = r.array(r.shape(2, 2, 0), r.dtype(*INTS))
        index = r.array([x.shape[0], r.int(1, 4)], kind, 0, x.shape[1] - 1, special=0)
        return Call(paddle.index_sample, x, index)
    if name == "take":
        mode = r.one("wrap", "clip", "raise")
        most = x.size - 1 if mode == "raise" else 3 * x.size
        return Call(paddle.take, x, r.array(r.shape(0, 3), kind, 0, most, special=0), mode)
    x, axis = r.array(shape, r.dtype(*INTS)), r.axis(x.ndim)
    where = [n if r.chance(0.6) else 1 for n in shape]
    where[axis] = r.int(1, 4)
    index = r.array(where, kind, 0, shape[axis] - 1, special=0)
    return Call(paddle.take_along_axis, x, index, axis, r.chance(0.7))


@draws("scatter", "scatter_nd", "scatter_nd_add", "put_along_axis", "index_add", "index_fill")
def scatters(r, name):
    dtype = r.dtype(*INTS)
    x, kind = r.array(r.shape(1, 3, 0), dtype, special=0.1), r.one(*INTS)
    if name == "scatter":
        overwrite = r.chance(0.5)
        many = r.int(1, x.shape[0]) if overwrite else r.int(1, 5)
        index = r.array([many], kind, 0, x.shape[0] - 1, special=0)
        if overwrite:
            index = r.rng.permutation(x.shape[0])[:many].astype(kind)
        return Call(paddle.scatter, x, index, r.array([many, *x.shape[1:]], dtype), overwrite)
    if name in ("scatter_nd", "scatter_nd_add"):
        many, rows = r.int(1, x.ndim), r.shape(1, 2, 0)
        parts = [r.array(rows, kind, 0, n - 1, special=0) for n in x.shape[:many]]
        index = np.stack(parts, -1)
        updates = r.array([*rows, *x.shape[many:]], dtype, special=0)
        if name == "scatter_nd":
            return Call(paddle.scatter_nd, index, updates, list(x.shape))
        return Call(paddle.scatter_nd_add, x, index, updates)
    axis = r.axis(x.ndim)
    n = x.shape[axis]
    if name == "put_along_axis":
        where = list(x.shape)
        where[axis] = r.int(1, n)
        index = np.argsort(r.rng.random(x.shape), axis).astype(kind)
        index = np.take(index, range(where[axis]), axis)
        values = r.one(1.0 if dtype[0] == "f" else 1, r.array(where, dtype, special=0))
        reduce = r.one("assign", "add", "mul", "amax", "amin", "mean")
        more = {} if r.chance(0.5) else {"include_self": r.chance(0.5)}
        return Call(paddle.put_along_axis, x, index, values, axis, reduce, **more)
    index = r.array([r.int(1, 4)], kind, 0, n - 1, special=0)
    if name == "index_fill":
        return Call(paddle.index_fill, x, index, axis, r.int(-2, 2))
    part = list(x.shape)
    part[axis] = index.size
    return Call(paddle.index_add, x, index, axis, r.array(part, dtype))


@draws("matmul", "mm", "bmm", "mv", "dot", "addmm", "baddbmm", "inner", "outer", "kron", "trace")
def products(r, name):
    dtype = r.dtype()
    a, b, c = (r.dim() for _ in range(3))
    few = {"dtype": dtype, "special": 0.05}
    if name == "matmul":
        lead = r.shape(0, 3)
        left, right = r.broadcast(lead), r.one(lead, [])
        tx, ty = r.chance(0.3), r.chance(0.3)
        x = r.array([*left, *([b, a] if tx else [a, b])], **few)
        y = r.array([*right, *([c, b] if ty else [b, c])], **few)
        if r.chance(0.15):
            x = r.array([b], **few)
        elif r.chance(0.15):
            y = r.array([b], **few)
        return Call(paddle.matmul, x, y, tx, ty)
    if name == "mm":
        return Call(paddle.mm, r.array([a, b], **few), r.array([b, c], **few))
    if name == "bmm":
        n = r.dim()
        return Call(paddle.bmm, r.array([n, a, b], **few), r.array([n, b, c], **few))
    if name == "mv":
        return Call(paddle.mv, r.array([a, b], **few), r.array([b], **few))
    if name == "dot":
        shape, kind = r.shape(1, 2, 0), r.dtype(*INTS)
        return Call(paddle.dot, r.array(shape, kind, special=0), r.array(shape, kind, special=0))
    if name in ("addmm", "baddbmm"):
        n = [r.int(1, 3)] if name == "baddbmm" else []
        start = r.array([*n, *r.one([a, c], [1, c], [a, c])], **few)
        x, y = r.array([*n, a, b], **few), r.array([*n, b, c], **few)
        return Call(getattr(paddle, name), start, x, y, beta=r.float(-2, 2), alpha=r.float(-2, 2))
    if name == "inner":
        n = r.int(1, 4)
        return Call(paddle.inner, r.array([*r.shape(0, 2), n], **few), r.array([n], **few))
    if name == "outer":
        return Call(paddle.outer, r.array(r.shape(1, 2), **few), r.array(r.shape(1, 2), **few))
    if name == "kron":
        rank = r.int(0, 3)
        kind = r.dtype(*INTS)
        x = r.array(r.shape(rank, rank), kind, special=0.1)
        return Call(paddle.kron, x, r.array(r.shape(0, 3), kind, special=0.1))
    x = r.array(r.shape(2, 4), r.dtype(*INTS))
    axis1, axis2 = r.one((0, 1), (-2, -1), (1, 0), (0, -1))
    # Below the main diagonal, Paddle 2 reads beyond axes that are too short.
    return Call(paddle.trace, x, r.int(0 if PADDLE_2 else -2, 2), axis1, axis2)


@draws("einsum", "cross", "multi_dot", "det", "bilinear", "cdist", "matrix_power", "inverse")
def algebra(r, name):
    dtype = r.dtype()
    plain = {"dtype": dtype, "special": 0}
    if name == "einsum":
        equation, *shapes = r.one(
            ("ij,jk->ik", "ab", "bc"),
            ("bij,bjk->bik", "dab", "dbc"),
            ("...ij,...jk->...ik", "edab", "edbc"),
            ("ij->ji", "ab"),
            ("ij->", "ab"),
            ("ii->i", "aa"),
            ("ii", "aa"),
            ("i,j->ij", "a", "b"),
            ("bhid,bhjd->bhij", "edab", "edcb"),
            ("ijk,jk->i", "abc", "bc"),
            ("ij,ij->", "ab", "ab"),
        )
        sizes = {letter: r.int(1, 4) for letter in "abcde"}
        arrays = [r.array([sizes[k] for k in shape], **plain) for shape in shapes]
        return Call(paddle.einsum, equation, *arrays)
    if name == "cross":
        shape = r.shape(1, 3, 0)
        axis = r.axis(len(shape))
        shape[axis] = 3
        more = {} if r.chance(0.4) else {"axis": axis}
        return Call(paddle.cross, r.array(shape, dtype), r.array(shape, dtype), **more)
    if name == "multi_dot":
        sizes = r.ints(r.int(3, 5), 1, 4)
        arrays = [r.array(pair, **plain) for pair in zip(sizes, sizes[1:])]
        return Call(paddle.linalg.multi_dot, arrays)
    n = r.int(1, 4)
    if name == "bilinear":
        a, b, c = r.ints(3, 1, 4)
        x, y = r.array([n, a], **plain), r.array([n, b], **plain)
        return Call(F.bilinear, x, y, r.array([c, a, b], **plain), r.array([1, c], **plain))
    if name == "cdist":
        x, y = r.array([n, 3], **plain), r.array([2, 3], **plain)
        return Call(paddle.cdist, x, y, r.one(1.0, 2.0, 3.0))
    x = r.array([*r.shape(0, 2, 0), n, n], **plain)
    if name == "matrix_power":
        return Call(paddle.linalg.matrix_power, x, r.int(0, 3))
    return Call(paddle.linalg.det if name == "det" else paddle.linalg.inv, x)


@draws("embedding", "one_hot", "label_smooth", "sequence_mask", "cross_entropy", "nll_loss")
def labels(r, name):
    kind = r.one(*INTS)
    if name == "embedding":
        words = r.int(1, 6)
        index = r.array(r.shape(0, 3), kind, 0, words - 1, special=0)
        padding = r.one(None, None, r.int(-words, words - 1))
        return Call(F.embedding, index, r.array([words, r.int(1, 4)], special=0.1), padding)
    if name == "one_hot":
        many = r.int(1, 5)
        return Call(F.one_hot, r.array(r.shape(0, 3), kind, 0, many - 1, special=0), many)
    if name == "label_smooth":
        x = r.array(r.shape(1, 3), r.dtype())
        prior = None if r.chance(0.5) else r.array([1, x.shape[-1]], x.dtype, special=0)
        return Call(F.label_smooth, x, prior, r.one(0.1, 0.5))
    if name == "sequence_mask":
        x = r.array(r.shape(1, 2, 0), kind, 0, 5, special=0)
        most = r.one(None, 6, r.given(6, "int32", 1))
        return Call(F.sequence_mask, x, most, r.one("int64", "float32", "bool"))
    many = r.int(2, 5)
    if name == "nll_loss":
        # Images as operands keep Paddle's process busy for ever.
        rest = []
        logs = np.log(r.rng.random([4, many, *rest])).astype("float32")
        target = r.array([4, *rest], "int64", 0, many - 1, special=0)
        weight = r.one(None, np.abs(r.array([many], special=0)))
        ignored = r.one(-100, 1)
        return Call(F.nll_loss, logs, target, weight, ignored, r.one("mean", "sum", "none"))
    shape = r.shape(2, 4, 0)
    axis = r.one(-1, len(shape) - 1, 1)
    shape[axis] = many
    x, soft = r.array(shape, special=0), r.chance(0.4)
    options = {"reduction": r.one("mean", "sum", "none"), "axis": axis, "soft_label": soft}
    if soft:
        label = np.abs(r.array(shape, special=0)) + 0.1
        label = (label / label.sum(axis, keepdims=True)).astype("float32")
        return Call(F.cross_entropy, x, label, **options)
    shape[axis] = 1
    label = r.array(shape, kind, 0, many - 1, special=0)
    label = label if r.chance(0.5) else label.squeeze(axis)
    return Call(F.cross_entropy, x, label, ignore_index=r.one(-100, 1), **options)


@draws("bce", "bce_logits", "mse", "smooth_l1", "kl_div", "huber", "log_loss", "hinge", "margin")
def losses(r, name):
    shape, dtype = r.shape(1, 3, 0), r.dtype()
    x, y = r.array(shape, dtype, special=0), r.array(shape, dtype, special=0)
    share, truth = 1 / (1 + np.exp(-x)), (y > 0).astype(dtype)
    reduction = r.one("mean", "sum", "none")
    if name == "bce":
        share = np.where(r.rng.random(shape) < 0.1, r.one(0.0, 1.0), share).astype(dtype)
        return Call(F.binary_cross_entropy, share, truth, reduction=reduction)
    if name == "bce_logits":
        weight = r.one(None, np.abs(r.array(shape, dtype, special=0)))
        loss = F.binary_cross_entropy_with_logits
        return Call(loss, x, truth, pos_weight=weight, reduction=reduction)
    if name == "mse":
        return Call(F.mse_loss, x, y, reduction)
    if name == "smooth_l1":
        return Call(F.smooth_l1_loss, x, y, reduction, r.one(1.0, 0.5, 2.0))
    if name == "kl_div":
        target = np.abs(y)
        more = {} if r.chance(0.5) else {"log_target": r.chance(0.5)}
        return Call(F.kl_div, np.log(share), target, r.one(reduction, "batchmean"), **more)
    if name == "huber":
        return Call(F.smooth_l1_loss, x, y, "none", r.one(0.3, 3.0))
    if name == "log_loss":
        n = r.int(1, 5)
        x = r.rng.random([n, 1]).astype("float32")
        return Call(F.log_loss, x, (r.rng.random([n, 1]) > 0.5).astype("float32"), 1e-4)
    if name == "hinge":
        return Call(F.hinge_embedding_loss, x, np.sign(y), reduction=reduction)
    return Call(F.margin_ranking_loss, x, y, np.sign(y), 0.2, reduction)
