"""Small models, with arrays that fit them and the numbers that NumPy gives."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h

OPSETS = [h.make_opsetid("", 21)]
#: Element types of models that only hand a tensor on.
PLAIN = ["float32", "float64", "float16", "int8", "uint8", "int16", "int32", "int64", "bool"]


@dataclass(frozen=True)
class Kind:
    """A model and what it computes."""

    name: str
    file: bytes
    #: Arrays by input, of a size.
    make: Callable[[np.random.Generator, int], dict]
    #: Results by output, of arrays by input.
    compute: Callable[[dict], dict]
    #: Inputs that may be left out.
    optional: tuple = ()
    #: The outputs' names, in the model's order.
    outputs: tuple = field(default=("y",))


def info(name, dtype, dims):
    return h.make_tensor_value_info(name, h.np_dtype_to_tensor_dtype(np.dtype(dtype)), dims)


def file_of(nodes, inputs, outputs, constants=None):
    """The bytes of a model."""
    initializers = [
        h.make_tensor(k, h.np_dtype_to_tensor_dtype(v.dtype), v.shape, v.ravel())
        for k, v in (constants or {}).items()
    ]
    graph = h.make_graph(nodes, "g", inputs, outputs, initializers)
    return h.make_model(graph, opset_imports=OPSETS, ir_version=10).SerializeToString()


def floats(rng, *dims, dtype="float32"):
    return rng.integers(-8, 9, dims).astype(dtype)


def add():
    ins = [info("x", "f4", ["N", 3]), info("y", "f4", [None, 3])]
    file = file_of([h.make_node("Add", ["x", "y"], ["y_"])], ins, [info("y_", "f4", ["N", 3])])

    def make(rng, n):
        return {"x": floats(rng, n, 3), "y": floats(rng, 1, 3)}

    return Kind("add", file, make, lambda a: {"y_": a["x"] + a["y"]}, outputs=("y_",))


def default():
    value = np.arange(3, dtype=np.float32).reshape(1, 3)
    ins = [info("x", "f4", ["N", 3]), info("y", "f4", [1, 3])]
    nodes = [h.make_node("Mul", ["x", "y"], ["z"])]
    file = file_of(nodes, ins, [info("z", "f4", ["N", 3])], {"y": value})

    def make(rng, n):
        return {"x": floats(rng, n, 3), "y": floats(rng, 1, 3)}

    def compute(a):
        return {"z": a["x"] * a.get("y", value)}

    return Kind("default", file, make, compute, ("y",), ("z",))


def two():
    nodes = [h.make_node("Neg", ["x"], ["minus"]), h.make_node("Abs", ["x"], ["size"])]
    outs = [info(name, "f8", ["N"]) for name in ("minus", "size")]
    file = file_of(nodes, [info("x", "f8", ["N"])], outs)

    def compute(a):
        return {"minus": -a["x"], "size": abs(a["x"])}

    def make(rng, n):
        return {"x": floats(rng, n, dtype="float64")}

    return Kind("two", file, make, compute, outputs=("minus", "size"))


def product():
    w = np.arange(20, dtype=np.float32).reshape(4, 5) - 9
    nodes = [h.make_node("MatMul", ["x", "w"], ["p"]), h.make_node("Relu", ["p"], ["y"])]
    file = file_of(nodes, [info("x", "f4", ["N", 4])], [info("y", "f4", ["N", 5])], {"w": w})

    def make(rng, n):
        return {"x": floats(rng, n, 4)}

    return Kind("product", file, make, lambda a: {"y": np.maximum(a["x"] @ w, 0)})


def same(dtype):
    file = file_of(
        [h.make_node("Identity", ["x"], ["y"])],
        [info("x", dtype, ["N"])],
        [info("y", dtype, ["N"])],
    )

    def make(rng, n):
        return {"x": rng.integers(0, 2, n).astype(dtype)}

    return Kind(f"same {dtype}", file, make, lambda a: {"y": a["x"]})


def text():
    def value(name):
        return h.make_tensor_value_info(name, T.STRING, ["N"])

    file = file_of([h.make_node("Identity", ["x"], ["y"])], [value("x")], [value("y")])

    def make(rng, n):
        return {"x": np.array(["é" * int(i) for i in rng.integers(0, 9, n)], object)}

    return Kind("text", file, make, lambda a: {"y": a["x"]})


def pair():
    item = h.make_tensor_type_proto(T.FLOAT, ["N"])
    out = h.make_value_info("y", h.make_sequence_type_proto(item))
    file = file_of(
        [h.make_node("SequenceConstruct", ["x", "x"], ["y"])], [info("x", "f4", ["N"])], [out]
    )
    return Kind(
        "pair", file, lambda rng, n: {"x": floats(rng, n)}, lambda a: {"y": [a["x"], a["x"]]}
    )


def branch():
    def side(op):
        nodes = [h.make_node(op, ["x", "one"], ["r"])]
        return h.make_graph(nodes, op, [], [info("r", "f4", ["N"])])

    nodes = [h.make_node("If", ["c"], ["y"], then_branch=side("Add"), else_branch=side("Sub"))]
    ins = [info("c", "?", []), info("x", "f4", ["N"])]
    file = file_of(nodes, ins, [info("y", "f4", ["N"])], {"one": np.ones(1, np.float32)})

    def make(rng, n):
        return {"c": np.bool_(rng.integers(2)), "x": floats(rng, n)}

    return Kind("branch", file, make, lambda a: {"y": a["x"] + (1 if a["c"] else -1)})


def loop():
    step = [h.make_node("Add", ["s", "x"], ["t"]), h.make_node("Identity", ["k"], ["go"])]
    ins = [info("i", "i8", []), info("k", "?", []), info("s", "f4", ["N"])]
    body = h.make_graph(step, "body", ins, [info("go", "?", []), info("t", "f4", ["N"])])
    nodes = [h.make_node("Loop", ["n", "", "x"], ["y"], body=body)]
    file = file_of(nodes, [info("n", "i8", []), info("x", "f4", ["N"])], [info("y", "f4", ["N"])])

    def make(rng, n):
        return {"n": np.int64(rng.integers(0, 50)), "x": floats(rng, n)}

    return Kind("loop", file, make, lambda a: {"y": a["x"] * (1 + max(int(a["n"]), 0))})


def places():
    file = file_of(
        [h.make_node("NonZero", ["x"], ["y"])],
        [info("x", "f4", ["N", 2])],
        [info("y", "i8", [2, "M"])],
    )
    return Kind(
        "places",
        file,
        lambda rng, n: {"x": floats(rng, n, 2) // 4},
        lambda a: {"y": np.array(np.nonzero(a["x"]))},
    )


def reshaped():
    ins = [info("x", "i4", ["N", 6]), info("s", "i8", [2])]
    file = file_of(
        [h.make_node("Reshape", ["x", "s"], ["y"])], ins, [info("y", "i4", [None, None])]
    )

    def make(rng, n):
        return {
            "x": floats(rng, n, 6, dtype="int32"),
            "s": np.array([6 * n // (d := int(rng.choice([1, 2, 3, 6]))), d]),
        }

    return Kind("reshaped", file, make, lambda a: {"y": a["x"].reshape(a["s"])})


def constant():
    file = file_of(
        [h.make_node("Identity", ["c"], ["y"])], [], [info("y", "i8", [2])], {"c": np.array([4, 5])}
    )
    return Kind("constant", file, lambda rng, n: {}, lambda a: {"y": np.array([4, 5])})


def long():
    """Products that take longer than the others, to be ended early."""
    nodes = [h.make_node("MatMul", ["x", "x"], ["p"]), h.make_node("MatMul", ["p", "x"], ["y"])]
    file = file_of(nodes, [info("x", "f4", ["N", "N"])], [info("y", "f4", ["N", "N"])])

    def make(rng, n):
        return {"x": floats(rng, 20 * n, 20 * n) % 2}

    return Kind("long", file, make, lambda a: {"y": a["x"] @ a["x"] @ a["x"]})


KINDS = [
    add(),
    default(),
    two(),
    product(),
    text(),
    pair(),
    branch(),
    loop(),
    places(),
    reshaped(),
    constant(),
    long(),
    *[same(dtype) for dtype in PLAIN],
]
