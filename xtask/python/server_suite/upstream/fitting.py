"""Files that fit configurations, so that nothing but these can be the cause of a refusal."""

import itertools

from google.protobuf import text_format
from onnx import TensorProto, helper
from tritonclient.grpc import model_config_pb2

IR_VERSION, OPSET = 10, 21
SPECIAL = {
    "TYPE_FP16": TensorProto.FLOAT16,
    "TYPE_FP32": TensorProto.FLOAT,
    "TYPE_FP64": TensorProto.DOUBLE,
    "TYPE_BF16": TensorProto.BFLOAT16,
    "TYPE_INVALID": TensorProto.FLOAT,
}


def write(file):
    """Write a model of any shapes beside a configuration, in version 1."""
    config = text_format.Parse(file.read_text(), model_config_pb2.ModelConfig())
    place = file.parent / "1/model.onnx"
    place.write_bytes(network(config).SerializeToString())


def network(config):
    """A network that has the tensors of a configuration; each output is made of an input."""
    names = itertools.count()
    inputs = [tensor(config, one, names) for one in config.input]
    controls = dict.fromkeys(one.name for one in config.sequence_batching.control_input)
    inputs += [
        helper.make_tensor_value_info(name, TensorProto.INT32, [f"d{next(names)}"] * 2)
        for name in controls
    ]
    inputs += [
        helper.make_tensor_value_info(target, element(one), [f"d{next(names)}"] * 2)
        for one in config.batch_input
        for target in one.target_name
    ]
    outputs = [tensor(config, one, names) for one in config.output]
    nodes = []
    for number, output in enumerate(outputs):
        nodes += filled(number, inputs[number % len(inputs)], output)
    graph = helper.make_graph(nodes, "fitting", inputs, outputs)
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def filled(number, source, output):
    """Nodes that fill an output with the largest element of an input, along its first dimension."""
    kind = output.type.tensor_type.elem_type
    rank = len(output.type.tensor_type.shape.dim)
    names = [f"{part}{number}" for part in ("cast", "largest", "dims", "which", "shape")]
    cast, largest, dims, which, shape = names
    if rank == len(source.type.tensor_type.shape.dim):
        return [helper.make_node("Cast", [source.name], [output.name], to=kind)]
    nodes = [
        helper.make_node("Cast", [source.name], [cast], to=kind),
        helper.make_node("ReduceMax", [cast], [largest if rank else output.name], keepdims=0),
    ]
    if rank:
        nodes += [
            helper.make_node("Shape", [source.name], [dims]),
            helper.make_node("Constant", [], [which], value_ints=[0] * rank),
            helper.make_node("Gather", [dims, which], [shape]),
            helper.make_node("Expand", [largest, shape], [output.name]),
        ]
    return nodes


def element(tensor):
    name = model_config_pb2.DataType.Name(tensor.data_type)
    return SPECIAL.get(name) or getattr(TensorProto, name.removeprefix("TYPE_"))


def tensor(config, one, names):
    """A tensor of the rank that a configuration gives it."""
    dims = one.reshape.shape if one.HasField("reshape") else one.dims
    rank = len(dims) + (config.max_batch_size > 0)
    shape = [f"d{next(names)}" for _ in range(rank)]
    return helper.make_tensor_value_info(one.name, element(one), shape)
