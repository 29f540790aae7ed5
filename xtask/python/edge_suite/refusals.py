"""Models that are refused: the text names the true cause, and the hint is of use."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from .suite import Refused, model

FLOAT, BYTE, INT64 = TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT64
NUMPY = {FLOAT: np.float32, BYTE: np.uint8, INT64: np.int64}

# Faults of attributes on two spatial axes, and what the error says.
PADS = [
    ("pads", [0, 0, 0, -1], "`pads` holds -1, expected at least 0"),
    ("pads", [0, 0, 0], "`pads` has 3 entries, expected 4 for 2 spatial axes"),
    ("pads", [0, 2**40, 0, 0], "`pads` holds 1099511627776, expected less than 2147483648"),
]
STRIDES = [
    ("strides", [1, 0], "`strides` holds 0, expected at least 1"),
    ("strides", [-2, 1], "`strides` holds -2, expected at least 1"),
    ("strides", [1, 1, 1], "`strides` has 3 entries, expected 2 for 2 spatial axes"),
    ("strides", [2**40, 1], "`strides` holds 1099511627776, expected less than 2147483648"),
]
DILATIONS = [(name.replace("strides", "dilations"), v, text) for name, v, text in STRIDES]
DILATIONS = [(name, v, text.replace("strides", "dilations")) for name, v, text in DILATIONS]
KERNEL = [
    ("kernel_shape", [2, 0], "`kernel_shape` holds 0, expected at least 1"),
    ("kernel_shape", [2, -2], "`kernel_shape` holds -2, expected at least 1"),
    ("kernel_shape", [2], "`kernel_shape` has 1 entry, expected 2 for 2 spatial axes"),
    ("kernel_shape", [2**40, 2], "`kernel_shape` holds 1099511627776, expected less than"),
]
OUTPUT = [
    ("output_padding", [0, -1], "`output_padding` holds -1, expected at least 0"),
    ("output_padding", [1], "`output_padding` has 1 entry, expected 2 for 2 spatial axes"),
    ("output_shape", [4, -4], "`output_shape` holds -4, expected at least 0"),
    ("output_shape", [4], "`output_shape` has 1 entry, expected 2 for 2 spatial axes"),
]
POOLED = [
    ("pooled_shape", [2, 0], "`pooled_shape` holds 0, expected at least 1"),
    ("pooled_shape", [2], "`pooled_shape` has 1 entry, expected 2 for 2 spatial axes"),
]
ALIGNED = [
    ("output_height", 0, "`output_height` holds 0, expected at least 1"),
    ("output_width", -2, "`output_width` holds -2, expected at least 1"),
]
ALL = PADS + STRIDES + DILATIONS + KERNEL

IMAGE = (FLOAT, [1, 2, 6, 6])
WEIGHTS = np.ones((2, 2, 2, 2), np.float32)
SCALE, ZERO = np.array(0.5, np.float32), np.array(0, np.uint8)
# Inputs, constants, attributes that fit, type of the result, and faults.
OPS = {
    "Conv": ({"x": IMAGE}, [WEIGHTS], {}, FLOAT, ALL),
    "ConvTranspose": ({"x": IMAGE}, [WEIGHTS], {}, FLOAT, ALL + OUTPUT),
    "MaxPool": ({"x": IMAGE}, [], {"kernel_shape": [2, 2]}, FLOAT, ALL),
    "AveragePool": ({"x": IMAGE}, [], {"kernel_shape": [2, 2]}, FLOAT, ALL),
    "LpPool": ({"x": IMAGE}, [], {"kernel_shape": [2, 2]}, FLOAT, ALL),
    "MaxUnpool": (
        {"x": IMAGE, "i": (INT64, [1, 2, 6, 6])},
        [],
        {"kernel_shape": [2, 2]},
        FLOAT,
        PADS + STRIDES + KERNEL,
    ),
    "Col2Im": (
        {"x": (FLOAT, [1, 8, 25])},
        [np.array([6, 6]), np.array([2, 2])],
        {},
        FLOAT,
        PADS + STRIDES + DILATIONS,
    ),
    "DeformConv": (
        {"x": IMAGE},
        [WEIGHTS, np.zeros((1, 8, 5, 5), np.float32)],
        {},
        FLOAT,
        ALL,
    ),
    "ConvInteger": (
        {"x": (BYTE, [1, 2, 6, 6])},
        [WEIGHTS.astype(np.uint8)],
        {},
        TensorProto.INT32,
        ALL,
    ),
    "QLinearConv": (
        {"x": (BYTE, [1, 2, 6, 6])},
        [SCALE, ZERO, WEIGHTS.astype(np.uint8), SCALE, ZERO, SCALE, ZERO],
        {},
        BYTE,
        ALL,
    ),
    "MaxRoiPool": (
        {"x": IMAGE, "rois": (FLOAT, [1, 5])},
        [],
        {"pooled_shape": [2, 2]},
        FLOAT,
        POOLED,
    ),
    "RoiAlign": (
        {"x": IMAGE, "rois": (FLOAT, [1, 4])},
        [np.array([0])],
        {"output_height": 2, "output_width": 2},
        FLOAT,
        ALIGNED,
    ),
}
BLOCKS = [
    ([2, 0], "`block_shape` holds 0, expected at least 1"),
    ([2], "`block_shape` has 1 entry, expected 2 for 2 spatial axes"),
]

# Operators that there are not, and what the hint says.
UNKNOWN = [
    ("com.microsoft", "MatMulNBit", "did you mean `MatMulNBits`?"),
    ("com.microsoft", "MoE", "of its operators, Trident runs `"),
    ("com.microsoft", "FusedConv", "export with the standard's operators"),
    ("com.microsoft.nchwc", "ReorderInput", "Trident runs no operators of this domain"),
    ("", "FusedMatMul", "`FusedMatMul` is an operator of `com.microsoft`"),
    ("ai.onnx", "QLinearAdd", "is an operator of `com.microsoft`"),
    ("", "Convv", "did you mean `Conv`?"),
    ("", "Scaler", "`Scaler` is an operator of `ai.onnx.ml`"),
    ("com.example", "Conv2", "need a function of that name"),
]


def built(op, attributes, constants=None):
    """The model of an op with these attributes over those that fit, and its inputs."""
    inputs, own, fitting, result, _ = OPS[op]
    constants = [
        numpy_helper.from_array(np.asarray(value), f"c{i}")
        for i, value in enumerate(own if constants is None else constants)
    ]
    names = [*inputs, *(constant.name for constant in constants)]
    if op == "QLinearConv":
        names = ["x", *names[1:]]
    node = helper.make_node(op, names, ["y"], name="node", **{**fitting, **attributes})
    proto = model([node], inputs, {"y": (result, None)}, opset=22, constants=constants)
    return proto, [np.zeros(shape, NUMPY[dtype]) for dtype, shape in inputs.values()]


def refused(suite, case, text):
    """Fail unless the model is refused, before it runs, with this text."""
    try:
        suite.trident(*case)
    except Refused as error:
        if text not in str(error):
            raise AssertionError(f"expected {text!r} in {str(error)!r}") from None
        if error.stage not in ("load", "plan"):
            raise AssertionError(f"refused late, by {error.stage!r}: {error}") from None
        return
    raise AssertionError(f"it runs, expected {text!r}")


def unknown(domain, op):
    node = helper.make_node(op, ["x"], ["y"], domain=domain)
    domains = [] if domain in ("", "ai.onnx") else [(domain, 1)]
    value = (FLOAT, [2])
    proto = model([node], {"x": value}, {"y": value}, domains=domains)
    return proto, [np.zeros(2, np.float32)]


def run(suite):
    for op, (*_, faults) in OPS.items():
        suite.check(f"{op} as it fits", lambda op=op: suite.trident(*built(op, {})))
        for name, value, text in faults:
            case = lambda op=op, a={name: value}, t=text: refused(suite, built(op, a), t)  # noqa: E731
            suite.check(f"{op}: {name} = {value}", case)
    for block, text in BLOCKS:
        case = built("Col2Im", {}, [np.array([6, 6]), np.array(block)])
        suite.check(f"Col2Im: block_shape {block}", lambda c=case, t=text: refused(suite, c, t))
    for domain, op, text in UNKNOWN:
        case = unknown(domain, op)
        suite.check(f"{domain or 'no domain'}, {op}", lambda c=case, t=text: refused(suite, c, t))
