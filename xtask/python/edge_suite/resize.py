"""`Resize` and `Upsample` by scales and sizes, beside ONNX Runtime; `interpolate` beside PyTorch.

One model has a node for each scale, so a case is a model: an operand's shape, a coordinate map and
a mode. Sizes must be equal and values within `TOLERANCE`, relative to operands of magnitude 1.
"""

import itertools
import logging
import re
import warnings

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from .suite import model, same

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
INTERPOLATIONS = {
    "nearest": {"mode": "nearest"},
    "nearest-exact": {"mode": "nearest-exact"},
    "bilinear": {"mode": "bilinear"},
    "bilinear, corners": {"mode": "bilinear", "align_corners": True},
    "bicubic": {"mode": "bicubic"},
    "bicubic, corners": {"mode": "bicubic", "align_corners": True},
    "bilinear, antialiased": {"mode": "bilinear", "antialias": True},
    "bicubic, antialiased": {"mode": "bicubic", "antialias": True},
}
ROI = (0.2, -0.1, 0.8, 1.2)
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}

COPIED = "ONNX Runtime copies a resize that changes no length; PyTorch and the reference do not"
UNCROPPED = "ONNX Runtime copies an axis that keeps its length, and so ignores the region"
NO_MAP = "the map is of operator sets 11 and 12, antialiasing of later ones"
EMPTY = "PyTorch refuses results without elements"
LENGTH = "PyTorch multiplies lengths by the f64 scale, of which the file has the nearest f32"
PIXEL = "PyTorch multiplies coordinates by the f32 reciprocal of the scale, ONNX Runtime divides"
KEPT = "PyTorch copies an axis that keeps its length; ONNX Runtime and the reference interpolate"
RATIO = "an antialiased resize of PyTorch has the ratio of lengths for a scale"


def kept(n, scale):
    """Whether an axis keeps its length."""
    return scaled(n, scale) == n


def scaled(n, scale):
    return int(np.float32(n) * np.float32(scale))


def same_pixels(n, scale):
    """Whether products with the reciprocal and quotients give the same nearest elements."""
    x = np.arange(scaled(n, scale), dtype=np.float32)
    return all(np.floor(x * np.float32(1 / scale)) == np.floor(x / np.float32(scale)))


# What is not compared: engine, map, mode, condition of the lengths and scales, reason.
# Maps and modes are matched from their first letter on.
EXCEPTIONS = (
    ("onnxruntime", "tf_crop", "", lambda n, s: any(map(kept, n, s)), UNCROPPED),
    ("onnxruntime", "tf_half", ".*antialiased", lambda n, s: True, NO_MAP),
    ("onnxruntime", "", "cubic(?!, anti)", lambda n, s: all(map(kept, n, s)), COPIED),
    ("torch", "", "", lambda n, s: 0 in map(scaled, n, s), EMPTY),
    ("torch", "", "", lambda n, s: any(int(a * b) != scaled(a, b) for a, b in zip(n, s)), LENGTH),
    ("torch", "", "nearest$", lambda n, s: not all(map(same_pixels, n, s)), PIXEL),
    ("torch", "", "", lambda n, s: len({kept(a, b) for a, b in zip(n, s)}) == 2, KEPT),
    ("torch", "", ".*anti", lambda n, s: any(a * b != scaled(a, b) for a, b in zip(n, s)), RATIO),
)
# Last places of coordinates up to 200, which PyTorch rounds differently.
TORCH_TOLERANCE = {"rtol": 1e-5, "atol": 5e-5}


def left_out(engine, transform, mode, shape, scales):
    """Whether a case is one of the exceptions."""
    return any(
        engine == e and re.match(t, transform) and re.match(m, mode) and condition(shape, scales)
        for e, t, m, condition, _ in EXCEPTIONS
    )


def resize(shape, attrs, by, values, opset=19, op="Resize", dtype=TensorProto.FLOAT):
    """A model with a node for each pair of values, which are scales or sizes."""
    nodes, constants, outputs = [], [], {}
    crops = attrs.get("coordinate_transformation_mode") == "tf_crop_and_resize"
    if opset in (11, 12):
        constants.append(numpy_helper.from_array(np.empty(0, np.float32), "none"))
    if crops:
        constants.append(numpy_helper.from_array(np.array(ROI, np.float32), "roi"))
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


def grid(suite):
    """All scales, shapes, maps and modes."""
    for shape, transform, (mode, attrs) in itertools.product(SHAPES, TRANSFORMS, MODES.items()):
        crops = transform == "tf_crop_and_resize"
        name = f"{shape[0]}x{shape[1]}, {transform}, {mode}"

        pairs = [
            (s, s) for s in SCALES if not left_out("onnxruntime", transform, mode, shape, (s, s))
        ]
        if not pairs:
            continue
        attrs = {**attrs, "coordinate_transformation_mode": transform}
        if crops:
            attrs["extrapolation_value"] = 3.0
        opset = 11 if transform == "tf_half_pixel_for_nn" else 19
        built = resize(shape, attrs, "scales", pairs, opset)
        x = suite.random(name).uniform(-1, 1, shape).astype(np.float32)

        def check(built=built, x=x):
            compare(suite, built, x)

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
    """Other scales by axis, older operators, other types."""
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
        types = {"f16": np.float16, "i8": np.int8, "u8": np.uint8, "i32": np.int32}
        for name, dtype in types.items():
            mode = "linear" if dtype == np.float16 else "nearest"
            proto = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
            values = (x * 100).astype(dtype)
            built = resize(shape, {"mode": mode}, "scales", pairs, dtype=proto)
            near = {"rtol": 2e-3, "atol": 1e-2} if dtype == np.float16 else {"rtol": 0, "atol": 0}
            suite.check(
                f"{name}, {mode}, {shape[0]}x{shape[1]}",
                lambda built=built, x=values, near=near: compare(suite, built, x, near),
            )


def interpolate(suite):
    """Models that PyTorch exports from `interpolate`, beside its own results."""
    torch = suite.package("torch")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)

    class Interpolate(torch.nn.Module):
        def __init__(self, scales, options):
            super().__init__()
            self.scales, self.options = scales, options

        def forward(self, x):
            resized = torch.nn.functional.interpolate
            return tuple(resized(x, scale_factor=s, **self.options) for s in self.scales)

    def check(name, options, shape):
        scales = [s for s in SCALES if not left_out("torch", "", name, shape, (s,) * len(shape))]
        x = suite.random(name).uniform(-1, 1, (1, 2, *shape)).astype(np.float32)
        module = Interpolate(scales, options).eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exported = torch.onnx.export(module, (torch.from_numpy(x),), dynamo=True, verbose=False)
        got = suite.trident(exported.model_proto, [x])
        same(got, [y.numpy() for y in module(torch.from_numpy(x))], TORCH_TOLERANCE)

    for (name, options), shape in itertools.product(INTERPOLATIONS.items(), SHAPES):
        suite.check(
            f"{name}, {shape[0]}x{shape[1]}",
            lambda n=name, o=options, s=shape: check(n, o, s),
        )


def run(suite):
    grid(suite)
    sizes(suite)
    mixed(suite)
