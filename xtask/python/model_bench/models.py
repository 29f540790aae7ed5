"""The models to measure, and inputs for them.

The `light` models of the ONNX backend suite are real architectures whose weights are constants.
Here they get seeded random weights that keep activations finite, and a free batch dimension.
"""

import hashlib
import os
import pathlib
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIGHT = (
    "squeezenet",
    "shufflenet",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "densenet121",
    "bvlc_alexnet",
    "zfnet512",
    "vgg19",
)
MINILM, DIGITS = "minilm", "digits"
NAMES = (DIGITS, MINILM, *LIGHT)
SEQUENCE = 128
SHAPING = ("Unsqueeze", "Reshape", "Identity")  # between a weight and the op that uses it


def path(name, cases, cache):
    """The model's file, made in the cache on first use."""
    if name == DIGITS:
        return ROOT / "examples/digits/digits.onnx"
    if name == MINILM:
        return pathlib.Path(os.environ["TRIDENT_MINILM"])
    recipe = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()[:12]
    folder = pathlib.Path(cache) / f"bench-models-{recipe}"
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.onnx"
    if not file.exists():
        print(f"making {name} with random weights ...", flush=True)
        model = with_random_weights(onnx.load(cases / f"light/light_{name}/model.onnx"))
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as scratch:
            scratch.write(model.SerializeToString())
        os.replace(scratch.name, file)
    return file


def inputs(name, file, batch):
    """{input name: array} for `batch` samples, the same in every run."""
    rng = np.random.default_rng(0)
    if name == MINILM:
        ids = rng.integers(1000, 30000, (batch, SEQUENCE))
        return {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    info = onnx.load(file).graph.input[0]
    shape = [batch, *(dim.dim_value for dim in info.type.tensor_type.shape.dim[1:])]
    return {info.name: rng.standard_normal(shape).astype(np.float32)}


def with_random_weights(model):
    """Replace all constant weights, free the batch dimension, drop what IR 3 needed."""
    graph = model.graph
    rng = np.random.default_rng(0)
    shapes = {}  # weights: initializers, and ConstantOfShape nodes over an initializer
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    sources = [node for node in graph.node if node.op_type == "ConstantOfShape"]
    for node in sources:
        shapes[node.output[0]] = tuple(stored.pop(node.input[0]))
        graph.node.remove(node)
    uses = consumers(graph)
    for name, array in list(stored.items()):
        if array.dtype == np.float32 and name in uses:
            shapes[name] = array.shape
        if array.dtype == np.float32 or name not in uses:
            del stored[name]
    for node in graph.node:
        if node.op_type == "Reshape" and node.input[1] in stored:
            shape = stored[node.input[1]]
            if shape[0] == 1:  # the batch; 0 copies the input's dimension
                stored[node.input[1]] = np.array([0, *shape[1:]], np.int64)

    weights = {name: sample(rng, shape, role(name, uses)) for name, shape in shapes.items()}
    del graph.initializer[:], graph.value_info[:]
    for name, array in {**stored, **weights}.items():
        graph.initializer.append(numpy_helper.from_array(array, name))
    known = {tensor.name for tensor in graph.initializer}
    data = [info for info in graph.input if info.name not in known and info.name not in shapes]
    data = [info for info in data if info.name in uses]
    del graph.input[:]
    graph.input.extend(data)
    for info in [*graph.input, *graph.output]:
        info.type.tensor_type.shape.dim[0].dim_param = "N"
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def consumers(graph):
    """{value: [(node, input slot)]}"""
    uses = {}
    for node in graph.node:
        for slot, name in enumerate(node.input):
            uses.setdefault(name, []).append((node, slot))
    return uses


def role(name, uses):
    """(op, slot) that a weight ends in, looking through ops that only change its shape."""
    node, slot = uses[name][0]
    while node.op_type in SHAPING:
        node, slot = uses[node.output[0]][0]
    return node.op_type, slot


def sample(rng, shape, role):
    """A random weight of He's variance, or a scale, shift or variance near one or zero."""
    match role:
        case ("Conv" | "Gemm", 1):
            deviation = np.sqrt(2 / np.prod(shape[1:]))
            return rng.standard_normal(shape, np.float32) * np.float32(deviation)
        case ("BatchNormalization", 1 | 4) | ("Mul", _):
            return rng.uniform(0.8, 1.2, shape).astype(np.float32)
        case ("Conv" | "Gemm", 2) | ("BatchNormalization", 2 | 3) | ("Add", _):
            return rng.normal(0, 0.1, shape).astype(np.float32)
    raise ValueError(f"no rule for a weight of {role}")
