"""Text cast to numbers, beside Python's integers and ONNX Runtime."""

import numpy as np
from onnx import TensorProto, helper

from .suite import model, same

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def cast(name):
    """A model that casts a vector of texts to the element type of this NumPy name."""
    number = getattr(TensorProto, name.upper())
    node = helper.make_node("Cast", ["x"], ["y"], to=number)
    return model([node], {"x": (TensorProto.STRING, ["n"])}, {"y": (number, ["n"])})


def in_range(suite, name):
    texts = ["0", "1", "7", "100", "127"]
    x = np.array(texts, object)
    got = suite.trident(cast(name), [x])
    same(got, [np.array([int(text) for text in texts], name)])
    same(suite.onnxruntime(cast(name), [x]), got)


def run(suite):
    for name in INTEGERS:
        suite.check(f"in range, {name}", lambda n=name: in_range(suite, n))
