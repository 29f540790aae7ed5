"""Cases of `kernels` for tensors that are made, drawn, selected by values, or indexed."""

import itertools

import numpy as np
import paddle
import paddle.nn.functional as F

from .kernel_cases import ALL, FLOATS, NUMBERS, values
from .kernel_cases_more import copied, index, listed, of

#: Types that Paddle's CPU has for these kernels.
MOVED = ("bool", "u8", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "bf16")
WIDE = ("f32", "f64", "i32", "i64")


def one(d):
    """A tensor whose element type is that of the case."""
    return [of(d, (1,))]


def about(x, mean, apart):
    return paddle.abs(paddle.mean(x.astype("float32")) - mean) < apart


def within(x, low, high):
    wide = x.astype("float32")
    return paddle.all(paddle.logical_and(wide >= low, wide <= high))


def again(draw):
    """Whether a seed gives the same numbers again, and the next call other ones."""

    def call(x):
        paddle.seed(5)
        first = draw(x)
        paddle.seed(5)
        second, third = draw(x), draw(x)
        return [paddle.all(first == second), paddle.any(first != third)]

    return call


def kept(y, scale):
    """Whether elements are 0 or the scale, and about three quarters are kept."""
    y = y.astype("float32")
    is_kept = y > 0
    right = paddle.all(paddle.where(is_kept, paddle.abs(y - scale) < 0.02, y == 0))
    return [right, about(is_kept, 0.75, 0.05)]


def ones(x, shape):
    return paddle.full(shape, 1, x.dtype)


def drawn():
    large = [50, 80]
    draws = {
        "uniform": (lambda x: paddle.uniform(large, x.dtype, -1, 3), 1.0, (-1, 3)),
        "gaussian": (
            lambda x: paddle.tensor.random.gaussian(large, 1.0, 2.0, dtype=x.dtype),
            1.0,
            (-9, 11),
        ),
        "uniform_inplace": (lambda x: copied(ones(x, large)).uniform_(0, 2), 1.0, (0, 2)),
        "gaussian_inplace": (lambda x: copied(ones(x, large)).normal_(1, 2), 1.0, (-9, 11)),
        "exponential": (lambda x: copied(ones(x, large)).exponential_(2.0), 0.5, (0, 9)),
    }
    for name, (draw, mean, bounds) in draws.items():
        judged = lambda x, d=draw, m=mean, b=bounds: (  # noqa: E731
            lambda y: [about(y, m, 0.15), within(y, *b)]
        )(d(x))
        in_place = name not in ("uniform", "gaussian")
        yield from listed(name, FLOATS, [("moments", one, judged)], eager_only=in_place)
        yield from listed(name, FLOATS, [("seed", one, again(draw))], eager_only=True)
    truncated = lambda x: paddle._C_ops.truncated_gaussian_random(  # noqa: E731
        large, 1.0, 2.0, 0, -1.0, 2.0, x.dtype, paddle.framework._current_expected_place()
    )
    judged = lambda x: [within(truncated(x), -1, 2), about(truncated(x), 0.585, 0.06)]  # noqa: E731
    yield from listed(
        "truncated_gaussian_random", FLOATS, [("bounds", one, judged)], eager_only=True
    )
    probability = lambda d: [np.array([0.0, 1.0, 1.0, 0.0, 1.0])]  # noqa: E731
    yield from listed("bernoulli", FLOATS, [("certain", probability, paddle.bernoulli)])
    weights = lambda d: [np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]])]  # noqa: E731
    some = lambda d: [np.array([0.5, 0.0, 1.0, 2.0])]  # noqa: E731
    chosen = [
        ("certain", weights, lambda x: paddle.multinomial(x, 3, True)),
        ("each once", some, lambda x: paddle.sort(paddle.multinomial(x, 3))),
    ]
    yield from listed("multinomial", FLOATS, chosen, eager_only=True)
    for mode, scale in (("upscale_in_train", 4 / 3), ("downscale_in_infer", 1.0)):
        drop = lambda x, m=mode: F.dropout(ones(x, [2000, 3]), 0.25, mode=m)  # noqa: E731
        judged = lambda x, s=scale, d=drop: kept(d(x), s)  # noqa: E731
        yield from listed("dropout", FLOATS, [(mode, one, judged)])
        yield from listed("dropout", FLOATS, [(f"seed {mode}", one, again(drop))], eager_only=True)
    numbers = lambda x: paddle.randint(-3, 4, [500], x.dtype)  # noqa: E731
    whole = [
        ("one number", one, lambda x: paddle.randint(5, 6, [3, 4], x.dtype)),
        ("range", one, lambda x: [paddle.min(numbers(x)), paddle.max(numbers(x))]),
    ]
    yield from listed("randint", ("i32", "i64"), whole)
    yield from listed("randint", ("i32", "i64"), [("seed", one, again(numbers))], eager_only=True)
    order = lambda x: paddle.randperm(50, x.dtype)  # noqa: E731
    yield from listed("randperm", WIDE, [("all", one, lambda x: paddle.sort(order(x)))])
    yield from listed("randperm", WIDE, [("seed", one, again(order))], eager_only=True)


def made():
    numbers = [
        ("0 5", one, lambda x: paddle.arange(0, 5, 1, x.dtype)),
        ("7 1 -2", one, lambda x: paddle.arange(7, 1, -2, x.dtype)),
        ("none", one, lambda x: paddle.arange(3, 3, 1, x.dtype)),
    ]
    # In static graphs Paddle runs it on the CPU.
    yield from listed("arange_tensor", (*FLOATS, "i32", "i64"), numbers, eager_only=True)
    spaced = [
        ("5", one, lambda x: paddle.linspace(0, 8, 5, x.dtype)),
        ("1", one, lambda x: paddle.linspace(2, 8, 1, x.dtype)),
    ]
    yield from listed("linspace", NUMBERS, spaced)
    # Their elements have any values.
    shape = lambda y: y * 0 == y * 0  # noqa: E731
    yield from listed(
        "empty",
        MOVED,
        [("2x3", one, lambda x: shape(paddle.empty([2, 3], x.dtype).astype("int32")))],
    )
    place = paddle.framework._current_expected_place
    empty_like = lambda x: paddle._C_ops.empty_like(x, x.dtype, place())  # noqa: E731
    yield from listed(
        "empty_like",
        MOVED,
        [("1", one, lambda x: shape(empty_like(x).astype("int32")))],
        eager_only=True,
    )


def selected():
    truth = (np.array([[True, False, True], [False, False, True]]), "bool")
    masks = [("2x3", lambda d: [of(d, (2, 3)), truth], paddle.masked_select)]
    yield from listed("masked_select", ALL, masks)
    some = lambda d: [np.array([[0, 1, 2], [0, 0, 1]])]  # noqa: E731
    places = [
        ("2x3", some, paddle.nonzero),
        ("none", lambda d: [np.zeros((2, 2))], paddle.nonzero),
    ]
    yield from listed("nonzero", ALL, places)
    several = lambda d: [np.array([3, 1, 3, 2, 1])]  # noqa: E731
    rows = lambda d: [np.array([[3, 1], [0, 2], [3, 1]])]  # noqa: E731
    uniques = [
        ("vector", several, paddle.unique),
        ("all", several, lambda x: paddle.unique(x, True, True, True)),
        ("rows", rows, lambda x: paddle.unique(x, axis=0)),
        ("matrix", rows, lambda x: paddle.unique(x, return_inverse=True)),
    ]
    yield from listed("unique", WIDE, uniques)


def stepped():
    """Views with negative steps, copied and written to."""
    x = lambda d: [of(d, (4, 5, 3))]  # noqa: E731
    views = [
        ("rows", x, lambda x: x[::-1].contiguous()),
        ("both", x, lambda x: x[:, ::-2, ::-1].contiguous()),
        ("part", x, lambda x: x[2:0:-1, 1].contiguous()),
    ]
    yield from listed("contiguous", MOVED, views, eager_only=True)
    name = lambda x: str(x.dtype).removeprefix("paddle.")  # noqa: E731
    assigned = lambda x: paddle.assign(np.array([1, 0, 1]).astype(name(x)))  # noqa: E731
    stored = tuple(own for own in ALL if own != "bf16")
    yield from listed("assign_value", stored, [("3", one, assigned)], eager_only=True)
    yield from listed("conj", ALL, [("4x5x3", x, paddle.conj)], eager_only=True)
    several = lambda d: [[of(d, (2, 3), i) for i in range(3)]]  # noqa: E731
    yield from listed(
        "add_n", (*FLOATS, "i32", "i64"), [("3", several, paddle.add_n)], eager_only=True
    )
    if hasattr(paddle._C_ops, "div_scale"):
        divided = [("3", x, lambda x: x / 3.0), ("0.1", x, lambda x: x / 0.1)]
        yield from listed("div_scale", FLOATS, divided, eager_only=True, narrow=True)


def indexed():
    x = lambda d: of(d, (3, 4, 5))  # noqa: E731
    pair = (np.array([[0, 1, -1], [2, 2, 0]]), "i64")
    gets = [
        ("first axis", lambda d: [x(d), index([2, 0, -1])], lambda x, i: x[i]),
        ("middle axis", lambda d: [x(d), index([1, 3])], lambda x, i: x[1:, i]),
        ("last axis", lambda d: [x(d), (np.array([4]), "i32")], lambda x, i: x[..., i]),
        ("two axes", lambda d: [x(d), pair, index([1, 2, 3])], lambda x, i, j: x[i, j]),
        ("apart", lambda d: [x(d), index([1, 0]), index([2, 3])], lambda x, i, j: x[i, :, j]),
    ]
    yield from listed("index_elementwise_get", MOVED, gets, eager_only=True)

    def put(x, at, value):
        y = copied(x)
        y[at] = value
        return y

    number = [
        ("rows", lambda d: [x(d), index([2, 0])], lambda x, i: put(x, i, 1)),
        ("columns", lambda d: [x(d), index([1, 3])], lambda x, i: put(x, (slice(1, 3), i), 1)),
    ]
    yield from listed("index_elementwise_put", MOVED, number, eager_only=True)
    tensor = [
        ("rows", lambda d: [x(d), index([2, 0]), of(d, (2, 4, 5), 2)], put),
        ("repeated", lambda d: [x(d), index([2, 0]), of(d, (4, 1), 2)], put),
        (
            "columns",
            lambda d: [x(d), index([1, 3]), of(d, (3, 2, 5), 2)],
            lambda x, i, v: put(x, (slice(None), i), v),
        ),
    ]
    yield from listed("index_elementwise_put_with_tensor", MOVED, tensor, eager_only=True)


def composed():
    matrix = lambda d: [of(d, (4, 6))]  # noqa: E731
    square = lambda d: [of(d, (4, 4))]  # noqa: E731
    two = lambda d: [of(d, (4, 6)), of(d, (4, 6), 2)]  # noqa: E731
    halves = F.swiglu if hasattr(F, "swiglu") else paddle.incubate.nn.functional.swiglu
    yield from listed("swiglu", FLOATS, [("two", two, halves), ("one", matrix, halves)])
    norms = [
        ("all", matrix, lambda x: paddle._C_ops.frobenius_norm(x, [], False, True)),
        ("axes", matrix, lambda x: paddle._C_ops.frobenius_norm(x, [0, 1], True, False)),
    ]
    yield from listed("frobenius_norm", FLOATS, norms, eager_only=True)
    yield from listed(
        "mean_all", FLOATS, [("4x6", matrix, paddle._C_ops.mean_all)], eager_only=True
    )
    yield from listed(
        "squared_l2_norm", FLOATS, [("4x6", matrix, paddle._C_ops.squared_l2_norm)], eager_only=True
    )
    chain = lambda d: [[of(d, (4, 3)), of(d, (3, 5), 2), of(d, (5, 2), 3)]]  # noqa: E731
    yield from listed("multi_dot", FLOATS, [("3", chain, paddle.linalg.multi_dot)])
    sums = [
        ("ij,kj->ik", two, lambda x, y: paddle.einsum("ij,kj->ik", x, y)),
        ("ij->ji", matrix, lambda x: paddle.einsum("ij->ji", x)),
    ]
    yield from listed("einsum", FLOATS, sums)
    yield from listed("rrelu", FLOATS, [("4x6", matrix, lambda x: F.rrelu(x, training=False))])
    boxes = lambda d: [np.array([[0, 0, 2, 2], [0, 0, 2, 2.5], [5, 5, 6, 6]])]  # noqa: E731
    yield from listed("nms", FLOATS, [("3", boxes, lambda x: paddle.vision.ops.nms(x, 0.5))])
    theta = lambda d: [of(d, (2, 2, 3))]  # noqa: E731
    yield from listed(
        "affine_grid", FLOATS, [("2", theta, lambda x: F.affine_grid(x, [2, 3, 4, 5]))]
    )
    bilinear = lambda d: [of(d, (3, 2)), of(d, (3, 4), 2), of(d, (5, 2, 4), 3)]  # noqa: E731
    yield from listed("bilinear", FLOATS, [("3", bilinear, F.bilinear)])
    deform = lambda d: [of(d, (1, 2, 5, 5)), of(d, (1, 8, 4, 4), 2), of(d, (3, 2, 2, 2), 3)]  # noqa: E731
    yield from listed("deformable_conv", FLOATS, [("2x2", deform, paddle.vision.ops.deform_conv2d)])
    rois = lambda d: [  # noqa: E731
        of(d, (1, 2, 8, 8)),
        np.array([[1, 1, 5, 6], [0, 0, 7.5, 7]]),
        (np.array([2]), "i32"),
    ]
    align = lambda x, b, n: paddle.vision.ops.roi_align(x, b, n, 3)  # noqa: E731
    yield from listed("roi_align", FLOATS, [("2", rois, align)])
    prior = lambda d: [of(d, (1, 2, 3, 3)), of(d, (1, 3, 9, 9))]  # noqa: E731
    shapes = lambda x, i: paddle.vision.ops.prior_box(x, i, [2.0], [4.0], [2.0])  # noqa: E731
    yield from listed("prior_box", FLOATS, [("3x3", prior, shapes)], narrow=True)
    coder = lambda d: [  # noqa: E731
        np.array([[0, 0, 2, 3], [1, 1, 4, 4.0]]),
        np.array([[0.1, 0.1, 0.2, 0.2]] * 2),
        np.array([[0, 1, 2, 3], [1, 0, 5, 4.0]]),
    ]
    code = lambda p, v, t: paddle.vision.ops.box_coder(p, v, t)  # noqa: E731
    yield from listed("box_coder", FLOATS, [("2", coder, code)])
    yolo = lambda d: [of(d, (1, 14, 4, 4)), (np.array([[64, 64]]), "i32")]  # noqa: E731
    boxed = lambda x, s: paddle.vision.ops.yolo_box(x, s, [10, 13, 16, 30], 2, 0.01, 8)  # noqa: E731
    yield from listed("yolo_box", FLOATS, [("4x4", yolo, boxed)])
    pooled = lambda d: [np.arange(32.0).reshape(1, 2, 4, 4)]  # noqa: E731
    back = lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2)  # noqa: E731
    yield from listed("unpool", FLOATS, [("2x2", pooled, back)])
    normal = lambda d: [of(d, (4, 6)), of(d, (4,), 2), of(d, (6,), 3)]  # noqa: E731
    spectral = lambda w, u, v: paddle._C_ops.spectral_norm(w, u, v, 0, 1, 1e-12)  # noqa: E731
    yield from listed("spectral_norm", FLOATS, [("4x6", normal, spectral)], eager_only=True)
    unit = lambda x: paddle._C_ops.norm(x, 1, 1e-10, True)[0]  # noqa: E731
    yield from listed("norm", FLOATS, [("4x6", matrix, unit)], eager_only=True)
    ops = paddle._C_ops
    for kernel, (detail, inputs, call) in {
        "equal_all": ("two", two, paddle.equal_all),
        "fill_diagonal": ("4x4", square, lambda x: copied(x).fill_diagonal_(1)),
        "full_with_tensor": (
            "2x3",
            lambda d: [values("truth", (1,), 3)],
            lambda x: ops.full_with_tensor(x, [2, 3], x.dtype),
        ),
        "full_batch_size_like": (
            "4x3",
            matrix,
            lambda x: ops.full_batch_size_like(
                x, [1, 3], x.dtype, 1, 0, 0, paddle.framework._current_expected_place()
            ),
        ),
        "numel": ("4x6", matrix, paddle.numel),
        "shape": ("4x6", matrix, ops.shape),
        "shape64": ("4x6", matrix, ops.shape64 if hasattr(ops, "shape64") else paddle.shape),
        "repeat_interleave_with_tensor_index": (
            "rows",
            lambda d: [of(d, (3, 2)), (np.array([1, 0, 2]), "i64")],
            lambda x, n: paddle.repeat_interleave(x, n, 0),
        ),
        "reverse": ("1", matrix, lambda x: ops.reverse(x, [1])),
    }.items():
        yield from listed(kernel, ALL, [(detail, inputs, call)], eager_only=True)


def cases():
    yield from itertools.chain(drawn(), made(), selected(), stepped(), indexed(), composed())
