"""Model repositories for the suite: folders with a configuration and a small ONNX model each."""

import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import tensors

IR_VERSION, OPSET = 10, 21
ELEMENT = {
    "BOOL": TensorProto.BOOL,
    "FP16": TensorProto.FLOAT16,
    "FP32": TensorProto.FLOAT,
    "FP64": TensorProto.DOUBLE,
    "BF16": TensorProto.BFLOAT16,
    tensors.BYTES: TensorProto.STRING,
}


def element(name):
    """ONNX's number of a type of the protocol."""
    return ELEMENT.get(name) or getattr(TensorProto, name)


def model(nodes, inputs, outputs, constants=None):
    """An ONNX model; inputs and outputs are {name: (type, dimensions)}."""
    infos = [
        [
            helper.make_tensor_value_info(name, element(kind), dims)
            for name, (kind, dims) in part.items()
        ]
        for part in (inputs, outputs)
    ]
    weights = [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, "suite", *infos, weights)
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def tensor_text(name, kind, dims):
    """An input or output of a configuration. A scalar is one element there: the server has none."""
    sizes = [size if isinstance(size, int) and size > 0 else -1 for size in dims] or [1]
    listed = ", ".join(map(str, sizes))
    return f"name: {json.dumps(name)} data_type: {tensors.configured(kind)} dims: [ {listed} ]"


def configuration(inputs, outputs, backend="trident", batch=0, extra=""):
    """The text of config.pbtxt; dimensions are without the batch where `batch` is not 0."""
    lines = [f'backend: "{backend}"', f"max_batch_size: {batch}"]
    for field, part in (("input", inputs), ("output", outputs)):
        lines += [f"{field} {{ {tensor_text(name, *type_)} }}" for name, type_ in part.items()]
    return "\n".join([*lines, extra, ""])


class Repository:
    """A folder of models."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, name, file, text, file_name="model.onnx"):
        """Add or replace a model: `file` is an ONNX model, bytes, a path or None."""
        version = self.folder / name / "1"
        version.mkdir(parents=True, exist_ok=True)
        target = version / file_name
        target.unlink(missing_ok=True)
        if isinstance(file, onnx.ModelProto):
            file = file.SerializeToString()
        if isinstance(file, bytes):
            target.write_bytes(file)
        elif file is not None:
            target.symlink_to(file)
        (self.folder / name / "config.pbtxt").write_text(text)
        return version


def batched(part, first="N"):
    """The same tensors with a batch in front."""
    return {name: (kind, [first, *dims]) for name, (kind, dims) in part.items()}


def add_one(repository, name="add", size=16, extra="", backend="trident", batch=8):
    """OUTPUT0 = INPUT0 + 1 on FP32 rows."""
    inputs, outputs = {"INPUT0": ("FP32", [size])}, {"OUTPUT0": ("FP32", [size])}
    graph = model(
        [helper.make_node("Add", ["INPUT0", "one"], ["OUTPUT0"])],
        batched(inputs),
        batched(outputs),
        {"one": np.ones(1, np.float32)},
    )
    repository.add(name, graph, configuration(inputs, outputs, backend, batch, extra))


def sum_and_difference(repository, name="pair", size=4):
    """OUTPUT0 = INPUT0 + INPUT1 and OUTPUT1 = INPUT0 - INPUT1 on INT32 rows."""
    inputs = {key: ("INT32", [size]) for key in ("INPUT0", "INPUT1")}
    outputs = {key: ("INT32", [size]) for key in ("OUTPUT0", "OUTPUT1")}
    nodes = [
        helper.make_node(op, list(inputs), [output]) for op, output in zip(("Add", "Sub"), outputs)
    ]
    graph = model(nodes, batched(inputs), batched(outputs))
    repository.add(name, graph, configuration(inputs, outputs, batch=8))


def identity(repository, kind, rank=1, batch=8):
    """OUTPUT0 = INPUT0 of any length; the model's name."""
    name, dims = f"identity_{kind.lower()}_{rank}", [-1] * rank
    inputs, outputs = {"INPUT0": (kind, dims)}, {"OUTPUT0": (kind, dims)}
    free = [f"d{k}" for k in range(rank)]
    shape = ["N", *free] if batch else free
    node = helper.make_node("Identity", ["INPUT0"], ["OUTPUT0"])
    graph = model([node], {"INPUT0": (kind, shape)}, {"OUTPUT0": (kind, shape)})
    repository.add(name, graph, configuration(inputs, outputs, batch=batch))
    return name


def lookup(repository, name="lookup", extra=""):
    """OUTPUT0 = table[INPUT0]: an index beyond the table is an error of the run."""
    inputs, outputs = {"INPUT0": ("INT64", [1])}, {"OUTPUT0": ("FP32", [1])}
    table = np.arange(10, 20, dtype=np.float32)
    node = helper.make_node("Gather", ["table", "INPUT0"], ["OUTPUT0"])
    graph = model([node], batched(inputs), batched(outputs), {"table": table})
    repository.add(name, graph, configuration(inputs, outputs, batch=8, extra=extra))


def parse(repository, name="parse"):
    """OUTPUT0 = the numbers that the texts of INPUT0 are."""
    inputs, outputs = {"INPUT0": (tensors.BYTES, [-1])}, {"OUTPUT0": ("INT32", [-1])}
    node = helper.make_node("Cast", ["INPUT0"], ["OUTPUT0"], to=TensorProto.INT32)
    graph = model([node], batched({"INPUT0": (tensors.BYTES, ["k"])}),
                  batched({"OUTPUT0": ("INT32", ["k"])}))  # fmt: skip
    repository.add(name, graph, configuration(inputs, outputs, batch=8))


def countdown(repository, name="countdown", extra=""):
    """OUTPUT0 = INPUT0 rounds of a loop: as slow as the request asks for."""
    inputs, outputs = {"INPUT0": ("INT64", [1])}, {"OUTPUT0": ("FP32", [4096])}
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go_on"], ["still"]),
            helper.make_node("Sin", ["state"], ["sine"]),
            helper.make_node("Add", ["sine", "one"], ["next"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("round", TensorProto.INT64, []),
            helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", TensorProto.FLOAT, [4096]),
        ],
        [
            helper.make_tensor_value_info("still", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, [4096]),
        ],
    )
    nodes = [
        helper.make_node("Squeeze", ["INPUT0"], ["count"]),
        helper.make_node("Loop", ["count", "yes", "start"], ["OUTPUT0"], body=body),
    ]
    constants = {
        "yes": np.array(True),
        "start": np.zeros(4096, np.float32),
        "one": np.ones(1, np.float32),
    }
    graph = model(nodes, inputs, outputs, constants)
    repository.add(name, graph, configuration(inputs, outputs, extra=extra))
