"""`Resize` and `Upsample` by scales and sizes, beside ONNX Runtime.

One model has a node for each scale, so a case is a model: an operand's shape, a coordinate map and
a mode. Lengths must be equal and values within `TOLERANCE`, but for the exceptions of
`resize_exceptions`. The reference evaluator decides what ONNX Runtime refuses.
"""

import itertools

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from .resize_exceptions import TOLERANCE, Case, Comparison, scaled
from .suite import Refused, model, same

SCALES = (
    *(0.1, 0.15, 0.2, 0.25, 0.3, 1 / 3, 0.35, 0.45, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.85, 0.9),
    *(1.0, 1.02, 1.1, 1.25, 1.4, 1.5, 1.7, 2.0, 2.3, 3.0),
)
SHAPES = ((40, 40), (120, 31), (13, 7), (64, 50))
TRANSFORMS = (
    *("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"),
    *("tf_half_pixel_for_nn", "tf_crop_and_resize"),
)
MODES = {
    **{
        f"nearest {n}": {"mode": "nearest", "nearest_mode": n}
        for n in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    },
    "linear": {"mode": "linear"},
    "cubic": {"mode": "cubic"},
    "cubic, outside excluded": {"mode": "cubic", "exclude_outside": 1, "cubic_coeff_a": -0.5},
    "linear, antialiased": {"mode": "linear", "antialias": 1},
    "cubic, antialiased": {"mode": "cubic", "antialias": 1},
    "linear, antialiased, outside excluded": {
        "mode": "linear",
        "antialias": 1,
        "exclude_outside": 1,
    },
}
ROI = (0.2, -0.1, 0.8, 1.2)


def resize(shape, attrs, by, values, opset=19, op="Resize", dtype=TensorProto.FLOAT, roi=ROI):
    """A model with a node for each pair of values, which are scales or sizes."""
    nodes, constants, outputs = [], [], {}
    crops = attrs.get("coordinate_transformation_mode") == "tf_crop_and_resize"
    if opset in (11, 12):
        constants.append(numpy_helper.from_array(np.empty(0, np.float32), "none"))
    if crops:
        constants.append(numpy_helper.from_array(np.array(roi, np.float32), "roi"))
    for i, pair in enumerate(values):
        wanted = np.array(pair, np.float32 if by == "scales" else np.int64)
        constants.append(numpy_helper.from_array(wanted, f"by{i}"))
        none = "none" if opset < 13 else ""  # absent operands were empty ones
        inputs = ["x", "roi" if crops else none, *([none, ""] if by == "sizes" else [""])]
        inputs[-1] = f"by{i}"
        if opset < 11:
            inputs = ["x", f"by{i}"]
        nodes.append(helper.make_node(op, inputs, [f"y{i}"], **attrs))
        outputs[f"y{i}"] = (dtype, None)
    return model(nodes, {"x": (dtype, shape)}, outputs, opset, constants)


def compare(suite, built, x, tolerance=TOLERANCE):
    """Fail unless the model has ONNX Runtime's results."""
    same(suite.trident(built, [x]), suite.onnxruntime(built, [x]), tolerance)


def grid(suite, comparison):
    """All scales, shapes, maps and modes."""
    for shape, transform, (mode, attrs) in itertools.product(SHAPES, TRANSFORMS, MODES.items()):
        if transform == "tf_half_pixel_for_nn" and "antialias" in attrs:
            continue  # the map is of operator sets 11 and 12, antialiasing of later ones
        name = f"{shape[0]}x{shape[1]}, {transform}, {mode}"

        def check(shape=shape, transform=transform, mode=mode, attrs=attrs, name=name):
            attrs = {**attrs, "coordinate_transformation_mode": transform}
            if transform == "tf_crop_and_resize":
                attrs["extrapolation_value"] = 3.0
            opset = 11 if transform == "tf_half_pixel_for_nn" else 19
            built = resize(shape, attrs, "scales", [(s, s) for s in SCALES], opset)
            x = suite.random(name).uniform(-1, 1, shape).astype(np.float32)
            cases = [
                Case(
                    *("onnxruntime", mode, shape, tuple(scaled(n, s) for n in shape), (s, s)),
                    transform,
                )
                for s in SCALES
            ]
            comparison.compare(cases, suite.trident(built, [x]), suite.onnxruntime(built, [x]))

        suite.check(name, check)


def sizes(suite):
    """Sizes instead of scales, with and without an aspect ratio that is kept."""
    rng = suite.random("sizes")
    for policy in ("stretch", "not_larger", "not_smaller"):
        for mode in ("nearest", "linear", "cubic"):
            for shape in SHAPES:
                pairs = rng.integers(1, 150, (25, 2)).tolist()
                attrs = {"mode": mode, "keep_aspect_ratio_policy": policy}
                built = resize(shape, attrs, "sizes", pairs)
                x = rng.uniform(-1, 1, shape).astype(np.float32)
                suite.check(
                    f"sizes, {policy}, {mode}, {shape[0]}x{shape[1]}",
                    lambda built=built, x=x: compare(suite, built, x),
                )


def mixed(suite):
    """Other scales by axis, and older operators."""
    rng = suite.random("mixed")
    pairs = [(a, b) for a, b in zip(SCALES, SCALES[7:] + SCALES[:7], strict=True)]
    grown = [(a + 1, b + 1) for a, b in pairs]
    for shape in SHAPES:
        x = rng.uniform(-1, 1, shape).astype(np.float32)
        for mode in ("nearest", "linear"):
            for op, opset, values in (
                ("Resize", 10, pairs),
                ("Resize", 11, pairs),
                ("Resize", 13, pairs),
                ("Resize", 18, pairs),
                ("Upsample", 9, grown),
            ):
                built = resize(shape, {"mode": mode}, "scales", values, opset, op)
                suite.check(
                    f"{op} {opset}, {mode}, {shape[0]}x{shape[1]}",
                    lambda built=built, x=x: compare(suite, built, x),
                )
        for scale in grown[::5]:
            node = helper.make_node("Upsample", ["x"], ["y"], mode="nearest", scales=scale)
            f32 = TensorProto.FLOAT
            built = model([node], {"x": (f32, shape)}, {"y": (f32, None)}, 7)
            suite.check(
                f"Upsample 7, {scale[0]:g} {scale[1]:g}, {shape[0]}x{shape[1]}",
                lambda built=built, x=x: compare(suite, built, x),
            )


def dynamic(suite):
    """Lengths and scales that are only known in a run."""
    named = [("n", "f"), (1, 3, "h", "w"), (1, 3, 40, 31)]
    for declared, (mode, attrs) in itertools.product(named, MODES.items()):
        for fixed in (True, False):

            def check(declared=declared, mode=mode, attrs=attrs, fixed=fixed):
                shape = (1, 3, 40, 31) if len(declared) == 4 else (40, 31)
                ones = (1.0,) * (len(shape) - 2)
                x = suite.random(mode).uniform(-1, 1, shape).astype(np.float32)
                for scale in ((1.4, 0.5), (0.6, 2.0), (0.7, 0.35), (2.3, 1.1)):
                    built = resize(declared, attrs, "scales", [(*ones, *scale)])
                    inputs = [x]
                    if not fixed:
                        # The scales become the second input.
                        (constant,) = (c for c in built.graph.initializer if c.name == "by0")
                        inputs.append(numpy_helper.to_array(constant))
                        built.graph.initializer.remove(constant)
                        info = helper.make_tensor_value_info(
                            "by0", TensorProto.FLOAT, [len(inputs[1])]
                        )
                        built.graph.input.append(info)
                    got = suite.trident(built, inputs)
                    same(got, suite.onnxruntime(built, inputs), TOLERANCE)

            how = "scales" if fixed else "scales as an input"
            suite.check(f"{'x'.join(map(str, declared))}, {how}, {mode}", check)


def outside(suite, built, x):
    """The results of ONNX Runtime, else of the reference evaluator."""
    try:
        return suite.onnxruntime(built, [x])
    except Refused:
        return ReferenceEvaluator(built).run(None, {"x": x})


def floats(suite):
    """Narrow floats, which compute in f32 and round once, and f64."""
    pairs = [(0.45, 1.7), (2.3, 0.6), (1.5, 3.0), (0.7, 0.7)]
    types = {
        "f16": (TensorProto.FLOAT16, np.float16, 2**-10),
        "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16, 2**-7),
    }
    for (name, (proto, dtype, place)), (mode, attrs) in itertools.product(
        types.items(), MODES.items()
    ):

        def check(name=name, proto=proto, dtype=dtype, place=place, mode=mode, attrs=attrs):
            x = suite.random(mode).uniform(-100, 100, (13, 7)).astype(dtype)
            near = {"rtol": place, "atol": 1e-3}
            got = suite.trident(resize((13, 7), attrs, "scales", pairs, dtype=proto), [x])
            wide = resize((13, 7), attrs, "scales", pairs)
            want = suite.onnxruntime(wide, [x.astype(np.float32)])
            same([y.astype(np.float32) for y in got], want, near)
            assert all(y.dtype == dtype for y in got), [y.dtype for y in got]
            if name == "f16":
                built = resize((13, 7), attrs, "scales", pairs, dtype=proto)
                same(got, suite.onnxruntime(built, [x]), near)

        suite.check(f"{name}, {mode}", check)
    # The reference computes cubic weights in f32.
    for mode, near in (("linear", 1e-12), ("linear, antialiased", 1e-12), ("cubic", 2e-6)):

        def check(mode=mode, near=near):
            built = resize((13, 7), MODES[mode], "scales", pairs, dtype=TensorProto.DOUBLE)
            x = suite.random(mode).uniform(-1, 1, (13, 7))
            want = ReferenceEvaluator(built).run(None, {"x": x})
            same(suite.trident(built, [x]), want, {"rtol": near, "atol": near})

        suite.check(f"f64, {mode}", check)


def integers(suite):
    """Integers: nearest elements are copied, weighted sums round to nearest and saturate."""
    pairs = [(0.45, 1.7), (2.3, 0.6), (1.5, 3.0), (0.7, 0.7)]
    for dtype, (mode, attrs) in itertools.product(
        (np.uint8, np.int8, np.int32, np.int64, np.uint16), MODES.items()
    ):
        info = np.iinfo(dtype)
        low, high = max(info.min, -30000), min(info.max, 30000)

        def check(dtype=dtype, mode=mode, attrs=attrs, info=info, low=low, high=high):
            x = suite.random(mode).integers(low, high, (13, 7), endpoint=True).astype(dtype)
            proto = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
            built = resize((13, 7), attrs, "scales", pairs, dtype=proto)
            got = suite.trident(built, [x])
            wide = resize((13, 7), attrs, "scales", pairs)
            exact = suite.onnxruntime(wide, [x.astype(np.float32)])
            for a, b in zip(got, exact, strict=True):
                assert a.dtype == dtype, a.dtype
                miss = np.abs(a - np.clip(b.astype(np.float64), info.min, info.max))
                # ONNX Runtime's sums are in f32, which matters near a half.
                assert miss.max() <= 0.5 + high * 1e-6, miss.max()
            if attrs["mode"] == "nearest":
                same([y.astype(np.float32) for y in got], exact)

        suite.check(f"{np.dtype(dtype).name}, {mode}", check)


def parts(suite):
    """Subsets of the axes in any order, with scales, sizes, aspect ratios and regions."""
    shape = (2, 3, 13, 7)
    for axes, (mode, attrs) in itertools.product(
        ((2, 3), (3, 2), (-1,), (2,), (-2, -1)), MODES.items()
    ):
        n = len(axes)
        variants = {
            "scales": ("scales", [(0.6, 1.7)[:n], (1.4, 0.35)[:n]], {}),
            "sizes": ("sizes", [(5, 11)[:n], (20, 3)[:n]], {}),
            "not larger": ("sizes", [(9, 11)[:n]], {"keep_aspect_ratio_policy": "not_larger"}),
            "not smaller": ("sizes", [(9, 11)[:n]], {"keep_aspect_ratio_policy": "not_smaller"}),
        }
        for variant, (by, values, more) in variants.items():

            def check(axes=axes, attrs=attrs, by=by, values=values, more=more, mode=mode):
                built = resize(shape, {**attrs, **more, "axes": axes}, by, values)
                x = suite.random(mode).uniform(-1, 1, shape).astype(np.float32)
                # ONNX Runtime takes negative axes for others if an aspect ratio is kept.
                counted = [axis % len(shape) for axis in axes]
                same_model = resize(shape, {**attrs, **more, "axes": counted}, by, values)
                same(suite.trident(built, [x]), suite.onnxruntime(same_model, [x]), TOLERANCE)

            suite.check(f"axes {axes}, {variant}, {mode}", check)


def regions(suite):
    """Regions inside of the operand, beyond it, mirrored, and of one sample."""
    for roi, sizes, mode in itertools.product(
        ((0.2, -0.1, 0.8, 1.2), (0.0, 0.0, 1.0, 1.0), (0.9, 0.1, 0.3, 0.6), (0.4, 0.5, 0.4, 0.5)),
        ((5, 9), (1, 1), (1, 6), (20, 3)),
        ("nearest round_prefer_floor", "nearest ceil", "linear", "cubic"),
    ):

        def check(roi=roi, sizes=sizes, mode=mode):
            attrs = {
                **MODES[mode],
                "coordinate_transformation_mode": "tf_crop_and_resize",
                "extrapolation_value": -3.0,
            }
            x = suite.random(mode).uniform(-1, 1, (13, 7)).astype(np.float32)
            compare(suite, resize((13, 7), attrs, "sizes", [sizes], roi=roi), x)

        suite.check(f"region {roi}, {sizes}, {mode}", check)


def odd(suite):
    """Axes of one element and of none, one axis, and many."""
    cases = {
        (1, 1): [(5, 1), (1, 4), (3, 2)],
        (1, 7): [(1, 3), (4, 7), (1, 14)],
        (9,): [(4,), (20,), (1,)],
        (1, 1, 4, 5, 6): [(1, 1, 7, 3, 6), (1, 1, 2, 9, 12)],
        (2, 0): [(4, 0), (1, 0)],
        (3, 5): [(0, 5), (0, 0), (6, 0)],
    }
    for (shape, sizes), transform, mode in itertools.product(
        cases.items(), TRANSFORMS[:5], ("nearest floor", "linear", "linear, antialiased", "cubic")
    ):
        if mode == "cubic" and len(shape) == 5:
            continue  # ONNX Runtime and the reference take minutes or refuse

        def check(shape=shape, sizes=sizes, transform=transform, mode=mode):
            attrs = {**MODES[mode], "coordinate_transformation_mode": transform}
            x = suite.random(mode).uniform(-1, 1, shape).astype(np.float32)
            got = suite.trident(resize(shape, attrs, "sizes", sizes), [x])
            if len(shape) > 1:
                want = outside(suite, resize(shape, attrs, "sizes", sizes), x)
            else:  # ONNX Runtime wants two axes
                built = resize((1, *shape), attrs, "sizes", [(1, *s) for s in sizes])
                want = [y[0] for y in suite.onnxruntime(built, [x[None]])]
            same(got, want, TOLERANCE)

        suite.check(f"{shape} to sizes, {transform}, {mode}", check)


def run(suite):
    comparison = Comparison()
    grid(suite, comparison)
    comparison.check(suite)
    sizes(suite)
    mixed(suite)
    dynamic(suite)
    floats(suite)
    integers(suite)
    parts(suite)
    regions(suite)
    odd(suite)
