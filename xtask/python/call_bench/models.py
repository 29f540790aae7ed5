"""The models that are called, and one input for each size."""

import dataclasses
import pathlib

import numpy as np
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
DIGITS = ROOT / "examples/digits/digits.onnx"


@dataclasses.dataclass
class Subject:
    """A model with its only input."""

    name: str
    file: pathlib.Path
    input: str
    array: np.ndarray


def one_op(op, folder):
    """The file of a model of one op on f32[N, 4]."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 4]) for name in ("x", "y"))
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"])], "one_op", [x], [y])
    opsets = [helper.make_opsetid("", 17)]
    file = pathlib.Path(folder, f"{op}.onnx")
    file.write_bytes(
        helper.make_model(graph, ir_version=8, opset_imports=opsets).SerializeToString()
    )
    return file


def single(folder):
    """The subject whose calls are compared with the engine's run: next to nothing is computed."""
    return Subject("Neg of 4 numbers", one_op("Neg", folder), "x", ones(1, 4))


def shared(folder):
    """The subjects that several threads call."""
    tanh = one_op("Tanh", folder)
    return [
        Subject("Tanh of 4 numbers", tanh, "x", ones(1, 4)),
        Subject("Tanh of 40,000 numbers", tanh, "x", ones(10_000, 4)),
        Subject("digits, 1 picture", DIGITS, "image", ones(1, 1, 8, 8)),
        Subject("digits, 64 pictures", DIGITS, "image", ones(64, 1, 8, 8)),
    ]


def ones(*shape):
    return np.ones(shape, np.float32)
