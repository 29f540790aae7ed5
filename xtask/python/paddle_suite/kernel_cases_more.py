"""Cases of `kernels` for networks, indexing and shapes."""

import itertools

import numpy as np
import paddle
import paddle.nn.functional as F

from .kernel_cases import ALL, FLOATS, INTS, NUMBERS, Case, kind_of, ranked, values

#: Types of the kernels that compare floats with a tolerance.
COMPARED = ("bool", "f32", "f64", "i32", "i64")


def of(dtype, shape, seed=1, kind="real"):
    return values(kind_of(dtype, kind), shape, seed)


def index(items):
    return (np.array(items), "i64")


def listed(kernel, dtypes, own, **options):
    """A case for each element type and each `(detail, inputs of an element type, call)`."""
    for dtype, (detail, inputs, call) in itertools.product(dtypes, own):
        yield Case(kernel, dtype, detail, lambda d=dtype, i=inputs: i(d), call, **options)


def copied(x):
    """A copy without `assign`, which Paddle runs on the CPU in static graphs."""
    return paddle.tile(x, [1] * len(x.shape))


def convolutions():
    def inputs(x, w):
        return lambda d: [of(d, x), of(d, w, 2)]

    plain = [
        ("3x3", inputs((2, 3, 7, 6), (4, 3, 3, 3)), lambda x, w: F.conv2d(x, w)),
        ("5x5 padded", inputs((1, 2, 5, 9), (3, 2, 5, 5)), lambda x, w: F.conv2d(x, w, padding=2)),
        ("stride 2", inputs((1, 2, 9, 8), (3, 2, 3, 3)), lambda x, w: F.conv2d(x, w, stride=2)),
        ("same", inputs((1, 2, 9, 8), (3, 2, 3, 2)), lambda x, w: F.conv2d(x, w, padding="SAME")),
        ("dilated", inputs((1, 2, 9, 8), (3, 2, 3, 3)), lambda x, w: F.conv2d(x, w, dilation=2)),
        ("groups", inputs((1, 4, 6, 6), (6, 2, 3, 3)), lambda x, w: F.conv2d(x, w, groups=2)),
        ("1x1", inputs((3, 5, 4, 3), (7, 5, 1, 1)), lambda x, w: F.conv2d(x, w)),
        (
            "NHWC",
            inputs((1, 6, 5, 2), (3, 2, 3, 3)),
            lambda x, w: F.conv2d(x, w, data_format="NHWC"),
        ),
        (
            "uneven padding",
            inputs((1, 2, 6, 5), (3, 2, 3, 3)),
            lambda x, w: F.conv2d(x, w, padding=[1, 2, 0, 1]),
        ),
    ]
    yield from listed("conv2d", FLOATS, plain)
    deep = [
        ("3x3", inputs((2, 3, 7, 6), (3, 1, 3, 3)), lambda x, w: F.conv2d(x, w, groups=3)),
        (
            "stride 2",
            inputs((1, 4, 8, 7), (4, 1, 3, 3)),
            lambda x, w: F.conv2d(x, w, stride=2, padding=1, groups=4),
        ),
    ]
    yield from listed("depthwise_conv2d", FLOATS, deep)
    volume = [
        ("2x2x2", inputs((1, 2, 4, 5, 3), (3, 2, 2, 2, 2)), lambda x, w: F.conv3d(x, w)),
        (
            "padded",
            inputs((1, 2, 4, 5, 3), (3, 2, 3, 3, 3)),
            lambda x, w: F.conv3d(x, w, padding=1, stride=2),
        ),
    ]
    yield from listed("conv3d", FLOATS, volume)
    back = [
        ("3x3", inputs((1, 3, 4, 5), (3, 2, 3, 3)), lambda x, w: F.conv2d_transpose(x, w)),
        (
            "stride 2",
            inputs((1, 3, 4, 5), (3, 2, 3, 3)),
            lambda x, w: F.conv2d_transpose(x, w, stride=2, padding=1, output_padding=1),
        ),
        (
            "output size",
            inputs((1, 3, 4, 5), (3, 2, 3, 3)),
            lambda x, w: F.conv2d_transpose(x, w, stride=2, padding=1, output_size=[8, 10]),
        ),
    ]
    yield from listed("conv2d_transpose", FLOATS, back)
    deep = [
        (
            "groups",
            inputs((1, 3, 4, 5), (3, 1, 3, 3)),
            lambda x, w: F.conv2d_transpose(x, w, stride=2, groups=3),
        )
    ]
    yield from listed("depthwise_conv2d_transpose", FLOATS, deep)
    yield from listed(
        "conv3d_transpose",
        FLOATS,
        [("2", inputs((1, 2, 3, 3, 3), (2, 2, 2, 2, 2)), lambda x, w: F.conv3d_transpose(x, w))],
    )


def pools():
    def x(*shape):
        return lambda d: [of(d, shape)]

    lp = [("2", x(2, 3, 6, 8), lambda x: F.lp_pool2d(paddle.abs(x), 2.0, 2))]
    yield from listed("lp_pool2d", FLOATS, lp, narrow=True)
    flat = [
        ("max 2", x(2, 3, 6, 8), lambda x: F.max_pool2d(x, 2)),
        ("max 3 padded", x(1, 2, 7, 5), lambda x: F.max_pool2d(x, 3, 2, 1)),
        ("max ceil", x(1, 2, 7, 5), lambda x: F.max_pool2d(x, 2, 2, ceil_mode=True)),
        ("avg 2", x(2, 3, 6, 8), lambda x: F.avg_pool2d(x, 2)),
        ("avg 3 padded", x(1, 2, 7, 5), lambda x: F.avg_pool2d(x, 3, 2, 1)),
        ("avg inclusive", x(1, 2, 7, 5), lambda x: F.avg_pool2d(x, 3, 2, 1, exclusive=False)),
        ("avg global", x(2, 3, 5, 4), lambda x: F.adaptive_avg_pool2d(x, 1)),
        ("avg adaptive", x(2, 3, 6, 8), lambda x: F.adaptive_avg_pool2d(x, (3, 2))),
    ]
    yield from listed("pool2d", FLOATS, flat)
    volume = [
        ("max 2", x(1, 2, 4, 6, 4), lambda x: F.max_pool3d(x, 2)),
        ("avg 2", x(1, 2, 4, 6, 4), lambda x: F.avg_pool3d(x, 2)),
    ]
    yield from listed("pool3d", FLOATS, volume)
    indexed = [("2", x(1, 2, 6, 8), lambda x: F.max_pool2d(x, 2, return_mask=True))]
    yield from listed("max_pool2d_with_index", FLOATS, indexed)
    indexed = [("2", x(1, 2, 4, 6, 4), lambda x: F.max_pool3d(x, 2, return_mask=True))]
    yield from listed("max_pool3d_with_index", FLOATS, indexed)


def norms():
    def x(*shape):
        return lambda d: [of(d, shape)]

    def parts(shape, *channels):
        given = [of("f64", shape), *(values("positive", channels, i) for i in range(4))]
        return lambda d: given

    batch = lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b, epsilon=1e-3)  # noqa: E731
    yield from listed(
        "batch_norm",
        FLOATS,
        [
            ("4-D", parts((2, 3, 4, 5), 3), batch),
            ("2-D", parts((6, 3), 3), batch),
            ("3-D", parts((2, 3, 7), 3), batch),
        ],
    )
    layer = lambda x, w, b, *_: F.layer_norm(x, w.shape, w, b)  # noqa: E731
    yield from listed(
        "layer_norm",
        FLOATS,
        [
            ("last axis", parts((2, 3, 8), 8), layer),
            ("two axes", parts((4, 3, 5), 3, 5), layer),
            ("no weights", x(4, 7), lambda x: F.layer_norm(x, [7])),
        ],
    )
    group = lambda x, w, b, *_: F.group_norm(x, 2, 1e-5, w, b)  # noqa: E731
    yield from listed(
        "group_norm",
        FLOATS,
        [
            ("4-D", parts((2, 4, 3, 5), 4), group),
            ("no weights", x(2, 6, 4), lambda x: F.group_norm(x, 3)),
        ],
    )
    instance = lambda x, w, b, *_: F.instance_norm(x, weight=w, bias=b)  # noqa: E731
    yield from listed("instance_norm", FLOATS, [("4-D", parts((2, 4, 3, 5), 4), instance)])
    yield from listed(
        "p_norm",
        FLOATS,
        [(f"{p}", x(4, 6), lambda x, p=p: paddle.linalg.norm(x, p, 1)) for p in (1, 3, 0.5)],
        narrow=True,
    )
    yield from listed(
        "dropout",
        FLOATS,
        [("eval", x(3, 5), lambda x: F.dropout(x, 0.5, training=False, mode="downscale_in_infer"))],
        narrow=True,
    )


def images():
    def x(*shape):
        return lambda d: [of(d, shape)]

    floats = FLOATS
    for mode, kernel, shape, size in (
        ("bilinear", "bilinear_interp", (1, 2, 4, 5), [7, 3]),
        ("nearest", "nearest_interp", (1, 2, 4, 5), [7, 3]),
        ("bicubic", "bicubic_interp", (1, 2, 4, 5), [7, 3]),
        ("linear", "linear_interp", (1, 2, 5), [9]),
        ("trilinear", "trilinear_interp", (1, 2, 3, 4, 5), [5, 3, 7]),
    ):
        own = [
            (
                "size",
                x(*shape),
                lambda x, m=mode, s=size: F.interpolate(
                    x, s, mode=m, data_format={3: "NCW", 4: "NCHW", 5: "NCDHW"}[len(x.shape)]
                ),
            )
        ]
        if mode in ("bilinear", "bicubic"):
            own += [
                ("factor", x(*shape), lambda x, m=mode: F.interpolate(x, scale_factor=2, mode=m)),
                (
                    "corners",
                    x(*shape),
                    lambda x, m=mode, s=size: F.interpolate(x, s, mode=m, align_corners=True),
                ),
            ]
        yield from listed(kernel, floats, own, narrow=True)
    yield from listed(
        "pad3d",
        floats,
        [
            (
                mode,
                x(1, 2, 4, 5),
                lambda x, m=mode: F.pad(
                    x, [1, 2, 0, 1], mode=m, value=0.5 if m == "constant" else 0.0
                ),
            )
            for mode in ("constant", "reflect", "replicate", "circular")
        ],
    )
    yield from listed("pad", ALL, [("2-D", x(3, 4), lambda x: F.pad(x, [1, 0, 2, 1]))])
    yield from listed(
        "pixel_shuffle", floats, [("2", x(1, 8, 3, 2), lambda x: F.pixel_shuffle(x, 2))]
    )
    yield from listed(
        "pixel_unshuffle", floats, [("2", x(1, 2, 4, 6), lambda x: F.pixel_unshuffle(x, 2))]
    )
    yield from listed(
        "channel_shuffle", floats, [("2", x(1, 6, 2, 3), lambda x: F.channel_shuffle(x, 2))]
    )
    yield from listed("unfold", floats, [("3", x(1, 2, 6, 5), lambda x: F.unfold(x, 3, 1, 1))])
    yield from listed("fold", floats, [("2", x(1, 12, 12), lambda x: F.fold(x, [4, 5], 2))])
    yield from listed("maxout", floats, [("2", x(1, 6, 2, 3), lambda x: F.maxout(x, 2))])
    yield from listed(
        "temporal_shift", floats, [("2", x(4, 6, 3, 2), lambda x: F.temporal_shift(x, 2, 0.25))]
    )

    def grid(d):
        return [of(d, (1, 2, 4, 5)), values("unit", (1, 3, 6, 2), 3)]

    yield from listed(
        "grid_sample",
        floats,
        [
            (
                f"{mode} {corners}",
                grid,
                lambda x, g, m=mode, c=corners: F.grid_sample(x, g, m, align_corners=c),
            )
            for mode in ("bilinear", "nearest")
            for corners in (True, False)
        ],
    )


def losses():
    floats = FLOATS

    def logits(d):
        return [of(d, (5, 7)), index([[0], [6], [2], [3], [3]])]

    yield from listed(
        "cross_entropy_with_softmax",
        floats,
        [
            ("hard", logits, lambda x, y: F.softmax_with_cross_entropy(x, y)),
            (
                "both",
                logits,
                lambda x, y: F.softmax_with_cross_entropy(x, y, return_softmax=True),
            ),
            (
                "soft",
                lambda d: [of(d, (5, 7)), values("part", (5, 7), 2)],
                lambda x, y: F.softmax_with_cross_entropy(x, y, soft_label=True),
            ),
        ],
    )
    yield from listed(
        "nll_loss",
        floats,
        [
            (
                reduction,
                lambda d: [of(d, (5, 7)), index([0, 6, 2, 3, 3])],
                lambda x, y, r=reduction: F.nll_loss(x, y, reduction=r),
            )
            for reduction in ("mean", "sum", "none")
        ],
    )
    two = lambda d: [values("part", (4, 5), 1), values("part", (4, 5), 2)]  # noqa: E731
    yield from listed(
        "sigmoid_cross_entropy_with_logits",
        floats,
        [
            ("plain", two, lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none")),
            (
                "weight",
                two,
                lambda x, y: F.binary_cross_entropy_with_logits(
                    x, y, reduction="none", pos_weight=y + 2
                ),
            ),
        ],
    )
    yield from listed(
        "bce_loss",
        floats,
        [("plain", two, lambda x, y: F.binary_cross_entropy(x, y, reduction="none"))],
    )
    yield from listed(
        "kldiv_loss", floats, [("none", two, lambda x, y: F.kl_div(x, y, reduction="none"))]
    )
    yield from listed(
        "log_loss",
        FLOATS,
        [("1", lambda d: [values("part", (5, 1), 1), values("part", (5, 1), 2)], F.log_loss)],
    )
    yield from listed(
        "huber_loss",
        floats,
        [("1", two, lambda x, y: F.smooth_l1_loss(x, y, reduction="none"))],
    )
    yield from listed(
        "label_smooth",
        floats,
        [("0.1", lambda d: [values("part", (4, 5), 1)], F.label_smooth)],
        narrow=True,
    )


def products():
    floats = FLOATS
    batches = lambda d: [of(d, (2, 3, 5)), of(d, (2, 3, 4), 2), of(d, (2, 4, 5), 3)]  # noqa: E731
    added = lambda i, x, y: paddle.baddbmm(i, x, y, 0.5, 2.0)  # noqa: E731
    yield from listed("baddbmm", floats, [("2x3x4", batches, added)])
    vectors = lambda d: [of(d, (7,)), of(d, (7,), 2)]  # noqa: E731
    yield from listed("dot", floats, [("7", vectors, paddle.dot)])
    yield from listed("mv", floats, [("4x7", lambda d: [of(d, (4, 7)), of(d, (7,), 2)], paddle.mv)])
    yield from listed("dist", floats, [("2", vectors, lambda x, y: paddle.dist(x, y, 2))])
    yield from listed(
        "kron", floats, [("2x3", lambda d: [of(d, (2, 3)), of(d, (3, 2), 2)], paddle.kron)]
    )
    yield from listed(
        "lerp", floats, [("3", lambda d: [of(d, (3, 4), i) for i in range(3)], paddle.lerp)]
    )
    yield from listed(
        "determinant", floats, [("3x3", lambda d: [of(d, (2, 3, 3))], paddle.linalg.det)]
    )
    yield from listed(
        "trace",
        NUMBERS,
        [("4x5", lambda d: [of(d, (4, 5))], lambda x: paddle.trace(x, 1))],
    )
    for dim in (0, 1):
        yield from listed(
            "cumprod",
            floats,
            [(f"{dim}", lambda d: [of(d, (3, 4))], lambda x, a=dim: paddle.cumprod(x, a))],
        )
        yield from listed(
            "logcumsumexp",
            ("f32", "f64"),
            [(f"{dim}", lambda d: [of(d, (3, 4))], lambda x, a=dim: paddle.logcumsumexp(x, a))],
        )
    yield from listed(
        "prelu",
        floats,
        [
            ("all", lambda d: [of(d, (2, 3, 4)), values("part", (1,), 2)], F.prelu),
            ("channel", lambda d: [of(d, (2, 3, 4)), values("part", (3,), 2)], F.prelu),
        ],
    )
    yield from listed(
        "logit",
        floats,
        [("part", lambda d: [values("part", (4, 5), 1)], lambda x: paddle.logit(x, 1e-6))],
    )
    for name in ("isnan", "isinf", "isfinite"):
        special = lambda d: [np.array([1.0, np.nan, np.inf, -np.inf, 0.0, -2.5])]  # noqa: E731
        yield from listed(name, FLOATS, [("special", special, getattr(paddle, name))])
    near = lambda d: [np.array([1.0, 2.0, np.nan]), np.array([1.0 + 1e-9, 2.1, np.nan])]  # noqa: E731
    for nan in (True, False):
        yield from listed(
            "isclose",
            COMPARED,
            [(f"nan {nan}", near, lambda x, y, n=nan: paddle.isclose(x, y, equal_nan=n))],
        )
        yield from listed(
            "allclose",
            COMPARED,
            [(f"nan {nan}", near, lambda x, y, n=nan: paddle.allclose(x, y, equal_nan=n))],
        )


def shapes():
    def x(*shape):
        return lambda d: [of(d, shape)]

    # Without views, which need no kernel.
    own = {
        "reshape": [("2x6", lambda x: paddle.reshape(x, [2, -1]))],
        "squeeze": [("1", lambda x: paddle.squeeze(copied(x).unsqueeze(1), 1))],
        "unsqueeze": [("1", lambda x: paddle.unsqueeze(x, [0, 2]))],
        "flatten": [("all", paddle.flatten)],
        "transpose": [("1 0", lambda x: paddle.transpose(x, [1, 0]))],
        "slice": [
            ("1:3", lambda x: paddle.slice(x, [0, 1], [1, -3], [3, 4])),
            ("empty", lambda x: paddle.slice(x, [0], [2], [2])),
        ],
        "strided_slice": [
            ("::2", lambda x: paddle.strided_slice(x, [0, 1], [0, 3], [3, 0], [2, -1]))
        ],
        "expand": [("2x3x4", lambda x: paddle.expand(x, [2, 3, 4]))],
        "split": [("axis 1", lambda x: paddle.split(x, [1, 3], 1))],
        "split_with_num": [("2", lambda x: paddle.split(x, 2, 1))],
        "unbind": [("0", lambda x: paddle.unbind(x, 0))],
        "diagonal": [("1", lambda x: paddle.diagonal(x, 1))],
    }
    for kernel, calls in own.items():
        given = [(detail, x(3, 4), call) for detail, call in calls]
        yield from listed(kernel, ALL, given, views=False)
    more = {
        "unstack": [("0", lambda x: paddle.unstack(x, 0))],
        "expand_as": [("rows", lambda x: paddle.expand_as(x[:1], x))],
        "repeat_interleave": [("2", lambda x: paddle.repeat_interleave(x, 2, 1))],
        "broadcast_tensors": [("2", lambda x: paddle.broadcast_tensors([x, copied(x[:1])]))],
        "meshgrid": [("2", lambda x: paddle.meshgrid([copied(x[0]), copied(x[1])]))],
        "index_sample": [("2", lambda x: paddle.index_sample(x, paddle.ones([3, 2], "int64")))],
        "take_along_axis": [
            ("1", lambda x: paddle.take_along_axis(x, paddle.ones([3, 1], "int64"), 1))
        ],
        "set_value": [("number", lambda x: _set(x, 1))],
        "set_value_with_tensor": [("rows", lambda x: _set(x, copied(x[0:1])))],
        "masked_fill": [("half", lambda x: paddle.masked_fill(x, x > x, 1))],
        "gather_nd": [("rows", lambda x: paddle.gather_nd(x, paddle.to_tensor([[0, 1], [2, 3]])))],
    }
    for kernel, calls in more.items():
        yield from listed(kernel, ALL, [(detail, x(3, 4), call) for detail, call in calls])
    narrow = ALL
    yield from listed("crop", narrow, [("2x2", x(3, 4), lambda x: paddle.crop(x, [2, 2], [1, 1]))])
    yield from listed("is_empty", narrow, [("no", x(3, 4), paddle.is_empty)])
    embedded = [("1", x(3, 4), lambda x: paddle.diag_embed(x, 1))]
    yield from listed("diag_embed", narrow, embedded, eager_only=True)
    number = [("number", x(3, 4), lambda x: copied(x).fill_(1))]
    yield from listed("fill", ALL, number, eager_only=True)
    vector = [("1", x(4), lambda x: paddle.diag(x, 1)), ("matrix", x(4, 5), paddle.diag)]
    yield from listed("diag", ALL, vector)
    rows = lambda d: [of(d, (5, 3)), index([4, 0, 1]), of(d, (3, 3), 2)]  # noqa: E731
    for over, dtypes in ((True, ALL), (False, NUMBERS)):
        call = lambda x, i, u, o=over: paddle.scatter(x, i, u, o)  # noqa: E731
        yield from listed("scatter", dtypes, [(f"{over}", rows, call)])
    yield from listed(
        "index_add",
        NUMBERS,
        [("rows", rows, lambda x, i, u: paddle.index_add(x, i, 0, u))],
    )
    yield from listed(
        "scatter_nd_add",
        NUMBERS,
        [
            (
                "rows",
                lambda d: [of(d, (5, 3)), index([[4], [0], [4]]), of(d, (3, 3), 2)],
                paddle.scatter_nd_add,
            )
        ],
    )
    along = lambda d: [of(d, (3, 4)), index([[1], [0], [3]]), of(d, (3, 1), 2)]  # noqa: E731
    for reduce, dtypes in (("assign", ALL), ("add", NUMBERS), ("multiply", NUMBERS)):
        yield from listed(
            "put_along_axis",
            dtypes,
            [(reduce, along, lambda x, i, v, r=reduce: paddle.put_along_axis(x, i, v, 1, r))],
        )
    yield from listed(
        "embedding",
        ALL,
        [
            ("2x3", lambda d: [index([[0, 5, 1], [2, 2, 4]]), of(d, (6, 4))], F.embedding),
            (
                "padding",
                lambda d: [index([0, 5, 1]), of(d, (6, 4))],
                lambda i, w: F.embedding(i, w, 1),
            ),
        ],
    )
    yield from listed(
        "searchsorted",
        ALL,
        [
            (
                "7",
                lambda d: [np.sort(of(d, (7,))), of(d, (2, 3), 2)],
                lambda s, v: paddle.searchsorted(s, v, right=True),
            )
        ],
    )
    yield from listed(
        "argsort",
        NUMBERS,
        [
            (
                f"{down}",
                lambda d: [ranked(d, (4, 9))],
                lambda x, d=down: paddle.argsort(x, 1, descending=d),
            )
            for down in (True, False)
        ],
    )
    yield from listed(
        "kthvalue",
        NUMBERS,
        [("3", lambda d: [ranked(d, (4, 9))], lambda x: paddle.kthvalue(x, 3, 1))],
    )
    yield from listed(
        "multiplex",
        ALL,
        [
            (
                "2",
                lambda d: [[of(d, (3, 4)), of(d, (3, 4), 2)], (np.array([[1], [0], [1]]), "i32")],
                paddle.multiplex,
            )
        ],
    )
    yield from listed(
        "one_hot",
        ALL,
        [("6", lambda d: [np.array([0, 5, 2])], lambda x: F.one_hot(x, 6))],
    )
    shifts = lambda d: [values("whole", (2, 3), 1), np.array([[1, 0, 2], [3, 1, 1]])]  # noqa: E731
    for name in ("bitwise_left_shift", "bitwise_right_shift"):
        yield from listed(name, INTS, [("2x3", shifts, getattr(paddle, name))])
    logical = [("logical", shifts, lambda x, y: paddle.bitwise_right_shift(x - 5, y, False))]
    yield from listed("bitwise_right_shift", INTS, logical)
    yield from listed(
        "increment",
        NUMBERS,
        [("1", lambda d: [of(d, (1,))], lambda x: paddle.increment(copied(x), 2))],
    )
    yield from listed(
        "index_put",
        ALL,
        [
            (
                "rows",
                lambda d: [of(d, (5, 3)), index([4, 0]), of(d, (2, 3), 2)],
                lambda x, i, v: paddle.index_put(x, (i,), v),
            )
        ],
    )
    yield from listed(
        "eye",
        ALL,
        [("3x4", lambda d: [of(d, (1,))], lambda x: paddle.eye(3, 4, x.dtype))],
    )
    yield from listed(
        "full", ALL, [("2x3", lambda d: [of(d, (1,))], lambda x: paddle.full([2, 3], 1, x.dtype))]
    )


def _set(x, value):
    y = copied(x)
    y[1:3] = value
    return y


def cases():
    for group in (convolutions, pools, norms, images, losses, products, shapes):
        yield from group()
