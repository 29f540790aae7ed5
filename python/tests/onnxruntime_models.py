"""Models that tests of ONNX Runtime's interface share, and the engines that they run on.

The tests run on ``trident.onnxruntime``, and where ONNX Runtime is installed, the same tests run
on it, too: what they say holds for both.
"""

import importlib.util

import numpy as np
import pytest
from onnx_bytes import model, node, sequence_type, tensor, tensor_type

import trident.onnxruntime

ours = trident.onnxruntime

if importlib.util.find_spec("onnxruntime") is None:
    theirs = None
else:
    import onnxruntime as theirs

ENGINES = [
    pytest.param(ours, id="trident"),
    pytest.param(
        theirs,
        id="onnxruntime",
        marks=pytest.mark.skipif(theirs is None, reason="onnxruntime is not installed"),
    ),
]

FLOATS = tensor_type("float32", ["N", 3])


def state(ort):
    """The module with the classes of ONNX Runtime's extension."""
    return ort.capi.onnxruntime_pybind11_state


def add(default=None):
    """``x + y``, where ``y`` may have a value in the model."""
    inputs = {"x": FLOATS, "y": tensor_type("float32", [None, 3])}
    initializers = [] if default is None else [tensor("y", default)]
    nodes = [node("Add", ["x", "y"], ["z"], "sum")]
    return model(nodes, inputs, {"z": FLOATS}, initializers, {"key": "text"})


def two():
    """``-x`` and ``|x|``."""
    nodes = [node("Neg", ["x"], ["minus"]), node("Abs", ["x"], ["size"])]
    return model(nodes, {"x": FLOATS}, {"minus": FLOATS, "size": FLOATS})


def pair():
    """A sequence of ``x`` twice."""
    nodes = [node("SequenceConstruct", ["x", "x"], ["both"])]
    return model(nodes, {"x": FLOATS}, {"both": sequence_type(FLOATS)})


def same(dtype):
    """The identity of a vector."""
    ty = tensor_type(dtype, ["N"])
    return model([node("Identity", ["x"], ["y"])], {"x": ty}, {"y": ty})


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


#: Inputs of ``add``.
FEED = {"x": ones(2, 3), "y": ones(2, 3)}
